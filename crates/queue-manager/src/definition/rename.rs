//! Gives the queue manager in a recovery log another name, for a backup that is restored under that name.
//!
//! What says "this queue manager" by its name follows: the definition itself, and the destinations of subscriptions. It
//! gets an identifier (QMID) of its own. What names a queue manager elsewhere stays: remote queues, channels, messages.

use std::sync::Arc;

use model::name::QueueManagerName;
use model::timestamp::Timestamp;
use storage::private::log::disk::Disk;
use storage::{DefinitionChange, Store, StoreOptions, block_on};

use crate::StartError;
use crate::definition::defaults;
use crate::definition::definitions::{self, Saved};

/// Reads the log as a start does, and renames its queue manager if that has another name.
///
/// # Errors
/// As a start's.
pub fn rename(
    disk: Arc<dyn Disk>,
    options: StoreOptions,
    name: QueueManagerName,
    now: Timestamp,
) -> Result<(), StartError> {
    let (store, recovered) = Store::open(disk, options).map_err(|source| StartError::RecoveryLog { name, source })?;
    let changes = changes(definitions::read(name, recovered.definitions)?, name, now);
    let changed = if changes.is_empty() { Ok(()) } else { block_on(store.change_definitions(changes)) };
    store.close();
    changed.map_err(|source| StartError::Write { name, source })
}

fn changes(saved: Saved, name: QueueManagerName, now: Timestamp) -> Vec<DefinitionChange> {
    let Some(mut definition) = saved.queue_manager.filter(|definition| definition.name != name) else {
        return Vec::new();
    };
    let before = std::mem::replace(&mut definition.name, name);
    definition.identifier = defaults::queue_manager(name, now).identifier;
    let mut changes = vec![definitions::save_queue_manager(&definition)];
    for subscription in saved.subscriptions.into_values() {
        if subscription.destination_queue_manager == before {
            let mut subscription = Arc::unwrap_or_clone(subscription);
            subscription.destination_queue_manager = name;
            changes.push(definitions::save_subscription(&subscription));
        }
    }
    changes
}
