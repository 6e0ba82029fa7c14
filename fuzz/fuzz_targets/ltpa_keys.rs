//! Any bytes as an LTPA key file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use identity::ltpa::keys::{DEFAULT_PASSWORD, LtpaKeys};

fuzz_target!(|contents: &[u8]| {
    if let Ok(keys) = LtpaKeys::parse(contents, DEFAULT_PASSWORD) {
        let written = keys.to_file(DEFAULT_PASSWORD, "");
        assert!(LtpaKeys::parse(written.as_bytes(), DEFAULT_PASSWORD).is_ok());
    }
});
