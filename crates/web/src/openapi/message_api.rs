//! The resources of the message API, as the documents describe them.

use serde_json::{Value, json};

use crate::api::ApiHandler;
use crate::openapi::details::{
    Body, Content, Details, MESSAGE_API, Parameter, Shape, Success, header, plain, query, success,
};
use crate::openapi::{group, lists, problems, push, test_control, why};

const IDENTIFIER: Shape = Shape::Pattern("^[0-9A-Fa-f]{48}$");
/// Some of the ways to write a duration: of any length, of a wait up to an hour, of a lock up to 12 hours.
const ANY_DURATION: &str = "^([0-9]{1,9}(ms|s|m|h|d)|PT[0-9]{1,6}S)$";
const WAIT_DURATION: &str = "^([0-9]{1,6}ms|[0-9]{1,3}s|[0-5]?[0-9]m|1h|PT[0-9]{1,3}S)$";
const LOCK_DURATION: &str = "^([1-9][0-9]{0,6}ms|[1-9][0-9]{0,3}s|[1-9][0-9]{0,1}m|[1-9]h|1[0-2]h|PT[1-9][0-9]{0,3}S)$";
const FLAG: Shape = Shape::Words(&["true", "false"]);

const ENVELOPE: Parameter = query("envelope", FLAG, "The body is, or is to be, a message as a JSON object.");
const ATOMIC: Parameter = query("atomic", FLAG, "The lines of a batch are one unit of work.");
const RETAIN: Parameter = query("retain", FLAG, "Later subscribers get the message too.");
const WAIT: Parameter = query(
    "wait",
    Shape::Pattern(WAIT_DURATION),
    "How long to wait for the first message: `30s`, `PT30S`, at most an hour.",
);
const MAX: Parameter =
    query("max", Shape::Number(1, 1000), "Most messages of the answer, which then is a list. Without it: one message.");
const REPLY_WAIT: Parameter = query(
    "wait",
    Shape::Pattern(WAIT_DURATION),
    "How long to wait for the reply: `30s`, `PT30S`, at most an hour. Default 30 seconds.",
);
const REPLY_QUEUE: Parameter =
    query("replyQueue", Shape::Text, "Where the reply comes. Without it: a temporary queue.");
const CORRELATION: Parameter = query(
    "correlation",
    Shape::Words(&["messageId", "correlationId", "none"]),
    "The reply's CorrelId is the request's MsgId (the default) or CorrelId; `none`: the next message is the reply.",
);
const LATE: Parameter = query(
    "late",
    Shape::Text,
    "What becomes of a reply that comes too late: `expire` (the default), `keep`, or the name of a queue to move it to.",
);
const LIMIT: Parameter = query("limit", Shape::Number(1, 1000), "Most messages of a page. Default 100.");
const LIMIT_OF_JOBS: Parameter = query("limit", Shape::Number(1, 1000), "Most jobs of a page. Default 100.");
const CURSOR: Parameter = query("cursor", Shape::Pattern("^[0-9a-f]-[0-9a-f]{1,15}$"), "Of the page before.");
const BEFORE: Parameter = query(
    "before",
    Shape::Pattern("^(end|[0-9a-f]-[0-9a-f]{1,15})$"),
    "The page that ends before a message: `previous` of an answer, or `end` for the last page. In place of `cursor`.",
);
const OFFSET: Parameter = query("offset", Shape::Number(0, 1 << 53), "First byte of the part.");
const LENGTH: Parameter =
    query("length", Shape::Number(0, 1 << 53), "Bytes of the part, which ends with the data at the latest.");
const PART_CCSID: Parameter =
    query("ccsid", Shape::Number(1, 65535), "The part is read as text in this CCSID and comes in UTF-8.");
