//! The API documents: `/openapi.json` (OpenAPI 3.1) and `/ibm/api/docs` (Swagger 2.0). What they say of the server's own
//! resources is made once, from the route table; what is deployed and started is added to each answer.
//!
//! `details` says of every handler what the table cannot: parameters, bodies, answers. A handler without details does
//! not compile, so nothing is served that the documents do not describe.

mod admin;
mod attributes;
mod console;
mod details;
mod group;
mod lists;
mod message_api;
mod messaging;
mod operation;
mod problems;
mod push;
mod schemas;
mod test_control;
mod why;
mod zosconnect;

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use ::service::deploy::{Artefact, Deployed, Shelf, Status};
use ::service::openapi::{merge, swagger};
use ::service::registry::{DeployedApi, DeployedService};
use bytes::Bytes;
use document::yaml;
use http::{HeaderValue, StatusCode, header};
use serde_json::{Map, Value, json};

use crate::answer::{self, Answer};
use crate::error::ApiError;
use crate::query;
use crate::routes::{ROUTES, Route};
use crate::service::Call;
use crate::zosconnect::path_of_service;

pub(crate) const YAML: HeaderValue = HeaderValue::from_static("application/yaml; charset=utf-8");

static DOCUMENT: LazyLock<Value> = LazyLock::new(|| build(|route| !route.handler.is_of_tests()));
/// Of a server that was started for tests.
static FOR_TESTS: LazyLock<Value> = LazyLock::new(|| {
    let mut whole = build(|_| true);
    for (name, schema) in test_control::schemas() {
        whole["components"]["schemas"][name] = schema;
    }
    whole
});
static PRINTED: LazyLock<Bytes> = LazyLock::new(|| pretty(&DOCUMENT));
static SWAGGER: LazyLock<Value> = LazyLock::new(|| swagger::from(&DOCUMENT));

/// `/openapi.json`.
pub(crate) fn document(call: Call<'_>) -> Answer {
    let (services, apis) = started(call);
    let is_for_tests = call.shared.test_control.is_some();
    if services.is_empty() && apis.is_empty() && !is_for_tests {
        return answer::json(StatusCode::OK, PRINTED.clone());
    }
    let mut whole = if is_for_tests { FOR_TESTS.clone() } else { DOCUMENT.clone() };
    let built_in = details::TAGS.len();
    let roles = ["MQWebUser"];
    let registry = &call.shared.services.registry;
    for api in apis {
        let api = &api.content;
        let document = ::service::openapi::of_api(api, &|service| registry.schemas(service), "");
        let about = if api.description.is_empty() { &api.title } else { &api.description };
        merge::add_group(&mut whole, &api.name, document, &format!("API {}", api.name), about, &roles);
    }
    if !services.is_empty() {
        let about = "Services that are deployed and started, by their names.";
        merge::add_group(&mut whole, "service", of_services(&services), "deployed services", about, &roles);
    }
    // What people have deployed comes first.
    if let Some(tags) = whole["tags"].as_array_mut() {
        tags.rotate_left(built_in);
    }
    answer::json(StatusCode::OK, pretty(&whole))
}

/// What is deployed and not stopped.
fn started(call: Call<'_>) -> (Vec<Arc<DeployedService>>, Vec<Arc<DeployedApi>>) {
    fn of<T: Artefact>(shelf: &Shelf<T>) -> Vec<Arc<Deployed<T>>> {
        shelf.all().values().filter(|one| one.status() == Status::Started).map(Arc::clone).collect()
    }
    let registry = &call.shared.services.registry;
    (of(&registry.services), of(&registry.apis))
}

fn of_services(services: &[Arc<DeployedService>]) -> Value {
    ::service::openapi::services::of_services(services.iter().map(|one| &one.content), path_of_service)
}

/// `/ibm/api/docs`: `root` selects the resources below a path, which then is the base path, and may be repeated; `compact` leaves line
/// breaks and indentation out; the Accept header chooses between JSON and YAML.
///
/// # Errors
/// 400 an unknown parameter, or a value that is none.
pub(crate) fn docs(call: Call<'_>) -> Result<Answer, ApiError> {
    let (mut roots, mut compact) = (Vec::new(), None);
    query::each(call.query(), |name, value| match (name, &*value) {
        ("root", _) if value.starts_with('/') => {
            roots.push(value.trim_end_matches('/').to_owned());
            Ok(())
        }
        ("compact", "true") => query::once(&mut compact, name, true),
        ("compact", "false") => query::once(&mut compact, name, false),
        ("root" | "compact", _) => Err(ApiError::parameter(name, &value)),
        _ => Err(query::unknown(name)),
    })?;
    let whole = with_deployed(call);
    let document = match roots.as_slice() {
        [] => whole,
        [root] => Cow::Owned(below(call, &whole, root)),
        several => {
            let mut merged = merge::empty("Quaymaster", env!("CARGO_PKG_VERSION"));
            for root in several {
                let mut part = swagger::below(&whole, root);
                // All are of one document: what two of them need is the same.
                let needed = std::mem::replace(&mut part["definitions"], json!({}));
                if let (Some(all), Value::Object(needed)) = (merged["definitions"].as_object_mut(), needed) {
                    all.extend(needed);
                }
                merge::add(&mut merged, root.trim_start_matches('/'), part);
            }
            Cow::Owned(merged)
        }
    };
    Ok(document_answer(call, &document, compact == Some(true)))
}

