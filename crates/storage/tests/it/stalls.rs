//! A disk that stalls holds up no thread that serves others: calls wait as futures, and those that are dropped change nothing.
//!
//! Here a future that is polled stands for a task of such a thread: a poll must return while the disk stalls.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use model::timestamp::Timestamp;
use storage::private::log::disk::{Disk, FileName};
use storage::{Placement, PrivateStore, QueueId, Selection, StoreOptions, UnitOfWorkId, block_on};

use crate::conformance::small;
use crate::simulated_disk::SimulatedDisk;
use crate::workload::{FOREVER, body, message};

const PLACEMENT: Placement = Placement { by_priority: false, maximum_depth: 3, expires: None, persistent: true };
const LATE: Timestamp = Timestamp(FOREVER.0 + 10);
/// Bodies from so many bytes on have files.
const LARGE: usize = 300;
/// Names of bodies that are shorter, and that are longer.
const SHORT: u64 = 7;
const LONG: u64 = 13;

/// What is held up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stalled {
    Nothing,
    Reads,
    /// Every call on files of nonpersistent messages.
    Spill,
    Syncs,
    /// Writes to extents of the log.
    Log,
}

struct StallingDisk {
    disk: SimulatedDisk,
    stalled: Mutex<Stalled>,
    changed: Condvar,
    /// Reads find everything in the system's memory.
    is_in_memory: bool,
}

impl StallingDisk {
    fn new(is_in_memory: bool) -> Arc<Self> {
        let (stalled, changed) = (Mutex::new(Stalled::Nothing), Condvar::new());
        Arc::new(Self { disk: SimulatedDisk::default(), stalled, changed, is_in_memory })
    }

    fn set(&self, stalled: Stalled) {
        *self.stalled.lock().unwrap() = stalled;
        self.changed.notify_all();
    }

    /// Bounded: a thread that must not wait is held up for a while, and its test fails.
    fn pass(&self, call: Stalled) {
        let stalled = self.stalled.lock().unwrap();
        drop(self.changed.wait_timeout_while(stalled, Duration::from_secs(60), |stalled| *stalled == call).unwrap());
    }

    fn pass_with(&self, file: &FileName) {
        if file.0.starts_with("spill-") {
            self.pass(Stalled::Spill);
        }
    }
}

impl Disk for StallingDisk {
    fn list(&self) -> io::Result<Vec<FileName>> {
        self.disk.list()
    }

    fn length(&self, file: &FileName) -> io::Result<u64> {
        self.disk.length(file)
    }

    fn read(&self, file: &FileName, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.pass(Stalled::Reads);
        self.disk.read(file, offset, buffer)
    }

    fn read_at_once(&self, file: &FileName, offset: u64, buffer: &mut [u8]) -> Option<usize> {
        if self.is_in_memory { self.disk.read(file, offset, buffer).ok() } else { None }
    }

    fn read_stored(&self, file: &FileName, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.disk.read_stored(file, offset, buffer)
    }

    fn write(&self, file: &FileName, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.pass_with(file);
        if file.0.starts_with("extent-") {
            self.pass(Stalled::Log);
        }
        self.disk.write(file, offset, bytes)
    }

    fn sync(&self, file: &FileName) -> io::Result<()> {
        self.pass(Stalled::Syncs);
        self.disk.sync(file)
    }

    fn create(&self, file: &FileName) -> io::Result<()> {
        self.pass_with(file);
        self.disk.create(file)
    }

    fn rename(&self, from: &FileName, to: &FileName) -> io::Result<()> {
        self.disk.rename(from, to)
    }

    fn remove(&self, file: &FileName) -> io::Result<()> {
        self.pass_with(file);
        self.disk.remove(file)
    }
}

/// Nothing stays in memory.
fn open(disk: &Arc<StallingDisk>) -> (PrivateStore, QueueId) {
    let options = StoreOptions { large_body_bytes: LARGE as u64, buffer_pool_bytes: 0, ..small() };
    let (store, _) = PrivateStore::open(Arc::clone(disk) as Arc<dyn Disk>, options).expect("opens");
    let queue = store.create_queue();
    (store, queue)
}

