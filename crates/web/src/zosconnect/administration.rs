//! Deploying, updating, starting, stopping and deleting, the same for everything that is deployed from archives.
//!
//! `Administered` has what differs between services, APIs and API requesters. What touches the disk is done where no
//! connection waits for it.
//! Source: z/OS Connect EE V3.0, "The administration interface".

use std::sync::Arc;

use ::service::deploy::{Artefact, DeployError, Deployed, Shelf, sentence};
use ::service::error::ServiceError;
use bytes::Bytes;
use http::{StatusCode, header};
use serde_json::{Map, Value, json};

use super::invoke::refused;
use super::{Wanted, found, name_of, registered, services};
use crate::answer::{self, Answer};
use crate::error::ApiError;
use crate::request_body::RequestBody;
use crate::server::Shared;
use crate::service::Call;

/// A kind of thing that is administered below `/zosConnect`.
pub(super) trait Administered: Artefact {
    fn shelf(shared: &Shared) -> &Arc<Shelf<Self>>;

    /// What is answered when it is shown, deployed, changed.
    fn details(call: Call<'_>, deployed: &Deployed<Self>) -> Value;

    fn unknown(name: &str) -> ServiceError;
}

/// What the path names.
///
/// # Errors
/// Nothing of the name is deployed.
pub(super) fn lookup<T: Administered>(call: Call<'_>) -> Result<Arc<Deployed<T>>, ServiceError> {
    let name = name_of(call);
    T::shelf(call.shared).lookup(&name).ok_or_else(|| T::unknown(&name))
}

/// Its details, or with `action=getStatistics` what has become of its requests.
pub(super) fn show<T: Administered>(call: Call<'_>) -> Answer {
    let deployed = match lookup::<T>(call) {
        Ok(deployed) => deployed,
        Err(error) => return refused(&error),
    };
    let wanted = match Wanted::of(call) {
        Ok(wanted) => wanted,
        Err(error) => return refused(&error),
    };
    match wanted.action.as_deref() {
        None | Some("status") => found(&T::details(call, &deployed)),
        Some("getStatistics" | "statistics") => found(&statistics(&deployed)),
        Some(other) => refused(&ServiceError::query("action", other)),
    }
}

fn statistics<T: Administered>(deployed: &Deployed<T>) -> Value {
    json!({ deployed.content.name(): counted(deployed) })
}

/// What everything that is deployed says of its requests.
pub(super) fn counted<T>(deployed: &Deployed<T>) -> Map<String, Value> {
    let seen = deployed.activity.statistics();
    Map::from_iter([
        ("InvokeRequestCount".to_owned(), json!(seen.requests.to_string())),
        ("TimeOfRegistrationWithZosConnect".to_owned(), json!(registered(deployed.registered))),
        ("ServiceStatistics".to_owned(), services::counters(&seen)),
    ])
}

/// An archive; what is in it is started unless `status` says otherwise.
///
/// # Errors
/// The body does not come, or is too long.
pub(super) async fn deploy<T: Administered>(call: Call<'_>, body: &mut RequestBody<'_>) -> Result<Answer, ApiError> {
    let (status, archive) = match (Wanted::of(call).and_then(|wanted| wanted.status()), archive(call, body).await?) {
        (Ok(status), Ok(archive)) => (status, archive),
        (Err(error), _) | (_, Err(error)) => return Ok(refused(&error)),
    };
    let outcome = on_shelf::<T, _>(call, move |shelf| shelf.deploy(&archive, status)).await;
    Ok(shown(call, StatusCode::CREATED, outcome))
}

/// Without a body: starts or stops. With one: replaces the archive of what is stopped.
///
/// # Errors
/// The body does not come, or is too long.
pub(super) async fn change<T: Administered>(call: Call<'_>, body: &mut RequestBody<'_>) -> Result<Answer, ApiError> {
    let name = name_of(call).into_owned();
    let status = match Wanted::of(call).and_then(|wanted| wanted.status()) {
        Ok(status) => status,
        Err(error) => return Ok(refused(&error)),
    };
    let outcome = if body.is_at_end() {
        let Some(status) = status else { return Ok(refused(&ServiceError::query("status", ""))) };
        on_shelf::<T, _>(call, move |shelf| shelf.set_status(&name, status)).await
    } else {
        match archive(call, body).await? {
            Ok(archive) => on_shelf::<T, _>(call, move |shelf| shelf.update(&name, &archive, status)).await,
            Err(error) => Err(error),
        }
    };
    Ok(shown(call, StatusCode::OK, outcome))
}

/// What is started is refused.
pub(super) async fn delete<T: Administered>(call: Call<'_>) -> Answer {
    let name = name_of(call).into_owned();
    let gone = json!({ "name": name });
    match on_shelf::<T, _>(call, move |shelf| shelf.delete(&name)).await {
        Ok(()) => found(&gone),
        Err(error) => refused(&error),
    }
}

fn shown<T: Administered>(
    call: Call<'_>,
    status: StatusCode,
    outcome: Result<Arc<Deployed<T>>, ServiceError>,
) -> Answer {
    match outcome {
        Ok(deployed) => answer::json(status, T::details(call, &deployed).to_string()),
        Err(error) => refused(&error),
    }
}

/// The archive in a body.
///
/// # Errors
/// The outer one: the body does not come, or is too long. The inner one: it is said to be something else.
async fn archive(call: Call<'_>, body: &mut RequestBody<'_>) -> Result<Result<Bytes, ServiceError>, ApiError> {
    let value = call.headers().get(header::CONTENT_TYPE).map_or("", |value| value.to_str().unwrap_or("?"));
    let essence = value.split(';').next().unwrap_or_default().trim();
    if !essence.eq_ignore_ascii_case("application/zip") {
        return Ok(Err(ServiceError::archive_type(value)));
    }
    let limits = &call.settings.options.limits;
    Ok(Ok(body.read(limits, limits.body_bytes).await?))
}

async fn on_shelf<T: Administered, R: Send + 'static>(
    call: Call<'_>,
    work: impl FnOnce(&Shelf<T>) -> Result<R, DeployError> + Send + 'static,
) -> Result<R, ServiceError> {
    let shelf = Arc::clone(T::shelf(call.shared));
    match tokio::task::spawn_blocking(move || work(&shelf)).await {
        Ok(outcome) => outcome.map_err(|error| told::<T>(&error)),
        Err(_) => Err(ServiceError::not_kept()),
    }
}

fn told<T: Administered>(error: &DeployError) -> ServiceError {
    match error {
        DeployError::Unknown { name, .. } => T::unknown(name),
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
