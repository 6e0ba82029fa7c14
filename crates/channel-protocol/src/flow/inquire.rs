//! MQINQ and MQSET.
//!
//! ```text
//! inquire request   number of selectors, of integers, length of characters (4 each), selectors (4 each)
//! inquire reply     the same, then the integers (4 each) and the characters
//! set request       as the inquire reply
//! set reply         API header alone
//! ```
//!
//! Character attributes have fixed lengths and follow each other in the order of their selectors.
//! Source: reference, section 9 (C; MQSET D).

use crate::cursor::{Reader, Writer};
use crate::error::ProtocolError;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inquire {
    /// MQIA_* and MQCA_*.
    pub selectors: Vec<i32>,
    /// How many integers the caller has room for.
    pub integer_count: usize,
    /// Room for characters, in bytes; may be more than the attributes have.
    pub character_length: usize,
}

impl Inquire {
    /// # Errors
    /// Counts beyond the data, negative counts.
    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, ProtocolError> {
        reader.enter("MQINQ");
        let selector_count = reader.count("selector count")?;
        let integer_count = reader.count("integer count")?;
        let character_length = reader.count("character length")?;
        Ok(Self { selectors: reader.integers(selector_count)?, integer_count, character_length })
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        writer.count(self.selectors.len());
        writer.count(self.integer_count);
        writer.count(self.character_length);
        writer.integers(&self.selectors);
    }
}

/// Reply to an inquire, and request of a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attributes {
    pub selectors: Vec<i32>,
    pub integers: Vec<i32>,
    /// In ASCII, or the set of a partner whose set is built on it.
    pub characters: Vec<u8>,
}

impl Attributes {
    /// # Errors
    /// Counts beyond the data, negative counts.
    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, ProtocolError> {
        reader.enter("attributes");
        let selector_count = reader.count("selector count")?;
        let integer_count = reader.count("integer count")?;
        let character_length = reader.count("character length")?;
        let selectors = reader.integers(selector_count)?;
        let integers = reader.integers(integer_count)?;
        // A failed inquire repeats its request, which ends here.
        let present = if reader.is_empty() { 0 } else { character_length };
        let mut characters = reader.take(present)?.to_vec();
        reader.form().field_in(&mut characters);
        Ok(Self { selectors, integers, characters })
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        writer.count(self.selectors.len());
        writer.count(self.integers.len());
        writer.count(self.characters.len());
        writer.integers(&self.selectors);
        writer.integers(&self.integers);
        writer.text(&self.characters);
    }
}
