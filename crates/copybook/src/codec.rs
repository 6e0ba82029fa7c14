//! One elementary item: its bytes to a JSON value and back.
//!
//! A codec is chosen once for each item when a converter is made; converting only follows it.

use codepage::ByteOrder;

use crate::decimal::{self, Decimal, Rescale};
use crate::editing;
use crate::error::DataProblem;
use crate::external_float;
use crate::float::FloatKind;
use crate::item::Literal;
use crate::json::{Flaw, RawString, Reader};
use crate::picture::Editing;
use crate::text::TextCodec;
use crate::zoned::{self, AsciiDigits, Digits, Zoned};

/// The character sets of a converter.
#[derive(Clone)]
pub(crate) struct Sets {
    pub(crate) display: TextCodec,
    pub(crate) national: TextCodec,
    pub(crate) utf_8: TextCodec,
    /// `None`: DISPLAY-1 is shown as hexadecimal digits.
    pub(crate) graphic: Option<TextCodec>,
}

/// Which of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Set {
    Display,
    National,
    Utf8,
    Graphic,
}

impl Sets {
    pub(crate) fn of(&self, set: Set) -> &TextCodec {
        match set {
            Set::Display => &self.display,
            Set::National => &self.national,
            Set::Utf8 => &self.utf_8,
            Set::Graphic => self.graphic.as_ref().unwrap_or(&self.national),
        }
    }
}

/// Digits and decimals of a number; see `Picture`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    pub(crate) digits: u32,
    pub(crate) scale: i32,
    pub(crate) signed: bool,
}

#[derive(Debug, Clone)]
pub(crate) enum Codec {
    Text {
        set: Set,
        justified: bool,
    },
    /// PIC U without BYTE-LENGTH: so many characters at most, in four bytes for each.
    Utf8 {
        most: usize,
    },
    Hexadecimal,
    Zoned {
        zoned: Zoned,
        scale: Scale,
        blank_when_zero: bool,
    },
    /// Zoned, two bytes a character.
    WideZoned {
        zoned: Zoned,
        scale: Scale,
        blank_when_zero: bool,
    },
    Packed {
        scale: Scale,
    },
    PackedUnsigned {
        scale: Scale,
    },
    Binary {
        scale: Scale,
        order: ByteOrder,
        full: bool,
    },
    Float {
        kind: FloatKind,
        order: ByteOrder,
    },
    Edited {
        editing: Box<Editing>,
        set: Set,
        scale: Scale,
        blank_when_zero: bool,
    },
    ExternalFloat {
        editing: Box<Editing>,
        set: Set,
        scale: Scale,
    },
}

/// Appends the number whose digits `read` finds, if it finds some; it says whether the number is negative.
#[inline]
fn write_ascii(
    scale: Scale,
    bytes: &[u8],
    out: &mut Vec<u8>,
    read: impl FnOnce(&mut AsciiDigits) -> Option<bool>,
) -> Result<(), DataProblem> {
    let mut digits = AsciiDigits::new();
    let negative = read(&mut digits).ok_or_else(|| not_a_number(bytes))?;
    decimal::write_digits(negative, digits.digits(), scale.scale, out);
    Ok(())
}

/// Characters of a number in a code page of two bytes a character, or of an edited one.
const WIDTH: usize = editing::MAXIMUM_WIDTH;

impl Codec {
    /// Appends the JSON value of an item's bytes.
    #[inline]
    pub(crate) fn decode(&self, sets: &Sets, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), DataProblem> {
        match self {
            Self::Text { set, justified } => sets.of(*set).decode(bytes, *justified, out),
            Self::Utf8 { .. } => sets.utf_8.decode(bytes, false, out),
            Self::Hexadecimal => {
                out.push(b'"');
                out.extend(bytes.iter().flat_map(|byte| [hexadecimal(byte >> 4), hexadecimal(byte & 15)]));
                out.push(b'"');
                Ok(())
            }
            Self::Float { kind, order } => {
                let mut bits = 0;
                for_each_high_first(bytes, *order, |byte| bits = bits << 8 | u64::from(byte));
                if kind.write(bits, out) { Ok(()) } else { Err(DataProblem::NotFinite) }
            }
            Self::ExternalFloat { editing, set, .. } => {
                let mut buffer = [0u8; WIDTH];
                let characters = ascii_of(sets.of(*set), bytes, editing.currency, &mut buffer);
                let number = external_float::read(editing, characters).ok_or_else(|| not_a_number(bytes))?;
                write_scientific(number, out);
                Ok(())
            }
            // Their digits are there already.
            Self::Zoned { zoned, scale, blank_when_zero: false } if bytes.len() < decimal::MOST_DIGITS => {
                write_ascii(*scale, bytes, out, |digits| zoned.ascii(bytes, digits))
            }
            Self::Packed { scale } if bytes.len() <= decimal::MOST_DIGITS / 2 => {
                write_ascii(*scale, bytes, out, |digits| zoned::packed_ascii(bytes, scale.digits, scale.signed, digits))
            }
            Self::Zoned { scale, .. }
            | Self::WideZoned { scale, .. }
            | Self::Packed { scale }
            | Self::PackedUnsigned { scale }
            | Self::Binary { scale, .. }
            | Self::Edited { scale, .. } => {
                let (negative, value) = self.digits(sets, bytes).ok_or_else(|| not_a_number(bytes))?;
                decimal::write(negative, value, scale.scale, out);
                Ok(())
            }
        }
    }

