//! Certificates in PEM files for the operator: their subjects, their end, and whether a key belongs to one.

use std::path::{Path, PathBuf};

use model::timestamp::Timestamp;
use rustls::crypto::ring::sign::any_supported_type;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use time::OffsetDateTime;
use x509_parser::prelude::{FromDer, GeneralName, X509Certificate};

/// How long before its end a certificate is warned about.
pub(crate) const WARNING_DAYS: i64 = 30;

/// One certificate of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Certificate {
    pub file: PathBuf,
    pub subject: String,
    /// Seconds since 1970.
    pub begins: i64,
    pub ends: i64,
}

/// A certificate or a key cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CertificateError {
    #[error("cannot read {}: {problem}", file.display())]
    Read { file: PathBuf, problem: String },
    #[error("{} has no certificate, expected a PEM file", .0.display())]
    None(PathBuf),
    #[error("{} has no usable private key, expected a PEM file: {problem}", file.display())]
    Key { file: PathBuf, problem: String },
    #[error("{} is not the private key of the certificate in {}", key.display(), certificate.display())]
    Mismatch { certificate: PathBuf, key: PathBuf },
    #[error("the certificate of {subject} in {} ended on {day}; replace it", file.display())]
    Ended { file: PathBuf, subject: String, day: String },
    #[error("the certificate of {subject} in {} begins on {day}", file.display())]
    NotYet { file: PathBuf, subject: String, day: String },
}

impl Certificate {
    /// `2027-01-31`.
    pub(crate) fn last_day(&self) -> String {
        day(self.ends)
    }

    /// Whole days until the end; negative after it.
    pub(crate) fn days_left(&self, now: Timestamp) -> i64 {
        (self.ends - now.date_time().unix_timestamp()).div_euclid(86_400)
    }

    /// It has begun, and does not end soon.
    pub(crate) fn is_good_for_a_month(&self, now: Timestamp) -> bool {
        self.begins <= now.date_time().unix_timestamp() && self.days_left(now) >= WARNING_DAYS
    }

    /// # Errors
    /// `now` is outside the certificate's time.
    pub(crate) fn check_time(&self, now: Timestamp) -> Result<(), CertificateError> {
        let now = now.date_time().unix_timestamp();
        let (file, subject) = (self.file.clone(), self.subject.clone());
        if now > self.ends {
            return Err(CertificateError::Ended { file, subject, day: day(self.ends) });
        }
        if now < self.begins {
            return Err(CertificateError::NotYet { file, subject, day: day(self.begins) });
        }
        Ok(())
    }
}

fn day(seconds: i64) -> String {
    OffsetDateTime::from_unix_timestamp(seconds).map_or_else(|_| seconds.to_string(), |time| time.date().to_string())
}

/// The certificates of a PEM file, in the file's order.
///
/// # Errors
/// The file cannot be read, or holds something else.
pub(crate) fn read(file: &Path) -> Result<Vec<Certificate>, CertificateError> {
    chain(file)?
        .iter()
        .map(|der| {
            let unreadable =
                || CertificateError::Read { file: file.to_owned(), problem: "a certificate is damaged".to_owned() };
            let (_, certificate) = X509Certificate::from_der(der).map_err(|_| unreadable())?;
            let validity = certificate.validity();
            Ok(Certificate {
                file: file.to_owned(),
                subject: certificate.subject().to_string(),
                begins: validity.not_before.timestamp(),
                ends: validity.not_after.timestamp(),
            })
        })
        .collect()
}

/// The DNS names that an authority may sign for; `None` when it is not constrained, or cannot be read.
pub(crate) fn permitted_names(authority: &Path) -> Option<Vec<String>> {
    let chain = chain(authority).ok()?;
    let (_, certificate) = X509Certificate::from_der(chain.first()?).ok()?;
    let constraints = certificate.name_constraints().ok()??;
    let names = constraints.value.permitted_subtrees.as_ref()?.iter().filter_map(|subtree| match &subtree.base {
        GeneralName::DNSName(name) => Some((*name).to_owned()),
        _ => None,
    });
    Some(names.collect())
}

/// The certificates of `certificate`, whose first must belong to the key.
///
/// # Errors
/// A file cannot be read or used, or the key is another one's.
pub(crate) fn read_pair(certificate: &Path, key: &Path) -> Result<Vec<Certificate>, CertificateError> {
    let chain = chain(certificate)?;
    let wrong = |problem: String| CertificateError::Key { file: key.to_owned(), problem };
    let private = PrivateKeyDer::from_pem_file(key).map_err(|error| wrong(error.to_string()))?;
    let private = any_supported_type(&private).map_err(|error| wrong(error.to_string()))?;
    if CertifiedKey::new(chain, private).keys_match().is_err() {
        return Err(CertificateError::Mismatch { certificate: certificate.to_owned(), key: key.to_owned() });
    }
    read(certificate)
}

fn chain(file: &Path) -> Result<Vec<CertificateDer<'static>>, CertificateError> {
    let read = CertificateDer::pem_file_iter(file).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let chain = read.map_err(|error| CertificateError::Read { file: file.to_owned(), problem: error.to_string() })?;
    if chain.is_empty() { Err(CertificateError::None(file.to_owned())) } else { Ok(chain) }
}
