//! Layouts: every record comes back as it was written, and one of each stands here in bytes.

use std::sync::Arc;

use bytes::Bytes;
use expect_test::{Expect, expect};
use model::authority::Principal;
use model::descriptor::{
    Ccsid, Encoding, Expiry, Feedback, Format, MessageDescriptor, MessageFlags, MessageType, Persistence, Report,
};
use model::identifier::{AccountingToken, CorrelationId, GroupId, MessageId};
use model::name::ObjectName;
use model::text::Text;
use proptest::prelude::*;

use super::anchor::{Anchor, Promise};
use super::cursor::Cursor;
use super::descriptor::{Keys, MAXIMUM_BYTES, decode, decode_content, encode, encode_content};
use super::extent::{BATCH_HEADER_BYTES, BatchHeader, ExtentHeader, HeaderError, LogFile, Place};
use super::record::{Operation, PutRecord, UnitKind, get_record, next_operation, unit_head, units};
use crate::private::queue::Key;
use crate::{Position, QueueId, ReceiptKey, UnitOfWorkId, Xid};

fn hex(bytes: &[u8]) -> String {
    let lines: Vec<String> = bytes
        .chunks(16)
        .map(|line| line.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" "))
        .collect();
    lines.join("\n")
}

fn name() -> impl Strategy<Value = ObjectName> {
    "[A-Z.]{0,48}".prop_map(|name| ObjectName::parse(&name).expect("a name"))
}

prop_compose! {
    fn descriptor()(
        numbers in prop::array::uniform13(any::<u32>()),
        persistence in prop::sample::select(vec![
            Persistence::NonPersistent, Persistence::Persistent, Persistence::AsQueueDefinition
        ]),
        identifiers in prop::array::uniform3(prop::array::uniform24(any::<u8>())),
        accounting_token in prop::array::uniform32(any::<u8>()),
        names in prop::array::uniform2(name()),
        texts in ("\\PC{0,8}", "\\PC{0,12}", "\\PC{0,32}", "\\PC{0,28}", "\\PC{0,8}", "\\PC{0,8}", "\\PC{0,4}"),
        blank in any::<bool>(),
    ) -> MessageDescriptor {
        let [a, b, c, d, e, f, g, h, i, j, k, l, m] = numbers;
        let identifiers = if blank { [[0; 24]; 3] } else { identifiers };
        MessageDescriptor {
            report: Report::from_bits_retain(a),
            message_type: MessageType(b.cast_signed()),
            expiry: Expiry(c.cast_signed()),
            feedback: Feedback(d.cast_signed()),
            encoding: Encoding(e.cast_signed()),
            ccsid: Ccsid(f.cast_signed()),
            format: Format(Text::new(&texts.0)),
            priority: g.cast_signed(),
            persistence,
            message_id: MessageId::new(identifiers[0]),
            correlation_id: CorrelationId::new(identifiers[1]),
            backout_count: h,
            reply_to_queue: names[0],
            reply_to_queue_manager: names[1],
            user_identifier: Text::new(&texts.1),
            accounting_token: AccountingToken::new(accounting_token),
            application_identity_data: Text::new(&texts.2),
            put_application_type: i.cast_signed(),
            put_application_name: Text::new(&texts.3),
            put_date: Text::new(&texts.4),
            put_time: Text::new(&texts.5),
            application_origin_data: Text::new(&texts.6),
            group_id: GroupId::new(identifiers[2]),
            message_sequence_number: j,
            offset: k,
            message_flags: MessageFlags::from_bits_retain(l),
            original_length: m.cast_signed(),
            principal: None,
        }
    }
}

