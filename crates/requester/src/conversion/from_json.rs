//! JSON to record bytes, following a plan: what the API answered.
//!
//! The text is read once, from its start to its end; every value goes straight to its place in the record, which begins as
//! the plan's template. Members that the structure does not have are passed over.
//!
//! Decided here, for IBM's behaviour is not published: a required member that is missing keeps its initial bytes (and is
//! counted), `null` counts as absent where absence can be told and is an error elsewhere, and nothing is cut off but texts
//! where the archive says so (`dataTruncation`).

use std::collections::HashSet;

use build_toolkit::structure::{self, Absence};
use copybook::json::{Flaw, RawString, Reader};

use super::areas::{self, AREA};
use super::patch::{DELETE, REPLACE};
use super::plan::{Area, Converter, Counter, Ending, Group, Member, Node, Object, Patch, Place, Table, Tail, Text};
use super::{DataError, DataProblem, Outcome, Step, Trouble, time, whitespace};

/// Longest record with its data areas.
#[expect(clippy::cast_possible_truncation, reason = "it has 27 bits")]
const MAXIMUM_LENGTH: usize = structure::MAXIMUM_LENGTH as usize;

impl Converter {
    /// The record while nothing is in it.
    pub fn empty_record(&self) -> Vec<u8> {
        let mut record = Vec::with_capacity(self.length());
        self.extend_empty(&mut record, self.length());
        record
    }

    /// The same up to the counted table that it ends with, if it does: `encode` makes it as long as the table gets. `expected`
    /// are the bytes of the text that is to come.
    pub fn short_record(&self, expected: usize) -> Vec<u8> {
        let head = self.tail.map_or(self.length(), |tail| tail.start);
        let mut record = Vec::with_capacity(self.length().min(head.saturating_add(expected.saturating_mul(2))));
        self.extend_empty(&mut record, head);
        record
    }

    /// Makes a short record as long as all are.
    pub fn fill(&self, record: &mut Vec<u8>) {
        self.extend_empty(record, self.length());
    }

    /// Puts a JSON text into the places of a group of an empty or short record; how many required members were missing.
    ///
    /// # Errors
    /// The text is no JSON, or a value does not fit its item. The record is of no use then.
    pub fn encode(&self, group: Group, json: &[u8], record: &mut Vec<u8>) -> Result<usize, Box<DataError>> {
        self.encode_within(group, json, record, MAXIMUM_LENGTH)
    }

    /// As `encode`, with data areas up to so many bytes in all.
    ///
    /// # Errors
    /// As those of `encode`, or the record gets longer.
    pub(crate) fn encode_within(
        &self,
        group: Group,
        json: &[u8],
        record: &mut Vec<u8>,
        limit: usize,
    ) -> Result<usize, Box<DataError>> {
        let Some(member) = self.group(group) else { return Ok(0) };
        let mut encoder = Encoder::new(self, json, record);
        encoder.limit = limit;
        let done = encoder.member(member, 0).and_then(|()| {
            let end = encoder.reader.end();
            end.map_err(|flaw| encoder.trouble(flaw, member.place.node, 0))
        });
        let missing = encoder.missing;
        done.map(|()| missing).map_err(|trouble| trouble.told(self))
    }

