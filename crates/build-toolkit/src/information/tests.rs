//! Literals of API information.

use super::{Information, LAST_COLUMN, literal};
use crate::options::{Language, Level};

/// What a compiler makes of the lines.
fn compiled(lines: &[String]) -> String {
    let mut value = String::new();
    for (index, line) in lines.iter().enumerate() {
        let start = if index == 0 { line.find("VALUE ").expect("VALUE") + 7 } else { 12 };
        value.push_str(&line[start..]);
    }
    let value = value.trim_end_matches('.');
    let quote = &value[value.len() - 1..];
    value[..value.len() - 1].replace(&quote.repeat(2), quote)
}

#[test]
fn literals_of_every_length_and_with_quotes_keep_their_value() {
    for length in 0..255 {
        for value in ["x".repeat(length), "it's ".repeat(length / 5), "'\"".repeat(length / 4) + "x"] {
            let lines = (12..=14).rev().find_map(|indent| literal(indent, &value, true)).expect("some beginning does");
            assert!(lines.iter().all(|line| line.len() <= LAST_COLUMN), "{lines:?}");
            assert_eq!(compiled(&lines), value);
        }
    }
}

#[test]
fn the_path_is_encoded_from_level_4_3_on_and_has_to_fit() {
    let plain = Information::new("A_1", "/books/{isbn}", "GET", Level::V4_1).expect("fits");
    assert_eq!(plain.path, "/books/{isbn}");
    let encoded = Information::new("A_1", "/books/{isbn}", "GET", Level::V4_3).expect("fits");
    assert_eq!(encoded.path, "%2Fbooks%2F%7Bisbn%7D");
    assert!(Information::new("A_1", &"/a".repeat(128), "GET", Level::V4_1).is_err());
}

#[test]
fn lengths_are_counted_in_the_code_page_of_the_member() {
    let information = Information::new("Zürich_1", "/a", "GET", Level::V4_1).expect("fits");
    assert!(information.member(Language::Cobol, 1208).contains("VALUE 9."));
    assert!(information.member(Language::Cobol, 37).contains("VALUE 8."));
}
