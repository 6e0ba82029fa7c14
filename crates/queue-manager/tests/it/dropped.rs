//! Tasks that are dropped half-way, while the disk is busy: nothing is lost, nobody sleeps, nothing stays open.

use std::future::Future;
use std::path::Path;
use std::pin::pin;
use std::sync::{Arc, RwLock};
use std::task::{Context, Waker};
use std::time::Duration;

use bytes::Bytes;
use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity};
use model::definition::attribute::Kind;
use model::definition::queue::{DefinitionType, TriggerType};
use model::definition::{
    AdministeredObject, QueueDefinition, QueueKind, QueueManagerDefinition, SubscriptionDefinition, TopicDefinition,
};
use model::descriptor::{Expiry, MessageDescriptor, Persistence, Report};
use model::options::{CloseOptions, GetFlags, GetOptions, ObjectDescriptor, OpenOptions, PutFlags, PutOptions};
use model::reason::Reason;
use queue_manager::connection::ObjectHandle;
use queue_manager::objects::ObjectError;
use queue_manager::{Connection, Home, QueueManager};
use storage::StoreOptions;
use storage::private::log::disk::Disk;

use crate::disk::SyncedBy;
use crate::script::{EVERYTHING, FakeClock, PATIENCE, administrator, connect, name, start, start_with};

/// Syncs wait while the test holds the gate.
fn gated(directory: &Path, gate: &Arc<RwLock<()>>) -> Arc<SyncedBy> {
    let gate = Arc::clone(gate);
    SyncedBy::new(directory, move |directory, file| {
        let _open = gate.read().unwrap();
        directory.sync(file)
    })
}

struct Bench {
    queue_manager: QueueManager,
    gate: Arc<RwLock<()>>,
    housekeeping: tokio::task::JoinHandle<()>,
    _directory: tempfile::TempDir,
}

impl Bench {
    /// Queue Q on a real disk.
    async fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let gate = Arc::new(RwLock::new(()));
        let disk = gated(directory.path(), &gate);
        let queue_manager = start(Home::Disk(disk), FakeClock::new());
        queue_manager.define_queue(&administrator(), QueueDefinition::local(name("Q")), false).await.unwrap();
        let running = queue_manager.clone();
        let housekeeping = tokio::spawn(async move { running.run().await });
        Self { queue_manager, gate, housekeeping, _directory: directory }
    }

    async fn open(&self, queue: &str, options: OpenOptions) -> (Connection, ObjectHandle) {
        let connection = connect(&self.queue_manager, administrator());
        let opened = connection.open(&administrator(), &object(queue), options).await.unwrap();
        (connection, opened.handle)
    }

    /// Polls once while the disk is busy, and drops: the caller went away. False when it was already over.
    fn begin_and_drop<T>(&self, future: impl Future<Output = T>) -> bool {
        let _closed = self.gate.write().unwrap();
        let mut future = pin!(future);
        future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending()
    }

    fn depth(&self, queue: &str) -> u32 {
        self.queue_manager.queue_status(&name(queue)).unwrap().depth.current
    }

    async fn end(self) {
        self.queue_manager.stop().await;
        self.housekeeping.await.unwrap();
    }
}

fn object(queue: &str) -> ObjectDescriptor {
    ObjectDescriptor { name: name(queue), ..ObjectDescriptor::default() }
}

fn persistent() -> MessageDescriptor {
    MessageDescriptor { persistence: Persistence::Persistent, ..MessageDescriptor::default() }
}

fn wait() -> GetOptions {
    GetOptions { flags: GetFlags::WAIT, wait: Some(Duration::from_secs(30)), ..GetOptions::default() }
}

async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..30_000 {
        if holds() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{what} did not come true");
}

#[tokio::test]
async fn a_put_whose_caller_went_away_wakes_its_waiter() {
    let bench = Bench::new().await;
    let (getter, handle) = bench.open("Q", OpenOptions::INPUT_SHARED).await;
    let waiting = tokio::spawn(async move { getter.get(handle, &wait()).await });
    until("the wait", || bench.queue_manager.queue_status(&name("Q")).unwrap().waiters == 1).await;
    let putter = connect(&bench.queue_manager, administrator());
    let options = PutOptions::default();
    let was_pending =
        bench.begin_and_drop(putter.put1(&administrator(), &object("Q"), persistent(), &options, Bytes::from("A")));
    assert!(was_pending, "a durable put waits for the disk");
    assert_eq!(waiting.await.unwrap().unwrap().body, "A");
    bench.end().await;
}

