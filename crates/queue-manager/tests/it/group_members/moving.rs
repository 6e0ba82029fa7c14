//! Shared queues that move to the database of another structure, while programs work with them, and interrupted.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use bytes::Bytes;
use model::definition::AdministeredObject;
use model::definition::queue::{Disposition, LocalQueue};
use model::definition::structure::StructureDefinition;
use model::descriptor::{MessageDescriptor, Persistence};
use model::options::{GetFlags, GetOptions, PutFlags, PutOptions};
use model::reason::Reason;
use queue_manager::objects::ObjectError;
use queue_manager::{Connection, QueueManager, SharedOptions, StructureDatabase};
use tokio::time::Instant;

use super::{EVERYTHING, Member, PATIENCE, administrator, get, name, object, put, run_apart};
use crate::postgres::Database;

/// A group whose structure APP2 has a database of its own.
struct Databases {
    home: Database,
    own: Database,
}

impl Databases {
    fn new() -> Self {
        let databases = Self { home: Database::empty(), own: Database::empty() };
        let mut options = SharedOptions::new(databases.home.url.clone(), String::new());
        databases.add_structure(&mut options);
        run_apart(|| crate::postgres::make_group(&options, "QSG1")).unwrap();
        databases
    }

    fn add_structure(&self, options: &mut SharedOptions) {
        let (structure, database) = ("APP2".to_owned(), self.own.url.clone());
        options.structures.push(StructureDatabase { structure, database, password: None, tls: None });
    }

    async fn member(&self, queue_manager: &str) -> Member {
        Member::start_with(&self.home, queue_manager, |options| self.add_structure(options)).await
    }

    /// Two members, with the shared queue Q in APP1.
    async fn two(&self) -> (Member, Member) {
        let (one, two) = (self.member("QM1").await, self.member("QM2").await);
        one.define_structure().await;
        let structure = StructureDefinition { name: name("APP2"), recover: true, ..StructureDefinition::default() };
        let structure = AdministeredObject::Structure(Box::new(structure));
        one.queue_manager.define_object(&administrator(), structure, false).await.unwrap();
        one.define("Q", Disposition::Shared).await.unwrap();
        two.until_known("Q").await;
        (one, two)
    }

    /// Messages in each, the home first.
    fn messages(&self) -> [i64; 2] {
        let count = |database: &Database| {
            let rows = run_apart(|| database.run("SELECT count(*) FROM message"));
            rows[0][0].as_deref().unwrap().parse().unwrap()
        };
        [count(&self.home), count(&self.own)]
    }
}

fn on_databases(test: impl AsyncFnOnce(&Databases)) {
    let databases = Databases::new();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(test(&databases));
}

async fn move_to(member: &Member, structure: &str) -> Result<(), ObjectError> {
    member.queue_manager.move_queue_to_structure(&administrator(), &name("Q"), &name(structure)).await
}

/// The queue, as a member knows it.
fn moved(member: &QueueManager) -> LocalQueue {
    member.queue(&name("Q")).unwrap().as_local().unwrap().clone()
}

/// Reasons that tell a program to try again, or to open the queue again.
fn is_passing(reason: Reason) -> bool {
    matches!(
        reason,
        Reason::PutInhibited | Reason::GetInhibited | Reason::ObjectChanged | Reason::NoMsgAvailable | Reason::QFull
    )
}

/// A program that keeps the queue open, and opens it again when it is told that it has changed. It counts what it has put.
async fn produce(connection: Connection, producer: usize, stop: Arc<AtomicBool>, count: Arc<AtomicU32>) {
    let mut put = 0;
    'open: while !stop.load(Ordering::Acquire) {
        let opened = connection.open(&administrator(), &object("Q"), EVERYTHING).await;
        let handle = match opened {
            Ok(opened) => opened.handle,
            Err(reason) => {
                assert!(is_passing(reason), "{reason:?}");
                continue;
            }
        };
        while !stop.load(Ordering::Acquire) {
            let unit = put % 3 == 0;
            let flags = if unit { PutFlags::SYNCPOINT } else { PutFlags::NO_SYNCPOINT };
            let options = PutOptions { flags, ..PutOptions::default() };
            let descriptor = MessageDescriptor { persistence: Persistence::Persistent, ..MessageDescriptor::default() };
            let body = Bytes::from(format!("{producer} {}", put + 1));
            match connection.put(handle, descriptor, &options, body).await {
                Ok(_) if unit => connection.commit().await.unwrap(),
                Ok(_) => {}
                Err(Reason::ObjectChanged) => {
                    connection.close(handle, model::options::CloseOptions::empty()).await.ok();
                    continue 'open;
                }
                Err(reason) => {
                    assert!(is_passing(reason), "{reason:?}");
                    tokio::time::sleep(Duration::from_millis(5)).await;
                    continue;
                }
            }
            put += 1;
            count.store(put, Ordering::Release);
        }
    }
}

