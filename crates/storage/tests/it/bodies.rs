//! Files of long bodies: an error of one refuses one call, and waiting messages hold no file open.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use model::message::Message;
use storage::private::log::disk::{DirectoryDisk, Disk};
use storage::{Placement, PrivateStore, QueueId, Selection, StoreError, StoreOptions, block_on};

use crate::conformance::small;
use crate::simulated_disk::{Call, Faults, Refusal, SimulatedDisk};
use crate::workload::{FOREVER, body, eventually, message};

const PLACEMENT: Placement = Placement { by_priority: false, maximum_depth: u32::MAX, expires: None, persistent: true };
const ERRORS: [i32; 4] = [libc::EIO, libc::ENOSPC, libc::EMFILE, libc::EACCES];
const LARGE: usize = 300;

/// A body that the disk cannot read is set aside: see `quarantine.rs`.
fn errors_of(call: Call) -> impl Iterator<Item = i32> {
    ERRORS.into_iter().filter(move |error| call != Call::Read || *error != libc::EIO)
}

/// Bodies from `LARGE` bytes on have files: three of seven names.
fn options() -> StoreOptions {
    StoreOptions { large_body_bytes: LARGE as u64, buffer_pool_bytes: 0, ..small() }
}

fn open(disk: &Arc<SimulatedDisk>) -> PrivateStore {
    PrivateStore::open(Arc::clone(disk) as Arc<dyn Disk>, options()).expect("opens").0
}

fn body_files(disk: &SimulatedDisk) -> usize {
    disk.names().iter().filter(|name| name.starts_with("body-")).count()
}

/// A queue whose every answer is compared with what was answered before.
struct Caller {
    store: PrivateStore,
    queue: QueueId,
    present: VecDeque<u64>,
    next: u64,
    refused: u64,
}

impl Caller {
    fn new(store: PrivateStore) -> Self {
        let queue = store.create_queue();
        Self { store, queue, present: VecDeque::new(), next: 1, refused: 0 }
    }

    /// Two puts outside and one inside a unit of work, then two gets, by turns outside and inside one.
    fn turn(&mut self, error: i32) {
        for step in 0..3 {
            let name = self.next;
            self.next += 1;
            let message: Message = message(name, true, 0);
            let unit = (step == 2).then(|| self.store.begin());
            match block_on(self.store.put(unit, self.queue, message, PLACEMENT, FOREVER)) {
                Ok(_) => self.present.push_back(name),
                Err(refused) => self.refused(&refused, error, true),
            }
            if let Some(unit) = unit {
                block_on(self.store.commit(unit)).expect("a refused put leaves its unit of work as it was");
            }
        }
        for step in 0..2 {
            let unit = (step == 1).then(|| self.store.begin());
            match block_on(self.store.get(unit, self.queue, &Selection::default(), FOREVER)) {
                Ok(got) => {
                    let expected = self.present.pop_front().expect("there are more puts than gets");
                    assert_eq!(got.expect("a message").message.body, body(expected));
                }
                Err(refused) => self.refused(&refused, error, false),
            }
            if let Some(unit) = unit {
                block_on(self.store.commit(unit)).expect("a refused get leaves its unit of work as it was");
            }
        }
    }

    fn refused(&mut self, refused: &StoreError, error: i32, is_put: bool) {
        self.refused += 1;
        match refused {
            StoreError::NoSpace => assert!(error == libc::ENOSPC && is_put),
            StoreError::File(cause) => {
                let cause = cause.io().expect("the system said it");
                assert!(cause.raw_os_error() == Some(error) && (error != libc::ENOSPC || !is_put), "{cause}");
            }
            other => panic!("refused with {other}"),
        }
        assert_eq!(self.store.depth(self.queue).current as usize, self.present.len(), "nothing has changed");
    }

    fn drain(&mut self) {
        while let Some(name) = self.present.pop_front() {
            let got = block_on(self.store.get(None, self.queue, &Selection::default(), FOREVER)).expect("gets");
            assert_eq!(got.expect("a message").message.body, body(name));
        }
        assert_eq!(self.store.depth(self.queue).current, 0);
    }
}

fn refuse(call: Call, from: u64, count: u64, error: i32) {
    let case = format!("{call:?} {from} of {count} calls with error {error}");
    let disk = Arc::new(SimulatedDisk::default());
    let mut caller = Caller::new(open(&disk));
    let refusal = Some(Refusal { call, files: "body-", from, count, error });
    disk.set_faults(Faults { refusal, ..Faults::default() });
    for _ in 0..16 {
        caller.turn(error);
    }
    assert!(call == Call::Remove || disk.refused() > 0, "{case}: nothing was refused");
    assert_eq!(caller.refused, if call == Call::Remove { 0 } else { disk.refused() }, "{case}");
    assert!(!caller.store.statistics().log_failed, "{case}");
    disk.set_faults(Faults::default());
    caller.turn(0);
    let Caller { present, queue, next, .. } = caller;
    drop(caller.store);
    disk.stop();
    let after = Arc::new(disk.after_crash(from));
    let store = open(&after);
    store.retain_queues(&[queue]);
    let large = present.iter().filter(|name| body(**name).len() >= LARGE).count();
    assert_eq!(body_files(&after), large, "{case}: what was begun is removed");
    let mut caller = Caller { store, queue, present, next, refused: 0 };
    caller.turn(0);
    caller.drain();
}

