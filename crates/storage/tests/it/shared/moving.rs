//! Moving the messages of a queue to another database: as they are, once, whatever happens meanwhile.

use std::time::Duration;

use bytes::Bytes;
use model::descriptor::Persistence;
use storage::{
    DeliveryKey, Placement, QueueId, Receipt, ReceiptKey, Selection, SharedOptions, Store, StoreError, StoredMessage,
    block_on,
};

use crate::shared::group::{
    NOW, browse, check_nothing_is_held, count, create_queue_in, drain, eventually, get, know_queue, message, put,
};
use crate::shared::proxy::{Proxy, Way};
use crate::shared::structures::{Databases, through};

/// Two members, and a queue in each database: the second one has nothing yet.
fn two(databases: &Databases) -> (Store, Store, [QueueId; 2]) {
    let (one, two) = (databases.member(databases.options("QM1")), databases.member(databases.options("QM2")));
    let queues = ["APP0", "APP1"].map(|structure| create_queue_in(&one, structure));
    queues.iter().for_each(|queue| know_queue(&two, *queue));
    (one, two, queues)
}

/// All of a queue as a program sees it, with the places of its messages.
fn seen(store: &Store, queue: QueueId) -> Vec<(DeliveryKey, String, Bytes)> {
    let mut found: Vec<StoredMessage> = Vec::new();
    while let Some(stored) =
        block_on(store.browse(queue, found.last().map(|last| last.key), &Selection::default(), NOW)).expect("browses")
    {
        found.push(stored);
    }
    let text =
        |stored: &StoredMessage| format!("{:?} {:?} {:?}", stored.message.descriptor, stored.expires, stored.arrived);
    found.iter().map(|stored| (stored.key, text(stored), stored.message.body.clone())).collect()
}

fn name_of(body: &Bytes) -> u64 {
    u64::from_be_bytes(body[..8].try_into().expect("a body begins with its name"))
}

fn seal(stores: &[&Store], queue: QueueId) {
    stores.iter().for_each(|store| store.suspend_queue(queue, true));
    eventually("nothing of the queue is open or held", || block_on(stores[0].is_sealed(queue)).expect("looks"));
}

#[test]
fn messages_arrive_in_order_with_their_places_identifiers_counts_bodies_and_receipts() {
    let databases = Databases::new();
    let (one, two, [from, to]) = two(&databases);
    for (number, priority) in [(1, 4), (2, 9), (3, 4), (4, 0)] {
        let length = if number == 3 { 700_000 } else { 10 };
        let mut body = u64::to_be_bytes(number).to_vec();
        body.resize(length, 7);
        let mut message = message(number, body, number != 4);
        message.descriptor.priority = priority;
        let placement = Placement {
            by_priority: true,
            maximum_depth: 100,
            expires: (number == 1).then_some(model::timestamp::Timestamp(5_000_000_000_000_000)),
            persistent: message.descriptor.persistence == Persistence::Persistent,
        };
        block_on(one.put(None, from, message, placement, NOW)).expect("puts");
    }
    let unit = two.begin();
    assert_eq!(get(&two, Some(unit), from).expect("gets"), Some(2));
    block_on(two.back_out(unit)).expect("backs out");
    let key = ReceiptKey([7; 16]);
    let receipt =
        |_| Receipt { key, expires: model::timestamp::Timestamp(5_000_000_000_000_000), value: Bytes::from("kept") };
    let placement = Placement { by_priority: true, maximum_depth: 100, expires: None, persistent: true };
    let keyed = message(5, u64::to_be_bytes(5).to_vec(), true);
    block_on(one.put_with_receipt(from, keyed, placement, &receipt, NOW)).expect("puts");
    let before = seen(&one, from);
    assert_eq!(before.len(), 5);

    seal(&[&one, &two], from);
    assert_eq!(block_on(one.copy_queue(from, to)).expect("copies"), 5);
    block_on(one.drop_queue(from)).expect("drops");
    assert_eq!(seen(&two, to), before);
    let twice = message(6, u64::to_be_bytes(6).to_vec(), true);
    let answer = block_on(two.put_with_receipt(to, twice, placement, &receipt, NOW));
    assert!(matches!(answer, Err(StoreError::ReceiptTaken)), "the request was answered at the old place: {answer:?}");
    eventually("its depth is known", || [&one, &two].iter().all(|store| store.depth(to).current == 5));
    put(&one, None, to, 7, true).expect("puts");
    put(&two, None, to, 8, true).expect("puts");
    // In first-in-first-out order of the highest priority, behind what has come with it. Clocks of two members differ by a little.
    let mut expected: Vec<u64> = before.iter().map(|(.., body)| name_of(body)).collect();
    assert_eq!(expected[0], 2);
    expected.splice(1..1, [7, 8]);
    let mut drained = drain(&two, to);
    drained[1..3].sort_unstable();
    assert_eq!(drained, expected);
    databases.both().into_iter().for_each(check_nothing_is_held);
}

