use std::sync::LazyLock;

use proptest::prelude::*;

use super::*;

static KEYS: LazyLock<LtpaKeys> = LazyLock::new(|| LtpaKeys::generate().expect("keys"));
const REALM: &str = "defaultRealm";

#[test]
fn escaping_writes_what_liberty_writes() {
    for (clear, escaped) in [
        ("pct%dol$$x", "pct\\%dol\\$\\$x"),
        ("pipe|x", "pipe\\|x"),
        ("col:on", "col\\:on"),
        ("s/lash", "s/lash"),
        ("back\\", "back\\\\"),
        ("a\\b", "a\\b"),
        ("žö é", "žö é"),
    ] {
        assert_eq!(escape(clear), escaped);
        assert_eq!(unescape(escaped), clear);
    }
}

#[test]
fn a_source_that_escapes_every_backslash_is_understood() {
    assert_eq!(unescape("a\\\\b"), "a\\b");
}

#[test]
fn attributes_split_at_unescaped_separators_only() {
    let attributes = parse_attributes("host:h1$process:p\\$1\\:2$u:user\\:r/x\\|y").expect("sorted");
    let expected = [("host", "h1"), ("process", "p$1:2"), ("u", "user:r/x|y")];
    assert_eq!(attributes, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
}

#[test]
fn the_last_string_of_the_expire_attribute_governs() {
    let attributes = parse_attributes("expire:5|7$u:x").expect("sorted");
    assert_eq!(governing_expiry(&attributes, 7), Ok(7));
}

#[test]
fn expiry_times_may_differ_by_three_seconds() {
    for (inner, verdict) in [
        ("2999", Ok(2999)),
        ("3000", Ok(3000)),
        ("3001", Err(TokenError::ExpiryDisagreement)),
        ("3200", Err(TokenError::ExpiryDisagreement)),
    ] {
        assert_eq!(governing_expiry(&[("expire".to_owned(), inner.to_owned())], 0), verdict);
    }
}

#[test]
fn only_users_of_our_realm_are_users() {
    assert_eq!(user_of("user:ldap.example.com:636/cn=bob,ou=a:b", "ldap.example.com:636"), Ok("cn=bob,ou=a:b"));
    assert_eq!(user_of("user:defaultRealm/a/b", REALM), Ok("a/b"));
    assert_eq!(user_of("user:defaultRealmX/a", REALM), Err(TokenError::Realm));
    assert_eq!(user_of("server:defaultRealm/a", REALM), Err(TokenError::NotAUser));
    assert_eq!(user_of("user:defaultRealm/", REALM), Err(TokenError::NotAUser));
}

#[test]
fn a_token_is_good_up_to_its_last_millisecond() {
    let token = mint(&KEYS, REALM, "app", 1000, None).expect("mint");
    assert_eq!(
        open(&token, &KEYS, REALM, 1000),
        Ok(Claims { user: "app".to_owned(), expires_ms: 1000, password_mark: None })
    );
    assert_eq!(open(&token, &KEYS, REALM, 1001), Err(TokenError::Expired));
}

#[test]
fn no_single_changed_byte_leaves_a_token_good() {
    let token = mint(&KEYS, REALM, "app", 1000, None).expect("mint");
    let bytes = STANDARD.decode(&token).expect("base64");
    for index in 0..bytes.len() {
        let mut tampered = bytes.clone();
        tampered[index] ^= 1;
        open(&STANDARD.encode(tampered), &KEYS, REALM, 0).expect_err("a tampered token is refused");
    }
}

#[test]
fn another_key_does_not_open_a_token() {
    let other = LtpaKeys::generate().expect("keys");
    let token = mint(&other, REALM, "app", 1000, None).expect("mint");
    open(&token, &KEYS, REALM, 0).expect_err("foreign keys");
}

#[test]
fn an_overlong_token_is_not_looked_at() {
    assert_eq!(open(&"A".repeat(1 << 20), &KEYS, REALM, 0), Err(TokenError::Malformed));
}

proptest! {
    #[test]
    fn unescaping_undoes_escaping(value in "[\\\\%$:|/ab\u{17e}]{0,24}") {
        prop_assert_eq!(unescape(&escape(&value)), value.clone());
        prop_assert_eq!(split_unescaped(&escape(&value), b'$').count(), 1);
    }

    #[test]
    fn an_escaped_value_survives_between_attributes(value in "[\\\\%$:|/ab]{0,24}") {
        let user_data = format!("a:{}$b:{}", escape(&value), escape(&value));
        let attributes = parse_attributes(&user_data).expect("sorted");
        prop_assert_eq!(attributes, vec![("a".to_owned(), value.clone()), ("b".to_owned(), value)]);
    }

    #[test]
    fn any_text_is_opened_without_a_panic(text in "\\PC{0,400}") {
        prop_assert!(open(&text, &KEYS, REALM, 0).is_err());
    }

    #[test]
    fn any_plaintext_is_taken_apart_without_a_panic(text in "[a-z:$%|\\\\0-9ž]{0,80}") {
        let _ = parse_attributes(&text);
        let _ = Parts::split(&text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn opening_undoes_minting(user in "\\PC{1,40}", expires_ms in 0..u64::MAX / 2) {
        let token = mint(&KEYS, REALM, &user, expires_ms, None).expect("mint");
        prop_assert_eq!(open(&token, &KEYS, REALM, expires_ms), Ok(Claims { user, expires_ms, password_mark: None }));
    }
}

#[test]
fn names_in_latin_1_are_refused() {
    let key = KEYS.token_key();
    let plaintext =
        [b"expire:1000$u:user\\:defaultRealm/\xE9%1000%".as_slice(), STANDARD.encode([0; 128]).as_bytes()].concat();
    let encrypted = AesEncryptor::new(key.into(), key.into()).encrypt_padded_vec_mut::<Pkcs7>(&plaintext);
    assert_eq!(open(&STANDARD.encode(encrypted), &KEYS, REALM, 0), Err(TokenError::Malformed));
}
