//! Tasks that are dropped half-way, while the disk is busy: nothing is lost, nobody sleeps, nothing stays open.

use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::{Arc, RwLock};
use std::task::{Context, Waker};
use std::time::Duration;

use bytes::Bytes;
use model::definition::QueueDefinition;
use model::definition::queue::TriggerType;
use model::descriptor::{MessageDescriptor, Persistence};
use model::options::{GetFlags, GetOptions, ObjectDescriptor, OpenOptions, PutFlags, PutOptions};
use queue_manager::connection::ObjectHandle;
use queue_manager::{Connection, Home, QueueManager};
use storage::private::log::disk::{DirectoryDisk, Disk, FileName};

use crate::script::{EVERYTHING, FakeClock, administrator, connect, name, start};

/// A directory whose syncs wait while the test holds the gate.
struct GatedDisk {
    directory: DirectoryDisk,
    gate: Arc<RwLock<()>>,
}

impl Disk for GatedDisk {
    fn list(&self) -> io::Result<Vec<FileName>> {
        self.directory.list()
    }
    fn length(&self, file: &FileName) -> io::Result<u64> {
        self.directory.length(file)
    }
    fn read(&self, file: &FileName, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.directory.read(file, offset, buffer)
    }
    fn write(&self, file: &FileName, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.directory.write(file, offset, bytes)
    }
    fn sync(&self, file: &FileName) -> io::Result<()> {
        let _open = self.gate.read().unwrap();
        self.directory.sync(file)
    }
    fn create(&self, file: &FileName) -> io::Result<()> {
        self.directory.create(file)
    }
    fn rename(&self, from: &FileName, to: &FileName) -> io::Result<()> {
        self.directory.rename(from, to)
    }
    fn remove(&self, file: &FileName) -> io::Result<()> {
        self.directory.remove(file)
    }
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
        let disk =
            GatedDisk { directory: DirectoryDisk::open(directory.path().to_owned()).unwrap(), gate: gate.clone() };
        let queue_manager = start(Home::Disk(Arc::new(disk)), FakeClock::new());
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
    for _ in 0..3000 {
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
        let first = getter.get(handle, &wait()).await.unwrap().body;
        (first, getter.get(handle, &wait()).await.unwrap().body)
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
