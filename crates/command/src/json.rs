//! The body of `POST .../admin/action/qmgr/{qmgr}/mqsc`: a command as text or as JSON, and its reply as JSON.
//!
//! `request` reads the body, `words` makes the statement of it that MQSC text becomes too, `reply` writes the answer.
//! Nothing here knows HTTP: what the caller has to answer with 400 comes back as a `Refusal`.
//!
//! Source: MQ reference, "POST /admin/action/qmgr/{qmgrName}/mqsc", 9.1 to 9.4.

mod of_text;
mod reply;
mod request;
mod words;

use model::authority::Principal;
use queue_manager::QueueManager;
use queue_manager::event::command::{Issued, Issuer, Origin};

use crate::Outcome;
use crate::command::Command;
use crate::mqsc::{self, Problem};
use crate::observed::execute_issued;

pub use of_text::of_text;
pub use request::Request;

/// Why a request cannot even be tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// Not the JSON this resource takes: a sentence part that says why.
    Body(String),
    /// A member, keyword or attribute that does not belong to the command.
    Attribute(String),
    /// A verb or an object MQ does not have, or a command that has no JSON form: the words of the command.
    Command(String),
}

/// A command ready to run, or the problem its reply will tell.
#[derive(Debug, Clone)]
pub struct Prepared {
    form: Form,
    /// As MQSC, for events.
    text: String,
    command: Result<Command, Problem>,
    only_reads: bool,
}

/// How the request came, and so how its reply looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Text,
    Words,
}

impl Request {
    /// Makes a command of the request.
    ///
    /// # Errors
    /// `Attribute` and `Command` for a JSON command that cannot be meant; a text is never refused.
    pub fn prepare(self) -> Result<Prepared, Refusal> {
        match self {
            Self::Text(text) => {
                let command = mqsc::parse(&text);
                Ok(Prepared { form: Form::Text, only_reads: mqsc::only_reads(&text), text, command })
            }
            Self::Words(words) => {
                let statement = words.statement()?;
                let only_reads = statement.verb.only_reads();
                let text = statement.text();
                let command = mqsc::interpret(statement);
                if let Err(problem) = &command
                    && let Some(keyword) = problem.unknown_keyword()
                {
                    return Err(Refusal::Attribute(keyword.to_ascii_lowercase()));
                }
                Ok(Prepared { form: Form::Words, text, command, only_reads })
            }
        }
    }
}

impl Prepared {
    /// DISPLAY and PING change nothing.
    pub const fn only_reads(&self) -> bool {
        self.only_reads
    }

    /// Runs the command with `caller`'s authority: the body of the answer, whatever became of it.
    pub async fn run(&self, queue_manager: &QueueManager, caller: &Principal) -> Vec<u8> {
        match (&self.command, self.form) {
            (Ok(command), form) => {
                let issuer = Issuer { principal: caller, origin: Origin::Rest, message: None };
                let reply = execute_issued(queue_manager, &issuer, Issued::Mqsc(&self.text), command).await;
                match form {
                    Form::Text => reply::texts(&reply),
                    Form::Words => reply::parameters(&reply),
                }
            }
            (Err(problem), Form::Text) => reply::problem_text(problem),
            (Err(problem), Form::Words) => reply::problem_message(problem),
        }
    }
}

/// Runs one command that came as text, and answers as to a JSON command: attributes instead of lines.
pub async fn run_text(queue_manager: &QueueManager, caller: &Principal, text: &str) -> (Vec<u8>, Outcome) {
    let command = match mqsc::parse(text) {
        Ok(command) => command,
        Err(problem) => return (reply::problem_message(&problem), problem.answer().outcome),
    };
    let issuer = Issuer { principal: caller, origin: Origin::Console, message: None };
    let reply = execute_issued(queue_manager, &issuer, Issued::Mqsc(text), &command).await;
    let outcome = if reply.succeeded() { Outcome::Succeeded } else { Outcome::Failed };
    (reply::parameters(&reply), outcome)
}
