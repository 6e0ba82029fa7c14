//! A copybook as written: data items in a tree, with their clauses; nothing is placed yet.

use std::collections::BTreeSet;

use crate::error::Place;
use crate::picture::Picture;

/// All entries of a text.
#[derive(Debug, Clone)]
pub struct Copybook {
    /// Level-01 entries. Entries that stand under no level 01, as in a text meant to be copied below one, are the children
    /// of one record without a name.
    pub records: Vec<DataItem>,
    /// Level-77 entries.
    pub standalone: Vec<DataItem>,
    /// Level-66 entries.
    pub renames: Vec<Renames>,
    /// In upper case.
    pub(crate) constants_and_indexes: Vec<String>,
    pub(crate) members: Vec<String>,
}

impl Copybook {
    /// Every name that a program with this copybook has, in upper case: of items, conditions, constants and indexes.
    pub fn names(&self) -> BTreeSet<String> {
        let mut names: BTreeSet<String> = self.constants_and_indexes.iter().cloned().collect();
        names.extend(self.renames.iter().map(|renames| renames.name.to_uppercase()));
        self.records.iter().chain(&self.standalone).for_each(|item| item.add_names(&mut names));
        names
    }
}

/// One data description entry.
#[derive(Debug, Clone)]
pub struct DataItem {
    /// 1 to 49 or 77; 0 for the record that is not written.
    pub level: u8,
    /// `None` is FILLER.
    pub name: Option<String>,
    pub picture: Option<Picture>,
    /// Own, or taken over from the group.
    pub usage: Usage,
    pub sign: Option<SignClause>,
    pub synchronized: bool,
    pub justified: bool,
    /// GROUP-USAGE: National or Utf8, which a group's VALUE is text of.
    pub group_usage: Option<Usage>,
    pub blank_when_zero: bool,
    /// BYTE-LENGTH of a PIC U item.
    pub byte_length: Option<u32>,
    pub occurs: Option<Occurs>,
    pub redefines: Option<String>,
    pub value: Option<Value>,
    /// Level-88 entries.
    pub conditions: Vec<Condition>,
    pub children: Vec<DataItem>,
    /// Of this entry itself.
    pub(crate) written_usage: Option<Usage>,
    pub(crate) place: Place,
}

impl DataItem {
    /// The name, or FILLER.
    pub fn spoken_name(&self) -> &str {
        self.name.as_deref().unwrap_or("FILLER")
    }

    pub fn is_group(&self) -> bool {
        !self.children.is_empty()
    }

    fn add_names(&self, names: &mut BTreeSet<String>) {
        names.extend(self.name.iter().map(|name| name.to_uppercase()));
        names.extend(self.conditions.iter().map(|condition| condition.name.to_uppercase()));
        self.children.iter().for_each(|child| child.add_names(names));
    }
}

/// How an item is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Usage {
    Display,
    /// Double-byte characters.
    Display1,
    National,
    /// PIC U.
    Utf8,
    /// COMP, COMP-4, BINARY.
    Binary,
    /// COMP-5.
    Native,
    /// COMP-X: high byte first, as many bytes as the digits need.
    CompX,
    /// COMP-N: COMP-X in the byte order of the machine.
    CompN,
    /// BINARY-CHAR, -SHORT, -LONG, -DOUBLE.
    Sized {
        bytes: u8,
        signed: bool,
    },
    /// COMP-3, PACKED-DECIMAL.
    Packed,
    /// COMP-6: packed without a sign nibble.
    PackedUnsigned,
    /// COMP-1.
    Float,
    /// COMP-2.
    Double,
    Pointer,
    FunctionPointer,
    ProcedurePointer,
    Index,
}

impl Usage {
    /// The usual short spelling.
    pub fn spelled(self) -> &'static str {
        match self {
            Self::Display => "DISPLAY",
            Self::Display1 => "DISPLAY-1",
            Self::National => "NATIONAL",
            Self::Utf8 => "UTF-8",
            Self::Binary => "COMP",
            Self::Native => "COMP-5",
            Self::CompX => "COMP-X",
            Self::CompN => "COMP-N",
            Self::Sized { bytes: 1, .. } => "BINARY-CHAR",
            Self::Sized { bytes: 2, .. } => "BINARY-SHORT",
            Self::Sized { bytes: 4, .. } => "BINARY-LONG",
            Self::Sized { .. } => "BINARY-DOUBLE",
            Self::Packed => "COMP-3",
            Self::PackedUnsigned => "COMP-6",
            Self::Float => "COMP-1",
            Self::Double => "COMP-2",
            Self::Pointer => "POINTER",
            Self::FunctionPointer => "FUNCTION-POINTER",
            Self::ProcedurePointer => "PROCEDURE-POINTER",
            Self::Index => "INDEX",
        }
    }

    /// Whether an item of this usage has no PICTURE.
    pub(crate) fn stands_alone(self) -> bool {
        match self {
            Self::Sized { .. }
            | Self::Float
            | Self::Double
            | Self::Pointer
            | Self::FunctionPointer
            | Self::ProcedurePointer
            | Self::Index => true,
            Self::Display
            | Self::Display1
            | Self::National
            | Self::Utf8
            | Self::Binary
            | Self::Native
            | Self::CompX
            | Self::CompN
            | Self::Packed
            | Self::PackedUnsigned => false,
        }
    }
}

/// SIGN IS LEADING or TRAILING, SEPARATE CHARACTER.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignClause {
    pub leading: bool,
    pub separate: bool,
}

/// OCCURS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurs {
    pub minimum: u32,
    pub maximum: u32,
    /// DEPENDING ON: the name and its qualifiers, innermost first.
    pub depending_on: Option<Vec<String>>,
}

/// A literal of VALUE.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Literal {
    /// As written, with sign and decimal point.
    Number(String),
    Text(String),
    /// X'...': bytes that no code page touches.
    Bytes(Vec<u8>),
    Space,
    Zero,
    HighValue,
    LowValue,
    Quote,
    Null,
    /// ALL and a literal.
    All(Box<Literal>),
}

/// As a copybook has it.
impl std::fmt::Display for Literal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => f.write_str(number),
            Self::Text(text) => write!(f, "'{}'", text.replace('\'', "''")),
            Self::Bytes(bytes) => {
                f.write_str("X'")?;
                bytes.iter().try_for_each(|byte| write!(f, "{byte:02X}"))?;
                f.write_str("'")
            }
            Self::Space => f.write_str("SPACE"),
            Self::Zero => f.write_str("ZERO"),
            Self::HighValue => f.write_str("HIGH-VALUE"),
            Self::LowValue => f.write_str("LOW-VALUE"),
            Self::Quote => f.write_str("QUOTE"),
            Self::Null => f.write_str("NULL"),
            Self::All(literal) => write!(f, "ALL {literal}"),
        }
    }
}

/// VALUE of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    pub literal: Literal,
    pub(crate) place: Place,
}

/// A level-88 entry: a name for some values of the item above.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    pub name: String,
    /// A value, or a range THROUGH a second one.
    pub values: Vec<(Literal, Option<Literal>)>,
}

/// A level-66 entry: another name for a stretch of the record. It changes nothing in the record's bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renames {
    pub name: String,
    pub from: String,
    pub through: Option<String>,
    pub(crate) place: Place,
}
