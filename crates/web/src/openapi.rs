//! `/openapi.json`: the route table as an OpenAPI 3.1 document, made once.

use std::sync::LazyLock;

use bytes::Bytes;
use http::StatusCode;
use serde_json::{Map, Value, json};

use crate::answer::{self, Answer};
use crate::auth::csrf::CsrfRule;
use crate::routes::{Access, Handler, ROUTES, Route};

static DOCUMENT: LazyLock<Bytes> = LazyLock::new(|| {
    let text = serde_json::to_vec_pretty(&build()).expect("a JSON value can be written");
    text.into()
});

pub(crate) fn document() -> Answer {
    answer::json(StatusCode::OK, DOCUMENT.clone())
}

fn build() -> Value {
    let mut paths = Map::new();
    for route in ROUTES {
        let path = paths.entry(route.template).or_insert_with(|| json!({}));
        path[route.method.as_str().to_ascii_lowercase()] = operation(route);
    }
    json!({
        "openapi": "3.1.0",
        "info": { "title": "Quaymaster", "version": env!("CARGO_PKG_VERSION") },
        "paths": paths,
        "components": {
            "securitySchemes": {
                "basic": { "type": "http", "scheme": "basic" },
                "token": { "type": "apiKey", "in": "cookie", "name": "LtpaToken2" }
            },
            "schemas": { "Error": error_schema() }
        }
    })
}

fn operation(route: &Route) -> Value {
    let mut operation = json!({
        "operationId": format!("{:?}", route.handler),
        "summary": route.summary,
        "parameters": parameters(route),
        "responses": responses(route),
    });
    if let Some(body) = request_body(route.handler) {
        operation["requestBody"] = body;
    }
    let roles = match route.access {
        Access::Everybody => return operation,
        Access::Identified => Vec::new(),
        Access::Role(roles) => roles.names().collect(),
    };
    operation["security"] = json!([{ "basic": roles }, { "token": roles }]);
    operation
}

fn parameters(route: &Route) -> Vec<Value> {
    let mut all = Vec::new();
    let versions: Vec<_> = route.versions.iter().map(|version| version.name()).collect();
    for part in route.template.split('/') {
        match part {
            "{version}" => all.push(parameter("version", "path", json!({ "type": "string", "enum": versions }))),
            "{qmgr}" | "{queue}" | "{topic}" => {
                all.push(parameter(part.trim_matches(['{', '}']), "path", json!({ "type": "string" })));
            }
            _ => {}
        }
    }
    if route.csrf != CsrfRule::Off {
        all.push(parameter("ibm-mq-rest-csrf-token", "header", json!({ "type": "string", "default": "" })));
    }
    for &(name, place) in optional_parameters(route.handler) {
        let schema = if matches!(name, "wait" | "limit") {
            json!({ "type": "integer", "minimum": 0, "maximum": 0x7FFF_FFFF })
        } else {
            json!({ "type": "string" })
        };
        let mut optional = parameter(name, place, schema);
        optional["required"] = json!(false);
        all.push(optional);
    }
    all
}

fn parameter(name: &str, place: &str, schema: Value) -> Value {
    json!({ "name": name, "in": place, "required": true, "schema": schema })
}

fn optional_parameters(handler: Handler) -> &'static [(&'static str, &'static str)] {
    match handler {
        Handler::PutMessage => &[
            ("ibm-mq-md-correlationId", "header"),
            ("ibm-mq-md-expiry", "header"),
            ("ibm-mq-md-persistence", "header"),
            ("ibm-mq-md-priority", "header"),
            ("ibm-mq-md-replyTo", "header"),
            ("ibm-mq-usr", "header"),
        ],
        Handler::PublishMessage => &[
            ("ibm-mq-md-correlationId", "header"),
            ("ibm-mq-md-expiry", "header"),
            ("ibm-mq-md-persistence", "header"),
            ("ibm-mq-md-priority", "header"),
            ("ibm-mq-usr", "header"),
        ],
        Handler::GetMessage => &[("messageId", "query"), ("correlationId", "query"), ("wait", "query")],
        Handler::BrowseMessage => &[("messageId", "query"), ("correlationId", "query")],
        Handler::ListMessages => &[("messageId", "query"), ("correlationId", "query"), ("limit", "query")],
        Handler::RunMqsc
        | Handler::Login
        | Handler::ShowLogin
        | Handler::Logout
        | Handler::Live
        | Handler::Ready
        | Handler::Metrics
        | Handler::OpenApi
        | Handler::Explorer
        | Handler::Root => &[],
    }
}

fn request_body(handler: Handler) -> Option<Value> {
    let text = json!({ "schema": { "type": "string" } });
    match handler {
        Handler::PutMessage | Handler::PublishMessage => Some(json!({
            "content": {
                "text/plain": text, "text/html": text, "text/xml": text, "application/json": {}, "application/xml": text
            }
        })),
        Handler::Login => Some(json!({
            "required": true,
            "content": { "application/json": { "schema": {
                "type": "object",
                "required": ["username", "password"],
                "properties": { "username": { "type": "string" }, "password": { "type": "string" } }
            } } }
        })),
        _ => None,
    }
}

/// Success, and the statuses whose body is an error.
fn responses(route: &Route) -> Value {
    let success: &[&str] = match route.handler {
        Handler::PutMessage | Handler::PublishMessage => &["201"],
        Handler::GetMessage | Handler::BrowseMessage => &["200", "204"],
        Handler::Login | Handler::Logout => &["204"],
        Handler::Root => &["302"],
        Handler::ListMessages
        | Handler::RunMqsc
        | Handler::ShowLogin
        | Handler::Live
        | Handler::Ready
        | Handler::Metrics
        | Handler::OpenApi
        | Handler::Explorer => &["200"],
    };
    let mut responses: Map<String, Value> =
        success.iter().map(|&status| (status.to_owned(), json!({ "description": "Done" }))).collect();
    let error = json!({
        "description": "Refused or failed",
        "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } }
    });
    responses.insert("default".to_owned(), error);
    Value::Object(responses)
}

fn error_schema() -> Value {
    let text = json!({ "type": "string" });
    let number = json!({ "type": "integer" });
    json!({
        "type": "object",
        "required": ["error"],
        "properties": { "error": { "type": "array", "items": {
            "type": "object",
            "properties": {
                "msgId": text, "action": text, "completionCode": number, "reasonCode": number, "type": text,
                "message": text, "explanation": text
            }
        } } }
    })
}
