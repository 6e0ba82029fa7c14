//! Handles of shared queues: what one member has open, the others respect, also when it dies, and nobody deletes.

use std::time::Duration;

use storage::shared::{Deletion, GroupDisposition, OpenLevel, QueueHandle};
use storage::{QueueId, Store, StoreError, block_on};

use crate::postgres::Database;
use crate::shared::cut_off::{self, Two};
use crate::shared::group::{
    check_nothing_is_held, count, create_queue, drain, eventually, get, know_queue, member, options, put,
};

fn open(store: &Store, queue: QueueId, level: OpenLevel) -> Result<QueueHandle, StoreError> {
    block_on(store.open_queue(queue, level)).map(|handle| handle.expect("of a shared queue"))
}

fn is_in_use(opened: &Result<QueueHandle, StoreError>) -> bool {
    matches!(opened, Err(StoreError::InUse))
}

fn two(database: &Database) -> (Store, Store, QueueId) {
    let (one, two) = (member(options(&database.url, "QM1")), member(options(&database.url, "QM2")));
    let queue = create_queue(&one);
    know_queue(&two, queue);
    (one, two, queue)
}

#[test]
fn an_exclusive_handle_at_one_member_refuses_input_at_another_and_the_reverse() {
    let database = Database::of_group("QSG1");
    let (one, two, queue) = two(&database);
    let other = create_queue(&one);
    know_queue(&two, other);
    let exclusive = open(&one, queue, OpenLevel::Exclusive).expect("opens");
    for level in [OpenLevel::Input, OpenLevel::Exclusive] {
        assert!(is_in_use(&open(&two, queue, level)), "{level:?} at the other");
        assert!(is_in_use(&open(&one, queue, level)), "{level:?} here");
        block_on(open(&two, other, level).expect("another queue").close());
    }
    let output = open(&two, queue, OpenLevel::Open).expect("output is no input");
    block_on(exclusive.close());
    let inputs = [&one, &two, &two].map(|store| open(store, queue, OpenLevel::Input).expect("input is shared"));
    for store in [&one, &two] {
        assert!(is_in_use(&open(store, queue, OpenLevel::Exclusive)));
    }
    inputs.into_iter().for_each(|input| block_on(input.close()));
    let exclusive = open(&two, queue, OpenLevel::Exclusive).expect("every input is closed");
    // As when a connection ends: nobody waits for the close.
    drop((exclusive, output));
    eventually("the close is seen", || !is_in_use(&open(&one, queue, OpenLevel::Exclusive)));
}

#[test]
fn of_many_members_threads_that_open_exclusively_one_at_a_time_has_the_queue() {
    let database = Database::of_group("QSG1");
    let (one, two, queue) = two(&database);
    let holders = std::sync::atomic::AtomicUsize::new(0);
    let opened = std::sync::atomic::AtomicUsize::new(0);
    let order = std::sync::atomic::Ordering::SeqCst;
    std::thread::scope(|scope| {
        for store in [&one, &two, &one, &two] {
            scope.spawn(|| {
                for _ in 0..200 {
                    let Ok(handle) = open(store, queue, OpenLevel::Exclusive) else { continue };
                    assert_eq!(holders.fetch_add(1, order), 0, "two have it");
                    opened.fetch_add(1, order);
                    let elsewhere = block_on(store.opened_elsewhere(queue)).expect("asks");
                    assert!(elsewhere < OpenLevel::Input, "the other member has it too");
                    holders.fetch_sub(1, order);
                    block_on(handle.close());
                }
            });
        }
    });
    assert!(opened.into_inner() > 20, "it is opened again and again");
    eventually("nobody has it", || count(&database, "SELECT count(*) FROM queue_open WHERE level > 1") == 0);
}

#[test]
fn only_the_first_handle_of_a_member_and_its_last_one_cost_the_database_something() {
    let database = Database::of_group("QSG1");
    let (one, _two, queue) = two(&database);
    let batches = || count(&database, "SELECT sum(batch) FROM lane");
    let first = open(&one, queue, OpenLevel::Input).expect("opens");
    let after_first = batches();
    let more: Vec<QueueHandle> = [OpenLevel::Input, OpenLevel::Open, OpenLevel::Input]
        .map(|level| open(&one, queue, level).expect("opens"))
        .into();
    more.into_iter().for_each(|handle| block_on(handle.close()));
    assert_eq!(batches(), after_first);
    block_on(first.close());
    assert_eq!(batches(), after_first + 1);
    assert_eq!(count(&database, "SELECT sum(level) FROM queue_open"), 0);
    // A program that puts now and then is told to the others once, and a while after the last time.
    put(&one, None, queue, 1, false).expect("puts");
    let after_put = batches();
    put(&one, None, queue, 2, false).expect("puts");
    assert_eq!(batches(), after_put + 1);
    eventually("the queue is closed", || count(&database, "SELECT sum(level) FROM queue_open") == 0);
}

