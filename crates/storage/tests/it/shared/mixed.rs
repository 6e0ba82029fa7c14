//! Units of work over private and shared queues, ended by a crash or a broken connection at each of their steps: both or neither.

use std::sync::Arc;
use std::time::Duration;

use model::timestamp::Timestamp;
use storage::private::log::disk::Disk;
use storage::{
    QueueId, Receipt, ReceiptKey, Selection, SharedOptions, SharedStore, Store, StoreError, UnitOfWorkId, Xid, block_on,
};

use crate::conformance::small;
use crate::postgres::Database;
use crate::shared::group::{
    NOW, check_nothing_is_held, count, create_queue, drain, eventually, know_queue, name, options, put,
};
use crate::shared::proxy::{Proxy, Way};
use crate::simulated_disk::{Faults, SimulatedDisk};

struct Home {
    database: Database,
    proxy: Proxy,
    shared: QueueId,
    private: QueueId,
    disk: Arc<SimulatedDisk>,
}

impl Home {
    /// The second answer is an open member of it.
    fn new() -> (Self, Store) {
        let database = Database::of_group("QSG1");
        let proxy = Proxy::start(database.server.port());
        let disk = Arc::new(SimulatedDisk::default());
        let store = open(&disk, impatient(&proxy, &database));
        meet_group(&store);
        let (shared, private) = (create_queue(&store), store.create_queue());
        (Self { database, proxy, shared, private, disk }, store)
    }
}

impl Crashing for Home {
    fn disk(&self) -> &SimulatedDisk {
        &self.disk
    }

    /// On another way to the database.
    fn restarted(&mut self, store: Store, seed: u64) -> Store {
        self.disk.stop();
        self.proxy.refuse(true);
        self.proxy.cut();
        drop(store);
        self.proxy.refuse(false);
        self.disk = Arc::new(self.disk.after_crash(seed));
        let store = open(&self.disk, impatient(&self.proxy, &self.database));
        meet_group(&store);
        store.retain_queues(&[self.private]);
        know_queue(&store, self.shared);
        store
    }

    fn unit(&self, store: &Store) -> UnitOfWorkId {
        let unit = store.begin();
        self.work(store, [unit, unit]);
        unit
    }

    fn is_committed(&self, store: &Store, what: &str) -> bool {
        assert_eq!(store.in_doubt(), [], "{what}");
        let left = (drain(store, self.private), drain(store, self.shared));
        assert!(left == (vec![1], vec![11]) || left == (vec![2], vec![12]), "{what}: half of it: {left:?}");
        check_nothing_is_held(&self.database);
        eventually("the decision is forgotten", || count(&self.database, "SELECT count(*) FROM unit") == 0);
        left.0 == [2]
    }
}

impl Home {
    /// Takes the message of each queue and puts another one: on the private queue in the first unit of work, on the shared one in the second.
    fn work(&self, store: &Store, units: [UnitOfWorkId; 2]) {
        for (queue, old) in [(self.private, 1), (self.shared, 11)] {
            put(store, None, queue, old, true).expect("puts");
        }
        for (unit, (queue, old)) in units.into_iter().zip([(self.private, 1), (self.shared, 11)]) {
            let got = block_on(store.get(Some(unit), queue, &Selection::default(), NOW)).expect("gets");
            assert_eq!(got.as_ref().map(name), Some(old));
            put(store, Some(unit), queue, old + 1, true).expect("puts");
        }
    }
}

fn receipt(key: u64) -> Receipt {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&key.to_be_bytes());
    // The database, whose clock is the machine's, forgets those that are over by it.
    Receipt { key: ReceiptKey(bytes), expires: Timestamp(1 << 60), value: "done".into() }
}

/// It waits less than a busy machine may take to connect.
fn meet_group(store: &Store) {
    eventually("it meets its group", || block_on(store.meet_group()).is_ok());
}

fn impatient(proxy: &Proxy, database: &Database) -> SharedOptions {
    let (patience, deadline) = (Duration::from_millis(300), Duration::from_millis(2000));
    SharedOptions { patience, deadline, ..options(&proxy.url(&database.url), "QM1") }
}

fn open(disk: &Arc<SimulatedDisk>, options: SharedOptions) -> Store {
    let (store, _) = Store::open(Arc::clone(disk) as Arc<dyn Disk>, small()).expect("opens");
    store.in_group(SharedStore::start(options).expect("starts"))
}

/// Cuts the connection in the deciding transaction, and lets none be made; then `after` brings the member back.
fn check_each_cut(step: (usize, usize), after: impl Fn(&mut Home, Store, u64) -> Store) {
    check_each_cut_of(step, false, |store, units, _| block_on(store.commit(units[0])), after, |_, _, _| {});
}

