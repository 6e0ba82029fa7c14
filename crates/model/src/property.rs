//! Message properties: names, typed values, and the folders of an MQRFH2 that carry them.
//!
//! A folder is XML-like text: `<usr><colour>red</colour><size dt='i4'>5</size></usr>`. Elements may nest; the names on
//! the way are joined by dots. Only what properties use is understood: elements, attributes, the five named entities
//! and character references. Nesting is limited, so that hostile input cannot exhaust the stack or memory.
//! Source: MQ reference, "MQRFH2", "Property names", "Property descriptors and data types", 9.3.

mod folder;
mod listed;
mod value;

pub use folder::{FolderError, Property, read_folder, write_folder};
pub use listed::{read_list, write_list};
pub use value::{PropertyValue, ValueError};

/// Longest name, in characters: MQ_MAX_PROPERTY_NAME_LENGTH.
pub const MAXIMUM_NAME_LENGTH: usize = 4095;

/// Why a text may not name a property.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PropertyNameError {
    #[error("a property name is empty")]
    Empty,
    #[error("a property name is longer than {MAXIMUM_NAME_LENGTH} characters")]
    TooLong,
    #[error("'{name}' is not a property name: it must be a Java identifier")]
    NotAnIdentifier { name: String },
    #[error("'{name}' is not a property name: '{reserved}' is reserved")]
    Reserved { name: String, reserved: &'static str },
}

/// Checks the name of a property an application makes: a Java identifier, no word of the selector language, and no
/// prefix that belongs to JMS or MQ.
///
/// # Errors
/// As the variants say.
pub fn check_name(name: &str) -> Result<(), PropertyNameError> {
    if name.is_empty() {
        return Err(PropertyNameError::Empty);
    }
    if name.chars().count() > MAXIMUM_NAME_LENGTH {
        return Err(PropertyNameError::TooLong);
    }
    // `usr.` would fail as an identifier too, but the reason given should be the folder's name.
    const PREFIXES: [&str; 3] = ["JMS", "usr.", "mq"];
    const WORDS: [&str; 11] = ["NULL", "TRUE", "FALSE", "NOT", "AND", "OR", "BETWEEN", "LIKE", "IN", "IS", "ESCAPE"];
    let by_prefix = PREFIXES.into_iter().find(|prefix| name.starts_with(prefix));
    let by_word = WORDS.into_iter().find(|word| name.eq_ignore_ascii_case(word));
    if let Some(reserved) = by_prefix.or(by_word) {
        return Err(PropertyNameError::Reserved { name: name.to_owned(), reserved });
    }
    let mut characters = name.chars();
    if characters.next().is_some_and(starts_identifier) && characters.all(continues_identifier) {
        Ok(())
    } else {
        Err(PropertyNameError::NotAnIdentifier { name: name.to_owned() })
    }
}

fn starts_identifier(character: char) -> bool {
    character.is_alphabetic() || matches!(character, '_' | '$')
}

fn continues_identifier(character: char) -> bool {
    starts_identifier(character) || character.is_numeric()
}
