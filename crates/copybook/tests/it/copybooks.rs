//! Text to items: reference formats, COPY, clauses, and the errors of text that is no copybook.

use std::fmt::Write as _;

use copybook::{Copybook, DataItem, Format, Literal, ParseOptions};
use expect_test::{Expect, expect};

fn show(item: &DataItem, depth: usize, out: &mut String) {
    let _ = write!(out, "{}{:02} {}", "  ".repeat(depth), item.level, item.name.as_deref().unwrap_or("FILLER"));
    if let Some(redefined) = &item.redefines {
        let _ = write!(out, " redefines {redefined}");
    }
    if let Some(picture) = &item.picture {
        let _ = write!(out, " {}", picture.text);
    }
    if item.children.is_empty() {
        let _ = write!(out, " {}", item.usage.spelled());
    }
    if let Some(occurs) = &item.occurs {
        let _ = write!(out, " {}..{}", occurs.minimum, occurs.maximum);
        if let Some(names) = &occurs.depending_on {
            let _ = write!(out, " by {}", names.join(" of "));
        }
    }
    if let Some(value) = &item.value {
        let _ = write!(out, " = {:?}", value.literal);
    }
    for condition in &item.conditions {
        let _ = write!(out, " [{}]", condition.name);
    }
    out.push('\n');
    for child in &item.children {
        show(child, depth + 1, out);
    }
}

fn parse(text: &str, options: &ParseOptions<'_>) -> String {
    match Copybook::parse(text, options) {
        Ok(copybook) => {
            let mut out = String::new();
            for item in copybook.records.iter().chain(&copybook.standalone) {
                show(item, 0, &mut out);
            }
            out
        }
        Err(error) => format!("{error}\n"),
    }
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&parse(text, &ParseOptions::default()));
}

#[test]
fn names_are_those_of_items_conditions_constants_and_indexes() {
    let text = "78 MOST VALUE 3. 01 R. 05 a PIC X. 88 is-a VALUE 'A'.
        05 T OCCURS MOST TIMES ASCENDING KEY K INDEXED BY ix, IY. 10 K PIC 9. 10 FILLER PIC X.
        66 Z RENAMES a. 77 ALONE PIC X.";
    let copybook = Copybook::parse(text, &ParseOptions::default()).expect("a copybook");
    let names: Vec<String> = copybook.names().into_iter().collect();
    assert_eq!(names, ["A", "ALONE", "IS-A", "IX", "IY", "K", "MOST", "R", "T", "Z"]);
}

