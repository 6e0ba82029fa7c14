//! Damage, torn tails, missing files, full disks and failing syncs: what a start refuses, what it tolerates, and what a
//! running store answers.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use model::message::Message;
use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};
use storage::private::log::disk::{DirectoryDisk, Disk, FileName};
use storage::private::log::inspect::{Item, inspect};
use storage::{
    DefinitionChange, Placement, PrivateStore, QueueId, RecoveryLogError, Selection, StoreError, StoreOptions, block_on,
};

use crate::conformance::small;
use crate::log_lines::lines_of;
use crate::simulated_disk::{Faults, SimulatedDisk};
use crate::workload::{FOREVER, body, eventually, message};

const PLACEMENT: Placement = Placement { by_priority: false, maximum_depth: u32::MAX, expires: None, persistent: true };

fn open(disk: &Arc<SimulatedDisk>, options: StoreOptions) -> Result<PrivateStore, RecoveryLogError> {
    PrivateStore::open(Arc::clone(disk) as Arc<dyn Disk>, options).map(|(store, _)| store)
}

fn put(store: &PrivateStore, queue: QueueId, name: u64) -> Result<(), StoreError> {
    let message: Message = message(name, true, 0);
    block_on(store.put(None, queue, message, PLACEMENT, FOREVER)).map(drop)
}

fn get(store: &PrivateStore, queue: QueueId) -> Result<Option<u64>, StoreError> {
    let got = block_on(store.get(None, queue, &Selection::default(), FOREVER))?;
    Ok(got.map(|stored| u64::from_le_bytes(stored.message.body[..8].try_into().expect("the name"))))
}

fn drain(store: &PrivateStore, queue: QueueId) -> Vec<u64> {
    std::iter::from_fn(|| get(store, queue).expect("gets")).collect()
}

/// A disk with a log of `count` messages, each in a batch of its own.
fn log_of(count: u64) -> Arc<SimulatedDisk> {
    let disk = Arc::new(SimulatedDisk::default());
    let store = open(&disk, small()).expect("opens");
    let queue = store.create_queue();
    for name in 1..=count {
        put(&store, queue, name).expect("puts");
    }
    store.close();
    disk
}

/// As `log_of`, of a store that stopped in the batch of the last message: its anchor does not know of it.
fn log_stopped_at(last: u64) -> Arc<SimulatedDisk> {
    let disk = log_of(last - 1);
    let store = open(&disk, small()).expect("opens");
    put(&store, QUEUE, last).expect("puts");
    disk.stop();
    drop(store);
    Arc::new(disk.after_crash(1))
}

/// Messages whose names are multiples of this have short bodies.
const SHORT: u64 = 7;

const QUEUE: QueueId = QueueId(1);

/// Extent, offset and length of every batch.
fn batches(disk: &SimulatedDisk) -> Vec<(u32, usize, usize)> {
    let items = inspect(disk).expect("lists");
    items
        .filter_map(|item| match item {
            Item::Batch { extent, offset, length, .. } => {
                Some((extent, usize::try_from(offset).unwrap(), usize::try_from(length).unwrap()))
            }
            _ => None,
        })
        .collect()
}

fn extent_name(extent: u32) -> String {
    format!("extent-{extent:010}")
}

#[test]
fn damage_before_the_last_batch_is_refused_with_extent_and_offset() {
    let disk = log_of(40);
    let batches = batches(&disk);
    let (last, others) = batches.split_last().expect("there are batches");
    assert!(last.0 > 1, "the log spans extents");
    for (extent, offset, length) in others.iter().copied() {
        let name = extent_name(extent);
        // Every byte of the header and some of the content.
        for at in (0..48).chain((48..length).step_by(37)) {
            let damaged = Arc::new(disk.copy());
            let mut content = damaged.content(&name);
            content[offset + at] ^= 0x10;
            damaged.replace(&name, content.clone());
            match open(&damaged, small()).map(drop) {
                Err(RecoveryLogError::Damaged { extent: found, offset: found_offset }) => {
                    assert_eq!((found, found_offset), (u64::from(extent), offset as u64), "byte {at} of the batch");
                }
                other => panic!("damage at {extent}:{offset}+{at} led to {other:?}"),
            }
            assert_eq!(damaged.content(&name), content, "nothing was repaired");
            assert_eq!(damaged.names(), disk.names(), "nothing was deleted");
        }
    }
}

