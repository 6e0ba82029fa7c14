//! What a tree means for a scope.
//!
//! Invariant: a value that stands in the scope is borrowed. Evaluating a place again and again, as in a loop over an array, does
//! not copy the array each time.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::decimal::Decimal;
use super::value::{Number, NumberForm, Value};
use super::{EvaluationError, Node, Operator, Scope};

type Outcome = Result<Value, EvaluationError>;
type Found<'a> = Result<Cow<'a, Value>, EvaluationError>;

pub(super) fn evaluate<'a>(node: &'a Node, scope: &Scope<'a>) -> Found<'a> {
    match node {
        Node::Literal(value) => Ok(Cow::Borrowed(value)),
        Node::Context => Ok(Cow::Borrowed(scope.context)),
        Node::Variable(name) => {
            let found = scope.variables.iter().rfind(|(known, _)| known == name);
            let unknown = || EvaluationError(format!("there is no variable ${name}"));
            found.map(|(_, value)| Cow::Borrowed(*value)).ok_or_else(unknown)
        }
        Node::Name(name) => Ok(scope.context.member(name)),
        Node::Member(of, name) => Ok(match evaluate(of, scope)? {
            Cow::Borrowed(value) => value.member(name),
            Cow::Owned(value) => Cow::Owned(value.own_member(name)),
        }),
        Node::Filter(of, filter) => filtered(evaluate(of, scope)?, filter, scope),
        Node::Condition(condition, one, other) => match (evaluate(condition, scope)?.is_true(), other) {
            (true, _) => evaluate(one, scope),
            (false, Some(other)) => evaluate(other, scope),
            (false, None) => Ok(Cow::Owned(Value::Missing)),
        },
        Node::Array(nodes) => {
            let values = all(nodes, scope)?.into_iter().filter(|value| !matches!(**value, Value::Missing));
            Ok(Cow::Owned(Value::Array(values.map(Cow::into_owned).collect())))
        }
        Node::Object(members) => {
            let member = |(name, value): &'a (Node, Node)| {
                Ok((evaluate(name, scope)?.to_text(), evaluate(value, scope)?.into_owned()))
            };
            Ok(Cow::Owned(Value::Object(members.iter().map(member).collect::<Result<_, EvaluationError>>()?)))
        }
        Node::Negative(of) => negative(&*evaluate(of, scope)?).map(Cow::Owned),
        Node::Binary(operator, left, right) => binary(*operator, left, right, scope).map(Cow::Owned),
        Node::Call(function, arguments) => {
            let values = all(arguments, scope)?;
            let values: Vec<&Value> = values.iter().map(|value| &**value).collect();
            function.call(&values).map(Cow::Owned)
        }
    }
}

fn all<'a>(nodes: &'a [Node], scope: &Scope<'a>) -> Result<Vec<Cow<'a, Value>>, EvaluationError> {
    nodes.iter().map(|node| evaluate(node, scope)).collect()
}

fn negative(value: &Value) -> Outcome {
    match value {
        Value::Missing => Ok(Value::Missing),
        value => number(value)?.negative().map(Value::of_decimal).ok_or_else(too_large),
    }
}

/// The element of a number, from the end if it is below zero, or the elements for which the filter is true.
fn filtered<'a>(of: Cow<'a, Value>, filter: &Node, scope: &Scope<'_>) -> Found<'a> {
    let mut kept = Vec::new();
    let mut wanted = None;
    let mut inner = Scope { context: scope.context, variables: scope.variables.clone() };
    for item in of.elements() {
        inner.context = item;
        match &*evaluate(filter, &inner)? {
            // The same number for every element.
            Value::Number(number) => {
                wanted = Some(number.clone());
                break;
            }
            condition if condition.is_true() => kept.push(item.clone()),
            _ => {}
        }
    }
    Ok(match wanted {
        Some(number) => element(of, &number),
        None if kept.is_empty() => Cow::Owned(Value::Missing),
        None => Cow::Owned(Value::Array(kept)),
    })
}

