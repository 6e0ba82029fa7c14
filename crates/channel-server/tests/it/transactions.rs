//! XA over the channel: calls of a transaction manager, and what they return.

use channel_protocol::flow::xa::{XaReply, XaRequest, XaVerb};
use channel_protocol::reply::Reply;
use channel_protocol::request::{Request, Verb};
use channel_protocol::structure::xid::Xid;
use model::options::PutFlags;

use crate::client::{Client, Server, message};
use crate::put_get::BOTH;

const NO_FLAGS: i32 = 0;
const SUSPEND: i32 = 0x0200_0000;
const SUCCESS: i32 = 0x0400_0000;
const ONE_PHASE: i32 = 0x4000_0000;
const START_SCAN: i32 = 0x0100_0000;
const END_SCAN: i32 = 0x0080_0000;

fn xid(number: u8) -> Xid {
    Xid { format: 5, global: b"global".to_vec(), branch: vec![number] }
}

async fn xa(client: &mut Client, verb: XaVerb, flags: i32) -> XaReply {
    let request = XaRequest { reply_length: 0, flags, resource_manager: 0, verb };
    client.send(1, &Request::Xa(request)).await;
    match client.receive(1).await {
        Reply::Xa(reply) => reply,
        other => panic!("no answer to an XA call: {other:?}"),
    }
}

async fn value(client: &mut Client, verb: XaVerb, flags: i32) -> i32 {
    xa(client, verb, flags).await.return_value
}

async fn put(client: &mut Client, queue: i32) -> i32 {
    let mut put = message(b"in a branch");
    put.options.flags = PutFlags::SYNCPOINT;
    client.put(1, queue, put).await.0
}

async fn put_that_fails_unanswered(client: &mut Client) {
    let mut refused = message(b"by a handle that is none");
    refused.options.flags = PutFlags::SYNCPOINT | PutFlags::ASYNC_RESPONSE;
    client.send(1, &Request::Call(Verb::Put(refused).call_on(999))).await;
}

#[tokio::test]
async fn a_branch_goes_through_prepare_recover_and_commit() {
    let server = Server::start().await;
    let mut client = server.connected().await;
    let queue = client.open(1, "Q", BOTH).await;
    assert_eq!(value(&mut client, XaVerb::Open(b"QM1"[..].into()), NO_FLAGS).await, 0);
    assert_eq!(value(&mut client, XaVerb::Start(xid(1)), NO_FLAGS).await, 0);
    assert_eq!(put(&mut client, queue).await, 0);
    assert_eq!(client.plain(1, Verb::Commit).await, 2012);
    assert_eq!(value(&mut client, XaVerb::End(xid(1)), SUCCESS).await, 0);
    assert_eq!(value(&mut client, XaVerb::Prepare(xid(1)), NO_FLAGS).await, 0);
    let found = xa(&mut client, XaVerb::Recover { wanted: 10 }, START_SCAN | END_SCAN).await;
    assert_eq!((found.return_value, found.recovered), (1, Some(vec![xid(1)])));
    assert_eq!(value(&mut client, XaVerb::Commit(xid(1)), NO_FLAGS).await, 0);
    assert_eq!(value(&mut client, XaVerb::Close(b"QM1"[..].into()), NO_FLAGS).await, 0);
    assert_eq!(server.depth("Q"), 1);
}

#[tokio::test]
async fn a_recovery_scan_goes_on_where_it_stood() {
    let server = Server::start().await;
    let mut client = server.connected().await;
    let queue = client.open(1, "Q", BOTH).await;
    for number in 0..5 {
        value(&mut client, XaVerb::Start(xid(number)), NO_FLAGS).await;
        put(&mut client, queue).await;
        value(&mut client, XaVerb::End(xid(number)), SUCCESS).await;
        assert_eq!(value(&mut client, XaVerb::Prepare(xid(number)), NO_FLAGS).await, 0);
    }
    let mut found = Vec::new();
    for (flags, expected) in [(START_SCAN, 2), (NO_FLAGS, 2), (NO_FLAGS, 1), (END_SCAN, 0)] {
        let reply = xa(&mut client, XaVerb::Recover { wanted: 2 }, flags).await;
        assert_eq!(reply.return_value, expected);
        found.extend(reply.recovered.unwrap());
    }
    assert_eq!(found, (0..5).map(xid).collect::<Vec<_>>());
}

