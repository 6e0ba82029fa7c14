//! Gets, browses and subscriptions by way of a selector: what is passed over, who is woken, what is not looked at twice.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use model::definition::queue::DeliverySequence;
use model::definition::{QueueDefinition, SubscriptionDefinition};
use model::descriptor::{Ccsid, Encoding, Format, MessageDescriptor, Persistence};
use model::header::rfh2::Rfh2;
use model::identifier::{CorrelationId, MessageId};
use model::options::{
    GetFlags, GetOptions, MatchOptions, ObjectDescriptor, ObjectKind, OpenOptions, PutFlags, PutOptions,
};
use model::reason::Reason;
use model::subscribe::{SubscribeFlags, SubscriptionDescriptor};
use queue_manager::connection::{GetResult, ObjectHandle};
use queue_manager::objects::ObjectError;
use queue_manager::{Connection, Home, QueueManager, StartOptions};
use storage::StoreOptions;
use storage::private::log::disk::DirectoryDisk;

use crate::script::{EVERYTHING, FakeClock, PATIENCE, administrator, connect, ephemeral, name};

/// A queue manager with queue Q, and a connection.
pub(crate) async fn bench() -> (QueueManager, Arc<Connection>) {
    let queue_manager = ephemeral(FakeClock::new());
    queue_manager.define_queue(&administrator(), QueueDefinition::local(name("Q")), false).await.unwrap();
    let connection = Arc::new(connect(&queue_manager, administrator()));
    (queue_manager, connection)
}

fn object(selector: &str) -> ObjectDescriptor {
    ObjectDescriptor { name: name("Q"), selector: selector.to_owned(), ..ObjectDescriptor::default() }
}

pub(crate) async fn open(connection: &Connection, selector: &str) -> ObjectHandle {
    connection.open(&administrator(), &object(selector), EVERYTHING).await.unwrap().handle
}

/// A message with properties, as a `usr` folder's content, and a text.
fn message(properties: &str, text: &str) -> (MessageDescriptor, Bytes) {
    let header = Rfh2 {
        encoding: Encoding::BIG_ENDIAN,
        ccsid: Ccsid::UTF_8,
        format: Format::STRING,
        flags: 0,
        folders: vec!["<mcd><Msd>jms_text</Msd></mcd>".to_owned(), format!("<usr>{properties}</usr>")],
    };
    let mut body = Vec::new();
    header.encode(Encoding::BIG_ENDIAN, &mut body);
    body.extend_from_slice(text.as_bytes());
    let descriptor = MessageDescriptor {
        encoding: Encoding::BIG_ENDIAN,
        ccsid: Ccsid::UTF_8,
        format: Format::RF_HEADER_2,
        persistence: Persistence::NonPersistent,
        ..MessageDescriptor::default()
    };
    (descriptor, body.into())
}

pub(crate) async fn put(connection: &Connection, properties: &str, text: &str) -> MessageDescriptor {
    put_with(connection, properties, text, PutFlags::NO_SYNCPOINT, |_| {}).await
}

pub(crate) async fn put_with(
    connection: &Connection,
    properties: &str,
    text: &str,
    flags: PutFlags,
    change: impl FnOnce(&mut MessageDescriptor),
) -> MessageDescriptor {
    let (mut descriptor, body) = message(properties, text);
    change(&mut descriptor);
    let options = PutOptions { flags, context: None };
    connection.put1(&administrator(), &object(""), descriptor, &options, body).await.unwrap().message.descriptor
}

pub(crate) fn text(got: Result<Box<GetResult>, Reason>) -> Result<String, Reason> {
    let got = got?;
    let (_, length) = Rfh2::decode(&got.body, got.descriptor.encoding).unwrap();
    Ok(String::from_utf8_lossy(&got.body[length..]).into_owned())
}

async fn get(connection: &Connection, handle: ObjectHandle, flags: GetFlags) -> Result<String, Reason> {
    text(connection.get(handle, &GetOptions { flags, ..GetOptions::default() }).await)
}

