//! Report messages that the queue manager makes: confirm on arrival, confirm on delivery, expiration, exception.
//!
//! A report goes to the reply-to queue of the message it is about, in the same unit of work where there is one; where that
//! fails, to the dead-letter queue; where that fails too, it is given up with a log line,
//! at most one a second, which says how many were left out. A report never makes a report.
//!
//! A report is put with the authority of the principal whose message it is about, as it is at that moment: who may not put
//! to a queue cannot make the queue manager do it either. The dead-letter queue takes a report without that authority.
//!
//! Source: MQ security, "Authority of the user identifier in the MQMD of the message that causes a report", 9.3; MQ reference, "Report options and message flags", "Fields in the message descriptor of a report", 9.3.

use bytes::Bytes;
use model::authority::Authority;
use model::descriptor::{Expiry, Feedback, MessageDescriptor, MessageType, Report};
use model::identifier::{CorrelationId, MessageId};
use model::message::Message;
use model::options::ObjectDescriptor;
use model::reason::Reason;
use model::text::Text;
use model::timestamp::Timestamp;
use tracing::warn;

use crate::engine::Engine;
use crate::engine::connection_table::ConnectionState;
use crate::engine::spaced_line::BETWEEN_LINES;
use crate::queue::dead_letter::Undelivered;
use crate::queue::resolve::{Destination, Resolved, resolve};
use crate::queue::transmission::{self, QUEUE_MANAGER};
use crate::queue::{dead_letter, delivery};
use crate::security::authority::Door;
use crate::verb::open::check_destination_authority;
use model::header::transmission::TransmissionHeader;

/// How much of the message a report with data carries, in bytes.
const DATA: usize = 100;

pub(crate) fn wants_coa(descriptor: &MessageDescriptor) -> bool {
    descriptor.report.contains(Report::COA)
}

pub(crate) fn wants_cod(descriptor: &MessageDescriptor) -> bool {
    descriptor.report.contains(Report::COD)
}

pub(crate) async fn confirm_arrival(engine: &Engine, unit: Option<&ConnectionState>, about: &Message, now: Timestamp) {
    let kinds = (Report::COA_WITH_DATA, Report::COA_WITH_FULL_DATA);
    send(engine, unit, about, Feedback::COA, kinds, now).await;
}

pub(crate) async fn confirm_delivery(engine: &Engine, unit: Option<&ConnectionState>, about: &Message, now: Timestamp) {
    let kinds = (Report::COD_WITH_DATA, Report::COD_WITH_FULL_DATA);
    send(engine, unit, about, Feedback::COD, kinds, now).await;
}

/// For a message that ended its life unread, if it asked for it.
pub(crate) async fn expired(engine: &Engine, about: &Message, now: Timestamp) {
    if about.descriptor.report.contains(Report::EXPIRATION) {
        let kinds = (Report::EXPIRATION_WITH_DATA, Report::EXPIRATION_WITH_FULL_DATA);
        send(engine, None, about, Feedback::EXPIRATION, kinds, now).await;
    }
}

/// For a message that could not be delivered, if it asked for it. Feedback is the reason.
pub(super) async fn exception(
    engine: &Engine,
    unit: Option<&ConnectionState>,
    about: &Message,
    reason: Reason,
    now: Timestamp,
) {
    if about.descriptor.report.contains(Report::EXCEPTION) {
        let kinds = (Report::EXCEPTION_WITH_DATA, Report::EXCEPTION_WITH_FULL_DATA);
        send(engine, unit, about, Feedback(reason.number()), kinds, now).await;
    }
}

async fn send(
    engine: &Engine,
    unit: Option<&ConnectionState>,
    about: &Message,
    feedback: Feedback,
    (with_data, with_full_data): (Report, Report),
    now: Timestamp,
) {
    let of = &about.descriptor;
    let body = if of.report.contains(with_full_data) {
        about.body.clone()
    } else if of.report.contains(with_data) {
        about.body.slice(..about.body.len().min(DATA))
    } else {
        Bytes::new()
    };
    let report = Message { descriptor: describe(engine, about, feedback, body.is_empty(), now), body };
    let expires = report.descriptor.expiry.duration().map(|lifetime| now.saturating_add(lifetime));
    let Err(reason) = put_to_reply_queue(engine, unit, of, &report, expires, now).await else { return };
    let (queue, queue_manager) = (of.reply_to_queue, of.reply_to_queue_manager);
    let undelivered = Undelivered { message: report, queue, queue_manager, reason };
    let Err(dead) = dead_letter::put(engine, unit, undelivered, now).await else { return };
    if let Some(left_out) = engine.reports_given_up.lock().due(now, BETWEEN_LINES) {
        let queue = queue.as_str();
        warn!(queue, %reason, dead_letter = %dead, left_out, "a report message could not be delivered and was dropped");
    }
}

