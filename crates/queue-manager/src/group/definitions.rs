//! Definitions that belong to the group: shared queues, masters (QSGDISP(GROUP)), and structures.
//!
//! They are in the group's database, under the key that a recovery log has for the object, and every member reads what has changed
//! (`joining.rs`). Of a group that lives in one process alone they are in its recovery log. This module is the one place that knows so.
//!
//! ```text
//! queue/NAME      a shared queue, or a master, of which each member has a copy of its own
//! topic/NAME, channel/NAME, clntconn/NAME, process/NAME, namelist/NAME, authinfo/NAME   masters
//! cfstruct/NAME   a structure
//! ```
//!
//! Invariant: a change names the version of the object that it rests on, so that of two members that change it at once one is refused.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use model::authority::AuthorityObject;
use model::name::ObjectName;
use model::reason::Reason;
use parking_lot::{Mutex, RwLock};
use storage::shared::{Deletion, GroupDisposition};
use storage::{DefinitionChange, StoreError};

use crate::definition::objects::ObjectError;
use crate::engine::Engine;
use crate::group::handles::Lingering;
use crate::group::master::{Key, Master};
use crate::queue::Queue;
use crate::reason;

/// First part of the keys that masters have in a recovery log, where the copy has the rest as its key.
pub(crate) const PREFIX: &str = "group";

/// A change waits for the database no longer than that: other changes of definitions wait for it.
const LONGEST: Duration = Duration::from_secs(5);

/// What a member knows of the group's definitions.
#[derive(Default)]
pub(crate) struct GroupDefinitions {
    masters: RwLock<BTreeMap<Key, Arc<Master>>>,
    /// By key, as the database has them.
    versions: Mutex<HashMap<String, i64>>,
    /// Every change up to this version has been read.
    seen: AtomicI64,
    /// All have been read once since the start: what is not known is not there.
    is_complete: AtomicBool,
}

impl GroupDefinitions {
    pub(crate) fn new(masters: Vec<Master>) -> Self {
        let masters = masters.into_iter().map(|master| (master.key(), Arc::new(master))).collect();
        Self { masters: RwLock::new(masters), ..Self::default() }
    }

    pub(super) fn master(&self, key: Key) -> Option<Arc<Master>> {
        self.masters.read().get(&key).cloned()
    }

    /// Those of a family, sorted by name.
    pub(super) fn masters(&self, family: AuthorityObject) -> Vec<Arc<Master>> {
        let masters = self.masters.read();
        let from = masters.range((family, ObjectName::BLANK)..);
        from.take_while(|(key, _)| key.0 == family).map(|(_, master)| Arc::clone(master)).collect()
    }

    /// Shows a definition that is saved.
    pub(super) fn show(&self, master: Master) {
        self.masters.write().insert(master.key(), Arc::new(master));
    }

    /// Forgets one that is deleted.
    pub(super) fn forget(&self, key: Key) {
        self.masters.write().remove(&key);
    }

    pub(super) fn seen(&self) -> i64 {
        self.seen.load(Ordering::Acquire)
    }

    /// A change has been read; `version`: that of an object that is there.
    pub(super) fn saw(&self, key: &str, version: Option<i64>, up_to: i64) {
        self.note(key, version);
        self.seen.fetch_max(up_to, Ordering::AcqRel);
    }

    /// All that there is has been read.
    pub(super) fn saw_all(&self) {
        self.is_complete.store(true, Ordering::Release);
    }

    /// A name that is not known may be one of the group's: the database was not reached since the start.
    pub(super) fn are_incomplete(&self) -> bool {
        !self.is_complete.load(Ordering::Acquire)
    }

    fn note(&self, key: &str, version: Option<i64>) {
        let mut versions = self.versions.lock();
        match version {
            Some(version) => drop(versions.insert(key.to_owned(), version)),
            None => drop(versions.remove(key)),
        }
    }

    fn version(&self, key: &str) -> i64 {
        self.versions.lock().get(key).copied().unwrap_or(0)
    }
}

