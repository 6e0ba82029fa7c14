//! Coded character sets by CCSID: EBCDIC, ASCII, UTF-8 and UTF-16. Bytes to text and back, and from one set to another.
//!
//! Pure functions over constant tables: no IO, no locale, no state between calls. Input of any kind is answered, never
//! trusted: unknown CCSIDs and malformed UTF are errors, a character without a counterpart is substituted and counted.
//!
//! Rules
//! - **Substitution**: 0x3F in EBCDIC sets, 0x1A in ASCII sets. UTF-8 and UTF-16 hold every character and need none.
//! - **Line ends**: `decode` and `encode` follow the tables, in which EBCDIC 0x15 is NEL (U+0085) and 0x25 is LF
//!   (U+000A), so that a round trip keeps every byte. `convert` from an EBCDIC set into any other turns 0x15 into LF,
//!   because text from z/OS ends its lines with it; in the other direction LF becomes 0x25. This is what MQ does by
//!   default (`ConvEBCDICNewline=NL_TO_LF`).
//! - **UTF-16** (1200, 13488, 17584) has the byte order the caller states, as MQMD `Encoding` does; 1201 and 1202 carry
//!   their own. A byte order mark is data.
//!
//! Source: MQ reference, "Codeset conversion", "Attributes of the AllQueueManagers stanza", 9.3; glibc's tables.

mod coding;
mod single_byte;
mod tables;

pub use coding::{ByteOrder, CharacterSet, Converted, Form, Malformed, convert};

/// Why bytes and text were not turned into each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CodepageError {
    #[error("CCSID {ccsid} is not known")]
    UnknownCcsid { ccsid: u32 },
    #[error(transparent)]
    Malformed(#[from] Malformed),
}

/// Whether `decode`, `encode` and `CharacterSet::of` know the CCSID.
pub fn is_known(ccsid: u32) -> bool {
    CharacterSet::of(ccsid, ByteOrder::Big).is_some()
}

/// Appends the text of `bytes` to `out`; UTF-16 of unmarked order is read high byte first. Returns how many bytes had
/// no character and became U+FFFD.
///
/// # Errors
/// The CCSID is unknown, or UTF-8 or UTF-16 is malformed; `out` then holds what came before.
pub fn decode(ccsid: u32, bytes: &[u8], out: &mut String) -> Result<usize, CodepageError> {
    let set = CharacterSet::of(ccsid, ByteOrder::Big).ok_or(CodepageError::UnknownCcsid { ccsid })?;
    Ok(set.decode(bytes, out)?)
}

/// Appends `text` in the CCSID to `out`; UTF-16 of unmarked order is written high byte first. Returns how many
/// characters were substituted.
///
/// # Errors
/// The CCSID is unknown.
pub fn encode(ccsid: u32, text: &str, out: &mut Vec<u8>) -> Result<usize, CodepageError> {
    let set = CharacterSet::of(ccsid, ByteOrder::Big).ok_or(CodepageError::UnknownCcsid { ccsid })?;
    Ok(set.encode(text, out))
}
