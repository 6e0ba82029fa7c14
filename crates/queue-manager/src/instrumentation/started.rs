//! Listeners and services that run: DISPLAY LSSTATUS and SVSTATUS, STOP LISTENER and SERVICE.
//!
//! Who runs one registers it and keeps the handle; STOP asks it to end. Sockets are the server's: START LISTENER asks the
//! `ListenerHost` that the server has named, and is remembered until there is one.
//!
//! Source: MQ reference, "DISPLAY LSSTATUS", "DISPLAY SVSTATUS", "START LISTENER", 9.3.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use model::authority::AuthorityObject;
use model::definition::AdministeredObject;
use model::definition::attribute::Membership;
use model::definition::listener::{ListenerDefinition, StartControl};
use model::name::ObjectName;
use model::timestamp::Timestamp;
use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::QueueManager;
use crate::instrumentation::channel_status::ChannelDisposition;

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
    /// Clients of a listener, on the way in.
    pub disposition: ChannelDisposition,
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
    listeners: Mutex<Listeners>,
}

/// The starter of listeners, and requests from before there was one.
#[derive(Default)]
struct Listeners {
    host: Option<Arc<dyn ListenerHost>>,
    wanted: Vec<ObjectName>,
}

/// Has the sockets that listeners need.
pub trait ListenerHost: Send + Sync {
    /// Listens as the definition says, and makes it known with `register_started` until it is asked to end.
    ///
    /// # Errors
    /// The address is in use or cannot be used. `Unsupported`: this server is to listen to nobody.
    fn start_listener(&self, queue_manager: &QueueManager, definition: &ListenerDefinition) -> io::Result<()>;

    /// False for a listener that stands for an address which this server is not to open.
    fn is_to_listen(&self, _queue_manager: &QueueManager, _definition: &ListenerDefinition) -> bool {
        true
    }

    /// Why a server-connection channel with this SSLCIPH would refuse every client, and what to do.
    fn why_not_served(&self, cipher_specification: &str) -> Option<String>;
}

/// Why START LISTENER started nothing.
#[derive(Debug, thiserror::Error)]
pub enum ListenerError {
    #[error("there is no such listener")]
    NotFound,
    #[error("the listener runs already")]
    IsActive,
    #[error("the listener cannot listen: {0}")]
    Listen(#[from] io::Error),
}

/// A listener or service in the hands of who runs it. Dropping it takes it out of the table.
pub struct StartedHandle {
    table: Arc<StartedTable>,
    registered: Arc<Registered>,
}

impl StartedHandle {
    /// Waits until it is to end.
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

    /// Names who starts listeners from now on, and has it start those that are started with the queue manager, and those
    /// that were asked for before. The log names what cannot be started.
    pub fn set_listener_host(&self, host: Arc<dyn ListenerHost>) {
        let listeners = &self.engine().started_objects.listeners;
        let mut names = std::mem::take(&mut listeners.lock().wanted);
        listeners.lock().host = Some(host);
        for object in self.objects(AuthorityObject::Listener) {
            if let AdministeredObject::Listener(definition) = &*object
                && definition.control != StartControl::Manual
                && !names.contains(&definition.name)
            {
                names.push(definition.name);
            }
        }
        for name in names {
            let queue_manager = self.name();
            match self.start_listener(&name) {
                Ok(()) => {}
                Err(ListenerError::Listen(why)) if why.kind() == io::ErrorKind::Unsupported => {
                    tracing::info!(queue_manager = queue_manager.as_str(), "listener {name} does not start: {why}");
                }
                Err(error) => {
                    tracing::error!(queue_manager = queue_manager.as_str(), "AMQ9218E: listener {name}: {error}");
                }
            }
        }
    }

    /// The queue manager ends: its listeners are asked to end, and none is started any more.
    pub fn end_listeners(&self) {
        self.engine().started_objects.listeners.lock().host = None;
        for status in self.started_objects(AuthorityObject::Listener) {
            self.stop_started(AuthorityObject::Listener, &status.started.name);
        }
    }

    /// What the channels are that come in by a listener: INDISP, which counts at members of a queue-sharing group.
    pub fn inbound_disposition(&self, definition: &ListenerDefinition) -> ChannelDisposition {
        match self.membership() {
            Membership::Member if definition.of_group => ChannelDisposition::Shared,
            Membership::Member | Membership::Alone => ChannelDisposition::Private,
        }
    }

    /// Whether a listener is to run now: it starts with the queue manager, and the server opens its address.
    pub fn is_to_listen(&self, definition: &ListenerDefinition) -> bool {
        let host = self.engine().started_objects.listeners.lock().host.clone();
        definition.control != StartControl::Manual && host.is_some_and(|host| host.is_to_listen(self, definition))
    }

    /// Whether a server starts its listeners: not before its doors are open, nor when it ends.
    pub fn has_listener_host(&self) -> bool {
        self.engine().started_objects.listeners.lock().host.is_some()
    }

    /// Why a server-connection channel with this SSLCIPH would refuse every client, and what to do; `None` when it would not,
    /// and while no server has named its host.
    pub fn why_not_served(&self, cipher_specification: &str) -> Option<String> {
        let host = self.engine().started_objects.listeners.lock().host.clone();
        host?.why_not_served(cipher_specification)
    }

    /// START LISTENER. Before a server has named its host, the wish is remembered.
    ///
    /// # Errors
    /// By reason; see [`ListenerError`].
    pub fn start_listener(&self, name: &ObjectName) -> Result<(), ListenerError> {
        let object = self.object(AuthorityObject::Listener, name).ok_or(ListenerError::NotFound)?;
        let AdministeredObject::Listener(definition) = &*object else { return Err(ListenerError::NotFound) };
        let table = &self.engine().started_objects;
        if table.running.lock().contains_key(&(AuthorityObject::Listener, name.to_string())) {
            return Err(ListenerError::IsActive);
        }
        let host = {
            let mut listeners = table.listeners.lock();
            if listeners.host.is_none() && !listeners.wanted.contains(name) {
                listeners.wanted.push(*name);
            }
            listeners.host.clone()
        };
        if let Some(host) = host {
            host.start_listener(self, definition)?;
        }
        Ok(())
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
