//! JSON that shows an item otherwise than its description: alternatives all at once, other names, omitted items, defaults.

use copybook::{Adjustment, Change, Choices, ConvertOptions, Converter, PlanError, Redefines};

use super::{converter, layout};

const TEXT: &str = "
       01 ORDER.
          05 KIND PIC X.
          05 BODY PIC X(4) VALUE 'none'.
          05 PAIR REDEFINES BODY.
             10 A PIC 9(2).
             10 B PIC X(2).
          05 AMOUNT REDEFINES BODY PIC S9(3) COMP-3.
          05 TAIL PIC 9(2) VALUE 7.
       66 START-OF RENAMES KIND THRU BODY.
       66 LAST-ONE RENAMES TAIL.
";

fn all() -> ConvertOptions {
    ConvertOptions { redefines: Redefines::All, ..ConvertOptions::of_ccsid(819) }
}

fn adjusted(changes: &[(&str, Change)]) -> ConvertOptions {
    let of = |(item, change): &(&str, Change)| Adjustment { item: (*item).to_owned(), change: change.clone() };
    ConvertOptions { adjustments: changes.iter().map(of).collect(), ..ConvertOptions::of_ccsid(819) }
}

fn decoded(converter: &Converter, record: &[u8]) -> String {
    let mut json = Vec::new();
    converter.decode(record, &mut json).unwrap_or_else(|error| panic!("{error}"));
    String::from_utf8(json).expect("UTF-8")
}

fn encoded(converter: &Converter, json: &str) -> String {
    let mut record = Vec::new();
    converter.encode(json.as_bytes(), &mut record).unwrap_or_else(|error| panic!("{error}"));
    String::from_utf8(record).expect("UTF-8")
}

