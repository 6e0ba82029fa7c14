//! A message on its way to a queue: read from an envelope or from a raw body, and put together.

mod headers;
mod origin;

use std::borrow::Cow;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use codepage::{ByteOrder, CharacterSet};
use model::descriptor::{Ccsid, Encoding, Expiry, Feedback, Format, MessageDescriptor, MessageFlags, MessageType};
use model::header::rfh2::Rfh2;
use model::identifier::{CorrelationId, GroupId, MessageId};
use model::message::Message;
use model::name::{QueueManagerName, QueueName};
use model::property::{self, Property, PropertyValue};
use model::text::Text;
use model::timestamp::Timestamp;
pub use queue_manager::Due;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

pub(crate) use self::headers::write_folder;
use self::origin::{PutApplication, TextMember};
use crate::content::{self, CONTENT_TYPE_PROPERTY};
use crate::copybooks::{Copybooks, Structure};
use crate::error::NotAMessage;
use crate::time_text::{read_duration, read_moment};
use crate::words::{read_persistence, read_report, read_type};

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
    /// What the sender says of the data, whatever their content type says.
    stated: Stated,
}

#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Stated {
    format: Option<Format>,
    ccsid: Option<Ccsid>,
    encoding: Option<Encoding>,
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
            stated: Stated::default(),
        }
    }
}

impl Outgoing {
    /// Sets what one member says, given as text: that of an envelope, or of a header of the same name.
    ///
    /// # Errors
    /// The member has no such value.
    pub fn set(&mut self, member: &'static str, value: &str, now: Timestamp) -> Result<(), NotAMessage> {
        let descriptor = &mut self.descriptor;
        match member {
            "id" => {
                descriptor.message_id = read(member, value, IDENTIFIER, MessageId::from_hex)?;
                self.has_own_id = !descriptor.message_id.is_none();
            }
            "correlationId" => descriptor.correlation_id = read(member, value, IDENTIFIER, CorrelationId::from_hex)?,
            "groupId" => {
                descriptor.group_id = read(member, value, IDENTIFIER, GroupId::from_hex)?;
                descriptor.message_flags |= MessageFlags::MSG_IN_GROUP;
            }
            "sequence" => descriptor.message_sequence_number = read(member, value, NUMBER, |text| text.parse().ok())?,
            "isLastInGroup" => {
                let is_last = read(member, value, "true or false", |text| text.parse().ok())?;
                descriptor.message_flags.set(MessageFlags::LAST_MSG_IN_GROUP, is_last);
            }
            "offset" => {
                descriptor.offset = read(member, value, NUMBER, |text| text.parse().ok())?;
                descriptor.message_flags.set(MessageFlags::SEGMENT, descriptor.offset > 0);
            }
            "type" => descriptor.message_type = read(member, value, TYPES, read_type)?,
            "priority" => {
                let digit = |text: &str| text.parse().ok().filter(|number| (0..=9).contains(number));
                descriptor.priority = read(member, value, "0 to 9", digit)?;
            }
            "persistence" => {
                descriptor.persistence = read(member, value, "persistent, nonPersistent or asQueue", read_persistence)?;
            }
            "expiry" => descriptor.expiry = expiry_of(read(member, value, DURATION, read_duration)?),
            "expiresAt" => descriptor.expiry = expiry_of(read(member, value, MOMENT, read_moment)?.since(now)),
            "replyTo" => {
                let (queue, queue_manager) = read(member, value, "QUEUE or QUEUE@QMGR", parse_reply_to)?;
                (descriptor.reply_to_queue, descriptor.reply_to_queue_manager) = (queue, queue_manager);
                if descriptor.message_type == MessageType::DATAGRAM {
                    descriptor.message_type = MessageType::REQUEST;
                }
            }
            "report" => {
                let words = value.split(',').map(str::trim).filter(|word| !word.is_empty());
                descriptor.report = read_report(words)
                    .ok_or_else(|| NotAMessage::member(member, value, "names of report options with commas"))?;
            }
            "feedback" => descriptor.feedback = Feedback(read(member, value, NUMBER, |text| text.parse().ok())?),
            "format" => self.stated.format = Some(read(member, value, "at most eight characters", parse_format)?),
            "ccsid" => self.stated.ccsid = Some(Ccsid(read(member, value, NUMBER, |text| text.parse().ok())?)),
            "encoding" => self.stated.encoding = Some(Encoding(read(member, value, NUMBER, |text| text.parse().ok())?)),
            "properties" => {
                let object =
                    serde_json::from_str(value).map_err(|_| NotAMessage::member(member, value, "a JSON object"))?;
                self.properties = read_properties(&object)?;
            }
            "deliverAt" => self.set_due(member, value, Due::At(read(member, value, MOMENT, read_moment)?))?,
            "delay" => self.set_due(member, value, Due::After(read(member, value, DURATION, read_duration)?))?,
            other => return Err(NotAMessage::member(other, value, "a member that can be set")),
        }
        Ok(())
    }

