//! Which of the database's hosts takes writes, and by how new a history.
//!
//! A cluster that fails over may have two hosts that say they are primary for a while. The one with the higher timeline is right. A
//! member never speaks to a lower timeline than it has seen: what that host would still answer has been decided otherwise. While it
//! works with one host it watches the others, each over a connection of its own: a host that is silent delays no look at the rest.

use std::error::Error;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::future::join_all;
use futures_util::stream::FuturesUnordered;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::{Client, Config};
use tokio_postgres_rustls::MakeRustlsConnect;
use tracing::warn;

use crate::shared::administration::{Host as DatabaseHost, HostRole};
use crate::shared::error::SharedError;
use crate::shared::options::SharedOptions;

const PROBE: Duration = Duration::from_secs(5);
/// Once a host says that it takes writes, the others have so long to say that they have a newer history: a host may have vanished.
const OTHERS: Duration = Duration::from_secs(1);
/// Between two looks at another host.
const LOOK: Duration = Duration::from_secs(1);

/// A host that takes writes.
#[derive(Clone)]
pub(super) struct Primary {
    /// Of this host alone.
    pub(super) config: Config,
    tls: Option<Arc<rustls::ClientConfig>>,
    /// 0 of an engine that knows no timelines.
    pub(super) timeline: u32,
    pub(super) name: String,
}

/// The highest timeline that this member has seen.
#[derive(Default)]
pub(super) struct HighestTimeline(AtomicU32);

/// Asks all hosts at once.
///
/// # Errors
/// `Address`; `Connect`: none answers; `NoPrimary`; `OldTimeline`.
pub(super) async fn find(options: &SharedOptions, highest: &HighestTimeline) -> Result<Primary, SharedError> {
    let asked = hosts(options)?.into_iter().map(|config| probe(config, options.tls.clone()));
    let mut answers: FuturesUnordered<_> = asked.collect();
    let mut until = Instant::now() + 2 * PROBE;
    let mut failure = None;
    let mut found: Option<Primary> = None;
    while let Ok(Some(answer)) = timeout_at(until, answers.next()).await {
        match answer {
            Ok(Some(primary)) => {
                until = until.min(Instant::now() + OTHERS);
                if found.as_ref().is_none_or(|best| best.timeline < primary.timeline) {
                    found = Some(primary);
                }
            }
            Ok(None) => {}
            Err(error) => failure = Some(error),
        }
    }
    let Some(primary) = found else { return Err(failure.unwrap_or(SharedError::NoPrimary)) };
    let seen = highest.0.fetch_max(primary.timeline, Ordering::AcqRel);
    if primary.timeline < seen {
        warn!(host = primary.name, timeline = primary.timeline, seen, "the database's host has an older history");
        return Err(SharedError::OldTimeline { found: primary.timeline, seen });
    }
    Ok(primary)
}

/// Every host of the address, and what it says that it is. `primary` was asked already.
pub(super) async fn survey(options: &SharedOptions, primary: &Primary) -> Vec<DatabaseHost> {
    let Ok(hosts) = hosts(options) else { return Vec::new() };
    let asked = hosts.into_iter().map(|config| {
        let name = name_of(&config);
        async move {
            if name == primary.name {
                return DatabaseHost { name, role: HostRole::Primary { timeline: primary.timeline } };
            }
            let role = match probe(config, options.tls.clone()).await {
                Ok(Some(primary)) => HostRole::Primary { timeline: primary.timeline },
                Ok(None) => HostRole::Standby,
                Err(error) => HostRole::Unreachable { why: chain(&error) },
            };
            DatabaseHost { name, role }
        }
    });
    join_all(asked).await
}

pub(super) fn chain(error: &dyn Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {}", chain(source)),
        None => error.to_string(),
    }
}

/// A configuration for each host of an address.
fn hosts(options: &SharedOptions) -> Result<Vec<Config>, SharedError> {
    let whole: Config = options.database.parse::<Config>().map_err(SharedError::Address)?;
    let ports = whole.get_ports();
    let hosts = whole.get_hosts().iter().enumerate().map(|(index, host)| {
        let mut config = Config::new();
        let port = ports.get(index).or(ports.first()).copied().unwrap_or(5432);
        config.port(port);
        match host {
            Host::Tcp(name) => config.host(name),
            #[cfg(unix)]
            Host::Unix(path) => config.host_path(path),
        };
        if let Some(address) = whole.get_hostaddrs().get(index) {
            config.hostaddr(*address);
        }
        if let Some(user) = whole.get_user() {
            config.user(user);
        }
        if let Some(password) = options.password.as_deref().map(str::as_bytes).or(whole.get_password()) {
            config.password(password);
        }
        if let Some(name) = whole.get_dbname() {
            config.dbname(name);
        }
        config.ssl_mode(whole.get_ssl_mode()).connect_timeout(PROBE).application_name("quaymaster");
        config
    });
    Ok(hosts.collect())
}

/// `None`: it takes no writes.
async fn probe(config: Config, tls: Option<Arc<rustls::ClientConfig>>) -> Result<Option<Primary>, SharedError> {
    let name = name_of(&config);
    let asked = async {
        let primary = Primary { config, tls, timeline: 0, name };
        let client = primary.connect("").await?;
        let timeline = timeline_of(&client).await?;
        Ok(timeline.map(|timeline| Primary { timeline, ..primary }))
    };
    timeout(PROBE, asked).await.unwrap_or(Err(SharedError::NoPrimary))
}

