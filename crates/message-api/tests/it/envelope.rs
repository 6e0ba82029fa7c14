//! Envelopes: what is read is what a reader gets back.

use bytes::Bytes;
use expect_test::{Expect, expect};
use message_api::content::Content;
use message_api::copybooks::NoCopybooks;
use message_api::incoming::{BodyForm, Incoming, Told};
use message_api::outgoing::{Due, Outgoing, read_envelope};
use model::descriptor::{Ccsid, Encoding, Format};
use model::message::Message;
use model::timestamp::Timestamp;
use proptest::prelude::*;
use queue_manager::Position;

const NOW: Timestamp = Timestamp(1_795_219_200_000_000);

fn shown(message: &Message, body: BodyForm) -> String {
    let content = Content::of(message);
    let told = Told { position: Some(Position(17)), now: NOW, body, ..Told::default() };
    let incoming = Incoming { message, content: &content, told };
    let mut written = Vec::new();
    incoming.write(&mut written);
    let written = String::from_utf8(written).expect("JSON is UTF-8");
    assert_eq!(written, serde_json::to_string(&incoming).expect("it serialises"));
    written
}

/// As the queue manager completes it.
fn put(outgoing: Outgoing) -> Message {
    let mut message = outgoing.into_message();
    message.descriptor.priority = message.descriptor.priority.max(0);
    message
}

fn check(envelope: &str, expected: Expect) {
    let read = read_envelope(envelope.as_bytes(), NOW, &NoCopybooks).map(put);
    expected.assert_eq(&read.map_or_else(|error| error.to_string(), |message| shown(&message, BodyForm::Auto)));
}

#[test]
fn an_envelope_comes_back_with_what_it_said() {
    check(
        r#"{"correlationId":"000102030405060708090a0b0c0d0e0f1011121314151617","type":"request","priority":7,
            "persistence":"persistent","expiry":"90s","replyTo":{"queue":"ANSWERS"},"report":["coa","passMessageId"],
            "properties":{"colour":"red","size":5,"big":{"type":"long","value":"9007199254740993"},"ratio":0.5,"on":true,"no":null},
            "body":{"json":{"order":17,"price":1.10}}}"#,
        expect![[
            r#"{"id":"000000000000000000000000000000000000000000000000","correlationId":"000102030405060708090a0b0c0d0e0f1011121314151617","type":"request","format":"MQSTR","ccsid":1208,"encoding":546,"priority":7,"persistence":"persistent","expiresAt":"2026-11-21T00:01:30.000Z","replyTo":{"queue":"ANSWERS","qmgr":""},"report":["coa","passMessageId"],"backoutCount":0,"position":"17","length":25,"contentType":"application/json","properties":{"colour":"red","size":5,"big":{"type":"long","value":"9007199254740993"},"ratio":0.5,"on":true,"no":null},"body":{"json":{"order":17,"price":1.10}}}"#
        ]],
    );
}

#[test]
fn a_body_is_text_json_or_base64() {
    check(
        r#"{"body":{"text":"hello"}}"#,
        expect![[
            r#"{"id":"000000000000000000000000000000000000000000000000","type":"datagram","format":"MQSTR","ccsid":1208,"encoding":546,"priority":0,"persistence":"asQueue","backoutCount":0,"position":"17","length":5,"contentType":"text/plain","body":{"text":"hello"}}"#
        ]],
    );
    check(
        r#"{"body":{"base64":"AP+A"}}"#,
        expect![[
            r#"{"id":"000000000000000000000000000000000000000000000000","type":"datagram","encoding":546,"priority":0,"persistence":"asQueue","backoutCount":0,"position":"17","length":3,"contentType":"application/octet-stream","body":{"base64":"AP+A"}}"#
        ]],
    );
    check(
        r#"{"body":{"text":"<a/>"},"contentType":"application/xml"}"#,
        expect![[
            r#"{"id":"000000000000000000000000000000000000000000000000","type":"datagram","format":"MQSTR","ccsid":1208,"encoding":546,"priority":0,"persistence":"asQueue","backoutCount":0,"position":"17","length":4,"contentType":"application/xml","body":{"text":"<a/>"}}"#
        ]],
    );
    check(
        r#"{"body":{"text":"Grüße"},"ccsid":819}"#,
        expect![[
            r#"{"id":"000000000000000000000000000000000000000000000000","type":"datagram","format":"MQSTR","ccsid":819,"encoding":546,"priority":0,"persistence":"asQueue","backoutCount":0,"position":"17","length":5,"contentType":"text/plain","body":{"text":"Grüße"}}"#
        ]],
    );
    check(
        r#"{}"#,
        expect![[
            r#"{"id":"000000000000000000000000000000000000000000000000","type":"datagram","encoding":546,"priority":0,"persistence":"asQueue","backoutCount":0,"position":"17","length":0,"contentType":"application/octet-stream","body":{"base64":""}}"#
        ]],
    );
}

