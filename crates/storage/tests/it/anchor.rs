//! The anchor of the log: a start notices every loss of what was durable, names it and deletes nothing; a log without an
//! anchor starts and gets one.

use std::sync::Arc;
use std::time::{Duration, Instant};

use storage::private::log::disk::Disk;
use storage::private::log::inspect::{Item, inspect};
use storage::{Placement, PrivateStore, QueueId, RecoveryLogError, Selection, StoreOptions, Xid, block_on};

use crate::conformance::small;
use crate::log_lines::lines_of;
use crate::simulated_disk::{Call, Faults, Refusal, SimulatedDisk};
use crate::workload::{FOREVER, eventually, message};

const PLACEMENT: Placement = Placement { by_priority: false, maximum_depth: u32::MAX, expires: None, persistent: true };
const QUEUE: QueueId = QueueId(1);
const ANCHOR: &str = "anchor";
const PAGE: usize = 4096;

fn open(disk: &Arc<SimulatedDisk>) -> Result<PrivateStore, RecoveryLogError> {
    open_with(disk, small())
}

fn open_with(disk: &Arc<SimulatedDisk>, options: StoreOptions) -> Result<PrivateStore, RecoveryLogError> {
    PrivateStore::open(Arc::clone(disk) as Arc<dyn Disk>, options).map(|(store, _)| store)
}

fn put(store: &PrivateStore, name: u64) {
    block_on(store.put(None, QUEUE, message(name, true, 0), PLACEMENT, FOREVER)).expect("puts");
}

/// A closed log of messages with short bodies, each in a batch of its own; the first are got again.
fn log_of(count: u64, got: u64) -> Arc<SimulatedDisk> {
    let disk = Arc::new(SimulatedDisk::default());
    let store = open(&disk).expect("opens");
    assert_eq!(store.create_queue(), QUEUE);
    for name in 1..=count {
        put(&store, 7 * name);
    }
    for _ in 0..got {
        block_on(store.get(None, QUEUE, &Selection::default(), FOREVER)).expect("gets").expect("a message");
    }
    if got > 0 {
        // The thread that frees extents may come late.
        eventually("the first extent is freed", || !disk.names().contains(&extent_name(1)));
    }
    store.close();
    disk
}

fn extent_name(extent: u32) -> String {
    format!("extent-{extent:010}")
}

/// Where each batch begins and ends: extent, offset, offset.
fn batches(disk: &SimulatedDisk) -> Vec<(u32, usize, usize)> {
    let place = |item| match item {
        Item::Batch { extent, offset, length, .. } => {
            Some((extent, usize::try_from(offset).unwrap(), usize::try_from(offset + length).unwrap()))
        }
        _ => None,
    };
    inspect(disk).expect("lists").filter_map(place).collect()
}

/// Highest extent in use, as the anchor says.
fn highest(disk: &SimulatedDisk) -> u32 {
    let item = inspect(disk).expect("lists").next();
    let Some(Item::Anchor { highest, .. }) = item else { panic!("no anchor first: {item:?}") };
    highest
}

/// Zeros instead of all batches from `first` on.
fn without_batches(disk: &SimulatedDisk, first: usize) -> Arc<SimulatedDisk> {
    let cut = Arc::new(disk.copy());
    for (extent, from, to) in batches(disk).into_iter().skip(first) {
        let mut content = cut.content(&extent_name(extent));
        content[from..to].fill(0);
        cut.replace(&extent_name(extent), content);
    }
    cut
}

/// The error of a start that must be refused without any change of the directory; inspection says the same.
fn refused(disk: &Arc<SimulatedDisk>) -> RecoveryLogError {
    let content = |disk: &SimulatedDisk| disk.names().iter().map(|name| disk.content(name)).collect::<Vec<_>>();
    let (names, before) = (disk.names(), content(disk));
    let error = open(disk).map(drop).expect_err("the start is refused");
    assert_eq!((disk.names(), content(disk)), (names, before), "{error}: nothing was changed");
    let said = inspect(disk.as_ref()).expect("lists").filter(|item| matches!(item, Item::Lost { .. }));
    assert_eq!(said.map(|item| item.to_string()).collect::<Vec<_>>(), [format!("LOST: {error}")]);
    error
}

#[test]
fn a_tail_that_was_durable_and_of_which_nothing_is_left_refuses_the_start() {
    let disk = log_of(60, 0);
    let batches = batches(&disk);
    assert!(batches.last().expect("there are batches").0 >= 2);
    let (until_extent, _, until) = *batches.last().expect("there are batches");
    for first in 0..batches.len() {
        let end = if first == 0 { (1, PAGE) } else { (batches[first - 1].0, batches[first - 1].2) };
        match refused(&without_batches(&disk, first)) {
            RecoveryLogError::Lost { extent, offset, until_extent: last, until_offset } => {
                assert_eq!((extent, offset), (u64::from(end.0), end.1 as u64), "without batch {first}");
                assert_eq!((last, until_offset), (u64::from(until_extent), until as u64), "without batch {first}");
            }
            other => panic!("without batch {first}: {other:?}"),
        }
    }
}

