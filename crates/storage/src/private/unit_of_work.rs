//! Units of work: what they hold, how they reach the log, and how they end.
//!
//! The records of a unit are staged in memory and written with its outcome, as one unit of the log; so a small unit that
//! is backed out leaves nothing in the log. One that outgrows the bound writes what it has as parts first.
//! What is done in them is in `syncpoint.rs` and `outcome.rs`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hashbrown::HashMap;
use parking_lot::{Mutex, MutexGuard};

use crate::private::log::append::{Class, Refused, unit_maximum};
use crate::private::log::extent::Place;
use crate::private::log::record::{GET_BYTES, UnitKind, get_record, unit_head};
use crate::private::log::recovery::InDoubt;
use crate::private::log::writer::Log;
use crate::private::queue::{Home, Key, Queue};
use crate::private::store::QueueSlot;
use crate::{QueueId, StoreError, UnitOfWorkId, Xid};

type Map<K, V> = HashMap<K, V, foldhash::fast::RandomState>;

/// The open units of work of a store.
pub(crate) struct Units {
    next: AtomicU64,
    open: Mutex<Map<UnitOfWorkId, Arc<Mutex<UnitOfWork>>>>,
}

pub(crate) struct UnitOfWork {
    pub(crate) works: Vec<Work>,
    /// Operations not in the log yet.
    pub(super) staged: Vec<u8>,
    /// Gets that the commit's record repeats.
    pub(super) restated: Vec<u8>,
    /// Promised by the log for `staged`, in bytes.
    pub(super) reserved: u64,
    /// The log has records of this unit.
    pub(super) in_log: bool,
    pub(crate) prepared: Option<Prepared>,
    /// Committed or backed out, while a reference still existed.
    pub(super) over: bool,
}

pub(crate) struct Prepared {
    pub(crate) xid: Option<Xid>,
    /// Place and length of the unit's head in the log; none without a log.
    pub(crate) record: Option<(Place, u32)>,
}

/// Where a unit of work is in the log.
pub(super) struct Appended {
    pub(super) unit: Place,
    /// Where its operations start, and where they end.
    pub(super) operations: Place,
    pub(super) end: Place,
}

/// One message that the unit put or got.
pub(crate) struct Work {
    pub(crate) queue: Arc<QueueSlot>,
    pub(crate) key: Key,
    pub(crate) got: bool,
    pub(crate) record: Record,
}

/// The record of a work, as long as no message knows it: that of a put is its message's home once it is in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Record {
    /// Nonpersistent, or nothing is on disk.
    None,
    /// In `staged`, from this offset on.
    Staged {
        offset: usize,
        bytes: u32,
    },
    Logged {
        place: Place,
        bytes: u32,
    },
}

impl Units {
    pub(crate) fn new(next: u64) -> Self {
        Self { next: AtomicU64::new(next), open: Mutex::default() }
    }

