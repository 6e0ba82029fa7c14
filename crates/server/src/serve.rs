//! `quaymaster serve`: from flags to a ready server, and from a signal to exit.
//!
//! Order of a start: configuration, lock on the data directory, queue managers (recovery) beside certificate and
//! passwords, developer defaults, drop-ins, listeners, administration socket, ready line.
//! Order of a stop: queue managers quiesce, no new requests, those in progress, queue managers, the rest.
//! A queue manager that cannot start does not keep others from serving, unless `--strict` says so; when none can, the
//! server does not start.

mod certificates;
mod channels;
pub(crate) mod drop_in;
pub(crate) mod ending;
mod files;
mod greeting;
pub(crate) mod group;
mod host;
pub(crate) mod plan;
pub(crate) mod prepare;
pub(crate) mod ready;
pub(crate) mod recover;
mod restarting;
mod roll;
mod server;
mod supervisor;

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use model::authority::Principal;
use model::name::QueueManagerName;
use queue_manager::Snapshot;
use queue_manager::registry::State;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinSet;
use web::{Restorer, WebOptions, WebServer};
use workers::Workers;

use crate::administration::server::AdministrationServer;
use crate::configuration::{Configuration, Environment, LogFormat, LogLevel, PlainPasswords};
use crate::container::Container;
use crate::data_directory::DataDirectory;
use crate::error::{ServerError, chain};
use crate::server_user;
use crate::{logging, permissions};

use channels::Channels;
use greeting::Greeting;
use host::Host;
use plan::{Plan, ServeOptions};
use prepare::{Prepared, TlsAtStart, prepare};
use ready::{ReadyLine, reachable};
use recover::Recovered;
pub(crate) use server::Server;

/// Serves until a signal, then returns.
///
/// # Errors
/// The server could not start, or was to end with its last queue manager and the log of one has failed. What else goes wrong
/// later is logged and does not end it.
pub(crate) fn run(options: ServeOptions) -> Result<(), ServerError> {
    let plan = Plan::make(options, Environment::of_process())?;
    logging::start(plan.configuration.server.log_format, plan.configuration.server.log_level);
    warn_about(&plan);
    permissions::check_configuration(&plan.file)?;
    files::raise_limit();
    // Dropped last: the folder of an ephemeral server goes when everything else has ended.
    let (data, _temporary) = data_directory(&plan)?;
    let _lock = data.lock()?;
    let server_user = server_user::name();
    let prepared = prepare(&plan, &data, &server_user)?;
    let runtime = runtime()?;
    let result = runtime.block_on(serve(plan, data, prepared, server_user));
    runtime.shutdown_timeout(Duration::from_millis(500));
    result
}

/// Serves nothing until a signal, then returns.
///
/// # Errors
/// Signals cannot be waited for.
pub(crate) fn stand_by(container: &Container) -> Result<(), ServerError> {
    let format = if container.logs_json() { LogFormat::Json } else { LogFormat::Text };
    logging::start(format, LogLevel::Info);
    tracing::warn!("{}", container.spare_sentence());
    runtime()?.block_on(async {
        let mut signals = Signals::new()?;
        tokio::select! {
            _ = signals.terminate.recv() => {}
            _ = signals.interrupt.recv() => {}
        }
        Ok(())
    })
}

/// One multi-threaded runtime for all listeners: a worker a core, and at least two.
fn runtime() -> Result<tokio::runtime::Runtime, ServerError> {
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(cores.max(2))
        .thread_name("quaymaster")
        .enable_all()
        .build()
        .map_err(ServerError::Runtime)
}

/// The data directory, or with `--ephemeral` a temporary one of mode 0700 that goes with the guard.
fn data_directory(plan: &Plan) -> Result<(DataDirectory, Option<tempfile::TempDir>), ServerError> {
    let mut data = plan.data.clone();
    if !plan.options.ephemeral {
        data.create()?;
        permissions::check_data_directory(data.root())?;
        return Ok((data, None));
    }
    let temporary = tempfile::Builder::new()
        .prefix("quaymaster-")
        .permissions(Permissions::from_mode(0o700))
        .tempdir()
        .map_err(|e| crate::data_directory::file_error("create a folder in", &std::env::temp_dir(), e))?;
    Ok((DataDirectory::new(temporary.path().to_owned()), Some(temporary)))
}

