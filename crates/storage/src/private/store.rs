//! The private store's face: opening, closing, queues, and the one place that holds everything together.

use std::borrow::Borrow;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

use bytes::Bytes;
use hashbrown::{HashMap, HashSet};
use model::message::Message;
use model::timestamp::Timestamp;
use parking_lot::{Mutex, RwLock};

use crate::private::background::Background;
use crate::private::definitions::{AppendedDefinitions, Definitions};
use crate::private::log::append::Continuation;
use crate::private::log::checkpoint::reclaim;
use crate::private::log::disk::{Disk, DiskSpace};
use crate::private::log::extent::{EXTENT_HEADER_BYTES, Place};
use crate::private::log::failure::FailsOnPanic;
use crate::private::log::hold::Held;
use crate::private::log::prepare::{Created, Spare, create, remove, run_keeper};
use crate::private::log::quota_disk::QuotaDisk;
use crate::private::log::recovery::{Findings, recover};
use crate::private::log::writer::Log;
use crate::private::message_count::{MessageCount, MessageCounts};
use crate::private::outcome::Outcome;
use crate::private::pool::Pool;
use crate::private::put::{Manner, ReceiptOfPut};
use crate::private::quarantine::{QuarantineListener, Quarantined};
use crate::private::queue::{Key, Queue};
use crate::private::quota::{MemoryQuota, Quotas};
use crate::private::receipts::{Receipt, ReceiptKey, Receipts};
use crate::private::scan::Scan;
use crate::private::spill::Spill;
use crate::private::stored_queue::StoredQueue;
use crate::private::unit_of_work::Units;
use crate::private::verification::Verification;
use crate::{
    ClusterNumber, DefinitionChange, DeliveryKey, Depth, LockOwner, Placement, Position, PutOutcome, QueueId,
    RecoveryLogError, Selection, Slice, StoreError, StoreOptions, StoredMessage, Survey, UnitOfWorkId, Xid,
};

/// What a start found in the log.
#[derive(Default)]
pub struct Recovered {
    /// Definitions by key.
    pub definitions: Vec<(String, Vec<u8>)>,
    /// Prepared units of work that wait for their outcome.
    pub in_doubt: Vec<(UnitOfWorkId, Option<Xid>)>,
    /// Messages found, for the start-up log line.
    pub messages: u64,
    /// Messages in quarantine, by queue in delivery order, and why: their body files are missing or too short.
    pub set_aside: Vec<(Quarantined, RecoveryLogError)>,
}

/// A queue that holds messages though no definition of it is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UndefinedQueue {
    pub id: QueueId,
    /// Those in doubt counted.
    pub messages: usize,
}

/// Private queues and definitions of one queue manager. Cheap to share; every method takes `&self`.
///
/// Dropping the last one closes it.
#[derive(Clone)]
pub struct PrivateStore {
    running: Arc<Running>,
}

