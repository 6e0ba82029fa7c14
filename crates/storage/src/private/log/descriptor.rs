//! A message descriptor as bytes: in put records, in spill files and in memory beside its body.
//!
//! ```text
//! offset width
//!      0     4  Report
//!      4     4  MsgType
//!      8     4  Expiry
//!     12     4  Feedback
//!     16     4  Encoding
//!     20     4  CodedCharSetId
//!     24     4  Priority
//!     28     4  BackoutCount when put; the record's own field is the current one
//!     32     4  PutApplType
//!     36     4  MsgSeqNumber
//!     40     4  Offset
//!     44     4  MsgFlags
//!     48     4  OriginalLength
//!     52     1  Persistence: 0 no, 1 yes, 2 as the queue defines; 128 more when a principal follows the fields
//!     53        thirteen fields, each one byte of length and the bytes without trailing padding:
//!               MsgId, CorrelId, GroupId (padded with zero bytes), Format (blanks), ReplyToQ, ReplyToQMgr (nothing),
//!               UserIdentifier (blanks), AccountingToken (zero bytes), ApplIdentityData, PutApplName, PutDate,
//!               PutTime, ApplOriginData (blanks)
//! ```
//! A principal, which is there only when the identity context does not say all of it:
//! ```text
//!      0     2  length of what follows
//!      2     1  1 for an administrator, else 0
//!      3        names, each two bytes of length and UTF-8: the user, then each group
//! ```
//! It says itself where it ends, so a body may follow at once.

use std::sync::Arc;

use bytes::{Buf, Bytes};
use model::authority::Principal;
use model::descriptor::{
    Ccsid, Encoding, Expiry, Feedback, Format, MessageDescriptor, MessageFlags, MessageType, Persistence, Report,
};
use model::identifier::{AccountingToken, CorrelationId, GroupId, MessageId};
use model::message::Message;
use model::name::ObjectName;
use model::text::Text;

use crate::private::log::cursor::Cursor;

const BLANK: u8 = b' ';
const ZERO: u8 = 0;
/// In the byte of persistence.
const HAS_PRINCIPAL: u8 = 0x80;
const ADMINISTRATOR: u8 = 1;

/// Bytes of a descriptor whose fields are all full.
pub(crate) const MAXIMUM_BYTES: usize = 53 + 13 + 24 * 3 + 8 + 48 * 2 + 12 + 32 + 32 + 28 + 8 + 8 + 4;

/// The parts of a descriptor that a queue keeps in memory.
pub(crate) struct Keys {
    pub(crate) message_id: MessageId,
    pub(crate) correlation_id: CorrelationId,
    pub(crate) group_id: GroupId,
    pub(crate) sequence_number: u32,
    pub(crate) offset: u32,
    pub(crate) flags: MessageFlags,
    pub(crate) priority: u8,
}

impl Keys {
    pub(crate) fn of(descriptor: &MessageDescriptor) -> Self {
        Self {
            message_id: descriptor.message_id,
            correlation_id: descriptor.correlation_id,
            group_id: descriptor.group_id,
            sequence_number: descriptor.message_sequence_number,
            offset: descriptor.offset,
            flags: descriptor.message_flags,
            priority: priority(descriptor.priority),
        }
    }

    /// Reads only what it needs of an encoded descriptor.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut cursor = Cursor::new(bytes);
        cursor.take(24)?;
        let priority = priority(cursor.i32()?);
        cursor.take(8)?;
        let sequence_number = cursor.u32()?;
        let offset = cursor.u32()?;
        let flags = MessageFlags::from_bits_retain(cursor.u32()?);
        cursor.take(5)?;
        Some(Self {
            message_id: MessageId::new(cursor.padded(ZERO)?),
            correlation_id: CorrelationId::new(cursor.padded(ZERO)?),
            group_id: GroupId::new(cursor.padded(ZERO)?),
            sequence_number,
            offset,
            flags,
            priority,
        })
    }
}

fn priority(value: i32) -> u8 {
    u8::try_from(value.clamp(0, 9)).expect("clamped to a digit")
}

/// An encoded descriptor, held where it is made.
pub(crate) struct Encoded {
    bytes: [u8; MAXIMUM_BYTES],
    length: usize,
}

