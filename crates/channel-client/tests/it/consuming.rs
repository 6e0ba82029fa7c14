//! Asynchronous consumers: each message once, in order, none committed unseen, and all that again after a loss.

use std::time::Duration;

use bytes::Bytes;
use channel_client::client::Client;
use channel_client::connection::consume::ReadAhead;
use channel_client::connection::{Connection, ObjectHandle};
use channel_client::reconnect::Reconnect;
use model::descriptor::{MessageDescriptor, Persistence};
use model::identifier::CorrelationId;
use model::name::ObjectName;
use model::options::{CloseOptions, GetFlags, GetOptions, MatchOptions, PutFlags};
use model::reason::Reason;
use queue_manager::channel_status::{StopChannel, StopMode};
use queue_manager::status::QueueStatus;

use crate::calls::{any, get, put, text, with};
use crate::server::{Relay, Server, open};

const ALONE: GetFlags = GetFlags::NO_SYNCPOINT;
const SOON: Duration = Duration::from_secs(300);

/// A connection that consumes Q, its handle, and another connection that puts to it, with a handle of its own.
async fn pair(
    server: &Server,
    flags: GetFlags,
    ahead: ReadAhead,
) -> (Connection, ObjectHandle, Connection, ObjectHandle) {
    let mut connection = server.connected().await;
    let queue = open(&mut connection, "Q").await;
    connection.consume(queue, &any(flags), ahead).await.unwrap();
    let mut other = server.connected().await;
    let output = open(&mut other, "Q").await;
    (connection, queue, other, output)
}

async fn next(connection: &mut Connection) -> String {
    let delivery = tokio::time::timeout(SOON, connection.next_message()).await.expect("a message comes").unwrap();
    String::from_utf8(delivery.got.body.to_vec()).unwrap()
}

fn status(server: &Server) -> QueueStatus {
    server.queue_manager.queue_status(&ObjectName::literal("Q")).unwrap()
}

/// Wants a message, and does not wait for it until it is there.
async fn give_up_waiting(connection: &mut Connection) {
    assert!(tokio::time::timeout(Duration::from_millis(20), connection.next_message()).await.is_err());
}

async fn wait_until(mut is_so: impl FnMut() -> bool) {
    let wait = async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::time::timeout(SOON, wait).await.expect("the condition comes true");
}

#[tokio::test]
async fn messages_come_in_order_as_they_are_put_and_other_calls_go_on_between() {
    let server = Server::start().await;
    for ahead in [ReadAhead::Off, ReadAhead::DEFAULT] {
        let (mut connection, queue, mut other, output) = pair(&server, ALONE, ahead).await;
        put(&mut other, output, "first", PutFlags::NO_SYNCPOINT).await;
        put(&mut other, output, "second", PutFlags::NO_SYNCPOINT).await;
        let delivery = connection.next_message().await.unwrap();
        assert_eq!((delivery.handle, &delivery.got.body[..]), (queue, &b"first"[..]));
        assert_eq!((delivery.got.data_length, delivery.got.resolved_queue.as_str()), (5, "Q"));
        let reply = open(&mut connection, "REPLY").await;
        put(&mut connection, reply, "between", PutFlags::NO_SYNCPOINT).await;
        assert_eq!(get(&mut connection, reply, ALONE).await.unwrap(), "between");
        assert_eq!(next(&mut connection).await, "second");
        give_up_waiting(&mut connection).await;
        put(&mut other, output, "third", PutFlags::NO_SYNCPOINT).await;
        assert_eq!(next(&mut connection).await, "third");
        connection.disconnect().await.unwrap();
    }
    assert_eq!(server.depth("Q"), 0);
}

