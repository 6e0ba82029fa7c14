//! Appending to the log, and waiting until what was appended is durable.
//!
//! Callers copy their unit into the batch that is being gathered, under one short lock, and learn its place. One thread
//! takes the oldest gathered batch, writes and syncs it, publishes how far the log is durable and wakes who waits. Only
//! one batch is ever in flight, which is what lets recovery tell a torn tail from a damaged middle.
//!
//! Never blocks an appender: space is promised only in extents that are already prepared (see `prepare.rs`).
//!
//! Invariants
//! - Batches lie in `gathered` in the order of their places; the last one is the one being filled.
//! - `durable` grows only after a successful sync. After a failed write or sync it never changes again.
//! - Live counts of an extent are changed under the same lock as the append that changes them.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, Waker};

use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::private::log::disk::{Disk, disk_error};
use crate::private::log::durable::{Durable, Waiters};
use crate::private::log::extent::{
    BATCH_ALIGNMENT, BATCH_HEADER_BYTES, BatchHeader, EXTENT_HEADER_BYTES, LogFile, PAGE_BYTES, Place,
};
use crate::private::store::StoreStatistics;
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

struct Batch {
    start: Place,
    previous_end: Place,
    salt: u64,
    /// Of the extent it lies in, in bytes.
    extent_length: usize,
    /// Oldest extent needed when the batch was begun.
    oldest: u32,
    /// Begins with room for the header.
    buffer: Vec<u8>,
    units: u32,
    sealed: bool,
}

impl Batch {
    fn end(&self) -> Place {
        self.start.plus(self.buffer.len().next_multiple_of(BATCH_ALIGNMENT))
    }
}

/// Everything that changes with an append, behind one lock.
pub(crate) struct State {
    gathered: VecDeque<Batch>,
    free_buffers: Vec<Vec<u8>>,
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
    /// An extent has been freed since, and no other attempt was made.
    pub(crate) space_gained: bool,
    /// The thread that prepares extents has been asked to try.
    pub(crate) wanted: bool,
    /// Something for that thread may have changed.
    pub(crate) keeper_work: bool,
    /// Set while the writer sleeps on `work`, so that appenders seldom have to wake it.
    writer_sleeps: bool,
    pub(crate) stopping: bool,
    /// Body files whose message is gone, with the place from which on their removal is safe.
    pub(crate) dead_files: VecDeque<(Place, u64)>,
}

#[derive(Default)]
pub(crate) struct Counters {
    pub(crate) bytes_written: AtomicU64,
    pub(crate) syncs: AtomicU64,
    pub(crate) records: AtomicU64,
    pub(crate) moved_bytes: AtomicU64,
    pub(crate) sync_nanoseconds: AtomicU64,
}

const RUNNING: u8 = 0;
const FAILED: u8 = 1;
const CLOSED: u8 = 2;

pub(crate) struct Log {
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) options: StoreOptions,
    pub(crate) state: Mutex<State>,
    work: Condvar,
    /// Wakes the thread of `prepare.rs`.
    pub(crate) keeper: Condvar,
    /// Everything before this place is durable.
    durable: AtomicU64,
    status: AtomicU8,
    failure: OnceLock<Arc<RecoveryLogError>>,
    pub(crate) waiters: Waiters,
    waiting_for_space: Mutex<Vec<Waker>>,
    /// Number for the next position or body file; every batch records it.
    pub(crate) next_position: Arc<AtomicU64>,
    pub(crate) counters: Counters,
}

/// Where a log goes on after recovery.
pub(crate) struct Continuation {
    pub(crate) tail: Place,
    pub(crate) extents: VecDeque<Extent>,
    pub(crate) ready: VecDeque<Extent>,
}

/// Most bytes gathered into one batch, unless a single unit is longer.
const BATCH_BYTES_MAXIMUM: usize = 4 << 20;
/// A written buffer longer than this is given back to the allocator.
const KEPT_BUFFER_BYTES: usize = 1 << 20;
/// One being filled, one in flight.
const KEPT_BUFFERS: usize = 2;

impl Log {
    pub(crate) fn new(
        disk: Arc<dyn Disk>,
        options: StoreOptions,
        continuation: Continuation,
        next_position: Arc<AtomicU64>,
    ) -> Self {
        let Continuation { tail, extents, ready } = continuation;
        let has_ready = !ready.is_empty();
        Self {
            disk,
            options,
            state: Mutex::new(State {
                gathered: VecDeque::new(),
                free_buffers: Vec::new(),
                tail,
                extents,
                ready,
                reserved: 0,
                full: false,
                space_gained: false,
                wanted: !has_ready,
                keeper_work: true,
                writer_sleeps: false,
                stopping: false,
                dead_files: VecDeque::new(),
            }),
            work: Condvar::new(),
            keeper: Condvar::new(),
            durable: AtomicU64::new(tail.0),
            status: AtomicU8::new(RUNNING),
            failure: OnceLock::new(),
            waiters: Waiters::default(),
            waiting_for_space: Mutex::default(),
            next_position,
            counters: Counters::default(),
        }
    }

