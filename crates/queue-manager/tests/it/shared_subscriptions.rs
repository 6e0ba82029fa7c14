//! Subscriptions that several handles have open: who may join, what they share, and when it ends.

use model::name::ObjectName;
use model::options::{CloseOptions, GetFlags, GetOptions, ObjectDescriptor, ObjectKind, PutOptions};
use model::reason::Reason;
use model::subscribe::{SubscribeFlags as Flags, SubscriptionDescriptor};
use queue_manager::connection::ObjectHandle;
use queue_manager::subscribe::Subscribed;
use queue_manager::{Connection, QueueManager};

use crate::script::{FakeClock, administrator, connect, ephemeral};

fn descriptor(topic: &str, selector: &str, shared: bool, durable: bool) -> SubscriptionDescriptor {
    let flags = Flags::ALTER | Flags::CREATE | Flags::MANAGED | Flags::ANY_USERID;
    SubscriptionDescriptor {
        flags: if durable { flags | Flags::DURABLE } else { flags },
        topic_string: topic.to_owned(),
        name: "both".to_owned(),
        selector: selector.to_owned(),
        shared,
        ..SubscriptionDescriptor::default()
    }
}

async fn join(connection: &Connection, shared: bool, durable: bool) -> Result<Subscribed, Reason> {
    connection.subscribe(&administrator(), &descriptor("news", "", shared, durable), None).await
}

async fn publish(connection: &Connection, text: &'static str) {
    let topic =
        ObjectDescriptor { object: ObjectKind::Topic, topic_string: "news".to_owned(), ..ObjectDescriptor::default() };
    let body = bytes::Bytes::from_static(text.as_bytes());
    connection.put1(&administrator(), &topic, Default::default(), &PutOptions::default(), body).await.unwrap();
}

async fn get(connection: &Connection, queue: ObjectHandle) -> Result<String, Reason> {
    let options = GetOptions { flags: GetFlags::NO_SYNCPOINT, ..GetOptions::default() };
    let got = connection.get(queue, &options).await?;
    Ok(String::from_utf8_lossy(&got.body).into_owned())
}

fn exists(queue_manager: &QueueManager, name: &ObjectName) -> bool {
    queue_manager.queue(name).is_some()
}

fn bench() -> (QueueManager, Connection, Connection) {
    let queue_manager = ephemeral(FakeClock::new());
    let one = connect(&queue_manager, administrator());
    let other = connect(&queue_manager, administrator());
    (queue_manager, one, other)
}

#[tokio::test]
async fn each_publication_goes_to_one_of_those_who_share() {
    let (_queue_manager, one, other) = bench();
    let first = join(&one, true, false).await.unwrap();
    let second = join(&other, true, false).await.unwrap();
    assert_eq!(first.identifier, second.identifier);
    publish(&one, "1").await;
    publish(&one, "2").await;
    assert_eq!(get(&other, second.queue).await, Ok("1".to_owned()));
    assert_eq!(get(&one, first.queue).await, Ok("2".to_owned()));
    assert_eq!(get(&one, first.queue).await, Err(Reason::NoMsgAvailable));
}

#[tokio::test]
async fn only_who_shares_may_join_and_only_for_the_same_topic_and_selector() {
    let (_queue_manager, one, other) = bench();
    let first = join(&one, true, false).await.unwrap();
    assert_eq!(join(&other, false, false).await.err(), Some(Reason::SubscriptionInUse));
    for (topic, selector, reason) in
        [("other", "", Reason::TopicNotAlterable), ("news", "a = 1", Reason::SelectorNotAlterable)]
    {
        let wanted = descriptor(topic, selector, true, false);
        assert_eq!(other.subscribe(&administrator(), &wanted, None).await.err(), Some(reason));
    }
    one.close(first.subscription, CloseOptions::empty()).await.unwrap();
    one.close(first.queue, CloseOptions::empty()).await.unwrap();
    let alone = join(&other, false, false).await.unwrap();
    assert_eq!(join(&one, true, false).await.err(), Some(Reason::SubscriptionInUse));
    other.close(alone.subscription, CloseOptions::empty()).await.unwrap();
}

#[tokio::test]
async fn without_durability_it_ends_and_its_queue_goes_with_the_last_handle_of_either() {
    let (queue_manager, one, other) = bench();
    let first = join(&one, true, false).await.unwrap();
    let second = join(&other, true, false).await.unwrap();
    one.close(first.queue, CloseOptions::empty()).await.unwrap();
    one.close(first.subscription, CloseOptions::empty()).await.unwrap();
    publish(&one, "1").await;
    assert_eq!(get(&other, second.queue).await, Ok("1".to_owned()));
    other.close(second.subscription, CloseOptions::empty()).await.unwrap();
    assert!(exists(&queue_manager, &second.queue_name), "its own handle is open");
    other.close(second.queue, CloseOptions::empty()).await.unwrap();
    assert!(!exists(&queue_manager, &second.queue_name));
}

#[tokio::test(start_paused = true)]
async fn a_lost_connection_leaves_the_others_their_subscription() {
    let (queue_manager, one, other) = bench();
    let first = join(&one, true, false).await.unwrap();
    let second = join(&other, true, false).await.unwrap();
    drop(one);
    let _ = tokio::time::timeout(std::time::Duration::from_millis(50), queue_manager.run()).await;
    publish(&other, "1").await;
    assert_eq!(get(&other, second.queue).await, Ok("1".to_owned()));
    drop(other);
    let _ = tokio::time::timeout(std::time::Duration::from_millis(50), queue_manager.run()).await;
    assert!(!exists(&queue_manager, &first.queue_name));
}

#[tokio::test]
async fn a_durable_one_stays_and_is_removed_only_when_nobody_has_it_open() {
    let (queue_manager, one, other) = bench();
    let first = join(&one, true, true).await.unwrap();
    let second = join(&other, true, true).await.unwrap();
    one.close(first.subscription, CloseOptions::REMOVE_SUB).await.unwrap();
    publish(&one, "1").await;
    assert_eq!(get(&other, second.queue).await, Ok("1".to_owned()));
    other.close(second.queue, CloseOptions::empty()).await.unwrap();
    other.close(second.subscription, CloseOptions::empty()).await.unwrap();
    one.close(first.queue, CloseOptions::empty()).await.unwrap();
    publish(&one, "2").await;
    let again = join(&one, false, true).await.unwrap();
    assert_eq!(get(&one, again.queue).await, Ok("2".to_owned()));
    one.close(again.queue, CloseOptions::empty()).await.unwrap();
    one.close(again.subscription, CloseOptions::REMOVE_SUB).await.unwrap();
    assert!(!exists(&queue_manager, &again.queue_name));
}

#[tokio::test]
async fn many_who_join_at_once_share_one_subscription() {
    let (queue_manager, one, other) = bench();
    let joins: (Result<_, _>, Result<_, _>, Result<_, _>) =
        tokio::join!(join(&one, true, true), join(&other, true, true), join(&one, true, true));
    let identifiers = [joins.0.unwrap().identifier, joins.1.unwrap().identifier, joins.2.unwrap().identifier];
    assert!(identifiers.iter().all(|identifier| *identifier == identifiers[0]));
    let named: Vec<_> = queue_manager.subscription_statuses();
    assert_eq!(named.iter().filter(|status| status.definition.name == "both").count(), 1);
}
