//! Each kind of call × each error × each n-th call, once or from then on: whatever the disk refuses, the store says so to
//! the caller, loses nothing that it answered, and either goes on or has failed for good.
//!
//! The same for calls that stall: what needs no disk goes on meanwhile, a process that is killed then has lost nothing, and
//! callers who waited get their answers when the disk goes on, or the error that it ends in.
//!
//! `FAULT_CALLS=200` refuses or stalls the first to the 200th call of each kind in turn; by default some of the first hundred.

mod caller;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use model::message::Message;
use storage::private::log::disk::Disk;
use storage::{Placement, PrivateStore, QueueId, Selection, StoreOptions, block_on};

use crate::conformance::small;
use crate::simulated_disk::{Call, Faults, Gate, Refusal, SimulatedDisk, Stall};
use crate::workload::{FOREVER, message};

use caller::{Answered, Caller};

const CALLS: [Call; 6] = [Call::Create, Call::Write, Call::Sync, Call::Rename, Call::Read, Call::Remove];
const ERRORS: [i32; 4] = [libc::EIO, libc::ENOSPC, libc::EMFILE, libc::EACCES];

/// Messages in memory, in spill files, in the log and in files of their own; extents are freed soon, and the anchor is written
/// often.
fn options() -> StoreOptions {
    let anchor_interval = Duration::from_micros(200);
    StoreOptions { buffer_pool_bytes: 6 << 10, large_body_bytes: 900, anchor_interval, ..small() }
}

fn calls() -> Vec<u64> {
    let given = std::env::var("FAULT_CALLS").ok().and_then(|number| number.parse().ok());
    given.map_or_else(|| vec![1, 2, 3, 5, 8, 13, 21, 34, 55, 89], |last: u64| (1..=last).collect())
}

fn open(disk: &Arc<SimulatedDisk>, options: StoreOptions) -> Arc<PrivateStore> {
    let (store, _) = PrivateStore::open(Arc::clone(disk) as Arc<dyn Disk>, options).expect("opens");
    Arc::new(store)
}

/// What a start finds on the disk as it is left by a power failure now is what was answered.
fn check_start(case: &str, disk: &SimulatedDisk, seed: u64, queue: QueueId, answered: &Mutex<Answered>) {
    // No answer is noted between the two copies.
    let (after, answered) = {
        let answered = answered.lock().unwrap();
        (disk.after_crash(seed), answered.clone())
    };
    let opened = PrivateStore::open(Arc::new(after), options());
    let (store, recovered) = opened.unwrap_or_else(|error| panic!("{case}: the next start is refused: {error}"));
    store.retain_queues(&[queue]);
    answered.check(case, &crate::oracle::names(&store, queue), recovered.definitions);
}

/// The disk is well again: a log that has failed takes no more, any other takes puts. Then the process is killed. True when the
/// log has failed. `is_ended`: it has said so to the caller.
fn end(
    case: &str,
    disk: &SimulatedDisk,
    store: Arc<PrivateStore>,
    mut caller: Caller,
    is_ended: bool,
    seed: u64,
) -> bool {
    disk.set_faults(Faults::default());
    if is_ended {
        assert!(caller.put().is_err(), "{case}: a log that has failed takes no more");
    } else {
        // Full is full until the next attempt; nothing else lasts.
        let goes_on = (0..300_000).any(|_| {
            std::thread::sleep(Duration::from_millis(1));
            caller.put().unwrap_or(true)
        });
        assert!(goes_on, "{case}: the disk is well again and puts are refused");
    }
    let (queue, answered) = (caller.queue(), caller.answered());
    let has_failed = store.statistics().log_failed;
    disk.stop();
    drop((store, caller));
    check_start(case, disk, seed, queue, &answered);
    has_failed
}

#[derive(Debug)]
struct Outcome {
    /// The disk did refuse something.
    refused: bool,
    has_failed: bool,
}

fn refuse(refusal: Refusal, tears: bool) -> Outcome {
    let case = format!("{refusal:?}, torn: {tears}");
    let disk = Arc::new(SimulatedDisk::default());
    let store = open(&disk, options());
    let mut caller = Caller::new(&store, refusal.from, Some(refusal.error));
    assert!(caller.run(30).is_ok(), "{case}: the disk is well");
    disk.set_faults(Faults { refusal: Some(refusal), tears, ..Faults::default() });
    let ended = caller.run(150);
    let refused = disk.refused() > 0;
    let has_failed = end(&case, &disk, store, caller, ended.is_err(), refusal.from);
    Outcome { refused, has_failed }
}

/// The log goes on without its anchor: what the file says stays true.
#[test]
fn an_anchor_that_cannot_be_written_harms_nothing() {
    for call in [Call::Write, Call::Sync] {
        for error in ERRORS {
            for (from, count) in [(1, 1), (2, 3), (3, u64::MAX / 2)] {
                for tears in [false, call == Call::Write] {
                    let refusal = Refusal { call, files: "anchor", from, count, error };
                    let ended = refuse(refusal, tears);
                    assert!(ended.refused && !ended.has_failed, "{refusal:?}: {ended:?}");
                }
            }
        }
    }
}