/// The store with its threads; dropping it ends them.
struct Running {
    core: Arc<Core>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

/// Name of the threads that read back.
const READERS: &str = "store-reader";
/// More of them would only queue at the disk.
const READERS_MAXIMUM: usize = 4;

/// Name of the thread that ends large units of work.
const OUTCOMES: &str = "store-outcomes";

/// What the threads share.
pub(crate) struct Core {
    pub(crate) options: StoreOptions,
    /// `None` when nothing is on disk.
    pub(crate) log: Option<Arc<Log>>,
    pub(crate) queues: RwLock<HashMap<QueueId, Arc<QueueSlot>, foldhash::fast::RandomState>>,
    pub(crate) definitions: Mutex<Definitions>,
    pub(crate) receipts: Mutex<Receipts>,
    pub(crate) units: Units,
    /// Also numbers body files.
    pub(crate) next_position: Arc<AtomicU64>,
    next_queue: AtomicU32,
    counts: MessageCounts,
    pub(crate) pool: Pool,
    pub(crate) memory_quota: Option<MemoryQuota>,
    pub(crate) spill: Option<Spill>,
    /// Read what is not in memory.
    pub(crate) readers: Arc<Background>,
    /// End large units of work.
    pub(crate) outcomes: Background,
    /// Held while records of the log are moved, and while the queues do not yet show what the log says of a large unit of work.
    /// Comes before all other locks; threads that serve connections never take it.
    pub(crate) moving: Mutex<()>,
    /// Told of messages that cannot be read back.
    pub(crate) quarantine_listener: OnceLock<QuarantineListener>,
    /// Messages that scans have looked at.
    pub(crate) scanned: AtomicU64,
    pub(crate) verification: Verification,
    closed: AtomicBool,
}

pub(crate) struct QueueSlot {
    pub(crate) id: QueueId,
    pub(crate) queue: Mutex<Queue>,
}

impl PrivateStore {
    /// Reads the log on `disk` and makes it ready for writing. A torn tail is cut; a damaged middle is an error.
    pub fn open(disk: Arc<dyn Disk>, options: StoreOptions) -> Result<(Self, Recovered), RecoveryLogError> {
        let options = checked(options);
        let disk = match options.disk_quota_bytes {
            Some(maximum) => Arc::new(QuotaDisk::open(disk, maximum)?) as Arc<dyn Disk>,
            None => disk,
        };
        let mut found = recover(disk.as_ref(), options.maximum_receipts)?;
        for file in &found.useless {
            remove(disk.as_ref(), file);
        }
        let continuation = match found.continuation.take() {
            Some(continuation) => continuation,
            None => first_extent(disk.as_ref(), &options)?,
        };
        let next_position = Arc::new(AtomicU64::new(found.next_position));
        let log = Log::new(Arc::clone(&disk), options.clone(), continuation, found.anchor, Arc::clone(&next_position));
        log.anchor();
        let spill = Spill::new(disk, options.extent_bytes);
        let spares = std::mem::take(&mut found.spares);
        let (core, recovered) = Core::from_findings(found, options, Arc::clone(&log), spill, next_position);
        let core = Arc::new(core);
        let threads = start_threads(&core, &log, spares)?;
        Ok((Self { running: Arc::new(Running { core, threads: Mutex::new(threads) }) }, recovered))
    }

    /// Nothing on disk: persistent messages live as long as the process. When the buffer pool is full, puts of either
    /// persistence are refused with `NoSpace`.
    pub fn ephemeral(options: StoreOptions) -> Self {
        let core = Core {
            pool: pool(&options, false),
            memory_quota: options.memory_quota_bytes.map(|maximum| MemoryQuota::new(maximum, 0)),
            receipts: Mutex::new(Receipts::new(options.maximum_receipts)),
            options,
            log: None,
            queues: RwLock::default(),
            definitions: Mutex::default(),
            units: Units::new(1),
            next_position: Arc::new(AtomicU64::new(1)),
            next_queue: AtomicU32::new(1),
            counts: MessageCounts::default(),
            spill: None,
            readers: Arc::new(Background::new(READERS, READERS_MAXIMUM)),
            outcomes: Background::new(OUTCOMES, 1),
            moving: Mutex::new(()),
            quarantine_listener: OnceLock::new(),
            scanned: AtomicU64::new(0),
            verification: Verification::default(),
            closed: AtomicBool::new(false),
        };
        Self { running: Arc::new(Running { core: Arc::new(core), threads: Mutex::default() }) }
    }

    /// After `open` and before `create_queue`: these queues exist. What is there of others has lost its definition: it is kept
    /// in quarantine and named here, in order of the ids. A queue that was dropped has nothing there.
    pub fn retain_queues(&self, queues: &[QueueId]) -> Vec<UndefinedQueue> {
        self.core().retain_queues(queues)
    }

    /// A number no record in the log uses. The queue holds nothing yet.
    pub fn create_queue(&self) -> QueueId {
        let core = self.core();
        let id = QueueId(core.next_queue.fetch_add(1, Ordering::Relaxed));
        core.queues.write().insert(id, QueueSlot::new(id, Queue::new(core.counts.of(id))));
        id
    }

    /// As `create_queue`, a shared queue of a group that lives in this process alone. `None`: what is here lasts, and it would not.
    pub(crate) fn create_queue_in_memory(&self) -> Option<QueueId> {
        let core = self.core();
        if core.log.is_some() {
            return None;
        }
        let id = QueueId::shared(ClusterNumber::HOME, core.next_queue.fetch_add(1, Ordering::Relaxed))?;
        core.queues.write().insert(id, QueueSlot::new(id, Queue::new(core.counts.of(id))));
        Some(id)
    }

    /// Durable when it returns.
    ///
    /// # Errors
    /// `NoSpace`, also when one value is longer than an extent; nothing has changed then.
    pub async fn change_definitions(&self, changes: Vec<DefinitionChange>) -> Result<(), StoreError> {
        let appended = self.append_definitions(changes).await?;
        self.definitions_durable(appended).await
    }

