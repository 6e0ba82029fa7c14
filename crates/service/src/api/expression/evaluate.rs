//! What a tree means for a scope.

use std::cmp::Ordering;

use super::decimal::Decimal;
use super::value::{Number, NumberForm, Value};
use super::{EvaluationError, Node, Operator, Scope};

type Outcome = Result<Value, EvaluationError>;

pub(super) fn evaluate(node: &Node, scope: &Scope<'_>) -> Outcome {
    match node {
        Node::Literal(value) => Ok(value.clone()),
        Node::Array(nodes) => {
            let values = nodes.iter().map(|node| evaluate(node, scope)).collect::<Result<Vec<_>, _>>()?;
            Ok(Value::Array(values.into_iter().filter(|value| !matches!(value, Value::Missing)).collect()))
        }
        Node::Object(members) => {
            let member = |(name, value): &(Node, Node)| Ok((evaluate(name, scope)?.to_text(), evaluate(value, scope)?));
            Ok(Value::Object(members.iter().map(member).collect::<Result<_, EvaluationError>>()?))
        }
        Node::Context => Ok(scope.context.clone()),
        Node::Variable(name) => {
            let found = scope.variables.iter().rfind(|(known, _)| known == name);
            let unknown = || EvaluationError(format!("there is no variable ${name}"));
            found.map(|(_, value)| (*value).clone()).ok_or_else(unknown)
        }
        Node::Name(name) => Ok(scope.context.member(name)),
        Node::Member(of, name) => Ok(evaluate(of, scope)?.member(name)),
        Node::Filter(of, filter) => filtered(&evaluate(of, scope)?, filter, scope),
        Node::Negative(of) => match evaluate(of, scope)? {
            Value::Missing => Ok(Value::Missing),
            value => number(&value)?.negative().map(Value::of_decimal).ok_or_else(too_large),
        },
        Node::Binary(operator, left, right) => binary(*operator, left, right, scope),
        Node::Condition(condition, one, other) => match (evaluate(condition, scope)?.is_true(), other) {
            (true, _) => evaluate(one, scope),
            (false, Some(other)) => evaluate(other, scope),
            (false, None) => Ok(Value::Missing),
        },
        Node::Call(function, arguments) => {
            let values = arguments.iter().map(|node| evaluate(node, scope)).collect::<Result<Vec<_>, _>>()?;
            function.call(&values)
        }
    }
}

/// The element of a number, from the end if it is below zero, or the elements for which the filter is true.
fn filtered(value: &Value, filter: &Node, scope: &Scope<'_>) -> Outcome {
    let elements = value.elements();
    if let Node::Literal(Value::Number(_)) | Node::Negative(_) = filter {
        return Ok(element(elements, &evaluate(filter, scope)?));
    }
    let mut kept = Vec::new();
    for item in elements {
        let inner = Scope { context: item, variables: scope.variables.clone() };
        match evaluate(filter, &inner)? {
            // The same number for every element.
            number @ Value::Number(_) => return Ok(element(elements, &number)),
            condition if condition.is_true() => kept.push(item.clone()),
            _ => {}
        }
    }
    Ok(if kept.is_empty() { Value::Missing } else { Value::Array(kept) })
}

fn element(elements: &[Value], number: &Value) -> Value {
    let Value::Number(Number(NumberForm::Decimal(decimal))) = number else { return Value::Missing };
    let index = decimal.floor().to_integer().unwrap_or(i64::MAX);
    let length = i64::try_from(elements.len()).unwrap_or(i64::MAX);
    let index = if index < 0 { length.saturating_add(index) } else { index };
    usize::try_from(index).ok().and_then(|index| elements.get(index)).cloned().unwrap_or_default()
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
    match operator {
        Operator::Or | Operator::And => Ok(Value::Boolean(other.is_true())),
        Operator::Equal => Ok(Value::Boolean(one.is_equal(&other))),
        Operator::NotEqual => {
            let is_there = !matches!((&one, &other), (Value::Missing, _) | (_, Value::Missing));
            Ok(Value::Boolean(is_there && !one.is_equal(&other)))
        }
        Operator::In => Ok(Value::Boolean(other.elements().iter().any(|element| element.is_equal(&one)))),
        Operator::Less => ordered(&one, &other, Ordering::is_lt),
        Operator::LessOrEqual => ordered(&one, &other, Ordering::is_le),
        Operator::Greater => ordered(&one, &other, Ordering::is_gt),
        Operator::GreaterOrEqual => ordered(&one, &other, Ordering::is_ge),
        Operator::Join => Ok(Value::Text(one.to_text() + &other.to_text())),
        Operator::Plus => counted(&one, &other, Decimal::plus),
        Operator::Minus => counted(&one, &other, Decimal::minus),
        Operator::Times => counted(&one, &other, Decimal::times),
        Operator::Divided | Operator::Remainder => {
            if matches!(&other, Value::Number(Number(NumberForm::Decimal(zero))) if zero.is_zero()) {
                return Err(EvaluationError("a number is divided by zero".to_owned()));
            }
            counted(&one, &other, if operator == Operator::Divided { Decimal::divided } else { Decimal::remainder })
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