#[tokio::test]
async fn a_put_whose_caller_went_away_still_triggers() {
    let bench = Bench::new().await;
    let define =
        async |definition| bench.queue_manager.define_queue(&administrator(), definition, false).await.unwrap();
    define(QueueDefinition::local(name("I"))).await;
    let mut triggered = QueueDefinition::local(name("T"));
    let local = triggered.as_local_mut().unwrap();
    local.trigger.enabled = true;
    local.trigger.kind = TriggerType::First;
    local.initiation_queue = name("I");
    define(triggered).await;
    let (_monitor, _handle) = bench.open("I", OpenOptions::INPUT_SHARED).await;
    let putter = connect(&bench.queue_manager, administrator());
    let options = PutOptions::default();
    let was_pending =
        bench.begin_and_drop(putter.put1(&administrator(), &object("T"), persistent(), &options, Bytes::from("A")));
    assert!(was_pending, "a durable put waits for the disk");
    until("the trigger message", || bench.depth("I") == 1).await;
    bench.end().await;
}

#[tokio::test]
async fn a_commit_whose_caller_went_away_is_finished() {
    let bench = Bench::new().await;
    let (getter, handle) = bench.open("Q", OpenOptions::INPUT_SHARED).await;
    let putter = connect(&bench.queue_manager, administrator());
    let options = PutOptions { flags: PutFlags::SYNCPOINT, context: None };
    for body in ["A", "B"] {
        putter.put1(&administrator(), &object("Q"), persistent(), &options, Bytes::from(body)).await.unwrap();
    }
    let waiting = tokio::spawn(async move {
        let first = getter.get(handle, &wait()).await.unwrap().message.body;
        (first, getter.get(handle, &wait()).await.unwrap().message.body)
    });
    until("the wait", || bench.queue_manager.queue_status(&name("Q")).unwrap().waiters == 1).await;
    assert!(bench.begin_and_drop(putter.commit()), "a durable commit waits for the disk");
    assert_eq!(waiting.await.unwrap(), (Bytes::from("A"), Bytes::from("B")));
    bench.end().await;
}

#[tokio::test]
async fn a_disconnect_whose_caller_went_away_closes_everything() {
    let bench = Bench::new().await;
    let connection = connect(&bench.queue_manager, administrator());
    for number in 0..3 {
        let template =
            ObjectDescriptor { dynamic_queue: format!("T.{number}"), ..object("SYSTEM.DEFAULT.MODEL.QUEUE") };
        connection.open(&administrator(), &template, OpenOptions::OUTPUT).await.unwrap();
    }
    connection.open(&administrator(), &object("Q"), EVERYTHING).await.unwrap();
    assert!(bench.begin_and_drop(connection.disconnect()), "deleting a queue waits for the disk");
    until("the end of the temporary queues", || {
        (0..3).all(|number| bench.queue_manager.queue(&name(&format!("T.{number}"))).is_none())
    })
    .await;
    let status = bench.queue_manager.queue_status(&name("Q")).unwrap();
    assert_eq!((status.open_input, status.open_output), (0, 0));
    assert!(bench.queue_manager.connections().is_empty());
    bench.end().await;
}

#[tokio::test]
async fn a_deletion_whose_caller_went_away_is_whole() {
    let bench = Bench::new().await;
    let administrator = administrator();
    let queue = name("Q");
    let deletion = bench.queue_manager.delete_queue(&administrator, &queue, false);
    assert!(bench.begin_and_drop(deletion), "a deletion waits for the disk");
    assert!(bench.queue_manager.queue(&queue).is_none());
    bench.queue_manager.define_queue(&administrator, QueueDefinition::local(queue), false).await.unwrap();
    let (connection, handle) = bench.open("Q", EVERYTHING).await;
    connection.put(handle, persistent(), &PutOptions::default(), Bytes::from("A")).await.unwrap();
    assert_eq!(connection.get(handle, &wait()).await.unwrap().body, "A");
    bench.end().await;
}

