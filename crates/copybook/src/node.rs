//! What a plan consists of: a tree of nodes, each an elementary item, a group or a table.

use crate::codec::Codec;
use crate::json;

#[derive(Clone)]
pub(crate) struct Node {
    /// Index into `paths`.
    pub(crate) item: usize,
    /// Of all occurrences; `None` where a record decides.
    pub(crate) length: Option<usize>,
    pub(crate) kind: NodeKind,
}

#[derive(Clone)]
pub(crate) enum NodeKind {
    Field(Codec),
    Group(Group),
    Table(Table),
}

#[derive(Clone, Default)]
pub(crate) struct Group {
    pub(crate) members: Vec<Member>,
    /// Indexes of visible members, ascending by name.
    pub(crate) by_name: Vec<u32>,
    /// Empty: the members lie in the run around the group.
    pub(crate) runs: Vec<Run>,
    /// Every member is shown, always, and stands at its offset from the group's start.
    pub(crate) is_plain: bool,
}

impl Group {
    pub(crate) fn new(members: Vec<Member>, by_name: Vec<u32>, runs: Vec<Run>) -> Self {
        let stand = runs.len() <= 1 && runs.iter().all(|run| run.then.is_none());
        let is_plain = stand && members.iter().all(|member| !member.is_hidden && !member.is_view);
        Self { members, by_name, runs, is_plain }
    }
}

#[derive(Clone)]
pub(crate) struct Member {
    pub(crate) name: Box<str>,
    pub(crate) key: Key,
    pub(crate) node: usize,
    /// Index of the run it lies in, or stands behind.
    pub(crate) run: usize,
    /// From the start of the run, or of the group that has no runs.
    pub(crate) offset: usize,
    /// It is the object of a DEPENDING ON.
    pub(crate) slot: Option<usize>,
    /// It has no name in JSON: variable FILLER, a counter that is not shown, or an omitted item.
    pub(crate) is_hidden: bool,
    /// Other members have its bytes, too: it is left out where they hold no value of it.
    pub(crate) is_view: bool,
}

/// A name as it stands before a value: `,"NAME":`.
#[derive(Clone)]
pub(crate) struct Key {
    /// Most are short: a copy of fixed length is quicker than a call.
    short: [u8; Self::ROOM],
    length: usize,
    /// Empty, if it is short.
    long: Box<[u8]>,
}

impl Key {
    const ROOM: usize = 32;

    pub(crate) fn new(name: &str) -> Self {
        let mut text = vec![b','];
        json::write_string(name, &mut text);
        text.push(b':');
        let mut key = Self { short: [0; Self::ROOM], length: text.len(), long: Box::default() };
        match key.short.get_mut(..text.len()) {
            Some(place) => place.copy_from_slice(&text),
            None => key.long = text.into(),
        }
        key
    }

    #[inline]
    pub(crate) fn append(&self, out: &mut Vec<u8>) {
        if !self.long.is_empty() {
            return out.extend_from_slice(&self.long);
        }
        let end = out.len() + self.length;
        out.extend_from_slice(&self.short);
        out.truncate(end);
    }
}

#[derive(Clone, Default)]
pub(crate) struct Run {
    /// Its bytes before anything is put there.
    pub(crate) template: Vec<u8>,
    pub(crate) counters: Vec<Counter>,
    /// The member of variable length behind it.
    pub(crate) then: Option<usize>,
}

/// An object of DEPENDING ON.
#[derive(Clone)]
pub(crate) struct Counter {
    pub(crate) slot: usize,
    /// In the run.
    pub(crate) offset: usize,
    pub(crate) length: usize,
    pub(crate) item: usize,
    pub(crate) codec: Codec,
    /// Names of the members from the run's frame down to it, innermost first; without those that JSON does not have.
    pub(crate) names: Vec<Box<str>>,
}

#[derive(Clone)]
pub(crate) struct Table {
    /// A field, or a group that is a frame.
    pub(crate) element: usize,
    pub(crate) maximum: u32,
    /// The number of occurrences; `None`: always `maximum`.
    pub(crate) slot: Option<usize>,
    /// Bytes of an element; `None` where a record decides.
    pub(crate) stride: Option<usize>,
    /// An element before anything is put there, when its length is fixed.
    pub(crate) template: Vec<u8>,
}
