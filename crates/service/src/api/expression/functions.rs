//! The functions, by the names that JSONata has for them.

use std::cmp::Ordering;

use super::EvaluationError;
use super::decimal::Decimal;
use super::evaluate::{number, too_large};
use super::picture::formatted;
use super::value::Value;

/// Most characters that `$pad` makes.
const LONGEST_PAD: usize = 32_767;

type Outcome = Result<Value, EvaluationError>;
type Code = fn(&[&Value]) -> Outcome;

#[derive(Clone, Copy)]
pub(super) struct Function {
    name: &'static str,
    least: usize,
    most: usize,
    code: Code,
}

impl std::fmt::Debug for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

const fn function(name: &'static str, least: usize, most: usize, code: Code) -> Function {
    Function { name, least, most, code }
}

const FUNCTIONS: &[Function] = &[
    function("abs", 1, 1, |values| numeric(values, |one| if is_negative(one) { one.negative() } else { Some(one) })),
    function("append", 2, 2, |values| {
        Ok(Value::Array(values.iter().flat_map(|value| value.elements().iter().cloned()).collect()))
    }),
    function("average", 1, 1, average),
    function("boolean", 1, 1, |values| Ok(Value::Boolean(values[0].is_true()))),
    function("ceil", 1, 1, |values| numeric(values, |one| one.negative()?.floor().negative())),
    function("contains", 2, 2, |values| texts(values, |text, others| Value::Boolean(text.contains(&others[0])))),
    function("count", 1, 1, |values| Ok(Value::of_count(values[0].elements().len()))),
    function("distinct", 1, 1, distinct),
    function("exists", 1, 1, |values| Ok(Value::Boolean(!matches!(values[0], Value::Missing)))),
    function("floor", 1, 1, |values| numeric(values, |one| Some(one.floor()))),
    function("formatNumber", 2, 2, |values| match (values[0], values[1]) {
        (Value::Missing, _) => Ok(Value::Missing),
        (value, Value::Text(picture)) => formatted(number(value)?, picture).map(Value::Text),
        (_, other) => not_a_text(other),
    }),
    function("join", 1, 2, join),
    function("length", 1, 1, |values| texts(values, |text, _| Value::of_count(text.chars().count()))),
    function("lookup", 2, 2, |values| Ok(values[0].member(&values[1].to_text()).into_owned())),
    function("lowercase", 1, 1, |values| texts(values, |text, _| Value::Text(text.to_lowercase()))),
    function("max", 1, 1, |values| extreme(values, Ordering::Greater)),
    function("min", 1, 1, |values| extreme(values, Ordering::Less)),
    function("not", 1, 1, |values| Ok(Value::Boolean(!values[0].is_true()))),
    function("number", 1, 1, to_number),
    function("pad", 2, 3, pad),
    function("replace", 3, 3, |values| {
        texts(values, |text, others| match others[0].as_str() {
            "" => Value::Text(text.to_owned()),
            wanted => Value::Text(text.replace(wanted, &others[1])),
        })
    }),
    function("reverse", 1, 1, |values| Ok(Value::Array(values[0].elements().iter().rev().cloned().collect()))),
    function("round", 1, 2, round),
    function("split", 2, 2, |values| {
        texts(values, |text, others| match others[0].as_str() {
            "" => Value::Array(text.chars().map(|one| Value::Text(one.to_string())).collect()),
            between => Value::Array(text.split(between).map(|part| Value::Text(part.to_owned())).collect()),
        })
    }),
    function("string", 1, 1, |values| match values[0] {
        Value::Missing => Ok(Value::Missing),
        value => Ok(Value::Text(value.to_text())),
    }),
    function("substring", 2, 3, substring),
    function("substringAfter", 2, 2, |values| {
        texts(values, |text, others| {
            Value::Text(text.split_once(others[0].as_str()).map_or(text, |(_, after)| after).to_owned())
        })
    }),
    function("substringBefore", 2, 2, |values| {
        texts(values, |text, others| {
            Value::Text(text.split_once(others[0].as_str()).map_or(text, |(before, _)| before).to_owned())
        })
    }),
    function("sum", 1, 1, |values| sum(values[0].elements()).map(Value::of_decimal)),
    function("trim", 1, 1, |values| {
        texts(values, |text, _| Value::Text(text.split_whitespace().collect::<Vec<_>>().join(" ")))
    }),
    function("uppercase", 1, 1, |values| texts(values, |text, _| Value::Text(text.to_uppercase()))),
];

impl Function {
    /// # Errors
    /// There is none of this name, or it takes another number of arguments.
    pub(super) fn named(name: &str, arguments: usize) -> Result<Self, String> {
        let found = FUNCTIONS.iter().find(|function| function.name == name).copied();
        let function = found.ok_or_else(|| {
            let mut known: Vec<&str> = FUNCTIONS.iter().map(|function| function.name).collect();
            known.extend(["each", "filter", "map", "match", "now"]);
            known.sort_unstable();
            format!("there is no function ${name}; expected one of {}", known.join(", "))
        })?;
        let Self { least, most, .. } = function;
        match (least..=most).contains(&arguments) {
            true => Ok(function),
            false if least == most => Err(format!("${name} takes {least} arguments, found {arguments}")),
            false => Err(format!("${name} takes {least} to {most} arguments, found {arguments}")),
        }
    }

