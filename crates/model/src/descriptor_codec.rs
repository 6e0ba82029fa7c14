//! MQMD in bytes, versions 1 and 2, either byte order.
//!
//! ```text
//!   0 StrucId "MD  "   4      96 BackoutCount       4     320 ApplOriginData   4   version 1: 324 bytes
//!   4 Version 1 or 2   4     100 ReplyToQ          48     324 GroupId         24
//!   8 Report           4     148 ReplyToQMgr       48     348 MsgSeqNumber     4
//!  12 MsgType          4     196 UserIdentifier    12     352 Offset           4
//!  16 Expiry           4     208 AccountingToken   32     356 MsgFlags         4
//!  20 Feedback         4     240 ApplIdentityData  32     360 OriginalLength   4   version 2: 364 bytes
//!  24 Encoding         4     272 PutApplType        4
//!  28 CodedCharSetId   4     276 PutApplName       28
//!  32 Format           8     304 PutDate            8
//!  40 Priority         4     312 PutTime            8
//!  44 Persistence      4
//!  48 MsgId           24
//!  72 CorrelId        24
//! ```
//!
//! Text fields are taken as ASCII, or a set that agrees with it in names; a peer with EBCDIC converts before.

use crate::descriptor::{
    Ccsid, Encoding, Expiry, Feedback, Format, MessageDescriptor, MessageFlags, MessageType, Persistence, Report,
};
use crate::header::HeaderError;
use crate::header::cursor::{Reader, Writer};
use crate::identifier::{AccountingToken, CorrelationId, GroupId, MessageId};
use crate::name::ObjectName;

/// MQMD_VERSION_*.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    One,
    Two,
}

pub const VERSION_1_LENGTH: usize = 324;
pub const VERSION_2_LENGTH: usize = 364;

/// Appends the descriptor to `out`; version 1 leaves out what it has no field for.
pub fn encode(descriptor: &MessageDescriptor, version: Version, encoding: Encoding, out: &mut Vec<u8>) {
    out.reserve(VERSION_2_LENGTH);
    let mut writer = Writer::new(out, encoding);
    writer.bytes(b"MD  ");
    writer.integer(match version {
        Version::One => 1,
        Version::Two => 2,
    });
    writer.integer(descriptor.report.bits().cast_signed());
    writer.integer(descriptor.message_type.0);
    writer.integer(descriptor.expiry.0);
    writer.integer(descriptor.feedback.0);
    writer.integer(descriptor.encoding.0);
    writer.integer(descriptor.ccsid.0);
    writer.bytes(descriptor.format.0.as_bytes());
    writer.integer(descriptor.priority);
    writer.integer(match descriptor.persistence {
        Persistence::NonPersistent => 0,
        Persistence::Persistent => 1,
        Persistence::AsQueueDefinition => 2,
    });
    writer.bytes(descriptor.message_id.as_bytes());
    writer.bytes(descriptor.correlation_id.as_bytes());
    writer.unsigned(descriptor.backout_count);
    writer.bytes(&descriptor.reply_to_queue.padded());
    writer.bytes(&descriptor.reply_to_queue_manager.padded());
    writer.bytes(descriptor.user_identifier.as_bytes());
    writer.bytes(descriptor.accounting_token.as_bytes());
    writer.bytes(descriptor.application_identity_data.as_bytes());
    writer.integer(descriptor.put_application_type);
    writer.bytes(descriptor.put_application_name.as_bytes());
    writer.bytes(descriptor.put_date.as_bytes());
    writer.bytes(descriptor.put_time.as_bytes());
    writer.bytes(descriptor.application_origin_data.as_bytes());
    if version == Version::Two {
        encode_version_2_fields(descriptor, &mut writer);
    }
}

/// GroupId to OriginalLength: the end of MQMD version 2 and of MQMDE.
pub(crate) fn encode_version_2_fields(descriptor: &MessageDescriptor, writer: &mut Writer<'_>) {
    writer.bytes(descriptor.group_id.as_bytes());
    writer.unsigned(descriptor.message_sequence_number);
    writer.unsigned(descriptor.offset);
    writer.integer(descriptor.message_flags.bits().cast_signed());
    writer.integer(descriptor.original_length);
}

/// Reads the descriptor that `bytes` begin with. Returns its length too: 324 or 364.
///
/// # Errors
/// Too short, another identifier, an unknown version, a persistence that is none, a negative count, or a reply-to name
/// with characters no object name has.
pub fn decode(bytes: &[u8], encoding: Encoding) -> Result<(MessageDescriptor, usize), HeaderError> {
    let mut reader = Reader::new("MQMD", bytes, encoding);
    reader.expect_identifier(*b"MD  ")?;
    let version = match reader.integer()? {
        1 => Version::One,
        2 => Version::Two,
        other => return Err(reader.bad_value("Version", other)),
    };
    let mut descriptor = MessageDescriptor {
        report: Report::from_bits_retain(reader.integer()?.cast_unsigned()),
        message_type: MessageType(reader.integer()?),
        expiry: Expiry(reader.integer()?),
        feedback: Feedback(reader.integer()?),
        encoding: Encoding(reader.integer()?),
        ccsid: Ccsid(reader.integer()?),
        format: Format(reader.text()?),
        priority: reader.integer()?,
        persistence: match reader.integer()? {
            0 => Persistence::NonPersistent,
            1 => Persistence::Persistent,
            2 => Persistence::AsQueueDefinition,
            other => return Err(reader.bad_value("Persistence", other)),
        },
        message_id: MessageId::new(reader.array()?),
        correlation_id: CorrelationId::new(reader.array()?),
        backout_count: reader.unsigned("BackoutCount")?,
        reply_to_queue: name(&mut reader, "ReplyToQ")?,
        reply_to_queue_manager: name(&mut reader, "ReplyToQMgr")?,
        user_identifier: reader.text()?,
        accounting_token: AccountingToken::new(reader.array()?),
        application_identity_data: reader.text()?,
        put_application_type: reader.integer()?,
        put_application_name: reader.text()?,
        put_date: reader.text()?,
        put_time: reader.text()?,
        application_origin_data: reader.text()?,
        ..MessageDescriptor::default()
    };
    if version == Version::Two {
        descriptor.group_id = GroupId::new(reader.array()?);
        descriptor.message_sequence_number = reader.unsigned("MsgSeqNumber")?;
        descriptor.offset = reader.unsigned("Offset")?;
        descriptor.message_flags = MessageFlags::from_bits_retain(reader.integer()?.cast_unsigned());
        descriptor.original_length = reader.integer()?;
    }
    Ok((descriptor, reader.offset()))
}

/// An object name, padded with blanks or ended by a NUL.
fn name(reader: &mut Reader<'_>, field: &'static str) -> Result<ObjectName, HeaderError> {
    let text = reader.text::<48>()?;
    let name = std::str::from_utf8(text.trimmed()).ok().and_then(|name| ObjectName::parse(name).ok());
    name.ok_or(HeaderError::Name { structure: "MQMD", field })
}
