//! Names of MQ objects, checked once at the edge: length and characters.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Why a text is not an MQ object name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    #[error("'{name}' is not an object name: it is longer than {maximum} characters")]
    TooLong { name: String, maximum: usize },
    #[error("'{name}' is not an object name: '{character}' is not one of A-Z a-z 0-9 . / _ %")]
    Character { name: String, character: char },
}

/// Name of an MQ object: at most 48 of `A-Z a-z 0-9 . / _ %`. The blank (empty) name is allowed and means "none".
///
/// Held inline, so that it is `Copy` and comparing never follows a pointer.
/// Source: MQ Administration, "Rules for naming IBM MQ objects".
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectName {
    bytes: [u8; ObjectName::MAXIMUM],
    length: u8,
}

pub type QueueName = ObjectName;
pub type QueueManagerName = ObjectName;
pub type TopicName = ObjectName;
/// At most 20 characters, which the definition of a channel checks.
pub type ChannelName = ObjectName;

impl ObjectName {
    pub const MAXIMUM: usize = 48;
    pub const BLANK: Self = Self { bytes: [0; Self::MAXIMUM], length: 0 };

    /// `parse`, of a name that must be shorter.
    ///
    /// # Errors
    /// As `parse`; longer than `maximum` characters.
    pub fn parse_within(name: &str, maximum: usize) -> Result<Self, NameError> {
        let parsed = Self::parse(name)?;
        if usize::from(parsed.length) > maximum {
            return Err(NameError::TooLong { name: parsed.to_string(), maximum });
        }
        Ok(parsed)
    }

    /// Trailing blanks and NULs are dropped, as MQ pads names with them.
    ///
    /// # Errors
    /// Too long, or a character outside the set.
    pub fn parse(name: &str) -> Result<Self, NameError> {
        let trimmed = name.trim_end_matches([' ', '\0']);
        if trimmed.len() > Self::MAXIMUM {
            return Err(NameError::TooLong { name: trimmed.chars().take(80).collect(), maximum: Self::MAXIMUM });
        }
        Self::of_trimmed(trimmed.as_bytes()).ok_or_else(|| {
            let wrong = trimmed.chars().find(|character| !is_name_character(*character));
            NameError::Character { name: trimmed.to_owned(), character: wrong.unwrap_or_default() }
        })
    }

    /// As `parse`, of bytes without blanks or NULs behind them; `None` when they are no name.
    pub fn of_trimmed(name: &[u8]) -> Option<Self> {
        let mut bytes = [0; Self::MAXIMUM];
        bytes.get_mut(..name.len())?.copy_from_slice(name);
        let is_name = name.iter().all(|byte| NAME_CHARACTERS[usize::from(*byte)]);
        is_name.then_some(Self { bytes, length: u8::try_from(name.len()).ok()? })
    }

    /// For names that are in our own source.
    ///
    /// # Panics
    /// When `name` is not a name; never call it with outside input.
    pub fn literal(name: &str) -> Self {
        Self::parse(name).expect("a literal object name is valid")
    }

    pub fn as_str(&self) -> &str {
        std::str::from_utf8(self.as_bytes()).expect("only ASCII was let in by parse")
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }

    pub fn is_blank(&self) -> bool {
        self.length == 0
    }

    /// Blank-padded to 48 bytes, the form of MQMD and MQOD.
    pub fn padded(&self) -> [u8; Self::MAXIMUM] {
        let mut field = [b' '; Self::MAXIMUM];
        field[..usize::from(self.length)].copy_from_slice(self.as_bytes());
        field
    }
}

const fn is_name_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '/' | '_' | '%')
}

/// `is_name_character` of each byte.
static NAME_CHARACTERS: [bool; 256] = {
    let mut known = [false; 256];
    let mut byte = 0u8;
    while byte < 128 {
        known[byte as usize] = is_name_character(byte as char);
        byte += 1;
    }
    known
};

impl Default for ObjectName {
    fn default() -> Self {
        Self::BLANK
    }
}

impl fmt::Debug for ObjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for ObjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl std::str::FromStr for ObjectName {
    type Err = NameError;
    fn from_str(name: &str) -> Result<Self, NameError> {
        Self::parse(name)
    }
}

impl Serialize for ObjectName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for ObjectName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

/// A generic name: an object name that may end in `*`, or a lone `*`. As `DISPLAY QUEUE(DEV.*)` takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GenericName {
    stem: String,
    open: bool,
}

impl GenericName {
    /// # Errors
    /// The part before a final `*` is not an object name.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let (stem, open) = match text.strip_suffix('*') {
            Some(stem) => (stem, true),
            None => (text, false),
        };
        ObjectName::parse(stem)?;
        Ok(Self { stem: stem.trim_end().to_owned(), open })
    }

    pub fn all() -> Self {
        Self { stem: String::new(), open: true }
    }

    pub fn matches(&self, name: &str) -> bool {
        if self.open { name.starts_with(&self.stem) } else { name == self.stem }
    }

    /// The one name it can match, when there is no `*`.
    pub fn exact(&self) -> Option<&str> {
        (!self.open).then_some(&*self.stem)
    }
}
