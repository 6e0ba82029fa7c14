//! STOP CHANNEL, and the end of a queue manager, as clients see them.

use std::time::Duration;

use channel_protocol::flow::status::StatusCode;
use channel_protocol::reply::Reply;
use channel_protocol::request::{Request, Verb};
use model::options::{GetFlags, PutFlags};
use queue_manager::channel_status::{ChannelState, StopChannel, StopMode};

use crate::client::{Client, Server, any, message};
use crate::lost_client::wait_until;
use crate::put_get::BOTH;

fn stop(server: &Server, mode: StopMode) {
    let stop = StopChannel::of("CLIENTS", mode);
    assert_eq!(server.queue_manager.stop_channel(&stop), 1);
}

pub(crate) async fn closed_with(client: &mut Client) -> Option<StatusCode> {
    let mut code = None;
    while let Some(unit) = client.receive_unit().await {
        if let Ok(Reply::Status(status)) = Reply::decode(&unit) {
            code = status.code;
        }
    }
    code
}

/// A client whose get waits without end, with or without failing when quiescing.
async fn waiting(server: &Server, flags: GetFlags) -> (Client, i32) {
    let mut client = server.connected().await;
    let queue = client.open(1, "Q", BOTH).await;
    let mut get = any(GetFlags::WAIT | flags);
    get.options.wait_interval = -1;
    client.send(1, &Request::Call(Verb::Get(get).call_on(queue))).await;
    let q = model::name::ObjectName::literal("Q");
    wait_until(|| server.queue_manager.queue_status(&q).unwrap().waiters == 1).await;
    (client, queue)
}

#[tokio::test]
async fn a_channel_that_is_stopped_gently_fails_calls_that_ask_for_it_and_ends_when_idle() {
    let server = Server::start().await;
    let (mut client, _) = waiting(&server, GetFlags::FAIL_IF_QUIESCING).await;
    stop(&server, StopMode::Quiesce);
    assert_eq!(client.answer(1).await.ending.reason, 2202);
    assert_eq!(closed_with(&mut client).await, Some(StatusCode::QUEUE_MANAGER_ENDING));
}

#[tokio::test]
async fn a_gentle_stop_waits_for_the_unit_of_work() {
    let server = Server::start().await;
    let mut client = server.connected().await;
    let queue = client.open(1, "Q", BOTH).await;
    let mut put = message(b"x");
    put.options.flags = PutFlags::SYNCPOINT;
    client.put(1, queue, put.clone()).await;
    stop(&server, StopMode::Quiesce);
    put.options.flags |= PutFlags::FAIL_IF_QUIESCING;
    assert_eq!(client.put(1, queue, put).await.0, 2202);
    let shown = server.queue_manager.channel_statuses();
    assert_eq!(shown[0].instance.state, ChannelState::Stopping);
    assert_eq!(client.plain(1, Verb::Commit).await, 0);
    assert_eq!(closed_with(&mut client).await, Some(StatusCode::QUEUE_MANAGER_ENDING));
    assert_eq!(server.depth("Q"), 1);
}

#[tokio::test]
async fn a_forced_stop_waits_for_nothing() {
    let server = Server::start().await;
    let (mut client, _) = waiting(&server, GetFlags::empty()).await;
    stop(&server, StopMode::Quiesce);
    stop(&server, StopMode::Force);
    assert_eq!(closed_with(&mut client).await, Some(StatusCode::QUEUE_MANAGER_ENDING));
    assert!(server.queue_manager.connections().is_empty());
}

#[tokio::test]
async fn a_queue_manager_that_quiesces_fails_calls_that_ask_for_it() {
    let server = Server::start().await;
    let (mut client, queue) = waiting(&server, GetFlags::FAIL_IF_QUIESCING).await;
    server.queue_manager.quiesce();
    assert_eq!(client.answer(1).await.ending.reason, 2161);
    assert_eq!(client.put(1, queue, message(b"x")).await.0, 0);
}

