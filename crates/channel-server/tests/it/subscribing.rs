//! MQSUB, MQSUBRQ and SPI verb 7.

use bytes::Bytes;
use channel_protocol::flow::put::{Put, Put1};
use channel_protocol::flow::spi::{Spi, SpiInput, SpiOutput, verb};
use channel_protocol::flow::spi_subscribe::{SpiSubscribe, SubscriptionDestination};
use channel_protocol::flow::subscribe::{Subscribe, SubscriptionRequest};
use channel_protocol::reply::{Answer, AnswerBody};
use channel_protocol::request::Verb;
use channel_protocol::structure::char_string::CharString;
use channel_protocol::structure::object_descriptor::ObjectStructure;
use channel_protocol::structure::subscription_descriptor::{SubscriptionRequestOptions, SubscriptionStructure};
use model::options::{GetFlags, PutFlags};
use model::subscribe::{SubscribeFlags as Flags, SubscriptionDescriptor};

use crate::client::{Client, Server, any, message};
use crate::put_get::BOTH;

const MANAGED: Flags = Flags::CREATE.union(Flags::MANAGED);

fn descriptor(topic: &str, name: &str, flags: Flags) -> SubscriptionStructure {
    SubscriptionStructure::from_model(&SubscriptionDescriptor {
        flags,
        topic_string: topic.to_owned(),
        name: name.to_owned(),
        ..SubscriptionDescriptor::default()
    })
}

fn spi(subscription: SubscriptionStructure, options: i32) -> Verb {
    let destination = SubscriptionDestination { options, ..SubscriptionDestination::default() };
    let input = SpiSubscribe { subscription_handle: 0, destination, subscription };
    Verb::Spi(Spi { verb: verb::SUBSCRIBE, out_version: 1, out_maximum: 0x218, input: SpiInput::Subscribe(input) })
}

/// The reason, the queue's handle and the subscription's.
fn handles(answer: &Answer) -> (i32, i32, i32) {
    let subscription = match &answer.body {
        Some(AnswerBody::Spi(reply)) => match &reply.output {
            SpiOutput::Subscribe(subscribe) => subscribe.subscription_handle,
            other => panic!("another structure: {other:?}"),
        },
        Some(AnswerBody::Subscribe(subscribe)) => subscribe.subscription_handle,
        other => panic!("no answer to a subscription: {other:?}"),
    };
    (answer.ending.reason, answer.handle, subscription)
}

async fn publish(client: &mut Client, topic: &str, data: &[u8], flags: PutFlags) {
    let object = ObjectStructure {
        version: 4,
        object_type: 8,
        object_string: CharString::utf_8(topic),
        ..ObjectStructure::default()
    };
    let mut put: Put = message(data);
    put.options.flags = flags;
    let answer = client.call(1, 0, Verb::Put1(Put1 { object, put })).await;
    assert_eq!(answer.ending.reason, 0, "publish");
}

async fn next(client: &mut Client, queue: i32) -> Result<Bytes, i32> {
    let (reason, got) = client.get(1, queue, any(GetFlags::NO_SYNCPOINT)).await;
    if reason == 0 { Ok(got.data) } else { Err(reason) }
}

#[tokio::test]
async fn a_managed_subscription_by_spi_gives_both_handles() {
    let server = Server::start().await;
    let mut client = server.connected().await;
    let answer = client.call(1, 0, spi(descriptor("news/sport", "", MANAGED), 0)).await;
    let (reason, queue, subscription) = handles(&answer);
    assert_eq!(reason, 0);
    assert!(queue > 0 && subscription > 0 && queue != subscription);
    let Some(AnswerBody::Spi(reply)) = answer.body else { panic!("{answer:?}") };
    let SpiOutput::Subscribe(made) = reply.output else { panic!("{reply:?}") };
    assert_eq!(&made.subscription.resolved_object_string.text[..], b"news/sport");
    assert!(made.subscription.object_string.text.is_empty());
    assert_ne!(made.subscription.correlation_id, [0; 24]);
    publish(&mut client, "news/sport", b"goal", PutFlags::empty()).await;
    assert_eq!(next(&mut client, queue).await.unwrap(), "goal");
    assert_eq!(next(&mut client, queue).await, Err(2033));
    assert_eq!(client.close(1, subscription).await, 0);
    assert_eq!(client.close(1, queue).await, 0);
}