    fn set_due(&mut self, member: &'static str, value: &str, due: Due) -> Result<(), NotAMessage> {
        match self.due.replace(due) {
            Some(_) => Err(NotAMessage::member(member, value, "either deliverAt or delay")),
            None => Ok(()),
        }
    }

    /// Sets the data: a raw body with this content type.
    ///
    /// # Errors
    /// The body is not of its type.
    pub fn set_body(&mut self, content_type: Option<&str>, data: Bytes) -> Result<(), NotAMessage> {
        let typed = content::typed(content_type, self.stated.ccsid, &data)?;
        let Stated { format, ccsid, encoding } = self.stated;
        let descriptor = &mut self.descriptor;
        descriptor.format = format.unwrap_or(typed.format);
        descriptor.ccsid = ccsid.unwrap_or(typed.ccsid);
        // Text in UTF-16 comes as the network writes it.
        let is_utf_16 = descriptor.ccsid == Ccsid::UTF_16;
        descriptor.encoding = encoding.unwrap_or(if is_utf_16 { Encoding::BIG_ENDIAN } else { Encoding::NATIVE });
        (self.content_type, self.data) = (typed.content_type, data);
        Ok(())
    }

    /// Sets the data: text, to be written in the CCSID that was stated.
    ///
    /// # Errors
    /// The CCSID is unknown or has no character for some of the text.
    fn set_text(&mut self, content_type: Option<&str>, text: &str) -> Result<(), NotAMessage> {
        let content_type = content_type.unwrap_or("text/plain");
        let Some(number) = self.stated.ccsid.map(|ccsid| ccsid.0).filter(|number| *number != Ccsid::UTF_8.0) else {
            return self.set_body(Some(content_type), Bytes::copy_from_slice(text.as_bytes()));
        };
        let is_little = self.stated.encoding.is_some_and(Encoding::integers_are_little_endian);
        let order = if is_little { ByteOrder::Little } else { ByteOrder::Big };
        let set = u32::try_from(number).ok().and_then(|number| CharacterSet::of(number, order));
        let mut data = Vec::new();
        let substituted = set.ok_or(NotAMessage::Ccsid(number))?.encode(text, &mut data);
        if substituted > 0 {
            return Err(NotAMessage::Ccsid(number));
        }
        self.set_body(Some(content_type), data.into())
    }

    /// Sets the data: a record, in the CCSID and the encoding that were stated, or in those of its structure.
    ///
    /// # Errors
    /// It is not a record of this structure.
    fn set_record(
        &mut self,
        content_type: Option<&str>,
        copybook: &str,
        structure: &dyn Structure,
        record: &RawValue,
    ) -> Result<(), NotAMessage> {
        let record = structure.encode(record.get().as_bytes(), self.stated.ccsid, self.stated.encoding);
        let record = record.map_err(|problem| NotAMessage::Record { copybook: copybook.to_owned(), problem })?;
        (self.stated.ccsid, self.stated.encoding) = (Some(record.ccsid), Some(record.encoding));
        self.set_body(content_type, record.data.into())
    }

