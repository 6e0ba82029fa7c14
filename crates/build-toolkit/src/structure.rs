//! The record of one direction of an operation: what the generated members declare, the archive keeps, and the API requester
//! converts by.
//!
//! A structure is a list of items at the outermost level: groups such as `ReqBody`, or the body itself where that is no object.
//! Each item stands for one JSON value; the counter before it, the length before its characters and the group around both are
//! parts of it. Offsets are in bytes from the start of the record, those inside tables of the first occurrence; they do not
//! depend on byte order, form of floats or code page.
//!
//! From level 5.0 on arrays, and the bodies of answers, are in data areas: records of their own behind the base record, found by
//! the name that the base has for them (`docs/stub-protocol.md`). Offsets in an element of an area count from its start.
//!
//! Invariants of a structure that `lay_out` has placed
//! - Items are in record order and do not overlap; no byte is beyond `length`.
//! - A table's occurrence `i` lies `i * stride` bytes behind the first, and so does everything inside.
//!
//! Source: reference, 2.1 to 2.4; slack bytes as GnuCOBOL and the shared vectors have them.

use serde::{Deserialize, Serialize};

/// Longest record, in bytes: what level 01 may hold in COBOL.
pub const MAXIMUM_LENGTH: u64 = 134_217_727;
/// Deepest nesting of items: levels 06 to 48 in steps of 3.
pub const MAXIMUM_DEPTH: usize = 15;
/// Bytes of the name of a data area.
pub const AREA_NAME: u32 = 16;
/// Most items of one structure.
pub const MAXIMUM_ITEMS: usize = 50_000;

const MAP_ALONE: &str = "members beyond those of a group where there is no group";

/// One record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Structure {
    pub alignment: Alignment,
    /// Of the whole record, in bytes; there is no padding at its end.
    pub length: u32,
    pub groups: Vec<Item>,
}

/// Whether binary items begin on multiples of their length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Alignment {
    /// They do: COBOL's SYNC.
    Synchronized,
    /// There are no slack bytes: PL/I's UNALIGNED.
    Unaligned,
}

/// One JSON value in the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Item {
    /// Name of the data item, a group or an elementary one.
    pub name: String,
    /// Name of the member in the JSON object around it, of the parameter or the header; empty for what an array holds.
    #[serde(rename = "json", default, skip_serializing_if = "String::is_empty")]
    pub json_name: String,
    #[serde(default, skip_serializing_if = "Absence::is_never")]
    pub absence: Absence,
    /// In a patch, what becomes of the member; before everything else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<PatchOperation>,
    /// Of the body of a request: it is a list of operations (RFC 6902), made of what its members and elements say.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_json_patch: bool,
    /// Number of values that are there; before the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counter: Option<Counter>,
    /// Of a table, which is a JSON array.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occurs: Option<Occurs>,
    /// Name of the group around a text with its length; the group is what occurs then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrapper: Option<String>,
    /// First byte of the value: of the group, of the wrapper, of the length before a text, or of the elementary item.
    pub offset: u32,
    /// Of one value, without slack behind it.
    pub length: u32,
    pub value: Value,
}

/// What a counter of zero means in JSON; the same for arrays.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Absence {
    /// The value is required. An array of none is an empty array.
    #[default]
    Never,
    /// The member is left out.
    Omitted,
    /// The member is required, and null.
    Null,
}

impl Absence {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
    fn is_never(&self) -> bool {
        *self == Self::Never
    }
}

/// A signed fullword: how many values follow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Counter {
    pub name: String,
    pub offset: u32,
    pub minimum: u32,
    pub maximum: u32,
}

/// A character: `U` gives a member the value that follows, `D` deletes it, a blank leaves it as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PatchOperation {
    pub name: String,
    pub offset: u32,
    /// Of an array in a JSON patch, in place of the character: bytes of a text that lists the elements, such as `2,5-7,+`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<u32>,
}

impl PatchOperation {
    pub(crate) fn length(&self) -> u32 {
        self.list.unwrap_or(1)
    }
}

/// OCCURS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Occurs {
    pub times: u32,
    /// From one occurrence to the next, in bytes.
    pub stride: u32,
}

