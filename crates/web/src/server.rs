//! What all requests share, and its replacement at a reload.
//!
//! A request takes one snapshot of the settings at its start and keeps it to its end.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ::service::Services;
use ::service::copybooks::CopybookFolder;
use ::service::provider::environment::Environment;
use ::service::registry::Registry;
use connection::connections::Connections as Pools;
use connection::options::{OptionsError, RemoteQueueManagers};
use connection::pool::Pool;
use identity::Authenticator;
use identity::password::PasswordReader;
use message_api::MessageApi;
use message_api::push::Targets;
use model::authority::Principal;
use model::reason::Reason;
use model::timestamp::Timestamp;
use operations::problems::Problems;
use parking_lot::RwLock;
use queue_manager::registry::{State, Unavailable};
use queue_manager::{Clock, QueueManagers, SystemClock};
use requester::Requesters;
use requester::post::Reach;
use test_control::TestControl;

use telemetry::Tracer;

use crate::CertificateEnd;
use crate::api::snapshots::Snapshots;
use crate::api::traffic::Mocks;
use crate::budget::Budget;
use crate::command_time::CommandTime;
use crate::connections::Connections;
use crate::console::Guard;
use crate::copybooks::OfServer;
use crate::cors::Policy;
use crate::error::ApiError;
use crate::messaging::pools;
use crate::metrics::HttpStatistics;
use crate::peer_certificate::Verifier;
use crate::service::Door;
use crate::{WebError, WebOptions};

/// Lives as long as the server.
pub(crate) struct Shared {
    settings: RwLock<Arc<Settings>>,
    /// The server's table: looked up for each request, because queue managers are added and removed.
    pub(crate) queue_managers: QueueManagers,
    pub(crate) services: Arc<Services>,
    pub(crate) requesters: Arc<Requesters>,
    /// What messaging requests take their connections from.
    pub(crate) messaging: Pools,
    /// What the message API keeps between requests.
    pub(crate) message_api: MessageApi,
    /// What is wrong with queue managers.
    pub(crate) problems: Problems,
    /// Where HTTPS listens, once it does.
    pub(crate) https_port: OnceLock<u16>,
    /// Where HTTP listens, and where MQ clients are served, once they are.
    pub(crate) http_address: OnceLock<SocketAddr>,
    pub(crate) mq_address: OnceLock<SocketAddr>,
    pub(crate) connections: Listeners,
    /// Bodies of requests on their way in, and answers on their way out.
    pub(crate) bodies: Arc<Budget>,
    pub(crate) answers: Arc<Budget>,
    pub(crate) statistics: HttpStatistics,
    pub(crate) command_time: Arc<CommandTime>,
    pub(crate) is_ready: AtomicBool,
    /// Who judges certificates of clients now.
    pub(crate) client_verifier: RwLock<Verifier>,
    pub(crate) is_stopping: AtomicBool,
    /// For the metrics.
    pub(crate) certificates: RwLock<Vec<CertificateEnd>>,
    /// Users whose passwords the server has made itself.
    pub(crate) initial_users: RwLock<Vec<String>>,
    /// `None`: the server was not started for tests.
    pub(crate) test_control: Option<Arc<TestControl>>,
    pub(crate) snapshots: Snapshots,
    pub(crate) mocks: Mocks,
    /// `None`: no traces.
    pub(crate) tracer: Option<Tracer>,
}

/// What a reload replaces, or the start or end of a queue manager.
pub(crate) struct Settings {
    pub(crate) options: Arc<WebOptions>,
    pub(crate) authenticator: Arc<Authenticator>,
    pub(crate) cors: Arc<Policy>,
    /// For messaging requests: one for each queue manager that runs and does not quiesce, and for each remote one.
    pub(crate) pools: Vec<Arc<Pool>>,
    /// What push targets may reach.
    pub(crate) reach: Arc<Reach>,
    pub(crate) console_guard: Arc<Guard>,
    /// Who connects, and who acts where the user's own context is not adopted.
    pub(crate) server_principal: Principal,
}

/// The connections of each listener, none of which takes another one's places.
pub(crate) struct Listeners([Arc<Connections>; 3]);

impl Listeners {
    fn new() -> Self {
        Self([Door::Https, Door::Http, Door::Metrics].map(Connections::new))
    }

