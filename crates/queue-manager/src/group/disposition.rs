//! The rules of dispositions: which a definition may have, and what goes with it.
//!
//! Source: MQ reference, "DEFINE QLOCAL", QSGDISP and CFSTRUCT, 9.3.

use model::authority::AuthorityObject;
use model::definition::queue::{DefinitionType, Disposition};
use model::definition::{QueueDefinition, QueueKind};
use model::descriptor::Persistence;
use model::name::ObjectName;
use model::reason::Reason;

use crate::definition::objects::ObjectError;
use crate::engine::Engine;
use crate::queue::Queue;

/// # Errors
/// `NotInGroup`; `Attribute`: only local queues are shared; `Structure`: the one of a shared queue, or of a model of such, is blank or not
/// defined.
pub(crate) fn check(engine: &Engine, definition: &QueueDefinition) -> Result<(), ObjectError> {
    if let QueueKind::Model(model) = &definition.kind
        && model.local.definition_type == DefinitionType::SharedDynamic
    {
        if engine.group.is_none() {
            return Err(ObjectError::NotInGroup);
        }
        check_structure(engine, &model.local.structure)?;
    }
    if definition.disposition == Disposition::QueueManager {
        return Ok(());
    }
    if engine.group.is_none() {
        return Err(ObjectError::NotInGroup);
    }
    let QueueKind::Local(local) = &definition.kind else {
        let is_shared = definition.disposition == Disposition::Shared;
        return if is_shared { Err(not_local(definition)) } else { Ok(()) };
    };
    if definition.disposition == Disposition::Shared {
        check_structure(engine, &local.structure)?;
    }
    Ok(())
}

fn not_local(definition: &QueueDefinition) -> ObjectError {
    ObjectError::Attribute {
        name: definition.name.to_string(),
        attribute: "QSGDISP",
        problem: "only local queues are shared".to_owned(),
    }
}

pub(super) fn check_structure(engine: &Engine, name: &ObjectName) -> Result<(), ObjectError> {
    let is_there = !name.is_blank() && engine.object(AuthorityObject::Structure, name).is_some();
    if is_there { Ok(()) } else { Err(ObjectError::Structure { name: name.to_string() }) }
}

/// # Errors
/// `Disposition`: the object of that name has another; `Attribute`: the structure of a shared queue changes.
pub(crate) fn check_replacement(before: &QueueDefinition, after: &QueueDefinition) -> Result<(), ObjectError> {
    check_same(&before.name, before.disposition, after.disposition)?;
    let structure = |definition: &QueueDefinition| definition.as_local().map(|local| local.structure);
    if before.disposition == Disposition::Shared && structure(before) != structure(after) {
        return Err(ObjectError::Attribute {
            name: before.name.to_string(),
            attribute: "CFSTRUCT",
            problem: "a shared queue stays in its structure".to_owned(),
        });
    }
    Ok(())
}

/// # Errors
/// `Disposition`: the object of that name has another.
pub(crate) fn check_same(name: &ObjectName, before: Disposition, after: Disposition) -> Result<(), ObjectError> {
    if before == after { Ok(()) } else { Err(ObjectError::Disposition { name: name.to_string() }) }
}

/// # Errors
/// `InUse`: a queue names the structure.
pub(crate) fn check_unused(engine: &Engine, structure: &ObjectName) -> Result<(), ObjectError> {
    if is_used(engine, structure) { Err(ObjectError::InUse { name: structure.to_string() }) } else { Ok(()) }
}

/// A shared queue names the structure.
pub(super) fn is_used(engine: &Engine, structure: &ObjectName) -> bool {
    let names_it = |queue: &Queue| {
        queue.with(|definition| {
            let of_local = definition.as_local().is_some_and(|local| local.structure == *structure);
            of_local && definition.disposition == Disposition::Shared
        })
    };
    engine.queues.read().values().any(|queue| names_it(queue))
}

/// # Errors
/// `PersistentNotAllowed` (2048): the structure of a shared queue has RECOVER(NO).
pub(crate) fn check_persistence(engine: &Engine, queue: &Queue, persistence: Persistence) -> Result<(), Reason> {
    if !queue.id.is_shared() || persistence != Persistence::Persistent {
        return Ok(());
    }
    let structure = queue.with_local(|_, local| local.structure);
    let object = engine.object(AuthorityObject::Structure, &structure);
    let recovers = object.as_deref().and_then(|object| object.as_structure()).is_some_and(|object| object.recover);
    if recovers { Ok(()) } else { Err(Reason::PersistentNotAllowed) }
}