fn placement(persistent: bool) -> Placement {
    Placement { persistent, ..PLACEMENT }
}

fn put(store: &PrivateStore, queue: QueueId, name: u64, placement: Placement) {
    block_on(store.put(None, queue, message(name, placement.persistent, 0), placement, FOREVER)).expect("puts");
}

fn get(store: &PrivateStore, queue: QueueId) -> Option<bytes::Bytes> {
    let got = block_on(store.get(None, queue, &Selection::default(), FOREVER)).expect("gets");
    got.map(|stored| stored.message.body)
}

type Call<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

fn poll<T>(call: &mut Call<'_, T>) -> Poll<T> {
    call.as_mut().poll(&mut Context::from_waker(Waker::noop()))
}

fn assert_waits<T>(what: &str, call: &mut Call<'_, T>) {
    assert!(poll(call).is_pending(), "{what}: the thread has waited for the disk");
}

/// A short and a long record, with a body in the log, in a file of its own, and in a spill file.
fn cases() -> impl Iterator<Item = (u64, bool)> {
    [(SHORT, true), (LONG, true), (SHORT, false), (LONG, false)].into_iter()
}

#[test]
fn gets_and_browses_of_what_is_on_disk_hold_up_no_thread() {
    for (name, persistent) in cases() {
        let disk = StallingDisk::new(false);
        let (store, queue) = open(&disk);
        put(&store, queue, name, placement(persistent));
        let any = Selection::default();
        disk.set(Stalled::Reads);
        let mut browse: Call<'_, _> = Box::pin(store.browse(queue, None, &any, FOREVER));
        assert_waits("browse", &mut browse);
        let unit = store.begin();
        let mut in_unit: Call<'_, _> = Box::pin(store.get(Some(unit), queue, &any, FOREVER));
        assert_waits("get in a unit of work", &mut in_unit);
        drop(in_unit);
        let mut scan = store.open_scan(queue).expect("the queue is there");
        scan.begin(&any, None);
        let mut slice: Call<'_, _> = Box::pin(store.scan(&mut scan, &any, 3, FOREVER));
        assert_waits("scan", &mut slice);
        drop(slice);
        let mut get: Call<'_, _> = Box::pin(store.get(None, queue, &any, FOREVER));
        assert_waits("get", &mut get);
        disk.set(Stalled::Nothing);
        let got = block_on(get).expect("gets").expect("the message");
        assert_eq!(got.message.body, body(name));
        // Before the get, or after it.
        let browsed = block_on(browse).expect("browses");
        assert!(browsed.is_none_or(|seen| seen.message.body == body(name)));
        assert_eq!(store.depth(queue).current, 0);
    }
}

#[test]
fn a_get_that_is_dropped_while_it_reads_leaves_the_message_at_its_place() {
    for (name, persistent) in cases() {
        let disk = StallingDisk::new(false);
        let (store, queue) = open(&disk);
        put(&store, queue, name, placement(persistent));
        put(&store, queue, name + 7, placement(persistent));
        let any = Selection::default();
        disk.set(Stalled::Reads);
        for unit in [None, Some(store.begin())] {
            let mut get: Call<'_, _> = Box::pin(store.get(unit, queue, &any, FOREVER));
            assert_waits("get", &mut get);
            assert_eq!(store.depth(queue).uncommitted, 1, "others pass over it meanwhile");
            drop(get);
            assert_eq!((store.depth(queue).uncommitted, store.depth(queue).current), (0, 2));
        }
        disk.set(Stalled::Nothing);
        assert_eq!(get(&store, queue).expect("the first"), body(name));
        assert_eq!(get(&store, queue).expect("the second"), body(name + 7));
        store.close();
    }
}

