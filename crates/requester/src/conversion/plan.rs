//! The plan that conversion follows: every place of a record worked out once, for one form.
//!
//! ```text
//! frame:  | count-in | count-out |                 the record: places count from its start
//! frame:  | name-length | name | born-num | born | an element of a table: places count from the start of the element
//! ```
//!
//! Invariants
//! - Objects and the groups around optional values have no bytes of their own: their members lie in the frame around them.
//! - `template` is the record while nothing is in it: whole, or up to and with the first occurrences of a counted table that the
//!   record ends with (`tail`). All occurrences begin alike.
//! - Members are in the order of the record; `by_name` orders them by name.

use std::ops::Range;

use build_toolkit::archive::{Status, WhiteSpace};
use build_toolkit::structure::Absence;
use copybook::field::{Field, FieldForm};

/// What a structure's top-level group is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    Path,
    Query,
    Headers,
    Cookies,
    Body,
    /// Of an answer, at level 5.0.
    Answer(Status),
}

/// Records of one structure in one form.
#[derive(Clone)]
pub struct Converter {
    pub(crate) form: FieldForm,
    pub(crate) nodes: Vec<Node>,
    pub(crate) groups: Vec<(Group, Member)>,
    /// Pieces `"name":`.
    pub(crate) keys: Vec<u8>,
    /// COBOL names, qualified, by node.
    pub(crate) paths: Vec<String>,
    pub(crate) template: Vec<u8>,
    pub(crate) length: usize,
    pub(crate) tail: Option<Tail>,
    pub(crate) operations: Operations,
    /// The body is a list of operations, made of what its members say.
    pub(crate) is_json_patch: bool,
    /// Data areas stand behind the record.
    pub(crate) has_areas: bool,
    /// `dataTruncation`: a record may end early, what is missing is as if it were empty; a text that is too long is cut.
    pub(crate) truncates: bool,
    pub(crate) white_space: WhiteSpace,
}

/// The characters of a patch in the code page of records.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Operations {
    pub(crate) update: u8,
    pub(crate) delete: u8,
}

/// The counted table at the end of a record. Records of an answer grow by its occurrences: most have far fewer of them than there
/// is room for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tail {
    /// Where the first occurrence begins.
    pub(crate) start: usize,
    pub(crate) stride: usize,
    /// Occurrences that the template holds.
    pub(crate) held: usize,
}

impl Tail {
    /// Bytes that the template holds at most, unless one occurrence has more: a record grows by as many at a time.
    const HELD: usize = 1024;

    pub(crate) fn new(start: usize, stride: usize, times: usize) -> Self {
        Self { start, stride, held: (Self::HELD / stride.max(1)).clamp(1, times) }
    }

    /// Bytes of the occurrences that the template holds.
    pub(crate) fn piece(self) -> usize {
        self.held * self.stride
    }
}

/// A node and where it lies in its frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) node: usize,
    pub(crate) offset: usize,
}

#[derive(Debug, Clone)]
pub(crate) enum Node {
    Field {
        field: Field,
        length: usize,
    },
    /// X'00' or X'01'.
    Boolean,
    Text(Text),
    /// Packed milliseconds since 1900; see `time.rs`.
    Time {
        field: Field,
    },
    Object(Object),
    Table(Table),
    Area(Area),
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Text {
    /// Bytes of the text at most.
    pub(crate) room: usize,
    /// The text is a JSON value of any kind.
    pub(crate) is_json: bool,
    pub(crate) ending: Ending,
}

/// How the end of a text is known.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Ending {
    /// Blanks fill the rest.
    Blanks,
    /// X'00' stands behind it, for which there is one byte more than `room`.
    Null,
    /// A length is in the frame.
    Counted(Counter),
}

/// A binary number in the frame: a length, a number of elements, or whether something is there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counter {
    pub(crate) offset: usize,
    /// 2 or 4.
    pub(crate) bytes: usize,
    pub(crate) signed: bool,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Object {
    pub(crate) members: Vec<Member>,
    /// Indexes of members, ascending by name.
    pub(crate) by_name: Vec<usize>,
    /// Index of the member that stands for all others: an area whose elements are a name and a value each.
    pub(crate) others: Option<usize>,
}

#[derive(Debug, Clone)]
pub(crate) struct Member {
    pub(crate) name: Box<str>,
    /// Of `"name":` in `Converter::keys`.
    pub(crate) key: Range<usize>,
    pub(crate) place: Place,
    /// 0 or 1: whether it is there. Without one it always is, but for tables, which count their elements.
    pub(crate) presence: Option<Counter>,
    /// In a patch: what alone says whether it is there.
    pub(crate) patch: Option<Patch>,
    /// What it is in JSON when it is not there, or counts no elements.
    pub(crate) absence: Absence,
}

/// What becomes of a member, and where that is in the frame.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Patch {
    /// A character.
    Operation(usize),
    /// Of an array in a JSON patch: a text that lists its elements.
    List { offset: usize, bytes: usize },
}

#[derive(Debug, Clone)]
pub(crate) struct Table {
    /// In the frame of an element.
    pub(crate) element: Place,
    pub(crate) stride: usize,
    pub(crate) minimum: u32,
    pub(crate) maximum: u32,
    /// `None`: there are always `maximum`.
    pub(crate) counter: Option<Counter>,
}

