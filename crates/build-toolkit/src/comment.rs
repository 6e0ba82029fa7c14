//! What comments in members say of items, in our own words, in the order in which the original has its facts.

use std::borrow::Cow;
use std::fmt;

use serde_json::Value as Json;

use crate::schema::{Kind, Schema, TextFormat};
use crate::structure::{Absence, Counter, Ending, Item, PatchOperation, Value};

/// Longest description that is repeated, in characters.
const MAXIMUM_DESCRIPTION: usize = 2000;
/// Most values of an enumeration that are repeated.
const MAXIMUM_VALUES: usize = 100;

/// What takes the sentences of a comment, one after the other.
pub(crate) trait Tell {
    fn tell(&mut self, sentence: fmt::Arguments<'_>);
}

/// Facts about a field: name, place, description, type and limits, how it is stored.
pub(crate) fn of_field(item: &Item, schema: &Schema<'_>, description: Option<&str>, path: &[&str], to: &mut impl Tell) {
    to.tell(format_args!("Field '{}':", item.name));
    to.tell(format_args!("JSON '{}'.", Place(path)));
    if let Some(text) = schema.text("description").or(description) {
        let text = shown(text);
        if !text.is_empty() {
            let stop = if text.ends_with(['.', '!', '?']) { "" } else { "." };
            to.tell(format_args!("{text}{stop}"));
        }
    }
    if let Some(word) = schema.text("type") {
        to.tell(format_args!("Type '{word}'."));
    }
    let is_number = matches!(item.value, Value::Float { .. } | Value::Packed { .. } | Value::Binary { .. });
    let is_date = matches!(schema.kind, Kind::Text { format: TextFormat::Date | TextFormat::DateTime, .. });
    if let Some(format) = schema.text("format").filter(|_| is_number || is_date) {
        to.tell(format_args!("format '{format}'."));
    }
    if let Some(maximum) = schema.keyword("maxLength") {
        match schema.keyword("minLength") {
            Some(minimum) => to.tell(format_args!("minLength '{minimum}', maxLength '{maximum}'.")),
            None => to.tell(format_args!("minLength '0', maxLength '{maximum}'.")),
        }
    }
    for name in ["maximum", "minimum"] {
        if let Some(value) = schema.keyword(name) {
            to.tell(format_args!("{name} '{value}'."));
        }
    }
    if let Some(Json::Array(values)) = schema.keyword("enum") {
        let shown: Vec<String> = values
            .iter()
            .take(MAXIMUM_VALUES)
            .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
            .collect();
        let more = if values.len() > MAXIMUM_VALUES { ", ..." } else { "" };
        to.tell(format_args!("One of ({}{more}).", shown.join(", ")));
    }
    if matches!(item.value, Value::Text { is_json: true, .. }) {
        to.tell(format_args!("Any JSON value as JSON text, a string with its quotes."));
    }
    if let Some(note) = storage(&item.value) {
        to.tell(format_args!("{note}"));
    }
}

/// A description with single blanks between its words, cut where it is too long.
fn shown(description: &str) -> Cow<'_, str> {
    if description.len() <= MAXIMUM_DESCRIPTION && is_plain(description) {
        return description.into();
    }
    let words = description.split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().take(MAXIMUM_DESCRIPTION).collect()
}

/// Nothing but printable ASCII, and no blank beside another or at an end.
fn is_plain(text: &str) -> bool {
    let mut before = b' ';
    for &byte in text.as_bytes() {
        if !(b' '..=b'~').contains(&byte) || (byte == b' ' && before == b' ') {
            return false;
        }
        before = byte;
    }
    before != b' '
}

/// The names in JSON that lead to an item, with arrows between them.
struct Place<'p>(&'p [&'p str]);

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, name) in self.0.iter().enumerate() {
            f.write_str(if index > 0 { "->" } else { "" })?;
            f.write_str(name)?;
        }
        Ok(())
    }
}

fn storage(value: &Value) -> Option<&'static str> {
    match value {
        Value::Text { ending: Ending::Length { .. }, .. } => {
            Some("The characters that count stand behind their length.")
        }
        Value::Text { ending: Ending::Null, .. } => Some("A byte of X'00' ends the characters."),
        Value::Float { .. } => Some("Floating point; on z/OS in its hexadecimal form (HEXADEC)."),
        Value::Area { .. } => Some("Name of the data area where it is."),
        Value::Boolean => Some("X'00' is false, X'01' is true."),
        Value::Timestamp => Some("Milliseconds since 1900, as ABSTIME has them."),
        _ => None,
    }
}

/// What the operations of a patch mean.
pub(crate) fn of_patch(patch: &PatchOperation, path: &[&str], to: &mut impl Tell) {
    if patch.list.is_some() {
        to.tell(format_args!(
            "'{}' lists the elements of '{}' that change, such as 2,5-7,+ (+: a new one, at the end). REPLACE replaces all, DELETE deletes the array, a blank leaves it.",
            patch.name,
            Place(path)
        ));
        return;
    }
    to.tell(format_args!(
        "'{}' says what becomes of '{}': U gives it the value that follows, D deletes it, a blank leaves it.",
        patch.name,
        Place(path)
    ));
}

/// Facts about a counter.
pub(crate) fn of_counter(item: &Item, counter: &Counter, path: &[&str], to: &mut impl Tell) {
    let Counter { name, minimum, maximum, .. } = counter;
    let place = Place(path);
    if item.is_map() {
        to.tell(format_args!(
            "'{place}' are members that the schema has no names for; '{name}' tells how many there are, {maximum} at most."
        ));
        return;
    }
    let is_array = item.occurs.is_some() || matches!(item.value, Value::Area { is_array: true, .. });
    match is_array {
        true => to.tell(format_args!(
            "'{place}' is an array; '{name}' tells how many of its values there are, from {minimum} to {maximum}."
        )),
        false => {
            let absent = if item.absence == Absence::Null { "null" } else { "absent" };
            to.tell(format_args!("'{place}' is optional; in '{name}' 1 stands for present, 0 for {absent}."));
        }
    }
}

/// Hands over lines of at most `width` characters, the second and later one shorter; with each, whether it is the first. Words
/// that are longer are cut. What a line of a member cannot hold becomes a question mark.
pub(crate) fn wrap(sentence: &str, width: usize, mut line_is: impl FnMut(&str, bool)) {
    if sentence.len() <= width && is_plain(sentence) {
        line_is(sentence, true);
        return;
    }
    let mut line = String::with_capacity(width);
    let (mut length, mut is_first) = (0, true);
    for word in sentence.split_whitespace() {
        let plain: Cow<'_, str> = match word.contains(char::is_control) {
            true => word.chars().map(|one| if one.is_control() { '?' } else { one }).collect(),
            false => word.into(),
        };
        let mut rest = &*plain;
        loop {
            let room = width - usize::from(!is_first);
            let characters = rest.chars().count();
            let needed = characters + usize::from(length > 0);
            if length + needed <= room {
                if length > 0 {
                    line.push(' ');
                }
                line.push_str(rest);
                length += needed;
                break;
            }
            if length > 0 {
                line_is(&line, is_first);
                line.clear();
                (length, is_first) = (0, false);
                continue;
            }
            let (first, behind) = rest.split_at(rest.char_indices().nth(room).map_or(rest.len(), |(at, _)| at));
            line_is(first, is_first);
            is_first = false;
            rest = behind;
        }
    }
    if length > 0 {
        line_is(&line, is_first);
    }
}
