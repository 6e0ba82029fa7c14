//! What commands do to a running queue manager: connections stopped, traces, figures reset, topics looked at and cleared.

use bytes::Bytes;
use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity, Principal};
use model::definition::channel_authentication::UserSource;
use model::definition::{ChannelAuthentication, QueueDefinition, TopicDefinition};
use model::descriptor::{Encoding, MessageDescriptor};
use model::name::{ObjectName, TopicName};
use model::options::{GetFlags, GetOptions, ObjectDescriptor, ObjectKind, OpenOptions, PutFlags, PutOptions};
use model::pcf;
use model::reason::Reason;
use queue_manager::channel_status::{ChannelDisposition, ChannelInstance, StopChannel, StopMode, StoppedChannel};
use queue_manager::objects::ObjectError;
use queue_manager::system_settings::is_excluded_from_log;
use queue_manager::{Connection, Home, QueueManager};

use storage::private::log::disk::DirectoryDisk;

use crate::script::{EVERYTHING, FakeClock, PATIENCE, administrator, connect, ephemeral, name, start};

async fn with_queue() -> (QueueManager, ObjectDescriptor) {
    let queue_manager = ephemeral(FakeClock::new());
    queue_manager.define_queue(&administrator(), QueueDefinition::local(name("Q")), false).await.unwrap();
    (queue_manager, ObjectDescriptor { name: name("Q"), ..ObjectDescriptor::default() })
}

fn topic_descriptor(topic: &str) -> ObjectDescriptor {
    ObjectDescriptor { object: ObjectKind::Topic, topic_string: topic.to_owned(), ..ObjectDescriptor::default() }
}

async fn put(connection: &Connection, object: &ObjectDescriptor, flags: PutFlags, body: &'static str) {
    let options = PutOptions { flags, context: None };
    let body = Bytes::from(body);
    connection.put1(&administrator(), object, MessageDescriptor::default(), &options, body).await.unwrap();
}

