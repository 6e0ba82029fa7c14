//! Connections that are lost and made again.

use std::time::Duration;

use bytes::Bytes;
use channel_client::reconnect::Reconnect;
use model::descriptor::{MessageDescriptor, Persistence};
use model::name::ObjectName;
use model::options::{CloseOptions, GetFlags, ObjectDescriptor, OpenOptions, PutFlags};
use model::reason::Reason;

use crate::calls::{any, get, put, text, with};
use crate::server::{BOTH, Relay, Server, open};

#[tokio::test]
async fn without_reconnecting_a_lost_connection_is_2009_from_then_on() {
    let server = Server::start().await;
    let relay = Relay::before(&server).await;
    let mut connection = relay.client(Reconnect::Disabled).connect().await.unwrap();
    let queue = open(&mut connection, "Q").await;
    relay.cut();
    for _ in 0..2 {
        assert_eq!(get(&mut connection, queue, GetFlags::NO_SYNCPOINT).await, Err(Reason::ConnectionBroken));
    }
    assert!(connection.is_broken());
}

#[tokio::test]
async fn handles_stay_valid_and_calls_go_on() {
    let server = Server::start().await;
    let relay = Relay::before(&server).await;
    let mut connection = relay.client(Reconnect::SameQueueManager).connect().await.unwrap();
    let (first, second) = (open(&mut connection, "Q").await, open(&mut connection, "REPLY").await);
    put(&mut connection, second, "there", PutFlags::NO_SYNCPOINT).await;
    connection.close(first, CloseOptions::empty()).await.unwrap();
    relay.cut();
    assert_eq!(get(&mut connection, second, GetFlags::NO_SYNCPOINT).await.unwrap(), "there");
    assert_eq!(get(&mut connection, first, GetFlags::NO_SYNCPOINT).await, Err(Reason::HobjError));
}

const SOON: Duration = Duration::from_secs(300);

/// Bounded.
async fn until(is_so: impl Fn() -> bool) {
    let begun = tokio::time::Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < SOON, "in vain");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_get_that_waits_goes_on_waiting() {
    let server = Server::start().await;
    let relay = Relay::before(&server).await;
    let mut connection = relay.client(Reconnect::Any).connect().await.unwrap();
    let queue = open(&mut connection, "Q").await;
    let waiter =
        tokio::spawn(async move { get(&mut connection, queue, GetFlags::WAIT | GetFlags::NO_SYNCPOINT).await });
    let mut other = server.connected().await;
    let direct = open(&mut other, "Q").await;
    let is_waiting = || server.queue_manager.queue_status(&ObjectName::literal("Q")).unwrap().open_input >= 2;
    until(is_waiting).await;
    relay.cut();
    put(&mut other, direct, "after the loss", PutFlags::NO_SYNCPOINT).await;
    // The lost get may have taken it from the queue, as outside syncpoint it may.
    until(|| waiter.is_finished() || server.depth("Q") == 0).await;
}

#[tokio::test]
async fn an_open_unit_of_work_is_backed_out_and_the_program_told_once() {
    let server = Server::start().await;
    let relay = Relay::before(&server).await;
    let mut connection = relay.client(Reconnect::Any).connect().await.unwrap();
    let queue = open(&mut connection, "Q").await;
    put(&mut connection, queue, "lost", PutFlags::SYNCPOINT).await;
    relay.cut();
    let reason = |error: channel_client::error::ChannelError| error.reason();
    let body = Bytes::from_static(b"second");
    let refused = connection.put(queue, text(), &with(PutFlags::SYNCPOINT), body.clone()).await.map_err(reason);
    assert_eq!(refused.err(), Some(Reason::BackedOut));
    // Outside syncpoint the connection works; inside it waits for the program to take note.
    put(&mut connection, queue, "outside", PutFlags::NO_SYNCPOINT).await;
    let refused = connection.put(queue, text(), &with(PutFlags::SYNCPOINT), body).await.map_err(reason);
    assert_eq!(refused.err(), Some(Reason::BackedOut));
    assert_eq!(connection.commit().await.map_err(reason), Err(Reason::BackedOut));
    put(&mut connection, queue, "third", PutFlags::SYNCPOINT).await;
    connection.commit().await.unwrap();
    assert_eq!(get(&mut connection, queue, GetFlags::NO_SYNCPOINT).await.unwrap(), "outside");
    assert_eq!(get(&mut connection, queue, GetFlags::NO_SYNCPOINT).await.unwrap(), "third");
    assert_eq!(get(&mut connection, queue, GetFlags::NO_SYNCPOINT).await, Err(Reason::NoMsgAvailable));
}

