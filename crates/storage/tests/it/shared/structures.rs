//! Structures with a database of their own: which queues are where, what a member finds there, and one that is away.

use std::time::Duration;

use storage::{QueueId, SharedOptions, Store, StoreError, StructureDatabase, block_on};

use crate::postgres::{Database, make_group};
use crate::shared::group::{
    PATIENCE, browse, check_nothing_is_held, count, create_queue_in, drain, eventually, get, know_queue, member,
    options, put,
};
use crate::shared::proxy::Proxy;

/// A group with the structure APP1 in a database of its own.
pub(crate) struct Databases {
    pub(crate) home: Database,
    pub(crate) own: Database,
}

impl Databases {
    pub(crate) fn new() -> Self {
        Self::of(Database::empty(), Database::empty())
    }

    fn of(home: Database, own: Database) -> Self {
        let databases = Self { home, own };
        make_group(&databases.options(""), "QSG1").expect("makes the tables");
        databases
    }

    pub(crate) fn options(&self, name: &str) -> SharedOptions {
        with_structure(options(&self.home.url, name), "APP1", &self.own.url)
    }

    /// Once it takes part at both.
    pub(crate) fn member(&self, options: SharedOptions) -> Store {
        let store = member(options);
        eventually("takes part at both", || block_on(store.meet_group()).is_ok() && store.reaches_whole_group());
        store
    }

    pub(crate) fn both(&self) -> [&Database; 2] {
        [&self.home, &self.own]
    }
}

pub(crate) fn with_structure(mut options: SharedOptions, name: &str, url: &str) -> SharedOptions {
    let (structure, database) = (name.to_owned(), url.to_owned());
    options.structures.push(StructureDatabase { structure, database, password: None, tls: None });
    options
}

/// Both databases on the way over the proxy, which stands before their server.
pub(crate) fn through(proxy: &Proxy, mut options: SharedOptions) -> SharedOptions {
    options.database = proxy.url(&options.database);
    options.structures.iter_mut().for_each(|structure| structure.database = proxy.url(&structure.database));
    options
}

/// Two members, and a queue in each database: the home's first.
fn two(databases: &Databases, silence: Duration) -> (Store, Store, [QueueId; 2]) {
    let (one, two) = (
        member(SharedOptions { silence, ..databases.options("QM1") }),
        member(SharedOptions { silence, ..databases.options("QM2") }),
    );
    let queues = ["APP0", "APP1"].map(|structure| create_queue_in(&one, structure));
    queues.iter().for_each(|queue| know_queue(&two, *queue));
    (one, two, queues)
}

fn is_refused<T>(answer: Result<T, StoreError>) -> bool {
    matches!(answer, Err(StoreError::Unreachable))
}

fn messages(database: &Database) -> i64 {
    count(database, "SELECT count(*) FROM message")
}

#[test]
fn a_queue_is_in_the_database_of_its_structure_and_all_members_work_with_it_there() {
    let databases = Databases::new();
    let (one, two, [in_home, in_own]) = two(&databases, Duration::from_secs(60));
    assert!(in_home.cluster() != in_own.cluster());
    for (queue, there, elsewhere) in
        [(in_home, &databases.home, &databases.own), (in_own, &databases.own, &databases.home)]
    {
        for persistent in [true, false] {
            put(&one, None, queue, 1, persistent).expect("puts");
            assert_eq!((messages(there), messages(elsewhere)), (1, 0));
            assert_eq!(get(&two, None, queue).expect("gets"), Some(1));
        }
        let unit = two.begin();
        put(&two, Some(unit), queue, 2, true).expect("puts");
        block_on(two.commit(unit)).expect("commits");
        let unit = one.begin();
        assert_eq!(get(&one, Some(unit), queue).expect("gets"), Some(2));
        assert_eq!(get(&two, None, queue).expect("gets"), None);
        block_on(one.back_out(unit)).expect("backs out");
        assert_eq!(browse(&two, queue), [(2, 1)]);
        eventually("both see the depth", || [&one, &two].iter().all(|store| store.depth(queue).current == 1));
        assert_eq!(drain(&one, queue), [2]);
        check_nothing_is_held(there);
    }
}

#[test]
fn a_get_that_waits_is_woken_by_a_put_of_another_member_in_a_database_of_its_own() {
    let databases = Databases::new();
    let (one, two, [_, queue]) = two(&databases, Duration::from_secs(60));
    let (told, arrived) = std::sync::mpsc::channel();
    let listener = move |queue| told.send(queue).expect("the test listens");
    one.shared().expect("in a group").listen_to_arrivals(Box::new(listener));
    let _waits = one.watch(queue);
    put(&two, None, queue, 1, true).expect("puts");
    assert_eq!(arrived.recv_timeout(PATIENCE), Ok(queue));
    assert_eq!(get(&one, None, queue).expect("gets"), Some(1));
}

#[test]
fn what_a_member_without_life_holds_in_any_database_comes_back_with_its_count_raised() {
    let databases = Databases::new();
    let proxy = Proxy::start(databases.home.server.port());
    let far = through(&proxy, databases.options("QM1"));
    let (one, two) =
        (member(far), member(SharedOptions { silence: Duration::from_secs(1), ..databases.options("QM2") }));
    let queues = ["APP0", "APP1"].map(|structure| create_queue_in(&two, structure));
    let units = queues.map(|queue| {
        know_queue(&one, queue);
        put(&two, None, queue, 7, true).expect("puts");
        let unit = one.begin();
        assert_eq!(get(&one, Some(unit), queue).expect("gets"), Some(7));
        unit
    });
    proxy.stall(true);
    eventually("the peer gives them back", || queues.iter().all(|queue| browse(&two, *queue) == [(7, 1)]));
    proxy.stall(false);
    for (unit, queue) in units.into_iter().zip(queues) {
        let ended = block_on(one.commit(unit));
        assert!(matches!(ended, Err(StoreError::BackedOut)), "the message is no longer its: {ended:?}");
        put(&one, None, queue, 8, true).expect("takes part again");
        assert_eq!(drain(&two, queue), [7, 8]);
    }
}

