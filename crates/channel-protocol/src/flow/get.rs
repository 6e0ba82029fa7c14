//! MQGET.
//!
//! ```text
//! request   MQMD, MQGMO, buffer length 4
//! reply     MQMD, MQGMO, full message length 4, data
//! ```
//!
//! A truncated reply states the full length and carries as much as fits the buffer, also with 2080, where the message
//! stays. Source: reference, section 9 (C).

use bytes::Bytes;

use crate::cursor::{Reader, Writer};
use crate::error::DecodeError;
use crate::structure::get_options::GetStructure;
use crate::structure::message_descriptor::Descriptor;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Get {
    pub descriptor: Descriptor,
    pub options: GetStructure,
    /// In bytes.
    pub buffer_length: usize,
}

impl Get {
    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let descriptor = Descriptor::decode_selecting(reader)?;
        let options = GetStructure::decode(reader)?;
        reader.enter("MQGET");
        Ok(Self { descriptor, options, buffer_length: reader.count("buffer length")? })
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        self.descriptor.encode(writer);
        self.options.encode(writer);
        writer.count(self.buffer_length);
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GetReply {
    pub descriptor: Descriptor,
    pub options: GetStructure,
    /// Of the whole message, in bytes; `data` may be shorter.
    pub length: usize,
    pub data: Bytes,
}

impl GetReply {
    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let descriptor = Descriptor::decode_selecting(reader)?;
        let options = GetStructure::decode(reader)?;
        reader.enter("MQGET reply");
        let length = reader.count("message length")?;
        let data = reader.bytes(length.min(reader.remaining()))?;
        Ok(Self { descriptor, options, length, data })
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        self.descriptor.encode(writer);
        self.options.encode(writer);
        writer.count(self.length);
        writer.data(&self.data);
    }
}