/// Values that stand behind the record; in it are their number and the name of their data area.
#[derive(Debug, Clone)]
pub(crate) struct Area {
    /// In the frame of an element, which begins with it.
    pub(crate) element: Place,
    /// An element while nothing is in it.
    pub(crate) template: Box<[u8]>,
    pub(crate) counter: Counter,
    pub(crate) maximum: u32,
    /// Otherwise there is one, which is no JSON array.
    pub(crate) is_array: bool,
}

impl Converter {
    /// Bytes of a record before its data areas, where it can have some.
    pub fn base(&self) -> Option<usize> {
        self.has_areas.then(|| self.length())
    }

    /// Bytes of a record, without data areas.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Makes a record longer, up to `to` bytes, by what is there while nothing is in it.
    pub(crate) fn extend_empty(&self, record: &mut Vec<u8>, to: usize) {
        let head = self.tail.map_or(self.length, |tail| tail.start);
        let from = record.len();
        if from < head {
            record.extend_from_slice(&self.template[from..to.min(head)]);
        }
        let Some(tail) = self.tail else { return };
        while record.len() < to {
            let at = (record.len() - tail.start) % tail.piece();
            let most = (to - record.len()).min(tail.piece() - at);
            record.extend_from_slice(&self.template[tail.start + at..][..most]);
        }
    }

    pub(crate) fn group(&self, group: Group) -> Option<&Member> {
        self.groups.iter().find(|(known, _)| *known == group).map(|(_, member)| member)
    }

    /// Whether answers have groups by their status.
    pub(crate) fn is_by_status(&self) -> bool {
        self.groups.iter().any(|(group, _)| matches!(group, Group::Answer(_)))
    }

    /// The group of an answer with this status: its own, that of its class, or that of all others.
    pub(crate) fn answer(&self, status: u16) -> Option<Group> {
        let all = [Status::One(status), Status::Class(status / 100), Status::Other].map(Group::Answer);
        all.into_iter().find(|group| self.has(*group))
    }

    pub fn has(&self, group: Group) -> bool {
        self.group(group).is_some()
    }

    /// Elements that are a name and a value each: the area, and where these are in an element.
    pub(crate) fn entries(&self, member: &Member) -> Option<(&Area, Place, &Member)> {
        let Node::Area(area) = &self.nodes[member.place.node] else { return None };
        let Node::Object(entry) = &self.nodes[area.element.node] else { return None };
        let [name, value] = entry.members.as_slice() else { return None };
        Some((area, name.place, value))
    }

    /// Whether a group is nothing but a text, in a data area or not.
    pub(crate) fn is_text(&self, group: Group) -> bool {
        let is_text = |node: &Node| matches!(node, Node::Text(_));
        self.group(group).is_some_and(|member| match &self.nodes[member.place.node] {
            Node::Area(area) => !area.is_array && is_text(&self.nodes[area.element.node]),
            node => is_text(node),
        })
    }

    /// The members of a group that is an object.
    pub(crate) fn members(&self, group: Group) -> &[Member] {
        match self.group(group).map(|member| &self.nodes[member.place.node]) {
            Some(Node::Object(object)) => &object.members,
            _ => &[],
        }
    }
}

impl Object {
    pub(crate) fn new(members: Vec<Member>, others: Option<usize>) -> Self {
        let mut by_name: Vec<usize> = (0..members.len()).filter(|index| others != Some(*index)).collect();
        by_name.sort_by(|&one, &two| members[one].name.cmp(&members[two].name));
        Self { members, by_name, others }
    }

    /// The index of a member. `hint` is where it stands when members come in their order.
    pub(crate) fn find(&self, name: &[u8], hint: usize) -> Option<usize> {
        let is_hinted = |member: &Member| member.name.as_bytes() == name && self.others != Some(hint);
        if self.members.get(hint).is_some_and(is_hinted) {
            return Some(hint);
        }
        let found = self.by_name.binary_search_by(|&index| self.members[index].name.as_bytes().cmp(name)).ok()?;
        Some(self.by_name[found])
    }
}

impl Counter {
    /// `None`: it is negative.
    pub(crate) fn read(self, form: &FieldForm, frame: &[u8]) -> Option<u64> {
        let bytes = frame.get(self.offset..self.offset + self.bytes)?;
        let value = match form.order() {
            codepage::ByteOrder::Big => bytes.iter().fold(0, |value, byte| value << 8 | u64::from(*byte)),
            codepage::ByteOrder::Little => bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)),
        };
        let is_negative = self.signed && value >> (8 * self.bytes - 1) == 1;
        (!is_negative).then_some(value)
    }

    /// The value fits: it is at most what the item was made for.
    pub(crate) fn write(self, form: &FieldForm, value: u64, frame: &mut [u8]) {
        let all = value.to_le_bytes();
        let out = &mut frame[self.offset..self.offset + self.bytes];
        match form.order() {
            codepage::ByteOrder::Little => out.copy_from_slice(&all[..self.bytes]),
            codepage::ByteOrder::Big => out.iter_mut().rev().zip(all).for_each(|(place, byte)| *place = byte),
        }
    }
}
