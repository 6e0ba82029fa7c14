//! Subscriptions: who gets publications of a topic string, and on which queue.
//!
//! Source: MQ reference, "DEFINE SUB", "MQSD - Subscription descriptor", 9.3.

use serde::{Deserialize, Serialize};

use crate::definition::History;
use crate::identifier::{AccountingToken, CorrelationId};
use crate::name::{ObjectName, QueueManagerName, TopicName};

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
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
    pub history: History,
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
