//! Hexadecimal digits of identifiers, written in lower case and read in either.
//!
//! Never here: hexadecimal of any length, which commands write in upper case.

/// Writes the bytes into room for twice as many digits.
pub fn write<'a>(bytes: &[u8], digits: &'a mut [u8]) -> &'a str {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    debug_assert_eq!(digits.len(), 2 * bytes.len(), "two digits a byte");
    for (pair, byte) in digits.chunks_exact_mut(2).zip(bytes) {
        pair[0] = DIGITS[usize::from(byte >> 4)];
        pair[1] = DIGITS[usize::from(byte & 15)];
    }
    std::str::from_utf8(digits).expect("hexadecimal digits are ASCII")
}

/// `None`: not exactly twice as many hexadecimal digits as bytes.
pub fn read<const LENGTH: usize>(digits: &str) -> Option<[u8; LENGTH]> {
    if digits.len() != 2 * LENGTH {
        return None;
    }
    let mut bytes = [0; LENGTH];
    let mut seen = 0;
    for (byte, pair) in bytes.iter_mut().zip(digits.as_bytes().chunks_exact(2)) {
        let (high, low) = (VALUES[usize::from(pair[0])], VALUES[usize::from(pair[1])]);
        *byte = high << 4 | low & 15;
        seen |= high | low;
    }
    // Looked at once, not at each digit.
    (seen & NONE == 0).then_some(bytes)
}

/// Of what is no digit.
const NONE: u8 = 0x80;

/// The value of each character.
static VALUES: [u8; 256] = {
    let mut values = [NONE; 256];
    let mut character = 0;
    while character < b'g' {
        values[character as usize] = match character {
            b'0'..=b'9' => character - b'0',
            b'a'..=b'f' => character - b'a' + 10,
            b'A'..=b'F' => character - b'A' + 10,
            _ => NONE,
        };
        character += 1;
    }
    values
};
