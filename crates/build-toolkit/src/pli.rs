//! The text of a PL/I member: a declaration at level 03 and below, to be included under a level 1 of the program.
//!
//! A text of varying length is one item, so that no groups are needed around optional ones; nothing is aligned.
//! Source: reference, 2.7; what it does not say is listed in `docs/differences.md`.

use std::fmt::{Arguments, Write};

use crate::cobol::Heading;
use crate::comment::{self, Tell};
use crate::schema::{Kind, Property, Schema};
use crate::structure::{Counter, Ending, Item, Structure, Value};

/// Characters between the margins of a comment.
const WIDTH: usize = 62;

/// The member. `groups` are what the structure was made of.
pub(crate) fn member(structure: &Structure, groups: &[Property<'_>], heading: &Heading<'_>) -> String {
    let mut writer = Writer {
        comments: String::new(),
        code: String::new(),
        path: Vec::new(),
        pending: None,
        sentence: String::new(),
    };
    let Heading { direction, schema_name, level } = heading;
    writer.tell(format_args!("Structure of the {direction} that the JSON schema '{schema_name}' describes."));
    writer.tell(format_args!("Mapping level '{}'. Made by Quaymaster's build toolkit.", level.text()));
    for (item, group) in structure.groups.iter().zip(groups) {
        writer.item(item, group.name, &group.schema, group.description, 0);
    }
    writer.end(';');
    let edge = "-".repeat(WIDTH + 2);
    format!(" /*{edge}*/\n{} /*{edge}*/\n\n{}", writer.comments, writer.code)
}

struct Writer<'a> {
    comments: String,
    code: String,
    path: Vec<&'a str>,
    /// The declaration that waits for its comma or semicolon.
    pending: Option<String>,
    /// The sentence that is being told.
    sentence: String,
}

impl<'a> Writer<'a> {
    fn item(&mut self, item: &Item, name: &'a str, schema: &Schema<'a>, description: Option<&'a str>, depth: usize) {
        if !name.is_empty() {
            self.path.push(name);
        }
        let element = match &schema.kind {
            Kind::Array { items, .. } => items,
            _ => schema,
        };
        if let Some(counter) = &item.counter {
            self.counter(item, counter, depth);
        }
        let occurs = item.occurs.map(|occurs| format!("({})", occurs.times)).unwrap_or_default();
        let name_and_times = format!("{}{occurs}", item.name);
        if item.is_group() {
            self.line(depth, &name_and_times, "");
            match (&item.value, &element.kind) {
                (Value::Group { items }, Kind::Object { properties }) => {
                    for (item, property) in items.iter().zip(properties) {
                        self.item(item, property.name, &property.schema, property.description, depth + 1);
                    }
                }
                (Value::Array { item }, _) => self.item(item, "", element, None, depth + 1),
                _ => {}
            }
        } else {
            let path = std::mem::take(&mut self.path);
            comment::of_field(item, element, description, &path, self);
            self.path = path;
            self.line(depth, &name_and_times, &attributes(&item.value));
        }
        if !name.is_empty() {
            self.path.pop();
        }
    }

    fn counter(&mut self, item: &Item, counter: &Counter, depth: usize) {
        let path = std::mem::take(&mut self.path);
        comment::of_counter(item, counter, &path, self);
        self.path = path;
        self.line(depth, &counter.name, "SIGNED FIXED BINARY(31) UNALIGNED");
    }

    fn line(&mut self, depth: usize, name: &str, attributes: &str) {
        self.end(',');
        let mut line = format!("{:width$}{:02} {name}", "", 3 + 3 * depth, width = 1 + 2 * depth);
        if !attributes.is_empty() {
            // A line that would be too long goes on below.
            let separator = if line.len() + 1 + attributes.len() > 70 { "\n            " } else { " " };
            line.push_str(separator);
            line.push_str(attributes);
        }
        self.pending = Some(line);
    }

    fn end(&mut self, sign: char) {
        if let Some(line) = self.pending.take() {
            let _ = writeln!(self.code, "{line}{sign}");
        }
    }
}

impl Tell for Writer<'_> {
    fn tell(&mut self, sentence: Arguments<'_>) {
        self.sentence.clear();
        let _ = self.sentence.write_fmt(sentence);
        // The end of the comment must not stand inside it.
        let sentence = self.sentence.replace("*/", "* /").replace("/*", "/ *");
        comment::wrap(&sentence, WIDTH, |line, is_first| {
            let indent = if is_first { "" } else { " " };
            let width = WIDTH - indent.len();
            let _ = writeln!(self.comments, " /*| {indent}{line:width$}|*/");
        });
    }
}

fn attributes(value: &Value) -> String {
    let sign = |signed: &bool| if *signed { "SIGNED" } else { "UNSIGNED" };
    match value {
        // Data areas are of level 5.0, which is COBOL's alone.
        Value::Group { .. } | Value::Array { .. } | Value::Area { .. } => String::new(),
        Value::Text { bytes, ending: Ending::Blank, .. } => format!("CHAR({bytes})"),
        Value::Text { bytes, ending: Ending::Null, .. } => format!("CHAR({}) VARYINGZ", bytes - 1),
        Value::Text { bytes, ending: Ending::Length { width: 2, .. }, .. } => {
            format!("CHAR({bytes}) VARYING UNALIGNED")
        }
        Value::Text { bytes, ending: Ending::Length { .. }, .. } => format!("CHAR({bytes}) VARYING4 UNALIGNED"),
        Value::Binary { bytes, signed } => {
            let bits = u32::from(*bytes) * 8 - u32::from(*signed);
            format!("{} FIXED BINARY({bits}) UNALIGNED", sign(signed))
        }
        Value::Zoned { digits, signed: false } => format!("PIC '({digits})9'"),
        Value::Zoned { digits: 1, signed: true } => "PIC 'T'".to_owned(),
        Value::Zoned { digits, signed: true } => format!("PIC '({})9T'", digits - 1),
        Value::Packed { digits, scale, .. } => format!("FIXED DECIMAL({digits},{scale})"),
        Value::Float { bytes: 4 } => "BINARY FLOAT(21) UNALIGNED".to_owned(),
        Value::Float { .. } => "BINARY FLOAT(53) UNALIGNED".to_owned(),
        Value::Boolean => "CHAR(1)".to_owned(),
        Value::Timestamp => "FIXED DECIMAL(15,0)".to_owned(),
    }
}