#[tokio::test]
async fn a_stopped_connection_loses_its_unit_of_work_and_every_verb_fails() {
    let (queue_manager, object) = with_queue().await;
    let connection = connect(&queue_manager, administrator());
    let handle = connection.open(&administrator(), &object, EVERYTHING).await.unwrap().handle;
    put(&connection, &object, PutFlags::SYNCPOINT, "A").await;
    let waits = GetOptions { flags: GetFlags::WAIT, wait: None, ..GetOptions::default() };
    let (got, stopped) = tokio::join!(connection.get(handle, &waits), async {
        tokio::task::yield_now().await;
        queue_manager.stop_connection(&administrator(), &connection.identifier())
    });
    assert_eq!(stopped, Ok(true));
    assert_eq!(got.err(), Some(Reason::ConnectionBroken));
    assert_eq!(connection.commit().await, Err(Reason::ConnectionBroken));
    assert_eq!(connection.back_out().await, Err(Reason::ConnectionBroken));
    let again = connection.open(&administrator(), &object, EVERYTHING).await;
    assert_eq!(again.err(), Some(Reason::ConnectionBroken));
    assert!(queue_manager.connections().is_empty());
    assert_eq!(queue_manager.stop_connection(&administrator(), &connection.identifier()), Ok(false));
    let other = connect(&queue_manager, administrator());
    let handle = other.open(&administrator(), &object, EVERYTHING).await.unwrap().handle;
    drive(&queue_manager, async {
        while queue_manager.queue_status(&name("Q")).unwrap().depth.current > 0 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert_eq!(other.get(handle, &GetOptions::default()).await.err(), Some(Reason::NoMsgAvailable));
}

/// Runs the queue manager's own work beside `wanted`, until that is so.
async fn drive(queue_manager: &QueueManager, wanted: impl Future<Output = ()>) {
    tokio::select! {
        () = queue_manager.run() => panic!("it runs until it is stopped"),
        outcome = tokio::time::timeout(PATIENCE, wanted) => outcome.expect("it happens"),
    }
}

#[tokio::test]
async fn only_who_controls_the_queue_manager_stops_connections() {
    let (queue_manager, _) = with_queue().await;
    let connection = connect(&queue_manager, administrator());
    let refused = queue_manager.stop_connection(&Principal::user("guest"), &connection.identifier());
    assert!(matches!(refused, Err(ObjectError::NotAuthorized { .. })), "{refused:?}");
    assert_eq!(queue_manager.connections().len(), 1);
}

#[tokio::test]
async fn figures_of_a_queue_begin_anew_when_they_are_reset() {
    let (queue_manager, object) = with_queue().await;
    let connection = connect(&queue_manager, administrator());
    let handle = connection.open(&administrator(), &object, EVERYTHING).await.unwrap().handle;
    for _ in 0..3 {
        put(&connection, &object, PutFlags::empty(), "A").await;
    }
    connection.get(handle, &GetOptions::default()).await.unwrap();
    let first = queue_manager.reset_queue_statistics(&administrator(), &name("Q")).unwrap();
    assert_eq!((first.highest_depth, first.messages_in, first.messages_out), (3, 3, 1));
    let second = queue_manager.reset_queue_statistics(&administrator(), &name("Q")).unwrap();
    assert_eq!((second.highest_depth, second.messages_in, second.messages_out), (2, 0, 0));
    let unknown = queue_manager.reset_queue_statistics(&administrator(), &name("NONE"));
    assert!(matches!(unknown, Err(ObjectError::NotFound { .. })));
}

#[tokio::test]
async fn a_traced_connection_leaves_a_record_of_what_it_did() {
    let (queue_manager, object) = with_queue().await;
    let before = connect(&queue_manager, administrator());
    let number = queue_manager.start_accounting_trace(&administrator(), vec![3], String::new()).unwrap();
    assert_eq!(number, Some(0));
    let connection = connect(&queue_manager, administrator());
    let handle = connection.open(&administrator(), &object, EVERYTHING).await.unwrap().handle;
    put(&connection, &object, PutFlags::empty(), "12345").await;
    connection.get(handle, &GetOptions { flags: GetFlags::BROWSE_FIRST, ..GetOptions::default() }).await.unwrap();
    connection.get(handle, &GetOptions::default()).await.unwrap();
    connection.get(handle, &GetOptions::default()).await.unwrap_err();
    connection.disconnect().await.unwrap();
    before.disconnect().await.unwrap();
    assert_eq!(queue_manager.stop_traces(&administrator(), |_| true).unwrap(), [0]);
    connect(&queue_manager, administrator()).disconnect().await.unwrap();

    let accounts = name("SYSTEM.ADMIN.ACCOUNTING.QUEUE");
    drive(&queue_manager, async {
        while queue_manager.queue_status(&accounts).unwrap().depth.current < 2 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let reader = connect(&queue_manager, administrator());
    let object = ObjectDescriptor { name: accounts, ..ObjectDescriptor::default() };
    let handle = reader.open(&administrator(), &object, OpenOptions::INPUT_SHARED).await.unwrap().handle;
    let got = reader.get(handle, &GetOptions::default()).await.unwrap();
    let (record, _) = pcf::decode(&got.body, Encoding::NATIVE, got.descriptor.ccsid).unwrap();
    assert_eq!((record.header.kind, record.header.command), (pcf::MessageKind::ACCOUNTING, 167));
    let value = |id| record.parameter(id).cloned().unwrap();
    assert_eq!(value(2015), pcf::ParameterValue::Text("QM1".to_owned()));
    assert_eq!((value(725).number(), value(710).number()), (Some(1), Some(0)));
    assert_eq!(value(733), pcf::ParameterValue::Integers(vec![0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
    assert_eq!(value(734), pcf::ParameterValue::Integers(vec![1, 0]));
    assert_eq!(value(722), pcf::ParameterValue::Integers(vec![1, 0]));
    assert_eq!(value(705), pcf::ParameterValue::Integers(vec![1, 0]));
    assert_eq!(value(748), pcf::ParameterValue::Integers64(vec![5, 0]));
    let got = reader.get(handle, &GetOptions::default()).await.unwrap();
    let (record, _) = pcf::decode(&got.body, Encoding::NATIVE, got.descriptor.ccsid).unwrap();
    assert_eq!(record.header.command, 168, "and of what it did to each queue");
    // Nobody asked about the other connections.
    assert_eq!(reader.get(handle, &GetOptions::default()).await.err(), Some(Reason::NoMsgAvailable));
}

#[tokio::test]
async fn the_topic_tree_shows_what_stands_at_each_node() {
    let (queue_manager, _) = with_queue().await;
    let topic = TopicDefinition {
        name: TopicName::literal("SPORT"),
        topic_string: "sport".to_owned(),
        default_priority: Some(7),
        ..TopicDefinition::default()
    };
    queue_manager.define_topic(&administrator(), topic, false).await.unwrap();
    let connection = connect(&queue_manager, administrator());
    let object = topic_descriptor("sport/football/cup");
    let handle = connection.open(&administrator(), &object, OpenOptions::OUTPUT).await.unwrap().handle;
    let options = PutOptions { flags: PutFlags::RETAIN, context: None };
    connection.put(handle, MessageDescriptor::default(), &options, Bytes::from("1:0")).await.unwrap();

    let shown = queue_manager.topic_statuses("sport/#").await.unwrap();
    let nodes: Vec<_> = shown
        .iter()
        .map(|node| (&*node.topic_string, node.object, node.default_priority, node.publishers, node.retained))
        .collect();
    let sport = Some(TopicName::literal("SPORT"));
    assert_eq!(
        nodes,
        [
            ("sport", sport, 7, 0, false),
            ("sport/football", None, 7, 0, false),
            ("sport/football/cup", None, 7, 1, true),
        ]
    );
    assert!(queue_manager.topic_statuses("opera/#").await.unwrap().is_empty());
    let publishers = queue_manager.topic_publishers();
    assert_eq!((publishers.len(), publishers[0].published), (1, 1));
    assert_eq!(publishers[0].connection, connection.identifier());

    queue_manager.clear_topic_string(&administrator(), "sport/football/cup").await.unwrap();
    assert!(!queue_manager.topic_statuses("sport/football/cup").await.unwrap()[0].retained);
    queue_manager.clear_topic_string(&administrator(), "sport/football/cup").await.unwrap();
    let refused = queue_manager.clear_topic_string(&Principal::user("guest"), "sport").await;
    assert!(matches!(refused, Err(ObjectError::NotAuthorized { .. })), "{refused:?}");
}

#[tokio::test]
async fn two_topic_objects_never_stand_for_one_topic_string() {
    let (queue_manager, _) = with_queue().await;
    let topic = |name: &str, topic_string: &str| TopicDefinition {
        name: TopicName::literal(name),
        topic_string: topic_string.to_owned(),
        ..TopicDefinition::default()
    };
    let caller = administrator();
    queue_manager.define_topic(&caller, topic("A", "a"), false).await.unwrap();
    let refused = queue_manager.define_topic(&caller, topic("B", "a"), false).await;
    assert_eq!(refused, Err(ObjectError::TopicStringExists { name: "B".to_owned(), other: "A".to_owned() }));
    queue_manager.define_topic(&caller, topic("A", "a"), true).await.unwrap();
    queue_manager.define_topic(&caller, topic("C", ""), false).await.unwrap();
}

#[tokio::test]
async fn channel_authentication_records_and_switches_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let disk = || {
        let disk = DirectoryDisk::open(folder.path().to_owned()).unwrap();
        Home::Disk(std::sync::Arc::new(disk))
    };
    let queue_manager = start(disk(), FakeClock::new());
    let caller = administrator();
    let record = ChannelAuthentication::address_map("A/B", "10.*", UserSource::Map("joe".to_owned()));
    queue_manager.add_channel_authentication(&caller, record).await.unwrap();
    assert!(queue_manager.command_server_is_on());
    assert_eq!(queue_manager.switch_command_server(&caller, false), Ok(true));
    assert_eq!(queue_manager.switch_command_server(&caller, false), Ok(false));
    queue_manager.exclude_messages(&caller, &["X511".to_owned()]).unwrap();
    let line = "CSQX511I: channel started";
    assert!(is_excluded_from_log(Some("QM1"), line) && is_excluded_from_log(None, line));
    assert!(!is_excluded_from_log(Some("QM2"), line) && !is_excluded_from_log(None, "AMQ8077W: not authorized"));
    let before = queue_manager.channel_authentications();
    queue_manager.stop().await;
    drop(queue_manager);
    assert!(!is_excluded_from_log(None, line));

    let queue_manager = start(disk(), FakeClock::new());
    assert_eq!(queue_manager.channel_authentications(), before);
    assert_eq!(before.len(), 4);
    assert!(queue_manager.command_server_is_on() && queue_manager.excluded_messages().is_empty());
}

#[tokio::test]
async fn a_stopped_channel_takes_no_connection_until_it_is_started() {
    let (queue_manager, _) = with_queue().await;
    let instance = || ChannelInstance { channel: "APP".to_owned(), ..ChannelInstance::default() };
    let running = queue_manager.register_channel(instance()).expect("nobody stopped it");
    let stop = StopChannel { disable: true, ..StopChannel::of("APP", StopMode::Quiesce) };
    assert_eq!(queue_manager.stop_channel(&stop), 1);
    assert_eq!(running.stop_wanted().await, StopMode::Quiesce);
    assert!(queue_manager.register_channel(instance()).is_none());
    let stopped = StoppedChannel { channel: "APP".to_owned(), disposition: ChannelDisposition::Private };
    assert_eq!(queue_manager.stopped_channels(), [stopped]);
    assert!(
        queue_manager.start_channel("APP", ChannelDisposition::Private)
            && !queue_manager.start_channel("APP", ChannelDisposition::Private)
    );
    assert!(queue_manager.register_channel(instance()).is_some());
}

#[tokio::test]
async fn clearing_a_topic_needs_clear_on_a_topic_object_above_it() {
    let (queue_manager, _) = with_queue().await;
    let record = AuthorityRecord {
        profile: "SYSTEM.BASE.TOPIC".to_owned(),
        object: AuthorityObject::Topic,
        entity: Entity::Principal("joe".to_owned()),
        authorities: Authority::CLEAR,
    };
    queue_manager.set_authority(&administrator(), record).await.unwrap();
    queue_manager.clear_topic_string(&Principal::user("joe"), "any/thing").await.unwrap();
    assert!(queue_manager.is_authorised(
        &Principal::user("joe"),
        AuthorityObject::Topic,
        &ObjectName::literal("SYSTEM.BASE.TOPIC"),
        Authority::CLEAR,
    ));
}