#[test]
fn an_error_of_a_body_file_refuses_one_call_and_the_log_goes_on() {
    for call in [Call::Create, Call::Write, Call::Sync, Call::Read, Call::Remove] {
        for error in errors_of(call) {
            for from in 1..=6 {
                refuse(call, from, 1, error);
            }
            refuse(call, 2, 5, error);
        }
    }
}

#[test]
fn an_error_of_a_spill_file_refuses_one_call_and_the_log_goes_on() {
    for (call, error) in [Call::Create, Call::Write, Call::Read]
        .into_iter()
        .flat_map(|call| errors_of(call).map(move |error| (call, error)))
    {
        let disk = Arc::new(SimulatedDisk::default());
        let store = open(&disk);
        let queue = store.create_queue();
        let refusal = Some(Refusal { call, files: "spill-", from: 1, count: 1, error });
        disk.set_faults(Faults { refusal, ..Faults::default() });
        let placement = Placement { persistent: false, ..PLACEMENT };
        let mut refused = Vec::new();
        let mut got = BTreeSet::new();
        for name in 1..=3 {
            refused.extend(block_on(store.put(None, queue, message(name, false, 0), placement, FOREVER)).err());
        }
        for _ in 0..4 {
            match block_on(store.get(None, queue, &Selection::default(), FOREVER)) {
                Ok(message) => got.extend(message.map(|stored| stored.message.body)),
                Err(error) => refused.push(error),
            }
        }
        let [refused] = refused.as_slice() else { panic!("{call:?} with {error}: {refused:?}") };
        match refused {
            StoreError::NoSpace => assert_eq!(error, libc::ENOSPC),
            StoreError::File(cause) => assert_eq!(cause.io().and_then(std::io::Error::raw_os_error), Some(error)),
            other => panic!("{call:?} with {error}: {other}"),
        }
        assert_eq!(got.len(), if call == Call::Read { 3 } else { 2 }, "{call:?} with {error}");
        assert!(!store.statistics().log_failed);
    }
}

#[test]
fn without_descriptors_for_a_new_extent_puts_are_refused_and_work_again_later() {
    let disk = Arc::new(SimulatedDisk::default());
    let refusal = Refusal { call: Call::Create, files: "preparing", from: 1, count: u64::MAX / 2, error: libc::EMFILE };
    let store = open(&disk);
    let queue = store.create_queue();
    disk.set_faults(Faults { refusal: Some(refusal), ..Faults::default() });
    let put = |name| block_on(store.put(None, queue, message(name, true, 0), PLACEMENT, FOREVER));
    let mut present = Vec::new();
    let refused = loop {
        // Names of short bodies.
        let name = 7 * (present.len() as u64 + 1);
        match put(name) {
            Ok(_) => present.push(name),
            Err(error) => break error,
        }
    };
    let StoreError::File(cause) = &refused else { panic!("{refused}") };
    assert_eq!(cause.io().and_then(std::io::Error::raw_os_error), Some(libc::EMFILE));
    let unit = store.begin();
    let got = block_on(store.get(Some(unit), queue, &Selection::default(), FOREVER)).expect("gets go on");
    assert_eq!(got.expect("a message").message.body, body(present.remove(0)));
    block_on(store.commit(unit)).expect("commits go on");
    assert!(!store.statistics().log_failed);
    disk.set_faults(Faults::default());
    eventually("an extent", || put(7_000).is_ok());
    present.push(7_000);
    for name in present {
        let got = block_on(store.get(None, queue, &Selection::default(), FOREVER)).expect("gets").expect("a message");
        assert_eq!(got.message.body, body(name));
    }
}

#[test]
fn waiting_messages_hold_no_file_open() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().canonicalize().expect("it is there");
    let open_files = || {
        let links = std::fs::read_dir("/proc/self/fd").expect("Linux tells").filter_map(Result::ok);
        links.filter_map(|link| std::fs::read_link(link.path()).ok()).filter(|file| file.starts_with(&path)).count()
    };
    let options = StoreOptions { large_body_bytes: 100, ..StoreOptions::default() };
    let start = || {
        let disk = DirectoryDisk::open(path.clone()).expect("opens");
        PrivateStore::open(Arc::new(disk), options.clone()).expect("opens").0
    };
    let store = start();
    let queue = store.create_queue();
    let names: Vec<u64> = (1..400).filter(|name| body(*name).len() >= 100).collect();
    assert!(names.len() > 150);
    for name in &names {
        block_on(store.put(None, queue, message(*name, true, 0), PLACEMENT, FOREVER)).expect("puts");
    }
    assert!(open_files() < 20, "{} files are open", open_files());
    drop(store);
    let store = start();
    store.retain_queues(&[queue]);
    let mut after = None;
    while let Some(seen) = block_on(store.browse(queue, after, &Selection::default(), FOREVER)).expect("browses") {
        after = Some(seen.key);
    }
    assert!(open_files() < 20, "{} files are open", open_files());
    for name in names {
        let got = block_on(store.get(None, queue, &Selection::default(), FOREVER)).expect("gets").expect("a message");
        assert_eq!(got.message.body, body(name));
    }
}
