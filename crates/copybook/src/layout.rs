//! Where each item of a record lies.
//!
//! Offsets and lengths are those of the longest record: tables with DEPENDING ON at their maximum. What comes behind such
//! a table lies closer in a record with fewer occurrences; `plan.rs` works that out per record.
//!
//! Invariants
//! - Items are in record order, each behind its group; item 0 is the record.
//! - No offset plus length is beyond `MAXIMUM_RECORD`.

use std::collections::HashMap;

use crate::error::{CopybookError, Fault, Place, Problem};
use crate::item::{Copybook, DataItem, Renames, SignClause, Usage, Value};
use crate::options::{LayoutOptions, Slack};
use crate::picture::{Category, Picture};

/// The longest record, in bytes: the longest message of a queue.
pub(crate) const MAXIMUM_RECORD: u64 = 100 << 20;

/// A record with the places of its items.
#[derive(Debug, Clone)]
pub struct RecordLayout {
    /// `None`: the entries stood under no level 01.
    pub name: Option<String>,
    /// Of the longest record, in bytes.
    pub length: usize,
    /// Of the record with the fewest occurrences that OCCURS states.
    pub minimum_length: usize,
    /// In record order, item 0 the record itself, also when that is elementary.
    pub items: Vec<LayoutItem>,
    /// Level-66 items of the record.
    pub renames: Vec<RenamesPlace>,
    /// Members of COPY that places name.
    pub(crate) members: Vec<String>,
}

/// A level-66 item: a name for a stretch of the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenamesPlace {
    pub name: String,
    /// Indexes of the first item and of the last one.
    pub from: usize,
    pub through: usize,
}

/// One item, placed.
#[derive(Debug, Clone)]
pub struct LayoutItem {
    /// Names from the record down, joined by periods; FILLER where there is none.
    pub path: String,
    /// `None` is FILLER.
    pub name: Option<String>,
    pub level: u8,
    /// From the start of the longest record to the first occurrence, in bytes.
    pub offset: usize,
    /// Of one occurrence.
    pub length: usize,
    /// `None` for a group.
    pub usage: Option<Usage>,
    pub picture: Option<Picture>,
    pub sign: Option<SignClause>,
    pub justified: bool,
    pub group_usage: Option<Usage>,
    pub blank_when_zero: bool,
    /// A PIC U item is counted in bytes.
    pub has_byte_length: bool,
    pub value: Option<Value>,
    pub occurs: Option<Repetition>,
    /// Index of the item whose place this one takes.
    pub redefines: Option<usize>,
    pub parent: Option<usize>,
    pub children: Vec<usize>,
    pub(crate) place: Place,
}

/// OCCURS of a placed item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repetition {
    pub minimum: u32,
    pub maximum: u32,
    /// Index of the item that holds the number of occurrences.
    pub depending_on: Option<usize>,
}

impl LayoutItem {
    pub fn is_group(&self) -> bool {
        self.usage.is_none()
    }

    /// The name, or FILLER.
    pub fn spoken_name(&self) -> &str {
        self.name.as_deref().unwrap_or("FILLER")
    }

    /// Of all occurrences.
    pub fn total_length(&self) -> usize {
        self.length * self.occurs.map_or(1, |occurs| occurs.maximum as usize)
    }
}

