//! `/zosConnect/apiRequesters`: programs call APIs here, through the communication stub or any HTTP client; which API
//! requesters are deployed, and deploying, updating, starting, stopping and deleting them.
//!
//! The bytes of a call are specified in `docs/stub-protocol.md`. Whatever becomes of one that reached an API requester, the
//! answer has status 200 and says in its headers what it is.
//!
//! Who calls has to say who he is and hold the role MQWebUser, unless `zosconnect.require_auth` (or that of the API requester)
//! is off: then callers on this machine are taken as they come, others only where `zosconnect.anonymous_from` says so.
//! Administration is never open to everybody. There is no CSRF header: a foreign page cannot send a body of type
//! application/octet-stream unasked, and no other type is taken.
//!
//! Source: z/OS Connect EE V3.0, "Administering API requesters with the administration interface".

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use ::requester::conversion::RecordForm;
use ::requester::{
    Call as RequesterCall, Credentials, DeployedRequester, Outcome, RequesterDefinition, RequesterError, ReturnCode,
};
use ::service::deploy::Shelf;
use ::service::error::ServiceError;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

use super::administration::Administered;
use super::invoke::refused;
use super::{found, name_of, origin, percent_encoded};
use crate::answer::{self, Answer};
use crate::error::ApiError;
use crate::options::AnonymousFrom;
use crate::request_body::RequestBody;
use crate::routes::{Handler, Matched, ROUTES, Version, ZosConnectHandler};
use crate::server::Shared;
use crate::service::Call;

const BELOW: &str = "/zosConnect/apiRequesters/";

const RETURN_CODE: HeaderName = HeaderName::from_static("baq-return-code");
const STATUS_CODE: HeaderName = HeaderName::from_static("baq-status-code");
const BASE_LENGTH: HeaderName = HeaderName::from_static("baq-base-length");

const RECORD: HeaderValue = HeaderValue::from_static("application/octet-stream");

/// What serves calls.
pub(crate) const CALL: Handler = Handler::ZosConnect(ZosConnectHandler::CallRequester);

/// Where calls are in the route table.
static CALLS: LazyLock<Option<usize>> = LazyLock::new(|| ROUTES.iter().position(|route| route.handler == CALL));

/// A call of an API requester, found without a walk through the route table.
pub(crate) fn by_name<'p>(method: &Method, path: &'p str) -> Option<Matched<'p>> {
    if *method != Method::POST {
        return None;
    }
    let name = path.strip_prefix(BELOW)?;
    let name = name.strip_suffix('/').unwrap_or(name);
    let index = (*CALLS)?;
    let is_name = !name.is_empty() && !name.contains('/');
    is_name.then_some(Matched {
        index: Some(index),
        route: &ROUTES[index],
        version: Version::V1,
        parameters: [name, "", ""],
    })
}

/// The refusal of a call without TLS where TLS is required: the way to it, as Liberty answers.
pub(crate) fn insecure(call: Call<'_>) -> Option<Answer> {
    let name = name_of(call);
    let (_, own) = call.shared.requesters.requirements(&name);
    if call.over_tls || !own.unwrap_or(call.settings.options.zosconnect.require_secure) {
        return None;
    }
    let mut answer = refused(&in_the_form_of_services(RequesterError::secure_required(&name)));
    if let Some(location) = location(call) {
        answer.headers_mut().insert(header::LOCATION, location);
    }
    Some(answer)
}

/// The same by HTTPS.
fn location(call: Call<'_>) -> Option<HeaderValue> {
    let port = call.shared.https_port.get()?;
    let host = call.headers().get(header::HOST)?.to_str().ok()?;
    let host = host
        .rsplit_once(':')
        .filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()))
        .map_or(host, |(host, _)| host);
    let target = call.parts.uri.path_and_query()?;
    HeaderValue::try_from(format!("https://{host}:{port}{target}")).ok()
}

/// Whether a call is served without asking who it comes from.
pub(crate) fn is_for_everybody(call: Call<'_>, is_local: bool) -> bool {
    let zosconnect = &call.settings.options.zosconnect;
    let (own, _) = call.shared.requesters.requirements(&name_of(call));
    let is_open = !own.unwrap_or(zosconnect.require_auth);
    is_open && (zosconnect.anonymous_from == AnonymousFrom::Anywhere || (is_local && names_this_machine(call)))
}

/// Whether the host that the caller asked for is an address or a name without a domain. A page from elsewhere whose name has
/// been made to lead here is of another origin for everybody but its browser.
fn names_this_machine(call: Call<'_>) -> bool {
    let host = call.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    let Some(host) = host.or_else(|| call.parts.uri.host()) else { return false };
    if host.starts_with('[') {
        return true;
    }
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    name.parse::<std::net::IpAddr>().is_ok() || !name.trim_end_matches('.').contains('.')
}

/// # Errors
/// The body does not come, or is too long. What else goes wrong is an answer like any other.
pub(crate) async fn call(call: Call<'_>, body: &mut RequestBody<'_>) -> Result<Answer, ApiError> {
    let media_type = call.headers().get(header::CONTENT_TYPE).map_or("", |value| value.to_str().unwrap_or("?"));
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    if !essence.eq_ignore_ascii_case("application/octet-stream") {
        return Ok(refused(&in_the_form_of_services(RequesterError::record_type(media_type))));
    }
    let limits = &call.settings.options.limits;
    let record = body.read(limits, limits.body_bytes).await?;
    let name = name_of(call);
    let asked = match asked(call) {
        Ok(asked) => asked,
        Err(error) => return Ok(answered(Outcome::failed(&error))),
    };
    let outcome = call
        .shared
        .requesters
        .call(RequesterCall {
            name: &name,
            path: &asked.path,
            method: &asked.method,
            form: asked.form,
            record,
            credentials: asked.credentials,
            short_record: asked.short_record,
            maximum_answer: limits.body_bytes,
        })
        .await;
    Ok(answered(outcome))
}

