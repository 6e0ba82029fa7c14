//! The shared store's face.

use std::collections::{HashMap, VecDeque};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use futures_util::future::{Either, select};
use model::message::Message;
use model::timestamp::Timestamp;
use parking_lot::Mutex;
use tracing::warn;

use crate::private::MessageCount;
use crate::shared::batch::{is_broken, read_parts};
use crate::shared::depth::Figures;
use crate::shared::driver::{Driver, Session, Threads, read_depths};
use crate::shared::error::SharedError;
use crate::shared::find::{Fitting, Holder, Locks, first_fitting, fitting, in_sql};
use crate::shared::lane::{LASTING, LAZY};
use crate::shared::member::MemberStatus;
use crate::shared::operation::{
    Answer, Claim, Manner, NewReceipt, Operation, Place, Taken, Taking, UnitNumber, Wanted, Work,
};
use crate::shared::options::SharedOptions;
use crate::shared::row::{Found, NewRow, delivery_key, moment, position, queue_id, queue_number, rank};
use crate::shared::units::{InDoubt, Units, decode_xid, encode_xid};
use crate::{
    DeliveryKey, Depth, Glimpse, LockOwner, Placement, PutOutcome, QueueId, Receipt, ReceiptKey, ReceiptOfPut,
    Selection, Slice, StoreError, StoredMessage, Survey, Surveyed, UnitOfWorkId, Xid,
};

/// Messages removed by one step of a clear.
const CLEAR_STEP: i64 = 10_000;
/// Looks for any message before a queue that is not empty is said to have none.
const LOOKS: u32 = 4;
/// Expired messages removed by one call.
const EXPIRED: i64 = 256;

/// The shared queues of a group, as one member. Cheap to share; every method takes `&self`.
///
/// While the database is away, operations wait for as long as `SharedOptions::patience` says, and are refused with `Unreachable` then.
#[derive(Clone)]
pub struct SharedStore {
    running: Arc<Running>,
}

struct Running {
    driver: Arc<Driver>,
    units: Units,
    locks: Mutex<Locks>,
    /// Numbers of recovered units of work: see `RECOVERED`.
    next_recovered: AtomicU64,
    threads: Mutex<Threads>,
}

/// Set in the numbers of units of work that were prepared in an earlier life of the member.
const RECOVERED: u64 = 1 << 63;

impl SharedStore {
    /// Starts to take part in the group that the database belongs to. The database may come later.
    ///
    /// # Errors
    /// `Thread`.
    pub fn start(options: SharedOptions) -> Result<Self, SharedError> {
        let (driver, threads) = Driver::start(options)?;
        Ok(Self {
            running: Arc::new(Running {
                driver,
                units: Units::default(),
                locks: Mutex::default(),
                next_recovered: AtomicU64::new(RECOVERED),
                threads: Mutex::new(threads),
            }),
        })
    }

    /// Waits until the member is connected for the first time, and learns which of its units of work are in doubt.
    ///
    /// # Errors
    /// `Unreachable`, `Closed`.
    pub async fn connected(&self) -> Result<(), StoreError> {
        let units = self
            .look(|session| async move {
                let (client, s) = (&session.reader.client, &session.reader.statements);
                let mut units = Vec::new();
                for row in client.query(&s.prepared_units, &[&session.member]).await? {
                    let held = client.query(&s.held_by_unit, &[&session.owner(), &row.get::<_, i64>(0)]).await?;
                    units.push((row, held));
                }
                Ok(units)
            })
            .await?;
        for (row, held) in units {
            let number = UnitNumber(row.get(0));
            if self.running.units.knows_number(number) {
                continue;
            }
            let xid = row.get::<_, Option<&[u8]>>(1).and_then(decode_xid);
            let unit = UnitOfWorkId(self.running.next_recovered.fetch_add(1, Ordering::Relaxed));
            let mut in_doubt = InDoubt { number, xid, put: Vec::new(), got: Vec::new() };
            for row in held {
                let queues = if row.get(1) { &mut in_doubt.put } else { &mut in_doubt.got };
                let queue = queue_id(row.get(0));
                self.running.driver.figures.know(queue);
                queues.push(queue);
            }
            self.note_prepared(&in_doubt, 1);
            self.running.units.prepared(unit, in_doubt);
        }
        Ok(())
    }

