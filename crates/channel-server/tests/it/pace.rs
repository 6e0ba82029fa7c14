//! Heartbeats and the disconnect interval, by a clock that moves when nothing else does.

use std::time::Duration;

use channel_protocol::flow::status::StatusCode;
use channel_protocol::reply::Reply;
use channel_protocol::request::{Request, Verb};
use channel_protocol::segment::{Address, ControlFlags};
use model::options::GetFlags;

use crate::admission::Settings;
use crate::client::{Client, Options, Server, any, message};
use crate::lost_client::wait_until;
use crate::put_get::BOTH;
use crate::stopping::closed_with;

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn a_heartbeat_is_answered_while_a_get_waits() {
    let server = Server::start().await;
    let mut client = server.connected().await;
    let queue = client.open(1, "Q", BOTH).await;
    let mut get = any(GetFlags::WAIT);
    get.options.wait_interval = 5_000;
    client.send(1, &Request::Call(Verb::Get(get).call_on(queue))).await;
    client.send_heartbeat().await;
    let unit = client.receive_unit().await.unwrap();
    assert_eq!((Reply::decode(&unit).unwrap(), unit.confirm_requested()), (Reply::Heartbeat, false));
    assert_eq!(client.answer(1).await.ending.reason, 2033);
}

#[tokio::test(start_paused = true)]
async fn a_silent_partner_is_asked_and_then_dropped() {
    let server = Server::with(Settings { heartbeat: SECOND, ..Settings::default() }).await;
    let mut client = server.connected().await;
    let mut heartbeats = 0;
    while let Some(unit) = client.receive_unit().await {
        assert_eq!(Reply::decode(&unit).unwrap(), Reply::Heartbeat);
        assert!(unit.confirm_requested());
        heartbeats += 1;
    }
    assert_eq!(heartbeats, 2);
    assert!(server.queue_manager.connections().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_partner_that_answers_heartbeats_may_wait_for_long() {
    let server = Server::with(Settings { heartbeat: SECOND, ..Settings::default() }).await;
    for conversations in [0, 10] {
        let mut client = server.client_with(Options { conversations, ..Options::default() }).await;
        client.connect(1, "QM1").await;
        let queue = client.open(1, "Q", BOTH).await;
        let mut get = any(GetFlags::WAIT);
        get.options.wait_interval = 60_000;
        client.send(1, &Request::Call(Verb::Get(get).call_on(queue))).await;
        assert_eq!(client.answer(1).await.ending.reason, 2033, "with {conversations} conversations");
    }
}

#[tokio::test(start_paused = true)]
async fn who_asks_for_nothing_is_disconnected_but_not_while_it_waits() {
    let settings = Settings { disconnect_interval: Some(10 * SECOND), ..Settings::default() };
    let server = Server::with(settings).await;
    let mut client = server.connected().await;
    let queue = client.open(1, "Q", BOTH).await;
    let mut get = any(GetFlags::WAIT);
    get.options.wait_interval = 15_000;
    assert_eq!(client.get(1, queue, get).await.0, 2033);
    let unit = client.receive_unit().await.unwrap();
    let Reply::Status(status) = Reply::decode(&unit).unwrap() else { panic!("no status") };
    assert_eq!(status.code, Some(StatusCode::CHANNEL_CLOSED));
    assert_eq!(client.receive_unit().await, None);
}

#[tokio::test(start_paused = true)]
async fn who_has_a_consumer_that_waits_is_not_disconnected() {
    let settings = Settings { disconnect_interval: Some(10 * SECOND), ..Settings::default() };
    let server = Server::with(settings).await;
    let mut client = server.connected().await;
    let queue = client.open(1, "Q", BOTH).await;
    let request = Request::RequestMessages(crate::consuming::request(queue, 1, 0));
    client.queue_at(Address::Conversation { conversation: 1, request: 1 }, ControlFlags::empty(), &request);
    client.flush().await;
    let waited = tokio::time::timeout(60 * SECOND, client.receive_unit()).await;
    assert!(waited.is_err(), "{waited:?}");
    // With a message it has what it asked for, and is idle again.
    let mut other = server.connected().await;
    let output = other.open(1, "Q", BOTH).await;
    assert_eq!(other.put(1, output, message(b"x")).await.0, 0);
    assert!(matches!(client.receive(1).await, Reply::Message(_)));
    assert_eq!(closed_with(&mut client).await, Some(StatusCode::CHANNEL_CLOSED));
}

#[tokio::test(start_paused = true)]
async fn a_channel_without_heartbeats_sends_none_and_drops_nobody() {
    let server = Server::with(Settings { heartbeat: Duration::ZERO, ..Settings::default() }).await;
    for conversations in [0, 10] {
        let mut client = server.client_with(Options { conversations, ..Options::default() }).await;
        client.connect(1, "QM1").await;
        let queue = client.open(1, "Q", BOTH).await;
        let mut get = any(GetFlags::WAIT);
        get.options.wait_interval = 60_000;
        client.send(1, &Request::Call(Verb::Get(get).call_on(queue))).await;
        let unit = client.receive_unit().await.unwrap();
        assert!(matches!(Reply::decode(&unit).unwrap(), Reply::Answer(_)), "with {conversations} conversations");
    }
}

#[tokio::test(start_paused = true)]
async fn who_does_not_come_in_by_mqconn_is_shown_out() {
    let server = Server::start().await;
    for conversations in [0, 10] {
        let options = Options { conversations, user: "stranger", ..Options::default() };
        let mut silent = Client::begin(server.socket(), options.form);
        silent.send_initial(&options).await;
        let mut refused = server.client_with(options).await;
        assert_eq!(refused.try_connect(1, "QM1").await.ending.reason, 2035);
        for mut client in [silent, refused] {
            assert_eq!(closed_with(&mut client).await, Some(StatusCode::CHANNEL_CLOSED));
        }
    }
    wait_until(|| server.queue_manager.channel_statuses().is_empty()).await;
    let mut admitted = server.client_with(Options { conversations: 0, ..Options::default() }).await;
    admitted.connect(1, "QM1").await;
    tokio::time::sleep(600 * SECOND).await;
    admitted.open(1, "Q", BOTH).await;
}
