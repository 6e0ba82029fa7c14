//! The log while it is open: one thread writes what `append.rs` gathers, and everybody can see how far it is durable.
//!
//! Callers copy their unit into the batch that is being gathered and learn its place. The writer thread takes the oldest
//! gathered batch, writes and syncs it, publishes how far the log is durable and wakes who waits. Only one batch is ever
//! in flight, which is what lets recovery tell a torn tail from a damaged middle.
//!
//! Invariants
//! - `durable` grows only after a successful sync. After a failed write or sync nothing is written any more.
//! - Whoever owns the log is told that it has failed once, and before a caller is (`failure.rs`).

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::task::Waker;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::private::log::anchor::{Anchor, AnchorFile};
use crate::private::log::append::{Appender, Batch, Continuation, State, Writer};
use crate::private::log::disk::{Disk, disk_error};
use crate::private::log::durable::{Durable, Waiters};
use crate::private::log::extent::{BATCH_ALIGNMENT, BatchHeader, LogFile, PAGE_BYTES, Place};
use crate::private::log::failure::{Failure, Listener};
use crate::private::log::leader::{self, HOLD, OVERDUE};
use crate::private::log::wait::Space;
use crate::private::quota::QuotaUse;
use crate::private::store::StoreStatistics;
use crate::{RecoveryLogError, StoreError, StoreOptions};

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
    pub(super) this: Weak<Self>,
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) options: StoreOptions,
    pub(crate) state: Mutex<State>,
    pub(super) work: Condvar,
    /// Wakes the thread of `prepare.rs`.
    pub(crate) keeper: Condvar,
    /// Everything before this place is durable.
    durable: AtomicU64,
    status: AtomicU8,
    failure: Failure,
    pub(super) waiters: Waiters,
    pub(super) waiting_for_space: Mutex<Vec<Waker>>,
    pub(super) anchor: Mutex<AnchorFile>,
    /// Number for the next position or body file; every batch records it.
    pub(crate) next_position: Arc<AtomicU64>,
    pub(crate) counters: Counters,
}

impl Log {
    pub(crate) fn new(
        disk: Arc<dyn Disk>,
        options: StoreOptions,
        continuation: Continuation,
        anchor: Option<Anchor>,
        next_position: Arc<AtomicU64>,
    ) -> Arc<Self> {
        let tail = continuation.tail;
        Arc::new_cyclic(|this| Self {
            this: Weak::clone(this),
            disk,
            options,
            state: Mutex::new(State::new(continuation)),
            work: Condvar::new(),
            keeper: Condvar::new(),
            durable: AtomicU64::new(tail.0),
            status: AtomicU8::new(RUNNING),
            failure: Failure::default(),
            waiters: Waiters::default(),
            waiting_for_space: Mutex::default(),
            anchor: Mutex::new(AnchorFile::new(anchor)),
            next_position,
            counters: Counters::default(),
        })
    }

