//! What an open tells about the queue: FOPA of MQOPEN and the same four values in LPOO of SPI open.
//!
//! ```text
//! FOPA   0 "FOPA"             4     12 default persistence      4     20 default read-ahead   4
//!        4 version 1          4     16 default put response     4     24 property control     4
//!        8 length 28          4                                       28
//!
//! LPOO   0 "LPOO"             4     12 LPI options              4     24 default read-ahead   4
//!        4 version 1          4     16 default persistence      4     28 property control     4
//!        8 open options       4     20 default put response     4     32
//! ```
//!
//! Source: reference, sections 8 and 9.2 (C). The last two words of a FOPA request hold stale bytes.

use model::options::OpenOptions;

use crate::cursor::{Reader, Writer};
use crate::error::ProtocolError;

/// The four values; -1 in requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenAttributes {
    /// MQPER_*.
    pub default_persistence: i32,
    /// MQPRT_*: 1 synchronous, 2 asynchronous.
    pub default_put_response: i32,
    /// MQREADA_*.
    pub default_read_ahead: i32,
    /// MQPROP_*.
    pub property_control: i32,
}

impl OpenAttributes {
    /// As a request states them.
    pub const ASKED: Self =
        Self { default_persistence: -1, default_put_response: -1, default_read_ahead: -1, property_control: -1 };
    /// Not persistent, synchronous, no read-ahead, compatibility properties: known good in replies.
    pub const PLAIN: Self =
        Self { default_persistence: 0, default_put_response: 1, default_read_ahead: 0, property_control: 0 };

    fn read(reader: &mut Reader<'_>) -> Result<Self, ProtocolError> {
        Ok(Self {
            default_persistence: reader.integer()?,
            default_put_response: reader.integer()?,
            default_read_ahead: reader.integer()?,
            property_control: reader.integer()?,
        })
    }

    fn write(self, writer: &mut Writer<'_>) {
        writer.integer(self.default_persistence);
        writer.integer(self.default_put_response);
        writer.integer(self.default_read_ahead);
        writer.integer(self.property_control);
    }

    pub fn decode_fopa(reader: &mut Reader<'_>) -> Result<Self, ProtocolError> {
        reader.enter("FOPA");
        let base = reader.offset();
        reader.identifier(*b"FOPA")?;
        reader.integer()?;
        let length = reader.count("Length")?;
        let attributes = Self::read(reader)?;
        if length > 28 {
            reader.skip_to(base.saturating_add(length));
        }
        Ok(attributes)
    }

    pub fn encode_fopa(self, writer: &mut Writer<'_>) {
        writer.text(b"FOPA");
        writer.integer(1);
        writer.integer(28);
        self.write(writer);
    }
}

/// LPOO.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenOptionsStructure {
    pub options: OpenOptions,
    /// LPI options: 1 save identity context, 2 save origin context, 4 save user context (D).
    pub lpi_options: u32,
    pub attributes: OpenAttributes,
}

impl OpenOptionsStructure {
    pub const LENGTH: usize = 32;

    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, ProtocolError> {
        reader.enter("LPOO");
        reader.identifier(*b"LPOO")?;
        let version = reader.integer()?;
        if version != 1 {
            return Err(reader.value("Version", i64::from(version)));
        }
        Ok(Self {
            options: OpenOptions::from_bits_retain(reader.bits()?),
            lpi_options: reader.bits()?,
            attributes: OpenAttributes::read(reader)?,
        })
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        writer.text(b"LPOO");
        writer.integer(1);
        writer.bits(self.options.bits());
        writer.bits(self.lpi_options);
        self.attributes.write(writer);
    }
}
