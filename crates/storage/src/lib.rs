//! Where messages and definitions last: the store contract, and the private store (memory plus recovery log).
//!
//! `store.rs` is the face that a queue manager knows.
//!
//! The queue manager decides what a verb means; a store only keeps messages in delivery order, owned by units of work,
//! and makes what is persistent durable. It knows neither names, authorities nor MQI options.
//!
//! Invariants
//! - An operation outside a unit of work, and a commit, return only once what they did to persistent messages is durable.
//! - What an application was shown never disappears in a crash: `get` and `browse` wait until the message they return is durable.
//! - A message belongs to at most one unit of work. Backed out, it returns to its old place with its count raised.
//! - After a failed sync nothing is written or answered any more.

pub mod error;
pub mod private;
pub mod shared;
mod store;

use std::num::NonZeroU64;
use std::time::Duration;

use bytes::Bytes;
use model::descriptor::{MessageDescriptor, MessageFlags};
use model::identifier::{CorrelationId, GroupId, MessageId};
use model::message::Message;
use model::timestamp::Timestamp;

pub use error::{Lacking, RecoveryLogError, StoreError, lacking};
pub use private::{
    MessageCount, PrivateStore, QuarantineListener, Quarantined, QuotaUse, Quotas, RECEIPT_MAXIMUM, Receipt,
    ReceiptKey, ReceiptOfPut, StoredQueue, VerificationRate, before_sleep, block_on,
};
pub use shared::{EndedMessage, GroupStore, SharedOptions, SharedStore, StructureConnection, StructureDatabase};
pub use store::{GroupUnit, Scan, Store};

/// A queue within one store. Never used again for another queue while any record of the old one exists.
///
/// ```text
/// bit  31      set: shared. Else the other bits are the recovery log's number of the queue
/// bits 24..31  of a shared queue: the database where it is
/// bits  0..24  its number there
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct QueueId(pub u32);

impl QueueId {
    /// Of the numbers of shared queues.
    const SHARED: u32 = 1 << 31;
    const CLUSTER_SHIFT: u32 = 24;
    /// Highest number of a queue within its database: that of the sequence of `schema.sql`.
    const LAST_IN_CLUSTER: u32 = (1 << Self::CLUSTER_SHIFT) - 1;

    /// The number of a shared queue. `None`: the database has had all its queues.
    pub(crate) fn shared(cluster: ClusterNumber, number: u32) -> Option<Self> {
        let place = u32::from(cluster.0) << Self::CLUSTER_SHIFT;
        (number <= Self::LAST_IN_CLUSTER).then_some(Self(Self::SHARED | place | number))
    }

    /// Its messages are in the shared store of the group, not in the recovery log.
    pub fn is_shared(self) -> bool {
        self.0 & Self::SHARED != 0
    }

    /// The database where a shared queue is.
    pub fn cluster(self) -> ClusterNumber {
        let number = (self.0 & !Self::SHARED) >> Self::CLUSTER_SHIFT;
        ClusterNumber(u8::try_from(number).expect("seven bits"))
    }
}

/// One of the databases of a group, with its standbys. The group's home gives each its number, which lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClusterNumber(u8);

impl ClusterNumber {
    /// Has the members and definitions of the group, and each structure without a database of its own.
    pub const HOME: Self = Self(0);
    const LAST: u8 = 127;

    /// `None`: no database of a group has it.
    pub(crate) fn of(number: i32) -> Option<Self> {
        u8::try_from(number).ok().filter(|number| *number <= Self::LAST).map(Self)
    }

    pub(crate) fn number(self) -> i32 {
        i32::from(self.0)
    }
}

/// Arrival number of a message within its queue: unique for all time, kept across back out and restart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position(pub u64);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UnitOfWorkId(pub u64);

/// Owner of browse locks: a connection handle's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LockOwner(pub u64);

/// XA transaction branch identifier.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Xid {
    pub format_id: i32,
    /// At most 64 bytes.
    pub global_transaction: Vec<u8>,
    /// At most 64 bytes.
    pub branch: Vec<u8>,
}

