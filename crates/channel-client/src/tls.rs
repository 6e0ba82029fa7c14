//! The TLS side of a channel: whom to believe, which certificate to show, which suites to allow.
//!
//! Made once for all connections of a `Client`, so that later handshakes resume earlier sessions.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{Resumption, WebPkiServerVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};

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
    #[error("cannot use {file}: {problem}")]
    File { file: String, problem: String },
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
            Some(files) => {
                let key = PrivateKeyDer::from_pem_file(&files.key)
                    .map_err(|error| unusable(&files.key, &error.to_string()))?;
                builder.with_client_auth_cert(certificates(&files.certificate)?, key).map_err(TlsError::Setup)?
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
        Trust::CaFile(file) => signers(file)?,
        Trust::System => system_signers()?,
    };
    let chain = WebPkiServerVerifier::builder_with_provider(Arc::new(signers), provider)
        .build()
        .map_err(|error| TlsError::Setup(rustls::Error::General(error.to_string())))?;
    Ok(match options.server_name {
        ServerNamePolicy::Any => Arc::new(ChainOnly(chain)),
        ServerNamePolicy::Host | ServerNamePolicy::Named(_) => chain,
    })
}

fn signers(file: &Path) -> Result<RootCertStore, TlsError> {
    let mut store = RootCertStore::empty();
    for certificate in certificates(file)? {
        store.add(certificate).map_err(|error| unusable(file, &error.to_string()))?;
    }
    Ok(store)
}

fn system_signers() -> Result<RootCertStore, TlsError> {
    let mut store = RootCertStore::empty();
    store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if store.is_empty() { Err(TlsError::NoSigners) } else { Ok(store) }
}

/// At least one.
fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let read = CertificateDer::pem_file_iter(file).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let read = read.map_err(|error| unusable(file, &error.to_string()))?;
    if read.is_empty() { Err(unusable(file, "it holds no certificate")) } else { Ok(read) }
}

fn unusable(file: &Path, problem: &str) -> TlsError {
    TlsError::File { file: file.display().to_string(), problem: problem.to_owned() }
}

/// Checks the chain of signers and its dates, and not what the certificate is called.
#[derive(Debug)]
struct ChainOnly(Arc<WebPkiServerVerifier>);

impl ServerCertVerifier for ChainOnly {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        // The name is looked at last: a wrong one means that all the rest is well.
        match self.0.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now) {
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            result => result,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.0.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.0.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}
