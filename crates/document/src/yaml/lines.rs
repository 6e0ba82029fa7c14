//! Where the keys of a YAML text stand, for sentences about what they say.

use std::collections::BTreeMap;

use yaml_rust2::Event;
use yaml_rust2::parser::Parser;

/// A collection that has begun, and where it stands.
enum Open {
    /// With the number of the item that comes next.
    Sequence(String, usize),
    /// With the key whose value comes next.
    Mapping(String, Option<String>),
}

/// The line, from 1, of every key and every item, by its place: `operations[0].request.set`. What cannot be read any further
/// ends the list.
pub fn lines(text: &str) -> BTreeMap<String, usize> {
    let mut parser = Parser::new_from_str(text);
    let mut lines = BTreeMap::new();
    let mut open: Vec<Open> = Vec::new();
    while let Ok((event, marker)) = parser.next_token() {
        match event {
            Event::StreamEnd => break,
            Event::SequenceEnd | Event::MappingEnd => drop(open.pop()),
            Event::Scalar(text, ..) if matches!(open.last(), Some(Open::Mapping(_, None))) => {
                if let Some(Open::Mapping(at, key)) = open.last_mut() {
                    let place = if at.is_empty() { text } else { format!("{at}.{text}") };
                    lines.insert(place.clone(), marker.line());
                    *key = Some(place);
                }
            }
            Event::Scalar(..) | Event::Alias(_) => {
                let place = place(&mut open);
                lines.entry(place).or_insert(marker.line());
            }
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                let place = place(&mut open);
                lines.entry(place.clone()).or_insert(marker.line());
                open.push(match event {
                    Event::SequenceStart(..) => Open::Sequence(place, 0),
                    _ => Open::Mapping(place, None),
                });
            }
            Event::Nothing | Event::StreamStart | Event::DocumentStart | Event::DocumentEnd => {}
        }
    }
    lines.remove("");
    lines
}

/// Of the value that begins now.
fn place(open: &mut [Open]) -> String {
    match open.last_mut() {
        None => String::new(),
        Some(Open::Sequence(at, next)) => {
            *next += 1;
            format!("{at}[{}]", *next - 1)
        }
        Some(Open::Mapping(at, key)) => key.take().unwrap_or_else(|| at.clone()),
    }
}
