//! Data conversion on get: text, chains of headers, and what is left alone.

use bytes::Bytes;
use model::conversion::{Converted, convert, convert_within};
use model::descriptor::{Ccsid, Encoding, Format, MessageDescriptor};
use model::header::dead_letter::DeadLetterHeader;
use model::header::rfh2::Rfh2;
use model::header::transmission::TransmissionHeader;
use model::header::trigger::TriggerMessage;
use model::options::ConversionTarget;
use model::reason::Reason;
use model::text::Text;
use proptest::prelude::*;

const BIG: Encoding = Encoding::BIG_ENDIAN;
const LITTLE: Encoding = Encoding::LITTLE_ENDIAN;

fn descriptor(format: Format, ccsid: i32, encoding: Encoding) -> MessageDescriptor {
    MessageDescriptor { format, ccsid: Ccsid(ccsid), encoding, ..Default::default() }
}

fn target(ccsid: i32, encoding: Encoding) -> ConversionTarget {
    ConversionTarget { ccsid: Ccsid(ccsid), encoding }
}

fn string(ccsid: i32, body: &[u8], to: ConversionTarget) -> Converted {
    convert(&descriptor(Format::STRING, ccsid, BIG), &Bytes::copy_from_slice(body), to)
}

#[test]
fn text_is_converted_and_the_descriptor_says_so() {
    let converted = string(37, b"\xC8\x85\x93\x93\x96", target(1208, LITTLE));
    assert_eq!(
        converted,
        Converted { encoding: LITTLE, ccsid: Ccsid(1208), body: Bytes::from_static(b"Hello"), warning: None }
    );
    assert_eq!(string(0, "ü".as_bytes(), target(1047, BIG)).body, b"\xDC"[..]);
    assert_eq!(string(1208, b"a", target(1200, LITTLE)).body, b"a\0"[..]);
    assert_eq!(string(1200, b"\0a", target(0, LITTLE)).body, b"a"[..]);
}

#[test]
fn same_character_set_changes_the_encoding_only() {
    let converted = string(1208, b"Hello", target(1208, LITTLE));
    assert_eq!((converted.encoding, &*converted.body, converted.warning), (LITTLE, &b"Hello"[..], None));
    let wide = string(1200, b"\0a", target(1200, LITTLE));
    assert_eq!((wide.encoding, &*wide.body, wide.warning), (LITTLE, &b"a\0"[..], None));
}

#[test]
fn what_cannot_be_converted_is_delivered_as_it_is_with_the_reason() {
    let check = |descriptor: MessageDescriptor, body: &'static [u8], to, reason| {
        let body = Bytes::from_static(body);
        let expected =
            Converted { encoding: descriptor.encoding, ccsid: descriptor.ccsid, body: body.clone(), warning: reason };
        assert_eq!(convert(&descriptor, &body, to), expected);
    };
    check(descriptor(Format::NONE, 37, BIG), b"x", target(1208, LITTLE), Some(Reason::FormatError));
    check(descriptor(Format(Text::new("MYOWN")), 37, BIG), b"x", target(1208, LITTLE), Some(Reason::FormatError));
    check(descriptor(Format::STRING, 9999, BIG), b"x", target(1208, BIG), Some(Reason::SourceCcsidError));
    check(descriptor(Format::STRING, -1, BIG), b"x", target(1208, BIG), Some(Reason::SourceCcsidError));
    check(descriptor(Format::STRING, 37, BIG), b"x", target(9999, BIG), Some(Reason::TargetCcsidError));
    check(descriptor(Format::STRING, 1208, BIG), b"\xFF", target(37, BIG), Some(Reason::NotConverted));
    check(descriptor(Format::DEAD_LETTER_HEADER, 1208, BIG), b"DLH ", target(37, BIG), Some(Reason::FormatError));
    check(
        descriptor(Format::TRIGGER, 1208, Encoding(0)),
        b"TM  ",
        target(37, BIG),
        Some(Reason::SourceIntegerEncError),
    );
    check(
        descriptor(Format::TRIGGER, 1208, BIG),
        b"TM  ",
        target(37, Encoding(0)),
        Some(Reason::TargetIntegerEncError),
    );
}

#[test]
fn what_needs_no_conversion_has_no_warning() {
    for (descriptor, body, to) in [
        (descriptor(Format::NONE, 1208, BIG), &b"\xFF"[..], target(1208, BIG)),
        (descriptor(Format::NONE, 37, BIG), b"", target(1208, LITTLE)),
        (descriptor(Format::STRING, 9999, BIG), b"x", target(9999, BIG)),
        (descriptor(Format::NONE, 0, BIG), b"x", target(1208, BIG)),
    ] {
        let converted = convert(&descriptor, &Bytes::copy_from_slice(body), to);
        assert_eq!((converted.warning, &*converted.body, converted.ccsid), (None, body, descriptor.ccsid));
    }
}

