//! XA: a connection's unit of work as a branch of a transaction with an external coordinator.
//!
//! ```text
//! (none) --start--> active --end--> idle --prepare--> prepared --commit, rollback--> (none)
//!                     ^  |           |  \--commit in one phase, rollback--> (none)
//!               resume|  |suspend    |join, by any connection: active again
//!                   suspended --end--> idle
//! ```
//! While a branch is active its work is the unit of work of the connection; otherwise it is kept here. A branch that is not
//! prepared ends with the connection that worked on it last. Prepared ones are in the recovery log and outlive all.
//!
//! Branches of disposition GROUP, of connections to the queue-sharing group, are the same until they are prepared. Then they are the group's:
//! `group/units.rs` ends them, at any member. Branches of one disposition are not known to connections of the other.
//!
//! Invariants
//! - An operation takes its branch out of the table before it waits for the store; so no two finish the same one.
//! - What was undone without the coordinator's doing (a failed publication, TMFAIL) is never prepared or committed.
//!
//! Source: X/Open CAE specification "Distributed TP: the XA specification" (return values, states of branches).

use std::sync::atomic::{AtomicBool, Ordering};

use bitflags::bitflags;
use model::reason::Reason;
use model::timestamp::Timestamp;
use parking_lot::Mutex;
use storage::{UnitOfWorkId, Xid};

use crate::engine::connection_table::ConnectionState;
use crate::engine::housekeeping::{LeftOver, Work};
use crate::engine::map::Map;
use crate::group::units::{self, UnitDisposition};
use crate::reason;
use crate::verb::connection::Connection;
use crate::verb::unit_of_work::{OpenUnit, Refused, back_out_unit, commit_unit};

bitflags! {
    /// TM*.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub struct XaFlags: u32 {
        const JOIN = 0x0020_0000;
        const END_RECOVERY_SCAN = 0x0080_0000;
        const START_RECOVERY_SCAN = 0x0100_0000;
        const SUSPEND = 0x0200_0000;
        const SUCCESS = 0x0400_0000;
        const RESUME = 0x0800_0000;
        const NO_WAIT = 0x1000_0000;
        const FAIL = 0x2000_0000;
        const ONE_PHASE = 0x4000_0000;
        const _ = !0;
    }
}

/// Why an XA call did not do what it was to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum XaError {
    #[error("no transaction branch of that identifier is known")]
    UnknownBranch,
    #[error("the transaction branch is known already")]
    DuplicateBranch,
    #[error("the transaction branch is not in a state for this call")]
    Protocol,
    #[error("the flags of the call make no sense together")]
    Invalid,
    #[error("the connection has a unit of work that belongs to no transaction branch")]
    Outside,
    #[error("the transaction branch was rolled back")]
    RolledBack,
    #[error("{0}")]
    Reason(Reason),
}

impl XaError {
    /// XAER_*, or XA_RBROLLBACK.
    pub fn code(&self) -> i32 {
        match self {
            Self::UnknownBranch => -4,
            Self::DuplicateBranch => -8,
            Self::Protocol => -6,
            Self::Invalid => -5,
            Self::Outside => -9,
            Self::RolledBack => 100,
            Self::Reason(
                Reason::ConnectionBroken | Reason::QMgrStopping | Reason::QMgrNotAvailable | Reason::CfNotAvailable,
            ) => -7,
            Self::Reason(_) => -3,
        }
    }
}

/// Branches that this process knows more of than the recovery log.
#[derive(Default)]
pub(crate) struct Branches {
    table: Mutex<Map<(UnitDisposition, Xid), Branch>>,
    /// Looked at first, so that connections without XA never take the lock.
    is_used: AtomicBool,
}

struct Branch {
    state: State,
    /// What was done in it, unless the connection has it.
    unit: Option<OpenUnit>,
    /// Number of the connection that worked on it last.
    connection: u64,
    /// Why it may only be rolled back.
    is_undone: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Active,
    Suspended,
    Idle,
    Prepared,
}

impl Branches {
    fn with<R>(&self, change: impl FnOnce(&mut Map<(UnitDisposition, Xid), Branch>) -> R) -> R {
        change(&mut self.table.lock())
    }

    /// When the unit of work of a branch was begun that no connection works on, and whether it is prepared.
    pub(crate) fn since(&self, id: UnitOfWorkId) -> Option<(Timestamp, bool)> {
        let of = |branch: &Branch| {
            let unit = branch.unit.as_ref().filter(|unit| unit.id == id)?;
            Some((unit.since, branch.state == State::Prepared))
        };
        self.with(|table| table.values().find_map(of))
    }