#[tokio::test]
async fn what_is_read_ahead_stays_within_its_room_and_loses_nothing() {
    let server = Server::start().await;
    let (mut connection, _, mut other, output) = pair(&server, ALONE, ReadAhead::UpTo(10_000)).await;
    for number in 0..200_u32 {
        let body = Bytes::from(number.to_be_bytes().repeat(100));
        other.put(output, text(), &with(PutFlags::NO_SYNCPOINT), body).await.unwrap();
    }
    let first = connection.next_message().await.unwrap();
    assert_eq!(first.got.body[..4], [0; 4]);
    // Messages of 764 bytes: 14 exceed the room, and the first of them made no room yet.
    let put_and_wait = server.depth("Q");
    assert!((180..200).contains(&put_and_wait), "{put_and_wait}");
    for number in 1..200_u32 {
        assert_eq!(connection.next_message().await.unwrap().got.body[..4], number.to_be_bytes());
    }
    assert_eq!(server.depth("Q"), 0);
}

#[tokio::test]
async fn long_messages_come_whole_and_too_long_ones_as_the_options_say() {
    let server = Server::start().await;
    let mut connection = server.connected().await;
    let queue = open(&mut connection, "Q").await;
    let long: Bytes = (0..3_000_000_u32).map(|number| number.to_le_bytes()[0]).collect();
    connection.put(queue, text(), &with(PutFlags::NO_SYNCPOINT), long.clone()).await.unwrap();
    let short = GetOptions { buffer_length: Some(1000), ..any(ALONE) };
    connection.consume(queue, &short, ReadAhead::DEFAULT).await.unwrap();
    for _ in 0..2 {
        let got = connection.next_message().await.unwrap().got;
        assert_eq!((got.warning, got.data_length, got.body.len()), (Some(Reason::TruncatedMsgFailed), 3_000_000, 1000));
    }
    connection.consume(queue, &any(ALONE), ReadAhead::Off).await.unwrap();
    assert_eq!(connection.next_message().await.unwrap().got.body, long);
    assert_eq!(server.depth("Q"), 0);
}

#[tokio::test]
async fn a_consumer_selects() {
    let server = Server::start().await;
    let mut connection = server.connected().await;
    let queue = open(&mut connection, "Q").await;
    let wanted = CorrelationId::new([7; 24]);
    for (correlation_id, body) in [(CorrelationId::NONE, "other"), (wanted, "wanted")] {
        let descriptor = MessageDescriptor { correlation_id, ..text() };
        let body = Bytes::from_static(body.as_bytes());
        connection.put(queue, descriptor, &with(PutFlags::NO_SYNCPOINT), body).await.unwrap();
    }
    let options = GetOptions { match_options: MatchOptions::CORREL_ID, correlation_id: wanted, ..any(ALONE) };
    connection.consume(queue, &options, ReadAhead::Off).await.unwrap();
    assert_eq!(next(&mut connection).await, "wanted");
    give_up_waiting(&mut connection).await;
    assert_eq!(server.depth("Q"), 1);
}

#[tokio::test]
async fn several_queues_are_consumed_by_one_connection() {
    let server = Server::start().await;
    let (mut connection, queue, mut other, output) = pair(&server, ALONE, ReadAhead::Off).await;
    let reply = open(&mut connection, "REPLY").await;
    connection.consume(reply, &any(ALONE), ReadAhead::DEFAULT).await.unwrap();
    let to_reply = open(&mut other, "REPLY").await;
    for _ in 0..5 {
        put(&mut other, to_reply, "reply", PutFlags::NO_SYNCPOINT).await;
        assert_eq!(connection.next_message().await.unwrap().handle, reply);
        put(&mut other, output, "request", PutFlags::NO_SYNCPOINT).await;
        assert_eq!(connection.next_message().await.unwrap().handle, queue);
    }
}

#[tokio::test]
async fn what_is_consumed_under_syncpoint_is_committed_or_comes_again() {
    let server = Server::start().await;
    let (mut connection, _, mut other, output) = pair(&server, GetFlags::SYNCPOINT, ReadAhead::DEFAULT).await;
    put(&mut other, output, "one", PutFlags::NO_SYNCPOINT).await;
    put(&mut other, output, "two", PutFlags::NO_SYNCPOINT).await;
    assert_eq!(next(&mut connection).await, "one");
    connection.back_out().await.unwrap();
    let again = connection.next_message().await.unwrap().got;
    assert_eq!((&again.body[..], again.descriptor.backout_count), (&b"one"[..], 1));
    connection.commit().await.unwrap();
    assert_eq!(next(&mut connection).await, "two");
    drop(connection);
    wait_until(|| server.depth("Q") == 1).await;
    assert_eq!(get(&mut other, output, GetFlags::WAIT | ALONE).await.unwrap(), "two");
}