#[test]
fn fixed_format_has_sequence_numbers_comments_and_a_margin() {
    check(
        "000100* A COMMENT                                                       PROGID01\n\
         000200 01  CUSTOMER.                                                    PROGID01\n\
         000300/                                                                 PROGID01\n\
         000400     05  NAME        PIC X(20).                                   PROGID01\n\
         000500D    05  DEBUG-ONLY  PIC X.                                       PROGID01\n\
         CHG001     05  BALANCE     PIC S9(7)V99 COMP-3.                         PROGID01\n",
        expect![[r#"
            01 CUSTOMER
              05 NAME X(20) DISPLAY
              05 BALANCE S9(7)V99 COMP-3
        "#]],
    );
}

#[test]
fn words_and_literals_continue_on_the_next_line() {
    check(
        "       01  R.\n           05  LONG-NA\n      -        ME PIC X(80) VALUE 'THE FIRST LINE GOES UP TO COLUMN 72 AND\n      -        ' THE REST FOLLOWS'.\n",
        expect![[r#"
            01 R
              05 LONG-NAME X(80) DISPLAY = Text("THE FIRST LINE GOES UP TO COLUMN 72 A THE REST FOLLOWS")
        "#]],
    );
}

#[test]
fn a_quotation_mark_in_column_72_goes_on_with_two() {
    let mut out = String::new();
    for quote in ['\'', '"'] {
        let text = |rest: &str| {
            let first = format!("           05  A PIC X(80) VALUE {quote}");
            format!("       01  R.\n{first:x<71}{quote}\n      -    {}\n", rest.replace('q', &quote.to_string()))
        };
        for rest in ["qqyyq.", "qyyq.", "qqyy.", "."] {
            out += &parse(&text(rest), &ParseOptions::default());
        }
    }
    expect![[r#"
        01 R
          05 A X(80) DISPLAY = Text("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'yy")
        line 3, column 12: a literal with a quotation mark in column 72 must continue with two quotation marks
        line 2, column 34: the literal is not closed
        01 R
          05 A X(80) DISPLAY = Text("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")
        01 R
          05 A X(80) DISPLAY = Text("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"yy")
        line 3, column 12: a literal with a quotation mark in column 72 must continue with two quotation marks
        line 2, column 34: the literal is not closed
        01 R
          05 A X(80) DISPLAY = Text("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")
    "#]]
    .assert_eq(&out);
    // A pair of them before column 72 is one of the value, and the literal is open.
    let first = format!("{:x<70}''", "           05  A PIC X(80) VALUE '");
    check(
        &format!("       01  R.\n{first}\n      -    'yy'.\n"),
        expect![[r#"
            01 R
              05 A X(80) DISPLAY = Text("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'yy")
        "#]],
    );
}

#[test]
fn free_format_is_seen_by_code_in_the_first_columns() {
    check(
        "01 R. *> a record\n  05 A PIC X(3). *> an item\n\n  05 B PIC 9(4) COMP.\n",
        expect![[r#"
            01 R
              05 A X(3) DISPLAY
              05 B 9(4) COMP
        "#]],
    );
    check(
        "       >>SOURCE FORMAT IS FREE\n01 R.\n05 A PIC X.\n",
        expect![[r#"
            01 R
              05 A X DISPLAY
        "#]],
    );
}

#[test]
fn conditional_compilation_is_refused_and_other_directives_are_passed_over() {
    let mut out = String::new();
    for (line, rest) in [
        (">>IF LONG DEFINED", ">>END-IF"),
        ("       >>EVALUATE TRUE", ">>END-EVALUATE"),
        ("       >> if long = 1", ""),
        ("000200 >>WHEN OTHER", ""),
        ("000200 >>ELIF X", ""),
        ("      $IF LONG DEFINED", "      $END"),
        ("000200$ELSE", ""),
        ("      $END", ""),
        ("       >>DEFINE LONG AS 1", "       >>SET CONSTANT X"),
        ("      $SET ANS85", "      $DISPLAY X"),
    ] {
        let text = format!("       01  R.\n{line}\n           05  A PIC X.\n{rest}\n");
        out += &parse(&text, &ParseOptions { format: Format::Fixed, ..ParseOptions::default() });
    }
    expect![[r#"
        line 2, column 1: >>IF: conditional compilation is not supported: keep only the lines that apply
        line 2, column 8: >>EVALUATE: conditional compilation is not supported: keep only the lines that apply
        line 2, column 8: >>IF: conditional compilation is not supported: keep only the lines that apply
        line 2, column 8: >>WHEN: conditional compilation is not supported: keep only the lines that apply
        line 2, column 8: >>ELIF: conditional compilation is not supported: keep only the lines that apply
        line 2, column 7: $IF: conditional compilation is not supported: keep only the lines that apply
        line 2, column 7: $ELSE: conditional compilation is not supported: keep only the lines that apply
        line 2, column 7: $END: conditional compilation is not supported: keep only the lines that apply
        01 R
          05 A X DISPLAY
        01 R
          05 A X DISPLAY
    "#]]
    .assert_eq(&out);
}

#[test]
fn every_clause_is_read_in_any_order() {
    check(
        "01 R.
           05 A VALUE ZERO PIC IS S9(4) USAGE IS COMPUTATIONAL SYNCHRONIZED LEFT.
           05 B REDEFINES A PICTURE X(2) JUSTIFIED RIGHT.
           05 C PIC S9(5) SIGN IS LEADING SEPARATE CHARACTER.
           05 D PIC ZZ9 BLANK WHEN ZERO.
              88 IS-SMALL VALUES ARE 1 THRU 9, 20 WHEN FALSE 99.
              88 IS-OTHER VALUE 'A' 'B'.
           05 E OCCURS 1 TO 10 TIMES DEPENDING ON C OF R ASCENDING KEY IS F INDEXED BY I J PIC X.
           05 COMP-1.
           05 G USAGE POINTER. 05 H INDEX. 05 I COMP-2. 05 J PROCEDURE-POINTER. 05 K BINARY-LONG UNSIGNED.
           05 L PIC N(5). 05 M PIC G(5) DISPLAY-1. 05 N PIC U(5). 05 O PIC +9.99E+99.
           66 Z RENAMES A THRU D.
         77 W PIC 9(3) PACKED-DECIMAL VALUE 5.",
        expect![[r#"
            01 R
              05 A S9(4) COMP = Zero
              05 B redefines A X(2) DISPLAY
              05 C S9(5) DISPLAY
              05 D ZZ9 DISPLAY [IS-SMALL] [IS-OTHER]
              05 E X DISPLAY 1..10 by C of R
              05 FILLER COMP-1
              05 G POINTER
              05 H INDEX
              05 I COMP-2
              05 J PROCEDURE-POINTER
              05 K BINARY-LONG
              05 L N(5) NATIONAL
              05 M G(5) DISPLAY-1
              05 N U(5) UTF-8
              05 O +9.99E+99 DISPLAY
            77 W 9(3) COMP-3 = Number("5")
        "#]],
    );
}

#[test]
fn native_behind_a_usage_is_a_comment() {
    check(
        "01 R. 05 A PIC 9(4) BINARY NATIVE. 05 B PIC 9(4) USAGE IS COMP NATIVE. 05 C PIC 9(3) COMP-3 NATIVE SYNC.
           05 D PACKED-DECIMAL NATIVE PIC 9. 05 E COMP-1 NATIVE. 05 F PIC N(2) NATIONAL NATIVE.
           05 G PIC G(2) DISPLAY-1 NATIVE. 05 H PIC X DISPLAY NATIVE. 05 I USAGE COMP-2 NATIVE VALUE 0. 05 NATIVE PIC X.",
        expect![[r#"
            01 R
              05 A 9(4) COMP
              05 B 9(4) COMP
              05 C 9(3) COMP-3
              05 D 9 COMP-3
              05 E COMP-1
              05 F N(2) NATIONAL
              05 G G(2) DISPLAY-1
              05 H X DISPLAY
              05 I COMP-2 = Number("0")
              05 NATIVE X DISPLAY
        "#]],
    );
}

#[test]
fn usage_and_sign_of_a_group_hold_below_it() {
    check(
        "01 R USAGE COMP-3. 05 G. 10 A PIC 9(3). 10 B PIC S9(5).",
        expect![[r#"
            01 R
              05 G
                10 A 9(3) COMP-3
                10 B S9(5) COMP-3
        "#]],
    );
}

#[test]
fn entries_without_a_level_01_belong_to_a_record_without_a_name() {
    check(
        "       06 HEAD.\n         09 A PIC X.\n       06 BODY.\n         09 B PIC X.\n",
        expect![[r#"
            00 FILLER
              06 HEAD
                09 A X DISPLAY
              06 BODY
                09 B X DISPLAY
        "#]],
    );
}

#[test]
fn what_stands_around_data_descriptions_is_passed_over() {
    check(
        "       DATA DIVISION.\n       FILE SECTION.\n       FD  ORDERS RECORDING MODE F.\n           EXEC SQL DECLARE T TABLE (A INT) END-EXEC.\n       EJECT\n       01  R.\n           05  A PIC X.\n       SKIP2\n           05  B PIC X.\n",
        expect![[r#"
            01 R
              05 A X DISPLAY
              05 B X DISPLAY
        "#]],
    );
}

#[test]
fn a_title_has_its_literal_and_options_their_line() {
    check(
        "       CBL LIB,APOST\n       PROCESS ARITH(EXTEND)\n       TITLE 'ORDERS'\n       01  R.\n           05  A PIC X.\n       TITLE 'MORE'.\n           05  B PIC X.\n",
        expect![[r#"
            01 R
              05 A X DISPLAY
              05 B X DISPLAY
        "#]],
    );
}

#[test]
fn items_of_one_group_may_have_unequal_levels() {
    check(
        "01 R. 05 A. 10 B PIC X. 07 E PIC X. 04 C. 08 D PIC X. 03 F PIC X. 01 S. 10 A PIC X. 05 B PIC X.",
        expect![[r#"
            01 R
              05 A
                10 B X DISPLAY
                07 E X DISPLAY
              04 C
                08 D X DISPLAY
              03 F X DISPLAY
            01 S
              10 A X DISPLAY
              05 B X DISPLAY
        "#]],
    );
}

#[test]
fn commas_and_semicolons_part_words_without_blanks() {
    check(
        "01 R. 05 A PIC X VALUE SPACE;OCCURS 3 INDEXED BY I,J;K. 05 B PIC ZZ,ZZ9.99, VALUE ZERO. 05 C PIC 9(4), COMP.",
        expect![[r#"
            01 R
              05 A X DISPLAY 3..3 = Space
              05 B ZZ,ZZ9.99 DISPLAY = Zero
              05 C 9(4) COMP
        "#]],
    );
    let values = |decimal_comma: bool, values: &str| {
        let options = ParseOptions { decimal_comma, format: Format::Free, ..ParseOptions::default() };
        let copybook = Copybook::parse(&format!("01 R PIC X(9). 88 V VALUES {values}."), &options).expect("a copybook");
        let shown = copybook.records[0].conditions[0].values.iter().map(|(value, _)| value.to_string());
        shown.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(values(false, "'A','B';'C,D',, 'E'"), "'A' 'B' 'C,D' 'E'");
    assert_eq!(values(false, "01,02;-3,+4, 5.5"), "01 02 -3 +4 5.5");
    assert_eq!(values(true, "1,5;2,5, -,5 ,75, 3"), "1.5 2.5 -.5 .75 3");
    assert_eq!(values(true, "'A','B',SPACE,ZERO"), "'A' 'B' SPACE ZERO");
}

#[test]
fn replaced_words_are_compared_without_regard_to_case_beyond_ascii() {
    check(
        "01 R. REPLACE ==Länge== BY ==LEN==. 05 LÄNGE PIC 9.",
        expect![[r#"
            01 R
              05 LEN 9 DISPLAY
        "#]],
    );
}

#[test]
fn replaced_words_may_have_characters_that_are_longer_in_upper_case() {
    for replace in ["TRAILING ==-X== BY ==-Y==", "LEADING ==X-== BY ==Y-=="] {
        check(
            &format!("01 R. REPLACE {replace}. 05 ßßßß-x PIC X. 05 x-ßßßß PIC X."),
            if replace.starts_with("LEADING") {
                expect![[r#"
                    01 R
                      05 ßßßß-x X DISPLAY
                      05 Y-ßßßß X DISPLAY
                "#]]
            } else {
                expect![[r#"
                    01 R
                      05 ßßßß-Y X DISPLAY
                      05 x-ßßßß X DISPLAY
                "#]]
            },
        );
    }
}

#[test]
fn what_grows_with_the_text_takes_no_stack_and_bounded_memory() {
    let row = "X'41' & ".repeat(100_000);
    let text = format!("01 R PIC X. 88 V VALUE {row}X'42'.");
    let copybook = Copybook::parse(&text, &ParseOptions::default()).expect("a copybook");
    let Literal::Bytes(bytes) = &copybook.records[0].conditions[0].values[0].0 else { panic!("bytes") };
    assert_eq!(bytes.len(), 100_001);
    let text = format!("01 R PIC X VALUE {}'X'.", "ALL ".repeat(100_000));
    check(&text, expect!["line 1, column 22, item R: expected a literal, found 'ALL'\n"]);
    let doubled: String = (1..60).map(|each| format!("\n78 C{each} VALUE C{0} & C{0}.", each - 1)).collect();
    let text = format!("78 C0 VALUE 'X'.{doubled}\n01 R PIC X VALUE C59.");
    check(&text, expect!["line 23, column 14, item C22: constants have more than 4194304 characters\n"]);
    let text = format!("01 R.\n{}05 A PIC X.", "\t".repeat(600_000));
    check(&text, expect!["line 2, column 1: the text is longer than 4194304 characters\n"]);
}

#[test]
fn copy_replaces_words_parts_of_words_and_beginnings() {
    let resolver = |name: &str, library: Option<&str>| match (name, library) {
        ("CUST", None) => Some("           05  :TAG:-NAME PIC X(:LEN:).\n           05  OLD-CODE PIC X.\n".to_owned()),
        ("ADDR", Some("LIB")) => Some("           05  STREET PIC X(30).\n".to_owned()),
        _ => None,
    };
    let options = ParseOptions { resolver: Some(&resolver), ..ParseOptions::default() };
    let text = "       01  R.\n           COPY CUST REPLACING ==:TAG:== BY ==SHIP== ==:LEN:== BY ==12==\n               LEADING ==OLD== BY ==NEW==.\n           COPY ADDR IN LIB.\n           05  LAST-ONE PIC X.\n";
    expect![[r#"
        01 R
          05 SHIP-NAME X(12) DISPLAY
          05 NEW-CODE X DISPLAY
          05 STREET X(30) DISPLAY
          05 LAST-ONE X DISPLAY
    "#]]
    .assert_eq(&parse(text, &options));
    expect!["line 2, column 12: member GONE is not found\n"]
        .assert_eq(&parse("       01 R.\n           COPY GONE.\n", &options));
    let inside = |_: &str, _: Option<&str>| Some("           05 A PIC X\n           05 B PIC Q.\n".to_owned());
    let options = ParseOptions { resolver: Some(&inside), ..ParseOptions::default() };
    expect!["member M, line 2, column 12, item A: the level number 05 is inside an entry: the period before it may be missing\n"]
        .assert_eq(&parse("       01 R.\n           COPY M.\n", &options));
}

#[test]
fn include_of_embedded_sql_copies_a_member() {
    let resolver = |name: &str, _: Option<&str>| match name {
        "DCLORD" => Some("           05  ORD-NO PIC X(4).\n           EXEC SQL INCLUDE DCLPOS END-EXEC\n".to_owned()),
        "DCLPOS" => Some("           05  POS-NO PIC X(2).\n".to_owned()),
        _ => None,
    };
    let options = ParseOptions { resolver: Some(&resolver), ..ParseOptions::default() };
    let text = "           EXEC SQL INCLUDE SQLCA END-EXEC.\n       01  R.\n           05  A PIC X.\n           exec sql\n             include dclord\n           end-exec.\n           EXEC SQL INCLUDE SQLDA END-EXEC\n           05  B PIC X.\n";
    expect![[r#"
        01 R
          05 A X DISPLAY
          05 ORD-NO X(4) DISPLAY
          05 POS-NO X(2) DISPLAY
          05 B X DISPLAY
    "#]]
    .assert_eq(&parse(text, &options));
    expect!["line 2, column 12: member GONE is not found\n"]
        .assert_eq(&parse("       01 R.\n           EXEC SQL INCLUDE GONE END-EXEC.\n", &options));
    expect!["line 2, column 35: expected END-EXEC, found '.'\n"]
        .assert_eq(&parse("       01 R.\n           EXEC SQL INCLUDE DCLPOS.\n", &options));
}

#[test]
fn members_that_copy_each_other_are_an_error() {
    let resolver = |_: &str, _: Option<&str>| Some("           COPY AGAIN.\n".to_owned());
    let options = ParseOptions { resolver: Some(&resolver), ..ParseOptions::default() };
    expect!["member AGAIN, line 1, column 12: members copy each other, or more than 16 deep\n"]
        .assert_eq(&parse("       01 R.\n           COPY AGAIN.\n", &options));
}

#[test]
fn replace_holds_until_it_is_switched_off() {
    check(
        "01 R. REPLACE ==:P:== BY ==AB==. 05 :P:-X PIC X. REPLACE OFF. 05 Y PIC X.",
        expect![[r#"
            01 R
              05 AB-X X DISPLAY
              05 Y X DISPLAY
        "#]],
    );
}

#[test]
fn constants_of_level_78_stand_for_their_number() {
    check(
        "78 SIZE-OF-IT VALUE 12. 78 TIMES-OF-IT VALUE 3. 01 R. 05 A PIC X(SIZE-OF-IT) OCCURS TIMES-OF-IT TIMES.",
        expect![[r#"
            01 R
              05 A X(SIZE-OF-IT) DISPLAY 3..3
        "#]],
    );
}

#[test]
fn a_decimal_comma_changes_pictures_and_literals() {
    let options = ParseOptions { decimal_comma: true, format: Format::Free, ..ParseOptions::default() };
    expect![[r#"
        01 R
          05 A Z.ZZ9,99 DISPLAY
          05 B 9V9 DISPLAY = Number("1.5")
    "#]]
    .assert_eq(&parse("01 R. 05 A PIC Z.ZZ9,99. 05 B PIC 9V9 VALUE 1,5.", &options));
}

#[test]
fn statements_of_library_systems_are_refused_by_name() {
    let of = |text: &str| parse(text, &ParseOptions { format: Format::Fixed, ..ParseOptions::default() });
    let mut out = of("-INC MEMB\n       01  R.\n");
    out += &of("       01  R.\n       ++INCLUDE MEMB\n");
    out += &of("000100 01  R.\n000200 ++INCLUDE MEMB.\n");
    expect![[r#"
        line 1, column 1: '-INC' is not supported: Librarian puts a member in here; write COPY and its name
        line 2, column 8: '++INCLUDE' is not supported: Panvalet puts a member in here; write COPY and its name
        line 2, column 8: '++INCLUDE' is not supported: Panvalet puts a member in here; write COPY and its name
    "#]]
    .assert_eq(&out);
    // A continued word is none of them.
    expect![[r#"
        01 R
          05 A-INC X DISPLAY
    "#]]
    .assert_eq(&of("       01  R.\n           05  A-\n      -INC PIC X.\n"));
}

#[test]
fn symbols_of_edited_numbers_stand_in_their_order() {
    let of = |picture: &str| parse(&format!("01 R.\n   05 A PIC {picture}."), &ParseOptions::default());
    let mut out = String::new();
    for picture in [
        "9-9", "$+9", "V+9", "9CR9", "CR999", "9(3)DBB", "9$9", "Z$ZZ", "ZZ9$", "++$", "+.+", "$.$$", "++9++", "$-$",
        "Z.Z9", "++.+9", "PZ9", "9P.", "PPV9", "9P9", "Z(2)PZ",
    ] {
        out += &of(picture);
    }
    expect![[r#"
        line 2, column 13, item A: PICTURE 9-9: a sign that does not float stands first or last
        line 2, column 13, item A: PICTURE $+9: a sign that does not float stands first or last
        line 2, column 13, item A: PICTURE V+9: a sign that does not float stands first or last
        line 2, column 13, item A: PICTURE 9CR9: CR and DB stand at the end
        line 2, column 13, item A: PICTURE CR999: CR and DB stand at the end
        line 2, column 13, item A: PICTURE 9(3)DBB: CR and DB stand at the end
        line 2, column 13, item A: PICTURE 9$9: a currency sign that does not float stands first, or behind a leading sign
        line 2, column 13, item A: PICTURE Z$ZZ: a currency sign that does not float stands first, or behind a leading sign
        line 2, column 13, item A: PICTURE ZZ9$: a currency sign that does not float stands first, or behind a leading sign
        line 2, column 13, item A: PICTURE ++$: a currency sign that does not float stands first, or behind a leading sign
        line 2, column 13, item A: PICTURE +.+: a single sign before the decimal point does not float behind it
        line 2, column 13, item A: PICTURE $.$$: a single sign before the decimal point does not float behind it
        line 2, column 13, item A: PICTURE ++9++: the signs that float do not stand together
        line 2, column 13, item A: PICTURE $-$: a sign that does not float stands first or last
        line 2, column 13, item A: PICTURE Z.Z9: the digits behind the decimal point are not all 9, or all suppressed
        line 2, column 13, item A: PICTURE ++.+9: the digits behind the decimal point are not all 9, or all suppressed
        line 2, column 13, item A: PICTURE PZ9: the digits behind the decimal point are not all 9, or all suppressed
        line 2, column 13, item A: PICTURE 9P.: P implies a decimal point of its own
        line 2, column 13, item A: PICTURE PPV9: the decimal point stands left of P
        line 2, column 13, item A: PICTURE 9P9: P stands at one end
        line 2, column 13, item A: PICTURE Z(2)PZ: P stands at one end
    "#]]
    .assert_eq(&out);
    for picture in [
        "$9-",
        "+$9",
        "+$$9",
        "$++9",
        "-9V",
        "9(3)+",
        "9(3)CR",
        "$$,$$9.99CR",
        "++.++",
        ".++",
        "**.**",
        "ZVZZ",
        "ZZ9.99-",
        "B9B9+",
        "VPP9",
        "9PPV",
        "PPZZ",
        "$PP9",
        "9PP-",
        "$B$",
    ] {
        assert_eq!(of(picture), format!("01 R\n  05 A {picture} DISPLAY\n"));
    }
}

#[test]
fn errors_name_line_column_and_item() {
    let cases = [
        "",
        "01 R.\n05 A PIC X(3.",
        "01 R.\n05 A PIC S9(40).",
        "01 R.\n05 A PIC X9Z.",
        "01 R.\n05 A PIC X COMP-3.",
        "01 R.\n05 A.",
        "01 R.\n05 A PIC X.\n10 B PIC X.",
        "01 R.\n05 A PIC X VALUE 'open.",
        "01 R.\n05 A PIC X OCCURS 0 TIMES.",
        "01 R.\n05 A PIC X OCCURS 1 TO UNBOUNDED DEPENDING ON B.",
        "01 R.\n05 A PIC X VALUE ALL ALL 'X'.",
        "78 C VALUE ALL 'X'.\n01 R.\n05 A PIC X VALUE ALL C.",
        "01 R.\n05 A PIC X VALUE 'X' & 5.",
        "01 R.\n05 A PIC X PIC X.",
        "01 R.\n05 A USAGE OBJECT REFERENCE.",
        "88 X VALUE 1.",
        "50 X PIC X.",
        "01 R.\n05 A PIC X SIGN LEADING.",
        "01 R.\n05 A PIC S9 BLANK WHEN ZERO.",
        "01 R COMP.\n05 A PIC 9 COMP-3.",
        "01 R.\n05 A PIC X\n",
        "01 R.\n05 A PIC X.\n66 B RENAMES C.",
        "01 R.\n05 A PIC 9.\n88 X VALUE 1 THRU.",
        "01 R.\n05 A PIC 9.\n88 X VALUE 1 2\n05 B PIC X.",
        "01 R.\n05 A PIC X\n05 B PIC X.",
        "01 R.\n05 A PIC 9.\n66 X RENAMES A THRU 5.",
        "-INC MEMB\n01 R.\n05 A PIC X.",
        "01 R.\n05 A PIC X.\n  ++include memb",
    ];
    let mut out = String::new();
    for case in cases {
        out += &parse(case, &ParseOptions { format: Format::Free, ..ParseOptions::default() });
    }
    expect![[r#"
        line 1, column 1: there is no data description here
        line 2, column 10, item A: PICTURE X(3: a parenthesis is not closed
        line 2, column 10, item A: PICTURE S9(40): it has more than 38 digits
        line 2, column 10, item A: PICTURE X9Z: it mixes symbols of text with symbols of numbers
        line 2, column 1, item A: PICTURE X cannot be used with USAGE COMP-3
        line 2, column 1, item A: neither a PICTURE nor items below it, and its USAGE needs one
        line 2, column 1, item A: an item with a PICTURE has items below it
        line 2, column 18: the literal is not closed
        line 2, column 12, item A: OCCURS 0 TO 0 is not a valid range
        line 2, column 24, item A: 'UNBOUNDED' is not supported: a table needs a maximum
        line 2, column 22, item A: expected a literal, found 'ALL'
        line 3, column 22, item A: expected a literal without ALL, found 'ALL'
        line 2, column 24, item A: expected a literal of one kind, found '&'
        line 2, column 12, item A: the clause PICTURE is given twice
        line 2, column 12, item A: 'OBJECT' is not supported: it has no bytes that another program could read
        line 1, column 1: a level-88 entry has no item it belongs to
        line 1, column 1, item X: level number 50 is not one of 01 to 49, 66, 77, 78 and 88
        line 2, column 1, item A: SIGN cannot be used for this item: it has no S in its PICTURE, or is not in characters
        line 2, column 1, item A: BLANK WHEN ZERO cannot be used for this item: it is for numbers in characters, without S
        line 2, column 1, item A: USAGE COMP-3 below a group of USAGE COMP
        line 2, column 6, item A: the text ends where a period is expected
        line 3, column 1, item B: RENAMES C: there is no such item in the record
        line 3, column 18, item X: expected a literal, found '.'
        line 4, column 1, item X: the level number 05 is inside an entry: the period before it may be missing
        line 3, column 1, item A: the level number 05 is inside an entry: the period before it may be missing
        line 3, column 21, item X: expected the name of an item, found '5'
        line 1, column 1: '-INC' is not supported: Librarian puts a member in here; write COPY and its name
        line 3, column 3: '++INCLUDE' is not supported: Panvalet puts a member in here; write COPY and its name
    "#]]
    .assert_eq(&out);
}

#[test]
fn code_beyond_column_72_is_read_where_no_line_has_a_name_there_and_named_where_it_is_not_read() {
    let detected = |text: &str| parse(text, &ParseOptions::default());
    let long =
        format!("       01 R.\n           05 A PIC X(4).\n{:71}PIC 9(3).\n           05 C PIC X.\n", "           05 B");
    let expected = "01 R\n  05 A X(4) DISPLAY\n  05 B 9(3) DISPLAY\n  05 C X DISPLAY\n";
    assert_eq!(detected(&long), expected);
    // Text in columns 73 to 80 names the lines of a card deck, however far the code goes.
    let cards =
        format!("{:72}R0000010\n{:72}R0000020\n", "       01 R.", format!("{:71}.", "           05 A PIC X(4)"));
    assert_eq!(detected(&cards), "01 R\n  05 A X(4) DISPLAY\n");
    let tabs = format!(
        "{:72}R0000010\n       05 A PIC X(4).\n       05 B\t\t\t\t\t\t\tPIC 9(3).\n       05 C PIC X.\n",
        "       01 R."
    );
    let mut told = detected(&format!("{:72}R0000010\n{long}", "       01 Q."));
    told += &detected(&tabs);
    told += &parse(&long, &ParseOptions { format: Format::Fixed, ..ParseOptions::default() });
    // Of an error that has nothing to do with it nothing is said.
    told += &detected(&format!(
        "       01 R.\n           05 A PIC X(4) QUITE.\n{:71}PIC 9(3).\n{:72}R0000010\n",
        "           05 B", ""
    ));
    expect![[r#"
        line 4, column 72, item B: 'P' is not a clause of a data description. Line 4 has text beyond column 72; fixed format does not read it. Choose the format variable or free, or shorten the line
        line 4, column 8, item B: the level number 05 is inside an entry: the period before it may be missing. Line 3 has text beyond column 72, because tabs go to every eighth column; fixed format does not read it. Choose the format variable or free, or shorten the line
        line 3, column 72, item B: 'P' is not a clause of a data description. Line 3 has text beyond column 72; fixed format does not read it. Choose the format variable or free, or shorten the line
        line 2, column 26, item A: 'QUITE' is not a clause of a data description
    "#]].assert_eq(&told);
}
