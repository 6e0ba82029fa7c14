//! The pools of one use, such as the messaging REST API or services: one for each local queue manager, and for each remote
//! one those of the users its connections are made as.
//!
//! Invariant: those of a queue manager that ends are closed by `queue_managers_changed`, so that none holds up its end.

use std::collections::HashMap;
use std::sync::Arc;

use channel_client::options::{ConnectOptions, Credentials};
use model::authority::Principal;
use model::name::QueueManagerName;
use parking_lot::{Mutex, RwLock};
use queue_manager::registry::Unavailable;
use queue_manager::{QueueManager, QueueManagers};

use crate::error::ConnectionError;
use crate::maker::{Far, Maker};
use crate::options::{OptionsError, RemoteQueueManager, RemoteQueueManagers};
use crate::pool::{Keeping, Lent, Limit, Pool};
use crate::statistics::Statistics;
use crate::target::{Target, User};
use crate::waits::Waits;

/// MQAT_UNIX.
const APPLICATION_TYPE: i32 = 6;
/// Users of one remote queue manager that have a pool; those beyond it have connections made for one request each.
const MOST_USERS: usize = 1000;

/// How many connections a use keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    pub local: Keeping,
    pub remote: RemoteKeeping,
}

/// Of remote queue managers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemoteKeeping {
    /// As local ones.
    Same,
    /// As many idle ones for each user as the entry says.
    ByEntry,
}

/// All pools of one use.
pub struct Connections {
    queue_managers: QueueManagers,
    server: Principal,
    /// As queue managers show it.
    application_name: &'static str,
    policy: RwLock<Policy>,
    local: RwLock<LocalPools>,
    remote: RwLock<HashMap<String, Arc<RemoteEntry>>>,
    waits: Arc<Waits>,
}

/// One for each queue manager of this server that takes new work, as far as known.
#[derive(Default)]
struct LocalPools {
    pools: Vec<(QueueManager, Arc<Pool>)>,
    /// Whom a blank name stands for, as far as known.
    default: Option<QueueManagerName>,
}

impl LocalPools {
    /// The pool of a queue manager; a blank name is the default one's.
    fn by_name(&self, name: &str) -> Option<&Arc<Pool>> {
        let name = match name.trim_end() {
            "" => self.default.as_ref()?.as_str(),
            name => name,
        };
        self.pools.iter().map(|(_, pool)| pool).find(|pool| pool.name() == name)
    }

    fn of(&self, queue_manager: &QueueManager) -> Option<&Arc<Pool>> {
        self.pools.iter().find(|(known, _)| known.is_same(queue_manager)).map(|(_, pool)| pool)
    }
}

/// By name and password.
type UserPools = HashMap<(Arc<str>, String), Arc<Pool>>;

struct RemoteEntry {
    entry: RemoteQueueManager,
    options: ConnectOptions,
    /// Of the user that the entry names.
    pool: Arc<Pool>,
    /// Of users that services name.
    users: Mutex<UserPools>,
    waits: Arc<Waits>,
}

impl Connections {
    /// Connects nothing yet, and knows no remote queue managers. `server` is who connects to this server's own.
    pub fn new(
        queue_managers: QueueManagers,
        server: Principal,
        application_name: &'static str,
        policy: Policy,
    ) -> Self {
        Self {
            queue_managers,
            server,
            application_name,
            policy: RwLock::new(policy),
            local: RwLock::default(),
            remote: RwLock::default(),
            waits: Arc::default(),
        }
    }

    /// Other bounds from now on.
    pub fn set_policy(&self, policy: Policy) {
        *self.policy.write() = policy;
        for (_, pool) in &self.local.read().pools {
            pool.keep(policy.local);
        }
        for remote in self.remote.read().values() {
            remote.each_pool(|pool| pool.keep(remote.keeping(policy)));
        }
    }

