//! z/OS Connect's resources: services and APIs invoked, and administered below `/zosConnect`.

pub(crate) mod apis;
pub(crate) mod call;
pub(crate) mod invoke;
pub(crate) mod services;

use std::borrow::Cow;
use std::sync::Arc;

use ::service::deploy::{DeployError, Status, sentence};
use ::service::error::ServiceError;
use ::service::registry::Registry;
use bytes::Bytes;
use http::{StatusCode, header};
use hyper::body::Incoming;
use model::timestamp::Timestamp;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::Value;

use crate::answer::{self, Answer};
use crate::error::ApiError;
use crate::limit;
use crate::service::Call;

/// What stands in a part of a path as it is.
const PART: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

fn found(value: &Value) -> Answer {
    answer::json(StatusCode::OK, value.to_string())
}

fn created(value: &Value) -> Answer {
    answer::json(StatusCode::CREATED, value.to_string())
}

/// The name in the path; what is not UTF-8 is nobody's name.
fn name_of(call: Call<'_>) -> Cow<'_, str> {
    percent_decode_str(call.parameters[0]).decode_utf8_lossy()
}

/// Scheme, host and port as the client named them.
fn origin(call: Call<'_>) -> String {
    let scheme = if call.over_tls { "https" } else { "http" };
    let host = call.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    let host = host.or_else(|| call.parts.uri.authority().map(http::uri::Authority::as_str));
    format!("{scheme}://{}", host.unwrap_or("localhost"))
}

fn percent_encoded(name: &str) -> String {
    utf8_percent_encode(name, PART).to_string()
}

/// `2017-11-13 17:28:28:589 GMT`.
fn registered(at: Timestamp) -> String {
    let at = at.date_time();
    format!(
        "{:04}-{:02}-{:02} {:02}:{:02}:{:02}:{:03} GMT",
        at.year(),
        u8::from(at.month()),
        at.day(),
        at.hour(),
        at.minute(),
        at.second(),
        at.millisecond()
    )
}

/// What a query asks for. Other parameters are passed over, as they are there.
struct Wanted {
    action: Option<String>,
    status: Option<String>,
    version: Option<String>,
}

impl Wanted {
    fn of(call: Call<'_>) -> Self {
        let query = ::service::api::query(call.query().unwrap_or_default());
        let value =
            |wanted: &str| query.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.clone().into_owned());
        Self { action: value("action"), status: value("status"), version: value("version") }
    }

    /// `status=started|stopped`, or the older `action=start|stop`.
    fn status(&self) -> Result<Option<Status>, ServiceError> {
        match (self.status.as_deref(), self.action.as_deref()) {
            (Some(word), _) => Status::parse(word).map(Some).ok_or_else(|| ServiceError::query("status", word)),
            (None, Some("start")) => Ok(Some(Status::Started)),
            (None, Some("stop")) => Ok(Some(Status::Stopped)),
            (None, Some(other)) => Err(ServiceError::query("action", other)),
            (None, None) => Ok(None),
        }
    }
}

/// The archive in a body.
///
/// # Errors
/// The outer one: the body does not come, or is too long. The inner one: it is said to be something else.
async fn archive(call: Call<'_>, body: Incoming) -> Result<Result<Bytes, ServiceError>, ApiError> {
    let value = call.headers().get(header::CONTENT_TYPE).map_or("", |value| value.to_str().unwrap_or("?"));
    let essence = value.split(';').next().unwrap_or_default().trim();
    if !essence.eq_ignore_ascii_case("application/zip") {
        return Ok(Err(ServiceError::archive_type(value)));
    }
    Ok(Ok(limit::read(body, &call.settings.options.limits).await?))
}

/// Does what touches the disk where no connection waits for it.
async fn blocking<T: Send + 'static>(
    call: Call<'_>,
    work: impl FnOnce(&Registry) -> Result<T, DeployError> + Send + 'static,
) -> Result<T, ServiceError> {
    let services = Arc::clone(&call.shared.services);
    match tokio::task::spawn_blocking(move || work(&services.registry)).await {
        Ok(outcome) => outcome.map_err(|error| told(&error)),
        Err(_) => Err(ServiceError::not_kept()),
    }
}

fn told(error: &DeployError) -> ServiceError {
    match error {
        DeployError::Unknown { word: "service", name } => ServiceError::service_unknown(name),
        DeployError::Unknown { name, .. } => ServiceError::api_unknown(name),
        DeployError::Exists { word, name } => ServiceError::name_taken(word, name),
        DeployError::Clash(problem) => ServiceError::clash(problem),
        DeployError::NotStopped { word, name } => ServiceError::not_stopped(word, name),
        DeployError::Busy { word, name } => ServiceError::busy(word, name),
        DeployError::OtherName { word, name, found } => ServiceError::other_name(word, found, name),
        DeployError::Archive(problem) => ServiceError::bad_archive().with_details(problem.to_string()),
        DeployError::File { .. } => {
            tracing::error!("{}", sentence(error));
            ServiceError::not_kept()
        }
    }
}
