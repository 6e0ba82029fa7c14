//! Handles of shared queues, as the whole group counts them.
//!
//! What this member has open is in `Queue::in_use`, as for a private queue. The store tells the group the highest level of it, and asks
//! whether another member is in the way.
//!
//! Invariant: a handle is counted in the group before it is counted here, and until it is not counted here any more.

use std::time::Duration;

use model::options::OpenOptions;
use model::reason::Reason;
use storage::shared::{OpenLevel, QueueHandle};
use storage::{QueueId, StoreError};

use crate::engine::Engine;
use crate::queue::Queue;
use crate::reason;

/// A member tells the others about a second later that nothing has a queue open any more.
const LINGERS: u32 = 10;
const STEP: Duration = Duration::from_millis(250);

/// Opens a queue in the group, if it is a shared one.
///
/// # Errors
/// `ObjectInUse` (2042): another handle for input is in the way. `UnknownObjectName` (2085): another member has deleted it.
/// `CfNotAvailable` (2345).
pub(crate) async fn open(
    engine: &Engine,
    queue: &Queue,
    options: OpenOptions,
    shareable: bool,
) -> Result<Option<QueueHandle>, Reason> {
    let level = if options.contains(OpenOptions::INPUT_EXCLUSIVE) {
        OpenLevel::Exclusive
    } else if !options.contains(OpenOptions::INPUT_SHARED) {
        OpenLevel::Open
    } else if shareable {
        OpenLevel::Input
    } else {
        // NOSHARE: one handle for input in the whole group.
        OpenLevel::Exclusive
    };
    engine.store.open_queue(queue.id, level).await.map_err(|error| match error {
        StoreError::UnknownQueue => Reason::UnknownObjectName,
        error => reason::of_store(engine, &error),
    })
}

/// Patience with queues that are open at another member without input: that may be over, and be told in a moment.
pub(super) struct Lingering(u32);

impl Lingering {
    pub(super) fn new() -> Self {
        Self(0)
    }

    /// Waits a moment, and says whether to ask once more how the queue is open.
    pub(super) async fn asks_again(&mut self, level: OpenLevel) -> bool {
        if level != OpenLevel::Open || self.0 == LINGERS {
            return false;
        }
        self.0 += 1;
        tokio::time::sleep(STEP).await;
        true
    }
}

/// The highest level at which other members have a queue open.
///
/// # Errors
/// `CfNotAvailable` (2345).
pub(crate) async fn elsewhere(engine: &Engine, queue: QueueId) -> Result<OpenLevel, Reason> {
    if !queue.is_shared() {
        return Ok(OpenLevel::Closed);
    }
    let mut lingering = Lingering::new();
    loop {
        let opened = engine.store.opened_elsewhere(queue).await;
        let level = opened.map_err(|error| reason::of_store_at_large(engine, &error))?;
        if !lingering.asks_again(level).await {
            return Ok(level);
        }
    }
}
