//! YAML as JSON values: read with limits, written in the plainest form.
//!
//! Read are single documents of YAML 1.2 without aliases (which can make small texts huge) and without repeated keys. Scalars
//! are read as the core schema says, or all as text: `version: 1.0` is the text `1.0` then.
//! Written are blocks indented by two blanks, every text in double quotes as JSON writes it, which YAML reads the same way.

mod lines;

use std::fmt::Write;

use serde_json::{Map, Number, Value};
use yaml_rust2::Event;
use yaml_rust2::parser::Parser;
use yaml_rust2::scanner::{Marker, TScalarStyle};

pub use lines::lines;

/// Longest text, in bytes.
pub const MAXIMUM_BYTES: usize = 8 << 20;
/// Most mappings, sequences and scalars.
const MAXIMUM_NODES: usize = 400_000;

/// How far a text may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub bytes: usize,
    /// Mappings, sequences and scalars.
    pub nodes: usize,
}

/// Deepest nesting.
const MAXIMUM_DEPTH: usize = 96;

/// How plain scalars are understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scalars {
    /// Numbers, booleans, nulls, and the rest as text.
    Typed,
    /// As the text that stands there; null where nothing stands.
    Text,
}

/// Why a text is not YAML that is read here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum YamlError {
    #[error("line {line}: {problem}")]
    Syntax { line: usize, problem: String },
    #[error("the text is longer than {limit} bytes")]
    TooLong { limit: usize },
    #[error("line {line}: more than {limit} values")]
    TooMany { line: usize, limit: usize },
    #[error("line {line}: nested deeper than {MAXIMUM_DEPTH}")]
    TooDeep { line: usize },
    #[error("line {line}: the key {key:?} is given twice")]
    Repeated { line: usize, key: String },
    #[error("line {line}: aliases are not read")]
    Alias { line: usize },
    #[error("line {line}: a key must be a text")]
    Key { line: usize },
    #[error("the text holds more than one document")]
    Several,
}

/// Reads a document; an empty one is null.
///
/// # Errors
/// It is not YAML, or goes beyond what is read here.
pub fn read(text: &str, scalars: Scalars) -> Result<Value, YamlError> {
    read_within(text, scalars, &Limits { bytes: MAXIMUM_BYTES, nodes: MAXIMUM_NODES })
}

/// As `read`, with other limits.
///
/// # Errors
/// As those of `read`.
pub fn read_within(text: &str, scalars: Scalars, limits: &Limits) -> Result<Value, YamlError> {
    if text.len() > limits.bytes {
        return Err(YamlError::TooLong { limit: limits.bytes });
    }
    let mut parser = Parser::new_from_str(text);
    let mut reader = Reader { scalars, limit: limits.nodes, open: Vec::new(), done: None, nodes: 0 };
    loop {
        let (event, marker) = parser
            .next_token()
            .map_err(|error| YamlError::Syntax { line: error.marker().line(), problem: error.info().to_owned() })?;
        if matches!(event, Event::StreamEnd) {
            return Ok(reader.done.unwrap_or(Value::Null));
        }
        reader.take(event, marker)?;
    }
}

/// A collection that has begun.
enum Open {
    Sequence(Vec<Value>),
    /// With the key whose value comes next.
    Mapping(Map<String, Value>, Option<String>),
}

struct Reader {
    scalars: Scalars,
    /// Most nodes.
    limit: usize,
    open: Vec<Open>,
    done: Option<Value>,
    nodes: usize,
}

