//! JSON Schema of a record, as `Converter` reads and writes it.

use crate::codec::{Codec, Scale};
use crate::decimal;
use crate::error::PlanError;
use crate::json;
use crate::layout::{LayoutItem, RecordLayout};
use crate::node::{Group, Node, NodeKind};
use crate::options::ConvertOptions;
use crate::plan::Converter;

/// Blanks for each level.
const INDENT: usize = 2;

impl RecordLayout {
    /// The schema of a record's JSON, with line ends, for draft 2020-12. Nothing is required: what is missing has the
    /// initial value of its item.
    ///
    /// # Errors
    /// As `Converter::new`, but for VALUE, which a schema says nothing of.
    pub fn schema(&self, options: &ConvertOptions) -> Result<String, PlanError> {
        let converter = Converter::new(self, &ConvertOptions { ignore_values: true, ..options.clone() })?;
        let mut writer = Writer { converter: &converter, layout: self, out: Vec::new(), depth: 0 };
        writer.open("{");
        writer.member("$schema", "\"https://json-schema.org/draft/2020-12/schema\"");
        if let Some(name) = &self.name {
            writer.text("title", name);
        }
        if let NodeKind::Group(group) = &converter.nodes[converter.root].kind {
            writer.object(group);
        }
        writer.close("}");
        writer.out.push(b'\n');
        Ok(String::from_utf8_lossy(&writer.out).into_owned())
    }
}

struct Writer<'a> {
    converter: &'a Converter,
    layout: &'a RecordLayout,
    out: Vec<u8>,
    depth: usize,
}

impl Writer<'_> {
    fn open(&mut self, bracket: &str) {
        self.out.extend_from_slice(bracket.as_bytes());
        self.depth += 1;
    }

    fn close(&mut self, bracket: &str) {
        self.depth -= 1;
        self.line();
        self.out.extend_from_slice(bracket.as_bytes());
    }

    fn line(&mut self) {
        self.out.push(b'\n');
        self.out.extend(std::iter::repeat_n(b' ', self.depth * INDENT));
    }

    /// The name of a member, on a line of its own.
    fn name(&mut self, name: &str) {
        if !matches!(self.out.last(), Some(b'{')) {
            self.out.push(b',');
        }
        self.line();
        json::write_string(name, &mut self.out);
        self.out.extend_from_slice(b": ");
    }

    fn member(&mut self, name: &str, value: &str) {
        self.name(name);
        self.out.extend_from_slice(value.as_bytes());
    }

    fn text(&mut self, name: &str, value: &str) {
        self.name(name);
        json::write_string(value, &mut self.out);
    }

    fn object(&mut self, group: &Group) {
        self.member("type", "\"object\"");
        self.name("properties");
        self.open("{");
        for member in group.members.iter().filter(|member| !member.is_hidden) {
            self.name(&member.name);
            self.open("{");
            self.node(&self.converter.nodes[member.node]);
            self.close("}");
        }
        self.close("}");
        if !self.converter.ignore_unknown {
            self.member("additionalProperties", "false");
        }
    }

    fn node(&mut self, node: &Node) {
        match &node.kind {
            NodeKind::Group(group) => self.object(group),
            NodeKind::Field(codec) => {
                self.field(codec, &self.layout.items[node.item], node.length.unwrap_or(0));
            }
            NodeKind::Table(table) => {
                self.member("type", "\"array\"");
                let least = self.layout.items[node.item].occurs.map_or(0, |occurs| occurs.minimum);
                if table.slot.is_some() {
                    self.member("minItems", &least.to_string());
                }
                self.member("maxItems", &table.maximum.to_string());
                self.name("items");
                self.open("{");
                self.node(&self.converter.nodes[table.element]);
                self.close("}");
            }
        }
    }

    /// `length` is that of the item, unless more of the record is shown, or bytes that no item has.
    fn field(&mut self, codec: &Codec, item: &LayoutItem, length: usize) {
        match codec {
            Codec::Text { set, .. } => {
                let characters = length / self.converter.sets.of(*set).blank().len();
                self.member("type", "\"string\"");
                self.member("maxLength", &characters.to_string());
            }
            Codec::Utf8 { most } => {
                self.member("type", "\"string\"");
                self.member("maxLength", &most.to_string());
            }
            Codec::Hexadecimal => {
                self.member("type", "\"string\"");
                self.text("pattern", &format!("^[0-9A-Fa-f]{{{}}}$", 2 * item.length));
            }
            Codec::Float { .. } | Codec::ExternalFloat { .. } => self.member("type", "\"number\""),
            Codec::Binary { scale, full: true, .. } => {
                let bits = 8 * item.length.min(16);
                let largest = u128::MAX >> (128 - bits + usize::from(scale.signed));
                let least = if scale.signed { largest.wrapping_add(1) } else { 0 };
                self.range(*scale, least, largest);
            }
            Codec::Zoned { scale, .. }
            | Codec::WideZoned { scale, .. }
            | Codec::Packed { scale }
            | Codec::PackedUnsigned { scale }
            | Codec::Binary { scale, .. }
            | Codec::Edited { scale, .. } => {
                let largest = decimal::power_of_ten(scale.digits).map_or(u128::MAX, |limit| limit - 1);
                self.range(*scale, if scale.signed { largest } else { 0 }, largest);
            }
        }
        if length != item.length {
            return;
        }
        let picture = item.picture.as_ref().map(|picture| format!("PIC {} ", picture.text)).unwrap_or_default();
        let usage = item.usage.map_or("", |usage| usage.spelled());
        self.text("description", &format!("{picture}{usage}"));
    }

    /// Type and bounds of a number; `least` is how far it goes below zero.
    fn range(&mut self, scale: Scale, least: u128, largest: u128) {
        let number = |negative: bool, value: u128, scale: i32| {
            let mut out = Vec::new();
            decimal::write(negative, value, scale, &mut out);
            String::from_utf8_lossy(&out).into_owned()
        };
        self.member("type", if scale.scale > 0 { "\"number\"" } else { "\"integer\"" });
        self.member("minimum", &number(true, least, scale.scale));
        self.member("maximum", &number(false, largest, scale.scale));
        if scale.scale != 0 {
            self.member("multipleOf", &number(false, 1, scale.scale));
        }
    }
}
