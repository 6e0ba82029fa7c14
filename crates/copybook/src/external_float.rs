//! External floating-point items: sign, mantissa, E, sign and two digits, all in characters.
//!
//! Characters are ASCII here. The mantissa is exact: a number with more digits than it has is an error.

use crate::decimal::{self, Decimal};
use crate::error::DataProblem;
use crate::picture::{Editing, Slot};

/// The number, as digits and a scale; `None` if the characters are none.
pub(crate) fn read(editing: &Editing, characters: &[u8]) -> Option<Decimal> {
    let (mut mantissa, mut exponent, mut scale) = (0u128, 0i32, 0i32);
    let (mut negative, mut negative_exponent) = (false, false);
    let (mut in_exponent, mut behind_point) = (false, false);
    let mut at = 0;
    for slot in &editing.slots {
        let character = *characters.get(at)?;
        match slot {
            Slot::Plus | Slot::Minus => {
                let is_minus = match (slot, character) {
                    (_, b'-') => true,
                    (Slot::Plus, b'+') | (Slot::Minus, b' ') => false,
                    _ => return None,
                };
                if in_exponent { negative_exponent = is_minus } else { negative = is_minus }
            }
            Slot::Digit => {
                let digit = Some(character).filter(u8::is_ascii_digit)? - b'0';
                if in_exponent {
                    exponent = exponent * 10 + i32::from(digit);
                } else {
                    mantissa = mantissa.checked_mul(10)?.checked_add(u128::from(digit))?;
                    scale += i32::from(behind_point);
                }
            }
            Slot::Point if character == editing.point => behind_point = true,
            Slot::Implied => behind_point = true,
            Slot::Exponent if character == b'E' => in_exponent = true,
            _ => return None,
        }
        at += slot.width() as usize;
    }
    let exponent = if negative_exponent { -exponent } else { exponent };
    Some(Decimal { negative: negative && mantissa != 0, mantissa, scale: scale - exponent, inexact: false })
}

/// Fills `out` with the characters of a number: no leading zero in the mantissa, unless it is zero.
pub(crate) fn write(
    editing: &Editing,
    number: Decimal,
    digits: u32,
    scale: i32,
    out: &mut [u8],
) -> Result<(), DataProblem> {
    let (mut mantissa, mut number_scale) = (number.mantissa, number.scale);
    while mantissa != 0 && mantissa.is_multiple_of(10) {
        mantissa /= 10;
        number_scale -= 1;
    }
    let limit = decimal::power_of_ten(digits).unwrap_or(u128::MAX);
    if number.inexact || mantissa >= limit {
        return Err(DataProblem::TooPrecise { scale: digits });
    }
    while mantissa != 0 && mantissa < limit / 10 {
        mantissa *= 10;
        number_scale += 1;
    }
    let exponent = if mantissa == 0 { 0 } else { scale - number_scale };
    if exponent.abs() > 99 {
        return Err(DataProblem::FloatRange);
    }
    let mut places = [0u8; 40];
    let mut rest = mantissa;
    for place in places[..digits as usize].iter_mut().rev() {
        *place = b'0' + u8::try_from(rest % 10).unwrap_or(0);
        rest /= 10;
    }
    let two = u8::try_from(exponent.unsigned_abs()).unwrap_or(0);
    places[digits as usize] = b'0' + two / 10;
    places[digits as usize + 1] = b'0' + two % 10;
    let mut places = places.iter();
    let mut negative = number.negative;
    let mut at = 0;
    for slot in &editing.slots {
        match slot {
            Slot::Plus => out[at] = if negative { b'-' } else { b'+' },
            Slot::Minus => out[at] = if negative { b'-' } else { b' ' },
            Slot::Point => out[at] = editing.point,
            Slot::Exponent => {
                out[at] = b'E';
                negative = exponent < 0;
            }
            Slot::Implied => {}
            _ => out[at] = places.next().copied().unwrap_or(b'0'),
        }
        at += slot.width() as usize;
    }
    Ok(())
}
