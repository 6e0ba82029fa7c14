//! The API information member: what a program hands to BAQCSTUB, or to BAQEXEC of the host API, to say which operation it calls.
//!
//! Members of level 5.0 have a level 01 of their own, an eye-catcher, the operation and its media type.
//! Source: reference, 3.1; level 5.0: public members of the host API. In PL/I the same fields, at level 4 with unaligned slack, so that
//! the bytes are the same.

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
    /// Of level 5.0: the operation, and the media type of its body, blank without one.
    pub(crate) host: Option<(String, String)>,
}

/// What members of level 5.0 call themselves, until their name is known.
pub(crate) const MEMBER: &str = "\u{1}MEMBER";
/// Bytes of the area as it states them.
const AREA_LENGTH: usize = 1311;

impl Information {
    /// # Errors
    /// The path is too long for its field.
    pub(crate) fn new(name: &str, path: &str, method: &'static str, level: Level) -> Result<Self, String> {
        let path = if level >= Level::V4_3 { percent_encoded(path) } else { path.to_owned() };
        if path.len() > ROOM {
            return Err(format!("its path has {} bytes, and the API information has room for {ROOM}", path.len()));
        }
        Ok(Self { name: name.to_owned(), path, method, host: None })
    }

    /// For the host API, at level 5.0.
    pub(crate) fn of_operation(self, operation: &str, media_type: &str, level: Level) -> Self {
        let host = (level >= Level::V5_0).then(|| (operation.to_owned(), media_type.to_owned()));
        Self { host, ..self }
    }

    /// `ccsid` is the code page of the member: lengths are counted in it.
    pub(crate) fn member(&self, language: Language, ccsid: u32) -> String {
        if let Some((operation, media_type)) = &self.host {
            let values = [
                ("NAME", self.name.as_str()),
                ("PATH", &self.path),
                ("METHOD", self.method),
                ("OPERATION", operation),
                ("MEDIA-TYPE", media_type),
            ];
            return match language {
                Language::Cobol => host_cobol(&values, ccsid),
                Language::Pli => host_pli(&values, ccsid),
            };
        }
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

fn host_cobol(values: &[(&str, &str)], ccsid: u32) -> String {
    let mut text = format!("        01 BAQ-API-INFO-{MEMBER}.\n");
    let _ = writeln!(text, "           03 {:27}PIC X(4)\n              VALUE 'BAQA'.", "BAQ-API-INFO-EYE");
    let number = |text: &mut String, name: &str, value: usize| {
        let _ = writeln!(text, "           03 {name:27}PIC 9(9) COMP-5 SYNC\n              VALUE {value}.");
    };
    number(&mut text, "BAQ-API-INFO-LENGTH", AREA_LENGTH);
    number(&mut text, "BAQ-API-INFO-VERSION", 2);
    number(&mut text, "BAQ-API-INFO-RESERVED01", 0);
    for (name, value) in values {
        let name = format!("BAQ-API-{name}");
        let room = format!("           03 {name:27}PIC X({ROOM})");
        if value.len() > LITERAL {
            cobol(&mut text, &name, value, length(value, ccsid));
            continue;
        }
        let _ = writeln!(text, "{room}");
        push_literal(&mut text, if value.is_empty() { " " } else { value });
        number(&mut text, &format!("{name}-LEN"), length(value, ccsid));
    }
    text
}

fn host_pli(values: &[(&str, &str)], ccsid: u32) -> String {
    let mut text = format!(" Dcl 1 BAQ_API_INFO_{MEMBER},\n    3 {:27} CHAR(4) INIT('BAQA'),\n", "BAQ_API_INFO_EYE");
    let number = |text: &mut String, name: &str, value: usize, end: char| {
        let _ = writeln!(text, "    3 {name:27} FIXED BIN(32) ALIGNED\n      INIT({value}) UNSIGNED{end}");
    };
    number(&mut text, "BAQ_API_INFO_LENGTH", AREA_LENGTH, ',');
    number(&mut text, "BAQ_API_INFO_VERSION", 2, ',');
    number(&mut text, "BAQ_API_INFO_RESERVED01", 0, ',');
    for (index, (name, value)) in values.iter().enumerate() {
        let name = format!("BAQ_API_{}", name.replace('-', "_"));
        let _ = writeln!(text, "    3 {name:27} CHAR({ROOM})\n      INIT({}),", pli_literal(value));
        number(
            &mut text,
            &format!("{name}_LEN"),
            length(value, ccsid),
            if index + 1 == values.len() { ';' } else { ',' },
        );
    }
    text
}

fn pli(text: &mut String, name: &str, value: &str, length: usize, is_last: bool) {
    let name = name.replace('-', "_");
    let end = if is_last { ';' } else { ',' };
    let _ = writeln!(text, " 03 {name:27} CHAR({ROOM})");
    let _ = writeln!(text, "    INIT({}),", pli_literal(value));
    let _ = writeln!(text, " 03 *{:26} CHAR(1),", "");
    let _ = writeln!(text, " 03 {:27} SIGNED FIXED BINARY(31) UNALIGNED", format!("{name}_LEN"));
    let _ = writeln!(text, "    INIT({length}){end}");
}

/// A literal, in parts that fit on a line.
fn pli_literal(value: &str) -> String {
    let mut rest: Vec<char> = value.chars().collect();
    let mut parts = Vec::new();
    while rest.len() > 40 {
        parts.push(rest.drain(..40).collect::<String>());
    }
    parts.push(rest.into_iter().collect());
    let quoted: Vec<String> = parts.iter().map(|part| format!("'{}'", part.replace('\'', "''"))).collect();
    quoted.join("\n      || ")
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
