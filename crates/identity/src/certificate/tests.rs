use rcgen::{CertificateParams, DnType, KeyPair};

use super::*;

fn certificate(parts: &[(DnType, &str)]) -> Vec<u8> {
    let mut parameters = CertificateParams::default();
    parameters.distinguished_name = rcgen::DistinguishedName::new();
    for (kind, value) in parts {
        parameters.distinguished_name.push(kind.clone(), *value);
    }
    let key = KeyPair::generate().expect("key");
    parameters.self_signed(&key).expect("certificate").der().to_vec()
}

#[test]
fn the_common_name_and_the_whole_subject_are_read() {
    let der = certificate(&[
        (DnType::CountryName, "GB"),
        (DnType::OrganizationName, "IBM, Inc"),
        (DnType::CommonName, "Fred"),
    ]);
    let identity = CertificateIdentity::from_der(&der).expect("certificate");
    assert_eq!(identity.common_name.as_deref(), Some("Fred"));
    assert_eq!(identity.distinguished_name, "CN=Fred,O=IBM\\, Inc,C=GB");
}

#[test]
fn a_subject_without_a_common_name_has_none() {
    let identity = CertificateIdentity::from_der(&certificate(&[(DnType::OrganizationName, "IBM")]));
    let identity = identity.expect("certificate");
    assert_eq!((identity.common_name, identity.distinguished_name.as_str()), (None, "O=IBM"));
}

#[test]
fn bytes_that_are_no_certificate_are_refused() {
    CertificateIdentity::from_der(b"\x30\x03\x02\x01\x00").expect_err("no certificate");
    CertificateIdentity::from_der(&[]).expect_err("nothing");
}

#[test]
fn types_and_values_of_subject_and_issuer_come_apart() {
    let der = certificate(&[(DnType::OrganizationName, "IBM, Inc"), (DnType::CommonName, "Fred")]);
    let identity = CertificateIdentity::from_der(&der).expect("certificate");
    let part = |kind: &str, value: &str| (kind.to_owned(), value.to_owned());
    assert_eq!(identity.subject, [part("CN", "Fred"), part("O", "IBM, Inc")]);
    assert_eq!((identity.issuer, identity.issuer_name), (identity.subject, identity.distinguished_name));
    assert!(!identity.serial_number.is_empty() && identity.serial_number.bytes().all(|byte| byte.is_ascii_digit()));
}