impl Encoded {
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    fn append(&mut self, bytes: &[u8]) {
        self.bytes[self.length..][..bytes.len()].copy_from_slice(bytes);
        self.length += bytes.len();
    }

    /// Behind one byte of length, without trailing padding. The field is copied whole: what is written next covers its end.
    fn append_field<const N: usize>(&mut self, field: &[u8; N], padding: u8) {
        const { assert!(N < 256, "a field of a message descriptor is shorter than 256 bytes") };
        let length = trimmed_length(field, padding);
        let (head, rest) = self.bytes[self.length..].split_at_mut(1);
        head[0] = u8::try_from(length).unwrap_or(u8::MAX);
        rest[..N].copy_from_slice(field);
        self.length += 1 + length;
    }

    fn append_name(&mut self, name: &ObjectName) {
        let name = name.as_bytes();
        self.append(&[u8::try_from(name.len()).unwrap_or(u8::MAX)]);
        self.append(name);
    }
}

/// Eight bytes at a time: most of a descriptor is padding.
#[inline]
fn trimmed_length<const N: usize>(field: &[u8; N], padding: u8) -> usize {
    let (odd, words) = field.as_rchunks::<8>();
    let others = u64::from_le_bytes([padding; 8]);
    for (index, word) in words.iter().enumerate().rev() {
        let differs = u64::from_le_bytes(*word) ^ others;
        if differs != 0 {
            return odd.len() + 8 * index + 8 - differs.leading_zeros() as usize / 8;
        }
    }
    odd.iter().rposition(|&byte| byte != padding).map_or(0, |last| last + 1)
}

/// All but the principal, which `encode_content` writes behind it.
pub(crate) fn encode(descriptor: &MessageDescriptor) -> Encoded {
    let d = descriptor;
    let mut fixed = [0; 53];
    let numbers = [
        d.report.bits().to_le_bytes(),
        d.message_type.0.to_le_bytes(),
        d.expiry.0.to_le_bytes(),
        d.feedback.0.to_le_bytes(),
        d.encoding.0.to_le_bytes(),
        d.ccsid.0.to_le_bytes(),
        d.priority.to_le_bytes(),
        d.backout_count.to_le_bytes(),
        d.put_application_type.to_le_bytes(),
        d.message_sequence_number.to_le_bytes(),
        d.offset.to_le_bytes(),
        d.message_flags.bits().to_le_bytes(),
        d.original_length.to_le_bytes(),
    ];
    fixed[..52].copy_from_slice(numbers.as_flattened());
    fixed[52] = match d.persistence {
        Persistence::NonPersistent => 0,
        Persistence::Persistent => 1,
        Persistence::AsQueueDefinition => 2,
    };
    if d.principal.is_some() {
        fixed[52] |= HAS_PRINCIPAL;
    }
    let mut encoded = Encoded { bytes: [0; MAXIMUM_BYTES], length: 0 };
    encoded.append(&fixed);
    encoded.append_field(d.message_id.as_bytes(), ZERO);
    encoded.append_field(d.correlation_id.as_bytes(), ZERO);
    encoded.append_field(d.group_id.as_bytes(), ZERO);
    encoded.append_field(d.format.0.as_bytes(), BLANK);
    encoded.append_name(&d.reply_to_queue);
    encoded.append_name(&d.reply_to_queue_manager);
    encoded.append_field(d.user_identifier.as_bytes(), BLANK);
    encoded.append_field(d.accounting_token.as_bytes(), ZERO);
    encoded.append_field(d.application_identity_data.as_bytes(), BLANK);
    encoded.append_field(d.put_application_name.as_bytes(), BLANK);
    encoded.append_field(d.put_date.as_bytes(), BLANK);
    encoded.append_field(d.put_time.as_bytes(), BLANK);
    encoded.append_field(d.application_origin_data.as_bytes(), BLANK);
    encoded
}

/// Groups beyond 65,535 bytes are left out, which takes authority away and never gives any.
fn encoded_principal(principal: &Principal) -> Vec<u8> {
    let mut bytes = vec![0, 0, u8::from(principal.is_administrator) * ADMINISTRATOR];
    for name in std::iter::once(&principal.user).chain(principal.groups.iter()) {
        match u16::try_from(name.len()) {
            Ok(length) if bytes.len() + name.len() + 2 <= usize::from(u16::MAX) => {
                bytes.extend_from_slice(&length.to_le_bytes());
                bytes.extend_from_slice(name.as_bytes());
            }
            _ => break,
        }
    }
    let length = u16::try_from(bytes.len() - 2).expect("no longer than the check above allows");
    bytes[..2].copy_from_slice(&length.to_le_bytes());
    bytes
}

