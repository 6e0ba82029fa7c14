//! Segmentation by the queue manager (MQMF_SEGMENTATION_ALLOWED): a message too long for its queue is put as segments.
//!
//! All segments become visible together. Source: MQ reference, "MQMF_SEGMENTATION_ALLOWED", 9.3.

use std::sync::Arc;

use model::descriptor::{MessageDescriptor, MessageFlags};
use model::identifier::{GroupId, MessageId};
use model::message::Message;
use model::reason::Reason;
use model::timestamp::Timestamp;

use crate::connection::Connection;
use crate::delivery;
use crate::engine::Engine;
use crate::put::Request;
use crate::queue::Queue;

pub(crate) fn is_allowed(descriptor: &MessageDescriptor) -> bool {
    descriptor.message_flags.contains(MessageFlags::SEGMENTATION_ALLOWED)
}

/// Puts `message` in pieces that the queue takes, in the caller's unit of work or in one of their own.
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
    if request.in_unit() {
        for segment in segments {
            delivery::place(engine, Some(&request.connection.state), queue, &segment, expires, now).await?;
        }
        return Ok(());
    }
    place_together(engine, queue, segments, expires, now).await
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

/// One unit of work for the segments alone; dropped half-way, it is backed out.
async fn place_together(
    engine: &Arc<Engine>,
    queue: &Arc<Queue>,
    segments: Vec<Message>,
    expires: Option<Timestamp>,
    now: Timestamp,
) -> Result<(), Reason> {
    let own = Connection::internal(engine);
    for segment in segments {
        if let Err(reason) = delivery::place(engine, Some(&own.state), queue, &segment, expires, now).await {
            own.back_out().await?;
            return Err(reason);
        }
    }
    own.commit().await
}