/// A wait that was given up has asked for a message: it comes, and belongs to the unit of work.
#[tokio::test]
async fn no_message_is_committed_that_the_program_has_not_seen() {
    let server = Server::start().await;
    let (mut connection, queue, mut other, output) = pair(&server, GetFlags::SYNCPOINT, ReadAhead::Off).await;
    give_up_waiting(&mut connection).await;
    put(&mut other, output, "unseen", PutFlags::NO_SYNCPOINT).await;
    wait_until(|| status(&server).depth.uncommitted > 0).await;
    let refused = connection.commit().await.unwrap_err();
    assert_eq!(refused.reason(), Reason::HconnAsyncActive);
    assert_eq!(connection.close(queue, CloseOptions::empty()).await.unwrap_err().reason(), Reason::ReadAheadMsgs);
    assert_eq!(next(&mut connection).await, "unseen");
    connection.commit().await.unwrap();
    assert_eq!(server.depth("Q"), 0);
    connection.close(queue, CloseOptions::empty()).await.unwrap();
    // And a disconnection gives it back.
    let queue = open(&mut connection, "Q").await;
    connection.consume(queue, &any(GetFlags::SYNCPOINT), ReadAhead::Off).await.unwrap();
    give_up_waiting(&mut connection).await;
    put(&mut other, output, "given back", PutFlags::NO_SYNCPOINT).await;
    assert_eq!(connection.disconnect().await.unwrap_err().reason(), Reason::HconnAsyncActive);
    assert_eq!(get(&mut other, output, GetFlags::WAIT | ALONE).await.unwrap(), "given back");
}

#[tokio::test]
async fn a_commit_with_nothing_unseen_lets_consumers_go_on() {
    let server = Server::start().await;
    let (mut connection, _, mut other, output) = pair(&server, GetFlags::SYNCPOINT, ReadAhead::Off).await;
    give_up_waiting(&mut connection).await;
    let reply = open(&mut connection, "REPLY").await;
    put(&mut connection, reply, "mine", PutFlags::SYNCPOINT).await;
    connection.commit().await.unwrap();
    put(&mut connection, reply, "not mine", PutFlags::SYNCPOINT).await;
    connection.back_out().await.unwrap();
    assert_eq!(server.depth("REPLY"), 1);
    put(&mut other, output, "goes on", PutFlags::NO_SYNCPOINT).await;
    assert_eq!(next(&mut connection).await, "goes on");
}

#[tokio::test]
async fn suspended_consumers_leave_messages_to_others() {
    let server = Server::start().await;
    let (mut connection, _, mut other, output) = pair(&server, ALONE, ReadAhead::DEFAULT).await;
    give_up_waiting(&mut connection).await;
    connection.suspend_consumers().await.unwrap();
    put(&mut other, output, "for others", PutFlags::NO_SYNCPOINT).await;
    assert_eq!(get(&mut other, output, ALONE).await.unwrap(), "for others");
    put(&mut other, output, "mine", PutFlags::NO_SYNCPOINT).await;
    assert_eq!(next(&mut connection).await, "mine");
}

