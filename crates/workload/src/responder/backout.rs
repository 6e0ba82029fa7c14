//! Requests that are backed out again and again: put aside as the attributes of their queue say.
//!
//! A request whose backout count has reached BOTHRESH goes to BOQNAME, or behind a dead-letter header to the dead-letter
//! queue when there is none, within the unit of work that got it. It does not expire there. BOTHRESH 0, or a queue that may not be inquired, means
//! never; so does a queue manager without a dead-letter queue. The attributes are asked for each such request: there are few.

use bytes::Bytes;
use channel_client::connection::{Connection, Got};
use channel_client::error::ChannelError;
use model::descriptor::{Expiry, Format, MessageDescriptor};
use model::header::dead_letter::DeadLetterHeader;
use model::name::QueueName;
use model::options::{CloseOptions, ObjectDescriptor, ObjectKind, OpenOptions, PutFlags, PutOptions};
use model::reason::Reason;
use model::text::Text;

/// MQIA_BACKOUT_THRESHOLD, MQCA_BACKOUT_REQ_Q_NAME, MQCA_DEAD_LETTER_Q_NAME.
const BACKOUT_THRESHOLD: i32 = 22;
const BACKOUT_QUEUE: i32 = 2019;
const DEAD_LETTER_QUEUE: i32 = 2006;
/// Length of a queue's name in bytes.
const NAME_LENGTH: usize = 48;

/// Puts a request that was backed out too often aside, under syncpoint; where it went, or `None` when it is to be answered.
///
/// # Errors
/// As MQPUT1: the queue it ought to go to is not there, or full. With the error comes the queue that it is about.
pub(super) async fn put_aside(
    connection: &mut Connection,
    queue: QueueName,
    request: &Got,
) -> Result<Option<QueueName>, (QueueName, ChannelError)> {
    let of_requests = |error| (queue, error);
    let object = ObjectDescriptor { name: queue, ..ObjectDescriptor::default() };
    let attributes = inquire(connection, &object, &[BACKOUT_THRESHOLD, BACKOUT_QUEUE]).await;
    let Some((threshold, backout_queue)) = attributes.map_err(of_requests)? else {
        return Ok(None);
    };
    let threshold = u32::try_from(threshold).unwrap_or(0);
    if threshold == 0 || request.descriptor.backout_count < threshold {
        return Ok(None);
    }
    if !backout_queue.is_blank() {
        put(connection, backout_queue, request.descriptor.clone(), request.body.clone()).await?;
        return Ok(Some(backout_queue));
    }
    let object = ObjectDescriptor { object: ObjectKind::QueueManager, ..ObjectDescriptor::default() };
    match inquire(connection, &object, &[DEAD_LETTER_QUEUE]).await.map_err(of_requests)? {
        Some((_, dead_letter_queue)) if !dead_letter_queue.is_blank() => {
            let (descriptor, body) = behind_header(connection, queue, request);
            put(connection, dead_letter_queue, descriptor, body).await?;
            Ok(Some(dead_letter_queue))
        }
        _ => Ok(None),
    }
}

/// The integer, if one is asked for, and the name; `None` when that is not for this user to know.
async fn inquire(
    connection: &mut Connection,
    object: &ObjectDescriptor,
    selectors: &[i32],
) -> Result<Option<(i32, QueueName)>, ChannelError> {
    let opened = connection.open(object, OpenOptions::INQUIRE | OpenOptions::FAIL_IF_QUIESCING).await;
    let handle = match opened {
        Ok(opened) => opened.handle,
        Err(error) if error.reason() == Reason::NotAuthorized => return Ok(None),
        Err(error) => return Err(error),
    };
    let attributes = connection.inquire(handle, selectors, selectors.len() - 1, NAME_LENGTH).await;
    connection.close(handle, CloseOptions::empty()).await?;
    let attributes = attributes?;
    let name = String::from_utf8_lossy(&attributes.characters);
    let name = QueueName::parse(name.trim_end_matches([' ', '\0'])).unwrap_or(QueueName::BLANK);
    Ok(Some((attributes.integers.first().copied().unwrap_or(0), name)))
}

/// What is put aside does not expire: it waits for a person.
async fn put(
    connection: &mut Connection,
    queue: QueueName,
    descriptor: MessageDescriptor,
    body: Bytes,
) -> Result<(), (QueueName, ChannelError)> {
    let descriptor = MessageDescriptor { expiry: Expiry::UNLIMITED, ..descriptor };
    let object = ObjectDescriptor { name: queue, ..ObjectDescriptor::default() };
    let options = PutOptions { flags: PutFlags::SYNCPOINT | PutFlags::FAIL_IF_QUIESCING, context: None };
    connection.put1(&object, descriptor, &options, body).await.map(drop).map_err(|error| (queue, error))
}

/// The request as a message of a dead-letter queue.
fn behind_header(connection: &Connection, queue: QueueName, request: &Got) -> (MessageDescriptor, Bytes) {
    let descriptor = &request.descriptor;
    let header = DeadLetterHeader {
        reason: i32::from(Reason::BackoutThresholdReached as u16),
        destination_queue: Text::from_bytes(queue.padded()),
        destination_queue_manager: Text::from_bytes(connection.queue_manager().padded()),
        encoding: descriptor.encoding,
        ccsid: descriptor.ccsid,
        format: descriptor.format,
        put_application_type: descriptor.put_application_type,
        put_application_name: descriptor.put_application_name,
        put_date: descriptor.put_date,
        put_time: descriptor.put_time,
    };
    let mut body = Vec::with_capacity(DeadLetterHeader::LENGTH + request.body.len());
    header.encode(descriptor.encoding, &mut body);
    body.extend_from_slice(&request.body);
    (MessageDescriptor { format: Format::DEAD_LETTER_HEADER, ..descriptor.clone() }, body.into())
}
