//! What the HTTPS door needs to know. The configuration file's `[web]`, `[ldap]`, `[ltpa]`, `[cors]` and `[limits]` tables are
//! these.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;

pub use command::rest::Installation;
pub use connection::options::{RemoteQueueManager, RemoteQueueManagers};
use requester::options::RequesterOptions;
pub use requester::options::{
    ApiRequester, AuthData, AuthToken, AuthorizationServer, EndpointConnection, GrantType, OauthConfig, Proxy,
    ProxyKind, TokenFormat, TokenMethod, TokenPlace, TokenRequest, TokenResponse,
};
use serde::{Deserialize, Serialize};
use service::names::Names;
pub use service::names::{ConnectionFactory, Queue};
use service::registry::Settings;

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
    pub cors: Cors,
    pub limits: Limits,
    pub messaging: Messaging,
    pub zosconnect: Zosconnect,
    pub remote_queue_managers: RemoteQueueManagers,
    /// Where archives of services and APIs lie: `services` and `apis` in it.
    pub archives: PathBuf,
    /// Name of the user the server runs as.
    pub server_user: String,
    /// What the `installation` resource tells.
    pub installation: Installation,
}

/// Paths of PEM files; `server` has made them by now.
#[derive(Debug, Clone)]
pub struct TlsOptions {
    pub certificate: PathBuf,
    pub key: PathBuf,
    /// Signers of client certificates; `None` asks for no certificate.
    pub client_ca: Option<PathBuf>,
    /// Refuse a client without a certificate.
    pub client_required: bool,
}

/// `[web]`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Web {
    /// Realm of LTPA tokens.
    pub realm: Realm,
    /// User name to password: `{argon2id}$argon2id$...`, `{hash}...`, `{xor}...`, `{aes}...` or clear text.
    pub users: BTreeMap<String, String>,
    /// Group name to members.
    pub groups: BTreeMap<String, Vec<String>>,
    /// Role name to who has it: `user:NAME`, `group:NAME`, `ALL_AUTHENTICATED_USERS`, `EVERYONE`.
    pub roles: BTreeMap<String, Vec<String>>,
    /// Also serve the 9.0.x CSRF rule etc. Everything admitted with every role, as no_security.xml.
    pub no_security: bool,
    /// mqRestCsrfValidation.
    pub csrf_validation: Flag<true>,
    /// wlp.password.encryption.key for `{aes}`.
    pub password_encryption_key: Option<String>,
    /// User names are compared without case (ignoreCaseForAuthentication).
    pub ignore_case: bool,
    /// How a client certificate names a user (certificateMapMode).
    pub certificate_map: CertificateMap,
}

/// How the subject of a client certificate becomes a user name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum CertificateMap {
    /// The common name is the user name.
    #[default]
    #[serde(rename = "PRINCIPAL_CN")]
    PrincipalCn,
    /// The whole subject, most specific part first (`CN=Fred,O=IBM,C=GB`), is the user name.
    #[serde(rename = "EXACT_DN")]
    ExactDn,
    /// Certificates do not identify users.
    #[serde(rename = "NOT_SUPPORTED")]
    NotSupported,
}

/// A boolean whose default is stated in its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Flag<const DEFAULT: bool>(pub bool);

impl<const DEFAULT: bool> Default for Flag<DEFAULT> {
    fn default() -> Self {
        Self(DEFAULT)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Realm(pub String);

impl Default for Realm {
    fn default() -> Self {
        Self("defaultRealm".to_owned())
    }
}

/// `[ldap]`: users of a directory beside those of `[web]`. Names of Liberty's `ldapRegistry` where it has them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ldap {
    /// Name or IPv4 address; `None`: there is no directory.
    pub host: Option<String>,
    /// `None`: 636 with `ldaps`, else 389.
    pub port: Option<u16>,
    /// `HOST` or `HOST:PORT`, asked in this order when those before do not answer.
    pub failover: Vec<String>,
    pub tls: LdapTls,
    /// Signers of the servers' certificates; `None`: those the system trusts.
    pub ca_file: Option<PathBuf>,
    /// Who searches; `None` searches without signing in.
    pub bind_dn: Option<String>,
    /// In any password form that can be read back.
    pub bind_password: Option<String>,
    /// Below it users and groups are searched for.
    pub base_dn: Option<String>,
    /// `%v` stands for the user name.
    pub user_filter: String,
    /// `%v` stands for the name of the group.
    pub group_filter: String,
    /// `CLASS:ATTRIBUTE;...`: which attribute names a user.
    pub user_id_map: String,
    pub group_id_map: String,
    /// Which attributes list the members of groups, or the groups of members.
    pub group_member_id_map: String,
    /// Groups within groups count (recursiveSearch).
    pub nested_groups: bool,
    /// User names are compared without case.
    pub ignore_case: bool,
    pub certificate_map: LdapCertificateMap,
    /// With `CERTIFICATE_FILTER`, such as `uid=${SubjectCN}`.
    pub certificate_filter: Option<String>,
    pub connect_timeout_seconds: u64,
    /// For a search with its groups, and for a bind.
    pub timeout_seconds: u64,
    /// Questions at once.
    pub connections: u64,
    /// How long what was found out about a user counts.
    pub cache_seconds: u64,
}

/// How connections to the directory are encrypted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LdapTls {
    #[default]
    Ldaps,
    StartTls,
    /// Not at all: passwords travel in the clear.
    Off,
}

