//! Transactions of the group: prepared by one member, in doubt in the database, ended once by any.

use std::time::Duration;

use storage::{EndedMessage, GroupUnit, QueueId, SharedOptions, Store, StoreError, Xid, block_on};

use crate::postgres::Database;
use crate::shared::cut_off::{Two, two};
use crate::shared::group::{
    browse, check_nothing_is_held, count, create_queue, create_queue_in, drain, eventually, get, know_queue, member,
    options, put,
};
use crate::shared::proxy::{Proxy, Way};
use crate::shared::structures::{Databases, with_structure};

fn xid(name: u8) -> Xid {
    Xid { format_id: 1, global_transaction: vec![name], branch: vec![1] }
}

/// Gets what is first on each queue and puts a message there, and prepares.
fn prepare(store: &Store, queues: &[QueueId], name: u8) -> Result<(), StoreError> {
    let unit = store.begin();
    for queue in queues {
        get(store, Some(unit), *queue).expect("gets");
        put(store, Some(unit), *queue, u64::from(name) + 10, true).expect("is staged");
    }
    let prepared = block_on(store.prepare_in_group(unit, &xid(name)));
    if prepared.is_err() {
        block_on(store.back_out(unit)).expect("backs out");
    }
    prepared
}

fn listed(store: &Store) -> Vec<u8> {
    let units = block_on(store.in_doubt_in_group()).expect("lists");
    units.into_iter().map(|unit| unit.xid.global_transaction[0]).collect()
}

fn end(store: &Store, name: u8, commits: bool) -> Result<Option<Vec<EndedMessage>>, StoreError> {
    block_on(store.end_in_group(&xid(name), commits))
}

#[test]
fn any_member_lists_and_ends_what_a_dead_one_has_prepared() {
    let Two { database, proxy, far, near, queue } = two();
    (1..=2).for_each(|name| put(&near, None, queue, name, true).expect("puts"));
    (1..=2).for_each(|name| prepare(&far, &[queue], name).expect("prepares"));
    assert_eq!((far.in_doubt(), near.in_doubt()), (vec![], vec![]), "no queue manager has it for its own");
    assert_eq!(listed(&far), [1, 2]);
    proxy.stall(true);
    eventually("the peer recovers it", || count(&database, "SELECT count(*) FROM member WHERE state = 'FAILED'") == 1);
    assert_eq!(browse(&near, queue), [], "what is in doubt is nobody's");
    let units = block_on(near.in_doubt_in_group()).expect("lists");
    let unit = |name| GroupUnit { xid: xid(name), member: Some("QM1".to_owned()) };
    assert_eq!(units, [unit(1), unit(2)]);
    let ended = |is_there| EndedMessage { queue, priority: 9, is_there };
    assert_eq!(
        end(&near, 1, false).expect("ends"),
        Some(vec![ended(true), ended(false)]),
        "got goes back, put is gone"
    );
    assert_eq!(end(&near, 2, true).expect("ends"), Some(vec![ended(false), ended(true)]));
    assert_eq!(end(&near, 2, true).expect("answers"), None, "it has ended");
    assert_eq!(browse(&near, queue), [(1, 1), (12, 0)]);
    proxy.stall(false);
    eventually("it takes part again", || block_on(far.in_doubt_in_group()).is_ok_and(|units| units.is_empty()));
    assert_eq!(far.in_doubt(), []);
    assert_eq!(drain(&far, queue), [1, 12]);
    check_nothing_is_held(&database);
}

#[test]
fn a_member_that_starts_again_leaves_what_it_had_prepared_to_the_group() {
    let database = Database::of_group("QSG1");
    let first = member(options(&database.url, "QM1"));
    let queue = create_queue(&first);
    put(&first, None, queue, 1, true).expect("puts");
    prepare(&first, &[queue], 1).expect("prepares");
    first.close();
    let again = member(options(&database.url, "QM1"));
    know_queue(&again, queue);
    assert_eq!(again.in_doubt(), []);
    assert_eq!(listed(&again), [1]);
    assert!(end(&again, 1, true).expect("ends").is_some());
    assert_eq!(drain(&again, queue), [11]);
    check_nothing_is_held(&database);
}

#[test]
fn of_two_members_that_end_a_transaction_one_does() {
    let database = Database::of_group("QSG1");
    let stores = ["QM1", "QM2"].map(|name| member(options(&database.url, name)));
    let queue = create_queue(&stores[0]);
    know_queue(&stores[1], queue);
    for name in 0..30 {
        put(&stores[0], None, queue, 1, true).expect("puts");
        prepare(&stores[0], &[queue], name).expect("prepares");
        let ended = std::thread::scope(|scope| {
            let ends = [0, 1].map(|at| {
                let store = &stores[at];
                scope.spawn(move || end(store, name, at == 0).expect("answers").is_some())
            });
            ends.map(|end| end.join().expect("ends"))
        });
        assert!(ended[0] != ended[1], "{ended:?}");
        let left = if ended[0] { (u64::from(name) + 10, 0) } else { (1, 1) };
        assert_eq!(browse(&stores[0], queue), [left], "{ended:?}");
        drain(&stores[0], queue);
    }
    check_nothing_is_held(&database);
}