#[test]
fn a_member_that_dies_has_nothing_open_and_when_it_is_back_its_exclusive_handle_is_lost() {
    let Two { database, proxy, far, near, queue } = cut_off::two();
    let shared = create_queue(&near);
    know_queue(&far, shared);
    let exclusive = open(&far, queue, OpenLevel::Exclusive).expect("opens");
    let input = open(&far, shared, OpenLevel::Input).expect("opens");
    let at_near = open(&near, shared, OpenLevel::Input).expect("opens");
    assert!(is_in_use(&open(&near, queue, OpenLevel::Input)));
    proxy.stall(true);
    let mut taken = None;
    eventually("the peer has it", || {
        taken = open(&near, queue, OpenLevel::Exclusive).ok();
        taken.is_some()
    });
    block_on(at_near.close());
    assert!(!is_in_use(&open(&near, shared, OpenLevel::Exclusive)), "nobody has it open");
    proxy.stall(false);
    eventually("it is back", || {
        count(&database, "SELECT count(*) FROM member WHERE state = 'ACTIVE'") == 2 && exclusive.is_lost()
    });
    put(&far, None, queue, 1, true).expect("puts");
    assert!(!input.is_lost(), "what is shared goes on");
    assert!(is_in_use(&open(&near, shared, OpenLevel::Exclusive)), "and counts again");
    assert!(is_in_use(&open(&far, queue, OpenLevel::Input)));
    block_on(exclusive.close());
    assert!(is_in_use(&open(&far, queue, OpenLevel::Input)), "the close of a lost handle closes nothing of the other");
    block_on(taken.expect("is open").close());
    let again = open(&far, queue, OpenLevel::Exclusive).expect("opens");
    assert!(!again.is_lost());
}

#[test]
fn connections_that_break_leave_handles_as_they_are_unless_the_database_has_forgotten_them() {
    let Two { database, proxy, far, near, queue } = cut_off::two();
    let second = create_queue(&near);
    know_queue(&far, second);
    let kept = open(&far, queue, OpenLevel::Exclusive).expect("opens");
    let lost = open(&far, second, OpenLevel::Input).expect("opens");
    for _ in 0..5 {
        proxy.cut();
        put(&far, None, queue, 1, true).expect("puts");
        assert!(is_in_use(&open(&near, queue, OpenLevel::Input)));
        assert!(!kept.is_lost() && !lost.is_lost());
    }
    // A primary was lost with what it had not told its standby.
    proxy.refuse(true);
    proxy.cut();
    database.run("DELETE FROM queue_open");
    let taken = open(&near, second, OpenLevel::Exclusive).expect("opens");
    proxy.refuse(false);
    eventually("the handle is lost", || lost.is_lost());
    put(&far, None, second, 2, true).expect("puts");
    assert!(!kept.is_lost());
    assert!(is_in_use(&open(&near, queue, OpenLevel::Input)));
    drop((lost, kept, taken));
    eventually("nobody has them", || count(&database, "SELECT count(*) FROM queue_open WHERE level > 0") == 0);
}

#[test]
fn a_queue_is_deleted_when_no_member_has_it_open_and_takes_nothing_afterwards() {
    let database = Database::of_group("QSG1");
    let (one, two, queue) = two(&database);
    let shared = one.shared().expect("in a group");
    let save = || shared.save_definition("queue/Q", GroupDisposition::Shared, b"1", 0);
    let version = block_on(save()).expect("saves").expect("is new");
    let delete = |purge| block_on(shared.delete_queue(queue, "queue/Q", version, purge)).expect("asks");
    let output = open(&two, queue, OpenLevel::Open).expect("opens");
    assert_eq!(delete(true), Deletion::Open(OpenLevel::Open));
    let input = open(&two, queue, OpenLevel::Input).expect("opens");
    assert_eq!(delete(true), Deletion::Open(OpenLevel::Input));
    block_on(input.close());
    drop(output);
    let closed = || block_on(shared.opened_elsewhere(queue)).expect("asks") == OpenLevel::Closed;
    eventually("the other has closed it", closed);
    // What a unit of work has put without a handle counts until it has ended.
    let unit = two.begin();
    put(&two, Some(unit), queue, 1, true).expect("is staged");
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(delete(true), Deletion::Open(OpenLevel::Open));
    block_on(two.commit(unit)).expect("commits");
    eventually("the other has closed it", closed);
    assert_eq!(delete(false), Deletion::NotEmpty);
    let unit = one.begin();
    assert_eq!(get(&one, Some(unit), queue).expect("gets"), Some(1));
    assert_eq!(delete(true), Deletion::Uncommitted);
    block_on(one.back_out(unit)).expect("backs out");
    let wrong = block_on(shared.delete_queue(queue, "queue/Q", version - 1, true)).expect("asks");
    assert_eq!(wrong, Deletion::Changed);
    let Deletion::Done(deleted) = delete(true) else { panic!("nothing is in the way") };
    assert!(deleted > version);
    assert!(matches!(put(&two, None, queue, 2, true), Err(StoreError::UnknownQueue)));
    assert!(matches!(open(&two, queue, OpenLevel::Input), Err(StoreError::UnknownQueue)));
    let again = create_queue(&one);
    know_queue(&two, again);
    put(&two, None, again, 3, true).expect("puts");
    assert_eq!(drain(&one, again), [3]);
    block_on(shared.drop_queue(queue)).expect("drops");
    check_nothing_is_held(&database);
}

#[test]
fn a_member_that_leaves_has_nothing_open() {
    let database = Database::of_group("QSG1");
    let (one, two, queue) = two(&database);
    let exclusive = open(&one, queue, OpenLevel::Exclusive).expect("opens");
    one.close();
    assert!(!is_in_use(&open(&two, queue, OpenLevel::Exclusive)));
    block_on(exclusive.close());
}
