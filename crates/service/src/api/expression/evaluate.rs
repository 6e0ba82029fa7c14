//! What a tree means for a scope.
//!
//! Invariant: a value that stands in the scope is borrowed. Evaluating a place again and again, as in a loop over an array, does
//! not copy the array each time.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::decimal::Decimal;
use super::functions::Function;
use super::pattern::Matching;
use super::value::{Number, NumberForm, Value};
use super::{Each, EvaluationError, Lambda, Node, Operator, Scope};

type Outcome = Result<Value, EvaluationError>;
type Found<'a> = Result<Cow<'a, Value>, EvaluationError>;

pub(super) fn evaluate<'a>(node: &'a Node, scope: &Scope<'a>) -> Found<'a> {
    match node {
        Node::Literal(value) => Ok(Cow::Borrowed(value)),
        Node::Context => Ok(Cow::Borrowed(scope.context)),
        Node::Variable(name) => {
            let found = scope.variables.iter().rfind(|(known, _)| known == name);
            Ok(found.map_or(Cow::Owned(Value::Missing), |(_, value)| Cow::Borrowed(*value)))
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
        Node::Array(nodes) => array(nodes, scope).map(Cow::Owned),
        Node::Object(members) => object(members, scope).map(Cow::Owned),
        Node::Negative(of) => negative(&*evaluate(of, scope)?).map(Cow::Owned),
        Node::Binary(operator, left, right) => binary(*operator, left, right, scope).map(Cow::Owned),
        Node::Call(function, arguments) => call(*function, arguments, scope).map(Cow::Owned),
        Node::Each(each, of, lambda) => called(*each, of, lambda, scope).map(Cow::Owned),
        Node::Matched(text, matching) => matched(text, matching, scope).map(Cow::Owned),
        Node::Block(names, value) => block(names, value, scope),
    }
}

// What only some nodes need stands in functions of its own: `evaluate` calls itself for each level of a tree, and a level costs what
// all its branches need of the stack.

fn array(nodes: &[Node], scope: &Scope<'_>) -> Outcome {
    let mut items = Vec::new();
    for (node, value) in nodes.iter().zip(all(nodes, scope)?) {
        match (node, value.into_owned()) {
            (_, Value::Missing) => {}
            // Only an array that is written as one stays one within another.
            (Node::Array(_), value) => items.push(value),
            (_, Value::Array(elements)) => items.extend(elements),
            (_, value) => items.push(value),
        }
    }
    Ok(Value::Array(items))
}

fn object(members: &[(Node, Node)], scope: &Scope<'_>) -> Outcome {
    let member =
        |(name, value): &(Node, Node)| Ok((evaluate(name, scope)?.to_text(), evaluate(value, scope)?.into_owned()));
    Ok(Value::Object(members.iter().map(member).collect::<Result<_, EvaluationError>>()?))
}

fn call(function: Function, arguments: &[Node], scope: &Scope<'_>) -> Outcome {
    let values = all(arguments, scope)?;
    let values: Vec<&Value> = values.iter().map(|value| &**value).collect();
    function.call(&values)
}

fn matched(text: &Node, matching: &Matching, scope: &Scope<'_>) -> Outcome {
    let replacement = matching.replacement().map(|node| evaluate(node, scope)).transpose()?;
    matching.call(&*evaluate(text, scope)?, replacement.as_deref())
}

/// Each name has its value in those behind it.
fn block<'a>(names: &'a [(String, Node)], value: &'a Node, scope: &Scope<'a>) -> Found<'a> {
    let Some(((name, node), rest)) = names.split_first() else { return evaluate(value, scope) };
    match evaluate(node, scope)? {
        Cow::Borrowed(bound) => block(rest, value, &scope.with([(name.as_str(), bound)])),
        Cow::Owned(bound) => {
            let found = block(rest, value, &scope.with([(name.as_str(), &bound)]))?;
            Ok(Cow::Owned(found.into_owned()))
        }
    }
}

/// A function of the expression for each element, with the element and its number, or for each member, with its value and its name.
fn called(each: Each, of: &Node, lambda: &Lambda, scope: &Scope<'_>) -> Outcome {
    let of = &*evaluate(of, scope)?;
    let call = |one: &Value, other: &Value| {
        let arguments = lambda.parameters.iter().map(String::as_str).zip([one, other]);
        evaluate(&lambda.value, &scope.with(arguments)).map(Cow::into_owned)
    };
    let mut made = Vec::new();
    if each == Each::Members {
        let Value::Object(members) = of else { return Ok(Value::Missing) };
        for (name, value) in members {
            made.push(call(value, &Value::Text(name.clone()))?);
        }
    } else {
        for (index, element) in of.elements().iter().enumerate() {
            let value = call(element, &Value::of_count(index))?;
            match each {
                Each::Filter if !value.is_true() => {}
                Each::Filter => made.push(element.clone()),
                Each::Map | Each::Members => made.push(value),
            }
        }
    }
    made.retain(|value| !matches!(value, Value::Missing));
    Ok(if made.is_empty() { Value::Missing } else { Value::Array(made) })
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
    let mut inner = scope.with([]);
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
