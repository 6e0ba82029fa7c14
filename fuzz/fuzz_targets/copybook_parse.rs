//! Any text is read as a copybook without a panic, in time that its length warrants, with COPY answered by a part of it.

#![no_main]

use copybook::{Copybook, Format, ParseOptions};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, &str, &str)| {
    let (choice, text, member) = input;
    let resolver = |_: &str, _: Option<&str>| Some(member.to_owned());
    let options = ParseOptions {
        format: [Format::Detect, Format::Fixed, Format::Variable, Format::Free][usize::from(choice % 4)],
        resolver: (choice & 4 == 0).then_some(&resolver),
        decimal_comma: choice & 8 != 0,
        ..ParseOptions::default()
    };
    if let Err(error) = Copybook::parse(text, &options) {
        assert!(!error.to_string().is_empty());
    }
});
