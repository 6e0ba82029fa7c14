//! Two members under load from many clients, undisturbed and with connections that break and a database that is killed.
//!
//! `QSG_SECONDS` says for how long each (default 4), `QSG_KILLS` how often the database is killed (default 3), `QSG_SEED` repeats a run's
//! choices.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use storage::{Store, block_on};

use crate::postgres::{Asked, Database};
use crate::shared::client::{Client, Queues};
use crate::shared::group::{
    check_nothing_is_held, count, create_queue_in, drain, eventually, know_queue, member, now, options,
};
use crate::shared::ledger::{Ledger, Line};
use crate::shared::proxy::Proxy;
use crate::shared::structures::{Databases, through};

pub(crate) fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .map_or(default, |number| number.parse().unwrap_or_else(|_| panic!("{name} is no number: {number}")))
}

/// In these structures: work, replies, ordered.
pub(crate) fn queues_for(stores: &[Store], structures: [&str; 3]) -> Queues {
    let [work, replies, ordered] = structures.map(|structure| create_queue_in(&stores[0], structure));
    let queues = Queues { work, replies, ordered };
    for store in stores {
        queues.all().into_iter().for_each(|queue| know_queue(store, queue));
    }
    queues
}

/// `disturb` goes on while clients work; nothing that they are told is wrong. `loses`: nonpersistent messages may be lost.
pub(crate) fn check_load(database: &impl Asked, stores: &[Store], loses: bool, disturb: impl FnOnce()) {
    check_load_in(&[database], ["APP1"; 3], stores, loses, disturb);
}

fn check_load_in<D: Asked>(
    databases: &[&D],
    structures: [&str; 3],
    stores: &[Store],
    loses: bool,
    disturb: impl FnOnce(),
) {
    let seed = setting("QSG_SEED", rand::random());
    println!("QSG_SEED={seed}");
    let queues = queues_for(stores, structures);
    let stop = Arc::new(AtomicBool::new(false));
    let lines: Vec<Vec<Line>> = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..16_usize)
            .map(|client| {
                let (store, stop) = (&stores[client % stores.len()], &stop);
                scope.spawn(move || {
                    let mut lines = Vec::new();
                    let write = Box::new(|line| lines.push(line));
                    let client = Client::new(store, queues, client as u64 + 1, seed, write);
                    let gets_in_order = client.number == 1;
                    assert!(client.run(stop, gets_in_order).is_ok(), "the database was away for too long");
                    lines
                })
            })
            .collect();
        {
            let _ended = Raised(&stop);
            disturb();
        }
        clients.into_iter().map(|client| client.join().expect("a client ends well")).collect()
    });
    let mut ledger = Ledger::default();
    lines.iter().for_each(|lines| ledger.add(lines));
    println!("{} messages", ledger.sure());
    assert!(ledger.sure() > 100, "there was load");
    // Of the last client's locks and gets, and of units that were backed out while a database was away.
    stores.iter().for_each(|store| {
        eventually("no part waits", || block_on(store.meet_group()).is_ok() && !store.waits_for_group());
    });
    databases.iter().for_each(check_nothing_is_held);
    for store in stores {
        eventually("nothing is uncommitted", || queues.all().iter().all(|queue| store.depth(*queue).uncommitted == 0));
        assert_eq!(store.shared().expect("in a group").open_units(), 0);
    }
    let left: Vec<u64> = queues.all().into_iter().flat_map(|queue| drain(&stores[0], queue)).collect();
    ledger.check(&left, loses);
    for database in databases {
        assert_eq!(count(database, "SELECT count(*) FROM message"), 0);
        eventually("decisions are forgotten", || count(database, "SELECT count(*) FROM unit") == 0);
    }
    for store in stores {
        eventually("depths are 0", || queues.all().iter().all(|queue| store.depth(*queue).current == 0));
    }
}

/// Set when it is dropped: clients end also when a test fails.
pub(crate) struct Raised<'a>(pub(crate) &'a AtomicBool);

impl Drop for Raised<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

pub(crate) fn wait(duration: Duration) {
    std::thread::sleep(duration);
}

#[test]
fn clients_of_two_members_lose_nothing_and_get_nothing_twice() {
    let database = Database::of_group("QSG1");
    let stores = ["QM1", "QM2"].map(|name| member(options(&database.url, name)));
    check_load(&database, &stores, false, || wait(Duration::from_secs(setting("QSG_SECONDS", 4))));
}

#[test]
fn connections_that_break_at_any_moment_lose_nothing_and_double_nothing() {
    let database = Database::of_group("QSG1");
    let proxy = Proxy::start(database.server.port());
    let stores = ["QM1", "QM2"].map(|name| member(options(&proxy.url(&database.url), name)));
    check_load(&database, &stores, false, || {
        let end = now() + Duration::from_secs(setting("QSG_SECONDS", 4));
        let mut round = 0_u64;
        while now() < end {
            round += 1;
            wait(Duration::from_millis(150 + round * 37 % 200));
            proxy.cut();
        }
    });
}

#[test]
fn units_over_two_databases_lose_nothing_and_double_nothing_while_connections_break() {
    let databases = Databases::new();
    let proxy = Proxy::start(databases.home.server.port());
    let stores = ["QM1", "QM2"].map(|name| databases.member(through(&proxy, databases.options(name))));
    check_load_in(&databases.both(), ["APP1", "APP1", "APP0"], &stores, false, || {
        let end = now() + Duration::from_secs(2 * setting("QSG_SECONDS", 4));
        let mut round = 0_u64;
        while now() < end {
            round += 1;
            wait(Duration::from_millis(700 + round * 137 % 700));
            proxy.cut();
        }
    });
}

#[test]
fn a_database_that_is_killed_and_started_again_loses_nothing_persistent_and_doubles_nothing() {
    let database = Database::of_group_to_be_killed("QSG1");
    let stores = ["QM1", "QM2"].map(|name| member(options(&database.url, name)));
    check_load(&database, &stores, true, || {
        for round in 0..setting("QSG_KILLS", 3) {
            wait(Duration::from_millis(700 + round * 211 % 400));
            database.server.kill(if round % 2 == 0 { "QUIT" } else { "KILL" });
            database.server.start_again();
        }
        wait(Duration::from_millis(500));
    });
    stores.iter().for_each(|store| assert!(block_on(store.create_shared_queue("APP1")).is_ok()));
}
