//! Segments from a stream and units from segments: any cut, any order, every limit.

use bytes::{Buf, Bytes, BytesMut};
use channel_protocol::assembly::{Assembler, Limits, Unit};
use channel_protocol::error::ProtocolError;
use channel_protocol::flow::status::StatusCode;
use channel_protocol::form::Form;
use channel_protocol::output::{COPIED_AT_MOST, Envelope, Output};
use channel_protocol::segment::{Address, ControlFlags, Framer, Segment, SegmentHeader, SegmentType};
use proptest::prelude::*;

use crate::capture;

const FIRST_CONVERSATION: Address = Address::Conversation { conversation: 1, request: 0 };

#[test]
fn segment_types_have_the_published_numbers() {
    assert_eq!(SegmentType::ALL.len(), 65);
    for &segment_type in SegmentType::ALL {
        assert_eq!(SegmentType::from_number(segment_type.number()), Some(segment_type));
        if let Some(reply) = segment_type.reply() {
            assert_eq!(reply.number(), segment_type.number() + 0x10);
            assert_eq!(reply.request(), Some(segment_type));
        }
    }
    assert_eq!(SegmentType::ALL.iter().filter(|t| t.reply().is_some()).count(), 25);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_captured_stream_gives_the_same_segments_however_it_is_cut(
        index in 0..28_usize,
        lengths in prop::collection::vec(1..5000_usize, 1..50),
    ) {
        let captures: Vec<_> = capture::all("c2s").into_iter().chain(capture::all("s2c")).collect();
        let whole: Vec<Segment> = capture::segments(&captures[index]).into_iter().map(|(segment, _)| segment).collect();
        let framer = Framer::new(capture::MAXIMUM_SEGMENT);
        let mut buffer = BytesMut::new();
        let mut rest = &captures[index].bytes[..];
        let mut cut = Vec::new();
        for length in lengths.into_iter().cycle() {
            let Some((piece, more)) = rest.split_at_checked(length) else { break };
            rest = more;
            buffer.extend_from_slice(piece);
            while let Some(segment) = framer.next(&mut buffer)? {
                cut.push(segment);
            }
        }
        buffer.extend_from_slice(rest);
        while let Some(segment) = framer.next(&mut buffer)? {
            cut.push(segment);
        }
        prop_assert!(buffer.is_empty());
        prop_assert!(cut == whole);
    }
}

#[test]
fn a_framer_says_how_many_bytes_are_missing() {
    let capture = &capture::all("c2s")[0];
    let framer = Framer::new(capture::MAXIMUM_SEGMENT);
    assert_eq!(framer.missing(&[]), Ok(28));
    assert_eq!(framer.missing(&capture.bytes[..8]), Ok(260));
    assert_eq!(framer.missing(&capture.bytes[..267]), Ok(1));
}

/// A plain header with `length` in its length field, of a MQCMIT.
fn header(length: u32) -> BytesMut {
    let mut bytes = BytesMut::from(&b"TSH "[..]);
    bytes.extend_from_slice(&length.to_be_bytes());
    bytes.extend_from_slice(&[1, 0x8A, 0x30, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0x11, 3, 0x33, 0, 0]);
    bytes
}

#[test]
fn a_length_below_the_header_or_above_the_limit_is_refused_as_soon_as_it_is_read() {
    let framer = Framer::new(32_748);
    for length in [0, 27, 32_749, 0x7FFF_FFFF, 0x8000_0000, u32::MAX] {
        let mut bytes = header(length);
        bytes.truncate(8);
        let error = framer.next(&mut bytes).expect_err("the length is wrong");
        assert_eq!(error, ProtocolError::SegmentLength { length, minimum: 28, maximum: 32_748 });
        assert_eq!(error.status(), StatusCode::SEGMENT_LENGTH);
    }
    let mut shared = BytesMut::from(&b"TSHM\0\0\0\x23"[..]);
    assert!(matches!(framer.next(&mut shared), Err(ProtocolError::SegmentLength { length: 35, minimum: 36, .. })));
}

#[test]
fn an_unknown_identifier_is_refused_after_four_bytes_and_type_and_order_with_the_segment() {
    let framer = Framer::new(32_748);
    let mut http = BytesMut::from(&b"GET "[..]);
    let error = framer.next(&mut http).expect_err("not a segment");
    assert_eq!(error.status(), StatusCode::IDENTIFIER);

    let mut unknown_type = header(28);
    unknown_type[9] = 0x77;
    let error = framer.next(&mut unknown_type).expect_err("no such type");
    assert_eq!((error.status(), error), (StatusCode::SEGMENT_TYPE, ProtocolError::SegmentType { found: 0x77 }));

    let mut unknown_order = header(28);
    unknown_order[8] = 3;
    let error = framer.next(&mut unknown_order).expect_err("no such byte order");
    assert_eq!(error.status(), StatusCode::DATA);
    assert_eq!(framer.next(&mut header(28)).map(|segment| segment.is_some()), Ok(true));
}