    pub(crate) fn of(&self, door: Door) -> &Arc<Connections> {
        &self.0[door as usize]
    }

    pub(crate) fn each(&self) -> impl Iterator<Item = &Arc<Connections>> {
        self.0.iter()
    }

    pub(crate) fn open(&self) -> usize {
        self.each().map(|connections| connections.open()).sum()
    }
}

impl Shared {
    pub(crate) fn new(
        options: WebOptions,
        queue_managers: QueueManagers,
        tracer: Option<Tracer>,
    ) -> Result<Self, WebError> {
        let authenticator = Authenticator::new(&options.identities(), SystemClock.now())?;
        let registry = Registry::new(options.archives.clone(), options.service_settings(), Arc::new(SystemClock));
        let called = requester_settings(&options)?;
        let requesters = Requesters::new(&options.archives, called, Arc::new(SystemClock));
        if let Some(control) = &options.test_control {
            requesters.put_in_hand(Arc::clone(control));
        }
        check_names(&options, &queue_managers)?;
        let server = Principal::administrator(&options.server_user);
        let server_principal = server.clone();
        let policy = pools::policy(&options.messaging);
        let messaging = Pools::new(queue_managers.clone(), server.clone(), pools::APPLICATION_NAME, policy);
        messaging.queue_managers_changed();
        configure_messaging(&messaging, &options)?;
        let copybooks = CopybookFolder::new(options.copybooks.clone());
        let services = Services { environment: Environment::new(queue_managers.clone(), server), registry, copybooks };
        configure_services(&services, &options)?;
        let services = Arc::new(services);
        let copybooks = Arc::new(OfServer(Arc::clone(&services)));
        let reach = options.push.reach()?;
        let push = Targets::read(options.push_file.as_deref())?;
        let message_api =
            MessageApi::new(queue_managers.clone(), server_principal, push, copybooks, Arc::clone(&options.log));
        message_api.history.set_budget(options.console.history_bytes);
        let (live, history) = (Arc::clone(&message_api.live), Arc::clone(&message_api.history));
        let problems = Problems::new(queue_managers.clone(), live, history);
        let guard = Guard::new(&options.console)?;
        let test_control = options.test_control.clone();
        let settings = Settings::new(options, authenticator, reach, guard, messaging.pools());
        Ok(Self {
            services,
            requesters: Arc::new(requesters),
            messaging,
            message_api,
            problems,
            https_port: OnceLock::new(),
            http_address: OnceLock::new(),
            mq_address: OnceLock::new(),
            settings: RwLock::new(Arc::new(settings)),
            queue_managers,
            connections: Listeners::new(),
            bodies: Arc::default(),
            answers: Arc::default(),
            statistics: HttpStatistics::new(),
            command_time: Arc::default(),
            is_ready: AtomicBool::new(false),
            client_verifier: RwLock::default(),
            is_stopping: AtomicBool::new(false),
            certificates: RwLock::default(),
            initial_users: RwLock::default(),
            test_control,
            snapshots: Snapshots::default(),
            mocks: Mocks::default(),
            tracer,
        })
    }

    pub(crate) fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.settings.read())
    }

    /// # Errors
    /// As `Authenticator::new`; the old settings stay.
    pub(crate) fn reload(&self, options: WebOptions) -> Result<(), WebError> {
        let authenticator = self.settings().authenticator.reloaded(&options.identities(), self.now())?;
        let called = requester_settings(&options)?;
        let reach = options.push.reach()?;
        let guard = Guard::new(&options.console)?;
        check_names(&options, &self.queue_managers)?;
        configure_services(&self.services, &options)?;
        configure_messaging(&self.messaging, &options)?;
        self.requesters.configure(called);
        self.services.registry.configure(options.service_settings());
        self.message_api.history.set_budget(options.console.history_bytes);
        let mut settings = self.settings.write();
        *settings = Arc::new(Settings::new(options, authenticator, reach, guard, self.messaging.pools()));
        Ok(())
    }

    /// Makes pools for queue managers that have started since, and closes those of others, so that no connection stays
    /// behind in them.
    pub(crate) fn queue_managers_changed(&self) {
        let mut settings = self.settings.write();
        self.messaging.queue_managers_changed();
        *settings = Arc::new(settings.with(self.messaging.pools()));
        drop(settings);
        self.message_api.queue_managers_changed();
        self.services.environment.connections.queue_managers_changed();
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
        self.queue_managers.clock().now()
    }

    pub(crate) fn is_ready(&self) -> bool {
        self.is_ready.load(Ordering::Acquire) && !self.is_stopping.load(Ordering::Acquire)
    }
}

