//! MQCHARV: a variable-length string that follows the structure which names it.
//!
//! ```text
//!   0 VSPtr       4  zero          12 VSLength  4  of the text, in bytes; -1: up to its NUL
//!   4 VSOffset    4  from the structure's start    16 VSCCSID   4
//!   8 VSBufSize   4                20
//! ```
//!
//! Texts follow the structure in the order of their fields, each padded with NULs to a multiple of four. A request of the
//! Java client states the running offset for empty strings too; a reply must carry either zeros or the text itself.
//! Source: reference, sections 8 and 9 (C).

use bytes::Bytes;

use crate::cursor::{Reader, Writer};
use crate::error::ProtocolError;
use crate::form::Form;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CharString {
    /// What the owner's buffer holds, in bytes; 0 in replies.
    pub buffer_size: u32,
    pub ccsid: i32,
    pub text: Bytes,
    /// It states an offset, as every string with a text does; the Java client's empty ones do too.
    pub placed: bool,
}

impl Default for CharString {
    /// Empty, as replies carry it: zeros and CCSID 1208.
    fn default() -> Self {
        Self { buffer_size: 0, ccsid: 1208, text: Bytes::new(), placed: false }
    }
}

impl CharString {
    pub const LENGTH: usize = 20;

    pub fn utf_8(text: &str) -> Self {
        Self { text: Bytes::copy_from_slice(text.as_bytes()), placed: !text.is_empty(), ..Self::default() }
    }

    /// The text, decoded; `None` when its CCSID is unknown or the bytes are not of it.
    pub fn to_text(&self, form: Form) -> Option<String> {
        form.string(self.ccsid, &self.text)
    }
}

/// The strings of a structure while it is decoded: their places are known before their texts.
pub(crate) struct Decoding {
    base: usize,
    end: usize,
}

impl Decoding {
    /// `base`: where the structure begins in the body.
    pub(crate) fn new(base: usize) -> Self {
        Self { base, end: 0 }
    }

    /// Reads the 20 bytes at the reader's place and the text they name.
    ///
    /// # Errors
    /// The text does not lie within the body.
    pub(crate) fn read(&mut self, reader: &mut Reader<'_>) -> Result<CharString, ProtocolError> {
        reader.take(4)?;
        let offset = reader.count("VSOffset")?;
        let buffer_size = reader.bits()?;
        let length = reader.integer()?;
        let ccsid = reader.integer()?;
        let text = match usize::try_from(length) {
            Ok(length) => self.text(reader, offset, length)?,
            Err(_) if length == -1 => self.text_to_nul(reader, offset)?,
            Err(_) => return Err(reader.value("VSLength", i64::from(length))),
        };
        Ok(CharString { buffer_size, ccsid, text, placed: offset != 0 })
    }

    /// Moves the reader behind the texts and their padding.
    pub(crate) fn finish(self, reader: &mut Reader<'_>) {
        if self.end > 0 {
            let length = self.end.saturating_sub(self.base);
            reader.skip_to(self.base + length.next_multiple_of(4));
        }
    }

    fn text(&mut self, reader: &Reader<'_>, offset: usize, length: usize) -> Result<Bytes, ProtocolError> {
        if length == 0 {
            return Ok(Bytes::new());
        }
        let start = self.base.saturating_add(offset);
        let text = reader.at(start, length)?;
        self.end = self.end.max(start + length);
        Ok(text)
    }

    fn text_to_nul(&mut self, reader: &Reader<'_>, offset: usize) -> Result<Bytes, ProtocolError> {
        let start = self.base.saturating_add(offset);
        let available = (reader.offset() + reader.remaining()).saturating_sub(start);
        let rest = reader.at(start, available)?;
        let length = rest.iter().position(|&byte| byte == 0).unwrap_or(rest.len());
        self.text(reader, offset, length)
    }
}

/// Writes the 20 bytes of a string; its text comes later, `running` bytes from the structure's start.
pub(crate) fn encode(string: &CharString, running: &mut usize, writer: &mut Writer<'_>) {
    writer.integer(0);
    let stated = string.placed || !string.text.is_empty();
    writer.count(if stated { *running } else { 0 });
    writer.bits(string.buffer_size);
    writer.count(string.text.len());
    writer.integer(string.ccsid);
    *running += string.text.len().next_multiple_of(4);
}

/// Writes the texts behind the structure that begins at `base`.
pub(crate) fn encode_texts(strings: &[&CharString], base: usize, writer: &mut Writer<'_>) {
    for string in strings {
        writer.bytes(&string.text);
        if !string.text.is_empty() {
            writer.pad_from(base);
        }
    }
}
