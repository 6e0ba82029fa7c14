//! The resources of push targets, as the documents describe them.

use serde_json::{Value, json};

use crate::api::PushHandler;
use crate::openapi::details::{Body, Content, Details, MESSAGE_API, Parameter, Shape, Success, plain, query, success};

const NAME: &str = "^[A-Za-z0-9._-]{1,48}$";
/// Some of the URLs that there are, and some of the ways to write a duration.
const URL: &str = "^https?://[a-z]{1,20}[.][a-z]{2,20}(:[1-9][0-9]{0,3})?(/[A-Za-z0-9._~-]{1,20}){0,3}$";
const TIMEOUT: &str = "^([1-9][0-9]?s|[1-2][0-9]{2}s|[1-5]m)$";
const DELAY: &str = "^([1-9][0-9]{1,6}ms|[1-9][0-9]{0,3}s|[1-9]m|1[0-9]?h)$";
const WITHIN: &str = "^([1-9][0-9]{0,4}s|[1-9][0-9]?h|[1-2]?[1-9]d)$";

const LIMIT: Parameter = query("limit", Shape::Number(1, 1000), "Most push targets of a page. Default 100.");
const CURSOR: Parameter = query("cursor", Shape::Pattern(NAME), "Of the page before.");

const TARGET: &[Success] = &[success(200, "The push target", Content::Json("Push"))];
const PUT: &[Success] = &[
    success(201, "The push target is made; with `secret`, if the request had none", Content::Json("Push")),
    success(200, "The push target is replaced", Content::Json("Push")),
];
const TARGETS: &[Success] = &[success(200, "The push targets, in the order of their names", Content::Json("Pushes"))];
const DELETED: &[Success] = &[success(204, "The push target is deleted", Content::Nothing)];

const PUT_HELP: &str = "Each message is posted to the URL until the receiver answers with a status from 200 to 299: at least once, and in \
    order with a concurrency of 1. It is signed as Standard Webhooks says. Attempts are repeated after growing delays. A message that \
    was tried often or long enough goes to the dead-letter queue, or is backed out. Secrets are not shown again; without `secret`, a \
    target keeps those that it has.";

pub(super) fn details(handler: PushHandler) -> Details {
    match handler {
        PushHandler::Put => Details { body: Some(Body::Json("NewPush")), ..plain(MESSAGE_API, PUT_HELP, PUT) },
        PushHandler::List => Details {
            parameters: &[LIMIT, CURSOR],
            ..plain(MESSAGE_API, "Those of the user; an administrator sees all.", TARGETS)
        },
        PushHandler::Show => plain(MESSAGE_API, "Statistics are those since the start of the server.", TARGET),
        PushHandler::Delete => {
            plain(MESSAGE_API, "Messages that are not accepted yet are on their queue again.", DELETED)
        }
        PushHandler::Pause => plain(MESSAGE_API, "Attempts that are under way end first.", TARGET),
        PushHandler::Resume => plain(MESSAGE_API, "", TARGET),
    }
}

/// Component schemas.
pub(super) fn schemas() -> Vec<(&'static str, Value)> {
    vec![
        ("NewPush", new_push()),
        ("Push", push()),
        (
            "Pushes",
            json!({
                "type": "object", "required": ["targets"],
                "properties": {
                    "targets": { "type": "array", "items": { "$ref": "#/components/schemas/Push" } },
                    "cursor": { "type": "string" }
                }
            }),
        ),
    ]
}

fn new_push() -> Value {
    let text = || json!({ "type": "string" });
    let identifier = || json!({ "type": "string", "pattern": "^[0-9A-Fa-f]{48}$" });
    let duration = |pattern: &str| json!({ "type": "string", "pattern": pattern, "examples": ["30s", "1h"] });
    let secret = || json!({ "type": "string", "pattern": "^whsec_[A-Za-z0-9+/]{32}$" });
    json!({
        "type": "object", "required": ["url"],
        "oneOf": [{ "required": ["queue"] }, { "required": ["subscription"] }],
        "properties": {
            "queue": { "type": "string", "pattern": "^[A-Za-z0-9./_%]{1,48}$" },
            "subscription": {
                "type": "object", "required": ["topic", "name"], "additionalProperties": false,
                "properties": {
                    "topic": { "type": "string", "pattern": "^[A-Za-z0-9/]{1,48}$" },
                    "name": { "type": "string", "pattern": "^[A-Za-z0-9.]{1,48}$" }
                }
            },
            "url": { "type": "string", "pattern": URL, "examples": ["https://example.com/orders"] },
            "secret": { "oneOf": [secret(), { "type": "array", "minItems": 1, "maxItems": 4, "items": secret() }] },
            "concurrency": { "type": "integer", "minimum": 1, "maximum": 64 },
            "timeout": duration(TIMEOUT),
            "retry": {
                "type": "object", "additionalProperties": false,
                "properties": {
                    "attempts": { "type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32 },
                    "within": duration(WITHIN), "delay": duration(DELAY), "longestDelay": duration(DELAY)
                }
            },
            "deadLetter": {
                "type": ["boolean", "object"], "required": ["reason"], "additionalProperties": false,
                "properties": { "reason": { "type": "integer", "minimum": i32::MIN, "maximum": i32::MAX } }
            },
            "match": {
                "type": "object", "additionalProperties": false,
                "properties": {
                    "id": identifier(), "correlationId": identifier(), "groupId": identifier(), "selector": text()
                }
            },
            "body": { "type": "string", "enum": ["raw", "envelope"] },
            "headers": { "type": "object", "additionalProperties": text() },
            "paused": { "type": "boolean" }
        },
        "additionalProperties": false,
        "examples": [{ "queue": "ORDERS", "url": "https://example.com/orders", "deadLetter": true }]
    })
}

fn push() -> Value {
    let text = || json!({ "type": "string" });
    let count = || json!({ "type": "integer", "minimum": 0 });
    let moment = || json!({ "type": "string", "format": "date-time" });
    json!({
        "type": "object",
        "required": ["name", "qmgr", "user", "url", "secrets", "concurrency", "timeout", "retry", "paused", "state", "statistics"],
        "properties": {
            "name": text(), "qmgr": text(), "user": text(), "url": text(), "queue": text(),
            "subscription": { "type": "object", "properties": { "topic": text(), "name": text() } },
            "secrets": { "type": "integer", "minimum": 1 },
            "secret": text(),
            "body": { "type": "string", "enum": ["raw", "envelope"] },
            "headers": { "type": "array", "items": text() },
            "concurrency": count(), "timeout": text(), "retry": { "type": "object" },
            "deadLetter": { "type": "object", "properties": { "reason": { "type": "integer" } } },
            "match": { "type": "object" },
            "paused": { "type": "boolean" }, "changedAt": moment(),
            "state": { "type": "string", "enum": ["running", "failing", "blocked", "paused"] },
            "statistics": statistics()
        }
    })
}

fn statistics() -> Value {
    let text = || json!({ "type": "string" });
    let count = || json!({ "type": "integer", "minimum": 0 });
    let moment = || json!({ "type": "string", "format": "date-time" });
    let last_error = json!({
        "type": "object", "required": ["at", "problem"],
        "properties": { "at": moment(), "status": { "type": ["integer", "null"] }, "problem": text() }
    });
    json!({
        "type": "object", "required": ["posted", "completed", "failed", "retried", "inFlight"],
        "properties": {
            "posted": count(), "completed": count(), "failed": count(), "retried": count(), "inFlight": count(),
            "lastSuccessAt": moment(), "waitingSince": moment(), "blockedBy": text(), "lastError": last_error
        }
    })
}
