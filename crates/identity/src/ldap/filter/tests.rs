use proptest::prelude::*;

use super::*;

/// Names that would widen, break or end a filter if they were syntax.
const INJECTIONS: [&str; 9] =
    ["*", "a*", "*)(uid=*))(|(uid=*", "admin)(&)", "x)(objectclass=*", "\\2a", "a\0b", ")(cn=))\\00", "%v"];

fn certificate() -> CertificateIdentity {
    let part = |kind: &str, value: &str| (kind.to_owned(), value.to_owned());
    CertificateIdentity {
        common_name: Some("Fred".to_owned()),
        distinguished_name: "CN=Fred,OU=A (B),OU=C,O=IBM".to_owned(),
        subject: vec![part("CN", "Fred"), part("OU", "A (B)"), part("OU", "C"), part("O", "IBM")],
        issuer_name: "CN=Signer".to_owned(),
        issuer: vec![part("CN", "Signer")],
        serial_number: "4711".to_owned(),
    }
}

#[test]
fn a_name_is_data() {
    let template = FilterTemplate::parse("(&(uid=%v)(objectclass=person))").expect("a filter");
    assert_eq!(template.naming("bob"), "(&(uid=bob)(objectclass=person))");
    assert_eq!(template.naming("*)(uid=*"), "(&(uid=\\2a\\29\\28uid=\\2a)(objectclass=person))");
    assert_eq!(template.any(), "(&(uid=*)(objectclass=person))");
    for name in INJECTIONS {
        let filter = template.naming(name);
        assert!(parse_filter(&filter).is_ok(), "{filter}");
        let value = filter.strip_prefix("(&(uid=").and_then(|rest| rest.strip_suffix(")(objectclass=person))"));
        assert!(value.is_some_and(|value| !value.contains(['(', ')', '*', '\0'])), "{filter}");
    }
}

#[test]
fn a_filter_without_parentheses_gets_them() {
    assert_eq!(FilterTemplate::parse(" uid=%v ").expect("a filter").naming("a"), "(uid=a)");
}

#[test]
fn filters_that_cannot_work_are_refused() {
    for text in ["(uid=bob)", "(uid=%v", "", "(&(uid=%v)(oops)", "%v"] {
        assert!(FilterTemplate::parse(text).is_err(), "{text}");
    }
    for text in ["uid=fred", "uid=${SubjectCN", "uid=${PublicKey}", "uid=${Subject}", "(uid=${SubjectCN}", ""] {
        assert!(CertificateFilter::parse(text).is_err(), "{text}");
    }
}

#[test]
fn a_certificate_fills_its_filter() {
    let filled = |text: &str| CertificateFilter::parse(text).expect("a filter").about(&certificate());
    assert_eq!(filled("uid=${SubjectCN}").as_deref(), Some("(uid=Fred)"));
    assert_eq!(
        filled("(&(ou=${SubjectOU})(description=${IssuerCN} ${SerialNumber}))").as_deref(),
        Some("(&(ou=A \\28B\\29)(description=Signer 4711))")
    );
    assert_eq!(filled("seeAlso=${SubjectDN}").as_deref(), Some("(seeAlso=CN=Fred,OU=A \\28B\\29,OU=C,O=IBM)"));
    assert_eq!(filled("x=${IssuerDN}").as_deref(), Some("(x=CN=Signer)"));
    assert_eq!(filled("mail=${SubjectEMAILADDRESS}"), None, "the certificate has none");
}

proptest! {
    #[test]
    fn whatever_the_name_the_filter_keeps_its_shape(name in ".*") {
        let filter = equals("uid", &name);
        prop_assert!(parse_filter(&filter).is_ok());
        prop_assert_eq!(filter.matches('(').count(), 1);
        prop_assert!(!filter.contains('*'));
    }
}
