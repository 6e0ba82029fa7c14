//! Several conversations on a socket.

use std::sync::atomic::Ordering;
use std::time::Duration;

use channel_client::client::Client;
use model::options::{GetFlags, GetOptions, PutFlags};
use model::reason::Reason;

use crate::calls::{any, get, put};
use crate::server::{Relay, Server, open};

#[tokio::test]
async fn connections_share_sockets_up_to_the_channels_limit() {
    let server = Server::sharing("QM1", 3, None).await;
    let client = Client::new(server.options()).unwrap();
    let mut connections = Vec::new();
    for _ in 0..7 {
        connections.push(client.connect().await.unwrap());
    }
    assert_eq!(server.accepted.load(Ordering::Relaxed), 3);
    for connection in &mut connections {
        let queue = open(connection, "Q").await;
        put(connection, queue, "shared", PutFlags::NO_SYNCPOINT).await;
    }
    assert_eq!(server.depth("Q"), 7);
    for connection in connections {
        connection.disconnect().await.unwrap();
    }
}

#[tokio::test]
async fn a_place_that_is_left_is_taken_by_the_next() {
    let server = Server::sharing("QM1", 2, None).await;
    let client = Client::new(server.options()).unwrap();
    let first = client.connect().await.unwrap();
    for _ in 0..5 {
        client.connect().await.unwrap().disconnect().await.unwrap();
    }
    assert_eq!(server.accepted.load(Ordering::Relaxed), 1);
    first.disconnect().await.unwrap();
    client.connect().await.unwrap();
    assert_eq!(server.accepted.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn a_channel_without_sharing_has_a_socket_for_each() {
    for asked in [0, 1] {
        let server = Server::sharing("QM1", asked, None).await;
        let client = Client::new(server.options()).unwrap();
        let (mut one, _two) = (client.connect().await.unwrap(), client.connect().await.unwrap());
        assert_eq!(server.accepted.load(Ordering::Relaxed), 2);
        let queue = open(&mut one, "Q").await;
        put(&mut one, queue, "alone", PutFlags::NO_SYNCPOINT).await;
        assert_eq!(get(&mut one, queue, GetFlags::NO_SYNCPOINT).await.unwrap(), "alone");
        one.disconnect().await.unwrap();
    }
}

#[tokio::test]
async fn a_get_that_waits_holds_up_nobody_else_on_its_socket() {
    let server = Server::start().await;
    let client = Client::new(server.options()).unwrap();
    let (mut waiting, mut busy) = (client.connect().await.unwrap(), client.connect().await.unwrap());
    assert_eq!(server.accepted.load(Ordering::Relaxed), 1);
    let queue = open(&mut waiting, "Q").await;
    let waiter = tokio::spawn(async move { get(&mut waiting, queue, GetFlags::WAIT | GetFlags::NO_SYNCPOINT).await });
    let reply = open(&mut busy, "REPLY").await;
    for _ in 0..20 {
        put(&mut busy, reply, "going on", PutFlags::NO_SYNCPOINT).await;
        assert_eq!(get(&mut busy, reply, GetFlags::NO_SYNCPOINT).await.unwrap(), "going on");
    }
    let queue = open(&mut busy, "Q").await;
    put(&mut busy, queue, "at last", PutFlags::NO_SYNCPOINT).await;
    let got = tokio::time::timeout(Duration::from_secs(300), waiter).await.unwrap().unwrap();
    assert_eq!(got.unwrap(), "at last");
}

/// On sockets of either kind; as long as heartbeats go to and fro, a get may wait for longer than they take.
#[tokio::test]
async fn a_queue_manager_that_falls_silent_is_given_up_and_one_that_sends_heartbeats_is_not() {
    for conversations in [10, 0] {
        let server = Server::beating(conversations).await;
        let relay = Relay::before(&server).await;
        let mut connection = relay.beating_client().connect().await.unwrap();
        let queue = open(&mut connection, "Q").await;
        let patient = GetOptions { wait: Some(Duration::from_secs(4)), ..any(GetFlags::WAIT) };
        let reason = connection.get(queue, &patient).await.unwrap_err().reason();
        assert_eq!(reason, Reason::NoMsgAvailable, "{conversations} conversations");
        relay.mute();
        let endless = GetOptions { wait: None, ..any(GetFlags::WAIT) };
        let given_up = tokio::time::timeout(Duration::from_secs(300), connection.get(queue, &endless)).await;
        assert_eq!(given_up.unwrap().unwrap_err().reason(), Reason::ConnectionBroken);
    }
}
