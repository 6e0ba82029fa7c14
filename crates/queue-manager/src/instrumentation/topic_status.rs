//! The topic tree as it is: DISPLAY TPSTATUS, DISPLAY PUBSUB, and CLEAR TOPICSTR.
//!
//! A topic string is a node of the tree when a topic object, a subscription, an open publisher or a retained publication
//! stands there, or one of these below it.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use model::authority::{Authority, Principal};
use model::definition::TopicDefinition;
use model::definition::queue::PutResponse;
use model::definition::topic::{ClusterRoute, Delivery, Multicast, Scope};
use model::name::{ObjectName, QueueName, TopicName};
use model::reason::Reason;
use model::timestamp::Timestamp;

use crate::QueueManager;
use crate::definition::objects::ObjectError;
use crate::engine::Engine;
use crate::publish::check_authority;
use crate::publish::retained;
use crate::publish::topic_tree::Pattern;
use crate::security::authority::Door;
use crate::verb::connection::Connection;
use crate::verb::handle::Target;

/// One node, with nothing left to a parent.
#[derive(Debug, Clone)]
pub struct TopicStatus {
    pub topic_string: String,
    /// ADMIN: the topic object that stands at this very node.
    pub object: Option<TopicName>,
    pub publish: bool,
    pub subscribe: bool,
    pub default_priority: u8,
    pub default_persistent: bool,
    pub default_put_response: PutResponse,
    pub durable_subscriptions: bool,
    pub model_durable: QueueName,
    pub model_nondurable: QueueName,
    pub persistent_delivery: Delivery,
    pub nonpersistent_delivery: Delivery,
    pub use_dead_letter_queue: bool,
    pub publish_scope: Scope,
    pub subscribe_scope: Scope,
    pub multicast: Multicast,
    pub communication_information: ObjectName,
    pub cluster: ObjectName,
    pub cluster_route: ClusterRoute,
    /// PUBCOUNT and SUBCOUNT: open handles for publishing, and subscriptions, at this node.
    pub publishers: u32,
    pub subscribers: u32,
    pub retained: bool,
}

/// An open handle that publishes on a topic string.
#[derive(Debug, Clone)]
pub struct PublisherStatus {
    pub topic_string: String,
    /// Identifier of the connection: ACTCONN.
    pub connection: [u8; 24],
    pub published: u64,
    pub last_published: Option<Timestamp>,
}

/// What stands at a node.
#[derive(Default)]
struct Node {
    publishers: u32,
    subscribers: u32,
    retained: bool,
}

impl QueueManager {
    /// The nodes that a topic string with `#` and `+` as wildcards matches, sorted.
    ///
    /// # Errors
    /// `TopicStringError` (2425), or why retained publications cannot be read.
    pub async fn topic_statuses(&self, pattern: &str) -> Result<Vec<TopicStatus>, Reason> {
        let engine = self.engine();
        let pattern = Pattern::parse(pattern, true)?;
        let mut nodes = nodes(engine).await?;
        nodes.retain(|topic, _| pattern.matches(topic));
        Ok(nodes.into_iter().map(|(topic, node)| status(engine, topic, &node)).collect())
    }

    /// Every open handle for publishing, by topic string.
    pub fn topic_publishers(&self) -> Vec<PublisherStatus> {
        let mut publishers = publishers(self.engine());
        publishers.sort_by(|a, b| (&a.topic_string, a.connection).cmp(&(&b.topic_string, b.connection)));
        publishers
    }

    /// Removes the retained publication of a topic string; none is fine.
    ///
    /// # Errors
    /// `NotAuthorized`: no +clr on a topic object above. `Reason`: the store refused.
    pub async fn clear_topic_string(&self, caller: &Principal, topic: &str) -> Result<(), ObjectError> {
        let engine = self.engine();
        check_authority(engine, Door::Command, caller, topic, Authority::CLEAR).map_err(|_| {
            ObjectError::NotAuthorized {
                user: caller.user.to_string(),
                name: topic.to_owned(),
                missing: Authority::CLEAR.list(),
            }
        })?;
        let connection = Connection::internal(engine);
        let _retaining = engine.publish.retaining.take().await;
        retained::forget(engine, &connection.state, topic, engine.now()).await.map_err(ObjectError::Reason)?;
        connection.commit().await.map_err(ObjectError::Reason)
    }
}

