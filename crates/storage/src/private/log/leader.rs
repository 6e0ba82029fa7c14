//! Threads that write the log themselves once they have run out of tasks, so that nobody has to be woken for it.
//!
//! A thread that runs tasks calls `before_sleep` each time before it sleeps. What its tasks have appended since is in a
//! batch by then, and most of its tasks wait for that batch: the thread writes and syncs it, and goes on with the tasks
//! this releases. Handing the batch to the writer thread instead costs two wake-ups between processors, which is more
//! than the write itself on a disk with a short sync. A sync is short when the last one was; after a long one the writer
//! thread does the work, so that a slow disk never holds up connections that do not wait for it.
//!
//! Invariants
//! - One batch is in flight, whoever writes it (`State::is_writing`).
//! - What is left to a leader is never left for good: the writer thread looks again after [`OVERDUE`], whatever the
//!   leader does meanwhile.

use std::cell::RefCell;
use std::sync::{Arc, Weak};
use std::time::Duration;

use crate::private::log::writer::Log;

/// Most gathered bytes that a thread writes itself.
const SHORT_WRITE: usize = 256 << 10;
/// How long a batch is left to the thread that appended to it.
pub(super) const OVERDUE: Duration = Duration::from_millis(1);

#[derive(Default)]
struct Leader {
    /// This thread calls `before_sleep`.
    leads: bool,
    /// Logs with units that this thread appended and left to itself.
    left: Vec<Weak<Log>>,
}

thread_local! {
    static LEADER: RefCell<Leader> = RefCell::default();
}

/// For threads that run tasks: to be called each time no task is ready, before the thread sleeps. Blocks for a short
/// write and sync at most; tasks it releases are woken before it returns.
pub fn before_sleep() {
    LEADER.with_borrow_mut(|leader| leader.leads = true);
    write_what_is_left();
}

/// What this thread has left to itself; nothing, if it does not lead.
pub(super) fn write_what_is_left() {
    let left = LEADER.with_borrow_mut(|leader| std::mem::take(&mut leader.left));
    for log in left.iter().filter_map(Weak::upgrade) {
        log.lead();
    }
}

/// Does this thread call `before_sleep`? If so, it will write this log then.
pub(super) fn leave(log: &Weak<Log>) -> bool {
    LEADER.with_borrow_mut(|leader| {
        if leader.leads && !leader.left.iter().any(|other| other.ptr_eq(log)) {
            leader.left.push(Weak::clone(log));
        }
        leader.leads
    })
}

impl Log {
    /// Writes what is gathered, unless somebody does already or it is too much for a thread that has other things to do.
    fn lead(self: &Arc<Self>) {
        let mut state = self.state.lock();
        if state.is_writing || self.has_failed() || state.gathered.is_empty() {
            return;
        }
        if state.gathered_bytes() > SHORT_WRITE || !state.crowd.is_short() {
            state.hand_over();
            drop(state);
            self.work.notify_one();
            return;
        }
        if !state.is_due(state.crowd.returning()) {
            // Those whom the last sync released are on their way; this thread will come here again.
            leave(&self.this);
            return;
        }
        let Some(batch) = state.take_batch() else { return };
        drop(state);
        self.write_out(batch);
    }
}
