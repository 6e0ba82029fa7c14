//! Headers and the descriptor: decoding undoes encoding, and damage is refused.

use model::descriptor::*;
use model::descriptor_codec::{self, Version};
use model::header::HeaderError;
use model::header::dead_letter::DeadLetterHeader;
use model::header::rfh2::Rfh2;
use model::header::transmission::TransmissionHeader;
use model::header::trigger::TriggerMessage;
use model::identifier::{AccountingToken, CorrelationId, GroupId, MessageId};
use model::name::ObjectName;
use model::text::Text;
use proptest::prelude::*;

const ENCODINGS: [Encoding; 2] = [Encoding::BIG_ENDIAN, Encoding::LITTLE_ENDIAN];

fn text<const N: usize>() -> impl Strategy<Value = Text<N>> {
    any::<[u8; N]>().prop_map(Text::from_bytes)
}

fn name() -> impl Strategy<Value = ObjectName> {
    "[A-Za-z0-9./_%]{0,48}".prop_map(|name| ObjectName::literal(&name))
}

fn count() -> impl Strategy<Value = u32> {
    0..=i32::MAX.unsigned_abs()
}

prop_compose! {
    fn descriptor()(
        (report, message_type, expiry, feedback, encoding, ccsid) in any::<(u32, i32, i32, i32, i32, i32)>(),
        (format, priority, persistence) in (text(), any::<i32>(), 0..3usize),
        (message_id, correlation_id, group_id) in any::<([u8; 24], [u8; 24], [u8; 24])>(),
        (backout_count, message_sequence_number, offset) in (count(), count(), count()),
        (reply_to_queue, reply_to_queue_manager) in (name(), name()),
        (user_identifier, accounting_token, application_identity_data) in (text(), any::<[u8; 32]>(), text()),
        (put_application_type, message_flags, original_length) in any::<(i32, u32, i32)>(),
        (put_application_name, put_date, put_time, application_origin_data) in (text(), text(), text(), text()),
    ) -> MessageDescriptor {
        MessageDescriptor {
            report: Report::from_bits_retain(report),
            message_type: MessageType(message_type),
            expiry: Expiry(expiry),
            feedback: Feedback(feedback),
            encoding: Encoding(encoding),
            ccsid: Ccsid(ccsid),
            format: Format(format),
            priority,
            persistence: [
                Persistence::NonPersistent, Persistence::Persistent, Persistence::AsQueueDefinition,
            ][persistence],
            message_id: MessageId::new(message_id),
            correlation_id: CorrelationId::new(correlation_id),
            backout_count,
            reply_to_queue,
            reply_to_queue_manager,
            user_identifier,
            accounting_token: AccountingToken::new(accounting_token),
            application_identity_data,
            put_application_type,
            put_application_name,
            put_date,
            put_time,
            application_origin_data,
            group_id: GroupId::new(group_id),
            message_sequence_number,
            offset,
            message_flags: MessageFlags::from_bits_retain(message_flags),
            original_length,
            principal: None,
        }
    }
}

