//! What a converter's JSON looks like: objects, arrays and the kinds of values, in the order in which they are written.
//!
//! For those who make tables of records: columns stand in this order, and `decode` writes members in it.

use crate::codec::Codec;
use crate::node::NodeKind;
use crate::plan::Converter;

/// A value of JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    Value(ValueKind),
    /// Members by name.
    Object(Vec<(String, Shape)>),
    Array {
        element: Box<Shape>,
        most: u32,
        /// The name of the member with their number, which stands before the array; `None`: there are always `most`.
        counter: Option<String>,
    },
}

/// What an elementary item holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    Text,
    /// A number with so many digits, of which `scale` stand behind the decimal point; never below zero.
    Decimal {
        precision: u32,
        scale: u32,
    },
    Float,
}

impl Converter {
    pub fn shape(&self) -> Shape {
        self.shape_of(self.root)
    }

    /// The name of the member that is the object of a DEPENDING ON.
    fn counter_name(&self, slot: usize) -> Option<String> {
        let groups = self.nodes.iter().filter_map(|node| match &node.kind {
            NodeKind::Group(group) => Some(group),
            NodeKind::Field(_) | NodeKind::Table(_) => None,
        });
        let mut members = groups.flat_map(|group| &group.members);
        members.find(|member| member.slot == Some(slot) && !member.is_hidden).map(|member| member.name.to_string())
    }

    fn shape_of(&self, node: usize) -> Shape {
        let node = &self.nodes[node];
        match &node.kind {
            NodeKind::Field(codec) => Shape::Value(codec.kind(node.length.unwrap_or(0))),
            NodeKind::Group(group) => {
                let visible = group.members.iter().filter(|member| !member.is_hidden);
                Shape::Object(visible.map(|member| (member.name.to_string(), self.shape_of(member.node))).collect())
            }
            NodeKind::Table(table) => Shape::Array {
                element: Box::new(self.shape_of(table.element)),
                most: table.maximum,
                counter: table.slot.and_then(|slot| self.counter_name(slot)),
            },
        }
    }
}

/// An elementary item whose place is the same in every record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldPlace {
    pub offset: usize,
    pub length: usize,
    /// Its index in the layout.
    pub item: usize,
    /// Names of JSON members from the record down to it.
    pub members: Vec<String>,
    pub kind: ValueKind,
}

impl Converter {
    /// The first elementary item of a name, or of the end of a path, outside of tables and before items of variable length.
    pub fn field(&self, name: &str) -> Option<FieldPlace> {
        let upper = name.to_uppercase();
        let below = format!(".{upper}");
        let is_it = |path: &str| {
            let path = path.to_uppercase();
            path == upper || path.ends_with(&below)
        };
        self.field_in(self.root, 0, &is_it)
    }

    fn field_in(&self, group: usize, base: usize, is_it: &dyn Fn(&str) -> bool) -> Option<FieldPlace> {
        let NodeKind::Group(group) = &self.nodes[group].kind else { return None };
        let placed = group.members.iter().filter(|member| member.run == 0 || group.runs.is_empty());
        placed.filter(|member| !member.is_hidden).find_map(|member| {
            let node = &self.nodes[member.node];
            let offset = base + member.offset;
            let mut found = match &node.kind {
                NodeKind::Field(codec) if self.paths.get(node.item).is_some_and(|path| is_it(path)) => {
                    let length = node.length?;
                    FieldPlace { offset, length, item: node.item, members: Vec::new(), kind: codec.kind(length) }
                }
                NodeKind::Group(_) if node.length.is_some() => self.field_in(member.node, offset, is_it)?,
                _ => return None,
            };
            found.members.insert(0, member.name.to_string());
            Some(found)
        })
    }
}

impl Codec {
    pub(crate) fn kind(&self, bytes: usize) -> ValueKind {
        match self {
            Self::Text { .. } | Self::Utf8 { .. } | Self::Hexadecimal => ValueKind::Text,
            Self::Float { .. } | Self::ExternalFloat { .. } => ValueKind::Float,
            // As many digits as the bytes can have: all of them are read, whatever the PICTURE says.
            Self::Binary { scale, .. } => decimal(digits_of(bytes).max(scale.digits), scale.scale),
            Self::Zoned { scale, .. }
            | Self::WideZoned { scale, .. }
            | Self::Packed { scale }
            | Self::PackedUnsigned { scale }
            | Self::Edited { scale, .. } => decimal(scale.digits, scale.scale),
        }
    }
}

fn decimal(digits: u32, scale: i32) -> ValueKind {
    match u32::try_from(scale) {
        // PIC VPP9 has fewer digits than decimals.
        Ok(scale) => ValueKind::Decimal { precision: digits.max(scale), scale },
        Err(_) => ValueKind::Decimal { precision: digits + scale.unsigned_abs(), scale: 0 },
    }
}

/// Of the largest binary number in so many bytes.
fn digits_of(bytes: usize) -> u32 {
    match bytes {
        0 | 1 => 3,
        2 => 5,
        3 => 8,
        4 => 10,
        5 => 13,
        6 => 15,
        7 => 17,
        8 => 20,
        _ => 38,
    }
}
