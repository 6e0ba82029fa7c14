//! Listeners and services that run: DISPLAY LSSTATUS and SVSTATUS, STOP LISTENER and SERVICE.
//!
//! Who runs one registers it and keeps the handle; STOP asks it to end. Nothing here starts anything.
//!
//! Source: MQ reference, "DISPLAY LSSTATUS", "DISPLAY SVSTATUS", 9.3.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use model::authority::AuthorityObject;
use model::timestamp::Timestamp;
use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::QueueManager;

/// A listener or a service that runs.
#[derive(Debug, Clone)]
pub struct Started {
    /// `Listener` or `Service`.
    pub family: AuthorityObject,
    pub name: String,
    pub process_id: u32,
    /// Where a listener listens; blank for a service.
    pub address: String,
    pub port: u16,
    pub backlog: u32,
}

/// The same, and since when.
#[derive(Debug, Clone)]
pub struct StartedStatus {
    pub started: Started,
    pub since: Timestamp,
    pub is_stopping: bool,
}

struct Registered {
    started: Started,
    since: Timestamp,
    is_stopping: AtomicBool,
    asked: Notify,
}

#[derive(Default)]
pub(crate) struct StartedTable {
    running: Mutex<BTreeMap<(AuthorityObject, String), Arc<Registered>>>,
}

/// A listener or service in the hands of who runs it. Dropping it takes it out of the table.
pub struct StartedHandle {
    table: Arc<StartedTable>,
    registered: Arc<Registered>,
}

impl StartedHandle {
    /// Waits until somebody wants it to end.
    pub async fn stop_wanted(&self) {
        loop {
            let asked = self.registered.asked.notified();
            if self.registered.is_stopping.load(Ordering::Acquire) {
                return;
            }
            asked.await;
        }
    }
}

impl Drop for StartedHandle {
    fn drop(&mut self) {
        let key = (self.registered.started.family, self.registered.started.name.clone());
        self.table.running.lock().remove(&key);
    }
}

impl QueueManager {
    /// Makes it known that a listener or service runs; `None` when it does already.
    pub fn register_started(&self, started: Started) -> Option<StartedHandle> {
        let table = &self.engine().started_objects;
        let key = (started.family, started.name.clone());
        let mut running = table.running.lock();
        if running.contains_key(&key) {
            return None;
        }
        let registered = Arc::new(Registered {
            started,
            since: self.now(),
            is_stopping: AtomicBool::new(false),
            asked: Notify::new(),
        });
        running.insert(key, registered.clone());
        drop(running);
        Some(StartedHandle { table: table.clone(), registered })
    }

    /// Those of one family, by name.
    pub fn started_objects(&self, family: AuthorityObject) -> Vec<StartedStatus> {
        let running = self.engine().started_objects.running.lock();
        let of_family = running.values().filter(|registered| registered.started.family == family);
        of_family
            .map(|registered| StartedStatus {
                started: registered.started.clone(),
                since: registered.since,
                is_stopping: registered.is_stopping.load(Ordering::Acquire),
            })
            .collect()
    }

    /// Asks a listener or service to end. False when none of that name runs.
    pub fn stop_started(&self, family: AuthorityObject, name: &str) -> bool {
        let running = self.engine().started_objects.running.lock();
        let Some(registered) = running.get(&(family, name.to_owned())) else { return false };
        registered.is_stopping.store(true, Ordering::Release);
        registered.asked.notify_waiters();
        true
    }
}
