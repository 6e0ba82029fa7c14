//! Attribute values as the table sees them, what each attribute accepts, and their MQSC spelling.
//!
//! A value is held the way PCF carries it: a number (a word's published number for choices) or a text. So MQINQ, PCF,
//! MQSC and JSON need no translation tables of their own.

use crate::definition::attribute::word::{JsonWord, Word};
use crate::name::ObjectName;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    Integer(i64),
    Text(String),
}

/// A value as it stands in a definition: what `Value` is, borrowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen<'a> {
    Integer(i64),
    Text(&'a str),
}

/// What an attribute accepts.
#[derive(Debug, Clone, Copy)]
pub enum ValueType {
    /// A number in a range, or one of a few words that stand for numbers outside it.
    Integer { minimum: i64, maximum: i64, unit: &'static str, words: &'static [Word] },
    /// One of several words.
    Choice(&'static [Word]),
    /// Two keywords that stand alone, without parentheses: TRIGGER and NOTRIGGER.
    Flag(&'static [Word; 2]),
    /// Name of an MQ object, at most 48 characters; blank for none.
    Name,
    /// Any text of at most this many bytes.
    Text { maximum: usize },
    /// Exactly this many bytes, written as hexadecimal digits.
    Hexadecimal { bytes: usize },
    /// `YYYY-MM-DD`.
    Date,
    /// `HH.MM.SS`.
    Time,
    /// Several texts; read only. Held as one text with commas.
    List,
}

/// Why a value is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ValueProblem {
    #[error("expected a number from {minimum} to {maximum}{}", or_words(words))]
    NotANumber { minimum: i64, maximum: i64, words: &'static [Word] },
    #[error("{value} is outside {minimum} to {maximum}")]
    OutOfRange { value: i64, minimum: i64, maximum: i64 },
    #[error("expected one of {}", list(words))]
    NotAWord { words: &'static [Word] },
    #[error("longer than {maximum} bytes")]
    TooLong { maximum: usize },
    #[error("{problem}")]
    NotAName { problem: String },
    #[error("expected {digits} hexadecimal digits")]
    NotHexadecimal { digits: usize },
    #[error("takes no value")]
    NoValue,
    #[error("cannot be set")]
    ReadOnly,
}

fn list(words: &[Word]) -> String {
    words.iter().map(|word| word.mqsc).collect::<Vec<_>>().join(", ")
}

fn or_words(words: &[Word]) -> String {
    if words.is_empty() { String::new() } else { format!(", or {}", list(words)) }
}

impl Value {
    pub fn number(&self) -> Option<i64> {
        if let Self::Integer(number) = self { Some(*number) } else { None }
    }

    pub fn seen(&self) -> Seen<'_> {
        match self {
            Self::Integer(number) => Seen::Integer(*number),
            Self::Text(text) => Seen::Text(text),
        }
    }

    pub fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Self {
        Self::Integer(i64::from(number))
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl ValueType {
    /// The value that `text` spells in MQSC. Words are expected in upper case; `check` has passed on what is returned.
    pub fn parse(&self, text: &str) -> Result<Value, ValueProblem> {
        let value = match self {
            Self::Integer { minimum, maximum, words, .. } => match find_word(words, text) {
                Some(word) => Value::Integer(word.code),
                None => Value::Integer(parse_number(text).ok_or(ValueProblem::NotANumber {
                    minimum: *minimum,
                    maximum: *maximum,
                    words,
                })?),
            },
            Self::Choice(words) => Value::Integer(find_word(words, text).ok_or(ValueProblem::NotAWord { words })?.code),
            Self::Flag(_) => return Err(ValueProblem::NoValue),
            Self::Name => Value::Text(text.trim_end_matches(' ').to_owned()),
            Self::Text { .. } => Value::Text(text.trim_end_matches(' ').to_owned()),
            Self::Hexadecimal { bytes } => {
                Value::Text(if text.trim().is_empty() { "0".repeat(2 * bytes) } else { text.to_ascii_uppercase() })
            }
            Self::Date | Self::Time | Self::List => return Err(ValueProblem::ReadOnly),
        };
        self.check(&value)?;
        Ok(value)
    }

    /// Is this a value the attribute may hold?
    pub fn check(&self, value: &Value) -> Result<(), ValueProblem> {
        match (self, value) {
            (Self::Integer { minimum, maximum, words, .. }, Value::Integer(number)) => {
                let allowed = (minimum..=maximum).contains(&number) || words.iter().any(|word| word.code == *number);
                let problem = ValueProblem::OutOfRange { value: *number, minimum: *minimum, maximum: *maximum };
                if allowed { Ok(()) } else { Err(problem) }
            }
            (Self::Integer { minimum, maximum, words, .. }, Value::Text(_)) => {
                Err(ValueProblem::NotANumber { minimum: *minimum, maximum: *maximum, words })
            }
            (Self::Choice(words), _) => check_word(words, value),
            (Self::Flag(words), _) => check_word(*words, value),
            (Self::Name, Value::Text(text)) => {
                ObjectName::parse(text).map(drop).map_err(|e| ValueProblem::NotAName { problem: e.to_string() })
            }
            (Self::Text { maximum }, Value::Text(text)) => {
                if text.len() <= *maximum {
                    Ok(())
                } else {
                    Err(ValueProblem::TooLong { maximum: *maximum })
                }
            }
            (Self::Hexadecimal { bytes }, Value::Text(text)) => {
                let good = text.len() == 2 * bytes && text.bytes().all(|b| b.is_ascii_hexdigit());
                if good { Ok(()) } else { Err(ValueProblem::NotHexadecimal { digits: 2 * bytes }) }
            }
            (Self::Name | Self::Text { .. }, Value::Integer(_)) => Err(ValueProblem::TooLong { maximum: 0 }),
            (Self::Hexadecimal { bytes }, Value::Integer(_)) => Err(ValueProblem::NotHexadecimal { digits: 2 * bytes }),
            (Self::Date | Self::Time | Self::List, _) => Err(ValueProblem::ReadOnly),
        }
    }

    /// The words of a choice, of a flag, or beside a number.
    pub fn words(&self) -> &'static [Word] {
        match self {
            Self::Integer { words, .. } | Self::Choice(words) => words,
            Self::Flag(words) => *words,
            Self::Name | Self::Text { .. } | Self::Hexadecimal { .. } | Self::Date | Self::Time | Self::List => &[],
        }
    }

    /// The value without keyword or quotes: `NOLIMIT`, `5000`, `some text`.
    pub fn word_or_text(&self, value: &Value) -> String {
        match value {
            Value::Text(text) => text.clone(),
            Value::Integer(number) => match self.words().iter().find(|word| word.code == *number) {
                Some(word) => word.mqsc.to_owned(),
                None => number.to_string(),
            },
        }
    }

    /// As DISPLAY prints it: `MAXDEPTH(5000)`, `DESCR( )`, `NOTRIGGER`.
    pub fn display(&self, keyword: &str, value: &Value) -> String {
        let text = self.word_or_text(value);
        match self {
            Self::Flag(_) => text,
            _ if text.is_empty() => format!("{keyword}( )"),
            _ => format!("{keyword}({text})"),
        }
    }

    /// As a script sets it: texts and names quoted, quotes doubled.
    pub fn script(&self, keyword: &str, value: &Value) -> String {
        match (self, value) {
            (Self::Name | Self::Text { .. } | Self::Hexadecimal { .. }, Value::Text(text)) => {
                format!("{keyword}({})", quoted(text))
            }
            _ => self.display(keyword, value),
        }
    }

    /// As a sentence part for manuals: `0 to 9`, `NO, YES`.
    pub fn describe(&self) -> String {
        match self {
            Self::Integer { minimum, maximum, unit, words } => {
                let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
                format!("{minimum} to {maximum}{unit}{}", or_words(words))
            }
            Self::Choice(words) => list(words),
            Self::Flag(words) => list(*words),
            Self::Name => "object name".to_owned(),
            Self::Text { maximum } => format!("text, at most {maximum} bytes"),
            Self::Hexadecimal { bytes } => format!("{bytes} bytes in hexadecimal"),
            Self::Date => "YYYY-MM-DD".to_owned(),
            Self::Time => "HH.MM.SS".to_owned(),
            Self::List => "list".to_owned(),
        }
    }

    /// What REST v1 calls a word; `None` for values that are plain numbers or texts.
    pub fn json_word(&self, value: &Value) -> Option<JsonWord> {
        let number = value.number()?;
        self.words().iter().find(|word| word.code == number).map(|word| word.json)
    }
}

/// In single quotes, quotes inside doubled: an MQSC string.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn find_word(words: &'static [Word], text: &str) -> Option<&'static Word> {
    words.iter().find(|word| word.mqsc == text || word.synonyms.contains(&text))
}

fn check_word(words: &'static [Word], value: &Value) -> Result<(), ValueProblem> {
    match value.number() {
        Some(number) if words.iter().any(|word| word.code == number) => Ok(()),
        _ => Err(ValueProblem::NotAWord { words }),
    }
}

/// Unsigned decimal, as MQSC writes numbers. Too many digits saturate, so that the range check names the range.
fn parse_number(text: &str) -> Option<i64> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some(text.parse().unwrap_or(i64::MAX))
}

/// One attribute of one object, read.
#[derive(Debug, Clone)]
pub struct Shown {
    pub keyword: &'static str,
    pub kind: ValueType,
    pub value: Value,
}

impl Shown {
    pub fn display(&self) -> String {
        self.kind.display(self.keyword, &self.value)
    }
}