    /// A number that no queue of the group ever had.
    ///
    /// # Errors
    /// `Unreachable`, `Closed`.
    pub async fn create_queue(&self) -> Result<QueueId, StoreError> {
        let row =
            self.look(|session| async move {
                session.reader.client.query_one(&session.reader.statements.next_queue, &[]).await
            })
            .await?;
        let queue = queue_id(row.get(0));
        self.running.driver.figures.know(queue);
        Ok(queue)
    }

    /// The queue exists: its depth is kept. It is known exactly when this returns, if the database can be reached.
    ///
    /// # Errors
    /// `Unreachable`, `Closed`.
    pub async fn know_queue(&self, queue: QueueId) -> Result<(), StoreError> {
        let driver = &self.running.driver;
        // What this member has added to a queue that it works with is known better here.
        let is_new = driver.figures.of(queue).is_none();
        driver.figures.know(queue);
        self.look(|session| async move { read_depths(driver, &session, &[queue], is_new).await }).await
    }

    /// The queue is deleted: its messages go, also those that units of work hold.
    ///
    /// # Errors
    /// `Unreachable`, `Closed`.
    pub async fn drop_queue(&self, queue: QueueId) -> Result<(), StoreError> {
        while self.clear_step(queue, true).await? > 0 {}
        self.running.driver.figures.forget(queue);
        Ok(())
    }

    /// As `PrivateStore::put`.
    ///
    /// # Errors
    /// `QueueFull`, `UnknownUnitOfWork`, `Unreachable`, `Database`, `Closed`.
    pub async fn put(
        &self,
        unit: Option<UnitOfWorkId>,
        queue: QueueId,
        message: &Message,
        placement: &Placement,
        now: Timestamp,
    ) -> Result<PutOutcome, StoreError> {
        let (figures, row, outcome) = self.new_row(queue, message, placement, now).await?;
        if let Some(unit) = unit {
            self.running.units.stage(unit, row)?;
            figures.staged(1);
            return Ok(outcome);
        }
        let _staged = Staged::new(&figures);
        figures.expires(placement.expires);
        self.submit(Operation::Put(row)).await?;
        Ok(outcome)
    }

    /// A message with its position, if the queue has room.
    async fn new_row(
        &self,
        queue: QueueId,
        message: &Message,
        placement: &Placement,
        now: Timestamp,
    ) -> Result<(Arc<Figures>, NewRow, PutOutcome), StoreError> {
        let figures = self.figures(queue)?;
        self.session().await?;
        let depth_before = figures.current();
        if depth_before >= placement.maximum_depth {
            return Err(StoreError::QueueFull { maximum_depth: placement.maximum_depth });
        }
        figures.use_it();
        let row = NewRow::new(queue, self.running.driver.positions.next(), message, placement, now);
        let outcome = PutOutcome { key: row.key, depth_before };
        Ok((figures, row, outcome))
    }

    /// As `PrivateStore::put_with_receipt`.
    ///
    /// # Errors
    /// As `put`. `ReceiptTaken`: there is one with the same key, perhaps by another member; nothing has changed.
    pub async fn put_with_receipt(
        &self,
        queue: QueueId,
        message: &Message,
        placement: &Placement,
        receipt: &ReceiptOfPut<'_>,
        now: Timestamp,
    ) -> Result<PutOutcome, StoreError> {
        let (figures, row, outcome) = self.new_row(queue, message, placement, now).await?;
        let _staged = Staged::new(&figures);
        figures.expires(placement.expires);
        let receipt = Some(NewReceipt { receipt: receipt(outcome.key.position), now });
        let work = Work { puts: vec![row], gets: Vec::new() };
        self.submit(Operation::Commit { work, decision: None, receipt }).await?;
        Ok(outcome)
    }

    /// As `PrivateStore::commit_together`.
    ///
    /// # Errors
    /// As `commit`. `UnknownUnitOfWork`: one is prepared or over. `ReceiptTaken`: all of them are backed out.
    pub async fn commit_together(
        &self,
        units: &[UnitOfWorkId],
        receipt: Option<&Receipt>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        units.iter().try_for_each(|unit| self.running.units.check(*unit))?;
        let mut together = Work::default();
        for work in units.iter().filter_map(|unit| self.running.units.take(*unit)) {
            together.puts.extend(work.puts);
            together.gets.extend(work.gets);
        }
        let ended = Ended::of(&together);
        let receipt = receipt.map(|receipt| NewReceipt { receipt: receipt.clone(), now });
        let committed = self.submit(Operation::Commit { work: together, decision: None, receipt }).await;
        ended.note(self);
        committed.map(|_| ())
    }