impl Copybook {
    /// Places the items of a record; `None` takes the only one.
    ///
    /// # Errors
    /// There is no such record, or several to choose from; REDEFINES or DEPENDING ON of something that is not there; a
    /// record that is too long.
    pub fn layout(&self, record: Option<&str>, options: &LayoutOptions) -> Result<RecordLayout, CopybookError> {
        let record = self.record(record).map_err(|fault| fault.named(&self.members))?;
        let layout = place(record, options).map_err(|fault| fault.named(&self.members))?;
        let index = |name: &str| {
            layout.items.iter().position(|item| item.name.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(name)))
        };
        // Those of other records have items that this one lacks.
        let placed = |renames: &Renames| {
            let from = index(&renames.from)?;
            let through = renames.through.as_deref().map_or(Some(from), index)?;
            Some(RenamesPlace { name: renames.name.clone(), from, through })
        };
        let renames = self.renames.iter().filter_map(placed).collect();
        Ok(RecordLayout { members: self.members.clone(), renames, ..layout })
    }

    /// Names of all records, those of level 77 behind the others.
    pub fn record_names(&self) -> Vec<&str> {
        self.records.iter().chain(&self.standalone).map(DataItem::spoken_name).collect()
    }

    fn record(&self, name: Option<&str>) -> Result<&DataItem, Fault> {
        let known = || self.record_names().join(", ");
        let all = || self.records.iter().chain(&self.standalone);
        let place = all().next().map(|record| record.place).unwrap_or_default();
        match name {
            Some(name) => {
                let is_named =
                    |record: &&DataItem| record.name.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(name));
                match all().filter(is_named).collect::<Vec<_>>().as_slice() {
                    [] => Err(Fault::at(place, Problem::RecordUnknown { name: name.to_owned(), known: known() })),
                    [only] => Ok(only),
                    [_, second, ..] => Err(Fault::at(second.place, Problem::RecordTwice { name: name.to_owned() })),
                }
            }
            None => match (self.records.as_slice(), self.standalone.as_slice()) {
                ([only], _) | ([], [only]) => Ok(only),
                _ => Err(Fault::at(place, Problem::RecordAmbiguous { known: known() })),
            },
        }
    }
}

fn place(record: &DataItem, options: &LayoutOptions) -> Result<RecordLayout, Fault> {
    let mut placer = Placer { options, items: Vec::new(), by_name: HashMap::new() };
    let placed = placer.item(record, None, 0)?;
    let length = placed.end;
    check_variable_alternatives(&placer.items)?;
    let minimum_length = minimum(&placer.items, 0);
    let (name, length) = (record.name.clone(), bytes(length));
    Ok(RecordLayout { name, length, minimum_length, items: placer.items, renames: Vec::new(), members: Vec::new() })
}

struct Placer<'a> {
    options: &'a LayoutOptions,
    items: Vec<LayoutItem>,
    /// Items that have a name, by that in upper case, in their order.
    by_name: HashMap<String, Vec<usize>>,
}

/// What placing an item tells its group.
struct Placed {
    index: usize,
    /// Behind all occurrences.
    end: u64,
    /// The strictest alignment inside.
    alignment: u64,
}

