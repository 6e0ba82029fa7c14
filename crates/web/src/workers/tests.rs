use std::sync::mpsc;
use std::time::Duration;

use super::Workers;

/// Serves `count` connections that stay; the names of the threads they run on.
fn threads_of(workers: &Workers, few: usize, count: usize) -> Vec<String> {
    let (sender, receiver) = mpsc::channel();
    for _ in 0..count {
        let sender = sender.clone();
        workers.spawn(few, async move {
            let name = std::thread::current().name().unwrap_or_default().to_owned();
            sender.send(name).expect("the test waits");
            std::future::pending::<()>().await;
        });
    }
    let next = || receiver.recv_timeout(Duration::from_secs(10)).expect("every connection is served");
    let mut names: Vec<String> = (0..count).map(|_| next()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[test]
fn a_few_connections_share_one_thread() {
    let workers = Workers::with(2).unwrap();
    assert_eq!(threads_of(&workers, 4, 4), ["https-0"]);
}

#[test]
fn the_next_connection_begins_the_next_thread() {
    let workers = Workers::with(2).unwrap();
    assert_eq!(threads_of(&workers, 4, 5), ["https-0", "https-1"]);
}

#[test]
fn one_a_thread_spreads_them_evenly() {
    let workers = Workers::with(2).unwrap();
    assert_eq!(threads_of(&workers, 1, 2), ["https-0", "https-1"]);
}
