//! Reads all that can be read of a log directory, and says what is wrong with it, line by line. Changes nothing.
//!
//! Where a start refuses a log, this goes on behind the damage. What the readable batches say is replayed as a start does;
//! what may be wrong because of the rest is said. It reads past the system's cache, so it sees the disk.
//!
//! What the anchor says was durable and is not there is a finding. A log without an anchor is read by its batches alone.

mod finding;

use std::io::ErrorKind;

pub use crate::private::log::survey::finding::{Finding, Where};

use crate::private::log::anchor::{Anchor, Promise};
use crate::private::log::disk::{Disk, FileName, disk_error};
use crate::private::log::extent::{BATCH_HEADER_BYTES, BatchHeader, EXTENT_HEADER_BYTES, LogFile, Place};
use crate::private::log::hold::Point;
use crate::private::log::reader::{Image, Piece, read_stored_parts};
use crate::private::log::record::{Operation, PutRecord, Unit, UnitKind, units};
use crate::private::log::recovery::replay::Replay;
use crate::private::quarantine::is_lasting_io;
use crate::private::queue::{Holder, Key};
use crate::{QueueId, RecoveryLogError, UnitOfWorkId};

/// How far positions may have gone on in what is missing: a start skips 2^32.
const POSITIONS_AHEAD: u64 = 1 << 48;
/// The same for numbers of queues.
const QUEUES_AHEAD: u32 = 1 << 20;

/// What is to be done with a batch that is damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Damaged {
    /// Nothing of it counts.
    PassedOver,
    /// Messages and definitions whose content has the right checksum count. Nothing that ends others does, nor a receipt, whose
    /// messages may be lost: which bytes are wrong is not known.
    Salvaged,
}

/// What a log directory holds.
pub struct Survey {
    pub(super) replay: Replay,
    pub(super) findings: Vec<Finding>,
    pub(super) longest_extent: u64,
    totals: Totals,
    damaged: Damaged,
    /// What the anchor says.
    promise: Option<Promise>,
    /// Where the last readable batch ended; `None` as well when the next one is known to follow something else.
    end: Option<Place>,
    /// Where the last readable batch ended, or the log begins.
    reached: Place,
    oldest_needed: Option<u32>,
    /// The last place at which something is missing.
    gap: Option<Place>,
    /// Where the readable batches of extents ended, and nothing readable has followed so far: damage, or the end of the log.
    open_ends: Vec<OpenEnd>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    pub extents: u64,
    pub batches: u64,
    pub messages: u64,
    pub definitions: u64,
    /// Of extents up to the end of their batches, and of bodies.
    pub bytes: u64,
}

struct OpenEnd {
    offset: usize,
    /// A batch was begun there.
    is_begun: bool,
    image: Image,
}

impl OpenEnd {
    fn place(&self) -> Place {
        Place::new(self.image.header.sequence, self.offset)
    }
}

impl Survey {
    /// Reads the directory, or of a running log what is held for `point`.
    ///
    /// # Errors
    /// `Missing` when there is no extent at all; `Version` of an extent; `Disk` for errors that may pass.
    pub fn read(disk: &dyn Disk, point: Option<Point>, damaged: Damaged) -> Result<Self, RecoveryLogError> {
        let mut survey = Self {
            replay: Replay::new(u32::MAX),
            findings: Vec::new(),
            longest_extent: 0,
            totals: Totals::default(),
            damaged,
            promise: None,
            end: None,
            reached: Place::START,
            oldest_needed: None,
            gap: None,
            open_ends: Vec::new(),
        };
        // Before all else: beside a running server, what is read later has what it promises.
        survey.anchor(Anchor::read(disk))?;
        let mut extents = extents(disk)?;
        let last = extents.last().copied().unwrap_or_default();
        if let Some(Point { oldest, end }) = point {
            extents.retain(|sequence| (oldest..=Place(end).extent()).contains(sequence));
        }
        let oldest = survey.promise.map_or(1, |promise| promise.oldest);
        let Some(first) = extents.first().copied() else {
            return Err(RecoveryLogError::Missing { extent: u64::from(oldest) });
        };
        survey.reached = Place::new(first, EXTENT_HEADER_BYTES);
        let mut before = first - 1;
        for sequence in extents {
            survey.missing(before + 1, sequence);
            before = sequence;
            survey.extent(disk, sequence, point)?;
        }
        let needed = survey.oldest_needed.unwrap_or(oldest);
        if needed < first {
            survey.findings.insert(0, Finding::MissingExtents { first: needed, last: first - 1 });
            survey.gap = survey.gap.max(Some(Place::new(needed, 0)));
        }
        if let Some(promise) = survey.promise {
            survey.missing(last + 1, promise.highest.saturating_add(1));
        }
        survey.end_of_log(point);
        survey.open_units();
        survey.totals.definitions = survey.replay.definitions.len() as u64;
        survey.totals.messages = survey.replay.queues.values().map(|queue| queue.len() as u64).sum();
        Ok(survey)
    }

    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// What the findings mean: a start, and a backup, would refuse the log.
    pub fn is_damaged(&self) -> bool {
        self.findings.iter().any(Finding::is_damage)
    }

