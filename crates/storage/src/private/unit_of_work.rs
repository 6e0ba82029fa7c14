//! Units of work: what they hold, how they reach the log, and how they end.
//!
//! The records of a unit are staged in memory and written with its outcome, as one unit of the log; so a small unit that
//! is backed out leaves nothing in the log. One that outgrows the bound writes what it has as parts first.
//!
//! Committing locks all queues of the unit, appends, and only then changes them: everybody else sees all of it or nothing,
//! and no record of another operation on the same messages comes between.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hashbrown::HashMap;
use model::timestamp::Timestamp;
use parking_lot::{Mutex, MutexGuard};

use crate::private::content::{Incoming, Whereabouts};
use crate::private::get::unreadable;
use crate::private::log::extent::Place;
use crate::private::log::record::{
    BACKOUT_COUNT_BYTES, GET_BYTES, Operation, UnitKind, get_record, unit_head, xid_fits,
};
use crate::private::log::recovery::InDoubt;
use crate::private::log::writer::{Class, Log, Refused, unit_maximum};
use crate::private::queue::{Holder, Home, Key, Queue};
use crate::private::store::{Core, QueueSlot};
use crate::{PutOutcome, QueueId, Selection, StoreError, StoredMessage, UnitOfWorkId, Xid};

type Map<K, V> = HashMap<K, V, foldhash::fast::RandomState>;

/// The open units of work of a store.
pub(crate) struct Units {
    next: AtomicU64,
    open: Mutex<Map<UnitOfWorkId, Arc<Mutex<UnitOfWork>>>>,
}

pub(crate) struct UnitOfWork {
    pub(crate) works: Vec<Work>,
    /// Operations not in the log yet.
    staged: Vec<u8>,
    /// Gets that the commit's record repeats.
    restated: Vec<u8>,
    /// Promised by the log for `staged`, in bytes.
    reserved: u64,
    /// The log has records of this unit.
    in_log: bool,
    pub(crate) prepared: Option<Prepared>,
    /// Committed or backed out, while somebody still held it.
    over: bool,
}

pub(crate) struct Prepared {
    pub(crate) xid: Option<Xid>,
    /// Place and length of the unit's head in the log; none without a log.
    pub(crate) record: Option<(Place, u32)>,
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

/// Staged bytes from which on a unit of work writes parts.
const STAGED_MAXIMUM: usize = 1 << 20;

impl Units {
    pub(crate) fn new(next: u64) -> Self {
        Self { next: AtomicU64::new(next), open: Mutex::default() }
    }

