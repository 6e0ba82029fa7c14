//! The database is away: verbs wait, and are refused once that lasts too long; when it is back, everything works and nothing is held.

use std::time::Duration;

use model::timestamp::Timestamp;
use storage::{DeliveryKey, LockOwner, Selection, SharedOptions, Store, StoreError, UnitOfWorkId, Xid, block_on};

use crate::postgres::Database;
use crate::shared::group::{
    NOW, check_nothing_is_held, count, create_queue, drain, eventually, get, member, now, options, put,
};
use crate::shared::proxy::Proxy;

const WAIT: Duration = Duration::from_secs(3);

fn impatient(url: &str, name: &str) -> SharedOptions {
    SharedOptions { patience: WAIT, deadline: Duration::from_secs(2), ..options(url, name) }
}

/// How long a member waits for a database that is away unless it is told otherwise.
const AS_USUAL: Duration = Duration::from_secs(60);

/// What ends the way to the database.
#[derive(Clone, Copy)]
enum Away {
    Refused,
    Stalled,
}

impl Away {
    fn begin(self, proxy: &Proxy) {
        match self {
            Self::Refused => {
                proxy.refuse(true);
                proxy.cut();
            }
            Self::Stalled => proxy.stall(true),
        }
    }

    fn end(self, proxy: &Proxy) {
        proxy.cut();
        proxy.refuse(false);
        proxy.stall(false);
    }
}

fn first_key(store: &Store, queue: storage::QueueId) -> DeliveryKey {
    block_on(store.browse(queue, None, &Selection::default(), NOW)).expect("browses").expect("a message").key
}

fn unit_with_get(store: &Store, queue: storage::QueueId) -> UnitOfWorkId {
    let unit = store.begin();
    get(store, Some(unit), queue).expect("gets").expect("a message");
    unit
}

type Verb<'a> = Box<dyn Fn() -> Result<(), StoreError> + Send + Sync + 'a>;

