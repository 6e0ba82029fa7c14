//! How a member comes to know its group: it meets the database, reads the group's definitions, and reads them again when they change.
//!
//! What another member has defined is shown here as if it had been defined here, one change at a time, in the order of versions.
//!
//! Never: changes what is in the database. A definition that this version cannot read is passed over, with a line of the log.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use model::authority::{AuthorityObject, Principal};
use model::definition::queue::Disposition;
use model::definition::{AdministeredObject, QueueDefinition};
use model::name::{ObjectName, QueueName};
use storage::shared::{GroupDefinition, GroupDisposition, SharedStore};
use storage::{QueueId, StoreError};
use tracing::{info, warn};

use crate::QueueManager;
use crate::definition::definitions::wake_waiters;
use crate::definition::queue_objects;
use crate::engine::{Engine, Phase};
use crate::group::master::{self, Key, Master};
use crate::group::triggers::Why;
use crate::group::{Group, moving};
use crate::queue::Queue;

/// Before the database is tried again.
const AGAIN: Duration = Duration::from_secs(1);

impl QueueManager {
    /// Waits for the group's database, ends what a crash has left there, and learns the group's definitions. Of a queue manager in
    /// no group, and of a group that lives in this process alone, there is nothing to do.
    ///
    /// # Errors
    /// The database cannot be reached; `run` tries again.
    pub async fn join_group(&self) -> Result<(), StoreError> {
        let engine = self.engine();
        let (Some(group), Some(shared)) = (&engine.group, engine.store.shared()) else { return Ok(()) };
        engine.store.meet_group().await?;
        self.read_definitions(group, shared).await
    }

    /// Follows the group until the queue manager stops.
    pub(crate) async fn follow_group(&self) {
        let engine = self.engine();
        let Some(group) = engine.group.as_ref().filter(|_| engine.store.shared().is_some()) else {
            return std::future::pending().await;
        };
        let mut is_joined = false;
        while engine.phase() < Phase::Stopping {
            match self.join_group().await {
                Ok(()) if is_joined => {}
                Ok(()) => {
                    is_joined = true;
                    info!(queue_manager = engine.name.as_str(), group = group.name.as_str(), "joined the group");
                }
                Err(error) => {
                    let queue_manager = engine.name.as_str();
                    warn!(queue_manager, group = group.name.as_str(), %error, "the group cannot be followed; trying again");
                    tokio::time::sleep(AGAIN).await;
                    continue;
                }
            }
            self.continue_moves().await;
            let changed = group.changed.notified();
            // A part of a unit of work that waits for a database is looked at again.
            match engine.store.waits_for_group() || self.has_moves() {
                true => drop(tokio::time::timeout(AGAIN, changed).await),
                false => changed.await,
            }
        }
    }

    async fn read_definitions(&self, group: &Group, shared: &SharedStore) -> Result<(), StoreError> {
        let engine = self.engine();
        let mut copies = Vec::new();
        // Read without the turn: the database may be slow.
        let changes = shared.definitions_after(group.definitions.seen()).await?;
        {
            let _change = engine.changes.take().await;
            for changed in changes.into_iter().filter(|changed| changed.version > group.definitions.seen()) {
                if let Some(key) = apply(engine, group, &changed).await? {
                    copies.push(key);
                }
                let version = changed.value.as_ref().map(|_| changed.version);
                group.definitions.saw(&changed.key, version, changed.version);
            }
            group.definitions.saw_all();
        }
        let caller = Principal::administrator(&engine.authorities.server_user);
        for key in copies {
            self.copy_follows(&caller, key).await;
        }
        Ok(())
    }
}

/// Shows one change. Gives the key of a master, whose copy has to follow.
async fn apply(engine: &Engine, group: &Group, changed: &GroupDefinition) -> Result<Option<Key>, StoreError> {
    let Some((kind, name)) = changed.key.split_once('/') else { return Ok(None) };
    let Ok(name) = ObjectName::parse(name) else { return Ok(None) };
    match (kind, changed.disposition) {
        ("cfstruct", _) => show_structure(engine, name, changed),
        ("queue", GroupDisposition::Shared) => return show_shared(engine, &name, changed).await.map(|()| None),
        (kind, GroupDisposition::Group) if let Some(family) = master::family(kind) => {
            match read_master(changed) {
                Some(master) => group.definitions.show(master),
                None => group.definitions.forget((family, name)),
            }
            return Ok(Some((family, name)));
        }
        _ => warn!(key = changed.key, "this version does not know a definition of the group; it is passed over"),
    }
    Ok(None)
}

/// `None`: it was deleted, or this version cannot read it.
fn read<T: serde::de::DeserializeOwned>(changed: &GroupDefinition) -> Option<T> {
    let read = serde_json::from_slice(changed.value.as_ref()?);
    read.inspect_err(|error| warn!(key = changed.key, %error, "a definition of the group cannot be read")).ok()
}

fn read_master(changed: &GroupDefinition) -> Option<Master> {
    let read = Master::read(&changed.key, changed.value.as_ref()?);
    read.inspect_err(|error| warn!(key = changed.key, %error, "a definition of the group cannot be read")).ok()?
}

fn show_structure(engine: &Engine, name: ObjectName, changed: &GroupDefinition) {
    let key = (AuthorityObject::Structure, name);
    match read::<AdministeredObject>(changed) {
        Some(structure) => drop(engine.objects.write().insert(key, Arc::new(structure))),
        None => drop(engine.objects.write().remove(&key)),
    }
}

async fn show_shared(engine: &Engine, name: &QueueName, changed: &GroupDefinition) -> Result<(), StoreError> {
    let here = engine.queue(name);
    if here.as_ref().is_some_and(|queue| queue.definition().disposition != Disposition::Shared) {
        warn!(queue = name.as_str(), "a shared queue is not shown: the queue manager has a queue of that name");
        return Ok(());
    }
    let definition = read::<QueueDefinition>(changed);
    let id = definition.as_ref().and_then(|definition| definition.as_local()).map(|local| QueueId(local.store_id));
    if let Some(queue) = &here
        && id != Some(queue.id)
    {
        let was = queue.definition().history.created;
        if let (Some(definition), Some(id)) = (&definition, id)
            && definition.history.created == was
        {
            engine.store.know_queue(id).await?;
            moving::show_moved(engine, queue, definition.clone());
            return Ok(());
        }
        // Deleted, and perhaps defined again.
        engine.remove_queue(queue);
        queue.delete_regardless();
    }
    let (Some(definition), Some(id)) = (definition, id) else { return Ok(()) };
    match here.filter(|queue| queue.id == id) {
        Some(queue) => {
            let before = queue.definition();
            if *before != definition {
                // Another member has forced it.
                let breaks_handles = queue_objects::concerns_open_handles(&queue, &before, &definition);
                engine.show_queue(&queue, definition);
                queue.forced_changes.fetch_add(u32::from(breaks_handles), Ordering::AcqRel);
                wake_waiters(engine, &queue, &before);
                // Who has switched triggering on has begun the event.
                engine.look_at_shared_triggers(&queue, Why::Look);
            }
        }
        None => {
            engine.store.know_queue(id).await?;
            engine.add_queue(Arc::new(Queue::recovered(definition, &engine.store)));
        }
    }
    Ok(())
}
