//! Writes what a survey could read as a backup, from which a queue manager is restored; and checks the bodies of messages.
//!
//! The backup is a log of its own: definitions, messages under the keys that they had, units of work in doubt, receipts. It
//! has no more than the survey has, and says so with the survey's findings. The source is only read.

use rand::RngCore;

use crate::private::log::backup::{self, BackupError, BackupFile, Contents};
use crate::private::log::cursor::Cursor;
use crate::private::log::disk::{Disk, disk_error, read_exact};
use crate::private::log::extent::{
    BATCH_ALIGNMENT, BATCH_HEADER_BYTES, BatchHeader, EXTENT_HEADER_BYTES, ExtentHeader, LogFile, PAGE_BYTES, Place,
};
use crate::private::log::hold::Point;
use crate::private::log::record::{Operation, PutRecord, UNIT_HEADER_BYTES, UnitKind, next_operation, unit_head};
use crate::private::log::recovery::{InDoubt, RecoveredWork};
use crate::private::log::stored::{Buffer, is_body_whole};
use crate::private::log::survey::{Finding, Survey};
use crate::private::queue::{Entry, Holder, Home, Key};
use crate::{QueueId, RecoveryLogError, UnitOfWorkId};

/// Bytes gathered into one batch, unless a single unit is longer.
const BATCH_BYTES: usize = 1 << 20;
/// What every extent leaves to the records that say others are free, in bytes: see `space.rs`.
const FREEING_BYTES: usize = 1 << 10;

/// What came of a salvage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Salvaged {
    pub messages: u64,
    pub definitions: u64,
    pub files: u64,
    pub bytes: u64,
}

/// A message as the survey found it.
struct Found {
    queue: QueueId,
    key: Key,
    place: Place,
    bytes: u32,
    body_file: Option<u64>,
    body_bytes: u32,
    backout_count: u32,
    message_id: String,
    in_doubt: Option<UnitOfWorkId>,
}

impl Found {
    fn of(queue: QueueId, entry: &Entry) -> Option<Self> {
        let Home::Log { place, bytes } = entry.home else { return None };
        let in_doubt = match entry.holder {
            Holder::Put(unit) => Some(unit),
            _ => None,
        };
        Some(Self {
            queue,
            key: entry.key,
            place,
            bytes,
            body_file: entry.body_file.map(std::num::NonZeroU64::get),
            body_bytes: entry.body_bytes,
            backout_count: entry.backout_count,
            message_id: entry.message_id.to_string(),
            in_doubt,
        })
    }

    fn unreadable(&self) -> Finding {
        let file = self.body_file.map_or(LogFile::Extent(self.place.extent()), LogFile::Body);
        Finding::UnreadableMessage {
            queue: self.queue,
            key: self.key.position().0,
            message_id: self.message_id.clone(),
            file: file.name().0,
        }
    }

    /// The bytes of its record, whose content has the right checksum.
    fn record(&self, disk: &dyn Disk) -> Option<Vec<u8>> {
        let mut record = vec![0; self.bytes as usize];
        let file = LogFile::Extent(self.place.extent()).name();
        read_exact(disk, &file, self.place.offset(), &mut record).ok()?;
        let put = put_of(&record)?;
        let is_it = put.queue == self.queue && put.key == self.key;
        (is_it && crc32c::crc32c(put.content) == put.content_crc).then_some(record)
    }
}

fn put_of(record: &[u8]) -> Option<PutRecord<'_>> {
    match next_operation(&mut Cursor::new(record)) {
        Some(Operation::Put(put) | Operation::Moved(put)) => Some(put),
        _ => None,
    }
}

/// The record of a receipt, if its value is right.
fn receipt(disk: &dyn Disk, place: Place, bytes: u32) -> Option<Vec<u8>> {
    let mut record = vec![0; bytes as usize];
    read_exact(disk, &LogFile::Extent(place.extent()).name(), place.offset(), &mut record).ok()?;
    let is_right = match next_operation(&mut Cursor::new(&record)) {
        Some(Operation::Receipt { value, crc, .. }) => crc32c::crc32c(value) == crc,
        _ => false,
    };
    is_right.then_some(record)
}

impl Survey {
    /// All messages in the order of their records.
    fn messages(&self) -> Vec<Found> {
        let of = |(id, queue): (&QueueId, &crate::private::queue::Queue)| {
            queue.entries().filter_map(|entry| Found::of(*id, entry)).collect::<Vec<_>>()
        };
        let mut found: Vec<Found> = self.replay.queues.iter().flat_map(of).collect();
        found.sort_by_key(|message| message.place);
        found
    }