#[tokio::test]
async fn refusals_have_the_published_numbers() {
    let server = Server::start().await;
    let mut client = server.connected().await;
    let queue = client.open(1, "Q", BOTH).await;
    assert_eq!(value(&mut client, XaVerb::Commit(xid(1)), NO_FLAGS).await, -4);
    assert_eq!(value(&mut client, XaVerb::Start(xid(1)), NO_FLAGS).await, 0);
    assert_eq!(value(&mut client, XaVerb::Start(xid(2)), NO_FLAGS).await, -6);
    assert_eq!(value(&mut client, XaVerb::End(xid(1)), SUCCESS).await, 0);
    assert_eq!(value(&mut client, XaVerb::Prepare(xid(1)), NO_FLAGS).await, 3);
    assert_eq!(put(&mut client, queue).await, 0);
    assert_eq!(value(&mut client, XaVerb::Start(xid(1)), NO_FLAGS).await, -9);
    assert_eq!(client.plain(1, Verb::BackOut).await, 0);
    assert_eq!(value(&mut client, XaVerb::Start(xid(1)), NO_FLAGS).await, 0);
    put(&mut client, queue).await;
    assert_eq!(value(&mut client, XaVerb::End(xid(1)), SUCCESS).await, 0);
    assert_eq!(value(&mut client, XaVerb::Commit(xid(1)), ONE_PHASE).await, 0);
    assert_eq!(value(&mut client, XaVerb::Complete, NO_FLAGS).await, -5);
    assert_eq!(server.depth("Q"), 1);
}

#[tokio::test]
async fn before_mqconn_the_resource_manager_is_not_there() {
    let server = Server::start().await;
    let mut client = server.client().await;
    assert_eq!(value(&mut client, XaVerb::Start(xid(1)), NO_FLAGS).await, -7);
}

#[tokio::test]
async fn a_lost_client_leaves_prepared_branches_alone() {
    let server = Server::start().await;
    let mut client = server.connected().await;
    let queue = client.open(1, "Q", BOTH).await;
    for number in [1, 2] {
        value(&mut client, XaVerb::Start(xid(number)), NO_FLAGS).await;
        put(&mut client, queue).await;
        value(&mut client, XaVerb::End(xid(number)), SUCCESS).await;
    }
    assert_eq!(value(&mut client, XaVerb::Prepare(xid(1)), NO_FLAGS).await, 0);
    drop(client);
    let mut other = server.connected().await;
    let found = xa(&mut other, XaVerb::Recover { wanted: 10 }, START_SCAN | END_SCAN).await;
    assert_eq!(found.recovered, Some(vec![xid(1)]));
    assert_eq!(value(&mut other, XaVerb::Commit(xid(1)), NO_FLAGS).await, 0);
    let deadline = tokio::time::Instant::now() + crate::client::SOON;
    while value(&mut other, XaVerb::Rollback(xid(2)), NO_FLAGS).await != -4 {
        assert!(tokio::time::Instant::now() < deadline, "the other branch ends with its client");
    }
}

