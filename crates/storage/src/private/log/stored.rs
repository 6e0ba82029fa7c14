//! Checks what is on the disk, file by file in pieces of fixed size: batches of an extent, the body of one message.
//!
//! Costs one buffer, whatever the length of files and batches. It reads past the system's cache (`Disk::read_stored`), so
//! that it sees what a start after a power failure would see. It changes nothing, and decides nothing about what it finds. The walk over
//! an extent in memory is `reader.rs`'s; an extent may be too long for that beside the work of a queue manager.

use std::io;

use memmap2::MmapMut;

use crate::private::log::disk::{Disk, FileName};
use crate::private::log::extent::{
    BATCH_HEADER_BYTES, BatchHeader, EXTENT_HEADER_BYTES, ExtentHeader, LogFile, Place, UNCHECKED_BYTES,
};
use crate::private::quarantine::is_lasting_io;

/// Bytes read at once.
const PIECE: usize = 256 << 10;
/// Reads begin on a multiple of this.
const ALIGNMENT: u64 = 4096;

/// Why a check has no result.
#[derive(Debug)]
pub(crate) enum Unchecked {
    Stopped,
    /// An error that may pass, such as no descriptor.
    Refused(io::Error),
}

impl Unchecked {
    pub(crate) fn into_io(self) -> io::Error {
        match self {
            Self::Stopped => io::ErrorKind::Interrupted.into(),
            Self::Refused(error) => error,
        }
    }
}

/// Called before each read with its length in bytes; false ends the check.
pub(crate) type Pace<'a> = &'a mut dyn FnMut(usize) -> bool;

/// The buffer of all checks.
pub(crate) struct Buffer(MmapMut);

impl Buffer {
    pub(crate) fn new() -> io::Result<Self> {
        // Aligned to a page, as reads past the cache want it.
        MmapMut::map_anon(PIECE).map(Self)
    }
}

/// One file, of which a piece is in the buffer.
struct Pieces<'a> {
    disk: &'a dyn Disk,
    file: FileName,
    buffer: &'a mut Buffer,
    pace: Pace<'a>,
    /// Offset of what is in the buffer, and its length.
    start: u64,
    filled: usize,
}

/// What a read of a piece came to.
enum Missing {
    /// The file ends before, or this part of the disk cannot be read.
    Damaged,
    Unchecked(Unchecked),
}

impl<'a> Pieces<'a> {
    fn new(disk: &'a dyn Disk, file: LogFile, buffer: &'a mut Buffer, pace: Pace<'a>) -> Self {
        Self { disk, file: file.name(), buffer, pace, start: 0, filled: 0 }
    }

    /// Some bytes from `offset` on, at least one.
    fn at(&mut self, offset: u64) -> Result<&[u8], Missing> {
        let has_it = offset >= self.start && offset < self.start + self.filled as u64;
        if !has_it {
            self.fill(offset)?;
        }
        let from = usize::try_from(offset - self.start).expect("a piece is short");
        match &self.buffer.0[..self.filled] {
            filled if from < filled.len() => Ok(&filled[from..]),
            _ => Err(Missing::Damaged),
        }
    }

    fn fill(&mut self, offset: u64) -> Result<(), Missing> {
        (self.start, self.filled) = (offset / ALIGNMENT * ALIGNMENT, 0);
        if !(self.pace)(PIECE) {
            return Err(Missing::Unchecked(Unchecked::Stopped));
        }
        match self.disk.read_stored(&self.file, self.start, &mut self.buffer.0) {
            Ok(count) => self.filled = count,
            Err(error) if is_lasting_io(&error) => return Err(Missing::Damaged),
            Err(error) => return Err(Missing::Unchecked(Unchecked::Refused(error))),
        }
        Ok(())
    }

    fn exact<const N: usize>(&mut self, offset: u64) -> Result<[u8; N], Missing> {
        let mut bytes = [0; N];
        let mut done = 0;
        while done < N {
            let there = self.at(offset + done as u64)?;
            let count = there.len().min(N - done);
            bytes[done..done + count].copy_from_slice(&there[..count]);
            done += count;
        }
        Ok(bytes)
    }

