//! What the HTTPS door needs to know. The configuration file's `[cors]`, `[metrics]`, `[documents]`, `[messaging]`,
//! `[zosconnect]` and `[limits]` tables are these; `[web]`, `[ldap]`, `[ltpa]` and `[identity]` are those of the crate `identity`.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub use command::rest::Installation;
pub use connection::options::{RemoteQueueManager, RemoteQueueManagers};
use handshake::identity::{PairFiles, PendingPair};
use identity::api_key::ApiKeys;
use identity::options::{BearerOptions, Identities, Ldap, Lockout, Ltpa, OidcIssuer, Web};
pub use message_api::log_lines::{Level, LogLines};
use requester::options::RequesterOptions;
pub use requester::options::{
    ApiRequester, AuthData, AuthToken, AuthorizationServer, EndpointConnection, GrantType, OauthConfig, Proxy,
    ProxyKind, TokenFormat, TokenMethod, TokenPlace, TokenRequest, TokenResponse,
};
use requester::post::{Networks, Reach};
use serde::{Deserialize, Serialize};
use service::names::Names;
pub use service::names::{ConnectionFactory, Queue};
use service::registry::Settings;
use test_control::TestControl;

use crate::WebError;
use crate::budget::share_of;
use crate::console::Guard;
use crate::issuers::ByHttp;

/// Everything of one start or reload.
#[derive(Debug, Clone)]
pub struct WebOptions {
    pub https: Option<SocketAddr>,
    pub http: Option<SocketAddr>,
    pub metrics: Option<SocketAddr>,
    pub tls: TlsOptions,
    pub web: Web,
    pub ldap: Ldap,
    pub ltpa: Ltpa,
    pub lockout: Lockout,
    /// `[identity.oidc]`: issuers of tokens by name.
    pub oidc: BTreeMap<String, OidcIssuer>,
    /// The same ones at every reload.
    pub api_keys: Arc<ApiKeys>,
    pub cors: Cors,
    pub metrics_page: Metrics,
    /// Counts at the start alone.
    pub tracing: Tracing,
    pub documents: Documents,
    pub limits: Limits,
    pub messaging: Messaging,
    pub message_api: MessageApiOptions,
    pub push: PushOptions,
    /// Requests that take longer have a line in the log.
    pub slow_request: Option<Duration>,
    /// The last lines of the log; the same ones at every reload.
    pub log: Arc<LogLines>,
    /// Where push targets are kept; `None`: in memory.
    pub push_file: Option<PathBuf>,
    pub console: Console,
    /// What is served below `/docs`.
    pub book: Arc<[BookFile]>,
    pub zosconnect: Zosconnect,
    pub remote_queue_managers: RemoteQueueManagers,
    /// Where archives of services and APIs lie: `services` and `apis` in it.
    pub archives: PathBuf,
    /// Where copybooks lie for bodies of messages.
    pub copybooks: PathBuf,
    /// Name of the user the server runs as.
    pub server_user: String,
    /// What the `installation` resource tells.
    pub installation: Installation,
    /// Of a server that was started for tests; the same one at every reload.
    pub test_control: Option<Arc<TestControl>>,
}

/// A file below `/docs`.
#[derive(Debug, Clone, Copy)]
pub struct BookFile {
    /// Last part of its address; empty for the first page.
    pub name: &'static str,
    pub media_type: &'static str,
    /// Letters and digits: others whenever the bytes are others.
    pub tag: &'static str,
    /// Compressed with gzip.
    pub gzip: &'static [u8],
}

/// Paths of PEM files; `server` has made them by now, but for a pending pair.
#[derive(Debug, Clone, Default)]
pub struct TlsOptions {
    /// The server's certificate, and perhaps a second one of another family.
    pub pairs: Vec<PairFiles>,
    /// A second one whose files are still being made.
    pub pending: Option<PendingPair>,
    /// PEM of who signed those of the server's own making, for clients to trust.
    pub authority: Option<Arc<str>>,
    /// Signers of client certificates; `None` asks for no certificate.
    pub client_ca: Option<PathBuf>,
    /// Refuse a client without a certificate.
    pub client_required: bool,
    /// CipherSpecs that channels serve beside those of rustls; HTTPS serves none of them.
    pub old_cipherspecs: Vec<String>,
}

