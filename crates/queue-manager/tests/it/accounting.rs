//! Accounting messages and statistics messages: what they say, compared with what a test did.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use model::definition::queue::LocalQueue;
use model::definition::{Collect, QueueDefinition, QueueKind, QueueManagerDefinition};
use model::descriptor::{Expiry, Format, MessageDescriptor, Persistence};
use model::options::{
    CloseOptions, GetFlags, GetOptions, ObjectDescriptor, ObjectKind, OpenOptions, PutFlags, PutOptions,
};
use model::pcf::{self, Parameter, ParameterValue};
use model::reason::Reason;
use model::subscribe::{SubscribeFlags, SubscriptionDescriptor};
use queue_manager::accounting::{AccountingWish, RecordCount, RecordSink};
use queue_manager::channel_status::ChannelInstance;
use queue_manager::connection::{Connection, ObjectHandle};
use queue_manager::{ConnectOptions, QueueManager};

use crate::script::{EVERYTHING, FakeClock, PATIENCE, administrator, connect, ephemeral, name};

const ACCOUNTING: &str = "SYSTEM.ADMIN.ACCOUNTING.QUEUE";
const STATISTICS: &str = "SYSTEM.ADMIN.STATISTICS.QUEUE";
/// MQCMD_STATISTICS_MQI, _Q, _CHANNEL, MQCMD_ACCOUNTING_MQI, _Q.
const STATISTICS_MQI: i32 = 164;
const STATISTICS_Q: i32 = 165;
const STATISTICS_CHANNEL: i32 = 166;
const ACCOUNTING_MQI: i32 = 167;
const ACCOUNTING_Q: i32 = 168;

pub(crate) async fn alter(queue_manager: &QueueManager, change: impl FnOnce(&mut QueueManagerDefinition)) {
    let mut definition = (*queue_manager.definition()).clone();
    change(&mut definition);
    queue_manager.alter_queue_manager(&administrator(), definition).await.unwrap();
}

fn local(queue: &str, change: impl FnOnce(&mut LocalQueue)) -> QueueDefinition {
    let mut definition = QueueDefinition::local(name(queue));
    change(definition.as_local_mut().unwrap());
    definition
}

pub(crate) async fn define(queue_manager: &QueueManager, queue: QueueDefinition) {
    queue_manager.define_queue(&administrator(), queue, true).await.unwrap();
}

/// A queue manager with a queue Q, accounting for calls and queues, and statistics of both.
async fn collecting(clock: &Arc<FakeClock>) -> QueueManager {
    let queue_manager = ephemeral(clock.clone());
    define(&queue_manager, QueueDefinition::local(name("Q"))).await;
    alter(&queue_manager, |definition| {
        definition.accounting_mqi = true;
        definition.accounting_queue = Collect::On;
        definition.statistics_mqi = true;
        definition.statistics_queue = Collect::On;
        definition.accounting_connection_override = true;
    })
    .await;
    queue_manager
}

/// A connection that ACCTCONO lets choose.
fn connect_as(queue_manager: &QueueManager, calls: Option<bool>, queues: Option<bool>) -> Connection {
    let options = ConnectOptions {
        principal: administrator(),
        application_name: "chooser".to_owned(),
        application_type: 6,
        channel: "APP.SVRCONN".to_owned(),
        connection_name: "10.0.0.1".to_owned(),
    };
    queue_manager.connect_accounted(options, AccountingWish { calls, queues }).unwrap()
}

pub(crate) fn object(queue: &str) -> ObjectDescriptor {
    ObjectDescriptor { name: name(queue), ..ObjectDescriptor::default() }
}

pub(crate) async fn open(connection: &Connection, queue: &str, options: OpenOptions) -> ObjectHandle {
    connection.open(&administrator(), &object(queue), options).await.unwrap().handle
}

pub(crate) async fn put(connection: &Connection, handle: ObjectHandle, persistence: Persistence, body: &'static str) {
    let descriptor = MessageDescriptor { persistence, ..MessageDescriptor::default() };
    let options = PutOptions { flags: PutFlags::NO_SYNCPOINT, context: None };
    connection.put(handle, descriptor, &options, Bytes::from_static(body.as_bytes())).await.unwrap();
}

async fn put1(connection: &Connection, queue: &str, body: &'static str) -> Result<(), Reason> {
    let (descriptor, options) = (MessageDescriptor::default(), PutOptions::default());
    let body = Bytes::from_static(body.as_bytes());
    connection.put1(&administrator(), &object(queue), descriptor, &options, body).await.map(|_| ())
}

pub(crate) async fn get(connection: &Connection, handle: ObjectHandle, flags: GetFlags) -> Result<usize, Reason> {
    let got = connection.get(handle, &GetOptions { flags, ..GetOptions::default() }).await;
    got.map(|got| got.body.len())
}

