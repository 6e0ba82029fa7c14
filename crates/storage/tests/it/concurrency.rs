//! Many callers at once on a real directory.

use std::collections::BTreeSet;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Waker};

use storage::private::log::disk::{DirectoryDisk, Disk};
use storage::{Placement, PrivateStore, Selection, StoreOptions, before_sleep, block_on};

use crate::conformance::small;
use crate::simulated_disk::SimulatedDisk;
use crate::workload::{FOREVER, message};

const PLACEMENT: Placement = Placement { by_priority: false, maximum_depth: u32::MAX, expires: None, persistent: true };

fn name_of(body: &[u8]) -> u64 {
    u64::from_le_bytes(body[..8].try_into().expect("the name"))
}

/// Half of the threads put, half get, some in units of work that they sometimes back out. Some write the log themselves
/// before they sleep.
fn contend(options: StoreOptions) {
    const PUTTERS: u64 = 4;
    const EACH: u64 = 250;
    let directory = tempfile::tempdir().expect("a temporary folder");
    let disk: Arc<dyn Disk> = Arc::new(DirectoryDisk::open(directory.path().to_owned()).expect("opens"));
    let (store, _) = PrivateStore::open(disk, options).expect("opens");
    let queue = store.create_queue();
    let got_so_far = AtomicU64::new(0);
    let got: Vec<u64> = std::thread::scope(|scope| {
        for putter in 0..PUTTERS {
            let store = store.clone();
            scope.spawn(move || {
                if putter % 2 == 0 {
                    before_sleep();
                }
                for number in 0..EACH {
                    let unit = (number % 3 == 0).then(|| store.begin());
                    let message = message(1 + putter * EACH + number, true, 0);
                    block_on(store.put(unit, queue, message, PLACEMENT, FOREVER)).expect("puts");
                    if let Some(unit) = unit {
                        block_on(store.commit(unit)).expect("commits");
                    }
                }
            });
        }
        let getters: Vec<_> = (0..4)
            .map(|getter| {
                let (store, got_so_far) = (store.clone(), &got_so_far);
                scope.spawn(move || {
                    if getter % 2 == 0 {
                        before_sleep();
                    }
                    let mut mine = Vec::new();
                    let mut round = getter;
                    while got_so_far.load(Ordering::Relaxed) < PUTTERS * EACH {
                        round += 1;
                        let unit = (round % 2 == 0).then(|| store.begin());
                        let got = block_on(store.get(unit, queue, &Selection::default(), FOREVER)).expect("gets");
                        let back_out = round % 10 == 0;
                        match unit {
                            Some(unit) if back_out => block_on(store.back_out(unit)).expect("backs out"),
                            Some(unit) => block_on(store.commit(unit)).expect("commits"),
                            None => {}
                        }
                        match got {
                            Some(stored) if unit.is_none() || !back_out => {
                                got_so_far.fetch_add(1, Ordering::Relaxed);
                                mine.push(name_of(&stored.message.body));
                            }
                            Some(_) => {}
                            None => std::thread::yield_now(),
                        }
                    }
                    mine
                })
            })
            .collect();
        getters.into_iter().flat_map(|getter| getter.join().expect("a getter ends well")).collect()
    });
    let distinct: BTreeSet<u64> = got.iter().copied().collect();
    assert_eq!(got.len(), distinct.len(), "nothing is got twice");
    assert_eq!(distinct, (1..=PUTTERS * EACH).collect(), "everything is got");
    assert_eq!(store.depth(queue).current, 0);
}

#[test]
fn concurrent_callers_get_each_message_once() {
    contend(StoreOptions { first_extent_bytes: 1 << 20, extent_bytes: 1 << 20, ..StoreOptions::default() });
}

#[test]
fn concurrent_callers_get_each_message_once_while_extents_are_freed_and_bodies_read_back() {
    contend(StoreOptions {
        first_extent_bytes: 64 << 10,
        extent_bytes: 64 << 10,
        buffer_pool_bytes: 20_000,
        ..small()
    });
}

#[test]
fn concurrent_callers_get_each_message_once_while_all_units_of_work_are_ended_on_another_thread() {
    contend(StoreOptions { large_unit_messages: 0, first_extent_bytes: 64 << 10, extent_bytes: 64 << 10, ..small() });
}

#[test]
fn dropping_a_get_under_syncpoint_undoes_it() {
    let store = {
        let disk: Arc<dyn Disk> = Arc::new(SimulatedDisk::default());
        PrivateStore::open(disk, small()).expect("opens").0
    };
    let queue = store.create_queue();
    // The put's future is dropped before its sync was seen; the message is there all the same.
    let mut context = Context::from_waker(Waker::noop());
    let mut undone = 0;
    for name in 1..200 {
        let mut put = Box::pin(store.put(None, queue, message(name, true, 0), PLACEMENT, FOREVER));
        let _ = put.as_mut().poll(&mut context);
        drop(put);
        let unit = store.begin();
        let selection = Selection::default();
        let mut get = Box::pin(store.get(Some(unit), queue, &selection, FOREVER));
        if get.as_mut().poll(&mut context).is_pending() {
            undone += 1;
            drop(get);
            assert_eq!(store.depth(queue).uncommitted, 0, "the get is undone");
        }
        block_on(store.commit(unit)).expect("commits");
        block_on(store.clear(queue)).expect("clears");
    }
    assert!(undone > 0, "at least once the put was not durable yet");
}

#[test]
fn a_put_dropped_while_its_body_is_written_leaves_neither_message_nor_file() {
    let disk = Arc::new(SimulatedDisk::default());
    let options = StoreOptions { large_body_bytes: 1, ..small() };
    let (store, _) = PrivateStore::open(Arc::clone(&disk) as Arc<dyn Disk>, options).expect("opens");
    let queue = store.create_queue();
    {
        let mut long = message(1, true, 0);
        long.body = vec![1; 32 << 20].into();
        let mut put = std::pin::pin!(store.put(None, queue, long, PLACEMENT, FOREVER));
        assert!(put.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
    block_on(store.put(None, queue, message(2, true, 0), PLACEMENT, FOREVER)).expect("puts");
    let bodies = || disk.names().iter().filter(|name| name.starts_with("body")).count();
    for _ in 0..30_000 {
        if bodies() == 1 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert_eq!(bodies(), 1, "only the second put's body has a file");
    let got = block_on(store.get(None, queue, &Selection::default(), FOREVER)).expect("gets").expect("a message");
    assert_eq!(name_of(&got.message.body), 2);
    assert_eq!(store.depth(queue).current, 0);
}
