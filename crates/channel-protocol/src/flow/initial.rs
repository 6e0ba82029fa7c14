//! INITIAL, the first segment of either side, always under a `TSH ` header.
//!
//! ```text
//!   0 "ID  "                       4     46 CCSID                      2    124 TLS key reset count    4
//!   4 FAP level                    1     48 queue manager name        48    128 conversations a socket 4
//!   5 capabilities 1               1     96 heartbeat interval, s      4    132 capabilities 3         1
//!   6 capabilities 1 in error      1    100 length of the extension    2    133 those in error         1
//!   7 errors 1                     1    102 (short form: end)               134 zero                   2
//!   8 zero                         2    102 errors 2                   1    136 process, thread, trace 12
//!  10 messages a batch             2    103 zero                       1    148 product identifier    12
//!  12 maximum transmission size    4    104 header compression         2    160 queue manager id      48
//!  16 maximum message size         4    106 message compression       16    208 (sharing: end)
//!  20 sequence wrap                4    122 zero                       2    208 password protection   20
//!  24 channel name                20                                        228 nonce                 12
//!  44 (shortest: end)                                                       240 (protection: end)
//!  44 capabilities 2               1
//!  45 capabilities 2 in error      1
//! ```
//!
//! The form goes by FAP level: below 4 the first 44 bytes, to 8 102 bytes, 9 and 10 208, from 11 on 240.
//! Source: reference, section 4 (C; single flags D).

use bitflags::bitflags;
use model::text::Text;

use crate::cursor::{Reader, Writer};
use crate::error::ProtocolError;

bitflags! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub struct Capabilities1: u8 {
        const MESSAGE_SEQUENCE = 0x01;
        const CONVERSION = 0x02;
        const SPLIT_MESSAGES = 0x04;
        const REQUEST_INITIATION = 0x08;
        const REQUEST_SECURITY = 0x10;
        /// A client channel.
        const MQI = 0x20;
        const SVRCONN_SECURITY = 0x40;
        const RUNTIME = 0x80;
    }

    /// Fields of the partner's INITIAL that this side does not take.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub struct Errors1: u8 {
        const CCSID = 0x01;
        const ENCODING = 0x02;
        const MAXIMUM_TRANSMISSION = 0x04;
        const FAP_LEVEL = 0x08;
        const MAXIMUM_MESSAGE = 0x10;
        const BATCH = 0x20;
        const SEQUENCE_WRAP = 0x40;
        const HEARTBEAT = 0x80;
    }

    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub struct Capabilities2: u8 {
        const DISTRIBUTION_LISTS = 0x01;
        const FAST_MESSAGES_REQUIRED = 0x02;
        const RESPONDER_CONVERSION = 0x04;
        const DUAL_UNIT_OF_WORK = 0x08;
        const XA = 0x10;
        const XA_RUNTIME = 0x20;
        const SPI = 0x40;
        const TRACE_ROUTE = 0x80;
    }

    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub struct Capabilities3: u8 {
        const MESSAGE_PROPERTIES = 0x01;
        const MULTICAST = 0x02;
        const PROPERTY_SEPARATION = 0x04;
        /// Synchronous gets on shared sockets.
        const MULTIPLEXED_GET = 0x08;
        const PROTECTION_ALGORITHMS = 0x10;
        const GENERATED_CONNECTION_TAG = 0x20;
    }
}

/// How much of the structure is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Extent {
    /// 44 bytes.
    Basic,
    /// 102 bytes.
    Heartbeat,
    /// 208 bytes: can share conversations.
    Sharing,
    /// 240 bytes.
    Protection,
}

impl Extent {
    pub fn of_level(fap_level: u8) -> Self {
        match fap_level {
            0..=3 => Self::Basic,
            4..=8 => Self::Heartbeat,
            9..=10 => Self::Sharing,
            _ => Self::Protection,
        }
    }

    pub fn length(self) -> usize {
        match self {
            Self::Basic => 44,
            Self::Heartbeat => 102,
            Self::Sharing => 208,
            Self::Protection => 240,
        }
    }
}

