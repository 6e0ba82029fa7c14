//! Numbers of digits: zoned (DISPLAY), packed (COMP-3) and packed without sign (COMP-6).
//!
//! Zoned, EBCDIC: a byte a digit, zone F; the zone of the byte with the sign is C, A, E or F for plus, D or B for minus.
//! Zoned, ASCII: `0` to `9`; minus is zone 7, or the letters that the EBCDIC signs look like.
//! Packed: two digits a byte, the last nibble the sign, C, A, E or F for plus, D or B for minus.
//! Written are F without sign, C and D with one, as compilers do.

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

impl Zoned {
    /// `None`: a byte is no digit or no sign.
    pub(crate) fn read(self, bytes: &[u8]) -> Option<Digits> {
        if self.separate {
            let (sign, digits) = if self.leading { bytes.split_first()? } else { bytes.split_last()? };
            let negative = if *sign == self.plus() {
                false
            } else if *sign == self.minus() {
                true
            } else {
                return None;
            };
            return Some((negative, self.plain(digits, 0)?));
        }
        if self.leading {
            let (first, rest) = bytes.split_first()?;
            let (negative, digit) = self.signed_digit(*first)?;
            let value = self.plain(rest, u128::from(digit))?;
            return Some((negative, value));
        }
        let (last, rest) = bytes.split_last()?;
        let (negative, digit) = self.signed_digit(*last)?;
        if negative && !self.signed {
            return None;
        }
        Some((negative, self.plain(rest, 0)?.checked_mul(10)?.checked_add(u128::from(digit))?))
    }

    /// Digits without a sign, behind those of `start`.
    fn plain(self, bytes: &[u8], start: u128) -> Option<u128> {
        let zone = if self.is_ebcdic { 0xF0 } else { 0x30 };
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
        let zone = if self.is_ebcdic { 0xF0 } else { 0x30 };
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
