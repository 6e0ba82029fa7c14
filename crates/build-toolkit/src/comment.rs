//! What comments in members say of items, in our own words, in the order in which the original has its facts.

use std::borrow::Cow;

use serde_json::Value as Json;

use crate::schema::Schema;
use crate::structure::{Absence, Counter, Ending, Item, Value};

/// Longest description that is repeated, in characters.
const MAXIMUM_DESCRIPTION: usize = 2000;
/// Most values of an enumeration that are repeated.
const MAXIMUM_VALUES: usize = 100;

/// Facts about a field: name, place, description, type and limits, how it is stored.
pub(crate) fn of_field(item: &Item, schema: &Schema<'_>, description: Option<&str>, path: &[&str]) -> Vec<String> {
    let mut sentences = vec![format!("Field '{}':", item.name), format!("JSON '{}'.", path.join("->"))];
    if let Some(text) = schema.text("description").or(description) {
        let text: String =
            text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(MAXIMUM_DESCRIPTION).collect();
        if !text.is_empty() {
            let stop = if text.ends_with(['.', '!', '?']) { "" } else { "." };
            sentences.push(format!("{text}{stop}"));
        }
    }
    if let Some(word) = schema.text("type") {
        sentences.push(format!("Type '{word}'."));
    }
    let is_number = matches!(item.value, Value::Float { .. } | Value::Packed { .. } | Value::Binary { .. });
    if let Some(format) = schema.text("format").filter(|_| is_number || matches!(item.value, Value::Timestamp)) {
        sentences.push(format!("format '{format}'."));
    }
    if let Some(maximum) = schema.keyword("maxLength") {
        let minimum = schema.keyword("minLength").map_or_else(|| "0".to_owned(), Json::to_string);
        sentences.push(format!("minLength '{minimum}', maxLength '{maximum}'."));
    }
    for name in ["maximum", "minimum"] {
        if let Some(value) = schema.keyword(name) {
            sentences.push(format!("{name} '{value}'."));
        }
    }
    if let Some(Json::Array(values)) = schema.keyword("enum") {
        let shown: Vec<String> = values
            .iter()
            .take(MAXIMUM_VALUES)
            .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
            .collect();
        let more = if values.len() > MAXIMUM_VALUES { ", ..." } else { "" };
        sentences.push(format!("One of ({}{more}).", shown.join(", ")));
    }
    sentences.extend(storage(&item.value).map(str::to_owned));
    sentences
}

fn storage(value: &Value) -> Option<&'static str> {
    match value {
        Value::Text { ending: Ending::Length { .. }, .. } => {
            Some("The characters that count stand behind their length.")
        }
        Value::Text { ending: Ending::Null, .. } => Some("A byte of X'00' ends the characters."),
        Value::Float { .. } => Some("Floating point; on z/OS in its hexadecimal form (HEXADEC)."),
        Value::Boolean => Some("X'00' is false, X'01' is true."),
        Value::Timestamp => Some("Milliseconds since 1900, as ABSTIME has them."),
        _ => None,
    }
}

/// Facts about a counter.
pub(crate) fn of_counter(item: &Item, counter: &Counter, path: &[&str]) -> Vec<String> {
    let place = path.join("->");
    match item.occurs {
        Some(_) => vec![
            format!("'{}' is an array; '{}' tells how many of its values there are,", place, counter.name)
                + &format!(" from {} to {}.", counter.minimum, counter.maximum),
        ],
        None => {
            let absent = if item.absence == Absence::Null { "null" } else { "absent" };
            vec![format!("'{}' is optional; in '{}' 1 stands for present, 0 for {absent}.", place, counter.name)]
        }
    }
}

/// Lines of at most `width` characters, the second and later one shorter. Words that are longer are cut. What a line of a
/// member cannot hold becomes a question mark.
pub(crate) fn wrapped(sentence: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::with_capacity(width);
    let mut length = 0;
    for word in sentence.split_whitespace() {
        let plain: Cow<'_, str> = match word.contains(char::is_control) {
            true => word.chars().map(|one| if one.is_control() { '?' } else { one }).collect(),
            false => word.into(),
        };
        let mut rest = &*plain;
        loop {
            let room = width - usize::from(!lines.is_empty());
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
                lines.push(std::mem::replace(&mut line, String::with_capacity(width)));
                length = 0;
                continue;
            }
            let (first, behind) = rest.split_at(rest.char_indices().nth(room).map_or(rest.len(), |(at, _)| at));
            lines.push(first.to_owned());
            rest = behind;
        }
    }
    if length > 0 {
        lines.push(line);
    }
    lines
}
