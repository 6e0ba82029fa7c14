//! What the records of a log lead to, in their order: queues, definitions, units of work. No disk here, but for the bodies at the
//! end.

use std::num::NonZeroU64;

use model::timestamp::Timestamp;

use super::bodies::check_bodies;
use super::{Definition, Findings, InDoubt, Listing, Map, PreparedMark, RecoveredWork};
use crate::private::log::anchor::Anchor;
use crate::private::log::append::Continuation;
use crate::private::log::descriptor::Keys;
use crate::private::log::disk::Disk;
use crate::private::log::extent::{BATCH_HEADER_BYTES, BatchHeader, LogFile, Place};
use crate::private::log::reader::damaged;
use crate::private::log::record::{Operation, PutRecord, UnitKind, units};
use crate::private::message_count::MessageCounts;
use crate::private::queue::{Entry, Holder, Home, Key, Queue};
use crate::private::receipts::{Ended, Receipts};
use crate::{QueueId, RecoveryLogError, UnitOfWorkId};

/// Positions given to nonpersistent messages leave no trace in the log; this many are skipped at a restart.
const POSITIONS_SKIPPED: u64 = 1 << 32;

pub(in crate::private::log) struct Replay {
    pub(super) first_extent: u32,
    /// Live records and their bytes by extent, from the first on.
    pub(super) live: Vec<(u64, u64)>,
    pub(in crate::private::log) queues: Map<QueueId, Queue>,
    counts: MessageCounts,
    pub(in crate::private::log) definitions: Map<String, Definition>,
    pub(in crate::private::log) receipts: Receipts,
    /// Units of work with parts in the log and no outcome so far.
    pub(in crate::private::log) open: Map<UnitOfWorkId, InDoubt>,
    /// Messages got by one of `open`: their put may come later in the log than their get, once it was moved.
    pending_gets: Map<(QueueId, Key), UnitOfWorkId>,
    pub(in crate::private::log) next_position: u64,
    pub(in crate::private::log) next_queue: u32,
    next_unit: u64,
}

impl Replay {
    pub(in crate::private::log) fn new(maximum_receipts: u32) -> Self {
        Self {
            first_extent: 0,
            live: Vec::new(),
            queues: Map::default(),
            counts: MessageCounts::default(),
            definitions: Map::default(),
            receipts: Receipts::new(maximum_receipts),
            open: Map::default(),
            pending_gets: Map::default(),
            next_position: 0,
            next_queue: 0,
            next_unit: 0,
        }
    }

    /// Returns how many bytes the heads of its units have.
    pub(in crate::private::log) fn batch(
        &mut self,
        batch: &BatchHeader,
        payload: &[u8],
    ) -> Result<usize, RecoveryLogError> {
        let mut heads = 0;
        let base = batch.place.plus(BATCH_HEADER_BYTES);
        if batch.next_position > Key::POSITION_MAXIMUM {
            return Err(damaged(batch.place));
        }
        self.next_position = self.next_position.max(batch.next_position);
        for unit in units(payload, batch.units) {
            let unit = unit.map_err(|offset| damaged(base.plus(offset)))?;
            heads += unit.head_length;
            self.next_unit = self.next_unit.max(unit.unit_of_work.0.saturating_add(1));
            for located in unit.operations() {
                let located = located.map_err(|offset| damaged(base.plus(offset)))?;
                let place = base.plus(located.start);
                let bytes = u32::try_from(located.length).map_err(|_| damaged(place))?;
                let owner = (unit.kind != UnitKind::Complete).then_some(unit.unit_of_work);
                self.operation(located.operation, place, bytes, owner).ok_or_else(|| damaged(place))?;
            }
            let place = base.plus(unit.start);
            match unit.kind {
                UnitKind::Complete | UnitKind::Part => {}
                UnitKind::Prepared => {
                    let bytes = u32::try_from(unit.head_length).expect("a unit's head is short");
                    let mark = PreparedMark { xid: unit.xid, place, bytes };
                    if let Some(old) = self.open.entry(unit.unit_of_work).or_default().prepared.replace(mark) {
                        self.died(old.place, old.bytes);
                    }
                    self.lives(place, bytes);
                }
                UnitKind::Commit => self.resolve(unit.unit_of_work, true),
                UnitKind::BackOut => self.resolve(unit.unit_of_work, false),
            }
        }
        Ok(heads)
    }

