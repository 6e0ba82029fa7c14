//! Extents ready before they are needed: filled with zeros once, and recycled.
//!
//! A sync of space that was written before needs no change of the file's metadata, which makes it about twice as fast.
//! A new extent grows under the name `preparing` and gets its own name only when it is whole and synced, so a file with
//! an extent's name always has a good header. A spare one only gets a new header with a new salt.
//!
//! The file system is asked for space before anything is written: an attempt on a full disk costs a question, and
//! leaves other programs what little there is.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use model::causes::chain;
use rand::RngCore;

use crate::private::log::append::{Extent, State};
use crate::private::log::disk::{Disk, FileName, disk_error, is_full};
use crate::private::log::extent::{EXTENT_HEADER_BYTES, ExtentHeader, LogFile};
use crate::private::log::wait::block_on;
use crate::private::log::writer::Log;
use crate::{RecoveryLogError, lacking};

/// An extent file that holds nothing needed any more.
pub(crate) struct Spare {
    pub(crate) file: FileName,
    pub(crate) length: u64,
}

/// That an extent is not needed any more is durable.
pub(crate) struct Freed {
    /// `None` when another program has removed its file.
    pub(crate) spare: Option<Spare>,
}

/// How long the preparing thread rests after it found the disk full: the first time, and doubled each time up to the last.
const FULL_PAUSE: Duration = Duration::from_millis(100);
const FULL_PAUSE_MAXIMUM: Duration = Duration::from_secs(2);
/// The part of an extent's length that is left to others on the disk when the extent is made.
const LEFT_TO_OTHERS: u64 = 8;
/// Bytes of zeros between two looks at whether the extent is still needed.
const FILLED_AT_ONCE: usize = 1 << 20;

pub(crate) enum Prepared {
    Ready,
    Full,
    Lacking(Arc<RecoveryLogError>),
    /// The log is closing.
    Stopped,
}

/// What came of filling a new file.
pub(crate) enum Created {
    Extent(Extent),
    Full,
    /// The system has no descriptor or no memory for it now.
    Lacking(RecoveryLogError),
    Stopped,
}

/// Makes one more extent ready.
///
/// # Errors
/// Anything but a full disk or a lack of descriptors: the log must not go on.
fn prepare_next(log: &Log, spares: &mut Vec<Spare>, rest: &mut Rest) -> Result<Prepared, RecoveryLogError> {
    let (sequence, last, length) = {
        let state = log.state.lock();
        let last = state.ready.back().unwrap_or(state.current()).sequence;
        (last.checked_add(1), last, state.new_length(&log.options))
    };
    let Some(sequence) = sequence else {
        let file = LogFile::Extent(last).name();
        return Err(disk_error("number the extent after", &file, io::ErrorKind::InvalidData.into()));
    };
    let spare = spares.pop();
    let is_recycled = spare.is_some();
    let prepared = match spare {
        Some(spare) => add(log, recycle(log.disk.as_ref(), &spare, sequence)?),
        None => match create(log.disk.as_ref(), sequence, length, &|| log.state.lock().stopping)? {
            Created::Extent(extent) => add(log, extent),
            Created::Full => Prepared::Full,
            Created::Lacking(error) => Prepared::Lacking(Arc::new(error)),
            Created::Stopped => Prepared::Stopped,
        },
    };
    settle(log, &prepared, is_recycled);
    if !is_recycled {
        rest.after(&prepared);
    }
    Ok(prepared)
}

fn add(log: &Log, extent: Extent) -> Prepared {
    let mut state = log.state.lock();
    state.ready.push_back(extent);
    state.is_stuck = false;
    Prepared::Ready
}

/// A new extent, filled with zeros, unless `stop` says that nobody needs it any more.
pub(crate) fn create(
    disk: &dyn Disk,
    sequence: u32,
    length: u64,
    stop: &dyn Fn() -> bool,
) -> Result<Created, RecoveryLogError> {
    let file = LogFile::Preparing.name();
    let free = disk.free_bytes().map_err(|source| disk_error("ask for the free space of", &file, source))?;
    if free.is_some_and(|free| free < length + length / LEFT_TO_OTHERS) {
        return Ok(Created::Full);
    }
    let extent = new_extent(sequence, length);
    let unfinished = match fill(disk, &file, &extent, stop) {
        Ok(true) => {
            finish(disk, &file, &extent)?;
            return Ok(Created::Extent(extent));
        }
        Ok(false) => Created::Stopped,
        Err(error) if is_full(&error) => Created::Full,
        Err(error) if lacking(&error).is_some() => Created::Lacking(disk_error("prepare", &file, error)),
        Err(error) => return Err(disk_error("prepare", &file, error)),
    };
    // What was written so far takes space that others need; a remainder does no harm.
    remove(disk, &file);
    Ok(unfinished)
}

