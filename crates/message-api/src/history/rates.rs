//! Messages a second of each queue, between the last two looks of the history.
//!
//! Invariant: a queue that was not looked at twice has no rate. One that was, and has not changed, has the rate 0.

use std::cell::Cell;

use model::name::{QueueManagerName, QueueName};
use parking_lot::{MappedMutexGuard, MutexGuard};

use super::History;
use super::sampler::Seen;

/// The rates of one queue manager. While it is held, the history takes no samples.
pub struct Rates<'a> {
    seen: MappedMutexGuard<'a, Seen>,
    /// Milliseconds between the last two looks.
    length: u64,
    /// Where the next queue in order of names is.
    next: Cell<usize>,
}

/// Tenths of messages a second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    pub puts: u64,
    pub gets: u64,
}

impl History {
    /// `None`: nothing is kept, or the queue manager was not looked at twice.
    pub fn rates(&self, queue_manager: &QueueManagerName) -> Option<Rates<'_>> {
        let seen = MutexGuard::try_map(self.state.lock(), |state| state.as_mut()?.seen.get_mut(queue_manager)).ok()?;
        let length = seen.last.filter(|_| seen.is_running).map_or(0, |last| last.length);
        (length > 0).then(|| Rates { seen, length, next: Cell::new(0) })
    }
}

impl Rates<'_> {
    /// Fastest for queues in order of names.
    pub fn of(&self, queue: &QueueName) -> Option<Rate> {
        let queues = self.seen.queues();
        let expected = self.next.get();
        let place = match queues.get(expected) {
            Some(seen) if seen.name == *queue => expected,
            _ => queues.binary_search_by_key(queue, |seen| seen.name).ok()?,
        };
        self.next.set(place + 1);
        let [puts, gets] = queues[place].between(self.seen.last?);
        let rate = |count: u32| (u64::from(count) * 10_000 + self.length / 2) / self.length;
        Some(Rate { puts: rate(puts), gets: rate(gets) })
    }
}
