//! The text of a COBOL member: the structure with explanations as comments, then the structure.
//!
//! Fixed format. Code ends in column 71 at the latest, comments in column 70. The words of the comments are our own; columns,
//! clauses and the order of lines are those of the original.
//! Source: reference, 2.5.

use std::fmt::{Arguments, Write};

use crate::comment::{self, Tell};
use crate::names::element_of_area;
use crate::options::Level;
use crate::schema::{Kind, Property, Schema};
use crate::structure::{Counter, Ending, Item, Structure, Value};

const RULER: &str = "      * ++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++";
/// Last column that code uses.
const LAST_COLUMN: usize = 71;
/// From the start of a name to its clause.
const NAME_WIDTH: usize = 30;
/// Blanks before what continues a line.
const CONTINUED: usize = 12;
/// Bytes set aside for a member, its comments and its code.
const FIRST_COMMENTS: usize = 16 << 10;
const FIRST_CODE: usize = 4 << 10;

/// Stands for the name of the member, which is not known yet; no text of a description can hold it.
pub(crate) const MEMBER: &str = "\u{1}MEMBER\u{1}";

/// What the member is of.
pub(crate) struct Heading<'a> {
    /// `request` or `response`.
    pub(crate) direction: &'static str,
    pub(crate) schema_name: &'a str,
    pub(crate) level: Level,
}

/// The member. `groups` are what the structure was made of.
pub(crate) fn member(structure: &Structure, groups: &[Property<'_>], heading: &Heading<'_>) -> String {
    let has_areas = heading.level >= Level::V5_0;
    let mut writer = if has_areas { Writer::new(3, 12) } else { Writer::new(6, 13) };
    writer.comments.push_str(RULER);
    writer.comments.push('\n');
    let Heading { direction, schema_name, level } = heading;
    writer.tell(format_args!("Structure of the {direction} that the JSON schema '{schema_name}' describes."));
    writer.tell(format_args!("Mapping level '{}'. Made by Quaymaster's build toolkit.", level.text()));
    writer.blank_comment();
    if has_areas {
        writer.write(&format!("{}01 BAQBASE-{MEMBER}.", blanks(10)));
    }
    for (item, group) in structure.groups.iter().zip(groups) {
        writer.blank_comment();
        writer.item(item, group.name, &group.schema, group.description, 0);
    }
    writer.margin = 11;
    writer.areas();
    writer.blank_comment();
    writer.blank_comment();
    let mut text = writer.comments;
    text.push_str(RULER);
    text.push_str("\n\n");
    text.push_str(&writer.code);
    text
}

struct Writer<'a> {
    /// Number of the outermost level.
    first: usize,
    /// Blanks before it.
    margin: usize,
    /// Elements of data areas that are still to be declared.
    areas: Vec<Area<'a>>,
    comments: String,
    code: String,
    /// Names in JSON that lead to an item.
    path: Vec<&'a str>,
    /// The line and the sentence that are being written.
    line: String,
    sentence: String,
}

/// A data area whose element is to be declared as a structure of its own.
struct Area<'a> {
    /// Of the item that names it.
    name: String,
    element: Item,
    /// Bytes of an element.
    length: u32,
    schema: Schema<'a>,
    path: Vec<&'a str>,
}

impl<'a> Writer<'a> {
    fn new(first: usize, margin: usize) -> Self {
        Self {
            first,
            margin,
            areas: Vec::new(),
            comments: String::with_capacity(FIRST_COMMENTS),
            code: String::with_capacity(FIRST_CODE),
            path: Vec::new(),
            line: String::new(),
            sentence: String::new(),
        }
    }