/// All that it has got; some of it only after it had backed it out once.
async fn consume(connection: Connection, stop: Arc<AtomicBool>) -> Vec<String> {
    let mut got = Vec::new();
    let mut rounds = 0;
    'open: loop {
        let opened = connection.open(&administrator(), &object("Q"), EVERYTHING).await;
        let handle = match opened {
            Ok(opened) => opened.handle,
            Err(reason) => {
                assert!(is_passing(reason), "{reason:?}");
                continue;
            }
        };
        loop {
            rounds += 1;
            let options = GetOptions {
                flags: GetFlags::WAIT | GetFlags::SYNCPOINT,
                wait: Some(Duration::from_millis(200)),
                ..GetOptions::default()
            };
            // Before the get: what is put while it looks is for the next one.
            let is_last = stop.load(Ordering::Acquire);
            match connection.get(handle, &options).await {
                Ok(_) if rounds % 5 == 0 => connection.back_out().await.unwrap(),
                Ok(message) => {
                    connection.commit().await.unwrap();
                    got.push(String::from_utf8(message.body.to_vec()).unwrap());
                }
                Err(Reason::NoMsgAvailable) if is_last => return got,
                Err(Reason::ObjectChanged) => {
                    connection.close(handle, model::options::CloseOptions::empty()).await.ok();
                    continue 'open;
                }
                Err(reason) => {
                    assert!(is_passing(reason), "{reason:?}");
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            }
        }
    }
}

/// Each message came once, and those of each producer in order.
fn check_ledger(put: &[u32], got: &[String]) {
    let mut last: HashMap<u32, u32> = HashMap::new();
    for message in got {
        let (producer, number) = message.split_once(' ').unwrap();
        let (producer, number): (u32, u32) = (producer.parse().unwrap(), number.parse().unwrap());
        let before = last.insert(producer, number).unwrap_or(0);
        assert_eq!(number, before + 1, "of producer {producer}");
    }
    for (producer, put) in put.iter().enumerate() {
        assert_eq!(last.get(&u32::try_from(producer).unwrap()).copied().unwrap_or(0), *put, "of producer {producer}");
    }
}

/// Programs of both members put and get while the queue moves to and fro.
async fn under_load(one: &Member, two: &Member, moves: impl AsyncFnOnce()) {
    let (stop_puts, stop_gets) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let counts: [Arc<AtomicU32>; 3] = Default::default();
    let put = || counts.each_ref().map(|count| count.load(Ordering::Acquire));
    let mut producers = Vec::new();
    for (number, member) in [one, one, two].into_iter().enumerate() {
        let produced = produce(member.connect(), number, Arc::clone(&stop_puts), Arc::clone(&counts[number]));
        producers.push(tokio::spawn(produced));
    }
    // One, so that the order is seen.
    let consumer = tokio::spawn(consume(two.connect(), Arc::clone(&stop_gets)));
    let until_all_have_put_more = async |than: [u32; 3]| {
        let is_so = |_: &QueueManager| put().iter().zip(than).all(|(now, then)| *now > then);
        one.until("every program puts", is_so).await;
    };
    until_all_have_put_more([3; 3]).await;
    moves().await;
    until_all_have_put_more(put()).await;
    stop_puts.store(true, Ordering::Release);
    for producer in producers {
        producer.await.unwrap();
    }
    stop_gets.store(true, Ordering::Release);
    let got = consumer.await.unwrap();
    check_ledger(&put(), &got);
}

