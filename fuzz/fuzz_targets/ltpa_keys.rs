//! Any bytes as an LTPA key file.
#![no_main]

use identity::ltpa::keys::{DEFAULT_PASSWORD, LtpaKeys};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|contents: &[u8]| {
    if let Ok(keys) = LtpaKeys::parse(contents, DEFAULT_PASSWORD) {
        let written = keys.to_file(DEFAULT_PASSWORD, "");
        assert!(LtpaKeys::parse(written.as_bytes(), DEFAULT_PASSWORD).is_ok());
    }
});
