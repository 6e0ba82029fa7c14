//! Delayed delivery: nothing before its time, everything after it, once, whatever happens in between.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use expect_test::expect;
use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity, Principal};
use model::definition::SubscriptionDefinition;
use model::descriptor::{Expiry, MessageDescriptor, Persistence};
use model::message::Message;
use model::options::{GetFlags, GetOptions, ObjectDescriptor, ObjectKind, PutFlags, PutOptions};
use model::reason::Reason;
use queue_manager::{Connection, Due, Home, QueueManager};
use storage::private::log::disk::DirectoryDisk;

use crate::script::{EVERYTHING, FakeClock, PATIENCE, administrator, check, connect, ephemeral, name, start};

const STAGING: &str = "SYSTEM.DDELAY.LOCAL.QUEUE";

#[test]
fn a_message_is_delivered_when_it_is_due_and_not_before() {
    check(
        "put A due=2 pri=7 corr=c; depth Q; depth SYSTEM.DDELAY.LOCAL.QUEUE; advance 1.9; housekeep; depth Q;
         advance 0.1; housekeep; get show=pri,corr,bc; depth SYSTEM.DDELAY.LOCAL.QUEUE",
        expect!["0 1 0 A pri=7 corr=c bc=0 0"],
    );
}

#[test]
fn a_time_that_is_over_is_now() {
    check("put A due=-1; put B due=0; get; get; depth SYSTEM.DDELAY.LOCAL.QUEUE", expect!["A B 0"]);
}

#[test]
fn messages_are_delivered_in_the_order_of_their_times() {
    check("put C due=3; put A due=1; put B due=2; advance 5; housekeep; get; get; get", expect!["A B C"]);
}

#[test]
fn what_is_put_in_a_unit_of_work_is_staged_by_its_commit_alone() {
    check(
        "put A due=1 syncpoint; advance 2; housekeep; depth Q; commit; housekeep; get;
         put B due=1 syncpoint; back_out; advance 2; housekeep; depth Q; depth SYSTEM.DDELAY.LOCAL.QUEUE",
        expect!["0 A 0 0"],
    );
}

#[test]
fn its_life_begins_with_its_delivery() {
    check(
        "put A due=5 exp=10; advance 5; housekeep; advance 0.9; get;
         put B due=5 exp=10; advance 5; housekeep; advance 1; get",
        expect!["A 2033"],
    );
}

#[test]
fn a_full_queue_is_tried_again() {
    check(
        "alter Q MAXDEPTH=1; put A; put B due=1; advance 1; housekeep; depth SYSTEM.DDELAY.LOCAL.QUEUE; get;
         housekeep 1100; get; depth SYSTEM.DDELAY.LOCAL.QUEUE",
        expect!["1 A B 0"],
    );
}

#[test]
fn what_its_queue_does_not_take_goes_to_the_dead_letter_queue_after_two_minutes() {
    check(
        "alter_qmgr DEADQ=SYSTEM.DEAD.LETTER.QUEUE; define GONE; put1 A to=GONE due=1; delete GONE; advance 1; housekeep 60000;
         depth SYSTEM.DDELAY.LOCAL.QUEUE; housekeep 90000; depth SYSTEM.DDELAY.LOCAL.QUEUE; open d SYSTEM.DEAD.LETTER.QUEUE input;
         get on=d show=fmt buf=0 truncate",
        expect!["1 0 - fmt=MQDEAD !2079"],
    );
}

#[test]
fn without_a_dead_letter_queue_it_stays_until_its_queue_takes_it() {
    check(
        "define LATER; put1 A to=LATER due=1; delete LATER; advance 1; housekeep 600000; depth SYSTEM.DDELAY.LOCAL.QUEUE;
         define LATER; housekeep 61000; depth SYSTEM.DDELAY.LOCAL.QUEUE; open l LATER input; get on=l",
        expect!["1 0 A"],
    );
}

#[test]
fn the_depth_of_the_staging_queue_bounds_what_waits() {
    check("alter SYSTEM.DDELAY.LOCAL.QUEUE MAXDEPTH=1; put A due=1; put B due=1; put C; get", expect!["2053 C"]);
}