#[test]
fn damage_of_an_extent_header_is_refused() {
    let disk = log_of(40);
    for at in [0, 9, 17, 30, 33, 41] {
        let damaged = Arc::new(disk.copy());
        let mut content = damaged.content(&extent_name(1));
        content[at] ^= 0x01;
        damaged.replace(&extent_name(1), content);
        let refused = open(&damaged, small()).map(drop);
        assert!(matches!(refused, Err(RecoveryLogError::Damaged { extent: 1, offset: 0 })), "byte {at}: {refused:?}");
    }
}

#[test]
fn another_format_version_is_refused_by_number() {
    let disk = log_of(1);
    let mut content = disk.content(&extent_name(1));
    content[8] = 9;
    let crc = crc32c::crc32c(&content[..40]);
    content[40..44].copy_from_slice(&crc.to_le_bytes());
    disk.replace(&extent_name(1), content);
    let refused = open(&disk, small()).map(drop);
    assert!(matches!(refused, Err(RecoveryLogError::Version { version: 9, supported: 2, .. })), "{refused:?}");
}

#[test]
fn a_tail_torn_at_any_byte_is_cut() {
    let disk = log_stopped_at(5);
    let (extent, offset, length) = *batches(&disk).last().expect("there is a batch");
    let name = extent_name(extent);
    for kept in 0..length {
        let torn = Arc::new(disk.copy());
        let mut content = torn.content(&name);
        // The last bytes of a batch are padding, which is zero already.
        let same = content[offset + kept..offset + length].iter().all(|byte| *byte == 0);
        content[offset + kept..offset + length].fill(0);
        torn.replace(&name, content);
        let store = open(&torn, small()).expect("a torn tail is tolerated");
        put(&store, QUEUE, 99).expect("the log goes on");
        let expected: &[u64] = if same { &[1, 2, 3, 4, 5, 99] } else { &[1, 2, 3, 4, 99] };
        store.close();
        let store = open(&torn, small()).expect("opens again");
        assert_eq!(drain(&store, QUEUE), expected, "torn after {kept} bytes");
    }
}

#[test]
fn a_cut_tail_is_one_warning_with_its_place_and_length() {
    let disk = log_stopped_at(5);
    let whole = Arc::new(disk.copy());
    let ((), lines) = lines_of(|| open(&whole, small()).map(drop).expect("a whole log"));
    assert_eq!(lines, [""; 0]);
    let (extent, offset, length) = *batches(&disk).last().expect("there is a batch");
    let mut content = disk.content(&extent_name(extent));
    content[offset + length / 2..].fill(0);
    disk.replace(&extent_name(extent), content);
    let ((), lines) = lines_of(|| open(&disk, small()).map(drop).expect("a torn tail is tolerated"));
    let [line] = &lines[..] else { panic!("{lines:?}") };
    let place = format!("extent={extent} offset={offset} bytes={length}");
    assert!(line.starts_with("WARN") && line.contains(&place), "{line} has not {place}");
}

#[test]
fn a_missing_extent_is_refused_by_number() {
    let disk = log_of(120);
    let extents = batches(&disk).last().expect("there are batches").0;
    assert!(extents >= 3, "{extents}");
    for missing in 1..extents {
        let damaged = Arc::new(disk.copy());
        damaged.remove_from_outside(&extent_name(missing));
        let refused = open(&damaged, small()).map(drop);
        let Err(RecoveryLogError::Missing { extent }) = refused else { panic!("{refused:?}") };
        assert_eq!(extent, u64::from(missing));
    }
}

