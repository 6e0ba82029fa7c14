//! Folders, property names, and JMS text messages.

use model::descriptor::{Ccsid, Encoding, Format, MessageDescriptor};
use model::jms::{JmsFields, NotText, TextMessage};
use model::property::{FolderError, Property, PropertyNameError, PropertyValue, check_name, read_folder, write_folder};
use proptest::prelude::*;

fn property(name: &str, value: PropertyValue) -> Property {
    Property { name: name.to_owned(), value }
}

#[test]
fn every_type_is_written_as_published() {
    let values = [
        ("a", PropertyValue::Boolean(true)),
        ("b", PropertyValue::Byte(-1)),
        ("c", PropertyValue::Short(2)),
        ("d", PropertyValue::Integer(3)),
        ("e", PropertyValue::Long(4)),
        ("f", PropertyValue::Float(1.5)),
        ("g", PropertyValue::Double(1.0)),
        ("h", PropertyValue::String("x & y".to_owned())),
        ("i", PropertyValue::Bytes(vec![0, 0xAB])),
        ("j", PropertyValue::Null),
    ];
    let text = write_folder("usr", values.iter().map(|(name, value)| (*name, value)));
    assert_eq!(
        text,
        "<usr><a dt='boolean'>1</a><b dt='i1'>-1</b><c dt='i2'>2</c><d dt='i4'>3</d><e dt='i8'>4</e>\
         <f dt='r4'>1.5</f><g dt='r8'>1.0</g><h>x &amp; y</h><i dt='bin.hex'>00AB</i><j xsi:nil='true'></j></usr>"
    );
    let (folder, back) = read_folder(&text).expect("what was written can be read");
    assert_eq!(folder, "usr");
    assert_eq!(back, values.map(|(name, value)| property(name, value)));
}

#[test]
fn what_other_writers_write_is_read() {
    let text = "<usr content=\"properties\"> <n dt = \"i4\" > 5 </n><a><b>x</b><c><d/></c></a>\
                <s>&lt;&#233;&#xe9;&quot;&apos;</s><odd dt='int8'>7</odd></usr>  \0";
    let (_, properties) = read_folder(text).expect("well formed");
    assert_eq!(
        properties,
        [
            property("n", PropertyValue::Integer(5)),
            property("a.b", PropertyValue::String("x".to_owned())),
            property("a.c.d", PropertyValue::String(String::new())),
            property("s", PropertyValue::String("<éé\"'".to_owned())),
            property("odd", PropertyValue::String("7".to_owned())),
        ]
    );
}

#[test]
fn damaged_folders_are_refused() {
    for text in [
        "",
        "usr",
        "<usr>",
        "<usr></us>",
        "<usr><a></usr>",
        "<usr>&bogus;</usr>",
        "<usr>&#xD800;</usr>",
        "<usr a></usr>",
        "<usr a='></usr>",
        "<usr></usr>x",
        "<usr>&",
        "< usr></usr>",
        "<usr/",
        "<usr><a dt='i4'>x</a></usr>",
        "<usr><a dt='i1'>300</a></usr>",
        "<usr><a dt='bin.hex'>ABC</a></usr>",
        "<usr><a dt='boolean'>2</a></usr>",
    ] {
        assert!(read_folder(text).is_err(), "{text}");
    }
}

#[test]
fn nesting_and_repeated_paths_are_limited() {
    let nested = |depth: usize| format!("<usr>{}{}</usr>", "<a>".repeat(depth), "</a>".repeat(depth));
    assert!(read_folder(&nested(32)).is_ok());
    assert_eq!(read_folder(&nested(33)), Err(FolderError::TooDeep));
    assert_eq!(read_folder(&nested(100_000)), Err(FolderError::TooDeep));
    let long = "x".repeat(60_000);
    let text = format!("<usr><{long}>{}</{long}></usr>", "<a/>".repeat(1000));
    assert_eq!(read_folder(&text), Err(FolderError::TooLong));
}

#[test]
fn property_names_follow_the_published_rules() {
    for name in ["colour", "_x", "$1", "größe", "a1", "Not1"] {
        assert_eq!(check_name(name), Ok(()), "{name}");
    }
    assert_eq!(check_name(""), Err(PropertyNameError::Empty));
    assert_eq!(check_name(&"a".repeat(4096)), Err(PropertyNameError::TooLong));
    for name in ["1a", "a b", "a-b", "a.b", "a<", "ü "] {
        assert!(matches!(check_name(name), Err(PropertyNameError::NotAnIdentifier { .. })), "{name}");
    }
    for name in ["JMSType", "JMS_IBM_Format", "usr.colour", "mqx", "null", "NOT", "Between"] {
        assert!(matches!(check_name(name), Err(PropertyNameError::Reserved { .. })), "{name}");
    }
}

fn descriptor() -> MessageDescriptor {
    MessageDescriptor {
        format: Format::RF_HEADER_2,
        encoding: TextMessage::BODY_ENCODING,
        ccsid: Ccsid::UTF_8,
        ..Default::default()
    }
}

