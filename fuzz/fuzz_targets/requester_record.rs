//! Any structure that places itself, any bytes as its record, and any text as its JSON: answered. What a record was decoded to
//! is encoded, and decoded to the same JSON again.

#![no_main]

use build_toolkit::archive::{Options, WhiteSpace};
use build_toolkit::structure::{Alignment, Item, Structure};
use codepage::ByteOrder;
use libfuzzer_sys::fuzz_target;
use requester::conversion::{Converter, FloatForm, Group, RecordForm};

/// Longer records only take time.
const MAXIMUM: u32 = 1 << 16;

fuzz_target!(|input: (u8, &str, &[u8], &[u8])| {
    let (choice, items, record, json) = input;
    let Ok(items) = serde_json::from_str::<Vec<Item>>(items) else { return };
    let body = Item::new("ReqBody", "ReqBody", build_toolkit::structure::Value::Group { items });
    let Ok(structure) = Structure::new(Alignment::Synchronized, vec![body]) else { return };
    if structure.length > MAXIMUM {
        return;
    }
    let form = RecordForm {
        order: if choice & 1 == 0 { ByteOrder::Big } else { ByteOrder::Little },
        float: if choice & 2 == 0 { FloatForm::Hexadecimal } else { FloatForm::Ieee },
        ccsid: [37, 1047, 819, 1208][usize::from(choice >> 2 & 3)],
    };
    let options = Options {
        white_space: if choice & 16 == 0 { WhiteSpace::Preserve } else { WhiteSpace::Collapse },
        data_truncation: choice & 32 == 0,
        runtime_ccsid: 37,
        api_keys: None,
    };
    let Ok(converter) = Converter::new(&structure, form, &options) else { return };
    let mut made = converter.empty_record();
    let _ = converter.encode(Group::Body, json, &mut made);
    let Ok(whole) = converter.whole(record) else { return };
    let mut text = Vec::new();
    if converter.decode(Group::Body, &whole, &mut text).is_err() {
        return;
    }
    let mut again = converter.empty_record();
    if converter.encode(Group::Body, &text, &mut again).is_ok() {
        let mut second = Vec::new();
        converter.decode(Group::Body, &again, &mut second).expect("what was encoded decodes");
        let mut third = converter.empty_record();
        converter.encode(Group::Body, &second, &mut third).expect("and encodes");
        assert_eq!(again, third);
    }
});
