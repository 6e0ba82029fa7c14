//! A structure of an archive made into a plan, for one form in which records come.

use build_toolkit::archive::{Options, REQUEST_COOKIES, Status};
use build_toolkit::structure::{self, AREA_NAME, Alignment, Item, PatchOperation, Structure, Value};
use codepage::ByteOrder;
use copybook::PlanError;
use copybook::field::{Field, FieldForm};
use copybook::json::{RawString, write_string};

pub use copybook::FloatForm;

use super::plan::{
    Area, Converter, Counter, Ending, Group, Member, Node, Object, Operations, Patch, Place, Table, Tail, Text,
};
use super::time;

/// How a program writes its records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordForm {
    pub order: ByteOrder,
    pub float: FloatForm,
    pub ccsid: u32,
}

impl RecordForm {
    /// What programs of z/OS write.
    pub fn of_ccsid(ccsid: u32) -> Self {
        Self { order: ByteOrder::Big, float: FloatForm::Hexadecimal, ccsid }
    }

    /// # Errors
    /// The code page cannot be used.
    pub fn check(self) -> Result<(), CompileError> {
        Ok(FieldForm::new(self.ccsid, self.order, self.float).map(drop)?)
    }

    /// `little,ieee,1208`, as `docs/stub-protocol.md` has it.
    pub fn parse(text: &str) -> Option<Self> {
        let mut words = text.split(',').map(str::trim);
        let order = match words.next()? {
            word if word.eq_ignore_ascii_case("big") => ByteOrder::Big,
            word if word.eq_ignore_ascii_case("little") => ByteOrder::Little,
            _ => return None,
        };
        let float = match words.next()? {
            word if word.eq_ignore_ascii_case("hexadecimal") => FloatForm::Hexadecimal,
            word if word.eq_ignore_ascii_case("ieee") => FloatForm::Ieee,
            _ => return None,
        };
        let ccsid = words.next()?.parse().ok()?;
        words.next().is_none().then_some(Self { order, float, ccsid })
    }
}

/// Why there is no conversion.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompileError {
    #[error(transparent)]
    Form(#[from] PlanError),
    #[error("the structure has the group {0}, which is not supported")]
    UnknownGroup(String),
    #[error("the structure is inconsistent at {0}")]
    Contradiction(String),
}

impl Converter {
    /// # Errors
    /// The code page cannot be used, or the structure is none of an operation.
    pub fn new(structure: &Structure, form: RecordForm, options: &Options) -> Result<Self, CompileError> {
        let length = usize::try_from(structure.length).unwrap_or(usize::MAX);
        let tail = tail(&structure.groups).filter(|(tail, times)| tail.start + tail.stride * times == length);
        // What is in data areas is behind the whole record.
        let tail = tail.filter(|_| !structure.has_areas()).map(|(tail, _)| tail);
        let mut compiler = Compiler {
            form: FieldForm::new(form.ccsid, form.order, form.float)?,
            nodes: Vec::new(),
            keys: Vec::new(),
            paths: Vec::new(),
            template: vec![0; tail.map_or(length, |tail| tail.start + tail.piece())],
            tail,
            has_areas: false,
            // COBOL's PIC 9(15) COMP-3 has no sign, PL/I's FIXED DECIMAL has one.
            times_have_signs: structure.alignment == Alignment::Unaligned,
        };
        let mut groups = Vec::new();
        for item in &structure.groups {
            let name = if item.json_name.is_empty() { &item.name } else { &item.json_name };
            let group = group(name).ok_or_else(|| CompileError::UnknownGroup(name.clone()))?;
            groups.push((group, compiler.member(item, 0, "")?));
        }
        Ok(Self {
            nodes: compiler.nodes,
            groups,
            keys: compiler.keys,
            paths: compiler.paths,
            template: compiler.template,
            length,
            tail,
            is_json_patch: structure.groups.iter().any(|item| item.is_json_patch),
            operations: Operations { update: character(&compiler.form, b'U'), delete: character(&compiler.form, b'D') },
            has_areas: compiler.has_areas,
            form: compiler.form,
            truncates: options.data_truncation,
            white_space: options.white_space,
        })
    }
}

/// The byte of a letter in the code page of records.
fn character(form: &FieldForm, letter: u8) -> u8 {
    let mut byte = [letter];
    // Every code page has it, in one byte.
    let _ = form.encode_text(RawString { raw: &[letter], is_plain: true }, &mut byte);
    byte[0]
}