proptest! {
    #[test]
    fn descriptor_survives_the_wire(descriptor in descriptor()) {
        for encoding in ENCODINGS {
            let mut out = Vec::new();
            descriptor_codec::encode(&descriptor, Version::Two, encoding, &mut out);
            prop_assert_eq!(out.len(), descriptor_codec::VERSION_2_LENGTH);
            prop_assert_eq!(descriptor_codec::decode(&out, encoding), Ok((descriptor.clone(), 364)));
        }
    }

    #[test]
    fn transmission_header_survives_with_every_field_of_its_descriptor(
        descriptor in descriptor(), remote_queue in text(), remote_queue_manager in text()
    ) {
        // An extension that announces another extension is not ours to nest.
        prop_assume!(descriptor.format != Format::MD_EXTENSION);
        let header = TransmissionHeader { remote_queue, remote_queue_manager, descriptor };
        for encoding in ENCODINGS {
            let mut out = Vec::new();
            header.encode(encoding, &mut out);
            let length = out.len();
            out.extend_from_slice(b"data");
            prop_assert_eq!(TransmissionHeader::decode(&out, encoding), Ok((header.clone(), length)));
        }
    }

    #[test]
    fn dead_letter_header_survives(
        (reason, encoding, ccsid, put_application_type) in any::<(i32, i32, i32, i32)>(),
        (destination_queue, destination_queue_manager, format) in (text(), text(), text()),
        (put_application_name, put_date, put_time) in (text(), text(), text()),
    ) {
        let header = DeadLetterHeader {
            reason, destination_queue, destination_queue_manager,
            encoding: Encoding(encoding), ccsid: Ccsid(ccsid), format: Format(format),
            put_application_type, put_application_name, put_date, put_time,
        };
        for encoding in ENCODINGS {
            let mut out = Vec::new();
            header.encode(encoding, &mut out);
            prop_assert_eq!(out.len(), DeadLetterHeader::LENGTH);
            prop_assert_eq!(DeadLetterHeader::decode(&out, encoding), Ok(header.clone()));
        }
    }

    #[test]
    fn trigger_message_survives(
        (queue, process, trigger_data, application_type) in (text(), text(), text(), any::<i32>()),
        (application_identifier, environment_data, user_data) in (text(), text(), text()),
    ) {
        let message = TriggerMessage {
            queue, process, trigger_data, application_type, application_identifier, environment_data, user_data,
        };
        for encoding in ENCODINGS {
            let mut out = Vec::new();
            message.encode(encoding, &mut out);
            prop_assert_eq!(out.len(), TriggerMessage::LENGTH);
            prop_assert_eq!(TriggerMessage::decode(&out, encoding), Ok(message.clone()));
        }
    }

    #[test]
    fn rfh2_survives(
        (encoding, ccsid, flags, format) in (any::<i32>(), any::<i32>(), any::<i32>(), text()),
        folders in proptest::collection::vec("<[a-z]{1,9}>[^ \0]{0,20}</x>", 0..4),
    ) {
        let header = Rfh2 { encoding: Encoding(encoding), ccsid: Ccsid(ccsid), format: Format(format), flags, folders };
        for encoding in ENCODINGS {
            let mut out = Vec::new();
            let length = header.encode(encoding, &mut out);
            prop_assert_eq!((length, length % 4), (out.len(), 0));
            out.extend_from_slice(b"data");
            prop_assert_eq!(Rfh2::decode(&out, encoding), Ok((header.clone(), length)));
        }
    }

    #[test]
    fn no_bytes_make_a_decoder_panic(bytes in proptest::collection::vec(any::<u8>(), 0..600), start in 0..5usize) {
        let identifiers: [&[u8]; 5] = [b"MD  ", b"DLH ", b"XQH \0\0\0\x01", b"RFH \0\0\0\x02\0\0\0\x40", b"TM  "];
        let bytes = [identifiers[start], &bytes].concat();
        for encoding in ENCODINGS {
            let _ = descriptor_codec::decode(&bytes, encoding);
            let _ = DeadLetterHeader::decode(&bytes, encoding);
            let _ = TransmissionHeader::decode(&bytes, encoding);
            let _ = TriggerMessage::decode(&bytes, encoding);
            if let Ok((_, length)) = Rfh2::decode(&bytes, encoding) {
                assert!(length <= bytes.len());
            }
        }
    }
}

#[test]
fn version_1_has_no_group_and_its_defaults_come_back() {
    let descriptor =
        MessageDescriptor { message_sequence_number: 7, group_id: GroupId::new([1; 24]), ..Default::default() };
    let mut out = Vec::new();
    descriptor_codec::encode(&descriptor, Version::One, Encoding::BIG_ENDIAN, &mut out);
    assert_eq!(descriptor_codec::decode(&out, Encoding::BIG_ENDIAN), Ok((MessageDescriptor::default(), 324)));
}

#[test]
fn a_descriptor_says_what_is_wrong_with_it() {
    let mut out = Vec::new();
    descriptor_codec::encode(&MessageDescriptor::default(), Version::Two, Encoding::BIG_ENDIAN, &mut out);
    let decode = |change: (usize, u8)| {
        let mut bytes = out.clone();
        bytes[change.0] = change.1;
        descriptor_codec::decode(&bytes, Encoding::BIG_ENDIAN).expect_err("damaged")
    };
    assert_eq!(decode((0, b'X')), HeaderError::Identifier { structure: "MQMD" });
    assert_eq!(decode((7, 9)), HeaderError::Value { structure: "MQMD", field: "Version", value: 9 });
    assert_eq!(decode((47, 5)), HeaderError::Value { structure: "MQMD", field: "Persistence", value: 5 });
    assert_eq!(decode((100, b'!')), HeaderError::Name { structure: "MQMD", field: "ReplyToQ" });
    assert_eq!(
        descriptor_codec::decode(&out[..363], Encoding::BIG_ENDIAN),
        Err(HeaderError::Short { structure: "MQMD", offset: 360, needed: 4, available: 3 })
    );
}

#[test]
fn folder_lengths_beyond_the_header_are_refused() {
    let header = Rfh2 {
        encoding: Encoding::BIG_ENDIAN,
        ccsid: Ccsid::INHERIT,
        format: Format::NONE,
        flags: 0,
        folders: vec!["<usr></usr>".to_owned()],
    };
    let mut out = Vec::new();
    header.encode(Encoding::BIG_ENDIAN, &mut out);
    out.extend_from_slice(&[0; 64]);
    for (offset, value) in [(39, 60), (36, 0x80), (11, 35), (11, 0), (8, 0x7F), (8, 0x80), (32, 1)] {
        let mut bytes = out.clone();
        bytes[offset] = value;
        assert!(Rfh2::decode(&bytes, Encoding::BIG_ENDIAN).is_err(), "byte {offset} is {value}");
    }
}

