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

mod bodies;
pub(super) mod replay;

use std::collections::VecDeque;
use std::sync::mpsc;

use hashbrown::HashMap;
use memmap2::MmapMut;

use self::replay::Replay;
use crate::private::log::anchor::{Anchor, Promise};
use crate::private::log::append::{Continuation, Extent};
use crate::private::log::disk::{Disk, FileName, disk_error};
use crate::private::log::extent::{BatchHeader, EXTENT_HEADER_BYTES, LogFile, Place};
use crate::private::log::hold::Point;
use crate::private::log::prepare::Spare;
use crate::private::log::reader::{Image, Piece, damaged, read_extent};
use crate::private::log::space::BATCH_BYTES;
use crate::private::message_count::MessageCounts;
use crate::private::quarantine::Quarantined;
use crate::private::queue::{Key, Queue};
use crate::private::receipts::Receipts;
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
        let mut end = self.end();
        let (mut last, mut gap) = (None, None);
        for piece in image.pieces() {
            let (batch, payload, offset) = match piece {
                Piece::Gap(offset) => {
                    gap.get_or_insert(offset);
                    continue;
                }
                Piece::Batch { batch, payload, offset } => (batch, payload, offset),
            };
            if let Some(gap) = gap {
                return Err(damaged(Place::new(header.sequence, gap)));
            }
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
        }
        if let Some((place, start, length)) = last {
            self.last = Some(LastBatch { place, bytes: bytes[start..start + length].to_vec() });
            self.torn = None;
        }
        let begun = gap.and_then(|offset| {
            let length = BatchHeader::begun(header, bytes, offset)?;
            Some((Place::new(header.sequence, offset), length))
        });
        self.torn = self.torn.or(begun);
        Ok(())
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
