//! MQGET.
//!
//! ```text
//! request   MQMD, MQGMO, buffer length 4
//! reply     MQMD, MQGMO, full message length 4, data, padding
//! ```
//!
//! On shared sockets a reply is padded to a multiple of four: the Java client reads the strings of the segment behind it
//! from the next multiple of four of its receive buffer, and fails where that segment begins elsewhere (C).
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
        // What was cut off ends before the padding, which only the options tell.
        let returned = usize::try_from(options.returned_length).unwrap_or(usize::MAX);
        let data = reader.bytes(length.min(returned).min(reader.remaining()))?;
        Ok(Self { descriptor, options, length, data })
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        self.descriptor.encode(writer);
        self.options.encode(writer);
        writer.count(self.length);
        writer.data(&self.data);
        writer.pad_end();
    }
}
