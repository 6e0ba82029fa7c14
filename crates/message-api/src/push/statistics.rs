//! What a push target has done since the server started, and how it is doing.
//!
//! Owns the changes of state of a target, and says each once in the log: it fails, it delivers again, it cannot take messages.
//!
//! Invariant: a target fails from the first attempt that fails until a message is accepted and no other waits to be posted again.

use std::collections::BTreeMap;

use model::timestamp::Timestamp;
use parking_lot::Mutex;

use super::definition::Key;

/// Numbers that only grow, and what there is now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Figures {
    /// Attempts.
    pub posted: u64,
    /// Messages that were accepted and are off their queue.
    pub completed: u64,
    /// Messages that were tried often or long enough.
    pub failed: u64,
    /// Attempts beyond the first one of a message.
    pub retried: u64,
    /// Messages in hand: posted, or waiting to be posted again.
    pub in_flight: u64,
    pub last_success: Option<Timestamp>,
    pub last_error: Option<LastError>,
    /// When the first attempt failed of the message that has waited longest to be posted again.
    pub waiting_since: Option<Timestamp>,
    /// Why no messages can be taken: the queue cannot be opened, for one.
    pub blocked: Option<String>,
    pub is_failing: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastError {
    pub at: Timestamp,
    /// Of the answer; `None`: there was none.
    pub status: Option<u16>,
    pub problem: String,
}

#[derive(Debug)]
pub(super) struct Statistics {
    key: Key,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    figures: Figures,
    /// When the first attempt failed, by message.
    waiting: BTreeMap<u64, Timestamp>,
    next: u64,
}

/// A message in hand. Dropped, it is in hand no more.
pub(super) struct InHand<'a> {
    of: &'a Statistics,
    number: u64,
}

impl Statistics {
    pub(super) fn new(key: Key) -> Self {
        Self { key, state: Mutex::default() }
    }

    pub(super) fn figures(&self) -> Figures {
        let state = self.state.lock();
        Figures { waiting_since: state.waiting.values().min().copied(), ..state.figures.clone() }
    }

    pub(super) fn take(&self) -> InHand<'_> {
        let mut state = self.state.lock();
        state.figures.in_flight += 1;
        state.next += 1;
        InHand { of: self, number: state.next }
    }

    /// Messages cannot be taken, or with `None` they can.
    pub(super) fn set_blocked(&self, problem: Option<String>) {
        let mut state = self.state.lock();
        if state.figures.blocked == problem {
            return;
        }
        let Key { queue_manager, name } = &self.key;
        match &problem {
            Some(problem) => tracing::warn!(queue_manager, push = name, "a push target takes no messages: {problem}"),
            None => tracing::info!(queue_manager, push = name, "a push target takes messages again"),
        }
        state.figures.blocked = problem;
    }

    /// The target takes no messages because it was told to stop: that is no trouble.
    pub(super) fn stopped(&self) {
        self.state.lock().figures.blocked = None;
    }
}

impl InHand<'_> {
    pub(super) fn attempt(&self, is_first: bool) {
        let mut state = self.of.state.lock();
        state.figures.posted += 1;
        state.figures.retried += u64::from(!is_first);
    }

    /// The message is off its queue.
    pub(super) fn completed(&self, now: Timestamp) {
        let mut state = self.of.state.lock();
        state.figures.completed += 1;
        state.figures.last_success = Some(now);
        state.waiting.remove(&self.number);
        if state.figures.is_failing && state.waiting.is_empty() {
            state.figures.is_failing = false;
            let Key { queue_manager, name } = &self.of.key;
            tracing::info!(queue_manager, push = name, "a push target delivers again");
        }
    }

    pub(super) fn attempt_failed(&self, error: LastError) {
        let mut state = self.of.state.lock();
        state.waiting.entry(self.number).or_insert(error.at);
        if !state.figures.is_failing {
            state.figures.is_failing = true;
            let (Key { queue_manager, name }, problem) = (&self.of.key, &error.problem);
            tracing::warn!(queue_manager, push = name, "a push target does not accept a message: {problem}");
        }
        state.figures.last_error = Some(error);
    }

    /// It was tried often or long enough.
    pub(super) fn given_up(&self) {
        self.of.state.lock().figures.failed += 1;
    }
}

impl Drop for InHand<'_> {
    fn drop(&mut self) {
        let mut state = self.of.state.lock();
        state.figures.in_flight -= 1;
        state.waiting.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(at: u64) -> LastError {
        LastError { at: Timestamp(at), status: Some(500), problem: "it answers with status 500".to_owned() }
    }

    #[test]
    fn a_target_fails_until_a_message_is_accepted_and_none_waits() {
        let statistics = Statistics::new(Key::new("QM1", "orders").expect("a key"));
        let (one, other) = (statistics.take(), statistics.take());
        one.attempt(true);
        one.attempt_failed(error(5));
        one.attempt(false);
        one.attempt_failed(error(6));
        other.completed(Timestamp(7));
        let figures = statistics.figures();
        assert!(figures.is_failing && figures.waiting_since == Some(Timestamp(5)), "{figures:?}");
        one.given_up();
        drop(one);
        assert!(statistics.figures().is_failing, "nothing was accepted since");
        other.completed(Timestamp(8));
        drop(other);
        let expected = Figures {
            posted: 2,
            completed: 2,
            failed: 1,
            retried: 1,
            last_success: Some(Timestamp(8)),
            last_error: Some(error(6)),
            ..Figures::default()
        };
        assert_eq!(statistics.figures(), expected);
    }
}
