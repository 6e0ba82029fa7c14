//! A message as its reader sees it: a JSON object.

mod headers;

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::descriptor::{Ccsid, Format, MessageFlags, Report};
use model::message::Message;
use model::property::{Property, PropertyValue};
use model::timestamp::Timestamp;
use queue_manager::Position;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::content::Content;
use crate::copybooks::{Named, NotARecord};
use crate::json_text;
use crate::time_text::write_moment;
use crate::words::{AsText, write_persistence, write_report, write_type};
pub(crate) use headers::usual;

/// How the body is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BodyForm {
    /// JSON where the bytes are JSON, text where they are text, else base64.
    #[default]
    Auto,
    Text,
    Base64,
    /// With its headers, in base64.
    Raw,
    None,
    /// As `Auto`, of long data the beginning alone.
    Preview,
}

impl BodyForm {
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "auto" => Self::Auto,
            "text" => Self::Text,
            "base64" => Self::Base64,
            "raw" => Self::Raw,
            "none" => Self::None,
            "preview" => Self::Preview,
            _ => return None,
        })
    }
}

/// A preview has so many bytes.
pub const PREVIEW_BYTES: usize = 256;

/// What a reader is told beside the message itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct Told<'a> {
    /// Where it is, or was, on its queue.
    pub position: Option<Position>,
    /// For the moment of expiry.
    pub now: Timestamp,
    pub body: BodyForm,
    /// The body is shown as a record of it, where it is one.
    pub copybook: Option<&'a Named>,
    /// More members, such as the token of a delivery.
    pub beside: &'a [(&'static str, Value)],
}

/// A message that is written, or serialises, as a JSON object.
pub struct Incoming<'a> {
    pub message: &'a Message,
    pub content: &'a Content,
    pub told: Told<'a>,
}

impl Incoming<'_> {
    /// Writes it as a JSON object.
    pub fn write(&self, out: &mut Vec<u8>) {
        let Self { message, content, told } = *self;
        let Some(text) = self.text_shown() else {
            return serde_json::to_writer(out, self).expect("it has string keys only");
        };
        let members = Self { message, content, told: Told { body: BodyForm::None, ..told } };
        serde_json::to_writer(&mut *out, &members).expect("it has string keys only");
        // The body is the last member.
        out.pop();
        out.extend_from_slice(b",\"body\":{\"text\":");
        json_text::write(out, &text);
        out.extend_from_slice(b"}}");
    }

    /// The text, where the body is shown as nothing but text.
    fn text_shown(&self) -> Option<Cow<'_, str>> {
        let is_text = match self.told.body {
            BodyForm::Text => true,
            BodyForm::Auto => self.content.json().is_none(),
            BodyForm::Preview | BodyForm::Base64 | BodyForm::Raw | BodyForm::None => false,
        };
        if is_text && self.told.copybook.is_none() { self.content.text() } else { None }
    }
}

impl Serialize for Incoming<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let descriptor = &self.message.descriptor;
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.told.beside {
            map.serialize_entry(name, value)?;
        }
        map.serialize_entry("id", &descriptor.message_id)?;
        if !descriptor.correlation_id.is_none() {
            map.serialize_entry("correlationId", &descriptor.correlation_id)?;
        }
        if !descriptor.group_id.is_none() {
            map.serialize_entry("groupId", &descriptor.group_id)?;
            map.serialize_entry("sequence", &descriptor.message_sequence_number)?;
            if descriptor.message_flags.contains(MessageFlags::LAST_MSG_IN_GROUP) {
                map.serialize_entry("isLastInGroup", &true)?;
            }
        }
        if descriptor.offset > 0 {
            map.serialize_entry("offset", &descriptor.offset)?;
        }
        map.serialize_entry("type", &write_type(descriptor.message_type))?;
        // Those of the data; of a raw body those of the whole.
        let (format, ccsid, encoding) = match self.told.body {
            BodyForm::Raw => (descriptor.format, descriptor.ccsid, descriptor.encoding),
            _ => (self.content.format, self.content.ccsid, self.content.encoding),
        };
        if format != Format::NONE {
            map.serialize_entry("format", &format)?;
        }
        // Behind headers the CCSID of the data says how these are written, too.
        if ccsid != Ccsid::Q_MGR || !self.content.headers.is_empty() {
            map.serialize_entry("ccsid", &ccsid)?;
        }
        map.serialize_entry("encoding", &encoding)?;
        map.serialize_entry("priority", &descriptor.priority)?;
        map.serialize_entry("persistence", write_persistence(descriptor.persistence))?;
        if let Some(left) = descriptor.expiry.duration() {
            map.serialize_entry("expiresAt", &write_moment(self.told.now.saturating_add(left)))?;
        }
        if !descriptor.reply_to_queue.is_blank() {
            let (queue, qmgr) = (descriptor.reply_to_queue.as_str(), descriptor.reply_to_queue_manager.as_str());
            map.serialize_entry("replyTo", &ReplyTo { queue, qmgr })?;
        }
        if descriptor.report != Report::empty() {
            map.serialize_entry("report", &write_report(descriptor.report))?;
        }
        if descriptor.feedback.0 != 0 {
            map.serialize_entry("feedback", &descriptor.feedback)?;
        }
        map.serialize_entry("backoutCount", &descriptor.backout_count)?;
        if let Some(at) = Timestamp::of_put(&descriptor.put_date, &descriptor.put_time) {
            map.serialize_entry("putAt", &write_moment(at))?;
        }
        if !descriptor.put_application_name.is_blank() {
            let name = descriptor.put_application_name.to_text();
            let application = PutApplication { name: &name, r#type: descriptor.put_application_type };
            map.serialize_entry("putApplication", &application)?;
        }
        if !descriptor.user_identifier.is_blank() {
            map.serialize_entry("user", &descriptor.user_identifier)?;
        }
        if let Some(position) = self.told.position {
            map.serialize_entry("position", &AsText(position.0))?;
        }
        map.serialize_entry("length", &self.content.data.len())?;
        map.serialize_entry("contentType", self.content.content_type())?;
        if !self.content.properties.is_empty() {
            map.serialize_entry("properties", &write_properties(&self.content.properties))?;
        }
        if !self.content.headers.is_empty() {
            map.serialize_entry("headers", &headers::write(self.content))?;
        }
        self.serialize_body(&mut map)?;
        map.end()
    }
}

