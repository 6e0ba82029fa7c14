//! Frees the oldest extent: appends again what is still needed of it, then makes it spare. This bounds the log, and with
//! it the time of a restart, which reads the whole log.
//!
//! Extents are freed strictly oldest first, so a record that says "this is gone" (get, delete, commit ...) is always
//! freed after the record it speaks of. An extent is freed only once everything that ended its records is durable, and
//! a durable batch says that the extent is not needed.
//!
//! A message is appended again under its queue's lock, a unit's record under the unit's: none ever follows its own end.

use std::sync::atomic::Ordering;

use crate::private::log::append::{Class, Refused, State};
use crate::private::log::disk::disk_error;
use crate::private::log::extent::{BATCH_HEADER_BYTES, BatchHeader, EXTENT_HEADER_BYTES, LogFile, Place};
use crate::private::log::prepare::Spare;
use crate::private::log::record::{Operation, PutRecord, UnitKind, unit_head, units};
use crate::private::log::recovery::{Image, read_extent};
use crate::private::log::wait::block_on;
use crate::private::log::writer::Log;
use crate::private::queue::{Holder, Home};
use crate::private::store::Core;
use crate::{StoreOptions, UnitOfWorkId};

/// Moved bytes after which the next ones wait for the log, so that moving never fills memory.
const PACE_BYTES: u64 = 1 << 20;

/// Frees the oldest extent if that is worth it; returns its file. Without effect when the log takes no more.
pub(crate) fn reclaim(core: &Core) -> Option<Spare> {
    let log = core.log.as_ref()?;
    let (sequence, live_records) = {
        let state = log.state.lock();
        if !is_worth_it(&state, &log.options) {
            return None;
        }
        let oldest = state.extents.front()?;
        (oldest.sequence, oldest.live_records)
    };
    if live_records > 0 {
        let moving = Move { core, log, sequence, unpaced: 0, last: None };
        // Refused, there is no space to move to; another attempt follows the next change of that.
        moving.run().ok()?;
    }
    free(log, sequence)
}

fn is_worth_it(state: &State, options: &StoreOptions) -> bool {
    let (Some(oldest), true) = (state.extents.front(), state.extents.len() > 1) else { return false };
    if state.stopping || state.holds.any() {
        return false;
    }
    if oldest.live_records == 0 {
        return true;
    }
    if state.full {
        // Moving takes space before it gives any: not the space that gets and commits need meanwhile.
        let left_to_others = oldest.length as u64 / 4;
        let takes = oldest.live_bytes + oldest.live_bytes / 4;
        return oldest.live_bytes < oldest.length as u64 / 2 && takes + left_to_others <= state.prepared_bytes();
    }
    let slack = 2 * options.extent_bytes;
    state.used_bytes() > options.minimum_log_bytes.max(2 * state.live_bytes() + slack)
}

/// The extent has no live record: says so durably, then renames its file.
fn free(log: &Log, sequence: u32) -> Option<Spare> {
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
        let head = unit_head(UnitKind::Complete, UnitOfWorkId(0), None, 0);
        match appender.append(Class::Freeing, &[head.as_bytes()]) {
            Ok(place) => {
                appender.state.space_gained = true;
                (place, freed.length)
            }
            Err(_) => {
                appender.state.extents.push_front(freed);
                return None;
            }
        }
    };
    block_on(log.durable(place)).ok()?;
    let file = LogFile::Extent(sequence).name();
    let spare = LogFile::Spare(sequence).name();
    match log.disk.rename(&file, &spare) {
        Ok(()) => Some(Spare { file: spare, length: length as u64 }),
        Err(source) => {
            log.fail(disk_error("rename", &file, source));
            None
        }
    }
}

/// Appending again what is live in one extent.
struct Move<'a> {
    core: &'a Core,
    log: &'a Log,
    sequence: u32,
    unpaced: u64,
    last: Option<Place>,
}

