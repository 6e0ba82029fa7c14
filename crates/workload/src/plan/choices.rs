//! Every choice that may be made in a plan file or by an option. `docs/workload.md` tells what each means.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::kinds::{Connection, Csrf, Frequency, Group, Login, Processes, Scenario};
use super::span::Span;
use crate::error::WorkloadError;

/// How far rates may lie apart when `warmup = "steady"` says no more, in percent.
pub const STEADY_PERCENT: f64 = 5.0;

/// Makes the structure, and the way in which one set of choices fills the gaps of another.
macro_rules! choices {
    ($($(#[$about:meta])* $key:ident: $type:ty,)*) => {
        /// What is absent is decided by `Plan::new`.
        #[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct Choices {
            $($(#[$about])* #[serde(skip_serializing_if = "Option::is_none")] pub $key: Option<$type>,)*
            /// Process name to process id.
            #[serde(skip_serializing_if = "BTreeMap::is_empty")]
            pub pid: BTreeMap<String, u32>,
            /// Name to processes with children, or to threads.
            #[serde(skip_serializing_if = "BTreeMap::is_empty")]
            pub group: BTreeMap<String, Group>,
        }

        impl Choices {
            /// Every key of a plan.
            pub const KEYS: &[&str] = &[$(stringify!($key),)* "pid", "group"];

            /// These choices, and `other`'s where this says nothing. A warm-up is one choice whatever its keys, and
            /// so is what to measure under a name.
            #[must_use]
            pub fn or(self, mut other: Self) -> Self {
                other.give_way(&self);
                let (mut pid, mut group) = (other.pid, other.group);
                pid.extend(self.pid);
                group.extend(self.group);
                Self { $($key: self.$key.or(other.$key),)* pid, group }
            }
        }
    };
}

choices! {
    scenario: Scenario,
    url: String,
    cacert: PathBuf,
    insecure: bool,
    login: Login,
    user: String,
    /// Lines of `user password`.
    password_file: PathBuf,
    queue_manager: String,
    queue: String,
    /// How long an HTTP connection is used.
    connection: Connection,
    /// Whether a new TLS connection may resume the session of an earlier one.
    tls_resumption: bool,
    /// A server-connection channel, used instead of `url`.
    channel: String,
    /// `HOST:PORT` or a list such as `host(1414),other(1414)`.
    mq: String,
    /// CipherSpec of the channel; with `cacert` alone any of TLS 1.2 or higher.
    cipher: String,
    /// Clients that share a socket.
    sharing_conversations: u32,
    /// Puts are asynchronous, replies are read ahead from a queue of each client's own.
    streaming: bool,
    /// MQCONN and MQDISC: once a client, or in every transaction.
    connect: Frequency,
    /// MQOPEN and MQCLOSE: once a connection, or in every transaction.
    open: Frequency,
    /// Where replies come.
    reply_queue: String,
    persistent: bool,
    clients: u32,
    threads: usize,
    think_time: Span,
    /// Transactions to start per second, independent of the server.
    rate: f64,
    warmup: Span,
    /// Transactions before measuring.
    warmup_requests: u64,
    /// Percent by which the rates of three windows may differ when measuring begins.
    warmup_steady: f64,
    duration: Span,
    /// Transactions to measure: exactly so many.
    requests: u64,
    repetitions: u32,
    /// Longest wait for an answer.
    timeout: Span,
    /// Round trip of a network to be imitated.
    latency: Span,
    /// Seed of random choices.
    seed: u64,
    request_size: usize,
    response_size: usize,
    drain: bool,
    post_path: String,
    get_path: String,
    /// Administrative paths, got one after the other in each transaction.
    paths: Vec<String>,
    /// Administrative path of a `PATCH` after them and after the `POST`.
    patch_path: String,
    /// Its JSON; `{n}` stands for the number of the client's transaction.
    patch_body: String,
    csrf: Csrf,
    /// JSON of a request to a service, where `{id}` stands for the identifier that the reply must have somewhere; or of an
    /// administrative `POST` to `post_path`, as `patch_body`.
    body: String,
    /// Media type of `body` in a request to a service.
    content_type: String,
    /// Program that calls an API requester.
    program: PathBuf,
    program_arguments: Vec<String>,
    processes: Processes,
    /// The driver's own program, where clients are processes.
    driver: PathBuf,
}

impl Choices {
    /// # Errors
    /// The file cannot be read, or is not a plan: the message names line and key.
    pub fn read(file: &Path) -> Result<Self, WorkloadError> {
        let name = file.display().to_string();
        let text =
            std::fs::read_to_string(file).map_err(|source| WorkloadError::Read { file: name.clone(), source })?;
        Self::parse(&text).map_err(|source| WorkloadError::Parse { file: name, source: Box::new(source) })
    }

    /// A plan's text. `warmup = "steady"` is another way to write `warmup_steady`.
    ///
    /// # Errors
    /// It is not a plan.
    pub fn parse(text: &str) -> Result<Self, toml::de::Error> {
        let mut table: toml::Table = toml::from_str(text)?;
        if table.get("warmup").and_then(toml::Value::as_str) != Some("steady") {
            return toml::from_str(text);
        }
        table.remove("warmup");
        table.entry("warmup_steady").or_insert(STEADY_PERCENT.into());
        table.try_into()
    }

    /// Drops what `winner` says by other keys.
    fn give_way(&mut self, winner: &Self) {
        if winner.warmup.is_some() || winner.warmup_requests.is_some() || winner.warmup_steady.is_some() {
            (self.warmup, self.warmup_requests, self.warmup_steady) = (None, None, None);
        }
        self.pid.retain(|name, _| !winner.group.contains_key(name));
        self.group.retain(|name, _| !winner.pid.contains_key(name));
    }
}
