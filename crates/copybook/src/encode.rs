//! JSON to record bytes, following a plan.
//!
//! Fixed stretches are copied from their template and values placed into them. Behind a table of variable length nothing
//! has a place yet, so the record grows from left to right: a member that is in JSON before the table that it follows
//! is passed over and read again when its turn comes.
//!
//! Invariants
//! - An item without a member has its VALUE, else blanks or zeros.
//! - The object of DEPENDING ON is the length of its array; stated in JSON as well, it must agree.

use crate::codec::Codec;
use crate::decode::Trouble;
use crate::error::{DataError, DataProblem};
use crate::json::{Flaw, RawString, Reader};
use crate::node::{Counter, Group, Member, NodeKind, Run, Table};
use crate::plan::Converter;

type Outcome<T> = Result<T, Box<Trouble>>;

impl Converter {
    /// Appends the record of a JSON object to `out`.
    ///
    /// # Errors
    /// The text is no JSON, a member has no item, a value does not fit its item. `out` is as before.
    pub fn encode(&self, json: &[u8], out: &mut Vec<u8>) -> Result<(), Box<DataError>> {
        self.encode_within(&[], json, out)
    }

    /// As `encode`, of a JSON object wrapped in others that have one member each: `wrapper` has their names, from the
    /// outside in.
    ///
    /// # Errors
    /// As `encode`; a wrapper is missing, or has more than its one member.
    pub fn encode_within(&self, wrapper: &[String], json: &[u8], out: &mut Vec<u8>) -> Result<(), Box<DataError>> {
        if let Some(selection) = &self.selection {
            return selection.of_json(wrapper, json, &self.paths)?.encode_within(wrapper, json, out);
        }
        let start = out.len();
        let mut encoder = Encoder {
            converter: self,
            reader: Reader::new(json),
            start,
            slots: vec![SlotState::default(); self.slots],
            starts: Vec::new(),
            deferred: Vec::new(),
            seen: Vec::new(),
            out,
        };
        encoder.wrapped(wrapper).map_err(|trouble| {
            out.truncate(start);
            trouble.told(&self.paths)
        })
    }
}

struct Encoder<'a> {
    converter: &'a Converter,
    reader: Reader<'a>,
    /// Where the record begins in `out`.
    start: usize,
    slots: Vec<SlotState<'a>>,
    /// Starts of the runs of open frames.
    starts: Vec<usize>,
    /// Members that are read when their place is known: index, and where the value is in JSON.
    deferred: Vec<(usize, usize)>,
    /// A bit for each member of the open groups that was given.
    seen: Vec<u64>,
    out: &'a mut Vec<u8>,
}

/// What is known about an object of DEPENDING ON.
#[derive(Clone, Default)]
struct SlotState<'a> {
    counter: Option<&'a Counter>,
    /// In `out`.
    at: usize,
    /// JSON has it as a member.
    is_stated: bool,
    /// An array has this many elements.
    settled: Option<u64>,
}

impl<'a> Encoder<'a> {
    /// The record within objects of one member each, and nothing behind it.
    fn wrapped(&mut self, wrapper: &[String]) -> Outcome<()> {
        let begin = self.start;
        for (depth, name) in wrapper.iter().enumerate() {
            let below = |trouble| within(&wrapper[..depth], trouble);
            self.reader.begin(b'{').map_err(|flaw| below(self.trouble(flaw, 0, begin)))?;
            let found = self.reader.next_name(true).map_err(|flaw| below(self.trouble(flaw, 0, begin)))?;
            let is_it = found.is_some_and(|found| found.to_text().is_ok_and(|found| found == *name));
            if !is_it {
                let problem = DataProblem::WrapperMissing { name: name.clone() };
                return Err(below(self.trouble(Flaw { problem, at: self.reader.at }, 0, begin)));
            }
        }
        self.record().map_err(|trouble| within(wrapper, trouble))?;
        let at = self.out.len();
        for depth in (0..wrapper.len()).rev() {
            let below = |trouble| within(&wrapper[..depth], trouble);
            if let Some(more) = self.reader.next_name(false).map_err(|flaw| below(self.trouble(flaw, 0, at)))? {
                let name = String::from_utf8_lossy(more.raw).into_owned();
                let flaw = Flaw { problem: DataProblem::UnknownMember { name }, at: self.reader.at };
                return Err(below(self.trouble(flaw, 0, at)));
            }
        }
        self.reader.end().map_err(|flaw| self.trouble(flaw, 0, at))
    }

