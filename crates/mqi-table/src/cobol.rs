//! COBOL copybooks: constants, and each structure with and without initial values.
//!
//! Numbers are COMP-5: native under every option of a compiler. Addresses stand where a C compiler puts them; the bytes that it
//! skips are FILLER, for GnuCOBOL aligns nothing by itself. Levels and names follow the published convention: 10 for a
//! structure, 15 for its fields, 20 within; capitals, and a hyphen for an underscore.

use std::fmt::Write as _;

use crate::table::{Constant, Field, Kind, Structure, Table, bytes};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Width {
    Bits64,
    Bits32,
}

impl Width {
    fn index(self) -> usize {
        match self {
            Self::Bits64 => 0,
            Self::Bits32 => 1,
        }
    }
}

const NOTICE: &str = "      * Generated; do not edit.\n";
/// Copybooks of constants, and the header whose constants each has.
const CONSTANTS: [(&str, &[&str]); 4] = [
    ("CMQV", &["cmqc.h"]),
    ("CMQCFV", &["cmqcfc.h", "cmqbc.h"]),
    ("CMQXV", &["cmqxc.h", "cmqec.h", "cmqzc.h"]),
    ("CMQPSV", &["cmqpsc.h"]),
];
/// Copybooks whose names are not made of the structure's.
const IRREGULAR: [(&str, &str); 3] = [("MQCHARV", "CMQCHRV"), ("MQCFIL64", "CMQCFXL"), ("MQCFIN64", "CMQCFXN")];
/// Most characters of a COBOL name.
const LONGEST_NAME: usize = 30;

/// Names without ending, and texts.
pub(crate) fn copybooks(table: &Table, width: Width) -> Vec<(String, String)> {
    let mut books = Vec::new();
    for (name, headers) in CONSTANTS {
        let of = table.constants.iter().filter(|constant| headers.contains(&constant.header));
        let lines: String = of.map(|each| constant(table, each, width)).collect();
        books.push((name.to_owned(), format!("{NOTICE}{lines}")));
    }
    for structure in
        table.structures.iter().filter(|structure| matches!(structure.header, "cmqc.h" | "cmqcfc.h" | "cmqxc.h"))
    {
        let irregular =
            IRREGULAR.iter().find(|(known, _)| *known == structure.name).map(|(_, book)| (*book).to_owned());
        let stem = irregular.unwrap_or_else(|| format!("C{}", &structure.name));
        for (ending, with_values) in [("V", true), ("L", false)] {
            let mut writer = Writer { table, width, with_values, out: NOTICE.to_owned() };
            writer.structure(structure);
            books.push((format!("{stem}{ending}"), writer.out));
        }
    }
    books
}

fn constant(table: &Table, constant: &Constant, width: Width) -> String {
    let name = cobol_name(constant.name);
    let (picture, value) = match constant.kind {
        Kind::Integer => {
            let narrow = table.value_on_32_bits(constant).filter(|_| width == Width::Bits32);
            let value = narrow.map_or_else(|| constant.value.to_owned(), |value| value.to_string());
            ("S9(9) COMP-5".to_owned(), value)
        }
        _ => {
            let bytes = constant.bytes();
            (format!("X({})", bytes.len()), literal(&bytes))
        }
    };
    item(10, &name, &picture, Some(&value))
}

struct Writer<'a> {
    table: &'a Table,
    width: Width,
    with_values: bool,
    out: String,
}