#[tokio::test]
async fn a_handle_that_is_closed_or_consumes_no_more_keeps_what_it_is_asked_to() {
    let server = Server::start().await;
    let (mut connection, queue, mut other, output) = pair(&server, ALONE, ReadAhead::DEFAULT).await;
    for body in ["1", "2", "3"] {
        put(&mut other, output, body, PutFlags::NO_SYNCPOINT).await;
    }
    assert_eq!(next(&mut connection).await, "1");
    wait_until(|| server.depth("Q") == 0).await;
    let held = connection.close(queue, CloseOptions::QUIESCE).await.unwrap_err();
    assert_eq!(held.to_string(), "MQCLOSE ended with 2458 (MQRC_READ_AHEAD_MSGS)");
    put(&mut other, output, "no more of it", PutFlags::NO_SYNCPOINT).await;
    assert_eq!((next(&mut connection).await, next(&mut connection).await), ("2".to_owned(), "3".to_owned()));
    let nobody = connection.next_message().await.unwrap_err();
    assert_eq!(nobody.reason(), Reason::NoCallbacksActive);
    connection.end_consumer(queue).await.unwrap();
    assert_eq!(get(&mut connection, queue, ALONE).await.unwrap(), "no more of it");
    connection.close(queue, CloseOptions::QUIESCE).await.unwrap();
    assert_eq!(connection.close(queue, CloseOptions::empty()).await.unwrap_err().reason(), Reason::HobjError);
}

#[tokio::test]
async fn what_makes_no_sense_is_refused() {
    let server = Server::start().await;
    let mut connection = server.connected().await;
    let queue = open(&mut connection, "Q").await;
    assert_eq!(connection.next_message().await.unwrap_err().reason(), Reason::NoCallbacksActive);
    let reason = connection.consume(queue, &any(GetFlags::BROWSE_FIRST), ReadAhead::Off).await.unwrap_err().reason();
    assert_eq!(reason, Reason::OptionsError);
    connection.close(queue, CloseOptions::empty()).await.unwrap();
    let reason = connection.consume(queue, &any(ALONE), ReadAhead::Off).await.unwrap_err().reason();
    assert_eq!(reason, Reason::HobjError);
    let unshared = Server::sharing("QM2", 0, None).await;
    let mut connection = unshared.connected().await;
    let queue = open(&mut connection, "Q").await;
    let reason = connection.consume(queue, &any(ALONE), ReadAhead::Off).await.unwrap_err().reason();
    assert_eq!(reason, Reason::EnvironmentError);
}

#[tokio::test]
async fn a_channel_that_quiesces_and_a_queue_that_is_gone_are_told() {
    let server = Server::start().await;
    let (mut connection, ..) = pair(&server, ALONE | GetFlags::FAIL_IF_QUIESCING, ReadAhead::Off).await;
    give_up_waiting(&mut connection).await;
    let stop = StopChannel::of("CLIENTS", StopMode::Quiesce);
    server.queue_manager.stop_channel(&stop);
    let told = tokio::time::timeout(SOON, connection.next_message()).await.unwrap().unwrap_err();
    assert_eq!(told.reason(), Reason::ConnectionQuiescing);
    let ended = tokio::time::timeout(SOON, connection.next_message()).await.unwrap().unwrap_err();
    assert!(matches!(ended.reason(), Reason::ConnectionQuiescing | Reason::ConnectionBroken), "{ended}");
    let server = Server::start().await;
    let (mut connection, ..) = pair(&server, ALONE, ReadAhead::Off).await;
    give_up_waiting(&mut connection).await;
    let oldest = server.queue_manager.connections().first().unwrap().identifier;
    let administrator = model::authority::Principal::administrator("mqadmin");
    server.queue_manager.stop_connection(&administrator, &oldest).unwrap();
    let told = tokio::time::timeout(SOON, connection.next_message()).await.unwrap().unwrap_err();
    assert_eq!(told.reason(), Reason::ConnectionBroken);
    assert!(connection.is_broken());
}

#[tokio::test]
async fn consumers_go_on_after_a_loss() {
    let server = Server::start().await;
    let relay = Relay::before(&server).await;
    for ahead in [ReadAhead::Off, ReadAhead::DEFAULT] {
        let mut connection = relay.client(Reconnect::Any).connect().await.unwrap();
        let queue = open(&mut connection, "Q").await;
        connection.consume(queue, &any(ALONE), ahead).await.unwrap();
        let mut other = server.connected().await;
        let output = open(&mut other, "Q").await;
        put(&mut other, output, "before", PutFlags::NO_SYNCPOINT).await;
        assert_eq!(next(&mut connection).await, "before");
        for body in ["after", "again"] {
            relay.cut();
            // Nobody gets it for the lost connection any more.
            wait_until(|| status(&server).waiters == 0).await;
            put(&mut other, output, body, PutFlags::NO_SYNCPOINT).await;
            assert_eq!(next(&mut connection).await, body);
        }
        connection.disconnect().await.unwrap();
    }
}

