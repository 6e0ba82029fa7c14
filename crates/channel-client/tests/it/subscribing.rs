//! Subscriptions: made, shared, asked for what is retained, and had again after a loss.

use bytes::Bytes;
use channel_client::connection::Connection;
use channel_client::reconnect::Reconnect;
use model::options::{CloseOptions, GetFlags, ObjectDescriptor, ObjectKind, PutFlags};
use model::reason::Reason;
use model::subscribe::{SubscribeFlags as Flags, SubscriptionDescriptor};

use crate::calls::{get, text, with};
use crate::server::{Relay, Server, open};

const MANAGED: Flags = Flags::CREATE.union(Flags::MANAGED);

fn to(topic: &str, name: &str, flags: Flags) -> SubscriptionDescriptor {
    SubscriptionDescriptor {
        flags,
        topic_string: topic.to_owned(),
        name: name.to_owned(),
        ..SubscriptionDescriptor::default()
    }
}

async fn publish(connection: &mut Connection, topic: &str, body: &'static str, flags: PutFlags) {
    let object =
        ObjectDescriptor { object: ObjectKind::Topic, topic_string: topic.to_owned(), ..ObjectDescriptor::default() };
    connection.put1(&object, text(), &with(flags), Bytes::from_static(body.as_bytes())).await.unwrap();
}

#[tokio::test]
async fn a_managed_subscription_brings_its_own_queue() {
    let server = Server::start().await;
    let mut connection = server.connected().await;
    let made = connection.subscribe(&to("news/+", "", MANAGED | Flags::WILDCARD_TOPIC), None).await.unwrap();
    assert_eq!((made.topic_string.as_str(), made.warning), ("news/+", None));
    assert!(!made.correlation_id.is_none());
    publish(&mut connection, "news/sport", "goal", PutFlags::empty()).await;
    assert_eq!(get(&mut connection, made.queue, GetFlags::NO_SYNCPOINT).await.unwrap(), "goal");
    connection.close(made.subscription, CloseOptions::empty()).await.unwrap();
    publish(&mut connection, "news/sport", "nobody hears it", PutFlags::empty()).await;
    assert_eq!(get(&mut connection, made.queue, GetFlags::NO_SYNCPOINT).await, Err(Reason::NoMsgAvailable));
    connection.close(made.queue, CloseOptions::empty()).await.unwrap();
}

#[tokio::test]
async fn a_subscription_delivers_to_the_queue_that_is_given() {
    let server = Server::start().await;
    let mut connection = server.connected().await;
    let queue = open(&mut connection, "Q").await;
    let made = connection.subscribe(&to("a/b", "", Flags::CREATE), Some(queue)).await.unwrap();
    assert_eq!(made.queue, queue);
    publish(&mut connection, "a/b", "here", PutFlags::empty()).await;
    assert_eq!(server.depth("Q"), 1);
    let nowhere = connection.subscribe(&to("a/b", "", Flags::CREATE), None).await.unwrap_err();
    assert_eq!(nowhere.reason(), Reason::HobjError);
    let twice = Flags::CREATE | Flags::DURABLE;
    connection.subscribe(&to("a/b", "name", twice), Some(queue)).await.unwrap();
    let there = connection.subscribe(&to("a/b", "name", twice), Some(queue)).await.unwrap_err();
    assert!(matches!(there.reason(), Reason::SubAlreadyExists | Reason::SubscriptionInUse), "{there}");
}

#[tokio::test]
async fn what_is_retained_is_sent_when_it_is_asked_for() {
    let server = Server::start().await;
    let mut connection = server.connected().await;
    publish(&mut connection, "kept", "retained", PutFlags::RETAIN).await;
    let made = connection.subscribe(&to("kept", "", MANAGED | Flags::PUBLICATIONS_ON_REQUEST), None).await.unwrap();
    assert_eq!(get(&mut connection, made.queue, GetFlags::NO_SYNCPOINT).await, Err(Reason::NoMsgAvailable));
    assert_eq!(connection.request_publications(made.subscription).await.unwrap(), 1);
    assert_eq!(get(&mut connection, made.queue, GetFlags::NO_SYNCPOINT).await.unwrap(), "retained");
    let wrong = connection.request_publications(made.queue).await.unwrap_err();
    assert_eq!(wrong.reason(), Reason::HobjError);
}

