//! The console's page and the resources that it alone needs, as the documents describe them.

use serde_json::{Value, json};

use crate::openapi::details::{CONSOLE, Content, Details, Parameter, Shape, Success, plain, query, success};
use crate::routes::ConsoleHandler;

const KEPT: &[(&str, &str)] = &[("ETag", "What it is now."), ("Vary", "Accept-Encoding")];

pub(super) const PAGE: Details = Details {
    extension: true,
    ..plain(
        CONSOLE,
        "The same page for each address below `/ibmmq/console/` that is not an asset's.",
        &[Success { headers: KEPT, ..success(200, "The page", Content::Text("text/html")) }],
    )
};
pub(super) const BOOK: Details = Details {
    extension: true,
    ..plain(
        CONSOLE,
        "The pages of the manual, their style, script and search index: the same ones for everyone.",
        &[Success { headers: KEPT, ..success(200, "The page or file", Content::Any) }],
    )
};
pub(super) const ASSET: Details = Details {
    extension: true,
    ..plain(
        CONSOLE,
        "Its name changes with its bytes, so that it may be kept for ever.",
        &[Success { headers: KEPT, ..success(200, "The file", Content::Any) }],
    )
};
pub(super) const SIGN_IN: Details = Details {
    extension: true,
    ..plain(
        CONSOLE,
        "",
        &[Success {
            headers: &[("Location", "Where the form is.")],
            ..success(302, "See the page it leads to", Content::Nothing)
        }],
    )
};

const LEADS_ON: &[(&str, &str)] = &[
    ("Location", "The issuer, the page that was wanted, or the page for signing in with `problem` in its query."),
    ("Set-Cookie", "The cookie of the sign-in that has begun, or that of the session."),
];
const TO: Parameter = query("to", Shape::Text, "The page of the console that is wanted. Others are passed over.");
const STATE: Parameter = query("state", Shape::Text, "What this server gave the issuer.");
const CODE: Parameter = query("code", Shape::Text, "What becomes a token. It is used once.");
const ERROR: Parameter = query("error", Shape::Text, "Why there is no code.");
const ISS: Parameter = query("iss", Shape::Text, "The URL of the issuer.");

pub(super) const BEGIN_SIGN_IN: Details = Details {
    extension: true,
    parameters: &[TO],
    ..plain(
        CONSOLE,
        "For browsers: the authorization code flow with PKCE. `issuer` is a name of `[identity.oidc]` with a `client_id`.",
        &[Success { headers: LEADS_ON, ..success(303, "See the page it leads to", Content::Nothing) }],
    )
};
pub(super) const FINISH_SIGN_IN: Details = Details {
    extension: true,
    parameters: &[STATE, CODE, ERROR, ISS],
    ..plain(
        CONSOLE,
        "The redirect URI that is registered at the issuer. It counts once, in the browser that began, within ten minutes.",
        &[Success { headers: LEADS_ON, ..success(303, "See the page it leads to", Content::Nothing) }],
    )
};

const SESSION: &[Success] = &[success(200, "The user", Content::Json("Session"))];

const GRAMMAR: &[Success] = &[Success { headers: KEPT, ..success(200, "The commands", Content::Json("Grammar")) }];

const AFTER: Parameter = query(
    "after",
    Shape::Number(0, 1 << 53),
    "Only lines after this number, the oldest first. Without it: the last lines.",
);
const LEVEL: Parameter = query(
    "level",
    Shape::Words(&["error", "warn", "info", "debug", "trace"]),
    "Only lines of this level or a graver one. What the log leaves out is not kept.",
);
const LIMIT: Parameter = query("limit", Shape::Number(1, 1000), "Most lines of the answer. Default 200.");
const LOG: &[Success] = &[success(200, "The lines", Content::Json("Log"))];

const CARD: &[Success] = &[success(200, "The card", Content::Json("ConnectCard"))];

pub(super) fn details(handler: ConsoleHandler) -> Details {
    let described = match handler {
        ConsoleHandler::Session => plain(
            CONSOLE,
            "The problem of a 401 has `signIn`: the ways to sign in. What the roles open is in `may`; what may be done to an object, the \
             queue manager decides.",
            SESSION,
        ),
        ConsoleHandler::Grammar => plain(
            CONSOLE,
            "What an editor needs to complete a command. It changes with the program alone, which the ETag tells.",
            GRAMMAR,
        ),
        ConsoleHandler::Log => Details {
            parameters: &[AFTER, LEVEL, LIMIT],
            ..plain(
                CONSOLE,
                "Lines have the text and the fields that the log has. The last 4000 are kept, 4 MiB at most.",
                LOG,
            )
        },
        ConsoleHandler::ConnectCard => plain(
            CONSOLE,
            "For the user and the address of the request. `channels` are those that would let that user in.",
            CARD,
        ),
    };
    Details { extension: true, ..described }
}

