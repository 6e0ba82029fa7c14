//! Gathering units into batches, under one short lock, and accounting for the space they take.
//!
//! Never blocks: space is promised only in extents that are already prepared (see `prepare.rs`). Who is told `NotYet`
//! waits outside all locks and tries again.
//!
//! Invariants
//! - Batches lie in `gathered` in the order of their places; the last one is the one being filled.
//! - Live counts of an extent are changed under the same lock as the append that changes them.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::MutexGuard;

use crate::private::log::extent::{BATCH_ALIGNMENT, BATCH_HEADER_BYTES, EXTENT_HEADER_BYTES, Place};
use crate::private::log::hold::Holds;
use crate::private::log::leader;
use crate::private::log::writer::{Crowd, Log};
use crate::{RecoveryLogError, StoreError, StoreOptions};

/// What an append may use of the space that is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// Puts: leave the reserve to the others.
    Growing,
    /// Gets, commits, deletes, moving live records: may use the reserve.
    Essential,
    /// Saying that an extent is free, which gains space: may use everything.
    Freeing,
}

/// Why an append did not happen. Nothing has changed.
#[derive(Debug)]
pub(crate) enum Refused {
    /// The next extent is being prepared: wait for `Log::space` and try again.
    NotYet,
    Error(StoreError),
}

impl From<StoreError> for Refused {
    fn from(error: StoreError) -> Self {
        Self::Error(error)
    }
}

/// One use of an extent file that is not over.
#[derive(Debug, Clone)]
pub(crate) struct Extent {
    pub(crate) sequence: u32,
    pub(crate) length: usize,
    pub(crate) salt: u64,
    pub(crate) live_records: u64,
    pub(crate) live_bytes: u64,
}

pub(super) struct Batch {
    pub(super) start: Place,
    pub(super) previous_end: Place,
    pub(super) salt: u64,
    /// Of the extent it lies in, in bytes.
    pub(super) extent_length: usize,
    /// Oldest extent needed when the batch was begun.
    pub(super) oldest: u32,
    /// Begins with room for the header.
    pub(super) buffer: Vec<u8>,
    pub(super) units: u32,
    pub(super) sealed: bool,
    /// No appending thread asked the writer thread to write it: a thread that leads writes it.
    pub(super) is_left: bool,
}

impl Batch {
    pub(super) fn end(&self) -> Place {
        self.start.plus(self.buffer.len().next_multiple_of(BATCH_ALIGNMENT))
    }
}

/// Everything that changes with an append, behind one lock.
pub(crate) struct State {
    pub(super) gathered: VecDeque<Batch>,
    pub(super) free_buffers: Vec<Vec<u8>>,
    /// Where the last batch ended that is gathered no more.
    tail: Place,
    /// From the oldest still needed to the one being filled.
    pub(crate) extents: VecDeque<Extent>,
    /// Prepared and empty, in order of sequence; none of them is needed by recovery yet.
    pub(crate) ready: VecDeque<Extent>,
    /// Lengths promised to units of work that are staged in memory.
    reserved: u64,
    /// The last attempt to prepare an extent found the disk full.
    pub(crate) full: bool,
    /// Why, when it was not the disk's space.
    pub(crate) lacking: Option<Arc<RecoveryLogError>>,
    /// An extent has been freed since, and no other attempt was made.
    pub(crate) space_gained: bool,
    /// The thread that prepares extents has been asked to try.
    pub(crate) wanted: bool,
    /// Something for that thread may have changed.
    pub(crate) keeper_work: bool,
    /// Set while the writer sleeps on `work`: it is woken once the batch has that many units.
    pub(super) writer_wants: Option<u32>,
    /// The writer sleeps until it is woken.
    pub(super) writer_rests: bool,
    /// A batch is in flight.
    pub(super) is_writing: bool,
    /// A thread has left units to itself since the writer looked.
    pub(super) is_led: bool,
    /// Who shared the last batch.
    pub(super) crowd: Crowd,
    pub(crate) stopping: bool,
    /// Body files whose message is gone, with the place from which on their removal is safe.
    pub(crate) dead_files: VecDeque<(Place, u64)>,
    pub(crate) holds: Holds,
}

/// Where a log goes on after recovery.
pub(crate) struct Continuation {
    pub(crate) tail: Place,
    pub(crate) extents: VecDeque<Extent>,
    pub(crate) ready: VecDeque<Extent>,
}

impl State {
    pub(super) fn new(continuation: Continuation) -> Self {
        let Continuation { tail, extents, ready } = continuation;
        Self {
            gathered: VecDeque::new(),
            free_buffers: Vec::new(),
            tail,
            extents,
            wanted: ready.is_empty(),
            ready,
            reserved: 0,
            full: false,
            lacking: None,
            space_gained: false,
            keeper_work: true,
            writer_wants: None,
            writer_rests: false,
            is_writing: false,
            is_led: false,
            crowd: Crowd::default(),
            stopping: false,
            dead_files: VecDeque::new(),
            holds: Holds::default(),
        }
    }

