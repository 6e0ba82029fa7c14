//! XA: states of branches, who may do what, and what becomes of a branch whose connection is lost.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use model::definition::QueueDefinition;
use model::descriptor::MessageDescriptor;
use model::options::{GetFlags, GetOptions, ObjectDescriptor, OpenOptions, PutFlags, PutOptions};
use model::reason::Reason;
use queue_manager::connection::ObjectHandle;
use queue_manager::{Connection, QueueManager, XaError, XaFlags};
use storage::Xid;

use crate::script::{EVERYTHING, FakeClock, administrator, connect, ephemeral, name};

fn xid(number: u8) -> Xid {
    Xid { format_id: 1, global_transaction: vec![1, 2, 3], branch: vec![number] }
}

async fn bench() -> (QueueManager, Connection) {
    let queue_manager = ephemeral(FakeClock::new());
    queue_manager.define_queue(&administrator(), QueueDefinition::local(name("Q")), false).await.unwrap();
    let connection = connect(&queue_manager, administrator());
    (queue_manager, connection)
}

fn queue() -> ObjectDescriptor {
    ObjectDescriptor { name: name("Q"), ..ObjectDescriptor::default() }
}

async fn put(connection: &Connection, text: &str) {
    let options = PutOptions { flags: PutFlags::SYNCPOINT, context: None };
    let body = Bytes::copy_from_slice(text.as_bytes());
    connection.put1(&administrator(), &queue(), MessageDescriptor::default(), &options, body).await.unwrap();
}

async fn open(connection: &Connection) -> ObjectHandle {
    connection.open(&administrator(), &queue(), EVERYTHING).await.unwrap().handle
}

/// What another connection can get, outside a unit of work.
async fn visible(queue_manager: &QueueManager) -> Vec<String> {
    let connection = connect(queue_manager, administrator());
    let handle = connection.open(&administrator(), &queue(), OpenOptions::BROWSE).await.unwrap().handle;
    let options = GetOptions { flags: GetFlags::BROWSE_NEXT, ..GetOptions::default() };
    let mut seen = Vec::new();
    while let Ok(got) = connection.get(handle, &options).await {
        seen.push(String::from_utf8_lossy(&got.body).into_owned());
    }
    seen
}

const NO_FLAGS: XaFlags = XaFlags::empty();

#[tokio::test]
async fn a_branch_is_prepared_and_committed() {
    let (queue_manager, connection) = bench().await;
    connection.xa_start(&xid(1), NO_FLAGS).unwrap();
    put(&connection, "A").await;
    assert_eq!(connection.commit().await, Err(Reason::EnvironmentError));
    assert_eq!(connection.back_out().await, Err(Reason::EnvironmentError));
    connection.xa_end(&xid(1), XaFlags::SUCCESS).unwrap();
    assert_eq!(connection.xa_prepare(&xid(1)).await, Ok(true));
    assert_eq!(connection.xa_recover().await.unwrap(), [xid(1)]);
    assert!(visible(&queue_manager).await.is_empty());
    connection.xa_commit(&xid(1), false).await.unwrap();
    assert_eq!(visible(&queue_manager).await, ["A"]);
    assert!(connection.xa_recover().await.unwrap().is_empty());
}

#[tokio::test]
async fn one_connection_works_on_branch_after_branch_and_they_end_in_any_order() {
    let (queue_manager, connection) = bench().await;
    for number in 1..=4 {
        connection.xa_start(&xid(number), NO_FLAGS).unwrap();
        put(&connection, &number.to_string()).await;
        connection.xa_end(&xid(number), XaFlags::SUCCESS).unwrap();
    }
    put(&connection, "own").await;
    connection.xa_commit(&xid(3), true).await.unwrap();
    connection.xa_rollback(&xid(2)).await.unwrap();
    assert_eq!(visible(&queue_manager).await, ["3"]);
    connection.commit().await.unwrap();
    assert_eq!(connection.xa_prepare(&xid(1)).await, Ok(true));
    connection.xa_rollback(&xid(1)).await.unwrap();
    connection.xa_commit(&xid(4), true).await.unwrap();
    assert_eq!(visible(&queue_manager).await, ["3", "4", "own"]);
}

