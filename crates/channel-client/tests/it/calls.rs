//! The verbs of the MQI, one by one.

use std::time::Duration;

use bytes::Bytes;
use channel_client::client::Client;
use channel_client::connection::{Connection, ObjectHandle};
use channel_client::options::Credentials;
use channel_protocol::flow::inquire::Attributes;
use model::descriptor::{Format, MessageDescriptor, Persistence};
use model::identifier::CorrelationId;
use model::name::ObjectName;
use model::options::{
    CloseOptions, GetFlags, GetOptions, MatchOptions, ObjectDescriptor, OpenOptions, PutFlags, PutOptions,
};
use model::reason::Reason;

use crate::server::{Server, open, options_for};

/// MQIA_CURRENT_Q_DEPTH, MQCA_Q_NAME.
const DEPTH: i32 = 3;
const NAME: i32 = 2016;

pub(crate) fn any(flags: GetFlags) -> GetOptions {
    GetOptions { flags, wait: Some(Duration::from_secs(20)), ..GetOptions::default() }
}

pub(crate) fn with(flags: PutFlags) -> PutOptions {
    PutOptions { flags, context: None }
}

pub(crate) fn text() -> MessageDescriptor {
    MessageDescriptor { format: Format::STRING, ..MessageDescriptor::default() }
}

pub(crate) async fn put(connection: &mut Connection, queue: ObjectHandle, body: &'static str, flags: PutFlags) {
    connection.put(queue, text(), &with(flags), Bytes::from_static(body.as_bytes())).await.unwrap();
}

/// The body of the next message, or the reason why there is none.
pub(crate) async fn get(connection: &mut Connection, queue: ObjectHandle, flags: GetFlags) -> Result<String, Reason> {
    let got = connection.get(queue, &any(flags)).await.map_err(|error| error.reason())?;
    Ok(String::from_utf8(got.body.to_vec()).unwrap())
}

#[tokio::test]
async fn a_message_is_put_inquired_about_browsed_and_got() {
    let server = Server::start().await;
    let mut connection = server.connected().await;
    assert_eq!(connection.queue_manager().as_str(), "QM1");
    let queue = open(&mut connection, "Q").await;
    let correlation_id = CorrelationId::new([7; 24]);
    let descriptor = MessageDescriptor { correlation_id, persistence: Persistence::Persistent, ..text() };
    let put = connection.put(queue, descriptor, &with(PutFlags::NO_SYNCPOINT), Bytes::from_static(b"hello")).await;
    let put = put.unwrap();
    assert!(!put.descriptor.message_id.is_none());
    assert_eq!(put.resolved_queue.as_str(), "Q");
    let attributes = connection.inquire(queue, &[DEPTH, NAME], 1, 48).await.unwrap();
    assert_eq!(attributes.integers, [1]);
    assert_eq!(String::from_utf8(attributes.characters).unwrap().trim_end(), "Q");
    assert_eq!(get(&mut connection, queue, GetFlags::BROWSE_FIRST).await.unwrap(), "hello");
    let options = GetOptions { match_options: MatchOptions::CORREL_ID, correlation_id, ..any(GetFlags::NO_SYNCPOINT) };
    let got = connection.get(queue, &options).await.unwrap();
    assert_eq!((&got.body[..], got.descriptor.message_id), (&b"hello"[..], put.descriptor.message_id));
    assert_eq!(got.descriptor.persistence, Persistence::Persistent);
    assert_eq!(get(&mut connection, queue, GetFlags::NO_SYNCPOINT).await, Err(Reason::NoMsgAvailable));
    connection.close(queue, CloseOptions::empty()).await.unwrap();
    assert_eq!(get(&mut connection, queue, GetFlags::NO_SYNCPOINT).await, Err(Reason::HobjError));
    connection.disconnect().await.unwrap();
}

