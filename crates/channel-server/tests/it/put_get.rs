//! Messages go in and come out: every option of put and get that shows on a channel.

use bytes::Bytes;
use channel_protocol::flow::put::{Put, Put1};
use channel_protocol::flow::stat::Stat;
use channel_protocol::form::Form;
use channel_protocol::reply::AnswerBody;
use channel_protocol::request::{Request, Verb};
use channel_protocol::structure::char_string::CharString;
use channel_protocol::structure::object_descriptor::{ObjectStructure, object_type};
use channel_protocol::structure::status_structure::StatusStructure;
use model::descriptor::{Ccsid, Encoding, Format, Persistence};
use model::identifier::CorrelationId;
use model::options::{GetFlags, MatchOptions, OpenOptions, PutFlags};

use crate::admission::Settings;
use crate::client::{Client, Options, Server, any, define_queue, message, object};

pub(crate) const BOTH: OpenOptions = OpenOptions::INPUT_SHARED.union(OpenOptions::OUTPUT);
const ALL: OpenOptions = BOTH.union(OpenOptions::BROWSE);

/// A connected client with Q open for everything.
async fn with_queue(server: &Server) -> (Client, i32) {
    let mut client = server.connected().await;
    let queue = client.open(1, "Q", ALL).await;
    (client, queue)
}

#[tokio::test]
async fn a_message_that_is_put_can_be_got() {
    let server = Server::start().await;
    let (mut client, queue) = with_queue(&server).await;
    let (reason, put) = client.put(1, queue, message(b"hello")).await;
    assert_eq!((reason, put.options.resolved_queue.to_text().as_ref()), (0, "Q"));
    assert_eq!(put.descriptor.fields.put_application_name.to_text(), "test program");
    let (reason, got) = client.get(1, queue, any(GetFlags::NO_SYNCPOINT)).await;
    assert_eq!((reason, &got.data[..], got.length), (0, &b"hello"[..], 5));
    assert_eq!(got.descriptor.fields.message_id, put.descriptor.fields.message_id);
    assert_eq!(got.descriptor.fields.user_identifier.to_text(), "alice");
    let (reason, _) = client.get(1, queue, any(GetFlags::NO_SYNCPOINT)).await;
    assert_eq!(reason, 2033);
}

#[tokio::test]
async fn both_byte_orders_ebcdic_and_unshared_sockets_are_served() {
    for (form, conversations) in [(Form::BIG, 0), (Form::LITTLE, 0), (Form::LITTLE, 10), (Form::ebcdic(500), 10)] {
        let server = Server::start().await;
        let mut client = server.client_with(Options { form, conversations, ..Options::default() }).await;
        assert_eq!(client.negotiated.conversations, conversations);
        client.connect(1, "").await;
        let queue = client.open(1, "Q", BOTH).await;
        client.put(1, queue, message(b"hello")).await;
        let (reason, got) = client.get(1, queue, any(GetFlags::NO_SYNCPOINT)).await;
        assert_eq!((reason, &got.data[..]), (0, &b"hello"[..]));
    }
}

#[tokio::test]
async fn an_ebcdic_partner_is_understood() {
    let server = Server::start().await;
    let mut client = server.client_with(Options { form: Form::ebcdic(500), ..Options::default() }).await;
    client.connect(1, "QM1").await;
    let queue = client.open(1, "Q", BOTH).await;
    let (reason, put) = client.put(1, queue, message(b"hello")).await;
    assert_eq!((reason, put.descriptor.fields.user_identifier.to_text().as_ref()), (0, "alice"));
}

#[tokio::test]
async fn ten_mebibytes_travel_both_ways_in_segments() {
    for maximum_transmission in [32_748, 1 << 20] {
        let server = Server::start().await;
        let mut client = server.client_with(Options { maximum_transmission, ..Options::default() }).await;
        client.connect(1, "QM1").await;
        let mut definition = model::definition::QueueDefinition::local(model::name::ObjectName::literal("BIG"));
        let model::definition::QueueKind::Local(local) = &mut definition.kind else { panic!("a local queue") };
        local.maximum_message_length = 16 << 20;
        let administrator = crate::client::administrator();
        server.queue_manager.define_queue(&administrator, definition, false).await.unwrap();
        let mut manager = (*server.queue_manager.definition()).clone();
        manager.maximum_message_length = 16 << 20;
        server.queue_manager.alter_queue_manager(&administrator, manager).await.unwrap();
        let queue = client.open(1, "BIG", ALL).await;
        let data: Vec<u8> = (0..10 << 20).map(|i: u32| (i % 251) as u8).collect();
        assert_eq!(client.put(1, queue, message(&data)).await.0, 0);
        let mut get = any(GetFlags::NO_SYNCPOINT);
        get.buffer_length = data.len();
        let (reason, got) = client.get(1, queue, get).await;
        assert_eq!((reason, got.length), (0, data.len()));
        assert!(got.data == data, "the bytes are the same");
    }
}