/// `[cors]`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Cors {
    /// Origins, or `*`; empty allows none.
    pub allowed_origins: Vec<String>,
    pub max_age_seconds: u64,
}

/// `[metrics]`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Metrics {
    /// Serve `/metrics` by the HTTPS and HTTP listeners too, without signing in.
    pub on_https: bool,
    pub names: Vec<MetricNames>,
}

impl Default for Metrics {
    fn default() -> Self {
        Self { on_https: false, names: vec![MetricNames::Quaymaster] }
    }
}

/// `[tracing]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tracing {
    /// URL of a receiver of OTLP over HTTP.
    pub endpoint: Option<String>,
    /// Headers of what is sent there.
    pub headers: BTreeMap<String, String>,
    pub service_name: String,
    /// Of traces that begin here, how many of 100 are recorded.
    pub sample_percent: u32,
    /// Messages that are put over HTTP have the context of the trace as properties.
    pub message_properties: bool,
    /// So have messages that MQ clients put, and that had none.
    pub channel_properties: bool,
}

impl Default for Tracing {
    fn default() -> Self {
        Self {
            endpoint: None,
            headers: BTreeMap::new(),
            service_name: "quaymaster".to_owned(),
            sample_percent: 100,
            message_properties: false,
            channel_properties: false,
        }
    }
}

/// Whose names the metrics have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MetricNames {
    /// `quaymaster_…`.
    Quaymaster,
    /// Those of the exporter `mq_prometheus`.
    MqPrometheus,
    /// Those of the exporter in IBM's container image.
    MqContainer,
}

/// `[documents]`: what tells which APIs and services there are.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Documents {
    /// `None`: anyone. `server` decides otherwise where the developer defaults are off.
    pub open_to: Option<OpenTo>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OpenTo {
    Anyone,
    /// Any user who has signed in.
    Users,
}

/// `[messaging]`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Messaging {
    /// mqRestMessagingEnabled.
    pub enabled: bool,
    /// mqRestMessagingAdoptWebUserContext.
    pub adopt_web_user_context: bool,
    /// mqRestMessagingMaxPoolSize: connections kept for each queue manager; 0 keeps none.
    pub max_pool_size: usize,
    /// mqRestMessagingFullPoolBehavior.
    pub full_pool_behavior: FullPoolBehavior,
    /// With `block`: seconds that a request waits for a connection; 0 is without limit.
    pub block_timeout: u64,
    /// Seconds that a connection is kept without being used; 0 is for ever.
    pub idle_timeout: u64,
}

/// `[message_api]`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MessageApiOptions {
    /// Seconds for which the answer to an Idempotency-Key is kept.
    pub key_seconds: u64,
    /// Most such answers of a queue manager.
    pub keys: u32,
}

impl Default for MessageApiOptions {
    fn default() -> Self {
        Self { key_seconds: 86_400, keys: 1_000_000 }
    }
}

impl MessageApiOptions {
    /// How long answers to keys are kept.
    pub fn kept(&self) -> Duration {
        Duration::from_secs(self.key_seconds)
    }
}

/// `[push]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PushOptions {
    /// Networks that URLs of push targets may reach beside the public internet.
    pub allowed_networks: Vec<String>,
    /// Signers of the certificates of receivers; `None`: those the system trusts.
    pub ca_file: Option<PathBuf>,
    /// Most push targets of the server.
    pub targets: usize,
    /// Bytes of bodies that one target has in memory while it posts them.
    pub target_memory_bytes: usize,
}

impl Default for PushOptions {
    fn default() -> Self {
        Self { allowed_networks: Vec::new(), ca_file: None, targets: 100, target_memory_bytes: 8 << 20 }
    }
}

