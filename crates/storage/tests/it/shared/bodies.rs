//! Bodies that are empty, just in the row, in parts, and as long as MQ allows: whole each time, and without parts left behind.

use std::time::Duration;

use model::timestamp::Timestamp;
use storage::{DefinitionChange, Placement, QueueId, Selection, SharedOptions, Store, Xid, block_on};

use crate::postgres::Database;
use crate::shared::group::{
    NOW, check_nothing_is_held, count, create_queue, eventually, know_queue, member, message, options, placement,
};

const PART: usize = 256 << 10;
const LENGTHS: [usize; 6] = [0, 1, PART - 1, PART, PART + 1, 5 << 20];

fn body(length: usize) -> Vec<u8> {
    (0..length).map(|at| u8::try_from((at ^ at >> 11 ^ length) & 0xFF).expect("one byte")).collect()
}

fn put(store: &Store, unit: Option<storage::UnitOfWorkId>, queue: QueueId, length: usize) {
    put_until(store, unit, queue, length, None);
}

fn put_until(
    store: &Store,
    unit: Option<storage::UnitOfWorkId>,
    queue: QueueId,
    length: usize,
    expires: Option<Timestamp>,
) {
    let placement = Placement { expires, ..placement(true) };
    block_on(store.put(unit, queue, message(1, body(length), true), placement, NOW)).expect("puts");
}

fn get(store: &Store, unit: Option<storage::UnitOfWorkId>, queue: QueueId) -> Option<usize> {
    let got = block_on(store.get(unit, queue, &Selection::default(), NOW)).expect("gets")?;
    assert!(got.message.body == body(got.message.body.len()), "the body is as it was put");
    Some(got.message.body.len())
}

fn browse(store: &Store, queue: QueueId) -> Option<usize> {
    let seen = block_on(store.browse(queue, None, &Selection::default(), NOW)).expect("browses")?;
    assert!(seen.message.body == body(seen.message.body.len()), "the body is as it was put");
    Some(seen.message.body.len())
}

fn prepared(store: &Store, unit: storage::UnitOfWorkId) {
    let xid = Xid { format_id: 1, global_transaction: unit.0.to_be_bytes().to_vec(), branch: Vec::new() };
    block_on(store.prepare(unit, Some(xid))).expect("prepares");
}

/// The queue is empty, and so is the table of parts.
fn check_gone(database: &Database, store: &Store, queue: QueueId, what: &str) {
    assert_eq!(get(store, None, queue), None, "{what}");
    assert_eq!(count(database, "SELECT count(*) FROM message_part"), 0, "{what} leaves no parts behind");
}

fn check_body(database: &Database, store: &Store, queue: QueueId, length: usize) {
    put(store, None, queue, length);
    assert_eq!(browse(store, queue), Some(length));
    let unit = store.begin();
    assert_eq!(get(store, Some(unit), queue), Some(length));
    assert_eq!(block_on(store.got_first(unit)).expect("reads").map(|got| got.message.body.len()), Some(length));
    block_on(store.back_out(unit)).expect("backs out");
    assert_eq!(get(store, None, queue), Some(length));
    check_gone(database, store, queue, "a get");

    put(store, None, queue, length);
    let unit = store.begin();
    get(store, Some(unit), queue).expect("a message");
    put(store, Some(unit), queue, length);
    block_on(store.commit(unit)).expect("commits");
    assert_eq!(get(store, None, queue), Some(length));
    check_gone(database, store, queue, "a commit");

    for commits in [true, false] {
        put(store, None, queue, length);
        let unit = store.begin();
        get(store, Some(unit), queue).expect("a message");
        put(store, Some(unit), queue, length);
        prepared(store, unit);
        let ended = if commits { block_on(store.commit(unit)) } else { block_on(store.back_out(unit)) };
        ended.expect("ends");
        assert_eq!(get(store, None, queue), Some(length));
        check_gone(database, store, queue, "a prepared unit of work");
    }

    put_until(store, None, queue, length, Some(Timestamp(NOW.0 + 10)));
    let mut gone = Default::default();
    block_on(store.discard_expired(queue, Timestamp(NOW.0 + 20), &mut gone)).expect("discards");
    assert_eq!(gone.iter().map(|stored| stored.message.body.len()).collect::<Vec<_>>(), [length]);
    check_gone(database, store, queue, "expiry");

    put(store, None, queue, length);
    let seen = block_on(store.browse(queue, None, &Selection::default(), NOW)).expect("browses").expect("a message");
    assert!(block_on(store.take_browsed(queue, &seen, storage::LockOwner(1), NOW)).expect("takes"));
    check_gone(database, store, queue, "a get of what was browsed");

    (0..3).for_each(|_| put(store, None, queue, length));
    assert_eq!(block_on(store.clear(queue)).expect("clears"), 3);
    check_gone(database, store, queue, "clear");
}

