//! MQSC: the text form of commands.
//!
//! `split` cuts a script into commands, `lexer` a command into tokens, `statement` puts verb, object and keywords
//! together, `interpret` checks them against the attribute table. Commands that come as JSON or PCF enter at
//! `interpret`, with a `statement::Statement` of their own making. Nothing here looks at a queue manager, and no input
//! panics or runs for longer than its length warrants.

pub mod grammar;
pub mod help;
mod interpret;
mod lexer;
mod problem;
pub mod split;
pub(crate) mod statement;

use model::definition::attribute::Membership;

use crate::command::Command;
use statement::{Source, Statement};

pub(crate) use interpret::{definition_kinds, interpret, is_object};
pub use problem::Problem;

/// Longest command, continuations joined, in bytes.
pub const MAXIMUM_LENGTH: usize = 32_768;

/// `membership` says whether the queue manager has the commands and keywords of a queue-sharing group.
///
/// # Errors
/// Not a command, or not one this queue manager has; `Problem` says which and shows where.
pub fn parse(text: &str, membership: Membership) -> Result<Command, Problem> {
    if text.len() > MAXIMUM_LENGTH {
        let shown: String = text.chars().take(80).collect();
        let problem = Problem::syntax(format!("a command is at most {MAXIMUM_LENGTH} bytes long"));
        return Err(problem.within(text, &shown));
    }
    let mut source = Source::new(text);
    let command = statement(&mut source, membership).and_then(|statement| interpret(statement, membership));
    command.map_err(|problem| source.place(problem))
}

/// Does the command change nothing? A text that is no command does not.
pub fn only_reads(text: &str) -> bool {
    Source::new(text).head().map_or(true, |(verb, _)| verb.only_reads())
}

/// Is the word a verb of MQSC, in full or abbreviated?
pub fn is_verb(word: &str) -> bool {
    statement::Verb::find(&word.to_ascii_uppercase()).is_some()
}

/// The words of a command this queue manager has.
pub(crate) fn statement(source: &mut Source<'_>, membership: Membership) -> Result<Statement, Problem> {
    let (verb, object) = source.head()?;
    interpret::resolve(verb, &object, membership)?;
    let (name, parameters) = source.rest()?;
    Ok(Statement { verb, object, name, parameters })
}