fn warn_about(plan: &Plan) {
    for (name, nearest) in plan.environment.unknown() {
        let hint = nearest.map_or_else(String::new, |known| format!(", did you mean {known}?"));
        tracing::warn!("the environment variable {name} is not known and is ignored{hint}");
    }
    for note in &plan.notes {
        tracing::warn!("{note}");
    }
    if plan.options.test_control.is_some() {
        tracing::warn!(
            "--test-control is on: administrators can set the clock, delay and fail calls, and cut connections. It is for tests of \
             applications, never for messages that matter"
        );
    }
    let configuration = &plan.configuration;
    if configuration.web.no_security {
        tracing::warn!("web.no_security is true: every request has every role without authentication");
    } else if !configuration.server.developer_defaults
        && configuration.web.users.is_empty()
        && configuration.ldap.host.is_none()
        && configuration.identity.oidc.is_empty()
    {
        tracing::warn!("web.users is empty and developer defaults are off: no user can sign in");
    }
    if let Some(address) = configuration.server.mq.0
        && !address.ip().is_loopback()
        && configuration.channels.plain_passwords == PlainPasswords::Anywhere
    {
        tracing::warn!(
            "MQ clients of other machines may send passwords in clear to {address}, including an administrator's: set \
             channels.plain_passwords = \"loopback\" to refuse them, and SSLCIPH on channels for TLS"
        );
    }
    if configuration.ldap.host.is_some() && configuration.ldap.tls == identity::options::LdapTls::Off {
        tracing::warn!("ldap.tls is off: passwords are sent to the directory in clear");
    }
}

async fn serve(plan: Plan, data: DataDirectory, prepared: Prepared, server_user: String) -> Result<(), ServerError> {
    let mut signals = Signals::new()?;
    let administrator = Principal::administrator(&server_user);
    let configuration = plan.configuration.clone();
    let (stop, stopped) = watch::channel(false);
    let end_with_last = plan.options.end_with_last.then(|| stop.clone());
    let clock = recover::clock(plan.options.test_control.as_deref());
    let host = Arc::new(Host::new(data.clone(), administrator.clone(), clock, end_with_last));
    let Prepared { roll, recovered, tls, users, api_keys } = prepared;
    let TlsAtStart { options: tls, authority, pending_rsa } = tls;
    for entry in roll {
        let state = if entry.starts { State::Starting } else { entry.at_rest };
        // The roll has each name once.
        let _ = host.table().enter(entry.name, state);
    }
    let shown = Mutex::new(tls.clone());
    let configured = &plan.configuration.web.users;
    let initial = users.iter().filter(|user| user.is_initial && !configured.contains_key(user.name));
    let initial: Vec<String> = initial.map(|user| user.name.to_owned()).collect();
    let web_options = plan.web_options(&data, tls, &users, &api_keys, &server_user);
    let workers = Arc::new(Workers::start("https", storage::before_sleep).map_err(ServerError::Threads)?);
    let opened = async {
        take_in(&host, recovered, &plan, &data, &server_user).await?;
        open_doors(&host, web_options, &data, &configuration, Arc::clone(&workers)).await
    };
    let (web, channels, socket) = match opened.await {
        Ok(opened) => opened,
        Err(error) => {
            host.end_all().await;
            return Err(error);
        }
    };
    log_web_start(&web, &configuration);
    if plan.options.test_control.is_some() {
        web.set_restorer(Arc::new(Restoring(Arc::downgrade(&host))));
    }
    web.set_initial_users(initial);
    let plan = Mutex::new(plan);
    let server =
        Arc::new(Server { plan, data, host, web, channels, shown, users, api_keys, server_user, administrator, stop });
    let mut tasks = JoinSet::new();
    tasks.spawn(socket.run(Arc::clone(&server), stopped.clone()));
    let interval = configuration.server.reload_interval_seconds;
    if interval > 0 {
        tasks.spawn(poll_configuration(Arc::clone(&server), Duration::from_secs(interval), stopped.clone()));
    }

    let interval = Duration::from_secs(configuration.tls.reload_interval_seconds);
    tasks.spawn(certificates::watch(Arc::clone(&server), interval, stopped.clone()));
    server.web.set_ready();
    announce(&server, authority.as_deref())?;
    if let Some(pending) = pending_rsa {
        tasks.spawn_blocking(|| {
            if let Err(error) = pending.make() {
                tracing::error!("there is no RSA certificate for clients that need one: {}", chain(&error));
            }
        });
    }
    let watched = tokio::spawn(supervisor::keep_alive());
    signals.until_stop(&server, stopped).await;
    tracing::info!("stopping");
    supervisor::notify("STOPPING=1");
    let _ = server.stop.send(true);
    server.shut_down().await;
    drop(workers);
    watched.abort();
    let join = async { while tasks.join_next().await.is_some() {} };
    if tokio::time::timeout(Duration::from_secs(2), join).await.is_err() {
        tasks.shutdown().await;
    }
    tracing::info!("stopped");
    server.host.end_of_last()
}