/// Component schemas.
pub(super) fn schemas() -> Vec<(&'static str, Value)> {
    vec![
        ("Session", session()),
        ("SignIn", sign_in()),
        ("Grammar", grammar()),
        ("GrammarValue", grammar_value()),
        ("Log", log()),
        ("LogLine", log_line()),
        ("ConnectCard", connect_card()),
    ]
}

fn session() -> Value {
    let text = || json!({ "type": "string" });
    let moment = || json!({ "type": "string", "format": "date-time" });
    let flag = || json!({ "type": "boolean" });
    json!({
        "type": "object",
        "required": ["user", "method", "roles", "ends", "issuer", "version", "now", "may", "qmgrs"],
        "properties": {
            "user": text(),
            "method": {
                "type": "string", "enum": ["form", "basic", "clientCertificate", "bearer", "oidc", "noSecurity"],
                "description": "How the request was authenticated. `form`: by the cookie of the login resource. `oidc`: by that of a sign-in at \
                                an issuer."
            },
            "roles": { "type": "array", "items": {
                "type": "string", "enum": ["MQWebAdmin", "MQWebAdminRO", "MQWebUser", "MFTWebAdmin", "MFTWebAdminRO"]
            } },
            "ends": {
                "type": ["string", "null"], "format": "date-time",
                "description": "When cookie or token expire. `null`: the credentials count as long as they are sent."
            },
            "issuer": {
                "type": ["object", "null"], "required": ["name", "url"],
                "properties": { "name": { "type": ["string", "null"] }, "url": text() },
                "description": "Of the token, or of the sign-in at an issuer."
            },
            "version": { "type": "string", "description": "Of the server." },
            "now": moment(),
            "may": {
                "type": "object", "required": ["administer", "change", "messages"],
                "properties": { "administer": flag(), "change": flag(), "messages": flag() }
            },
            "qmgrs": { "type": "array", "items": {
                "type": "object", "required": ["name", "state", "isDefault", "group", "deadLetterQueue"],
                "properties": {
                    "name": text(),
                    "state": { "type": "string", "enum": crate::admin::queue_manager::STATES },
                    "isDefault": flag(),
                    "group": { "type": ["string", "null"], "description": "Its queue-sharing group. `null`: none, or not to be displayed." },
                    "deadLetterQueue": { "type": ["string", "null"], "description": "`null`: none, or not to be displayed." }
                }
            } }
        }
    })
}

/// The member `signIn` of a problem.
fn sign_in() -> Value {
    let text = || json!({ "type": "string" });
    json!({
        "type": "object",
        "required": ["form", "basic", "clientCertificate", "issuers", "httpsPort"],
        "properties": {
            "form": {
                "type": "object", "required": ["path", "isOpen"],
                "properties": {
                    "path": text(),
                    "isOpen": { "type": "boolean", "description": "`false`: the cookie is for HTTPS, and this is HTTP." }
                }
            },
            "basic": { "type": "boolean" },
            "clientCertificate": { "type": "boolean" },
            "issuers": { "type": "array", "items": {
                "type": "object", "required": ["name", "url", "title", "path", "endSession"],
                "properties": {
                    "name": text(),
                    "url": text(),
                    "title": { "type": ["string", "null"], "description": "The text of a button." },
                    "path": {
                        "type": ["string", "null"],
                        "description": "Where a browser signs in at the issuer; `null`: it does not."
                    },
                    "endSession": {
                        "type": ["string", "null"],
                        "description": "Where a browser signs out at the issuer; `null`: not known."
                    }
                }
            } },
            "httpsPort": { "type": ["integer", "null"] }
        }
    })
}

