//! Units of work over the recovery log and two databases, ended by a crash or a broken connection at each of their steps: everywhere or
//! nowhere.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use storage::private::log::disk::Disk;
use storage::{GroupStore, QueueId, SharedOptions, Store, StoreError, UnitOfWorkId, Xid, block_on};

use crate::conformance::small;
use crate::postgres::{Database, make_group};
use crate::shared::group::{
    browse, check_nothing_is_held, count, create_queue_in, drain, eventually, get, know_queue, member, now, options,
    put,
};
use crate::shared::mixed::{Crashing, check_each_crash};
use crate::shared::proxy::{Proxy, Way};
use crate::shared::structures::{Databases, through, with_structure};
use crate::simulated_disk::SimulatedDisk;

/// Of such a commit, in order: the part is prepared, the unit is decided, the part follows.
const TRANSACTIONS: u32 = 3;

struct Home {
    databases: Databases,
    proxy: Proxy,
    disk: Arc<SimulatedDisk>,
    private: QueueId,
    /// In the home, and in the structure's own database.
    shared: [QueueId; 2],
}

impl Home {
    /// The second answer is an open member of it.
    fn new() -> (Self, Store) {
        let databases = Databases::new();
        let proxy = Proxy::start(databases.home.server.port());
        let disk = Arc::new(SimulatedDisk::default());
        let store = open(&disk, impatient(&proxy, &databases));
        take_part(&store);
        let shared = ["APP0", "APP1"].map(|structure| create_queue_in(&store, structure));
        let private = store.create_queue();
        (Self { databases, proxy, disk, private, shared }, store)
    }

    fn queues(&self) -> [QueueId; 3] {
        [self.private, self.shared[0], self.shared[1]]
    }

    /// The process ends at once, with its machine.
    fn crash(&mut self, store: Store, seed: u64) {
        self.disk.stop();
        self.proxy.refuse(true);
        self.proxy.cut();
        drop(store);
        self.disk = Arc::new(self.disk.after_crash(seed));
    }

    /// A new process.
    fn start(&self) -> Store {
        self.proxy.refuse(false);
        let store = open(&self.disk, impatient(&self.proxy, &self.databases));
        take_part(&store);
        store.retain_queues(&[self.private]);
        self.shared.iter().for_each(|queue| know_queue(&store, *queue));
        store
    }

    fn check_rest(&self) {
        for database in self.databases.both() {
            check_nothing_is_held(database);
            eventually("the decision is forgotten", || count(database, "SELECT count(*) FROM unit") == 0);
        }
    }
}

impl Crashing for Home {
    fn disk(&self) -> &SimulatedDisk {
        &self.disk
    }

    fn restarted(&mut self, store: Store, seed: u64) -> Store {
        self.crash(store, seed);
        self.start()
    }

    fn unit(&self, store: &Store) -> UnitOfWorkId {
        let unit = store.begin();
        for queue in self.queues() {
            put(store, None, queue, 1, true).expect("puts");
            assert_eq!(get(store, Some(unit), queue).expect("gets"), Some(1));
            put(store, Some(unit), queue, 2, true).expect("puts");
        }
        unit
    }

    fn is_committed(&self, store: &Store, what: &str) -> bool {
        assert_eq!(store.in_doubt(), [], "{what}");
        let left = self.queues().map(|queue| drain(store, queue));
        assert!([[1], [2]].iter().any(|all| left.iter().all(|left| left == all)), "{what}: half of it: {left:?}");
        self.check_rest();
        left[0] == [2]
    }
}

fn impatient(proxy: &Proxy, databases: &Databases) -> SharedOptions {
    let (patience, deadline) = (Duration::from_millis(300), Duration::from_millis(2000));
    SharedOptions { patience, deadline, ..through(proxy, databases.options("QM1")) }
}

fn open(disk: &Arc<SimulatedDisk>, options: SharedOptions) -> Store {
    let (store, _) = Store::open(Arc::clone(disk) as Arc<dyn Disk>, small()).expect("opens");
    store.in_group(GroupStore::start(options).expect("starts"))
}

/// Until it reaches both databases, and no part of a unit waits any more.
fn take_part(store: &Store) {
    eventually("takes part at both", || {
        store.reaches_whole_group() && block_on(store.meet_group()).is_ok() && !store.waits_for_group()
    });
}

