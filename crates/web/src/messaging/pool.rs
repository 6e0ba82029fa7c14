//! Connections to one queue manager, kept for reuse.
//!
//! They are made as the server's own user; each request switches to its user when it opens an object, so one pool
//! serves all users. A get that waits holds its connection while it waits. A lent connection that is dropped rather
//! than given back is closed: its queue manager then ends whatever was under way on it.

use model::authority::Principal;
use model::name::QueueManagerName;
use model::reason::Reason;
use parking_lot::Mutex;
use queue_manager::{ConnectOptions, Connection, QueueManager};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::error::{self, ApiError};
use crate::options::{FullPoolBehavior, Messaging};

/// MQAT_UNIX.
const APPLICATION_TYPE: i32 = 6;

pub(crate) struct Pool {
    queue_manager: QueueManager,
    name: QueueManagerName,
    connect_options: ConnectOptions,
    behavior: FullPoolBehavior,
    maximum: usize,
    /// One permit for each connection that may be lent and then kept.
    permits: Semaphore,
    /// `None` once the pool is closed.
    idle: Mutex<Option<Vec<Connection>>>,
}

impl Pool {
    pub(crate) fn new(queue_manager: QueueManager, principal: &Principal, options: &Messaging) -> Self {
        let connect_options = ConnectOptions {
            principal: principal.clone(),
            application_name: "Quaymaster REST".to_owned(),
            application_type: APPLICATION_TYPE,
            channel: String::new(),
            connection_name: String::new(),
        };
        let maximum = options.max_pool_size.min(Semaphore::MAX_PERMITS);
        Self {
            name: queue_manager.name(),
            queue_manager,
            connect_options,
            behavior: options.full_pool_behavior,
            maximum,
            permits: Semaphore::new(maximum),
            idle: Mutex::new(Some(Vec::new())),
        }
    }

    pub(crate) fn queue_manager_name(&self) -> QueueManagerName {
        self.name
    }

    /// Whether it is for this start of this queue manager.
    pub(crate) fn is_of(&self, queue_manager: &QueueManager) -> bool {
        self.queue_manager.is_same(queue_manager)
    }

    /// Ends the connections that are kept. Requests that still know this pool get connections of their own from now on.
    pub(crate) fn close(&self) {
        let idle = self.idle.lock().take();
        drop(idle);
    }

    /// A connection for one request: a kept one, or a new one.
    ///
    /// # Errors
    /// 503 when the pool is exhausted and configured to refuse, or the queue manager refuses the connection.
    pub(crate) async fn lend(&self) -> Result<Lent<'_>, ApiError> {
        let permit = self.permit().await?;
        let kept = if permit.is_some() { self.idle.lock().as_mut().and_then(Vec::pop) } else { None };
        let connection = match kept {
            Some(connection) => connection,
            None => self.queue_manager.connect(self.connect_options.clone()).map_err(ApiError::connect)?,
        };
        Ok(Lent { pool: self, connection, permit })
    }

    /// `None` for a connection that is not to be kept.
    async fn permit(&self) -> Result<Option<SemaphorePermit<'_>>, ApiError> {
        if self.maximum == 0 {
            return Ok(None);
        }
        match (self.permits.try_acquire(), self.behavior) {
            (Ok(permit), _) => Ok(Some(permit)),
            (Err(_), FullPoolBehavior::Overflow) => Ok(None),
            (Err(_), FullPoolBehavior::Block) => Ok(self.permits.acquire().await.ok()),
            (Err(_), FullPoolBehavior::Error) => {
                let inserts = [&*self.maximum.to_string(), self.name.as_str()];
                Err(ApiError::new(&error::POOL_EXHAUSTED, &inserts))
            }
        }
    }
}

/// A connection lent to one request.
pub(crate) struct Lent<'a> {
    pool: &'a Pool,
    connection: Connection,
    permit: Option<SemaphorePermit<'a>>,
}

impl Lent<'_> {
    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Nothing is open on it any more: the next request may have it.
    pub(crate) fn give_back(self) {
        if let Some(permit) = self.permit {
            if let Some(idle) = self.pool.idle.lock().as_mut() {
                idle.push(self.connection);
            }
            drop(permit);
        }
    }

    /// As `give_back`, unless `reason` says that the connection is of no further use.
    pub(crate) fn give_back_after(self, reason: Reason) {
        let is_lost = matches!(
            reason,
            Reason::ConnectionBroken
                | Reason::NotConnected
                | Reason::QMgrNotAvailable
                | Reason::QMgrQuiescing
                | Reason::QMgrStopping
        );
        if !is_lost {
            self.give_back();
        }
    }
}
