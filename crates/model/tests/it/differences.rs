//! `docs/differences.md` ends with its index: each reason code and each attribute that a row names, with the sections of those rows.
//!
//! The index is made of the page itself: `QUAYMASTER_UPDATE_DOCS=1 cargo test -p model`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use model::definition::attribute::{Attribute, Kind, Membership};
use model::reason::Reason;

const INDEX: &str = "\n## Index by reason code\n";
/// Shorter keywords are words of other languages too, such as GET of HTTP.
const SHORTEST_KEYWORD: usize = 5;

/// A row of a table, below its section.
struct Row<'a> {
    section: &'a str,
    subject: &'a str,
    text: &'a str,
}

fn rows(page: &str) -> Vec<Row<'_>> {
    let mut section = "";
    let mut rows = Vec::new();
    for line in page.lines() {
        if let Some(title) = line.strip_prefix("### ").or_else(|| line.strip_prefix("## ")) {
            section = title;
        } else if let Some(cells) = line.strip_prefix("| ")
            && !cells.starts_with("Subject |")
        {
            rows.push(Row { section, subject: cells.split(" | ").next().unwrap_or_default(), text: cells });
        }
    }
    rows
}

/// Runs of letters and digits.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty())
}

fn reason(word: &str) -> Option<Reason> {
    let number: i32 = word.parse().ok().filter(|_| word.len() == 4)?;
    Reason::from_number(number).filter(|reason| *reason != Reason::None)
}

fn keywords() -> BTreeSet<&'static str> {
    let rows = Kind::ALL.into_iter().flat_map(|kind| Membership::Member.of(kind));
    rows.flat_map(Attribute::keywords).filter(|keyword| keyword.len() >= SHORTEST_KEYWORD).collect()
}

/// As GitHub and the book make it.
fn anchor(title: &str) -> String {
    let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ' '));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Sections in the order of the page, each with the subjects of its rows.
fn places(rows: &[&Row<'_>]) -> String {
    let mut sections: Vec<(&str, Vec<&str>)> = Vec::new();
    for row in rows {
        match sections.last_mut() {
            Some((section, subjects)) if *section == row.section => subjects.push(row.subject),
            _ => sections.push((row.section, vec![row.subject])),
        }
    }
    let shown = sections
        .iter()
        .map(|(section, subjects)| format!("[{section}](#{}): {}", anchor(section), subjects.join("; ")));
    shown.collect::<Vec<_>>().join(" · ")
}

fn index(page: &str) -> String {
    let rows = rows(page);
    let mut reasons: BTreeMap<Reason, Vec<&Row<'_>>> = BTreeMap::new();
    let mut attributes: BTreeMap<&str, Vec<&Row<'_>>> = BTreeMap::new();
    let keywords = keywords();
    for row in &rows {
        let named: BTreeSet<&str> = words(row.text).collect();
        for word in named {
            if let Some(reason) = reason(word) {
                reasons.entry(reason).or_default().push(row);
            }
            if keywords.contains(word) {
                attributes.entry(word).or_default().push(row);
            }
        }
    }
    let mut made = format!("{INDEX}\n| Reason | Name | Rows |\n|---|---|---|\n");
    for (reason, rows) in reasons {
        let _ = writeln!(made, "| {} | `{}` | {} |", reason.number(), reason.name(), places(&rows));
    }
    made.push_str("\n## Index by attribute\n\n| Attribute | Rows |\n|---|---|\n");
    for (attribute, rows) in attributes {
        let _ = writeln!(made, "| `{attribute}` | {} |", places(&rows));
    }
    made
}

#[test]
#[expect(clippy::disallowed_methods, reason = "writes the page into the source tree when asked to")]
fn the_page_of_differences_ends_with_an_index_of_its_reason_codes_and_attributes() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/differences.md");
    let page = std::fs::read_to_string(path).expect("docs/differences.md is there");
    let own = page.split_once(INDEX).map_or(page.as_str(), |(own, _)| own);
    let fresh = format!("{own}{}", index(own));
    if std::env::var_os("QUAYMASTER_UPDATE_DOCS").is_some() {
        std::fs::write(path, &fresh).expect("the page is written");
    }
    for known in ["| 2053 | `MQRC_Q_FULL` |", "| `MAXDEPTH` |"] {
        assert!(fresh.contains(known), "{known}");
    }
    assert!(page == fresh, "the index of docs/differences.md is stale: QUAYMASTER_UPDATE_DOCS=1 cargo test -p model");
}
