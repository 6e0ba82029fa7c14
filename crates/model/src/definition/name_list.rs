//! Namelists: names of queues, clusters or authentication information under one name.
//!
//! Source: MQ reference, "DEFINE NAMELIST", 9.3.

use serde::{Deserialize, Serialize};

use crate::definition::History;
use crate::definition::queue::Disposition;
use crate::name::ObjectName;

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct NameListDefinition {
    pub name: ObjectName,
    /// DESCR, at most 64 characters.
    pub description: String,
    /// NAMES, at most 256.
    pub names: Vec<ObjectName>,
    /// QSGDISP: not that of a shared queue.
    pub disposition: Disposition,
    pub history: History,
}
