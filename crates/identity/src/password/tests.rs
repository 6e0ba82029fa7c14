use proptest::prelude::*;

use super::*;

fn reader() -> PasswordReader {
    PasswordReader::new(None)
}

#[test]
fn clear_text_needs_no_prefix_and_may_hold_braces() {
    for clear in ["passw0rd", "", "{", "{}x", "{not a form}", "a{xor}b"] {
        assert_eq!(reader().decode(clear).as_deref(), Ok(clear));
        assert!(reader().read(clear).expect("readable").matches(clear));
    }
}

#[test]
fn names_of_forms_are_compared_without_case() {
    assert_eq!(reader().decode("{XoR}CDo9Hgw=").as_deref(), Ok("WebAS"));
}

#[test]
fn custom_and_unknown_forms_are_refused() {
    let refused = reader().read("{custom}abc").expect_err("refused");
    assert_eq!(refused, PasswordError::UnknownForm("custom".to_owned()));
}

#[test]
fn damaged_forms_are_refused() {
    for damaged in ["{xor}%", "{aes}", "{aes}AA==", "{aes}Ag==", "{aes}ARA=", "{hash}AQ==", "{hash}", "{argon2id}x"] {
        reader().read(damaged).expect_err(damaged);
    }
}

#[test]
fn one_way_passwords_are_not_read_back() {
    let encoded = encode_argon2id("secret").expect("hash");
    assert_eq!(reader().decode(&encoded), Err(PasswordError::OneWay("argon2id")));
}

#[test]
fn our_own_hash_matches_its_password_only() {
    let encoded = encode_argon2id("secret").expect("hash");
    assert!(encoded.starts_with("{argon2id}$argon2id$v=19$m=19456,t=2,p=1$"), "{encoded}");
    let password = reader().read(&encoded).expect("readable");
    assert!(password.is_slow());
    assert!(password.matches("secret"));
    assert!(!password.matches("Secret"));
    assert_ne!(encoded, encode_argon2id("secret").expect("hash"), "the salt is fresh");
}

#[test]
fn a_hash_that_would_take_all_memory_is_refused() {
    let encoded = encode_argon2id("x").expect("hash").replace("m=19456", "m=4194304");
    assert_eq!(reader().read(&encoded).expect_err("refused"), PasswordError::Parameters("argon2id"));
}

#[test]
fn nothing_of_a_password_is_printed() {
    let password = reader().read("secret").expect("readable");
    assert_eq!(format!("{password:?}"), "Password");
}

proptest! {
    #[test]
    fn decoding_undoes_xor_encoding(clear in "\\PC{0,40}") {
        prop_assert_eq!(reader().decode(&encode_xor(&clear)), Ok(clear));
    }

    #[test]
    fn any_text_is_read_without_a_panic(form in "xor|hash|argon2id|aes", text in "[A-Za-z0-9+/=$,]{0,80}") {
        // First bytes 0 and 1 of {aes} would derive a key, slow on purpose; the vectors cover those.
        prop_assume!(form != "aes" || !text.starts_with('A'));
        let _ = reader().read(&format!("{{{form}}}{text}"));
    }
}
