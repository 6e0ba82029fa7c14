//! What this member knows of each shared queue without asking: its depth, when a message expires, how old the first is.
//!
//! What this member's lanes have added and taken is known exactly; what the others have is read again a few times a second.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};

use model::timestamp::Timestamp;
use parking_lot::RwLock;

use crate::private::{MessageCount, MessageCounts};
use crate::shared::handles::Handles;
use crate::shared::low_water::LowWater;
use crate::{Depth, QueueId, StoreError};

/// No message expires.
const NEVER: u64 = u64::MAX;

/// One queue's figures.
pub(super) struct Figures {
    pub(super) queue: QueueId,
    count: MessageCount,
    /// Committed by this member's lanes: messages added less those taken, over all its lives.
    own: AtomicI64,
    /// `own` and `staged` together, in one step where a message goes from one to the other: what MAXDEPTH is compared with.
    here: AtomicI64,
    own_bytes: AtomicI64,
    others: AtomicI64,
    others_bytes: AtomicI64,
    /// Put by units of work that are open here, or on their way: one for each `Staged`.
    /// Verbs under way here that take messages.
    taking: AtomicI64,
    /// The queue moves to another database.
    is_suspended: AtomicBool,
    staged: AtomicI64,
    /// Put by this member's prepared units of work; they are in `own` too.
    prepared: AtomicI64,
    /// Got by units of work that are open here or prepared.
    claimed: AtomicI64,
    next_expiry: AtomicU64,
    /// Arrival of the first message; 0 when there is none.
    oldest: AtomicU64,
    /// Since it was asked last.
    is_used: AtomicBool,
    pub(super) handles: Handles,
    pub(super) low_water: LowWater,
    /// Where the first message was when the queue was counted last, for those who count it.
    pub(super) beginning: LowWater,
}

/// Those of all queues that this member knows.
#[derive(Default)]
pub(super) struct AllFigures {
    queues: RwLock<HashMap<QueueId, Arc<Figures>>>,
    counts: MessageCounts,
}

impl AllFigures {
    pub(super) fn know(&self, queue: QueueId) -> Arc<Figures> {
        if let Some(known) = self.of(queue) {
            return known;
        }
        let mut queues = self.queues.write();
        Arc::clone(queues.entry(queue).or_insert_with(|| Arc::new(Figures::new(queue, self.counts.of(queue)))))
    }

    pub(super) fn of(&self, queue: QueueId) -> Option<Arc<Figures>> {
        self.queues.read().get(&queue).cloned()
    }

    pub(super) fn forget(&self, queue: QueueId) {
        self.queues.write().remove(&queue);
    }

    pub(super) fn all(&self) -> Vec<Arc<Figures>> {
        self.queues.read().values().cloned().collect()
    }
}

impl Figures {
    fn new(queue: QueueId, count: MessageCount) -> Self {
        Self {
            queue,
            count,
            own: AtomicI64::new(0),
            here: AtomicI64::new(0),
            own_bytes: AtomicI64::new(0),
            others: AtomicI64::new(0),
            others_bytes: AtomicI64::new(0),
            taking: AtomicI64::new(0),
            is_suspended: AtomicBool::new(false),
            staged: AtomicI64::new(0),
            prepared: AtomicI64::new(0),
            claimed: AtomicI64::new(0),
            next_expiry: AtomicU64::new(NEVER),
            oldest: AtomicU64::new(0),
            is_used: AtomicBool::new(true),
            handles: Handles::default(),
            low_water: LowWater::default(),
            beginning: LowWater::default(),
        }
    }

    /// Those staged here counted.
    pub(super) fn current(&self) -> u32 {
        let messages = self.here.load(Ordering::Relaxed) + self.others.load(Ordering::Relaxed);
        u32::try_from(messages.max(0)).unwrap_or(u32::MAX)
    }

    pub(super) fn depth(&self) -> Depth {
        let uncommitted = [&self.staged, &self.prepared, &self.claimed]
            .map(|count| count.load(Ordering::Relaxed))
            .iter()
            .sum::<i64>();
        let bytes = self.own_bytes.load(Ordering::Relaxed) + self.others_bytes.load(Ordering::Relaxed);
        let oldest = self.oldest.load(Ordering::Relaxed);
        Depth {
            current: self.current(),
            uncommitted: u32::try_from(uncommitted.max(0)).unwrap_or(u32::MAX),
            oldest: (oldest > 0).then_some(Timestamp(oldest)),
            bytes: u64::try_from(bytes.max(0)).unwrap_or(0),
            ..Depth::default()
        }
    }

    /// Somebody works with the queue here: the others' part of its depth is read often.
    pub(super) fn use_it(&self) {
        if !self.is_used.load(Ordering::Relaxed) {
            self.is_used.store(true, Ordering::Relaxed);
        }
    }

    pub(super) fn was_used(&self) -> bool {
        self.is_used.swap(false, Ordering::Relaxed)
    }

    pub(super) fn count(&self) -> MessageCount {
        self.count.clone()
    }

    /// A lane's transaction has been committed. `landed`: so many of the messages that it has added were staged here.
    pub(super) fn committed(&self, messages: i64, bytes: i64, landed: i64) {
        self.here.fetch_add(messages - landed, Ordering::Relaxed);
        self.own.fetch_add(messages, Ordering::Relaxed);
        self.own_bytes.fetch_add(bytes, Ordering::Relaxed);
        self.staged.fetch_sub(landed, Ordering::SeqCst);
        self.show();
    }

