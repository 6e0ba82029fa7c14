//! One row of the route table as an OpenAPI 3.1 operation.

use std::fmt::Write;

use http::Method;
use serde_json::{Map, Value, json};

use crate::api::ApiHandler;
use crate::csrf::{CSRF_HEADER, CsrfRule};
use crate::openapi::details::{
    Body, CONSOLE, Content, Details, MESSAGE_API, Parameter, SERVICES, Shape, Success, details,
};
use crate::routes::{Access, Handler, ROUTES, Route};

/// Media types of messages.
const MESSAGE_TYPES: &[&str] = &["text/plain", "text/html", "text/xml", "application/json", "application/xml"];
const JSON: &str = "application/json";

/// `index` is that of the row.
pub(super) fn describe(index: usize, route: &Route) -> Value {
    let details = details(route.handler);
    let mut operation = json!({
        "operationId": identifier(index, route),
        "tags": [details.tag],
        "summary": route.summary,
        "parameters": parameters(route, &details),
        "responses": responses(route, &details),
    });
    if !details.description.is_empty() {
        operation["description"] = json!(details.description);
    }
    if let Some(body) = details.body {
        operation["requestBody"] = request_body(body);
    }
    if details.extension {
        operation["x-extension"] = json!(true);
    }
    let roles: Vec<_> = match route.access {
        Access::Everybody => {
            operation["security"] = json!([]);
            return operation;
        }
        Access::Identified => Vec::new(),
        Access::Role(roles) => roles.names().collect(),
    };
    let mut security = json!([{ "basic": roles }, { "bearer": roles }, { "token": roles }]);
    if let (true, Value::Array(ways)) = (route.handler.checks_scope(), &mut security) {
        ways.push(json!({ "apiKey": roles }));
    }
    operation["security"] = security;
    operation["x-roles"] = json!(roles);
    operation
}

/// The handler's name; a handler of several rows is told apart by number.
fn identifier(index: usize, route: &Route) -> String {
    let mut name = route.handler.name();
    name[..1].make_ascii_lowercase();
    let before = ROUTES[..index].iter().filter(|other| other.handler == route.handler).count();
    if before > 0 {
        let _ = write!(name, "{}", before + 1);
    }
    name
}

fn parameters(route: &Route, details: &Details) -> Vec<Value> {
    let mut all: Vec<_> = route.template.split('/').filter_map(|part| path_parameter(route, part)).collect();
    if matches!(route.csrf, CsrfRule::HeaderPresent | CsrfRule::HeaderEqualsCookie) {
        all.push(json!({
            "name": CSRF_HEADER.as_str(), "in": "header", "required": true,
            "description": "Any value, even none: its presence shows that no foreign web site made the request.",
            "schema": { "type": "string", "default": "x" }
        }));
    }
    all.extend(details.parameters.iter().map(described));
    all
}

fn path_parameter(route: &Route, part: &str) -> Option<Value> {
    let name = part.strip_prefix('{')?.strip_suffix('}')?;
    let object =
        |most: usize| json!({ "type": "string", "minLength": 1, "maxLength": most, "pattern": "^[A-Za-z0-9._/%]+$" });
    let (help, schema) = match name {
        "version" => {
            let versions: Vec<_> = route.versions.iter().map(|version| version.name()).collect();
            ("Version of the API.", json!({ "type": "string", "enum": versions }))
        }
        "qmgr" => ("Name of the queue manager.", object(48)),
        "queue" => ("Name of the queue.", object(48)),
        "service" => ("Name of the service; a slash in it is `%2F`.", json!({ "type": "string", "minLength": 1 })),
        "api" => ("Name of the API; a slash in it is `%2F`.", json!({ "type": "string", "minLength": 1 })),
        "position" => ("Position of the message.", json!({ "type": "string", "pattern": "^[0-9]{1,19}$" })),
        "push" => ("Name of the push target.", json!({ "type": "string", "pattern": "^[A-Za-z0-9._-]{1,48}$" })),
        "job" => ("Name of the job.", json!({ "type": "string", "pattern": "^[0-9a-f]{32}$" })),
        "stream" => (
            "Identifier of the stream, as its first event says.",
            json!({ "type": "string", "pattern": "^[0-9a-f]{32}$" }),
        ),
        "delivery" => ("Token of the delivery.", json!({ "type": "string", "pattern": "^[0-9a-f]{32}$" })),
        "action" => {
            ("How it is settled.", json!({ "type": "string", "enum": ["complete", "abandon", "renew", "dead-letter"] }))
        }
        "asset" => ("Name of the file, as the page has it.", json!({ "type": "string", "minLength": 1 })),
        "view" => ("Address of a view of the console.", json!({ "type": "string", "minLength": 1 })),
        "direction" => ("Of what.", json!({ "type": "string", "enum": ["request", "response"] })),
        "channel" => ("Name of the channel.", object(20)),
        "topic" => ("Topic string. Slashes stand between its levels.", json!({ "type": "string", "minLength": 1 })),
        _ => ("Name.", json!({ "type": "string", "minLength": 1 })),
    };
    Some(json!({ "name": name, "in": "path", "required": true, "description": help, "schema": schema }))
}

fn described(parameter: &Parameter) -> Value {
    let mut described = json!({
        "name": parameter.name,
        "in": parameter.place.name(),
        "required": parameter.is_required,
        "description": parameter.help,
        "schema": schema(parameter.shape),
    });
    if parameter.extension {
        described["x-extension"] = json!(true);
    }
    described
}