    /// The units of work of a connection that has ended, those of its branches that are not prepared.
    pub(super) fn abandon(&self, connection: u64) -> Vec<OpenUnit> {
        self.remove(|branch| branch.connection == connection)
    }

    /// The units of work of every branch that is not prepared: the queue manager ends.
    pub(crate) fn abandon_all(&self) -> Vec<OpenUnit> {
        self.remove(|_| true)
    }

    fn remove(&self, is_meant: impl Fn(&Branch) -> bool) -> Vec<OpenUnit> {
        if !self.is_used.load(Ordering::Acquire) {
            return Vec::new();
        }
        self.with(|table| {
            let gone = table.extract_if(|_, branch| branch.state != State::Prepared && is_meant(branch));
            gone.filter_map(|(_, branch)| branch.unit).collect()
        })
    }
}

/// Its unit of work was backed out although nobody asked for it: the branch must not be committed.
pub(super) fn was_undone(branches: &Branches, state: &ConnectionState) {
    let Some(xid) = state.branch.lock().clone() else { return };
    branches.with(|table| {
        if let Some(branch) = table.get_mut(&(state.disposition(), xid)) {
            branch.is_undone = true;
        }
    });
}

/// What a connection leaves behind that has ended.
pub(super) fn abandon(branches: &Branches, left_over: &LeftOver, state: &ConnectionState) {
    *state.branch.lock() = None;
    for unit in branches.abandon(state.number) {
        left_over.push(Work::BackOut(unit));
    }
}

impl Connection {
    /// Begins a branch, joins one that is idle (`JOIN`), or goes on with one that was suspended (`RESUME`).
    ///
    /// # Errors
    /// `Protocol`: the connection works on a branch, or the other branch is not in that state. `Outside`: it has a unit
    /// of work of its own. `DuplicateBranch`, `UnknownBranch`, `RolledBack`, `Invalid`.
    pub fn xa_start(&self, xid: &Xid, flags: XaFlags) -> Result<(), XaError> {
        self.state.check().map_err(XaError::Reason)?;
        if flags.contains(XaFlags::JOIN | XaFlags::RESUME) {
            return Err(XaError::Invalid);
        }
        let mut current = self.state.branch.lock();
        if current.is_some() {
            return Err(XaError::Protocol);
        }
        let mut unit = self.state.unit.lock();
        if unit.as_ref().is_some_and(OpenUnit::has_work) {
            return Err(XaError::Outside);
        }
        let key = self.branch_key(xid);
        let is_of_log = key.0 == UnitDisposition::QueueManager;
        let is_in_doubt =
            || is_of_log && self.engine.store.in_doubt().iter().any(|(_, known)| known.as_ref() == Some(xid));
        self.engine.branches.is_used.store(true, Ordering::Release);
        let taken = self.engine.branches.with(|table| match table.get_mut(&key) {
            Some(_) if !flags.intersects(XaFlags::JOIN | XaFlags::RESUME) => Err(XaError::DuplicateBranch),
            Some(branch) => {
                let wanted = if flags.contains(XaFlags::JOIN) { State::Idle } else { State::Suspended };
                if branch.state != wanted {
                    return Err(XaError::Protocol);
                }
                if branch.is_undone {
                    return Err(XaError::RolledBack);
                }
                branch.state = State::Active;
                branch.connection = self.state.number;
                Ok(branch.unit.take())
            }
            None if flags.intersects(XaFlags::JOIN | XaFlags::RESUME) => Err(XaError::UnknownBranch),
            None if is_in_doubt() => Err(XaError::DuplicateBranch),
            None => {
                let connection = self.state.number;
                let branch = Branch { state: State::Active, unit: None, connection, is_undone: false };
                table.insert(key, branch);
                Ok(None)
            }
        })?;
        // One without work, from a get that found nothing, is over.
        if let Some(unused) = std::mem::replace(&mut *unit, taken) {
            self.engine.left_over.push(Work::BackOut(unused));
        }
        *current = Some(xid.clone());
        Ok(())
    }