    /// As `decode`; as `0x` and the digits of the bytes where they are no value, or would not come back.
    pub(crate) fn decode_exactly(&self, sets: &Sets, bytes: &[u8], out: &mut Vec<u8>) {
        let start = out.len();
        if self.decode(sets, bytes, out).is_ok() && self.gives_back(sets, &out[start..], bytes) {
            return;
        }
        out.truncate(start);
        out.extend_from_slice(b"\"0x");
        out.extend(bytes.iter().flat_map(|byte| [hexadecimal(byte >> 4), hexadecimal(byte & 15)]));
        out.push(b'"');
    }

    /// Whether the value is written in these bytes.
    fn gives_back(&self, sets: &Sets, value: &[u8], bytes: &[u8]) -> bool {
        /// Numbers are no longer.
        const SHORT: usize = 64;
        let mut short = [0; SHORT];
        let mut long = Vec::new();
        let room = match short.get_mut(..bytes.len()) {
            Some(room) => room,
            None => {
                long.resize(bytes.len(), 0);
                &mut long
            }
        };
        self.encode(sets, &mut Reader::new(value), room).is_ok() && room == bytes
    }

    /// Takes the next value, if it is the digits of as many bytes. No text of an item is that long.
    pub(crate) fn encode_bytes(reader: &mut Reader<'_>, out: &mut [u8]) -> bool {
        if reader.peek() != Some(b'"') {
            return false;
        }
        let at = reader.at;
        if let Ok(string) = reader.string()
            && let Some(digits) = string.raw.strip_prefix(b"0x")
            && digits.len() == 2 * out.len()
            && digits.iter().all(u8::is_ascii_hexdigit)
        {
            let value = |digit: u8| (digit as char).to_digit(16).and_then(|it| u8::try_from(it).ok()).unwrap_or(0);
            let pairs = digits.chunks_exact(2).map(|pair| value(pair[0]) << 4 | value(pair[1]));
            out.iter_mut().zip(pairs).for_each(|(place, byte)| *place = byte);
            return true;
        }
        reader.at = at;
        false
    }

    /// Sign and digits of a number; `None`: the bytes are none, or this is no number of digits.
    pub(crate) fn digits(&self, sets: &Sets, bytes: &[u8]) -> Option<Digits> {
        match self {
            Self::Zoned { zoned, blank_when_zero, .. } => {
                let is_blank = *blank_when_zero && bytes.iter().all(|byte| [*byte] == sets.display.blank());
                if is_blank { Some((false, 0)) } else { zoned.read(bytes) }
            }
            Self::WideZoned { zoned, blank_when_zero, .. } => {
                let mut buffer = [0u8; WIDTH];
                let characters = ascii_of(&sets.national, bytes, char::from(editing::CURRENCY), &mut buffer);
                let is_blank = *blank_when_zero && characters.iter().all(|&character| character == b' ');
                if is_blank { Some((false, 0)) } else { zoned.read(characters) }
            }
            Self::Packed { scale } => zoned::read_packed(bytes, scale.digits, scale.signed),
            Self::PackedUnsigned { scale } => Some((false, zoned::read_packed_unsigned(bytes, scale.digits)?)),
            Self::Binary { scale, order, .. } => Some(read_binary(bytes, *order, scale.signed)),
            Self::Edited { editing, set, blank_when_zero, .. } => {
                let mut buffer = [0u8; WIDTH];
                let characters = ascii_of(sets.of(*set), bytes, editing.currency, &mut buffer);
                editing::read(editing, characters, *blank_when_zero)
            }
            Self::Text { .. }
            | Self::Utf8 { .. }
            | Self::Hexadecimal
            | Self::Float { .. }
            | Self::ExternalFloat { .. } => None,
        }
    }

