//! Record bytes to JSON, following a plan: what the API is sent.

use std::borrow::Cow;
use std::collections::HashSet;

use build_toolkit::archive::WhiteSpace;
use build_toolkit::structure::Absence;
use copybook::json::{self, Reader};

use super::areas::{AREA, Areas};
use super::plan::{
    Area, Converter, Counter, Ending, Group, Member, Node, Object, Operations, Patch, Place, Table, Text,
};
use super::{DataError, DataProblem, Outcome, Step, Trouble, time, whitespace};

impl Converter {
    /// The bytes that are converted: bytes behind the record are passed over, and a record that ends early is filled up
    /// where that is allowed.
    ///
    /// # Errors
    /// The record is too short.
    pub fn whole<'r>(&self, record: &'r [u8]) -> Result<Cow<'r, [u8]>, Box<DataError>> {
        if self.has_areas && record.len() >= self.length() {
            return Ok(Cow::Borrowed(record));
        }
        if record.len() >= self.length() {
            return Ok(Cow::Borrowed(&record[..self.length()]));
        }
        if !self.truncates {
            let problem = DataProblem::RecordTooShort { length: record.len() };
            let node = self.groups.first().map_or(0, |(_, member)| member.place.node);
            return Err(Trouble::new(problem, node, record.len()).told(self));
        }
        let mut filled = Vec::with_capacity(self.length());
        filled.extend_from_slice(record);
        self.extend_empty(&mut filled, self.length());
        Ok(Cow::Owned(filled))
    }

    /// Appends the JSON value of a group; whether it is there. `record` is whole, and nothing of it has been read.
    ///
    /// # Errors
    /// An item holds what it cannot. `out` is as before.
    pub fn decode(&self, group: Group, record: &[u8], out: &mut Vec<u8>) -> Result<bool, Box<DataError>> {
        self.decode_from(group, record, &mut self.areas(record)?, out)
    }

    /// The elements behind a whole record. Whoever reads all of it reads its groups in their order with the same ones.
    ///
    /// # Errors
    /// What stands behind the record is no element, or ends early.
    pub(crate) fn areas<'r>(&self, record: &'r [u8]) -> Result<Areas<'r>, Box<DataError>> {
        Areas::of(self, record).map_err(|trouble| trouble.told(self))
    }

    /// As `decode`, with the elements that are left.
    ///
    /// # Errors
    /// As those of `decode`.
    pub(crate) fn decode_from(
        &self,
        group: Group,
        record: &[u8],
        areas: &mut Areas<'_>,
        out: &mut Vec<u8>,
    ) -> Result<bool, Box<DataError>> {
        let Some(member) = self.group(group) else { return Ok(false) };
        let start = out.len();
        let mut decoder = Decoder { converter: self, record, out, areas, reading: Reading::Operations };
        let decoded = match group == Group::Body && self.is_json_patch {
            true => decoder.patch(member).map(|()| true),
            false => decoder.member(member, 0, None),
        };
        decoded.map_err(|trouble| {
            out.truncate(start);
            trouble.told(self)
        })
    }

    /// Hands over the parameters of a group that are there: each with its texts, several for an array. `areas` has the
    /// elements that are left.
    ///
    /// # Errors
    /// An item holds what it cannot.
    pub(crate) fn parameters<'c>(
        &'c self,
        group: Group,
        record: &[u8],
        areas: &mut Areas<'_>,
        mut take: impl FnMut(&'c Member, &[Cow<'_, str>]),
    ) -> Result<(), Box<DataError>> {
        let mut text = Vec::new();
        for member in self.members(group) {
            text.clear();
            let mut decoder = Decoder { converter: self, record, out: &mut text, areas, reading: Reading::Operations };
            let decoded = decoder.member(member, 0, None);
            let is_there = decoded.map_err(|trouble| trouble.below(Step::Member(member.name.clone())).told(self))?;
            if is_there {
                take(member, &texts(&text));
            }
        }
        Ok(())
    }
}

/// The texts of a JSON value of our own making: of each element for an array, else one.
fn texts(value: &[u8]) -> Vec<Cow<'_, str>> {
    let mut reader = Reader::new(value);
    if reader.peek() != Some(b'[') {
        return vec![text(value)];
    }
    let mut all = Vec::new();
    let _ = reader.begin(b'[');
    while reader.next_element(all.is_empty()).unwrap_or(false) {
        let from = reader.at;
        if reader.skip().is_err() {
            break;
        }
        all.push(text(value[from..reader.at].trim_ascii()));
    }
    all
}

