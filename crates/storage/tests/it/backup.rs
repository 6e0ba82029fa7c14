//! Backups taken while the log goes on: what a restored log holds, what a second backup costs, and what an unfinished,
//! damaged or foreign one leads to.

use std::sync::Arc;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use storage::private::log::backup::{BackupError, Contents, Copied, back_up, restore, verify};
use storage::private::log::disk::Disk;
use storage::private::log::hold::{Held, Point};
use storage::{Placement, PrivateStore, QueueId, RecoveryLogError, StoreError, StoreOptions, block_on};

use crate::conformance::small;
use crate::oracle::Oracle;
use crate::simulated_disk::{Faults, SimulatedDisk};
use crate::workload::{Ended, FOREVER, Workload, message};

/// Extents are freed soon, and some bodies have files of their own.
fn options() -> StoreOptions {
    StoreOptions { buffer_pool_bytes: 6 << 10, large_body_bytes: 900, ..small() }
}

/// A store at work, with the model of what it holds.
struct Busy {
    disk: Arc<SimulatedDisk>,
    store: PrivateStore,
    oracle: Oracle,
    random: StdRng,
    next_name: u64,
}

impl Busy {
    fn new(seed: u64) -> Self {
        let disk = Arc::new(SimulatedDisk::default());
        let (store, _) = PrivateStore::open(Arc::clone(&disk) as Arc<dyn Disk>, options()).expect("opens");
        let mut busy =
            Self { disk, store, oracle: Oracle::default(), random: StdRng::seed_from_u64(seed), next_name: 1 };
        let first = busy.store.create_queue();
        busy.oracle.queues.insert(first, Default::default());
        busy
    }

    fn work(&mut self, steps: u32) {
        let Self { store, oracle, random, next_name, .. } = self;
        let ended = Workload { store, oracle, random, next_name }.run(steps);
        assert!(matches!(ended, Ended::Done), "the disk is well");
    }

    /// Holds the log, with what a start would find now.
    fn hold(&self) -> (Held, Oracle) {
        let held = block_on(self.store.hold()).expect("held").expect("it is on a disk");
        (held, self.oracle.restarted())
    }

    fn back_up(&self, held: &Held, backup: &SimulatedDisk) -> Result<Copied, BackupError> {
        back_up(self.disk.as_ref(), held.point(), "QM1", backup, || {
            assert!(held.stands());
            Ok(())
        })
    }
}

/// What a store finds that starts on a log restored from the backup.
fn differences(backup: &SimulatedDisk, oracle: &Oracle) -> Vec<String> {
    let log = Arc::new(SimulatedDisk::default());
    restore(backup, log.as_ref()).expect("restored");
    // Only what was synced is sure to be there.
    let log = Arc::new(log.after_crash(7));
    let (store, recovered) = PrivateStore::open(log as Arc<dyn Disk>, options()).expect("a restored log starts");
    let queues: Vec<QueueId> = oracle.queues.keys().copied().collect();
    store.retain_queues(&queues);
    oracle.differences(&store, &recovered.definitions)
}

#[test]
fn a_backup_holds_what_the_log_held_when_it_began() {
    for seed in 0..40 {
        let mut busy = Busy::new(seed);
        let before = busy.random.gen_range(0..400);
        busy.work(before);
        let (held, oracle) = busy.hold();
        // The log goes on, and would have freed extents and removed bodies.
        busy.work(400);
        let backup = SimulatedDisk::default();
        busy.back_up(&held, &backup).expect("copied");
        drop(held);
        busy.work(50);
        assert_eq!(differences(&backup, &oracle), Vec::<String>::new(), "seed {seed}");
    }
}