const JOB_CURSOR: Parameter = query("cursor", Shape::Pattern("^[0-9a-f]{1,16}-[0-9a-f]{32}$"), "Of the page before.");
const MOST_EXPORTED: Parameter = query("limit", Shape::Number(1, 1 << 53), "Most messages. Default: all.");
const POSITIONS: Parameter = query(
    "positions",
    Shape::Pattern("^[0-9]{1,18}(,[0-9]{1,18}){0,99}$"),
    "Only messages at these positions, up to 1000 with commas between.",
);
const CONTEXT: Parameter = query(
    "context",
    Shape::Words(&["keep", "new"]),
    "`keep`: the users, programs and times of the lines, which needs the authority setall. `new`: those of the request.",
);
const CONTAINS: Parameter = query("contains", Shape::Text, "Only messages whose text, or bytes, contain this.");
const MIN_LENGTH: Parameter =
    query("minLength", Shape::Number(0, 1 << 53), "Only messages whose data have so many bytes at least.");
const MAX_LENGTH: Parameter =
    query("maxLength", Shape::Number(0, 1 << 53), "Only messages whose data have so many bytes at most.");
const BODY: Parameter = query(
    "body",
    Shape::Words(&["auto", "text", "base64", "raw", "preview", "none"]),
    "How bodies are shown. `auto`: JSON, else text, else base64. `raw`: with their headers, in base64.",
);
const COPYBOOK: Parameter = query(
    "copybook",
    Shape::Text,
    "Bodies are shown as records of this copybook. The answer is JSON. Where the data is no such record, `problem` says why.",
);
const COPYBOOK_CURSOR: Parameter = query("cursor", Shape::Text, "Of the page before.");
const LIMIT_OF_COPYBOOKS: Parameter = query("limit", Shape::Number(1, 1000), "Most copybooks of a page. Default 100.");
const ID: Parameter = query("id", IDENTIFIER, "Only the message with this id.");
const CORRELATION_ID: Parameter = query("correlationId", IDENTIFIER, "Only messages with this correlation id.");
const GROUP_ID: Parameter = query("groupId", IDENTIFIER, "Only messages of this group.");
const SELECTOR: Parameter =
    query("selector", Shape::Text, "Only messages that an SQL-92 selector selects: `colour = 'red'`.");
const KEY: Parameter = header(
    "Idempotency-Key",
    Shape::Pattern("^[\\x21-\\x7e]{1,255}$"),
    "The same request with the same key again gets the first answer and does nothing.",
);

const LOCK: Parameter = query(
    "lock",
    Shape::Pattern(LOCK_DURATION),
    "How long each delivery is hidden from others: `60s`, at most 12 hours. Default 30 seconds.",
);
const IN_FLIGHT: Parameter =
    query("max", Shape::Number(1, 1000), "Most deliveries of the stream that are open at once. Default 10.");
const FOLLOW: Parameter = query("browse", FLAG, "Messages are shown and stay on the queue.");
const BOOKMARK: Parameter = query(
    "cursor",
    Shape::Pattern("^([0-9a-f]{1,2}-[0-9a-f]{1,15}|f[0-9a-f.~-]*)$"),
    "With `browse`: behind what a page of a browse, or another stream, has shown.",
);
const SUBSCRIPTION: Parameter = query(
    "subscription",
    Shape::Text,
    "Name of a durable subscription, which is made when it is not there. Without it the subscription ends with the stream.",
);
const HEARTBEAT: Parameter = query(
    "heartbeat",
    Shape::Pattern("^([1-9][0-9]?s|[1-5]m)$"),
    "How often a stream without messages says that it lives: 1 second to 5 minutes. Default 15 seconds.",
);
const LAST_EVENT_ID: Parameter = header(
    "Last-Event-ID",
    Shape::Text,
    "With `browse`: the id of the last event that came; the stream goes on behind it.",
);

const STREAMED: &[Success] = &[success(
    200,
    "A message a line, or server-sent events where Accept has `text/event-stream`",
    Content::Text("application/x-ndjson"),
)];
const PLACED: &[Success] = &[
    success(201, "The message is on the queue, durable if it is persistent", Content::Json("Placed")),
    success(200, "Of a batch: an answer for each line, in order", Content::Text("application/x-ndjson")),
];
const MESSAGES: &[Success] = &[success(200, "The messages", Content::Json("Messages"))];
const TAKEN: &[Success] = &[
    success(200, "The message, or the list of messages", Content::Any),
    success(204, "No message matches", Content::Nothing),
];
const EXCHANGED: &[Success] = &[success(200, "The reply", Content::Any)];
const BROWSED: &[Success] = &[success(200, "The messages", Content::Json("Browsed"))];
const DATA: &[Success] = &[success(200, "The data", Content::Any)];
const SETTLED: &[Success] = &[success(200, "Settled, or locked longer", Content::Json("Settled"))];
const SETTLED_MANY: &[Success] = &[success(200, "What became of each, in order", Content::Json("SettledMany"))];
const TRANSACTED: &[Success] = &[success(200, "All of it is done", Content::Json("Transacted"))];
const JOB: &[Success] = &[success(200, "The job", Content::Json("Job"))];
const JOB_CANCELLED: &[Success] = &[success(202, "The job ends soon, unless it was over", Content::Json("Job"))];
const JOB_STARTED: &[Success] =
    &[Success { headers: &[("Location", "Path of the job.")], ..success(202, "The job runs", Content::Json("Job")) }];
