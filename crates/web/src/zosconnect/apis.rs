//! `/zosConnect/apis`: which APIs are deployed, and deploying, updating, starting, stopping and deleting them; the document of
//! each below its base path.
//!
//! Source: z/OS Connect EE V3.0, "Administering APIs with the administration interface".

use std::collections::BTreeMap;

use ::service::deploy::Status;
use ::service::error::ServiceError;
use ::service::openapi;
use ::service::registry::DeployedApi;
use http::Method;
use hyper::body::Incoming;
use serde_json::{Value, json};

use super::invoke::refused;
use super::{Wanted, archive, blocking, created, found, name_of, origin, percent_encoded, services};
use crate::answer::Answer;
use crate::error::ApiError;
use crate::openapi::document_answer;
use crate::service::Call;

/// Where the document of an API stands below its base path.
pub(super) const DOCUMENT: &str = "/api-docs";

pub(crate) fn list(call: Call<'_>) -> Answer {
    let apis = call.shared.services.registry.apis.all();
    let one = |deployed: &std::sync::Arc<DeployedApi>| {
        let api = &deployed.content;
        json!({
            "name": api.name,
            "version": api.version,
            "description": api.description,
            "adminUrl": admin_url(call, &api.name),
        })
    };
    found(&json!({ "apis": apis.values().map(one).collect::<Vec<_>>() }))
}

pub(crate) fn show(call: Call<'_>) -> Answer {
    let name = name_of(call);
    match call.shared.services.registry.apis.lookup(&name) {
        Some(deployed) => found(&details(call, &deployed)),
        None => refused(&ServiceError::api_unknown(&name)),
    }
}

/// An archive; its API is started unless `status` says otherwise.
///
/// # Errors
/// The body does not come, or is too long.
pub(crate) async fn deploy(call: Call<'_>, body: Incoming) -> Result<Answer, ApiError> {
    let wanted = Wanted::of(call);
    let (status, archive) = match (wanted.status(), archive(call, body).await?) {
        (Ok(status), Ok(archive)) => (status, archive),
        (Err(error), _) | (_, Err(error)) => return Ok(refused(&error)),
    };
    Ok(match blocking(call, move |registry| registry.apis.deploy(&archive, status)).await {
        Ok(deployed) => created(&details(call, &deployed)),
        Err(error) => refused(&error),
    })
}

/// Without a body: starts or stops. With one: replaces the archive of an API that is stopped.
///
/// # Errors
/// The body does not come, or is too long.
pub(crate) async fn change(call: Call<'_>, body: Incoming) -> Result<Answer, ApiError> {
    let name = name_of(call).into_owned();
    let status = match Wanted::of(call).status() {
        Ok(status) => status,
        Err(error) => return Ok(refused(&error)),
    };
    let outcome = if hyper::body::Body::is_end_stream(&body) {
        let Some(status) = status else { return Ok(refused(&ServiceError::query("status", ""))) };
        blocking(call, move |registry| registry.apis.set_status(&name, status)).await
    } else {
        match archive(call, body).await? {
            Ok(archive) => blocking(call, move |registry| registry.apis.update(&name, &archive, status)).await,
            Err(error) => Err(error),
        }
    };
    Ok(match outcome {
        Ok(deployed) => found(&details(call, &deployed)),
        Err(error) => refused(&error),
    })
}

pub(crate) async fn delete(call: Call<'_>) -> Answer {
    let name = name_of(call).into_owned();
    let shown = json!({ "name": name });
    match blocking(call, move |registry| registry.apis.delete(&name)).await {
        Ok(()) => found(&shown),
        Err(error) => refused(&error),
    }
}

fn admin_url(call: Call<'_>, name: &str) -> String {
    format!("{}/zosConnect/apis/{}", origin(call), percent_encoded(name))
}

fn details(call: Call<'_>, deployed: &DeployedApi) -> Value {
    let api = &deployed.content;
    let api_url = format!("{}{}", origin(call), api.base_path);
    let names: BTreeMap<&str, String> =
        api.operations.iter().map(|operation| (&*operation.service, services::url(call, &operation.service))).collect();
    let used: Vec<Value> = names.iter().map(|(name, uri)| json!({ "name": name, "uri": uri })).collect();
    json!({
        "name": api.name,
        "version": api.version,
        "description": api.description,
        "status": deployed.status().shown(),
        "documentation": { "swagger": format!("{api_url}{DOCUMENT}") },
        "apiUrl": api_url,
        "services": used,
    })
}

/// Whether a request is for the document of an API, which everybody may read.
pub(super) fn is_document(method: &Method, rest: &str) -> bool {
    rest == DOCUMENT && matches!(*method, Method::GET | Method::HEAD)
}

/// The document: Swagger 2.0, or with `version=3` OpenAPI 3; JSON or YAML by the Accept header.
pub(super) fn document(call: Call<'_>, deployed: &DeployedApi) -> Answer {
    let api = &deployed.content;
    if deployed.status() == Status::Stopped {
        return refused(&ServiceError::api_stopped(&api.name));
    }
    let registry = &call.shared.services.registry;
    let schemas = |service: &str| registry.schemas(service);
    let document = match Wanted::of(call).version.as_deref() {
        None | Some("2" | "2.0") => openapi::swagger_of_api(api, &schemas),
        Some(version) if version == "3" || version.starts_with("3.") => openapi::of_api(api, &schemas, &origin(call)),
        Some(other) => return refused(&ServiceError::query("version", other)),
    };
    document_answer(call, &document, false)
}
