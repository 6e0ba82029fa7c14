//! The anchor: a small file beside the extents that says how far the log was durable, so that a start notices what is gone.
//!
//! A batch names the end of the batch before it, and nothing names the batch after it. Without an anchor, a log that has lost its
//! tail looks like a shorter log, and a first extent that has lost its batches looks like a new one.
//!
//! The file has two slots of a page each, which are written in turn:
//!
//! ```text
//! offset width
//!      0     8  "QMASTANC"
//!      8     4  version of this layout, 1
//!     12     4  zero
//!     16     8  counter; its lowest bit is the number of the slot
//!     24     8  place up to which the log is durable: extent in the upper, offset in the lower four bytes
//!     32     8  salt of that extent
//!     40     8  oldest extent that is still needed
//!     48     8  salt of that extent
//!     56     8  highest extent in use
//!     64     4  CRC-32C of the 64 bytes before
//! ```
//! The slot with the higher counter counts.
//!
//! Invariants
//! - It promises only what is durable when it is written, and that stays true: an old anchor promises less, but nothing wrong. So
//!   nothing waits for it, nothing has to be written before or after it, and the log goes on when it cannot be written.
//! - A slot is written until that succeeds. The other slot keeps the last anchor that was written whole.

use std::io;

use model::causes::chain;

use crate::RecoveryLogError;
use crate::private::log::append::State;
use crate::private::log::cursor::Cursor;
use crate::private::log::disk::{Disk, disk_error, read_exact};
use crate::private::log::extent::{EXTENT_HEADER_BYTES, ExtentHeader, LogFile, PAGE_BYTES, Place};
use crate::private::log::writer::Log;

const MAGIC: [u8; 8] = *b"QMASTANC";
const VERSION: u32 = 1;
const CHECKED_BYTES: usize = 64;
const ANCHOR_BYTES: usize = CHECKED_BYTES + 4;
const SLOTS: usize = 2;

/// What was durable at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Promise {
    pub(crate) durable: Place,
    /// Of the extent of `durable`.
    pub(crate) durable_salt: u64,
    pub(crate) oldest: u32,
    pub(crate) oldest_salt: u64,
    /// The last extent that was begun.
    pub(crate) highest: u32,
}

/// A promise as it stands in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Anchor {
    pub(crate) counter: u64,
    pub(crate) promise: Promise,
}

impl Promise {
    /// Are the extents there that it names? `extents` are those of the directory, ascending without gaps.
    pub(crate) fn check_files(&self, extents: &[u32]) -> Result<(), RecoveryLogError> {
        match extents.last() {
            None => Err(RecoveryLogError::Missing { extent: u64::from(self.oldest) }),
            Some(last) if *last < self.highest => Err(RecoveryLogError::Missing { extent: u64::from(*last) + 1 }),
            Some(_) => Ok(()),
        }
    }

    /// Is this the extent that it names?
    pub(crate) fn check_extent(&self, header: &ExtentHeader) -> Result<(), RecoveryLogError> {
        let named = [(self.durable.extent(), self.durable_salt), (self.oldest, self.oldest_salt)];
        let is_other = |(sequence, salt): (u32, u64)| sequence == header.sequence && salt != header.salt;
        if named.into_iter().any(is_other) {
            return Err(RecoveryLogError::Replaced { extent: u64::from(header.sequence) });
        }
        Ok(())
    }

    /// Does a log whose last batch ends there have all that it promises?
    pub(crate) fn check_end(&self, end: Place) -> Result<(), RecoveryLogError> {
        if end >= self.durable {
            return Ok(());
        }
        Err(RecoveryLogError::Lost {
            extent: u64::from(end.extent()),
            offset: end.offset(),
            until_extent: u64::from(self.durable.extent()),
            until_offset: self.durable.offset(),
        })
    }
}

