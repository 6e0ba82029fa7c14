use std::os::unix::fs::PermissionsExt;

use super::*;

fn new(user: &str) -> NewApiKey {
    let scope = Scope::parse(&["ORDERS.*".to_owned()], &[], &["put".to_owned()]).expect("a scope");
    NewApiKey { name: "orders".to_owned(), user: user.to_owned(), expires: None, scope }
}

fn at(seconds: u64) -> Timestamp {
    Timestamp::from_millis(seconds * 1000)
}

fn is_good(keys: &ApiKeys, text: &str, now: Timestamp) -> bool {
    matches!(keys.find(text, now), Found::Good(_))
}

#[test]
fn a_key_is_good_with_its_whole_text_alone() {
    let keys = ApiKeys::in_memory();
    let (key, text) = keys.create(new("app"), at(1)).expect("made");
    assert!(text.starts_with(&format!("qm_{}_", key.id)) && text.len() == 88, "{text}");
    assert!(is_good(&keys, &text, at(2)));
    let (_, other) = keys.create(new("app"), at(1)).expect("made");
    assert_ne!(text, other);
    // The id of one key with the secret of another, and every text in which one digit differs.
    let mixed = parse(&other).map(|parts| format!("qm_{}_{}", key.id, parts.secret)).expect("a key");
    let sum = hex_of(&mixed);
    assert!(matches!(keys.find(&format!("{mixed}{sum}"), at(2)), Found::Wrong(Some(id)) if id == key.id));
    for index in 0..text.len() {
        let mut changed = text.clone().into_bytes();
        changed[index] = if changed[index] == b'0' { b'1' } else { b'0' };
        let changed = String::from_utf8(changed).expect("ASCII");
        assert!(!is_good(&keys, &changed, at(2)), "{changed}");
    }
    for text in ["", "qm_", "qm_x", &text[..87], &format!("{text}0"), &text.to_uppercase()] {
        assert!(matches!(keys.find(text, at(2)), Found::Wrong(_)), "{text}");
    }
}

/// The checksum that a key made of these parts would have.
fn hex_of(checked: &str) -> String {
    use sha2::{Digest, Sha256};
    text::hexadecimal(&Sha256::digest(checked.as_bytes())[..4])
}

#[test]
fn a_key_ends_with_its_time_and_when_it_is_revoked() {
    let keys = ApiKeys::in_memory();
    let (_, text) = keys.create(NewApiKey { expires: Some(at(10)), ..new("app") }, at(1)).expect("made");
    assert!(is_good(&keys, &text, at(9)));
    assert!(matches!(keys.find(&text, at(10)), Found::Expired(_)));
    assert!(matches!(keys.create(NewApiKey { expires: Some(at(1)), ..new("app") }, at(1)), Err(ApiKeyError::Expired)));
    let (key, text) = keys.create(new("app"), at(1)).expect("made");
    assert!(keys.revoke(&key.id).expect("revoked"));
    assert!(matches!(keys.find(&text, at(2)), Found::Wrong(_)));
    assert!(!keys.revoke(&key.id).expect("nothing to do"));
}

#[test]
fn keys_outlive_a_restart_in_a_file_of_their_owner_that_holds_no_secret() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("api-keys.json");
    let keys = ApiKeys::open(&path).expect("no file yet");
    let (key, text) = keys.create(NewApiKey { expires: Some(at(100)), ..new("app") }, at(1)).expect("made");
    let (gone, gone_text) = keys.create(new("other"), at(1)).expect("made");
    keys.revoke(&gone.id).expect("revoked");
    let mode = std::fs::metadata(&path).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let written = std::fs::read_to_string(&path).expect("text");
    assert!(!written.contains(parse(&text).expect("a key").secret), "{written}");
    let again = ApiKeys::open(&path).expect("the same file");
    assert!(is_good(&again, &text, at(2)) && !is_good(&again, &gone_text, at(2)));
    let read = again.list().pop().expect("one");
    assert_eq!((&read.id, &read.user, &read.name, read.expires), (&key.id, &key.user, &key.name, key.expires));
    assert_eq!(read.scope, key.scope);
}

#[test]
fn a_use_is_written_once_a_minute_at_most_and_at_the_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("api-keys.json");
    let keys = ApiKeys::open(&path).expect("no file yet");
    let (_, text) = keys.create(new("app"), at(1)).expect("made");
    let written = || ApiKeys::open(&path).expect("a file").list()[0].last_used();
    assert!(is_good(&keys, &text, at(100)));
    keys.write_uses(at(100), false).expect("written");
    assert_eq!(written(), Some(at(100)));
    assert!(is_good(&keys, &text, at(130)));
    keys.write_uses(at(131), false).expect("not due");
    assert_eq!((written(), keys.list()[0].last_used()), (Some(at(100)), Some(at(130))));
    keys.write_uses(at(160), false).expect("written");
    assert_eq!(written(), Some(at(130)));
    assert!(is_good(&keys, &text, at(162)));
    keys.write_uses(at(163), true).expect("written at once");
    assert_eq!(written(), Some(at(162)));
}

#[test]
fn a_damaged_file_is_not_taken_for_an_empty_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("api-keys.json");
    for text in ["", "{}", "{\"version\": 2, \"keys\": []}", "{\"version\": 1, \"keys\": [{}]}"] {
        put(&path, text);
        assert!(matches!(ApiKeys::open(&path), Err(ApiKeyError::Damaged { .. })), "{text}");
    }
}

#[expect(clippy::disallowed_methods, reason = "a temporary file of a test")]
fn put(path: &Path, text: &str) {
    std::fs::write(path, text).expect("written");
}
