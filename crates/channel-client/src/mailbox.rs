//! What one conversation has been sent and has not taken yet.
//!
//! Invariants
//! - Nobody but the socket's task puts in, nobody but the conversation takes out.
//! - Once it has ended nothing is put in any more; what came before can still be taken.

use std::collections::VecDeque;
use std::task::{Context, Poll, Waker};

use channel_protocol::assembly::Unit;
use parking_lot::Mutex;

/// Units a queue manager may send beyond what is taken before it is given up: short messages that were read ahead for many
/// consumers are the most that may come.
const MOST_WAITING: usize = 100_000;

#[derive(Default)]
pub(crate) struct Mailbox(Mutex<Content>);

#[derive(Default)]
struct Content {
    /// Answers to calls.
    replies: VecDeque<Unit>,
    /// Messages and notifications without a call.
    events: VecDeque<Unit>,
    ended: Option<String>,
    waiting: Option<Waker>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Reply,
    Event,
}

impl Mailbox {
    /// False when there is too much in it.
    pub(crate) fn put(&self, kind: Kind, unit: Unit) -> bool {
        let mut content = self.0.lock();
        let queue = match kind {
            Kind::Reply => &mut content.replies,
            Kind::Event => &mut content.events,
        };
        if queue.len() >= MOST_WAITING {
            return false;
        }
        queue.push_back(unit);
        let waiting = content.waiting.take();
        drop(content);
        if let Some(waker) = waiting {
            waker.wake();
        }
        true
    }

    pub(crate) fn end(&self, problem: &str) {
        let mut content = self.0.lock();
        content.ended.get_or_insert_with(|| problem.to_owned());
        let waiting = content.waiting.take();
        drop(content);
        if let Some(waker) = waiting {
            waker.wake();
        }
    }

    /// Somebody waits for what comes.
    pub(crate) fn is_awaited(&self) -> bool {
        self.0.lock().waiting.is_some()
    }

    /// Why it has ended.
    pub(crate) fn problem(&self) -> String {
        self.0.lock().ended.clone().unwrap_or_default()
    }

    /// The next unit of this kind, if it is there.
    pub(crate) fn take(&self, kind: Kind) -> Option<Unit> {
        let mut content = self.0.lock();
        match kind {
            Kind::Reply => content.replies.pop_front(),
            Kind::Event => content.events.pop_front(),
        }
    }

    /// The next unit of this kind; an error says why there will be none.
    pub(crate) fn poll_take(&self, kind: Kind, cx: &mut Context<'_>) -> Poll<Result<Unit, String>> {
        let mut content = self.0.lock();
        let queue = match kind {
            Kind::Reply => &mut content.replies,
            Kind::Event => &mut content.events,
        };
        if let Some(unit) = queue.pop_front() {
            return Poll::Ready(Ok(unit));
        }
        if let Some(problem) = &content.ended {
            return Poll::Ready(Err(problem.clone()));
        }
        match &mut content.waiting {
            Some(waker) => waker.clone_from(cx.waker()),
            none => *none = Some(cx.waker().clone()),
        }
        Poll::Pending
    }
}
