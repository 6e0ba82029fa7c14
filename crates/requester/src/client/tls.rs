//! TLS to APIs: trusted authorities and the client certificate.

use std::path::Path;
use std::sync::Arc;

use handshake::anchors::{Anchors, ServerNameCheck};
use handshake::files;
use rustls::ClientConfig;

use super::TlsConfig;
use super::site::SiteError;

/// TLS 1.2 and 1.3, sessions resumed; HTTP/1.1 is spoken inside.
///
/// # Errors
/// A file that cannot be used.
pub(crate) fn config(
    ca_file: Option<&Path>,
    certificate: Option<&Path>,
    key: Option<&Path>,
) -> Result<TlsConfig, SiteError> {
    let anchors = match ca_file {
        Some(file) => Anchors::from_file(file).map_err(|error| SiteError::new("ca_file", error.to_string()))?,
        None => of_the_system(),
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let unusable = |error: rustls::Error| SiteError::new("ca_file", error.to_string());
    let verifier = anchors.server_verifier(Arc::clone(&provider), ServerNameCheck::Names).map_err(unusable)?;
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(unusable)?
        .dangerous()
        .with_custom_certificate_verifier(verifier);
    let mut config = match (certificate, key) {
        (None, None) => builder.with_no_client_auth(),
        (Some(certificate), Some(key)) => {
            let chain =
                files::certificates(certificate).map_err(|error| SiteError::new("certificate", error.to_string()))?;
            let key = files::key(key).map_err(|error| SiteError::new("key", error.to_string()))?;
            builder
                .with_client_auth_cert(chain, key)
                .map_err(|error| SiteError::new("certificate", error.to_string()))?
        }
        (Some(_), None) => return Err(SiteError::new("certificate", "key must be set as well")),
        (None, Some(_)) => return Err(SiteError::new("key", "certificate must be set as well")),
    };
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

/// If the system trusts no authority, every certificate is refused with an error.
fn of_the_system() -> Anchors {
    let mut anchors = Anchors::default();
    anchors.add_parsable(rustls_native_certs::load_native_certs().certs);
    anchors
}
