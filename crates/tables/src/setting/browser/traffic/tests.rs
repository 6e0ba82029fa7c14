use serde_json::json;

use super::*;

fn sent(id: &str, url: &str, kind: &str) -> Value {
    let parameters =
        json!({ "requestId": id, "request": { "url": url, "method": "GET" }, "timestamp": 5.0, "type": kind });
    json!({ "method": "Network.requestWillBeSent", "params": parameters })
}

fn event(method: &str, parameters: &Value) -> Value {
    json!({ "method": method, "params": parameters })
}

fn traffic(events: &[Value]) -> Traffic {
    let mut traffic = Traffic::default();
    events.iter().for_each(|event| traffic.take_in(event));
    traffic
}

#[test]
fn a_request_is_answered_when_its_last_byte_is_there() {
    let begin = [
        sent("1", "https://127.0.0.1:9443/api/v1/qmgr/Q1/queues?limit=200", "Fetch"),
        event("Network.responseReceived", &json!({ "requestId": "1", "response": { "status": 200 } })),
        event("Network.dataReceived", &json!({ "requestId": "1", "dataLength": 900, "encodedDataLength": 100 })),
    ];
    assert!(!traffic(&begin).is_answered());
    let end =
        event("Network.loadingFinished", &json!({ "requestId": "1", "timestamp": 5.25, "encodedDataLength": 150.0 }));
    let all = traffic(&[begin.as_slice(), &[end]].concat());
    let request = all.answered("GET", "/queues?").unwrap();
    assert_eq!((request.path.as_str(), request.status), ("/api/v1/qmgr/Q1/queues?limit=200", Some(200)));
    assert_eq!((request.wire_bytes, request.body_bytes, request.milliseconds), (150, 900, Some(250.0)));
    assert_eq!((all.is_answered(), all.trouble()), (true, None));
}

#[test]
fn a_stream_of_events_keeps_no_page_waiting_and_its_events_are_counted() {
    let message = event("Network.eventSourceMessageReceived", &json!({ "requestId": "1", "eventName": "row" }));
    let all = traffic(&[sent("1", "https://127.0.0.1:9443/api/v1/stream", "EventSource"), message.clone(), message]);
    assert_eq!((all.is_answered(), all.live_events), (true, 2));
}

#[test]
fn refused_and_broken_requests_are_troubles() {
    let refused = event("Network.responseReceived", &json!({ "requestId": "1", "response": { "status": 403 } }));
    let broken = event("Network.loadingFailed", &json!({ "requestId": "1", "errorText": "net::ERR_FAILED" }));
    let begin = sent("1", "https://127.0.0.1:9443/x", "Fetch");
    assert_eq!(traffic(&[begin.clone(), refused]).trouble().as_deref(), Some("GET /x: 403"));
    assert_eq!(traffic(&[begin, broken]).trouble().as_deref(), Some("GET /x: net::ERR_FAILED"));
}

#[test]
fn what_goes_to_no_server_is_no_request() {
    assert!(traffic(&[sent("1", "data:image/png;base64,AAAA", "Image")]).requests.is_empty());
}