    fn record(&mut self) -> Outcome<()> {
        let root = &self.converter.nodes[self.converter.root];
        let NodeKind::Group(group) = &root.kind else { return Ok(()) };
        match group.runs.as_slice() {
            [only] => {
                let at = self.out.len();
                self.out.extend_from_slice(&only.template);
                self.group_in_place(group, root.item, at)?;
            }
            _ => self.frame(group, root.item)?,
        }
        Ok(())
    }

    fn trouble(&self, flaw: Flaw, item: usize, at: usize) -> Box<Trouble> {
        let mut trouble = Trouble::new(flaw.problem, item, at - self.start);
        trouble.json_offset = Some(flaw.at);
        trouble
    }

    /// A node of fixed length whose bytes are there already.
    fn in_place(&mut self, index: usize, at: usize) -> Outcome<()> {
        let node = &self.converter.nodes[index];
        match &node.kind {
            NodeKind::Field(codec) => {
                let end = at + node.length.unwrap_or(0);
                if self.converter.exact && Codec::encode_bytes(&mut self.reader, &mut self.out[at..end]) {
                    return Ok(());
                }
                codec
                    .encode(&self.converter.sets, &mut self.reader, &mut self.out[at..end])
                    .map_err(|flaw| self.trouble(flaw, node.item, at))
            }
            NodeKind::Group(group) => {
                if self.take_null(node.item, at)? {
                    return Ok(());
                }
                self.group_in_place(group, node.item, at)
            }
            NodeKind::Table(table) => {
                if self.take_null(node.item, at)? {
                    return Ok(());
                }
                self.table_in_place(table, node.item, at)
            }
        }
    }

    fn take_null(&mut self, item: usize, at: usize) -> Outcome<bool> {
        self.reader.null().map_err(|flaw| self.trouble(flaw, item, at))
    }

    fn group_in_place(&mut self, group: &'a Group, item: usize, at: usize) -> Outcome<()> {
        if let Some(run) = group.runs.first() {
            self.register(run, at);
        }
        let seen = self.open_group(group);
        self.reader.begin(b'{').map_err(|flaw| self.trouble(flaw, item, at))?;
        let mut hint = 0;
        let mut is_first = true;
        while let Some(name) = self.reader.next_name(is_first).map_err(|flaw| self.trouble(flaw, item, at))? {
            is_first = false;
            let Some(index) = self.member(group, name, &mut hint, seen, (item, at))? else { continue };
            self.value(&group.members[index], at)?;
        }
        self.seen.truncate(seen);
        Ok(())
    }

    /// The value of a member that lies in fixed bytes from `base` on.
    fn value(&mut self, member: &'a Member, base: usize) -> Outcome<()> {
        let is_null = self.reader.peek() == Some(b'n');
        self.in_place(member.node, base + member.offset).map_err(|trouble| trouble.below_member(&member.name))?;
        match member.slot {
            Some(slot) if !is_null => self.stated(slot).map_err(|trouble| trouble.below_member(&member.name)),
            _ => Ok(()),
        }
    }

    /// Room for the marks of a group's members; where they begin.
    fn open_group(&mut self, group: &Group) -> usize {
        let seen = self.seen.len();
        self.seen.resize(seen + group.members.len().div_ceil(64), 0);
        seen
    }

