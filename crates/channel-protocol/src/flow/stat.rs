//! MQSTAT, request and reply alike: type 4, MQSTS. Source: reference, section 9 (C).

use crate::cursor::{Reader, Writer};
use crate::error::DecodeError;
use crate::structure::status_structure::StatusStructure;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stat {
    /// MQSTAT_TYPE_*: 0 asynchronous errors, 1 reconnection, 2 reconnection error.
    pub status_type: i32,
    pub status: StatusStructure,
}

impl Stat {
    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.enter("MQSTAT");
        Ok(Self { status_type: reader.integer()?, status: StatusStructure::decode(reader)? })
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        writer.integer(self.status_type);
        self.status.encode(writer);
    }
}
