//! The API information member: what a program hands to BAQCSTUB to say which operation it calls.
//!
//! Source: reference, 3.1. In PL/I the same fields, unaligned slack included, so that the bytes are the same.

use std::fmt::Write;

use crate::options::{Language, Level};

/// Room of each value, in bytes.
pub(crate) const ROOM: usize = 255;
/// Longest literal of Enterprise COBOL, in bytes.
const LITERAL: usize = 160;
/// Column that a line of COBOL ends in.
const LAST_COLUMN: usize = 72;

/// The three values, as the program sends them.
pub(crate) struct Information {
    pub(crate) name: String,
    pub(crate) path: String,
    pub(crate) method: &'static str,
}

impl Information {
    /// # Errors
    /// The path is too long for its field.
    pub(crate) fn new(name: &str, path: &str, method: &'static str, level: Level) -> Result<Self, String> {
        let path = if level >= Level::V4_3 { percent_encoded(path) } else { path.to_owned() };
        if path.len() > ROOM {
            return Err(format!("its path has {} bytes, and the API information has room for {ROOM}", path.len()));
        }
        Ok(Self { name: name.to_owned(), path, method })
    }

    /// `ccsid` is the code page of the member: lengths are counted in it.
    pub(crate) fn member(&self, language: Language, ccsid: u32) -> String {
        let mut text = String::new();
        let values = [("BAQ-APINAME", self.name.as_str()), ("BAQ-APIPATH", &self.path), ("BAQ-APIMETHOD", self.method)];
        for (index, (name, value)) in values.into_iter().enumerate() {
            match language {
                Language::Cobol => cobol(&mut text, name, value, length(value, ccsid)),
                Language::Pli => pli(&mut text, name, value, length(value, ccsid), index == 2),
            }
        }
        text
    }
}

fn length(value: &str, ccsid: u32) -> usize {
    let mut bytes = Vec::new();
    match codepage::encode(ccsid, value, &mut bytes) {
        Ok(_) => bytes.len(),
        Err(_) => value.len(),
    }
}

fn cobol(text: &mut String, name: &str, value: &str, length: usize) {
    if value.len() > LITERAL {
        // A group of two fields is used as one.
        let end = (0..=LITERAL).rev().find(|&end| value.is_char_boundary(end)).unwrap_or_default();
        let (first, rest) = value.split_at(end);
        let _ = writeln!(text, "           03 {name}.");
        for (part, room) in [(first, end), (rest, ROOM - end)] {
            let _ = writeln!(text, "             05 {:25}PIC X({room})", "FILLER");
            push_literal(text, part);
        }
    } else {
        let _ = writeln!(text, "           03 {name:27}PIC X({ROOM})");
        push_literal(text, value);
    }
    let _ = writeln!(text, "           03 {:27}PIC S9(9) COMP-5 SYNC", format!("{name}-LEN"));
    let _ = writeln!(text, "              VALUE {length}.");
}

fn push_literal(text: &mut String, value: &str) {
    // Where the literal begins decides where its lines break: a pair of quotes must not be parted.
    let lines = (12..=14).rev().find_map(|indent| literal(indent, value, true)).or_else(|| literal(14, value, false));
    for line in lines.unwrap_or_default() {
        text.push_str(&line);
        text.push('\n');
    }
}

/// VALUE and its literal, continued on as many lines as it needs. A line that is continued has to be full: what is not written
/// up to its end belongs to the literal. `None` when lines cannot be filled and `clean` asks for it.
fn literal(indent: usize, value: &str, clean: bool) -> Option<Vec<String>> {
    let quote = if value.contains('\'') && !value.contains('"') { '"' } else { '\'' };
    let mut lines = Vec::new();
    let mut line = format!("{:indent$}VALUE {quote}", "");
    for character in value.chars() {
        let written = if character == quote { format!("{quote}{quote}") } else { character.to_string() };
        if line.len() + written.len() > LAST_COLUMN {
            if clean && line.len() != LAST_COLUMN {
                return None;
            }
            lines.push(std::mem::replace(&mut line, format!("      -    {quote}")));
        }
        line.push_str(&written);
    }
    if line.len() + 2 > LAST_COLUMN {
        if clean {
            return None;
        }
        line.push(quote);
        lines.push(std::mem::replace(&mut line, format!("{:indent$}.", "")));
    } else {
        line.push(quote);
        line.push('.');
    }
    lines.push(line);
    Some(lines)
}

fn pli(text: &mut String, name: &str, value: &str, length: usize, is_last: bool) {
    let name = name.replace('-', "_");
    let end = if is_last { ';' } else { ',' };
    let _ = writeln!(text, " 03 {name:27} CHAR({ROOM})");
    let mut rest: Vec<char> = value.chars().collect();
    let mut parts = Vec::new();
    while rest.len() > 40 {
        parts.push(rest.drain(..40).collect::<String>());
    }
    parts.push(rest.into_iter().collect());
    let quoted: Vec<String> = parts.iter().map(|part| format!("'{}'", part.replace('\'', "''"))).collect();
    let _ = writeln!(text, "    INIT({}),", quoted.join("\n      || "));
    let _ = writeln!(text, " 03 *{:26} CHAR(1),", "");
    let _ = writeln!(text, " 03 {:27} SIGNED FIXED BINARY(31) UNALIGNED", format!("{name}_LEN"));
    let _ = writeln!(text, "    INIT({length}){end}");
}

/// Everything but letters, digits, `-`, `.`, `_` and `~`.
fn percent_encoded(path: &str) -> String {
    let mut encoded = String::with_capacity(path.len() * 2);
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

#[cfg(test)]
mod tests;
