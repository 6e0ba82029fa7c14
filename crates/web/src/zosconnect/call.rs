//! A request to an API: its path and method choose an operation, whose mapping makes the request of a service and the
//! answer of the API.

use ::service::Services;
use ::service::activity::Ending;
use ::service::api::mapping::{MappingError, Response, Surroundings};
use ::service::api::{Found, Operation};
use ::service::deploy::Status;
use ::service::error::ServiceError;
use ::service::provider;
use ::service::provider::answer::{Content, ServiceAnswer};
use ::service::provider::request::ServiceRequest;
use ::service::registry::DeployedApi;
use bytes::Bytes;
use http::{Method, StatusCode};
use identity::Identity;

use super::apis;
use super::invoke::{self, refused};
use crate::answer::{Answer, Body};
use crate::csrf::CsrfRule;
use crate::error::ApiError;
use crate::request_body::RequestBody;
use crate::routes::{Access, Handler, Matched, PublicHandler, Route, Version, ZosConnectHandler};
use crate::service::Call;

/// What lies below the base path of an API; in no list, for APIs are deployed.
static CALL: Route = route(Handler::ZosConnect(ZosConnectHandler::CallApi), invoke::USERS, "Calls an API");
static DOCUMENT: Route = route(Handler::Public(PublicHandler::ApiDocument), Access::Everybody, "Describes an API");

const fn route(handler: Handler, access: Access, summary: &'static str) -> Route {
    Route { method: Method::POST, template: "/{api}", versions: &[], access, csrf: CsrfRule::Off, handler, summary }
}

/// A request whose path lies below the base path of an API.
pub(crate) fn by_base_path<'p>(services: &Services, method: &Method, path: &'p str) -> Option<Matched<'p>> {
    let (_, rest) = services.registry.api_of_path(path)?;
    let route = if apis::is_document(method, rest) { &DOCUMENT } else { &CALL };
    Some(Matched { index: None, route, version: Version::V1, parameters: [path, "", ""] })
}

/// The document of an API, for which nobody is asked who they are.
pub(crate) fn public(call: Call<'_>) -> Answer {
    let path = call.parts.uri.path();
    match call.shared.services.registry.api_of_path(path) {
        Some((deployed, _)) => apis::document(call, &deployed),
        None => refused(&ServiceError::not_found(path)),
    }
}

/// # Errors
/// The body does not come, or is too long. What the API or its service refuse is an answer like any other.
pub(crate) async fn call_api(
    call: Call<'_>,
    identity: &Identity,
    body: &mut RequestBody<'_>,
) -> Result<Answer, ApiError> {
    let path = call.parts.uri.path();
    // It may have gone since its route was found.
    let Some((deployed, rest)) = call.shared.services.registry.api_of_path(path) else {
        return Ok(refused(&ServiceError::not_found(path)));
    };
    if deployed.status() == Status::Stopped {
        return Ok(refused(&ServiceError::api_stopped(&deployed.content.name)));
    }
    let (operation, values) = match deployed.content.find(call.parts.method.as_str(), rest) {
        Found::Operation(operation, values) => (operation, values),
        Found::Nothing => return Ok(refused(&ServiceError::not_found(path))),
        Found::NoText(name) => {
            return Ok(refused(&ServiceError::parameter(&format!("the path parameter {name} is not UTF-8"))));
        }
        Found::OtherMethods => return Ok(invoke::without_method(call, &allowed(call, &deployed))),
    };
    let limits = &call.settings.options.limits;
    let body = body.read(limits, limits.body_bytes).await?;
    let Some(in_flight) = deployed.activity.admit(call.begun) else {
        return Ok(refused(&ServiceError::api_stopped(&deployed.content.name)));
    };
    let answer = serve(call, identity, &deployed, operation, &values, body).await;
    let said: &[u8] = if let Body::Whole(said) = answer.body() { said } else { b"" };
    let is_unanswered = answer.status() == StatusCode::NO_CONTENT && is_two_way(call, operation);
    in_flight.ended(Ending { status: answer.status().as_u16(), said, is_unanswered });
    Ok(answer)
}

fn is_two_way(call: Call<'_>, operation: &Operation) -> bool {
    let service = call.shared.services.registry.services.lookup(&operation.service);
    service.is_some_and(|service| service.content.service.provider.kind.is_two_way())
}

