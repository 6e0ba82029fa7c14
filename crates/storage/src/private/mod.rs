//! The private store: queues in memory, the recovery log as the truth.

pub mod log;

use std::sync::Arc;

use model::message::Message;
use model::timestamp::Timestamp;

use crate::private::log::disk::Disk;
use crate::{
    DefinitionChange, DeliveryKey, Depth, LockOwner, Placement, PutOutcome, QueueId, RecoveryLogError, Selection,
    StoreError, StoreOptions, StoredMessage, UnitOfWorkId, Xid,
};

/// What a start found in the log.
pub struct Recovered {
    /// Definitions by key.
    pub definitions: Vec<(String, Vec<u8>)>,
    /// Prepared units of work that wait for their outcome.
    pub in_doubt: Vec<(UnitOfWorkId, Option<Xid>)>,
    /// Messages found, for the start-up log line.
    pub messages: u64,
}

/// Private queues and definitions of one queue manager. Cheap to share; every method takes `&self`.
pub struct PrivateStore {}

impl PrivateStore {
    /// Reads the log on `disk` and makes it ready for writing. A torn tail is cut; a damaged middle is an error.
    pub fn open(disk: Arc<dyn Disk>, options: StoreOptions) -> Result<(Self, Recovered), RecoveryLogError> {
        todo!()
    }
    /// Nothing on disk: persistent messages live as long as the process.
    pub fn ephemeral(options: StoreOptions) -> Self {
        todo!()
    }
    /// After `open`: these queues exist; messages of all others are forgotten.
    pub fn retain_queues(&self, queues: &[QueueId]) {
        todo!()
    }
    /// A number no record in the log uses. The queue holds nothing yet.
    pub fn create_queue(&self) -> QueueId {
        todo!()
    }
    /// Durable when it returns.
    pub async fn change_definitions(&self, changes: Vec<DefinitionChange>) -> Result<(), StoreError> {
        todo!()
    }

    /// A new unit of work; costs nothing until something is done in it.
    pub fn begin(&self) -> UnitOfWorkId {
        todo!()
    }
    /// Outside a unit of work (`None`): visible at once, durable when it returns. Inside: visible at commit.
    pub async fn put(
        &self,
        unit: Option<UnitOfWorkId>,
        queue: QueueId,
        message: Message,
        placement: Placement,
        now: Timestamp,
    ) -> Result<PutOutcome, StoreError> {
        todo!()
    }
    /// Takes the first visible, unexpired, matching message in delivery order.
    pub async fn get(
        &self,
        unit: Option<UnitOfWorkId>,
        queue: QueueId,
        selection: &Selection<'_>,
        now: Timestamp,
    ) -> Result<Option<StoredMessage>, StoreError> {
        todo!()
    }
    /// The first matching message after `after` in delivery order; leaves it there.
    pub async fn browse(
        &self,
        queue: QueueId,
        after: Option<DeliveryKey>,
        selection: &Selection<'_>,
        now: Timestamp,
    ) -> Result<Option<StoredMessage>, StoreError> {
        todo!()
    }
    /// Hides the message from every other owner until `unlock` or its get. False when it is gone or taken.
    pub fn lock(&self, queue: QueueId, key: DeliveryKey, owner: LockOwner) -> bool {
        todo!()
    }
    pub fn unlock(&self, queue: QueueId, key: DeliveryKey, owner: LockOwner) -> bool {
        todo!()
    }
    /// Durable when it returns; afterwards only `commit` and `back_out` are allowed, also after a restart.
    pub async fn prepare(&self, unit: UnitOfWorkId, xid: Option<Xid>) -> Result<(), StoreError> {
        todo!()
    }
    pub async fn commit(&self, unit: UnitOfWorkId) -> Result<(), StoreError> {
        todo!()
    }
    /// Raises backout counts of what it had got.
    pub async fn back_out(&self, unit: UnitOfWorkId) -> Result<(), StoreError> {
        todo!()
    }
    pub fn in_doubt(&self) -> Vec<(UnitOfWorkId, Option<Xid>)> {
        todo!()
    }
    /// Removes committed, untaken messages whose time has come, and returns them with their bodies for reports.
    pub async fn discard_expired(&self, queue: QueueId, now: Timestamp) -> Result<Vec<StoredMessage>, StoreError> {
        todo!()
    }
    /// When the next message of the queue expires: a cheap look before `discard_expired`.
    pub fn next_expiry(&self, queue: QueueId) -> Option<Timestamp> {
        todo!()
    }
    /// Removes every message. `Uncommitted` when a unit of work holds one.
    pub async fn clear(&self, queue: QueueId) -> Result<u32, StoreError> {
        todo!()
    }
    pub fn depth(&self, queue: QueueId) -> Depth {
        todo!()
    }
    pub fn statistics(&self) -> StoreStatistics {
        todo!()
    }
    /// Stops the writer after what was accepted is durable. Later calls answer `Closed`.
    pub fn close(&self) {
        todo!()
    }
}

/// For metrics and `DISPLAY QMSTATUS`. Counters count from the start of the process.
#[derive(Debug, Clone, Copy, Default)]
pub struct StoreStatistics {
    pub log_bytes_written: u64,
    pub log_syncs: u64,
    pub log_batches: u64,
    pub log_records: u64,
    pub log_extents: u64,
    pub log_bytes_in_use: u64,
    pub log_moved_bytes: u64,
    pub buffer_pool_bytes: u64,
    pub buffer_pool_misses: u64,
    pub spilled_bytes: u64,
    pub sync_seconds_total: f64,
    pub log_full: bool,
    pub log_failed: bool,
}
