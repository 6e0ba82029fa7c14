//! DEFINE, ALTER and DELETE of channels, listeners, processes, namelists, services, authentication and communication
//! information.

use std::sync::Arc;

use ::queue_manager::objects::ObjectError;
use ::queue_manager::{Master, QueueManager};
use model::authority::{AuthorityObject, Principal};
use model::definition::attribute::{Kind, Target};
use model::definition::queue::Disposition;
use model::definition::{AdministeredObject, History};

use crate::command::{Alter, Define, Delete};
use crate::execute::{Failure, apply, authority, object_name, warning};
use crate::message::{self, Message};
use crate::reply::{MQRCCF_CHANNEL_ALREADY_EXISTS, Reply};

/// What became of an object, by the message of its kind.
struct Messages {
    created: Message,
    changed: Message,
    deleted: Message,
    details: Message,
}

fn messages(family: AuthorityObject) -> Messages {
    match family {
        AuthorityObject::Listener => Messages {
            created: message::LISTENER_CREATED,
            changed: message::LISTENER_CHANGED,
            deleted: message::LISTENER_DELETED,
            details: message::LISTENER_DETAILS,
        },
        AuthorityObject::Process => Messages {
            created: message::PROCESS_CREATED,
            changed: message::PROCESS_CHANGED,
            deleted: message::PROCESS_DELETED,
            details: message::PROCESS_DETAILS,
        },
        AuthorityObject::NameList => Messages {
            created: message::NAMELIST_CREATED,
            changed: message::NAMELIST_CHANGED,
            deleted: message::NAMELIST_DELETED,
            details: message::NAMELIST_DETAILS,
        },
        AuthorityObject::Service => Messages {
            created: message::SERVICE_CREATED,
            changed: message::SERVICE_CHANGED,
            deleted: message::SERVICE_DELETED,
            details: message::SERVICE_DETAILS,
        },
        AuthorityObject::AuthenticationInformation => Messages {
            created: message::AUTHENTICATION_CREATED,
            changed: message::AUTHENTICATION_CHANGED,
            deleted: message::AUTHENTICATION_DELETED,
            details: message::AUTHENTICATION_DETAILS,
        },
        AuthorityObject::CommunicationInformation => Messages {
            created: message::COMMUNICATION_CREATED,
            changed: message::COMMUNICATION_CHANGED,
            deleted: message::COMMUNICATION_DELETED,
            details: message::COMMUNICATION_DETAILS,
        },
        AuthorityObject::Structure => Messages {
            created: message::NORMAL_COMPLETION,
            changed: message::NORMAL_COMPLETION,
            deleted: message::NORMAL_COMPLETION,
            details: message::STRUCTURE_DETAILS,
        },
        AuthorityObject::Channel
        | AuthorityObject::ClientChannel
        | AuthorityObject::QueueManager
        | AuthorityObject::Queue
        | AuthorityObject::Topic
        | AuthorityObject::RemoteQueueManager => Messages {
            created: message::CHANNEL_CREATED,
            changed: message::CHANNEL_CHANGED,
            deleted: message::CHANNEL_DELETED,
            details: message::CHANNEL_DETAILS,
        },
    }
}

/// The title of DISPLAY blocks.
pub(super) fn details(family: AuthorityObject) -> Message {
    messages(family).details
}

