//! Whether the process works, and whether it serves.

use bytes::Bytes;
use http::StatusCode;
use queue_manager::registry::Unavailable;

use crate::answer::{self, Answer};
use crate::error::ApiError;
use crate::query;
use crate::server::Shared;

pub(crate) fn live() -> Answer {
    answer::text(StatusCode::OK, Bytes::from_static(b"live\n"))
}

/// 200 between `set_ready` and the beginning of a shutdown while a queue manager takes work, else 503. With `qmgr` it is
/// about that queue manager alone, and 503 tells its state; a remote one takes work unless the last attempt to connect failed.
///
/// # Errors
/// 400 for another parameter, or one given twice.
pub(crate) fn ready(shared: &Shared, query: Option<&str>) -> Result<Answer, ApiError> {
    let mut queue_manager = None;
    query::each(query, |name, value| match name {
        "qmgr" => query::once(&mut queue_manager, name, value.into_owned()),
        _ => Err(query::unknown(name)),
    })?;
    let settings = shared.settings();
    let mut remote = settings.pools.iter().filter(|pool| pool.is_remote());
    let mut ended = None;
    let takes_work = match queue_manager {
        Some(name) => {
            let local = shared.queue_managers.admitting_one(&name);
            ended = local.as_ref().err().and_then(|why| match why {
                Unavailable::NotRunning(state) => Some(state.text().to_lowercase()),
                Unavailable::Unknown => None,
            });
            local.is_ok() || remote.any(|pool| pool.name() == name && pool.is_reachable())
        }
        // A server that hosts none serves remote ones, whether they answer just now or not.
        None if shared.queue_managers.list().is_empty() => remote.next().is_some(),
        None => !shared.queue_managers.admitting().is_empty(),
    };
    Ok(if shared.is_ready() && takes_work {
        answer::text(StatusCode::OK, Bytes::from_static(b"ready\n"))
    } else {
        let why = ended.map_or_else(String::new, |state| format!(": {state}"));
        answer::text(StatusCode::SERVICE_UNAVAILABLE, Bytes::from(format!("not ready{why}\n")))
    })
}