    /// The message as it is put: properties and a content type that the data do not say themselves stand in an MQRFH2.
    pub fn into_message(self) -> Message {
        let folders = self.folders();
        let Self { mut descriptor, data, .. } = self;
        let Some(folders) = folders else { return Message { descriptor, body: data } };
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

    /// The folders of properties and content type. `None`: there are neither.
    fn folders(&self) -> Option<Vec<String>> {
        let content_type = self.content_type.as_ref().map(|content_type| PropertyValue::String(content_type.clone()));
        if self.properties.is_empty() && content_type.is_none() {
            return None;
        }
        let is_own = |property: &&Property| content_type.is_none() || property.name != CONTENT_TYPE_PROPERTY;
        let properties = self.properties.iter().filter(is_own).map(|property| (&*property.name, &property.value));
        let properties = properties.chain(content_type.iter().map(|value| (CONTENT_TYPE_PROPERTY, value)));
        let domain = if self.descriptor.format == Format::STRING { "jms_text" } else { "jms_bytes" };
        let domain = PropertyValue::String(domain.to_owned());
        Some(vec![property::write_folder("mcd", [("Msd", &domain)]), property::write_folder("usr", properties)])
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
    sequence: Option<i64>,
    is_last_in_group: Option<bool>,
    offset: Option<i64>,
    r#type: Option<String>,
    format: Option<TextMember>,
    ccsid: Option<i64>,
    encoding: Option<i64>,
    priority: Option<i64>,
    persistence: Option<String>,
    expiry: Option<String>,
    expires_at: Option<String>,
    reply_to: Option<ReplyTo>,
    #[serde(default)]
    report: Vec<String>,
    feedback: Option<i64>,
    content_type: Option<String>,
    properties: Option<serde_json::Map<String, Value>>,
    #[serde(borrow)]
    body: Option<Body<'a>>,
    deliver_at: Option<String>,
    delay: Option<String>,
    flags: Option<i64>,
    original_length: Option<i64>,
    user: Option<TextMember>,
    accounting_token: Option<String>,
    application_identity_data: Option<TextMember>,
    put_application: Option<PutApplication>,
    put_date: Option<TextMember>,
    put_time: Option<TextMember>,
    application_origin_data: Option<TextMember>,
    #[serde(default, rename = "backoutCount")]
    _backout_count: serde::de::IgnoredAny,
    #[serde(default, rename = "putAt")]
    _put_at: serde::de::IgnoredAny,
    #[serde(default, rename = "position")]
    _position: serde::de::IgnoredAny,
    #[serde(default, rename = "length")]
    _length: serde::de::IgnoredAny,
    #[serde(default)]
    headers: Vec<headers::Members>,
    is_preview: Option<bool>,
    #[serde(default, rename = "problem")]
    _problem: serde::de::IgnoredAny,
    #[serde(default, rename = "token")]
    _token: serde::de::IgnoredAny,
    #[serde(default, rename = "lockedUntil")]
    _locked_until: serde::de::IgnoredAny,
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
    #[serde(borrow, default, deserialize_with = "borrowed")]
    text: Option<Cow<'a, str>>,
    #[serde(borrow)]
    json: Option<&'a RawValue>,
    base64: Option<String>,
    /// The whole body, headers included, in base64.
    raw: Option<String>,
    copybook: Option<String>,
    #[serde(borrow)]
    record: Option<&'a RawValue>,
}

/// A text as it stands in the envelope, where it has no escapes.
fn borrowed<'de: 'a, 'a, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Cow<'a, str>>, D::Error> {
    #[derive(Deserialize)]
    struct Text<'a>(#[serde(borrow)] Cow<'a, str>);
    Ok(Option::<Text<'a>>::deserialize(deserializer)?.map(|text| text.0))
}

const IDENTIFIER: &str = "48 hexadecimal digits";
const MOMENT: &str = "a moment such as 2026-11-23T04:00:00Z";
const DURATION: &str = "a duration such as 30s, 250ms or PT30S";
const NUMBER: &str = "a whole number";
const TYPES: &str = "datagram, request, reply, report or a number of your own";
/// MQMD's greatest expiry, in tenths of a second.
const LONGEST_EXPIRY: u128 = 999_999_999;

/// Reads an envelope. `copybooks` makes the bytes of records.
///
/// # Errors
/// It is not JSON, has unknown members, or a member has no value that it may have.
pub fn read_envelope(text: &[u8], now: Timestamp, copybooks: &dyn Copybooks) -> Result<Outgoing, NotAMessage> {
    if text.trim_ascii_start().first() != Some(&b'{') {
        return Err(NotAMessage::Json("a JSON object was expected".to_owned()));
    }
    let envelope: Envelope<'_> = serde_json::from_slice(text).map_err(|error| NotAMessage::Json(error.to_string()))?;
    let mut outgoing = Outgoing::default();
    envelope.describe(&mut outgoing, now)?;
    if envelope.is_preview == Some(true) {
        return Err(NotAMessage::member("isPreview", "true", "the whole body, because a preview is not put"));
    }
    match &envelope.body {
        Some(body) => body.fill(envelope.content_type.as_deref(), &mut outgoing, copybooks)?,
        None => outgoing.set_body(None, Bytes::new())?,
    }
    // The headers of a raw body are in it.
    let is_raw = envelope.body.as_ref().is_some_and(|body| body.raw.is_some());
    if !envelope.headers.is_empty() && !is_raw {
        headers::put_before(&mut outgoing, &envelope.headers)?;
    }
    Ok(outgoing)
}

impl Envelope<'_> {
    fn describe(&self, outgoing: &mut Outgoing, now: Timestamp) -> Result<(), NotAMessage> {
        let number = |number: Option<i64>| number.map(|number| number.to_string());
        let texts = [
            ("id", self.id.as_deref()),
            ("correlationId", self.correlation_id.as_deref()),
            ("groupId", self.group_id.as_deref()),
            ("persistence", self.persistence.as_deref()),
            ("expiresAt", self.expires_at.as_deref().filter(|_| self.expiry.is_none())),
            ("expiry", self.expiry.as_deref()),
            ("deliverAt", self.deliver_at.as_deref()),
            ("delay", self.delay.as_deref()),
        ];
        for (member, value) in texts {
            if let Some(value) = value {
                outgoing.set(member, value, now)?;
            }
        }
        let numbers = [
            ("sequence", self.sequence),
            ("offset", self.offset),
            ("ccsid", self.ccsid),
            ("encoding", self.encoding),
            ("priority", self.priority),
            ("feedback", self.feedback),
        ];
        for (member, value) in numbers {
            if let Some(value) = number(value) {
                outgoing.set(member, &value, now)?;
            }
        }
        if let Some(is_last) = self.is_last_in_group {
            outgoing.set("isLastInGroup", if is_last { "true" } else { "false" }, now)?;
        }
        match &self.reply_to {
            Some(ReplyTo { queue, qmgr }) if queue.is_empty() => {
                outgoing.descriptor.reply_to_queue_manager =
                    read("replyTo", qmgr, "a queue and its queue manager", |text| QueueManagerName::parse(text).ok())?;
            }
            Some(ReplyTo { queue, qmgr }) => {
                let at = if qmgr.is_empty() { "" } else { "@" };
                outgoing.set("replyTo", &format!("{queue}{at}{qmgr}"), now)?;
            }
            None => {}
        }
        // Behind the queue for replies, which makes a request of a message that does not say what it is.
        if let Some(of) = &self.r#type {
            outgoing.set("type", of, now)?;
        }
        match &self.format {
            Some(TextMember::Text(format)) => outgoing.set("format", format, now)?,
            Some(exact) => outgoing.stated.format = Some(Format(exact.field("format")?)),
            None => {}
        }
        if !self.report.is_empty() {
            outgoing.set("report", &self.report.join(","), now)?;
        }
        if let Some(properties) = &self.properties {
            outgoing.properties = read_properties(properties)?;
        }
        self.describe_origin(&mut outgoing.descriptor)
    }
}

