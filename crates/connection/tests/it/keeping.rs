//! Connections that are kept serve the next request; those beyond the bound are not.

use std::time::Duration;

use connection::pool::{Limit, WhenFull};
use connection::statistics::ClosedBy;
use connection::target::Acting;
use model::options::{GetFlags, GetOptions, OpenOptions};

use super::far::{Far, MANY, administrator, eventually, pool, put, queue, statistics};

#[tokio::test]
async fn one_connection_serves_request_after_request() {
    let far = Far::start().await;
    let pools = far.pools("admin", MANY);
    let pool = pool(&pools);
    for _ in 0..50 {
        put(&pool, "x").await.unwrap();
    }
    let seen = statistics(&pool);
    assert_eq!((far.depth(), far.sockets(), far.connections()), (50, 1, 1));
    assert_eq!((seen.created, seen.idle, seen.in_use, seen.closed), (1, 1, 0, [0; 5]));
}

#[tokio::test]
async fn without_a_pool_every_request_has_a_connection_of_its_own() {
    let far = Far::start().await;
    let pools = far.pools("admin", Limit::Open { most: 0, when_full: WhenFull::Overflow });
    let pool = pool(&pools);
    for _ in 0..5 {
        put(&pool, "x").await.unwrap();
    }
    let seen = statistics(&pool);
    assert_eq!((seen.created, seen.idle, seen.closed[ClosedBy::Overflow as usize]), (5, 0, 5));
    assert_eq!((seen.overflowed, far.depth()), (0, 5));
    eventually("they are gone there", || far.connections() == 0).await;
}

#[tokio::test]
async fn connections_of_one_thread_share_a_socket() {
    let far = Far::start().await;
    let pools = far.pools("admin", MANY);
    let pool = pool(&pools);
    let mut lent = Vec::new();
    for _ in 0..5 {
        lent.push(pool.lend().await.unwrap());
    }
    assert_eq!((far.connections(), far.sockets(), statistics(&pool).in_use), (5, 1, 5));
    lent.into_iter().for_each(connection::pool::Lent::give_back);
    assert_eq!((statistics(&pool).idle, statistics(&pool).in_use), (5, 0));
}

#[tokio::test]
async fn what_lies_idle_for_too_long_is_closed_there_too() {
    let far = Far::start().await;
    let pools = far.pools("admin", MANY);
    let pool = pool(&pools);
    put(&pool, "x").await.unwrap();
    pools.tick();
    pools.tick();
    assert_eq!(statistics(&pool).idle, 1);
    pools.tick();
    assert_eq!((statistics(&pool).idle, statistics(&pool).closed[ClosedBy::Idle as usize]), (0, 1));
    eventually("it is gone there", || far.connections() == 0).await;
    put(&pool, "x").await.unwrap();
    assert_eq!(far.depth(), 2);
}

#[tokio::test]
async fn what_is_left_open_or_uncommitted_is_never_kept() {
    let far = Far::start().await;
    let pools = far.pools("admin", MANY);
    let pool = pool(&pools);
    put(&pool, "x").await.unwrap();
    let (admin, object) = (administrator(), queue());
    let acting = Acting::AsConnected(&admin);
    let (lent, _) = pool.open(acting, &object, OpenOptions::BROWSE).await.unwrap();
    lent.give_back();
    assert_eq!((statistics(&pool).idle, statistics(&pool).closed[ClosedBy::Abandoned as usize]), (0, 1));

    let (mut lent, opened) = pool.open(acting, &object, OpenOptions::INPUT_SHARED).await.unwrap();
    let under_syncpoint = GetOptions { flags: GetFlags::SYNCPOINT, ..GetOptions::default() };
    lent.connection().get(opened.handle, &under_syncpoint).await.unwrap();
    lent.connection().close(opened.handle).await.unwrap();
    lent.give_back();
    assert_eq!((statistics(&pool).idle, statistics(&pool).closed[ClosedBy::Abandoned as usize]), (0, 2));
    eventually("it is backed out there", || far.connections() == 0).await;
    assert_eq!(far.depth(), 1);
}

#[tokio::test]
async fn a_request_that_goes_away_in_its_wait_leaves_its_place_and_the_message() {
    let far = Far::start().await;
    let pools = far.pools("admin", Limit::Open { most: 1, when_full: WhenFull::Block(None) });
    let pool = pool(&pools);
    let waiting = tokio::spawn({
        let pool = std::sync::Arc::clone(&pool);
        async move {
            let admin = administrator();
            let opened = pool.open(Acting::AsConnected(&admin), &queue(), OpenOptions::INPUT_SHARED).await;
            let (mut lent, opened) = opened.unwrap();
            let wait = Some(Duration::from_secs(600));
            let flags = GetFlags::SYNCPOINT | GetFlags::WAIT;
            let options = GetOptions { flags, wait, ..GetOptions::default() };
            drop(lent.connection().get(opened.handle, &options).await);
        }
    });
    let status = || far.queue_manager.queue_status(&model::name::ObjectName::literal("Q")).unwrap();
    eventually("it waits there", || status().waiters == 1).await;
    waiting.abort();
    // The only place is free again: this is not blocked.
    put(&pool, "stays").await.unwrap();
    eventually("its queue is closed there", || status().open_input == 0).await;
    assert_eq!((far.depth(), status().depth.uncommitted), (1, 0));
    let seen = statistics(&pool);
    assert_eq!((seen.in_use, seen.idle, seen.closed[ClosedBy::Abandoned as usize]), (0, 1, 1));
}

#[tokio::test]
async fn other_bounds_count_at_once_and_an_entry_that_changes_is_connected_anew() {
    let far = Far::start().await;
    let pools = far.pools("admin", MANY);
    let before = pool(&pools);
    put(&before, "x").await.unwrap();
    let mut entry = far.entry("admin");
    pools.set_remote([("FAR".to_owned(), entry.clone())].into()).unwrap();
    assert_eq!((statistics(&pool(&pools)).idle, far.sockets()), (1, 1), "it has not changed");
    entry.max_pool_size = 1;
    pools.set_remote([("FAR".to_owned(), entry)].into()).unwrap();
    eventually("the old one is closed", || far.connections() == 0).await;
    put(&before, "of a request that had begun").await.unwrap();
    put(&pool(&pools), "x").await.unwrap();
    assert_eq!((statistics(&before).idle, statistics(&pool(&pools)).idle, far.depth()), (0, 1, 3));
}
