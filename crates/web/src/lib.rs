//! The HTTPS door: the messaging and administrative REST APIs, services and APIs, sign-in, health and metrics.

mod accept_encoding;
mod admin;
mod answer;
mod api;
mod body_room;
mod book;
mod budget;
mod command_time;
mod connections;
mod console;
mod cookie;
mod copybooks;
mod cors;
mod csrf;
mod entity_tag;
mod error;
mod faults;
mod gzip;
mod health;
mod issuers;
mod listener;
mod login;
mod media_type;
mod messaging;
mod metrics;
mod openapi;
pub mod options;
mod peer_certificate;
mod progress;
mod query;
mod request_body;
mod routes;
mod self_wakes;
mod server;
mod service;
mod tls;
mod traces;
mod zosconnect;

use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use ::service::Services;
use identity::authenticator::LoginError;
use identity::error::IdentityError;
use message_api::push::PushFileError;
use model::authority::Principal;
use parking_lot::{Mutex, RwLock};
use queue_manager::{QueueManagers, Snapshot};
use tokio::task::JoinHandle;
use workers::places::Occupant as _;
use workers::{Seats, Workers};

use crate::api::push::door::ByHttp;
use crate::connections::TICK;
use crate::listener::CurrentTls;
use crate::messaging::pools::POOL_TICK;
use crate::server::Shared;
use crate::service::Door;
use crate::traces::Traces;

pub use options::WebOptions;

