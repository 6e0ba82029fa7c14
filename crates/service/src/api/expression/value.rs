//! Values of expressions: those of JSON, with decimal numbers, and none.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt::Write;

use super::EvaluationError;
use super::decimal::Decimal;
use crate::api::tree::{Level, Tree, quoted};

/// Deepest nesting that is read.
const DEEPEST: usize = 100;

#[derive(Debug, Clone, Default)]
pub enum Value {
    /// There is none.
    #[default]
    Missing,
    Null,
    Boolean(bool),
    /// Exact, or as it was written where it has too many digits to be counted with.
    Number(Number),
    Text(String),
    Array(Vec<Value>),
    Object(Vec<(String, Value)>),
}

#[derive(Debug, Clone)]
pub struct Number(pub(super) NumberForm);

#[derive(Debug, Clone)]
pub(super) enum NumberForm {
    Decimal(Decimal),
    Written(String),
}

impl Value {
    /// The value of a JSON text.
    ///
    /// # Errors
    /// It is no JSON, or nested too deep.
    pub fn parse(text: &str) -> Result<Self, EvaluationError> {
        let tree = Tree::parse(text.as_bytes()).map_err(|error| EvaluationError(error.to_string()))?;
        Self::of_tree(&tree, 0)
    }

    fn of_tree(tree: &Tree<'_>, depth: usize) -> Result<Self, EvaluationError> {
        let Tree::Text(text) = tree else { return Ok(Self::Missing) };
        if depth > DEEPEST {
            return Err(EvaluationError(format!("the JSON is nested deeper than {DEEPEST} levels")));
        }
        Ok(match Level::of(text) {
            Some(Level::Object(members)) => {
                let member = |(name, tree): (String, Tree<'_>)| Ok((name, Self::of_tree(&tree, depth + 1)?));
                Self::Object(members.into_iter().map(member).collect::<Result<_, EvaluationError>>()?)
            }
            Some(Level::Array(items)) => {
                Self::Array(items.iter().map(|tree| Self::of_tree(tree, depth + 1)).collect::<Result<_, _>>()?)
            }
            None => Self::of_scalar(text),
        })
    }

    fn of_scalar(text: &str) -> Self {
        match text {
            "null" => Self::Null,
            "true" => Self::Boolean(true),
            "false" => Self::Boolean(false),
            _ if text.starts_with('"') => serde_json::from_str(text).map_or(Self::Missing, Self::Text),
            _ => Self::number(text),
        }
    }

    /// The number of a JSON text.
    fn number(text: &str) -> Self {
        Self::Number(Number(match Decimal::parse(text) {
            Some(decimal) => NumberForm::Decimal(decimal),
            None => NumberForm::Written(text.to_owned()),
        }))
    }

    pub(super) fn of_decimal(decimal: Decimal) -> Self {
        Self::Number(Number(NumberForm::Decimal(decimal)))
    }

    pub fn of_count(count: usize) -> Self {
        Self::of_decimal(Decimal::of_integer(count as i128))
    }

    pub(super) fn is_true(&self) -> bool {
        match self {
            Self::Missing | Self::Null => false,
            Self::Boolean(value) => *value,
            Self::Number(Number(NumberForm::Decimal(decimal))) => !decimal.is_zero(),
            Self::Number(_) => true,
            Self::Text(text) => !text.is_empty(),
            Self::Array(items) => items.iter().any(Self::is_true),
            Self::Object(members) => !members.is_empty(),
        }
    }

    /// How messages call it.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Missing => "nothing",
            Self::Null => "null",
            Self::Boolean(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::Text(_) => "a text",
            Self::Array(_) => "an array",
            Self::Object(_) => "an object",
        }
    }

    /// The member of an object, or those of all elements of an array.
    pub(super) fn member(&self, name: &str) -> Cow<'_, Self> {
        match self {
            Self::Object(members) => {
                let found = members.iter().rfind(|(known, _)| known == name);
                found.map_or(Cow::Owned(Self::Missing), |(_, value)| Cow::Borrowed(value))
            }
            Self::Array(items) => Cow::Owned(Self::of_members(items.iter().map(|item| item.member(name).into_owned()))),
            _ => Cow::Owned(Self::Missing),
        }
    }

    /// As `member`, of a value that is not needed any more.
    pub(super) fn own_member(self, name: &str) -> Self {
        match self {
            Self::Object(members) => {
                let found = members.into_iter().rfind(|(known, _)| known == name);
                found.map_or(Self::Missing, |(_, value)| value)
            }
            Self::Array(items) => Self::of_members(items.into_iter().map(|item| item.own_member(name))),
            _ => Self::Missing,
        }
    }

    /// Members of the elements of an array, arrays among them element by element.
    fn of_members(members: impl Iterator<Item = Self>) -> Self {
        let mut found = Vec::new();
        for member in members {
            match member {
                Self::Missing => {}
                Self::Array(more) => found.extend(more),
                one => found.push(one),
            }
        }
        if found.is_empty() { Self::Missing } else { Self::Array(found) }
    }

    /// The elements; one value is an array of it.
    pub fn elements(&self) -> &[Self] {
        match self {
            Self::Missing => &[],
            Self::Array(items) => items,
            one => std::slice::from_ref(one),
        }
    }

    /// As text that `&` joins: a text as it is, nothing as nothing, all else as JSON.
    pub(super) fn to_text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Missing => String::new(),
            other => other.to_json(),
        }
    }

    pub fn to_json(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Missing | Self::Null => out.push_str("null"),
            Self::Boolean(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Number(Number(NumberForm::Decimal(decimal))) => {
                let _ = write!(out, "{decimal}");
            }
            Self::Number(Number(NumberForm::Written(text))) => out.push_str(text),
            Self::Text(text) => out.push_str(&quoted(text)),
            Self::Array(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
                    item.write(out);
                }
                out.push(']');
            }
            Self::Object(members) => {
                out.push('{');
                let present = members.iter().filter(|(_, value)| !matches!(value, Self::Missing));
                for (index, (name, value)) in present.enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
                    out.push_str(&quoted(name));
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }

    pub(super) fn is_equal(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Boolean(one), Self::Boolean(other)) => one == other,
            (Self::Number(_), Self::Number(_)) => self.compare(other) == Some(Ordering::Equal),
            (Self::Text(one), Self::Text(other)) => one == other,
            (Self::Array(one), Self::Array(other)) => {
                one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.is_equal(other))
            }
            (Self::Object(one), Self::Object(other)) => {
                one.len() == other.len()
                    && one
                        .iter()
                        .all(|(name, value)| other.iter().any(|(known, other)| known == name && value.is_equal(other)))
            }
            // Nothing is equal to nothing, in JSONata as well.
            _ => false,
        }
    }

    /// Of two numbers or two texts.
    pub(super) fn compare(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Number(Number(one)), Self::Number(Number(other))) => match (one, other) {
                (NumberForm::Decimal(one), NumberForm::Decimal(other)) => Some(one.compare(*other)),
                (NumberForm::Written(one), NumberForm::Written(other)) if one == other => Some(Ordering::Equal),
                _ => None,
            },
            (Self::Text(one), Self::Text(other)) => Some(one.cmp(other)),
            _ => None,
        }
    }
}
