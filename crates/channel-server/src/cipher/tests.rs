use super::*;

#[test]
fn wildcards_take_what_their_protocol_has_and_nothing_old() {
    let (modern, new) = ("ECDHE_RSA_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384");
    let old = "TLS_RSA_WITH_AES_128_CBC_SHA256";
    for (wanted, of_modern, of_new, of_old) in [
        ("ANY", Fit::Fits, Fit::Fits, Fit::Differs),
        ("ANY_TLS12_OR_HIGHER", Fit::Fits, Fit::Fits, Fit::Differs),
        ("ANY_TLS12", Fit::Fits, Fit::Differs, Fit::Differs),
        ("ANY_TLS13", Fit::Differs, Fit::Fits, Fit::Differs),
        ("ANY_TLS13_OR_HIGHER", Fit::Differs, Fit::Fits, Fit::Differs),
        (modern, Fit::Fits, Fit::Differs, Fit::Differs),
        (new, Fit::Differs, Fit::Fits, Fit::Differs),
        (old, Fit::Differs, Fit::Differs, Fit::Fits),
        ("ECDHE_RSA_AES_256_GCM_SHA384", Fit::Differs, Fit::Differs, Fit::Differs),
        ("TLS_RSA_WITH_AES_128_CBC_SHA", Fit::NotSpoken, Fit::NotSpoken, Fit::NotSpoken),
        ("ECDHE_RSA_AES_128_GCM", Fit::Unknown, Fit::Unknown, Fit::Unknown),
    ] {
        assert_eq!((fit(wanted, modern), fit(wanted, new), fit(wanted, old)), (of_modern, of_new, of_old), "{wanted}");
    }
    assert!(NOT_SPOKEN.iter().all(|name| CipherSpec::named(name).is_none()));
}