    fn lives(&mut self, place: Place, bytes: u32) {
        if let Some(live) = self.live_at(place) {
            live.0 += 1;
            live.1 += u64::from(bytes);
        }
    }

    fn died(&mut self, place: Place, bytes: u32) {
        if let Some(live) = self.live_at(place) {
            live.0 -= 1;
            live.1 -= u64::from(bytes);
        }
    }

    fn live_at(&mut self, place: Place) -> Option<&mut (u64, u64)> {
        let index = place.extent().checked_sub(self.first_extent)?;
        self.live.get_mut(usize::try_from(index).ok()?)
    }

    /// `None` when a record contradicts itself.
    pub(in crate::private::log) fn operation(
        &mut self,
        operation: Operation<'_>,
        place: Place,
        bytes: u32,
        owner: Option<UnitOfWorkId>,
    ) -> Option<()> {
        match operation {
            Operation::Put(record) | Operation::Moved(record) => self.put(&record, place, bytes, owner)?,
            Operation::Get { queue, key } => {
                self.seen(queue, key);
                match owner {
                    None => self.remove(queue, key),
                    Some(unit) => self.got_in_unit(unit, queue, key, place, bytes),
                }
            }
            Operation::BackoutCount { queue, key, count } => {
                self.seen(queue, key);
                if let Some(queue) = self.queues.get_mut(&queue)
                    && let Some(slot) = queue.slot(key)
                {
                    queue.entry_mut(slot).backout_count = count;
                }
            }
            Operation::SaveDefinition { key, value, .. } => {
                let definition = Definition { place, bytes, value: value.to_vec() };
                if let Some(old) = self.definitions.insert(key.to_owned(), definition) {
                    self.died(old.place, old.bytes);
                }
                self.lives(place, bytes);
            }
            Operation::DeleteDefinition { key } => {
                if let Some(old) = self.definitions.remove(key) {
                    self.died(old.place, old.bytes);
                }
            }
            Operation::DropQueue(queue) | Operation::ClearQueue(queue) => self.clear(queue),
            Operation::Receipt { key, expires, .. } => {
                self.lives(place, bytes);
                for Ended { place, bytes } in self.receipts.enter(key, Timestamp(expires), place, bytes) {
                    self.died(place, bytes);
                }
            }
        }
        Some(())
    }

    fn seen(&mut self, queue: QueueId, key: Key) {
        self.next_queue = self.next_queue.max(queue.0.saturating_add(1));
        self.next_position = self.next_position.max(key.position().0 + 1);
    }

    fn put(&mut self, record: &PutRecord<'_>, place: Place, bytes: u32, owner: Option<UnitOfWorkId>) -> Option<()> {
        let PutRecord { queue: id, key, .. } = *record;
        if record.body_file > Key::POSITION_MAXIMUM {
            return None;
        }
        self.seen(id, key);
        self.next_position = self.next_position.max(record.body_file + 1);
        self.lives(place, bytes);
        if let Some(unit) = owner {
            let work = RecoveredWork { queue: id, key, got: false };
            self.open.entry(unit).or_default().works.insert(work, (place, bytes));
        }
        let queue = self.queues.entry(id).or_insert_with(|| Queue::new(self.counts.of(id)));
        if let Some(slot) = queue.slot(key) {
            let entry = queue.entry_mut(slot);
            let old = std::mem::replace(&mut entry.home, Home::Log { place, bytes });
            entry.backout_count = record.backout_count;
            if let Home::Log { place, bytes } = old {
                self.died(place, bytes);
            }
            return Some(());
        }
        let keys = Keys::decode(record.content)?;
        let holder = match (owner, self.pending_gets.get(&(id, key))) {
            (Some(unit), _) => Holder::Put(unit),
            (None, Some(unit)) => Holder::Got(*unit),
            (None, None) => Holder::Nobody,
        };
        queue.insert(Entry {
            key,
            arrived: record.arrived,
            expires: record.expires,
            message_id: keys.message_id,
            correlation_id: keys.correlation_id,
            group: keys.group_part(),
            cached: None,
            home: Home::Log { place, bytes },
            body_file: NonZeroU64::new(record.body_file),
            body_bytes: record.body_length,
            backout_count: record.backout_count,
            priority: keys.priority,
            persistent: true,
            holder,
        });
        Some(())
    }