fn publishers(engine: &Engine) -> Vec<PublisherStatus> {
    let mut publishers = Vec::new();
    for state in engine.connections.all() {
        for handle in state.handles.lock().iter().flatten() {
            if let Target::Topic(open) = &handle.target {
                publishers.push(PublisherStatus {
                    topic_string: open.topic_string.clone(),
                    connection: engine.identifiers.of_connection(state.number),
                    published: open.published.load(Ordering::Relaxed),
                    last_published: Some(open.last_published.load(Ordering::Relaxed))
                        .filter(|&at| at > 0)
                        .map(Timestamp),
                });
            }
        }
    }
    publishers
}

async fn nodes(engine: &Engine) -> Result<BTreeMap<String, Node>, Reason> {
    let mut nodes: BTreeMap<String, Node> = BTreeMap::new();
    nodes.entry(String::new()).or_default();
    for topic in engine.topics.read().values().filter(|topic| !topic.topic_string.is_empty()) {
        nodes.entry(topic.topic_string.clone()).or_default();
    }
    engine.publish.with(|state| {
        for subscription in state.all() {
            nodes.entry(subscription.definition.topic_string.clone()).or_default().subscribers += 1;
        }
    });
    for publisher in publishers(engine) {
        nodes.entry(publisher.topic_string).or_default().publishers += 1;
    }
    for retained in retained::matching(engine, &Pattern::parse("#", true)?, engine.now()).await? {
        nodes.entry(retained.topic).or_default().retained = true;
    }
    let above: Vec<String> = nodes
        .keys()
        .flat_map(|topic| topic.match_indices('/').map(|(at, _)| topic[..at].to_owned()).collect::<Vec<_>>())
        .collect();
    for topic in above {
        nodes.entry(topic).or_default();
    }
    Ok(nodes)
}

fn status(engine: &Engine, topic_string: String, node: &Node) -> TopicStatus {
    engine.publish.with(|state| {
        let effective = state.topics.effective(&topic_string);
        let above = || state.topics.above(&topic_string);
        let name = |of: fn(&TopicDefinition) -> ObjectName| {
            above().map(|topic| of(topic)).find(|name| !name.is_blank()).unwrap_or(ObjectName::BLANK)
        };
        let scope = |of: fn(&TopicDefinition) -> Scope| {
            above().map(|topic| of(topic)).find(|scope| *scope != Scope::AsParent).unwrap_or(Scope::All)
        };
        let multicast = above().map(|topic| topic.multicast).find(|mode| *mode != Multicast::AsParent);
        let object = above().next().filter(|topic| topic.topic_string == topic_string).map(|topic| topic.name);
        TopicStatus {
            object,
            publish: effective.publish,
            subscribe: effective.subscribe,
            default_priority: effective.default_priority,
            default_persistent: effective.default_persistent,
            default_put_response: above()
                .find_map(|topic| topic.default_put_response)
                .unwrap_or(PutResponse::Synchronous),
            durable_subscriptions: effective.durable_subscriptions,
            model_durable: effective.model_durable,
            model_nondurable: effective.model_nondurable,
            persistent_delivery: effective.persistent_delivery,
            nonpersistent_delivery: effective.nonpersistent_delivery,
            use_dead_letter_queue: effective.use_dead_letter_queue,
            publish_scope: scope(|topic| topic.publish_scope),
            subscribe_scope: scope(|topic| topic.subscribe_scope),
            multicast: multicast.unwrap_or(Multicast::Disabled),
            communication_information: name(|topic| topic.communication_information),
            cluster: name(|topic| topic.cluster),
            cluster_route: above()
                .find(|topic| !topic.cluster.is_blank())
                .map_or(ClusterRoute::Direct, |topic| topic.cluster_route),
            publishers: node.publishers,
            subscribers: node.subscribers,
            retained: node.retained,
            topic_string: topic_string.clone(),
        }
    })
}