impl Placer<'_> {
    /// `start` is the first free byte, counted from the start of the record.
    fn item(&mut self, item: &DataItem, parent: Option<usize>, start: u64) -> Result<Placed, Fault> {
        let fault = |problem| Fault::of_item(item.place, item.spoken_name(), problem);
        let too_long = || fault(Problem::RecordTooLong { maximum: MAXIMUM_RECORD });
        let start = start + slack(start, self.leading_alignment(item));
        let index = self.items.len();
        let occurs = self.repetition(item, parent)?;
        if let Some(name) = &item.name {
            self.by_name.entry(name.to_ascii_uppercase()).or_default().push(index);
        }
        self.items.push(LayoutItem {
            path: self.path(item, parent),
            name: item.name.clone(),
            level: item.level,
            offset: bytes(start),
            length: 0,
            usage: (!item.is_group()).then_some(item.usage),
            picture: item.picture.clone(),
            sign: item.sign,
            justified: item.justified,
            group_usage: item.group_usage,
            blank_when_zero: item.blank_when_zero,
            has_byte_length: item.byte_length.is_some(),
            value: item.value.clone(),
            occurs,
            redefines: None,
            parent,
            children: Vec::new(),
            place: item.place,
        });
        let count = u64::from(occurs.map_or(1, |occurs| occurs.maximum));
        let (mut length, alignment) = if item.is_group() {
            self.group(item, index, start)?
        } else {
            (storage(item, self.options), self.alignment(item))
        };
        if count > 1 {
            length += slack(length, alignment);
        }
        let end = start + length.checked_mul(count).filter(|&all| all <= MAXIMUM_RECORD).ok_or_else(too_long)?;
        if end > MAXIMUM_RECORD {
            return Err(too_long());
        }
        self.items[index].length = bytes(length);
        Ok(Placed { index, end, alignment })
    }

    /// Length and alignment of one occurrence.
    fn group(&mut self, group: &DataItem, index: usize, start: u64) -> Result<(u64, u64), Fault> {
        let mut end = start;
        let mut alignment = 1;
        // The last item that is no alternative: the only one that may be redefined.
        let mut base: Option<usize> = None;
        for child in &group.children {
            let placed = match &child.redefines {
                Some(name) => {
                    let redefined = self.redefined(child, name, index, base)?;
                    let placed = self.item(child, Some(index), self.items[redefined].offset as u64)?;
                    self.items[placed.index].redefines = Some(redefined);
                    placed
                }
                None => {
                    let placed = self.item(child, Some(index), end)?;
                    base = Some(placed.index);
                    placed
                }
            };
            self.items[index].children.push(placed.index);
            end = end.max(placed.end);
            alignment = alignment.max(placed.alignment);
        }
        Ok((end - start, alignment))
    }

    fn redefined(&self, item: &DataItem, name: &str, group: usize, base: Option<usize>) -> Result<usize, Fault> {
        let fault = |problem| Fault::of_item(item.place, item.spoken_name(), problem);
        let is_beside = |index: &&usize| self.items[**index].parent == Some(group);
        let Some(&found) = self.named(name).iter().rev().find(is_beside) else {
            return Err(fault(Problem::RedefinesUnknown { name: name.to_owned() }));
        };
        let first = self.items[found].redefines.unwrap_or(found);
        if Some(first) != base {
            let why = "other items stand between the two";
            return Err(fault(Problem::Redefines { name: name.to_owned(), why }));
        }
        Ok(first)
    }

    fn path(&self, item: &DataItem, parent: Option<usize>) -> String {
        match parent.map(|parent| &self.items[parent]) {
            Some(parent) if parent.level > 0 => format!("{}.{}", parent.path, item.spoken_name()),
            _ if item.level == 0 => String::new(),
            _ => item.spoken_name().to_owned(),
        }
    }

    /// Alignment that holds before the item: its own, and under `Slack::Enterprise` that of the item it begins with.
    fn leading_alignment(&self, item: &DataItem) -> u64 {
        if item.redefines.is_some() {
            return 1;
        }
        match (item.children.first(), self.options.slack) {
            (None, _) => self.alignment(item),
            (Some(first), Slack::Enterprise) => self.leading_alignment(first),
            (Some(_), Slack::Natural) => 1,
        }
    }

    fn alignment(&self, item: &DataItem) -> u64 {
        if !item.synchronized || item.is_group() {
            return 1;
        }
        let length = storage(item, self.options);
        let fullword = match self.options.slack {
            Slack::Natural => length,
            Slack::Enterprise => length.min(4),
        };
        match item.usage {
            Usage::Binary | Usage::Native | Usage::CompX | Usage::CompN | Usage::Sized { .. } => {
                if length.is_power_of_two() { fullword } else { 1 }
            }
            Usage::Float | Usage::Index => 4,
            Usage::Double => 8,
            Usage::Pointer | Usage::FunctionPointer | Usage::ProcedurePointer => fullword,
            Usage::Display
            | Usage::Display1
            | Usage::National
            | Usage::Utf8
            | Usage::Packed
            | Usage::PackedUnsigned => 1,
        }
    }

    fn repetition(&self, item: &DataItem, parent: Option<usize>) -> Result<Option<Repetition>, Fault> {
        let Some(occurs) = &item.occurs else { return Ok(None) };
        let depending_on = match &occurs.depending_on {
            Some(names) => Some(self.object(item, names, parent)?),
            None => None,
        };
        Ok(Some(Repetition { minimum: occurs.minimum, maximum: occurs.maximum, depending_on }))
    }

    /// The object of DEPENDING ON: the only item of that name before the table, which needs no subscript there.
    fn object(&self, item: &DataItem, names: &[String], parent: Option<usize>) -> Result<usize, Fault> {
        let spoken = names.join(" OF ");
        let fault = |problem| Fault::of_item(item.place, item.spoken_name(), problem);
        let ancestors: Vec<usize> = std::iter::successors(parent, |&index| self.items[index].parent).collect();
        let Some((first, qualifiers)) = names.split_first() else {
            return Err(fault(Problem::DependingUnknown { name: spoken }));
        };
        let named = self.named(first).iter().copied().filter(|&index| self.is_below(index, qualifiers));
        let named: Vec<usize> = named.collect();
        let is_usable = |index: &usize| !ancestors.contains(index) && self.needs_no_subscript(*index, &ancestors);
        let found = match named.as_slice() {
            [only] => Some(*only),
            _ if !named.iter().any(is_usable) => None,
            several => {
                // Qualified by all groups around it, an item is meant even if others have the same groups and more.
                let mut complete = several.iter().filter(|&&index| self.is_completely_named(index, names));
                match (complete.next(), complete.next()) {
                    (Some(&only), None) => Some(only),
                    _ => return Err(fault(Problem::DependingAmbiguous { name: spoken })),
                }
            }
        };
        let Some(found) = found.filter(is_usable) else {
            return Err(fault(Problem::DependingUnknown { name: spoken }));
        };
        let object = &self.items[found];
        let scale = object.picture.as_ref().map_or(0, |picture| picture.scale);
        let is_integer = match object.usage {
            Some(Usage::Display | Usage::National | Usage::Packed | Usage::PackedUnsigned | Usage::Binary) => {
                object.picture.as_ref().is_some_and(|picture| picture.category == Category::Numeric)
            }
            Some(Usage::Native | Usage::CompX | Usage::CompN | Usage::Sized { .. } | Usage::Index) => true,
            _ => false,
        };
        if !is_integer || scale != 0 || object.occurs.is_some() {
            return Err(fault(Problem::Depending { name: spoken, why: "it is no integer" }));
        }
        Ok(found)
    }

    fn named(&self, name: &str) -> &[usize] {
        self.by_name.get(&name.to_ascii_uppercase()).map_or(&[], Vec::as_slice)
    }

    /// Whether the item is below groups of these names, in order.
    fn is_below(&self, index: usize, qualifiers: &[String]) -> bool {
        let is =
            |at: usize, name: &str| self.items[at].name.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(name));
        let mut above = std::iter::successors(self.items[index].parent, |&at| self.items[at].parent);
        qualifiers.iter().all(|name| above.any(|at| is(at, name)))
    }

    /// Whether the qualifiers of an item that has them are all groups around it that have names, up to the level 01.
    fn is_completely_named(&self, index: usize, names: &[String]) -> bool {
        let chain = std::iter::successors(Some(index), |&at| self.items[at].parent);
        let with_names = chain.filter(|&at| self.items[at].name.is_some()).count();
        self.items[0].name.is_some() && with_names == names.len()
    }

    /// Whether all tables around the item are around the table that asks, too.
    fn needs_no_subscript(&self, index: usize, ancestors: &[usize]) -> bool {
        std::iter::successors(Some(index), |&at| self.items[at].parent)
            .all(|at| self.items[at].occurs.is_none() || ancestors.contains(&at))
    }
}

