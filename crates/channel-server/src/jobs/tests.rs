use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Poll, Waker};

use super::Jobs;

#[test]
fn a_job_is_polled_once_for_each_time_it_is_woken() {
    let mut jobs = Jobs::new();
    let polls = Arc::new(AtomicUsize::new(0));
    let counted = polls.clone();
    let job = jobs.spawner().spawn(std::future::poll_fn(move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
        Poll::Pending
    }));
    assert!(jobs.run(9));
    assert!(jobs.run(9));
    assert_eq!(polls.load(Ordering::Relaxed), 1);
    job.wake();
    job.wake();
    assert!(!jobs.sleep(Waker::noop()), "a job is ready: the task must not sleep");
    assert!(jobs.run(9));
    assert_eq!(polls.load(Ordering::Relaxed), 2);
    assert!(jobs.sleep(Waker::noop()));
}

#[test]
fn a_job_whose_handle_is_dropped_is_dropped_at_once() {
    let jobs = Jobs::new();
    let held = Arc::new(());
    let kept = held.clone();
    let job = jobs.spawner().spawn(async move {
        std::future::pending::<()>().await;
        drop(kept);
    });
    assert_eq!(Arc::strong_count(&held), 2);
    drop(job);
    assert_eq!(Arc::strong_count(&held), 1);
}

#[test]
fn a_job_that_is_always_ready_does_not_keep_the_others_from_the_socket() {
    let mut jobs = Jobs::new();
    let _busy = jobs.spawner().spawn(std::future::poll_fn(|context| {
        context.waker().wake_by_ref();
        Poll::Pending
    }));
    assert!(!jobs.run(3));
}
