//! Connections kept for reuse: one shelf for each local queue manager, one for each user of a remote one.
//!
//! Local connections are made as the server itself and serve every user, for each verb names its own. Remote ones are made
//! as the user, and preferably taken by the thread that made them, on which their socket is served.
//!
//! Invariants
//! - A connection lies on a shelf only with nothing open on it and nothing under syncpoint.
//! - Those of a queue manager that ends are closed by `queue_managers_changed`, so that none holds up its end.

use std::collections::HashMap;
use std::sync::Arc;
use std::thread::ThreadId;

use channel_client::client::Client;
use channel_client::options::{ConnectOptions, Credentials};
use model::authority::Principal;
use parking_lot::{Mutex, RwLock};
use queue_manager::registry::Unavailable;
use queue_manager::{QueueManager, QueueManagers};

use crate::error::ConnectionError;
use crate::options::{OptionsError, RemoteQueueManager, RemoteQueueManagers};
use crate::target::{Target, User};
use crate::verbs::Connection;

/// MQAT_UNIX.
const APPLICATION_TYPE: i32 = 6;
/// Idle local connections kept for each queue manager.
const LOCAL_POOL_SIZE: usize = 64;
/// Users of one remote queue manager that have a shelf; those beyond it have connections made for one request each.
const MOST_USERS: usize = 1000;

/// All connections of one server's services.
pub struct Connections {
    queue_managers: QueueManagers,
    server: Principal,
    local: RwLock<Vec<(QueueManager, Arc<Shelf>)>>,
    remote: RwLock<HashMap<String, Arc<Remote>>>,
}

struct Remote {
    entry: RemoteQueueManager,
    options: ConnectOptions,
    users: Mutex<HashMap<RemoteUser, (Client, Arc<Shelf>)>>,
}

/// As whom a remote connection is made.
#[derive(Clone, PartialEq, Eq, Hash)]
enum RemoteUser {
    OfEntry,
    Asserted(Arc<str>),
    Named(Arc<str>, String),
}

struct Shelf {
    /// `None` once closed.
    idle: Mutex<Option<Vec<(ThreadId, Connection)>>>,
    maximum: usize,
}

/// A connection for one request. Dropped without `give_back` it is closed, and what was under way on it is ended.
pub struct Lent {
    connection: Connection,
    shelf: Arc<Shelf>,
}

impl Connections {
    /// Connects nothing yet, and knows no remote queue managers. `server` is who connects to this server's own.
    pub fn new(queue_managers: QueueManagers, server: Principal) -> Self {
        Self { queue_managers, server, local: RwLock::default(), remote: RwLock::default() }
    }

    /// Replaces the remote queue managers; idle connections to those that changed are closed.
    ///
    /// # Errors
    /// An entry that cannot be used; then everything stays as it was.
    pub fn set_remote(&self, entries: RemoteQueueManagers) -> Result<(), OptionsError> {
        let mut remote = self.remote.write();
        let mut replaced = HashMap::with_capacity(entries.len());
        for (name, entry) in entries {
            let kept = remote.get(&name).filter(|known| known.entry == entry).map(Arc::clone);
            let made = match kept {
                Some(kept) => kept,
                None => Arc::new(Remote { options: entry.connect_options(&name)?, entry, users: Mutex::default() }),
            };
            replaced.insert(name, made);
        }
        *remote = replaced;
        Ok(())
    }

    /// Whether `[remote_queue_managers]` has the name.
    pub fn knows_remote(&self, name: &str) -> bool {
        self.remote.read().contains_key(name)
    }

    /// The names of `[remote_queue_managers]`, in no order.
    pub fn remote_names(&self) -> Vec<String> {
        self.remote.read().keys().cloned().collect()
    }

    /// Closes idle connections to queue managers that do not take new work any more.
    pub fn queue_managers_changed(&self) {
        let admitting = self.queue_managers.admitting();
        self.local.write().retain(|(queue_manager, shelf)| {
            let stays = admitting.iter().any(|each| each.is_same(queue_manager));
            if !stays {
                shelf.close();
            }
            stays
        });
    }

    /// Closes everything that is idle.
    pub fn close(&self) {
        for (_, shelf) in self.local.write().drain(..) {
            shelf.close();
        }
        for remote in self.remote.read().values() {
            for (_, (_, shelf)) in remote.users.lock().drain() {
                shelf.close();
            }
        }
    }

    /// A connection for one request: a kept one, or a new one. Within a tokio runtime.
    ///
    /// # Errors
    /// There is no such queue manager, it does not run, or it refuses the user.
    pub async fn lend(&self, target: &Target, user: &User) -> Result<Lent, ConnectionError> {
        match target {
            Target::Local(name) => self.lend_local(name),
            Target::Remote(name) => self.lend_remote(name, user).await,
        }
    }

