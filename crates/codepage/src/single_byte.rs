//! One single-byte code page: a table of 256 characters and its inverse.
//!
//! Invariants
//! - A byte without a character stands as U+FFFD in the table and is never the answer of `byte`.
//! - The inverse is made at first use and never changes.

use std::sync::OnceLock;

/// What is in a table for a byte without a character.
pub(crate) const UNDEFINED: char = char::REPLACEMENT_CHARACTER;

pub(crate) struct SingleByte {
    pub(crate) ccsid: u32,
    /// 0x40 is the blank: EBCDIC; else the set is built on ASCII.
    pub(crate) is_ebcdic: bool,
    characters: [u16; 256],
    inverse: OnceLock<Inverse>,
}

/// From character to byte. Nearly all text lies below U+0100, so that part is a direct table.
struct Inverse {
    latin_1: [Option<u8>; 256],
    /// The others, ascending.
    rest: Vec<(char, u8)>,
}

impl SingleByte {
    pub(crate) const fn new(ccsid: u32, characters: [u16; 256]) -> Self {
        Self { ccsid, is_ebcdic: characters[0x40] == 0x20, characters, inverse: OnceLock::new() }
    }

    pub(crate) fn character(&self, byte: u8) -> char {
        char::from_u32(u32::from(self.characters[usize::from(byte)])).unwrap_or(UNDEFINED)
    }

    /// `None` when the set has no such character.
    pub(crate) fn byte(&self, character: char) -> Option<u8> {
        let inverse = self.inverse.get_or_init(|| self.invert());
        match u8::try_from(character) {
            Ok(low) => inverse.latin_1[usize::from(low)],
            Err(_) => {
                let at = inverse.rest.binary_search_by_key(&character, |&(character, _)| character).ok()?;
                Some(inverse.rest[at].1)
            }
        }
    }

    /// What stands for a character that the set has not: SUB.
    pub(crate) fn substitute(&self) -> u8 {
        if self.is_ebcdic { 0x3F } else { 0x1A }
    }

    fn invert(&self) -> Inverse {
        let mut inverse = Inverse { latin_1: [None; 256], rest: Vec::new() };
        for byte in 0..=255 {
            let character = self.character(byte);
            match u8::try_from(character) {
                Ok(low) => inverse.latin_1[usize::from(low)] = Some(byte),
                Err(_) if character != UNDEFINED => inverse.rest.push((character, byte)),
                Err(_) => {}
            }
        }
        inverse.rest.sort_unstable();
        inverse
    }
}
