//! A message as it is carried to another queue manager: an envelope with the whole descriptor, and the body as it is.
//!
//! `outgoing.rs` reads it back. Only what the queue manager that takes it decides anew is left out: the backout count and the
//! position. The moment of expiry stands for the time left, which goes on while the message is carried.
//!
//! Invariant: what is read back has every byte of the descriptor and of the body, whatever an application has put there.

use std::fmt::Write;

use base64::display::Base64Display;
use base64::engine::general_purpose::STANDARD;
use model::descriptor::{MessageDescriptor, MessageFlags, Report};
use model::message::Message;
use model::text::Text;
use model::timestamp::Timestamp;
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::time_text::write_moment;
use crate::words::{write_persistence, write_report, write_type};

/// A message that serialises as an envelope of an export.
pub struct Exported<'a> {
    pub message: &'a Message,
    /// For the moment of expiry.
    pub now: Timestamp,
}

impl Serialize for Exported<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let descriptor = &self.message.descriptor;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &descriptor.message_id)?;
        if !descriptor.correlation_id.is_none() {
            map.serialize_entry("correlationId", &descriptor.correlation_id)?;
        }
        serialize_place(descriptor, &mut map)?;
        map.serialize_entry("type", &write_type(descriptor.message_type))?;
        text("format", &descriptor.format.0, &mut map)?;
        map.serialize_entry("ccsid", &descriptor.ccsid)?;
        map.serialize_entry("encoding", &descriptor.encoding)?;
        map.serialize_entry("priority", &descriptor.priority)?;
        map.serialize_entry("persistence", write_persistence(descriptor.persistence))?;
        if let Some(left) = descriptor.expiry.duration() {
            map.serialize_entry("expiresAt", &write_moment(self.now.saturating_add(left)))?;
        }
        if !descriptor.reply_to_queue.is_blank() || !descriptor.reply_to_queue_manager.is_blank() {
            let (queue, qmgr) = (descriptor.reply_to_queue.as_str(), descriptor.reply_to_queue_manager.as_str());
            map.serialize_entry("replyTo", &serde_json::json!({ "queue": queue, "qmgr": qmgr }))?;
        }
        if descriptor.report != Report::empty() {
            map.serialize_entry("report", &write_report(descriptor.report))?;
        }
        if descriptor.feedback.0 != 0 {
            map.serialize_entry("feedback", &descriptor.feedback)?;
        }
        serialize_context(descriptor, &mut map)?;
        map.serialize_entry("body", &RawBody(&self.message.body))?;
        map.end()
    }
}

/// Of a group or of segments.
fn serialize_place<M: SerializeMap>(descriptor: &MessageDescriptor, map: &mut M) -> Result<(), M::Error> {
    if !descriptor.group_id.is_none() {
        map.serialize_entry("groupId", &descriptor.group_id)?;
    }
    if descriptor.message_sequence_number != 1 {
        map.serialize_entry("sequence", &descriptor.message_sequence_number)?;
    }
    if descriptor.offset > 0 {
        map.serialize_entry("offset", &descriptor.offset)?;
    }
    // Elsewhere group and offset set flags.
    if descriptor.message_flags != MessageFlags::empty() || !descriptor.group_id.is_none() || descriptor.offset > 0 {
        map.serialize_entry("flags", &descriptor.message_flags.bits())?;
    }
    if descriptor.original_length != MessageDescriptor::ORIGINAL_LENGTH_UNDEFINED {
        map.serialize_entry("originalLength", &descriptor.original_length)?;
    }
    Ok(())
}

fn serialize_context<M: SerializeMap>(descriptor: &MessageDescriptor, map: &mut M) -> Result<(), M::Error> {
    text("user", &descriptor.user_identifier, map)?;
    if descriptor.accounting_token != model::identifier::AccountingToken::NONE {
        map.serialize_entry("accountingToken", &descriptor.accounting_token)?;
    }
    text("applicationIdentityData", &descriptor.application_identity_data, map)?;
    map.serialize_entry("putApplication", &PutApplication(descriptor))?;
    text("putDate", &descriptor.put_date, map)?;
    text("putTime", &descriptor.put_time, map)?;
    text("applicationOriginData", &descriptor.application_origin_data, map)
}

struct PutApplication<'a>(&'a MessageDescriptor);

impl Serialize for PutApplication<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        text("name", &self.0.put_application_name, &mut map)?;
        map.serialize_entry("type", &self.0.put_application_type)?;
        map.end()
    }
}

/// A field of characters: as a text where it is ASCII and that says all of it, else as hexadecimal digits. A blank one is left
/// out.
fn text<M: SerializeMap, const N: usize>(name: &'static str, field: &Text<N>, map: &mut M) -> Result<(), M::Error> {
    if *field == Text::BLANK {
        return Ok(());
    }
    let shown = field.to_text();
    if shown.is_ascii() && Text::<N>::new(&shown) == *field {
        return map.serialize_entry(name, &shown);
    }
    let mut digits = String::with_capacity(2 * N);
    for byte in field.as_bytes() {
        let _ = write!(digits, "{byte:02x}");
    }
    map.serialize_entry(name, &serde_json::json!({ "hex": digits }))
}

struct RawBody<'a>(&'a [u8]);

impl Serialize for RawBody<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Base64<'a>(&'a [u8]);
        impl Serialize for Base64<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(&Base64Display::new(self.0, &STANDARD))
            }
        }
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry("raw", &Base64(self.0))?;
        map.end()
    }
}
