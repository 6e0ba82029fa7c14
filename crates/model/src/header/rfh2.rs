//! MQRFH2: name and value pairs in folders of XML-like text, before the message data. Message properties travel in it.
//!
//! ```text
//!  0 StrucId "RFH "    4     20 Format           8
//!  4 Version 2         4     28 Flags            4
//!  8 StrucLength       4     32 NameValueCCSID   4     1208, 1200, 13488 or 17584
//! 12 Encoding          4     36 NameValueLength  4     \ repeated until StrucLength,
//! 16 CodedCharSetId    4     40 NameValueData    n     / one folder each
//! ```
//!
//! Encoding, CodedCharSetId and Format describe what follows the header. Lengths written here are multiples of four,
//! padded with blanks; lengths read need not be. Folders are kept as text; `property` reads what is in them.

use codepage::{ByteOrder, CharacterSet};

use crate::descriptor::{Ccsid, Encoding, Format};
use crate::header::HeaderError;
use crate::header::cursor::{Reader, Writer};
use crate::header::fixed::{Part, decoded, encoded};
use crate::text::Text;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rfh2 {
    /// Of the data behind the header; the CCSID may be `Ccsid::INHERIT`.
    pub encoding: Encoding,
    pub ccsid: Ccsid,
    pub format: Format,
    /// The name says nothing of meaning: only MQRFH_NONE (0) is published; kept as it came.
    pub flags: i32,
    /// The folders without padding, such as `<usr><colour>red</colour></usr>`.
    pub folders: Vec<String>,
}

impl Rfh2 {
    pub const FIXED_LENGTH: usize = 36;

    /// Appends the header with its folders in UTF-8; returns its length.
    ///
    /// # Panics
    /// When the folders together exceed 2 GiB; a message is at most 100 MiB.
    pub fn encode(&self, encoding: Encoding, out: &mut Vec<u8>) -> usize {
        self.encode_in(Part { encoding, ccsid: Ccsid::UTF_8 }, out)
    }

    /// As `encode`, identifier and format in the character set of the part.
    ///
    /// # Panics
    /// As `encode`.
    pub fn encode_in(&self, part: Part, out: &mut Vec<u8>) -> usize {
        let set = part.header_set();
        let length: usize = Self::FIXED_LENGTH + self.folders.iter().map(|f| 4 + padded(f.len())).sum::<usize>();
        out.reserve(length);
        let mut writer = Writer::new(out, part.encoding);
        writer.bytes(&encoded(set, b"RFH "));
        writer.integer(2);
        writer.integer(i32::try_from(length).expect("a header is shorter than a message"));
        writer.integer(self.encoding.0);
        writer.integer(self.ccsid.0);
        writer.bytes(&encoded(set, self.format.0.as_bytes()));
        writer.integer(self.flags);
        writer.integer(Ccsid::UTF_8.0);
        for folder in &self.folders {
            let padding = padded(folder.len()) - folder.len();
            writer.integer(i32::try_from(folder.len() + padding).expect("a folder is shorter than its header"));
            writer.bytes(folder.as_bytes());
            writer.bytes(&b"   "[..padding]);
        }
        length
    }

    /// Reads the header that `bytes` begin with; returns its length too, at most that of `bytes`.
    ///
    /// # Errors
    /// Too short, another identifier or version, lengths that contradict each other, a character set no folder may
    /// have, or text malformed in it.
    pub fn decode(bytes: &[u8], encoding: Encoding) -> Result<(Self, usize), HeaderError> {
        Self::decode_in(bytes, Part { encoding, ccsid: Ccsid::UTF_8 })
    }

    /// As `decode`, identifier and format in the character set of the part.
    ///
    /// # Errors
    /// As `decode`.
    pub fn decode_in(bytes: &[u8], part: Part) -> Result<(Self, usize), HeaderError> {
        let (encoding, set) = (part.encoding, part.header_set());
        let mut reader = Reader::new("MQRFH2", bytes, encoding);
        if reader.array::<4>()? != *encoded(set, b"RFH ") {
            return Err(HeaderError::Identifier { structure: "MQRFH2" });
        }
        let version = reader.integer()?;
        if version != 2 {
            return Err(reader.bad_value("Version", version));
        }
        let length = reader.unsigned("StrucLength")?;
        let mut header = Self {
            encoding: Encoding(reader.integer()?),
            ccsid: Ccsid(reader.integer()?),
            format: Format(Text::from_bytes(decoded(set, reader.array()?))),
            flags: reader.integer()?,
            folders: Vec::new(),
        };
        let set = folder_set(reader.integer()?, encoding)?;
        let end = usize::try_from(length).unwrap_or(usize::MAX);
        if end < Self::FIXED_LENGTH {
            return Err(reader.bad_value("StrucLength", length.cast_signed()));
        }
        while reader.offset() < end {
            let length = reader.unsigned("NameValueLength")?;
            let data = reader.take(usize::try_from(length).unwrap_or(usize::MAX))?;
            if reader.offset() > end {
                return Err(reader.bad_value("NameValueLength", length.cast_signed()));
            }
            let mut text = String::new();
            let folder = header.folders.len();
            set.decode(data, &mut text).map_err(|_| HeaderError::Text { structure: "MQRFH2", folder })?;
            text.truncate(text.trim_end_matches([' ', '\0']).len());
            header.folders.push(text);
        }
        Ok((header, end))
    }
}

/// The character set of the folders; of UTF-16, in the byte order of the header's integers.
fn folder_set(ccsid: i32, encoding: Encoding) -> Result<CharacterSet, HeaderError> {
    let order = if encoding.integers_are_little_endian() { ByteOrder::Little } else { ByteOrder::Big };
    match ccsid {
        1208 | 1200 | 13488 | 17584 => CharacterSet::of(ccsid.unsigned_abs(), order),
        _ => None,
    }
    .ok_or(HeaderError::Value { structure: "MQRFH2", field: "NameValueCCSID", value: ccsid })
}

fn padded(length: usize) -> usize {
    length.next_multiple_of(4)
}
