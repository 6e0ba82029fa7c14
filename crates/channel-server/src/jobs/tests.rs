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

#[test]
fn a_waker_that_outlives_the_jobs_keeps_no_list_alive() {
    let mut jobs = Jobs::new();
    let kept = Arc::new(parking_lot::Mutex::new(None::<Waker>));
    let keeps = kept.clone();
    let held = Arc::new(());
    let captured = held.clone();
    let job = jobs.spawner().spawn(std::future::poll_fn(move |context| {
        let _ = &captured;
        *keeps.lock() = Some(context.waker().clone());
        Poll::Pending
    }));
    assert!(jobs.run(1));
    job.wake();
    let ready = Arc::downgrade(&jobs.ready);
    drop(job);
    drop(jobs);
    assert_eq!(Arc::strong_count(&held), 1);
    let waker = kept.lock().take().unwrap();
    waker.wake();
    assert!(ready.upgrade().is_none());
}
