//! The store of a queue manager: its private store, and the shared stores of its group behind the same contract.
//!
//! A queue's number says where its messages are (`QueueId`): one bit tells private from shared, seven more name the database of the group.
//! Definitions, receipts, quarantine and backups are the private store's. A unit of work has one number in both.
//!
//! Never: keeps a message, or decides anything but the way.

mod group;
mod group_units;
mod mixed;
mod syncpoint;

use std::borrow::Borrow;
use std::collections::{HashMap, VecDeque};
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use model::message::Message;
use model::timestamp::Timestamp;

use crate::private::log::disk::{Disk, DiskSpace};
use crate::private::log::hold::Held;
use crate::private::{
    self, AppendedDefinitions, MessageCount, PrivateStore, QuarantineListener, Quarantined, Quotas, ReceiptOfPut,
    Recovered, StoreStatistics, StoredQueue, UndefinedQueue,
};
use crate::shared::administration::{GroupView, QueueOf};
use crate::shared::{GroupStatistics, GroupStore, SharedStore, StructureConnection, WatchGuard};
use crate::store::mixed::Parts;
use crate::{
    DefinitionChange, DeliveryKey, Depth, LockOwner, Placement, Position, PutOutcome, QueueId, RecoveryLogError,
    Selection, Slice, StoreError, StoreOptions, StoredMessage, Survey, UnitOfWorkId,
};

pub use group_units::GroupUnit;

/// Where the messages of one queue manager are. Cheap to share; every method takes `&self`.
///
/// Dropping the last one closes it.
#[derive(Clone)]
pub struct Store {
    private: PrivateStore,
    /// `None`: the queue manager is in no group, or in one that lives in this process alone.
    group: Option<GroupStore>,
    under_way: mixed::UnderWay,
}

/// A scan of either store.
pub enum Scan {
    Private(private::Scan),
    /// What it has been shown is told by the place where it is.
    Shared {
        queue: QueueId,
        after: Option<DeliveryKey>,
    },
}

/// What a shared queue needs is apart from the state of every other operation, and its type is known here alone.
pub(crate) fn boxed<'a, T>(
    future: impl Future<Output = T> + Send + 'a,
) -> Pin<Box<dyn Future<Output = T> + Send + 'a>> {
    Box::pin(future)
}

impl Scan {
    /// A look from `after` on: see `private::Scan::begin`.
    pub fn begin(&mut self, selection: &Selection<'_>, from: Option<DeliveryKey>) {
        match self {
            Self::Private(scan) => scan.begin(selection, from),
            Self::Shared { after, .. } => *after = from,
        }
    }

    /// The message does not fit and is not shown again while it stays as it is. Of a shared queue it may be shown again.
    pub fn refuse(&mut self, key: DeliveryKey) {
        match self {
            Self::Private(scan) => scan.refuse(key),
            Self::Shared { .. } => {}
        }
    }
}

impl Store {
    /// Reads the recovery log on `disk`: see `PrivateStore::open`.
    ///
    /// # Errors
    /// Those of `PrivateStore::open`.
    pub fn open(disk: Arc<dyn Disk>, options: StoreOptions) -> Result<(Self, Recovered), RecoveryLogError> {
        let (private, recovered) = PrivateStore::open(disk, options)?;
        Ok((Self { private, group: None, under_way: mixed::UnderWay::default() }, recovered))
    }

    /// Nothing on disk: see `PrivateStore::ephemeral`.
    pub fn ephemeral(options: StoreOptions) -> Self {
        Self { private: PrivateStore::ephemeral(options), group: None, under_way: mixed::UnderWay::default() }
    }

    /// The queue manager is a member of a group.
    #[must_use]
    pub fn in_group(self, group: impl Into<GroupStore>) -> Self {
        Self { group: Some(group.into()), ..self }
    }

    /// Waits until the group's home can be reached, then ends what a crash has left between its databases and the recovery log, as far as
    /// they can be reached: before any unit of work is committed or prepared that has parts in several places. Later it ends such
    /// units that were answered `Unreachable`.
    ///
    /// # Errors
    /// `Unreachable`: nothing has changed, or not all; try again.
    pub async fn meet_group(&self) -> Result<(), StoreError> {
        let Some(group) = &self.group else { return Ok(()) };
        let is_more = boxed(group.learn()).await?;
        if is_more || self.under_way.leaves_open() {
            boxed(mixed::follow_decisions(&self.private, group, &self.under_way)).await?;
        }
        Ok(())
    }

