//! What DISPLAY QSTATUS, CONN, QMSTATUS and the metrics read.

use std::sync::atomic::{AtomicU64, Ordering};

use model::authority::{Authority, AuthorityObject, Principal};
use model::definition::queue::{Disposition, Usage};
use model::name::{ObjectName, QueueName};
use model::timestamp::Timestamp;
pub use storage::QuotaUse;
use storage::private::StoreStatistics;
pub use storage::private::log::disk::DiskSpace;
use storage::{Depth, Store};

pub use crate::queue::QueueStatistics;

use crate::QueueManager;
use crate::definition::objects::{ObjectError, authorise};
use crate::engine::connection_table::ConnectionState;
use crate::engine::identifiers::Identifiers;
use crate::queue::Queue;

#[derive(Debug, Clone)]
pub struct QueueStatus {
    pub name: QueueName,
    pub usage: Usage,
    pub disposition: Disposition,
    pub depth: Depth,
    /// IPPROCS and OPPROCS.
    pub open_input: u32,
    pub open_output: u32,
    pub last_put: Option<Timestamp>,
    pub last_get: Option<Timestamp>,
    /// Since the start of the process.
    pub puts: u64,
    pub gets: u64,
    pub browses: u64,
    pub waiters: u32,
}

/// Messages put and got since the start of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traffic {
    pub puts: u64,
    pub gets: u64,
}

/// What went through queues that are deleted.
#[derive(Default)]
pub(crate) struct FormerTraffic {
    puts: AtomicU64,
    gets: AtomicU64,
}

impl FormerTraffic {
    pub(crate) fn add(&self, traffic: Traffic) {
        self.puts.fetch_add(traffic.puts, Ordering::Relaxed);
        self.gets.fetch_add(traffic.gets, Ordering::Relaxed);
    }
}

#[derive(Debug, Clone)]
pub struct ConnectionStatus {
    /// 24 bytes, of which DISPLAY CONN shows the last 8 as CONN and the first 16 as EXTCONN.
    pub identifier: [u8; 24],
    pub application_name: String,
    pub application_type: i32,
    pub user: String,
    pub channel: String,
    pub connection_name: String,
    pub process_id: u32,
    pub connected: Timestamp,
    /// A unit of work is open since then.
    pub unit_of_work_since: Option<Timestamp>,
    /// Messages put and got in it.
    pub uncommitted: usize,
    /// Messages put or published, and got, since it connected.
    pub puts: u64,
    pub gets: u64,
    pub handles: Vec<HandleStatus>,
}

#[derive(Debug, Clone)]
pub struct HandleStatus {
    pub object_name: String,
    pub object_type: &'static str,
    pub open_options: u32,
}

#[derive(Debug, Clone)]
pub struct QueueManagerStatus {
    pub started: Timestamp,
    pub connections: u32,
    /// Whether the command server takes requests.
    pub command_server: bool,
    pub store: StoreStatistics,
}

/// The machine's name as Linux tells it.
pub fn host_name() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname").map(|name| name.trim().to_owned()).unwrap_or_default()
}

impl QueueManager {
    /// Of local queues; `None` when there is no such local queue.
    pub fn queue_status(&self, name: &QueueName) -> Option<QueueStatus> {
        let engine = self.engine();
        engine.queue(name).and_then(|queue| status_of(&engine.store, &queue))
    }

    /// RESET QSTATS: what was counted of a local queue since the last reset, from which counting begins anew.
    ///
    /// # Errors
    /// `NotFound`: no such local queue. `NotAuthorized`: no +chg or no +dsp on it.
    pub fn reset_queue_statistics(&self, caller: &Principal, name: &QueueName) -> Result<QueueStatistics, ObjectError> {
        let engine = self.engine();
        authorise(engine, caller, AuthorityObject::Queue, name, Authority::DISPLAY | Authority::CHANGE)?;
        let queue = engine.queue(name).filter(|queue| queue.is_local());
        let queue = queue.ok_or_else(|| ObjectError::not_found(name.as_str()))?;
        let depth = queue.depth();
        Ok(queue.counters.reset(engine.started, engine.now(), depth))
    }

    /// What went through queues that are deleted, since the start of the process.
    pub fn former_traffic(&self) -> Traffic {
        let former = &self.engine().former_traffic;
        Traffic { puts: former.puts.load(Ordering::Relaxed), gets: former.gets.load(Ordering::Relaxed) }
    }

    /// Whether any of the authorities is granted. For what is only shown: a refusal is no event and no line of the log.
    pub fn grants_any(
        &self,
        principal: &Principal,
        object: AuthorityObject,
        name: &ObjectName,
        authorities: Authority,
    ) -> bool {
        self.engine().authorities.granted(principal, object, name).intersects(authorities)
    }

    /// The time by this queue manager's own clock, for ages.
    pub fn now(&self) -> Timestamp {
        self.engine().now()
    }

    /// Of the file system that the recovery log is on; `None` when nothing is on disk.
    pub fn disk_space(&self) -> Option<DiskSpace> {
        self.engine().store.disk_space()
    }

    /// In order of connecting.
    pub fn connections(&self) -> Vec<ConnectionStatus> {
        let engine = self.engine();
        engine.connections.all().iter().map(|state| connection_status(&engine.identifiers, state)).collect()
    }

    pub fn status(&self) -> QueueManagerStatus {
        let engine = self.engine();
        QueueManagerStatus {
            started: engine.started,
            connections: u32::try_from(engine.connections.count()).unwrap_or(u32::MAX),
            command_server: engine.system.command_server.is_running(),
            store: engine.store.statistics(),
        }
    }
}

pub(crate) fn status_of(store: &Store, queue: &Queue) -> Option<QueueStatus> {
    let (usage, disposition) = queue.with(|definition| Some((definition.as_local()?.usage, definition.disposition)))?;
    let in_use = *queue.in_use.lock();
    let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    Some(QueueStatus {
        name: queue.name,
        usage,
        disposition,
        depth: store.depth(queue.id),
        open_input: in_use.input,
        open_output: in_use.output,
        last_put: queue.counters.last_put(),
        last_get: queue.counters.last_get(),
        puts: count(&queue.counters.puts),
        gets: count(&queue.counters.gets),
        browses: count(&queue.counters.browses),
        waiters: queue.waiters.count(),
    })
}

fn connection_status(identifiers: &Identifiers, state: &ConnectionState) -> ConnectionStatus {
    let handles = state.handles.lock();
    let unit = state.unit.lock().as_ref().map(|unit| (unit.since, unit.messages()));
    ConnectionStatus {
        identifier: identifiers.of_connection(state.number),
        application_name: state.options.application_name.clone(),
        application_type: state.options.application_type,
        user: state.options.principal.user.to_string(),
        channel: state.options.channel.clone(),
        connection_name: state.options.connection_name.clone(),
        process_id: std::process::id(),
        connected: state.connected,
        unit_of_work_since: unit.map(|(since, _)| since),
        uncommitted: unit.map_or(0, |(_, messages)| messages),
        puts: state.puts.load(Ordering::Relaxed),
        gets: state.gets.load(Ordering::Relaxed),
        handles: handles
            .iter()
            .flatten()
            .map(|handle| HandleStatus {
                object_name: handle.name.to_string(),
                object_type: handle.object_type(),
                open_options: handle.options.bits(),
            })
            .collect(),
    }
}