    fn lend_local(&self, name: &str) -> Result<Lent, ConnectionError> {
        let queue_manager = self.queue_managers.admitting_one(name).map_err(|unavailable| match unavailable {
            Unavailable::Unknown => ConnectionError::QueueManagerUnknown { name: name.to_owned() },
            Unavailable::NotRunning(_) => ConnectionError::QueueManagerNotRunning { name: name.to_owned() },
        })?;
        let shelf = self.shelf_of(&queue_manager);
        let connection = match shelf.take() {
            Some(connection) => connection,
            None => Connection::Local(queue_manager.connect(self.connect_options())?),
        };
        Ok(Lent { connection, shelf })
    }

    fn connect_options(&self) -> queue_manager::ConnectOptions {
        queue_manager::ConnectOptions {
            principal: self.server.clone(),
            application_name: "Quaymaster services".to_owned(),
            application_type: APPLICATION_TYPE,
            channel: String::new(),
            connection_name: String::new(),
        }
    }

    fn shelf_of(&self, queue_manager: &QueueManager) -> Arc<Shelf> {
        let find = |shelves: &[(QueueManager, Arc<Shelf>)]| {
            let found = shelves.iter().find(|(known, _)| known.is_same(queue_manager));
            found.map(|(_, shelf)| Arc::clone(shelf))
        };
        if let Some(shelf) = find(&self.local.read()) {
            return shelf;
        }
        let mut shelves = self.local.write();
        find(&shelves).unwrap_or_else(|| {
            let shelf = Arc::new(Shelf::new(LOCAL_POOL_SIZE));
            shelves.push((queue_manager.clone(), Arc::clone(&shelf)));
            shelf
        })
    }

    async fn lend_remote(&self, name: &str, user: &User) -> Result<Lent, ConnectionError> {
        let remote = self.remote.read().get(name).map(Arc::clone);
        let remote = remote.ok_or_else(|| ConnectionError::RemoteUnknown { name: name.to_owned() })?;
        let (client, shelf) = remote.of(user)?;
        let connection = match shelf.take() {
            Some(connection) => connection,
            None => Connection::Remote(Box::new(client.connect().await?)),
        };
        Ok(Lent { connection, shelf })
    }
}

impl Remote {
    /// Client and shelf of a user, made when first asked for.
    fn of(&self, user: &User) -> Result<(Client, Arc<Shelf>), ConnectionError> {
        let key = match user {
            User::Server(_) => RemoteUser::OfEntry,
            User::Caller(principal) => RemoteUser::Asserted(Arc::clone(&principal.user)),
            User::Named { principal, password } => RemoteUser::Named(Arc::clone(&principal.user), password.clone()),
        };
        let mut users = self.users.lock();
        if let Some((client, shelf)) = users.get(&key) {
            return Ok((client.clone(), Arc::clone(shelf)));
        }
        let mut options = self.options.clone();
        match &key {
            RemoteUser::OfEntry => {}
            RemoteUser::Asserted(user) => {
                options.credentials = None;
                options.asserted_user = user.to_string();
            }
            RemoteUser::Named(user, password) => {
                options.credentials = Some(Credentials { user: user.to_string(), password: password.clone() });
            }
        }
        let client = Client::new(options)?;
        let is_kept = users.len() < MOST_USERS;
        let shelf = Arc::new(Shelf::new(if is_kept { self.entry.max_pool_size } else { 0 }));
        if is_kept {
            users.insert(key, (client.clone(), Arc::clone(&shelf)));
        }
        Ok((client, shelf))
    }
}

impl Shelf {
    fn new(maximum: usize) -> Self {
        Self { idle: Mutex::new(Some(Vec::new())), maximum }
    }

    fn close(&self) {
        let idle = self.idle.lock().take();
        drop(idle);
    }

    /// One that is whole, made on this thread if there is such.
    fn take(&self) -> Option<Connection> {
        let here = std::thread::current().id();
        let mut broken = Vec::new();
        let mut idle = self.idle.lock();
        let idle = idle.as_mut()?;
        loop {
            let place = idle.iter().rposition(|(thread, _)| *thread == here).or(idle.len().checked_sub(1))?;
            match idle.swap_remove(place).1 {
                Connection::Remote(remote) if remote.is_broken() => broken.push(remote),
                connection => return Some(connection),
            }
        }
    }

    fn put_back(&self, connection: Connection) {
        let surplus = match &mut *self.idle.lock() {
            Some(idle) if idle.len() < self.maximum => {
                idle.push((std::thread::current().id(), connection));
                None
            }
            _ => Some(connection),
        };
        drop(surplus);
    }
}

impl Lent {
    pub fn connection(&mut self) -> &mut Connection {
        &mut self.connection
    }

    /// Nothing is open on it any more, and nothing under syncpoint: the next request may have it.
    pub fn give_back(self) {
        self.shelf.put_back(self.connection);
    }

    /// As `give_back`, unless `error` says that the connection is of no further use.
    pub fn give_back_after(self, error: &ConnectionError) {
        if !error.is_lost() {
            self.give_back();
        }
    }
}
