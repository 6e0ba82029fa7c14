//! Service definitions: a program that the product would start with the queue manager. Kept, never run here.
//!
//! Source: MQ reference, "DEFINE SERVICE", 9.3.

use serde::{Deserialize, Serialize};

use crate::definition::History;
use crate::definition::listener::StartControl;
use crate::name::ObjectName;

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ServiceDefinition {
    pub name: ObjectName,
    /// DESCR, at most 64 characters.
    pub description: String,
    /// CONTROL.
    pub control: StartControl,
    /// SERVTYPE(SERVER): one at a time, with status.
    pub is_server: bool,
    /// STARTCMD, STARTARG; STOPCMD, STOPARG; STDOUT, STDERR; at most 255 bytes.
    pub start_command: String,
    pub start_arguments: String,
    pub stop_command: String,
    pub stop_arguments: String,
    pub standard_output: String,
    pub standard_error: String,
    pub history: History,
}