/// The resources below a path. The document of an API is the whole of what is below its base path.
fn below(call: Call<'_>, whole: &Value, root: &str) -> Value {
    let registry = &call.shared.services.registry;
    let apis = registry.apis.all();
    let api = apis.values().find(|api| api.content.base_path == root && api.status() == Status::Started);
    match api {
        Some(api) => ::service::openapi::swagger_of_api(&api.content, &|service| registry.schemas(service)),
        None => swagger::below(whole, root),
    }
}

/// The server's own resources and those of all APIs and services that are started.
fn with_deployed(call: Call<'_>) -> Cow<'static, Value> {
    let (services, apis) = started(call);
    if services.is_empty() && apis.is_empty() {
        return Cow::Borrowed(&*SWAGGER);
    }
    let registry = &call.shared.services.registry;
    let mut whole = SWAGGER.clone();
    for api in apis {
        let document = ::service::openapi::swagger_of_api(&api.content, &|service| registry.schemas(service));
        merge::add(&mut whole, &api.content.name, document);
    }
    if !services.is_empty() {
        merge::add(&mut whole, "service", swagger::from(&of_services(&services)));
    }
    Cow::Owned(whole)
}

/// `/zosConnect/api-docs`.
pub(crate) fn zosconnect(call: Call<'_>) -> Answer {
    document_answer(call, &swagger::below(&SWAGGER, "/zosConnect"), false)
}

/// A document as JSON or as YAML, by the Accept header.
pub(crate) fn document_answer(call: Call<'_>, document: &Value, is_compact: bool) -> Answer {
    let mut answer = if wants_yaml(call) {
        answer::with_body(StatusCode::OK, Some(YAML), yaml::write(document).into())
    } else if is_compact {
        answer::json(StatusCode::OK, document.to_string())
    } else {
        answer::json(StatusCode::OK, pretty(document))
    };
    answer.headers_mut().insert(header::VARY, HeaderValue::from_static("accept"));
    answer
}

/// Does the client name YAML and not JSON before it?
fn wants_yaml(call: Call<'_>) -> bool {
    let accept = call.headers().get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let wanted = accept.split(',').map(|one| one.split(';').next().unwrap_or_default().trim());
    let known = wanted.into_iter().find(|one| one.ends_with("json") || one.ends_with("yaml") || *one == "*/*");
    known.is_some_and(|one| one.ends_with("yaml"))
}

fn pretty(document: &Value) -> Bytes {
    serde_json::to_vec_pretty(document).expect("a JSON value can be written").into()
}

/// The document of the routes that `has` picks.
fn build(has: impl Fn(&Route) -> bool) -> Value {
    let mut paths = Map::new();
    for (index, route) in ROUTES.iter().enumerate().filter(|(_, route)| has(route)) {
        let path = paths.entry(route.template).or_insert_with(|| json!({}));
        path[route.method.as_str().to_ascii_lowercase()] = operation::describe(index, route);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Quaymaster",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "A durable queue manager with REST resources compatible with those of IBM MQ. Operations and \
                parameters marked x-extension are this server's own.",
            "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" }
        },
        "servers": [{ "url": "/" }],
        "tags": details::TAGS.iter().map(|(tag, help)| json!({ "name": tag, "description": help })).collect::<Vec<_>>(),
        "paths": paths,
        "components": {
            "securitySchemes": {
                "basic": { "type": "http", "scheme": "basic", "description": "User and password with every request." },
                "bearer": {
                    "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
                    "description": "An access token of an issuer in identity.oidc."
                },
                "apiKey": {
                    "type": "apiKey", "in": "header", "name": "X-API-Key",
                    "description": "A key of `quaymaster apikey create`. Authorization: Bearer takes it, too."
                },
                "token": {
                    "type": "apiKey", "in": "cookie", "name": "LtpaToken2",
                    "description": "The cookie that logging in hands out."
                }
            },
            "schemas": schemas::all()
        }
    })
}

#[cfg(test)]
mod tests;
