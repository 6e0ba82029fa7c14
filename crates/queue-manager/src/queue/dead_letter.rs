//! What becomes of a message that the queue manager holds and cannot deliver: exception report, then the dead-letter queue,
//! or nothing when it asked to be discarded.
//!
//! Source: MQ reference, "MQDLH - Dead-letter header", "MQRO_DISCARD_MSG", 9.3.

use bytes::Bytes;
use model::descriptor::{Encoding, Format, MessageDescriptor, Report};
use model::header::dead_letter::DeadLetterHeader;
use model::message::Message;
use model::name::{QueueManagerName, QueueName};
use model::reason::Reason;
use model::text::Text;
use model::timestamp::Timestamp;

use crate::engine::Engine;
use crate::engine::connection_table::ConnectionState;
use crate::queue::report;
use crate::queue::resolve::{Destination, Resolved, resolve};
use crate::queue::transmission::{QUEUE_MANAGER, own_ccsid};

/// A message that the queue manager holds and could not deliver.
pub(crate) struct Undelivered {
    pub(crate) message: Message,
    /// Where it was to go.
    pub(crate) queue: QueueName,
    /// Blank for this queue manager.
    pub(crate) queue_manager: QueueManagerName,
    /// Why it is not there.
    pub(crate) reason: Reason,
}

/// Disposes of a message that could not be delivered.
///
/// # Errors
/// The dead-letter queue could not take it either, or there is none (2085): the caller still has the message to answer for.
pub(crate) async fn dispose(
    engine: &Engine,
    unit: Option<&ConnectionState>,
    undelivered: Undelivered,
    now: Timestamp,
) -> Result<(), Reason> {
    report::exception(engine, unit, &undelivered.message, undelivered.reason, now).await;
    if undelivered.message.descriptor.report.contains(Report::DISCARD_MSG) {
        return Ok(());
    }
    put(engine, unit, undelivered, now).await
}

/// Puts a message to the dead-letter queue with a header that says where it was to go and why it did not.
///
/// # Errors
/// `UnknownObjectName` (2085): no dead-letter queue is defined. Otherwise those of a put.
pub(crate) async fn put(
    engine: &Engine,
    unit: Option<&ConnectionState>,
    undelivered: Undelivered,
    now: Timestamp,
) -> Result<(), Reason> {
    let name = engine.definition.read().dead_letter_queue;
    if name.is_blank() {
        return Err(Reason::UnknownObjectName);
    }
    let Resolved::Destination(destination @ Destination::Local { .. }) =
        resolve(engine, &name, &QueueManagerName::BLANK)?
    else {
        return Err(Reason::ObjectTypeError);
    };
    let message = with_header(engine, undelivered, now);
    report::put_to(engine, unit, &destination, message, None, now).await
}

fn with_header(engine: &Engine, undelivered: Undelivered, now: Timestamp) -> Message {
    let Undelivered { message, queue, queue_manager, reason } = undelivered;
    let of = message.descriptor;
    let queue_manager = if queue_manager.is_blank() { engine.name } else { queue_manager };
    let header = DeadLetterHeader {
        reason: reason.number(),
        destination_queue: Text::from_bytes(queue.padded()),
        destination_queue_manager: Text::from_bytes(queue_manager.padded()),
        encoding: of.encoding,
        ccsid: of.ccsid,
        format: of.format,
        put_application_type: QUEUE_MANAGER,
        put_application_name: Text::new(engine.name.as_str()),
        put_date: now.put_date(),
        put_time: now.put_time(),
    };
    let mut body = Vec::with_capacity(DeadLetterHeader::LENGTH + message.body.len());
    header.encode(Encoding::NATIVE, &mut body);
    body.extend_from_slice(&message.body);
    let descriptor = MessageDescriptor {
        format: Format::DEAD_LETTER_HEADER,
        encoding: Encoding::NATIVE,
        ccsid: own_ccsid(engine),
        ..of
    };
    Message { descriptor, body: Bytes::from(body) }
}
