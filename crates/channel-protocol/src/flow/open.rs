//! MQOPEN and MQCLOSE.
//!
//! ```text
//! open, request and reply   MQOD (with its texts), options 4, FOPA 28    reply: the handle in the API header
//! close, request and reply  options 4                                     reply: handle -1
//! ```
//!
//! Source: reference, section 9 (C).

use model::options::{CloseOptions, OpenOptions};

use crate::cursor::{Reader, Writer};
use crate::error::{DecodeError, ProtocolError};
use crate::structure::object_descriptor::ObjectStructure;
use crate::structure::open_attributes::OpenAttributes;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Open {
    pub object: ObjectStructure,
    pub options: OpenOptions,
    /// Older clients send none (D).
    pub attributes: Option<OpenAttributes>,
}

impl Open {
    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            object: ObjectStructure::decode(reader)?,
            options: OpenOptions::from_bits_retain(reader.bits()?),
            attributes: if reader.is_empty() { None } else { Some(OpenAttributes::decode_fopa(reader)?) },
        })
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        self.object.encode(writer);
        writer.bits(self.options.bits());
        if let Some(attributes) = self.attributes {
            attributes.encode_fopa(writer);
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Close {
    pub options: CloseOptions,
}

impl Close {
    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, ProtocolError> {
        reader.enter("MQCLOSE");
        Ok(Self { options: CloseOptions::from_bits_retain(reader.bits()?) })
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        writer.bits(self.options.bits());
    }
}
