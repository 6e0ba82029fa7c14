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
fn names_that_differ_in_case_and_blanks_around_separators_are_one() {
    assert_eq!(normalise("CN=Fred Smith, O = IBM , C=GB"), normalise("cn=fred smith,o=ibm,c=gb"));
    assert_ne!(normalise("CN=Fred Smith"), normalise("CN=FredSmith"));
    assert_ne!(normalise("CN=Fred\\,O=IBM"), normalise("CN=Fred,O=IBM"));
}
