//! The certificate a client showed when its connection was made, for as long as its signers are trusted.
//!
//! A kept connection may outlive a reload that takes a signer away. So the chain is kept, and verified again once after
//! each reload, before the certificate is believed again.

use std::sync::Arc;

use identity::CertificateIdentity;
use parking_lot::{Mutex, RwLock};
use rustls::pki_types::{CertificateDer, UnixTime};
use rustls::server::danger::ClientCertVerifier;

/// Who judges the certificates of clients; `None`: nobody is asked for one.
pub(crate) type Verifier = Option<Arc<dyn ClientCertVerifier>>;

pub(crate) struct PeerCertificate {
    identity: CertificateIdentity,
    chain: Vec<CertificateDer<'static>>,
    /// Who judged last, and whether the chain was good then.
    judged: Mutex<(Verifier, bool)>,
}

impl PeerCertificate {
    /// A chain that `verifier` has found good in the handshake; `None` when its subject cannot be read.
    pub(crate) fn new(chain: &[CertificateDer<'static>], verifier: &Verifier) -> Option<Self> {
        let identity = CertificateIdentity::from_der(chain.first()?).ok()?;
        Some(Self { identity, chain: chain.to_vec(), judged: Mutex::new((verifier.clone(), true)) })
    }

    /// What the certificate says, if `current` finds it good.
    pub(crate) fn identity(&self, current: &RwLock<Verifier>) -> Option<&CertificateIdentity> {
        let current = current.read();
        let mut judged = self.judged.lock();
        let is_same = match (&judged.0, &*current) {
            (Some(before), Some(now)) => Arc::ptr_eq(before, now),
            (None, None) => true,
            _ => false,
        };
        if !is_same {
            *judged = (current.clone(), self.is_good(&current));
        }
        judged.1.then_some(&self.identity)
    }

    fn is_good(&self, verifier: &Verifier) -> bool {
        let (Some(verifier), Some((own, issuers))) = (verifier, self.chain.split_first()) else { return false };
        verifier.verify_client_cert(own, issuers, UnixTime::now()).is_ok()
    }
}
