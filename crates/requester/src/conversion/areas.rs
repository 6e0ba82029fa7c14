//! Data areas: elements of arrays, and bodies of answers, that stand behind the record (level 5.0).
//!
//! ```text
//! 0   name of the data area   16 characters, as the record has it
//! 16  bytes of the element     4, binary, in the byte order of the record
//! 20  zero                     4
//! 24  the element              as the structure of the member describes it
//! ```
//!
//! The first begins at the first multiple of 8 behind the record, the next at the first one behind the element before it. Elements
//! of one area are in their order; others may stand between them. `docs/stub-protocol.md` specifies it.
//!
//! Invariant: elements lie within the record, and each is handed out once, so that a record cannot become more JSON than it has
//! bytes for.

use std::collections::{HashMap, VecDeque};

use copybook::field::FieldForm;

use super::plan::{Area, Converter, Counter};
use super::{DataProblem, Outcome, Trouble};

/// Bytes of the name of an area.
pub(super) const AREA: usize = 16;
/// Bytes before an element.
const HEADER: usize = 24;
const ALIGNMENT: usize = 8;
/// Where the length of an element stands before it.
const LENGTH: Counter = Counter { offset: AREA, bytes: 4, signed: true };

/// The elements behind a record: start and length, by the name of their area.
#[derive(Default)]
pub(crate) struct Areas<'a> {
    elements: HashMap<&'a [u8], VecDeque<(usize, usize)>>,
}

impl<'a> Areas<'a> {
    /// # Errors
    /// What stands behind the record is no element, or ends early.
    pub(super) fn of(converter: &Converter, record: &'a [u8]) -> Outcome<Self> {
        let mut areas = Self::default();
        if !converter.has_areas {
            return Ok(areas);
        }
        let mut at = converter.length().next_multiple_of(ALIGNMENT);
        while at < record.len() {
            let too_short = || Trouble::new(DataProblem::RecordTooShort { length: record.len() }, 0, at);
            let header = record.get(at..at + HEADER).ok_or_else(too_short)?;
            let length = LENGTH.read(&converter.form, header).and_then(|length| usize::try_from(length).ok());
            let length = length.ok_or_else(|| Trouble::new(DataProblem::Negative, 0, at + LENGTH.offset))?;
            let start = at + HEADER;
            if record.len() - start < length {
                return Err(too_short());
            }
            areas.elements.entry(&header[..AREA]).or_default().push_back((start, length));
            at = (start + length).next_multiple_of(ALIGNMENT);
        }
        Ok(areas)
    }

    /// The next element of an area.
    pub(super) fn next(&mut self, name: &[u8]) -> Option<(usize, usize)> {
        self.elements.get_mut(name)?.pop_front()
    }
}

/// Adds an element with nothing in it behind the record; where it begins.
pub(super) fn append(area: &Area, form: &FieldForm, name: &[u8; AREA], record: &mut Vec<u8>) -> usize {
    let at = record.len().next_multiple_of(ALIGNMENT);
    record.resize(at, 0);
    record.extend_from_slice(name);
    record.resize(at + HEADER, 0);
    LENGTH.write(form, area.template.len() as u64, &mut record[at..]);
    record.extend_from_slice(&area.template);
    at + HEADER
}

/// Bytes that `append` adds at most.
pub(super) fn room(area: &Area) -> usize {
    ALIGNMENT + HEADER + area.template.len()
}