#[tokio::test]
async fn a_lost_unit_of_work_of_a_consumer_is_told_once_and_its_messages_come_again() {
    let server = Server::start().await;
    let relay = Relay::before(&server).await;
    let mut connection = relay.client(Reconnect::Any).connect().await.unwrap();
    let queue = open(&mut connection, "Q").await;
    connection.consume(queue, &any(GetFlags::SYNCPOINT), ReadAhead::Off).await.unwrap();
    let mut other = server.connected().await;
    let output = open(&mut other, "Q").await;
    put(&mut other, output, "kept", PutFlags::NO_SYNCPOINT).await;
    assert_eq!(next(&mut connection).await, "kept");
    relay.cut();
    assert_eq!(connection.next_message().await.unwrap_err().reason(), Reason::BackedOut);
    assert_eq!(connection.next_message().await.unwrap_err().reason(), Reason::BackedOut);
    connection.back_out().await.unwrap();
    let again = connection.next_message().await.unwrap().got;
    assert_eq!((&again.body[..], again.descriptor.backout_count), (&b"kept"[..], 1));
    connection.commit().await.unwrap();
    assert_eq!(server.depth("Q"), 0);
}

#[tokio::test]
async fn messages_read_ahead_outlive_their_connection() {
    let server = Server::start().await;
    let relay = Relay::before(&server).await;
    let mut connection = relay.client(Reconnect::Any).connect().await.unwrap();
    let queue = open(&mut connection, "Q").await;
    let mut other = server.connected().await;
    let output = open(&mut other, "Q").await;
    for body in ["1", "2", "3"] {
        let descriptor = MessageDescriptor { persistence: Persistence::NonPersistent, ..text() };
        let body = Bytes::from_static(body.as_bytes());
        other.put(output, descriptor, &with(PutFlags::NO_SYNCPOINT), body).await.unwrap();
    }
    connection.consume(queue, &any(ALONE), ReadAhead::DEFAULT).await.unwrap();
    assert_eq!(next(&mut connection).await, "1");
    wait_until(|| server.depth("Q") == 0).await;
    // An answer comes behind what was sent before it.
    connection.commit().await.unwrap();
    relay.cut();
    assert_eq!((next(&mut connection).await, next(&mut connection).await), ("2".to_owned(), "3".to_owned()));
    wait_until(|| connection.is_broken()).await;
    put(&mut other, output, "4", PutFlags::NO_SYNCPOINT).await;
    assert_eq!(next(&mut connection).await, "4");
}

#[tokio::test]
async fn consumers_share_a_socket_with_conversations_of_others() {
    let server = Server::start().await;
    let client = Client::new(server.options()).unwrap();
    let (mut one, mut two) = (client.connect().await.unwrap(), client.connect().await.unwrap());
    let (first, second) = (open(&mut one, "Q").await, open(&mut two, "REPLY").await);
    one.consume(first, &any(GetFlags::SYNCPOINT), ReadAhead::Off).await.unwrap();
    two.consume(second, &any(ALONE), ReadAhead::DEFAULT).await.unwrap();
    let mut other = server.connected().await;
    let (requests, replies) = (open(&mut other, "Q").await, open(&mut other, "REPLY").await);
    for _ in 0..10 {
        put(&mut other, requests, "request", PutFlags::NO_SYNCPOINT).await;
        put(&mut other, replies, "reply", PutFlags::NO_SYNCPOINT).await;
    }
    for _ in 0..10 {
        assert_eq!(next(&mut one).await, "request");
        assert_eq!(next(&mut two).await, "reply");
        one.commit().await.unwrap();
    }
    assert_eq!((server.depth("Q"), server.depth("REPLY")), (0, 0));
}