fn check_each_verb_is_refused_and_leaves_nothing_held(away: Away) {
    let database = Database::of_group("QSG1");
    let proxy = Proxy::start(database.server.port());
    let store = member(impatient(&proxy.url(&database.url), "QM1"));
    let queue = create_queue(&store);
    (1..=6).for_each(|name| put(&store, None, queue, name, true).expect("puts"));
    let key = first_key(&store, queue);
    let [committed, backed_out, prepared, together] = [(); 4].map(|()| unit_with_get(&store, queue));
    assert!(
        block_on(store.lock(queue, DeliveryKey { position: first_key(&store, queue).position, ..key }, LockOwner(1)))
            .expect("locks")
    );
    let private = store.create_queue();

    away.begin(&proxy);
    let xid = Xid { format_id: 1, global_transaction: vec![1], branch: vec![2] };
    let verbs: Vec<(&str, Verb<'_>)> = vec![
        ("put", Box::new(|| put(&store, None, queue, 7, true))),
        ("nonpersistent put", Box::new(|| put(&store, None, queue, 8, false))),
        ("get", Box::new(|| get(&store, None, queue).map(drop))),
        ("get in a unit", Box::new(|| get(&store, Some(store.begin()), queue).map(drop))),
        (
            "get by a condition",
            Box::new(|| {
                let accept = |_: &storage::Candidate<'_>| true;
                let selection = Selection { accept: Some(&accept), ..Selection::default() };
                block_on(store.get(None, queue, &selection, NOW)).map(drop)
            }),
        ),
        ("browse", Box::new(|| block_on(store.browse(queue, None, &Selection::default(), NOW)).map(drop))),
        ("lock", Box::new(|| block_on(store.lock(queue, key, LockOwner(2))).map(drop))),
        ("clear", Box::new(|| block_on(store.clear(queue)).map(drop))),
        ("create", Box::new(|| block_on(store.create_shared_queue("APP1")).map(drop))),
        ("receipt", Box::new(|| block_on(store.receipt(&storage::ReceiptKey([1; 16]), NOW)).map(drop))),
        ("commit", Box::new(|| block_on(store.commit(committed)))),
        ("commit together", Box::new(|| block_on(store.commit_together(&[together], None, NOW)))),
        ("back out", Box::new(|| block_on(store.back_out(backed_out)))),
        ("prepare", Box::new(|| block_on(store.prepare(prepared, Some(xid.clone()))))),
    ];
    let check = |what: &str, answer: Result<(), StoreError>| {
        assert!(matches!(answer, Err(StoreError::Unreachable)), "{what} answers {answer:?} while the database is away");
    };
    // All wait at the same time; the last half comes when it is known that the database is away.
    std::thread::scope(|scope| {
        for (what, verb) in &verbs {
            scope.spawn(move || {
                let started = now();
                check(what, verb());
                assert!(started.elapsed() < AS_USUAL, "{what} waits for {:?}", started.elapsed());
            });
        }
    });
    for (what, verb) in &verbs[..9] {
        eventually(&format!("{what} is refused at once"), || {
            let started = now();
            check(what, verb());
            started.elapsed() < WAIT / 6
        });
    }
    // Private queues go on.
    put(&store, None, private, 1, true).expect("puts");
    assert_eq!(get(&store, None, private).expect("gets"), Some(1));
    assert!(store.unlock(queue, first_place(&database, key), LockOwner(1)), "unlocks without the database");

    away.end(&proxy);
    drop(verbs);
    eventually("the member is back", || put(&store, None, queue, 9, true).is_ok());
    // The transaction manager asks for what it could not prepare.
    block_on(store.back_out(prepared)).expect("backs out");
    check_nothing_is_held(&database);
    let left = drain(&store, queue);
    for name in 1..=6 {
        assert!(left.contains(&name) || name <= 4, "message {name} is there: {left:?}");
    }
    let mut once = left.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), left.len(), "nothing is there twice: {left:?}");
    assert_eq!(count(&database, "SELECT count(*) FROM unit"), 0, "no unit is in doubt");
    eventually("the depth is 0", || store.depth(queue).current == 0 && store.depth(queue).uncommitted == 0);
}

/// The message that is locked.
fn first_place(database: &Database, key: DeliveryKey) -> DeliveryKey {
    let locked = count(database, "SELECT position FROM message WHERE hold = 'l'");
    DeliveryKey { position: storage::Position(locked.unsigned_abs()), ..key }
}

#[test]
fn verbs_are_refused_once_the_database_refuses_connections_for_longer_than_they_wait_and_nothing_stays_held() {
    check_each_verb_is_refused_and_leaves_nothing_held(Away::Refused);
}

#[test]
fn verbs_are_refused_once_the_database_is_silent_for_longer_than_they_wait_and_nothing_stays_held() {
    check_each_verb_is_refused_and_leaves_nothing_held(Away::Stalled);
}

#[test]
fn verbs_wait_for_a_database_that_is_away_for_a_moment() {
    for away in [Away::Refused, Away::Stalled] {
        let database = Database::of_group("QSG1");
        let proxy = Proxy::start(database.server.port());
        let options =
            SharedOptions { deadline: Duration::from_millis(300), ..options(&proxy.url(&database.url), "QM1") };
        let store = member(options);
        let queue = create_queue(&store);
        put(&store, None, queue, 1, true).expect("puts");
        let unit = unit_with_get(&store, queue);
        away.begin(&proxy);
        std::thread::scope(|scope| {
            let verbs = [
                scope.spawn(|| put(&store, None, queue, 2, true)),
                scope.spawn(|| block_on(store.browse(queue, None, &Selection::default(), NOW)).map(drop)),
                scope.spawn(|| block_on(store.commit(unit))),
                scope.spawn(|| block_on(store.discard_expired(queue, Timestamp(1), &mut Default::default()))),
            ];
            // Long enough for several attempts to come back.
            std::thread::sleep(Duration::from_millis(900));
            assert!(verbs.iter().all(|verb| !verb.is_finished()), "they wait");
            away.end(&proxy);
            for verb in verbs {
                verb.join().expect("does not panic").expect("is done once the database is back");
            }
        });
        assert_eq!(drain(&store, queue), [2]);
        check_nothing_is_held(&database);
    }
}