#[tokio::test]
async fn a_commit_without_an_answer_is_2549_and_is_not_done_twice() {
    let server = Server::start().await;
    let relay = Relay::before(&server).await;
    let mut connection = relay.client(Reconnect::Any).connect().await.unwrap();
    let queue = open(&mut connection, "Q").await;
    put(&mut connection, queue, "committed", PutFlags::SYNCPOINT).await;
    relay.swallow_next_answer();
    assert_eq!(connection.commit().await.err().unwrap().reason(), Reason::CallInterrupted);
    connection.commit().await.unwrap();
    assert_eq!(get(&mut connection, queue, GetFlags::NO_SYNCPOINT).await.unwrap(), "committed");
}

#[tokio::test]
async fn a_persistent_put_without_an_answer_is_2549_and_never_doubled() {
    let server = Server::start().await;
    let relay = Relay::before(&server).await;
    let mut connection = relay.client(Reconnect::Any).connect().await.unwrap();
    let queue = open(&mut connection, "Q").await;
    let persistent = || MessageDescriptor { persistence: Persistence::Persistent, ..text() };
    relay.swallow_next_answer();
    let put = connection.put(queue, persistent(), &with(PutFlags::NO_SYNCPOINT), Bytes::from_static(b"once")).await;
    assert_eq!(put.err().unwrap().reason(), Reason::CallInterrupted);
    assert_eq!(server.depth("Q"), 1);
    let nonpersistent = MessageDescriptor { persistence: Persistence::NonPersistent, ..text() };
    relay.swallow_next_answer();
    connection.put(queue, nonpersistent, &with(PutFlags::NO_SYNCPOINT), Bytes::from_static(b"again")).await.unwrap();
    assert_eq!(server.depth("Q"), 3);
}

#[tokio::test]
async fn a_browse_starts_again_at_the_first_message() {
    let server = Server::start().await;
    let relay = Relay::before(&server).await;
    let mut connection = relay.client(Reconnect::Any).connect().await.unwrap();
    let queue = open(&mut connection, "Q").await;
    put(&mut connection, queue, "one", PutFlags::NO_SYNCPOINT).await;
    put(&mut connection, queue, "two", PutFlags::NO_SYNCPOINT).await;
    assert_eq!(get(&mut connection, queue, GetFlags::BROWSE_FIRST).await.unwrap(), "one");
    relay.cut();
    assert_eq!(get(&mut connection, queue, GetFlags::BROWSE_NEXT).await.unwrap(), "one");
    relay.cut();
    assert_eq!(get(&mut connection, queue, GetFlags::MSG_UNDER_CURSOR).await, Err(Reason::NoMsgUnderCursor));
}

#[tokio::test]
async fn a_dynamic_queue_is_made_again_by_its_name() {
    let server = Server::start().await;
    let relay = Relay::before(&server).await;
    let mut connection = relay.client(Reconnect::Any).connect().await.unwrap();
    let model = ObjectDescriptor {
        name: ObjectName::literal("SYSTEM.DEFAULT.MODEL.QUEUE"),
        dynamic_queue: "REPLY.*".to_owned(),
        ..ObjectDescriptor::default()
    };
    let opened = connection.open(&model, BOTH).await.unwrap();
    relay.cut();
    assert_eq!(get(&mut connection, opened.handle, GetFlags::NO_SYNCPOINT).await, Err(Reason::NoMsgAvailable));
    put(&mut connection, opened.handle, "new", PutFlags::NO_SYNCPOINT).await;
    let got = connection.get(opened.handle, &any(GetFlags::NO_SYNCPOINT)).await.unwrap();
    assert_eq!(got.resolved_queue, opened.object_name);
}

