//! One value of a row: how it is compared, and how it is written.

use std::cmp::Ordering;

/// All values of a column are of one kind, or `Null`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value<'a> {
    /// Not applicable, or not known.
    Null,
    Number(u64),
    /// Of a number with one decimal.
    Tenths(u64),
    /// Seconds since 1970.
    Moment(u64),
    Truth(bool),
    Text(&'a str),
}

impl<'a> Value<'a> {
    pub(super) fn number(value: impl Into<u64>) -> Self {
        Self::Number(value.into())
    }

    pub(super) fn count(objects: usize) -> Self {
        Self::Number(objects as u64)
    }

    pub(super) fn moment(at: Option<model::timestamp::Timestamp>) -> Self {
        at.map_or(Self::Null, |at| Self::Moment(at.as_millis() / 1000))
    }

    /// A text that says nothing when it is empty.
    pub(super) fn text(text: &'a str) -> Self {
        if text.is_empty() { Self::Null } else { Self::Text(text) }
    }

    /// In the order of a list. `Null` is last in both directions.
    pub(super) fn compare(self, other: Self, is_descending: bool) -> Ordering {
        let order = match (self, other) {
            (Self::Null, Self::Null) => return Ordering::Equal,
            (Self::Null, _) => return Ordering::Greater,
            (_, Self::Null) => return Ordering::Less,
            (Self::Text(one), Self::Text(other)) => one.cmp(other),
            (one, other) => one.amount().cmp(&other.amount()),
        };
        if is_descending { order.reverse() } else { order }
    }

    /// Whose order is that of `compare`, where they differ.
    pub(super) fn prefix(self, is_descending: bool) -> u64 {
        let prefix = match self {
            Self::Null => return u64::MAX,
            Self::Text(text) => first_bytes(text),
            other => other.amount(),
        };
        let prefix = prefix.min(u64::MAX - 1);
        if is_descending { u64::MAX - 1 - prefix } else { prefix }
    }

    /// What a number is worth; of what is no number, nothing.
    pub(super) fn amount(self) -> u64 {
        match self {
            Self::Number(amount) | Self::Tenths(amount) | Self::Moment(amount) => amount,
            Self::Truth(truth) => u64::from(truth),
            Self::Null | Self::Text(_) => 0,
        }
    }

    /// As JSON.
    pub(super) fn write(self, out: &mut Vec<u8>) {
        match self {
            Self::Null => out.extend_from_slice(b"null"),
            Self::Number(number) | Self::Moment(number) => write_number(number, out),
            Self::Tenths(tenths) => {
                write_number(tenths / 10, out);
                out.extend_from_slice(&[b'.', b'0' + u8::try_from(tenths % 10).expect("a digit")]);
            }
            Self::Truth(truth) => out.extend_from_slice(if truth { b"true" } else { b"false" }),
            Self::Text(text) => write_text(text, out),
        }
    }
}

/// In the order of texts, as far as they go.
fn first_bytes(text: &str) -> u64 {
    let mut first = [0; 8];
    let length = text.len().min(8);
    first[..length].copy_from_slice(&text.as_bytes()[..length]);
    u64::from_be_bytes(first)
}

pub(super) fn write_number(mut number: u64, out: &mut Vec<u8>) {
    let mut digits = [0; 20];
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + u8::try_from(number % 10).expect("a digit");
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[first..]);
}

pub(super) fn write_text(text: &str, out: &mut Vec<u8>) {
    if text.bytes().any(|byte| byte < b' ' || matches!(byte, b'"' | b'\\')) {
        serde_json::to_writer(out, text).expect("memory takes all");
    } else {
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
    }
}
