//! Units of work that may touch private and shared queues.
//!
//! The database decides. A unit with work in both stores is prepared in the recovery log under a name that says the database's number
//! for it; then its shared part is committed together with a row that says so; then the log follows. A restart asks the database for
//! each unit that carries such a name: with a row it commits, without one it backs out. So peers never wait for this member's log.

use std::collections::HashSet;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::private::PrivateStore;
use crate::shared::SharedStore;
use crate::{DefinitionChange, QueueId, StoreError, UnitOfWorkId, Xid};

/// Format identifier of the names of such units in the recovery log; no transaction manager gives it: it stands for `QSG`.
const FORMAT: i32 = 0x0051_5347;

/// Commits over both stores in this process.
#[derive(Clone, Default)]
pub(super) struct UnderWay(Arc<Mutex<Commits>>);

#[derive(Default)]
struct Commits {
    /// Numbers of those that have not ended: what becomes of them is their callers' business.
    numbers: HashSet<i64>,
    /// One has ended without an answer.
    leaves_open: bool,
}

impl UnderWay {
    fn begin(&self, number: i64) {
        self.0.lock().numbers.insert(number);
    }

    fn end(&self, number: i64, ended: &Result<(), StoreError>) {
        let mut commits = self.0.lock();
        commits.numbers.remove(&number);
        commits.leaves_open |= ended.is_err();
    }

    pub(super) fn leaves_open(&self) -> bool {
        self.0.lock().leaves_open
    }
}

pub(super) async fn prepare(
    private: &PrivateStore,
    shared: &SharedStore,
    unit: UnitOfWorkId,
    xid: Option<Xid>,
) -> Result<(), StoreError> {
    private.prepare(unit, xid.clone()).await?;
    shared.prepare(unit, xid).await
}

pub(super) async fn commit(
    private: &PrivateStore,
    shared: &SharedStore,
    under_way: &UnderWay,
    unit: UnitOfWorkId,
) -> Result<(), StoreError> {
    if !private.has_work(unit) {
        return shared.commit(unit).await;
    }
    if private.is_prepared(unit) {
        // The coordinator has decided: either part may be first.
        shared.commit(unit).await?;
        return private.commit(unit).await;
    }
    let number = shared.decision_number().await?;
    under_way.begin(number);
    let ended = commit_deciding(private, shared, unit, number).await;
    // Dropped before this, the lane may still do it: then the next start asks what became of it.
    under_way.end(number, &ended);
    ended
}

async fn commit_deciding(
    private: &PrivateStore,
    shared: &SharedStore,
    unit: UnitOfWorkId,
    number: i64,
) -> Result<(), StoreError> {
    let name = Xid { format_id: FORMAT, global_transaction: number.to_le_bytes().to_vec(), branch: Vec::new() };
    private.prepare(unit, Some(name)).await?;
    match shared.commit_deciding(unit, number).await {
        Ok(()) => {
            private.commit(unit).await?;
            shared.forget_decision(number);
            Ok(())
        }
        Err(error @ (StoreError::BackedOut | StoreError::Database)) => {
            private.back_out(unit).await?;
            Err(error)
        }
        // Open: the private part stays prepared until the group is met again.
        Err(error) => Err(error),
    }
}

pub(super) async fn back_out(
    private: &PrivateStore,
    shared: &SharedStore,
    unit: UnitOfWorkId,
) -> Result<(), StoreError> {
    let backed_out = shared.back_out(unit).await;
    private.back_out(unit).await?;
    backed_out
}

/// Units that a crash or an absence of the database has left between its decision and the log's follow it. Decisions that no unit of
/// the log waits for are forgotten. Parts of one transaction in both stores are one unit again.
///
/// # Errors
/// `Unreachable`: they stay in doubt, and their messages locked. Those of the private store.
pub(super) async fn follow_decisions(
    private: &PrivateStore,
    shared: &SharedStore,
    under_way: &UnderWay,
) -> Result<(), StoreError> {
    under_way.0.lock().leaves_open = false;
    let followed = follow(private, shared, under_way).await;
    under_way.0.lock().leaves_open |= followed.is_err();
    followed
}

async fn follow(private: &PrivateStore, shared: &SharedStore, under_way: &UnderWay) -> Result<(), StoreError> {
    // In this order: what is seen in doubt and not under way was decided before the database is asked.
    let in_doubt = private.in_doubt();
    let is_under_way: HashSet<i64> = under_way.0.lock().numbers.clone();
    let decided = shared.decided().await?;
    for (unit, xid) in in_doubt {
        let Some(number) = xid.as_ref().and_then(decision_of) else {
            shared.join_recovered(unit, xid.as_ref());
            continue;
        };
        if is_under_way.contains(&number) {
            continue;
        }
        if decided.contains(&number) {
            private.commit(unit).await?;
        } else {
            private.back_out(unit).await?;
        }
    }
    let waits: HashSet<i64> =
        private.in_doubt().iter().filter_map(|(_, xid)| xid.as_ref().and_then(decision_of)).collect();
    let followed = |number: &i64| {
        !waits.contains(number) && !is_under_way.contains(number) && !under_way.0.lock().numbers.contains(number)
    };
    decided.into_iter().filter(followed).for_each(|number| shared.forget_decision(number));
    Ok(())
}

/// Parts of one transaction in both stores are one entry; units that wait for the database are nobody else's business.
pub(super) fn join_in_doubt(in_doubt: &mut Vec<(UnitOfWorkId, Option<Xid>)>, shared: Vec<(UnitOfWorkId, Option<Xid>)>) {
    in_doubt.retain(|(_, xid)| xid.as_ref().is_none_or(|xid| decision_of(xid).is_none()));
    for (unit, xid) in shared {
        if !in_doubt.iter().any(|(known, _)| *known == unit) {
            in_doubt.push((unit, xid));
        }
    }
}

/// The database's number in the name of a unit that it decides.
pub(super) fn decision_of(xid: &Xid) -> Option<i64> {
    if xid.format_id != FORMAT {
        return None;
    }
    Some(i64::from_le_bytes(xid.global_transaction.as_slice().try_into().ok()?))
}

/// Changes of private definitions, and shared queues that are dropped.
pub(super) fn part(changes: Vec<DefinitionChange>) -> (Vec<DefinitionChange>, Vec<QueueId>) {
    let mut dropped = Vec::new();
    let private = changes
        .into_iter()
        .filter(|change| match change {
            DefinitionChange::DropQueue(queue) if queue.is_shared() => {
                dropped.push(*queue);
                false
            }
            _ => true,
        })
        .collect();
    (private, dropped)
}
