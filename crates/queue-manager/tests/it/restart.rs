//! Restart on a real directory: what lasts and what does not.

use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity, Principal};
use model::definition::queue::{DefinitionType, LocalQueue, ModelQueue};
use model::definition::{QueueDefinition, QueueKind};
use model::descriptor::{Expiry, MessageDescriptor, Persistence, Report};
use model::options::{CloseOptions, GetFlags, GetOptions, ObjectDescriptor, OpenOptions, PutFlags, PutOptions};
use model::pcf;
use model::reason::Reason;
use queue_manager::{Connection, Home, QueueManager, XaError, XaFlags};
use storage::private::log::disk::DirectoryDisk;
use storage::{DefinitionChange, PrivateStore, StoreOptions, Xid};

use crate::script::{EVERYTHING, FakeClock, administrator, connect, name, start};

fn start_in(directory: &Path, clock: &Arc<FakeClock>) -> QueueManager {
    let disk = DirectoryDisk::open(directory.to_owned()).unwrap();
    start(Home::Disk(Arc::new(disk)), clock.clone())
}

fn object(queue: &str) -> ObjectDescriptor {
    ObjectDescriptor { name: name(queue), ..ObjectDescriptor::default() }
}

async fn put(connection: &Connection, body: &'static str, persistence: Persistence, flags: PutFlags) {
    let descriptor = MessageDescriptor { persistence, ..MessageDescriptor::default() };
    let options = PutOptions { flags, context: None };
    connection.put1(&administrator(), &object("Q"), descriptor, &options, Bytes::from(body)).await.unwrap();
}

async fn get(connection: &Connection, flags: GetFlags) -> Result<(String, u32), Reason> {
    let opened = connection.open(&administrator(), &object("Q"), EVERYTHING).await?;
    let options = GetOptions { flags, ..GetOptions::default() };
    let result = connection.get(opened.handle, &options).await?;
    Ok((String::from_utf8_lossy(&result.body).into_owned(), result.descriptor.backout_count))
}

async fn define(queue_manager: &QueueManager, queue: &str) {
    queue_manager.define_queue(&administrator(), QueueDefinition::local(name(queue)), false).await.unwrap();
}

#[tokio::test]
async fn persistent_messages_and_definitions_last_and_nonpersistent_messages_do_not() {
    let directory = tempfile::tempdir().unwrap();
    let clock = FakeClock::new();
    let queue_manager = start_in(directory.path(), &clock);
    let identifier = queue_manager.definition().identifier.clone();
    assert_eq!(identifier, "QM1_2026-11-21_00.00.00");
    define(&queue_manager, "Q").await;
    let connection = connect(&queue_manager, administrator());
    put(&connection, "lasts", Persistence::Persistent, PutFlags::empty()).await;
    put(&connection, "goes", Persistence::NonPersistent, PutFlags::empty()).await;
    put(&connection, "uncommitted", Persistence::Persistent, PutFlags::SYNCPOINT).await;
    let record = AuthorityRecord {
        profile: "APP.**".to_owned(),
        object: AuthorityObject::Queue,
        entity: Entity::Group("staff".to_owned()),
        authorities: Authority::PUT,
    };
    queue_manager.set_authority(&administrator(), record.clone()).await.unwrap();
    drop(connection);
    queue_manager.stop().await;
    drop(queue_manager);

    let queue_manager = start_in(directory.path(), &clock);
    assert_eq!(queue_manager.definition().identifier, identifier);
    assert_eq!(queue_manager.authority_records(), [record]);
    let connection = connect(&queue_manager, administrator());
    assert_eq!(get(&connection, GetFlags::empty()).await, Ok(("lasts".to_owned(), 0)));
    assert_eq!(get(&connection, GetFlags::empty()).await, Err(Reason::NoMsgAvailable));
}

#[tokio::test]
async fn temporary_queues_vanish_and_permanent_dynamic_ones_stay() {
    let directory = tempfile::tempdir().unwrap();
    let clock = FakeClock::new();
    let queue_manager = start_in(directory.path(), &clock);
    let connection = connect(&queue_manager, administrator());
    for (model, dynamic) in [("SYSTEM.DEFAULT.MODEL.QUEUE", "T.ONE"), ("SYSTEM.DURABLE.MODEL.QUEUE", "P.ONE")] {
        let object = ObjectDescriptor { dynamic_queue: dynamic.to_owned(), ..object(model) };
        connection.open(&administrator(), &object, OpenOptions::OUTPUT).await.unwrap();
    }
    assert!(queue_manager.queue(&name("T.ONE")).is_some());
    queue_manager.stop().await;
    drop((connection, queue_manager));

    let queue_manager = start_in(directory.path(), &clock);
    assert!(queue_manager.queue(&name("T.ONE")).is_none());
    assert!(queue_manager.queue(&name("P.ONE")).is_some());
}

