//! Units of work with parts in several places: in the recovery log, and in databases of the group.
//!
//! One database decides, the lowest-numbered that has a part. The other parts are prepared first, under a name that says which database
//! decides, and its number for the unit. Then the deciding database commits its part together with a row that says so, and the others
//! follow. A part with such a name asks that database: with a row it commits, without one it backs out. The row goes when every part is
//! durable.
//!
//! So no part waits for this member or its log: peers ask on its behalf (`shared/decided.rs`).

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use futures_util::future::join_all;
use model::timestamp::Timestamp;
use parking_lot::Mutex;

use crate::private::PrivateStore;
use crate::shared::{Decision, GroupStore, SharedStore};
use crate::{ClusterNumber, DefinitionChange, QueueId, Receipt, StoreError, UnitOfWorkId, Xid};

/// Format identifier of the names of such parts in the recovery log; no transaction manager gives it: it stands for `QSG`.
const FORMAT: i32 = 0x0051_5347;

/// Commits over several places in this process.
#[derive(Clone, Default)]
pub(super) struct UnderWay(Arc<Mutex<Commits>>);

#[derive(Default)]
struct Commits {
    /// Those that have not ended: what becomes of them is their callers' business.
    decisions: HashSet<Decision>,
    /// A part waits for its database, or for the one that decides.
    leaves_open: bool,
    /// Units of callers that went away: what is left of them may be one part, which asks all the same.
    dropped: HashSet<UnitOfWorkId>,
}

impl UnderWay {
    fn begin(&self, unit: UnitOfWorkId, decision: Decision) -> Commit<'_> {
        let mut commits = self.0.lock();
        commits.decisions.insert(decision);
        commits.dropped.remove(&unit);
        Commit { under_way: self, unit, decision, is_whole: None }
    }

    /// A commit of the unit has begun, and its caller went away.
    pub(super) fn was_dropped(&self, unit: UnitOfWorkId) -> bool {
        self.0.lock().dropped.contains(&unit)
    }

    fn has(&self, decision: &Decision) -> bool {
        self.0.lock().decisions.contains(decision)
    }

    pub(super) fn leaves_open(&self) -> bool {
        self.0.lock().leaves_open
    }
}

/// One that goes on. Dropped before its end, it leaves parts that ask what was decided.
struct Commit<'a> {
    under_way: &'a UnderWay,
    unit: UnitOfWorkId,
    decision: Decision,
    /// Once it has ended: every part has followed.
    is_whole: Option<bool>,
}

impl Drop for Commit<'_> {
    fn drop(&mut self) {
        let mut commits = self.under_way.0.lock();
        commits.decisions.remove(&self.decision);
        commits.leaves_open |= self.is_whole != Some(true);
        if self.is_whole.is_none() {
            commits.dropped.insert(self.unit);
        }
    }
}

/// What becomes durable with a commit, and when it begins.
type NewReceipt<'a> = Option<(&'a Receipt, Timestamp)>;

/// Where a unit of work has parts.
pub(super) struct Parts<'a> {
    unit: UnitOfWorkId,
    group: Option<&'a GroupStore>,
    private: Option<&'a PrivateStore>,
    /// In order of their numbers.
    shared: Vec<&'a SharedStore>,
}

impl<'a> Parts<'a> {
    pub(super) fn of(unit: UnitOfWorkId, private: &'a PrivateStore, group: Option<&'a GroupStore>) -> Self {
        let shared = group.map(|group| group.with_work(unit)).unwrap_or_default();
        // One that is only there needs no look.
        let private = (shared.is_empty() || private.has_work(unit)).then_some(private);
        Self { unit, group, private, shared }
    }

    /// Of several units of work, so that all of them end with one: with the one that is answered. After a commit whose caller went away they
    /// are joined already.
    ///
    /// # Errors
    /// `UnknownUnitOfWork`: one is prepared or over, or two of them are so large that the log has parts of them.
    pub(super) fn joined(
        units: &[UnitOfWorkId],
        private: &'a PrivateStore,
        group: Option<&'a GroupStore>,
    ) -> Result<Self, StoreError> {
        let of = |unit: &UnitOfWorkId| Self::of(*unit, private, group);
        if let Some(ending) = units.iter().map(of).find(|parts| parts.decision().is_some()) {
            return Ok(ending);
        }
        let shared: Vec<&SharedStore> = group.iter().flat_map(|group| group.all()).collect();
        shared.iter().try_for_each(|shared| shared.check_units(units))?;
        let with_work = |unit: &&UnitOfWorkId| shared.iter().any(|shared| shared.has_work(**unit));
        let in_databases = || units.iter().find(with_work).copied();
        let any = || units.first().copied();
        let unit = private.join(units)?.or_else(in_databases).or_else(any).ok_or(StoreError::UnknownUnitOfWork)?;
        shared.iter().for_each(|shared| shared.join(unit, units));
        Ok(of(&unit))
    }