    /// As `PrivateStore::receipt`.
    ///
    /// # Errors
    /// `Unreachable`, `Closed`.
    pub async fn receipt(&self, key: &ReceiptKey, now: Timestamp) -> Result<Option<Bytes>, StoreError> {
        let row = self
            .look(|session| async move {
                let reader = &session.reader;
                reader.client.query_opt(&reader.statements.receipt, &[&&key.0[..], &moment(now)]).await
            })
            .await?;
        Ok(row.map(|row| Bytes::from(row.get::<_, Vec<u8>>(0))))
    }

    /// As `PrivateStore::get`. In a unit of work, dropping the future at any time undoes the get.
    ///
    /// # Errors
    /// `UnknownQueue`, `UnknownUnitOfWork`, `Unreachable`, `Database`, `Closed`.
    pub async fn get(
        &self,
        unit: Option<UnitOfWorkId>,
        queue: QueueId,
        selection: &Selection<'_>,
        now: Timestamp,
    ) -> Result<Option<StoredMessage>, StoreError> {
        let figures = self.figures(queue)?;
        unit.map_or(Ok(()), |unit| self.running.units.check(unit))?;
        figures.use_it();
        self.settle().await?;
        let manner = if unit.is_some() { Manner::Claim } else { Manner::Take };
        let wanted = in_sql(selection).filter(|_| !self.holds_locks(queue, selection.lock_owner));
        let taken = match wanted {
            Some(Wanted::First) => {
                self.take_first(&figures, Taking { queue, wanted: Wanted::First, manner, now }).await?
            }
            Some(wanted) => self.take(Taking { queue, wanted, manner, now }).await?,
            None => self.look_and_take(queue, selection, manner, now).await?,
        };
        let Some(taken) = taken else { return Ok(None) };
        if selection.lock_owner.is_some() {
            self.running.locks.lock().remove(&taken.claim.place);
        }
        let Some(unit) = unit else { return Ok(Some(taken.message)) };
        self.running.units.claim(unit, [taken.claim])?;
        figures.claimed(1);
        Ok(Some(taken.keep().1))
    }

    /// All that a look has seen may be what others are just taking, while they have put others since: it looks again as long as the
    /// depth says that there is something, but not for ever.
    async fn take_first(&self, figures: &Figures, taking: Taking) -> Result<Option<Taken>, StoreError> {
        for _ in 0..LOOKS {
            let taken = self.take(taking.clone()).await?;
            let depth = figures.depth();
            if taken.is_some() || depth.current <= depth.uncommitted {
                return Ok(taken);
            }
        }
        Ok(None)
    }

    async fn take(&self, taking: Taking) -> Result<Option<Taken>, StoreError> {
        match self.submit(Operation::Take(taking)).await? {
            Answer::Taken(taken) => Ok(taken),
            _ => Ok(None),
        }
    }

    async fn look_and_take(
        &self,
        queue: QueueId,
        selection: &Selection<'_>,
        manner: Manner,
        now: Timestamp,
    ) -> Result<Option<Taken>, StoreError> {
        let mut after = None;
        // What another takes meanwhile is left behind: it was not there at that moment.
        while let Some(fitting) = self.fitting_behind(queue, after, selection, now).await? {
            let wanted = fitting.wanted();
            if let Some(taken) = self.take(Taking { queue, wanted, manner, now }).await? {
                return Ok(Some(taken));
            }
            after = Some(fitting.key);
        }
        Ok(None)
    }

    /// The first message behind a place that fits.
    async fn fitting_behind(
        &self,
        queue: QueueId,
        after: Option<DeliveryKey>,
        selection: &Selection<'_>,
        now: Timestamp,
    ) -> Result<Option<Fitting>, StoreError> {
        let is_mine = |place| self.is_mine(place, selection.lock_owner);
        let is_mine = &is_mine;
        self.look(|session| async move { first_fitting(&session, queue, after, selection, now, is_mine).await }).await
    }

    /// As `PrivateStore::take_browsed`.
    ///
    /// # Errors
    /// As `get`.
    pub async fn take_browsed(
        &self,
        queue: QueueId,
        seen: &StoredMessage,
        owner: LockOwner,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.figures(queue)?;
        self.settle().await?;
        let wanted = self.seen(queue, seen.key, seen.message.descriptor.backout_count, owner);
        let taken = self.take(Taking { queue, wanted, manner: Manner::Take, now }).await?;
        if taken.is_some() {
            self.running.locks.lock().remove(&Place { queue, key: seen.key });
        }
        Ok(taken.is_some())
    }