    /// The index of the member with this name, marked as given; `None`: it is to be passed over, and has been.
    fn member(
        &mut self,
        group: &'a Group,
        name: RawString<'_>,
        hint: &mut usize,
        seen: usize,
        (item, at): (usize, usize),
    ) -> Outcome<Option<usize>> {
        let found = match find(group, name, *hint) {
            Ok(found) => found,
            Err(problem) => return Err(self.trouble(Flaw { problem, at: self.reader.at }, item, at)),
        };
        let spoken = || String::from_utf8_lossy(name.raw).into_owned();
        let Some(index) = found else {
            if self.converter.ignore_unknown {
                self.reader.skip().map_err(|flaw| self.trouble(flaw, item, at))?;
                return Ok(None);
            }
            let flaw = Flaw { problem: DataProblem::UnknownMember { name: spoken() }, at: self.reader.at };
            return Err(self.trouble(flaw, item, at).below_member(&spoken()));
        };
        let (word, bit) = (seen + index / 64, 1u64 << (index % 64));
        if self.seen[word] & bit != 0 {
            let flaw = Flaw { problem: DataProblem::DuplicateMember { name: spoken() }, at: self.reader.at };
            return Err(self.trouble(flaw, item, at).below_member(&spoken()));
        }
        self.seen[word] |= bit;
        *hint = index + 1;
        Ok(Some(index))
    }

    fn table_in_place(&mut self, table: &'a Table, item: usize, at: usize) -> Outcome<()> {
        let stride = table.stride.unwrap_or(0);
        self.reader.begin(b'[').map_err(|flaw| self.trouble(flaw, item, at))?;
        let mut count = 0;
        while self.next_element(table, count, item, at)? {
            self.in_place(table.element, at + count * stride).map_err(|trouble| trouble.below_index(count))?;
            count += 1;
        }
        match table.slot {
            Some(slot) => self.settle(slot, count as u64),
            None => Ok(()),
        }
    }

    /// Whether another element follows, and there is room for it.
    fn next_element(&mut self, table: &Table, count: usize, item: usize, at: usize) -> Outcome<bool> {
        let more = self.reader.next_element(count == 0).map_err(|flaw| self.trouble(flaw, item, at))?;
        if more && count >= table.maximum as usize {
            let problem = DataProblem::TooManyOccurrences { count: count as u64 + 1, maximum: table.maximum };
            return Err(self.trouble(Flaw { problem, at: self.reader.at }, item, at).below_index(count));
        }
        Ok(more)
    }

    /// Notes where the counters of a run are.
    fn register(&mut self, run: &'a Run, base: usize) {
        for counter in &run.counters {
            let at = base + counter.offset;
            self.slots[counter.slot] = SlotState { counter: Some(counter), at, is_stated: false, settled: None };
        }
    }

    /// What a counter holds now.
    fn counted(&self, state: &SlotState<'_>, counter: &Counter) -> Outcome<u64> {
        let bytes = &self.out[state.at..state.at + counter.length];
        let problem = |problem| Trouble::new(problem, counter.item, state.at - self.start);
        counter.codec.count(&self.converter.sets, bytes).map_err(problem)
    }

    /// A counter was given as a member: it is a count, and agrees with arrays read before.
    fn stated(&mut self, slot: usize) -> Outcome<()> {
        let state = self.slots[slot].clone();
        let Some(counter) = state.counter else { return Ok(()) };
        self.slots[slot].is_stated = true;
        let stated = self.counted(&state, counter).map_err(|trouble| {
            let flaw = Flaw { problem: trouble.problem, at: self.reader.at };
            self.trouble(flaw, counter.item, state.at)
        })?;
        match state.settled {
            Some(count) if stated != count => self.mismatch(&state, counter, count),
            _ => Ok(()),
        }
    }

