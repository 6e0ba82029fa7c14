//! Queue managers that go away: kept connections are replaced, and nothing is done twice.

use connection::statistics::ClosedBy;
use connection::target::Acting;
use model::options::OpenOptions;
use model::reason::Reason;

use super::far::{Answers, Far, MANY, administrator, eventually, pool, put, queue, statistics};

#[tokio::test]
async fn a_kept_connection_whose_queue_manager_was_started_again_fails_no_request() {
    let mut far = Far::start().await;
    let pools = far.pools("admin", MANY);
    let pool = pool(&pools);
    put(&pool, "before").await.unwrap();
    far.start_again().await;
    pools.tick();
    put(&pool, "after").await.unwrap();
    let seen = statistics(&pool);
    assert_eq!((far.depth(), seen.created, seen.idle), (1, 2, 1));
    assert_eq!(seen.closed[ClosedBy::Lost as usize], 1);
}

#[tokio::test]
async fn a_kept_connection_is_replaced_when_its_queue_manager_refuses_new_work() {
    let far = Far::start().await;
    let pools = far.pools("admin", MANY);
    let pool = pool(&pools);
    put(&pool, "before").await.unwrap();
    far.queue_manager.quiesce();
    // A new connection is refused as well: the reason is told, and nothing is kept.
    let admin = administrator();
    let open = OpenOptions::OUTPUT | OpenOptions::FAIL_IF_QUIESCING;
    let refused = pool.open(Acting::AsConnected(&admin), &queue(), open).await.map(drop).unwrap_err();
    assert!(refused.is_about_connecting() && !refused.effect_is_unknown(), "{refused}");
    let seen = statistics(&pool);
    assert_eq!((seen.in_use, seen.idle, seen.closed[ClosedBy::Lost as usize]), (0, 0, 1));
}

#[tokio::test]
async fn a_put_whose_answer_is_lost_is_not_put_again() {
    let far = Far::start().await;
    let pools = far.pools("admin", MANY);
    let pool = pool(&pools);
    put(&pool, "first").await.unwrap();
    far.answers(Answers::LoseOne);
    let lost = put(&pool, "second").await.unwrap_err();
    assert_eq!((lost.reason(), lost.effect_is_unknown()), (Reason::ConnectionBroken, true));
    assert_eq!(far.depth(), 2, "it was put once");
    put(&pool, "third").await.unwrap();
    assert_eq!((far.depth(), statistics(&pool).idle), (3, 1));
}

#[tokio::test]
async fn an_open_whose_answer_is_lost_is_opened_on_another_connection() {
    let far = Far::start().await;
    let pools = far.pools("admin", MANY);
    let pool = pool(&pools);
    put(&pool, "x").await.unwrap();
    far.answers(Answers::LoseOne);
    let admin = administrator();
    let opened = pool.open(Acting::AsConnected(&admin), &queue(), OpenOptions::INPUT_EXCLUSIVE).await;
    let (mut lent, opened) = opened.unwrap();
    lent.connection().close(opened.handle).await.unwrap();
    lent.give_back();
    let seen = statistics(&pool);
    assert_eq!((seen.created, seen.idle, seen.closed[ClosedBy::Lost as usize]), (2, 1, 1));
}

#[tokio::test]
async fn the_first_request_of_a_new_connection_is_not_tried_twice() {
    let far = Far::start().await;
    let pools = far.pools("admin", MANY);
    let pool = pool(&pools);
    let mut lent = pool.lend().await.unwrap();
    far.answers(Answers::LoseOne);
    let admin = administrator();
    let open = lent.connection().open(Acting::AsConnected(&admin), &queue(), OpenOptions::BROWSE).await;
    let error = open.unwrap_err();
    assert_eq!(error.reason(), Reason::ConnectionBroken);
    lent.give_back_after(&error);
    assert_eq!((statistics(&pool).idle, statistics(&pool).closed[ClosedBy::Lost as usize]), (0, 1));
}

#[tokio::test]
async fn one_that_cannot_be_reached_is_told_and_found_again() {
    let mut far = Far::start().await;
    let pools = far.pools("admin", MANY);
    let pool = pool(&pools);
    put(&pool, "x").await.unwrap();
    assert!(pool.is_reachable());
    far.vanish().await;
    pools.tick();
    let error = put(&pool, "nobody there").await.unwrap_err();
    assert!(error.is_about_connecting() && !pool.is_reachable(), "{error}");
    assert_eq!((error.reason(), statistics(&pool).failed), (Reason::HostNotAvailable, 1));
    far.come_back().await;
    put(&pool, "y").await.unwrap();
    assert!(pool.is_reachable());
    assert_eq!(far.depth(), 2);
}

#[tokio::test]
async fn broken_connections_that_lie_idle_are_cleared_away() {
    let mut far = Far::start().await;
    let pools = far.pools("admin", MANY);
    let pool = pool(&pools);
    put(&pool, "x").await.unwrap();
    far.vanish().await;
    eventually("it is seen", || {
        pools.tick();
        statistics(&pool).idle == 0
    })
    .await;
    let seen = statistics(&pool);
    assert_eq!(seen.closed[ClosedBy::Lost as usize] + seen.closed[ClosedBy::Idle as usize], 1);
}
