//! Segmentation by the queue manager (MQMF_SEGMENTATION_ALLOWED): a message too long for its queue is put as segments.
//!
//! All segments become visible together. Source: MQ reference, "MQMF_SEGMENTATION_ALLOWED", 9.3.

use std::sync::Arc;

use model::descriptor::{MessageDescriptor, MessageFlags};
use model::identifier::{GroupId, MessageId};
use model::message::Message;
use model::reason::Reason;
use model::timestamp::Timestamp;

use crate::engine::Engine;
use crate::instrumentation::event;
use crate::queue::Queue;
use crate::queue::delivery;
use crate::verb::connection::Connection;
use crate::verb::put::Request;
use crate::verb::unit_of_work::undo;

pub(crate) fn is_allowed(descriptor: &MessageDescriptor) -> bool {
    descriptor.message_flags.contains(MessageFlags::SEGMENTATION_ALLOWED)
}

/// Puts `message` in pieces that the queue takes, in the caller's unit of work or in one of their own.
///
/// # Errors
/// `QFull` (2053), `SyncpointLimitReached` (2024): there is no room for all of them; nothing has changed. `BackedOut`
/// (2003): some were in the caller's unit of work already, which is undone. Others as `delivery::place`.
pub(crate) async fn put_in_segments(
    request: &Request<'_>,
    queue: &Arc<Queue>,
    message: Message,
    expires: Option<Timestamp>,
    now: Timestamp,
) -> Result<(), Reason> {
    let engine = &request.connection.engine;
    let of_queue = queue.with_local(|_, local| local.maximum_message_length);
    let maximum = of_queue.min(engine.definition.read().maximum_message_length) as usize / 16 * 16;
    if maximum == 0 {
        return Err(Reason::MsgTooBigForQ);
    }
    let segments = cut(engine, message, maximum)?;
    // Dropped half-way, a unit of work of their own is backed out.
    let own = (!request.in_unit()).then(|| Connection::internal(engine));
    let state = &*own.as_ref().unwrap_or(request.connection).state;
    state.unit_for(engine, queue, segments.len())?;
    check_depth(engine, queue, segments.len(), now).await?;
    for (index, segment) in segments.iter().enumerate() {
        match (delivery::place(engine, Some(state), queue, segment, expires, now).await, &own) {
            (Ok(_), _) => {}
            (Err(reason), Some(own)) => {
                own.back_out().await?;
                return Err(reason);
            }
            (Err(reason), None) if index == 0 => return Err(reason),
            (Err(reason), None) => return Err(undo(engine, state, reason).await),
        }
    }
    match own {
        Some(own) => own.commit().await,
        None => Ok(()),
    }
}

/// # Errors
/// `QFull` (2053): the queue does not take so many messages more.
async fn check_depth(engine: &Engine, queue: &Arc<Queue>, messages: usize, now: Timestamp) -> Result<(), Reason> {
    let maximum = queue.with_local(|_, local| local.maximum_depth) as usize;
    if (queue.depth() as usize).saturating_add(messages) <= maximum {
        return Ok(());
    }
    if engine.events.performance() {
        event::performance::after_put(engine, queue, Err(Reason::QFull), now).await;
    }
    Err(Reason::QFull)
}

/// Cuts the body; every piece but the first gets a message id of its own.
fn cut(engine: &Engine, message: Message, maximum: usize) -> Result<Vec<Message>, Reason> {
    let Message { mut descriptor, body } = message;
    if descriptor.group_id.is_none() {
        descriptor.group_id = GroupId::new(engine.identifiers.make());
    }
    let was_last = !descriptor.message_flags.contains(MessageFlags::SEGMENT)
        || descriptor.message_flags.contains(MessageFlags::LAST_SEGMENT);
    let mut segments = Vec::with_capacity(body.len().div_ceil(maximum));
    let mut start = 0;
    while start < body.len() {
        let end = body.len().min(start + maximum);
        let mut part = descriptor.clone();
        part.offset = descriptor.offset.saturating_add(u32::try_from(start).map_err(|_| Reason::MsgTooBigForQMgr)?);
        part.message_flags |= MessageFlags::SEGMENT;
        part.message_flags.set(MessageFlags::LAST_SEGMENT, was_last && end == body.len());
        if part.original_length == MessageDescriptor::ORIGINAL_LENGTH_UNDEFINED {
            part.original_length = i32::try_from(body.len()).map_err(|_| Reason::MsgTooBigForQMgr)?;
        }
        if start > 0 {
            part.message_id = MessageId::new(engine.identifiers.make());
        }
        segments.push(Message { descriptor: part, body: body.slice(start..end) });
        start = end;
    }
    Ok(segments)
}