#[test]
fn damage_of_the_last_durable_batch_refuses_the_start() {
    let disk = log_of(5, 0);
    let (extent, from, to) = *batches(&disk).last().expect("there are batches");
    for at in (from..to).step_by(11) {
        let damaged = Arc::new(disk.copy());
        let mut content = damaged.content(&extent_name(extent));
        content[at] ^= 0x20;
        damaged.replace(&extent_name(extent), content);
        let error = refused(&damaged);
        let RecoveryLogError::Lost { extent: found, offset, .. } = error else { panic!("byte {at}: {error:?}") };
        assert_eq!((found, offset), (u64::from(extent), from as u64), "byte {at}");
    }
}

#[test]
fn missing_extents_that_were_in_use_refuse_the_start_by_number() {
    let disk = log_of(120, 0);
    let highest = highest(&disk);
    assert!(highest >= 3, "{highest}");
    for first in 1..=highest {
        let damaged = Arc::new(disk.copy());
        for name in disk.names().into_iter().filter(|name| name.starts_with("extent-")) {
            if name >= extent_name(first) {
                damaged.remove_from_outside(&name);
            }
        }
        let error = refused(&damaged);
        assert!(
            matches!(error, RecoveryLogError::Missing { extent } if extent == u64::from(first)),
            "{first}: {error:?}"
        );
    }
    // What was prepared and never used holds nothing.
    let unused = Arc::new(disk.copy());
    unused.remove_from_outside(&extent_name(highest + 1));
    let store = open(&unused).expect("nothing is lost");
    assert_eq!(store.depth(QUEUE).current, 120);
}

#[test]
fn a_missing_oldest_extent_without_any_batch_behind_it_refuses_the_start() {
    let disk = log_of(200, 199);
    let (oldest, ..) = batches(&disk)[0];
    assert!(oldest > 1, "the first extents were freed");
    let damaged = without_batches(&disk, 0);
    damaged.remove_from_outside(&extent_name(oldest));
    let error = open(&damaged).map(drop).expect_err("refused");
    assert!(matches!(error, RecoveryLogError::Missing { extent } if extent == u64::from(oldest)), "{error:?}");
}

#[test]
fn an_extent_of_another_log_refuses_the_start() {
    let (disk, other) = (log_of(120, 0), log_of(120, 0));
    for extent in [1, highest(&disk)] {
        let mixed = Arc::new(disk.copy());
        mixed.replace(&extent_name(extent), other.content(&extent_name(extent)));
        let error = open(&mixed).map(drop).expect_err("refused");
        assert!(
            matches!(error, RecoveryLogError::Replaced { extent: found } if found == u64::from(extent)),
            "{error:?}"
        );
    }
}

#[test]
fn a_new_log_without_batches_starts() {
    let disk = log_of(0, 0);
    assert_eq!(batches(&disk), []);
    let store = open(&disk).expect("nothing is lost");
    store.retain_queues(&[QUEUE]);
    put(&store, 7);
}

#[test]
fn one_damaged_slot_of_the_anchor_is_written_again_and_two_refuse_the_start() {
    let disk = log_of(5, 0);
    for slot in [0, 1] {
        let damaged = Arc::new(disk.copy());
        let mut content = damaged.content(ANCHOR);
        content[slot * PAGE + 20] ^= 1;
        damaged.replace(ANCHOR, content);
        open(&damaged).expect("the other slot is enough").close();
        let whole = damaged.content(ANCHOR);
        for slot in [0, 1] {
            let mut content = whole.clone();
            content[slot * PAGE..(slot + 1) * PAGE].fill(0);
            damaged.replace(ANCHOR, content);
            open(&damaged).expect("each slot is whole again").close();
        }
    }
    for content in [Vec::new(), vec![0; 2 * PAGE], vec![7; 100]] {
        let damaged = Arc::new(disk.copy());
        damaged.replace(ANCHOR, content);
        let error = open(&damaged).map(drop).expect_err("refused");
        assert!(matches!(error, RecoveryLogError::Anchor), "{error:?}");
        let first = inspect(damaged.as_ref()).expect("lists").next();
        assert!(matches!(first, Some(Item::UnreadableAnchor { .. })), "{first:?}");
        // The operator decides to start without it.
        damaged.remove_from_outside(ANCHOR);
        assert_eq!(open(&damaged).expect("opens").depth(QUEUE).current, 5);
    }
}

#[test]
fn an_anchor_of_another_format_version_is_refused_by_number() {
    let disk = log_of(1, 0);
    let mut content = disk.content(ANCHOR);
    for slot in content.chunks_exact_mut(PAGE) {
        slot[8] = 9;
        let crc = crc32c::crc32c(&slot[..64]);
        slot[64..68].copy_from_slice(&crc.to_le_bytes());
    }
    disk.replace(ANCHOR, content);
    let error = open(&disk).map(drop).expect_err("refused");
    assert_eq!(error.to_string(), "anchor has format version 9; this program reads version 1");
}

