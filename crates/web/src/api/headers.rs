//! The `mq-*` headers: those of a raw body that is put, and those of one that is returned. Each has the name and the value of the
//! member of an envelope: `mq-correlation-id` is `correlationId`.

use http::header::{HeaderMap, HeaderName, HeaderValue};
use message_api::content::Content;
use message_api::incoming::write_properties;
use message_api::outgoing::Outgoing;
use message_api::time_text::write_moment;
use message_api::words::{write_persistence, write_report, write_type};
use model::descriptor::{Ccsid, Format, MessageFlags, Report};
use model::message::Message;
use model::timestamp::Timestamp;
use queue_manager::Position;

use crate::error::ApiError;

use super::not_a_message;

macro_rules! headers {
    ($($name:ident = $header:literal, $member:literal;)*) => {
        $(const $name: HeaderName = HeaderName::from_static($header);)*
        /// Those of a put, with the members that they set.
        static OF_PUT: [(HeaderName, &str); [$($header),*].len()] = [$(($name, $member),)*];
    };
}

headers! {
    CORRELATION_ID = "mq-correlation-id", "correlationId";
    PERSISTENCE = "mq-persistence", "persistence";
    PRIORITY = "mq-priority", "priority";
    EXPIRY = "mq-expiry", "expiry";
    REPLY_TO = "mq-reply-to", "replyTo";
    TYPE = "mq-type", "type";
    PROPERTIES = "mq-properties", "properties";
    ID = "mq-id", "id";
    GROUP_ID = "mq-group-id", "groupId";
    SEQUENCE = "mq-sequence", "sequence";
    LAST_IN_GROUP = "mq-last-in-group", "isLastInGroup";
    EXPIRES_AT = "mq-expires-at", "expiresAt";
    REPORT = "mq-report", "report";
    FEEDBACK = "mq-feedback", "feedback";
    FORMAT = "mq-format", "format";
    CCSID = "mq-ccsid", "ccsid";
    ENCODING = "mq-encoding", "encoding";
    DELIVER_AT = "mq-deliver-at", "deliverAt";
    DELAY = "mq-delay", "delay";
}

const POSITION: HeaderName = HeaderName::from_static("mq-position");
const BACKOUT_COUNT: HeaderName = HeaderName::from_static("mq-backout-count");
const PUT_AT: HeaderName = HeaderName::from_static("mq-put-at");
const USER: HeaderName = HeaderName::from_static("mq-user");
const PREFIX: &str = "mq-";

/// # Errors
/// 400 a header with a value that it cannot have, or one that begins with `mq-` and is unknown.
pub(super) fn read(headers: &HeaderMap, now: Timestamp) -> Result<Outgoing, ApiError> {
    let mut outgoing = Outgoing::default();
    for (name, value) in headers {
        if !name.as_str().starts_with(PREFIX) {
            continue;
        }
        let text = String::from_utf8_lossy(value.as_bytes());
        let Some((_, member)) = OF_PUT.iter().find(|(known, _)| known == name) else {
            return Err(ApiError::header(name.as_str(), &text, "one of the mq- headers that can be set"));
        };
        outgoing.set(member, text.trim(), now).map_err(|problem| not_a_message(&problem))?;
    }
    Ok(outgoing)
}

/// Adds what describes a message that is returned as a raw body.
pub(super) fn describe(
    headers: &mut HeaderMap,
    message: &Message,
    content: &Content,
    at: Option<Position>,
    now: Timestamp,
) {
    let descriptor = &message.descriptor;
    let mut add = |name: HeaderName, value: String| {
        // What cannot be in a header is left out; the envelope has it.
        if let Ok(value) = HeaderValue::try_from(value) {
            headers.insert(name, value);
        }
    };
    add(ID, descriptor.message_id.to_string());
    if !descriptor.correlation_id.is_none() {
        add(CORRELATION_ID, descriptor.correlation_id.to_string());
    }
    if !descriptor.group_id.is_none() {
        add(GROUP_ID, descriptor.group_id.to_string());
        add(SEQUENCE, descriptor.message_sequence_number.to_string());
        if descriptor.message_flags.contains(MessageFlags::LAST_MSG_IN_GROUP) {
            add(LAST_IN_GROUP, "true".to_owned());
        }
    }
    add(TYPE, write_type(descriptor.message_type));
    add(PERSISTENCE, write_persistence(descriptor.persistence).to_owned());
    add(PRIORITY, descriptor.priority.to_string());
    if let Some(left) = descriptor.expiry.duration() {
        add(EXPIRES_AT, write_moment(now.saturating_add(left)));
    }
    if !descriptor.reply_to_queue.is_blank() {
        let (queue, queue_manager) = (descriptor.reply_to_queue, descriptor.reply_to_queue_manager);
        let at = if queue_manager.is_blank() { "" } else { "@" };
        add(REPLY_TO, format!("{queue}{at}{queue_manager}"));
    }
    if descriptor.report != Report::empty() {
        add(REPORT, write_report(descriptor.report).join(","));
    }
    if descriptor.feedback.0 != 0 {
        add(FEEDBACK, descriptor.feedback.0.to_string());
    }
    if content.format != Format::NONE {
        add(FORMAT, content.format.0.to_text().into_owned());
    }
    if content.ccsid != Ccsid::Q_MGR && content.ccsid != Ccsid::UTF_8 {
        add(CCSID, content.ccsid.0.to_string());
    }
    add(ENCODING, content.encoding.0.to_string());
    if descriptor.backout_count > 0 {
        add(BACKOUT_COUNT, descriptor.backout_count.to_string());
    }
    if let Some(at) = Timestamp::of_put(&descriptor.put_date, &descriptor.put_time) {
        add(PUT_AT, write_moment(at));
    }
    if !descriptor.user_identifier.is_blank() {
        add(USER, descriptor.user_identifier.to_text().into_owned());
    }
    if let Some(at) = at {
        add(POSITION, at.0.to_string());
    }
    if !content.properties.is_empty() {
        add(PROPERTIES, ascii(&serde_json::Value::Object(write_properties(&content.properties)).to_string()));
    }
}

/// JSON in ASCII: headers carry nothing else safely.
fn ascii(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for unit in json.encode_utf16() {
        match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii() => out.push(char::from(byte)),
            _ => out.push_str(&format!("\\u{unit:04x}")),
        }
    }
    out
}
