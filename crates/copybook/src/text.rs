//! Text items: bytes of a code page to a JSON string and back.
//!
//! The usual characters, ASCII that JSON does not escape, go through tables made once; all others one by one.

use codepage::{ByteOrder, CharacterSet, Form};

use crate::editing;
use crate::error::DataProblem;
use crate::json::{self, RawString};

/// A character set with its tables.
#[derive(Clone)]
pub(crate) struct TextCodec {
    set: CharacterSet,
    form: Form,
    /// The ASCII character of a byte; `OTHER` where it is another one, or one that JSON escapes.
    to_json: [u8; 256],
    /// The byte of an ASCII character.
    from_ascii: [u8; 128],
    /// Whether each ASCII character above the controls is one byte.
    has_ascii: bool,
    /// And it is their own.
    is_ascii: bool,
    /// One or two bytes.
    blank: &'static [u8],
    /// A character without a counterpart is an error, else it is substituted.
    strict: bool,
}

/// Not ASCII: no character has its bit.
const OTHER: u8 = 0x80;

impl TextCodec {
    pub(crate) fn new(set: CharacterSet, strict: bool) -> Self {
        let form = set.form();
        let byte_of = |character: char| match form {
            Form::SingleByte => set.byte_of(character),
            Form::Utf8 | Form::Utf16(_) => u8::try_from(character).ok(),
        };
        let (mut to_json, mut from_ascii) = ([OTHER; 256], [0; 128]);
        let mut has_ascii = !matches!(form, Form::Utf16(_));
        for ascii in 0u8..128 {
            let character = char::from(ascii);
            match byte_of(character) {
                Some(byte) => {
                    from_ascii[usize::from(ascii)] = byte;
                    let is_plain = ascii >= 0x20 && !matches!(ascii, b'"' | b'\\');
                    to_json[usize::from(byte)] = if is_plain { ascii } else { OTHER };
                }
                None => has_ascii &= ascii < 0x20,
            }
        }
        let is_ascii = has_ascii && (0x20..0x80).all(|ascii| from_ascii[usize::from(ascii)] == ascii);
        Self { is_ascii, set, form, to_json, from_ascii, has_ascii, blank: set.blank(), strict }
    }

