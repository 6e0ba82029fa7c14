//! COMP-1 and COMP-2, hexadecimal and IEEE, to and from JSON numbers.
//!
//! Written is the shortest decimal that reads back to the same bits; read is the nearest float, ties to even.
//!
//! Hexadecimal, high byte first: sign (1 bit), exponent of 16 in excess 64 (7), fraction (24 or 56), its point before it.
//! Source: z/Architecture Principles of Operation, "Hexadecimal-floating-point data formats".

use std::io::Write as _;

use crate::big::Big;
use crate::decimal::{self, Decimal};

/// Width and form of a float.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FloatKind {
    HexadecimalShort,
    HexadecimalLong,
    IeeeSingle,
    IeeeDouble,
}

/// The number is beyond the range: too large, or so small that nothing but zero is left of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct OutOfRange;

impl FloatKind {
    pub(crate) fn bytes(self) -> usize {
        match self {
            Self::HexadecimalShort | Self::IeeeSingle => 4,
            Self::HexadecimalLong | Self::IeeeDouble => 8,
        }
    }

    /// Hexadecimal digits of the fraction.
    fn fraction(self) -> u32 {
        if self.bytes() == 4 { 6 } else { 14 }
    }

    /// Appends the number with these bits (in the low 32 for short forms). False: it is infinite or no number.
    pub(crate) fn write(self, bits: u64, out: &mut Vec<u8>) -> bool {
        match self {
            Self::HexadecimalShort | Self::HexadecimalLong => {
                write_hexadecimal(bits, self.fraction(), out);
                true
            }
            Self::IeeeSingle => {
                let value = f32::from_bits(u32::try_from(bits & u64::from(u32::MAX)).unwrap_or(0));
                value.is_finite() && write_shortest(value, out)
            }
            Self::IeeeDouble => {
                let value = f64::from_bits(bits);
                value.is_finite() && write_shortest(value, out)
            }
        }
    }

    /// The bits of the float nearest to a JSON number.
    pub(crate) fn read(self, text: &[u8]) -> Result<u64, OutOfRange> {
        let number = Decimal::parse(text);
        if number.mantissa == 0 {
            let negative_zero = text.first() == Some(&b'-');
            return Ok(if negative_zero { 1 << (self.bytes() * 8 - 1) } else { 0 });
        }
        let text = std::str::from_utf8(text).map_err(|_| OutOfRange)?;
        match self {
            Self::HexadecimalShort | Self::HexadecimalLong => read_hexadecimal(number, self.fraction()),
            Self::IeeeSingle => {
                let value: f32 = text.parse().map_err(|_| OutOfRange)?;
                if value.is_finite() && value != 0.0 { Ok(u64::from(value.to_bits())) } else { Err(OutOfRange) }
            }
            Self::IeeeDouble => {
                let value: f64 = text.parse().map_err(|_| OutOfRange)?;
                if value.is_finite() && value != 0.0 { Ok(value.to_bits()) } else { Err(OutOfRange) }
            }
        }
    }
}

/// Rust prints the shortest digits that read back to the same float; only the form is ours.
fn write_shortest(value: impl std::fmt::LowerExp, out: &mut Vec<u8>) -> bool {
    let mut buffer = [0u8; 64];
    let room = buffer.len();
    let mut rest = &mut buffer[..];
    if write!(rest, "{value:e}").is_err() {
        return false;
    }
    let length = room - rest.len();
    let number = Decimal::parse(&buffer[..length]);
    let negative = buffer.first() == Some(&b'-');
    write_number(negative, number.mantissa, -number.scale, out);
    true
}

/// Numbers of ordinary size in full and with a decimal point, others with an exponent.
fn write_number(negative: bool, mut mantissa: u128, mut exponent: i32, out: &mut Vec<u8>) {
    if negative {
        out.push(b'-');
    }
    if mantissa == 0 {
        out.extend_from_slice(b"0.0");
        return;
    }
    while mantissa.is_multiple_of(10) {
        mantissa /= 10;
        exponent += 1;
    }
    let mut buffer = [0u8; 40];
    let digits = decimal::digits(mantissa, &mut buffer);
    let magnitude = exponent + i32::try_from(digits.len()).unwrap_or(0);
    if (-5..=17).contains(&magnitude) {
        decimal::write(false, mantissa, -exponent, out);
        if exponent >= 0 {
            out.extend_from_slice(b".0");
        }
        return;
    }
    out.push(digits[0]);
    if digits.len() > 1 {
        out.push(b'.');
        out.extend_from_slice(&digits[1..]);
    }
    out.push(b'e');
    decimal::write(magnitude < 1, u128::from((magnitude - 1).unsigned_abs()), 0, out);
}

