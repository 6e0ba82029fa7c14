//! What the group's store tells: messages that other members have made available, and changes of the group's definitions.
//!
//! A member's own puts wake its waiters as on a private queue. What another member does, the store tells by the number of the
//! queue: everybody who waits there looks again.

use std::sync::{Arc, Weak};

use storage::QueueId;

use crate::engine::Engine;
use crate::group::triggers::Why;
use crate::queue::trigger;

impl Engine {
    /// Something may have become available on a shared queue without this member's doing.
    fn arrived_elsewhere(&self, queue: QueueId) {
        let found = self.group.as_ref().and_then(|group| group.queues.read().get(&queue).cloned());
        if let Some(queue) = found {
            queue.waiters.wake_all();
            if trigger::is_enabled(&queue) {
                self.look_at_shared_triggers(&queue, Why::Look);
            }
        }
    }

    fn group_changed(&self) {
        if let Some(group) = &self.group {
            group.changed.notify_one();
        }
    }
}

/// From now on the store tells the engine.
pub(crate) fn listen(engine: &Arc<Engine>) {
    let Some(shared) = engine.store.shared() else { return };
    let told: Weak<Engine> = Arc::downgrade(engine);
    shared.listen_to_arrivals(Box::new(move |queue| {
        if let Some(engine) = told.upgrade() {
            engine.arrived_elsewhere(queue);
        }
    }));
    let told: Weak<Engine> = Arc::downgrade(engine);
    shared.listen_to_definitions(Box::new(move |_| {
        if let Some(engine) = told.upgrade() {
            engine.group_changed();
        }
    }));
}
