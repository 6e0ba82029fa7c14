//! Component schemas: the JSON bodies that requests and answers have.

use model::definition::attribute::Kind;
use serde_json::{Value, json};

use crate::openapi::{attributes, console, group, lists, message_api, problems, push, why};

pub(super) fn all() -> Value {
    let mut all = of_products();
    let of_messages = message_api::schemas().into_iter().chain(why::schemas()).chain(push::schemas());
    let own = of_messages
        .chain(console::schemas())
        .chain(lists::schemas())
        .chain(problems::schemas())
        .chain(group::schemas());
    for (name, schema) in own {
        all[name] = schema;
    }
    all
}

fn of_products() -> Value {
    json!({
        "Error": error(),
        "ServiceError": {
            "type": "object",
            "required": ["errorMessage"],
            "properties": { "errorMessage": { "type": "string" }, "errorDetails": { "type": "string" } }
        },
        "Login": {
            "type": "object",
            "required": ["username", "password"],
            "properties": { "username": { "type": "string" }, "password": { "type": "string", "format": "password" } },
            "example": { "username": "app", "password": "" }
        },
        "LoggedIn": logged_in(),
        "MessageList": message_list(),
        "Mqsc": { "oneOf": [
            { "$ref": "#/components/schemas/MqscText" }, { "$ref": "#/components/schemas/MqscWords" }
        ] },
        "MqscText": mqsc_text(),
        "MqscWords": mqsc_words(),
        "MqscReply": mqsc_reply(),
        "Installations": list("installation", json!({ "type": "object", "required": ["name", "platform", "version"] })),
        "QueueManagers": list("qmgr", json!({ "type": "object", "required": ["name"] })),
        "Queues": list("queue", attributes::of(&Kind::QUEUES, false)),
        "Channels": list("channel", attributes::of(crate::admin::channel::TYPES, false)),
        "Subscriptions": list("subscription", attributes::of(&[Kind::Subscription], false)),
        "NewQueue": new_queue(),
        "QueueChange": attributes::of(&Kind::QUEUES, true),
    })
}

/// An object whose only member is an array.
fn list(name: &str, element: Value) -> Value {
    json!({
        "type": "object",
        "required": [name],
        "properties": { name: { "type": "array", "items": element } }
    })
}

fn new_queue() -> Value {
    let mut schema = attributes::of(&Kind::QUEUES, true);
    schema["required"] = json!(["name"]);
    schema["properties"]["name"] = json!({ "type": "string", "pattern": "^[A-Za-z0-9._/%]{1,48}$" });
    schema["example"] = json!({ "name": "A.QUEUE", "storage": { "maximumDepth": 10000 } });
    schema
}

fn error() -> Value {
    let text = json!({ "type": "string" });
    let number = json!({ "type": "integer" });
    json!({
        "type": "object",
        "required": ["error"],
        "properties": { "error": { "type": "array", "minItems": 1, "items": {
            "type": "object",
            "required": ["msgId", "action", "completionCode", "reasonCode", "type", "message", "explanation"],
            "properties": {
                "msgId": { "type": "string", "pattern": "^MQWB[0-9]{4}[EIW]$" },
                "action": text, "completionCode": number, "reasonCode": number,
                "type": { "type": "string", "enum": ["rest", "pcf"] },
                "message": text, "explanation": text
            }
        } } }
    })
}

fn logged_in() -> Value {
    json!({
        "type": "object",
        "required": ["user"],
        "properties": { "user": { "type": "array", "items": {
            "type": "object",
            "required": ["name", "role"],
            "properties": {
                "name": { "type": "string" },
                "role": { "type": "array", "items": { "type": "string" } },
                "authenticationMechanism": { "type": "string" }
            }
        } } }
    })
}

fn message_list() -> Value {
    json!({
        "type": "object",
        "required": ["messages"],
        "properties": { "messages": { "type": "array", "items": {
            "type": "object",
            "required": ["format", "messageId"],
            "properties": {
                "messageId": { "type": "string" }, "correlationId": { "type": "string" }, "format": { "type": "string" }
            }
        } } }
    })
}

fn mqsc_text() -> Value {
    json!({
        "type": "object",
        "description": "A command as MQSC text.",
        "required": ["type", "parameters"],
        "additionalProperties": false,
        "properties": {
            "type": { "const": "runCommand" },
            "parameters": {
                "type": "object",
                "required": ["command"],
                "additionalProperties": false,
                "properties": { "command": {
                    "type": "string", "minLength": 1, "pattern": "^[A-Za-z]",
                    "description": "One command, such as `DISPLAY QLOCAL(*) CURDEPTH`."
                } }
            }
        },
        "example": { "type": "runCommand", "parameters": { "command": "DISPLAY QLOCAL(DEV.*) CURDEPTH" } }
    })
}

fn mqsc_words() -> Value {
    let value = json!({ "oneOf": [
        { "type": "string" }, { "type": "integer" }, { "type": "boolean" },
        { "type": "array", "items": { "type": "string" } }
    ] });
    let verbs = [
        "alter", "archive", "backup", "clear", "define", "delete", "display", "move", "ping", "purge", "recover",
        "refresh", "reset", "resolve", "resume", "rverify", "set", "start", "stop", "suspend",
    ];
    json!({
        "type": "object",
        "description": "A command in JSON. Verb, qualifier and keywords in any case, names as they are.",
        "required": ["type", "command", "qualifier"],
        "additionalProperties": false,
        "properties": {
            "type": { "const": "runCommandJSON" },
            "command": { "type": "string", "enum": verbs, "description": "The verb." },
            "qualifier": { "type": "string", "description": "The kind of object, such as `qlocal`.",
                "examples": ["qlocal", "queue", "qmgr", "channel", "topic", "sub", "chlauth", "authrec", "conn"] },
            "name": { "type": "string", "description": "The object; may end in `*` for display." },
            "parameters": { "type": "object", "additionalProperties": value,
                "description": "Keywords and their values. Keywords without a value take `yes` and `no`." },
            "responseParameters": { "type": "array", "items": { "type": "string" },
                "description": "Attributes to show; `all` for all. Display only." }
        },
        "example": { "type": "runCommandJSON", "command": "display", "qualifier": "qlocal", "name": "DEV.*",
            "responseParameters": ["curdepth", "descr"] }
    })
}

fn mqsc_reply() -> Value {
    let codes = json!({ "type": "integer" });
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    json!({
        "type": "object",
        "required": ["commandResponse", "overallCompletionCode", "overallReasonCode"],
        "properties": {
            "overallCompletionCode": { "type": "integer", "enum": [0, 1, 2] },
            "overallReasonCode": codes,
            "commandResponse": { "type": "array", "items": {
                "type": "object",
                "required": ["completionCode", "reasonCode"],
                "properties": {
                    "completionCode": { "type": "integer", "enum": [0, 1, 2] },
                    "reasonCode": codes,
                    "text": texts,
                    "message": texts,
                    "parameters": { "type": "object", "description": "What is shown of an object, by keyword." }
                }
            } }
        }
    })
}
