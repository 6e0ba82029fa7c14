//! The resources of problems, as the documents describe them.

use serde_json::{Value, json};

use crate::api::ApiHandler;
use crate::openapi::details::{Body, Content, Details, MESSAGE_API, Success, plain, success};

const PROBLEMS: &[Success] = &[success(200, "What is wrong, the worst first", Content::Json("Problems"))];
const MUTED: &[Success] = &[success(200, "The problem", Content::Json("OperationsProblem"))];

pub(super) fn details(handler: ApiHandler) -> Details {
    match handler {
        ApiHandler::MuteProblem => {
            Details { body: Some(Body::Json("Mute")), ..plain(MESSAGE_API, "For everybody who sees it.", MUTED) }
        }
        ApiHandler::UnmuteProblem => plain(MESSAGE_API, "Also when it is not muted.", MUTED),
        _ => plain(
            MESSAGE_API,
            "At most 200 problems of the objects that the user may see. `leftOut` counts further ones. What changes is told by the event `problem` of a live stream.",
            PROBLEMS,
        ),
    }
}

/// Component schemas.
pub(super) fn schemas() -> Vec<(&'static str, Value)> {
    vec![("Problems", list()), ("OperationsProblem", problem()), ("Mute", mute())]
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
