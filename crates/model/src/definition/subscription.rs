//! Subscriptions: who gets publications of a topic string, and on which queue.
//!
//! Source: MQ reference, "DEFINE SUB", "MQSD - Subscription descriptor", 9.3.

use serde::{Deserialize, Serialize};

use crate::definition::History;
use crate::identifier::{AccountingToken, CorrelationId};
use crate::name::{ObjectName, QueueManagerName, TopicName};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SubscriptionDefinition {
    /// SUB: at most 10,240 bytes, case-sensitive, any characters; empty for unnamed non-durable ones.
    pub name: String,
    /// SUBID.
    pub identifier: CorrelationId,
    /// TOPICOBJ.
    pub topic_object: TopicName,
    /// The full topic string subscribed to, wildcards included (TOPICSTR resolved against TOPICOBJ).
    pub topic_string: String,
    /// DEST and DESTQMGR.
    pub destination: ObjectName,
    pub destination_queue_manager: QueueManagerName,
    /// DESTCLAS(MANAGED): the queue manager made the destination and removes it.
    pub managed: bool,
    /// DESTCORL.
    pub correlation_id: CorrelationId,
    pub durable: bool,
    pub made_by: MadeBy,
    /// WSCHEMA(TOPIC) when true, else CHAR.
    pub wildcard_topic: bool,
    pub selector: String,
    pub user_data: String,
    /// SUBUSER.
    pub user: String,
    /// VARUSER(ANY).
    pub any_user: bool,
    /// PUBACCT and PUBAPPID.
    pub accounting_token: AccountingToken,
    pub application_identity_data: String,
    /// PUBPRTY: `None` is ASPUB; -1 is ASQDEF.
    pub priority: Option<i8>,
    /// EXPIRY in tenths of a second; `None` is UNLIMITED.
    pub expiry_tenths: Option<u32>,
    /// REQONLY.
    pub request_only: bool,
    /// PSPROP.
    pub properties: PublishProperties,
    /// SUBLEVEL, 0 to 9.
    pub level: u8,
    /// SUBSCOPE(QMGR).
    pub local_scope: bool,
    /// MQSO_GROUP_SUB: of a group, one gets a publication. No attribute shows it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub grouped: bool,
    pub history: History,
}

/// As DEFINE SUB starts from: durable, wildcards by topic level, open to other users.
impl Default for SubscriptionDefinition {
    fn default() -> Self {
        Self {
            name: String::new(),
            identifier: CorrelationId::NONE,
            topic_object: TopicName::BLANK,
            topic_string: String::new(),
            destination: ObjectName::BLANK,
            destination_queue_manager: QueueManagerName::BLANK,
            managed: false,
            correlation_id: CorrelationId::NONE,
            durable: true,
            made_by: MadeBy::Administrator,
            wildcard_topic: true,
            selector: String::new(),
            user_data: String::new(),
            user: String::new(),
            any_user: true,
            accounting_token: AccountingToken::NONE,
            application_identity_data: String::new(),
            priority: None,
            expiry_tenths: None,
            request_only: false,
            properties: PublishProperties::MessageProperty,
            level: 1,
            local_scope: false,
            grouped: false,
            history: History::default(),
        }
    }
}

/// SUBTYPE.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum MadeBy {
    #[default]
    Administrator,
    Api,
    Proxy,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum PublishProperties {
    #[default]
    MessageProperty,
    None,
    Compatible,
    Rfh2,
}
