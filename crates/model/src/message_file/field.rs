//! The fields of A lines: their letters, and where they are in an MQMD of version 2.

use crate::descriptor::MessageDescriptor;
use crate::descriptor_codec::{VERSION_2_LENGTH, Version, encode};

use super::read::Problem;
use crate::descriptor::Encoding;

/// How a value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Number,
    Characters,
    Hexadecimal,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Field {
    pub letters: &'static [u8; 3],
    pub kind: Kind,
    offset: usize,
    length: usize,
}

const fn field(letters: &'static [u8; 3], kind: Kind, offset: usize, length: usize) -> Field {
    Field { letters, kind, offset, length }
}

/// In the order in which files have them. ApplIdentityData and ApplOriginData have a form in hexadecimal and one in
/// characters; a file has one of the two.
pub(super) static FIELDS: [Field; 30] = [
    field(b"VER", Kind::Number, 4, 4),
    field(b"RPT", Kind::Number, 8, 4),
    field(b"MST", Kind::Number, 12, 4),
    field(b"EXP", Kind::Number, 16, 4),
    field(b"FDB", Kind::Number, 20, 4),
    field(b"ENC", Kind::Number, 24, 4),
    field(b"CCS", Kind::Number, 28, 4),
    field(b"FMT", Kind::Characters, 32, 8),
    field(b"PRI", Kind::Number, 40, 4),
    field(b"PER", Kind::Number, 44, 4),
    field(b"MSI", Kind::Hexadecimal, 48, 24),
    field(b"COI", Kind::Hexadecimal, 72, 24),
    field(b"BOC", Kind::Number, 96, 4),
    field(b"RTQ", Kind::Characters, 100, 48),
    field(b"RTM", Kind::Characters, 148, 48),
    field(b"USR", Kind::Characters, 196, 12),
    field(b"ACC", Kind::Hexadecimal, 208, 32),
    field(b"AID", Kind::Characters, 240, 32),
    field(b"AIX", Kind::Hexadecimal, 240, 32),
    field(b"PAT", Kind::Number, 272, 4),
    field(b"PAN", Kind::Characters, 276, 28),
    field(b"PTD", Kind::Characters, 304, 8),
    field(b"PTT", Kind::Characters, 312, 8),
    field(b"AOD", Kind::Characters, 320, 4),
    field(b"AOX", Kind::Hexadecimal, 320, 4),
    field(b"GRP", Kind::Hexadecimal, 324, 24),
    field(b"MSQ", Kind::Number, 348, 4),
    field(b"OFF", Kind::Number, 352, 4),
    field(b"MSF", Kind::Number, 356, 4),
    field(b"ORL", Kind::Number, 360, 4),
];

/// An MQMD of version 2 with the high byte first.
pub(super) type Image = [u8; VERSION_2_LENGTH];

pub(super) fn image(descriptor: &MessageDescriptor) -> Image {
    let mut bytes = Vec::with_capacity(VERSION_2_LENGTH);
    encode(descriptor, Version::Two, Encoding::BIG_ENDIAN, &mut bytes);
    bytes.try_into().expect("version 2 has this length")
}

impl Field {
    /// The field of three letters.
    pub(super) fn find(letters: &[u8]) -> Option<&'static Self> {
        FIELDS.iter().find(|field| field.letters == letters)
    }

    pub(super) fn bytes<'a>(&self, image: &'a Image) -> &'a [u8] {
        &image[self.offset..self.offset + self.length]
    }

    /// Sets the field from what stands behind its letters; an empty value leaves the default.
    pub(super) fn set(&self, image: &mut Image, value: &[u8]) -> Result<(), Problem> {
        if value.is_empty() {
            return Ok(());
        }
        let target = &mut image[self.offset..self.offset + self.length];
        match self.kind {
            Kind::Number => {
                let text = std::str::from_utf8(value).unwrap_or_default().trim();
                let number: i32 = text.parse().map_err(|_| Problem::Number)?;
                target.copy_from_slice(&number.to_be_bytes());
            }
            Kind::Characters => {
                let value = if value.len() > self.length { value.trim_ascii_end() } else { value };
                if value.len() > self.length {
                    return Err(Problem::TooLong(self.length));
                }
                target.fill(b' ');
                target[..value.len()].copy_from_slice(value);
            }
            Kind::Hexadecimal => {
                let digits = value.trim_ascii();
                if digits.len() > 2 * self.length {
                    return Err(Problem::TooLong(2 * self.length));
                }
                if !digits.len().is_multiple_of(2) {
                    return Err(Problem::Hexadecimal);
                }
                target.fill(0);
                for (byte, pair) in target.iter_mut().zip(digits.chunks_exact(2)) {
                    *byte = hexadecimal(pair).ok_or(Problem::Hexadecimal)?;
                }
            }
        }
        Ok(())
    }
}

/// Two digits.
pub(super) fn hexadecimal(pair: &[u8]) -> Option<u8> {
    let digit = |byte: u8| (byte as char).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    match pair {
        [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
        _ => None,
    }
}
