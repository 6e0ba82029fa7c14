//! Text between sets: substitution, line ends, byte order, malformed input.

use codepage::{ByteOrder, CharacterSet, CodepageError, convert, decode, encode};
use proptest::prelude::*;

fn set(ccsid: u32) -> CharacterSet {
    CharacterSet::of(ccsid, ByteOrder::Big).expect("known")
}

fn converted(from: u32, to: u32, bytes: &[u8]) -> (Vec<u8>, usize) {
    let converted = convert(set(from), set(to), bytes).expect("well formed");
    (converted.bytes.into_owned(), converted.substitutions)
}

#[test]
fn hello_in_ebcdic_is_hello_in_utf_8() {
    assert_eq!(converted(37, 1208, b"\xC8\x85\x93\x93\x96\x5A"), (b"Hello!".to_vec(), 0));
    assert_eq!(converted(1208, 500, "Grüße".as_bytes()), (b"\xC7\x99\xDC\x59\x85".to_vec(), 0));
}

#[test]
fn ebcdic_new_line_becomes_line_feed_outside_ebcdic_only() {
    assert_eq!(converted(1047, 819, b"\xC1\x15\xC2\x25"), (b"A\nB\n".to_vec(), 0));
    assert_eq!(converted(1047, 1208, b"\xC1\x15"), (b"A\n".to_vec(), 0));
    assert_eq!(converted(1047, 1200, b"\xC1\x15"), (b"\0A\0\n".to_vec(), 0));
    assert_eq!(converted(1047, 37, b"\xC1\x15\x25"), (b"\xC1\x15\x25".to_vec(), 0));
    assert_eq!(converted(819, 1047, b"A\n\x85"), (b"\xC1\x25\x15".to_vec(), 0));
}

#[test]
fn a_character_without_counterpart_is_substituted_and_counted() {
    assert_eq!(converted(1208, 37, "a€漢".as_bytes()), (b"\x81\x3F\x3F".to_vec(), 2));
    assert_eq!(converted(1208, 819, "€!".as_bytes()), (b"\x1A!".to_vec(), 1));
    assert_eq!(converted(1208, 923, "€!".as_bytes()), (b"\xA4!".to_vec(), 0));
}

#[test]
fn ascii_between_ascii_sets_is_not_copied() {
    for (from, to) in [(819, 1208), (1208, 437), (850, 1252), (1208, 1208)] {
        let converted = convert(set(from), set(to), b"plain").expect("well formed");
        assert!(matches!(converted.bytes, std::borrow::Cow::Borrowed(_)), "{from} to {to}");
    }
}

#[test]
fn utf_16_follows_the_stated_order_and_keeps_surrogate_pairs() {
    let little = CharacterSet::of(1200, ByteOrder::Little).expect("known");
    let bytes = convert(set(1208), little, "a𝄞".as_bytes()).expect("well formed").bytes.into_owned();
    assert_eq!(bytes, b"a\0\x34\xD8\x1E\xDD");
    let mut text = String::new();
    little.decode(&bytes, &mut text).expect("well formed");
    assert_eq!(text, "a𝄞");
    assert_eq!(converted(1200, 1202, b"\0a"), (b"a\0".to_vec(), 0));
}

#[test]
fn malformed_input_is_an_error_with_its_offset() {
    let at = |ccsid, bytes: &[u8]| match decode(ccsid, bytes, &mut String::new()) {
        Err(CodepageError::Malformed(malformed)) => malformed.offset,
        other => panic!("{other:?}"),
    };
    assert_eq!(at(1208, b"ab\xFF"), 2);
    assert_eq!(at(1208, b"ab\xE2\x82"), 2);
    assert_eq!(at(1200, b"\0a\0"), 2);
    assert_eq!(at(1200, b"\0a\xDC\0"), 2);
    assert_eq!(at(1200, b"\0a\xD8\0\0b"), 2);
    assert_eq!(decode(9999, b"", &mut String::new()), Err(CodepageError::UnknownCcsid { ccsid: 9999 }));
}

#[test]
fn an_undefined_byte_is_counted_and_substituted() {
    let mut text = String::new();
    assert_eq!(decode(1253, b"\xD2", &mut text), Ok(1));
    assert_eq!(text, "\u{FFFD}");
    assert_eq!(converted(1253, 819, b"\xD2"), (b"\x1A".to_vec(), 1));
}

proptest! {
    #[test]
    fn unicode_sets_hold_every_text(text in ".{0,64}") {
        for ccsid in [1208, 1200, 1202] {
            let (mut bytes, mut back) = (Vec::new(), String::new());
            prop_assert_eq!(encode(ccsid, &text, &mut bytes), Ok(0));
            decode(ccsid, &bytes, &mut back).expect("what encode wrote is well formed");
            prop_assert_eq!(&back, &text);
        }
    }

    #[test]
    fn single_bytes_through_unicode_come_back(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
        for ccsid in [37, 1047, 1140, 819, 437, 1252, 924] {
            let (mut text, mut back) = (String::new(), Vec::new());
            prop_assert_eq!(decode(ccsid, &bytes, &mut text), Ok(0));
            prop_assert_eq!(encode(ccsid, &text, &mut back), Ok(0));
            prop_assert_eq!(&back, &bytes);
        }
    }

    #[test]
    fn anything_is_answered(ccsid in 0u32..1300, bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
        let _ = decode(ccsid, &bytes, &mut String::new());
    }
}