fn write_hexadecimal(bits: u64, fraction_digits: u32, out: &mut Vec<u8>) {
    let width = fraction_digits * 4;
    let fraction = bits & ((1 << width) - 1);
    let negative = bits >> (width + 7) & 1 == 1;
    if fraction == 0 {
        return write_number(negative, 0, 0, out);
    }
    let exponent = i32::try_from(bits >> width & 0x7F).unwrap_or(0) - 64;
    let twos = 4 * exponent - i32::try_from(width).unwrap_or(0);
    // Any decimal of this many digits survives; up to three more are needed to tell all floats apart.
    let least = if fraction_digits == 6 { 6 } else { 15 };
    let mut shown = (0, 0);
    for digits in least..=least + 3 {
        shown = rounded_decimal(fraction, twos, digits);
        let number = Decimal { negative, mantissa: shown.0, scale: -shown.1, inexact: false };
        let normal = normalised(bits, fraction_digits);
        if read_hexadecimal(number, fraction_digits) == Ok(normal) {
            break;
        }
    }
    write_number(negative, shown.0, shown.1, out);
}

/// The same number with a first hexadecimal digit that is not zero, as far as the exponent allows.
fn normalised(bits: u64, fraction_digits: u32) -> u64 {
    let width = fraction_digits * 4;
    let mut fraction = bits & ((1 << width) - 1);
    let mut exponent = bits >> width & 0x7F;
    while fraction != 0 && fraction >> (width - 4) == 0 && exponent > 0 {
        fraction <<= 4;
        exponent -= 1;
    }
    bits >> (width + 7) << (width + 7) | exponent << width | fraction
}

/// `fraction` times 2 to the power of `twos`, rounded to so many digits: digits and exponent of ten.
fn rounded_decimal(fraction: u64, twos: i32, digits: i32) -> (u128, i32) {
    let bits = i64::from(64 - fraction.leading_zeros()) + i64::from(twos);
    // log10(2) = 0.30103; one too low or too high is put right below.
    let mut magnitude = i32::try_from(((bits - 1) * 30_103).div_euclid(100_000)).unwrap_or(0);
    loop {
        let tens = digits - 1 - magnitude;
        let top = Big::of(u128::from(fraction), positive(tens), positive(twos));
        let bottom = Big::of(1, positive(-tens), positive(-twos));
        let quotient = top.divide(&bottom).map_or(0, |quotient| quotient.rounded());
        let limit = decimal::power_of_ten(positive(digits)).unwrap_or(u128::MAX);
        if quotient >= limit {
            magnitude += 1;
        } else if quotient * 10 < limit {
            magnitude -= 1;
        } else {
            return (quotient, -tens);
        }
    }
}

fn read_hexadecimal(number: Decimal, fraction_digits: u32) -> Result<u64, OutOfRange> {
    let width = i32::try_from(fraction_digits * 4).unwrap_or(0);
    // The largest number is below 10 to the 76, the smallest above 10 to the minus 95; mantissas have up to 38 digits.
    if number.scale < -80 || number.scale > 140 {
        return Err(OutOfRange);
    }
    let top = Big::of(number.mantissa, positive(-number.scale), 0);
    let bottom = Big::of(1, positive(number.scale), 0);
    let bits = i32::try_from(top.bits()).unwrap_or(0) - i32::try_from(bottom.bits()).unwrap_or(0);
    let mut exponent = bits.div_euclid(4) - 1;
    loop {
        let lowest = exponent.max(-64);
        let twos = width - 4 * lowest;
        let top = Big::of(number.mantissa, positive(-number.scale), positive(twos));
        let bottom = Big::of(1, positive(number.scale), positive(-twos));
        let quotient = top.divide(&bottom).ok_or(OutOfRange)?;
        let fraction = quotient.rounded();
        if fraction >> width != 0 {
            exponent = lowest + 1;
            continue;
        }
        if fraction == 0 || lowest > 63 {
            return Err(OutOfRange);
        }
        let fraction = u64::try_from(fraction).map_err(|_| OutOfRange)?;
        let stored = u64::try_from(lowest + 64).map_err(|_| OutOfRange)?;
        let sign = u64::from(number.negative) << (width + 7);
        return Ok(normalised(sign | stored << width | fraction, fraction_digits));
    }
}

fn positive(number: i32) -> u32 {
    u32::try_from(number).unwrap_or(0)
}