/// What the bytes are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Value {
    /// A JSON object.
    Group { items: Vec<Item> },
    /// A JSON array inside an array: a group whose one item occurs.
    Array { item: Box<Item> },
    /// The name of a data area, sixteen characters, whose elements the counter counts: of an array, or the one element that an
    /// object is.
    Area {
        is_array: bool,
        /// The elements are members of the object around the area, beyond those that have items: groups of a text, the member's
        /// name, and of its value.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_map: bool,
        /// Of an element, in bytes, with what fills it up to a multiple of its strictest alignment.
        length: u32,
        element: Box<Item>,
    },
    /// Characters.
    Text {
        /// First byte of the characters.
        offset: u32,
        /// Of the area for characters, the byte that ends them included.
        bytes: u32,
        ending: Ending,
        /// Longest text in JSON, in characters.
        characters: u32,
        /// They are JSON text: any value, a string with its quotes.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_json: bool,
    },
    /// A binary integer in the byte order of the record.
    Binary { bytes: u8, signed: bool },
    /// Digits in the code page of the record, the sign in the zone of the last one.
    Zoned { digits: u8, signed: bool },
    /// Packed decimal; `scale` of the digits stand behind the decimal point. Without a sign its nibble is F.
    Packed { digits: u8, scale: u8, signed: bool },
    /// A float of four or eight bytes.
    Float { bytes: u8 },
    /// One byte: 0 is false, 1 is true.
    Boolean,
    /// `date-time` as milliseconds since 1900-01-01T00:00:00Z in fifteen packed digits with a sign nibble: CICS ABSTIME.
    Timestamp,
}

/// How the end of a text is found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Ending {
    /// Blanks up to the end of the area.
    Blank,
    /// A byte of zero; the area has one byte more for it.
    Null,
    /// A binary length before it, of 2 or 4 bytes, which counts bytes. `name` is empty in PL/I, where it is part of the text.
    Length { name: String, offset: u32, width: u8 },
}

/// Why a structure cannot be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum StructureError {
    #[error("the structure is longer than {MAXIMUM_LENGTH} bytes")]
    TooLong,
    #[error("the structure is nested deeper than level 48")]
    TooDeep,
    #[error("the structure has more than {MAXIMUM_ITEMS} items")]
    TooMany,
    #[error("the structure has an item that cannot be: {0}")]
    Impossible(&'static str),
    #[error("offsets and lengths of the structure do not agree with its items")]
    Displaced,
}

impl Structure {
    /// A structure of these items, placed.
    ///
    /// # Errors
    /// It goes beyond a limit, or an item has a size that there is not.
    pub fn new(alignment: Alignment, groups: Vec<Item>) -> Result<Self, StructureError> {
        let mut structure = Self { alignment, length: 0, groups };
        structure.lay_out()?;
        Ok(structure)
    }

    /// Whether there are data areas behind the record.
    pub fn has_areas(&self) -> bool {
        fn has(item: &Item) -> bool {
            match &item.value {
                Value::Area { .. } => true,
                Value::Group { items } => items.iter().any(has),
                Value::Array { item } => has(item),
                _ => false,
            }
        }
        self.groups.iter().any(has)
    }

    /// An item of the outermost level, by its name in JSON, such as `ReqBody`.
    pub fn group(&self, name: &str) -> Option<&Item> {
        self.groups.iter().find(|group| group.json_name == name)
    }

    /// Gives every item its place.
    fn lay_out(&mut self) -> Result<(), StructureError> {
        let mut placer = Placer { alignment: self.alignment, items: 0 };
        if self.groups.iter().any(Item::is_map) {
            return Err(StructureError::Impossible(MAP_ALONE));
        }
        let (end, _) = placer.items(&mut self.groups, 0, 0)?;
        self.length = number(end)?;
        Ok(())
    }

    /// Are the places those that `lay_out` gives? To be asked of structures that come from outside.
    ///
    /// # Errors
    /// They are not, or the structure goes beyond a limit.
    pub fn check(&self) -> Result<(), StructureError> {
        let mut placed = self.clone();
        placed.lay_out()?;
        if placed == *self { Ok(()) } else { Err(StructureError::Displaced) }
    }
}

impl Item {
    /// An item that is not placed yet, with neither counter nor OCCURS.
    pub fn new(name: &str, json_name: &str, value: Value) -> Self {
        Self {
            name: name.to_owned(),
            json_name: json_name.to_owned(),
            absence: Absence::Never,
            patch: None,
            is_json_patch: false,
            counter: None,
            occurs: None,
            wrapper: None,
            offset: 0,
            length: 0,
            value,
        }
    }