    /// The number of occurrences that an item holds, and how it would be shown.
    pub(crate) fn count(&self, sets: &Sets, bytes: &[u8]) -> Result<u64, DataProblem> {
        match self.digits(sets, bytes) {
            Some((false, value)) => Ok(u64::try_from(value).unwrap_or(u64::MAX)),
            Some((true, 0)) => Ok(0),
            Some((true, _)) => Err(DataProblem::NegativeCount),
            None => Err(not_a_number(bytes)),
        }
    }

    /// Puts a number of occurrences into an item.
    pub(crate) fn put_count(&self, sets: &Sets, count: u64, out: &mut [u8]) -> Result<(), DataProblem> {
        self.store(sets, Decimal { negative: false, mantissa: count.into(), scale: 0, inexact: false }, out)
    }

    /// Reads the next JSON value into an item's bytes. `null` leaves them as they are.
    #[inline]
    pub(crate) fn encode(&self, sets: &Sets, reader: &mut Reader<'_>, out: &mut [u8]) -> Result<(), Flaw> {
        let next = reader.peek();
        let at = reader.at;
        if next == Some(b'n') && reader.null()? {
            return Ok(());
        }
        let done = match self {
            Self::Text { set, justified } => {
                let string = reader.string()?;
                sets.of(*set).encode(string, *justified, out)
            }
            Self::Utf8 { most } => encode_utf_8(sets, reader.string()?, *most, out),
            Self::Hexadecimal => from_hexadecimal(reader.string()?, out),
            Self::Float { kind, order } => {
                let number = reader.number()?;
                kind.read(number)
                    .map_err(|_| DataProblem::FloatRange)
                    .map(|bits| put_low_bytes(bits.into(), *order, out))
            }
            Self::ExternalFloat { .. }
            | Self::Zoned { .. }
            | Self::WideZoned { .. }
            | Self::Packed { .. }
            | Self::PackedUnsigned { .. }
            | Self::Binary { .. }
            | Self::Edited { .. } => {
                let number = reader.number()?;
                self.store(sets, Decimal::parse(number), out)
            }
        };
        done.map_err(|problem| Flaw { problem, at })
    }

    /// Puts a number into the bytes of an item of digits.
    fn store(&self, sets: &Sets, number: Decimal, out: &mut [u8]) -> Result<(), DataProblem> {
        match self {
            Self::Zoned { zoned, scale, blank_when_zero } => {
                let digits = scale.fit(number)?;
                if *blank_when_zero && digits.1 == 0 {
                    sets.display.fill(out);
                } else {
                    zoned.write(digits, out);
                }
            }
            Self::WideZoned { zoned, scale, blank_when_zero } => {
                let digits = scale.fit(number)?;
                let mut buffer = [b' '; WIDTH];
                let characters = characters_of(out, &sets.national, &mut buffer);
                if !(*blank_when_zero && digits.1 == 0) {
                    zoned.write(digits, characters);
                }
                sets.national.put_ascii(characters, char::from(editing::CURRENCY), out);
            }
            Self::Packed { scale } => zoned::write_packed(scale.fit(number)?, scale.signed, out),
            Self::PackedUnsigned { scale } => zoned::write_pairs(scale.fit(number)?.1, out),
            Self::Binary { scale, order, full } => {
                let digits = if *full { scale.fit_bytes(number, out.len())? } else { scale.fit(number)? };
                put_low_bytes(twos_complement(digits), *order, out);
            }
            Self::Edited { editing, set, scale, blank_when_zero } => {
                let digits = scale.fit(number)?;
                let mut buffer = [b' '; WIDTH];
                let characters = characters_of(out, sets.of(*set), &mut buffer);
                editing::edit(editing, digits, *blank_when_zero, characters);
                sets.of(*set).put_ascii(characters, editing.currency, out);
            }
            Self::ExternalFloat { editing, set, scale } => {
                let mut buffer = [b' '; WIDTH];
                let characters = characters_of(out, sets.of(*set), &mut buffer);
                external_float::write(editing, number, scale.digits, scale.scale, characters)?;
                sets.of(*set).put_ascii(characters, editing.currency, out);
            }
            Self::Text { .. } | Self::Utf8 { .. } | Self::Hexadecimal | Self::Float { .. } => {
                return Err(DataProblem::WrongType { expected: "a string", found: "a number" });
            }
        }
        Ok(())
    }

