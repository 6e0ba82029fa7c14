//! DELETE of a message: one destructive get outside syncpoint, waiting if asked to.
//!
//! A message that is not text has to stay where it is, with its backout count as it was. So the message is first
//! browsed with a lock, looked at, and then taken from under the cursor; the lock keeps others away in between.
//! Waiting holds no thread; it ends when the client goes away, for then hyper drops this future.

use http::StatusCode;
use model::options::{GetFlags, GetOptions, OpenOptions};
use model::reason::Reason;
use queue_manager::connection::GetResult;

use crate::answer::{self, Answer};
use crate::auth::Identity;
use crate::error::{ApiError, Verb};
use crate::service::Call;

use super::readable::Readable;
use super::selection::{Selection, Takes};
use super::{OpenQueue, Target, get_flags};

/// # Errors
/// As section 1.7 of the reference: 400, 403, 404, 405, 500, 501, 503.
pub(crate) async fn get(call: Call<'_>, identity: &Identity) -> Result<Answer, ApiError> {
    let target = Target::of(call, identity, Verb::GetFrom)?;
    let selection = Selection::read(&call, Takes::IdentifiersAndWait)?;
    let options = OpenOptions::INPUT_AS_Q_DEF | OpenOptions::INQUIRE | OpenOptions::BROWSE;
    let queue = target.open(options).await?;
    let found = match selection.wait() {
        None => take(call, &queue, &selection, None).await,
        Some(_) => take_unless_stopped(call, &queue, &selection).await,
    };
    let result = match found {
        Ok(Some((message, readable))) => Ok(readable.into_answer(call.version, &message.descriptor)),
        Ok(None) => Ok(answer::empty(StatusCode::NO_CONTENT)),
        Err(error) => Err(error),
    };
    queue.close().await;
    result
}

/// Waits until a message comes, the time is over, or the server stops.
async fn take_unless_stopped(
    call: Call<'_>,
    queue: &OpenQueue<'_>,
    selection: &Selection,
) -> Result<Option<(GetResult, Readable)>, ApiError> {
    let mut stopping = call.shared.stopping.subscribe();
    tokio::select! {
        biased;
        found = take(call, queue, selection, selection.wait()) => found,
        _ = stopping.wait_for(|stopping| *stopping) => Err(queue.target.failed(Reason::QMgrQuiescing)),
    }
}

async fn take(
    call: Call<'_>,
    queue: &OpenQueue<'_>,
    selection: &Selection,
    wait: Option<std::time::Duration>,
) -> Result<Option<(GetResult, Readable)>, ApiError> {
    let mut look = GetOptions { flags: get_flags() | GetFlags::BROWSE_FIRST | GetFlags::LOCK, ..GetOptions::default() };
    selection.apply(&mut look);
    if wait.is_some() {
        look.flags |= GetFlags::WAIT;
        look.wait = wait;
    }
    let under_cursor = GetOptions { flags: get_flags() | GetFlags::MSG_UNDER_CURSOR, ..GetOptions::default() };
    loop {
        let seen = match queue.get(&look).await {
            Ok(seen) => seen,
            Err(Reason::NoMsgAvailable) => return Ok(None),
            Err(reason) => return Err(queue.target.failed(reason)),
        };
        let readable = Readable::of(call.version, &seen)?;
        if let Some(wanted) = selection.long_correlation_text()
            && readable.correlation_text() != Some(wanted)
        {
            look.flags = (look.flags - GetFlags::BROWSE_FIRST) | GetFlags::BROWSE_NEXT;
            continue;
        }
        match queue.get(&under_cursor).await {
            Ok(message) => return Ok(Some((message, readable))),
            // It expired between the two calls: look again, from the start.
            Err(Reason::NoMsgUnderCursor | Reason::NoMsgAvailable) => {
                look.flags = (look.flags - GetFlags::BROWSE_NEXT) | GetFlags::BROWSE_FIRST;
            }
            Err(reason) => return Err(queue.target.failed(reason)),
        }
    }
}
