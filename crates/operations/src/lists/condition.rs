//! `where`: conditions such as `depth>80%`, one or several of which one has to hold.
//!
//! A value that is not there fulfils no comparison but `!=`. `oldest=` asks for rows without a value, `oldest!=` for those with one.

use std::cmp::Ordering;

use message_api::time_text::{read_duration, read_moment};
use model::timestamp::Timestamp;

use super::column::{Column, Kind};
use super::value::Value;

/// Holds when one of its parts does.
pub(super) struct Condition(Vec<Comparison>);

struct Comparison {
    column: usize,
    operator: Operator,
    operand: Operand,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

enum Operand {
    /// No value.
    Nothing,
    /// Of numbers, moments and truths.
    Amount(u64),
    Text(String),
    /// `*` before or after a text stands for anything.
    Generic {
        text: String,
        at_begin: bool,
        at_end: bool,
    },
}

/// In this order: the longer ones first.
const OPERATORS: [(&str, Operator); 6] = [
    ("!=", Operator::NotEqual),
    (">=", Operator::GreaterOrEqual),
    ("<=", Operator::LessOrEqual),
    ("=", Operator::Equal),
    (">", Operator::Greater),
    ("<", Operator::Less),
];

impl Condition {
    /// # Errors
    /// What was expected instead.
    pub(super) fn parse(text: &str, columns: &[Column], now: Timestamp) -> Result<Self, String> {
        text.split('|').map(|part| Comparison::parse(part.trim(), columns, now)).collect::<Result<_, _>>().map(Self)
    }

    pub(super) fn holds<'a>(&self, value: impl Fn(usize) -> Value<'a>) -> bool {
        self.0.iter().any(|comparison| comparison.holds(value(comparison.column)))
    }

    pub(super) fn columns(&self) -> impl Iterator<Item = usize> {
        self.0.iter().map(|comparison| comparison.column)
    }
}

impl Comparison {
    fn parse(text: &str, columns: &[Column], now: Timestamp) -> Result<Self, String> {
        let shape = || "a column, one of = != < <= > >= and a value, such as depth>0".to_owned();
        let end = text.find(['=', '!', '<', '>']).ok_or_else(shape)?;
        let (name, rest) = text.split_at(end);
        let (sign, operator) = OPERATORS.into_iter().find(|(sign, _)| rest.starts_with(sign)).ok_or_else(shape)?;
        let value = rest[sign.len()..].trim();
        let mut column = find(name.trim(), columns)?;
        let mut value = value;
        if let Some(share) = columns[column].percent_of
            && let Some(percent) = value.strip_suffix('%')
        {
            (column, value) = (find(share, columns)?, percent.trim_end());
        }
        let (operator, operand) = read(&columns[column], operator, value, now)?;
        Ok(Self { column, operator, operand })
    }

    fn holds(&self, value: Value<'_>) -> bool {
        let order = match (&self.operand, value) {
            (Operand::Nothing, value) => {
                let is_nothing = matches!(value, Value::Null | Value::Text(""));
                return is_nothing == (self.operator == Operator::Equal);
            }
            (_, Value::Null) => return self.operator == Operator::NotEqual,
            (Operand::Generic { text, at_begin, at_end }, Value::Text(value)) => {
                return matches_generic(value, text, *at_begin, *at_end) == (self.operator == Operator::Equal);
            }
            (Operand::Text(text), Value::Text(value)) => value.cmp(text.as_str()),
            (Operand::Amount(amount), value) => value.amount().cmp(amount),
            (Operand::Text(_) | Operand::Generic { .. }, _) => return false,
        };
        self.operator.holds(order)
    }
}

impl Operator {
    fn holds(self, order: Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::NotEqual => order.is_ne(),
            Self::Less => order.is_lt(),
            Self::LessOrEqual => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::GreaterOrEqual => order.is_ge(),
        }
    }

    const fn is_equality(self) -> bool {
        matches!(self, Self::Equal | Self::NotEqual)
    }

    /// Of ages, where it was of moments.
    const fn turned(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
            same => same,
        }
    }
}