#[test]
fn a_result_longer_than_the_buffer_is_refused() {
    let descriptor = descriptor(Format::STRING, 37, BIG);
    let body = Bytes::from_static(b"\xDC\xDC");
    let converted = convert_within(&descriptor, &body, target(1208, BIG), 3);
    assert_eq!(
        (converted.warning, converted.ccsid, converted.body),
        (Some(Reason::ConvertedMsgTooBig), Ccsid(37), body)
    );
    assert_eq!(convert_within(&descriptor, &Bytes::from_static(b"\xDC\xDC"), target(1208, BIG), 4).warning, None);
}

fn dead_letter(format: Format, ccsid: i32, encoding: Encoding) -> DeadLetterHeader {
    DeadLetterHeader {
        reason: 2053,
        destination_queue: Text::new("ORDERS"),
        destination_queue_manager: Text::new("QM1"),
        encoding,
        ccsid: Ccsid(ccsid),
        format,
        put_application_type: 6,
        put_application_name: Text::new("app"),
        put_date: Text::new("20260101"),
        put_time: Text::new("12000000"),
    }
}

#[test]
fn a_chain_of_headers_is_converted_part_by_part() {
    // A dead letter in ASCII, big-endian; within it RFH2 in little-endian; within that EBCDIC text.
    let mut body = Vec::new();
    dead_letter(Format::RF_HEADER_2, -2, LITTLE).encode(BIG, &mut body);
    let rfh2 = Rfh2 {
        encoding: Encoding::Z_OS,
        ccsid: Ccsid(500),
        format: Format::STRING,
        flags: 0,
        folders: vec!["<usr><s>ü</s></usr>".to_owned(), "<mcd/>".to_owned()],
    };
    rfh2.encode(LITTLE, &mut body);
    body.extend_from_slice(b"\xC8\x89\x15");
    let from = descriptor(Format::DEAD_LETTER_HEADER, 819, BIG);

    for (to, integers) in [(1208, BIG), (1208, LITTLE), (850, LITTLE)] {
        let converted = convert(&from, &Bytes::from(body.clone()), target(to, integers));
        assert_eq!((converted.warning, converted.ccsid, converted.encoding), (None, Ccsid(to), integers));
        let header = DeadLetterHeader::decode(&converted.body, integers).expect("converted");
        assert_eq!(header, dead_letter(Format::RF_HEADER_2, to, integers));
        let (inner, length) = Rfh2::decode(&converted.body[172..], integers).expect("converted");
        assert_eq!((inner.ccsid, inner.encoding, inner.format), (Ccsid(to), integers, Format::STRING));
        assert_eq!(inner.folders, rfh2.folders);
        assert_eq!(&converted.body[172 + length..], b"Hi\n");
    }
}

#[test]
fn headers_go_to_ebcdic_and_back() {
    let mut body = Vec::new();
    dead_letter(Format::STRING, 1208, BIG).encode(BIG, &mut body);
    body.extend_from_slice(b"Hi");
    let there = convert(&descriptor(Format::DEAD_LETTER_HEADER, 1208, BIG), &body.clone().into(), target(1047, LITTLE));
    assert_eq!((there.warning, &there.body[..4]), (None, &b"\xC4\xD3\xC8\x40"[..]));
    assert_eq!(&there.body[172..], b"\xC8\x89");
    let back = convert(&descriptor(Format::DEAD_LETTER_HEADER, 1047, LITTLE), &there.body, target(1208, BIG));
    assert_eq!((back.warning, &*back.body), (None, &*body));
}

#[test]
fn with_a_utf_16_target_headers_become_the_queue_managers_and_data_utf_16() {
    let mut body = Vec::new();
    dead_letter(Format::STRING, 500, BIG).encode(BIG, &mut body);
    body.extend_from_slice(b"\xC8\x89");
    let converted = convert(&descriptor(Format::DEAD_LETTER_HEADER, 819, BIG), &body.into(), target(1200, LITTLE));
    assert_eq!((converted.warning, converted.ccsid), (Some(Reason::PartiallyConverted), Ccsid(1208)));
    let header = DeadLetterHeader::decode(&converted.body, LITTLE).expect("converted");
    assert_eq!((header.ccsid, &converted.body[172..]), (Ccsid(1200), &b"H\0i\0"[..]));
}

#[test]
fn trigger_messages_and_transmission_headers_are_converted() {
    let message = TriggerMessage { queue: Text::new("ORDERS"), application_type: 6, ..Default::default() };
    let mut body = Vec::new();
    message.encode(BIG, &mut body);
    let converted = convert(&descriptor(Format::TRIGGER, 1208, BIG), &body.into(), target(819, LITTLE));
    assert_eq!((converted.warning, TriggerMessage::decode(&converted.body, LITTLE)), (None, Ok(message)));

    let header = TransmissionHeader {
        remote_queue: Text::new("Q"),
        remote_queue_manager: Text::new("QM2"),
        descriptor: MessageDescriptor { message_sequence_number: 5, ..descriptor(Format::STRING, 37, BIG) },
    };
    let mut body = Vec::new();
    header.encode(BIG, &mut body);
    body.extend_from_slice(b"\xC8");
    let converted = convert(&descriptor(Format::XMIT_QUEUE_HEADER, 1208, BIG), &body.into(), target(1208, LITTLE));
    assert_eq!(converted.warning, None);
    let (back, length) = TransmissionHeader::decode(&converted.body, LITTLE).expect("converted");
    let expected = MessageDescriptor { message_sequence_number: 5, ..descriptor(Format::STRING, 1208, LITTLE) };
    assert_eq!((back.descriptor, &converted.body[length..]), (expected, &b"H"[..]));
}

