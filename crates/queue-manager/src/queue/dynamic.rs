//! Dynamic queues: made by opening a model queue, gone by closing.
//!
//! Temporary ones live in memory only: no definition is saved, they take no persistent messages, and the close of the
//! handle that made one deletes it with its messages. Permanent ones are like any other local queue, except that
//! MQCO_DELETE and MQCO_DELETE_PURGE delete them. Shared ones are permanent, and the group's: every member has them.

use std::sync::Arc;

use model::authority::{AuthorityObject, AuthorityRecord, Principal};
use model::definition::History;
use model::definition::queue::DefinitionType;
use model::name::{ObjectName, QueueName};
use model::reason::Reason;
use storage::DefinitionChange;
use storage::shared::GroupDisposition;

use crate::definition::objects::ObjectError;
use crate::definition::{definitions, queue_objects};
use crate::engine::Engine;
use crate::group;
use crate::group::disposition;
use crate::queue::Queue;
use crate::reason;
use crate::verb::open::instance_of;

/// MQOD `DynamicQName` by default.
const DEFAULT_PATTERN: &str = "AMQ.*";
/// Longest text before the asterisk.
const MAXIMUM_STEM: usize = 33;

/// Makes a queue from a model.
///
/// # Errors
/// `DynamicQNameError` (2011): the pattern yields no name. `ObjectAlreadyExists` (2100): a full name that is taken.
/// `CfStrucError` (2349): the structure of a shared one is not defined. `CfNotAvailable` (2345).
pub(crate) async fn make(
    engine: &Engine,
    model: &Queue,
    caller: &Principal,
    pattern: &str,
) -> Result<Arc<Queue>, Reason> {
    let name = dynamic_name(engine, pattern)?;
    let now = engine.now();
    let (mut definition, definition_type) =
        instance_of(&model.definition(), name).ok_or(Reason::AliasBaseQTypeError)?;
    definition.history = History { created: now, altered: now };
    let is_shared = definition_type == DefinitionType::SharedDynamic;
    if is_shared {
        disposition::check(engine, &definition).map_err(|_| Reason::CfStrucError)?;
    }
    let structure = definition.as_local().filter(|_| is_shared).map(|local| local.structure);
    let id = queue_objects::new_store_id(engine, structure.as_ref()).await?;
    definition.as_local_mut().expect("an instance is a local queue").store_id = id.0;

    let _change = engine.changes.take().await;
    if engine.queue(&name).is_some() {
        return Err(Reason::ObjectAlreadyExists);
    }
    let save = (definition_type != DefinitionType::TemporaryDynamic).then(|| definitions::save_queue(&definition));
    let queue = Arc::new(Queue::new(definition, Some(caller.user.clone()), &engine.store));
    let Some(save) = save else {
        engine.add_queue(queue.clone());
        return Ok(queue);
    };
    // Its maker may use it after a restart too; who made a temporary one is known as long as it lives.
    let record = engine.authorities.of_maker(caller, AuthorityObject::Queue, &name);
    let grant = record.as_ref().map(definitions::save_authority);
    if is_shared {
        let show = || engine.add_queue(queue.clone());
        group::definitions::keep(engine, GroupDisposition::Shared, save, show).await.map_err(reason_of)?;
        if let (Some(grant), Some(record)) = (grant, record) {
            definitions::save_and_show(engine, vec![grant], || engine.authorities.set(record)).await?;
        }
        return Ok(queue);
    }
    let show = || {
        if let Some(record) = record {
            engine.authorities.set(record);
        }
        engine.add_queue(queue.clone());
    };
    definitions::save_and_show(engine, [save].into_iter().chain(grant).collect(), show).await?;
    Ok(queue)
}

fn reason_of(error: ObjectError) -> Reason {
    match error {
        ObjectError::Reason(reason) => reason,
        ObjectError::AlreadyExists { .. } => Reason::ObjectAlreadyExists,
        ObjectError::InUse { .. } => Reason::ObjectInUse,
        ObjectError::NotEmpty { .. } => Reason::QNotEmpty,
        _ => Reason::ObjectChanged,
    }
}