    /// An array has ended: its counter is set, or agrees.
    fn settle(&mut self, slot: usize, count: u64) -> Outcome<()> {
        let state = self.slots[slot].clone();
        let Some(counter) = state.counter else { return Ok(()) };
        if state.is_stated || state.settled.is_some() {
            let agrees = self.counted(&state, counter)? == count;
            return if agrees { Ok(()) } else { self.mismatch(&state, counter, count) };
        }
        let bytes = &mut self.out[state.at..state.at + counter.length];
        let put = counter.codec.put_count(&self.converter.sets, count, bytes);
        put.map_err(|problem| Trouble::new(problem, counter.item, state.at - self.start))?;
        self.slots[slot].settled = Some(count);
        Ok(())
    }

    fn mismatch(&self, state: &SlotState<'_>, counter: &Counter, count: u64) -> Outcome<()> {
        let stated = self.counted(state, counter)?.to_string();
        let name = self.converter.paths[counter.item].clone();
        let problem = DataProblem::CountMismatch { counter: name, stated, count };
        Err(self.trouble(Flaw { problem, at: self.reader.at }, counter.item, state.at))
    }

    /// A frame of variable length, appended.
    fn frame(&mut self, group: &'a Group, item: usize) -> Outcome<()> {
        let at = self.out.len();
        let (seen, starts, deferred) = (self.open_group(group), self.starts.len(), self.deferred.len());
        self.begin_run(group, 0);
        self.reader.begin(b'{').map_err(|flaw| self.trouble(flaw, item, at))?;
        let mut hint = 0;
        let mut is_first = true;
        while let Some(name) = self.reader.next_name(is_first).map_err(|flaw| self.trouble(flaw, item, at))? {
            is_first = false;
            let Some(index) = self.member(group, name, &mut hint, seen, (item, at))? else { continue };
            let member = &group.members[index];
            let current = self.starts.len() - starts - 1;
            if member.run > current {
                self.deferred.push((index, self.reader.at));
                self.reader.skip().map_err(|flaw| self.trouble(flaw, item, at))?;
            } else if group.runs[member.run].then == Some(index) {
                self.variable(member)?;
                self.begin_run(group, current + 1);
            } else {
                let base = self.starts[starts + member.run];
                self.value(member, base)?;
            }
        }
        self.finish_frame(group, starts, deferred)?;
        self.seen.truncate(seen);
        self.starts.truncate(starts);
        self.deferred.truncate(deferred);
        Ok(())
    }

    /// The runs that are not there yet, with the members that waited for them.
    fn finish_frame(&mut self, group: &'a Group, starts: usize, deferred: usize) -> Outcome<()> {
        let end = self.reader.at;
        loop {
            let current = self.starts.len() - starts - 1;
            let then = group.runs[current].then;
            let mut waiting = None;
            for position in deferred..self.deferred.len() {
                let (index, at) = self.deferred[position];
                let member = &group.members[index];
                if Some(index) == then {
                    waiting = Some(at);
                } else if member.run == current {
                    self.reader.at = at;
                    let base = self.starts[starts + current];
                    self.value(member, base)?;
                }
            }
            let Some(then) = then else { break };
            let member = &group.members[then];
            match waiting {
                Some(at) => {
                    self.reader.at = at;
                    self.variable(member)?;
                }
                None => self.append_initial(member.node).map_err(|trouble| trouble.below_member(&member.name))?,
            }
            self.begin_run(group, current + 1);
        }
        self.reader.at = end;
        Ok(())
    }

    fn begin_run(&mut self, group: &'a Group, index: usize) {
        let start = self.out.len();
        self.starts.push(start);
        if let Some(run) = group.runs.get(index) {
            self.out.extend_from_slice(&run.template);
            self.register(run, start);
        }
    }

    /// The value of a member of variable length, appended.
    fn variable(&mut self, member: &'a Member) -> Outcome<()> {
        self.append(member.node).map_err(|trouble| trouble.below_member(&member.name))
    }

    fn append(&mut self, index: usize) -> Outcome<()> {
        let node = &self.converter.nodes[index];
        let at = self.out.len();
        if self.take_null(node.item, at)? {
            return self.append_initial(index);
        }
        match &node.kind {
            NodeKind::Group(group) => self.frame(group, node.item),
            NodeKind::Table(table) => self.append_table(table, node.item, at),
            NodeKind::Field(_) => Ok(()),
        }
    }