    pub(super) fn are_several(&self) -> bool {
        self.shared.len() + usize::from(self.private.is_some()) > 1
    }

    pub(super) fn shared(&self) -> &[&'a SharedStore] {
        &self.shared
    }

    /// A coordinator has prepared it, and decides.
    fn are_coordinated(&self) -> bool {
        let in_log = self.private.is_some_and(|private| private.is_prepared(self.unit));
        in_log || self.shared.iter().any(|shared| shared.is_coordinated(self.unit))
    }

    /// Under which name parts are prepared already: by a commit whose caller went away.
    pub(super) fn decision(&self) -> Option<Decision> {
        let in_log = || {
            let in_doubt = self.private?.in_doubt();
            let (_, xid) = in_doubt.into_iter().find(|(unit, _)| *unit == self.unit)?;
            decision_of(&xid?)
        };
        self.shared.iter().find_map(|shared| shared.waits_for(self.unit)).or_else(in_log)
    }

    /// For a coordinator.
    pub(super) async fn prepare(&self, xid: Option<Xid>) -> Result<(), StoreError> {
        if let Some(private) = self.private {
            private.prepare(self.unit, xid.clone()).await?;
        }
        for shared in &self.shared {
            shared.prepare(self.unit, xid.clone()).await?;
        }
        Ok(())
    }

    /// The receipt, and the moment at which it begins, go with the part that decides.
    pub(super) async fn commit(&self, under_way: &UnderWay, receipt: NewReceipt<'_>) -> Result<(), StoreError> {
        if let Some(decision) = self.decision() {
            let mut commit = under_way.begin(self.unit, decision);
            let (ended, is_whole) = self.go_on(decision, receipt).await;
            commit.is_whole = Some(is_whole);
            return ended;
        }
        if !self.are_several() || self.are_coordinated() {
            return self.commit_each().await;
        }
        let decision = self.shared[0].decision().await?;
        let mut commit = under_way.begin(self.unit, decision);
        let (ended, is_whole) = self.commit_under(decision, receipt).await;
        commit.is_whole = Some(is_whole);
        ended
    }

    /// A commit whose caller went away. Either the deciding part is still as it was, and the commit goes on; or it was on its way, and what
    /// has become of it counts.
    async fn go_on(&self, decision: Decision, receipt: NewReceipt<'_>) -> (Result<(), StoreError>, bool) {
        let Some(group) = self.group else { return (Err(StoreError::Unreachable), false) };
        let decides = match group.of(decision.cluster) {
            Ok(decides) => decides,
            Err(error) => return (Err(error), false),
        };
        decides.until_decided(decision).await;
        if decides.has_work(self.unit) {
            return self.commit_under(decision, receipt).await;
        }
        match decides.decided().await {
            Ok(decided) if decided.contains(&decision) => self.follow_commit(decides, decision).await,
            Ok(_) => (Err(StoreError::BackedOut), self.back_out().await.is_ok()),
            Err(error) => (Err(error), false),
        }
    }

    /// Any of them may be first: they are decided already, and one that fails is committed again.
    async fn commit_each(&self) -> Result<(), StoreError> {
        for shared in &self.shared {
            shared.commit(self.unit).await?;
        }
        match self.private {
            Some(private) => private.commit(self.unit).await,
            None => Ok(()),
        }
    }

