//! Reads a whole log and rebuilds what it says: queues, definitions, units of work in doubt.
//!
//! One thread reads extents ahead, this one checks and applies. Bodies stay on disk: their files need only be there, and long
//! enough. A message whose file is not goes into quarantine. Nothing else is changed on disk
//! here, and nothing is ever deleted to make a start succeed.
//!
//! Where the valid batches end is the tail. Only one batch is ever in flight, so when anything valid follows the
//! first invalid byte, in that extent or a later one, this is a damaged middle and the start is refused; otherwise it is
//! a torn tail, whose batch was not answered. The first batch of every extent is at its offset 4096, so an oldest extent
//! without one, before others that have some, is damaged too. A tail before the place up to which the anchor says that the log
//! was durable is a loss, and the start is refused.
//!
//! The last batch is written again before anything is answered: where a sync failed before, its pages may be in the
//! system's cache only, and count as written there.

use std::collections::VecDeque;
use std::io::ErrorKind;
use std::num::NonZeroU64;
use std::sync::mpsc;

use hashbrown::{HashMap, HashSet};
use memmap2::MmapMut;
use model::timestamp::Timestamp;

use crate::private::log::anchor::{Anchor, Promise};
use crate::private::log::append::{Continuation, Extent};
use crate::private::log::descriptor::Keys;
use crate::private::log::disk::{Disk, FileName, disk_error, read_exact};
use crate::private::log::extent::{
    BATCH_HEADER_BYTES, BatchHeader, EXTENT_HEADER_BYTES, ExtentHeader, FORMAT_VERSION, HeaderError, LogFile, Place,
};
use crate::private::log::hold::Point;
use crate::private::log::prepare::Spare;
use crate::private::log::record::{Operation, PutRecord, UnitKind, units};
use crate::private::log::space::BATCH_BYTES;
use crate::private::message_count::MessageCounts;
use crate::private::quarantine::{Quarantined, is_lasting};
use crate::private::queue::{Entry, Holder, Home, Key, Queue};
use crate::private::receipts::{Ended, Receipts};
use crate::{QueueId, RecoveryLogError, UnitOfWorkId, Xid};

type Map<K, V> = HashMap<K, V, foldhash::fast::RandomState>;

/// What the log said.
pub(crate) struct Findings {
    /// `None` when there is no log yet.
    pub(crate) continuation: Option<Continuation>,
    /// `None` when the directory has none.
    pub(crate) anchor: Option<Anchor>,
    pub(crate) spares: Vec<Spare>,
    /// Files that nothing refers to.
    pub(crate) useless: Vec<FileName>,
    /// Messages in quarantine, and why.
    pub(crate) set_aside: Vec<(Quarantined, RecoveryLogError)>,
    pub(crate) queues: Map<QueueId, Queue>,
    pub(crate) counts: MessageCounts,
    pub(crate) definitions: Map<String, Definition>,
    pub(crate) receipts: Receipts,
    /// Prepared, without an outcome.
    pub(crate) in_doubt: Map<UnitOfWorkId, InDoubt>,
    pub(crate) next_position: u64,
    pub(crate) next_queue: u32,
    pub(crate) next_unit: u64,
}

pub(crate) struct Definition {
    pub(crate) place: Place,
    /// Of the record, in bytes.
    pub(crate) bytes: u32,
    pub(crate) value: Vec<u8>,
}

#[derive(Default)]
pub(crate) struct InDoubt {
    pub(crate) works: Map<RecoveredWork, (Place, u32)>,
    pub(crate) prepared: Option<PreparedMark>,
}

pub(crate) struct PreparedMark {
    pub(crate) xid: Option<Xid>,
    pub(crate) place: Place,
    pub(crate) bytes: u32,
}

/// One put or get of a unit of work; the map gives place and length of its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct RecoveredWork {
    pub(crate) queue: QueueId,
    pub(crate) key: Key,
    pub(crate) got: bool,
}

/// Positions given to nonpersistent messages leave no trace in the log; this many are skipped at a restart.
const POSITIONS_SKIPPED: u64 = 1 << 32;

pub(crate) fn recover(disk: &dyn Disk, maximum_receipts: u32) -> Result<Findings, RecoveryLogError> {
    let listed = Listing::read(disk)?;
    let anchor = if listed.has_anchor { Some(Anchor::read(disk)?) } else { None };
    let promise = anchor.map(|anchor| anchor.promise);
    if let Some(promise) = &promise {
        promise.check_files(&listed.extents)?;
    }
    if listed.extents.is_empty() && !listed.bodies.is_empty() {
        // The first extent is there before the first body: somebody took the log away.
        return Err(RecoveryLogError::Missing { extent: 1 });
    }
    let mut replay = Replay::new(maximum_receipts);
    let continuation =
        if listed.extents.is_empty() { None } else { Some(read_log(disk, &listed, promise, &mut replay)?) };
    replay.finish(disk, listed, anchor, continuation)
}

