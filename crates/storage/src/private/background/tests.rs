use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::task::{Context, Poll, Waker};

use super::Background;
use crate::RecoveryLogError;
use crate::block_on;

#[test]
fn a_job_that_panics_ends_its_call_and_no_other() {
    let threads = Background::new("job", 1);
    let lost = block_on(threads.run(|| -> u32 { panic!("the job panics") }));
    assert!(matches!(lost, Err(RecoveryLogError::Panic)), "{lost:?}");
    assert_eq!(block_on(threads.run(|| 7)).expect("the thread goes on"), 7);
    threads.close();
}

#[test]
fn closing_waits_for_what_was_accepted_and_refuses_the_rest() {
    let threads = Background::new("job", 2);
    let done = Arc::new(AtomicUsize::new(0));
    for _ in 0..100 {
        let done = Arc::clone(&done);
        threads.post(move || _ = done.fetch_add(1, Ordering::Relaxed)).expect("accepted");
    }
    threads.close();
    assert_eq!(done.load(Ordering::Relaxed), 100);
    assert!(block_on(threads.run(|| ())).is_err());
    assert!(threads.post(|| ()).is_err());
}

#[test]
fn a_job_whose_caller_has_gone_is_left_out_or_its_result_dropped() {
    let threads = Background::new("job", 1);
    let (begun, begins) = mpsc::channel();
    let (go, gate) = mpsc::channel::<()>();
    let owned = Arc::new(());
    let result = Arc::clone(&owned);
    let mut first = Box::pin(threads.run(move || {
        begun.send(()).expect("the test waits");
        gate.recv().expect("the test says when");
        result
    }));
    let mut second = Box::pin(threads.run(|| panic!("nobody waits for this job")));
    let mut context = Context::from_waker(Waker::noop());
    assert!(matches!(first.as_mut().poll(&mut context), Poll::Pending));
    assert!(matches!(second.as_mut().poll(&mut context), Poll::<Result<(), _>>::Pending));
    begins.recv().expect("the first job has begun");
    drop((first, second));
    go.send(()).expect("the job waits");
    threads.close();
    assert_eq!(Arc::strong_count(&owned), 1);
}

#[test]
fn no_more_threads_are_started_than_there_may_be() {
    let threads = Background::new("job", 3);
    let names: Vec<_> = (0..50).map(|_| block_on(threads.run(|| std::thread::current().id()))).collect();
    let mut distinct = names.into_iter().map(|id| format!("{id:?}")).collect::<Vec<_>>();
    distinct.sort_unstable();
    distinct.dedup();
    assert!(distinct.len() <= 3, "{distinct:?}");
    threads.close();
}