    /// Puts one value, given as plain text, into the place of a member: that of a header. A member without such a value
    /// keeps its initial bytes.
    ///
    /// # Errors
    /// The text does not fit the item.
    pub(crate) fn encode_text(&self, member: &Member, text: &str, record: &mut Vec<u8>) -> Result<(), Box<DataError>> {
        let mut json = Vec::with_capacity(text.len() + 2);
        match &self.nodes[member.place.node] {
            Node::Text(_) | Node::Time { .. } => copybook::json::write_string(text, &mut json),
            Node::Field { .. } | Node::Boolean => json.extend_from_slice(text.trim().as_bytes()),
            Node::Table(Table { element, .. }) | Node::Area(Area { element, .. }) => {
                let is_text = matches!(self.nodes[element.node], Node::Text(_) | Node::Time { .. });
                json.push(b'[');
                for (index, one) in text.split(',').map(str::trim).enumerate() {
                    if index > 0 {
                        json.push(b',');
                    }
                    if is_text {
                        copybook::json::write_string(one, &mut json);
                    } else {
                        json.extend_from_slice(one.as_bytes());
                    }
                }
                json.push(b']');
            }
            Node::Object(_) => json.extend_from_slice(text.as_bytes()),
        }
        let mut encoder = Encoder::new(self, &json, record);
        let done = encoder.value(member.place, 0).and_then(|()| {
            let end = encoder.reader.end();
            end.map_err(|flaw| encoder.trouble(flaw, member.place.node, member.place.offset))
        });
        if let (Ok(()), Some(presence)) = (&done, member.presence) {
            presence.write(&self.form, 1, record);
        }
        done.map_err(|trouble| trouble.below(Step::Member(member.name.clone())).told(self))
    }
}

/// Members of an object that have no items of their own, as far as they have come.
#[derive(Default)]
struct Others {
    known: HashSet<String>,
    /// The name of their data area.
    area: [u8; AREA],
}

struct Encoder<'a> {
    converter: &'a Converter,
    /// What is read.
    json: &'a [u8],
    reader: Reader<'a>,
    record: &'a mut Vec<u8>,
    /// A bit for each member of the open objects that was given.
    seen: Vec<u64>,
    missing: usize,
    /// Texts whose white space changes pass through it.
    scratch: Vec<u8>,
    /// Bytes of the record with its data areas at most.
    limit: usize,
}

impl<'a> Encoder<'a> {
    fn new(converter: &'a Converter, json: &'a [u8], record: &'a mut Vec<u8>) -> Self {
        let reader = Reader::new(json);
        Self {
            converter,
            json,
            reader,
            record,
            seen: Vec::new(),
            missing: 0,
            scratch: Vec::new(),
            limit: MAXIMUM_LENGTH,
        }
    }

    fn trouble(&self, flaw: Flaw, node: usize, at: usize) -> Box<Trouble> {
        Trouble::new(flaw.problem, node, at).in_json(flaw.at)
    }

    /// `frame` is where the frame of the place begins.
    fn value(&mut self, place: Place, frame: usize) -> Outcome<()> {
        let converter = self.converter;
        let at = frame + place.offset;
        if let Node::Text(text) = &converter.nodes[place.node]
            && text.is_json
        {
            return self.any_value(*text, at, frame).map_err(|flaw| self.trouble(flaw, place.node, at));
        }
        if self.reader.peek() == Some(b'n') {
            let null = self.reader.null().map_err(|flaw| self.trouble(flaw, place.node, at));
            return null.and(Err(Trouble::new(DataProblem::Null, place.node, at).in_json(self.reader.at)));
        }
        let done = match &converter.nodes[place.node] {
            Node::Field { field, length } => {
                field.encode(&converter.form, &mut self.reader, &mut self.record[at..at + length])
            }
            Node::Boolean => self.reader.boolean().map(|value| self.record[at] = u8::from(value)),
            Node::Text(text) => self.text(*text, at, frame),
            Node::Time { field } => self.time(field, at),
            Node::Object(object) => return self.object(object, place.node, frame),
            Node::Table(table) => return self.table(table, place.node, at, frame),
            Node::Area(area) => return self.area(area, place.node, at, frame),
        };
        done.map_err(|flaw| self.trouble(flaw, place.node, at))
    }

    fn text(&mut self, text: Text, at: usize, frame: usize) -> Result<(), Flaw> {
        self.reader.peek();
        let from = self.reader.at;
        let string = self.reader.string()?;
        self.put(text, string, at, frame).map_err(|problem| Flaw { problem, at: from })
    }

