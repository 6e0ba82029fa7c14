//! Handshakes with CipherSpecs that rustls does not speak: static RSA, and AES in CBC mode.
//!
//! s2n-tls ends them, with AWS-LC beneath. Its policies are lists of suites under a name; a server here uses one whose suites
//! are all CipherSpecs of TLS 1.2, and a client one that has a single suite in common with it.
//!
//! Invariants
//! - No handshake ends with a CipherSpec that the caller has not named.
//! - Certificates are judged by the verifiers of `handshake`, after s2n-tls has found a trusted signer; names by them alone.
//! - Nothing is resumed: s2n-tls would forget the client's certificate.

mod pem;

use std::path::Path;
use std::sync::Arc;

use handshake::anchors::{Anchors, ServerNameCheck};
use handshake::cipher_spec::{CipherSpec, Family};
use handshake::files::{self, FileError, PersonalCertificate};
use handshake::identity::PairFiles;
use rustls::CipherSuite;
use rustls::client::danger::ServerCertVerifier;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::danger::ClientCertVerifier;
use s2n_tls::callbacks::VerifyHostNameCallback;
use s2n_tls::cert_chain;
use s2n_tls::config::{Builder, Config};
use s2n_tls::connection::Connection;
use s2n_tls::enums::ClientAuthType;
use s2n_tls::security::Policy;
use s2n_tls_tokio::{TlsAcceptor, TlsConnector};
use tokio::io::{AsyncRead, AsyncWrite};

pub use s2n_tls_tokio::TlsStream;

/// TLS 1.2 with ECDHE and static RSA, AES in GCM and CBC mode: no SHA-1, no 3DES.
const SERVER_POLICY: &str = "ELBSecurityPolicy-TLS-1-2-2017-01";
/// The order in which that policy prefers the suites that rustls does not speak.
const PREFERENCE: [CipherSuite; 8] = [
    CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256,
    CipherSuite::TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256,
    CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384,
    CipherSuite::TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384,
    CipherSuite::TLS_RSA_WITH_AES_128_GCM_SHA256,
    CipherSuite::TLS_RSA_WITH_AES_128_CBC_SHA256,
    CipherSuite::TLS_RSA_WITH_AES_256_GCM_SHA384,
    CipherSuite::TLS_RSA_WITH_AES_256_CBC_SHA256,
];
/// The one old CipherSpec of the client end, and a policy that has no other suite in common with `SERVER_POLICY`.
const CLIENT: (&str, &str) = ("TLS_RSA_WITH_AES_128_CBC_SHA256", "20150202");
/// A failed handshake is answered after a third of this time to all of it, in seconds, so that its timing says nothing.
const BLINDING: u32 = 6;

