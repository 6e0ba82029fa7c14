//! The resources of tests, as the document of a server that was started for tests describes them.

use serde_json::{Value, json};
use test_control::faults::Verb;

use crate::api::TestHandler;
use crate::openapi::details::{Body, Content, Details, MESSAGE_API, Success, plain, success};

const DURATION: &str = "^([1-9][0-9]{0,6}ms|[1-9][0-9]{0,2}s|[1-5]?[1-9]m)$";

const RULES: &[Success] = &[success(200, "The rules, in the order in which they are asked", Content::Json("Faults"))];
const RULE: &[Success] = &[success(201, "The rule", Content::Json("Fault"))];
const GONE: &[Success] = &[success(204, "There is no such rule any more", Content::Nothing)];
const CLOCK: &[Success] = &[success(200, "The clock", Content::Json("Clock"))];

const SNAPSHOT: &[Success] = &[success(201, "The snapshot", Content::Json("Snapshot"))];
const SNAPSHOTS: &[Success] = &[success(200, "The snapshots, the oldest first", Content::Json("Snapshots"))];
const FORGOTTEN: &[Success] = &[success(204, "There is no such snapshot any more", Content::Nothing)];
const RESTORED: &[Success] = &[success(200, "The queue manager is as it was", Content::Json("Snapshot"))];

const EXCHANGES: &[Success] = &[success(200, "The exchanges, in the order of their calls", Content::Json("Exchanges"))];

const RULE_HELP: &str = "A rule is about calls of the MQI (`qmgr`, `queue`, `channel`, `verb`) or about requests (`service`, `api`, \
    `apiRequester`, `path`). Names may end in an asterisk. After `skip` calls it hits `times` calls: it delays them, ends them with a \
    `reason` or `status`, or cuts the connection.";
const CLOCK_HELP: &str =
    "Expiry, locks, delays and waits follow this clock. `set` and `advance` forward end what ends until then.";

pub(super) fn details(handler: TestHandler) -> Details {
    match handler {
        TestHandler::ListFaults => plain(MESSAGE_API, "With how many calls each was about, and has hit.", RULES),
        TestHandler::AddFault => Details { body: Some(Body::Json("NewFault")), ..plain(MESSAGE_API, RULE_HELP, RULE) },
        TestHandler::ClearFaults | TestHandler::DeleteFault => plain(MESSAGE_API, "", GONE),
        TestHandler::ShowClock => plain(MESSAGE_API, "", CLOCK),
        TestHandler::MoveClock => {
            Details { body: Some(Body::Json("ClockStep")), ..plain(MESSAGE_API, CLOCK_HELP, CLOCK) }
        }
        TestHandler::ShowExchanges => plain(MESSAGE_API, "", EXCHANGES),
        TestHandler::SetExchanges => Details {
            body: Some(Body::Json("NewExchanges")),
            ..plain(
                MESSAGE_API,
                "`record`: calls are made and kept. `replay`: they are not made, and what is kept answers them.",
                EXCHANGES,
            )
        },
        TestHandler::TakeSnapshot => plain(MESSAGE_API, "409: a unit of work or a delivery is open.", SNAPSHOT),
        TestHandler::ListSnapshots => plain(MESSAGE_API, "", SNAPSHOTS),
        TestHandler::DeleteSnapshot => plain(MESSAGE_API, "", FORGOTTEN),
        TestHandler::RestoreSnapshot => plain(
            MESSAGE_API,
            "Of a server with --ephemeral. Clients of the queue manager are cut off, and connect again.",
            RESTORED,
        ),
    }
}

