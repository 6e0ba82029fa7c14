//! What a TLS client certificate says about its holder, in the forms registries may know it by.
//!
//! The TLS layer has verified the chain before anything here is asked.

use handshake::certificate_name::{self, TextError};
use x509_parser::prelude::{FromDer, X509Certificate};

/// Longest certificate that is looked at, in bytes.
const MAXIMUM_BYTES: usize = 64 << 10;
/// Longest serial number, in bytes; some issuers go beyond the 20 that are allowed.
const LONGEST_SERIAL_NUMBER: usize = 64;

/// What a verified client certificate says about its holder. Made once for each connection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CertificateIdentity {
    /// The most specific common name of the subject.
    pub common_name: Option<String>,
    /// The subject as `CN=Fred,O=IBM,C=GB`: most specific part first.
    pub distinguished_name: String,
    /// Types (`CN`, `OU`) and values of the subject, most specific part first.
    pub subject: Vec<(String, String)>,
    /// The issuer, as `distinguished_name`.
    pub issuer_name: String,
    /// Types and values of the issuer.
    pub issuer: Vec<(String, String)>,
    /// Decimal.
    pub serial_number: String,
}

/// The certificate cannot be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the client certificate cannot be decoded")]
pub struct CertificateError;

impl From<TextError> for CertificateError {
    fn from(_: TextError) -> Self {
        Self
    }
}

impl CertificateIdentity {
    /// Reads the subject of a DER certificate whose chain the TLS layer has verified.
    ///
    /// # Errors
    /// The bytes are not an X.509 certificate, or the subject holds text that cannot be decoded.
    pub fn from_der(der: &[u8]) -> Result<Self, CertificateError> {
        if der.len() > MAXIMUM_BYTES {
            return Err(CertificateError);
        }
        let (_, certificate) = X509Certificate::from_der(der).map_err(|_| CertificateError)?;
        let (subject, issuer) = (certificate.subject(), certificate.issuer());
        // RFC 5280, 4.1.2.2: at most 20 bytes.
        if certificate.raw_serial().len() > LONGEST_SERIAL_NUMBER {
            return Err(CertificateError);
        }
        Ok(Self {
            common_name: subject.iter_common_name().last().map(certificate_name::text_of).transpose()?,
            distinguished_name: certificate_name::distinguished_name(subject)?,
            subject: certificate_name::parts(subject)?,
            issuer_name: certificate_name::distinguished_name(issuer)?,
            issuer: certificate_name::parts(issuer)?,
            serial_number: certificate.tbs_certificate.serial.to_string(),
        })
    }
}

#[cfg(test)]
mod tests;