impl Move<'_> {
    fn run(mut self) -> Result<(), Refused> {
        let image = match read_extent(self.log.disk.as_ref(), self.sequence, None) {
            Ok(image) => image,
            Err(error) => {
                tracing::error!(error = %error, "a log extent cannot be read back, so its space stays in use");
                return Ok(());
            }
        };
        self.move_records(&image)?;
        for (id, unit) in self.core.units.all() {
            self.last = unit.lock().move_forward(self.log, id, self.sequence)?.or(self.last);
        }
        Ok(())
    }

    fn move_records(&mut self, image: &Image) -> Result<(), Refused> {
        let mut offset = EXTENT_HEADER_BYTES;
        while let Some((batch, payload)) = BatchHeader::read(&image.header, &image.bytes, offset) {
            offset += batch.length;
            let base = batch.place.plus(BATCH_HEADER_BYTES);
            for unit in units(payload, batch.units).map_while(Result::ok) {
                for located in unit.operations().map_while(Result::ok) {
                    let place = base.plus(located.start);
                    match located.operation {
                        Operation::Put(record) | Operation::Moved(record) => self.message(&record, place)?,
                        Operation::SaveDefinition { key, .. } => self.definition(key, &located.operation, place)?,
                        Operation::Get { .. }
                        | Operation::BackoutCount { .. }
                        | Operation::DeleteDefinition { .. }
                        | Operation::DropQueue(_)
                        | Operation::ClearQueue(_) => {}
                    }
                }
            }
            self.pace();
        }
        Ok(())
    }

    fn message(&mut self, record: &PutRecord<'_>, old: Place) -> Result<(), Refused> {
        let Ok(slot) = self.core.queue(record.queue) else { return Ok(()) };
        let mut queue = slot.queue.lock();
        let Some(found) = queue.slot(record.key) else { return Ok(()) };
        let entry = queue.entry(found);
        let Home::Log { place, bytes } = entry.home else { return Ok(()) };
        if place != old {
            return Ok(());
        }
        let record = PutRecord { backout_count: entry.backout_count, ..*record };
        // A put that is not committed stays part of its unit of work.
        let (kind, unit, moved) = match entry.holder {
            Holder::Put(unit) => (UnitKind::Part, unit, false),
            Holder::Nobody | Holder::Got(_) | Holder::Reading | Holder::Quarantine => {
                (UnitKind::Complete, UnitOfWorkId(0), true)
            }
        };
        let head = unit_head(kind, unit, None, record.record_length());
        let mut appender = self.log.lock();
        let pieces = [head.as_bytes(), &record.head(moved), record.content];
        let unit = appender.append(Class::Essential, &pieces)?;
        let place = unit.plus(head.as_bytes().len());
        appender.state.died(old, bytes);
        appender.state.lives(place, bytes);
        queue.entry_mut(found).home = Home::Log { place, bytes };
        self.moved(unit, u64::from(bytes));
        Ok(())
    }

    fn definition(&mut self, key: &str, operation: &Operation<'_>, old: Place) -> Result<(), Refused> {
        let mut definitions = self.core.definitions.lock();
        let Some(record) = definitions.record_at(key, old) else { return Ok(()) };
        let mut bytes = Vec::new();
        operation.encode(&mut bytes);
        let head = unit_head(UnitKind::Complete, UnitOfWorkId(0), None, bytes.len());
        let mut appender = self.log.lock();
        let unit = appender.append(Class::Essential, &[head.as_bytes(), &bytes])?;
        let place = unit.plus(head.as_bytes().len());
        appender.state.died(old, record.1);
        appender.state.lives(place, record.1);
        record.0 = place;
        let moved = u64::from(record.1);
        drop(appender);
        self.moved(unit, moved);
        Ok(())
    }

    fn moved(&mut self, unit: Place, bytes: u64) {
        self.last = Some(unit);
        self.unpaced += bytes;
        self.log.counters.moved_bytes.fetch_add(bytes, Ordering::Relaxed);
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