    /// The answer, and whether every part has followed it.
    async fn commit_under(&self, decision: Decision, receipt: NewReceipt<'_>) -> (Result<(), StoreError>, bool) {
        let (decides, others) = (self.shared[0], &self.shared[1..]);
        if let Some(private) = self.private.filter(|private| !private.is_prepared(self.unit))
            && let Err(error) = private.prepare(self.unit, Some(name_of(decision))).await
        {
            // Nothing has changed.
            return (Err(error), true);
        }
        let others = others.iter().filter(|shared| shared.waits_for(self.unit).is_none());
        let prepared = join_all(others.map(|shared| shared.prepare_under(self.unit, decision))).await;
        if let Some(error) = prepared.into_iter().find_map(Result::err) {
            // Nothing is decided, and nothing will be.
            let known = if matches!(error, StoreError::Unreachable) { StoreError::BackedOut } else { error };
            return (Err(known), self.back_out().await.is_ok());
        }
        match decides.commit_deciding(self.unit, decision, receipt).await {
            Ok(()) => self.follow_commit(decides, decision).await,
            Err(error @ (StoreError::BackedOut | StoreError::Database | StoreError::ReceiptTaken)) => {
                let backed_out = self.back_out().await;
                (Err(error), backed_out.is_ok())
            }
            // Open: the others stay prepared until the deciding database is asked.
            Err(error) => (Err(error), false),
        }
    }

    /// It is decided, whatever becomes of the others: those that are away follow later.
    async fn follow_commit(&self, decides: &SharedStore, decision: Decision) -> (Result<(), StoreError>, bool) {
        let others = self.shared.iter().filter(|shared| shared.cluster() != decides.cluster());
        let followed = join_all(others.map(|shared| shared.commit(self.unit))).await;
        let in_log = match self.private {
            Some(private) => private.commit(self.unit).await,
            None => Ok(()),
        };
        match in_log {
            Ok(()) => {}
            Err(error @ (StoreError::LogFailed(_) | StoreError::Closed)) => return (Err(error), false),
            Err(_) => return (Ok(()), false),
        }
        let is_whole = followed.iter().all(Result::is_ok);
        if is_whole {
            decides.forget_decision(decision);
        }
        (Ok(()), is_whole)
    }

    /// Each part, also when one fails.
    pub(super) async fn back_out(&self) -> Result<(), StoreError> {
        let mut backed_out = Ok(());
        for ended in join_all(self.shared.iter().map(|shared| shared.back_out(self.unit))).await {
            backed_out = backed_out.and(ended);
        }
        if let Some(private) = self.private {
            private.back_out(self.unit).await?;
        }
        backed_out
    }
}

/// A part that waits for what a database has decided.
struct Waiting<'a> {
    /// `None`: in the recovery log.
    shared: Option<&'a SharedStore>,
    unit: UnitOfWorkId,
    decision: Decision,
}

impl Waiting<'_> {
    async fn end(&self, private: &PrivateStore, commits: bool) -> Result<(), StoreError> {
        let ended = match (self.shared, commits) {
            (Some(shared), true) => shared.commit(self.unit).await,
            (Some(shared), false) => shared.back_out(self.unit).await,
            (None, true) => private.commit(self.unit).await,
            (None, false) => private.back_out(self.unit).await,
        };
        // Another caller has ended it meanwhile.
        if matches!(ended, Err(StoreError::UnknownUnitOfWork)) { Ok(()) } else { ended }
    }
}

fn waiting<'a>(private: &PrivateStore, open: &[&'a SharedStore]) -> Vec<Waiting<'a>> {
    let in_log = private.in_doubt().into_iter().filter_map(|(unit, xid)| {
        let decision = xid.as_ref().and_then(decision_of)?;
        Some(Waiting { shared: None, unit, decision })
    });
    let in_databases = open.iter().flat_map(|shared| {
        let of_shared = |(unit, decision)| Waiting { shared: Some(*shared), unit, decision };
        shared.waiting().into_iter().map(of_shared)
    });
    in_log.chain(in_databases).collect()
}

/// Parts that a crash or an absence of a database has left behind the decision. Decisions that no part waits for are forgotten. Parts
/// of one transaction in several places are one unit again.
///
/// # Errors
/// `Unreachable`: some stay in doubt, and their messages locked. Those of the private store.
pub(super) async fn follow_decisions(
    private: &PrivateStore,
    group: &GroupStore,
    under_way: &UnderWay,
) -> Result<(), StoreError> {
    under_way.0.lock().leaves_open = false;
    let followed = follow(private, group, under_way).await;
    under_way.0.lock().leaves_open |= !matches!(followed, Ok(true));
    followed.map(|_| ())
}