#[tokio::test]
async fn a_message_too_long_for_channel_queue_or_queue_manager_is_refused() {
    let server = Server::with(Settings { maximum_message_length: 6 << 20, ..Settings::default() }).await;
    let (mut client, queue) = with_queue(&server).await;
    assert_eq!(client.negotiated.maximum_message, 6 << 20);
    let of = |mebibytes: usize| message(&vec![b'x'; mebibytes << 20]);
    assert_eq!(client.put(1, queue, of(5)).await.0, 2031);
    let mut long = of(6);
    long.data = Bytes::from(vec![b'x'; (6 << 20) + 1]);
    assert_eq!(client.put(1, queue, long).await.0, 2010);
    let mut get = any(GetFlags::NO_SYNCPOINT);
    get.buffer_length = (6 << 20) + 1;
    assert_eq!(client.get(1, queue, get).await.0, 2010);
}

#[tokio::test]
async fn a_truncated_message_stays_and_is_found_by_its_token() {
    let server = Server::start().await;
    let (mut client, queue) = with_queue(&server).await;
    client.put(1, queue, message(b"first")).await;
    client.put(1, queue, message(&[b'x'; 9000])).await;
    client.put(1, queue, message(b"last")).await;
    let receive = GetFlags::WAIT
        | GetFlags::SYNCPOINT_IF_PERSISTENT
        | GetFlags::FAIL_IF_QUIESCING
        | GetFlags::PROPERTIES_FORCE_MQRFH2;
    assert_eq!(client.get(1, queue, any(receive)).await.1.data, Bytes::from_static(b"first"));
    let (reason, part) = client.get(1, queue, any(receive)).await;
    assert_eq!((reason, part.length, part.data.len()), (2080, 9000, 4096));
    let mut again = any(receive - GetFlags::WAIT);
    again.options.match_options = MatchOptions::MSG_TOKEN;
    again.options.message_token = part.options.message_token;
    again.buffer_length = 9000;
    let (reason, whole) = client.get(1, queue, again).await;
    assert_eq!((reason, whole.data.len()), (0, 9000));
    client.put(1, queue, message(&[b'y'; 9000])).await;
    client.get(1, queue, any(receive)).await;
    let (reason, part) = client.get(1, queue, any(GetFlags::ACCEPT_TRUNCATED_MSG)).await;
    assert_eq!((reason, part.length, part.data.len()), (2079, 9000, 4096));
    assert_eq!(server.depth("Q"), 0);
}

#[tokio::test]
async fn a_browsed_and_locked_message_is_one_receivers_alone() {
    let server = Server::start().await;
    let (mut one, first) = with_queue(&server).await;
    let (mut other, second) = with_queue(&server).await;
    one.put(1, first, message(b"only")).await;
    let lock = GetFlags::WAIT | GetFlags::NO_SYNCPOINT | GetFlags::BROWSE_FIRST | GetFlags::LOCK;
    let (reason, seen) = one.get(1, first, any(lock)).await;
    assert_eq!(reason, 0);
    assert_eq!(other.get(1, second, any(GetFlags::NO_SYNCPOINT)).await.0, 2033);
    assert_eq!(one.get(1, first, any(GetFlags::UNLOCK)).await.0, 0);
    assert_eq!(one.get(1, first, any(lock)).await.0, 0);
    let mut remove = any(GetFlags::NO_SYNCPOINT);
    remove.options.match_options = MatchOptions::MSG_TOKEN;
    remove.options.message_token = seen.options.message_token;
    assert_eq!(one.get(1, first, remove).await.0, 0);
    assert_eq!(other.get(1, second, any(GetFlags::BROWSE_FIRST)).await.0, 2033);
}