impl PushOptions {
    /// Reads a PEM file.
    ///
    /// # Errors
    /// A network or the file cannot be used.
    pub(crate) fn reach(&self) -> Result<Reach, WebError> {
        let wrong = |key: &str, problem: String| WebError::Option { key: format!("push.{key}"), problem };
        let networks = Networks::parse(&self.allowed_networks);
        let networks = networks.map_err(|problem| wrong("allowed_networks", problem.to_string()))?;
        Reach::new(self.ca_file.as_deref(), networks).map_err(|problem| wrong("ca_file", problem))
    }

    /// # Errors
    /// As a start would say.
    pub fn check(&self) -> Result<(), WebError> {
        self.reach().map(drop)
    }
}

/// `[console]`: the console's page, history and live events.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Console {
    /// Origins whose pages may show the console in a frame.
    pub frame_ancestors: Vec<String>,
    /// Bytes of all histories; 0 keeps none.
    pub history_bytes: usize,
    /// Streams of live events that are open at once, of all users and of each.
    pub live_streams: usize,
    pub live_streams_per_user: usize,
}

impl Console {
    /// # Errors
    /// As a start would say.
    pub fn check(&self) -> Result<(), WebError> {
        Guard::new(self).map(drop)
    }
}

impl Default for Console {
    fn default() -> Self {
        Self { frame_ancestors: Vec::new(), history_bytes: 16 << 20, live_streams: 200, live_streams_per_user: 10 }
    }
}

/// What a request gets when all pooled connections are in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FullPoolBehavior {
    /// A connection of its own, closed afterwards.
    #[default]
    Overflow,
    /// It waits until one is free.
    Block,
    /// 503.
    Error,
}

impl Default for Messaging {
    fn default() -> Self {
        Self {
            enabled: true,
            adopt_web_user_context: true,
            max_pool_size: 20,
            full_pool_behavior: FullPoolBehavior::Overflow,
            block_timeout: 0,
            idle_timeout: 1800,
        }
    }
}

/// `[zosconnect]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Zosconnect {
    /// Seconds between two looks at the archives; 0: one look, at start.
    pub poll_interval_seconds: u64,
    /// Longest that a request to a service may wait (asyncRequestTimeout).
    pub request_timeout_seconds: u64,
    pub connection_factories: BTreeMap<String, ConnectionFactory>,
    pub queues: BTreeMap<String, Queue>,
    pub topics: BTreeMap<String, String>,
    /// Properties by service, in place of those of its archive.
    pub services: BTreeMap<String, BTreeMap<String, String>>,
    /// Paths by service.
    pub invoke_uris: BTreeMap<String, Vec<String>>,
    /// Who calls API requesters has to say who he is (requireAuth). Services, APIs and administration want it always.
    pub require_auth: bool,
    /// Calls of API requesters must use HTTPS (requireSecure).
    pub require_secure: bool,
    /// Callers of services and APIs are told the details of an error.
    pub error_details: bool,
    /// Where callers may be who need not say who they are.
    pub anonymous_from: AnonymousFrom,
    /// What API requesters are called by, its tables beside the keys here.
    #[serde(flatten)]
    pub requesters: RequesterOptions,
}

/// Where callers of API requesters may be who do not say who they are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnonymousFrom {
    /// On this machine.
    #[default]
    Loopback,
    Anywhere,
}

impl Default for Zosconnect {
    fn default() -> Self {
        Self {
            poll_interval_seconds: 1,
            request_timeout_seconds: 30,
            connection_factories: BTreeMap::new(),
            queues: BTreeMap::new(),
            topics: BTreeMap::new(),
            services: BTreeMap::new(),
            invoke_uris: BTreeMap::new(),
            require_auth: true,
            require_secure: false,
            error_details: true,
            anonymous_from: AnonymousFrom::Loopback,
            requesters: RequesterOptions::default(),
        }
    }
}

