//! What a service does on a queue manager of another server is what it does on one of its own.

use model::descriptor::MessageDescriptor;
use model::identifier::CorrelationId;
use model::options::GetFlags;
use queue_manager::connection::GetResult;
use service::provider::request::Method;

use super::far::{Far, eventually, service};

const TWO_WAY: &str = "connectionFactory=FAR destination=Q replyDestination=REPLY waitInterval=10000";

fn reply_to(request: &GetResult) -> MessageDescriptor {
    let correlation_id = CorrelationId::new(*request.descriptor.message_id.as_bytes());
    MessageDescriptor { correlation_id, ..MessageDescriptor::default() }
}

#[tokio::test]
async fn two_way_over_a_channel_and_the_connection_is_kept_for_the_next_request() {
    let far = Far::start().await;
    let service = service(TWO_WAY);
    for _ in 0..3 {
        let asked = far.invoke(&service, Method::Post, "{\"n\":1}");
        let request = far.get("Q", GetFlags::WAIT).await.unwrap();
        assert_eq!(request.body, "{\"n\":1}");
        assert_eq!(request.descriptor.reply_to_queue_manager.as_str(), "FAR");
        assert_eq!(request.descriptor.user_identifier.to_text(), "entry");
        far.put("REPLY", reply_to(&request), "{\"n\":2}").await;
        let answer = asked.await.unwrap();
        assert_eq!((answer.status, &*answer.body), (200, &b"{\"n\":2}"[..]));
    }
    assert_eq!((far.depth("REPLY"), far.sockets()), (0, 1));
}

#[tokio::test]
async fn a_request_that_is_dropped_in_its_wait_consumes_nothing_there() {
    let far = Far::start().await;
    let service = service(TWO_WAY);
    let asked = far.invoke(&service, Method::Post, "{}");
    let request = far.get("Q", GetFlags::WAIT).await.unwrap();
    asked.abort();
    assert!(asked.await.unwrap_err().is_cancelled());
    eventually("the channel's wait ends", || {
        far.queue_manager.queue_status(&model::name::ObjectName::literal("REPLY")).unwrap().open_input == 0
    })
    .await;
    far.put("REPLY", reply_to(&request), "{}").await;
    assert_eq!(far.get("REPLY", GetFlags::BROWSE_FIRST).await.unwrap().descriptor.backout_count, 0);
}

#[tokio::test]
async fn a_bad_reply_goes_to_the_backout_queue_there_and_a_late_one_to_the_named_queue() {
    let far = Far::start().await;
    let named = service(&format!("{TWO_WAY} lateReplyDestination=LATE").replace("10000", "60000"));
    let asked = far.invoke(&named, Method::Post, "{}");
    let request = far.get("Q", GetFlags::WAIT).await.unwrap();
    far.put("REPLY", reply_to(&request), "no json").await;
    assert_eq!(asked.await.unwrap().status, 500);
    assert_eq!(far.get("BAD", GetFlags::WAIT).await.unwrap().body, "no json");

    let environment = std::sync::Arc::clone(&far.environment);
    let looking = tokio::spawn(async move { environment.run().await });
    let asked = far.invoke(&named, Method::Post, "{}");
    let request = far.get("Q", GetFlags::WAIT).await.unwrap();
    asked.abort();
    far.put("REPLY", reply_to(&request), "late").await;
    let moved = far.get("LATE", GetFlags::WAIT).await.unwrap();
    assert_eq!((&moved.body[..], moved.descriptor.correlation_id), (&b"late"[..], reply_to(&request).correlation_id));
    far.environment.stop();
    looking.await.unwrap();
}

#[tokio::test]
async fn one_way_over_a_channel_puts_browses_and_gets() {
    let far = Far::start().await;
    let service = service("connectionFactory=FAR destination=Q useCallerPrincipal=true");
    assert_eq!(far.invoke(&service, Method::Post, "{}").await.unwrap().status, 403);
    far.allow("caller", "Q").await;
    assert_eq!(far.invoke(&service, Method::Post, "{\"n\":1}").await.unwrap().status, 204);
    let seen = far.get("Q", GetFlags::BROWSE_FIRST).await.unwrap();
    assert_eq!(seen.descriptor.user_identifier.to_text(), "caller");
    for (method, status, left) in
        [(Method::Get, 200, 1), (Method::Delete, 200, 0), (Method::Delete, 204, 0), (Method::Get, 204, 0)]
    {
        let answer = far.invoke(&service, method, "").await.unwrap();
        assert_eq!((answer.status, far.depth("Q")), (status, left), "{method:?}");
    }
}

#[tokio::test]
async fn a_queue_manager_that_refuses_or_is_not_there_is_told() {
    let far = Far::start().await;
    let stranger = service("connectionFactory=FAR destination=Q userName=stranger password=x");
    let answer = far.invoke(&stranger, Method::Post, "{}").await.unwrap();
    assert_eq!(answer.status, 403, "{:?}", answer.body);
    let good = service("connectionFactory=FAR destination=Q");
    far.environment.connections.set_remote(Default::default()).unwrap();
    assert_eq!(far.invoke(&good, Method::Post, "{}").await.unwrap().status, 503);
    assert_eq!(far.depth("Q"), 0);
}