#[test]
fn what_the_system_has_in_memory_is_read_at_once_unless_it_is_long() {
    for (name, persistent) in cases() {
        let disk = StallingDisk::new(true);
        let (store, queue) = open(&disk);
        put(&store, queue, name, placement(persistent));
        let any = Selection::default();
        disk.set(Stalled::Reads);
        let mut browse: Call<'_, _> = Box::pin(store.browse(queue, None, &any, FOREVER));
        let has_file = persistent && name == LONG;
        assert_eq!(poll(&mut browse).is_ready(), !has_file, "{name} {persistent}");
        drop(browse);
        disk.set(Stalled::Nothing);
    }
}

#[test]
fn expired_messages_are_read_for_reports_without_holding_up_a_thread() {
    let disk = StallingDisk::new(false);
    let (store, queue) = open(&disk);
    let expires = Some(Timestamp(FOREVER.0 + 5));
    for name in [SHORT, LONG] {
        put(&store, queue, name, Placement { expires, ..PLACEMENT });
    }
    disk.set(Stalled::Reads);
    let mut gone = VecDeque::new();
    let mut discard: Call<'_, _> = Box::pin(store.discard_expired(queue, LATE, &mut gone));
    assert_waits("discard", &mut discard);
    drop(discard);
    assert_eq!((gone.len(), store.depth(queue).uncommitted), (0, 0), "dropped, it changes nothing");
    let mut discard: Call<'_, _> = Box::pin(store.discard_expired(queue, LATE, &mut gone));
    assert_waits("discard", &mut discard);
    disk.set(Stalled::Nothing);
    block_on(discard).expect("discards");
    assert_eq!((gone.len(), store.depth(queue).current), (2, 0));
}

#[test]
fn nonpersistent_messages_go_to_spill_files_and_leave_them_without_holding_up_a_thread() {
    for name in [SHORT, LONG] {
        let disk = StallingDisk::new(true);
        let (store, queue) = open(&disk);
        let nonpersistent = placement(false);
        put(&store, queue, name, nonpersistent);
        disk.set(Stalled::Spill);
        let waits = |name| {
            let put = store.put(None, queue, message(name, false, 0), nonpersistent, FOREVER);
            let mut put: Call<'_, _> = Box::pin(put);
            assert_waits("put", &mut put);
            put
        };
        let (second, dropped) = (waits(name + 7), waits(name + 14));
        drop(dropped);
        let any = Selection::default();
        let mut first: Call<'_, _> = Box::pin(store.get(None, queue, &any, FOREVER));
        let Poll::Ready(got) = poll(&mut first) else { panic!("a get of a message that is written waits") };
        assert_eq!(got.expect("gets").expect("the first").message.body, body(name));
        drop(first);
        disk.set(Stalled::Nothing);
        block_on(second).expect("puts");
        assert_eq!(get(&store, queue).expect("the second"), body(name + 7));
        assert_eq!(get(&store, queue), None, "a put that is dropped before it returns leaves nothing");
        store.close();
        assert_eq!(store.statistics().spilled_bytes, 0);
    }
}

#[test]
fn a_large_unit_of_work_is_seen_once_its_commit_is_durable_whatever_becomes_of_its_caller() {
    let disk = StallingDisk::new(true);
    let (store, queue) = open(&disk);
    let many = Placement { maximum_depth: u32::MAX, ..PLACEMENT };
    let unit = store.begin();
    // More than are ended in one step, and more than a part of the log holds.
    let names = || (1..200).map(|name| 7 * name);
    for name in names() {
        block_on(store.put(Some(unit), queue, message(name, true, 0), many, FOREVER)).expect("puts");
    }
    disk.set(Stalled::Syncs);
    let any = Selection::default();
    let mut commit: Call<'_, _> = Box::pin(store.commit(unit));
    assert_waits("commit", &mut commit);
    let empty = store.create_queue();
    let has_begun = || block_on(store.get(Some(unit), empty, &any, FOREVER)).is_err();
    until("the commit begins", has_begun);
    let mut browse: Call<'_, _> = Box::pin(store.browse(queue, None, &any, FOREVER));
    assert!(matches!(poll(&mut browse), Poll::Ready(Ok(None))), "it is not durable yet");
    drop((commit, browse));
    disk.set(Stalled::Nothing);
    block_on(store.commit(unit)).expect("it is over");
    assert_eq!(store.depth(queue).uncommitted, 0, "and all of it is visible");
    for name in names() {
        assert_eq!(get(&store, queue).expect("in order"), body(name));
    }
}