    /// Bytes of one blank.
    pub(crate) fn blank(&self) -> &'static [u8] {
        self.blank
    }

    pub(crate) fn is_ebcdic(&self) -> bool {
        self.set.is_ebcdic()
    }

    /// One byte for every character.
    pub(crate) fn is_single_byte(&self) -> bool {
        matches!(self.form, Form::SingleByte)
    }

    pub(crate) fn is_single_byte_digits(&self) -> bool {
        !matches!(self.form, Form::Utf16(_))
    }

    /// Appends a JSON string without the blanks that only fill the item: those at the end, or with JUSTIFIED at the start.
    #[inline]
    pub(crate) fn decode(&self, bytes: &[u8], justified: bool, out: &mut Vec<u8>) -> Result<(), DataProblem> {
        let is_full = !justified && matches!((bytes, self.blank), ([.., last], [blank]) if last != blank);
        self.decode_all(if is_full { bytes } else { self.trimmed(bytes, justified) }, out)
    }

    /// Appends a JSON string of all the bytes.
    #[inline]
    pub(crate) fn decode_all(&self, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), DataProblem> {
        let before = out.len();
        let is_done = if self.is_ascii { json::write_plain(bytes, out) } else { self.look_up(bytes, out) };
        if is_done {
            return Ok(());
        }
        out.truncate(before);
        self.decode_characters(bytes, out)
    }

    /// Appends texts of `length` bytes each, which lie one behind the other, as JSON strings with commas between: as
    /// `decode` each of them, in one go. False, with `out` as before, where a character needs a closer look.
    pub(crate) fn decode_adjacent(&self, texts: &[u8], length: usize, out: &mut Vec<u8>) -> bool {
        let [blank] = *self.blank else { return false };
        let before = out.len();
        // Quotes are there from the beginning.
        out.resize(before + texts.len() / length * (length + 3), b'"');
        let mut room = &mut out[before..];
        let mut are_usual = !self.is_ascii || json::are_plain(texts);
        for text in texts.chunks_exact(length) {
            let text = if text.last() == Some(&blank) { self.trimmed(text, false) } else { text };
            let (string, rest) = room.split_at_mut(text.len() + 3);
            if let [_, place @ .., _, comma] = string {
                if self.is_ascii {
                    copy(text, place);
                } else {
                    are_usual &= self.look_up_into(text, place);
                }
                *comma = b',';
            }
            room = rest;
        }
        let left = room.len();
        let written = out.len() - left - before;
        // No comma behind the last.
        out.truncate(if are_usual { before + written.saturating_sub(1) } else { before });
        are_usual
    }

    /// As `json::write_plain`, for characters that are ASCII and not escaped, whichever their bytes.
    fn look_up(&self, bytes: &[u8], out: &mut Vec<u8>) -> bool {
        if matches!(self.form, Form::Utf16(_)) {
            return false;
        }
        out.reserve(bytes.len() + 2);
        out.push(b'"');
        let mut all = 0;
        out.extend(bytes.iter().map(|&byte| {
            let character = self.to_json[usize::from(byte)];
            all |= character;
            character
        }));
        out.push(b'"');
        all & OTHER == 0
    }

    /// The ASCII characters of as many bytes. False where one is none, or is escaped.
    fn look_up_into(&self, bytes: &[u8], out: &mut [u8]) -> bool {
        let mut all = 0;
        for (place, &byte) in out.iter_mut().zip(bytes) {
            *place = self.to_json[usize::from(byte)];
            all |= *place;
        }
        all & OTHER == 0
    }

    /// One character after the other.
    #[inline(never)]
    fn decode_characters(&self, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), DataProblem> {
        out.push(b'"');
        match self.form {
            Form::SingleByte => self.decode_single_bytes(bytes, out)?,
            Form::Utf8 => match std::str::from_utf8(bytes) {
                Ok(text) => text.chars().for_each(|character| json::write_character(character, out)),
                Err(error) => return Err(DataProblem::Malformed { form: "UTF-8", at: error.valid_up_to() }),
            },
            Form::Utf16(order) => decode_utf_16(bytes, order, out)?,
        }
        out.push(b'"');
        Ok(())
    }

    fn decode_single_bytes(&self, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), DataProblem> {
        for (at, &byte) in bytes.iter().enumerate() {
            match self.character_of(byte) {
                Some(character) => json::write_character(character, out),
                None if self.strict => return Err(DataProblem::Malformed { form: "text of the code page", at }),
                None => json::write_character(char::REPLACEMENT_CHARACTER, out),
            }
        }
        Ok(())
    }

    /// EBCDIC programs end a line with X'15', which code pages have as NEL, or with X'25'.
    fn character_of(&self, byte: u8) -> Option<char> {
        let character = self.set.character_of(byte)?;
        Some(if character == '\u{85}' && self.is_ebcdic() { '\n' } else { character })
    }

    fn trimmed<'a>(&self, bytes: &'a [u8], justified: bool) -> &'a [u8] {
        if let [blank] = self.blank {
            if justified {
                let start = bytes.iter().position(|byte| byte != blank).unwrap_or(bytes.len());
                return &bytes[start..];
            }
            return without_trailing(*blank, bytes);
        }
        let width = self.blank.len();
        if justified {
            let blanks = bytes.chunks(width).take_while(|unit| *unit == self.blank).count();
            return &bytes[blanks * width..];
        }
        let whole = bytes.len() / width * width;
        let blanks = bytes[..whole].rchunks(width).take_while(|unit| *unit == self.blank).count();
        if whole == bytes.len() { &bytes[..whole - blanks * width] } else { bytes }
    }

    /// Fills `out` with a JSON string and blanks. JUSTIFIED text stands at the end.
    pub(crate) fn encode(&self, string: RawString<'_>, justified: bool, out: &mut [u8]) -> Result<(), DataProblem> {
        let length = self.encode_counted(string, out)?;
        if justified {
            let blanks = (out.len() - length) / self.blank.len() * self.blank.len();
            out.rotate_right(blanks);
        }
        Ok(())
    }

    /// Fills `out` with a JSON string and blanks behind it; how many bytes the text takes.
    pub(crate) fn encode_counted(&self, string: RawString<'_>, out: &mut [u8]) -> Result<usize, DataProblem> {
        if string.is_plain && self.has_ascii {
            let room = out.len();
            let length = string.raw.len();
            if length > room {
                return Err(DataProblem::TextTooLong { length, room });
            }
            let (text, blanks) = out.split_at_mut(length);
            if self.is_ascii {
                text.copy_from_slice(string.raw);
            } else {
                for (place, &ascii) in text.iter_mut().zip(string.raw) {
                    *place = self.from_ascii[usize::from(ascii & 0x7F)];
                }
            }
            blanks.fill(self.blank[0]);
            return Ok(length);
        }
        self.encode_characters(string, out)
    }

    fn encode_characters(&self, string: RawString<'_>, out: &mut [u8]) -> Result<usize, DataProblem> {
        let mut length = 0;
        for character in string.characters() {
            let mut unit = [0u8; 4];
            let bytes = self.bytes_of(character?, &mut unit)?;
            if let Some(place) = out.get_mut(length..length + bytes.len()) {
                place.copy_from_slice(bytes);
            }
            length += bytes.len();
        }
        let room = out.len();
        if length > room {
            return Err(DataProblem::TextTooLong { length, room });
        }
        self.fill(&mut out[length..]);
        Ok(length)
    }

    fn bytes_of<'a>(&self, character: char, unit: &'a mut [u8; 4]) -> Result<&'a [u8], DataProblem> {
        match self.form {
            Form::SingleByte => {
                unit[0] = match self.set.byte_of(character) {
                    Some(byte) => byte,
                    None if self.strict => return Err(DataProblem::NoSuchCharacter { code: character.into() }),
                    None => self.set.substitute(),
                };
                Ok(&unit[..1])
            }
            Form::Utf8 => Ok(character.encode_utf8(unit).as_bytes()),
            Form::Utf16(order) => {
                let mut units = [0u16; 2];
                let units = character.encode_utf16(&mut units);
                for (place, unit) in unit.chunks_exact_mut(2).zip(units.iter()) {
                    place.copy_from_slice(&match order {
                        ByteOrder::Big => unit.to_be_bytes(),
                        ByteOrder::Little => unit.to_le_bytes(),
                    });
                }
                Ok(&unit[..2 * units.len()])
            }
        }
    }

    /// Fills with blanks.
    pub(crate) fn fill(&self, out: &mut [u8]) {
        for (place, byte) in out.iter_mut().zip(self.blank.iter().cycle()) {
            *place = *byte;
        }
    }

    /// Whether a character takes as many bytes as a blank does.
    pub(crate) fn is_one_position(&self, character: char) -> bool {
        match self.form {
            Form::SingleByte => self.set.byte_of(character).is_some(),
            Form::Utf8 => character.is_ascii(),
            Form::Utf16(_) => character.len_utf16() == 1,
        }
    }

    /// ASCII characters of digits and signs into the set, as many bytes for each as the set has. `currency` is the sign
    /// that `editing::CURRENCY` stands for.
    pub(crate) fn put_ascii(&self, ascii: &[u8], currency: char, out: &mut [u8]) {
        let width = self.blank.len();
        for (place, &character) in out.chunks_exact_mut(width).zip(ascii) {
            let mut unit = [0u8; 4];
            let character = if character == editing::CURRENCY { currency } else { char::from(character) };
            if let Ok(bytes) = self.bytes_of(character, &mut unit) {
                let length = bytes.len().min(width);
                place[..length].copy_from_slice(&bytes[..length]);
            }
        }
    }

    /// The ASCII characters of bytes in the set; `editing::CURRENCY` for `currency`, 0 for any other character.
    pub(crate) fn get_ascii(&self, bytes: &[u8], currency: char, out: &mut [u8]) {
        let width = self.blank.len();
        let mut sign = [0u8; 4];
        let sign = self.bytes_of(currency, &mut sign).unwrap_or_default();
        for (place, unit) in out.iter_mut().zip(bytes.chunks_exact(width)) {
            let ascii = match (self.form, unit) {
                (Form::Utf16(ByteOrder::Big), [0, low]) | (Form::Utf16(ByteOrder::Little), [low, 0]) => *low,
                (Form::Utf16(_), _) => 0,
                (_, [byte]) => self.to_json[usize::from(*byte)],
                _ => 0,
            };
            *place = match ascii {
                _ if unit == sign => editing::CURRENCY,
                // A dollar that is no currency sign here.
                editing::CURRENCY | OTHER.. => 0,
                ascii => ascii,
            };
        }
    }
}

