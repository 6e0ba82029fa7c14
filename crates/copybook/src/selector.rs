//! A field at a fixed place whose value says what its record is: which of several plans reads and writes it.
//!
//! Values are compared as bytes in records, and as JSON shows them in objects. Nothing is converted to find a plan.

use std::collections::HashMap;

use crate::decode::Trouble;
use crate::error::{DataError, DataProblem, PlanError};
use crate::json::{Reader, write_string};
use crate::layout::RecordLayout;
use crate::options::{Choices, ConvertOptions};
use crate::plan::Converter;
use crate::shape::{FieldPlace, ValueKind};

/// The value that stands for all others.
const OTHER: &str = "*";

/// A field, and what its values stand for.
#[derive(Clone)]
pub struct Selector {
    /// As it was named.
    pub field: String,
    pub place: FieldPlace,
    by_bytes: HashMap<Vec<u8>, usize>,
    /// By the value as JSON shows it.
    by_value: HashMap<String, usize>,
    /// Of records with any other value.
    other: Option<usize>,
}

/// Why a field cannot select plans.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectorError {
    #[error("there is no item {0} at a fixed place outside of tables, by which a segment could be chosen")]
    NoField(String),
    #[error("the item {field} is at another place in the record {value}")]
    Moved { field: String, value: String },
    #[error("the item {field} cannot hold {value}: {source}")]
    Value {
        field: String,
        value: String,
        #[source]
        source: Box<DataError>,
    },
    #[error("the values {first} and {second} of the item {field} are the same in a record; leave one of them out")]
    Same { field: String, first: String, second: String },
}

impl Selector {
    /// `field` is an item, by name or path; `chosen` has its values with the plan of each; `other` is the index of records with
    /// another value, which have none without it.
    ///
    /// # Errors
    /// The field has no fixed place, or not the same in all plans, or cannot hold a value, or has two values of the same bytes.
    pub fn new(field: &str, chosen: &[(&str, &Converter)], other: Option<usize>) -> Result<Self, SelectorError> {
        let mut place: Option<FieldPlace> = None;
        let (mut by_bytes, mut by_value) = (HashMap::new(), HashMap::new());
        for (index, (value, plan)) in chosen.iter().enumerate() {
            let (field, value) = (field.to_owned(), (*value).to_owned());
            let found = plan.field(&field).ok_or_else(|| SelectorError::NoField(field.clone()))?;
            let place = place.get_or_insert_with(|| found.clone());
            if (place.offset, place.length) != (found.offset, found.length) {
                return Err(SelectorError::Moved { field, value });
            }
            let earlier = match bytes_of(plan, &found, &value) {
                Ok(bytes) => by_bytes.insert(bytes, index),
                Err(source) => return Err(SelectorError::Value { field, value, source }),
            };
            if let Some(first) = earlier {
                return Err(SelectorError::Same { field, first: chosen[first].0.to_owned(), second: value });
            }
            by_value.insert(value, index);
        }
        let place = place.ok_or_else(|| SelectorError::NoField(field.to_owned()))?;
        Ok(Self { field: field.to_owned(), place, by_bytes, by_value, other })
    }

    /// The index of a record's plan.
    ///
    /// # Errors
    /// The bytes of the field stand for nothing.
    pub fn of_record<'r>(&self, record: &'r [u8]) -> Result<usize, &'r [u8]> {
        let FieldPlace { offset, length, .. } = self.place;
        let bytes = record.get(offset..offset + length);
        let chosen = bytes.and_then(|bytes| self.by_bytes.get(bytes)).copied();
        chosen.or(self.other).ok_or(bytes.unwrap_or_default())
    }

    /// The index of the plan of a JSON object, within others with the names of `wrapper`.
    ///
    /// # Errors
    /// The value, or nothing where the object has none, stands for nothing.
    pub fn of_json(&self, wrapper: &[String], json: &[u8]) -> Result<usize, String> {
        self.of_value(&member(json, wrapper.iter().chain(&self.place.members)).unwrap_or_default())
    }

    /// The index of the plan of a value.
    ///
    /// # Errors
    /// The value stands for nothing.
    pub fn of_value(&self, value: &str) -> Result<usize, String> {
        self.by_value.get(value).copied().or(self.other).ok_or_else(|| value.to_owned())
    }
}