    /// The checksum that begins with `crc` and goes on with `length` bytes.
    fn sum(&mut self, mut crc: u32, offset: u64, length: u64) -> Result<u32, Missing> {
        let mut done = 0;
        while done < length {
            let there = self.at(offset + done)?;
            let count = there.len().min(usize::try_from(length - done).unwrap_or(usize::MAX));
            crc = crc32c::crc32c_append(crc, &there[..count]);
            done += count as u64;
        }
        Ok(crc)
    }
}

/// `None` when the check came to no result.
fn result<T>(checked: Result<T, Missing>) -> Result<Option<T>, Unchecked> {
    match checked {
        Ok(value) => Ok(Some(value)),
        Err(Missing::Damaged) => Ok(None),
        Err(Missing::Unchecked(unchecked)) => Err(unchecked),
    }
}

/// Where the batches before this extent ended, as its first batch says; `None` when that cannot be read.
pub(crate) fn previous_end(
    disk: &dyn Disk,
    extent: &ExtentHeader,
    buffer: &mut Buffer,
    pace: Pace<'_>,
) -> Result<Option<Place>, Unchecked> {
    let mut pieces = Pieces::new(disk, LogFile::Extent(extent.sequence), buffer, pace);
    let head = result(pieces.exact::<BATCH_HEADER_BYTES>(EXTENT_HEADER_BYTES as u64))?;
    let head = head.and_then(|head| BatchHeader::head(extent, &head, EXTENT_HEADER_BYTES));
    Ok(head.map(|(head, _)| head.previous_end))
}

/// The offset from which on an extent is damaged; `None` when it is whole. Its batches go up to `end`; with `None` up to the
/// first place where no batch begins.
pub(crate) fn damaged_at(
    disk: &dyn Disk,
    extent: &ExtentHeader,
    end: Option<u64>,
    buffer: &mut Buffer,
    pace: Pace<'_>,
) -> Result<Option<u64>, Unchecked> {
    let mut pieces = Pieces::new(disk, LogFile::Extent(extent.sequence), buffer, pace);
    let head = result(pieces.exact::<64>(0))?;
    if head.is_none_or(|head| ExtentHeader::decode(&head) != Ok(*extent)) {
        return Ok(Some(0));
    }
    let mut offset = EXTENT_HEADER_BYTES as u64;
    while end.is_none_or(|end| offset < end) {
        match batch(&mut pieces, extent, offset) {
            Ok(Some(length)) => offset += length as u64,
            // The end of the batches, as far as can be said.
            Ok(None) if end.is_none() => return Ok(None),
            Ok(None) | Err(Missing::Damaged) => return Ok(Some(offset)),
            Err(Missing::Unchecked(unchecked)) => return Err(unchecked),
        }
    }
    Ok((end.is_some_and(|end| end != offset)).then_some(offset))
}

/// Length of the batch at this offset; `None` when none is there.
fn batch(pieces: &mut Pieces<'_>, extent: &ExtentHeader, offset: u64) -> Result<Option<usize>, Missing> {
    if offset + BATCH_HEADER_BYTES as u64 > extent.length {
        return Ok(None);
    }
    let head = pieces.exact::<BATCH_HEADER_BYTES>(offset)?;
    let at = usize::try_from(offset).expect("an offset within an extent");
    let Some((batch, crc)) = BatchHeader::head(extent, &head, at) else { return Ok(None) };
    let behind = (batch.length - BATCH_HEADER_BYTES) as u64;
    if offset + batch.length as u64 > extent.length {
        return Err(Missing::Damaged);
    }
    let sum = crc32c::crc32c_append(BatchHeader::salted(extent), &head[UNCHECKED_BYTES..]);
    let sum = pieces.sum(sum, offset + BATCH_HEADER_BYTES as u64, behind)?;
    if sum == crc { Ok(Some(batch.length)) } else { Err(Missing::Damaged) }
}

/// Whether the file of a body has this length and checksum at least.
pub(crate) fn is_body_whole(
    disk: &dyn Disk,
    number: u64,
    length: u32,
    crc: u32,
    buffer: &mut Buffer,
    pace: Pace<'_>,
) -> Result<bool, Unchecked> {
    let mut pieces = Pieces::new(disk, LogFile::Body(number), buffer, pace);
    Ok(result(pieces.sum(0, 0, u64::from(length)))? == Some(crc))
}
