//! A member that its peers do not hear of is recovered by one of them; when it is back, it takes part again.

use std::time::Duration;

use storage::{LockOwner, QueueId, Selection, SharedOptions, Store, StoreError, Xid, block_on};

use crate::postgres::Database;
use crate::shared::group::{
    NOW, browse, check_nothing_is_held, count, create_queue, drain, eventually, get, know_queue, member, options, put,
};
use crate::shared::proxy::Proxy;

pub(crate) struct Two {
    pub(crate) database: Database,
    pub(crate) proxy: Proxy,
    /// Behind the proxy.
    pub(crate) far: Store,
    /// Soon thinks the other one dead.
    pub(crate) near: Store,
    pub(crate) queue: QueueId,
}

pub(crate) fn two() -> Two {
    let database = Database::of_group("QSG1");
    let proxy = Proxy::start(database.server.port());
    let far = SharedOptions { deadline: Duration::from_millis(800), ..options(&proxy.url(&database.url), "QM1") };
    let near = SharedOptions { silence: Duration::from_secs(1), ..options(&database.url, "QM2") };
    let (far, near) = (member(far), member(near));
    let queue = create_queue(&near);
    know_queue(&far, queue);
    Two { database, proxy, far, near, queue }
}

#[test]
fn what_a_member_that_is_cut_off_has_got_comes_back_and_what_it_has_locked_too() {
    let Two { database, proxy, far, near, queue } = two();
    (1..=4).for_each(|name| put(&near, None, queue, name, true).expect("puts"));
    let (got, reader) = (far.begin(), far.begin());
    assert_eq!(get(&far, Some(got), queue).expect("gets"), Some(1));
    let key = block_on(far.browse(queue, None, &Selection::default(), NOW)).expect("browses").expect("a message").key;
    assert!(block_on(far.lock(queue, key, LockOwner(1))).expect("locks"));
    assert_eq!(get(&far, Some(reader), queue).expect("gets"), Some(3));
    put(&far, Some(reader), queue, 5, true).expect("is staged");

    proxy.stall(true);
    std::thread::scope(|scope| {
        let pending: Vec<_> = (10..14)
            .map(|name| {
                scope.spawn({
                    let far = &far;
                    move || put(far, None, queue, name, name % 2 == 0)
                })
            })
            .collect();
        let ending = scope.spawn(|| block_on(far.commit(reader)));
        eventually("the peer gives back what was got", || {
            let found: Vec<_> = browse(&near, queue).into_iter().filter(|(name, _)| *name <= 4).collect();
            found == [(1, 1), (2, 0), (3, 1), (4, 0)]
        });
        assert!(pending.iter().all(|put| !put.is_finished()), "puts wait");
        proxy.stall(false);
        pending.into_iter().for_each(|put| put.join().expect("ends").expect("is answered"));
        let ended = ending.join().expect("ends");
        assert!(matches!(ended, Err(StoreError::BackedOut)), "the unit of work has lost its message: {ended:?}");
    });
    // A new unit of work of the same member has got the message of an old one.
    let anew = far.begin();
    assert_eq!(get(&far, Some(anew), queue).expect("gets"), Some(1));
    let ended = block_on(far.commit(got));
    assert!(matches!(ended, Err(StoreError::BackedOut)), "the old unit of work has lost its message: {ended:?}");
    block_on(far.commit(anew)).expect("the new one has it");
    assert!(block_on(near.lock(queue, key, LockOwner(7))).expect("locks"), "the old lock is gone");
    assert!(!block_on(far.lock(queue, key, LockOwner(1))).expect("looks"), "and the browser who had it is told so");
    assert!(near.unlock(queue, key, LockOwner(7)));
    let mut left = drain(&near, queue);
    left.sort_unstable();
    assert_eq!(left, [2, 3, 4, 10, 11, 12, 13]);
    check_nothing_is_held(&database);
    for store in [&far, &near] {
        eventually("nothing is counted any more", || {
            let depth = store.depth(queue);
            depth.current == 0 && depth.uncommitted == 0
        });
    }
}

#[test]
fn an_idle_member_that_falls_silent_notices_it_and_takes_part_again() {
    let Two { database, proxy, far, near, queue } = two();
    proxy.stall(true);
    eventually("the peer recovers it", || count(&database, "SELECT count(*) FROM member WHERE state = 'FAILED'") == 1);
    proxy.stall(false);
    eventually("it takes part again", || count(&database, "SELECT count(*) FROM member WHERE state = 'ACTIVE'") == 2);
    put(&far, None, queue, 1, true).expect("puts");
    assert_eq!(get(&near, None, queue).expect("gets"), Some(1));
}

