//! The disk stops at a chosen operation, forgets what was not synced, and the store starts again: everything answered
//! is there exactly once, nothing got is back, and the one unanswered operation happened whole or not at all.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use model::identifier::MessageId;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use storage::private::log::disk::Disk;
use storage::{Placement, PrivateStore, QueueId, Selection, StoreOptions, before_sleep, block_on};

use crate::conformance::small;
use crate::oracle::Oracle;
use crate::simulated_disk::{Faults, SimulatedDisk};
use crate::workload::{Ended, FOREVER, Workload, message};

/// Small enough that messages live in memory, in spill files, in the log and in files of their own.
fn options() -> StoreOptions {
    StoreOptions { buffer_pool_bytes: 6 << 10, large_body_bytes: 900, ..small() }
}

struct Life {
    disk: Arc<SimulatedDisk>,
    oracle: Oracle,
    random: StdRng,
    next_name: u64,
    options: StoreOptions,
}

/// The anchor is written when an extent is begun or freed, or as well after every batch.
const ANCHOR_INTERVALS: [Duration; 2] = [Duration::from_secs(3600), Duration::ZERO];

impl Life {
    fn new(seed: u64, anchor_interval: Duration) -> Self {
        let disk = Arc::new(SimulatedDisk::default());
        let options = StoreOptions { anchor_interval, ..options() };
        Self { disk, oracle: Oracle::default(), random: StdRng::seed_from_u64(seed), next_name: 1, options }
    }