#[tokio::test]
async fn browsing_goes_on_message_by_message() {
    let server = Server::start().await;
    let (mut client, queue) = with_queue(&server).await;
    for data in [b"a", b"b"] {
        client.put(1, queue, message(data)).await;
    }
    let next = any(GetFlags::BROWSE_NEXT | GetFlags::FAIL_IF_QUIESCING);
    for (data, reason) in [("a", 0), ("b", 0), ("", 2033)] {
        let (got, reply) = client.get(1, queue, next.clone()).await;
        assert_eq!((got, &reply.data[..]), (reason, data.as_bytes()));
    }
    let under_cursor = any(GetFlags::MSG_UNDER_CURSOR);
    assert_eq!(client.get(1, queue, under_cursor).await.1.data, Bytes::from_static(b"b"));
    assert_eq!(server.depth("Q"), 1);
}

#[tokio::test]
async fn identifiers_select_unless_they_are_zero() {
    let server = Server::start().await;
    let (mut client, queue) = with_queue(&server).await;
    for (data, correlation) in [(b"a", 1), (b"b", 2), (b"c", 2)] {
        let mut put = message(data);
        put.descriptor.fields.correlation_id = CorrelationId::new([correlation; 24]);
        client.put(1, queue, put).await;
    }
    let mut by_correlation = any(GetFlags::NO_SYNCPOINT);
    by_correlation.descriptor.fields.correlation_id = CorrelationId::new([2; 24]);
    assert_eq!(client.get(1, queue, by_correlation.clone()).await.1.data, Bytes::from_static(b"b"));
    assert_eq!(client.get(1, queue, any(GetFlags::NO_SYNCPOINT)).await.1.data, Bytes::from_static(b"a"));
    // Version 1 of the options has no match options: identifiers count where they are not zero.
    by_correlation.options.version = 1;
    assert_eq!(client.get(1, queue, by_correlation).await.1.data, Bytes::from_static(b"c"));
}

#[tokio::test]
async fn units_of_work_are_committed_and_backed_out() {
    let server = Server::start().await;
    let (mut client, queue) = with_queue(&server).await;
    let mut put = message(b"x");
    put.options.flags = PutFlags::SYNCPOINT;
    client.put(1, queue, put.clone()).await;
    assert_eq!(client.plain(1, Verb::BackOut).await, 0);
    assert_eq!(client.get(1, queue, any(GetFlags::SYNCPOINT)).await.0, 2033);
    client.put(1, queue, put).await;
    assert_eq!(client.plain(1, Verb::Commit).await, 0);
    assert_eq!(client.get(1, queue, any(GetFlags::SYNCPOINT)).await.0, 0);
    assert_eq!(client.plain(1, Verb::BackOut).await, 0);
    let (reason, got) = client.get(1, queue, any(GetFlags::NO_SYNCPOINT)).await;
    assert_eq!((reason, got.descriptor.fields.backout_count), (0, 1));
}

fn put1(object: ObjectStructure, put: Put) -> Verb {
    Verb::Put1(Put1 { object, put })
}

#[tokio::test]
async fn put1_reaches_queues_and_subscribers_of_topics() {
    let server = Server::start().await;
    define_queue(&server.queue_manager, "SUBSCRIBED").await;
    let subscription = model::definition::SubscriptionDefinition {
        name: "S".to_owned(),
        topic_string: "news/today".to_owned(),
        destination: model::name::ObjectName::literal("SUBSCRIBED"),
        durable: true,
        ..Default::default()
    };
    let administrator = crate::client::administrator();
    server.queue_manager.define_subscription(&administrator, subscription, false).await.unwrap();
    let mut client = server.connected().await;
    let answer = client.call(1, 0, put1(object("Q"), message(b"x"))).await;
    let Some(AnswerBody::Put1(reply)) = answer.body else { panic!("no reply") };
    assert_eq!((answer.ending.reason, reply.put.options.resolved_queue.to_text().as_ref()), (0, "Q"));
    let topic = ObjectStructure {
        version: 4,
        object_type: object_type::TOPIC,
        object_string: CharString::utf_8("news/today"),
        ..ObjectStructure::default()
    };
    assert_eq!(client.call(1, 0, put1(topic, message(b"x"))).await.ending.reason, 0);
    assert_eq!((server.depth("Q"), server.depth("SUBSCRIBED")), (1, 1));
    assert_eq!(client.call(1, 0, put1(object("NO.SUCH"), message(b"x"))).await.ending.reason, 2085);
}

async fn stat(client: &mut Client) -> StatusStructure {
    let stat = Stat { status_type: 0, status: StatusStructure::default() };
    let answer = client.call(1, 0, Verb::Stat(stat)).await;
    let Some(AnswerBody::Stat(stat)) = answer.body else { panic!("no reply") };
    assert_eq!(answer.ending.reason, 0);
    stat.status
}

