//! Characters from one coded character set to another, in the client: MQXCNVC, and the texts of bags.
//!
//! Source: MQ reference, "MQXCNVC - Convert characters", 9.4.

use codepage::{ByteOrder, CharacterSet};
use model::reason::Reason;

use crate::constant::{
    MQDCC_FILL_TARGET_BUFFER, MQDCC_SOURCE_ENC_MASK, MQDCC_SOURCE_ENC_REVERSED, MQDCC_TARGET_ENC_MASK,
    MQDCC_TARGET_ENC_REVERSED,
};
use crate::{Ended, failed, warned};

const UTF_8: i32 = 1208;

/// Converts into a buffer of `room` bytes: how it ended, the bytes, and how many of them are characters and no filling.
///
/// # Errors
/// 2111, 2115 a character set that is not known; 2119 bytes that are not of the source's set.
pub fn convert(
    options: i32,
    source_ccsid: i32,
    source: &[u8],
    target_ccsid: i32,
    room: usize,
) -> Result<(Ended, Vec<u8>, usize), Ended> {
    let order = |mask: i32, reversed: i32| {
        if options & mask == reversed { ByteOrder::Little } else { ByteOrder::Big }
    };
    let set = |ccsid: i32, order| u32::try_from(ccsid).ok().and_then(|ccsid| CharacterSet::of(ccsid, order));
    let from = set(source_ccsid, order(MQDCC_SOURCE_ENC_MASK, MQDCC_SOURCE_ENC_REVERSED));
    let from = from.ok_or(warned(Reason::SourceCcsidError))?;
    let to = set(target_ccsid, order(MQDCC_TARGET_ENC_MASK, MQDCC_TARGET_ENC_REVERSED));
    let to = to.ok_or(warned(Reason::TargetCcsidError))?;
    let mut text = String::new();
    from.decode(source, &mut text).map_err(|_| warned(Reason::NotConverted))?;
    let mut bytes = Vec::new();
    to.encode(&text, &mut bytes);
    let mut ended = Ended::WELL;
    if bytes.len() > room {
        ended = warned(Reason::ConvertedMsgTooBig);
        bytes = whole_characters(&text, to, room);
    }
    let length = bytes.len();
    if options & MQDCC_FILL_TARGET_BUFFER != 0 {
        while bytes.len() + to.blank().len() <= room {
            bytes.extend_from_slice(to.blank());
        }
    }
    Ok((ended, bytes, length))
}

/// The coded character set of a text whose own is 0 (MQCCSI_DEFAULT): that of the program.
pub fn shown_as(ccsid: i32) -> i32 {
    if ccsid == 0 { UTF_8 } else { ccsid }
}

/// A text that a program hands in. In UTF-8 what is none is replaced.
///
/// # Errors
/// 2330 a character set that is not known, 2307 bytes that are not of it.
pub fn of_program(bytes: &[u8], ccsid: i32) -> Result<String, Ended> {
    if shown_as(ccsid) == UTF_8 {
        return Ok(String::from_utf8_lossy(bytes).into_owned());
    }
    let set = native(ccsid).ok_or(failed(Reason::CodedCharSetIdError))?;
    let mut text = String::new();
    set.decode(bytes, &mut text).map_err(|_| failed(Reason::StringError))?;
    Ok(text)
}

/// A text for a program; in UTF-8 where the character set is not known.
pub fn for_program(text: &str, ccsid: i32) -> Vec<u8> {
    let mut bytes = Vec::new();
    match native(shown_as(ccsid)) {
        Some(set) => {
            set.encode(text, &mut bytes);
        }
        None => bytes.extend_from_slice(text.as_bytes()),
    }
    bytes
}

/// What fills the room behind a text.
pub fn blank(ccsid: i32) -> u8 {
    match native(shown_as(ccsid)).map(CharacterSet::blank) {
        Some(&[blank]) => blank,
        _ => b' ',
    }
}

fn native(ccsid: i32) -> Option<CharacterSet> {
    let order = if cfg!(target_endian = "big") { ByteOrder::Big } else { ByteOrder::Little };
    CharacterSet::of(u32::try_from(ccsid).ok()?, order)
}

/// As many characters as fit.
fn whole_characters(text: &str, to: CharacterSet, room: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for character in text.chars() {
        let before = bytes.len();
        to.encode(character.encode_utf8(&mut [0; 4]), &mut bytes);
        if bytes.len() > room {
            bytes.truncate(before);
            break;
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_converted_filled_and_cut_between_characters() {
        let converted = |options, from, source: &[u8], to, room| {
            convert(options, from, source, to, room).map(|(ended, bytes, length)| (ended.reason, bytes, length))
        };
        assert_eq!(converted(0, 1208, b"AB1", 37, 10), Ok((0, vec![0xC1, 0xC2, 0xF1], 3)));
        assert_eq!(converted(MQDCC_FILL_TARGET_BUFFER, 1208, b"A", 37, 3), Ok((0, vec![0xC1, 0x40, 0x40], 1)));
        assert_eq!(converted(0, 819, &[0xFC, b'x'], 1208, 1), Ok((2120, vec![], 0)));
        assert_eq!(converted(0, 819, &[0xFC, b'x'], 1208, 2), Ok((2120, vec![0xC3, 0xBC], 2)));
        assert_eq!(converted(MQDCC_TARGET_ENC_REVERSED, 1208, b"A", 1200, 2), Ok((0, vec![b'A', 0], 2)));
        assert_eq!(converted(0, 99_999, b"A", 37, 2).map_err(|ended| ended.reason), Err(2111));
        assert_eq!(converted(0, 1208, b"A", 99_999, 2).map_err(|ended| ended.reason), Err(2115));
        assert_eq!(converted(0, 1208, &[0xFF], 37, 2).map_err(|ended| ended.reason), Err(2119));
    }
}
