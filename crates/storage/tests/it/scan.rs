//! Scans: order, bounds, what is not shown, what is shown again, and how much of a body is read.

use std::collections::BTreeSet;
use std::sync::Arc;

use bytes::Bytes;
use model::descriptor::MessageDescriptor;
use model::message::Message;
use model::timestamp::Timestamp;
use proptest::prelude::*;
use storage::private::log::disk::DirectoryDisk;
use storage::{
    Candidate, DeliveryKey, Glimpse, LockOwner, Placement, PrivateStore, QueueId, Selection, StoreOptions,
    UnitOfWorkId, block_on,
};

const NOW: Timestamp = Timestamp(1);

fn put_in(
    store: &PrivateStore,
    unit: Option<UnitOfWorkId>,
    queue: QueueId,
    body: &'static [u8],
    length: usize,
    persistent: bool,
) -> DeliveryKey {
    let mut text = body.to_vec();
    text.resize(length.max(body.len()), b'.');
    let message = Message { descriptor: MessageDescriptor::default(), body: Bytes::from(text) };
    let placement = Placement { by_priority: true, maximum_depth: 1000, expires: None, persistent };
    block_on(store.put(unit, queue, message, placement, NOW)).unwrap().key
}

fn put(store: &PrivateStore, queue: QueueId, body: &'static [u8]) -> DeliveryKey {
    put_in(store, None, queue, body, 1, false)
}

fn queue_of(bodies: &[&'static [u8]]) -> (PrivateStore, QueueId, Vec<DeliveryKey>) {
    let store = PrivateStore::ephemeral(StoreOptions::default());
    let queue = store.create_queue();
    let keys = bodies.iter().map(|body| put(&store, queue, body)).collect();
    (store, queue, keys)
}

/// All that one look is shown.
fn look(
    store: &PrivateStore,
    scan: &mut storage::private::Scan,
    selection: &Selection<'_>,
    after: Option<DeliveryKey>,
) -> Vec<Glimpse> {
    let mut shown = Vec::new();
    scan.begin(selection, after);
    loop {
        let slice = block_on(store.scan(scan, selection, 3, NOW)).unwrap();
        shown.extend(slice.glimpses);
        if slice.is_last {
            return shown;
        }
    }
}

/// As `look`, refusing everything.
fn refuse(store: &PrivateStore, scan: &mut storage::private::Scan, selection: &Selection<'_>) -> String {
    let mut shown = Vec::new();
    scan.begin(selection, None);
    loop {
        let slice = block_on(store.scan(scan, selection, 3, NOW)).unwrap();
        slice.glimpses.iter().for_each(|glimpse| scan.refuse(glimpse.key));
        shown.extend(slice.glimpses);
        if slice.is_last {
            return words(&shown);
        }
    }
}

fn words(glimpses: &[Glimpse]) -> String {
    glimpses.iter().map(|glimpse| char::from(glimpse.beginning[0])).collect()
}

fn at(key: DeliveryKey) -> Selection<'static> {
    Selection { position: Some(key.position), ..Selection::default() }
}

#[test]
fn messages_are_shown_in_order_a_slice_at_a_time_from_where_it_is_said() {
    let (store, queue, keys) = queue_of(&[b"a", b"b", b"c", b"d"]);
    let all = Selection::default();
    let mut scan = store.open_scan(queue).unwrap();
    scan.begin(&all, None);
    let first = block_on(store.scan(&mut scan, &all, 3, NOW)).unwrap();
    assert_eq!((words(&first.glimpses).as_str(), first.is_last), ("abc", false));
    assert!(first.glimpses.iter().all(|glimpse| glimpse.is_whole));
    let rest = block_on(store.scan(&mut scan, &all, 3, NOW)).unwrap();
    assert_eq!((words(&rest.glimpses).as_str(), rest.is_last), ("d", true));
    assert_eq!(words(&look(&store, &mut scan, &all, Some(keys[1]))), "cd");
    assert_eq!(words(&look(&store, &mut scan, &all, Some(keys[2]))), "d");
    assert_eq!(words(&look(&store, &mut scan, &all, None)), "abcd");
    assert_eq!(store.depth(queue).current, 4);
}

