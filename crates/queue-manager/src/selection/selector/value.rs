//! What an operand of a selector stands for, and how two of them compare.

use std::borrow::Cow;
use std::cmp::Ordering;

use model::property::PropertyValue;

use crate::selection::selector::lexer::hex;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value<'a> {
    /// The property is not there, or has no value.
    Null,
    Boolean(bool),
    Integer(i64),
    Float(f64),
    String(Cow<'a, str>),
    Bytes(Cow<'a, [u8]>),
    /// JMSMessageID and the like: as text `ID:` and hexadecimal digits.
    Identifier(&'a [u8]),
    /// JMSDeliveryMode: `PERSISTENT` or `NON_PERSISTENT`, and the numbers 2 and 1.
    DeliveryMode {
        persistent: bool,
    },
}

impl<'a> Value<'a> {
    pub(super) fn of_property(value: &'a PropertyValue) -> Self {
        match value {
            PropertyValue::Null => Value::Null,
            PropertyValue::Boolean(value) => Value::Boolean(*value),
            PropertyValue::Byte(value) => Value::Integer((*value).into()),
            PropertyValue::Short(value) => Value::Integer((*value).into()),
            PropertyValue::Integer(value) => Value::Integer((*value).into()),
            PropertyValue::Long(value) => Value::Integer(*value),
            PropertyValue::Float(value) => Value::Float((*value).into()),
            PropertyValue::Double(value) => Value::Float(*value),
            PropertyValue::String(value) => Value::String(Cow::Borrowed(value)),
            PropertyValue::Bytes(value) => Value::Bytes(Cow::Borrowed(value)),
        }
    }

    /// As text, where it is one.
    pub(super) fn text(&self) -> Option<Cow<'_, str>> {
        match self {
            Value::String(text) => Some(Cow::Borrowed(text)),
            Value::Identifier(bytes) => {
                Some(bytes.iter().fold("ID:".to_owned(), |text, byte| text + &format!("{byte:02x}")).into())
            }
            Value::DeliveryMode { persistent } => Some(delivery_mode(*persistent).into()),
            Value::Null | Value::Boolean(_) | Value::Integer(_) | Value::Float(_) | Value::Bytes(_) => None,
        }
    }

    pub(super) fn number(&self) -> Option<Number> {
        match self {
            Value::Integer(value) => Some(Number::Integer(*value)),
            Value::Float(value) => Some(Number::Float(*value)),
            Value::DeliveryMode { persistent } => Some(Number::Integer(if *persistent { 2 } else { 1 })),
            Value::Null | Value::Boolean(_) | Value::String(_) | Value::Bytes(_) | Value::Identifier(_) => None,
        }
    }

    /// `=` of two values that are there; values of kinds that do not compare are neither equal nor unequal: `None`.
    pub(super) fn equals(&self, other: &Value<'_>) -> Option<bool> {
        if let (Some(one), Some(other)) = (self.number(), other.number()) {
            return Some(one.compare(other) == Some(Ordering::Equal));
        }
        match (self, other) {
            (Value::Boolean(one), Value::Boolean(other)) => Some(one == other),
            (Value::String(one), Value::String(other)) => Some(one == other),
            (Value::Bytes(one), Value::Bytes(other)) => Some(one == other),
            (Value::Identifier(one), Value::Identifier(other)) => Some(one == other),
            (Value::Identifier(one), Value::Bytes(other)) | (Value::Bytes(other), Value::Identifier(one)) => {
                Some(**one == **other)
            }
            (Value::Identifier(id), Value::String(text)) | (Value::String(text), Value::Identifier(id)) => {
                Some(identifier(text).is_some_and(|named| named == **id))
            }
            (Value::DeliveryMode { persistent }, Value::String(text))
            | (Value::String(text), Value::DeliveryMode { persistent }) => Some(delivery_mode(*persistent) == text),
            _ => None,
        }
    }
}

fn delivery_mode(persistent: bool) -> &'static str {
    if persistent { "PERSISTENT" } else { "NON_PERSISTENT" }
}

/// The bytes that `ID:` and hexadecimal digits stand for.
pub(super) fn identifier(text: &str) -> Option<Vec<u8>> {
    hex(text.strip_prefix("ID:")?)
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Number {
    Integer(i64),
    Float(f64),
}

impl Number {
    /// By value, also of an integer with a float. `None` with what is not a number.
    pub(super) fn compare(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Number::Integer(one), Number::Integer(other)) => Some(one.cmp(&other)),
            (Number::Float(one), Number::Float(other)) => one.partial_cmp(&other),
            (Number::Integer(one), Number::Float(other)) => compare_mixed(one, other),
            (Number::Float(one), Number::Integer(other)) => compare_mixed(other, one).map(Ordering::reverse),
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "arithmetic of an integer with a float is that of floats")]
    pub(super) fn float(self) -> f64 {
        match self {
            Number::Integer(value) => value as f64,
            Number::Float(value) => value,
        }
    }

    /// Arithmetic of integers is exact, and of floats where it leaves their range.
    pub(super) fn with(self, other: Self, integers: fn(i64, i64) -> Option<i64>, floats: fn(f64, f64) -> f64) -> Self {
        let exact = match (self, other) {
            (Number::Integer(one), Number::Integer(other)) => integers(one, other),
            _ => None,
        };
        exact.map_or_else(|| Number::Float(floats(self.float(), other.float())), Number::Integer)
    }

    /// Integers divide as in Java: what is behind the point is cut.
    pub(super) fn divided_by(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Number::Integer(_), Number::Integer(0)) => None,
            _ => Some(self.with(other, i64::checked_div, |one, other| one / other)),
        }
    }

    pub(super) fn negated(self) -> Self {
        let exact = match self {
            Number::Integer(value) => value.checked_neg(),
            Number::Float(_) => None,
        };
        exact.map_or_else(|| Number::Float(-self.float()), Number::Integer)
    }
}

impl From<Number> for Value<'_> {
    fn from(number: Number) -> Self {
        match number {
            Number::Integer(value) => Value::Integer(value),
            Number::Float(value) => Value::Float(value),
        }
    }
}

/// Without losing the digits of a long integer that a float has no room for.
#[expect(clippy::cast_possible_truncation, reason = "the float is within the range of integers there")]
fn compare_mixed(integer: i64, float: f64) -> Option<Ordering> {
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    if float.is_nan() {
        return None;
    }
    if float >= BEYOND {
        return Some(Ordering::Less);
    }
    if float < -BEYOND {
        return Some(Ordering::Greater);
    }
    let whole = float.trunc();
    let by_whole = integer.cmp(&(whole as i64));
    Some(by_whole.then_with(|| 0.0_f64.partial_cmp(&(float - whole)).unwrap_or(Ordering::Equal)))
}
