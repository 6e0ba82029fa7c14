//! Gathering units into batches, under one short lock.
//!
//! Never blocks: space is promised only in extents that are already prepared (see `prepare.rs`), by the rules of `space.rs`.
//! Who is told `NotYet` waits outside all locks and tries again.
//!
//! Invariants
//! - Batches lie in `gathered` in the order of their places; the last one is the one being filled.
//! - Live counts of an extent are changed under the same lock as the append that changes them.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use parking_lot::MutexGuard;

use crate::private::log::extent::{BATCH_ALIGNMENT, BATCH_HEADER_BYTES, EXTENT_HEADER_BYTES, ExtentHeader, Place};
use crate::private::log::hold::Holds;
use crate::private::log::leader;
use crate::private::log::pace::Pace;
use crate::private::log::space::{BATCH_BYTES, largest_unit};
use crate::private::log::writer::{Log, moment};
use crate::{RecoveryLogError, StoreError, StoreOptions};

/// What an append may use of the space that is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// Puts: leave space to all others.
    Growing,
    /// Parts of units of work: leave space to outcomes and to gets outside syncpoint.
    Staging,
    /// Gets, commits, deletes: leave the reserve.
    Essential,
    /// Live records of the oldest extent: may use the reserve.
    Moving,
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
    /// Headers of batches and units at most.
    pub(crate) overhead_bytes: u64,
}

impl Extent {
    pub(crate) fn header(&self) -> ExtentHeader {
        ExtentHeader { sequence: self.sequence, salt: self.salt, length: self.length as u64 }
    }
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

/// What the writer thread does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Writer {
    /// Writes, or looks for something to write.
    Awake,
    /// Sleeps until there is something.
    Resting,
    /// Sleeps until the oldest batch has so many units, or for a bounded time.
    Waiting { for_units: u32 },
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
    pub(super) reserved: u64,
    /// Length of the longest of `extents`.
    pub(super) longest: usize,
    /// The last extent that the round of moving through a full log reaches.
    pub(super) round_end: u32,
    /// Bytes of what is needed no more since then.
    pub(super) ended_bytes: u64,
    /// As `ended_bytes`, since the thread that frees extents was last woken for that.
    pub(super) unseen_bytes: u64,
    /// The oldest extent is being moved.
    pub(super) is_moving: bool,
    /// It could not be freed, and nothing has changed since.
    pub(crate) is_stuck: bool,
    /// It was logged that the disk is full.
    pub(crate) is_said_full: bool,
    /// The last attempt to prepare an extent found the disk full.
    pub(crate) full: bool,
    /// Little is left of the quota of disk.
    pub(crate) is_pressed: bool,
    /// Why, when it was not the disk's space.
    pub(crate) lacking: Option<Arc<RecoveryLogError>>,
    /// An extent has been freed since, and no other attempt was made.
    pub(crate) space_gained: bool,
    /// The thread that prepares extents has been asked to try.
    pub(crate) wanted: bool,
    /// Something for that thread may have changed.
    pub(crate) keeper_work: bool,
    pub(super) writer: Writer,
    /// A batch is in flight.
    pub(super) is_writing: bool,
    /// A thread has left units to itself since the writer looked.
    pub(super) is_led: bool,
    pub(super) pace: Pace,
    pub(crate) stopping: bool,
    /// Body files whose message is gone, with the place from which on their removal is safe.
    pub(crate) dead_files: VecDeque<(Place, u64)>,
    pub(crate) holds: Holds,
    /// The extent whose damage was told last.
    pub(crate) damage_told: Option<u32>,
    /// A batch is durable of which the anchor does not know: it is brought up to date in a while.
    pub(crate) is_unanchored: bool,
    /// An extent was begun or freed: the anchor is brought up to date soon.
    pub(crate) wants_anchor: bool,
    /// Extents that verification found damaged, with the offset: what is needed of them and of older ones is to be moved.
    pub(crate) damaged: BTreeMap<u32, u64>,
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
        let mut state = Self {
            gathered: VecDeque::new(),
            free_buffers: Vec::new(),
            tail,
            extents,
            wanted: ready.is_empty(),
            ready,
            reserved: 0,
            longest: 0,
            round_end: 0,
            ended_bytes: 0,
            unseen_bytes: 0,
            is_moving: false,
            is_stuck: false,
            is_said_full: false,
            full: false,
            is_pressed: false,
            lacking: None,
            space_gained: false,
            keeper_work: true,
            writer: Writer::Awake,
            is_writing: false,
            is_led: false,
            pace: Pace::default(),
            stopping: false,
            dead_files: VecDeque::new(),
            holds: Holds::default(),
            damage_told: None,
            is_unanchored: false,
            wants_anchor: false,
            damaged: BTreeMap::new(),
        };
        state.measure();
        state.ended_bytes = state.gains();
        state
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
    pub(super) fn end_of_gathered(&self) -> Place {
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

    pub(crate) fn index_of(&self, sequence: u32) -> Option<usize> {
        let index = usize::try_from(sequence.checked_sub(self.oldest())?).ok()?;
        (index < self.extents.len()).then_some(index)
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
        if !self.state.fits(class, length) {
            self.roll();
        }
        let batch = self.batch(length);
        let place = batch.start.plus(batch.buffer.len());
        for piece in pieces {
            batch.buffer.extend_from_slice(piece);
        }
        batch.units += 1;
        self.appended = true;
        self.account(class, length, pieces.first().map_or(0, |head| head.len()));
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
        if self.state.stopping || length > largest_unit(class, self.state.new_length(&self.log.options)) {
            return Err(if self.state.stopping { StoreError::Closed } else { StoreError::NoSpace }.into());
        }
        if self.state.admits(class, length) {
            return Ok(());
        }
        self.want_extent();
        if !self.state.hopeless(&self.log.options) {
            return Err(Refused::NotYet);
        }
        Err(self.state.lacking.clone().map_or(StoreError::NoSpace, StoreError::File).into())
    }

    /// What an append means for the space of the log; its unit begins with a head of `head` bytes.
    fn account(&mut self, class: Class, length: usize, head: usize) {
        if let Some(current) = self.state.extents.back_mut() {
            current.overhead_bytes += head as u64;
        }
        if class == Class::Essential {
            self.state.ended(length as u64);
        }
        if !self.state.full && !self.state.wanted && self.state.lacks_extent() {
            self.want_extent();
        }
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
    pub(super) fn roll(&mut self) {
        self.state.seal();
        let next = self.state.ready.pop_front().expect("admit saw a prepared extent");
        self.state.extents.push_back(next);
        self.state.measure();
        self.state.wants_anchor = true;
        self.wake_keeper();
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
            let current = state.extents.back_mut().expect("a log has an extent that is being filled");
            current.overhead_bytes += BATCH_BYTES as u64;
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
        if self.state.is_worth_a_look() {
            self.wake_keeper();
        }
        let writer = self.state.writer;
        if self.state.pace.may_be_led(moment) && leader::leave(&self.log.this) {
            self.state.is_led = true;
            if writer == Writer::Resting {
                self.log.work.notify_one();
            }
            return;
        }
        if let Some(batch) = self.state.gathered.back_mut() {
            batch.is_left = false;
        }
        let is_to_wake = match writer {
            Writer::Awake => false,
            Writer::Resting => true,
            Writer::Waiting { for_units } => self.state.is_due(for_units),
        };
        if is_to_wake {
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
