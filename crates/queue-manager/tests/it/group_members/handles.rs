//! What one member has open, the others respect.

use std::time::Duration;

use model::definition::queue::Disposition;
use model::options::{CloseOptions, GetFlags, GetOptions, OpenOptions};
use model::reason::Reason;
use queue_manager::Connection;
use queue_manager::connection::ObjectHandle;
use queue_manager::objects::ObjectError;

use super::{
    EVERYTHING, Member, PATIENCE, PutFlags, administrator, get, name, on_database, open_for, put, run_apart, two,
    until_ok,
};
use crate::postgres::Database;

async fn close(connection: &Connection, handle: ObjectHandle) {
    connection.close(handle, CloseOptions::empty()).await.unwrap();
}

/// A member that has died, with the queue open at a level.
fn leave_behind(database: &Database, level: u8) {
    let sql = format!(
        "INSERT INTO member (number, name, epoch, process, state, address, level) VALUES (900, 'DEAD', 1, 0, 'ACTIVE', '', 1); \
         INSERT INTO queue_open (queue, member, level) SELECT max(queue), 900, {level} FROM queue_state"
    );
    run_apart(|| database.run(&sql));
}

#[test]
fn an_exclusive_handle_of_one_member_refuses_input_at_another_until_it_is_closed_or_its_connection_ends() {
    on_database(async |database| {
        let (one, two) = two(database).await;
        let theirs = two.connect();
        for ends_connection in [false, true] {
            let ours = one.connect();
            let exclusive = open_for(&ours, "Q", OpenOptions::INPUT_EXCLUSIVE).await.unwrap();
            for input in [OpenOptions::INPUT_SHARED, OpenOptions::INPUT_EXCLUSIVE, OpenOptions::INPUT_AS_Q_DEF] {
                assert_eq!(open_for(&theirs, "Q", input).await, Err(Reason::ObjectInUse));
            }
            let output = open_for(&theirs, "Q", OpenOptions::OUTPUT | OpenOptions::BROWSE).await.unwrap();
            close(&theirs, output).await;
            if ends_connection {
                ours.disconnect().await.unwrap();
            } else {
                close(&ours, exclusive).await;
            }
            let shared = open_for(&theirs, "Q", OpenOptions::INPUT_SHARED).await.unwrap();
            let ours = one.connect();
            if !ends_connection {
                assert_eq!(open_for(&ours, "Q", OpenOptions::INPUT_EXCLUSIVE).await, Err(Reason::ObjectInUse));
                let also = open_for(&ours, "Q", OpenOptions::INPUT_SHARED).await.unwrap();
                close(&ours, also).await;
            }
            close(&theirs, shared).await;
        }
        one.stop().await;
        two.stop().await;
    });
}

#[test]
fn a_queue_that_is_not_shareable_has_one_handle_for_input_in_the_group() {
    on_database(async |database| {
        let (one, two) = two(database).await;
        one.define_with("ONCE", Disposition::Shared, |local| local.shareable = false).await.unwrap();
        two.until_known("ONCE").await;
        let (ours, theirs) = (one.connect(), two.connect());
        let input = open_for(&theirs, "ONCE", OpenOptions::INPUT_SHARED).await.unwrap();
        assert_eq!(open_for(&ours, "ONCE", OpenOptions::INPUT_SHARED).await, Err(Reason::ObjectInUse));
        close(&theirs, input).await;
        open_for(&ours, "ONCE", OpenOptions::INPUT_SHARED).await.unwrap();
        one.stop().await;
        two.stop().await;
    });
}

#[test]
fn a_shared_queue_that_another_member_has_open_is_neither_deleted_nor_cleared() {
    on_database(async |database| {
        let (one, two) = two(database).await;
        let theirs = two.connect();
        let in_use = Err(ObjectError::InUse { name: "Q".to_owned() });
        for options in [OpenOptions::INPUT_SHARED, OpenOptions::OUTPUT, OpenOptions::INQUIRE] {
            let handle = open_for(&theirs, "Q", options).await.unwrap();
            assert_eq!(one.queue_manager.delete_queue(&administrator(), &name("Q"), true).await, in_use);
            assert_eq!(one.queue_manager.clear_queue(&administrator(), &name("Q")).await, in_use);
            close(&theirs, handle).await;
        }
        put(&theirs, "Q", "kept", PutFlags::NO_SYNCPOINT).await;
        let not_empty = Err(ObjectError::NotEmpty { name: "Q".to_owned() });
        assert_eq!(one.queue_manager.delete_queue(&administrator(), &name("Q"), false).await, not_empty);
        assert_eq!(get(&one.connect(), "Q", GetFlags::NO_SYNCPOINT).await.unwrap(), "kept");
        put(&theirs, "Q", "again", PutFlags::NO_SYNCPOINT).await;
        one.queue_manager.clear_queue(&administrator(), &name("Q")).await.unwrap();
        one.queue_manager.delete_queue(&administrator(), &name("Q"), false).await.unwrap();
        // Also before the other has heard of it.
        let refused = open_for(&theirs, "Q", OpenOptions::OUTPUT).await;
        assert_eq!(refused, Err(Reason::UnknownObjectName));
        one.stop().await;
        two.stop().await;
    });
}