/// Without the blanks at the end, eight at a time: most of many items is blank.
fn without_trailing(blank: u8, bytes: &[u8]) -> &[u8] {
    let mut text = bytes;
    while let Some((before, last)) = text.split_last_chunk::<8>() {
        // The last byte is the highest.
        let other = u64::from_le_bytes(*last) ^ u64::from_le_bytes([blank; 8]);
        if other != 0 {
            return &text[..text.len() - other.leading_zeros() as usize / 8];
        }
        text = before;
    }
    let end = text.iter().rposition(|byte| *byte != blank).map_or(0, |last| last + 1);
    &text[..end]
}

/// Sixteen at a time, which for short texts is quicker than a call.
#[inline]
fn copy(from: &[u8], to: &mut [u8]) {
    let ((chunks, rest), (places, last)) = (from.as_chunks::<16>(), to.as_chunks_mut::<16>());
    for (place, chunk) in places.iter_mut().zip(chunks) {
        *place = *chunk;
    }
    if !rest.is_empty() {
        last.copy_from_slice(rest);
    }
}

fn decode_utf_16(bytes: &[u8], order: ByteOrder, out: &mut Vec<u8>) -> Result<(), DataProblem> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let units = pairs.iter().map(|pair| match order {
        ByteOrder::Big => u16::from_be_bytes(*pair),
        ByteOrder::Little => u16::from_le_bytes(*pair),
    });
    let mut at = 0;
    for character in char::decode_utf16(units) {
        let Ok(character) = character else { return Err(DataProblem::Malformed { form: "UTF-16", at }) };
        json::write_character(character, out);
        at += 2 * character.len_utf16();
    }
    if rest.is_empty() { Ok(()) } else { Err(DataProblem::Malformed { form: "UTF-16", at }) }
}

#[cfg(test)]
mod tests {
    use super::without_trailing;

    #[test]
    fn blanks_at_the_end_are_left_out_whatever_is_before_them() {
        for length in 0..40 {
            for blanks in 0..=length {
                for before in [b'A', b' ' + 1, 0, 0xFF] {
                    let mut text = vec![before; length - blanks];
                    // One in the middle stays.
                    if let [_, second, _, ..] = text.as_mut_slice() {
                        *second = b' ';
                    }
                    let bytes = [text.as_slice(), &vec![b' '; blanks]].concat();
                    assert_eq!(without_trailing(b' ', &bytes), text);
                }
            }
        }
    }
}