impl Anchor {
    pub(super) fn encode(&self) -> [u8; ANCHOR_BYTES] {
        let Promise { durable, durable_salt, oldest, oldest_salt, highest } = self.promise;
        let mut bytes = [0; ANCHOR_BYTES];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        let numbers = [self.counter, durable.0, durable_salt, u64::from(oldest), oldest_salt, u64::from(highest)];
        for (field, number) in bytes[16..CHECKED_BYTES].chunks_exact_mut(8).zip(numbers) {
            field.copy_from_slice(&number.to_le_bytes());
        }
        let crc = crc32c::crc32c(&bytes[..CHECKED_BYTES]);
        bytes[CHECKED_BYTES..].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    /// With its version; `None` when this is no anchor.
    pub(super) fn decode(bytes: &[u8]) -> Option<(Self, u32)> {
        let checked = bytes.get(..CHECKED_BYTES)?;
        let mut cursor = Cursor::new(bytes);
        if cursor.array::<8>()? != MAGIC {
            return None;
        }
        let version = cursor.u32()?;
        cursor.u32()?;
        let counter = cursor.u64()?;
        let durable = Place(cursor.u64()?);
        let durable_salt = cursor.u64()?;
        let oldest = u32::try_from(cursor.u64()?).ok()?;
        let oldest_salt = cursor.u64()?;
        let highest = u32::try_from(cursor.u64()?).ok()?;
        let promise = Promise { durable, durable_salt, oldest, oldest_salt, highest };
        (cursor.u32()? == crc32c::crc32c(checked)).then_some((Self { counter, promise }, version))
    }

    /// The anchor of a directory that has the file.
    ///
    /// # Errors
    /// `Version`; `Anchor` when both slots are damaged; `Disk` when neither can be read.
    pub(crate) fn read(disk: &dyn Disk) -> Result<Self, RecoveryLogError> {
        let file = LogFile::Anchor.name();
        let mut newest: Option<(Self, u32)> = None;
        let mut unread = None;
        for slot in 0..SLOTS {
            let mut bytes = [0; ANCHOR_BYTES];
            match read_exact(disk, &file, offset_of(slot), &mut bytes) {
                Ok(()) => {
                    newest = newest.into_iter().chain(Self::decode(&bytes)).max_by_key(|(anchor, _)| anchor.counter);
                }
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {}
                Err(error) => unread = Some(error),
            }
        }
        match (newest, unread) {
            (Some((anchor, VERSION)), _) => Ok(anchor),
            (Some((_, version)), _) => Err(RecoveryLogError::Version { file: file.0, version, supported: VERSION }),
            (None, Some(error)) => Err(disk_error("read", &file, error)),
            (None, None) => Err(RecoveryLogError::Anchor),
        }
    }

    fn slot(&self) -> usize {
        usize::from(self.counter % 2 == 1)
    }

    fn write(&self, disk: &dyn Disk) -> Result<(), RecoveryLogError> {
        let file = LogFile::Anchor.name();
        disk.write(&file, offset_of(self.slot()), &self.encode())
            .and_then(|()| disk.sync(&file))
            .map_err(|source| disk_error("write", &file, source))
    }

    /// Makes the file. It has its name only once it is whole.
    fn create(&self, disk: &dyn Disk) -> Result<(), RecoveryLogError> {
        let file = LogFile::Preparing.name();
        let mut content = [0; SLOTS * PAGE_BYTES];
        let at = self.slot() * PAGE_BYTES;
        content[at..at + ANCHOR_BYTES].copy_from_slice(&self.encode());
        let made = disk.create_whole(&file, &content).and_then(|()| disk.rename(&file, &LogFile::Anchor.name()));
        made.map_err(|source| {
            // What there is of it takes space that others need; a remainder does no harm.
            let _ = disk.remove(&file);
            disk_error("make the anchor as", &file, source)
        })
    }
}

fn offset_of(slot: usize) -> u64 {
    (slot * PAGE_BYTES) as u64
}

/// Gives a log that was just restored its first anchor: `oldest` and the extent of `end` are its first and last.
pub(crate) fn anchor_restored(disk: &dyn Disk, oldest: u32, end: Place) -> Result<(), RecoveryLogError> {
    let salt = |sequence: u32| {
        let file = LogFile::Extent(sequence).name();
        let mut head = [0; EXTENT_HEADER_BYTES];
        read_exact(disk, &file, 0, &mut head).map_err(|source| disk_error("read", &file, source))?;
        let damaged = |_| RecoveryLogError::Damaged { extent: u64::from(sequence), offset: 0 };
        ExtentHeader::decode(&head).map(|header| header.salt).map_err(damaged)
    };
    let highest = end.extent();
    let (durable_salt, oldest_salt) = (salt(highest)?, salt(oldest)?);
    let promise = Promise { durable: end, durable_salt, oldest, oldest_salt, highest };
    Anchor { counter: 1, promise }.create(disk)
}

/// The file of an open log.
pub(crate) struct AnchorFile {
    /// What the file says; `None` while there is no file.
    written: Option<Anchor>,
    /// It was written since the start, which writes one slot whatever the other says: perhaps that one is damaged.
    is_checked: bool,
    /// The last write has failed, and was told.
    is_failing: bool,
}

impl AnchorFile {
    pub(crate) fn new(found: Option<Anchor>) -> Self {
        Self { written: found, is_checked: false, is_failing: false }
    }

    /// Writes a promise that is not in the file yet. False when that failed.
    fn keep(&mut self, disk: &dyn Disk, promise: Promise) -> bool {
        let kept = match self.written {
            Some(written) if self.is_checked && written.promise == promise => return true,
            Some(written) => {
                let next = Anchor { counter: written.counter.wrapping_add(1), promise };
                next.write(disk).map(|()| next)
            }
            None => {
                let first = Anchor { counter: 1, promise };
                first.create(disk).map(|()| first)
            }
        };
        match kept {
            Ok(anchor) => {
                *self = Self { written: Some(anchor), is_checked: true, is_failing: false };
                true
            }
            Err(error) => {
                if !std::mem::replace(&mut self.is_failing, true) {
                    tracing::warn!(
                        error = chain(&error),
                        "the anchor of the recovery log cannot be written; the log goes on, and it is tried again"
                    );
                }
                false
            }
        }
    }
}

impl State {
    /// What the anchor may say now. `durable` is read under the same lock, while no extent is being freed.
    fn promise(&self, durable: Place) -> Option<Promise> {
        let oldest = self.extents.front()?;
        let reached = &self.extents[self.index_of(durable.extent())?];
        Some(Promise {
            durable,
            durable_salt: reached.salt,
            oldest: oldest.sequence,
            oldest_salt: oldest.salt,
            highest: self.current().sequence,
        })
    }
}

impl Log {
    /// Brings the anchor up to date, unless the log has failed. Only for the thread that frees extents, or without it: what
    /// the state calls the oldest extent is durably so then.
    pub(crate) fn anchor(&self) {
        if self.has_failed() {
            return;
        }
        let promise = {
            let mut state = self.state.lock();
            (state.is_unanchored, state.wants_anchor) = (false, false);
            state.promise(self.durable_up_to())
        };
        let Some(promise) = promise else { return };
        if !self.anchor.lock().keep(self.disk.as_ref(), promise) {
            self.state.lock().is_unanchored = true;
        }
    }
}
