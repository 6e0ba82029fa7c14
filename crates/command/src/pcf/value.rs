//! Values between PCF structures and the words of MQSC.

use model::definition::attribute::{Attribute, Value, ValueType};
use model::options::OpenOptions;
use model::pcf::{Parameter, ParameterValue};

use crate::pcf::refusal::Refusal;
use crate::pcf::term::{Form, Term};

/// Longest text that is padded to its full length in a response; topic strings and the like are not.
const LONGEST_PADDED: usize = 264;
/// MQCACH_CHANNEL_NAME, the one kind of name that is shorter.
const CHANNEL_NAME: i32 = 3501;
/// A list of strengths in PCF, one number in the table.
const SUITE_B: i32 = 247;

/// The value a parameter gives an attribute.
///
/// # Errors
/// The structure does not fit the attribute, or the attribute does not take the value.
pub(super) fn of_attribute(attribute: &Attribute, parameter: &Parameter) -> Result<Value, Refusal> {
    use ParameterValue as Structure;
    use ValueType as Type;
    let value = match (&parameter.value, attribute.value) {
        (Structure::Integer(number), Type::Integer { .. } | Type::Choice(_) | Type::Flag(_)) => {
            Value::Integer(i64::from(*number))
        }
        (Structure::Integer64(number), Type::Integer { .. }) => Value::Integer(*number),
        (Structure::Integers(numbers), Type::Choice(_)) => {
            Value::Integer(numbers.iter().map(|number| i64::from(*number)).sum())
        }
        (Structure::Integer(number), Type::Words { .. }) => Value::Numbers(vec![i64::from(*number)]),
        (Structure::Integers(numbers), Type::Words { .. }) => {
            Value::Numbers(numbers.iter().map(|number| i64::from(*number)).collect())
        }
        (Structure::Bytes(bytes), Type::Hexadecimal { .. }) => Value::Text(hexadecimal(bytes)),
        (Structure::Text(text), Type::Name | Type::Text { .. } | Type::Secret { .. }) => Value::Text(text.clone()),
        (Structure::Text(text), Type::Names { .. } | Type::Texts { .. }) => Value::List(filled([text])),
        (Structure::Texts(texts), Type::Names { .. } | Type::Texts { .. }) => Value::List(filled(texts)),
        (Structure::Texts(texts), Type::Text { .. }) => Value::Text(texts.join(",")),
        _ => return Err(Refusal::unknown(parameter)),
    };
    match attribute.value.check(&value) {
        Ok(()) => Ok(value),
        // A kind of definition is named by what nobody sets.
        Err(model::definition::attribute::ValueProblem::ReadOnly) => Err(Refusal::unknown(parameter)),
        Err(problem) => Err(Refusal::value(&problem, parameter.id)),
    }
}

/// The texts of a list that say something.
fn filled<'a>(texts: impl IntoIterator<Item = &'a String>) -> Vec<String> {
    texts.into_iter().filter(|text| !text.trim().is_empty()).cloned().collect()
}

/// The parts of a list, which may be held as one text.
fn list(value: &Value) -> Vec<&str> {
    match value {
        Value::List(texts) => texts.iter().map(String::as_str).collect(),
        _ => value.text().unwrap_or_default().split(',').map(str::trim).collect(),
    }
}

/// The words a parameter gives a term.
pub(super) fn of_term(term: &Term, parameter: &Parameter) -> Result<Vec<String>, Refusal> {
    let word = |known: &'static [(&'static str, i32)], number: i32| {
        let found = known.iter().find(|(_, code)| *code == number);
        found.map(|(word, _)| (*word).to_owned()).ok_or(Refusal::word(parameter.id))
    };
    match (&parameter.value, term.form) {
        (ParameterValue::Integer(number), Form::Words(known)) => Ok(vec![word(known, *number)?]),
        (ParameterValue::Integer(number), Form::WordList(known)) => Ok(vec![word(known, *number)?]),
        (ParameterValue::Integers(numbers), Form::WordList(known)) => {
            numbers.iter().map(|number| word(known, *number)).collect()
        }
        (ParameterValue::Integer(number), Form::Integer | Form::OpenOptions) => Ok(vec![number.to_string()]),
        (ParameterValue::Integer64(number), Form::Integer) => Ok(vec![number.to_string()]),
        (ParameterValue::Integers(numbers), Form::Integers) => Ok(numbers.iter().map(ToString::to_string).collect()),
        (ParameterValue::Text(text), Form::Text(_) | Form::Texts) => Ok(vec![text.clone()]),
        (ParameterValue::Texts(texts), Form::Texts) => Ok(texts.clone()),
        (ParameterValue::Bytes(bytes), Form::Bytes) => Ok(vec![hexadecimal(bytes)]),
        _ => Err(Refusal::unknown(parameter)),
    }
}

