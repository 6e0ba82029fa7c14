//! Partners that break the protocol: told how where that can be, closed, and of no consequence to others.

use std::time::Duration;

use channel_protocol::flow::status::StatusCode;
use channel_protocol::form::Form;
use channel_protocol::reply::Reply;
use channel_protocol::request::{Request, Verb};
use model::options::{GetFlags, PutFlags};

use crate::admission::Settings;
use crate::client::{Client, Options, Server, any, message};
use crate::put_get::BOTH;

/// The codes of the STATUS segments that come until the socket is closed.
async fn codes(client: &mut Client) -> Vec<u32> {
    let mut codes = Vec::new();
    while let Some(unit) = client.receive_unit().await {
        if let Ok(Reply::Status(status)) = Reply::decode(&unit) {
            codes.push(status.code.map_or(0, |code| code.0));
        }
    }
    codes
}

/// A segment of a conversation: identifier, stated length, type, flags, body.
fn segment(length: u32, segment_type: u8, flags: u8, body: &[u8]) -> Vec<u8> {
    let mut bytes = b"TSHM".to_vec();
    bytes.extend_from_slice(&length.to_be_bytes());
    bytes.extend_from_slice(&[0, 0, 0, 1, 0, 0, 0, 0, 1, segment_type, flags, 0]);
    bytes.extend_from_slice(&[0; 8]);
    bytes.extend_from_slice(&[0, 0, 1, 17, 3, 51, 0, 0]);
    bytes.extend_from_slice(body);
    bytes
}

#[tokio::test]
async fn what_is_no_channel_is_closed() {
    let server = Server::start().await;
    for garbage in [&b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"[..], &[0; 400], &[0xFF; 400]] {
        let mut client = Client::begin(server.socket(), Form::BIG);
        client.send_raw(garbage).await;
        assert_eq!(codes(&mut client).await, [StatusCode::IDENTIFIER.0]);
    }
    let mut client = Client::begin(server.socket(), Form::BIG);
    client.send_raw(&segment(36, 0x8A, 0x30, &[])).await;
    assert_eq!(codes(&mut client).await, [StatusCode::SEGMENT_TYPE.0]);
}

#[tokio::test]
async fn wrong_segments_end_their_own_socket_only() {
    let server = Server::start().await;
    let mut other = server.connected().await;
    let theirs = other.open(1, "Q", BOTH).await;
    let huge = 2_147_483_648_u32;
    for (bytes, code) in [
        (b"GARBAGE!".to_vec(), StatusCode::IDENTIFIER),
        (segment(huge, 0x86, 0x30, &[]), StatusCode::SEGMENT_LENGTH),
        (segment(35, 0x86, 0x30, &[]), StatusCode::SEGMENT_LENGTH),
        (segment(36, 0x77, 0x30, &[]), StatusCode::SEGMENT_TYPE),
        (segment(36, 0x91, 0x30, &[]), StatusCode::SEGMENT_TYPE),
        (segment(36, 0x86, 0x20, &[]), StatusCode::SEGMENT),
        (segment(36, 0x86, 0x30, &[]), StatusCode::DATA_LENGTH),
        (segment(52, 0x86, 0x30, &[0; 16]), StatusCode::DATA_LENGTH),
        (segment(36, 0x0C, 0x30, &[]), StatusCode::DATA_LENGTH),
    ] {
        let mut client = server.connected().await;
        client.send_raw(&bytes).await;
        assert_eq!(codes(&mut client).await, [code.0], "{bytes:02x?}");
    }
    assert_eq!(other.put(1, theirs, message(b"x")).await.0, 0);
    assert_eq!(other.get(1, theirs, any(GetFlags::NO_SYNCPOINT)).await.0, 0);
}

#[tokio::test]
async fn a_data_length_beyond_the_segment_ends_the_socket() {
    let server = Server::start().await;
    let mut client = server.connected().await;
    let queue = client.open(1, "Q", BOTH).await;
    let mut bytes = client.bytes_of(1, &Request::Call(Verb::Put(message(b"12345678")).call_on(queue)));
    let at = bytes.len() - 12;
    bytes[at..at + 4].copy_from_slice(&1_000_000_i32.to_be_bytes());
    client.send_raw(&bytes).await;
    assert_eq!(codes(&mut client).await, [StatusCode::DATA_LENGTH.0]);
    assert_eq!(server.depth("Q"), 0);
}

