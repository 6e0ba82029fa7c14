//! A message on its way to a queue: read from an envelope or from a raw body, and put together.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use codepage::{ByteOrder, CharacterSet};
use model::descriptor::{Ccsid, Encoding, Expiry, Feedback, Format, MessageDescriptor, MessageFlags, Persistence};
use model::header::rfh2::Rfh2;
use model::identifier::{CorrelationId, GroupId, MessageId};
use model::message::Message;
use model::name::{QueueManagerName, QueueName};
use model::property::{self, Property, PropertyValue};
use model::text::Text;
use model::timestamp::Timestamp;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::content::{self, CONTENT_TYPE_PROPERTY};
use crate::error::NotAMessage;
use crate::time_text::{read_duration, read_moment};
use crate::words::{read_persistence, read_report, read_type};

/// When a message may be delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Due {
    At(Timestamp),
    After(Duration),
}

/// A message to be put, its headers not written yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Outgoing {
    /// With the format, CCSID and encoding of the data.
    pub descriptor: MessageDescriptor,
    /// The id in the descriptor was chosen by the sender.
    pub has_own_id: bool,
    pub properties: Vec<Property>,
    pub content_type: Option<String>,
    pub data: Bytes,
    pub due: Option<Due>,
}

impl Default for Outgoing {
    fn default() -> Self {
        Self {
            descriptor: MessageDescriptor { encoding: Encoding::NATIVE, ..MessageDescriptor::default() },
            has_own_id: false,
            properties: Vec::new(),
            content_type: None,
            data: Bytes::new(),
            due: None,
        }
    }
}

impl Outgoing {
    /// Sets the data of a raw body with this content type.
    ///
    /// # Errors
    /// The body is not of its type.
    pub fn set_body(&mut self, content_type: Option<&str>, data: Bytes) -> Result<(), NotAMessage> {
        let typed = content::typed(content_type, &data)?;
        (self.descriptor.format, self.descriptor.ccsid) = (typed.format, typed.ccsid);
        if self.descriptor.ccsid == Ccsid::UTF_16 {
            // As the network writes it; MQMD says so by the encoding.
            self.descriptor.encoding = Encoding::BIG_ENDIAN;
        }
        (self.content_type, self.data) = (typed.content_type, data);
        Ok(())
    }

    /// The message as it is put: properties and a content type that the data do not say themselves stand in an MQRFH2.
    pub fn into_message(self) -> Message {
        let Self { mut descriptor, mut properties, content_type, data, .. } = self;
        if let Some(content_type) = content_type {
            properties.retain(|property| property.name != CONTENT_TYPE_PROPERTY);
            let value = PropertyValue::String(content_type);
            properties.push(Property { name: CONTENT_TYPE_PROPERTY.to_owned(), value });
        }
        if properties.is_empty() {
            return Message { descriptor, body: data };
        }
        let domain = if descriptor.format == Format::STRING { "jms_text" } else { "jms_bytes" };
        let domain = PropertyValue::String(domain.to_owned());
        let properties = properties.iter().map(|property| (&*property.name, &property.value));
        let folders =
            vec![property::write_folder("mcd", [("Msd", &domain)]), property::write_folder("usr", properties)];
        let MessageDescriptor { format, ccsid, encoding, .. } = descriptor;
        let header = Rfh2 { encoding, ccsid, format, flags: 0, folders };
        let mut body = Vec::with_capacity(256 + data.len());
        header.encode(Encoding::BIG_ENDIAN, &mut body);
        body.extend_from_slice(&data);
        descriptor.format = Format::RF_HEADER_2;
        descriptor.encoding = Encoding::BIG_ENDIAN;
        descriptor.ccsid = Ccsid::UTF_8;
        Message { descriptor, body: body.into() }
    }
}

