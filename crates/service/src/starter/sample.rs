//! Test data: JSON that a service takes, made from its schema, and the records of it.

use serde_json::{Map, Number, Value};

use super::StarterError;
use super::records::Records;
use crate::archive::ArchiveError;

/// Most elements of a table that a sample has.
const MOST_ELEMENTS: u64 = 3;
/// The largest number that JSON tools keep exactly.
const LARGEST: f64 = 999_999_999_999_999.0;

pub(super) struct Samples {
    /// A request as it may come.
    pub(super) typical: String,
    /// Three requests, a line each: typical, all items full, nothing given.
    pub(super) lines: String,
    /// The same as a file of records.
    pub(super) records: Vec<u8>,
}

/// How much a sample gives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fill {
    Typical,
    Full,
}

pub(super) fn of(records: &Records) -> Result<Samples, StarterError> {
    let failed = |problem: String| ArchiveError::entry(&records.request.file, problem);
    let direction = records.compiled.request.as_ref().ok_or_else(|| failed("it has no record".to_owned()))?;
    let typical = value(&direction.schema, "value", Fill::Typical).to_string();
    let lines = [typical.clone(), value(&direction.schema, "value", Fill::Full).to_string(), "{}".to_owned()];
    let mut file = Vec::new();
    for line in &lines {
        let mut record = Vec::new();
        direction.structure.encode(line.as_bytes(), &mut record).map_err(|error| failed(error.to_string()))?;
        if records.is_variable() {
            let length = u16::try_from(record.len()).map_err(|_| failed("the record is too long".to_owned()))?;
            file.extend_from_slice(&length.to_be_bytes());
            file.extend_from_slice(&[0, 0]);
        }
        file.append(&mut record);
    }
    Ok(Samples { typical, lines: lines.map(|line| line + "\n").concat(), records: file })
}

fn value(schema: &Value, name: &str, fill: Fill) -> Value {
    match schema["type"].as_str() {
        Some("object") => {
            let members = schema["properties"].as_object().into_iter().flatten();
            Value::Object(
                members.map(|(name, member)| (name.clone(), value(member, name, fill))).collect::<Map<_, _>>(),
            )
        }
        Some("array") => {
            let most = schema["maxItems"].as_u64().unwrap_or(1);
            let count = if fill == Fill::Full { most } else { most.min(MOST_ELEMENTS) };
            (0..count).map(|_| value(&schema["items"], name, fill)).collect()
        }
        Some("integer" | "number") => number(schema, fill),
        _ => Value::String(text(schema, name, fill)),
    }
}

/// The name of the item in its own characters, or as many as there is room for.
fn text(schema: &Value, name: &str, fill: Fill) -> String {
    if let Some(pattern) = schema["pattern"].as_str() {
        let digits = pattern.trim_end_matches("}$").rsplit('{').next().and_then(|digits| digits.parse().ok());
        return "0".repeat(digits.unwrap_or(0));
    }
    let room = usize::try_from(schema["maxLength"].as_u64().unwrap_or(0)).unwrap_or(0);
    let words = name.to_uppercase().replace(['_', '-'], " ");
    match fill {
        Fill::Typical => words.chars().take(room).collect::<String>().trim_end().to_owned(),
        Fill::Full => ('A'..='Z').cycle().take(room).collect(),
    }
}

/// 1234 of the smallest steps, or as much of it as the item holds.
fn number(schema: &Value, fill: Fill) -> Value {
    let step = schema["multipleOf"].as_f64().unwrap_or(1.0);
    let Some(maximum) = schema["maximum"].as_f64() else { return Number::from_f64(1.5).into() };
    let most = (maximum / step).round().min(LARGEST);
    let count = match fill {
        Fill::Full => most,
        Fill::Typical => [1234.0, 123.0, 12.0, 1.0].into_iter().find(|&count| count <= most).unwrap_or(0.0),
    };
    // Written with as many decimals as the step has, so that no binary fraction shows.
    let decimals = step.to_string().split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let text = format!("{:.decimals$}", count * step);
    serde_json::from_str(&text).unwrap_or(Value::from(0))
}