/// In tenths of a second, rounded up, so that a short life never becomes an endless one.
pub fn expiry_of(lifetime: Duration) -> Expiry {
    let tenths = lifetime.as_millis().div_ceil(100).clamp(1, LONGEST_EXPIRY);
    Expiry(i32::try_from(tenths).expect("at most 999,999,999"))
}

impl Body<'_> {
    fn fill(
        &self,
        content_type: Option<&str>,
        outgoing: &mut Outgoing,
        copybooks: &dyn Copybooks,
    ) -> Result<(), NotAMessage> {
        let count = usize::from(self.text.is_some())
            + usize::from(self.json.is_some())
            + usize::from(self.base64.is_some())
            + usize::from(self.raw.is_some())
            + usize::from(self.copybook.is_some());
        if count > 1 {
            return Err(NotAMessage::Bodies(count));
        }
        match (&self.copybook, self.record) {
            (Some(copybook), Some(record)) => {
                let structure = copybooks.find(copybook)?;
                return outgoing.set_record(content_type, copybook, &*structure, record);
            }
            (Some(_), None) => return Err(NotAMessage::HalfARecord("a copybook without a record")),
            (None, Some(_)) => return Err(NotAMessage::HalfARecord("a record without a copybook")),
            (None, None) => {}
        }
        let decoded = |text: &str| STANDARD.decode(text).map_err(|_| NotAMessage::member("body", text, "base64"));
        if let Some(json) = self.json {
            let data = Bytes::copy_from_slice(json.get().as_bytes());
            outgoing.set_body(Some(content_type.unwrap_or("application/json")), data)
        } else if let Some(text) = &self.text {
            outgoing.set_text(content_type, text)
        } else if let Some(text) = &self.base64 {
            outgoing.set_body(content_type, decoded(text)?.into())
        } else if let Some(text) = &self.raw {
            // The headers are in it, and the properties with them.
            outgoing.properties.clear();
            outgoing.set_body(None, decoded(text)?.into())
        } else {
            outgoing.set_body(None, Bytes::new())
        }
    }
}

fn read<T>(
    member: &'static str,
    value: &str,
    expected: &'static str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<T, NotAMessage> {
    parse(value).ok_or_else(|| NotAMessage::member(member, value, expected))
}

/// `QUEUE` or `QUEUE@QMGR`.
fn parse_reply_to(text: &str) -> Option<(QueueName, QueueManagerName)> {
    let (queue, queue_manager) = text.split_once('@').unwrap_or((text, ""));
    let queue = QueueName::parse(queue).ok().filter(|name| !name.is_blank())?;
    Some((queue, QueueManagerName::parse(queue_manager).ok()?))
}

fn parse_format(text: &str) -> Option<Format> {
    (text.len() <= 8 && text.is_ascii()).then(|| Format(Text::new(text)))
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
