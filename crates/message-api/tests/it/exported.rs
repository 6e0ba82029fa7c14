//! Exports: what is read back is what was written, whatever a program has put into the descriptor.

use bytes::Bytes;
use expect_test::expect;
use message_api::copybooks::NoCopybooks;
use message_api::exported::Exported;
use message_api::outgoing::read_envelope;
use model::descriptor::{
    Ccsid, Encoding, Expiry, Feedback, Format, MessageDescriptor, MessageFlags, MessageType, Persistence, Report,
};
use model::identifier::{AccountingToken, CorrelationId, GroupId, MessageId};
use model::message::Message;
use model::name::{QueueManagerName, QueueName};
use model::text::Text;
use model::timestamp::Timestamp;
use proptest::prelude::*;

/// Not on a whole millisecond.
const NOW: Timestamp = Timestamp(1_795_219_200_000_789);

fn carried(message: &Message) -> Message {
    let line = serde_json::to_vec(&Exported { message, now: NOW }).expect("it serialises");
    read_envelope(&line, NOW, &NoCopybooks).expect("what was written can be read").into_message()
}

/// Texts, and bytes that are none.
fn text<const N: usize>() -> impl Strategy<Value = Text<N>> {
    prop_oneof![
        Just(Text::BLANK),
        "[ -~]{0,32}".prop_map(|text| Text::new(&text)),
        prop::collection::vec(any::<u8>(), N).prop_map(|bytes| Text::from_bytes(bytes.try_into().expect("N bytes"))),
    ]
}

fn identifiers() -> impl Strategy<Value = [u8; 24]> {
    prop_oneof![Just([0; 24]), any::<[u8; 24]>()]
}

prop_compose! {
    fn kind()(
        report in any::<u32>(), message_type in any::<i32>(), feedback in any::<i32>(), format in text(),
        ccsid in any::<i32>(), encoding in any::<i32>(), priority in 0..=9_i32, is_persistent in any::<bool>(),
        expiry in prop_oneof![Just(-1), 1..=999_999_999_i32],
        queue in "[A-Z.]{0,48}", queue_manager in "[A-Z.]{0,48}",
    ) -> MessageDescriptor {
        MessageDescriptor {
            report: Report::from_bits_retain(report),
            message_type: MessageType(message_type),
            feedback: Feedback(feedback),
            format: Format(format),
            ccsid: Ccsid(ccsid),
            encoding: Encoding(encoding),
            priority,
            persistence: if is_persistent { Persistence::Persistent } else { Persistence::NonPersistent },
            expiry: Expiry(expiry),
            reply_to_queue: QueueName::parse(&queue).expect("a name"),
            reply_to_queue_manager: QueueManagerName::parse(&queue_manager).expect("a name"),
            ..MessageDescriptor::default()
        }
    }
}

prop_compose! {
    fn descriptors()(
        kind in kind(), ids in [identifiers(), identifiers(), identifiers()], place in any::<(u32, u32, u32, i32)>(),
        user in text(), token in any::<[u8; 32]>(), identity in text(), application in (any::<i32>(), text()),
        times in (text(), text()), origin in text(),
    ) -> MessageDescriptor {
        let (sequence, offset, flags, original_length) = place;
        MessageDescriptor {
            message_id: MessageId::new(ids[0]),
            correlation_id: CorrelationId::new(ids[1]),
            group_id: GroupId::new(ids[2]),
            message_sequence_number: sequence,
            offset,
            message_flags: MessageFlags::from_bits_retain(flags),
            original_length,
            user_identifier: user,
            accounting_token: AccountingToken::new(token),
            application_identity_data: identity,
            put_application_type: application.0,
            put_application_name: application.1,
            put_date: times.0,
            put_time: times.1,
            application_origin_data: origin,
            ..kind
        }
    }
}

proptest! {
    #[test]
    fn every_field_and_every_byte_comes_back(
        descriptor in descriptors(), body in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        let message = Message { descriptor, body: Bytes::from(body) };
        prop_assert_eq!(carried(&message), message);
    }

    #[test]
    fn no_line_that_is_changed_makes_the_reader_panic(
        descriptor in descriptors(), at in any::<prop::sample::Index>(), byte in any::<u8>(),
    ) {
        let message = Message { descriptor, body: Bytes::from_static(b"body") };
        let mut line = serde_json::to_vec(&Exported { message: &message, now: NOW }).expect("it serialises");
        let at = at.index(line.len());
        line[at] = byte;
        let _ = read_envelope(&line, NOW, &NoCopybooks);
    }
}

#[test]
fn an_envelope_of_an_export_says_what_is_not_by_default() {
    let descriptor = MessageDescriptor {
        message_id: MessageId::new([1; 24]),
        format: Format::STRING,
        ccsid: Ccsid(1208),
        priority: 4,
        persistence: Persistence::Persistent,
        user_identifier: Text::from_bytes(*b"app\0\0\0\0\0\0\0\0\0"),
        put_application_name: Text::new("program"),
        put_application_type: 6,
        put_date: Text::new("20261123"),
        put_time: Text::new("04000012"),
        ..MessageDescriptor::default()
    };
    let message = Message { descriptor, body: Bytes::from_static(b"hello") };
    let line = serde_json::to_string(&Exported { message: &message, now: NOW }).expect("it serialises");
    expect![[r#"{"id":"010101010101010101010101010101010101010101010101","type":"datagram","format":"MQSTR","ccsid":1208,"encoding":546,"priority":4,"persistence":"persistent","user":{"hex":"617070000000000000000000"},"putApplication":{"name":"program","type":6},"putDate":"20261123","putTime":"04000012","body":{"raw":"aGVsbG8="}}"#]].assert_eq(&line);
}

#[test]
fn a_text_that_its_field_cannot_hold_is_a_mistake() {
    for (line, expected) in [
        (r#"{"user":"thirteen-long"}"#, "user"),
        (r#"{"putDate":{"hex":"00"}}"#, "putDate"),
        (r#"{"accountingToken":"00"}"#, "accountingToken"),
        (r#"{"flags":-1}"#, "flags"),
    ] {
        let error = read_envelope(line.as_bytes(), NOW, &NoCopybooks).expect_err(line).to_string();
        assert!(error.contains(expected), "{error}");
    }
}