    /// The bytes an item has before anything is put there: its VALUE, else blanks or zero. False: VALUE does not fit.
    pub(crate) fn initial(&self, sets: &Sets, value: Option<&Literal>, out: &mut [u8]) -> bool {
        if value.is_some_and(|literal| !self.is_of_its_kind(literal)) {
            return false;
        }
        match (self, value) {
            (_, Some(Literal::LowValue | Literal::Null)) => out.fill(0),
            (_, Some(Literal::HighValue)) => out.fill(0xFF),
            (_, Some(Literal::Bytes(bytes))) => {
                if bytes.len() > out.len() {
                    return false;
                }
                self.blanks(sets, out);
                out[..bytes.len()].copy_from_slice(bytes);
            }
            (_, Some(Literal::All(inner))) => return self.all(sets, inner, out),
            // JUSTIFIED says nothing about VALUE.
            (Self::Text { set, .. }, Some(literal)) => {
                let room = out.len() / sets.of(*set).blank().len();
                let Some(text) = text_of(literal, room) else { return false };
                return sets.of(*set).encode(as_raw(&text), false, out).is_ok();
            }
            (Self::Utf8 { most }, Some(literal)) => {
                let Some(text) = text_of(literal, *most) else { return false };
                return encode_utf_8(sets, as_raw(&text), *most, out).is_ok();
            }
            (Self::Edited { set, .. } | Self::ExternalFloat { set, .. }, Some(Literal::Text(text))) => {
                return sets.of(*set).encode(as_raw(&escaped(text)), false, out).is_ok();
            }
            (Self::Float { kind, order }, Some(Literal::Number(text))) => {
                let Ok(bits) = kind.read(as_json_number(text).as_bytes()) else { return false };
                put_low_bytes(bits.into(), *order, out);
            }
            (Self::Hexadecimal | Self::Float { .. }, _) => self.blanks(sets, out),
            (_, Some(Literal::Number(text))) => {
                return self.store(sets, Decimal::parse(as_json_number(text).as_bytes()), out).is_ok();
            }
            (Self::Text { .. } | Self::Utf8 { .. }, None) | (_, Some(Literal::Space)) => self.blanks(sets, out),
            (_, None | Some(Literal::Zero)) => {
                let zero = Decimal { negative: false, mantissa: 0, scale: 0, inexact: false };
                return self.store(sets, zero, out).is_ok();
            }
            (_, Some(Literal::Text(_) | Literal::Quote)) => return false,
        }
        true
    }

    /// Whether the literal may stand as VALUE: that of a number is a number or ZERO, since anything else would be no number
    /// when it is read. What has no numeric PICTURE, as pointers and PIC X COMP-X, may have bytes.
    fn is_of_its_kind(&self, literal: &Literal) -> bool {
        let literal = if let Literal::All(inner) = literal { inner } else { literal };
        let is_number = matches!(literal, Literal::Number(_) | Literal::Zero);
        match self {
            // With BLANK WHEN ZERO digits are edited.
            Self::Zoned { blank_when_zero: true, .. } | Self::WideZoned { blank_when_zero: true, .. } => {
                is_number || *literal == Literal::Space
            }
            Self::Zoned { .. }
            | Self::WideZoned { .. }
            | Self::Packed { .. }
            | Self::PackedUnsigned { .. }
            | Self::Float { .. } => is_number,
            Self::Binary { scale, .. } if scale.digits > 0 => is_number,
            Self::Binary { .. } => *literal != Literal::Space,
            Self::Text { .. }
            | Self::Utf8 { .. }
            | Self::Hexadecimal
            | Self::Edited { .. }
            | Self::ExternalFloat { .. } => true,
        }
    }

    /// ALL and a literal: repeated to the end.
    fn all(&self, sets: &Sets, literal: &Literal, out: &mut [u8]) -> bool {
        match (self, literal) {
            (Self::Text { set, .. }, Literal::Text(text)) if !text.is_empty() => {
                let long: String = text.chars().cycle().take(out.len() / sets.of(*set).blank().len()).collect();
                sets.of(*set).encode(as_raw(&escaped(&long)), false, out).is_ok()
            }
            (Self::Utf8 { most }, Literal::Text(text)) if !text.is_empty() => {
                let long: String = text.chars().cycle().take(*most).collect();
                encode_utf_8(sets, as_raw(&escaped(&long)), *most, out).is_ok()
            }
            (_, Literal::Bytes(bytes)) if !bytes.is_empty() => {
                out.iter_mut().zip(bytes.iter().cycle()).for_each(|(place, byte)| *place = *byte);
                true
            }
            (_, Literal::Text(_) | Literal::Bytes(_) | Literal::Number(_) | Literal::All(_)) => false,
            (_, figurative) => self.initial(sets, Some(figurative), out),
        }
    }