#[test]
fn a_text_message_comes_back_whole() {
    let message = TextMessage {
        jms: JmsFields {
            destination: Some("queue:///ORDERS?a=1&b=2".to_owned()),
            reply_to: Some("queue://QM1/REPLIES".to_owned()),
            correlation_id: Some("my own".to_owned()),
            delivery_mode: Some(2),
            priority: Some(9),
            timestamp_ms: Some(1_700_000_000_123),
            expiration_ms: Some(1_700_000_010_123),
            group_id: Some("g".to_owned()),
            group_sequence: Some(3),
        },
        properties: vec![
            property("n", PropertyValue::Integer(5)),
            property("s", PropertyValue::String(" ü ".to_owned())),
        ],
        text: "Grüße".to_owned(),
    };
    let body = message.encode();
    let beginning = String::from_utf8_lossy(&body);
    assert!(beginning.contains("<mcd><Msd>jms_text</Msd></mcd>"), "{beginning}");
    assert!(beginning.contains("<usr><n dt='i4'>5</n><s> ü </s></usr>"), "{beginning}");
    assert!(beginning.contains("<Cid>my own</Cid>"), "{beginning}");
    assert_eq!(TextMessage::decode(&descriptor(), &body).expect("text"), message);
}

#[test]
fn plain_text_in_any_character_set_is_a_text_message() {
    let plain = MessageDescriptor { format: Format::STRING, ccsid: Ccsid(500), ..Default::default() };
    assert_eq!(TextMessage::decode(&plain, b"\xC8\x89").expect("text").text, "Hi");
    let wide = MessageDescriptor { ccsid: Ccsid(1200), encoding: Encoding::LITTLE_ENDIAN, ..plain.clone() };
    assert_eq!(TextMessage::decode(&wide, b"H\0i\0").expect("text").text, "Hi");
    let own = MessageDescriptor { ccsid: Ccsid::Q_MGR, ..plain };
    assert_eq!(TextMessage::decode(&own, "ü".as_bytes()).expect("text").text, "ü");
}

#[test]
fn other_messages_are_refused_with_the_reason() {
    let refused =
        |descriptor: &MessageDescriptor, body: &[u8]| TextMessage::decode(descriptor, body).expect_err("no text");
    let string = MessageDescriptor { format: Format::STRING, ccsid: Ccsid::UTF_8, ..Default::default() };
    assert!(matches!(refused(&MessageDescriptor::default(), b"x"), NotText::Format(Format::NONE)));
    assert!(matches!(refused(&string, b"\xFF"), NotText::Malformed(_)));
    assert!(matches!(refused(&MessageDescriptor { ccsid: Ccsid(9999), ..string }, b"x"), NotText::Ccsid(Ccsid(9999))));
    assert!(matches!(refused(&descriptor(), b"RFH "), NotText::Header(_)));
    let mut bytes = TextMessage::default().encode().to_vec();
    let domain = bytes.windows(4).position(|window| window == b"text").expect("the domain");
    bytes[domain..domain + 4].copy_from_slice(b"byte");
    assert!(matches!(refused(&descriptor(), &bytes), NotText::Domain(domain) if domain == "jms_byte"));
}

fn value() -> impl Strategy<Value = PropertyValue> {
    prop_oneof![
        Just(PropertyValue::Null),
        any::<bool>().prop_map(PropertyValue::Boolean),
        any::<i8>().prop_map(PropertyValue::Byte),
        any::<i16>().prop_map(PropertyValue::Short),
        any::<i32>().prop_map(PropertyValue::Integer),
        any::<i64>().prop_map(PropertyValue::Long),
        (proptest::num::f32::NORMAL | proptest::num::f32::INFINITE | proptest::num::f32::ZERO)
            .prop_map(PropertyValue::Float),
        (proptest::num::f64::NORMAL | proptest::num::f64::INFINITE | proptest::num::f64::ZERO)
            .prop_map(PropertyValue::Double),
        any::<String>().prop_map(PropertyValue::String),
        any::<Vec<u8>>().prop_map(PropertyValue::Bytes),
    ]
}

proptest! {
    #[test]
    fn text_messages_survive(
        text in any::<String>(),
        correlation_id in proptest::option::of(any::<String>()),
        properties in proptest::collection::vec(("[a-zA-Z_$][a-zA-Z0-9_$]{0,9}", value()), 0..6),
    ) {
        let properties = properties.into_iter().map(|(name, value)| Property { name, value }).collect();
        let message = TextMessage { jms: JmsFields { correlation_id, ..Default::default() }, properties, text };
        let back = TextMessage::decode(&descriptor(), &message.encode()).expect("text");
        prop_assert_eq!(back, message);
    }

    #[test]
    fn no_text_makes_the_folder_reader_panic(text in "[<>/='\" a-c&;#x0-9]{0,40}") {
        let _ = read_folder(&text);
        let _ = read_folder(&format!("<usr>{text}</usr>"));
    }
}
