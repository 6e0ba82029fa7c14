//! Numbers of digits: zoned (DISPLAY), packed (COMP-3) and packed without sign (COMP-6).
//!
//! Zoned, EBCDIC: a byte a digit, zone F; the zone of the byte with the sign is C, A, E or F for plus, D or B for minus.
//! Zoned, ASCII: `0` to `9`; minus is zone 7, or the letters that the EBCDIC signs look like.
//! Packed: two digits a byte, the last nibble the sign, C, A, E or F for plus, D or B for minus.
//! Written are F without sign, C and D with one, as compilers do.

use crate::decimal::MOST_DIGITS;
use crate::options::AsciiSign;

/// Sign and digits as stored; the scale is the item's.
pub(crate) type Digits = (bool, u128);

#[derive(Debug, Clone, Copy)]
pub(crate) struct Zoned {
    pub(crate) is_ebcdic: bool,
    pub(crate) signed: bool,
    pub(crate) leading: bool,
    pub(crate) separate: bool,
    pub(crate) ascii_sign: AsciiSign,
}

/// Sign and digits of a zoned number.
struct Parts<'a> {
    negative: bool,
    /// The digit with the sign is the first one.
    first: Option<u8>,
    /// As they are stored.
    plain: &'a [u8],
    /// The digit with the sign is the last one.
    last: Option<u8>,
}

/// Digits of a number as JSON has them.
pub(crate) struct AsciiDigits {
    digits: [u8; MOST_DIGITS],
    length: usize,
}

impl AsciiDigits {
    pub(crate) fn new() -> Self {
        Self { digits: [b'0'; MOST_DIGITS], length: 0 }
    }

    pub(crate) fn digits(&self) -> &[u8] {
        &self.digits[..self.length]
    }

    /// Room for so many digits behind those that are there; `None`: no item has so many.
    fn room(&mut self, count: usize) -> Option<&mut [u8]> {
        let start = self.length;
        self.length = (start + count).min(MOST_DIGITS);
        self.digits.get_mut(start..start + count)
    }

    fn push(&mut self, digit: u8) {
        if let Some([place]) = self.room(1) {
            *place = b'0' | digit;
        }
    }
}

impl Zoned {
    /// `None`: a byte is no digit or no sign.
    pub(crate) fn read(self, bytes: &[u8]) -> Option<Digits> {
        let Parts { negative, first, plain, last } = self.parts(bytes)?;
        let value = self.value(plain, u128::from(first.unwrap_or(0)))?;
        Some((negative, last.map_or(Some(value), |last| append_digit(value, last))?))
    }

    /// As `read`, as ASCII digits. Those of an item have room.
    pub(crate) fn ascii(self, bytes: &[u8], buffer: &mut AsciiDigits) -> Option<bool> {
        let Parts { negative, first, plain, last } = self.parts(bytes)?;
        first.into_iter().for_each(|first| buffer.push(first));
        let zone = self.zone();
        let mut are_digits = true;
        for (place, &byte) in buffer.room(plain.len())?.iter_mut().zip(plain) {
            let digit = byte ^ zone;
            are_digits &= digit < 10;
            *place = b'0' | digit;
        }
        last.into_iter().for_each(|last| buffer.push(last));
        are_digits.then_some(negative)
    }

