use bytes::Bytes;
use channel_protocol::structure::message_descriptor::Descriptor;

use super::*;

const HANDLE: ObjectHandle = ObjectHandle(1);

fn message(index: u32, length: usize, reason: i32, persistence: Persistence) -> AsyncMessage {
    let mut descriptor = Descriptor::default();
    descriptor.fields.persistence = persistence;
    AsyncMessage {
        handle: 7,
        message_index: index,
        global_index: index,
        selection_index: 1,
        reason,
        length: u32::try_from(length).unwrap(),
        actual_length: u32::try_from(length).unwrap(),
        message_token: [0; 16],
        status: 0,
        resolved_queue: b"Q".to_vec(),
        descriptor,
        data: Bytes::from(vec![0; length]),
    }
}

fn nonpersistent(index: u32, length: usize) -> AsyncMessage {
    message(index, length, 0, Persistence::NonPersistent)
}

fn with(flags: GetFlags, room: Option<u32>) -> Consumers {
    let mut consumers = Consumers::default();
    consumers.add(HANDLE, 7, &GetOptions { flags, ..GetOptions::default() }, room);
    consumers
}

/// Bytes wanted, and the number of the last message, of the request that is due.
fn asked(consumers: &mut Consumers, is_wanted: bool) -> Option<(u32, u32)> {
    let due = consumers.due(0, is_wanted).unwrap();
    assert!(consumers.due(1, is_wanted).is_none());
    due.map(|request| (request.wanted, request.global_index))
}

#[test]
fn one_message_is_asked_for_when_it_is_wanted_and_not_before_the_last_is_taken() {
    let mut consumers = with(GetFlags::SYNCPOINT, Some(10_000));
    assert_eq!(asked(&mut consumers, false), None);
    assert_eq!(asked(&mut consumers, true), Some((1, 0)));
    assert_eq!(asked(&mut consumers, true), None);
    consumers.take_in(nonpersistent(1, 100));
    assert_eq!(asked(&mut consumers, true), None);
    let taken = consumers.next().unwrap();
    assert!(taken.in_unit && taken.handle == HANDLE);
    assert_eq!(asked(&mut consumers, true), Some((1, 1)));
}

#[test]
fn room_is_asked_for_again_when_half_of_it_was_taken_and_never_more_than_is_free() {
    let mut consumers = with(GetFlags::NO_SYNCPOINT, Some(4_000));
    assert_eq!(asked(&mut consumers, true), Some((4_000, 0)));
    for index in 1..=4 {
        consumers.take_in(nonpersistent(index, 636));
    }
    assert!(!consumers.next().unwrap().in_unit);
    assert_eq!(asked(&mut consumers, false), None);
    consumers.next().unwrap();
    // Two of a thousand bytes are still here.
    assert_eq!(asked(&mut consumers, false), Some((2_000, 4)));
    assert_eq!(asked(&mut consumers, true), None);
}

#[test]
fn a_message_beyond_the_room_stops_nothing() {
    let mut consumers = with(GetFlags::NO_SYNCPOINT, Some(2_000));
    assert_eq!(asked(&mut consumers, true), Some((2_000, 0)));
    consumers.take_in(nonpersistent(1, 50_000));
    consumers.next().unwrap();
    assert_eq!(asked(&mut consumers, true), Some((2_000, 1)));
}

#[test]
fn one_that_stays_for_its_length_is_asked_for_again_after_it_was_seen() {
    let mut consumers = with(GetFlags::NO_SYNCPOINT, Some(100_000));
    assert_eq!(asked(&mut consumers, true), Some((100_000, 0)));
    consumers.take_in(message(1, 10, 2080, Persistence::Persistent));
    assert_eq!(asked(&mut consumers, true), None);
    let seen = consumers.next().unwrap();
    assert_eq!((seen.in_unit, seen.got.warning), (false, Some(Reason::TruncatedMsgFailed)));
    assert_eq!(asked(&mut consumers, true), Some((100_000, 1)));
}

#[test]
fn a_lost_connection_takes_what_was_in_the_unit_of_work_and_nothing_else() {
    let mut consumers = with(GetFlags::SYNCPOINT_IF_PERSISTENT, None);
    consumers.add(ObjectHandle(2), 8, &GetOptions::default(), Some(1_000));
    consumers.take_in(message(1, 10, 0, Persistence::Persistent));
    consumers.take_in(AsyncMessage { handle: 8, ..message(2, 20, 0, Persistence::Persistent) });
    assert_eq!((consumers.waiting_of(HANDLE), consumers.waiting_of(ObjectHandle(2))), ((1, 0), (0, 1)));
    consumers.lose_connection();
    consumers.renew(|handle| (handle != HANDLE).then_some(70));
    assert!(!consumers.contains(HANDLE));
    // Handles are others, numbers begin anew.
    assert_eq!(consumers.next().unwrap().got.body.len(), 20);
    let request = consumers.due(0, true).unwrap().unwrap();
    assert_eq!((request.handle, request.global_index, request.selection.is_some()), (70, 0, true));
    consumers.take_in(nonpersistent(1, 5));
    assert!(consumers.next().is_none(), "the old handle is nobody's");
}

#[test]
fn a_withdrawal_is_needed_only_of_what_was_asked_for() {
    let mut consumers = with(GetFlags::NO_SYNCPOINT, Some(1_000));
    assert!(consumers.withdrawal(HANDLE).is_none());
    let mut consumers = with(GetFlags::NO_SYNCPOINT, Some(1_000));
    consumers.due(0, true);
    let (known_as, request) = consumers.withdrawal(HANDLE).unwrap();
    assert_eq!((known_as, request.wanted, request.selection), (7, 0, None));
    assert_eq!(asked(&mut consumers, true), None);
    assert!(!consumers.is_active());
}
