//! What the documents say of each list.

use std::fmt::Write as _;

use super::{Column, Kind, List};

const DOCUMENT: &str = include_str!("../../../../docs/console-api.md");

fn values(column: &Column) -> String {
    match column.kind {
        Kind::Text => "text".to_owned(),
        Kind::Word(words) => words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", "),
        Kind::Number => "number".to_owned(),
        Kind::Tenths => "number, one decimal".to_owned(),
        Kind::Moment => "moment".to_owned(),
        Kind::Truth => "true or false".to_owned(),
    }
}

/// As the document has it, in order of names.
fn table(list: List) -> String {
    let mut columns: Vec<_> = list.columns().iter().collect();
    columns.sort_by_key(|column| column.name);
    let mut table = "| Column | Values | Meaning |\n|---|---|---|\n".to_owned();
    for column in columns {
        let mark = if column.is_usual { "" } else { " *" };
        writeln!(table, "| `{}`{mark} | {} | {} |", column.name, values(column), column.help).expect("memory");
    }
    table
}

#[test]
fn the_document_has_every_column_of_every_list() {
    let missing: Vec<_> = List::ALL.map(table).into_iter().filter(|table| !DOCUMENT.contains(table.as_str())).collect();
    assert!(missing.is_empty(), "docs/console-api.md lacks these tables:\n{}", missing.join("\n"));
}

#[test]
fn the_document_names_the_columns_that_search_looks_into() {
    for list in List::ALL {
        let searched: Vec<_> = list.columns().iter().filter(|column| column.is_searched).collect();
        let names: Vec<_> = searched.iter().map(|column| format!("`{}`", column.name)).collect();
        let sentence = format!("`search` looks into {}.", names.join(", "));
        assert!(DOCUMENT.contains(&sentence), "{list:?}: {sentence}");
    }
}
