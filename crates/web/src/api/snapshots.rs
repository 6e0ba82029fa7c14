//! `/api/v1/test/snapshots`: queue managers as they were, taken and restored by tests of applications.
//!
//! Snapshots are kept in memory, `MOST` at a time, as long as the server runs.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use http::StatusCode;
use message_api::time_text::write_moment;
use parking_lot::Mutex;
use queue_manager::Snapshot;
use serde_json::{Value, json};

use crate::Restorer;
use crate::admin::{Reached, decode};
use crate::answer::{self, Answer};
use crate::error::{self, ApiError};
use crate::service::Call;

use super::json as answer_json;

const MOST: usize = 100;

/// Those of a server.
#[derive(Default)]
pub(crate) struct Snapshots {
    kept: Mutex<Kept>,
    pub(crate) restorer: OnceLock<Arc<dyn Restorer>>,
}

#[derive(Default)]
struct Kept {
    taken: u64,
    by_id: BTreeMap<u64, Arc<Snapshot>>,
}

/// # Errors
/// 404 no such queue manager; 409 a unit of work is open, or as many are kept as may be.
pub(super) async fn take(call: Call<'_>) -> Result<Answer, ApiError> {
    let manager = Reached::of(call)?.queue_manager;
    if call.shared.snapshots.kept.lock().by_id.len() >= MOST {
        return Err(refused(&format!("{MOST} are kept already")));
    }
    let snapshot = manager.take_snapshot().await.map_err(|reason| refused(&reason.to_string()))?;
    let mut kept = call.shared.snapshots.kept.lock();
    kept.taken += 1;
    let id = kept.taken;
    let answer = answer_json(StatusCode::CREATED, &shown(id, &snapshot));
    kept.by_id.insert(id, Arc::new(snapshot));
    Ok(answer)
}

pub(super) fn list(call: Call<'_>) -> Answer {
    let kept = call.shared.snapshots.kept.lock();
    let all: Vec<Value> = kept.by_id.iter().map(|(id, snapshot)| shown(*id, snapshot)).collect();
    answer_json(StatusCode::OK, &json!({ "snapshots": all }))
}

/// # Errors
/// 404 there is none.
pub(super) fn delete(call: Call<'_>) -> Result<Answer, ApiError> {
    let (id, _) = find(call)?;
    call.shared.snapshots.kept.lock().by_id.remove(&id);
    Ok(answer::empty(StatusCode::NO_CONTENT))
}

/// # Errors
/// 404 there is none; 409 its queue manager keeps its messages on disk, or cannot be ended or started.
pub(super) async fn restore(call: Call<'_>) -> Result<Answer, ApiError> {
    let (id, snapshot) = find(call)?;
    let Some(restorer) = call.shared.snapshots.restorer.get() else { return Err(refused("the server is starting")) };
    restorer.restore(Arc::clone(&snapshot)).await.map_err(|sentence| refused(&sentence))?;
    Ok(answer_json(StatusCode::OK, &shown(id, &snapshot)))
}

fn find(call: Call<'_>) -> Result<(u64, Arc<Snapshot>), ApiError> {
    let id = decode(call.parameters[0])?;
    let kept = call.shared.snapshots.kept.lock();
    let found = id.parse().ok().and_then(|number| Some((number, Arc::clone(kept.by_id.get(&number)?))));
    found.ok_or_else(|| ApiError::new(&error::SNAPSHOT_UNKNOWN, &[&id]))
}

fn refused(why: &str) -> ApiError {
    ApiError::new(&error::SNAPSHOT_REFUSED, &[why])
}

fn shown(id: u64, snapshot: &Snapshot) -> Value {
    json!({
        "id": id.to_string(),
        "qmgr": snapshot.queue_manager().as_str(),
        "at": write_moment(snapshot.taken()),
        "messages": snapshot.messages(),
        "bytes": snapshot.bytes()
    })
}