/// A message as JSON. Members that only a reader gets (`position`, `putAt` and others) are accepted and passed over, so that a
/// message that was read can be sent again as it is.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Envelope<'a> {
    id: Option<String>,
    correlation_id: Option<String>,
    group_id: Option<String>,
    sequence: Option<u32>,
    is_last_in_group: Option<bool>,
    offset: Option<u32>,
    r#type: Option<String>,
    format: Option<String>,
    ccsid: Option<i32>,
    encoding: Option<i32>,
    priority: Option<i32>,
    persistence: Option<String>,
    expiry: Option<String>,
    expires_at: Option<String>,
    reply_to: Option<ReplyTo>,
    #[serde(default)]
    report: Vec<String>,
    feedback: Option<i32>,
    content_type: Option<String>,
    properties: Option<serde_json::Map<String, Value>>,
    #[serde(borrow)]
    body: Option<Body<'a>>,
    deliver_at: Option<String>,
    delay: Option<String>,
    #[serde(default, rename = "backoutCount")]
    _backout_count: serde::de::IgnoredAny,
    #[serde(default, rename = "putAt")]
    _put_at: serde::de::IgnoredAny,
    #[serde(default, rename = "putApplication")]
    _put_application: serde::de::IgnoredAny,
    #[serde(default, rename = "user")]
    _user: serde::de::IgnoredAny,
    #[serde(default, rename = "position")]
    _position: serde::de::IgnoredAny,
    #[serde(default, rename = "length")]
    _length: serde::de::IgnoredAny,
    #[serde(default, rename = "headers")]
    _headers: serde::de::IgnoredAny,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReplyTo {
    queue: String,
    #[serde(default)]
    qmgr: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Body<'a> {
    text: Option<String>,
    #[serde(borrow)]
    json: Option<&'a RawValue>,
    base64: Option<String>,
    /// The whole body, headers included, in base64.
    raw: Option<String>,
}

const IDENTIFIER: &str = "48 hexadecimal digits";
const MOMENT: &str = "a moment such as 2026-11-23T04:00:00Z";
const DURATION: &str = "a duration such as 30s, 250ms or PT30S";
const NAME: &str = "an object name";
const BASE64: &str = "base64";
/// MQMD's greatest expiry, in tenths of a second.
const LONGEST_EXPIRY: u128 = 999_999_999;

/// Reads an envelope.
///
/// # Errors
/// It is not JSON, has unknown members, or a member has no value that it may have.
pub fn read_envelope(text: &[u8], now: Timestamp) -> Result<Outgoing, NotAMessage> {
    if text.trim_ascii_start().first() != Some(&b'{') {
        return Err(NotAMessage::Json("a JSON object was expected".to_owned()));
    }
    let envelope: Envelope<'_> = serde_json::from_slice(text).map_err(|error| NotAMessage::Json(error.to_string()))?;
    let mut outgoing = Outgoing::default();
    envelope.describe(&mut outgoing, now)?;
    if let Some(properties) = &envelope.properties {
        outgoing.properties = read_properties(properties)?;
    }
    match &envelope.body {
        Some(body) => body.fill(&envelope, &mut outgoing)?,
        None => outgoing.descriptor.format = read_format(envelope.format.as_deref()).unwrap_or(Format::NONE),
    }
    Ok(outgoing)
}

