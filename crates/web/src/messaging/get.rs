//! DELETE of a message: one destructive get outside syncpoint, waiting if asked to.
//!
//! A message that is not text has to stay where it is, with its backout count as it was: the queue manager asks
//! `is_readable` before it takes a message. Only a correlation text that MQMD cannot hold needs more than one call:
//! browse with a lock, compare, take from under the cursor.
//! Waiting holds no thread; it ends when the client goes away, for then hyper drops this future.

use std::time::Duration;

use http::StatusCode;
use model::descriptor::{Ccsid, Format};
use model::jms::TextMessage;
use model::message::Message;
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

/// A message taken, and its text.
type Taken = Option<(GetResult, Readable)>;

/// # Errors
/// As section 1.7 of the reference: 400, 403, 404, 405, 500, 501, 503.
pub(crate) async fn get(call: Call<'_>, identity: &Identity) -> Result<Answer, ApiError> {
    let target = Target::of(call, identity, Verb::GetFrom)?;
    let selection = Selection::read(&call, Takes::IdentifiersAndWait)?;
    let options = OpenOptions::INPUT_AS_Q_DEF | OpenOptions::INQUIRE | OpenOptions::BROWSE;
    let queue = target.open(options).await?;
    let taken = match selection.wait() {
        None => take(call, &queue, &selection).await,
        Some(_) => Box::pin(take_unless_stopped(call, &queue, &selection)).await,
    };
    queue.close().await;
    Ok(match taken? {
        Some((message, readable)) => readable.into_answer(call.version, &message.descriptor),
        None => answer::empty(StatusCode::NO_CONTENT),
    })
}

/// Waits until a message comes, the time is over, or the server stops.
async fn take_unless_stopped(call: Call<'_>, queue: &OpenQueue<'_>, selection: &Selection) -> Result<Taken, ApiError> {
    let mut stopping = call.shared.stopping.subscribe();
    tokio::select! {
        biased;
        taken = take(call, queue, selection) => taken,
        _ = stopping.wait_for(|stopping| *stopping) => Err(queue.target.failed(Reason::QMgrQuiescing)),
    }
}

async fn take(call: Call<'_>, queue: &OpenQueue<'_>, selection: &Selection) -> Result<Taken, ApiError> {
    if selection.long_correlation_text().is_some() {
        return Box::pin(look_and_take(call, queue, selection)).await;
    }
    let mut options = options(selection, GetFlags::empty());
    options.accept = Some(is_readable);
    match queue.get(&options).await {
        Ok(message) => {
            let readable = Readable::of(call.version, &message)?;
            Ok(Some((message, readable)))
        }
        Err(Reason::NoMsgAvailable) => Ok(None),
        // Why it cannot be read needs a look at it; by then it may be gone, and another one may be readable.
        Err(Reason::FormatError) => Box::pin(look_and_take(call, queue, selection)).await,
        Err(reason) => Err(queue.target.failed(reason)),
    }
}

/// Whether `Readable::of` will succeed. Looked at in the queue manager, before the message is taken.
fn is_readable(message: &Message) -> bool {
    let descriptor = &message.descriptor;
    let is_plain = descriptor.format == Format::STRING && descriptor.ccsid == Ccsid::UTF_8;
    is_plain || TextMessage::decode(descriptor, &message.body).is_ok()
}

/// Browses with a lock until a message is the right one, and takes it.
async fn look_and_take(call: Call<'_>, queue: &OpenQueue<'_>, selection: &Selection) -> Result<Taken, ApiError> {
    let mut look = options(selection, GetFlags::BROWSE_FIRST | GetFlags::LOCK);
    let under_cursor = GetOptions { flags: get_flags() | GetFlags::MSG_UNDER_CURSOR, ..GetOptions::default() };
    loop {
        let seen = match queue.get(&look).await {
            Ok(seen) => seen,
            Err(Reason::NoMsgAvailable) => return Ok(None),
            Err(reason) => return Err(queue.target.failed(reason)),
        };
        let readable = Readable::of(call.version, &seen)?;
        if selection.long_correlation_text().is_some_and(|wanted| readable.correlation_text() != Some(wanted)) {
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

fn options(selection: &Selection, flags: GetFlags) -> GetOptions {
    let mut options = GetOptions { flags: get_flags() | flags, wait: selection.wait(), ..GetOptions::default() };
    if options.wait > Some(Duration::ZERO) {
        options.flags |= GetFlags::WAIT;
    }
    selection.apply(&mut options);
    options
}
