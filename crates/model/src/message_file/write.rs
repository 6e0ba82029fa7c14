//! Messages to lines.

use std::fmt::Write as _;

use crate::descriptor::MessageDescriptor;

use super::field::{FIELDS, Field, Kind, image};

/// How data is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Data {
    /// X lines alone.
    #[default]
    Hexadecimal,
    /// S lines for characters that all code pages of IBM agree on, X lines for the rest.
    Invariant,
    /// S lines for printable ASCII, X lines for the rest.
    Printable,
    /// T lines for lines of printable ASCII, X lines for the rest. Reading adds a line feed to each T line.
    Text,
}

/// What a file looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    pub data: Data,
    /// Shows the characters behind X lines.
    pub columns: bool,
    /// ApplIdentityData and ApplOriginData in characters instead of hexadecimal.
    pub context_in_characters: bool,
    /// The message descriptor; without it an N line is in its place.
    pub descriptor: bool,
    /// A comment with the number of each message.
    pub index: bool,
    /// Bytes of an X line.
    pub width: usize,
}

impl Style {
    pub const SHORTEST_WIDTH: usize = 10;
    pub const LONGEST_WIDTH: usize = 10_000;
}

impl Default for Style {
    fn default() -> Self {
        Self {
            data: Data::Hexadecimal,
            columns: false,
            context_in_characters: false,
            descriptor: true,
            index: false,
            width: 25,
        }
    }
}

/// The first lines of a file. Names that are empty have no line.
pub fn write_header(version: &str, created: &str, queue_manager: &str, queue: &str, out: &mut Vec<u8>) {
    let mut text = format!("* DMPMQMSG Version:{version} Created:{created}\n");
    if !queue_manager.is_empty() {
        let _ = writeln!(text, "* Qmgr  = {queue_manager}");
    }
    if !queue.is_empty() {
        let _ = writeln!(text, "* Queue = {queue}");
    }
    text.push('\n');
    out.extend_from_slice(text.as_bytes());
}

/// One message. `index` counts from 1.
pub fn write_message(descriptor: &MessageDescriptor, body: &[u8], index: u64, style: &Style, out: &mut Vec<u8>) {
    if style.index {
        out.extend_from_slice(format!("* Index {index}\n").as_bytes());
    }
    if style.descriptor {
        write_descriptor(descriptor, style, out);
    } else {
        out.extend_from_slice(b"N\n");
    }
    let width = style.width.clamp(Style::SHORTEST_WIDTH, Style::LONGEST_WIDTH);
    match style.data {
        Data::Hexadecimal => hexadecimal(body, width, style.columns, out),
        Data::Invariant => pieces(body, is_invariant, width, style.columns, out),
        Data::Printable => pieces(body, is_printable, width, style.columns, out),
        Data::Text => text(body, width, style.columns, out),
    }
    out.push(b'\n');
}

fn write_descriptor(descriptor: &MessageDescriptor, style: &Style, out: &mut Vec<u8>) {
    let image = image(descriptor);
    let is_written = |field: &&Field| match field.letters {
        b"AID" | b"AOD" => style.context_in_characters,
        b"AIX" | b"AOX" => !style.context_in_characters,
        _ => true,
    };
    for field in FIELDS.iter().filter(is_written) {
        out.extend_from_slice(b"A ");
        out.extend_from_slice(field.letters);
        out.push(b' ');
        let bytes = field.bytes(&image);
        match field.kind {
            Kind::Number => {
                let number = i32::from_be_bytes(bytes.try_into().expect("a number has four bytes"));
                out.extend_from_slice(number.to_string().as_bytes());
            }
            Kind::Characters => {
                let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
                // A line feed would end the line, and with it the value.
                out.extend(bytes[..end].iter().map(|&byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { byte }));
            }
            Kind::Hexadecimal => bytes.iter().for_each(|&byte| digits(byte, out)),
        }
        out.push(b'\n');
    }
}

fn digits(byte: u8, out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.push(DIGITS[usize::from(byte >> 4)]);
    out.push(DIGITS[usize::from(byte & 0x0F)]);
}

const fn is_printable(byte: u8) -> bool {
    matches!(byte, b' '..=b'~')
}

/// Characters with one value in every EBCDIC code page, and one in every ASCII code page.
const fn is_invariant(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'"' | b'%'..=b'/' | b':'..=b'?' | b'_')
}

/// X lines; one without digits for no data.
fn hexadecimal(data: &[u8], width: usize, columns: bool, out: &mut Vec<u8>) {
    if data.is_empty() {
        out.extend_from_slice(b"X \n");
    }
    for line in data.chunks(width) {
        out.extend_from_slice(b"X ");
        line.iter().for_each(|&byte| digits(byte, out));
        if columns {
            out.resize(out.len() + 2 * (width + 1 - line.len()), b' ');
            out.push(b'<');
            out.extend(line.iter().map(|&byte| if is_printable(byte) { byte } else { b'.' }));
            out.push(b'>');
        }
        out.push(b'\n');
    }
}

/// S lines.
fn characters(data: &[u8], width: usize, out: &mut Vec<u8>) {
    for line in data.chunks(2 * width - 2) {
        out.extend_from_slice(b"S \"");
        for &byte in line {
            if matches!(byte, b'"' | b'~') {
                out.push(b'~');
            }
            out.push(byte);
        }
        out.extend_from_slice(b"\"\n");
    }
}

/// S and X lines in turn.
fn pieces(data: &[u8], is_character: fn(u8) -> bool, width: usize, columns: bool, out: &mut Vec<u8>) {
    if data.is_empty() {
        out.extend_from_slice(b"S \n");
    }
    for piece in data.chunk_by(|a, b| is_character(*a) == is_character(*b)) {
        if piece.first().is_some_and(|&byte| is_character(byte)) {
            characters(piece, width, out);
        } else {
            hexadecimal(piece, width, columns, out);
        }
    }
}

/// A T line for each line of text; X lines for lines that hold anything else.
fn text(data: &[u8], width: usize, columns: bool, out: &mut Vec<u8>) {
    if data.is_empty() {
        out.extend_from_slice(b"X \n");
    }
    for line in data.split_inclusive(|&byte| byte == b'\n') {
        let without_end = line.strip_suffix(b"\n").unwrap_or(line);
        if without_end.iter().all(|&byte| is_printable(byte)) {
            out.extend_from_slice(b"T ");
            out.extend_from_slice(without_end);
            out.push(b'\n');
        } else {
            hexadecimal(line, width, columns, out);
        }
    }
}