    /// As `PrivateStore::get_all`.
    ///
    /// # Errors
    /// As `get`.
    pub async fn get_all(
        &self,
        unit: UnitOfWorkId,
        queue: QueueId,
        keys: &[DeliveryKey],
        owner: LockOwner,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let figures = self.figures(queue)?;
        self.running.units.check(unit)?;
        self.settle().await?;
        let mut seen = Vec::with_capacity(keys.len());
        for key in keys {
            let selection = Selection { position: Some(key.position), lock_owner: Some(owner), ..Selection::default() };
            let Some(fitting) = self.fitting_behind(queue, None, &selection, now).await? else { return Ok(false) };
            seen.push(fitting.wanted());
        }
        let Answer::AllTaken(Some(all)) = self.submit(Operation::ClaimAll { queue, seen, now }).await? else {
            return Ok(false);
        };
        self.running.units.claim(unit, all.iter().map(|taken| taken.claim))?;
        figures.claimed(i64::try_from(all.len()).unwrap_or(0));
        let mut locks = self.running.locks.lock();
        for taken in all {
            locks.remove(&taken.keep().0.place);
        }
        Ok(true)
    }

    /// As `PrivateStore::browse`.
    ///
    /// # Errors
    /// As `get`.
    pub async fn browse(
        &self,
        queue: QueueId,
        mut after: Option<DeliveryKey>,
        selection: &Selection<'_>,
        now: Timestamp,
    ) -> Result<Option<StoredMessage>, StoreError> {
        self.figures(queue)?;
        self.settle().await?;
        while let Some(fitting) = self.fitting_behind(queue, after, selection, now).await? {
            if let Some(stored) = self.read(queue, fitting.key).await? {
                return Ok(Some(stored));
            }
            after = Some(fitting.key);
        }
        Ok(None)
    }

    /// Up to `maximum` matching messages behind `after`, for a look at what they say.
    ///
    /// # Errors
    /// As `get`.
    pub async fn glimpses(
        &self,
        queue: QueueId,
        after: Option<DeliveryKey>,
        selection: &Selection<'_>,
        maximum: usize,
        now: Timestamp,
    ) -> Result<Slice, StoreError> {
        self.figures(queue)?;
        self.settle().await?;
        let is_mine = |place| self.is_mine(place, selection.lock_owner);
        let is_mine = &is_mine;
        let found = self
            .look(|session| async move { fitting(&session, queue, after, selection, now, is_mine, maximum).await })
            .await?;
        let is_last = found.len() < maximum;
        let mut glimpses = Vec::with_capacity(found.len());
        for fitting in found {
            if let Some(stored) = self.read(queue, fitting.key).await? {
                let message = *stored.message;
                glimpses.push(Glimpse {
                    key: stored.key,
                    descriptor: message.descriptor,
                    beginning: message.body,
                    is_whole: true,
                });
            }
        }
        Ok(Slice { glimpses, is_last })
    }

    /// As `PrivateStore::back_from`.
    ///
    /// # Errors
    /// `UnknownQueue`, `Unreachable`, `Closed`.
    pub async fn back_from(
        &self,
        queue: QueueId,
        before: Option<DeliveryKey>,
        count: usize,
    ) -> Result<Option<DeliveryKey>, StoreError> {
        self.figures(queue)?;
        let (before_rank, before_position) = before.map_or((i16::MAX, 0), |key| (rank(key), position(key)));
        let wanted = i64::try_from(count).unwrap_or(i64::MAX).saturating_add(1);
        let rows = self
            .look(|session| async move {
                let (client, s) = (&session.reader.client, &session.reader.statements);
                client.query(&s.before, &[&queue_number(queue), &before_rank, &before_position, &wanted]).await
            })
            .await?;
        Ok(rows.get(count).map(|row| delivery_key(row.get(0), row.get(1))))
    }