#[test]
fn header_text_that_would_not_fit_leaves_the_message_alone() {
    let message = TriggerMessage { trigger_data: Text::from_bytes([0xDC; 64]), ..Default::default() };
    let mut body = Vec::new();
    message.encode(BIG, &mut body);
    let ebcdic = convert(&descriptor(Format::TRIGGER, 819, BIG), &body.into(), target(37, BIG)).body;
    let converted = convert(&descriptor(Format::TRIGGER, 37, BIG), &ebcdic, target(1208, BIG));
    assert_eq!((converted.warning, converted.body), (Some(Reason::NotConverted), ebcdic));
}

#[test]
fn pcf_is_converted_string_by_string() {
    let pcf = |integers: &[i32], tail: &[u8], little: bool| {
        let field = |value: &i32| if little { value.to_le_bytes() } else { value.to_be_bytes() };
        [integers.iter().flat_map(field).collect::<Vec<u8>>(), tail.to_vec()].concat()
    };
    let header = [1, 36, 1, 38, 1, 1, 0, 0, 4];
    let body = [
        pcf(&header, b"", false),
        pcf(&[4, 24, 2016, 37, 2], b"\xC8\x89\0\0", false),
        pcf(&[3, 16, 20, 1], b"", false),
        pcf(&[6, 32, 2017, 0, 2, 3], b"\xDCab\xE9x \0\0", false),
        pcf(&[5, 24, 1, 2, 7, 8], b"", false),
        pcf(&[9, 20, 7, 3], b"\x01\x02\x03\0", false),
        pcf(&[23, 24, 5, 0], &9i64.to_be_bytes(), false),
    ];
    let expected = [
        pcf(&header, b"", true),
        pcf(&[4, 24, 2016, 1208, 2], b"Hi\0\0", true),
        pcf(&[3, 16, 20, 1], b"", true),
        pcf(&[6, 32, 2017, 1208, 2, 4], "Üabéx ".as_bytes(), true),
        pcf(&[5, 24, 1, 2, 7, 8], b"", true),
        pcf(&[9, 20, 7, 3], b"\x01\x02\x03\0", true),
        pcf(&[23, 24, 5, 0], &9i64.to_le_bytes(), true),
    ];
    let converted = convert(&descriptor(Format::ADMIN, 819, BIG), &body.concat().into(), target(1208, LITTLE));
    assert_eq!((converted.warning, &*converted.body), (None, &*expected.concat()));
    for length in (1..body.concat().len()).filter(|length| ![36, 60, 76, 108, 132, 152].contains(length)) {
        let cut = Bytes::copy_from_slice(&body.concat()[..length]);
        let warning = convert(&descriptor(Format::EVENT, 819, BIG), &cut, target(1208, LITTLE)).warning;
        assert_eq!(warning, Some(Reason::FormatError), "{length} bytes");
    }
}

proptest! {
    #[test]
    fn no_body_makes_conversion_panic_and_a_warning_leaves_it_alone(
        format in 0..7usize,
        tail in proptest::collection::vec(any::<u8>(), 0..900),
        (from, to) in (prop::sample::select(vec![0, 37, 819, 1208, 1200, 9999]), prop::sample::select(vec![37, 819, 1208, 1200])),
        (source, aim) in (prop::sample::select(vec![BIG, LITTLE]), prop::sample::select(vec![BIG, LITTLE])),
    ) {
        let (format, start): (_, &[u8]) = [
            (Format::STRING, &b""[..]), (Format::DEAD_LETTER_HEADER, b"DLH "), (Format::TRIGGER, b"TM  "),
            (Format::XMIT_QUEUE_HEADER, b"XQH "), (Format::MD_EXTENSION, b"MDE "),
            (Format::RF_HEADER_2, b"RFH \0\0\0\x02\0\0\0\x30"), (Format::PCF, b"\0\0\0\x06\0\0\0\x30\0\0\0\x01\0\0\0\0\0\0\0"),
        ][format];
        let body = Bytes::from([start, &tail].concat());
        let converted = convert(&descriptor(format, from, source), &body, target(to, aim));
        if converted.warning.is_some_and(|warning| warning != Reason::PartiallyConverted) {
            prop_assert_eq!((converted.body, converted.ccsid), (body, Ccsid(from)));
        }
    }
}
