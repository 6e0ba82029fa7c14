//! MQPUT and MQPUT1.
//!
//! ```text
//! put    request   MQMD, MQPMO, data length 4, data, padding         reply   MQMD, MQPMO
//! put1   request   MQOD, MQMD, MQPMO, data length 4, data, padding                  reply   MQOD, MQMD, MQPMO
//! ```
//!
//! The length counts, not the segment: up to three bytes of junk follow on shared sockets. With asynchronous response (`PutStructure::is_asynchronous`) no
//! reply may be sent. Source: reference, section 9 (C).

use bytes::Bytes;

use crate::cursor::{Reader, Writer};
use crate::error::DecodeError;
use crate::structure::message_descriptor::Descriptor;
use crate::structure::object_descriptor::ObjectStructure;
use crate::structure::put_options::PutStructure;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Put {
    pub descriptor: Descriptor,
    pub options: PutStructure,
    /// Shares the memory of the unit it came in.
    pub data: Bytes,
}

impl Put {
    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            descriptor: Descriptor::decode(reader)?,
            options: PutStructure::decode(reader)?,
            data: decode_data(reader)?,
        })
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        self.descriptor.encode(writer);
        self.options.encode(writer);
        encode_data(&self.data, writer);
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PutReply {
    pub descriptor: Descriptor,
    pub options: PutStructure,
}

impl PutReply {
    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self { descriptor: Descriptor::decode_selecting(reader)?, options: PutStructure::decode(reader)? })
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        self.descriptor.encode(writer);
        self.options.encode(writer);
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Put1 {
    pub object: ObjectStructure,
    pub put: Put,
}

impl Put1 {
    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self { object: ObjectStructure::decode(reader)?, put: Put::decode(reader)? })
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        self.object.encode(writer);
        self.put.encode(writer);
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Put1Reply {
    pub object: ObjectStructure,
    pub put: PutReply,
}

impl Put1Reply {
    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self { object: ObjectStructure::decode(reader)?, put: PutReply::decode(reader)? })
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        self.object.encode(writer);
        self.put.encode(writer);
    }
}

fn decode_data(reader: &mut Reader<'_>) -> Result<Bytes, DecodeError> {
    reader.enter("message data");
    let length = reader.count("length")?;
    Ok(reader.bytes(length)?)
}

fn encode_data(data: &Bytes, writer: &mut Writer<'_>) {
    writer.count(data.len());
    writer.data(data);
    writer.pad_end();
}