#[test]
fn what_was_refused_is_not_looked_at_again_however_long_the_queue_is() {
    let bodies: Vec<&'static [u8]> = vec![b"x"; 900];
    let (store, queue, _) = queue_of(&bodies);
    let mut scan = store.open_scan(queue).unwrap();
    let all = Selection::default();
    assert_eq!(refuse(&store, &mut scan, &all).len(), 900);
    for _ in 0..10 {
        let before = store.statistics().messages_scanned;
        put(&store, queue, b"y");
        assert_eq!(refuse(&store, &mut scan, &all), "y");
        assert_eq!(refuse(&store, &mut scan, &all), "");
        assert_eq!(store.statistics().messages_scanned - before, 1);
    }
}

#[test]
fn what_was_not_refused_is_shown_by_each_look_and_by_one_once() {
    let (store, queue, keys) = queue_of(&[b"a", b"b", b"c", b"d", b"e"]);
    let all = Selection::default();
    let mut scan = store.open_scan(queue).unwrap();
    scan.begin(&all, None);
    let slice = block_on(store.scan(&mut scan, &all, 3, NOW)).unwrap();
    assert_eq!(words(&slice.glimpses), "abc");
    scan.refuse(keys[0]);
    // A look that ended early.
    assert_eq!(words(&look(&store, &mut scan, &all, None)), "bcde");
    assert_eq!(words(&look(&store, &mut scan, &all, None)), "bcde");
}

#[test]
fn what_comes_back_or_is_committed_late_is_shown_again() {
    let (store, queue, keys) = queue_of(&[b"a", b"b"]);
    let unit = store.begin();
    put_in(&store, Some(unit), queue, b"u", 1, false);
    put(&store, queue, b"c");
    let getting = store.begin();
    assert!(block_on(store.get(Some(getting), queue, &at(keys[1]), NOW)).unwrap().is_some());
    let mut scan = store.open_scan(queue).unwrap();
    let all = Selection::default();
    assert_eq!(refuse(&store, &mut scan, &all), "ac");
    block_on(store.commit(unit)).unwrap();
    block_on(store.back_out(getting)).unwrap();
    let seen = look(&store, &mut scan, &all, None);
    assert_eq!(words(&seen), "bu");
    assert_eq!(seen[0].descriptor.backout_count, 1);
    assert_eq!(refuse(&store, &mut scan, &all), "bu");
    // Refused before it was taken, and changed since.
    let again = store.begin();
    assert!(block_on(store.get(Some(again), queue, &at(keys[0]), NOW)).unwrap().is_some());
    assert_eq!(refuse(&store, &mut scan, &all), "");
    block_on(store.back_out(again)).unwrap();
    assert_eq!(refuse(&store, &mut scan, &all), "a");
}

#[test]
fn a_refusal_of_a_message_that_came_back_meanwhile_does_not_count() {
    let (store, queue, keys) = queue_of(&[b"a", b"b"]);
    let all = Selection::default();
    let mut scan = store.open_scan(queue).unwrap();
    scan.begin(&all, None);
    assert_eq!(words(&block_on(store.scan(&mut scan, &all, 3, NOW)).unwrap().glimpses), "ab");
    let unit = store.begin();
    assert!(block_on(store.get(Some(unit), queue, &at(keys[0]), NOW)).unwrap().is_some());
    block_on(store.back_out(unit)).unwrap();
    keys.iter().for_each(|key| scan.refuse(*key));
    assert_eq!(refuse(&store, &mut scan, &all), "a");
    assert_eq!(refuse(&store, &mut scan, &all), "");
}

