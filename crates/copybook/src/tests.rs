//! Whole paths through the crate, one `check` for each direction.

use crate::{ConvertOptions, Converter, Copybook, LayoutOptions, ParseOptions};

fn converter(text: &str, options: &ConvertOptions) -> Converter {
    let copybook = Copybook::parse(text, &ParseOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    let layout = copybook.layout(None, &LayoutOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    Converter::new(&layout, options).unwrap_or_else(|error| panic!("{error}"))
}

/// The record of a JSON text is these bytes, and back.
fn check(text: &str, json: &str, bytes: &[u8]) {
    let converter = converter(text, &ConvertOptions::of_ccsid(37));
    let mut record = Vec::new();
    converter.encode(json.as_bytes(), &mut record).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(hexadecimal(&record), hexadecimal(bytes), "{text}");
    let mut out = Vec::new();
    converter.decode(bytes, &mut out).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(String::from_utf8_lossy(&out), json, "{text}");
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

#[test]
fn zoned_packed_and_binary_numbers_have_their_bytes() {
    check("01 R. 05 A PIC S9(3).", r#"{"A":-123}"#, b"\xF1\xF2\xD3");
    check("01 R. 05 A PIC S9(3) SIGN LEADING SEPARATE.", r#"{"A":-123}"#, b"\x60\xF1\xF2\xF3");
    check("01 R. 05 A PIC S9(4)V99 COMP-3.", r#"{"A":-1234.5}"#, b"\x01\x23\x45\x0D");
    check("01 R. 05 A PIC S9(4) COMP.", r#"{"A":-2}"#, b"\xFF\xFE");
    check("01 R. 05 A PIC 9(9) COMP-5.", r#"{"A":4294967295}"#, b"\xFF\xFF\xFF\xFF");
    check("01 R. 05 A PIC 9(5) COMP-6.", r#"{"A":12345}"#, b"\x01\x23\x45");
    check("01 R. 05 A PIC 9(3)P(2).", r#"{"A":12300}"#, b"\xF1\xF2\xF3");
    check("01 R. 05 A PIC PP9(3).", r#"{"A":0.00123}"#, b"\xF1\xF2\xF3");
    check("01 R. 05 A COMP-2. 05 B COMP-1.", r#"{"A":54.5,"B":-0.1}"#, b"\x42\x36\x80\0\0\0\0\0\xC0\x19\x99\x9A");
    check("01 R. 05 A PIC $$,$$9.99-.", r#"{"A":-1234.5}"#, b"\x5B\xF1\x6B\xF2\xF3\xF4\x4B\xF5\xF0\x60");
}

#[test]
fn a_value_that_does_not_fit_is_told_as_the_copybook_has_it() {
    let problem = |text: &str| {
        let copybook = Copybook::parse(text, &ParseOptions::default()).expect("a copybook");
        let layout = copybook.layout(None, &LayoutOptions::default()).expect("a layout");
        Converter::new(&layout, &ConvertOptions::of_ccsid(37)).map(drop).expect_err("refused").to_string()
    };
    assert_eq!(
        problem("01 R. 05 A PIC X(3) VALUE 'IT''S'."),
        "line 1, column 27, item R.A: VALUE 'IT''S' does not fit the item"
    );
    assert_eq!(
        problem("01 R. 05 A PIC 9(2) VALUE 123."),
        "line 1, column 27, item R.A: VALUE 123 does not fit the item"
    );
    for (item, value) in [
        ("PIC 9(3) VALUE 'abc'", "'abc'"),
        ("COMP-1 VALUE 'abc'", "'abc'"),
        ("COMP-2 VALUE LOW-VALUES", "LOW-VALUE"),
        ("PIC 9(4) COMP VALUE SPACES", "SPACE"),
        ("PIC S9(4) COMP-5 VALUE HIGH-VALUES", "HIGH-VALUE"),
        ("PIC S9(3) COMP-3 VALUE HIGH-VALUES", "HIGH-VALUE"),
        ("PIC S9(3) COMP-3 VALUE X'123C'", "X'123C'"),
        ("PIC 9(3) VALUE ALL SPACES", "ALL SPACE"),
        ("PIC 9(3) VALUE ALL X'F0'", "ALL X'F0'"),
        ("POINTER VALUE SPACES", "SPACE"),
    ] {
        let told = problem(&format!("01 R. 05 A {item}."));
        assert!(told.ends_with(&format!(", item R.A: VALUE {value} does not fit the item")), "{told}");
    }
}

#[test]
fn items_behind_a_variable_table_move_up() {
    let text = "01 R. 05 N PIC 9. 05 T OCCURS 0 TO 5 DEPENDING ON N. 10 X PIC XX. 05 Z PIC X.";
    check(text, r#"{"N":2,"T":[{"X":"A"},{"X":"BC"}],"Z":"!"}"#, b"\xF2\xC1\x40\xC2\xC3\x5A");
    check(text, r#"{"N":0,"T":[],"Z":"!"}"#, b"\xF0\x5A");
}

#[test]
fn members_may_come_in_any_order() {
    let text = "01 R. 05 N PIC 9. 05 T PIC X OCCURS 0 TO 5 DEPENDING ON N. 05 G. 10 M PIC 9. 10 U OCCURS 3 DEPENDING ON M PIC X.
                05 Z PIC X.";
    let converter = converter(text, &ConvertOptions::of_ccsid(37));
    let mut record = Vec::new();
    converter.encode(br#"{"Z":"z","G":{"U":["u","v"]},"T":["a","b","c"]}"#, &mut record).expect("fits");
    assert_eq!(hexadecimal(&record), "F3818283F2A4A5A9");
}

mod wrapped {
    use crate::{ConvertOptions, Converter, Copybook, LayoutOptions, ParseOptions};

    fn converter() -> Converter {
        let copybook = Copybook::parse("01 R. 05 A PIC 9(2). 05 B PIC X(3).", &ParseOptions::default()).unwrap();
        let layout = copybook.layout(None, &LayoutOptions::default()).unwrap();
        Converter::new(&layout, &ConvertOptions::of_ccsid(37)).unwrap()
    }

    fn names() -> Vec<String> {
        vec!["op\"1".to_owned(), "R".to_owned()]
    }

    #[test]
    fn a_record_within_objects_of_one_member_goes_both_ways() {
        let json = br#"{"op\"1":{"R":{"A":7,"B":"xy"}}}"#;
        let mut record = vec![1];
        converter().encode_within(&names(), json, &mut record).unwrap();
        assert_eq!(record, b"\x01\xF0\xF7\xA7\xA8\x40");
        let mut back = Vec::new();
        converter().decode_within(&names(), &record[1..], &mut back).unwrap();
        assert_eq!(back, json);
    }

    #[test]
    fn errors_point_through_the_wrapper_and_leave_the_buffer_as_it_was() {
        let refused = |json: &str| {
            let mut record = vec![1];
            let error = converter().encode_within(&names(), json.as_bytes(), &mut record).unwrap_err();
            assert_eq!(record, [1]);
            format!("{}: {}", error.pointer, error.problem)
        };
        assert_eq!(refused(r#"{"A":7}"#), ": expected an object with the member 'op\"1' around the record");
        assert_eq!(refused(r#"{}"#), ": expected an object with the member 'op\"1' around the record");
        assert_eq!(
            refused(r#"{"op\"1":{"S":{}}}"#),
            "/op\"1: expected an object with the member 'R' around the record"
        );
        assert_eq!(
            refused(r#"{"op\"1":{"R":{"A":700}}}"#),
            "/op\"1/R/A: the number has more than 2 digits before the decimal point"
        );
        assert_eq!(refused(r#"{"op\"1":{"R":{},"S":1}}"#), "/op\"1: there is no item for the member 'S'");
        assert_eq!(refused(r#"{"op\"1":{"R":{}}} 1"#), ": the JSON text is malformed: something follows the value");
        let mut json = b"[".to_vec();
        converter().decode_within(&names(), b"\xF0", &mut json).unwrap_err();
        assert_eq!(json, b"[");
    }
}

mod omitted {
    use crate::{ConvertOptions, Converter, Copybook, LayoutOptions, ParseOptions};

    fn decode(options: &ConvertOptions, record: &[u8]) -> String {
        let text = "01 R. 05 A PIC X(2). 05 G. 10 B PIC X(2). 05 N PIC 9. 05 T PIC X OCCURS 0 TO 2 DEPENDING ON N. 05 C PIC X.";
        let copybook = Copybook::parse(text, &ParseOptions::default()).unwrap();
        let layout = copybook.layout(None, &LayoutOptions::default()).unwrap();
        let mut json = Vec::new();
        Converter::new(&layout, options).unwrap().decode(record, &mut json).unwrap();
        String::from_utf8(json).unwrap()
    }

    #[test]
    fn empty_members_and_those_filled_with_a_byte_are_left_out_and_what_follows_keeps_its_place() {
        let plain = ConvertOptions::of_ccsid(37);
        let record = b"\x40\x40\0\0\xF0\xC1";
        assert_eq!(decode(&plain, record), r#"{"A":"","G":{"B":"\u0000\u0000"},"N":0,"T":[],"C":"A"}"#);
        let filled = ConvertOptions { omit_filled_with: Some(0), ..plain.clone() };
        assert_eq!(decode(&filled, record), r#"{"A":"","G":{},"N":0,"T":[],"C":"A"}"#);
        let both = ConvertOptions { omit_empty: true, ..filled };
        assert_eq!(decode(&both, record), r#"{"N":0,"C":"A"}"#);
        assert_eq!(decode(&both, b"\x40\x40\x40\x40\xF1\x40\xC1"), r#"{"N":1,"T":[""],"C":"A"}"#);
    }
}

#[test]
fn texts_of_a_table_are_decoded_as_each_by_itself() {
    let of_table = "01 R. 05 T PIC X(5) OCCURS 4.";
    let of_items = "01 R. 05 A PIC X(5). 05 B PIC X(5). 05 C PIC X(5). 05 D PIC X(5).";
    let decoded = |text: &str, ccsid: u32, record: &[u8]| {
        let mut out = b"before".to_vec();
        let done = converter(text, &ConvertOptions::of_ccsid(ccsid)).decode(record, &mut out);
        (done.map_err(|error| (error.offset, error.problem)), String::from_utf8_lossy(&out).into_owned())
    };
    let in_latin: [&[u8]; 8] = [
        b"abcdefghijklmnopqrst",
        b"                    ",
        b"a    bc   def  ghij ",
        b" a    b c  d   e    ",
        b"a\"bcdefghijklmnopqrs",
        b"abcdefghijklmno\\qrst",
        b"abcdefghij\0lmnopqrst",
        b"abcde\xE4ghijklmnopqrs\x7F",
    ];
    for latin in in_latin {
        for ccsid in [819, 1208, 37, 500] {
            let set = codepage::CharacterSet::of(ccsid, codepage::ByteOrder::Big).expect("known");
            let record: Vec<u8> = match ccsid {
                819 | 1208 => latin.to_vec(),
                _ => latin.iter().map(|byte| set.byte_of(char::from(*byte)).expect("all of Latin-1")).collect(),
            };
            let (table, items) = (decoded(of_table, ccsid, &record), decoded(of_items, ccsid, &record));
            let listed = items.1.replace("{\"A\":", "{\"T\":[").replace("\"B\":", "").replace("\"C\":", "");
            let listed = listed.replace("\"D\":", "").replace('}', "]}");
            assert_eq!(table, (items.0, listed), "{ccsid}: {}", String::from_utf8_lossy(latin));
        }
    }
}