    /// The first half of `change_definitions`. Dropped before it returns, nothing has changed; after that the changes are
    /// made, whatever becomes of the caller, and come before all that is done later.
    ///
    /// # Errors
    /// As `change_definitions`.
    pub async fn append_definitions(&self, changes: Vec<DefinitionChange>) -> Result<AppendedDefinitions, StoreError> {
        self.core().append_definitions(&changes).await
    }

    /// The second half: waits until they are durable.
    ///
    /// # Errors
    /// `LogFailed`: whether they are durable is open until the next start. `Closed`.
    pub async fn definitions_durable(&self, appended: AppendedDefinitions) -> Result<(), StoreError> {
        self.core().durable(appended.0).await
    }

    /// A new unit of work; costs nothing until something is done in it.
    pub fn begin(&self) -> UnitOfWorkId {
        self.core().units.begin()
    }

    /// Something was done or tried in the unit, and it has not ended.
    pub(crate) fn has_work(&self, unit: UnitOfWorkId) -> bool {
        matches!(self.core().units.existing(unit), Ok(Some(_)))
    }

    pub(crate) fn is_prepared(&self, unit: UnitOfWorkId) -> bool {
        self.core().units.in_doubt().iter().any(|(known, _)| *known == unit)
    }

    /// Outside a unit of work (`None`): visible at once, durable when it returns. Inside: visible at commit.
    /// The backout count starts at 0, independent of the descriptor.
    ///
    /// # Errors
    /// - `QueueFull`, `NoSpace`: nothing has changed.
    /// - `UnknownQueue`, `UnknownUnitOfWork` (also one that is prepared), `Closed`.
    /// - `LogFailed`: whether the message is durable is open until the next start.
    pub async fn put(
        &self,
        unit: Option<UnitOfWorkId>,
        queue: QueueId,
        message: impl Borrow<Message>,
        placement: Placement,
        now: Timestamp,
    ) -> Result<PutOutcome, StoreError> {
        let manner = unit.map_or(Manner::Alone, Manner::InUnit);
        self.core().put(manner, queue, message.borrow(), &placement, now).await
    }

    /// As `put` outside a unit of work. The message and its receipt are durable together, also when the message is not
    /// persistent.
    ///
    /// # Errors
    /// Those of `put`. Refused, there is no receipt.
    pub async fn put_with_receipt(
        &self,
        queue: QueueId,
        message: impl Borrow<Message>,
        placement: Placement,
        receipt: &ReceiptOfPut<'_>,
        now: Timestamp,
    ) -> Result<PutOutcome, StoreError> {
        self.core().put(Manner::WithReceipt(receipt), queue, message.borrow(), &placement, now).await
    }

    /// Takes the first visible, unexpired, matching message in delivery order.
    ///
    /// A get outside a unit of work counts as done once its record is handed to the log: the message leaves the depth
    /// before the sync. Dropping the future before that changes nothing; dropping it later, the message is got all the
    /// same and nobody has it. Inside a unit of work, dropping the future at any time undoes the get.
    pub async fn get(
        &self,
        unit: Option<UnitOfWorkId>,
        queue: QueueId,
        selection: &Selection<'_>,
        now: Timestamp,
    ) -> Result<Option<StoredMessage>, StoreError> {
        match unit {
            None => self.core().get(queue, selection, now).await,
            Some(unit) => self.core().get_in_unit(unit, queue, selection, now).await,
        }
    }

    /// Takes a message that was browsed, outside a unit of work: as `get`, but the caller has its contents, so that they are
    /// not read again. False when it is gone, taken, expired, locked by another owner, or was backed out since.
    pub async fn take_browsed(
        &self,
        queue: QueueId,
        seen: &StoredMessage,
        owner: LockOwner,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.core().take_browsed(queue, seen, owner, now).await
    }

    /// Takes all of these messages in a unit of work, or none: false when one is gone, taken, expired or locked by another
    /// owner. They must have been browsed before: what they say is known and durable.
    ///
    /// # Errors
    /// `NoSpace`: more than the log can take at once; nothing has changed.
    pub async fn get_all(
        &self,
        unit: UnitOfWorkId,
        queue: QueueId,
        keys: &[DeliveryKey],
        owner: LockOwner,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.core().get_all_in_unit(unit, queue, keys, owner, now).await
    }

    /// The first matching message after `after` in delivery order; leaves it there.
    pub async fn browse(
        &self,
        queue: QueueId,
        after: Option<DeliveryKey>,
        selection: &Selection<'_>,
        now: Timestamp,
    ) -> Result<Option<StoredMessage>, StoreError> {
        self.core().browse(queue, after.map(Into::into), selection, now).await
    }