#[test]
fn a_log_taken_away_from_its_bodies_is_missed() {
    let disk = Arc::new(SimulatedDisk::default());
    disk.replace("body-00000000000000000007", vec![1, 2, 3]);
    let refused = open(&disk, small()).map(drop);
    assert!(matches!(refused, Err(RecoveryLogError::Missing { extent: 1 })), "{refused:?}");
}

#[test]
fn on_a_full_disk_puts_are_refused_unchanged_and_everything_else_goes_on() {
    let disk = Arc::new(SimulatedDisk::default());
    disk.set_faults(Faults { capacity: Some(100 << 10), ..Faults::default() });
    let store = open(&disk, small()).expect("opens");
    let queue = store.create_queue();
    let unit = store.begin();
    block_on(store.put(Some(unit), queue, message(1_000, true, 0), PLACEMENT, FOREVER)).expect("there is space");
    let mut names = Vec::new();
    let refused = loop {
        let name = SHORT * (names.len() as u64 + 1);
        match put(&store, queue, name) {
            Ok(()) => names.push(name),
            Err(error) => break error,
        }
    };
    assert!(matches!(refused, StoreError::NoSpace), "{refused:?}");
    assert!(store.statistics().log_full);
    assert_eq!(store.depth(queue).current as usize, names.len() + 1, "a refused put leaves nothing");
    let save = DefinitionChange::Save { key: "queue/Q".to_owned(), value: vec![1; 8 << 10] };
    assert!(matches!(block_on(store.change_definitions(vec![save])), Err(StoreError::NoSpace)));
    block_on(store.commit(unit)).expect("what was promised space commits");
    let second = store.begin();
    let got =
        block_on(store.get(Some(second), queue, &Selection::default(), FOREVER)).expect("gets").expect("a message");
    block_on(store.back_out(second)).expect("backs out");
    assert_eq!(got.message.body, body(1_000));
    assert_eq!(get(&store, queue).expect("gets go on"), Some(1_000));
    assert_eq!(drain(&store, queue), names, "gets go on");
    eventually("space reclaimed from what was got", || put(&store, queue, 5_000 * SHORT).is_ok());
    assert_eq!(drain(&store, queue), [5_000 * SHORT]);
    store.close();
    let store = open(&disk, small()).expect("opens");
    store.retain_queues(&[queue]);
    assert_eq!(drain(&store, queue), Vec::<u64>::new());
}

#[test]
fn puts_work_again_once_space_is_back() {
    let disk = Arc::new(SimulatedDisk::default());
    disk.set_faults(Faults { capacity: Some(60 << 10), ..Faults::default() });
    let store = open(&disk, small()).expect("opens");
    let queue = store.create_queue();
    let mut names: Vec<u64> =
        (1..).map(|number| SHORT * number).take_while(|name| put(&store, queue, *name).is_ok()).collect();
    disk.set_faults(Faults::default());
    eventually("space", || put(&store, queue, 7_777 * SHORT).is_ok());
    assert!(!store.statistics().log_full);
    names.push(7_777 * SHORT);
    assert_eq!(drain(&store, queue), names);
}

/// Puts short messages until one is refused for lack of space; their names.
fn fill(store: &PrivateStore, queue: QueueId, first: u64) -> Vec<u64> {
    let mut names = Vec::new();
    loop {
        let name = SHORT * (first + names.len() as u64);
        match put(store, queue, name) {
            Ok(()) => names.push(name),
            Err(StoreError::NoSpace) => return names,
            Err(other) => panic!("put answered {other}"),
        }
    }
}

