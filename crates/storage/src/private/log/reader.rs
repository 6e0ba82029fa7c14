//! Reads an extent, whole or as far as the disk gives it, and is the one walk over the batches of an extent in memory: for
//! recovery, for moving, for inspection, for backups and for the survey of a damaged log.
//!
//! Whole batches follow one another from offset 4096. Where none starts is a gap. Only one batch is ever in flight, so a gap with
//! a whole batch behind it is damage, and one with none behind it is where the extent ends. What to do about damage is the
//! caller's business: recovery refuses the log, moving goes on behind it, inspection and survey tell of it.

use std::io;

use memmap2::MmapMut;

use crate::RecoveryLogError;
use crate::private::log::disk::{Disk, FileName, disk_error, read_exact};
use crate::private::log::extent::{
    BatchHeader, EXTENT_HEADER_BYTES, ExtentHeader, FORMAT_VERSION, HeaderError, LogFile, PAGE_BYTES, Place,
};
use crate::private::quarantine::is_lasting_io;

/// Bytes read at once of an extent that may be damaged.
const PIECE: usize = 1 << 20;

/// An extent in memory, which goes back to the system with it: an allocator might keep that much for good.
pub(crate) struct Image {
    pub(crate) header: ExtentHeader,
    pub(crate) bytes: MmapMut,
}

/// Recovery's word for what is wrong at a place.
pub(crate) fn damaged(place: Place) -> RecoveryLogError {
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

/// What can be read of an extent whose header is known: the rest is zeros.
///
/// # Errors
/// One that may pass, and then tells nothing of the disk.
pub(crate) fn read_parts(disk: &dyn Disk, header: ExtentHeader) -> Result<Image, RecoveryLogError> {
    let file = LogFile::Extent(header.sequence).name();
    let bytes = parts(&file, header.length, |offset, page| read_exact(disk, &file, offset, page))?;
    Ok(Image { header, bytes })
}

/// As `read_parts`, past the system's cache and of an extent of which only the number is known. False when its header makes no
/// sense.
///
/// # Errors
/// `Version` as well.
pub(crate) fn read_stored_parts(disk: &dyn Disk, sequence: u32) -> Result<(Image, bool), RecoveryLogError> {
    let file = LogFile::Extent(sequence).name();
    let length = match disk.length(&file) {
        Ok(length) => length.clamp(EXTENT_HEADER_BYTES as u64, u64::from(u32::MAX)),
        Err(error) if is_lasting_io(&error) => EXTENT_HEADER_BYTES as u64,
        Err(source) => return Err(disk_error("read", &file, source)),
    };
    // Such reads are of whole pages.
    let whole = length.next_multiple_of(PAGE_BYTES as u64);
    let bytes = parts(&file, whole, |offset, piece| read_stored_pages(disk, &file, offset, piece))?;
    let header = match ExtentHeader::decode(&bytes) {
        Ok(header) if header.sequence == sequence => return Ok((Image { header, bytes }, header.length == length)),
        Ok(_) | Err(HeaderError::Damaged) => ExtentHeader { sequence, salt: 0, length },
        Err(HeaderError::Version(version)) => {
            return Err(RecoveryLogError::Version { file: file.0, version, supported: FORMAT_VERSION });
        }
    };
    Ok((Image { header, bytes }, false))
}

/// So many bytes of a file, page by page where they cannot be read at once; zeros for the pages that the disk does not give.
fn parts(
    file: &FileName,
    length: u64,
    read: impl Fn(u64, &mut [u8]) -> io::Result<()>,
) -> Result<MmapMut, RecoveryLogError> {
    let fails = |source| disk_error("read", file, source);
    let length = usize::try_from(length).expect("an extent is far smaller than the address space");
    let mut bytes = MmapMut::map_anon(length).map_err(fails)?;
    for (piece, offset) in bytes.chunks_mut(PIECE).zip((0..).step_by(PIECE)) {
        if read(offset, piece).is_ok() {
            continue;
        }
        for (page, at) in piece.chunks_mut(PAGE_BYTES).zip((offset..).step_by(PAGE_BYTES)) {
            match read(at, page) {
                Err(error) if is_lasting_io(&error) => page.fill(0),
                other => other.map_err(fails)?,
            }
        }
    }
    Ok(bytes)
}

/// Up to the end of the file; what is behind it stays as it is.
fn read_stored_pages(disk: &dyn Disk, file: &FileName, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
    let mut done = 0;
    while done < buffer.len() {
        match disk.read_stored(file, offset + done as u64, &mut buffer[done..])? {
            // A part of a page is the end of the file.
            count if !count.is_multiple_of(PAGE_BYTES) || count == 0 => break,
            count => done += count,
        }
    }
    Ok(())
}

/// What is next in an extent.
pub(crate) enum Piece<'a> {
    Batch {
        batch: BatchHeader,
        /// Its units.
        payload: &'a [u8],
        offset: usize,
    },
    /// No whole batch starts at this offset. A batch that comes after it says that this is damage.
    Gap(usize),
}

/// The batches of an extent given as bytes. What is behind a gap is searched only when it is asked for: that looks at all the
/// rest.
pub(crate) fn pieces<'a>(header: &'a ExtentHeader, bytes: &'a [u8]) -> impl Iterator<Item = Piece<'a>> {
    let mut next = Some(EXTENT_HEADER_BYTES);
    let mut is_behind_gap = false;
    std::iter::from_fn(move || {
        let mut offset = next?;
        if is_behind_gap {
            next = BatchHeader::search(header, bytes, offset + 1);
            is_behind_gap = false;
            offset = next?;
        }
        match BatchHeader::read(header, bytes, offset) {
            Some((batch, payload)) => {
                next = Some(offset + batch.length);
                Some(Piece::Batch { batch, payload, offset })
            }
            None => {
                is_behind_gap = true;
                Some(Piece::Gap(offset))
            }
        }
    })
}

impl Image {
    pub(crate) fn pieces(&self) -> impl Iterator<Item = Piece<'_>> {
        pieces(&self.header, &self.bytes)
    }
}
