//! The structures that stand before, or instead of, message data: dead-letter, transmission, RFH2, IMS and CICS bridge, trigger
//! message.
//!
//! Each codec reads and writes one structure in the byte order the caller names. Text fields travel as the bytes they
//! are; a caller with data in another character set converts first (`conversion`), or converts the text it takes out.
//! A property test shows for each that decoding undoes encoding; a fuzz target feeds each decoder.
//! Source: MQ reference, "Data types used in the MQI", 9.3.

pub mod cursor;
pub mod dead_letter;
pub mod fixed;
pub mod layout;
pub mod rfh2;
pub mod transmission;
pub mod trigger;

pub(crate) use layout::{DEAD_LETTER, Layout, MD_EXTENSION, RFH2_FIXED, TRANSMISSION, TRIGGER};

use crate::reason::Reason;

/// Why bytes are not the structure they ought to be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    #[error("{structure}: {needed} bytes are needed at offset {offset}, {available} are there")]
    Short { structure: &'static str, offset: usize, needed: usize, available: usize },
    #[error("{structure}: the structure identifier is another")]
    Identifier { structure: &'static str },
    #[error("{structure}: {field} is {value}")]
    Value { structure: &'static str, field: &'static str, value: i32 },
    #[error("{structure}: {field} is not an object name")]
    Name { structure: &'static str, field: &'static str },
    #[error("{structure}: text of folder {folder} is malformed")]
    Text { structure: &'static str, folder: usize },
}

impl HeaderError {
    /// The reason an application gets: that of the structure, if it has one.
    pub fn reason(&self) -> Reason {
        let structure = match self {
            Self::Short { structure, .. }
            | Self::Identifier { structure }
            | Self::Value { structure, .. }
            | Self::Name { structure, .. }
            | Self::Text { structure, .. } => *structure,
        };
        match structure {
            "MQMD" => Reason::MdError,
            "MQDLH" => Reason::DlhError,
            "MQRFH2" => Reason::RfhError,
            "MQIIH" => Reason::IihError,
            "MQMDE" => Reason::MdeError,
            "MQTM" => Reason::TmError,
            "MQXQH" => Reason::XqhError,
            _ => Reason::HeaderError,
        }
    }
}