fn element<'a>(of: Cow<'a, Value>, number: &Number) -> Cow<'a, Value> {
    let Number(NumberForm::Decimal(decimal)) = number else { return Cow::Owned(Value::Missing) };
    let index = decimal.floor().to_integer().unwrap_or(i64::MAX);
    let length = i64::try_from(of.elements().len()).unwrap_or(i64::MAX);
    let index = if index < 0 { length.saturating_add(index) } else { index };
    let index = usize::try_from(index).unwrap_or(usize::MAX);
    match of {
        Cow::Borrowed(value) => value.elements().get(index).map_or(Cow::Owned(Value::Missing), Cow::Borrowed),
        Cow::Owned(value) => Cow::Owned(value.elements().get(index).cloned().unwrap_or_default()),
    }
}

fn binary(operator: Operator, left: &Node, right: &Node, scope: &Scope<'_>) -> Outcome {
    let one = evaluate(left, scope)?;
    // The second value is not looked at where the first decides.
    match operator {
        Operator::Or if one.is_true() => return Ok(Value::Boolean(true)),
        Operator::And if !one.is_true() => return Ok(Value::Boolean(false)),
        _ => {}
    }
    let other = evaluate(right, scope)?;
    let (one, other) = (&*one, &*other);
    match operator {
        Operator::Or | Operator::And => Ok(Value::Boolean(other.is_true())),
        Operator::Equal => Ok(Value::Boolean(one.is_equal(other))),
        Operator::NotEqual => {
            let is_there = !matches!((one, other), (Value::Missing, _) | (_, Value::Missing));
            Ok(Value::Boolean(is_there && !one.is_equal(other)))
        }
        Operator::In => Ok(Value::Boolean(other.elements().iter().any(|element| element.is_equal(one)))),
        Operator::Less => ordered(one, other, Ordering::is_lt),
        Operator::LessOrEqual => ordered(one, other, Ordering::is_le),
        Operator::Greater => ordered(one, other, Ordering::is_gt),
        Operator::GreaterOrEqual => ordered(one, other, Ordering::is_ge),
        Operator::Join => Ok(Value::Text(one.to_text() + &other.to_text())),
        Operator::Plus => counted(one, other, Decimal::plus),
        Operator::Minus => counted(one, other, Decimal::minus),
        Operator::Times => counted(one, other, Decimal::times),
        Operator::Divided | Operator::Remainder => {
            if matches!(other, Value::Number(Number(NumberForm::Decimal(zero))) if zero.is_zero()) {
                return Err(EvaluationError("a number is divided by zero".to_owned()));
            }
            counted(one, other, if operator == Operator::Divided { Decimal::divided } else { Decimal::remainder })
        }
    }
}

fn ordered(one: &Value, other: &Value, is_so: fn(Ordering) -> bool) -> Outcome {
    if matches!((one, other), (Value::Missing, _) | (_, Value::Missing)) {
        return Ok(Value::Boolean(false));
    }
    let ordering = one.compare(other);
    let ordering = ordering.ok_or_else(|| {
        EvaluationError(format!(
            "{} and {} cannot be compared; expected two numbers or two texts",
            one.kind(),
            other.kind()
        ))
    })?;
    Ok(Value::Boolean(is_so(ordering)))
}

fn counted(one: &Value, other: &Value, count: fn(Decimal, Decimal) -> Option<Decimal>) -> Outcome {
    if matches!((one, other), (Value::Missing, _) | (_, Value::Missing)) {
        return Ok(Value::Missing);
    }
    count(number(one)?, number(other)?).map(Value::of_decimal).ok_or_else(too_large)
}

pub(super) fn number(value: &Value) -> Result<Decimal, EvaluationError> {
    match value {
        Value::Number(Number(NumberForm::Decimal(decimal))) => Ok(*decimal),
        Value::Number(_) => Err(too_large()),
        other => {
            Err(EvaluationError(format!("expected a number, found {}; $number makes one of a text", other.kind())))
        }
    }
}

pub(super) fn too_large() -> EvaluationError {
    EvaluationError("a number has more than 38 digits".to_owned())
}
