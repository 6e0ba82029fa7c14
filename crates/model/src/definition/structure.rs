//! Structures: named places for the messages of shared queues.
//!
//! In effect are RECOVER (persistent messages need it) and CFCONLOS; what is about data sets and offloading is kept and shown.
//!
//! Source: MQ reference, "DEFINE CFSTRUCT", 9.3.

use serde::{Deserialize, Serialize};

use crate::definition::History;
use crate::name::ObjectName;

/// MQ_CF_STRUC_NAME_LENGTH.
pub const MAXIMUM_NAME_LENGTH: usize = 12;
/// The structure that MQ keeps for itself, and that no queue may name.
pub const ADMINISTRATION: &str = "CSQ_ADMIN";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StructureDefinition {
    pub name: ObjectName,
    /// DESCR, at most 64 characters.
    pub description: String,
    /// CFLEVEL, 1 to 5.
    pub level: u8,
    /// RECOVER(YES): what it holds outlives the database's restart, and it takes persistent messages.
    pub recover: bool,
    /// RECAUTO(YES).
    pub recover_automatically: bool,
    /// CFCONLOS.
    pub on_loss: OnLoss,
    /// OFFLOAD.
    pub offload: Offload,
    /// OFFLD1TH to OFFLD3TH, in percent.
    pub offload_threshold_1: u8,
    pub offload_threshold_2: u8,
    pub offload_threshold_3: u8,
    /// OFFLD1SZ to OFFLD3SZ, as MQSC writes them: `64K`.
    pub offload_size_1: String,
    pub offload_size_2: String,
    pub offload_size_3: String,
    /// DSGROUP, DSBLOCK, DSBUFS, DSEXPAND.
    pub data_set_group: String,
    pub data_set_block: DataSetBlock,
    pub data_set_buffers: u32,
    pub data_set_expand: bool,
    pub history: History,
}

/// What becomes of a member that cannot reach the structure (MQCFCONLOS_*).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum OnLoss {
    /// The queue manager ends.
    Terminate,
    /// Verbs on its queues are refused with 2345.
    Tolerate,
    /// As the queue manager says.
    #[default]
    AsQueueManager,
}

/// MQCFOFFLD_*.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Offload {
    None,
    Smds,
    #[default]
    Db2,
}

/// MQDSB_*: sizes of blocks of shared message data sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum DataSetBlock {
    K8,
    K16,
    K32,
    K64,
    K128,
    #[default]
    K256,
    K512,
    M1,
}

impl Default for StructureDefinition {
    fn default() -> Self {
        Self {
            name: ObjectName::BLANK,
            description: String::new(),
            level: 5,
            recover: false,
            recover_automatically: true,
            on_loss: OnLoss::AsQueueManager,
            offload: Offload::Db2,
            offload_threshold_1: 70,
            offload_threshold_2: 80,
            offload_threshold_3: 90,
            offload_size_1: "64K".to_owned(),
            offload_size_2: "64K".to_owned(),
            offload_size_3: "64K".to_owned(),
            data_set_group: String::new(),
            data_set_block: DataSetBlock::K256,
            data_set_buffers: 100,
            data_set_expand: true,
            history: History::default(),
        }
    }
}