/// What a call says beside its name and its record.
struct Asked<'a> {
    path: Cow<'a, str>,
    method: Cow<'a, str>,
    form: Option<RecordForm>,
    short_record: bool,
    credentials: Credentials,
}

fn asked(call: Call<'_>) -> Result<Asked<'_>, RequesterError> {
    let query = call.parts.uri.query().unwrap_or_default();
    let parameter = |wanted: &str| {
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        let value = pairs.find(|(name, _)| *name == wanted).map(|(_, value)| value);
        let value = value.and_then(|value| percent_decode_str(value).decode_utf8().ok());
        value.filter(|value| !value.trim().is_empty()).ok_or_else(|| RequesterError::parameter_missing(wanted))
    };
    let mut asked = Asked {
        path: plain(parameter("apiPath")?),
        method: parameter("apiMethod")?,
        form: None,
        short_record: false,
        credentials: Credentials::default(),
    };
    read_headers(call.headers(), &mut asked)?;
    Ok(asked)
}

/// Headers that begin with `Baq-`; most calls have one or two, which are found in one walk.
fn read_headers(headers: &HeaderMap, asked: &mut Asked<'_>) -> Result<(), RequesterError> {
    let Asked { form, short_record, credentials, .. } = asked;
    for (name, value) in headers {
        let Some(word) = name.as_str().strip_prefix("baq-") else { continue };
        let credential = match word {
            "record-form" => {
                let text = value.to_str().unwrap_or("?");
                *form = Some(RecordForm::parse(text).ok_or_else(|| RequesterError::record_form(text))?);
                continue;
            }
            "short-record" => {
                *short_record = value.as_bytes().eq_ignore_ascii_case(b"yes");
                continue;
            }
            "oauth-username" => &mut credentials.oauth_username,
            "oauth-password" => &mut credentials.oauth_password,
            "oauth-client-id" => &mut credentials.oauth_client_id,
            "oauth-client-secret" => &mut credentials.oauth_client_secret,
            "oauth-scope" => &mut credentials.oauth_scope,
            "token-username" => &mut credentials.token_username,
            "token-password" => &mut credentials.token_password,
            _ => continue,
        };
        // The first of several counts.
        if credential.is_none() {
            let decoded = percent_encoding::percent_decode(value.as_bytes()).decode_utf8();
            *credential = Some(decoded.map_err(|_| RequesterError::header(name.as_str()))?.into_owned());
        }
    }
    Ok(())
}

/// A path that was encoded before it became a parameter, as in API information members, is decoded once more.
fn plain(path: Cow<'_, str>) -> Cow<'_, str> {
    if path.starts_with('/') || !path.starts_with('%') {
        return path;
    }
    match percent_decode_str(&path).decode_utf8() {
        Ok(decoded) => Cow::Owned(decoded.into_owned()),
        Err(_) => path,
    }
}

fn answered(outcome: Outcome) -> Answer {
    let (code, content_type) = match outcome.return_code {
        ReturnCode::Success => ("0", RECORD),
        ReturnCode::ErrorInApi => ("1", answer::TEXT),
        ReturnCode::ErrorInServer => ("2", answer::TEXT),
    };
    let mut answer = answer::with_body(StatusCode::OK, Some(content_type), outcome.body);
    let headers = answer.headers_mut();
    headers.insert(RETURN_CODE, HeaderValue::from_static(code));
    headers.insert(STATUS_CODE, HeaderValue::from(outcome.status));
    if let Some(base) = outcome.base {
        headers.insert(BASE_LENGTH, HeaderValue::from(base));
    }
    answer
}

impl Administered for RequesterDefinition {
    fn shelf(shared: &Shared) -> &Arc<Shelf<Self>> {
        &shared.requesters.shelf
    }

    fn details(call: Call<'_>, deployed: &DeployedRequester) -> Value {
        details(call, deployed)
    }

    fn unknown(name: &str) -> ServiceError {
        in_the_form_of_services(RequesterError::requester_unknown(name))
    }
}

fn in_the_form_of_services(RequesterError { id, status, message }: RequesterError) -> ServiceError {
    ServiceError { id, status, message, details: None }
}

pub(super) fn list(call: Call<'_>) -> Answer {
    let requesters = call.shared.requesters.shelf.all();
    let one = |deployed: &Arc<DeployedRequester>| details(call, deployed);
    found(&json!({ "apiRequesters": requesters.values().map(one).collect::<Vec<_>>() }))
}

fn details(call: Call<'_>, deployed: &DeployedRequester) -> Value {
    let requester = &deployed.content;
    json!({
        "name": requester.name,
        "version": requester.version,
        "description": requester.description,
        "status": deployed.status().shown(),
        "apiRequesterUrl": format!("{}{BELOW}{}", origin(call), percent_encoded(&requester.name)),
        "connection": call.shared.requesters.connection_of(requester),
    })
}
