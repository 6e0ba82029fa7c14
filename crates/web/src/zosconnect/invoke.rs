//! Invoking a service: by its name under `/zosConnect/services` with `action=invoke`, or by a path of its own.
//!
//! Here HTTP becomes a `ServiceRequest` and a `ServiceAnswer` HTTP; what happens between is `service`'s. Any method is let
//! through: which ones a service has, it says itself. There is no CSRF header on these paths, as there is none on IBM's: a
//! foreign page cannot send what they take, a body of type application/json or another method than GET or POST, without
//! being asked first.

use std::borrow::Cow;

use ::service::Services;
use ::service::activity::Ending;
use ::service::definition::{Kind, Service};
use ::service::error::ServiceError;
use ::service::provider;
use ::service::provider::answer::{Content, Identifiers, ServiceAnswer};
use ::service::provider::request::{self, Headers, ServiceRequest};
use bytes::Bytes;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Method, StatusCode};
use identity::{Identity, Roles};
use percent_encoding::percent_decode_str;

use crate::answer::{self, Answer};
use crate::csrf::CsrfRule;
use crate::error::ApiError;
use crate::request_body::RequestBody;
use crate::routes::{Access, Handler, Matched, Route, Version, ZosConnectHandler};
use crate::service::Call;

const SERVICES: &str = "/zosConnect/services/";

const MESSAGE_ID: HeaderName = HeaderName::from_static("ibm-mq-md-msgid");
const CORRELATION_ID: HeaderName = HeaderName::from_static("ibm-mq-md-correlid");

/// What services by name are reached by; it is in no list, for what it leads to is deployed.
static BY_NAME: Route = route(ZosConnectHandler::InvokeService);
static BY_PATH: Route = route(ZosConnectHandler::InvokeByPath);

/// Who may invoke.
pub(crate) const USERS: Access = Access::Role(Roles::MQWEB_USER);

const fn route(handler: ZosConnectHandler) -> Route {
    Route {
        method: Method::POST,
        template: "/zosConnect/services/{service}",
        versions: &[],
        access: USERS,
        csrf: CsrfRule::Off,
        handler: Handler::ZosConnect(handler),
        summary: "Invokes a service",
    }
}

/// Whether a request invokes a service by its name. Asked before the route table is.
pub(crate) fn by_name<'p>(path: &'p str, query: Option<&str>) -> Option<Matched<'p>> {
    let name = path.strip_prefix(SERVICES)?;
    let name = name.strip_suffix('/').unwrap_or(name);
    let invokes = query?.split('&').any(|parameter| parameter == "action=invoke");
    (invokes && !name.is_empty() && !name.contains('/')).then_some(matched(&BY_NAME, name))
}

/// A request whose path the route table does not have, but a service.
pub(crate) fn by_path<'p>(services: &Services, path: &'p str) -> Option<Matched<'p>> {
    services.registry.service_of_uri(path).is_some().then_some(matched(&BY_PATH, path))
}

fn matched<'p>(route: &'static Route, parameter: &'p str) -> Matched<'p> {
    Matched { index: None, route, version: Version::V1, parameters: [parameter, "", ""] }
}

/// # Errors
/// The body does not come, or is too long. What services refuse is an answer like any other.
pub(crate) async fn invoke(
    call: Call<'_>,
    handler: ZosConnectHandler,
    identity: &Identity,
    body: &mut RequestBody<'_>,
) -> Result<Answer, ApiError> {
    let services = &*call.shared.services;
    let [parameter, ..] = call.parameters;
    let deployed = if handler == ZosConnectHandler::InvokeByPath {
        services.registry.service_of_uri(parameter).ok_or_else(|| ServiceError::service_unavailable(parameter))
    } else {
        let name = decoded(parameter);
        services.registry.services.lookup(&name).ok_or_else(|| ServiceError::service_unknown(&name))
    };
    let deployed = match deployed {
        Ok(deployed) => deployed,
        Err(error) => return Ok(refused(&error)),
    };
    let service = &deployed.content.service;
    let Some(in_flight) = deployed.activity.admit(call.begun) else {
        return Ok(refused(&ServiceError::service_stopped(&service.name)));
    };
    let Some(method) = method(&call.parts.method, service) else {
        let answer = without_method(call, methods_of(service));
        in_flight.ended(Ending { status: answer.status().as_u16(), said: b"", is_unanswered: false });
        return Ok(answer);
    };
    let limits = &call.settings.options.limits;
    let body = match body.read(limits, limits.body_bytes).await {
        Ok(body) => body,
        Err(error) => {
            in_flight.ended(Ending { status: error.status().as_u16(), said: b"", is_unanswered: false });
            return Err(error);
        }
    };
    let request = ServiceRequest { method, headers: headers(call.headers()), body };
    let answered = provider::invoke(&services.environment, service, &identity.principal, &request).await;
    in_flight.ended(ending(service, &answered));
    Ok(answer_call(call, answered))
}

/// How an answer counts.
pub(super) fn ending<'a>(service: &Service, answered: &'a ServiceAnswer) -> Ending<'a> {
    let is_unanswered = answered.status == 204 && service.provider.kind.is_two_way();
    Ending { status: answered.status, said: &answered.body, is_unanswered }
}