    fn parts(self, bytes: &[u8]) -> Option<Parts<'_>> {
        if self.separate {
            let (sign, plain) = if self.leading { bytes.split_first()? } else { bytes.split_last()? };
            let negative = if *sign == self.plus() {
                false
            } else if *sign == self.minus() {
                true
            } else {
                return None;
            };
            return Some(Parts { negative, first: None, plain, last: None });
        }
        if self.leading {
            let (first, plain) = bytes.split_first()?;
            let (negative, digit) = self.signed_digit(*first)?;
            return Some(Parts { negative, first: Some(digit), plain, last: None });
        }
        let (last, plain) = bytes.split_last()?;
        let (negative, digit) = self.signed_digit(*last)?;
        if negative && !self.signed {
            return None;
        }
        Some(Parts { negative, first: None, plain, last: Some(digit) })
    }

    fn zone(self) -> u8 {
        if self.is_ebcdic { 0xF0 } else { 0x30 }
    }

    /// Digits without a sign, behind those of `start`.
    fn value(self, bytes: &[u8], start: u128) -> Option<u128> {
        let zone = self.zone();
        let digit = |byte: u8| Some(byte ^ zone).filter(|&digit| digit < 10);
        if bytes.len() < 19 && start < 10 {
            let start = u64::try_from(start).ok()?;
            let value = bytes.iter().try_fold(start, |value, &byte| Some(value * 10 + u64::from(digit(byte)?)))?;
            return Some(u128::from(value));
        }
        bytes.iter().try_fold(start, |value, &byte| value.checked_mul(10)?.checked_add(u128::from(digit(byte)?)))
    }

    fn signed_digit(self, byte: u8) -> Option<(bool, u8)> {
        if self.is_ebcdic {
            let digit = Some(byte & 0x0F).filter(|&digit| digit < 10)?;
            return match byte >> 4 {
                0xA | 0xC | 0xE | 0xF => Some((false, digit)),
                0xB | 0xD => Some((true, digit)),
                _ => None,
            };
        }
        match byte {
            b'0'..=b'9' => Some((false, byte - b'0')),
            b'p'..=b'y' => Some((true, byte - b'p')),
            b'{' => Some((false, 0)),
            b'A'..=b'I' => Some((false, byte - b'A' + 1)),
            b'}' => Some((true, 0)),
            b'J'..=b'R' => Some((true, byte - b'J' + 1)),
            _ => None,
        }
    }

    /// The number fits: at most as many digits as there are places, not negative without a sign.
    pub(crate) fn write(self, (negative, value): Digits, out: &mut [u8]) {
        let zone = self.zone();
        let (sign_at, digits) = match (self.separate, self.leading) {
            (true, true) => (0, 1..out.len()),
            (true, false) => (out.len() - 1, 0..out.len() - 1),
            (false, true) => (0, 0..out.len()),
            (false, false) => (out.len() - 1, 0..out.len()),
        };
        for_each_digit(value, &mut out[digits], |place, digit| *place = zone | digit);
        if self.separate {
            out[sign_at] = if negative { self.minus() } else { self.plus() };
        } else if self.signed {
            out[sign_at] = self.overpunched(out[sign_at] & 0x0F, negative);
        }
    }

    fn overpunched(self, digit: u8, negative: bool) -> u8 {
        match (self.is_ebcdic, self.ascii_sign, negative) {
            (true, _, false) => 0xC0 | digit,
            (true, _, true) => 0xD0 | digit,
            (false, AsciiSign::Zone, false) => b'0' + digit,
            (false, AsciiSign::Zone, true) => b'p' + digit,
            (false, AsciiSign::Letters, false) => b"{ABCDEFGHI"[usize::from(digit)],
            (false, AsciiSign::Letters, true) => b"}JKLMNOPQR"[usize::from(digit)],
        }
    }

    fn plus(self) -> u8 {
        if self.is_ebcdic { 0x4E } else { b'+' }
    }

    fn minus(self) -> u8 {
        if self.is_ebcdic { 0x60 } else { b'-' }
    }
}

/// Digits from the right, zeros on the left.
fn for_each_digit(mut value: u128, places: &mut [u8], mut put: impl FnMut(&mut u8, u8)) {
    let mut places = places.iter_mut().rev();
    while value > u128::from(u64::MAX) {
        let Some(place) = places.next() else { return };
        put(place, nibble(value % 10));
        value /= 10;
    }
    let mut narrow = u64::try_from(value).unwrap_or(u64::MAX);
    for place in places {
        put(place, nibble(u128::from(narrow % 10)));
        narrow /= 10;
    }
}

fn nibble(digit: u128) -> u8 {
    u8::try_from(digit & 15).unwrap_or(0)
}

/// `digits` is what the PICTURE counts: with an even number the first nibble is zero.
pub(crate) fn read_packed(bytes: &[u8], digits: u32, signed: bool) -> Option<Digits> {
    let (last, rest) = bytes.split_last()?;
    if digits.is_multiple_of(2) && bytes.first()? >> 4 != 0 {
        return None;
    }
    let value = append_digit(pairs(rest)?, last >> 4)?;
    match last & 15 {
        0xA | 0xC | 0xE | 0xF => Some((false, value)),
        0xB | 0xD if signed => Some((true, value)),
        _ => None,
    }
}

/// As `read_packed`, as ASCII digits.
pub(crate) fn packed_ascii(bytes: &[u8], digits: u32, signed: bool, buffer: &mut AsciiDigits) -> Option<bool> {
    let (last, rest) = bytes.split_last()?;
    let negative = match last & 15 {
        0xA | 0xC | 0xE | 0xF => false,
        0xB | 0xD if signed => true,
        _ => return None,
    };
    if digits.is_multiple_of(2) && bytes.first()? >> 4 != 0 {
        return None;
    }
    let mut are_digits = last >> 4 < 10;
    let (places, _) = buffer.room(2 * rest.len())?.as_chunks_mut::<2>();
    for (place, &byte) in places.iter_mut().zip(rest) {
        are_digits &= byte >> 4 < 10 && byte & 15 < 10;
        *place = [b'0' | byte >> 4, b'0' | byte & 15];
    }
    buffer.push(last >> 4);
    are_digits.then_some(negative)
}

