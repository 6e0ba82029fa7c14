//! YAML texts: whatever is read can be written and is read back the same.

#![no_main]

use document::yaml::{Scalars, lines, read, write};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = (read(text, Scalars::Text), lines(text));
    if let Ok(value) = read(text, Scalars::Typed) {
        let written = write(&value);
        assert_eq!(read(&written, Scalars::Typed).as_ref(), Ok(&value), "{written}");
    }
});