    /// Locks the log for one or more appends that belong together with changes of live counts.
    pub(crate) fn lock(&self) -> Appender<'_> {
        Appender { log: self, state: self.state.lock(), appended: false }
    }

    pub(crate) fn is_durable(&self, place: Place) -> bool {
        self.durable.load(Ordering::Acquire) > place.0
    }

    /// Resolves once the unit at `place` is durable.
    pub(crate) fn durable(&self, place: Place) -> Durable<'_> {
        Durable::new(self, place)
    }

    /// Resolves once an append that was told `NotYet` is worth another try.
    pub(crate) fn space(&self) -> Space<'_> {
        Space { log: self, waited: false }
    }

    /// The error of a log that takes nothing any more.
    pub(crate) fn closed_error(&self) -> Option<StoreError> {
        match self.status.load(Ordering::Acquire) {
            RUNNING => None,
            FAILED => self.failure.get().map(|error| StoreError::LogFailed(Arc::clone(error))),
            _ => Some(StoreError::Closed),
        }
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.status.load(Ordering::Acquire) == FAILED
    }

    /// Nothing is written any more; everybody who waits, and everybody who comes, is told why.
    pub(crate) fn fail(&self, error: RecoveryLogError) {
        let error = Arc::new(error);
        if self.failure.set(Arc::clone(&error)).is_ok() {
            tracing::error!(error = %error, cause = ?std::error::Error::source(&*error).map(ToString::to_string),
                "the recovery log has failed: nothing is written any more; restart the queue manager once the disk is well");
        }
        self.status.store(FAILED, Ordering::Release);
        self.wake_everybody();
        let state = self.state.lock();
        self.keeper.notify_all();
        drop(state);
    }

    fn wake_everybody(&self) {
        self.waiters.wake_everybody();
        self.space_changed();
    }

    /// Wakes those who wait for the next extent.
    pub(crate) fn space_changed(&self) {
        let waiting = std::mem::take(&mut *self.waiting_for_space.lock());
        waiting.into_iter().for_each(Waker::wake);
    }

    pub(crate) fn statistics(&self, statistics: &mut StoreStatistics) {
        let counted = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        statistics.log_bytes_written = counted(&self.counters.bytes_written);
        statistics.log_syncs = counted(&self.counters.syncs);
        statistics.log_batches = counted(&self.counters.syncs);
        statistics.log_records = counted(&self.counters.records);
        statistics.log_moved_bytes = counted(&self.counters.moved_bytes);
        #[expect(clippy::cast_precision_loss, reason = "a measurement, good to microseconds for centuries")]
        let seconds = counted(&self.counters.sync_nanoseconds) as f64 / 1e9;
        statistics.sync_seconds_total = seconds;
        statistics.log_failed = self.has_failed();
        let state = self.state.lock();
        statistics.log_extents = state.extents.len() as u64;
        statistics.log_bytes_in_use = state.log_bytes();
        statistics.log_full = state.full;
    }

    /// The body of the writer thread.
    pub(crate) fn run_writer(&self) {
        let mut crowd = 0;
        while let Some(batch) = self.next_batch(crowd) {
            crowd = batch.units;
            let end = batch.end();
            match self.write(batch) {
                Ok(buffer) => self.publish(end, buffer),
                Err(error) => {
                    self.fail(error);
                    return;
                }
            }
        }
        if !self.has_failed() {
            self.status.store(CLOSED, Ordering::Release);
        }
        self.wake_everybody();
    }

    /// Waits for something to write. `crowd` is how many units the last batch had: that many callers have just been
    /// woken and are likely to come again, so a batch with fewer gives way to them a few times before it goes.
    fn next_batch(&self, crowd: u32) -> Option<Batch> {
        let mut state = self.state.lock();
        let mut patience = PATIENCE;
        loop {
            match state.gathered.front() {
                None if state.stopping => return None,
                None => {
                    state.writer_sleeps = true;
                    self.work.wait(&mut state);
                    state.writer_sleeps = false;
                }
                Some(batch) if !batch.sealed && batch.units < crowd && patience > 0 && !state.stopping => {
                    patience -= 1;
                    MutexGuard::unlocked(&mut state, std::thread::yield_now);
                }
                Some(_) => return state.take_batch(),
            }
        }
    }

    /// Writes and syncs one batch; gives its buffer back.
    fn write(&self, mut batch: Batch) -> Result<Vec<u8>, RecoveryLogError> {
        let extent = batch.start.extent();
        let file = LogFile::Extent(extent).name();
        let length = batch.buffer.len().next_multiple_of(BATCH_ALIGNMENT);
        let offset = usize::try_from(batch.start.offset()).expect("an offset within a file that is in memory");
        let end_of_page = (offset + length).next_multiple_of(PAGE_BYTES).min(batch.extent_length);
        batch.buffer.resize(end_of_page - offset, 0);
        let header = BatchHeader {
            place: batch.start,
            previous_end: batch.previous_end,
            next_position: self.next_position.load(Ordering::Relaxed),
            oldest: batch.oldest,
            length,
            units: batch.units,
        };
        header.seal(batch.salt, &mut batch.buffer[..length]);
        self.disk
            .write(&file, batch.start.offset(), &batch.buffer)
            .map_err(|source| disk_error("write to", &file, source))?;
        #[expect(clippy::disallowed_methods, reason = "measures the sync for the statistics; decides nothing")]
        let started = std::time::Instant::now();
        self.disk.sync(&file).map_err(|source| RecoveryLogError::Sync { extent: u64::from(extent), source })?;
        let elapsed = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.counters.sync_nanoseconds.fetch_add(elapsed, Ordering::Relaxed);
        self.counters.syncs.fetch_add(1, Ordering::Relaxed);
        self.counters.bytes_written.fetch_add(length as u64, Ordering::Relaxed);
        self.counters.records.fetch_add(u64::from(batch.units), Ordering::Relaxed);
        Ok(batch.buffer)
    }

    fn publish(&self, end: Place, mut buffer: Vec<u8>) {
        self.durable.store(end.0, Ordering::Release);
        self.waiters.publish(end);
        if buffer.capacity() <= KEPT_BUFFER_BYTES {
            buffer.clear();
            let mut state = self.state.lock();
            if state.free_buffers.len() < KEPT_BUFFERS {
                state.free_buffers.push(buffer);
            }
        }
    }

    /// Ends the writer after everything gathered is durable. Appends are refused from now on.
    pub(crate) fn stop(&self) {
        let mut state = self.state.lock();
        state.stopping = true;
        self.work.notify_all();
        self.keeper.notify_all();
    }
}

