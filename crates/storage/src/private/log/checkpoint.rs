//! Frees the oldest extent: appends again what is still needed of it, then makes it spare. This bounds the log, and with
//! it the time of a restart, which reads the whole log.
//!
//! Extents are freed strictly oldest first, so a record that says "this is gone" (get, delete, commit ...) is always
//! freed after the record it speaks of. An extent is freed only once everything that ended its records is durable, and
//! a durable batch says that the extent is not needed.
//!
//! A batch is moved as a whole, under the locks of all that it speaks of: no record ever follows its own end. Of each unit
//! the live operations become one unit again, and those units follow one another in one batch. So what is moved never takes
//! more space than it took, whatever it is: that is what lets a full log be moved (see `space.rs`).
//!
//! Where a batch is damaged, each live record that can be read, or that memory has, is moved by itself (`damaged.rs`).

mod damaged;

use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use hashbrown::HashMap;
use parking_lot::{Mutex, MutexGuard};

use crate::private::definitions::Definitions;
use crate::private::log::append::{Class, Refused};
use crate::private::log::disk::disk_error;
use crate::private::log::extent::{BATCH_HEADER_BYTES, BatchHeader, LogFile, Place};
use crate::private::log::prepare::{Freed, Spare, remove};
use crate::private::log::reader::{Image, Piece, read_extent, read_parts};
use crate::private::log::record::{Located, Operation, PutRecord, Unit, UnitHead, UnitKind, unit_head, units};
use crate::private::log::wait::block_on;
use crate::private::log::writer::Log;
use crate::private::quarantine::is_lasting;
use crate::private::queue::{Holder, Home, Key};
use crate::private::receipts::Receipts;
use crate::private::store::{Core, QueueSlot};
use crate::private::unit_of_work::{LockedQueues, Record, UnitOfWork};
use crate::{QueueId, ReceiptKey, StoreError, UnitOfWorkId, Xid};

/// Moved bytes after which the next ones wait for the log, so that moving never fills memory.
const PACE_BYTES: u64 = 1 << 20;

/// Frees the oldest extent if that is worth it. Without effect when the log takes no more.
pub(crate) fn reclaim(core: &Core) -> Option<Freed> {
    let log = core.log.as_ref()?;
    let (sequence, live_records) = log.lock().begin_reclaim()?;
    let moving = Move { core, log, sequence, unpaced: 0, last: None, damaged_at: None };
    // Refused, there is no space to move to; another attempt follows the next change of that.
    let is_moved = live_records == 0 || moving.run().is_ok();
    let freed = if is_moved { free(log, sequence) } else { None };
    log.lock().end_reclaim(freed.is_some());
    freed
}

/// The extent has no live record: says so durably, then renames its file.
fn free(log: &Log, sequence: u32) -> Option<Freed> {
    let (place, length) = {
        let mut appender = log.lock();
        if appender.state.holds.any() {
            return None;
        }
        let oldest = appender.state.extents.front().filter(|oldest| oldest.live_records == 0)?;
        assert_eq!(oldest.sequence, sequence, "only this thread frees extents");
        // The batch that is begun now is the first to say that the extent is not needed.
        appender.state.seal();
        let freed = appender.state.extents.pop_front()?;
        appender.state.measure();
        let damage = appender.state.damaged.remove(&sequence);
        let head = unit_head(UnitKind::Complete, UnitOfWorkId(0), None, 0);
        match appender.append(Class::Freeing, &[head.as_bytes()]) {
            Ok(place) => {
                appender.state.space_gained = true;
                (place, freed.length)
            }
            Err(_) => {
                appender.state.extents.push_front(freed);
                appender.state.measure();
                appender.state.damaged.extend(damage.map(|offset| (sequence, offset)));
                return None;
            }
        }
    };
    block_on(log.durable(place)).ok()?;
    let file = LogFile::Extent(sequence).name();
    let spare = LogFile::Spare(sequence).name();
    let spare = match log.disk.rename(&file, &spare) {
        Ok(()) => Some(Spare { file: spare, length: length as u64 }),
        Err(error) if error.kind() == ErrorKind::NotFound && has_log(log) => {
            // The handle of it goes as well, and with it the space.
            remove(log.disk.as_ref(), &file);
            tracing::warn!(
                extent = sequence,
                "the file of a log extent was removed by another program; what was needed of it was written again"
            );
            None
        }
        Err(source) => {
            log.fail(disk_error("rename", &file, source));
            return None;
        }
    };
    log.lock().state.wants_anchor = true;
    Some(Freed { spare })
}