#[test]
fn the_messages_of_a_large_unit_of_work_are_got_in_order_while_it_is_committed_and_come_back_so() {
    const COUNT: u64 = 3000;
    let disk = StallingDisk::new(true);
    let (store, queue) = open(&disk);
    let many = Placement { maximum_depth: u32::MAX, ..placement(false) };
    let unit = store.begin();
    for name in 0..COUNT {
        block_on(store.put(Some(unit), queue, message(7 * name, false, 0), many, FOREVER)).expect("puts");
    }
    let taker = store.begin();
    std::thread::scope(|scope| {
        scope.spawn(|| block_on(store.commit(unit)).expect("commits"));
        for name in 0..COUNT {
            let got = got_in(&store, taker, queue);
            assert_eq!(got, body(7 * name));
        }
    });
    block_on(store.back_out(taker)).expect("backs out");
    assert_eq!((store.depth(queue).current, store.depth(queue).uncommitted), (3000, 0));
    let again = store.begin();
    for name in 0..COUNT {
        assert_eq!(got_in(&store, again, queue), body(7 * name));
    }
    block_on(store.commit(again)).expect("commits");
    assert_eq!((store.depth(queue).current, store.statistics().spilled_bytes), (0, 0));
}

/// The next message, which is there or comes.
fn got_in(store: &PrivateStore, unit: UnitOfWorkId, queue: QueueId) -> bytes::Bytes {
    let mut got = None;
    until("a message", || {
        got = block_on(store.get(Some(unit), queue, &Selection::default(), FOREVER)).expect("gets");
        got.is_some()
    });
    got.expect("there is one").message.body
}

/// Bounded.
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..300_000 {
        if holds() {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("{what} did not come about");
}

#[test]
fn a_message_that_was_moved_in_the_log_is_read_once_its_new_place_is_on_disk() {
    let disk = StallingDisk::new(false);
    let (store, queue) = open(&disk);
    let many = Placement { maximum_depth: u32::MAX, ..PLACEMENT };
    for name in (1..400).map(|name| 7 * name) {
        put(&store, queue, name, many);
    }
    let unit = store.begin();
    assert_eq!(got_in(&store, unit, queue), body(7));
    disk.set(Stalled::Log);
    // What lives in a damaged extent is moved at once.
    disk.disk.rot_below_the_cache("extent-0000000001", 5000);
    store.verify();
    until("the message is moved", || store.statistics().log_moved_bytes > 0);
    let mut again: Call<'_, _> = Box::pin(store.got_first(unit));
    for _ in 0..50 {
        assert_waits("reading what is not on disk", &mut again);
        std::thread::sleep(Duration::from_millis(1));
    }
    disk.set(Stalled::Nothing);
    assert_eq!(block_on(again).expect("reads").expect("the message").message.body, body(7));
    assert_eq!(store.quarantine().len(), 0);
}

#[test]
fn a_refused_put_gives_its_place_in_a_spill_file_back() {
    let disk = StallingDisk::new(false);
    let (store, queue) = open(&disk);
    for name in 0..3 {
        put(&store, queue, SHORT + 7 * name, placement(false));
    }
    let before = store.statistics().spilled_bytes;
    let refused = block_on(store.put(None, queue, message(LONG, false, 0), placement(false), FOREVER));
    assert!(refused.is_err(), "the queue is full");
    assert_eq!(store.statistics().spilled_bytes, before);
    for name in 0..3 {
        assert_eq!(get(&store, queue).expect("in order"), body(SHORT + 7 * name));
    }
    assert_eq!(store.statistics().spilled_bytes, 0);
}
