//! Every table against the `iconv` of this machine, and against itself.

use codepage::{decode, encode, is_known};

#[path = "../../examples/generate_tables/iconv.rs"]
mod iconv;

fn characters(ccsid: u32) -> Vec<char> {
    let mut text = String::new();
    let all: Vec<u8> = (0..=255).collect();
    decode(ccsid, &all, &mut text).expect("a table decodes every byte");
    text.chars().collect()
}

/// Where there is no `iconv`, or one that lacks a page, the pages it has not are not compared.
#[test]
fn every_table_is_what_iconv_says() {
    for (ccsid, name) in iconv::SOURCES {
        let Some(expected) = iconv::table(name) else { continue };
        let expected: Vec<char> =
            expected.iter().map(|&unit| char::from_u32(u32::from(unit)).unwrap_or('\u{FFFD}')).collect();
        assert_eq!(characters(ccsid), expected, "CCSID {ccsid} against {name}");
    }
}

#[test]
fn every_byte_with_a_character_survives_the_round_trip() {
    for (ccsid, _) in iconv::SOURCES {
        for (byte, character) in (0..=255u8).zip(characters(ccsid)) {
            let mut back = Vec::new();
            let substituted = encode(ccsid, &character.to_string(), &mut back).expect("known");
            if character == '\u{FFFD}' {
                assert_eq!(substituted, 1, "CCSID {ccsid} byte {byte:#04x} has no character");
            } else {
                assert_eq!((substituted, &*back), (0, &[byte][..]), "CCSID {ccsid} {character:?}");
            }
        }
    }
}

#[test]
fn the_sets_of_the_contract_are_known() {
    let must = [37, 273, 277, 278, 280, 284, 285, 297, 437, 500, 871, 924, 1026, 1047, 819, 850, 923, 1208, 1200, 1252];
    for ccsid in must.into_iter().chain(1140..=1149) {
        assert!(is_known(ccsid), "CCSID {ccsid}");
    }
    for ccsid in [0, 1, 1399, 65535, u32::MAX] {
        assert!(!is_known(ccsid), "CCSID {ccsid}");
    }
}

/// The euro replaces the currency sign, and 924 has it where 1047 has the currency sign.
#[test]
fn euro_pages_differ_from_their_parents_in_the_euro() {
    for (parent, child) in [(37, 1140), (273, 1141), (277, 1142), (500, 1148), (871, 1149)] {
        let differences: Vec<_> =
            characters(parent).into_iter().zip(characters(child)).filter(|(one, two)| one != two).collect();
        assert_eq!(differences, [('¤', '€')], "{parent} and {child}");
    }
    assert_eq!((characters(1047)[0x9F], characters(924)[0x9F]), ('¤', '€'));
    let latin_9: Vec<char> = characters(924).into_iter().filter(|c| !c.is_ascii() && *c > '\u{FF}').collect();
    assert_eq!(latin_9.len(), 8, "{latin_9:?}");
}

#[test]
fn euro_replaces_dotless_i_in_858() {
    assert_eq!((characters(850)[0xD5], characters(858)[0xD5]), ('ı', '€'));
}
