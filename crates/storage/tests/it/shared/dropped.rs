//! Verbs whose callers go away before they are answered: nothing stays held for them.

use std::pin::Pin;
use std::task::{Context, Waker};
use std::time::Duration;

use storage::{LockOwner, Selection, Store, Xid, block_on};

use crate::postgres::Database;
use crate::shared::group::{NOW, browse, check_nothing_is_held, create_queue, drain, eventually, member, options, put};

/// Begins it, waits a moment, and drops it. The answer, if it was there by then.
fn drop_after<T>(moment: Duration, mut verb: Pin<Box<dyn Future<Output = T> + '_>>) -> Option<T> {
    let mut context = Context::from_waker(Waker::noop());
    if let std::task::Poll::Ready(answer) = verb.as_mut().poll(&mut context) {
        return Some(answer);
    }
    std::thread::sleep(moment);
    None
}

fn moments() -> impl Iterator<Item = Duration> {
    (0..120_u64).map(|round| Duration::from_micros(round * 397 % 3_000))
}

fn store(database: &Database) -> (Store, storage::QueueId) {
    let store = member(options(&database.url, "QM1"));
    let queue = create_queue(&store);
    put(&store, None, queue, 1, true).expect("puts");
    (store, queue)
}

#[test]
fn a_get_in_a_unit_of_work_that_is_dropped_at_any_moment_gives_its_message_back_as_it_was() {
    let database = Database::of_group("QSG1");
    let (store, queue) = store(&database);
    let mut backouts = 0;
    for moment in moments() {
        let unit = store.begin();
        let answer = drop_after(moment, Box::pin(store.get(Some(unit), queue, &Selection::default(), NOW)));
        // The answer may be faster than the moment: then the unit of work has the message, and gives it back itself, unless the get that was
        // dropped before still held it.
        match answer {
            None => block_on(store.commit(unit)).expect("commits nothing"),
            Some(got) => {
                backouts += i32::from(got.expect("gets").is_some());
                block_on(store.back_out(unit)).expect("backs out");
            }
        }
        eventually("the message is there", || browse(&store, queue) == [(1, backouts)]);
    }
    check_nothing_is_held(&database);
    assert_eq!(drain(&store, queue), [1]);
}

#[test]
fn a_lock_that_is_dropped_at_any_moment_leaves_its_message_free() {
    let database = Database::of_group("QSG1");
    let (store, queue) = store(&database);
    let seen = block_on(store.browse(queue, None, &Selection::default(), NOW)).expect("browses").expect("a message");
    for moment in moments() {
        if let Some(locked) = drop_after(moment, Box::pin(store.lock(queue, seen.key, LockOwner(1)))) {
            assert!(locked.expect("locks"), "nobody has it");
            assert!(store.unlock(queue, seen.key, LockOwner(1)));
        }
        eventually("the message is there", || browse(&store, queue) == [(1, 0)]);
        // A lock that was dropped before it was there comes and goes behind the look.
        eventually("another can have it", || block_on(store.lock(queue, seen.key, LockOwner(2))).expect("locks"));
        assert!(store.unlock(queue, seen.key, LockOwner(2)));
    }
    check_nothing_is_held(&database);
}

#[test]
fn a_prepare_that_is_dropped_at_any_moment_is_in_doubt_and_can_be_ended() {
    let database = Database::of_group("QSG1");
    let (store, queue) = store(&database);
    for (round, moment) in moments().enumerate() {
        let unit = store.begin();
        let got = block_on(store.get(Some(unit), queue, &Selection::default(), NOW)).expect("gets");
        assert_eq!(got.as_ref().map(crate::shared::group::name), Some(1));
        put(&store, Some(unit), queue, 2, true).expect("is staged");
        let xid = Xid { format_id: 1, global_transaction: vec![u8::try_from(round).expect("few")], branch: vec![] };
        drop_after(moment, Box::pin(store.shared().expect("in a group").prepare(unit, Some(xid))));
        block_on(store.back_out(unit)).expect("backs out");
        assert_eq!(browse(&store, queue).iter().map(|(name, _)| *name).collect::<Vec<_>>(), [1]);
    }
    check_nothing_is_held(&database);
    assert_eq!(crate::shared::group::count(&database, "SELECT count(*) FROM unit"), 0);
    assert_eq!(store.depth(queue).uncommitted, 0);
}

#[test]
fn puts_and_commits_that_are_dropped_at_any_moment_are_whole_and_counted() {
    let database = Database::of_group("QSG1");
    let (store, queue) = store(&database);
    for (round, moment) in moments().enumerate() {
        let name = 10 + round as u64 * 10;
        let unit = store.begin();
        (name..name + 2).for_each(|name| put(&store, Some(unit), queue, name, true).expect("is staged"));
        drop_after(moment, Box::pin(store.commit(unit)));
        let message = crate::shared::group::message(name + 5, (name + 5).to_be_bytes().to_vec(), true);
        drop_after(moment, Box::pin(store.put(None, queue, message, crate::shared::group::placement(true), NOW)));
    }
    // What was begun ends.
    put(&store, None, queue, 2, true).expect("puts");
    let left = drain(&store, queue);
    for unit in (0..120).map(|round| 10 + round * 10) {
        let there = [unit, unit + 1].iter().filter(|name| left.contains(name)).count();
        assert!(there == 0 || there == 2, "half of a unit of work");
    }
    check_nothing_is_held(&database);
    eventually("nothing is counted any more", || {
        let depth = store.depth(queue);
        (depth.current, depth.uncommitted) == (0, 0)
    });
}
