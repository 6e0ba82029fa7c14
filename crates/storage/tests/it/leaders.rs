//! Threads that write the log themselves before they sleep, and what becomes of their batches when they do not.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use storage::private::log::disk::Disk;
use storage::{Placement, PrivateStore, QueueId, Selection, StoreError, before_sleep, block_on};

use crate::conformance::small;
use crate::simulated_disk::{Faults, SimulatedDisk};
use crate::workload::{FOREVER, message};

const PLACEMENT: Placement = Placement { by_priority: false, maximum_depth: u32::MAX, expires: None, persistent: true };

fn store_on(disk: &Arc<SimulatedDisk>) -> (PrivateStore, QueueId) {
    let (store, _) = PrivateStore::open(Arc::clone(disk) as Arc<dyn Disk>, small()).expect("opens");
    let queue = store.create_queue();
    (store, queue)
}

/// A put that is tried again each time somebody asks whether it is over.
struct Put<'a> {
    /// `None` once it is over.
    future: Option<Waiting<'a>>,
}

type Waiting<'a> = Pin<Box<dyn Future<Output = Result<(), StoreError>> + 'a>>;

/// A put that has been tried once. On a busy machine it may be over: the writer thread looks after what others leave.
fn begun(store: &PrivateStore, queue: QueueId, name: u64) -> Put<'_> {
    let put = async move { store.put(None, queue, message(name, true, 0), PLACEMENT, FOREVER).await.map(drop) };
    let mut put = Put { future: Some(Box::pin(put)) };
    is_over(&mut put);
    put
}

fn is_over(put: &mut Put<'_>) -> bool {
    let Some(future) = &mut put.future else { return true };
    let Poll::Ready(outcome) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) else { return false };
    outcome.expect("puts");
    put.future = None;
    true
}

/// Bounded.
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..300_000 {
        if holds() {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("{what}");
}

#[test]
fn one_sync_before_a_thread_sleeps_makes_all_its_puts_durable() {
    let (store, queue) = store_on(&Arc::new(SimulatedDisk::default()));
    before_sleep();
    // The writer thread may come first when this thread is held up between two lines: then it is tried again.
    until("a thread leads", || {
        let before = store.statistics().log_syncs;
        let mut puts: Vec<_> = (1..=8).map(|name| begun(&store, queue, name)).collect();
        before_sleep();
        let are_over = puts.iter_mut().all(is_over);
        let syncs = store.statistics().log_syncs - before;
        drop(puts);
        block_on(store.clear(queue)).expect("clears");
        are_over && syncs == 1
    });
}

#[test]
fn a_put_is_held_back_for_those_whom_the_last_sync_released_and_written_when_they_stay_away() {
    let (store, queue) = store_on(&Arc::new(SimulatedDisk::default()));
    before_sleep();
    // Held up between two lines, this thread finds that the writer thread has come first: then it is tried again.
    until("a put is held back for a while", || {
        let mut puts: Vec<_> = (1..=8).map(|name| begun(&store, queue, name)).collect();
        before_sleep();
        let are_over = puts.iter_mut().all(is_over);
        let before = store.statistics().log_syncs;
        let mut alone = begun(&store, queue, 9);
        let held = before_sleep();
        let was_over = is_over(&mut alone);
        if !was_over {
            until("its time is over", || before_sleep().is_none());
        }
        let is_written = was_over || is_over(&mut alone);
        let syncs = store.statistics().log_syncs - before;
        drop((puts, alone));
        block_on(store.clear(queue)).expect("clears");
        are_over && held.is_some() && !was_over && is_written && syncs == 1
    });
}

#[test]
fn what_a_busy_thread_has_left_to_itself_is_written_all_the_same() {
    let (store, queue) = store_on(&Arc::new(SimulatedDisk::default()));
    before_sleep();
    for name in 1..=20 {
        let mut put = begun(&store, queue, name);
        until("the writer takes over", || is_over(&mut put));
    }
    assert_eq!(store.depth(queue).current, 20);
}

#[test]
fn a_thread_that_has_gone_leaves_nothing_unwritten() {
    let (store, queue) = store_on(&Arc::new(SimulatedDisk::default()));
    let before = store.statistics().log_records;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            before_sleep();
            drop(begun(&store, queue, 1));
        });
    });
    until("the writer takes over", || store.statistics().log_records > before);
    let got = block_on(store.get(None, queue, &Selection::default(), FOREVER)).expect("gets");
    assert!(got.is_some());
}

#[test]
fn a_sync_that_fails_under_a_leading_thread_fails_every_waiting_put_and_all_that_come() {
    let disk = Arc::new(SimulatedDisk::default());
    let (store, queue) = store_on(&disk);
    before_sleep();
    disk.set_faults(Faults { sync_fails_from: Some(0), ..Faults::default() });
    let outcome = block_on(store.put(None, queue, message(1, true, 0), PLACEMENT, FOREVER)).map(drop);
    assert!(matches!(outcome, Err(StoreError::LogFailed(_))), "{outcome:?}");
    let outcome = block_on(store.put(None, queue, message(2, true, 0), PLACEMENT, FOREVER)).map(drop);
    assert!(matches!(outcome, Err(StoreError::LogFailed(_))), "{outcome:?}");
    store.close();
}