#[test]
fn refused_puts_on_a_full_disk_write_nothing() {
    let disk = Arc::new(SimulatedDisk::default());
    // A little more than whole extents: room that other programs want to keep.
    disk.set_faults(Faults { capacity: Some(90 << 10), ..Faults::default() });
    let store = open(&disk, small()).expect("opens");
    let queue = store.create_queue();
    let names = fill(&store, queue, 1);
    let before = (disk.bytes_written(), disk.operations());
    let mut refused = 0_u64;
    #[expect(clippy::disallowed_methods, reason = "longer than several rests between attempts")]
    let started = Instant::now();
    while started.elapsed() < Duration::from_millis(600) {
        assert!(matches!(put(&store, queue, SHORT), Err(StoreError::NoSpace)));
        refused += 1;
        std::thread::yield_now();
    }
    assert!(refused > 10, "{refused}");
    assert_eq!((disk.bytes_written(), disk.operations()), before, "after {refused} refused puts");
    assert_eq!(drain(&store, queue), names);
}

#[test]
fn after_a_failed_sync_nothing_is_written_or_claimed() {
    let disk = Arc::new(SimulatedDisk::default());
    let store = open(&disk, small()).expect("opens");
    let queue = store.create_queue();
    put(&store, queue, 1).expect("puts");
    eventually("a quiet disk", || disk.names().iter().filter(|name| name.starts_with("extent")).count() == 2);
    let unit = store.begin();
    block_on(store.put(Some(unit), queue, message(2, true, 0), PLACEMENT, FOREVER)).expect("stages");
    disk.set_faults(Faults { sync_fails_from: Some(0), ..Faults::default() });
    assert!(matches!(block_on(store.commit(unit)), Err(StoreError::LogFailed(_))));
    let written = disk.operations();
    disk.set_faults(Faults::default());
    assert!(matches!(put(&store, queue, 3), Err(StoreError::LogFailed(_))));
    assert!(matches!(get(&store, queue), Err(StoreError::LogFailed(_))));
    assert!(matches!(block_on(store.clear(queue)), Err(StoreError::LogFailed(_))));
    assert!(store.statistics().log_failed);
    store.close();
    assert_eq!(disk.operations(), written, "nothing reaches the disk after the failed sync");
    let after: Arc<SimulatedDisk> = Arc::new(disk.after_crash(1));
    let found = drain(&open(&after, small()).expect("opens"), queue);
    assert!(found == [1] || found == [1, 2], "{found:?}");
}

#[test]
fn what_a_start_adopts_after_a_failed_sync_survives_the_next_power_failure() {
    let disk = Arc::new(SimulatedDisk::default());
    let store = open(&disk, small()).expect("opens");
    let queue = store.create_queue();
    put(&store, queue, 1).expect("puts");
    eventually("a quiet disk", || disk.names().iter().filter(|name| name.starts_with("extent")).count() == 2);
    disk.set_faults(Faults { sync_fails_from: Some(0), ..Faults::default() });
    assert!(matches!(put(&store, queue, 2), Err(StoreError::LogFailed(_))));
    disk.set_faults(Faults::default());
    store.close();
    // The process starts again; what it wrote is still in the system's cache.
    let store = open(&disk, small()).expect("opens");
    assert_eq!(crate::oracle::names(&store, queue), [1, 2]);
    put(&store, queue, 3).expect("the disk is well again");
    store.close();
    for seed in 0..8 {
        let after: Arc<SimulatedDisk> = Arc::new(disk.after_crash(seed));
        assert_eq!(drain(&open(&after, small()).expect("opens"), queue), [1, 2, 3], "seed {seed}");
    }
}

#[test]
fn an_oldest_extent_that_has_lost_its_batches_is_refused_and_nothing_is_deleted() {
    let disk = log_of(40);
    let extents = batches(&disk).last().expect("there are batches").0;
    assert!(extents >= 2, "{extents}");
    for lost in 1..extents {
        let damaged = Arc::new(disk.copy());
        let mut content = damaged.content(&extent_name(lost));
        content[4096..].fill(0);
        damaged.replace(&extent_name(lost), content);
        let refused = open(&damaged, small()).map(drop);
        let Err(RecoveryLogError::Damaged { extent, offset }) = refused else { panic!("{refused:?}") };
        if lost == 1 {
            assert_eq!((extent, offset), (1, 4096));
        }
        assert_eq!(damaged.names(), disk.names(), "nothing was deleted");
    }
}