#[test]
fn a_mistake_is_named_with_its_value_and_what_was_expected() {
    check(
        r#"{"corelationId":"00"}"#,
        expect![
            "unknown field `corelationId`, expected one of `id`, `correlationId`, `groupId`, `sequence`, `isLastInGroup`, `offset`, `type`, `format`, `ccsid`, `encoding`, `priority`, `persistence`, `expiry`, `expiresAt`, `replyTo`, `report`, `feedback`, `contentType`, `properties`, `body`, `deliverAt`, `delay`, `flags`, `originalLength`, `user`, `accountingToken`, `applicationIdentityData`, `putApplication`, `putDate`, `putTime`, `applicationOriginData`, `backoutCount`, `putAt`, `position`, `length`, `headers`, `isPreview`, `problem`, `token`, `lockedUntil` at line 1 column 15"
        ],
    );
    check(r#"{"correlationId":"00"}"#, expect!["the member 'correlationId' is '00'; expected 48 hexadecimal digits"]);
    check(r#"{"priority":12}"#, expect!["the member 'priority' is '12'; expected 0 to 9"]);
    check(
        r#"{"expiry":"soon"}"#,
        expect!["the member 'expiry' is 'soon'; expected a duration such as 30s, 250ms or PT30S"],
    );
    check(
        r#"{"body":{"text":"a","base64":"AA=="}}"#,
        expect!["the body has 2 of text, json, base64, raw and copybook; expected one of them"],
    );
    check(r#"{"body":{"text":"Ω"},"ccsid":819}"#, expect!["the text cannot be written in CCSID 819"]);
    check(
        r#"{"properties":{"JMSType":"a"}}"#,
        expect!["the property 'JMSType' is refused: 'JMSType' is not a property name: 'JMS' is reserved"],
    );
    check(
        r#"{"properties":{"a":[1]}}"#,
        expect![[
            r#"the property 'a' is not a string, number, boolean, null or {"type": …, "value": …} with a value of its type"#
        ]],
    );
    check(
        r#"{"delay":"1s","deliverAt":"2026-11-21T00:00:00Z"}"#,
        expect!["the member 'delay' is '1s'; expected either deliverAt or delay"],
    );
    check("[1]", expect!["a JSON object was expected"]);
}

#[test]
fn a_message_that_was_read_can_be_sent_again() {
    let message =
        put(read_envelope(br#"{"properties":{"a":"b"},"body":{"text":"hello"}}"#, NOW, &NoCopybooks).expect("reads"));
    let again =
        read_envelope(shown(&message, BodyForm::Auto).as_bytes(), NOW, &NoCopybooks).expect("reads").into_message();
    assert_eq!(again.body, message.body);
}

#[test]
fn delays_are_read() {
    let due = |text: &str| read_envelope(text.as_bytes(), NOW, &NoCopybooks).expect("reads").due;
    assert_eq!(due(r#"{"delay":"250ms"}"#), Some(Due::After(std::time::Duration::from_millis(250))));
    assert_eq!(due(r#"{"deliverAt":"2026-11-21T00:00:00Z"}"#), Some(Due::At(NOW)));
    assert_eq!(due("{}"), None);
}

#[test]
fn a_preview_is_cut_between_characters() {
    let text = "ä".repeat(200);
    let envelope = format!(r#"{{"body":{{"text":"{text}"}}}}"#);
    let message = read_envelope(envelope.as_bytes(), NOW, &NoCopybooks).expect("reads").into_message();
    let shown = shown(&message, BodyForm::Preview);
    assert!(shown.contains(&format!("\"text\":\"{}\"", "ä".repeat(128))), "{shown}");
    assert!(shown.contains("\"isPreview\":true"));
}

proptest! {
    #[test]
    fn a_raw_body_comes_back_byte_for_byte(
        data in prop::collection::vec(any::<u8>(), 0..300), format in "[A-Z0-9]{0,8}", ccsid in 0..2000_i32, little in any::<bool>(),
    ) {
        let mut outgoing = Outgoing::default();
        outgoing.data = Bytes::from(data);
        let mut message = put(outgoing);
        message.descriptor.format = Format(model::text::Text::new(&format));
        message.descriptor.ccsid = Ccsid(ccsid);
        message.descriptor.encoding = if little { Encoding::LITTLE_ENDIAN } else { Encoding::BIG_ENDIAN };
        let again = read_envelope(shown(&message, BodyForm::Raw).as_bytes(), NOW, &NoCopybooks).expect("reads").into_message();
        prop_assert_eq!(&again.body, &message.body);
        prop_assert_eq!(again.descriptor.format, message.descriptor.format);
        prop_assert_eq!(again.descriptor.ccsid, message.descriptor.ccsid);
        prop_assert_eq!(again.descriptor.encoding, message.descriptor.encoding);
    }

    #[test]
    fn any_text_is_read_without_a_panic(text in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read_envelope(&text, NOW, &NoCopybooks);
    }
}
