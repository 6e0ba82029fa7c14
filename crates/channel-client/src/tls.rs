//! The TLS side of a channel: whom to believe, which certificate to show, which suites to allow.
//!
//! Made once for all connections of a `Client`, so that later handshakes resume earlier sessions.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;

use handshake::anchors::{Anchors, ServerNameCheck};
use handshake::files::{self, FileError};
use rustls::ClientConfig;
use rustls::client::Resumption;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::ServerName;

use crate::any_certificate::AnyCertificate;
use crate::cipher::{CipherError, CipherSpecification};

/// Resumable sessions kept in memory, of all servers together.
const SESSIONS: usize = 256;

/// What a channel with TLS wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsOptions {
    /// A CipherSpec's name.
    pub cipher_specification: String,
    pub trust: Trust,
    pub server_name: ServerNamePolicy,
    pub certificate: Option<CertificateFiles>,
    /// Whether a new connection may resume the session of an earlier one.
    pub resume: bool,
}

impl TlsOptions {
    /// TLS 1.2 or higher with these signers, the certificate naming the host.
    pub fn trusting(trust: Trust) -> Self {
        Self {
            cipher_specification: "ANY_TLS12_OR_HIGHER".to_owned(),
            trust,
            server_name: ServerNamePolicy::Host,
            certificate: None,
            resume: true,
        }
    }
}

/// Whose certificates are believed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    /// The signers the system trusts.
    System,
    /// Those in this PEM file.
    CaFile(PathBuf),
    /// Anybody. For measurements and tests: loopback addresses only.
    Anybody,
}

/// What the certificate must say about the server.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ServerNamePolicy {
    /// The host of the connection name is among its names.
    #[default]
    Host,
    /// This name is among its names.
    Named(String),
    /// Nothing: a trusted signer is enough, as it is for IBM's clients.
    Any,
}

/// PEM files of a client certificate with its chain, and of its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertificateFiles {
    pub certificate: PathBuf,
    pub key: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error(transparent)]
    Cipher(#[from] CipherError),
    #[error("cannot use {0}")]
    File(#[from] FileError),
    #[error("the system has no trusted signers: name a file of certificates")]
    NoSigners,
    #[error("'{name}' is not a name that a certificate can have")]
    Name { name: String },
    #[error("{host} is not a loopback address: name a file of certificates to trust")]
    NotLoopback { host: String },
    #[error("TLS cannot be set up")]
    Setup(#[source] rustls::Error),
}

/// Ready to connect, shared by all connections.
#[derive(Debug, Clone)]
pub(crate) struct TlsClient {
    pub(crate) config: Arc<ClientConfig>,
    options: TlsOptions,
}

impl TlsClient {
    pub(crate) fn new(options: &TlsOptions) -> Result<Self, TlsError> {
        let specification = CipherSpecification::named(&options.cipher_specification)?;
        let provider = Arc::new(specification.provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(&specification.versions)
            .map_err(TlsError::Setup)?
            .dangerous()
            .with_custom_certificate_verifier(verifier(options, provider)?);
        let mut config = match &options.certificate {
            None => builder.with_no_client_auth(),
            Some(own) => {
                let chain = files::certificates(&own.certificate)?;
                builder.with_client_auth_cert(chain, files::key(&own.key)?).map_err(TlsError::Setup)?
            }
        };
        config.resumption = match options.resume {
            true => Resumption::in_memory_sessions(SESSIONS),
            false => Resumption::disabled(),
        };
        Ok(Self { config: Arc::new(config), options: options.clone() })
    }

    /// The name to ask for and to check, on the way to `host`.
    pub(crate) fn server_name(&self, host: &str) -> Result<ServerName<'static>, TlsError> {
        if self.options.trust == Trust::Anybody && !is_loopback(host) {
            return Err(TlsError::NotLoopback { host: host.to_owned() });
        }
        let name = match &self.options.server_name {
            ServerNamePolicy::Named(name) => name,
            ServerNamePolicy::Host | ServerNamePolicy::Any => host,
        };
        ServerName::try_from(name.to_owned()).map_err(|_| TlsError::Name { name: name.to_owned() })
    }
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn verifier(options: &TlsOptions, provider: Arc<CryptoProvider>) -> Result<Arc<dyn ServerCertVerifier>, TlsError> {
    let signers = match &options.trust {
        Trust::Anybody => return Ok(Arc::new(AnyCertificate::new(provider))),
        Trust::CaFile(file) => Anchors::from_file(file)?,
        Trust::System => system_signers()?,
    };
    let check = match options.server_name {
        ServerNamePolicy::Any => ServerNameCheck::Anything,
        ServerNamePolicy::Host | ServerNamePolicy::Named(_) => ServerNameCheck::Names,
    };
    signers.server_verifier(provider, check).map_err(TlsError::Setup)
}

fn system_signers() -> Result<Anchors, TlsError> {
    let mut anchors = Anchors::default();
    anchors.add_parsable(rustls_native_certs::load_native_certs().certs);
    if anchors.is_empty() { Err(TlsError::NoSigners) } else { Ok(anchors) }
}
