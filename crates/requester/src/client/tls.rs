//! TLS to APIs: whom to believe and which certificate to show.

use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};

use super::site::SiteError;

/// TLS 1.2 and 1.3, sessions resumed; HTTP/1.1 is spoken inside.
///
/// # Errors
/// A file that cannot be used.
pub(super) fn config(
    ca_file: Option<&Path>,
    certificate: Option<&Path>,
    key: Option<&Path>,
) -> Result<Arc<ClientConfig>, SiteError> {
    let roots = match ca_file {
        Some(file) => from_file(file)?,
        None => of_the_system(),
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| SiteError::new("ca_file", error.to_string()))?
        .with_root_certificates(roots);
    let mut config = match (certificate, key) {
        (None, None) => builder.with_no_client_auth(),
        (Some(certificate), Some(key)) => {
            let chain = certificates(certificate, "certificate")?;
            let key = PrivateKeyDer::from_pem_file(key)
                .map_err(|error| SiteError::new("key", format!("{}: {error}", key.display())))?;
            builder
                .with_client_auth_cert(chain, key)
                .map_err(|error| SiteError::new("certificate", error.to_string()))?
        }
        (Some(_), None) => return Err(SiteError::new("certificate", "key has to be given with it")),
        (None, Some(_)) => return Err(SiteError::new("key", "certificate has to be given with it")),
    };
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

fn certificates(file: &Path, key: &'static str) -> Result<Vec<CertificateDer<'static>>, SiteError> {
    let read = || CertificateDer::pem_file_iter(file)?.collect::<Result<Vec<_>, _>>();
    let told = |problem: String| SiteError::new(key, format!("{}: {problem}", file.display()));
    let all = read().map_err(|error| told(error.to_string()))?;
    if all.is_empty() { Err(told("there is no certificate in it".to_owned())) } else { Ok(all) }
}

fn from_file(file: &Path) -> Result<RootCertStore, SiteError> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(file, "ca_file")? {
        roots.add(certificate).map_err(|error| SiteError::new("ca_file", format!("{}: {error}", file.display())))?;
    }
    Ok(roots)
}

/// Where the system trusts nobody no certificate is good, which is told when one comes.
fn of_the_system() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    roots
}