/// A name in a path; what is not UTF-8 is nobody's.
pub(crate) fn decoded(name: &str) -> Cow<'_, str> {
    // Without a `%` it is the name as it stands.
    if name.contains('%') { percent_decode_str(name).decode_utf8_lossy() } else { Cow::Borrowed(name) }
}

/// `None`: the service does not have it. HEAD only browses: its answer has no body, so that a message it took, or a reply,
/// would be lost.
pub(super) fn method(method: &Method, service: &Service) -> Option<request::Method> {
    let known = match *method {
        Method::GET | Method::HEAD => request::Method::Get,
        Method::POST => request::Method::Post,
        Method::PUT => request::Method::Put,
        Method::PATCH => request::Method::Patch,
        Method::DELETE => request::Method::Delete,
        _ => return None,
    };
    methods_of(service).contains(method).then_some(known)
}

pub(super) fn methods_of(service: &Service) -> &'static [Method] {
    static OF_A_QUEUE: [Method; 4] = [Method::POST, Method::GET, Method::HEAD, Method::DELETE];
    static OF_A_TOPIC: [Method; 1] = [Method::POST];
    static ANY: [Method; 5] = [Method::POST, Method::GET, Method::PUT, Method::PATCH, Method::DELETE];
    match service.provider.kind {
        Kind::Queue => &OF_A_QUEUE,
        Kind::Topic => &OF_A_TOPIC,
        Kind::TwoWay { .. } | Kind::Put | Kind::Get => &ANY,
    }
}

/// 405; to OPTIONS, which asks for no more, 200.
pub(super) fn without_method(call: Call<'_>, allowed: &[Method]) -> Answer {
    let allowed: Vec<_> = allowed.iter().map(Method::as_str).collect();
    let allowed = HeaderValue::try_from(allowed.join(", ")).expect("method names are ASCII");
    let mut answer = match call.parts.method {
        Method::OPTIONS => answer::of_service(StatusCode::OK, None, Bytes::new()),
        ref method => refused(&ServiceError::method(method.as_str(), call.parts.uri.path())),
    };
    answer.headers_mut().insert(header::ALLOW, allowed);
    answer
}

/// Of a header that comes more than once, the first.
pub(super) fn headers(headers: &HeaderMap) -> Headers<'_> {
    let mut found = Headers::default();
    for (name, value) in headers {
        let place = match name.as_str() {
            "content-type" => &mut found.content_type,
            "ibm-mq-md-msgid" => &mut found.message_id,
            "ibm-mq-md-correlid" => &mut found.correlation_id,
            "ibm-mq-md-persistence" => &mut found.persistence,
            "ibm-mq-md-expiry" => &mut found.expiry,
            "ibm-mq-gmo-waitinterval" => &mut found.wait_interval,
            "ibm-mq-pmo-retain" => &mut found.retain,
            "ibm-mq-usr" => &mut found.user_properties,
            _ => continue,
        };
        place.get_or_insert(value.as_bytes());
    }
    found
}

/// An error as services tell it.
pub(crate) fn refused(error: &ServiceError) -> Answer {
    answer(ServiceAnswer::failed(error.clone()))
}

/// An error that a caller of an API made, told as far as callers may know.
pub(super) fn refused_call(call: Call<'_>, api: &str, error: &ServiceError) -> Answer {
    error.log("API", api);
    answer_call(call, ServiceAnswer::failed(error.clone()))
}

/// The answer to a caller: without the details of an error, where the configuration hides them.
pub(super) fn answer_call(call: Call<'_>, answered: ServiceAnswer) -> Answer {
    let hides = !call.settings.options.zosconnect.error_details;
    answer(if hides { answered.without_details() } else { answered })
}

pub(crate) fn answer(answered: ServiceAnswer) -> Answer {
    let status = StatusCode::from_u16(answered.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let content_type = match answered.content {
        _ if answered.body.is_empty() => None,
        Content::Json => Some(answer::JSON),
        Content::Text => Some(answer::TEXT),
    };
    let mut made = answer::of_service(status, content_type, answered.body);
    if let Some(Identifiers { message_id, correlation_id }) = answered.message {
        let headers = made.headers_mut();
        headers.insert(MESSAGE_ID, identifier(message_id.as_bytes()));
        headers.insert(CORRELATION_ID, identifier(correlation_id.as_bytes()));
    }
    made
}

/// Both hexadecimal digits of each byte.
static DIGITS: [[u8; 2]; 256] = {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut pairs = [[0; 2]; 256];
    let mut byte = 0;
    while byte < 256 {
        pairs[byte] = [DIGITS[byte >> 4], DIGITS[byte & 15]];
        byte += 1;
    }
    pairs
};

/// `0x:` and the digits, as requests state identifiers.
fn identifier(bytes: &[u8; 24]) -> HeaderValue {
    let mut text = [0; 51];
    text[..3].copy_from_slice(b"0x:");
    let (pairs, _) = text[3..].as_chunks_mut::<2>();
    for (pair, byte) in pairs.iter_mut().zip(bytes) {
        *pair = DIGITS[usize::from(*byte)];
    }
    HeaderValue::from_bytes(&text).expect("hexadecimal digits stand in headers")
}