#[test]
fn a_killed_server_loses_no_batch_silently_that_is_older_than_the_interval() {
    let disk = Arc::new(SimulatedDisk::default());
    let options = StoreOptions { anchor_interval: Duration::from_millis(1), ..small() };
    let store = open_with(&disk, options).expect("opens");
    assert_eq!(store.create_queue(), QUEUE);
    for name in 1..=3 {
        put(&store, 7 * name);
        let (extent, _, to) = *batches(&disk).last().expect("there is one");
        let is_anchored = |item: Option<Item>| matches!(item, Some(Item::Anchor { extent: found, offset, .. }) if (found, offset) == (extent, to as u64));
        eventually("an anchor", || is_anchored(inspect(disk.as_ref()).expect("lists").next()));
    }
    disk.stop();
    drop(store);
    let after = Arc::new(disk.after_crash(1));
    for first in 0..3 {
        let error = refused(&without_batches(&after, first));
        assert!(matches!(error, RecoveryLogError::Lost { .. }), "{error:?}");
    }
    assert_eq!(open(&after).expect("a whole log").depth(QUEUE).current, 3);
}

/// An idle log is left alone: the anchor is written once after the last batch.
#[test]
fn without_work_the_anchor_is_not_written() {
    let disk = Arc::new(SimulatedDisk::default());
    let options = StoreOptions { anchor_interval: Duration::from_millis(1), ..small() };
    let store = open_with(&disk, options).expect("opens");
    assert_eq!(store.create_queue(), QUEUE);
    put(&store, 7);
    let (_, _, to) = batches(&disk)[0];
    let anchor = || inspect(disk.as_ref()).expect("lists").next().expect("an anchor");
    eventually("an anchor", || matches!(anchor(), Item::Anchor { offset, .. } if offset == to as u64));
    eventually("a quiet disk", || disk.names().iter().filter(|name| name.starts_with("extent")).count() == 2);
    let before = anchor();
    #[expect(clippy::disallowed_methods, reason = "many intervals")]
    let started = Instant::now();
    while started.elapsed() < Duration::from_millis(100) {
        assert_eq!(anchor(), before);
        std::thread::yield_now();
    }
}

#[test]
fn a_log_that_cannot_write_its_anchor_says_so_once_and_goes_on() {
    let disk = log_of(5, 0);
    let refusal = Refusal { call: Call::Write, files: ANCHOR, from: 1, count: u64::MAX / 2, error: libc::EIO };
    disk.set_faults(Faults { refusal: Some(refusal), ..Faults::default() });
    let (store, lines) = lines_of(|| {
        let store = open(&disk).expect("opens");
        put(&store, 7);
        store.close();
        store
    });
    assert_eq!(store.depth(QUEUE).current, 6);
    let [line] = &lines[..] else { panic!("{lines:?}") };
    assert!(line.starts_with("WARN") && line.contains("cannot write anchor"), "{line}");
}

/// Made by a version without anchor: two extents, a definition, messages 7, 8, 13 and 14 of which the first was got, a body
/// in a file, and message 21 in a unit of work that is prepared.
fn log_without_anchor() -> Arc<SimulatedDisk> {
    let disk = SimulatedDisk::default();
    for (name, content) in [
        ("extent-0000000001", include_bytes!("../testdata/log-without-anchor/extent-0000000001").as_slice()),
        ("extent-0000000002", include_bytes!("../testdata/log-without-anchor/extent-0000000002")),
        ("body-00000000004294967299", include_bytes!("../testdata/log-without-anchor/body-00000000004294967299")),
    ] {
        disk.replace(name, content.to_vec());
    }
    Arc::new(disk)
}

#[test]
fn a_log_without_an_anchor_starts_and_gets_one() {
    let disk = log_without_anchor();
    let (store, recovered) = PrivateStore::open(Arc::clone(&disk) as Arc<dyn Disk>, small()).expect("opens");
    store.retain_queues(&[QUEUE]);
    assert_eq!(recovered.definitions, [("queue/KEPT".to_owned(), vec![42; 100])]);
    assert_eq!(crate::oracle::names(&store, QUEUE), [8, 13, 14]);
    let xid = Xid { format_id: 7, global_transaction: b"GT".to_vec(), branch: vec![1] };
    let [(unit, found)] = &recovered.in_doubt[..] else { panic!("{:?}", recovered.in_doubt) };
    assert_eq!(found.as_ref(), Some(&xid));
    block_on(store.commit(*unit)).expect("commits");
    assert_eq!(crate::oracle::names(&store, QUEUE), [8, 13, 14, 21]);
    store.close();
    assert!(disk.names().iter().any(|name| name == ANCHOR));
    let last = batches(&disk).len() - 1;
    let error = refused(&without_batches(&disk, last));
    assert!(matches!(error, RecoveryLogError::Lost { .. }), "{error:?}");
    assert_eq!(crate::oracle::names(&open(&disk).expect("opens"), QUEUE), [8, 13, 14, 21]);
}
