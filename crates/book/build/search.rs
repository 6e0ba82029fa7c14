//! The search index: what `assets/book.js` looks through.

use serde_json::{Value, json};

use crate::page::{Page, address};

/// Of these pages the search finds headings and rows by their keys alone: they are long, and about the inside.
const INSIDE: [&str; 3] = ["ARCHITECTURE.md", "performance.md", "testing.md"];

/// `pages` are under their titles in the contents, which are short.
///
/// Pages as `[address, title]`, and finds as `[page, anchor, heading, key, text]`; the key of a section is empty.
pub(crate) fn index(pages: &[(&str, Page)]) -> String {
    let names: Vec<Value> = pages.iter().map(|(title, page)| json!([address(&page.file), title])).collect();
    let finds: Vec<Value> = pages
        .iter()
        .enumerate()
        .flat_map(|(number, (_, page))| page.finds.iter().map(move |find| (number, find)))
        .map(|(number, find)| {
            let text = if INSIDE.contains(&pages[number].1.file.as_str()) { "" } else { find.text.as_str() };
            json!([number, find.anchor, find.heading, find.key.as_deref().unwrap_or(""), text])
        })
        .collect();
    json!({ "pages": names, "finds": finds }).to_string()
}
