//! Messages that cannot become answers: backed out, and past the queue's threshold moved to its backout queue.
//!
//! The queue manager counts, applications act: BOTHRESH and BOQNAME are for them. A message that was backed out as often as
//! BOTHRESH says, this time included, goes to BOQNAME with its context and identifiers; without BOQNAME, or when that queue
//! refuses it, it stays. What was moved does not expire.

use std::borrow::Cow;

use connection::error::ConnectionError;
use connection::pool::Lent;
use connection::target::User;
use connection::verbs::{Backout, ObjectHandle};
use model::descriptor::{Expiry, MessageDescriptor};
use model::message::Message;
use model::options::{ObjectDescriptor, OpenOptions, PutFlags, PutOptions};

use crate::definition::{QueueAddress, Target};
use crate::error::ServiceError;

use super::object_of;
use super::one_way::{Failed, Source};

/// What became of a message that was got under syncpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is on the backout queue, and the unit of work is committed.
    Moved,
    /// It is not due, or there is no backout queue: it is still under syncpoint, as it was.
    Kept,
    /// The same, but it was due: the backout queue did not take it.
    Refused,
}

/// Moves the message, which was just got under syncpoint, when it is due, and commits. `problem`: why it has failed once more
/// just now.
pub(super) async fn move_if_due(
    source: &Source<'_>,
    lent: &mut Lent,
    handle: ObjectHandle,
    got: &Message,
    problem: Option<&ServiceError>,
) -> Result<Fate, Failed> {
    let user = housekeeper(source);
    let Ok(backout) = backout_of(lent, &user, source.address).await else { return Ok(Fate::Kept) };
    let times = got.descriptor.backout_count + u32::from(problem.is_some());
    if backout.threshold == 0 || times < backout.threshold || backout.queue.is_blank() {
        return Ok(Fate::Kept);
    }
    let to = QueueAddress { queue: backout.queue, queue_manager: Default::default() };
    let reason = problem.map_or("it was backed out too often", ServiceError::reason);
    match move_to(lent, &user, handle, got, &to).await {
        Ok(()) => {
            tracing::warn!(
                service = source.call.service.name,
                queue = source.address.queue.as_str(),
                message_id = %got.descriptor.message_id,
                to = to.queue.as_str(),
                reason,
                "a message was moved to the backout queue"
            );
            Ok(Fate::Moved)
        }
        Err(error) if error.is_lost() => Err(source.failed("move to the backout queue from", &error)),
        Err(error) => {
            tracing::warn!(
                service = source.call.service.name,
                queue = source.address.queue.as_str(),
                message_id = %got.descriptor.message_id,
                to = to.queue.as_str(),
                reason,
                %error,
                "a message stays on its queue, because it cannot be put on the backout queue"
            );
            Ok(Fate::Refused)
        }
    }
}

/// Moving messages is the server's own work on its own queue managers.
fn housekeeper<'a>(source: &Source<'a>) -> User<'a> {
    match &source.call.service.provider.target {
        Target::Local(_) => User::Server(Cow::Borrowed(&source.call.environment.server)),
        Target::Remote(_) => source.user.clone(),
    }
}

async fn backout_of(lent: &mut Lent, user: &User<'_>, address: &QueueAddress) -> Result<Backout, ConnectionError> {
    let connection = lent.connection();
    let opened = connection.open(user.acting(), &object_of(address, ""), OpenOptions::INQUIRE).await?;
    let backout = connection.backout(opened.handle).await;
    connection.close(opened.handle).await?;
    backout
}

/// Puts a message that was got under syncpoint on another queue, and commits both. It does not expire there: a reply that
/// lives no longer than its request was awaited would be gone before anybody sees it.
///
/// # Errors
/// The queue refused it: the message is still under syncpoint.
pub(super) async fn move_to(
    lent: &mut Lent,
    user: &User<'_>,
    from: ObjectHandle,
    got: &Message,
    to: &QueueAddress,
) -> Result<(), ConnectionError> {
    let object: ObjectDescriptor = object_of(to, "");
    let flags = PutFlags::SYNCPOINT | PutFlags::FAIL_IF_QUIESCING | PutFlags::PASS_ALL_CONTEXT;
    let options = PutOptions { flags, context: Some(from.number()) };
    let descriptor = MessageDescriptor { backout_count: 0, expiry: Expiry::UNLIMITED, ..got.descriptor.clone() };
    let connection = lent.connection();
    let message = Box::new(Message { descriptor, body: got.body.clone() });
    connection.put1(user.acting(), &object, message, &options).await?;
    connection.commit().await
}
