//! GET of `/qmgr/{qmgr}/changes`: the last changes of definitions, the newest first.

use http::StatusCode;
use identity::Identity;
use message_api::live::{Concern, Sight, Viewer as _};
use model::timestamp::Timestamp;
use operations::changes;

use crate::admin::Reached;
use crate::answer::Answer;
use crate::error::ApiError;
use crate::query;
use crate::service::Call;

use super::viewer::Looker;
use super::{history, json, selection};

const DEFAULT_PAGE: usize = 100;

/// # Errors
/// 400 a parameter, 404 there is no such queue manager.
pub(super) fn list(call: Call<'_>, identity: &Identity) -> Result<Answer, ApiError> {
    let (mut since, mut limit) = (None, None);
    query::each(call.query(), |name, value| match name {
        "since" => query::once(&mut since, name, history::moment(name, &value)?),
        "limit" => query::once(&mut limit, name, selection::number(name, &value)?),
        _ => Err(query::unknown(name)),
    })?;
    let manager = Reached::of(call)?.queue_manager;
    let looker = Looker::of(call, identity)?;
    let name = manager.name();
    let sees = |concern: &Concern| looker.sees(Sight::Problem(&name, concern));
    let since = since.unwrap_or(Timestamp::default());
    Ok(json(StatusCode::OK, &changes::list(&manager, since, limit.unwrap_or(DEFAULT_PAGE), sees)))
}