    /// Every database of the group can be reached at this moment.
    pub fn reaches_whole_group(&self) -> bool {
        self.group.iter().flat_map(GroupStore::all).all(SharedStore::is_open)
    }

    /// The database of a structure, or the home, was away for as long as verbs wait.
    pub fn has_lost(&self, structure: Option<&str>) -> bool {
        self.group.as_ref().is_some_and(|group| group.with_structure(structure).is_away())
    }

    /// How this member is connected to the database of a structure; a group in the memory of this process always is.
    pub fn connection_to(&self, structure: &str) -> StructureConnection {
        self.group.as_ref().map_or(StructureConnection::Open, |group| group.connection_to(structure))
    }

    /// A part of a unit of work waits for a database: `meet_group` is to be tried again.
    pub fn waits_for_group(&self) -> bool {
        self.under_way.leaves_open()
    }

    /// The home of the group: who its members are, and what it has defined.
    pub fn shared(&self) -> Option<&SharedStore> {
        self.group.as_ref().map(GroupStore::home)
    }

    /// This member's part in its group; `None`: the queue manager is in no group that has a database.
    pub fn group_statistics(&self) -> Option<GroupStatistics> {
        self.group.as_ref().map(GroupStore::statistics)
    }

    /// How this member sees its group; `None`: as `group_statistics`. `known`: the shared queues that it knows, by number.
    pub async fn group_view(&self, known: HashMap<QueueId, String>, queue_of: QueueOf) -> Option<GroupView> {
        match &self.group {
            Some(group) => Some(boxed(group.view(known, queue_of)).await),
            None => None,
        }
    }

    /// The store of a shared queue's database; `None`: the private store has the queue. A group without a database lives in the memory of
    /// this process, in the private store.
    ///
    /// # Errors
    /// `Unreachable`: this member does not know that database.
    fn of_queue(&self, queue: QueueId) -> Result<Option<&SharedStore>, StoreError> {
        match &self.group {
            Some(group) if queue.is_shared() => group.of_queue(queue).map(Some),
            _ => Ok(None),
        }
    }

    /// As `of_queue`, where a database that is not known has nothing.
    fn if_known(&self, queue: QueueId) -> Option<&SharedStore> {
        self.of_queue(queue).unwrap_or_default()
    }

    fn of_shared_queue(&self, queue: QueueId) -> Result<&SharedStore, StoreError> {
        self.of_queue(queue)?.ok_or(StoreError::Unreachable)
    }