/// Cuts the connection in each transaction of a commit, and lets none be made; then `after` brings the member back.
fn check_each_cut(step: (usize, usize), after: impl Fn(&mut Home, Store, u64) -> Store) {
    let (mut home, mut store) = Home::new();
    let mut ends = [0, 0];
    for others in 0..TRANSACTIONS {
        for (way, step) in [(Way::ToServer, step.0), (Way::ToClient, step.1)] {
            for bytes in (0..).step_by(step) {
                let unit = home.unit(&store);
                home.proxy.cut_later_transaction_after(others, way, bytes);
                home.proxy.refuse(true);
                let answer = block_on(store.commit(unit));
                let was_cut = home.proxy.disarm();
                home.proxy.refuse(false);
                let what = format!("transaction {others} cut behind byte {bytes} {way:?}, answered {answer:?}");
                store = after(&mut home, store, bytes);
                let is_committed = home.is_committed(&store, &what);
                match answer {
                    Ok(()) => assert!(is_committed, "{what}, and not committed"),
                    Err(StoreError::BackedOut) => assert!(!is_committed, "{what}, and committed"),
                    Err(StoreError::Unreachable) => {}
                    Err(_) => panic!("{what}"),
                }
                ends[usize::from(is_committed)] += 1;
                if !was_cut {
                    break;
                }
            }
        }
    }
    assert!(ends.iter().all(|count| *count > 0), "some are committed and some are not: {ends:?}");
}

#[test]
fn a_restart_after_a_broken_connection_at_any_step_finds_all_parts_or_none() {
    check_each_cut((400, 150), Home::restarted);
}

#[test]
fn the_same_process_ends_all_parts_alike_once_its_databases_are_back() {
    check_each_cut((400, 150), |_, store, _| {
        take_part(&store);
        store
    });
}

#[test]
fn a_crash_at_any_disk_operation_of_a_unit_over_two_databases_leaves_all_parts_or_none() {
    let (home, store) = Home::new();
    check_each_crash(home, store);
}

/// The member dies at each step and stays away: its peer ends what it has left in the databases. Later it comes back, and its log agrees.
#[test]
fn a_peer_ends_all_parts_of_a_dead_members_unit_alike_and_its_log_follows() {
    std::thread::scope(|scope| {
        for others in 0..TRANSACTIONS {
            for way in [Way::ToServer, Way::ToClient] {
                scope.spawn(move || check_peer(others, way));
            }
        }
    });
}

fn check_peer(others: u32, way: Way) {
    let (mut home, store) = Home::new();
    let peer = member(SharedOptions { silence: Duration::from_secs(1), ..home.databases.options("QM2") });
    home.shared.iter().for_each(|queue| know_queue(&peer, *queue));
    let unit = home.unit(&store);
    home.proxy.cut_later_transaction_after(others, way, 0);
    let what = format!("transaction {others} cut {way:?}");
    // Once the connection is cut, all are, and none can be made.
    std::thread::scope(|scope| {
        let ending = scope.spawn(|| block_on(store.commit(unit)));
        eventually(&what, || home.proxy.has_sprung());
        home.proxy.refuse(true);
        home.proxy.cut();
        assert!(matches!(ending.join().expect("ends"), Ok(()) | Err(StoreError::BackedOut | StoreError::Unreachable)));
    });
    home.crash(store, 1);
    let mut left = Vec::new();
    eventually(&what, || {
        left = home.shared.iter().map(|queue| browse(&peer, *queue)).collect::<Vec<_>>();
        left.iter().all(|left| left.len() == 1)
    });
    let is_decided = left[0] == [(2, 0)];
    assert!(left.iter().all(|found| found[..] == if is_decided { [(2, 0)] } else { [(1, 1)] }), "{what}: {left:?}");
    for database in home.databases.both() {
        check_nothing_is_held(database);
    }
    let store = home.start();
    assert_eq!(home.is_committed(&store, &what), is_decided, "{what}: the log agrees");
}

#[test]
fn the_coordinator_finds_one_transaction_over_two_databases_and_ends_all_parts_of_it() {
    let (mut home, mut store) = Home::new();
    for commits in [true, false] {
        let unit = home.unit(&store);
        let xid = Xid { format_id: 1, global_transaction: vec![u8::from(commits); 8], branch: vec![1] };
        block_on(store.prepare(unit, Some(xid.clone()))).expect("prepares");
        store = home.restarted(store, 3);
        let in_doubt = store.in_doubt();
        assert_eq!(in_doubt.iter().map(|(_, xid)| xid.clone()).collect::<Vec<_>>(), [Some(xid)]);
        let unit = in_doubt[0].0;
        let ended = if commits { block_on(store.commit(unit)) } else { block_on(store.back_out(unit)) };
        ended.expect("ends");
        assert_eq!(home.is_committed(&store, "prepared"), commits);
    }
}