#[test]
fn no_program_puts_to_the_staging_queue() {
    check("put1 A to=SYSTEM.DDELAY.LOCAL.QUEUE", expect!["2051"]);
}

#[test]
fn what_is_refused_at_once_is_refused_before_it_is_staged() {
    check(
        "alter Q MAXMSGL=5; put A*6 due=1; alter Q PUT=DISABLED; put A due=1; put1 A to=NONE due=1; depth SYSTEM.DDELAY.LOCAL.QUEUE",
        expect!["2030 2051 2085 0"],
    );
}

#[test]
fn a_message_that_an_operator_takes_is_not_delivered_and_one_that_comes_back_is() {
    check(
        "put A due=1; put B due=1; open s SYSTEM.DDELAY.LOCAL.QUEUE input; get on=s buf=0 truncate syncpoint; advance 2; housekeep; get;
         get; back_out; housekeep; get; put C due=1; get on=s buf=0 truncate; advance 2; housekeep 6000; get",
        expect!["- !2079 B 2033 A - !2079 2033"],
    );
}

fn start_in(directory: &Path, clock: &Arc<FakeClock>) -> QueueManager {
    let disk = DirectoryDisk::open(directory.to_owned()).unwrap();
    start(Home::Disk(Arc::new(disk)), clock.clone())
}

/// Under a clock that runs ahead when nothing else is left to do.
async fn housekeep(queue_manager: &QueueManager) {
    let _ = tokio::time::timeout(Duration::from_millis(200), queue_manager.run()).await;
}

