//! `/qmgr/{qmgr}/problems`: what is wrong with a queue manager, with cause and next step, and what is not to be heard for a while.
//!
//! A user gets the problems of the objects that it may see (`viewer.rs`). Who sees a problem may mute it, for everybody.

use std::time::Duration;

use http::StatusCode;
use identity::Identity;
use message_api::live::{Concern, Sight, Viewer as _};
use message_api::time_text::read_duration;
use operations::problems::Mute;
use serde::Deserialize;

use crate::admin::{Reached, decode};
use crate::answer::Answer;
use crate::error::{self, ApiError};
use crate::query;
use crate::request_body::RequestBody;
use crate::service::Call;

use super::deliveries::{bad, read};
use super::json;
use super::viewer::Looker;

/// The longest time for which a problem is muted.
const LONGEST_MUTE: Duration = Duration::from_secs(30 * 86_400);

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Wish {
    r#for: String,
}

impl Wish {
    fn mute(&self) -> Result<Mute, ApiError> {
        if self.r#for == "change" {
            return Ok(Mute::UntilChange);
        }
        let time = read_duration(&self.r#for).filter(|time| !time.is_zero() && *time <= LONGEST_MUTE);
        time.map(Mute::For).ok_or_else(|| bad("for", &self.r#for, "`change`, or a time up to 30 days such as `1h`"))
    }
}

/// GET of `/problems`.
///
/// # Errors
/// 400, 404 there is no such queue manager.
pub(super) async fn list(call: Call<'_>, identity: &Identity) -> Result<Answer, ApiError> {
    query::none(call.query())?;
    let manager = Reached::of(call)?.queue_manager;
    let looker = Looker::of(call, identity)?;
    let name = manager.name();
    let sees = |concern: &Concern| looker.sees(Sight::Problem(&name, concern));
    let list = call.shared.problems.list(&manager, call.shared, sees).await;
    Ok(json(StatusCode::OK, &list))
}

/// PUT of `/problems/{problem}/mute`.
///
/// # Errors
/// 400, 404 there is no such problem that the user sees.
pub(super) async fn mute(call: Call<'_>, identity: &Identity, body: &mut RequestBody<'_>) -> Result<Answer, ApiError> {
    query::none(call.query())?;
    let wish: Wish = read(call, body).await?;
    set(call, identity, Some(wish.mute()?)).await
}

/// DELETE of `/problems/{problem}/mute`.
///
/// # Errors
/// As `mute`.
pub(super) async fn unmute(call: Call<'_>, identity: &Identity) -> Result<Answer, ApiError> {
    query::none(call.query())?;
    set(call, identity, None).await
}

async fn set(call: Call<'_>, identity: &Identity, mute: Option<Mute>) -> Result<Answer, ApiError> {
    let manager = Reached::of(call)?.queue_manager;
    let id = decode(call.parameters[1])?;
    let looker = Looker::of(call, identity)?;
    let name = manager.name();
    let sees = |concern: &Concern| looker.sees(Sight::Problem(&name, concern));
    let problem = call.shared.problems.mute(&manager, call.shared, &id, mute, sees).await;
    let problem = problem.map_err(|_| ApiError::new(&error::PROBLEM_UNKNOWN, &[&id]))?;
    let word = if mute.is_some() { "muted" } else { "unmuted" };
    tracing::info!(user = %identity.name, queue_manager = %name, problem = %id, "a problem was {word}");
    Ok(json(StatusCode::OK, &problem))
}
