//! Extents and batches: the outer layout of the recovery log. Pure bytes; no disk here.
//!
//! An extent is a file of fixed length, written with zeros before its first use. Its first 4096 bytes hold the header:
//!
//! ```text
//! offset width
//!      0     8  "QMASTLOG"
//!      8     4  format version, 1
//!     12     4  zero
//!     16     8  sequence number of the extent, from 1
//!     24     8  salt, random, new at every use of the file
//!     32     8  length of the file in bytes
//!     40     4  CRC-32C of the 40 bytes before
//! ```
//! Batches follow one another from offset 4096, each a multiple of eight bytes long:
//!
//! ```text
//! offset width
//!      0     4  "QMB1"
//!      4     4  CRC-32C of the eight bytes of salt and then of everything behind this field
//!      8     8  place of this batch: extent in the upper, offset in the lower four bytes
//!     16     8  place where the batch before it ended
//!     24     8  a number above every position given out so far
//!     32     8  oldest extent that is still needed
//!     40     4  length of the whole batch in bytes
//!     44     4  number of units
//!     48        units (see `record.rs`), then zero bytes up to a multiple of eight
//! ```
//! A batch lies in one extent. What an earlier use of the file left behind fails the check of place and salt.

use crate::private::log::cursor::{Cursor, length_field};
use crate::private::log::disk::FileName;

pub(crate) const FORMAT_VERSION: u32 = 2;
/// Extents of this version are read too: they have no receipts.
const OLDEST_VERSION: u32 = 1;
pub(crate) const EXTENT_HEADER_BYTES: usize = 4096;
pub(crate) const BATCH_HEADER_BYTES: usize = 48;
pub(crate) const BATCH_ALIGNMENT: usize = 8;
/// Writes end on a multiple of this, so that the operating system never has to read a page before changing it.
pub(crate) const PAGE_BYTES: usize = 4096;

const EXTENT_MAGIC: [u8; 8] = *b"QMASTLOG";
const BATCH_MAGIC: [u8; 4] = *b"QMB1";
/// Magic and checksum, which the checksum of a batch does not cover.
pub(crate) const UNCHECKED_BYTES: usize = 8;
const CHECKED_HEADER_BYTES: usize = 40;

/// A place in the log: extent and offset in one number that grows with every byte written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Place(pub(crate) u64);

impl Place {
    /// Before every log: durable from the beginning.
    pub(crate) const START: Self = Self(0);

    pub(crate) fn new(extent: u32, offset: usize) -> Self {
        Self(u64::from(extent) << 32 | u64::from(length_field(offset)))
    }

    pub(crate) fn extent(self) -> u32 {
        (self.0 >> 32) as u32
    }

    pub(crate) fn offset(self) -> u64 {
        self.0 & 0xFFFF_FFFF
    }

    /// The place `bytes` further on in the same extent.
    pub(crate) fn plus(self, bytes: usize) -> Self {
        Self(self.0 + bytes as u64)
    }