/// Makes a change of an object of the group durable, then shows it. The caller holds the lock on changes.
///
/// Dropped half-way, it is shown when the member reads what has changed.
///
/// # Errors
/// `AlreadyExists`, or `ObjectChanged` (2041): another member was faster. `CfNotAvailable` (2345): the database cannot be reached.
pub(crate) async fn keep(
    engine: &Engine,
    disposition: GroupDisposition,
    change: DefinitionChange,
    show: impl FnOnce(),
) -> Result<(), ObjectError> {
    let (Some(group), Some(shared)) = (&engine.group, engine.store.shared()) else {
        return engine.save_and_show(vec![change], show).await;
    };
    let (DefinitionChange::Save { key, .. } | DefinitionChange::Delete { key }) = &change else {
        return engine.save_and_show(vec![change], show).await;
    };
    let key = in_database(key);
    let rests_on = group.definitions.version(key);
    let saving = async {
        match &change {
            DefinitionChange::Save { value, .. } => shared.save_definition(key, disposition, value, rests_on).await,
            DefinitionChange::Delete { .. } | DefinitionChange::DropQueue(_) => {
                shared.delete_definition(key, rests_on).await
            }
        }
    };
    let saved = tokio::time::timeout(LONGEST, saving).await.unwrap_or(Err(StoreError::Unreachable));
    let saved = saved.map_err(|error| {
        // If it was made all the same, it is read there.
        group.changed.notify_one();
        ObjectError::Reason(reason::of_store_at_large(engine, &error))
    })?;
    let Some(version) = saved else { return Err(refused(group, key)) };
    let is_there = matches!(change, DefinitionChange::Save { .. });
    group.definitions.note(key, is_there.then_some(version));
    show();
    Ok(())
}

/// Deletes a shared queue that no member has open, and that is empty or may be purged; then shows that. The caller holds the lock on
/// changes. Its messages are still there.
///
/// # Errors
/// `InUse`: a program of another member has it open, or a unit of work holds a message. `NotEmpty`. Those of `keep`.
pub(crate) async fn delete_queue(
    engine: &Engine,
    queue: &Queue,
    purge: bool,
    show: impl FnOnce(),
) -> Result<(), ObjectError> {
    let change = crate::definition::definitions::delete_queue(&queue.name);
    let Some(group) = engine.group.as_ref().filter(|_| engine.store.shared().is_some()) else {
        return engine.save_and_show(vec![change], show).await;
    };
    let key = format!("queue/{}", queue.name);
    let rests_on = group.definitions.version(&key);
    let mut lingering = Lingering::new();
    let deletion = loop {
        let deleting = engine.store.delete_shared_queue(queue.id, &key, rests_on, purge);
        let deleted = tokio::time::timeout(LONGEST, deleting).await.unwrap_or(Err(StoreError::Unreachable));
        let deletion = deleted.map_err(|error| {
            // If it was made all the same, it is read there.
            group.changed.notify_one();
            ObjectError::Reason(reason::of_store_at_large(engine, &error))
        })?;
        match deletion {
            Deletion::Open(level) if lingering.asks_again(level).await => {}
            deletion => break deletion,
        }
    };
    let name = || queue.name.to_string();
    match deletion {
        Deletion::Done(_) => {
            group.definitions.note(&key, None);
            show();
            Ok(())
        }
        Deletion::Changed => Err(refused(group, &key)),
        Deletion::Open(_) | Deletion::Uncommitted => Err(ObjectError::InUse { name: name() }),
        Deletion::NotEmpty => Err(ObjectError::NotEmpty { name: name() }),
    }
}

/// Another member has changed the object, which this one reads soon.
fn refused(group: &crate::group::Group, key: &str) -> ObjectError {
    group.changed.notify_one();
    match key.split_once('/') {
        Some((_, name)) if group.definitions.version(key) == 0 => ObjectError::already_exists(name),
        _ => ObjectError::Reason(Reason::ObjectChanged),
    }
}

/// The key that an object has for all members.
fn in_database(key: &str) -> &str {
    key.strip_prefix(PREFIX).and_then(|rest| rest.strip_prefix('/')).unwrap_or(key)
}
