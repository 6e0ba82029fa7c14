//! Which plan a record has: one for all, or one for each value of a field that says what the record is.

use copybook::{Converter, Selector, SelectorError};

use crate::error::RecordError;
use crate::framing::hexadecimal;

/// The plans of a file.
pub struct Segments {
    plans: Vec<Converter>,
    selector: Option<Selector>,
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
    /// The field has no fixed place, or not the same in all plans, or cannot hold a value, or has two values of the same bytes.
    pub fn by_field(
        field: &str,
        chosen: Vec<(String, Converter)>,
        other: Option<Converter>,
    ) -> Result<Self, SelectorError> {
        let by_value: Vec<(&str, &Converter)> = chosen.iter().map(|(value, plan)| (value.as_str(), plan)).collect();
        let selector = Selector::new(field, &by_value, other.as_ref().map(|_| chosen.len()))?;
        let plans = chosen.into_iter().map(|(_, plan)| plan).chain(other).collect();
        Ok(Self { plans, selector: Some(selector) })
    }

    pub(crate) fn plans(&self) -> &[Converter] {
        &self.plans
    }

    /// The index of a record's plan.
    pub(crate) fn of_record(&self, record: &[u8]) -> Result<usize, RecordError> {
        let Some(selector) = &self.selector else { return Ok(0) };
        selector.of_record(record).map_err(|bytes| unknown(selector, format!("X'{}'", hexadecimal(bytes))))
    }

    /// The index of the plan of a JSON object.
    pub(crate) fn of_json(&self, json: &[u8]) -> Result<usize, RecordError> {
        let Some(selector) = &self.selector else { return Ok(0) };
        selector.of_json(&[], json).map_err(|value| unknown(selector, value))
    }

    /// The index of the plan of a row, whose cells are found by the members' names.
    pub(crate) fn of_row(&self, cell: impl FnOnce(&[String]) -> Option<String>) -> Result<usize, RecordError> {
        let Some(selector) = &self.selector else { return Ok(0) };
        let value = cell(&selector.place.members).unwrap_or_default();
        selector.of_value(&value).map_err(|value| unknown(selector, value))
    }
}

fn unknown(selector: &Selector, value: String) -> RecordError {
    RecordError::NoSegment { field: selector.field.clone(), value }
}