fn grammar() -> Value {
    let text = || json!({ "type": "string" });
    let texts = || json!({ "type": "array", "items": text() });
    let value = || json!({ "$ref": "#/components/schemas/GrammarValue" });
    let keyword = json!({
        "type": "object", "required": ["keyword"],
        "properties": {
            "keyword": text(),
            "operand": { "type": "string", "description": "What stands between its parentheses; without it, there are none." },
            "words": { "type": "array", "items": text(), "description": "The words that may stand there." }
        }
    });
    let command = json!({
        "type": "object", "required": ["verb", "parameters", "keywords", "help"],
        "properties": {
            "verb": text(), "parameters": text(), "keywords": { "type": "array", "items": keyword }, "help": text()
        }
    });
    let attribute = json!({
        "type": "object", "required": ["keyword", "value", "setBy", "help"],
        "properties": {
            "keyword": text(), "synonyms": texts(), "value": value(), "default": text(),
            "setBy": { "type": "array", "items": { "type": "string", "enum": ["DEFINE", "ALTER"] } },
            "types": {
                "type": "array", "items": text(),
                "description": "The types of the object that have it; without it, all have."
            },
            "help": text()
        }
    });
    let shown = json!({
        "type": "object", "required": ["keyword", "value"], "properties": { "keyword": text(), "value": value() }
    });
    let object = json!({
        "type": "object", "required": ["object", "synonyms", "commands"],
        "properties": {
            "object": text(), "synonyms": texts(), "commands": { "type": "array", "items": command },
            "typeKeyword": { "type": "string", "description": "Which keyword of DEFINE names the type: CHLTYPE." },
            "attributes": { "type": "array", "items": attribute },
            "shown": { "type": "array", "items": shown, "description": "What DISPLAY shows of it, where it is no definition." }
        }
    });
    json!({
        "type": "object", "required": ["verbs", "objects"],
        "properties": { "verbs": texts(), "objects": { "type": "array", "items": object } }
    })
}

fn grammar_value() -> Value {
    let number = || json!({ "type": "integer" });
    json!({
        "type": "object", "required": ["is"],
        "properties": {
            "is": { "type": "string", "enum": [
                "number", "word", "flag", "name", "text", "hexadecimal", "date", "time", "list", "names", "texts", "words",
                "secret"
            ] },
            "minimum": number(),
            "maximum": { "type": "integer", "description": "The greatest number, or the most bytes of a text." },
            "most": { "type": "integer", "description": "How many there may be." },
            "unit": { "type": "string" },
            "words": { "type": "array", "items": { "type": "string" } }
        }
    })
}

fn log() -> Value {
    let number = || json!({ "type": "integer", "minimum": 0 });
    let mut next = number();
    next["description"] = json!("What to send as `after` the next time.");
    let mut first = number();
    first["description"] = json!("The number of the first line that is kept; 0 when there is none.");
    json!({
        "type": "object", "required": ["lines", "next", "first"],
        "properties": {
            "lines": { "type": "array", "maxItems": 1000, "items": { "$ref": "#/components/schemas/LogLine" } },
            "next": next, "first": first
        }
    })
}

fn log_line() -> Value {
    json!({
        "type": "object", "required": ["number", "at", "level", "text", "fields"],
        "properties": {
            "number": { "type": "integer", "minimum": 1 },
            "at": { "type": "string", "format": "date-time" },
            "level": { "type": "string", "enum": ["error", "warn", "info", "debug", "trace"] },
            "text": { "type": "string" },
            "fields": { "type": "object" }
        }
    })
}

fn connect_card() -> Value {
    let text = || json!({ "type": "string" });
    let perhaps = |help: &str| json!({ "type": ["string", "null"], "description": help });
    let port = |help: &str| json!({ "type": ["integer", "null"], "description": help });
    json!({
        "type": "object",
        "required": [
            "qmgr", "user", "host", "httpPort", "httpsPort", "listeners", "channels", "certificateAuthority", "ccdt", "curl", "jms",
            "mqserver"
        ],
        "properties": {
            "qmgr": text(), "user": text(),
            "host": { "type": "string", "description": "As the client calls this server." },
            "httpPort": port("`null`: none, or none that the client reaches."),
            "httpsPort": port("`null`: none."),
            "listeners": { "type": "array", "items": {
                "type": "object", "required": ["name", "port", "tls"],
                "properties": {
                    "name": { "type": "string", "description": "Of the listener; `server.mq`: the server's own address." },
                    "port": { "type": "integer" }, "tls": { "type": "boolean" }
                }
            } },
            "channels": { "type": "array", "items": {
                "type": "object", "required": ["name", "user", "cipherSpec", "certificateRequired"],
                "properties": {
                    "name": text(), "user": { "type": "string", "description": "As whom the program acts." },
                    "cipherSpec": perhaps("`null`: without TLS."), "certificateRequired": { "type": "boolean" }
                }
            } },
            "certificateAuthority": perhaps("PEM of who signed the server's certificates, where the server made them."),
            "ccdt": { "type": "object", "description": "A client channel definition table in JSON." },
            "curl": text(),
            "jms": perhaps("Statements of a Java program."),
            "mqserver": perhaps("Value of the environment variable MQSERVER; for a channel without TLS.")
        }
    })
}