    /// Counts a put that is staged or on its way, if the queue has room. Answers how many messages there were.
    pub(super) fn reserve(self: &Arc<Self>, maximum: u32) -> Option<(Staged, u32)> {
        let there = self.here.fetch_add(1, Ordering::SeqCst) + self.others.load(Ordering::Relaxed);
        let there = u32::try_from(there.max(0)).unwrap_or(u32::MAX);
        if there >= maximum {
            self.here.fetch_sub(1, Ordering::SeqCst);
            return None;
        }
        self.staged.fetch_add(1, Ordering::SeqCst);
        self.show();
        Some((Staged { figures: Arc::clone(self), is_landed: AtomicBool::new(false) }, there))
    }

    /// What this member does on the queue at this moment, which those who close it must wait for: puts, and verbs that take messages.
    pub(super) fn staged_now(&self) -> i64 {
        self.staged.load(Ordering::SeqCst) + self.taking.load(Ordering::SeqCst)
    }

    /// The queue moves, and gets no new work here; or again.
    pub(super) fn set_suspended(&self, suspended: bool) {
        self.is_suspended.store(suspended, Ordering::SeqCst);
    }

    /// Counts a verb that takes messages, as long as it lasts.
    ///
    /// # Errors
    /// `QueueMoves`.
    pub(super) fn take_part(self: &Arc<Self>) -> Result<Taking, StoreError> {
        self.taking.fetch_add(1, Ordering::SeqCst);
        let taking = Taking(Arc::clone(self));
        // In this order: who suspends the queue looks at the counts afterwards.
        taking.0.check_at_work()?;
        Ok(taking)
    }

    /// # Errors
    /// `QueueMoves`.
    pub(super) fn check_at_work(&self) -> Result<(), StoreError> {
        if self.is_suspended.load(Ordering::SeqCst) { Err(StoreError::QueueMoves) } else { Ok(()) }
    }

    pub(super) fn prepared(&self, messages: i64) {
        self.prepared.fetch_add(messages, Ordering::Relaxed);
    }

    pub(super) fn claimed(&self, messages: i64) {
        self.claimed.fetch_add(messages, Ordering::Relaxed);
    }

    /// As the database says it: what the others have added, and at a start what this member had.
    pub(super) fn set_others(&self, messages: i64, bytes: i64) {
        self.others.store(messages, Ordering::Relaxed);
        self.others_bytes.store(bytes, Ordering::Relaxed);
        self.show();
    }

    pub(super) fn set_own(&self, messages: i64, bytes: i64) {
        let before = self.own.swap(messages, Ordering::Relaxed);
        self.here.fetch_add(messages - before, Ordering::Relaxed);
        self.own_bytes.store(bytes, Ordering::Relaxed);
        self.show();
    }

    pub(super) fn next_expiry(&self) -> Option<Timestamp> {
        Some(self.next_expiry.load(Ordering::Relaxed)).filter(|&at| at != NEVER).map(Timestamp)
    }

    /// A message with this time has been put here.
    pub(super) fn expires(&self, at: Option<Timestamp>) {
        if let Some(at) = at {
            self.next_expiry.fetch_min(at.0, Ordering::Relaxed);
        }
    }

    pub(super) fn set_next_expiry(&self, at: Option<Timestamp>) {
        self.next_expiry.store(at.map_or(NEVER, |at| at.0), Ordering::Relaxed);
    }

    pub(super) fn set_oldest(&self, at: Option<Timestamp>) {
        self.oldest.store(at.map_or(0, |at| at.0), Ordering::Relaxed);
    }

    fn show(&self) {
        self.count.set(self.current() as usize);
    }
}

/// A verb that takes messages.
pub(super) struct Taking(Arc<Figures>);

impl Drop for Taking {
    fn drop(&mut self) {
        self.0.taking.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A put of this member that counts before its message is in the table: so a queue is not overfilled by many at once, and no peer
/// deletes it. Dropped without having landed, the put will never be made.
pub(super) struct Staged {
    figures: Arc<Figures>,
    is_landed: AtomicBool,
}

impl Staged {
    /// The message is in the table: whoever counts the batch counts it.
    pub(super) fn land(&self, expires: Option<Timestamp>) {
        self.is_landed.store(true, Ordering::Relaxed);
        self.figures.expires(expires);
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if !*self.is_landed.get_mut() {
            self.figures.here.fetch_sub(1, Ordering::SeqCst);
            self.figures.staged.fetch_sub(1, Ordering::SeqCst);
            self.figures.show();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_put_counts_once_from_before_it_is_staged_until_it_is_got_also_while_its_batch_is_being_answered() {
        let all = AllFigures::default();
        let queue = all.know(QueueId(1 << 31 | 1));
        let (first, before) = queue.reserve(2).expect("there is room");
        assert_eq!((before, queue.current(), queue.staged_now()), (0, 1, 1));
        first.land(None);
        queue.committed(1, 8, 1);
        // The lane has not told its caller yet.
        assert_eq!((queue.current(), queue.staged_now()), (1, 0));
        let (second, before) = queue.reserve(2).expect("one message leaves room for another one");
        assert_eq!(before, 1);
        drop(first);
        assert!(queue.reserve(2).is_none());
        drop(second);
        assert_eq!((queue.current(), queue.staged_now()), (1, 0), "what is given up counts no more");
        queue.committed(-1, -8, 0);
        assert_eq!((queue.current(), queue.depth().uncommitted), (0, 0));
    }
}
