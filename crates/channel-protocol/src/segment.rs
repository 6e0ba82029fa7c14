//! Transmission segments: the header, and framing from a buffer of bytes as they arrived.
//!
//! ```text
//!   TSH, TSHC   TSHM
//!       0         0   4  identifier "TSH ", "TSHM" (one conversation), "TSHC" (the whole socket); ASCII or EBCDIC letters
//!       4         4   4  length with the header, always high byte first
//!       -         8   4  conversation, high byte first
//!       -        12   4  request, high byte first
//!       8        16   1  byte order of what follows: 1 high byte first, 2 low byte first
//!       9        17   1  type
//!      10        18   1  control flags 1
//!      11        19   1  control flags 2
//!      12        20   8  logical unit of work, zeros
//!      20        28   4  encoding, in the byte order
//!      24        32   2  CCSID, in the byte order
//!      26        34   2  zero
//!      28        36      body
//! ```
//!
//! Source: reference, section 2 (C; EBCDIC letters D).

use bitflags::bitflags;
use bytes::{Buf, BufMut, Bytes, BytesMut};
use model::descriptor::Encoding;

use crate::error::ProtocolError;
use crate::form::{ByteOrder, Form, Letters};

/// Of a header without and with conversation and request.
pub const PLAIN_HEADER: usize = 28;
pub const CONVERSATION_HEADER: usize = 36;

bitflags! {
    /// Control flags 1.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct ControlFlags: u8 {
        const CONFIRM = 0x01;
        const ERROR = 0x02;
        const REQUEST_CLOSE = 0x04;
        const CLOSE_CHANNEL = 0x08;
        const FIRST = 0x10;
        const LAST = 0x20;
        const REQUEST_ACCEPTED = 0x40;
        const DEAD_LETTER_USED = 0x80;
    }
}

macro_rules! segment_types {
    ($($name:ident = $number:literal,)*) => {
        /// What a segment carries. Replies to verbs are the request's number + 0x10.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum SegmentType { $($name = $number,)* }

        impl SegmentType {
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            pub fn from_number(number: u8) -> Option<Self> {
                match number { $($number => Some(Self::$name),)* _ => None }
            }
        }
    };
}

segment_types! {
    Initial = 0x01,
    Resync = 0x02,
    Reset = 0x03,
    Message = 0x04,
    Status = 0x05,
    Security = 0x06,
    Ping = 0x07,
    UserId = 0x08,
    Heartbeat = 0x09,
    ConnectionAuthentication = 0x0A,
    Renegotiate = 0x0B,
    SocketAction = 0x0C,
    AsyncMessage = 0x0D,
    RequestMessages = 0x0E,
    Notification = 0x0F,
    Connect = 0x81,
    Disconnect = 0x82,
    Open = 0x83,
    Close = 0x84,
    Get = 0x85,
    Put = 0x86,
    Put1 = 0x87,
    Set = 0x88,
    Inquire = 0x89,
    Commit = 0x8A,
    BackOut = 0x8B,
    Spi = 0x8C,
    Stat = 0x8D,
    Subscribe = 0x8E,
    SubscriptionRequest = 0x8F,
    ConnectReply = 0x91,
    DisconnectReply = 0x92,
    OpenReply = 0x93,
    CloseReply = 0x94,
    GetReply = 0x95,
    PutReply = 0x96,
    Put1Reply = 0x97,
    SetReply = 0x98,
    InquireReply = 0x99,
    CommitReply = 0x9A,
    BackOutReply = 0x9B,
    SpiReply = 0x9C,
    StatReply = 0x9D,
    SubscribeReply = 0x9E,
    SubscriptionRequestReply = 0x9F,
    XaStart = 0xA1,
    XaEnd = 0xA2,
    XaOpen = 0xA3,
    XaClose = 0xA4,
    XaPrepare = 0xA5,
    XaCommit = 0xA6,
    XaRollback = 0xA7,
    XaForget = 0xA8,
    XaRecover = 0xA9,
    XaComplete = 0xAA,
    XaStartReply = 0xB1,
    XaEndReply = 0xB2,
    XaOpenReply = 0xB3,
    XaCloseReply = 0xB4,
    XaPrepareReply = 0xB5,
    XaCommitReply = 0xB6,
    XaRollbackReply = 0xB7,
    XaForgetReply = 0xB8,
    XaRecoverReply = 0xB9,
    XaCompleteReply = 0xBA,
}