pub(crate) fn write_packed((negative, value): Digits, signed: bool, out: &mut [u8]) {
    let sign = match (signed, negative) {
        (false, _) => 0xF,
        (true, false) => 0xC,
        (true, true) => 0xD,
    };
    let Some((last, rest)) = out.split_last_mut() else { return };
    *last = nibble(value % 10) << 4 | sign;
    write_pairs(value / 10, rest);
}

/// COMP-6: digits only.
pub(crate) fn read_packed_unsigned(bytes: &[u8], digits: u32) -> Option<u128> {
    if digits % 2 == 1 && bytes.first()? >> 4 != 0 {
        return None;
    }
    pairs(bytes)
}

pub(crate) fn write_pairs(mut value: u128, out: &mut [u8]) {
    for byte in out.iter_mut().rev() {
        *byte = nibble(value / 10 % 10) << 4 | nibble(value % 10);
        value /= 100;
    }
}

fn pairs(bytes: &[u8]) -> Option<u128> {
    let pair = |byte: u8| Some(byte).filter(|byte| byte >> 4 < 10 && byte & 15 < 10);
    if bytes.len() <= 9 {
        let value = bytes.iter().try_fold(0u64, |value, &byte| {
            let byte = pair(byte)?;
            Some(value * 100 + u64::from(byte >> 4) * 10 + u64::from(byte & 15))
        })?;
        return Some(u128::from(value));
    }
    bytes.iter().try_fold(0u128, |value, &byte| {
        let byte = pair(byte)?;
        append_digit(append_digit(value, byte >> 4)?, byte & 15)
    })
}

fn append_digit(value: u128, digit: u8) -> Option<u128> {
    if digit > 9 {
        return None;
    }
    value.checked_mul(10)?.checked_add(u128::from(digit))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::decimal;

    /// Mostly digits and signs of either kind.
    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        let byte = prop_oneof![
            16 => prop::sample::select(b"\xF0\xF1\xF2\xF9".to_vec()),
            16 => prop::sample::select(b"0129".to_vec()),
            16 => prop::sample::select(b"\x00\x01\x12\x99\x0C\x1D\x9F".to_vec()),
            2 => prop::sample::select(b"\xC0\xD9\x4E\x60+-{R".to_vec()),
            1 => any::<u8>(),
        ];
        prop::collection::vec(byte, 0..38)
    }

    fn written(number: Option<Digits>) -> Option<(bool, String)> {
        let (negative, value) = number?;
        Some((negative, value.to_string()))
    }

    fn spelled(read: impl FnOnce(&mut AsciiDigits) -> Option<bool>) -> Option<(bool, String)> {
        let mut digits = AsciiDigits::new();
        let negative = read(&mut digits)?;
        let text = String::from_utf8_lossy(digits.digits()).into_owned();
        let significant = text.trim_start_matches('0');
        Some((negative, if significant.is_empty() { "0" } else { significant }.to_owned()))
    }

    proptest! {
        #[test]
        fn digits_of_zoned_numbers_are_those_of_their_values(
            bytes in bytes(), is_ebcdic: bool, signed: bool, leading: bool, separate: bool
        ) {
            let zoned = Zoned { is_ebcdic, signed, leading, separate, ascii_sign: AsciiSign::Zone };
            prop_assert_eq!(spelled(|digits| zoned.ascii(&bytes, digits)), written(zoned.read(&bytes)));
        }

        #[test]
        fn digits_of_packed_numbers_are_those_of_their_values(
            bytes in bytes().prop_map(|bytes| bytes[..bytes.len().min(19)].to_vec()), digits in 1u32..38, signed: bool
        ) {
            let of_value = written(read_packed(&bytes, digits, signed));
            prop_assert_eq!(spelled(|room| packed_ascii(&bytes, digits, signed, room)), of_value);
        }

        #[test]
        fn numbers_are_written_without_zeros_that_say_nothing(value: u64, scale in -3..25, zeros in 0usize..9) {
            let digits = format!("{}{value}", "0".repeat(zeros));
            let (mut out, mut plain) = (Vec::new(), Vec::new());
            decimal::write_digits(false, digits.as_bytes(), scale, &mut out);
            decimal::write(false, value.into(), scale, &mut plain);
            prop_assert_eq!(&out, &plain);
            let text = String::from_utf8_lossy(&out).into_owned();
            prop_assert!(!(text.starts_with("00") || text.contains('.') && text.ends_with('0')), "{}", text);
        }
    }
}
