//! Depths that members know without asking, and the maximum depth.

use storage::{Placement, QueueId, Store, StoreError, block_on};

use crate::postgres::Database;
use crate::shared::group::{
    NOW, count, create_queue, drain, eventually, get, know_queue, member, message, options, placement, put,
};

/// Puts from so many threads until the queue is full; answers how many were put.
fn fill(stores: &[&Store], threads: u64, queue: QueueId, maximum_depth: u32) -> usize {
    std::thread::scope(|scope| {
        let puts: Vec<_> = stores
            .iter()
            .enumerate()
            .flat_map(|(index, store)| (0..threads).map(move |thread| (*store, index as u64 * 100 + thread)))
            .map(|(store, producer)| {
                scope.spawn(move || {
                    let placement = Placement { maximum_depth, ..placement(true) };
                    let names = (0..).map(|number| producer << 32 | number);
                    let put = |name: u64| {
                        let message = message(name, name.to_be_bytes().to_vec(), true);
                        match block_on(store.put(None, queue, message, placement, NOW)) {
                            Ok(_) => true,
                            Err(StoreError::QueueFull { .. }) => false,
                            Err(error) => panic!("a put answers {error}"),
                        }
                    };
                    names.take_while(|name| put(*name)).count()
                })
            })
            .collect();
        puts.into_iter().map(|put| put.join().expect("ends")).sum()
    })
}

#[test]
fn many_puts_at_once_at_one_member_do_not_pass_the_maximum_depth() {
    let database = Database::of_group("QSG1");
    let store = member(options(&database.url, "QM1"));
    for maximum in [1, 2, 7, 40] {
        let queue = create_queue(&store);
        let put = fill(&[&store], 12, queue, maximum);
        assert!(put <= maximum as usize, "{put} messages on a queue for {maximum}");
        let sql = format!("SELECT count(*) FROM message WHERE queue = {}", queue.0 & 0x7FFF_FFFF);
        assert_eq!(count(&database, &sql), i64::try_from(put).expect("few"));
    }
}

#[test]
fn two_members_pass_the_maximum_depth_by_what_the_other_puts_in_a_moment() {
    let database = Database::of_group("QSG1");
    let (one, two) = (member(options(&database.url, "QM1")), member(options(&database.url, "QM2")));
    let queue = create_queue(&one);
    know_queue(&two, queue);
    let maximum = 400;
    let put = fill(&[&one, &two], 4, queue, maximum);
    println!("{put} messages on a queue for {maximum}");
    // Each stops at the maximum by itself: whatever it does not know of the other, twice the maximum is the limit.
    assert!(put <= 2 * maximum as usize);
    // When both know each other's part, no message comes any more.
    eventually("both know", || [&one, &two].iter().all(|store| store.depth(queue).current as usize == put));
    assert_eq!(fill(&[&one, &two], 1, queue, maximum), 0);
    get(&two, None, queue).expect("gets").expect("a message");
}

#[test]
fn depths_of_all_members_become_those_of_the_table() {
    let database = Database::of_group("QSG1");
    let stores = [member(options(&database.url, "QM1")), member(options(&database.url, "QM2"))];
    let queue = create_queue(&stores[0]);
    know_queue(&stores[1], queue);
    let counts = stores.each_ref().map(|store| store.message_count(queue).expect("is known"));
    for round in 0..6 {
        for store in &stores {
            std::thread::scope(|scope| {
                for thread in 0..4 {
                    scope.spawn(move || {
                        for number in 0..10 {
                            put(store, None, queue, thread * 100 + number, number % 2 == 0).expect("puts");
                        }
                        let unit = store.begin();
                        get(store, Some(unit), queue).expect("gets");
                        put(store, Some(unit), queue, 1, true).expect("puts");
                        put(store, Some(unit), queue, 2, true).expect("puts");
                        let ended =
                            if thread % 2 == 0 { block_on(store.commit(unit)) } else { block_on(store.back_out(unit)) };
                        ended.expect("ends");
                    });
                }
                // A second look at a queue that this member works with changes nothing.
                scope.spawn(|| (0..20).for_each(|_| know_queue(store, queue)));
            });
        }
        let there = u32::try_from(count(&database, "SELECT count(*) FROM message")).expect("few");
        eventually("both know the depth", || {
            stores.iter().zip(&counts).all(|(store, messages)| {
                let depth = store.depth(queue);
                depth.current == there && depth.uncommitted == 0 && messages.get() == there
            })
        });
        if round % 2 == 1 {
            assert_eq!(drain(&stores[round % 2], queue).len(), there as usize);
        }
    }
}

#[test]
fn a_queue_with_room_refuses_no_put_while_others_come_and_go() {
    let database = Database::of_group("QSG1");
    let stores = [member(options(&database.url, "QM1")), member(options(&database.url, "QM2"))];
    let queue = create_queue(&stores[0]);
    know_queue(&stores[1], queue);
    // Each thread has one message on the queue at most.
    std::thread::scope(|scope| {
        for thread in 0..6_u64 {
            let store = &stores[usize::from(thread % 3 == 0)];
            scope.spawn(move || {
                let placement = Placement { maximum_depth: 6, ..placement(true) };
                for number in 0..150 {
                    let message = message(thread, thread.to_be_bytes().to_vec(), true);
                    let unit = (number % 3 == 0).then(|| store.begin());
                    let put = block_on(store.put(unit, queue, message, placement, NOW));
                    put.unwrap_or_else(|error| panic!("put {number} of thread {thread}: {error}"));
                    if let Some(unit) = unit {
                        block_on(store.commit(unit)).expect("commits");
                    }
                    get(store, None, queue).expect("gets").expect("a message");
                }
            });
        }
    });
}