#[tokio::test]
async fn a_dynamic_queue_whose_deleter_went_away_is_gone() {
    let bench = Bench::new().await;
    let administrator = administrator();
    let mut model = (*bench.queue_manager.queue(&name("SYSTEM.DEFAULT.MODEL.QUEUE")).unwrap()).clone();
    model.name = name("M");
    let QueueKind::Model(instance) = &mut model.kind else { panic!("{model:?}") };
    instance.local.definition_type = DefinitionType::PermanentDynamic;
    bench.queue_manager.define_queue(&administrator, model, false).await.unwrap();
    let connection = connect(&bench.queue_manager, administrator.clone());
    let template = ObjectDescriptor { dynamic_queue: "P".to_owned(), ..object("M") };
    let opened = connection.open(&administrator, &template, OpenOptions::OUTPUT).await.unwrap();
    let close = connection.close(opened.handle, CloseOptions::DELETE);
    assert!(bench.begin_and_drop(close), "deleting a permanent queue waits for the disk");
    assert!(bench.queue_manager.queue(&name("P")).is_none());
    connection.disconnect().await.unwrap();
    bench.end().await;
}

#[tokio::test]
async fn definitions_whose_maker_went_away_are_in_force() {
    let bench = Bench::new().await;
    let administrator = administrator();
    let manager = &bench.queue_manager;
    let queue = manager.define_queue(&administrator, QueueDefinition::local(name("NEW")), false);
    assert!(bench.begin_and_drop(queue), "a definition waits for the disk");
    manager.delete_queue(&administrator, &name("NEW"), false).await.unwrap();
    let topic = TopicDefinition { name: name("T"), topic_string: "t".to_owned(), ..TopicDefinition::default() };
    assert!(bench.begin_and_drop(manager.define_topic(&administrator, topic, false)));
    assert!(manager.topic(&name("T")).is_some());
    assert!(bench.begin_and_drop(manager.delete_topic(&administrator, &name("T"))));
    assert!(manager.topic(&name("T")).is_none());
    let mut process = AdministeredObject::blank(Kind::Process).unwrap();
    process.set_name(name("P"));
    assert!(bench.begin_and_drop(manager.define_object(&administrator, process, false)));
    assert!(manager.object(AuthorityObject::Process, &name("P")).is_some());
    assert!(bench.begin_and_drop(manager.delete_object(&administrator, AuthorityObject::Process, &name("P"))));
    assert!(manager.object(AuthorityObject::Process, &name("P")).is_none());
    bench.end().await;
}

#[tokio::test]
async fn alterations_whose_maker_went_away_are_in_force() {
    let bench = Bench::new().await;
    let administrator = administrator();
    let manager = &bench.queue_manager;
    let describe = |queue: &mut QueueDefinition| {
        queue.description = "altered".to_owned();
        Ok::<(), ObjectError>(())
    };
    let queue = name("Q");
    let alteration = manager.change_queue(&administrator, &queue, false, describe);
    assert!(bench.begin_and_drop(alteration), "an alteration waits for the disk");
    assert_eq!(manager.queue(&name("Q")).unwrap().description, "altered");
    let describe = |manager: &mut QueueManagerDefinition| {
        manager.description = "altered".to_owned();
        Ok::<(), ObjectError>(())
    };
    assert!(bench.begin_and_drop(manager.change_queue_manager(&administrator, describe)));
    assert_eq!(manager.definition().description, "altered");
    bench.end().await;
}

#[tokio::test]
async fn triggering_that_was_switched_on_by_who_went_away_looks_at_what_is_there() {
    let bench = Bench::new().await;
    let administrator = administrator();
    let manager = &bench.queue_manager;
    manager.define_queue(&administrator, QueueDefinition::local(name("I")), false).await.unwrap();
    let (_monitor, _handle) = bench.open("I", OpenOptions::INPUT_SHARED).await;
    let putter = connect(manager, administrator.clone());
    putter.put1(&administrator, &object("Q"), persistent(), &PutOptions::default(), Bytes::from("A")).await.unwrap();
    let trigger = |queue: &mut QueueDefinition| {
        let local = queue.as_local_mut().unwrap();
        local.trigger.enabled = true;
        local.trigger.kind = TriggerType::First;
        local.initiation_queue = name("I");
        Ok::<(), ObjectError>(())
    };
    let queue = name("Q");
    assert!(bench.begin_and_drop(manager.change_queue(&administrator, &queue, false, trigger)));
    until("the trigger message", || bench.depth("I") == 1).await;
    bench.end().await;
}

