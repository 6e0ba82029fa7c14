use proptest::prelude::*;

use super::{entry, lines, parse, parse_text};

fn one(line: &[u8]) -> (String, String) {
    parse(line).into_iter().next().expect("one entry")
}

fn pair(key: &str, value: &str) -> (String, String) {
    (key.to_owned(), value.to_owned())
}

#[test]
fn separators_are_equals_colon_and_blank() {
    assert_eq!(one(b"a=b"), pair("a", "b"));
    assert_eq!(one(b"  a : b"), pair("a", "b"));
    assert_eq!(one(b"a b=c"), pair("a", "b=c"));
    assert_eq!(one(b"alone"), pair("alone", ""));
}

#[test]
fn escaped_separators_belong_to_the_key() {
    assert_eq!(one(b"a\\=b\\:c=d\\=\\="), pair("a=b:c", "d=="));
}

#[test]
fn a_backslash_at_the_end_continues_the_line() {
    assert_eq!(one(b"a=b\\\n   c\\\n d"), pair("a", "bcd"));
    assert_eq!(one(b"a=b\\\\\nc=d"), pair("a", "b\\"));
}

#[test]
fn comments_and_blank_lines_are_nothing() {
    assert_eq!(parse(b"#a=b\n  ! c=d\n\n \t\n").len(), 0);
}

#[test]
fn unicode_escapes_and_latin_1_bytes_are_characters() {
    assert_eq!(one(b"a=\\u017e\\u00f6 \xe9"), pair("a", "\u{17e}\u{f6} \u{e9}"));
    assert_eq!(one(b"a=\\ud83d\\ude00"), pair("a", "\u{1f600}"));
}

#[test]
fn blanks_in_keys_and_before_values_are_kept() {
    assert_eq!(one(entry("  a b", " c d ").as_bytes()), pair("  a b", " c d "));
}

proptest! {
    #[test]
    fn reading_undoes_writing(key in "\\PC{1,20}", value in "[\\PC\t\n\r]{0,40}") {
        prop_assert_eq!(one(entry(&key, &value).as_bytes()), (key, value));
    }

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        parse(&bytes);
    }
}

#[test]
fn entries_of_files_with_any_line_ends_continue_and_know_their_lines() {
    for end in ["\n", "\r\n", "\r"] {
        let text = ["# one", "", "a = 1 \\", "   2", "b=x", "a=3"].join(end);
        let entries = parse_text(&text);
        assert_eq!((entries["a"].as_str(), entries["b"].as_str()), ("3", "x"), "{end:?}");
        assert_eq!(parse_text(&text[..text.len() - 3])["a"], "1 2", "{end:?}");
        let lines: Vec<(String, usize)> = lines(&text).into_iter().collect();
        assert_eq!(lines, [("a".to_owned(), 6), ("b".to_owned(), 5)], "{end:?}");
    }
}
