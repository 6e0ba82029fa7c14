//! TLS of a channel: trusted authorities, the client's certificate, allowed suites.
//!
//! Made once for all connections of a `Client`, so that later handshakes resume earlier sessions.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;

use handshake::anchors::{Anchors, ServerNameCheck};
use handshake::any_certificate::AnyCertificate;
use handshake::certificate_name::subject_of;
use handshake::files::{self, FileError, PersonalCertificate};
use model::distinguished_name::{fits, is_filter};
use old_handshake::{OldClient, OldError};
use rustls::ClientConfig;
use rustls::client::Resumption;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, ServerName};

use crate::cipher::{CipherError, CipherSpecification};
use crate::key_repository::KeyRepository;

/// Resumable sessions kept in memory, of all servers together.
const SESSIONS: usize = 256;

/// What a channel with TLS wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsOptions {
    /// A CipherSpec's name.
    pub cipher_specification: String,
    pub trust: Trust,
    pub server_name: ServerNamePolicy,
    pub certificate: Option<OwnCertificate>,
    /// SSLPEER: what the subject of the server's certificate has to match; blank for nothing.
    pub peer_name: String,
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
            peer_name: String::new(),
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
    /// The signers of this key repository. Labels of channels name its personal certificates.
    Repository(Arc<KeyRepository>),
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

/// What the client shows when the server asks for a certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OwnCertificate {
    Files(CertificateFiles),
    Read(Arc<PersonalCertificate>),
}

impl From<CertificateFiles> for OwnCertificate {
    fn from(files: CertificateFiles) -> Self {
        Self::Files(files)
    }
}

impl OwnCertificate {
    /// The certificate of a repository that a label names.
    ///
    /// # Errors
    /// There is none.
    pub fn of(repository: &KeyRepository, label: &str) -> Result<Self, TlsError> {
        let labels = || TlsError::Label { label: label.to_owned(), labels: repository.labels() };
        repository.labelled(label).map(Self::Read).ok_or_else(labels)
    }

    fn read(&self) -> Result<Arc<PersonalCertificate>, FileError> {
        match self {
            Self::Files(files) => Ok(Arc::new(PersonalCertificate::read(&files.certificate, &files.key)?)),
            Self::Read(certificate) => Ok(Arc::clone(certificate)),
        }
    }
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
    #[error("the CipherSpec '{name}' needs a file of certificates to trust")]
    NoFile { name: String },
    #[error("the system has no trusted signers: name a file of certificates")]
    NoSigners,
    #[error("'{name}' is not a name that a certificate can have")]
    Name { name: String },
    #[error("{host} is not a loopback address: name a file of certificates to trust")]
    NotLoopback { host: String },
    #[error("'{filter}' does not filter names of certificates: write attributes, CN=...,O=...")]
    PeerName { filter: String },
    #[error(
        "the key repository has no certificate with the label '{label}' and a key of RSA, ECDSA or Ed25519; its labels: {labels}"
    )]
    Label { label: String, labels: String },
    #[error("TLS cannot be set up")]
    Setup(#[source] rustls::Error),
    #[error("TLS cannot be set up")]
    OldSetup(#[source] OldError),
}

/// Ready to connect, shared by all connections.
#[derive(Debug, Clone)]
pub(crate) struct TlsClient {
    pub(crate) library: Library,
    options: TlsOptions,
}

/// Who speaks the CipherSpec.
#[derive(Debug, Clone)]
pub(crate) enum Library {
    Rustls(Arc<ClientConfig>),
    Old(OldClient),
}

impl TlsClient {
    pub(crate) fn new(options: &TlsOptions) -> Result<Self, TlsError> {
        if !options.peer_name.is_empty() && !is_filter(&options.peer_name) {
            return Err(TlsError::PeerName { filter: options.peer_name.clone() });
        }
        let library = match OldClient::speaks(&options.cipher_specification) {
            true => Library::Old(old(options)?),
            false => Library::Rustls(Arc::new(Self::config(options)?)),
        };
        Ok(Self { library, options: options.clone() })
    }

    fn config(options: &TlsOptions) -> Result<ClientConfig, TlsError> {
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
                let own = own.read()?;
                builder.with_client_auth_cert(own.chain.clone(), own.key.clone_key()).map_err(TlsError::Setup)?
            }
        };
        config.resumption = match options.resume {
            true => Resumption::in_memory_sessions(SESSIONS),
            false => Resumption::disabled(),
        };
        Ok(config)
    }

    /// Whether the server may have shown this certificate.
    ///
    /// # Errors
    /// Its subject, when that does not match SSLPEER.
    pub(crate) fn check_peer(&self, certificate: Option<&CertificateDer<'_>>) -> Result<(), String> {
        let filter = &self.options.peer_name;
        if filter.is_empty() {
            return Ok(());
        }
        let subject = certificate.and_then(|certificate| subject_of(certificate)).unwrap_or_default();
        if fits(filter, &subject) { Ok(()) } else { Err(subject) }
    }

    pub(crate) fn peer_name(&self) -> &str {
        &self.options.peer_name
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

/// Nothing is resumed with an old CipherSpec, whatever `options.resume` says.
fn old(options: &TlsOptions) -> Result<OldClient, TlsError> {
    let signers = match &options.trust {
        Trust::CaFile(file) => files::certificates(file)?,
        Trust::Repository(repository) => repository.signers.clone(),
        Trust::System | Trust::Anybody => {
            return Err(TlsError::NoFile { name: options.cipher_specification.clone() });
        }
    };
    let own = options.certificate.as_ref().map(OwnCertificate::read).transpose()?;
    OldClient::new(&signers, name_check(options), own.as_deref()).map_err(TlsError::OldSetup)
}

fn name_check(options: &TlsOptions) -> ServerNameCheck {
    match options.server_name {
        ServerNamePolicy::Any => ServerNameCheck::Anything,
        ServerNamePolicy::Host | ServerNamePolicy::Named(_) => ServerNameCheck::Names,
    }
}

fn verifier(options: &TlsOptions, provider: Arc<CryptoProvider>) -> Result<Arc<dyn ServerCertVerifier>, TlsError> {
    let signers = match &options.trust {
        Trust::Anybody => return Ok(Arc::new(AnyCertificate::new(provider))),
        Trust::CaFile(file) => Anchors::from_file(file)?,
        Trust::Repository(repository) => Anchors::of(repository.signers.iter().cloned()).map_err(TlsError::Setup)?,
        Trust::System => system_signers()?,
    };
    signers.server_verifier(provider, name_check(options)).map_err(TlsError::Setup)
}

fn system_signers() -> Result<Anchors, TlsError> {
    let mut anchors = Anchors::default();
    anchors.add_parsable(rustls_native_certs::load_native_certs().certs);
    if anchors.is_empty() { Err(TlsError::NoSigners) } else { Ok(anchors) }
}
