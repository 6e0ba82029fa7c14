//! Process definitions: the program a trigger monitor is asked to start.
//!
//! Source: MQ reference, "DEFINE PROCESS", "MQTM - Trigger message", 9.3.

use serde::{Deserialize, Serialize};

use crate::definition::History;
use crate::definition::queue::Disposition;
use crate::name::ObjectName;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProcessDefinition {
    pub name: ObjectName,
    /// DESCR, at most 64 characters.
    pub description: String,
    /// APPLTYPE: MQAT_* number.
    pub application_type: i32,
    /// APPLICID, at most 256 bytes.
    pub application_identifier: String,
    /// ENVRDATA and USERDATA, at most 128 bytes.
    pub environment_data: String,
    pub user_data: String,
    /// QSGDISP: not that of a shared queue.
    pub disposition: Disposition,
    pub history: History,
}

/// MQAT_UNIX: what APPLTYPE(DEF) means here.
const UNIX: i32 = 6;

impl Default for ProcessDefinition {
    fn default() -> Self {
        Self {
            name: ObjectName::BLANK,
            description: String::new(),
            application_type: UNIX,
            application_identifier: String::new(),
            environment_data: String::new(),
            user_data: String::new(),
            disposition: Disposition::QueueManager,
            history: History::default(),
        }
    }
}