#[tokio::test]
async fn each_publication_goes_to_one_of_those_that_share_a_subscription() {
    let server = Server::start().await;
    let (mut one, mut two) = (server.connected().await, server.connected().await);
    let flags = MANAGED | Flags::ALTER | Flags::ANY_USERID;
    let shared = SubscriptionDescriptor { shared: true, ..to("news", "both", flags) };
    let first = one.subscribe(&shared, None).await.unwrap();
    let second = two.subscribe(&shared, None).await.unwrap();
    for body in ["1", "2"] {
        publish(&mut one, "news", body, PutFlags::empty()).await;
    }
    assert_eq!(get(&mut one, first.queue, GetFlags::NO_SYNCPOINT).await.unwrap(), "1");
    assert_eq!(get(&mut two, second.queue, GetFlags::NO_SYNCPOINT).await.unwrap(), "2");
    let alone = two.subscribe(&to("news", "both", flags), None).await.unwrap_err();
    assert_eq!(alone.reason(), Reason::SubscriptionInUse);
}

#[tokio::test]
async fn a_durable_subscription_collects_while_nobody_is_there_and_is_removed_by_its_close() {
    let server = Server::start().await;
    let mut connection = server.connected().await;
    let durable = MANAGED | Flags::DURABLE;
    connection.subscribe(&to("orders", "app", durable), None).await.unwrap();
    connection.disconnect().await.unwrap();
    let mut connection = server.connected().await;
    publish(&mut connection, "orders", "meanwhile", PutFlags::empty()).await;
    let resume = Flags::RESUME | Flags::DURABLE | Flags::MANAGED;
    let made = connection.subscribe(&to("orders", "app", resume), None).await.unwrap();
    assert_eq!(get(&mut connection, made.queue, GetFlags::NO_SYNCPOINT).await.unwrap(), "meanwhile");
    connection.close(made.subscription, CloseOptions::REMOVE_SUB).await.unwrap();
    let gone = connection.subscribe(&to("orders", "app", resume), None).await.unwrap_err();
    assert_eq!(gone.reason(), Reason::NoSubscription);
}

#[tokio::test]
async fn after_a_loss_subscriptions_are_there_again_and_durable_ones_have_missed_nothing() {
    let server = Server::start().await;
    let relay = Relay::before(&server).await;
    let mut connection = relay.client(Reconnect::SameQueueManager).connect().await.unwrap();
    let mut publisher = server.connected().await;
    let plain = connection.subscribe(&to("t", "", MANAGED), None).await.unwrap();
    let durable = connection.subscribe(&to("t", "app", MANAGED | Flags::DURABLE), None).await.unwrap();
    let queue = open(&mut connection, "Q").await;
    let given = connection.subscribe(&to("t", "", Flags::CREATE), Some(queue)).await.unwrap();
    connection.close(queue, CloseOptions::empty()).await.unwrap();
    relay.cut();
    publish(&mut publisher, "t", "meanwhile", PutFlags::empty()).await;
    // The first call makes it all again.
    assert_eq!(get(&mut connection, durable.queue, GetFlags::NO_SYNCPOINT).await.unwrap(), "meanwhile");
    let before = server.depth("Q");
    publish(&mut publisher, "t", "afterwards", PutFlags::empty()).await;
    assert_eq!(server.depth("Q"), before + 1);
    let queue = open(&mut publisher, "Q").await;
    let got = loop {
        let got = publisher.get(queue, &crate::calls::any(GetFlags::NO_SYNCPOINT)).await.unwrap();
        if got.body == "afterwards" {
            break got;
        }
    };
    assert_eq!(got.descriptor.correlation_id, given.correlation_id);
    for subscribed in [&plain, &durable] {
        let got = loop {
            let got = get(&mut connection, subscribed.queue, GetFlags::NO_SYNCPOINT).await.unwrap();
            if got != "meanwhile" {
                break got;
            }
        };
        assert_eq!(got, "afterwards");
    }
    connection.close(given.subscription, CloseOptions::empty()).await.unwrap();
    connection.close(plain.subscription, CloseOptions::empty()).await.unwrap();
    relay.cut();
    // Its subscription was closed, so the queue went with the lost connection.
    assert_eq!(get(&mut connection, durable.queue, GetFlags::NO_SYNCPOINT).await, Err(Reason::NoMsgAvailable));
    assert_eq!(get(&mut connection, plain.queue, GetFlags::NO_SYNCPOINT).await, Err(Reason::HobjError));
}
