//! MQSC: the text form of commands.
//!
//! `split` cuts a script into commands, `lexer` a command into tokens, `statement` puts verb, object and keywords
//! together, `interpret` checks them against the attribute table. Nothing here looks at a queue manager, and no input
//! panics or runs for longer than its length warrants.

mod interpret;
mod lexer;
mod problem;
pub mod split;
mod statement;

use crate::command::Command;

pub use problem::Problem;

/// Longest command, continuations joined, in bytes.
pub const MAXIMUM_LENGTH: usize = 32_768;

/// # Errors
/// Not a command, or not one this queue manager has; `Problem` says which and shows where.
pub fn parse(text: &str) -> Result<Command, Problem> {
    if text.len() > MAXIMUM_LENGTH {
        let shown: String = text.chars().take(80).collect();
        return Err(Problem::syntax(&shown, format!("a command is at most {MAXIMUM_LENGTH} bytes long")));
    }
    interpret::interpret(text)
}
