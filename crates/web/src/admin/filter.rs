//! `filter=storage.maximumDepth:greaterThan:10000`: one condition, decided before anything is written.
//!
//! An object that lacks the member is left out. For texts, `equalTo` and `notEqualTo` take a trailing `*`.
//! Source: MQ administration REST reference, GET queue and GET channel, `filter`.

use std::cmp::Ordering;

use command::rest::Json;
use model::definition::attribute::{JsonWord, ValueType};

use crate::error::ApiError;

use super::json;
use super::source::{Entry, Source, Subject};

const PARAMETER: &str = "filter";

/// What was asked for, before it is known which objects have the member.
#[derive(Debug, Clone)]
pub(super) struct Filter {
    path: String,
    operator: Operator,
    operand: Operand,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    LessThan,
    GreaterThan,
    EqualTo,
    NotEqualTo,
    LessThanOrEqualTo,
    GreaterThanOrEqualTo,
}

/// The value to compare with, in every form it may be meant in.
#[derive(Debug, Clone)]
struct Operand {
    text: String,
    number: Option<i64>,
    truth: Option<bool>,
}

/// A filter for objects of one kind.
pub(super) struct Condition {
    source: Source,
    filter: Filter,
}

impl Operator {
    const ALL: [(Self, &'static str); 6] = [
        (Self::LessThan, "lessThan"),
        (Self::GreaterThan, "greaterThan"),
        (Self::EqualTo, "equalTo"),
        (Self::NotEqualTo, "notEqualTo"),
        (Self::LessThanOrEqualTo, "lessThanOrEqualTo"),
        (Self::GreaterThanOrEqualTo, "greaterThanOrEqualTo"),
    ];

    fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == word).map(|(operator, _)| *operator)
    }

    fn holds(self, order: Ordering) -> bool {
        match self {
            Self::LessThan => order.is_lt(),
            Self::GreaterThan => order.is_gt(),
            Self::EqualTo => order.is_eq(),
            Self::NotEqualTo => order.is_ne(),
            Self::LessThanOrEqualTo => order.is_le(),
            Self::GreaterThanOrEqualTo => order.is_ge(),
        }
    }

    const fn is_equality(self) -> bool {
        matches!(self, Self::EqualTo | Self::NotEqualTo)
    }
}

impl Filter {
    /// # Errors
    /// 400: not three parts, an unknown operator (MQWB0904E), no such member (MQWB0120E), a value the member cannot have.
    pub(super) fn parse<'e>(text: &str, known: impl Iterator<Item = &'e Entry>) -> Result<Self, ApiError> {
        let malformed = || ApiError::parameter(PARAMETER, text);
        let (path, rest) = text.split_once(':').ok_or_else(malformed)?;
        let (operator, value) = rest.split_once(':').ok_or_else(malformed)?;
        let operator = Operator::parse(operator).ok_or_else(malformed)?;
        let operand = Operand {
            text: value.to_owned(),
            number: value.parse().ok(),
            truth: match value {
                "true" => Some(true),
                "false" => Some(false),
                _ => None,
            },
        };
        let mut candidates = known.filter(|entry| entry.path == path).peekable();
        if candidates.peek().is_none() {
            return Err(ApiError::attribute_unknown(path));
        }
        if !candidates.any(|entry| fits(&entry.source, operator, &operand)) {
            return Err(malformed());
        }
        Ok(Self { path: path.to_owned(), operator, operand })
    }

    /// `None` when the objects of these entries lack the member.
    pub(super) fn for_kind(&self, entries: &[Entry]) -> Option<Condition> {
        let entry = entries.iter().find(|entry| entry.path == self.path)?;
        Some(Condition { source: entry.source, filter: self.clone() })
    }
}

/// May a member of this kind be compared so at all?
fn fits(source: &Source, operator: Operator, operand: &Operand) -> bool {
    match source {
        Source::Plain(row) => !matches!(row.value, ValueType::Integer { .. }) || operand.number.is_some(),
        Source::Member(..) => operand.truth.is_some() && operator.is_equality(),
        Source::Worded(row) => {
            let is_word = row.value.words().iter().any(|word| match word.json {
                JsonWord::Text(text) => text == operand.text,
                JsonWord::Bool(truth) => Some(truth) == operand.truth,
                JsonWord::Member(_) | JsonWord::None => false,
            });
            let is_number = matches!(row.value, ValueType::Integer { .. }) && operand.number.is_some();
            is_number || is_word && operator.is_equality()
        }
        Source::Moment(_) | Source::DateAndTime(..) | Source::Live(_) => true,
        Source::Constant(text) => *text == operand.text && operator.is_equality(),
        Source::List(_) => operator.is_equality(),
        Source::Connection(_) => false,
    }
}

impl Condition {
    pub(super) fn holds(&self, subject: &Subject<'_>) -> bool {
        let Filter { operator, operand, .. } = &self.filter;
        let mut holds = false;
        self.source.see(subject, &mut |value| holds = operand.compare(value, *operator));
        holds
    }
}

impl Operand {
    fn compare(&self, value: Json<'_>, operator: Operator) -> bool {
        match value {
            Json::Integer(number) => self.number.is_some_and(|wanted| operator.holds(number.cmp(&wanted))),
            Json::Truth(truth) => self.truth.is_some_and(|wanted| operator.holds(truth.cmp(&wanted))),
            Json::Text(text) => self.compare_text(text, operator),
            Json::Moment(None) => self.compare_text("", operator),
            Json::Moment(Some(at)) => {
                self.compare_text(std::str::from_utf8(&json::moment(at)).unwrap_or_default(), operator)
            }
            Json::Connections(text) => self.compare_text(text, operator),
            Json::Texts(texts) => {
                let has = texts.iter().any(|text| self.compare_text(text, Operator::EqualTo));
                has == (operator == Operator::EqualTo)
            }
        }
    }

    fn compare_text(&self, text: &str, operator: Operator) -> bool {
        match self.text.strip_suffix('*') {
            Some(stem) if operator.is_equality() => text.starts_with(stem) == (operator == Operator::EqualTo),
            _ => operator.holds(text.cmp(&self.text)),
        }
    }
}
