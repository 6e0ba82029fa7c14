//! The last requests that went wrong, with what their callers got.
//!
//! Invariant: `MOST` of them, of bounded length each; the oldest goes first.

use std::collections::VecDeque;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

/// How many are kept.
pub(super) const MOST: usize = 10;
/// What is kept of an answer, in bytes.
const LONGEST: usize = 512;

/// A request that went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub at: Instant,
    /// HTTP status that the caller got.
    pub status: u16,
    pub taken: Duration,
    /// The begin of the answer that the caller got.
    pub said: String,
}

#[derive(Debug, Default)]
pub(super) struct Failures(Mutex<VecDeque<Failure>>);

impl Failures {
    pub(super) fn add(&self, status: u16, taken: Duration, said: &[u8]) {
        let said = String::from_utf8_lossy(&said[..said.len().min(LONGEST)]);
        let said = said.chars().map(|character| if character.is_control() { ' ' } else { character }).collect();
        let mut kept = self.0.lock();
        kept.truncate(MOST - 1);
        kept.push_front(Failure { at: Instant::now(), status, taken, said });
    }

    /// The newest first.
    pub(super) fn all(&self) -> Vec<Failure> {
        self.0.lock().iter().cloned().collect()
    }
}