impl RecordLayout {
    /// Whether the number of occurrences of a table at or below the item changes its length.
    pub(crate) fn is_variable(&self, index: usize) -> bool {
        is_variable(&self.items, index)
    }
}

fn is_variable(items: &[LayoutItem], index: usize) -> bool {
    let item = &items[index];
    item.occurs.is_some_and(|occurs| occurs.depending_on.is_some())
        || item.children.iter().any(|&child| items[child].redefines.is_none() && is_variable(items, child))
}

/// An item that is redefined has a fixed length; a variable table in an alternative is the last thing there.
fn check_variable_alternatives(items: &[LayoutItem]) -> Result<(), Fault> {
    for (index, item) in items.iter().enumerate() {
        let Some(redefined) = item.redefines else { continue };
        if is_variable(items, redefined) {
            let why = "it has a table with DEPENDING ON";
            let problem = Problem::Redefines { name: items[redefined].spoken_name().to_owned(), why };
            return Err(Fault::of_item(item.place, item.spoken_name(), problem));
        }
        if !variable_only_at_end(items, index) {
            let why = "it has items behind a table with DEPENDING ON";
            let problem = Problem::Redefines { name: items[redefined].spoken_name().to_owned(), why };
            return Err(Fault::of_item(item.place, item.spoken_name(), problem));
        }
    }
    Ok(())
}