    /// Opens, works until the disk stops at its `crash_at`th operation or the steps are done, and checks what a start
    /// finds afterwards.
    fn generation(&mut self, crash_at: u64, steps: u32) {
        self.disk.set_faults(Faults { crash_at: Some(crash_at), ..Faults::default() });
        let before = self.oracle.restarted();
        let mut possible = vec![before];
        if let Ok((store, _)) = PrivateStore::open(Arc::clone(&self.disk) as Arc<dyn Disk>, self.options.clone()) {
            let queues: Vec<QueueId> = self.oracle.queues.keys().copied().collect();
            store.retain_queues(&queues);
            let mut workload = Workload {
                store: &store,
                oracle: &mut self.oracle,
                random: &mut self.random,
                next_name: &mut self.next_name,
            };
            let ended = workload.run(steps);
            possible = vec![self.oracle.restarted()];
            if let Ended::Failed { after } = ended {
                assert!(self.disk.crashed(), "only the disk's stop makes the log fail");
                possible.push(after.restarted());
            }
            // As a killed process: nothing more reaches the disk.
            self.disk.stop();
        }
        self.disk = Arc::new(self.disk.after_crash(self.random.r#gen()));
        self.oracle = self.recovered(possible);
    }

    /// The one of the possible states that the log holds.
    fn recovered(&self, possible: Vec<Oracle>) -> Oracle {
        let copy: Arc<dyn Disk> = Arc::new(self.disk.copy());
        let (store, recovered) = PrivateStore::open(copy, self.options.clone()).expect("a crash is recovered from");
        let mut complaints = Vec::new();
        for oracle in possible {
            let queues: Vec<QueueId> = oracle.queues.keys().copied().collect();
            // Retaining sets aside: look at a store of its own for each possibility.
            let copy: Arc<dyn Disk> = Arc::new(self.disk.copy());
            let (store, _) = PrivateStore::open(copy, self.options.clone()).expect("opens again");
            store.retain_queues(&queues);
            let differences = oracle.differences(&store, &recovered.definitions);
            if differences.is_empty() {
                return self.with_keys(oracle, &store);
            }
            complaints.push(differences);
        }
        drop(store);
        panic!("the log holds none of the possible states: {complaints:#?}");
    }

    /// The key of an unanswered put is known only now.
    fn with_keys(&self, mut oracle: Oracle, store: &PrivateStore) -> Oracle {
        for (queue, messages) in &mut oracle.queues {
            let unknown: Vec<_> = messages.keys().copied().filter(|key| key.position.0 == u64::MAX >> 4).collect();
            for key in unknown {
                let known = messages.remove(&key).expect("it was just seen");
                if let Some(found) = crate::oracle::key_of(store, *queue, known.name) {
                    messages.insert(found, known);
                }
            }
        }
        oracle
    }
}

#[test]
fn a_crash_at_any_disk_operation_loses_and_duplicates_nothing() {
    for anchor_interval in ANCHOR_INTERVALS {
        for crash_at in 1..=250 {
            let mut life = Life::new(7, anchor_interval);
            life.generation(crash_at, 400);
            life.generation(1 + crash_at % 40, 60);
        }
    }
}

#[test]
fn many_crashes_in_a_row_lose_and_duplicate_nothing() {
    // More on demand: CRASH_SEEDS=5000 takes about four minutes.
    let seeds = std::env::var("CRASH_SEEDS").ok().and_then(|number| number.parse().ok()).unwrap_or(30);
    for seed in 100..100 + seeds {
        println!("seed {seed}");
        let mut life = Life::new(seed, ANCHOR_INTERVALS[usize::from(seed % 2 == 1)]);
        for _ in 0..6 {
            let crash_at = life.random.gen_range(1..300);
            life.generation(crash_at, 300);
        }
    }
}

/// What one of several concurrent callers knows when the disk stops.
#[derive(Default)]
struct Ledger {
    present: BTreeSet<u64>,
    absent: BTreeSet<u64>,
    /// All there or none there.
    open: Vec<Vec<u64>>,
}

/// Puts alone and in pairs and gets its own messages back by identifier, until the log fails.
fn call(store: &PrivateStore, queue: QueueId, caller: u64, seed: u64) -> Ledger {
    if caller.is_multiple_of(2) {
        before_sleep();
    }
    let placement = Placement { by_priority: true, maximum_depth: u32::MAX, expires: None, persistent: true };
    let mut random = StdRng::seed_from_u64(seed ^ caller << 32);
    let mut ledger = Ledger::default();
    for name in (1..).map(|number| number * 10 + caller) {
        let pair = [name * 1_000_000, name * 1_000_000 + 1];
        match random.gen_range(0..3) {
            0 => {
                if block_on(store.put(None, queue, message(name, true, 3), placement, FOREVER)).is_err() {
                    ledger.open.push(vec![name]);
                    return ledger;
                }
                ledger.present.insert(name);
            }
            1 => {
                let unit = store.begin();
                for name in pair {
                    if block_on(store.put(Some(unit), queue, message(name, true, 3), placement, FOREVER)).is_err() {
                        ledger.absent.extend(pair);
                        return ledger;
                    }
                }
                if block_on(store.commit(unit)).is_err() {
                    ledger.open.push(pair.to_vec());
                    return ledger;
                }
                ledger.present.extend(pair);
            }
            _ => {
                let Some(name) = ledger.present.pop_first() else { continue };
                let message_id: MessageId = message(name, true, 3).descriptor.message_id;
                let selection = Selection { message_id: Some(message_id), ..Selection::default() };
                match block_on(store.get(None, queue, &selection, FOREVER)) {
                    Ok(got) => {
                        assert!(got.is_some(), "message {name} is there");
                        ledger.absent.insert(name);
                    }
                    Err(_) => {
                        ledger.open.push(vec![name]);
                        return ledger;
                    }
                }
            }
        }
    }
    unreachable!("names do not end")
}

#[test]
fn a_crash_under_concurrent_callers_keeps_every_answer_and_every_unit_whole() {
    for seed in 0..60_u64 {
        println!("seed {seed}");
        let disk = Arc::new(SimulatedDisk::default());
        let options = StoreOptions { anchor_interval: ANCHOR_INTERVALS[usize::from(seed % 2 == 1)], ..options() };
        let (store, _) = PrivateStore::open(Arc::clone(&disk) as Arc<dyn Disk>, options.clone()).expect("opens");
        let queue = store.create_queue();
        let crash_at = disk.operations() + 1 + seed * 3;
        disk.set_faults(Faults { crash_at: Some(crash_at), ..Faults::default() });
        let ledgers: Vec<Ledger> = std::thread::scope(|scope| {
            let callers: Vec<_> = (0..6)
                .map(|caller| {
                    scope.spawn({
                        let store = store.clone();
                        move || call(&store, queue, caller, seed)
                    })
                })
                .collect();
            callers.into_iter().map(|caller| caller.join().expect("a caller ends well")).collect()
        });
        drop(store);
        let after: Arc<dyn Disk> = Arc::new(disk.after_crash(seed));
        let (store, _) = PrivateStore::open(after, options).expect("recovers");
        store.retain_queues(&[queue]);
        let names = crate::oracle::names(&store, queue);
        let found: BTreeSet<u64> = names.iter().copied().collect();
        assert_eq!(found.len(), names.len(), "nothing is there twice");
        let mut explained = BTreeSet::new();
        for ledger in ledgers {
            assert!(ledger.present.is_subset(&found), "lost: {:?}", ledger.present.difference(&found));
            assert!(ledger.absent.is_disjoint(&found), "back: {:?}", ledger.absent.intersection(&found));
            explained.extend(ledger.present);
            for group in ledger.open {
                let there = group.iter().filter(|name| found.contains(name)).count();
                assert!(there == 0 || there == group.len(), "half of a unit of work: {group:?}");
                explained.extend(group);
            }
        }
        assert!(found.is_subset(&explained), "out of nowhere: {:?}", found.difference(&explained));
    }
}