/// What an extent with one batch has besides units, in bytes.
const OVERHEAD_BYTES: usize = EXTENT_HEADER_BYTES + BATCH_HEADER_BYTES + BATCH_ALIGNMENT;

/// What everybody leaves to the records that say an extent is free, in bytes.
const FREEING_BYTES: usize = 1 << 10;

/// How often a small batch gives way to callers that are about to come back.
const PATIENCE: u32 = 8;

/// Length in bytes up to which a unit is sure to fit: an eighth of an extent, so that the reserve holds several.
/// What may be longer is split, except definitions.
pub(crate) fn unit_maximum(options: &StoreOptions) -> usize {
    usize::try_from(options.extent_bytes / 8).unwrap_or(usize::MAX)
}

impl State {
    fn take_batch(&mut self) -> Option<Batch> {
        let batch = self.gathered.pop_front()?;
        self.tail = batch.end();
        Some(batch)
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
    fn hopeless(&self) -> bool {
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
    log: &'a Log,
    pub(crate) state: MutexGuard<'a, State>,
    appended: bool,
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
        if self.state.hopeless() { Err(StoreError::NoSpace.into()) } else { Err(Refused::NotYet) }
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
            let batch = Batch { start, previous_end, salt, extent_length, oldest, buffer, units: 0, sealed: false };
            state.gathered.push_back(batch);
        }
        state.gathered.back_mut().expect("one was just made sure of")
    }
}

impl Drop for Appender<'_> {
    fn drop(&mut self) {
        if self.appended && self.state.writer_sleeps {
            self.log.work.notify_one();
        }
    }
}

/// Waits for the next change of the space that is prepared.
pub(crate) struct Space<'a> {
    log: &'a Log,
    waited: bool,
}

impl Future for Space<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.waited {
            return Poll::Ready(());
        }
        self.waited = true;
        // First the waker, then the look: whoever changes what is looked at takes the wakers afterwards.
        self.log.waiting_for_space.lock().push(context.waker().clone());
        let state = self.log.state.lock();
        if state.hopeless() || !state.wanted || state.stopping || self.log.has_failed() {
            return Poll::Ready(());
        }
        Poll::Pending
    }
}

/// Runs a future on this thread, sleeping while it waits: for threads that are not tasks.
pub fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    thread_local! {
        static WAKER: Waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    }
    let waker = WAKER.with(Waker::clone);
    let mut context = Context::from_waker(&waker);
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}
