//! A layout and options made into a plan that `decode.rs` and `encode.rs` follow without looking at the copybook again.
//!
//! A *frame* is a stretch of the record whose items keep their distance: the record, an element of a table, a group with a
//! variable table inside. It is cut into *runs* of fixed bytes; behind each run but the last stands one item of variable
//! length. Places within a run are constant, so only the starts of runs are worked out per record.
//!
//! ```text
//! frame:  | run 0: NAME COUNT      | LINES occurs 0 to 9 | run 1: TOTAL FILLER | NOTES ... | run 2 |
//! ```
//!
//! Invariants
//! - A group of fixed length has no runs of its own; its members lie in the run around it.
//! - Members are in record order; `by_name` orders them by name.
//! - Each object of DEPENDING ON has a slot, and is read or set where its frame's run begins.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use codepage::{ByteOrder, CharacterSet};

use crate::codec::{Codec, Scale, Set, Sets};
use crate::error::{Fault, PlanError, Problem};
use crate::float::FloatKind;
use crate::item::Usage;
use crate::json;
use crate::layout::{LayoutItem, RecordLayout, RenamesPlace};
use crate::names::{self, Names};
use crate::node::{Counter, Group, Key, Member, Node, NodeKind, Run, Table};
use crate::options::{Adjustment, Change, ConvertOptions, FloatForm, Graphic, Redefines};
use crate::picture::Category;
use crate::selector::Selection;
use crate::shape::ValueKind;
use crate::text::TextCodec;
use crate::zoned::Zoned;

/// The name of an item without one.
const FILLER: &str = "FILLER";
/// Most names that an error offers, and most items inside of an alternative that are tried for one.
const MOST_CHOICES: usize = 8;

/// Turns records of one layout into JSON and back.
#[derive(Clone)]
pub struct Converter {
    pub(crate) sets: Sets,
    pub(crate) nodes: Vec<Node>,
    pub(crate) root: usize,
    /// Paths of items, for errors.
    pub(crate) paths: Vec<String>,
    /// How many objects of DEPENDING ON there are.
    pub(crate) slots: usize,
    pub(crate) ignore_unknown: bool,
    pub(crate) ignore_excess: bool,
    pub(crate) allow_short: bool,
    pub(crate) omit_empty: bool,
    pub(crate) omit_filled_with: Option<u8>,
    pub(crate) exact: bool,
    /// Plans that take the place of this one, by a field's value.
    pub(crate) selection: Option<Box<Selection>>,
}

impl Converter {
    /// # Errors
    /// A code page that is not known or cannot hold the items; an alternative that is none; a VALUE that does not fit.
    pub fn new(layout: &RecordLayout, options: &ConvertOptions) -> Result<Self, PlanError> {
        let sets = sets(options)?;
        let mut planner = Planner {
            layout,
            options,
            sets,
            nodes: Vec::new(),
            slots: HashMap::new(),
            chosen: HashMap::new(),
            changes: HashMap::new(),
        };
        planner.choose_alternatives()?;
        planner.find_adjusted()?;
        for item in &layout.items {
            if let Some(object) = item.occurs.and_then(|occurs| occurs.depending_on) {
                let next = planner.slots.len();
                planner.slots.entry(object).or_insert(next);
            }
        }
        let root = planner.record()?;
        let selection = options.choices.as_ref().map(|choices| Selection::new(layout, options, choices)).transpose()?;
        Ok(Self {
            selection: selection.map(Box::new),
            root,
            slots: planner.slots.len(),
            paths: layout.items.iter().map(|item| item.path.clone()).collect(),
            sets: planner.sets,
            nodes: planner.nodes,
            ignore_unknown: options.ignore_unknown,
            ignore_excess: options.ignore_excess,
            allow_short: options.allow_short,
            omit_empty: options.omit_empty,
            omit_filled_with: options.omit_filled_with,
            exact: options.exact,
        })
    }
}

