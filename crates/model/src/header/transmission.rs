//! MQXQH: what stands before a message on a transmission queue: where it goes, and its own descriptor.
//!
//! ```text
//!   0 StrucId "XQH "    4
//!   4 Version 1         4
//!   8 RemoteQName      48
//!  56 RemoteQMgrName   48
//! 104 MsgDesc         324   MQMD version 1    428 bytes in all
//! ```
//!
//! Fields that only version 2 of MQMD has travel in an MQMDE behind it when they are not the defaults; `encode` writes
//! that extension, and `decode` reads it, so that a descriptor comes back whole.
//!
//! ```text
//!   0 StrucId "MDE "    4    20 Format          8    60 Offset          4
//!   4 Version 2         4    28 Flags           4    64 MsgFlags        4
//!   8 StrucLength 72    4    32 GroupId        24    68 OriginalLength  4
//!  12 Encoding          4    56 MsgSeqNumber    4
//!  16 CodedCharSetId    4
//! ```

use crate::descriptor::{Ccsid, Encoding, Format, MessageDescriptor, MessageFlags};
use crate::descriptor_codec::{self, Version};
use crate::header::HeaderError;
use crate::header::cursor::{Reader, Writer};
use crate::identifier::GroupId;
use crate::text::Text;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransmissionHeader {
    pub remote_queue: Text<48>,
    pub remote_queue_manager: Text<48>,
    /// Of the message behind the header.
    pub descriptor: MessageDescriptor,
}

const MD_EXTENSION_LENGTH: i32 = 72;

impl TransmissionHeader {
    /// Without an MQMDE.
    pub const LENGTH: usize = 428;

    /// Appends the header, and the MQMDE if one is needed.
    pub fn encode(&self, encoding: Encoding, out: &mut Vec<u8>) {
        out.reserve(Self::LENGTH);
        let mut writer = Writer::new(out, encoding);
        writer.bytes(b"XQH ");
        writer.integer(1);
        writer.bytes(self.remote_queue.as_bytes());
        writer.bytes(self.remote_queue_manager.as_bytes());
        if has_version_1_only(&self.descriptor) {
            descriptor_codec::encode(&self.descriptor, Version::One, encoding, out);
            return;
        }
        // The extension's own text and integers are the queue manager's.
        let ccsid = Ccsid::UTF_8;
        let outer = MessageDescriptor { format: Format::MD_EXTENSION, encoding, ccsid, ..self.descriptor.clone() };
        descriptor_codec::encode(&outer, Version::One, encoding, out);
        encode_extension(&self.descriptor, encoding, out);
    }

    /// Reads the header that `bytes` begin with, and an MQMDE behind it. Returns how many bytes they take.
    ///
    /// # Errors
    /// Too short, another identifier or version, or a descriptor that is none.
    pub fn decode(bytes: &[u8], encoding: Encoding) -> Result<(Self, usize), HeaderError> {
        let mut reader = Reader::new("MQXQH", bytes, encoding);
        reader.expect_identifier(*b"XQH ")?;
        let version = reader.integer()?;
        if version != 1 {
            return Err(reader.bad_value("Version", version));
        }
        let remote_queue = reader.text()?;
        let remote_queue_manager = reader.text()?;
        let start = reader.offset();
        let (mut descriptor, length) = descriptor_codec::decode(&bytes[start..], encoding)?;
        let mut end = start + length;
        if descriptor.format == Format::MD_EXTENSION {
            end += decode_extension(&bytes[end..], &mut descriptor)?;
        }
        Ok((Self { remote_queue, remote_queue_manager, descriptor }, end))
    }
}

fn has_version_1_only(descriptor: &MessageDescriptor) -> bool {
    let default = MessageDescriptor::default();
    descriptor.group_id == default.group_id
        && descriptor.message_sequence_number == default.message_sequence_number
        && descriptor.offset == default.offset
        && descriptor.message_flags == default.message_flags
        && descriptor.original_length == default.original_length
}

fn encode_extension(descriptor: &MessageDescriptor, encoding: Encoding, out: &mut Vec<u8>) {
    let mut writer = Writer::new(out, encoding);
    writer.bytes(b"MDE ");
    writer.integer(2);
    writer.integer(MD_EXTENSION_LENGTH);
    writer.integer(descriptor.encoding.0);
    writer.integer(descriptor.ccsid.0);
    writer.bytes(descriptor.format.0.as_bytes());
    writer.integer(0);
    descriptor_codec::encode_version_2_fields(descriptor, &mut writer);
}

/// Takes the extension's fields into the descriptor; its encoding is the one the descriptor names.
fn decode_extension(bytes: &[u8], descriptor: &mut MessageDescriptor) -> Result<usize, HeaderError> {
    let mut reader = Reader::new("MQMDE", bytes, descriptor.encoding);
    reader.expect_identifier(*b"MDE ")?;
    let version = reader.integer()?;
    if version != 2 {
        return Err(reader.bad_value("Version", version));
    }
    let length = reader.integer()?;
    if length != MD_EXTENSION_LENGTH {
        return Err(reader.bad_value("StrucLength", length));
    }
    descriptor.encoding = Encoding(reader.integer()?);
    descriptor.ccsid = Ccsid(reader.integer()?);
    descriptor.format = Format(reader.text()?);
    let _flags = reader.integer()?;
    descriptor.group_id = GroupId::new(reader.array()?);
    descriptor.message_sequence_number = reader.unsigned("MsgSeqNumber")?;
    descriptor.offset = reader.unsigned("Offset")?;
    descriptor.message_flags = MessageFlags::from_bits_retain(reader.integer()?.cast_unsigned());
    descriptor.original_length = reader.integer()?;
    Ok(reader.offset())
}