    fn blanks(&self, sets: &Sets, out: &mut [u8]) {
        match self {
            Self::Text { set, .. } | Self::Edited { set, .. } | Self::ExternalFloat { set, .. } => {
                sets.of(*set).fill(out);
            }
            Self::Utf8 { .. } => sets.utf_8.fill(out),
            Self::Hexadecimal if sets.display.is_ebcdic() => out.fill(0x40),
            Self::Zoned { .. } => sets.display.fill(out),
            Self::WideZoned { .. } => sets.national.fill(out),
            Self::Hexadecimal
            | Self::Packed { .. }
            | Self::PackedUnsigned { .. }
            | Self::Binary { .. }
            | Self::Float { .. } => out.fill(0),
        }
    }
}

impl Scale {
    /// The digits of a number that the item can hold.
    fn fit(self, number: Decimal) -> Result<Digits, DataProblem> {
        let value = self.mantissa(number)?;
        let limit = decimal::power_of_ten(self.digits).unwrap_or(u128::MAX);
        if value >= limit {
            return Err(self.too_large());
        }
        self.check_sign(number, value)
    }

    /// As `fit`, up to what so many bytes hold in binary.
    fn fit_bytes(self, number: Decimal, bytes: usize) -> Result<Digits, DataProblem> {
        let value = self.mantissa(number)?;
        let bits = u32::try_from(8 * bytes.min(16)).unwrap_or(128);
        let largest = u128::MAX >> (128 - bits + u32::from(self.signed));
        let limit = if number.negative { largest.saturating_add(1) } else { largest };
        if self.signed && value > limit || !self.signed && value > largest {
            let minimum = if self.signed { format!("-{}", largest.saturating_add(1)) } else { "0".to_owned() };
            return Err(DataProblem::OutOfRange { minimum, maximum: largest.to_string() });
        }
        self.check_sign(number, value)
    }

    fn check_sign(self, number: Decimal, value: u128) -> Result<Digits, DataProblem> {
        if number.negative && value != 0 && !self.signed {
            return Err(DataProblem::Negative);
        }
        Ok((number.negative, value))
    }

    fn mantissa(self, number: Decimal) -> Result<u128, DataProblem> {
        number.at_scale(self.scale).map_err(|why| match why {
            Rescale::TooLarge => self.too_large(),
            Rescale::TooPrecise => match u32::try_from(self.scale) {
                Ok(scale) => DataProblem::TooPrecise { scale },
                Err(_) => {
                    let zeros = self.scale.unsigned_abs();
                    let unit =
                        decimal::power_of_ten(zeros).map_or_else(|| format!("1E{zeros}"), |unit| unit.to_string());
                    DataProblem::NotAMultiple { unit }
                }
            },
        })
    }

    fn too_large(self) -> DataProblem {
        let before = i64::from(self.digits) - i64::from(self.scale);
        DataProblem::TooLarge { digits: u32::try_from(before).unwrap_or(0) }
    }
}

fn not_a_number(bytes: &[u8]) -> DataProblem {
    let shown = bytes.iter().take(32).map(|byte| format!("{byte:02X}")).collect();
    DataProblem::NotANumber { bytes: shown }
}

fn for_each_high_first(bytes: &[u8], order: ByteOrder, take: impl FnMut(u8)) {
    match order {
        ByteOrder::Big => bytes.iter().copied().for_each(take),
        ByteOrder::Little => bytes.iter().rev().copied().for_each(take),
    }
}

fn read_binary(bytes: &[u8], order: ByteOrder, signed: bool) -> Digits {
    let value = match (bytes, order) {
        ([a, b], ByteOrder::Big) => u128::from(u16::from_be_bytes([*a, *b])),
        ([a, b, c, d], ByteOrder::Big) => u128::from(u32::from_be_bytes([*a, *b, *c, *d])),
        _ => {
            let mut value = 0u128;
            for_each_high_first(bytes, order, |byte| value = value << 8 | u128::from(byte));
            value
        }
    };
    let bits = 8 * bytes.len().min(16);
    let negative = signed && bits > 0 && value >> (bits - 1) & 1 == 1;
    if !negative {
        return (false, value);
    }
    let extended = if bits == 128 { value } else { value | u128::MAX << bits };
    (true, extended.wrapping_neg())
}

