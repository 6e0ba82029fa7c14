//! The store of a queue manager: its private store, and the shared stores of its group behind the same contract.
//!
//! A queue's number says where its messages are (`QueueId`): one bit tells private from shared, seven more name the database of the group.
//! Definitions, receipts, quarantine and backups are the private store's. A unit of work has one number in both.
//!
//! Never: keeps a message, or decides anything but the way.

mod group_units;
mod mixed;

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
    self, AppendedDefinitions, MessageCount, PrivateStore, QuarantineListener, Quarantined, Receipt, ReceiptKey,
    ReceiptOfPut, Recovered, StoreStatistics, StoredQueue, UndefinedQueue,
};
use crate::shared::administration::{GroupView, QueueOf};
use crate::shared::{
    Deletion, GroupStatistics, GroupStore, OpenLevel, QueueHandle, SharedStore, StructureConnection, TriggerScope,
    TriggerState, WatchGuard,
};
use crate::store::mixed::Parts;
use crate::{
    ClusterNumber, DefinitionChange, DeliveryKey, Depth, LockOwner, Placement, Position, PutOutcome, QueueId,
    RecoveryLogError, Selection, Slice, StoreError, StoreOptions, StoredMessage, Survey, UnitOfWorkId, Xid,
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

    /// A shared queue of a structure, with a number that no queue of the group ever had.
    ///
    /// # Errors
    /// Those of `SharedStore::create_queue`. `Unreachable`: there is no database, and what is here lasts; or this member does not know that
    /// of the structure.
    pub async fn create_shared_queue(&self, structure: &str) -> Result<QueueId, StoreError> {
        match &self.group {
            Some(group) => boxed(async { group.of_structure(structure).await?.create_queue().await }).await,
            None => self.private.create_queue_in_memory().ok_or(StoreError::Unreachable),
        }
    }

    /// A shared queue that another member has made: its depth is kept from now on.
    ///
    /// # Errors
    /// Those of `SharedStore::know_queue`.
    pub async fn know_queue(&self, queue: QueueId) -> Result<(), StoreError> {
        match self.if_known(queue) {
            Some(shared) => boxed(shared.know_queue(queue)).await,
            None => Ok(()),
        }
    }

    /// A handle of a shared queue, as the whole group knows it: see `SharedStore::open_queue`. `None`: this queue manager alone can open
    /// the queue.
    ///
    /// # Errors
    /// Those of `SharedStore::open_queue`.
    pub async fn open_queue(&self, queue: QueueId, level: OpenLevel) -> Result<Option<QueueHandle>, StoreError> {
        match self.of_queue(queue)? {
            Some(shared) => boxed(shared.open_queue(queue, level)).await.map(Some),
            None => Ok(None),
        }
    }

    /// Deletes a shared queue and its definition, as `SharedStore::delete_queue`. One that is in a database of its structure's own is
    /// closed to all members there first; a crash behind that leaves a definition whose deletion can be repeated.
    ///
    /// # Errors
    /// Those of `SharedStore::delete_queue`.
    pub async fn delete_shared_queue(
        &self,
        queue: QueueId,
        key: &str,
        version: i64,
        purge: bool,
    ) -> Result<Deletion, StoreError> {
        let group = self.group.as_ref().ok_or(StoreError::Unreachable)?;
        let there = group.of_queue(queue)?;
        if there.is_home() {
            return boxed(there.delete_queue(queue, key, version, purge)).await;
        }
        match boxed(there.seal_queue(queue, false, purge)).await? {
            Deletion::Done(_) => {
                let deleted = boxed(group.home().delete_definition(key, version)).await?;
                Ok(deleted.map_or(Deletion::Changed, Deletion::Done))
            }
            refused => Ok(refused),
        }
    }

    /// The database where new queues of a structure go.
    ///
    /// # Errors
    /// `Unreachable`, `Closed`.
    pub async fn cluster_of_structure(&self, structure: &str) -> Result<ClusterNumber, StoreError> {
        let group = self.group.as_ref().ok_or(StoreError::Unreachable)?;
        let there = boxed(group.of_structure(structure)).await?;
        there.cluster().ok_or(StoreError::Unreachable)
    }

    /// See `SharedStore::suspend_queue`.
    pub fn suspend_queue(&self, queue: QueueId, suspends: bool) {
        if let Some(shared) = self.if_known(queue) {
            shared.suspend_queue(queue, suspends);
        }
    }

    /// See `SharedStore::is_sealed`.
    ///
    /// # Errors
    /// Those of `SharedStore::is_sealed`.
    pub async fn is_sealed(&self, queue: QueueId) -> Result<bool, StoreError> {
        boxed(self.of_shared_queue(queue)?.is_sealed(queue)).await
    }

    /// Adds the messages of a sealed queue to one in another database, and what was answered to requests there. Answers how many messages.
    ///
    /// # Errors
    /// Those of `SharedStore::copy_queue`.
    pub async fn copy_queue(&self, from: QueueId, to: QueueId) -> Result<u64, StoreError> {
        let (source, target) = (self.of_shared_queue(from)?, self.of_shared_queue(to)?);
        let copied = boxed(target.copy_queue(source, from, to)).await?;
        boxed(target.copy_receipts(source)).await?;
        Ok(copied)
    }

    /// What is on a shared queue goes, also what units of work hold.
    ///
    /// # Errors
    /// Those of `SharedStore::drop_queue`.
    pub async fn drop_queue(&self, queue: QueueId) -> Result<(), StoreError> {
        let shared = self.of_shared_queue(queue)?;
        boxed(async {
            shared.is_sealed(queue).await?;
            shared.drop_queue(queue).await
        })
        .await
    }

    /// The epochs of a member that has the home's word to be dead are over where these queues are too.
    ///
    /// # Errors
    /// `Unreachable`, `Database`, `Closed`.
    pub async fn end_epochs(&self, member: &str, queues: [QueueId; 2]) -> Result<(), StoreError> {
        for queue in queues {
            boxed(self.of_shared_queue(queue)?.end_epochs(member)).await?;
        }
        Ok(())
    }

    /// As `SharedStore::opened_elsewhere`.
    ///
    /// # Errors
    /// Those of `SharedStore::opened_elsewhere`.
    pub async fn opened_elsewhere(&self, queue: QueueId) -> Result<OpenLevel, StoreError> {
        match self.of_queue(queue)? {
            Some(shared) => boxed(shared.opened_elsewhere(queue)).await,
            None => Ok(OpenLevel::Closed),
        }
    }

    /// As `SharedStore::trigger_state`.
    ///
    /// # Errors
    /// Those of `SharedStore::trigger_state`.
    pub async fn trigger_state(&self, queue: QueueId, now: Timestamp) -> Result<Option<TriggerState>, StoreError> {
        boxed(self.of_shared_queue(queue)?.trigger_state(queue, now)).await
    }

    /// As `SharedStore::begin_trigger`.
    ///
    /// # Errors
    /// Those of `SharedStore::begin_trigger`.
    pub async fn begin_trigger(&self, queue: QueueId, episode: i64, scope: TriggerScope) -> Result<bool, StoreError> {
        boxed(self.of_shared_queue(queue)?.begin_trigger(queue, episode, scope)).await
    }

    /// As `SharedStore::end_trigger`.
    ///
    /// # Errors
    /// Those of `SharedStore::end_trigger`.
    pub async fn end_trigger(&self, queue: QueueId, is_made: bool) -> Result<(), StoreError> {
        boxed(self.of_shared_queue(queue)?.end_trigger(queue, is_made)).await
    }

    /// As `SharedStore::begin_episode`.
    ///
    /// # Errors
    /// Those of `SharedStore::begin_episode`.
    pub async fn begin_episode(&self, queue: QueueId, after: i64) -> Result<(), StoreError> {
        boxed(self.of_shared_queue(queue)?.begin_episode(queue, after)).await
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

    /// A new unit of work; costs nothing until something is done in it.
    pub fn begin(&self) -> UnitOfWorkId {
        self.private.begin()
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

    /// Durable when it returns; afterwards only `commit` and `back_out` are allowed, also after a restart.
    pub async fn prepare(&self, unit: UnitOfWorkId, xid: Option<Xid>) -> Result<(), StoreError> {
        let parts = self.parts(unit);
        if parts.shared().is_empty() {
            return self.private.prepare(unit, xid).await;
        }
        boxed(self.meet_group()).await?;
        boxed(parts.prepare(xid)).await
    }

    /// Everything of the unit becomes visible together, and is durable when it returns: see `PrivateStore::commit`.
    ///
    /// # Errors
    /// `NoSpace`: nothing has changed, the unit is still there. `LogFailed`: open until the next start.
    pub async fn commit(&self, unit: UnitOfWorkId) -> Result<(), StoreError> {
        let parts = self.parts(unit);
        let is_left_over = || self.group.is_some() && self.under_way.was_dropped(unit);
        if parts.shared().is_empty() && !is_left_over() {
            return self.private.commit(unit).await;
        }
        if parts.are_several() {
            boxed(self.meet_group()).await?;
        }
        boxed(parts.commit(&self.under_way, None)).await
    }

    /// The first message that a unit of work has got, read again; `None` when it has got none, or the message cannot be read back any
    /// more.
    ///
    /// # Errors
    /// `File`, `UnknownUnitOfWork`, `Closed`.
    pub async fn got_first(&self, unit: UnitOfWorkId) -> Result<Option<StoredMessage>, StoreError> {
        for shared in self.parts(unit).shared() {
            if let Some(got) = boxed(shared.got_first(unit)).await? {
                return Ok(Some(got));
            }
        }
        self.private.got_first(unit).await
    }

    /// Commits these units of work as one: see `PrivateStore::commit_together`.
    ///
    /// # Errors
    /// Those of `PrivateStore::commit_together`. `ReceiptTaken`, `BackedOut`: what is left of them is to be backed out. `Unreachable`: open.
    pub async fn commit_together(
        &self,
        units: &[UnitOfWorkId],
        receipt: Option<&Receipt>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let parts: Vec<Parts<'_>> = units.iter().map(|unit| self.parts(*unit)).collect();
        let mut shared = parts.iter().flat_map(Parts::shared);
        let is_left_over = || self.group.is_some() && units.iter().any(|unit| self.under_way.was_dropped(*unit));
        let Some(first) = shared.next() else {
            if is_left_over() {
                return boxed(self.commit_joined(units, receipt, now)).await;
            }
            return self.private.commit_together(units, receipt).await;
        };
        let is_there = |other: &&SharedStore| other.cluster() == first.cluster();
        let is_one = parts.iter().all(|parts| parts.decision().is_none())
            && shared.all(is_there)
            && !units.iter().any(|unit| self.private.has_work(*unit));
        if is_one && !is_left_over() {
            return boxed(first.commit_together(units, receipt, now)).await;
        }
        boxed(self.commit_joined(units, receipt, now)).await
    }

    /// Over several places: one of them decides.
    async fn commit_joined(
        &self,
        units: &[UnitOfWorkId],
        receipt: Option<&Receipt>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.meet_group().await?;
        let parts = Parts::joined(units, &self.private, self.group.as_ref())?;
        match parts.commit(&self.under_way, receipt.map(|receipt| (receipt, now))).await {
            // They are one unit of work already, so that none can be tried again by itself.
            Err(StoreError::NoSpace | StoreError::File(_)) => Err(StoreError::BackedOut),
            ended => ended,
        }
    }

    /// The value of the receipt with this key, once it is durable; `None` when there is none or its time has come.
    ///
    /// # Errors
    /// `File`: it cannot be read back. `LogFailed`, `Closed`.
    pub async fn receipt(&self, key: &ReceiptKey, now: Timestamp) -> Result<Option<Bytes>, StoreError> {
        if let Some(found) = self.private.receipt(key, now).await? {
            return Ok(Some(found));
        }
        let Some(group) = &self.group else { return Ok(None) };
        if let Some(found) = boxed(group.home().receipt(key, now)).await? {
            return Ok(Some(found));
        }
        // One that is away says so when the same is asked of it again: a receipt is there once.
        for shared in group.all().filter(|shared| !shared.is_home() && shared.is_open()) {
            if let Some(found) = boxed(shared.receipt(key, now)).await? {
                return Ok(Some(found));
            }
        }
        Ok(None)
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

    /// Forgets receipts whose time has come. Returns when that is for the next one.
    pub fn expire_receipts(&self, now: Timestamp) -> Option<Timestamp> {
        self.private.expire_receipts(now)
    }

    /// Raises backout counts of what it had got.
    pub async fn back_out(&self, unit: UnitOfWorkId) -> Result<(), StoreError> {
        let parts = self.parts(unit);
        if self.group.is_some() && parts.decision().is_some() {
            // A commit of it has begun: what is decided, or was not in time, ends it.
            return Err(StoreError::UnknownUnitOfWork);
        }
        if parts.shared().is_empty() {
            return self.private.back_out(unit).await;
        }
        boxed(parts.back_out()).await
    }

    /// Prepared units of work, recovered ones and those of this run.
    pub fn in_doubt(&self) -> Vec<(UnitOfWorkId, Option<Xid>)> {
        let mut in_doubt = self.private.in_doubt();
        for shared in self.group.iter().flat_map(GroupStore::all) {
            mixed::join_in_doubt(&mut in_doubt, shared.in_doubt());
        }
        in_doubt
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
