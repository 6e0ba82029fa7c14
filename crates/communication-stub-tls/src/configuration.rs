//! The client's side of TLS: trusted signers and client certificate, read from PEM files once and kept while they are the same.

use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

use rustls::client::Resumption;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};

/// Files of which a configuration was made.
#[derive(PartialEq, Eq, Clone)]
struct Files {
    signers: Option<String>,
    client: Option<(String, String)>,
}

struct Kept {
    files: Files,
    configuration: Arc<ClientConfig>,
}

/// The last configuration. Whoever swaps it out owns it; there is no lock that a fork could leave held.
static LAST: AtomicPtr<Kept> = AtomicPtr::new(std::ptr::null_mut());

/// # Errors
/// A file that cannot be read or used.
pub(crate) fn of_files(signers: Option<&str>, client: Option<(&str, &str)>) -> Result<Arc<ClientConfig>, String> {
    let files = Files {
        signers: signers.map(str::to_owned),
        client: client.map(|(certificate, key)| (certificate.to_owned(), key.to_owned())),
    };
    let kept = match take().filter(|kept| kept.files == files) {
        Some(kept) => kept,
        None => Box::new(Kept { configuration: Arc::new(read(&files)?), files }),
    };
    let configuration = Arc::clone(&kept.configuration);
    keep(kept);
    Ok(configuration)
}

fn read(files: &Files) -> Result<ClientConfig, String> {
    let versions = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    let builder = versions.with_root_certificates(roots(files.signers.as_deref())?);
    let mut configuration = match &files.client {
        None => builder.with_no_client_auth(),
        Some((certificate, key)) => {
            let private = PrivateKeyDer::from_pem_file(key).map_err(|error| format!("{key}: {error}"))?;
            builder
                .with_client_auth_cert(certificates(certificate)?, private)
                .map_err(|error| format!("{certificate}: {error}"))?
        }
    };
    configuration.resumption = Resumption::disabled();
    Ok(configuration)
}

fn roots(signers: Option<&str>) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    match signers {
        Some(file) => {
            for certificate in certificates(file)? {
                roots.add(certificate).map_err(|error| format!("{file}: {error}"))?;
            }
        }
        None => {
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
    }
    if roots.is_empty() {
        return Err(format!("{}: no certificate of a signer", signers.unwrap_or("the system's")));
    }
    Ok(roots)
}

fn certificates(file: &str) -> Result<Vec<CertificateDer<'static>>, String> {
    let read = CertificateDer::pem_file_iter(file).and_then(Iterator::collect);
    read.map_err(|error| format!("{file}: {error}"))
}

fn take() -> Option<Box<Kept>> {
    let address = LAST.swap(std::ptr::null_mut(), Ordering::AcqRel);
    // SAFETY: only `keep` stores addresses, each of a box, and this swap took it out for us alone.
    (!address.is_null()).then(|| unsafe { Box::from_raw(address) })
}

fn keep(kept: Box<Kept>) {
    let before = LAST.swap(Box::into_raw(kept), Ordering::AcqRel);
    // SAFETY: as in `take`: what was kept meanwhile is ours now.
    drop((!before.is_null()).then(|| unsafe { Box::from_raw(before) }));
}
