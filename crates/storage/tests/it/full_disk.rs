//! A full disk that is drained: whatever long-lived messages lie between the others, puts succeed again, files are given
//! back, and nothing is lost.

use std::collections::VecDeque;
use std::sync::Arc;

use proptest::prelude::*;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use storage::private::log::disk::Disk;
use storage::private::log::inspect::{Item, inspect};
use storage::{DefinitionChange, Placement, PrivateStore, QueueId, Selection, StoreError, UnitOfWorkId, Xid, block_on};

use crate::conformance::small;
use crate::oracle::names;
use crate::simulated_disk::{Faults, SimulatedDisk};
use crate::workload::{FOREVER, body, eventually, message};

const PLACEMENT: Placement = Placement { by_priority: false, maximum_depth: u32::MAX, expires: None, persistent: true };
const EXTENT: usize = 16 << 10;
/// Length of the file.
const ANCHOR: usize = 8 << 10;

/// Names of the messages of two queues, of which one is filled and drained around the other.
struct Limited {
    disk: Arc<SimulatedDisk>,
    store: PrivateStore,
    queues: [QueueId; 2],
    held: [VecDeque<u64>; 2],
    next_name: u64,
}

impl Limited {
    fn new(capacity: usize) -> Self {
        let disk = Arc::new(SimulatedDisk::default());
        disk.set_faults(Faults { capacity: Some(capacity), ..Faults::default() });
        let store = open(&disk);
        let queues = [store.create_queue(), store.create_queue()];
        Self { disk, store, queues, held: Default::default(), next_name: 1 }
    }

    /// False when there is no space.
    fn put(&mut self, unit: Option<UnitOfWorkId>, queue: usize, name: u64) -> bool {
        match block_on(self.store.put(unit, self.queues[queue], message(name, true, 0), PLACEMENT, FOREVER)) {
            Ok(_) => {
                self.held[queue].push_back(name);
                true
            }
            Err(StoreError::NoSpace) => false,
            Err(other) => panic!("put answered {other}"),
        }
    }

    fn put_next(&mut self, unit: Option<UnitOfWorkId>, queue: usize) -> bool {
        self.next_name += 1;
        self.put(unit, queue, self.next_name)
    }

    fn get(&mut self, queue: usize) {
        let got =
            block_on(self.store.get(None, self.queues[queue], &Selection::default(), FOREVER)).expect("gets go on");
        let name = got.map(|stored| u64::from_le_bytes(stored.message.body[..8].try_into().expect("the name")));
        assert_eq!(name, self.held[queue].pop_front());
    }

    fn drain(&mut self, queue: usize) {
        while !self.held[queue].is_empty() {
            self.get(queue);
        }
    }

    fn bytes(&self, queue: usize) -> usize {
        self.held[queue].iter().map(|name| body(*name).len() + 250).sum()
    }

    fn eventually_puts(&mut self) {
        let name = self.next_name + 1;
        self.next_name = name;
        eventually("a put", || self.put(None, 1, name));
    }

    /// All that is held is there, also after a restart.
    fn check(&mut self) {
        for restarted in [false, true] {
            if restarted {
                self.store.close();
                self.store = open(&self.disk);
                self.store.retain_queues(&self.queues);
            }
            for (queue, held) in self.queues.iter().zip(&self.held) {
                assert!(names(&self.store, *queue).iter().eq(held), "restarted: {restarted}");
            }
        }
    }
}

fn open(disk: &Arc<SimulatedDisk>) -> PrivateStore {
    PrivateStore::open(Arc::clone(disk) as Arc<dyn Disk>, small()).expect("opens").0
}

#[test]
fn old_messages_that_fill_the_oldest_extent_do_not_pin_a_drained_log() {
    let mut log = Limited::new(12 * EXTENT);
    // They fill the first extent.
    while log.bytes(0) < EXTENT * 7 / 10 {
        log.next_name = log.next_name.next_multiple_of(7);
        assert!(log.put(None, 0, log.next_name));
        log.next_name += 1;
    }
    while log.put_next(None, 1) {}
    let when_full = log.disk.bytes_in_files();
    assert!(when_full > 9 * EXTENT, "{when_full}");
    log.drain(1);
    log.eventually_puts();
    eventually("a smaller log", || log.disk.bytes_in_files() <= 8 * EXTENT);
    log.check();
}