impl Incoming<'_> {
    fn serialize_body<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let Content { data, .. } = self.content;
        if let Some(copybook) = self.told.copybook
            && !matches!(self.told.body, BodyForm::None | BodyForm::Raw)
            && self.serialize_record(copybook, map)?
        {
            return Ok(());
        }
        match self.told.body {
            BodyForm::None => Ok(()),
            BodyForm::Raw => map.serialize_entry("body", &json!({ "raw": STANDARD.encode(&self.message.body) })),
            BodyForm::Base64 => map.serialize_entry("body", &json!({ "base64": STANDARD.encode(data) })),
            BodyForm::Text => self.serialize_text_or_bytes(map),
            BodyForm::Preview if data.len() > PREVIEW_BYTES => {
                map.serialize_entry("isPreview", &true)?;
                map.serialize_entry("body", &self.preview())
            }
            BodyForm::Auto | BodyForm::Preview => {
                let text = self.content.json().map(on_one_line);
                // Checked a moment ago, and written as it stands.
                let json = text.as_deref().and_then(|text| serde_json::from_str::<&RawValue>(text).ok());
                match json {
                    Some(json) => map.serialize_entry("body", &OneMember("json", json)),
                    None => self.serialize_text_or_bytes(map),
                }
            }
        }
    }

    /// False where the data is no record of the copybook: then `problem` says why, and the body is shown as without one.
    fn serialize_record<M: SerializeMap>(&self, copybook: &Named, map: &mut M) -> Result<bool, M::Error> {
        let Content { data, ccsid, encoding, .. } = self.content;
        let name = &*copybook.name;
        match copybook.structure.decode(data, *ccsid, *encoding) {
            Ok(json) => {
                let record: &RawValue = serde_json::from_slice(&json).map_err(serde::ser::Error::custom)?;
                map.serialize_entry("body", &RecordBody { copybook: name, record })?;
                Ok(true)
            }
            Err(problem) => {
                map.serialize_entry("problem", &RecordProblem { copybook: name, problem })?;
                Ok(false)
            }
        }
    }

    /// Text is written as it stands in the message.
    fn serialize_text_or_bytes<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        match self.content.text() {
            Some(text) => map.serialize_entry("body", &OneMember("text", &*text)),
            None => map.serialize_entry("body", &OneMember("base64", &*STANDARD.encode(&self.content.data))),
        }
    }

    fn preview(&self) -> Value {
        match self.content.text() {
            Some(text) => {
                let end = text.char_indices().map(|(at, _)| at).take_while(|at| *at <= PREVIEW_BYTES).last();
                json!({ "text": text[..end.unwrap_or(0)] })
            }
            None => json!({ "base64": STANDARD.encode(&self.content.data[..PREVIEW_BYTES]) }),
        }
    }
}

/// A message is one line, wherever it is shown. In JSON, line ends stand between values only.
fn on_one_line(json: &str) -> Cow<'_, str> {
    if json.contains(['\n', '\r']) { Cow::Owned(json.replace(['\n', '\r'], " ")) } else { Cow::Borrowed(json) }
}

#[derive(serde::Serialize)]
struct ReplyTo<'a> {
    queue: &'a str,
    qmgr: &'a str,
}

#[derive(serde::Serialize)]
struct PutApplication<'a> {
    name: &'a str,
    r#type: i32,
}

#[derive(serde::Serialize)]
struct RecordBody<'a> {
    copybook: &'a str,
    record: &'a RawValue,
}

#[derive(serde::Serialize)]
struct RecordProblem<'a> {
    copybook: &'a str,
    #[serde(flatten)]
    problem: NotARecord,
}

struct OneMember<'a, T: ?Sized>(&'static str, &'a T);

impl<T: Serialize + ?Sized> Serialize for OneMember<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(self.0, self.1)?;
        map.end()
    }
}

/// Plain values where JSON says the type, else `{"type": …, "value": …}`.
pub fn write_properties(properties: &[Property]) -> Map<String, Value> {
    properties.iter().map(|property| (property.name.clone(), write_value(&property.value))).collect()
}

fn write_value(value: &PropertyValue) -> Value {
    let typed = |name: &str, value: Value| json!({ "type": name, "value": value });
    match value {
        PropertyValue::Null => Value::Null,
        PropertyValue::Boolean(value) => (*value).into(),
        PropertyValue::Integer(value) => (*value).into(),
        PropertyValue::String(text) => text.clone().into(),
        PropertyValue::Byte(value) => typed("byte", (*value).into()),
        PropertyValue::Short(value) => typed("short", (*value).into()),
        // As text: JSON numbers keep 53 bits only.
        PropertyValue::Long(value) => typed("long", value.to_string().into()),
        PropertyValue::Float(value) => typed("float", f64::from(*value).into()),
        PropertyValue::Double(value) if value.is_finite() && value.fract() != 0.0 => (*value).into(),
        PropertyValue::Double(value) => typed("double", (*value).into()),
        PropertyValue::Bytes(bytes) => typed("bytes", STANDARD.encode(bytes).into()),
    }
}
