//! Answers that go on: server-sent events (WHATWG HTML, 9.2), or lines of JSON for clients that ask for none.
//!
//! Framing and headers alone. What an event says, and when a stream begins and ends, is its resource's.
//!
//! Invariants
//! - An event is one line of JSON, so that a body with line breaks cannot end it or begin another.
//! - Lines of JSON say the same as events do, except for names and ids: a resource whose clients need those has them in its data.

use bytes::Bytes;
use http::header::{self, HeaderMap, HeaderName};
use http::{HeaderValue, StatusCode};
use serde::Serialize;
use serde_json::json;

use crate::answer::{self, Answer, Body};
use crate::error::ApiError;

const EVENTS: &str = "text/event-stream";
const LINES: &str = "application/x-ndjson";
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
/// Asks proxies that follow nginx not to collect an answer before they pass it on.
const X_ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");
const NO: HeaderValue = HeaderValue::from_static("no");

/// Where a client has lost a stream, as an `EventSource` says it when it comes again.
pub(super) const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// The form of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// `text/event-stream`.
    Events,
    /// `application/x-ndjson`.
    Lines,
}

impl Framing {
    /// Events where `Accept` names them, and prefers no lines to them. `*/*` names neither.
    pub(super) fn accepted(headers: &HeaderMap) -> Self {
        let [events, lines] = [EVENTS, LINES].map(|media_type| weight(headers, media_type));
        if events > 0 && events >= lines { Self::Events } else { Self::Lines }
    }

    /// The head of a stream that goes on with `body`.
    pub(super) fn answer(self, body: Body) -> Answer {
        let content_type = match self {
            Self::Events => EVENTS,
            Self::Lines => LINES,
        };
        let mut answer = answer::made_on_the_way(StatusCode::OK, HeaderValue::from_static(content_type), body);
        let headers = answer.headers_mut();
        headers.insert(header::CACHE_CONTROL, NO_STORE);
        headers.insert(X_ACCEL_BUFFERING, NO);
        answer
    }

    /// Writes an event. `name` and `id` have no line breaks. A client that lost its stream comes again with the last `id`.
    pub(super) fn write(self, out: &mut Vec<u8>, name: &str, id: Option<&str>, data: &impl Serialize) {
        if self == Self::Events {
            write_field(out, "event", name);
            if let Some(id) = id {
                write_field(out, "id", id);
            }
            out.extend_from_slice(b"data: ");
        }
        let begin = out.len();
        serde_json::to_writer(&mut *out, data).expect("it has string keys only");
        // A line break in JSON is white space between its words: a body that is JSON is shown as it stands.
        out[begin..].iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
        out.extend_from_slice(if self == Self::Events { b"\n\n" } else { b"\n" });
    }

    /// Writes the last event: why the stream ends.
    pub(super) fn write_error(self, out: &mut Vec<u8>, error: &ApiError) {
        let problem = error.as_problem();
        match self {
            Self::Events => self.write(out, "error", None, &problem),
            Self::Lines => self.write(out, "error", None, &json!({ "error": problem })),
        }
    }

    /// What says that the stream lives: a comment, or an object without members.
    pub(super) fn heartbeat(self) -> Bytes {
        Bytes::from_static(match self {
            Self::Events => b":\n\n",
            Self::Lines => b"{}\n",
        })
    }
}

fn write_field(out: &mut Vec<u8>, name: &str, value: &str) {
    debug_assert!(!value.contains(['\n', '\r']), "a line break would begin another field");
    for part in [name, ": ", value, "\n"] {
        out.extend_from_slice(part.as_bytes());
    }
}

/// Thousandths by which `Accept` prefers a media type that it names; 0 when it does not.
fn weight(headers: &HeaderMap, media_type: &str) -> u32 {
    let ranges = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let mut heaviest = 0;
    for range in ranges.flat_map(|value| value.split(',')) {
        let mut parts = range.split(';').map(str::trim);
        let is_named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case(media_type));
        if is_named {
            let quality = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
            heaviest = heaviest.max(quality.map_or(1000, thousandths));
        }
    }
    heaviest
}

/// `0.5` as 500. What is no quality counts as none.
fn thousandths(quality: &str) -> u32 {
    let (whole, part) = quality.split_once('.').unwrap_or((quality, ""));
    let is_valid = part.len() <= 3 && part.bytes().all(|digit| digit.is_ascii_digit());
    match (whole, is_valid) {
        ("1", true) => 1000,
        ("0", true) => format!("{part:0<3}").parse().unwrap_or(0),
        _ => 0,
    }
}

#[cfg(test)]
mod tests;
