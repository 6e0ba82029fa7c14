//! PEM, which is how s2n-tls wants what was read already.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

pub(crate) fn certificates(chain: &[CertificateDer<'_>]) -> Vec<u8> {
    chain.iter().flat_map(|certificate| block("CERTIFICATE", certificate)).collect()
}

pub(crate) fn key(key: &PrivateKeyDer<'_>) -> Vec<u8> {
    let label = match key {
        PrivateKeyDer::Pkcs1(_) => "RSA PRIVATE KEY",
        PrivateKeyDer::Sec1(_) => "EC PRIVATE KEY",
        _ => "PRIVATE KEY",
    };
    block(label, key.secret_der())
}

fn block(label: &str, bytes: &[u8]) -> Vec<u8> {
    let text = STANDARD.encode(bytes);
    let mut block = format!("-----BEGIN {label}-----\n").into_bytes();
    for line in text.as_bytes().chunks(64) {
        block.extend_from_slice(line);
        block.push(b'\n');
    }
    block.extend_from_slice(format!("-----END {label}-----\n").as_bytes());
    block
}