    pub(crate) fn begin(&self) -> UnitOfWorkId {
        UnitOfWorkId(self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// The unit, made on its first use. One that nobody began is unknown.
    pub(super) fn open(&self, id: UnitOfWorkId) -> Result<Arc<Mutex<UnitOfWork>>, StoreError> {
        if id.0 >= self.next.load(Ordering::Relaxed) {
            return Err(StoreError::UnknownUnitOfWork);
        }
        let mut open = self.open.lock();
        Ok(Arc::clone(open.entry(id).or_insert_with(|| Arc::new(Mutex::new(UnitOfWork::new())))))
    }

    /// The unit if anything was done in it.
    pub(crate) fn existing(&self, id: UnitOfWorkId) -> Result<Option<Arc<Mutex<UnitOfWork>>>, StoreError> {
        if id.0 >= self.next.load(Ordering::Relaxed) {
            return Err(StoreError::UnknownUnitOfWork);
        }
        Ok(self.open.lock().get(&id).cloned())
    }

    fn all(&self) -> Vec<(UnitOfWorkId, Arc<Mutex<UnitOfWork>>)> {
        self.open.lock().iter().map(|(id, unit)| (*id, Arc::clone(unit))).collect()
    }

    pub(crate) fn count(&self) -> usize {
        self.open.lock().len()
    }

    pub(crate) fn in_doubt(&self) -> Vec<(UnitOfWorkId, Option<Xid>)> {
        let mut in_doubt: Vec<_> = self
            .all()
            .into_iter()
            .filter_map(|(id, unit)| unit.lock().prepared.as_ref().map(|prepared| (id, prepared.xid.clone())))
            .collect();
        in_doubt.sort_unstable_by_key(|(id, _)| *id);
        in_doubt
    }

    /// A prepared unit that recovery found.
    pub(crate) fn restore(&self, id: UnitOfWorkId, found: InDoubt, queues: &Map<QueueId, Arc<QueueSlot>>) {
        let mut unit = UnitOfWork::new();
        unit.in_log = true;
        unit.prepared = found.prepared.map(|mark| Prepared { xid: mark.xid, record: Some((mark.place, mark.bytes)) });
        for (work, (place, bytes)) in found.works {
            // A queue without messages may be unknown here: then the put or got message was dropped with it.
            if let Some(queue) = queues.get(&work.queue) {
                let record = if work.got { Record::Logged { place, bytes } } else { Record::None };
                unit.works.push(Work { queue: Arc::clone(queue), key: work.key, got: work.got, record });
            }
        }
        self.open.lock().insert(id, Arc::new(Mutex::new(unit)));
    }

    pub(super) fn close(&self, id: UnitOfWorkId) {
        self.open.lock().remove(&id);
    }
}

impl UnitOfWork {
    pub(super) fn new() -> Self {
        Self {
            works: Vec::new(),
            staged: Vec::new(),
            restated: Vec::new(),
            reserved: 0,
            in_log: false,
            prepared: None,
            over: false,
        }
    }

    /// More may be done in it.
    pub(super) fn active(&self) -> Result<(), StoreError> {
        if self.over || self.prepared.is_some() { Err(StoreError::UnknownUnitOfWork) } else { Ok(()) }
    }

    pub(super) fn stage(&mut self, pieces: &[&[u8]]) -> Record {
        let offset = self.staged.len();
        for piece in pieces {
            self.staged.extend_from_slice(piece);
        }
        let bytes = u32::try_from(self.staged.len() - offset).expect("a record is bounded by the unit maximum");
        Record::Staged { offset, bytes }
    }

    /// Appends what is staged, and tells the queues where the records of the puts are. `queues` are all of the unit's.
    pub(super) fn append_staged(
        &mut self,
        log: &Log,
        queues: &mut LockedQueues<'_>,
        id: UnitOfWorkId,
        kind: UnitKind,
        xid: Option<&Xid>,
    ) -> Result<Appended, Refused> {
        self.unstage_dropped(queues);
        let restated = std::mem::take(&mut self.restated);
        let head = unit_head(kind, id, xid, self.staged.len() + restated.len());
        let class = if kind == UnitKind::Part { Class::Staging } else { Class::Essential };
        let mut appender = log.lock();
        let unit = appender.append(class, &[head.as_bytes(), &self.staged, &restated])?;
        appender.state.unreserve(std::mem::take(&mut self.reserved));
        let operations = unit.plus(head.as_bytes().len());
        let end = operations.plus(self.staged.len() + restated.len());
        let lasting = matches!(kind, UnitKind::Part | UnitKind::Prepared);
        for work in &mut self.works {
            let Record::Staged { offset, bytes } = work.record else { continue };
            let place = operations.plus(offset);
            work.record = Record::None;
            if !work.got {
                appender.state.lives(place, bytes);
                let queue = queues.get(work.queue.id);
                let slot = queue.slot(work.key).expect("a put stays until its unit ends or its queue is dropped");
                queue.entry_mut(slot).home = Home::Log { place, bytes };
            } else if lasting {
                appender.state.lives(place, bytes);
                work.record = Record::Logged { place, bytes };
            }
        }
        self.staged.clear();
        self.in_log |= lasting;
        Ok(Appended { unit, operations, end })
    }

    /// What was staged for a queue that is dropped meanwhile must not follow the drop in the log.
    fn unstage_dropped(&mut self, queues: &mut LockedQueues<'_>) {
        for index in 0..self.works.len() {
            let work = &mut self.works[index];
            if let Record::Staged { offset, bytes } = work.record
                && queues.get(work.queue.id).dropped
            {
                work.record = Record::None;
                self.unstage(offset, bytes);
            }
        }
    }

    /// Stages the gets again that are in the log already: a got message may have been moved forward behind its get, so
    /// the record of the commit has to say itself which messages are gone.
    pub(super) fn restate_gets(&mut self, log: &Log, id: UnitOfWorkId) -> Result<(), Refused> {
        let mut records = Vec::new();
        for work in self.works.iter().filter(|work| matches!(work.record, Record::Logged { .. })) {
            records.extend_from_slice(&get_record(work.queue.id, work.key));
        }
        let room = unit_maximum(&log.options).saturating_sub(self.staged.len()) / GET_BYTES * GET_BYTES;
        let whole_records = unit_maximum(&log.options) / GET_BYTES * GET_BYTES;
        let (with_commit, before) = records.split_at(room.min(records.len()));
        for chunk in before.chunks(whole_records.max(GET_BYTES)) {
            let head = unit_head(UnitKind::Part, id, None, chunk.len());
            log.lock().append(Class::Essential, &[head.as_bytes(), chunk])?;
        }
        self.restated.clear();
        self.restated.extend_from_slice(with_commit);
        Ok(())
    }

    /// Forgets the staged record at `offset`.
    pub(super) fn unstage(&mut self, offset: usize, bytes: u32) {
        self.staged.drain(offset..offset + bytes as usize);
        for work in &mut self.works {
            if let Record::Staged { offset: later, .. } = &mut work.record
                && *later > offset
            {
                *later -= bytes as usize;
            }
        }
    }

    /// The queues it touches, in order of their ids.
    pub(super) fn queues(&self) -> Vec<Arc<QueueSlot>> {
        let mut queues: Vec<_> = self.works.iter().map(|work| Arc::clone(&work.queue)).collect();
        queues.sort_unstable_by_key(|slot| slot.id);
        queues.dedup_by_key(|slot| slot.id);
        queues
    }
}

/// The queues of a unit, each locked once, in order of their ids.
pub(crate) struct LockedQueues<'a> {
    queues: Vec<(QueueId, MutexGuard<'a, Queue>)>,
}

impl<'a> LockedQueues<'a> {
    /// `slots` as `UnitOfWork::queues` gives them.
    pub(crate) fn of(slots: &'a [Arc<QueueSlot>]) -> Self {
        Self { queues: slots.iter().map(|slot| (slot.id, slot.queue.lock())).collect() }
    }

    pub(super) fn get(&mut self, id: QueueId) -> &mut Queue {
        self.find(id).expect("all queues of the unit are locked")
    }

    /// `None` when it is not among them.
    pub(crate) fn find(&mut self, id: QueueId) -> Option<&mut Queue> {
        let index = self.queues.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        Some(&mut self.queues[index].1)
    }
}

impl Work {
    /// The record of a get is needed no more.
    pub(super) fn bury(&self, log: Option<&Log>) {
        if let (Record::Logged { place, bytes }, Some(log)) = (self.record, log) {
            log.lock().state.died(place, bytes);
        }
    }
}

impl UnitOfWork {
    /// Its outcome is in the log.
    pub(super) fn end(&mut self, log: Option<&Log>) {
        self.over = true;
        self.staged = Vec::new();
        let prepared = self.prepared.take();
        if let Some(log) = log {
            let mut appender = log.lock();
            appender.state.unreserve(std::mem::take(&mut self.reserved));
            if let Some((place, bytes)) = prepared.and_then(|prepared| prepared.record) {
                appender.state.died(place, bytes);
            }
        }
    }

    /// Which of its gets have their record between two places of the log, by place.
    pub(crate) fn gets_between(&self, start: Place, end: Place) -> Map<Place, usize> {
        let placed = self.works.iter().enumerate().filter_map(|(index, work)| match work.record {
            Record::Logged { place, .. } if work.got && start <= place && place < end => Some((place, index)),
            _ => None,
        });
        placed.collect()
    }
}
