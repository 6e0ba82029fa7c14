//! TLS of client channels: certificate, trusted signers, suites, resumption, and what a handshake told.
//!
//! The channel a client wants is known only after the handshake. So the handshake asks for a certificate without requiring
//! one, and `admission` holds the outcome against SSLCIPH, SSLCAUTH and SSLPEER when the channel's name arrives. A
//! configuration is made whole or not at all, so a reload with a bad file leaves the running one in place.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use handshake::anchors::Anchors;
use handshake::files::{self, FileError};
use rustls::crypto::{CryptoProvider, ring};
use rustls::server::ServerSessionMemoryCache;
use rustls::{ServerConfig, ServerConnection};

use crate::admission::TlsFacts;
use crate::cipher;

/// TLS 1.2 sessions kept for resumption by identifier; tickets need no memory.
const SESSIONS: usize = 4096;
/// Tickets sent after a TLS 1.3 handshake. One may be used again, and each costs processor time on every connection.
const TICKETS: usize = 1;

/// PEM files.
#[derive(Debug, Clone)]
pub struct TlsFiles {
    /// The server's certificate, then its issuers.
    pub certificate: PathBuf,
    pub key: PathBuf,
    /// Signers of client certificates; `None` asks for no certificate.
    pub client_signers: Option<PathBuf>,
}

/// Distinguished names of a certificate (DER) and of its issuer, `CN=...,O=...`; `None` when it cannot be read.
pub type NamesOf = fn(&[u8]) -> Option<(String, String)>;

/// What new TLS connections get.
#[derive(Clone)]
pub struct Tls {
    pub(crate) config: Arc<ServerConfig>,
    names_of: NamesOf,
}

impl Tls {
    /// # Errors
    /// A file that cannot be read or does not fit the others.
    pub fn new(files: &TlsFiles, names_of: NamesOf) -> Result<Self, FileError> {
        let provider = Arc::new(provider());
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| problem(&files.certificate, &error))?;
        let builder = match &files.client_signers {
            Some(file) => {
                let verifier = Anchors::from_file(file)?.client_verifier(provider, false);
                builder.with_client_cert_verifier(verifier.map_err(|error| problem(file, &error))?)
            }
            None => builder.with_no_client_auth(),
        };
        let key = files::key(&files.key)?;
        let chain = files::certificates(&files.certificate)?;
        let mut config = builder.with_single_cert(chain, key).map_err(|error| problem(&files.key, &error))?;
        config.session_storage = ServerSessionMemoryCache::new(SESSIONS);
        config.ticketer = ring::Ticketer::new().map_err(|error| problem(&files.key, &error))?;
        config.send_tls13_tickets = TICKETS;
        Ok(Self { config: Arc::new(config), names_of })
    }

    /// What a handshake told; `None` before its end.
    pub(crate) fn facts(&self, session: &ServerConnection) -> Option<TlsFacts> {
        let (protocol, cipher) = cipher::names(session.negotiated_cipher_suite()?.suite())?;
        let certificate = session.peer_certificates().and_then(<[_]>::first);
        let (subject, issuer) = certificate.and_then(|certificate| (self.names_of)(certificate)).unzip();
        Some(TlsFacts { protocol, cipher, subject, issuer })
    }
}

/// The suites that have a CipherSpec; see `cipher.rs`.
fn provider() -> CryptoProvider {
    let mut provider = ring::default_provider();
    provider.cipher_suites.retain(|suite| cipher::is_spoken(suite.suite()));
    provider
}

fn problem(file: &Path, problem: &dyn std::fmt::Display) -> FileError {
    FileError::new(file, problem)
}
