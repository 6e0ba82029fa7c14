//! In process: durable puts against the disk's own floor, durable put+get pairs against PostgreSQL as a queue.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use bytes::Bytes;
use model::authority::Principal;
use model::definition::queue::{LocalQueue, QueueDefinition, QueueKind};
use model::descriptor::{Format, MessageDescriptor, Persistence};
use model::identifier::CorrelationId;
use model::name::ObjectName;
use model::options::{GetFlags, GetOptions, MatchOptions, ObjectDescriptor, OpenOptions, PutFlags, PutOptions};
use model::reason::Reason;
use queue_manager::connection::ObjectHandle;
use queue_manager::{ConnectOptions, Connection, Home, QueueManager, StartOptions, SystemClock};
use storage::StoreOptions;
use storage::private::log::disk::DirectoryDisk;

use crate::disk_floor;
use crate::effort::Effort;
use crate::interleave::{Cell, interleave};
use crate::postgresql::Postgresql;
use crate::report::{Bar, Report};
use crate::throughput::{block_on, rate};

const CALLERS: usize = 10;
const SIZE: usize = 1024;
const FLOOR: &str = "disk floor: shared sync, 10 callers";
const PUT_10: &str = "durable put, 10 threads";
const PAIR_10: &str = "durable put+get, 10 threads";
const PAIR_1: &str = "durable put+get, 1 thread";
const POSTGRESQL_10: &str = "PostgreSQL SKIP LOCKED, 10 connections";
const POSTGRESQL_1: &str = "PostgreSQL SKIP LOCKED, 1 connection";

pub fn run(effort: &Effort, report: &mut Report) -> Result<()> {
    let folder = tempfile::tempdir_in(&effort.work)?;
    let engine = Engine::start(Some(&folder.path().join("log")))?;
    for number in 0..CALLERS {
        engine.define(&queue_name(number))?;
    }
    let postgresql = Postgresql::start(&effort.work)?;
    let time = effort.engine;
    let measured = interleave(
        effort.rounds,
        vec![
            Cell::new(FLOOR, || disk_floor::records_per_second(folder.path(), CALLERS, SIZE, time)),
            Cell::new(PUT_10, || engine.puts_per_second(CALLERS, time)),
            Cell::new(PAIR_10, || engine.pairs_per_second(CALLERS, time)),
            Cell::new(POSTGRESQL_10, || postgresql.pairs_per_second(CALLERS, SIZE, time)),
            Cell::new(PAIR_1, || engine.pairs_per_second(1, time)),
            Cell::new(POSTGRESQL_1, || postgresql.pairs_per_second(1, SIZE, time)),
        ],
    )?;
    engine.stop();
    report.add(
        Bar::at_least("durable put, 10 threads, 1 KiB, against the disk's floor", 0.8)
            .ratio(&measured, PUT_10, FLOOR, "/s"),
    );
    report.add(Bar::at_least("durable put+get pair, 10 threads, against PostgreSQL", 2.5).ratio(
        &measured,
        PAIR_10,
        POSTGRESQL_10,
        "/s",
    ));
    report.add(Bar::figure("durable put+get pair, 1 thread, against PostgreSQL").ratio(
        &measured,
        PAIR_1,
        POSTGRESQL_1,
        "/s",
    ));
    Ok(())
}

fn queue_name(number: usize) -> String {
    format!("BENCH.{number}")
}

/// A queue manager in this process.
pub struct Engine {
    queue_manager: QueueManager,
    /// Timers of waiting gets and housekeeping; the measured calls run on threads of their own.
    runtime: tokio::runtime::Runtime,
}

impl Engine {
    /// With its log in `folder`, or with nothing on disk.
    pub fn start(folder: Option<&Path>) -> Result<Self> {
        let home = match folder {
            Some(folder) => Home::Disk(Arc::new(DirectoryDisk::open(folder.to_owned())?)),
            None => Home::Ephemeral,
        };
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let inside = runtime.enter();
        let queue_manager = QueueManager::start(StartOptions {
            name: ObjectName::parse("BENCH")?,
            home,
            store: StoreOptions::default(),
            clock: Arc::new(SystemClock),
            server_user: "bench".to_owned(),
        })?;
        drop(inside);
        let running = queue_manager.clone();
        runtime.spawn(async move { running.run().await });
        Ok(Self { queue_manager, runtime })
    }