pub(super) async fn define(
    queue_manager: &QueueManager,
    caller: &Principal,
    define: &Define,
) -> Result<Reply, Failure> {
    let mut object = base(queue_manager, define)?;
    let name = object_name(&define.name)?;
    object.set_name(name);
    object.set_history(History::default());
    object.set_disposition(define.disposition);
    apply(&define.name, &define.settings, &mut Target::Object(&mut object))?;
    let family = object.family();
    let is_channel = define.kind.is_channel();
    let defined = match define.disposition {
        Disposition::QueueManager | Disposition::Shared => {
            queue_manager.define_object(caller, object, define.replace).await
        }
        Disposition::Copy => queue_manager.define_copy(caller, Master::Object(object), define.replace).await,
        Disposition::Group => queue_manager.define_master(caller, Master::Object(object), define.replace).await,
    };
    defined.map_err(|error| match error {
        ObjectError::AlreadyExists { name } if is_channel => {
            Failure::Reply(Reply::failed(MQRCCF_CHANNEL_ALREADY_EXISTS, message::CHANNEL_EXISTS, &[&name]))
        }
        other => Failure::Object(other),
    })?;
    Ok(warning::of_cipher_specification(Reply::done(messages(family).created), queue_manager, define.kind, &name))
}

/// What LIKE names, or the default object, or what the default object was made from.
fn base(queue_manager: &QueueManager, define: &Define) -> Result<AdministeredObject, Failure> {
    if define.disposition == Disposition::Copy {
        let master = queue_manager.master(define.kind.authority_object(), &object_name(&define.name)?);
        let object = master.as_deref().and_then(Master::as_object).filter(|object| object.kind() == define.kind);
        return object.cloned().ok_or_else(|| Failure::not_found(&define.name));
    }
    if let Some(like) = &define.like {
        return existing(queue_manager, like, define.kind).map(|object| (*object).clone());
    }
    let default = define.kind.default_object().and_then(|name| existing(queue_manager, name, define.kind).ok());
    let made = || AdministeredObject::blank(define.kind).ok_or_else(|| Failure::wrong_type(&define.name));
    default.map_or_else(made, |object| Ok((*object).clone()))
}

fn existing(queue_manager: &QueueManager, name: &str, kind: Kind) -> Result<Arc<AdministeredObject>, Failure> {
    let found = queue_manager.object(kind.authority_object(), &object_name(name)?);
    let object = found.ok_or_else(|| Failure::not_found(name))?;
    if object.kind() == kind { Ok(object) } else { Err(Failure::wrong_type(name)) }
}

pub(super) async fn alter(queue_manager: &QueueManager, caller: &Principal, alter: &Alter) -> Result<Reply, Failure> {
    let (family, name) = (alter.kind.authority_object(), object_name(&alter.name)?);
    let change = |object: &mut AdministeredObject| {
        if object.kind() != alter.kind {
            return Err(Failure::wrong_type(&alter.name));
        }
        if !alter.dispositions.includes(object.disposition()) {
            return Err(Failure::not_found(&alter.name));
        }
        apply(&alter.name, &alter.settings, &mut Target::Object(object))
    };
    if alter.dispositions.is_of_group() {
        let change = |master: &mut Master| match master {
            Master::Object(object) => change(object),
            _ => Err(Failure::wrong_type(&alter.name)),
        };
        queue_manager.change_master(caller, family, &name, change).await?;
    } else {
        existing(queue_manager, &alter.name, alter.kind)?;
        queue_manager.change_object(caller, family, &name, change).await?;
    }
    Ok(warning::of_cipher_specification(Reply::done(messages(family).changed), queue_manager, alter.kind, &name))
}

/// Of whatever type the object of that family is: DELETE is not told.
pub(super) async fn delete(
    queue_manager: &QueueManager,
    caller: &Principal,
    delete: &Delete,
) -> Result<Reply, Failure> {
    let family = delete.kind.authority_object();
    let name = object_name(&delete.name)?;
    if delete.dispositions.is_of_group() {
        queue_manager.delete_master(caller, family, &name).await?;
        return Ok(Reply::done(messages(family).deleted));
    }
    let is_other = |disposition| !delete.dispositions.includes(disposition);
    if queue_manager.object(family, &name).is_some_and(|object| is_other(object.disposition())) {
        return Err(Failure::not_found(&delete.name));
    }
    queue_manager.delete_object(caller, family, &name).await?;
    if delete.authority_records {
        authority::forget(queue_manager, family, &name).await?;
    }
    Ok(Reply::done(messages(family).deleted))
}