#[test]
fn a_restored_log_that_has_lost_its_tail_is_refused() {
    let mut busy = Busy::new(11);
    busy.work(200);
    let (held, _) = busy.hold();
    let backup = SimulatedDisk::default();
    busy.back_up(&held, &backup).expect("copied");
    let log = SimulatedDisk::default();
    let Point { end, .. } = restore(&backup, &log).expect("restored").point;
    let (extent, offset) = (end >> 32, usize::try_from(end & 0xFFFF_FFFF).unwrap());
    let name = format!("extent-{extent:010}");
    let mut content = log.content(&name);
    content[offset - 8..offset].fill(0xEE);
    log.replace(&name, content);
    let refused = PrivateStore::open(Arc::new(log) as Arc<dyn Disk>, options()).map(drop);
    assert!(matches!(refused, Err(RecoveryLogError::Lost { .. })), "{refused:?}");
}

#[test]
fn a_second_backup_copies_what_is_new_and_leaves_nothing_of_the_first() {
    for seed in 0..20 {
        let mut busy = Busy::new(seed);
        let backup = SimulatedDisk::default();
        for _ in 0..6 {
            busy.work(120);
            let (held, oracle) = busy.hold();
            let copied = busy.back_up(&held, &backup).expect("copied");
            let again = busy.back_up(&held, &backup).expect("copied again");
            assert_eq!((again.new_bytes, again.bytes), (0, copied.bytes), "nothing is new");
            let contents = verify(&backup).expect("whole");
            let files = contents.files.iter().map(|file| file.name.0.as_str()).chain(["contents"]);
            let mut files: Vec<&str> = files.collect();
            files.sort_unstable();
            assert_eq!(backup.names(), files, "no other file stays");
            assert_eq!(differences(&backup, &oracle), Vec::<String>::new(), "seed {seed}");
        }
    }
}

/// Wherever the second backup is cut short, the folder holds the first one or the second one, whole.
#[test]
fn a_backup_that_is_cut_short_leaves_the_one_before() {
    let mut busy = Busy::new(3);
    busy.work(300);
    let first = SimulatedDisk::default();
    let (held, before) = busy.hold();
    busy.back_up(&held, &first).expect("copied");
    drop(held);
    busy.work(200);
    let (held, after) = busy.hold();
    let whole = first.copy();
    busy.back_up(&held, &whole).expect("copied");
    let mut first_ones = 0;
    for crash_at in 1..=whole.operations() {
        let cut = first.copy();
        cut.set_faults(Faults { crash_at: Some(crash_at), ..Faults::default() });
        let ended = busy.back_up(&held, &cut);
        let cut = cut.after_crash(crash_at);
        let is_second = Contents::read(&cut).expect("readable").expect("there is one").point == held.point();
        assert!(is_second || ended.is_err(), "a backup that was answered is there");
        first_ones += u32::from(!is_second);
        let oracle = if is_second { &after } else { &before };
        assert_eq!(differences(&cut, oracle), Vec::<String>::new(), "cut at {crash_at}");
        // The next one is complete.
        let next = cut.copy();
        busy.back_up(&held, &next).expect("copied");
        assert_eq!(differences(&next, &after), Vec::<String>::new(), "cut at {crash_at}");
    }
    assert!(first_ones > 3);
}

#[test]
fn any_changed_byte_of_a_backup_is_found() {
    let mut busy = Busy::new(5);
    busy.work(150);
    let backup = SimulatedDisk::default();
    let (held, _) = busy.hold();
    busy.back_up(&held, &backup).expect("copied");
    verify(&backup).expect("whole");
    for name in backup.names() {
        let content = backup.content(&name);
        for at in (0..content.len()).step_by(1.max(content.len() / 50)) {
            let damaged = backup.copy();
            let mut changed = content.clone();
            changed[at] ^= 0x04;
            damaged.replace(&name, changed);
            let found = verify(&damaged);
            assert!(matches!(found, Err(BackupError::Damaged { .. })), "byte {at} of {name}: {found:?}");
            assert!(restore(&damaged, &SimulatedDisk::default()).is_err());
        }
        let short = backup.copy();
        short.replace(&name, content[..content.len() - 1].to_vec());
        assert!(matches!(verify(&short), Err(BackupError::Damaged { .. })), "{name} is short");
        short.remove_from_outside(&name);
        let expected = if name == "contents" { "no complete backup" } else { "damaged" };
        assert!(verify(&short).expect_err("a file is missing").to_string().contains(expected), "{name}");
    }
}

