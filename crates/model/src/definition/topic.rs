//! Administrative topic objects: attributes for a branch of the topic tree.
//!
//! Source: MQ reference, "DEFINE TOPIC", 9.3.

use serde::{Deserialize, Serialize};

use crate::definition::History;
use crate::name::{ObjectName, QueueName, TopicName};

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
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
    pub history: History,
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
