//! A character set ready for use, and conversion between two of them.

use std::borrow::Cow;

use crate::single_byte::{SingleByte, UNDEFINED};
use crate::tables::TABLES;

/// Which byte of a UTF-16 unit comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ByteOrder {
    Big,
    Little,
}

/// How a set stores a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    SingleByte,
    Utf8,
    Utf16(ByteOrder),
}

/// UTF-8 or UTF-16 that is not well formed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("malformed {form} at byte {offset}")]
pub struct Malformed {
    pub form: &'static str,
    /// Of the first byte that does not fit, from the start of the input.
    pub offset: usize,
}

/// Bytes in the set asked for, borrowed when nothing had to change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Converted<'a> {
    pub bytes: Cow<'a, [u8]>,
    /// How many characters had no counterpart and were substituted.
    pub substitutions: usize,
}

/// A coded character set. Cheap to copy; make it once and use it for many strings.
#[derive(Clone, Copy)]
pub struct CharacterSet(Kind);

#[derive(Clone, Copy)]
enum Kind {
    SingleByte(&'static SingleByte),
    Utf8,
    Utf16(ByteOrder),
}

impl CharacterSet {
    /// `order` matters for UTF-16 alone. `None`: not a CCSID we know.
    pub fn of(ccsid: u32, order: ByteOrder) -> Option<Self> {
        Some(Self(match ccsid {
            1208 => Kind::Utf8,
            1200 | 13488 | 17584 => Kind::Utf16(order),
            1201 => Kind::Utf16(ByteOrder::Big),
            1202 => Kind::Utf16(ByteOrder::Little),
            _ => Kind::SingleByte(&TABLES[TABLES.binary_search_by_key(&ccsid, |table| table.ccsid).ok()?]),
        }))
    }

    /// Appends the text of `bytes` to `out`. Returns how many bytes had no character and became U+FFFD.
    ///
    /// # Errors
    /// Malformed UTF-8 or UTF-16; `out` then holds what came before.
    pub fn decode(self, bytes: &[u8], out: &mut String) -> Result<usize, Malformed> {
        match self.0 {
            Kind::SingleByte(set) => {
                out.reserve(bytes.len());
                let mut undefined = 0;
                out.extend(bytes.iter().map(|&byte| {
                    let character = set.character(byte);
                    undefined += usize::from(character == UNDEFINED);
                    character
                }));
                Ok(undefined)
            }
            Kind::Utf8 => {
                out.push_str(utf_8(bytes)?);
                Ok(0)
            }
            Kind::Utf16(order) => decode_utf_16(bytes, order, out),
        }
    }

    /// Appends `text` to `out`. Returns how many characters were substituted.
    pub fn encode(self, text: &str, out: &mut Vec<u8>) -> usize {
        match self.0 {
            Kind::SingleByte(set) => encode_single_byte(set, text.chars(), out),
            Kind::Utf8 => {
                out.extend_from_slice(text.as_bytes());
                0
            }
            Kind::Utf16(order) => {
                out.reserve(2 * text.len());
                for unit in text.encode_utf16() {
                    out.extend_from_slice(&match order {
                        ByteOrder::Big => unit.to_be_bytes(),
                        ByteOrder::Little => unit.to_le_bytes(),
                    });
                }
                0
            }
        }
    }

    /// A blank in this set, for padding fixed fields.
    pub fn blank(self) -> &'static [u8] {
        match self.0 {
            Kind::SingleByte(set) if set.is_ebcdic => b"\x40",
            Kind::SingleByte(_) | Kind::Utf8 => b" ",
            Kind::Utf16(ByteOrder::Big) => b"\0 ",
            Kind::Utf16(ByteOrder::Little) => b" \0",
        }
    }

    pub fn form(self) -> Form {
        match self.0 {
            Kind::SingleByte(_) => Form::SingleByte,
            Kind::Utf8 => Form::Utf8,
            Kind::Utf16(order) => Form::Utf16(order),
        }
    }

    /// The character of a byte. `None` where the byte has none, and in sets that are not single-byte.
    pub fn character_of(self, byte: u8) -> Option<char> {
        match self.0 {
            Kind::SingleByte(set) => Some(set.character(byte)).filter(|&character| character != UNDEFINED),
            Kind::Utf8 | Kind::Utf16(_) => None,
        }
    }

