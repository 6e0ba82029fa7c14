//! Spans as a request of the OpenTelemetry protocol, in Protocol Buffers.
//!
//! These are the messages and numbers of `opentelemetry.proto.collector.trace.v1` that a span here can have. The crate
//! `opentelemetry-proto` has them all, and brings gRPC along.
//!
//! Source: OpenTelemetry protocol, 1.x: `trace_service.proto`, `trace.proto`, `common.proto`, `resource.proto`.

use prost::Message;

use crate::context::TraceContext;
use crate::span::{Attribute, Ended};

/// Who the spans are of.
#[derive(Debug, Clone, Copy)]
pub struct Resource<'a> {
    pub service_name: &'a str,
    pub service_version: &'a str,
    pub instance: &'a str,
}

/// The body of one request.
pub fn export(resource: Resource<'_>, spans: &[Ended]) -> Vec<u8> {
    let attributes = [
        ("service.name", resource.service_name),
        ("service.version", resource.service_version),
        ("service.instance.id", resource.instance),
    ];
    let attributes = attributes.into_iter().map(|(key, value)| pair(key, &Attribute::Text(value.to_owned()))).collect();
    let scope = Scope { name: "quaymaster".to_owned(), version: resource.service_version.to_owned() };
    let scope_spans = vec![ScopeSpans { scope: Some(scope), spans: spans.iter().map(span).collect() }];
    let resource = ResourceOf { attributes };
    Request { resource_spans: vec![ResourceSpans { resource: Some(resource), scope_spans }] }.encode_to_vec()
}

fn span(ended: &Ended) -> Span {
    Span {
        trace_id: ended.context.trace_id.to_vec(),
        span_id: ended.context.span_id.to_vec(),
        trace_state: state(&ended.context),
        parent_span_id: ended.parent.map(|id| id.to_vec()).unwrap_or_default(),
        name: ended.name.clone(),
        kind: ended.kind as i32,
        start_time_unix_nano: ended.begun,
        end_time_unix_nano: ended.ended,
        attributes: ended.attributes.iter().map(|(key, value)| pair(key, value)).collect(),
        links: ended.links.iter().map(|link| self::link(&link.0)).collect(),
        status: ended.problem.clone().map(|message| Status { message, code: STATUS_CODE_ERROR }),
    }
}

fn link(context: &TraceContext) -> Link {
    Link { trace_id: context.trace_id.to_vec(), span_id: context.span_id.to_vec(), trace_state: state(context) }
}

fn state(context: &TraceContext) -> String {
    context.state.as_deref().unwrap_or_default().to_owned()
}

fn pair(key: &str, value: &Attribute) -> KeyValue {
    let value = match value {
        Attribute::Text(text) => AnyValue { text: Some(text.clone()), number: None },
        Attribute::Number(number) => AnyValue { text: None, number: Some(*number) },
    };
    KeyValue { key: key.to_owned(), value: Some(value) }
}

const STATUS_CODE_ERROR: i32 = 2;

#[derive(Clone, PartialEq, Message)]
struct Request {
    #[prost(message, repeated, tag = "1")]
    resource_spans: Vec<ResourceSpans>,
}

#[derive(Clone, PartialEq, Message)]
struct ResourceSpans {
    #[prost(message, optional, tag = "1")]
    resource: Option<ResourceOf>,
    #[prost(message, repeated, tag = "2")]
    scope_spans: Vec<ScopeSpans>,
}

#[derive(Clone, PartialEq, Message)]
struct ResourceOf {
    #[prost(message, repeated, tag = "1")]
    attributes: Vec<KeyValue>,
}

#[derive(Clone, PartialEq, Message)]
struct ScopeSpans {
    #[prost(message, optional, tag = "1")]
    scope: Option<Scope>,
    #[prost(message, repeated, tag = "2")]
    spans: Vec<Span>,
}

#[derive(Clone, PartialEq, Message)]
struct Scope {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, tag = "2")]
    version: String,
}

#[derive(Clone, PartialEq, Message)]
struct Span {
    #[prost(bytes = "vec", tag = "1")]
    trace_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    span_id: Vec<u8>,
    #[prost(string, tag = "3")]
    trace_state: String,
    #[prost(bytes = "vec", tag = "4")]
    parent_span_id: Vec<u8>,
    #[prost(string, tag = "5")]
    name: String,
    #[prost(int32, tag = "6")]
    kind: i32,
    #[prost(fixed64, tag = "7")]
    start_time_unix_nano: u64,
    #[prost(fixed64, tag = "8")]
    end_time_unix_nano: u64,
    #[prost(message, repeated, tag = "9")]
    attributes: Vec<KeyValue>,
    #[prost(message, repeated, tag = "13")]
    links: Vec<Link>,
    #[prost(message, optional, tag = "15")]
    status: Option<Status>,
}

#[derive(Clone, PartialEq, Message)]
struct Link {
    #[prost(bytes = "vec", tag = "1")]
    trace_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    span_id: Vec<u8>,
    #[prost(string, tag = "3")]
    trace_state: String,
}

#[derive(Clone, PartialEq, Message)]
struct Status {
    #[prost(string, tag = "2")]
    message: String,
    #[prost(int32, tag = "3")]
    code: i32,
}

#[derive(Clone, PartialEq, Message)]
struct KeyValue {
    #[prost(string, tag = "1")]
    key: String,
    #[prost(message, optional, tag = "2")]
    value: Option<AnyValue>,
}

/// One of both is there.
#[derive(Clone, PartialEq, Message)]
struct AnyValue {
    #[prost(string, optional, tag = "1")]
    text: Option<String>,
    #[prost(int64, optional, tag = "3")]
    number: Option<i64>,
}

#[cfg(test)]
mod tests;
