use std::sync::{Arc, mpsc};
use std::time::Duration;

use super::{Priority, Seats, Workers};

/// Serves `count` connections that stay; the names of the threads they run on.
fn threads_of(seats: &Seats, few: usize, count: usize) -> Vec<String> {
    let (sender, receiver) = mpsc::channel();
    for _ in 0..count {
        let sender = sender.clone();
        seats.spawn(few, async move {
            let name = std::thread::current().name().unwrap_or_default().to_owned();
            sender.send(name).expect("the test waits");
            std::future::pending::<()>().await;
        });
    }
    let next = || receiver.recv_timeout(Duration::from_secs(300)).expect("every connection is served");
    let mut names: Vec<String> = (0..count).map(|_| next()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn two_threads() -> Arc<Workers> {
    Arc::new(Workers::with("door", 2, || None, Priority::Usual).expect("threads"))
}

fn seats() -> Seats {
    Seats::new(two_threads())
}

#[test]
fn a_few_connections_share_one_thread() {
    assert_eq!(threads_of(&seats(), 4, 4), ["door-0"]);
}

#[test]
fn the_next_connection_begins_the_next_thread() {
    assert_eq!(threads_of(&seats(), 4, 5), ["door-0", "door-1"]);
}

#[test]
fn one_a_thread_spreads_them_evenly() {
    assert_eq!(threads_of(&seats(), 1, 2), ["door-0", "door-1"]);
}

#[test]
fn connections_of_one_door_do_not_scatter_those_of_another() {
    let workers = two_threads();
    let (one, other) = (Seats::new(Arc::clone(&workers)), Seats::new(workers));
    assert_eq!(threads_of(&one, 4, 9), ["door-0", "door-1"]);
    assert_eq!(threads_of(&other, 4, 4), ["door-0"]);
    assert_eq!(threads_of(&other, 4, 1), ["door-1"]);
}

#[test]
fn what_runs_on_the_first_thread_finds_the_first_seats_there() {
    let seats = Arc::new(seats());
    let (sender, receiver) = mpsc::channel();
    let asked = Arc::clone(&seats);
    seats.first().spawn(async move {
        let (first, second) = (asked.take(1), asked.take(1));
        sender.send((first.is_here(), second.is_here())).expect("the test waits");
    });
    let here = receiver.recv_timeout(Duration::from_secs(300)).expect("it runs");
    assert_eq!(here, (true, false));
    assert!(!seats.take(1).is_here(), "this is no thread of theirs");
}

#[test]
fn the_thread_that_has_to_answer_goes_before_others_where_that_is_allowed() {
    let of = |workers: Workers| {
        let (sender, receiver) = mpsc::channel();
        let seats = Seats::new(Arc::new(workers));
        seats.spawn(1, async move {
            let niceness = rustix::process::getpriority_process(None).expect("a niceness");
            sender.send(niceness).expect("the test waits");
        });
        receiver.recv_timeout(Duration::from_secs(300)).expect("it runs")
    };
    let usual = of(Workers::with("usual", 1, || None, Priority::Usual).expect("a thread"));
    let raised = of(Workers::one("raised").expect("a thread"));
    // A thread of its own, for it cannot be undone without the same right.
    let is_allowed = std::thread::spawn(|| rustix::process::setpriority_process(None, Priority::RAISED).is_ok());
    let expected = if is_allowed.join().expect("no panic") { Priority::RAISED } else { usual };
    assert_eq!(raised, expected);
}
