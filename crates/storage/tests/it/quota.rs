//! A store with quotas: it is nearly used before anything is refused, nothing is lost when it is, and what is got makes room.

use std::num::NonZeroU64;
use std::sync::Arc;

use bytes::Bytes;
use storage::private::log::disk::Disk;
use storage::{Placement, PrivateStore, QueueId, Selection, StoreError, StoreOptions, block_on};

use crate::conformance::small;
use crate::simulated_disk::SimulatedDisk;
use crate::workload::{FOREVER, eventually, message};

const QUOTA: u64 = 512 << 10;
/// The anchor does not count.
const ANCHOR: u64 = 8 << 10;

fn placement(persistent: bool) -> Placement {
    Placement { by_priority: false, maximum_depth: u32::MAX, expires: None, persistent }
}

fn options() -> StoreOptions {
    StoreOptions { disk_quota_bytes: NonZeroU64::new(QUOTA), buffer_pool_bytes: 4 << 10, ..small() }
}

/// Of a message whose body is whole.
fn name_in(body: &[u8]) -> u64 {
    let (name, rest) = body.split_at(8);
    assert!(rest.iter().all(|byte| *byte == 7), "a damaged body");
    u64::from_le_bytes(name.try_into().expect("eight bytes"))
}

struct Filled {
    disk: Arc<SimulatedDisk>,
    store: PrivateStore,
    queue: QueueId,
    next: u64,
    held: Vec<u64>,
}

impl Filled {
    fn new() -> Self {
        let disk = Arc::new(SimulatedDisk::default());
        let store = PrivateStore::open(Arc::clone(&disk) as Arc<dyn Disk>, options()).expect("opens").0;
        let queue = store.create_queue();
        Self { disk, store, queue, next: 0, held: Vec::new() }
    }

    fn percent(&self) -> u64 {
        self.store.quotas().disk.expect("there is one").percent()
    }

    fn put(&mut self, length: usize, persistent: bool) -> Result<(), StoreError> {
        self.next += 1;
        let mut message = message(self.next, persistent, 0);
        let mut body = message.body[..8].to_vec();
        body.resize(length, 7);
        message.body = Bytes::from(body);
        let put = self.store.put(None, self.queue, message, placement(persistent), FOREVER);
        block_on(put).map(|_| self.held.push(self.next))
    }

    /// Says how far the quota was used at the last put that was taken.
    fn fill(&mut self, length: usize, persistent: bool) -> u64 {
        let mut percent = self.percent();
        loop {
            match self.put(length, persistent) {
                Ok(()) => percent = self.percent(),
                Err(StoreError::NoSpace) => return percent,
                Err(other) => panic!("put answered {other}"),
            }
            let bytes = self.disk.bytes_in_files() as u64;
            assert!(bytes <= QUOTA + ANCHOR, "{bytes} bytes are more than the quota");
        }
    }

    fn get(&mut self, count: usize) {
        for name in self.held.drain(..count) {
            let got = block_on(self.store.get(None, self.queue, &Selection::default(), FOREVER)).expect("gets go on");
            let body = got.expect("a message").message.body;
            assert_eq!(name_in(&body), name);
        }
    }

    fn names(&self) -> Vec<u64> {
        let (mut names, mut after) = (Vec::new(), None);
        let selection = Selection::default();
        while let Some(found) = block_on(self.store.browse(self.queue, after, &selection, FOREVER)).expect("browses") {
            names.push(name_in(&found.message.body));
            after = Some(found.key);
        }
        names
    }

    fn restart(&mut self) {
        self.store.close();
        self.store = PrivateStore::open(Arc::clone(&self.disk) as Arc<dyn Disk>, options()).expect("opens").0;
        self.store.retain_queues(&[self.queue]);
        assert_eq!(self.names(), self.held);
    }

    fn eventually_puts(&mut self, length: usize, persistent: bool) {
        eventually("a put", || self.put(length, persistent).is_ok());
    }
}