/// The Java client drops an answer that it has received when the end comes before its program has taken it.
#[tokio::test(start_paused = true)]
async fn an_answer_rests_before_the_socket_ends_and_no_further_call_is_begun() {
    let server = Server::start().await;
    let mut client = server.connected().await;
    let queue = client.open(1, "Q", BOTH).await;
    let mut put = message(b"committed");
    put.options.flags = PutFlags::SYNCPOINT;
    client.put(1, queue, put).await;
    stop(&server, StopMode::Quiesce);
    assert_eq!(client.plain(1, Verb::Commit).await, 0);
    let answered = tokio::time::Instant::now();
    client.queue(1, &Request::Call(Verb::Put(message(b"not begun")).call_on(queue)));
    client.flush().await;
    match client.receive(1).await {
        Reply::Status(status) => assert_eq!(status.code, Some(StatusCode::QUEUE_MANAGER_ENDING)),
        other => panic!("the end comes next: {other:?}"),
    }
    assert!(answered.elapsed() >= Duration::from_millis(200), "{:?}", answered.elapsed());
    assert_eq!(server.depth("Q"), 1);
}

/// A client that has no answer to MQCMIT cannot know what became of its messages: the Java client closes a consumer with
/// automatic acknowledgement then, and its listener hears nothing more.
#[tokio::test(start_paused = true)]
async fn the_end_of_a_unit_of_work_is_answered_while_the_socket_rests() {
    for (verb, depth) in [(Verb::Commit, 1), (Verb::BackOut, 0)] {
        let server = Server::start().await;
        let mut client = server.connected().await;
        let queue = client.open(1, "Q", BOTH).await;
        let mut put = message(b"in doubt");
        put.options.flags = PutFlags::SYNCPOINT;
        client.put(1, queue, put).await;
        server.queue_manager.end_channels(StopMode::Ended);
        // What comes behind it is not begun.
        client.queue(1, &Request::Call(verb.call_on(0)));
        client.queue(1, &Request::Call(Verb::Put(message(b"not begun")).call_on(queue)));
        client.flush().await;
        assert_eq!(client.answer(1).await.ending.reason, 0);
        let answered = tokio::time::Instant::now();
        match client.receive(1).await {
            Reply::Status(status) => assert_eq!(status.code, Some(StatusCode::QUEUE_MANAGER_ENDING)),
            other => panic!("the end comes next: {other:?}"),
        }
        assert!(answered.elapsed() >= Duration::from_millis(200), "{:?}", answered.elapsed());
        assert_eq!(server.depth("Q"), depth);
    }
}

#[tokio::test]
async fn channels_of_a_queue_manager_that_ends_wait_for_no_unit_of_work_in_the_end() {
    let server = Server::start().await;
    let mut client = server.connected().await;
    let queue = client.open(1, "Q", BOTH).await;
    let mut put = message(b"backed out");
    put.options.flags = PutFlags::SYNCPOINT;
    client.put(1, queue, put).await;
    server.queue_manager.end_channels(StopMode::Quiesce);
    let statuses = || server.queue_manager.channel_statuses();
    wait_until(|| statuses()[0].instance.state == ChannelState::Stopping).await;
    server.queue_manager.end_channels(StopMode::Ended);
    assert_eq!(closed_with(&mut client).await, Some(StatusCode::QUEUE_MANAGER_ENDING));
    wait_until(|| server.depth("Q") == 0).await;
}

#[tokio::test]
async fn a_queue_manager_that_stops_ends_every_call() {
    let server = Server::start().await;
    let (mut client, _) = waiting(&server, GetFlags::empty()).await;
    server.queue_manager.stop().await;
    assert_eq!(client.answer(1).await.ending.reason, 2162);
    assert_eq!(closed_with(&mut client).await, Some(StatusCode::QUEUE_MANAGER_ENDING));
}