#[derive(Default)]
struct Listing {
    /// Ascending, without gaps.
    extents: Vec<u32>,
    spares: Vec<Spare>,
    bodies: Vec<u64>,
    has_anchor: bool,
    useless: Vec<FileName>,
}

impl Listing {
    fn read(disk: &dyn Disk) -> Result<Self, RecoveryLogError> {
        let mut listing = Self::default();
        let names = disk.list().map_err(|source| disk_error("list", &FileName(".".to_owned()), source))?;
        for file in names {
            match LogFile::parse(&file) {
                Some(LogFile::Extent(sequence)) => listing.extents.push(sequence),
                Some(LogFile::Spare(_)) => {
                    let length = disk.length(&file).map_err(|source| disk_error("measure", &file, source))?;
                    listing.spares.push(Spare { file, length });
                }
                Some(LogFile::Body(number)) => listing.bodies.push(number),
                Some(LogFile::Anchor) => listing.has_anchor = true,
                Some(LogFile::Preparing | LogFile::Spill(_)) => listing.useless.push(file),
                None => {}
            }
        }
        listing.extents.sort_unstable();
        for pair in listing.extents.windows(2) {
            if pair[1] != pair[0] + 1 {
                return Err(RecoveryLogError::Missing { extent: u64::from(pair[0]) + 1 });
            }
        }
        Ok(listing)
    }
}

/// An extent in memory, which goes back to the system with it: an allocator might keep that much for good.
pub(crate) struct Image {
    pub(crate) header: ExtentHeader,
    pub(crate) bytes: MmapMut,
}

fn damaged(place: Place) -> RecoveryLogError {
    RecoveryLogError::Damaged { extent: u64::from(place.extent()), offset: place.offset() }
}

/// Reads one extent whole. `buffer` is reused when it is as long.
pub(crate) fn read_extent(disk: &dyn Disk, sequence: u32, buffer: Option<MmapMut>) -> Result<Image, RecoveryLogError> {
    let file = LogFile::Extent(sequence).name();
    let extent = u64::from(sequence);
    let length = disk.length(&file).map_err(|source| disk_error("measure", &file, source))?;
    let mut head = [0; 64];
    if length < EXTENT_HEADER_BYTES as u64 || length > u64::from(u32::MAX) {
        return Err(RecoveryLogError::Damaged { extent, offset: 0 });
    }
    read_exact(disk, &file, 0, &mut head).map_err(|source| disk_error("read", &file, source))?;
    let header = match ExtentHeader::decode(&head) {
        Ok(header) if header.sequence == sequence && header.length == length => header,
        Ok(_) | Err(HeaderError::Damaged) => return Err(RecoveryLogError::Damaged { extent, offset: 0 }),
        Err(HeaderError::Version(version)) => {
            return Err(RecoveryLogError::Version { file: file.0, version, supported: FORMAT_VERSION });
        }
    };
    let length = usize::try_from(length).expect("below four gibibytes");
    let mut bytes = match buffer.filter(|buffer| buffer.len() == length) {
        Some(buffer) => buffer,
        None => MmapMut::map_anon(length).map_err(|source| disk_error("find memory for", &file, source))?,
    };
    read_exact(disk, &file, 0, &mut bytes).map_err(|source| disk_error("read", &file, source))?;
    Ok(Image { header, bytes })
}

/// Reads all extents, ahead of the applying thread by one.
fn read_log(
    disk: &dyn Disk,
    listing: &Listing,
    promise: Option<Promise>,
    replay: &mut Replay,
) -> Result<Continuation, RecoveryLogError> {
    let (to_apply, images) = mpsc::sync_channel(1);
    let (give_back, buffers) = mpsc::channel::<MmapMut>();
    let mut reading = Reading { promise, ..Reading::default() };
    std::thread::scope(|scope| {
        let sequences = &listing.extents;
        scope.spawn(move || {
            for sequence in sequences {
                let image = read_extent(disk, *sequence, buffers.try_recv().ok());
                let failed = image.is_err();
                // The applying side has gone when it met an error; then there is nobody left to read for.
                if to_apply.send(image).is_err() || failed {
                    return;
                }
            }
        });
        for image in images {
            let image = image?;
            reading.apply(&image, replay)?;
            // Fails when the reader is through with its work.
            let _ = give_back.send(image.bytes);
        }
        Ok(())
    })?;
    reading.continuation(disk, listing)
}

