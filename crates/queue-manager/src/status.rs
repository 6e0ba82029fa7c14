//! What DISPLAY QSTATUS, CONN, QMSTATUS and the metrics read.

use model::definition::queue::Usage;
use model::name::QueueName;
use model::timestamp::Timestamp;
use storage::Depth;
use storage::private::StoreStatistics;

use crate::QueueManager;

#[derive(Debug, Clone)]
pub struct QueueStatus {
    pub name: QueueName,
    pub usage: Usage,
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
    pub store: StoreStatistics,
}

impl QueueManager {
    /// Of local queues; `None` when there is no such local queue.
    pub fn queue_status(&self, name: &QueueName) -> Option<QueueStatus> {
        todo!()
    }
    pub fn connections(&self) -> Vec<ConnectionStatus> {
        todo!()
    }
    pub fn status(&self) -> QueueManagerStatus {
        todo!()
    }
}
