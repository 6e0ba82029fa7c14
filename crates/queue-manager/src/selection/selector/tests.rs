//! Selectors against written cases, and against an evaluator that is as plain as can be.

use std::collections::HashMap;

use model::descriptor::{Ccsid, Encoding, Format, MessageDescriptor, Persistence};
use model::header::rfh2::Rfh2;
use model::identifier::{CorrelationId, MessageId};
use model::reason::Reason;
use model::text::Text;
use proptest::prelude::*;

use crate::selection::selector::evaluate::Fields;
use crate::selection::selector::field::Field;
use crate::selection::selector::value::Value;
use crate::selection::selector::{Selector, SelectorError};

fn message() -> (MessageDescriptor, Vec<u8>) {
    let folders = [
        "<mcd><Msd>jms_text</Msd><Type>order</Type></mcd>",
        "<jms><Dst>queue:///Q</Dst><Tms>1700000000000</Tms><Cid>own id</Cid><Dlv>2</Dlv></jms>",
        "<usr><colour>red</colour><size dt='i4'>5</size><weight dt='r8'>2.5</weight><urgent dt='boolean'>1</urgent>\
         <nothing xsi:nil='true'></nothing><raw dt='bin.hex'>0A0B</raw><long dt='i8'>9007199254740993</long>\
         <a><b>nested</b></a><quote>it's</quote><percent>100%</percent></usr>",
        "<more><key>value</key></more>",
    ];
    let header = Rfh2 {
        encoding: Encoding::BIG_ENDIAN,
        ccsid: Ccsid::UTF_8,
        format: Format::STRING,
        flags: 0,
        folders: folders.map(str::to_owned).to_vec(),
    };
    let mut body = Vec::new();
    header.encode(Encoding::BIG_ENDIAN, &mut body);
    body.extend_from_slice(b"the text");
    let descriptor = MessageDescriptor {
        encoding: Encoding::BIG_ENDIAN,
        format: Format::RF_HEADER_2,
        priority: 7,
        persistence: Persistence::Persistent,
        message_id: MessageId::new([0xAB; 24]),
        correlation_id: CorrelationId::new(*b"own id\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
        user_identifier: Text::new("alice"),
        put_date: Text::new("20231114"),
        put_time: Text::new("22132099"),
        ..MessageDescriptor::default()
    };
    (descriptor, body)
}

fn selects(selector: &str) -> bool {
    let (descriptor, body) = message();
    Selector::parse(selector).unwrap_or_else(|error| panic!("{selector}: {error}")).matches(&descriptor, &body)
}

#[test]
fn what_is_true_of_the_message_selects_it() {
    for selector in [
        "colour = 'red'",
        "colour <> 'blue' AND size > 4",
        "size BETWEEN 5 AND 6",
        "size NOT BETWEEN 6 AND 9",
        "colour IN ('blue', 'red')",
        "colour NOT IN ('blue')",
        "colour LIKE 'r_d' and colour like 'r%' and colour LIKE '%'",
        "percent LIKE '%\\%' ESCAPE '\\'",
        "colour NOT LIKE 'b%'",
        "absent IS NULL AND colour IS NOT NULL AND nothing IS NULL",
        "urgent",
        "urgent = TRUE",
        "NOT (urgent = false)",
        "size = 5.0 AND weight = 2.5 AND weight * 2 = size",
        "size + 2 * 3 - 1 = 10 AND (size + 2) * 3 = 21 AND -size = -5 AND size / 2 = 2",
        "weight > 2 AND weight < 3 AND weight >= 2.5d AND size <= 0x5 AND size = 05 AND size = 5L",
        "size > 4 OR absent = 3",
        "quote = 'it''s'",
        "long = 9007199254740993 AND long <> 9007199254740992.0",
        "raw = \"0x0a0B\"",
        "a.b = 'nested'",
        "more.key = 'value'",
        "JMSPriority = 7 AND JMSDeliveryMode = 'PERSISTENT' AND JMSDeliveryMode = 2 AND JMSType = 'order'",
        "JMSTimestamp = 1700000000000 AND NOT JMSRedelivered AND JMSXDeliveryCount = 1",
        "JMSMessageID = 'ID:abABabababababababababababababababababababababab'",
        "JMSMessageID LIKE 'ID:abab%'",
        "JMSCorrelationID = 'own id' AND JMSDestination = 'queue:///Q' AND JMSXUserID = 'alice'",
        "Root.MQMD.Priority = 7 AND Root.MQMD.Format = 'MQHRF2' AND Root.MQMD.Persistence = 1",
        "Root.MQMD.MsgId = \"0xABABABABABABABABABABABABABABABABABABABABABABABAB\"",
        "TRUE",
        "NOT NOT urgent",
    ] {
        assert!(selects(selector), "{selector}");
    }
}

#[test]
fn what_is_false_or_unknown_of_it_does_not() {
    for selector in [
        "colour = 'blue'",
        "absent = 1",
        "NOT (absent = 1)",
        "absent <> 1",
        "absent BETWEEN 1 AND 2",
        "absent IN ('a')",
        "absent NOT IN ('a')",
        "absent LIKE '%'",
        "absent NOT LIKE 'a'",
        "absent",
        "NOT absent",
        "colour",
        "absent = 1 AND TRUE",
        "absent = 1 OR FALSE",
        "nothing = ''",
        "colour = 5",
        "colour <> 5",
        "colour > size",
        "urgent = 1",
        "Colour = 'red'",
        "colour = 'RED'",
        "size / 0 = 0",
        "size / 0 <> 0",
        "absent + 1 = 1",
        "JMSType = 'Order'",
        "JMSMessageID = 'ID:ab'",
        "colour LIKE 'r'",
        "colour LIKE '_'",
        "FALSE",
    ] {
        assert!(!selects(selector), "{selector}");
    }
}

#[test]
fn integers_that_overflow_go_on_as_floats() {
    assert!(selects("9223372036854775807 + 1 = 9223372036854775808.0"));
    assert!(selects("9223372036854775807 * 2 > 9223372036854775807"));
    assert!(selects("size < 1e300 AND size > -1E300"));
}

#[test]
fn a_text_that_is_no_selector_says_where_it_fails() {
    for (selector, offset) in [
        ("", 0),
        ("colour", usize::MAX),
        ("colour =", 8),
        ("= 5", 0),
        ("colour = 'red", 9),
        ("size > 4 size", 9),
        ("size > 4 AND", 12),
        ("(size > 4", 9),
        ("size > 4)", 8),
        ("5", 1),
        ("'a'", 3),
        ("size + 'a' = 3", 11),
        ("colour > 'a'", 12),
        ("size NOT = 5", 9),
        ("5 IN ('a')", 2),
        ("colour IN ()", 11),
        ("colour IN (5)", 11),
        ("colour IN ('a'", 14),
        ("colour LIKE 5", 12),
        ("colour LIKE 'a' ESCAPE 'ab'", 27),
        ("colour LIKE 'a!' ESCAPE '!'", 27),
        ("size BETWEEN 1 OR 2", 15),
        ("size IS 5", 8),
        ("size = 5x", 7),
        ("size = 1e", 7),
        ("(size = 4) = TRUE", 11),
        ("raw = \"0x0\"", 6),
        ("raw = \"0x0", 6),
        ("size ! 5", 5),
        ("x.y = 1 AND NOT", 15),
    ] {
        match Selector::parse(selector) {
            Ok(_) => assert_eq!(offset, usize::MAX, "{selector}"),
            Err(error) => {
                assert_eq!(error.reason(), Reason::SelectorSyntaxError);
                let SelectorError::Syntax { offset: found, .. } = error else { panic!("{selector}: {error}") };
                assert_eq!(found, offset, "{selector}: {error}");
            }
        }
    }
}

#[test]
fn depth_length_and_the_body_have_limits() {
    let nested = |depth: usize| format!("{}urgent{}", "(".repeat(depth), ")".repeat(depth));
    assert!(selects(&nested(64)));
    assert_eq!(Selector::parse(&nested(65)), Err(SelectorError::TooDeep { offset: 64 }));
    let chain = format!("size = {}5", "- ".repeat(4000));
    assert!(selects(&chain));
    let sum = format!("size = 5{}", "+0".repeat(5000));
    assert!(selects(&sum));
    let long = format!("colour = '{}'", "x".repeat(10_240));
    assert_eq!(Selector::parse(&long).unwrap_err().reason(), Reason::SelectionStringError);
    assert_eq!(Selector::parse("Root.XMLNSC.a = 1").unwrap_err().reason(), Reason::SelectionNotAvailable);
}

#[test]
fn identifiers_that_must_be_equal_are_found_by_the_queue() {
    let id = "0102030405060708090a0b0c0d0e0f101112131415161718";
    let exact = |selector: &str| {
        let selector = Selector::parse(selector).unwrap();
        let identifiers = selector.identifiers();
        (identifiers.message_id.is_some(), identifiers.correlation_id.is_some(), selector.is_exact())
    };
    assert_eq!(exact(&format!("JMSMessageID = 'ID:{id}'")), (true, false, true));
    assert_eq!(exact(&format!("'ID:{id}' = JMSCorrelationID")), (false, true, true));
    assert_eq!(exact(&format!("Root.MQMD.CorrelId = \"0x{id}\"")), (false, true, true));
    assert_eq!(exact(&format!("JMSMessageID = 'ID:{id}' AND JMSCorrelationID = 'ID:{id}'")), (true, true, true));
    assert_eq!(exact(&format!("JMSMessageID = 'ID:{id}' AND size = 5")), (true, false, false));
    assert_eq!(exact("JMSCorrelationID = 'own id' AND size = 5"), (false, true, false));
    assert_eq!(exact("JMSCorrelationID = 'own id'"), (false, true, false));
    assert_eq!(exact("JMSMessageID = 'ID:01'"), (false, false, false));
    assert_eq!(exact(&format!("JMSMessageID = 'ID:{id}' OR size = 5")), (false, false, false));
    assert_eq!(exact(&format!("NOT JMSMessageID = 'ID:{id}'")), (false, false, false));
}

#[test]
fn the_length_of_headers_is_known_from_their_beginning() {
    let (descriptor, body) = message();
    let whole = super::headers_end(&descriptor, &body);
    assert_eq!(&body[whole..], b"the text");
    assert_eq!(super::headers_end(&descriptor, &body[..40]), whole);
    assert_eq!(super::headers_end(&descriptor, &body[..10]), 36);
    assert_eq!(super::headers_end(&MessageDescriptor::default(), &body), 0);
}

/// Values of properties by name.
struct Table(HashMap<String, Option<Plain>>);

impl Fields for Table {
    fn value(&self, field: &Field) -> Value<'_> {
        let Field::Property(name) = field else { return Value::Null };
        match self.0.get(name).cloned().flatten() {
            None => Value::Null,
            Some(Plain::Boolean(value)) => Value::Boolean(value),
            Some(Plain::Integer(value)) => Value::Integer(value),
            Some(Plain::String(value)) => Value::String(value.into()),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Plain {
    Boolean(bool),
    Integer(i64),
    String(String),
}

/// Expressions that the naive evaluator knows, with the text they have as selectors.
#[derive(Debug, Clone)]
enum Naive {
    Truth(bool),
    Name(&'static str),
    Not(Box<Naive>),
    And(Box<Naive>, Box<Naive>),
    Or(Box<Naive>, Box<Naive>),
    Compare(&'static str, Sum, Sum),
    Between(bool, Sum, Sum, Sum),
    In(bool, &'static str, Vec<String>),
    Like(bool, &'static str, String),
    IsNull(bool, &'static str),
}

#[derive(Debug, Clone)]
enum Sum {
    Integer(i64),
    Text(String),
    Name(&'static str),
    Negative(Box<Sum>),
    Two(char, Box<Sum>, Box<Sum>),
}

impl Naive {
    fn text(&self) -> String {
        let not = |negates: &bool| if *negates { "NOT " } else { "" };
        match self {
            Naive::Truth(value) => value.to_string(),
            Naive::Name(name) => (*name).to_owned(),
            Naive::Not(inner) => format!("NOT ({})", inner.text()),
            Naive::And(one, other) => format!("({}) AND ({})", one.text(), other.text()),
            Naive::Or(one, other) => format!("{} OR {}", one.text(), other.text()),
            Naive::Compare(operator, one, other) => format!("{} {operator} {}", one.text(), other.text()),
            Naive::Between(negates, value, low, high) => {
                format!("{} {}BETWEEN {} AND {}", value.text(), not(negates), low.text(), high.text())
            }
            Naive::In(negates, name, strings) => {
                let strings: Vec<_> = strings.iter().map(|text| quoted(text)).collect();
                format!("{name} {}in ({})", not(negates), strings.join(", "))
            }
            Naive::Like(negates, name, pattern) => format!("{name} {}LIKE {}", not(negates), quoted(pattern)),
            Naive::IsNull(negates, name) => format!("{name} is {}null", not(negates)),
        }
    }

    fn evaluate(&self, table: &HashMap<String, Option<Plain>>) -> Option<bool> {
        let get = |name: &str| table.get(name).cloned().flatten();
        match self {
            Naive::Truth(value) => Some(*value),
            Naive::Name(name) => match get(name) {
                Some(Plain::Boolean(value)) => Some(value),
                _ => None,
            },
            Naive::Not(inner) => inner.evaluate(table).map(|value| !value),
            Naive::And(one, other) => match (one.evaluate(table), other.evaluate(table)) {
                (Some(true), Some(true)) => Some(true),
                (Some(false), _) | (_, Some(false)) => Some(false),
                _ => None,
            },
            Naive::Or(one, other) => match (one.evaluate(table), other.evaluate(table)) {
                (Some(false), Some(false)) => Some(false),
                (Some(true), _) | (_, Some(true)) => Some(true),
                _ => None,
            },
            Naive::Compare(operator, one, other) => compare(operator, one.value(table), other.value(table)),
            Naive::Between(negates, value, low, high) => {
                let above = compare(">=", value.value(table), low.value(table));
                let below = compare("<=", value.value(table), high.value(table));
                let between = match (above, below) {
                    (Some(true), Some(true)) => Some(true),
                    (Some(false), _) | (_, Some(false)) => Some(false),
                    _ => None,
                };
                between.map(|between| between != *negates)
            }
            Naive::In(negates, name, strings) => {
                let value = get(name)?;
                let found = strings.iter().any(|text| value == Plain::String(text.clone()));
                Some(found != *negates)
            }
            Naive::Like(negates, name, pattern) => {
                let value = get(name)?;
                let found = match value {
                    Plain::String(text) => {
                        like(&text.chars().collect::<Vec<_>>(), &pattern.chars().collect::<Vec<_>>())
                    }
                    Plain::Boolean(_) | Plain::Integer(_) => false,
                };
                Some(found != *negates)
            }
            Naive::IsNull(negates, name) => Some(get(name).is_none() != *negates),
        }
    }
}

impl Sum {
    fn text(&self) -> String {
        match self {
            Sum::Integer(value) => value.to_string(),
            Sum::Text(text) => quoted(text),
            Sum::Name(name) => (*name).to_owned(),
            Sum::Negative(inner) => format!("-({})", inner.text()),
            Sum::Two(operator, one, other) => format!("({} {operator} {})", one.text(), other.text()),
        }
    }

    fn value(&self, table: &HashMap<String, Option<Plain>>) -> Option<Plain> {
        match self {
            Sum::Integer(value) => Some(Plain::Integer(*value)),
            Sum::Text(text) => Some(Plain::String(text.clone())),
            Sum::Name(name) => table.get(*name).cloned().flatten(),
            Sum::Negative(inner) => match inner.value(table) {
                Some(Plain::Integer(value)) => Some(Plain::Integer(-value)),
                _ => None,
            },
            Sum::Two(operator, one, other) => match (one.value(table), other.value(table)) {
                (Some(Plain::Integer(one)), Some(Plain::Integer(other))) => match operator {
                    '+' => Some(Plain::Integer(one + other)),
                    '-' => Some(Plain::Integer(one - other)),
                    '*' => Some(Plain::Integer(one * other)),
                    _ => (other != 0).then(|| Plain::Integer(one / other)),
                },
                _ => None,
            },
        }
    }
}

fn compare(operator: &str, one: Option<Plain>, other: Option<Plain>) -> Option<bool> {
    let (one, other) = (one?, other?);
    let same_kind = std::mem::discriminant(&one) == std::mem::discriminant(&other);
    Some(match (operator, &one, &other) {
        ("=", ..) => one == other,
        ("<>", ..) => same_kind && one != other,
        ("<", Plain::Integer(one), Plain::Integer(other)) => one < other,
        ("<=", Plain::Integer(one), Plain::Integer(other)) => one <= other,
        (">", Plain::Integer(one), Plain::Integer(other)) => one > other,
        (">=", Plain::Integer(one), Plain::Integer(other)) => one >= other,
        _ => false,
    })
}

fn like(text: &[char], pattern: &[char]) -> bool {
    match pattern.split_first() {
        None => text.is_empty(),
        Some(('%', rest)) => (0..=text.len()).any(|skipped| like(&text[skipped..], rest)),
        Some(('_', rest)) => !text.is_empty() && like(&text[1..], rest),
        Some((wanted, rest)) => text.first() == Some(wanted) && like(&text[1..], rest),
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

const NAMES: [&str; 5] = ["a", "b", "c", "d_1", "$e"];

fn name() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(&NAMES[..])
}

fn number() -> impl Strategy<Value = Sum> {
    let leaf = prop_oneof![(0..20_i64).prop_map(Sum::Integer), name().prop_map(Sum::Name)];
    leaf.prop_recursive(3, 12, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|inner| Sum::Negative(Box::new(inner))),
            (proptest::sample::select(&['+', '-', '*', '/'][..]), inner.clone(), inner)
                .prop_map(|(operator, one, other)| Sum::Two(operator, Box::new(one), Box::new(other))),
        ]
    })
}

fn operand() -> impl Strategy<Value = Sum> {
    prop_oneof![3 => number(), 1 => "[ab'%]{0,3}".prop_map(Sum::Text)]
}

fn naive() -> impl Strategy<Value = Naive> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Naive::Truth),
        name().prop_map(Naive::Name),
        (proptest::sample::select(&["=", "<>"][..]), operand(), operand())
            .prop_map(|(operator, one, other)| Naive::Compare(operator, one, other)),
        (proptest::sample::select(&["<", "<=", ">", ">="][..]), number(), number())
            .prop_map(|(operator, one, other)| Naive::Compare(operator, one, other)),
        (any::<bool>(), number(), number(), number())
            .prop_map(|(negates, value, low, high)| Naive::Between(negates, value, low, high)),
        (any::<bool>(), name(), proptest::collection::vec("[ab']{0,2}", 1..4))
            .prop_map(|(negates, name, strings)| Naive::In(negates, name, strings)),
        (any::<bool>(), name(), "[ab%_]{0,6}").prop_map(|(negates, name, pattern)| Naive::Like(negates, name, pattern)),
        (any::<bool>(), name()).prop_map(|(negates, name)| Naive::IsNull(negates, name)),
    ];
    leaf.prop_recursive(4, 24, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|inner| Naive::Not(Box::new(inner))),
            (inner.clone(), inner.clone()).prop_map(|(one, other)| Naive::And(Box::new(one), Box::new(other))),
            (inner.clone(), inner).prop_map(|(one, other)| Naive::Or(Box::new(one), Box::new(other))),
        ]
    })
}

fn plain() -> impl Strategy<Value = Option<Plain>> {
    prop_oneof![
        Just(None),
        any::<bool>().prop_map(|value| Some(Plain::Boolean(value))),
        (-20..20_i64).prop_map(|value| Some(Plain::Integer(value))),
        "[ab']{0,5}".prop_map(|value| Some(Plain::String(value))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_selector_says_what_a_naive_evaluator_says(
        naive in naive(),
        values in proptest::collection::vec(plain(), NAMES.len()),
    ) {
        let table: HashMap<_, _> = NAMES.iter().map(|name| (*name).to_owned()).zip(values).collect();
        let text = naive.text();
        let selector = Selector::parse(&text).map_err(|error| TestCaseError::fail(format!("{text}: {error}")))?;
        let said = selector.condition.evaluate(&Table(table.clone()));
        prop_assert_eq!(said, naive.evaluate(&table), "{}", text);
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in "[a-c'\"0-9x. ()=<>+*/,%_-]{0,40}|(NOT|AND|OR|IN|LIKE|IS|NULL|a|1|'s'|[ (),=<>+-]){0,30}") {
        if let Ok(selector) = Selector::parse(&text) {
            selector.matches(&MessageDescriptor::default(), b"");
        }
    }
}
