//! Each kind of call × each error × each n-th call, once or from then on: whatever the disk refuses, the store says so to
//! the caller, loses nothing that it answered, and either goes on or has failed for good.
//!
//! `FAULT_CALLS=200` refuses the first to the 200th call of each kind in turn; by default some of the first hundred.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use model::identifier::MessageId;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use storage::private::log::disk::Disk;
use storage::{DefinitionChange, Placement, PrivateStore, QueueId, Selection, StoreError, StoreOptions, block_on};

use crate::conformance::small;
use crate::simulated_disk::{Call, Faults, Refusal, SimulatedDisk};
use crate::workload::{FOREVER, message};

const CALLS: [Call; 6] = [Call::Create, Call::Write, Call::Sync, Call::Rename, Call::Read, Call::Remove];
const ERRORS: [i32; 4] = [libc::EIO, libc::ENOSPC, libc::EMFILE, libc::EACCES];
const PLACEMENT: Placement = Placement { by_priority: true, maximum_depth: u32::MAX, expires: None, persistent: true };

/// Messages in memory, in spill files, in the log and in files of their own; extents are freed soon, and the anchor is written
/// often.
fn options() -> StoreOptions {
    let anchor_interval = Duration::from_micros(200);
    StoreOptions { buffer_pool_bytes: 6 << 10, large_body_bytes: 900, anchor_interval, ..small() }
}

/// What the answers of a store say that a start must find.
#[derive(Default)]
struct Answered {
    present: BTreeSet<u64>,
    absent: BTreeSet<u64>,
    /// All there or none there: the store failed before it answered.
    open: Vec<Vec<u64>>,
    definitions: BTreeMap<String, Vec<u8>>,
    /// Perhaps the last one is there.
    open_definition: Option<(String, Vec<u8>)>,
}

struct Caller<'a> {
    store: &'a PrivateStore,
    queue: QueueId,
    answered: Answered,
    random: StdRng,
    next: u64,
    /// What the disk says when it refuses.
    error: i32,
}

/// The store takes no more.
struct Failed;

