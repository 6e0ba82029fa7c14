//! Listener definitions: where MQ clients and partners may call. Only TCP here.
//!
//! Source: MQ reference, "DEFINE LISTENER", 9.3; defaults as a 9.4.2 queue manager shows them.

use serde::{Deserialize, Serialize};

use crate::definition::History;
use crate::name::ObjectName;

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ListenerDefinition {
    pub name: ObjectName,
    /// DESCR, at most 64 characters.
    pub description: String,
    /// CONTROL.
    pub control: StartControl,
    /// PORT; 0 is the usual one.
    pub port: u32,
    /// IPADDR; blank is every address.
    pub address: String,
    /// BACKLOG: connection requests that may wait; 0 is the platform's.
    pub backlog: u32,
    /// INDISP(GROUP): those who call here call the group, so their channels are shared.
    pub of_group: bool,
    pub history: History,
}

/// Who starts and stops a listener or a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum StartControl {
    /// Commands only.
    #[default]
    Manual,
    /// With the queue manager.
    QueueManager,
    /// Started with the queue manager, not stopped with it.
    StartOnly,
}