impl Writer<'_> {
    fn structure(&mut self, structure: &Structure) {
        let _ = writeln!(self.out, "       10  {}.", structure.name);
        self.fields(structure, &cobol_name(structure.name), 15, true);
    }

    fn fields(&mut self, structure: &Structure, prefix: &str, level: usize, with_values: bool) {
        let width = self.width.index();
        let mut at = 0;
        for field in &structure.fields {
            self.gap(level, field.offset[width] - at);
            at = field.offset[width] + field.size[width];
            self.field(structure, field, prefix, level, with_values);
        }
        self.gap(level, structure.length(width) - at);
    }

    fn gap(&mut self, level: usize, bytes: usize) {
        if bytes > 0 {
            self.out.push_str(&item(level, "FILLER", &format!("X({bytes})"), self.with_values.then_some("LOW-VALUES")));
        }
    }

    fn field(&mut self, structure: &Structure, field: &Field, prefix: &str, level: usize, with_values: bool) {
        let name = cobol_name(&format!("{prefix}-{}", field.name.to_uppercase()));
        if let Some(inner) = self.table.structure(field.type_name) {
            let _ = writeln!(self.out, "{:width$}{level}  {name}.", "", width = indent(level));
            return self.fields(inner, &name, level + 5, with_values);
        }
        let size = field.size[self.width.index()];
        let is_text = field.type_name.starts_with("MQCHAR");
        let is_bytes = field.type_name.starts_with("MQBYTE") && field.type_name != "MQBYTE" || is_text;
        let picture = if field.is_pointer() {
            None
        } else if is_bytes || field.type_name == "MQBYTE" {
            Some(format!("X({size})"))
        } else if size / field.count.unwrap_or(1) == 8 {
            Some("S9(18) COMP-5".to_owned())
        } else {
            Some("S9(9) COMP-5".to_owned())
        };
        let occurs = field.count.filter(|_| !is_bytes && field.type_name != "MQBYTE");
        let value = self.value(structure, field).filter(|_| self.with_values && with_values);
        let Some(picture) = picture else {
            // SET … TO ENTRY wants the address of a program.
            let kind = if field.name == "CallbackFunction" { "PROCEDURE-POINTER" } else { "POINTER" };
            let value = if value.is_some() { " VALUE NULL" } else { "" };
            let _ = writeln!(
                self.out,
                "{:width$}{level}  {name}\n                {kind}{value}.",
                "",
                width = indent(level)
            );
            return;
        };
        match occurs {
            None => self.out.push_str(&item(level, &name, &picture, value.as_deref())),
            Some(count) => {
                let first = value.as_deref().and_then(|list| list.split(',').next().map(str::to_owned));
                self.out.push_str(&item(level, &name, &format!("{picture} OCCURS {count}"), first.as_deref()));
            }
        }
    }

    fn value(&self, structure: &Structure, field: &Field) -> Option<String> {
        let text = |bytes: Vec<u8>| {
            let mut bytes = bytes;
            bytes.resize(field.size[0].max(bytes.len()), b' ');
            literal(&bytes)
        };
        let is_text = field.type_name.starts_with("MQCHAR");
        match field.initial {
            "" => None,
            "\"\"" => Some("SPACES".to_owned()),
            quoted if quoted.starts_with('\'') => Some(text(bytes(quoted))),
            "0" if is_text || field.type_name.starts_with("MQBYTE") => Some("LOW-VALUES".to_owned()),
            number if number.starts_with("MQ") => {
                let constant = self.table.constant(number);
                let constant = constant.unwrap_or_else(|| panic!("{}: {number} is not in the table", structure.name));
                let narrow = self.table.value_on_32_bits(constant).filter(|_| self.width == Width::Bits32);
                Some(narrow.map_or_else(|| constant.value.to_owned(), |value| value.to_string()))
            }
            number => Some(number.to_owned()),
        }
    }
}

fn indent(level: usize) -> usize {
    if level <= 10 { 7 } else { 8 + (level - 15) / 5 }
}

/// One item on two lines, so that no line passes column 72.
fn item(level: usize, name: &str, picture: &str, value: Option<&str>) -> String {
    let mut out = format!("{:width$}{level}  {name}\n                PIC {picture}", "", width = indent(level));
    if let Some(value) = value {
        for piece in value_lines(value) {
            out.push_str(&piece);
        }
    }
    out.push_str(".\n");
    out
}

/// A literal longer than a line is continued as the reference format wants it.
fn value_lines(value: &str) -> Vec<String> {
    const FIRST: usize = 72 - 23;
    if value.len() <= FIRST {
        return vec![format!("\n                 VALUE {value}")];
    }
    // Only long texts of blanks or NULs reach this length.
    let is_blank = value.trim_matches('\'').chars().all(|c| c == ' ');
    vec![format!("\n                 VALUE {}", if is_blank { "SPACES" } else { "LOW-VALUES" })]
}

fn literal(bytes: &[u8]) -> String {
    if bytes.iter().all(|&byte| byte == 0) {
        return "LOW-VALUES".to_owned();
    }
    if bytes.iter().all(|byte| (b' '..0x7F).contains(byte) && *byte != b'\'') {
        return format!("'{}'", String::from_utf8_lossy(bytes));
    }
    let digits: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    format!("X'{digits}'")
}

fn cobol_name(name: &str) -> String {
    let name = name.replace('_', "-");
    assert!(name.len() <= LONGEST_NAME || name.contains("-VS"), "{name} is too long for COBOL");
    name
}