const JOBS: &[Success] = &[success(200, "The jobs", Content::Json("Jobs"))];
const EXPORTED: &[Success] = &[success(200, "An envelope a line", Content::Text("application/x-ndjson"))];
const IMPORTED: &[Success] = &[success(
    200,
    "A line for each line that was refused, and a line with the counts after each unit of work",
    Content::Text("application/x-ndjson"),
)];
const COPYBOOKS: &[Success] = &[success(200, "The copybooks", Content::Json("Copybooks"))];
const COPYBOOK_SHOWN: &[Success] = &[success(200, "The copybook", Content::Json("Copybook"))];
const SHOWN: &[Success] = &[success(200, "The message", Content::Json("Message"))];

const SERIES: Parameter = query(
    "series",
    Shape::Pattern(
        "^(qmgr/(depth|puts|gets|connections|openUnits|logBytes|logSyncs)|queue/[A-Za-z0-9./_%]{1,48}/(depth|puts|gets)\
         |channel/[A-Za-z0-9./_%]{1,20}/(instances|conversations|messages|bytesSent|bytesReceived))$",
    ),
    "A figure: `qmgr/puts`, `queue/ORDERS/depth`, `channel/DEV.APP.SVRCONN/instances`. May be given 50 times. Default: puts, gets, depth and connections of the queue manager.",
);
const FROM: Parameter = query("from", Shape::Pattern(MOMENT), "Begin of the chart. Default: an hour before `to`.");
const TO: Parameter = query("to", Shape::Pattern(MOMENT), "End of the chart. Default: now.");
const POINTS: Parameter = query("points", Shape::Number(1, 2000), "Most points of a series. Default 360.");
pub(super) const MOMENT: &str =
    "^20[2-9][0-9]-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z$";
const READ_BEFORE: Parameter = header(
    "Last-Event-ID",
    Shape::Pattern("^[0-9a-f]{32}-[0-9a-f]{1,16}-[0-9a-f]{1,16}$"),
    "The `id` that was read last: the stream goes on behind it.",
);
const CHARTED: &[Success] = &[success(200, "The points", Content::Json("Chart"))];
const LIVE: &[Success] = &[success(200, "Events, without end", Content::Text("text/event-stream"))];
const WATCHED: &[Success] = &[success(200, "What is shown", Content::Json("Watched"))];

