use prost::Message;

use super::*;
use crate::span::{Kind, TraceOptions, Tracer};

/// What the tests read of the published messages.
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
    #[prost(string, tag = "5")]
    name: String,
    #[prost(int32, tag = "6")]
    kind: i32,
    #[prost(message, repeated, tag = "9")]
    attributes: Vec<KeyValue>,
    #[prost(message, repeated, tag = "13")]
    links: Vec<Span>,
    #[prost(message, optional, tag = "15")]
    status: Option<Status>,
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

fn texts(attributes: &[KeyValue]) -> Vec<&str> {
    attributes.iter().filter_map(|pair| pair.value.as_ref()?.text.as_deref()).collect()
}

#[test]
fn a_span_is_written_with_the_published_numbers() {
    let context = TraceContext { trace_id: [1; 16], span_id: [2; 8], is_sampled: true, state: Some("vendor=1".into()) };
    let ended = Ended {
        context,
        parent: Some([3; 8]),
        kind: Kind::Server,
        name: "GET".into(),
        begun: 5,
        ended: 6,
        attributes: vec![("a", Attribute::Number(7))],
        links: Vec::new(),
        problem: None,
    };
    let mut written = Vec::new();
    span(&mut written, &ended, &mut Rest::default());
    let mut expected = vec![0x0a, 16];
    expected.extend([1; 16]);
    expected.extend([0x12, 8]);
    expected.extend([2; 8]);
    expected.extend(b"\x1a\x08vendor=1");
    expected.extend([0x22, 8]);
    expected.extend([3; 8]);
    expected.extend(b"\x2a\x03GET\x30\x02");
    expected.extend([0x39, 5, 0, 0, 0, 0, 0, 0, 0, 0x41, 6, 0, 0, 0, 0, 0, 0, 0]);
    expected.extend(b"\x4a\x07\x0a\x01a\x12\x02\x18\x07");
    assert_eq!(written, expected);
}

#[tokio::test]
async fn a_request_names_the_service_and_has_every_span_whole() {
    let tracer = Tracer::new(TraceOptions { percent: 100, message_properties: false, channel_properties: false });
    let other = TraceContext::root(true);
    for number in [-1, 300, i64::MAX] {
        let mut span = tracer.begin(Kind::Consumer, Name::of("push", "orders"), None);
        span.note("address", || Attribute::Address([127, 0, 0, 1].into()));
        span.note("identifier", || Attribute::Identifier([0xa7; 24]));
        span.text("long", &"x".repeat(1000));
        span.number("number", number);
        span.link(other.clone());
        span.failed("full");
    }
    let ended = tracer.ended(std::time::Duration::ZERO).await;
    let resource = Resource { service_name: "orders", service_version: "1", instance: "host" };
    let request = Request::decode(&*export(resource, &ended)).expect("a request");
    let [of] = &request.resource_spans[..] else { panic!("{request:?}") };
    assert_eq!(texts(&of.resource.as_ref().expect("a resource").attributes), ["orders", "1", "host"]);
    let [scope] = &of.scope_spans[..] else { panic!("{request:?}") };
    assert_eq!(scope.scope, Some(Scope { name: "quaymaster".into(), version: "1".into() }));
    let numbers = scope.spans.iter().map(|span| span.attributes[3].value.as_ref().and_then(|value| value.number));
    assert_eq!(numbers.collect::<Vec<_>>(), [Some(-1), Some(300), Some(i64::MAX)]);
    for (span, ended) in scope.spans.iter().zip(&ended) {
        assert_eq!((&*span.name, span.kind, &span.trace_id[..]), ("push orders", 5, &ended.context.trace_id[..]));
        assert_eq!(texts(&span.attributes), ["127.0.0.1", &*"a7".repeat(24), &*"x".repeat(1000)]);
        assert_eq!(span.links[0].trace_id, other.trace_id);
        assert_eq!(span.status, Some(Status { message: "full".into(), code: 2 }));
    }
}
