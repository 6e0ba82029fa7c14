//! Verification of what is on the disk while the store runs: extents that are full, and the files of bodies, round after
//! round at a bounded rate.
//!
//! A damaged extent is handed to the thread that frees extents, which moves what is needed of it and of all older ones
//! (`log/checkpoint.rs`): extents go strictly oldest first. A damaged body is written again from the system's cache if that
//! has it, else its message is set aside. The log does not depend on this thread.

use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use parking_lot::{Condvar, Mutex};

use crate::private::log::append::Extent;
use crate::private::log::disk::{disk_error, read_exact};
use crate::private::log::extent::{EXTENT_HEADER_BYTES, ExtentHeader, LogFile, Place};
use crate::private::log::record::{OPERATION_HEADER_BYTES, PUT_HEAD_BYTES, content_of};
use crate::private::log::stored::{Buffer, Pace, Unchecked, damaged_at, is_body_whole, previous_end};
use crate::private::log::wait::block_on;
use crate::private::log::writer::{Log, moment};
use crate::private::quarantine::is_lasting;
use crate::private::queue::{Holder, Home, Key};
use crate::private::read_back::Whereabouts;
use crate::private::store::{Core, QueueSlot, StoreStatistics};

/// How fast a store reads again what it has on the disk, and how often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VerificationRate {
    pub bytes_per_second: NonZeroU64,
    /// From the begin of a round to the begin of the next, and from the start to the first: a start reads the log itself.
    pub interval: Duration,
}

impl VerificationRate {
    fn time_for(&self, bytes: u64) -> Duration {
        Duration::from_nanos(bytes.saturating_mul(1_000_000_000) / self.bytes_per_second)
    }
}

/// Messages looked at under the lock of their queue at a time.
const LOOKED_AT: usize = 256;

/// What the verification has done, and how to stop it.
#[derive(Default)]
pub(crate) struct Verification {
    bytes: AtomicU64,
    findings: AtomicU64,
    /// When the last complete round ended, in seconds since 1970; 0 before the first.
    completed: AtomicU64,
    stopping: Mutex<bool>,
    stop: Condvar,
}

impl Verification {
    pub(crate) fn stop(&self) {
        *self.stopping.lock() = true;
        self.stop.notify_all();
    }

    /// False when it is to end.
    fn rest_until(&self, until: Instant) -> bool {
        let mut stopping = self.stopping.lock();
        while !*stopping && !self.stop.wait_until(&mut stopping, until).timed_out() {}
        !*stopping
    }

    pub(crate) fn statistics(&self, statistics: &mut StoreStatistics) {
        statistics.log_verified_bytes = self.bytes.load(Ordering::Relaxed);
        statistics.log_damage_found = self.findings.load(Ordering::Relaxed);
        statistics.log_verified_at = self.completed.load(Ordering::Relaxed);
    }

    fn found(&self) {
        self.findings.fetch_add(1, Ordering::Relaxed);
    }
}

/// Tells that nothing is verified any more.
struct TellsOfPanic;

impl Drop for TellsOfPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            tracing::error!("the verification of the recovery log has panicked: it goes on after the next start");
        }
    }
}

impl Core {
    /// The body of the thread.
    pub(crate) fn run_verification(&self, rate: VerificationRate) {
        let _guard = TellsOfPanic;
        let Some(log) = &self.log else { return };
        let mut next = moment() + rate.interval;
        while self.verification.rest_until(next) {
            next = moment() + rate.interval;
            let mut due = moment();
            let mut pace = |bytes: usize| {
                self.verification.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
                let goes_on = log.closed_error().is_none() && self.verification.rest_until(due);
                due = due.max(moment()) + rate.time_for(bytes as u64);
                goes_on
            };
            self.verify_round(log, &mut pace);
        }
    }

    /// One round as fast as the disk is.
    pub(crate) fn verify_now(&self) {
        if let Some(log) = &self.log {
            self.verify_round(log, &mut |bytes| {
                self.verification.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
                log.closed_error().is_none()
            });
        }
    }

    fn verify_round(&self, log: &Arc<Log>, pace: Pace<'_>) {
        let checked = Buffer::new().map_err(Unchecked::Refused).and_then(|mut buffer| {
            let whole = self.verify_extents(log, &mut buffer, pace)?;
            Ok(self.verify_bodies(log, &mut buffer, pace)? && whole)
        });
        match checked {
            Ok(true) => self.verification.completed.store(seconds_since_1970(), Ordering::Relaxed),
            // A file that could not be opened, for example: the next round tries again.
            Ok(false) | Err(Unchecked::Stopped) => {}
            Err(Unchecked::Refused(error)) => {
                tracing::debug!(error = %error, "the verification of the recovery log was given up; the next round tries again");
            }
        }
    }

    /// False when something could not be checked.
    fn verify_extents(&self, log: &Log, buffer: &mut Buffer, pace: Pace<'_>) -> Result<bool, Unchecked> {
        let extents: Vec<ExtentHeader> = log.state.lock().extents.iter().map(Extent::header).collect();
        let mut all = true;
        for pair in extents.windows(2) {
            let [extent, next] = pair else { unreachable!("windows of two") };
            // What is written of the next one is whole, and so is all of this one.
            if log.durable_up_to() <= Place::new(next.sequence, EXTENT_HEADER_BYTES) {
                break;
            }
            match self.verify_extent(log, extent, next, buffer, pace) {
                Err(Unchecked::Refused(_)) => all = false,
                other => other?,
            }
        }
        Ok(all)
    }