#[test]
fn utf_16_folders_follow_the_byte_order_of_the_header() {
    for encoding in ENCODINGS {
        let little = encoding.integers_are_little_endian();
        let integer = |value: i32| if little { value.to_le_bytes() } else { value.to_be_bytes() };
        let mut bytes = b"RFH ".to_vec();
        for value in [2, 52, 273, 1208] {
            bytes.extend_from_slice(&integer(value));
        }
        bytes.extend_from_slice(b"MQSTR   ");
        for value in [0, 1200, 12] {
            bytes.extend_from_slice(&integer(value));
        }
        for unit in "<é/>  ".encode_utf16() {
            bytes.extend_from_slice(&if little { unit.to_le_bytes() } else { unit.to_be_bytes() });
        }
        let (header, length) = Rfh2::decode(&bytes, encoding).expect("well formed");
        assert_eq!((header.folders, length), (vec!["<é/>".to_owned()], 52));
    }
}

mod bridges {
    use model::header::fixed::{FixedHeader, Part};
    use model::header::layout::{CICS, CICS_1, Field, IMS, Layout};

    use super::*;

    fn field(layout: &'static Layout, name: &str) -> &'static Field {
        layout.fields.iter().find(|field| field.name == name).expect("the field")
    }

    /// As the reference lists them: the bytes of the fields before a field are its offset.
    #[test]
    fn fields_lie_one_behind_the_other() {
        for layout in [&IMS, &CICS, &CICS_1] {
            let mut at = 12;
            for field in layout.fields {
                assert_eq!(field.offset, at, "{} {}", layout.structure, field.name);
                at += field.kind.width();
            }
            assert_eq!(at, layout.length, "{} {}", layout.structure, layout.version);
        }
        assert_eq!((IMS.length, CICS_1.length, CICS.length), (84, 164, 180));
    }

    #[test]
    fn a_new_bridge_header_has_the_published_initial_values() {
        let part = Part { encoding: Encoding::BIG_ENDIAN, ccsid: Ccsid::UTF_8 };
        let header = FixedHeader::new(&CICS, part);
        let bytes = header.as_bytes();
        assert_eq!(bytes[..12], *b"CIH \0\0\0\x02\0\0\0\xb4");
        // UOWControl, GetWaitInterval, LinkType, OutputDataLength.
        assert_eq!(bytes[44..60], *b"\0\0\x01\x11\xff\xff\xff\xfe\0\0\0\x01\xff\xff\xff\xff");
        let header = FixedHeader::new(&IMS, part);
        let bytes = header.as_bytes();
        assert_eq!((&bytes[..12], &bytes[80..]), (&b"IIH \0\0\0\x01\0\0\0\x54"[..], &b" 0C "[..]));
    }

    #[test]
    fn a_bridge_header_is_written_and_read_in_ebcdic_and_in_either_byte_order() {
        for encoding in [Encoding::Z_OS, Encoding::LITTLE_ENDIAN] {
            let part = Part { encoding, ccsid: Ccsid(37) };
            let mut header = FixedHeader::new(&CICS_1, part);
            assert!(header.set_text(field(&CICS_1, "transactionId"), "PAY1"));
            assert!(!header.set_text(field(&CICS_1, "transactionId"), "TOO LONG"));
            header.set_integer(field(&CICS_1, "reason"), 0x0102);
            header.announce(Format::STRING, part, None);
            let mut bytes = header.as_bytes().to_vec();
            assert_eq!(
                (bytes.len(), &bytes[..4], &bytes[124..128]),
                (164, &b"\xc3\xc9\xc8\x40"[..], &b"\xd7\xc1\xe8\xf1"[..])
            );
            let reason = if encoding == Encoding::Z_OS { [0, 0, 1, 2] } else { [2, 1, 0, 0] };
            assert_eq!(bytes[40..44], reason);
            bytes.extend_from_slice(b"data");
            let read = FixedHeader::decode(Format::CICS, &bytes, part).expect("it is one");
            assert_eq!((read.as_bytes(), read.next()), (&bytes[..164], Some((Format::STRING, part))));
            assert_eq!(read.text(field(&CICS_1, "transactionId")).as_deref(), Some("PAY1"));
        }
    }

    #[test]
    fn a_bridge_header_with_another_version_length_or_identifier_is_none() {
        let part = Part { encoding: Encoding::BIG_ENDIAN, ccsid: Ccsid::UTF_8 };
        let whole = FixedHeader::new(&CICS, part).as_bytes().to_vec();
        let refused = |at: usize, byte: u8| {
            let mut bytes = whole.clone();
            bytes[at] = byte;
            FixedHeader::decode(Format::CICS, &bytes, part).expect_err("it is damaged").to_string()
        };
        assert_eq!(refused(7, 3), "MQCIH: Version is 3");
        assert_eq!(refused(7, 1), "MQCIH: StrucLength is 180");
        assert_eq!(refused(11, 164), "MQCIH: StrucLength is 164");
        assert_eq!(refused(0, b'X'), "MQCIH: the structure identifier is another");
        let short = FixedHeader::decode(Format::CICS, &whole[..179], part).expect_err("it is short").to_string();
        assert_eq!(short, "MQCIH: 180 bytes are needed at offset 0, 179 are there");
        let ebcdic = Part { ccsid: Ccsid(37), ..part };
        assert!(FixedHeader::decode(Format::CICS, &whole, ebcdic).is_err(), "it is not written as announced");
    }
}
