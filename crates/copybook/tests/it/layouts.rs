//! Items to places.

use std::fmt::Write as _;

use copybook::{Copybook, LayoutOptions, ParseOptions, Slack};
use expect_test::{Expect, expect};

fn check_with(text: &str, options: LayoutOptions, expected: Expect) {
    let copybook = Copybook::parse(text, &ParseOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    let mut out = String::new();
    match copybook.layout(None, &options) {
        Ok(layout) => {
            for item in &layout.items {
                let _ = writeln!(out, "{:>3} {:>3} {}", item.offset, item.length, item.path);
            }
            let _ = writeln!(out, "{} to {}", layout.minimum_length, layout.length);
        }
        Err(error) => out = format!("{error}\n"),
    }
    expected.assert_eq(&out);
}

fn check(text: &str, expected: Expect) {
    check_with(text, LayoutOptions::default(), expected);
}

#[test]
fn usages_have_their_lengths() {
    check(
        "01 R. 05 A PIC 9(4) COMP. 05 B PIC 9(5) COMP. 05 C PIC 9(10) COMP. 05 D PIC S9(7) COMP-3. 05 E PIC 9(5) COMP-6.
         05 F COMP-1. 05 G COMP-2. 05 H POINTER. 05 I PIC N(3). 05 J PIC 9(3) COMP-X. 05 K PIC S9(3) SIGN TRAILING SEPARATE.
         05 L PIC X(3) COMP-5. 05 M PIC U(2). 05 N PIC U(9) BYTE-LENGTH 12. 05 O PIC G(2). 05 P PIC 9(20) COMP.",
        expect![[r#"
              0  92 R
              0   2 R.A
              2   4 R.B
              6   8 R.C
             14   4 R.D
             18   3 R.E
             21   4 R.F
             25   8 R.G
             33   4 R.H
             37   6 R.I
             43   2 R.J
             45   4 R.K
             49   3 R.L
             52   8 R.M
             60  12 R.N
             72   4 R.O
             76  16 R.P
            92 to 92
        "#]],
    );
}

#[test]
fn synchronized_items_have_slack_bytes_before_them_and_elements_padding_behind() {
    let text = "01 R. 05 A PIC X. 05 B PIC S9(18) COMP SYNC. 05 C PIC X. 05 G. 10 D PIC S9(9) COMP SYNC. 10 E PIC X.
                05 T OCCURS 2. 10 F PIC S9(4) COMP SYNC. 10 H PIC X. 05 I PIC X.";
    check(
        text,
        expect![[r#"
              0  34 R
              0   1 R.A
              8   8 R.B
             16   1 R.C
             17   8 R.G
             20   4 R.G.D
             24   1 R.G.E
             25   4 R.T
             26   2 R.T.F
             28   1 R.T.H
             33   1 R.I
            34 to 34
        "#]],
    );
    let enterprise = LayoutOptions { slack: Slack::Enterprise, ..LayoutOptions::default() };
    check_with(
        text,
        enterprise,
        expect![[r#"
          0  31 R
          0   1 R.A
          4   8 R.B
         12   1 R.C
         16   5 R.G
         16   4 R.G.D
         20   1 R.G.E
         22   4 R.T
         22   2 R.T.F
         24   1 R.T.H
         30   1 R.I
        31 to 31
    "#]],
    );
}

#[test]
fn alternatives_lie_on_what_they_redefine_and_the_longest_counts() {
    check(
        "01 R. 05 A PIC X(4). 05 B REDEFINES A. 10 C PIC X. 10 D PIC X(5). 05 E REDEFINES A PIC 9(4). 05 F PIC X.",
        expect![[r#"
              0   7 R
              0   4 R.A
              0   6 R.B
              0   1 R.B.C
              1   5 R.B.D
              0   4 R.E
              6   1 R.F
            7 to 7
        "#]],
    );
}

#[test]
fn a_variable_record_has_a_least_and_a_greatest_length() {
    check(
        "01 R. 05 N PIC 9. 05 M PIC 9. 05 T OCCURS 1 TO 5 DEPENDING ON N. 10 U PIC XX OCCURS 0 TO 3 DEPENDING ON M. 05 Z PIC X.",
        expect![[r#"
              0  33 R
              0   1 R.N
              1   1 R.M
              2   6 R.T
              2   2 R.T.U
             32   1 R.Z
            3 to 33
        "#]],
    );
}

#[test]
fn what_cannot_be_placed_is_an_error_with_its_item() {
    let options = LayoutOptions::default();
    let cases = [
        "01 R. 05 A PIC X. 05 B REDEFINES C PIC X.",
        "01 R. 05 A PIC X. 05 B PIC X. 05 C REDEFINES A PIC X.",
        "01 R. 05 T PIC X OCCURS 1 TO 3 DEPENDING ON N. 05 N PIC 9.",
        "01 R. 05 N PIC X. 05 T PIC X OCCURS 1 TO 3 DEPENDING ON N.",
        "01 R. 05 A PIC X(50000000). 05 B PIC X(50000000). 05 C PIC X(50000000).",
        "01 R. 05 N PIC 9. 05 A PIC X(9). 05 B REDEFINES A. 10 T PIC X OCCURS 1 TO 3 DEPENDING ON N. 10 C PIC X.",
        "01 A. 05 X PIC X. 01 B. 05 Y PIC X.",
    ];
    let mut out = String::new();
    for text in cases {
        let copybook = Copybook::parse(text, &ParseOptions::default()).unwrap_or_else(|error| panic!("{error}"));
        let _ = writeln!(out, "{}", copybook.layout(None, &options).expect_err(text));
    }
    expect![[r#"
        line 1, column 19, item B: REDEFINES C: there is no such item at this level before it
        line 1, column 31, item C: REDEFINES A: other items stand between the two
        line 1, column 7, item T: DEPENDING ON N: there is no such item before the table
        line 1, column 19, item T: DEPENDING ON N: it is no integer
        line 1, column 51, item C: the record is longer than 104857600 bytes
        line 1, column 34, item B: REDEFINES A: it has items behind a table with DEPENDING ON
        line 1, column 1: there are several records, A, B; choose one
    "#]]
    .assert_eq(&out);
}

#[test]
fn the_object_of_depending_on_is_unique_or_qualified() {
    let objects = |entries: &str| {
        let text = format!("01 R. {entries}");
        let copybook = Copybook::parse(&text, &ParseOptions::default()).unwrap_or_else(|error| panic!("{error}"));
        match copybook.layout(None, &LayoutOptions::default()) {
            Ok(layout) => {
                let objects = layout.items.iter().filter_map(|item| item.occurs?.depending_on);
                objects.map(|object| layout.items[object].path.clone()).collect::<Vec<_>>().join(" ")
            }
            Err(error) => error.to_string(),
        }
    };
    let mut out = String::new();
    for entries in [
        "05 A. 10 N PIC 9. 05 B. 10 N PIC 9. 05 T PIC X OCCURS 1 TO 3 DEPENDING ON N.",
        "05 A. 10 N PIC 9. 05 B. 10 N PIC 9. 05 T PIC X OCCURS 1 TO 3 DEPENDING ON N OF A.",
        "05 A. 10 N PIC 9. 05 B. 10 N PIC 9. 05 T PIC X OCCURS 1 TO 3 DEPENDING ON N IN B OF R.",
        "05 A. 10 N PIC 9. 05 B. 10 N PIC 9. 05 T PIC X OCCURS 1 TO 3 DEPENDING ON N OF R.",
        "05 N PIC 9. 05 B. 10 N PIC 9. 05 T PIC X OCCURS 1 TO 3 DEPENDING ON N OF R.",
        "05 N PIC 9. 05 N PIC 9. 05 T PIC X OCCURS 1 TO 3 DEPENDING ON N OF R.",
        "05 A OCCURS 2. 10 N PIC 9. 05 N PIC 9. 05 T PIC X OCCURS 1 TO 3 DEPENDING ON N.",
        "05 A OCCURS 2. 10 N PIC 9. 05 T PIC X OCCURS 1 TO 3 DEPENDING ON N.",
        "05 A. 10 N PIC 9. 05 T PIC X OCCURS 1 TO 3 DEPENDING ON N. 05 B. 10 N PIC 9.",
    ] {
        let _ = writeln!(out, "{}", objects(entries));
    }
    expect![[r#"
        line 1, column 43, item T: DEPENDING ON N: several items before the table have this name; qualify it with OF or IN
        R.A.N
        R.B.N
        line 1, column 43, item T: DEPENDING ON N OF R: several items before the table have this name; qualify it with OF or IN
        R.N
        line 1, column 31, item T: DEPENDING ON N OF R: several items before the table have this name; qualify it with OF or IN
        line 1, column 46, item T: DEPENDING ON N: several items before the table have this name; qualify it with OF or IN
        line 1, column 34, item T: DEPENDING ON N: there is no such item before the table
        R.A.N
    "#]]
    .assert_eq(&out);
}

#[test]
fn a_record_is_chosen_by_a_name_that_no_other_has() {
    let text = "01 A. 05 X PIC X.\n01 B. 05 Y PIC X.\n01 a. 05 Z PIC XX.";
    let copybook = Copybook::parse(text, &ParseOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    let chosen = |name| copybook.layout(Some(name), &LayoutOptions::default()).map(|layout| layout.length);
    assert_eq!(chosen("B"), Ok(1));
    let problem = chosen("A").expect_err("two records").to_string();
    expect!["line 3, column 1: the record name A is used twice: a record must have a unique name to be selected"]
        .assert_eq(&problem);
}

#[test]
fn many_tables_and_alternatives_find_what_they_name() {
    let many = |entry: &dyn Fn(u32) -> String| (0..40_000).map(entry).collect::<String>();
    let tables = many(&|each| format!("05 N{each} PIC 9. 05 T{each} PIC X OCCURS 0 TO 1 DEPENDING ON N{each}.\n"));
    let last = crate::layout(&format!("01 R.\n{tables}")).items.pop().expect("a table");
    assert_eq!(last.occurs.and_then(|occurs| occurs.depending_on), Some(79_999));
    let alternatives = many(&|each| format!("05 B{each} REDEFINES A PIC X.\n"));
    let last = crate::layout(&format!("01 R.\n05 A PIC X.\n{alternatives}")).items.pop().expect("an alternative");
    assert_eq!(last.redefines, Some(1));
}