    /// Locks the log for one or more appends that belong together with changes of live counts.
    pub(crate) fn lock(&self) -> Appender<'_> {
        Appender { log: self, state: self.state.lock(), appended: false }
    }

    pub(crate) fn is_durable(&self, place: Place) -> bool {
        self.durable.load(Ordering::Acquire) > place.0
    }

    /// Where the last durable batch ended.
    pub(crate) fn durable_up_to(&self) -> Place {
        Place(self.durable.load(Ordering::Acquire))
    }

    /// Resolves once the unit at `place` is durable.
    pub(crate) fn durable(&self, place: Place) -> Durable<'_> {
        Durable::new(self, place)
    }

    /// Resolves when an append that returned `NotYet` should be tried again.
    pub(crate) fn space(&self) -> Space<'_> {
        Space { log: self, waited: false }
    }

    /// The error of a log that takes nothing any more.
    pub(crate) fn closed_error(&self) -> Option<StoreError> {
        match self.status.load(Ordering::Acquire) {
            RUNNING => None,
            FAILED => self.failure.error().map(|error| StoreError::LogFailed(Arc::clone(error))),
            _ => Some(StoreError::Closed),
        }
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.status.load(Ordering::Acquire) == FAILED
    }

    /// Nothing more is written. The listener gets the reason, then all waiting and all later callers do.
    pub(crate) fn fail(&self, error: RecoveryLogError) {
        self.failure.set(Arc::new(error));
        self.status.store(FAILED, Ordering::Release);
        self.wake_everybody();
        let state = self.state.lock();
        self.keeper.notify_all();
        drop(state);
    }

    /// Calls `listener` once the log has failed, at once if it has.
    pub(crate) fn when_failed(&self, listener: Listener) {
        self.failure.listen(listener);
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
        statistics.log_full = state.refuses_puts();
    }

    /// How far the quota of disk is used: by what is beside the log, and by what the log cannot give back. `None`: there is none.
    pub(crate) fn quota_use(&self) -> Option<QuotaUse> {
        let quota = self.disk.quota()?;
        let files = quota.bytes.saturating_sub(quota.apart_bytes);
        let needed = self.state.lock().needed_bytes(&self.options);
        Some(QuotaUse { used_bytes: quota.apart_bytes + files.min(needed), maximum_bytes: quota.maximum_bytes })
    }

    /// The body of the writer thread.
    pub(crate) fn run_writer(&self) {
        while let Some(batch) = self.next_batch() {
            if self.has_failed() || !self.write_out(batch) {
                return;
            }
        }
        if !self.has_failed() {
            self.status.store(CLOSED, Ordering::Release);
        }
        self.wake_everybody();
    }

    /// Waits for something to write, and for those who are likely to come.
    ///
    /// In a closed loop the callers whom the last sync released come again, and so do those who came while it ran. Where
    /// threads carry several of them, as those of a network door do, a batch waits for all, at most for `HOLD`: a sync
    /// costs processor time however little it writes, and a wake-up for every thread. Who does not come in time is not
    /// waited for after the next sync. Callers with a thread each come back at the price of a wake-up each, while others
    /// are on their way: for them a batch only gives way a few times, so that the disk is never idle for long.
    ///
    /// What a thread has left to itself is left to it for a while.
    fn next_batch(&self) -> Option<Batch> {
        let mut state = self.state.lock();
        loop {
            self.give_way(&mut state);
            if state.gathered.is_empty() {
                if state.stopping {
                    return None;
                }
                self.sleep(&mut state, 1, None);
                continue;
            }
            self.wait_for_company(&mut state);
            // A thread that leads may have come first.
            if !state.is_writing && !state.gathered.is_empty() {
                return state.take_batch();
            }
        }
    }

    /// Holds the oldest batch back for those who are likely to join it.
    fn wait_for_company(&self, state: &mut MutexGuard<'_, State>) {
        let last = state.pace;
        let expected = last.expected(state.gathered.front().map_or(0, |batch| batch.units));
        if expected > 0 {
            let until = moment() + HOLD;
            while !state.is_due(expected) && !state.stopping && !self.sleep(state, expected, Some(until)) {}
            return;
        }
        for _ in 0..YIELDS {
            let is_short = state.gathered.front().is_some_and(|batch| batch.units < last.units && !batch.sealed);
            if !is_short || state.stopping {
                return;
            }
            MutexGuard::unlocked(state, std::thread::yield_now);
        }
    }

    /// Leaves the log to a thread that writes it now, or is about to; but no batch for longer than twice `OVERDUE`.
    fn give_way(&self, state: &mut MutexGuard<'_, State>) {
        let mut seen = None;
        while !state.stopping {
            let is_led = std::mem::take(&mut state.is_led);
            let front = state.gathered.front().map(|batch| (batch.start, batch.is_left));
            let others_write = match front {
                _ if state.is_writing => true,
                Some((start, is_left)) => is_left && seen != Some(start),
                None => is_led,
            };
            if !others_write {
                return;
            }
            seen = front.map(|(start, _)| start);
            self.sleep(state, 1, Some(moment() + OVERDUE));
        }
        while state.is_writing {
            self.work.wait(state);
        }
    }

    /// Sleeps until the oldest batch has `wanted` units or the time has come; true when it has come. Without a time, until there
    /// is anything.
    fn sleep(&self, state: &mut MutexGuard<'_, State>, wanted: u32, until: Option<Instant>) -> bool {
        state.writer = if until.is_none() { Writer::Resting } else { Writer::Waiting { for_units: wanted } };
        let is_late = match until {
            Some(until) => self.work.wait_until(state, until).timed_out(),
            None => {
                self.work.wait(state);
                false
            }
        };
        state.writer = Writer::Awake;
        is_late
    }

    /// Writes a batch that was taken, and tells those who wait for it; false when the log has failed.
    pub(super) fn write_out(&self, batch: Batch) -> bool {
        let flight = InFlight(self);
        let (units, end) = (batch.units, batch.end());
        let (buffer, took) = match self.write(batch) {
            Ok(written) => written,
            Err(error) => {
                flight.fail(error);
                return false;
            }
        };
        let sharing = self.publish(end);
        let mut state = self.state.lock();
        state.is_writing = false;
        state.pace = state.pace.after(units, sharing, took, moment());
        state.keep(buffer);
        if !std::mem::replace(&mut state.is_unanchored, true) {
            self.keeper.notify_one();
        }
        // What others have appended meanwhile, a thread that leads writes once it has run what it has just released.
        let stays = state.gathered.front().is_none_or(|batch| batch.is_left && leader::leave(&self.this));
        if state.stopping || !stays {
            state.hand_over();
            self.work.notify_one();
        }
        true
    }

    /// Writes and syncs one batch; gives its buffer back, and how long both took.
    fn write(&self, mut batch: Batch) -> Result<(Vec<u8>, Duration), RecoveryLogError> {
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
        let started = moment();
        self.disk
            .write(&file, batch.start.offset(), &batch.buffer)
            .map_err(|source| disk_error("write to", &file, source))?;
        let written = moment();
        self.disk.sync(&file).map_err(|source| RecoveryLogError::Sync { extent: u64::from(extent), source })?;
        let synced = moment();
        let elapsed = u64::try_from((synced - written).as_nanos()).unwrap_or(u64::MAX);
        self.counters.sync_nanoseconds.fetch_add(elapsed, Ordering::Relaxed);
        self.counters.syncs.fetch_add(1, Ordering::Relaxed);
        self.counters.bytes_written.fetch_add(length as u64, Ordering::Relaxed);
        self.counters.records.fetch_add(u64::from(batch.units), Ordering::Relaxed);
        Ok((batch.buffer, synced - started))
    }

    /// Returns how many of the notified callers share a thread.
    fn publish(&self, end: Place) -> usize {
        self.durable.store(end.0, Ordering::Release);
        self.waiters.publish(end)
    }

    /// Ends the writer after everything gathered is durable. Appends are refused from now on.
    pub(crate) fn stop(&self) {
        let mut state = self.state.lock();
        state.stopping = true;
        self.work.notify_all();
        self.keeper.notify_all();
    }
}

/// A batch that this thread writes. When that fails, or panics, the log fails before another batch can be taken.
struct InFlight<'a>(&'a Log);

impl InFlight<'_> {
    fn fail(&self, error: RecoveryLogError) {
        self.0.fail(error);
        self.0.state.lock().is_writing = false;
        self.0.work.notify_all();
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.fail(RecoveryLogError::Panic);
        }
    }
}

impl State {
    /// A written buffer, for the next batch.
    fn keep(&mut self, mut buffer: Vec<u8>) {
        if buffer.capacity() <= KEPT_BUFFER_BYTES && self.free_buffers.len() < KEPT_BUFFERS {
            buffer.clear();
            self.free_buffers.push(buffer);
        }
    }
}

/// A written buffer longer than this is given back to the allocator.
const KEPT_BUFFER_BYTES: usize = 1 << 20;
/// One being filled, one in flight.
const KEPT_BUFFERS: usize = 2;

/// How often a batch gives way to callers with a thread each.
const YIELDS: u32 = 8;

#[expect(clippy::disallowed_methods, reason = "times syncs for the statistics and bounds a wait; decides no outcome")]
pub(crate) fn moment() -> Instant {
    Instant::now()
}