/// Runs housekeeping until a queue holds as many messages as expected, which it does at once or never.
pub(crate) async fn housekeep(queue_manager: &QueueManager, queue: &str, expected: u32) {
    let queue_name = name(queue);
    let filled = async {
        while queue_manager.queue_status(&queue_name).unwrap().depth.current < expected {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        () = queue_manager.run() => panic!("the queue manager stopped"),
        filled = tokio::time::timeout(PATIENCE, filled) => {
            let depth = queue_manager.queue_status(&queue_name).unwrap().depth.current;
            filled.unwrap_or_else(|_| panic!("{depth} records of {expected}"));
        }
    }
}

/// Takes the records off their queue, with a connection that chooses not to be accounted for.
async fn take(queue_manager: &QueueManager, queue: &str) -> Vec<(MessageDescriptor, pcf::Message)> {
    let connection = connect_as(queue_manager, Some(false), Some(false));
    let handle = open(&connection, queue, OpenOptions::INPUT_SHARED).await;
    let mut records = Vec::new();
    while let Ok(got) = connection.get(handle, &GetOptions::default()).await {
        let (record, length) = pcf::decode(&got.body, got.descriptor.encoding, got.descriptor.ccsid).unwrap();
        assert_eq!(length, got.body.len());
        records.push((got.message.descriptor, record));
    }
    records
}

pub(crate) async fn records(queue_manager: &QueueManager, queue: &str, command: i32) -> Vec<pcf::Message> {
    let all = take(queue_manager, queue).await;
    all.into_iter().map(|(_, record)| record).filter(|record| record.header.command == command).collect()
}

/// Records about connections of the application `script` that end now.
async fn end(queue_manager: &QueueManager, connection: Connection, expected: u32) -> Vec<pcf::Message> {
    connection.disconnect().await.unwrap();
    housekeep(queue_manager, ACCOUNTING, expected).await;
    take(queue_manager, ACCOUNTING).await.into_iter().map(|(_, record)| record).collect()
}

pub(crate) fn list(parameters: &[Parameter], id: i32) -> Vec<i64> {
    let parameter = parameters.iter().find(|parameter| parameter.id == id);
    match &parameter.unwrap_or_else(|| panic!("no parameter {id}")).value {
        ParameterValue::Integer(value) => vec![i64::from(*value)],
        ParameterValue::Integer64(value) => vec![*value],
        ParameterValue::Integers(values) => values.iter().map(|value| i64::from(*value)).collect(),
        ParameterValue::Integers64(values) => values.clone(),
        other => panic!("{id} is {other:?}"),
    }
}

pub(crate) fn text(parameters: &[Parameter], id: i32) -> Option<String> {
    let parameter = parameters.iter().find(|parameter| parameter.id == id)?;
    parameter.value.as_text().map(str::to_owned)
}

/// Groups by the name of their queue or channel.
fn group<'a>(record: &'a pcf::Message, names: i32, wanted: &str) -> Option<&'a [Parameter]> {
    record.parameters.iter().find_map(|parameter| match &parameter.value {
        ParameterValue::Group(members) if text(members, names).as_deref() == Some(wanted) => Some(members.as_slice()),
        _ => None,
    })
}

/// A list by type of object, with what is not zero: the index and the number.
fn objects(parameters: &[Parameter], id: i32) -> Vec<(usize, i64)> {
    let values = list(parameters, id);
    assert_eq!(values.len(), 13);
    values.into_iter().enumerate().filter(|(_, value)| *value != 0).collect()
}

