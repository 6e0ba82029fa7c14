//! Any bytes as the value of an Authorization header.
#![no_main]

use identity::basic;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|value: &[u8]| {
    if let Some(credentials) = basic::parse(value) {
        assert!(!credentials.user.contains(':'));
    }
});