#[test]
fn what_others_lock_or_the_selection_refuses_is_shown_once_it_may_be_had() {
    let (store, queue, keys) = queue_of(&[b"a", b"b", b"c", b"d"]);
    assert!(store.lock(queue, keys[0], LockOwner(7)));
    let mut scan = store.open_scan(queue).unwrap();
    let accept = |candidate: &Candidate<'_>| candidate.position != keys[2].position;
    let some = Selection { accept: Some(&accept), ..Selection::default() };
    assert_eq!(refuse(&store, &mut scan, &some), "bd");
    let owner = Selection { lock_owner: Some(LockOwner(7)), ..some };
    let mut other = store.open_scan(queue).unwrap();
    assert_eq!(refuse(&store, &mut other, &owner), "abd");
    assert!(store.unlock(queue, keys[0], LockOwner(7)));
    assert_eq!(refuse(&store, &mut scan, &some), "a");
    assert_eq!(refuse(&store, &mut scan, &Selection::default()), "c");
}

#[test]
fn another_selection_or_an_emptied_queue_begins_anew() {
    let (store, queue, keys) = queue_of(&[b"a", b"b"]);
    let mut scan = store.open_scan(queue).unwrap();
    let all = Selection::default();
    assert_eq!(refuse(&store, &mut scan, &all), "ab");
    assert_eq!(words(&look(&store, &mut scan, &at(keys[1]), None)), "b");
    assert_eq!(words(&look(&store, &mut scan, &all, None)), "ab");
    block_on(store.clear(queue)).unwrap();
    assert_eq!(words(&look(&store, &mut scan, &all, None)), "");
    put(&store, queue, b"c");
    assert_eq!(words(&look(&store, &mut scan, &all, None)), "c");
}

#[test]
fn of_a_body_in_a_file_of_its_own_the_beginning_is_read() {
    let directory = tempfile::tempdir().unwrap();
    let disk = Arc::new(DirectoryDisk::open(directory.path().to_path_buf()).unwrap());
    let options = StoreOptions { buffer_pool_bytes: 0, large_body_bytes: 100_000, ..StoreOptions::default() };
    let (store, _) = PrivateStore::open(disk, options).unwrap();
    let queue = store.create_queue();
    put_in(&store, None, queue, b"short, logged", 0, true);
    put_in(&store, None, queue, b"long, in a file", 300_000, true);
    put_in(&store, None, queue, b"spilled", 90_000, false);
    let mut scan = store.open_scan(queue).unwrap();
    let seen = look(&store, &mut scan, &Selection::default(), None);
    let lengths: Vec<_> = seen.iter().map(|glimpse| (glimpse.beginning.len(), glimpse.is_whole)).collect();
    assert_eq!(lengths, [(13, true), (64 << 10, false), (90_000, true)]);
    assert!(seen[1].beginning.starts_with(b"long, in a file"));
}

#[derive(Debug, Clone)]
enum Step {
    Put { priority: i32, in_unit: bool },
    Get { in_unit: bool, nth: usize },
    Commit,
    BackOut,
    Lock(usize),
    Unlock,
    Clear,
    Begin { after: Option<usize> },
    Slice { maximum: usize, refused: u8 },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        5 => (0..3, any::<bool>()).prop_map(|(priority, in_unit)| Step::Put { priority, in_unit }),
        3 => (any::<bool>(), 0..6_usize).prop_map(|(in_unit, nth)| Step::Get { in_unit, nth }),
        2 => Just(Step::Commit),
        2 => Just(Step::BackOut),
        1 => (0..6_usize).prop_map(Step::Lock),
        1 => Just(Step::Unlock),
        1 => Just(Step::Clear),
        2 => prop::option::weighted(0.3, 0..6_usize).prop_map(|after| Step::Begin { after }),
        6 => (1..5_usize, any::<u8>()).prop_map(|(maximum, refused)| Step::Slice { maximum, refused }),
    ]
}

/// What a scan shows when it remembers each refusal and each message of the look.
#[derive(Default)]
struct Naive {
    available: BTreeSet<DeliveryKey>,
    /// Put by the unit of work, and got by it.
    put: BTreeSet<DeliveryKey>,
    got: BTreeSet<DeliveryKey>,
    locked: Option<DeliveryKey>,
    floor: Option<DeliveryKey>,
    begins: Option<Option<DeliveryKey>>,
    seen: BTreeSet<DeliveryKey>,
    refused: BTreeSet<DeliveryKey>,
}

impl Naive {
    fn nth(&self, nth: usize) -> Option<DeliveryKey> {
        self.available.iter().nth(nth).copied()
    }

