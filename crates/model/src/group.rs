//! The name of a queue-sharing group.

use std::fmt;

/// Why a text is not the name of a group.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GroupNameError {
    #[error("'{name}' is not the name of a queue-sharing group: it has to have 1 to 4 characters")]
    Length { name: String },
    #[error("'{name}' is not the name of a queue-sharing group: '{character}' is not one of A-Z 0-9 @ # $")]
    Character { name: String, character: char },
    #[error("'{name}' is not the name of a queue-sharing group: it begins with a digit")]
    Digit { name: String },
}

/// 1 to 4 of `A-Z 0-9 @ # $`, and no digit first.
///
/// Source: MQ reference, "Queue sharing group name", 9.3.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupName {
    bytes: [u8; Self::MAXIMUM],
    length: u8,
}

impl GroupName {
    /// MQ_QSG_NAME_LENGTH.
    pub const MAXIMUM: usize = 4;

    /// # Errors
    /// Too long or blank, a character outside the set, or a digit first.
    pub fn parse(name: &str) -> Result<Self, GroupNameError> {
        let trimmed = name.trim_end();
        if trimmed.is_empty() || trimmed.chars().count() > Self::MAXIMUM {
            return Err(GroupNameError::Length { name: trimmed.chars().take(80).collect() });
        }
        if let Some(character) = trimmed.chars().find(|character| !is_group_character(*character)) {
            return Err(GroupNameError::Character { name: trimmed.to_owned(), character });
        }
        if trimmed.starts_with(|first: char| first.is_ascii_digit()) {
            return Err(GroupNameError::Digit { name: trimmed.to_owned() });
        }
        let mut bytes = [0; Self::MAXIMUM];
        bytes[..trimmed.len()].copy_from_slice(trimmed.as_bytes());
        Ok(Self { bytes, length: u8::try_from(trimmed.len()).unwrap_or_default() })
    }

    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..usize::from(self.length)]).expect("only ASCII was let in by parse")
    }
}

const fn is_group_character(character: char) -> bool {
    matches!(character, 'A'..='Z' | '0'..='9' | '@' | '#' | '$')
}

impl fmt::Display for GroupName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for GroupName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_has_one_to_four_characters_of_its_set_and_begins_with_no_digit() {
        for name in ["QSG1", "A", "@#$1", "QSG1  "] {
            assert_eq!(GroupName::parse(name).unwrap().as_str(), name.trim_end());
        }
        for name in ["", "   ", "QSG12", "qsg1", "1QSG", "Q.G", "QÄ"] {
            assert!(GroupName::parse(name).is_err(), "{name}");
        }
    }
}