    pub(crate) fn begin(&self) -> UnitOfWorkId {
        UnitOfWorkId(self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// The unit, made on its first use. One that nobody began is unknown.
    fn open(&self, id: UnitOfWorkId) -> Result<Arc<Mutex<UnitOfWork>>, StoreError> {
        if id.0 >= self.next.load(Ordering::Relaxed) {
            return Err(StoreError::UnknownUnitOfWork);
        }
        let mut open = self.open.lock();
        Ok(Arc::clone(open.entry(id).or_insert_with(|| Arc::new(Mutex::new(UnitOfWork::new())))))
    }

    /// The unit if anything was done in it.
    fn existing(&self, id: UnitOfWorkId) -> Result<Option<Arc<Mutex<UnitOfWork>>>, StoreError> {
        if id.0 >= self.next.load(Ordering::Relaxed) {
            return Err(StoreError::UnknownUnitOfWork);
        }
        Ok(self.open.lock().get(&id).cloned())
    }

    pub(crate) fn all(&self) -> Vec<(UnitOfWorkId, Arc<Mutex<UnitOfWork>>)> {
        self.open.lock().iter().map(|(id, unit)| (*id, Arc::clone(unit))).collect()
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

    fn close(&self, id: UnitOfWorkId) {
        self.open.lock().remove(&id);
    }
}

impl UnitOfWork {
    fn new() -> Self {
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
    fn active(&self) -> Result<(), StoreError> {
        if self.over || self.prepared.is_some() { Err(StoreError::UnknownUnitOfWork) } else { Ok(()) }
    }

    fn stage(&mut self, pieces: &[&[u8]]) -> Record {
        let offset = self.staged.len();
        for piece in pieces {
            self.staged.extend_from_slice(piece);
        }
        let bytes = u32::try_from(self.staged.len() - offset).expect("a record is bounded by the unit maximum");
        Record::Staged { offset, bytes }
    }

    /// Appends what is staged, and tells the queues where the records of the puts are; returns where its unit starts
    /// and where its operations start. `queues` are all of the unit's.
    fn append_staged(
        &mut self,
        log: &Log,
        queues: &mut LockedQueues<'_>,
        id: UnitOfWorkId,
        kind: UnitKind,
        xid: Option<&Xid>,
    ) -> Result<(Place, Place), Refused> {
        self.unstage_dropped(queues);
        let restated = std::mem::take(&mut self.restated);
        let head = unit_head(kind, id, xid, self.staged.len() + restated.len());
        let mut appender = log.lock();
        let unit = appender.append(Class::Essential, &[head.as_bytes(), &self.staged, &restated])?;
        appender.state.unreserve(std::mem::take(&mut self.reserved));
        let operations = unit.plus(head.as_bytes().len());
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
        Ok((unit, operations))
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
    fn restate_gets(&mut self, log: &Log, id: UnitOfWorkId) -> Result<(), Refused> {
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
    fn unstage(&mut self, offset: usize, bytes: u32) {
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
    fn queues(&self) -> Vec<Arc<QueueSlot>> {
        let mut queues: Vec<_> = self.works.iter().map(|work| Arc::clone(&work.queue)).collect();
        queues.sort_unstable_by_key(|slot| slot.id);
        queues.dedup_by_key(|slot| slot.id);
        queues
    }
}

/// The queues of a unit, each locked once, in order of their ids.
struct LockedQueues<'a> {
    queues: Vec<(QueueId, MutexGuard<'a, Queue>)>,
}

impl<'a> LockedQueues<'a> {
    /// `slots` as `UnitOfWork::queues` gives them.
    fn of(slots: &'a [Arc<QueueSlot>]) -> Self {
        Self { queues: slots.iter().map(|slot| (slot.id, slot.queue.lock())).collect() }
    }

    fn get(&mut self, id: QueueId) -> &mut Queue {
        let index = self.queues.binary_search_by_key(&id, |(id, _)| *id).expect("all queues of the unit are locked");
        &mut self.queues[index].1
    }
}

impl Core {
    /// Puts under syncpoint: out of sight until the commit.
    pub(crate) fn try_put_in_unit(
        &self,
        id: UnitOfWorkId,
        slot: &Arc<QueueSlot>,
        incoming: &mut Incoming<'_>,
        maximum_depth: u32,
    ) -> Result<PutOutcome, Refused> {
        let unit = self.units.open(id)?;
        let mut unit = unit.lock();
        unit.active()?;
        self.make_room(id, &mut unit)?;
        let mut queue = slot.queue.lock();
        let (key, depth_before) = self.next_key(&queue, incoming.rank, maximum_depth)?;
        let mut record = Record::None;
        if let Some(log) = self.log.as_ref().filter(|_| incoming.logged) {
            let put = incoming.record(slot.id, key);
            let bytes = put.record_length() as u64;
            log.lock().reserve(bytes)?;
            unit.reserved += bytes;
            record = unit.stage(&[&put.head(false), put.content]);
        }
        queue.insert(incoming.enter(key, None, Holder::Put(id)));
        unit.works.push(Work { queue: Arc::clone(slot), key, got: false, record });
        Ok(PutOutcome { key: key.delivery_key(), depth_before })
    }

    /// Writes what is staged as a part when it has grown large.
    fn make_room(&self, id: UnitOfWorkId, unit: &mut UnitOfWork) -> Result<(), Refused> {
        let maximum = STAGED_MAXIMUM.min(unit_maximum(&self.options) / 2);
        let Some(log) = self.log.as_ref().filter(|_| unit.staged.len() >= maximum) else { return Ok(()) };
        let slots = unit.queues();
        unit.append_staged(log, &mut LockedQueues::of(&slots), id, UnitKind::Part, None)?;
        Ok(())
    }

    pub(crate) async fn get_in_unit(
        &self,
        id: UnitOfWorkId,
        queue: QueueId,
        selection: &Selection<'_>,
        now: Timestamp,
    ) -> Result<Option<StoredMessage>, StoreError> {
        self.open()?;
        let slot = self.queue(queue)?;
        let whereabouts = loop {
            match self.try_get_in_unit(id, &slot, selection, now) {
                Ok(None) => return Ok(None),
                Ok(Some(Held::Message(whereabouts))) => break whereabouts,
                Ok(Some(Held::TooEarly(place))) => self.durable(Some(place)).await?,
                Err(Refused::NotYet) => self.space().await,
                Err(Refused::Error(error)) => return Err(error),
            }
        };
        let mut undo = Undo { core: self, id, slot: &slot, key: whereabouts.key, armed: true };
        let (message, place) = self.read_in_unit(&slot, whereabouts)?;
        self.durable(place).await?;
        undo.armed = false;
        Ok(Some(message))
    }

    fn try_get_in_unit(
        &self,
        id: UnitOfWorkId,
        slot: &Arc<QueueSlot>,
        selection: &Selection<'_>,
        now: Timestamp,
    ) -> Result<Option<Held>, Refused> {
        let unit = self.units.open(id)?;
        let mut unit = unit.lock();
        unit.active()?;
        self.make_room(id, &mut unit)?;
        let mut queue = slot.queue.lock();
        let Some(found) = queue.find(selection, None, now) else { return Ok(None) };
        let entry = queue.entry(found);
        if let Some(place) = self.too_early(entry) {
            return Ok(Some(Held::TooEarly(place)));
        }
        let (key, persistent) = (entry.key, entry.persistent);
        queue.hold(found, Holder::Got(id));
        let whereabouts = Whereabouts::of(slot.id, queue.entry(found));
        let record =
            if persistent && self.log.is_some() { unit.stage(&[&get_record(slot.id, key)]) } else { Record::None };
        unit.works.push(Work { queue: Arc::clone(slot), key, got: true, record });
        Ok(Some(Held::Message(whereabouts)))
    }

    /// Reads a message that a unit of work holds; it may be moved in the log meanwhile, but not go away.
    fn read_in_unit(
        &self,
        slot: &QueueSlot,
        mut whereabouts: Whereabouts,
    ) -> Result<(StoredMessage, Option<Place>), StoreError> {
        loop {
            let error = match self.read(&whereabouts) {
                Ok(message) => {
                    let place = whereabouts.place();
                    return Ok((whereabouts.stored(message), place));
                }
                Err(error) => error,
            };
            let queue = slot.queue.lock();
            let held = queue.slot(whereabouts.key).ok_or(StoreError::UnknownQueue)?;
            if queue.entry(held).home == whereabouts.home {
                return Err(unreadable(error));
            }
            whereabouts = Whereabouts::of(slot.id, queue.entry(held));
        }
    }

    /// Takes one get out of a unit of work again, as if it had not been.
    fn undo_get(&self, id: UnitOfWorkId, slot: &Arc<QueueSlot>, key: Key) {
        let Ok(Some(unit)) = self.units.existing(id) else { return };
        let mut unit = unit.lock();
        let of_this = |work: &Work| work.got && work.key == key && Arc::ptr_eq(&work.queue, slot);
        let Some(index) = unit.works.iter().rposition(of_this) else { return };
        if unit.active().is_err() || matches!(unit.works[index].record, Record::Logged { .. }) {
            // Too late: its record is in the log, and the unit's outcome decides.
            return;
        }
        let work = unit.works.remove(index);
        if let Record::Staged { offset, bytes } = work.record {
            unit.unstage(offset, bytes);
        }
        let mut queue = slot.queue.lock();
        if let Some(held) = queue.slot(key).filter(|held| queue.entry(*held).holder == Holder::Got(id)) {
            queue.release(held);
        }
    }

    pub(crate) async fn prepare(&self, id: UnitOfWorkId, xid: Option<Xid>) -> Result<(), StoreError> {
        self.open()?;
        if xid.as_ref().is_some_and(|xid| !xid_fits(xid)) {
            return Err(StoreError::UnknownUnitOfWork);
        }
        loop {
            match self.try_prepare(id, xid.as_ref()) {
                Ok(place) => return self.durable(place).await,
                Err(Refused::NotYet) => self.space().await,
                Err(Refused::Error(error)) => return Err(error),
            }
        }
    }

    fn try_prepare(&self, id: UnitOfWorkId, xid: Option<&Xid>) -> Result<Option<Place>, Refused> {
        let unit = self.units.open(id)?;
        let mut unit = unit.lock();
        unit.active()?;
        let mut record = None;
        if let Some(log) = &self.log {
            let slots = unit.queues();
            let mut queues = LockedQueues::of(&slots);
            let (place, operations) = unit.append_staged(log, &mut queues, id, UnitKind::Prepared, xid)?;
            let bytes = u32::try_from(operations.0 - place.0).expect("a unit's head is short");
            log.lock().state.lives(place, bytes);
            record = Some((place, bytes));
        }
        unit.prepared = Some(Prepared { xid: xid.cloned(), record });
        Ok(record.map(|(place, _)| place))
    }

    pub(crate) async fn commit(&self, id: UnitOfWorkId) -> Result<(), StoreError> {
        self.open()?;
        let Some(unit) = self.units.existing(id)? else { return Ok(()) };
        let place = loop {
            match self.try_commit(id, &mut unit.lock()) {
                Ok(place) => break place,
                Err(Refused::NotYet) => {}
                Err(Refused::Error(error)) => return Err(error),
            }
            self.space().await;
        };
        self.units.close(id);
        self.durable(place).await
    }

    fn try_commit(&self, id: UnitOfWorkId, unit: &mut UnitOfWork) -> Result<Option<Place>, Refused> {
        if unit.over {
            return Ok(None);
        }
        let slots = unit.queues();
        let mut queues = LockedQueues::of(&slots);
        let log = self.log.as_deref();
        let place = match log.filter(|_| unit.in_log || !unit.staged.is_empty()) {
            Some(log) => {
                let (kind, id) =
                    if unit.in_log { (UnitKind::Commit, id) } else { (UnitKind::Complete, UnitOfWorkId(0)) };
                unit.restate_gets(log, id)?;
                Some(unit.append_staged(log, &mut queues, id, kind, None)?.0)
            }
            None => None,
        };
        for work in std::mem::take(&mut unit.works) {
            unit.bury(log, &work);
            let queue = queues.get(work.queue.id);
            let Some(slot) = queue.slot(work.key) else { continue };
            if work.got {
                let entry = queue.remove(slot);
                let mut appender = log.filter(|_| entry.persistent).map(Log::lock);
                self.forget(&entry, appender.as_mut(), place.unwrap_or(Place::START));
            } else {
                queue.release(slot);
            }
        }
        unit.end(log);
        Ok(place)
    }

    pub(crate) async fn back_out(&self, id: UnitOfWorkId) -> Result<(), StoreError> {
        self.open()?;
        let Some(unit) = self.units.existing(id)? else { return Ok(()) };
        let place = loop {
            match self.try_back_out(id, &mut unit.lock()) {
                Ok(place) => break place,
                Err(Refused::NotYet) => {}
                Err(Refused::Error(error)) => return Err(error),
            }
            self.space().await;
        };
        self.units.close(id);
        self.durable(place).await
    }

    /// Returns what has to be durable first: only a prepared unit needs that, the others are backed out by any restart.
    fn try_back_out(&self, id: UnitOfWorkId, unit: &mut UnitOfWork) -> Result<Option<Place>, Refused> {
        if unit.over {
            return Ok(None);
        }
        let slots = unit.queues();
        let mut queues = LockedQueues::of(&slots);
        let log = self.log.as_deref();
        let prepared = unit.prepared.is_some();
        let mut place = None;
        if let Some(log) = log {
            let counts = backout_counts(&unit.works, &mut queues);
            match append_back_out(log, id, unit.in_log, &counts) {
                Ok(appended) => place = appended,
                Err(Refused::NotYet) => return Err(Refused::NotYet),
                Err(refused) if prepared => return Err(refused),
                // The log cannot take it; after a restart the unit is backed out all the same.
                Err(Refused::Error(_)) => {}
            }
        }
        for work in std::mem::take(&mut unit.works) {
            unit.bury(log, &work);
            let queue = queues.get(work.queue.id);
            let Some(slot) = queue.slot(work.key) else { continue };
            if work.got {
                let entry = queue.entry_mut(slot);
                entry.backout_count = entry.backout_count.saturating_add(1);
                queue.release(slot);
            } else {
                let entry = queue.remove(slot);
                let mut appender = log.filter(|_| entry.persistent).map(Log::lock);
                self.forget(&entry, appender.as_mut(), place.unwrap_or(Place::START));
            }
        }
        unit.end(log);
        Ok(place.filter(|_| prepared))
    }
}

/// Records that harden the backout counts of the persistent messages a unit had got.
fn backout_counts(works: &[Work], queues: &mut LockedQueues<'_>) -> Vec<u8> {
    let mut counts = Vec::new();
    for work in works.iter().filter(|work| work.got) {
        let queue = queues.get(work.queue.id);
        if let Some(entry) = queue.slot(work.key).map(|slot| queue.entry(slot)).filter(|entry| entry.persistent) {
            let count = entry.backout_count.saturating_add(1);
            Operation::BackoutCount { queue: work.queue.id, key: work.key, count }.encode(&mut counts);
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

impl UnitOfWork {
    /// The record of a get is needed no more.
    fn bury(&self, log: Option<&Log>, work: &Work) {
        if let (Record::Logged { place, bytes }, Some(log)) = (work.record, log) {
            log.lock().state.died(place, bytes);
        }
    }

    /// Its outcome is in the log.
    fn end(&mut self, log: Option<&Log>) {
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

    /// Appends again what the unit has in an extent that is about to be freed, except its puts.
    pub(crate) fn move_forward(&mut self, log: &Log, id: UnitOfWorkId, extent: u32) -> Result<Option<Place>, Refused> {
        let mut last = None;
        for work in &mut self.works {
            let Record::Logged { place: old, bytes } = work.record else { continue };
            if !work.got || old.extent() != extent {
                continue;
            }
            let record = get_record(work.queue.id, work.key);
            let head = unit_head(UnitKind::Part, id, None, GET_BYTES);
            let mut appender = log.lock();
            let unit = appender.append(Class::Essential, &[head.as_bytes(), &record])?;
            let place = unit.plus(head.as_bytes().len());
            appender.state.died(old, bytes);
            appender.state.lives(place, bytes);
            work.record = Record::Logged { place, bytes };
            last = Some(unit);
        }
        if let Some(prepared) = &mut self.prepared
            && let Some((old, bytes)) = prepared.record.filter(|(place, _)| place.extent() == extent)
        {
            let head = unit_head(UnitKind::Prepared, id, prepared.xid.as_ref(), 0);
            let mut appender = log.lock();
            let unit = appender.append(Class::Essential, &[head.as_bytes()])?;
            appender.state.died(old, bytes);
            appender.state.lives(unit, bytes);
            prepared.record = Some((unit, bytes));
            last = Some(unit);
        }
        Ok(last)
    }
}

/// What one look of a get under syncpoint found.
enum Held {
    Message(Whereabouts),
    TooEarly(Place),
}

/// Undoes a get under syncpoint whose future ended before it was told.
struct Undo<'a> {
    core: &'a Core,
    id: UnitOfWorkId,
    slot: &'a Arc<QueueSlot>,
    key: Key,
    armed: bool,
}

impl Drop for Undo<'_> {
    fn drop(&mut self) {
        if self.armed {
            self.core.undo_get(self.id, self.slot, self.key);
        }
    }
}
