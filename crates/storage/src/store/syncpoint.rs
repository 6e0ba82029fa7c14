//! Units of work, each with parts wherever its messages are, and receipts.

use bytes::Bytes;
use model::timestamp::Timestamp;

use super::{Store, boxed};
use crate::shared::{GroupStore, SharedStore};
use crate::store::mixed::{self, Parts};
use crate::{Receipt, ReceiptKey, StoreError, StoredMessage, UnitOfWorkId, Xid};

impl Store {
    /// A new unit of work; costs nothing until something is done in it.
    pub fn begin(&self) -> UnitOfWorkId {
        self.private.begin()
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
}
