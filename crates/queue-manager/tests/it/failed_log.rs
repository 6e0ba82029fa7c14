//! A disk that fails under the recovery log: the queue manager ends at once, says so once, and starts again when the disk is
//! well.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use model::definition::QueueDefinition;
use model::descriptor::{MessageDescriptor, Persistence};
use model::options::{GetFlags, GetOptions, ObjectDescriptor, PutFlags, PutOptions};
use model::reason::Reason;
use parking_lot::Mutex;
use queue_manager::{ConnectOptions, Connection, Home, QueueManager};
use storage::private::log::disk::Disk;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use crate::disk::SyncedBy;
use crate::log::line_of;
use crate::script::{EVERYTHING, FakeClock, PATIENCE, administrator, connect, name, start};

/// What the disk of this test says when it fails. No other test says it.
const CAUSE: &str = "the platter is scratched";
/// The ERROR lines of all threads that name the cause: the log fails on a thread of its own.
static LINES: Mutex<Vec<String>> = Mutex::new(Vec::new());

struct Lines;

impl Subscriber for Lines {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() == Level::ERROR
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        let line = line_of(event);
        if line.contains(CAUSE) {
            LINES.lock().push(line);
        }
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// Syncs fail while `fails` says so.
fn start_on(directory: &Path, fails: &Arc<AtomicBool>) -> QueueManager {
    let fails = Arc::clone(fails);
    let disk = SyncedBy::new(directory, move |directory, file| {
        if fails.load(Ordering::SeqCst) { Err(io::Error::other(CAUSE)) } else { directory.sync(file) }
    });
    start(Home::Disk(disk), FakeClock::new())
}

async fn put(connection: &Connection, persistence: Persistence, flags: PutFlags) -> Result<(), Reason> {
    let object = ObjectDescriptor { name: name("Q"), ..ObjectDescriptor::default() };
    let descriptor = MessageDescriptor { persistence, ..MessageDescriptor::default() };
    let options = PutOptions { flags, context: None };
    connection.put1(&administrator(), &object, descriptor, &options, Bytes::from("body")).await.map(drop)
}

async fn get(connection: &Connection, queue: &str, flags: GetFlags) -> Result<Bytes, Reason> {
    let object = ObjectDescriptor { name: name(queue), ..ObjectDescriptor::default() };
    let opened = connection.open(&administrator(), &object, EVERYTHING).await?;
    let options = GetOptions { flags, wait: None, ..GetOptions::default() };
    Ok(connection.get(opened.handle, &options).await?.body.clone())
}

fn options() -> ConnectOptions {
    ConnectOptions {
        principal: administrator(),
        application_name: "late".to_owned(),
        application_type: 6,
        channel: String::new(),
        connection_name: String::new(),
    }
}

#[tokio::test]
async fn a_failed_sync_ends_the_queue_manager_and_a_new_start_recovers_it() {
    // Other tests of this program listen on their own threads.
    let _ = tracing::subscriber::set_global_default(Lines);
    let directory = tempfile::tempdir().unwrap();
    let fails = Arc::new(AtomicBool::new(false));
    let queue_manager = start_on(directory.path(), &fails);
    let running = queue_manager.clone();
    let housekeeping = tokio::spawn(async move { running.run().await });
    for queue in ["Q", "EMPTY"] {
        queue_manager.define_queue(&administrator(), QueueDefinition::local(name(queue)), false).await.unwrap();
    }
    let connection = connect(&queue_manager, administrator());
    put(&connection, Persistence::Persistent, PutFlags::empty()).await.expect("the disk is well");
    let in_unit = connect(&queue_manager, administrator());
    put(&in_unit, Persistence::Persistent, PutFlags::SYNCPOINT).await.expect("the disk is well");
    let waiting = connect(&queue_manager, administrator());
    let waiting = tokio::spawn(async move { get(&waiting, "EMPTY", GetFlags::WAIT).await });
    assert_eq!(queue_manager.log_failure().map(|cause| cause.to_string()), None);

    fails.store(true, Ordering::SeqCst);
    assert_eq!(put(&connection, Persistence::Persistent, PutFlags::empty()).await, Err(Reason::ConnectionBroken));
    tokio::time::timeout(PATIENCE, queue_manager.log_failed()).await.expect("it is told");
    let cause = model::causes::chain(&*queue_manager.log_failure().expect("there is a cause"));
    // The thread that prepares the next extent may meet the disk first.
    assert!(cause.contains(CAUSE), "{cause}");
    let ended = tokio::time::timeout(PATIENCE, waiting).await.expect("the wait ends").unwrap();
    assert_eq!(ended, Err(Reason::ConnectionBroken));
    tokio::time::timeout(PATIENCE, housekeeping).await.expect("housekeeping ends").unwrap();

    for _ in 0..20 {
        assert_eq!(put(&connection, Persistence::Persistent, PutFlags::empty()).await, Err(Reason::ConnectionBroken));
        assert_eq!(
            put(&connection, Persistence::NonPersistent, PutFlags::empty()).await,
            Err(Reason::ConnectionBroken)
        );
        assert_eq!(get(&connection, "Q", GetFlags::empty()).await, Err(Reason::ConnectionBroken));
    }
    assert_eq!(in_unit.commit().await, Err(Reason::ConnectionBroken));
    assert_eq!(queue_manager.connect(options()).err(), Some(Reason::QMgrNotAvailable));
    drop((connection, in_unit));
    queue_manager.stop().await;
    queue_manager.stop().await;
    let lines = std::mem::take(&mut *LINES.lock());
    assert_eq!(lines.len(), 1, "{lines:#?}");
    assert!(lines[0].contains("QM1") && lines[0].contains("strmqm QM1"), "{lines:#?}");
    drop(queue_manager);

    fails.store(false, Ordering::SeqCst);
    let queue_manager = start_on(directory.path(), &fails);
    let connection = connect(&queue_manager, administrator());
    assert_eq!(get(&connection, "Q", GetFlags::empty()).await.as_deref(), Ok(&b"body"[..]));
    put(&connection, Persistence::Persistent, PutFlags::empty()).await.expect("the disk is well again");
    assert_eq!(queue_manager.log_failure().map(|cause| cause.to_string()), None);
    queue_manager.stop().await;
}
