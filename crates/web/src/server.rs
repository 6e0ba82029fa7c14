//! What all requests share, and its replacement at a reload.
//!
//! A request takes one snapshot of the settings at its start and keeps it to its end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ::service::Services;
use ::service::provider::environment::Environment;
use ::service::registry::Registry;
use connection::options::OptionsError;
use model::authority::Principal;
use model::reason::Reason;
use model::timestamp::Timestamp;
use parking_lot::RwLock;
use queue_manager::registry::{State, Unavailable};
use queue_manager::{Clock, QueueManagers, SystemClock};
use requester::Requesters;
use tokio::sync::watch;

use crate::auth::Authenticator;
use crate::auth::password::PasswordReader;
use crate::command_time::CommandTime;
use crate::connections::Connections;
use crate::cors::Policy;
use crate::error::ApiError;
use crate::messaging::pool::Pool;
use crate::metrics::HttpStatistics;
use crate::peer_certificate::Verifier;
use crate::{WebError, WebOptions};

/// Lives as long as the server.
pub(crate) struct Shared {
    settings: RwLock<Arc<Settings>>,
    /// The server's table: looked up anew by whoever asks, for queue managers come and go.
    pub(crate) queue_managers: QueueManagers,
    pub(crate) services: Arc<Services>,
    pub(crate) requesters: Arc<Requesters>,
    /// Where HTTPS listens, once it does.
    pub(crate) https_port: OnceLock<u16>,
    pub(crate) connections: Arc<Connections>,
    pub(crate) statistics: HttpStatistics,
    pub(crate) command_time: Arc<CommandTime>,
    pub(crate) is_ready: AtomicBool,
    /// Who judges certificates of clients now.
    pub(crate) client_verifier: RwLock<Verifier>,
    /// True once the server stops: gets that wait end then.
    pub(crate) stopping: watch::Sender<bool>,
}

/// What a reload replaces, or the start or end of a queue manager.
pub(crate) struct Settings {
    pub(crate) options: Arc<WebOptions>,
    pub(crate) authenticator: Arc<Authenticator>,
    pub(crate) cors: Arc<Policy>,
    /// One for each queue manager that runs and does not quiesce, in the same order.
    pub(crate) pools: Vec<Arc<Pool>>,
    /// Who connects, and who acts where the user's own context is not adopted.
    pub(crate) server_principal: Principal,
}

impl Shared {
    pub(crate) fn new(options: WebOptions, queue_managers: QueueManagers) -> Result<Self, WebError> {
        let authenticator = Authenticator::new(&options)?;
        let registry = Registry::new(options.archives.clone(), options.service_settings(), Arc::new(SystemClock));
        let called = requester_settings(&options)?;
        let requesters = Requesters::new(&options.archives, called, Arc::new(SystemClock));
        let settings = Settings::new(options, authenticator, &queue_managers);
        let environment = Environment::new(queue_managers.clone(), settings.server_principal.clone());
        let services = Services { environment, registry };
        configure_services(&services, &settings.options)?;
        Ok(Self {
            services: Arc::new(services),
            requesters: Arc::new(requesters),
            https_port: OnceLock::new(),
            settings: RwLock::new(Arc::new(settings)),
            queue_managers,
            connections: Connections::new(),
            statistics: HttpStatistics::new(),
            command_time: Arc::default(),
            is_ready: AtomicBool::new(false),
            client_verifier: RwLock::default(),
            stopping: watch::channel(false).0,
        })
    }

