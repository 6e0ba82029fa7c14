//! Exact decimal numbers: digits as an integer and a scale. Read from JSON numbers and written as such.
//!
//! No binary float is involved anywhere.

/// `mantissa` times 10 to the power of minus `scale`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Decimal {
    pub(crate) negative: bool,
    pub(crate) mantissa: u128,
    pub(crate) scale: i32,
    /// Digits beyond those of a `u128` were not zero; the last digit kept is 1 then, so that rounding comes out right.
    pub(crate) inexact: bool,
}

/// Why a number cannot have a scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rescale {
    TooLarge,
    TooPrecise,
}

/// Exponents beyond this are taken as this: no item holds such numbers.
const MAXIMUM_EXPONENT: i32 = 100_000;
/// Ten times this and a digit is a `u128`.
const UNCHECKED: u128 = u128::MAX / 10;
/// More than an item has, and than a `u128` has.
pub(crate) const MOST_DIGITS: usize = 40;

impl Decimal {
    /// Reads a number of JSON grammar; `text` has been checked to be one.
    pub(crate) fn parse(text: &[u8]) -> Self {
        let (negative, mut rest) = match text.split_first() {
            Some((b'-', rest)) => (true, rest),
            _ => (false, text),
        };
        let (mut mantissa, mut scale) = (0u128, 0i32);
        let (mut behind_point, mut is_full, mut inexact) = (false, false, false);
        while let Some((&byte, tail)) = rest.split_first() {
            match byte {
                b'0'..=b'9' => {
                    let digit = u128::from(byte - b'0');
                    // Below this every product fits; at it, some do.
                    let longer = if mantissa < UNCHECKED {
                        Some(mantissa * 10 + digit)
                    } else {
                        mantissa.checked_mul(10).and_then(|tens| tens.checked_add(digit)).filter(|_| !is_full)
                    };
                    match longer {
                        Some(longer) => {
                            mantissa = longer;
                            scale += i32::from(behind_point);
                        }
                        None => {
                            is_full = true;
                            inexact |= byte != b'0';
                            scale -= i32::from(!behind_point);
                        }
                    }
                }
                b'.' => behind_point = true,
                _ => break,
            }
            rest = tail;
        }
        if let Some((b'e' | b'E', tail)) = rest.split_first() {
            scale = scale.saturating_sub(exponent(tail));
        }
        if inexact {
            mantissa = mantissa / 10 * 10 + 1;
        }
        let negative = negative && mantissa != 0;
        Self { negative, mantissa, scale, inexact }
    }

    /// The digits when the number is written with this many decimals, which may be negative.
    pub(crate) fn at_scale(self, scale: i32) -> Result<u128, Rescale> {
        if self.mantissa == 0 {
            return Ok(0);
        }
        let shift = scale.saturating_sub(self.scale);
        if self.inexact {
            return Err(if shift > 0 { Rescale::TooLarge } else { Rescale::TooPrecise });
        }
        if shift >= 0 {
            let factor = power_of_ten(shift.unsigned_abs()).ok_or(Rescale::TooLarge)?;
            return self.mantissa.checked_mul(factor).ok_or(Rescale::TooLarge);
        }
        let divisor = power_of_ten(shift.unsigned_abs()).ok_or(Rescale::TooPrecise)?;
        if self.mantissa.is_multiple_of(divisor) { Ok(self.mantissa / divisor) } else { Err(Rescale::TooPrecise) }
    }
}

fn exponent(text: &[u8]) -> i32 {
    let (negative, digits) = match text.split_first() {
        Some((b'-', digits)) => (true, digits),
        Some((b'+', digits)) => (false, digits),
        _ => (false, text),
    };
    let value = digits.iter().fold(0i32, |value, byte| {
        (value.saturating_mul(10)).saturating_add(i32::from(byte.wrapping_sub(b'0'))).min(MAXIMUM_EXPONENT)
    });
    if negative { -value } else { value }
}

/// `None` beyond what a `u128` holds.
pub(crate) fn power_of_ten(exponent: u32) -> Option<u128> {
    10u128.checked_pow(exponent)
}

/// As `write_digits`, of a number.
pub(crate) fn write(negative: bool, mantissa: u128, scale: i32, out: &mut Vec<u8>) {
    write_digits(negative, digits(mantissa, &mut [0; MOST_DIGITS]), scale, out);
}

/// Appends the shortest JSON number of ASCII digits: no zeros before the first or behind the last decimal, no exponent.
pub(crate) fn write_digits(negative: bool, mut digits: &[u8], mut scale: i32, out: &mut Vec<u8>) {
    while let [b'0', behind @ ..] = digits {
        digits = behind;
    }
    if digits.is_empty() {
        out.push(b'0');
        return;
    }
    if negative {
        out.push(b'-');
    }
    while scale > 0
        && let [before @ .., b'0'] = digits
    {
        digits = before;
        scale -= 1;
    }
    match usize::try_from(scale) {
        Ok(0) => out.extend_from_slice(digits),
        Ok(decimals) if decimals >= digits.len() => {
            out.extend_from_slice(b"0.");
            out.extend((digits.len()..decimals).map(|_| b'0'));
            out.extend_from_slice(digits);
        }
        Ok(decimals) => {
            let (before, behind) = digits.split_at(digits.len() - decimals);
            out.extend_from_slice(before);
            out.push(b'.');
            out.extend_from_slice(behind);
        }
        Err(_) => {
            out.extend_from_slice(digits);
            out.extend((0..scale.unsigned_abs()).map(|_| b'0'));
        }
    }
}

/// The decimal digits of a number, at the end of the buffer.
pub(crate) fn digits(number: u128, buffer: &mut [u8; MOST_DIGITS]) -> &[u8] {
    let mut at = buffer.len();
    let mut wide = number;
    let mut narrow = loop {
        match u64::try_from(wide) {
            Ok(narrow) => break narrow,
            Err(_) => {
                at -= 1;
                buffer[at] = ascii(u64::try_from(wide % 10).unwrap_or(0));
                wide /= 10;
            }
        }
    };
    while narrow >= 100 {
        at -= 2;
        buffer[at..at + 2].copy_from_slice(&PAIRS[usize::try_from(narrow % 100).unwrap_or(0)]);
        narrow /= 100;
    }
    if narrow >= 10 {
        at -= 2;
        buffer[at..at + 2].copy_from_slice(&PAIRS[usize::try_from(narrow).unwrap_or(0)]);
    } else {
        at -= 1;
        buffer[at] = ascii(narrow);
    }
    &buffer[at..]
}

/// The two digits of each number below a hundred.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[b'0'; 2]; 100];
    let (mut tens, mut at) = (b'0', 0);
    while at < 100 {
        let mut ones = b'0';
        while ones <= b'9' {
            pairs[at] = [tens, ones];
            ones += 1;
            at += 1;
        }
        tens += 1;
    }
    pairs
};

/// The character of a digit; only the last decimal place counts.
fn ascii(digit: u64) -> u8 {
    b'0' + u8::try_from(digit % 10).unwrap_or(0)
}
