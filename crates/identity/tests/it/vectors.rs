//! Tokens, key files and passwords made by Open Liberty and by an independent implementation, with a fixed clock.

use identity::Authenticator;
use identity::authenticator::{Credentials, Mechanism, Verdict};
use identity::ltpa::keys::{KeysError, LtpaKeys};
use identity::ltpa::token::{self, Claims};
use identity::password::{PasswordError, PasswordReader};
use model::timestamp::Timestamp;
use serde_json::Value;

use crate::authenticator::{HERE, options};

const REALM: &str = "defaultRealm";
/// 2027-01-01T00:00:00Z.
const NOW: Timestamp = Timestamp::from_millis(1_798_761_600_000);
const USERS: [&str; 14] = [
    "mqadmin",
    "mqapp",
    "mqreader",
    "pct%dol$$x",
    "pipe|x",
    "col:on",
    "s/lash",
    "100%",
    "back\\",
    "a\\b",
    "uid=alice,o=defaultOrg",
    "cn=bob,ou=a:b,o=ex",
    "žö é",
    "użytkownik",
];

fn read(json: &str) -> Value {
    serde_json::from_str(json).expect("vectors are JSON")
}

fn text<'v>(case: &'v Value, field: &str) -> &'v str {
    case[field].as_str().unwrap_or_else(|| panic!("{case}: no {field}"))
}

fn authenticator(keys_file: &str, keys_password: Option<&str>) -> Authenticator {
    let mut options = options(&USERS.map(|user| (user, "unused")));
    options.ltpa.keys_file = Some(vector_path(keys_file));
    options.ltpa.keys_password = keys_password.map(str::to_owned);
    Authenticator::new(&options.view(), NOW).expect("the vectors' keys load")
}

fn vector_path(file: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/vectors").join(file)
}