#[test]
fn only_queues_of_a_database_that_is_away_are_refused_and_its_claims_come_back_with_it() {
    let databases = Databases::of(Database::empty(), Database::to_be_killed());
    let patient = |name: &str| SharedOptions {
        silence: Duration::from_secs(1),
        patience: Duration::from_millis(500),
        ..databases.options(name)
    };
    let (one, two) = (member(patient("QM1")), member(patient("QM2")));
    let [in_home, in_own] = ["APP0", "APP1"].map(|structure| create_queue_in(&one, structure));
    know_queue(&two, in_home);
    know_queue(&two, in_own);
    let unit = one.begin();
    put(&one, None, in_own, 1, true).expect("puts");
    assert_eq!(get(&one, Some(unit), in_own).expect("gets"), Some(1));
    databases.own.server.kill("KILL");
    eventually("it is away", || is_refused(put(&two, None, in_own, 2, true)));
    put(&two, None, in_home, 3, true).expect("puts in the home");
    assert_eq!(drain(&two, in_home), [3]);
    // Dies while the database is away.
    drop(one);
    // One that starts meanwhile works with the home, and says where the other queue is.
    let three = member(patient("QM3"));
    know_queue(&three, in_home);
    know_queue(&three, in_own);
    put(&three, None, in_home, 4, true).expect("puts in the home");
    assert!(is_refused(put(&three, None, in_own, 5, true)));
    databases.own.server.start_again();
    eventually("the claim comes back with the database", || get(&two, None, in_own).is_ok_and(|got| got == Some(1)));
    eventually("it takes part there", || put(&three, None, in_own, 6, true).is_ok());
    eventually("the depth is known", || three.depth(in_own).current == 1);
    assert_eq!(drain(&three, in_own), [6]);
}

#[test]
fn a_database_of_another_group_or_structure_is_refused() {
    let databases = Databases::new();
    let refused = |options: &SharedOptions, group: &str| {
        let error = make_group(options, group).expect_err("refuses");
        let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
        format!("{error}{cause}")
    };
    // The same again changes nothing.
    make_group(&databases.options(""), "QSG1").expect("is there");
    let swapped = with_structure(options(&databases.own.url, ""), "APP1", &databases.home.url);
    assert_eq!(refused(&swapped, "QSG1"), "the database is that of the structure APP1 (1), not of the group itself");
    let twice = with_structure(databases.options(""), "APP2", &databases.own.url);
    assert_eq!(
        refused(&twice, "QSG1"),
        "the database of the structure APP2 cannot be used: the database is that of the structure APP1 (1), not of the \
         structure APP2 (1)"
    );
    let other = Database::of_group("QSG1");
    let borrowed = with_structure(options(&other.url, ""), "APP1", &databases.own.url);
    assert_eq!(
        refused(&borrowed, "QSG1"),
        "the database of the structure APP1 cannot be used: the database belongs to another group with the name QSG1"
    );
    let named = with_structure(options(&databases.home.url, ""), "APP1", &Database::of_group("QSG2").url);
    assert_eq!(
        refused(&named, "QSG1"),
        "the database of the structure APP1 cannot be used: the database belongs to the group QSG2, not to QSG1"
    );
}

#[test]
fn a_member_takes_no_part_at_a_database_of_another_structure_and_works_with_the_others() {
    let databases = Databases::new();
    let third = Database::empty();
    let whole = with_structure(databases.options("QM1"), "APP2", &third.url);
    make_group(&whole, "QSG1").expect("makes the tables");
    let one = member(whole);
    let [in_one, in_two] = ["APP1", "APP2"].map(|structure| create_queue_in(&one, structure));
    put(&one, None, in_one, 1, true).expect("puts");
    put(&one, None, in_two, 2, true).expect("puts");
    // Both structures are said to be in the database of the second one.
    let mut wrong = with_structure(options(&databases.home.url, "QM2"), "APP1", &third.url);
    wrong.patience = Duration::from_millis(500);
    let two = member(with_structure(wrong, "APP2", &third.url));
    know_queue(&two, in_one);
    know_queue(&two, in_two);
    assert!(is_refused(get(&two, None, in_one)));
    assert_eq!(get(&two, None, in_two).expect("gets"), Some(2));
    // One that knows no database for them.
    let mut ignorant = options(&databases.home.url, "QM3");
    ignorant.patience = Duration::from_millis(500);
    let three = member(ignorant);
    assert!(is_refused(get(&three, None, in_one)));
    assert!(is_refused(block_on(three.create_shared_queue("APP1"))));
    assert!(block_on(three.create_shared_queue("APP0")).is_ok());
}

#[test]
fn a_member_does_not_join_a_group_of_another_name() {
    let database = Database::of_group("QSG2");
    let mut wrong = SharedOptions { patience: Duration::from_millis(300), ..options(&database.url, "QM1") };
    wrong.group = Some("QSG1".to_owned());
    let store = storage::SharedStore::start(wrong).expect("starts");
    assert!(is_refused(block_on(store.connected())));
    assert_eq!(count(&database, "SELECT count(*) FROM member"), 0);
}
