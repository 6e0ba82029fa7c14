//! `[remote_queue_managers]`: how to reach queue managers of other servers.

use std::collections::BTreeMap;
use std::path::PathBuf;

use channel_client::address::ConnectionNames;
use channel_client::options::{ConnectOptions, Credentials};
use channel_client::tls::{CertificateFiles, ServerNamePolicy, TlsOptions, Trust};
use model::name::{NameError, ObjectName};
use serde::{Deserialize, Serialize};

/// `[remote_queue_managers]`, by the name that URLs of the messaging REST API and services use.
pub type RemoteQueueManagers = BTreeMap<String, RemoteQueueManager>;

/// One entry.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RemoteQueueManager {
    /// Its own name; `None`: the entry's. A blank one takes whichever queue manager is the default there.
    #[serde(default)]
    pub queue_manager: Option<String>,
    /// A server-connection channel there.
    pub channel: String,
    /// CONNAME: `host(1414)`, several with commas between them.
    pub connection_name: String,
    /// CipherSpec of the channel; with `ca_file` alone `ANY_TLS12_OR_HIGHER`. `None` of both: no TLS.
    #[serde(default)]
    pub cipher_specification: Option<String>,
    /// PEM file of signers; `None`: those the system trusts.
    #[serde(default)]
    pub ca_file: Option<PathBuf>,
    /// Name the certificate must have; `None`: the host, `any`: whatever a trusted signer signed.
    #[serde(default)]
    pub server_name: Option<String>,
    /// PEM files of a client certificate.
    #[serde(default)]
    pub certificate: Option<PathBuf>,
    #[serde(default)]
    pub key: Option<PathBuf>,
    /// User of the connections that services do not make as somebody else. Callers are told to the queue manager at each open,
    /// which this user needs alternate user authority for.
    #[serde(default)]
    pub user: Option<String>,
    #[serde(default)]
    pub password: Option<String>,
    /// Idle connections kept for services, for each user.
    #[serde(default = "default_pool_size")]
    pub max_pool_size: usize,
}

fn default_pool_size() -> usize {
    20
}

/// Without the password.
impl std::fmt::Debug for RemoteQueueManager {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RemoteQueueManager")
            .field("channel", &self.channel)
            .field("connection_name", &self.connection_name)
            .field("user", &self.user)
            .finish_non_exhaustive()
    }
}

/// Why an entry cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{key}: {problem}")]
pub struct OptionsError {
    /// `remote_queue_managers.ENTRY.KEY`.
    pub key: String,
    pub problem: String,
}

impl RemoteQueueManager {
    /// What the client end of a channel takes.
    ///
    /// # Errors
    /// A channel or connection name that is none, half a certificate.
    pub fn connect_options(&self, entry: &str) -> Result<ConnectOptions, OptionsError> {
        let wrong =
            |key: &str, problem: String| OptionsError { key: format!("remote_queue_managers.{entry}.{key}"), problem };
        let channel = ObjectName::parse_within(&self.channel, 20);
        let channel = channel.map_err(|error: NameError| wrong("channel", error.to_string()))?;
        let connections: ConnectionNames = self
            .connection_name
            .parse()
            .map_err(|error: channel_client::address::AddressError| wrong("connection_name", error.to_string()))?;
        let mut options = ConnectOptions::new(channel, connections);
        options.queue_manager = self.queue_manager.clone().unwrap_or_else(|| entry.to_owned());
        options.tls = self.tls().map_err(|(key, problem)| wrong(key, problem))?;
        if self.password.is_some() && self.user.is_none() {
            return Err(wrong("password", "it needs a user".to_owned()));
        }
        options.credentials =
            self.user.clone().zip(self.password.clone()).map(|(user, password)| Credentials { user, password });
        options.asserted_user = self.user.clone().unwrap_or_default();
        Ok(options)
    }

    fn tls(&self) -> Result<Option<TlsOptions>, (&'static str, String)> {
        let certificate = match (&self.certificate, &self.key) {
            (Some(certificate), Some(key)) => {
                Some(CertificateFiles { certificate: certificate.clone(), key: key.clone() })
            }
            (None, None) => None,
            (Some(_), None) => return Err(("key", "a certificate needs its key".to_owned())),
            (None, Some(_)) => return Err(("certificate", "a key needs its certificate".to_owned())),
        };
        if self.cipher_specification.is_none() && self.ca_file.is_none() {
            let unused = certificate.is_some() || self.server_name.is_some();
            return if unused { Err(("cipher_specification", "it is required for TLS".to_owned())) } else { Ok(None) };
        }
        let trust = self.ca_file.clone().map_or(Trust::System, Trust::CaFile);
        let mut tls = TlsOptions::trusting(trust);
        if let Some(cipher) = &self.cipher_specification {
            tls.cipher_specification.clone_from(cipher);
        }
        tls.server_name = match self.server_name.as_deref() {
            None => ServerNamePolicy::Host,
            Some("any") => ServerNamePolicy::Any,
            Some(name) => ServerNamePolicy::Named(name.to_owned()),
        };
        tls.certificate = certificate.map(Into::into);
        Ok(Some(tls))
    }
}
