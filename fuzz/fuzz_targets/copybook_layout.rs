//! Whatever is parsed is laid out: items lie inside their groups, alternatives on what they redefine, the others behind
//! each other.

#![no_main]

use copybook::{Copybook, Format, LayoutOptions, ParseOptions, Slack};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (bool, &str)| {
    let (enterprise, text) = input;
    let options = ParseOptions { format: Format::Free, ..ParseOptions::default() };
    let Ok(copybook) = Copybook::parse(text, &options) else { return };
    let slack = if enterprise { Slack::Enterprise } else { Slack::Natural };
    let options = LayoutOptions { slack, ..LayoutOptions::default() };
    for name in copybook.record_names() {
        let Ok(layout) = copybook.layout(Some(name), &options) else { continue };
        assert!(layout.minimum_length <= layout.length);
        for item in &layout.items {
            let mut free = item.offset;
            for &child in &item.children {
                let child = &layout.items[child];
                match child.redefines {
                    Some(redefined) => assert_eq!(child.offset, layout.items[redefined].offset),
                    None => assert!(child.offset >= free),
                }
                let end = child.offset + child.total_length();
                assert!(end <= item.offset + item.length);
                free = free.max(end);
            }
        }
    }
});