#[tokio::test]
async fn expired_messages_are_not_returned_after_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let clock = FakeClock::new();
    let queue_manager = start_in(directory.path(), &clock);
    define(&queue_manager, "Q").await;
    let connection = connect(&queue_manager, administrator());
    let descriptor =
        MessageDescriptor { persistence: Persistence::Persistent, expiry: Expiry(10), ..MessageDescriptor::default() };
    let options = PutOptions::default();
    connection.put1(&administrator(), &object("Q"), descriptor, &options, Bytes::from("old")).await.unwrap();
    drop(connection);
    queue_manager.stop().await;
    drop(queue_manager);

    clock.advance(std::time::Duration::from_secs(1));
    let queue_manager = start_in(directory.path(), &clock);
    let connection = connect(&queue_manager, administrator());
    assert_eq!(get(&connection, GetFlags::empty()).await, Err(Reason::NoMsgAvailable));
    assert_eq!(queue_manager.queue_status(&name("Q")).unwrap().depth.current, 0);
}

#[tokio::test]
async fn prepared_units_of_work_wait_for_their_outcome_across_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let clock = FakeClock::new();
    let queue_manager = start_in(directory.path(), &clock);
    define(&queue_manager, "Q").await;
    let branch = |number: u8| Xid { format_id: 1, global_transaction: vec![7], branch: vec![number] };
    for (number, body) in [(1, "committed"), (2, "backed out")] {
        let connection = connect(&queue_manager, administrator());
        connection.xa_start(&branch(number), XaFlags::empty()).unwrap();
        put(&connection, body, Persistence::Persistent, PutFlags::SYNCPOINT).await;
        connection.xa_end(&branch(number), XaFlags::SUCCESS).unwrap();
        assert_eq!(connection.xa_prepare(&branch(number)).await, Ok(true));
        assert_eq!(get(&connection, GetFlags::empty()).await, Err(Reason::NoMsgAvailable));
    }
    queue_manager.stop().await;
    drop(queue_manager);

    let queue_manager = start_in(directory.path(), &clock);
    let connection = connect(&queue_manager, administrator());
    assert_eq!(connection.xa_recover().await.unwrap(), [branch(1), branch(2)]);
    connection.xa_commit(&branch(1), false).await.unwrap();
    connection.xa_rollback(&branch(2)).await.unwrap();
    assert_eq!(connection.xa_commit(&branch(3), false).await, Err(XaError::UnknownBranch));
    assert!(connection.xa_recover().await.unwrap().is_empty());
    assert_eq!(get(&connection, GetFlags::empty()).await, Ok(("committed".to_owned(), 0)));
    assert_eq!(get(&connection, GetFlags::empty()).await, Err(Reason::NoMsgAvailable));
}

#[tokio::test]
async fn identifiers_never_repeat_across_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let clock = FakeClock::new();
    let mut seen = Vec::new();
    for _ in 0..3 {
        let queue_manager = start_in(directory.path(), &clock);
        if queue_manager.queue(&name("Q")).is_none() {
            define(&queue_manager, "Q").await;
        }
        let connection = connect(&queue_manager, administrator());
        for _ in 0..10 {
            let result = connection
                .put1(
                    &administrator(),
                    &object("Q"),
                    MessageDescriptor::default(),
                    &PutOptions::default(),
                    Bytes::new(),
                )
                .await
                .unwrap();
            assert!(result.message.descriptor.message_id.as_bytes().starts_with(b"AMQ QM1         "));
            seen.push(result.message.descriptor.message_id);
        }
        drop(connection);
        queue_manager.stop().await;
        clock.advance(std::time::Duration::from_millis(1));
    }
    assert!(seen.is_sorted());
    seen.dedup();
    assert_eq!(seen.len(), 30);
}