#[tokio::test]
async fn asynchronous_puts_are_not_answered_but_counted() {
    let server = Server::start().await;
    let (mut client, queue) = with_queue(&server).await;
    let mut put = message(b"x");
    put.options.flags = PutFlags::ASYNC_RESPONSE | PutFlags::NO_SYNCPOINT;
    let mut refused = put.clone();
    refused.descriptor.fields.expiry = model::descriptor::Expiry(-7);
    for put in [&put, &refused, &put] {
        client.queue(1, &Request::Call(Verb::Put(put.clone()).call_on(queue)));
    }
    client.queue(1, &Request::Call(put1(object("NO.SUCH"), put.clone()).call()));
    let no_list = ObjectStructure { version: 2, distribution: [-1, 0, 0, 0, 0, 0, 0, 0], ..object("Q") };
    client.queue(1, &Request::Call(put1(no_list, put.clone()).call()));
    client.flush().await;
    let status = stat(&mut client).await;
    assert_eq!((status.put_successes, status.put_warnings, status.put_failures), (2, 0, 3));
    assert_eq!((status.completion, status.reason), (2, 2013));
    assert_eq!((status.object_type, status.object.to_text().as_ref()), (1, "Q"));
    assert_eq!(stat(&mut client).await.put_successes, 0);
    assert_eq!(server.depth("Q"), 2);
    // The descriptor's identifier stands behind the segment's and the call's headers.
    let mut unreadable = client.bytes_of(1, &Request::Call(Verb::Put(put.clone()).call_on(queue)));
    unreadable[36 + 16] = b'X';
    client.send_raw(&unreadable).await;
    let status = stat(&mut client).await;
    assert_eq!((status.put_failures, status.reason, status.object_type), (1, 2026, 0));
    // Asked for both, a put is answered.
    put.options.flags = PutFlags::ASYNC_RESPONSE | PutFlags::SYNC_RESPONSE;
    assert_eq!(client.put(1, queue, put).await.0, 2046);
}

#[tokio::test]
async fn a_unit_of_work_with_a_put_that_failed_unanswered_is_backed_out_by_its_commit() {
    let server = Server::start().await;
    let (mut client, queue) = with_queue(&server).await;
    let mut put = message(b"x");
    put.options.flags = PutFlags::ASYNC_RESPONSE | PutFlags::SYNCPOINT;
    let elsewhere = put1(object("NO.SUCH"), put.clone());
    client.queue(1, &Request::Call(Verb::Put(put.clone()).call_on(queue)));
    client.queue(1, &Request::Call(elsewhere.call()));
    client.flush().await;
    let answer = client.call(1, 0, Verb::Commit).await;
    assert_eq!((answer.ending.completion, answer.ending.reason), (1, 2003));
    assert_eq!(server.depth("Q"), 0);
    // The next unit of work is as good as any.
    client.queue(1, &Request::Call(Verb::Put(put).call_on(queue)));
    client.flush().await;
    assert_eq!(client.plain(1, Verb::Commit).await, 0);
    assert_eq!(server.depth("Q"), 1);
}

#[tokio::test]
async fn a_put_that_cannot_even_be_read_spoils_the_unit_of_work_too() {
    let server = Server::start().await;
    let (mut client, queue) = with_queue(&server).await;
    for (flags, reason) in [(PutFlags::SYNCPOINT, 2003), (PutFlags::NO_SYNCPOINT, 0)] {
        let mut put = message(b"x");
        put.options.flags = PutFlags::ASYNC_RESPONSE | PutFlags::SYNCPOINT;
        client.send(1, &Request::Call(Verb::Put(put.clone()).call_on(queue))).await;
        put.options.flags = PutFlags::ASYNC_RESPONSE | flags;
        let mut unreadable = client.bytes_of(1, &Request::Call(Verb::Put(put).call_on(queue)));
        // The persistence in the descriptor, behind the segment's and the call's headers.
        unreadable[36 + 16 + 44..][..4].copy_from_slice(&7_i32.to_be_bytes());
        client.send_raw(&unreadable).await;
        assert_eq!(client.plain(1, Verb::Commit).await, reason, "{flags:?}");
        let status = stat(&mut client).await;
        assert_eq!((status.put_successes, status.put_failures, status.reason), (1, 1, 2047));
        assert_eq!(server.depth("Q"), u32::from(reason == 0));
    }
}

