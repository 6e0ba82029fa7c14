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
//! The bytes are written straight from the spans: a request has hundreds, and what is written for each of them is paid by the requests
//! that the spans are about. The crate `opentelemetry-proto` would make a tree of all of it first, and brings gRPC along.
//!
//! Source: OpenTelemetry protocol, 1.x: `trace_service.proto`, `trace.proto`, `common.proto`, `resource.proto`.

use std::fmt::Write as _;

use prost::encoding::encode_varint;

use crate::context::{TraceContext, hexadecimal};
use crate::span::{Attribute, Ended, Name};

/// Who the spans are of.
#[derive(Debug, Clone, Copy)]
pub struct Resource<'a> {
    pub service_name: &'a str,
    pub service_version: &'a str,
    pub instance: &'a str,
}

/// Bytes that most spans take.
const USUAL_SPAN: usize = 512;
const STATUS_CODE_ERROR: u64 = 2;

/// The body of one request.
pub fn export(resource: Resource<'_>, spans: &[Ended]) -> Vec<u8> {
    let version = resource.service_version;
    let mut scope_spans = Vec::with_capacity(spans.len() * USUAL_SPAN);
    message(&mut scope_spans, 1, &mut Vec::new(), |scope| {
        text(scope, 1, "quaymaster");
        text(scope, 2, version);
    });
    let (mut of_span, mut rest) = (Vec::with_capacity(USUAL_SPAN), Rest::default());
    for ended in spans {
        message(&mut scope_spans, 2, &mut of_span, |out| span(out, ended, &mut rest));
    }
    let mut of_resource = Vec::new();
    for (key, value) in [
        ("service.name", resource.service_name),
        ("service.version", version),
        ("service.instance.id", resource.instance),
    ] {
        let value = Attribute::Text(value.to_owned().into());
        message(&mut of_resource, 1, &mut Vec::new(), |out| pair(out, key, &value, &mut Rest::default()));
    }
    let mut resource_spans = Vec::with_capacity(scope_spans.len() + 512);
    bytes(&mut resource_spans, 1, &of_resource);
    bytes(&mut resource_spans, 2, &scope_spans);
    let mut request = Vec::with_capacity(resource_spans.len() + 16);
    bytes(&mut request, 1, &resource_spans);
    request
}

/// Room for what is within a span, used again for each.
#[derive(Default)]
struct Rest {
    message: Vec<u8>,
    value: Vec<u8>,
    text: String,
}

fn span(out: &mut Vec<u8>, ended: &Ended, rest: &mut Rest) {
    place(out, &ended.context);
    if let Some(parent) = &ended.parent {
        bytes(out, 4, parent);
    }
    text(out, 5, name(&ended.name, &mut rest.text));
    number(out, 6, ended.kind as u64);
    fixed(out, 7, ended.begun);
    fixed(out, 8, ended.ended);
    for (key, value) in &ended.attributes {
        let mut inner = std::mem::take(&mut rest.message);
        message(out, 9, &mut inner, |out| pair(out, key, value, rest));
        rest.message = inner;
    }
    for link in &ended.links {
        message(out, 13, &mut rest.message, |out| place(out, &link.0));
    }
    if let Some(problem) = &ended.problem {
        message(out, 15, &mut rest.message, |out| {
            text(out, 2, problem);
            number(out, 3, STATUS_CODE_ERROR);
        });
    }
}

/// Spans and links have the same first fields.
fn place(out: &mut Vec<u8>, context: &TraceContext) {
    bytes(out, 1, &context.trace_id);
    bytes(out, 2, &context.span_id);
    if let Some(state) = &context.state {
        text(out, 3, state);
    }
}

fn name<'n>(name: &'n Name, room: &'n mut String) -> &'n str {
    if name.object.is_empty() {
        return &name.verb;
    }
    room.clear();
    let _ = write!(room, "{} {}", name.verb, name.object);
    room
}

fn pair(out: &mut Vec<u8>, key: &str, value: &Attribute, rest: &mut Rest) {
    text(out, 1, key);
    message(out, 2, &mut rest.value, |out| match value {
        Attribute::Text(value) => text(out, 1, value),
        Attribute::Number(value) => number(out, 3, value.cast_unsigned()),
        Attribute::Address(address) => {
            rest.text.clear();
            let _ = write!(rest.text, "{address}");
            text(out, 1, &rest.text);
        }
        Attribute::Identifier(identifier) => text(out, 1, &hexadecimal(identifier)),
    });
}

/// A message within another, written into `room` first, for its length.
fn message(out: &mut Vec<u8>, field: u64, room: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    room.clear();
    write(room);
    bytes(out, field, room);
}

fn text(out: &mut Vec<u8>, field: u64, value: &str) {
    bytes(out, field, value.as_bytes());
}

fn bytes(out: &mut Vec<u8>, field: u64, value: &[u8]) {
    encode_varint(field << 3 | 2, out);
    encode_varint(value.len() as u64, out);
    out.extend_from_slice(value);
}

fn number(out: &mut Vec<u8>, field: u64, value: u64) {
    encode_varint(field << 3, out);
    encode_varint(value, out);
}

fn fixed(out: &mut Vec<u8>, field: u64, value: u64) {
    encode_varint(field << 3 | 1, out);
    out.extend_from_slice(&value.to_le_bytes());
}

#[cfg(test)]
mod tests;