/// The bytes of an extent before its first batch.
const HEADER_PAGE: usize = 4096;

#[test]
fn a_damaged_log_is_not_backed_up() {
    let mut busy = Busy::new(6);
    busy.work(300);
    let (held, _) = busy.hold();
    let whole = SimulatedDisk::default();
    busy.back_up(&held, &whole).expect("copied");
    let needed = Contents::read(&whole).expect("readable").expect("there is one").files;
    for file in needed {
        let damaged = busy.disk.copy();
        let mut content = damaged.content(&file.name.0);
        let bytes = usize::try_from(file.bytes).unwrap();
        // The first page of an extent is empty behind its header.
        let at = match bytes.checked_sub(HEADER_PAGE).filter(|_| file.name.0.starts_with("extent-")) {
            Some(0) => 20,
            Some(batches) => HEADER_PAGE + batches / 2,
            None => bytes / 2,
        };
        content[at] ^= 0x20;
        damaged.replace(&file.name.0, content);
        let refused = back_up(&damaged, held.point(), "QM1", &SimulatedDisk::default(), || Ok(()));
        assert!(matches!(refused, Err(BackupError::Log(_) | BackupError::DamagedBody { .. })), "{file:?}: {refused:?}");
    }
}

#[test]
fn a_folder_with_a_backup_of_another_log_is_refused() {
    let backup = SimulatedDisk::default();
    let mut first = Busy::new(8);
    first.work(100);
    first.back_up(&first.hold().0, &backup).expect("copied");
    let mut second = Busy::new(8);
    second.work(100);
    let refused = second.back_up(&second.hold().0, &backup);
    assert!(matches!(refused, Err(BackupError::OtherLog { .. })), "{refused:?}");
    let held = first.hold().0;
    let refused = back_up(first.disk.as_ref(), held.point(), "QM2", &backup, || Ok(()));
    assert!(matches!(refused, Err(BackupError::OtherLog { .. })), "{refused:?}");
    assert_eq!(verify(&backup).expect("still whole").name, "QM1");
}

#[test]
fn the_directory_of_a_log_is_never_taken_for_a_backup() {
    let mut busy = Busy::new(9);
    busy.work(100);
    let held = busy.hold().0;
    let other = Busy::new(10).disk;
    let names = other.names();
    let refused = busy.back_up(&held, &other);
    assert!(matches!(refused, Err(BackupError::NotEmpty { .. })), "{refused:?}");
    assert_eq!(other.names(), names);
}

/// A full disk is drained although a backup has begun: the backup has to go. With every seventh name the log itself fills
/// the disk, with all names bodies in files of their own do.
#[test]
fn a_full_disk_ends_a_hold() {
    const PLACEMENT: Placement =
        Placement { by_priority: false, maximum_depth: u32::MAX, expires: None, persistent: true };
    for step in [1, 7] {
        let disk = Arc::new(SimulatedDisk::default());
        disk.set_faults(Faults { capacity: Some(200 << 10), ..Faults::default() });
        let (store, _) = PrivateStore::open(Arc::clone(&disk) as Arc<dyn Disk>, small()).expect("opens");
        let queue = store.create_queue();
        let put = |name| block_on(store.put(None, queue, message(name, true, 0), PLACEMENT, FOREVER));
        let held = block_on(store.hold()).expect("held").expect("it is on a disk");
        let mut name = step;
        while held.stands() {
            assert!(name < 100_000, "the disk is full by now");
            match put(name) {
                Ok(_) => name += step,
                Err(error) => assert!(matches!(error, StoreError::NoSpace), "{error}"),
            }
            // Its space would be free by now.
            block_on(store.get(None, queue, &Default::default(), FOREVER)).expect("readable");
        }
        let free_again = (0..4000).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(5));
            put(name).is_ok()
        });
        assert!(free_again, "step {step}: what the hold kept is freed");
    }
}
