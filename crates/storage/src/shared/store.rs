//! The shared store's face: starting, queues, puts and gets.
//!
//! Units of work are in `store/syncpoint.rs`, looks that take nothing in `store/looking.rs`, handles and deletion in `store/opening.rs`,
//! what members decide together about triggers in `store/triggering.rs`, the move of a queue's messages to another database in
//! `store/moving.rs`.
//!
//! Invariant: a put counts on its queue from before it is staged until its row is committed, or it is given up.

mod group_units;
mod looking;
mod moments;
mod moving;
mod opening;
mod syncpoint;
mod triggering;

pub use opening::Deletion;
pub use triggering::{TriggerScope, TriggerState};

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::{Either, select};
use model::message::Message;
use model::timestamp::Timestamp;
use parking_lot::Mutex;
use tokio::sync::OnceCell;
use tracing::warn;

use crate::private::MessageCount;
use crate::shared::batch::is_broken;
use crate::shared::depth::{Figures, Staged};
use crate::shared::driver::{Driver, Phase, Role, Session, Threads, read_depths};
use crate::shared::error::SharedError;
use crate::shared::find::{Locks, in_sql};
use crate::shared::handles::OpenLevel;
use crate::shared::in_common::{Enrolment, InCommon};
use crate::shared::lane::{LASTING, LAZY};
use crate::shared::member::MemberStatus;
use crate::shared::operation::{Answer, Manner, NewReceipt, Operation, Place, Taken, Taking, UnitNumber, Wanted, Work};
use crate::shared::options::SharedOptions;
use crate::shared::row::{NewRow, moment, queue_id, queue_number};
use crate::shared::statistics::DatabaseStatistics;
use crate::shared::units::{InDoubt, Units, decode_xid};
use crate::{
    ClusterNumber, DeliveryKey, Depth, LockOwner, Placement, Position, PutOutcome, QueueId, ReceiptKey, ReceiptOfPut,
    Selection, StoreError, StoredMessage, UnitOfWorkId,
};

/// Messages removed by one step of a clear.
const CLEAR_STEP: i64 = 10_000;
/// Looks for any message before a queue that is not empty is said to have none.
const LOOKS: u32 = 4;
/// Expired messages removed by one call.
const EXPIRED: i64 = 256;

/// How a member is connected to the database of a structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StructureConnection {
    Open,
    /// It was, and the database cannot be reached at this moment.
    Lost,
    /// Not since the member started, or the member does not know that database.
    Never,
}

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
    /// What was in doubt when the member was connected for the first time.
    learned: OnceCell<()>,
    threads: Mutex<Threads>,
}

impl SharedStore {
    /// Starts to take part in the group whose home the database is. The database may come later.
    ///
    /// # Errors
    /// `Thread`.
    pub fn start(options: SharedOptions) -> Result<Self, SharedError> {
        Self::start_as(options, Role::Home, &Arc::default())
    }

    /// One of the group's databases.
    pub(super) fn start_as(options: SharedOptions, role: Role, in_common: &Arc<InCommon>) -> Result<Self, SharedError> {
        let (driver, threads) = Driver::start(options, role, Arc::clone(in_common))?;
        Ok(Self {
            running: Arc::new(Running {
                driver,
                units: Units::default(),
                locks: Mutex::default(),
                learned: OnceCell::new(),
                threads: Mutex::new(threads),
            }),
        })
    }

    /// Waits until the member is connected for the first time, and learns which of its units of work are in doubt.
    ///
    /// # Errors
    /// `Unreachable`, `Closed`.
    pub async fn connected(&self) -> Result<(), StoreError> {
        self.running.learned.get_or_try_init(|| self.learn()).await.map(|_| ())
    }

    /// Waits until the database can be reached at this moment.
    ///
    /// # Errors
    /// `Unreachable`, `Closed`.
    pub(crate) async fn reached(&self) -> Result<(), StoreError> {
        self.session().await.map(drop)
    }

    /// `connected` has been answered.
    pub(crate) fn has_learned(&self) -> bool {
        self.running.learned.initialized()
    }

