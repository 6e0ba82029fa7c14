//! Those who wait at one member are told what the others put, commit and give back.

use std::sync::mpsc::{Receiver, channel};

use bytes::Bytes;
use model::descriptor::MessageDescriptor;
use model::message::Message;
use model::timestamp::Timestamp;
use storage::{Placement, QueueId, Selection, SharedOptions, SharedStore, UnitOfWorkId, block_on};

use crate::postgres::Database;
use crate::shared::group::{PATIENCE, eventually};

const NOW: Timestamp = Timestamp(1_000);

fn member(database: &Database, name: &str) -> SharedStore {
    let store = SharedStore::start(SharedOptions::new(database.url.clone(), name.to_owned())).expect("starts");
    block_on(store.connected()).expect("joins");
    store
}

fn put(store: &SharedStore, unit: Option<UnitOfWorkId>, queue: QueueId) {
    let message = Message { descriptor: MessageDescriptor::default(), body: Bytes::from_static(b"x") };
    let placement = Placement { by_priority: false, maximum_depth: 10, expires: None, persistent: true };
    block_on(store.put(unit, queue, &message, &placement, NOW)).expect("puts");
}

/// Gets as one who waits: each time that it is told, until there is something.
fn wait(store: &SharedStore, told: &Receiver<QueueId>, queue: QueueId) {
    for _ in 0..100 {
        let found = told.recv_timeout(PATIENCE).expect("is told");
        if found == queue && block_on(store.get(None, queue, &Selection::default(), NOW)).expect("gets").is_some() {
            return;
        }
    }
    panic!("nothing came");
}

#[test]
fn a_wait_at_one_member_ends_with_what_another_puts_commits_or_gives_back() {
    let database = Database::of_group("QSG1");
    let (one, two) = (member(&database, "QM1"), member(&database, "QM2"));
    let queue = block_on(one.create_queue()).expect("makes a queue");
    block_on(two.know_queue(queue)).expect("knows it");
    let (tell, told) = channel();
    two.listen_to_arrivals(Box::new(move |queue| {
        let _ = tell.send(queue);
    }));
    let _watch = two.watch(queue);
    put(&one, None, queue);
    wait(&two, &told, queue);
    let unit = UnitOfWorkId(7);
    put(&one, Some(unit), queue);
    block_on(one.commit(unit)).expect("commits");
    wait(&two, &told, queue);
    put(&one, None, queue);
    let unit = UnitOfWorkId(8);
    assert!(block_on(one.get(Some(unit), queue, &Selection::default(), NOW)).expect("gets").is_some());
    block_on(one.back_out(unit)).expect("backs out");
    wait(&two, &told, queue);
    assert_eq!(two.depth(queue).current, 0, "all that was put was got");
}

#[test]
fn members_show_the_same_depth_soon_after_one_of_them_has_changed_it() {
    let database = Database::of_group("QSG1");
    let (one, two) = (member(&database, "QM1"), member(&database, "QM2"));
    let queue = block_on(one.create_queue()).expect("makes a queue");
    block_on(two.know_queue(queue)).expect("knows it");
    let count = two.message_count(queue).expect("is known");
    for expected in 1..4 {
        put(&one, None, queue);
        eventually("it is shown", || count.get() == expected);
    }
}
