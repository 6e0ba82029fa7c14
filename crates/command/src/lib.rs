//! Commands: MQSC text in, answers out; one executor for every form a command may come in.
//!
//! `mqsc` turns text into a typed `Command`, `json` does so with a request of the administrative REST API, `execute` runs
//! it against a queue manager and gives a `Reply`, `display` and `session` print replies as runmqsc does, `dump` writes
//! definitions as MQSC. Attribute names come from the attribute table of `model` and, for status, from `status.rs`;
//! message identifiers stand in `message.rs` alone.

pub mod authority_words;
mod changed;
pub mod command;
pub mod command_queue;
pub mod compatibility;
pub mod dead_letter;
mod display;
mod dump;
mod execute;
mod filter;
pub mod json;
pub mod message;
pub mod mqsc;
mod number;
mod observed;
pub mod pcf;
pub mod reply;
pub mod rest;
pub mod scope;
mod session;
mod status;
mod subject;
mod unfold;

use model::authority::Principal;
use model::definition::attribute::Membership;
use queue_manager::QueueManager;
use queue_manager::event::command::{Issued, Issuer, Origin};

pub use dump::{DumpOptions, EXPORTS, channel_authentication_line, dump};
pub use mqsc::split::{SourceCommand, split};
pub use observed::execute_issued;
pub use reply::Reply;
pub use session::{Counts, echo, is_end, session_footer, session_header};
pub use unfold::unfold;

/// What `runmqsc` and its relatives print, and whether all was well.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// Lines as runmqsc shows them, message identifiers first.
    pub lines: Vec<String>,
    /// How the command ended, for counting: syntax error, failed, ok.
    pub outcome: Outcome,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Outcome {
    #[default]
    Succeeded,
    SyntaxError,
    Failed,
}

/// Runs one command with `caller`'s authority, as `runmqsc` does.
pub async fn run(queue_manager: &QueueManager, caller: &Principal, text: &str) -> Answer {
    run_issued(queue_manager, &Issuer::new(caller, Origin::Console), text).await
}

/// Runs one command that came another way.
pub async fn run_issued(queue_manager: &QueueManager, issuer: &Issuer<'_>, text: &str) -> Answer {
    match mqsc::parse(text, queue_manager.membership()) {
        Ok(command) => execute_issued(queue_manager, issuer, Issued::Mqsc(text), &command).await.answer(),
        Err(problem) => problem.answer(),
    }
}

/// Parses only: `runmqsc -v`.
pub fn verify(text: &str) -> Answer {
    match mqsc::parse(text, Membership::Alone) {
        Ok(_) => Answer::default(),
        Err(problem) => problem.answer(),
    }
}
