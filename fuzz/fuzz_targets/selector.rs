//! Selectors: no text makes the parser panic, and what parses can be asked of any message.
#![no_main]

use libfuzzer_sys::fuzz_target;
use model::descriptor::{Encoding, Format, MessageDescriptor};
use queue_manager::selector::Selector;

fuzz_target!(|bytes: &[u8]| {
    // The text ends at the first NUL; what follows is a body.
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let Ok(text) = std::str::from_utf8(&bytes[..end]) else { return };
    let Ok(selector) = Selector::parse(text) else { return };
    let body = &bytes[end..];
    let descriptor =
        MessageDescriptor { format: Format::RF_HEADER_2, encoding: Encoding::BIG_ENDIAN, ..Default::default() };
    assert_eq!(selector.matches(&descriptor, body), selector.matches(&descriptor, body));
    selector.matches(&MessageDescriptor::default(), body);
});