fn group(name: &str) -> Option<Group> {
    Some(match name {
        "ReqPathParameters" => Group::Path,
        "ReqQueryParameters" => Group::Query,
        "ReqHeaders" | "RespHeaders" => Group::Headers,
        REQUEST_COOKIES => Group::Cookies,
        "ReqBody" | "RespBody" => Group::Body,
        other => Group::Answer(Status::of_group(other)?),
    })
}

/// The counted table that a record ends with, and how often it occurs.
fn tail(items: &[Item]) -> Option<(Tail, usize)> {
    let last = items.last()?;
    match (&last.occurs, &last.value) {
        (Some(occurs), _) => {
            let times = bytes(occurs.times);
            let is_counted = last.counter.is_some() && times > 1;
            is_counted.then(|| (Tail::new(bytes(last.offset), bytes(occurs.stride), times), times))
        }
        (None, Value::Group { items }) => tail(items),
        (None, _) => None,
    }
}

struct Compiler {
    form: FieldForm,
    nodes: Vec<Node>,
    keys: Vec<u8>,
    paths: Vec<String>,
    template: Vec<u8>,
    tail: Option<Tail>,
    has_areas: bool,
    times_have_signs: bool,
}

impl Compiler {
    /// `frame` is where the frame begins in the record, `around` the qualified name of the group.
    fn member(&mut self, item: &Item, frame: usize, around: &str) -> Result<Member, CompileError> {
        let path = if around.is_empty() { item.name.clone() } else { format!("{around}.{}", item.name) };
        let place = self.occurring(item, frame, &path)?;
        let patch = match &item.patch {
            Some(patch) => Some(self.patch(patch, frame, &path)?),
            None => None,
        };
        let start = self.keys.len();
        write_string(&item.json_name, &mut self.keys);
        self.keys.push(b':');
        let presence = match (&item.counter, &item.occurs) {
            // It counts the elements.
            _ if item.element().is_some() => None,
            (Some(counter), None) => Some(self.counter(counter.offset, 4, true, frame, &path)?),
            _ => None,
        };
        Ok(Member {
            name: item.json_name.as_str().into(),
            key: start..self.keys.len(),
            place,
            presence,
            patch,
            absence: item.absence,
        })
    }

    /// What a patch says of a member, blank to begin with.
    fn patch(&mut self, patch: &PatchOperation, frame: usize, path: &str) -> Result<Patch, CompileError> {
        let (at, list) = (bytes(patch.offset), patch.list.map(bytes));
        let range = self.room(at, list.unwrap_or(1), path)?;
        Field::text().initial(&self.form, &mut self.template[range]);
        let offset = at.checked_sub(frame).ok_or_else(|| CompileError::Contradiction(path.to_owned()))?;
        Ok(list.map_or(Patch::Operation(offset), |bytes| Patch::List { offset, bytes }))
    }

    /// The item as a table, if it is one.
    fn occurring(&mut self, item: &Item, frame: usize, path: &str) -> Result<Place, CompileError> {
        let Some(occurs) = item.occurs else { return self.value(item, frame, path) };
        let first = bytes(item.offset);
        let element = self.value(item, first, path)?;
        let stride = bytes(occurs.stride);
        self.repeat(first, stride, occurs.times, path)?;
        let counter = match &item.counter {
            Some(counter) => Some(self.counter(counter.offset, 4, true, frame, path)?),
            None => None,
        };
        let minimum = item.counter.as_ref().map_or(occurs.times, |counter| counter.minimum);
        let table = Table { element, stride, minimum, maximum: occurs.times, counter };
        self.push(Node::Table(table), first, frame, path)
    }

    /// The other occurrences begin as the first one does.
    fn repeat(&mut self, first: usize, stride: usize, times: u32, path: &str) -> Result<(), CompileError> {
        let tail = self.tail.filter(|tail| (tail.start, tail.stride) == (first, stride));
        let times = tail.map_or(times, |tail| u32::try_from(tail.held).unwrap_or(times));
        for number in 1..times as usize {
            let at = first + number * stride;
            if at + stride > self.template.len() {
                return Err(CompileError::Contradiction(path.to_owned()));
            }
            self.template.copy_within(first..first + stride, at);
        }
        Ok(())
    }