    async fn learn(&self) -> Result<(), StoreError> {
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
            let decided_by = row.get::<_, Option<i32>>(2).and_then(ClusterNumber::of);
            let unit = self.running.driver.in_common.recovered_unit();
            let (put, got) = (Vec::new(), Vec::new());
            let mut in_doubt = InDoubt { number, xid, decided_by, is_of_group: false, put, got };
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

    /// Which of the group's databases this is; `None` as long as the home has not said so.
    pub fn cluster(&self) -> Option<ClusterNumber> {
        self.running.driver.cluster()
    }

    pub(crate) fn is_home(&self) -> bool {
        self.cluster() == Some(ClusterNumber::HOME)
    }

    /// The database was away for as long as verbs wait, and still is.
    pub fn is_away(&self) -> bool {
        matches!(*self.running.driver.phase.borrow(), Phase::Away)
    }

    /// The structure whose database it is, as configured; `None`: the home.
    pub(super) fn structure(&self) -> Option<&str> {
        self.running.driver.structure()
    }

    /// How this member is connected to it at this moment.
    pub(crate) fn connection(&self) -> StructureConnection {
        if self.is_open() {
            StructureConnection::Open
        } else if self.running.driver.was_open() {
            StructureConnection::Lost
        } else {
            StructureConnection::Never
        }
    }

    /// The home says that the structure has a database of its own.
    pub(crate) fn gives_database_to(&self, structure: &str) -> bool {
        match self.running.driver.in_common.enrolment() {
            Enrolment::Enrolled(enrolled) => enrolled.structures.contains_key(structure),
            Enrolment::Unknown | Enrolment::TakenOver => false,
        }
    }

    /// It can be reached at this moment.
    pub fn is_open(&self) -> bool {
        self.running.driver.open_session().is_some()
    }

    /// The database that a structure has for its own, as the home says; `None`: its queues are in the home.
    ///
    /// # Errors
    /// `Unreachable`, `Closed`.
    pub(super) async fn database_of(&self, structure: &str) -> Result<Option<ClusterNumber>, StoreError> {
        let row = self
            .look(|session| async move {
                let (client, s) = (&session.reader.client, &session.reader.statements);
                client.query_opt(&s.database_of_structure, &[&structure]).await
            })
            .await?;
        Ok(row.and_then(|row| ClusterNumber::of(row.get(0))))
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
        if driver.structure().is_some() && !self.is_open() {
            // The next session reads them all.
            return Ok(());
        }
        self.look(|session| async move { read_depths(driver, &session, &[queue], is_new).await }).await?;
        if is_new { self.follow_positions(&[queue]).await } else { Ok(()) }
    }

    /// What this member puts comes behind what is on these queues: their messages may come from a database with another clock.
    pub(super) async fn follow_positions(&self, queues: &[QueueId]) -> Result<(), StoreError> {
        let numbers: Vec<i32> = queues.iter().map(|queue| queue_number(*queue)).collect();
        let numbers = &numbers;
        let rows = self
            .look(|session| async move {
                session.reader.client.query(&session.reader.statements.last_positions, &[numbers]).await
            })
            .await?;
        let last = rows.iter().map(|row| row.get::<_, i64>(0).unsigned_abs()).max();
        last.into_iter().for_each(|last| self.running.driver.positions.follow(last));
        Ok(())
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
        let figures = self.figures(queue)?;
        let (row, outcome) = self.new_row(&figures, queue, message, placement, now).await?;
        if let Some(unit) = unit {
            self.running.units.stage(unit, row)?;
            return Ok(outcome);
        }
        self.submit(Operation::Put(row)).await?;
        Ok(outcome)
    }

    /// A message with its position, if the queue has room.
    async fn new_row(
        &self,
        figures: &Arc<Figures>,
        queue: QueueId,
        message: &Message,
        placement: &Placement,
        now: Timestamp,
    ) -> Result<(NewRow, PutOutcome), StoreError> {
        self.session().await?;
        let (staged, depth_before) = self.reserve(figures, placement.maximum_depth).await?;
        figures.check_at_work()?;
        figures.use_it();
        // No peer deletes the queue before the message is there, or never will be.
        self.raise(figures, OpenLevel::Open).await?;
        let (placement, now) = (self.placed(placement), self.there(now));
        let row = NewRow::new(staged, queue, self.running.driver.positions.next(), message, &placement, now);
        let outcome = PutOutcome { key: row.message.key, depth_before };
        Ok((row, outcome))
    }

    /// Room for one message. Before a queue is said to be full, the others are asked what they have got of it meanwhile.
    async fn reserve(&self, figures: &Arc<Figures>, maximum_depth: u32) -> Result<(Staged, u32), StoreError> {
        if let Some(reserved) = figures.reserve(maximum_depth) {
            return Ok(reserved);
        }
        let (driver, queue) = (&self.running.driver, figures.queue);
        self.look(|session| async move { read_depths(driver, &session, &[queue], false).await }).await?;
        figures.reserve(maximum_depth).ok_or(StoreError::QueueFull { maximum_depth })
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
        let figures = self.figures(queue)?;
        let (row, outcome) = self.new_row(&figures, queue, message, placement, now).await?;
        let receipt = self.kept(&receipt(outcome.key.position));
        let receipt = Some(NewReceipt { receipt, now: self.there(now) });
        let work = Work { puts: vec![row], gets: Vec::new() };
        self.submit(Operation::Commit { work, decision: None, receipt }).await?;
        Ok(outcome)
    }

    /// As `PrivateStore::receipt`.
    ///
    /// # Errors
    /// `Unreachable`, `Closed`.
    pub async fn receipt(&self, key: &ReceiptKey, now: Timestamp) -> Result<Option<Bytes>, StoreError> {
        let now = self.there(now);
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
        let _taking = figures.take_part()?;
        unit.map_or(Ok(()), |unit| self.running.units.check(unit))?;
        figures.use_it();
        self.settle().await?;
        let now = self.there(now);
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
        let Some(unit) = unit else { return Ok(Some(self.shown(taken.message))) };
        self.running.units.claim(unit, [taken.claim])?;
        figures.claimed(1);
        Ok(Some(self.shown(taken.keep().1)))
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
        let figures = self.figures(queue)?;
        let _taking = figures.take_part()?;
        self.settle().await?;
        let wanted = self.seen(queue, seen.key, seen.message.descriptor.backout_count, owner);
        let taken = self.take(Taking { queue, wanted, manner: Manner::Take, now: self.there(now) }).await?;
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
        let _taking = figures.take_part()?;
        self.running.units.check(unit)?;
        self.settle().await?;
        let now = self.there(now);
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
        let _taking = figures.take_part()?;
        let now = self.there(now);
        if let Answer::Expired(expired) = self.submit(Operation::TakeExpired { queue, now, maximum: EXPIRED }).await? {
            gone.extend(expired.into_iter().map(|stored| self.shown(stored)));
        }
        let row = self
            .look(|session| async move {
                let (client, s) = (&session.reader.client, &session.reader.statements);
                client.query_opt(&s.next_expiry, &[&queue_number(queue)]).await
            })
            .await?;
        let next = row.map(|row| row.get::<_, i64>(0));
        figures.set_next_expiry(next.map(crate::shared::row::timestamp));
        Ok(())
    }

    pub fn next_expiry(&self, queue: QueueId) -> Option<Timestamp> {
        self.running.driver.figures.of(queue)?.next_expiry().map(|at| self.here(at))
    }

    /// As `PrivateStore::clear`, in steps.
    ///
    /// # Errors
    /// `Uncommitted`: a unit of work of any member holds a message. `Unreachable`, `Database`, `Closed`.
    pub async fn clear(&self, queue: QueueId) -> Result<u32, StoreError> {
        let figures = self.figures(queue)?;
        let _taking = figures.take_part()?;
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

    /// Later than all that this member has put.
    pub fn next_position(&self) -> Position {
        self.running.driver.positions.next()
    }

    /// As this member knows it: see `depth.rs`.
    pub fn depth(&self, queue: QueueId) -> Depth {
        let Some(figures) = self.running.driver.figures.of(queue) else { return Depth::default() };
        figures.use_it();
        let depth = figures.depth();
        Depth { oldest: depth.oldest.map(|at| self.here(at)), ..depth }
    }

    pub fn message_count(&self, queue: QueueId) -> Option<MessageCount> {
        Some(self.running.driver.figures.of(queue)?.count())
    }

    /// Who is told that messages may have become available on a watched queue by what others did; the first listener stays.
    pub fn listen_to_arrivals(&self, listener: Box<dyn Fn(QueueId) + Send + Sync>) {
        self.running.driver.in_common.listen(listener);
    }

    /// Somebody waits for messages on the queue, until the guard is dropped.
    pub fn watch(&self, queue: QueueId) -> WatchGuard {
        self.running.driver.watch(queue);
        WatchGuard { driver: Arc::clone(&self.running.driver), queue }
    }

    /// Members of the group as they were seen last.
    pub fn members(&self) -> Vec<MemberStatus> {
        self.running.driver.in_common.members()
    }

    /// What this member counts of its work here.
    pub(super) fn statistics(&self) -> DatabaseStatistics {
        let driver = &self.running.driver;
        driver.counts.statistics(driver.structure(), self.is_open())
    }

    /// There is or was a member of this name.
    pub fn has_member(&self, name: &str) -> bool {
        self.running.driver.in_common.members().iter().any(|member| member.name == name)
    }

    /// Units of work with work on shared queues.
    pub fn open_units(&self) -> usize {
        self.running.units.count()
    }

    /// `close` returns sooner then.
    pub(super) fn begin_to_close(&self) {
        self.running.driver.close();
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