#[tokio::test]
async fn a_directory_of_another_queue_manager_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let clock = FakeClock::new();
    start_in(directory.path(), &clock).stop().await;
    let disk = DirectoryDisk::open(directory.path().to_owned()).unwrap();
    let options = queue_manager::StartOptions {
        name: name("QM2"),
        home: Home::Disk(Arc::new(disk)),
        store: StoreOptions::default(),
        clock,
        server_user: "mqadmin".to_owned(),
    };
    let error = QueueManager::start(options).err().unwrap();
    assert_eq!(error.to_string(), "the recovery log of QM2 belongs to queue manager QM1");
}

#[tokio::test]
async fn the_objects_that_tools_expect_are_there_from_the_first_start() {
    let queue_manager = start(Home::Ephemeral, FakeClock::new());
    for queue in [
        "SYSTEM.DEFAULT.LOCAL.QUEUE",
        "SYSTEM.DEFAULT.ALIAS.QUEUE",
        "SYSTEM.DEFAULT.REMOTE.QUEUE",
        "SYSTEM.DEFAULT.MODEL.QUEUE",
        "SYSTEM.DEFAULT.INITIATION.QUEUE",
        "SYSTEM.DEAD.LETTER.QUEUE",
        "SYSTEM.ADMIN.COMMAND.QUEUE",
        "SYSTEM.ADMIN.QMGR.EVENT",
        "SYSTEM.MQSC.REPLY.QUEUE",
        "SYSTEM.REST.REPLY.QUEUE",
        "SYSTEM.DURABLE.MODEL.QUEUE",
        "SYSTEM.NDURABLE.MODEL.QUEUE",
        "SYSTEM.RETAINED.PUB.QUEUE",
    ] {
        assert!(queue_manager.queue(&name(queue)).is_some(), "{queue}");
    }
    for topic in ["SYSTEM.BASE.TOPIC", "SYSTEM.DEFAULT.TOPIC"] {
        assert!(queue_manager.topic(&name(topic)).is_some(), "{topic}");
    }
}

#[tokio::test]
async fn a_queue_manager_of_an_older_version_gets_new_objects_and_nothing_that_was_deleted() {
    const NEW: [(AuthorityObject, &str); 3] = [
        (AuthorityObject::NameList, "SYSTEM.QPUBSUB.QUEUE.NAMELIST"),
        (AuthorityObject::NameList, "SYSTEM.QPUBSUB.SUBPOINT.NAMELIST"),
        (AuthorityObject::Listener, "SYSTEM.LISTENER.TCP.1"),
    ];
    let old = (AuthorityObject::Process, name("SYSTEM.DEFAULT.PROCESS"));
    let (directory, clock) = (tempfile::tempdir().unwrap(), FakeClock::new());
    let queue_manager = start_in(directory.path(), &clock);
    for (family, object) in NEW {
        queue_manager.delete_object(&administrator(), family, &name(object)).await.unwrap();
    }
    queue_manager.delete_topic(&administrator(), &name("SYSTEM.BROKER.DEFAULT.SUBPOINT")).await.unwrap();
    queue_manager.delete_queue(&administrator(), &name("SYSTEM.DDELAY.LOCAL.QUEUE"), false).await.unwrap();
    queue_manager.delete_object(&administrator(), old.0, &old.1).await.unwrap();
    for record in queue_manager.channel_authentications().iter() {
        queue_manager.remove_channel_authentication(&administrator(), record).await.unwrap();
    }
    queue_manager.stop().await;
    drop(queue_manager);

    // What was deleted on purpose stays away.
    let queue_manager = start_in(directory.path(), &clock);
    assert!(queue_manager.object(NEW[0].0, &name(NEW[0].1)).is_none());
    assert!(queue_manager.queue(&name("SYSTEM.DDELAY.LOCAL.QUEUE")).is_none());
    queue_manager.stop().await;
    drop(queue_manager);

    // The same data directory, as the first version left it.
    let disk = DirectoryDisk::open(directory.path().to_owned()).unwrap();
    let (store, _) = PrivateStore::open(Arc::new(disk), StoreOptions::default()).unwrap();
    let first_step = DefinitionChange::Save { key: "defaults".to_owned(), value: b"1".to_vec() };
    store.change_definitions(vec![first_step]).await.unwrap();
    store.close();
    drop(store);

    let queue_manager = start_in(directory.path(), &clock);
    for (family, object) in NEW {
        assert!(queue_manager.object(family, &name(object)).is_some(), "{object}");
    }
    assert!(queue_manager.topic(&name("SYSTEM.BROKER.DEFAULT.SUBPOINT")).is_some());
    assert!(queue_manager.queue(&name("SYSTEM.DDELAY.LOCAL.QUEUE")).is_some());
    assert!(queue_manager.object(old.0, &old.1).is_none());
    assert_eq!(queue_manager.channel_authentications().len(), 0);
}