#[tokio::test]
async fn a_branch_with_a_put_that_failed_unanswered_may_only_be_rolled_back() {
    let server = Server::start().await;
    let mut client = server.connected().await;
    let queue = client.open(1, "Q", BOTH).await;
    assert_eq!(value(&mut client, XaVerb::Start(xid(1)), NO_FLAGS).await, 0);
    assert_eq!(put(&mut client, queue).await, 0);
    put_that_fails_unanswered(&mut client).await;
    assert_eq!(value(&mut client, XaVerb::End(xid(1)), SUCCESS).await, 100);
    assert_eq!(value(&mut client, XaVerb::Prepare(xid(1)), NO_FLAGS).await, 100);
    assert_eq!(server.depth("Q"), 0);
    assert_eq!(value(&mut client, XaVerb::Start(xid(2)), NO_FLAGS).await, 0);
    assert_eq!(put(&mut client, queue).await, 0);
    assert_eq!(value(&mut client, XaVerb::End(xid(2)), SUCCESS).await, 0);
    assert_eq!(value(&mut client, XaVerb::Commit(xid(2)), ONE_PHASE).await, 0);
    assert_eq!(server.depth("Q"), 1);
}

#[tokio::test]
async fn a_put_that_failed_unanswered_spoils_its_own_branch_and_no_other() {
    let server = Server::start().await;
    let mut client = server.connected().await;
    let queue = client.open(1, "Q", BOTH).await;
    assert_eq!(value(&mut client, XaVerb::Start(xid(1)), NO_FLAGS).await, 0);
    assert_eq!(put(&mut client, queue).await, 0);
    put_that_fails_unanswered(&mut client).await;
    assert_eq!(value(&mut client, XaVerb::End(xid(1)), SUSPEND).await, 100);
    assert_eq!(value(&mut client, XaVerb::Start(xid(2)), NO_FLAGS).await, 0);
    assert_eq!(put(&mut client, queue).await, 0);
    assert_eq!(value(&mut client, XaVerb::End(xid(2)), SUCCESS).await, 0);
    assert_eq!(value(&mut client, XaVerb::Commit(xid(2)), ONE_PHASE).await, 0);
    assert_eq!(value(&mut client, XaVerb::Prepare(xid(1)), NO_FLAGS).await, 100);
    assert_eq!(server.depth("Q"), 1);
}

#[tokio::test]
async fn calls_that_end_no_branch_leave_it_spoilt() {
    let server = Server::start().await;
    let mut client = server.connected().await;
    let queue = client.open(1, "Q", BOTH).await;
    for ends_nothing in [Verb::Commit, Verb::BackOut] {
        assert_eq!(value(&mut client, XaVerb::Start(xid(1)), NO_FLAGS).await, 0);
        assert_eq!(put(&mut client, queue).await, 0);
        put_that_fails_unanswered(&mut client).await;
        assert_eq!(client.plain(1, ends_nothing).await, 2012);
        assert_eq!(value(&mut client, XaVerb::End(xid(2)), SUCCESS).await, -4);
        assert_eq!(value(&mut client, XaVerb::End(xid(1)), SUCCESS | SUSPEND).await, -5);
        assert_eq!(value(&mut client, XaVerb::End(xid(1)), SUCCESS).await, 100);
        assert_eq!(value(&mut client, XaVerb::Rollback(xid(1)), NO_FLAGS).await, 0);
    }
    assert_eq!(server.depth("Q"), 0);
}

#[tokio::test]
async fn a_put_that_failed_unanswered_outside_a_branch_spoils_the_unit_of_work_there() {
    let server = Server::start().await;
    let mut client = server.connected().await;
    let queue = client.open(1, "Q", BOTH).await;
    put_that_fails_unanswered(&mut client).await;
    assert_eq!(value(&mut client, XaVerb::Start(xid(1)), NO_FLAGS).await, 0);
    assert_eq!(put(&mut client, queue).await, 0);
    assert_eq!(value(&mut client, XaVerb::End(xid(1)), SUCCESS).await, 0);
    assert_eq!(value(&mut client, XaVerb::Commit(xid(1)), ONE_PHASE).await, 0);
    assert_eq!(client.plain(1, Verb::Commit).await, 2003);
    assert_eq!(server.depth("Q"), 1);
}
