//! GET of a queue manager's definitions as MQSC, as dmpmqcfg writes them: a resource of our own.
//!
//! Everything is shown, without checks of single objects, and therefore to administrators only. Passwords are left out.

use bytes::Bytes;
use command::DumpOptions;
use http::StatusCode;

use crate::answer::{self, Answer};
use crate::error::ApiError;
use crate::query;
use crate::service::Call;

use super::Reached;
use super::queue_change::flag;

/// # Errors
/// 400 a parameter that does not exist or makes no sense; 404 no such queue manager, 503 one that does not run.
pub(crate) fn show(call: Call<'_>) -> Result<Answer, ApiError> {
    let reached = Reached::of(call)?;
    let (mut object, mut kind, mut all, mut lines, mut defaults) = (None, None, None, None, None);
    query::each(call.query(), |name, value| match name {
        "name" => query::once(&mut object, name, value.into_owned()),
        "type" => query::once(&mut kind, name, value.into_owned()),
        "allAttributes" => query::once(&mut all, name, flag(name, &value)?),
        "oneLine" => query::once(&mut lines, name, flag(name, &value)?),
        "includeDefaults" => query::once(&mut defaults, name, flag(name, &value)?),
        _ => Err(query::unknown(name)),
    })?;
    let options = DumpOptions {
        all_attributes: all.is_some(),
        one_line: lines.is_some(),
        name: object,
        export: kind,
        include_defaults: defaults.is_some(),
    };
    let script = command::dump(&reached.queue_manager, &options);
    let mut answer = answer::text(StatusCode::OK, Bytes::from(script));
    reached.decorate(&mut answer);
    Ok(answer)
}
