//! What the data of messages must be to be shown, exported or done: what selectors and identifiers cannot say.
//!
//! Pure.

use super::Content;

/// Everything by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    /// What the data as text, or the bytes themselves, contain.
    pub contains: Option<String>,
    /// Lengths of the data in bytes, without headers and properties.
    pub min_length: Option<u64>,
    pub max_length: Option<u64>,
}

impl Wanted {
    pub fn is_all(&self) -> bool {
        *self == Self::default()
    }

    pub fn fits(&self, content: &Content) -> bool {
        let length = content.data.len() as u64;
        self.min_length.is_none_or(|min| length >= min)
            && self.max_length.is_none_or(|max| length <= max)
            && self.contains.as_deref().is_none_or(|text| content.contains(text))
    }
}
