//! Attribute values as the table sees them, what each attribute accepts, and their MQSC spelling.
//!
//! A value is held the way PCF carries it: a number (a word's published number for choices), a text, or a list of
//! either. So MQINQ, PCF, MQSC and JSON need no translation tables of their own.

use crate::definition::attribute::word::{JsonWord, Word};
use crate::name::{NameError, ObjectName};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    Integer(i64),
    Text(String),
    /// MQCFSL: NAMES of a namelist, exits of a channel.
    List(Vec<String>),
    /// MQCFIL: the published numbers of words, as of COMPMSG.
    Numbers(Vec<i64>),
}

/// A value as it is in a definition: what `Value` is, borrowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen<'a> {
    Integer(i64),
    Text(&'a str),
    List(&'a [String]),
    Numbers(&'a [i64]),
}

/// What `Secret` attributes show when they are set.
const MASK: &str = "********";

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
    /// Any text of at most this many bytes, without control characters.
    Text { maximum: usize },
    /// Exactly this many bytes, written as hexadecimal digits.
    Hexadecimal { bytes: usize },
    /// `YYYY-MM-DD`.
    Date,
    /// `HH.MM.SS`.
    Time,
    /// Several texts; read only. Held as one text with commas.
    List,
    /// At most `maximum` names of MQ objects, in order.
    Names { maximum: usize },
    /// At most `maximum` texts without commas, in order, each of at most `length` bytes.
    Texts { maximum: usize, length: usize },
    /// One or several of these words, in order of preference; at most `maximum`.
    Words { words: &'static [Word], maximum: usize },
    /// A password, or a text that holds one: written as text of at most `maximum` bytes, read as asterisks, or blank when there is none.
    Secret { maximum: usize },
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
    #[error("control characters are not allowed")]
    ControlCharacter,
    #[error("{problem}")]
    NotAName { problem: String },
    #[error("expected {digits} hexadecimal digits")]
    NotHexadecimal { digits: usize },
    #[error("more than {maximum} values")]
    TooMany { maximum: usize },
    #[error("takes one value")]
    OneValue,
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
            Self::List(texts) => Seen::List(texts),
            Self::Numbers(numbers) => Seen::Numbers(numbers),
        }
    }

    pub fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    pub fn list(&self) -> Option<&[String]> {
        if let Self::List(list) = self { Some(list) } else { None }
    }

    pub fn numbers(&self) -> Option<&[i64]> {
        if let Self::Numbers(numbers) = self { Some(numbers) } else { None }
    }

    /// How a `Secret` attribute shows `text`.
    pub fn masked(text: &str) -> Self {
        Self::from(if text.is_empty() { "" } else { MASK })
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
            Self::Text { .. } | Self::Secret { .. } => Value::Text(text.trim_end_matches(' ').to_owned()),
            Self::Names { .. } | Self::Texts { .. } => Value::List(items(text).map(str::to_owned).collect()),
            Self::Words { words, .. } => Value::Numbers(
                items(text)
                    .map(|item| find_word(words, item).map(|word| word.code).ok_or(ValueProblem::NotAWord { words }))
                    .collect::<Result<_, _>>()?,
            ),
            Self::Hexadecimal { bytes } => {
                Value::Text(if text.trim().is_empty() { "0".repeat(2 * bytes) } else { text.to_ascii_uppercase() })
            }
            Self::Date | Self::Time | Self::List => return Err(ValueProblem::ReadOnly),
        };
        self.check(&value)?;
        Ok(value)
    }

    /// The value that several texts between the parentheses spell: `NAMES(A,B)`. Attributes that are no lists take one.
    pub fn parse_several(&self, texts: &[&str]) -> Result<Value, ValueProblem> {
        match (self.is_list(), texts) {
            (_, [text]) => self.parse(text),
            (true, _) => self.parse(&texts.join(",")),
            (false, _) => Err(ValueProblem::OneValue),
        }
    }

    /// Does MQSC take several values for it?
    pub const fn is_list(&self) -> bool {
        matches!(self, Self::Names { .. } | Self::Texts { .. } | Self::Words { .. })
    }

    /// Is this a value the attribute may hold?
    pub fn check(&self, value: &Value) -> Result<(), ValueProblem> {
        match (self, value) {
            (Self::Integer { minimum, maximum, words, .. }, Value::Integer(number)) => {
                let allowed = (minimum..=maximum).contains(&number) || words.iter().any(|word| word.code == *number);
                let problem = ValueProblem::OutOfRange { value: *number, minimum: *minimum, maximum: *maximum };
                if allowed { Ok(()) } else { Err(problem) }
            }
            (Self::Choice(words), _) => check_word(words, value),
            (Self::Flag(words), _) => check_word(*words, value),
            (Self::Name, Value::Text(text)) => {
                ObjectName::parse(text).map(drop).map_err(|e| ValueProblem::NotAName { problem: e.to_string() })
            }
            (Self::Text { maximum } | Self::Secret { maximum }, Value::Text(text)) => {
                if text.len() > *maximum {
                    return Err(ValueProblem::TooLong { maximum: *maximum });
                }
                if is_plain(text) { Ok(()) } else { Err(ValueProblem::ControlCharacter) }
            }
            (Self::Hexadecimal { bytes }, Value::Text(text)) => {
                let good = text.len() == 2 * bytes && text.bytes().all(|b| b.is_ascii_hexdigit());
                if good { Ok(()) } else { Err(ValueProblem::NotHexadecimal { digits: 2 * bytes }) }
            }
            (Self::Names { maximum }, Value::List(names)) => {
                let problem = |e: NameError| ValueProblem::NotAName { problem: e.to_string() };
                check_count(names.len(), *maximum)?;
                names.iter().try_for_each(|name| ObjectName::parse(name).map(drop).map_err(problem))
            }
            (Self::Texts { maximum, length }, Value::List(texts)) => {
                check_count(texts.len(), *maximum)?;
                if !texts.iter().all(|text| is_plain(text)) {
                    return Err(ValueProblem::ControlCharacter);
                }
                let fits = texts.iter().all(|text| text.len() <= *length && !text.contains(',') && !text.is_empty());
                if fits { Ok(()) } else { Err(ValueProblem::TooLong { maximum: *length }) }
            }
            (Self::Words { words, maximum }, Value::Numbers(numbers)) => {
                check_count(numbers.len(), *maximum)?;
                let known = |number: &i64| words.iter().any(|word| word.code == *number);
                if !numbers.is_empty() && numbers.iter().all(known) {
                    Ok(())
                } else {
                    Err(ValueProblem::NotAWord { words })
                }
            }
            (Self::Integer { minimum, maximum, words, .. }, _) => {
                Err(ValueProblem::NotANumber { minimum: *minimum, maximum: *maximum, words })
            }
            (Self::Words { words, .. }, _) => Err(ValueProblem::NotAWord { words }),
            (Self::Name | Self::Text { .. } | Self::Secret { .. } | Self::Names { .. } | Self::Texts { .. }, _) => {
                Err(ValueProblem::TooLong { maximum: 0 })
            }
            (Self::Hexadecimal { bytes }, _) => Err(ValueProblem::NotHexadecimal { digits: 2 * bytes }),
            (Self::Date | Self::Time | Self::List, _) => Err(ValueProblem::ReadOnly),
        }
    }

    /// The words of a choice, of a flag, or beside a number.
    pub fn words(&self) -> &'static [Word] {
        match self {
            Self::Integer { words, .. } | Self::Choice(words) | Self::Words { words, .. } => words,
            Self::Flag(words) => *words,
            Self::Name
            | Self::Text { .. }
            | Self::Secret { .. }
            | Self::Hexadecimal { .. }
            | Self::Date
            | Self::Time
            | Self::List
            | Self::Names { .. }
            | Self::Texts { .. } => &[],
        }
    }

    /// The value without keyword or quotes: `NOLIMIT`, `5000`, `some text`, `A,B`.
    pub fn word_or_text(&self, value: &Value) -> String {
        match value {
            Value::Text(text) => text.clone(),
            Value::Integer(number) => self.word_or_number(*number),
            Value::List(texts) => texts.join(","),
            Value::Numbers(numbers) => {
                numbers.iter().map(|number| self.word_or_number(*number)).collect::<Vec<_>>().join(",")
            }
        }
    }

    fn word_or_number(&self, number: i64) -> String {
        match self.words().iter().find(|word| word.code == number) {
            Some(word) => word.mqsc.to_owned(),
            None => number.to_string(),
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
            (_, Value::List(texts)) if texts.is_empty() => format!("{keyword}('')"),
            (_, Value::List(texts)) => {
                let texts: Vec<_> = texts.iter().map(|text| quoted(text)).collect();
                format!("{keyword}({})", texts.join(","))
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
            Self::Names { maximum } => format!("at most {maximum} object names"),
            Self::Texts { maximum, length } => format!("at most {maximum} texts of at most {length} bytes"),
            Self::Words { words, maximum } => format!("at most {maximum} of {}", list(words)),
            Self::Secret { maximum } => format!("secret, at most {maximum} bytes"),
        }
    }

    /// What REST v1 calls a word; `None` for values that are plain numbers, texts or lists.
    pub fn json_word(&self, value: &Value) -> Option<JsonWord> {
        self.json_word_of(value.number()?)
    }

    /// What REST v1 calls the word with this published number.
    pub fn json_word_of(&self, number: i64) -> Option<JsonWord> {
        self.words().iter().find(|word| word.code == number).map(|word| word.json)
    }
}

/// Has the text no control characters? A line break inside quotes ends an MQSC command all the same, so that what
/// follows it would run as a command of its own when a script is made of the text.
pub fn is_plain(text: &str) -> bool {
    !text.chars().any(char::is_control)
}

/// In single quotes, quotes inside doubled: an MQSC string, if the text is plain.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn find_word(words: &'static [Word], text: &str) -> Option<&'static Word> {
    words.iter().find(|word| word.mqsc == text || word.synonyms.contains(&text))
}

/// The parts of a list written with commas; blank ones say nothing.
fn items(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|item| !item.is_empty())
}

fn check_count(count: usize, maximum: usize) -> Result<(), ValueProblem> {
    if count <= maximum { Ok(()) } else { Err(ValueProblem::TooMany { maximum }) }
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