    /// The place `bytes` before this one in the same extent.
    pub(crate) fn minus(self, bytes: usize) -> Self {
        Self(self.0 - bytes as u64)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ExtentHeader {
    pub(crate) sequence: u32,
    pub(crate) salt: u64,
    /// Of the whole file, in bytes.
    pub(crate) length: u64,
}

/// Why the first bytes of an extent are not a header of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HeaderError {
    Damaged,
    Version(u32),
}

impl ExtentHeader {
    pub(crate) fn encode(&self) -> [u8; CHECKED_HEADER_BYTES + 4] {
        let mut bytes = [0; CHECKED_HEADER_BYTES + 4];
        bytes[..8].copy_from_slice(&EXTENT_MAGIC);
        bytes[8..12].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
        bytes[16..24].copy_from_slice(&u64::from(self.sequence).to_le_bytes());
        bytes[24..32].copy_from_slice(&self.salt.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.length.to_le_bytes());
        let crc = crc32c::crc32c(&bytes[..CHECKED_HEADER_BYTES]);
        bytes[40..].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, HeaderError> {
        let (header, version) = Self::fields(bytes).ok_or(HeaderError::Damaged)?;
        if (OLDEST_VERSION..=FORMAT_VERSION).contains(&version) {
            Ok(header)
        } else {
            Err(HeaderError::Version(version))
        }
    }

    fn fields(bytes: &[u8]) -> Option<(Self, u32)> {
        let checked = bytes.get(..CHECKED_HEADER_BYTES)?;
        let mut cursor = Cursor::new(bytes);
        if cursor.array::<8>()? != EXTENT_MAGIC {
            return None;
        }
        let version = cursor.u32()?;
        cursor.u32()?;
        let sequence = u32::try_from(cursor.u64()?).ok()?;
        let salt = cursor.u64()?;
        let length = cursor.u64()?;
        (cursor.u32()? == crc32c::crc32c(checked)).then_some((Self { sequence, salt, length }, version))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BatchHeader {
    pub(crate) place: Place,
    pub(crate) previous_end: Place,
    pub(crate) next_position: u64,
    pub(crate) oldest: u32,
    /// Of the whole batch, in bytes: header, units and padding.
    pub(crate) length: usize,
    pub(crate) units: u32,
}

impl BatchHeader {
    /// Fills the first 48 bytes of `batch`, which is whole and padded. `self.length` is its length.
    pub(crate) fn seal(&self, salt: u64, batch: &mut [u8]) {
        assert_eq!(self.length, batch.len(), "a batch is sealed with its own length");
        batch[..4].copy_from_slice(&BATCH_MAGIC);
        batch[8..16].copy_from_slice(&self.place.0.to_le_bytes());
        batch[16..24].copy_from_slice(&self.previous_end.0.to_le_bytes());
        batch[24..32].copy_from_slice(&self.next_position.to_le_bytes());
        batch[32..40].copy_from_slice(&u64::from(self.oldest).to_le_bytes());
        batch[40..44].copy_from_slice(&length_field(self.length).to_le_bytes());
        batch[44..48].copy_from_slice(&self.units.to_le_bytes());
        let crc = crc32c::crc32c_append(crc32c::crc32c(&salt.to_le_bytes()), &batch[8..]);
        batch[4..8].copy_from_slice(&crc.to_le_bytes());
    }

    /// What the first 48 bytes of a batch at `offset` say, with the checksum of the whole batch; `None` when they are not
    /// such a head.
    pub(crate) fn head(extent: &ExtentHeader, bytes: &[u8], offset: usize) -> Option<(Self, u32)> {
        let mut cursor = Cursor::new(bytes);
        if cursor.array::<4>()? != BATCH_MAGIC {
            return None;
        }
        let crc = cursor.u32()?;
        let place = Place(cursor.u64()?);
        if place != Place::new(extent.sequence, offset) {
            return None;
        }
        let previous_end = Place(cursor.u64()?);
        let next_position = cursor.u64()?;
        let oldest = u32::try_from(cursor.u64()?).ok()?;
        let length = cursor.length()?;
        let units = cursor.u32()?;
        let is_possible = length >= BATCH_HEADER_BYTES && length.is_multiple_of(BATCH_ALIGNMENT);
        is_possible.then_some((Self { place, previous_end, next_position, oldest, length, units }, crc))
    }

    /// What the checksum of a batch begins with.
    pub(crate) fn salted(extent: &ExtentHeader) -> u32 {
        crc32c::crc32c(&extent.salt.to_le_bytes())
    }

    /// The batch that starts at `offset` of this extent image, with its units; `None` when no whole batch is there.
    pub(crate) fn read<'a>(extent: &ExtentHeader, image: &'a [u8], offset: usize) -> Option<(Self, &'a [u8])> {
        let bytes = image.get(offset..)?;
        let (header, crc) = Self::head(extent, bytes, offset)?;
        let payload = bytes.get(BATCH_HEADER_BYTES..header.length)?;
        let sum = crc32c::crc32c_append(Self::salted(extent), bytes.get(UNCHECKED_BYTES..header.length)?);
        (sum == crc).then_some((header, payload))
    }

    /// Length in bytes of a batch that begins at `offset` and is not whole; `None` when none was begun there.
    pub(crate) fn begun(extent: &ExtentHeader, image: &[u8], offset: usize) -> Option<usize> {
        let mut cursor = Cursor::new(image.get(offset..)?);
        let is_batch = cursor.array::<4>()? == BATCH_MAGIC;
        cursor.u32()?;
        let is_here = Place(cursor.u64()?) == Place::new(extent.sequence, offset);
        cursor.take(24)?;
        let length = cursor.length()?;
        (is_batch && is_here).then_some(length)
    }

    /// Where the next whole batch starts at or behind `offset`, if there is one anywhere in the image.
    pub(crate) fn search(extent: &ExtentHeader, image: &[u8], offset: usize) -> Option<usize> {
        let mut at = offset.next_multiple_of(BATCH_ALIGNMENT);
        while let Some(magic) = image.get(at..at + BATCH_MAGIC.len()) {
            if magic == BATCH_MAGIC && Self::read(extent, image, at).is_some() {
                return Some(at);
            }
            at += BATCH_ALIGNMENT;
        }
        None
    }

    pub(crate) fn end(&self) -> Place {
        self.place.plus(self.length)
    }
}

/// The kinds of files in a log directory, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogFile {
    /// `extent-` and ten digits: in use, or ready to be used next.
    Extent(u32),
    /// `spare-` and ten digits: was an extent with that number; its content is worthless.
    Spare(u32),
    /// `preparing`: becomes an extent when it is whole.
    Preparing,
    /// `body-` and twenty digits: the body of one large message.
    Body(u64),
    /// `spill-` and ten digits: nonpersistent messages beyond the buffer pool; worthless after a restart.
    Spill(u32),
    /// `anchor`: how far the log was durable.
    Anchor,
}

impl LogFile {
    pub(crate) fn name(self) -> FileName {
        FileName(match self {
            Self::Extent(sequence) => format!("extent-{sequence:010}"),
            Self::Spare(sequence) => format!("spare-{sequence:010}"),
            Self::Preparing => "preparing".to_owned(),
            Self::Body(number) => format!("body-{number:020}"),
            Self::Spill(number) => format!("spill-{number:010}"),
            Self::Anchor => "anchor".to_owned(),
        })
    }

    /// `None` for a file that is not ours.
    pub(crate) fn parse(name: &FileName) -> Option<Self> {
        match name.0.as_str() {
            "preparing" => return Some(Self::Preparing),
            "anchor" => return Some(Self::Anchor),
            _ => {}
        }
        let (kind, digits) = name.0.split_once('-')?;
        let number: u64 = digits.parse().ok()?;
        let file = match kind {
            "extent" => Self::Extent(u32::try_from(number).ok()?),
            "spare" => Self::Spare(u32::try_from(number).ok()?),
            "spill" => Self::Spill(u32::try_from(number).ok()?),
            "body" => Self::Body(number),
            _ => return None,
        };
        (file.name() == *name).then_some(file)
    }
}
