//! TLS of client channels: certificates, trusted signers, suites, resumption, and what a handshake told.
//!
//! The channel a client wants is known only after the handshake. So the handshake asks for a certificate without requiring
//! one, and `admission` holds the outcome against SSLCIPH, SSLCAUTH and SSLPEER when the channel's name arrives. A
//! configuration is made whole or not at all, so a reload with a bad file leaves the running one in place.

mod accept;
mod replay;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use handshake::anchors::Anchors;
use handshake::cipher_spec::{self, CipherSpec};
use handshake::files::FileError;
use handshake::identity::{Identity, PairFiles, PendingPair};
use handshake::served::Served;
use old_handshake::OldServer;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::CertificateDer;
use rustls::server::ServerSessionMemoryCache;
use rustls::{ServerConfig, ServerConnection};

use crate::admission::TlsFacts;

pub(crate) use self::accept::{HandshakeError, Secured};

/// TLS 1.2 sessions kept for resumption by identifier; tickets need no memory.
const SESSIONS: usize = 4096;
/// Tickets sent after a TLS 1.3 handshake. One may be used again, and each costs processor time on every connection.
const TICKETS: usize = 1;

/// PEM files, and which CipherSpecs are served beside those of rustls.
#[derive(Debug, Clone)]
pub struct TlsFiles {
    /// The server's certificate, and perhaps a second one of another family.
    pub pairs: Vec<PairFiles>,
    /// A second one whose files are still being made. Old CipherSpecs do not wait for it.
    pub pending: Option<PendingPair>,
    /// Signers of client certificates; `None` asks for no certificate.
    pub client_signers: Option<PathBuf>,
    /// Names of `handshake::cipher_spec`; others mean nothing.
    pub old_cipher_specs: Vec<String>,
}

/// Distinguished names of a certificate (DER) and of its issuer, `CN=...,O=...`; `None` when it cannot be read.
pub type NamesOf = fn(&[u8]) -> Option<(String, String)>;

/// What new TLS connections get.
#[derive(Clone)]
pub struct Tls {
    config: Arc<ServerConfig>,
    served: Arc<Served>,
    /// Ends handshakes that rustls cannot; `None` unless configured.
    old: Option<Arc<OldServer>>,
    names_of: NamesOf,
}

impl Tls {
    /// # Errors
    /// A file that cannot be read or does not fit the others.
    pub fn new(files: &TlsFiles, names_of: NamesOf) -> Result<Self, FileError> {
        let provider = Arc::new(provider());
        let first = files.pairs.first().map_or(Path::new(""), |pair| &pair.certificate);
        let problem = |error: &rustls::Error| FileError::new(first, error);
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| problem(&error))?;
        let builder = match &files.client_signers {
            Some(file) => {
                let verifier = Anchors::from_file(file)?.client_verifier(Arc::clone(&provider), false);
                builder.with_client_cert_verifier(verifier.map_err(|error| FileError::new(file, &error))?)
            }
            None => builder.with_no_client_auth(),
        };
        let identity = Identity::load(&files.pairs, files.pending.as_ref(), &provider)?;
        let families = identity.families();
        let mut config = builder.with_cert_resolver(Arc::new(identity));
        config.session_storage = ServerSessionMemoryCache::new(SESSIONS);
        config.ticketer = ring::Ticketer::new().map_err(|error| problem(&error))?;
        config.send_tls13_tickets = TICKETS;
        let wanted = files.old_cipher_specs.iter().filter_map(|name| CipherSpec::named(name));
        let old_specs: Vec<_> = wanted.filter(|one| one.is_old()).collect();
        let old = match old_specs.is_empty() {
            true => None,
            false => {
                let pairs: Vec<_> = families.iter().copied().zip(files.pairs.iter().cloned()).collect();
                Some(Arc::new(OldServer::new(&pairs, files.client_signers.as_deref(), old_specs.clone())?))
            }
        };
        Ok(Self { config: Arc::new(config), served: Arc::new(Served::new(families, old_specs)), old, names_of })
    }

    /// Why a channel with this SSLCIPH would refuse every client, and what to do; `None` when it would not.
    pub fn why_not_served(&self, cipher_specification: &str) -> Option<String> {
        self.served.why_not(cipher_specification)
    }

    /// What a handshake of rustls told; `None` before its end.
    fn facts(&self, session: &ServerConnection) -> Option<TlsFacts> {
        let cipher = CipherSpec::of_suite(session.negotiated_cipher_suite()?.suite())?;
        Some(self.facts_of(cipher, session.peer_certificates().unwrap_or_default()))
    }

    fn facts_of(&self, cipher: &CipherSpec, chain: &[CertificateDer<'_>]) -> TlsFacts {
        let (subject, issuer) = chain.first().and_then(|certificate| (self.names_of)(certificate)).unzip();
        TlsFacts { protocol: cipher.protocol, cipher: cipher.name, subject, issuer }
    }
}

/// The suites that have a CipherSpec.
fn provider() -> CryptoProvider {
    let mut provider = ring::default_provider();
    let is_named = |suite| cipher_spec::ALL.iter().any(|one| !one.is_old() && one.suite == suite);
    provider.cipher_suites.retain(|suite| is_named(suite.suite()));
    provider
}
