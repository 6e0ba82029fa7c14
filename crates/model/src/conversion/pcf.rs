//! Conversion of PCF messages (MQADMIN, MQEVENT, MQPCF): a header MQCFH and the parameter structures behind it.
//!
//! What is in which structure is drawn in `crate::pcf`, and known to its `shape.rs`.
//!
//! Each string names its own CCSID; 0 is that of the message. Strings of a list keep one common length, the longest,
//! padded with blanks.
//! Source: MQ reference, "Structures for commands and responses", 9.3.

use codepage::CharacterSet;

use crate::conversion::Part;
use crate::descriptor::Ccsid;
use crate::header::cursor::{Reader, Writer};
use crate::pcf::{Shape, Tail};
use crate::reason::Reason;

/// Most strings of one list: nothing real comes near it.
const MAXIMUM_STRINGS: u32 = 1 << 20;

/// Converts `bytes`, which may hold several PCF messages one after the other, as accounting records do.
pub(super) fn convert(source: Part, target: Part, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), Reason> {
    let mut conversion = Conversion { source, target, reader: Reader::new("MQCFH", bytes, source.encoding), out };
    while conversion.reader.offset() < bytes.len() {
        conversion.structure()?;
    }
    Ok(())
}

struct Conversion<'a> {
    source: Part,
    target: Part,
    reader: Reader<'a>,
    out: &'a mut Vec<u8>,
}

impl Conversion<'_> {
    fn structure(&mut self) -> Result<(), Reason> {
        let start = (self.reader.offset(), self.out.len());
        let kind = self.integer()?;
        let length = self.length()?;
        self.writer().integer(0);
        let shape = Shape::of(kind).ok_or(Reason::FormatError)?;
        self.integers(shape.integers)?;
        match shape.tail {
            Tail::Nothing => {}
            Tail::Long => self.long()?,
            Tail::Integers => {
                let count = self.counted()?;
                self.integers(count)?;
            }
            Tail::Longs => {
                let count = self.counted()?;
                (0..count).try_for_each(|_| self.long())?;
            }
            Tail::Text => self.string()?,
            Tail::Texts => self.strings()?,
            Tail::Bytes => self.bytes()?,
        }
        self.end(start, length)
    }

    /// Passes over the padding, pads what was written, and fills in its length.
    fn end(&mut self, (read_from, written_from): (usize, usize), length: u32) -> Result<(), Reason> {
        let length = usize::try_from(length).map_err(|_| Reason::FormatError)?;
        let padding = (read_from + length).checked_sub(self.reader.offset()).ok_or(Reason::FormatError)?;
        self.reader.take(padding).map_err(|_| Reason::FormatError)?;
        let written = self.out.len() - written_from;
        self.out.resize(written_from + written.next_multiple_of(4), 0);
        let length = i32::try_from(written.next_multiple_of(4)).map_err(|_| Reason::FormatError)?;
        let field = super::integer_bytes(length, self.target.little_endian());
        self.out[written_from + 4..written_from + 8].copy_from_slice(&field);
        Ok(())
    }

    fn integer(&mut self) -> Result<i32, Reason> {
        let value = self.reader.integer().map_err(|_| Reason::FormatError)?;
        self.writer().integer(value);
        Ok(value)
    }

    fn integers(&mut self, count: u32) -> Result<(), Reason> {
        (0..count).try_for_each(|_| self.integer().map(|_| ()))
    }

    /// An integer that is a count or a length and stays what it is.
    fn counted(&mut self) -> Result<u32, Reason> {
        u32::try_from(self.integer()?).map_err(|_| Reason::FormatError)
    }

    /// A length that will be another in the target.
    fn length(&mut self) -> Result<u32, Reason> {
        self.reader.unsigned("length").map_err(|_| Reason::FormatError)
    }

    fn long(&mut self) -> Result<(), Reason> {
        let mut value: [u8; 8] = self.reader.array().map_err(|_| Reason::FormatError)?;
        if self.source.little_endian() != self.target.little_endian() {
            value.reverse();
        }
        self.out.extend_from_slice(&value);
        Ok(())
    }

    fn bytes(&mut self) -> Result<(), Reason> {
        let length = self.counted()?;
        let bytes = self.take(length)?;
        self.out.extend_from_slice(bytes);
        Ok(())
    }

    fn string(&mut self) -> Result<(), Reason> {
        let (from, to) = self.character_sets()?;
        let length = self.length()?;
        let string = self.take(length)?;
        let converted = codepage::convert(from, to, string).map_err(|_| Reason::NotConverted)?.bytes;
        let length = i32::try_from(converted.len()).map_err(|_| Reason::NotConverted)?;
        self.writer().integer(length);
        self.out.extend_from_slice(&converted);
        Ok(())
    }

    fn strings(&mut self) -> Result<(), Reason> {
        let (from, to) = self.character_sets()?;
        let count = self.counted()?;
        let length = self.length()?;
        if count > MAXIMUM_STRINGS {
            return Err(Reason::FormatError);
        }
        let mut strings = Vec::new();
        // However many empty strings there are said to be, they take no bytes.
        for _ in 0..if length == 0 { 0 } else { count } {
            let string = self.take(length)?;
            strings.push(codepage::convert(from, to, string).map_err(|_| Reason::NotConverted)?.bytes);
        }
        let longest = strings.iter().map(|string| string.len()).max().unwrap_or(0);
        let field = i32::try_from(longest).map_err(|_| Reason::NotConverted)?;
        self.writer().integer(field);
        for string in strings {
            self.out.extend_from_slice(&string);
            let blanks = (longest - string.len()) / to.blank().len();
            self.out.extend_from_slice(&to.blank().repeat(blanks));
        }
        Ok(())
    }

    /// Reads the CCSID of a string and writes the one it gets.
    fn character_sets(&mut self) -> Result<(CharacterSet, CharacterSet), Reason> {
        let ccsid = match self.reader.integer().map_err(|_| Reason::FormatError)? {
            0 => self.source.ccsid,
            ccsid => Ccsid(ccsid),
        };
        let ccsid_field = self.target.ccsid.0;
        self.writer().integer(ccsid_field);
        let from = Part { ccsid, ..self.source }.set().ok_or(Reason::SourceCcsidError)?;
        let to = self.target.set().ok_or(Reason::TargetCcsidError)?;
        Ok((from, to))
    }

    fn writer(&mut self) -> Writer<'_> {
        Writer::new(self.out, self.target.encoding)
    }
}

impl<'a> Conversion<'a> {
    fn take(&mut self, length: u32) -> Result<&'a [u8], Reason> {
        let length = usize::try_from(length).map_err(|_| Reason::FormatError)?;
        self.reader.take(length).map_err(|_| Reason::FormatError)
    }
}
