//! Object definitions: what DEFINE makes, ALTER changes and DISPLAY shows. One file a kind.
//!
//! The attribute table (`attribute.rs`) is the one place that knows attribute names; every field here has one row there.

pub mod administered;
pub mod attribute;
pub mod authentication;
pub mod channel;
pub mod channel_authentication;
pub mod communication;
pub mod listener;
pub mod name_list;
pub mod process;
pub mod queue;
pub mod queue_manager;
pub mod service;
pub mod structure;
pub mod subscription;
pub mod topic;

use serde::{Deserialize, Serialize};

pub use administered::AdministeredObject;
pub use channel::{ChannelDefinition, ChannelType};
pub use channel_authentication::ChannelAuthentication;
pub use queue::{QueueDefinition, QueueKind};
pub use queue_manager::{IntraGroupAuthority, QueueManagerDefinition};
pub use subscription::SubscriptionDefinition;
pub use topic::TopicDefinition;

use crate::timestamp::Timestamp;

/// When an object was made and last altered: CRDATE/CRTIME and ALTDATE/ALTTIME.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct History {
    pub created: Timestamp,
    pub altered: Timestamp,
}

/// Whether events of a kind are written (CHLEV).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum EventSwitch {
    #[default]
    Disabled,
    Enabled,
    /// Only those that tell of trouble.
    Exception,
}

/// A switch that an object may leave to its queue manager (MONQ, STATQ, ACCTQ and their kin).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Collect {
    #[default]
    QueueManager,
    None,
    Off,
    On,
    Low,
    Medium,
    High,
}

impl Collect {
    /// What holds for an object that says this while its queue manager says `manager`, whose NONE overrules everything.
    pub fn in_effect(self, manager: Self) -> Self {
        match (manager, self) {
            (Self::None, _) => Self::Off,
            (manager, Self::QueueManager) => manager,
            (_, own) => own,
        }
    }
}
