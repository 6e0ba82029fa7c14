//! The log lines about calls that the store refuses because a file cannot be used: clients decide how many calls there are.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

use bytes::Bytes;
use model::definition::QueueDefinition;
use model::descriptor::{MessageDescriptor, Persistence};
use model::options::{ObjectDescriptor, PutFlags, PutOptions};
use model::reason::Reason;
use queue_manager::{Connection, Home};
use storage::private::log::disk::Disk;

use crate::disk::SyncedBy;
use crate::log::{field, warnings_of};
use crate::script::{FakeClock, administrator, connect, name, start};

/// So long that it has a file of its own.
const LONG: usize = 1 << 20;
const EMFILE: i32 = 24;
const EIO: i32 = 5;

async fn put(connection: &Connection) -> Result<(), Reason> {
    let object = ObjectDescriptor { name: name("Q"), ..ObjectDescriptor::default() };
    let descriptor = MessageDescriptor { persistence: Persistence::Persistent, ..MessageDescriptor::default() };
    let options = PutOptions { flags: PutFlags::empty(), context: None };
    let body = Bytes::from(vec![b'x'; LONG]);
    connection.put1(&administrator(), &object, descriptor, &options, body).await.map(drop)
}

#[test]
fn refused_calls_are_told_once_a_second_by_cause_with_the_number_left_out() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let directory = tempfile::tempdir().unwrap();
    let refusal = Arc::new(AtomicI32::new(0));
    let said = Arc::clone(&refusal);
    let disk = SyncedBy::new(directory.path(), move |directory, file| match said.load(Ordering::SeqCst) {
        error if error != 0 && file.0.starts_with("body-") => Err(io::Error::from_raw_os_error(error)),
        _ => directory.sync(file),
    });
    let clock = FakeClock::new();
    let queue_manager = start(Home::Disk(disk), clock.clone());
    let administrator = administrator();
    let define = queue_manager.define_queue(&administrator, QueueDefinition::local(name("Q")), false);
    runtime.block_on(define).unwrap();
    let connection = connect(&queue_manager, administrator.clone());
    let refused = |error: i32, reason: Reason, times: usize| {
        refusal.store(error, Ordering::SeqCst);
        for _ in 0..times {
            assert_eq!(runtime.block_on(put(&connection)), Err(reason));
        }
    };
    let ((), lines) = warnings_of(|| {
        for _ in 0..2 {
            refused(EMFILE, Reason::ResourceProblem, 20);
            refused(EIO, Reason::FileSystemError, 10);
        }
        clock.advance(Duration::from_secs(1));
        refused(EIO, Reason::FileSystemError, 2);
        refused(EMFILE, Reason::ResourceProblem, 1);
    });
    let told: Vec<_> = lines
        .iter()
        .map(|line| (line.contains("LimitNOFILE"), field(line, "left_out").unwrap_or("none").to_owned()))
        .collect();
    let expected = [(true, "0"), (false, "0"), (false, "19"), (true, "39")];
    assert_eq!(told, expected.map(|(descriptors, left_out)| (descriptors, left_out.to_owned())), "{lines:?}");
    assert!(lines.iter().all(|line| line.contains("queue_manager=")), "{lines:?}");
    refusal.store(0, Ordering::SeqCst);
    assert_eq!(runtime.block_on(put(&connection)), Ok(()));
}