#[tokio::test]
async fn a_record_of_a_connection_says_each_call_that_was_made() {
    let clock = FakeClock::new();
    let queue_manager = collecting(&clock).await;
    let connection = connect(&queue_manager, administrator());
    let identifier = connection.identifier();
    let handle = open(&connection, "Q", EVERYTHING).await;
    assert!(connection.open(&administrator(), &object("NONE"), OpenOptions::OUTPUT).await.is_err());
    put(&connection, handle, Persistence::NonPersistent, "12345").await;
    put(&connection, handle, Persistence::Persistent, "1234567").await;
    put(&connection, handle, Persistence::Persistent, "").await;
    put1(&connection, "Q", "123").await.unwrap();
    put1(&connection, "NONE", "123").await.unwrap_err();
    clock.advance(Duration::from_micros(2500));
    assert_eq!(get(&connection, handle, GetFlags::BROWSE_FIRST).await, Ok(5));
    assert_eq!(get(&connection, handle, GetFlags::empty()).await, Ok(5));
    assert_eq!(get(&connection, handle, GetFlags::SYNCPOINT).await, Ok(7));
    connection.back_out().await.unwrap();
    clock.advance(Duration::from_micros(500));
    for expected in [Ok(7), Ok(0), Ok(3), Err(Reason::NoMsgAvailable)] {
        assert_eq!(get(&connection, handle, GetFlags::SYNCPOINT).await, expected);
    }
    assert_eq!(get(&connection, handle, GetFlags::BROWSE_NEXT).await, Err(Reason::NoMsgAvailable));
    connection.commit().await.unwrap();
    // MQIA_CURRENT_Q_DEPTH; MQIA_INHIBIT_PUT to 0.
    connection.inquire(handle, &[3]).unwrap();
    assert!(connection.inquire(handle, &[-7]).is_err());
    connection.set(handle, &[10], &[0], &[]).await.unwrap();
    connection.close(handle, CloseOptions::empty()).await.unwrap();
    connection.close(handle, CloseOptions::empty()).await.unwrap_err();
    clock.advance(Duration::from_secs(3));
    connection.disconnect().await.unwrap();
    housekeep(&queue_manager, ACCOUNTING, 2).await;

    let all = take(&queue_manager, ACCOUNTING).await;
    let (descriptor, record) = &all[0];
    assert_eq!((descriptor.format, descriptor.put_application_type), (Format::ADMIN, 7));
    assert_eq!(descriptor.correlation_id.as_bytes(), &identifier);
    let header = record.header;
    assert_eq!((header.kind.0, header.version, header.command, header.is_last), (22, 3, ACCOUNTING_MQI, true));
    let told = &record.parameters;
    assert_eq!(text(told, 2015).as_deref(), Some("QM1"));
    assert_eq!((text(told, 2711).unwrap(), text(told, 2712).unwrap()), ("2026-11-21".into(), "00.00.00".into()));
    assert_eq!((text(told, 2705).unwrap(), text(told, 2706).unwrap()), ("2026-11-21".into(), "00.00.03".into()));
    assert_eq!((text(told, 3024).unwrap(), text(told, 3025).unwrap()), ("script".into(), "mqadmin".into()));
    assert!(told.iter().any(|one| one.id == 7006 && one.value == ParameterValue::Bytes(identifier.to_vec())));
    assert_eq!((list(told, 1079), list(told, 716)), (vec![0], vec![0]), "the first record; MQDISC");
    assert_eq!((objects(told, 733), objects(told, 751)), (vec![(1, 1)], vec![(1, 1)]), "opens");
    assert_eq!((objects(told, 709), objects(told, 757)), (vec![(1, 1)], vec![(1, 1)]), "closes");
    assert_eq!((list(told, 735), list(told, 754)), (vec![1, 2], vec![0]), "puts");
    assert_eq!((list(told, 734), list(told, 755)), (vec![1, 0], vec![1]), "put1s");
    assert_eq!(list(told, 748), [8, 7], "bytes put");
    assert_eq!((list(told, 722), list(told, 725)), (vec![2, 3], vec![1]), "gets");
    assert_eq!(list(told, 747), [8, 14], "bytes got");
    assert_eq!((list(told, 705), list(told, 708), list(told, 745)), (vec![1, 0], vec![1], vec![5, 0]), "browses");
    assert_eq!((list(told, 710), list(told, 711), list(told, 704)), (vec![1], vec![0], vec![1]));
    assert_eq!((objects(told, 727), objects(told, 752)), (vec![(1, 1)], vec![(1, 1)]), "inquiries");
    assert_eq!((objects(told, 744), objects(told, 753)), (vec![(1, 1)], vec![]), "sets");
    let (elapsed, cpu) = (list(told, 844)[0], list(told, 0x514D_0001)[0]);
    assert!(elapsed >= cpu && cpu > 0, "{cpu} microseconds of CPU in {elapsed}");

    let (_, record) = &all[1];
    assert_eq!(record.header.command, ACCOUNTING_Q);
    assert_eq!(list(&record.parameters, 732), [1]);
    let queue = group(record, 2016, "Q").unwrap();
    assert_eq!((list(queue, 20), list(queue, 7), list(queue, 733)), (vec![1], vec![1], vec![1]));
    assert_eq!((text(queue, 2710).unwrap(), text(queue, 2702).unwrap()), ("00.00.00".into(), "00.00.00".into()));
    assert_eq!((list(queue, 735), list(queue, 734)), (vec![1, 2], vec![1, 0]));
    assert_eq!((list(queue, 754), list(queue, 755)), (vec![0], vec![0]), "NONE is no queue of a record");
    assert_eq!((list(queue, 748), list(queue, 737), list(queue, 736)), (vec![8, 7], vec![3, 0], vec![5, 7]));
    assert_eq!((list(queue, 722), list(queue, 747)), (vec![2, 3], vec![8, 14]));
    assert_eq!((list(queue, 724), list(queue, 723)), (vec![3, 0], vec![5, 7]));
    assert_eq!((list(queue, 725), list(queue, 705), list(queue, 708)), (vec![1], vec![1, 0], vec![1]));
    // 2500 microseconds until the first two gets, 3000 until the others.
    assert_eq!((list(queue, 743), list(queue, 742)), (vec![2500, 2500], vec![3000, 3000]));
    assert_eq!(list(queue, 741), [2750, (2500 + 3000 + 3000) / 3]);
}

#[tokio::test]
async fn publish_subscribe_and_other_objects_have_figures_of_their_own() {
    let queue_manager = collecting(&FakeClock::new()).await;
    let connection = connect(&queue_manager, administrator());
    let topic = ObjectDescriptor {
        object: ObjectKind::Topic,
        topic_string: "news/today".to_owned(),
        ..ObjectDescriptor::default()
    };
    let subscribe = |durable: bool| SubscriptionDescriptor {
        flags: if durable { SubscribeFlags::DURABLE } else { SubscribeFlags::empty() }
            | SubscribeFlags::CREATE
            | SubscribeFlags::MANAGED,
        topic_string: "news/today".to_owned(),
        name: if durable { "S".to_owned() } else { String::new() },
        ..Default::default()
    };
    let kept = connection.subscribe(&administrator(), &subscribe(true), None).await.unwrap();
    let lost = connection.subscribe(&administrator(), &subscribe(false), None).await.unwrap();
    connection.subscribe(&administrator(), &subscribe(true), None).await.unwrap_err();
    let handle = connection.open(&administrator(), &topic, OpenOptions::OUTPUT).await.unwrap().handle;
    put(&connection, handle, Persistence::NonPersistent, "four").await;
    let options = PutOptions::default();
    let body = Bytes::from_static(b"three");
    connection.put1(&administrator(), &topic, MessageDescriptor::default(), &options, body).await.unwrap();
    assert_eq!(connection.request_publications(kept.subscription).await, Err(Reason::NoRetainedMsg));
    let manager = ObjectDescriptor { object: ObjectKind::QueueManager, ..ObjectDescriptor::default() };
    let manager = connection.open(&administrator(), &manager, OpenOptions::INQUIRE).await.unwrap().handle;
    connection.inquire(manager, &[2015]).unwrap();
    connection.close(kept.subscription, CloseOptions::KEEP_SUB).await.unwrap();
    connection.close(lost.subscription, CloseOptions::empty()).await.unwrap();
    let records = end(&queue_manager, connection, 1).await;
    let told = &records[0].parameters;
    assert_eq!(objects(told, 733), [(5, 1), (8, 1)], "opens of the queue manager and of a topic");
    assert_eq!(objects(told, 727), [(5, 1)]);
    assert_eq!((list(told, 779), list(told, 781), list(told, 783)), (vec![1, 0], vec![1, 0], vec![9, 0]));
    assert_eq!((list(told, 735), list(told, 734)), (vec![0, 0], vec![0, 0]), "no puts to queues");
    assert_eq!((list(told, 764), list(told, 765), list(told, 766)), (vec![1, 0, 0], vec![1, 0, 0], vec![1]));
    assert_eq!((list(told, 786), list(told, 787)), (vec![1, 0], vec![0, 1]));
    assert_eq!((list(told, 767), list(told, 768)), (vec![1], vec![0]));
    queue_manager.reset_statistics(&administrator()).await.unwrap();
    let statistics = self::records(&queue_manager, STATISTICS, STATISTICS_MQI).await.remove(0);
    let told = &statistics.parameters;
    assert_eq!((list(told, 784), list(told, 785)), (vec![4, 0], vec![18, 0]), "each publication went to two");
    // SYSTEM.DEFAULT.SUB is there from the start.
    assert_eq!((list(told, 775), list(told, 776)), (vec![2, 1, 1, 0], vec![1, 0, 1, 0]));
    assert_eq!((list(told, 777), list(told, 778)), (vec![1, 1, 0, 0], vec![0, 0, 0, 0]));
}