    /// What a JSON object holds; nothing for any other value.
    pub fn items(&self) -> &[Self] {
        match &self.value {
            Value::Group { items } => items,
            _ => &[],
        }
    }

    /// What an element of a data area is.
    pub fn element(&self) -> Option<&Self> {
        match &self.value {
            Value::Area { element, .. } => Some(element),
            _ => None,
        }
    }

    /// Are its elements members of the object around it?
    pub fn is_map(&self) -> bool {
        matches!(self.value, Value::Area { is_map: true, .. })
    }

    /// A member's name, which has to be there, and its value.
    fn is_entry(&self) -> bool {
        let is_name = |item: &Self| {
            let is_plain =
                item.patch.is_none() && item.counter.is_none() && item.occurs.is_none() && item.wrapper.is_none();
            is_plain && matches!(item.value, Value::Text { is_json: false, .. })
        };
        matches!(self.items(), [name, value] if is_name(name) && !value.is_map())
    }

    /// Is it declared as a group, so that its clauses are in what it holds?
    pub fn is_group(&self) -> bool {
        self.wrapper.is_some() || matches!(self.value, Value::Group { .. } | Value::Array { .. })
    }
}

/// Counts on while items get their places.
struct Placer {
    alignment: Alignment,
    items: usize,
}

impl Placer {
    /// Returns the byte behind the items, and the strictest alignment inside.
    fn items(&mut self, items: &mut [Item], start: u64, depth: usize) -> Result<(u64, u64), StructureError> {
        let (mut end, mut strictest) = (start, 1);
        for item in items {
            let alignment;
            (end, alignment) = self.item(item, end, depth)?;
            strictest = strictest.max(alignment);
        }
        Ok((end, strictest))
    }

    fn item(&mut self, item: &mut Item, start: u64, depth: usize) -> Result<(u64, u64), StructureError> {
        self.items += 1;
        let depth_inside = depth + usize::from(item.wrapper.is_some());
        if depth_inside >= MAXIMUM_DEPTH {
            return Err(StructureError::TooDeep);
        }
        if self.items > MAXIMUM_ITEMS {
            return Err(StructureError::TooMany);
        }
        let (mut start, mut strictest) = (start, 1);
        if let Some(patch) = &mut item.patch {
            let is_array = matches!(item.value, Value::Area { is_array: true, is_map: false, .. });
            if patch.list.is_some_and(|bytes| bytes == 0 || !is_array) {
                return Err(StructureError::Impossible("a list of elements where there is no array"));
            }
            patch.offset = number(start)?;
            start += u64::from(patch.length());
        }
        let has_counter = item.counter.is_some();
        if let Some(counter) = &mut item.counter {
            let times = item.occurs.map_or(1, |occurs| occurs.times);
            let is_area = matches!(item.value, Value::Area { is_array: true, .. });
            if counter.minimum > counter.maximum || (counter.maximum != times && !is_area) {
                return Err(StructureError::Impossible("a counter's range is not that of what it counts"));
            }
            start = self.aligned(start, 4);
            strictest = self.alignment_of(4);
            counter.offset = number(start)?;
            start += 4;
        }
        let is_group = item.is_group();
        let (from, end, alignment) = match &mut item.value {
            Value::Group { items } if items.iter().filter(|item| item.is_map()).count() > 1 => {
                return Err(StructureError::Impossible("a group with two kinds of members beyond its own"));
            }
            Value::Array { item } if item.is_map() => return Err(StructureError::Impossible(MAP_ALONE)),
            Value::Group { items } if !items.is_empty() => {
                let (end, alignment) = self.items(items, start, depth + 1)?;
                (start, end, alignment)
            }
            Value::Group { .. } => return Err(StructureError::Impossible("a group without items")),
            Value::Array { item } if item.occurs.is_some() || item.element().is_some() => {
                let (end, alignment) = self.item(item, start, depth + 1)?;
                (start, end, alignment)
            }
            Value::Array { .. } => {
                return Err(StructureError::Impossible("an array inside an array that does not occur"));
            }
            Value::Area { .. } if !has_counter || item.occurs.is_some() || item.wrapper.is_some() => {
                return Err(StructureError::Impossible("a data area without a counter of its own"));
            }
            Value::Area { is_array, is_map: true, element, .. } if !*is_array || !element.is_entry() => {
                return Err(StructureError::Impossible("members beyond those of a group that have no name and value"));
            }
            Value::Area { length, element, .. } => {
                if element.patch.is_some() || element.counter.is_some() || element.occurs.is_some() {
                    return Err(StructureError::Impossible("an element of a data area that is counted"));
                }
                let (end, alignment) = self.item(element, 0, depth + 1)?;
                *length = number(end.next_multiple_of(alignment))?;
                (start, start + u64::from(AREA_NAME), 1)
            }
            value => self.elementary(value, start)?,
        };
        // A group begins where the item before it ends, however the first item inside is aligned.
        let from = if is_group { start } else { from };
        strictest = strictest.max(alignment);
        item.offset = number(from)?;
        item.length = number(end - from)?;
        let Some(occurs) = &mut item.occurs else { return Ok((number(end)?.into(), strictest)) };
        if occurs.times == 0 {
            return Err(StructureError::Impossible("a table that does not occur once"));
        }
        let length = end - from;
        let stride = if occurs.times > 1 { length.next_multiple_of(alignment) } else { length };
        occurs.stride = number(stride)?;
        let end = from + stride.checked_mul(occurs.times.into()).ok_or(StructureError::TooLong)?;
        Ok((number(end)?.into(), strictest))
    }

