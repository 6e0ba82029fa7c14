//! Units of work with work on shared queues: what they have put is staged here, what they have got is claimed in the database.

use std::collections::{BTreeMap, HashMap};

use parking_lot::Mutex;

use crate::shared::operation::{Claim, Decision, UnitNumber, Work};
use crate::shared::row::NewRow;
use crate::{ClusterNumber, QueueId, StoreError, UnitOfWorkId, Xid};

#[derive(Default)]
pub(super) struct Units {
    open: Mutex<HashMap<UnitOfWorkId, Unit>>,
    /// Prepared ones, of this run and of those before, in order of their numbers in the database.
    in_doubt: Mutex<BTreeMap<UnitOfWorkId, InDoubt>>,
}

#[derive(Default)]
struct Unit {
    work: Work,
    /// Prepare or commit is under way.
    is_ending: bool,
}

#[derive(Clone)]
pub(super) struct InDoubt {
    pub(super) number: UnitNumber,
    pub(super) xid: Option<Xid>,
    /// `None`: a coordinator does.
    pub(super) decided_by: Option<ClusterNumber>,
    /// Any member may end it, so the database alone knows of it once it is prepared.
    pub(super) is_of_group: bool,
    /// What it holds, as far as this run knows.
    pub(super) put: Vec<QueueId>,
    pub(super) got: Vec<QueueId>,
}

impl Units {
    /// # Errors
    /// `UnknownUnitOfWork`: it is prepared or ending.
    pub(super) fn check(&self, unit: UnitOfWorkId) -> Result<(), StoreError> {
        let is_prepared = self.in_doubt.lock().contains_key(&unit);
        let is_ending = self.open.lock().get(&unit).is_some_and(|unit| unit.is_ending);
        if is_prepared || is_ending { Err(StoreError::UnknownUnitOfWork) } else { Ok(()) }
    }

    pub(super) fn stage(&self, unit: UnitOfWorkId, row: NewRow) -> Result<(), StoreError> {
        self.check(unit)?;
        self.open.lock().entry(unit).or_default().work.puts.push(row);
        Ok(())
    }

    pub(super) fn claim(&self, unit: UnitOfWorkId, claims: impl IntoIterator<Item = Claim>) -> Result<(), StoreError> {
        self.check(unit)?;
        self.open.lock().entry(unit).or_default().work.gets.extend(claims);
        Ok(())
    }

    pub(super) fn has_work(&self, unit: UnitOfWorkId) -> bool {
        self.open.lock().contains_key(&unit) || self.in_doubt.lock().contains_key(&unit)
    }

    pub(super) fn first_got(&self, unit: UnitOfWorkId) -> Option<Claim> {
        self.open.lock().get(&unit)?.work.gets.first().copied()
    }

    /// Takes it out, to be ended.
    pub(super) fn take(&self, unit: UnitOfWorkId) -> Option<Work> {
        self.open.lock().remove(&unit).map(|unit| unit.work)
    }

    /// One has the work of the other.
    pub(super) fn join(&self, unit: UnitOfWorkId, other: UnitOfWorkId) {
        let mut open = self.open.lock();
        let Some(joined) = open.remove(&other) else { return };
        let work = &mut open.entry(unit).or_default().work;
        work.puts.extend(joined.work.puts);
        work.gets.extend(joined.work.gets);
    }

    pub(super) fn prepared(&self, unit: UnitOfWorkId, in_doubt: InDoubt) {
        self.in_doubt.lock().insert(unit, in_doubt);
    }

    pub(super) fn in_doubt_of(&self, unit: UnitOfWorkId) -> Option<InDoubt> {
        self.in_doubt.lock().get(&unit).cloned()
    }

    pub(super) fn resolved(&self, unit: UnitOfWorkId) {
        self.in_doubt.lock().remove(&unit);
    }

    /// Those that a coordinator ends by this member.
    pub(super) fn in_doubt(&self) -> Vec<(UnitOfWorkId, Option<Xid>)> {
        let all = self.in_doubt.lock();
        let coordinated = all.iter().filter(|(_, in_doubt)| in_doubt.decided_by.is_none() && !in_doubt.is_of_group);
        coordinated.map(|(unit, in_doubt)| (*unit, in_doubt.xid.clone())).collect()
    }

    /// Those that another database decides.
    pub(super) fn waiting(&self) -> Vec<(UnitOfWorkId, Decision)> {
        let all = self.in_doubt.lock();
        let decision = |in_doubt: &InDoubt| Some(Decision { cluster: in_doubt.decided_by?, number: in_doubt.number.0 });
        all.iter().filter_map(|(unit, in_doubt)| Some((*unit, decision(in_doubt)?))).collect()
    }

    /// The one with this name, whose number is `from` or above, gets the number `unit`.
    pub(super) fn rename(&self, from: u64, unit: UnitOfWorkId, xid: &Xid) {
        let mut all = self.in_doubt.lock();
        let named = all.range(UnitOfWorkId(from)..).find(|(_, in_doubt)| in_doubt.xid.as_ref() == Some(xid));
        if let Some((recovered, in_doubt)) = named.map(|(recovered, in_doubt)| (*recovered, in_doubt.clone())) {
            all.remove(&recovered);
            all.insert(unit, in_doubt);
        }
    }

    pub(super) fn knows_number(&self, number: UnitNumber) -> bool {
        self.in_doubt.lock().values().any(|in_doubt| in_doubt.number == number)
    }

    pub(super) fn count(&self) -> usize {
        self.open.lock().len() + self.in_doubt.lock().len()
    }
}

/// As the database keeps it: format identifier, length of the global part, both parts.
pub(super) fn encode_xid(xid: &Xid) -> Vec<u8> {
    let mut bytes = xid.format_id.to_le_bytes().to_vec();
    bytes.push(u8::try_from(xid.global_transaction.len()).unwrap_or(64));
    bytes.extend_from_slice(&xid.global_transaction);
    bytes.extend_from_slice(&xid.branch);
    bytes
}

/// `None`: no bytes of `encode_xid`.
pub(super) fn decode_xid(bytes: &[u8]) -> Option<Xid> {
    let (format_id, rest) = bytes.split_first_chunk::<4>()?;
    let (length, rest) = rest.split_first()?;
    let (global, branch) = rest.split_at_checked(usize::from(*length))?;
    Some(Xid {
        format_id: i32::from_le_bytes(*format_id),
        global_transaction: global.to_vec(),
        branch: branch.to_vec(),
    })
}