#[tokio::test]
async fn a_connection_that_cannot_be_made_again_is_given_up_in_time() {
    let server = Server::start().await;
    let relay = Relay::before(&server).await;
    let mut connection = relay.client_with_patience(Duration::from_millis(200)).connect().await.unwrap();
    let queue = open(&mut connection, "Q").await;
    relay.refuse(true);
    relay.cut();
    assert_eq!(get(&mut connection, queue, GetFlags::NO_SYNCPOINT).await, Err(Reason::ReconnectTimedOut));
    relay.refuse(false);
    // A loaded machine may be late once more.
    let begun = tokio::time::Instant::now();
    let mut got = get(&mut connection, queue, GetFlags::NO_SYNCPOINT).await;
    while got == Err(Reason::ReconnectTimedOut) && begun.elapsed() < SOON {
        got = get(&mut connection, queue, GetFlags::NO_SYNCPOINT).await;
    }
    assert_eq!(got, Err(Reason::NoMsgAvailable));
}

/// The socket is known to be gone before the call: it was not sent, and yet there is a unit of work to tell about.
#[tokio::test]
async fn a_commit_of_a_unit_of_work_that_is_known_to_be_lost_says_so() {
    let server = Server::start().await;
    let relay = Relay::before(&server).await;
    let mut connection = relay.client(Reconnect::Any).connect().await.unwrap();
    let queue = open(&mut connection, "Q").await;
    put(&mut connection, queue, "lost", PutFlags::SYNCPOINT).await;
    relay.cut();
    until(|| connection.is_broken()).await;
    assert_eq!(connection.commit().await.err().unwrap().reason(), Reason::BackedOut);
    connection.commit().await.unwrap();
    assert_eq!(get(&mut connection, queue, GetFlags::NO_SYNCPOINT).await, Err(Reason::NoMsgAvailable));
}

#[tokio::test]
async fn what_became_of_asynchronous_puts_before_a_loss_nobody_knows() {
    let server = Server::start().await;
    let relay = Relay::before(&server).await;
    let mut connection = relay.client(Reconnect::Any).connect().await.unwrap();
    let queue = open(&mut connection, "Q").await;
    put(&mut connection, queue, "perhaps", PutFlags::NO_SYNCPOINT | PutFlags::ASYNC_RESPONSE).await;
    relay.cut();
    let unknown = connection.asynchronous_status().await.err().unwrap();
    assert_eq!(unknown.reason(), Reason::CallInterrupted);
    assert_eq!(connection.asynchronous_status().await.unwrap().put_failures, 0);
}

#[tokio::test]
async fn a_queue_opened_exclusively_is_had_again_when_the_lost_connection_is_gone() {
    let server = Server::start().await;
    let relay = Relay::before(&server).await;
    let mut connection = relay.client(Reconnect::Any).connect().await.unwrap();
    let object = ObjectDescriptor { name: ObjectName::literal("Q"), ..ObjectDescriptor::default() };
    let queue = connection.open(&object, OpenOptions::INPUT_EXCLUSIVE | OpenOptions::OUTPUT).await.unwrap().handle;
    for _ in 0..3 {
        relay.cut();
        assert_eq!(get(&mut connection, queue, GetFlags::NO_SYNCPOINT).await, Err(Reason::NoMsgAvailable));
    }
    put(&mut connection, queue, "mine", PutFlags::NO_SYNCPOINT).await;
    assert_eq!(get(&mut connection, queue, GetFlags::NO_SYNCPOINT).await.unwrap(), "mine");
}
