//! Any bytes in any two character sets: answered, and Unicode sets give back what they took.
#![no_main]

use codepage::{ByteOrder, CharacterSet, convert};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u16, u16, bool, &[u8])| {
    let (from, to, little_endian, bytes) = input;
    let order = if little_endian { ByteOrder::Little } else { ByteOrder::Big };
    let (Some(from), Some(to)) = (CharacterSet::of(from.into(), order), CharacterSet::of(to.into(), order)) else {
        return;
    };
    let _ = convert(from, to, bytes);
    let mut text = String::new();
    if from.decode(bytes, &mut text) == Ok(0) {
        let mut back = Vec::new();
        assert_eq!(from.encode(&text, &mut back), 0);
        assert_eq!(back, bytes);
    }
});
