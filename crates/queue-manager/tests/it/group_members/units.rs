//! Units of recovery with GROUP disposition: branches that any member lists and ends.

use bytes::Bytes;
use model::definition::QueueDefinition;
use model::definition::queue::{Disposition, LocalQueue, TriggerType};
use model::descriptor::MessageDescriptor;
use model::options::{GetFlags, OpenOptions, PutFlags, PutOptions};
use model::reason::Reason;
use queue_manager::{Connection, UnitDisposition, XaError, XaFlags};
use storage::Xid;

use super::{Member, PATIENCE, administrator, get, name, object, on_database, open_for, put, two};
use crate::postgres::Database;

const NONE: XaFlags = XaFlags::empty();

fn xid(number: u8) -> Xid {
    Xid { format_id: 1, global_transaction: vec![9, 9], branch: vec![number] }
}

async fn enable(member: &Member, enabled: bool) {
    member.alter(|manager| manager.group_units = enabled).await;
}

/// Two members with GROUPUR(ENABLED).
async fn two_enabled(database: &Database) -> (Member, Member) {
    let (one, two) = two(database).await;
    for member in [&one, &two] {
        enable(member, true).await;
    }
    (one, two)
}

/// A connection by the group's name.
fn to_group(member: &Member) -> Connection {
    let connection = member.connect();
    connection.xa_open("QSG1").unwrap();
    assert_eq!(connection.unit_disposition(), UnitDisposition::Group);
    connection
}

/// A branch that has got a message and put another one.
async fn prepare(connection: &Connection, number: u8, body: &'static str) {
    connection.xa_start(&xid(number), NONE).unwrap();
    get(connection, "Q", GetFlags::SYNCPOINT).await.unwrap();
    put(connection, "Q", body, PutFlags::SYNCPOINT).await;
    connection.xa_end(&xid(number), XaFlags::SUCCESS).unwrap();
    assert_eq!(connection.xa_prepare(&xid(number)).await, Ok(true));
}

async fn left(member: &Member) -> Vec<Bytes> {
    let connection = member.connect();
    let mut found = Vec::new();
    while let Ok(body) = get(&connection, "Q", GetFlags::NO_SYNCPOINT).await {
        found.push(body);
    }
    found
}

#[test]
fn a_branch_of_the_group_is_listed_and_ended_at_another_member_and_not_seen_by_the_other_disposition() {
    on_database(async |database| {
        let (one, two) = two_enabled(database).await;
        for body in ["first", "second", "third"] {
            put(&one.connect(), "Q", body, PutFlags::NO_SYNCPOINT).await;
        }
        let (here, there, own) = (to_group(&one), to_group(&two), one.connect());
        prepare(&here, 1, "of one").await;
        prepare(&here, 2, "of two").await;
        prepare(&own, 3, "of three").await;
        assert_eq!(there.xa_recover().await.unwrap(), [xid(1), xid(2)]);
        assert_eq!(own.xa_recover().await.unwrap(), [xid(3)]);
        assert_eq!(there.xa_commit(&xid(3), false).await, Err(XaError::UnknownBranch));
        assert_eq!(here.xa_rollback(&xid(3)).await, Err(XaError::UnknownBranch));
        assert_eq!(own.xa_commit(&xid(1), false).await, Err(XaError::UnknownBranch));
        assert_eq!(there.xa_forget(&xid(1)).await, Err(XaError::Protocol));
        there.xa_commit(&xid(1), false).await.unwrap();
        assert_eq!(here.xa_commit(&xid(1), false).await, Err(XaError::UnknownBranch), "it has ended");
        there.xa_rollback(&xid(2)).await.unwrap();
        own.xa_commit(&xid(3), false).await.unwrap();
        assert!(here.xa_recover().await.unwrap().is_empty());
        assert_eq!(left(&two).await, ["second", "of one", "of three"]);
        here.xa_start(&xid(1), NONE).unwrap();
        here.xa_end(&xid(1), XaFlags::SUCCESS).unwrap();
        assert_eq!(here.xa_prepare(&xid(1)).await, Ok(false), "its name may be used again");
        one.stop().await;
        two.stop().await;
    });
}

