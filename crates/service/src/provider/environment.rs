//! What all services of a server share: connections, who the server is, limits.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use connection::connections::{Connections, Policy, RemoteKeeping};
use connection::pool::{Keeping, Limit};
use model::authority::Principal;
use parking_lot::RwLock;
use queue_manager::QueueManagers;
use tokio::sync::watch;

use super::late::LateReplies;

/// Idle connections kept for each local queue manager.
const LOCAL_POOL_SIZE: usize = 64;
/// Idle connections are closed after so many seconds.
const IDLE_SECONDS: u32 = 1800;

/// Made once for a server.
pub struct Environment {
    pub connections: Connections,
    /// Whose authority counts where a service names nobody.
    pub server: Principal,
    /// Longest that a request may wait, whatever its service or headers say (`asyncRequestTimeout`).
    request_timeout_ms: AtomicU64,
    /// True once the server stops.
    pub(super) stopping: watch::Sender<bool>,
    /// Replies that came too late, or have not come yet.
    pub(super) late: LateReplies,
    /// Users that services name, with their groups.
    principals: RwLock<HashMap<String, Principal>>,
}

impl Environment {
    /// The published default of `asyncRequestTimeout`.
    pub const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

    /// Without remote queue managers, for now: see [`Connections::set_remote`]. Whoever makes it calls its `connections`' `tick`
    /// once a second.
    pub fn new(queue_managers: QueueManagers, server: Principal) -> Self {
        let policy = Policy {
            local: Keeping { limit: Limit::Idle(LOCAL_POOL_SIZE), idle_ticks: Some(IDLE_SECONDS) },
            remote: RemoteKeeping::ByEntry,
        };
        let environment = Self {
            connections: Connections::new(queue_managers, server.clone(), "Quaymaster services", policy),
            server,
            request_timeout_ms: AtomicU64::default(),
            stopping: watch::channel(false).0,
            late: LateReplies::default(),
            principals: RwLock::default(),
        };
        environment.set_request_timeout(Self::REQUEST_TIMEOUT);
        environment
    }

    /// Of requests from now on, rounded down to milliseconds.
    pub fn set_request_timeout(&self, timeout: Duration) {
        let milliseconds = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
        self.request_timeout_ms.store(milliseconds, Ordering::Relaxed);
    }

    pub(super) fn request_timeout(&self) -> Duration {
        Duration::from_millis(self.request_timeout_ms.load(Ordering::Relaxed))
    }

    /// The server stops: waits end, now and later.
    pub fn stop(&self) {
        self.stopping.send_replace(true);
        self.connections.end_waits();
    }

    pub(super) fn is_stopping(&self) -> bool {
        *self.stopping.borrow()
    }

    /// Says which groups a user of a service's `userName` is in. Without it the user is in none.
    pub fn set_principal(&self, principal: Principal) {
        self.principals.write().insert(principal.user.to_string(), principal);
    }

    /// A user that a service names.
    pub fn principal(&self, user: &str) -> Principal {
        self.principals.read().get(user).cloned().unwrap_or_else(|| Principal::user(user))
    }
}
