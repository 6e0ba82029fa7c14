//! Records to JSON and back, and the errors of data.

use std::fmt::Write as _;

use codepage::ByteOrder;
use copybook::{
    AsciiSign, ConvertOptions, Converter, Copybook, FloatForm, LayoutOptions, NameStyle, ParseOptions, is_currency_sign,
};
use expect_test::{Expect, expect};

use crate::{converter, hexadecimal};

/// The record of a JSON text has these bytes, and its JSON is that text.
fn check_with(text: &str, options: &ConvertOptions, json: &str, bytes: &[u8]) {
    let converter = converter(text, options);
    let mut record = Vec::new();
    converter.encode(json.as_bytes(), &mut record).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(hexadecimal(&record), hexadecimal(bytes), "{text}");
    let mut out = Vec::new();
    converter.decode(bytes, &mut out).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(String::from_utf8_lossy(&out), json, "{text}");
}

fn check(text: &str, json: &str, bytes: &[u8]) {
    check_with(text, &ConvertOptions::of_ccsid(37), json, bytes);
}

fn decoded(text: &str, bytes: &[u8]) -> String {
    let mut out = Vec::new();
    match converter(text, &ConvertOptions::of_ccsid(37)).decode(bytes, &mut out) {
        Ok(()) => String::from_utf8_lossy(&out).into_owned(),
        Err(error) => error.to_string(),
    }
}

fn encoded(text: &str, json: &str) -> String {
    let mut out = Vec::new();
    match converter(text, &ConvertOptions::of_ccsid(37)).encode(json.as_bytes(), &mut out) {
        Ok(()) => hexadecimal(&out),
        Err(error) => error.to_string(),
    }
}

/// Why there is no converter.
fn refused(text: &str, options: &ConvertOptions) -> String {
    Converter::new(&crate::layout(text), options).map(drop).expect_err("refused").to_string()
}

#[test]
fn every_sign_nibble_is_read() {
    let zoned = "01 R. 05 A PIC S9(2).";
    let packed = "01 R. 05 A PIC S9(3) COMP-3.";
    for (sign, expected) in [(0xA, "12"), (0xB, "-12"), (0xC, "12"), (0xD, "-12"), (0xE, "12"), (0xF, "12")] {
        assert_eq!(decoded(zoned, &[0xF1, sign << 4 | 2]), format!("{{\"A\":{expected}}}"));
        assert_eq!(decoded(packed, &[0x01, 0x20 | sign]), format!("{{\"A\":{expected}}}"));
    }
    for sign in 0..10u8 {
        assert!(decoded(packed, &[0x01, 0x20 | sign]).contains("is not a valid number"), "{sign}");
    }
}