    /// Puts the JSON of the value that comes next into a text. It is never cut: it would be none then.
    fn any_value(&mut self, text: Text, at: usize, frame: usize) -> Result<(), Flaw> {
        self.reader.peek();
        let from = self.reader.at;
        self.reader.skip()?;
        let json = std::str::from_utf8(&self.json[from..self.reader.at]).unwrap_or_default();
        let mut quoted = Vec::with_capacity(json.len() + 2);
        copybook::json::write_string(json, &mut quoted);
        let string = Reader::new(&quoted).string()?;
        let out = &mut self.record[at..at + text.room];
        let length = self.converter.form.encode_text(string, out).map_err(|problem| Flaw { problem, at: from })?;
        self.end_text(text, length, at, frame);
        Ok(())
    }

    fn put(&mut self, text: Text, string: RawString<'_>, at: usize, frame: usize) -> Result<(), DataProblem> {
        let form = &self.converter.form;
        let out = &mut self.record[at..at + text.room];
        let rule = self.converter.white_space;
        let string = if !whitespace::may_change(rule, string) {
            string
        } else {
            self.scratch.clear();
            self.scratch.extend_from_slice(string.raw);
            whitespace::rewrite(rule, &mut self.scratch, 0);
            RawString { raw: &self.scratch, is_plain: string.is_plain }
        };
        let put = match form.encode_text(string, out) {
            Err(DataProblem::TextTooLong { .. }) if self.converter.truncates => {
                let text = string.to_text();
                text.and_then(|text| form.encode_cut(&text, out))
            }
            put => put,
        };
        let length = put?;
        self.end_text(text, length, at, frame);
        Ok(())
    }

    /// Says where a text ends that takes so many bytes.
    fn end_text(&mut self, text: Text, length: usize, at: usize, frame: usize) {
        match text.ending {
            Ending::Blanks => {}
            Ending::Null => self.record[at + length] = 0,
            Ending::Counted(counter) => self.write(counter, length as u64, frame),
        }
    }

    fn time(&mut self, field: &copybook::field::Field, at: usize) -> Result<(), Flaw> {
        self.reader.peek();
        let from = self.reader.at;
        let text = self.reader.string()?.to_text().ok();
        let milliseconds =
            text.as_deref().and_then(time::from_text).ok_or(Flaw { problem: DataProblem::NotATime, at: from })?;
        let number = milliseconds.to_string();
        let out = &mut self.record[at..at + time::LENGTH];
        field.encode(&self.converter.form, &mut Reader::new(number.as_bytes()), out)
    }

    fn object(&mut self, object: &'a Object, node: usize, frame: usize) -> Outcome<()> {
        let first = self.seen.len();
        self.seen.resize(first + object.members.len().div_ceil(64), 0);
        self.reader.begin(b'{').map_err(|flaw| self.trouble(flaw, node, frame))?;
        let (mut hint, mut is_first) = (0, true);
        let mut others = Others::default();
        while let Some(name) = self.reader.next_name(is_first).map_err(|flaw| self.trouble(flaw, node, frame))? {
            is_first = false;
            match find(object, name, hint) {
                Some(index) => {
                    hint = index + 1;
                    self.seen_now(first, index, object, node, frame)?;
                    let member = &object.members[index];
                    let done = self.member(member, frame);
                    done.map_err(|trouble| trouble.below(Step::Member(member.name.clone())))?;
                }
                None => match object.others {
                    Some(index) => self.other(&object.members[index], name, frame, &mut others)?,
                    None => self.reader.skip().map_err(|flaw| self.trouble(flaw, node, frame))?,
                },
            }
        }
        let given: u32 = self.seen[first..].iter().map(|word| word.count_ones()).sum();
        if given as usize != object.members.len() {
            let is_missing = |(index, member): (usize, &Member)| {
                member.absence != Absence::Omitted && self.seen[first + index / 64] & (1 << (index % 64)) == 0
            };
            self.missing += object.members.iter().enumerate().filter(|&one| is_missing(one)).count();
        }
        self.seen.truncate(first);
        Ok(())
    }