    /// Makes a local queue without a practical limit of depth.
    pub fn define(&self, name: &str) -> Result<()> {
        let local = LocalQueue { maximum_depth: 999_999_999, ..LocalQueue::default() };
        let kind = QueueKind::Local(Box::new(local));
        let definition = QueueDefinition { name: ObjectName::parse(name)?, kind, ..QueueDefinition::default() };
        let caller = Principal::administrator("bench");
        Ok(self.runtime.block_on(self.queue_manager.define_queue(&caller, definition, true))?)
    }

    pub fn caller(&self, queue: &str) -> Result<Caller> {
        let _inside = self.runtime.enter();
        Caller::open(&self.queue_manager, queue)
    }

    fn puts_per_second(&self, threads: usize, time: Duration) -> Result<f64> {
        let rate = rate(threads, time, |number| {
            let caller = self.caller(&queue_name(number))?;
            let body = body();
            Ok(move || caller.put(Persistence::Persistent, CorrelationId::NONE, body.clone()))
        })?;
        self.clear(threads)?;
        Ok(rate)
    }

    fn pairs_per_second(&self, threads: usize, time: Duration) -> Result<f64> {
        rate(threads, time, |number| {
            let caller = self.caller(&queue_name(number))?;
            let body = body();
            Ok(move || {
                caller.put(Persistence::Persistent, CorrelationId::NONE, body.clone())?;
                caller.get(None).map(drop)
            })
        })
    }

    fn clear(&self, queues: usize) -> Result<()> {
        let caller = Principal::administrator("bench");
        for number in 0..queues {
            let name = ObjectName::parse(&queue_name(number))?;
            self.runtime.block_on(self.queue_manager.clear_queue(&caller, &name))?;
        }
        Ok(())
    }

    pub fn stop(self) {
        self.runtime.block_on(self.queue_manager.stop());
    }
}

fn body() -> Bytes {
    Bytes::from(vec![b'x'; SIZE])
}

/// One application with one queue open.
pub struct Caller {
    connection: Connection,
    queue: ObjectHandle,
}

impl Caller {
    fn open(queue_manager: &QueueManager, queue: &str) -> Result<Self> {
        let principal = Principal::administrator("bench");
        let connection = queue_manager.connect(ConnectOptions {
            principal: principal.clone(),
            application_name: "bench".to_owned(),
            application_type: 6,
            channel: String::new(),
            connection_name: String::new(),
        });
        let connection = connection.map_err(failed)?;
        let object = ObjectDescriptor { name: ObjectName::parse(queue)?, ..ObjectDescriptor::default() };
        let options = OpenOptions::INPUT_SHARED | OpenOptions::OUTPUT;
        let opened = block_on(connection.open(&principal, &object, options)).map_err(failed)?;
        Ok(Self { connection, queue: opened.handle })
    }

    pub fn put(&self, persistence: Persistence, correlation_id: CorrelationId, body: Bytes) -> Result<()> {
        let descriptor =
            MessageDescriptor { persistence, correlation_id, format: Format::STRING, ..MessageDescriptor::default() };
        let options = PutOptions { flags: PutFlags::NO_SYNCPOINT, ..PutOptions::default() };
        block_on(self.connection.put(self.queue, descriptor, &options, body)).map_err(failed).map(drop)
    }

    /// The next message, or the next with this correlation identifier; its length.
    pub fn get(&self, correlation_id: Option<CorrelationId>) -> Result<usize> {
        let options = GetOptions {
            flags: GetFlags::NO_SYNCPOINT,
            match_options: correlation_id.map_or(MatchOptions::empty(), |_| MatchOptions::CORREL_ID),
            correlation_id: correlation_id.unwrap_or_default(),
            ..GetOptions::default()
        };
        let got = block_on(self.connection.get(self.queue, &options)).map_err(failed)?;
        Ok(got.data_length)
    }
}

fn failed(reason: Reason) -> anyhow::Error {
    anyhow::anyhow!("the queue manager answered {reason:?}")
}