#[test]
fn a_unit_with_a_part_in_a_database_that_is_away_is_backed_out_and_one_that_is_decided_follows_later() {
    let databases = [Database::empty(), Database::empty()];
    let [home, own] = &databases;
    let proxy = Proxy::start(own.server.port());
    make_group(&with_structure(options(&home.url, ""), "APP1", &own.url), "QSG1").expect("makes the tables");
    let far = with_structure(options(&home.url, "QM1"), "APP1", &proxy.url(&own.url));
    let store = member(SharedOptions { patience: Duration::from_millis(300), ..far });
    take_part(&store);
    let queues = ["APP0", "APP1"].map(|structure| create_queue_in(&store, structure));
    let unit = |name| {
        let unit = store.begin();
        queues.iter().for_each(|queue| put(&store, Some(unit), *queue, name, true).expect("puts"));
        unit
    };
    let away = unit(1);
    proxy.refuse(true);
    proxy.cut();
    let ended = block_on(store.commit(away));
    assert!(matches!(ended, Err(StoreError::BackedOut)), "{ended:?}");
    assert_eq!(drain(&store, queues[0]), [0; 0]);
    put(&store, None, queues[0], 7, true).expect("the home goes on");
    assert_eq!(drain(&store, queues[0]), [7]);
    proxy.refuse(false);
    take_part(&store);
    // Behind its decision, of which the home alone knows.
    let decided = unit(2);
    proxy.cut_later_transaction_after(1, Way::ToServer, 0);
    std::thread::scope(|scope| {
        let ending = scope.spawn(|| block_on(store.commit(decided)));
        eventually("the part is to follow", || proxy.has_sprung());
        proxy.refuse(true);
        ending.join().expect("ends").expect("it is committed");
    });
    assert!(store.waits_for_group());
    assert_eq!(drain(&store, queues[0]), [2]);
    assert_eq!(count(home, "SELECT count(*) FROM unit"), 1, "the decision is kept");
    proxy.refuse(false);
    take_part(&store);
    assert_eq!(drain(&store, queues[1]), [2]);
    databases.iter().for_each(check_nothing_is_held);
    eventually("the decision is forgotten", || count(home, "SELECT count(*) FROM unit") == 0);
}

/// The caller goes away at any moment of a commit over the recovery log and two databases; the queue manager asks for it again, as it does.
#[test]
fn a_commit_that_is_dropped_at_any_moment_and_asked_for_again_commits_all_parts_or_none() {
    let (home, store) = Home::new();
    let mut committed = 0;
    for moment in (0..24).map(|step| Duration::from_micros(step * step * 60)) {
        let unit = home.unit(&store);
        let dropped = drop_within(moment, Box::pin(store.commit(unit)));
        let again = dropped.unwrap_or_else(|| block_on(store.commit(unit)));
        assert!(matches!(again, Ok(()) | Err(StoreError::BackedOut)), "{moment:?}: {again:?}");
        take_part(&store);
        let is_committed = home.is_committed(&store, &format!("dropped after {moment:?}"));
        assert_eq!(is_committed, again.is_ok(), "{moment:?}");
        committed += u32::from(is_committed);
    }
    assert!(committed > 0);
}

/// As above, and the process ends before it is asked for again.
#[test]
fn a_commit_that_is_dropped_at_any_moment_before_a_crash_leaves_all_parts_or_none() {
    let (mut home, mut store) = Home::new();
    for step in 0..12 {
        let moment = Duration::from_micros(step * step * 240);
        let unit = home.unit(&store);
        let dropped = drop_within(moment, Box::pin(store.commit(unit)));
        store = home.restarted(store, step);
        let is_committed = home.is_committed(&store, &format!("dropped after {moment:?}"));
        assert!(is_committed || !matches!(dropped, Some(Ok(()))), "{moment:?}");
    }
}

/// Goes on with it for so long, and drops it. The answer, if it was there by then.
fn drop_within<T>(moment: Duration, mut verb: Pin<Box<dyn Future<Output = T> + '_>>) -> Option<T> {
    let mut context = Context::from_waker(Waker::noop());
    let started = now();
    loop {
        if let Poll::Ready(answer) = verb.as_mut().poll(&mut context) {
            return Some(answer);
        }
        if started.elapsed() >= moment {
            return None;
        }
        std::thread::sleep(Duration::from_micros(50));
    }
}
