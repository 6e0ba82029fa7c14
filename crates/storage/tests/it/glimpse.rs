//! Looking at what messages say without taking them: order, bounds, what is not seen, and how much of a body is read.

use std::sync::Arc;

use bytes::Bytes;
use model::descriptor::MessageDescriptor;
use model::message::Message;
use model::timestamp::Timestamp;
use storage::private::log::disk::DirectoryDisk;
use storage::{Candidate, Glimpse, LockOwner, Placement, PrivateStore, QueueId, Selection, StoreOptions, block_on};

const NOW: Timestamp = Timestamp(1);

fn put(store: &PrivateStore, queue: QueueId, body: &'static [u8], length: usize, persistent: bool) {
    let mut text = body.to_vec();
    text.resize(length.max(body.len()), b'.');
    let message = Message { descriptor: MessageDescriptor::default(), body: Bytes::from(text) };
    let placement = Placement { by_priority: true, maximum_depth: 100, expires: None, persistent };
    block_on(store.put(None, queue, message, placement, NOW)).unwrap();
}

fn glimpse(store: &PrivateStore, queue: QueueId, selection: &Selection<'_>, maximum: usize) -> Vec<Glimpse> {
    block_on(store.glimpse(queue, None, selection, maximum, NOW)).unwrap()
}

fn words(glimpses: &[Glimpse]) -> Vec<&str> {
    glimpses.iter().map(|glimpse| std::str::from_utf8(&glimpse.beginning[..1]).unwrap()).collect()
}

#[test]
fn messages_are_seen_in_order_as_many_as_are_asked_for_from_where_it_is_said() {
    let store = PrivateStore::ephemeral(StoreOptions::default());
    let queue = store.create_queue();
    for body in [b"a", b"b", b"c", b"d"] {
        put(&store, queue, body, 1, false);
    }
    let all = Selection::default();
    let first = glimpse(&store, queue, &all, 3);
    assert_eq!(words(&first), ["a", "b", "c"]);
    assert!(first.iter().all(|glimpse| glimpse.is_whole));
    let rest = block_on(store.glimpse(queue, Some(first[2].key), &all, 3, NOW)).unwrap();
    assert_eq!(words(&rest), ["d"]);
    assert_eq!(store.depth(queue).current, 4);
}

#[test]
fn what_others_hold_or_the_selection_refuses_is_not_seen() {
    let store = PrivateStore::ephemeral(StoreOptions::default());
    let queue = store.create_queue();
    for body in [b"a", b"b", b"c", b"d"] {
        put(&store, queue, body, 1, false);
    }
    let keys: Vec<_> = glimpse(&store, queue, &Selection::default(), 10).iter().map(|glimpse| glimpse.key).collect();
    assert!(store.lock(queue, keys[0], LockOwner(7)));
    let unit = store.begin();
    let second = Selection { position: Some(keys[1].position), ..Selection::default() };
    assert!(block_on(store.get(Some(unit), queue, &second, NOW)).unwrap().is_some());
    let accept = |candidate: &Candidate<'_>| candidate.position != keys[2].position;
    let selection = Selection { accept: Some(&accept), ..Selection::default() };
    assert_eq!(words(&glimpse(&store, queue, &selection, 10)), ["d"]);
    let owner = Selection { lock_owner: Some(LockOwner(7)), ..selection };
    assert_eq!(words(&glimpse(&store, queue, &owner, 10)), ["a", "d"]);
    block_on(store.back_out(unit)).unwrap();
    let seen = glimpse(&store, queue, &selection, 10);
    assert_eq!(words(&seen), ["b", "d"]);
    assert_eq!(seen[0].descriptor.backout_count, 1);
}

#[test]
fn of_a_body_in_a_file_of_its_own_the_beginning_is_read() {
    let directory = tempfile::tempdir().unwrap();
    let disk = Arc::new(DirectoryDisk::open(directory.path().to_path_buf()).unwrap());
    let options = StoreOptions { buffer_pool_bytes: 0, large_body_bytes: 100_000, ..StoreOptions::default() };
    let (store, _) = PrivateStore::open(disk, options).unwrap();
    let queue = store.create_queue();
    put(&store, queue, b"short, logged", 0, true);
    put(&store, queue, b"long, in a file", 300_000, true);
    put(&store, queue, b"spilled", 90_000, false);
    let seen = glimpse(&store, queue, &Selection::default(), 10);
    let lengths: Vec<_> = seen.iter().map(|glimpse| (glimpse.beginning.len(), glimpse.is_whole)).collect();
    assert_eq!(lengths, [(13, true), (64 << 10, false), (90_000, true)]);
    assert!(seen[1].beginning.starts_with(b"long, in a file"));
}