#[tokio::test]
async fn mqsub_delivers_to_a_queue_that_is_given() {
    let server = Server::start().await;
    let mut client = server.connected().await;
    let queue = client.open(1, "Q", BOTH).await;
    let subscribe =
        Subscribe { subscription_handle: -1, reserved: 0, subscription: descriptor("a/b", "", Flags::CREATE) };
    let answer = client.call(1, queue, Verb::Subscribe(subscribe)).await;
    let (reason, same, subscription) = handles(&answer);
    assert_eq!((reason, same), (0, queue));
    publish(&mut client, "a/b", b"here", PutFlags::empty()).await;
    assert_eq!(server.depth("Q"), 1);
    assert_eq!(client.close(1, subscription).await, 0);
    publish(&mut client, "a/b", b"nobody", PutFlags::empty()).await;
    assert_eq!(server.depth("Q"), 1);
}

#[tokio::test]
async fn mqsubrq_sends_what_is_retained() {
    let server = Server::start().await;
    let mut client = server.connected().await;
    publish(&mut client, "a/r", b"kept", PutFlags::RETAIN).await;
    let flags = MANAGED | Flags::PUBLICATIONS_ON_REQUEST;
    let subscribe = Subscribe { subscription_handle: -1, reserved: 0, subscription: descriptor("a/r", "", flags) };
    let answer = client.call(1, 0, Verb::Subscribe(subscribe)).await;
    let (_, queue, subscription) = handles(&answer);
    assert_eq!(next(&mut client, queue).await, Err(2033));
    let ask = |action| {
        let options = SubscriptionRequestOptions { options: 0, publications: 0 };
        Verb::SubscriptionRequest(SubscriptionRequest { action, options })
    };
    let answer = client.call(1, subscription, ask(1)).await;
    let Some(AnswerBody::SubscriptionRequest(reply)) = answer.body else { panic!("{answer:?}") };
    assert_eq!((answer.ending.reason, reply.options.publications), (0, 1));
    assert_eq!(next(&mut client, queue).await.unwrap(), "kept");
    assert_eq!(client.call(1, subscription, ask(2)).await.ending.reason, 2535);
    assert_eq!(client.call(1, queue, ask(1)).await.ending.reason, 2019);
}

#[tokio::test]
async fn a_shared_subscription_gives_each_publication_to_one_of_its_consumers() {
    let server = Server::start().await;
    let mut client = server.connected().await;
    let flags = MANAGED | Flags::ALTER | Flags::ANY_USERID;
    let shared = SubscriptionDestination::SHARED;
    let mut consumers = Vec::new();
    for _ in 0..2 {
        let answer = client.call(1, 0, spi(descriptor("news", "both", flags), shared)).await;
        let (reason, queue, subscription) = handles(&answer);
        assert_eq!(reason, 0);
        consumers.push((queue, subscription));
    }
    let alone = client.call(1, 0, spi(descriptor("news", "both", flags), 0)).await;
    assert_eq!(alone.ending.reason, 2429);
    for data in [b"1", b"2"] {
        publish(&mut client, "news", data, PutFlags::empty()).await;
    }
    let [(first, first_subscription), (second, second_subscription)] = consumers[..] else { panic!() };
    assert_eq!(next(&mut client, first).await.unwrap(), "1");
    assert_eq!(next(&mut client, second).await.unwrap(), "2");
    assert_eq!(next(&mut client, second).await, Err(2033));
    assert_eq!(client.close(1, first_subscription).await, 0);
    assert_eq!(client.close(1, first).await, 0);
    publish(&mut client, "news", b"3", PutFlags::empty()).await;
    assert_eq!(next(&mut client, second).await.unwrap(), "3");
    assert_eq!(client.close(1, second_subscription).await, 0);
    assert_eq!(client.close(1, second).await, 0);
    let again = client.call(1, 0, spi(descriptor("other", "both", flags), 0)).await;
    assert_eq!(again.ending.reason, 0, "it is gone with its last handle");
}

#[tokio::test]
async fn what_the_queue_manager_refuses_comes_back_without_strings() {
    let server = Server::start().await;
    let mut client = server.connected().await;
    let unnamed = client.call(1, 0, spi(descriptor("news", "", MANAGED | Flags::DURABLE), 0)).await;
    assert_eq!(handles(&unnamed), (2440, 0, 0));
    let subscribe =
        Subscribe { subscription_handle: -1, reserved: 0, subscription: descriptor("news", "", Flags::CREATE) };
    let answer = client.call(1, 0, Verb::Subscribe(subscribe)).await;
    assert_eq!(answer.ending.reason, 2019);
    let Some(AnswerBody::Subscribe(reply)) = answer.body else { panic!("{answer:?}") };
    assert!(reply.subscription.object_string.text.is_empty());
}
