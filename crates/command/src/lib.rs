//! Commands: MQSC text in, answers out; one executor for every form a command may come in.

use model::authority::Principal;
use queue_manager::QueueManager;

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

/// One MQSC command as it stood in the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceCommand {
    /// Line of its first word, from 1.
    pub line: usize,
    /// The lines as read, for echoing.
    pub echo: Vec<String>,
    /// Continuations joined, comments dropped.
    pub text: String,
}

/// Splits a script into commands: `+`/`-` continuation, `*` comments, `;`.
pub fn split(script: &str) -> Vec<SourceCommand> {
    todo!()
}

/// Runs one command with `caller`'s authority.
pub async fn run(queue_manager: &QueueManager, caller: &Principal, text: &str) -> Answer {
    todo!()
}

/// Parses only: `runmqsc -v`.
pub fn verify(text: &str) -> Answer {
    todo!()
}

/// The definitions as MQSC, as dmpmqcfg writes them.
pub fn dump(queue_manager: &QueueManager, options: &DumpOptions) -> String {
    todo!()
}

/// dmpmqcfg's choices.
#[derive(Debug, Clone, Default)]
pub struct DumpOptions {
    /// Every attribute rather than those that differ from the default (`-a`).
    pub all_attributes: bool,
    /// One line a command (`-o 1line`).
    pub one_line: bool,
    /// Generic object name (`-n`).
    pub name: Option<String>,
    /// Object type as dmpmqcfg names it (`-x`): all, object, authrec, channel, qmgr, queue, topic, sub ...
    pub export: Option<String>,
    /// Also SYSTEM objects that are as made.
    pub include_defaults: bool,
}