    /// The oldest batch has so many units, or gets no more.
    pub(super) fn is_due(&self, wanted: u32) -> bool {
        self.gathered.front().is_some_and(|batch| batch.sealed || batch.units >= wanted)
    }

    /// The batch to write next, for one thread at a time: `Log::write_out` says when another may.
    pub(super) fn take_batch(&mut self) -> Option<Batch> {
        let batch = self.gathered.pop_front()?;
        self.tail = batch.end();
        self.is_writing = true;
        Some(batch)
    }

    /// What is gathered is the writer's.
    pub(super) fn hand_over(&mut self) {
        for batch in &mut self.gathered {
            batch.is_left = false;
        }
    }

    pub(super) fn gathered_bytes(&self) -> usize {
        self.gathered.iter().map(|batch| batch.buffer.len()).sum()
    }

    /// Where the last gathered batch ends.
    fn end_of_gathered(&self) -> Place {
        self.gathered.back().map_or(self.tail, Batch::end)
    }

    /// No unit joins the batch being filled any more.
    pub(crate) fn seal(&mut self) {
        if let Some(batch) = self.gathered.back_mut() {
            batch.sealed = true;
        }
    }

    /// Sequence of the oldest extent that recovery has to read.
    pub(crate) fn oldest(&self) -> u32 {
        self.extents.front().map_or(0, |extent| extent.sequence)
    }

    pub(crate) fn current(&self) -> &Extent {
        self.extents.back().expect("a log has an extent that is being filled")
    }

    fn index_of(&self, sequence: u32) -> Option<usize> {
        let index = usize::try_from(sequence.checked_sub(self.oldest())?).ok()?;
        (index < self.extents.len()).then_some(index)
    }

    /// Waiting for space is of no use: the disk is full, and no extent is about to be freed.
    pub(super) fn hopeless(&self) -> bool {
        let about_to_be_freed =
            self.extents.len() > 1 && self.extents.front().is_some_and(|oldest| oldest.live_records == 0);
        self.full && !about_to_be_freed && !self.space_gained
    }

    /// Bytes that a unit can take in the current extent.
    fn room(&self) -> usize {
        let (end, current) = (self.end_of_gathered(), self.current());
        let used = if end.extent() == current.sequence {
            usize::try_from(end.offset()).unwrap_or(usize::MAX)
        } else {
            EXTENT_HEADER_BYTES
        };
        current.length.saturating_sub(used).saturating_sub(BATCH_HEADER_BYTES + BATCH_ALIGNMENT)
    }

    /// Bytes that units can take before another extent has to be prepared.
    pub(crate) fn prepared_bytes(&self) -> u64 {
        (self.room() + self.ready_bytes()) as u64
    }

    fn ready_bytes(&self) -> usize {
        self.ready.iter().map(|extent| extent.length - OVERHEAD_BYTES).sum()
    }

    /// Takes back the promise made for a unit of work.
    pub(crate) fn unreserve(&mut self, bytes: u64) {
        self.reserved = self.reserved.saturating_sub(bytes);
    }

    /// Bytes of the extents that recovery has to read.
    pub(crate) fn log_bytes(&self) -> u64 {
        self.extents.iter().map(|extent| extent.length as u64).sum()
    }

    /// As `log_bytes`, without what is still unused of the current extent.
    pub(crate) fn used_bytes(&self) -> u64 {
        self.log_bytes() - self.room() as u64
    }

    pub(crate) fn live_bytes(&self) -> u64 {
        self.extents.iter().map(|extent| extent.live_bytes).sum()
    }

    /// A record that recovery needs now lies at `place`.
    pub(crate) fn lives(&mut self, place: Place, bytes: u32) {
        if let Some(index) = self.index_of(place.extent()) {
            self.extents[index].live_records += 1;
            self.extents[index].live_bytes += u64::from(bytes);
        }
    }

    /// The record at `place` is needed no more.
    pub(crate) fn died(&mut self, place: Place, bytes: u32) {
        if let Some(index) = self.index_of(place.extent()) {
            let extent = &mut self.extents[index];
            debug_assert!(extent.live_records > 0, "a record dies once");
            extent.live_records = extent.live_records.saturating_sub(1);
            extent.live_bytes = extent.live_bytes.saturating_sub(u64::from(bytes));
        }
    }
}

/// The locked log.
pub(crate) struct Appender<'a> {
    pub(super) log: &'a Log,
    pub(crate) state: MutexGuard<'a, State>,
    pub(super) appended: bool,
}