pub(super) fn details(handler: ApiHandler) -> Details {
    let described = match handler {
        ApiHandler::PutMessages => Details {
            parameters: &[ENVELOPE, ATOMIC, KEY],
            body: Some(Body::AnyMessage),
            ..plain(MESSAGE_API, PUT_HELP, PLACED)
        },
        ApiHandler::PublishMessages => Details {
            parameters: &[ENVELOPE, ATOMIC, RETAIN, KEY],
            body: Some(Body::AnyMessage),
            ..plain(MESSAGE_API, PUT_HELP, PLACED)
        },
        ApiHandler::ExchangeMessages => Details {
            parameters: &[REPLY_WAIT, REPLY_QUEUE, CORRELATION, LATE, ENVELOPE, BODY, COPYBOOK, KEY],
            body: Some(Body::AnyMessage),
            ..plain(
                MESSAGE_API,
                "The body is that of a put. The answer is the data of the reply, described by `mq-` headers. 504: no reply came in time.",
                EXCHANGED,
            )
        },
        ApiHandler::TakeMessages => Details {
            parameters: &[WAIT, MAX, ENVELOPE, BODY, COPYBOOK, ID, CORRELATION_ID, GROUP_ID, SELECTOR],
            ..plain(
                MESSAGE_API,
                "The messages are off the queue before the answer: a broken connection loses them. Without `max`, the answer is \
                 the data of one message, described by `mq-` headers.",
                TAKEN,
            )
        },
        ApiHandler::BrowseMessages => Details {
            parameters: &[
                LIMIT,
                CURSOR,
                BEFORE,
                CONTAINS,
                MIN_LENGTH,
                MAX_LENGTH,
                BODY,
                COPYBOOK,
                ID,
                CORRELATION_ID,
                GROUP_ID,
                SELECTOR,
            ],
            ..plain(MESSAGE_API, "With `cursor` in the answer there is more. Bodies are previews by default.", BROWSED)
        },
        ApiHandler::ShowMessage => Details { parameters: &[BODY, COPYBOOK], ..plain(MESSAGE_API, "", SHOWN) },
        ApiHandler::TakeMessage => Details { parameters: &[BODY, COPYBOOK], ..plain(MESSAGE_API, "", SHOWN) },
        ApiHandler::ShowMessageBody => Details {
            parameters: &[OFFSET, LENGTH, PART_CCSID],
            ..plain(MESSAGE_API, "With its content type. A part of it comes as bytes, or as text of a CCSID.", DATA)
        },
        ApiHandler::ReceiveMessages => Details {
            body: Some(Body::Json("Receive")),
            ..plain(
                MESSAGE_API,
                "Each message is hidden from others until its lock runs out. Complete it, or it returns to the queue with a \
                 raised backout count.",
                MESSAGES,
            )
        },
        ApiHandler::SettleDelivery => Details {
            body: Some(Body::OptionalJson("Settle")),
            ..plain(MESSAGE_API, "The same settlement may be repeated.", SETTLED)
        },
        ApiHandler::SettleDeliveries => Details {
            body: Some(Body::Json("SettleMany")),
            ..plain(MESSAGE_API, "Each counts by itself.", SETTLED_MANY)
        },
        ApiHandler::RunTransaction => Details {
            parameters: &[KEY],
            body: Some(Body::Json("Transaction")),
            ..plain(MESSAGE_API, "One unit of work. Receive, work, answer is exactly once with it.", TRANSACTED)
        },
        ApiHandler::StartJob => {
            Details { body: Some(Body::Json("NewJob")), ..plain(MESSAGE_API, JOB_HELP, JOB_STARTED) }
        }
        ApiHandler::ListJobs => Details {
            parameters: &[LIMIT_OF_JOBS, JOB_CURSOR],
            ..plain(MESSAGE_API, "Those of the user; an administrator sees all.", JOBS)
        },
        ApiHandler::ShowJob => {
            plain(MESSAGE_API, "The counts are those of what is committed, after a restart too.", JOB)
        }
        ApiHandler::CancelJob => plain(MESSAGE_API, "What the job has done before stays done.", JOB_CANCELLED),
        ApiHandler::UndoJob => {
            Details { body: Some(Body::OptionalJson("Undo")), ..plain(MESSAGE_API, UNDO_HELP, JOB_STARTED) }
        }
        ApiHandler::ExportMessages => Details {
            parameters: &[
                MOST_EXPORTED,
                POSITIONS,
                CONTAINS,
                MIN_LENGTH,
                MAX_LENGTH,
                ID,
                CORRELATION_ID,
                GROUP_ID,
                SELECTOR,
            ],
            ..plain(
                MESSAGE_API,
                "The messages stay on the queue. Each line has the whole descriptor and the body as it is.",
                EXPORTED,
            )
        },
        ApiHandler::ImportMessages => Details {
            parameters: &[CONTEXT],
            body: Some(Body::AnyMessage),
            ..plain(MESSAGE_API, "Puts the lines of an export, 100 at most in one unit of work.", IMPORTED)
        },
        ApiHandler::WhyRefused | ApiHandler::WhyDeadLetter | ApiHandler::WhyChannel | ApiHandler::WhyGet => {
            why::details(handler)
        }
        ApiHandler::Push(handler) => push::details(handler),
        ApiHandler::Test(handler) => test_control::details(handler),
        ApiHandler::StreamQueue => Details {
            parameters: &[
                LOCK,
                IN_FLIGHT,
                FOLLOW,
                BOOKMARK,
                LAST_EVENT_ID,
                HEARTBEAT,
                BODY,
                COPYBOOK,
                ID,
                CORRELATION_ID,
                GROUP_ID,
                SELECTOR,
            ],
            ..plain(MESSAGE_API, STREAM_HELP, STREAMED)
        },
        ApiHandler::StreamTopic => Details {
            parameters: &[
                SUBSCRIPTION,
                LOCK,
                IN_FLIGHT,
                HEARTBEAT,
                BODY,
                COPYBOOK,
                ID,
                CORRELATION_ID,
                GROUP_ID,
                SELECTOR,
            ],
            ..plain(MESSAGE_API, STREAM_HELP, STREAMED)
        },
        ApiHandler::ShowHistory => Details {
            parameters: &[SERIES, FROM, TO, POINTS],
            ..plain(
                MESSAGE_API,
                "`null` where nothing is known. `min` and `max` are those of the samples of a point.",
                CHARTED,
            )
        },
        ApiHandler::Show(list) => lists::details(list),
        ApiHandler::OpenLiveStream => Details {
            parameters: &[READ_BEFORE],
            ..plain(MESSAGE_API, "The first event, `stream`, has the identifier that says what to watch.", LIVE)
        },
        ApiHandler::WatchLiveStream => Details {
            body: Some(Body::Json("Watch")),
            ..plain(MESSAGE_API, "Replaces what the stream has watched before.", WATCHED)
        },
        ApiHandler::ShowGroup => group::DETAILS,
        ApiHandler::ListChanges
        | ApiHandler::ShowActivity
        | ApiHandler::ListProblems
        | ApiHandler::MuteProblem
        | ApiHandler::UnmuteProblem => problems::details(handler),
        ApiHandler::ListCopybooks => Details {
            parameters: &[LIMIT_OF_COPYBOOKS, COPYBOOK_CURSOR],
            ..plain(MESSAGE_API, "Those of deployed services, and those of the folder `copybooks`.", COPYBOOKS)
        },
        ApiHandler::ShowCopybook => {
            plain(MESSAGE_API, "Its fields with their places, and the JSON schema of its records.", COPYBOOK_SHOWN)
        }
    };
    Details { extension: true, ..described }
}