    /// Replaces the remote queue managers; connections to those that changed are closed when they are idle.
    ///
    /// # Errors
    /// An entry that cannot be used; then everything stays as it was.
    pub fn set_remote(&self, entries: RemoteQueueManagers) -> Result<(), OptionsError> {
        let policy = *self.policy.read();
        let mut remote = self.remote.write();
        let mut replaced = HashMap::with_capacity(entries.len());
        for (name, entry) in entries {
            let made = match remote.get(&name).filter(|known| known.entry == entry) {
                Some(kept) => Arc::clone(kept),
                None => Arc::new(RemoteEntry::new(&name, entry, self.application_name, policy, &self.waits)?),
            };
            replaced.insert(name, made);
        }
        let before = std::mem::replace(&mut *remote, replaced);
        for (name, gone) in before {
            if !remote.get(&name).is_some_and(|kept| Arc::ptr_eq(kept, &gone)) {
                gone.each_pool(Pool::close);
            }
        }
        Ok(())
    }

    /// Whether `[remote_queue_managers]` has the name.
    pub fn knows_remote(&self, name: &str) -> bool {
        self.remote.read().contains_key(name)
    }

    /// Makes pools for local queue managers that have started since, and closes those of others.
    pub fn queue_managers_changed(&self) {
        let keeping = self.policy.read().local;
        let mut local = self.local.write();
        // Asked under the lock: of two that call this at once, the later answer counts.
        let admitting = self.queue_managers.admitting();
        local.default = self.queue_managers.default_name();
        local.pools.retain(|(queue_manager, pool)| {
            let stays = admitting.iter().any(|each| each.is_same(queue_manager));
            if !stays {
                pool.close();
            }
            stays
        });
        for queue_manager in admitting {
            if local.of(&queue_manager).is_none() {
                local.pools.push(self.local_pool(queue_manager, keeping));
            }
        }
    }

    /// Every pool that a request may name: those of local queue managers, then those of the users that remote entries name.
    /// Valid until the next change.
    pub fn pools(&self) -> Vec<Arc<Pool>> {
        let mut pools: Vec<_> = self.local.read().pools.iter().map(|(_, pool)| Arc::clone(pool)).collect();
        pools.extend(self.remote.read().values().map(|remote| Arc::clone(&remote.pool)));
        pools
    }

    /// One call for each tick of [`Keeping::idle_ticks`].
    pub fn tick(&self) {
        for (_, pool) in &self.local.read().pools {
            pool.tick();
        }
        for remote in self.remote.read().values() {
            remote.each_pool(|pool| pool.tick());
        }
    }

    /// By queue manager, the pools of all its users added up: name, whether it is remote, and what its pools have done.
    pub fn statistics(&self) -> Vec<(String, bool, Statistics)> {
        let local = self.local.read();
        let mut all: Vec<_> =
            local.pools.iter().map(|(_, pool)| (pool.name().to_owned(), false, pool.statistics())).collect();
        let remote = self.remote.read();
        let mut far: Vec<_> = remote
            .iter()
            .map(|(name, remote)| {
                let mut sum = Statistics::default();
                remote.each_pool(|pool| sum += pool.statistics());
                (name.clone(), true, sum)
            })
            .collect();
        far.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        all.extend(far);
        all
    }

    /// The door closes: no get on a connection of these waits any longer, now or later (2161).
    pub fn end_waits(&self) {
        self.waits.end();
        for (queue_manager, _) in &self.local.read().pools {
            queue_manager.end_waits(&self.waits.closing);
        }
    }

    /// Closes everything that is idle.
    pub fn close(&self) {
        for (_, pool) in self.local.write().pools.drain(..) {
            pool.close();
        }
        for (_, remote) in self.remote.write().drain() {
            remote.each_pool(Pool::close);
        }
    }

    /// The pool of a queue manager and a user.
    ///
    /// # Errors
    /// There is no such queue manager, it does not run, or options that cannot be used.
    pub fn pool(&self, target: &Target, user: &User<'_>) -> Result<Arc<Pool>, ConnectionError> {
        match target {
            Target::Local(name) => self.pool_of_local(name),
            Target::Remote(name) => {
                let remote = self.remote.read().get(name).map(Arc::clone);
                let remote = remote.ok_or_else(|| ConnectionError::RemoteUnknown { name: name.to_owned() })?;
                remote.pool_of(name, user, *self.policy.read())
            }
        }
    }

    /// A connection for one request. Within a tokio runtime.
    ///
    /// # Errors
    /// As [`Connections::pool`] and [`Pool::lend`].
    pub async fn lend(&self, target: &Target, user: &User<'_>) -> Result<Lent, ConnectionError> {
        self.pool(target, user)?.lend().await
    }