#[test]
fn a_full_disk_takes_puts_again_when_a_long_queue_is_cleared_or_dropped() {
    for is_dropped in [false, true] {
        let mut log = Limited::new(12 * EXTENT);
        for _ in 0..5 {
            assert!(log.put_next(None, 0));
        }
        while log.put_next(None, 1) {}
        let drops = DefinitionChange::DropQueue(log.queues[1]);
        match is_dropped {
            true => {
                block_on(log.store.change_definitions(vec![drops])).expect("drops");
                log.queues[1] = log.store.create_queue();
            }
            false => {
                let cleared = block_on(log.store.clear(log.queues[1])).expect("clears");
                assert_eq!(cleared as usize, log.held[1].len());
            }
        }
        assert!(log.held[1].len() > small().large_unit_messages, "its messages are released by another thread");
        log.held[1].clear();
        let name = log.next_name + 1;
        eventually("a put", || log.put(None, 0, name));
        eventually("a smaller log", || log.disk.bytes_in_files() <= 8 * EXTENT);
        log.check();
    }
}

#[test]
fn a_log_that_was_filled_without_a_reserve_starts_and_is_drained() {
    let mut log = Limited::new(1 << 20);
    let current = loop {
        log.next_name = log.next_name.next_multiple_of(7) + 7;
        let queue = usize::from(!log.next_name.is_multiple_of(5));
        assert!(log.put(None, queue, log.next_name));
        let (extent, end) = end_of_batches(&log.disk);
        // As much as was left free before there was a reserve: less than an extent full of messages takes.
        if extent == 6 && (EXTENT * 7 / 16..EXTENT / 2).contains(&end) {
            break extent;
        }
    };
    log.store.close();
    // What is prepared is taken away, and with it all space of the disk but that of the anchor.
    for name in log.disk.names() {
        let number = name.strip_prefix("extent-").map(|digits| digits.parse::<u32>().expect("a number"));
        if number.is_none_or(|number| number > current) {
            log.disk.remove_from_outside(&name);
        }
    }
    let capacity = log.disk.bytes_in_files() + ANCHOR;
    log.disk.set_faults(Faults { capacity: Some(capacity), ..Faults::default() });
    log.store = open(&log.disk);
    log.store.retain_queues(&log.queues);
    assert!(!log.put_next(None, 1), "there is no reserve yet");
    log.drain(1);
    log.eventually_puts();
    log.check();
}

/// The extent of the last batch, and the offset where it ends.
fn end_of_batches(disk: &SimulatedDisk) -> (u32, usize) {
    let batches = inspect(disk).expect("lists").filter_map(|item| match item {
        Item::Batch { extent, offset, length, .. } => Some((extent, usize::try_from(offset + length).expect("small"))),
        _ => None,
    });
    batches.last().expect("there is a batch")
}

/// Fills a disk with messages of both queues and drains the one that holds more, a few times; in between units of work
/// put and get, and stay open or in doubt meanwhile.
fn fill_and_drain(seed: u64, extents: usize, rest: usize, kept: f64) {
    let mut random = StdRng::seed_from_u64(seed);
    let mut log = Limited::new(extents * EXTENT + rest);
    for _ in 0..3 {
        let unit = log.store.begin();
        let mut staged = 0;
        loop {
            let queue = usize::from(!random.gen_bool(kept));
            let in_unit = staged < 5 && random.gen_bool(0.05);
            if in_unit {
                // Behind everything that is there already, and committed before anything is got.
                staged += 1;
            }
            if !log.put_next(in_unit.then_some(unit), queue) {
                break;
            }
            if !in_unit && staged == 0 && random.gen_bool(0.1) && !log.held[queue].is_empty() {
                log.get(queue);
            }
        }
        if random.gen_bool(0.5) {
            let xid = Xid { format_id: 1, global_transaction: vec![1], branch: vec![2] };
            block_on(log.store.prepare(unit, Some(xid))).expect("what was promised space is prepared");
        }
        block_on(log.store.commit(unit)).expect("what was promised space is committed");
        let full = log.disk.bytes_in_files();
        let larger = usize::from(log.bytes(1) > log.bytes(0));
        log.drain(larger);
        log.eventually_puts();
        let enough = 3 * (log.bytes(0) + log.bytes(1)) + 8 * EXTENT;
        assert!(full <= extents * EXTENT + rest);
        eventually("files given back", || log.disk.bytes_in_files() <= enough);
        log.check();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_full_disk_that_is_drained_takes_puts_again(
        seed: u64,
        extents in 6_usize..20,
        rest in 0..EXTENT,
        kept in 0.02_f64..0.98,
    ) {
        fill_and_drain(seed, extents, rest, kept);
    }
}