const JOB_HELP: &str = "Works on the messages that are on the queue when it begins, 100 at most in one unit of work. Identifiers, context, \
    persistence, priority and expiry are kept. Keeping the context needs the authority passall on the other queue, and setall for a \
    copy; `\"context\": \"new\"` needs neither. `replay` takes the dead-letter header off. `dryRun` counts only.";

const UNDO_HELP: &str = "Another job, with the action `undo`. Messages that the job has moved or replayed and that are still where it put them \
    go back as they were, with their dead-letter headers. Copies are removed. What a program has taken, or holds in a unit of work, \
    is counted as `gone`.";

const STREAM_HELP: &str = "Goes on until the client ends it. Each message of a delivery has a `token`: settle it as others. The next one comes when \
    one has been settled or its lock has run out. The last event is `error` with a problem, which says why the stream ends.";

const PUT_HELP: &str = "Any media type. Text, JSON and XML become MQSTR, everything else keeps its bytes without a format. Headers \
    beginning with `mq-` set what an envelope has as members. A batch is `application/x-ndjson` with an envelope a line.";

pub(super) const PROBLEM: Details =
    Details { extension: true, ..plain(MESSAGE_API, "", &[success(200, "The page", Content::Text("text/html"))]) };

/// Component schemas.
pub(super) fn schemas() -> Vec<(&'static str, Value)> {
    let text = || json!({ "type": "string" });
    let identifier = || json!({ "type": "string", "pattern": "^[0-9A-Fa-f]{48}$" });
    let token = || json!({ "type": "string", "pattern": "^[0-9a-f]{32}$" });
    let duration =
        |pattern: &str| json!({ "type": "string", "pattern": pattern, "examples": ["30s", "250ms", "PT30S"] });
    let queue = || json!({ "type": "string", "pattern": "^[A-Za-z0-9./_%]{1,48}$" });
    let message = json!({
        "type": "object",
        "properties": {
            "id": identifier(), "correlationId": identifier(), "groupId": identifier(),
            "type": { "type": "string", "pattern": "^(datagram|request|reply|report|[0-9]{1,9})$" },
            "format": { "type": "string", "pattern": "^[A-Z0-9]{0,8}$" },
            "ccsid": { "type": "integer" }, "encoding": { "type": "integer" },
            "priority": { "type": "integer", "minimum": 0, "maximum": 9 },
            "persistence": { "type": "string", "enum": ["persistent", "nonPersistent", "asQueue"] },
            "expiry": duration(ANY_DURATION), "expiresAt": { "type": "string", "format": "date-time" },
            "delay": duration(ANY_DURATION), "deliverAt": { "type": "string", "format": "date-time" },
            "replyTo": {
                "type": "object", "required": ["queue"], "properties": { "queue": queue(), "qmgr": queue() }
            },
            "report": { "type": "array", "items": text() },
            "contentType": text(), "properties": { "type": "object" }, "headers": headers(),
            "body": { "oneOf": [
                {
                    "type": "object", "maxProperties": 1, "additionalProperties": false,
                    "properties": { "text": text(), "json": {}, "base64": text(), "raw": text() }
                },
                {
                    "type": "object", "required": ["copybook", "record"], "additionalProperties": false,
                    "properties": { "copybook": text(), "record": { "type": "object" } }
                }
            ] }
        },
        "examples": [{ "persistence": "persistent", "body": { "json": { "order": 17 } } }]
    });
    let reason = || json!({ "type": "integer", "minimum": i32::MIN, "maximum": i32::MAX });
    let reference = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    vec![
        ("Message", message),
        (
            "Messages",
            json!({
                "type": "object", "required": ["messages"],
                "properties": { "messages": { "type": "array", "items": reference("Message") }, "cursor": text() }
            }),
        ),
        (
            "Browsed",
            json!({
                "type": "object", "required": ["messages", "lookedAt"],
                "properties": {
                    "messages": { "type": "array", "items": reference("Message") }, "cursor": text(), "previous": text(),
                    "lookedAt": { "type": "integer", "minimum": 0 }
                }
            }),
        ),
        (
            "Placed",
            json!({ "type": "object", "required": ["id"], "properties": { "id": identifier(), "position": text() } }),
        ),
        (
            "Receive",
            json!({
                "type": "object",
                "properties": {
                    "max": { "type": "integer", "minimum": 1, "maximum": 1000 },
                    "wait": duration(WAIT_DURATION), "lock": duration(LOCK_DURATION),
                    "body": { "type": "string", "enum": ["auto", "text", "base64", "raw", "preview", "none"] },
                    "copybook": text(),
                    "match": {
                        "type": "object",
                        "properties": {
                            "id": identifier(), "correlationId": identifier(), "groupId": identifier(), "selector": text()
                        }
                    }
                },
                "examples": [{ "max": 10, "wait": "5s", "lock": "60s" }]
            }),
        ),
        ("Settle", json!({ "type": "object", "properties": { "lock": duration(LOCK_DURATION), "reason": reason() } })),
        (
            "SettleMany",
            json!({
                "type": "object", "required": ["settle"],
                "properties": { "settle": { "type": "array", "maxItems": 1000, "items": {
                    "type": "object", "required": ["token", "action"],
                    "properties": {
                        "token": token(),
                        "action": { "type": "string", "enum": ["complete", "abandon", "renew", "dead-letter"] },
                        "lock": duration(LOCK_DURATION), "reason": reason()
                    }
                } } }
            }),
        ),
        (
            "Settled",
            json!({ "type": "object", "required": ["token"], "properties": { "token": token(), "lockedUntil": text() } }),
        ),
        (
            "SettledMany",
            json!({
                "type": "object", "required": ["settled"],
                "properties": { "settled": { "type": "array", "items": { "type": "object" } } }
            }),
        ),
        (
            "Transaction",
            json!({
                "type": "object",
                "properties": {
                    "complete": { "type": "array", "items": token() },
                    "put": { "type": "array", "items": {
                        "type": "object", "required": ["queue", "message"],
                        "properties": { "queue": queue(), "message": reference("Message") }
                    } },
                    "publish": { "type": "array", "items": {
                        "type": "object", "required": ["topic", "message"],
                        "properties": { "topic": text(), "message": reference("Message"), "retain": { "type": "boolean" } }
                    } }
                }
            }),
        ),
        (
            "Transacted",
            json!({
                "type": "object", "required": ["messages"],
                "properties": { "messages": { "type": "array", "items": {
                    "type": "object", "required": ["id"], "properties": { "id": identifier() }
                } } }
            }),
        ),
        ("Chart", chart()),
        ("Watch", watch()),
        ("Watched", watched()),
        ("Copybook", copybook()),
        (
            "Copybooks",
            json!({
                "type": "object", "required": ["copybooks"],
                "properties": { "copybooks": { "type": "array", "items": reference("Copybook") }, "cursor": text() }
            }),
        ),
        ("NewJob", new_job()),
        (
            "Undo",
            json!({
                "type": "object",
                "properties": {
                    "dryRun": { "type": "boolean" }, "context": { "type": "string", "enum": ["keep", "new"] }
                }
            }),
        ),
        ("Job", job()),
        (
            "Jobs",
            json!({
                "type": "object", "required": ["jobs"],
                "properties": { "jobs": { "type": "array", "items": reference("Job") }, "cursor": text() }
            }),
        ),
        (
            "Problem",
            json!({
                "type": "object", "required": ["type", "title", "status", "detail"],
                "properties": {
                    "type": text(), "title": text(), "status": { "type": "integer" }, "detail": text(), "hint": text(),
                    "reason": {
                        "type": "object", "required": ["code"],
                        "properties": { "code": { "type": "integer" }, "name": { "type": ["string", "null"] } }
                    },
                    "line": { "type": "integer" }, "signIn": reference("SignIn")
                }
            }),
        ),
    ]
}