    /// The place behind which up to `count` messages before `before` begin, in the order of delivery. `None` of a place is the end of
    /// the queue, and in the answer its beginning. Costs as much as `count` says.
    ///
    /// # Errors
    /// `UnknownQueue`.
    pub fn back_from(
        &self,
        queue: QueueId,
        before: Option<DeliveryKey>,
        count: usize,
    ) -> Result<Option<DeliveryKey>, StoreError> {
        let slot = self.core().queue(queue)?;
        let found = slot.queue.lock().back_from(before.map(Into::into), count);
        Ok(found.map(Key::delivery_key))
    }

    /// A scan of the queue, which has seen nothing yet. It costs memory for messages that it was shown and has not refused,
    /// while they are available, and lets each get and commit on the queue do a little more.
    ///
    /// # Errors
    /// `UnknownQueue`.
    pub fn open_scan(&self, queue: QueueId) -> Result<Scan, StoreError> {
        Ok(Scan::of(self.core().queue(queue)?))
    }

    /// Up to `maximum` matching messages in delivery order that this look of the scan has not been shown, for a look at
    /// what they say. Of a body that has a file of its own only the beginning is read. A slice is bounded in messages and in
    /// time, and the queue's lock is held only to find them: the caller lets others run between slices.
    ///
    /// Nothing here may be told to an application before the message is got or browsed: it need not be durable yet, and
    /// may be gone.
    pub async fn scan(
        &self,
        scan: &mut Scan,
        selection: &Selection<'_>,
        maximum: usize,
        now: Timestamp,
    ) -> Result<Slice, StoreError> {
        self.core().scan(scan, selection, maximum, now).await
    }

    /// Hides the message from every other owner until `unlock` or its get. False when it is gone, taken or locked by
    /// another owner.
    pub fn lock(&self, queue: QueueId, key: DeliveryKey, owner: LockOwner) -> bool {
        self.core().queue(queue).is_ok_and(|slot| slot.queue.lock().lock(key.into(), owner))
    }

    /// False when this owner does not hold the lock.
    pub fn unlock(&self, queue: QueueId, key: DeliveryKey, owner: LockOwner) -> bool {
        self.core().queue(queue).is_ok_and(|slot| slot.queue.lock().unlock(key.into(), owner))
    }

    /// Durable when it returns; afterwards only `commit` and `back_out` are allowed, also after a restart.
    pub async fn prepare(&self, unit: UnitOfWorkId, xid: Option<Xid>) -> Result<(), StoreError> {
        self.core().prepare(unit, xid).await
    }

    /// Everything of the unit becomes visible together, and is durable when it returns. A unit of some thousands of messages
    /// becomes visible a part at a time once it is durable: on each queue in delivery order, and all of it when this
    /// returns. Dropped after that has begun, it is committed all the same. A unit in which nothing was done, or that is
    /// over, commits without effect.
    ///
    /// # Errors
    /// `NoSpace`: nothing has changed, the unit is still there. `LogFailed`: open until the next start.
    pub async fn commit(&self, unit: UnitOfWorkId) -> Result<(), StoreError> {
        self.core().end(unit, Outcome::Commit).await
    }

    /// The first message that a unit of work has got, read again; `None` when it has got none, or the message cannot be read back any
    /// more.
    ///
    /// # Errors
    /// `File`, `UnknownUnitOfWork`, `Closed`.
    pub async fn got_first(&self, unit: UnitOfWorkId) -> Result<Option<StoredMessage>, StoreError> {
        self.core().got_first(unit).await
    }

    /// Commits these units of work as one: everything of all of them becomes durable and visible, or nothing. The receipt
    /// becomes durable with them; it takes the place of one with the same key. With neither work nor receipt, nothing is done.
    ///
    /// # Errors
    /// As `commit`. `UnknownUnitOfWork` also when one is over already or prepared, or when two of them are so large that the log
    /// has parts of them; nothing has changed then.
    pub async fn commit_together(&self, units: &[UnitOfWorkId], receipt: Option<&Receipt>) -> Result<(), StoreError> {
        self.core().commit_together(units, receipt).await
    }

    /// One of these units of work has the work of all, and the others are over: for a commit that a database decides. `None`: none has any.
    ///
    /// # Errors
    /// `UnknownUnitOfWork` as of `commit_together`; nothing has changed then.
    pub(crate) fn join(&self, units: &[UnitOfWorkId]) -> Result<Option<UnitOfWorkId>, StoreError> {
        self.core().join(units)
    }