#[tokio::test]
async fn text_is_converted_when_asked() {
    let server = Server::start().await;
    let (mut client, queue) = with_queue(&server).await;
    let mut put = message(&[0xC8, 0x85, 0x93, 0x93, 0x96]);
    put.descriptor.fields.ccsid = Ccsid(500);
    put.descriptor.fields.format = Format::STRING;
    client.put(1, queue, put.clone()).await;
    client.put(1, queue, put).await;
    let mut get = any(GetFlags::CONVERT);
    get.descriptor.fields.ccsid = Ccsid(1208);
    get.descriptor.fields.encoding = Encoding::LITTLE_ENDIAN;
    let (reason, got) = client.get(1, queue, get.clone()).await;
    assert_eq!((reason, &got.data[..], got.descriptor.fields.ccsid), (0, &b"Hello"[..], Ccsid(1208)));
    get.options.flags = GetFlags::empty();
    assert_eq!(client.get(1, queue, get).await.1.descriptor.fields.ccsid, Ccsid(500));
}

#[tokio::test]
async fn properties_are_shown_or_left_out_as_asked() {
    let server = Server::start().await;
    let (mut client, queue) = with_queue(&server).await;
    let header = model::header::rfh2::Rfh2 {
        encoding: Encoding::BIG_ENDIAN,
        ccsid: Ccsid(819),
        format: Format::STRING,
        flags: 0,
        folders: vec!["<usr><colour>red</colour></usr>".to_owned()],
    };
    let mut data = Vec::new();
    header.encode(Encoding::BIG_ENDIAN, &mut data);
    data.extend_from_slice(b"text");
    let mut put = message(&data);
    put.descriptor.fields.format = Format::RF_HEADER_2;
    put.descriptor.fields.encoding = Encoding::BIG_ENDIAN;
    for _ in 0..3 {
        assert_eq!(client.put(1, queue, put.clone()).await.0, 0);
    }
    let forced = client.get(1, queue, any(GetFlags::PROPERTIES_FORCE_MQRFH2)).await.1;
    assert_eq!((&forced.data[..], forced.descriptor.fields.format), (&data[..], Format::RF_HEADER_2));
    assert_eq!(client.get(1, queue, any(GetFlags::empty())).await.1.data, data);
    let mut none = any(GetFlags::NO_PROPERTIES);
    none.buffer_length = 4;
    let (reason, got) = client.get(1, queue, none).await;
    assert_eq!((reason, &got.data[..], got.length), (0, &b"text"[..], 4));
    assert_eq!((got.descriptor.fields.format, got.descriptor.fields.ccsid), (Format::STRING, Ccsid(819)));
}

#[tokio::test]
async fn a_descriptor_that_makes_no_sense_is_refused_by_its_reason() {
    let server = Server::start().await;
    let (mut client, queue) = with_queue(&server).await;
    let with = |change: fn(&mut Put)| {
        let mut put = message(b"x");
        change(&mut put);
        put
    };
    for (put, reason) in [
        (with(|put| put.descriptor.fields.priority = -7), 2050),
        (with(|put| put.options.flags = PutFlags::SYNCPOINT | PutFlags::NO_SYNCPOINT), 2046),
        (with(|put| put.options.version = 77), 2173),
        (with(|put| put.options.flags = PutFlags::SET_ALL_CONTEXT), 2095),
    ] {
        let answer = client.call(1, queue, Verb::Put(put)).await;
        assert_eq!(answer.ending.reason, reason);
    }
    assert_eq!(client.put(1, queue + 5, message(b"x")).await.0, 2019);
    assert_eq!(client.put(1, -3, message(b"x")).await.0, 2019);
    let mut get = any(GetFlags::WAIT);
    get.options.wait_interval = -2;
    assert_eq!(client.get(1, queue, get).await.0, 2090);
    assert_eq!(client.get(1, queue, any(GetFlags::from_bits_retain(0x8000_0000))).await.0, 2046);
}

#[tokio::test]
async fn persistent_messages_and_old_descriptors_are_taken() {
    let server = Server::start().await;
    let (mut client, queue) = with_queue(&server).await;
    let mut put = message(b"x");
    put.descriptor.version = model::descriptor_codec::Version::One;
    put.descriptor.fields.persistence = Persistence::Persistent;
    assert_eq!(client.put(1, queue, put).await.0, 0);
    let (_, got) = client.get(1, queue, any(GetFlags::NO_SYNCPOINT)).await;
    assert_eq!(got.descriptor.fields.persistence, Persistence::Persistent);
}
