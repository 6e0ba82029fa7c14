//! Branches of global transactions.

use bytes::Bytes;
use channel_client::client::Client;
use channel_client::connection::Connection;
use channel_client::connection::consume::ReadAhead;
use channel_client::connection::xa::{self, Prepared, XaFlags};
use channel_client::error::ChannelError;
use channel_client::reconnect::Reconnect;
use channel_protocol::structure::xid::Xid;
use model::descriptor::{MessageDescriptor, Persistence};
use model::options::{GetFlags, PutFlags};
use model::reason::Reason;

use crate::calls::{any, get, put, text, with};
use crate::server::{Server, open};

fn xid(number: u8) -> Xid {
    Xid { format: 17, global: b"global".to_vec(), branch: vec![number] }
}

/// A branch with a persistent message in it, ended.
async fn branch(connection: &mut Connection, number: u8) -> Xid {
    let xid = xid(number);
    let queue = open(connection, "Q").await;
    connection.xa_start(&xid, XaFlags::empty()).await.unwrap();
    let persistent = MessageDescriptor { persistence: Persistence::Persistent, ..text() };
    connection.put(queue, persistent, &with(PutFlags::SYNCPOINT), Bytes::from_static(b"in it")).await.unwrap();
    connection.xa_end(&xid, XaFlags::SUCCESS).await.unwrap();
    xid
}

fn code(error: &ChannelError) -> i32 {
    match error {
        ChannelError::Xa { code, .. } => *code,
        other => panic!("not of XA: {other}"),
    }
}

#[tokio::test]
async fn a_branch_is_prepared_found_by_another_connection_and_committed_there() {
    let server = Server::start().await;
    let mut first = server.connected().await;
    first.xa_open().await.unwrap();
    let xid = branch(&mut first, 1).await;
    assert_eq!(first.xa_prepare(&xid).await.unwrap(), Prepared::Ready);
    drop(first);
    let mut other = server.connected().await;
    let queue = open(&mut other, "Q").await;
    assert_eq!(get(&mut other, queue, GetFlags::NO_SYNCPOINT).await, Err(Reason::NoMsgAvailable));
    assert_eq!(other.xa_recover().await.unwrap(), std::slice::from_ref(&xid));
    other.xa_commit(&xid, false).await.unwrap();
    assert_eq!(get(&mut other, queue, GetFlags::NO_SYNCPOINT).await.unwrap(), "in it");
    assert!(other.xa_recover().await.unwrap().is_empty());
    other.xa_close().await.unwrap();
}

#[tokio::test]
async fn branches_are_committed_in_one_phase_rolled_back_and_suspended() {
    let server = Server::start().await;
    let mut connection = server.connected().await;
    let one = branch(&mut connection, 1).await;
    connection.xa_commit(&one, true).await.unwrap();
    let two = branch(&mut connection, 2).await;
    connection.xa_rollback(&two).await.unwrap();
    assert_eq!(server.depth("Q"), 1);
    let queue = open(&mut connection, "Q").await;
    let three = xid(3);
    connection.xa_start(&three, XaFlags::empty()).await.unwrap();
    assert_eq!(get(&mut connection, queue, GetFlags::SYNCPOINT).await.unwrap(), "in it");
    connection.xa_end(&three, XaFlags::SUSPEND).await.unwrap();
    put(&mut connection, queue, "beside it", PutFlags::SYNCPOINT).await;
    connection.back_out().await.unwrap();
    connection.xa_start(&three, XaFlags::RESUME).await.unwrap();
    connection.xa_end(&three, XaFlags::FAIL).await.unwrap_or_default();
    let refused = connection.xa_prepare(&three).await.unwrap_err();
    assert_eq!((code(&refused), refused.reason()), (xa::XA_RBROLLBACK, Reason::BackedOut));
    assert_eq!(get(&mut connection, queue, GetFlags::NO_SYNCPOINT).await.unwrap(), "in it");
    assert_eq!(get(&mut connection, queue, GetFlags::NO_SYNCPOINT).await, Err(Reason::NoMsgAvailable));
}

#[tokio::test]
async fn an_empty_branch_is_read_only_and_over() {
    let server = Server::start().await;
    let mut connection = server.connected().await;
    connection.xa_start(&xid(1), XaFlags::empty()).await.unwrap();
    connection.xa_end(&xid(1), XaFlags::SUCCESS).await.unwrap();
    assert_eq!(connection.xa_prepare(&xid(1)).await.unwrap(), Prepared::ReadOnly);
    let over = connection.xa_commit(&xid(1), false).await.unwrap_err();
    assert_eq!(over.to_string(), "xa_commit returned -4 (XAER_NOTA)");
}

#[tokio::test]
async fn what_is_returned_has_the_published_number() {
    let server = Server::start().await;
    let mut connection = server.connected().await;
    let known = branch(&mut connection, 1).await;
    let again = connection.xa_start(&known, XaFlags::empty()).await.unwrap_err();
    assert_eq!((code(&again), again.reason()), (xa::XAER_DUPID, Reason::UnexpectedError));
    assert_eq!(code(&connection.xa_end(&xid(9), XaFlags::SUCCESS).await.unwrap_err()), xa::XAER_NOTA);
    assert_eq!(code(&connection.xa_forget(&xid(9)).await.unwrap_err()), xa::XAER_NOTA);
    let queue = open(&mut connection, "Q").await;
    put(&mut connection, queue, "of its own", PutFlags::SYNCPOINT).await;
    assert_eq!(code(&connection.xa_start(&xid(2), XaFlags::empty()).await.unwrap_err()), xa::XAER_OUTSIDE);
}

#[tokio::test]
async fn a_scan_of_many_branches_finds_all() {
    let server = Server::start().await;
    let mut connection = server.connected().await;
    for number in 0..=100 {
        let xid = branch(&mut connection, number).await;
        connection.xa_prepare(&xid).await.unwrap();
    }
    let mut found: Vec<u8> = connection.xa_recover().await.unwrap().iter().map(|xid| xid.branch[0]).collect();
    found.sort_unstable();
    assert!(found.into_iter().eq(0..=100));
}

#[tokio::test]
async fn a_consumer_works_in_a_branch() {
    let server = Server::start().await;
    let mut connection = server.connected().await;
    let one = branch(&mut connection, 1).await;
    connection.xa_commit(&one, true).await.unwrap();
    let queue = open(&mut connection, "Q").await;
    connection.consume(queue, &any(GetFlags::SYNCPOINT), ReadAhead::Off).await.unwrap();
    for (number, flags) in [(2, XaFlags::FAIL), (3, XaFlags::SUCCESS)] {
        connection.xa_start(&xid(number), XaFlags::empty()).await.unwrap();
        assert_eq!(connection.next_message().await.unwrap().got.body, "in it");
        drop(connection.xa_end(&xid(number), flags).await);
        if flags == XaFlags::FAIL {
            connection.xa_rollback(&xid(number)).await.unwrap();
        } else {
            connection.xa_commit(&xid(number), true).await.unwrap();
        }
    }
    assert_eq!(server.depth("Q"), 0);
}

#[tokio::test]
async fn a_connection_that_reconnects_takes_no_part() {
    let server = Server::start().await;
    let mut options = server.options();
    options.reconnect = Reconnect::Any;
    let mut connection = Client::new(options).unwrap().connect().await.unwrap();
    let refused = connection.xa_start(&xid(1), XaFlags::empty()).await.unwrap_err();
    assert_eq!(refused.reason(), Reason::ReconnectIncompatible);
}