    /// The value of the receipt with this key, once it is durable; `None` when there is none or its time has come.
    ///
    /// # Errors
    /// `File`: it cannot be read back. `LogFailed`, `Closed`.
    pub async fn receipt(&self, key: &ReceiptKey, now: Timestamp) -> Result<Option<Bytes>, StoreError> {
        self.core().receipt(key, now).await
    }

    /// A message that comes from now on gets this position or a later one.
    pub fn next_position(&self) -> Position {
        Position(self.core().next_position.load(Ordering::Relaxed))
    }

    /// Forgets receipts whose time has come. Returns when that is for the next one.
    pub fn expire_receipts(&self, now: Timestamp) -> Option<Timestamp> {
        self.core().expire_receipts(now)
    }

    /// Raises backout counts of what it had got.
    pub async fn back_out(&self, unit: UnitOfWorkId) -> Result<(), StoreError> {
        self.core().end(unit, Outcome::BackOut).await
    }

    /// Prepared units of work, recovered ones and those of this run.
    pub fn in_doubt(&self) -> Vec<(UnitOfWorkId, Option<Xid>)> {
        self.core().units.in_doubt()
    }

    /// Removes committed, untaken messages whose time has come, and adds them with their bodies to `gone`, for reports.
    /// At most 256 a call, and a few megabytes of bodies, so that memory stays bounded: call again until nothing is added.
    ///
    /// They are in `gone` as soon as they have left the queue, before that is durable: whoever drops the future has them.
    pub async fn discard_expired(
        &self,
        queue: QueueId,
        now: Timestamp,
        gone: &mut VecDeque<StoredMessage>,
    ) -> Result<(), StoreError> {
        self.core().discard_expired(queue, now, gone).await
    }

    /// Messages that could not be read back since the start, and those whose queue has no definition, by queue in delivery
    /// order. They are in no depth, and get and browse pass them over. After a restart messages of a queue that is defined are
    /// in it again until they are read.
    pub fn quarantine(&self) -> Vec<Quarantined> {
        self.core().quarantine()
    }

    /// Who is told of each message as it is set aside, without any lock; the first listener stays.
    pub fn listen_to_quarantine(&self, listener: QuarantineListener) {
        let _ = self.core().quarantine_listener.set(listener);
    }

    /// The body of a message in quarantine as far as it can be read, unchecked; `None` when it is not there.
    pub async fn salvage(&self, queue: QueueId, key: DeliveryKey) -> Option<Bytes> {
        self.core().salvage(queue, key.into()).await
    }

    /// Removes a message that is in quarantine; durable when it returns. False when it is not there.
    pub async fn remove_quarantined(&self, queue: QueueId, key: DeliveryKey) -> Result<bool, StoreError> {
        self.core().remove_quarantined(queue, key.into()).await
    }

    /// When the next message of the queue expires: a cheap look before `discard_expired`.
    pub fn next_expiry(&self, queue: QueueId) -> Option<Timestamp> {
        self.core().queue(queue).ok()?.queue.lock().next_expiry()
    }

    /// Removes every message. `Uncommitted` when a unit of work holds one.
    pub async fn clear(&self, queue: QueueId) -> Result<u32, StoreError> {
        self.core().clear(queue).await
    }

    /// The messages that units of work have put and not committed, behind each of these places the others of its rank.
    pub fn uncommitted_puts(&self, queue: QueueId, behind: impl Iterator<Item = DeliveryKey>) -> Vec<DeliveryKey> {
        let Ok(slot) = self.core().queue(queue) else { return Vec::new() };
        let found = slot.queue.lock().uncommitted_puts(behind.map(Into::into));
        found.into_iter().map(Key::delivery_key).collect()
    }

    /// The first message that can be had, behind each of these places those of its rank.
    pub fn first_behind(&self, queue: QueueId, places: impl Iterator<Item = DeliveryKey>) -> Option<DeliveryKey> {
        let slot = self.core().queue(queue).ok()?;
        let found = slot.queue.lock().first_behind(places.map(Into::into));
        found.map(Key::delivery_key)
    }

    /// Whether the message at a place can be had; `None` when it is not there.
    pub fn is_available(&self, queue: QueueId, key: DeliveryKey) -> Option<bool> {
        self.core().queue(queue).ok()?.queue.lock().is_available(key.into())
    }