    /// `depth` is 0 at level 06. `name` is empty for what an array of arrays holds.
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
            self.line(depth, &patch.name, &format!("PIC X({})", patch.length()));
        }
        if let Some(counter) = &item.counter {
            self.counter(item, counter, depth);
        }
        match &item.wrapper {
            Some(wrapper) => {
                self.declaration(depth, wrapper, item, None);
                self.explain(item, element, description);
                self.elementary(item, false, depth + 1);
                self.filler(item, depth + 1);
            }
            None if item.element().is_some() => self.area(item, element, description, depth),
            None if item.is_group() => {
                self.declaration(depth, &item.name, item, None);
                self.inside(item, element, depth + 1);
                self.filler(item, depth + 1);
            }
            None => {
                self.explain(item, element, description);
                self.elementary(item, true, depth);
            }
        }
        if !name.is_empty() {
            self.path.pop();
        }
    }

    /// The name of a data area; its element is declared behind everything else.
    fn area(&mut self, item: &Item, schema: &Schema<'a>, description: Option<&'a str>, depth: usize) {
        let Value::Area { length, element, .. } = &item.value else { return };
        self.explain(item, schema, description);
        self.line(depth, &item.name, "PIC X(16)");
        self.areas.push(Area {
            name: item.name.clone(),
            element: (**element).clone(),
            length: *length,
            schema: schema.clone(),
            path: self.path.clone(),
        });
    }

    /// Structures of the elements of data areas, each under a level 01 of its own, those inside an element behind it.
    fn areas(&mut self) {
        for area in std::mem::take(&mut self.areas) {
            self.element(area);
            self.areas();
        }
    }

    fn element(&mut self, Area { name, element, length, schema, path }: Area<'a>) {
        self.code.push('\n');
        self.blank_comment();
        let base = element_of_area(&name);
        self.write(&format!("{}01 {MEMBER}-{base}.", blanks(9)));
        self.path = path;
        let depth = match &element.value {
            Value::Group { .. } | Value::Array { .. } => {
                self.declaration(0, &element.name, &element, None);
                self.inside(&element, &schema, 1);
                1
            }
            _ => {
                self.item(&element, "", &schema, None, 0);
                0
            }
        };
        let end = element.offset + element.length;
        if length > end {
            self.tell(format_args!("What follows keeps elements aligned."));
            self.line(depth, "filler", &format!("PIC X({})", length - end));
        }
    }

    fn inside(&mut self, item: &Item, schema: &Schema<'a>, depth: usize) {
        match (&item.value, &schema.kind) {
            (Value::Group { items }, Kind::Object { properties }) => {
                for (item, property) in items.iter().zip(properties) {
                    self.blank_comment();
                    self.item(item, property.name, &property.schema, property.description, depth);
                }
            }
            (Value::Array { item }, _) => self.item(item, "", schema, None, depth),
            _ => {}
        }
    }

    fn counter(&mut self, item: &Item, counter: &Counter, depth: usize) {
        let path = std::mem::take(&mut self.path);
        comment::of_counter(item, counter, &path, self);
        self.path = path;
        self.code.push('\n');
        self.line(depth, &counter.name, &item_clause(BinaryItem::Fullword));
        self.code.push('\n');
        self.blank_comment();
    }

    /// `occurs` unless the group around it does.
    fn elementary(&mut self, item: &Item, occurs: bool, depth: usize) {
        if let Value::Text { ending: Ending::Length { name, width, .. }, .. } = &item.value {
            let length = if *width == 2 { BinaryItem::Halfword } else { BinaryItem::Fullword };
            self.line(depth, name, &item_clause(length));
        }
        let clause = clause(&item.value);
        match item.occurs {
            Some(_) if occurs => self.declaration(depth, &item.name, item, Some(&clause)),
            _ => self.line(depth, &item.name, &clause),
        }
    }

    /// What makes every occurrence as long as the layout has it, where compilers would not agree on it.
    fn filler(&mut self, item: &Item, depth: usize) {
        let Some(occurs) = item.occurs.filter(|occurs| occurs.times > 1) else { return };
        if item.length.next_multiple_of(last_alignment(item)) != occurs.stride {
            self.tell(format_args!("What follows keeps the next occurrence aligned."));
            self.line(depth, "filler", &format!("PIC X({})", occurs.stride - item.length));
        }
    }

    /// A group or a table.
    fn declaration(&mut self, depth: usize, name: &str, item: &Item, clause: Option<&str>) {
        let clause = clause.unwrap_or_default();
        match item.occurs {
            Some(occurs) => self.line(depth, &format!("{name} OCCURS {}", occurs.times), clause),
            None => self.line(depth, name, clause),
        }
    }

    fn line(&mut self, depth: usize, name: &str, clause: &str) {
        let mut line = std::mem::take(&mut self.line);
        line.clear();
        let level = self.first + 3 * depth;
        line.push_str(blanks(self.margin + 2 * depth));
        let _ = write!(line, "{level:02} ");
        line.push_str(name);
        if !clause.is_empty() {
            line.push_str(blanks(NAME_WIDTH.saturating_sub(name.len()).max(1)));
            line.push_str(clause);
        }
        line.push('.');
        self.write(&line);
        self.line = line;
    }

    /// Writes a line of code, and its copy among the comments. One that is too long is broken at the last blank that leaves it
    /// short enough, and continued in column 13.
    fn write(&mut self, line: &str) {
        let (mut rest, mut is_first) = (line, true);
        loop {
            let indent = if is_first { 0 } else { CONTINUED };
            let last = LAST_COLUMN - indent;
            let start = rest.len() - rest.trim_start().len();
            let is_long = rest.len() > last;
            let at = is_long.then(|| rest[..=last].rfind(' ').filter(|&at| at > start)).flatten();
            let part = at.map_or(rest, |at| rest[..at].trim_end());
            if is_first {
                self.comments.push_str("      *");
                self.comments.push_str(&part[7..]);
            } else {
                self.comments.push_str("      *  ");
                self.comments.push_str(part);
            }
            self.comments.push('\n');
            self.code.push_str(blanks(indent));
            self.code.push_str(part);
            self.code.push('\n');
            let Some(at) = at else { return };
            (rest, is_first) = (rest[at..].trim_start(), false);
        }
    }

    fn explain(&mut self, item: &Item, schema: &Schema<'a>, description: Option<&'a str>) {
        let path = std::mem::take(&mut self.path);
        comment::of_field(item, schema, description, &path, self);
        self.path = path;
    }

    fn blank_comment(&mut self) {
        self.comments.push_str("      *\n");
    }
}

