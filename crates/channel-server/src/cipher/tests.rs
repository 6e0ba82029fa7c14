use super::*;

#[test]
fn wildcards_take_what_their_protocol_has() {
    let (old, new) = ("ECDHE_RSA_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384");
    for (wanted, of_old, of_new) in [
        ("ANY", Fit::Fits, Fit::Fits),
        ("ANY_TLS12_OR_HIGHER", Fit::Fits, Fit::Fits),
        ("ANY_TLS12", Fit::Fits, Fit::Differs),
        ("ANY_TLS13", Fit::Differs, Fit::Fits),
        ("ANY_TLS13_OR_HIGHER", Fit::Differs, Fit::Fits),
        (old, Fit::Fits, Fit::Differs),
        (new, Fit::Differs, Fit::Fits),
        ("ECDHE_RSA_AES_256_GCM_SHA384", Fit::Differs, Fit::Differs),
        ("TLS_RSA_WITH_AES_128_CBC_SHA256", Fit::NotSpoken, Fit::NotSpoken),
        ("ECDHE_RSA_AES_128_CBC_SHA256", Fit::NotSpoken, Fit::NotSpoken),
        ("ECDHE_RSA_AES_128_GCM", Fit::Unknown, Fit::Unknown),
    ] {
        assert_eq!((fit(wanted, old), fit(wanted, new)), (of_old, of_new), "{wanted}");
    }
}

#[test]
fn every_suite_that_is_offered_has_a_name_of_its_own() {
    let offered: Vec<_> =
        rustls::crypto::ring::ALL_CIPHER_SUITES.iter().map(rustls::SupportedCipherSuite::suite).collect();
    for spoken in &SPOKEN {
        assert!(offered.contains(&spoken.suite), "{}", spoken.name);
        assert_eq!(fit(spoken.name, spoken.name), Fit::Fits);
        assert!(!NOT_SPOKEN.contains(&spoken.name));
    }
    assert_eq!(names(CipherSuite::TLS13_AES_128_GCM_SHA256), Some(("TLSV13", "TLS_AES_128_GCM_SHA256")));
    assert_eq!(names(CipherSuite::TLS_RSA_WITH_AES_128_CBC_SHA), None);
}
