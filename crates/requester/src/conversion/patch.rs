//! A JSON patch (RFC 6902), from what a record says of members and elements.
//!
//! ```text
//! title-patch-operation U           {"op":"add","path":"/title","value":"Sea"}
//! pages-patch-operation D           {"op":"remove","path":"/pages"}
//! authors-patch-item    2,+         what the first element says of /authors/1; the second element as /authors/-
//! ```
//!
//! Positions are those of the resource as it was: elements are changed first, removed from the last one to the first, and added last.

use copybook::json::{Reader, write_string};

use super::plan::{Area, Member, Node, Object, Patch, Place};
use super::to_json::{Decoder, Reading, State, text};
use super::{DataProblem, Outcome, Step, Trouble};

/// Words in place of a list of elements.
pub(super) const REPLACE: &str = "REPLACE";
pub(super) const DELETE: &str = "DELETE";
/// The element of a list that is new.
const NEW: &str = "+";

impl<'a> Decoder<'a, '_> {
    /// Appends the operations that the members of a body say.
    pub(super) fn patch(&mut self, body: &'a Member) -> Outcome<()> {
        let converter = self.converter;
        self.out.push(b'[');
        if let Node::Object(object) = &converter.nodes[body.place.node] {
            let start = self.out.len();
            Writer { decoder: self, start, path: String::new() }.object(object, body.place, 0)?;
        }
        self.out.push(b']');
        Ok(())
    }
}

struct Writer<'d, 'a, 'r> {
    decoder: &'d mut Decoder<'a, 'r>,
    /// Where the first operation begins.
    start: usize,
    /// JSON pointer of what is being written.
    path: String,
}

impl<'a> Writer<'_, 'a, '_> {
    fn object(&mut self, object: &'a Object, place: Place, frame: usize) -> Outcome<()> {
        for (index, member) in object.members.iter().enumerate() {
            if object.others == Some(index) {
                self.others(object, member, place, frame)?;
                continue;
            }
            let done = self.below(&member.name, |writer| writer.member(member, frame));
            done.map_err(|trouble| trouble.below(Step::Member(member.name.clone())))?;
        }
        Ok(())
    }

    fn member(&mut self, member: &'a Member, frame: usize) -> Outcome<()> {
        let converter = self.decoder.converter;
        let node = &converter.nodes[member.place.node];
        if let (Some(Patch::List { offset, bytes }), Node::Area(area)) = (member.patch, node) {
            let list = self.list(member.place, frame + offset, bytes)?;
            return match list.as_str() {
                "" => Ok(()),
                DELETE => self.remove(),
                REPLACE => self.value("add", member.place, frame, Reading::All),
                list => self.elements(list, area, member.place, frame),
            };
        }
        match (self.decoder.state(member, frame)?, node) {
            (State::Given, _) => self.value("add", member.place, frame, Reading::Updated),
            (State::Null, _) => self.remove(),
            (State::LeftOut, Node::Object(object)) => self.object(object, member.place, frame),
            (State::LeftOut, _) => Ok(()),
        }
    }

    /// The text that lists elements; empty in a record that was not initialized.
    fn list(&mut self, place: Place, at: usize, bytes: usize) -> Outcome<String> {
        let mut string = Vec::with_capacity(bytes + 2);
        let decoded = self.decoder.converter.form.decode_text(self.decoder.bytes(at, bytes), &mut string);
        decoded.map_err(|problem| Trouble::new(problem, place.node, at))?;
        Ok(text(&string).trim_matches(['\0', ' ']).to_owned())
    }

    fn elements(&mut self, list: &str, area: &'a Area, place: Place, frame: usize) -> Outcome<()> {
        let (at, converter) = (frame + place.offset, self.decoder.converter);
        let count = self.decoder.counted(area.counter, area.maximum, place.node, frame)?;
        let Some(positions) = positions(list, count) else {
            let problem = DataProblem::NotAPatchList { list: list.to_owned(), count: count as u64 };
            return Err(Trouble::new(problem, place.node, at));
        };
        let name = self.decoder.bytes(at, super::areas::AREA);
        let mut removed = Vec::new();
        for index in 0..count {
            let told = |trouble: Box<Trouble>| trouble.below(Step::Index(index));
            let element = self.decoder.next_element(area, name, (index, count));
            let element = element.map_err(|problem| told(Trouble::new(problem, place.node, at)))?;
            let Some(position) = positions.get(index) else {
                self.removals(&mut removed)?;
                self.below("-", |writer| writer.value("add", area.element, element, Reading::All)).map_err(told)?;
                continue;
            };
            match &converter.nodes[area.element.node] {
                Node::Object(object) if self.is_removed(object, element).map_err(told)? => removed.push(*position),
                Node::Object(object) if object.members.iter().any(|member| member.patch.is_some()) => {
                    let changed =
                        self.below(&position.to_string(), |writer| writer.object(object, area.element, element));
                    changed.map_err(told)?;
                }
                _ => {
                    let replaced = self.below(&position.to_string(), |writer| {
                        writer.value("replace", area.element, element, Reading::All)
                    });
                    replaced.map_err(told)?;
                }
            }
        }
        self.removals(&mut removed)
    }