/// A get that waits without end, in a task of its own that has taken its place in line.
pub(crate) async fn start_get(connection: &Arc<Connection>, handle: ObjectHandle) -> tokio::task::JoinHandle<String> {
    let connection = connection.clone();
    let waiting = tokio::spawn(async move {
        let options = GetOptions { flags: GetFlags::WAIT, wait: None, ..GetOptions::default() };
        text(connection.get(handle, &options).await).unwrap()
    });
    tokio::task::yield_now().await;
    waiting
}

const NONE: GetFlags = GetFlags::NO_SYNCPOINT;

#[tokio::test]
async fn a_get_takes_what_is_selected_and_leaves_the_rest_in_order() {
    let (_queue_manager, connection) = bench().await;
    for (index, colour) in ["red", "blue", "red", "green", "blue"].into_iter().enumerate() {
        put(&connection, &format!("<colour>{colour}</colour><n dt='i4'>{index}</n>"), &format!("{colour}{index}"))
            .await;
    }
    let blue = open(&connection, "colour = 'blue'").await;
    let late = open(&connection, "n > 1").await;
    let all = open(&connection, "").await;
    assert_eq!(get(&connection, blue, NONE).await, Ok("blue1".to_owned()));
    assert_eq!(get(&connection, late, NONE).await, Ok("red2".to_owned()));
    assert_eq!(get(&connection, blue, NONE).await, Ok("blue4".to_owned()));
    assert_eq!(get(&connection, blue, NONE).await, Err(Reason::NoMsgAvailable));
    assert_eq!(get(&connection, all, NONE).await, Ok("red0".to_owned()));
    assert_eq!(get(&connection, all, NONE).await, Ok("green3".to_owned()));
}

#[tokio::test]
async fn a_browse_walks_over_what_is_selected_and_its_message_may_be_got_under_the_cursor() {
    let (_queue_manager, connection) = bench().await;
    for index in 0..200 {
        put(&connection, &format!("<n dt='i4'>{index}</n>"), &index.to_string()).await;
    }
    let tens = open(&connection, "n / 10 * 10 = n AND n > 150").await;
    let mut seen = Vec::new();
    while let Ok(number) = get(&connection, tens, GetFlags::BROWSE_NEXT).await {
        seen.push(number);
    }
    assert_eq!(seen, ["160", "170", "180", "190"]);
    assert_eq!(get(&connection, tens, GetFlags::BROWSE_FIRST).await, Ok("160".to_owned()));
    assert_eq!(get(&connection, tens, GetFlags::BROWSE_MSG_UNDER_CURSOR).await, Ok("160".to_owned()));
    assert_eq!(get(&connection, tens, GetFlags::MSG_UNDER_CURSOR).await, Ok("160".to_owned()));
    assert_eq!(get(&connection, tens, GetFlags::BROWSE_NEXT).await, Ok("170".to_owned()));
}

#[tokio::test]
async fn locks_tokens_and_units_of_work_do_with_selectors_what_they_do_without() {
    let (_queue_manager, connection) = bench().await;
    for number in ["1", "2"] {
        put(&connection, "<colour>red</colour>", number).await;
    }
    let red = open(&connection, "colour = 'red'").await;
    let other = open(&connection, "colour = 'red'").await;
    let options = GetOptions { flags: GetFlags::BROWSE_FIRST | GetFlags::LOCK, ..GetOptions::default() };
    let locked = connection.get(red, &options).await.unwrap();
    assert_eq!(get(&connection, other, NONE).await, Ok("2".to_owned()));
    assert_eq!(get(&connection, other, NONE).await, Err(Reason::NoMsgAvailable));
    let by_token = GetOptions {
        flags: GetFlags::SYNCPOINT,
        match_options: MatchOptions::MSG_TOKEN,
        message_token: locked.message_token,
        ..GetOptions::default()
    };
    assert_eq!(text(connection.get(other, &by_token).await), Err(Reason::NoMsgAvailable));
    assert_eq!(text(connection.get(red, &by_token).await), Ok("1".to_owned()));
    connection.back_out().await.unwrap();
    assert_eq!(get(&connection, other, NONE).await, Ok("1".to_owned()));
}