/// A place in delivery order: lower priorities come later, then by arrival. With FIFO delivery every rank is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeliveryKey {
    /// 9 minus the message's priority, or 0 on a FIFO queue.
    pub rank: u8,
    pub position: Position,
}

/// How a message enters a queue.
#[derive(Debug, Clone, Copy)]
pub struct Placement {
    /// Delivery by priority, else by arrival alone.
    pub by_priority: bool,
    /// MAXDEPTH: counting uncommitted messages; reaching it is `StoreError::QueueFull`.
    pub maximum_depth: u32,
    pub expires: Option<Timestamp>,
    pub persistent: bool,
}

/// Which message to take. Every `Some` must match; `accept` is asked last. An identifier of zeros matches only messages
/// that carry it (and is not indexed): whoever means "any" leaves the field `None`.
#[derive(Default, Clone, Copy)]
pub struct Selection<'a> {
    pub message_id: Option<MessageId>,
    pub correlation_id: Option<CorrelationId>,
    pub group_id: Option<GroupId>,
    pub sequence_number: Option<u32>,
    pub offset: Option<u32>,
    pub position: Option<Position>,
    /// Asked under the queue's lock: must be quick and must not call the store.
    pub accept: Option<&'a (dyn Fn(&Candidate<'_>) -> bool + Send + Sync)>,
    /// Messages locked by this owner are visible to it; those locked by others are not.
    pub lock_owner: Option<LockOwner>,
}

/// What `Selection::accept` may look at without reading the body.
pub struct Candidate<'a> {
    pub position: Position,
    pub message_id: &'a MessageId,
    pub correlation_id: &'a CorrelationId,
    pub group_id: &'a GroupId,
    pub sequence_number: u32,
    pub offset: u32,
    pub flags: MessageFlags,
    pub priority: u8,
    /// In bytes.
    pub body_length: usize,
    /// Members of the same group on this queue that could be taken as this message could: committed, not taken, not
    /// expired, not locked by another owner. In (sequence, offset) order.
    pub group: &'a dyn Fn() -> Vec<GroupMember>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupMember {
    pub position: Position,
    pub sequence_number: u32,
    pub offset: u32,
    /// Length of the body in bytes.
    pub length: usize,
    pub flags: MessageFlags,
}

/// A message as a store returns it. `message.descriptor.backout_count` is current.
#[derive(Debug, Clone)]
pub struct StoredMessage {
    pub key: DeliveryKey,
    /// Boxed, because many layers pass it on.
    pub message: Box<Message>,
    pub expires: Option<Timestamp>,
    pub arrived: Timestamp,
}

/// What a selector looks at: a message on its queue, or the beginning of a long one.
#[derive(Debug, Clone)]
pub struct Glimpse {
    pub key: DeliveryKey,
    /// With the current backout count.
    pub descriptor: MessageDescriptor,
    /// The body, or as much of it as `PrivateStore::scan` reads.
    pub beginning: Bytes,
    pub is_whole: bool,
}

/// What a scan is shown at a time.
#[derive(Debug, Clone)]
pub struct Slice {
    /// In delivery order.
    pub glimpses: Vec<Glimpse>,
    /// This look of the scan has seen the whole queue.
    pub is_last: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PutOutcome {
    pub key: DeliveryKey,
    /// Messages on the queue before this one, uncommitted ones counted: what triggers and depth events look at.
    pub depth_before: u32,
}

/// CURDEPTH and its neighbours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Depth {
    /// Every message, uncommitted puts and gets counted.
    pub current: u32,
    /// Put or got, and not yet committed.
    pub uncommitted: u32,
    /// Beside `current`: messages that cannot be read back.
    pub quarantined: u32,
    /// Arrival of the oldest message still there.
    pub oldest: Option<Timestamp>,
    /// Bytes of bodies.
    pub bytes: u64,
    /// How often the first message has come back, in a unit of work or not.
    pub first_backouts: u32,
}

