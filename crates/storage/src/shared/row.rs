//! A message as a row of the table, both ways.

use bytes::Bytes;
use model::message::Message;
use model::timestamp::Timestamp;
use tokio_postgres::Row;
use xxhash_rust::xxh3::xxh3_64;

use crate::private::log::descriptor::{Keys, decode_content, encode_content};
use crate::shared::depth::Staged;
use crate::shared::operation::Place;
use crate::{DeliveryKey, Placement, Position, QueueId, StoredMessage};

/// Longer bodies go into parts of this length, in bytes.
pub(super) const PART: usize = 256 << 10;

/// A message as the table has it.
#[derive(Debug, Clone)]
pub(super) struct MessageRow {
    pub(super) queue: QueueId,
    pub(super) key: DeliveryKey,
    pub(super) persistent: bool,
    pub(super) expires: Option<Timestamp>,
    pub(super) arrived: Timestamp,
    pub(super) keys: Identifiers,
    pub(super) head: Bytes,
    pub(super) body: Bytes,
}

/// A message that a program puts, on its way into the table.
pub(super) struct NewRow {
    pub(super) staged: Staged,
    pub(super) message: MessageRow,
}

/// A message of another database on its way into the table, as it was there.
pub(super) struct MovedRow {
    pub(super) message: MessageRow,
    pub(super) backouts: i32,
}

/// What is looked for, and what groups need.
#[derive(Debug, Clone)]
pub(super) struct Identifiers {
    pub(super) message: [u8; 24],
    pub(super) correlation: [u8; 24],
    pub(super) group: [u8; 24],
    pub(super) sequence: u32,
    pub(super) offset: u32,
    pub(super) flags: u32,
}

impl NewRow {
    pub(super) fn new(
        staged: Staged,
        queue: QueueId,
        position: Position,
        message: &Message,
        placement: &Placement,
        now: Timestamp,
    ) -> Self {
        let keys = Keys::of(&message.descriptor);
        let rank = if placement.by_priority { 9 - keys.priority } else { 0 };
        let message = MessageRow {
            queue,
            key: DeliveryKey { rank, position },
            persistent: placement.persistent,
            expires: placement.expires,
            arrived: now,
            keys: Identifiers {
                message: *keys.message_id.as_bytes(),
                correlation: *keys.correlation_id.as_bytes(),
                group: *keys.group_id.as_bytes(),
                sequence: keys.sequence_number,
                offset: keys.offset,
                flags: keys.flags.bits(),
            },
            head: encode_content(&message.descriptor, &[]).into(),
            body: message.body.clone(),
        };
        Self { staged, message }
    }
}

impl MessageRow {
    pub(super) fn place(&self) -> Place {
        Place { queue: self.queue, key: self.key }
    }

    /// Bytes that it costs a batch.
    pub(super) fn size(&self) -> usize {
        self.head.len() + self.body.len()
    }

    /// How many parts its body has; 0: it is in the row.
    pub(super) fn parts(&self) -> usize {
        if self.body.len() > PART { self.body.len().div_ceil(PART) } else { 0 }
    }
}

/// NULL for an identifier of zeros, which nobody looks for by index.
pub(super) fn hash(identifier: &[u8; 24]) -> Option<i64> {
    (*identifier != [0; 24]).then(|| i64::from_le_bytes(xxh3_64(identifier).to_le_bytes()))
}

/// A moment as the table has it.
pub(super) fn moment(at: Timestamp) -> i64 {
    i64::try_from(at.0).unwrap_or(i64::MAX)
}

pub(super) fn timestamp(value: i64) -> Timestamp {
    Timestamp(u64::try_from(value).unwrap_or(0))
}

/// The table's number of a queue: without the bit that says that it is shared, with those of its database.
pub(super) fn queue_number(queue: QueueId) -> i32 {
    i32::try_from(queue.0 & !QueueId::SHARED).expect("the high bit is cleared")
}

pub(super) fn queue_id(number: i32) -> QueueId {
    QueueId(number.unsigned_abs() | QueueId::SHARED)
}

pub(super) fn rank(key: DeliveryKey) -> i16 {
    i16::from(key.rank)
}

pub(super) fn position(key: DeliveryKey) -> i64 {
    i64::try_from(key.position.0).expect("positions have 63 bits")
}

pub(super) fn delivery_key(rank: i16, position: i64) -> DeliveryKey {
    DeliveryKey { rank: u8::try_from(rank).unwrap_or(0), position: Position(position.unsigned_abs()) }
}

/// A message that a statement returned.
pub(super) struct Found {
    /// Which of those asked for it is for, counted from 0.
    pub(super) ordinal: usize,
    pub(super) queue: QueueId,
    pub(super) key: DeliveryKey,
    /// The body is in parts.
    pub(super) in_parts: bool,
    backout: i32,
    expires: Option<i64>,
    arrived: i64,
    /// Without its body; `None`: a later version of the program wrote it, or somebody has changed it.
    message: Option<Box<Message>>,
    body: Bytes,
}

impl Found {
    /// Of a row with the columns of `message_columns!`.
    pub(super) fn of(row: &Row) -> Self {
        Self {
            ordinal: usize::try_from(row.get::<_, i64>(0) - 1).unwrap_or(0),
            queue: queue_id(row.get(1)),
            key: delivery_key(row.get(2), row.get(3)),
            backout: row.get(4),
            expires: row.get(6),
            arrived: row.get(7),
            in_parts: row.get::<_, i32>(8) > 0,
            message: decode_content(row.get::<_, Vec<u8>>(9).into()),
            body: Bytes::from(row.get::<_, Vec<u8>>(10)),
        }
    }

    pub(super) fn set_body(&mut self, body: Bytes) {
        self.body = body;
    }

    pub(super) fn length(&self) -> i64 {
        i64::try_from(self.body.len()).unwrap_or(i64::MAX)
    }

    /// A message that cannot be read is taken by nobody: another member may understand it.
    pub(super) fn is_readable(&self) -> bool {
        self.message.is_some()
    }

    pub(super) fn stored(self) -> Option<StoredMessage> {
        let mut message = self.message?;
        message.body = self.body;
        message.descriptor.backout_count = self.backout.unsigned_abs();
        Some(StoredMessage {
            key: self.key,
            message,
            expires: self.expires.map(timestamp),
            arrived: timestamp(self.arrived),
        })
    }
}