/// Restores queue managers for whoever asks the web server.
struct Restoring(Weak<Host>);

impl Restorer for Restoring {
    fn restore(&self, snapshot: Arc<Snapshot>) -> Pin<Box<dyn Future<Output = Result<(), String>> + Send + '_>> {
        Box::pin(async move {
            let host = self.0.upgrade().ok_or_else(|| "the server is ending".to_owned())?;
            host.restore(snapshot).await.map_err(|refusal| refusal.sentence)
        })
    }
}

/// Opens the listeners and the administration socket.
///
/// # Errors
/// An address is in use, a certificate or key cannot be used, or the socket cannot be made.
async fn open_doors(
    host: &Host,
    web_options: WebOptions,
    data: &DataDirectory,
    configuration: &Configuration,
    workers: Arc<Workers>,
) -> Result<(Arc<WebServer>, Arc<Channels>, AdministrationServer), ServerError> {
    let tls = web_options.tls.clone();
    let web = Arc::new(WebServer::start(web_options, host.table().clone(), Arc::clone(&workers)).await?);
    let limits = &configuration.channels;
    let address = configuration.server.mq.0;
    let channels = Channels::open(address, limits, &tls, host.table(), Arc::clone(&web), workers)?;
    if let Some(address) = channels.address() {
        web.set_mq_address(address);
    }
    let socket = AdministrationServer::bind(data.administration_socket())?;
    host.attach(Arc::clone(&web), Arc::clone(&channels));
    Ok((web, channels, socket))
}

/// Adds the recovered queue managers. One that cannot start is logged and left out.
///
/// # Errors
/// With `--strict` the first that cannot start; otherwise when none can.
async fn take_in(
    host: &Arc<Host>,
    recovered: Vec<(QueueManagerName, Result<Recovered, ServerError>)>,
    plan: &Plan,
    data: &DataDirectory,
    server_user: &str,
) -> Result<(), ServerError> {
    let start_plan = plan.start_plan(data, server_user);
    let mut first_error = None;
    for (name, recovered) in recovered {
        let started = match recovered {
            Ok(recovered) => host.take_in(recovered, &start_plan).await,
            Err(error) => Err(error),
        };
        match started {
            Ok(()) => {}
            Err(error) if start_plan.strict => return Err(error),
            Err(error) => {
                host.could_not_start(name, &error);
                first_error.get_or_insert(error);
            }
        }
    }
    match first_error {
        Some(error) if host.table().running().is_empty() => Err(error),
        _ => Ok(()),
    }
}

