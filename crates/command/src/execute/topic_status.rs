//! DISPLAY TPSTATUS, DISPLAY SBSTATUS, DISPLAY PUBSUB and CLEAR TOPICSTR.

use ::queue_manager::QueueManager;
use ::queue_manager::objects::ObjectError;
use model::authority::{AuthorityObject, Principal};

use crate::command::Request;
use crate::command::topic::{SubscriptionStatusQuery, TopicStatusOf, TopicStatusQuery};
use crate::execute::Failure;
use crate::execute::authority::require_display;
use crate::message;
use crate::reply::{Item, MQRCCF_NONE_FOUND, Reply};
use crate::status;
use crate::status::topic::PublishSubscribeView;

pub(super) async fn clear(queue_manager: &QueueManager, caller: &Principal, topic: &str) -> Result<Reply, Failure> {
    if has_wildcard(topic) {
        let found = queue_manager.topic_statuses(topic).await;
        let nodes = found.map_err(|reason| Failure::Object(ObjectError::Reason(reason)))?;
        for node in nodes.iter().filter(|node| node.retained) {
            queue_manager.clear_topic_string(caller, &node.topic_string).await?;
        }
    } else {
        queue_manager.clear_topic_string(caller, topic).await?;
    }
    Ok(Reply::done(message::TOPIC_STRING_CLEARED))
}

/// `#` and `+` are wildcards when they are a whole level; within one they are characters as any other.
fn has_wildcard(topic: &str) -> bool {
    topic.split('/').any(|level| matches!(level, "#" | "+"))
}

pub(super) async fn display(
    queue_manager: &QueueManager,
    caller: &Principal,
    query: &TopicStatusQuery,
) -> Result<Reply, Failure> {
    require_display(queue_manager, caller, AuthorityObject::QueueManager, &queue_manager.name())?;
    let found = queue_manager.topic_statuses(&query.topic_string).await;
    let nodes = found.map_err(|reason| Failure::Object(ObjectError::Reason(reason)))?;
    if nodes.is_empty() {
        return Err(Failure::not_found(&query.topic_string));
    }
    let is_node = |topic: &str| nodes.binary_search_by(|node| node.topic_string.as_str().cmp(topic)).is_ok();
    let request = &query.request;
    let shown: Vec<_> = match query.of {
        TopicStatusOf::Topic => {
            nodes.iter().filter_map(|node| status::show(status::topic::TOPIC, node, request)).collect()
        }
        TopicStatusOf::Publishers => queue_manager
            .topic_publishers()
            .iter()
            .filter(|publisher| is_node(&publisher.topic_string))
            .filter_map(|publisher| status::show(status::topic::PUBLISHER, publisher, request))
            .collect(),
        TopicStatusOf::Subscribers => queue_manager
            .subscription_statuses()
            .iter()
            .filter(|subscription| is_node(&subscription.definition.topic_string))
            .filter_map(|subscription| status::show(status::topic::SUBSCRIBER, subscription, request))
            .collect(),
    };
    if shown.is_empty() {
        return Err(Failure::Reply(Reply::failed(MQRCCF_NONE_FOUND, message::NONE_FOUND, &[])));
    }
    let item = |attributes| Item::shown(message::TOPIC_STATUS_DETAILS, attributes);
    Ok(Reply::of(shown.into_iter().map(item).collect()))
}

pub(super) fn subscriptions(
    queue_manager: &QueueManager,
    caller: &Principal,
    query: &SubscriptionStatusQuery,
) -> Result<Reply, Failure> {
    require_display(queue_manager, caller, AuthorityObject::QueueManager, &queue_manager.name())?;
    let items: Vec<_> = queue_manager
        .subscription_statuses()
        .iter()
        .filter(|status| query.which.matches(&status.definition))
        .filter_map(|subscription| status::show(status::topic::SUBSCRIPTION, subscription, &query.request))
        .map(|attributes| Item::shown(message::SUBSCRIPTION_STATUS, attributes))
        .collect();
    if items.is_empty() {
        return Err(Failure::not_found(&query.which.of.to_string()));
    }
    Ok(Reply::of(items))
}

pub(super) async fn publish_subscribe(
    queue_manager: &QueueManager,
    caller: &Principal,
    local: bool,
    request: &Request,
) -> Result<Reply, Failure> {
    require_display(queue_manager, caller, AuthorityObject::QueueManager, &queue_manager.name())?;
    let nodes = queue_manager.topic_statuses("#").await;
    let view = PublishSubscribeView {
        name: queue_manager.name().to_string(),
        enabled: queue_manager.definition().publish_subscribe_enabled,
        subscriptions: queue_manager.subscription_statuses().len(),
        topics: nodes.map_err(|reason| Failure::Object(ObjectError::Reason(reason)))?.len(),
    };
    let shown = status::show(status::topic::PUBLISH_SUBSCRIBE, &view, request).filter(|_| local);
    match shown {
        Some(attributes) => Ok(Reply::of(vec![Item::shown(message::PUBLISH_SUBSCRIBE_DETAILS, attributes)])),
        None => Err(Failure::Reply(Reply::failed(MQRCCF_NONE_FOUND, message::NONE_FOUND, &[]))),
    }
}