#[test]
fn a_branch_of_the_group_does_nothing_on_private_queues() {
    on_database(async |database| {
        let (one, two) = two(database).await;
        enable(&one, true).await;
        one.queue_manager.define_queue(&administrator(), QueueDefinition::local(name("OWN")), false).await.unwrap();
        put(&one.connect(), "OWN", "there", PutFlags::NO_SYNCPOINT).await;
        let connection = to_group(&one);
        let put_own = async |flags| {
            let options = PutOptions { flags, ..PutOptions::default() };
            let body = Bytes::from_static(b"new");
            connection.put1(&administrator(), &object("OWN"), MessageDescriptor::default(), &options, body).await.err()
        };
        assert_eq!(put_own(PutFlags::SYNCPOINT).await, None, "in no branch");
        connection.commit().await.unwrap();
        connection.xa_start(&xid(1), NONE).unwrap();
        assert_eq!(get(&connection, "OWN", GetFlags::SYNCPOINT).await, Err(Reason::SyncpointNotAvailable));
        assert_eq!(put_own(PutFlags::SYNCPOINT).await, Some(Reason::SyncpointNotAvailable));
        assert_eq!(put_own(PutFlags::NO_SYNCPOINT).await, None);
        put(&connection, "Q", "goes on", PutFlags::SYNCPOINT).await;
        connection.xa_end(&xid(1), XaFlags::SUCCESS).unwrap();
        connection.xa_commit(&xid(1), true).await.unwrap();
        assert_eq!(left(&one).await, ["goes on"]);
        let own = one.connect();
        own.xa_start(&xid(1), NONE).unwrap();
        assert_eq!(get(&own, "OWN", GetFlags::SYNCPOINT).await.unwrap(), "there", "of the queue manager");
        own.xa_end(&xid(1), XaFlags::SUCCESS).unwrap();
        own.xa_rollback(&xid(1)).await.unwrap();
        one.stop().await;
        two.stop().await;
    });
}

#[test]
fn groupur_disabled_refuses_new_connections_of_the_group_and_leaves_those_that_there_are() {
    on_database(async |database| {
        let (one, two) = two(database).await;
        assert_eq!(one.connect().xa_open("QSG1"), Err(XaError::Invalid));
        assert_eq!(one.connect().xa_open("QM1"), Ok(()));
        enable(&one, true).await;
        put(&one.connect(), "Q", "first", PutFlags::NO_SYNCPOINT).await;
        let connection = to_group(&one);
        prepare(&connection, 1, "second").await;
        enable(&one, false).await;
        assert_eq!(one.connect().xa_open("QSG1"), Err(XaError::Invalid));
        connection.xa_commit(&xid(1), false).await.unwrap();
        assert_eq!(left(&one).await, ["second"]);
        one.stop().await;
        two.stop().await;
    });
}

#[test]
fn the_end_of_a_branch_wakes_waiters_and_triggers_at_the_member_that_ends_it() {
    on_database(async |database| {
        let (one, two) = two_enabled(database).await;
        one.define("I", Disposition::Shared).await.unwrap();
        two.until_known("I").await;
        let every = |local: &mut LocalQueue| {
            local.trigger.enabled = true;
            local.trigger.kind = TriggerType::Every;
            local.initiation_queue = name("I");
        };
        one.define_with("T", Disposition::Shared, every).await.unwrap();
        two.until_known("T").await;
        let connection = to_group(&one);
        connection.xa_start(&xid(1), NONE).unwrap();
        for queue in ["Q", "T", "T"] {
            put(&connection, queue, "work", PutFlags::SYNCPOINT).await;
        }
        connection.xa_end(&xid(1), XaFlags::SUCCESS).unwrap();
        assert_eq!(connection.xa_prepare(&xid(1)).await, Ok(true));
        let monitor = two.connect();
        open_for(&monitor, "I", OpenOptions::INPUT_SHARED).await.unwrap();
        let waiter = two.connect();
        let waiting = tokio::spawn(async move { get(&waiter, "Q", GetFlags::WAIT | GetFlags::NO_SYNCPOINT).await });
        two.until("a get waits", |member| member.queue_status(&name("Q")).is_some_and(|status| status.waiters == 1))
            .await;
        to_group(&two).xa_commit(&xid(1), false).await.unwrap();
        let woken = tokio::time::timeout(PATIENCE, waiting).await.expect("is woken");
        assert_eq!(woken.unwrap().unwrap(), "work");
        two.until("two trigger messages", |member| {
            member.queue_status(&name("I")).is_some_and(|it| it.depth.current == 2)
        })
        .await;
        one.stop().await;
        two.stop().await;
    });
}