fn log_web_start(web: &WebServer, configuration: &Configuration) {
    for (name, address) in [("HTTPS", web.https()), ("HTTP", web.http()), ("metrics", web.metrics())] {
        if let Some(address) = address {
            tracing::info!("{name} listens on {address}");
        }
    }
    tracing::info!("Started web server");
    tracing::info!("MQWB0023I: the REST API is served at levels v1, v2 and v3");
    if configuration.messaging.enabled {
        let remote = !configuration.remote_queue_managers.is_empty();
        let kinds = match (configuration.server.queue_managers.is_empty(), remote) {
            (false, true) => "LOCAL and REMOTE",
            (true, _) => "REMOTE",
            (false, false) => "LOCAL",
        };
        tracing::info!("MQWB0318I: REST messaging is enabled for {kinds} queue managers");
    }
}

fn announce(server: &Server, authority: Option<&Path>) -> Result<(), ServerError> {
    let (https, http) = (server.web.https(), server.web.http());
    let names: Vec<String> = server.host.table().running().iter().map(|manager| manager.name().to_string()).collect();
    let plan = server.plan.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let app = server.users.iter().find(|user| user.name == "app" && !plan.configuration.web.users.contains_key("app"));
    if let (Some(user), Some(first)) = (app, names.first()) {
        let initial_passwords = server.data.initial_passwords();
        let greeting = Greeting {
            https,
            http,
            authority,
            initial_passwords: &initial_passwords,
            queue_manager: first,
            user: user.name,
        };
        // A JSON log has nothing beside it on standard error.
        let is_json = plan.configuration.server.log_format == LogFormat::Json;
        for line in greeting.lines() {
            if is_json {
                tracing::info!("{}", line.trim_start());
            } else {
                eprintln!("{line}");
            }
        }
    }
    let line = ReadyLine {
        event: "ready",
        https: https.map(reachable),
        http: http.map(reachable),
        mq: server.channels.address().map(reachable),
        metrics: server.web.metrics().map(reachable),
        queue_managers: names,
        data_directory: plan.options.ephemeral.then(|| server.data.root().to_owned()),
    };
    line.announce(plan.options.ready_file.as_deref())?;
    supervisor::notify("READY=1");
    Ok(())
}

/// Ends once the server has to stop.
pub(crate) async fn until_stop(stop: &mut watch::Receiver<bool>) {
    // An error means that the sender is gone, and the server with it.
    let _ = stop.wait_for(|&stop| stop).await;
}

/// SIGTERM and SIGINT stop, SIGHUP reloads.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
}

impl Signals {
    fn new() -> Result<Self, ServerError> {
        let listen = |kind| signal(kind).map_err(ServerError::Runtime);
        Ok(Self {
            terminate: listen(SignalKind::terminate())?,
            interrupt: listen(SignalKind::interrupt())?,
            hang_up: listen(SignalKind::hangup())?,
        })
    }

    async fn until_stop(&mut self, server: &Server, mut stopped: watch::Receiver<bool>) {
        loop {
            tokio::select! {
                _ = self.terminate.recv() => return,
                _ = self.interrupt.recv() => return,
                () = until_stop(&mut stopped) => return,
                _ = self.hang_up.recv() => {
                    if let Err(error) = server.reload() {
                        tracing::error!("the new configuration cannot be used, and the previous one stays in force: {}", chain(&error));
                    }
                }
            }
        }
    }
}

/// Reloads when the configuration file's time of change differs from the last one seen.
async fn poll_configuration(server: Arc<Server>, interval: Duration, mut stopped: watch::Receiver<bool>) {
    let file = server.configuration_file();
    let changed = || std::fs::metadata(&file).and_then(|metadata| metadata.modified()).ok();
    let mut seen = changed();
    while tokio::time::timeout(interval, until_stop(&mut stopped)).await.is_err() {
        let now = changed();
        if now != seen {
            seen = now;
            if let Err(error) = server.reload() {
                tracing::error!(
                    "the new configuration cannot be used, and the previous one stays in force: {}",
                    chain(&error)
                );
            }
        }
    }
}
