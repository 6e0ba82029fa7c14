//! The resources of problems, as the documents describe them.

use serde_json::{Value, json};

use crate::api::ApiHandler;
use crate::openapi::details::{Body, CONSOLE, Content, Details, Parameter, Shape, Success, plain, query, success};
use crate::openapi::message_api::MOMENT;

const PROBLEMS: &[Success] = &[success(200, "What is wrong, the worst first", Content::Json("Problems"))];
const SINCE: Parameter =
    query("since", Shape::Pattern(MOMENT), "Only what happened then or later: `2026-11-23T04:00:00Z`.");
const LIMIT: Parameter = query("limit", Shape::Number(1, 1000), "Most changes of the answer. Default 100.");
const CHANGES: &[Success] = &[success(200, "The changes", Content::Json("Changes"))];
const ACTIVITY: &[Success] = &[success(200, "All that is deployed", Content::Json("Activity"))];
const MUTED: &[Success] = &[success(200, "The problem", Content::Json("OperationsProblem"))];

pub(super) fn details(handler: ApiHandler) -> Details {
    match handler {
        ApiHandler::ListChanges => Details {
            parameters: &[SINCE, LIMIT],
            ..plain(
                CONSOLE,
                "At most 1000, since the start of the queue manager, of objects that the user may see. Attributes are MQSC keywords; of a change, those that differ.",
                CHANGES,
            )
        },
        ApiHandler::ShowActivity => {
            plain(CONSOLE, "`recent` is of the last minutes. Percentiles are right to a quarter.", ACTIVITY)
        }
        ApiHandler::MuteProblem => {
            Details { body: Some(Body::Json("Mute")), ..plain(CONSOLE, "For everybody who sees it.", MUTED) }
        }
        ApiHandler::UnmuteProblem => plain(CONSOLE, "Also when it is not muted.", MUTED),
        _ => plain(
            CONSOLE,
            "At most 200 problems of the objects that the user may see. `leftOut` counts further ones. What changes is told by the event `problem` of a live stream.",
            PROBLEMS,
        ),
    }
}

/// Component schemas.
pub(super) fn schemas() -> Vec<(&'static str, Value)> {
    vec![
        ("Problems", list()),
        ("OperationsProblem", problem()),
        ("Mute", mute()),
        ("Activity", activity()),
        ("Changes", changes()),
    ]
}

fn list() -> Value {
    json!({
        "type": "object", "required": ["at", "problems", "leftOut"],
        "properties": {
            "at": { "type": "string", "format": "date-time" },
            "problems": {
                "type": "array", "maxItems": 200, "items": { "$ref": "#/components/schemas/OperationsProblem" }
            },
            "leftOut": { "type": "integer", "minimum": 0 }
        }
    })
}

fn problem() -> Value {
    let text = || json!({ "type": "string" });
    json!({
        "type": "object",
        "required": ["id", "rule", "severity", "since", "object", "values", "text", "next", "mutedUntil"],
        "properties": {
            "id": text(), "rule": text(),
            "severity": { "type": "string", "enum": ["error", "warning", "note"] },
            "since": { "type": "string", "format": "date-time" },
            "object": {
                "type": "object", "required": ["type", "name"], "properties": { "type": text(), "name": text() }
            },
            "values": { "type": "object" },
            "text": text(),
            "next": { "type": "array", "items": {
                "type": "object", "required": ["action", "text"],
                "properties": {
                    "action": text(), "text": text(), "queue": text(), "channel": text(), "service": text(),
                    "connection": text(), "href": text(), "mqsc": { "type": "array", "items": text() }
                }
            } },
            "mutedUntil": { "type": ["string", "null"], "description": "A moment, or `change`." }
        }
    })
}

fn mute() -> Value {
    json!({
        "type": "object", "required": ["for"], "additionalProperties": false,
        "properties": { "for": { "type": "string", "pattern": "^(change|[1-9][0-9]{0,2}(s|m|h)|[12]?[1-9]d)$" } },
        "examples": [{ "for": "1h" }, { "for": "change" }]
    })
}

fn activity() -> Value {
    let count = || json!({ "type": "integer", "minimum": 0 });
    let milliseconds = || json!({ "type": ["number", "null"] });
    let counts = ["requests", "inFlight", "succeeded", "refused", "failed", "unanswered", "abandoned"];
    let mut members = json!({
        "name": { "type": "string" }, "state": { "type": "string", "enum": ["started", "stopped"] },
        "recent": {
            "type": "object",
            "required": ["seconds", "requests", "perSecond", "refused", "failed", "unanswered", "p50", "p95"],
            "properties": {
                "seconds": count(), "requests": count(), "perSecond": { "type": "number" }, "refused": count(),
                "failed": count(), "unanswered": count(), "p50": milliseconds(), "p95": milliseconds()
            }
        },
        "errors": { "type": "array", "maxItems": 10, "items": {
            "type": "object", "required": ["at", "status", "milliseconds", "answer"],
            "properties": {
                "at": { "type": "string", "format": "date-time" }, "status": count(), "milliseconds": milliseconds(),
                "answer": { "type": "string" }
            }
        } }
    });
    counts.iter().for_each(|name| members[name] = count());
    let one = json!({
        "type": "object",
        "required": ["name", "state", "requests", "inFlight", "succeeded", "refused", "failed", "unanswered", "abandoned", "recent", "errors"],
        "properties": members
    });
    let list = || json!({ "type": "array", "items": one });
    json!({
        "type": "object", "required": ["at", "services", "apis", "requesters"],
        "properties": {
            "at": { "type": "string", "format": "date-time" },
            "services": list(), "apis": list(), "requesters": list()
        }
    })
}

fn changes() -> Value {
    let text = || json!({ "type": "string" });
    let attributes = || {
        json!({ "type": "object", "additionalProperties": {
            "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }]
        } })
    };
    json!({
        "type": "object", "required": ["changes", "isComplete"],
        "properties": {
            "changes": { "type": "array", "maxItems": 1000, "items": {
                "type": "object", "required": ["at", "user", "by", "object", "what", "before", "after", "mqsc"],
                "properties": {
                    "at": { "type": "string", "format": "date-time" }, "user": text(), "by": text(),
                    "object": {
                        "type": "object", "required": ["type", "name"],
                        "properties": { "type": text(), "name": text() }
                    },
                    "what": { "type": "string", "enum": ["create", "change", "delete"] },
                    "before": attributes(), "after": attributes(), "mqsc": { "type": ["string", "null"] }
                }
            } },
            "isComplete": { "type": "boolean" }
        }
    })
}
