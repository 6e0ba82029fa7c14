//! DEFINE, ALTER and DELETE of administrative subscriptions.

use std::sync::Arc;

use ::queue_manager::QueueManager;
use ::queue_manager::objects::ObjectError;
use model::authority::Principal;
use model::definition::attribute::{Kind, Target};
use model::definition::subscription::MadeBy;
use model::definition::{History, SubscriptionDefinition};
use model::identifier::CorrelationId;
use model::name::TopicName;
use model::reason::Reason;

use crate::command::{Alter, Define, Delete};
use crate::execute::{Failure, apply};
use crate::message;
use crate::reply::{MQRCCF_ATTR_VALUE_ERROR, Reply};

pub(super) async fn define(
    queue_manager: &QueueManager,
    caller: &Principal,
    define: &Define,
) -> Result<Reply, Failure> {
    let like = match &define.like {
        Some(like) => Some(existing(queue_manager, like)?),
        None => None,
    };
    let default = || Kind::Subscription.default_object().and_then(|name| queue_manager.subscription(name));
    let base = like.clone().or_else(default).as_deref().cloned().unwrap_or_default();
    let mut definition = SubscriptionDefinition {
        name: define.name.clone(),
        identifier: CorrelationId::NONE,
        topic_object: TopicName::BLANK,
        topic_string: String::new(),
        durable: true,
        made_by: MadeBy::Administrator,
        history: History::default(),
        ..base
    };
    apply(&define.name, &define.settings, &mut Target::Subscription(&mut definition))?;
    match &like {
        // Neither part of the topic string is given: that of LIKE counts.
        Some(like) if definition.topic_string.is_empty() && definition.topic_object.is_blank() => {
            definition.topic_string.clone_from(&like.topic_string);
            definition.topic_object = like.topic_object;
        }
        _ => definition.topic_string = resolve(queue_manager, &definition)?,
    }
    // What DEFINE starts from is about no topic.
    let is_default = Kind::Subscription.default_object() == Some(&*define.name);
    if definition.topic_string.is_empty() && !is_default {
        return Err(missing("a subscription needs a topic string or a topic object"));
    }
    if !definition.managed && definition.destination.is_blank() && !is_default {
        return Err(missing("a subscription that is not managed needs a destination"));
    }
    if definition.user.is_empty() && !is_default {
        definition.user = caller.user.to_string();
    }
    queue_manager.define_subscription(caller, definition, define.replace).await?;
    Ok(Reply::done(message::SUBSCRIPTION_CREATED))
}

/// The full topic string: the topic object's, then what the command gave.
fn resolve(queue_manager: &QueueManager, definition: &SubscriptionDefinition) -> Result<String, Failure> {
    if definition.topic_object.is_blank() {
        return Ok(definition.topic_string.clone());
    }
    match queue_manager.full_topic_string(&definition.topic_object, &definition.topic_string) {
        Ok(topic_string) => Ok(topic_string),
        Err(Reason::UnknownObjectName) => Err(Failure::not_found(definition.topic_object.as_str())),
        // The object's string is empty and the command gives none: said as what is missing.
        Err(Reason::TopicStringError) if definition.topic_string.is_empty() => Ok(String::new()),
        Err(reason) => Err(Failure::Object(ObjectError::Reason(reason))),
    }
}

fn missing(what: &str) -> Failure {
    Failure::Reply(Reply::failed(MQRCCF_ATTR_VALUE_ERROR, message::REQUIRED, &[what]))
}

fn existing(queue_manager: &QueueManager, name: &str) -> Result<Arc<SubscriptionDefinition>, Failure> {
    queue_manager.subscription(name).ok_or_else(|| Failure::not_found(name))
}

pub(super) async fn alter(queue_manager: &QueueManager, caller: &Principal, alter: &Alter) -> Result<Reply, Failure> {
    existing(queue_manager, &alter.name)?;
    let change = |subscription: &mut SubscriptionDefinition| {
        apply(&alter.name, &alter.settings, &mut Target::Subscription(subscription))
    };
    queue_manager.change_subscription(caller, &alter.name, change).await?;
    Ok(Reply::done(message::SUBSCRIPTION_CHANGED))
}

pub(super) async fn delete(
    queue_manager: &QueueManager,
    caller: &Principal,
    delete: &Delete,
) -> Result<Reply, Failure> {
    let subscription = existing(queue_manager, &delete.name)?;
    queue_manager.delete_subscription(caller, &subscription.name).await?;
    Ok(Reply::done(message::SUBSCRIPTION_DELETED))
}
