//! `/zosConnect/apis`: which APIs are deployed, and their details; the document of each below its base path.
//!
//! Source: z/OS Connect EE V3.0, "Administering APIs with the administration interface".

use std::collections::BTreeMap;
use std::sync::Arc;

use ::service::api::ApiDefinition;
use ::service::deploy::{Shelf, Status};
use ::service::error::ServiceError;
use ::service::openapi;
use ::service::registry::DeployedApi;
use http::Method;
use serde_json::{Value, json};

use super::administration::Administered;
use super::invoke::refused;
use super::{Wanted, found, origin, percent_encoded, services};
use crate::answer::Answer;
use crate::openapi::document_answer;
use crate::server::Shared;
use crate::service::Call;

/// Where the document of an API stands below its base path.
pub(super) const DOCUMENT: &str = "/api-docs";

pub(super) fn list(call: Call<'_>) -> Answer {
    let apis = call.shared.services.registry.apis.all();
    let one = |deployed: &Arc<DeployedApi>| {
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

impl Administered for ApiDefinition {
    fn shelf(shared: &Shared) -> &Arc<Shelf<Self>> {
        &shared.services.registry.apis
    }

    fn details(call: Call<'_>, deployed: &DeployedApi) -> Value {
        details(call, deployed)
    }

    fn unknown(name: &str) -> ServiceError {
        ServiceError::api_unknown(name)
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
    let wanted = match Wanted::of(call) {
        Ok(wanted) => wanted,
        Err(error) => return refused(&error),
    };
    let document = match wanted.version.as_deref() {
        None | Some("2" | "2.0") => openapi::swagger_of_api(api, &schemas),
        Some(version) if version == "3" || version.starts_with("3.") => openapi::of_api(api, &schemas, &origin(call)),
        Some(other) => return refused(&ServiceError::query("version", other)),
    };
    document_answer(call, &document, false)
}