/// How a client certificate leads to a user of the directory (certificateMapMode).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum LdapCertificateMap {
    /// The subject is the distinguished name of the user.
    #[default]
    ExactDn,
    /// `certificate_filter` finds the user.
    CertificateFilter,
    /// The common name is the user name.
    PrincipalCn,
    NotSupported,
}

impl Default for Ldap {
    fn default() -> Self {
        Self {
            host: None,
            port: None,
            failover: Vec::new(),
            tls: LdapTls::Ldaps,
            ca_file: None,
            bind_dn: None,
            bind_password: None,
            base_dn: None,
            user_filter: "(&(uid=%v)(objectclass=person))".to_owned(),
            group_filter: "(&(cn=%v)(|(objectclass=groupOfNames)(objectclass=groupOfUniqueNames)))".to_owned(),
            user_id_map: "*:uid".to_owned(),
            group_id_map: "*:cn".to_owned(),
            group_member_id_map: "groupOfNames:member;groupOfUniqueNames:uniqueMember".to_owned(),
            nested_groups: false,
            ignore_case: true,
            certificate_map: LdapCertificateMap::ExactDn,
            certificate_filter: None,
            connect_timeout_seconds: 5,
            timeout_seconds: 10,
            connections: 4,
            cache_seconds: 60,
        }
    }
}

/// `[ltpa]`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ltpa {
    /// Made at first start when absent.
    pub keys_file: Option<PathBuf>,
    /// Password of the key file, in any password form.
    pub keys_password: Option<String>,
    pub cookie_name: String,
    /// Minutes.
    pub expiration: u64,
    /// A token got over HTTPS is refused over HTTP, and no cookie is set there.
    pub secure: bool,
}

impl Default for Ltpa {
    fn default() -> Self {
        Self {
            keys_file: None,
            keys_password: None,
            cookie_name: "LtpaToken2".to_owned(),
            expiration: 120,
            secure: true,
        }
    }
}

/// `[cors]`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Cors {
    /// Origins, or `*`; empty allows none.
    pub allowed_origins: Vec<String>,
    pub max_age_seconds: u64,
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
    /// Calls of API requesters have to come by HTTPS (requireSecure).
    pub require_secure: bool,
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
            anonymous_from: AnonymousFrom::Loopback,
            requesters: RequesterOptions::default(),
        }
    }
}

impl WebOptions {
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
    /// Connections open at once, all HTTP listeners together.
    pub connections: usize,
    /// Connections that one thread serves before the next thread gets any.
    pub connections_per_thread: usize,
    /// Bytes of request headers.
    pub header_bytes: usize,
    /// Bytes of a request body; MAXMSGL still applies below it.
    pub body_bytes: usize,
    /// Seconds to send the headers of a request.
    pub header_seconds: u64,
    /// Seconds to send the body of a request.
    pub body_seconds: u64,
    /// Seconds an idle kept connection stays open.
    pub idle_seconds: u64,
    /// Bytes of message bodies held in memory for each queue manager.
    pub buffer_pool: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 10_000,
            connections_per_thread: 16,
            header_bytes: 64 << 10,
            body_bytes: 100 << 20,
            header_seconds: 15,
            body_seconds: 60,
            idle_seconds: 120,
            buffer_pool: 256 << 20,
        }
    }
}