fn recycle(disk: &dyn Disk, spare: &Spare, sequence: u32) -> Result<Extent, RecoveryLogError> {
    let extent = new_extent(sequence, spare.length);
    write_header(disk, &spare.file, &extent).map_err(|source| disk_error("recycle", &spare.file, source))?;
    finish(disk, &spare.file, &extent)?;
    Ok(extent)
}

fn new_extent(sequence: u32, length: u64) -> Extent {
    let length = usize::try_from(length).expect("an extent is far smaller than the address space");
    Extent { sequence, length, salt: rand::thread_rng().next_u64(), live_records: 0, live_bytes: 0, overhead_bytes: 0 }
}

/// False when it was stopped.
fn fill(disk: &dyn Disk, file: &FileName, extent: &Extent, stop: &dyn Fn() -> bool) -> io::Result<bool> {
    disk.create(file)?;
    let length = extent.length as u64;
    disk.allocate(file, length)?;
    let mut offset = 0;
    while offset < length {
        if stop() {
            return Ok(false);
        }
        let count = FILLED_AT_ONCE.min(usize::try_from(length - offset).unwrap_or(usize::MAX));
        disk.write_zeros(file, offset, count)?;
        offset += count as u64;
    }
    write_header(disk, file, extent)?;
    Ok(true)
}

fn write_header(disk: &dyn Disk, file: &FileName, extent: &Extent) -> io::Result<()> {
    let header = ExtentHeader { sequence: extent.sequence, salt: extent.salt, length: extent.length as u64 };
    let mut page = [0; EXTENT_HEADER_BYTES];
    let bytes = header.encode();
    page[..bytes.len()].copy_from_slice(&bytes);
    disk.write(file, 0, &page)?;
    disk.sync(file)
}

fn finish(disk: &dyn Disk, file: &FileName, extent: &Extent) -> Result<(), RecoveryLogError> {
    disk.rename(file, &LogFile::Extent(extent.sequence).name()).map_err(|source| disk_error("rename", file, source))
}

/// The body of the thread that keeps extents ready and the anchor up to date, removes dead body files and, through `reclaim`,
/// frees extents.
///
/// `reclaim` frees the oldest extent when that is worth it, and says whether it did. What was freed is
/// ready again before the next one is moved: it may be the reserve that moving needs.
pub(crate) fn run_keeper(log: &Log, mut spares: Vec<Spare>, reclaim: impl Fn() -> Option<Freed>) {
    let mut rest = Rest { until: None, pause: FULL_PAUSE };
    let mut anchoring = Anchoring { due: None };
    while wait_for_work(log, rest.until, &mut anchoring) {
        remove_dead_files(log);
        log.state.lock().is_pressed = log.disk.quota().is_some_and(|quota| quota.is_nearly_used());
        let mut goes_on = true;
        while goes_on {
            let freed = reclaim();
            goes_on = freed.is_some();
            spares.extend(freed.and_then(|freed| freed.spare));
            if remove_useless(log, &mut spares) {
                rest.until = None;
            }
            if wants_extent(log, &spares, &rest) {
                match prepare_next(log, &mut spares, &mut rest) {
                    Ok(Prepared::Stopped) => return,
                    Ok(Prepared::Ready) => goes_on = true,
                    Ok(Prepared::Full | Prepared::Lacking(_)) => {}
                    Err(error) => {
                        log.fail(error);
                        return;
                    }
                }
            }
            give_back(log, &mut spares);
            log.space_changed();
        }
        anchoring.go_on(log);
    }
}

/// When the anchor is brought up to date without an occasion.
struct Anchoring {
    due: Option<Instant>,
}

impl Anchoring {
    fn due(&mut self, log: &Log, state: &State) -> Option<Instant> {
        if state.is_unanchored && self.due.is_none() {
            self.due = Some(now() + log.options.anchor_interval);
        }
        self.due
    }

    fn go_on(&mut self, log: &Log) {
        if log.state.lock().wants_anchor || self.due.is_some_and(|due| now() >= due) {
            self.due = None;
            log.anchor();
        }
    }
}

/// How long to leave a full disk alone.
struct Rest {
    until: Option<Instant>,
    pause: Duration,
}

impl Rest {
    fn is_over(&self) -> bool {
        self.until.is_none_or(|until| now() >= until)
    }

