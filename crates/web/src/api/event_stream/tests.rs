//! Framing of events and lines, and the choice between them.

use bytes::Bytes;
use http::header::{self, HeaderMap};
use http::{HeaderValue, StatusCode};
use serde_json::json;
use serde_json::value::RawValue;

use super::Framing;
use crate::answer::Body;
use crate::error::{self, ApiError};

fn accepted(lines: &[&'static str]) -> Framing {
    let mut headers = HeaderMap::new();
    for line in lines {
        headers.append(header::ACCEPT, HeaderValue::from_static(line));
    }
    Framing::accepted(&headers)
}

#[test]
fn events_are_for_clients_that_name_them_and_prefer_no_lines() {
    let events: [&[&'static str]; 6] = [
        &["text/event-stream"],
        &["Text/Event-Stream; charset=utf-8"],
        &["text/html, text/event-stream;q=0.2, */*;q=0.1"],
        &["application/x-ndjson;q=0.5, text/event-stream; q=0.55"],
        &["application/x-ndjson", "text/event-stream"],
        &["text/event-stream;q=0.001"],
    ];
    for lines in events {
        assert_eq!(accepted(lines), Framing::Events, "{lines:?}");
    }
    let others: [&[&'static str]; 7] = [
        &[],
        &["*/*"],
        &["application/x-ndjson"],
        &["text/event-stream;q=0"],
        &["text/event-stream;q=0.000, application/x-ndjson;q=0.1"],
        &["application/x-ndjson, text/event-stream;q=0.9"],
        &["text/event-stream;q=many"],
    ];
    for lines in others {
        assert_eq!(accepted(lines), Framing::Lines, "{lines:?}");
    }
}

#[test]
fn an_event_has_its_name_id_and_data_and_ends_with_an_empty_line() {
    let mut out = Vec::new();
    Framing::Events.write(&mut out, "message", Some("4-1f"), &json!({ "order": 1 }));
    Framing::Events.write(&mut out, "queue", None, &json!("x"));
    let expected = "event: message\nid: 4-1f\ndata: {\"order\":1}\n\nevent: queue\ndata: \"x\"\n\n";
    assert_eq!(String::from_utf8(out).expect("text"), expected);
}

#[test]
fn a_line_has_the_data_alone() {
    let mut out = Vec::new();
    Framing::Lines.write(&mut out, "message", Some("4-1f"), &json!({ "order": 1 }));
    Framing::Lines.write(&mut out, "message", None, &json!({ "order": 2 }));
    assert_eq!(String::from_utf8(out).expect("text"), "{\"order\":1}\n{\"order\":2}\n");
}

#[test]
fn a_line_break_in_data_ends_neither_an_event_nor_a_line() {
    let json = "{\n\"a\":\r\n [1,\n2],\r\"b\":\"x\\n\"}";
    let raw: &RawValue = serde_json::from_str(json).expect("JSON");
    for (framing, breaks) in [(Framing::Events, 3), (Framing::Lines, 1)] {
        let mut out = b"before\n".to_vec();
        framing.write(&mut out, "message", None, &raw);
        let text = String::from_utf8(out).expect("text");
        let frame = text.strip_prefix("before\n").expect("what was there stays");
        assert_eq!(frame.matches(['\n', '\r']).count(), breaks, "{frame:?}");
        let data = frame.lines().find(|line| line.contains('{')).expect("data");
        let value: serde_json::Value = serde_json::from_str(data.trim_start_matches("data: ")).expect("still JSON");
        assert_eq!(value, json!({ "a": [1, 2], "b": "x\n" }));
    }
}

#[test]
fn the_last_event_is_a_problem() {
    let error = ApiError::new(&error::UNKNOWN_RESOURCE, &["/x"]);
    let mut out = Vec::new();
    Framing::Events.write_error(&mut out, &error);
    let text = String::from_utf8(out).expect("text");
    let data = text.strip_prefix("event: error\ndata: ").expect("an event").trim_end();
    let problem: serde_json::Value = serde_json::from_str(data).expect("JSON");
    assert_eq!(problem, error.as_problem());
    let mut out = Vec::new();
    Framing::Lines.write_error(&mut out, &error);
    let line: serde_json::Value = serde_json::from_slice(&out).expect("JSON");
    assert_eq!(line, json!({ "error": problem }));
}

#[test]
fn a_heartbeat_is_no_event() {
    assert_eq!(Framing::Events.heartbeat(), ":\n\n");
    assert_eq!(Framing::Lines.heartbeat(), "{}\n");
}

#[test]
fn the_answer_is_kept_by_no_cache_and_no_proxy() {
    for (framing, content_type) in
        [(Framing::Events, "text/event-stream"), (Framing::Lines, "application/x-ndjson")]
    {
        let answer = framing.answer(Body::Whole(Bytes::new()));
        assert_eq!(answer.status(), StatusCode::OK);
        let header = |name: &str| answer.headers().get(name).and_then(|value| value.to_str().ok());
        assert_eq!(header("content-type"), Some(content_type));
        assert_eq!((header("cache-control"), header("x-accel-buffering")), (Some("no-store"), Some("no")));
    }
}