#[tokio::test]
async fn the_maker_of_a_permanent_dynamic_queue_may_use_it_after_a_restart_until_it_is_gone() {
    let directory = tempfile::tempdir().unwrap();
    let clock = FakeClock::new();
    let queue_manager = start_in(directory.path(), &clock);
    let template = LocalQueue { definition_type: DefinitionType::PermanentDynamic, ..LocalQueue::default() };
    let kind = QueueKind::Model(Box::new(ModelQueue { local: template }));
    queue_manager.define_queue(&administrator(), QueueDefinition::new(name("MODEL"), kind), false).await.unwrap();
    let grant = |object, profile: &str, authorities| AuthorityRecord {
        profile: profile.to_owned(),
        object,
        entity: Entity::Principal("app".to_owned()),
        authorities,
    };
    for record in [
        grant(AuthorityObject::QueueManager, "QM1", Authority::CONNECT),
        grant(AuthorityObject::Queue, "MODEL", Authority::PUT),
    ] {
        queue_manager.set_authority(&administrator(), record).await.unwrap();
    }
    let app = Principal::user("app");
    let connection = connect(&queue_manager, app.clone());
    let template = ObjectDescriptor { dynamic_queue: "MINE".to_owned(), ..object("MODEL") };
    connection.open(&app, &template, OpenOptions::OUTPUT).await.unwrap();
    connection.disconnect().await.unwrap();
    queue_manager.stop().await;
    drop(queue_manager);

    let queue_manager = start_in(directory.path(), &clock);
    let connection = connect(&queue_manager, app.clone());
    let opened = connection.open(&app, &object("MINE"), OpenOptions::INPUT_SHARED).await.unwrap();
    connection.close(opened.handle, CloseOptions::DELETE).await.unwrap();
    assert!(queue_manager.queue(&name("MINE")).is_none());
    assert!(!queue_manager.authority_records().iter().any(|record| record.profile == "MINE"));
    drop(connection);
    queue_manager.stop().await;
    drop(queue_manager);

    let queue_manager = start_in(directory.path(), &clock);
    assert!(queue_manager.queue(&name("MINE")).is_none());
    assert!(!queue_manager.authority_records().iter().any(|record| record.profile == "MINE"));
}

#[tokio::test]
async fn switches_that_events_have_turned_and_a_persistent_event_of_the_stop_last() {
    let directory = tempfile::tempdir().unwrap();
    let clock = FakeClock::new();
    let queue_manager = start_in(directory.path(), &clock);
    let events = name("SYSTEM.ADMIN.QMGR.EVENT");
    let mut queue = (*queue_manager.queue(&events).unwrap()).clone();
    queue.default_persistent = true;
    queue_manager.alter_queue(&administrator(), queue, false).await.unwrap();
    let mut definition = (*queue_manager.definition()).clone();
    definition.performance_event = true;
    queue_manager.alter_queue_manager(&administrator(), definition).await.unwrap();
    let mut queue = QueueDefinition::local(name("Q"));
    queue.as_local_mut().unwrap().maximum_depth = 0;
    queue_manager.define_queue(&administrator(), queue, false).await.unwrap();
    let connection = connect(&queue_manager, administrator());
    let put = connection
        .put1(&administrator(), &object("Q"), MessageDescriptor::default(), &PutOptions::default(), Bytes::new())
        .await;
    assert_eq!(put.unwrap_err(), Reason::QFull);
    drop(connection);
    queue_manager.quiesce();
    queue_manager.stop().await;
    drop(queue_manager);

    let queue_manager = start_in(directory.path(), &clock);
    let queue = queue_manager.queue(&name("Q")).unwrap();
    let local = queue.as_local().unwrap();
    assert_eq!((local.depth_maximum_event, local.depth_low_event), (false, true));
    let connection = connect(&queue_manager, administrator());
    let opened = connection.open(&administrator(), &object(events.as_str()), EVERYTHING).await.unwrap();
    let mut told = Vec::new();
    while let Ok(got) = connection.get(opened.handle, &GetOptions::default()).await {
        let (event, _) = pcf::decode(&got.body, got.descriptor.encoding, got.descriptor.ccsid).unwrap();
        told.push((event.header.reason, event.parameter(1020).and_then(pcf::ParameterValue::number)));
    }
    // Started, and not active: it was quiesced.
    assert_eq!(told, [(2222, Some(31)), (2223, Some(6))]);
}