impl SegmentType {
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The type that answers a verb's request; `None` for all that is not one.
    pub fn reply(self) -> Option<Self> {
        match self.number() {
            0x81..=0x8F | 0xA1..=0xAA => Self::from_number(self.number() + 0x10),
            _ => None,
        }
    }

    /// The verb whose reply this is.
    pub fn request(self) -> Option<Self> {
        match self.number() {
            0x91..=0x9F | 0xB1..=0xBA => Self::from_number(self.number() - 0x10),
            _ => None,
        }
    }

    /// Whether it is split when longer than a segment may be: calls, replies and asynchronous messages.
    pub fn is_split(self) -> bool {
        self.number() >= 0x80 || self == Self::AsyncMessage
    }
}

/// Whom a segment is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Address {
    /// `TSH `: a socket that is not shared, and the first exchange on every socket.
    Plain,
    /// `TSHM`: one conversation. Answers repeat both numbers.
    Conversation { conversation: u32, request: u32 },
    /// `TSHC`: the whole of a shared socket.
    Socket,
}

impl Address {
    pub fn header_length(self) -> usize {
        match self {
            Self::Plain | Self::Socket => PLAIN_HEADER,
            Self::Conversation { .. } => CONVERSATION_HEADER,
        }
    }

    /// 0 where there is none.
    pub fn conversation(self) -> u32 {
        match self {
            Self::Plain | Self::Socket => 0,
            Self::Conversation { conversation, .. } => conversation,
        }
    }

    pub fn request(self) -> u32 {
        match self {
            Self::Plain | Self::Socket => 0,
            Self::Conversation { request, .. } => request,
        }
    }

    fn identifier(self, letters: Letters) -> [u8; 4] {
        let [ascii, ebcdic] = match self {
            Self::Plain => [*b"TSH ", TSH_EBCDIC],
            Self::Conversation { .. } => [*b"TSHM", TSHM_EBCDIC],
            Self::Socket => [*b"TSHC", TSHC_EBCDIC],
        };
        match letters {
            Letters::Ascii => ascii,
            Letters::Ebcdic => ebcdic,
        }
    }
}

const TSH_EBCDIC: [u8; 4] = [0xE3, 0xE2, 0xC8, 0x40];
const TSHM_EBCDIC: [u8; 4] = [0xE3, 0xE2, 0xC8, 0xD4];
const TSHC_EBCDIC: [u8; 4] = [0xE3, 0xE2, 0xC8, 0xC3];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentHeader {
    pub address: Address,
    pub segment_type: SegmentType,
    pub control: ControlFlags,
    /// Control flags 2, zero as far as observed.
    pub control_2: u8,
    pub form: Form,
}

impl SegmentHeader {
    /// Appends the header of a segment whose body is `body_length` bytes long.
    pub(crate) fn encode(&self, body_length: usize, out: &mut BytesMut) {
        let length = self.address.header_length() + body_length;
        out.put_slice(&self.address.identifier(self.form.letters));
        out.put_u32(u32::try_from(length).unwrap_or(u32::MAX));
        if let Address::Conversation { conversation, request } = self.address {
            out.put_u32(conversation);
            out.put_u32(request);
        }
        let little = self.form.order == ByteOrder::Little;
        out.put_u8(if little { 2 } else { 1 });
        out.put_u8(self.segment_type.number());
        out.put_u8(self.control.bits());
        out.put_u8(self.control_2);
        out.put_bytes(0, 8);
        if little {
            out.put_i32_le(self.form.encoding.0);
            out.put_u16_le(self.form.ccsid);
        } else {
            out.put_i32(self.form.encoding.0);
            out.put_u16(self.form.ccsid);
        }
        out.put_u16(0);
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    pub header: SegmentHeader,
    pub body: Bytes,
}

/// Cuts segments from the bytes of a socket.
#[derive(Debug, Clone, Copy)]
pub struct Framer {
    maximum: usize,
}

impl Framer {
    /// `maximum`: of a segment with its header, in bytes. Before INITIAL is answered, the own offer is the limit.
    pub fn new(maximum: usize) -> Self {
        Self { maximum }
    }