#[tokio::test]
async fn how_a_connection_ended_is_told() {
    let queue_manager = collecting(&FakeClock::new()).await;
    connect(&queue_manager, administrator()).disconnect().await.unwrap();
    drop(connect(&queue_manager, administrator()));
    let stopped = connect(&queue_manager, administrator());
    assert_eq!(queue_manager.stop_connection(&administrator(), &stopped.identifier()), Ok(true));
    drop(stopped);
    housekeep(&queue_manager, ACCOUNTING, 3).await;
    let ended = records(&queue_manager, ACCOUNTING, ACCOUNTING_MQI).await;
    let endings: Vec<_> = ended.iter().map(|record| list(&record.parameters, 716)[0]).collect();
    assert_eq!(endings, [0, 1, 2], "MQDISC, gone, stopped");
}

#[tokio::test]
async fn work_left_uncommitted_is_a_commit_of_mqdisc_and_a_back_out_of_who_vanishes() {
    let queue_manager = collecting(&FakeClock::new()).await;
    for disconnects in [true, false] {
        let connection = connect(&queue_manager, administrator());
        let handle = open(&connection, "Q", EVERYTHING).await;
        let options = PutOptions { flags: PutFlags::SYNCPOINT, context: None };
        connection.put(handle, MessageDescriptor::default(), &options, Bytes::new()).await.unwrap();
        if disconnects {
            connection.disconnect().await.unwrap();
        }
    }
    housekeep(&queue_manager, ACCOUNTING, 4).await;
    let ended = records(&queue_manager, ACCOUNTING, ACCOUNTING_MQI).await;
    let ends: Vec<_> = ended.iter().map(|one| (list(&one.parameters, 710)[0], list(&one.parameters, 704)[0])).collect();
    assert_eq!(ends, [(1, 0), (0, 1)]);
}

#[tokio::test]
async fn a_switch_of_accounting_counts_for_connections_that_begin_after_it() {
    let queue_manager = ephemeral(FakeClock::new());
    define(&queue_manager, QueueDefinition::local(name("Q"))).await;
    let before = connect(&queue_manager, administrator());
    alter(&queue_manager, |definition| definition.accounting_mqi = true).await;
    let during = connect(&queue_manager, administrator());
    alter(&queue_manager, |definition| definition.accounting_mqi = false).await;
    put1(&before, "Q", "1").await.unwrap();
    put1(&during, "Q", "22").await.unwrap();
    connect(&queue_manager, administrator()).disconnect().await.unwrap();
    before.disconnect().await.unwrap();
    let records = end(&queue_manager, during, 1).await;
    assert_eq!(records.len(), 1);
    assert_eq!(list(&records[0].parameters, 748), [2, 0]);
}

#[tokio::test]
async fn accounting_of_queues_is_the_queue_managers_unless_the_queue_says_otherwise() {
    let off = |local: &mut LocalQueue| local.accounting = Collect::Off;
    let on = |local: &mut LocalQueue| local.accounting = Collect::On;
    for (manager, expected) in [
        (Collect::On, ["ASKS", "SAYS.ON"].as_slice()),
        (Collect::Off, ["SAYS.ON"].as_slice()),
        (Collect::None, [].as_slice()),
    ] {
        let queue_manager = ephemeral(FakeClock::new());
        define(&queue_manager, local("ASKS", |_| {})).await;
        define(&queue_manager, local("SAYS.OFF", off)).await;
        define(&queue_manager, local("SAYS.ON", on)).await;
        alter(&queue_manager, |definition| definition.accounting_queue = manager).await;
        let connection = connect(&queue_manager, administrator());
        for queue in ["ASKS", "SAYS.OFF", "SAYS.ON"] {
            put1(&connection, queue, "x").await.unwrap();
        }
        let records = end(&queue_manager, connection, u32::from(!expected.is_empty())).await;
        let queues: Vec<_> = records
            .iter()
            .flat_map(|record| &record.parameters)
            .filter_map(|parameter| match &parameter.value {
                ParameterValue::Group(members) => text(members, 2016),
                _ => None,
            })
            .collect();
        assert_eq!(queues, expected, "ACCTQ({manager:?})");
        assert!(records.iter().all(|record| record.header.command == ACCOUNTING_Q), "ACCTMQI is off");
    }
}

