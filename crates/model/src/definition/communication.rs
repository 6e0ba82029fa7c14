//! Communication information: settings of multicast topics. Kept, without effect here.
//!
//! Source: MQ reference, "DEFINE COMMINFO", 9.3.

use serde::{Deserialize, Serialize};

use crate::definition::{EventSwitch, History};
use crate::name::ObjectName;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CommunicationDefinition {
    pub name: ObjectName,
    /// DESCR, at most 64 characters.
    pub description: String,
    /// BRIDGE(ENABLED).
    pub bridge: bool,
    /// CCSID; -4 is ASPUB.
    pub ccsid: i32,
    /// ENCODING; -1 is ASPUB.
    pub encoding: i32,
    /// COMMEV.
    pub event: EventSwitch,
    /// GRPADDR.
    pub group_address: String,
    /// MCHBINT in milliseconds.
    pub heartbeat_interval_ms: u32,
    /// MCPROP.
    pub properties: MulticastProperties,
    /// MONINT in seconds.
    pub monitor_interval_s: u32,
    /// MSGHIST in kilobytes.
    pub message_history_kb: u32,
    /// NSUBHIST(ALL).
    pub new_subscriber_history: bool,
    /// PORT.
    pub port: u32,
    pub history: History,
}

/// Which properties of messages multicast carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum MulticastProperties {
    #[default]
    All,
    Reply,
    User,
    None,
    Compatible,
}

impl Default for CommunicationDefinition {
    fn default() -> Self {
        Self {
            name: ObjectName::BLANK,
            description: String::new(),
            bridge: true,
            ccsid: -4,
            encoding: -1,
            event: EventSwitch::Disabled,
            group_address: "239.0.0.0".to_owned(),
            heartbeat_interval_ms: 2000,
            properties: MulticastProperties::All,
            monitor_interval_s: 60,
            message_history_kb: 100,
            new_subscriber_history: false,
            port: 1414,
            history: History::default(),
        }
    }
}
