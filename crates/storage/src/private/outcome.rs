//! Committing and backing out units of work.
//!
//! Both lock all queues of the unit, append, and only then change the queues. A unit of up to two thousand messages
//! (`StoreOptions::large_unit_messages`) changes them under the same locks, which takes a millisecond: everybody else sees
//! all of it or nothing, and no record of another operation on the same messages comes between.
//!
//! A larger unit is ended by a thread of its own. Its outcome is made durable first, and then its messages are released
//! and removed a slice at a time, so that others have their turn with the queues. It is one unit in the log. On each queue
//! its messages become visible in delivery order, and all of them are visible when the commit returns.
//!
//! Invariant: from the append of a large unit to its last slice, no record of the log is moved (`Core::moving`). What
//! moving finds in the queues is not what the log says until then.

use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};

use crate::private::log::append::{Class, Refused, unit_maximum};
use crate::private::log::cursor::length_field;
use crate::private::log::extent::Place;
use crate::private::log::failure::FailsOnPanic;
use crate::private::log::record::{BACKOUT_COUNT_BYTES, Operation, UnitKind, unit_head};
use crate::private::log::wait::block_on;
use crate::private::log::writer::Log;
use crate::private::queue::Queue;
use crate::private::receipts::Receipt;
use crate::private::store::Core;
use crate::private::unit_of_work::{LockedQueues, Record, UnitOfWork, Work};
use crate::{StoreError, UnitOfWorkId};

/// Most messages between two turns of others with a queue.
const SLICE: usize = 256;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Commit,
    BackOut,
}

impl Core {
    /// Ends a unit of work; without effect on one in which nothing was done, or that is over.
    pub(crate) async fn end(self: &Arc<Self>, id: UnitOfWorkId, outcome: Outcome) -> Result<(), StoreError> {
        self.open()?;
        let Some(unit) = self.units.existing(id)? else { return Ok(()) };
        let (is_over, is_large) = {
            let unit = unit.lock();
            (unit.over, unit.works.len() > self.options.large_unit_messages)
        };
        if is_over || is_large {
            return Box::pin(self.end_in_slices(id, unit, outcome)).await;
        }
        let place = loop {
            match self.try_end(id, &mut unit.lock(), outcome, None) {
                Ok(place) => break place,
                Err(Refused::NotYet) => {}
                Err(Refused::Error(error)) => return Err(error),
            }
            self.space().await;
        };
        self.units.close(id);
        self.durable(place).await
    }

    /// Returns what has to be durable first. A receipt is for a commit.
    pub(super) fn try_end(
        &self,
        id: UnitOfWorkId,
        unit: &mut UnitOfWork,
        outcome: Outcome,
        receipt: Option<&Receipt>,
    ) -> Result<Option<Place>, Refused> {
        if unit.over {
            return Ok(None);
        }
        let slots = unit.queues();
        let said = Said::before(unit, outcome);
        let mut queues = LockedQueues::of(&slots);
        let mut receipts = receipt.map(|receipt| (receipt, self.receipts.lock()));
        self.restate_gets(id, unit, outcome)?;
        let record = receipt.map(Receipt::record).unwrap_or_default();
        unit.restated.extend_from_slice(&record);
        let appended = self.append_outcome(id, unit, &mut queues, &said)?;
        if let Some((receipt, receipts)) = &mut receipts {
            let at = appended.end.map(|end| (end.minus(record.len()), length_field(record.len())));
            self.enter_receipt(receipts, receipt, at);
        }
        drop(receipts);
        for work in std::mem::take(&mut unit.works) {
            self.settle(queues.get(work.queue.id), &work, outcome, appended.place);
        }
        unit.end(self.log.as_deref());
        Ok(appended.durable_first())
    }

    /// On a thread of its own. One that is over may still be at it: that is waited for.
    async fn end_in_slices(
        self: &Arc<Self>,
        id: UnitOfWorkId,
        unit: Arc<Mutex<UnitOfWork>>,
        outcome: Outcome,
    ) -> Result<(), StoreError> {
        let core = Arc::clone(self);
        let ended = self.outcomes.run(move || core.end_on_this_thread(id, &unit, outcome)).await;
        ended.map_err(|error| StoreError::File(Arc::new(error)))?
    }

    fn end_on_this_thread(
        &self,
        id: UnitOfWorkId,
        unit: &Mutex<UnitOfWork>,
        outcome: Outcome,
    ) -> Result<(), StoreError> {
        let _guard = self.log.as_deref().map(FailsOnPanic);
        let (stands_still, mut works, appended) = loop {
            let stands_still = self.moving.lock();
            match self.begin_end(id, &mut unit.lock(), outcome) {
                Ok(None) => return Ok(()),
                Ok(Some((works, appended))) => break (stands_still, works, appended),
                Err(Refused::NotYet) => {}
                Err(Refused::Error(error)) => return Err(error),
            }
            // Space comes from the thread that moves records.
            drop(stands_still);
            block_on(self.space());
        };
        block_on(self.durable(appended.durable_first()))?;
        works.sort_unstable_by_key(|work| (work.queue.id, work.key));
        for of_queue in works.chunk_by(|one, next| one.queue.id == next.queue.id) {
            for slice in of_queue.chunks(SLICE) {
                let mut queue = slice[0].queue.queue.lock();
                for work in slice {
                    self.settle(&mut queue, work, outcome, appended.place);
                }
                MutexGuard::unlock_fair(queue);
            }
        }
        drop(stands_still);
        self.units.close(id);
        Ok(())
    }

