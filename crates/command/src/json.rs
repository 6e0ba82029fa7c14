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

use model::definition::attribute::{Kind, Membership};
use model::name::ObjectName;
use model::reason::Reason;
use queue_manager::QueueManager;
use queue_manager::event::command::{Issued, Issuer};

use crate::Outcome;
use crate::command::Command;
use crate::message;
use crate::mqsc::statement::{Operand, Parameter, Statement, Verb};
use crate::mqsc::{self, Problem};
use crate::observed::execute_issued;
use crate::reply::Reply;

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
    ready: Ready,
    only_reads: bool,
}

#[derive(Debug, Clone)]
enum Ready {
    Command(Result<Command, Problem>),
    /// ALTER of a channel or of authentication information without its type: the object's own is looked up.
    Untyped(Statement),
}

/// How the request came, and so how its reply looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Text,
    Words,
}

impl Request {
    /// Makes a command of the request, for a queue manager that is in a queue-sharing group or in none.
    ///
    /// # Errors
    /// `Attribute` and `Command` for a JSON command that cannot be meant; a text is never refused.
    pub fn prepare(self, membership: Membership) -> Result<Prepared, Refusal> {
        match self {
            Self::Text(text) => {
                let command = mqsc::parse(&text, membership);
                Ok(Prepared {
                    form: Form::Text,
                    only_reads: mqsc::only_reads(&text),
                    text,
                    ready: Ready::Command(command),
                })
            }
            Self::Words(words) => {
                let statement = words.statement()?;
                let only_reads = statement.verb.only_reads();
                let text = statement.text();
                if is_untyped(&statement) {
                    check_untyped(&statement, membership)?;
                    return Ok(Prepared { form: Form::Words, text, ready: Ready::Untyped(statement), only_reads });
                }
                let command = if is_of_z_os(&statement) {
                    Err(Problem::unsupported("DISPLAY CMDSERV".to_owned()))
                } else {
                    mqsc::interpret(statement, membership)
                };
                if let Err(problem) = &command
                    && let Some(keyword) = problem.unknown_keyword()
                {
                    return Err(Refusal::Attribute(keyword.to_ascii_lowercase()));
                }
                Ok(Prepared { form: Form::Words, text, ready: Ready::Command(command), only_reads })
            }
        }
    }
}

impl Prepared {
    #[cfg(test)]
    fn is_command(&self) -> bool {
        matches!(self.ready, Ready::Command(Ok(_)) | Ready::Untyped(_))
    }

    /// DISPLAY and PING change nothing.
    pub const fn only_reads(&self) -> bool {
        self.only_reads
    }

    /// Runs the command for `issuer`: the body of the answer, whatever became of it.
    pub async fn run(&self, queue_manager: &QueueManager, issuer: &Issuer<'_>) -> Vec<u8> {
        let typed;
        let (command, text) = match &self.ready {
            Ready::Command(command) => (command, self.text.clone()),
            Ready::Untyped(statement) => {
                let Some(statement) = with_type(queue_manager, statement) else {
                    let name = statement.name.iter().flatten().next().map_or("", |operand| operand.text.as_str());
                    let reply = Reply::failed(Reason::UnknownObjectName.number(), message::NOT_FOUND, &[name]);
                    return reply::parameters(&reply);
                };
                let text = statement.text();
                typed = mqsc::interpret(statement, queue_manager.membership());
                (&typed, text)
            }
        };
        match (command, self.form) {
            (Ok(command), form) => {
                let reply = execute_issued(queue_manager, issuer, Issued::Mqsc(&text), command).await;
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
pub async fn run_text(queue_manager: &QueueManager, issuer: &Issuer<'_>, text: &str) -> (Vec<u8>, Outcome) {
    let command = match mqsc::parse(text, queue_manager.membership()) {
        Ok(command) => command,
        Err(problem) => return (reply::problem_message(&problem), problem.answer().outcome),
    };
    let reply = execute_issued(queue_manager, issuer, Issued::Mqsc(text), &command).await;
    let outcome = if reply.succeeded() { Outcome::Succeeded } else { Outcome::Failed };
    (reply::parameters(&reply), outcome)
}

/// DISPLAY CMDSERV is a command of z/OS: it runs as text, and clients of the JSON form know no answer to it.
fn is_of_z_os(statement: &Statement) -> bool {
    statement.verb == Verb::Display && ["CMDSERV", "CS"].contains(&statement.object.as_str())
}

/// The kinds of an object that several kinds share the name of, with the keyword and the word of each.
fn types(statement: &Statement) -> impl Iterator<Item = (Kind, &'static str, &'static str)> {
    let kinds = mqsc::definition_kinds(&statement.object);
    let is_shared = kinds.len() > 1;
    let typed =
        move |kind: Kind| kind.type_parameter().filter(|_| is_shared).map(|(keyword, word)| (kind, keyword, word));
    kinds.into_iter().filter_map(typed)
}

fn is_untyped(statement: &Statement) -> bool {
    let is_given = |keyword: &str| statement.parameters.iter().any(|parameter| parameter.keyword == keyword);
    statement.verb == Verb::Alter && types(statement).next().is_some_and(|(_, keyword, _)| !is_given(keyword))
}

/// # Errors
/// `Attribute`: a keyword that no type of the object has.
fn check_untyped(statement: &Statement, membership: Membership) -> Result<(), Refusal> {
    let mut unknown = None;
    for (_, keyword, word) in types(statement) {
        match mqsc::interpret(of_type(statement, keyword, word), membership) {
            Err(problem) if problem.unknown_keyword().is_some() => {
                unknown = problem.unknown_keyword().map(str::to_ascii_lowercase);
            }
            Ok(_) | Err(_) => return Ok(()),
        }
    }
    unknown.map_or(Ok(()), |keyword| Err(Refusal::Attribute(keyword)))
}

fn of_type(statement: &Statement, keyword: &str, word: &str) -> Statement {
    let operands = Some(vec![Operand { text: word.to_owned(), quoted: false }]);
    let mut typed = statement.clone();
    typed.parameters.push(Parameter { keyword: keyword.to_owned(), operands, end: None });
    typed
}

/// The statement with the type of the object that is there. A channel of the queue manager goes before the client
/// connection of the same name.
fn with_type(queue_manager: &QueueManager, statement: &Statement) -> Option<Statement> {
    let name = ObjectName::parse(&statement.name.as_ref()?.first()?.text).ok()?;
    let is_there = |(kind, ..): &(Kind, &str, &str)| {
        queue_manager.object(kind.authority_object(), &name).is_some_and(|object| object.kind() == *kind)
    };
    let mut there: Vec<_> = types(statement).filter(is_there).collect();
    there.sort_by_key(|(kind, ..)| *kind == Kind::ClientConnection);
    there.first().map(|(_, keyword, word)| of_type(statement, keyword, word))
}