#[tokio::test]
async fn a_suspended_branch_is_resumed_and_an_idle_one_joined_by_another_connection() {
    let (queue_manager, connection) = bench().await;
    let other = connect(&queue_manager, administrator());
    connection.xa_start(&xid(1), NO_FLAGS).unwrap();
    put(&connection, "A").await;
    connection.xa_end(&xid(1), XaFlags::SUSPEND).unwrap();
    put(&connection, "own").await;
    connection.commit().await.unwrap();
    assert_eq!(other.xa_start(&xid(1), XaFlags::JOIN), Err(XaError::Protocol));
    connection.xa_start(&xid(1), XaFlags::RESUME).unwrap();
    put(&connection, "B").await;
    assert_eq!(other.xa_start(&xid(1), XaFlags::JOIN), Err(XaError::Protocol));
    connection.xa_end(&xid(1), XaFlags::SUCCESS).unwrap();
    other.xa_start(&xid(1), XaFlags::JOIN).unwrap();
    put(&other, "C").await;
    other.xa_end(&xid(1), XaFlags::SUCCESS).unwrap();
    assert_eq!(other.xa_prepare(&xid(1)).await, Ok(true));
    connection.xa_commit(&xid(1), false).await.unwrap();
    assert_eq!(visible(&queue_manager).await, ["A", "own", "B", "C"]);
}

#[tokio::test]
async fn a_suspended_branch_may_be_ended_without_being_resumed() {
    let (_queue_manager, connection) = bench().await;
    connection.xa_start(&xid(1), NO_FLAGS).unwrap();
    put(&connection, "A").await;
    connection.xa_end(&xid(1), XaFlags::SUSPEND).unwrap();
    assert_eq!(connection.xa_prepare(&xid(1)).await, Err(XaError::Protocol));
    connection.xa_end(&xid(1), XaFlags::SUCCESS).unwrap();
    connection.xa_commit(&xid(1), true).await.unwrap();
}

#[tokio::test]
async fn calls_in_the_wrong_state_are_refused_and_change_nothing() {
    let (queue_manager, connection) = bench().await;
    assert_eq!(connection.xa_end(&xid(1), XaFlags::SUCCESS), Err(XaError::UnknownBranch));
    assert_eq!(connection.xa_prepare(&xid(1)).await, Err(XaError::UnknownBranch));
    assert_eq!(connection.xa_commit(&xid(1), false).await, Err(XaError::UnknownBranch));
    assert_eq!(connection.xa_rollback(&xid(1)).await, Err(XaError::UnknownBranch));
    assert_eq!(connection.xa_forget(&xid(1)).await, Err(XaError::UnknownBranch));
    assert_eq!(connection.xa_start(&xid(1), XaFlags::JOIN), Err(XaError::UnknownBranch));
    assert_eq!(connection.xa_start(&xid(1), XaFlags::JOIN | XaFlags::RESUME), Err(XaError::Invalid));
    connection.xa_start(&xid(1), NO_FLAGS).unwrap();
    put(&connection, "A").await;
    assert_eq!(connection.xa_start(&xid(2), NO_FLAGS), Err(XaError::Protocol));
    assert_eq!(connection.xa_end(&xid(1), NO_FLAGS), Err(XaError::Invalid));
    assert_eq!(connection.xa_prepare(&xid(1)).await, Err(XaError::Protocol));
    assert_eq!(connection.xa_commit(&xid(1), true).await, Err(XaError::Protocol));
    assert_eq!(connection.xa_rollback(&xid(1)).await, Err(XaError::Protocol));
    let other = connect(&queue_manager, administrator());
    assert_eq!(other.xa_start(&xid(1), NO_FLAGS), Err(XaError::DuplicateBranch));
    assert_eq!(other.xa_end(&xid(1), XaFlags::SUCCESS), Err(XaError::Protocol));
    connection.xa_end(&xid(1), XaFlags::SUCCESS).unwrap();
    assert_eq!(connection.xa_commit(&xid(1), false).await, Err(XaError::Protocol));
    assert_eq!(connection.xa_prepare(&xid(1)).await, Ok(true));
    assert_eq!(connection.xa_prepare(&xid(1)).await, Err(XaError::Protocol));
    assert_eq!(connection.xa_commit(&xid(1), true).await, Err(XaError::Protocol));
    assert_eq!(connection.xa_forget(&xid(1)).await, Err(XaError::Protocol));
    assert_eq!(connection.xa_start(&xid(1), NO_FLAGS), Err(XaError::DuplicateBranch));
    connection.xa_commit(&xid(1), false).await.unwrap();
    assert_eq!(visible(&queue_manager).await, ["A"]);
}

#[tokio::test]
async fn a_branch_cannot_begin_in_the_middle_of_other_work_and_an_empty_one_is_read_only() {
    let (_queue_manager, connection) = bench().await;
    put(&connection, "own").await;
    assert_eq!(connection.xa_start(&xid(1), NO_FLAGS), Err(XaError::Outside));
    connection.commit().await.unwrap();
    for number in [1, 2] {
        connection.xa_start(&xid(number), NO_FLAGS).unwrap();
        connection.xa_end(&xid(number), XaFlags::SUCCESS).unwrap();
    }
    assert_eq!(connection.xa_prepare(&xid(1)).await, Ok(false));
    assert_eq!(connection.xa_commit(&xid(1), false).await, Err(XaError::UnknownBranch));
    connection.xa_commit(&xid(2), true).await.unwrap();
}