#[test]
fn the_failure_of_the_log_is_told_once_and_before_anybody_is_refused() {
    let disk = Arc::new(SimulatedDisk::default());
    let store = open(&disk, small()).expect("opens");
    let queue = store.create_queue();
    let told = Arc::new(Mutex::new(Vec::new()));
    let listener = Arc::clone(&told);
    store.when_log_failed(move |error| listener.lock().unwrap().push(error.to_string()));
    put(&store, queue, 1).expect("puts");
    assert_eq!(told.lock().unwrap().len(), 0);
    disk.set_faults(Faults { sync_fails_from: Some(0), ..Faults::default() });
    for name in 2..5 {
        let Err(StoreError::LogFailed(cause)) = put(&store, queue, name) else { panic!("refused") };
        assert_eq!(*told.lock().unwrap(), [cause.to_string()]);
    }
    let late = Arc::clone(&told);
    store.when_log_failed(move |error| late.lock().unwrap().push(error.to_string()));
    assert_eq!(told.lock().unwrap().len(), 2, "one who comes later is told at once");
    store.close();
}

#[test]
fn a_panic_while_the_log_is_written_fails_it() {
    let disk = Arc::new(SimulatedDisk::default());
    let store = open(&disk, small()).expect("opens");
    let queue = store.create_queue();
    put(&store, queue, 1).expect("puts");
    eventually("a quiet disk", || disk.names().iter().filter(|name| name.starts_with("extent")).count() == 2);
    let (tell, told) = std::sync::mpsc::channel();
    store.when_log_failed(move |error| tell.send(error).expect("somebody listens"));
    disk.set_faults(Faults { sync_panics_from: Some(0), ..Faults::default() });
    let putting = store.clone();
    let refused = std::thread::spawn(move || put(&putting, queue, 2));
    let error = told.recv_timeout(Duration::from_secs(60)).expect("told");
    assert!(matches!(*error, RecoveryLogError::Panic), "{error}");
    assert!(matches!(refused.join().expect("is answered"), Err(StoreError::LogFailed(_))));
    store.close();
    assert_eq!(drain(&open(&Arc::new(disk.after_crash(1)), small()).expect("opens"), queue)[0], 1);
}

#[test]
fn nonpersistent_messages_never_touch_the_log_and_go_on_without_it() {
    let disk = Arc::new(SimulatedDisk::default());
    let store = open(&disk, small()).expect("opens");
    let queue = store.create_queue();
    eventually("the extent ahead", || disk.names().iter().filter(|name| name.starts_with("extent")).count() == 2);
    let before = disk.operations();
    let placement = Placement { persistent: false, ..PLACEMENT };
    for name in 1..50 {
        block_on(store.put(None, queue, message(name, false, 0), placement, FOREVER)).expect("puts");
        assert_eq!(get(&store, queue).expect("gets"), Some(name));
    }
    assert_eq!(disk.operations(), before);
}

#[test]
fn an_ephemeral_store_refuses_what_does_not_fit_into_memory() {
    let store = PrivateStore::ephemeral(StoreOptions { buffer_pool_bytes: 4 << 10, ..StoreOptions::default() });
    let queue = store.create_queue();
    let names: Vec<u64> = (1..).take_while(|name| put(&store, queue, *name).is_ok()).collect();
    assert!(names.len() > 3);
    assert!(matches!(put(&store, queue, 6), Err(StoreError::NoSpace)));
    assert_eq!(drain(&store, queue), names);
    assert_eq!(store.statistics().buffer_pool_bytes, 0);
}