#[test]
fn an_exclusive_handle_ends_with_its_member() {
    on_database(async |database| {
        let (one, two) = two(database).await;
        leave_behind(database, 3);
        let ours = one.connect();
        assert_eq!(open_for(&ours, "Q", OpenOptions::INPUT_SHARED).await, Err(Reason::ObjectInUse));
        // A peer recovers the member.
        until_ok(async || open_for(&ours, "Q", OpenOptions::INPUT_EXCLUSIVE).await).await;
        assert_eq!(open_for(&two.connect(), "Q", EVERYTHING).await, Err(Reason::ObjectInUse));
        // An orderly end does the same at once.
        one.stop().await;
        open_for(&two.connect(), "Q", OpenOptions::INPUT_EXCLUSIVE).await.unwrap();
        two.stop().await;
    });
}

#[test]
fn the_first_open_of_a_shared_queue_waits_for_a_database_that_is_away_and_is_refused_then() {
    let database = Database::of_group_to_be_killed("QSG1");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let one = Member::start_with(&database, "QM1", |options| options.patience = Duration::from_secs(5)).await;
        one.define_structure().await;
        one.define("Q", Disposition::Shared).await.unwrap();
        let connection = one.connect();
        let handle = open_for(&connection, "Q", OpenOptions::INPUT_SHARED).await.unwrap();
        run_apart(|| database.server.kill("KILL"));
        // It is open so already: nothing has to be asked.
        let second = open_for(&connection, "Q", OpenOptions::INPUT_SHARED).await.unwrap();
        close(&connection, second).await;
        close(&connection, handle).await;
        assert_eq!(open_for(&connection, "Q", OpenOptions::INPUT_EXCLUSIVE).await, Err(Reason::CfNotAvailable));
        run_apart(|| database.server.start_again());
        until_ok(async || open_for(&connection, "Q", OpenOptions::INPUT_EXCLUSIVE).await).await;
        one.stop().await;
    });
}

#[test]
fn a_get_that_waits_by_an_exclusive_handle_ends_when_a_peer_has_recovered_its_member() {
    on_database(async |database| {
        let (one, two) = two(database).await;
        let ours = one.connect();
        let handle = open_for(&ours, "Q", OpenOptions::INPUT_EXCLUSIVE).await.unwrap();
        let waiting = tokio::spawn(async move {
            let options = GetOptions {
                flags: GetFlags::WAIT | GetFlags::NO_SYNCPOINT,
                wait: Some(PATIENCE),
                ..GetOptions::default()
            };
            let got = ours.get(handle, &options).await.map(drop);
            let again = ours.get(handle, &options).await.map(drop);
            ours.close(handle, CloseOptions::empty()).await.unwrap();
            open_for(&ours, "Q", OpenOptions::INPUT_EXCLUSIVE).await.unwrap();
            (got, again, ours)
        });
        one.until("it waits", |member| member.queue_status(&name("Q")).is_some_and(|status| status.waiters == 1)).await;
        // As a peer does it.
        let sql = "UPDATE member SET epoch = epoch + 1, state = 'FAILED' WHERE name = 'QM1'; \
                   UPDATE lane SET epoch = (SELECT epoch FROM member WHERE name = 'QM1') \
                   WHERE member = (SELECT number FROM member WHERE name = 'QM1'); \
                   UPDATE queue_open SET level = 0";
        run_apart(|| database.run(sql));
        let (got, again, ours) = tokio::time::timeout(PATIENCE, waiting).await.expect("ends").unwrap();
        assert_eq!((got, again), (Err(Reason::CfStrucInUse), Err(Reason::CfStrucInUse)));
        assert_eq!(open_for(&two.connect(), "Q", OpenOptions::INPUT_SHARED).await, Err(Reason::ObjectInUse));
        drop(ours);
        one.stop().await;
        two.stop().await;
    });
}
