use proptest::prelude::*;

use super::*;

fn dn(text: &str) -> Dn {
    Dn::parse(text).unwrap_or_else(|| panic!("{text} is a name"))
}

#[test]
fn spellings_of_one_name_are_equal() {
    for (one, other) in [
        ("uid=bob,ou=people,dc=example", "UID = Bob , OU=People,DC=EXAMPLE"),
        ("cn=Bob  Smith,o=x", "cn=bob smith,o=x"),
        (r"cn=a\,b,o=x", r"cn=a\2cb,o=x"),
        (r"cn=a\,b,o=x", r"cn=a\2Cb,o=x"),
        ("cn=a+uid=b,o=x", "uid=b+cn=a,o=x"),
        (r"cn=\c5\bda,o=x", "cn=Ža,o=x"),
    ] {
        assert_eq!(dn(one), dn(other), "{one}");
    }
    assert_ne!(dn("cn=a,o=x"), dn("cn=a,o=xy"));
    assert_ne!(dn("cn=a,o=x"), dn(r"cn=a\,o=x"));
}

#[test]
fn below_the_base_means_whole_parts() {
    let base = dn("dc=example,dc=com");
    assert!(dn("dc=example,dc=com").is_at_or_below(&base));
    assert!(dn("uid=a,ou=b,DC=Example,dc=com").is_at_or_below(&base));
    assert!(!dn("uid=a,dc=myexample,dc=com").is_at_or_below(&base));
    assert!(!dn(r"uid=a\,dc=example,dc=com").is_at_or_below(&base), "the comma belongs to the value");
    assert!(!dn("dc=com").is_at_or_below(&base));
}

#[test]
fn what_is_no_name_is_refused() {
    for text in ["", "bob", "=x", "cn=a,,o=x", "cn=a;o=x", "cn=\"a\",o=x", "cn=a\\", "cn=\\f", "cn=\\ff,o=x", "c n=a"] {
        assert_eq!(Dn::parse(text), None, "{text}");
    }
    assert_eq!(Dn::parse(&format!("cn={}", "x".repeat(5000))), None);
    assert_eq!(Dn::parse(&"a=b,".repeat(65)), None);
}

#[test]
fn the_value_of_the_first_part_is_as_written() {
    assert_eq!(dn(r"CN=MQ\, Users,o=x").first_value("cn"), Some("MQ, Users"));
    assert_eq!(dn(r"cn=a\ ,o=x").first_value("cn"), Some("a "));
    assert_eq!(dn("cn=a,o=x").first_value("ou"), None);
}

proptest! {
    #[test]
    fn any_text_is_taken_or_refused(text in "\\PC*") {
        let _ = Dn::parse(&text);
    }

    #[test]
    fn any_value_comes_back_when_each_byte_is_escaped(value in "[^ ]{1,20}") {
        let escaped: String = value.bytes().map(|byte| format!("\\{byte:02x}")).collect();
        let name = dn(&format!("cn={escaped},o=x"));
        prop_assert_eq!(name.first_value("cn"), Some(&*value));
    }
}
