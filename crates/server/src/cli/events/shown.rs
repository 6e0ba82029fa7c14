//! One event as text or as JSON.

use std::io::Write;

use model::pcf::{Message, Parameter, ParameterValue};
use serde_json::{Map, Value, json};
use time::{Date, Month, PrimitiveDateTime, Time};

use super::{Form, constants};
use crate::administration::MessageHeader;
use crate::cli::failure::Failure;

pub(super) struct Event<'a> {
    pub(super) queue: &'a str,
    pub(super) number: u64,
    /// Of the message, in bytes.
    pub(super) length: usize,
    pub(super) header: &'a MessageHeader,
    pub(super) message: &'a Message,
}

/// How constants are told.
#[derive(Clone, Copy)]
struct Style {
    by_name: bool,
}

impl Style {
    fn words(self, constant: &str) -> String {
        if self.by_name { constant.to_owned() } else { constants::words(constant) }
    }

    fn key(self, constant: &str) -> String {
        if self.by_name { constant.to_owned() } else { constants::key(constant) }
    }

    /// Words of a number, and the number.
    fn both(self, family: &'static str, number: i32) -> (String, i32) {
        (constants::name(family, number).map_or_else(|| number.to_string(), |name| self.words(name)), number)
    }
}

impl Event<'_> {
    pub(super) fn write(&self, form: Form, by_name: bool, out: &mut dyn Write) -> Result<(), Failure> {
        let style = Style { by_name };
        match form {
            Form::Text => self.write_text(style, out)?,
            Form::Json => writeln!(out, "{:#}", self.object(style))?,
            Form::JsonCompact => writeln!(out, "{}", self.object(style))?,
        }
        Ok(())
    }

    fn object(&self, style: Style) -> Value {
        let [kind, reason] = self.kind_and_reason(style).map(|(name, value)| json!({ "name": name, "value": value }));
        let mut object = Map::new();
        object.insert("eventSource".into(), json!({ "objectName": self.queue, "objectType": "Queue" }));
        object.insert("eventType".into(), kind);
        object.insert("eventReason".into(), reason);
        if let Some(created) = created(self.header) {
            let text = created.format(&time::format_description::well_known::Rfc3339).unwrap_or_default();
            object.insert("eventCreation".into(), json!({ "timeStamp": text, "epoch": created.unix_timestamp() }));
        }
        if self.header.correlation_id.bytes().any(|digit| digit != b'0') {
            object.insert("correlationID".into(), json!(self.header.correlation_id.to_ascii_uppercase()));
        }
        object.insert("eventData".into(), members(style, &self.message.parameters));
        Value::Object(object)
    }

    fn kind_and_reason(&self, style: Style) -> [(String, i32); 2] {
        let header = &self.message.header;
        [style.both("MQCMD", header.command), style.both("MQRC", header.reason)]
    }

    fn write_text(&self, style: Style, out: &mut dyn Write) -> std::io::Result<()> {
        let [(kind, command), (reason, code)] = self.kind_and_reason(style);
        writeln!(out, "**** Message #{} ({} Bytes) on Queue {} ****", self.number, self.length, self.queue)?;
        line(out, 0, "Event Type", &format!("{kind} [{command}]"))?;
        line(out, 0, "Reason", &format!("{reason} [{code}]"))?;
        if let Some(at) = created(self.header) {
            let (hour, minute, second) = at.to_hms();
            let date = format!("{}/{:02}/{:02}", at.year(), u8::from(at.month()), at.day());
            let hundredths = at.millisecond() / 10;
            line(out, 0, "Event created", &format!("{date} {hour:02}:{minute:02}:{second:02}.{hundredths:02} GMT"))?;
        }
        if self.header.correlation_id.bytes().any(|digit| digit != b'0') {
            line(out, 0, "Correlation ID", &self.header.correlation_id.to_ascii_uppercase())?;
        }
        parameters(style, &self.message.parameters, 1, out)?;
        writeln!(out)
    }
}

/// Two columns, the first of the width that readers of amqsevt know.
fn line(out: &mut dyn Write, depth: usize, name: &str, value: &str) -> std::io::Result<()> {
    let name = format!("{}{name}", "  ".repeat(depth));
    writeln!(out, "{name:32} : {value}")
}

fn parameters(style: Style, all: &[Parameter], depth: usize, out: &mut dyn Write) -> std::io::Result<()> {
    for parameter in all {
        let constant = constants::parameter(parameter.id);
        let name = constant.map_or_else(|| format!("Attribute {}", parameter.id), |name| style.words(name));
        if let ParameterValue::Group(inner) = &parameter.value {
            line(out, depth, &name, "")?;
            parameters(style, inner, depth + 1, out)?;
            continue;
        }
        let value = match value(style, constant.unwrap_or_default(), &parameter.value) {
            Value::String(text) => text,
            Value::Array(list) => list.iter().map(plain).collect::<Vec<_>>().join(", "),
            other => other.to_string(),
        };
        line(out, depth, &name, &value)?;
    }
    Ok(())
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Parameters as members; a parameter that comes several times is a list.
fn members(style: Style, all: &[Parameter]) -> Value {
    let mut members: Map<String, Value> = Map::new();
    for parameter in all {
        let constant = constants::parameter(parameter.id);
        let key = constant.map_or_else(|| parameter.id.to_string(), |name| style.key(name));
        let value = value(style, constant.unwrap_or_default(), &parameter.value);
        match members.get_mut(&key) {
            None => {
                members.insert(key, value);
            }
            Some(Value::Array(list)) => list.push(value),
            Some(first) => *first = Value::Array(vec![first.take(), value]),
        }
    }
    Value::Object(members)
}

fn value(style: Style, parameter: &str, value: &ParameterValue) -> Value {
    let number = |number: i32| match constants::value(parameter, number) {
        Some(name) => json!(style.words(name)),
        None => json!(number),
    };
    match value {
        ParameterValue::Integer(one) => number(*one),
        ParameterValue::Integer64(one) => json!(one),
        ParameterValue::Integers(all) => all.iter().map(|one| number(*one)).collect(),
        ParameterValue::Integers64(all) => json!(all),
        ParameterValue::Text(text) => json!(text.trim_end()),
        ParameterValue::Texts(texts) => texts.iter().map(|text| text.trim_end()).collect(),
        ParameterValue::Bytes(bytes) => json!(hexadecimal(bytes)),
        ParameterValue::IntegerFilter { operator, value } => json!({ "operator": operator, "value": value }),
        ParameterValue::TextFilter { operator, text } => json!({ "operator": operator, "value": text }),
        ParameterValue::BytesFilter { operator, bytes } => json!({ "operator": operator, "value": hexadecimal(bytes) }),
        ParameterValue::Group(inner) => members(style, inner),
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

/// When the message was put, to hundredths of a second.
fn created(header: &MessageHeader) -> Option<time::OffsetDateTime> {
    let part = |text: &str, from: usize, to: usize| text.get(from..to)?.parse::<u16>().ok();
    let (date, time) = (&header.put_date, &header.put_time);
    let small = |number: u16| u8::try_from(number).ok();
    let month = Month::try_from(small(part(date, 4, 6)?)?).ok()?;
    let date = Date::from_calendar_date(part(date, 0, 4)?.into(), month, small(part(date, 6, 8)?)?).ok()?;
    let [hour, minute, second] = [0, 2, 4].map(|at| part(time, at, at + 2).and_then(small));
    let time = Time::from_hms_milli(hour?, minute?, second?, part(time, 6, 8)? * 10).ok()?;
    Some(PrimitiveDateTime::new(date, time).assume_utc())
}
