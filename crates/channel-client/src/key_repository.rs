//! A key repository that was read: personal certificates by label, and the certificates to trust. Plain data.

use std::sync::Arc;

use handshake::files::PersonalCertificate;
use rustls::pki_types::CertificateDer;

#[derive(Debug, PartialEq, Eq)]
pub struct KeyRepository {
    pub personal: Vec<Labelled>,
    /// Whose certificates are believed.
    pub signers: Vec<CertificateDer<'static>>,
}

/// A personal certificate and the label that names it.
#[derive(Debug, PartialEq, Eq)]
pub struct Labelled {
    pub label: String,
    pub certificate: Arc<PersonalCertificate>,
}

impl KeyRepository {
    /// The first certificate with this label, in whatever case: tools write labels in lower case.
    pub fn labelled(&self, label: &str) -> Option<Arc<PersonalCertificate>> {
        let found = self.personal.iter().find(|one| one.label.eq_ignore_ascii_case(label))?;
        Some(Arc::clone(&found.certificate))
    }

    /// The labels, for a sentence.
    pub fn labels(&self) -> String {
        let quoted: Vec<String> = self.personal.iter().map(|one| format!("'{}'", one.label)).collect();
        if quoted.is_empty() { "none".to_owned() } else { quoted.join(", ") }
    }
}
