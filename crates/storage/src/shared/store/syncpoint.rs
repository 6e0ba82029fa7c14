//! Units of work of the shared store: their ends, and what they count for.

use std::collections::{HashMap, HashSet};

use model::timestamp::Timestamp;

use super::SharedStore;
use crate::shared::depth::AllFigures;
use crate::shared::in_common::RECOVERED;
use crate::shared::lane::LAZY;
use crate::shared::operation::{Claim, Decision, NewReceipt, Operation, UnitNumber, Work};
use crate::shared::units::{InDoubt, encode_xid};
use crate::{ClusterNumber, QueueId, Receipt, StoreError, StoredMessage, UnitOfWorkId, Xid};

impl SharedStore {
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
        self.check_units(units)?;
        let mut together = Work::default();
        for work in units.iter().filter_map(|unit| self.running.units.take(*unit)) {
            together.puts.extend(work.puts);
            together.gets.extend(work.gets);
        }
        let _ended = Ended::of(&together, &self.running.driver.figures);
        let receipt = receipt.map(|receipt| self.new_receipt(receipt, now));
        let committed = self.submit(Operation::Commit { work: together, decision: None, receipt }).await;
        committed.map(|_| ())
    }

    fn new_receipt(&self, receipt: &Receipt, now: Timestamp) -> NewReceipt {
        NewReceipt { receipt: self.kept(receipt), now: self.there(now) }
    }

    /// # Errors
    /// `UnknownUnitOfWork`: one is prepared or ending.
    pub(crate) fn check_units(&self, units: &[UnitOfWorkId]) -> Result<(), StoreError> {
        units.iter().try_for_each(|unit| self.running.units.check(*unit))
    }

    /// The unit has the work of the others here: for a commit over several places.
    pub(crate) fn join(&self, unit: UnitOfWorkId, others: &[UnitOfWorkId]) {
        others.iter().filter(|other| **other != unit).for_each(|other| self.running.units.join(unit, *other));
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
        let number = self.running.driver.in_common.unit_number(session.epoch);
        self.prepare_as(unit, Preparing { number, xid, decided_by: None, places: None }).await
    }

    /// Prepares the part here of a unit that another database decides.
    ///
    /// # Errors
    /// As `prepare`. Then it is backed out, once nothing is decided.
    pub(crate) async fn prepare_under(&self, unit: UnitOfWorkId, decision: Decision) -> Result<(), StoreError> {
        self.running.units.check(unit)?;
        let (number, decided_by) = (UnitNumber(decision.number), Some(decision.cluster));
        self.prepare_as(unit, Preparing { number, xid: None, decided_by, places: None }).await
    }

    pub(super) async fn prepare_as(&self, unit: UnitOfWorkId, preparing: Preparing) -> Result<(), StoreError> {
        let Preparing { number, xid, decided_by, places } = preparing;
        let Some(work) = self.running.units.take(unit) else { return Ok(()) };
        let is_of_group = places.is_some();
        let in_doubt = InDoubt {
            number,
            xid: xid.clone(),
            decided_by,
            is_of_group,
            put: work.puts.iter().map(|row| row.message.queue).collect(),
            got: work.gets.iter().map(|claim| claim.place.queue).collect(),
        };
        let _ended = Ended::of(&work, &self.running.driver.figures);
        // From here on it may be prepared, whoever waits for that: its coordinator, or what is decided, ends it.
        self.note_prepared(&in_doubt, 1);
        self.running.units.prepared(unit, in_doubt.clone());
        let xid = xid.as_ref().map(encode_xid);
        let prepared = self.submit(Operation::Prepare { work, number, xid, decided_by, places }).await;
        if !matches!(prepared, Ok(_) | Err(StoreError::Unreachable | StoreError::Closed)) {
            self.running.units.resolved(unit);
            self.note_prepared(&in_doubt, -1);
        }
        prepared.map(|_| ())
    }

    /// As `PrivateStore::commit`.
    ///
    /// # Errors
    /// `BackedOut`: messages that it had got were lost with a primary, or a peer has recovered this member. `Unreachable`: open.
    /// `Database`, `Closed`.
    pub async fn commit(&self, unit: UnitOfWorkId) -> Result<(), StoreError> {
        self.commit_as(unit, None, None).await
    }

    /// As `commit`, for a unit whose other parts are prepared: this database decides, and remembers it, with the receipt and the moment
    /// that it begins.
    ///
    /// # Errors
    /// As `commit`. `BackedOut` too when the member's epoch is over since `decision`. `ReceiptTaken`: it is backed out.
    pub(crate) async fn commit_deciding(
        &self,
        unit: UnitOfWorkId,
        decision: Decision,
        receipt: Option<(&Receipt, Timestamp)>,
    ) -> Result<(), StoreError> {
        let receipt = receipt.map(|(receipt, now)| self.new_receipt(receipt, now));
        self.commit_as(unit, Some(UnitNumber(decision.number)), receipt).await
    }

    /// For `commit_deciding`: no other unit of the member ever had it.
    ///
    /// # Errors
    /// `Unreachable`, `Closed`.
    pub(crate) async fn decision(&self) -> Result<Decision, StoreError> {
        let session = self.session().await?;
        let cluster = self.cluster().ok_or(StoreError::Unreachable)?;
        Ok(Decision { cluster, number: self.running.driver.in_common.unit_number(session.epoch).0 })
    }

    /// The unit is on its way to be decided here: what `decided` says of it is not final.
    pub(crate) fn is_deciding(&self, decision: Decision) -> bool {
        self.running.driver.deciding.has(decision.number)
    }

    /// Returns when it is not on its way any more.
    pub(crate) async fn until_decided(&self, decision: Decision) {
        self.running.driver.deciding.until_over(decision.number).await;
    }

    /// The name under which the part of a unit here waits for another database.
    pub(crate) fn waits_for(&self, unit: UnitOfWorkId) -> Option<Decision> {
        let in_doubt = self.running.units.in_doubt_of(unit)?;
        Some(Decision { cluster: in_doubt.decided_by?, number: in_doubt.number.0 })
    }

    /// Every part has followed the decision; the database may forget it at any time.
    pub(crate) fn forget_decision(&self, decision: Decision) {
        let number = UnitNumber(decision.number);
        drop(self.running.driver.inboxes[LAZY].submit(Operation::Forget(vec![number])));
    }

    /// Units that the database has decided to commit and not forgotten. Nothing of an earlier life of this member can be decided any
    /// more.
    ///
    /// # Errors
    /// `Unreachable`, `Closed`.
    pub(crate) async fn decided(&self) -> Result<HashSet<Decision>, StoreError> {
        let rows = self
            .look(|session| async move {
                let (client, s) = (&session.reader.client, &session.reader.statements);
                client.query(&s.decided_units, &[&session.member]).await
            })
            .await?;
        let cluster = self.cluster().ok_or(StoreError::Unreachable)?;
        Ok(rows.iter().map(|row| Decision { cluster, number: row.get(0) }).collect())
    }

    async fn commit_as(
        &self,
        unit: UnitOfWorkId,
        decision: Option<UnitNumber>,
        receipt: Option<NewReceipt>,
    ) -> Result<(), StoreError> {
        if let Some(in_doubt) = self.running.units.in_doubt_of(unit) {
            return self.finish_prepared(unit, &in_doubt, true).await;
        }
        let Some(work) = self.running.units.take(unit) else { return Ok(()) };
        let _ended = Ended::of(&work, &self.running.driver.figures);
        let decision = decision.map(|number| self.running.driver.deciding.begin(number));
        let committed = self.submit(Operation::Commit { work, decision, receipt }).await;
        committed.map(|_| ())
    }

    pub(super) async fn finish_prepared(
        &self,
        unit: UnitOfWorkId,
        in_doubt: &InDoubt,
        commits: bool,
    ) -> Result<(), StoreError> {
        self.submit(Operation::FinishPrepared { member: None, number: in_doubt.number, commits }).await?;
        self.running.units.resolved(unit);
        self.note_prepared(in_doubt, -1);
        Ok(())
    }

    /// What a prepared unit of work holds counts as uncommitted.
    pub(super) fn note_prepared(&self, in_doubt: &InDoubt, change: i64) {
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
        drop(Ended::of(&work, &self.running.driver.figures));
        let Work { puts, gets } = work;
        drop(puts);
        if gets.is_empty() {
            return Ok(());
        }
        self.submit(Operation::BackOut(gets)).await.map(|_| ())
    }

    /// As `PrivateStore::got_first`.
    ///
    /// # Errors
    /// `Unreachable`, `Closed`.
    pub async fn got_first(&self, unit: UnitOfWorkId) -> Result<Option<StoredMessage>, StoreError> {
        let Some(Claim { place, .. }) = self.running.units.first_got(unit) else { return Ok(None) };
        self.read(place.queue, place.key).await
    }

    /// A transaction that was prepared in an earlier life has a part elsewhere too, under this number: it becomes that of both.
    pub(crate) fn join_recovered(&self, unit: UnitOfWorkId, xid: &Xid) {
        self.running.units.rename(RECOVERED, unit, xid);
    }

    /// A coordinator has prepared the unit here, and decides.
    pub(crate) fn is_coordinated(&self, unit: UnitOfWorkId) -> bool {
        self.running.units.in_doubt_of(unit).is_some_and(|in_doubt| in_doubt.decided_by.is_none())
    }

    /// This member's parts of units of work that another database decides.
    pub(crate) fn waiting(&self) -> Vec<(UnitOfWorkId, Decision)> {
        self.running.units.waiting()
    }

    /// This member's prepared units of work which a coordinator ends.
    pub fn in_doubt(&self) -> Vec<(UnitOfWorkId, Option<Xid>)> {
        self.running.units.in_doubt()
    }
}

/// How a unit of work is prepared.
pub(super) struct Preparing {
    pub(super) number: UnitNumber,
    pub(super) xid: Option<Xid>,
    /// `None`: a coordinator does.
    pub(super) decided_by: Option<ClusterNumber>,
    /// The databases that have a part of it, if any member may end it.
    pub(super) places: Option<Vec<i32>>,
}

/// What the gets of a unit of work counted for, by queue. Its puts count until they are in the table, or dropped.
struct Ended<'a> {
    figures: &'a AllFigures,
    gets: HashMap<QueueId, i64>,
}

impl<'a> Ended<'a> {
    fn of(work: &Work, figures: &'a AllFigures) -> Self {
        let mut ended = Self { figures, gets: HashMap::new() };
        for claim in &work.gets {
            *ended.gets.entry(claim.place.queue).or_default() += 1;
        }
        ended
    }
}

/// Those who ended it hold nothing more, also when they do not wait for the answer.
impl Drop for Ended<'_> {
    fn drop(&mut self) {
        for (queue, count) in &self.gets {
            if let Some(figures) = self.figures.of(*queue) {
                figures.claimed(-count);
            }
        }
    }
}
