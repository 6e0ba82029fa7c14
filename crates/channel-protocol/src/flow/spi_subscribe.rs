//! SPI verb 7: how the Java client subscribes. Structures `SPBU`, `SPBI` and (G) `SPBO`.
//!
//! ```text
//! in, out, from 12  handle of the subscription 4 (0 in requests), LSD 196, MQSD 312 with its texts
//! LSD    0 "LSD "         4      32 24 bytes, zeros              64 destination queue name      48
//!        4 version 1      4      56 zero                   4    112 destination queue manager   48
//!        8 options        4      60 open options of the    4    160 24 bytes, zeros
//!       12 a MQCHARV     20         destination                 184 three numbers: 3, 0, 1      12
//!                                                               196
//!
//! options   0x10, 0x40 several handles may share the subscription (C: together; which says what is unknown)
//!           0x40000000 stands where MQSO_ALTER and MQSO_CREATE are asked together
//! ```
//!
//! Layout by capture 11 and `docs/channel-protocol.md` (C for the places, G for the names of fields that were zero).

use model::options::OpenOptions;
use model::text::Text;

use crate::cursor::{Reader, Writer};
use crate::error::DecodeError;
use crate::structure::char_string::{self, CharString};
use crate::structure::subscription_descriptor::SubscriptionStructure;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpiSubscribe {
    /// 0 in requests.
    pub subscription_handle: i32,
    pub destination: SubscriptionDestination,
    pub subscription: SubscriptionStructure,
}

/// LSD.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubscriptionDestination {
    /// `SHARED` and others.
    pub options: i32,
    pub string: CharString,
    pub identifier: [u8; 24],
    pub reserved: i32,
    pub open_options: OpenOptions,
    pub queue: Text<48>,
    pub queue_manager: Text<48>,
    pub correlation_id: [u8; 24],
    pub numbers: [i32; 3],
}

impl Default for SubscriptionDestination {
    fn default() -> Self {
        Self {
            options: 0,
            string: CharString { placed: true, ..CharString::default() },
            identifier: [0; 24],
            reserved: 0,
            open_options: OpenOptions::empty(),
            queue: Text::BLANK,
            queue_manager: Text::BLANK,
            correlation_id: [0; 24],
            numbers: [3, 0, 1],
        }
    }
}

impl SpiSubscribe {
    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            subscription_handle: reader.integer()?,
            destination: SubscriptionDestination::decode(reader)?,
            subscription: SubscriptionStructure::decode(reader)?,
        })
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        writer.integer(self.subscription_handle);
        self.destination.encode(writer);
        self.subscription.encode(writer);
    }
}

impl SubscriptionDestination {
    pub const LENGTH: usize = 196;
    /// In `options`: several handles may share the subscription.
    pub const SHARED: i32 = 0x10;

    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.enter("LSD");
        let base = reader.offset();
        reader.identifier(*b"LSD ")?;
        reader.integer()?;
        let mut strings = char_string::Decoding::new(base);
        let decoded = Self {
            options: reader.integer()?,
            string: strings.read(reader)?,
            identifier: reader.array()?,
            reserved: reader.integer()?,
            open_options: OpenOptions::from_bits_retain(reader.bits()?),
            queue: reader.text()?,
            queue_manager: reader.text()?,
            correlation_id: reader.array()?,
            numbers: [reader.integer()?, reader.integer()?, reader.integer()?],
        };
        strings.finish(reader);
        Ok(decoded)
    }

    fn encode(&self, writer: &mut Writer<'_>) {
        let base = writer.offset();
        let mut running = Self::LENGTH;
        writer.text(b"LSD ");
        writer.integer(1);
        writer.integer(self.options);
        char_string::encode(&self.string, &mut running, writer);
        writer.bytes(&self.identifier);
        writer.integer(self.reserved);
        writer.bits(self.open_options.bits());
        writer.text(self.queue.as_bytes());
        writer.text(self.queue_manager.as_bytes());
        writer.bytes(&self.correlation_id);
        writer.integers(&self.numbers);
        char_string::encode_texts(&[&self.string], base, writer);
    }
}
