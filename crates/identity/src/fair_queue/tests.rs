use std::time::Duration;

use tokio::task::JoinHandle;

use super::*;

fn address(last: u8) -> IpAddr {
    IpAddr::from([192, 0, 2, last])
}

fn enter(queue: &Arc<FairQueue>, from: u8) -> JoinHandle<Result<Turn, Busy>> {
    let queue = Arc::clone(queue);
    tokio::spawn(async move { queue.turn(address(from)).await })
}

async fn waiting(queue: &Arc<FairQueue>, expected: usize) {
    for _ in 0..10_000 {
        if queue.state.lock().waiting == expected {
            return;
        }
        tokio::task::yield_now().await;
    }
    panic!("{} wait, expected {expected}", queue.state.lock().waiting);
}

async fn turn_of(place: JoinHandle<Result<Turn, Busy>>) -> Option<Turn> {
    let turn = tokio::time::timeout(Duration::from_secs(300), place).await.expect("it comes").expect("no panic");
    turn.ok()
}

#[tokio::test]
async fn turns_go_round_the_addresses() {
    let queue = FairQueue::new(1);
    let first = queue.turn(address(1)).await.expect("free");
    let mut flood: Vec<_> = (0..64).map(|_| enter(&queue, 1)).collect();
    waiting(&queue, 64).await;
    let other = enter(&queue, 2);
    waiting(&queue, 65).await;
    assert!(turn_of(enter(&queue, 1)).await.is_none(), "64 of one address wait at most");
    drop(first);
    // One of the flood, then the other address's only one.
    drop(turn_of(flood.remove(0)).await.expect("a turn"));
    drop(turn_of(other).await.expect("a turn"));
    for place in flood {
        drop(turn_of(place).await.expect("a turn"));
    }
    let state = queue.state.lock();
    assert_eq!((state.running, state.waiting, state.queues.len(), state.line.len()), (0, 0, 0, 0));
}

#[tokio::test]
async fn when_all_are_full_the_last_of_the_longest_goes() {
    let queue = FairQueue::new(1);
    let _running = queue.turn(address(0)).await.expect("free");
    let mut places: Vec<Vec<_>> = Vec::new();
    for from in 1..=16 {
        places.push((0..64).map(|_| enter(&queue, from)).collect());
        waiting(&queue, usize::from(from) * 64).await;
    }
    let newcomer = enter(&queue, 100);
    let mut pushed_out = 0;
    while pushed_out == 0 {
        tokio::task::yield_now().await;
        pushed_out = places.iter().flatten().filter(|place| place.is_finished()).count();
    }
    assert_eq!((pushed_out, queue.state.lock().waiting), (1, MOST));
    assert!(!newcomer.is_finished());
}

#[tokio::test]
async fn who_goes_away_holds_no_place_and_loses_no_turn() {
    let queue = FairQueue::new(1);
    let running = queue.turn(address(1)).await.expect("free");
    let gone: Vec<_> = (0..64).map(|_| enter(&queue, 1)).collect();
    waiting(&queue, 64).await;
    for place in &gone {
        place.abort();
    }
    for place in gone {
        assert!(place.await.is_err_and(|error| error.is_cancelled()));
    }
    let stays = enter(&queue, 1);
    waiting(&queue, 1).await;
    drop(running);
    drop(turn_of(stays).await.expect("a turn"));
    assert_eq!(queue.state.lock().running, 0);
}
