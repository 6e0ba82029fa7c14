//! The text of a PL/I member. At level 4 a declaration at level 03 and below, to be included under a level 1 of the program; at
//! level 5.0 the base structure and the structures of elements of data areas, each with a DECLARE of its own.
//!
//! A text of varying length is one item, so that no groups are needed around optional ones; nothing is aligned. Code ends in
//! column 71 at the latest. What a response has is based on pointers, which the member declares as well.
//! Source: reference, 2.7 and 2.8, and include files that IBM publishes with its sample of an OpenAPI 3 requester; what they
//! do not say is listed in `docs/differences.md`.

use std::fmt::{Arguments, Write};

use crate::cobol::{Heading, MEMBER};
use crate::comment::{self, Tell};
use crate::names::element_of_area;
use crate::options::Level;
use crate::schema::{Kind, Property, Schema};
use crate::structure::{Counter, Ending, Item, Structure, Value};

/// Characters between the margins of a comment.
const WIDTH: usize = 62;
/// Last column that code uses.
const LAST_COLUMN: usize = 71;
/// What stands before the rest of a line that is too long.
const CONTINUED: &str = "          ";

/// The member. `groups` are what the structure was made of.
pub(crate) fn member(structure: &Structure, groups: &[Property<'_>], heading: &Heading<'_>) -> String {
    let Heading { direction, schema_name, level } = heading;
    let form = if *level < Level::V5_0 { LEVEL_4 } else { BASE };
    let mut writer = Writer {
        form,
        is_based: *direction == "response",
        areas: Vec::new(),
        comments: String::new(),
        code: String::new(),
        path: Vec::new(),
        pending: None,
        sentence: String::new(),
    };
    writer.tell(format_args!("Structure of the {direction} that the JSON schema '{schema_name}' describes."));
    writer.tell(format_args!("Mapping level '{}'. Made by Quaymaster's build toolkit.", level.text()));
    if form.has_areas {
        writer.declare(&format!("BAQBASE_{MEMBER}"));
    }
    for (item, group) in structure.groups.iter().zip(groups) {
        writer.item(item, group.name, &group.schema, group.description, 0);
    }
    writer.end(';');
    writer.form = ELEMENT;
    writer.areas();
    let edge = "-".repeat(WIDTH + 2);
    format!(" /*{edge}*/\n{} /*{edge}*/\n\n{}", writer.comments, writer.code)
}

/// How lines of a structure look.
#[derive(Clone, Copy)]
struct Form {
    /// Blanks before level 03; two more for each level inside.
    margin: usize,
    /// From the start of a name to its attributes.
    name_width: usize,
    has_areas: bool,
}

const LEVEL_4: Form = Form { margin: 1, name_width: 0, has_areas: false };
const BASE: Form = Form { margin: 7, name_width: 31, has_areas: true };
const ELEMENT: Form = Form { margin: 6, name_width: 31, has_areas: true };

struct Writer<'a> {
    form: Form,
    /// Structures are based on pointers.
    is_based: bool,
    /// Elements of data areas that are still to be declared.
    areas: Vec<Area<'a>>,
    comments: String,
    code: String,
    path: Vec<&'a str>,
    /// The declaration that waits for its comma or semicolon.
    pending: Option<String>,
    /// The sentence that is being told.
    sentence: String,
}

/// A data area whose element is to be declared as a structure of its own.
struct Area<'a> {
    /// Of the item that names it.
    name: String,
    element: Item,
    schema: Schema<'a>,
    path: Vec<&'a str>,
}

impl<'a> Writer<'a> {
    fn item(&mut self, item: &Item, name: &'a str, schema: &Schema<'a>, description: Option<&'a str>, depth: usize) {
        if !name.is_empty() {
            self.path.push(name);
        }
        let element = match &schema.kind {
            Kind::Array { items, .. } | Kind::Map { entry: items, .. } => items,
            _ => schema,
        };
        if let Some(patch) = &item.patch {
            let path = std::mem::take(&mut self.path);
            comment::of_patch(patch, &path, self);
            self.path = path;
            self.line(depth, &patch.name, &format!("CHAR({})", patch.length()));
        }
        if let Some(counter) = &item.counter {
            self.counter(item, counter, depth);
        }
        let occurs = item.occurs.map(|occurs| format!("({})", occurs.times)).unwrap_or_default();
        let name_and_times = format!("{}{occurs}", item.name);
        if item.is_group() {
            self.line(depth, &name_and_times, "");
            self.inside(item, element, depth + 1);
        } else {
            self.explain(item, element, description);
            self.line(depth, &name_and_times, &attributes(&item.value));
            if let Some(inside) = item.element() {
                let (name, path) = (item.name.clone(), self.path.clone());
                self.areas.push(Area { name, element: inside.clone(), schema: (*element).clone(), path });
            }
        }
        if !name.is_empty() {
            self.path.pop();
        }
    }