#[test]
fn a_member_is_closed_at_once_while_the_database_is_silent() {
    let database = Database::of_group("QSG1");
    let proxy = Proxy::start(database.server.port());
    let store = member(options(&proxy.url(&database.url), "QM1"));
    proxy.stall(true);
    let started = now();
    store.close();
    assert!(started.elapsed() < AS_USUAL, "closing takes {:?}", started.elapsed());
}

#[test]
fn a_member_that_leaves_in_order_holds_nothing() {
    let database = Database::of_group("QSG1");
    let (store, peer) = (member(options(&database.url, "QM1")), member(options(&database.url, "QM2")));
    let queue = create_queue(&store);
    know_on(&peer, queue);
    (1..=3).for_each(|name| put(&store, None, queue, name, true).expect("puts"));
    unit_with_get(&store, queue);
    let key = first_key(&store, queue);
    assert!(block_on(store.lock(queue, key, LockOwner(1))).expect("locks"));
    store.close();
    assert_eq!(crate::shared::group::browse(&peer, queue), [(1, 1), (2, 0), (3, 0)]);
    check_nothing_is_held(&database);
}

fn know_on(peer: &Store, queue: storage::QueueId) {
    crate::shared::group::know_queue(peer, queue);
}

/// Of all threads of this process, in clock ticks of 10 ms.
fn cpu_ticks() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux tells it");
    let fields: Vec<&str> = stat.rsplit(')').next().expect("behind the name").split_whitespace().collect();
    fields[11].parse::<u64>().expect("user time") + fields[12].parse::<u64>().expect("system time")
}

/// What is measured is all that a process uses, so it has one of its own.
#[test]
fn a_member_that_is_idle_or_without_its_database_is_measured_alone() {
    let name = "shared::patience::a_member_that_is_idle_or_without_its_database_uses_no_cpu_to_speak_of";
    let program = std::env::current_exe().expect("this program");
    let alone = std::process::Command::new(program).args(["--ignored", "--exact", name]).output().expect("starts");
    let said = String::from_utf8_lossy(&alone.stdout);
    assert!(alone.status.success() && said.contains("1 passed"), "{said}");
}

#[test]
#[ignore = "the test above starts it in a process of its own"]
fn a_member_that_is_idle_or_without_its_database_uses_no_cpu_to_speak_of() {
    let database = Database::of_group("QSG1");
    let proxy = Proxy::start(database.server.port());
    let store = member(impatient(&proxy.url(&database.url), "QM1"));
    let queue = create_queue(&store);
    let _waiter = store.shared().expect("in a group").watch(queue);
    put(&store, None, queue, 1, true).expect("puts");
    let unit = unit_with_get(&store, queue);
    let check = |what: &str| {
        let before = cpu_ticks();
        std::thread::sleep(Duration::from_secs(3));
        let used = cpu_ticks() - before;
        println!("{what}: {used} ticks of 300");
        assert!(used <= 15, "{what}: {used} ticks of 300");
    };
    check("idle");
    for away in [Away::Refused, Away::Stalled] {
        away.begin(&proxy);
        std::thread::scope(|scope| {
            let ended = scope.spawn(|| block_on(store.browse(queue, None, &Selection::default(), NOW)).map(drop));
            check("away");
            assert!(matches!(ended.join().expect("ends"), Err(StoreError::Unreachable)));
        });
        away.end(&proxy);
        eventually("the member is back", || put(&store, None, queue, 9, true).is_ok());
    }
    block_on(store.back_out(unit)).expect("backs out");
}