    /// A member that has no item of its own: an element with its name and its value.
    fn other(&mut self, member: &'a Member, name: RawString<'_>, frame: usize, others: &mut Others) -> Outcome<()> {
        let converter = self.converter;
        let Some((area, name_place, value)) = converter.entries(member) else { return Ok(()) };
        let (node, at) = (member.place.node, frame + member.place.offset);
        let json_at = self.reader.at;
        let told = |problem| Trouble::new(problem, node, at).in_json(json_at);
        let text = name.to_text().map_err(told)?;
        let step = Step::Member(text.as_str().into());
        if others.known.len() >= area.maximum as usize {
            let problem =
                DataProblem::TooManyOccurrences { count: others.known.len() as u64 + 1, maximum: area.maximum };
            return Err(told(problem).below(step));
        }
        if others.known.contains(&text) {
            return Err(told(DataProblem::DuplicateMember { name: text }).below(step));
        }
        if others.known.is_empty() {
            let area_name = self.name_of_area();
            self.record[at..at + AREA].copy_from_slice(&area_name);
            others.area = area_name;
        }
        others.known.insert(text);
        let element = self.element(area, &others.area, node, at)?;
        let put = match &converter.nodes[name_place.node] {
            Node::Text(place) => self.put(*place, name, element + name_place.offset, element).map_err(told),
            _ => Ok(()),
        };
        put.and_then(|()| self.member(value, element)).map_err(|trouble| trouble.below(step))?;
        self.write(area.counter, others.known.len() as u64, frame);
        Ok(())
    }

    fn seen_now(&mut self, first: usize, index: usize, object: &Object, node: usize, frame: usize) -> Outcome<()> {
        let (word, bit) = (first + index / 64, 1_u64 << (index % 64));
        if self.seen[word] & bit != 0 {
            let name = object.members[index].name.clone();
            let problem = DataProblem::DuplicateMember { name: name.to_string() };
            return Err(Trouble::new(problem, node, frame).in_json(self.reader.at).below(Step::Member(name)));
        }
        self.seen[word] |= bit;
        Ok(())
    }

    fn member(&mut self, member: &'a Member, frame: usize) -> Outcome<()> {
        if let Some(patch) = member.patch {
            let is_null = self.reader.peek() == Some(b'n');
            self.patch(patch, frame, is_null);
            return match is_null {
                true => self.reader.null().map(drop).map_err(|flaw| self.trouble(flaw, member.place.node, frame)),
                false => self.value(member.place, frame),
            };
        }
        if member.absence != Absence::Never && self.reader.peek() == Some(b'n') {
            return self.reader.null().map(drop).map_err(|flaw| self.trouble(flaw, member.place.node, frame));
        }
        self.value(member.place, frame)?;
        if let Some(presence) = member.presence {
            self.write(presence, 1, frame);
        }
        Ok(())
    }

    /// What a patch says of a member that is null, or has a value.
    fn patch(&mut self, patch: Patch, frame: usize, is_null: bool) {
        let Converter { operations, form, .. } = self.converter;
        match patch {
            Patch::Operation(offset) => {
                self.record[frame + offset] = if is_null { operations.delete } else { operations.update };
            }
            Patch::List { offset, bytes } => {
                let word = if is_null { DELETE } else { REPLACE };
                let list = &mut self.record[frame + offset..][..bytes];
                // A list without room for the word stays blank.
                let _ = form.encode_text(RawString { raw: word.as_bytes(), is_plain: true }, list);
            }
        }
    }

    fn write(&mut self, counter: Counter, value: u64, frame: usize) {
        counter.write(&self.converter.form, value, &mut self.record[frame..]);
    }