/// A handshake that failed.
#[derive(Debug, thiserror::Error)]
pub enum OldError {
    #[error(transparent)]
    Handshake(#[from] s2n_tls::error::Error),
    #[error(transparent)]
    Certificate(#[from] rustls::Error),
    #[error("{0} was negotiated, which is not configured")]
    Negotiated(String),
}

/// What a handshake found out.
#[derive(Debug)]
pub struct Told {
    pub cipher: &'static CipherSpec,
    /// The peer's certificate, then its issuers; none when it showed none.
    pub chain: Vec<CertificateDer<'static>>,
}

/// The server's end.
#[derive(Clone)]
pub struct OldServer {
    acceptor: TlsAcceptor<Config>,
    families: Vec<Family>,
    ciphers: Vec<&'static CipherSpec>,
    verifier: Option<Arc<dyn ClientCertVerifier>>,
}

impl OldServer {
    /// Serves `ciphers` with the certificates of `pairs`; signers of clients' certificates are asked for none when absent.
    ///
    /// # Errors
    /// A file cannot be used.
    pub fn new(
        pairs: &[(Family, PairFiles)],
        client_signers: Option<&Path>,
        ciphers: Vec<&'static CipherSpec>,
    ) -> Result<Self, FileError> {
        let first = &pairs.first().ok_or_else(|| FileError::new(Path::new("tls"), &"there is no certificate"))?.1;
        let mut builder = builder(SERVER_POLICY).map_err(|error| FileError::new(&first.certificate, &error))?;
        for (_, pair) in pairs {
            let read = PersonalCertificate::read(&pair.certificate, &pair.key)?;
            show(&mut builder, &read).map_err(|error| FileError::new(&pair.key, &error))?;
        }
        let verifier = match client_signers {
            None => None,
            Some(file) => {
                trust(&mut builder, &files::certificates(file)?).map_err(|error| FileError::new(file, &error))?;
                let asked = builder.set_client_auth_type(ClientAuthType::Optional);
                asked.map_err(|error| FileError::new(file, &error))?;
                let provider = Arc::new(rustls::crypto::ring::default_provider());
                let verifier = Anchors::from_file(file)?.client_verifier(provider, false);
                Some(verifier.map_err(|error| FileError::new(file, &error))?)
            }
        };
        let config = builder.build().map_err(|error| FileError::new(&first.certificate, &error))?;
        let families = pairs.iter().map(|(family, _)| *family).collect();
        Ok(Self { acceptor: TlsAcceptor::new(config), families, ciphers, verifier })
    }

    /// The CipherSpec that a handshake with a client that offers these suites would end with, if it is a configured one.
    pub fn choose(&self, offered: &[CipherSuite]) -> Option<&'static CipherSpec> {
        let fits = |one: &&CipherSpec| offered.contains(&one.suite) && self.families.contains(&one.family);
        let chosen = PREFERENCE.iter().filter_map(|suite| CipherSpec::of_suite(*suite)).find(fits)?;
        self.ciphers.contains(&chosen).then_some(chosen)
    }

    /// # Errors
    /// The handshake fails, the client's certificate is not good, or another CipherSpec was negotiated.
    pub async fn accept<S>(&self, stream: S) -> Result<(TlsStream<S>, Told), OldError>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let stream = self.acceptor.accept(stream).await?;
        let connection: &Connection = stream.as_ref();
        let cipher = negotiated(connection, &self.ciphers)?;
        let chain = if connection.client_cert_used() { chain(connection)? } else { Vec::new() };
        if let (Some(verifier), Some((own, issuers))) = (&self.verifier, chain.split_first()) {
            verifier.verify_client_cert(own, issuers, UnixTime::now())?;
        }
        Ok((stream, Told { cipher, chain }))
    }
}

/// The client's end.
#[derive(Clone)]
pub struct OldClient {
    connector: TlsConnector<Config>,
    cipher: &'static CipherSpec,
    verifier: Arc<dyn ServerCertVerifier>,
}

impl OldClient {
    /// Whether this end speaks an old CipherSpec.
    pub fn speaks(name: &str) -> bool {
        name == CLIENT.0
    }

    /// Speaks the CipherSpec of [`OldClient::speaks`] with servers whose signers are in `signers`, and shows `own`.
    ///
    /// # Errors
    /// A certificate cannot be parsed, or the key is not that of the certificate.
    pub fn new(
        signers: &[CertificateDer<'static>],
        check: ServerNameCheck,
        own: Option<&PersonalCertificate>,
    ) -> Result<Self, OldError> {
        let cipher = CipherSpec::named(CLIENT.0).ok_or_else(|| OldError::Negotiated(CLIENT.0.to_owned()))?;
        let mut builder = builder(CLIENT.1)?;
        trust(&mut builder, signers)?;
        if let Some(own) = own {
            show(&mut builder, own)?;
            builder.set_client_auth_type(ClientAuthType::Optional)?;
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let verifier = Anchors::of(signers.iter().cloned())?.server_verifier(provider, check)?;
        Ok(Self { connector: TlsConnector::new(builder.build()?), cipher, verifier })
    }

    /// The stream, and the server's certificate.
    ///
    /// # Errors
    /// The handshake fails, the server's certificate is not good, or another CipherSpec was negotiated.
    pub async fn connect<S>(
        &self,
        name: &ServerName<'_>,
        stream: S,
    ) -> Result<(TlsStream<S>, CertificateDer<'static>), OldError>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let stream = self.connector.connect(&name.to_str(), stream).await?;
        let connection: &Connection = stream.as_ref();
        negotiated(connection, &[self.cipher])?;
        let chain = chain(connection)?;
        let (own, issuers) = chain.split_first().ok_or(rustls::Error::NoCertificatesPresented)?;
        self.verifier.verify_server_cert(own, issuers, name, &[], UnixTime::now())?;
        Ok((stream, own.clone()))
    }
}

impl std::fmt::Debug for OldClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OldClient").field("cipher", &self.cipher.name).finish_non_exhaustive()
    }
}