#[test]
fn the_log_stays_bounded_while_an_old_message_stays() {
    let disk = Arc::new(SimulatedDisk::default());
    let store = open(&disk, small()).expect("opens");
    let queue = store.create_queue();
    let (old, busy) = (queue, store.create_queue());
    put(&store, old, 1).expect("puts");
    for name in 2..2_000 {
        put(&store, busy, name).expect("puts");
        assert_eq!(get(&store, busy).expect("gets"), Some(name));
    }
    eventually("a short log", || store.statistics().log_bytes_in_use <= 5 * (16 << 10));
    assert!(store.statistics().log_moved_bytes > 0);
    eventually("files are recycled and removed", || disk.names().len() < 10);
    store.close();
    let store = open(&disk, small()).expect("opens");
    assert_eq!(drain(&store, old), [1]);
}

#[test]
fn spilled_messages_leave_no_file_behind() {
    let disk = Arc::new(SimulatedDisk::default());
    let store = open(&disk, StoreOptions { buffer_pool_bytes: 0, ..small() }).expect("opens");
    let queue = store.create_queue();
    let placement = Placement { persistent: false, ..PLACEMENT };
    for name in 1..200 {
        block_on(store.put(None, queue, message(name, false, 0), placement, FOREVER)).expect("puts");
    }
    assert!(store.statistics().spilled_bytes > 0);
    assert_eq!(drain(&store, queue), (1..200).collect::<Vec<_>>());
    assert_eq!(store.statistics().spilled_bytes, 0);
    eventually("one spill file is left", || disk.names().iter().filter(|name| name.starts_with("spill")).count() <= 1);
    store.close();
    open(&disk, small()).expect("opens").close();
    assert!(!disk.names().iter().any(|name| name.starts_with("spill")));
}

#[test]
fn a_few_long_messages_do_not_fill_the_pool_and_are_read_from_disk() {
    const LONG: usize = 1 << 20;
    let disk = Arc::new(SimulatedDisk::default());
    let store = open(&disk, StoreOptions { buffer_pool_bytes: 10 * LONG as u64, ..small() }).expect("opens");
    let queue = store.create_queue();
    let placement = Placement { persistent: false, ..PLACEMENT };
    for (name, fill) in (0..6_u64).zip(0..) {
        let mut message = message(name, false, 0);
        message.body = [&name.to_le_bytes()[..], &vec![fill; LONG]].concat().into();
        block_on(store.put(None, queue, message, placement, FOREVER)).expect("puts");
    }
    let statistics = store.statistics();
    assert!(statistics.buffer_pool_bytes < 3 * LONG as u64, "{}", statistics.buffer_pool_bytes);
    assert!(statistics.spilled_bytes > 4 * LONG as u64, "{}", statistics.spilled_bytes);
    for (name, fill) in (0..6_u64).zip(0..) {
        let stored =
            block_on(store.get(None, queue, &Selection::default(), FOREVER)).expect("gets").expect("a message");
        assert_eq!(stored.message.body[..8], name.to_le_bytes());
        assert!(stored.message.body.len() == LONG + 8 && stored.message.body[8..].iter().all(|&byte| byte == fill));
    }
    assert_eq!((store.statistics().buffer_pool_bytes, store.statistics().spilled_bytes), (0, 0));
}

#[test]
fn a_got_large_body_leaves_no_file_behind() {
    let options = StoreOptions { large_body_bytes: 100, ..small() };
    let disk = Arc::new(SimulatedDisk::default());
    let store = open(&disk, options).expect("opens");
    let queue = store.create_queue();
    put(&store, queue, 6).expect("puts");
    assert!(disk.names().iter().any(|name| name.starts_with("body-")));
    assert_eq!(drain(&store, queue), [6]);
    eventually("the file's end", || !disk.names().iter().any(|name| name.starts_with("body-")));
}