impl Reader {
    fn take(&mut self, event: Event, marker: Marker) -> Result<(), YamlError> {
        let line = marker.line();
        match event {
            Event::Scalar(text, style, _, tag) => {
                let typed = self.scalars == Scalars::Typed && style == TScalarStyle::Plain && tag.is_none();
                let is_nothing = style == TScalarStyle::Plain && tag.is_none() && matches!(&*text, "" | "~");
                let value = match text {
                    _ if is_nothing => Value::Null,
                    text if typed => plain(text),
                    text => Value::String(text),
                };
                self.add(value, line)
            }
            Event::SequenceStart(..) => self.begin(Open::Sequence(Vec::new()), line),
            Event::MappingStart(..) => self.begin(Open::Mapping(Map::new(), None), line),
            Event::SequenceEnd | Event::MappingEnd => {
                let value = match self.open.pop() {
                    Some(Open::Sequence(items)) => Value::Array(items),
                    Some(Open::Mapping(members, None)) => Value::Object(members),
                    Some(Open::Mapping(..)) | None => return Err(syntax(line, "a value is missing")),
                };
                self.add(value, line)
            }
            Event::Alias(_) => Err(YamlError::Alias { line }),
            Event::DocumentStart if self.done.is_some() => Err(YamlError::Several),
            Event::DocumentStart | Event::DocumentEnd | Event::StreamStart | Event::StreamEnd | Event::Nothing => {
                Ok(())
            }
        }
    }

    fn begin(&mut self, collection: Open, line: usize) -> Result<(), YamlError> {
        if self.open.len() >= MAXIMUM_DEPTH {
            return Err(YamlError::TooDeep { line });
        }
        // A collection cannot be a key of JSON.
        if matches!(self.open.last(), Some(Open::Mapping(_, None))) {
            return Err(YamlError::Key { line });
        }
        self.open.push(collection);
        Ok(())
    }

    fn add(&mut self, value: Value, line: usize) -> Result<(), YamlError> {
        self.nodes += 1;
        if self.nodes > self.limit {
            return Err(YamlError::TooMany { line, limit: self.limit });
        }
        match self.open.last_mut() {
            None => self.done = Some(value),
            Some(Open::Sequence(items)) => items.push(value),
            Some(Open::Mapping(_, key @ None)) => *key = Some(key_of(value).ok_or(YamlError::Key { line })?),
            Some(Open::Mapping(members, key)) => {
                let name = key.take().unwrap_or_default();
                if members.contains_key(&name) {
                    return Err(YamlError::Repeated { line, key: name });
                }
                members.insert(name, value);
            }
        }
        Ok(())
    }
}

fn syntax(line: usize, problem: &str) -> YamlError {
    YamlError::Syntax { line, problem: problem.to_owned() }
}

/// The statuses of an OpenAPI document are numbers in YAML, and texts in JSON.
fn key_of(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A plain scalar by the core schema; what JSON has no number for stays a text.
fn plain(text: String) -> Value {
    match &*text {
        "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    let digits = text.strip_prefix(['-', '+']).unwrap_or(&text);
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let unsigned = text.strip_prefix('+').unwrap_or(&text);
        if let Ok(number) = unsigned.parse::<i64>() {
            return number.into();
        }
        if let Ok(number) = unsigned.parse::<u64>() {
            return number.into();
        }
    }
    let is_float = digits.starts_with(|first: char| first.is_ascii_digit() || first == '.')
        && digits.contains(|one: char| one.is_ascii_digit())
        && digits.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'-' | b'+'));
    if is_float && let Some(number) = text.parse::<f64>().ok().and_then(Number::from_f64) {
        return Value::Number(number);
    }
    Value::String(text)
}

/// A JSON value as YAML.
pub fn write(value: &Value) -> String {
    let mut text = String::new();
    block(&mut text, value, 0);
    text
}

/// Is this value written on the line of its key?
fn is_inline(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

fn block(text: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (name, member) in members {
                indent(text, depth);
                let _ = write!(text, "{}:", Value::from(name.as_str()));
                after_key(text, member, depth);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                indent(text, depth);
                text.push('-');
                after_key(text, item, depth);
            }
        }
        _ => {
            let _ = writeln!(text, "{value}");
        }
    }
}

fn after_key(text: &mut String, value: &Value, depth: usize) {
    if is_inline(value) {
        let _ = writeln!(text, " {value}");
    } else {
        text.push('\n');
        block(text, value, depth + 1);
    }
}

fn indent(text: &mut String, depth: usize) {
    text.extend(std::iter::repeat_n("  ", depth));
}

#[cfg(test)]
mod tests;