fn twos_complement((negative, value): Digits) -> u128 {
    if negative { value.wrapping_neg() } else { value }
}

/// The low bytes of a number, as many as there is room for.
fn put_low_bytes(value: u128, order: ByteOrder, out: &mut [u8]) {
    let all = value.to_le_bytes();
    match order {
        ByteOrder::Little => out.iter_mut().zip(all).for_each(|(place, byte)| *place = byte),
        ByteOrder::Big => out.iter_mut().rev().zip(all).for_each(|(place, byte)| *place = byte),
    }
}

fn ascii_of<'a>(set: &TextCodec, bytes: &[u8], currency: char, buffer: &'a mut [u8; WIDTH]) -> &'a [u8] {
    let length = (bytes.len() / set.blank().len()).min(WIDTH);
    set.get_ascii(bytes, currency, &mut buffer[..length]);
    &buffer[..length]
}

fn characters_of<'a>(out: &[u8], set: &TextCodec, buffer: &'a mut [u8; WIDTH]) -> &'a mut [u8] {
    &mut buffer[..(out.len() / set.blank().len()).min(WIDTH)]
}

fn hexadecimal(nibble: u8) -> u8 {
    b"0123456789ABCDEF"[usize::from(nibble & 15)]
}

/// Rare, and so kept out of the code of the usual items.
#[inline(never)]
fn encode_utf_8(sets: &Sets, string: RawString<'_>, most: usize, out: &mut [u8]) -> Result<(), DataProblem> {
    let mut length = 0;
    for character in string.characters() {
        character?;
        length += 1;
    }
    if length > most {
        return Err(DataProblem::TooManyCharacters { length, most });
    }
    sets.utf_8.encode(string, false, out)
}

fn from_hexadecimal(string: RawString<'_>, out: &mut [u8]) -> Result<(), DataProblem> {
    let digits = string.raw;
    if digits.len() % 2 == 1 || !digits.iter().all(u8::is_ascii_hexdigit) {
        return Err(DataProblem::NotHexadecimal);
    }
    if digits.len() != 2 * out.len() {
        return Err(DataProblem::TextTooLong { length: digits.len() / 2, room: out.len() });
    }
    let value = |digit: u8| u8::try_from(char::from(digit).to_digit(16).unwrap_or(0)).unwrap_or(0);
    for (place, pair) in out.iter_mut().zip(digits.chunks_exact(2)) {
        *place = value(pair[0]) << 4 | value(pair[1]);
    }
    Ok(())
}

/// In full where that is short, else with an exponent.
fn write_scientific(number: Decimal, out: &mut Vec<u8>) {
    if (-20..=40).contains(&number.scale) || number.mantissa == 0 {
        return decimal::write(number.negative, number.mantissa, number.scale, out);
    }
    decimal::write(number.negative, number.mantissa, 0, out);
    out.push(b'e');
    decimal::write(number.scale > 0, u128::from(number.scale.unsigned_abs()), 0, out);
}

/// The text of a literal as the inside of a JSON string.
fn text_of(literal: &Literal, room: usize) -> Option<String> {
    match literal {
        Literal::Text(text) => Some(escaped(text)),
        Literal::Number(text) => Some(text.clone()),
        Literal::Space => Some(String::new()),
        Literal::Zero => Some("0".repeat(room)),
        Literal::Quote => Some("\\\"".repeat(room)),
        Literal::Bytes(_) | Literal::HighValue | Literal::LowValue | Literal::Null | Literal::All(_) => None,
    }
}

fn escaped(text: &str) -> String {
    let mut out = Vec::new();
    text.chars().for_each(|character| crate::json::write_character(character, &mut out));
    String::from_utf8_lossy(&out).into_owned()
}

fn as_raw(text: &str) -> RawString<'_> {
    RawString { raw: text.as_bytes(), is_plain: text.is_ascii() && !text.contains('\\') }
}

/// COBOL writes `+1.`, `.5` and `-.5`; JSON does not.
fn as_json_number(text: &str) -> String {
    let unsigned = text.trim_start_matches(['+', '-']);
    let sign = if text.starts_with('-') { "-" } else { "" };
    let digits = if unsigned.starts_with('.') { format!("0{unsigned}") } else { unsigned.to_owned() };
    format!("{sign}{}", digits.trim_end_matches('.'))
}
