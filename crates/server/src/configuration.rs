//! The configuration: flags over environment over file over defaults, checked once into [`Configuration`].
//!
//! Layers are TOML tables. Each layer's values are checked against the key table (`keys.rs`) before they are merged, so
//! that an error names the flag, variable or file it came from; the merged table then becomes typed structs.
//! This module reads the file and is handed the environment; it makes nothing and listens nowhere.

mod check;
mod environment;
pub(crate) mod error;
pub(crate) mod explain;
pub(crate) mod keys;
mod nearest;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use handshake::identity::PairFiles;
use identity::api_key::ApiKeys;
use identity::options::{Ldap, Lockout, Ltpa, OidcIssuer, Web};
use model::name::QueueManagerName;
use serde::{Deserialize, Serialize};
use toml::{Table, Value};
use web::options::{
    Console, Cors, Documents, EndpointConnection, Installation, Limits, MessageApiOptions, Messaging, Metrics, OpenTo,
    PushOptions, RemoteQueueManagers, TlsOptions, Tracing, WebOptions, Zosconnect,
};

pub(crate) use check::{file_in, parse_address, read_file};
pub(crate) use environment::Environment;
pub(crate) use error::{ConfigurationError, Origin, Place};
pub(crate) use nearest::nearest;

/// Everything a start or reload needs, checked.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Configuration {
    pub server: Server,
    pub tls: Tls,
    pub web: Web,
    pub ldap: Ldap,
    pub ltpa: Ltpa,
    pub identity: Identity,
    pub cors: Cors,
    pub metrics: Metrics,
    pub tracing: Tracing,
    pub documents: Documents,
    pub messaging: Messaging,
    pub message_api: MessageApiOptions,
    pub push: PushOptions,
    pub console: Console,
    pub zosconnect: Zosconnect,
    /// Those of `[zosconnect]` beside them.
    pub endpoint_connections: BTreeMap<String, EndpointConnection>,
    pub remote_queue_managers: RemoteQueueManagers,
    pub group: Group,
    pub channels: Channels,
    pub accounting: Accounting,
    pub limits: Limits,
}

/// `[server]`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Server {
    pub queue_managers: Vec<QueueManagerName>,
    pub https: Address,
    pub http: Address,
    pub mq: Address,
    pub metrics: Address,
    /// `None`: `mqsc.d` in the data directory.
    pub mqsc_dir: Option<PathBuf>,
    pub strict: bool,
    pub developer_defaults: bool,
    pub grace_seconds: u64,
    pub reload_interval_seconds: u64,
    pub restart_failed_seconds: u64,
    pub log_format: LogFormat,
    pub log_level: LogLevel,
    pub slow_request_milliseconds: u64,
}

/// `[identity]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Identity {
    pub lockout: Lockout,
    /// Issuers of tokens by name.
    pub oidc: BTreeMap<String, OidcIssuer>,
}

/// `[group]`: the queue-sharing group of the first queue manager.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Group {
    /// Checked with the table.
    pub name: Option<String>,
    pub database: Option<String>,
    /// As it is stored.
    pub password: Option<String>,
    pub ca_file: Option<PathBuf>,
    pub patience_seconds: u64,
    /// Structures with a database of their own, by name.
    pub structures: BTreeMap<String, GroupStructure>,
}

/// An entry of `[group.structures]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GroupStructure {
    pub database: String,
    /// As it is stored.
    pub password: Option<String>,
    pub ca_file: Option<PathBuf>,
}

/// `[channels]`: what MQ clients may take.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Channels {
    pub sockets: usize,
    pub sockets_per_address: usize,
    pub sockets_per_thread: usize,
    pub first_segment_seconds: u64,
    pub plain_passwords: PlainPasswords,
}

/// Where MQ clients may be that send their password without TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PlainPasswords {
    #[default]
    Anywhere,
    Loopback,
}

/// `[accounting]`: records of accounting and statistics as lines of JSON, beside their queues.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Accounting {
    pub json_lines: bool,
    /// `None`: `accounting` in the data directory.
    pub folder: Option<PathBuf>,
    pub file_bytes: u64,
    pub files: u32,
}