#[tokio::test]
async fn a_connection_chooses_while_the_queue_manager_lets_it() {
    let queue_manager = ephemeral(FakeClock::new());
    define(&queue_manager, QueueDefinition::local(name("Q"))).await;
    let run = async |calls, queues| {
        let connection = connect_as(&queue_manager, calls, queues);
        put1(&connection, "Q", "x").await.unwrap();
        connection.disconnect().await.unwrap();
    };
    run(Some(true), Some(true)).await;
    alter(&queue_manager, |definition| definition.accounting_connection_override = true).await;
    run(Some(true), None).await;
    run(None, Some(true)).await;
    alter(&queue_manager, |definition| definition.accounting_mqi = true).await;
    run(Some(false), None).await;
    run(None, None).await;
    housekeep(&queue_manager, ACCOUNTING, 3).await;
    let all = take(&queue_manager, ACCOUNTING).await;
    let commands: Vec<_> = all.iter().map(|(_, record)| record.header.command).collect();
    assert_eq!(commands, [ACCOUNTING_MQI, ACCOUNTING_Q, ACCOUNTING_MQI]);
    let told = &all[0].1.parameters;
    assert_eq!((text(told, 3501).unwrap(), text(told, 3506).unwrap()), ("APP.SVRCONN".into(), "10.0.0.1".into()));
}

#[tokio::test(start_paused = true)]
async fn a_long_connection_is_told_of_at_intervals() {
    let clock = FakeClock::new();
    let queue_manager = collecting(&clock).await;
    alter(&queue_manager, |definition| definition.accounting_interval_s = 60).await;
    let connection = connect(&queue_manager, administrator());
    let handle = open(&connection, "Q", EVERYTHING).await;
    put(&connection, handle, Persistence::NonPersistent, "one").await;
    clock.advance(Duration::from_secs(60));
    housekeep(&queue_manager, ACCOUNTING, 2).await;
    put(&connection, handle, Persistence::NonPersistent, "second").await;
    clock.advance(Duration::from_secs(61));
    housekeep(&queue_manager, ACCOUNTING, 4).await;
    // Nothing was done since: no record.
    clock.advance(Duration::from_secs(61));
    let records = end(&queue_manager, connection, 5).await;
    let calls: Vec<_> = records.iter().filter(|record| record.header.command == ACCOUNTING_MQI).collect();
    let sequence: Vec<_> = calls.iter().map(|record| list(&record.parameters, 1079)[0]).collect();
    assert_eq!(sequence, [0, 1, 2]);
    let bytes: Vec<_> = calls.iter().map(|record| list(&record.parameters, 748)[0]).collect();
    assert_eq!(bytes, [3, 6, 0], "each byte is in one record");
    let starts: Vec<_> = calls.iter().map(|record| text(&record.parameters, 2712).unwrap()).collect();
    assert_eq!(starts, ["00.00.00", "00.01.00", "00.02.01"]);
    assert_eq!(text(&calls[1].parameters, 2706), None, "not disconnected yet");
    let queues: Vec<_> = records.iter().filter_map(|record| group(record, 2016, "Q")).collect();
    assert_eq!(list(queues[0], 733), [1]);
    assert_eq!(list(queues[1], 733), [0], "opened in the interval before");
    assert_eq!((list(queues[0], 735), list(queues[1], 735)), (vec![1, 0], vec![1, 0]));
}

#[tokio::test]
async fn an_accounting_interval_of_zero_leaves_the_end() {
    let clock = FakeClock::new();
    let queue_manager = collecting(&clock).await;
    alter(&queue_manager, |definition| definition.accounting_interval_s = 0).await;
    let connection = connect(&queue_manager, administrator());
    put1(&connection, "Q", "x").await.unwrap();
    clock.advance(Duration::from_secs(100_000));
    let records = end(&queue_manager, connection, 2).await;
    assert_eq!(list(&records[0].parameters, 1079), [0]);
}

#[tokio::test]
async fn more_than_a_hundred_queues_take_more_than_one_message() {
    let queue_manager = collecting(&FakeClock::new()).await;
    let connection = connect(&queue_manager, administrator());
    for number in 0..203 {
        let queue = format!("Q.{number:03}");
        define(&queue_manager, QueueDefinition::local(name(&queue))).await;
        put1(&connection, &queue, "x").await.unwrap();
    }
    let records = end(&queue_manager, connection, 4).await;
    let groups: Vec<_> = records[1..].iter().map(|record| list(&record.parameters, 732)[0]).collect();
    assert_eq!(groups, [100, 100, 3]);
    assert!(group(&records[3], 2016, "Q.202").is_some(), "in order of names");
}