    /// Zero for a queue that does not exist.
    pub fn depth(&self, queue: QueueId) -> Depth {
        self.core().queue(queue).map(|slot| slot.queue.lock().depth()).unwrap_or_default()
    }

    /// Looks at the first `maximum` messages of each state. `None` for a queue that does not exist.
    pub fn survey(&self, queue: QueueId, maximum: usize, now: Timestamp) -> Option<Survey> {
        Some(self.core().queue(queue).ok()?.queue.lock().survey(maximum, now))
    }

    /// The first message that could be taken and fits, by its identifiers; nothing is read.
    pub fn first_fitting(&self, queue: QueueId, selection: &Selection<'_>, now: Timestamp) -> Option<DeliveryKey> {
        let slot = self.core().queue(queue).ok()?;
        let queue = slot.queue.lock();
        queue.find(selection, None, now).map(|found| queue.entry(found).key.delivery_key())
    }

    /// `depth().current` alone, to be kept and read any time. `None` for a queue that does not exist.
    pub fn message_count(&self, queue: QueueId) -> Option<MessageCount> {
        Some(self.core().queue(queue).ok()?.queue.lock().count().clone())
    }

    /// To be looked at again and again. `None` for a queue that does not exist.
    pub fn stored_queue(&self, queue: QueueId) -> Option<StoredQueue> {
        self.core().queue(queue).ok().map(StoredQueue::new)
    }

    /// Keeps everything that is in the log now, for a backup. `None` when nothing is on disk.
    ///
    /// # Errors
    /// `NoSpace`, `LogFailed`, `Closed`.
    pub async fn hold(&self) -> Result<Option<Held>, StoreError> {
        match &self.core().log {
            Some(log) => Held::new(log).await.map(Some),
            None => Ok(None),
        }
    }

    /// Reads what is on the disk now, as the rounds of `StoreOptions::verification` do, and heals what can be healed.
    pub fn verify(&self) {
        self.core().verify_now();
    }

    pub fn statistics(&self) -> StoreStatistics {
        self.core().statistics()
    }

    pub fn quotas(&self) -> Quotas {
        self.core().quotas()
    }

    /// Of the file system that the log is on; `None` when nothing is on disk.
    pub fn disk_space(&self) -> Option<DiskSpace> {
        self.core().log.as_ref()?.disk.space()
    }

    /// Calls `listener` once, when the log has failed and before any operation is refused for that reason; at once if it has
    /// failed already. The call is made on the thread on which the log fails: it must neither wait nor call the store.
    pub fn when_log_failed(&self, listener: impl FnOnce(Arc<RecoveryLogError>) + Send + 'static) {
        if let Some(log) = &self.core().log {
            log.when_failed(Box::new(listener));
        }
    }

    /// Stops the writer after what was accepted is durable. Later calls answer `Closed`.
    pub fn close(&self) {
        self.running.stop();
    }

