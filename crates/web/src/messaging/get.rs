//! DELETE of a message: one destructive get outside syncpoint, waiting if asked to.
//!
//! A message that is not text has to stay where it is, with its backout count as it was: the queue manager asks
//! `is_readable` before it takes a message. Only a correlation text that MQMD cannot hold needs more than one call:
//! browse with a lock, compare, take from under the cursor. So does every get from a remote queue manager, which cannot be
//! asked to look at a message: a persistent one is then taken under syncpoint, so that a connection that breaks on the way
//! loses nothing.
//! Waiting holds no thread; it ends when the client goes away, for then hyper drops this future.

use std::time::Duration;

use connection::error::ConnectionError;
use connection::verbs::Got;
use http::StatusCode;
use model::descriptor::{Ccsid, Format, Persistence};
use model::jms::TextMessage;
use model::message::Message;
use model::options::{GetFlags, GetOptions, OpenOptions};
use model::reason::Reason;
use tokio::time::Instant;

use crate::answer::{self, Answer};
use crate::auth::Identity;
use crate::error::{ApiError, Verb};
use crate::service::Call;

use super::readable::Readable;
use super::selection::{Selection, Takes};
use super::{OpenQueue, Target, get_flags};

/// A message taken, and its text.
type Taken = Option<(Got, Readable)>;

/// # Errors
/// As section 1.7 of the reference: 400, 403, 404, 405, 500, 501, 503.
pub(crate) async fn get(call: Call<'_>, identity: &Identity) -> Result<Answer, ApiError> {
    let target = Target::of(call, identity, Verb::GetFrom)?;
    let selection = Selection::read(&call, Takes::IdentifiersAndWait)?;
    let options = OpenOptions::INPUT_AS_Q_DEF | OpenOptions::INQUIRE | OpenOptions::BROWSE;
    let mut queue = target.open(options).await?;
    let taken = match selection.wait() {
        None => take(call, &mut queue, &selection).await,
        Some(_) => Box::pin(take_unless_stopped(call, &mut queue, &selection)).await,
    };
    queue.close().await;
    Ok(match taken? {
        Some((message, readable)) => readable.into_answer(call.version, &message.descriptor),
        None => answer::empty(StatusCode::NO_CONTENT),
    })
}

/// Waits until a message comes, the time is over, or the server stops.
async fn take_unless_stopped(
    call: Call<'_>,
    queue: &mut OpenQueue<'_>,
    selection: &Selection,
) -> Result<Taken, ApiError> {
    let mut stopping = call.shared.stopping.subscribe();
    let taken = tokio::select! {
        biased;
        taken = take(call, queue, selection) => Some(taken),
        _ = stopping.wait_for(|stopping| *stopping) => None,
    };
    taken.unwrap_or_else(|| Err(queue.target.failed(&Reason::QMgrQuiescing.into())))
}

async fn take(call: Call<'_>, queue: &mut OpenQueue<'_>, selection: &Selection) -> Result<Taken, ApiError> {
    if queue.is_remote() || selection.long_correlation_text().is_some() {
        return Box::pin(look_and_take(call, queue, selection)).await;
    }
    let mut options = options(selection, GetFlags::empty());
    options.accept = Some(is_readable);
    match queue.get(&options).await {
        Ok(message) => {
            let readable = Readable::of(call.version, &message)?;
            Ok(Some((message, readable)))
        }
        Err(error) => match error.reason() {
            Reason::NoMsgAvailable => Ok(None),
            // Why it cannot be read needs a look at it; by then it may be gone, and another one may be readable.
            Reason::FormatError => Box::pin(look_and_take(call, queue, selection)).await,
            _ => Err(queue.target.failed(&error)),
        },
    }
}

/// Whether `Readable::of` will succeed. Looked at in the queue manager, before the message is taken.
fn is_readable(message: &Message) -> bool {
    let descriptor = &message.descriptor;
    let is_plain = descriptor.format == Format::STRING && descriptor.ccsid == Ccsid::UTF_8;
    is_plain || TextMessage::decode(descriptor, &message.body).is_ok()
}

/// Browses with a lock until a message is the right one, and takes it.
async fn look_and_take(call: Call<'_>, queue: &mut OpenQueue<'_>, selection: &Selection) -> Result<Taken, ApiError> {
    let mut look = options(selection, GetFlags::BROWSE_FIRST | GetFlags::LOCK);
    let deadline = look.wait.map(|wait| Instant::now() + wait);
    loop {
        let seen = match queue.get(&look).await {
            Ok(seen) => seen,
            Err(error) if error.reason() == Reason::NoMsgAvailable => return Ok(None),
            Err(error) => return Err(queue.target.failed(&error)),
        };
        look.wait = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let readable = Readable::of(call.version, &seen)?;
        if selection.long_correlation_text().is_some_and(|wanted| readable.correlation_text() != Some(wanted)) {
            look.flags = (look.flags - GetFlags::BROWSE_FIRST) | GetFlags::BROWSE_NEXT;
            continue;
        }
        match take_under_cursor(queue, seen.descriptor.persistence).await {
            Ok(message) => return Ok(Some((message, readable))),
            // It expired between the two calls: look again, from the start.
            Err(error) if matches!(error.reason(), Reason::NoMsgUnderCursor | Reason::NoMsgAvailable) => {
                look.flags = (look.flags - GetFlags::BROWSE_NEXT) | GetFlags::BROWSE_FIRST;
            }
            Err(error) => return Err(queue.target.change_failed(&error)),
        }
    }
}

/// Takes what was seen. A local get is done when it is answered; a remote one may be done and its answer get lost.
async fn take_under_cursor(queue: &mut OpenQueue<'_>, persistence: Persistence) -> Result<Got, ConnectionError> {
    let mut options = GetOptions { flags: get_flags() | GetFlags::MSG_UNDER_CURSOR, ..GetOptions::default() };
    let is_in_unit = queue.is_remote() && persistence == Persistence::Persistent;
    if is_in_unit {
        options.flags = (options.flags - GetFlags::NO_SYNCPOINT) | GetFlags::SYNCPOINT;
    }
    let message = queue.get(&options).await?;
    if is_in_unit {
        queue.commit().await?;
    }
    Ok(message)
}

fn options(selection: &Selection, flags: GetFlags) -> GetOptions {
    let mut options = GetOptions { flags: get_flags() | flags, wait: selection.wait(), ..GetOptions::default() };
    if options.wait > Some(Duration::ZERO) {
        options.flags |= GetFlags::WAIT;
    }
    selection.apply(&mut options);
    options
}
