use super::*;

fn ecdsa_only() -> Served {
    Served::new(vec![Family::Ecdsa], Vec::new())
}

fn both_and(old: &[&str]) -> Served {
    let old = old.iter().map(|name| CipherSpec::named(name).expect("a CipherSpec")).collect();
    Served::new(vec![Family::Ecdsa, Family::Rsa], old)
}

#[test]
fn what_a_certificate_cannot_serve_is_said_with_what_to_do() {
    for (served, name, expected) in [
        (
            ecdsa_only(),
            "ECDHE_RSA_AES_128_GCM_SHA256",
            Some("needs an RSA certificate, and the server has an ECDSA one only"),
        ),
        (ecdsa_only(), "TLS_RSA_WITH_AES_128_CBC_SHA256", Some("needs an RSA certificate")),
        (ecdsa_only(), "ECDHE_ECDSA_AES_128_GCM_SHA256", None),
        (ecdsa_only(), "TLS_AES_128_GCM_SHA256", None),
        (ecdsa_only(), "ANY_TLS12_OR_HIGHER", None),
        (ecdsa_only(), "", None),
        (both_and(&[]), "TLS_RSA_WITH_RC4_128_SHA256", Some("too weak")),
        (both_and(&[]), "ECDHE_RSA_AES_128_GCM", Some("is not the name of a CipherSpec")),
        (both_and(&[]), "ECDHE_RSA_AES_128_GCM_SHA256", None),
        (both_and(&[]), "TLS_RSA_WITH_AES_128_CBC_SHA256", Some("tls.old_cipherspecs names it")),
        (both_and(&["TLS_RSA_WITH_AES_128_CBC_SHA256"]), "TLS_RSA_WITH_AES_128_CBC_SHA256", None),
        (
            both_and(&["TLS_RSA_WITH_AES_128_CBC_SHA256"]),
            "TLS_RSA_WITH_AES_256_CBC_SHA256",
            Some("tls.old_cipherspecs"),
        ),
    ] {
        let why = served.why_not(name);
        match expected {
            None => assert_eq!(why, None, "{name}"),
            Some(part) => assert!(why.as_deref().is_some_and(|why| why.contains(part)), "{name}: {why:?}"),
        }
    }
}

#[test]
fn a_refused_client_is_told_of_with_its_suites_and_what_to_do() {
    let offered = [CipherSuite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, CipherSuite::TLS_EMPTY_RENEGOTIATION_INFO_SCSV];
    assert!(!ecdsa_only().is_modern(&offered) && both_and(&[]).is_modern(&offered));
    let why = ecdsa_only().why_nothing_in_common(&offered);
    assert!(
        why.starts_with(
            "the client offers ECDHE_RSA_AES_128_GCM_SHA256; this server serves ECDHE_ECDSA_AES_128_GCM_SHA256, "
        ),
        "{why}"
    );
    assert!(why.contains("tls.second_certificate"), "{why}");
    let ancient =
        both_and(&[]).why_nothing_in_common(&[CipherSuite::TLS_RSA_WITH_RC4_128_SHA, CipherSuite::Unknown(0xeeee)]);
    assert!(ancient.starts_with("the client offers TLS_RSA_WITH_RC4_128_SHA, 0xeeee; "), "{ancient}");
    let many = vec![CipherSuite::TLS_RSA_WITH_RC4_128_SHA; 15];
    assert!(both_and(&[]).why_nothing_in_common(&many).contains(", 3 more; "));
    assert!(both_and(&[]).why_nothing_in_common(&[]).contains("no cipher suite"));
}
