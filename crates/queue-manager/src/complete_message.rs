//! Segments put together again: MQGMO_COMPLETE_MSG.
//!
//! All segments are taken or none: they are locked first, then got in one unit of work.

use bytes::Bytes;
use model::descriptor::MessageFlags;
use model::message::Message;
use model::reason::Reason;
use model::timestamp::Timestamp;
use storage::{DeliveryKey, GroupMember, StoredMessage};

use crate::connection::{Connection, GetResult};
use crate::get::{Get, Taken};
use crate::reason;

/// The whole message, of which `first` is the first segment; itself when it is not one. `None` when a segment has gone.
pub(crate) async fn join(
    get: &Get<'_>,
    first: StoredMessage,
    segments: &[GroupMember],
    now: Timestamp,
) -> Result<Option<StoredMessage>, Reason> {
    if segments.len() < 2 {
        return Ok(Some(first));
    }
    match see(get, segments, now).await? {
        Some(parts) => Ok(Some(joined(parts))),
        None => Ok(None),
    }
}

/// Takes every segment and hands over the whole. `None` when somebody else was quicker: look again.
pub(crate) async fn take(
    get: &Get<'_>,
    segments: &[GroupMember],
    now: Timestamp,
) -> Result<Option<Box<GetResult>>, Reason> {
    let Some(parts) = see(get, segments, now).await? else { return Ok(None) };
    let keys: Vec<DeliveryKey> = parts.iter().map(|part| part.key).collect();
    let whole = joined(parts);
    if get.does_not_fit(&whole.message) {
        return Ok(Some(get.result(whole, now)));
    }
    let locks = Locks::of(get, &keys);
    if locks.count < keys.len() {
        return Ok(None);
    }
    let in_unit = get.is_in_unit(whole.message.descriptor.persistence);
    let own = (!in_unit).then(|| Connection::internal(get.engine));
    let connection = own.as_ref().unwrap_or(get.connection);
    let mut unit = None;
    for key in &keys {
        let part = Get { connection, ..*get };
        let taken = part.take_selected(&get.at(key.position), true, now).await?;
        unit = taken.ok_or(Reason::IncompleteMsg)?.unit;
    }
    if let Some(own) = &own {
        own.commit().await?;
    }
    let taken = Taken { stored: whole, unit: unit.filter(|_| in_unit) };
    Ok(Some(get.hand_over(taken, now).await))
}

async fn see(get: &Get<'_>, segments: &[GroupMember], now: Timestamp) -> Result<Option<Vec<StoredMessage>>, Reason> {
    let mut parts = Vec::with_capacity(segments.len());
    for segment in segments {
        let seen = get.engine.store.browse(get.queue.id, None, &get.at(segment.position), now).await;
        let Some(part) = seen.map_err(|error| reason::of_store(&error))? else { return Ok(None) };
        parts.push(part);
    }
    Ok(Some(parts))
}

/// The first segment's descriptor, without a trace of segments, and all bodies in order.
fn joined(parts: Vec<StoredMessage>) -> StoredMessage {
    let length = parts.iter().map(|part| part.message.body.len()).sum();
    let mut body = Vec::with_capacity(length);
    for part in &parts {
        body.extend_from_slice(&part.message.body);
    }
    let first = parts.into_iter().next().expect("a message has segments");
    let Message { mut descriptor, .. } = *first.message;
    descriptor.message_flags -= MessageFlags::SEGMENT | MessageFlags::LAST_SEGMENT;
    descriptor.original_length = model::descriptor::MessageDescriptor::ORIGINAL_LENGTH_UNDEFINED;
    StoredMessage { message: Box::new(Message { descriptor, body: Bytes::from(body) }), ..first }
}

/// Browse locks on segments, given up on drop; on a message that has been got there is nothing left to give up.
struct Locks<'a> {
    get: &'a Get<'a>,
    keys: &'a [DeliveryKey],
    count: usize,
}

impl<'a> Locks<'a> {
    fn of(get: &'a Get<'a>, keys: &'a [DeliveryKey]) -> Self {
        let store = &get.engine.store;
        let count = keys.iter().take_while(|key| store.lock(get.queue.id, **key, get.open.owner)).count();
        Self { get, keys, count }
    }
}

impl Drop for Locks<'_> {
    fn drop(&mut self) {
        for key in &self.keys[..self.count] {
            self.get.engine.store.unlock(self.get.queue.id, *key, self.get.open.owner);
        }
    }
}