/// The methods of a path that its services have too.
fn allowed(call: Call<'_>, deployed: &DeployedApi) -> Vec<Method> {
    let rest = call.parts.uri.path().strip_prefix(deployed.content.base_path.as_str()).unwrap_or_default();
    let mut methods = Vec::new();
    for operation in deployed.content.operations_at(rest) {
        let Some(service) = call.shared.services.registry.services.lookup(&operation.service) else { continue };
        let also = (operation.method == "GET").then_some(Method::HEAD);
        let stated = operation.method.parse().ok().into_iter().chain(also);
        methods.extend(stated.filter(|method| invoke::methods_of(&service.content.service).contains(method)));
    }
    methods.dedup();
    methods
}

async fn serve(
    call: Call<'_>,
    identity: &Identity,
    deployed: &DeployedApi,
    operation: &Operation,
    values: &[(&str, std::borrow::Cow<'_, str>)],
    body: Bytes,
) -> Answer {
    let services = &*call.shared.services;
    let Some(service) = services.registry.services.lookup(&operation.service) else {
        return refused(&ServiceError::service_unknown(&operation.service));
    };
    let Some(method) = invoke::method(&call.parts.method, &service.content.service) else {
        return invoke::without_method(call, &allowed(call, deployed));
    };
    // A client made from the document of the API sends no body with a GET, and so no type of one. A POST has to name the type:
    // a foreign page may send one without being asked.
    let is_bare = body.is_empty() && operation.request.passes_body && call.parts.method != Method::POST;
    let is_made_here = is_bare || !operation.request.passes_body;
    let nothing = if is_made_here { service.content.service.empty_request() } else { Bytes::new() };
    let body = if is_bare { &nothing } else { &body };
    let query = match super::query(call) {
        Ok(query) => query,
        Err(error) => return invoke::refused_call(call, &deployed.content.name, &error),
    };
    let header = |name: &str| call.headers().get(name).and_then(|value| value.to_str().ok());
    let now = call.shared.now();
    let surroundings = Surroundings { path: values, query: &query, header: &header, nothing: &nothing, body, now };
    let body = match mapped_request(operation, &surroundings, service.content.request_schema.as_ref()) {
        Ok(body) => body,
        Err(error) => return invoke::refused_call(call, &deployed.content.name, &error),
    };
    let Some(in_flight) = service.activity.admit(call.begun) else {
        return refused(&ServiceError::service_stopped(&operation.service));
    };
    let mut headers = invoke::headers(call.headers());
    if is_made_here {
        // The body is of our own making, whatever came.
        headers.content_type = Some(b"application/json");
    }
    let request = ServiceRequest { method, headers, body };
    let answered =
        provider::invoke(&services.environment, &service.content.service, &identity.principal, &request).await;
    in_flight.ended(invoke::ending(&service.content.service, &answered));
    invoke::answer_call(call, mapped(answered, operation, &surroundings, deployed))
}

/// The body of the service's request.
fn mapped_request(
    operation: &Operation,
    surroundings: &Surroundings<'_>,
    schema: Option<&serde_json::Value>,
) -> Result<Bytes, ServiceError> {
    operation.map_request(surroundings, schema).map_err(|error| match error {
        MappingError::Body { problem } => ServiceError::not_an_object().with_details(problem),
        other => ServiceError::parameter(&other.to_string()),
    })
}

/// Only what succeeded with a body is mapped; an error is passed on unchanged.
fn mapped(
    answered: ServiceAnswer,
    operation: &Operation,
    surroundings: &Surroundings<'_>,
    deployed: &DeployedApi,
) -> ServiceAnswer {
    if answered.status != 200 || answered.body.is_empty() {
        return answered;
    }
    let is_text = matches!(answered.content, Content::Text);
    match Response::answer(&operation.responses, &answered.body, is_text, surroundings) {
        Ok((status, body)) => ServiceAnswer { status, body, ..answered },
        Err(error) => {
            let told = ServiceError::api_response(&deployed.content.name).with_details(error.to_string());
            told.log("API", &deployed.content.name);
            ServiceAnswer::failed(told)
        }
    }
}
