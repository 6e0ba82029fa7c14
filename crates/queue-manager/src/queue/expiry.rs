//! Expiry: messages past their time are never returned; they are discarded when a get passes them and by the scan, with
//! the expiration report they ask for.

use std::collections::VecDeque;
use std::sync::Arc;

use model::descriptor::Expiry;
use model::timestamp::Timestamp;
use storage::{SharedStore, StoreError, StoredMessage};
use tracing::warn;

use crate::engine::Engine;
use crate::engine::housekeeping::Work;
use crate::group::triggers::Why;
use crate::queue::Queue;
use crate::queue::{report, trigger};
use crate::reason;

/// Discards what has expired on any queue; on shared queues one member of the group does it for all. Returns when the next message
/// expires, as far as known.
pub(crate) async fn scan(engine: &Engine) -> Option<Timestamp> {
    let now = engine.now();
    let queues: Vec<_> = {
        let all = engine.queues.read();
        // Other members put to shared queues too.
        for shared in all.values().filter(|queue| queue.id.is_shared()) {
            shared.note_expiry(engine.store.next_expiry(shared.id));
        }
        let is_ours =
            |queue: &Queue| !queue.id.is_shared() || engine.store.shared().is_none_or(SharedStore::has_expiry_duty);
        all.values().filter(|queue| queue.next_expiry().is_some() && is_ours(queue)).cloned().collect()
    };
    let mut next = None;
    for queue in queues {
        if queue.has_expired_messages(now) {
            discard(engine, &queue, now).await;
        }
        next = [next, queue.next_expiry()].into_iter().flatten().min();
    }
    next
}

/// Discards what has expired on one queue.
pub(crate) async fn discard(engine: &Engine, queue: &Arc<Queue>, now: Timestamp) {
    let mut discarding = Discarding { engine, queue, gone: VecDeque::new() };
    // Forgotten first and looked up at the end, so that what is put meanwhile is not overlooked.
    queue.set_next_expiry(None);
    if let Err(error) = discarding.in_parts(now).await {
        warn!(queue = queue.name.as_str(), reason = %reason::of_store(engine, &error), "expired messages could not be removed; the queue manager tries again");
    }
}

/// Goes on with what a dropped task had discarded.
pub(crate) async fn finish(engine: &Engine, queue: &Arc<Queue>, gone: VecDeque<StoredMessage>) {
    Discarding { engine, queue, gone }.report(engine.now()).await;
}

/// A queue whose expired messages are being discarded. Dropped half-way, as with the get that does it, the queue knows
/// again when its next message expires, and housekeeping goes on with those that are gone.
struct Discarding<'a> {
    engine: &'a Engine,
    queue: &'a Arc<Queue>,
    /// Off the queue; still to be counted and reported.
    gone: VecDeque<StoredMessage>,
}

impl Discarding<'_> {
    /// The store gives them up a bounded number at a time.
    async fn in_parts(&mut self, now: Timestamp) -> Result<(), StoreError> {
        loop {
            let discarded = self.engine.store.discard_expired(self.queue.id, now, &mut self.gone).await;
            if discarded.is_err() {
                // The log has failed: whether they are gone is open until the next start.
                self.gone.clear();
            }
            discarded?;
            if self.gone.is_empty() {
                if trigger::is_enabled(self.queue) {
                    self.engine.look_at_shared_triggers(self.queue, Why::Look);
                }
                return Ok(());
            }
            self.report(now).await;
        }
    }

    async fn report(&mut self, now: Timestamp) {
        while let Some(gone) = self.gone.pop_front() {
            self.count();
            report::expired(self.engine, &gone.message, now).await;
        }
    }

    fn count(&self) {
        self.engine.statistics.expired(1);
        if let Some(figures) = self.queue.figures.get() {
            figures.expired(1);
            figures.note_depth(self.queue.depth());
        }
        self.queue.watched(|counts| counts.expired += 1);
    }
}

impl Drop for Discarding<'_> {
    fn drop(&mut self) {
        // Messages that a unit of work holds are noted again at its end.
        self.queue.note_expiry(self.engine.store.next_expiry(self.queue.id));
        if !self.gone.is_empty() {
            self.engine.left_over.push(Work::Expired(self.queue.clone(), std::mem::take(&mut self.gone)));
        }
    }
}

/// MQMD `Expiry` of a message that expires then: at least a tenth of a second, so that it never becomes endless.
pub(crate) fn left(expires: Timestamp, now: Timestamp) -> Expiry {
    let tenths = expires.since(now).as_millis() / 100;
    Expiry(i32::try_from(tenths).unwrap_or(i32::MAX).max(1))
}

/// What is left of a message's life, which went on while it was on its way, and when that ends.
pub(crate) fn remaining(expiry: Expiry, arrived: Timestamp, now: Timestamp) -> (Expiry, Option<Timestamp>) {
    let Some(lifetime) = expiry.duration() else { return (expiry, None) };
    let left = lifetime.saturating_sub(now.since(arrived));
    let tenths = i32::try_from(left.as_millis().div_ceil(100)).unwrap_or(i32::MAX);
    (Expiry(tenths.max(1)), Some(now.saturating_add(left)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_that_a_message_was_on_its_way_is_taken_from_its_life() {
        let at = |seconds: u64| Timestamp(seconds * 1_000_000);
        assert_eq!(remaining(Expiry::UNLIMITED, at(1), at(9)), (Expiry::UNLIMITED, None));
        assert_eq!(remaining(Expiry(100), at(1), at(4)), (Expiry(70), Some(at(11))));
        assert_eq!(remaining(Expiry(100), at(1), at(40)), (Expiry(1), Some(at(40))));
    }
}
