//! What clients of a group ask and are told, with the time of both: one operation after the other for each client.
//!
//! An operation without an answer has no end, and may have taken effect or not. A get in a unit of work takes its message for good when
//! the commit of the unit is answered.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use workload::measure::now;

/// Queues by number.
pub(crate) const QUEUES: [&str; 3] = ["DEV.GROUP.WORK", "DEV.GROUP.REPLY", "DEV.GROUP.ORDERED"];
/// Taken by all clients.
pub(crate) const WORK: usize = 0;
/// Taken by correlation identifier too.
pub(crate) const REPLY: usize = 1;
/// Taken by one client alone, in no unit of work.
pub(crate) const ORDERED: usize = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Message {
    /// Later messages of one stream have higher ones.
    pub(crate) id: u64,
    pub(crate) queue: usize,
    pub(crate) priority: u8,
    /// One connection of one producer. Messages of different streams have no order among them.
    pub(crate) stream: u64,
}

#[derive(Debug, Clone)]
pub(crate) enum What {
    Put(Message),
    Get {
        queue: usize,
        /// Only this message.
        aim: Option<u64>,
        /// In this unit of work.
        unit: Option<u64>,
    },
    Commit {
        unit: u64,
        gets: Vec<u64>,
        puts: Vec<Message>,
    },
    BackOut {
        unit: u64,
        gets: Vec<u64>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Done,
    /// A get found this, or nothing.
    Got(Option<u64>),
    /// It had no effect, and never will have.
    Failed,
    Unknown,
}

#[derive(Debug, Clone)]
pub(crate) struct Operation {
    pub(crate) client: u32,
    pub(crate) what: What,
    /// In microseconds since the history began.
    pub(crate) begun: u64,
    pub(crate) ended: Option<u64>,
    pub(crate) outcome: Outcome,
}

/// Shared by all clients.
pub(crate) struct History {
    started: Instant,
    ids: AtomicU64,
    answers: AtomicU64,
    operations: Mutex<Vec<Operation>>,
}

impl History {
    pub(crate) fn new() -> Self {
        Self { started: now(), ids: AtomicU64::new(1), answers: AtomicU64::new(0), operations: Mutex::default() }
    }

    /// Operations that have ended with an answer.
    pub(crate) fn answers(&self) -> u64 {
        self.answers.load(Ordering::Relaxed)
    }

    /// A number that no message, stream or unit of work has.
    pub(crate) fn number(&self) -> u64 {
        self.ids.fetch_add(1, Ordering::Relaxed)
    }

    /// Of clients that have ended, by their begin.
    pub(crate) fn operations(&self) -> Vec<Operation> {
        let mut operations = self.operations.lock().unwrap_or_else(PoisonError::into_inner).clone();
        operations.sort_by_key(|operation| operation.begun);
        operations
    }

    /// Forgets what was, for a new history on queues that are empty.
    pub(crate) fn clear(&self) {
        self.operations.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Since the history began, in microseconds.
    pub(crate) fn time(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_micros()).expect("a test ends within a thousand years")
    }
}

/// One client's part, which is added to the history when it is dropped.
pub(crate) struct Recorder {
    client: u32,
    history: Arc<History>,
    operations: Vec<Operation>,
}

impl Recorder {
    pub(crate) fn new(client: u32, history: &Arc<History>) -> Self {
        Self { client, history: Arc::clone(history), operations: Vec::new() }
    }

    pub(crate) fn number(&self) -> u64 {
        self.history.number()
    }

    pub(crate) fn message(&self, stream: u64, queue: usize, priority: u8) -> Message {
        Message { id: self.number(), queue, priority, stream }
    }

    /// Of an operation that is about to be asked for.
    pub(crate) fn begin(&mut self, what: What) -> usize {
        let begun = self.history.time();
        self.operations.push(Operation { client: self.client, what, begun, ended: None, outcome: Outcome::Unknown });
        self.operations.len() - 1
    }

    /// Its answer.
    pub(crate) fn end(&mut self, operation: usize, outcome: Outcome) {
        let operation = &mut self.operations[operation];
        (operation.ended, operation.outcome) = (Some(self.history.time()), outcome);
        self.history.answers.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        let operations = std::mem::take(&mut self.operations);
        self.history.operations.lock().unwrap_or_else(PoisonError::into_inner).extend(operations);
    }
}
