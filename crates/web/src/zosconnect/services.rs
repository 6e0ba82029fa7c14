//! `/zosConnect/services`: which services are deployed, their details, schemas and statistics.
//!
//! Answers have the documented members; URLs in them have the scheme and the host of the request. There is no CSRF header:
//! what changes something needs PUT, DELETE or a body of type application/zip, which no foreign page can send unasked.
//! Source: z/OS Connect EE V3.0, "Administering services with the administration interface".

use std::sync::Arc;

use ::service::activity::Statistics;
use ::service::archive::service::ServiceContent;
use ::service::deploy::Shelf;
use ::service::error::ServiceError;
use ::service::registry::DeployedService;
use serde_json::{Map, Value, json};

use super::administration::{Administered, counted, lookup};
use super::invoke::refused;
use super::{Wanted, found, origin, path_of_service};
use crate::answer::Answer;
use crate::server::Shared;
use crate::service::Call;

/// What answers call the provider of every service here.
const PROVIDER: &str = "mqService-1.0";
/// What answers call conversion by copybook, and its absence.
const CONVERSION: &str = "quaymasterCopybook-1.0";
const NO_CONVERSION: &str = "DATA_UNAVAILABLE";

pub(super) fn list(call: Call<'_>) -> Answer {
    let services = call.shared.services.registry.services.all();
    let one = |deployed: &Arc<DeployedService>| {
        let service = &deployed.content.service;
        json!({
            "ServiceName": service.name,
            "ServiceDescription": service.description,
            "ServiceProvider": PROVIDER,
            "ServiceURL": url(call, &service.name),
        })
    };
    found(&json!({ "zosConnectServices": services.values().map(one).collect::<Vec<_>>() }))
}

/// Also the older forms: `action` says what to show.
pub(super) fn show(call: Call<'_>) -> Answer {
    let deployed = match lookup::<ServiceContent>(call) {
        Ok(deployed) => deployed,
        Err(error) => return refused(&error),
    };
    let content = &deployed.content;
    let name = &content.service.name;
    let wanted = match Wanted::of(call) {
        Ok(wanted) => wanted,
        Err(error) => return refused(&error),
    };
    match wanted.action.as_deref() {
        None | Some("status") => found(&details(call, &deployed)),
        Some("getStatistics" | "statistics") => found(&Value::Object(statistics(&deployed))),
        Some("getRequestSchema") => schema(name, content.request_schema.as_ref()),
        Some("getResponseSchema") => schema(name, content.response_schema.as_ref()),
        Some(other) => refused(&ServiceError::query("action", other)),
    }
}

/// `schema/request` and `schema/response`.
pub(super) fn show_schema(call: Call<'_>) -> Answer {
    let deployed = match lookup::<ServiceContent>(call) {
        Ok(deployed) => deployed,
        Err(error) => return refused(&error),
    };
    let content = &deployed.content;
    let name = &content.service.name;
    match call.parameters[1] {
        "request" => schema(name, content.request_schema.as_ref()),
        "response" => schema(name, content.response_schema.as_ref()),
        _ => refused(&ServiceError::not_found(call.parts.uri.path())),
    }
}

fn schema(name: &str, schema: Option<&Value>) -> Answer {
    match schema {
        Some(schema) => found(schema),
        None => refused(&ServiceError::schema_unknown(name)),
    }
}

/// `/zosConnect/operations/getStatistics`.
pub(super) fn all_statistics(call: Call<'_>) -> Answer {
    let services = call.shared.services.registry.services.all();
    let all: Vec<Value> = services.values().map(|deployed| Value::Object(statistics(deployed))).collect();
    found(&json!({ "zosConnectStatistics": all }))
}

impl Administered for ServiceContent {
    fn shelf(shared: &Shared) -> &Arc<Shelf<Self>> {
        &shared.services.registry.services
    }

    fn details(call: Call<'_>, deployed: &DeployedService) -> Value {
        details(call, deployed)
    }

    fn unknown(name: &str) -> ServiceError {
        ServiceError::service_unknown(name)
    }
}

/// Where a service is administered.
pub(super) fn url(call: Call<'_>, name: &str) -> String {
    format!("{}{}", origin(call), path_of_service(name))
}

fn details(call: Call<'_>, deployed: &DeployedService) -> Value {
    let content = &deployed.content;
    let service = &content.service;
    let url = url(call, &service.name);
    let invoke = format!("{url}?action=invoke");
    let converts = service.transformation.is_some();
    let common = json!({
        "serviceName": service.name,
        "serviceDescription": service.description,
        "serviceProvider": PROVIDER,
        "version": service.version,
        "serviceURL": url,
        "serviceInvokeURL": invoke,
        "dataXformProvider": if converts { CONVERSION } else { NO_CONVERSION },
        "serviceStatus": deployed.status().shown(),
    });
    let mut all = Map::new();
    all.insert("zosConnect".to_owned(), common);
    // A service may bear the name of the other member; what is common wins.
    all.entry(service.name.clone()).or_insert(json!(content.properties));
    Value::Object(all)
}

fn statistics(deployed: &DeployedService) -> Map<String, Value> {
    let mut one = Map::from_iter([("ServiceProvider".to_owned(), json!(PROVIDER))]);
    one.extend(counted(deployed));
    Map::from_iter([(deployed.content.service.name.clone(), Value::Object(one))])
}

/// Times are in milliseconds.
pub(super) fn counters(seen: &Statistics) -> Value {
    let milliseconds = |time: std::time::Duration| format!("{:.3}", time.as_secs_f64() * 1000.0);
    json!({
        "inFlight": seen.in_flight.to_string(),
        "succeeded": seen.succeeded.to_string(),
        "clientErrors": seen.refused.to_string(),
        "serverErrors": seen.failed.to_string(),
        "abandoned": seen.abandoned.to_string(),
        "totalTime": milliseconds(seen.total),
        "minimumTime": milliseconds(seen.shortest.unwrap_or_default()),
        "maximumTime": milliseconds(seen.longest.unwrap_or_default()),
    })
}