fn sets(options: &ConvertOptions) -> Result<Sets, PlanError> {
    let set = |ccsid: u32| CharacterSet::of(ccsid, options.byte_order).ok_or(PlanError::UnknownCodepage { ccsid });
    let codec = |set| TextCodec::new(set, options.strict_characters);
    Ok(Sets {
        display: codec(set(options.ccsid)?),
        national: codec(set(1200)?),
        utf_8: codec(set(1208)?),
        graphic: match options.graphic {
            Graphic::Hexadecimal => None,
            Graphic::Text(set) => Some(codec(set)),
        },
    })
}

struct Planner<'a> {
    layout: &'a RecordLayout,
    options: &'a ConvertOptions,
    sets: Sets,
    nodes: Vec<Node>,
    /// Of objects of DEPENDING ON, by item.
    slots: HashMap<usize, usize>,
    /// The alternative taken in place of an item that is redefined, where it is not the item itself.
    chosen: HashMap<usize, usize>,
    /// By item.
    changes: HashMap<usize, Changes>,
}

/// What adjustments say of one item.
#[derive(Default)]
struct Changes {
    name: Option<String>,
    is_omitted: bool,
    default: Option<String>,
}

/// A frame while it is put together.
#[derive(Default)]
struct Frame {
    runs: Vec<Run>,
    /// Offset in the longest record where the current run begins.
    base: usize,
}

/// Where the value of a member lies.
#[derive(Clone, Copy)]
struct Place {
    node: usize,
    run: usize,
    offset: usize,
}

/// A group while it is put together.
#[derive(Default)]
struct Members {
    members: Vec<Member>,
    names: Names,
}

