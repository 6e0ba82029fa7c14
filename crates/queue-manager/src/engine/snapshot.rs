//! A queue manager as it was at one moment, in memory, for tests of applications: taken while it works, and what another start of it
//! begins with.
//!
//! It holds what a restart would find, and nonpersistent messages too. It does not hold temporary queues, nor how often a message was backed out.
//!
//! Invariant: no message is in the hands of a unit of work while it is taken, so that none is missing without a word.

use std::fmt;

use model::definition::queue::DeliverySequence;
use model::definition::{QueueDefinition, QueueKind};
use model::descriptor::Persistence;
use model::name::{QueueManagerName, QueueName};
use model::reason::Reason;
use model::timestamp::Timestamp;
use storage::{DefinitionChange, Placement, Selection, Store, StoreError, StoredMessage, block_on};

use crate::QueueManager;
use crate::definition::{defaults, definitions};
use crate::engine::Engine;
use crate::queue::Queue;
use crate::reason;

pub struct Snapshot {
    queue_manager: QueueManagerName,
    taken: Timestamp,
    pub(super) definitions: Vec<(String, Vec<u8>)>,
    /// In the order of their queues.
    messages: Vec<(QueueName, Vec<StoredMessage>)>,
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot").field("queue_manager", &self.queue_manager).finish_non_exhaustive()
    }
}

impl Snapshot {
    pub fn queue_manager(&self) -> QueueManagerName {
        self.queue_manager
    }

    /// By the clock of the queue manager.
    pub fn taken(&self) -> Timestamp {
        self.taken
    }

    pub fn messages(&self) -> usize {
        self.messages.iter().map(|(_, messages)| messages.len()).sum()
    }

    /// Of message bodies.
    pub fn bytes(&self) -> usize {
        let all = self.messages.iter().flat_map(|(_, messages)| messages);
        all.map(|stored| stored.message.body.len()).sum()
    }

    /// Puts the messages on the queues of a new store.
    ///
    /// # Errors
    /// Those of a put.
    pub(super) fn fill(&self, store: &Store, queues: &[QueueDefinition]) -> Result<(), StoreError> {
        for (name, messages) in &self.messages {
            let Some(queue) = queues.iter().find(|queue| queue.name == *name) else { continue };
            let QueueKind::Local(local) = &queue.kind else { continue };
            for stored in messages {
                let placement = Placement {
                    by_priority: local.message_delivery_sequence == DeliverySequence::Priority,
                    maximum_depth: u32::MAX,
                    expires: stored.expires,
                    persistent: stored.message.descriptor.persistence == Persistence::Persistent,
                };
                let id = storage::QueueId(local.store_id);
                block_on(store.put(None, id, &*stored.message, placement, stored.arrived))?;
            }
        }
        Ok(())
    }
}

impl QueueManager {
    /// # Errors
    /// `EnvironmentError` (2012): it is a member of a queue-sharing group. `UowInProgress` (2128): a unit of work or a delivery has
    /// messages in its hands. 2009, 2102.
    pub async fn take_snapshot(&self) -> Result<Snapshot, Reason> {
        let engine = self.engine();
        if engine.group.is_some() {
            return Err(Reason::EnvironmentError);
        }
        let _change = engine.changes.take().await;
        let mut messages = Vec::new();
        for queue in engine.all_queues() {
            if queue.is_local() && !queue.is_temporary() {
                messages.push((queue.name, messages_of(engine, &queue).await?));
            }
        }
        let taken = engine.now();
        Ok(Snapshot { queue_manager: engine.name, taken, definitions: definitions_of(engine), messages })
    }
}

async fn messages_of(engine: &Engine, queue: &Queue) -> Result<Vec<StoredMessage>, Reason> {
    if engine.store.depth(queue.id).uncommitted > 0 {
        return Err(Reason::UowInProgress);
    }
    let mut messages = Vec::new();
    let mut after = None;
    loop {
        let found = engine.store.browse(queue.id, after, &Selection::default(), engine.now()).await;
        let Some(stored) = found.map_err(|error| reason::of_store(engine, &error))? else { return Ok(messages) };
        after = Some(stored.key);
        messages.push(stored);
    }
}

/// As a recovery log would have them.
fn definitions_of(engine: &Engine) -> Vec<(String, Vec<u8>)> {
    let mut all =
        vec![definitions::save_default_step(defaults::STEP), definitions::save_queue_manager(&engine.definition())];
    let queues = engine.all_queues();
    let lasting = queues.iter().filter(|queue| !queue.is_temporary());
    all.extend(lasting.map(|queue| definitions::save_queue(&queue.definition())));
    all.extend(engine.topics.read().values().map(|topic| definitions::save_topic(topic)));
    all.extend(engine.subscriptions.read().values().map(|one| definitions::save_subscription(one)));
    all.extend(engine.authorities.records().iter().map(definitions::save_authority));
    all.extend(engine.channel_authentications.all().iter().map(definitions::save_channel_authentication));
    all.extend(engine.objects.read().values().map(|object| definitions::save_object(object)));
    let saved = |change| match change {
        DefinitionChange::Save { key, value } => Some((key, value)),
        DefinitionChange::Delete { .. } | DefinitionChange::DropQueue(_) => None,
    };
    all.into_iter().filter_map(saved).collect()
}
