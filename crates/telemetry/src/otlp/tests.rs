use super::*;
use crate::decoded::{Scope, Status, request, texts};
use crate::span::Kind;
use crate::tracer::{TraceOptions, Tracer};

fn tracer() -> Tracer {
    Tracer::new(TraceOptions { percent: 100, message_properties: false, channel_properties: false })
}

#[test]
fn a_span_is_written_with_the_published_numbers() {
    let context = TraceContext { trace_id: [1; 16], span_id: [2; 8], is_sampled: true, state: Some("vendor=1".into()) };
    let mut record = Record::of(Kind::Server, "GET".into(), Some([3; 8]), 5);
    number_attribute(&mut record.fields, "a", 7);
    text_attribute(&mut record.fields, "b", "c");
    let mut written = Vec::new();
    span(&mut written, &context, &record, 6);
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
    expected.extend(b"\x4a\x08\x0a\x01b\x12\x03\x0a\x01c");
    let length = u8::try_from(expected.len()).expect("a short span");
    assert_eq!(written, [&[0x12, length][..], &expected].concat());
}

#[tokio::test]
async fn a_request_names_the_service_and_has_every_span_whole() {
    let tracer = tracer();
    let other = TraceContext { state: Some("vendor=1".into()), ..TraceContext::root(true) };
    let mut contexts = Vec::new();
    for number in [-1, 300, i64::MAX] {
        let mut span = tracer.begin(Kind::Consumer, Name::of("push", "orders"), Some(&other));
        span.attributes(&Attributes::default().text("a", "127.0.0.1").text("b", "orders"));
        span.attributes(&Attributes::default());
        span.identifier("d", &[0xa7; 24]);
        span.text("e", &"x".repeat(1000));
        span.text("f", &"y".repeat(40_000));
        span.text("g", "");
        span.number("number", number);
        span.link(&other);
        span.failed("empty");
        span.failed("full");
        contexts.push(span.context().clone());
    }
    let [batch] = tracer.ended(std::time::Duration::ZERO).await.try_into().expect("one batch");
    let request = request(batch);
    let [of] = &request.resource_spans[..] else { panic!("{request:?}") };
    let named = [("service.name", "orders"), ("service.version", "1"), ("service.instance.id", "host")];
    assert_eq!(texts(&of.resource.as_ref().expect("a resource").attributes), named);
    let [scope] = &of.scope_spans[..] else { panic!("{request:?}") };
    assert_eq!(scope.scope, Some(Scope { name: "quaymaster".into(), version: "1".into() }));
    let numbers: Vec<_> = scope.spans.iter().flat_map(crate::decoded::Span::numbers).collect();
    assert_eq!(numbers, [("number", -1), ("number", 300), ("number", i64::MAX)]);
    let (long, longer, digits) = ("x".repeat(1000), "y".repeat(40_000), "a7".repeat(24));
    let expected = [("a", "127.0.0.1"), ("b", "orders"), ("d", &*digits), ("e", &*long), ("f", &*longer), ("g", "")];
    assert_eq!(scope.spans.len(), contexts.len());
    for (span, context) in scope.spans.iter().zip(&contexts) {
        assert_eq!((&*span.name, span.kind, &span.trace_id[..]), ("push orders", 5, &other.trace_id[..]));
        assert_eq!((&span.span_id[..], &span.parent[..]), (&context.span_id[..], &other.span_id[..]));
        assert_eq!(span.texts(), expected);
        assert_eq!(
            (&span.links[0].trace_id[..], &span.links[0].span_id[..]),
            (&other.trace_id[..], &other.span_id[..])
        );
        assert_eq!(span.status, Some(Status { message: "full".into(), code: 2 }));
    }
}

#[tokio::test]
async fn names_of_any_length_stand_before_the_spans() {
    for length in [0, 100, 300, 500, 5000] {
        let tracer = tracer();
        drop(tracer.begin(Kind::Server, "GET", None));
        let [batch] = tracer.ended(std::time::Duration::ZERO).await.try_into().expect("one batch");
        let name = "n".repeat(length);
        let resource = Resource { service_name: &name, service_version: "1", instance: "host" };
        let request: crate::decoded::Request = prost::Message::decode(export(resource, batch)).expect("a request");
        let of = &request.resource_spans[0];
        assert_eq!(texts(&of.resource.as_ref().expect("a resource").attributes)[0], ("service.name", &*name));
        assert_eq!(of.scope_spans[0].spans[0].name, "GET");
    }
    assert!(request(Batch::default()).resource_spans[0].scope_spans[0].spans.is_empty());
}

#[test]
fn lengths_are_known_before_numbers_are_written() {
    for value in (0..64).flat_map(|shift| [(1_u64 << shift) - 1, 1 << shift]).chain([u64::MAX]) {
        let mut written = Vec::new();
        varint(&mut written, value);
        assert_eq!(written.len(), length_of_varint(value), "{value}");
    }
}