/// The bytes of a value at its place.
fn bytes_of(plan: &Converter, place: &FieldPlace, value: &str) -> Result<Vec<u8>, Box<DataError>> {
    let mut json = Vec::new();
    for name in &place.members {
        json.push(b'{');
        write_string(name, &mut json);
        json.push(b':');
    }
    match place.kind {
        ValueKind::Text => write_string(value, &mut json),
        ValueKind::Decimal { .. } | ValueKind::Float => json.extend_from_slice(value.as_bytes()),
    }
    json.extend(place.members.iter().map(|_| b'}'));
    let mut record = Vec::new();
    plan.encode(&json, &mut record)?;
    Ok(record[place.offset..place.offset + place.length].to_vec())
}

/// The text or number at the end of a path of members.
fn member<'p>(json: &[u8], path: impl Iterator<Item = &'p String>) -> Option<String> {
    let mut reader = Reader::new(json);
    for wanted in path {
        reader.begin(b'{').ok()?;
        let mut is_first = true;
        loop {
            let name = reader.next_name(is_first).ok()??;
            is_first = false;
            if name.to_text().ok()? == *wanted {
                break;
            }
            reader.skip().ok()?;
        }
    }
    match reader.peek()? {
        b'"' => reader.string().ok()?.to_text().ok(),
        _ => Some(String::from_utf8_lossy(reader.number().ok()?).into_owned()),
    }
}

/// The plans of one record with alternatives that a field chooses among.
#[derive(Clone)]
pub(crate) struct Selection {
    selector: Selector,
    plans: Vec<Converter>,
}

impl Selection {
    pub(crate) fn new(layout: &RecordLayout, options: &ConvertOptions, choices: &Choices) -> Result<Self, PlanError> {
        // That of all other values comes last, so that indexes of the others are those of `chosen`.
        let (others, named): (Vec<_>, Vec<_>) = choices.alternatives.iter().partition(|(value, _)| value == OTHER);
        let plan = |(_, alternative): &&(String, String)| {
            let mut options = ConvertOptions { choices: None, ..options.clone() };
            options.alternatives.push(alternative.clone());
            Converter::new(layout, &options)
        };
        let plans = named.iter().chain(&others).map(plan).collect::<Result<Vec<_>, _>>()?;
        let chosen: Vec<(&str, &Converter)> = named.iter().map(|(value, _)| value.as_str()).zip(&plans).collect();
        let other = (!others.is_empty()).then_some(named.len());
        let selector = Selector::new(&choices.field, &chosen, other)
            .map_err(|problem| PlanError::Choices { problem: problem.to_string() })?;
        Ok(Self { selector, plans })
    }

    pub(crate) fn of_record(&self, record: &[u8], paths: &[String]) -> Result<&Converter, Box<DataError>> {
        let chosen = self.selector.of_record(record).map_err(|bytes| {
            let value = bytes.iter().map(|byte| format!("{byte:02X}")).collect::<String>();
            self.nothing(format!("X'{value}'"), paths)
        })?;
        Ok(&self.plans[chosen])
    }

    pub(crate) fn of_json(
        &self,
        wrapper: &[String],
        json: &[u8],
        paths: &[String],
    ) -> Result<&Converter, Box<DataError>> {
        let chosen = self.selector.of_json(wrapper, json).map_err(|value| self.nothing(format!("'{value}'"), paths))?;
        Ok(&self.plans[chosen])
    }

    fn nothing(&self, value: String, paths: &[String]) -> Box<DataError> {
        let problem = DataProblem::NoAlternative { value };
        let place = &self.selector.place;
        let mut trouble = Trouble::new(problem, place.item, place.offset);
        for name in place.members.iter().rev() {
            trouble = trouble.below_member(name);
        }
        trouble.told(paths)
    }
}
