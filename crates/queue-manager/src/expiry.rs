//! Expiry: messages past their time are never returned; they are discarded when a get passes them and by the scan, with
//! the expiration report they ask for.

use std::sync::Arc;

use model::timestamp::Timestamp;
use storage::StoreError;
use tracing::warn;

use crate::engine::Engine;
use crate::queue::Queue;
use crate::{reason, report};

/// Discards what has expired on any queue. Returns when the next message expires, as far as known.
pub(crate) async fn scan(engine: &Engine) -> Option<Timestamp> {
    let now = engine.now();
    let queues: Vec<_> = {
        let all = engine.queues.read();
        all.values().filter(|queue| queue.next_expiry().is_some()).cloned().collect()
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
    // Forgotten first and looked up afterwards, so that what is put meanwhile is not overlooked.
    queue.set_next_expiry(None);
    let discarded = discard_in_parts(engine, queue, now).await;
    // Messages that a unit of work holds are noted again at its end.
    queue.note_expiry(engine.store.next_expiry(queue.id));
    if let Err(error) = discarded {
        warn!(queue = queue.name.as_str(), reason = %reason::of_store(&error), "expired messages stay for now");
    }
}

/// The store gives them up a bounded number at a time.
async fn discard_in_parts(engine: &Engine, queue: &Arc<Queue>, now: Timestamp) -> Result<(), StoreError> {
    loop {
        let expired = engine.store.discard_expired(queue.id, now).await?;
        if expired.is_empty() {
            return Ok(());
        }
        note(engine, queue, expired.len());
        for gone in expired {
            report::expired(engine, &gone.message, now).await;
        }
    }
}

fn note(engine: &Engine, queue: &Queue, messages: usize) {
    let messages = u64::try_from(messages).unwrap_or(u64::MAX);
    engine.statistics.expired(messages);
    if let Some(figures) = queue.figures.get() {
        figures.expired(messages);
        figures.note_depth(queue.depth());
    }
}