#[tokio::test]
async fn what_is_under_syncpoint_is_committed_backed_out_and_lost_with_its_connection() {
    let server = Server::start().await;
    let mut connection = server.connected().await;
    let queue = open(&mut connection, "Q").await;
    put(&mut connection, queue, "backed out", PutFlags::SYNCPOINT).await;
    connection.back_out().await.unwrap();
    put(&mut connection, queue, "kept", PutFlags::SYNCPOINT).await;
    connection.commit().await.unwrap();
    assert_eq!(get(&mut connection, queue, GetFlags::SYNCPOINT).await.unwrap(), "kept");
    drop(connection);
    let mut other = server.connected().await;
    let queue = open(&mut other, "Q").await;
    let again = other.get(queue, &any(GetFlags::SYNCPOINT | GetFlags::WAIT)).await.unwrap();
    assert_eq!((&again.body[..], again.descriptor.backout_count), (&b"kept"[..], 1));
    // MQDISC commits.
    other.disconnect().await.unwrap();
    assert_eq!(server.depth("Q"), 0);
}

#[tokio::test]
async fn long_messages_are_split_and_a_short_buffer_leaves_them_or_takes_a_part() {
    let server = Server::start().await;
    let mut connection = server.connected().await;
    let queue = open(&mut connection, "Q").await;
    let long: Bytes = (0..3_000_000_u32).map(|number| number.to_le_bytes()[0]).collect();
    connection.put(queue, text(), &with(PutFlags::NO_SYNCPOINT), long.clone()).await.unwrap();
    let short = GetOptions { buffer_length: Some(1000), ..any(GetFlags::NO_SYNCPOINT) };
    let got = connection.get(queue, &short).await.unwrap();
    assert_eq!(got.warning, Some(Reason::TruncatedMsgFailed));
    assert_eq!((got.data_length, got.body.len()), (3_000_000, 1000));
    assert_eq!(server.depth("Q"), 1);
    assert_eq!(connection.get(queue, &any(GetFlags::NO_SYNCPOINT)).await.unwrap().body, long);
    assert_eq!(server.depth("Q"), 0);
}

#[tokio::test]
async fn asynchronous_puts_are_not_answered_and_asked_about_afterwards() {
    let server = Server::start().await;
    let mut connection = server.connected().await;
    let queue = open(&mut connection, "Q").await;
    for _ in 0..500 {
        put(&mut connection, queue, "quick", PutFlags::NO_SYNCPOINT | PutFlags::ASYNC_RESPONSE).await;
    }
    let status = connection.asynchronous_status().await.unwrap();
    assert_eq!((status.put_successes, status.put_failures, status.reason), (500, 0, 0));
    assert_eq!(server.depth("Q"), 500);
}

#[tokio::test]
async fn a_put1_goes_to_a_queue_that_is_not_open_and_a_model_makes_a_dynamic_one() {
    let server = Server::start().await;
    let mut connection = server.connected().await;
    let object = ObjectDescriptor { name: ObjectName::literal("Q"), ..ObjectDescriptor::default() };
    connection.put1(&object, text(), &with(PutFlags::NO_SYNCPOINT), Bytes::from_static(b"x")).await.unwrap();
    assert_eq!(server.depth("Q"), 1);
    let model = ObjectDescriptor {
        name: ObjectName::literal("SYSTEM.DEFAULT.MODEL.QUEUE"),
        dynamic_queue: "REPLY.*".to_owned(),
        ..ObjectDescriptor::default()
    };
    let opened = connection.open(&model, crate::server::BOTH).await.unwrap();
    assert!(opened.object_name.as_str().starts_with("REPLY."), "{}", opened.object_name);
    put(&mut connection, opened.handle, "dynamic", PutFlags::NO_SYNCPOINT).await;
    assert_eq!(get(&mut connection, opened.handle, GetFlags::NO_SYNCPOINT).await.unwrap(), "dynamic");
}

#[tokio::test]
async fn what_is_refused_has_the_published_reason() {
    let server = Server::start().await;
    let mut connection = server.connected().await;
    let missing = ObjectDescriptor { name: ObjectName::literal("MISSING"), ..ObjectDescriptor::default() };
    let refused = connection.open(&missing, crate::server::BOTH).await.unwrap_err();
    assert_eq!(refused.reason(), Reason::UnknownObjectName);
    assert_eq!(refused.to_string(), "MQOPEN ended with 2085 (MQRC_UNKNOWN_OBJECT_NAME)");
    let reason = async |change: fn(&mut channel_client::options::ConnectOptions)| {
        let mut options = server.options();
        change(&mut options);
        Client::new(options).unwrap().connect().await.err().unwrap().reason()
    };
    assert_eq!(reason(|options| options.channel = ObjectName::literal("NOBODY")).await, Reason::UnknownChannelName);
    assert_eq!(reason(|options| options.queue_manager = "QM9".to_owned()).await, Reason::QMgrNameError);
    let wrong = reason(|options| {
        options.credentials = Some(Credentials { user: "app".to_owned(), password: "wrong".to_owned() });
    });
    assert_eq!(wrong.await, Reason::NotAuthorized);
}