    /// Ends the work on a branch, for good (`SUCCESS`, `FAIL`) or for a while (`SUSPEND`).
    ///
    /// # Errors
    /// `Protocol`: the connection does not work on it. `UnknownBranch`, `Invalid`. `RolledBack`: it has been undone
    /// meanwhile, and may only be rolled back.
    pub fn xa_end(&self, xid: &Xid, flags: XaFlags) -> Result<(), XaError> {
        let how = flags & (XaFlags::SUCCESS | XaFlags::FAIL | XaFlags::SUSPEND);
        if how.bits().count_ones() != 1 {
            return Err(XaError::Invalid);
        }
        let mut current = self.state.branch.lock();
        let is_current = current.as_ref() == Some(xid);
        let unit = if is_current { self.state.unit.lock().take() } else { None };
        let ended = self.engine.branches.with(|table| {
            let branch = table.get_mut(&self.branch_key(xid)).ok_or(XaError::UnknownBranch)?;
            let is_mine = branch.connection == self.state.number;
            match branch.state {
                State::Active if is_current => branch.unit = unit,
                State::Suspended if is_mine && how != XaFlags::SUSPEND => {}
                _ => return Err(XaError::Protocol),
            }
            branch.state = if how == XaFlags::SUSPEND { State::Suspended } else { State::Idle };
            branch.is_undone |= how == XaFlags::FAIL;
            if branch.is_undone && how != XaFlags::FAIL { Err(XaError::RolledBack) } else { Ok(()) }
        });
        if is_current {
            *current = None;
        }
        ended
    }

    /// Prepares an idle branch. When nothing was done in it the answer is `false` (XA_RDONLY), and it is over.
    ///
    /// # Errors
    /// `RolledBack`: it was undone, and is over. `Protocol`, `UnknownBranch`. `Reason`: it is as it was.
    pub async fn xa_prepare(&self, xid: &Xid) -> Result<bool, XaError> {
        let branch = self.take_branch(xid, |state| state == State::Idle)?;
        let (unit, is_undone) = (branch.unit, branch.is_undone);
        let Some(unit) = unit else { return if is_undone { Err(XaError::RolledBack) } else { Ok(false) } };
        if is_undone {
            self.roll_back(unit).await?;
            return Err(XaError::RolledBack);
        }
        if !unit.has_work() {
            back_out_unit(&self.engine, unit).await.map_err(XaError::Reason)?;
            return Ok(false);
        }
        let mut kept = Kept { connection: self, xid, branch: Some(Branch { unit: Some(unit), ..branch }) };
        let (id, store) = (kept.unit(), &self.engine.store);
        let disposition = self.state.disposition();
        let prepared = match disposition {
            UnitDisposition::QueueManager => store.prepare(id, Some(xid.clone())).await,
            UnitDisposition::Group => Box::pin(store.prepare_in_group(id, xid)).await,
        };
        prepared.map_err(|error| XaError::Reason(reason::of_store_at_large(&self.engine, &error)))?;
        match disposition {
            UnitDisposition::QueueManager => kept.set(State::Prepared),
            UnitDisposition::Group => kept.end(),
        }
        Ok(true)
    }

    /// Commits a prepared branch, one that was prepared before a restart included; with `one_phase` an idle one.
    ///
    /// # Errors
    /// `RolledBack`: it was undone, and is over. `Protocol`, `UnknownBranch`. `Reason`: it may be tried again.
    pub async fn xa_commit(&self, xid: &Xid, one_phase: bool) -> Result<(), XaError> {
        let wanted = if one_phase { State::Idle } else { State::Prepared };
        if !one_phase && self.is_left_to_group(xid) {
            return units::end(&self.engine, xid, true).await;
        }
        let branch = self.take_branch(xid, |state| state == wanted)?;
        let Some(unit) = branch.unit else {
            return if branch.is_undone { Err(XaError::RolledBack) } else { Ok(()) };
        };
        if branch.is_undone {
            self.roll_back(unit).await?;
            return Err(XaError::RolledBack);
        }
        let is_of_log = unit.is_of_log();
        match commit_unit(&self.engine, unit).await {
            Ok(()) => {
                self.everybody_looks(is_of_log);
                Ok(())
            }
            Err(Refused { unit, reason }) => {
                if let Some(unit) = unit {
                    let branch = Branch { unit: Some(*unit), ..branch };
                    self.engine.branches.with(|table| table.insert(self.branch_key(xid), branch));
                }
                Err(XaError::Reason(reason))
            }
        }
    }

    /// Undoes a branch that nobody works on.
    ///
    /// # Errors
    /// `Protocol`: it is active. `UnknownBranch`, `Reason`.
    pub async fn xa_rollback(&self, xid: &Xid) -> Result<(), XaError> {
        if self.is_left_to_group(xid) {
            return units::end(&self.engine, xid, false).await;
        }
        let branch = self.take_branch(xid, |state| state != State::Active)?;
        match branch.unit {
            Some(unit) => self.roll_back(unit).await,
            None => Ok(()),
        }
    }