    fn append_table(&mut self, table: &'a Table, item: usize, at: usize) -> Outcome<()> {
        self.reader.begin(b'[').map_err(|flaw| self.trouble(flaw, item, at))?;
        let mut count = 0;
        while self.next_element(table, count, item, at)? {
            self.append_element(table).map_err(|trouble| trouble.below_index(count))?;
            count += 1;
        }
        match table.slot {
            Some(slot) => self.settle(slot, count as u64),
            None => (count..table.maximum as usize).try_for_each(|_| self.append_initial_element(table)),
        }
    }

    fn append_element(&mut self, table: &'a Table) -> Outcome<()> {
        if table.stride.is_none() {
            return self.append(table.element);
        }
        let at = self.out.len();
        self.out.extend_from_slice(&table.template);
        self.in_place(table.element, at)
    }

    /// A node of variable length that JSON does not have.
    fn append_initial(&mut self, index: usize) -> Outcome<()> {
        let node = &self.converter.nodes[index];
        match &node.kind {
            NodeKind::Field(_) => Ok(()),
            NodeKind::Group(group) => {
                for run in &group.runs {
                    let start = self.out.len();
                    self.out.extend_from_slice(&run.template);
                    self.register(run, start);
                    if let Some(then) = run.then {
                        self.append_initial(group.members[then].node)?;
                    }
                }
                Ok(())
            }
            NodeKind::Table(table) => {
                let count = self.initial_count(table, node.item)?;
                (0..count).try_for_each(|_| self.append_initial_element(table))
            }
        }
    }

    /// As many occurrences as the counter says, which then holds for other arrays, too. None where JSON says nothing of the
    /// counter and the VALUE of a group has made no count of it.
    fn initial_count(&mut self, table: &Table, item: usize) -> Outcome<u64> {
        let Some(slot) = table.slot else { return Ok(u64::from(table.maximum)) };
        let state = self.slots[slot].clone();
        let Some(counter) = state.counter else { return Ok(0) };
        let maximum = u64::from(table.maximum);
        let count = match self.counted(&state, counter) {
            Ok(count) if count <= maximum => count,
            _ if !state.is_stated && state.settled.is_none() => {
                self.settle(slot, 0)?;
                return Ok(0);
            }
            Ok(count) => {
                let problem = DataProblem::TooManyOccurrences { count, maximum: table.maximum };
                return Err(Trouble::new(problem, item, self.out.len() - self.start));
            }
            Err(trouble) => return Err(trouble),
        };
        self.slots[slot].settled = Some(count);
        Ok(count)
    }

    fn append_initial_element(&mut self, table: &'a Table) -> Outcome<()> {
        if table.stride.is_none() {
            return self.append_initial(table.element);
        }
        self.out.extend_from_slice(&table.template);
        Ok(())
    }
}

/// The steps of the wrapper before those of the record.
fn within(wrapper: &[String], trouble: Box<Trouble>) -> Box<Trouble> {
    wrapper.iter().rev().fold(trouble, |trouble, name| trouble.below_member(name))
}

/// The member with this name. Members mostly come in their order, so the one behind the last is tried first.
fn find(group: &Group, name: RawString<'_>, hint: usize) -> Result<Option<usize>, DataProblem> {
    if !name.is_plain {
        let name = name.to_text()?;
        return Ok(search(group, name.as_bytes()));
    }
    if let Some(member) = group.members.get(hint)
        && !member.is_hidden
        && member.name.as_bytes() == name.raw
    {
        return Ok(Some(hint));
    }
    Ok(search(group, name.raw))
}

fn search(group: &Group, name: &[u8]) -> Option<usize> {
    let compare = |&index: &u32| group.members[index as usize].name.as_bytes().cmp(name);
    let at = group.by_name.binary_search_by(compare).ok()?;
    group.by_name.get(at).map(|&index| index as usize)
}
