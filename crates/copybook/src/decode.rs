//! Record bytes to JSON, following a plan.

use crate::codec::Codec;
use crate::error::{DataError, DataProblem};
use crate::json;
use crate::json::{Step, pointer};
use crate::node::{Counter, Group, Node, NodeKind, Run, Table};
use crate::plan::Converter;

/// An error on its way up: each level adds its step of the JSON pointer.
pub(crate) struct Trouble {
    pub(crate) problem: DataProblem,
    pub(crate) item: usize,
    pub(crate) offset: usize,
    pub(crate) json_offset: Option<usize>,
    /// Innermost first.
    pub(crate) steps: Vec<Step>,
}

impl Trouble {
    pub(crate) fn new(problem: DataProblem, item: usize, offset: usize) -> Box<Self> {
        Box::new(Self { problem, item, offset, json_offset: None, steps: Vec::new() })
    }

    pub(crate) fn below_member(mut self: Box<Self>, name: &str) -> Box<Self> {
        self.steps.push(Step::Member(name.into()));
        self
    }

    pub(crate) fn below_index(mut self: Box<Self>, index: usize) -> Box<Self> {
        self.steps.push(Step::Index(index));
        self
    }

    /// The steps from the frame of a counter down to it.
    fn of_counter(self: Box<Self>, counter: &Counter) -> Box<Self> {
        counter.names.iter().fold(self, |trouble, name| trouble.below_member(name))
    }

    pub(crate) fn told(self, paths: &[String]) -> Box<DataError> {
        Box::new(DataError {
            pointer: pointer(&self.steps),
            item: paths.get(self.item).cloned().unwrap_or_default(),
            offset: self.offset,
            json_offset: self.json_offset,
            problem: self.problem,
        })
    }
}

type Outcome<T> = Result<T, Box<Trouble>>;

impl Converter {
    /// Appends the JSON object of a record to `out`, on one line.
    ///
    /// # Errors
    /// The record is too short or too long, or an item holds what its description does not allow. `out` is as before.
    pub fn decode(&self, record: &[u8], out: &mut Vec<u8>) -> Result<(), Box<DataError>> {
        self.decode_with(record, out, None)
    }

    /// As `decode`. An item that holds what its description does not allow is null, and added to `problems`, which names no JSON
    /// pointer.
    ///
    /// # Errors
    /// The record is too short or too long, or a number of occurrences is none.
    pub fn decode_leniently(
        &self,
        record: &[u8],
        out: &mut Vec<u8>,
        problems: &mut Vec<DataError>,
    ) -> Result<(), Box<DataError>> {
        self.decode_with(record, out, Some(problems))
    }

    fn decode_with(
        &self,
        record: &[u8],
        out: &mut Vec<u8>,
        problems: Option<&mut Vec<DataError>>,
    ) -> Result<(), Box<DataError>> {
        if let Some(selection) = &self.selection {
            return selection.of_record(record, &self.paths)?.decode_with(record, out, problems);
        }
        let start = out.len();
        out.reserve(record.len() + record.len() / 4);
        let mut decoder = Decoder { converter: self, record, problems, slots: vec![0; self.slots], out };
        decoder.record().map_err(|trouble| {
            out.truncate(start);
            trouble.told(&self.paths)
        })
    }

    /// As `decode`, wrapped in objects with one member each: `wrapper` has their names, from the outside in.
    ///
    /// # Errors
    /// As `decode`.
    pub fn decode_within(&self, wrapper: &[String], record: &[u8], out: &mut Vec<u8>) -> Result<(), Box<DataError>> {
        let start = out.len();
        for name in wrapper {
            out.push(b'{');
            json::write_string(name, out);
            out.push(b':');
        }
        self.decode(record, out).inspect_err(|_| out.truncate(start))?;
        out.extend(wrapper.iter().map(|_| b'}'));
        Ok(())
    }
}

struct Decoder<'a> {
    converter: &'a Converter,
    record: &'a [u8],
    /// Items that hold no value are noted here and are null; without it they are errors.
    problems: Option<&'a mut Vec<DataError>>,
    /// The numbers of occurrences read.
    slots: Vec<u64>,
    out: &'a mut Vec<u8>,
}

impl<'a> Decoder<'a> {
    fn record(&mut self) -> Outcome<()> {
        let end = self.node(self.converter.root, 0)?;
        let length = self.record.len();
        if end > length && !self.converter.allow_short {
            return Err(Trouble::new(DataProblem::RecordTooShort { length }, 0, length));
        }
        if end < length && !self.converter.ignore_excess {
            return Err(Trouble::new(DataProblem::RecordTooLong { length, expected: end }, 0, end));
        }
        Ok(())
    }