impl Envelope<'_> {
    fn describe(&self, outgoing: &mut Outgoing, now: Timestamp) -> Result<(), NotAMessage> {
        let descriptor = &mut outgoing.descriptor;
        if let Some(id) = &self.id {
            descriptor.message_id = read("id", id, IDENTIFIER, MessageId::from_hex)?;
            outgoing.has_own_id = !descriptor.message_id.is_none();
        }
        if let Some(id) = &self.correlation_id {
            descriptor.correlation_id = read("correlationId", id, IDENTIFIER, CorrelationId::from_hex)?;
        }
        if let Some(id) = &self.group_id {
            descriptor.group_id = read("groupId", id, IDENTIFIER, GroupId::from_hex)?;
            descriptor.message_sequence_number = self.sequence.unwrap_or(1);
            descriptor.message_flags = MessageFlags::MSG_IN_GROUP;
            if self.is_last_in_group == Some(true) {
                descriptor.message_flags |= MessageFlags::LAST_MSG_IN_GROUP;
            }
        }
        if let Some(offset) = self.offset.filter(|offset| *offset > 0) {
            descriptor.offset = offset;
            descriptor.message_flags |= MessageFlags::SEGMENT;
        }
        if let Some(reply_to) = &self.reply_to {
            descriptor.reply_to_queue = read("replyTo.queue", &reply_to.queue, NAME, parse_name)?;
            descriptor.reply_to_queue_manager = read("replyTo.qmgr", &reply_to.qmgr, NAME, parse_manager)?;
            descriptor.message_type = model::descriptor::MessageType::REQUEST;
        }
        if let Some(word) = &self.r#type {
            descriptor.message_type =
                read("type", word, "datagram, request, reply, report or a number of your own", read_type)?;
        }
        if let Some(priority) = self.priority {
            let priority = Some(priority).filter(|priority| (0..=9).contains(priority));
            descriptor.priority = priority
                .ok_or_else(|| NotAMessage::member("priority", &self.priority.unwrap_or(0).to_string(), "0 to 9"))?;
        }
        if let Some(word) = &self.persistence {
            descriptor.persistence =
                read("persistence", word, "persistent, nonPersistent or asQueue", read_persistence)?;
        }
        descriptor.expiry = self.expiry(now)?;
        let words = self.report.iter().map(String::as_str);
        descriptor.report = read_report(words)
            .ok_or_else(|| NotAMessage::member("report", &self.report.join(", "), "names of report options"))?;
        descriptor.feedback = self.feedback.map_or(Feedback::NONE, Feedback);
        outgoing.due = self.due()?;
        Ok(())
    }

    fn expiry(&self, now: Timestamp) -> Result<Expiry, NotAMessage> {
        let lifetime = match (&self.expiry, &self.expires_at) {
            (Some(text), _) => Some(read("expiry", text, DURATION, read_duration)?),
            (None, Some(text)) => Some(read("expiresAt", text, MOMENT, read_moment)?.since(now)),
            (None, None) => None,
        };
        Ok(lifetime.map_or(Expiry::UNLIMITED, expiry_of))
    }

    fn due(&self) -> Result<Option<Due>, NotAMessage> {
        match (&self.deliver_at, &self.delay) {
            (Some(text), None) => Ok(Some(Due::At(read("deliverAt", text, MOMENT, read_moment)?))),
            (None, Some(text)) => Ok(Some(Due::After(read("delay", text, DURATION, read_duration)?))),
            (None, None) => Ok(None),
            (Some(text), Some(_)) => Err(NotAMessage::member("deliverAt", text, "either deliverAt or delay")),
        }
    }
}

/// In tenths of a second, rounded up, so that a short life never becomes an endless one.
pub fn expiry_of(lifetime: Duration) -> Expiry {
    let tenths = lifetime.as_millis().div_ceil(100).clamp(1, LONGEST_EXPIRY);
    Expiry(i32::try_from(tenths).expect("at most 999,999,999"))
}

impl Body<'_> {
    fn fill(&self, envelope: &Envelope<'_>, outgoing: &mut Outgoing) -> Result<(), NotAMessage> {
        let count = usize::from(self.text.is_some())
            + usize::from(self.json.is_some())
            + usize::from(self.base64.is_some())
            + usize::from(self.raw.is_some());
        if count > 1 {
            return Err(NotAMessage::Bodies(count));
        }
        let content_type = envelope.content_type.as_deref();
        if let Some(json) = self.json {
            let content_type = content_type.unwrap_or("application/json");
            outgoing.set_body(Some(content_type), Bytes::copy_from_slice(json.get().as_bytes()))?;
        } else if let Some(text) = &self.text {
            self.fill_text(text, content_type, envelope, outgoing)?;
        } else if let Some(text) = self.base64.as_ref().or(self.raw.as_ref()) {
            let data = STANDARD.decode(text).map_err(|_| NotAMessage::member("body", text, BASE64))?;
            fill_bytes(data, content_type.filter(|_| self.raw.is_none()), envelope, outgoing)?;
        }
        Ok(())
    }

    fn fill_text(
        &self,
        text: &str,
        content_type: Option<&str>,
        envelope: &Envelope<'_>,
        outgoing: &mut Outgoing,
    ) -> Result<(), NotAMessage> {
        outgoing.set_body(Some(content_type.unwrap_or("text/plain")), Bytes::copy_from_slice(text.as_bytes()))?;
        outgoing.descriptor.ccsid = Ccsid::UTF_8;
        if let Some(format) = &envelope.format {
            outgoing.descriptor.format = read_format(Some(format))?;
        }
        if let Some(encoding) = envelope.encoding {
            outgoing.descriptor.encoding = Encoding(encoding);
        }
        let Some(number) = envelope.ccsid.filter(|number| *number != Ccsid::UTF_8.0) else { return Ok(()) };
        let little = outgoing.descriptor.encoding.integers_are_little_endian();
        let order = if little { ByteOrder::Little } else { ByteOrder::Big };
        let set = u32::try_from(number).ok().and_then(|number| CharacterSet::of(number, order));
        let mut data = Vec::new();
        let substituted = set.ok_or(NotAMessage::Ccsid(number))?.encode(text, &mut data);
        if substituted > 0 {
            return Err(NotAMessage::Ccsid(number));
        }
        (outgoing.descriptor.ccsid, outgoing.data) = (Ccsid(number), data.into());
        Ok(())
    }
}