    /// Reads every body that has a file of its own, and compares its checksum.
    ///
    /// # Errors
    /// One that may pass, such as no descriptor.
    pub fn check_bodies(&mut self, disk: &dyn Disk) -> Result<(), RecoveryLogError> {
        let fails = |source| disk_error("read", &LogFile::Body(0).name(), source);
        let mut buffer = Buffer::new().map_err(fails)?;
        for message in self.messages() {
            let Some(number) = message.body_file else { continue };
            let crc = message.record(disk).and_then(|record| put_of(&record).map(|put| put.body_crc));
            let is_whole = match crc {
                Some(crc) => is_body_whole(disk, number, message.body_bytes, crc, &mut buffer, &mut |_| true)
                    .map_err(|error| disk_error("read", &LogFile::Body(number).name(), error.into_io()))?,
                None => false,
            };
            if is_whole {
                self.add_bytes(u64::from(message.body_bytes));
            } else {
                self.findings.push(message.unreadable());
            }
        }
        Ok(())
    }

    /// Writes all that was read into an empty folder, with `additions` to the definitions, as a backup of the queue manager
    /// `name`. What turns out to be unreadable joins the findings.
    ///
    /// # Errors
    /// The folder holds something or cannot be written, or a read fails for a reason that may pass.
    pub fn write(
        &mut self,
        source: &dyn Disk,
        folder: &dyn Disk,
        name: &str,
        additions: &[(String, Vec<u8>)],
    ) -> Result<Salvaged, BackupError> {
        if Contents::read(folder)?.is_some() {
            return Err(BackupError::NotEmpty { file: "contents".to_owned() });
        }
        backup::begin(folder)?;
        let length = self.longest_extent.max(64 << 10).next_multiple_of(PAGE_BYTES as u64);
        let mut writer = Writer::new(folder, length, self.replay.next_position)?;
        let mut salvaged = Salvaged::default();
        let added = additions.iter().map(|(key, value)| (key, value));
        let kept = self.replay.definitions.iter().map(|(key, definition)| (key, &definition.value));
        for (key, value) in kept.chain(added) {
            writer.operation(&Operation::SaveDefinition { key, value, crc: crc32c::crc32c(value) })?;
            salvaged.definitions += 1;
        }
        let mut in_doubt: Vec<(UnitOfWorkId, Vec<u8>)> = Vec::new();
        for message in self.messages() {
            let record = message.record(source);
            let put = record.as_deref().and_then(put_of);
            let put = put.map(|put| PutRecord { backout_count: message.backout_count, ..put });
            let Some(put) = put.filter(|put| put.body_file == message.body_file.unwrap_or(0)) else {
                self.findings.push(message.unreadable());
                continue;
            };
            if put.body_file != 0 && !writer.body(source, &put)? {
                self.findings.push(message.unreadable());
                continue;
            }
            salvaged.messages += 1;
            match message.in_doubt {
                Some(unit) => {
                    let mut operation = Vec::new();
                    Operation::Put(put).encode(&mut operation);
                    in_doubt.push((unit, operation));
                }
                None => writer.operation(&Operation::Put(put))?,
            }
        }
        for (unit, open) in &self.replay.open {
            let puts = in_doubt.iter().filter(|(of, _)| of == unit).map(|(_, operation)| operation);
            writer.in_doubt(*unit, open, puts)?;
        }
        for (place, bytes) in self.replay.receipts.places() {
            match receipt(source, place, bytes) {
                Some(record) => writer.record(&record)?,
                None => self.findings.push(Finding::MalformedRecord { at: place.into() }),
            }
        }
        let (point, files) = writer.finish()?;
        salvaged.files = files.len() as u64;
        salvaged.bytes = files.iter().map(|file| file.bytes).sum();
        let contents = Contents { name: name.to_owned(), point, files };
        contents.write(folder)?;
        backup::remove_others(folder, &contents);
        Ok(salvaged)
    }
}

/// A log that is written once, from its first extent on.
struct Writer<'a> {
    folder: &'a dyn Disk,
    extent: ExtentHeader,
    /// Where the next batch begins.
    offset: usize,
    previous_end: Place,
    /// Checksum of the extent so far.
    crc: u32,
    /// With room for the header.
    batch: Vec<u8>,
    units: u32,
    next_position: u64,
    files: Vec<BackupFile>,
}

impl<'a> Writer<'a> {
    fn new(folder: &'a dyn Disk, length: u64, next_position: u64) -> Result<Self, RecoveryLogError> {
        let mut writer = Self {
            folder,
            extent: ExtentHeader { sequence: 0, salt: 0, length },
            offset: 0,
            previous_end: Place::new(1, EXTENT_HEADER_BYTES),
            crc: 0,
            batch: vec![0; BATCH_HEADER_BYTES],
            units: 0,
            next_position,
            files: Vec::new(),
        };
        writer.begin_extent()?;
        Ok(writer)
    }

    fn begin_extent(&mut self) -> Result<(), RecoveryLogError> {
        let sequence = self.extent.sequence + 1;
        self.extent = ExtentHeader { sequence, salt: rand::thread_rng().next_u64(), ..self.extent };
        let mut page = [0; EXTENT_HEADER_BYTES];
        let header = self.extent.encode();
        page[..header.len()].copy_from_slice(&header);
        let file = LogFile::Extent(sequence).name();
        let written = self.folder.create(&file).and_then(|()| self.folder.write(&file, 0, &page));
        written.map_err(|source| disk_error("write", &file, source))?;
        (self.offset, self.crc) = (EXTENT_HEADER_BYTES, crc32c::crc32c(&page));
        Ok(())
    }