fn describe(engine: &Engine, about: &Message, feedback: Feedback, is_empty: bool, now: Timestamp) -> MessageDescriptor {
    let of = &about.descriptor;
    let passes_on = of.report.contains(Report::PASS_DISCARD_AND_EXPIRY);
    let discards = passes_on && of.report.contains(Report::DISCARD_MSG);
    MessageDescriptor {
        report: if discards { Report::DISCARD_MSG } else { Report::empty() },
        message_type: MessageType::REPORT,
        expiry: if passes_on { of.expiry } else { Expiry::UNLIMITED },
        feedback,
        format: if is_empty { Default::default() } else { of.format },
        message_id: if of.report.contains(Report::PASS_MSG_ID) {
            of.message_id
        } else {
            MessageId::new(engine.identifiers.make())
        },
        correlation_id: if of.report.contains(Report::PASS_CORREL_ID) {
            of.correlation_id
        } else {
            CorrelationId::from(of.message_id)
        },
        backout_count: 0,
        reply_to_queue: model::name::QueueName::BLANK,
        reply_to_queue_manager: engine.name,
        put_application_type: QUEUE_MANAGER,
        put_application_name: Text::new(engine.name.as_str()),
        put_date: now.put_date(),
        put_time: now.put_time(),
        application_origin_data: Text::BLANK,
        original_length: i32::try_from(about.body.len()).unwrap_or(i32::MAX),
        ..of.clone()
    }
}

async fn put_to_reply_queue(
    engine: &Engine,
    unit: Option<&ConnectionState>,
    of: &MessageDescriptor,
    report: &Message,
    expires: Option<Timestamp>,
    now: Timestamp,
) -> Result<(), Reason> {
    match resolve(engine, &of.reply_to_queue, &of.reply_to_queue_manager)? {
        Resolved::Destination(destination) => {
            let object = ObjectDescriptor { name: of.reply_to_queue, ..ObjectDescriptor::default() };
            let principal = of.answerable().ok_or(Reason::NotAuthorized)?;
            check_destination_authority(engine, Door::Report, &principal, &object, &destination, Authority::PUT)?;
            put_to(engine, unit, &destination, report.clone(), expires, now).await
        }
        Resolved::Model(_) => Err(Reason::ObjectTypeError),
    }
}

/// As `put_to`, of a message that was on its way: on a queue here it has arrived.
///
/// # Errors
/// Those of `put_to`.
pub(crate) async fn put_on(
    engine: &Engine,
    unit: Option<&ConnectionState>,
    destination: &Destination,
    message: &Message,
    expires: Option<Timestamp>,
    now: Timestamp,
) -> Result<(), Reason> {
    put_to(engine, unit, destination, message.clone(), expires, now).await?;
    if matches!(destination, Destination::Local { .. }) && wants_coa(&message.descriptor) {
        confirm_arrival(engine, unit, message, now).await;
    }
    Ok(())
}

/// Puts a finished message of the queue manager's own where a destination leads.
///
/// # Errors
/// 2030, 2051, 2053, 2056, 2102; `ObjectTypeError` (2043) for a topic.
pub(crate) async fn put_to(
    engine: &Engine,
    unit: Option<&ConnectionState>,
    destination: &Destination,
    message: Message,
    expires: Option<Timestamp>,
    now: Timestamp,
) -> Result<(), Reason> {
    crate::verb::put::check_put_enabled(destination)?;
    let queue = destination.queue().ok_or(Reason::ObjectTypeError)?;
    let message = match destination {
        Destination::Remote { queue: remote_queue, queue_manager, .. } => {
            let header = TransmissionHeader {
                remote_queue: Text::from_bytes(remote_queue.padded()),
                remote_queue_manager: Text::from_bytes(queue_manager.padded()),
                descriptor: message.descriptor,
            };
            transmission::wrap(engine, queue, header, &message.body, now)
        }
        Destination::Local { .. } | Destination::Topic { .. } => message,
    };
    if message.body.len() > queue.with_local(|_, local| local.maximum_message_length as usize) {
        return Err(Reason::MsgTooBigForQ);
    }
    delivery::place(engine, unit, queue, &message, expires, now).await.map(drop)
}