/// Reads the log up to a point as a start would that found nothing after it. Hands each extent to `each`, with the length
/// that is used of it. Returns the numbers of the body files of its messages.
///
/// # Errors
/// As a start's, and what `each` says.
pub(crate) fn read_until<E: From<RecoveryLogError>>(
    disk: &dyn Disk,
    point: Point,
    mut each: impl FnMut(&Image, usize) -> Result<(), E>,
) -> Result<Vec<u64>, E> {
    let end = Place(point.end);
    let mut replay = Replay::new(u32::MAX);
    let mut reading = Reading::default();
    let mut buffer = None;
    for sequence in point.oldest..=end.extent() {
        let mut image = read_extent(disk, sequence, buffer.take())?;
        if sequence == end.extent() {
            let used = usize::try_from(end.offset()).unwrap_or(usize::MAX).min(image.bytes.len());
            image.bytes[used..].fill(0);
        }
        reading.apply(&image, &mut replay)?;
        let reached = reading.end().filter(|reached| reached.extent() == sequence);
        let used = reached.map_or(EXTENT_HEADER_BYTES as u64, Place::offset);
        each(&image, usize::try_from(used).expect("an offset within a file that is in memory"))?;
        buffer = Some(image.bytes);
    }
    if reading.end() != Some(end) {
        return Err(damaged(reading.end().unwrap_or(Place::new(point.oldest, EXTENT_HEADER_BYTES))).into());
    }
    if point.oldest > reading.oldest_needed {
        return Err(RecoveryLogError::Missing { extent: u64::from(reading.oldest_needed) }.into());
    }
    Ok(replay.queues.values().flat_map(Queue::body_files).map(|(_, number)| number.get()).collect())
}

#[derive(Default)]
struct Reading {
    /// What the anchor says.
    promise: Option<Promise>,
    extents: Vec<Extent>,
    last: Option<LastBatch>,
    /// The batch that was not written whole, with its length in bytes.
    torn: Option<(Place, usize)>,
    oldest_needed: u32,
}

/// The last valid batch.
struct LastBatch {
    place: Place,
    bytes: Vec<u8>,
}

impl LastBatch {
    fn end(&self) -> Place {
        self.place.plus(self.bytes.len())
    }
}

impl Reading {
    /// Where the last valid batch ended.
    fn end(&self) -> Option<Place> {
        self.last.as_ref().map(LastBatch::end)
    }

    fn apply(&mut self, image: &Image, replay: &mut Replay) -> Result<(), RecoveryLogError> {
        let Image { header, bytes } = image;
        if let Some(promise) = &self.promise {
            promise.check_extent(header)?;
        }
        self.extents.push(Extent {
            sequence: header.sequence,
            length: bytes.len(),
            salt: header.salt,
            live_records: 0,
            live_bytes: 0,
            overhead_bytes: 0,
        });
        replay.live.push((0, 0));
        replay.first_extent = self.extents[0].sequence;
        let mut offset = EXTENT_HEADER_BYTES;
        let mut end = self.end();
        let mut last = None;
        while let Some((batch, payload)) = BatchHeader::read(header, bytes, offset) {
            let first = self.extents[0].sequence;
            if end.is_none() && header.sequence != first {
                return Err(damaged(Place::new(first, EXTENT_HEADER_BYTES)));
            }
            if let Some(end) = end.filter(|end| *end != batch.previous_end) {
                return Err(damaged(end));
            }
            let heads = replay.batch(&batch, payload)?;
            if let Some(extent) = self.extents.last_mut() {
                extent.overhead_bytes += (BATCH_BYTES + heads) as u64;
            }
            end = Some(batch.end());
            last = Some((batch.place, offset, batch.length));
            self.oldest_needed = batch.oldest;
            offset += batch.length;
        }
        if let Some((place, start, length)) = last {
            self.last = Some(LastBatch { place, bytes: bytes[start..start + length].to_vec() });
            self.torn = None;
        }
        let begun =
            BatchHeader::begun(header, bytes, offset).map(|length| (Place::new(header.sequence, offset), length));
        self.torn = self.torn.or(begun);
        match BatchHeader::search(header, bytes, offset + 1) {
            Some(_) => Err(damaged(Place::new(header.sequence, offset))),
            None => Ok(()),
        }
    }

