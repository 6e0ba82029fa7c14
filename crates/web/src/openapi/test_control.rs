//! The resources of tests, as the document of a server that was started for tests describes them.

use serde_json::{Value, json};
use test_control::faults::Verb;
use test_control::traffic::Likeness;

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

const TRAFFIC: &[Success] =
    &[success(200, "What becomes of messages, and how many were recorded", Content::Json("Traffic"))];
const RECORDS: &[Success] =
    &[success(200, "A line for each message, in the order in which programs put and got them", Content::Any)];
const AGAIN: &[Success] = &[success(200, "So many were put", Content::AnyJson)];

const TRAFFIC_HELP: &str = "`record`: what programs put to and get from `queues` is kept, after what was kept before has been dropped. \
    `mock`: requests on `queues` that are `like` a recorded one, in their body unless it says otherwise, are got, and its replies are put to \
    their reply-to queues.";

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
        TestHandler::ShowTraffic => plain(MESSAGE_API, "", TRAFFIC),
        TestHandler::SetTraffic => {
            Details { body: Some(Body::Json("NewTraffic")), ..plain(MESSAGE_API, TRAFFIC_HELP, TRAFFIC) }
        }
        TestHandler::ListRecords => plain(MESSAGE_API, "Lines of JSON.", RECORDS),
        TestHandler::LoadRecords => {
            Details { body: Some(Body::AnyMessage), ..plain(MESSAGE_API, "Lines as they are listed.", TRAFFIC) }
        }
        TestHandler::PutRecords => Details {
            body: Some(Body::Json("TrafficReplay")),
            ..plain(MESSAGE_API, "At once, or at the pace at which they were recorded.", AGAIN)
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
    let queues = json!({ "type": "array", "items": { "type": "string", "minLength": 1 } });
    let traffic_mode = json!({ "type": "string", "enum": ["off", "record", "mock"] });
    let likeness: Vec<&str> = Likeness::ALL.iter().map(|(_, name)| *name).collect();
    vec![
        (
            "NewTraffic",
            json!({
                "type": "object", "required": ["mode"], "additionalProperties": false,
                "properties": {
                    "mode": traffic_mode, "queues": queues,
                    "like": { "type": "array", "items": { "type": "string", "enum": likeness } }
                },
                "examples": [{ "mode": "record", "queues": ["APP.*"] }, { "mode": "mock" }]
            }),
        ),
        (
            "Traffic",
            json!({
                "type": "object", "required": ["mode", "queues", "records", "leftOut", "answered", "unanswered"],
                "properties": {
                    "mode": traffic_mode, "queues": queues, "records": count, "leftOut": count, "answered": count,
                    "unanswered": count
                }
            }),
        ),
        (
            "TrafficReplay",
            json!({
                "type": "object", "additionalProperties": false,
                "properties": { "queues": queues, "pace": { "type": "string", "enum": ["atOnce", "recorded"] } },
                "examples": [{ "queues": ["APP.IN"] }]
            }),
        ),
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