#[tokio::test]
async fn a_message_that_does_not_fit_stays_and_is_got_by_its_token() {
    let (_queue_manager, connection) = bench().await;
    put(&connection, "<colour>blue</colour>", "short").await;
    put(&connection, "<colour>red</colour>", &"x".repeat(10_000)).await;
    let red = open(&connection, "colour = 'red'").await;
    let short = GetOptions { flags: NONE, buffer_length: Some(4096), ..GetOptions::default() };
    let seen = connection.get(red, &short).await.unwrap();
    assert_eq!(seen.warning, Some(Reason::TruncatedMsgFailed));
    let whole = GetOptions {
        buffer_length: Some(seen.data_length),
        match_options: MatchOptions::MSG_TOKEN,
        message_token: seen.message_token,
        ..short
    };
    assert_eq!(connection.get(red, &whole).await.unwrap().data_length, seen.data_length);
}

#[tokio::test]
async fn a_waiter_that_does_not_want_a_message_passes_the_wake_up_on() {
    let (_queue_manager, connection) = bench().await;
    let red = open(&connection, "colour = 'red'").await;
    let blue = open(&connection, "colour = 'blue'").await;
    let any = open(&connection, "").await;
    let first = start_get(&connection, red).await;
    let second = start_get(&connection, blue).await;
    let third = start_get(&connection, any).await;
    put(&connection, "<colour>green</colour>", "green").await;
    assert_eq!(third.await.unwrap(), "green");
    put(&connection, "<colour>blue</colour>", "blue").await;
    assert_eq!(second.await.unwrap(), "blue");
    put(&connection, "<colour>red</colour>", "red").await;
    assert_eq!(first.await.unwrap(), "red");
}

#[tokio::test]
async fn every_waiter_gets_its_message_whatever_the_order_of_puts() {
    let (_queue_manager, connection) = bench().await;
    let mut waiting = Vec::new();
    for number in 0..20 {
        let handle = open(&connection, &format!("n = {number}")).await;
        waiting.push((number, start_get(&connection, handle).await));
    }
    for step in 0..20 {
        let number = step * 7 % 20;
        let flags = if step % 3 == 0 { PutFlags::SYNCPOINT } else { PutFlags::NO_SYNCPOINT };
        put_with(&connection, &format!("<n dt='i4'>{number}</n>"), &number.to_string(), flags, |_| {}).await;
    }
    connection.commit().await.unwrap();
    for (number, task) in waiting {
        let got = tokio::time::timeout(PATIENCE, task).await.expect("woken").unwrap();
        assert_eq!(got, number.to_string());
    }
}

#[tokio::test]
async fn an_uncommitted_message_is_selected_once_it_is_committed_and_again_when_it_is_backed_out() {
    let (_queue_manager, connection) = bench().await;
    let red = open(&connection, "colour = 'red'").await;
    put_with(&connection, "<colour>red</colour>", "1", PutFlags::SYNCPOINT, |_| {}).await;
    assert_eq!(get(&connection, red, NONE).await, Err(Reason::NoMsgAvailable));
    connection.commit().await.unwrap();
    assert_eq!(get(&connection, red, GetFlags::SYNCPOINT).await, Ok("1".to_owned()));
    let again = open(&connection, "colour = 'red' AND JMSRedelivered").await;
    let fresh = open(&connection, "NOT JMSRedelivered").await;
    connection.back_out().await.unwrap();
    assert_eq!(get(&connection, fresh, NONE).await, Err(Reason::NoMsgAvailable));
    assert_eq!(get(&connection, again, NONE).await, Ok("1".to_owned()));
}