/// What went wrong while starting or reloading; names the key, the value and what was expected.
#[derive(Debug, thiserror::Error)]
pub enum WebError {
    #[error("cannot listen on {address}")]
    Listen {
        address: SocketAddr,
        #[source]
        source: std::io::Error,
    },
    #[error("{key}: {problem}")]
    Option { key: String, problem: String },
    #[error(transparent)]
    Identity(#[from] IdentityError),
    #[error(transparent)]
    Push(#[from] PushFileError),
    #[error("cannot start the thread of the metrics listener")]
    Threads(#[source] std::io::Error),
}

/// Starts a queue manager again as it was: done by the server, which hosts them, when it was started for tests.
pub trait Restorer: Send + Sync {
    /// # Errors
    /// Why it cannot, in a sentence.
    fn restore(&self, snapshot: Arc<Snapshot>) -> Pin<Box<dyn Future<Output = Result<(), String>> + Send + '_>>;
}

/// The end of one certificate, as the metrics show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertificateEnd {
    pub file: String,
    pub subject: String,
    /// Since 1970.
    pub seconds: i64,
}

/// Running listeners. Dropping it does not stop them; `shutdown` does.
pub struct WebServer {
    shared: Arc<Shared>,
    tls: Option<CurrentTls>,
    https: Option<SocketAddr>,
    http: Option<SocketAddr>,
    metrics: Option<SocketAddr>,
    /// Accept loops and housekeeping.
    tasks: Mutex<Vec<JoinHandle<()>>>,
    /// Given up at shutdown.
    seats: Mutex<Vec<Arc<Seats>>>,
}

impl WebServer {
    /// Binds every address, then accepts; connections are served by `workers`. Call within a tokio runtime.
    ///
    /// # Errors
    /// `Listen` for an address that cannot be bound, `Option` for a value, a key or a file that cannot be used,
    /// `Identity` where it concerns users.
    pub async fn start(
        options: WebOptions,
        queue_managers: QueueManagers,
        workers: Arc<Workers>,
    ) -> Result<Self, WebError> {
        let tls = match options.https {
            Some(_) => Some(Arc::new(RwLock::new(tls::server_config(&options.tls)?))),
            None => None,
        };
        let bind = |address: Option<SocketAddr>| address.map(listener::bind).transpose();
        let (https, http) = (bind(options.https)?, bind(options.http)?);
        // Health and metrics have a thread of their own: whatever keeps the others busy, they answer.
        let watchman = Workers::one("metrics").map_err(WebError::Threads)?;
        let watchman = Arc::new(Seats::new(Arc::new(watchman)));
        let metrics = {
            let _entered = watchman.first().enter();
            bind(options.metrics)?
        };
        let traces = Traces::new(&options.tracing)?;
        let (tracer, sender) = traces.map_or((None, None), |traces| (Some(traces.tracer), Some(traces.sender)));
        if let Some(tracer) = &tracer {
            queue_managers.trace_with(tracer);
        }
        let shared = Arc::new(Shared::new(options, queue_managers, tracer)?);
        shared.services.registry.make_folders();
        shared.requesters.make_folder();
        // What is there is deployed before anybody can ask for it.
        shared.services.registry.poll();
        shared.services.copybooks.poll();
        shared.requesters.poll();
        if let Some(tls) = &tls {
            *shared.client_verifier.write() = tls.read().verifier.clone();
        }
        let seats = Arc::new(Seats::new(workers));
        let mut server = Self {
            shared: Arc::clone(&shared),
            tls: tls.clone(),
            https: None,
            http: None,
            metrics: None,
            tasks: Mutex::new(vec![
                tokio::spawn(keep_house(Arc::clone(&shared))),
                tokio::spawn(look_after_services(Arc::clone(&shared.services))),
                tokio::spawn(look_after_deliveries(Arc::clone(&shared))),
                tokio::spawn(look_for_problems(Arc::clone(&shared))),
                tokio::spawn(watch_archives(Arc::clone(&shared))),
                tokio::spawn(issuers::look_after(Arc::clone(&shared))),
            ]),
            seats: Mutex::new(vec![Arc::clone(&seats), Arc::clone(&watchman)]),
        };
        if let Some(sender) = sender {
            server.tasks.lock().push(seats.first().spawn(sender.run()));
        }
        // One thread serves all of them: connections to receivers are kept by thread.
        server.tasks.lock().push(seats.first().spawn(push(Arc::clone(&shared))));
        for (door, socket) in [(Door::Https, https), (Door::Http, http), (Door::Metrics, metrics)] {
            let Some(socket) = socket else { continue };
            let address = socket.local_addr().ok();
            let tls = match door {
                Door::Https => {
                    server.https = address;
                    if let Some(address) = address {
                        let _ = shared.https_port.set(address.port());
                    }
                    tls.clone()
                }
                Door::Http => {
                    server.http = address;
                    if let Some(address) = address {
                        let _ = shared.http_address.set(address);
                    }
                    None
                }
                Door::Metrics => {
                    server.metrics = address;
                    None
                }
            };
            let (own, runtime) = match door {
                Door::Https | Door::Http => (&seats, tokio::runtime::Handle::current()),
                Door::Metrics => (&watchman, watchman.first().clone()),
            };
            let accepting = listener::accept(socket, Arc::clone(&shared), Arc::clone(own), door, tls);
            server.tasks.lock().push(runtime.spawn(accepting));
        }
        Ok(server)
    }

    /// Addresses actually bound (port 0 resolved).
    pub fn https(&self) -> Option<SocketAddr> {
        self.https
    }

    pub fn http(&self) -> Option<SocketAddr> {
        self.http
    }

    pub fn metrics(&self) -> Option<SocketAddr> {
        self.metrics
    }

    /// Checks a password that came by another door, by the users of the configuration now in force.
    ///
    /// # Errors
    /// It is wrong, or cannot be checked now.
    pub async fn check_password(&self, user: &str, password: &str, address: IpAddr) -> Result<Principal, LoginError> {
        let authenticator = Arc::clone(&self.shared.settings().authenticator);
        let identity = authenticator.check_password(user, password, address, self.shared.now()).await?;
        Ok(identity.principal.clone())
    }

    /// A user by name alone, with its groups.
    pub async fn principal_of(&self, user: &str) -> Principal {
        let authenticator = Arc::clone(&self.shared.settings().authenticator);
        authenticator.principal_of(user, self.shared.now()).await
    }

    /// Where MQ clients are served from now on; the first call counts.
    pub fn set_mq_address(&self, address: SocketAddr) {
        let _ = self.shared.mq_address.set(address);
    }

    /// Snapshots can be restored from now on.
    pub fn set_restorer(&self, restorer: Arc<dyn Restorer>) {
        let _ = self.shared.snapshots.restorer.set(restorer);
    }

    /// What the metrics say of certificates from now on.
    pub fn set_certificates(&self, certificates: Vec<CertificateEnd>) {
        *self.shared.certificates.write() = certificates;
    }

    /// Users whose passwords the server has made itself.
    pub fn set_initial_users(&self, users: Vec<String>) {
        *self.shared.initial_users.write() = users;
    }

    /// `/readyz` answers 200 from now on.
    pub fn set_ready(&self) {
        self.shared.is_ready.store(true, Ordering::Release);
    }

    /// Deployed archives, and what serving them needs. Empty at first: the reader of archives deploys them here.
    pub fn services(&self) -> &Arc<Services> {
        &self.shared.services
    }

    /// Whether URLs mean an entry of `[remote_queue_managers]` by the name.
    pub fn knows_remote(&self, name: &str) -> bool {
        self.shared.messaging.knows_remote(name)
    }

    /// Has to be called when a queue manager of the table has started, quiesces or has ended.
    pub fn queue_managers_changed(&self) {
        self.shared.queue_managers_changed();
    }

    /// Replaces users, roles, LTPA, CORS, limits and certificates without closing listeners or connections.
    ///
    /// Addresses stay as they are. New certificates of the server are for new connections; those of clients are judged anew
    /// on every connection.
    ///
    /// # Errors
    /// As `start`; then everything stays as it was.
    pub fn reload(&self, options: WebOptions) -> Result<(), WebError> {
        let config = match &self.tls {
            Some(_) => Some(tls::server_config(&options.tls)?),
            None => None,
        };
        self.shared.reload(options)?;
        if let (Some(tls), Some(config)) = (&self.tls, config) {
            *self.shared.client_verifier.write() = config.verifier.clone();
            *tls.write() = config;
        }
        Ok(())
    }

    /// Stops accepting, lets requests in progress end, and closes what is left after `grace`.
    ///
    /// Gets that wait end at once with 503, their messages untouched.
    pub async fn shutdown(&self, grace: Duration) {
        for task in self.tasks.lock().drain(..) {
            task.abort();
        }
        self.shared.is_stopping.store(true, Ordering::Release);
        self.shared.message_api.streams.stop();
        self.shared.message_api.live.end();
        self.shared.messaging.end_waits();
        self.shared.services.environment.stop();
        let connections = &self.shared.connections;
        let drained = async {
            while connections.open() > 0 {
                connections.each().for_each(|one| one.drain());
                tokio::time::sleep(TICK / 25).await;
            }
        };
        if tokio::time::timeout(grace, drained).await.is_err() {
            tracing::warn!(open = connections.open(), "HTTP connections were closed with requests in progress");
        }
        connections.each().for_each(|one| one.close());
        self.shared.services.environment.connections.close();
        self.shared.messaging.close();
        self.seats.lock().clear();
    }
}

async fn look_after_deliveries(shared: Arc<Shared>) {
    shared.message_api.run().await;
}

async fn look_for_problems(shared: Arc<Shared>) {
    shared.problems.run(&*shared).await;
}

/// Runs push targets until the task is aborted.
async fn push(shared: Arc<Shared>) {
    let outside = Arc::new(ByHttp(Arc::clone(&shared)));
    let push = Arc::clone(&shared.message_api.push);
    push.run(outside, || shared.settings().options.push.target_memory_bytes).await;
}

async fn look_after_services(services: Arc<Services>) {
    services.environment.run().await;
}

/// Looks whether archives have changed, until the task is aborted.
async fn watch_archives(shared: Arc<Shared>) {
    loop {
        let seconds = shared.settings().options.zosconnect.poll_interval_seconds;
        // With 0 nothing is looked for, but a reload may change that.
        tokio::time::sleep(Duration::from_secs(seconds.max(1))).await;
        if seconds > 0 {
            let (services, requesters) = (Arc::clone(&shared.services), Arc::clone(&shared.requesters));
            let look = move || {
                services.registry.poll();
                services.copybooks.poll();
                requesters.poll();
            };
            // It cannot fail but by a panic, which is logged where it happens.
            let _ = tokio::task::spawn_blocking(look).await;
        }
    }
}

/// Looks after time limits until the task is aborted.
async fn keep_house(shared: Arc<Shared>) {
    let mut ticks = tokio::time::interval(TICK);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
    let mut until_tick = POOL_TICK;
    loop {
        ticks.tick().await;
        let settings = shared.settings();
        let limits = &settings.options.limits;
        shared.connections.each().for_each(|one| one.sweep(limits));
        let most = limits.answer_memory_bytes / 2;
        let used = shared.answers.used();
        if used > most {
            give_up_unread(&shared, used - most);
        }
        until_tick = until_tick.saturating_sub(TICK);
        if until_tick.is_zero() {
            until_tick = POOL_TICK;
            shared.messaging.tick();
            shared.services.environment.connections.tick();
        }
    }
}

/// How long an answer may wait for its client while memory for answers is short.
const LONGEST_UNREAD: Duration = Duration::from_secs(2);

/// Ends connections whose clients do not read, those that have kept an answer waiting longest first, until `excess` bytes
/// are given back.
fn give_up_unread(shared: &Shared, excess: usize) {
    let mut stalled: Vec<_> = shared.connections.each().flat_map(|one| one.stalled(LONGEST_UNREAD)).collect();
    stalled.sort_unstable_by_key(|(waiting, ..)| std::cmp::Reverse(*waiting));
    let (mut bytes, mut ended) = (0, 0);
    for (_, unread, watch) in stalled {
        if bytes >= excess {
            break;
        }
        watch.end();
        bytes += unread;
        ended += 1;
    }
    if ended > 0 {
        tracing::warn!(
            connections = ended,
            bytes,
            "HTTP connections were closed whose clients do not read their answers: half of limits.answer_memory_bytes is in use"
        );
    }
}