/// A string without quotes and escapes; any other value as it is.
pub(super) fn text(value: &[u8]) -> Cow<'_, str> {
    let Ok(string) = Reader::new(value).string() else { return String::from_utf8_lossy(value) };
    if string.is_plain {
        return String::from_utf8_lossy(string.raw);
    }
    Cow::Owned(string.to_text().unwrap_or_default())
}

/// What becomes of a member in JSON.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Given,
    Null,
    LeftOut,
}

/// Which members of a patch are read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// Those with an operation.
    Operations,
    /// All but those that are deleted: the object around them is updated.
    Updated,
    /// All: they are a new value.
    All,
}

pub(super) struct Decoder<'a, 'r> {
    pub(super) converter: &'a Converter,
    pub(super) record: &'a [u8],
    pub(super) out: &'a mut Vec<u8>,
    areas: &'a mut Areas<'r>,
    pub(super) reading: Reading,
}

impl<'a> Decoder<'a, '_> {
    /// `frame` is where the frame of the place begins.
    pub(super) fn value(&mut self, place: Place, frame: usize) -> Outcome<()> {
        let converter = self.converter;
        let at = frame + place.offset;
        let told = |problem| Trouble::new(problem, place.node, at);
        match &converter.nodes[place.node] {
            Node::Field { field, length } => {
                field.decode(&converter.form, self.bytes(at, *length), self.out).map_err(told)
            }
            Node::Boolean => {
                let word: &[u8] = match self.record.get(at) {
                    Some(0) => b"false",
                    Some(1) => b"true",
                    other => return Err(told(DataProblem::NotABoolean { byte: other.copied().unwrap_or(0) })),
                };
                self.out.extend_from_slice(word);
                Ok(())
            }
            Node::Text(text) if text.is_json => self.any_value(*text, at, frame).map_err(told),
            Node::Text(text) => self.text(*text, at, frame).map_err(told),
            Node::Time { field } => {
                let number = field.number(&converter.form, self.bytes(at, time::LENGTH));
                let shown = number.filter(|(negative, _)| !negative).and_then(|(_, value)| time::to_text(value));
                json::write_string(&shown.ok_or_else(|| told(DataProblem::NotATime))?, self.out);
                Ok(())
            }
            Node::Object(object) => self.object(object, frame),
            Node::Table(table) => {
                let count = self.count(table, place.node, frame)?;
                self.table(table, at, count)
            }
            Node::Area(area) => self.area(area, place.node, at, frame),
        }
    }

    /// Each element of a data area is read once: the next reader of that name continues after it.
    fn area(&mut self, area: &'a Area, node: usize, at: usize, frame: usize) -> Outcome<()> {
        let count = self.counted(area.counter, area.maximum, node, frame)?;
        let name = self.bytes(at, AREA);
        if area.is_array {
            self.out.push(b'[');
        }
        for index in 0..count {
            if index > 0 {
                self.out.push(b',');
            }
            let start = self.next_element(area, name, (index, count));
            let start = start.map_err(|problem| Trouble::new(problem, node, at).below(Step::Index(index)))?;
            self.value(area.element, start).map_err(|trouble| match area.is_array {
                true => trouble.below(Step::Index(index)),
                false => trouble,
            })?;
        }
        if area.is_array {
            self.out.push(b']');
        }
        Ok(())
    }

    /// Where the next element of an area begins, the one with this index of so many.
    pub(super) fn next_element(
        &mut self,
        area: &Area,
        name: &[u8],
        (index, count): (usize, usize),
    ) -> Result<usize, DataProblem> {
        let minimum = u32::try_from(count).unwrap_or(u32::MAX);
        let missing = DataProblem::TooFewOccurrences { count: index as u64, minimum };
        let (start, length) = self.areas.next(name).ok_or(missing)?;
        if length < area.template.len() { Err(DataProblem::RecordTooShort { length }) } else { Ok(start) }
    }

    pub(super) fn bytes(&self, at: usize, length: usize) -> &'a [u8] {
        // The record is whole and the plan stays within it.
        self.record.get(at..at + length).unwrap_or_default()
    }

    fn text(&mut self, text: Text, at: usize, frame: usize) -> Result<(), DataProblem> {
        let form = &self.converter.form;
        let all = self.bytes(at, text.room);
        let bytes = match text.ending {
            Ending::Blanks => {
                let blank = form.blank();
                &all[..all.iter().rposition(|byte| *byte != blank).map_or(0, |last| last + 1)]
            }
            Ending::Null => {
                let all = self.bytes(at, text.room + 1);
                &all[..all.iter().position(|byte| *byte == 0).unwrap_or(all.len())]
            }
            Ending::Counted(counter) => {
                let length = counter.read(form, &self.record[frame..]).and_then(|length| usize::try_from(length).ok());
                match length.and_then(|length| all.get(..length)) {
                    Some(bytes) => bytes,
                    None => {
                        return Err(DataProblem::OutOfRange {
                            minimum: "0".to_owned(),
                            maximum: text.room.to_string(),
                        });
                    }
                }
            }
        };
        let start = self.out.len() + 1;
        form.decode_text(bytes, self.out)?;
        if self.converter.white_space != WhiteSpace::Preserve && !text.is_json {
            self.out.pop();
            whitespace::apply(self.converter.white_space, self.out, start);
            self.out.push(b'"');
        }
        Ok(())
    }

    /// Appends the JSON that a text is.
    fn any_value(&mut self, place: Text, at: usize, frame: usize) -> Result<(), DataProblem> {
        let start = self.out.len();
        self.text(place, at, frame)?;
        let json = text(&self.out[start..]).trim_matches([' ', '\t', '\n', '\r']).to_owned();
        self.out.truncate(start);
        let mut reader = Reader::new(json.as_bytes());
        reader.skip().and_then(|()| reader.end()).map_err(|flaw| flaw.problem)?;
        self.out.extend_from_slice(json.as_bytes());
        Ok(())
    }

    fn object(&mut self, object: &'a Object, frame: usize) -> Outcome<()> {
        self.out.push(b'{');
        let start = self.out.len();
        for (index, member) in object.members.iter().enumerate() {
            if object.others == Some(index) {
                self.others(object, member, frame, start)?;
                continue;
            }
            let before: &[u8] = if self.out.len() > start { b"," } else { b"" };
            self.member(member, frame, Some(before))
                .map_err(|trouble| trouble.below(Step::Member(member.name.clone())))?;
        }
        self.out.push(b'}');
        Ok(())
    }

    /// Appends members that the record has with their names. `start` is where the object's members begin.
    pub(super) fn others(&mut self, object: &'a Object, member: &'a Member, frame: usize, start: usize) -> Outcome<()> {
        let converter = self.converter;
        let Some((area, name_place, value)) = converter.entries(member) else { return Ok(()) };
        let (node, at) = (member.place.node, frame + member.place.offset);
        let count = self.counted(area.counter, area.maximum, node, frame)?;
        let area_name = self.bytes(at, AREA);
        let mut known = HashSet::new();
        for index in 0..count {
            let element = self.next_element(area, area_name, (index, count));
            let element = element.map_err(|problem| Trouble::new(problem, node, at).below(Step::Index(index)))?;
            if self.out.len() > start {
                self.out.push(b',');
            }
            let from = self.out.len();
            self.value(name_place, element).map_err(|trouble| trouble.below(Step::Index(index)))?;
            let name = text(&self.out[from..]).into_owned();
            let step = Step::Member(name.as_str().into());
            if object.find(name.as_bytes(), 0).is_some() || known.contains(&name) {
                let problem = DataProblem::DuplicateMember { name };
                return Err(Trouble::new(problem, name_place.node, element + name_place.offset).below(step));
            }
            known.insert(name);
            self.out.push(b':');
            self.member(value, element, None).map_err(|trouble| trouble.below(step))?;
        }
        Ok(())
    }

    /// Appends a member's value if it is there, behind its name and what stands before that.
    fn member(&mut self, member: &'a Member, frame: usize, before: Option<&[u8]>) -> Outcome<bool> {
        let converter = self.converter;
        let state = self.state(member, frame)?;
        let object = match &converter.nodes[member.place.node] {
            Node::Object(object) if member.patch.is_some() => Some(object),
            _ => None,
        };
        if state == State::LeftOut && (object.is_none() || self.reading != Reading::Operations) {
            return Ok(false);
        }
        let start = self.out.len();
        if let Some(before) = before {
            self.out.extend_from_slice(before);
            self.out.extend_from_slice(&converter.keys[member.key.clone()]);
        }
        match (state, object) {
            (State::Given, Some(_)) => self.with(Reading::Updated, |all| all.value(member.place, frame))?,
            (State::Given, None) => self.value(member.place, frame)?,
            (State::LeftOut, Some(object)) => {
                let empty = self.out.len() + 2;
                self.object(object, frame)?;
                // An object without an operation is there when something in it has one.
                if self.out.len() == empty {
                    self.out.truncate(start);
                    return Ok(false);
                }
            }
            (State::Null | State::LeftOut, _) => self.out.extend_from_slice(b"null"),
        }
        Ok(true)
    }

    /// Reads members of a patch in another way, all of them if that is how those around them are read.
    pub(super) fn with<T>(&mut self, reading: Reading, read: impl FnOnce(&mut Self) -> T) -> T {
        let around = self.reading;
        self.reading = if around == Reading::All { around } else { reading };
        let done = read(self);
        self.reading = around;
        done
    }

    pub(super) fn state(&self, member: &Member, frame: usize) -> Outcome<State> {
        let Some(Patch::Operation(at)) = member.patch.filter(|_| self.reading != Reading::All) else {
            return Ok(match (self.is_there(member, frame)?, member.absence) {
                (true, _) => State::Given,
                (false, Absence::Omitted) => State::LeftOut,
                (false, Absence::Never | Absence::Null) => State::Null,
            });
        };
        let Operations { update, delete } = self.converter.operations;
        let is_updated = self.reading == Reading::Updated;
        match self.record.get(frame + at).copied().unwrap_or_default() {
            byte if byte == update => Ok(State::Given),
            // In the value of a JSON patch null would be a value.
            byte if byte == delete && is_updated && self.converter.is_json_patch => Ok(State::LeftOut),
            byte if byte == delete => Ok(State::Null),
            // A record that was not initialized.
            byte if byte == 0 || byte == self.converter.form.blank() => {
                Ok(if is_updated { State::Given } else { State::LeftOut })
            }
            byte => Err(Trouble::new(DataProblem::NotAPatchOperation { byte }, member.place.node, frame + at)),
        }
    }

    fn is_there(&self, member: &Member, frame: usize) -> Outcome<bool> {
        if let Some(presence) = member.presence {
            let told = |problem| Err(Trouble::new(problem, member.place.node, frame + presence.offset));
            return match presence.read(&self.converter.form, &self.record[frame..]) {
                Some(0) => Ok(false),
                Some(1) => Ok(true),
                Some(count) => told(DataProblem::TooManyOccurrences { count, maximum: 1 }),
                None => told(DataProblem::Negative),
            };
        }
        match &self.converter.nodes[member.place.node] {
            Node::Table(table) if member.absence != Absence::Never => {
                Ok(self.count(table, member.place.node, frame)? > 0)
            }
            Node::Area(area) if member.absence != Absence::Never => {
                Ok(self.counted(area.counter, area.maximum, member.place.node, frame)? > 0)
            }
            _ => Ok(true),
        }
    }

    fn count(&self, table: &Table, node: usize, frame: usize) -> Outcome<usize> {
        let Some(counter) = table.counter else { return Ok(table.maximum as usize) };
        self.counted(counter, table.maximum, node, frame)
    }

    pub(super) fn counted(&self, counter: Counter, maximum: u32, node: usize, frame: usize) -> Outcome<usize> {
        let told = |problem| Err(Trouble::new(problem, node, frame + counter.offset));
        match counter.read(&self.converter.form, &self.record[frame..]) {
            None => told(DataProblem::Negative),
            Some(count) if count > u64::from(maximum) => told(DataProblem::TooManyOccurrences { count, maximum }),
            Some(count) => Ok(usize::try_from(count).unwrap_or(0)),
        }
    }

    fn table(&mut self, table: &'a Table, at: usize, count: usize) -> Outcome<()> {
        self.out.push(b'[');
        for index in 0..count {
            if index > 0 {
                self.out.push(b',');
            }
            let frame = at + index * table.stride;
            self.value(table.element, frame).map_err(|trouble| trouble.below(Step::Index(index)))?;
        }
        self.out.push(b']');
        Ok(())
    }
}
