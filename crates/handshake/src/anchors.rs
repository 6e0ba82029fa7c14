//! Trust anchors, and the two verifiers that every door uses: of clients' certificates and of servers'.
//!
//! A chain is judged by rustls. Its rules refuse an authority's certificate (CA:TRUE) at the end of a chain, which is how
//! many tools make a self-signed one. Such a certificate is accepted where it is itself an anchor: whoever named it as
//! trusted meant its owner.
//!
//! Invariants
//! - An anchor that is shown as a certificate is the same bytes as the one that was trusted, not merely of the same name.
//! - Dates, purpose and critical extensions are checked of it too, and a server's name. That the peer holds its key is
//!   checked by the handshake's signature as for any other certificate.

use std::collections::HashSet;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_name;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::server::{ParsedCertificate, WebPkiClientVerifier};
use rustls::{
    CertificateError, DigitallySignedStruct, DistinguishedName, Error, OtherError, RootCertStore, SignatureScheme,
};
use sha2::{Digest, Sha256};
use x509_parser::certificate::X509Certificate;
use x509_parser::extensions::{ExtendedKeyUsage, ParsedExtension};
use x509_parser::prelude::FromDer;

use crate::files::{self, FileError};

/// Certificates that are believed, and whose signatures are.
#[derive(Debug, Clone)]
pub struct Anchors {
    roots: RootCertStore,
    /// SHA-256 of each certificate.
    exact: HashSet<[u8; 32]>,
}

impl Default for Anchors {
    fn default() -> Self {
        Self { roots: RootCertStore::empty(), exact: HashSet::new() }
    }
}

impl Anchors {
    /// # Errors
    /// The file cannot be read, holds no certificate, or one that cannot be parsed.
    pub fn from_file(file: &Path) -> Result<Self, FileError> {
        Self::of(files::certificates(file)?).map_err(|error| FileError::new(file, &error))
    }

    /// # Errors
    /// One cannot be parsed.
    pub fn of(certificates: impl IntoIterator<Item = CertificateDer<'static>>) -> Result<Self, Error> {
        let mut anchors = Self::default();
        for certificate in certificates {
            anchors.add(certificate)?;
        }
        Ok(anchors)
    }

    /// # Errors
    /// It cannot be parsed.
    pub fn add(&mut self, certificate: CertificateDer<'static>) -> Result<(), Error> {
        let hash = hash(&certificate);
        self.roots.add(certificate)?;
        self.exact.insert(hash);
        Ok(())
    }

    /// Adds those that can be parsed: a system's collection may hold others.
    pub fn add_parsable(&mut self, certificates: impl IntoIterator<Item = CertificateDer<'static>>) {
        for certificate in certificates {
            // One that nobody can read vouches for nobody.
            let _ = self.add(certificate);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.roots.is_empty()
    }

    /// Judges certificates of clients; without `required`, a client may show none.
    ///
    /// # Errors
    /// There are no anchors.
    pub fn client_verifier(
        self,
        provider: Arc<CryptoProvider>,
        required: bool,
    ) -> Result<Arc<dyn ClientCertVerifier>, Error> {
        let builder = WebPkiClientVerifier::builder_with_provider(Arc::new(self.roots), provider);
        let builder = if required { builder } else { builder.allow_unauthenticated() };
        let chain = builder.build().map_err(|error| Error::General(error.to_string()))?;
        Ok(Arc::new(ClientVerifier { chain, exact: self.exact }))
    }

    /// Judges certificates of servers. Without anchors no certificate is good, which shows when one comes.
    ///
    /// # Errors
    /// The provider cannot verify.
    pub fn server_verifier(
        self,
        provider: Arc<CryptoProvider>,
        name: ServerNameCheck,
    ) -> Result<Arc<dyn ServerCertVerifier>, Error> {
        let chain = match self.roots.is_empty() {
            true => None,
            false => {
                let built =
                    WebPkiServerVerifier::builder_with_provider(Arc::new(self.roots), Arc::clone(&provider)).build();
                Some(built.map_err(|error| Error::General(error.to_string()))?)
            }
        };
        Ok(Arc::new(ServerVerifier { chain, exact: self.exact, name, provider }))
    }
}

/// Whether a server's certificate has to name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerNameCheck {
    Names,
    /// A trusted signer is enough, as it is for IBM's clients.
    Anything,
}