/// One unit of work over both queues, or one for each; `then` is told whether they were committed.
fn check_each_cut_of(
    step: (usize, usize),
    are_two: bool,
    commit: impl Fn(&Store, [UnitOfWorkId; 2], u64) -> Result<(), StoreError>,
    after: impl Fn(&mut Home, Store, u64) -> Store,
    then: impl Fn(&Store, u64, bool),
) {
    let (mut home, mut store) = Home::new();
    let mut rounds = 0;
    for (way, step) in [(Way::ToServer, step.0), (Way::ToClient, step.1)] {
        for bytes in (0..).step_by(step) {
            rounds += 1;
            let first = store.begin();
            let units = [first, if are_two { store.begin() } else { first }];
            home.work(&store, units);
            home.proxy.cut_transaction_after(way, bytes);
            home.proxy.refuse(true);
            let answer = commit(&store, units, rounds);
            let was_cut = home.proxy.disarm();
            home.proxy.refuse(false);
            let what = format!("cut behind byte {bytes} {way:?}, answered {answer:?}");
            assert!(was_cut == answer.is_err(), "{what}");
            assert!(matches!(answer, Ok(()) | Err(StoreError::Unreachable)), "{what}");
            store = after(&mut home, store, bytes);
            let is_committed = home.is_committed(&store, &what);
            assert!(is_committed || answer.is_err(), "{what}, and not committed");
            then(&store, rounds, is_committed);
            if !was_cut {
                break;
            }
        }
    }
}

#[test]
fn a_restart_after_a_decision_whose_answer_was_lost_finds_both_or_neither() {
    check_each_cut((150, 60), Home::restarted);
}

#[test]
fn the_same_process_finds_both_or_neither_once_the_database_is_back() {
    check_each_cut((150, 60), |_, store, _| {
        eventually("it meets its group again", || block_on(store.meet_group()).is_ok());
        store
    });
}

#[test]
fn units_that_are_committed_together_with_a_receipt_leave_all_of_it_or_nothing_whatever_is_cut() {
    let commit = |store: &Store, units: [UnitOfWorkId; 2], round| {
        block_on(store.commit_together(&units, Some(&receipt(round)), NOW))
    };
    check_each_cut_of((150, 60), true, commit, Home::restarted, |store, round, is_committed| {
        let found = block_on(store.receipt(&receipt(round).key, NOW)).expect("looks");
        assert_eq!(found.is_some(), is_committed, "in round {round}");
    });
}

#[test]
fn units_over_several_places_are_committed_together_or_backed_out_together() {
    let (home, store) = Home::new();
    let together = |key| {
        let units = [store.begin(), store.begin()];
        home.work(&store, units);
        (units, block_on(store.commit_together(&units, Some(&receipt(key)), NOW)))
    };
    assert!(matches!(together(1), (_, Ok(()))));
    assert!(home.is_committed(&store, "the first time"));
    let (units, refused) = together(1);
    assert!(matches!(refused, Err(StoreError::ReceiptTaken)), "{refused:?}");
    units.into_iter().for_each(|unit| drop(block_on(store.back_out(unit))));
    assert!(!home.is_committed(&store, "the second time"));
    // One that is over already commits with none.
    let units = [store.begin(), store.begin(), store.begin()];
    home.work(&store, [units[0], units[1]]);
    put(&store, Some(units[2]), home.private, 3, true).expect("puts");
    block_on(store.prepare(units[2], None)).expect("prepares");
    let refused = block_on(store.commit_together(&units, None, NOW));
    assert!(matches!(refused, Err(StoreError::UnknownUnitOfWork)), "{refused:?}");
    units.into_iter().for_each(|unit| block_on(store.back_out(unit)).expect("backs out"));
    assert!(!home.is_committed(&store, "with a prepared one"));
}

#[test]
fn a_crash_at_any_disk_operation_of_a_unit_over_both_leaves_both_or_neither() {
    let (home, store) = Home::new();
    check_each_crash(home, store);
}

/// Where a unit of work has parts, on a disk that can crash.
pub(crate) trait Crashing {
    fn disk(&self) -> &SimulatedDisk;
    /// One that has got and put everywhere.
    fn unit(&self, store: &Store) -> UnitOfWorkId;
    /// The process ends at once, with its machine; what a new one finds.
    fn restarted(&mut self, store: Store, seed: u64) -> Store;
    /// Whether it was committed everywhere; empties the queues.
    fn is_committed(&self, store: &Store, what: &str) -> bool;
}

/// Crashes at each disk operation of a commit.
pub(crate) fn check_each_crash(mut home: impl Crashing, mut store: Store) {
    let mut committed = 0;
    for crash_at in 1.. {
        let unit = home.unit(&store);
        let crash_at = home.disk().operations() + crash_at;
        home.disk().set_faults(Faults { crash_at: Some(crash_at), ..Faults::default() });
        let answer = block_on(store.commit(unit));
        let has_crashed = home.disk().crashed();
        store = home.restarted(store, crash_at);
        let is_committed = home.is_committed(&store, &format!("a crash at {crash_at}, answered {answer:?}"));
        assert!(is_committed || answer.is_err());
        committed += u32::from(is_committed);
        if !has_crashed {
            break;
        }
    }
    assert!(committed > 1, "a crash behind the decision leaves it committed");
}

#[test]
fn the_coordinator_finds_one_transaction_after_a_restart_and_ends_both_parts_of_it() {
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
fn units_over_both_go_on_while_the_group_is_met_again() {
    let (home, store) = Home::new();
    std::thread::scope(|scope| {
        let meets = scope.spawn(|| (0..60).for_each(|_| block_on(store.meet_group()).expect("meets its group")));
        for round in 0_u64..60 {
            let unit = store.begin();
            put(&store, Some(unit), home.private, round, true).expect("puts");
            put(&store, Some(unit), home.shared, round, true).expect("puts");
            block_on(store.commit(unit)).expect("commits");
        }
        meets.join().expect("ends");
    });
    assert_eq!(drain(&store, home.private), (0..60).collect::<Vec<_>>());
    assert_eq!(drain(&store, home.shared), (0..60).collect::<Vec<_>>());
}
