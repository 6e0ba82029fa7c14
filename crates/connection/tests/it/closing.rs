//! A door that closes: nobody waits on its connections any longer.

use std::borrow::Cow;
use std::time::Duration;

use connection::connections::{Connections, Policy, RemoteKeeping};
use connection::pool::{Keeping, Lent};
use connection::target::{Acting, Target, User};
use connection::verbs::ObjectHandle;
use model::authority::Principal;
use model::options::{GetFlags, GetOptions, OpenOptions};
use model::reason::Reason;
use queue_manager::QueueManagers;

use super::far::{Far, MANY, PATIENCE, administrator, queue};

async fn open(pools: &Connections, target: &Target) -> (Lent, ObjectHandle) {
    let admin = administrator();
    let pool = pools.pool(target, &User::Server(Cow::Borrowed(&admin))).unwrap();
    let options = OpenOptions::INPUT_SHARED | OpenOptions::OUTPUT;
    let (lent, opened) = pool.open(Acting::AsConnected(&admin), &queue(), options).await.unwrap();
    (lent, opened.handle)
}

#[tokio::test]
async fn waits_at_queue_managers_near_and_far_end_now_and_later() {
    let far = Far::start().await;
    let policy = Policy { local: Keeping { limit: MANY, idle_ticks: None }, remote: RemoteKeeping::Same };
    let near = QueueManagers::of_running([far.queue_manager.clone()]);
    let at_near = Connections::new(near, Principal::administrator("server"), "closing test", policy);
    let at_far = far.pools("admin", MANY);
    let waiting = GetOptions { flags: GetFlags::WAIT, wait: Some(3 * PATIENCE), ..GetOptions::default() };
    for (pools, target) in [(&at_near, Target::Local("FAR".to_owned())), (&at_far, Target::Remote("FAR".to_owned()))] {
        let (mut lent, handle) = open(pools, &target).await;
        let waits = tokio::time::timeout(PATIENCE, lent.connection().get(handle, &waiting));
        let (got, ()) = tokio::join!(waits, async {
            tokio::time::sleep(Duration::from_millis(50)).await;
            pools.end_waits();
        });
        let error = got.expect("the wait ends").expect_err("there is nothing");
        assert_eq!(error.reason(), Reason::QMgrQuiescing, "{target:?}");
        let (mut lent, handle) = open(pools, &target).await;
        let later = tokio::time::timeout(PATIENCE, lent.connection().get(handle, &waiting)).await;
        assert_eq!(later.expect("no wait begins").expect_err("nothing").reason(), Reason::QMgrQuiescing, "{target:?}");
        // What does not wait is as it was.
        let at_once = GetOptions { flags: GetFlags::NO_SYNCPOINT, ..GetOptions::default() };
        let none = lent.connection().get(handle, &at_once).await.expect_err("nothing");
        let expected = if lent.connection().is_local() { Reason::NoMsgAvailable } else { Reason::ConnectionBroken };
        assert_eq!(none.reason(), expected, "{target:?}");
    }
}
