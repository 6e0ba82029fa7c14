//! What the configuration says of users: its `[web]`, `[ldap]` and `[ltpa]` tables are these.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::api_key::ApiKeys;
use crate::oidc::Connect;

/// Everything of one start or reload that concerns users.
#[derive(Debug, Clone, Copy)]
pub struct Identities<'a> {
    pub web: &'a Web,
    pub ldap: &'a Ldap,
    pub ltpa: &'a Ltpa,
    pub lockout: &'a Lockout,
    /// `None`: neither tokens of issuers nor API keys count.
    pub bearers: Option<BearerOptions<'a>>,
    /// Name of the user the server runs as.
    pub server_user: &'a str,
}

/// What of it concerns credentials that are sent as bearer tokens.
#[derive(Debug, Clone, Copy)]
pub struct BearerOptions<'a> {
    /// Issuers by name.
    pub oidc: &'a BTreeMap<String, OidcIssuer>,
    /// How issuers are reached.
    pub connect: &'a dyn Connect,
    pub api_keys: &'a Arc<ApiKeys>,
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

/// `[identity.oidc.NAME]`: an issuer whose access tokens are accepted, and where people sign in if it has a `client_id`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OidcIssuer {
    /// The URL that the issuer gives itself, and below which it describes itself.
    pub issuer: String,
    /// A token must be for one of them.
    pub audiences: Vec<String>,
    /// Path of the claim that is the user name.
    #[serde(default = "OidcIssuer::sub")]
    pub user_claim: String,
    /// Path of the claim that lists the groups.
    #[serde(default = "OidcIssuer::groups")]
    pub groups_claim: String,
    /// Those that signatures may have.
    #[serde(default = "OidcIssuer::all_algorithms")]
    pub algorithms: Vec<String>,
    /// By how much the clocks of issuer and server may differ.
    #[serde(default = "OidcIssuer::thirty")]
    pub clock_skew_seconds: u64,
    /// How often the keys are fetched.
    #[serde(default = "OidcIssuer::hour")]
    pub refresh_seconds: u64,
    /// How often they are fetched at most because a token names a key that is not known.
    #[serde(default = "OidcIssuer::ten")]
    pub unknown_key_seconds: u64,
    /// For a fetch of the keys.
    #[serde(default = "OidcIssuer::ten")]
    pub timeout_seconds: u64,
    /// Signers of the issuer's certificates; `None`: those the system trusts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca_file: Option<PathBuf>,
    #[serde(default)]
    pub local_users: LocalUsers,
    /// What the issuer calls this server. `None`: people do not sign in there by browser.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// In any password form that can be read back; `None`: a public client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<String>,
    /// What is asked for.
    #[serde(default = "OidcIssuer::openid")]
    pub scopes: Vec<String>,
    /// The text of the button; `None`: the name of the entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Origin of this server as browsers see it; `None`: that of each request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub console_url: Option<String>,
}

/// What becomes of a token whose user has the name of a user of `web.users`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LocalUsers {
    /// It is refused: the issuer decides who its users are, not who is a user of this server.
    #[default]
    Refuse,
    /// The issuer's users are those of this server.
    Accept,
}

impl OidcIssuer {
    /// Algorithms of signatures with public keys, all of which are accepted unless the configuration names some.
    pub const ALGORITHMS: [&str; 9] = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA"];

    /// With everything else by default.
    pub fn new(issuer: impl Into<String>, audiences: Vec<String>) -> Self {
        Self {
            issuer: issuer.into(),
            audiences,
            user_claim: Self::sub(),
            groups_claim: Self::groups(),
            algorithms: Self::all_algorithms(),
            clock_skew_seconds: Self::thirty(),
            refresh_seconds: Self::hour(),
            unknown_key_seconds: Self::ten(),
            timeout_seconds: Self::ten(),
            ca_file: None,
            local_users: LocalUsers::Refuse,
            client_id: None,
            client_secret: None,
            scopes: Self::openid(),
            title: None,
            console_url: None,
        }
    }

    fn openid() -> Vec<String> {
        vec!["openid".to_owned()]
    }

    fn sub() -> String {
        "sub".to_owned()
    }

    fn groups() -> String {
        "groups".to_owned()
    }

    fn all_algorithms() -> Vec<String> {
        Self::ALGORITHMS.map(str::to_owned).to_vec()
    }

    const fn thirty() -> u64 {
        30
    }

    const fn hour() -> u64 {
        3600
    }

    const fn ten() -> u64 {
        10
    }
}

/// `[identity.lockout]`: how wrong passwords slow down those who send them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Lockout {
    /// Wrong passwords of one user from one address before it waits; 0: no wait.
    pub failures: u32,
    /// The first wait. Each further wrong password doubles it.
    pub first_seconds: u64,
    pub longest_seconds: u64,
    /// Wrong passwords of one user from all addresses in ten minutes, before new addresses wait after each; 0 is without bound.
    pub user_failures: u32,
    /// Wrong passwords from one address for all users in ten minutes, before it has one try in a while; 0 is without bound.
    pub address_failures: u32,
}

impl Default for Lockout {
    fn default() -> Self {
        Self { failures: 5, first_seconds: 2, longest_seconds: 300, user_failures: 50, address_failures: 100 }
    }
}

impl Lockout {
    pub(crate) fn first(&self) -> Duration {
        Duration::from_secs(self.first_seconds)
    }

    pub(crate) fn longest(&self) -> Duration {
        Duration::from_secs(self.longest_seconds)
    }
}
