//! Messages for other queue managers: wrapped in an MQXQH, they wait on a transmission queue.
//!
//! Source: MQ reference, "MQXQH", "Message descriptor of a message on a transmission queue", 9.3.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use model::definition::queue::Usage;
use model::descriptor::{Ccsid, Encoding, Expiry, Feedback, Format, MessageDescriptor, MessageType, Report};
use model::header::transmission::TransmissionHeader;
use model::identifier::{CorrelationId, MessageId};
use model::message::Message;
use model::reason::Reason;
use model::text::Text;
use model::timestamp::Timestamp;
use tracing::warn;

use crate::engine::Engine;
use crate::group::intra_group;
use crate::queue::Queue;

/// MQAT_QMGR: the queue manager put it.
pub(crate) const QUEUE_MANAGER: i32 = 7;

/// The message as it lies on a transmission queue.
pub(crate) fn wrap(
    engine: &Engine,
    queue: &Queue,
    header: TransmissionHeader,
    body: &Bytes,
    now: Timestamp,
) -> Message {
    let inner = &header.descriptor;
    let correlation_id = if intra_group::is_of_group(queue) {
        intra_group::correlation(header.remote_queue_manager.to_text().trim_end())
    } else {
        CorrelationId::from(inner.message_id)
    };
    let descriptor = MessageDescriptor {
        report: Report::empty(),
        message_type: MessageType::DATAGRAM,
        expiry: Expiry::UNLIMITED,
        feedback: Feedback::NONE,
        encoding: Encoding::NATIVE,
        ccsid: own_ccsid(engine),
        format: Format::XMIT_QUEUE_HEADER,
        priority: inner.priority,
        persistence: inner.persistence,
        message_id: MessageId::new(engine.identifiers.make()),
        correlation_id,
        user_identifier: inner.user_identifier,
        accounting_token: inner.accounting_token,
        application_identity_data: inner.application_identity_data,
        put_application_type: QUEUE_MANAGER,
        put_application_name: Text::new(engine.name.as_str()),
        put_date: now.put_date(),
        put_time: now.put_time(),
        ..MessageDescriptor::default()
    };
    let mut bytes = Vec::with_capacity(TransmissionHeader::LENGTH + 72 + body.len());
    header.encode(Encoding::NATIVE, &mut bytes);
    bytes.extend_from_slice(body);
    Message { descriptor, body: Bytes::from(bytes) }
}

/// Says in the log, once for each queue and process, that messages begin to stay on a transmission queue: no channel of this
/// queue manager reads them, and no program has the queue open for input.
pub(super) fn tell_of_unread(engine: &Engine, queue: &Queue) {
    if intra_group::is_of_group(queue) {
        return;
    }
    let is_told = || queue.is_known_unread.load(Ordering::Relaxed);
    if is_told() || queue.in_use.lock().input > 0 || queue.is_known_unread.swap(true, Ordering::Relaxed) {
        return;
    }
    warn!(
        queue_manager = engine.name.as_str(),
        queue = queue.name.as_str(),
        "messages for other queue managers stay on a transmission queue: message channels do not run here, and no \
         program has the queue open for input"
    );
}

pub(crate) fn own_ccsid(engine: &Engine) -> Ccsid {
    Ccsid(i32::try_from(engine.definition.read().ccsid).unwrap_or(Ccsid::UTF_8.0))
}

/// # Errors
/// The first reason: it holds no messages. The other: it is no transmission queue.
pub(crate) fn check(queue: Arc<Queue>, wrong_type: Reason, wrong_usage: Reason) -> Result<Arc<Queue>, Reason> {
    let usage = queue.with(|definition| definition.as_local().map(|local| local.usage));
    match usage {
        None => Err(wrong_type),
        Some(Usage::Normal) => Err(wrong_usage),
        Some(Usage::Transmission) => Ok(queue),
    }
}