/// Ten algorithms of which only one is known: none.
pub const NO_PASSWORD_PROTECTION: [u16; 10] =
    [0, u16::MAX, u16::MAX, u16::MAX, u16::MAX, u16::MAX, u16::MAX, u16::MAX, u16::MAX, u16::MAX];
/// No header compression, no message compression.
const NO_HEADER_COMPRESSION: [u8; 2] = [0x00, 0xFF];
const NO_MESSAGE_COMPRESSION: [u8; 16] = [0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255];

/// Fields beyond `extent` are not sent and hold the defaults.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Initial {
    pub extent: Extent,
    pub fap_level: u8,
    pub capabilities_1: Capabilities1,
    pub capabilities_1_in_error: Capabilities1,
    pub errors_1: Errors1,
    pub batch: u16,
    /// Largest segment, in bytes, header included.
    pub maximum_transmission: u32,
    /// In bytes.
    pub maximum_message: u32,
    pub sequence_wrap: u32,
    pub channel: Text<20>,
    pub capabilities_2: Capabilities2,
    pub capabilities_2_in_error: Capabilities2,
    pub ccsid: u16,
    pub queue_manager: Text<48>,
    /// In seconds.
    pub heartbeat_interval: u32,
    pub errors_2: u8,
    pub header_compression: [u8; 2],
    pub message_compression: [u8; 16],
    pub tls_key_reset: u32,
    /// SHARECNV; 0: the socket is not shared and headers stay `TSH `.
    pub conversations: u32,
    pub capabilities_3: Capabilities3,
    pub capabilities_3_in_error: Capabilities3,
    /// Process, thread and trace identifiers.
    pub process: [u32; 3],
    pub product: Text<12>,
    pub queue_manager_identifier: Text<48>,
    pub password_protection: [u16; 10],
    pub nonce: [u8; 12],
}

impl Default for Initial {
    /// A client channel's, with nothing compressed and no conversation shared.
    fn default() -> Self {
        Self {
            extent: Extent::Protection,
            fap_level: 12,
            capabilities_1: Capabilities1::CONVERSION | Capabilities1::SPLIT_MESSAGES | Capabilities1::MQI,
            capabilities_1_in_error: Capabilities1::empty(),
            errors_1: Errors1::empty(),
            batch: 0,
            maximum_transmission: 32_748,
            maximum_message: 104_857_600,
            sequence_wrap: 0,
            channel: Text::BLANK,
            capabilities_2: Capabilities2::DISTRIBUTION_LISTS | Capabilities2::XA | Capabilities2::SPI,
            capabilities_2_in_error: Capabilities2::empty(),
            ccsid: 819,
            queue_manager: Text::BLANK,
            heartbeat_interval: 300,
            errors_2: 0,
            header_compression: NO_HEADER_COMPRESSION,
            message_compression: NO_MESSAGE_COMPRESSION,
            tls_key_reset: 0,
            conversations: 0,
            capabilities_3: Capabilities3::MULTIPLEXED_GET,
            capabilities_3_in_error: Capabilities3::empty(),
            process: [0; 3],
            product: Text::BLANK,
            queue_manager_identifier: Text::BLANK,
            password_protection: NO_PASSWORD_PROTECTION,
            nonce: [0; 12],
        }
    }
}

impl Initial {
    /// Reads the longest of the four forms that is there; bytes beyond it are newer partners' and ignored.
    ///
    /// # Errors
    /// Another identifier, shorter than 44 bytes, or an extension longer than the body.
    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, ProtocolError> {
        reader.enter("INITIAL");
        let length = reader.remaining();
        reader.identifier(*b"ID  ")?;
        let mut initial = Self { extent: Extent::Basic, ..Self::default() };
        initial.decode_basic(reader)?;
        if length >= Extent::Heartbeat.length() {
            initial.decode_heartbeat(reader, length)?;
        }
        if length >= Extent::Sharing.length() {
            initial.decode_sharing(reader)?;
        }
        if length >= Extent::Protection.length() {
            initial.extent = Extent::Protection;
            for algorithm in &mut initial.password_protection {
                *algorithm = reader.short()?;
            }
            initial.nonce = reader.array()?;
        }
        Ok(initial)
    }

