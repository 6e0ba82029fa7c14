//! PKCS#12: personal certificates by label, and signers, of a file as IBM's runmqakm, openssl and keytool write it.
//!
//! Which certificate belongs to a key is seen by the key itself: not every tool writes the attribute that says it.

use std::sync::Arc;

use aws_lc_rs::encoding::{AsBigEndian, EcPrivateKeyBin};
use aws_lc_rs::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, ECDSA_P384_SHA384_ASN1_SIGNING, EcdsaKeyPair, KeyPair};
use channel_client::key_repository::{KeyRepository, Labelled};
use handshake::files::PersonalCertificate;
use p12_keystore::error::Error;
use p12_keystore::{Certificate, CertificateBag, Pkcs12Archive, PrivateKeyBag};
use rustls::crypto::ring::sign::any_supported_type;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::sign::{CertifiedKey, SigningKey};

#[derive(Debug, thiserror::Error)]
pub(crate) enum Pkcs12Error {
    #[error("the password does not open it, or it is damaged")]
    Password,
    #[error("it cannot be read as PKCS#12")]
    Form(#[source] Error),
    #[error("it has no certificate")]
    Empty,
}

/// Every certificate is trusted but those whose key is in the file too and which another certificate signed.
pub(crate) fn read(content: &[u8], password: &str) -> Result<KeyRepository, Pkcs12Error> {
    let archive = Pkcs12Archive::from_pkcs12(content, password).map_err(|error| match error {
        Error::MacError(_) | Error::UnpadError | Error::Pkcs5Error(_) => Pkcs12Error::Password,
        other => Pkcs12Error::Form(other),
    })?;
    if archive.certs.is_empty() {
        return Err(Pkcs12Error::Empty);
    }
    let personal: Vec<Labelled> = archive.keys.iter().filter_map(|key| personal(key, &archive.certs)).collect();
    let is_signer = |one: &Certificate| {
        let is_personal =
            personal.iter().any(|own| own.certificate.chain.first().is_some_and(|first| **first == *one.as_der()));
        !is_personal || is_self_issued(one)
    };
    let signers = archive.certs.iter().filter(|one| is_signer(&one.cert)).map(|one| der(&one.cert)).collect();
    Ok(KeyRepository { personal, signers })
}

/// A key with its certificate; `None` for a key that is not of a kind that TLS here can use, or has no certificate.
fn personal(bag: &PrivateKeyBag, certificates: &[CertificateBag]) -> Option<Labelled> {
    let (key, signing) = usable(bag.key.as_der())?;
    let is_its =
        |one: &&CertificateBag| CertifiedKey::new(vec![der(&one.cert)], Arc::clone(&signing)).keys_match().is_ok();
    let own = certificates.iter().find(is_its)?;
    let label = bag.friendly_name.as_deref().or(own.friendly_name.as_deref()).unwrap_or(own.cert.subject());
    let chain = chain(&own.cert, certificates);
    Some(Labelled { label: label.to_owned(), certificate: Arc::new(PersonalCertificate { chain, key }) })
}

/// Keys on elliptic curves that Java wrote lack their public half, without which ring takes none: AWS-LC computes it.
fn usable(pkcs8: &[u8]) -> Option<(PrivateKeyDer<'static>, Arc<dyn SigningKey>)> {
    let taken = |pkcs8: &[u8]| {
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(pkcs8.to_vec()));
        let signing = any_supported_type(&key).ok()?;
        Some((key, signing))
    };
    let completed = || {
        let curves = [&ECDSA_P256_SHA256_ASN1_SIGNING, &ECDSA_P384_SHA384_ASN1_SIGNING];
        curves.into_iter().find_map(|curve| {
            let half = EcdsaKeyPair::from_pkcs8(curve, pkcs8).ok()?;
            let private: EcPrivateKeyBin<'_> = half.private_key().as_be_bytes().ok()?;
            let public = half.public_key().as_ref();
            let whole = EcdsaKeyPair::from_private_key_and_public_key(curve, private.as_ref(), public).ok()?;
            taken(whole.to_pkcs8v1().ok()?.as_ref())
        })
    };
    taken(pkcs8).or_else(completed)
}

/// The certificate and its issuers, as far as they are in the file, without the one that signed itself.
fn chain(own: &Certificate, certificates: &[CertificateBag]) -> Vec<CertificateDer<'static>> {
    let mut chain = vec![own];
    while let Some(last) = chain.last()
        && let Some(issuer) = certificates.iter().map(|one| &one.cert).find(|one| one.subject() == last.issuer())
        && !is_self_issued(issuer)
        && !chain.contains(&issuer)
    {
        chain.push(issuer);
    }
    chain.into_iter().map(der).collect()
}

fn is_self_issued(certificate: &Certificate) -> bool {
    certificate.subject() == certificate.issuer()
}

fn der(certificate: &Certificate) -> CertificateDer<'static> {
    CertificateDer::from(certificate.as_der().to_vec())
}

#[cfg(test)]
mod tests;
