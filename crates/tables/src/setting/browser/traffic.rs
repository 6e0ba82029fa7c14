//! What a page exchanged with its server: requests with their bytes as they travelled and as the page read them, and live events.
//!
//! Built from the events of the protocol's domain Network. Nothing is guessed: a request that is not answered has no bytes.

use serde_json::Value;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Traffic {
    /// In the order in which they were sent.
    pub requests: Vec<Request>,
    /// Live events that arrived on streams.
    pub live_events: u64,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Request {
    /// The browser's name of it.
    pub id: String,
    pub method: String,
    /// Path and query.
    pub path: String,
    pub status: Option<u64>,
    /// Bytes received, head included, as they travelled.
    pub wire_bytes: u64,
    /// Bytes of the answer's body as the page read it.
    pub body_bytes: u64,
    /// From sending to the end of the answer, in ms.
    pub milliseconds: Option<f64>,
    /// Why there is no answer.
    pub failure: Option<String>,
    /// The page itself wanted no answer any more.
    is_given_up: bool,
    /// Seconds of the browser's own clock.
    sent: f64,
    /// A stream of live events, which has no end.
    is_stream: bool,
}

impl Traffic {
    /// Whether every request has its whole answer, streams left aside.
    pub fn is_answered(&self) -> bool {
        self.requests.iter().all(Request::is_over)
    }

    /// The last request to a path that holds this, once it is answered.
    pub fn answered(&self, method: &str, part: &str) -> Option<&Request> {
        let is_meant = |request: &&Request| request.method == method && request.path.contains(part);
        self.requests.iter().rev().find(is_meant).filter(|request| request.status.is_some() && request.is_over())
    }

    /// The first that was not answered with success.
    pub fn trouble(&self) -> Option<String> {
        self.requests.iter().find_map(|request| {
            let why = match (&request.failure, request.status) {
                _ if request.is_given_up => return None,
                (Some(failure), _) => failure.clone(),
                (None, Some(status)) if status >= 400 => status.to_string(),
                _ => return None,
            };
            Some(format!("{} {}: {why}", request.method, request.path))
        })
    }

    pub fn wire_bytes(&self) -> u64 {
        self.requests.iter().map(|request| request.wire_bytes).sum()
    }

    pub fn body_bytes(&self) -> u64 {
        self.requests.iter().map(|request| request.body_bytes).sum()
    }

    /// Takes an event of the protocol in.
    pub(super) fn take_in(&mut self, event: &Value) {
        let parameters = &event["params"];
        match event["method"].as_str() {
            Some("Network.requestWillBeSent") => self.requests.extend(Request::sent(parameters)),
            Some("Network.eventSourceMessageReceived") => self.live_events += 1,
            Some(method) => {
                let id = parameters["requestId"].as_str().unwrap_or_default();
                if let Some(request) = self.requests.iter_mut().rev().find(|request| request.id == id) {
                    request.take_in(method, parameters);
                }
            }
            None => {}
        }
    }
}

impl Request {
    /// `None` for what goes to no server, such as `data:`.
    fn sent(parameters: &Value) -> Option<Self> {
        let url = parameters["request"]["url"].as_str()?;
        let (scheme, rest) = url.split_once("://")?;
        let path = rest.find('/').map_or("/", |place| &rest[place..]);
        scheme.starts_with("http").then(|| Self {
            id: parameters["requestId"].as_str().unwrap_or_default().to_owned(),
            method: parameters["request"]["method"].as_str().unwrap_or_default().to_owned(),
            path: path.to_owned(),
            sent: parameters["timestamp"].as_f64().unwrap_or_default(),
            is_stream: parameters["type"] == "EventSource",
            ..Self::default()
        })
    }

    fn take_in(&mut self, method: &str, parameters: &Value) {
        match method {
            "Network.responseReceived" => {
                self.status = parameters["response"]["status"].as_u64();
                self.wire_bytes = bytes(&parameters["response"]["encodedDataLength"]);
            }
            "Network.dataReceived" => self.body_bytes += parameters["dataLength"].as_u64().unwrap_or_default(),
            "Network.loadingFinished" => {
                self.wire_bytes = bytes(&parameters["encodedDataLength"]);
                self.milliseconds = parameters["timestamp"].as_f64().map(|end| (end - self.sent) * 1e3);
            }
            "Network.loadingFailed" => {
                self.failure = Some(parameters["errorText"].as_str().unwrap_or("failed").to_owned());
                self.is_given_up = parameters["canceled"] == true;
            }
            _ => {}
        }
    }

    /// Pages do not read the body of what has none, or of some refusals: the browser tells no end of these.
    fn is_over(&self) -> bool {
        let is_unread = self.status.is_some_and(|status| status == 204 || status >= 400);
        self.is_stream || self.milliseconds.is_some() || self.failure.is_some() || is_unread
    }
}

/// Counts of bytes are floating-point numbers in the protocol.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number of bytes, at least 0")]
fn bytes(value: &Value) -> u64 {
    value.as_f64().unwrap_or_default().max(0.0) as u64
}

#[cfg(test)]
mod tests;