/// Asks twice: the second time the token comes from the cache of verified ones.
fn check_case(authenticator: &Authenticator, case: &Value) {
    let name = text(case, "name");
    let is_user = case["accessIdType"].as_str() == Some("user");
    let accept = text(case, "expect") == "accept" && is_user;
    for _ in 0..2 {
        let credentials = Credentials {
            tokens: &[text(case, "token")],
            authorization: None,
            api_key: None,
            client_certificate: None,
            over_tls: true,
            address: HERE,
        };
        match authenticator.authenticate(&credentials, NOW) {
            Verdict::Identified { identity, mechanism: Mechanism::Token, set_cookie: false } => {
                assert!(accept, "{name} was accepted");
                assert_eq!(identity.name, text(case, "user"), "{name}");
            }
            Verdict::BadToken => assert!(!accept, "{name} was refused"),
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn every_token_of_the_reference_server_gets_the_expected_verdict() {
    let vectors = read(include_str!("vectors/vectors.json"));
    let authenticator = authenticator("vectors.keys", Some("vectors"));
    let cases = vectors["cases"].as_array().expect("cases");
    assert_eq!(cases.len(), 38);
    cases.iter().for_each(|case| check_case(&authenticator, case));
}

#[test]
fn without_a_password_the_default_one_opens_a_key_file() {
    let vectors = read(include_str!("vectors/webas.json"));
    let authenticator = authenticator("webas.keys", None);
    vectors["cases"].as_array().expect("cases").iter().for_each(|case| check_case(&authenticator, case));
}

#[test]
fn the_users_and_expiry_times_of_good_tokens_are_read() {
    let vectors = read(include_str!("vectors/vectors.json"));
    let keys = LtpaKeys::parse(include_bytes!("vectors/vectors.keys"), "vectors").expect("keys");
    let mut read = 0;
    for case in vectors["cases"].as_array().expect("cases").iter().filter(|case| text(case, "expect") == "accept") {
        if text(case, "accessIdType") != "user" {
            continue;
        }
        let expected = Claims {
            user: text(case, "user").to_owned(),
            expires_ms: case["expireMs"].as_u64().expect("a number"),
            password_mark: None,
        };
        assert_eq!(token::open(text(case, "token"), &keys, REALM, NOW.as_millis()), Ok(expected), "{case}");
        read += 1;
    }
    assert!(read >= 15, "{read} cases");
}

/// Liberty signs and pads without randomness, so that the same user and expiry give the same token, byte for byte.
#[test]
fn we_mint_exactly_what_the_reference_server_minted() {
    let vectors = read(include_str!("vectors/vectors.json"));
    let keys = LtpaKeys::parse(include_bytes!("vectors/vectors.keys"), "vectors").expect("keys");
    let mut compared = 0;
    for case in vectors["cases"].as_array().expect("cases").iter().filter(|case| text(case, "origin") == "open-liberty")
    {
        let expires_ms = case["expireMs"].as_u64().expect("a number");
        let minted = token::mint(&keys, REALM, text(case, "user"), expires_ms, None).expect("mint");
        assert_eq!(minted, text(case, "token"), "{}", text(case, "name"));
        compared += 1;
    }
    assert!(compared >= 10, "{compared} cases");
}

#[test]
fn a_key_file_survives_being_written_and_read() {
    let keys = LtpaKeys::parse(include_bytes!("vectors/vectors.keys"), "vectors").expect("keys");
    let written = keys.to_file("ž other", "today");
    let again = LtpaKeys::parse(written.as_bytes(), "ž other").expect("readable");
    let token = token::mint(&keys, REALM, "mqapp", 1, None).expect("mint");
    assert_eq!(token::mint(&again, REALM, "mqapp", 1, None).expect("mint"), token);
    assert_eq!(again.to_file("ž other", "today"), written);
}

/// The public key is not encrypted, and the encrypted secrets have no randomness: what Liberty wrote comes out again.
#[test]
fn a_rewritten_key_file_holds_what_the_reference_server_wrote() {
    let original = include_bytes!("vectors/vectors.keys");
    let keys = LtpaKeys::parse(original, "vectors").expect("keys");
    let value_of = |contents: &[u8], key: &str| document::properties::parse(contents).get(key).cloned();
    let written = keys.to_file("vectors", "today");
    for key in ["version", "3DESKey", "PublicKey", "PrivateKey"].map(|key| format!("com.ibm.websphere.ltpa.{key}")) {
        assert_eq!(value_of(written.as_bytes(), &key), value_of(original, &key), "{key}");
    }
}

#[test]
fn a_wrong_password_does_not_open_a_key_file() {
    let error = LtpaKeys::parse(include_bytes!("vectors/vectors.keys"), "WebAS").expect_err("refused");
    assert_eq!(error, KeysError::Password);
}

#[test]
fn no_damage_to_a_key_file_goes_unnoticed() {
    let contents = String::from_utf8(include_bytes!("vectors/vectors.keys").to_vec()).expect("ASCII");
    for key in ["3DESKey", "PrivateKey", "PublicKey"] {
        let without: String = contents.lines().filter(|line| !line.contains(key)).map(|l| format!("{l}\n")).collect();
        assert!(matches!(LtpaKeys::parse(without.as_bytes(), "vectors"), Err(KeysError::Missing(_))), "{key}");
        let garbled = contents.replace(&format!("{key}="), &format!("{key}=!"));
        assert!(matches!(LtpaKeys::parse(garbled.as_bytes(), "vectors"), Err(KeysError::Base64(_))), "{key}");
    }
    let foreign = include_str!("vectors/webas.keys");
    let public = |text: &str| text.lines().find(|line| line.contains("PublicKey")).expect("a line").to_owned();
    let mixed = contents.replace(&public(&contents), &public(foreign));
    assert!(matches!(LtpaKeys::parse(mixed.as_bytes(), "vectors"), Err(KeysError::Mismatch)));
}

#[test]
fn every_encoded_password_is_understood() {
    let vectors = read(include_str!("vectors/passwords.json"));
    let cases = vectors["passwords"].as_array().expect("cases");
    let readers = [None, Some("mykey")].map(|key| (key, PasswordReader::new(key)));
    for case in cases {
        let (encoded, clear) = (text(case, "encoded"), text(case, "clear"));
        let key = case["aesKey"].as_str();
        let (_, reader) = readers.iter().find(|(known, _)| *known == key).expect("a known key");
        let password = reader.read(encoded).expect(encoded);
        assert!(password.matches(clear), "{encoded}");
        assert!(!password.matches(&format!("{clear}x")) && !password.matches(""), "{encoded}");
        match reader.decode(encoded) {
            Ok(decoded) => assert_eq!(decoded, clear, "{encoded}"),
            Err(error) => assert_eq!((error, encoded.starts_with("{hash}")), (PasswordError::OneWay("hash"), true)),
        }
    }
    assert_eq!(cases.len(), 16);
}

#[test]
fn an_aes_password_does_not_decrypt_with_another_key() {
    let own_key = "{aes}APsycNOYcBek4AW8avB0g+lsQjucru6oSsYws0TizsAK";
    let newer_form = "{aes}ARBnnj5aKAeKRqxd4CBEuKrjC1vDHLhI7A0fhHKB/eH1LE6xnVvNNi8XyhRLXepsYXhd93y1PxZ0x9x5nqETiaZqZrLHvC+oxXnuHHOat7txmaj+IFIOV5LXhWor8AsDz/IL0Wys7Ogb4g==";
    let reader = PasswordReader::new(Some("another key"));
    for encoded in [own_key, newer_form] {
        assert_eq!(reader.read(encoded).expect_err("refused"), PasswordError::Key);
    }
}

#[test]
fn a_request_without_a_token_has_no_credentials() {
    let authenticator = authenticator("vectors.keys", Some("{xor}KTo8KzAtLA=="));
    let credentials = Credentials {
        tokens: &[],
        authorization: None,
        api_key: None,
        client_certificate: None,
        over_tls: true,
        address: HERE,
    };
    assert!(matches!(authenticator.authenticate(&credentials, NOW), Verdict::NoCredentials));
}

#[test]
fn the_realm_date_and_order_of_a_key_file_do_not_matter() {
    let contents = include_str!("vectors/vectors.keys");
    let foreign = contents.replace("ltpa.Realm=defaultRealm", "ltpa.Realm=ldap.example.com\\:636");
    assert_ne!(foreign, contents);
    let mut lines: Vec<&str> = foreign.lines().filter(|line| !line.contains("Creation")).collect();
    lines.reverse();
    LtpaKeys::parse(lines.join("\n").as_bytes(), "vectors").expect("the same keys");
}

#[test]
fn a_hash_states_its_function_iterations_and_length() {
    let stated = "{hash}ARAAAAAUUEJLREYyV2l0aEhtYWNTSEE1MTIgAAAABAAAA+hQAAAABAAAAgAwAAAACAABAgMEBQYHQAAAAEDjWE7w0wQd1Pt\
                  crSSi3SqCjddN7d0+NZOkqAYDjWEDBrfoo4CfJCY0cqsf58Smdg4y8kJqkLLpVcAyie/6m947";
    let password = PasswordReader::new(None).read(stated).expect("readable");
    assert!(password.matches("passw0rd") && !password.matches("Passw0rd"));
}