#[test]
fn bodies_of_all_lengths_are_whole_and_leave_no_parts_behind() {
    let database = Database::of_group("QSG1");
    let store = member(options(&database.url, "QM1"));
    let queue = create_queue(&store);
    LENGTHS.into_iter().for_each(|length| check_body(&database, &store, queue, length));
    check_nothing_is_held(&database);
}

#[test]
fn the_longest_body_is_put_browsed_backed_out_and_got() {
    let database = Database::of_group("QSG1");
    let store = member(options(&database.url, "QM1"));
    let queue = create_queue(&store);
    let length = 100 << 20;
    put(&store, None, queue, length);
    assert_eq!(browse(&store, queue), Some(length));
    let unit = store.begin();
    assert_eq!(get(&store, Some(unit), queue), Some(length));
    block_on(store.back_out(unit)).expect("backs out");
    assert_eq!(get(&store, None, queue), Some(length));
    check_gone(&database, &store, queue, "a get");
}

/// A line so slow that a whole body takes longer than a batch may take.
#[test]
fn a_body_that_takes_longer_than_the_deadline_of_a_batch_is_put_and_got_all_the_same() {
    let database = Database::of_group("QSG1");
    let proxy = crate::shared::proxy::Proxy::start(database.server.port());
    let limited = SharedOptions { deadline: Duration::from_millis(700), ..options(&proxy.url(&database.url), "QM1") };
    let store = member(limited);
    let queue = create_queue(&store);
    // Pieces of at most 64 KiB.
    proxy.delay(Duration::from_millis(8));
    put(&store, None, queue, 12 << 20);
    assert_eq!(get(&store, None, queue), Some(12 << 20));
    check_gone(&database, &store, queue, "a get");
}

#[test]
fn a_database_that_goes_on_sending_a_body_to_a_lost_connection_gives_it_up() {
    let database = Database::of_group("QSG1");
    let proxy = crate::shared::proxy::Proxy::start(database.server.port());
    let store = member(options(&proxy.url(&database.url), "QM1"));
    let queue = create_queue(&store);
    // More than the buffers of a connection take.
    put(&store, None, queue, 32 << 20);
    proxy.linger(Duration::from_secs(300));
    proxy.cut_transaction_after(crate::shared::proxy::Way::ToClient, 1 << 20);
    assert_eq!(get(&store, None, queue), Some(32 << 20));
    assert!(proxy.disarm(), "the get was cut");
    check_gone(&database, &store, queue, "a get");
}

#[test]
fn a_queue_that_is_deleted_leaves_nothing_behind_whatever_is_held_of_it() {
    let database = Database::of_group("QSG1");
    let store = member(options(&database.url, "QM1"));
    let queue = create_queue(&store);
    (0..4).for_each(|_| put(&store, None, queue, PART + 1));
    let (open, decided) = (store.begin(), store.begin());
    get(&store, Some(open), queue).expect("a message");
    get(&store, Some(decided), queue).expect("a message");
    put(&store, Some(decided), queue, PART * 2);
    prepared(&store, decided);
    block_on(store.change_definitions(vec![DefinitionChange::DropQueue(queue)])).expect("drops");
    for table in ["message", "message_part"] {
        assert_eq!(count(&database, &format!("SELECT count(*) FROM {table}")), 0, "{table}");
    }
    let _ = block_on(store.commit(open));
    block_on(store.commit(decided)).expect("the coordinator's word is taken");
    assert_eq!(count(&database, "SELECT count(*) FROM unit"), 0);
    check_nothing_is_held(&database);
}

#[test]
fn parts_that_a_dead_member_had_got_come_back_whole() {
    let database = Database::of_group("QSG1");
    let proxy = crate::shared::proxy::Proxy::start(database.server.port());
    let dead =
        member(SharedOptions { deadline: Duration::from_millis(500), ..options(&proxy.url(&database.url), "QM1") });
    let peer = member(SharedOptions { silence: Duration::from_secs(1), ..options(&database.url, "QM2") });
    let queue = create_queue(&dead);
    know_queue(&peer, queue);
    put(&dead, None, queue, 3 * PART + 5);
    get(&dead, Some(dead.begin()), queue).expect("a message");
    proxy.refuse(true);
    proxy.cut();
    eventually("the peer gives it back", || browse(&peer, queue) == Some(3 * PART + 5));
    assert_eq!(get(&peer, None, queue), Some(3 * PART + 5));
    check_gone(&database, &peer, queue, "a get");
}