    /// Definitions by key.
    pub fn definitions(&self) -> Vec<(String, Vec<u8>)> {
        let all = self.replay.definitions.iter().map(|(key, definition)| (key.clone(), definition.value.clone()));
        let mut all: Vec<_> = all.collect();
        all.sort_unstable();
        all
    }

    /// Queues that have messages, with how many.
    pub fn queues(&self) -> Vec<(QueueId, usize)> {
        let mut all: Vec<_> = self.replay.queues.iter().map(|(id, queue)| (*id, queue.len())).collect();
        all.retain(|(_, messages)| *messages > 0);
        all.sort_unstable();
        all
    }

    /// A log without the file has no promise.
    fn anchor(&mut self, read: Result<Anchor, RecoveryLogError>) -> Result<(), RecoveryLogError> {
        let error = match read {
            Ok(anchor) => {
                self.promise = Some(anchor.promise);
                return Ok(());
            }
            Err(error) => error,
        };
        match error.io() {
            Some(io) if io.kind() == ErrorKind::NotFound => {}
            Some(io) if !is_lasting_io(io) => return Err(error),
            _ => self.findings.push(Finding::UnreadableAnchor { reason: error.to_string() }),
        }
        Ok(())
    }

    /// Extents that are not there, from `next` on below `sequence`.
    fn missing(&mut self, next: u32, sequence: u32) {
        if next < sequence {
            self.findings.push(Finding::MissingExtents { first: next, last: sequence - 1 });
            self.gap = Some(Place::new(next, 0));
            // What follows is known to follow something else.
            self.end = None;
        }
    }

    fn extent(&mut self, disk: &dyn Disk, sequence: u32, point: Option<Point>) -> Result<(), RecoveryLogError> {
        let (mut image, is_headed) = read_stored_parts(disk, sequence)?;
        if let Some(end) = point.map(|point| Place(point.end)).filter(|end| end.extent() == sequence) {
            let used = usize::try_from(end.offset()).unwrap_or(usize::MAX).min(image.bytes.len());
            image.bytes[used..].fill(0);
        }
        self.totals.extents += 1;
        self.longest_extent = self.longest_extent.max(image.header.length);
        if !is_headed {
            self.findings.push(Finding::DamagedHeader { extent: sequence });
            self.gap = Some(Place::new(sequence, 0));
        }
        if is_headed && self.promise.is_some_and(|promise| promise.check_extent(&image.header).is_err()) {
            // Nothing of another log counts: its gets would end messages of this one.
            self.findings.push(Finding::ReplacedExtent { extent: sequence });
            self.gap = Some(Place::new(sequence, 0));
            self.end = None;
            return Ok(());
        }
        let mut gap = None;
        for piece in image.pieces() {
            match piece {
                Piece::Gap(offset) => gap = Some(offset),
                Piece::Batch { batch, payload, offset } => {
                    if let Some(gap) = gap.take() {
                        self.damaged_batch(&image, gap, offset);
                    }
                    self.batch(&batch, payload);
                }
            }
        }
        // Behind the last batch none starts.
        let offset = gap.unwrap_or(image.bytes.len());
        self.totals.bytes += offset as u64;
        let is_begun = BatchHeader::begun(&image.header, &image.bytes, offset).is_some();
        if is_begun || offset > EXTENT_HEADER_BYTES || self.open_ends.is_empty() {
            self.open_ends.push(OpenEnd { offset, is_begun, image });
        }
        Ok(())
    }

    /// From `offset` on, with a readable one at `next`.
    fn damaged_batch(&mut self, image: &Image, offset: usize, next: usize) {
        let place = Place::new(image.header.sequence, offset);
        let salvaged = self.salvage(image, offset, next);
        self.findings.push(Finding::DamagedBatch { at: place.into(), next: Some(next as u64), salvaged });
        self.gap = Some(place);
        // The next batch is known to follow something else.
        self.end = None;
    }