/// Until so many messages are left on the staging queue, which its threads' work on a disk takes its time for.
async fn housekeep_until(queue_manager: &QueueManager, staged: u32) {
    let is_done = async {
        while queue_manager.queue_status(&name(STAGING)).unwrap().depth.current != staged {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        () = queue_manager.run() => panic!("the queue manager stopped"),
        done = tokio::time::timeout(PATIENCE, is_done) => done.expect("they are delivered"),
    }
}

async fn define(queue_manager: &QueueManager, queue: &str) {
    let definition = model::definition::QueueDefinition::local(name(queue));
    queue_manager.define_queue(&administrator(), definition, false).await.unwrap();
}

fn queue(queue: &str) -> ObjectDescriptor {
    ObjectDescriptor { name: name(queue), ..ObjectDescriptor::default() }
}

fn topic(topic: &str) -> ObjectDescriptor {
    ObjectDescriptor { object: ObjectKind::Topic, topic_string: topic.to_owned(), ..ObjectDescriptor::default() }
}

fn message(body: &'static str) -> Box<Message> {
    let descriptor = MessageDescriptor { persistence: Persistence::Persistent, ..MessageDescriptor::default() };
    Box::new(Message { descriptor, body: Bytes::from(body) })
}

async fn put(connection: &Connection, to: &ObjectDescriptor, body: &'static str, flags: PutFlags, seconds: u64) {
    let options = PutOptions { flags, context: None };
    let due = Some(Due::After(Duration::from_secs(seconds)));
    connection.put1_due(&administrator(), to, message(body), &options, due).await.unwrap();
}

async fn all(connection: &Connection, from: &str) -> Vec<String> {
    let opened = connection.open(&administrator(), &queue(from), EVERYTHING).await.unwrap();
    let options = GetOptions { flags: GetFlags::NO_SYNCPOINT, ..GetOptions::default() };
    let mut bodies = Vec::new();
    while let Ok(got) = connection.get(opened.handle, &options).await {
        bodies.push(String::from_utf8_lossy(&got.body).into_owned());
    }
    bodies
}

#[tokio::test]
async fn what_became_due_while_the_server_was_down_comes_at_once_in_the_order_of_its_times() {
    let directory = tempfile::tempdir().unwrap();
    let clock = FakeClock::new();
    let queue_manager = start_in(directory.path(), &clock);
    define(&queue_manager, "Q").await;
    let connection = connect(&queue_manager, administrator());
    for (body, seconds) in [("third", 3), ("first", 1), ("later", 60), ("second", 2)] {
        put(&connection, &queue("Q"), body, PutFlags::empty(), seconds).await;
    }
    put(&connection, &queue("Q"), "never committed", PutFlags::SYNCPOINT, 1).await;
    drop(connection);
    queue_manager.stop().await;
    drop(queue_manager);

    clock.advance(Duration::from_secs(10));
    let queue_manager = start_in(directory.path(), &clock);
    let connection = connect(&queue_manager, administrator());
    housekeep_until(&queue_manager, 1).await;
    assert_eq!(all(&connection, "Q").await, ["first", "second", "third"]);
    drop(connection);
    queue_manager.stop().await;
    drop(queue_manager);

    // Delivered once: another start finds the last one alone.
    clock.advance(Duration::from_secs(60));
    let queue_manager = start_in(directory.path(), &clock);
    let connection = connect(&queue_manager, administrator());
    housekeep_until(&queue_manager, 0).await;
    assert_eq!(all(&connection, "Q").await, ["later"]);
}

#[tokio::test(start_paused = true)]
async fn a_publication_goes_to_those_who_subscribe_when_it_is_due() {
    let clock = FakeClock::new();
    let queue_manager = ephemeral(clock.clone());
    let connection = connect(&queue_manager, administrator());
    for subscriber in ["EARLY", "LATE"] {
        define(&queue_manager, subscriber).await;
    }
    subscribe(&queue_manager, "EARLY").await;
    put(&connection, &topic("orders/new"), "A", PutFlags::empty(), 5).await;
    housekeep(&queue_manager).await;
    assert_eq!(all(&connection, "EARLY").await, [""; 0]);
    subscribe(&queue_manager, "LATE").await;
    clock.advance(Duration::from_secs(5));
    housekeep(&queue_manager).await;
    assert_eq!((all(&connection, "EARLY").await, all(&connection, "LATE").await), (vec!["A".into()], vec!["A".into()]));
}

async fn subscribe(queue_manager: &QueueManager, to: &str) {
    let definition = SubscriptionDefinition {
        name: to.to_owned(),
        topic_string: "orders/new".to_owned(),
        destination: name(to),
        ..SubscriptionDefinition::default()
    };
    queue_manager.define_subscription(&administrator(), definition, false).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn authority_is_that_of_the_put_and_none_is_needed_for_the_staging_queue() {
    let clock = FakeClock::new();
    let queue_manager = ephemeral(clock.clone());
    for one in ["MINE", "OTHER"] {
        define(&queue_manager, one).await;
    }
    let record = |authorities, object, profile: &str| AuthorityRecord {
        profile: profile.to_owned(),
        object,
        entity: Entity::Principal("app".to_owned()),
        authorities,
    };
    let connect_record = record(Authority::CONNECT, AuthorityObject::QueueManager, "QM1");
    for record in [connect_record, record(Authority::PUT, AuthorityObject::Queue, "MINE")] {
        queue_manager.set_authority(&administrator(), record).await.unwrap();
    }
    let app = Principal::user("app");
    let connection = connect(&queue_manager, app.clone());
    let due = Some(Due::After(Duration::from_secs(1)));
    let mut sent = message("A");
    sent.descriptor.expiry = Expiry(10);
    connection.put1_due(&app, &queue("MINE"), sent, &PutOptions::default(), due).await.unwrap();
    let refused = connection.put1_due(&app, &queue("OTHER"), message("B"), &PutOptions::default(), due).await;
    assert_eq!(refused.map(drop), Err(Reason::NotAuthorized));
    // The user may go meanwhile: the message keeps its context.
    let nothing = record(Authority::empty(), AuthorityObject::Queue, "MINE");
    queue_manager.set_authority(&administrator(), nothing).await.unwrap();
    clock.advance(Duration::from_secs(1));
    housekeep(&queue_manager).await;
    let reader = connect(&queue_manager, administrator());
    let opened = reader.open(&administrator(), &queue("MINE"), EVERYTHING).await.unwrap();
    let got = reader.get(opened.handle, &GetOptions::default()).await.unwrap();
    assert_eq!((&got.body[..], got.descriptor.user_identifier.to_string().as_str()), (&b"A"[..], "app"));
}
