//! Bounds of a pool and who waits for what, on an ephemeral queue manager of this process.

use std::sync::Arc;
use std::time::Duration;

use model::authority::Principal;
use model::name::ObjectName;
use queue_manager::{ConnectOptions, Home, QueueManager, StartOptions, SystemClock};
use storage::StoreOptions;

use super::{Keeping, Lent, Limit, Pool, WhenFull};
use crate::error::ConnectionError;
use crate::maker::Maker;
use crate::statistics::ClosedBy;

fn queue_manager() -> QueueManager {
    let options = StartOptions {
        name: ObjectName::literal("QM1"),
        home: Home::Ephemeral,
        store: StoreOptions::default(),
        clock: Arc::new(SystemClock),
        server_user: "admin".to_owned(),
    };
    QueueManager::start(options).unwrap()
}

fn pool_of(queue_manager: &QueueManager, most: usize, when_full: WhenFull) -> Arc<Pool> {
    let options = ConnectOptions {
        principal: Principal::administrator("admin"),
        application_name: "pool test".to_owned(),
        application_type: 6,
        channel: String::new(),
        connection_name: String::new(),
    };
    let maker = Maker::Local { queue_manager: queue_manager.clone(), options, waits: Arc::default() };
    Arc::new(Pool::new("QM1".to_owned(), maker, bounds(most, when_full)))
}

fn bounds(most: usize, when_full: WhenFull) -> Keeping {
    Keeping { limit: Limit::Open { most, when_full }, idle_ticks: Some(2) }
}

fn closed(pool: &Pool, by: ClosedBy) -> u64 {
    pool.statistics().closed[by as usize]
}

/// A request for a connection, and whether it has one or waits.
struct Request(tokio::task::JoinHandle<Result<Lent, ConnectionError>>);

impl Request {
    async fn start(pool: &Arc<Pool>) -> Self {
        let asking = pool.statistics().waiting;
        let task = tokio::spawn({
            let pool = Arc::clone(pool);
            async move { pool.lend().await }
        });
        while !task.is_finished() && pool.statistics().waiting == asking {
            tokio::task::yield_now().await;
        }
        Self(task)
    }

    async fn lent(self) -> Lent {
        self.0.await.unwrap().unwrap()
    }
}

#[tokio::test]
async fn beyond_the_bound_overflow_lends_connections_that_are_closed_afterwards() {
    let queue_manager = queue_manager();
    let pool = pool_of(&queue_manager, 2, WhenFull::Overflow);
    let mut lent = Vec::new();
    for _ in 0..5 {
        lent.push(pool.lend().await.unwrap());
    }
    assert_eq!((pool.statistics().in_use, pool.statistics().overflowed), (5, 3));
    lent.into_iter().for_each(Lent::give_back);
    let seen = pool.statistics();
    assert_eq!((seen.in_use, seen.idle, closed(&pool, ClosedBy::Overflow)), (0, 2, 3));
    assert_eq!(queue_manager.status().connections, 2);
}

#[tokio::test]
async fn error_refuses_and_says_how_many_there_are() {
    let pool = pool_of(&queue_manager(), 1, WhenFull::Error);
    let lent = pool.lend().await.unwrap();
    let refused = pool.lend().await.map(drop).unwrap_err();
    assert!(matches!(&refused, ConnectionError::PoolExhausted { name, most: 1 } if name == "QM1"), "{refused}");
    lent.give_back();
    pool.lend().await.unwrap().give_back();
    assert_eq!((pool.statistics().refused, pool.statistics().created), (1, 1));
}

#[tokio::test]
async fn block_serves_those_who_wait_in_turn() {
    let pool = pool_of(&queue_manager(), 1, WhenFull::Block(None));
    let first = pool.lend().await.unwrap();
    let second = Request::start(&pool).await;
    let third = Request::start(&pool).await;
    assert_eq!((pool.statistics().waiting, pool.statistics().waited), (2, 2));
    first.give_back();
    let second = second.lent().await;
    assert!(second.is_reused() && !third.0.is_finished());
    drop(second);
    let third = third.lent().await;
    assert!(!third.is_reused(), "the one before was not given back");
    third.give_back();
    let seen = pool.statistics();
    assert_eq!((seen.in_use, seen.idle, seen.created, closed(&pool, ClosedBy::Abandoned)), (0, 1, 2, 1));
}

#[tokio::test]
async fn whoever_gives_up_waiting_keeps_nobody_from_a_place() {
    let pool = pool_of(&queue_manager(), 1, WhenFull::Block(None));
    let first = pool.lend().await.unwrap();
    let gone: Vec<_> = [Request::start(&pool).await, Request::start(&pool).await].into();
    let patient = Request::start(&pool).await;
    for request in gone {
        request.0.abort();
        assert!(request.0.await.unwrap_err().is_cancelled());
    }
    first.give_back();
    patient.lent().await.give_back();
    let seen = pool.statistics();
    assert_eq!((seen.in_use, seen.idle, seen.waiting, seen.created), (0, 1, 0, 1));
}

