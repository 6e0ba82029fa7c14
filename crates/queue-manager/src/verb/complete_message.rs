//! Segments put together again: MQGMO_COMPLETE_MSG.
//!
//! All segments are taken or none: they are looked at first, then got together in one unit of work.

use bytes::Bytes;
use model::descriptor::MessageFlags;
use model::message::Message;
use model::reason::Reason;
use model::timestamp::Timestamp;
use storage::{DeliveryKey, GroupMember, StoredMessage};

use crate::queue::waiters::Arrival;
use crate::reason;
use crate::verb::connection::{Connection, GetResult};
use crate::verb::get::{Get, Taken};

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

/// Takes every segment and returns the complete message. `None` when another handle was quicker: look again.
pub(crate) async fn take(
    get: &Get<'_>,
    segments: &[GroupMember],
    now: Timestamp,
) -> Result<Option<Box<GetResult>>, Reason> {
    let Some(parts) = see(get, segments, now).await? else { return Ok(None) };
    let keys: Vec<DeliveryKey> = parts.iter().map(|part| part.key).collect();
    let arrivals: Vec<_> = parts.iter().map(|part| (Arrival::of(&part.message.descriptor), part.expires)).collect();
    let whole = joined(parts);
    if get.does_not_fit(&whole.message) {
        return Ok(Some(get.result(whole, now)));
    }
    let in_unit = get.is_in_unit(whole.message.descriptor.persistence);
    let own = (!in_unit).then(|| Connection::internal(get.engine));
    let state = &*own.as_ref().unwrap_or(get.connection).state;
    let unit = state.unit_for(get.engine, get.queue, keys.len())?;
    let got = get.engine.store.get_all(unit, get.queue.id, &keys, get.open.owner, now).await;
    if !got.map_err(|error| reason::of_store(get.engine, &error))? {
        return Ok(None);
    }
    for (key, (arrival, expires)) in keys.iter().zip(arrivals) {
        state.note(unit, get.queue, arrival, expires, get.what(key.position));
    }
    if let Some(own) = &own {
        own.commit().await?;
    }
    let taken = Taken { stored: whole, unit: in_unit.then_some(unit) };
    Ok(Some(get.hand_over(taken, now).await))
}

async fn see(get: &Get<'_>, segments: &[GroupMember], now: Timestamp) -> Result<Option<Vec<StoredMessage>>, Reason> {
    let mut parts = Vec::with_capacity(segments.len());
    for segment in segments {
        let seen = get.engine.store.browse(get.queue.id, None, &get.at(segment.position), now).await;
        let Some(part) = seen.map_err(|error| reason::of_store(get.engine, &error))? else { return Ok(None) };
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