/// Names are judged by the verifiers of `handshake` alone.
struct AnyName;

impl VerifyHostNameCallback for AnyName {
    fn verify_host_name(&self, _host_name: &str) -> bool {
        true
    }
}

fn builder(policy: &str) -> Result<Builder, s2n_tls::error::Error> {
    let mut builder = Config::builder();
    builder.set_security_policy(&Policy::from_version(policy)?)?;
    builder.with_system_certs(false)?;
    builder.set_max_blinding_delay(BLINDING)?;
    builder.set_verify_host_callback(AnyName)?;
    Ok(builder)
}

/// One of each family is the default of its family.
fn show(builder: &mut Builder, pair: &PersonalCertificate) -> Result<(), s2n_tls::error::Error> {
    let mut loaded = cert_chain::Builder::new()?;
    loaded.load_pem(&pem::certificates(&pair.chain), &pem::key(&pair.key))?;
    builder.load_chain(loaded.build()?)?;
    Ok(())
}

fn trust(builder: &mut Builder, signers: &[CertificateDer<'_>]) -> Result<(), s2n_tls::error::Error> {
    builder.trust_pem(&pem::certificates(signers))?;
    Ok(())
}

/// The CipherSpec of a handshake that has ended.
fn negotiated(connection: &Connection, allowed: &[&'static CipherSpec]) -> Result<&'static CipherSpec, OldError> {
    let name = connection.cipher_suite()?;
    let found = NAMES.iter().find(|(theirs, _)| *theirs == name).and_then(|(_, ours)| CipherSpec::named(ours));
    found.filter(|one| allowed.contains(one)).ok_or_else(|| OldError::Negotiated(name.to_owned()))
}

fn chain(connection: &Connection) -> Result<Vec<CertificateDer<'static>>, OldError> {
    let chain = connection.peer_cert_chain()?;
    let mut all = Vec::new();
    for certificate in chain.iter() {
        all.push(CertificateDer::from(certificate?.der()?.to_vec()));
    }
    Ok(all)
}

/// Names of s2n-tls, which are OpenSSL's, and of CipherSpecs.
const NAMES: [(&str, &str); 8] = [
    ("ECDHE-ECDSA-AES128-SHA256", "ECDHE_ECDSA_AES_128_CBC_SHA256"),
    ("ECDHE-ECDSA-AES256-SHA384", "ECDHE_ECDSA_AES_256_CBC_SHA384"),
    ("ECDHE-RSA-AES128-SHA256", "ECDHE_RSA_AES_128_CBC_SHA256"),
    ("ECDHE-RSA-AES256-SHA384", "ECDHE_RSA_AES_256_CBC_SHA384"),
    ("AES128-SHA256", "TLS_RSA_WITH_AES_128_CBC_SHA256"),
    ("AES128-GCM-SHA256", "TLS_RSA_WITH_AES_128_GCM_SHA256"),
    ("AES256-SHA256", "TLS_RSA_WITH_AES_256_CBC_SHA256"),
    ("AES256-GCM-SHA384", "TLS_RSA_WITH_AES_256_GCM_SHA384"),
];