    fn table(&mut self, table: &'a Table, node: usize, at: usize, frame: usize) -> Outcome<()> {
        self.reader.begin(b'[').map_err(|flaw| self.trouble(flaw, node, at))?;
        let (mut count, mut has_grown) = (0, false);
        while self.reader.next_element(count == 0).map_err(|flaw| self.trouble(flaw, node, at))? {
            if count >= table.maximum as usize {
                let problem = DataProblem::TooManyOccurrences { count: count as u64 + 1, maximum: table.maximum };
                return Err(Trouble::new(problem, node, at).in_json(self.reader.at).below(Step::Index(count)));
            }
            let element = at + count * table.stride;
            // Only the table at the end of a short record lies beyond it.
            if element + table.stride > self.record.len() {
                let piece = self.converter.tail.map_or(table.stride, Tail::piece);
                self.converter.extend_empty(self.record, (element + piece).min(self.converter.length()));
                has_grown = true;
            }
            self.value(table.element, element).map_err(|trouble| trouble.below(Step::Index(count)))?;
            count += 1;
        }
        if has_grown {
            self.record.truncate(at + count * table.stride);
        }
        match table.counter {
            Some(counter) => self.write(counter, count as u64, frame),
            None if count < table.minimum as usize => {
                let problem = DataProblem::TooFewOccurrences { count: count as u64, minimum: table.minimum };
                return Err(Trouble::new(problem, node, at).in_json(self.reader.at));
            }
            None => {}
        }
        Ok(())
    }

    fn area(&mut self, area: &'a Area, node: usize, at: usize, frame: usize) -> Outcome<()> {
        let name = self.name_of_area();
        let mut count = 0;
        if area.is_array {
            self.reader.begin(b'[').map_err(|flaw| self.trouble(flaw, node, at))?;
            while self.reader.next_element(count == 0).map_err(|flaw| self.trouble(flaw, node, at))? {
                if count >= area.maximum as usize {
                    let problem = DataProblem::TooManyOccurrences { count: count as u64 + 1, maximum: area.maximum };
                    return Err(Trouble::new(problem, node, at).in_json(self.reader.at).below(Step::Index(count)));
                }
                let element = self.element(area, &name, node, at)?;
                self.value(area.element, element).map_err(|trouble| trouble.below(Step::Index(count)))?;
                count += 1;
            }
        } else {
            let element = self.element(area, &name, node, at)?;
            self.value(area.element, element)?;
            count = 1;
        }
        self.write(area.counter, count as u64, frame);
        if count > 0 {
            self.record[at..at + AREA].copy_from_slice(&name);
        }
        Ok(())
    }

    /// An element with nothing in it, behind the record.
    fn element(&mut self, area: &Area, name: &[u8; AREA], node: usize, at: usize) -> Outcome<usize> {
        let length = self.record.len() + areas::room(area);
        if length > self.limit {
            let problem = DataProblem::RecordTooLong { length, expected: self.limit };
            return Err(Trouble::new(problem, node, at).in_json(self.reader.at));
        }
        Ok(areas::append(area, &self.converter.form, name, self.record))
    }

    /// A name that no other data area of the record has, in its characters: where the first element will be says which.
    fn name_of_area(&self) -> [u8; AREA] {
        let form = &self.converter.form;
        let mut name = [form.blank(); AREA];
        let text = format!("AREA{}", self.record.len());
        // It has fewer characters, and every code page has them.
        let _ = form.encode_text(RawString { raw: text.as_bytes(), is_plain: true }, &mut name);
        name
    }
}

/// Names with escapes are rare enough to be copied.
fn find(object: &Object, name: RawString<'_>, hint: usize) -> Option<usize> {
    if name.is_plain || !name.raw.contains(&b'\\') {
        return object.find(name.raw, hint);
    }
    object.find(name.to_text().ok()?.as_bytes(), hint)
}