    /// As `PrivateStore::lock`, in the whole group.
    ///
    /// # Errors
    /// As `get`.
    pub async fn lock(&self, queue: QueueId, key: DeliveryKey, owner: LockOwner) -> Result<bool, StoreError> {
        let place = Place { queue, key };
        // One of an earlier epoch has been given back by a peer.
        let epoch = self.session().await?.epoch;
        if let Some(holder) = self.running.locks.lock().get(&place).filter(|holder| holder.epoch == epoch) {
            return Ok(holder.owner == owner);
        }
        self.settle().await?;
        let Answer::Locked(Some(guard)) = self.submit(Operation::Lock(place)).await? else { return Ok(false) };
        self.running.locks.lock().insert(place, Holder { owner, epoch: guard.keep() });
        Ok(true)
    }

    /// False when this owner does not hold the lock. What looks at queues here next sees the message free.
    pub fn unlock(&self, queue: QueueId, key: DeliveryKey, owner: LockOwner) -> bool {
        let place = Place { queue, key };
        let mut locks = self.running.locks.lock();
        let Some(Holder { epoch, .. }) = locks.get(&place).copied().filter(|holder| holder.owner == owner) else {
            return false;
        };
        locks.remove(&place);
        self.running.driver.inboxes[LAZY].release(vec![place], epoch);
        true
    }

    /// The unit has work on shared queues.
    pub fn has_work(&self, unit: UnitOfWorkId) -> bool {
        self.running.units.has_work(unit)
    }

    /// As `PrivateStore::prepare`.
    ///
    /// # Errors
    /// `BackedOut`: messages that it had got were lost with a primary. `Unreachable`, `Database`, `Closed`.
    pub async fn prepare(&self, unit: UnitOfWorkId, xid: Option<Xid>) -> Result<(), StoreError> {
        self.running.units.check(unit)?;
        let session = self.session().await?;
        let Some(work) = self.running.units.take(unit) else { return Ok(()) };
        let number = UnitNumber(self.running.driver.unit_number(session.epoch));
        let in_doubt = InDoubt {
            number,
            xid: xid.clone(),
            put: work.puts.iter().map(|row| row.queue).collect(),
            got: work.gets.iter().map(|claim| claim.place.queue).collect(),
        };
        let ended = Ended::of(&work);
        let prepared = self.submit(Operation::Prepare { work, number, xid: xid.as_ref().map(encode_xid) }).await;
        ended.note(self);
        // Unreachable: whether it is prepared is open, and its coordinator backs it out.
        if matches!(prepared, Ok(_) | Err(StoreError::Unreachable | StoreError::Closed)) {
            self.note_prepared(&in_doubt, 1);
            self.running.units.prepared(unit, in_doubt);
        }
        prepared.map(|_| ())
    }

    /// As `PrivateStore::commit`.
    ///
    /// # Errors
    /// `BackedOut`: messages that it had got were lost with a primary, or a peer has recovered this member. `Unreachable`: open.
    /// `Database`, `Closed`.
    pub async fn commit(&self, unit: UnitOfWorkId) -> Result<(), StoreError> {
        self.commit_as(unit, None).await
    }

    /// As `commit`, for a unit that is prepared in the private store: the database decides, and remembers it under `number`.
    ///
    /// # Errors
    /// As `commit`.
    pub async fn commit_deciding(&self, unit: UnitOfWorkId, number: i64) -> Result<(), StoreError> {
        self.commit_as(unit, Some(UnitNumber(number))).await
    }

    /// For `commit_deciding`: no other unit of the member ever had it.
    ///
    /// # Errors
    /// `Unreachable`, `Closed`.
    pub async fn decision_number(&self) -> Result<i64, StoreError> {
        let session = self.session().await?;
        Ok(self.running.driver.unit_number(session.epoch))
    }

    /// The recovery log has followed the decision; the database may forget it at any time.
    pub fn forget_decision(&self, number: i64) {
        drop(self.running.driver.inboxes[LAZY].submit(Operation::Forget(vec![UnitNumber(number)])));
    }

    /// Numbers of units that the database has decided to commit and not forgotten. Nothing of an earlier life of this member can
    /// be decided any more.
    ///
    /// # Errors
    /// `Unreachable`, `Closed`.
    pub async fn decided(&self) -> Result<Vec<i64>, StoreError> {
        let rows = self
            .look(|session| async move {
                let (client, s) = (&session.reader.client, &session.reader.statements);
                client.query(&s.decided_units, &[&session.member]).await
            })
            .await?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }

    async fn commit_as(&self, unit: UnitOfWorkId, decision: Option<UnitNumber>) -> Result<(), StoreError> {
        if let Some(in_doubt) = self.running.units.in_doubt_of(unit) {
            return self.finish_prepared(unit, &in_doubt, true).await;
        }
        let Some(work) = self.running.units.take(unit) else { return Ok(()) };
        let ended = Ended::of(&work);
        let committed = self.submit(Operation::Commit { work, decision, receipt: None }).await;
        ended.note(self);
        committed.map(|_| ())
    }

    async fn finish_prepared(&self, unit: UnitOfWorkId, in_doubt: &InDoubt, commits: bool) -> Result<(), StoreError> {
        self.submit(Operation::FinishPrepared { number: in_doubt.number, commits }).await?;
        self.running.units.resolved(unit);
        self.note_prepared(in_doubt, -1);
        Ok(())
    }

    /// What a prepared unit of work holds counts as uncommitted.
    fn note_prepared(&self, in_doubt: &InDoubt, change: i64) {
        let figures = &self.running.driver.figures;
        in_doubt.put.iter().filter_map(|queue| figures.of(*queue)).for_each(|figures| figures.prepared(change));
        in_doubt.got.iter().filter_map(|queue| figures.of(*queue)).for_each(|figures| figures.claimed(change));
    }

    /// As `PrivateStore::back_out`.
    ///
    /// # Errors
    /// `Unreachable`: the messages come back once the database does. `Database`, `Closed`.
    pub async fn back_out(&self, unit: UnitOfWorkId) -> Result<(), StoreError> {
        if let Some(in_doubt) = self.running.units.in_doubt_of(unit) {
            return self.finish_prepared(unit, &in_doubt, false).await;
        }
        let Some(work) = self.running.units.take(unit) else { return Ok(()) };
        Ended::of(&work).note(self);
        if work.gets.is_empty() {
            return Ok(());
        }
        self.submit(Operation::BackOut(work.gets)).await.map(|_| ())
    }

    /// As `PrivateStore::got_first`.
    ///
    /// # Errors
    /// `Unreachable`, `Closed`.
    pub async fn got_first(&self, unit: UnitOfWorkId) -> Result<Option<StoredMessage>, StoreError> {
        let Some(Claim { place, .. }) = self.running.units.first_got(unit) else { return Ok(None) };
        self.read(place.queue, place.key).await
    }

    /// This member's prepared units of work.
    pub fn in_doubt(&self) -> Vec<(UnitOfWorkId, Option<Xid>)> {
        self.running.units.in_doubt()
    }

    /// As `PrivateStore::discard_expired`.
    ///
    /// # Errors
    /// `UnknownQueue`, `Unreachable`, `Database`, `Closed`.
    pub async fn discard_expired(
        &self,
        queue: QueueId,
        now: Timestamp,
        gone: &mut VecDeque<StoredMessage>,
    ) -> Result<(), StoreError> {
        let figures = self.figures(queue)?;
        if let Answer::Expired(expired) = self.submit(Operation::TakeExpired { queue, now, maximum: EXPIRED }).await? {
            gone.extend(expired);
        }
        let rows = self
            .look(|session| async move {
                let (client, s) = (&session.reader.client, &session.reader.statements);
                client.query(&s.next_expiries, &[&vec![queue_number(queue)]]).await
            })
            .await?;
        let next = rows.first().and_then(|row| row.get::<_, Option<i64>>(1));
        figures.set_next_expiry(next.map(crate::shared::row::timestamp));
        Ok(())
    }

    pub fn next_expiry(&self, queue: QueueId) -> Option<Timestamp> {
        self.running.driver.figures.of(queue)?.next_expiry()
    }

    /// As `PrivateStore::clear`, in steps.
    ///
    /// # Errors
    /// `Uncommitted`: a unit of work of any member holds a message. `Unreachable`, `Database`, `Closed`.
    pub async fn clear(&self, queue: QueueId) -> Result<u32, StoreError> {
        let figures = self.figures(queue)?;
        self.settle().await?;
        let held = self
            .look(|session| async move {
                let (client, s) = (&session.reader.client, &session.reader.statements);
                client.query_opt(&s.is_held, &[&queue_number(queue)]).await
            })
            .await?;
        if held.is_some() || figures.depth().uncommitted > 0 {
            return Err(StoreError::Uncommitted);
        }
        let mut cleared = 0;
        loop {
            let step = self.clear_step(queue, false).await?;
            cleared += step;
            if step == 0 {
                return Ok(cleared);
            }
        }
    }