#[test]
fn a_queue_moves_to_a_database_of_its_own_and_back_while_programs_put_and_get() {
    on_databases(async |databases| {
        let (one, two) = databases.two().await;
        under_load(&one, &two, async || {
            for structure in ["APP2", "APP1", "APP2"] {
                tokio::time::sleep(Duration::from_millis(300)).await;
                move_to(&one, structure).await.unwrap();
                two.until("it is there", |member| moved(member).structure == name(structure)).await;
            }
        })
        .await;
        put(&one.connect(), "Q", "last", PutFlags::NO_SYNCPOINT).await;
        assert_eq!(databases.messages(), [0, 1]);
        assert_eq!(get(&two.connect(), "Q", GetFlags::NO_SYNCPOINT).await.unwrap(), "last");
        one.stop().await;
        two.stop().await;
    });
}

#[test]
fn a_move_that_is_left_at_any_moment_goes_on_and_loses_nothing() {
    on_databases(async |databases| {
        let (one, two) = databases.two().await;
        under_load(&one, &two, async || {
            for (round, structure) in ["APP2", "APP1", "APP2", "APP1"].iter().enumerate() {
                // Before it has begun, and while it waits, copies, arrives and cleans up.
                let moment = Duration::from_millis([0, 1_500, 1_600, 1_750][round]);
                let left = tokio::time::timeout(moment, move_to(&one, structure)).await;
                assert!(!matches!(left, Ok(Err(_))), "{left:?}");
                // The member goes on with it by itself; one that was left before it had begun is asked for again.
                let begun = Instant::now();
                loop {
                    let local = moved(&one.queue_manager);
                    match local.moving {
                        None if local.structure == name(structure) => break,
                        None => drop(move_to(&one, structure).await),
                        Some(_) => {}
                    }
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    assert!(begun.elapsed() < PATIENCE, "it is not there: {left:?}, {:?}", moved(&one.queue_manager));
                }
            }
        })
        .await;
        assert_eq!(databases.messages(), [0, 0]);
        one.stop().await;
        two.stop().await;
    });
}

#[test]
fn a_unit_of_work_that_keeps_its_messages_keeps_the_queue_closed_no_longer_than_it_lasts() {
    on_databases(async |databases| {
        let (one, two) = databases.two().await;
        put(&one.connect(), "Q", "kept", PutFlags::NO_SYNCPOINT).await;
        let keeps = two.connect();
        assert_eq!(get(&keeps, "Q", GetFlags::SYNCPOINT).await.unwrap(), "kept");
        let manager = one.queue_manager.clone();
        let moving =
            tokio::spawn(
                async move { manager.move_queue_to_structure(&administrator(), &name("Q"), &name("APP2")).await },
            );
        two.until("it moves", |member| moved(member).is_in_transit()).await;
        let other = two.connect();
        let handle = other.open(&administrator(), &object("Q"), EVERYTHING).await.unwrap().handle;
        let options = PutOptions { flags: PutFlags::NO_SYNCPOINT, ..PutOptions::default() };
        let put = other.put(handle, MessageDescriptor::default(), &options, Bytes::from("x")).await;
        assert_eq!(put.map(drop), Err(Reason::PutInhibited));
        let options = GetOptions { flags: GetFlags::NO_SYNCPOINT, ..GetOptions::default() };
        assert_eq!(other.get(handle, &options).await.map(drop), Err(Reason::GetInhibited));
        let changed = one.queue_manager.delete_queue(&administrator(), &name("Q"), true).await;
        assert!(matches!(changed, Err(ObjectError::InUse { .. })), "{changed:?}");
        let twice = move_to(&two, "APP2").await;
        assert!(matches!(twice, Err(ObjectError::InUse { .. })), "{twice:?}");
        assert!(!moving.is_finished());
        keeps.back_out().await.unwrap();
        moving.await.unwrap().unwrap();
        two.until("it is there", |member| moved(member).moving.is_none()).await;
        assert_eq!(other.get(handle, &options).await.map(drop), Err(Reason::ObjectChanged));
        assert_eq!(databases.messages(), [0, 1]);
        assert_eq!(get(&two.connect(), "Q", GetFlags::NO_SYNCPOINT).await.unwrap(), "kept");
        one.stop().await;
        two.stop().await;
    });
}
