//! DEFINE, ALTER and DELETE of topics.

use std::sync::Arc;

use ::queue_manager::QueueManager;
use model::authority::{AuthorityObject, Principal};
use model::definition::attribute::Target;
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
    let base = match &define.like {
        Some(like) => (*existing(queue_manager, like)?).clone(),
        None => existing(queue_manager, DEFAULT_OBJECT).map(|topic| (*topic).clone()).unwrap_or_default(),
    };
    // Two objects never stand for one node, so a copy has no topic string until one is given.
    let mut definition = TopicDefinition {
        name: object_name(&define.name)?,
        topic_string: String::new(),
        history: History::default(),
        ..base
    };
    apply(&define.name, &define.settings, &mut Target::Topic(&mut definition))?;
    if definition.topic_string.is_empty() {
        // An object that is replaced keeps its node; SYSTEM.BASE.TOPIC and SYSTEM.DEFAULT.TOPIC have a blank one.
        match existing(queue_manager, &define.name) {
            Ok(before) if define.replace => definition.topic_string.clone_from(&before.topic_string),
            _ => {
                let reply =
                    Reply::failed(MQRCCF_ATTR_VALUE_ERROR, message::REQUIRED, &["a topic needs a topic string"]);
                return Err(Failure::Reply(reply));
            }
        }
    }
    queue_manager.define_topic(caller, definition, define.replace).await?;
    Ok(Reply::done(message::TOPIC_CREATED))
}

fn existing(queue_manager: &QueueManager, name: &str) -> Result<Arc<TopicDefinition>, Failure> {
    queue_manager.topic(&object_name(name)?).ok_or_else(|| Failure::not_found(name))
}

pub(super) async fn alter(queue_manager: &QueueManager, caller: &Principal, alter: &Alter) -> Result<Reply, Failure> {
    let name = existing(queue_manager, &alter.name)?.name;
    let change = |topic: &mut TopicDefinition| apply(&alter.name, &alter.settings, &mut Target::Topic(topic));
    queue_manager.change_topic(caller, &name, change).await?;
    Ok(Reply::done(message::TOPIC_CHANGED))
}

pub(super) async fn delete(
    queue_manager: &QueueManager,
    caller: &Principal,
    delete: &Delete,
) -> Result<Reply, Failure> {
    let topic = existing(queue_manager, &delete.name)?;
    queue_manager.delete_topic(caller, &topic.name).await?;
    if delete.authority_records {
        authority::forget(queue_manager, AuthorityObject::Topic, &topic.name).await?;
    }
    Ok(Reply::done(message::TOPIC_DELETED))
}
