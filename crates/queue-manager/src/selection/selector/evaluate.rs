//! What a selector says of one message, in three-valued logic: `None` is unknown.
//!
//! Values of kinds that do not compare, such as a string with a number, are neither equal nor unequal, smaller or greater:
//! the comparison is false. What has no value makes its comparison unknown.

use crate::selection::selector::expression::{Comparison, Condition, Factor, Operand, Sign};
use crate::selection::selector::field::Field;
use crate::selection::selector::value::{Number, Value};

/// Where the values of fields come from.
pub(super) trait Fields {
    fn value(&self, field: &Field) -> Value<'_>;
}

impl Condition {
    pub(super) fn evaluate(&self, fields: &dyn Fields) -> Option<bool> {
        match self {
            Condition::Literal(value) => Some(*value),
            Condition::Field(field) => match fields.value(field) {
                Value::Boolean(value) => Some(value),
                _ => None,
            },
            Condition::Not(inner) => inner.evaluate(fields).map(|value| !value),
            Condition::And(parts) => all(parts, fields, false),
            Condition::Or(parts) => all(parts, fields, true),
            Condition::Compare(comparison, one, other) => {
                compare(*comparison, &one.evaluate(fields), &other.evaluate(fields))
            }
            Condition::Between(value, low, high) => {
                let value = value.evaluate(fields);
                let above = compare(Comparison::GreaterOrEqual, &value, &low.evaluate(fields));
                let below = compare(Comparison::LessOrEqual, &value, &high.evaluate(fields));
                and(above, below)
            }
            Condition::In(field, strings) => {
                let value = fields.value(field);
                let is_in = |text: &String| value.equals(&Value::String(text.into())) == Some(true);
                (value != Value::Null).then(|| strings.iter().any(is_in))
            }
            Condition::Like(field, pattern) => {
                let value = fields.value(field);
                (value != Value::Null).then(|| value.text().is_some_and(|text| pattern.matches(&text)))
            }
            Condition::IsNull(field) => Some(fields.value(field) == Value::Null),
        }
    }
}

/// AND and OR of many: `decisive` ends it, unknown stays unless that comes.
fn all(parts: &[Condition], fields: &dyn Fields, decisive: bool) -> Option<bool> {
    let mut outcome = Some(!decisive);
    for part in parts {
        match part.evaluate(fields) {
            Some(value) if value == decisive => return Some(decisive),
            Some(_) => {}
            None => outcome = None,
        }
    }
    outcome
}

fn and(one: Option<bool>, other: Option<bool>) -> Option<bool> {
    match (one, other) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

fn compare(comparison: Comparison, one: &Value<'_>, other: &Value<'_>) -> Option<bool> {
    if *one == Value::Null || *other == Value::Null {
        return None;
    }
    match comparison {
        Comparison::Equal => Some(one.equals(other) == Some(true)),
        Comparison::NotEqual => Some(one.equals(other) == Some(false)),
        _ => {
            let ordering = one.number().zip(other.number()).and_then(|(one, other)| one.compare(other));
            Some(ordering.is_some_and(|ordering| comparison.accepts(ordering)))
        }
    }
}

impl Operand {
    fn evaluate<'a>(&'a self, fields: &'a dyn Fields) -> Value<'a> {
        match self {
            Operand::Literal(value) => value.clone(),
            Operand::Field(field) => fields.value(field),
            Operand::Negated(_) | Operand::Sum(..) | Operand::Product(..) => {
                self.calculate(fields).map_or(Value::Null, Value::from)
            }
        }
    }

    /// `None` when a part has no number: then neither has the whole.
    fn calculate(&self, fields: &dyn Fields) -> Option<Number> {
        match self {
            Operand::Literal(value) => value.number(),
            Operand::Field(field) => fields.value(field).number(),
            Operand::Negated(inner) => inner.calculate(fields).map(Number::negated),
            Operand::Sum(first, rest) => rest.iter().try_fold(first.calculate(fields)?, |sum, (sign, operand)| {
                let operand = operand.calculate(fields)?;
                Some(match sign {
                    Sign::Plus => sum.with(operand, i64::checked_add, |one, other| one + other),
                    Sign::Minus => sum.with(operand, i64::checked_sub, |one, other| one - other),
                })
            }),
            Operand::Product(first, rest) => {
                rest.iter().try_fold(first.calculate(fields)?, |product, (factor, operand)| {
                    let operand = operand.calculate(fields)?;
                    match factor {
                        Factor::Times => Some(product.with(operand, i64::checked_mul, |one, other| one * other)),
                        Factor::DividedBy => product.divided_by(operand),
                    }
                })
            }
        }
    }
}