/// What a look at a queue finds, for those who ask why nobody gets a message. Nothing is taken or changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Survey {
    /// Messages that a get could take, if nothing else were wrong.
    pub available: usize,
    /// The first of them in delivery order.
    pub first: Vec<Surveyed>,
    /// Put or got by units of work: the unit, and how many of each.
    pub held: Vec<HeldByUnit>,
    /// The first messages that units of work got.
    pub got: Vec<Surveyed>,
    /// Their bodies are being read back by gets.
    pub being_read: usize,
    /// They cannot be read back, and are delivered to nobody.
    pub quarantined: usize,
}

/// A message, as far as its identifiers go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Surveyed {
    pub position: Position,
    pub message_id: MessageId,
    pub correlation_id: CorrelationId,
    pub group_id: GroupId,
    pub has_expired: bool,
    /// A browser holds its lock.
    pub is_locked: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeldByUnit {
    pub unit: UnitOfWorkId,
    pub put: usize,
    pub got: usize,
}

/// One change of the definitions, opaque to the store. All changes of one call become durable together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DefinitionChange {
    /// `key` is `kind/NAME`; an existing value is replaced.
    Save {
        key: String,
        value: Vec<u8>,
    },
    Delete {
        key: String,
    },
    /// Forget every message of a queue that is being deleted.
    DropQueue(QueueId),
}

/// Where bodies are bounded and extents sized.
#[derive(Debug, Clone)]
pub struct StoreOptions {
    /// Length of the first extent in bytes; small, so that an empty directory is ready at once.
    pub first_extent_bytes: u64,
    /// Length of every later extent in bytes.
    pub extent_bytes: u64,
    /// Most bytes of message bodies held in memory; beyond it bodies live on disk only.
    pub buffer_pool_bytes: u64,
    /// Bodies at least this long go to a file of their own instead of the log.
    pub large_body_bytes: u64,
    /// Units of work with more messages than that are committed and backed out a part at a time, on a thread of their own.
    pub large_unit_messages: usize,
    /// The log is kept below this, or twice the live data when that is more, by moving live records forward.
    pub minimum_log_bytes: u64,
    /// Most receipts kept; of more, those that expire first end early.
    pub maximum_receipts: u32,
    /// Most bytes of disk for the log, bodies beside it and what the buffer pool does not take. With a quota extents are short, so that
    /// the part of it that the log keeps for itself is small.
    pub disk_quota_bytes: Option<NonZeroU64>,
    /// Most bytes of memory for messages.
    pub memory_quota_bytes: Option<NonZeroU64>,
    /// How long after a batch the log's anchor says that it is durable, without any other occasion to write the anchor.
    pub anchor_interval: Duration,
    /// Reads what is on the disk again from time to time; `None`: never.
    pub verification: Option<VerificationRate>,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            first_extent_bytes: 4 << 20,
            extent_bytes: 64 << 20,
            buffer_pool_bytes: 256 << 20,
            large_body_bytes: 1 << 20,
            large_unit_messages: 2048,
            minimum_log_bytes: 256 << 20,
            maximum_receipts: 1_000_000,
            disk_quota_bytes: None,
            memory_quota_bytes: None,
            anchor_interval: Duration::from_secs(5),
            verification: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_a_shared_queue_says_in_which_database_it_is() {
        for cluster in [0, 1, 127] {
            let cluster = ClusterNumber::of(cluster).expect("a cluster");
            for number in [1, QueueId::LAST_IN_CLUSTER] {
                let queue = QueueId::shared(cluster, number).expect("a queue");
                assert!(queue.is_shared());
                assert_eq!(queue.cluster(), cluster);
                assert_eq!(queue.0 & QueueId::LAST_IN_CLUSTER, number);
            }
            assert_eq!(QueueId::shared(cluster, QueueId::LAST_IN_CLUSTER + 1), None);
        }
        assert!(!QueueId(u32::MAX >> 1).is_shared());
        assert_eq!((ClusterNumber::of(128), ClusterNumber::of(-1)), (None, None));
    }
}