    fn pool_of_local(&self, name: &str) -> Result<Arc<Pool>, ConnectionError> {
        if let Some(pool) = self.local.read().by_name(name) {
            return Ok(Arc::clone(pool));
        }
        // It has started since, or does not run.
        let keeping = self.policy.read().local;
        let mut local = self.local.write();
        let queue_manager = self.queue_managers.admitting_one(name).map_err(|unavailable| match unavailable {
            Unavailable::Unknown => ConnectionError::QueueManagerUnknown { name: name.to_owned() },
            Unavailable::NotRunning(_) => {
                ConnectionError::QueueManagerNotRunning { target: Target::Local(name.to_owned()) }
            }
        })?;
        if let Some(pool) = local.of(&queue_manager) {
            return Ok(Arc::clone(pool));
        }
        let made = self.local_pool(queue_manager, keeping);
        let pool = Arc::clone(&made.1);
        local.pools.push(made);
        Ok(pool)
    }

    fn local_pool(&self, queue_manager: QueueManager, keeping: Keeping) -> (QueueManager, Arc<Pool>) {
        let options = queue_manager::ConnectOptions {
            principal: self.server.clone(),
            application_name: self.application_name.to_owned(),
            application_type: APPLICATION_TYPE,
            channel: String::new(),
            connection_name: String::new(),
        };
        let name = queue_manager.name().to_string();
        let waits = Arc::clone(&self.waits);
        let maker = Maker::Local { queue_manager: queue_manager.clone(), options, waits };
        (queue_manager, Arc::new(Pool::new(name, maker, keeping)))
    }
}

impl RemoteEntry {
    /// # Errors
    /// An entry that cannot be used.
    fn new(
        name: &str,
        entry: RemoteQueueManager,
        application_name: &str,
        policy: Policy,
        waits: &Arc<Waits>,
    ) -> Result<Self, OptionsError> {
        let mut options = entry.connect_options(name)?;
        options.application_name = application_name.to_owned();
        let user = entry.user.as_deref().unwrap_or_default().into();
        let far = Far::new(options.clone(), user, Arc::clone(waits));
        let far = far.map_err(|error| OptionsError {
            key: format!("remote_queue_managers.{name}"),
            problem: error.to_string(),
        })?;
        let keeping = keeping(policy, entry.max_pool_size);
        let pool = Arc::new(Pool::new(name.to_owned(), Maker::Remote(far), keeping));
        Ok(Self { entry, options, pool, users: Mutex::default(), waits: Arc::clone(waits) })
    }

    fn keeping(&self, policy: Policy) -> Keeping {
        keeping(policy, self.entry.max_pool_size)
    }

    fn each_pool(&self, mut visit: impl FnMut(&Arc<Pool>)) {
        visit(&self.pool);
        self.users.lock().values().for_each(visit);
    }

    /// The pool of a user, made when first asked for.
    fn pool_of(&self, name: &str, user: &User<'_>, policy: Policy) -> Result<Arc<Pool>, ConnectionError> {
        let User::Named { principal, password } = user else { return Ok(Arc::clone(&self.pool)) };
        let key = (Arc::clone(&principal.user), password.clone().into_owned());
        let mut users = self.users.lock();
        if let Some(pool) = users.get(&key) {
            return Ok(Arc::clone(pool));
        }
        let mut options = self.options.clone();
        options.credentials =
            Some(Credentials { user: principal.user.to_string(), password: password.clone().into_owned() });
        let far = Far::new(options, Arc::clone(&principal.user), Arc::clone(&self.waits))?;
        let maker = Maker::Remote(far);
        let is_kept = users.len() < MOST_USERS;
        let none = Keeping { limit: Limit::Idle(0), idle_ticks: None };
        let keeping = if is_kept { self.keeping(policy) } else { none };
        let pool = Arc::new(Pool::new(name.to_owned(), maker, keeping));
        if is_kept {
            users.insert(key, Arc::clone(&pool));
        }
        Ok(pool)
    }
}

fn keeping(policy: Policy, of_entry: usize) -> Keeping {
    match policy.remote {
        RemoteKeeping::Same => policy.local,
        RemoteKeeping::ByEntry => Keeping { limit: Limit::Idle(of_entry), idle_ticks: policy.local.idle_ticks },
    }
}
