//! SPI 2: a put to an open queue or topic that may be delivered later. JMS 2.0 clients send it for a delivery delay.
//!
//! ```text
//! both ways  "SPPU", version 1, length, MQMD, MQPMO
//! request    "SPPI", version 1 to 3, length, options 4, data length 4, [from version 2: 4], [from version 3: delay in milliseconds 8],
//!            data, padding
//! reply      "SPPO", version 1, length 12
//! ```
//!
//! The length of SPPI counts the data. Source: observed of the public Java client 9.4.2 (C); the options and the word of version 2 were
//! zero (G).

use bytes::Bytes;

use crate::cursor::{Reader, Writer};
use crate::error::DecodeError;
use crate::flow::spi::{decode_head, encode_head};
use crate::form::ByteOrder;
use crate::structure::message_descriptor::Descriptor;
use crate::structure::put_options::PutStructure;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpiPut {
    pub put: SpiPutReply,
    pub options: i32,
    /// Of version 2.
    pub reserved: i32,
    /// How long the message is to be kept back, in milliseconds.
    pub delay_ms: i64,
    /// Shares the memory of the unit it came in.
    pub data: Bytes,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpiPutReply {
    pub descriptor: Descriptor,
    pub options: PutStructure,
}

/// Highest version of the in structure.
pub(super) const IN_VERSION: i32 = 3;

impl SpiPut {
    pub(super) fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let put = SpiPutReply::decode_with(reader, Descriptor::decode)?;
        let (version, _) = decode_head(*b"SPPI", IN_VERSION, reader)?;
        let options = reader.integer()?;
        let length = reader.count("length")?;
        let reserved = if version >= 2 { reader.integer()? } else { 0 };
        let delay_ms = if version >= 3 { decode_long(reader)? } else { 0 };
        Ok(Self { put, options, reserved, delay_ms, data: reader.bytes(length)? })
    }

    pub(super) fn encode(&self, writer: &mut Writer<'_>) {
        self.put.encode(writer);
        let base = writer.offset();
        encode_head(*b"SPPI", IN_VERSION, writer);
        writer.integer(self.options);
        writer.count(self.data.len());
        writer.integer(self.reserved);
        encode_long(self.delay_ms, writer);
        writer.patch(base + 8, writer.offset() - base + self.data.len());
        writer.data(&self.data);
        writer.pad_end();
    }
}

impl SpiPutReply {
    /// The in/out structure of a reply.
    pub(super) fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Self::decode_with(reader, Descriptor::decode_selecting)
    }

    fn decode_with(
        reader: &mut Reader<'_>,
        descriptor: fn(&mut Reader<'_>) -> Result<Descriptor, DecodeError>,
    ) -> Result<Self, DecodeError> {
        let base = reader.offset();
        let (_, length) = decode_head(*b"SPPU", 1, reader)?;
        let put = Self { descriptor: descriptor(reader)?, options: PutStructure::decode(reader)? };
        reader.skip_to(base.saturating_add(length));
        Ok(put)
    }

    pub(super) fn encode(&self, writer: &mut Writer<'_>) {
        let base = writer.offset();
        encode_head(*b"SPPU", 1, writer);
        self.descriptor.encode(writer);
        self.options.encode(writer);
        writer.patch(base + 8, writer.offset() - base);
    }
}

fn decode_long(reader: &mut Reader<'_>) -> Result<i64, DecodeError> {
    let order = reader.form().order;
    let bytes = reader.array()?;
    Ok(match order {
        ByteOrder::Big => i64::from_be_bytes(bytes),
        ByteOrder::Little => i64::from_le_bytes(bytes),
    })
}

fn encode_long(value: i64, writer: &mut Writer<'_>) {
    let bytes = match writer.form().order {
        ByteOrder::Big => value.to_be_bytes(),
        ByteOrder::Little => value.to_le_bytes(),
    };
    writer.bytes(&bytes);
}