/// `None`: it takes no writes. 0: the engine has no timelines.
async fn timeline_of(client: &Client) -> Result<Option<u32>, SharedError> {
    let is_standby: bool = client
        .query_one("SELECT pg_is_in_recovery()", &[])
        .await
        .map_err(|source| SharedError::Refused { action: "say whether it takes writes", source })?
        .get(0);
    if is_standby {
        return Ok(None);
    }
    // Engines without write-ahead log files refuse this; then their own leases keep the histories apart.
    let timeline = client.query_one("SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8)", &[]).await;
    Ok(Some(timeline.ok().and_then(|row| u32::from_str_radix(row.get::<_, &str>(0), 16).ok()).unwrap_or(0)))
}

fn name_of(config: &Config) -> String {
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(name)) => name.clone(),
        #[cfg(unix)]
        Some(Host::Unix(path)) => path.display().to_string(),
        None => String::new(),
    };
    format!("{host}:{}", config.get_ports().first().copied().unwrap_or(5432))
}

impl Primary {
    /// A connection with these options of PostgreSQL's.
    ///
    /// # Errors
    /// `Connect`.
    pub(super) async fn connect(&self, options: &str) -> Result<Client, SharedError> {
        let mut config = self.config.clone();
        config.options(options);
        match self.tls.as_ref().filter(|_| self.wants_tls()) {
            Some(tls) => {
                let tls = MakeRustlsConnect::new(rustls::ClientConfig::clone(tls));
                let (client, connection) = config.connect(tls).await.map_err(SharedError::Connect)?;
                spawn(connection);
                Ok(client)
            }
            None => {
                let (client, connection) = config.connect(tokio_postgres::NoTls).await.map_err(SharedError::Connect)?;
                spawn(connection);
                Ok(client)
            }
        }
    }

    /// The way to it does not leave this machine.
    pub(super) fn is_here(&self) -> bool {
        self.config.get_hosts().iter().all(is_here)
    }

    /// Without encryption, over a network.
    pub(super) fn is_in_the_open(&self) -> bool {
        !self.is_here() && (self.tls.is_none() || !self.wants_tls())
    }

    /// Where it is, for those who need to know the way to it.
    pub(super) async fn address(&self) -> Option<SocketAddr> {
        let port = self.config.get_ports().first().copied().unwrap_or(5432);
        if let Some(address) = self.config.get_hostaddrs().first() {
            return Some((*address, port).into());
        }
        match self.config.get_hosts().first()? {
            Host::Tcp(name) => tokio::net::lookup_host((name.as_str(), port)).await.ok()?.next(),
            #[cfg(unix)]
            Host::Unix(_) => None,
        }
    }

    /// On this machine only when it is asked for: Debian's server has a certificate that no one has signed.
    fn wants_tls(&self) -> bool {
        match self.config.get_ssl_mode() {
            SslMode::Disable => false,
            SslMode::Require => true,
            _ => !self.is_here(),
        }
    }
}

fn is_here(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback()),
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

/// Its end is told by the statements that fail.
fn spawn(connection: impl Future<Output = Result<(), tokio_postgres::Error>> + Send + 'static) {
    tokio::spawn(async move {
        let _ = connection.await;
    });
}

/// Returns when another host takes writes with a newer history; for an engine without timelines, never.
pub(super) async fn newer_elsewhere(options: &SharedOptions, highest: &HighestTimeline, primary: &Primary) -> u32 {
    let others = hosts(options).unwrap_or_default().into_iter().filter(|config| name_of(config) != primary.name);
    let mut watches: FuturesUnordered<_> = others
        .filter(|_| primary.timeline > 0)
        .map(|mut config| {
            config.application_name("quaymaster-watch");
            let name = name_of(&config);
            watch(Primary { config, tls: options.tls.clone(), timeline: primary.timeline, name })
        })
        .collect();
    match watches.next().await {
        Some(newer) => highest.0.fetch_max(newer, Ordering::AcqRel).max(newer),
        None => std::future::pending().await,
    }
}

/// Returns the host's timeline once it takes writes with a newer one than `timeline`.
async fn watch(host: Primary) -> u32 {
    loop {
        if let Ok(Ok(client)) = timeout(PROBE, host.connect("")).await {
            while let Ok(Ok(timeline)) = timeout(PROBE, timeline_of(&client)).await {
                match timeline {
                    Some(timeline) if timeline > host.timeline => return timeline,
                    _ => sleep(LOOK).await,
                }
            }
        }
        sleep(LOOK).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_host_of_an_address_has_its_own_port_user_and_database() {
        let hosts = hosts(&options()).expect("an address");
        let names: Vec<_> = hosts.iter().map(name_of).collect();
        assert_eq!(names, ["one:5433", "two:5434"]);
        assert!(hosts.iter().all(|config| config.get_user() == Some("app") && config.get_dbname() == Some("mq")));
        assert!(hosts.iter().all(|config| config.get_ssl_mode() == SslMode::Require));
        assert!(hosts.iter().all(|config| config.get_password() == Some(b"secret")));
    }

    #[test]
    fn a_password_of_its_own_counts_in_place_of_the_addresss() {
        let hosts = hosts(&SharedOptions { password: Some("other".to_owned()), ..options() }).expect("an address");
        assert!(hosts.iter().all(|config| config.get_password() == Some(b"other")));
    }

    fn options() -> SharedOptions {
        let address = "postgres://app:secret@one:5433,two:5434/mq?sslmode=require";
        SharedOptions::new(address.to_owned(), "QM1".to_owned())
    }
}