#[tokio::test]
async fn triggering_that_was_set_by_who_went_away_looks_at_what_is_there() {
    let bench = Bench::new().await;
    let administrator = administrator();
    bench.queue_manager.define_queue(&administrator, QueueDefinition::local(name("I")), false).await.unwrap();
    let mut triggered = QueueDefinition::local(name("T"));
    let local = triggered.as_local_mut().unwrap();
    local.trigger.kind = TriggerType::First;
    local.initiation_queue = name("I");
    bench.queue_manager.define_queue(&administrator, triggered, false).await.unwrap();
    let (_monitor, _handle) = bench.open("I", OpenOptions::INPUT_SHARED).await;
    let (program, handle) = bench.open("T", OpenOptions::SET).await;
    program.put1(&administrator, &object("T"), persistent(), &PutOptions::default(), Bytes::from("A")).await.unwrap();
    // MQIA_TRIGGER_CONTROL.
    assert!(bench.begin_and_drop(program.set(handle, &[24], &[1], &[])));
    until("the trigger message", || bench.depth("I") == 1).await;
    bench.end().await;
}

#[tokio::test]
async fn a_subscription_whose_deleter_went_away_takes_its_queue_along() {
    let bench = Bench::new().await;
    let administrator = administrator();
    let manager = &bench.queue_manager;
    let subscription = SubscriptionDefinition {
        name: "S".to_owned(),
        topic_string: "t".to_owned(),
        durable: true,
        managed: true,
        ..SubscriptionDefinition::default()
    };
    manager.define_subscription(&administrator, subscription, false).await.unwrap();
    let queue = manager.subscription("S").unwrap().destination;
    assert!(manager.queue(&queue).is_some());
    assert!(bench.begin_and_drop(manager.delete_subscription(&administrator, "S")), "a deletion waits for the disk");
    assert!(manager.subscription("S").is_none());
    assert!(manager.subscription_statuses().iter().all(|status| status.definition.name != "S"));
    until("the end of the managed queue", || manager.queue(&queue).is_none()).await;
    bench.end().await;
}

impl Bench {
    /// As `new`, with a clock that moves when told, and so many bytes for bodies in memory.
    async fn with(clock: Arc<FakeClock>, buffer_pool_bytes: u64) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let gate = Arc::new(RwLock::new(()));
        let disk = gated(directory.path(), &gate);
        let store = StoreOptions { buffer_pool_bytes, ..StoreOptions::default() };
        let queue_manager = start_with(Home::Disk(disk), store, clock);
        queue_manager.define_queue(&administrator(), QueueDefinition::local(name("Q")), false).await.unwrap();
        let running = queue_manager.clone();
        let housekeeping = tokio::spawn(async move { running.run().await });
        Self { queue_manager, gate, housekeeping, _directory: directory }
    }
}

#[tokio::test]
async fn what_a_get_discards_whose_caller_went_away_is_reported_and_the_rest_expires_in_time() {
    let clock = FakeClock::new();
    let bench = Bench::with(clock.clone(), 1 << 20).await;
    bench.queue_manager.define_queue(&administrator(), QueueDefinition::local(name("R")), false).await.unwrap();
    let (putter, getter) = (connect(&bench.queue_manager, administrator()), bench.open("Q", EVERYTHING).await);
    for tenths in [10, 30] {
        let lifetime = MessageDescriptor { expiry: Expiry(tenths), ..persistent() };
        let descriptor = MessageDescriptor { report: Report::EXPIRATION, reply_to_queue: name("R"), ..lifetime };
        let options = PutOptions::default();
        putter.put1(&administrator(), &object("Q"), descriptor, &options, Bytes::from("A")).await.unwrap();
    }
    clock.advance(Duration::from_secs(2));
    let (getter, handle) = getter;
    let was_pending = bench.begin_and_drop(getter.get(handle, &GetOptions::default()));
    assert!(was_pending, "discarding a persistent message waits for the disk");
    assert_eq!(bench.depth("Q"), 1);
    clock.advance(Duration::from_secs(2));
    until("the end of the other message", || bench.depth("Q") == 0).await;
    until("both reports", || bench.depth("R") == 2).await;
    bench.end().await;
}

