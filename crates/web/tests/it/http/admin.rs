//! What the tests of the administrative REST API have in common: requests by user, answers as JSON.

use serde_json::Value;

use super::client::{self, Answer};
use super::server::TestServer;

/// Path of the queues of QM1.
pub(crate) const QUEUES: &str = "/ibmmq/rest/v1/admin/qmgr/QM1/queue";

/// Sends `METHOD PATH` with more header lines as `user`; passwords are those of the test server.
pub(crate) fn send(server: &TestServer, user: &str, request: &str, body: Option<&Value>) -> Answer {
    let password = match user {
        "app" => "secret".to_owned(),
        user => format!("{user}pw"),
    };
    let mut head = format!("{request}\n{}", client::basic(user, &password));
    let mut text = String::new();
    if let Some(body) = body {
        text = body.to_string();
        head.push_str(&format!("\ncontent-length: {}", text.len()));
        if !request.contains("content-type") {
            head.push_str("\ncontent-type: application/json");
        }
    }
    client::plain(server).exchange(&format!("{head}\n\n{text}"))
}

pub(crate) fn json(answer: &Answer) -> Value {
    serde_json::from_slice(&answer.body).unwrap_or_else(|_| panic!("no JSON: {}", answer.text()))
}

/// GET as an administrator, which succeeds.
pub(crate) fn get(server: &TestServer, path: &str) -> Value {
    let answer = send(server, "admin", &format!("GET {path}"), None);
    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    json(&answer)
}

/// The one queue of an answer.
pub(crate) fn queue(server: &TestServer, name: &str, query: &str) -> Value {
    get(server, &format!("{QUEUES}/{name}{query}"))["queue"][0].clone()
}

/// Names of the queues of an answer that do not belong to the system, in its order.
pub(crate) fn names(server: &TestServer, query: &str) -> Vec<String> {
    let all = get(server, &format!("{QUEUES}{query}"));
    let all = all["queue"].as_array().expect("an array");
    let names = all.iter().map(|queue| queue["name"].as_str().expect("a name").to_owned());
    names.filter(|name| !name.starts_with("SYSTEM.") && !name.starts_with("AMQ.")).collect()
}

/// Status and identifier of a request that is refused.
pub(crate) fn refusal(server: &TestServer, user: &str, request: &str, body: Option<&Value>) -> (u16, String, i64) {
    let answer = send(server, user, request, body);
    assert!(answer.status >= 400, "{request}: {} {}", answer.status, answer.text());
    let reason = json(&answer)["error"][0]["reasonCode"].as_i64().expect("a number");
    (answer.status, answer.error_id(), reason)
}

/// The member of a dotted name.
pub(crate) fn member<'a>(object: &'a Value, path: &str) -> &'a Value {
    path.split('.').fold(object, |object, name| &object[name])
}
