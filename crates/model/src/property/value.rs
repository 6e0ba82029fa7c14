//! A property's value and its text in a folder.
//!
//! | type | `dt` | text |
//! |---|---|---|
//! | boolean | `boolean` | `1` or `0` |
//! | byte, short, integer, long | `i1`, `i2`, `i4`, `i8` | decimal |
//! | float, double | `r4`, `r8` | as Java writes them |
//! | byte string | `bin.hex` | hexadecimal digits |
//! | string | none, or `string` | itself |
//! | null | none, but `xsi:nil='true'` | empty |

use std::fmt::{self, Write as _};

#[derive(Debug, Clone, PartialEq)]
pub enum PropertyValue {
    Null,
    Boolean(bool),
    Byte(i8),
    Short(i16),
    Integer(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    String(String),
    Bytes(Vec<u8>),
}

/// Text that is not a value of its stated type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{text}' is not a value of type {data_type}")]
pub struct ValueError {
    pub text: String,
    pub data_type: String,
}

impl PropertyValue {
    /// The `dt` attribute; `None` for strings, which need none, and for null.
    pub fn data_type(&self) -> Option<&'static str> {
        Some(match self {
            Self::Null | Self::String(_) => return None,
            Self::Boolean(_) => "boolean",
            Self::Byte(_) => "i1",
            Self::Short(_) => "i2",
            Self::Integer(_) => "i4",
            Self::Long(_) => "i8",
            Self::Float(_) => "r4",
            Self::Double(_) => "r8",
            Self::Bytes(_) => "bin.hex",
        })
    }

    /// Reads the text of a folder's element. An unknown `dt` is taken as a string, as MQ takes it.
    ///
    /// # Errors
    /// The text is not of the type.
    pub fn parse(data_type: Option<&str>, text: &str) -> Result<Self, ValueError> {
        let trimmed = text.trim();
        let value = match data_type.unwrap_or("string") {
            "boolean" => match trimmed {
                "1" | "true" | "TRUE" => Some(Self::Boolean(true)),
                "0" | "false" | "FALSE" => Some(Self::Boolean(false)),
                _ => None,
            },
            "i1" => trimmed.parse().ok().map(Self::Byte),
            "i2" => trimmed.parse().ok().map(Self::Short),
            "i4" | "int" => trimmed.parse().ok().map(Self::Integer),
            "i8" => trimmed.parse().ok().map(Self::Long),
            "r4" => trimmed.parse().ok().map(Self::Float),
            "r8" => trimmed.parse().ok().map(Self::Double),
            "bin.hex" => bytes(trimmed).map(Self::Bytes),
            _ => Some(Self::String(text.to_owned())),
        };
        value.ok_or_else(|| ValueError {
            text: text.chars().take(80).collect(),
            data_type: data_type.unwrap_or("string").to_owned(),
        })
    }
}

/// The text a folder has for it, not escaped.
impl fmt::Display for PropertyValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => Ok(()),
            Self::Boolean(value) => f.write_str(if *value { "1" } else { "0" }),
            Self::Byte(value) => value.fmt(f),
            Self::Short(value) => value.fmt(f),
            Self::Integer(value) => value.fmt(f),
            Self::Long(value) => value.fmt(f),
            Self::Float(value) if value.is_infinite() => f.write_str(infinity(*value > 0.0)),
            Self::Double(value) if value.is_infinite() => f.write_str(infinity(*value > 0.0)),
            Self::Float(value) => write!(f, "{value:?}"),
            Self::Double(value) => write!(f, "{value:?}"),
            Self::String(value) => f.write_str(value),
            Self::Bytes(value) => value.iter().try_for_each(|byte| write!(f, "{byte:02X}")),
        }
    }
}

fn infinity(positive: bool) -> &'static str {
    if positive { "Infinity" } else { "-Infinity" }
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = hex.chars().map(|c| c.to_digit(16).and_then(|d| u8::try_from(d).ok())).collect();
    let digits = digits.filter(|digits| digits.len() % 2 == 0)?;
    Some(digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

/// Appends `text` with the five characters escaped that would end an element or an attribute.
pub(super) fn escape(text: &str, out: &mut String) {
    for character in text.chars() {
        match character {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\'' => out.push_str("&apos;"),
            '"' => out.push_str("&quot;"),
            // A folder is padded with blanks and NULs, and CR would be read as a line end.
            '\0' | '\r' => {
                let _ = write!(out, "&#{};", u32::from(character));
            }
            other => out.push(other),
        }
    }
}