fn variable_only_at_end(items: &[LayoutItem], index: usize) -> bool {
    let children = &items[index].children;
    let last = children.iter().rposition(|&child| items[child].redefines.is_none()).unwrap_or(0);
    children.iter().enumerate().all(|(at, &child)| {
        !is_variable(items, child)
            || (at == last && (items[child].occurs.is_none() || !inner_variable(items, child)))
                && variable_only_at_end(items, child)
    })
}

/// Whether one occurrence has no fixed length.
fn inner_variable(items: &[LayoutItem], index: usize) -> bool {
    items[index].children.iter().any(|&child| is_variable(items, child))
}

/// Length with the fewest occurrences, in bytes. Slack and padding are as in the longest record.
fn minimum(items: &[LayoutItem], index: usize) -> usize {
    let item = &items[index];
    let saved: usize = item
        .children
        .iter()
        .filter(|&&child| items[child].redefines.is_none())
        .map(|&child| items[child].total_length() - minimum(items, child))
        .sum();
    let one = item.length - saved;
    match item.occurs {
        Some(Repetition { minimum, depending_on: Some(_), .. }) => one * minimum as usize,
        Some(Repetition { maximum, .. }) => one * maximum as usize,
        None => one,
    }
}

fn slack(offset: u64, alignment: u64) -> u64 {
    (alignment - offset % alignment) % alignment
}

/// Within `MAXIMUM_RECORD`, which any `usize` holds.
fn bytes(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Bytes of an elementary item, one occurrence.
fn storage(item: &DataItem, options: &LayoutOptions) -> u64 {
    let (positions, digits, signed) = match &item.picture {
        Some(picture) => (u64::from(picture.positions), picture.digits, picture.signed),
        None => (0, 0, false),
    };
    let is_number = digits > 0;
    let separate = u64::from(item.sign.is_some_and(|sign| sign.separate));
    let pointer = u64::from(options.pointer_bytes);
    match item.usage {
        Usage::Display => positions + separate,
        Usage::National => 2 * (positions + separate),
        Usage::Display1 => 2 * positions,
        Usage::Utf8 => item.byte_length.map_or(4 * positions, u64::from),
        Usage::CompX | Usage::CompN if is_number => minimal_bytes(digits, signed),
        Usage::Binary | Usage::Native if is_number => match digits {
            1..=2 if options.byte_binary => 1,
            1..=4 => 2,
            5..=9 => 4,
            10..=18 => 8,
            _ => 16,
        },
        Usage::Binary | Usage::Native | Usage::CompX | Usage::CompN => positions,
        Usage::Packed => u64::from(digits / 2 + 1),
        Usage::PackedUnsigned => u64::from(digits.div_ceil(2)),
        Usage::Sized { bytes, .. } => u64::from(bytes),
        Usage::Float | Usage::Index => 4,
        Usage::Double => 8,
        Usage::ProcedurePointer if options.slack == Slack::Enterprise => 8,
        Usage::Pointer | Usage::FunctionPointer | Usage::ProcedurePointer => pointer,
    }
}

/// The fewest bytes that hold all numbers of so many digits.
fn minimal_bytes(digits: u32, signed: bool) -> u64 {
    let largest = crate::decimal::power_of_ten(digits).map_or(u128::MAX, |limit| limit - 1);
    let bits = 128 - largest.leading_zeros() + u32::from(signed);
    u64::from(bits.div_ceil(8)).min(16)
}
