//! Threads that write the log themselves once they have run out of tasks, so that no other thread is woken for it.
//!
//! A thread that runs tasks calls `before_sleep` each time before it sleeps. What its tasks have appended since is in a
//! batch by then, and most of its tasks wait for that batch: the thread writes and syncs it, and goes on with the tasks
//! this releases. Handing the batch to the writer thread instead costs two wake-ups between processors, which is more
//! than the write itself on a disk with a short sync. Where syncs are long, or the disk has stalled, the writer thread does
//! the work (`pace.rs`), so that a slow disk does not hold up connections that do not wait for it.
//!
//! Tasks of one thread that the last sync released are likely to append again soon. A batch is held back for them, because a
//! sync costs processor time however little it writes. A task that put a request and waits for the reply does not append
//! again, so a batch is held back for [`HOLD`] at most.
//!
//! Invariants
//! - One batch is in flight, whoever writes it (`State::is_writing`).
//! - What is left to a leader is never left for good: the writer thread looks again after [`OVERDUE`], whatever the
//!   leader does meanwhile.

use std::cell::RefCell;
use std::sync::Weak;
use std::time::{Duration, Instant};

use crate::private::log::append::State;
use crate::private::log::extent::Place;
use crate::private::log::writer::{Log, moment};

/// Most gathered bytes that a thread writes itself.
const SHORT_WRITE: usize = 256 << 10;
/// How long a batch is left to the thread that appended to it.
pub(super) const OVERDUE: Duration = Duration::from_millis(1);

/// How long a batch is held back for others: several ways of an answer to a client and of its next request back to the
/// thread that serves it. Ten clients' persistent request and reply made 10,000 to 10,900 a second so, with responses within
/// 1.5 ms of 99 in 100; held back until the writer thread came it was 5,400 to 9,400, and 4 ms.
pub(super) const HOLD: Duration = Duration::from_micros(250);

#[derive(Default)]
struct Leader {
    /// This thread calls `before_sleep`.
    leads: bool,
    /// Logs with units that this thread appended and left to itself.
    left: Vec<Left>,
}

struct Left {
    log: Weak<Log>,
    held: Option<Held>,
}

/// A batch that is held back for others to join it.
#[derive(Clone, Copy)]
struct Held {
    start: Place,
    until: Instant,
}

thread_local! {
    static LEADER: RefCell<Leader> = RefCell::default();
}

/// For threads that run tasks: to be called each time no task is ready, before the thread sleeps, and again at the time it
/// returns, should nothing wake the thread before. Blocks for a short write and sync at most; tasks it releases are
/// woken before it returns.
pub fn before_sleep() -> Option<Instant> {
    LEADER.with_borrow_mut(|leader| leader.leads = true);
    let mut again: Option<Instant> = None;
    for mut left in take_left() {
        let Some(log) = left.log.upgrade() else { continue };
        let Some(until) = log.lead_or_hold(&mut left.held) else { continue };
        again = Some(again.map_or(until, |other| other.min(until)));
        LEADER.with_borrow_mut(|leader| leader.left.push(left));
    }
    again
}

/// Writes what this thread has left to itself; nothing, if it does not lead. For threads that go on for long without
/// sleeping.
pub(crate) fn write_what_is_left() {
    for log in take_left().iter().filter_map(|left| left.log.upgrade()) {
        log.lead();
    }
}

fn take_left() -> Vec<Left> {
    LEADER.with_borrow_mut(|leader| std::mem::take(&mut leader.left))
}

/// Does this thread call `before_sleep`? If so, it will write this log then.
pub(super) fn leave(log: &Weak<Log>) -> bool {
    LEADER.with_borrow_mut(|leader| {
        if leader.leads && !leader.left.iter().any(|other| other.log.ptr_eq(log)) {
            leader.left.push(Left { log: Weak::clone(log), held: None });
        }
        leader.leads
    })
}

impl Log {
    /// Writes what is gathered, or says until when to hold it back.
    fn lead_or_hold(&self, held: &mut Option<Held>) -> Option<Instant> {
        let until = self.state.lock().hold(held);
        if until.is_none() {
            self.lead();
        }
        until
    }

    /// Writes what is gathered, unless another thread does already, or it is too much for a thread with other work.
    fn lead(&self) {
        let mut state = self.state.lock();
        if state.is_writing || self.has_failed() || state.gathered.is_empty() {
            return;
        }
        if !state.suits_a_leader() {
            state.hand_over();
            drop(state);
            self.work.notify_one();
            return;
        }
        let Some(batch) = state.take_batch() else { return };
        drop(state);
        self.write_out(batch);
    }
}

impl State {
    /// Until when to hold the oldest batch back; `None` when it is to be written at once, or by another.
    fn hold(&self, held: &mut Option<Held>) -> Option<Instant> {
        let batch = self.gathered.front()?;
        if self.is_writing || !self.suits_a_leader() || self.is_due(self.pace.returning()) {
            return None;
        }
        let now = moment();
        let until = match held {
            Some(held) if held.start == batch.start => held.until,
            _ => now + HOLD,
        };
        *held = Some(Held { start: batch.start, until });
        (until > now).then_some(until)
    }

    /// Is it little, and the disk quick?
    fn suits_a_leader(&self) -> bool {
        self.gathered_bytes() <= SHORT_WRITE && self.pace.may_be_led(moment)
    }
}