    fn goes(&mut self, key: DeliveryKey) {
        self.available.remove(&key);
        self.seen.remove(&key);
        self.refused.remove(&key);
        self.locked.take_if(|locked| *locked == key);
    }

    /// With the first slice of a look.
    fn begin(&mut self) {
        let Some(after) = self.begins.take() else { return };
        if after < self.floor {
            self.refused.clear();
        }
        self.floor = after;
        self.seen.clear();
    }

    fn slice(&mut self, maximum: usize) -> Vec<DeliveryKey> {
        self.begin();
        let mut shown = Vec::new();
        for key in self.available.iter().filter(|key| self.floor.is_none_or(|floor| **key > floor)) {
            if shown.len() == maximum {
                break;
            }
            if !self.refused.contains(key) && self.seen.insert(*key) && self.locked != Some(*key) {
                shown.push(*key);
            }
        }
        shown
    }
}

proptest! {
    /// Slices with any change of the queue between them, and looks that end early.
    #[test]
    fn a_scan_shows_what_a_model_shows_that_remembers_every_message(steps in prop::collection::vec(step(), 1..150)) {
        let (store, queue, _) = queue_of(&[]);
        let (all, owner) = (Selection::default(), LockOwner(3));
        let mut naive = Naive::default();
        let mut scan = store.open_scan(queue).unwrap();
        let mut unit = store.begin();
        scan.begin(&all, None);
        for step in steps {
            match step {
                Step::Put { priority, in_unit } => {
                    let descriptor = MessageDescriptor { priority, ..MessageDescriptor::default() };
                    let message = Message { descriptor, body: Bytes::from_static(b"x") };
                    let placement = Placement { by_priority: true, maximum_depth: 1000, expires: None, persistent: false };
                    let put = block_on(store.put(in_unit.then_some(unit), queue, message, placement, NOW)).unwrap();
                    if in_unit { naive.put.insert(put.key) } else { naive.available.insert(put.key) };
                }
                Step::Get { in_unit, nth } => {
                    let Some(key) = naive.nth(nth) else { continue };
                    let wanted = Selection { lock_owner: Some(owner), ..at(key) };
                    assert!(block_on(store.get(in_unit.then_some(unit), queue, &wanted, NOW)).unwrap().is_some());
                    naive.goes(key);
                    if in_unit {
                        naive.got.insert(key);
                    }
                }
                Step::Commit => {
                    block_on(store.commit(unit)).unwrap();
                    naive.available.append(&mut naive.put);
                    naive.got.clear();
                    unit = store.begin();
                }
                Step::BackOut => {
                    block_on(store.back_out(unit)).unwrap();
                    naive.available.append(&mut naive.got);
                    naive.put.clear();
                    unit = store.begin();
                }
                Step::Lock(nth) => {
                    if let (None, Some(key)) = (naive.locked, naive.nth(nth)) {
                        assert!(store.lock(queue, key, owner));
                        naive.locked = Some(key);
                    }
                }
                Step::Unlock => {
                    if let Some(key) = naive.locked.take() {
                        assert!(store.unlock(queue, key, owner));
                    }
                }
                Step::Clear => {
                    if naive.put.is_empty() && naive.got.is_empty() {
                        block_on(store.clear(queue)).unwrap();
                        naive.available.clear();
                        naive.locked = None;
                    }
                }
                Step::Begin { after } => {
                    let after = after.and_then(|nth| naive.nth(nth));
                    scan.begin(&all, after);
                    naive.begins = Some(after);
                }
                Step::Slice { maximum, refused } => {
                    let slice = block_on(store.scan(&mut scan, &all, maximum, NOW)).unwrap();
                    let shown: Vec<DeliveryKey> = slice.glimpses.iter().map(|glimpse| glimpse.key).collect();
                    prop_assert_eq!(&shown, &naive.slice(maximum));
                    for (index, key) in shown.into_iter().enumerate() {
                        if refused & (1 << index) != 0 {
                            scan.refuse(key);
                            naive.refused.insert(key);
                        }
                    }
                }
            }
        }
    }
}