/// How a response carries an attribute.
pub(super) fn shown_attribute(attribute: &Attribute, value: &Value) -> Option<ParameterValue> {
    Some(match (attribute.value, value) {
        (_, Value::Integer(number)) if attribute.pcf == Some(SUITE_B) => ParameterValue::Integers(bits(*number)),
        (_, Value::Integer(number)) => integer(*number),
        (ValueType::Name, Value::Text(text)) => {
            ParameterValue::Text(padded(text, if attribute.pcf == Some(CHANNEL_NAME) { 20 } else { 48 }))
        }
        (ValueType::Text { maximum } | ValueType::Secret { maximum }, Value::Text(text))
            if maximum <= LONGEST_PADDED =>
        {
            ParameterValue::Text(padded(text, maximum))
        }
        (ValueType::Date, Value::Text(text)) => ParameterValue::Text(padded(text, 12)),
        (ValueType::Time, Value::Text(text)) => ParameterValue::Text(padded(text, 8)),
        (ValueType::Hexadecimal { .. }, Value::Text(text)) => ParameterValue::Bytes(bytes(text)),
        (ValueType::List, Value::Text(_)) => {
            ParameterValue::Texts(list(value).into_iter().filter(|text| !text.is_empty()).map(str::to_owned).collect())
        }
        (_, Value::Text(text)) => ParameterValue::Text(text.clone()),
        // One exit, or none, comes as a string.
        (ValueType::Texts { length, .. }, Value::List(texts)) if texts.len() < 2 => {
            ParameterValue::Text(padded(texts.first().map_or("", String::as_str), length))
        }
        (_, Value::List(texts)) => ParameterValue::Texts(texts.clone()),
        (_, Value::Numbers(numbers)) => {
            ParameterValue::Integers(numbers.iter().filter_map(|number| i32::try_from(*number).ok()).collect())
        }
    })
}

/// How a response carries a term; `None` for a word that has no number.
pub(super) fn shown_term(term: &Term, value: &Value) -> Option<ParameterValue> {
    let text = match value {
        Value::Integer(number) => number.to_string(),
        other => other.text().unwrap_or_default().to_owned(),
    };
    Some(match term.form {
        Form::Always(number) => ParameterValue::Integer(number),
        Form::Integer => integer(text.trim().parse().unwrap_or(-1)),
        Form::Words(known) => match value.number() {
            Some(number) => integer(number),
            None => ParameterValue::Integer(code(known, &text)?),
        },
        Form::Switch(yes, _) => ParameterValue::Integer(i32::from(text == yes)),
        Form::Text(width) => ParameterValue::Text(padded(&text, width)),
        Form::Texts => {
            ParameterValue::Texts(list(value).into_iter().filter(|text| !text.is_empty()).map(str::to_owned).collect())
        }
        Form::Bytes => ParameterValue::Bytes(bytes(&text)),
        Form::WordList(known) => {
            ParameterValue::Integers(list(value).into_iter().filter_map(|word| code(known, word)).collect())
        }
        Form::Integers => {
            ParameterValue::Integers(list(value).into_iter().map(|number| number.parse().unwrap_or(-1)).collect())
        }
        Form::OpenOptions => ParameterValue::Integer(options(value)),
    })
}

fn code(known: &[(&str, i32)], word: &str) -> Option<i32> {
    known.iter().find(|(known, _)| *known == word).map(|(_, code)| *code)
}

/// MQOO_* names to their sum.
fn options(value: &Value) -> i32 {
    let options = list(value).into_iter().filter_map(|name| OpenOptions::from_name(name.strip_prefix("MQOO_")?));
    options.fold(OpenOptions::empty(), |all, option| all | option).bits().cast_signed()
}

fn integer(number: i64) -> ParameterValue {
    i32::try_from(number).map_or(ParameterValue::Integer64(number), ParameterValue::Integer)
}

/// The powers of two that add up to a number.
fn bits(number: i64) -> Vec<i32> {
    (0..31).map(|bit| 1_i32 << bit).filter(|bit| number & i64::from(*bit) != 0).collect()
}

/// With blanks up to a length in bytes; a longer text is left whole.
fn padded(text: &str, length: usize) -> String {
    let blanks = length.saturating_sub(text.len());
    format!("{text}{:blanks$}", "")
}

pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

/// Bytes of hexadecimal digits; none for a text that is not all of them.
pub(super) fn bytes(text: &str) -> Vec<u8> {
    let pairs = text.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2));
    pairs.map(|pair| u8::from_str_radix(pair?, 16).ok()).collect::<Option<_>>().unwrap_or_default()
}
