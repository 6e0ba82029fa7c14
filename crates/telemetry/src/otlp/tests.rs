use prost::Message as _;

use super::*;
use crate::span::Kind;

#[test]
fn a_span_is_written_with_the_published_numbers() {
    let context = TraceContext { trace_id: [1; 16], span_id: [2; 8], is_sampled: true, state: Some("vendor=1".into()) };
    let ended = Ended {
        context,
        parent: Some([3; 8]),
        kind: Kind::Server,
        name: "GET".to_owned(),
        begun: 5,
        ended: 6,
        attributes: vec![("a", Attribute::Number(7))],
        links: Vec::new(),
        problem: None,
    };
    let written = span(&ended).encode_to_vec();
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

#[test]
fn a_request_names_the_service_and_has_every_span() {
    let (tracer, mut ended) = crate::Tracer::new(100);
    for _ in 0..3 {
        drop(tracer.begin(Kind::Consumer, "push", None));
    }
    let spans: Vec<Ended> = std::iter::from_fn(|| ended.try_recv().ok()).collect();
    let resource = Resource { service_name: "orders", service_version: "1", instance: "host" };
    let request = Request::decode(&*export(resource, &spans)).unwrap();
    let of = &request.resource_spans[0];
    assert_eq!(of.resource.as_ref().unwrap().attributes[0], pair("service.name", &Attribute::Text("orders".into())));
    assert_eq!(of.scope_spans[0].spans.len(), 3);
}
