//! Spans as a request of the OpenTelemetry protocol, in Protocol Buffers.
//!
//! ```text
//! request        1 spans of a resource
//!   resource     1 attributes
//!   scope        2: 1 name and version, 2 each span
//! span           1 trace  2 id  3 state  4 parent  5 name  6 kind  7 begin  8 end  9 attributes  13 links  15 status
//! attribute      1 key  2 value: 1 text or 3 number
//! ```
//!
//! What is noted of a span is written as it is sent, at once: its attributes into the span's own bytes, and the whole into the batch when
//! it ends. Every length is known before it is written. A batch has room in front, where the rest of the request is put when it is sent:
//! no span is copied for it. The crate `opentelemetry-proto` would make a tree of all of it first, and brings gRPC along.
//!
//! Source: OpenTelemetry protocol, 1.x: `trace_service.proto`, `trace.proto`, `common.proto`, `resource.proto`.

use bytes::Bytes;

use crate::context::{TraceContext, hexadecimal};
use crate::span::{Name, Record};

/// Who the spans are of.
#[derive(Debug, Clone, Copy)]
pub struct Resource<'a> {
    pub service_name: &'a str,
    pub service_version: &'a str,
    pub instance: &'a str,
}

/// Room before the spans of a batch.
const HEAD: usize = 512;
/// Bytes of the first batch; later ones are as large as those before them.
const FIRST_BATCH: usize = 16 << 10;
/// Memory of a batch that is made warm at once, and bytes of most spans.
const WARMED: usize = 2048;
const USUAL_SPAN: usize = 512;
const STATUS_CODE_ERROR: u64 = 2;
/// Bytes of trace and span.
const IDENTIFIERS: usize = 18 + 10;
/// Bytes of kind, begin and end.
const TIMES: usize = 2 + 9 + 9;
/// Fields of a span that are written before it ends.
const ATTRIBUTES: u8 = 9;
const LINKS: u8 = 13;
const STATUS: u8 = 15;

/// Ended spans as they are sent.
#[derive(Debug, Default)]
pub struct Batch {
    /// Empty, or `HEAD` bytes of room and the spans.
    bytes: Vec<u8>,
    spans: usize,
    /// Bytes that it will probably have.
    expected: usize,
    /// Up to here, its memory is warm.
    warm: usize,
}

impl Batch {
    /// An empty one that follows another.
    pub(crate) fn after(other: &Self) -> Self {
        Self { bytes: Vec::new(), spans: 0, expected: other.bytes.len() + other.bytes.len() / 8, warm: 0 }
    }

    pub fn spans(&self) -> usize {
        self.spans
    }

    pub(crate) fn add(&mut self, context: &TraceContext, record: &Record, ended: u64) {
        if self.bytes.is_empty() {
            self.bytes.reserve(self.expected.max(FIRST_BATCH));
            self.bytes.resize(HEAD, 0);
        }
        self.warm_up();
        span(&mut self.bytes, context, record, ended);
        self.spans += 1;
    }

    /// A batch is larger than what the processor keeps near between two spans. To bring memory near line by line, while a lock waits
    /// for it, takes longer than all else that a span takes; several lines at once take little.
    fn warm_up(&mut self) {
        let length = self.bytes.len();
        if length + USUAL_SPAN > self.warm {
            self.warm = (length + WARMED).min(self.bytes.capacity()).max(length);
            self.bytes.resize(self.warm, 0);
            self.bytes.truncate(length);
        }
    }
}

/// The body of one request.
pub fn export(resource: Resource<'_>, batch: Batch) -> Bytes {
    let mut bytes = batch.bytes;
    let spans = bytes.len().saturating_sub(HEAD);
    let version = resource.service_version;
    let (mut scope, mut of_resource) = (Vec::new(), Vec::new());
    field(&mut scope, 1, b"quaymaster");
    field(&mut scope, 2, version.as_bytes());
    for (key, value) in [
        ("service.name", resource.service_name),
        ("service.version", version),
        ("service.instance.id", resource.instance),
    ] {
        pair(&mut of_resource, 1, key, value.as_bytes());
    }
    let mut resource_spans = Vec::new();
    field(&mut resource_spans, 1, &of_resource);
    begin(&mut resource_spans, 2, with_head(scope.len()) + spans);
    field(&mut resource_spans, 1, &scope);
    let mut head = Vec::new();
    begin(&mut head, 1, resource_spans.len() + spans);
    head.extend_from_slice(&resource_spans);
    match HEAD.checked_sub(head.len()) {
        Some(unused) if !bytes.is_empty() => {
            bytes[unused..HEAD].copy_from_slice(&head);
            Bytes::from(bytes).slice(unused..)
        }
        _ => {
            bytes.splice(..bytes.len().min(HEAD), head);
            Bytes::from(bytes)
        }
    }
}

