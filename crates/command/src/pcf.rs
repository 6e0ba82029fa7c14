//! PCF: the form of commands that programs send. One request becomes one command, its reply one message an object.
//!
//! `table` lists the commands with their numbers and what each is in MQSC's words; `meaning` says what a parameter is: an
//! attribute of the attribute table, or a term that only commands and statuses have (`term`). `request` makes of a message
//! the statement that MQSC would have made of its text, so that everything behind it is the same; `response` makes
//! messages of a reply. `names` and `escape` are the commands that MQSC has not.
//!
//! Nothing here gets or puts a message (`command_queue` does), and no request panics, whatever it holds.
//!
//! Sources: MQ reference, "Programmable command formats reference", 9.3 and 9.4; the published constants (cmqcfc.h).

mod escape;
mod inquire;
mod meaning;
mod names;
mod reference;
mod refusal;
mod request;
mod response;
mod table;
mod term;
mod value;

#[cfg(test)]
mod tests;

use model::pcf::{Message, MessageKind, Parameter};
use queue_manager::QueueManager;
use queue_manager::event::command::{Issued, Issuer};

use crate::command::Command;
use crate::observed::execute_issued;
use crate::reply::Reply;

pub use reference::reference;
use refusal::Refusal;
use refusal::{
    MQRCCF_CFH_COMMAND_ERROR, MQRCCF_CFH_CONTROL_ERROR, MQRCCF_CFH_MSG_SEQ_NUMBER_ERR, MQRCCF_CFH_TYPE_ERROR,
};
use table::Action;
pub use term::ChannelNumbers;

/// Runs one request for `issuer`. The answers are in order, and the last one says that it is.
pub async fn run(queue_manager: &QueueManager, issuer: &Issuer<'_>, request: &Message) -> Vec<Message> {
    let command = request.header.command;
    let session = Session { queue_manager, issuer, parameters: &request.parameters };
    match answers(&session, request).await {
        Ok(answers) => response::numbered(command, answers),
        Err(refusal) => response::numbered(command, vec![refusal.answer()]),
    }
}

/// Where one request runs, for whom, and what it came with.
struct Session<'a> {
    queue_manager: &'a QueueManager,
    issuer: &'a Issuer<'a>,
    parameters: &'a [Parameter],
}

impl Session<'_> {
    async fn execute(&self, command: &Command) -> Reply {
        execute_issued(self.queue_manager, self.issuer, Issued::Pcf(self.parameters), command).await
    }

    /// As `execute`, of a command that came as text.
    async fn execute_mqsc(&self, text: &str, command: &Command) -> Reply {
        execute_issued(self.queue_manager, self.issuer, Issued::Mqsc(text), command).await
    }
}

/// The answer to what is no request at all: an MQRCCF_* number, and the parameter it is about.
pub fn refuse(command: i32, reason: i32, parameter: Option<i32>) -> Vec<Message> {
    let refusal = parameter.map_or(Refusal::of(reason), |parameter| Refusal::about(reason, parameter));
    response::numbered(command, vec![refusal.answer()])
}

/// One message of an answer: its reason, 0 when all was well, and its parameters.
struct Answer {
    reason: i32,
    parameters: Vec<Parameter>,
}

async fn answers(session: &Session<'_>, request: &Message) -> Result<Vec<Answer>, Refusal> {
    let header = &request.header;
    if !matches!(header.kind, MessageKind::COMMAND | MessageKind::COMMAND_EXTENDED) {
        return Err(Refusal::of(MQRCCF_CFH_TYPE_ERROR));
    }
    if header.sequence != 1 {
        return Err(Refusal::of(MQRCCF_CFH_MSG_SEQ_NUMBER_ERR));
    }
    if !header.is_last {
        return Err(Refusal::of(MQRCCF_CFH_CONTROL_ERROR));
    }
    let row =
        table::find(header.command, session.queue_manager.membership()).ok_or(Refusal::of(MQRCCF_CFH_COMMAND_ERROR))?;
    let parameters = request::Parameters::new(&request.parameters)?;
    match &row.action {
        Action::Create(subject) => request::create(session, subject, parameters).await,
        Action::Change(subject) => request::change(session, subject, parameters).await,
        Action::Copy(subject) => request::copy(session, subject, parameters).await,
        Action::Delete(subject) => request::delete(session, subject, parameters).await,
        Action::Inquire(subject) => inquire::definitions(session, subject, parameters).await,
        Action::Names(subject) => names::inquire(session, subject, parameters).await,
        Action::Statement(form) => request::statement(session, form, parameters).await,
        Action::Status(form) => inquire::status(session, form, parameters).await,
        Action::Escape => escape::run(session, parameters).await,
    }
}