#[tokio::test]
async fn the_next_address_of_a_list_is_tried_when_nobody_is_at_the_first() {
    let server = Server::start().await;
    let gone = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let mut options = server.options();
    let second = options.connections.to_string();
    options.connections = format!("127.0.0.1({}),{second}", gone.port()).parse().unwrap();
    Client::new(options).unwrap().connect().await.unwrap();
    let alone = Client::new(options_for(gone)).unwrap().connect().await.err().unwrap();
    assert_eq!(alone.reason(), Reason::HostNotAvailable);
}

#[tokio::test]
async fn a_call_that_is_given_up_ends_its_connection_and_backs_out() {
    let server = Server::start().await;
    let mut connection = server.connected().await;
    let queue = open(&mut connection, "Q").await;
    put(&mut connection, queue, "never seen", PutFlags::SYNCPOINT).await;
    let waiting = GetOptions {
        match_options: MatchOptions::CORREL_ID,
        correlation_id: CorrelationId::new([1; 24]),
        ..any(GetFlags::WAIT)
    };
    let given_up = tokio::time::timeout(Duration::from_millis(50), connection.get(queue, &waiting)).await;
    assert!(given_up.is_err());
    assert!(connection.is_broken());
    assert_eq!(connection.commit().await.err().unwrap().reason(), Reason::ConnectionBroken);
    drop(connection);
    let mut other = server.connected().await;
    let queue = open(&mut other, "Q").await;
    assert_eq!(get(&mut other, queue, GetFlags::NO_SYNCPOINT).await, Err(Reason::NoMsgAvailable));
}

/// MQIA_INHIBIT_PUT.
const INHIBIT_PUT: i32 = 10;

#[tokio::test]
async fn attributes_are_set_and_a_failed_put_without_an_answer_backs_its_unit_of_work_out() {
    let server = Server::start().await;
    let mut connection = server.connected().await;
    let queue = open(&mut connection, "Q").await;
    put(&mut connection, queue, "would be kept", PutFlags::SYNCPOINT).await;
    let object = ObjectDescriptor { name: ObjectName::literal("Q"), ..ObjectDescriptor::default() };
    let setting = connection.open(&object, OpenOptions::SET | OpenOptions::INQUIRE).await.unwrap().handle;
    let inhibited = Attributes { selectors: vec![INHIBIT_PUT], integers: vec![1], characters: Vec::new() };
    connection.set(setting, &inhibited).await.unwrap();
    assert_eq!(connection.inquire(setting, &[INHIBIT_PUT], 1, 0).await.unwrap().integers, [1]);
    put(&mut connection, queue, "nobody answers", PutFlags::SYNCPOINT | PutFlags::ASYNC_RESPONSE).await;
    let told = connection.commit().await.unwrap_err();
    assert_eq!(told.reason(), Reason::BackedOut);
    let status = connection.asynchronous_status().await.unwrap();
    assert_eq!((status.put_failures, status.reason, status.object.to_text().as_ref()), (1, 2051, "Q"));
    assert_eq!(connection.reconnection_status(false).await.unwrap().completion, 0);
    assert_eq!(server.depth("Q"), 0);
    let refused = connection.set(queue, &inhibited).await.unwrap_err();
    assert_eq!(refused.reason(), Reason::NotOpenForSet);
    // MQDISC says so as well.
    put(&mut connection, queue, "again", PutFlags::SYNCPOINT | PutFlags::ASYNC_RESPONSE).await;
    assert_eq!(connection.disconnect().await.unwrap_err().reason(), Reason::BackedOut);
}
