//! Any text is split and parsed without a panic, and in time that its length warrants.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|script: &str| {
    for source in command::split(script) {
        command::verify(&source.text);
    }
});