#[tokio::test]
async fn a_call_longer_than_the_channel_takes_ends_the_socket() {
    let server = Server::start().await;
    let mut client = server.connected().await;
    let queue = client.open(1, "Q", BOTH).await;
    client.queue(1, &Request::Call(Verb::Put(message(&vec![0; 17 << 20])).call_on(queue)));
    // The server may close before all is sent.
    let _ = tokio::time::timeout(crate::client::SOON, client.try_flush()).await;
    assert_eq!(codes(&mut client).await, [StatusCode::SEGMENT_LENGTH.0]);
}

#[tokio::test]
async fn a_conversation_that_was_never_begun_ends_the_socket() {
    let server = Server::start().await;
    let mut client = server.connected().await;
    client.send(9, &Request::Call(Verb::Commit.call())).await;
    assert_eq!(codes(&mut client).await, [StatusCode::SEGMENT_TYPE.0]);
}

#[tokio::test]
async fn a_stream_may_be_cut_anywhere() {
    let server = Server::start().await;
    let mut client = server.client().await;
    for _ in 0..3 {
        for byte in client.bytes_of(1, &Request::Call(Verb::Commit.call())) {
            client.send_raw(&[byte]).await;
            tokio::task::yield_now().await;
        }
    }
    for _ in 0..3 {
        assert_eq!(client.answer(1).await.ending.reason, 2018);
    }
}

#[tokio::test]
async fn half_a_segment_and_an_end_leave_nothing_behind() {
    let server = Server::start().await;
    let mut client = server.connected().await;
    client.send_raw(&segment(5000, 0x86, 0x30, &[0; 100])).await;
    drop(client);
    crate::lost_client::wait_until(|| server.queue_manager.connections().is_empty()).await;
}

/// On sockets of either kind: the heartbeats find it out, and what was under way is backed out.
#[tokio::test(start_paused = true)]
async fn half_a_segment_and_silence_end_their_own_socket_only() {
    for conversations in [10, 0] {
        let server = Server::with(Settings { heartbeat: Duration::from_secs(1), ..Settings::default() }).await;
        let mut silent = server.client_with(Options { conversations, ..Options::default() }).await;
        silent.connect(1, "QM1").await;
        let queue = silent.open(1, "Q", BOTH).await;
        let mut put = message(b"under way");
        put.options.flags = PutFlags::SYNCPOINT;
        assert_eq!(silent.put(1, queue, put.clone()).await.0, 0);
        let bytes = silent.bytes_of(1, &Request::Call(Verb::Put(put).call_on(queue)));
        silent.send_raw(&bytes[..bytes.len() / 2]).await;
        let mut other = server.connected().await;
        let theirs = other.open(1, "Q", BOTH).await;
        let mut get = any(GetFlags::WAIT);
        get.options.wait_interval = 10_000;
        assert_eq!(other.get(1, theirs, get).await.0, 2033);
        assert_eq!(server.queue_manager.connections().len(), 1, "{conversations} conversations");
        assert!(codes(&mut silent).await.is_empty());
        assert_eq!(other.put(1, theirs, message(b"x")).await.0, 0);
        assert_eq!(server.depth("Q"), 1);
    }
}

/// Whatever length is stated, in the first segment as in later ones: nothing is waited for.
#[tokio::test]
async fn lengths_beyond_all_bounds_end_the_socket_at_once() {
    let server = Server::start().await;
    let mut other = server.connected().await;
    for length in [(1 << 20) + 1, 0x7FFF_FFFF, 0x8000_0000, u32::MAX] {
        for identifier in [b"TSH ", b"TSHC", b"TSHM"] {
            let mut bytes = segment(length, 0x86, 0x30, &[0; 50]);
            bytes[..4].copy_from_slice(identifier);
            let mut first = Client::begin(server.socket(), Form::BIG);
            first.send_raw(&bytes).await;
            assert_eq!(codes(&mut first).await, [StatusCode::SEGMENT_LENGTH.0], "{length}");
            let mut later = server.connected().await;
            later.send_raw(&bytes).await;
            assert_eq!(codes(&mut later).await, [StatusCode::SEGMENT_LENGTH.0], "{length}");
        }
    }
    let theirs = other.open(1, "Q", BOTH).await;
    assert_eq!(other.put(1, theirs, message(b"x")).await.0, 0);
}

#[tokio::test]
async fn a_partner_that_offers_too_little_is_refused() {
    let server = Server::start().await;
    let mut client = Client::begin(server.socket(), Form::BIG);
    client.send_initial(&Options { maximum_transmission: 100, ..Options::default() }).await;
    assert_eq!(codes(&mut client).await, [StatusCode::DATA.0]);
}