    fn value(&mut self, item: &Item, frame: usize, path: &str) -> Result<Place, CompileError> {
        let at = bytes(item.offset);
        match &item.value {
            Value::Group { items } => {
                let mut members = Vec::with_capacity(items.len());
                for inner in items {
                    members.push(self.member(inner, frame, path)?);
                }
                let others = items.iter().position(Item::is_map);
                self.push(Node::Object(Object::new(members, others)), at, frame, path)
            }
            Value::Array { item } => self.occurring(item, frame, &format!("{path}.{}", item.name)),
            Value::Area { is_array, length, element, .. } => {
                let counter = item.counter.as_ref().ok_or_else(|| CompileError::Contradiction(path.to_owned()))?;
                let (maximum, counter) = (counter.maximum, self.counter(counter.offset, 4, true, frame, path)?);
                let name = self.room(at, bytes(AREA_NAME), path)?;
                Field::text().initial(&self.form, &mut self.template[name]);
                let around = std::mem::replace(&mut self.template, vec![0; bytes(*length)]);
                let tail = self.tail.take();
                let element = self.value(element, 0, path);
                self.tail = tail;
                let template = std::mem::replace(&mut self.template, around).into_boxed_slice();
                self.has_areas = true;
                let area = Area { element: element?, template, counter, maximum, is_array: *is_array };
                self.push(Node::Area(area), at, frame, path)
            }
            Value::Text { offset, bytes: area, ending, is_json, .. } => {
                let text = self.text(*offset, *area, ending, *is_json, frame, path)?;
                self.push(Node::Text(text), bytes(*offset), frame, path)
            }
            Value::Binary { bytes: width, signed } => {
                self.field(Field::binary(&self.form, *signed), usize::from(*width), at, frame, path)
            }
            Value::Zoned { digits, signed } => {
                let field = Field::zoned(&self.form, u32::from(*digits), *signed);
                self.field(field, usize::from(*digits), at, frame, path)
            }
            Value::Packed { digits, scale, signed } => {
                let field = Field::packed(u32::from(*digits), u32::from(*scale), *signed);
                self.field(field, usize::from(*digits) / 2 + 1, at, frame, path)
            }
            Value::Float { bytes: width } => {
                self.field(Field::float(&self.form, *width == 8), usize::from(*width), at, frame, path)
            }
            Value::Boolean => {
                self.room(at, 1, path)?;
                self.push(Node::Boolean, at, frame, path)
            }
            Value::Timestamp => {
                let field = Field::packed(time::DIGITS, 0, self.times_have_signs);
                let room = self.room(at, time::LENGTH, path)?;
                field.initial(&self.form, &mut self.template[room]);
                self.push(Node::Time { field }, at, frame, path)
            }
        }
    }

    fn text(
        &mut self,
        offset: u32,
        area: u32,
        ending: &structure::Ending,
        is_json: bool,
        frame: usize,
        path: &str,
    ) -> Result<Text, CompileError> {
        let (at, area) = (bytes(offset), bytes(area));
        let range = self.room(at, area, path)?;
        let (room, ending) = match ending {
            structure::Ending::Null => (area.saturating_sub(1), Ending::Null),
            structure::Ending::Blank => (area, Ending::Blanks),
            structure::Ending::Length { offset, width, .. } => {
                let counter = self.counter(*offset, usize::from(*width), true, frame, path)?;
                (area, Ending::Counted(counter))
            }
        };
        // With X'00' as its end an empty text is all X'00'.
        if !matches!(ending, Ending::Null) {
            Field::text().initial(&self.form, &mut self.template[range]);
        }
        Ok(Text { room, is_json, ending })
    }

    fn field(
        &mut self,
        field: Field,
        length: usize,
        at: usize,
        frame: usize,
        path: &str,
    ) -> Result<Place, CompileError> {
        let range = self.room(at, length, path)?;
        field.initial(&self.form, &mut self.template[range]);
        self.push(Node::Field { field, length }, at, frame, path)
    }

    /// Bytes of the record.
    fn room(&self, at: usize, length: usize, path: &str) -> Result<std::ops::Range<usize>, CompileError> {
        let end = at.checked_add(length).filter(|end| *end <= self.template.len());
        end.map(|end| at..end).ok_or_else(|| CompileError::Contradiction(path.to_owned()))
    }

    fn counter(
        &self,
        offset: u32,
        width: usize,
        signed: bool,
        frame: usize,
        path: &str,
    ) -> Result<Counter, CompileError> {
        let at = bytes(offset);
        self.room(at, width, path)?;
        let offset = at.checked_sub(frame).ok_or_else(|| CompileError::Contradiction(path.to_owned()))?;
        Ok(Counter { offset, bytes: width, signed })
    }

    fn push(&mut self, node: Node, at: usize, frame: usize, path: &str) -> Result<Place, CompileError> {
        let offset = at.checked_sub(frame).ok_or_else(|| CompileError::Contradiction(path.to_owned()))?;
        self.nodes.push(node);
        self.paths.push(path.to_owned());
        Ok(Place { node: self.nodes.len() - 1, offset })
    }
}

fn bytes(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