#[tokio::test]
async fn nobody_is_left_of_those_who_wait_and_the_place_is_free() {
    let pool = pool_of(&queue_manager(), 1, WhenFull::Block(None));
    let first = pool.lend().await.unwrap();
    let request = Request::start(&pool).await;
    request.0.abort();
    assert!(request.0.await.unwrap_err().is_cancelled());
    first.give_back();
    assert_eq!(pool.statistics().in_use, 0);
    pool.lend().await.unwrap().give_back();
}

#[tokio::test(start_paused = true)]
async fn a_bounded_wait_ends_in_a_refusal() {
    let pool = pool_of(&queue_manager(), 1, WhenFull::Block(Some(Duration::from_secs(5))));
    let lent = pool.lend().await.unwrap();
    let refused = pool.lend().await.map(drop).unwrap_err();
    assert!(matches!(refused, ConnectionError::PoolExhausted { most: 1, .. }), "{refused}");
    lent.give_back();
    let seen = pool.statistics();
    assert_eq!((seen.waited, seen.refused, seen.waiting, seen.in_use, seen.idle), (1, 1, 0, 0, 1));
}

#[tokio::test]
async fn other_bounds_close_what_is_too_much_and_let_in_those_who_wait() {
    let queue_manager = queue_manager();
    let pool = pool_of(&queue_manager, 3, WhenFull::Block(None));
    let lent = [pool.lend().await.unwrap(), pool.lend().await.unwrap(), pool.lend().await.unwrap()];
    let waiting = Request::start(&pool).await;
    pool.keep(bounds(4, WhenFull::Block(None)));
    let fourth = waiting.lent().await;
    lent.into_iter().for_each(Lent::give_back);
    pool.keep(bounds(2, WhenFull::Block(None)));
    assert_eq!((pool.statistics().idle, closed(&pool, ClosedBy::Retired)), (1, 2));
    fourth.give_back();
    assert_eq!((pool.statistics().idle, queue_manager.status().connections), (2, 2));
    pool.keep(bounds(0, WhenFull::Block(None)));
    assert_eq!((pool.statistics().idle, queue_manager.status().connections), (0, 0));
}

#[tokio::test]
async fn fewer_places_than_are_lent_are_reached_as_they_come_back() {
    let pool = pool_of(&queue_manager(), 3, WhenFull::Error);
    let lent = [pool.lend().await.unwrap(), pool.lend().await.unwrap(), pool.lend().await.unwrap()];
    pool.keep(bounds(1, WhenFull::Error));
    lent.into_iter().for_each(Lent::give_back);
    assert_eq!((pool.statistics().idle, closed(&pool, ClosedBy::Retired)), (1, 2));
}

#[tokio::test]
async fn what_is_not_used_for_a_time_is_closed_and_what_is_used_stays() {
    let queue_manager = queue_manager();
    let pool = pool_of(&queue_manager, 5, WhenFull::Overflow);
    let lent = [pool.lend().await.unwrap(), pool.lend().await.unwrap()];
    lent.into_iter().for_each(Lent::give_back);
    pool.tick();
    pool.lend().await.unwrap().give_back();
    pool.tick();
    assert_eq!((pool.statistics().idle, closed(&pool, ClosedBy::Idle)), (1, 1));
    pool.tick();
    assert_eq!((pool.statistics().idle, queue_manager.status().connections), (0, 0));
}

#[tokio::test]
async fn a_closed_pool_keeps_nothing_and_makes_nobody_wait() {
    let queue_manager = queue_manager();
    let pool = pool_of(&queue_manager, 1, WhenFull::Block(None));
    let lent = pool.lend().await.unwrap();
    let waiting = Request::start(&pool).await;
    pool.close();
    waiting.lent().await.give_back();
    lent.give_back();
    pool.lend().await.unwrap().give_back();
    assert_eq!((pool.statistics().in_use, pool.statistics().idle, queue_manager.status().connections), (0, 0, 0));
}

#[tokio::test]
async fn a_queue_manager_that_takes_no_work_refuses_and_leaves_the_place_free() {
    let queue_manager = queue_manager();
    let pool = pool_of(&queue_manager, 1, WhenFull::Error);
    queue_manager.quiesce();
    for _ in 0..2 {
        let refused = pool.lend().await.map(drop).unwrap_err();
        assert!(matches!(refused, ConnectionError::NotConnected(_)), "{refused}");
    }
    assert_eq!((pool.statistics().in_use, pool.statistics().failed), (0, 2));
}

#[tokio::test]
async fn without_a_bound_all_are_lent_and_some_are_kept() {
    let pool = pool_of(&queue_manager(), 1, WhenFull::Error);
    pool.keep(Keeping { limit: Limit::Idle(2), idle_ticks: None });
    let lent = [pool.lend().await.unwrap(), pool.lend().await.unwrap(), pool.lend().await.unwrap()];
    assert_eq!(pool.statistics().in_use, 3);
    lent.into_iter().for_each(Lent::give_back);
    assert_eq!((pool.statistics().idle, closed(&pool, ClosedBy::Overflow)), (2, 1));
}