fn span(out: &mut Vec<u8>, context: &TraceContext, record: &Record, ended: u64) {
    let Record { parent, kind, name, begun, fields, .. } = record;
    let name_length = length_of_name(name);
    let parent_length = if parent.is_some() { with_head(8) } else { 0 };
    begin(out, 2, length_of_place(context) + parent_length + with_head(name_length) + TIMES + fields.len());
    place(out, context);
    if let Some(parent) = parent {
        field(out, 4, parent);
    }
    begin(out, 5, name_length);
    out.extend_from_slice(name.verb.as_bytes());
    if !name.object.is_empty() {
        out.push(b' ');
        out.extend_from_slice(name.object.as_bytes());
    }
    let mut times = [0; TIMES];
    times[..3].copy_from_slice(&[6 << 3, *kind as u8, 7 << 3 | 1]);
    times[3..11].copy_from_slice(&begun.to_le_bytes());
    times[11] = 8 << 3 | 1;
    times[12..].copy_from_slice(&ended.to_le_bytes());
    out.extend_from_slice(&times);
    out.extend_from_slice(fields);
}

fn length_of_name(name: &Name) -> usize {
    let object = name.object.len();
    name.verb.len() + if object == 0 { 0 } else { 1 + object }
}

/// Spans and links have the same first fields.
fn place(out: &mut Vec<u8>, context: &TraceContext) {
    let mut identifiers = [0; IDENTIFIERS];
    identifiers[..2].copy_from_slice(&[1 << 3 | 2, 16]);
    identifiers[2..18].copy_from_slice(&context.trace_id);
    identifiers[18..20].copy_from_slice(&[2 << 3 | 2, 8]);
    identifiers[20..].copy_from_slice(&context.span_id);
    out.extend_from_slice(&identifiers);
    if let Some(state) = &context.state {
        field(out, 3, state.as_bytes());
    }
}

fn length_of_place(context: &TraceContext) -> usize {
    IDENTIFIERS + context.state.as_ref().map_or(0, |state| with_head(state.len()))
}

/// Attributes that many spans have, written once.
#[derive(Debug, Clone, Default)]
pub struct Attributes(Vec<u8>);

impl Attributes {
    #[must_use]
    pub fn text(mut self, key: &'static str, value: &str) -> Self {
        text_attribute(&mut self.0, key, value);
        self
    }

    pub(crate) fn as_sent(&self) -> &[u8] {
        &self.0
    }
}

pub(crate) fn text_attribute(out: &mut Vec<u8>, key: &'static str, value: &str) {
    pair(out, ATTRIBUTES, key, value.as_bytes());
}

pub(crate) fn number_attribute(out: &mut Vec<u8>, key: &'static str, value: i64) {
    let value = value.cast_unsigned();
    key_of_pair(out, ATTRIBUTES, key, 1 + length_of_varint(value));
    number(out, 3, value);
}

/// As hexadecimal digits.
pub(crate) fn identifier_attribute(out: &mut Vec<u8>, key: &'static str, identifier: &[u8]) {
    let mut text = String::with_capacity(2 * identifier.len());
    hexadecimal(identifier, &mut text);
    text_attribute(out, key, &text);
}

pub(crate) fn link(out: &mut Vec<u8>, context: &TraceContext) {
    begin(out, LINKS, length_of_place(context));
    place(out, context);
}

/// Of several, the last counts.
pub(crate) fn failure(out: &mut Vec<u8>, problem: &str) {
    begin(out, STATUS, with_head(problem.len()) + 2);
    field(out, 2, problem.as_bytes());
    number(out, 3, STATUS_CODE_ERROR);
}

fn pair(out: &mut Vec<u8>, number: u8, key: &str, value: &[u8]) {
    key_of_pair(out, number, key, with_head(value.len()));
    field(out, 1, value);
}

/// What stands before a value of so many bytes.
fn key_of_pair(out: &mut Vec<u8>, number: u8, key: &str, value_length: usize) {
    let length = with_head(key.len()) + with_head(value_length);
    if length < 0x80 {
        // Most are short: each length is a byte.
        let byte = |length: usize| length.to_le_bytes()[0];
        out.extend_from_slice(&[number << 3 | 2, byte(length), 1 << 3 | 2, byte(key.len())]);
        out.extend_from_slice(key.as_bytes());
        out.extend_from_slice(&[2 << 3 | 2, byte(value_length)]);
    } else {
        begin(out, number, length);
        field(out, 1, key.as_bytes());
        begin(out, 2, value_length);
    }
}

fn field(out: &mut Vec<u8>, number: u8, content: &[u8]) {
    begin(out, number, content.len());
    out.extend_from_slice(content);
}

/// What stands before so many bytes. Numbers of fields are below 16, and take one byte.
fn begin(out: &mut Vec<u8>, number: u8, length: usize) {
    out.push(number << 3 | 2);
    varint(out, length as u64);
}

/// Bytes of a field with so many bytes of content.
fn with_head(content: usize) -> usize {
    1 + length_of_varint(content as u64) + content
}

fn number(out: &mut Vec<u8>, field: u8, value: u64) {
    out.push(field << 3);
    varint(out, value);
}

#[inline]
fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
}

fn length_of_varint(value: u64) -> usize {
    let bits = (u64::BITS - (value | 1).leading_zeros()) as usize;
    bits.div_ceil(7)
}

#[cfg(test)]
mod tests;
