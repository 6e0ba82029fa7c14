//! Retained publications: the latest publication of a topic string that was put with MQPMO_RETAIN, for later subscribers.
//!
//! They are messages on SYSTEM.RETAINED.PUB.QUEUE, one for each topic string, so that they are durable when they are
//! persistent, expire like others, and change with the unit of work that published them. The correlation id is made of
//! the topic string; the body begins with an MQRFH2 that holds the topic string itself, then the published body:
//!
//! ```text
//! MQRFH2 <mqps><Top>sport/football</Top><Ret>1</Ret></mqps>, encoding, CCSID and format of the published body
//! ```

use bytes::Bytes;
use model::descriptor::{Ccsid, Encoding, Format, MessageDescriptor};
use model::header::rfh2::Rfh2;
use model::identifier::CorrelationId;
use model::message::Message;
use model::name::QueueName;
use model::property::{PropertyValue, read_folder, write_folder};
use model::reason::Reason;
use model::timestamp::Timestamp;
use std::sync::Arc;
use storage::{DeliveryKey, Position, Selection, StoredMessage};
use tracing::warn;

use crate::engine::Engine;
use crate::engine::connection_table::ConnectionState;
use crate::publish::topic_tree::Pattern;
use crate::queue::Queue;
use crate::queue::delivery;
use crate::queue::waiters::Arrival;
use crate::reason;
use crate::verb::unit_of_work::What;

const QUEUE: &str = "SYSTEM.RETAINED.PUB.QUEUE";

/// A retained publication, as it was published.
pub(crate) struct Retained {
    pub(crate) topic: String,
    pub(crate) descriptor: MessageDescriptor,
    pub(crate) body: Bytes,
    pub(crate) expires: Option<Timestamp>,
    position: Position,
}

/// Makes this the retained publication of its topic, at once or when the unit of work is committed.
///
/// # Errors
/// `RetainedMsgQError` (2525): the queue for them is not there. `PutNotRetained` (2479): it took no message.
pub(crate) async fn keep(
    engine: &Engine,
    unit: &ConnectionState,
    topic: &str,
    descriptor: &MessageDescriptor,
    body: &Bytes,
    expires: Option<Timestamp>,
    now: Timestamp,
) -> Result<(), Reason> {
    forget(engine, unit, topic, now).await?;
    let queue = queue(engine).ok_or(Reason::RetainedMsgQError)?;
    let message = wrap(topic, descriptor, body);
    let placed = delivery::place(engine, Some(unit), &queue, &message, expires, now).await;
    placed.map(drop).map_err(|reason| {
        warn!(topic, %reason, "a publication could not be retained");
        Reason::PutNotRetained
    })
}

/// Removes the retained publication of a topic, in the unit of work.
pub(crate) async fn forget(engine: &Engine, unit: &ConnectionState, topic: &str, now: Timestamp) -> Result<(), Reason> {
    let queue = queue(engine).ok_or(Reason::RetainedMsgQError)?;
    for retained in of_topic(engine, &queue, topic, now).await? {
        let id = unit.unit(engine, &queue)?;
        let selection = Selection { position: Some(retained.position), ..Selection::default() };
        let got = engine.store.get(Some(id), queue.id, &selection, now).await;
        if let Some(got) = got.map_err(|error| reason::of_store(engine, &error))? {
            unit.note(id, &queue, Arrival::of(&got.message.descriptor), got.expires, What::Got);
        }
    }
    Ok(())
}

/// The retained publications of every topic that matches, each topic once.
pub(crate) async fn matching(engine: &Engine, pattern: &Pattern, now: Timestamp) -> Result<Vec<Retained>, Reason> {
    let Some(queue) = queue(engine) else { return Ok(Vec::new()) };
    let mut found = match pattern.literal() {
        Some(topic) => of_topic(engine, &queue, topic, now).await?,
        None => all(engine, &queue, Selection::default(), now, |topic| pattern.matches(topic)).await?,
    };
    // Two units of work may have retained the same topic at once: the later one counts.
    found.sort_by(|a, b| (&a.topic, b.position).cmp(&(&b.topic, a.position)));
    found.dedup_by(|one, other| one.topic == other.topic);
    Ok(found)
}

async fn of_topic(engine: &Engine, queue: &Queue, topic: &str, now: Timestamp) -> Result<Vec<Retained>, Reason> {
    let selection = Selection { correlation_id: Some(key(topic)), ..Selection::default() };
    all(engine, queue, selection, now, |found| found == topic).await
}

async fn all(
    engine: &Engine,
    queue: &Queue,
    selection: Selection<'_>,
    now: Timestamp,
    is_wanted: impl Fn(&str) -> bool,
) -> Result<Vec<Retained>, Reason> {
    let mut found = Vec::new();
    let mut after: Option<DeliveryKey> = None;
    loop {
        let browsed = engine.store.browse(queue.id, after, &selection, now).await;
        let Some(stored) = browsed.map_err(|error| reason::of_store(engine, &error))? else { return Ok(found) };
        after = Some(stored.key);
        found.extend(unwrap(stored).filter(|retained| is_wanted(&retained.topic)));
    }
}

fn queue(engine: &Engine) -> Option<Arc<Queue>> {
    engine.queue(&QueueName::literal(QUEUE)).filter(|queue| queue.is_local())
}

fn wrap(topic: &str, descriptor: &MessageDescriptor, body: &Bytes) -> Message {
    let values = [("Top", PropertyValue::String(topic.to_owned())), ("Ret", PropertyValue::String("1".to_owned()))];
    let header = Rfh2 {
        encoding: descriptor.encoding,
        ccsid: descriptor.ccsid,
        format: descriptor.format,
        flags: 0,
        folders: vec![write_folder("mqps", values.iter().map(|(name, value)| (*name, value)))],
    };
    let mut wrapped = Vec::with_capacity(Rfh2::FIXED_LENGTH + 64 + topic.len() + body.len());
    header.encode(Encoding::NATIVE, &mut wrapped);
    wrapped.extend_from_slice(body);
    let descriptor = MessageDescriptor {
        correlation_id: key(topic),
        encoding: Encoding::NATIVE,
        ccsid: Ccsid::UTF_8,
        format: Format::RF_HEADER_2,
        ..descriptor.clone()
    };
    Message { descriptor, body: wrapped.into() }
}

/// `None` for a message that another program put on the queue.
fn unwrap(stored: StoredMessage) -> Option<Retained> {
    let Message { descriptor, body } = *stored.message;
    let (header, length) = Rfh2::decode(&body, descriptor.encoding).ok()?;
    let (folder, properties) = read_folder(header.folders.first()?).ok()?;
    let topic = properties.into_iter().find(|property| property.name == "Top").filter(|_| folder == "mqps")?;
    Some(Retained {
        topic: topic.value.to_string(),
        descriptor: MessageDescriptor {
            encoding: header.encoding,
            ccsid: header.ccsid,
            format: header.format,
            ..descriptor
        },
        body: body.slice(length..),
        expires: stored.expires,
        position: stored.key.position,
    })
}

/// Three FNV-1a hashes of the topic string, each with its own start. Two topic strings may share a key: the header in
/// the message tells them apart.
fn key(topic: &str) -> CorrelationId {
    let mut key = [0; 24];
    for (part, start) in
        key.chunks_exact_mut(8).zip([0xCBF2_9CE4_8422_2325, 0x6C62_272E_07BB_0142, 0x62B8_2175_6295_C58D])
    {
        let hash = topic.bytes().fold(start, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3));
        part.copy_from_slice(&hash.to_be_bytes());
    }
    CorrelationId::new(key)
}