/// A password that has to be sent somewhere, from any form that can be read back.
///
/// # Errors
/// Why it cannot be read.
fn password_of(options: &WebOptions, stored: &str) -> Result<String, String> {
    match PasswordReader::new(options.web.password_encryption_key.as_deref()).decode(stored) {
        Ok(password) => Ok(password),
        // Text without a known prefix is the password itself.
        Err(_) if !stored.starts_with('{') => Ok(stored.to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// Reads PEM files.
///
/// # Errors
/// An endpoint connection, or what it refers to, cannot be used.
fn requester_settings(options: &WebOptions) -> Result<requester::Settings, WebError> {
    let read = |stored: &str| password_of(options, stored);
    requester::Settings::new(&options.zosconnect.requesters, &read)
        .map_err(|requester::OptionsError { key, problem }| WebError::Option { key, problem })
}

/// `[remote_queue_managers]` with passwords as they are sent.
///
/// # Errors
/// A password that cannot be read.
fn remote_queue_managers(options: &WebOptions) -> Result<RemoteQueueManagers, WebError> {
    let mut entries = options.remote_queue_managers.clone();
    for (name, entry) in &mut entries {
        if let Some(stored) = entry.password.take() {
            let wrong = |problem| WebError::Option { key: format!("remote_queue_managers.{name}.password"), problem };
            entry.password = Some(password_of(options, &stored).map_err(wrong)?);
        }
    }
    Ok(entries)
}

/// # Errors
/// An entry of `[remote_queue_managers]` cannot be used.
fn configure_services(services: &Services, options: &WebOptions) -> Result<(), WebError> {
    let connections = &services.environment.connections;
    connections
        .set_remote(remote_queue_managers(options)?)
        .map_err(|OptionsError { key, problem }| WebError::Option { key, problem })?;
    let request_timeout = Duration::from_secs(options.zosconnect.request_timeout_seconds);
    services.environment.set_request_timeout(request_timeout);
    Ok(())
}

/// # Errors
/// An entry of `[remote_queue_managers]` cannot be used.
fn configure_messaging(messaging: &Pools, options: &WebOptions) -> Result<(), WebError> {
    messaging
        .set_remote(remote_queue_managers(options)?)
        .map_err(|OptionsError { key, problem }| WebError::Option { key, problem })?;
    messaging.set_policy(pools::policy(&options.messaging));
    Ok(())
}

/// # Errors
/// A path could mean a queue manager of this server or a remote one.
fn check_names(options: &WebOptions, queue_managers: &QueueManagers) -> Result<(), WebError> {
    match queue_managers.list().iter().find(|known| options.remote_queue_managers.contains_key(known.name.as_str())) {
        Some(known) => Err(WebError::Option {
            key: format!("remote_queue_managers.{}", known.name),
            problem: "a queue manager of this server has the same name: choose another name for the entry, and give the remote \
                      one's own as its queue_manager"
                .to_owned(),
        }),
        None => Ok(()),
    }
}

impl Settings {
    fn new(
        options: WebOptions,
        authenticator: Authenticator,
        reach: Reach,
        guard: Guard,
        pools: Vec<Arc<Pool>>,
    ) -> Self {
        Self {
            reach: Arc::new(reach),
            console_guard: Arc::new(guard),
            server_principal: Principal::administrator(&options.server_user),
            authenticator: Arc::new(authenticator),
            cors: Arc::new(Policy::new(&options.cors)),
            pools,
            options: Arc::new(options),
        }
    }

    fn with(&self, pools: Vec<Arc<Pool>>) -> Self {
        Self {
            options: Arc::clone(&self.options),
            authenticator: Arc::clone(&self.authenticator),
            cors: Arc::clone(&self.cors),
            pools,
            reach: Arc::clone(&self.reach),
            console_guard: Arc::clone(&self.console_guard),
            server_principal: self.server_principal.clone(),
        }
    }
}