fn part(address: Address, control: ControlFlags, body: &'static [u8]) -> Segment {
    let header = SegmentHeader { address, segment_type: SegmentType::Put, control, control_2: 0, form: Form::BIG };
    Segment { header, body: Bytes::from_static(body) }
}

const LIMITS: Limits = Limits { unit: 10, open: 2, buffered: 16 };

fn bodies(units: Vec<Option<Unit>>) -> Vec<Bytes> {
    units.into_iter().flatten().map(|unit| unit.body).collect()
}

#[test]
fn parts_of_different_conversations_may_alternate() {
    let other = Address::Conversation { conversation: 3, request: 0 };
    let mut assembler = Assembler::new(LIMITS);
    let units = [
        part(FIRST_CONVERSATION, ControlFlags::FIRST, b"ab"),
        part(other, ControlFlags::FIRST, b"xy"),
        part(other, ControlFlags::empty(), b"z"),
        part(FIRST_CONVERSATION, ControlFlags::LAST, b"cd"),
        part(other, ControlFlags::LAST, b"!"),
    ];
    let units = units.into_iter().map(|segment| assembler.push(segment).expect("in order")).collect();
    assert_eq!(bodies(units), ["abcd", "xyz!"]);
}

#[test]
fn a_heartbeat_passes_between_the_parts_of_a_call() {
    let mut assembler = Assembler::new(LIMITS);
    assert_eq!(assembler.push(part(FIRST_CONVERSATION, ControlFlags::FIRST, b"ab")), Ok(None));
    let mut heartbeat = part(Address::Socket, ControlFlags::FIRST | ControlFlags::LAST | ControlFlags::CONFIRM, b"");
    heartbeat.header.segment_type = SegmentType::Heartbeat;
    let unit = assembler.push(heartbeat).expect("in order").expect("whole");
    assert!(unit.confirm_requested());
}

#[test]
fn parts_out_of_order_are_refused() {
    let no_beginning = Assembler::new(LIMITS).push(part(FIRST_CONVERSATION, ControlFlags::LAST, b"ab"));
    assert_eq!(no_beginning.map_err(|error| error.status()), Err(StatusCode::SEGMENT));
    for second in [ControlFlags::FIRST, ControlFlags::FIRST | ControlFlags::LAST] {
        let mut assembler = Assembler::new(LIMITS);
        assert_eq!(assembler.push(part(FIRST_CONVERSATION, ControlFlags::FIRST, b"ab")), Ok(None));
        let again = assembler.push(part(FIRST_CONVERSATION, second, b"ab"));
        assert_eq!(again.map_err(|error| error.status()), Err(StatusCode::SEGMENT));
    }
    let mut assembler = Assembler::new(LIMITS);
    assert_eq!(assembler.push(part(FIRST_CONVERSATION, ControlFlags::FIRST, b"ab")), Ok(None));
    let mut swapped = part(FIRST_CONVERSATION, ControlFlags::LAST, b"cd");
    swapped.header.form = Form::LITTLE;
    assert_eq!(assembler.push(swapped).map_err(|error| error.status()), Err(StatusCode::SEGMENT));
}

#[test]
fn a_unit_beyond_its_limit_is_refused_whole_or_in_parts() {
    let whole = part(FIRST_CONVERSATION, ControlFlags::FIRST | ControlFlags::LAST, b"eleven byte");
    assert_eq!(Assembler::new(LIMITS).push(whole), Err(ProtocolError::TooLong { maximum: 10 }));
    let mut assembler = Assembler::new(LIMITS);
    assert_eq!(assembler.push(part(FIRST_CONVERSATION, ControlFlags::FIRST, b"sixsix")), Ok(None));
    let more = assembler.push(part(FIRST_CONVERSATION, ControlFlags::empty(), b"fivef"));
    assert_eq!(more, Err(ProtocolError::TooLong { maximum: 10 }));
}

#[test]
fn all_units_under_way_share_one_limit_and_a_finished_one_makes_room() {
    let other = Address::Conversation { conversation: 3, request: 0 };
    let third = Address::Conversation { conversation: 5, request: 0 };
    let mut assembler = Assembler::new(LIMITS);
    assert_eq!(assembler.push(part(FIRST_CONVERSATION, ControlFlags::FIRST, b"12345678")), Ok(None));
    assert_eq!(assembler.push(part(other, ControlFlags::FIRST, b"12345678")), Ok(None));
    let more = assembler.push(part(other, ControlFlags::empty(), b"9"));
    assert_eq!(more, Err(ProtocolError::TooLong { maximum: 16 }));
    let one_more = assembler.push(part(third, ControlFlags::FIRST, b""));
    assert_eq!(one_more, Err(ProtocolError::TooManyOpen { maximum: 2 }));
    assembler.forget(1);
    assert_eq!(assembler.push(part(third, ControlFlags::FIRST, b"12345678")), Ok(None));
}

#[test]
fn a_long_message_comes_together_in_as_much_memory_as_it_needs() {
    let limits = Limits { unit: 100 << 20, open: 2, buffered: 100 << 20 };
    let mut assembler = Assembler::new(limits);
    let mut whole = None;
    for segment in segments_of(5_000_000, 32_748) {
        assert!(whole.is_none(), "the last part completes it");
        whole = assembler.push(segment).expect("in order");
    }
    assert_eq!(whole.map(|unit| unit.body.len()), Some(5_000_010));
}