/// What the pattern stands for: the text before `*` and a number that is used once.
fn dynamic_name(engine: &Engine, pattern: &str) -> Result<QueueName, Reason> {
    let pattern = pattern.trim_end_matches([' ', '\0']);
    let pattern = if pattern.is_empty() { DEFAULT_PATTERN } else { pattern };
    let Some((stem, _)) = pattern.split_once('*') else {
        return ObjectName::parse(pattern).map_err(|_| Reason::DynamicQNameError);
    };
    if stem.len() > MAXIMUM_STEM {
        return Err(Reason::DynamicQNameError);
    }
    let name = format!("{stem}{:015X}", engine.identifiers.number() & 0x0FFF_FFFF_FFFF_FFFF);
    ObjectName::parse(&name).map_err(|_| Reason::DynamicQNameError)
}

/// Deletes a dynamic queue and what it holds. Other handles of it find it gone.
///
/// # Errors
/// `QNotEmpty` (2055): it holds messages and may not be purged. `ObjectInUse` (2042): uncommitted ones; or a program of another member has a
/// shared one open.
pub(crate) async fn delete(engine: &Engine, queue: &Arc<Queue>, purge: bool) -> Result<(), Reason> {
    let _change = engine.changes.take().await;
    if queue.is_deleted() {
        return Ok(());
    }
    let deletion = queue.begin_deletion(None)?;
    if !queue.id.is_shared() {
        check_emptiness(engine, queue, purge)?;
    }
    let (changes, records) = changes_of_deletion(engine, queue);
    let show = || {
        for record in &records {
            engine.authorities.remove(record);
        }
        engine.remove_queue(queue);
        deletion.done();
    };
    if queue.id.is_shared() {
        // Once the definition is gone, the messages are nobody's.
        group::definitions::delete_queue(engine, queue, purge, show).await.map_err(reason_of)?;
        return definitions::save_and_show(engine, changes, || ()).await;
    }
    definitions::save_and_show(engine, changes, show).await
}

fn check_emptiness(engine: &Engine, queue: &Queue, purge: bool) -> Result<(), Reason> {
    let depth = engine.store.depth(queue.id);
    if depth.uncommitted > 0 {
        return Err(Reason::ObjectInUse);
    }
    if depth.current + depth.quarantined > 0 && !purge { Err(Reason::QNotEmpty) } else { Ok(()) }
}

/// What goes with a dynamic queue: its messages and the records about it, and the definition that the recovery log has of it.
fn changes_of_deletion(engine: &Engine, queue: &Queue) -> (Vec<DefinitionChange>, Vec<AuthorityRecord>) {
    let mut changes = vec![DefinitionChange::DropQueue(queue.id)];
    if queue.is_temporary() {
        return (changes, Vec::new());
    }
    if !queue.id.is_shared() {
        changes.push(definitions::delete_queue(&queue.name));
    }
    let records = engine.authorities.of_profile(AuthorityObject::Queue, queue.name.as_str());
    changes.extend(records.iter().map(definitions::delete_authority));
    (changes, records)
}

/// Deletes a queue that the queue manager made, with its messages.
pub(crate) async fn delete_temporary(engine: &Engine, queue: &Arc<Queue>) {
    let _change = engine.changes.take().await;
    if queue.is_deleted() {
        return;
    }
    let show = || {
        engine.remove_queue(queue);
        queue.delete_regardless();
    };
    if queue.id.is_shared() {
        if let Err(error) = group::definitions::delete_queue(engine, queue, true, show).await {
            tracing::warn!(queue = queue.name.as_str(), %error, "a dynamic queue of the group could not be deleted");
            return;
        }
    } else {
        show();
    }
    let (changes, records) = changes_of_deletion(engine, queue);
    for record in &records {
        engine.authorities.remove(record);
    }
    if let Err(error) = engine.store.change_definitions(changes).await {
        let reason = reason::of_store_at_large(engine, &error);
        tracing::warn!(queue = queue.name.as_str(), %reason, "a dynamic queue could not be deleted");
    }
}