    /// Where the node ends.
    fn node(&mut self, index: usize, at: usize) -> Outcome<usize> {
        let converter = self.converter;
        let node = &converter.nodes[index];
        match &node.kind {
            NodeKind::Field(codec) => self.field(codec, node, at),
            NodeKind::Group(group) => self.group(group, at, node.length),
            NodeKind::Table(table) => self.table(table, node.item, at, node.length),
        }
    }

    #[inline]
    fn field(&mut self, codec: &Codec, node: &Node, at: usize) -> Outcome<usize> {
        let converter = self.converter;
        let end = at + node.length.unwrap_or(0);
        let Some(bytes) = self.record.get(at..end) else { return Err(self.too_short(node.item, at)) };
        if converter.exact {
            codec.decode_exactly(&converter.sets, bytes, self.out);
            return Ok(end);
        }
        let start = self.out.len();
        match codec.decode(&converter.sets, bytes, self.out) {
            Ok(()) => Ok(end),
            Err(problem) => self.pass_over(problem, node.item, at, start).map(|()| end),
        }
    }

    /// Writes null in place of a value that is none, if that may be.
    fn pass_over(&mut self, problem: DataProblem, item: usize, at: usize, start: usize) -> Outcome<()> {
        let trouble = Trouble::new(problem, item, at);
        let Some(problems) = &mut self.problems else { return Err(trouble) };
        problems.push(*trouble.told(&self.converter.paths));
        self.out.truncate(start);
        self.out.extend_from_slice(b"null");
        Ok(())
    }

    fn too_short(&self, item: usize, at: usize) -> Box<Trouble> {
        Trouble::new(DataProblem::RecordTooShort { length: self.record.len() }, item, at)
    }

    fn group(&mut self, group: &'a Group, at: usize, length: Option<usize>) -> Outcome<usize> {
        if let Some(run) = group.runs.first() {
            self.counters(run, at)?;
        }
        let converter = self.converter;
        let shows_all = !converter.allow_short && !converter.omit_empty && converter.omit_filled_with.is_none();
        let mark = self.out.len();
        let base = if group.is_plain && shows_all {
            self.plain_members(group, at)?;
            at
        } else {
            self.members(group, at)?
        };
        // In place of the comma before the first name.
        match self.out.get_mut(mark) {
            Some(comma) => *comma = b'{',
            None => self.out.push(b'{'),
        }
        self.out.push(b'}');
        Ok(match group.runs.last() {
            Some(run) => base + run.template.len(),
            None => at + length.unwrap_or(0),
        })
    }

    /// Every member, where nothing else has to be asked.
    fn plain_members(&mut self, group: &'a Group, base: usize) -> Outcome<()> {
        for member in &group.members {
            member.key.append(self.out);
            let (node, from) = (&self.converter.nodes[member.node], base + member.offset);
            let read = match &node.kind {
                NodeKind::Field(codec) => self.field(codec, node, from),
                _ => self.node(member.node, from),
            };
            read.map_err(|trouble| trouble.below_member(&member.name))?;
        }
        Ok(())
    }

    /// The members that the record has. Where the last run begins.
    fn members(&mut self, group: &'a Group, at: usize) -> Outcome<usize> {
        let mut base = at;
        for (index, member) in group.members.iter().enumerate() {
            let run = group.runs.get(member.run);
            let ends_run = run.is_some_and(|run| run.then == Some(index));
            let from = base + member.offset;
            let mut end = from;
            let mark = self.out.len();
            if member.is_hidden {
                if ends_run {
                    end = self.node(member.node, from)?;
                    self.out.truncate(mark);
                }
            } else if !self.is_absent(member.node, from) && !self.is_filled(member.node, from) {
                member.key.append(self.out);
                let value = self.out.len();
                let problems = self.problems.as_ref().map_or(0, |problems| problems.len());
                let read = self.node(member.node, from);
                let is_none = read.is_err() || self.problems.as_ref().is_some_and(|kept| kept.len() > problems);
                if member.is_view && is_none {
                    // Its bytes are of another alternative.
                    self.out.truncate(mark);
                    if let Some(kept) = &mut self.problems {
                        kept.truncate(problems);
                    }
                    continue;
                }
                end = read.map_err(|trouble| trouble.below_member(&member.name))?;
                if self.converter.omit_empty && matches!(&self.out[value..], b"\"\"" | b"{}" | b"[]") {
                    self.out.truncate(mark);
                }
            }
            if ends_run {
                base = end;
                if let Some(next) = group.runs.get(member.run + 1) {
                    self.counters(next, base)?;
                }
            }
        }
        Ok(base)
    }

    /// Whether a record that may end early ends before the item.
    fn is_absent(&self, node: usize, at: usize) -> bool {
        if !self.converter.allow_short {
            return false;
        }
        let needed = match &self.converter.nodes[node] {
            node if matches!(node.kind, NodeKind::Field(_)) => node.length.unwrap_or(0),
            _ => 1,
        };
        at + needed > self.record.len()
    }