    fn got_in_unit(&mut self, unit: UnitOfWorkId, id: QueueId, key: Key, place: Place, bytes: u32) {
        let work = RecoveredWork { queue: id, key, got: true };
        if let Some((place, bytes)) = self.open.entry(unit).or_default().works.insert(work, (place, bytes)) {
            self.died(place, bytes);
        }
        self.lives(place, bytes);
        self.pending_gets.insert((id, key), unit);
        if let Some(queue) = self.queues.get_mut(&id)
            && let Some(slot) = queue.slot(key)
        {
            // Held already by a unit that an earlier start backed out without a word in the log: the newer one counts.
            if queue.entry(slot).holder == Holder::Nobody {
                queue.hold(slot, Holder::Got(unit));
            } else {
                queue.entry_mut(slot).holder = Holder::Got(unit);
            }
        }
    }

    fn remove(&mut self, id: QueueId, key: Key) {
        if let Some(queue) = self.queues.get_mut(&id)
            && let Some(slot) = queue.slot(key)
            && let Home::Log { place, bytes } = queue.remove(slot).home
        {
            self.died(place, bytes);
        }
    }

    fn clear(&mut self, id: QueueId) {
        self.next_queue = self.next_queue.max(id.0.saturating_add(1));
        let Some(mut queue) = self.queues.remove(&id) else { return };
        for entry in queue.empty().into_entries() {
            if let Home::Log { place, bytes } = entry.home {
                self.died(place, bytes);
            }
        }
    }

    /// Commits or backs out what a unit of work has in the log. One whose parts are all freed is not known any more.
    pub(in crate::private::log) fn resolve(&mut self, unit: UnitOfWorkId, committed: bool) {
        let Some(InDoubt { works, prepared }) = self.open.remove(&unit) else { return };
        if let Some(mark) = prepared {
            self.died(mark.place, mark.bytes);
        }
        for (work, (place, bytes)) in works {
            if work.got {
                self.died(place, bytes);
                if self.pending_gets.get(&(work.queue, work.key)) == Some(&unit) {
                    self.pending_gets.remove(&(work.queue, work.key));
                }
            }
            let holder = if work.got { Holder::Got(unit) } else { Holder::Put(unit) };
            let Some(queue) = self.queues.get_mut(&work.queue) else { continue };
            let Some(slot) = queue.slot(work.key).filter(|slot| queue.entry(*slot).holder == holder) else { continue };
            if work.got == committed {
                self.remove(work.queue, work.key);
            } else {
                queue.release(slot);
            }
        }
    }

    pub(super) fn finish(
        mut self,
        disk: &dyn Disk,
        listing: Listing,
        anchor: Option<Anchor>,
        continuation: Option<Continuation>,
    ) -> Result<Findings, RecoveryLogError> {
        let abandoned: Vec<UnitOfWorkId> =
            self.open.iter().filter(|(_, open)| open.prepared.is_none()).map(|(unit, _)| *unit).collect();
        for unit in abandoned {
            self.resolve(unit, false);
        }
        let mut useless = listing.useless;
        let (orphans, set_aside) = check_bodies(disk, &mut self.queues, &listing.bodies)?;
        useless.extend(orphans.into_iter().map(|number| LogFile::Body(number).name()));
        let highest_body = listing.bodies.iter().max().map_or(0, |number| number.saturating_add(1));
        let continuation = continuation.map(|mut continuation| {
            for (extent, (records, bytes)) in continuation.extents.iter_mut().zip(&self.live) {
                (extent.live_records, extent.live_bytes) = (*records, *bytes);
            }
            continuation
        });
        Ok(Findings {
            continuation,
            anchor,
            spares: listing.spares,
            useless,
            set_aside,
            queues: self.queues,
            counts: self.counts,
            definitions: self.definitions,
            receipts: self.receipts,
            in_doubt: self.open,
            next_position: self.next_position.max(highest_body).max(1) + POSITIONS_SKIPPED,
            next_queue: self.next_queue.max(1),
            next_unit: self.next_unit.max(1),
        })
    }
}