#[derive(Debug)]
struct ClientVerifier {
    chain: Arc<dyn ClientCertVerifier>,
    exact: HashSet<[u8; 32]>,
}

impl ClientCertVerifier for ClientVerifier {
    fn offer_client_auth(&self) -> bool {
        self.chain.offer_client_auth()
    }

    fn client_auth_mandatory(&self) -> bool {
        self.chain.client_auth_mandatory()
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        self.chain.root_hint_subjects()
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        let result = self.chain.verify_client_cert(end_entity, intermediates, now);
        result.or_else(|refused| {
            let may = |usage: &ExtendedKeyUsage<'_>| usage.client_auth;
            as_anchor(end_entity, &self.exact, now, may, refused).map(|()| ClientCertVerified::assertion())
        })
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.chain.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.chain.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.chain.supported_verify_schemes()
    }
}

#[derive(Debug)]
struct ServerVerifier {
    /// `None`: there are no anchors.
    chain: Option<Arc<WebPkiServerVerifier>>,
    exact: HashSet<[u8; 32]>,
    name: ServerNameCheck,
    provider: Arc<CryptoProvider>,
}

impl ServerVerifier {
    fn judge(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<(), Error> {
        let Some(chain) = &self.chain else { return Err(CertificateError::UnknownIssuer.into()) };
        let result = chain.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        result.map(|_| ()).or_else(|refused| {
            let may = |usage: &ExtendedKeyUsage<'_>| usage.server_auth;
            as_anchor(end_entity, &self.exact, now, may, refused)?;
            verify_server_name(&ParsedCertificate::try_from(end_entity)?, server_name)
        })
    }
}

impl ServerCertVerifier for ServerVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match self.judge(end_entity, intermediates, server_name, ocsp_response, now) {
            // The name is looked at last: a wrong one means that all the rest is well.
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if self.name == ServerNameCheck::Anything => Ok(ServerCertVerified::assertion()),
            result => result.map(|()| ServerCertVerified::assertion()),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

/// An authority's certificate that stands at the end of a chain, and is not trusted itself.
struct AuthorityShown;

const AUTHORITY_SHOWN: &str = "the certificate is an authority's (CA:TRUE) and is not itself among the trusted ones: trust \
                               exactly this certificate, or use one with CA:FALSE";

impl fmt::Display for AuthorityShown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(AUTHORITY_SHOWN)
    }
}

// rustls prints it so.
impl fmt::Debug for AuthorityShown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(AUTHORITY_SHOWN)
    }
}

impl std::error::Error for AuthorityShown {}

/// Judges a certificate that a chain's rules have `refused` as an anchor that is shown itself.
///
/// # Errors
/// `refused` where it is no anchor, with what to do where it is an authority's; otherwise what is wrong with the anchor.
fn as_anchor(
    certificate: &CertificateDer<'_>,
    exact: &HashSet<[u8; 32]>,
    now: UnixTime,
    may: impl Fn(&ExtendedKeyUsage<'_>) -> bool,
    refused: Error,
) -> Result<(), Error> {
    let Ok((_, parsed)) = X509Certificate::from_der(certificate) else { return Err(refused) };
    if !exact.contains(&hash(certificate)) {
        let told = || Error::from(CertificateError::Other(OtherError(Arc::new(AuthorityShown))));
        return Err(if parsed.is_ca() { told() } else { refused });
    }
    let seconds = i64::try_from(now.as_secs()).unwrap_or(i64::MAX);
    let validity = parsed.validity();
    if seconds < validity.not_before.timestamp() {
        return Err(CertificateError::NotValidYet.into());
    }
    if seconds > validity.not_after.timestamp() {
        return Err(CertificateError::Expired.into());
    }
    let usage = parsed.extended_key_usage().map_err(|_| CertificateError::BadEncoding)?;
    if usage.is_some_and(|usage| !usage.value.any && !may(usage.value)) {
        return Err(CertificateError::InvalidPurpose.into());
    }
    let unknown = |parsed: &ParsedExtension<'_>| {
        matches!(parsed, ParsedExtension::UnsupportedExtension { .. } | ParsedExtension::ParseError { .. })
    };
    if parsed.extensions().iter().any(|extension| extension.critical && unknown(extension.parsed_extension())) {
        return Err(CertificateError::UnhandledCriticalExtension.into());
    }
    Ok(())
}

fn hash(certificate: &CertificateDer<'_>) -> [u8; 32] {
    Sha256::digest(certificate.as_ref()).into()
}