    /// Nothing is ever decided without the coordinator, so there is nothing to forget.
    ///
    /// # Errors
    /// `UnknownBranch`; `Protocol` for a branch that is known. Those of `xa_recover`.
    pub async fn xa_forget(&self, xid: &Xid) -> Result<(), XaError> {
        let is_known = self.engine.branches.with(|table| table.contains_key(&self.branch_key(xid)))
            || self.xa_recover().await?.contains(xid);
        Err(if is_known { XaError::Protocol } else { XaError::UnknownBranch })
    }

    /// Branches that are prepared and not finished, of this connection's disposition.
    ///
    /// # Errors
    /// `Reason`: a database of the group is away, which may have some.
    pub async fn xa_recover(&self) -> Result<Vec<Xid>, XaError> {
        match self.state.disposition() {
            UnitDisposition::QueueManager => {
                Ok(self.engine.store.in_doubt().into_iter().filter_map(|(_, xid)| xid).collect())
            }
            UnitDisposition::Group => units::in_doubt(&self.engine).await,
        }
    }

    fn branch_key(&self, xid: &Xid) -> (UnitDisposition, Xid) {
        (self.state.disposition(), xid.clone())
    }

    /// Of disposition GROUP, and not one that this process works on: if there is such a branch, it is prepared.
    fn is_left_to_group(&self, xid: &Xid) -> bool {
        let key = self.branch_key(xid);
        key.0 == UnitDisposition::Group && !self.engine.branches.with(|table| table.contains_key(&key))
    }

    /// The connection works on a branch: MQCMIT and MQBACK are not for it.
    pub(super) fn is_in_branch(&self) -> bool {
        self.state.branch.lock().is_some()
    }

    /// Takes a branch out of the table, or one that only the recovery log knows.
    fn take_branch(&self, xid: &Xid, is_wanted: impl Fn(State) -> bool) -> Result<Branch, XaError> {
        let key = self.branch_key(xid);
        let known = self.engine.branches.with(|table| match table.get(&key) {
            Some(branch) if is_wanted(branch.state) => Ok(table.remove(&key)),
            Some(_) => Err(XaError::Protocol),
            None => Ok(None),
        })?;
        if let Some(branch) = known {
            return Ok(branch);
        }
        if key.0 == UnitDisposition::Group {
            return Err(XaError::UnknownBranch);
        }
        let in_doubt = self.engine.store.in_doubt();
        let (id, _) =
            in_doubt.into_iter().find(|(_, known)| known.as_ref() == Some(xid)).ok_or(XaError::UnknownBranch)?;
        if !is_wanted(State::Prepared) {
            return Err(XaError::Protocol);
        }
        let unit = OpenUnit::of_log(id, self.engine.now());
        Ok(Branch { state: State::Prepared, unit: Some(unit), connection: self.state.number, is_undone: false })
    }

    async fn roll_back(&self, unit: OpenUnit) -> Result<(), XaError> {
        let is_of_log = unit.is_of_log();
        back_out_unit(&self.engine, unit).await.map_err(XaError::Reason)?;
        self.everybody_looks(is_of_log);
        Ok(())
    }

    /// What a branch prepared before a restart had touched is not known here.
    fn everybody_looks(&self, is_of_log: bool) {
        if !is_of_log {
            return;
        }
        for queue in self.engine.all_queues().iter().filter(|queue| queue.is_local()) {
            queue.note_expiry(self.engine.store.next_expiry(queue.id));
            queue.waiters.wake_all();
        }
    }
}

/// A branch that is out of the table while the store prepares it; it returns whatever happens.
struct Kept<'a> {
    connection: &'a Connection,
    xid: &'a Xid,
    branch: Option<Branch>,
}

impl Kept<'_> {
    fn unit(&self) -> UnitOfWorkId {
        let unit = self.branch.as_ref().and_then(|branch| branch.unit.as_ref());
        unit.expect("it was kept with its unit of work").id
    }

    fn set(&mut self, state: State) {
        if let Some(branch) = &mut self.branch {
            branch.state = state;
        }
    }

    /// It is the group's from now on.
    fn end(mut self) {
        self.branch = None;
    }
}

impl Drop for Kept<'_> {
    fn drop(&mut self) {
        let Some(branch) = self.branch.take() else { return };
        self.connection.engine.branches.with(|table| table.insert(self.connection.branch_key(self.xid), branch));
    }
}
