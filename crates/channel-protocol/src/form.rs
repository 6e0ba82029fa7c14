//! How one partner writes: byte order, letters, character set. Named anew by every segment.
//!
//! Character fields become ASCII (a set that agrees with it in names) on the way in and the partner's on the way out.
//! Sets built on ASCII are left as they are: names, formats and dates are the same bytes in all of them.

use codepage::{ByteOrder as CodepageOrder, CharacterSet};
use model::descriptor::Encoding;

/// Of numbers after the first eight (multiplexed: sixteen) bytes of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ByteOrder {
    Big,
    Little,
}

/// Which letters spell the segment identifier, and with it all structure identifiers and names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Letters {
    Ascii,
    Ebcdic,
}

/// How numbers and characters of a segment are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Form {
    pub order: ByteOrder,
    pub letters: Letters,
    /// As the segment states it; the byte order above is what counts.
    pub encoding: Encoding,
    pub ccsid: u16,
}

impl Form {
    /// High byte first, ISO 8859-1: what the Java client sends.
    pub const BIG: Self =
        Self { order: ByteOrder::Big, letters: Letters::Ascii, encoding: Encoding::BIG_ENDIAN, ccsid: 819 };
    /// Low byte first, ISO 8859-1.
    pub const LITTLE: Self =
        Self { order: ByteOrder::Little, letters: Letters::Ascii, encoding: Encoding::LITTLE_ENDIAN, ccsid: 819 };

    /// As programs on this machine write.
    pub const NATIVE: Self = if cfg!(target_endian = "big") { Self::BIG } else { Self::LITTLE };

    /// As a program on z/OS writes, in the EBCDIC set `ccsid` (37, 500, 1047 ...).
    pub const fn ebcdic(ccsid: u16) -> Self {
        Self { order: ByteOrder::Big, letters: Letters::Ebcdic, encoding: Encoding::Z_OS, ccsid }
    }

    /// As `encoding` of structures: integers in the order of the segment.
    pub(crate) fn integer_encoding(self) -> Encoding {
        match self.order {
            ByteOrder::Big => Encoding::BIG_ENDIAN,
            ByteOrder::Little => Encoding::LITTLE_ENDIAN,
        }
    }

    /// Turns a character field of the partner into ASCII, in place. Characters that ISO 8859-1 lacks become 0x1A.
    pub fn field_in(self, field: &mut [u8]) {
        if self.letters == Letters::Ebcdic {
            recode(self.ebcdic_set(), latin_1(), field);
        }
    }

    /// The inverse of `field_in`.
    pub fn field_out(self, field: &mut [u8]) {
        if self.letters == Letters::Ebcdic {
            recode(latin_1(), self.ebcdic_set(), field);
        }
    }

    /// Text of a variable-length string in `ccsid`; 0 and negative values mean the partner's own set. Trailing NULs go.
    /// `None`: the set is unknown or the bytes are not of it.
    pub fn string(self, ccsid: i32, bytes: &[u8]) -> Option<String> {
        let order = match self.order {
            ByteOrder::Big => CodepageOrder::Big,
            ByteOrder::Little => CodepageOrder::Little,
        };
        let ccsid = u32::try_from(ccsid).ok().filter(|&ccsid| ccsid != 0).unwrap_or(u32::from(self.ccsid));
        let mut text = String::with_capacity(bytes.len());
        CharacterSet::of(ccsid, order)?.decode(bytes, &mut text).ok()?;
        text.truncate(text.trim_end_matches('\0').len());
        Some(text)
    }

    /// A partner that writes EBCDIC and names a set we do not know still shares letters and digits with CCSID 37.
    fn ebcdic_set(self) -> Option<CharacterSet> {
        CharacterSet::of(u32::from(self.ccsid), CodepageOrder::Big)
            .filter(|set| set.is_ebcdic())
            .or_else(|| CharacterSet::of(37, CodepageOrder::Big))
    }
}

fn latin_1() -> Option<CharacterSet> {
    CharacterSet::of(819, CodepageOrder::Big)
}

/// Both sets have one byte a character, so the length stays.
fn recode(from: Option<CharacterSet>, to: Option<CharacterSet>, field: &mut [u8]) {
    let (Some(from), Some(to)) = (from, to) else { return };
    let mut text = String::with_capacity(field.len());
    if from.decode(field, &mut text).is_err() {
        return;
    }
    let mut recoded = Vec::with_capacity(field.len());
    to.encode(&text, &mut recoded);
    if recoded.len() == field.len() {
        field.copy_from_slice(&recoded);
    }
}
