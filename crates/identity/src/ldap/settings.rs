//! `[ldap]`, checked once: servers, TLS, filters and maps. Every error names its key.

use std::sync::Arc;
use std::time::Duration;

use handshake::anchors::{Anchors, ServerNameCheck};
use rustls::ClientConfig;

use super::dn::Dn;
use super::filter::{CertificateFilter, FilterTemplate};
use super::id_map::{IdMap, MemberMap};
use crate::error::IdentityError;
use crate::options::{Ldap, LdapCertificateMap, LdapTls};
use crate::password::PasswordReader;

/// Longest host name.
const LONGEST_HOST: usize = 253;

pub(super) struct Settings {
    /// In the order in which they are tried.
    pub(super) servers: Vec<Server>,
    pub(super) tls: LdapTls,
    pub(super) client: Arc<ClientConfig>,
    /// Who searches; `None` searches without signing in.
    pub(super) service: Option<Service>,
    pub(super) base: String,
    pub(super) base_dn: Dn,
    pub(super) user_filter: FilterTemplate,
    pub(super) group_filter: FilterTemplate,
    pub(super) user_ids: IdMap,
    pub(super) group_ids: IdMap,
    pub(super) members: MemberMap,
    pub(super) nested_groups: bool,
    pub(super) ignore_case: bool,
    pub(super) certificates: Certificates,
    pub(super) connect_within: Duration,
    pub(super) answer_within: Duration,
    pub(super) connections: usize,
    /// How long what was found out counts.
    pub(super) counts_for: Duration,
}

pub(super) struct Server {
    pub(super) host: String,
    pub(super) port: u16,
}

pub(super) struct Service {
    pub(super) dn: String,
    pub(super) password: String,
}

/// How a certificate leads to an entry.
pub(super) enum Certificates {
    ExactDn,
    Filter(CertificateFilter),
    PrincipalCn,
    NotSupported,
}

impl Settings {
    /// `None` when no server is configured.
    ///
    /// # Errors
    /// `Option`, naming the key that cannot be used.
    pub(super) fn read(ldap: &Ldap, passwords: &PasswordReader) -> Result<Option<Self>, IdentityError> {
        let Some(host) = &ldap.host else { return Ok(None) };
        let default_port = if ldap.tls == LdapTls::Ldaps { 636 } else { 389 };
        let mut servers =
            vec![Server { host: checked_host("ldap.host", host)?, port: ldap.port.unwrap_or(default_port) }];
        for text in &ldap.failover {
            servers.push(Server::parse(text, default_port)?);
        }
        let base = ldap.base_dn.clone().unwrap_or_default();
        let base_dn = Dn::parse(&base).ok_or_else(|| {
            IdentityError::new(
                "ldap.base_dn",
                format!("'{base}' is not a distinguished name such as dc=example,dc=com"),
            )
        })?;
        let named = |key: &'static str| move |problem: String| IdentityError::new(key, problem);
        Ok(Some(Self {
            servers,
            tls: ldap.tls,
            client: client_config(ldap)?,
            service: service(ldap, passwords)?,
            base,
            base_dn,
            user_filter: FilterTemplate::parse(&ldap.user_filter).map_err(named("ldap.user_filter"))?,
            group_filter: FilterTemplate::parse(&ldap.group_filter).map_err(named("ldap.group_filter"))?,
            user_ids: IdMap::parse(&ldap.user_id_map).map_err(named("ldap.user_id_map"))?,
            group_ids: IdMap::parse(&ldap.group_id_map).map_err(named("ldap.group_id_map"))?,
            members: MemberMap::parse(&ldap.group_member_id_map).map_err(named("ldap.group_member_id_map"))?,
            nested_groups: ldap.nested_groups,
            ignore_case: ldap.ignore_case,
            certificates: certificates(ldap)?,
            connect_within: seconds("ldap.connect_timeout_seconds", ldap.connect_timeout_seconds, 300)?,
            answer_within: seconds("ldap.timeout_seconds", ldap.timeout_seconds, 300)?,
            connections: usize::try_from(ldap.connections)
                .ok()
                .filter(|connections| (1..=64).contains(connections))
                .ok_or_else(|| IdentityError::new("ldap.connections", "expected 1 to 64"))?,
            counts_for: seconds("ldap.cache_seconds", ldap.cache_seconds, 3600)?,
        }))
    }
}

