//! Moving what is live of an extent with a damaged batch: record by record, as memory knows them.
//!
//! Memory knows where each live record is and most of what it says, and the content of messages and definitions has a
//! checksum of its own. A message whose content can be had neither from the disk nor from memory is set aside; its record
//! stays where it is, and with it its extent. So does what belongs to an open unit of work, until its outcome.

use std::num::NonZeroU64;
use std::sync::Arc;

use super::Move;
use crate::UnitOfWorkId;
use crate::private::log::append::{Class, Refused};
use crate::private::log::cursor::{Cursor, length_field};
use crate::private::log::extent::Place;
use crate::private::log::reader::{Image, damaged};
use crate::private::log::record::{
    Operation, PutRecord, UNIT_HEADER_BYTES, UnitKind, content_of, next_operation, unit_head,
};
use crate::private::queue::{Entry, Holder, Home, Key};
use crate::private::store::QueueSlot;

impl Move<'_> {
    pub(super) fn move_one_by_one(&mut self, image: &Image) -> Result<(), Refused> {
        let slots: Vec<Arc<QueueSlot>> = self.core.queues.read().values().cloned().collect();
        for slot in slots {
            let keys = slot.queue.lock().keys_in_extent(self.sequence);
            for key in keys {
                self.move_message(&slot, key, image)?;
                self.pace();
            }
        }
        self.move_definitions(image)?;
        self.move_receipts(image)
    }

    fn move_message(&mut self, slot: &QueueSlot, key: Key, image: &Image) -> Result<(), Refused> {
        let _queues_are_true = self.core.moving.lock();
        let mut queue = slot.queue.lock();
        let Some(found) = queue.slot(key) else { return Ok(()) };
        let entry = queue.entry(found);
        let Home::Log { place, bytes } = entry.home else { return Ok(()) };
        let Some(bytes_there) = slice(image, self.sequence, place, bytes) else { return Ok(()) };
        let Some(record) = message_again(slot, entry, bytes_there, bytes) else {
            if entry.holder == Holder::Nobody {
                self.core.set_aside(slot, queue, found, &damaged(place));
            }
            return Ok(());
        };
        let place = self.append_again(place, bytes, [&record.head(true), record.content])?;
        queue.entry_mut(found).home = Home::Log { place, bytes };
        Ok(())
    }

    fn move_definitions(&mut self, image: &Image) -> Result<(), Refused> {
        let mut definitions = self.core.definitions.lock();
        for (key, place, bytes) in definitions.in_extent(self.sequence) {
            let Some(record) = slice(image, self.sequence, place, bytes) else { continue };
            let is_right = match next_operation(&mut Cursor::new(record)) {
                Some(Operation::SaveDefinition { key: there, value, crc }) => {
                    there == key && crc32c::crc32c(value) == crc
                }
                _ => false,
            };
            if !is_right {
                continue;
            }
            let moved_to = self.append_again(place, bytes, [record, &[]])?;
            definitions.record_at(&key, place).expect("it was found under this lock").0 = moved_to;
        }
        Ok(())
    }

    fn move_receipts(&mut self, image: &Image) -> Result<(), Refused> {
        let mut receipts = self.core.receipts.lock();
        for (key, place, bytes) in receipts.in_extent(self.sequence) {
            let Some(record) = slice(image, self.sequence, place, bytes) else { continue };
            let is_right = match next_operation(&mut Cursor::new(record)) {
                Some(Operation::Receipt { key: there, value, crc, .. }) => there == key && crc32c::crc32c(value) == crc,
                _ => false,
            };
            if !is_right {
                continue;
            }
            let moved_to = self.append_again(place, bytes, [record, &[]])?;
            *receipts.record_at(&key, place).expect("it was found under this lock") = moved_to;
        }
        Ok(())
    }

    /// Appends a record as a unit of its own, and says where it is from now on. The caller holds the lock of what points to it.
    fn append_again(&mut self, from: Place, bytes: u32, record: [&[u8]; 2]) -> Result<Place, Refused> {
        let length = record.iter().map(|piece| piece.len()).sum();
        let head = unit_head(UnitKind::Complete, UnitOfWorkId(0), None, length);
        let mut appender = self.log.lock();
        let unit = appender.append(Class::Moving, &[head.as_bytes(), record[0], record[1]])?;
        let to = unit.plus(UNIT_HEADER_BYTES);
        appender.state.relocated(from, to, bytes);
        drop(appender);
        self.moved(unit, u64::from(bytes));
        Ok(to)
    }
}

/// A record's bytes in the image of its extent; `None` for a record elsewhere.
fn slice(image: &Image, sequence: u32, place: Place, bytes: u32) -> Option<&[u8]> {
    let from = usize::try_from(place.offset()).ok()?;
    if place.extent() == sequence { image.bytes.get(from..from + bytes as usize) } else { None }
}

/// What memory knows of the message counts. Only the checksum of a body in a file of its own is known to the record alone.
fn message_again<'a>(slot: &QueueSlot, entry: &'a Entry, record: &'a [u8], bytes: u32) -> Option<PutRecord<'a>> {
    if matches!(entry.holder, Holder::Put(_)) {
        return None;
    }
    let (content, content_crc, body_crc) = content_of(record)?;
    let content = if crc32c::crc32c(content) == content_crc { content } else { entry.cached.as_deref()? };
    let body_here = if entry.body_file.is_some() { 0 } else { entry.body_bytes as usize };
    let again = PutRecord {
        queue: slot.id,
        key: entry.key,
        expires: entry.expires,
        arrived: entry.arrived,
        body_file: entry.body_file.map_or(0, NonZeroU64::get),
        backout_count: entry.backout_count,
        body_length: entry.body_bytes,
        content_crc: crc32c::crc32c(content),
        body_crc,
        descriptor_length: length_field(content.len().checked_sub(body_here)?),
        content,
    };
    (again.record_length() == bytes as usize).then_some(again)
}