    /// Whether every operation in an element is a deletion.
    fn is_removed(&self, object: &'a Object, element: usize) -> Outcome<bool> {
        let mut has_operations = false;
        for member in object.members.iter().filter(|member| matches!(member.patch, Some(Patch::Operation(_)))) {
            if self.decoder.state(member, element)? != State::Null {
                return Ok(false);
            }
            has_operations = true;
        }
        Ok(has_operations)
    }

    /// Removes elements, so that those before them keep their positions.
    fn removals(&mut self, positions: &mut Vec<u64>) -> Outcome<()> {
        positions.sort_unstable();
        while let Some(position) = positions.pop() {
            self.below(&position.to_string(), Self::remove)?;
        }
        Ok(())
    }

    /// Members that the record has with their names are added.
    fn others(&mut self, object: &'a Object, member: &'a Member, place: Place, frame: usize) -> Outcome<()> {
        let start = self.decoder.out.len();
        self.decoder.out.push(b'{');
        self.decoder.others(object, member, frame, start + 1)?;
        let mut pairs = self.decoder.out.split_off(start);
        pairs.push(b'}');
        let told = |problem| Trouble::new(problem, place.node, frame);
        let mut reader = Reader::new(&pairs);
        reader.begin(b'{').map_err(|flaw| told(flaw.problem))?;
        let mut is_first = true;
        while let Some(name) = reader.next_name(is_first).map_err(|flaw| told(flaw.problem))? {
            is_first = false;
            let (name, from) = (name.to_text().map_err(told)?, reader.at);
            reader.skip().map_err(|flaw| told(flaw.problem))?;
            let value = &pairs[from..reader.at];
            self.below(&name, |writer| {
                writer.operation("add");
                writer.decoder.out.extend_from_slice(b",\"value\":");
                writer.decoder.out.extend_from_slice(value);
                writer.decoder.out.push(b'}');
            });
        }
        Ok(())
    }

    /// With a step more in the path.
    fn below<T>(&mut self, step: &str, write: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.path.len();
        self.path.push('/');
        self.path.push_str(&step.replace('~', "~0").replace('/', "~1"));
        let done = write(self);
        self.path.truncate(length);
        done
    }

    fn value(&mut self, operation: &str, place: Place, frame: usize, reading: Reading) -> Outcome<()> {
        self.operation(operation);
        self.decoder.out.extend_from_slice(b",\"value\":");
        self.decoder.with(reading, |decoder| decoder.value(place, frame))?;
        self.decoder.out.push(b'}');
        Ok(())
    }

    #[expect(clippy::unnecessary_wraps, reason = "it is one of the operations, which may fail")]
    fn remove(&mut self) -> Outcome<()> {
        self.operation("remove");
        self.decoder.out.push(b'}');
        Ok(())
    }

    /// Begins an operation.
    fn operation(&mut self, operation: &str) {
        let out = &mut *self.decoder.out;
        if out.len() > self.start {
            out.push(b',');
        }
        out.extend_from_slice(b"{\"op\":\"");
        out.extend_from_slice(operation.as_bytes());
        out.extend_from_slice(b"\",\"path\":");
        write_string(&self.path, out);
    }
}

/// The positions, from 0, that a list has from 1. It lists `count` elements; those that it has no position for are new.
fn positions(list: &str, count: usize) -> Option<Vec<u64>> {
    let mut positions = Vec::new();
    let mut new = 0;
    for part in list.split(',').map(str::trim) {
        if part == NEW {
            new += 1;
            continue;
        }
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u64, u64) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        let is_range = new == 0 && first > 0 && first <= last;
        if !is_range || last - first >= (count - positions.len()) as u64 {
            return None;
        }
        positions.extend((first..=last).map(|position| position - 1));
    }
    let mut sorted = positions.clone();
    sorted.sort_unstable();
    sorted.dedup();
    (positions.len() + new == count && sorted.len() == positions.len()).then_some(positions)
}

#[cfg(test)]
mod tests {
    use super::positions;

    #[test]
    fn a_list_has_positions_ranges_and_new_elements_as_many_as_are_counted() {
        for (list, count, expected) in [
            ("4", 1, Some(vec![3])),
            ("1,4,5", 3, Some(vec![0, 3, 4])),
            ("3, 5-7", 4, Some(vec![2, 4, 5, 6])),
            ("3-5,+", 4, Some(vec![2, 3, 4])),
            ("+,+", 2, Some(vec![])),
            ("2,1", 2, Some(vec![1, 0])),
            ("+,1", 2, None),
            ("0", 1, None),
            ("5-3", 3, None),
            ("1,1", 2, None),
            ("1,2", 3, None),
            ("1-3", 2, None),
            ("1-18446744073709551615", 5, None),
            ("1,,2", 2, None),
            ("all", 1, None),
            ("-1", 1, None),
        ] {
            assert_eq!(positions(list, count), expected, "{list}");
        }
    }
}