fn chart() -> Value {
    let text = || json!({ "type": "string" });
    let numbers = || json!({ "type": "array", "maxItems": 2000, "items": { "type": ["number", "null"] } });
    json!({
        "type": "object", "required": ["from", "step", "series"],
        "properties": {
            "from": { "type": "string", "format": "date-time" }, "step": text(),
            "series": { "type": "array", "maxItems": 50, "items": {
                "type": "object", "required": ["name", "unit", "since", "values", "min", "max"],
                "properties": {
                    "name": text(), "unit": text(), "since": { "type": ["string", "null"] },
                    "values": numbers(), "min": numbers(), "max": numbers()
                }
            } }
        }
    })
}

fn watch() -> Value {
    let name = || json!({ "type": "string", "pattern": "^[A-Za-z0-9./_%]{1,48}$" });
    json!({
        "type": "object", "additionalProperties": false,
        "properties": {
            "queues": { "type": "array", "maxItems": 20, "items": {
                "type": "object", "required": ["qmgr", "names"], "additionalProperties": false,
                "properties": { "qmgr": name(), "names": { "type": "array", "maxItems": 25, "items": name() } }
            } },
            "jobs": { "type": "boolean" }, "qmgrs": { "type": "boolean" }, "events": { "type": "boolean" },
            "problems": { "type": "boolean" },
            "log": { "type": "boolean", "description": "Lines of the server's log; for MQWebAdmin and MQWebAdminRO." }
        },
        "examples": [{ "queues": [{ "qmgr": "QM1", "names": ["DEV.QUEUE.1"] }], "jobs": true }]
    })
}

