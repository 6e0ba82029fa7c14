//! z/OS Connect's resources: services, APIs and API requesters invoked, and administered below `/zosConnect`.
//!
//! A file for each kind (`services`, `apis`, `requesters`); `administration` is what the kinds have in common.
//! Owns: paths, headers and bodies of these resources. Never: decides what a call does; `service` and `requester` do.

pub(crate) mod call;
pub(crate) mod invoke;
pub(crate) mod requesters;

mod administration;
mod apis;
mod services;

use std::borrow::Cow;

use ::requester::RequesterDefinition;
use ::service::api::ApiDefinition;
use ::service::archive::service::ServiceContent;
use ::service::deploy::Status;
use ::service::error::ServiceError;
use http::{StatusCode, header};
use identity::Identity;
use model::timestamp::Timestamp;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use crate::answer::{self, Answer};
use crate::error::ApiError;
use crate::request_body::RequestBody;
use crate::routes::ZosConnectHandler;
use crate::service::Call;

/// What is seldom is boxed, each kind by itself, so that a request takes no more room than the usual one needs.
///
/// # Errors
/// The body does not come, or is too long. What is refused otherwise is an answer like any other.
pub(crate) async fn handle(
    call: Call<'_>,
    handler: ZosConnectHandler,
    identity: &Identity,
    body: &mut RequestBody<'_>,
) -> Result<Answer, ApiError> {
    use ZosConnectHandler as Handler;
    match handler {
        Handler::InvokeService | Handler::InvokeByPath => invoke::invoke(call, handler, identity, body).await,
        Handler::CallApi => Box::pin(call::call_api(call, identity, body)).await,
        Handler::ListServices => Ok(services::list(call)),
        Handler::ShowService => Ok(services::show(call)),
        Handler::ShowServiceSchema => Ok(services::show_schema(call)),
        Handler::ShowServiceStatistics => Ok(services::all_statistics(call)),
        Handler::DeployService => Box::pin(administration::deploy::<ServiceContent>(call, body)).await,
        Handler::ChangeService => Box::pin(administration::change::<ServiceContent>(call, body)).await,
        Handler::DeleteService => Ok(Box::pin(administration::delete::<ServiceContent>(call)).await),
        Handler::ListApis => Ok(apis::list(call)),
        Handler::ShowApi => Ok(administration::show::<ApiDefinition>(call)),
        Handler::DeployApi => Box::pin(administration::deploy::<ApiDefinition>(call, body)).await,
        Handler::ChangeApi => Box::pin(administration::change::<ApiDefinition>(call, body)).await,
        Handler::DeleteApi => Ok(Box::pin(administration::delete::<ApiDefinition>(call)).await),
        Handler::CallRequester => Box::pin(requesters::call(call, body)).await,
        Handler::ListRequesters => Ok(requesters::list(call)),
        Handler::ShowRequester => Ok(administration::show::<RequesterDefinition>(call)),
        Handler::DeployRequester => Box::pin(administration::deploy::<RequesterDefinition>(call, body)).await,
        Handler::ChangeRequester => Box::pin(administration::change::<RequesterDefinition>(call, body)).await,
        Handler::DeleteRequester => Ok(Box::pin(administration::delete::<RequesterDefinition>(call)).await),
    }
}

/// What is in a part of a path as it is.
const PART: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

fn found(value: &Value) -> Answer {
    answer::json(StatusCode::OK, value.to_string())
}

/// The name in the path.
fn name_of(call: Call<'_>) -> Cow<'_, str> {
    invoke::decoded(call.parameters[0])
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

/// Where a service is administered and invoked.
pub(crate) fn path_of_service(name: &str) -> String {
    format!("/zosConnect/services/{}", percent_encoded(name))
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

/// Names and values of the query.
fn query(call: Call<'_>) -> Result<Vec<(String, String)>, ServiceError> {
    ::service::api::query(call.query().unwrap_or_default()).ok_or_else(ServiceError::query_not_text)
}

/// What a query asks for. Other parameters are passed over, as they are there.
struct Wanted {
    action: Option<String>,
    status: Option<String>,
    version: Option<String>,
}

impl Wanted {
    fn of(call: Call<'_>) -> Result<Self, ServiceError> {
        let query = query(call)?;
        let value = |wanted: &str| query.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.clone());
        Ok(Self { action: value("action"), status: value("status"), version: value("version") })
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