    fn after(&mut self, prepared: &Prepared) {
        if matches!(prepared, Prepared::Full | Prepared::Lacking(_)) {
            self.until = Some(now() + self.pause);
            self.pause = (2 * self.pause).min(FULL_PAUSE_MAXIMUM);
        } else {
            *self = Self { until: None, pause: FULL_PAUSE };
        }
    }
}

/// Removes spares that are not as long as extents are now; true when there were any.
fn remove_useless(log: &Log, spares: &mut Vec<Spare>) -> bool {
    let length = log.state.lock().new_length(&log.options);
    let before = spares.len();
    for useless in spares.extract_if(.., |spare| spare.length != length) {
        remove(log.disk.as_ref(), &useless.file);
    }
    spares.len() < before
}

/// Removes spares above what the log needs.
fn give_back(log: &Log, spares: &mut Vec<Spare>) {
    let has_too_much = |spares: &[Spare]| {
        let bytes = spares.iter().map(|spare| spare.length).sum();
        log.state.lock().has_too_much(&log.options, bytes)
    };
    while !spares.is_empty() && has_too_much(spares) {
        if let Some(spare) = spares.pop() {
            remove(log.disk.as_ref(), &spare.file);
        }
    }
}

/// Records what an attempt led to.
fn settle(log: &Log, prepared: &Prepared, is_recycled: bool) {
    let mut state = log.state.lock();
    state.wanted = false;
    state.space_gained = false;
    (state.full, state.lacking) = match prepared {
        Prepared::Full => (true, None),
        Prepared::Lacking(error) => (true, Some(Arc::clone(error))),
        // A recycled extent says nothing of the disk.
        Prepared::Ready | Prepared::Stopped if is_recycled => (state.full, state.lacking.take()),
        Prepared::Ready | Prepared::Stopped => (false, None),
    };
    if state.full {
        state.end_holds();
    }
    let is_full = state.refuses_puts();
    match (std::mem::replace(&mut state.is_said_full, is_full), is_full) {
        (false, true) => match &state.lacking {
            Some(error) => tracing::warn!(
                error = chain(error.as_ref()),
                "no log extent can be prepared: persistent puts are refused until one can; raise the limit of open files (LimitNOFILE=)"
            ),
            None if is_of_quota(log, state.new_length(&log.options)) => tracing::warn!(
                "the quota of disk (limits.disk_quota) is used: persistent puts are refused until messages are got; get messages, or raise the quota and start the queue manager again"
            ),
            None => tracing::warn!(
                "no disk space is left for the recovery log: persistent puts are refused until space is free"
            ),
        },
        (true, false) => tracing::info!("the recovery log has space again"),
        _ => {}
    }
}

/// Whether the quota has no room for one more extent.
fn is_of_quota(log: &Log, length: u64) -> bool {
    log.disk.quota().is_some_and(|quota| quota.left() < length + length / LEFT_TO_OTHERS)
}

fn wants_extent(log: &Log, spares: &[Spare], rest: &Rest) -> bool {
    let state = log.state.lock();
    let can_try = !spares.is_empty() || rest.is_over();
    can_try && !state.stopping && (state.wanted || state.lacks_extent())
}

/// False when the thread is to end.
fn wait_for_work(log: &Log, rest_until: Option<Instant>, anchoring: &mut Anchoring) -> bool {
    let mut state = log.state.lock();
    loop {
        if state.stopping || log.has_failed() {
            return false;
        }
        if std::mem::take(&mut state.keeper_work) {
            return true;
        }
        let rest_until = rest_until.filter(|_| state.wanted || state.full);
        match rest_until.into_iter().chain(anchoring.due(log, &state)).min() {
            Some(until) => {
                if log.keeper.wait_until(&mut state, until).timed_out() {
                    return true;
                }
            }
            None => log.keeper.wait(&mut state),
        }
    }
}

/// Body files whose messages were got: removed once the get is durable.
fn remove_dead_files(log: &Log) {
    let dead = {
        let mut state = log.state.lock();
        if state.holds.any() {
            return;
        }
        std::mem::take(&mut state.dead_files)
    };
    for (place, number) in dead {
        // A get that never became durable leaves its file to the next start.
        if block_on(log.durable(place)).is_ok() {
            remove(log.disk.as_ref(), &LogFile::Body(number).name());
        }
    }
}

pub(crate) fn remove(disk: &dyn Disk, file: &FileName) {
    match disk.remove(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            tracing::warn!(file = %file.0, error = %error, "cannot remove an unused file: the next start does");
        }
        _ => {}
    }
}

#[expect(clippy::disallowed_methods, reason = "limits how often a full disk is tried again; decides nothing else")]
fn now() -> Instant {
    Instant::now()
}