impl WebOptions {
    /// What of them says who users are.
    pub fn identities(&self) -> Identities<'_> {
        Identities {
            web: &self.web,
            ldap: &self.ldap,
            ltpa: &self.ltpa,
            lockout: &self.lockout,
            bearers: Some(BearerOptions { oidc: &self.oidc, connect: &ByHttp, api_keys: &self.api_keys }),
            server_user: &self.server_user,
        }
    }

    /// What archives are read by.
    pub(crate) fn service_settings(&self) -> Settings {
        let zosconnect = &self.zosconnect;
        Settings {
            names: Names {
                connection_factories: zosconnect.connection_factories.clone(),
                queues: zosconnect.queues.clone(),
                topics: zosconnect.topics.clone(),
                remote: self.remote_queue_managers.keys().cloned().collect(),
            },
            properties: zosconnect.services.clone(),
            invoke_uris: zosconnect.invoke_uris.clone(),
        }
    }
}

/// `[limits]`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Connections open at once, of the HTTPS listener and of the HTTP listener each.
    pub connections: usize,
    /// Of these, connections from one address; of IPv6 from one network of 64 bits.
    pub connections_per_address: usize,
    /// Connections open at once of the metrics listener.
    pub metrics_connections: usize,
    /// Requests that wait for a message, of each listener.
    pub waiting_requests: usize,
    /// Streams of the message API, of all users and of each.
    pub streams: usize,
    pub streams_per_user: usize,
    /// Connections that one thread serves before the next thread gets any.
    pub connections_per_thread: usize,
    /// Bytes of request headers.
    pub header_bytes: usize,
    /// Bytes of a request body; MAXMSGL still applies below it.
    pub body_bytes: usize,
    /// Bytes of an administrative request's body.
    pub administrative_body_bytes: usize,
    /// Bytes of all bodies that are being read or worked on.
    pub body_memory_bytes: usize,
    /// Bytes of all answers that their clients have not read.
    pub answer_memory_bytes: usize,
    /// Seconds to send the headers of a request.
    pub header_seconds: u64,
    /// Seconds to send the body of a request.
    pub body_seconds: u64,
    /// Bytes a second at which a body has to come after its first seconds; 0: at any pace.
    pub body_bytes_per_second: u64,
    /// Seconds an idle kept connection stays open.
    pub idle_seconds: u64,
    /// Bytes of message bodies held in memory for each queue manager.
    pub buffer_pool: u64,
    /// Bytes of disk for each queue manager; 0 for no quota.
    pub disk_quota: u64,
    /// Bytes of memory for the messages of each queue manager; 0 for no quota.
    pub memory_quota: u64,
    /// Bytes a second that the verification of each queue manager reads from the disk; 0 for none.
    pub verification_bytes_per_second: u64,
    /// Seconds between the begins of two rounds of it.
    pub verification_seconds: u64,
    /// Durable subscriptions of each queue manager.
    pub durable_subscriptions: usize,
    /// Of these, subscriptions of one user who is no administrator.
    pub durable_subscriptions_per_user: usize,
}

impl Limits {
    /// Whether a body of the greatest length fits into what one address may use of the memory for bodies.
    pub fn has_memory_for_one_body(&self) -> bool {
        self.body_bytes <= share_of(self.body_memory_bytes, 0)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 10_000,
            connections_per_address: 2000,
            metrics_connections: 64,
            waiting_requests: 5000,
            streams: 1000,
            streams_per_user: 100,
            connections_per_thread: 16,
            header_bytes: 64 << 10,
            body_bytes: 100 << 20,
            administrative_body_bytes: 256 << 10,
            body_memory_bytes: 128 << 20,
            answer_memory_bytes: 128 << 20,
            header_seconds: 15,
            body_seconds: 60,
            body_bytes_per_second: 1024,
            idle_seconds: 120,
            buffer_pool: 256 << 20,
            disk_quota: 0,
            memory_quota: 0,
            verification_bytes_per_second: 4 << 20,
            verification_seconds: 3600,
            durable_subscriptions: 100_000,
            durable_subscriptions_per_user: 5000,
        }
    }
}
