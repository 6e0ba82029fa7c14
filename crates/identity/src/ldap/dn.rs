//! Distinguished names: taken apart, so that two spellings of one name are equal and "below the base" means just that.
//!
//! RFC 4514, with blanks around separators as RFC 2253 allows. Types and values are compared without case and with runs
//! of blanks as one, which is what directories do for the attributes that name people and groups. What is not understood
//! (quotes, `;`) is no name: callers then find no user.
//! Pure: no clock, no network. Directories have the last word: a name that passes here is still looked up.

use std::hash::{Hash, Hasher};

/// Longest name that is looked at, in bytes, and most parts.
const MAXIMUM_BYTES: usize = 4096;
const MAXIMUM_PARTS: usize = 64;

/// A name, most specific part first. Equal when all parts are, however they are written.
#[derive(Debug, Clone)]
pub(crate) struct Dn {
    /// Each part's types and values, folded for comparison and sorted.
    parts: Vec<Vec<(String, String)>>,
    /// The first attribute of the first part, its value as written.
    first: Option<(String, String)>,
}

impl Dn {
    /// `None` when the text is not a name of at least one part.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        if text.len() > MAXIMUM_BYTES {
            return None;
        }
        let mut parts = Vec::new();
        let mut first = None;
        for part in split(text, b',')? {
            let mut attributes = Vec::new();
            for attribute in split(part, b'+')? {
                let (kind, value) = attribute.split_once('=')?;
                let (kind, value) = (kind.trim_matches(' '), unescape(value)?);
                if kind.is_empty() || !kind.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte)) {
                    return None;
                }
                attributes.push((kind.to_ascii_lowercase(), fold(&value)));
                first.get_or_insert((kind.to_ascii_lowercase(), value));
            }
            attributes.sort();
            parts.push(attributes);
            if parts.len() > MAXIMUM_PARTS {
                return None;
            }
        }
        Some(Self { parts, first })
    }

    /// Whether this is `base` or stands somewhere below it.
    pub(super) fn is_at_or_below(&self, base: &Self) -> bool {
        self.parts.ends_with(&base.parts)
    }

    /// Value of the most specific part, if it is of this type (lower case).
    pub(super) fn first_value(&self, kind: &str) -> Option<&str> {
        self.first.as_ref().filter(|(known, _)| known == kind).map(|(_, value)| value.as_str())
    }
}

impl PartialEq for Dn {
    fn eq(&self, other: &Self) -> bool {
        self.parts == other.parts
    }
}

impl Eq for Dn {}

impl Hash for Dn {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.parts.hash(state);
    }
}

/// Splits at separators that no backslash escapes.
fn split(text: &str, separator: u8) -> Option<Vec<&str>> {
    let mut pieces = Vec::new();
    let (mut start, mut escaped) = (0, false);
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' | b';' | b'<' | b'>' | 0 => return None,
            _ if byte == separator => {
                pieces.push(&text[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    pieces.push(&text[start..]);
    Some(pieces)
}

/// A value without its escapes and outer blanks.
fn unescape(value: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.trim_start_matches(' ').bytes();
    // Blanks at the end go, unless a backslash stands before the last of them.
    let mut kept = 0;
    while let Some(byte) = rest.next() {
        if byte == b'\\' {
            let escaped = rest.next()?;
            match hexadecimal(escaped) {
                Some(high) => bytes.push(high << 4 | hexadecimal(rest.next()?)?),
                None => bytes.push(escaped),
            }
            kept = bytes.len();
        } else {
            bytes.push(byte);
            if byte != b' ' {
                kept = bytes.len();
            }
        }
    }
    bytes.truncate(kept);
    String::from_utf8(bytes).ok()
}

fn hexadecimal(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

fn fold(value: &str) -> String {
    value.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests;