#[tokio::test]
async fn a_longer_message_that_comes_while_a_get_waits_for_the_disk_is_left_on_the_queue() {
    let bench = Bench::with(FakeClock::new(), 0).await;
    let (connection, handle) = bench.open("Q", EVERYTHING).await;
    let put = |priority, body| {
        let descriptor = MessageDescriptor { priority, ..persistent() };
        connection.put(handle, descriptor, const { &PutOptions { flags: PutFlags::empty(), context: None } }, body)
    };
    let options = GetOptions { buffer_length: Some(5), ..GetOptions::default() };
    let mut short = pin!(put(0, Bytes::from("short")));
    let mut getting = pin!(connection.get(handle, &options));
    let mut longer = pin!(put(9, Bytes::from("longer")));
    {
        let _closed = bench.gate.write().unwrap();
        let mut context = Context::from_waker(Waker::noop());
        assert!(short.as_mut().poll(&mut context).is_pending());
        assert!(getting.as_mut().poll(&mut context).is_pending(), "its body is not on disk yet");
        assert!(longer.as_mut().poll(&mut context).is_pending());
    }
    // All at once: whoever is called when a sync ends calls his neighbours on the same thread.
    let (short, longer, got) = tokio::join!(short, longer, getting);
    short.and(longer).unwrap();
    let got = got.unwrap();
    assert_eq!((got.warning, got.data_length), (Some(Reason::TruncatedMsgFailed), 6));
    assert_eq!(bench.depth("Q"), 2);
    bench.end().await;
}

#[tokio::test]
async fn a_message_that_a_get_was_reading_whose_caller_went_away_goes_to_who_waits() {
    let directory = tempfile::tempdir().unwrap();
    let disk = SyncedBy::new(directory.path(), Disk::sync);
    let store = StoreOptions { buffer_pool_bytes: 0, ..StoreOptions::default() };
    let queue_manager = start_with(Home::Disk(disk.clone()), store, FakeClock::new());
    queue_manager.define_queue(&administrator(), QueueDefinition::local(name("Q")), false).await.unwrap();
    let connection = connect(&queue_manager, administrator());
    let options = PutOptions::default();
    connection.put1(&administrator(), &object("Q"), persistent(), &options, Bytes::from("A")).await.unwrap();
    let opened = connection.open(&administrator(), &object("Q"), OpenOptions::INPUT_SHARED).await.unwrap();
    let other = connect(&queue_manager, administrator());
    let waits = other.open(&administrator(), &object("Q"), OpenOptions::INPUT_SHARED).await.unwrap().handle;
    for flags in [GetFlags::NO_SYNCPOINT, GetFlags::SYNCPOINT] {
        let reading = disk.reads.write().unwrap();
        let mut context = Context::from_waker(Waker::noop());
        let at_once = GetOptions { flags, ..GetOptions::default() };
        let mut goes_away = Box::pin(connection.get(opened.handle, &at_once));
        assert!(goes_away.as_mut().poll(&mut context).is_pending(), "it reads");
        let wait = wait();
        let mut waiting = Box::pin(other.get(waits, &wait));
        assert!(waiting.as_mut().poll(&mut context).is_pending(), "the message is held");
        drop(goes_away);
        drop(reading);
        let got = tokio::time::timeout(PATIENCE, waiting).await.expect("it was told").unwrap();
        assert_eq!(got.body, "A");
        connection.put1(&administrator(), &object("Q"), persistent(), &options, Bytes::from("A")).await.unwrap();
    }
    queue_manager.stop().await;
}

#[tokio::test]
async fn an_authority_taken_away_by_who_went_away_is_gone() {
    let bench = Bench::new().await;
    let administrator = administrator();
    let manager = &bench.queue_manager;
    let (object, entity) = (AuthorityObject::Queue, Entity::Principal("app".to_owned()));
    let granted = || manager.entity_authority(&entity, object, &name("Q"));
    let both = Authority::PUT | Authority::GET;
    let record = |authorities| AuthorityRecord { profile: "Q".to_owned(), object, entity: entity.clone(), authorities };
    assert!(bench.begin_and_drop(manager.set_authority(&administrator, record(both))), "a record waits for the disk");
    assert_eq!(granted(), both);
    let change = manager.change_authority(&administrator, record(Authority::empty()), Authority::PUT);
    assert!(bench.begin_and_drop(change));
    assert_eq!(granted(), Authority::GET);
    assert!(bench.begin_and_drop(manager.delete_authority(&administrator, object, "Q", &entity)));
    assert_eq!(granted(), Authority::empty());
    bench.end().await;
}