/// Component schemas.
pub(super) fn schemas() -> Vec<(&'static str, Value)> {
    let mut fault = rule();
    let id = json!({ "type": "string", "pattern": "^[0-9]{1,19}$" });
    let count = json!({ "type": "integer", "minimum": 0 });
    for (name, schema) in [("id", &id), ("seen", &count), ("hits", &count)] {
        fault["properties"][name] = schema.clone();
    }
    fault["required"] = json!(["id", "skip", "seen", "hits"]);
    let new_exchanges = json!({
        "type": "object", "additionalProperties": false,
        "properties": { "mode": mode(), "exchanges": { "type": "array", "items": exchange() } },
        "examples": [{ "mode": "record", "exchanges": [] }, { "mode": "replay" }]
    });
    let exchanges = json!({
        "type": "object", "required": ["mode", "leftOut", "exchanges"],
        "properties": { "mode": mode(), "leftOut": count, "exchanges": { "type": "array", "items": exchange() } }
    });
    vec![
        ("NewExchanges", new_exchanges),
        ("Exchanges", exchanges),
        ("NewFault", rule()),
        ("Fault", fault),
        (
            "Faults",
            json!({
                "type": "object", "required": ["faults"],
                "properties": { "faults": { "type": "array", "items": { "$ref": "#/components/schemas/Fault" } } }
            }),
        ),
        (
            "Snapshot",
            json!({
                "type": "object", "required": ["id", "qmgr", "at", "messages", "bytes"],
                "properties": {
                    "id": id, "qmgr": { "type": "string" }, "at": { "type": "string", "format": "date-time" },
                    "messages": count, "bytes": count
                }
            }),
        ),
        (
            "Snapshots",
            json!({
                "type": "object", "required": ["snapshots"],
                "properties": { "snapshots": { "type": "array", "items": { "$ref": "#/components/schemas/Snapshot" } } }
            }),
        ),
        (
            "Clock",
            json!({
                "type": "object", "required": ["now", "running"],
                "properties": {
                    "now": { "type": "string", "format": "date-time" }, "running": { "type": "boolean" }
                }
            }),
        ),
        (
            "ClockStep",
            json!({
                "type": "object", "minProperties": 1, "additionalProperties": false,
                "properties": {
                    "set": { "type": "string", "format": "date-time" },
                    "advance": { "type": "string", "pattern": DURATION }, "running": { "type": "boolean" }
                },
                "examples": [{ "advance": "1h" }, { "set": "2030-01-31T12:00:00Z", "running": false }]
            }),
        ),
    ]
}

fn mode() -> Value {
    json!({ "type": "string", "enum": ["off", "record", "replay"] })
}

fn exchange() -> Value {
    let text = || json!({ "type": "string" });
    json!({
        "type": "object", "required": ["apiRequester", "method", "path", "status"], "additionalProperties": false,
        "properties": {
            "apiRequester": text(), "method": text(), "path": text(), "request": text(), "requestBase64": text(),
            "status": { "type": "integer", "minimum": 100, "maximum": 599 },
            "headers": { "type": "array", "items": { "type": "array", "items": text() } },
            "answer": text(), "answerBase64": text(), "replayed": { "type": "integer", "minimum": 0 }
        }
    })
}

fn rule() -> Value {
    let text = |help: &str| json!({ "type": "string", "minLength": 1, "description": help });
    let verbs: Vec<&str> = Verb::ALL.iter().map(|(_, name)| *name).collect();
    json!({
        "type": "object", "additionalProperties": false,
        "properties": {
            "qmgr": text("Calls of programs of this queue manager."),
            "queue": text("Calls about this queue, as it was opened or as what that led to; commits of a unit of work with it."),
            "channel": text("Calls of clients by this channel."),
            "verb": { "type": "string", "enum": verbs },
            "service": text("Requests of this service."), "api": text("Requests of this API."),
            "apiRequester": text("Calls of this API requester."), "path": text("Requests of this path."),
            "skip": { "type": "integer", "minimum": 0, "description": "So many go well first." },
            "times": { "type": "integer", "minimum": 0, "description": "Hits; without it, without end." },
            "delay": { "type": "string", "pattern": DURATION, "description": "Before the fault, or the call." },
            "reason": { "type": "integer", "description": "MQRC with which a call ends, without being made." },
            "status": {
                "type": "integer", "minimum": 400, "maximum": 599,
                "description": "With which a request is answered, without being served."
            },
            "drop": {
                "type": "string", "enum": ["before", "after"],
                "description": "The connection is cut before the call, or after it and before its answer."
            }
        },
        "examples": [{ "queue": "DEV.QUEUE.1", "verb": "put", "reason": 2053, "times": 1 }]
    })
}