    fn continuation(self, disk: &dyn Disk, listing: &Listing) -> Result<Continuation, RecoveryLogError> {
        let first = listing.extents[0];
        let needed = match (&self.last, &self.promise) {
            (Some(_), _) => self.oldest_needed,
            (None, Some(promise)) => promise.oldest,
            (None, None) => 1,
        };
        if first > needed {
            return Err(RecoveryLogError::Missing { extent: u64::from(needed) });
        }
        let tail = self.end().unwrap_or(Place::new(first, EXTENT_HEADER_BYTES));
        if let Some(promise) = &self.promise {
            promise.check_end(tail)?;
        }
        if let Some((place, bytes)) = self.torn {
            tracing::warn!(
                extent = place.extent(),
                offset = place.offset(),
                bytes,
                "the last batch of the recovery log was not written whole: it was not answered, and is cut"
            );
        }
        let file = LogFile::Extent(tail.extent()).name();
        if let Some(LastBatch { place, bytes }) = &self.last {
            disk.write(&file, place.offset(), bytes).map_err(|source| disk_error("write to", &file, source))?;
        }
        disk.sync(&file).map_err(|source| RecoveryLogError::Sync { extent: u64::from(tail.extent()), source })?;
        let (extents, ready): (VecDeque<_>, VecDeque<_>) =
            self.extents.into_iter().partition(|extent| extent.sequence <= tail.extent());
        Ok(Continuation { tail, extents, ready })
    }
}

struct Replay {
    first_extent: u32,
    /// Live records and their bytes by extent, from the first on.
    live: Vec<(u64, u64)>,
    queues: Map<QueueId, Queue>,
    counts: MessageCounts,
    definitions: Map<String, Definition>,
    receipts: Receipts,
    /// Units of work with parts in the log and no outcome so far.
    open: Map<UnitOfWorkId, InDoubt>,
    /// Messages got by one of `open`: their put may come later in the log than their get, once it was moved.
    pending_gets: Map<(QueueId, Key), UnitOfWorkId>,
    next_position: u64,
    next_queue: u32,
    next_unit: u64,
}

impl Replay {
    fn new(maximum_receipts: u32) -> Self {
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
    fn batch(&mut self, batch: &BatchHeader, payload: &[u8]) -> Result<usize, RecoveryLogError> {
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
    fn operation(
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
        let entries = self.queues.remove(&id).map(|mut queue| queue.drain()).unwrap_or_default();
        for entry in entries {
            if let Home::Log { place, bytes } = entry.home {
                self.died(place, bytes);
            }
        }
    }

    /// Commits or backs out what a unit of work has in the log. One whose parts are all freed is not known any more.
    fn resolve(&mut self, unit: UnitOfWorkId, committed: bool) {
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

    fn finish(
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
        let (orphans, set_aside) = self.check_bodies(disk, &listing.bodies)?;
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

    /// Sets messages aside whose body file is missing or too short, unless a unit of work holds them: those are set aside
    /// when they are read. Returns the files that no message needs, and the messages.
    fn check_bodies(&mut self, disk: &dyn Disk, present: &[u64]) -> Result<CheckedBodies, RecoveryLogError> {
        let mut unneeded: HashSet<u64, foldhash::fast::RandomState> = present.iter().copied().collect();
        let mut set_aside = Vec::new();
        for (id, queue) in &mut self.queues {
            let mut unreadable = Vec::new();
            for (slot, number) in queue.body_files() {
                let entry = queue.entry(slot);
                let is_there = unneeded.remove(&number.get());
                if let Err(error) = check_body(disk, number, is_there, entry.body_bytes)?
                    && entry.holder == Holder::Nobody
                {
                    unreadable.push((slot, error));
                }
            }
            for (slot, error) in unreadable {
                queue.set_aside(slot);
                set_aside.push((Quarantined::of(*id, queue.entry(slot)), error));
            }
        }
        set_aside.sort_by_key(|(message, _)| (message.queue, message.key));
        Ok((unneeded.into_iter().collect(), set_aside))
    }
}

/// Files that no message needs, and messages that were set aside.
type CheckedBodies = (Vec<u64>, Vec<(Quarantined, RecoveryLogError)>);

/// Is the file of a body long enough? What the disk says is the inner result if it is about this message.
fn check_body(
    disk: &dyn Disk,
    number: NonZeroU64,
    is_there: bool,
    length: u32,
) -> Result<Result<(), RecoveryLogError>, RecoveryLogError> {
    let file = LogFile::Body(number.get()).name();
    if !is_there {
        return Ok(Err(disk_error("find", &file, ErrorKind::NotFound.into())));
    }
    match disk.length(&file) {
        Ok(found) if found >= u64::from(length) => Ok(Ok(())),
        Ok(_) => Ok(Err(disk_error("read all of", &file, ErrorKind::UnexpectedEof.into()))),
        Err(source) => {
            let error = disk_error("measure", &file, source);
            if is_lasting(&error) { Ok(Err(error)) } else { Err(error) }
        }
    }
}
