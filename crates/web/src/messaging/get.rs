//! DELETE of a message: one destructive get outside syncpoint, waiting if asked to.
//!
//! A message that is not text has to stay where it is, with its backout count as it was: the queue manager asks
//! `is_readable` before it takes a message. It is answered with 501, and so is the next request: a client gets past it by the
//! identifiers of other messages, or by asking for the first readable one (`selection::UNREADABLE`). Only a correlation text that MQMD cannot hold needs more than one call:
//! browse, compare, take from under the cursor. So does every get from a remote queue manager, which cannot be
//! asked to look at a message: a persistent one is then taken under syncpoint, so that a connection that breaks on the way
//! loses nothing.
//! Waiting holds no thread; it ends when the client goes away, for then hyper drops this future, and when the server stops,
//! which ends waits and never a get that is taking a message: 503 says that nothing was taken.

use std::time::Duration;

use connection::error::ConnectionError;
use http::StatusCode;
use identity::Identity;
use model::descriptor::Persistence;
use model::jms::TextMessage;
use model::message::Message;
use model::options::{GetFlags, GetOptions, OpenOptions};
use model::reason::Reason;
use tokio::time::Instant;

use crate::answer::{self, Answer};
use crate::error::{ApiError, Verb};
use crate::service::Call;

use super::readable::{self, Readable};
use super::selection::{Selection, Takes};
use super::{OpenQueue, Target, Walk, get_flags};

/// A message taken, and its text.
type Taken = Option<(Box<Message>, Readable)>;

/// # Errors
/// As section 1.7 of the reference: 400, 403, 404, 405, 500, 501, 503.
pub(crate) async fn get(call: Call<'_>, identity: &Identity) -> Result<Answer, ApiError> {
    let target = Target::of(call, identity, Verb::GetFrom)?;
    let selection = Selection::read(&call, Takes::IdentifiersAndWait)?;
    let _waiting = call.wait_for_message(selection.wait())?;
    let options = OpenOptions::INPUT_AS_Q_DEF | OpenOptions::INQUIRE | OpenOptions::BROWSE;
    let mut queue = target.open(options).await?;
    let taken = take(call, &mut queue, &selection).await;
    queue.close().await;
    Ok(match taken? {
        Some((message, readable)) => readable.into_answer(call.version, &message.descriptor),
        None => answer::empty(StatusCode::NO_CONTENT),
    })
}

async fn take(call: Call<'_>, queue: &mut OpenQueue<'_>, selection: &Selection) -> Result<Taken, ApiError> {
    if queue.is_remote() || selection.long_correlation_text().is_some() {
        return Box::pin(look_and_take(call, queue, selection)).await;
    }
    match queue.get_accepted(&options(selection, GetFlags::empty()), &is_readable).await {
        Ok(message) => {
            let readable = Readable::of_accepted(call.version, &message)?;
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

/// Whether `Readable::of_accepted` will succeed. Looked at in the queue manager, before the message is taken.
fn is_readable(message: &Message) -> bool {
    readable::is_plain(&message.descriptor, &message.body)
        || TextMessage::decode(&message.descriptor, &message.body).is_ok()
}

/// Browses until a message is the right one, and takes it.
async fn look_and_take(call: Call<'_>, queue: &mut OpenQueue<'_>, selection: &Selection) -> Result<Taken, ApiError> {
    let mut look = Look::new(selection);
    let mut walk = Walk::default();
    loop {
        let seen = match queue.get(&look.options).await {
            Ok(seen) => seen,
            Err(error) if error.reason() != Reason::NoMsgAvailable => return Err(queue.target.failed(&error)),
            Err(_) if look.may_begin_again() => {
                look.begin_again();
                continue;
            }
            Err(_) => return Ok(None),
        };
        let readable = Readable::of(call.version, &seen);
        if !selection.accepts(&readable) {
            look.pass_over(queue).await?;
            walk.step().await;
            continue;
        }
        let readable = readable?;
        match take_under_cursor(queue, seen.descriptor.persistence).await {
            Ok(message) => return Ok(Some((message, readable))),
            // It expired between the two calls, or somebody else was quicker: look again, from the start.
            Err(error) if matches!(error.reason(), Reason::NoMsgUnderCursor | Reason::NoMsgAvailable) => {
                look.begin_again();
            }
            Err(error) => return Err(queue.target.change_failed(&error)),
        }
    }
}

/// Passes over the queue, from the first message to the last.
///
/// Only the look that begins a pass waits: a message that comes while the cursor is further on may sort before it. What a
/// pass has passed over is marked for this handle, so that the next one sees none of it again. A lock, which spares a
/// second look, is for passes that pass nothing over: MQ takes no lock together with marks.
struct Look {
    options: GetOptions,
    deadline: Option<Instant>,
}

impl Look {
    fn new(selection: &Selection) -> Self {
        let reserved = if selection.passes_over() { GetFlags::UNMARKED_BROWSE_MSG } else { GetFlags::LOCK };
        let options = options(selection, GetFlags::BROWSE_FIRST | reserved);
        let deadline = options.wait.map(|wait| Instant::now() + wait);
        Self { options, deadline }
    }

    /// Whether there is something to wait for at the end of a pass.
    fn may_begin_again(&self) -> bool {
        let is_time_left = self.deadline.is_some_and(|deadline| Instant::now() < deadline);
        is_time_left && self.options.flags.contains(GetFlags::BROWSE_NEXT)
    }

    fn begin_again(&mut self) {
        self.options.flags = (self.options.flags - GetFlags::BROWSE_NEXT) | GetFlags::BROWSE_FIRST;
        self.options.wait = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
    }

    /// Goes on behind the message seen last, which is not the right one.
    async fn pass_over(&mut self, queue: &mut OpenQueue<'_>) -> Result<(), ApiError> {
        if self.deadline.is_some() {
            let flags =
                GetFlags::BROWSE_MSG_UNDER_CURSOR | GetFlags::MARK_BROWSE_HANDLE | GetFlags::ACCEPT_TRUNCATED_MSG;
            let mark = GetOptions { flags: get_flags() | flags, buffer_length: Some(0), ..GetOptions::default() };
            match queue.get(&mark).await {
                Ok(_) => {}
                Err(error) if matches!(error.reason(), Reason::NoMsgUnderCursor | Reason::NoMsgAvailable) => {}
                Err(error) => return Err(queue.target.failed(&error)),
            }
        }
        self.options.flags = (self.options.flags - GetFlags::BROWSE_FIRST) | GetFlags::BROWSE_NEXT;
        self.options.wait = self.deadline.map(|_| Duration::ZERO);
        Ok(())
    }
}

/// Takes what was seen. A local get is done when it is answered; a remote one may be done and its answer get lost.
async fn take_under_cursor(
    queue: &mut OpenQueue<'_>,
    persistence: Persistence,
) -> Result<Box<Message>, ConnectionError> {
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