#[tokio::test]
async fn identifiers_of_a_selector_and_of_match_options_both_count() {
    let (_queue_manager, connection) = bench().await;
    let (one, other) = (CorrelationId::new([1; 24]), CorrelationId::new([2; 24]));
    for (id, words) in [(one, "one"), (other, "other")] {
        put_with(&connection, "<n dt='i4'>1</n>", words, PutFlags::NO_SYNCPOINT, |descriptor| {
            descriptor.correlation_id = id;
        })
        .await;
    }
    let exact = open(&connection, &format!("JMSCorrelationID = 'ID:{other}'")).await;
    let partly = open(&connection, &format!("JMSCorrelationID = 'ID:{one}' AND n = 1")).await;
    let by_id = |id| GetOptions {
        flags: NONE,
        match_options: MatchOptions::CORREL_ID,
        correlation_id: id,
        ..GetOptions::default()
    };
    assert_eq!(text(connection.get(exact, &by_id(one)).await), Err(Reason::NoMsgAvailable));
    assert_eq!(text(connection.get(exact, &by_id(other)).await), Ok("other".to_owned()));
    assert_eq!(get(&connection, partly, NONE).await, Ok("one".to_owned()));
    let waiting = start_get(&connection, exact).await;
    put(&connection, "<n dt='i4'>1</n>", "not this").await;
    put_with(&connection, "", "this", PutFlags::NO_SYNCPOINT, |descriptor| descriptor.correlation_id = other).await;
    assert_eq!(waiting.await.unwrap(), "this");
}

#[tokio::test]
async fn who_waits_for_what_its_selector_excludes_leaves_it_to_the_next() {
    let (queue_manager, connection) = bench().await;
    let (one, other) = (CorrelationId::new([1; 24]), CorrelationId::new([2; 24]));
    let selected = open(&connection, &format!("JMSCorrelationID = 'ID:{other}'")).await;
    let plain = open(&connection, "").await;
    let options = GetOptions {
        flags: NONE | GetFlags::WAIT,
        match_options: MatchOptions::CORREL_ID,
        correlation_id: one,
        ..GetOptions::default()
    };
    let never = connection.get(selected, &options);
    let got = tokio::time::timeout(PATIENCE, connection.get(plain, &options));
    let (never, got, ()) = tokio::join!(tokio::time::timeout(Duration::from_millis(200), never), got, async {
        tokio::task::yield_now().await;
        put_with(&connection, "", "this", PutFlags::NO_SYNCPOINT, |descriptor| descriptor.correlation_id = one).await;
    });
    assert!(never.is_err(), "nothing is selected");
    assert_eq!(text(got.expect("it is woken")), Ok("this".to_owned()));
    assert_eq!(queue_manager.queue_status(&name("Q")).unwrap().depth.current, 0);
}

#[tokio::test]
async fn selection_keeps_to_priorities() {
    let (_queue_manager, connection) = bench().await;
    for (priority, words) in [(1, "low"), (9, "high"), (5, "middle")] {
        put_with(&connection, "<n>x</n>", words, PutFlags::NO_SYNCPOINT, |descriptor| descriptor.priority = priority)
            .await;
    }
    let some = open(&connection, "n = 'x' AND JMSPriority BETWEEN 2 AND 9").await;
    assert_eq!(get(&connection, some, NONE).await, Ok("high".to_owned()));
    assert_eq!(get(&connection, some, NONE).await, Ok("middle".to_owned()));
    assert_eq!(get(&connection, some, NONE).await, Err(Reason::NoMsgAvailable));
}

#[tokio::test]
async fn what_is_no_selector_is_refused_at_open() {
    let (_queue_manager, connection) = bench().await;
    let caller = administrator();
    for (selector, options, reason) in [
        ("colour =", OpenOptions::INPUT_SHARED, Reason::SelectorSyntaxError),
        ("Root.XMLNSC.order = 1", OpenOptions::BROWSE, Reason::SelectionNotAvailable),
        ("colour = 'red'", OpenOptions::OUTPUT, Reason::SelectorInvalidForType),
    ] {
        let opened = connection.open(&caller, &object(selector), options).await;
        assert_eq!(opened.err(), Some(reason), "{selector}");
    }
    let long = format!("a = '{}'", "x".repeat(10_240));
    let opened = connection.open(&caller, &object(&long), OpenOptions::BROWSE).await;
    assert_eq!(opened.err(), Some(Reason::SelectionStringError));
    let topic = ObjectDescriptor {
        object: ObjectKind::Topic,
        topic_string: "t".to_owned(),
        selector: "a = 1".to_owned(),
        ..ObjectDescriptor::default()
    };
    let opened = connection.open(&caller, &topic, OpenOptions::OUTPUT).await;
    assert_eq!(opened.err(), Some(Reason::SelectorInvalidForType));
    let blank = connection.open(&caller, &object("  "), OpenOptions::OUTPUT).await;
    assert!(blank.is_ok());
}