fn watched() -> Value {
    json!({
        "type": "object", "required": ["queues", "unknown"],
        "properties": {
            "queues": { "type": "integer", "minimum": 0 },
            "unknown": { "type": "array", "items": {
                "type": "object", "required": ["qmgr", "name"],
                "properties": { "qmgr": { "type": "string" }, "name": { "type": "string" } }
            } }
        }
    })
}

fn headers() -> Value {
    let structures = ["MQDLH", "MQXQH", "MQMDE", "MQRFH2", "MQIIH", "MQCIH"];
    json!({
        "type": "array", "maxItems": 16,
        "items": {
            "type": "object", "required": ["structure"],
            "properties": { "structure": { "type": "string", "enum": structures } }
        }
    })
}

fn copybook() -> Value {
    let text = || json!({ "type": "string" });
    let count = || json!({ "type": "integer", "minimum": 0 });
    json!({
        "type": "object", "required": ["name", "from"],
        "properties": {
            "name": text(), "from": { "type": "string", "enum": ["service", "folder"] },
            "length": count(), "minimumLength": count(), "ccsid": count(), "encoding": count(), "problem": text(),
            "fields": { "type": "array", "items": {
                "type": "object", "required": ["path", "level", "offset", "length", "usage"],
                "properties": {
                    "path": text(), "level": count(), "offset": count(), "length": count(), "usage": text(),
                    "picture": text(), "redefines": text(), "occurs": count(), "minimumOccurs": count(),
                    "dependingOn": text()
                }
            } },
            "schema": { "type": "object" }
        }
    })
}

