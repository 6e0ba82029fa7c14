//! What no partner should send: answered by a STATUS code or a reason, never by a panic.

use bytes::{BufMut, Bytes, BytesMut};
use channel_protocol::assembly::Unit;
use channel_protocol::error::{DecodeError, ProtocolError};
use channel_protocol::flow::status::StatusCode;
use channel_protocol::form::Form;
use channel_protocol::reply::Reply;
use channel_protocol::request::Request;
use channel_protocol::segment::{Address, ControlFlags, SegmentType};
use model::reason::Reason;
use proptest::prelude::*;

use crate::capture;

fn unit(segment_type: SegmentType, body: impl Into<Bytes>) -> Unit {
    Unit {
        address: Address::Plain,
        segment_type,
        control: ControlFlags::FIRST | ControlFlags::LAST,
        form: Form::BIG,
        body: body.into(),
    }
}

/// The first unit of this type that the Java client sent.
fn captured(segment_type: SegmentType) -> Unit {
    captured_in("c2s", segment_type)
}

fn captured_in(direction: &str, segment_type: SegmentType) -> Unit {
    capture::all(direction)
        .iter()
        .flat_map(capture::units)
        .map(|(unit, _)| unit)
        .find(|unit| unit.segment_type == segment_type)
        .expect("the captures hold one")
}

/// The same with other bytes at an offset of its body.
fn with(mut unit: Unit, offset: usize, bytes: &[u8]) -> Unit {
    let mut body = BytesMut::from(&unit.body[..]);
    body[offset..offset + bytes.len()].copy_from_slice(bytes);
    unit.body = body.freeze();
    unit
}

fn status_of(unit: &Unit) -> Option<StatusCode> {
    match Request::decode(unit) {
        Err(DecodeError::Protocol(error)) => Some(error.status()),
        _ => None,
    }
}

fn reason_of(unit: &Unit) -> Option<Reason> {
    match Request::decode(unit) {
        Err(DecodeError::Refused(reason)) => Some(reason),
        _ => None,
    }
}

#[test]
fn every_captured_unit_cut_short_anywhere_is_answered() {
    let mut refused = 0;
    for segment_type in SegmentType::ALL {
        let found = capture::all("c2s")
            .iter()
            .flat_map(capture::units)
            .map(|(unit, _)| unit)
            .find(|unit| unit.segment_type == *segment_type && unit.body.len() < 2000);
        let Some(whole) = found else { continue };
        for length in 0..whole.body.len() {
            let cut = Unit { body: whole.body.slice(..length), ..whole.clone() };
            refused += usize::from(Request::decode(&cut).is_err());
        }
    }
    assert!(refused > 3000, "{refused}");
}

#[test]
fn a_server_does_not_take_what_only_servers_send_and_the_other_way_round() {
    for &segment_type in SegmentType::ALL {
        let unit = unit(segment_type, vec![0; 64]);
        let unexpected = |result: Result<(), DecodeError>| {
            result == Err(ProtocolError::Unexpected { segment_type: segment_type.number() }.into())
        };
        let number = segment_type.number();
        let from_server_alone = matches!(number, 0x0D | 0x91..=0x9F | 0xB1..=0xBA);
        let neither = matches!(number, 0x02..=0x04 | 0x06 | 0x07 | 0x0B);
        let from_client_alone = matches!(number, 0x08 | 0x0A | 0x0E | 0x81..=0x8F | 0xA1..=0xAA);
        assert_eq!(
            unexpected(Request::decode(&unit).map(drop)),
            from_server_alone || neither,
            "{segment_type:?} at the server"
        );
        assert_eq!(
            unexpected(Reply::decode(&unit).map(drop)),
            from_client_alone || neither,
            "{segment_type:?} at the client"
        );
    }
}

#[test]
fn message_data_longer_than_the_segment_is_refused() {
    let put = captured(SegmentType::Put);
    let data_length = 16 + 364 + 152;
    for length in [10_000_i32, i32::MAX] {
        assert_eq!(status_of(&with(put.clone(), data_length, &length.to_be_bytes())), Some(StatusCode::DATA_LENGTH));
    }
    assert_eq!(status_of(&with(put, data_length, &(-1_i32).to_be_bytes())), Some(StatusCode::DATA));
}

#[test]
fn counts_of_an_inquire_beyond_its_data_are_refused_without_reserving_them() {
    let inquire = captured(SegmentType::Inquire);
    assert_eq!(status_of(&with(inquire.clone(), 16, &i32::MAX.to_be_bytes())), Some(StatusCode::DATA_LENGTH));
    for count in 0..3 {
        let negative = with(inquire.clone(), 16 + 4 * count, &(-1_i32).to_be_bytes());
        assert_eq!(status_of(&negative), Some(StatusCode::DATA));
    }
    let set = Unit { segment_type: SegmentType::Set, ..inquire };
    assert_eq!(status_of(&with(set, 20, &i32::MAX.to_be_bytes())), Some(StatusCode::DATA_LENGTH));
}

/// A MQOPEN whose descriptor of version 4 has this object string: offset, length.
fn open_with_string(offset: i32, length: i32, text: &[u8]) -> Unit {
    let mut body = BytesMut::new();
    body.put_bytes(0, 16);
    body.put_slice(b"OD  ");
    body.put_i32(4);
    body.put_i32(8);
    body.put_bytes(b' ', 156);
    body.put_bytes(0, 32 + 40);
    body.put_bytes(b' ', 96);
    for (offset, length) in [(offset, length), (0, 0), (0, 0)] {
        body.put_i32(0);
        body.put_i32(offset);
        body.put_i32(0);
        body.put_i32(length);
        body.put_i32(1208);
    }
    body.put_i32(0);
    body.put_slice(text);
    body.put_i32(16);
    unit(SegmentType::Open, body)
}