    pub fn set_maximum(&mut self, maximum: usize) {
        self.maximum = maximum;
    }

    /// Takes the next whole segment off the front of `buffer`; `None` when more bytes must come first.
    ///
    /// The body shares the buffer's memory: who keeps a small part of it for long should copy it.
    ///
    /// # Errors
    /// Another identifier, a length below the header's or above the maximum (as soon as four or eight bytes are there),
    /// an unknown type or byte order.
    pub fn next(&self, buffer: &mut BytesMut) -> Result<Option<Segment>, ProtocolError> {
        let Some(length) = self.length(buffer)? else { return Ok(None) };
        if buffer.len() < length {
            return Ok(None);
        }
        let mut segment = buffer.split_to(length).freeze();
        let header = decode_header(&mut segment)?;
        Ok(Some(Segment { header, body: segment }))
    }

    /// How many bytes are missing until the segment at the front of `buffer` is whole; at least one.
    ///
    /// # Errors
    /// As `next`.
    pub fn missing(&self, buffer: &[u8]) -> Result<usize, ProtocolError> {
        let length = self.length(buffer)?.unwrap_or(PLAIN_HEADER);
        Ok(length.saturating_sub(buffer.len()).max(1))
    }

    /// `None` until the eight bytes that tell it are there.
    fn length(&self, buffer: &[u8]) -> Result<Option<usize>, ProtocolError> {
        let Some(identifier) = buffer.first_chunk::<4>() else { return Ok(None) };
        let (address, _) = identify(*identifier)?;
        let Some(&[_, _, _, _, a, b, c, d]) = buffer.first_chunk::<8>() else { return Ok(None) };
        let length = u32::from_be_bytes([a, b, c, d]);
        let minimum = address.header_length();
        match usize::try_from(length) {
            Ok(known) if (minimum..=self.maximum).contains(&known) => Ok(Some(known)),
            _ => Err(ProtocolError::SegmentLength { length, minimum, maximum: self.maximum }),
        }
    }
}

fn identify(identifier: [u8; 4]) -> Result<(Address, Letters), ProtocolError> {
    let conversation = Address::Conversation { conversation: 0, request: 0 };
    Ok(match identifier {
        TSH_EBCDIC => (Address::Plain, Letters::Ebcdic),
        TSHM_EBCDIC => (conversation, Letters::Ebcdic),
        TSHC_EBCDIC => (Address::Socket, Letters::Ebcdic),
        _ => match &identifier {
            b"TSH " => (Address::Plain, Letters::Ascii),
            b"TSHM" => (conversation, Letters::Ascii),
            b"TSHC" => (Address::Socket, Letters::Ascii),
            _ => return Err(ProtocolError::SegmentIdentifier { found: identifier }),
        },
    })
}

/// Takes the header off the front of a whole segment, which `Framer::length` has measured.
fn decode_header(segment: &mut Bytes) -> Result<SegmentHeader, ProtocolError> {
    let mut identifier = [0; 4];
    segment.copy_to_slice(&mut identifier);
    let (mut address, letters) = identify(identifier)?;
    segment.advance(4);
    if let Address::Conversation { conversation, request } = &mut address {
        *conversation = segment.get_u32();
        *request = segment.get_u32();
    }
    let order = match segment.get_u8() {
        1 => ByteOrder::Big,
        2 => ByteOrder::Little,
        found => return Err(ProtocolError::ByteOrder { found }),
    };
    let number = segment.get_u8();
    let segment_type = SegmentType::from_number(number).ok_or(ProtocolError::SegmentType { found: number })?;
    let control = ControlFlags::from_bits_retain(segment.get_u8());
    let control_2 = segment.get_u8();
    segment.advance(8);
    let (encoding, ccsid) = match order {
        ByteOrder::Big => (segment.get_i32(), segment.get_u16()),
        ByteOrder::Little => (segment.get_i32_le(), segment.get_u16_le()),
    };
    segment.advance(2);
    let form = Form { order, letters, encoding: Encoding(encoding), ccsid };
    Ok(SegmentHeader { address, segment_type, control, control_2, form })
}