/// `[tls]`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Tls {
    pub certificate: Option<PathBuf>,
    pub key: Option<PathBuf>,
    pub second_certificate: Option<PathBuf>,
    pub second_key: Option<PathBuf>,
    pub client_ca: Option<PathBuf>,
    pub client_required: bool,
    pub old_cipherspecs: Vec<String>,
    pub reload_interval_seconds: u64,
}

impl Default for Tls {
    fn default() -> Self {
        Self {
            certificate: None,
            key: None,
            second_certificate: None,
            second_key: None,
            client_ca: None,
            client_required: false,
            old_cipherspecs: Vec::new(),
            reload_interval_seconds: 60,
        }
    }
}

/// Where to listen; `None` is `off`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Address(pub Option<SocketAddr>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogFormat {
    #[default]
    Text,
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogLevel {
    Error,
    Warn,
    #[default]
    Info,
    Debug,
    Trace,
}

impl Default for Channels {
    fn default() -> Self {
        Self {
            sockets: 10_000,
            sockets_per_address: 6000,
            sockets_per_thread: 64,
            first_segment_seconds: 15,
            plain_passwords: PlainPasswords::Anywhere,
        }
    }
}

impl Default for Group {
    fn default() -> Self {
        Self {
            name: None,
            database: None,
            password: None,
            ca_file: None,
            patience_seconds: 60,
            structures: BTreeMap::new(),
        }
    }
}

impl Default for Accounting {
    fn default() -> Self {
        Self { json_lines: true, folder: None, file_bytes: 64 << 20, files: 4 }
    }
}

impl Default for Server {
    fn default() -> Self {
        let listen = |address: &str| Address(address.parse().ok());
        Self {
            queue_managers: vec![QueueManagerName::literal("QM1")],
            https: listen("0.0.0.0:9443"),
            http: listen("127.0.0.1:9080"),
            mq: listen("0.0.0.0:1414"),
            metrics: listen("127.0.0.1:9157"),
            mqsc_dir: None,
            strict: false,
            developer_defaults: true,
            grace_seconds: 30,
            reload_interval_seconds: 0,
            restart_failed_seconds: 0,
            log_format: LogFormat::Text,
            log_level: LogLevel::Info,
            slow_request_milliseconds: 0,
        }
    }
}

impl Configuration {
    /// Settings of the web server, before generated files, API keys and developer users are added.
    pub(crate) fn web_options(&self, tls: TlsOptions) -> WebOptions {
        let mut zosconnect = self.zosconnect.clone();
        zosconnect.requesters.endpoint_connections.extend(self.endpoint_connections.clone());
        WebOptions {
            https: self.server.https.0,
            http: self.server.http.0,
            metrics: self.server.metrics.0,
            tls,
            web: self.web.clone(),
            ldap: self.ldap.clone(),
            ltpa: self.ltpa.clone(),
            lockout: self.identity.lockout.clone(),
            oidc: self.identity.oidc.clone(),
            api_keys: Arc::new(ApiKeys::in_memory()),
            cors: self.cors.clone(),
            metrics_page: self.metrics.clone(),
            tracing: self.tracing.clone(),
            documents: self.documents(),
            limits: self.limits.clone(),
            messaging: self.messaging.clone(),
            message_api: self.message_api.clone(),
            push: self.push.clone(),
            slow_request: self.server.slow_request(),
            log: Arc::default(),
            push_file: None,
            console: self.console.clone(),
            book: Arc::default(),
            zosconnect,
            remote_queue_managers: self.remote_queue_managers.clone(),
            archives: PathBuf::new(),
            copybooks: PathBuf::new(),
            test_control: None,
            server_user: String::new(),
            installation: Installation::default(),
        }
    }

    /// Without `documents.open_to`, documents are open where the developer defaults are.
    fn documents(&self) -> Documents {
        let by_default = if self.server.developer_defaults { OpenTo::Anyone } else { OpenTo::Users };
        Documents { open_to: Some(self.documents.open_to.unwrap_or(by_default)) }
    }
}