#[test]
fn all_alternatives_are_shown_that_hold_a_value_and_level_66_beside_them() {
    let converter = converter(TEXT, &all());
    assert_eq!(
        decoded(&converter, b"K12cd99"),
        r#"{"KIND":"K","BODY":"12cd","PAIR":{"A":12,"B":"cd"},"TAIL":99,"START-OF":"K12cd","LAST-ONE":99}"#
    );
    let packed = [&b"K"[..], &[0x12, 0x3C], b"  05"].concat();
    let seen = decoded(&converter, &packed);
    assert!(seen.contains(r#""AMOUNT":123"#) && !seen.contains("PAIR"), "{seen}");
}

#[test]
fn of_several_alternatives_each_is_written_over_the_ones_before_it() {
    let converter = converter(TEXT, &all());
    assert_eq!(encoded(&converter, r#"{"KIND":"K"}"#), "Knone07");
    assert_eq!(encoded(&converter, r#"{"KIND":"K","PAIR":{"A":5}}"#), "K05ne07");
    assert_eq!(encoded(&converter, r#"{"BODY":"abcd","PAIR":{"A":12},"LAST-ONE":8}"#), " 12cd08");
    let record = b"K12cd99";
    assert_eq!(encoded(&converter, &decoded(&converter, record)).as_bytes(), record);
}

#[test]
fn schemas_have_all_alternatives_and_level_66() {
    let schema: serde_json::Value =
        serde_json::from_str(&layout(TEXT).schema(&all()).expect("a schema")).expect("JSON");
    let names: Vec<_> = schema["properties"].as_object().expect("members").keys().map(String::as_str).collect();
    assert_eq!(names, ["KIND", "BODY", "PAIR", "AMOUNT", "TAIL", "START-OF", "LAST-ONE"]);
    assert_eq!(schema["properties"]["START-OF"]["maxLength"], 5);
    assert_eq!(schema["properties"]["LAST-ONE"]["maximum"], 99);
    let one = layout(TEXT).schema(&ConvertOptions::of_ccsid(819)).expect("a schema");
    assert!(!one.contains("PAIR") && !one.contains("LAST-ONE"), "{one}");
}

#[test]
fn items_have_other_names_no_members_and_other_initial_values() {
    let text = "01 R. 05 CUST-NAME PIC X(3). 05 INNER-CODE PIC X(2) VALUE 'zz'. 05 COUNTRY PIC X(2) VALUE 'DE'. \
        05 LINES OCCURS 2. 10 PRICE PIC 9(2).";
    let options = adjusted(&[
        ("CUST-NAME", Change::Rename("customer".to_owned())),
        ("INNER-CODE", Change::Omit),
        ("R.COUNTRY", Change::Default("GB".to_owned())),
        ("LINES.PRICE", Change::Default("5".to_owned())),
        ("PRICE", Change::Rename("price".to_owned())),
    ]);
    let converter = converter(text, &options);
    assert_eq!(
        decoded(&converter, b"adaxxFR0102"),
        r#"{"customer":"ada","COUNTRY":"FR","LINES":[{"price":1},{"price":2}]}"#
    );
    assert_eq!(encoded(&converter, r#"{"customer":"bob"}"#), "bobzzGB0505");
    assert_eq!(encoded(&converter, r#"{"COUNTRY":"US","LINES":[{"price":9}]}"#), "   zzUS0905");
    assert!(converter.encode(br#"{"INNER-CODE":"a"}"#, &mut Vec::new()).is_err());
    assert!(converter.encode(br#"{"CUST-NAME":"a"}"#, &mut Vec::new()).is_err());
}

#[test]
fn an_adjustment_that_cannot_be_names_its_item() {
    let text = "01 R. 05 A PIC 9(2). 05 G. 10 X PIC X. 05 H. 10 X PIC X.";
    let refused = |item: &str, change: Change| {
        let error: PlanError = Converter::new(&layout(text), &adjusted(&[(item, change)])).err().expect("refused");
        error.to_string()
    };
    assert_eq!(refused("NONE", Change::Omit), "there is no item 'NONE'");
    assert_eq!(refused("X", Change::Omit), "'X' names several items; choose one by R.G.X or R.H.X");
    assert_eq!(refused("G", Change::Default("1".to_owned())), "item R.G cannot have the default '1'");
    let wrong = refused("A", Change::Default("123".to_owned()));
    assert_eq!(
        wrong,
        "item R.A cannot have the default '123': the number has more than 2 digits before the decimal point"
    );
}

fn chosen(field: &str, alternatives: &[(&str, &str)]) -> ConvertOptions {
    let alternatives = alternatives.iter().map(|(value, name)| ((*value).to_owned(), (*name).to_owned())).collect();
    let choices = Some(Choices { field: field.to_owned(), alternatives });
    ConvertOptions { choices, ..ConvertOptions::of_ccsid(819) }
}

#[test]
fn the_value_of_a_field_chooses_the_alternative_of_each_record_both_ways() {
    let converter = converter(TEXT, &chosen("KIND", &[("P", "PAIR"), ("A", "AMOUNT"), ("*", "BODY")]));
    let amount = [&b"A"[..], &[0x12, 0x3C], b"  05"].concat();
    for (record, json) in [
        (&b"P12cd99"[..], r#"{"KIND":"P","PAIR":{"A":12,"B":"cd"},"TAIL":99}"#),
        (&amount, r#"{"KIND":"A","AMOUNT":123,"TAIL":5}"#),
        (b"X12cd99", r#"{"KIND":"X","BODY":"12cd","TAIL":99}"#),
    ] {
        assert_eq!(decoded(&converter, record), json);
        let mut back = Vec::new();
        converter.encode(json.as_bytes(), &mut back).expect("a record");
        // Behind the packed number the area has its initial bytes.
        assert_eq!(back[..3], record[..3]);
        assert_eq!(decoded(&converter, &back), json);
    }
    // The order of members does not matter.
    assert_eq!(encoded(&converter, r#"{"PAIR":{"A":5,"B":"zz"},"KIND":"P"}"#), "P05zz07");
    let wrapped =
        converter.encode_within(&["in".to_owned()], br#"{"in":{"KIND":"P","PAIR":{"A":5}}}"#, &mut Vec::new());
    wrapped.expect("the field is found in the wrapper");
    let told = converter.encode(br#"{"KIND":"P","AMOUNT":1}"#, &mut Vec::new()).expect_err("another alternative");
    assert!(told.to_string().contains("there is no item for the member 'AMOUNT'"), "{told}");
}

#[test]
fn a_value_that_chooses_nothing_and_a_field_that_cannot_choose_are_errors() {
    let options = chosen("KIND", &[("P", "PAIR"), ("A", "AMOUNT")]);
    let converter = converter(TEXT, &options);
    let told = converter.decode(b"X12cd99", &mut Vec::new()).expect_err("no alternative");
    assert_eq!(
        told.to_string(),
        "at '/KIND', item ORDER.KIND, offset 0: the value X'58' chooses no alternative of a REDEFINES"
    );
    let told = converter.encode(br#"{"TAIL":1}"#, &mut Vec::new()).expect_err("no alternative");
    assert!(told.to_string().contains("the value '' chooses no alternative"), "{told}");
    let refused = |field: &str, alternatives: &[(&str, &str)]| {
        Converter::new(&layout(TEXT), &chosen(field, alternatives)).err().expect("refused").to_string()
    };
    assert!(refused("NONE", &[("P", "PAIR")]).contains("there is no item NONE at a fixed place"));
    assert!(refused("KIND", &[("PP", "PAIR")]).contains("the item KIND cannot hold PP"));
    assert_eq!(refused("KIND", &[("P", "TAIL")]), "'TAIL' names no alternative of a REDEFINES");
    // A record with P could be read as either.
    for (field, one, other) in [("KIND", "P", "P"), ("TAIL", "5", "5.0")] {
        let told = refused(field, &[(one, "PAIR"), (other, "AMOUNT")]);
        assert!(told.contains(&format!("the values {one} and {other} of the item {field} are the same")), "{told}");
    }
}