    /// The byte of a character. `None` where the set has not the character, and in sets that are not single-byte.
    pub fn byte_of(self, character: char) -> Option<u8> {
        match self.0 {
            Kind::SingleByte(set) => set.byte(character),
            Kind::Utf8 | Kind::Utf16(_) => None,
        }
    }

    /// What stands for a character that the set has not: SUB, one byte. UTF-8 and UTF-16 need none.
    pub fn substitute(self) -> u8 {
        match self.0 {
            Kind::SingleByte(set) => set.substitute(),
            Kind::Utf8 | Kind::Utf16(_) => 0x1A,
        }
    }

    pub fn is_ebcdic(self) -> bool {
        matches!(self.0, Kind::SingleByte(set) if set.is_ebcdic)
    }

    /// Whether bytes below 0x80 are ASCII and nothing else is.
    fn is_ascii_superset(self) -> bool {
        match self.0 {
            Kind::SingleByte(set) => !set.is_ebcdic,
            Kind::Utf8 => true,
            Kind::Utf16(_) => false,
        }
    }

    fn is_same(self, other: Self) -> bool {
        match (self.0, other.0) {
            (Kind::SingleByte(one), Kind::SingleByte(two)) => one.ccsid == two.ccsid,
            (Kind::Utf8, Kind::Utf8) => true,
            (Kind::Utf16(one), Kind::Utf16(two)) => one == two,
            _ => false,
        }
    }
}

/// Puts `bytes` of one set into another, with the line-end rule of the crate.
///
/// # Errors
/// The input is malformed UTF-8 or UTF-16. Nothing is checked, or copied, between a set and itself.
pub fn convert(from: CharacterSet, to: CharacterSet, bytes: &[u8]) -> Result<Converted<'_>, Malformed> {
    if from.is_same(to) || (from.is_ascii_superset() && to.is_ascii_superset() && bytes.is_ascii()) {
        return Ok(Converted { bytes: Cow::Borrowed(bytes), substitutions: 0 });
    }
    let lines_end_in_lf = from.is_ebcdic() && !to.is_ebcdic();
    let mut out = Vec::with_capacity(bytes.len() + bytes.len() / 8);
    let substitutions = if let (Kind::SingleByte(source), Kind::SingleByte(target)) = (from.0, to.0) {
        let characters = bytes.iter().map(|&byte| source.character(byte));
        encode_single_byte(target, characters.map(|c| line_end(c, lines_end_in_lf)), &mut out)
    } else {
        let mut text = String::new();
        let undefined = from.decode(bytes, &mut text)?;
        if lines_end_in_lf && text.contains(NEXT_LINE) {
            text = text.replace(NEXT_LINE, "\n");
        }
        undefined + to.encode(&text, &mut out)
    };
    Ok(Converted { bytes: Cow::Owned(out), substitutions })
}

const NEXT_LINE: char = '\u{85}';

fn line_end(character: char, lines_end_in_lf: bool) -> char {
    if lines_end_in_lf && character == NEXT_LINE { '\n' } else { character }
}

fn encode_single_byte(set: &SingleByte, characters: impl Iterator<Item = char>, out: &mut Vec<u8>) -> usize {
    let mut substitutions = 0;
    out.extend(characters.map(|character| {
        set.byte(character).unwrap_or_else(|| {
            substitutions += 1;
            set.substitute()
        })
    }));
    substitutions
}

fn utf_8(bytes: &[u8]) -> Result<&str, Malformed> {
    std::str::from_utf8(bytes).map_err(|error| Malformed { form: "UTF-8", offset: error.valid_up_to() })
}

fn decode_utf_16(bytes: &[u8], order: ByteOrder, out: &mut String) -> Result<usize, Malformed> {
    let units = bytes.chunks_exact(2).map(|pair| match order {
        ByteOrder::Big => u16::from_be_bytes([pair[0], pair[1]]),
        ByteOrder::Little => u16::from_le_bytes([pair[0], pair[1]]),
    });
    out.reserve(bytes.len() / 2);
    let mut offset = 0;
    for character in char::decode_utf16(units) {
        let character = character.map_err(|_| Malformed { form: "UTF-16", offset })?;
        offset += 2 * character.len_utf16();
        out.push(character);
    }
    if bytes.len() % 2 == 1 {
        return Err(Malformed { form: "UTF-16", offset });
    }
    Ok(0)
}