impl Server {
    /// `HOST` or `HOST:PORT`.
    fn parse(text: &str, default_port: u16) -> Result<Self, IdentityError> {
        let key = "ldap.failover";
        let (host, port) = match text.rsplit_once(':') {
            None => (text, default_port),
            Some((host, port)) => {
                let port = port.parse().ok().filter(|&port| port > 0);
                (host, port.ok_or_else(|| IdentityError::new(key, format!("'{text}' is not HOST:PORT")))?)
            }
        };
        Ok(Self { host: checked_host(key, host)?, port })
    }
}

/// A name or an IPv4 address: it becomes part of a URL, and TLS checks certificates against it.
fn checked_host(key: &str, host: &str) -> Result<String, IdentityError> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
    if host.is_empty() || host.len() > LONGEST_HOST || !host.bytes().all(fits) {
        return Err(IdentityError::new(key, format!("'{host}' is not the name of a host")));
    }
    Ok(host.to_owned())
}

fn seconds(key: &str, seconds: u64, most: u64) -> Result<Duration, IdentityError> {
    if (1..=most).contains(&seconds) {
        return Ok(Duration::from_secs(seconds));
    }
    Err(IdentityError::new(key, format!("{seconds} is not a number of seconds from 1 to {most}")))
}

fn service(ldap: &Ldap, passwords: &PasswordReader) -> Result<Option<Service>, IdentityError> {
    let dn = ldap.bind_dn.clone().filter(|dn| !dn.is_empty());
    let password = ldap.bind_password.as_deref().map(|stored| passwords.decode(stored)).transpose();
    let password = password.map_err(|error| IdentityError::new("ldap.bind_password", error))?;
    match (dn, password.filter(|password| !password.is_empty())) {
        (None, None) => Ok(None),
        (Some(dn), Some(password)) => Ok(Some(Service { dn, password })),
        // A directory treats a bind with a name and without a password as anonymous.
        (Some(_), None) => {
            Err(IdentityError::new("ldap.bind_password", "it is required with ldap.bind_dn and must not be empty"))
        }
        (None, Some(_)) => Err(IdentityError::new("ldap.bind_dn", "it is required with ldap.bind_password")),
    }
}

fn certificates(ldap: &Ldap) -> Result<Certificates, IdentityError> {
    match ldap.certificate_map {
        LdapCertificateMap::ExactDn => Ok(Certificates::ExactDn),
        LdapCertificateMap::PrincipalCn => Ok(Certificates::PrincipalCn),
        LdapCertificateMap::NotSupported => Ok(Certificates::NotSupported),
        LdapCertificateMap::CertificateFilter => {
            let text = ldap.certificate_filter.as_deref().unwrap_or_default();
            let filter = CertificateFilter::parse(text);
            Ok(Certificates::Filter(filter.map_err(|problem| IdentityError::new("ldap.certificate_filter", problem))?))
        }
    }
}

/// Trusts `ca_file` alone, or without one whatever the system trusts. Names are always checked.
fn client_config(ldap: &Ldap) -> Result<Arc<ClientConfig>, IdentityError> {
    let key = "ldap.ca_file";
    let mut anchors = Anchors::default();
    match (&ldap.ca_file, ldap.tls) {
        (_, LdapTls::Off) => {}
        (Some(file), _) => {
            anchors = Anchors::from_file(file).map_err(|error| IdentityError::new(key, error))?;
        }
        (None, _) => {
            // Certificates of the system that cannot be read are passed over, as its other programs do.
            anchors.add_parsable(rustls_native_certs::load_native_certs().certs);
            if anchors.is_empty() {
                return Err(IdentityError::new(key, "it is required, because this system trusts no certificates"));
            }
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = anchors.server_verifier(Arc::clone(&provider), ServerNameCheck::Names);
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| IdentityError::new(key, error))?
        .dangerous()
        .with_custom_certificate_verifier(verifier.map_err(|error| IdentityError::new(key, error))?);
    Ok(Arc::new(builder.with_no_client_auth()))
}
