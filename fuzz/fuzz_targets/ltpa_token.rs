//! Any bytes as the value of an LTPA cookie, and as what is in one after decryption.
#![no_main]

use std::sync::LazyLock;

use identity::ltpa::keys::LtpaKeys;
use identity::ltpa::token;
use libfuzzer_sys::fuzz_target;

static KEYS: LazyLock<LtpaKeys> = LazyLock::new(|| {
    let contents = include_bytes!("../../crates/identity/tests/it/vectors/vectors.keys");
    LtpaKeys::parse(contents, "vectors").expect("the vectors' keys")
});

fuzz_target!(|text: &str| {
    let _ = token::open(text, &KEYS, "defaultRealm", 0);
    let _ = token::check(text, &KEYS, "defaultRealm", 0);
});
