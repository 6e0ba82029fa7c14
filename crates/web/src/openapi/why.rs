//! The resources below `/why`, as the documents describe them.

use serde_json::{Value, json};

use crate::api::ApiHandler;
use crate::openapi::details::{Content, Details, MESSAGE_API, Parameter, Shape, Success, plain, query, success};

const USER: Parameter = query("user", Shape::Text, "Whom it is about. MQWebUser may name only itself.");
const QUEUE: Parameter = query("queue", Shape::Pattern(NAME), "The queue that the user wants.");
const QUEUE_MANAGER: Parameter = query(
    "qmgr",
    Shape::Pattern("^[A-Za-z0-9./_%]{0,48}$"),
    "The queue manager that the program names beside the queue.",
);
const TOPIC: Parameter = query("topic", Shape::Text, "The topic string that the user wants.");
const OBJECT: Parameter = query("object", Shape::Pattern(NAME), "An object of the type `type`.");
const TYPE: Parameter = query(
    "type",
    Shape::Words(&[
        "queue", "topic", "qmgr", "channel", "clntconn", "listener", "process", "namelist", "authinfo", "service",
        "comminfo", "rqmname",
    ]),
    "Type of the object.",
);
const WANTS: Parameter = query("wants", Shape::Text, "Words of SET AUTHREC that the user wants: `put,get`.");
const CHANNEL: Parameter = query("channel", Shape::Text, "The channel that the user comes by.");
const NAME_OF_CHANNEL: Parameter =
    query("name", Shape::Text, "The channel. Without it: the last clients that were refused.");
const ADDRESS: Parameter = query("address", Shape::Text, "IP address of the client; 127.0.0.1 by default.");
const AUTHENTICATED: Parameter =
    query("authenticated", Shape::Words(&["true", "false"]), "The client sends the right password of the user.");
const SUBJECT: Parameter = query("subject", Shape::Text, "Distinguished name of the client's certificate.");
const ISSUER: Parameter = query("issuer", Shape::Text, "Distinguished name of the issuer of that certificate.");
const LIMIT: Parameter = query("limit", Shape::Number(1, 1000), "Most entries of a list. Default 100.");
const SINCE: Parameter = query("since", Shape::Text, "Only what happened then or later: `2026-11-23T04:00:00Z`.");
const DEAD_LETTER_QUEUE: Parameter =
    query("queue", Shape::Pattern(NAME), "The queue. Default: DEADQ of the queue manager.");
const POSITION: Parameter =
    query("position", Shape::Pattern("^[0-9]{1,18}$"), "One message. Without it: all, in groups.");
const READ_QUEUE: Parameter =
    Parameter { is_required: true, ..query("queue", Shape::Pattern(NAME), "The queue that programs get from.") };

const NAME: &str = "^[A-Za-z0-9./_%]{1,48}$";

const EXPLAINED: &[Success] = &[success(200, "The steps, or the last refusals", Content::Json("Explained"))];
const DEAD_LETTERS: &[Success] = &[success(200, "The groups, or the message", Content::Json("DeadLetters"))];
const INSIGHT: &[Success] = &[success(200, "Who waits for what, and what is there", Content::Json("Insight"))];

pub(super) fn details(handler: ApiHandler) -> Details {
    match handler {
        ApiHandler::WhyDeadLetter => Details {
            parameters: &[DEAD_LETTER_QUEUE, POSITION, LIMIT],
            ..plain(
                MESSAGE_API,
                "Groups by reason, destination and first putter. A request looks at 20,000 messages, or for half a second.",
                DEAD_LETTERS,
            )
        },
        ApiHandler::WhyChannel => Details {
            parameters: &[NAME_OF_CHANNEL, ADDRESS, USER, AUTHENTICATED, SUBJECT, ISSUER, LIMIT, SINCE],
            ..plain(
                MESSAGE_API,
                "The steps are those of a channel listener. What TLS a client would speak is not known; the step `tls` names what the channel asks for.",
                EXPLAINED,
            )
        },
        ApiHandler::WhyGet => Details {
            parameters: &[READ_QUEUE],
            ..plain(
                MESSAGE_API,
                "Each get that waits, with the first difference between what it asks for and what is there.",
                INSIGHT,
            )
        },
        _ => Details {
            parameters: &[
                USER,
                QUEUE,
                QUEUE_MANAGER,
                TOPIC,
                OBJECT,
                TYPE,
                WANTS,
                CHANNEL,
                ADDRESS,
                AUTHENTICATED,
                LIMIT,
                SINCE,
            ],
            ..plain(
                MESSAGE_API,
                "With an object: whether the user may use it, and which record decides. Without: the last requests that were \
                 refused with 2035. The commands that would allow it are shown to administrators.",
                EXPLAINED,
            )
        },
    }
}

/// Component schemas.
pub(super) fn schemas() -> Vec<(&'static str, Value)> {
    let text = || json!({ "type": "string" });
    let objects = || json!({ "type": "array", "items": { "type": "object" } });
    let count = || json!({ "type": "integer", "minimum": 0 });
    let remedy = || {
        json!({ "type": "array", "items": {
            "type": "object", "required": ["mqsc", "scope"],
            "properties": { "mqsc": { "type": "array", "items": text() }, "scope": text() }
        } })
    };
    let step = || {
        json!({ "type": "object", "required": ["at", "text"], "properties": {
            "at": text(), "text": text(), "allowed": { "type": "boolean" }
        } })
    };
    vec![
        (
            "Explained",
            json!({
                "type": "object",
                "properties": {
                    "allowed": { "type": "boolean" }, "user": text(), "groups": { "type": "array", "items": text() },
                    "reason": { "type": "object" }, "cause": text(),
                    "steps": { "type": "array", "items": step() }, "remedy": remedy(),
                    "refusals": objects(), "refused": objects(), "isComplete": { "type": "boolean" }
                }
            }),
        ),
        (
            "DeadLetters",
            json!({
                "type": "object", "required": ["queue"],
                "properties": {
                    "queue": { "type": ["string", "null"] }, "lookedAt": count(), "isComplete": { "type": "boolean" },
                    "groups": objects(), "text": text()
                }
            }),
        ),
        (
            "Insight",
            json!({
                "type": "object", "required": ["queue", "text", "readers", "there", "holders", "notYetDue", "writers"],
                "properties": {
                    "queue": text(), "text": text(), "inhibited": { "type": "array", "items": text() },
                    "readers": objects(), "readersAreComplete": { "type": "boolean" }, "there": { "type": "object" },
                    "holders": objects(), "notYetDue": { "type": "object" }, "writers": count(),
                    "lastPutAt": { "type": ["string", "null"] }, "lastGetAt": { "type": ["string", "null"] }
                }
            }),
        ),
    ]
}