proptest! {
    #[test]
    fn decoding_a_descriptor_undoes_encoding(descriptor in descriptor(), body in prop::collection::vec(any::<u8>(), 0..50)) {
        let bytes = encode(&descriptor).as_bytes().to_vec();
        prop_assert!(bytes.len() <= MAXIMUM_BYTES);
        prop_assert_eq!(decode(&mut Cursor::new(&bytes)), Some(descriptor.clone()));
        let keys = Keys::decode(&bytes).expect("whole");
        prop_assert_eq!(keys.message_id, descriptor.message_id);
        prop_assert_eq!(keys.correlation_id, descriptor.correlation_id);
        prop_assert_eq!(keys.group_id, descriptor.group_id);
        prop_assert_eq!(keys.sequence_number, descriptor.message_sequence_number);
        prop_assert_eq!((keys.offset, keys.flags), (descriptor.offset, descriptor.message_flags));
        prop_assert_eq!(i32::from(keys.priority), descriptor.priority.clamp(0, 9));
        let message = decode_content(Bytes::from(encode_content(&descriptor, &body))).expect("whole");
        prop_assert_eq!((message.descriptor, message.body), (descriptor, Bytes::from(body)));
        for cut in 0..bytes.len() {
            prop_assert!(decode(&mut Cursor::new(&bytes[..cut])).is_none());
        }
    }

    #[test]
    fn decoding_a_principal_undoes_encoding(
        bare in descriptor(), user in ".{0,300}", groups in prop::collection::vec(".{0,40}", 0..5),
        is_administrator in any::<bool>(), body in prop::collection::vec(any::<u8>(), 0..50),
    ) {
        let groups = groups.into_iter().map(Arc::from).collect();
        let principal = Principal { user: user.into(), groups, is_administrator };
        let descriptor = MessageDescriptor { principal: Some(Arc::new(principal)), ..bare };
        let bytes = encode_content(&descriptor, &body);
        prop_assert!(Keys::decode(&bytes).is_some());
        for cut in 0..bytes.len() - body.len() {
            prop_assert!(decode(&mut Cursor::new(&bytes[..cut])).is_none());
        }
        let message = decode_content(Bytes::from(bytes)).expect("whole");
        prop_assert_eq!((message.descriptor, message.body), (descriptor, Bytes::from(body)));
    }

    #[test]
    fn decoding_an_operation_undoes_encoding(
        queue in any::<u32>(), key in any::<u64>(), numbers in prop::array::uniform6(any::<u32>()),
        content in prop::collection::vec(any::<u8>(), 0..80), text in "\\PC{0,20}",
    ) {
        let (queue, key) = (QueueId(queue), Key(key));
        let descriptor_length = u32::try_from(content.len() / 2).expect("short");
        let inline = PutRecord {
            queue, key, descriptor_length,
            expires: u64::from(numbers[0]), arrived: u64::from(numbers[1]), body_file: 0, backout_count: numbers[2],
            body_length: u32::try_from(content.len()).expect("short") - descriptor_length,
            content_crc: numbers[3], body_crc: numbers[4], content: &content,
        };
        let apart = PutRecord {
            body_file: 1 + u64::from(numbers[5]), body_length: numbers[5], descriptor_length: u32::try_from(content.len()).expect("short"),
            ..inline
        };
        let operations = [
            Operation::Put(inline), Operation::Moved(inline), Operation::Put(apart), Operation::Moved(apart),
            Operation::Get { queue, key }, Operation::BackoutCount { queue, key, count: numbers[0] },
            Operation::SaveDefinition { key: &text, value: &content, crc: numbers[1] },
            Operation::DeleteDefinition { key: &text }, Operation::DropQueue(queue), Operation::ClearQueue(queue),
            Operation::Receipt { key: ReceiptKey([numbers[0].to_le_bytes()[0]; 16]), expires: key.0, crc: numbers[1], value: &content },
        ];
        for operation in operations {
            let mut bytes = Vec::new();
            operation.encode(&mut bytes);
            prop_assert_eq!(next_operation(&mut Cursor::new(&bytes)), Some(operation));
            for cut in 0..bytes.len() {
                prop_assert!(next_operation(&mut Cursor::new(&bytes[..cut])).is_none());
            }
        }
    }

    #[test]
    fn arbitrary_bytes_are_never_a_reason_to_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), count in 0_u32..5) {
        for unit in units(&bytes, count).map_while(Result::ok) {
            let _ = unit.operations().count();
        }
        let _ = decode_content(Bytes::from(bytes.clone()));
        let _ = Keys::decode(&bytes);
        let _ = ExtentHeader::decode(&bytes);
        let header = ExtentHeader { sequence: 1, salt: 2, length: 300 };
        prop_assert_eq!(BatchHeader::search(&header, &bytes, 0), None);
    }
}