/// On disk with a buffer pool of nothing, bodies are read back; long ones, and long headers, have files of their own.
#[tokio::test]
async fn what_lies_on_disk_is_selected_too() {
    let directory = tempfile::tempdir().unwrap();
    let disk = DirectoryDisk::open(directory.path().to_path_buf()).unwrap();
    let queue_manager = QueueManager::start(StartOptions {
        name: name("QM1"),
        home: Home::Disk(Arc::new(disk)),
        store: StoreOptions { buffer_pool_bytes: 0, large_body_bytes: 200_000, ..StoreOptions::default() },
        clock: FakeClock::new(),
        server_user: "mqadmin".to_owned(),
    })
    .unwrap();
    let mut definition = QueueDefinition::local(name("Q"));
    definition.as_local_mut().unwrap().message_delivery_sequence = DeliverySequence::Fifo;
    queue_manager.define_queue(&administrator(), definition, false).await.unwrap();
    let connection = connect(&queue_manager, administrator());
    let filler = "<filler>".to_owned() + &"f".repeat(150_000) + "</filler>";
    for (index, (properties, length, persistence)) in [
        ("", 10, Persistence::NonPersistent),
        ("", 10, Persistence::Persistent),
        ("", 300_000, Persistence::Persistent),
        (&*filler, 100_000, Persistence::Persistent),
    ]
    .into_iter()
    .enumerate()
    {
        for colour in ["blue", "red"] {
            let properties = format!("{properties}<colour>{colour}</colour><n dt='i4'>{index}</n>");
            put_with(&connection, &properties, &"x".repeat(length), PutFlags::NO_SYNCPOINT, |descriptor| {
                descriptor.persistence = persistence;
            })
            .await;
        }
    }
    let red = open(&connection, "colour = 'red' AND n >= 0").await;
    let mut lengths = Vec::new();
    while let Ok(got) = get(&connection, red, NONE).await {
        lengths.push(got.len());
    }
    assert_eq!(lengths, [10, 10, 300_000, 100_000]);
    assert_eq!(queue_manager.queue_status(&name("Q")).unwrap().depth.current, 4);
    queue_manager.stop().await;
}

fn subscription(selector: &str, flags: SubscribeFlags) -> SubscriptionDescriptor {
    SubscriptionDescriptor {
        flags: SubscribeFlags::CREATE | SubscribeFlags::MANAGED | flags,
        topic_string: "news".to_owned(),
        selector: selector.to_owned(),
        ..SubscriptionDescriptor::default()
    }
}

async fn publish(connection: &Connection, properties: &str, words: &str, flags: PutFlags) {
    let (descriptor, body) = message(properties, words);
    let topic =
        ObjectDescriptor { object: ObjectKind::Topic, topic_string: "news".to_owned(), ..ObjectDescriptor::default() };
    let options = PutOptions { flags, context: None };
    connection.put1(&administrator(), &topic, descriptor, &options, body).await.unwrap();
}

#[tokio::test]
async fn a_subscription_with_a_selector_gets_the_publications_it_selects_retained_ones_included() {
    let (_queue_manager, connection) = bench().await;
    publish(&connection, "<colour>red</colour>", "kept", PutFlags::RETAIN).await;
    let subscribe = async |selector| {
        let descriptor = subscription(selector, SubscribeFlags::empty());
        connection.subscribe(&administrator(), &descriptor, None).await.unwrap().queue
    };
    let red = subscribe("colour = 'red'").await;
    let blue = subscribe("colour = 'blue'").await;
    publish(&connection, "<colour>blue</colour>", "1", PutFlags::empty()).await;
    publish(&connection, "<colour>red</colour>", "2", PutFlags::empty()).await;
    assert_eq!(get(&connection, red, NONE).await, Ok("kept".to_owned()));
    assert_eq!(get(&connection, red, NONE).await, Ok("2".to_owned()));
    assert_eq!(get(&connection, red, NONE).await, Err(Reason::NoMsgAvailable));
    assert_eq!(get(&connection, blue, NONE).await, Ok("1".to_owned()));
    assert_eq!(get(&connection, blue, NONE).await, Err(Reason::NoMsgAvailable));
}