    async fn clear_step(&self, queue: QueueId, with_held: bool) -> Result<u32, StoreError> {
        match self.submit(Operation::ClearStep { queue, maximum: CLEAR_STEP, with_held }).await? {
            Answer::Cleared(count) => Ok(count),
            _ => Ok(0),
        }
    }

    /// As this member knows it: see `depth.rs`.
    pub fn depth(&self, queue: QueueId) -> Depth {
        let Some(figures) = self.running.driver.figures.of(queue) else { return Depth::default() };
        figures.use_it();
        figures.depth()
    }

    pub fn message_count(&self, queue: QueueId) -> Option<MessageCount> {
        Some(self.running.driver.figures.of(queue)?.count())
    }

    /// As `PrivateStore::survey`; what other members hold is not named.
    ///
    /// # Errors
    /// `Unreachable`, `Closed`.
    pub async fn survey(&self, queue: QueueId, maximum: usize, now: Timestamp) -> Result<Option<Survey>, StoreError> {
        let Some(figures) = self.running.driver.figures.of(queue) else { return Ok(None) };
        let selection = &Selection::default();
        let found = self
            .look(|session| async move { fitting(&session, queue, None, selection, now, &|_| true, maximum).await })
            .await?;
        let mut survey = Survey::default();
        for fitting in found {
            if let Some(stored) = self.read(queue, fitting.key).await? {
                survey.first.push(Surveyed {
                    position: stored.key.position,
                    message_id: stored.message.descriptor.message_id,
                    correlation_id: stored.message.descriptor.correlation_id,
                    group_id: stored.message.descriptor.group_id,
                    has_expired: false,
                    is_locked: fitting.is_locked,
                });
            }
        }
        let depth = figures.depth();
        survey.available = survey.first.len().max((depth.current - depth.uncommitted.min(depth.current)) as usize);
        Ok(Some(survey))
    }

    /// As `PrivateStore::first_fitting`.
    ///
    /// # Errors
    /// `Unreachable`, `Closed`.
    pub async fn first_fitting(
        &self,
        queue: QueueId,
        selection: &Selection<'_>,
        now: Timestamp,
    ) -> Result<Option<DeliveryKey>, StoreError> {
        Ok(self.fitting_behind(queue, None, selection, now).await?.map(|fitting| fitting.key))
    }

    /// Who is told that messages may have become available on a watched queue by what others did; the first listener stays.
    pub fn listen_to_arrivals(&self, listener: Box<dyn Fn(QueueId) + Send + Sync>) {
        self.running.driver.listen(listener);
    }

    /// Somebody waits for messages on the queue, until the guard is dropped.
    pub fn watch(&self, queue: QueueId) -> WatchGuard {
        self.running.driver.watch(queue);
        WatchGuard { driver: Arc::clone(&self.running.driver), queue }
    }

    /// Members of the group as they were seen last.
    pub fn members(&self) -> Vec<MemberStatus> {
        self.running.driver.members.lock().clone()
    }

    /// Units of work with work on shared queues.
    pub fn open_units(&self) -> usize {
        self.running.units.count()
    }

    /// Leaves the group. Later calls answer `Closed`.
    pub fn close(&self) {
        self.running.stop();
    }

    pub(super) fn driver(&self) -> &Arc<Driver> {
        &self.running.driver
    }

    pub(super) async fn session(&self) -> Result<Arc<Session>, StoreError> {
        self.running.driver.session().await
    }

    fn figures(&self, queue: QueueId) -> Result<Arc<Figures>, StoreError> {
        self.running.driver.figures.of(queue).ok_or(StoreError::UnknownQueue)
    }

    /// A look that failed: the next one finds another session.
    pub(super) fn ask<T>(&self, result: Result<T, tokio_postgres::Error>) -> Result<T, StoreError> {
        result.map_err(|error| {
            if error.code().is_some() {
                warn!(error = &error as &dyn std::error::Error, "the group's database refuses a look");
                StoreError::Database
            } else {
                StoreError::Unreachable
            }
        })
    }