    fn batch(&mut self, batch: &BatchHeader, payload: &[u8]) {
        if self.end.is_some_and(|end| end != batch.previous_end) || self.end.is_none() {
            self.something_is_missing(batch);
        }
        // Also when a log went on in the next extent after a batch was torn: that was cut.
        self.open_ends.clear();
        self.end = Some(batch.end());
        self.reached = batch.end();
        self.oldest_needed = Some(batch.oldest);
        self.totals.batches += 1;
        if let Err(RecoveryLogError::Damaged { extent, offset }) = self.replay.batch(batch, payload) {
            self.findings.push(Finding::MalformedRecord { at: Where { extent, offset } });
            self.gap = Some(batch.place);
        }
    }

    /// The batches before `next` are not those that it follows.
    fn something_is_missing(&mut self, next: &BatchHeader) {
        let is_told = self.damaged_ends(next.previous_end, true);
        if let Some(end) = self.end.filter(|_| !is_told) {
            self.findings.push(Finding::MissingBatches { at: end.into(), next: next.place.into() });
            self.gap = Some(end);
        }
    }

    /// There were batches up to `until`, and no others in its extent if that is exact: open ends before it are damage. True when
    /// there was any.
    fn damaged_ends(&mut self, until: Place, is_exact: bool) -> bool {
        let mut is_any = false;
        for open in std::mem::take(&mut self.open_ends) {
            let at = open.place();
            let ends_here = until.extent() == at.extent() && until > at;
            if !open.is_begun && !ends_here {
                continue;
            }
            let limit = if ends_here && is_exact { usize::try_from(until.offset()).ok() } else { None };
            let salvaged = self.salvage(&open.image, open.offset, limit.unwrap_or(open.image.bytes.len()));
            if !open.is_begun && !is_exact && salvaged == 0 {
                // Nothing is there: the log ends.
                continue;
            }
            self.findings.push(Finding::DamagedBatch { at: at.into(), next: None, salvaged });
            self.gap = Some(at);
            is_any = true;
        }
        is_any
    }

    fn end_of_log(&mut self, point: Option<Point>) {
        let promised = self.promise.map(|promise| promise.durable);
        let durable = point.map(|point| Place(point.end)).or(promised);
        if let Some(durable) = durable.filter(|durable| self.reached < *durable) {
            self.lost_end(durable);
            return;
        }
        for open in std::mem::take(&mut self.open_ends).into_iter().filter(|open| open.is_begun) {
            let salvaged = self.salvage(&open.image, open.offset, open.image.bytes.len());
            self.findings.push(Finding::TornTail { at: open.place().into(), salvaged });
            // What the unit of work of a part came to may be there.
            self.gap = if salvaged > 0 { Some(open.place()) } else { self.gap };
        }
    }

    /// The log was durable up to there.
    fn lost_end(&mut self, durable: Place) {
        let is_told = self.gap.is_some_and(|gap| gap >= self.reached);
        if !self.damaged_ends(durable, false) && !is_told {
            self.findings.push(Finding::LostEnd { at: self.reached.into(), until: durable.into() });
            self.gap = Some(self.reached);
        }
    }

    /// Puts and definitions of damaged batches from `offset` up to `limit`, as far as their content is right; returns how
    /// many messages they had.
    fn salvage(&mut self, image: &Image, mut offset: usize, limit: usize) -> u64 {
        if self.damaged == Damaged::PassedOver {
            return 0;
        }
        let mut messages = 0;
        while offset + BATCH_HEADER_BYTES < limit {
            let begun = BatchHeader::begun(&image.header, &image.bytes, offset);
            let end = begun.and_then(|length| offset.checked_add(length)).map_or(limit, |end| end.min(limit));
            let payload = image.bytes.get(offset + BATCH_HEADER_BYTES..end).unwrap_or_default();
            let base = Place::new(image.header.sequence, offset + BATCH_HEADER_BYTES);
            for unit in units(payload, u32::MAX).map_while(Result::ok) {
                messages += self.salvage_unit(&unit, base);
            }
            match begun {
                Some(length) if length >= BATCH_HEADER_BYTES => offset = offset.saturating_add(length),
                _ => break,
            }
        }
        messages
    }