    /// Appends the outcome and ends the unit, but for what it did to the queues. `None` when it is over.
    fn begin_end(
        &self,
        id: UnitOfWorkId,
        unit: &mut UnitOfWork,
        outcome: Outcome,
    ) -> Result<Option<(Vec<Work>, Appended)>, Refused> {
        if unit.over {
            return Ok(None);
        }
        let slots = unit.queues();
        let said = Said::before(unit, outcome);
        // No record is moved behind what is restated: that thread stands still.
        self.restate_gets(id, unit, outcome)?;
        let appended = self.append_outcome(id, unit, &mut LockedQueues::of(&slots), &said)?;
        let works = std::mem::take(&mut unit.works);
        unit.end(self.log.as_deref());
        Ok(Some((works, appended)))
    }

    fn restate_gets(&self, id: UnitOfWorkId, unit: &mut UnitOfWork, outcome: Outcome) -> Result<(), Refused> {
        match self.log.as_deref().filter(|_| unit.in_log && outcome == Outcome::Commit) {
            Some(log) => unit.restate_gets(log, id),
            None => Ok(()),
        }
    }

    fn append_outcome(
        &self,
        id: UnitOfWorkId,
        unit: &mut UnitOfWork,
        queues: &mut LockedQueues<'_>,
        said: &Said,
    ) -> Result<Appended, Refused> {
        let Some(log) = self.log.as_deref() else { return Ok(Appended::NOTHING) };
        match said {
            Said::Commit if !unit.in_log && unit.staged.is_empty() && unit.restated.is_empty() => Ok(Appended::NOTHING),
            Said::Commit => {
                let (kind, id) =
                    if unit.in_log { (UnitKind::Commit, id) } else { (UnitKind::Complete, UnitOfWorkId(0)) };
                let appended = unit.append_staged(log, queues, id, kind, None)?;
                Ok(Appended { place: Some(appended.unit), end: Some(appended.end), is_awaited: true })
            }
            Said::BackOut { counts } => {
                let is_awaited = unit.prepared.is_some();
                match append_back_out(log, id, unit.in_log, counts) {
                    Ok(place) => Ok(Appended { place, end: None, is_awaited }),
                    // The log cannot take it; after a restart the unit is backed out all the same.
                    Err(Refused::Error(_)) if !is_awaited => Ok(Appended::NOTHING),
                    Err(refused) => Err(refused),
                }
            }
        }
    }

    /// What the outcome does to one message. `place` is where the log says it.
    fn settle(&self, queue: &mut Queue, work: &Work, outcome: Outcome, place: Option<Place>) {
        let log = self.log.as_deref();
        work.bury(log);
        let Some(slot) = queue.slot(work.key) else { return };
        let goes = work.got == (outcome == Outcome::Commit);
        if goes {
            let entry = queue.remove(slot);
            let mut appender = log.filter(|_| entry.persistent).map(Log::lock);
            self.forget(&entry, appender.as_mut(), place.unwrap_or(Place::START));
            return;
        }
        if work.got {
            let entry = queue.entry_mut(slot);
            entry.backout_count = entry.backout_count.saturating_add(1);
        }
        queue.release(slot);
    }
}

/// What the log is to say of an outcome beside what is staged.
enum Said {
    Commit,
    BackOut { counts: Vec<u8> },
}

impl Said {
    /// Before the queues are locked together.
    fn before(unit: &UnitOfWork, outcome: Outcome) -> Self {
        match outcome {
            Outcome::Commit => Self::Commit,
            Outcome::BackOut => Self::BackOut { counts: backout_counts(&unit.works) },
        }
    }
}

/// What was appended for an outcome.
#[derive(Clone, Copy)]
struct Appended {
    /// Where the log says so, if it has to.
    place: Option<Place>,
    /// Where the operations of a commit end.
    end: Option<Place>,
    /// Only the back out of a prepared unit need be durable; the others are backed out by any restart.
    is_awaited: bool,
}

impl Appended {
    const NOTHING: Self = Self { place: None, end: None, is_awaited: false };

    fn durable_first(self) -> Option<Place> {
        self.place.filter(|_| self.is_awaited)
    }
}

/// Records that harden the backout counts of the persistent messages a unit had got. Nobody else changes those counts: others
/// have their turn with the queues meanwhile.
fn backout_counts(works: &[Work]) -> Vec<u8> {
    let mut counts = Vec::new();
    for slice in works.chunks(SLICE) {
        for of_queue in slice.chunk_by(|one, next| one.queue.id == next.queue.id) {
            let queue = of_queue[0].queue.queue.lock();
            // Only what is persistent has a record.
            for work in of_queue.iter().filter(|work| work.got && work.record != Record::None) {
                if let Some(entry) = queue.slot(work.key).map(|slot| queue.entry(slot)) {
                    let count = entry.backout_count.saturating_add(1);
                    Operation::BackoutCount { queue: work.queue.id, key: work.key, count }.encode(&mut counts);
                }
            }
        }
    }
    counts
}

/// Appends the counts, and the back out when parts of the unit are in the log; says where the latter is.
fn append_back_out(log: &Log, id: UnitOfWorkId, in_log: bool, counts: &[u8]) -> Result<Option<Place>, Refused> {
    let mut appender = log.lock();
    let whole_records = unit_maximum(&log.options) / BACKOUT_COUNT_BYTES * BACKOUT_COUNT_BYTES;
    for chunk in counts.chunks(whole_records.max(BACKOUT_COUNT_BYTES)) {
        let head = unit_head(UnitKind::Complete, UnitOfWorkId(0), None, chunk.len());
        appender.append(Class::Essential, &[head.as_bytes(), chunk])?;
    }
    if !in_log {
        return Ok(None);
    }
    let head = unit_head(UnitKind::BackOut, id, None, 0);
    appender.append(Class::Essential, &[head.as_bytes()]).map(Some)
}