#[tokio::test]
async fn the_selector_of_a_subscription_is_not_altered_by_programs() {
    let (_queue_manager, connection) = bench().await;
    let named = |selector: &str, flags| SubscriptionDescriptor {
        name: "mine".to_owned(),
        ..subscription(selector, flags | SubscribeFlags::DURABLE)
    };
    let made = connection.subscribe(&administrator(), &named("a = 1", SubscribeFlags::empty()), None).await.unwrap();
    connection.close(made.queue, Default::default()).await.unwrap();
    connection.close(made.subscription, model::options::CloseOptions::KEEP_SUB).await.unwrap();
    let altered = connection.subscribe(&administrator(), &named("a = 2", SubscribeFlags::ALTER), None).await;
    assert_eq!(altered.err(), Some(Reason::SelectorNotAlterable));
    connection.subscribe(&administrator(), &named("a = 1", SubscribeFlags::ALTER), None).await.unwrap();
}

#[tokio::test]
async fn a_command_cannot_define_a_subscription_with_what_is_no_selector() {
    let (queue_manager, connection) = bench().await;
    let definition = |selector: &str| SubscriptionDefinition {
        name: "S".to_owned(),
        topic_string: "news".to_owned(),
        destination: name("Q"),
        selector: selector.to_owned(),
        durable: true,
        ..SubscriptionDefinition::default()
    };
    let refused = queue_manager.define_subscription(&administrator(), definition("colour = "), false).await;
    assert!(matches!(refused, Err(ObjectError::Attribute { attribute: "SELECTOR", .. })), "{refused:?}");
    queue_manager.define_subscription(&administrator(), definition("colour = 'red'"), false).await.unwrap();
    publish(&connection, "<colour>blue</colour>", "1", PutFlags::empty()).await;
    publish(&connection, "<colour>red</colour>", "2", PutFlags::empty()).await;
    let all = open(&connection, "").await;
    assert_eq!(get(&connection, all, NONE).await, Ok("2".to_owned()));
    assert_eq!(get(&connection, all, NONE).await, Err(Reason::NoMsgAvailable));
    let statuses = queue_manager.subscription_statuses();
    let status = statuses.iter().find(|status| status.definition.name == "S").unwrap();
    assert_eq!(status.definition.selector, "colour = 'red'");
}

/// A waiter reads a long queue once, and then only what is new.
#[tokio::test]
async fn what_was_refused_is_remembered_and_backlogs_are_passed_over() {
    let (_queue_manager, connection) = bench().await;
    for _ in 0..2000 {
        put(&connection, "<colour>blue</colour>", "blue").await;
    }
    let red = open(&connection, "colour = 'red'").await;
    for number in 0..200 {
        put(&connection, "<colour>red</colour>", &number.to_string()).await;
        assert_eq!(get(&connection, red, NONE).await, Ok(number.to_string()));
    }
    assert_eq!(get(&connection, red, NONE).await, Err(Reason::NoMsgAvailable));
}

#[tokio::test]
async fn a_message_id_in_a_selector_finds_its_message() {
    let (_queue_manager, connection) = bench().await;
    put(&connection, "", "other").await;
    let wanted = put(&connection, "", "wanted").await.message_id;
    assert_ne!(wanted, MessageId::NONE);
    let by_id = open(&connection, &format!("JMSMessageID='ID:{wanted}'")).await;
    assert_eq!(get(&connection, by_id, NONE).await, Ok("wanted".to_owned()));
    assert_eq!(get(&connection, by_id, NONE).await, Err(Reason::NoMsgAvailable));
}
