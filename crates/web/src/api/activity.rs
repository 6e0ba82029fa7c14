//! GET of `/activity`: what services, APIs and API requesters have done, lately and in all, and their last errors.

use http::StatusCode;
use operations::problems::around::Around as _;

use crate::answer::Answer;
use crate::error::ApiError;
use crate::query;
use crate::service::Call;

use super::json;

/// # Errors
/// 400 a parameter.
pub(super) fn show(call: Call<'_>) -> Result<Answer, ApiError> {
    query::none(call.query())?;
    let shared = call.shared;
    let shown = shared.problems.activities.shown(shared.deployed(), shared.now());
    Ok(json(StatusCode::OK, &shown))
}