/// Removes the definition of a queue behind the back of the queue manager, which is stopped.
async fn lose_definition(directory: &Path, queue: &str) {
    let disk = DirectoryDisk::open(directory.to_owned()).unwrap();
    let (store, _) = PrivateStore::open(Arc::new(disk), StoreOptions::default()).unwrap();
    store.change_definitions(vec![DefinitionChange::Delete { key: format!("queue/{queue}") }]).await.unwrap();
    store.close();
}

#[tokio::test]
async fn messages_of_a_queue_that_has_lost_its_definition_are_kept_until_an_operator_removes_them() {
    let directory = tempfile::tempdir().unwrap();
    let clock = FakeClock::new();
    let queue_manager = start_in(directory.path(), &clock);
    define(&queue_manager, "Q").await;
    let connection = connect(&queue_manager, administrator());
    for body in ["one", "two"] {
        put(&connection, body, Persistence::Persistent, PutFlags::empty()).await;
    }
    queue_manager.stop().await;
    drop((connection, queue_manager));
    lose_definition(directory.path(), "Q").await;
    for _ in 0..2 {
        let queue_manager = start_in(directory.path(), &clock);
        assert!(queue_manager.queue(&name("Q")).is_none());
        let kept = queue_manager.quarantine();
        assert_eq!(kept.iter().map(|message| message.queue).collect::<Vec<_>>(), [None; 2]);
        let bodies = kept.iter().map(|message| storage::block_on(queue_manager.salvage(message.key)).unwrap());
        assert_eq!(bodies.collect::<Vec<_>>(), ["one", "two"]);
        queue_manager.stop().await;
    }
    let queue_manager = start_in(directory.path(), &clock);
    // A new queue with the name is another one.
    define(&queue_manager, "Q").await;
    let kept = queue_manager.quarantine();
    assert_ne!(queue_manager.queue(&name("Q")).unwrap().as_local().unwrap().store_id, kept[0].queue_number);
    for message in kept {
        assert!(queue_manager.remove_quarantined(message.key).await.unwrap());
    }
    queue_manager.stop().await;
    drop(queue_manager);
    let queue_manager = start_in(directory.path(), &clock);
    assert_eq!(queue_manager.quarantine().len(), 0);
}

/// A persistent message asks for a report, which goes to a temporary queue: the queue is gone after a restart, and what was on it.
#[tokio::test]
async fn a_report_on_a_temporary_dynamic_queue_leaves_nothing_to_keep() {
    let directory = tempfile::tempdir().unwrap();
    let clock = FakeClock::new();
    let queue_manager = start_in(directory.path(), &clock);
    define(&queue_manager, "Q").await;
    let connection = connect(&queue_manager, administrator());
    let model = ObjectDescriptor { dynamic_queue: "T.*".to_owned(), ..object("SYSTEM.DEFAULT.MODEL.QUEUE") };
    let opened = connection.open(&administrator(), &model, EVERYTHING).await.unwrap();
    let descriptor = MessageDescriptor {
        persistence: Persistence::Persistent,
        report: Report::COA,
        reply_to_queue: opened.object_name,
        ..MessageDescriptor::default()
    };
    let options = PutOptions { flags: PutFlags::empty(), context: None };
    connection.put1(&administrator(), &object("Q"), descriptor, &options, Bytes::from("reported")).await.unwrap();
    let browse = GetOptions { flags: GetFlags::BROWSE_FIRST, ..GetOptions::default() };
    let report = connection.get(opened.handle, &browse).await.unwrap();
    assert_eq!(report.descriptor.persistence, Persistence::Persistent);
    // The queue is never closed.
    queue_manager.stop().await;
    drop((connection, queue_manager));
    assert_eq!(start_in(directory.path(), &clock).quarantine().len(), 0);
}