    fn core(&self) -> &Arc<Core> {
        &self.running.core
    }
}

impl Running {
    fn stop(&self) {
        self.core.closed.store(true, Ordering::Release);
        self.core.verification.stop();
        if let Some(log) = &self.core.log {
            log.stop();
        }
        let threads = std::mem::take(&mut *self.threads.lock());
        let is_first = !threads.is_empty();
        for thread in threads {
            if thread.join().is_err() {
                tracing::error!("a thread of the recovery log has panicked");
            }
        }
        self.core.outcomes.close();
        self.core.readers.close();
        if let Some(spill) = &self.core.spill {
            spill.close();
        }
        if let Some(log) = self.core.log.as_ref().filter(|_| is_first) {
            log.anchor();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
    }
}

impl QueueSlot {
    pub(crate) fn new(id: QueueId, queue: Queue) -> Arc<Self> {
        Arc::new(Self { id, queue: Mutex::new(queue) })
    }
}

fn pool(options: &StoreOptions, has_disk: bool) -> Pool {
    let bytes = MemoryQuota::pool_bytes(options.memory_quota_bytes, options.buffer_pool_bytes, has_disk);
    Pool::new(bytes, has_disk)
}

/// One part in so many of a quota of disk is an extent, at most.
const EXTENTS_OF_QUOTA: u64 = 32;

/// Extents are whole pages and hold at least a few units. Those of a log with a quota are short: it keeps some of them for itself.
fn checked(mut options: StoreOptions) -> StoreOptions {
    if let Some(quota) = options.disk_quota_bytes {
        options.extent_bytes = options.extent_bytes.min(quota.get() / EXTENTS_OF_QUOTA);
        options.first_extent_bytes = options.first_extent_bytes.min(options.extent_bytes);
        options.minimum_log_bytes = options.minimum_log_bytes.min(quota.get() / 8);
        options.large_body_bytes = options.large_body_bytes.min(options.extent_bytes / 8);
    }
    let page = EXTENT_HEADER_BYTES as u64;
    let whole_pages = |bytes: u64| bytes.clamp(4 * page, 1 << 30).next_multiple_of(page);
    options.extent_bytes = whole_pages(options.extent_bytes);
    options.first_extent_bytes = whole_pages(options.first_extent_bytes);
    options
}

fn first_extent(disk: &dyn Disk, options: &StoreOptions) -> Result<Continuation, RecoveryLogError> {
    let extent = match create(disk, 1, options.first_extent_bytes, &|| false)? {
        Created::Extent(extent) => extent,
        Created::Lacking(error) => return Err(error),
        Created::Full | Created::Stopped => {
            return Err(RecoveryLogError::Disk {
                action: "make the first extent of",
                file: "the recovery log".to_owned(),
                source: std::io::ErrorKind::StorageFull.into(),
            });
        }
    };
    let tail = Place::new(1, EXTENT_HEADER_BYTES);
    Ok(Continuation { tail, extents: VecDeque::from([extent]), ready: VecDeque::new() })
}

fn start_threads(
    core: &Arc<Core>,
    log: &Arc<Log>,
    spares: Vec<Spare>,
) -> Result<Vec<JoinHandle<()>>, RecoveryLogError> {
    let fails =
        |source| RecoveryLogError::Disk { action: "start a thread for", file: "the recovery log".to_owned(), source };
    let writer = {
        let log = Arc::clone(log);
        let run = move || {
            let _guard = FailsOnPanic(&log);
            log.run_writer();
        };
        std::thread::Builder::new().name("log-writer".to_owned()).spawn(run).map_err(fails)?
    };
    let keeper = {
        let (core, log) = (Arc::clone(core), Arc::clone(log));
        let run = move || {
            let _guard = FailsOnPanic(&log);
            run_keeper(&log, spares, || reclaim(&core));
        };
        std::thread::Builder::new().name("log-keeper".to_owned()).spawn(run).map_err(fails)?
    };
    let verifier = match core.options.verification {
        Some(rate) => {
            let core = Arc::clone(core);
            let run = move || core.run_verification(rate);
            Some(std::thread::Builder::new().name("log-verifier".to_owned()).spawn(run).map_err(fails)?)
        }
        None => None,
    };
    Ok([writer, keeper].into_iter().chain(verifier).collect())
}

impl Core {
    fn from_findings(
        found: Findings,
        options: StoreOptions,
        log: Arc<Log>,
        spill: Spill,
        next_position: Arc<AtomicU64>,
    ) -> (Self, Recovered) {
        let messages = found.queues.values().map(|queue| queue.len() as u64).sum();
        let queues: HashMap<_, _, _> =
            found.queues.into_iter().map(|(id, queue)| (id, QueueSlot::new(id, queue))).collect();
        let mut definitions = Definitions::default();
        let mut values = Vec::with_capacity(found.definitions.len());
        for (key, definition) in found.definitions {
            definitions.set(key.clone(), definition.place, definition.bytes);
            values.push((key, definition.value));
        }
        values.sort_unstable();
        let units = Units::new(found.next_unit);
        for (id, in_doubt) in found.in_doubt {
            units.restore(id, in_doubt, &queues);
        }
        let (in_doubt, set_aside) = (units.in_doubt(), found.set_aside);
        let recovered = Recovered { definitions: values, in_doubt, messages, set_aside };
        let core = Self {
            pool: pool(&options, true),
            memory_quota: options.memory_quota_bytes.map(|maximum| MemoryQuota::new(maximum, messages)),
            options,
            log: Some(log),
            queues: RwLock::new(queues),
            definitions: Mutex::new(definitions),
            receipts: Mutex::new(found.receipts),
            units,
            next_position,
            next_queue: AtomicU32::new(found.next_queue),
            counts: found.counts,
            spill: Some(spill),
            readers: Arc::new(Background::new(READERS, READERS_MAXIMUM)),
            outcomes: Background::new(OUTCOMES, 1),
            moving: Mutex::new(()),
            quarantine_listener: OnceLock::new(),
            scanned: AtomicU64::new(0),
            verification: Verification::default(),
            closed: AtomicBool::new(false),
        };
        (core, recovered)
    }

