//! Places of streams.

use model::authority::Principal;

use super::*;

fn streams() -> Arc<Streams> {
    let queue_managers = QueueManagers::default();
    let deliveries = Arc::new(Deliveries::new(queue_managers.clone(), Principal::administrator("mqm")));
    Arc::new(Streams::new(deliveries, queue_managers))
}

#[test]
fn streams_are_bounded_for_the_server_and_for_each_user() {
    let streams = streams();
    let most = Most { of_all: 3, of_user: 2 };
    let first = streams.admit("ann", most).expect("a place");
    let _second = streams.admit("ann", most).expect("a place");
    assert!(streams.admit("ann", most).is_none(), "her third");
    let _third = streams.admit("bob", most).expect("a place");
    assert!(streams.admit("bob", most).is_none(), "the fourth of all");
    assert_eq!(streams.open(), 3);
    drop(first);
    assert!(streams.admit("ann", most).is_some());
    assert_eq!(streams.open(), 2);
}

#[tokio::test]
async fn a_stop_is_told_to_streams_that_wait_and_to_those_that_come_later() {
    let streams = streams();
    let waiting = tokio::spawn({
        let streams = Arc::clone(&streams);
        async move { streams.stopping().await }
    });
    streams.queue_managers_changed();
    tokio::task::yield_now().await;
    assert!(!waiting.is_finished());
    streams.stop();
    waiting.await.expect("it ends");
    streams.stopping().await;
}