#[test]
fn a_member_whose_connections_break_again_and_again_and_that_peers_recover_meanwhile_goes_on() {
    let Two { database, proxy, far, near: _near, queue } = two();
    let fence = "UPDATE member SET epoch = epoch + 1, state = 'FAILED' WHERE name = 'QM1'; \
                 UPDATE lane SET epoch = (SELECT epoch FROM member WHERE name = 'QM1') \
                 WHERE member = (SELECT number FROM member WHERE name = 'QM1')";
    std::thread::scope(|scope| {
        let puts = scope.spawn(|| (1..=300).for_each(|name| put(&far, None, queue, name, true).expect("puts")));
        // Cuts come at all moments of connecting and joining.
        for round in 0..60_u64 {
            if round % 4 == 0 {
                database.run(fence);
            }
            proxy.cut();
            std::thread::sleep(Duration::from_millis(round * 37 % 61));
        }
        puts.join().expect("every put is answered");
    });
    assert_eq!(drain(&far, queue), (1..=300).collect::<Vec<_>>());
    check_nothing_is_held(&database);
}

#[test]
fn of_two_processes_with_one_name_the_second_is_the_member_and_the_first_refuses_shared_work_for_good() {
    let database = Database::of_group("QSG1");
    let first = member(options(&database.url, "QM1"));
    let queue = create_queue(&first);
    (1..=2).for_each(|name| put(&first, None, queue, name, true).expect("puts"));
    let unit = first.begin();
    assert_eq!(get(&first, Some(unit), queue).expect("gets"), Some(1));
    let second = member(options(&database.url, "QM1"));
    know_queue(&second, queue);
    assert_eq!(browse(&second, queue), [(1, 1), (2, 0)]);
    let epoch = || count(&database, "SELECT epoch FROM member WHERE name = 'QM1'");
    let of_second = epoch();
    eventually("the first refuses", || matches!(put(&first, None, queue, 3, true), Err(StoreError::Unreachable)));
    let ended = block_on(first.commit(unit));
    assert!(matches!(ended, Err(StoreError::Unreachable | StoreError::BackedOut)), "{ended:?}");
    for name in 10..60 {
        put(&second, None, queue, name, true).expect("puts");
        assert!(matches!(put(&first, None, queue, 4, true), Err(StoreError::Unreachable)));
    }
    assert_eq!(epoch(), of_second, "the second is not disturbed");
    // Also when the second is gone.
    second.close();
    assert!(matches!(put(&first, None, queue, 5, true), Err(StoreError::Unreachable)));
    assert!(matches!(get(&first, None, queue), Err(StoreError::Unreachable)));
    first.close();
    let third = member(options(&database.url, "QM1"));
    know_queue(&third, queue);
    assert_eq!(drain(&third, queue), [1, 2].into_iter().chain(10..60).collect::<Vec<_>>());
    check_nothing_is_held(&database);
}

#[test]
fn processes_that_take_one_name_at_the_same_time_leave_one_member_that_works() {
    let database = Database::of_group("QSG1");
    for round in 0..4 {
        let stores: Vec<Store> = std::thread::scope(|scope| {
            let starts: Vec<_> = (0..3)
                .map(|_| {
                    scope.spawn(|| {
                        let shared = storage::SharedStore::start(options(&database.url, "QM1")).expect("starts");
                        Store::ephemeral(storage::StoreOptions::default()).in_group(shared)
                    })
                })
                .collect();
            starts.into_iter().map(|start| start.join().expect("starts")).collect()
        });
        let works = |store: &Store| block_on(store.create_shared_queue("APP1")).is_ok();
        eventually("one works and the others refuse", || stores.iter().filter(|store| works(store)).count() == 1);
        let worker = stores.iter().find(|store| works(store)).expect("one works");
        let queue = create_queue(worker);
        put(worker, None, queue, round, true).expect("puts");
        assert_eq!(drain(worker, queue), [round]);
    }
}

#[test]
fn a_transaction_that_a_member_has_prepared_stays_in_doubt_after_its_recovery_until_the_member_ends_it() {
    let Two { database, proxy, far, near, queue } = two();
    put(&near, None, queue, 1, true).expect("puts");
    let xid = |name| Xid { format_id: 1, global_transaction: vec![name], branch: vec![1] };
    let prepare = |name| {
        let unit = far.begin();
        put(&far, Some(unit), queue, u64::from(name) + 10, true).expect("is staged");
        block_on(far.prepare(unit, Some(xid(name)))).expect("prepares");
        unit
    };
    let got = far.begin();
    assert_eq!(get(&far, Some(got), queue).expect("gets"), Some(1));
    block_on(far.prepare(got, Some(xid(1)))).expect("prepares");
    let second = prepare(2);
    proxy.stall(true);
    eventually("the peer recovers it", || count(&database, "SELECT count(*) FROM member WHERE state = 'FAILED'") == 1);
    assert_eq!(browse(&near, queue), [], "what is in doubt is nobody's");
    assert_eq!(near.in_doubt(), [], "and a peer has no part in it");
    proxy.stall(false);
    let mut in_doubt: Vec<_> = far.in_doubt().into_iter().filter_map(|(_, xid)| xid).collect();
    in_doubt.sort_by_key(|xid| xid.global_transaction.clone());
    assert_eq!(in_doubt, [xid(1), xid(2)]);
    block_on(far.back_out(got)).expect("is backed out");
    block_on(far.commit(second)).expect("is committed");
    eventually("both are over", || browse(&near, queue) == [(1, 1), (12, 0)]);
    drain(&near, queue);
    check_nothing_is_held(&database);
}
