//! Which objects a DISPLAY is about: generic names and WHERE.

use std::fmt;

use model::definition::attribute::{Shown, Value, ValueType};

/// A text that may end in `*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    stem: String,
    open: bool,
}

impl Pattern {
    pub fn parse(text: &str) -> Self {
        match text.strip_suffix('*') {
            Some(stem) => Self { stem: stem.to_owned(), open: true },
            None => Self { stem: text.to_owned(), open: false },
        }
    }

    pub fn matches(&self, text: &str) -> bool {
        if self.open { text.starts_with(&self.stem) } else { text == self.stem }
    }

    pub const fn is_generic(&self) -> bool {
        self.open
    }

    /// What stands before `*`, or all of it.
    pub fn stem(&self) -> &str {
        &self.stem
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.stem, if self.open { "*" } else { "" })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    Less,
    Greater,
    LessOrEqual,
    GreaterOrEqual,
    Like,
    NotLike,
    Contains,
    Excludes,
    ContainsGeneric,
    ExcludesGeneric,
}

impl Operator {
    fn find(word: &str) -> Option<Self> {
        Some(match word {
            "EQ" => Self::Equal,
            "NE" => Self::NotEqual,
            "LT" => Self::Less,
            "GT" => Self::Greater,
            "LE" => Self::LessOrEqual,
            "GE" => Self::GreaterOrEqual,
            "LK" => Self::Like,
            "NL" => Self::NotLike,
            "CT" => Self::Contains,
            "EX" => Self::Excludes,
            "CTG" => Self::ContainsGeneric,
            "EXG" => Self::ExcludesGeneric,
            _ => return None,
        })
    }

    const fn is_for_lists(self) -> bool {
        matches!(self, Self::Contains | Self::Excludes | Self::ContainsGeneric | Self::ExcludesGeneric)
    }

    const fn is_generic(self) -> bool {
        matches!(self, Self::Like | Self::NotLike | Self::ContainsGeneric | Self::ExcludesGeneric)
    }

    const fn orders(self) -> bool {
        matches!(self, Self::Less | Self::Greater | Self::LessOrEqual | Self::GreaterOrEqual)
    }
}

/// `WHERE(keyword operator value)`.
#[derive(Debug, Clone)]
pub struct Condition {
    /// As the table spells it.
    pub keyword: &'static str,
    operator: Operator,
    operand: Operand,
}

#[derive(Debug, Clone)]
enum Operand {
    Value(Value),
    Pattern(Pattern),
}

impl Condition {
    /// # Errors
    /// A sentence that says why operator or value do not fit the attribute.
    pub fn new(keyword: &'static str, kind: &ValueType, operator: &str, text: &str) -> Result<Self, String> {
        let found = Operator::find(operator).ok_or_else(|| format!("{operator} is not an operator"))?;
        let is_list = matches!(kind, ValueType::List) || kind.is_list();
        let is_word = matches!(kind, ValueType::Choice(_) | ValueType::Flag(_) | ValueType::Words { .. });
        let is_number = matches!(kind, ValueType::Integer { .. });
        if found.is_for_lists() != is_list
            || (is_word && found.orders())
            || ((is_word || is_number) && found.is_generic())
        {
            return Err(format!("{operator} does not apply to {keyword}"));
        }
        let operand = if found.is_generic() {
            Operand::Pattern(Pattern::parse(text))
        } else {
            Operand::Value(value(keyword, kind, text)?)
        };
        Ok(Self { keyword, operator: found, operand })
    }

    /// An object that lacks the attribute does not match.
    pub fn matches(&self, attributes: &[Shown]) -> bool {
        attributes.iter().find(|shown| shown.keyword == self.keyword).is_some_and(|shown| self.holds(&shown.value))
    }

    fn holds(&self, value: &Value) -> bool {
        if let (Value::Numbers(numbers), Operand::Value(Value::Integer(wanted))) = (value, &self.operand) {
            return numbers.contains(wanted) == (self.operator == Operator::Contains);
        }
        let items = || match value {
            Value::List(texts) => texts.iter().map(String::as_str).collect(),
            _ => value.text().unwrap_or_default().split(',').map(str::trim).collect::<Vec<_>>(),
        };
        match &self.operand {
            Operand::Value(wanted) => match self.operator {
                Operator::Equal => value == wanted,
                Operator::NotEqual => value != wanted,
                Operator::Less => value < wanted,
                Operator::Greater => value > wanted,
                Operator::LessOrEqual => value <= wanted,
                Operator::GreaterOrEqual => value >= wanted,
                Operator::Contains => items().into_iter().any(|item| Some(item) == wanted.text()),
                Operator::Excludes => items().into_iter().all(|item| Some(item) != wanted.text()),
                Operator::Like | Operator::NotLike | Operator::ContainsGeneric | Operator::ExcludesGeneric => false,
            },
            Operand::Pattern(pattern) => match self.operator {
                Operator::Like => pattern.matches(value.text().unwrap_or_default()),
                Operator::NotLike => !pattern.matches(value.text().unwrap_or_default()),
                Operator::ContainsGeneric => items().into_iter().any(|item| pattern.matches(item)),
                Operator::ExcludesGeneric => !items().into_iter().any(|item| pattern.matches(item)),
                _ => false,
            },
        }
    }
}

/// What a value in WHERE means; ranges do not matter here.
fn value(keyword: &str, kind: &ValueType, text: &str) -> Result<Value, String> {
    let word = || kind.words().iter().find(|word| word.mqsc == text).map(|word| Value::Integer(word.code));
    match kind {
        ValueType::Integer { .. } => word()
            .or_else(|| text.parse().ok().map(Value::Integer))
            .ok_or_else(|| format!("{text} is not a value of {keyword}")),
        ValueType::Choice(_) | ValueType::Words { .. } => {
            word().ok_or_else(|| format!("{text} is not a value of {keyword}"))
        }
        ValueType::Flag([yes, no]) => match text {
            "YES" => Ok(Value::Integer(yes.code)),
            "NO" => Ok(Value::Integer(no.code)),
            _ => word().ok_or_else(|| format!("{text} is not a value of {keyword}")),
        },
        ValueType::Name
        | ValueType::Text { .. }
        | ValueType::Hexadecimal { .. }
        | ValueType::Date
        | ValueType::Time
        | ValueType::List
        | ValueType::Names { .. }
        | ValueType::Texts { .. }
        | ValueType::Secret { .. } => Ok(Value::Text(text.trim_end_matches(' ').to_owned())),
    }
}