/// Whether no part waits any more.
async fn follow(private: &PrivateStore, group: &GroupStore, under_way: &UnderWay) -> Result<bool, StoreError> {
    let open = group.learned();
    // Its lanes know then what has become of their batches.
    group.home().reached().await?;
    join_recovered(private, &open);
    // In this order: what waits and is not under way was decided before its database is asked.
    let parts = waiting(private, &open);
    let was_under_way = under_way.0.lock().decisions.clone();
    // Of callers that went away: their queue manager asks for them again.
    let goes_on = |part: &Waiting<'_>| {
        group
            .of(part.decision.cluster)
            .is_ok_and(|decides| decides.is_deciding(part.decision) || decides.has_work(part.unit))
    };
    let go_on: HashSet<Decision> = parts.iter().filter(|part| goes_on(part)).map(|part| part.decision).collect();
    let mut decided: HashMap<ClusterNumber, HashSet<Decision>> = HashMap::new();
    let mut failure = None;
    for shared in open.iter().filter(|shared| shared.is_home() || shared.is_open()) {
        match shared.decided().await {
            Ok(all) => drop(shared.cluster().map(|cluster| decided.insert(cluster, all))),
            Err(error) if shared.is_home() => failure = Some(error),
            Err(_) => {}
        }
    }
    let mut is_whole = true;
    for part in parts.iter().filter(|part| !was_under_way.contains(&part.decision)) {
        if go_on.contains(&part.decision) {
            is_whole = false;
            continue;
        }
        let Some(known) = decided.get(&part.decision.cluster) else {
            is_whole = false;
            continue;
        };
        match part.end(private, known.contains(&part.decision)).await {
            Ok(()) => {}
            // The part of one database does not keep the others waiting.
            Err(StoreError::Unreachable) if part.shared.is_some_and(|shared| !shared.is_home()) => is_whole = false,
            Err(error) => return Err(error),
        }
    }
    if let Some(error) = failure {
        return Err(error);
    }
    if is_whole && group.are_all_learned() {
        let waits: HashSet<Decision> = waiting(private, &open).into_iter().map(|part| part.decision).collect();
        let is_over = |decision: &Decision| {
            !waits.contains(decision) && !was_under_way.contains(decision) && !under_way.has(decision)
        };
        for shared in &open {
            let all = shared.cluster().and_then(|cluster| decided.remove(&cluster)).unwrap_or_default();
            all.into_iter().filter(is_over).for_each(|decision| shared.forget_decision(decision));
        }
    }
    Ok(is_whole)
}

/// Parts of one transaction, which were prepared in an earlier life, get one number.
fn join_recovered(private: &PrivateStore, open: &[&SharedStore]) {
    let mut known: Vec<(Xid, UnitOfWorkId)> = private
        .in_doubt()
        .into_iter()
        .filter_map(|(unit, xid)| xid.filter(|xid| decision_of(xid).is_none()).map(|xid| (xid, unit)))
        .collect();
    for shared in open {
        for (unit, xid) in shared.in_doubt() {
            let Some(xid) = xid else { continue };
            match known.iter().find(|(name, _)| *name == xid) {
                Some((_, first)) => shared.join_recovered(*first, &xid),
                None => known.push((xid, unit)),
            }
        }
    }
}

/// Parts of one transaction in several places are one entry; parts that wait for a database are nobody else's business.
pub(super) fn join_in_doubt(in_doubt: &mut Vec<(UnitOfWorkId, Option<Xid>)>, shared: Vec<(UnitOfWorkId, Option<Xid>)>) {
    in_doubt.retain(|(_, xid)| xid.as_ref().is_none_or(|xid| decision_of(xid).is_none()));
    for (unit, xid) in shared {
        if !in_doubt.iter().any(|(known, _)| *known == unit) {
            in_doubt.push((unit, xid));
        }
    }
}

/// The name of a part in the recovery log.
fn name_of(decision: Decision) -> Xid {
    let mut global_transaction = decision.number.to_le_bytes().to_vec();
    global_transaction.extend(decision.cluster.number().to_le_bytes());
    Xid { format_id: FORMAT, global_transaction, branch: Vec::new() }
}

/// `None`: a coordinator gave the name.
fn decision_of(xid: &Xid) -> Option<Decision> {
    if xid.format_id != FORMAT {
        return None;
    }
    let (number, cluster) = xid.global_transaction.split_first_chunk::<8>()?;
    let cluster = ClusterNumber::of(i32::from_le_bytes(cluster.try_into().ok()?))?;
    Some(Decision { cluster, number: i64::from_le_bytes(*number) })
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