#[test]
fn a_string_outside_the_unit_is_refused_wherever_its_offset_points() {
    for (offset, length) in [(400, 1000), (100_000, 4), (i32::MAX, 4), (400, i32::MAX), (i32::MAX, i32::MAX)] {
        assert_eq!(status_of(&open_with_string(offset, length, b"news")), Some(StatusCode::DATA_LENGTH));
    }
    assert_eq!(status_of(&open_with_string(-1, 4, b"news")), Some(StatusCode::DATA));
    assert_eq!(status_of(&open_with_string(400, -2, b"news")), Some(StatusCode::DATA));
    assert!(Request::decode(&open_with_string(400, 4, b"news")).is_ok());
}

#[test]
fn structures_with_another_identifier_or_version_refuse_the_call_alone() {
    let cases = [
        (SegmentType::Open, 16, Reason::OdError),
        (SegmentType::Put, 16, Reason::MdError),
        (SegmentType::Put, 16 + 364, Reason::PmoError),
        (SegmentType::Get, 16, Reason::MdError),
        (SegmentType::Get, 16 + 364, Reason::GmoError),
        (SegmentType::Stat, 20, Reason::StsError),
    ];
    for (segment_type, offset, reason) in cases {
        let unit = captured(segment_type);
        assert_eq!(reason_of(&with(unit.clone(), offset, b"XX  ")), Some(reason), "{segment_type:?} identifier");
        for version in [0, 9, -1] {
            let wrong = with(unit.clone(), offset + 4, &i32::to_be_bytes(version));
            assert_eq!(reason_of(&wrong), Some(reason), "{segment_type:?} version {version}");
        }
    }
}

#[test]
fn a_descriptor_that_no_message_can_have_refuses_the_put_but_not_the_get() {
    let (put, get) = (captured(SegmentType::Put), captured(SegmentType::Get));
    let cases: [(usize, &[u8], Reason); 4] = [
        (44, &[0, 0, 0, 9], Reason::PersistenceError),
        (100, b"not a name!", Reason::MissingReplyToQ),
        (348, &[0xFF; 4], Reason::MsgSeqNumberError),
        (352, &[0xFF; 4], Reason::OffsetError),
    ];
    for (offset, bytes, reason) in cases {
        assert_eq!(reason_of(&with(put.clone(), 16 + offset, bytes)), Some(reason));
        assert!(Request::decode(&with(get.clone(), 16 + offset, bytes)).is_ok(), "{reason}");
    }
    assert!(Request::decode(&with(put, 16 + 96, &[0xFF; 4])).is_ok(), "a backout count is not the client's to say");
}

#[test]
fn an_initial_with_another_identifier_or_a_long_extension_is_refused() {
    let initial = captured(SegmentType::Initial);
    assert_eq!(status_of(&with(initial.clone(), 0, b"XX  ")), Some(StatusCode::IDENTIFIER));
    assert_eq!(status_of(&with(initial, 100, &[0xFF, 0xFF])), Some(StatusCode::DATA));
}

#[test]
fn credentials_longer_than_their_segment_are_refused() {
    let credentials = captured(SegmentType::ConnectionAuthentication);
    for offset in [16, 20] {
        assert!(status_of(&with(credentials.clone(), offset, &i32::MAX.to_be_bytes())).is_some());
        assert_eq!(status_of(&with(credentials.clone(), offset, &[0xFF; 4])), Some(StatusCode::DATA));
    }
}

#[test]
fn identifiers_of_a_transaction_beyond_64_bytes_are_refused() {
    let start = captured(SegmentType::XaStart);
    assert_eq!(status_of(&with(start.clone(), 20, &[65])), Some(StatusCode::DATA));
    assert_eq!(status_of(&with(start, 20, &[64])), Some(StatusCode::DATA_LENGTH));
}

#[test]
fn a_reply_that_counts_more_than_it_holds_is_refused_by_the_client_end() {
    let cases = [(SegmentType::InquireReply, 16), (SegmentType::InquireReply, 20), (SegmentType::XaRecoverReply, 16)];
    for (segment_type, offset) in cases {
        let wrong = with(captured_in("s2c", segment_type), offset, &i32::MAX.to_be_bytes());
        assert!(matches!(Reply::decode(&wrong), Err(DecodeError::Protocol(ProtocolError::Short { .. }))));
    }
    let query = with(captured_in("s2c", SegmentType::SpiReply), 16 + 12 + 12 + 12, &i32::MAX.to_be_bytes());
    assert!(matches!(Reply::decode(&query), Err(DecodeError::Protocol(ProtocolError::Short { .. }))));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn captured_units_with_bytes_changed_never_panic(
        file in 0..14_usize,
        pick in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        to_server in any::<bool>(),
    ) {
        let units = capture::units(&capture::all(if to_server { "c2s" } else { "s2c" })[file]);
        let mut unit = units[pick.index(units.len())].0.clone();
        prop_assume!(!unit.body.is_empty());
        let mut body = BytesMut::from(&unit.body[..]);
        for (at, value) in changes {
            // Most fields that matter lie at the front.
            let range = body.len().min(600);
            body[at.index(range)] = value;
        }
        unit.body = body.freeze();
        let _outcome = Request::decode(&unit);
        let _outcome = Reply::decode(&unit);
    }
}
