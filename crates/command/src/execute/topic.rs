//! DEFINE, ALTER and DELETE of topics.

use std::sync::Arc;

use ::queue_manager::{Master, QueueManager};
use model::authority::{AuthorityObject, Principal};
use model::definition::attribute::Target;
use model::definition::queue::Disposition;
use model::definition::{History, TopicDefinition};

use crate::command::{Alter, Define, Delete};
use crate::execute::{Failure, apply, authority, object_name};
use crate::message;
use crate::reply::{MQRCCF_ATTR_VALUE_ERROR, Reply};

const DEFAULT_OBJECT: &str = "SYSTEM.DEFAULT.TOPIC";

pub(super) async fn define(
    queue_manager: &QueueManager,
    caller: &Principal,
    define: &Define,
) -> Result<Reply, Failure> {
    let name = object_name(&define.name)?;
    let master = queue_manager.master(AuthorityObject::Topic, &name);
    let master = master.as_deref().and_then(Master::as_topic);
    let base = match &define.like {
        _ if define.disposition == Disposition::Copy => {
            master.cloned().ok_or_else(|| Failure::not_found(&define.name))?
        }
        Some(like) => (*existing(queue_manager, like)?).clone(),
        None => existing(queue_manager, DEFAULT_OBJECT).map(|topic| (*topic).clone()).unwrap_or_default(),
    };
    // Two objects never stand for one node, so a copy has no topic string until one is given.
    let mut definition = TopicDefinition {
        name,
        topic_string: String::new(),
        disposition: define.disposition,
        history: History::default(),
        ..base
    };
    apply(&define.name, &define.settings, &mut Target::Topic(&mut definition))?;
    if definition.topic_string.is_empty() {
        // An object that is replaced keeps its node; SYSTEM.BASE.TOPIC and SYSTEM.DEFAULT.TOPIC have a blank one.
        let own = existing(queue_manager, &define.name).ok();
        let before = match define.disposition {
            Disposition::Copy => master,
            Disposition::Group => master.filter(|_| define.replace),
            Disposition::QueueManager | Disposition::Shared => own.as_deref().filter(|_| define.replace),
        };
        match before {
            Some(before) => definition.topic_string.clone_from(&before.topic_string),
            None => {
                let reply =
                    Reply::failed(MQRCCF_ATTR_VALUE_ERROR, message::REQUIRED, &["a topic needs a topic string"]);
                return Err(Failure::Reply(reply));
            }
        }
    }
    match define.disposition {
        Disposition::QueueManager | Disposition::Shared => {
            queue_manager.define_topic(caller, definition, define.replace).await?;
        }
        Disposition::Copy => queue_manager.define_copy(caller, Master::Topic(definition), define.replace).await?,
        Disposition::Group => queue_manager.define_master(caller, Master::Topic(definition), define.replace).await?,
    }
    Ok(Reply::done(message::TOPIC_CREATED))
}

fn existing(queue_manager: &QueueManager, name: &str) -> Result<Arc<TopicDefinition>, Failure> {
    queue_manager.topic(&object_name(name)?).ok_or_else(|| Failure::not_found(name))
}

pub(super) async fn alter(queue_manager: &QueueManager, caller: &Principal, alter: &Alter) -> Result<Reply, Failure> {
    let name = object_name(&alter.name)?;
    let change = |topic: &mut TopicDefinition| {
        if !alter.dispositions.includes(topic.disposition) {
            return Err(Failure::not_found(&alter.name));
        }
        apply(&alter.name, &alter.settings, &mut Target::Topic(topic))
    };
    if alter.dispositions.is_of_group() {
        let change = |master: &mut Master| match master {
            Master::Topic(topic) => change(topic),
            _ => Err(Failure::wrong_type(&alter.name)),
        };
        queue_manager.change_master(caller, AuthorityObject::Topic, &name, change).await?;
    } else {
        existing(queue_manager, &alter.name)?;
        queue_manager.change_topic(caller, &name, change).await?;
    }
    Ok(Reply::done(message::TOPIC_CHANGED))
}

pub(super) async fn delete(
    queue_manager: &QueueManager,
    caller: &Principal,
    delete: &Delete,
) -> Result<Reply, Failure> {
    if delete.dispositions.is_of_group() {
        queue_manager.delete_master(caller, AuthorityObject::Topic, &object_name(&delete.name)?).await?;
        return Ok(Reply::done(message::TOPIC_DELETED));
    }
    let topic = existing(queue_manager, &delete.name)?;
    if !delete.dispositions.includes(topic.disposition) {
        return Err(Failure::not_found(&delete.name));
    }
    queue_manager.delete_topic(caller, &topic.name).await?;
    if delete.authority_records {
        authority::forget(queue_manager, AuthorityObject::Topic, &topic.name).await?;
    }
    Ok(Reply::done(message::TOPIC_DELETED))
}
