//! How objects of one kind are written: worked out once for a request, then followed for each object.
//!
//! A plan knows every byte between the values. Following it reads and writes values, and nothing else.

use command::rest::Live;

use super::source::{Entry, Source, Subject};

pub(super) struct Plan {
    members: Box<[Member]>,
    closing: Box<[u8]>,
}

enum Member {
    Value {
        /// Line end, indentation, name and colon.
        before: Box<[u8]>,
        source: Source,
    },
    /// Left out when it would be empty.
    Group { before: Box<[u8]>, members: Box<[Member]>, after: Box<[u8]> },
    /// There even when it is empty.
    Array { before: Box<[u8]>, each: EachItem, element: Plan },
}

/// Calls back with what each element of an array is made from.
pub(super) type EachItem = fn(&Subject<'_>, &mut dyn FnMut(&Live<'_>));

/// An array to be in the object.
pub(super) struct Array {
    pub(super) name: &'static str,
    pub(super) each: EachItem,
    pub(super) members: Vec<Entry>,
}

impl Plan {
    /// An object with these members and arrays, written at `depth` levels of indentation; names without a dot come last.
    pub(super) fn new(members: Vec<Entry>, arrays: Vec<Array>, depth: usize) -> Self {
        let (grouped, direct): (Vec<_>, Vec<_>) = members.into_iter().partition(|entry| entry.path.contains('.'));
        let mut made = group(grouped.iter().map(|entry| (&*entry.path, entry.source)).collect(), depth + 1);
        for array in arrays {
            made.push(Member::Array {
                before: before(array.name, "[", depth + 1),
                each: array.each,
                element: Self::new(array.members, Vec::new(), depth + 1),
            });
        }
        made.extend(group(direct.iter().map(|entry| (&*entry.path, entry.source)).collect(), depth + 1));
        Self { members: made.into(), closing: closing(depth) }
    }

    /// An object with these members in this order, those of a group gathered where its first one stands.
    pub(super) fn in_order(members: &[Entry], depth: usize) -> Self {
        let members = members.iter().map(|entry| (&*entry.path, entry.source)).collect();
        Self { members: group(members, depth + 1).into(), closing: closing(depth) }
    }

    pub(super) fn write(&self, subject: &Subject<'_>, out: &mut Vec<u8>) {
        out.push(b'{');
        write_members(&self.members, subject, out);
        out.extend_from_slice(&self.closing);
    }
}

/// Members of one object; those of a group stand together where its first one stood.
fn group(entries: Vec<(&str, Source)>, depth: usize) -> Vec<Member> {
    let mut members = Vec::new();
    let mut rest = entries;
    while let Some(&(path, source)) = rest.first() {
        let Some((name, _)) = path.split_once('.') else {
            members.push(Member::Value { before: before(path, "", depth), source });
            rest.remove(0);
            continue;
        };
        let inner = |path: &str| path.strip_prefix(name).is_some_and(|tail| tail.starts_with('.'));
        let (own, others): (Vec<_>, Vec<_>) = rest.iter().copied().partition(|(path, _)| inner(path));
        let own = own.into_iter().map(|(path, source)| (&path[name.len() + 1..], source)).collect();
        members.push(Member::Group {
            before: before(name, "{", depth),
            members: group(own, depth + 1).into(),
            after: closing(depth),
        });
        rest = others;
    }
    members
}

/// Names of members are identifiers: nothing in them needs escaping.
fn before(name: &str, opening: &str, depth: usize) -> Box<[u8]> {
    format!("\n{}\"{name}\": {opening}", indentation(depth)).into_bytes().into()
}

fn closing(depth: usize) -> Box<[u8]> {
    format!("\n{}}}", indentation(depth)).into_bytes().into()
}

fn indentation(depth: usize) -> String {
    "  ".repeat(depth)
}

/// True when any was there.
fn write_members(members: &[Member], subject: &Subject<'_>, out: &mut Vec<u8>) -> bool {
    let mut any = false;
    for member in members {
        let start = out.len();
        if any {
            out.push(b',');
        }
        let is_there = match member {
            Member::Value { before, source } => {
                out.extend_from_slice(before);
                source.write(subject, out)
            }
            Member::Group { before, members, after } => {
                out.extend_from_slice(before);
                let any = write_members(members, subject, out);
                out.extend_from_slice(after);
                any
            }
            Member::Array { before, each, element } => {
                out.extend_from_slice(before);
                write_items(*each, element, subject, out);
                out.push(b']');
                true
            }
        };
        if is_there {
            any = true;
        } else {
            out.truncate(start);
        }
    }
    any
}

fn write_items(each: EachItem, element: &Plan, subject: &Subject<'_>, out: &mut Vec<u8>) {
    let mut any = false;
    each(subject, &mut |live| {
        if any {
            out.extend_from_slice(b", ");
        }
        any = true;
        element.write(&Subject { view: None, live: *live }, out);
    });
}