impl Tell for Writer<'_> {
    fn tell(&mut self, sentence: Arguments<'_>) {
        let Self { comments, sentence: text, .. } = self;
        text.clear();
        let _ = text.write_fmt(sentence);
        comment::wrap(text, 62, |line, is_first| {
            comments.push_str(if is_first { "      * " } else { "      *  " });
            comments.push_str(line);
            comments.push('\n');
        });
    }
}

fn blanks(count: usize) -> &'static str {
    const BLANKS: &str = "                                                                ";
    &BLANKS[..count.min(BLANKS.len())]
}

/// The alignment to which GnuCOBOL rounds a group that occurs: the strictest one behind the last group inside it, or else that
/// group's own. Enterprise COBOL, and the layout, round to the strictest one of all.
fn last_alignment(group: &Item) -> u32 {
    let elementary = |item: &Item| match &item.value {
        Value::Text { ending: Ending::Length { width, .. }, .. } => u32::from(*width),
        Value::Binary { bytes, .. } | Value::Float { bytes } => u32::from(*bytes),
        _ => 1,
    };
    let items = match &group.value {
        _ if group.wrapper.is_some() => return elementary(group),
        Value::Group { items } => items.as_slice(),
        Value::Array { item } => std::slice::from_ref(&**item),
        _ => return elementary(group),
    };
    items.iter().fold(1, |alignment, item| match item.is_group() {
        true => last_alignment(item),
        false => alignment.max(if item.counter.is_some() { 4 } else { 1 }).max(elementary(item)),
    })
}

enum BinaryItem {
    Halfword,
    Fullword,
}

fn item_clause(item: BinaryItem) -> String {
    let bytes = match item {
        BinaryItem::Halfword => 2,
        BinaryItem::Fullword => 4,
    };
    clause(&Value::Binary { bytes, signed: true })
}

/// PICTURE and USAGE; empty for a group.
fn clause(value: &Value) -> String {
    let sign = |signed: &bool| if *signed { "S" } else { "" };
    match value {
        Value::Group { .. } | Value::Array { .. } => String::new(),
        Value::Area { .. } => "PIC X(16)".to_owned(),
        Value::Text { bytes, .. } => format!("PIC X({bytes})"),
        Value::Binary { bytes, signed } => {
            let picture = match bytes {
                2 => "9999",
                4 => "9(9)",
                _ => "9(18)",
            };
            format!("PIC {}{picture} COMP-5 SYNC", sign(signed))
        }
        Value::Zoned { digits, signed } => format!("PIC {}9({digits}) DISPLAY", sign(signed)),
        Value::Packed { digits, scale: 0, signed } => format!("PIC {}9({digits}) COMP-3", sign(signed)),
        Value::Packed { digits, scale, signed } if digits == scale => format!("PIC {}V9({scale}) COMP-3", sign(signed)),
        Value::Packed { digits, scale, signed } => {
            format!("PIC {}9({})V9({scale}) COMP-3", sign(signed), digits - scale)
        }
        Value::Float { bytes: 4 } => "COMP-1 SYNC".to_owned(),
        Value::Float { .. } => "COMP-2 SYNC".to_owned(),
        Value::Boolean => "PIC X DISPLAY".to_owned(),
        Value::Timestamp => "PIC 9(15) COMP-3".to_owned(),
    }
}

#[cfg(test)]
mod tests;