#[test]
fn a_unit_with_work_on_private_queues_is_not_prepared_and_stays_as_it_is() {
    let database = Database::of_group("QSG1");
    let store = member(options(&database.url, "QM1"));
    let (queue, private) = (create_queue(&store), store.create_queue());
    let unit = store.begin();
    put(&store, Some(unit), queue, 1, true).expect("is staged");
    put(&store, Some(unit), private, 2, true).expect("puts");
    let prepared = block_on(store.prepare_in_group(unit, &xid(1)));
    assert!(matches!(prepared, Err(StoreError::NotShared)), "{prepared:?}");
    assert_eq!(listed(&store), [0_u8; 0]);
    block_on(store.commit(unit)).expect("commits");
    assert_eq!((drain(&store, queue), drain(&store, private)), (vec![1], vec![2]));
}

#[test]
fn a_transaction_over_two_databases_is_one_and_one_with_a_part_in_a_database_that_is_away_has_not_ended() {
    let databases = Databases::new();
    let proxy = Proxy::start(databases.own.server.port());
    let through_proxy = with_structure(options(&databases.home.url, "QM1"), "APP1", &proxy.url(&databases.own.url));
    let store = databases.member(SharedOptions { patience: Duration::from_millis(300), ..through_proxy });
    let queues = ["APP0", "APP1"].map(|structure| create_queue_in(&store, structure));
    queues.iter().for_each(|queue| put(&store, None, *queue, 1, true).expect("puts"));
    prepare(&store, &queues, 1).expect("prepares");
    prepare(&store, &queues[..1], 2).expect("prepares");
    prepare(&store, &queues[1..], 3).expect("prepares");
    assert_eq!(listed(&store), [1, 2, 3]);
    proxy.refuse(true);
    proxy.cut();
    eventually("the database is away", || !store.reaches_whole_group());
    let refused = block_on(store.in_doubt_in_group());
    assert!(matches!(refused, Err(StoreError::Unreachable)), "there may be others: {refused:?}");
    assert!(end(&store, 2, true).expect("needs the home alone").is_some());
    for name in [1, 3] {
        let ended = end(&store, name, true);
        assert!(matches!(ended, Err(StoreError::Unreachable)), "{name}: {ended:?}");
    }
    proxy.refuse(false);
    eventually("the database is back", || store.reaches_whole_group());
    assert_eq!(listed(&store), [1, 3]);
    assert!(end(&store, 1, true).expect("ends the rest").is_some());
    assert!(end(&store, 3, false).expect("ends").is_some());
    assert_eq!(listed(&store), [0_u8; 0]);
    assert_eq!((drain(&store, queues[0]), drain(&store, queues[1])), (vec![11, 12], vec![11]));
    databases.both().into_iter().for_each(check_nothing_is_held);
}

/// What is answered has happened; what is not, its member backs out.
#[test]
fn a_prepare_whose_connection_breaks_at_any_byte_is_in_doubt_or_backed_out() {
    let database = Database::of_group("QSG1");
    let proxy = Proxy::start(database.server.port());
    let (patience, deadline) = (Duration::from_millis(300), Duration::from_secs(2));
    let store = member(SharedOptions { patience, deadline, ..options(&proxy.url(&database.url), "QM1") });
    let queue = create_queue(&store);
    let (mut prepared, mut refused) = (0, 0);
    for (way, step) in [(Way::ToServer, 150), (Way::ToClient, 60)] {
        for bytes in (0..).step_by(step) {
            put(&store, None, queue, 1, true).expect("puts");
            let unit = store.begin();
            get(&store, Some(unit), queue).expect("gets");
            put(&store, Some(unit), queue, 2, true).expect("is staged");
            proxy.cut_transaction_after(way, bytes);
            proxy.refuse(true);
            let answer = block_on(store.prepare_in_group(unit, &xid(1)));
            let was_cut = proxy.disarm();
            proxy.refuse(false);
            eventually("the database is back", || store.reaches_whole_group());
            assert_eq!(store.in_doubt(), [], "it is no transaction of the queue manager");
            let left = if answer.is_ok() {
                assert!(end(&store, 1, true).expect("ends").is_some());
                prepared += 1;
                2
            } else {
                assert!(matches!(answer, Err(StoreError::Unreachable)), "{answer:?}");
                block_on(store.back_out(unit)).expect("backs out");
                refused += 1;
                1
            };
            assert_eq!(listed(&store), [0_u8; 0], "behind byte {bytes} {way:?}, answered {answer:?}");
            assert_eq!(drain(&store, queue), [left], "behind byte {bytes} {way:?}, answered {answer:?}");
            if !was_cut {
                break;
            }
        }
    }
    assert!(prepared > 0 && refused > 0);
    check_nothing_is_held(&database);
}