    /// Places an elementary item: where it begins, the byte behind it, and its alignment.
    fn elementary(&self, value: &mut Value, start: u64) -> Result<(u64, u64, u64), StructureError> {
        let (length, alignment) = match value {
            Value::Text { offset, bytes, ending, .. } => return self.text(offset, *bytes, ending, start),
            Value::Binary { bytes: bytes @ (2 | 4 | 8), .. } | Value::Float { bytes: bytes @ (4 | 8) } => {
                (u64::from(*bytes), u64::from(*bytes))
            }
            Value::Zoned { digits: digits @ 1..=31, .. } => (u64::from(*digits), 1),
            Value::Packed { digits: digits @ 1..=31, scale, .. } if *scale <= *digits => {
                (u64::from(*digits / 2 + 1), 1)
            }
            Value::Boolean => (1, 1),
            Value::Timestamp => (8, 1),
            Value::Binary { .. } | Value::Float { .. } | Value::Zoned { .. } | Value::Packed { .. } => {
                return Err(StructureError::Impossible("a number of a size that there is not"));
            }
            Value::Group { .. } | Value::Array { .. } | Value::Area { .. } => {
                return Err(StructureError::Impossible("a group where an elementary item belongs"));
            }
        };
        let start = self.aligned(start, alignment);
        Ok((start, start + length, self.alignment_of(alignment)))
    }

    fn text(
        &self,
        at: &mut u32,
        bytes: u32,
        ending: &mut Ending,
        start: u64,
    ) -> Result<(u64, u64, u64), StructureError> {
        let (mut begin, mut alignment, mut behind) = (start, 1, start);
        if let Ending::Length { offset, width, .. } = ending {
            if !matches!(*width, 2 | 4) {
                return Err(StructureError::Impossible("a length of a size that there is not"));
            }
            if *width == 2 && bytes > i16::MAX.unsigned_abs().into() {
                return Err(StructureError::Impossible("a length item too short for its text"));
            }
            begin = self.aligned(start, u64::from(*width));
            alignment = self.alignment_of(u64::from(*width));
            *offset = number(begin)?;
            behind = begin + u64::from(*width);
        }
        if bytes == 0 {
            return Err(StructureError::Impossible("a text without room"));
        }
        *at = number(behind)?;
        Ok((begin, behind + u64::from(bytes), alignment))
    }

    fn aligned(&self, at: u64, alignment: u64) -> u64 {
        at.next_multiple_of(self.alignment_of(alignment))
    }

    fn alignment_of(&self, alignment: u64) -> u64 {
        match self.alignment {
            Alignment::Synchronized => alignment,
            Alignment::Unaligned => 1,
        }
    }
}

fn number(bytes: u64) -> Result<u32, StructureError> {
    if bytes > MAXIMUM_LENGTH {
        Err(StructureError::TooLong)
    } else {
        u32::try_from(bytes).map_err(|_| StructureError::TooLong)
    }
}

#[cfg(test)]
mod tests;