impl Planner<'_> {
    fn item(&self, index: usize) -> &LayoutItem {
        &self.layout.items[index]
    }

    /// Each name stands for one item, and takes every alternative around it, itself included.
    fn choose_alternatives(&mut self) -> Result<(), PlanError> {
        let redefined: HashSet<usize> = self.layout.items.iter().filter_map(|item| item.redefines).collect();
        let area_of = |index: usize| self.item(index).redefines.or(redefined.get(&index).copied());
        let mut chosen: HashMap<usize, (usize, &String)> = HashMap::new();
        for wanted in &self.options.alternatives {
            let found = self.alternative(wanted, &area_of)?;
            for index in std::iter::successors(Some(found), |&index| self.item(index).parent) {
                let Some(area) = area_of(index) else { continue };
                let &mut (taken, first) = chosen.entry(area).or_insert((index, wanted));
                if taken != index {
                    let (first, second, item) = (first.clone(), wanted.clone(), self.item(area).path.clone());
                    return Err(PlanError::ConflictingAlternatives { first, second, item });
                }
            }
        }
        self.chosen = chosen.into_iter().map(|(area, (index, _))| (area, index)).collect();
        Ok(())
    }

    /// The item that a name, or the end of a path, stands for: an alternative before what is inside of one, and a whole path
    /// before others that end so.
    fn alternative(&self, wanted: &str, area_of: &dyn Fn(usize) -> Option<usize>) -> Result<usize, PlanError> {
        let named = self.named_alternatives(wanted, area_of);
        match named.as_slice() {
            [] => Err(PlanError::UnknownAlternative { name: wanted.to_owned() }),
            [only] => Ok(*only),
            several => {
                let choices = several.iter().filter_map(|&index| self.unmistakable(index, area_of)).take(MOST_CHOICES);
                Err(PlanError::AmbiguousAlternative { name: wanted.to_owned(), choices: choices.collect() })
            }
        }
    }

    fn named_alternatives(&self, wanted: &str, area_of: &dyn Fn(usize) -> Option<usize>) -> Vec<usize> {
        let upper = wanted.to_uppercase();
        let below = format!(".{upper}");
        let is_inside = |index: &usize| {
            std::iter::successors(Some(*index), |&index| self.item(index).parent).any(|index| area_of(index).is_some())
        };
        let path = |index: usize| self.item(index).path.to_uppercase();
        let ends_so = |index: &usize| path(*index) == upper || path(*index).ends_with(&below);
        let mut named: Vec<usize> = (0..self.layout.items.len()).filter(ends_so).filter(is_inside).collect();
        let preferred: [&dyn Fn(usize) -> bool; 2] = [&|index| area_of(index).is_some(), &|index| path(index) == upper];
        for is_preferred in preferred {
            if named.iter().any(|&index| is_preferred(index)) {
                named.retain(|&index| is_preferred(index));
            }
        }
        named
    }

    /// What stands for this alternative alone: its path, or else the name of an item inside.
    fn unmistakable(&self, index: usize, area_of: &dyn Fn(usize) -> Option<usize>) -> Option<String> {
        let path = &self.item(index).path;
        if self.named_alternatives(path, area_of) == [index] {
            return Some(path.clone());
        }
        let is_below = |inner: usize| {
            std::iter::successors(self.item(inner).parent, |&above| self.item(above).parent).any(|above| above == index)
        };
        (index + 1..self.layout.items.len())
            .take_while(|&inner| is_below(inner))
            .take(MOST_CHOICES)
            .filter(|&inner| area_of(inner).is_none() || self.item(inner).redefines.is_some())
            .filter_map(|inner| Some((inner, self.item(inner).name.as_ref()?)))
            .find(|(inner, name)| self.named_alternatives(name, area_of) == [*inner])
            .map(|(_, name)| name.clone())
    }

    fn find_adjusted(&mut self) -> Result<(), PlanError> {
        for Adjustment { item: wanted, change } in &self.options.adjustments {
            let upper = wanted.to_uppercase();
            let below = format!(".{upper}");
            let paths = self.layout.items.iter().map(|item| item.path.to_uppercase());
            let named: Vec<usize> = paths
                .enumerate()
                .filter(|(_, path)| *path == upper || path.ends_with(&below))
                .map(|(index, _)| index)
                .collect();
            let index = match named.as_slice() {
                [] => return Err(PlanError::UnknownItem { name: wanted.clone() }),
                [only] => *only,
                several => {
                    let choices = several.iter().map(|&index| self.item(index).path.clone()).take(MOST_CHOICES);
                    return Err(PlanError::AmbiguousItem { name: wanted.clone(), choices: choices.collect() });
                }
            };
            let of_group = self.item(index).is_group();
            let changes = self.changes.entry(index).or_default();
            match change {
                Change::Rename(name) => changes.name = Some(name.clone()),
                Change::Omit => changes.is_omitted = true,
                Change::Default(value) if of_group => {
                    let item = self.item(index).path.clone();
                    return Err(PlanError::Default { item, value: value.clone(), problem: None });
                }
                Change::Default(value) => changes.default = Some(value.clone()),
            }
        }
        Ok(())
    }

    /// The record as a frame; an elementary record, or a table, as the only member of one.
    fn record(&mut self) -> Result<usize, PlanError> {
        let record = self.item(0);
        if record.is_group() && record.occurs.is_none() {
            return self.frame(0);
        }
        let mut frame = Frame { runs: vec![Run::default()], base: 0 };
        let mut members = Members::default();
        self.child(0, &mut frame, &mut members, None, false)?;
        self.finish_run(&mut frame, self.layout.length);
        Ok(self.push_group(0, None, members, frame.runs))
    }

    /// A group as a frame of its own; counters and runs included.
    fn frame(&mut self, index: usize) -> Result<usize, PlanError> {
        let item = self.item(index);
        let (offset, length) = (item.offset, item.length);
        let mut frame = Frame { runs: vec![Run::default()], base: offset };
        let mut members = Members::default();
        self.children(index, &mut frame, &mut members, None, false)?;
        self.finish_run(&mut frame, offset + length);
        let fixed = frame.runs.len() == 1;
        if index == 0 && fixed && self.options.redefines == Redefines::All {
            self.renames(&mut members)?;
        }
        Ok(self.push_group(index, fixed.then_some(length), members, frame.runs))
    }

    fn push_group(&mut self, item: usize, length: Option<usize>, members: Members, runs: Vec<Run>) -> usize {
        let members = members.members;
        let visible = members.iter().zip(0u32..).filter(|(member, _)| !member.is_hidden);
        let mut by_name: Vec<u32> = visible.map(|(_, index)| index).collect();
        by_name.sort_by(|&one, &two| members[one as usize].name.cmp(&members[two as usize].name));
        self.push(item, length, NodeKind::Group(Group::new(members, by_name, runs)))
    }

    fn push(&mut self, item: usize, length: Option<usize>, kind: NodeKind) -> usize {
        self.nodes.push(Node { item, length, kind });
        self.nodes.len() - 1
    }

    /// `origin` is the start of a group without runs, from which its members count; others count from their run.
    /// `anchored`: variable tables keep their place.
    fn children(
        &mut self,
        group: usize,
        frame: &mut Frame,
        members: &mut Members,
        origin: Option<usize>,
        anchored: bool,
    ) -> Result<(), PlanError> {
        let start = (frame.runs.len() - 1, self.item(group).offset - frame.base);
        let children = self.item(group).children.clone();
        let mut alternatives_of: HashMap<usize, Vec<usize>> = HashMap::new();
        for &child in &children {
            if let Some(redefined) = self.item(child).redefines {
                alternatives_of.entry(redefined).or_default().push(child);
            }
        }
        let mut end = self.item(group).offset;
        for child in children {
            if self.item(child).redefines.is_some() {
                continue;
            }
            let (from, total) = (self.item(child).offset, self.item(child).total_length());
            self.gap(group, end..from, frame, members, origin);
            end = from + total;
            let alternatives = alternatives_of.remove(&child).unwrap_or_default();
            if alternatives.is_empty() {
                self.child(child, frame, members, origin, anchored)?;
                continue;
            }
            let taken = self.chosen.get(&child).copied().unwrap_or(child);
            let area = alternatives.iter().chain([&child]).map(|&each| self.item(each).total_length()).max();
            self.blank(frame, self.item(child).offset, area.unwrap_or(0));
            let others: Vec<usize> = [child].into_iter().chain(alternatives).filter(|&each| each != taken).collect();
            for &each in &others {
                self.counters_of_others(each, frame)?;
            }
            self.child(taken, frame, members, origin, true)?;
            if self.options.redefines == Redefines::All {
                others.into_iter().try_for_each(|each| self.view(each, frame, members, origin))?;
            }
            end = from + self.item(taken).total_length();
            self.gap(group, end..from + area.unwrap_or(0), frame, members, origin);
            end = end.max(from + area.unwrap_or(0));
        }
        self.gap(group, end..self.item(group).offset + self.item(group).length, frame, members, origin);
        if self.item(group).value.is_some() && !self.options.ignore_values {
            self.value_of_group(group, start, frame, members)
        } else {
            Ok(())
        }
    }

    /// An alternative beside the one whose initial bytes the area has.
    fn view(
        &mut self,
        index: usize,
        frame: &Frame,
        members: &mut Members,
        origin: Option<usize>,
    ) -> Result<(), PlanError> {
        // What it puts there, and its counters, which the frame has already, are not wanted.
        let mut scratch = Frame { runs: frame.runs.clone(), base: frame.base };
        let before = members.members.len();
        self.child(index, &mut scratch, members, origin, true)?;
        members.members[before..].iter_mut().for_each(|member| member.is_view = true);
        Ok(())
    }

    /// Level-66 items, in a record of fixed length: an elementary item by another name, or text over all that lies between.
    fn renames(&mut self, members: &mut Members) -> Result<(), PlanError> {
        for RenamesPlace { name, from, through } in &self.layout.renames {
            let (first, last) = (self.item(*from), self.item(*through));
            let (offset, end) = (first.offset, last.offset + last.total_length());
            let codec = match from == through && !first.is_group() && first.occurs.is_none() {
                true => self.codec(*from)?,
                false => Codec::Text { set: Set::Display, justified: false },
            };
            let node = self.push(*from, Some(end.saturating_sub(offset)), NodeKind::Field(codec));
            let name = members.names.unique(names::styled(name, self.options.names));
            let member = self.push_member(name, false, Place { node, run: 0, offset }, None, members);
            members.members[member].is_view = true;
        }
        Ok(())
    }

    /// Bytes that no item has: slack, and the end of an area whose alternative is short. A member where every byte counts.
    fn gap(
        &mut self,
        group: usize,
        bytes: Range<usize>,
        frame: &mut Frame,
        members: &mut Members,
        origin: Option<usize>,
    ) {
        if !self.options.exact || bytes.is_empty() {
            return;
        }
        if let Some(run) = frame.runs.last_mut() {
            grow(&mut run.template, bytes.end - frame.base);
        }
        let codec = Codec::Text { set: Set::Display, justified: false };
        let node = self.push(group, Some(bytes.len()), NodeKind::Field(codec));
        let name = members.names.unique(names::styled(FILLER, self.options.names));
        let run = frame.runs.len() - 1;
        self.push_member(
            name,
            false,
            Place { node, run, offset: bytes.start - origin.unwrap_or(frame.base) },
            None,
            members,
        );
    }

    /// VALUE of a group, text as long as the group at its longest, over what its items have put there. `start`: the run
    /// where the group begins, and its place there. What a record may move has to be the same wherever it comes to lie.
    fn value_of_group(
        &mut self,
        group: usize,
        (first, start): (usize, usize),
        frame: &mut Frame,
        members: &Members,
    ) -> Result<(), PlanError> {
        let item = self.item(group);
        let set = match item.group_usage {
            Some(Usage::National) => Set::National,
            Some(Usage::Utf8) => Set::Utf8,
            _ => Set::Display,
        };
        let mut text = vec![0; item.length];
        self.initial(group, &Codec::Text { set, justified: false }, &mut text)?;
        self.finish_run(frame, item.offset + item.length);
        let template = &mut frame.runs[first].template[start..];
        let (fixed, moved) = text.split_at(template.len().min(text.len()));
        template[..fixed.len()].copy_from_slice(fixed);
        let Some(&byte) = moved.first() else { return Ok(()) };
        let blank = self.sets.of(set).blank();
        if blank.len() > 1 && moved.chunks(blank.len()).all(|unit| unit == blank) {
            // Items of such a group are blank by themselves.
            return Ok(());
        }
        if moved.iter().any(|other| *other != byte) {
            return Err(self.wrong_value(group, |value| Problem::ValueOfTable { value }));
        }
        for run in &mut frame.runs[first + 1..] {
            run.template.fill(byte);
        }
        for then in frame.runs[first..].iter().filter_map(|run| run.then) {
            self.fill(members.members[then].node, byte);
        }
        Ok(())
    }

    /// All bytes that a node of variable length has before anything is put there.
    fn fill(&mut self, node: usize, byte: u8) {
        let inner: Vec<usize> = match &mut self.nodes[node].kind {
            NodeKind::Field(_) => Vec::new(),
            NodeKind::Group(group) => {
                group.runs.iter_mut().for_each(|run| run.template.fill(byte));
                let variable = group.runs.iter().filter_map(|run| run.then);
                variable.map(|then| group.members[then].node).collect()
            }
            NodeKind::Table(table) => {
                table.template.fill(byte);
                vec![table.element]
            }
        };
        inner.into_iter().for_each(|node| self.fill(node, byte));
    }

    /// Bytes of an alternative that is shorter than its neighbours are blanks at its end.
    fn blank(&self, frame: &mut Frame, offset: usize, length: usize) {
        let start = offset - frame.base;
        let Some(run) = frame.runs.last_mut() else { return };
        grow(&mut run.template, start + length);
        self.sets.display.fill(&mut run.template[start..]);
    }

    /// Objects of DEPENDING ON in an alternative that is not taken still count.
    fn counters_of_others(&mut self, index: usize, frame: &mut Frame) -> Result<(), PlanError> {
        if self.slots.contains_key(&index) {
            let codec = self.codec(index)?;
            self.add_counter(index, codec, frame);
        }
        for child in self.item(index).children.clone() {
            self.counters_of_others(child, frame)?;
        }
        Ok(())
    }

    fn add_counter(&mut self, index: usize, codec: Codec, frame: &mut Frame) {
        let (offset, length) = (self.item(index).offset - frame.base, self.item(index).length);
        let Some(&slot) = self.slots.get(&index) else { return };
        if let Some(run) = frame.runs.last_mut() {
            run.counters.push(Counter { slot, offset, length, item: index, codec, names: Vec::new() });
        }
    }

    fn child(
        &mut self,
        index: usize,
        frame: &mut Frame,
        members: &mut Members,
        origin: Option<usize>,
        anchored: bool,
    ) -> Result<(), PlanError> {
        let item = self.item(index);
        let (offset, total) = (item.offset, item.total_length());
        let is_filler = item.name.is_none();
        let is_table = item.occurs.is_some();
        let is_variable = !anchored && self.layout.is_variable(index);
        if is_filler && item.is_group() && !is_table {
            // Names below a FILLER group belong to the group around it.
            return self.children(index, frame, members, origin, anchored);
        }
        if is_variable {
            self.finish_run(frame, offset);
            let node = if is_table { self.table(index, false)? } else { self.frame(index)? };
            let run = frame.runs.len() - 1;
            let member = self.member(index, node, run, offset - frame.base, members);
            frame.runs[run].then = Some(member);
            frame.runs.push(Run::default());
            frame.base = offset + total;
            return Ok(());
        }
        let counters = frame.runs.last().map_or(0, |run| run.counters.len());
        let node = if is_table {
            let node = self.table(index, anchored)?;
            self.place_table(node, offset, frame);
            node
        } else if item.is_group() {
            let mut inner = Members::default();
            self.children(index, frame, &mut inner, Some(offset), anchored)?;
            self.push_group(index, Some(total), inner, Vec::new())
        } else {
            let codec = self.codec(index)?;
            let mut initial = vec![0; total];
            self.initial(index, &codec, &mut initial)?;
            place_bytes(frame, offset, &initial);
            self.add_counter(index, codec.clone(), frame);
            self.push(index, Some(total), NodeKind::Field(codec))
        };
        if is_filler && !self.has_names(index) {
            return Ok(());
        }
        let run = frame.runs.len() - 1;
        let member = self.member(index, node, run, offset - origin.unwrap_or(frame.base), members);
        let Member { name, is_hidden: false, .. } = &members.members[member] else { return Ok(()) };
        for counter in &mut frame.runs[run].counters[counters..] {
            counter.names.push(name.clone());
        }
        Ok(())
    }

    /// Whether JSON shows anything of the item.
    fn has_names(&self, index: usize) -> bool {
        let item = self.item(index);
        self.options.exact || item.name.is_some() || item.children.iter().any(|&child| self.has_names(child))
    }

    /// Adds a member and gives its index.
    fn member(&mut self, index: usize, node: usize, run: usize, offset: usize, members: &mut Members) -> usize {
        let slot = self.slots.get(&index).copied();
        let shows_counters = self.options.show_counters || self.options.exact;
        let changes = self.changes.get(&index);
        let is_omitted = changes.is_some_and(|changes| changes.is_omitted);
        let is_hidden = is_omitted || !self.has_names(index) || (slot.is_some() && !shows_counters);
        let styled = || names::styled(self.item(index).spoken_name(), self.options.names);
        let name = if is_hidden {
            String::new()
        } else {
            members.names.unique(changes.and_then(|changes| changes.name.clone()).unwrap_or_else(styled))
        };
        self.push_member(name, is_hidden, Place { node, run, offset }, slot, members)
    }

    fn push_member(
        &mut self,
        name: String,
        is_hidden: bool,
        Place { node, run, offset }: Place,
        slot: Option<usize>,
        members: &mut Members,
    ) -> usize {
        members.members.push(Member {
            key: Key::new(&name),
            name: name.into(),
            node,
            run,
            offset,
            slot,
            is_hidden,
            is_view: false,
        });
        members.members.len() - 1
    }

    fn table(&mut self, index: usize, anchored: bool) -> Result<usize, PlanError> {
        let item = self.item(index);
        let (length, is_group, total) = (item.length, item.is_group(), item.total_length());
        let Some(occurs) = item.occurs else { return self.frame(index) };
        let (element, template) = if is_group {
            let element = if anchored { self.anchored_frame(index)? } else { self.frame(index)? };
            (element, self.template_of(element))
        } else {
            let codec = self.codec(index)?;
            let mut template = vec![0; length];
            self.initial(index, &codec, &mut template)?;
            (self.push(index, Some(length), NodeKind::Field(codec)), template)
        };
        let stride = self.nodes[element].length;
        let slot = occurs.depending_on.and_then(|object| self.slots.get(&object).copied());
        // With an anchor the place of all elements is kept however many there are.
        let fixed = stride.is_some() && (anchored || slot.is_none());
        let table = Table { element, maximum: occurs.maximum, slot, stride, template };
        Ok(self.push(index, fixed.then_some(total), NodeKind::Table(table)))
    }

    /// As `frame`, with all tables in place.
    fn anchored_frame(&mut self, index: usize) -> Result<usize, PlanError> {
        let item = self.item(index);
        let (offset, length) = (item.offset, item.length);
        let mut frame = Frame { runs: vec![Run::default()], base: offset };
        let mut members = Members::default();
        self.children(index, &mut frame, &mut members, None, true)?;
        self.finish_run(&mut frame, offset + length);
        Ok(self.push_group(index, Some(length), members, frame.runs))
    }

    fn template_of(&self, node: usize) -> Vec<u8> {
        match &self.nodes[node].kind {
            NodeKind::Group(group) if group.runs.len() == 1 => group.runs[0].template.clone(),
            _ => Vec::new(),
        }
    }

    /// All elements of a table in place, as they are before anything is put there.
    fn place_table(&self, node: usize, offset: usize, frame: &mut Frame) {
        let NodeKind::Table(table) = &self.nodes[node].kind else { return };
        place_bytes(frame, offset, &table.template.repeat(table.maximum as usize));
    }

    /// Brings the run to its length: up to the offset in the longest record.
    fn finish_run(&self, frame: &mut Frame, end: usize) {
        let length = end - frame.base;
        if let Some(run) = frame.runs.last_mut() {
            grow(&mut run.template, length);
        }
    }

    fn initial(&self, index: usize, codec: &Codec, out: &mut [u8]) -> Result<(), PlanError> {
        if self.options.ignore_values {
            codec.initial(&self.sets, None, out);
            return Ok(());
        }
        if let Some(default) = self.changes.get(&index).and_then(|changes| changes.default.as_ref()) {
            return self.default(index, codec, default, out);
        }
        let value = self.item(index).value.as_ref();
        if codec.initial(&self.sets, value.map(|value| &value.literal), out) {
            return Ok(());
        }
        Err(self.wrong_value(index, |value| Problem::Value { value }))
    }

    /// A default, a number where the item holds one.
    fn default(&self, index: usize, codec: &Codec, value: &str, out: &mut [u8]) -> Result<(), PlanError> {
        codec.initial(&self.sets, None, out);
        let mut json = Vec::new();
        match codec.kind(out.len()) {
            ValueKind::Text => json::write_string(value, &mut json),
            ValueKind::Decimal { .. } | ValueKind::Float => json.extend_from_slice(value.trim().as_bytes()),
        }
        let mut reader = json::Reader::new(&json);
        let put = codec.encode(&self.sets, &mut reader, out).and_then(|()| reader.end());
        put.map_err(|flaw| {
            let item = self.item(index).path.clone();
            PlanError::Default { item, value: value.to_owned(), problem: Some(flaw.problem) }
        })
    }

    fn wrong_value(&self, index: usize, problem: impl Fn(String) -> Problem) -> PlanError {
        let item = self.item(index);
        let (place, value) = match &item.value {
            Some(value) => (value.place, value.literal.to_string()),
            None => (item.place, String::new()),
        };
        Fault::of_item(place, &item.path, problem(value)).named(&self.layout.members).into()
    }

    fn codec(&self, index: usize) -> Result<Codec, PlanError> {
        let item = self.item(index);
        let usage = item.usage.unwrap_or(Usage::Display);
        let options = self.options;
        let order = options.byte_order;
        let float = |short: bool| match (options.float, short) {
            (FloatForm::Hexadecimal, true) => FloatKind::HexadecimalShort,
            (FloatForm::Hexadecimal, false) => FloatKind::HexadecimalLong,
            (FloatForm::Ieee, true) => FloatKind::IeeeSingle,
            (FloatForm::Ieee, false) => FloatKind::IeeeDouble,
        };
        let scale = scale(item);
        let is_number = item.picture.as_ref().is_some_and(|picture| picture.category == Category::Numeric);
        let binary = |order, full| Codec::Binary { scale, order, full: full || !is_number };
        Ok(match usage {
            Usage::Display => self.characters(item, Set::Display)?,
            Usage::National => self.characters(item, Set::National)?,
            Usage::Utf8 => match &item.picture {
                Some(picture) if !item.has_byte_length => Codec::Utf8 { most: picture.positions as usize },
                _ => Codec::Text { set: Set::Utf8, justified: false },
            },
            Usage::Display1 if self.sets.graphic.is_some() => {
                Codec::Text { set: Set::Graphic, justified: item.justified }
            }
            Usage::Display1 => Codec::Hexadecimal,
            Usage::Binary => binary(options.binary_order.unwrap_or(order), options.full_binary),
            Usage::Native | Usage::CompN => binary(order, true),
            Usage::CompX => binary(ByteOrder::Big, true),
            Usage::Packed => Codec::Packed { scale },
            Usage::PackedUnsigned => Codec::PackedUnsigned { scale },
            Usage::Float => Codec::Float { kind: float(true), order },
            Usage::Double => Codec::Float { kind: float(false), order },
            Usage::Sized { .. } | Usage::Index | Usage::Pointer | Usage::FunctionPointer | Usage::ProcedurePointer => {
                binary(order, true)
            }
        })
    }

    /// Text, zoned and edited items.
    fn characters(&self, item: &LayoutItem, set: Set) -> Result<Codec, PlanError> {
        let Some(picture) = &item.picture else { return Ok(Codec::Text { set, justified: false }) };
        let scale = scale(item);
        let blank_when_zero = item.blank_when_zero;
        let is_text = matches!(
            picture.category,
            Category::Alphabetic
                | Category::Alphanumeric
                | Category::AlphanumericEdited
                | Category::National
                | Category::NationalEdited
                | Category::DoubleByte
                | Category::Utf8
        );
        if is_text {
            return Ok(Codec::Text { set, justified: item.justified });
        }
        if set == Set::Display && !self.sets.display.is_single_byte_digits() {
            return Err(PlanError::WideDigits { item: item.path.clone(), ccsid: self.options.ccsid });
        }
        if let Some(editing) = picture.editing.clone().map(Box::new) {
            let sign = editing.currency;
            if !self.sets.of(set).is_one_position(sign) {
                let ccsid = if set == Set::National { 1200 } else { self.options.ccsid };
                return Err(PlanError::CurrencySign { item: item.path.clone(), ccsid, sign });
            }
            return Ok(match picture.category {
                Category::ExternalFloat => Codec::ExternalFloat { editing, set, scale },
                _ => Codec::Edited { editing, set, scale, blank_when_zero },
            });
        }
        let zoned = Zoned {
            is_ebcdic: set == Set::Display && self.sets.display.is_ebcdic(),
            signed: scale.signed,
            leading: item.sign.is_some_and(|sign| sign.leading),
            separate: item.sign.is_some_and(|sign| sign.separate),
            ascii_sign: self.options.ascii_sign,
        };
        Ok(match set {
            Set::National => Codec::WideZoned { zoned, scale, blank_when_zero },
            Set::Display | Set::Utf8 | Set::Graphic => Codec::Zoned { zoned, scale, blank_when_zero },
        })
    }
}

/// Digits, decimals and sign of an item; items without a numeric PICTURE count in whole bytes.
fn scale(item: &LayoutItem) -> Scale {
    let signed = matches!(item.usage, Some(Usage::Sized { signed: true, .. } | Usage::Index));
    match &item.picture {
        Some(picture) if picture.digits > 0 => {
            Scale { digits: picture.digits, scale: picture.scale, signed: picture.signed }
        }
        _ => Scale { digits: 0, scale: 0, signed },
    }
}

/// Slack is binary zeros.
fn grow(template: &mut Vec<u8>, length: usize) {
    if template.len() < length {
        template.resize(length, 0);
    }
}

fn place_bytes(frame: &mut Frame, offset: usize, bytes: &[u8]) {
    let start = offset - frame.base;
    if let Some(run) = frame.runs.last_mut() {
        grow(&mut run.template, start + bytes.len());
        run.template[start..start + bytes.len()].copy_from_slice(bytes);
    }
}