    /// Whether an elementary item holds nothing but the byte that means nothing.
    fn is_filled(&self, node: usize, at: usize) -> bool {
        let Some(filling) = self.converter.omit_filled_with else { return false };
        let node = &self.converter.nodes[node];
        let bytes = node.length.and_then(|length| self.record.get(at..at + length));
        matches!(node.kind, NodeKind::Field(_)) && bytes.is_some_and(|bytes| bytes.iter().all(|&byte| byte == filling))
    }

    /// Reads the numbers of occurrences in a run.
    fn counters(&mut self, run: &Run, base: usize) -> Outcome<()> {
        for counter in &run.counters {
            let at = base + counter.offset;
            self.slots[counter.slot] = match self.record.get(at..at + counter.length) {
                Some(bytes) => counter
                    .codec
                    .count(&self.converter.sets, bytes)
                    .map_err(|problem| Trouble::new(problem, counter.item, at).of_counter(counter))?,
                None if self.converter.allow_short => 0,
                None => return Err(self.too_short(counter.item, at).of_counter(counter)),
            };
        }
        Ok(())
    }

    fn table(&mut self, table: &'a Table, item: usize, at: usize, length: Option<usize>) -> Outcome<usize> {
        let count = match table.slot {
            Some(slot) => self.slots[slot],
            None => u64::from(table.maximum),
        };
        if count > u64::from(table.maximum) {
            let problem = DataProblem::TooManyOccurrences { count, maximum: table.maximum };
            return Err(Trouble::new(problem, item, at));
        }
        self.out.push(b'[');
        let element = &self.converter.nodes[table.element];
        let end = match (&element.kind, element.length) {
            (NodeKind::Field(codec), Some(length)) => {
                let stride = table.stride.unwrap_or(length);
                self.fields(codec, &Occurrences { item: element.item, at, length, stride, count })?
            }
            _ => self.elements(table, at, count)?,
        };
        self.out.push(b']');
        Ok(length.map_or(end, |length| at + length))
    }

    /// Elements of any kind. Where the last one ends.
    fn elements(&mut self, table: &'a Table, at: usize, count: u64) -> Outcome<usize> {
        let mut from = at;
        for (index, _) in (0..count).enumerate() {
            if self.is_absent(table.element, from) {
                break;
            }
            if index > 0 {
                self.out.push(b',');
            }
            let end = self.node(table.element, from).map_err(|trouble| trouble.below_index(index))?;
            from = table.stride.map_or(end, |stride| from + stride);
        }
        Ok(from)
    }

    /// Elements that are elementary items, which most of a long record consists of.
    fn fields(&mut self, codec: &Codec, fields: &Occurrences) -> Outcome<usize> {
        let sets = &self.converter.sets;
        if self.converter.exact {
            return self.each_field(fields, |bytes, out| {
                codec.decode_exactly(sets, bytes, out);
                Ok(())
            });
        }
        match codec {
            Codec::Text { set, justified: false } => {
                let text = sets.of(*set);
                if let Some(texts) = fields.adjacent(self.record)
                    && text.decode_adjacent(texts, fields.length, self.out)
                {
                    return Ok(fields.at + texts.len());
                }
                self.each_field(fields, |bytes, out| text.decode(bytes, false, out))
            }
            _ => self.each_field(fields, |bytes, out| codec.decode(sets, bytes, out)),
        }
    }

    #[inline]
    fn each_field(
        &mut self,
        fields: &Occurrences,
        decode: impl Fn(&[u8], &mut Vec<u8>) -> Result<(), DataProblem>,
    ) -> Outcome<usize> {
        let mut from = fields.at;
        for (index, _) in (0..fields.count).enumerate() {
            let Some(bytes) = self.record.get(from..from + fields.length) else {
                if self.converter.allow_short {
                    break;
                }
                return Err(self.too_short(fields.item, from).below_index(index));
            };
            if index > 0 {
                self.out.push(b',');
            }
            let start = self.out.len();
            if let Err(problem) = decode(bytes, self.out) {
                self.pass_over(problem, fields.item, from, start).map_err(|trouble| trouble.below_index(index))?;
            }
            from += fields.stride;
        }
        Ok(from)
    }
}

/// Where the occurrences of an elementary item lie in the record.
struct Occurrences {
    item: usize,
    at: usize,
    length: usize,
    stride: usize,
    count: u64,
}

impl Occurrences {
    /// The bytes of all of them, where nothing lies between them and the record holds them all.
    fn adjacent<'r>(&self, record: &'r [u8]) -> Option<&'r [u8]> {
        let bytes = usize::try_from(self.count).ok()?.checked_mul(self.length)?;
        let is_tight = self.stride == self.length && self.length > 0;
        record.get(self.at..).and_then(|rest| rest.get(..bytes)).filter(|_| is_tight)
    }
}