fn check(bytes: &[u8], expected: Expect) {
    expected.assert_eq(&hex(bytes));
}

fn put_record(content: &[u8]) -> PutRecord<'_> {
    PutRecord {
        queue: QueueId(3),
        key: Key::new(5, Position(0x1122)),
        expires: super::record::NEVER,
        arrived: 0x0102_0304_0506,
        body_file: 0,
        backout_count: 2,
        body_length: 4,
        content_crc: 0xAABB_CCDD,
        body_crc: 0,
        descriptor_length: u32::try_from(content.len() - 4).expect("short"),
        content,
    }
}

#[test]
fn golden_extent_header() {
    let header = ExtentHeader { sequence: 7, salt: 0x0123_4567_89AB_CDEF, length: 1 << 20 };
    let bytes = header.encode();
    check(
        &bytes,
        expect![[r#"
            51 4d 41 53 54 4c 4f 47 02 00 00 00 00 00 00 00
            07 00 00 00 00 00 00 00 ef cd ab 89 67 45 23 01
            00 00 10 00 00 00 00 00 44 88 67 e8"#]],
    );
    assert_eq!(ExtentHeader::decode(&bytes), Ok(header));
    assert_eq!(ExtentHeader::decode(&bytes[..43]), Err(HeaderError::Damaged));
}

#[test]
fn extents_of_the_first_version_are_read_and_those_of_a_later_one_are_not() {
    let header = ExtentHeader { sequence: 7, salt: 0x0123_4567_89AB_CDEF, length: 1 << 20 };
    let of_version = |version: u8| {
        let mut bytes = header.encode();
        bytes[8] = version;
        let crc = crc32c::crc32c(&bytes[..40]).to_le_bytes();
        bytes[40..].copy_from_slice(&crc);
        ExtentHeader::decode(&bytes)
    };
    assert_eq!((of_version(1), of_version(2)), (Ok(header), Ok(header)));
    assert_eq!((of_version(0), of_version(3)), (Err(HeaderError::Version(0)), Err(HeaderError::Version(3))));
}

#[test]
fn golden_batch() {
    let unit = unit_head(UnitKind::Complete, UnitOfWorkId(0), None, 20);
    let mut batch = vec![0; BATCH_HEADER_BYTES];
    batch.extend_from_slice(unit.as_bytes());
    batch.extend_from_slice(&get_record(QueueId(3), Key::new(5, Position(0x1122))));
    batch.resize(batch.len().next_multiple_of(8), 0);
    let header = BatchHeader {
        place: Place::new(7, 4096),
        previous_end: Place::new(6, 0xF000),
        next_position: 0x1123,
        oldest: 4,
        length: batch.len(),
        units: 1,
    };
    header.seal(0x0123_4567_89AB_CDEF, &mut batch);
    check(
        &batch,
        expect![[r#"
        51 4d 42 31 68 1f 65 ea 00 10 00 00 07 00 00 00
        00 f0 00 00 06 00 00 00 23 11 00 00 00 00 00 00
        04 00 00 00 00 00 00 00 58 00 00 00 01 00 00 00
        24 00 00 00 01 01 00 00 00 00 00 00 00 00 00 00
        03 01 00 00 0c 00 00 00 03 00 00 00 22 11 00 00
        00 00 00 50 00 00 00 00"#]],
    );
    let extent = ExtentHeader { sequence: 7, salt: 0x0123_4567_89AB_CDEF, length: 1 << 20 };
    let mut image = vec![0; 4096];
    image.extend_from_slice(&batch);
    assert_eq!(BatchHeader::read(&extent, &image, 4096).map(|(header, _)| header), Some(header));
    let other = ExtentHeader { salt: 1, ..extent };
    assert_eq!(BatchHeader::read(&other, &image, 4096), None, "another salt, another use of the file");
}

#[test]
fn golden_put_and_moved() {
    let descriptor = MessageDescriptor {
        message_id: MessageId::new([0x4D; 24]),
        format: Format::STRING,
        reply_to_queue: ObjectName::literal("REPLY"),
        persistence: Persistence::Persistent,
        priority: 4,
        ..MessageDescriptor::default()
    };
    let content = encode_content(&descriptor, b"body");
    let mut put = Vec::new();
    Operation::Put(put_record(&content)).encode(&mut put);
    check(
        &put,
        expect![[r#"
        01 01 00 00 a0 00 00 00 03 00 00 00 64 00 00 00
        22 11 00 00 00 00 00 50 ff ff ff ff ff ff ff ff
        06 05 04 03 02 01 00 00 00 00 00 00 00 00 00 00
        02 00 00 00 04 00 00 00 dd cc bb aa 00 00 00 00
        00 00 00 00 08 00 00 00 ff ff ff ff 00 00 00 00
        22 02 00 00 00 00 00 00 04 00 00 00 00 00 00 00
        00 00 00 00 01 00 00 00 00 00 00 00 00 00 00 00
        ff ff ff ff 01 18 4d 4d 4d 4d 4d 4d 4d 4d 4d 4d
        4d 4d 4d 4d 4d 4d 4d 4d 4d 4d 4d 4d 4d 4d 00 00
        05 4d 51 53 54 52 05 52 45 50 4c 59 00 00 00 00
        00 00 00 00 62 6f 64 79"#]],
    );
    let mut moved = Vec::new();
    Operation::Moved(put_record(&content)).encode(&mut moved);
    assert_eq!((moved[0], &moved[1..]), (2, &put[1..]));
}

#[test]
fn golden_principal() {
    let principal =
        Principal { user: "a long user name".into(), groups: [Arc::from("mqm")].into(), is_administrator: true };
    let descriptor = MessageDescriptor { principal: Some(Arc::new(principal)), ..MessageDescriptor::default() };
    let content = encode_content(&descriptor, b"");
    check(
        &content[52..],
        expect![[r#"
        82 00 00 00 00 00 00 00 00 00 00 00 00 00 18 00
        01 10 00 61 20 6c 6f 6e 67 20 75 73 65 72 20 6e
        61 6d 65 03 00 6d 71 6d"#]],
    );
}

#[test]
fn too_many_groups_for_the_record_are_left_out() {
    let groups = (0..3000).map(|number| format!("group of a directory {number:05}").into()).collect();
    let principal = Principal { user: "u".into(), groups, is_administrator: false };
    let descriptor = MessageDescriptor { principal: Some(Arc::new(principal)), ..MessageDescriptor::default() };
    let message = decode_content(encode_content(&descriptor, b"body").into()).expect("whole");
    let kept = message.descriptor.answerable().expect("named");
    assert_eq!((&*kept.user, kept.groups.len(), &*message.body), ("u", 2340, b"body".as_slice()));
}

#[test]
fn golden_small_operations() {
    let key = Key::new(5, Position(0x1122));
    let mut bytes = Vec::new();
    for operation in [
        Operation::Get { queue: QueueId(3), key },
        Operation::BackoutCount { queue: QueueId(3), key, count: 9 },
        Operation::SaveDefinition { key: "queue/Q", value: b"value", crc: 0x0102_0304 },
        Operation::DeleteDefinition { key: "queue/Q" },
        Operation::DropQueue(QueueId(3)),
        Operation::ClearQueue(QueueId(3)),
        Operation::Receipt {
            key: ReceiptKey([0xAB; 16]),
            expires: 0x0102_0304_0506,
            crc: 0x0A0B_0C0D,
            value: b"value",
        },
    ] {
        bytes.clear();
        operation.encode(&mut bytes);
        match operation {
            Operation::Get { .. } => check(
                &bytes,
                expect![[r#"
                03 01 00 00 0c 00 00 00 03 00 00 00 22 11 00 00
                00 00 00 50"#]],
            ),
            Operation::BackoutCount { .. } => check(
                &bytes,
                expect![[r#"
                04 01 00 00 10 00 00 00 03 00 00 00 22 11 00 00
                00 00 00 50 09 00 00 00"#]],
            ),
            Operation::SaveDefinition { .. } => check(
                &bytes,
                expect![[r#"
                05 01 00 00 12 00 00 00 04 03 02 01 07 00 71 75
                65 75 65 2f 51 76 61 6c 75 65"#]],
            ),
            Operation::DeleteDefinition { .. } => {
                check(&bytes, expect!["06 01 00 00 07 00 00 00 71 75 65 75 65 2f 51"]);
            }
            Operation::DropQueue(_) => check(&bytes, expect!["07 01 00 00 04 00 00 00 03 00 00 00"]),
            Operation::Receipt { .. } => check(
                &bytes,
                expect![[r#"
                09 01 00 00 21 00 00 00 ab ab ab ab ab ab ab ab
                ab ab ab ab ab ab ab ab 06 05 04 03 02 01 00 00
                0d 0c 0b 0a 76 61 6c 75 65"#]],
            ),
            _ => check(&bytes, expect!["08 01 00 00 04 00 00 00 03 00 00 00"]),
        }
    }
}

#[test]
fn golden_unit_heads() {
    let xid = Xid { format_id: 0x0A0B, global_transaction: vec![1, 2, 3], branch: vec![9] };
    let prepared = unit_head(UnitKind::Prepared, UnitOfWorkId(0x55), Some(&xid), 0);
    check(
        prepared.as_bytes(),
        expect![[r#"
        1a 00 00 00 03 01 0a 00 55 00 00 00 00 00 00 00
        0b 0a 00 00 03 01 01 02 03 09"#]],
    );
    let found: Vec<_> = units(prepared.as_bytes(), 1).collect::<Result<_, _>>().expect("whole");
    assert_eq!((found[0].kind, found[0].xid.as_ref()), (UnitKind::Prepared, Some(&xid)));
    for (kind, number) in [
        (UnitKind::Complete, 1),
        (UnitKind::Part, 2),
        (UnitKind::Prepared, 3),
        (UnitKind::Commit, 4),
        (UnitKind::BackOut, 5),
    ] {
        assert_eq!(unit_head(kind, UnitOfWorkId(1), None, 0).as_bytes()[4], number);
    }
}

#[test]
fn golden_anchor() {
    let promise = Promise {
        durable: Place::new(3, 0x1040),
        durable_salt: 0x0123_4567_89AB_CDEF,
        oldest: 2,
        oldest_salt: 0x55,
        highest: 4,
    };
    let bytes = Anchor { counter: 7, promise }.encode();
    check(
        &bytes,
        expect![[r#"
        51 4d 41 53 54 41 4e 43 01 00 00 00 00 00 00 00
        07 00 00 00 00 00 00 00 40 10 00 00 03 00 00 00
        ef cd ab 89 67 45 23 01 02 00 00 00 00 00 00 00
        55 00 00 00 00 00 00 00 04 00 00 00 00 00 00 00
        6e 55 a6 9f"#]],
    );
    assert_eq!(Anchor::decode(&bytes), Some((Anchor { counter: 7, promise }, 1)));
    for at in 0..bytes.len() {
        let mut damaged = bytes;
        damaged[at] ^= 0x40;
        assert_eq!(Anchor::decode(&damaged), None, "byte {at}");
    }
}

#[test]
fn file_names_say_what_a_file_is() {
    for file in [
        LogFile::Extent(12),
        LogFile::Spare(3),
        LogFile::Preparing,
        LogFile::Body(1 << 40),
        LogFile::Spill(0),
        LogFile::Anchor,
    ] {
        assert_eq!(LogFile::parse(&file.name()), Some(file));
    }
    for other in ["lock", "extent-12", "extent-00000000012", "body-x", "extent--000000012", "anchor-1"] {
        assert_eq!(LogFile::parse(&super::disk::FileName(other.to_owned())), None, "{other}");
    }
}
