//! What tests read of the published messages.

use prost::Message;

use crate::otlp::{Batch, Resource, export};

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Request {
    #[prost(message, repeated, tag = "1")]
    pub(crate) resource_spans: Vec<ResourceSpans>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ResourceSpans {
    #[prost(message, optional, tag = "1")]
    pub(crate) resource: Option<ResourceOf>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) scope_spans: Vec<ScopeSpans>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ResourceOf {
    #[prost(message, repeated, tag = "1")]
    pub(crate) attributes: Vec<KeyValue>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ScopeSpans {
    #[prost(message, optional, tag = "1")]
    pub(crate) scope: Option<Scope>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) spans: Vec<Span>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Scope {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(string, tag = "2")]
    pub(crate) version: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Span {
    #[prost(bytes = "vec", tag = "1")]
    pub(crate) trace_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    pub(crate) span_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "4")]
    pub(crate) parent: Vec<u8>,
    #[prost(string, tag = "5")]
    pub(crate) name: String,
    #[prost(int32, tag = "6")]
    pub(crate) kind: i32,
    #[prost(fixed64, tag = "7")]
    pub(crate) begun: u64,
    #[prost(fixed64, tag = "8")]
    pub(crate) ended: u64,
    #[prost(message, repeated, tag = "9")]
    pub(crate) attributes: Vec<KeyValue>,
    #[prost(message, repeated, tag = "13")]
    pub(crate) links: Vec<Span>,
    #[prost(message, optional, tag = "15")]
    pub(crate) status: Option<Status>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Status {
    #[prost(string, tag = "2")]
    pub(crate) message: String,
    #[prost(int32, tag = "3")]
    pub(crate) code: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct KeyValue {
    #[prost(string, tag = "1")]
    pub(crate) key: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) value: Option<AnyValue>,
}

/// One of both is there.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct AnyValue {
    #[prost(string, optional, tag = "1")]
    pub(crate) text: Option<String>,
    #[prost(int64, optional, tag = "3")]
    pub(crate) number: Option<i64>,
}

pub(crate) const RESOURCE: Resource<'_> = Resource { service_name: "orders", service_version: "1", instance: "host" };

pub(crate) fn request(batch: Batch) -> Request {
    Request::decode(export(RESOURCE, batch)).expect("a request")
}

/// The spans of batches, each of which has as many as it says.
pub(crate) fn spans(batches: Vec<Batch>) -> Vec<Span> {
    let of = |batch: Batch| {
        let count = batch.spans();
        let spans = request(batch).resource_spans.remove(0).scope_spans.remove(0).spans;
        assert_eq!(spans.len(), count);
        spans
    };
    batches.into_iter().flat_map(of).collect()
}

impl Span {
    pub(crate) fn texts(&self) -> Vec<(&str, &str)> {
        texts(&self.attributes)
    }

    pub(crate) fn numbers(&self) -> Vec<(&str, i64)> {
        let pairs = self.attributes.iter();
        pairs.filter_map(|pair| Some((&*pair.key, pair.value.as_ref()?.number?))).collect()
    }
}

pub(crate) fn texts(attributes: &[KeyValue]) -> Vec<(&str, &str)> {
    attributes.iter().filter_map(|pair| Some((&*pair.key, pair.value.as_ref()?.text.as_deref()?))).collect()
}
