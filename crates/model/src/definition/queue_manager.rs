//! The queue manager's own attributes.
//!
//! Source: MQ reference, "ALTER QMGR", "Attributes for the queue manager", 9.3.

use serde::{Deserialize, Serialize};

use crate::definition::History;
use crate::name::{ObjectName, QueueManagerName, QueueName};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct QueueManagerDefinition {
    pub name: QueueManagerName,
    /// DESCR, at most 64 characters.
    pub description: String,
    /// QMID: made at creation, never altered.
    pub identifier: String,
    /// DEADQ.
    pub dead_letter_queue: QueueName,
    /// DEFXMITQ.
    pub default_transmission_queue: QueueName,
    /// CCSID, fixed at creation here: 1208.
    pub ccsid: u32,
    /// MAXMSGL in bytes, 32 KiB to 100 MiB.
    pub maximum_message_length: u32,
    /// MAXHANDS, handles one connection may hold, 0 to 999,999,999.
    pub maximum_handles: u32,
    /// MAXUMSGS, messages of one unit of work, 1 to 999,999,999.
    pub maximum_uncommitted_messages: u32,
    /// MAXPROPL in bytes; `None` is NOLIMIT.
    pub maximum_properties_length: Option<u32>,
    /// TRIGINT in milliseconds.
    pub trigger_interval_ms: u32,
    /// MARKINT in milliseconds; `None` is NOLIMIT.
    pub mark_browse_interval_ms: Option<u32>,
    /// CONNAUTH: AUTHINFO object.
    pub connection_authentication: ObjectName,
    pub inhibit_event: bool,
    pub local_event: bool,
    pub remote_event: bool,
    pub start_stop_event: bool,
    pub performance_event: bool,
    pub authority_event: bool,
    pub command_event: bool,
    pub configuration_event: bool,
    pub publish_subscribe_enabled: bool,
    pub custom: String,
    pub history: History,
}

impl Default for QueueManagerDefinition {
    fn default() -> Self {
        Self {
            name: QueueManagerName::BLANK,
            description: String::new(),
            identifier: String::new(),
            dead_letter_queue: QueueName::BLANK,
            default_transmission_queue: QueueName::BLANK,
            ccsid: 1208,
            maximum_message_length: 4_194_304,
            maximum_handles: 256,
            maximum_uncommitted_messages: 10_000,
            maximum_properties_length: None,
            trigger_interval_ms: 999_999_999,
            mark_browse_interval_ms: Some(5000),
            connection_authentication: ObjectName::BLANK,
            inhibit_event: false,
            local_event: false,
            remote_event: false,
            start_stop_event: true,
            performance_event: false,
            authority_event: false,
            command_event: false,
            configuration_event: false,
            publish_subscribe_enabled: true,
            custom: String::new(),
            history: History::default(),
        }
    }
}
