//! The rules table of a dead-letter handler (runmqdlq): its text read, and messages held against its rules.
//!
//! Nothing here looks at a queue. `table` reads the text, `pattern` matches, `symbol` has the numbers that rules name.
//!
//! Source: MQ Administration, "The DLQ handler rules table", "How the rules table is processed", 9.3.

mod pattern;
mod symbol;
mod table;
#[cfg(test)]
mod tests;

use std::time::Duration;

use model::descriptor::MessageDescriptor;
use model::header::dead_letter::DeadLetterHeader;

use pattern::Pattern;
pub use table::TableError;

/// A rules table, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RulesTable {
    pub control: Control,
    /// At least one.
    pub rules: Vec<Rule>,
}

/// Control data: what the whole run needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Control {
    /// INPUTQ; blank: the dead-letter queue of the queue manager.
    pub input_queue: String,
    /// INPUTQM; blank: the default queue manager.
    pub input_queue_manager: String,
    /// RETRYINT: time between two attempts.
    pub retry_interval: Duration,
    pub wait: Wait,
}

impl Default for Control {
    fn default() -> Self {
        Self {
            input_queue: String::new(),
            input_queue_manager: String::new(),
            retry_interval: Duration::from_secs(60),
            wait: Wait::Forever,
        }
    }
}

/// WAIT: how long to go on when there is nothing left to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    Forever,
    No,
    For(Duration),
}

/// A pattern and an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Line of the table on which the rule begins, from 1.
    pub line: usize,
    patterns: Vec<Pattern>,
    pub action: Action,
    /// PUTAUT: whose authority a put needs.
    pub put_authority: PutAuthority,
    /// RETRY: most attempts, at least one.
    pub attempts: u32,
}

impl Rule {
    /// Does a message on the queue match?
    pub fn matches(&self, header: &DeadLetterHeader, descriptor: &MessageDescriptor) -> bool {
        self.patterns.iter().all(|pattern| pattern.matches(header, descriptor))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    Discard,
    Ignore,
    /// Put to the queue that the message was meant for, without its header.
    Retry,
    Forward {
        queue: QueueOf,
        queue_manager: ManagerOf,
        /// HEADER: keep the dead-letter header.
        keeps_header: bool,
    },
}

/// FWDQ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueueOf {
    Named(String),
    Destination,
    Reply,
}

/// FWDQM; a blank name is the local queue manager.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ManagerOf {
    Named(String),
    Destination,
    Reply,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PutAuthority {
    /// DEF: of the handler.
    Handler,
    /// CTX: of the user in the message's context.
    Context,
}

impl RulesTable {
    /// The first rule from index `from` on that matches.
    pub fn find(&self, from: usize, header: &DeadLetterHeader, descriptor: &MessageDescriptor) -> Option<usize> {
        (from..self.rules.len()).find(|&index| self.rules[index].matches(header, descriptor))
    }
}
