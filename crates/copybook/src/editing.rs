//! Numeric-edited items: a number to its characters as MOVE does it, and back.
//!
//! Characters are ASCII here, the currency sign is `CURRENCY`; the caller puts them into the code page. Back is strict:
//! what a number would not be edited to is no number.

use crate::picture::{Editing, Float, Slot};
use crate::zoned::Digits;

/// Most characters of an edited number.
pub(crate) const MAXIMUM_WIDTH: usize = 512;
const MAXIMUM_DIGITS: usize = 40;
/// Stands for the currency sign, whichever it is: most of them are not ASCII.
pub(crate) const CURRENCY: u8 = b'$';

/// Fills `out`, as long as the item, with the characters of a number that fits.
pub(crate) fn edit(editing: &Editing, (negative, value): Digits, blank_when_zero: bool, out: &mut [u8]) {
    let all_suppressible = !editing.slots.contains(&Slot::Digit);
    if value == 0 && (blank_when_zero || all_suppressible) {
        return fill_for_zero(editing, blank_when_zero, out);
    }
    let mut digits = [0u8; MAXIMUM_DIGITS];
    let mut next_digit = DigitFeed::new(editing, value, &mut digits);
    let sign = Sign { negative };
    let fill = if editing.slots.contains(&Slot::Star) { b'*' } else { b' ' };
    // What floats is put before the first character that is not suppressed.
    let (mut floating, mut first_shown) = (None, None);
    let (mut suppressing, mut significant) = (false, false);
    let mut at = 0;
    for slot in &editing.slots {
        match *slot {
            Slot::Digit => {
                significant = true;
                first_shown.get_or_insert(at);
                out[at] = next_digit.take();
            }
            Slot::Blank | Slot::Star | Slot::Float(_) => {
                let digit = next_digit.take();
                suppressing = true;
                significant |= digit != b'0';
                if significant {
                    first_shown.get_or_insert(at);
                }
                out[at] = if significant { digit } else { fill };
            }
            Slot::FloatStart(kind) => {
                floating = Some(kind);
                suppressing = true;
                out[at] = b' ';
            }
            Slot::Insert(character) => out[at] = if suppressing && !significant { fill } else { character },
            Slot::Point => {
                significant = true;
                first_shown.get_or_insert(at);
                out[at] = editing.point;
            }
            Slot::Implied => significant = true,
            Slot::Plus | Slot::Minus | Slot::Currency => out[at] = sign.character(*slot),
            Slot::Credit | Slot::Debit => {
                let text: &[u8] = match (negative, *slot) {
                    (false, _) => b"  ",
                    (true, Slot::Credit) => b"CR",
                    (true, _) => b"DB",
                };
                out[at..at + 2].copy_from_slice(text);
            }
            Slot::Exponent => {}
        }
        at += slot.width() as usize;
    }
    if let (Some(kind), Some(before)) = (floating, first_shown.unwrap_or(at).checked_sub(1)) {
        out[before] = sign.floating(kind);
    }
}

/// A zero of which no digit is shown: blanks, or stars around the decimal point.
fn fill_for_zero(editing: &Editing, blank_when_zero: bool, out: &mut [u8]) {
    let stars = !blank_when_zero && editing.slots.contains(&Slot::Star);
    out.fill(if stars { b'*' } else { b' ' });
    let mut at = 0;
    for slot in &editing.slots {
        if stars && *slot == Slot::Point {
            out[at] = editing.point;
        }
        at += slot.width() as usize;
    }
}

struct Sign {
    negative: bool,
}

impl Sign {
    fn character(&self, slot: Slot) -> u8 {
        match (slot, self.negative) {
            (Slot::Currency, _) => CURRENCY,
            (_, true) => b'-',
            (Slot::Plus, false) => b'+',
            (_, false) => b' ',
        }
    }

    fn floating(&self, kind: Float) -> u8 {
        self.character(match kind {
            Float::Plus => Slot::Plus,
            Float::Minus => Slot::Minus,
            Float::Currency => Slot::Currency,
        })
    }
}

/// The digits of a value from the left, as many as the PICTURE has places for.
struct DigitFeed<'a> {
    digits: std::slice::Iter<'a, u8>,
}

impl<'a> DigitFeed<'a> {
    fn new(editing: &Editing, mut value: u128, digits: &'a mut [u8; MAXIMUM_DIGITS]) -> Self {
        let count = editing.slots.iter().filter(|slot| is_digit(**slot)).count().min(MAXIMUM_DIGITS);
        for place in digits[..count].iter_mut().rev() {
            *place = b'0' + u8::try_from(value % 10).unwrap_or(0);
            value /= 10;
        }
        Self { digits: digits[..count].iter() }
    }

    fn take(&mut self) -> u8 {
        self.digits.next().copied().unwrap_or(b'0')
    }
}

fn is_digit(slot: Slot) -> bool {
    matches!(slot, Slot::Digit | Slot::Blank | Slot::Star | Slot::Float(_))
}

/// The number of which `characters` is the edited form; `None` if there is none.
pub(crate) fn read(editing: &Editing, characters: &[u8], blank_when_zero: bool) -> Option<Digits> {
    let mut value = 0u128;
    let mut negative = false;
    let mut at = 0;
    for slot in &editing.slots {
        let character = *characters.get(at).unwrap_or(&b' ');
        if is_digit(*slot) {
            let digit = if character.is_ascii_digit() { character - b'0' } else { 0 };
            value = value.checked_mul(10)?.checked_add(u128::from(digit))?;
        }
        let may_sign = !matches!(slot, Slot::Digit | Slot::Insert(_) | Slot::Point | Slot::Blank | Slot::Star);
        // A floating sign may be in the place of an inserted character.
        let may_float = editing.slots.iter().any(|slot| matches!(slot, Slot::FloatStart(_)));
        negative |= character == b'-' && (may_sign || may_float);
        negative |= matches!(slot, Slot::Credit | Slot::Debit) && character != b' ';
        at += slot.width() as usize;
    }
    let mut again = [0u8; MAXIMUM_WIDTH];
    let again = again.get_mut(..characters.len())?;
    for sign in [negative, false] {
        edit(editing, (sign, value), blank_when_zero, again);
        if again == characters {
            return Some((sign && value != 0, value));
        }
    }
    None
}
