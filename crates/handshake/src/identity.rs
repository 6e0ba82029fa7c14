//! The certificates a server shows: one, or an ECDSA and an RSA one, of which each client gets the one it can use.
//!
//! Invariant: with two, the first is shown to a client that can use both.

use std::path::PathBuf;
use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls::{CipherSuite, SignatureAlgorithm};

use crate::cipher_spec::{CipherSpec, Family};
use crate::files::{self, FileError};

/// PEM files of a certificate with its issuers, and of its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairFiles {
    pub certificate: PathBuf,
    pub key: PathBuf,
}

#[derive(Debug)]
pub struct Identity {
    pairs: Vec<Pair>,
}

#[derive(Debug)]
struct Pair {
    family: Family,
    certified: Arc<CertifiedKey>,
}

impl Identity {
    /// The first pair, and a second one of another family.
    ///
    /// # Errors
    /// A file cannot be read, a key does not belong to its certificate, or both certificates are of one family.
    pub fn load(pairs: &[PairFiles], provider: &CryptoProvider) -> Result<Self, FileError> {
        let mut loaded: Vec<Pair> = Vec::new();
        for files in pairs {
            let pair = Pair::load(files, provider)?;
            if loaded.iter().any(|other| other.family == pair.family) {
                let name = pair.family.name();
                let problem = format_args!(
                    "the other certificate is an {name} one too, and only one of them could ever be shown: name an ECDSA and an RSA one"
                );
                return Err(FileError::new(&files.certificate, &problem));
            }
            loaded.push(pair);
        }
        Ok(Self { pairs: loaded })
    }

    /// In the order of the pairs.
    pub fn families(&self) -> Vec<Family> {
        self.pairs.iter().map(|pair| pair.family).collect()
    }
}

impl Pair {
    fn load(paths: &PairFiles, provider: &CryptoProvider) -> Result<Self, FileError> {
        let chain = files::certificates(&paths.certificate)?;
        let key = files::key(&paths.key)?;
        let certified =
            CertifiedKey::from_der(chain, key, provider).map_err(|error| FileError::new(&paths.key, &error))?;
        let family = match certified.key.algorithm() {
            SignatureAlgorithm::RSA => Family::Rsa,
            // Ed25519 serves the suites of ECDSA.
            _ => Family::Ecdsa,
        };
        Ok(Self { family, certified: Arc::new(certified) })
    }

    fn fits(&self, hello: &ClientHello<'_>) -> bool {
        self.certified.key.choose_scheme(hello.signature_schemes()).is_some()
            && hello.cipher_suites().iter().any(|suite| fits(*suite, self.family))
    }
}

/// Whether a suite works with a certificate of this family, as far as rustls speaks it.
fn fits(suite: CipherSuite, family: Family) -> bool {
    match suite {
        // No CipherSpec has these names.
        CipherSuite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256 => family == Family::Ecdsa,
        CipherSuite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256 => family == Family::Rsa,
        _ => CipherSpec::of_suite(suite)
            .is_some_and(|one| !one.is_old() && (one.family == family || one.family == Family::Either)),
    }
}

impl ResolvesServerCert for Identity {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let pair = match &self.pairs[..] {
            // rustls says best what does not fit.
            [one] => Some(one),
            pairs => pairs.iter().find(|pair| pair.fits(&hello)).or_else(|| pairs.first()),
        };
        pair.map(|pair| Arc::clone(&pair.certified))
    }
}