#[test]
fn a_first_word_that_lies_changes_nothing_but_room() {
    for word in [[0, 0, 0, 0], [0, 0, 0, 20], [0x7F, 0xFF, 0xFF, 0xFF], [0xFF; 4]] {
        let limits = Limits { unit: 100 << 20, open: 2, buffered: 100 << 20 };
        let mut assembler = Assembler::new(limits);
        let mut first = part(FIRST_CONVERSATION, ControlFlags::FIRST, b"");
        first.body = Bytes::from([&word[..], &[1; 60_000]].concat());
        assert_eq!(assembler.push(first), Ok(None));
        for _ in 0..20 {
            let mut next = part(FIRST_CONVERSATION, ControlFlags::empty(), b"");
            next.body = Bytes::from_static(&[2; 30_000]);
            assert_eq!(assembler.push(next), Ok(None));
        }
        let last = assembler.push(part(FIRST_CONVERSATION, ControlFlags::LAST, b"end"));
        let unit = last.expect("in order").expect("whole");
        assert_eq!(unit.body.len(), 4 + 60_000 + 20 * 30_000 + 3);
        assert!(unit.body.starts_with(&word) && unit.body.ends_with(b"\x02end"));
    }
}

/// Writes one unit of `length` bytes of data behind ten of structure, and reads its segments again.
fn segments_of(length: usize, maximum: usize) -> Vec<Segment> {
    let mut output = Output::new(maximum);
    let data = Bytes::from(vec![7; length]);
    let envelope = Envelope::new(FIRST_CONVERSATION, SegmentType::GetReply, Form::BIG);
    output.unit(&envelope, |writer| {
        writer.bytes(b"structure.");
        writer.data(&data);
    });
    let mut bytes = BytesMut::from(&output.copy_to_bytes(output.remaining())[..]);
    assert!(output.is_empty());
    let framer = Framer::new(maximum);
    let mut segments = Vec::new();
    while let Some(segment) = framer.next(&mut bytes).expect("own segments") {
        segments.push(segment);
    }
    assert!(bytes.is_empty());
    segments
}

#[test]
fn a_unit_is_split_exactly_when_it_is_longer_than_a_segment_may_be() {
    let room = 2048 - 36 - 10;
    assert_eq!(segments_of(room, 2048).len(), 1);
    let two = segments_of(room + 1, 2048);
    let flags: Vec<_> = two.iter().map(|segment| segment.header.control).collect();
    assert_eq!(flags, [ControlFlags::FIRST, ControlFlags::LAST]);
    assert_eq!((two[0].body.len(), two[1].body.len()), (2048 - 36, 1));
    let three = segments_of(room + 2048 - 36 + 1, 2048);
    assert_eq!(three[1].header.control, ControlFlags::empty());
    assert_eq!(three.len(), 3);
    assert!(segments_of(100_000, 40_000).iter().all(|segment| segment.body.len() <= 40_000 - 36));
}

#[test]
fn a_large_body_is_handed_out_in_place_and_a_small_one_is_copied() {
    let envelope = Envelope::new(FIRST_CONVERSATION, SegmentType::GetReply, Form::BIG);
    let mut output = Output::new(1 << 20);
    let large = Bytes::from(vec![7; COPIED_AT_MOST + 1]);
    output.unit(&envelope, |writer| writer.data(&large));
    output.empty(&envelope);
    let mut slices = [std::io::IoSlice::new(&[]); 4];
    assert_eq!(output.chunks_vectored(&mut slices), 3);
    assert_eq!(slices[1].as_ptr(), large.as_ptr());
    assert_eq!(slices.iter().map(|slice| slice.len()).collect::<Vec<_>>(), [36, large.len(), 36, 0]);

    let mut output = Output::new(1 << 20);
    output.unit(&envelope, |writer| writer.data(&Bytes::from(vec![7; COPIED_AT_MOST])));
    assert_eq!(output.chunk().len(), output.remaining());
}

#[test]
fn bytes_leave_in_order_through_writes_of_any_length() {
    let envelope = Envelope::new(FIRST_CONVERSATION, SegmentType::GetReply, Form::BIG);
    let fill = |output: &mut Output| {
        for length in [5_usize, 40_000, 17, 20_000] {
            output.unit(&envelope, |writer| writer.data(&Bytes::from(vec![length.to_le_bytes()[0]; length])));
        }
    };
    let mut whole = Output::new(32_748);
    fill(&mut whole);
    let expected = whole.copy_to_bytes(whole.remaining());
    let mut pieces = Output::new(32_748);
    fill(&mut pieces);
    let mut written = Vec::new();
    while !pieces.is_empty() {
        let step = pieces.remaining().min(977);
        let mut piece = vec![0; step];
        pieces.copy_to_slice(&mut piece);
        written.extend(piece);
    }
    assert_eq!(written, expected);
    pieces.release();
    assert!(pieces.is_empty());
}
