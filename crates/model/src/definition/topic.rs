//! Administrative topic objects: attributes for a branch of the topic tree.
//!
//! Source: MQ reference, "DEFINE TOPIC", 9.3.

use serde::{Deserialize, Serialize};

use crate::definition::History;
use crate::definition::queue::{Disposition, PutResponse};
use crate::name::{ObjectName, QueueName, TopicName};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TopicDefinition {
    pub name: TopicName,
    /// DESCR, at most 64 characters.
    pub description: String,
    /// TOPICSTR, at most 10,240 bytes; fixed once defined.
    pub topic_string: String,
    /// PUB and SUB.
    pub publish: Allowed,
    pub subscribe: Allowed,
    /// DEFPRTY; `None` is ASPARENT.
    pub default_priority: Option<u8>,
    /// DEFPSIST; `None` is ASPARENT.
    pub default_persistent: Option<bool>,
    /// DURSUB; `None` is ASPARENT.
    pub durable_subscriptions: Option<bool>,
    /// MDURMDL and MNDURMDL: models of managed queues; blank takes the parent's.
    pub model_durable: QueueName,
    pub model_nondurable: QueueName,
    /// PMSGDLV and NPMSGDLV.
    pub persistent_delivery: Delivery,
    pub nonpersistent_delivery: Delivery,
    /// USEDLQ; `None` is ASPARENT.
    pub use_dead_letter_queue: Option<bool>,
    pub cluster: ObjectName,
    pub custom: String,
    /// DEFPRESP; `None` is ASPARENT.
    pub default_put_response: Option<PutResponse>,
    /// PUBSCOPE and SUBSCOPE.
    pub publish_scope: Scope,
    pub subscribe_scope: Scope,
    /// WILDCARD(BLOCK).
    pub block_wildcards: bool,
    /// PROXYSUB(FORCE).
    pub proxy_subscription_force: bool,
    /// MCAST.
    pub multicast: Multicast,
    /// COMMINFO.
    pub communication_information: ObjectName,
    /// CLROUTE.
    pub cluster_route: ClusterRoute,
    /// CAPEXPRY in tenths of a second; -1 is NOLIMIT, -2 ASPARENT.
    pub cap_expiry: i32,
    /// QSGDISP: not that of a shared queue.
    pub disposition: Disposition,
    pub history: History,
}

impl Default for TopicDefinition {
    fn default() -> Self {
        Self {
            name: TopicName::BLANK,
            description: String::new(),
            topic_string: String::new(),
            publish: Allowed::AsParent,
            subscribe: Allowed::AsParent,
            default_priority: None,
            default_persistent: None,
            durable_subscriptions: None,
            model_durable: QueueName::BLANK,
            model_nondurable: QueueName::BLANK,
            persistent_delivery: Delivery::AsParent,
            nonpersistent_delivery: Delivery::AsParent,
            use_dead_letter_queue: None,
            cluster: ObjectName::BLANK,
            custom: String::new(),
            default_put_response: None,
            publish_scope: Scope::AsParent,
            subscribe_scope: Scope::AsParent,
            block_wildcards: false,
            proxy_subscription_force: false,
            multicast: Multicast::AsParent,
            communication_information: ObjectName::BLANK,
            cluster_route: ClusterRoute::Direct,
            cap_expiry: -2,
            disposition: Disposition::QueueManager,
            history: History::default(),
        }
    }
}

/// PUBSCOPE and SUBSCOPE: how far publications and subscriptions reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Scope {
    #[default]
    AsParent,
    All,
    QueueManager,
}

/// MCAST.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Multicast {
    #[default]
    AsParent,
    Enabled,
    Disabled,
    Only,
}

/// CLROUTE.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ClusterRoute {
    #[default]
    Direct,
    TopicHost,
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Allowed {
    #[default]
    AsParent,
    Enabled,
    Disabled,
}

/// When a publication that cannot reach every subscriber fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Delivery {
    #[default]
    AsParent,
    All,
    AllDurable,
    AllAvailable,
}