    fn parts(&self, unit: UnitOfWorkId) -> Parts<'_> {
        Parts::of(unit, &self.private, self.group.as_ref())
    }

    /// See `PrivateStore::retain_queues`; shared queues are none of its business.
    pub fn retain_queues(&self, queues: &[QueueId]) -> Vec<UndefinedQueue> {
        let private: Vec<_> = queues.iter().copied().filter(|id| !id.is_shared()).collect();
        self.private.retain_queues(&private)
    }

    /// A private queue, with a number that no record in the log uses. It holds nothing yet.
    pub fn create_queue(&self) -> QueueId {
        self.private.create_queue()
    }

    /// Durable when it returns.
    ///
    /// # Errors
    /// Those of `PrivateStore::change_definitions`.
    pub async fn change_definitions(&self, changes: Vec<DefinitionChange>) -> Result<(), StoreError> {
        let appended = self.append_definitions(changes).await?;
        self.definitions_durable(appended).await
    }

    /// The first half of `change_definitions`: see `PrivateStore::append_definitions`.
    ///
    /// # Errors
    /// As `change_definitions`.
    pub async fn append_definitions(&self, changes: Vec<DefinitionChange>) -> Result<AppendedDefinitions, StoreError> {
        let Some(group) = &self.group else { return self.private.append_definitions(changes).await };
        let (changes, dropped) = mixed::part(changes);
        for queue in dropped {
            boxed(group.of_queue(queue)?.drop_queue(queue)).await?;
        }
        self.private.append_definitions(changes).await
    }

    /// The second half: waits until they are durable.
    ///
    /// # Errors
    /// `LogFailed`: whether they are durable is open until the next start. `Closed`.
    pub async fn definitions_durable(&self, appended: AppendedDefinitions) -> Result<(), StoreError> {
        self.private.definitions_durable(appended).await
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
        if let Some(shared) = self.of_queue(queue)? {
            return boxed(shared.put(unit, queue, message.borrow(), &placement, now)).await;
        }
        self.private.put(unit, queue, message, placement, now).await
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
        if let Some(shared) = self.of_queue(queue)? {
            return boxed(shared.put_with_receipt(queue, message.borrow(), &placement, receipt, now)).await;
        }
        self.private.put_with_receipt(queue, message, placement, receipt, now).await
    }

    /// Takes the first visible, unexpired, matching message in delivery order.
    ///
    /// A get outside a unit of work counts as done once its record is handed over: dropping the future before that changes
    /// nothing; dropping it later, the message is got all the same and nobody has it. Inside a unit of work, dropping the
    /// future at any time undoes the get.
    pub async fn get(
        &self,
        unit: Option<UnitOfWorkId>,
        queue: QueueId,
        selection: &Selection<'_>,
        now: Timestamp,
    ) -> Result<Option<StoredMessage>, StoreError> {
        if let Some(shared) = self.of_queue(queue)? {
            return boxed(shared.get(unit, queue, selection, now)).await;
        }
        self.private.get(unit, queue, selection, now).await
    }

    /// Takes a message that was browsed, outside a unit of work: see `PrivateStore::take_browsed`. False when it is gone, taken,
    /// expired, locked by another owner, or was backed out since.
    pub async fn take_browsed(
        &self,
        queue: QueueId,
        seen: &StoredMessage,
        owner: LockOwner,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        if let Some(shared) = self.of_queue(queue)? {
            return boxed(shared.take_browsed(queue, seen, owner, now)).await;
        }
        self.private.take_browsed(queue, seen, owner, now).await
    }

    /// Takes all of these messages in a unit of work, or none: see `PrivateStore::get_all`.
    ///
    /// # Errors
    /// `NoSpace`: nothing has changed.
    pub async fn get_all(
        &self,
        unit: UnitOfWorkId,
        queue: QueueId,
        keys: &[DeliveryKey],
        owner: LockOwner,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        if let Some(shared) = self.of_queue(queue)? {
            return boxed(shared.get_all(unit, queue, keys, owner, now)).await;
        }
        self.private.get_all(unit, queue, keys, owner, now).await
    }

    /// The first matching message after `after` in delivery order; leaves it there.
    pub async fn browse(
        &self,
        queue: QueueId,
        after: Option<DeliveryKey>,
        selection: &Selection<'_>,
        now: Timestamp,
    ) -> Result<Option<StoredMessage>, StoreError> {
        if let Some(shared) = self.of_queue(queue)? {
            return boxed(shared.browse(queue, after, selection, now)).await;
        }
        self.private.browse(queue, after, selection, now).await
    }

    /// The place behind which up to `count` messages before `before` begin, in the order of delivery. `None` of a place is the end of
    /// the queue, and in the answer its beginning. Costs as much as `count` says.
    ///
    /// # Errors
    /// `UnknownQueue`.
    pub async fn back_from(
        &self,
        queue: QueueId,
        before: Option<DeliveryKey>,
        count: usize,
    ) -> Result<Option<DeliveryKey>, StoreError> {
        if let Some(shared) = self.of_queue(queue)? {
            return boxed(shared.back_from(queue, before, count)).await;
        }
        self.private.back_from(queue, before, count)
    }

    /// A scan of the queue, which has seen nothing yet. It costs memory for messages that it was shown and has not refused,
    /// while they are available.
    ///
    /// # Errors
    /// `UnknownQueue`.
    pub async fn open_scan(&self, queue: QueueId) -> Result<Scan, StoreError> {
        if self.of_queue(queue)?.is_some() {
            return Ok(Scan::Shared { queue, after: None });
        }
        self.private.open_scan(queue).map(Scan::Private)
    }

    /// Up to `maximum` matching messages that this look of the scan has not been shown: see `PrivateStore::scan`.
    pub async fn scan(
        &self,
        scan: &mut Scan,
        selection: &Selection<'_>,
        maximum: usize,
        now: Timestamp,
    ) -> Result<Slice, StoreError> {
        match scan {
            Scan::Private(scan) => self.private.scan(scan, selection, maximum, now).await,
            Scan::Shared { queue, after } => {
                let slice =
                    boxed(self.of_shared_queue(*queue)?.glimpses(*queue, *after, selection, maximum, now)).await?;
                if let Some(last) = slice.glimpses.last() {
                    *after = Some(last.key);
                }
                Ok(slice)
            }
        }
    }

    /// Hides the message from every other owner until `unlock` or its get. False when it is gone, taken or locked by
    /// another owner.
    ///
    /// # Errors
    /// Of a shared queue: `Unreachable`, `Closed`.
    pub async fn lock(&self, queue: QueueId, key: DeliveryKey, owner: LockOwner) -> Result<bool, StoreError> {
        if let Some(shared) = self.of_queue(queue)? {
            return boxed(shared.lock(queue, key, owner)).await;
        }
        Ok(self.private.lock(queue, key, owner))
    }

    /// False when this owner does not hold the lock.
    pub fn unlock(&self, queue: QueueId, key: DeliveryKey, owner: LockOwner) -> bool {
        if let Some(shared) = self.if_known(queue) {
            return shared.unlock(queue, key, owner);
        }
        self.private.unlock(queue, key, owner)
    }

    /// A message that this queue manager puts to the queue from now on gets this position or a later one. On a shared queue, what
    /// another member has put in the last moments may have a later one too.
    pub fn next_position_on(&self, queue: QueueId) -> Position {
        self.if_known(queue).map_or_else(|| self.private.next_position(), SharedStore::next_position)
    }

    /// A message that comes to a private queue from now on gets this position or a later one.
    pub fn next_position(&self) -> Position {
        self.private.next_position()
    }

    /// Removes committed, untaken messages whose time has come, and adds them with their bodies to `gone`, for reports.
    /// Bounded: call again until nothing is added.
    ///
    /// They are in `gone` as soon as they have left the queue, before that is durable: whoever drops the future has them.
    pub async fn discard_expired(
        &self,
        queue: QueueId,
        now: Timestamp,
        gone: &mut VecDeque<StoredMessage>,
    ) -> Result<(), StoreError> {
        if let Some(shared) = self.of_queue(queue)? {
            return boxed(shared.discard_expired(queue, now, gone)).await;
        }
        self.private.discard_expired(queue, now, gone).await
    }

    /// Somebody waits for messages on the queue, until the guard is dropped: what other members do there is told. `None`: this member
    /// alone does all that is done there.
    pub fn watch(&self, queue: QueueId) -> Option<WatchGuard> {
        self.if_known(queue).map(|shared| shared.watch(queue))
    }

    /// Messages of private queues that could not be read back: see `PrivateStore::quarantine`.
    pub fn quarantine(&self) -> Vec<Quarantined> {
        self.private.quarantine()
    }

    /// Who is told of each message as it is set aside, without any lock; the first listener stays.
    pub fn listen_to_quarantine(&self, listener: QuarantineListener) {
        self.private.listen_to_quarantine(listener);
    }

    /// The body of a message in quarantine as far as it can be read, unchecked; `None` when it is not there.
    pub async fn salvage(&self, queue: QueueId, key: DeliveryKey) -> Option<Bytes> {
        self.private.salvage(queue, key).await
    }

    /// Removes a message that is in quarantine; durable when it returns. False when it is not there.
    pub async fn remove_quarantined(&self, queue: QueueId, key: DeliveryKey) -> Result<bool, StoreError> {
        self.private.remove_quarantined(queue, key).await
    }

    /// When the next message of the queue expires: a cheap look before `discard_expired`.
    pub fn next_expiry(&self, queue: QueueId) -> Option<Timestamp> {
        if let Some(shared) = self.if_known(queue) {
            return shared.next_expiry(queue);
        }
        self.private.next_expiry(queue)
    }

    /// Removes every message. `Uncommitted` when a unit of work holds one.
    pub async fn clear(&self, queue: QueueId) -> Result<u32, StoreError> {
        if let Some(shared) = self.of_queue(queue)? {
            return boxed(shared.clear(queue)).await;
        }
        self.private.clear(queue).await
    }

    /// The messages that units of work have put and not committed, behind each of these places the others of its rank.
    pub async fn uncommitted_puts(
        &self,
        queue: QueueId,
        behind: impl Iterator<Item = DeliveryKey>,
    ) -> Result<Vec<DeliveryKey>, StoreError> {
        if self.of_queue(queue)?.is_some() {
            return Err(StoreError::NotShared);
        }
        Ok(self.private.uncommitted_puts(queue, behind))
    }

    /// The first message that can be had, behind each of these places those of its rank.
    pub async fn first_behind(
        &self,
        queue: QueueId,
        places: impl Iterator<Item = DeliveryKey>,
    ) -> Result<Option<DeliveryKey>, StoreError> {
        if self.of_queue(queue)?.is_some() {
            return Err(StoreError::NotShared);
        }
        Ok(self.private.first_behind(queue, places))
    }

    /// Whether the message at a place can be had; `None` when it is not there.
    pub async fn is_available(&self, queue: QueueId, key: DeliveryKey) -> Result<Option<bool>, StoreError> {
        if self.of_queue(queue)?.is_some() {
            return Err(StoreError::NotShared);
        }
        Ok(self.private.is_available(queue, key))
    }

    /// Zero for a queue that does not exist.
    pub fn depth(&self, queue: QueueId) -> Depth {
        match self.if_known(queue) {
            Some(shared) => shared.depth(queue),
            None => self.private.depth(queue),
        }
    }

    /// Looks at the first `maximum` messages of each state. `None` for a queue that does not exist.
    ///
    /// # Errors
    /// Of a shared queue: `Unreachable`, `Closed`.
    pub async fn survey(&self, queue: QueueId, maximum: usize, now: Timestamp) -> Result<Option<Survey>, StoreError> {
        if let Some(shared) = self.of_queue(queue)? {
            return boxed(shared.survey(queue, maximum, now)).await;
        }
        Ok(self.private.survey(queue, maximum, now))
    }

    /// The first message that could be taken and fits, by its identifiers; nothing is read.
    ///
    /// # Errors
    /// Of a shared queue: `Unreachable`, `Closed`.
    pub async fn first_fitting(
        &self,
        queue: QueueId,
        selection: &Selection<'_>,
        now: Timestamp,
    ) -> Result<Option<DeliveryKey>, StoreError> {
        if let Some(shared) = self.of_queue(queue)? {
            return boxed(shared.first_fitting(queue, selection, now)).await;
        }
        Ok(self.private.first_fitting(queue, selection, now))
    }

    /// `depth().current` alone, to be kept and read any time. `None` for a queue that does not exist.
    pub fn message_count(&self, queue: QueueId) -> Option<MessageCount> {
        match self.if_known(queue) {
            Some(shared) => shared.message_count(queue),
            None => self.private.message_count(queue),
        }
    }

    /// To be looked at again and again. `None` for a queue that does not exist.
    pub fn stored_queue(&self, queue: QueueId) -> Option<StoredQueue> {
        self.private.stored_queue(queue)
    }

    /// Keeps everything that is in the log now, for a backup. `None` when nothing is on disk.
    ///
    /// # Errors
    /// `NoSpace`, `LogFailed`, `Closed`.
    pub async fn hold(&self) -> Result<Option<Held>, StoreError> {
        self.private.hold().await
    }

    pub fn statistics(&self) -> StoreStatistics {
        self.private.statistics()
    }

    /// Of private queues.
    pub fn quotas(&self) -> Quotas {
        self.private.quotas()
    }

    /// Of the file system that the log is on; `None` when nothing is on disk.
    pub fn disk_space(&self) -> Option<DiskSpace> {
        self.private.disk_space()
    }

    /// Calls `listener` once, when the log has failed: see `PrivateStore::when_log_failed`.
    pub fn when_log_failed(&self, listener: impl FnOnce(Arc<RecoveryLogError>) + Send + 'static) {
        self.private.when_log_failed(listener);
    }

    /// Stops after what was accepted is durable. Later calls answer `Closed`.
    pub fn close(&self) {
        if let Some(group) = &self.group {
            group.close();
        }
        self.private.close();
    }
}