    pub(super) fn name(self) -> &'static str {
        self.name
    }

    pub(super) fn call(self, values: &[&Value]) -> Outcome {
        (self.code)(values).map_err(|EvaluationError(problem)| EvaluationError(format!("${}: {problem}", self.name)))
    }
}

fn is_negative(one: Decimal) -> bool {
    one.compare(Decimal::of_integer(0)).is_lt()
}

/// Of one number; of nothing there is nothing.
fn numeric(values: &[&Value], make: impl Fn(Decimal) -> Option<Decimal>) -> Outcome {
    match values[0] {
        Value::Missing => Ok(Value::Missing),
        value => make(number(value)?).map(Value::of_decimal).ok_or_else(too_large),
    }
}

/// Of a text, and of others beside it; of nothing there is nothing.
fn texts(values: &[&Value], make: impl Fn(&str, &[String]) -> Value) -> Outcome {
    let Value::Text(text) = values[0] else { return not_a_text(values[0]) };
    let mut others = Vec::new();
    for value in &values[1..] {
        match value {
            Value::Text(text) => others.push(text.clone()),
            Value::Missing => return Ok(Value::Missing),
            other => return not_a_text(other),
        }
    }
    Ok(make(text, &others))
}

fn not_a_text(value: &Value) -> Outcome {
    match value {
        Value::Missing => Ok(Value::Missing),
        other => Err(EvaluationError(format!("expected a text, found {}; $string makes one", other.kind()))),
    }
}

fn sum(values: &[Value]) -> Result<Decimal, EvaluationError> {
    values.iter().try_fold(Decimal::of_integer(0), |sum, value| sum.plus(number(value)?).ok_or_else(too_large))
}

fn average(values: &[&Value]) -> Outcome {
    let elements = values[0].elements();
    if elements.is_empty() {
        return Ok(Value::Missing);
    }
    let count = Decimal::of_integer(elements.len() as i128);
    sum(elements)?.divided(count).map(Value::of_decimal).ok_or_else(too_large)
}

fn extreme(values: &[&Value], wanted: Ordering) -> Outcome {
    let mut found: Option<&Value> = None;
    for value in values[0].elements() {
        number(value)?;
        if found.is_none_or(|found| value.compare(found) == Some(wanted)) {
            found = Some(value);
        }
    }
    Ok(found.cloned().unwrap_or_default())
}

fn distinct(values: &[&Value]) -> Outcome {
    let mut kept: Vec<Value> = Vec::new();
    for value in values[0].elements() {
        if !kept.iter().any(|known| known.is_equal(value)) {
            kept.push(value.clone());
        }
    }
    Ok(Value::Array(kept))
}

fn join(values: &[&Value]) -> Outcome {
    let between = values.get(1).map(|value| value.to_text()).unwrap_or_default();
    let mut parts = Vec::new();
    for value in values[0].elements() {
        match value {
            Value::Text(text) => parts.push(text.as_str()),
            other => return not_a_text(other),
        }
    }
    Ok(Value::Text(parts.join(&between)))
}

fn to_number(values: &[&Value]) -> Outcome {
    match values[0] {
        Value::Missing => Ok(Value::Missing),
        Value::Boolean(value) => Ok(Value::of_decimal(Decimal::of_integer(i128::from(*value)))),
        value @ Value::Number(_) => Ok(value.clone()),
        Value::Text(text) => {
            let wrong = || EvaluationError(format!("{text:?} is not a number of up to 38 digits"));
            Decimal::parse(text.trim()).map(Value::of_decimal).ok_or_else(wrong)
        }
        other => Err(EvaluationError(format!("{} is not a number", other.kind()))),
    }
}

/// The whole number of an argument.
fn whole(value: &Value) -> Result<i64, EvaluationError> {
    number(value)?.to_integer().ok_or_else(|| EvaluationError("expected a whole number".to_owned()))
}

fn round(values: &[&Value]) -> Outcome {
    let decimals = values.get(1).copied().map_or(Ok(0), whole)?;
    let decimals = u32::try_from(decimals).map_err(|_| EvaluationError("decimals are 0 or more".to_owned()))?;
    numeric(values, |one| Some(one.rounded(decimals)))
}

/// To a width in characters: behind the text, or before it where the width is below zero.
fn pad(values: &[&Value]) -> Outcome {
    let Value::Text(text) = values[0] else { return not_a_text(values[0]) };
    let width = whole(values[1])?;
    let room = usize::try_from(width.unsigned_abs()).unwrap_or(usize::MAX).min(LONGEST_PAD);
    let filling =
        values.get(2).map(|value| value.to_text()).filter(|text| !text.is_empty()).unwrap_or_else(|| " ".to_owned());
    let missing = room.saturating_sub(text.chars().count());
    let filled: String = filling.chars().cycle().take(missing).collect();
    Ok(Value::Text(if width < 0 { filled + text } else { format!("{text}{filled}") }))
}

/// From a character on, counted from 0 or from the end, as many as are wanted.
fn substring(values: &[&Value]) -> Outcome {
    let Value::Text(text) = values[0] else { return not_a_text(values[0]) };
    let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
    let start = whole(values[1])?;
    let start = if start < 0 { length.saturating_add(start).max(0) } else { start };
    let count = values.get(2).copied().map_or(Ok(i64::MAX), whole)?.max(0);
    let (start, count) = (usize::try_from(start).unwrap_or(usize::MAX), usize::try_from(count).unwrap_or(usize::MAX));
    Ok(Value::Text(text.chars().skip(start).take(count).collect()))
}