#[test]
fn the_log_is_nearly_full_before_a_put_is_refused_and_takes_puts_again_when_it_is_drained() {
    let mut filled = Filled::new();
    assert!(filled.percent() < 20, "{} %", filled.percent());
    let percent = filled.fill(700, true);
    assert!(
        percent >= 90,
        "{percent} % when it was refused, {:?} {:?}",
        filled.store.quotas(),
        filled.store.statistics()
    );
    filled.restart();
    assert!(filled.percent() >= 80, "{} %", filled.percent());
    filled.fill(700, true);
    let half = filled.held.len() / 2;
    filled.get(half);
    filled.eventually_puts(700, true);
    eventually("room", || filled.percent() < 75);
    filled.restart();
}

#[test]
fn bodies_with_files_of_their_own_count_and_are_given_back() {
    let mut filled = Filled::new();
    let percent = filled.fill(20_000, true);
    assert!(percent >= 90, "{percent} % when it was refused");
    let all = filled.held.len();
    filled.get(all - 1);
    filled.eventually_puts(20_000, true);
    eventually("room", || filled.percent() < 50);
    filled.restart();
}

#[test]
fn spilled_messages_count_and_a_log_of_dead_records_makes_room_for_bodies() {
    let mut filled = Filled::new();
    let percent = filled.fill(3_000, false);
    assert!(percent >= 90, "{percent} % when it was refused");
    let all = filled.held.len();
    filled.get(all);
    filled.eventually_puts(700, true);
    // The log grows by what is put and got, and keeps nothing of it.
    for _ in 0..2_000 {
        filled.eventually_puts(700, true);
        filled.get(1);
    }
    let files = |filled: &Filled| filled.disk.bytes_in_files() as u64;
    filled.fill(20_000, true);
    eventually("a log that gives back", || {
        filled.fill(20_000, true);
        files(&filled) * 100 >= QUOTA * 90 && filled.percent() >= 80
    });
    filled.restart();
}

#[test]
fn a_store_that_has_more_than_its_quota_starts_and_is_drained() {
    let disk = Arc::new(SimulatedDisk::default());
    let store = PrivateStore::open(Arc::clone(&disk) as Arc<dyn Disk>, small()).expect("opens").0;
    let queue = store.create_queue();
    let mut filled = Filled { disk, store, queue, next: 0, held: Vec::new() };
    while (filled.disk.bytes_in_files() as u64) < 2 * QUOTA {
        filled.put(700, true).expect("there is no quota");
    }
    filled.restart();
    assert!(filled.percent() > 100, "{} %", filled.percent());
    let before = filled.disk.bytes_in_files();
    // There is an extent that was ready.
    let refused = (0..100).find_map(|_| filled.put(700, true).err());
    assert!(matches!(refused, Some(StoreError::NoSpace)), "{refused:?}");
    assert!(filled.disk.bytes_in_files() <= before);
    let most = filled.held.len() * 9 / 10;
    filled.get(most);
    filled.eventually_puts(700, true);
    filled.restart();
}

#[test]
fn a_quota_of_memory_refuses_what_does_not_fit_and_counts_what_a_start_finds() {
    let disk = Arc::new(SimulatedDisk::default());
    let options = StoreOptions { memory_quota_bytes: NonZeroU64::new(30_000), ..small() };
    let open = || PrivateStore::open(Arc::clone(&disk) as Arc<dyn Disk>, options.clone()).expect("opens").0;
    let mut store = open();
    let queue = store.create_queue();
    let used = |store: &PrivateStore| store.quotas().memory.expect("there is one");
    let put = |store: &PrivateStore, persistent| {
        block_on(store.put(None, queue, message(7, persistent, 0), placement(persistent), FOREVER))
    };
    let mut count = 0;
    let refused = loop {
        match put(&store, count % 2 == 0) {
            Ok(_) => count += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(refused, StoreError::NoMemory) && used(&store).percent() >= 95, "{refused}");
    let unit = store.begin();
    let in_unit = store.put(Some(unit), queue, message(7, true, 0), placement(true), FOREVER);
    assert!(matches!(block_on(in_unit), Err(StoreError::NoMemory)));
    store.close();
    store = open();
    store.retain_queues(&[queue]);
    let persistent = u64::from(store.depth(queue).current);
    assert!(persistent > 0 && used(&store).used_bytes >= persistent * 300, "{persistent}, {:?}", used(&store));
    while block_on(store.get(None, queue, &Selection::default(), FOREVER)).expect("gets go on").is_some() {}
    assert_eq!(used(&store).used_bytes, 0);
    put(&store, false).expect("there is room");
}
