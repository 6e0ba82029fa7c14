//! TLS of the HTTPS listener: certificate, client certificates, protocols, resumption.
//!
//! A configuration is made whole or not at all, so a reload with a bad file leaves the running one in place.

use std::sync::Arc;

use handshake::anchors::Anchors;
use handshake::files::FileError;
use handshake::identity::Identity;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::server::ServerSessionMemoryCache;

use crate::WebError;
use crate::options::TlsOptions;
use crate::peer_certificate::Verifier;

/// TLS 1.2 sessions kept for resumption by id; tickets need no memory.
const SESSIONS: usize = 4096;

/// What a listener needs for its handshakes.
#[derive(Clone)]
pub(crate) struct Tls {
    pub(crate) config: Arc<ServerConfig>,
    /// Who judges certificates of clients in `config`.
    pub(crate) verifier: Verifier,
}

/// # Errors
/// `Option` naming the key whose file cannot be read or does not fit the others.
pub(crate) fn server_config(options: &TlsOptions) -> Result<Tls, WebError> {
    let provider = Arc::new(ring::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| problem("tls.certificate", &error))?;
    let verifier = client_verifier(options, Arc::clone(&provider))?;
    let builder = match &verifier {
        Some(verifier) => builder.with_client_cert_verifier(Arc::clone(verifier)),
        None => builder.with_no_client_auth(),
    };
    let identity = Identity::load(&options.pairs, options.pending.as_ref(), &provider)
        .map_err(|error| unusable(key_of(options, &error), &error))?;
    let mut config = builder.with_cert_resolver(Arc::new(identity));
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    config.session_storage = ServerSessionMemoryCache::new(SESSIONS);
    config.ticketer = ring::Ticketer::new().map_err(|error| problem("tls.key", &error))?;
    Ok(Tls { config: Arc::new(config), verifier })
}

/// The key that named a file.
fn key_of(options: &TlsOptions, error: &FileError) -> &'static str {
    let keys = [("tls.certificate", "tls.key"), ("tls.second_certificate", "tls.second_key")];
    let named = options.pairs.iter().zip(keys);
    let found = named.flat_map(|(pair, (certificate, key))| [(&pair.certificate, certificate), (&pair.key, key)]);
    found.into_iter().find(|(file, _)| **file == error.file).map_or("tls.certificate", |(_, key)| key)
}

fn client_verifier(options: &TlsOptions, provider: Arc<rustls::crypto::CryptoProvider>) -> Result<Verifier, WebError> {
    const KEY: &str = "tls.client_ca";
    let Some(file) = &options.client_ca else {
        if options.client_required {
            return Err(problem(KEY, &"a client certificate is required, but no signers are named"));
        }
        return Ok(None);
    };
    let signers = Anchors::from_file(file).map_err(|error| unusable(KEY, &error))?;
    let verifier = signers.client_verifier(provider, options.client_required);
    Ok(Some(verifier.map_err(|error| problem(KEY, &error))?))
}

fn unusable(key: &str, error: &FileError) -> WebError {
    problem(key, error)
}

fn problem(key: &str, problem: &dyn std::fmt::Display) -> WebError {
    WebError::Option { key: key.to_owned(), problem: problem.to_string() }
}