    fn end_extent(&mut self) -> Result<(), RecoveryLogError> {
        let name = LogFile::Extent(self.extent.sequence).name();
        self.folder.sync(&name).map_err(|source| disk_error("sync", &name, source))?;
        self.files.push(BackupFile { name, bytes: self.offset as u64, crc: self.crc });
        Ok(())
    }

    fn operation(&mut self, operation: &Operation<'_>) -> Result<(), RecoveryLogError> {
        let mut bytes = Vec::new();
        operation.encode(&mut bytes);
        self.record(&bytes)
    }

    /// A whole operation as it was in a log.
    fn record(&mut self, record: &[u8]) -> Result<(), RecoveryLogError> {
        let head = unit_head(UnitKind::Complete, UnitOfWorkId(0), None, record.len());
        self.unit(head.as_bytes(), record)
    }

    fn unit(&mut self, head: &[u8], operations: &[u8]) -> Result<(), RecoveryLogError> {
        let length = head.len() + operations.len();
        let room = usize::try_from(self.extent.length).unwrap_or(usize::MAX) - FREEING_BYTES;
        let with_it = self.offset + (self.batch.len() + length).next_multiple_of(BATCH_ALIGNMENT);
        if self.units > 0 && (self.batch.len() + length > BATCH_BYTES || with_it > room) {
            self.flush()?;
        }
        if self.offset > EXTENT_HEADER_BYTES && self.offset + BATCH_HEADER_BYTES + length + BATCH_ALIGNMENT > room {
            self.end_extent()?;
            self.begin_extent()?;
        }
        self.batch.extend_from_slice(head);
        self.batch.extend_from_slice(operations);
        self.units += 1;
        Ok(())
    }

    fn flush(&mut self) -> Result<(), RecoveryLogError> {
        let length = self.batch.len().next_multiple_of(BATCH_ALIGNMENT);
        self.batch.resize(length, 0);
        let place = Place::new(self.extent.sequence, self.offset);
        let header = BatchHeader {
            place,
            previous_end: self.previous_end,
            next_position: self.next_position,
            oldest: 1,
            length,
            units: self.units,
        };
        header.seal(self.extent.salt, &mut self.batch);
        let file = LogFile::Extent(self.extent.sequence).name();
        let written = self.folder.write(&file, place.offset(), &self.batch);
        written.map_err(|source| disk_error("write", &file, source))?;
        self.crc = crc32c::crc32c_append(self.crc, &self.batch);
        self.offset += length;
        self.previous_end = header.end();
        self.batch.clear();
        self.batch.resize(BATCH_HEADER_BYTES, 0);
        self.units = 0;
        Ok(())
    }

    /// Copies the body of a message; false when it is not as its record says.
    fn body(&mut self, source: &dyn Disk, put: &PutRecord<'_>) -> Result<bool, BackupError> {
        let name = LogFile::Body(put.body_file).name();
        let file = BackupFile { name, bytes: u64::from(put.body_length), crc: put.body_crc };
        let is_whole = backup::copy_body(source, self.folder, &file)?;
        if is_whole {
            self.files.push(file);
        } else {
            // Contents do not name it, so a part of it does no harm.
            let _ = self.folder.remove(&file.name);
        }
        Ok(is_whole)
    }

    /// A unit of work as it is before its outcome, in parts that fit into batches.
    fn in_doubt<'b>(
        &mut self,
        id: UnitOfWorkId,
        open: &InDoubt,
        puts: impl Iterator<Item = &'b Vec<u8>>,
    ) -> Result<(), RecoveryLogError> {
        for operation in puts {
            self.unit(unit_head(UnitKind::Part, id, None, operation.len()).as_bytes(), operation)?;
        }
        for RecoveredWork { queue, key, .. } in open.works.keys().filter(|work| work.got) {
            let mut operation = Vec::new();
            Operation::Get { queue: *queue, key: *key }.encode(&mut operation);
            self.unit(unit_head(UnitKind::Part, id, None, operation.len()).as_bytes(), &operation)?;
        }
        let xid = open.prepared.as_ref().and_then(|mark| mark.xid.as_ref());
        self.unit(unit_head(UnitKind::Prepared, id, xid, 0).as_bytes(), &[])
    }

    fn finish(mut self) -> Result<(Point, Vec<BackupFile>), RecoveryLogError> {
        if self.units == 0 {
            // A log without any batch is not told from a new one.
            let nothing = unit_head(UnitKind::Complete, UnitOfWorkId(0), None, 0);
            debug_assert_eq!(nothing.as_bytes().len(), UNIT_HEADER_BYTES);
            self.unit(nothing.as_bytes(), &[])?;
        }
        self.flush()?;
        self.end_extent()?;
        Ok((Point { oldest: 1, end: self.previous_end.0 }, self.files))
    }
}