#[tokio::test]
async fn a_branch_whose_work_failed_is_rolled_back_whatever_is_asked() {
    let (queue_manager, connection) = bench().await;
    for (number, one_phase) in [(1, true), (2, false)] {
        connection.xa_start(&xid(number), NO_FLAGS).unwrap();
        put(&connection, "lost").await;
        connection.xa_end(&xid(number), XaFlags::FAIL).unwrap();
        assert_eq!(connection.xa_start(&xid(number), XaFlags::JOIN), Err(XaError::RolledBack));
        let ended = if one_phase {
            connection.xa_commit(&xid(number), true).await
        } else {
            connection.xa_prepare(&xid(number)).await.map(drop)
        };
        assert_eq!(ended, Err(XaError::RolledBack));
        assert_eq!(connection.xa_rollback(&xid(number)).await, Err(XaError::UnknownBranch));
    }
    assert!(visible(&queue_manager).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_lost_connection_takes_its_unprepared_branches_with_it() {
    let (queue_manager, connection) = bench().await;
    put(&connection, "A").await;
    put(&connection, "B").await;
    connection.commit().await.unwrap();
    let doomed = connect(&queue_manager, administrator());
    let handle = open(&doomed).await;
    let options = GetOptions { flags: GetFlags::SYNCPOINT, ..GetOptions::default() };
    doomed.xa_start(&xid(1), NO_FLAGS).unwrap();
    doomed.get(handle, &options).await.unwrap();
    doomed.xa_end(&xid(1), XaFlags::SUCCESS).unwrap();
    doomed.xa_start(&xid(2), NO_FLAGS).unwrap();
    doomed.get(handle, &options).await.unwrap();
    assert!(visible(&queue_manager).await.is_empty());
    drop(doomed);
    let _ = tokio::time::timeout(Duration::from_millis(50), queue_manager.run()).await;
    assert_eq!(visible(&queue_manager).await, ["A", "B"]);
    assert_eq!(connection.xa_prepare(&xid(1)).await, Err(XaError::UnknownBranch));
    assert_eq!(connection.xa_rollback(&xid(2)).await, Err(XaError::UnknownBranch));
}

#[tokio::test]
async fn a_prepared_branch_outlives_its_connection_and_wakes_who_waits() {
    let (queue_manager, connection) = bench().await;
    connection.xa_start(&xid(1), NO_FLAGS).unwrap();
    put(&connection, "A").await;
    connection.xa_end(&xid(1), XaFlags::SUCCESS).unwrap();
    assert_eq!(connection.xa_prepare(&xid(1)).await, Ok(true));
    connection.disconnect().await.unwrap();
    let waiting = Arc::new(connect(&queue_manager, administrator()));
    let handle = open(&waiting).await;
    let task = tokio::spawn({
        let waiting = waiting.clone();
        async move {
            let options = GetOptions { flags: GetFlags::WAIT, wait: None, ..GetOptions::default() };
            waiting.get(handle, &options).await.unwrap().message.body
        }
    });
    tokio::task::yield_now().await;
    connect(&queue_manager, administrator()).xa_commit(&xid(1), false).await.unwrap();
    assert_eq!(task.await.unwrap(), "A");
}

#[test]
fn every_refusal_has_the_published_number() {
    let codes = [
        (XaError::UnknownBranch, -4),
        (XaError::DuplicateBranch, -8),
        (XaError::Protocol, -6),
        (XaError::Invalid, -5),
        (XaError::Outside, -9),
        (XaError::RolledBack, 100),
        (XaError::Reason(Reason::QMgrStopping), -7),
        (XaError::Reason(Reason::ResourceProblem), -3),
    ];
    for (error, code) in codes {
        assert_eq!(error.code(), code, "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn units_of_work_in_which_nothing_was_found_leave_nothing_open() {
    let (queue_manager, connection) = bench().await;
    let handle = open(&connection).await;
    let options = GetOptions { flags: GetFlags::SYNCPOINT, ..GetOptions::default() };
    let find_nothing = async || {
        assert_eq!(connection.get(handle, &options).await.err(), Some(Reason::NoMsgAvailable));
        assert!(!connection.has_unit_of_work());
    };
    for number in 0..20 {
        find_nothing().await;
        connection.xa_start(&xid(number), NO_FLAGS).unwrap();
        find_nothing().await;
        connection.xa_end(&xid(number), XaFlags::SUCCESS).unwrap();
        assert_eq!(connection.xa_prepare(&xid(number)).await, Ok(false));
    }
    let _ = tokio::time::timeout(Duration::from_millis(50), queue_manager.run()).await;
    assert_eq!(queue_manager.status().store.open_units, 0);
}
