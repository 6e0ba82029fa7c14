//! PEM files of certificates and keys, and what is read of them.

use std::path::{Path, PathBuf};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// A PEM file cannot be used.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{}: {problem}", file.display())]
pub struct FileError {
    pub file: PathBuf,
    pub problem: String,
}

impl FileError {
    pub fn new(file: &Path, problem: &dyn std::fmt::Display) -> Self {
        Self { file: file.to_owned(), problem: problem.to_string() }
    }
}

/// A certificate, its issuers, and its key.
#[derive(Debug, PartialEq, Eq)]
pub struct PersonalCertificate {
    pub chain: Vec<CertificateDer<'static>>,
    pub key: PrivateKeyDer<'static>,
}

impl PersonalCertificate {
    /// # Errors
    /// As `certificates` and `key`.
    pub fn read(certificate: &Path, key_file: &Path) -> Result<Self, FileError> {
        Ok(Self { chain: certificates(certificate)?, key: key(key_file)? })
    }
}

/// All certificates of a file, at least one, in their order.
///
/// # Errors
/// The file cannot be read, is not PEM, or holds no certificate.
pub fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, FileError> {
    let read = CertificateDer::pem_file_iter(file).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let all = read.map_err(|error| FileError::new(file, &format_args!("it cannot be read: {error}")))?;
    if all.is_empty() { Err(FileError::new(file, &"it holds no certificate")) } else { Ok(all) }
}

/// The first private key of a file.
///
/// # Errors
/// The file cannot be read, is not PEM, or holds no private key without a password.
pub fn key(file: &Path) -> Result<PrivateKeyDer<'static>, FileError> {
    PrivateKeyDer::from_pem_file(file)
        .map_err(|error| FileError::new(file, &format_args!("it cannot be read: {error}")))
}