fn new_job() -> Value {
    let text = || json!({ "type": "string" });
    let identifier = || json!({ "type": "string", "pattern": "^[0-9A-Fa-f]{48}$" });
    json!({
        "type": "object", "required": ["action"],
        "properties": {
            "action": { "type": "string", "enum": ["move", "copy", "purge", "replay"] },
            "match": {
                "type": "object",
                "properties": {
                    "id": identifier(), "correlationId": identifier(), "groupId": identifier(), "selector": text()
                }
            },
            "contains": text(),
            "minLength": { "type": "integer", "minimum": 0 }, "maxLength": { "type": "integer", "minimum": 0 },
            "positions": { "type": "array", "minItems": 1, "maxItems": 1000, "items": text() },
            "ids": { "type": "array", "minItems": 1, "maxItems": 1000, "items": identifier() },
            "deadLetter": {
                "type": "object",
                "properties": {
                    "reason": { "type": ["integer", "null"] }, "queue": text(), "user": text(), "application": text()
                }
            },
            "before": text(),
            "limit": { "type": "integer", "minimum": 1 },
            "to": { "type": "object", "required": ["queue"], "properties": { "queue": text() } },
            "dryRun": { "type": "boolean" },
            "context": { "type": "string", "enum": ["keep", "new"] }
        },
        "examples": [{ "action": "move", "to": { "queue": "ORDERS.LATER" }, "limit": 1000 }]
    })
}

fn job() -> Value {
    let text = || json!({ "type": "string" });
    let count = || json!({ "type": "integer", "minimum": 0 });
    let moment = || json!({ "type": "string", "format": "date-time" });
    json!({
        "type": "object", "required": ["id", "action", "qmgr", "queue", "dryRun", "user", "state", "counts", "startedAt", "undo"],
        "properties": {
            "id": text(), "action": { "type": "string", "enum": ["move", "copy", "purge", "replay", "undo"] }, "qmgr": text(), "queue": text(), "dryRun": { "type": "boolean" }, "user": text(),
            "to": { "type": "object", "properties": { "queue": text() } },
            "of": text(), "from": { "type": "object", "properties": { "queue": text() } },
            "undo": { "type": "boolean" }, "undoProblem": text(),
            "state": { "type": "string", "enum": ["running", "done", "failed", "cancelled", "interrupted"] },
            "counts": {
                "type": "object", "required": ["seen", "done", "failed", "gone"],
                "properties": { "seen": count(), "done": count(), "failed": count(), "gone": count() }
            },
            "bytes": count(), "before": text(),
            "sample": {
                "type": "object", "required": ["positions", "targets"],
                "properties": {
                    "oldest": { "type": ["string", "null"] }, "newest": { "type": ["string", "null"] },
                    "positions": { "type": "array", "maxItems": 5, "items": text() },
                    "targets": {
                        "type": "array", "maxItems": 20,
                        "items": {
                            "type": "object", "required": ["queue", "count"],
                            "properties": { "queue": text(), "count": count() }
                        }
                    }
                }
            },
            "errors": { "type": "array", "maxItems": 10, "items": { "type": "object" } },
            "reason": { "type": "object" },
            "startedAt": moment(), "endedAt": moment()
        }
    })
}