    fn decode_basic(&mut self, reader: &mut Reader<'_>) -> Result<(), ProtocolError> {
        self.fap_level = reader.byte()?;
        self.capabilities_1 = Capabilities1::from_bits_retain(reader.byte()?);
        self.capabilities_1_in_error = Capabilities1::from_bits_retain(reader.byte()?);
        self.errors_1 = Errors1::from_bits_retain(reader.byte()?);
        reader.take(2)?;
        self.batch = reader.short()?;
        self.maximum_transmission = reader.bits()?;
        self.maximum_message = reader.bits()?;
        self.sequence_wrap = reader.bits()?;
        self.channel = reader.text()?;
        Ok(())
    }

    fn decode_heartbeat(&mut self, reader: &mut Reader<'_>, length: usize) -> Result<(), ProtocolError> {
        self.extent = Extent::Heartbeat;
        self.capabilities_2 = Capabilities2::from_bits_retain(reader.byte()?);
        self.capabilities_2_in_error = Capabilities2::from_bits_retain(reader.byte()?);
        self.ccsid = reader.short()?;
        self.queue_manager = reader.text()?;
        self.heartbeat_interval = reader.bits()?;
        let extension = reader.short()?;
        if usize::from(extension) > length - Extent::Heartbeat.length() {
            return Err(reader.value("length of the extension", i64::from(extension)));
        }
        Ok(())
    }

    fn decode_sharing(&mut self, reader: &mut Reader<'_>) -> Result<(), ProtocolError> {
        self.extent = Extent::Sharing;
        self.errors_2 = reader.byte()?;
        reader.take(1)?;
        self.header_compression = reader.array()?;
        self.message_compression = reader.array()?;
        reader.take(2)?;
        self.tls_key_reset = reader.bits()?;
        self.conversations = reader.bits()?;
        self.capabilities_3 = Capabilities3::from_bits_retain(reader.byte()?);
        self.capabilities_3_in_error = Capabilities3::from_bits_retain(reader.byte()?);
        reader.take(2)?;
        self.process = [reader.bits()?, reader.bits()?, reader.bits()?];
        self.product = reader.text()?;
        self.queue_manager_identifier = reader.text()?;
        Ok(())
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        writer.text(b"ID  ");
        for byte in
            [self.fap_level, self.capabilities_1.bits(), self.capabilities_1_in_error.bits(), self.errors_1.bits()]
        {
            writer.byte(byte);
        }
        writer.zeros(2);
        writer.short(self.batch);
        writer.bits(self.maximum_transmission);
        writer.bits(self.maximum_message);
        writer.bits(self.sequence_wrap);
        writer.text(self.channel.as_bytes());
        if self.extent >= Extent::Heartbeat {
            writer.byte(self.capabilities_2.bits());
            writer.byte(self.capabilities_2_in_error.bits());
            writer.short(self.ccsid);
            writer.text(self.queue_manager.as_bytes());
            writer.bits(self.heartbeat_interval);
            let extension = self.extent.length() - Extent::Heartbeat.length();
            writer.short(u16::try_from(extension).unwrap_or(0));
        }
        if self.extent >= Extent::Sharing {
            self.encode_sharing(writer);
        }
        if self.extent >= Extent::Protection {
            for algorithm in self.password_protection {
                writer.short(algorithm);
            }
            writer.bytes(&self.nonce);
        }
    }

    fn encode_sharing(&self, writer: &mut Writer<'_>) {
        writer.byte(self.errors_2);
        writer.zeros(1);
        writer.bytes(&self.header_compression);
        writer.bytes(&self.message_compression);
        writer.zeros(2);
        writer.bits(self.tls_key_reset);
        writer.bits(self.conversations);
        writer.byte(self.capabilities_3.bits());
        writer.byte(self.capabilities_3_in_error.bits());
        writer.zeros(2);
        for number in self.process {
            writer.bits(number);
        }
        writer.text(self.product.as_bytes());
        writer.text(self.queue_manager_identifier.as_bytes());
    }
}