    pub(crate) fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.settings.read())
    }

    /// # Errors
    /// As `Authenticator::new`; the old settings stay.
    pub(crate) fn reload(&self, options: WebOptions) -> Result<(), WebError> {
        let authenticator = self.settings().authenticator.reloaded(&options)?;
        let called = requester_settings(&options)?;
        configure_services(&self.services, &options)?;
        self.requesters.configure(called);
        self.services.registry.configure(options.service_settings());
        self.replace(|_| Settings::new(options, authenticator, &self.queue_managers));
        Ok(())
    }

    /// Makes pools for queue managers that have started since, and gives up those of others.
    pub(crate) fn queue_managers_changed(&self) {
        self.replace(|before| before.with_pools_of(&self.queue_managers));
        self.services.environment.connections.queue_managers_changed();
    }

    /// Pools that are no longer used are closed, so that no connection stays behind in them.
    fn replace(&self, make: impl FnOnce(&Settings) -> Settings) {
        let mut settings = self.settings.write();
        let new = make(&settings);
        let before = std::mem::replace(&mut *settings, Arc::new(new));
        for pool in &before.pools {
            if !settings.pools.iter().any(|kept| Arc::ptr_eq(kept, pool)) {
                pool.close();
            }
        }
    }

    /// Why there is no pool for a queue manager.
    pub(crate) fn unavailable(&self, queue_manager: &str) -> ApiError {
        match self.queue_managers.admitting_one(queue_manager) {
            _ if queue_manager.trim().is_empty() => ApiError::queue_manager_unknown(queue_manager),
            Err(Unavailable::Unknown) => ApiError::queue_manager_unknown(queue_manager),
            Err(Unavailable::NotRunning(State::Quiescing)) => ApiError::connect(Reason::QMgrQuiescing),
            Err(Unavailable::NotRunning(state)) if state.is_ending() => ApiError::connect(Reason::QMgrStopping),
            Ok(_) | Err(Unavailable::NotRunning(_)) => ApiError::connect(Reason::QMgrNotAvailable),
        }
    }

    pub(crate) fn now(&self) -> Timestamp {
        SystemClock.now()
    }

    pub(crate) fn is_ready(&self) -> bool {
        self.is_ready.load(Ordering::Acquire) && !*self.stopping.borrow()
    }
}

/// Reads PEM files.
///
/// # Errors
/// An endpoint connection, or what it refers to, cannot be used.
fn requester_settings(options: &WebOptions) -> Result<requester::Settings, WebError> {
    let reader = PasswordReader::new(options.web.password_encryption_key.as_deref());
    let read = |stored: &str| match reader.decode(stored) {
        Ok(password) => Ok(password),
        // Text without a known prefix is the password itself.
        Err(_) if !stored.starts_with('{') => Ok(stored.to_owned()),
        Err(error) => Err(error.to_string()),
    };
    requester::Settings::new(&options.requester_options(), &read)
        .map_err(|requester::OptionsError { key, problem }| WebError::Option { key, problem })
}

/// # Errors
/// An entry of `[remote_queue_managers]` cannot be used.
fn configure_services(services: &Services, options: &WebOptions) -> Result<(), WebError> {
    let connections = &services.environment.connections;
    connections
        .set_remote(options.remote_queue_managers.clone())
        .map_err(|OptionsError { key, problem }| WebError::Option { key, problem })?;
    *services.environment.request_timeout.write() = Duration::from_secs(options.zosconnect.request_timeout_seconds);
    Ok(())
}

impl Settings {
    fn new(options: WebOptions, authenticator: Authenticator, queue_managers: &QueueManagers) -> Self {
        let settings = Self {
            server_principal: Principal::administrator(&options.server_user),
            authenticator: Arc::new(authenticator),
            cors: Arc::new(Policy::new(&options.cors)),
            pools: Vec::new(),
            options: Arc::new(options),
        };
        settings.with_pools_of(queue_managers)
    }

    fn with_pools_of(&self, queue_managers: &QueueManagers) -> Self {
        let pool_of = |queue_manager| match self.pools.iter().find(|pool| pool.is_of(&queue_manager)) {
            Some(pool) => Arc::clone(pool),
            None => Arc::new(Pool::new(queue_manager, &self.server_principal, &self.options.messaging)),
        };
        Self {
            options: Arc::clone(&self.options),
            authenticator: Arc::clone(&self.authenticator),
            cors: Arc::clone(&self.cors),
            pools: queue_managers.admitting().into_iter().map(pool_of).collect(),
            server_principal: self.server_principal.clone(),
        }
    }
}