impl Appender<'_> {
    /// Appends one unit, given in pieces, and says where it starts.
    pub(crate) fn append(&mut self, class: Class, pieces: &[&[u8]]) -> Result<Place, Refused> {
        let length = pieces.iter().map(|piece| piece.len()).sum();
        self.admit(class, length)?;
        if length > self.state.room() {
            self.roll();
        }
        let batch = self.batch(length);
        let place = batch.start.plus(batch.buffer.len());
        for piece in pieces {
            batch.buffer.extend_from_slice(piece);
        }
        batch.units += 1;
        self.appended = true;
        Ok(place)
    }

    /// Promises `bytes` to a unit of work that will append them later as `Essential`.
    pub(crate) fn reserve(&mut self, bytes: u64) -> Result<(), Refused> {
        self.admit(Class::Growing, usize::try_from(bytes).unwrap_or(usize::MAX))?;
        self.state.reserved += bytes;
        Ok(())
    }

    fn admit(&mut self, class: Class, length: usize) -> Result<(), Refused> {
        if let Some(error) = self.log.closed_error() {
            return Err(error.into());
        }
        let largest = usize::try_from(self.log.options.extent_bytes).unwrap_or(usize::MAX) - OVERHEAD_BYTES;
        if self.state.stopping || length > largest {
            return Err(if self.state.stopping { StoreError::Closed } else { StoreError::NoSpace }.into());
        }
        let (room, ready) = (self.state.room(), self.state.ready_bytes());
        let first_ready = self.state.ready.front().map_or(0, |extent| extent.length - OVERHEAD_BYTES);
        let fits = length <= room || length <= first_ready;
        let allowed = match class {
            Class::Freeing => fits,
            Class::Essential => fits && length + FREEING_BYTES <= room + ready,
            Class::Growing => {
                let promised = usize::try_from(self.state.reserved).unwrap_or(usize::MAX);
                let needed = length.saturating_add(promised).saturating_add(self.reserve_bytes());
                fits && needed <= room + ready
            }
        };
        if allowed {
            return Ok(());
        }
        self.want_extent();
        if !self.state.hopeless() {
            return Err(Refused::NotYet);
        }
        Err(self.state.lacking.clone().map_or(StoreError::NoSpace, StoreError::File).into())
    }

    /// What puts leave to gets, commits and to moving live records: half an extent. The gets of an extent full of the
    /// smallest messages take less, so a full log can always be drained from its oldest end.
    fn reserve_bytes(&self) -> usize {
        self.state.ready.front().unwrap_or(self.state.current()).length / 2
    }

    fn want_extent(&mut self) {
        self.state.wanted = true;
        self.wake_keeper();
    }

    /// Lets the other thread look for extents to free and files to remove.
    pub(crate) fn wake_keeper(&mut self) {
        self.state.keeper_work = true;
        self.log.keeper.notify_one();
    }

    /// Closes the batch being filled and goes on in the next prepared extent, which `admit` has seen.
    fn roll(&mut self) {
        self.state.seal();
        let next = self.state.ready.pop_front().expect("admit saw a prepared extent");
        self.state.extents.push_back(next);
        self.want_extent();
    }

    /// The batch that takes the next unit of this length.
    fn batch(&mut self, length: usize) -> &mut Batch {
        let state = &mut *self.state;
        let begin = state
            .gathered
            .back()
            .is_none_or(|batch| batch.sealed || (batch.units > 0 && batch.buffer.len() + length > BATCH_BYTES_MAXIMUM));
        if begin {
            state.seal();
            let previous_end = state.end_of_gathered();
            let current = state.current();
            let (sequence, salt, extent_length) = (current.sequence, current.salt, current.length);
            let start = if previous_end.extent() == sequence {
                previous_end
            } else {
                Place::new(sequence, EXTENT_HEADER_BYTES)
            };
            let oldest = state.oldest();
            let mut buffer = state.free_buffers.pop().unwrap_or_default();
            buffer.resize(BATCH_HEADER_BYTES, 0);
            let batch = Batch {
                start,
                previous_end,
                salt,
                extent_length,
                oldest,
                buffer,
                units: 0,
                sealed: false,
                is_left: true,
            };
            state.gathered.push_back(batch);
        }
        state.gathered.back_mut().expect("one was just made sure of")
    }
}

impl Drop for Appender<'_> {
    fn drop(&mut self) {
        if !self.appended {
            return;
        }
        if self.state.crowd.is_short() && leader::leave(&self.log.this) {
            self.state.is_led = true;
            if self.state.writer_rests {
                self.log.work.notify_one();
            }
            return;
        }
        if let Some(batch) = self.state.gathered.back_mut() {
            batch.is_left = false;
        }
        if self.state.writer_wants.is_some_and(|wanted| self.state.is_due(wanted)) {
            self.log.work.notify_one();
        }
    }
}

/// Length in bytes up to which a unit is sure to fit: an eighth of an extent, so that the reserve holds several.
/// What may be longer is split, except definitions.
pub(crate) fn unit_maximum(options: &StoreOptions) -> usize {
    usize::try_from(options.extent_bytes / 8).unwrap_or(usize::MAX)
}

/// Most bytes gathered into one batch, unless a single unit is longer.
const BATCH_BYTES_MAXIMUM: usize = 4 << 20;
/// What an extent with one batch has besides units, in bytes.
const OVERHEAD_BYTES: usize = EXTENT_HEADER_BYTES + BATCH_HEADER_BYTES + BATCH_ALIGNMENT;

/// What everybody leaves to the records that say an extent is free, in bytes.
const FREEING_BYTES: usize = 1 << 10;
