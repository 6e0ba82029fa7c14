//! Bit rot in an extent that is in use: what can be read of it is written again, so that the extent is freed and the next
//! start is not refused; what cannot be read keeps it, and is told.

use std::sync::Arc;

use storage::private::log::disk::Disk;
use storage::private::log::inspect::{Item, inspect};
use storage::{DefinitionChange, Placement, PrivateStore, QueueId, Selection, StoreOptions, block_on};

use crate::conformance::small;
use crate::simulated_disk::SimulatedDisk;
use crate::workload::{FOREVER, body, message};

const PLACEMENT: Placement = Placement { by_priority: false, maximum_depth: u32::MAX, expires: None, persistent: true };
const FIRST: &str = "extent-0000000001";
/// Long-lived messages; the bodies of all are in the log.
const NAMES: [u64; 6] = [7, 8, 9, 14, 15, 16];
/// The one that rots.
const ROTTEN: u64 = 9;
const DEFINITION: &str = "queue/KEPT";

struct Rotting {
    disk: Arc<SimulatedDisk>,
    store: PrivateStore,
    kept: QueueId,
    busy: QueueId,
}

impl Rotting {
    /// `NAMES` on one queue, in one unit of work and so in one batch, and a definition.
    fn new(buffer_pool_bytes: u64) -> Self {
        let disk = Arc::new(SimulatedDisk::default());
        let options = StoreOptions { buffer_pool_bytes, ..small() };
        let (store, _) = PrivateStore::open(Arc::clone(&disk) as Arc<dyn Disk>, options).expect("opens");
        let (kept, busy) = (store.create_queue(), store.create_queue());
        let change = DefinitionChange::Save { key: DEFINITION.to_owned(), value: vec![42; 100] };
        block_on(store.change_definitions(vec![change])).expect("saved");
        let unit = store.begin();
        for name in NAMES {
            block_on(store.put(Some(unit), kept, message(name, true, 0), PLACEMENT, FOREVER)).expect("put");
        }
        block_on(store.commit(unit)).expect("committed");
        Self { disk, store, kept, busy }
    }

    /// Changes one byte of the record of `ROTTEN`, `at` bytes from its beginning.
    fn rot(&self, at: usize) {
        let puts = inspect(self.disk.as_ref()).expect("readable").filter_map(|item| match item {
            Item::Put { offset, queue, .. } if queue == self.kept => Some(usize::try_from(offset).unwrap()),
            _ => None,
        });
        let index = NAMES.iter().position(|name| *name == ROTTEN).expect("one of them");
        let place = puts.collect::<Vec<_>>()[index];
        let mut content = self.disk.content(FIRST);
        content[place + at] ^= 0x40;
        self.disk.replace(FIRST, content);
    }

    /// Changes one byte of the batch that has the messages, `at` bytes from its beginning.
    fn rot_batch(&self, at: usize) {
        let batches = inspect(self.disk.as_ref()).expect("readable").filter_map(|item| match item {
            Item::Batch { offset, .. } => Some(usize::try_from(offset).unwrap()),
            _ => None,
        });
        let place = batches.last().expect("there are batches");
        let mut content = self.disk.content(FIRST);
        content[place + at] ^= 0x40;
        self.disk.replace(FIRST, content);
    }

    /// Puts and gets until the first extent is freed; false when it still is not after many extents.
    fn churn(&self) -> bool {
        for name in (0..4_000).map(|number| 7 * (100 + number)) {
            block_on(self.store.put(None, self.busy, message(name, true, 0), PLACEMENT, FOREVER)).expect("put");
            block_on(self.store.get(None, self.busy, &Selection::default(), FOREVER)).expect("got").expect("there");
            if !self.disk.names().iter().any(|file| file == FIRST) {
                return true;
            }
        }
        false
    }

    fn names(&self) -> Vec<u64> {
        crate::oracle::names(&self.store, self.kept)
    }

    /// What a start finds after a crash now.
    fn restarted(&self) -> Vec<u64> {
        let disk: Arc<dyn Disk> = Arc::new(self.disk.after_crash(1));
        let (store, recovered) = PrivateStore::open(disk, small()).expect("the log is whole");
        assert_eq!(recovered.definitions, [(DEFINITION.to_owned(), vec![42; 100])]);
        store.retain_queues(&[self.kept, self.busy]);
        crate::oracle::names(&store, self.kept)
    }
}

/// Of a record: kind, key, expiry, number of the body's file, body length, checksum, descriptor, and what is behind it.
const PLACES: [usize; 8] = [0, 20, 24, 40, 52, 56, 70, 130];

#[test]
fn what_memory_has_of_a_damaged_batch_is_written_again() {
    for at in PLACES {
        let rotting = Rotting::new(1 << 20);
        rotting.rot(at);
        assert!(rotting.churn(), "byte {at}: the extent is freed");
        assert_eq!(rotting.names(), NAMES, "byte {at}");
        assert_eq!(rotting.restarted(), NAMES, "byte {at}");
    }
}

/// Magic, checksum, place, end of the batch before, length.
#[test]
fn a_damaged_head_of_a_batch_costs_nothing() {
    for at in [0, 5, 12, 20, 41] {
        for buffer_pool_bytes in [0, 1 << 20] {
            let rotting = Rotting::new(buffer_pool_bytes);
            rotting.rot_batch(at);
            assert!(rotting.churn(), "byte {at}: the extent is freed");
            assert_eq!(rotting.restarted(), NAMES, "byte {at}");
        }
    }
}

#[test]
fn a_message_that_can_be_had_from_nowhere_keeps_its_extent_until_it_is_removed() {
    let others: Vec<u64> = NAMES.into_iter().filter(|name| *name != ROTTEN).collect();
    let rotting = Rotting::new(0);
    rotting.rot(130);
    assert!(!rotting.churn(), "nothing is thrown away");
    assert_eq!(rotting.names(), others, "the others are delivered");
    let quarantined = rotting.store.quarantine();
    let [unreadable] = quarantined.as_slice() else { panic!("{quarantined:?}") };
    assert_eq!(unreadable.length as usize, body(ROTTEN).len());
    assert!(block_on(rotting.store.remove_quarantined(unreadable.queue, unreadable.key)).expect("removed"));
    assert!(rotting.churn(), "the extent is freed once nothing of it is needed");
    assert_eq!(rotting.restarted(), others);
}