#[test]
fn ascii_signs_are_zones_or_letters() {
    let options = ConvertOptions::of_ccsid(819);
    check_with("01 R. 05 A PIC S9(2).", &options, r#"{"A":-12}"#, b"1r");
    check_with("01 R. 05 A PIC S9(2).", &options, r#"{"A":12}"#, b"12");
    let letters = ConvertOptions { ascii_sign: AsciiSign::Letters, ..options };
    check_with("01 R. 05 A PIC S9(2).", &letters, r#"{"A":-12}"#, b"1K");
    check_with("01 R. 05 A PIC S9(2) SIGN LEADING.", &letters, r#"{"A":12}"#, b"A2");
}

#[test]
fn byte_order_and_float_form_are_the_callers() {
    let text = "01 R. 05 A PIC S9(4) COMP. 05 B PIC S9(4) COMP-5. 05 C COMP-1. 05 D COMP-2. 05 E PIC X(2) COMP-X.";
    let json = r#"{"A":1,"B":-2,"C":1.5,"D":-0.1,"E":258}"#;
    let options = ConvertOptions {
        byte_order: ByteOrder::Little,
        binary_order: Some(ByteOrder::Big),
        float: FloatForm::Ieee,
        ..ConvertOptions::of_ccsid(37)
    };
    check_with(text, &options, json, b"\x00\x01\xFE\xFF\x00\x00\xC0\x3F\x9A\x99\x99\x99\x99\x99\xB9\xBF\x01\x02");
    let big = b"\x00\x01\xFF\xFE\x41\x18\x00\x00\xC0\x19\x99\x99\x99\x99\x99\x9A\x01\x02";
    check(text, json, big);
}

#[test]
fn hexadecimal_floats_are_exact_to_the_last_digit() {
    let text = "01 R. 05 A COMP-2.";
    check(text, r#"{"A":0.0}"#, &[0; 8]);
    check(text, r#"{"A":1.0}"#, b"\x41\x10\0\0\0\0\0\0");
    check(text, r#"{"A":7.2370055773322621e75}"#, b"\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF");
    check(text, r#"{"A":5.397605346934028e-79}"#, b"\x00\x10\0\0\0\0\0\0");
    check(text, r#"{"A":0.1}"#, b"\x40\x19\x99\x99\x99\x99\x99\x9A");
    check("01 R. 05 A COMP-1.", r#"{"A":3.14159}"#, b"\x41\x32\x43\xF4");
    assert!(encoded(text, r#"{"A":1e76}"#).contains("out of range"));
    assert!(encoded(text, r#"{"A":1e-99}"#).contains("out of range"));
}

#[test]
fn edited_numbers_are_edited_as_by_move() {
    let cases: [(&str, &str, &str); 16] = [
        ("ZZZ9", "7", "   7"),
        ("ZZZ9", "0", "   0"),
        ("ZZZZ", "0", "    "),
        ("ZZ,ZZ9.99", "1234.5", " 1,234.50"),
        ("ZZ,ZZ9.99", "0.05", "     0.05"),
        ("***9.99", "12.3", "**12.30"),
        ("**.**", "0", "**.**"),
        ("$$,$$9.99", "12", "   $12.00"),
        ("$ZZ9", "5", "$  5"),
        ("+ZZ9", "5", "+  5"),
        ("---9", "-5", "  -5"),
        ("---9", "5", "   5"),
        ("++,++9", "-1234", "-1,234"),
        ("ZZ9CR", "-5", "  5CR"),
        ("99/99/9999", "24122026", "24/12/2026"),
        ("9(2)B9(2)0", "1234", "12 340"),
    ];
    for (picture, number, characters) in cases {
        let text = format!("01 R. 05 A PIC {picture}.");
        check_with(&text, &ConvertOptions::of_ccsid(819), &format!("{{\"A\":{number}}}"), characters.as_bytes());
    }
}

/// A converter of a program that has this CURRENCY SIGN.
fn with_currency(currency: char, text: &str, ccsid: u32) -> Result<Converter, String> {
    let options = ParseOptions { currency, ..ParseOptions::default() };
    let copybook = Copybook::parse(text, &options).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let layout = copybook.layout(None, &LayoutOptions::default()).expect("a layout");
    Converter::new(&layout, &ConvertOptions::of_ccsid(ccsid)).map_err(|error| error.to_string())
}

#[test]
fn a_currency_sign_is_a_character_of_the_code_page() {
    let cases: [(char, &str, u32, &str, &[u8]); 8] = [
        ('£', "£££9.99", 285, "12.5", b"\x40\x5B\xF1\xF2\x4B\xF5\xF0"),
        ('£', "£££9.99", 37, "12.5", b"\x40\xB1\xF1\xF2\x4B\xF5\xF0"),
        ('£', "£ZZ9-", 819, "-5", b"\xA3  5-"),
        ('€', "€€9", 1140, "5", b"\x40\x9F\xF5"),
        ('€', "€€9", 923, "5", b" \xA45"),
        ('€', "€€9 NATIONAL", 37, "5", b"\0 \x20\xAC\x005"),
        ('$', "$$9", 285, "5", b"\x40\x4A\xF5"),
        ('€', "ZZ9", 37, "5", b"\x40\x40\xF5"),
    ];
    for (currency, picture, ccsid, number, bytes) in cases {
        let text = format!("01 R. 05 A PIC {picture}.");
        let converter = with_currency(currency, &text, ccsid).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let json = format!("{{\"A\":{number}}}");
        let (mut record, mut again) = (Vec::new(), Vec::new());
        converter.encode(json.as_bytes(), &mut record).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(hexadecimal(&record), hexadecimal(bytes), "{text}");
        converter.decode(&record, &mut again).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(String::from_utf8_lossy(&again), json, "{text}");
    }
}

#[test]
fn what_means_something_else_in_pictures_is_no_currency_sign() {
    assert!(['$', '£', '€', '¥', '#', '@', '%', '!', 'F', 'l', 'Y'].into_iter().all(is_currency_sign));
    let forbidden = "0 9ABCDEGNPRSUVXZabcdegnprsuvxz+-*/,.;()\"=' \t\n\0";
    assert!(!forbidden.chars().any(is_currency_sign));
}

#[test]
fn another_sign_than_that_of_the_program_is_no_number() {
    let converter = with_currency('£', "01 R. 05 A PIC ££9.", 285).expect("a converter");
    assert!(converter.decode(b"\x40\x4A\xF5", &mut Vec::new()).is_err());
}

#[test]
fn a_currency_sign_that_the_code_page_has_not_is_refused() {
    let problem = |ccsid| with_currency('€', "01 R. 05 A PIC €€9.", ccsid).map(drop).expect_err("refused");
    assert_eq!(problem(37), "item R.A: code page 37 cannot hold the currency sign € in one position");
    assert_eq!(problem(1208), "item R.A: code page 1208 cannot hold the currency sign € in one position");
}

#[test]
fn external_floats_keep_their_digits() {
    let options = ConvertOptions::of_ccsid(819);
    check_with("01 R. 05 A PIC +9.99E+99.", &options, r#"{"A":-1250}"#, b"-1.25E+03");
    check_with("01 R. 05 A PIC -99V9E-99.", &options, r#"{"A":0.0125}"#, b" 125E-03");
}

#[test]
fn text_is_trimmed_padded_and_put_right() {
    check("01 R. 05 A PIC X(4).", r#"{"A":"AB"}"#, b"\xC1\xC2\x40\x40");
    check("01 R. 05 A PIC X(4).", r#"{"A":""}"#, b"\x40\x40\x40\x40");
    check("01 R. 05 A PIC X(4) JUST.", r#"{"A":"AB"}"#, b"\x40\x40\xC1\xC2");
    check("01 R. 05 A PIC X(3).", r#"{"A":"\"\\\u0001"}"#, b"\x7F\xE0\x01");
    check("01 R. 05 A PIC N(3).", r#"{"A":"Aé"}"#, b"\0A\0\xE9\0 ");
    check("01 R. 05 A PIC G(2).", r#"{"A":"42C142C2"}"#, b"\x42\xC1\x42\xC2");
    let utf_8 = ConvertOptions::of_ccsid(1208);
    check_with("01 R. 05 A PIC X(5).", &utf_8, r#"{"A":"é€"}"#, "é€".as_bytes());
    check_with("01 R. 05 A PIC 9(3) NATIONAL.", &utf_8, r#"{"A":42}"#, b"\x000\x004\x002");
}

#[test]
fn ascii_text_is_told_as_it_is_and_what_json_escapes_is_found_anywhere_in_it() {
    let options = ConvertOptions::of_ccsid(819);
    for length in 1..40 {
        for (special, told) in [('b', "b"), ('"', "\\\""), ('\\', "\\\\"), ('\u{1}', "\\u0001"), ('é', "é")] {
            for at in 0..length {
                let text = |special: &str| format!("{}{special}{}", "a".repeat(at), "a".repeat(length - at - 1));
                let bytes: Vec<u8> = text(&special.to_string()).chars().map(|c| u8::try_from(c).unwrap()).collect();
                let copybook = format!("01 R. 05 A PIC X({length}).");
                check_with(&copybook, &options, &format!("{{\"A\":\"{}\"}}", text(told)), &bytes);
            }
        }
    }
}

#[test]
fn escapes_of_json_are_the_same_text() {
    assert_eq!(encoded("01 R. 05 A-B PIC X(4).", r#"{"\u0041-B":"\u00e9\n\/"}"#), "51256140");
}

/// The law that bytes come back does not hold for X'15': a new line is encoded to X'25'.
#[test]
fn both_ends_of_a_line_in_ebcdic_are_new_lines() {
    let text = "01 R. 05 A PIC X(5).";
    assert_eq!(decoded(text, b"\x81\x15\x82\x25\xC1"), r#"{"A":"a\nb\nA"}"#);
    assert_eq!(encoded(text, r#"{"A":"a\nb\nA"}"#), "81258225C1");
    assert_eq!(encoded(text, r#"{"A":"\u0085"}"#), "1540404040");
    let latin_9 = ConvertOptions::of_ccsid(923);
    check_with("01 R. 05 A PIC X(2).", &latin_9, "{\"A\":\"\u{85}\\n\"}", b"\x85\n");
}

#[test]
fn an_item_without_a_member_has_its_value() {
    let text = "01 R. 05 A PIC X(3) VALUE 'HI'. 05 B PIC 9(2) VALUE 7. 05 FILLER PIC X(2) VALUE ALL '-'. 05 C PIC S9(3) COMP-3.
                05 D PIC X(2) VALUE LOW-VALUES. 05 E PIC X(2) VALUE X'C1FF'. 05 F PIC ZZ9. 05 G PIC X VALUE QUOTE.";
    assert_eq!(encoded(text, "{}"), "C8C940F0F76060000C0000C1FF4040F07F");
    assert_eq!(encoded(text, r#"{"A":null,"C":null}"#), "C8C940F0F76060000C0000C1FF4040F07F");
}

#[test]
fn a_value_that_does_not_fit_hinders_encoding_alone() {
    let member = |_: &str, _: Option<&str>| Some("05 B PIC X(3)\n   VALUE 'abcd'.".to_owned());
    let options = ParseOptions { resolver: Some(&member), ..ParseOptions::default() };
    let text = "01 R. 05 G VALUE 'toolong'. 10 N PIC 9. 10 T PIC X OCCURS 0 TO 2 DEPENDING ON N.\n05 A COMP-1 VALUE 'x'. COPY M.";
    let copybook = Copybook::parse(text, &options).expect("a copybook");
    let layout = copybook.layout(None, &LayoutOptions::default()).expect("a layout");
    let plain = ConvertOptions::of_ccsid(37);
    assert!(layout.schema(&plain).is_ok_and(|schema| schema.contains("\"maxLength\": 3")));
    let without = ConvertOptions { ignore_values: true, ..plain.clone() };
    let converter = Converter::new(&layout, &without).unwrap_or_else(|error| panic!("{error}"));
    let mut json = Vec::new();
    converter.decode(b"\xF1\xC1\x41\x10\0\0\xC1\xC2\xC3", &mut json).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(String::from_utf8_lossy(&json), r#"{"G":{"N":1,"T":["A"]},"A":1.0,"B":"ABC"}"#);
    let refused = |text: &str| {
        let copybook = Copybook::parse(text, &options).expect("a copybook");
        let layout = copybook.layout(None, &LayoutOptions::default()).expect("a layout");
        Converter::new(&layout, &plain).map(drop).expect_err("refused").to_string()
    };
    assert_eq!(refused("01 R. COPY M."), "member M, line 2, column 10, item R.B: VALUE 'abcd' does not fit the item");
    assert_eq!(
        refused("01 R.\n 05 G VALUE 'abcd'. 10 A PIC X."),
        "line 2, column 13, item R.G: VALUE 'abcd' does not fit the item"
    );
}

#[test]
fn values_of_their_kind_are_taken() {
    for (item, bytes) in [
        ("PIC 9(3) VALUE ALL ZEROS", "F0F0F0"),
        ("PIC 9(3) BLANK WHEN ZERO VALUE SPACES", "404040"),
        ("POINTER VALUE NULL", "00000000"),
        ("PIC X(2) COMP-X VALUE X'41FF'", "41FF"),
        ("PIC X(2) COMP-5 VALUE HIGH-VALUES", "FFFF"),
        ("PIC ZZ9 VALUE SPACES", "404040"),
        ("COMP-1 VALUE ZERO", "00000000"),
        ("COMP-1 VALUE 1.5E0", "41180000"),
    ] {
        assert_eq!(encoded(&format!("01 R. 05 A {item}."), "{}"), bytes, "{item}");
    }
}

/// The bytes are those of GnuCOBOL.
#[test]
fn a_value_of_a_group_is_text_over_all_its_items() {
    let cases = [
        ("01 R. 05 H VALUE 'EYE1'. 10 FILLER PIC X(4). 05 NM PIC X(3).", "EYE1   "),
        ("01 R. 05 FILLER VALUE 'EYE1'. 10 A PIC X(4). 05 NM PIC X(3).", "EYE1   "),
        ("01 R VALUE LOW-VALUES. 05 A PIC X(3). 05 B PIC S9(3) COMP-3.", "\0\0\0\0\0"),
        ("01 R VALUE ALL 'AB'. 05 A PIC X(3). 05 B PIC S9(3) COMP-3.", "ABABA"),
        ("01 R. 05 T VALUE 'AB' OCCURS 3. 10 A PIC X(3). 10 B PIC X.", "AB  AB  AB  "),
        ("01 R VALUE 'ZZ'. 05 A PIC X(3) VALUE 'abc'. 05 B PIC 9(3).", "ZZ    "),
        ("01 R VALUE ZEROS. 05 A PIC X(3). 05 B PIC S9(5) COMP-3.", "000000"),
        ("01 R VALUE X'0102'. 05 A PIC X(3).", "\x01\x02 "),
        ("01 R VALUE 12. 05 A PIC X(3).", "12 "),
        ("01 R VALUE 'ABCD'. 05 A PIC 9(2). 05 B REDEFINES A PIC X. 05 C PIC 9(2).", "ABCD"),
    ];
    for (text, bytes) in cases {
        let mut out = Vec::new();
        converter(text, &ConvertOptions::of_ccsid(819)).encode(b"{}", &mut out).expect("fits");
        assert_eq!(String::from_utf8_lossy(&out), bytes, "{text}");
    }
    let text = "01 R. 05 H VALUE 'EYE1'. 10 FILLER PIC X(4). 05 NM PIC X(4).";
    assert_eq!(encoded(text, r#"{"NM":"A"}"#), "C5E8C5F1C1404040");
}

#[test]
fn an_alternative_that_is_a_group_has_its_value() {
    let text = "01 R. 05 A PIC X(4). 05 B REDEFINES A VALUE 'XY'. 10 N PIC X(3). 05 Z PIC X.";
    let options = ConvertOptions { alternatives: vec!["B".to_owned()], ..ConvertOptions::of_ccsid(37) };
    check_with(text, &options, r#"{"B":{"N":"XY"},"Z":"Z"}"#, b"\xE7\xE8\x40\x40\xE9");
    let mut out = Vec::new();
    converter(text, &options).encode(br#"{"Z":"Z"}"#, &mut out).expect("fits");
    assert_eq!(hexadecimal(&out), "E7E84040E9");
}

#[test]
fn a_value_of_a_group_may_go_on_in_a_variable_table_with_one_byte() {
    let items =
        "05 E PIC X(2). 05 N PIC S9(4) COMP. 05 T OCCURS 0 TO 3 DEPENDING ON N. 10 P PIC X. 10 Q PIC 9. 05 Z PIC 9.";
    let low = format!("01 R VALUE LOW-VALUES. {items}");
    assert_eq!(encoded(&low, "{}"), "0000000000");
    assert_eq!(encoded(&low, r#"{"T":[{"P":"A"},{"Q":1}]}"#), "00000002C10000F100");
    let text = format!("01 R VALUE 'AB'. {items}");
    assert_eq!(encoded(&text, r#"{"T":[{"P":"C"}]}"#), "C1C20001C34040");
    let filler = format!("01 R. 03 FILLER VALUE 'AB'. {items} 03 Y PIC 9.");
    assert_eq!(encoded(&filler, r#"{"T":[{"P":"C"}]}"#), "C1C20001C34040F0");
    let inner = "01 R VALUE SPACES. 05 N PIC 9. 05 T OCCURS 2. 10 M PIC 9. 10 U PIC 9 OCCURS 0 TO 2 DEPENDING ON M. 10 V PIC 9.";
    assert_eq!(encoded(inner, r#"{"T":[{"U":[null]},{"U":[],"V":2}]}"#), "40F14040F0F2");
}

#[test]
fn a_counter_that_a_value_of_its_group_made_no_count_is_none_where_the_array_is_missing() {
    for (value, counter) in [("SPACES", "9(2)"), ("LOW-VALUES", "9(2)"), ("SPACES", "S9(4) COMP")] {
        let text = format!("01 R VALUE {value}. 05 N PIC {counter}. 05 T PIC X OCCURS 0 TO 3 DEPENDING ON N.");
        let none = if counter.ends_with("COMP") { "0000" } else { "F0F0" };
        assert_eq!(encoded(&text, "{}"), none, "{text}");
        assert_eq!(encoded(&text, r#"{"T":null}"#), none, "{text}");
    }
}

#[test]
fn an_item_of_blanks_is_an_empty_text_on_either_side() {
    for clause in ["", "JUSTIFIED RIGHT"] {
        check(&format!("01 R. 05 A PIC X(3) {clause}."), r#"{"A":""}"#, b"\x40\x40\x40");
    }
}

#[test]
fn a_value_of_a_national_group_is_national_text() {
    let text = "01 R. 05 G GROUP-USAGE NATIONAL VALUE N'AB'. 10 A PIC N(3). 05 B PIC X.";
    assert_eq!(encoded(text, r#"{"B":"x"}"#), "004100420020A7");
}

#[test]
fn a_value_of_a_group_that_does_not_fit_is_refused() {
    let problem = |text: &str| refused(text, &ConvertOptions::of_ccsid(37));
    assert_eq!(
        problem("01 R. 05 G VALUE 'ABCD'. 10 A PIC X(3)."),
        "line 1, column 18, item R.G: VALUE 'ABCD' does not fit the item"
    );
    assert_eq!(
        problem("01 R VALUE 'A23'. 05 N PIC X. 05 M PIC 9. 05 T PIC X OCCURS 1 TO 5 DEPENDING ON M."),
        "line 1, column 12, item R: VALUE 'A23' reaches into a table with DEPENDING ON"
    );
}

#[test]
fn a_table_inside_a_table_has_its_own_count() {
    let text = "01 R. 05 T OCCURS 2. 10 N PIC 9. 10 U PIC X OCCURS 0 TO 3 DEPENDING ON N. 10 V PIC X. 05 Z PIC X.";
    check(
        text,
        r#"{"T":[{"N":2,"U":["A","B"],"V":"C"},{"N":0,"U":[],"V":"D"}],"Z":"E"}"#,
        b"\xF2\xC1\xC2\xC3\xF0\xC4\xC5",
    );
    assert_eq!(encoded(text, r#"{"Z":"E","T":[{"V":"C","U":["A"]}]}"#), "F1C1C3F040C5");
}

#[test]
fn a_count_and_its_array_agree() {
    let text = "01 R. 05 N PIC 9. 05 T PIC X OCCURS 0 TO 3 DEPENDING ON N.";
    let mut out = String::new();
    for json in [
        r#"{"T":["A","B"]}"#,
        r#"{"N":2,"T":["A","B"]}"#,
        r#"{"T":["A","B"],"N":2}"#,
        r#"{"N":2}"#,
        r#"{"N":1,"T":["A","B"]}"#,
        r#"{"T":["A","B"],"N":1}"#,
        r#"{"T":["A","B","C","D"]}"#,
        r#"{"N":4}"#,
    ] {
        let _ = writeln!(out, "{}", encoded(text, json));
    }
    let _ = writeln!(out, "{}", decoded(text, b"\xF4\xC1\xC1\xC1\xC1"));
    expect![[r#"
        F2C1C2
        F2C1C2
        F2C1C2
        F24040
        at '/T', item R.N, offset 0: the count R.N is 1, the table has 2 occurrences (byte 20 of the JSON text)
        at '/N', item R.N, offset 0: the count R.N is 1, the table has 2 occurrences (byte 20 of the JSON text)
        at '/T/3', item R.T, offset 1: there are 4 occurrences, the table has at most 3 (byte 18 of the JSON text)
        at '/T', item R.T, offset 1: there are 4 occurrences, the table has at most 3
        at '/T', item R.T, offset 1: there are 4 occurrences, the table has at most 3
    "#]]
    .assert_eq(&out);
}

#[test]
fn a_count_that_is_none_is_told_where_it_stands() {
    let plain = "01 R. 05 N PIC S9(4) COMP. 05 T PIC X OCCURS 0 TO 3 DEPENDING ON N.";
    let inside = "01 R. 05 H. 10 FILLER. 15 G. 20 N PIC S9(4) COMP. 05 E OCCURS 2. 10 M PIC 9. 10 T PIC X OCCURS 0 TO 3 DEPENDING ON M.
        05 U PIC X OCCURS 0 TO 3 DEPENDING ON N.";
    let mut out = String::new();
    for told in [
        decoded(plain, b"\xFF\xFF"),
        decoded(plain, b"\x00"),
        encoded(plain, r#"{"N":-1}"#),
        encoded(plain, r#"{"N":-1,"T":["A"]}"#),
        encoded(plain, r#"{"T":["A"],"N":-1}"#),
        decoded(inside, b"\xFF\xFF\xF0\xF0"),
        decoded(inside, b"\x00\x00\xF0"),
        decoded(inside, b"\x00\x00\xF0A"),
        encoded(inside, r#"{"U":["A"],"H":{"G":{"N":-2}}}"#),
    ] {
        let _ = writeln!(out, "{told}");
    }
    expect![[r#"
        at '/N', item R.N, offset 0: the number of occurrences is negative
        at '/N', item R.N, offset 0: the record ends after 1 bytes, inside or before this item
        at '/N', item R.N, offset 0: the number of occurrences is negative (byte 7 of the JSON text)
        at '/N', item R.N, offset 0: the number of occurrences is negative (byte 7 of the JSON text)
        at '/N', item R.N, offset 0: the number of occurrences is negative (byte 17 of the JSON text)
        at '/H/G/N', item R.H.FILLER.G.N, offset 0: the number of occurrences is negative
        at '/E/1/M', item R.E.M, offset 3: the record ends after 3 bytes, inside or before this item
        at '/E/1/M', item R.E.M, offset 3: X'41' is not a valid number of this kind
        at '/H/G/N', item R.H.FILLER.G.N, offset 0: the number of occurrences is negative (byte 27 of the JSON text)
    "#]]
    .assert_eq(&out);
    let hidden = ConvertOptions { show_counters: false, ..ConvertOptions::of_ccsid(37) };
    let error = converter(inside, &hidden).decode(b"\xFF\xFF", &mut Vec::new()).expect_err("negative");
    assert_eq!((error.pointer.as_str(), error.item.as_str()), ("/H/G", "R.H.FILLER.G.N"));
}

#[test]
fn alternatives_are_the_first_unless_named() {
    let text = "01 R. 05 K PIC X. 05 A PIC X(4). 05 B REDEFINES A. 10 N PIC 9(2). 10 M PIC S9(3) COMP-3. 05 Z PIC X.";
    check(text, r#"{"K":"A","A":"1234","Z":"Z"}"#, b"\xC1\xF1\xF2\xF3\xF4\xE9");
    let options = ConvertOptions { alternatives: vec!["b".to_owned()], ..ConvertOptions::of_ccsid(37) };
    check_with(text, &options, r#"{"K":"A","B":{"N":12,"M":-7},"Z":"Z"}"#, b"\xC1\xF1\xF2\x00\x7D\xE9");
}

#[test]
fn an_alternative_is_chosen_by_any_item_inside() {
    let text = "01 R. 05 D PIC X(4). 05 FILLER REDEFINES D. 10 W-YEAR PIC 9(2). 10 W-DAY PIC 9(2).
        05 FILLER REDEFINES D. 10 W-CODE PIC X. 10 C1 PIC X(3). 10 C2 REDEFINES C1. 15 C3 PIC 9(3).
        05 E. 10 X PIC X(2). 10 Y REDEFINES X PIC 9(2). 05 F. 10 X PIC X(2). 10 Y REDEFINES X PIC 9(2).";
    let with = |alternatives: &[&str]| {
        let alternatives = alternatives.iter().map(|&name| name.to_owned()).collect();
        let options = ConvertOptions { alternatives, ..ConvertOptions::of_ccsid(37) };
        let mut out = Vec::new();
        match Converter::new(&crate::layout(text), &options) {
            Ok(converter) => {
                converter.decode(b"\xF1\xF2\xF3\xF4\xF5\xF6\xF7\xF8", &mut out).expect("readable");
                String::from_utf8_lossy(&out).into_owned()
            }
            Err(error) => error.to_string(),
        }
    };
    let mut out = String::new();
    for alternatives in [
        &["W-YEAR"][..],
        &["filler.w-code"],
        &["C3"],
        &["R.FILLER.C2", "W-CODE"],
        &["C1"],
        &["D", "E.Y", "F.X"],
        &["FILLER"],
        &["Y"],
        &["W-DAY", "C3"],
        &["D", "W-CODE"],
        &["C1", "C2"],
        &["R"],
        &["NOTHING"],
    ] {
        let _ = writeln!(out, "{}", with(alternatives));
    }
    expect![[r#"
        {"W-YEAR":12,"W-DAY":34,"E":{"X":"56"},"F":{"X":"78"}}
        {"W-CODE":"1","C1":"234","E":{"X":"56"},"F":{"X":"78"}}
        {"W-CODE":"1","C2":{"C3":234},"E":{"X":"56"},"F":{"X":"78"}}
        {"W-CODE":"1","C2":{"C3":234},"E":{"X":"56"},"F":{"X":"78"}}
        {"W-CODE":"1","C1":"234","E":{"X":"56"},"F":{"X":"78"}}
        {"D":"1234","E":{"Y":56},"F":{"X":"78"}}
        'FILLER' names several alternatives; choose one by W-YEAR or W-CODE
        'Y' names several alternatives; choose one by R.E.Y or R.F.Y
        'W-DAY' and 'C3' choose different alternatives of R.D
        'D' and 'W-CODE' choose different alternatives of R.D
        'C1' and 'C2' choose different alternatives of R.FILLER.C1
        'R' names no alternative of a REDEFINES
        'NOTHING' names no alternative of a REDEFINES
    "#]]
    .assert_eq(&out);
    let options = ConvertOptions { alternatives: vec!["FILLER".to_owned()], ..ConvertOptions::of_ccsid(37) };
    let text = "01 R. 05 A PIC X. 05 FILLER REDEFINES A PIC X. 05 FILLER REDEFINES A PIC X.";
    assert_eq!(refused(text, &options), "'FILLER' names several alternatives, and no name distinguishes them");
}

#[test]
fn a_variable_table_may_end_an_alternative() {
    let text =
        "01 R. 05 A PIC X(5). 05 B REDEFINES A. 10 N PIC 9. 10 T PIC X OCCURS 0 TO 4 DEPENDING ON N. 05 Z PIC X.";
    let options = ConvertOptions { alternatives: vec!["R.B".to_owned()], ..ConvertOptions::of_ccsid(37) };
    check_with(text, &options, r#"{"B":{"N":2,"T":["X","Y"]},"Z":"Z"}"#, b"\xF2\xE7\xE8\x40\x40\xE9");
}

#[test]
fn names_below_filler_belong_to_the_group_around_it() {
    check(
        "01 R. 05 FILLER. 10 A PIC X. 10 FILLER PIC X. 05 FILLER. 10 A PIC X.",
        r#"{"A":"1","A1":"2"}"#,
        b"\xF1\x40\xF2",
    );
}

#[test]
fn many_members_of_one_name_take_no_longer_than_as_many_names() {
    let text = format!("01 R.\n{}", "05 A PIC X.\n".repeat(60_000));
    let converter = converter(&text, &ConvertOptions::of_ccsid(37));
    let mut record = Vec::new();
    converter.encode(br#"{"A59999":"!"}"#, &mut record).expect("the last member");
    assert_eq!(record.last(), Some(&0x5A));
}

#[test]
fn names_come_in_three_styles() {
    let text = "01 R. 05 CA-REQUEST-ID PIC X. 05 Mixed-NAME PIC X. 05 1ST-LINE PIC X.";
    let named = |names, json: &str| {
        let options = ConvertOptions { names, ..ConvertOptions::of_ccsid(37) };
        check_with(text, &options, json, b"\xF1\xF2\xF3");
    };
    named(NameStyle::Cobol, r#"{"CA-REQUEST-ID":"1","Mixed-NAME":"2","1ST-LINE":"3"}"#);
    named(NameStyle::Assistant, r#"{"ca_request_id":"1","Mixed_name":"2","_1st_line":"3"}"#);
    named(NameStyle::Underscore, r#"{"CA_REQUEST_ID":"1","Mixed_NAME":"2","1ST_LINE":"3"}"#);
}

#[test]
fn records_may_be_longer_or_shorter_where_the_caller_says_so() {
    let text = "01 R. 05 A PIC X(2). 05 B PIC X(2). 05 G. 10 C PIC X.";
    let mut out = String::new();
    for length in [2, 3, 4, 5, 7] {
        let _ = writeln!(out, "{}", decoded(text, &b"\xC1\xC2\xC3\xC4\xC5\xC6\xC7"[..length]));
    }
    let lenient = ConvertOptions { allow_short: true, ignore_excess: true, ..ConvertOptions::of_ccsid(37) };
    let converter = converter(text, &lenient);
    for length in [0, 3, 5, 7] {
        let mut json = Vec::new();
        converter.decode(&b"\xC1\xC2\xC3\xC4\xC5\xC6\xC7"[..length], &mut json).expect("answered");
        let _ = writeln!(out, "{}", String::from_utf8_lossy(&json));
    }
    expect![[r#"
        at '/B', item R.B, offset 2: the record ends after 2 bytes, inside or before this item
        at '/B', item R.B, offset 2: the record ends after 3 bytes, inside or before this item
        at '/G/C', item R.G.C, offset 4: the record ends after 4 bytes, inside or before this item
        {"A":"AB","B":"CD","G":{"C":"E"}}
        at '', item R, offset 5: the record has 7 bytes, expected 5
        {}
        {"A":"AB"}
        {"A":"AB","B":"CD","G":{"C":"E"}}
        {"A":"AB","B":"CD","G":{"C":"E"}}
    "#]]
    .assert_eq(&out);
}

#[test]
fn data_errors_name_pointer_item_and_offset() {
    let text = "01 R. 05 A PIC X(3). 05 T OCCURS 2. 10 N PIC S9(2)V9 COMP-3. 10 U PIC 9(2). 05 C PIC S9(4) COMP. 05 D PIC 9(3)P(2).";
    let mut out = String::new();
    let _ = writeln!(out, "{}", decoded(text, b"\xC1\xC2\xC3\x12\x3D\xF1\xF2\x00\x0A\x40\x40\0\0\xF0\xF0\xF0"));
    for json in [
        r#"{"A":"LONG TEXT"}"#,
        r#"{"A":5}"#,
        r#"{"T":[{"N":1.25}]}"#,
        r#"{"T":[{},{"N":100}]}"#,
        r#"{"T":[{},{"U":-1}]}"#,
        r#"{"T":[{},{},{}]}"#,
        r#"{"C":10000}"#,
        r#"{"D":150}"#,
        r#"{"X/Y":1}"#,
        r#"{"A":"1","A":"2"}"#,
        r#"{"A":"1",}"#,
        r#"{"C":01}"#,
        r#"{"A":"\q"}"#,
        r#"[1]"#,
        r#"{} x"#,
        r#"{"A":"1""#,
        r#"{"C":true}"#,
    ] {
        let _ = writeln!(out, "{}", encoded(text, json));
    }
    expect![[r#"
        at '/T/1/U', item R.T.U, offset 9: X'4040' is not a valid number of this kind
        at '/A', item R.A, offset 0: the text takes 9 bytes, the item has 3 (byte 5 of the JSON text)
        at '/A', item R.A, offset 0: expected a string, found a number (byte 5 of the JSON text)
        at '/T/0/N', item R.T.N, offset 3: the number has more than 1 decimals (byte 11 of the JSON text)
        at '/T/1/N', item R.T.N, offset 7: the number has more than 2 digits before the decimal point (byte 14 of the JSON text)
        at '/T/1/U', item R.T.U, offset 9: the number is negative, the item has no sign (byte 14 of the JSON text)
        at '/T/2', item R.T, offset 3: there are 3 occurrences, the table has at most 2 (byte 12 of the JSON text)
        at '/C', item R.C, offset 11: the number has more than 4 digits before the decimal point (byte 5 of the JSON text)
        at '/D', item R.D, offset 13: the number is not a multiple of 100 (byte 5 of the JSON text)
        at '/X~1Y', item R, offset 0: there is no item for the member 'X/Y' (byte 7 of the JSON text)
        at '/A', item R, offset 0: the member 'A' is given twice (byte 13 of the JSON text)
        at '', item R, offset 0: the JSON text is malformed: a comma stands before the end (byte 9 of the JSON text)
        at '/C', item R.C, offset 11: the JSON text is malformed: a number is not written as JSON writes numbers (byte 5 of the JSON text)
        at '/A', item R.A, offset 0: the JSON text is malformed: an escape sequence in a string is not valid (byte 5 of the JSON text)
        at '', item R, offset 0: expected an object, found an array (byte 0 of the JSON text)
        at '', item R, offset 16: the JSON text is malformed: something follows the value (byte 3 of the JSON text)
        at '', item R, offset 0: the JSON text is malformed: it ends too early (byte 8 of the JSON text)
        at '/C', item R.C, offset 11: expected a number, found a boolean (byte 5 of the JSON text)
    "#]].assert_eq(&out);
}

#[test]
fn characters_without_a_counterpart_are_substituted_or_refused() {
    assert_eq!(encoded("01 R. 05 A PIC X(2).", r#"{"A":"€"}"#), "3F40");
    let strict = ConvertOptions { strict_characters: true, ..ConvertOptions::of_ccsid(37) };
    let error = converter("01 R. 05 A PIC X(2).", &strict).encode(r#"{"A":"€"}"#.as_bytes(), &mut Vec::new());
    expect!["at '/A', item R.A, offset 0: a character is not in the code page: U+20AC (byte 5 of the JSON text)"]
        .assert_eq(&error.expect_err("refused").to_string());
}

#[test]
fn numbers_of_38_digits_are_exact() {
    let digits = "99999999999999999999999999999999999998";
    let text = "01 R. 05 A PIC S9(38) COMP-3. 05 B PIC 9(38). 05 C PIC S9(30)V9(8) COMP-3.";
    let json = format!(r#"{{"A":-{digits},"B":{digits},"C":123456789012345678901234567890.12345678}}"#);
    let converter = converter(text, &ConvertOptions::of_ccsid(37));
    let (mut record, mut again) = (Vec::new(), Vec::new());
    converter.encode(json.as_bytes(), &mut record).unwrap_or_else(|error| panic!("{error}"));
    converter.decode(&record, &mut again).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(String::from_utf8_lossy(&again), json);
    assert!(converter.encode(format!(r#"{{"B":{digits}0}}"#).as_bytes(), &mut record).is_err());
}

#[test]
fn a_utf_8_item_is_counted_in_characters_unless_in_bytes() {
    let text =
        "01 R. 05 A PIC U(3). 05 B PIC U(3) BYTE-LENGTH 5. 05 C PIC U(2) VALUE ALL 'é'. 05 D PIC U(2) VALUE ZERO.";
    let initial = "20".repeat(12) + "2020202020" + "C3A9C3A920202020" + "3030202020202020";
    assert_eq!(encoded(text, "{}"), initial);
    check("01 R. 05 A PIC U(3).", r#"{"A":"é€😀"}"#, "é€😀   ".as_bytes());
    let mut out = String::new();
    for json in [r#"{"A":"abcd"}"#, r#"{"A":"\u00e9\u00e9\u00e9\n"}"#, r#"{"B":"abcdef"}"#, r#"{"B":"éé€"}"#] {
        let _ = writeln!(out, "{}", encoded(text, json));
    }
    expect![[r#"
        at '/A', item R.A, offset 0: the text has 4 characters, the item holds 3 (byte 5 of the JSON text)
        at '/A', item R.A, offset 0: the text has 4 characters, the item holds 3 (byte 5 of the JSON text)
        at '/B', item R.B, offset 12: the text takes 6 bytes, the item has 5 (byte 5 of the JSON text)
        at '/B', item R.B, offset 12: the text takes 7 bytes, the item has 5 (byte 5 of the JSON text)
    "#]]
    .assert_eq(&out);
    let schema = crate::layout(text).schema(&ConvertOptions::of_ccsid(37)).expect("a schema");
    let schema: serde_json::Value = serde_json::from_str(&schema).expect("JSON");
    let longest = ["A", "B", "C", "D"].map(|name| schema["properties"][name]["maxLength"].as_u64());
    assert_eq!(longest, [Some(3), Some(5), Some(2), Some(2)]);
    assert_eq!(
        refused("01 R. 05 A PIC U(2) VALUE 'abc'.", &ConvertOptions::of_ccsid(37)),
        "line 1, column 27, item R.A: VALUE 'abc' does not fit the item"
    );
}

#[test]
fn a_schema_says_what_is_taken() {
    let text = "01 R. 05 A PIC X(3). 05 N PIC 9. 05 T OCCURS 1 TO 3 DEPENDING ON N. 10 P PIC S9(3)V99 COMP-3. 10 Q PIC S9(4) COMP-5.
                05 F COMP-2. 05 G PIC G(2).";
    let schema = crate::layout(text).schema(&ConvertOptions::of_ccsid(37)).expect("a schema");
    let check = |expected: Expect| expected.assert_eq(&schema);
    check(expect![[r#"
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "title": "R",
          "type": "object",
          "properties": {
            "A": {
              "type": "string",
              "maxLength": 3,
              "description": "PIC X(3) DISPLAY"
            },
            "N": {
              "type": "integer",
              "minimum": 0,
              "maximum": 9,
              "description": "PIC 9 DISPLAY"
            },
            "T": {
              "type": "array",
              "minItems": 1,
              "maxItems": 3,
              "items": {
                "type": "object",
                "properties": {
                  "P": {
                    "type": "number",
                    "minimum": -999.99,
                    "maximum": 999.99,
                    "multipleOf": 0.01,
                    "description": "PIC S9(3)V99 COMP-3"
                  },
                  "Q": {
                    "type": "integer",
                    "minimum": -32768,
                    "maximum": 32767,
                    "description": "PIC S9(4) COMP-5"
                  }
                },
                "additionalProperties": false
              }
            },
            "F": {
              "type": "number",
              "description": "COMP-2"
            },
            "G": {
              "type": "string",
              "pattern": "^[0-9A-Fa-f]{8}$",
              "description": "PIC G(2) DISPLAY-1"
            }
          },
          "additionalProperties": false
        }
    "#]]);
}

#[test]
fn binary_numbers_of_sixteen_bytes_are_exact() {
    let bytes = [0xC1; 16];
    check("01 R. 05 A PIC 9(38) COMP-5.", r#"{"A":257547046336239699797769800918946136513}"#, &bytes);
    let error = encoded("01 R. 05 A PIC 9(38) COMP-5.", r#"{"A":340282366920938463463374607431768211456}"#);
    assert!(error.contains("the number"), "{error}");
}
