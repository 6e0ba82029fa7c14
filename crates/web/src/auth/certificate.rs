//! The subject of a TLS client certificate, in the two forms a registry may know it by.

/// What a verified client certificate says about its holder. Made once for each connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertificateIdentity {
    /// The most specific common name of the subject.
    pub common_name: Option<String>,
    /// The subject as `CN=Fred,O=IBM,C=GB`: most specific part first.
    pub distinguished_name: String,
}

/// The certificate cannot be decoded.
#[derive(Debug, thiserror::Error)]
#[error("the client certificate cannot be decoded")]
pub struct CertificateError;

impl CertificateIdentity {
    /// Reads the subject of a DER certificate whose chain the TLS layer has verified.
    ///
    /// # Errors
    /// The bytes are not an X.509 certificate, or the subject holds text that cannot be decoded.
    pub fn from_der(der: &[u8]) -> Result<Self, CertificateError> {
        let _ = der;
        todo!()
    }
}