    fn verify_extent(
        &self,
        log: &Log,
        extent: &ExtentHeader,
        next: &ExtentHeader,
        buffer: &mut Buffer,
        pace: Pace<'_>,
    ) -> Result<(), Unchecked> {
        let disk = log.disk.as_ref();
        let end = previous_end(disk, next, buffer, pace)?;
        let end = end.filter(|end| end.extent() == extent.sequence).map(Place::offset);
        if let Some(offset) = damaged_at(disk, extent, end, buffer, pace)? {
            self.heal_extent(log, extent.sequence, offset);
        }
        Ok(())
    }

    fn heal_extent(&self, log: &Log, sequence: u32, offset: u64) {
        let mut appender = log.lock();
        let state = &mut *appender.state;
        // One that was freed meanwhile may have been another extent already when it was read.
        if state.index_of(sequence).is_none() {
            return;
        }
        let is_new = state.damaged.insert(sequence, offset).is_none();
        state.is_stuck = false;
        appender.wake_keeper();
        drop(appender);
        if is_new {
            self.verification.found();
            tracing::warn!(
                extent = sequence,
                offset,
                "a batch of the recovery log is damaged on the disk: what is needed of its extent and of older ones is \
                 written again; check the disk"
            );
        }
    }

    /// False when something could not be checked.
    fn verify_bodies(&self, log: &Arc<Log>, buffer: &mut Buffer, pace: Pace<'_>) -> Result<bool, Unchecked> {
        let slots: Vec<Arc<QueueSlot>> = self.queues.read().values().cloned().collect();
        let mut all = true;
        for slot in slots {
            let mut after = None;
            loop {
                let (keys, last) = slot.queue.lock().bodies_behind(after, LOOKED_AT);
                for key in keys {
                    match self.verify_body(log, &slot, key, buffer, pace) {
                        Err(Unchecked::Refused(_)) => all = false,
                        other => other?,
                    }
                }
                if last.is_none() {
                    break;
                }
                after = last;
            }
        }
        Ok(all)
    }

    fn verify_body(
        &self,
        log: &Log,
        slot: &QueueSlot,
        key: Key,
        buffer: &mut Buffer,
        pace: Pace<'_>,
    ) -> Result<(), Unchecked> {
        let Some((seen, number, length)) = self.body_of(slot, key) else { return Ok(()) };
        let Home::Log { place, .. } = seen.home else { return Ok(()) };
        let mut head = [0; PUT_HEAD_BYTES];
        let record = LogFile::Extent(place.extent()).name();
        if read_exact(log.disk.as_ref(), &record, place.offset(), &mut head).is_err() {
            // The message has moved, or its record is what the verification of extents is about.
            return Ok(());
        }
        let Some(crc) = body_crc(&head, number) else { return Ok(()) };
        if !is_body_whole(log.disk.as_ref(), number, length, crc, buffer, pace)? && is_there(slot, &seen) {
            self.heal_body(log, slot, &seen, number);
        }
        Ok(())
    }

    /// A message whose body has a file of its own and whose record is on the disk: the file's number and length.
    fn body_of(&self, slot: &QueueSlot, key: Key) -> Option<(Whereabouts, u64, u32)> {
        let queue = slot.queue.lock();
        let entry = queue.entry(queue.slot(key)?);
        let number = entry.body_file?.get();
        let is_well = entry.holder != Holder::Quarantine && self.too_early(entry).is_none();
        is_well.then(|| (Whereabouts::of(slot.id, entry), number, entry.body_bytes))
    }

    /// The right bytes over the wrong ones: interrupted at any moment, that leaves nothing worse than it was.
    fn heal_body(&self, log: &Log, slot: &QueueSlot, seen: &Whereabouts, number: u64) {
        let file = LogFile::Body(number).name();
        let written = block_on(self.read(seen)).and_then(|message| {
            let written = log.disk.write(&file, 0, &message.body).and_then(|()| log.disk.sync(&file));
            written.map_err(|source| disk_error("write again", &file, source))
        });
        match written {
            Ok(()) => {
                self.verification.found();
                tracing::warn!(
                    file = file.0,
                    "the file of a message was damaged on the disk; memory had it, and it was written again; check the disk"
                );
            }
            Err(error) if is_lasting(&error) && is_there(slot, seen) => {
                if self.set_aside_seen(slot, seen, &error) {
                    self.verification.found();
                }
            }
            Err(_) => {}
        }
    }
}

/// The checksum of a body in a file of its own, if this begins the record of its message.
fn body_crc(head: &[u8; PUT_HEAD_BYTES], number: u64) -> Option<u32> {
    let (_, _, crc) = content_of(head)?;
    let file = head.get(OPERATION_HEADER_BYTES + 32..OPERATION_HEADER_BYTES + 40)?;
    (file == number.to_le_bytes()).then_some(crc)
}

/// The message is still where it was seen.
fn is_there(slot: &QueueSlot, seen: &Whereabouts) -> bool {
    let queue = slot.queue.lock();
    queue.slot(seen.key).is_some_and(|found| queue.entry(found).home == seen.home)
}

#[expect(clippy::disallowed_methods, reason = "a time that is shown; decides nothing")]
fn seconds_since_1970() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
