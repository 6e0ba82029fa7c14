//! What becomes of what a client had under way when its socket is gone.

use std::time::Duration;

use channel_protocol::reply::AnswerBody;
use channel_protocol::request::{Request, Verb};
use model::name::ObjectName;
use model::options::{GetFlags, PutFlags};

use crate::client::{SOON, Server, any, message, object};
use crate::put_get::BOTH;

/// Waits for a condition, with a bound.
pub(crate) async fn wait_until(mut is_so: impl FnMut() -> bool) {
    let wait = async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::time::timeout(SOON, wait).await.expect("the condition comes true");
}

#[tokio::test]
async fn its_unit_of_work_is_backed_out() {
    let server = Server::start().await;
    let mut lost = server.connected().await;
    let mut other = server.connected().await;
    let theirs = other.open(1, "Q", BOTH).await;
    other.put(1, theirs, message(b"got")).await;
    let queue = lost.open(1, "Q", BOTH).await;
    assert_eq!(lost.get(1, queue, any(GetFlags::SYNCPOINT)).await.0, 0);
    let mut put = message(b"put");
    put.options.flags = PutFlags::SYNCPOINT;
    lost.put(1, queue, put).await;
    drop(lost);
    let mut get = any(GetFlags::WAIT | GetFlags::NO_SYNCPOINT);
    get.options.wait_interval = 20_000;
    let (reason, got) = other.get(1, theirs, get).await;
    assert_eq!((reason, &got.data[..]), (0, &b"got"[..]));
    assert_eq!(got.descriptor.fields.backout_count, 1);
    wait_until(|| server.depth("Q") == 0 && server.queue_manager.connections().len() == 1).await;
}

#[tokio::test]
async fn its_temporary_queue_is_deleted_and_its_wait_given_up() {
    let server = Server::start().await;
    let mut lost = server.connected().await;
    let answer = lost.try_open(1, object("SYSTEM.DEFAULT.MODEL.QUEUE"), BOTH).await;
    let Some(AnswerBody::Open(open)) = answer.body else { panic!("not opened") };
    let temporary = ObjectName::literal(&open.object.name.to_text());
    let queue = lost.open(1, "Q", BOTH).await;
    let mut get = any(GetFlags::WAIT);
    get.options.wait_interval = -1;
    lost.send(1, &Request::Call(Verb::Get(get).call_on(queue))).await;
    let q = ObjectName::literal("Q");
    wait_until(|| server.queue_manager.queue_status(&q).unwrap().waiters == 1).await;
    assert!(server.queue_manager.queue(&temporary).is_some());
    drop(lost);
    wait_until(|| server.queue_manager.queue(&temporary).is_none()).await;
    let status = server.queue_manager.queue_status(&q).unwrap();
    assert_eq!((status.waiters, status.open_input, status.open_output), (0, 0, 0));
    assert!(server.queue_manager.channel_statuses().is_empty());
}
