//! Messages that cannot be delivered, because they cannot be read back from disk or no definition of their queue is left: told
//! once in the log, listed, exported and removed by an operator.
//!
//! The store sets them aside, at the start or when a get or browse meets one; get and browse go on with the next message.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use model::causes::chain;
use model::identifier::MessageId;
use model::name::{QueueManagerName, QueueName};
use model::reason::Reason;
use model::timestamp::Timestamp;
use storage::private::UndefinedQueue;
use storage::{Quarantined, QueueId, RecoveryLogError};
use tracing::error;

use crate::engine::Engine;
use crate::{QueueManager, reason};

/// A message that cannot be delivered.
#[derive(Debug, Clone)]
pub struct QuarantinedMessage {
    /// `None` when no definition of the queue is left.
    pub queue: Option<QueueName>,
    /// Number of the queue in the recovery log.
    pub queue_number: u32,
    /// Unique in the queue manager, and the same after a restart.
    pub key: u64,
    pub message_id: MessageId,
    pub arrived: Timestamp,
    /// Length of the body in bytes, as it was put.
    pub length: u32,
    /// Of the recovery log's directory.
    pub file: String,
}

impl QueueManager {
    /// Messages that could not be read back since the start, and those whose queue has no definition, by queue in delivery
    /// order.
    pub fn quarantine(&self) -> Vec<QuarantinedMessage> {
        let engine = self.engine();
        let set_aside = engine.store.quarantine();
        if set_aside.is_empty() {
            return Vec::new();
        }
        let queues = engine.all_queues();
        let names: HashMap<QueueId, QueueName> =
            queues.iter().filter(|queue| queue.is_local()).map(|queue| (queue.id, queue.name)).collect();
        let named = |message: Quarantined| QuarantinedMessage {
            queue: names.get(&message.queue).copied(),
            queue_number: message.queue.0,
            key: message.key.position.0,
            message_id: message.message_id,
            arrived: message.arrived,
            length: message.length,
            file: message.file,
        };
        set_aside.into_iter().map(named).collect()
    }

    /// The body as far as it can be read, unchecked; `None` when no message in quarantine has this key.
    pub async fn salvage(&self, key: u64) -> Option<Bytes> {
        let message = self.quarantined(key)?;
        self.engine().store.salvage(message.queue, message.key).await
    }

    /// Removes a message in quarantine for good. False when none has this key.
    ///
    /// # Errors
    /// As of a get outside a unit of work: `ResourceProblem` (2102), `QMgrStopping` (2162).
    pub async fn remove_quarantined(&self, key: u64) -> Result<bool, Reason> {
        let Some(message) = self.quarantined(key) else { return Ok(false) };
        let removed = self.engine().store.remove_quarantined(message.queue, message.key).await;
        removed.map_err(|error| reason::of_store_at_large(self.engine(), &error))
    }

    fn quarantined(&self, key: u64) -> Option<Quarantined> {
        self.engine().store.quarantine().into_iter().find(|message| message.key.position.0 == key)
    }
}

/// Tells the operator of each message as the store sets it aside.
pub(crate) fn tell(engine: &Arc<Engine>) {
    let told = Arc::downgrade(engine);
    engine.store.listen_to_quarantine(Box::new(move |message, cause| {
        if let Some(engine) = told.upgrade() {
            say(&engine, message, cause);
        }
    }));
}

/// One line for one message.
pub(crate) fn say(engine: &Engine, message: &Quarantined, cause: &RecoveryLogError) {
    let queue = name_of(engine, message);
    error!(
        queue_manager = engine.name.as_str(),
        queue = queue.as_ref().map_or("", QueueName::as_str),
        key = message.key.position.0,
        message_id = %message.message_id,
        file = message.file,
        error = chain(cause),
        "a message cannot be read from disk and is set aside; its queue goes on; see quaymaster log quarantine list"
    );
}

/// One line for all queues.
pub(crate) fn say_undefined(queue_manager: QueueManagerName, queues: &[UndefinedQueue]) {
    if queues.is_empty() {
        return;
    }
    let each: Vec<String> = queues.iter().map(|queue| format!("{}: {}", queue.id.0, queue.messages)).collect();
    error!(
        queue_manager = queue_manager.as_str(),
        queues = each.join(", "),
        "no definition is left of queues that hold messages, shown by number and count; the messages are kept; see quaymaster log \
         quarantine list"
    );
}

fn name_of(engine: &Engine, message: &Quarantined) -> Option<QueueName> {
    engine.all_queues().iter().find(|queue| queue.is_local() && queue.id == message.queue).map(|queue| queue.name)
}
