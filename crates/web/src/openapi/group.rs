//! The resource of the queue-sharing group, as the documents describe it.

use serde_json::{Value, json};

use crate::openapi::details::{CONSOLE, Content, Details, Success, plain, success};

const GROUP: &[Success] = &[success(200, "The group", Content::Json("Group"))];

pub(super) const DETAILS: Details = plain(
    CONSOLE,
    "Members and structures are those that this member knows. Databases are looked at every 15 seconds. `checks` are those of `quaymaster \
     doctor`; what is not fine comes with what to do.",
    GROUP,
);

/// Component schemas.
pub(super) fn schemas() -> Vec<(&'static str, Value)> {
    vec![
        ("Group", group()),
        ("GroupMember", member()),
        ("GroupDatabase", database()),
        ("GroupStructure", structure()),
        ("GroupCheck", check()),
    ]
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn flag() -> Value {
    json!({ "type": "boolean" })
}

fn count() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

fn moment() -> Value {
    json!({ "type": "string", "format": "date-time" })
}

/// `null` where it is not known.
fn perhaps(kind: &str, description: &str) -> Value {
    json!({ "type": [kind, "null"], "description": description })
}

fn list(schema: &str) -> Value {
    json!({ "type": "array", "items": { "$ref": format!("#/components/schemas/{schema}") } })
}

fn object(properties: Value) -> Value {
    let required: Vec<&String> = properties.as_object().into_iter().flat_map(|members| members.keys()).collect();
    json!({ "type": "object", "required": required, "properties": properties })
}

fn group() -> Value {
    let kinds = || object(json!({ "wait": count(), "arrival": count(), "depth": count(), "request": count() }));
    let mut hints = object(json!({ "sent": kinds(), "received": kinds(), "refused": count() }));
    hints["type"] = json!(["object", "null"]);
    object(json!({
        "at": moment(),
        "name": text(),
        "member": text(),
        "number": perhaps("integer", "Of this member. `null`: it has not joined yet."),
        "epoch": perhaps("integer", "Of this member."),
        "hasDatabase": { "type": "boolean", "description": "`false`: the group lives in this process alone." },
        "schemaVersion": perhaps("integer", "Of the tables. `null`: the home does not answer."),
        "supportedVersion": perhaps("integer", "That this program makes."),
        "members": list("GroupMember"),
        "databases": list("GroupDatabase"),
        "structures": list("GroupStructure"),
        "hints": hints,
        "checks": list("GroupCheck"),
    }))
}

fn member() -> Value {
    let mut recovery = object(json!({ "by": text(), "at": moment(), "messages": count() }));
    recovery["type"] = json!(["object", "null"]);
    recovery["description"] = json!("The last time that its work was ended. `by` is empty: an operator has done it.");
    object(json!({
        "name": text(),
        "number": count(),
        "state": { "type": "string", "enum": ["ACTIVE", "INACTIVE", "RECOVERING", "FAILED"] },
        "isSelf": flag(),
        "epoch": count(),
        "secondsSinceBeat": perhaps("number", "`null`: it shows no life."),
        "secondsWatched": { "type": "number", "description": "How long it has been silent." },
        "isHeard": { "type": "boolean", "description": "`false`: its datagrams do not arrive here." },
        "address": text(),
        "host": text(),
        "version": text(),
        "schemaVersion": { "type": "integer", "description": "The version of the tables that its program knows." },
        "claims": count(),
        "unitsInDoubt": count(),
        "messagesInDoubt": count(),
        "recovery": recovery,
    }))
}

fn database() -> Value {
    let host = object(json!({
        "name": text(),
        "role": { "type": "string", "enum": ["primary", "standby", "away"] },
        "why": perhaps("string", "Why it does not answer."),
    }));
    let standby = object(json!({
        "name": text(), "state": perhaps("string", ""), "synchronous": perhaps("string", ""),
        "behindBytes": perhaps("integer", "Of the write-ahead log."),
    }));
    let holder = object(json!({
        "kind": text(), "pid": perhaps("integer", ""), "name": text(), "user": perhaps("string", ""),
        "state": perhaps("string", ""), "seconds": perhaps("integer", "`null` of a replication slot."),
    }));
    object(json!({
        "structure": perhaps("string", "`null`: the home of the group."),
        "isReached": flag(),
        "trouble": perhaps("string", "Why it does not answer."),
        "secondsSinceLook": perhaps("number", "`null`: it was not looked at yet."),
        "roundTripMilliseconds": perhaps("number", "Of the last exchange that waits for no disk."),
        "commitMilliseconds": perhaps("number", "Mean time of a batch whose commit waits for disk and standby."),
        "batches": count(),
        "operations": count(),
        "unknownOutcomes": count(),
        "connects": count(),
        "recoveries": { "type": "integer", "minimum": 0, "description": "Peers whose work this member has ended there." },
        "recoveredMessages": count(),
        "engine": text(),
        "version": text(),
        "host": text(),
        "timeline": count(),
        "isEncrypted": perhaps("boolean", ""),
        "hosts": { "type": "array", "items": host },
        "synchronousStandbyNames": perhaps("string", ""),
        "standbys": { "type": "array", "items": standby },
        "deadRows": perhaps("integer", ""),
        "liveRows": perhaps("integer", ""),
        "secondsSinceVacuum": perhaps("integer", ""),
        "holders": { "type": "array", "description": "What keeps dead rows, the oldest first.", "items": holder },
    }))
}

fn structure() -> Value {
    object(json!({
        "name": text(),
        "description": text(),
        "recover": flag(),
        "onLoss": { "type": "string", "enum": ["TERMINATE", "TOLERATE", "ASQMGR"] },
        "hasDatabase": { "type": "boolean", "description": "It has a database of its own; else its queues are in the home." },
        "queues": count(),
        "messages": count(),
        "bytes": count(),
    }))
}

fn check() -> Value {
    object(json!({
        "subject": text(),
        "about": { "type": "string", "description": "A member, a host, a structure, or empty." },
        "verdict": { "type": "string", "enum": ["ok", "warning", "error"] },
        "text": text(),
    }))
}