/// The place of a column.
pub(super) fn find(name: &str, columns: &[Column]) -> Result<usize, String> {
    columns.iter().position(|column| column.name == name).ok_or_else(|| {
        let names: Vec<_> = columns.iter().map(|column| column.name).collect();
        format!("one of the columns {}", names.join(", "))
    })
}

fn read(column: &Column, operator: Operator, value: &str, now: Timestamp) -> Result<(Operator, Operand), String> {
    let ordered = |operand| Ok((operator, operand));
    if value.is_empty() {
        return if operator.is_equality() { ordered(Operand::Nothing) } else { Err(expected(column)) };
    }
    match column.kind {
        Kind::Text => text(operator, value).map(|operand| (operator, operand)).ok_or_else(|| expected(column)),
        Kind::Word(words) if words.contains(&value) && operator.is_equality() => {
            ordered(Operand::Text(value.to_owned()))
        }
        Kind::Truth if operator.is_equality() => match value {
            "true" => ordered(Operand::Amount(1)),
            "false" => ordered(Operand::Amount(0)),
            _ => Err(expected(column)),
        },
        Kind::Word(_) | Kind::Truth => Err(expected(column)),
        Kind::Number => value.parse().map_err(|_| expected(column)).and_then(|number| ordered(Operand::Amount(number))),
        Kind::Tenths => {
            tenths(value).ok_or_else(|| expected(column)).and_then(|tenths| ordered(Operand::Amount(tenths)))
        }
        Kind::Moment => moment(operator, value, now).ok_or_else(|| expected(column)),
    }
}

fn text(operator: Operator, value: &str) -> Option<Operand> {
    let (after, at_begin) = value.strip_prefix('*').map_or((value, false), |rest| (rest, true));
    let (text, at_end) = after.strip_suffix('*').map_or((after, false), |rest| (rest, true));
    if !at_begin && !at_end {
        return Some(Operand::Text(value.to_owned()));
    }
    operator.is_equality().then(|| Operand::Generic { text: text.to_owned(), at_begin, at_end })
}

fn matches_generic(value: &str, text: &str, at_begin: bool, at_end: bool) -> bool {
    match (at_begin, at_end) {
        (true, true) => value.contains(text),
        (true, false) => value.ends_with(text),
        (false, true) => value.starts_with(text),
        (false, false) => value == text,
    }
}

/// A number with at most one decimal.
fn tenths(text: &str) -> Option<u64> {
    let (whole, decimal) = text.split_once('.').unwrap_or((text, "0"));
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits(whole) || !is_digits(decimal) || decimal.len() > 1 {
        return None;
    }
    whole.parse::<u64>().ok()?.checked_mul(10)?.checked_add(decimal.parse().ok()?)
}

/// Seconds since 1970, a moment, or how long ago it is: `oldest>10m` is older than ten minutes.
fn moment(operator: Operator, value: &str, now: Timestamp) -> Option<(Operator, Operand)> {
    if let Ok(seconds) = value.parse() {
        return Some((operator, Operand::Amount(seconds)));
    }
    if let Some(at) = read_moment(value) {
        return Some((operator, Operand::Amount(at.as_millis() / 1000)));
    }
    let age = read_duration(value)?.as_secs();
    Some((operator.turned(), Operand::Amount((now.as_millis() / 1000).saturating_sub(age))))
}

fn expected(column: &Column) -> String {
    let name = column.name;
    match column.kind {
        Kind::Text => format!("{name} compared with a text; with = and != it may begin or end with *"),
        Kind::Word(words) => format!("{name}= or {name}!= and one of {}", words.join(", ")),
        Kind::Truth => format!("{name}= or {name}!= and true or false"),
        Kind::Number => format!("{name} compared with a whole number"),
        Kind::Tenths => format!("{name} compared with a number of at most one decimal"),
        Kind::Moment => format!("{name} compared with seconds since 1970, a moment or an age such as 10m"),
    }
}
