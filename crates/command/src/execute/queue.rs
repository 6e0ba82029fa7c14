//! DEFINE, ALTER, DELETE and CLEAR of queues.

use std::sync::Arc;

use ::queue_manager::{Master, QueueManager};
use model::authority::{AuthorityObject, Principal};
use model::definition::QueueDefinition;
use model::definition::attribute::{Kind, Target};
use model::definition::queue::{DefinitionType, Disposition};
use model::definition::{History, QueueKind};
use model::name::{ObjectName, QueueName};

use crate::command::group::DispositionChoice;
use crate::command::{Alter, Define, Delete};
use crate::execute::{Failure, apply, authority, object_name, warning};
use crate::message;
use crate::reply::Reply;

/// Definitions that DEFINE starts from when nothing else is said.
const fn default_object(kind: Kind) -> &'static str {
    match kind {
        Kind::QueueAlias => "SYSTEM.DEFAULT.ALIAS.QUEUE",
        Kind::QueueRemote => "SYSTEM.DEFAULT.REMOTE.QUEUE",
        Kind::QueueModel => "SYSTEM.DEFAULT.MODEL.QUEUE",
        _ => "SYSTEM.DEFAULT.LOCAL.QUEUE",
    }
}

pub(super) async fn define(
    queue_manager: &QueueManager,
    caller: &Principal,
    define: &Define,
) -> Result<Reply, Failure> {
    let name = object_name(&define.name)?;
    let base = base(queue_manager, define)?;
    let mut definition = fresh(base, name);
    definition.disposition = define.disposition;
    apply(&define.name, &define.settings, &mut Target::Queue(&mut definition))?;
    match define.disposition {
        Disposition::QueueManager | Disposition::Shared => {
            queue_manager.define_queue(caller, definition, define.replace).await?;
        }
        Disposition::Copy => queue_manager.define_copy(caller, Master::Queue(definition), define.replace).await?,
        Disposition::Group => queue_manager.define_master(caller, Master::Queue(definition), define.replace).await?,
    }
    Ok(warning::of_remote_queue(Reply::done(message::QUEUE_CREATED), queue_manager, &name))
}

/// What LIKE names, or the default object, or what the default object was made from.
fn base(queue_manager: &QueueManager, define: &Define) -> Result<QueueDefinition, Failure> {
    if define.disposition == Disposition::Copy {
        let master = queue_manager.group_queue(&object_name(&define.name)?);
        return master.ok_or_else(|| Failure::not_found(&define.name));
    }
    if let Some(like) = &define.like {
        return existing(queue_manager, like, define.kind).map(|queue| (*queue).clone());
    }
    let default = existing(queue_manager, default_object(define.kind), define.kind);
    match (default, QueueDefinition::blank(define.kind)) {
        (Ok(queue), _) => Ok((*queue).clone()),
        (Err(_), Some(blank)) => Ok(blank),
        (Err(failure), None) => Err(failure),
    }
}

/// A copy that is a queue of its own: no history, no messages, and defined rather than made from a model.
fn fresh(mut definition: QueueDefinition, name: QueueName) -> QueueDefinition {
    definition.name = name;
    definition.history = History::default();
    if let QueueKind::Local(local) = &mut definition.kind {
        local.definition_type = DefinitionType::Predefined;
        local.store_id = 0;
    }
    definition
}

fn existing(queue_manager: &QueueManager, name: &str, kind: Kind) -> Result<Arc<QueueDefinition>, Failure> {
    let queue = queue_manager.queue(&object_name(name)?).ok_or_else(|| Failure::not_found(name))?;
    if queue.attribute_kind() == kind { Ok(queue) } else { Err(Failure::wrong_type(name)) }
}

pub(super) async fn alter(queue_manager: &QueueManager, caller: &Principal, alter: &Alter) -> Result<Reply, Failure> {
    let change = |queue: &mut QueueDefinition| {
        if queue.attribute_kind() != alter.kind {
            return Err(Failure::wrong_type(&alter.name));
        }
        if !alter.dispositions.includes(queue.disposition) {
            return Err(Failure::not_found(&alter.name));
        }
        apply(&alter.name, &alter.settings, &mut Target::Queue(queue))
    };
    let name = if alter.dispositions.is_of_group() {
        let name = object_name(&alter.name)?;
        let change = |master: &mut Master| match master {
            Master::Queue(queue) => change(queue),
            _ => Err(Failure::wrong_type(&alter.name)),
        };
        queue_manager.change_master(caller, AuthorityObject::Queue, &name, change).await?;
        name
    } else {
        let name = existing(queue_manager, &alter.name, alter.kind)?.name;
        queue_manager.change_queue(caller, &name, alter.force, change).await?;
        name
    };
    Ok(warning::of_remote_queue(Reply::done(message::QUEUE_CHANGED), queue_manager, &name))
}

pub(super) async fn delete(
    queue_manager: &QueueManager,
    caller: &Principal,
    delete: &Delete,
) -> Result<Reply, Failure> {
    if delete.dispositions.is_of_group() {
        queue_manager.delete_master(caller, AuthorityObject::Queue, &object_name(&delete.name)?).await?;
        return Ok(Reply::done(message::QUEUE_DELETED));
    }
    let queue = existing(queue_manager, &delete.name, delete.kind)?;
    check_disposition(&queue, delete.dispositions)?;
    queue_manager.delete_queue(caller, &queue.name, delete.purge).await?;
    if delete.authority_records {
        authority::forget(queue_manager, AuthorityObject::Queue, &queue.name).await?;
    }
    Ok(Reply::done(message::QUEUE_DELETED))
}

pub(super) async fn clear(
    queue_manager: &QueueManager,
    caller: &Principal,
    name: &QueueName,
    dispositions: DispositionChoice,
) -> Result<Reply, Failure> {
    let queue = existing(queue_manager, name.as_str(), Kind::QueueLocal)?;
    check_disposition(&queue, dispositions)?;
    queue_manager.clear_queue(caller, name).await?;
    Ok(Reply::done(message::QUEUE_CLEARED))
}

pub(super) async fn move_to(
    queue_manager: &QueueManager,
    caller: &Principal,
    name: &QueueName,
    structure: &ObjectName,
) -> Result<Reply, Failure> {
    existing(queue_manager, name.as_str(), Kind::QueueLocal)?;
    queue_manager.move_queue_to_structure(caller, name, structure).await?;
    Ok(Reply::done(message::QUEUE_MOVED))
}

pub(super) async fn move_messages(
    queue_manager: &QueueManager,
    caller: &Principal,
    from: &QueueName,
    dispositions: DispositionChoice,
    to: &QueueName,
    adds: bool,
) -> Result<Reply, Failure> {
    let source = existing(queue_manager, from.as_str(), Kind::QueueLocal)?;
    check_disposition(&source, dispositions)?;
    existing(queue_manager, to.as_str(), Kind::QueueLocal)?;
    let moved = queue_manager.move_messages(caller, from, to, adds).await?;
    Ok(Reply::told(message::MESSAGES_MOVED, &[to.as_str(), &moved.to_string()]))
}

/// A queue of that name is there, and perhaps not the one that is meant.
fn check_disposition(queue: &QueueDefinition, wanted: DispositionChoice) -> Result<(), Failure> {
    if wanted.includes(queue.disposition) { Ok(()) } else { Err(Failure::not_found(queue.name.as_str())) }
}
