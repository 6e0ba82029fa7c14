//! JSON names of COBOL names: in the style asked for, and unique within an object.

use std::collections::HashSet;

use crate::options::NameStyle;

/// `name` in a style.
///
/// Source of `Assistant`: CICS documentation of DFHLS2JS; of `Underscore`: interfaces that the API toolkit writes.
pub(crate) fn styled(name: &str, style: NameStyle) -> String {
    match style {
        NameStyle::Cobol => name.to_owned(),
        NameStyle::Underscore => name.replace('-', "_"),
        NameStyle::Assistant => {
            let segments: Vec<String> = name.split('-').map(lowered).collect();
            let joined = segments.join("_");
            if joined.starts_with(|first: char| first.is_ascii_digit()) { format!("_{joined}") } else { joined }
        }
    }
}

fn lowered(segment: &str) -> String {
    if segment.chars().any(char::is_lowercase) { segment.to_owned() } else { segment.to_lowercase() }
}

/// The name, with the smallest number behind it that no other member of the object has.
pub(crate) fn unique(name: String, taken: &mut HashSet<String>) -> String {
    if taken.insert(name.clone()) {
        return name;
    }
    let mut number = 1u32;
    loop {
        let numbered = format!("{name}{number}");
        if taken.insert(numbered.clone()) {
            return numbered;
        }
        number += 1;
    }
}