/// Is the extent that is being filled in the directory? Else more is gone than a file that is needed no more.
fn has_log(log: &Log) -> bool {
    let current = LogFile::Extent(log.state.lock().current().sequence).name();
    log.disk.list().is_ok_and(|names| names.contains(&current))
}

/// Appending again what is live in one extent.
struct Move<'a> {
    core: &'a Core,
    log: &'a Log,
    sequence: u32,
    unpaced: u64,
    last: Option<Place>,
    /// Where the first damaged batch begins.
    damaged_at: Option<usize>,
}

impl Move<'_> {
    fn run(mut self) -> Result<(), Refused> {
        // While its last batch is written the extent is not whole, and that is no damage.
        let is_written = self.log.durable_up_to().extent() > self.sequence;
        let Some(image) = self.read()? else { return Ok(()) };
        self.move_batches(&image, is_written)?;
        let known = self.log.state.lock().damaged.get(&self.sequence).copied();
        if let Some(offset) = self.damaged_at.map(|offset| offset as u64).or(known) {
            self.tell_of_damage(offset, known.is_some());
        }
        Ok(())
    }

    /// The extent as far as it can be read; `None` when that cannot be said now.
    fn read(&mut self) -> Result<Option<Image>, Refused> {
        let disk = self.log.disk.as_ref();
        match read_extent(disk, self.sequence, None) {
            Ok(image) => Ok(Some(image)),
            Err(error) if is_lasting(&error) => {
                self.damaged_at = Some(0);
                let state = self.log.state.lock();
                let index = state.index_of(self.sequence).expect("only this thread frees extents");
                let extent = state.extents[index].header();
                drop(state);
                read_parts(disk, extent).map(Some).map_err(|error| Refused::Error(StoreError::File(Arc::new(error))))
            }
            Err(error) => {
                tracing::error!(error = %error, "a log extent cannot be read back, so its space stays in use");
                Ok(None)
            }
        }
    }

    fn move_batches(&mut self, image: &Image, is_written: bool) -> Result<(), Refused> {
        for piece in image.pieces() {
            match piece {
                Piece::Batch { batch, payload, .. } => {
                    self.move_batch(&batch, payload)?;
                    self.pace();
                }
                Piece::Gap(offset) => {
                    if !is_written || self.log.state.lock().live_records_of(self.sequence) == 0 {
                        return Ok(());
                    }
                    self.damaged_at.get_or_insert(offset);
                }
            }
        }
        self.move_one_by_one(image)
    }

    /// Once for each extent, however often it is tried. `is_told`: verification has said where.
    fn tell_of_damage(&self, offset: u64, is_told: bool) {
        let mut state = self.log.state.lock();
        let records = state.live_records_of(self.sequence);
        if state.damage_told.replace(self.sequence) == Some(self.sequence) && records > 0 {
            return;
        }
        drop(state);
        if records == 0 && is_told {
            tracing::info!(
                extent = self.sequence,
                "all that is needed of the damaged extent of the recovery log was written again"
            );
        } else if records == 0 {
            tracing::warn!(
                extent = self.sequence,
                offset,
                "a batch of the recovery log was damaged; all that is needed of it was written again; check the disk"
            );
        } else {
            tracing::error!(
                extent = self.sequence,
                offset,
                records,
                "a batch of the recovery log is damaged, and some of it can be had from nowhere: the space of its extent \
                 stays in use, and a start will refuse the log; get the messages or remove those in quarantine"
            );
        }
    }

    /// Locks in the order of everybody else: that of large outcomes, units of work, definitions, queues, receipts, the log.
    fn move_batch(&mut self, batch: &BatchHeader, payload: &[u8]) -> Result<(), Refused> {
        let _queues_are_true = self.core.moving.lock();
        let units: Vec<Unit<'_>> = units(payload, batch.units).map_while(Result::ok).collect();
        let works = self.units_of_work(&units);
        let mut works: Vec<OpenUnit<'_>> = works.iter().map(|(id, work)| OpenUnit::lock(*id, work, batch)).collect();
        let mut definitions = has_definitions(&units).then(|| self.core.definitions.lock());
        let slots = self.queues(&units);
        let mut queues = LockedQueues::of(&slots);
        let mut receipts = has_receipts(&units).then(|| self.core.receipts.lock());
        let base = batch.place.plus(BATCH_HEADER_BYTES);
        let mut live = Vec::new();
        for unit in &units {
            let work = works.iter().position(|work| work.id == unit.unit_of_work);
            let mut found = Live {
                base,
                work,
                definitions: definitions.as_deref_mut(),
                queues: &mut queues,
                receipts: receipts.as_deref_mut(),
            };
            live.extend(found.of(unit, &works));
        }
        let mut appender = self.log.lock();
        for LiveUnit { head, operations, records } in &live {
            let unit = appender.append(Class::Moving, &[head.as_bytes(), operations])?;
            let start = unit.plus(head.as_bytes().len());
            for LiveRecord { what, old, bytes, offset } in records {
                let new = if matches!(what, What::Mark(_)) { unit } else { start.plus(*offset) };
                appender.state.relocated(*old, new, *bytes);
                let record = Record::Logged { place: new, bytes: *bytes };
                match what {
                    What::Message(queue, key) => {
                        let queue = queues.find(*queue).expect("it was found there");
                        let slot = queue.slot(*key).expect("it was found there");
                        queue.entry_mut(slot).home = Home::Log { place: new, bytes: *bytes };
                    }
                    What::Definition(key) => {
                        let known = definitions.as_mut().and_then(|known| known.record_at(key, *old));
                        known.expect("it was found there").0 = new;
                    }
                    What::Receipt(key) => {
                        let known = receipts.as_mut().and_then(|known| known.record_at(key, *old));
                        *known.expect("it was found there") = new;
                    }
                    What::Get(work, index) => works[*work].unit.works[*index].record = record,
                    What::Mark(work) => {
                        let prepared = works[*work].unit.prepared.as_mut().expect("it was found there");
                        prepared.record = Some((new, *bytes));
                    }
                }
            }
            self.moved(unit, (head.as_bytes().len() + operations.len()) as u64);
        }
        Ok(())
    }

    fn moved(&mut self, unit: Place, bytes: u64) {
        self.last = Some(unit);
        self.unpaced += bytes;
        self.log.counters.moved_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// The units of work, still open, that the batch has records of.
    fn units_of_work(&self, units: &[Unit<'_>]) -> Vec<(UnitOfWorkId, Arc<Mutex<UnitOfWork>>)> {
        let lasting = |unit: &&Unit<'_>| matches!(unit.kind, UnitKind::Part | UnitKind::Prepared);
        let mut ids: Vec<UnitOfWorkId> = units.iter().filter(lasting).map(|unit| unit.unit_of_work).collect();
        ids.sort_unstable();
        ids.dedup();
        ids.into_iter().filter_map(|id| Some((id, self.core.units.existing(id).ok()??))).collect()
    }

    /// The queues, still there, that the batch has puts to, in order of their ids.
    fn queues(&self, units: &[Unit<'_>]) -> Vec<Arc<QueueSlot>> {
        let mut ids: Vec<QueueId> = operations(units)
            .filter_map(|operation| match operation {
                Operation::Put(record) | Operation::Moved(record) => Some(record.queue),
                _ => None,
            })
            .collect();
        ids.sort_unstable();
        ids.dedup();
        ids.into_iter().filter_map(|id| self.core.queue(id).ok()).collect()
    }

    /// Lets the writer keep up. A log that failed is noticed by the next append.
    fn pace(&mut self) {
        if self.unpaced >= PACE_BYTES {
            self.unpaced = 0;
            if let Some(last) = self.last {
                let _ = block_on(self.log.durable(last));
            }
        }
    }
}

fn operations<'a>(units: &'a [Unit<'a>]) -> impl Iterator<Item = Operation<'a>> {
    units.iter().flat_map(|unit| unit.operations().map_while(Result::ok)).map(|located| located.operation)
}

fn has_definitions(units: &[Unit<'_>]) -> bool {
    operations(units).any(|operation| matches!(operation, Operation::SaveDefinition { .. }))
}

fn has_receipts(units: &[Unit<'_>]) -> bool {
    operations(units).any(|operation| matches!(operation, Operation::Receipt { .. }))
}

/// A unit of work that has no outcome, locked.
struct OpenUnit<'a> {
    id: UnitOfWorkId,
    unit: MutexGuard<'a, UnitOfWork>,
    /// Its gets with a record in the batch: index by place.
    gets: HashMap<Place, usize, foldhash::fast::RandomState>,
}

impl<'a> OpenUnit<'a> {
    fn lock(id: UnitOfWorkId, unit: &'a Mutex<UnitOfWork>, batch: &BatchHeader) -> Self {
        let unit = unit.lock();
        let gets = unit.gets_between(batch.place, batch.end());
        Self { id, unit, gets }
    }
}

/// What is live of one unit, as a unit of its own.
struct LiveUnit {
    head: UnitHead,
    operations: Vec<u8>,
    records: Vec<LiveRecord>,
}

struct LiveRecord {
    what: What,
    old: Place,
    bytes: u32,
    /// Among the operations, in bytes.
    offset: usize,
}

/// Whose place changes.
enum What {
    Message(QueueId, Key),
    Definition(String),
    Receipt(ReceiptKey),
    /// Index of the unit of work, and of the get in it.
    Get(usize, usize),
    /// That a unit of work is prepared.
    Mark(usize),
}

/// Finds what is live.
struct Live<'a, 'b> {
    /// Where the payload of the batch starts.
    base: Place,
    /// Index of the unit of work that the unit is a part of.
    work: Option<usize>,
    definitions: Option<&'a mut Definitions>,
    queues: &'a mut LockedQueues<'b>,
    receipts: Option<&'a mut Receipts>,
}

impl Live<'_, '_> {
    /// A unit of work's own, what is committed, or neither.
    fn of(&mut self, unit: &Unit<'_>, works: &[OpenUnit<'_>]) -> Vec<LiveUnit> {
        let (mut part, mut complete) = (Gathered::default(), Gathered::default());
        for located in unit.operations().map_while(Result::ok) {
            let Located { operation, start, length } = located;
            let old = self.base.plus(start);
            match operation {
                Operation::Put(record) | Operation::Moved(record) => {
                    let Some((record, holder)) = self.message(record, old) else { continue };
                    // A put that is not committed stays part of its unit of work.
                    let is_part = matches!(holder, Holder::Put(_));
                    let into = if is_part { &mut part } else { &mut complete };
                    let again = if is_part { Operation::Put(record) } else { Operation::Moved(record) };
                    into.add(What::Message(record.queue, record.key), &again, old, length);
                }
                Operation::SaveDefinition { key, .. } => {
                    let known = self.definitions.as_mut().and_then(|known| known.record_at(key, old));
                    if known.is_some() {
                        complete.add(What::Definition(key.to_owned()), &operation, old, length);
                    }
                }
                Operation::Receipt { key, .. } => {
                    if self.receipts.as_mut().is_some_and(|known| known.record_at(&key, old).is_some()) {
                        complete.add(What::Receipt(key), &operation, old, length);
                    }
                }
                Operation::Get { .. } => {
                    let get = self.work.and_then(|work| Some((work, *works[work].gets.get(&old)?)));
                    if let Some((work, index)) = get {
                        part.add(What::Get(work, index), &operation, old, length);
                    }
                }
                Operation::BackoutCount { .. }
                | Operation::DeleteDefinition { .. }
                | Operation::DropQueue(_)
                | Operation::ClearQueue(_) => {}
            }
        }
        let place = self.base.plus(unit.start);
        let mark = self.work.and_then(|work| Some((work, works[work].unit.prepared.as_ref()?)));
        let mark = mark.and_then(|(work, prepared)| {
            let (at, bytes) = prepared.record.filter(|(at, _)| *at == place)?;
            let what = What::Mark(work);
            part.records.push(LiveRecord { what, old: at, bytes, offset: 0 });
            Some(prepared.xid.as_ref())
        });
        let (kind, xid) = match mark {
            Some(xid) => (UnitKind::Prepared, xid),
            None => (UnitKind::Part, None),
        };
        let part = part.unit(kind, unit.unit_of_work, xid);
        part.into_iter().chain(complete.unit(UnitKind::Complete, UnitOfWorkId(0), None)).collect()
    }

    /// The record as it is to be written again, if it is its message's home.
    fn message<'r>(&mut self, record: PutRecord<'r>, at: Place) -> Option<(PutRecord<'r>, Holder)> {
        let queue = self.queues.find(record.queue)?;
        let entry = queue.entry(queue.slot(record.key)?);
        match entry.home {
            Home::Log { place, .. } if place == at => {
                Some((PutRecord { backout_count: entry.backout_count, ..record }, entry.holder))
            }
            _ => None,
        }
    }
}

#[derive(Default)]
struct Gathered {
    operations: Vec<u8>,
    records: Vec<LiveRecord>,
}

impl Gathered {
    fn add(&mut self, what: What, operation: &Operation<'_>, old: Place, length: usize) {
        let bytes = u32::try_from(length).expect("a record is shorter than its extent");
        self.records.push(LiveRecord { what, old, bytes, offset: self.operations.len() });
        operation.encode(&mut self.operations);
    }

    fn unit(self, kind: UnitKind, id: UnitOfWorkId, xid: Option<&Xid>) -> Option<LiveUnit> {
        let Self { operations, records } = self;
        (!records.is_empty()).then(|| LiveUnit {
            head: unit_head(kind, id, xid, operations.len()),
            operations,
            records,
        })
    }
}
