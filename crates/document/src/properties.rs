//! The file format that LTPA key files, `bootstrap.properties` and the properties files of services are written in: Java
//! properties.
//!
//! Bytes are Latin-1. A line is `key=value`, `key:value` or `key value`; `#` and `!` begin comments; a backslash at the
//! end continues a line; `\t \n \r \f \uXXXX` stand for characters and any other escaped character for itself.
//! Source: Java SE 17 API, java.util.Properties, `load(Reader)`.

use std::collections::BTreeMap;

/// Key and value of every entry; a later entry replaces an earlier one. Never fails: every text is some property file.
pub fn parse(bytes: &[u8]) -> BTreeMap<String, String> {
    parse_text(&bytes.iter().map(|&byte| char::from(byte)).collect::<String>())
}

/// As `parse`, for a file whose character set is known, such as UTF-8.
pub fn parse_text(text: &str) -> BTreeMap<String, String> {
    logical_lines(text).iter().map(|(_, line)| split_entry(line)).filter(|(key, _)| !key.is_empty()).collect()
}

/// The line, from 1, at which the entry that counts of every key begins.
pub fn lines(text: &str) -> BTreeMap<String, usize> {
    let of_entry = |(number, line): &(usize, String)| (split_entry(line).0, *number);
    logical_lines(text).iter().map(of_entry).collect()
}

/// One `key=value` line, without its line end, escaped as Java writes it.
pub fn entry(key: &str, value: &str) -> String {
    format!("{}={}", escape(key, true), escape(value, false))
}

/// In a key every blank would end it; in a value only leading ones get lost.
fn escape(text: &str, is_key: bool) -> String {
    let mut escaped = String::with_capacity(text.len());
    for (index, character) in text.chars().enumerate() {
        match character {
            '\\' | '=' | ':' | '#' | '!' => escaped.extend(['\\', character]),
            ' ' if is_key || index == 0 => escaped.push_str("\\ "),
            '\t' => escaped.push_str("\\t"),
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\u{c}' => escaped.push_str("\\f"),
            ' '..='~' => escaped.push(character),
            other => {
                let mut units = [0; 2];
                for unit in other.encode_utf16(&mut units) {
                    escaped.push_str(&format!("\\u{unit:04X}"));
                }
            }
        }
    }
    escaped
}

/// Lines with continuations joined, each with the number of its first; blank lines and comments left out.
fn logical_lines(text: &str) -> Vec<(usize, String)> {
    let mut lines = Vec::new();
    let mut joined: Option<(usize, String)> = None;
    for (index, natural) in text.replace("\r\n", "\n").split(['\n', '\r']).enumerate() {
        let line = natural.trim_start_matches([' ', '\t', '\u{c}']);
        if joined.is_none() && (line.is_empty() || line.starts_with(['#', '!'])) {
            continue;
        }
        let (number, mut so_far) = joined.take().unwrap_or((index + 1, String::new()));
        let trailing = line.bytes().rev().take_while(|&byte| byte == b'\\').count();
        if trailing % 2 == 1 {
            so_far.push_str(&line[..line.len() - 1]);
            joined = Some((number, so_far));
        } else {
            so_far.push_str(line);
            lines.push((number, so_far));
        }
    }
    lines.extend(joined);
    lines
}

fn split_entry(line: &str) -> (String, String) {
    let blank = [' ', '\t', '\u{c}'];
    let mut escaped = false;
    let end = line
        .char_indices()
        .find(|&(_, character)| {
            let ends = !escaped && (matches!(character, '=' | ':') || blank.contains(&character));
            escaped = !escaped && character == '\\';
            ends
        })
        .map_or(line.len(), |(index, _)| index);
    let rest = line[end..].trim_start_matches(blank);
    let rest = rest.strip_prefix(['=', ':']).unwrap_or(rest).trim_start_matches(blank);
    (unescape(&line[..end]), unescape(rest))
}

fn unescape(text: &str) -> String {
    let mut units: Vec<u16> = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        rest = &rest[character.len_utf8()..];
        let mut buffer = [0; 2];
        if character != '\\' {
            units.extend_from_slice(character.encode_utf16(&mut buffer));
            continue;
        }
        let Some(escaped) = rest.chars().next() else { break };
        rest = &rest[escaped.len_utf8()..];
        match escaped {
            't' => units.push(9),
            'n' => units.push(10),
            'r' => units.push(13),
            'f' => units.push(12),
            'u' => {
                if let Some(unit) = rest.get(..4).and_then(|digits| u16::from_str_radix(digits, 16).ok()) {
                    units.push(unit);
                    rest = &rest[4..];
                }
            }
            other => units.extend_from_slice(other.encode_utf16(&mut buffer)),
        }
    }
    String::from_utf16_lossy(&units)
}

#[cfg(test)]
mod tests;