#[test]
fn whatever_the_disk_refuses_nothing_answered_is_lost_and_nothing_is_silent() {
    for call in CALLS {
        let mut refusals = 0;
        for error in ERRORS {
            for from in calls() {
                for count in [1, u64::MAX / 2] {
                    let refusal = Refusal { call, files: "", from, count, error };
                    refusals += u32::from(refuse(refusal, false).refused);
                    if call == Call::Write {
                        refusals += u32::from(refuse(refusal, true).refused);
                    }
                }
            }
        }
        println!("{call:?}: {refusals} runs with a refusal");
        assert!(refusals >= 8, "{call:?} is refused in some runs");
    }
}

/// Messages that are in memory alone, on a queue of their own.
struct Bystander {
    store: Arc<PrivateStore>,
    queue: QueueId,
    next: u64,
}

impl Bystander {
    const FIRST: u64 = 1_000_000;
    const PLACEMENT: Placement =
        Placement { by_priority: false, maximum_depth: u32::MAX, expires: None, persistent: false };

    /// With messages that were put while the disk was well.
    fn new(store: &Arc<PrivateStore>) -> Self {
        let mut bystander = Self { store: Arc::clone(store), queue: store.create_queue(), next: Self::FIRST };
        (0..4).for_each(|_| bystander.put(None));
        bystander
    }

    fn message(name: u64) -> Message {
        // Every seventh name from here has a short body.
        message(name * 7, false, 0)
    }

    fn put(&mut self, unit: Option<storage::UnitOfWorkId>) {
        let put = self.store.put(unit, self.queue, Self::message(self.next), Self::PLACEMENT, FOREVER);
        block_on(put).expect("it needs no disk");
        self.next += 1;
    }

    fn get(&self) {
        let seen = block_on(self.store.browse(self.queue, None, &Selection::default(), FOREVER)).expect("readable");
        let got = block_on(self.store.get(None, self.queue, &Selection::default(), FOREVER)).expect("readable");
        assert_eq!(seen.map(|seen| seen.message.body), got.map(|got| got.message.body));
    }

    /// `puts`: there is room in memory for more.
    fn work(&mut self, puts: bool) {
        for _ in 0..2 {
            self.get();
        }
        for _ in 0..if puts { 10 } else { 0 } {
            self.put(None);
            let unit = self.store.begin();
            self.put(Some(unit));
            block_on(self.store.commit(unit)).expect("it needs no disk");
            let unit = self.store.begin();
            self.put(Some(unit));
            block_on(self.store.back_out(unit)).expect("it needs no disk");
            self.get();
            self.get();
        }
    }
}

/// True when a call did stall. `error`: what the stalled calls end in.
fn stall(call: Call, from: u64, error: Option<i32>) -> bool {
    let case = format!("{call:?} {from} stalls, then {error:?}");
    let disk = Arc::new(SimulatedDisk::default());
    // A read needs messages that are not in memory, everything else goes with memory for all.
    let is_roomy = call != Call::Read;
    let options = StoreOptions { buffer_pool_bytes: if is_roomy { 1 << 20 } else { 6 << 10 }, ..options() };
    let store = open(&disk, options);
    let mut bystander = Bystander::new(&store);
    let mut caller = Caller::new(&store, from, error);
    assert!(caller.run(30).is_ok(), "{case}: the disk is well");
    let gate = Arc::new(Gate::default());
    let refusal = error.map(|error| Refusal { call, files: "", from, count: u64::MAX / 2, error });
    disk.set_faults(Faults {
        stall: Some(Stall { call, from, gate: Arc::clone(&gate) }),
        refusal,
        ..Faults::default()
    });
    let (queue, answered) = (caller.queue(), caller.answered());
    let worker = std::thread::spawn(move || {
        let ended = caller.run(150);
        (caller, ended)
    });
    let stalls = gate.until_reached(|| !worker.is_finished());
    if stalls {
        bystander.work(is_roomy);
        check_start(&format!("{case}: killed meanwhile"), &disk, from, queue, &answered);
    }
    assert!(gate.open(), "{case}: something waited for the stalled call");
    let (caller, ended) = worker.join().unwrap_or_else(|_| panic!("{case}: the caller panicked"));
    assert!(error.is_some() || ended.is_ok(), "{case}: a stall alone fails nothing");
    drop(bystander);
    end(&case, &disk, store, caller, ended.is_err(), from);
    stalls
}

#[test]
fn while_a_call_stalls_what_needs_no_disk_goes_on_and_nothing_answered_is_lost() {
    for call in CALLS {
        let mut stalls = 0;
        for error in [None, Some(libc::EIO), Some(libc::ENOSPC)] {
            for from in calls() {
                stalls += u32::from(stall(call, from, error));
            }
        }
        println!("{call:?}: {stalls} runs with a stall");
        assert!(stalls >= 3, "{call:?} stalls in some runs");
    }
}
