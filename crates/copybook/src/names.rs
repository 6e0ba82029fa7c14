//! JSON names of COBOL names: in the style asked for, and unique within an object.

use std::collections::{HashMap, HashSet};

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

/// The names of an object's members.
#[derive(Default)]
pub(crate) struct Names {
    taken: HashSet<String>,
    /// For names that came more than once, the first number that may be free.
    next: HashMap<String, u32>,
}

impl Names {
    /// The name, with the smallest number behind it that no other member of the object has.
    pub(crate) fn unique(&mut self, name: String) -> String {
        if self.taken.insert(name.clone()) {
            return name;
        }
        // Names are never given back, so that smaller numbers stay taken.
        let number = self.next.entry(name.clone()).or_insert(1);
        loop {
            let numbered = format!("{name}{number}");
            *number += 1;
            if self.taken.insert(numbered.clone()) {
                return numbered;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn a_name_that_is_taken_gets_the_smallest_free_number() {
        let mut names = Names::default();
        let given = ["A", "A2", "A", "A", "A1", "A2", "A", "A1"].map(|name| names.unique(name.to_owned()));
        assert_eq!(given, ["A", "A2", "A1", "A3", "A11", "A21", "A4", "A12"]);
    }
}
