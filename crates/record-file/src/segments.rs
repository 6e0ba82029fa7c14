//! Which plan a record has: one for all, or one for each value of a field that says what the record is.

use std::collections::HashMap;

use copybook::{Converter, DataError, FieldPlace, ValueKind, json::Reader, json::write_string};

use crate::error::RecordError;
use crate::framing::hexadecimal;

/// The plans of a file.
pub struct Segments {
    plans: Vec<Converter>,
    selector: Option<Selector>,
}

struct Selector {
    /// As it was named.
    field: String,
    place: FieldPlace,
    by_bytes: HashMap<Vec<u8>, usize>,
    /// By the value as JSON shows it.
    by_value: HashMap<String, usize>,
    /// Of records with any other value.
    other: Option<usize>,
}

/// Why segments cannot be chosen so.
#[derive(Debug, thiserror::Error)]
pub enum SegmentError {
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
}

impl Segments {
    /// Every record has one plan.
    pub fn one(plan: Converter) -> Self {
        Self { plans: vec![plan], selector: None }
    }

    /// `field` is an item, by name or path, and `chosen` has its values with the plan of each; `other` is the plan of records with
    /// another value, which are errors without it.
    ///
    /// # Errors
    /// The field has no fixed place, or not the same in all plans, or cannot hold a value.
    pub fn by_field(
        field: &str,
        chosen: Vec<(String, Converter)>,
        other: Option<Converter>,
    ) -> Result<Self, SegmentError> {
        let mut plans: Vec<Converter> = Vec::with_capacity(chosen.len() + 1);
        let mut place: Option<FieldPlace> = None;
        let (mut by_bytes, mut by_value) = (HashMap::new(), HashMap::new());
        for (value, plan) in chosen {
            let found = plan.field(field).ok_or_else(|| SegmentError::NoField(field.to_owned()))?;
            let place = place.get_or_insert_with(|| found.clone());
            if (place.offset, place.length) != (found.offset, found.length) {
                return Err(SegmentError::Moved { field: field.to_owned(), value });
            }
            let bytes = bytes_of(&plan, &found, &value);
            let bytes = bytes.map_err(|source| SegmentError::Value {
                field: field.to_owned(),
                value: value.clone(),
                source,
            })?;
            by_bytes.insert(bytes, plans.len());
            by_value.insert(value, plans.len());
            plans.push(plan);
        }
        let place = place.ok_or_else(|| SegmentError::NoField(field.to_owned()))?;
        let other = other.map(|plan| {
            plans.push(plan);
            plans.len() - 1
        });
        let selector = Selector { field: field.to_owned(), place, by_bytes, by_value, other };
        Ok(Self { plans, selector: Some(selector) })
    }

    pub(crate) fn plans(&self) -> &[Converter] {
        &self.plans
    }

    /// The index of a record's plan.
    pub(crate) fn of_record(&self, record: &[u8]) -> Result<usize, RecordError> {
        let Some(selector) = &self.selector else { return Ok(0) };
        let FieldPlace { offset, length, .. } = selector.place;
        let bytes = record.get(offset..offset + length);
        let chosen = bytes.and_then(|bytes| selector.by_bytes.get(bytes)).copied();
        chosen
            .or(selector.other)
            .ok_or_else(|| selector.unknown(format!("X'{}'", hexadecimal(bytes.unwrap_or_default()))))
    }

    /// The index of the plan of a JSON object.
    pub(crate) fn of_json(&self, json: &[u8]) -> Result<usize, RecordError> {
        let Some(selector) = &self.selector else { return Ok(0) };
        let value = member(json, &selector.place.members).unwrap_or_default();
        selector.of_value(&value)
    }

    /// The index of the plan of a row, whose cells are found by the members' names.
    pub(crate) fn of_row(&self, cell: impl FnOnce(&[String]) -> Option<String>) -> Result<usize, RecordError> {
        let Some(selector) = &self.selector else { return Ok(0) };
        selector.of_value(&cell(&selector.place.members).unwrap_or_default())
    }
}

impl Selector {
    fn of_value(&self, value: &str) -> Result<usize, RecordError> {
        self.by_value.get(value).copied().or(self.other).ok_or_else(|| self.unknown(value.to_owned()))
    }

    fn unknown(&self, value: String) -> RecordError {
        RecordError::NoSegment { field: self.field.clone(), value }
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
fn member(json: &[u8], path: &[String]) -> Option<String> {
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
