//! Conversations on one socket: none waits for another, and each ends alone.

use channel_protocol::flow::socket::SocketAction;
use channel_protocol::reply::Reply;
use channel_protocol::request::{Request, Verb};
use model::options::{GetFlags, PutFlags};

use crate::client::{Client, Server, any, message};
use crate::lost_client::wait_until;
use crate::put_get::BOTH;

/// A client with three connected conversations, each with Q open.
async fn three(server: &Server) -> (Client, [(u32, i32); 3]) {
    let mut client = server.connected().await;
    let mut open = [(1, 0), (3, 0), (5, 0)];
    for (conversation, handle) in &mut open {
        if *conversation > 1 {
            client.begin_conversation(*conversation).await;
            client.connect(*conversation, "QM1").await;
        }
        *handle = client.open(*conversation, "Q", BOTH).await;
    }
    (client, open)
}

fn waiting() -> Verb {
    let mut get = any(GetFlags::WAIT | GetFlags::NO_SYNCPOINT);
    get.options.wait_interval = -1;
    Verb::Get(get)
}

#[tokio::test]
async fn a_get_that_waits_delays_no_other_conversation() {
    let server = Server::start().await;
    let (mut client, [(one, first), (two, second), (three, third)]) = three(&server).await;
    client.send(one, &Request::Call(waiting().call_on(first))).await;
    client.send(two, &Request::Call(waiting().call_on(second))).await;
    assert_eq!(client.plain(three, Verb::Commit).await, 0);
    client.send_heartbeat().await;
    assert_eq!(client.put(three, third, message(b"a")).await.0, 0);
    assert_eq!(client.answer(one).await.ending.reason, 0);
    assert_eq!(client.put(three, third, message(b"b")).await.0, 0);
    assert_eq!(client.answer(two).await.ending.reason, 0);
}

#[tokio::test]
async fn requests_of_one_conversation_are_answered_in_order() {
    let server = Server::start().await;
    let (mut client, [(one, first), ..]) = three(&server).await;
    for data in [b"a", b"b", b"c"] {
        client.queue(one, &Request::Call(Verb::Put(message(data)).call_on(first)));
    }
    for _ in 0..3 {
        client.queue(one, &Request::Call(Verb::Get(any(GetFlags::NO_SYNCPOINT)).call_on(first)));
    }
    client.flush().await;
    let mut got = Vec::new();
    for _ in 0..6 {
        if let Reply::Answer(channel_protocol::reply::Answer {
            body: Some(channel_protocol::reply::AnswerBody::Get(get)),
            ..
        }) = client.receive(one).await
        {
            got.extend_from_slice(&get.data);
        }
    }
    assert_eq!(got, b"abc");
}

#[tokio::test]
async fn a_conversation_that_ends_backs_out_alone() {
    let server = Server::start().await;
    let (mut client, [(one, first), (two, second), _]) = three(&server).await;
    let mut put = message(b"x");
    put.options.flags = PutFlags::SYNCPOINT;
    client.put(one, first, put.clone()).await;
    client.put(two, second, put).await;
    client.send(one, &Request::SocketAction(SocketAction::end(one))).await;
    assert_eq!(client.plain(two, Verb::Commit).await, 0);
    wait_until(|| server.depth("Q") == 1).await;
    assert_eq!(server.queue_manager.connections().len(), 2);
}

#[tokio::test]
async fn a_waiting_conversation_can_be_ended() {
    let server = Server::start().await;
    let (mut client, [(one, first), (two, second), _]) = three(&server).await;
    client.send(one, &Request::Call(waiting().call_on(first))).await;
    client.send(one, &Request::SocketAction(SocketAction::end(one))).await;
    assert_eq!(client.put(two, second, message(b"x")).await.0, 0);
    let (reason, _) = client.get(two, second, any(GetFlags::NO_SYNCPOINT)).await;
    assert_eq!(reason, 0, "nobody took the message");
}

#[tokio::test]
async fn two_hundred_conversations_wait_on_twenty_sockets() {
    let server = Server::start().await;
    let mut clients = Vec::new();
    for _ in 0..20 {
        let mut client = server.connected().await;
        for conversation in (3..20).step_by(2) {
            client.begin_conversation(conversation).await;
            client.connect(conversation, "QM1").await;
        }
        for conversation in (1..20).step_by(2) {
            let queue = client.open(conversation, "Q", BOTH).await;
            client.send(conversation, &Request::Call(waiting().call_on(queue))).await;
        }
        clients.push(client);
    }
    let mut putter = server.connected().await;
    let queue = putter.open(1, "Q", BOTH).await;
    for _ in 0..200 {
        assert_eq!(putter.put(1, queue, message(b"x")).await.0, 0);
    }
    for client in &mut clients {
        for conversation in (1..20).step_by(2) {
            assert_eq!(client.answer(conversation).await.ending.reason, 0);
        }
    }
    assert_eq!(server.depth("Q"), 0);
}

#[tokio::test]
async fn for_a_partner_that_does_not_read_no_more_is_begun_than_fits() {
    const REQUESTS: u64 = 200;
    let server = Server::start().await;
    let (mut client, [(one, first), (two, second), _]) = three(&server).await;
    client.close(one, first).await;
    let queue = client.open(one, "Q", BOTH | model::options::OpenOptions::BROWSE).await;
    assert_eq!(client.put(two, second, message(&vec![b'x'; 64 * 1024])).await.0, 0);
    let mut browse = any(GetFlags::BROWSE_FIRST);
    browse.buffer_length = 64 * 1024;
    for _ in 0..REQUESTS {
        client.queue(one, &Request::Call(Verb::Get(browse.clone()).call_on(queue)));
    }
    client.flush().await;
    for _ in 0..10_000 {
        tokio::task::yield_now().await;
    }
    let browses = server.queue_manager.queue_status(&model::name::ObjectName::literal("Q")).unwrap().browses;
    assert!((1..30).contains(&browses), "{browses} replies of 64 KiB lie in memory");
    for _ in 0..REQUESTS {
        assert_eq!(client.answer(one).await.ending.reason, 0);
    }
    assert_eq!(client.plain(two, Verb::Commit).await, 0);
}