#[test]
fn a_second_server_on_the_same_directory_is_refused() {
    let directory = tempfile::tempdir().expect("a temporary folder");
    let first = DirectoryDisk::open(directory.path().to_owned()).expect("opens");
    let second = DirectoryDisk::open(directory.path().to_owned()).map(drop);
    assert!(matches!(second, Err(RecoveryLogError::InUse { .. })), "{second:?}");
    drop(first);
    DirectoryDisk::open(directory.path().to_owned()).map(drop).expect("free again");
}

#[test]
fn a_directory_is_free_once_its_disk_is_dropped_although_its_lock_is_open_elsewhere() {
    let directory = tempfile::tempdir().expect("a temporary folder");
    let first = DirectoryDisk::open(directory.path().to_owned()).expect("opens");
    let lock = std::fs::canonicalize(directory.path().join("lock")).expect("there");
    let entries = std::fs::read_dir("/proc/self/fd").expect("listed").map(|entry| entry.expect("read"));
    let of_lock = entries.filter(|entry| std::fs::read_link(entry.path()).is_ok_and(|file| file == lock));
    let names: Vec<_> = of_lock.map(|entry| entry.file_name().into_string().expect("a number")).collect();
    // As a child process has it between its fork and its exec.
    let this = pidfd_open(getpid(), PidfdFlags::empty()).expect("opened");
    let number = names.first().expect("open").parse().expect("a number");
    let inherited = pidfd_getfd(&this, number, PidfdGetfdFlags::empty()).expect("copied");
    drop(first);
    DirectoryDisk::open(directory.path().to_owned()).map(drop).expect("free again");
    drop(inherited);
}

#[test]
fn a_released_directory_can_be_opened_again_and_the_old_disk_refuses_everything() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let first = DirectoryDisk::open(directory.path().to_owned()).expect("opens");
    let file = FileName("extent".to_owned());
    first.create(&file).expect("created");
    first.write(&file, 0, b"kept").expect("written");
    first.release().expect("released");
    let second = DirectoryDisk::open(directory.path().to_owned()).expect("free again");
    assert!(first.write(&file, 0, b"lost").is_err());
    assert!(first.read(&file, 0, &mut [0; 4]).is_err());
    let mut bytes = [0; 4];
    assert_eq!(second.read(&file, 0, &mut bytes).expect("read"), 4);
    assert_eq!(&bytes, b"kept");
}

#[test]
fn a_closed_store_answers_closed() {
    let disk = Arc::new(SimulatedDisk::default());
    let store = open(&disk, small()).expect("opens");
    let queue = store.create_queue();
    put(&store, queue, 1).expect("puts");
    store.close();
    assert!(matches!(put(&store, queue, 2), Err(StoreError::Closed)));
    assert!(matches!(get(&store, queue), Err(StoreError::Closed)));
}

#[test]
fn inspection_describes_a_log_without_changing_it() {
    let directory = tempfile::tempdir().expect("a temporary folder");
    let disk: Arc<dyn Disk> = Arc::new(DirectoryDisk::open(directory.path().to_owned()).expect("opens"));
    let (store, _) = PrivateStore::open(Arc::clone(&disk), small()).expect("opens");
    let queue = store.create_queue();
    put(&store, queue, 1).expect("puts");
    get(&store, queue).expect("gets");
    let save = DefinitionChange::Save { key: "queue/Q".to_owned(), value: vec![1; 10] };
    block_on(store.change_definitions(vec![save])).expect("saves");
    // Beside the running server.
    let reader = DirectoryDisk::read_only(directory.path().to_owned());
    let lines: Vec<String> = inspect(&reader).expect("lists").map(|item| item.to_string()).collect();
    for expected in [": put queue 1 message 0/", ": get queue 1 message 0/", ": save definition queue/Q, 10 bytes"] {
        assert!(lines.iter().any(|line| line.contains(expected)), "{expected} is missing in {lines:#?}");
    }
    assert!(reader.write(&reader.list().expect("lists")[0], 0, b"x").is_err(), "a reader cannot write");
}
