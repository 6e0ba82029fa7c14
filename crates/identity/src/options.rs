//! What the configuration says of users: its `[web]`, `[ldap]` and `[ltpa]` tables are these.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Everything of one start or reload that concerns users.
#[derive(Debug, Clone, Copy)]
pub struct Identities<'a> {
    pub web: &'a Web,
    pub ldap: &'a Ldap,
    pub ltpa: &'a Ltpa,
    pub lockout: &'a Lockout,
    /// Name of the user the server runs as.
    pub server_user: &'a str,
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