    pub(crate) fn queue(&self, id: QueueId) -> Result<Arc<QueueSlot>, StoreError> {
        self.queues.read().get(&id).cloned().ok_or(StoreError::UnknownQueue)
    }

    pub(crate) fn open(&self) -> Result<(), StoreError> {
        if self.closed.load(Ordering::Acquire) { Err(StoreError::Closed) } else { Ok(()) }
    }

    /// Waits for the sync that covers `place`; at once when there is nothing to wait for.
    pub(crate) async fn durable(&self, place: Option<Place>) -> Result<(), StoreError> {
        match (place, &self.log) {
            (Some(place), Some(log)) => log.durable(place).await,
            _ => Ok(()),
        }
    }

    /// Waits until a delayed append may be tried again.
    pub(crate) async fn space(&self) {
        if let Some(log) = &self.log {
            log.space().await;
        }
    }

    fn retain_queues(&self, retained: &[QueueId]) -> Vec<UndefinedQueue> {
        let highest = retained.iter().map(|id| id.0).max().unwrap_or(0);
        self.next_queue.fetch_max(highest.saturating_add(1), Ordering::Relaxed);
        let retained: HashSet<QueueId, foldhash::fast::RandomState> = retained.iter().copied().collect();
        let mut queues = self.queues.write();
        for id in &retained {
            queues.entry(*id).or_insert_with(|| QueueSlot::new(*id, Queue::new(self.counts.of(*id))));
        }
        let others: Vec<_> = queues.values().filter(|slot| !retained.contains(&slot.id)).cloned().collect();
        drop(queues);
        let aside = |slot: Arc<QueueSlot>| UndefinedQueue { id: slot.id, messages: slot.queue.lock().set_all_aside() };
        let (mut undefined, empty): (Vec<_>, Vec<_>) =
            others.into_iter().map(aside).partition(|queue| queue.messages > 0);
        let mut queues = self.queues.write();
        for queue in empty {
            queues.remove(&queue.id);
        }
        undefined.sort_unstable_by_key(|queue| queue.id);
        undefined
    }

    fn quotas(&self) -> Quotas {
        Quotas {
            disk: self.log.as_ref().and_then(|log| log.quota_use()),
            memory: self.memory_quota.as_ref().map(|quota| quota.usage(&self.pool)),
        }
    }

    fn statistics(&self) -> StoreStatistics {
        let mut statistics = StoreStatistics {
            buffer_pool_bytes: self.pool.used(),
            buffer_pool_misses: self.pool.misses(),
            open_units: self.units.count(),
            receipts: self.receipts.lock().count(),
            spilled_bytes: self.spill.as_ref().map_or(0, Spill::bytes),
            messages_scanned: self.scanned.load(Ordering::Relaxed),
            ..StoreStatistics::default()
        };
        if let Some(log) = &self.log {
            log.statistics(&mut statistics);
            self.verification.statistics(&mut statistics);
        }
        statistics.quotas = self.quotas();
        statistics
    }
}

/// For metrics and `DISPLAY QMSTATUS`. Counters count from the start of the process.
#[derive(Debug, Clone, Copy, Default)]
pub struct StoreStatistics {
    pub log_bytes_written: u64,
    pub log_syncs: u64,
    /// One write and one sync each.
    pub log_batches: u64,
    /// Atomic groups of operations appended.
    pub log_records: u64,
    /// Extents that a restart would read.
    pub log_extents: u64,
    /// Bytes of those extents.
    pub log_bytes_in_use: u64,
    /// Bytes of live records appended again so that old extents could be freed.
    pub log_moved_bytes: u64,
    pub buffer_pool_bytes: u64,
    /// Messages that found the buffer pool full.
    pub buffer_pool_misses: u64,
    /// Units of work in which something was done or tried, and that have not ended.
    pub open_units: usize,
    /// What was answered to requests that may come again.
    pub receipts: usize,
    pub spilled_bytes: u64,
    /// Messages that scans have looked at.
    pub messages_scanned: u64,
    pub sync_seconds_total: f64,
    /// Bytes read again from the disk to verify them.
    pub log_verified_bytes: u64,
    /// Damaged extents and bodies that the verification has found.
    pub log_damage_found: u64,
    /// When the last complete round of it ended, in seconds since 1970; 0 before the first.
    pub log_verified_at: u64,
    pub quotas: Quotas,
    /// Persistent puts are refused for lack of space.
    pub log_full: bool,
    pub log_failed: bool,
}