impl Tls {
    /// Where two certificates with their keys are named.
    pub(crate) fn both_pairs(&self) -> Option<[PairFiles; 2]> {
        let pair = |certificate: &Option<PathBuf>, key: &Option<PathBuf>| {
            Some(PairFiles { certificate: certificate.clone()?, key: key.clone()? })
        };
        Some([pair(&self.certificate, &self.key)?, pair(&self.second_certificate, &self.second_key)?])
    }
}

impl Server {
    pub(crate) fn grace(&self) -> Duration {
        Duration::from_secs(self.grace_seconds)
    }

    pub(crate) fn slow_request(&self) -> Option<Duration> {
        (self.slow_request_milliseconds > 0).then(|| Duration::from_millis(self.slow_request_milliseconds))
    }

    /// The first pause before a queue manager whose log has failed is started again; `None`: it is not.
    pub(crate) fn restart_failed(&self) -> Option<Duration> {
        (self.restart_failed_seconds > 0).then(|| Duration::from_secs(self.restart_failed_seconds))
    }
}

impl Serialize for Address {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Some(address) => serializer.collect_str(&address),
            None => serializer.serialize_str("off"),
        }
    }
}

impl<'de> Deserialize<'de> for Address {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        parse_address(&text).ok_or_else(|| serde::de::Error::custom("expected ADDRESS:PORT or off"))
    }
}

/// A value given on the command line: the key's path, the flag and the text.
#[derive(Debug, Clone)]
pub(crate) struct FlagValue {
    pub path: &'static str,
    pub flag: &'static str,
    pub values: Vec<String>,
}

/// Merges the layers.
///
/// `file` must exist when `file_required`; otherwise an absent file counts as empty.
///
/// # Errors
/// The first value that cannot be used, with its place.
pub(crate) fn load(
    file: &Path,
    file_required: bool,
    environment: &Environment,
    flags: &[FlagValue],
) -> Result<Configuration, ConfigurationError> {
    load_over(Table::new(), file, file_required, environment, flags)
}

/// As [`load`], with a layer between the defaults and the file.
///
/// # Errors
/// As [`load`].
pub(crate) fn load_over(
    surroundings: Table,
    file: &Path,
    file_required: bool,
    environment: &Environment,
    flags: &[FlagValue],
) -> Result<Configuration, ConfigurationError> {
    let mut merged = surroundings;
    if file_required || file.exists() {
        lay_over(&mut merged, read_file(file)?);
    }
    let mut origins: Vec<Place> = Vec::new();
    for (key, text) in environment.keys() {
        let place = Place { path: key.path.to_owned(), origin: Origin::Environment(key.environment) };
        let value = check::parse_texts(key, &place, &[text])?;
        set(&mut merged, key.path, value);
        origins.push(place);
    }
    for given in flags {
        let Some(key) = keys::find(given.path) else { continue };
        let place = Place { path: given.path.to_owned(), origin: Origin::Flag(given.flag) };
        let texts: Vec<&str> = given.values.iter().map(String::as_str).collect();
        let value = check::parse_texts(key, &place, &texts)?;
        set(&mut merged, key.path, value);
        origins.push(place);
    }
    check::conflicts(&merged, &origins, file)?;
    merged.try_into().map_err(|error: toml::de::Error| ConfigurationError::Syntax {
        file: file.to_owned(),
        line: 0,
        problem: error.message().to_owned(),
    })
}

/// Keys of `upper` replace those of `lower`; tables are merged.
fn lay_over(lower: &mut Table, upper: Table) {
    for (name, value) in upper {
        match (lower.get_mut(&name), value) {
            (Some(Value::Table(lower)), Value::Table(upper)) => lay_over(lower, upper),
            (_, value) => {
                lower.insert(name, value);
            }
        }
    }
}

/// Sets the key of a path.
pub(crate) fn set(table: &mut Table, path: &str, value: Value) {
    let Some((section, name)) = path.split_once('.') else {
        table.insert(path.to_owned(), value);
        return;
    };
    let entry = table.entry(section.to_owned()).or_insert_with(|| Value::Table(Table::new()));
    if let Some(section) = entry.as_table_mut() {
        set(section, name, value);
    }
}