    /// Asks until there is an answer: a connection that breaks meanwhile, or a database that falls silent, is not one.
    pub(super) async fn look<T, F>(&self, mut looking: impl FnMut(Arc<Session>) -> F) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, tokio_postgres::Error>>,
    {
        let driver = &self.running.driver;
        loop {
            let session = self.session().await?;
            let generation = session.generation;
            let over = pin!(driver.until_over(generation));
            match select(pin!(looking(session)), over).await {
                Either::Left((Err(error), over)) if is_broken(&error) => {
                    driver.broken(generation, &error);
                    over.await;
                }
                Either::Left((answer, _)) => return self.ask(answer),
                Either::Right(_) => {}
            }
        }
    }

    /// The lane refuses it when the database is away for longer than callers wait.
    async fn submit(&self, operation: Operation) -> Result<Answer, StoreError> {
        let lane = if operation.must_last() { LASTING } else { LAZY };
        self.running.driver.inboxes[lane].submit(operation).await.unwrap_or(Err(StoreError::Closed))
    }

    /// Waits for releases that are on their way, so that what this member gave back can be found.
    async fn settle(&self) -> Result<(), StoreError> {
        let releases = self.running.driver.inboxes[LAZY].settling();
        if !releases.is_empty() {
            self.session().await?;
        }
        for told in releases {
            let _ = told.await;
        }
        Ok(())
    }

    async fn read(&self, queue: QueueId, key: DeliveryKey) -> Result<Option<StoredMessage>, StoreError> {
        let (number, rank, position) = (queue_number(queue), rank(key), position(key));
        let found = self
            .look(|session| async move {
                let reader = &session.reader;
                let row = reader.client.query_opt(&reader.statements.read, &[&number, &rank, &position]).await?;
                let Some(mut found) = row.as_ref().map(Found::of) else { return Ok(None) };
                if found.in_parts {
                    let mut bodies = read_parts(reader, vec![position]).await?;
                    let Some(body) = bodies.remove(&position) else { return Ok(None) };
                    found.set_body(body);
                }
                Ok(Some(found))
            })
            .await?;
        Ok(found.and_then(Found::stored))
    }

    fn is_mine(&self, place: Place, owner: Option<LockOwner>) -> bool {
        owner.is_some() && self.running.locks.lock().get(&place).map(|holder| holder.owner) == owner
    }

    fn holds_locks(&self, queue: QueueId, owner: Option<LockOwner>) -> bool {
        let Some(owner) = owner else { return false };
        self.running.locks.lock().iter().any(|(place, holder)| place.queue == queue && holder.owner == owner)
    }

    fn seen(&self, queue: QueueId, key: DeliveryKey, backouts: u32, owner: LockOwner) -> Wanted {
        Wanted::Seen { key, backouts, is_locked: self.is_mine(Place { queue, key }, Some(owner)) }
    }
}

impl Running {
    fn stop(&self) {
        self.driver.close();
        self.threads.lock().join();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Somebody waits for messages on a shared queue.
pub struct WatchGuard {
    driver: Arc<Driver>,
    queue: QueueId,
}

impl Drop for WatchGuard {
    fn drop(&mut self) {
        self.driver.unwatch(self.queue);
    }
}

/// A put on its way counts, so that a queue is not overfilled by many at once.
struct Staged<'a>(&'a Figures);

impl<'a> Staged<'a> {
    fn new(figures: &'a Figures) -> Self {
        figures.staged(1);
        Self(figures)
    }
}

impl Drop for Staged<'_> {
    fn drop(&mut self) {
        self.0.staged(-1);
    }
}

/// What a unit of work counted for, by queue.
struct Ended {
    puts: HashMap<QueueId, (i64, Option<Timestamp>)>,
    gets: HashMap<QueueId, i64>,
}

impl Ended {
    fn of(work: &Work) -> Self {
        let mut ended = Self { puts: HashMap::new(), gets: HashMap::new() };
        for row in &work.puts {
            let entry = ended.puts.entry(row.queue).or_default();
            entry.0 += 1;
            entry.1 = [entry.1, row.expires].into_iter().flatten().min();
        }
        for claim in &work.gets {
            *ended.gets.entry(claim.place.queue).or_default() += 1;
        }
        ended
    }

    /// Those who ended it hold nothing more.
    fn note(&self, store: &SharedStore) {
        let figures = &store.running.driver.figures;
        for (queue, (count, expires)) in &self.puts {
            if let Some(figures) = figures.of(*queue) {
                figures.expires(*expires);
                figures.staged(-count);
            }
        }
        for (queue, count) in &self.gets {
            if let Some(figures) = figures.of(*queue) {
                figures.claimed(-count);
            }
        }
    }
}