fn principal(cursor: &mut Cursor<'_>) -> Option<Principal> {
    let length = usize::from(cursor.u16()?);
    let mut cursor = Cursor::new(cursor.take(length)?);
    let is_administrator = cursor.u8()? & ADMINISTRATOR != 0;
    let mut names = Vec::new();
    while cursor.remaining() > 0 {
        let length = usize::from(cursor.u16()?);
        names.push(Arc::from(std::str::from_utf8(cursor.take(length)?).ok()?));
    }
    let mut names = names.into_iter();
    Some(Principal { user: names.next()?, groups: names.collect(), is_administrator })
}

pub(crate) fn decode(cursor: &mut Cursor<'_>) -> Option<MessageDescriptor> {
    let mut has_principal = false;
    let mut descriptor = MessageDescriptor {
        report: Report::from_bits_retain(cursor.u32()?),
        message_type: MessageType(cursor.i32()?),
        expiry: Expiry(cursor.i32()?),
        feedback: Feedback(cursor.i32()?),
        encoding: Encoding(cursor.i32()?),
        ccsid: Ccsid(cursor.i32()?),
        priority: cursor.i32()?,
        backout_count: cursor.u32()?,
        put_application_type: cursor.i32()?,
        message_sequence_number: cursor.u32()?,
        offset: cursor.u32()?,
        message_flags: MessageFlags::from_bits_retain(cursor.u32()?),
        original_length: cursor.i32()?,
        persistence: {
            let byte = cursor.u8()?;
            has_principal |= byte & HAS_PRINCIPAL != 0;
            match byte & !HAS_PRINCIPAL {
                0 => Persistence::NonPersistent,
                1 => Persistence::Persistent,
                2 => Persistence::AsQueueDefinition,
                _ => return None,
            }
        },
        message_id: MessageId::new(cursor.padded(ZERO)?),
        correlation_id: CorrelationId::new(cursor.padded(ZERO)?),
        group_id: GroupId::new(cursor.padded(ZERO)?),
        format: Format(Text::from_bytes(cursor.padded(BLANK)?)),
        reply_to_queue: name(cursor)?,
        reply_to_queue_manager: name(cursor)?,
        user_identifier: Text::from_bytes(cursor.padded(BLANK)?),
        accounting_token: AccountingToken::new(cursor.padded(ZERO)?),
        application_identity_data: Text::from_bytes(cursor.padded(BLANK)?),
        put_application_name: Text::from_bytes(cursor.padded(BLANK)?),
        put_date: Text::from_bytes(cursor.padded(BLANK)?),
        put_time: Text::from_bytes(cursor.padded(BLANK)?),
        application_origin_data: Text::from_bytes(cursor.padded(BLANK)?),
        principal: None,
    };
    if has_principal {
        descriptor.principal = Some(Arc::new(principal(cursor)?));
    }
    Some(descriptor)
}

fn name(cursor: &mut Cursor<'_>) -> Option<ObjectName> {
    let length = usize::from(cursor.u8()?);
    ObjectName::of_trimmed(cursor.take(length)?)
}

/// Descriptor and body in one allocation of exactly their length: what memory, spill files and put records hold.
/// With a body that has a file of its own, `body` is empty.
pub(crate) fn encode_content(descriptor: &MessageDescriptor, body: &[u8]) -> Vec<u8> {
    let head = encode(descriptor);
    let head = head.as_bytes();
    let behind = descriptor.principal.as_deref().map(encoded_principal).unwrap_or_default();
    let mut content = Vec::with_capacity(head.len() + behind.len() + body.len());
    content.extend_from_slice(head);
    content.extend_from_slice(&behind);
    content.extend_from_slice(body);
    content
}

/// Undoes [`encode_content`] without copying the body.
pub(crate) fn decode_content(mut content: Bytes) -> Option<Box<Message>> {
    let mut cursor = Cursor::new(&content);
    let descriptor = decode(&mut cursor)?;
    let length = content.len() - cursor.remaining();
    content.advance(length);
    Some(Box::new(Message { descriptor, body: content }))
}