impl Caller<'_> {
    fn run(&mut self, steps: u32) -> Result<(), Failed> {
        for _ in 0..steps {
            match self.random.gen_range(0..10) {
                0..=3 => self.put(),
                4..=5 => self.pair(),
                6..=8 => self.get(),
                _ => self.define(),
            }?;
        }
        Ok(())
    }

    fn name(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    fn put_in(&self, unit: Option<storage::UnitOfWorkId>, name: u64) -> Result<(), StoreError> {
        let priority = i32::try_from(name % 10).expect("a digit");
        block_on(self.store.put(unit, self.queue, message(name, true, priority), PLACEMENT, FOREVER)).map(drop)
    }

    fn put(&mut self) -> Result<(), Failed> {
        let name = self.name();
        match self.put_in(None, name) {
            Ok(()) => drop(self.answered.present.insert(name)),
            Err(error) => {
                // Refused is refused: it must not be there later. Of a log that failed nobody knows.
                if self.is_refusal(&error)? {
                    self.answered.absent.insert(name);
                } else {
                    self.answered.open.push(vec![name]);
                    return Err(Failed);
                }
            }
        }
        Ok(())
    }

    /// Two messages in one unit of work.
    fn pair(&mut self) -> Result<(), Failed> {
        let names = [self.name(), self.name()];
        let unit = self.store.begin();
        let mut put = Vec::new();
        for name in names {
            match self.put_in(Some(unit), name) {
                Ok(()) => put.push(name),
                Err(error) if self.is_refusal(&error)? => drop(self.answered.absent.insert(name)),
                Err(_) => {
                    self.answered.absent.extend(names);
                    return Err(Failed);
                }
            }
        }
        match block_on(self.store.commit(unit)) {
            Ok(()) => self.answered.present.extend(put),
            Err(error) if self.is_refusal(&error)? => {
                let backed_out = block_on(self.store.back_out(unit));
                self.answered.absent.extend(put);
                if backed_out.is_err_and(|error| matches!(error, StoreError::LogFailed(_))) {
                    return Err(Failed);
                }
            }
            Err(_) => {
                self.answered.open.push(put);
                return Err(Failed);
            }
        }
        Ok(())
    }

    fn get(&mut self) -> Result<(), Failed> {
        let Some(name) = self.answered.present.pop_first() else { return Ok(()) };
        let message_id: MessageId = message(name, true, 0).descriptor.message_id;
        let selection = Selection { message_id: Some(message_id), ..Selection::default() };
        match block_on(self.store.get(None, self.queue, &selection, FOREVER)) {
            Ok(Some(got)) => {
                assert_eq!(got.message.body, message(name, true, 0).body, "a body is right or not given");
                self.answered.absent.insert(name);
            }
            // It could not be read: it is in quarantine, and there again after a start.
            Ok(None) => {
                let quarantined = self.store.quarantine();
                assert!(quarantined.iter().any(|one| one.message_id == message_id), "message {name} is lost");
                self.answered.present.insert(name);
                self.answered.open.push(Vec::new());
                return Ok(());
            }
            Err(error) if self.is_refusal(&error)? => drop(self.answered.present.insert(name)),
            Err(_) => {
                self.answered.open.push(vec![name]);
                return Err(Failed);
            }
        }
        Ok(())
    }

    fn define(&mut self) -> Result<(), Failed> {
        let key = format!("queue/Q{}", self.random.gen_range(0..8));
        let value = vec![self.random.r#gen(); self.random.gen_range(1..200)];
        let change = DefinitionChange::Save { key: key.clone(), value: value.clone() };
        match block_on(self.store.change_definitions(vec![change])) {
            Ok(()) => drop(self.answered.definitions.insert(key, value)),
            Err(error) if self.is_refusal(&error)? => {}
            Err(_) => {
                self.answered.open_definition = Some((key, value));
                return Err(Failed);
            }
        }
        Ok(())
    }

    /// True when one call was refused and nothing has changed; false when the outcome is open.
    fn is_refusal(&self, error: &StoreError) -> Result<bool, Failed> {
        match error {
            StoreError::NoSpace => Ok(true),
            StoreError::File(cause) => {
                let said = cause.io().and_then(std::io::Error::raw_os_error);
                assert!(said.is_none_or(|said| said == self.error), "{cause}");
                Ok(true)
            }
            StoreError::LogFailed(_) => {
                assert!(self.store.statistics().log_failed, "a failed log says so");
                Ok(false)
            }
            other => panic!("answered {other}"),
        }
    }
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
    let (store, _) = PrivateStore::open(Arc::clone(&disk) as Arc<dyn Disk>, options()).expect("opens");
    let queue = store.create_queue();
    let random = StdRng::seed_from_u64(refusal.from);
    let error = refusal.error;
    let mut caller = Caller { store: &store, queue, answered: Answered::default(), random, next: 0, error };
    assert!(caller.run(30).is_ok(), "{case}: the disk is well");
    disk.set_faults(Faults { refusal: Some(refusal), tears, ..Faults::default() });
    let ended = caller.run(150);
    let refused = disk.refused() > 0;
    disk.set_faults(Faults::default());
    if ended.is_err() {
        assert!(caller.put().is_err(), "{case}: a log that has failed takes no more");
    } else {
        // Full is full until the next attempt; nothing else lasts.
        let goes_on = (0..4000).any(|_| {
            std::thread::sleep(Duration::from_millis(1));
            let name = caller.name();
            let put = caller.put_in(None, name);
            match put {
                Ok(()) => caller.answered.present.insert(name),
                Err(_) if store.statistics().log_failed => {
                    caller.answered.open.push(vec![name]);
                    true
                }
                Err(_) => false,
            }
        });
        assert!(goes_on, "{case}: the disk is well again and puts are refused");
    }
    let Caller { answered, .. } = caller;
    let has_failed = store.statistics().log_failed;
    // As a killed process.
    disk.stop();
    drop(store);
    let after: Arc<dyn Disk> = Arc::new(disk.after_crash(refusal.from));
    let opened = PrivateStore::open(after, options());
    let (store, recovered) = opened.unwrap_or_else(|error| panic!("{case}: the next start is refused: {error}"));
    store.retain_queues(&[queue]);
    check(&case, &answered, &crate::oracle::names(&store, queue), recovered.definitions);
    Outcome { refused, has_failed }
}

fn check(case: &str, answered: &Answered, names: &[u64], definitions: Vec<(String, Vec<u8>)>) {
    let found: BTreeSet<u64> = names.iter().copied().collect();
    assert_eq!(found.len(), names.len(), "{case}: something is there twice");
    let lost: Vec<_> = answered.present.difference(&found).collect();
    assert!(lost.is_empty(), "{case}: lost {lost:?}");
    let back: Vec<_> = answered.absent.intersection(&found).collect();
    assert!(back.is_empty(), "{case}: back, or there although refused: {back:?}");
    for group in &answered.open {
        let there = group.iter().filter(|name| found.contains(name)).count();
        assert!(there == 0 || there == group.len(), "{case}: half of a unit of work: {group:?}");
    }
    let definitions: BTreeMap<String, Vec<u8>> = definitions.into_iter().collect();
    let mut with_open = answered.definitions.clone();
    with_open.extend(answered.open_definition.clone());
    assert!(definitions == answered.definitions || definitions == with_open, "{case}: definitions differ");
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
    let given = std::env::var("FAULT_CALLS").ok().and_then(|number| number.parse().ok());
    let calls: Vec<u64> =
        given.map_or_else(|| vec![1, 2, 3, 5, 8, 13, 21, 34, 55, 89], |last: u64| (1..=last).collect());
    for call in CALLS {
        let mut refusals = 0;
        for error in ERRORS {
            for from in calls.iter().copied() {
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
