//! `copybook layout|schema|encode|decode` as whole commands.

use expect_test::{Expect, expect};

use crate::program::Folder;

const ORDER: &str = "       01  ORDER-RECORD.
           05  CUSTOMER       PIC X(6).
           05  LINE-COUNT     PIC 9(2).
           05  LINES OCCURS 1 TO 3 TIMES DEPENDING ON LINE-COUNT.
               10  QUANTITY   PIC S9(3) COMP-3.
               10  PRICE      PIC S9(3)V99 COMP-5.
           COPY TAIL REPLACING ==:P:== BY ==ORDER==.
";
const TAIL: &str = "           05  :P:-STATE PIC X.\n";

fn check(arguments: &[&str], input: &str, expected: Expect) {
    let folder = Folder::new();
    let file = folder.write("ORDER.cpy", ORDER);
    folder.write("tail.cpy", TAIL);
    let file = file.display().to_string();
    let arguments: Vec<&str> = arguments.iter().map(|each| if *each == "FILE" { &file } else { *each }).collect();
    expected.assert_eq(&folder.run_with(&arguments, input));
}

#[test]
fn layout_shows_every_item_to_people_and_programs() {
    check(
        &["copybook", "layout", "FILE"],
        "",
        expect![[r#"
        exit 0
        out: ORDER-RECORD: 27 bytes at most, 15 at least
        out:   offset   length  item
        out:        0        6  05 CUSTOMER PIC X(6) DISPLAY
        out:        6        2  05 LINE-COUNT PIC 9(2) DISPLAY
        out:        8        6  05 LINES OCCURS 1 TO 3 DEPENDING ON LINE-COUNT
        out:        8        2    10 QUANTITY PIC S9(3) COMP-3
        out:       10        4    10 PRICE PIC S9(3)V99 COMP-5
        out:       26        1  05 ORDER-STATE PIC X DISPLAY
    "#]],
    );
    check(
        &["copybook", "layout", "FILE", "--json"],
        "",
        expect![[r#"
        exit 0
        out: {"record":"ORDER-RECORD","length":27,"items":[{"path":"ORDER-RECORD.CUSTOMER","level":5,"offset":0,"length":6,"usage":"DISPLAY","occurs":null,"picture":"X(6)"},{"path":"ORDER-RECORD.LINE-COUNT","level":5,"offset":6,"length":2,"usage":"DISPLAY","occurs":null,"picture":"9(2)"},{"path":"ORDER-RECORD.LINES","level":5,"offset":8,"length":6,"usage":"GROUP","occurs":3,"minimumOccurs":1,"dependingOn":"ORDER-RECORD.LINE-COUNT"},{"path":"ORDER-RECORD.LINES.QUANTITY","level":10,"offset":8,"length":2,"usage":"COMP-3","occurs":null,"picture":"S9(3)"},{"path":"ORDER-RECORD.LINES.PRICE","level":10,"offset":10,"length":4,"usage":"COMP-5","occurs":null,"picture":"S9(3)V99"},{"path":"ORDER-RECORD.ORDER-STATE","level":5,"offset":26,"length":1,"usage":"DISPLAY","occurs":null,"picture":"X"}]}
    "#]],
    );
}

#[test]
fn encode_and_decode_undo_each_other() {
    let json = r#"{"CUSTOMER":"ADA","LINE-COUNT":2,"LINES":[{"QUANTITY":-3,"PRICE":1.5},{"QUANTITY":7,"PRICE":0}],"ORDER-STATE":"N"}"#;
    check(
        &["copybook", "encode", "FILE", "--hex"],
        json,
        expect![[r#"
        exit 0
        out: c1c4c1404040f0f2003d00000096007c00000000d5
    "#]],
    );
    check(
        &["copybook", "decode", "FILE", "--hex"],
        "c1c4c1404040f0f2003d00000096007c00000000d5",
        expect![[r#"
        exit 0
        out: {"CUSTOMER":"ADA","LINE-COUNT":2,"LINES":[{"QUANTITY":-3,"PRICE":1.5},{"QUANTITY":7,"PRICE":0}],"ORDER-STATE":"N"}
    "#]],
    );
    check(
        &["copybook", "decode", "FILE", "--hex", "--codepage", "ASCII", "--byte-order", "little"],
        "414441202020 3031 003d 96000000 4e",
        expect![[r#"
            exit 0
            out: {"CUSTOMER":"ADA","LINE-COUNT":1,"LINES":[{"QUANTITY":-3,"PRICE":1.5}],"ORDER-STATE":"N"}
        "#]],
    );
}

#[test]
fn what_does_not_fit_ends_with_pointer_item_and_offset() {
    check(
        &["copybook", "encode", "FILE"],
        r#"{"LINES":[{"QUANTITY":1234}]}"#,
        expect![[r#"
        exit 1
        err: quaymaster: at '/LINES/0/QUANTITY', item ORDER-RECORD.LINES.QUANTITY, offset 8: the number has more than 3 digits before the decimal point (byte 22 of the JSON text)
    "#]],
    );
    check(
        &["copybook", "decode", "FILE", "--hex"],
        "c1c4c1404040f0f4",
        expect![[r#"
        exit 1
        err: quaymaster: at '/LINES', item ORDER-RECORD.LINES, offset 8: there are 4 occurrences, the table has at most 3
    "#]],
    );
    check(
        &["copybook", "decode", "FILE", "--codepage", "nonsense"],
        "",
        expect![[r#"
        exit 2
        err: quaymaster: invalid value 'nonsense' for '--codepage <CODEPAGE>': no code page known here; expected a CCSID such as 037 or 1047, or UTF-8, UTF-16, ASCII, ISO-8859-1
    "#]],
    );
    check(
        &["copybook", "decode", "FILE", "--currency", "9"],
        "",
        expect![[r#"
        exit 2
        err: quaymaster: invalid value '9' for '--currency <CHARACTER>': it is not one character that COBOL allows as CURRENCY SIGN
    "#]],
    );
    check(
        &["copybook", "layout", "no-such-file.cpy"],
        "",
        expect![[r#"
        exit 1
        err: quaymaster: no-such-file.cpy: No such file or directory (os error 2)
    "#]],
    );
}

#[test]
fn the_schema_is_json() {
    let folder = Folder::new();
    let file = folder.write("R.cpy", "       01  R.\n           05  A PIC X(3).\n");
    let text = folder.run(&["copybook", "schema", &file.display().to_string()]);
    expect![[r#"
        exit 0
        out: {
        out:   "$schema": "https://json-schema.org/draft/2020-12/schema",
        out:   "title": "R",
        out:   "type": "object",
        out:   "properties": {
        out:     "A": {
        out:       "type": "string",
        out:       "maxLength": 3,
        out:       "description": "PIC X(3) DISPLAY"
        out:     }
        out:   },
        out:   "additionalProperties": false
        out: }
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_whole_file_becomes_a_table_and_comes_back() {
    let folder = Folder::new();
    let copybook = folder.write(
        "P.cpy",
        "       01  P.\n           05 NAME PIC X(4).\n           05 FILLER PIC X.\n           05 N PIC 9(2).\n",
    );
    let data = folder.write("data", "adax 7bob 08");
    let path = |name: &str| folder.join(name).display().to_string();
    let (copybook, data) = (copybook.display().to_string(), data.display().to_string());
    let run = |verb: &str, from: &str, to: &str, more: &[&str]| {
        let fixed =
            ["copybook", verb, &copybook, "--compiler", "gnucobol", "--records", "fixed", "--data", from, "-o", to];
        folder.run(&[&fixed[..], more].concat())
    };
    let lenient = ["--lenient", "--report", &path("report")];
    let ten = folder.write("ten", "adax 07bobyz08").display().to_string();
    assert_eq!(run("decode", &ten, &path("t.csv"), &[]), "exit 0\n");
    assert_eq!(folder.read("t.csv"), "NAME,N\nadax,7\nboby,8\n");
    assert_eq!(run("encode", &path("t.csv"), &path("back"), &[]), "exit 0\n");
    assert_eq!(folder.read("back"), "adax 07boby 08");
    for form in ["t.parquet", "t.jsonl"] {
        assert_eq!(run("decode", &ten, &path(form), &["--fillers"]), "exit 0\n");
        assert_eq!(run("encode", &path(form), &path("back"), &["--fillers"]), "exit 0\n");
        assert_eq!(folder.read("back"), "adax 07bobyz08", "{form}");
    }
    expect![[r#"
        exit 1
        err: quaymaster: record 2 at byte 7: the file ends after 5 bytes of a record of 7
    "#]]
    .assert_eq(&run("decode", &data, &path("t.jsonl"), &lenient));
    assert!(!folder.join("t.jsonl").exists(), "what is not whole is removed");
    let wrong = folder.write("wrong", "adax x7bob  08").display().to_string();
    expect![[r#"
        exit 0
        err: 2 records, 0 left out
        err: P.N: 1 do not fit, first in record 1: X'7837' is not a valid number of this kind
    "#]]
    .assert_eq(&run("decode", &wrong, &path("t.jsonl"), &lenient));
    assert_eq!(folder.read("t.jsonl"), "{\"NAME\":\"adax\",\"N\":null}\n{\"NAME\":\"bob\",\"N\":8}\n");
    let report =
        "{\"record\":1,\"offset\":5,\"item\":\"P.N\",\"problem\":\"X'7837' is not a valid number of this kind\"}\n";
    assert_eq!(folder.read("report"), report);
}

#[test]
fn segments_of_a_file_are_chosen_by_a_field() {
    let folder = Folder::new();
    let text = "       01  R.\n           05 KIND PIC X.\n           05 BODY PIC X(2).\n           05 NUMBERS REDEFINES BODY.\n\
        \x20             10 A PIC 9.\n               10 B PIC 9.\n";
    let copybook = folder.write("R.cpy", text).display().to_string();
    let arguments =
        ["copybook", "decode", &copybook, "--compiler", "gnucobol", "--records", "fixed", "--segment-field", "KIND"];
    let run = |more: &[&str]| folder.run_with(&[&arguments[..], more].concat(), "TabXN1");
    expect![[r#"
        exit 0
        out: {"KIND":"T","BODY":"ab"}
        out: {"KIND":"X","BODY":"N1"}
    "#]]
    .assert_eq(
        &folder.run_with(&[&arguments[..], &["--segment", "N=NUMBERS", "--segment", "*=BODY"]].concat(), "TabXN1"),
    );
    expect![[r#"
        exit 0
        out: {"KIND":"T","BODY":"ab"}
        out: {"KIND":"N","NUMBERS":{"A":1,"B":2}}
    "#]]
    .assert_eq(
        &folder.run_with(&[&arguments[..], &["--segment", "N=NUMBERS", "--segment", "T=BODY"]].concat(), "TabN12"),
    );
    let refused = run(&["--segment", "N=NUMBERS"]);
    assert!(refused.contains("record 1 at byte 0: no segment is chosen for KIND = X'54'"), "{refused}");
}

#[test]
fn a_copybook_in_ebcdic_is_read_as_it_is() {
    let folder = Folder::new();
    let mut cards = Vec::new();
    for line in ["       01  R.", "           05 A PIC X(3)."] {
        codepage::encode(37, &format!("{line:80}"), &mut cards).expect("EBCDIC");
    }
    let file = folder.join("R");
    std::fs::File::create(&file).and_then(|mut file| std::io::Write::write_all(&mut file, &cards)).expect("written");
    expect![[r#"
        exit 0
        out: R: 3 bytes
        out:   offset   length  item
        out:        0        3  05 A PIC X(3) DISPLAY
    "#]]
    .assert_eq(&folder.run(&["copybook", "layout", &file.display().to_string()]));
}

#[test]
fn blocks_of_records_are_read_and_written_up_to_their_size() {
    let folder = Folder::new();
    let text = "       01  R.\n           05 N PIC 9.\n           05 T PIC X OCCURS 0 TO 9 DEPENDING ON N.\n";
    let copybook = folder.write("R.cpy", text).display().to_string();
    let path = |name: &str| folder.join(name).display().to_string();
    // A block of two records, and one of one.
    let file =
        folder.write("in", "\0\x0F\0\0\0\x05\0\x000\0\x06\0\x001a\0\x0B\0\0\0\x07\0\x002bc").display().to_string();
    let run = |verb: &str, from: &str, to: &str, more: &[&str]| {
        let basic =
            ["copybook", verb, &copybook, "--compiler", "gnucobol", "--records", "vb", "--data", from, "-o", to];
        folder.run(&[&basic, more].concat())
    };
    let told = run("decode", &file, &path("out.jsonl"), &[]);
    assert!(told.starts_with("exit 0"), "{told}");
    assert_eq!(
        folder.read("out.jsonl"),
        "{\"N\":0,\"T\":[]}\n{\"N\":1,\"T\":[\"a\"]}\n{\"N\":2,\"T\":[\"b\",\"c\"]}\n"
    );
    let told = run("encode", &path("out.jsonl"), &path("back"), &["--block-size", "16"]);
    assert!(told.starts_with("exit 0"), "{told}");
    assert_eq!(folder.read("back"), folder.read("in"));
    let told = run("encode", &path("out.jsonl"), &path("one"), &[]);
    assert!(told.starts_with("exit 0"), "{told}");
    assert_eq!(folder.read("one").len(), folder.read("in").len() - 4);
}
