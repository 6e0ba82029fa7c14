//! Any bytes as a record, and any text as its JSON: answered. What a record was decoded to is encoded and decoded to the
//! same JSON again.

#![no_main]

use codepage::ByteOrder;
use copybook::{ConvertOptions, Converter, Copybook, FloatForm, Format, LayoutOptions, ParseOptions};
use libfuzzer_sys::fuzz_target;

/// Longer records only take time.
const MAXIMUM: usize = 1 << 16;

fuzz_target!(|input: (u8, &str, &[u8])| {
    let (choice, text, record) = input;
    let parse = ParseOptions { format: Format::Free, ..ParseOptions::default() };
    let Ok(copybook) = Copybook::parse(text, &parse) else { return };
    let Ok(layout) = copybook.layout(None, &LayoutOptions::default()) else { return };
    if layout.length > MAXIMUM {
        return;
    }
    let options = ConvertOptions {
        byte_order: if choice & 1 == 0 { ByteOrder::Big } else { ByteOrder::Little },
        float: if choice & 2 == 0 { FloatForm::Hexadecimal } else { FloatForm::Ieee },
        full_binary: true,
        ignore_excess: choice & 4 == 0,
        allow_short: choice & 8 == 0,
        ..ConvertOptions::of_ccsid([37, 1047, 819, 1208][usize::from(choice >> 4 & 3)])
    };
    let Ok(converter) = Converter::new(&layout, &options) else { return };
    assert!(layout.schema(&options).is_ok());
    let mut encoded = Vec::new();
    let _ = converter.encode(record, &mut encoded);
    let mut json = Vec::new();
    if converter.decode(record, &mut json).is_err() {
        return;
    }
    let mut again = Vec::new();
    if converter.encode(&json, &mut again).is_ok() {
        let mut second = Vec::new();
        converter.decode(&again, &mut second).expect("what was encoded decodes");
        let mut third = Vec::new();
        converter.encode(&second, &mut third).expect("and encodes");
        assert_eq!(again, third);
    }
});