#[test]
fn a_queue_with_work_under_way_is_not_sealed_and_a_sealed_one_takes_no_work() {
    let databases = Databases::new();
    let (one, two, [from, _]) = two(&databases);
    put(&one, None, from, 1, true).expect("puts");
    let (puts, gets) = (one.begin(), two.begin());
    put(&one, Some(puts), from, 2, true).expect("is staged");
    assert_eq!(get(&two, Some(gets), from).expect("gets"), Some(1));
    [&one, &two].iter().for_each(|store| store.suspend_queue(from, true));
    let is_sealed = || block_on(one.is_sealed(from)).expect("looks");
    for (unit, store, commits) in [(puts, &one, true), (gets, &two, false)] {
        for _ in 0..10 {
            assert!(!is_sealed(), "a unit of work is open");
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(matches!(put(store, None, from, 9, true), Err(StoreError::QueueMoves)));
        assert!(matches!(get(store, None, from), Err(StoreError::QueueMoves)));
        // Units of work that have done something there end as they like.
        if commits { block_on(store.commit(unit)) } else { block_on(store.back_out(unit)) }.expect("ends");
    }
    eventually("it is sealed", is_sealed);
    assert_eq!(browse(&one, from), [(1, 1), (2, 0)]);
    // A member that does not know yet that the queue moves.
    two.suspend_queue(from, false);
    assert!(matches!(put(&two, None, from, 9, true), Err(StoreError::UnknownQueue)));
    assert_eq!(browse(&one, from), [(1, 1), (2, 0)]);
}

#[test]
fn a_copy_that_is_interrupted_at_any_part_goes_on_behind_what_has_arrived() {
    let databases = Databases::new();
    let (one, _two, [from, to]) = two(&databases);
    let unit = one.begin();
    // Numbers that no parameter of a statement has.
    let names = 0x5eed_face_0000_0000..0x5eed_face_0000_0000 + 2_100;
    names.clone().for_each(|name| put(&one, Some(unit), from, name, true).expect("is staged"));
    block_on(one.commit(unit)).expect("commits");
    let before = seen(&one, from);
    let proxy = Proxy::start(databases.home.server.port());
    let far =
        |name: &str| SharedOptions { patience: Duration::from_millis(500), ..through(&proxy, databases.options(name)) };
    // Each time in the part that comes next; the last time the way is free again at once.
    for round in 0..4_u32 {
        let store = databases.member(far(&format!("FAR{round}")));
        [from, to].iter().for_each(|queue| know_queue(&store, *queue));
        if round == 0 {
            seal(&[&one, &store], from);
        }
        let way = if round % 2 == 0 { Way::ToClient } else { Way::ToServer };
        let next = names.start + seen(&one, to).len() as u64;
        proxy.cut_at(way, &next.to_be_bytes());
        proxy.refuse(round < 3);
        let copied = block_on(store.copy_queue(from, to));
        assert!(proxy.disarm(), "the copy was cut");
        assert_eq!(copied.is_err(), round < 3);
        proxy.refuse(false);
    }
    block_on(one.copy_queue(from, to)).expect("copies the rest");
    assert_eq!(seen(&one, to), before);
    databases.both().into_iter().for_each(check_nothing_is_held);
}

#[test]
fn a_put_that_a_frozen_member_had_under_way_does_not_reach_the_old_place() {
    let databases = Databases::new();
    let (one, _two, [from, to]) = two(&databases);
    let proxy = Proxy::start(databases.home.server.port());
    let frozen = databases.member(through(&proxy, databases.options("QM3")));
    let peer = databases.member(SharedOptions { silence: Duration::from_secs(1), ..databases.options("QM4") });
    know_queue(&frozen, from);
    put(&frozen, None, from, 1, true).expect("puts");
    proxy.stall(true);
    std::thread::scope(|scope| {
        let late = scope.spawn(|| put(&frozen, None, from, 2, true));
        // Its peer ends its epoch, and with it what it has open.
        eventually("the queue is sealed", || {
            one.suspend_queue(from, true);
            block_on(one.is_sealed(from)).expect("looks")
        });
        block_on(one.copy_queue(from, to)).expect("copies");
        block_on(one.drop_queue(from)).expect("drops");
        proxy.stall(false);
        let late = late.join().expect("ends");
        assert!(late.is_err(), "it is told so: {late:?}");
    });
    assert_eq!(count(&databases.home, "SELECT count(*) FROM message"), 0);
    drop(peer);
    assert_eq!(drain(&one, to), [1]);
}
