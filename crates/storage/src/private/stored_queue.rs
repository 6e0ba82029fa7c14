//! One queue of the store, kept by those who look at it again and again: it need not be found each time.
//!
//! Never: changes anything, or keeps a queue from being deleted. One that was deleted is seen as it was last.

use std::sync::Arc;

use model::timestamp::Timestamp;

use crate::private::store::QueueSlot;

/// Each look locks the queue and reads one figure: cheaper than `PrivateStore::depth`, of which lists ask thousands.
#[derive(Clone)]
pub struct StoredQueue(Arc<QueueSlot>);

impl StoredQueue {
    pub(super) fn new(slot: Arc<QueueSlot>) -> Self {
        Self(slot)
    }

    /// Bytes of bodies.
    pub fn bytes(&self) -> u64 {
        self.0.queue.lock().bytes()
    }

    /// Messages put or got, and not yet committed.
    pub fn uncommitted(&self) -> u32 {
        self.0.queue.lock().uncommitted()
    }

    /// Arrival of the oldest message still there.
    pub fn oldest(&self) -> Option<Timestamp> {
        self.0.queue.lock().oldest()
    }
}