fn schema(shape: Shape) -> Value {
    match shape {
        Shape::Text => json!({ "type": "string" }),
        Shape::Pattern(pattern) => json!({ "type": "string", "pattern": pattern }),
        Shape::Number(minimum, maximum) => json!({ "type": "integer", "minimum": minimum, "maximum": maximum }),
        Shape::Words(words) => json!({ "type": "string", "enum": words }),
    }
}

fn reference(schema: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{schema}") })
}

fn request_body(body: Body) -> Value {
    let content = match body {
        Body::Json(schema) => json!({ JSON: { "schema": reference(schema) } }),
        Body::OptionalJson(schema) => {
            return json!({ "required": false, "content": { JSON: { "schema": reference(schema) } } });
        }
        Body::AnyMessage => json!({ "text/plain": { "schema": {} }, "application/octet-stream": { "schema": {} } }),
        Body::Message => messages(),
        Body::Record => json!({ "application/octet-stream": { "schema": { "type": "string", "format": "binary" } } }),
        Body::Archive { is_optional } => {
            let archive = json!({ "schema": { "type": "string", "format": "binary" } });
            return json!({ "required": !is_optional, "content": { "application/zip": archive } });
        }
    };
    json!({ "required": true, "content": content })
}

/// Whatever bytes a client sends are the text of a message: there is nothing a schema could ask of them.
fn messages() -> Value {
    let any = |media_type: &&str| ((*media_type).to_owned(), json!({ "schema": {} }));
    Value::Object(MESSAGE_TYPES.iter().map(any).collect())
}

fn responses(route: &Route, details: &Details) -> Value {
    let mut responses: Map<String, Value> =
        details.answers.iter().map(|success| (success.status.to_string(), answer(success))).collect();
    for (status, help) in failures(route, details) {
        let failure = responses.entry(status.to_string()).or_insert_with(|| error(help, error_schema(details)));
        if status == 429 {
            let help = "Seconds after which the user may try again.";
            failure["headers"] = json!({ "Retry-After": { "description": help, "schema": { "type": "integer" } } });
        }
    }
    responses.insert("default".to_owned(), error("Refused or failed", error_schema(details)));
    Value::Object(responses)
}

fn answer(success: &Success) -> Value {
    let mut answer = json!({ "description": success.help });
    match success.content {
        Content::Nothing => {}
        Content::Message => answer["content"] = json!({ "text/plain": { "schema": { "type": "string" } } }),
        Content::Text(media_type) => answer["content"] = json!({ media_type: { "schema": { "type": "string" } } }),
        Content::Json(schema) => answer["content"] = json!({ JSON: { "schema": reference(schema) } }),
        Content::Record => {
            let record = json!({ "schema": { "type": "string", "format": "binary" } });
            // The status message, where Baq-Return-Code is not 0.
            let message = json!({ "schema": { "type": "string" } });
            answer["content"] = json!({ "application/octet-stream": record, "text/plain": message });
        }
        Content::Any => answer["content"] = json!({ "*/*": { "schema": {} } }),
        Content::AnyJson => answer["content"] = json!({ JSON: { "schema": { "type": "object" } } }),
        Content::JsonOrYaml => {
            let document = json!({ "schema": { "type": "object" } });
            answer["content"] = json!({ JSON: document, "application/yaml": document });
        }
    }
    if !success.headers.is_empty() {
        let header = |(name, help): &(&str, &str)| {
            ((*name).to_owned(), json!({ "description": help, "schema": { "type": "string" } }))
        };
        answer["headers"] = Value::Object(success.headers.iter().map(header).collect());
    }
    answer
}

/// What can go wrong, as far as the row tells.
fn failures(route: &Route, details: &Details) -> Vec<(u16, &'static str)> {
    let mut failures = Vec::new();
    let takes_body = details.body.is_some();
    if takes_body || !details.parameters.is_empty() || route.template.contains('{') {
        failures.push((400, "A parameter, a header or the body is not valid"));
    }
    if route.access != Access::Everybody || route.method == Method::POST {
        failures.push((401, "No credentials, or wrong ones"));
        let lacks = match route.csrf {
            CsrfRule::Off => "The role or the authority is missing",
            CsrfRule::CookieOnly => "The role or the authority is missing, or a page of another site makes the request",
            _ => "The role, the authority or the CSRF header is missing",
        };
        failures.push((403, lacks));
        failures.push((429, "Wrong passwords came before: the user has to wait"));
    }
    if route.template.contains("{qmgr}") {
        failures.push((404, "There is no such queue manager or object"));
        failures.push((503, "The queue manager is not available"));
    }
    if route.handler == Handler::Api(ApiHandler::ExchangeMessages) {
        failures.push((504, "The request was put, and no reply came in time"));
    }
    if takes_body {
        failures.push((413, "The body is too long"));
        failures.push((415, "The body is of a media type that is not taken"));
    }
    failures
}

fn error(help: &str, schema: &str) -> Value {
    let media_type = if schema == "Problem" { "application/problem+json" } else { JSON };
    json!({ "description": help, "content": { media_type: { "schema": reference(schema) } } })
}

/// Refusals below `/zosConnect` have a form of their own.
fn error_schema(details: &Details) -> &'static str {
    match details.tag {
        SERVICES => "ServiceError",
        MESSAGE_API | CONSOLE => "Problem",
        _ => "Error",
    }
}