    fn salvage_unit(&mut self, unit: &Unit<'_>, base: Place) -> u64 {
        let owner = match unit.kind {
            UnitKind::Complete | UnitKind::Commit => None,
            UnitKind::Part | UnitKind::Prepared => Some(unit.unit_of_work),
            UnitKind::BackOut => return 0,
        };
        let mut messages = 0;
        for located in unit.operations().map_while(Result::ok) {
            let (counts, owner) = match &located.operation {
                Operation::Put(put) | Operation::Moved(put) => (self.is_plausible(put), owner),
                Operation::SaveDefinition { value, crc, .. } => (crc32c::crc32c(value) == *crc, None),
                _ => (false, None),
            };
            let Ok(bytes) = u32::try_from(located.length) else { continue };
            let is_message = !matches!(located.operation, Operation::SaveDefinition { .. });
            let place = base.plus(located.start);
            if counts && self.replay.operation(located.operation, place, bytes, owner).is_some() && is_message {
                messages += 1;
            }
        }
        messages
    }

    /// A message of a damaged batch. Queue, key and number of the body have no checksum: numbers far above all that are known would
    /// leave none for later.
    fn is_plausible(&self, put: &PutRecord<'_>) -> bool {
        let known = self.replay.next_position;
        let positions = ..known.saturating_add(POSITIONS_AHEAD).min(Key::POSITION_MAXIMUM / 2);
        let queues = ..self.replay.next_queue.saturating_add(QUEUES_AHEAD);
        crc32c::crc32c(put.content) == put.content_crc
            && positions.contains(&put.key.position().0)
            && positions.contains(&put.body_file)
            && queues.contains(&put.queue.0)
    }

    /// Units of work without an outcome. Where that may be in what is missing, everything that they may have left counts:
    /// their puts, and the messages that they got. Else they are backed out, as a start does. Prepared ones stay.
    fn open_units(&mut self) {
        let unprepared = self.replay.open.iter().filter(|(_, open)| open.prepared.is_none());
        let mut units: Vec<UnitOfWorkId> = unprepared.map(|(id, _)| *id).collect();
        units.sort_unstable();
        for unit in units {
            let works = &self.replay.open[&unit].works;
            let first = works.values().map(|(place, _)| *place).min();
            if first.is_none_or(|first| self.gap.is_none_or(|gap| gap < first)) {
                self.replay.resolve(unit, false);
                continue;
            }
            let open = self.replay.open.remove(&unit).expect("it was found there");
            let (mut puts, mut gets) = (0, 0);
            for work in open.works.into_keys() {
                let Some(queue) = self.replay.queues.get_mut(&work.queue) else { continue };
                let holder = if work.got { Holder::Got(unit) } else { Holder::Put(unit) };
                if let Some(slot) = queue.slot(work.key).filter(|slot| queue.entry(*slot).holder == holder) {
                    queue.release(slot);
                    if work.got { gets += 1 } else { puts += 1 }
                }
            }
            if puts + gets > 0 {
                self.findings.push(Finding::UnknownOutcome { unit_of_work: unit.0, puts, gets });
            }
        }
    }

    /// Leaves out definitions whose key is not that of their value: the key of a record in a damaged batch has no checksum.
    pub fn leave_out(&mut self, keys: Vec<String>) {
        for key in keys {
            self.replay.definitions.remove(&key);
            self.findings.push(Finding::UnusableDefinition { key });
        }
    }

    /// Names queues that have messages and no definition. A start keeps those messages in quarantine.
    pub fn lack_definitions(&mut self, lacking: &[QueueId]) {
        let of = |(queue, messages): &(QueueId, usize)| Finding::UndefinedQueue { queue: *queue, messages: *messages };
        let queues = self.queues();
        self.findings.extend(queues.iter().filter(|(queue, _)| lacking.contains(queue)).map(of));
    }

    pub(super) fn add_bytes(&mut self, bytes: u64) {
        self.totals.bytes += bytes;
    }
}

/// Numbers of the extents that are there, ascending.
fn extents(disk: &dyn Disk) -> Result<Vec<u32>, RecoveryLogError> {
    let names = disk.list().map_err(|source| disk_error("list", &FileName(".".to_owned()), source))?;
    let mut extents: Vec<u32> = names
        .iter()
        .filter_map(|name| match LogFile::parse(name) {
            Some(LogFile::Extent(sequence)) if sequence > 0 => Some(sequence),
            _ => None,
        })
        .collect();
    extents.sort_unstable();
    Ok(extents)
}
