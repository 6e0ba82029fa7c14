//! YAML read and written.

use expect_test::expect;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Scalars, YamlError, lines, read, write};

#[test]
fn scalars_are_typed_by_the_core_schema_or_stay_the_text_they_are() {
    let text = "a: 1.0\nb: '1.0'\nc: true\nd: ~\ne: 037\nf: x y\ng: -3\nh: 1e3\ni: 18446744073709551615\nj:\n";
    let typed = json!({
        "a": 1.0, "b": "1.0", "c": true, "d": null, "e": 37, "f": "x y", "g": -3, "h": 1000.0,
        "i": 18_446_744_073_709_551_615_u64, "j": null
    });
    assert_eq!(read(text, Scalars::Typed), Ok(typed));
    let texts = json!({
        "a": "1.0", "b": "1.0", "c": "true", "d": null, "e": "037", "f": "x y", "g": "-3", "h": "1e3",
        "i": "18446744073709551615", "j": null
    });
    assert_eq!(read(text, Scalars::Text), Ok(texts));
}

#[test]
fn collections_nest_in_blocks_and_in_flow_and_keys_keep_their_order() {
    let text = "---\n# a comment\nz:\n- 1\n- {b: [2, 3]}\na: |\n  one\n  two\n200: ok\n";
    let value = read(text, Scalars::Typed).expect("YAML");
    assert_eq!(value.to_string(), r#"{"z":[1,{"b":[2,3]}],"a":"one\ntwo\n","200":"ok"}"#);
    assert_eq!(read("", Scalars::Typed), Ok(Value::Null));
}

#[test]
fn what_is_not_read_is_told_with_its_line() {
    let problem = |text: &str| read(text, Scalars::Typed).expect_err("refused").to_string();
    assert_eq!(problem("a: 1\na: 2\n"), "line 2: the key \"a\" is given twice");
    assert_eq!(problem("a: &x [1]\nb: *x\n"), "line 2: aliases are not read");
    assert_eq!(problem("[1, 2]: x\n"), "line 1: a key must be a text");
    assert_eq!(read("a\n---\nb\n", Scalars::Typed), Err(YamlError::Several));
    assert!(problem("a: [1\nb: 2\n").starts_with("line "));
    assert_eq!(problem("a: b: c"), "line 1: mapping values are not allowed in this context");
}

#[test]
fn depth_is_bounded_and_an_attack_on_the_stack_is_an_error() {
    for opener in ["[", "{a: ", "- "] {
        let text = opener.repeat(200_000);
        assert!(read(&text, Scalars::Typed).is_err(), "{opener}");
    }
}

#[test]
fn a_value_is_written_in_blocks() {
    let text = write(&json!({ "a": [1, { "b": "x: \"y\"\n" }, []], "c": {}, "d": null }));
    assert_eq!(text, "\"a\":\n  - 1\n  -\n    \"b\": \"x: \\\"y\\\"\\n\"\n  - []\n\"c\": {}\n\"d\": null\n");
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[ -~]{0,12}".prop_map(Value::from),
        "\\PC{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec(("[ -~]{1,8}", inner), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(value in any_json()) {
        prop_assert_eq!(read(&write(&value), Scalars::Typed), Ok(value));
    }

    #[test]
    fn no_text_makes_reading_panic(text in "[\\[\\]{}:,&*!|>'\"%@#\\-? \na1.]{0,60}") {
        let _ = read(&text, Scalars::Typed);
    }
}

#[test]
fn every_key_and_item_has_its_line() {
    let text = "name: a\n\noperations:\n- path: /\n  request: { set: { b: { path: id } } }\n-\n  path: /x\n  remove:\n  - one\nlast: |\n  two\n  lines\n";
    let lines: Vec<String> = lines(text).iter().map(|(place, line)| format!("{place} {line}")).collect();
    expect![[r#"
        last 10
        name 1
        operations 3
        operations[0] 4
        operations[0].path 4
        operations[0].request 5
        operations[0].request.set 5
        operations[0].request.set.b 5
        operations[0].request.set.b.path 5
        operations[1] 7
        operations[1].path 7
        operations[1].remove 8
        operations[1].remove[0] 9"#]]
    .assert_eq(&lines.join("\n"));
}
