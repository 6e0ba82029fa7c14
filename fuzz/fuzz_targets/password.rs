//! Any text as a stored password.
#![no_main]

use std::sync::LazyLock;

use identity::password::PasswordReader;
use libfuzzer_sys::fuzz_target;

static READER: LazyLock<PasswordReader> = LazyLock::new(|| PasswordReader::new(None));

fuzz_target!(|stored: &str| {
    if let Ok(password) = READER.read(stored)
        && !password.is_slow()
    {
        let clear = READER.decode(stored).expect("a password that is compared as clear text can be decoded");
        assert!(password.matches(&clear));
    }
});