fn fill_bytes(
    data: Vec<u8>,
    content_type: Option<&str>,
    envelope: &Envelope<'_>,
    outgoing: &mut Outgoing,
) -> Result<(), NotAMessage> {
    outgoing.set_body(content_type, data.into())?;
    let descriptor = &mut outgoing.descriptor;
    if let Some(format) = &envelope.format {
        descriptor.format = read_format(Some(format))?;
    }
    if let Some(ccsid) = envelope.ccsid {
        descriptor.ccsid = Ccsid(ccsid);
    }
    if let Some(encoding) = envelope.encoding {
        descriptor.encoding = Encoding(encoding);
    }
    Ok(())
}

pub(crate) fn read<T>(
    member: &'static str,
    value: &str,
    expected: &'static str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<T, NotAMessage> {
    parse(value).ok_or_else(|| NotAMessage::member(member, value, expected))
}

fn parse_name(text: &str) -> Option<QueueName> {
    QueueName::parse(text).ok().filter(|name| !name.is_blank())
}

fn parse_manager(text: &str) -> Option<QueueManagerName> {
    QueueManagerName::parse(text).ok()
}

fn read_format(text: Option<&str>) -> Result<Format, NotAMessage> {
    let text = text.unwrap_or_default();
    if text.len() > 8 || !text.is_ascii() {
        return Err(NotAMessage::member("format", text, "at most eight characters"));
    }
    Ok(Format(Text::new(text)))
}

/// The persistence that a word of a header names.
pub fn read_persistence_word(text: &str) -> Option<Persistence> {
    read_persistence(text)
}

/// Properties of a JSON object: a plain value, or `{"type": …, "value": …}`.
///
/// # Errors
/// A name that no property may have, or a value that is not of its type.
pub fn read_properties(object: &serde_json::Map<String, Value>) -> Result<Vec<Property>, NotAMessage> {
    object
        .iter()
        .map(|(name, value)| {
            let wrong = |problem: String| NotAMessage::Property { name: name.chars().take(80).collect(), problem };
            property::check_name(name).map_err(|error| wrong(format!("is refused: {error}")))?;
            let value = read_value(value).ok_or_else(|| {
                wrong(
                    "is not a string, number, boolean, null or {\"type\": …, \"value\": …} with a value of its type"
                        .to_owned(),
                )
            })?;
            Ok(Property { name: name.clone(), value })
        })
        .collect()
}

fn read_value(value: &Value) -> Option<PropertyValue> {
    Some(match value {
        Value::Null => PropertyValue::Null,
        Value::Bool(value) => PropertyValue::Boolean(*value),
        Value::String(text) => PropertyValue::String(text.clone()),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(integer), _) => i32::try_from(integer).map_or(PropertyValue::Long(integer), PropertyValue::Integer),
            (None, Some(float)) => PropertyValue::Double(float),
            (None, None) => return None,
        },
        Value::Object(typed) if typed.len() == 2 => {
            return read_typed(typed.get("type")?.as_str()?, typed.get("value")?);
        }
        Value::Object(_) | Value::Array(_) => return None,
    })
}

fn read_typed(name: &str, value: &Value) -> Option<PropertyValue> {
    let integer = || match value {
        // Beyond what JSON numbers keep.
        Value::String(text) => text.parse::<i64>().ok(),
        other => other.as_i64(),
    };
    Some(match name {
        "boolean" => PropertyValue::Boolean(value.as_bool()?),
        "byte" => PropertyValue::Byte(i8::try_from(integer()?).ok()?),
        "short" => PropertyValue::Short(i16::try_from(integer()?).ok()?),
        "integer" => PropertyValue::Integer(i32::try_from(integer()?).ok()?),
        "long" => PropertyValue::Long(integer()?),
        "float" => PropertyValue::Float(value.as_f64()?.to_string().parse().ok()?),
        "double" => PropertyValue::Double(value.as_f64()?),
        "string" => PropertyValue::String(value.as_str()?.to_owned()),
        "bytes" => PropertyValue::Bytes(STANDARD.decode(value.as_str()?).ok()?),
        _ => return None,
    })
}