    fn inside(&mut self, item: &Item, schema: &Schema<'a>, depth: usize) {
        match (&item.value, &schema.kind) {
            (Value::Group { items }, Kind::Object { properties }) => {
                for (item, property) in items.iter().zip(properties) {
                    self.item(item, property.name, &property.schema, property.description, depth);
                }
            }
            (Value::Array { item }, _) => self.item(item, "", schema, None, depth),
            _ => {}
        }
    }

    /// Structures of the elements of data areas, those inside an element behind it.
    fn areas(&mut self) {
        for Area { name, element, schema, path } in std::mem::take(&mut self.areas) {
            let base = element_of_area(&name);
            self.declare(&format!("{MEMBER}_{base}"));
            self.path = path;
            match &element.value {
                Value::Group { .. } | Value::Array { .. } => {
                    self.line(0, &element.name, "");
                    self.inside(&element, &schema, 1);
                }
                _ => self.item(&element, "", &schema, None, 0),
            }
            self.end(';');
            self.areas();
        }
    }

    /// Begins a structure at level 01.
    fn declare(&mut self, name: &str) {
        if !self.code.is_empty() {
            self.code.push('\n');
        }
        if !self.is_based {
            self.pending = Some(format!("    Dcl 01 {name}"));
            return;
        }
        let _ = writeln!(self.code, "    Dcl {name}_PTR PTR;");
        self.pending = Some(format!("    Dcl 01 {name} BASED({name}_PTR)"));
    }

    fn counter(&mut self, item: &Item, counter: &Counter, depth: usize) {
        let path = std::mem::take(&mut self.path);
        comment::of_counter(item, counter, &path, self);
        self.path = path;
        let attributes = match self.form.has_areas {
            true => "UNSIGNED FIXED BINARY(32) UNALIGNED",
            false => "SIGNED FIXED BINARY(31) UNALIGNED",
        };
        self.line(depth, &counter.name, attributes);
    }

    fn explain(&mut self, item: &Item, schema: &Schema<'a>, description: Option<&'a str>) {
        let path = std::mem::take(&mut self.path);
        comment::of_field(item, schema, description, &path, self);
        self.path = path;
    }

    fn line(&mut self, depth: usize, name: &str, attributes: &str) {
        self.end(',');
        let Form { margin, name_width, .. } = self.form;
        let mut line = format!("{:margin$}{:02} ", "", 3 + 3 * depth, margin = margin + 2 * depth);
        if attributes.is_empty() {
            line.push_str(name);
        } else {
            let _ = write!(line, "{name:name_width$}");
            // A name that fills its room.
            line.push_str(if name.len() >= name_width { " " } else { "" });
            line.push_str(attributes);
        }
        self.pending = Some(line);
    }

    /// Writes the declaration that waits. One that is too long is broken at the last blank that leaves it short enough.
    fn end(&mut self, sign: char) {
        let Some(line) = self.pending.take() else { return };
        let mut rest = line.as_str();
        let mut before = "";
        // With its sign.
        while before.len() + rest.len() + 1 > LAST_COLUMN {
            let from = rest.len() - rest.trim_start().len();
            let room = LAST_COLUMN - before.len();
            let Some(at) = rest[..rest.len().min(room + 1)].rfind(' ').filter(|&at| at > from) else { break };
            let _ = writeln!(self.code, "{before}{}", rest[..at].trim_end());
            (before, rest) = (CONTINUED, rest[at..].trim_start());
        }
        let _ = writeln!(self.code, "{before}{rest}{sign}");
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
        Value::Group { .. } | Value::Array { .. } => String::new(),
        Value::Area { .. } => "CHAR(16)".to_owned(),
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
        Value::Packed { digits, scale, .. } => format!("FIXED DECIMAL ({digits},{scale})"),
        Value::Float { bytes: 4 } => "BINARY FLOAT(21) UNALIGNED".to_owned(),
        Value::Float { .. } => "BINARY FLOAT(53) UNALIGNED".to_owned(),
        Value::Boolean => "CHAR(1)".to_owned(),
        Value::Timestamp => "FIXED DECIMAL (15,0)".to_owned(),
    }
}
