use super::CipherSpecification;

#[test]
fn published_names_allow_what_they_say_and_nothing_else() {
    for (name, versions, suites) in [
        ("ANY_TLS12_OR_HIGHER", 2, 9),
        ("any_tls13", 1, 9),
        ("TLS_AES_256_GCM_SHA384", 1, 1),
        ("ECDHE_RSA_AES_256_GCM_SHA384", 1, 1),
        ("TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", 1, 1),
    ] {
        let specification = CipherSpecification::named(name).unwrap();
        assert_eq!((specification.versions.len(), specification.suites.len()), (versions, suites), "{name}");
    }
}

#[test]
fn suites_without_forward_secrecy_or_authenticated_encryption_are_refused_by_name() {
    for name in ["TLS_RSA_WITH_AES_128_CBC_SHA256", "TLS_RSA_WITH_AES_256_GCM_SHA384", "NULL_SHA", ""] {
        assert_eq!(CipherSpecification::named(name).unwrap_err().name, name);
    }
}
