//! The OpenAPI 3 document of deployed services: how each is invoked, and what its bodies are.

use serde_json::{Map, Value, json};

use super::{component_name, error_schema, without_dialect};
use crate::archive::service::ServiceContent;
use crate::definition::Kind;

/// A method of a service, and what it does.
struct Use {
    method: &'static str,
    summary: &'static str,
    /// Of the body that is sent.
    sends: bool,
    /// Of the message that is answered.
    receives: bool,
}

const fn one(method: &'static str, summary: &'static str, sends: bool, receives: bool) -> Use {
    Use { method, summary, sends, receives }
}

/// A document with the paths of services; `url` gives the path of one, by its name.
pub fn of_services<'a>(services: impl Iterator<Item = &'a ServiceContent>, url: impl Fn(&str) -> String) -> Value {
    let mut paths = Map::new();
    let mut schemas = Map::new();
    schemas.insert("ServiceError".to_owned(), error_schema());
    for content in services {
        let name = &content.service.name;
        let mut item = Map::new();
        for one in uses(&content.service.provider.kind) {
            item.insert(one.method.to_owned(), describe(content, &one));
        }
        for (side, schema) in [("request", &content.request_schema), ("response", &content.response_schema)] {
            if let Some(schema) = schema {
                schemas.insert(schema_name(name, side), without_dialect(schema.clone()));
            }
        }
        paths.insert(url(name), Value::Object(item));
    }
    json!({
        "openapi": "3.0.3",
        "info": { "title": "Services", "version": "1" },
        "servers": [{ "url": "/" }],
        "paths": paths,
        "components": { "schemas": schemas }
    })
}

fn schema_name(service: &str, side: &str) -> String {
    format!("{}_{side}", component_name(service))
}

fn uses(kind: &Kind) -> Vec<Use> {
    match kind {
        Kind::TwoWay { .. } => vec![one("post", "sends a request and awaits its reply", true, true)],
        Kind::Put => vec![one("post", "puts a message", true, false)],
        Kind::Topic => vec![one("post", "publishes a message", true, false)],
        Kind::Get => vec![one("delete", "gets a message, removing it", false, true)],
        Kind::Queue => vec![
            one("post", "puts a message", true, false),
            one("get", "browses the first message", false, true),
            one("delete", "gets a message, removing it", false, true),
        ],
    }
}

fn describe(content: &ServiceContent, one: &Use) -> Value {
    let service = &content.service;
    let name = &service.name;
    let body = |side: &str, schema: &Option<Value>| match (schema, service.passes_text()) {
        (Some(_), _) => json!({
            "application/json": { "schema": { "$ref": format!("#/components/schemas/{}", schema_name(name, side)) } }
        }),
        (None, true) => json!({ "text/plain": { "schema": { "type": "string" } } }),
        (None, false) => json!({ "application/json": { "schema": { "type": "object" } } }),
    };
    let mut responses = Map::new();
    if one.receives {
        let answered = body("response", &content.response_schema);
        responses.insert("200".to_owned(), json!({ "description": "The message.", "content": answered }));
    }
    let nothing = if one.receives { "No message came in time." } else { "The message is put." };
    responses.insert("204".to_owned(), json!({ "description": nothing }));
    let error = json!({ "application/json": { "schema": { "$ref": "#/components/schemas/ServiceError" } } });
    responses.insert(
        "default".to_owned(),
        json!({ "description": "The request is refused, or the service failed.", "content": error }),
    );
    let mut described = json!({
        "operationId": format!("{}_{}", one.method, component_name(name)),
        "tags": [name],
        "summary": format!("{name}: {}", one.summary),
        "parameters": parameters(one),
        "responses": responses,
        "security": [{ "basic": [] }]
    });
    if !service.description.is_empty() {
        described["description"] = json!(service.description);
    }
    if one.sends {
        let sent = body("request", &content.request_schema);
        described["requestBody"] = json!({ "required": true, "content": sent });
    }
    described
}

fn parameters(one: &Use) -> Vec<Value> {
    let header = |name: &str, schema: Value, help: &str| json!({ "name": name, "in": "header", "required": false, "description": help, "schema": schema });
    let (text, number) = (json!({ "type": "string" }), json!({ "type": "integer", "format": "int32" }));
    let mut all = vec![json!({
        "name": "action", "in": "query", "required": true, "description": "What makes the request one to the service.",
        "schema": { "type": "string", "enum": ["invoke"], "default": "invoke" }
    })];
    if one.receives {
        let help = "Milliseconds to wait for the message, where the service waits at all.";
        all.push(header("ibm-mq-gmo-waitInterval", number.clone(), help));
    }
    if one.sends {
        all.push(header(
            "ibm-mq-md-correlID",
            text.clone(),
            "CorrelId of the message: text, or `0x:` and hexadecimal digits.",
        ));
        let words = json!({ "type": "string", "enum": ["true", "false"] });
        all.push(header("ibm-mq-md-persistence", words, "Whether the message outlasts a restart."));
        all.push(header("ibm-mq-md-expiry", number, "Lifetime of the message in milliseconds."));
        all.push(header("ibm-mq-usr", text, "Properties of the message: `name;value;type`, with commas between."));
    } else {
        all.push(header("ibm-mq-md-msgID", text.clone(), "Only the message with this MsgId."));
        all.push(header("ibm-mq-md-correlID", text, "Only a message with this CorrelId."));
    }
    all
}
