//! The table as data: rows of the files of `table/`, in their order.
//!
//! Invariants
//! - A row that is not what it has to be ends the generator with a panic that names it: the files are part of the program.

const CONSTANTS: &str = include_str!("../table/constants.tsv");
const STRUCTURES: &str = include_str!("../table/structures.tsv");
const LENGTHS: &str = include_str!("../table/lengths.tsv");
const FUNCTIONS: &str = include_str!("../table/functions.tsv");

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Integer,
    /// One character, in quotes.
    Character,
    /// Characters padded to a fixed length.
    Text,
    /// Bytes as octal escapes.
    Bytes,
}

#[derive(Debug, Clone)]
pub struct Constant {
    pub name: &'static str,
    pub kind: Kind,
    /// As C writes it.
    pub value: &'static str,
    pub header: &'static str,
}

#[derive(Debug, Clone)]
pub struct Field {
    pub name: &'static str,
    /// Without the dimension of an array.
    pub type_name: &'static str,
    /// Of an array.
    pub count: Option<usize>,
    pub since: usize,
    /// On 64 and on 32 bits.
    pub offset: [usize; 2],
    pub size: [usize; 2],
    /// Empty when the structure has no initial values.
    pub initial: &'static str,
}

#[derive(Debug, Clone)]
pub struct Structure {
    pub name: &'static str,
    pub header: &'static str,
    pub fields: Vec<Field>,
    /// Version, and its length on 64 and on 32 bits.
    pub lengths: Vec<(usize, [usize; 2])>,
}

#[derive(Debug, Clone)]
pub struct Function {
    pub name: &'static str,
    /// As C declares them.
    pub parameters: &'static str,
    pub header: &'static str,
}

#[derive(Debug, Clone)]
pub struct Table {
    pub constants: Vec<Constant>,
    pub structures: Vec<Structure>,
    pub functions: Vec<Function>,
}

impl Default for Table {
    fn default() -> Self {
        Self::new()
    }
}

impl Table {
    /// # Panics
    /// A row of the table is malformed.
    pub fn new() -> Self {
        Self {
            constants: rows(CONSTANTS).map(|row| constant(&row)).collect(),
            structures: structures(),
            functions: rows(FUNCTIONS)
                .map(|row| Function { name: row[0], parameters: row[1], header: row[2] })
                .collect(),
        }
    }

    pub fn structure(&self, name: &str) -> Option<&Structure> {
        self.structures.iter().find(|structure| structure.name == name)
    }

    pub fn constant(&self, name: &str) -> Option<&Constant> {
        self.constants.iter().find(|constant| constant.name == name)
    }

    /// The constant's value where addresses have 32 bits: lengths of structures that hold addresses differ.
    pub fn value_on_32_bits(&self, constant: &Constant) -> Option<usize> {
        let (name, version) = match constant.name.split_once("_LENGTH_") {
            Some((name, version)) => (name, version.parse().ok()?),
            None => (constant.name.strip_suffix("_CURRENT_LENGTH")?, usize::MAX),
        };
        let structure = self.structure(if name == "MQCDC" { "MQCD" } else { name })?;
        let known = structure.lengths.iter().rfind(|(of, _)| *of == version || version == usize::MAX)?;
        (known.1[0].to_string() == constant.value && known.1[0] != known.1[1]).then_some(known.1[1])
    }
}

impl Constant {
    /// # Panics
    /// The value is not an integer of 32 bits.
    pub fn integer(&self) -> Option<i32> {
        (self.kind == Kind::Integer)
            .then(|| self.value.parse().unwrap_or_else(|_| panic!("{}: {} is no MQLONG", self.name, self.value)))
    }

    /// The bytes of a character, a text or bytes.
    pub fn bytes(&self) -> Vec<u8> {
        bytes(self.value)
    }
}

impl Structure {
    pub fn length(&self, width: usize) -> usize {
        self.lengths.last().map_or(0, |(_, length)| length[width])
    }

    /// Position of the version in bytes, where there is one.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

impl Field {
    pub fn is_pointer(&self) -> bool {
        self.type_name.starts_with('P') || matches!(self.type_name, "MQPTR" | "MQHCONFIG")
    }
}

/// The bytes of a C literal in single or double quotes.
pub(crate) fn bytes(literal: &str) -> Vec<u8> {
    let inner = literal.trim_matches(|c| c == '\'' || c == '"');
    let mut bytes = Vec::new();
    let mut rest = inner.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'\\' {
            let digits: Vec<u8> = rest.by_ref().take(3).collect();
            bytes.push(digits.iter().fold(0, |value: u8, digit| value.wrapping_mul(8).wrapping_add(digit - b'0')));
        } else {
            bytes.push(byte);
        }
    }
    bytes
}

fn rows(text: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    text.lines().skip(1).map(|line| line.split('\t').collect())
}

fn constant(row: &[&'static str]) -> Constant {
    let kind = match row[1] {
        "int" => Kind::Integer,
        "char" => Kind::Character,
        "string" => Kind::Text,
        "bytes" => Kind::Bytes,
        other => panic!("{}: {other} is no kind of constant", row[0]),
    };
    Constant { name: row[0], kind, value: row[2], header: row[3] }
}

fn structures() -> Vec<Structure> {
    let mut structures: Vec<Structure> = Vec::new();
    for row in rows(STRUCTURES) {
        if structures.last().is_none_or(|structure| structure.name != row[0]) {
            structures.push(Structure { name: row[0], header: row[9], fields: Vec::new(), lengths: lengths(row[0]) });
        }
        if let Some(structure) = structures.last_mut() {
            structure.fields.push(field(&row));
        }
    }
    structures
}

fn field(row: &[&'static str]) -> Field {
    let number =
        |at: usize| row[at].parse().unwrap_or_else(|_| panic!("{} {}: {} is no number", row[0], row[1], row[at]));
    let (type_name, count) = match row[2].split_once('[') {
        Some((name, count)) => (name, count.trim_end_matches(']').parse().ok()),
        None => (row[2], None),
    };
    Field {
        name: row[1],
        type_name,
        count,
        since: number(3),
        offset: [number(4), number(6)],
        size: [number(5), number(7)],
        initial: row[8],
    }
}

fn lengths(structure: &str) -> Vec<(usize, [usize; 2])> {
    let of = rows(LENGTHS).filter(|row| row[0] == structure);
    of.map(|row| {
        let number = |at: usize| row[at].parse().unwrap_or_else(|_| panic!("{structure}: {} is no number", row[at]));
        (number(1), [number(2), number(3)])
    })
    .collect()
}