#[tokio::test]
async fn a_queue_that_takes_no_records_disturbs_nobody() {
    let queue_manager = collecting(&FakeClock::new()).await;
    let full = |local: &mut LocalQueue| local.maximum_depth = 1;
    define(&queue_manager, local(ACCOUNTING, full)).await;
    for _ in 0..3 {
        let connection = connect(&queue_manager, administrator());
        put1(&connection, "Q", "x").await.unwrap();
        connection.disconnect().await.unwrap();
    }
    define(&queue_manager, QueueDefinition { put_inhibited: true, ..QueueDefinition::local(name(STATISTICS)) }).await;
    queue_manager.reset_statistics(&administrator()).await.unwrap();
    let dropped = async {
        while queue_manager.record_counts()[0].dropped < 5 {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        () = queue_manager.run() => panic!("the queue manager stopped"),
        () = dropped => {}
    }
    let [accounting, statistics] = queue_manager.record_counts();
    assert_eq!(accounting, RecordCount { kept: 1, dropped: 5 });
    assert_eq!(statistics, RecordCount { kept: 0, dropped: 2 }, "of calls and of queues");
    queue_manager.delete_queue(&administrator(), &name(ACCOUNTING), true).await.unwrap();
    connect(&queue_manager, administrator()).disconnect().await.unwrap();
    queue_manager.stop().await;
    assert_eq!(queue_manager.record_counts()[0].dropped, 6);
}

/// Lines as they came.
#[derive(Default)]
struct Lines(Mutex<Vec<String>>);

impl RecordSink for Lines {
    fn write(&self, line: &str) {
        self.0.lock().unwrap().push(line.to_owned());
    }
}

#[tokio::test]
async fn connections_kept_make_few_records_and_connections_made_for_each_request_one_each() {
    const REQUESTS: u32 = 1000;
    let queue_manager = ephemeral(FakeClock::new());
    define(&queue_manager, QueueDefinition::local(name("Q"))).await;
    alter(&queue_manager, |definition| definition.accounting_mqi = true).await;
    let lines = Arc::new(Lines::default());
    queue_manager.set_record_sink(lines.clone());
    let request = async |connection: &Connection| {
        put1(connection, "Q", "request").await.unwrap();
        let handle = open(connection, "Q", OpenOptions::INPUT_SHARED).await;
        get(connection, handle, GetFlags::empty()).await.unwrap();
        connection.close(handle, CloseOptions::empty()).await.unwrap();
    };
    let pool: Vec<_> = (0..19).map(|_| connect(&queue_manager, administrator())).collect();
    for number in 0..REQUESTS {
        request(&pool[number as usize % pool.len()]).await;
    }
    drop(pool);
    housekeep(&queue_manager, ACCOUNTING, 19).await;
    assert_eq!(lines.0.lock().unwrap().len(), 19);
    for _ in 0..REQUESTS {
        let connection = connect(&queue_manager, administrator());
        request(&connection).await;
        connection.disconnect().await.unwrap();
    }
    housekeep(&queue_manager, ACCOUNTING, 19 + REQUESTS).await;
    assert_eq!(lines.0.lock().unwrap().len(), 1019);
    let puts = |lines: &[String]| -> i64 {
        let values = lines.iter().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        values.map(|record| record["put1Count"]["nonpersistent"].as_i64().unwrap()).sum()
    };
    let lines = lines.0.lock().unwrap();
    assert_eq!((puts(&lines[..19]), puts(&lines[19..])), (1000, 1000), "nothing is lost either way");
}

#[tokio::test]
async fn statistics_of_calls_and_queues_are_those_of_the_interval() {
    let clock = FakeClock::new();
    let queue_manager = collecting(&clock).await;
    let connection = connect(&queue_manager, administrator());
    let other = connect(&queue_manager, administrator());
    let handle = open(&connection, "Q", EVERYTHING).await;
    put(&connection, handle, Persistence::Persistent, "12345").await;
    put1(&other, "Q", "123").await.unwrap();
    clock.advance(Duration::from_micros(700));
    get(&connection, handle, GetFlags::empty()).await.unwrap();
    other.disconnect().await.unwrap();
    let refused = ConnectOptions {
        principal: model::authority::Principal::user("stranger"),
        application_name: String::new(),
        application_type: 6,
        channel: String::new(),
        connection_name: String::new(),
    };
    assert!(queue_manager.connect(refused).is_err());
    clock.advance(Duration::from_secs(9));
    queue_manager.reset_statistics(&administrator()).await.unwrap();
    put(&connection, handle, Persistence::Persistent, "1").await;
    clock.advance(Duration::from_secs(9));
    queue_manager.reset_statistics(&administrator()).await.unwrap();

    let all = take(&queue_manager, STATISTICS).await;
    let of = |command: i32| all.iter().map(|(_, record)| record).filter(move |one| one.header.command == command);
    let calls: Vec<_> = of(STATISTICS_MQI).collect();
    assert_eq!((calls[0].header.kind.0, calls[0].header.version), (21, 3));
    let [first, second] = [&calls[0].parameters, &calls[1].parameters];
    assert_eq!((text(first, 2712).unwrap(), text(first, 2708).unwrap()), ("00.00.00".into(), "00.00.09".into()));
    assert_eq!((text(second, 2712).unwrap(), text(second, 2708).unwrap()), ("00.00.09".into(), "00.00.18".into()));
    assert_eq!((list(first, 712), list(first, 749), list(first, 713)), (vec![2], vec![1], vec![2]), "connections");
    assert_eq!(list(first, 714), [1, 0, 0]);
    assert_eq!((list(second, 712), list(second, 713), list(second, 714)), (vec![0], vec![1], vec![0, 0, 0]));
    assert_eq!((list(first, 735), list(first, 734), list(first, 748)), (vec![0, 1], vec![1, 0], vec![3, 5]));
    assert_eq!((list(second, 735), list(second, 734), list(second, 748)), (vec![0, 1], vec![0, 0], vec![0, 1]));
    assert_eq!((objects(first, 733), objects(second, 733)), (vec![(1, 1)], vec![]));

    let queues: Vec<_> = of(STATISTICS_Q).map(|record| group(record, 2016, "Q").unwrap()).collect();
    assert_eq!((list(queues[0], 740), list(queues[0], 739)), (vec![0], vec![2]), "least and greatest depth");
    assert_eq!((list(queues[1], 740), list(queues[1], 739)), (vec![1], vec![2]));
    assert_eq!(
        (list(queues[0], 735), list(queues[0], 734), list(queues[0], 722)),
        (vec![0, 1], vec![1, 0], vec![0, 1])
    );
    assert_eq!(list(queues[0], 703), [0, 700], "microseconds on the queue");
    assert_eq!((list(queues[1], 735), list(queues[1], 722)), (vec![0, 1], vec![0, 0]));
    assert_eq!((list(queues[0], 759), list(queues[0], 758), list(queues[0], 760)), (vec![0], vec![0], vec![0]));
}

#[tokio::test(start_paused = true)]
async fn statistics_are_written_when_their_interval_is_over() {
    let clock = FakeClock::new();
    let queue_manager = ephemeral(clock.clone());
    clock.advance(Duration::from_secs(1000));
    alter(&queue_manager, |definition| {
        definition.statistics_mqi = true;
        definition.statistics_interval_s = 30;
    })
    .await;
    clock.advance(Duration::from_secs(29));
    let none = tokio::time::timeout(Duration::from_secs(20), queue_manager.run()).await;
    assert!(none.is_err());
    assert_eq!(
        queue_manager.queue_status(&name(STATISTICS)).unwrap().depth.current,
        0,
        "the interval began at the switch"
    );
    clock.advance(Duration::from_secs(1));
    housekeep(&queue_manager, STATISTICS, 1).await;
    let records = records(&queue_manager, STATISTICS, STATISTICS_MQI).await;
    let told = &records[0].parameters;
    assert_eq!((text(told, 2712).unwrap(), text(told, 2708).unwrap()), ("00.16.40".into(), "00.17.10".into()));
}

#[tokio::test]
async fn the_end_of_the_queue_manager_tells_of_what_is_left() {
    let queue_manager = collecting(&FakeClock::new()).await;
    let lines = Arc::new(Lines::default());
    queue_manager.set_record_sink(lines.clone());
    let connection = connect(&queue_manager, administrator());
    put1(&connection, "Q", "x").await.unwrap();
    queue_manager.stop().await;
    drop(connection);
    let lines = lines.0.lock().unwrap();
    let values: Vec<serde_json::Value> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    let types: Vec<_> = values.iter().map(|value| value["recordType"].as_str().unwrap()).collect();
    assert_eq!(types, ["accountingMqi", "accountingQueue", "statisticsMqi", "statisticsQueue"]);
    assert_eq!(values[0]["disconnectType"], "queueManager");
    assert_eq!(values[2]["disconnectCount"]["queueManager"], 1);
    assert_eq!(values[3]["queues"][0]["queueName"], "Q");
}

#[tokio::test]
async fn calls_count_from_the_switch_on_whoever_connected_when() {
    let queue_manager = ephemeral(FakeClock::new());
    define(&queue_manager, QueueDefinition::local(name("Q"))).await;
    let connection = connect(&queue_manager, administrator());
    put1(&connection, "Q", "1").await.unwrap();
    alter(&queue_manager, |definition| definition.statistics_mqi = true).await;
    put1(&connection, "Q", "22").await.unwrap();
    alter(&queue_manager, |definition| definition.statistics_mqi = false).await;
    put1(&connection, "Q", "333").await.unwrap();
    queue_manager.reset_statistics(&administrator()).await.unwrap();
    queue_manager.reset_statistics(&administrator()).await.unwrap();
    let records = records(&queue_manager, STATISTICS, STATISTICS_MQI).await;
    assert_eq!(records.len(), 1, "and no message while it is off");
    assert_eq!(list(&records[0].parameters, 748), [2, 0]);
}

#[tokio::test]
async fn queues_count_for_handles_that_are_opened_after_the_switch() {
    let queue_manager = ephemeral(FakeClock::new());
    define(&queue_manager, QueueDefinition::local(name("Q"))).await;
    define(&queue_manager, QueueDefinition::local(name("R"))).await;
    let connection = connect(&queue_manager, administrator());
    let before = open(&connection, "Q", EVERYTHING).await;
    define(&queue_manager, local("Q", |local| local.statistics = Collect::On)).await;
    let after = open(&connection, "Q", EVERYTHING).await;
    put(&connection, before, Persistence::NonPersistent, "1").await;
    put(&connection, after, Persistence::NonPersistent, "22").await;
    put1(&connection, "R", "x").await.unwrap();
    queue_manager.reset_statistics(&administrator()).await.unwrap();
    alter(&queue_manager, |definition| definition.statistics_queue = Collect::None).await;
    put(&connection, after, Persistence::NonPersistent, "333").await;
    queue_manager.reset_statistics(&administrator()).await.unwrap();
    let records = records(&queue_manager, STATISTICS, STATISTICS_Q).await;
    assert_eq!(records.len(), 1, "nothing counts after NONE");
    assert_eq!(list(&records[0].parameters, 732), [1], "R leaves it to the queue manager, which says OFF");
    let queue = group(&records[0], 2016, "Q").unwrap();
    assert_eq!((list(queue, 735), list(queue, 748)), (vec![1, 0], vec![2, 0]));
    assert_eq!(list(queue, 739), [2], "the depth is that of the queue");
}

#[tokio::test]
async fn what_nobody_got_is_told_as_expired_or_purged() {
    let clock = FakeClock::new();
    let queue_manager = collecting(&clock).await;
    let connection = connect(&queue_manager, administrator());
    let descriptor = MessageDescriptor { expiry: Expiry(10), ..MessageDescriptor::default() };
    for _ in 0..2 {
        let options = PutOptions::default();
        connection.put1(&administrator(), &object("Q"), descriptor.clone(), &options, Bytes::new()).await.unwrap();
    }
    put1(&connection, "Q", "stays").await.unwrap();
    clock.advance(Duration::from_secs(2));
    let handle = open(&connection, "Q", EVERYTHING).await;
    assert_eq!(get(&connection, handle, GetFlags::BROWSE_FIRST).await, Ok(5));
    connection.close(handle, CloseOptions::empty()).await.unwrap();
    queue_manager.clear_queue(&administrator(), &name("Q")).await.unwrap();
    queue_manager.reset_statistics(&administrator()).await.unwrap();
    let all = take(&queue_manager, STATISTICS).await;
    assert_eq!((list(&all[0].1.parameters, 758), list(&all[0].1.parameters, 760)), (vec![2], vec![1]));
    let queue = group(&all[1].1, 2016, "Q").unwrap();
    assert_eq!((list(queue, 758), list(queue, 760)), (vec![2], vec![1]));
    assert_eq!((list(queue, 740), list(queue, 739)), (vec![0], vec![3]));
}

#[tokio::test]
async fn a_queue_that_is_gone_at_the_end_of_the_interval_is_told_of() {
    let queue_manager = collecting(&FakeClock::new()).await;
    define(&queue_manager, QueueDefinition::new(name("M"), QueueKind::Model(Box::default()))).await;
    let connection = connect(&queue_manager, administrator());
    let model = ObjectDescriptor { dynamic_queue: "TEMP.*".to_owned(), ..object("M") };
    let opened = connection.open(&administrator(), &model, EVERYTHING).await.unwrap();
    put(&connection, opened.handle, Persistence::NonPersistent, "x").await;
    connection.close(opened.handle, CloseOptions::empty()).await.unwrap();
    assert!(queue_manager.queue_status(&opened.object_name).is_none());
    queue_manager.reset_statistics(&administrator()).await.unwrap();
    let statistics = records(&queue_manager, STATISTICS, STATISTICS_Q).await;
    let queue = group(&statistics[0], 2016, opened.object_name.as_str()).unwrap();
    assert_eq!((list(queue, 735), list(queue, 7)), (vec![1, 0], vec![3]), "temporary dynamic");
    let records = end(&queue_manager, connection, 2).await;
    assert!(group(&records[1], 2016, opened.object_name.as_str()).is_some());
}

#[tokio::test]
async fn an_alias_counts_at_its_base_queue() {
    use model::definition::queue::{AliasQueue, AliasTarget};
    let queue_manager = collecting(&FakeClock::new()).await;
    let alias = AliasQueue { target: name("Q"), target_type: AliasTarget::Queue, ..AliasQueue::default() };
    define(&queue_manager, QueueDefinition::new(name("A"), QueueKind::Alias(alias))).await;
    let connection = connect(&queue_manager, administrator());
    put1(&connection, "A", "x").await.unwrap();
    let handle = open(&connection, "A", EVERYTHING).await;
    put(&connection, handle, Persistence::NonPersistent, "y").await;
    let records = end(&queue_manager, connection, 2).await;
    let queue = group(&records[1], 2016, "Q").unwrap();
    assert_eq!((list(queue, 735), list(queue, 734)), (vec![1, 0], vec![1, 0]));
    assert_eq!(list(&records[1].parameters, 732), [1]);
}

#[tokio::test]
async fn channels_count_from_the_instances_that_start_after_the_switch() {
    let clock = FakeClock::new();
    let queue_manager = ephemeral(clock.clone());
    let instance = |channel: &str, address: &str| ChannelInstance {
        channel: channel.to_owned(),
        channel_type: "SVRCONN",
        connection_name: address.to_owned(),
        ..ChannelInstance::default()
    };
    let pass = |handle: &queue_manager::channel_status::ChannelHandle, bytes: u64| {
        handle.counters().count_message(queue_manager.now());
        handle.counters().bytes_sent.fetch_add(bytes, std::sync::atomic::Ordering::Relaxed);
        handle.counters().bytes_received.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    };
    let before = queue_manager.register_channel(instance("APP.SVRCONN", "10.0.0.1")).unwrap();
    alter(&queue_manager, |definition| definition.statistics_channel = Collect::Medium).await;
    let kept = queue_manager.register_channel(instance("APP.SVRCONN", "10.0.0.1")).unwrap();
    let ended = queue_manager.register_channel(instance("APP.SVRCONN", "10.0.0.1")).unwrap();
    let elsewhere = queue_manager.register_channel(instance("APP.SVRCONN", "10.0.0.2")).unwrap();
    pass(&before, 1000);
    pass(&kept, 10);
    pass(&ended, 20);
    drop(ended);
    queue_manager.reset_statistics(&administrator()).await.unwrap();
    pass(&kept, 5);
    pass(&elsewhere, 6);
    queue_manager.reset_statistics(&administrator()).await.unwrap();
    let records = records(&queue_manager, STATISTICS, STATISTICS_CHANNEL).await;
    let told = |record: &pcf::Message, address: &str| {
        group(record, 3506, address)
            .map(|members| (list(members, 728)[0], list(members, 746)[0], list(members, 1511)[0]))
    };
    assert_eq!(told(&records[0], "10.0.0.1"), Some((2, 32, 7)), "both instances of one address together");
    assert_eq!(told(&records[0], "10.0.0.2"), None, "nothing went through");
    assert_eq!(told(&records[1], "10.0.0.1"), Some((1, 6, 7)));
    assert_eq!(told(&records[1], "10.0.0.2"), Some((1, 7, 7)));
    assert_eq!(text(group(&records[1], 3506, "10.0.0.2").unwrap(), 3501).as_deref(), Some("APP.SVRCONN"));
}

#[tokio::test]
async fn nothing_is_written_while_nothing_is_collected() {
    let queue_manager = ephemeral(FakeClock::new());
    define(&queue_manager, QueueDefinition::local(name("Q"))).await;
    let lines = Arc::new(Lines::default());
    queue_manager.set_record_sink(lines.clone());
    let connection = connect(&queue_manager, administrator());
    put1(&connection, "Q", "x").await.unwrap();
    connection.disconnect().await.unwrap();
    queue_manager.reset_statistics(&administrator()).await.unwrap();
    queue_manager.stop().await;
    assert!(lines.0.lock().unwrap().is_empty());
}
