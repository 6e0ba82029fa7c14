//! Laws: what was encoded decodes to the same values, and what was decoded encodes to the same bytes.

use codepage::ByteOrder;
use copybook::{ConvertOptions, FloatForm};
use proptest::prelude::*;

use crate::{converter, hexadecimal};

const NUMBERS: &str = "01 R. 05 A PIC S9(9)V9(4). 05 B PIC S9(9)V9(4) COMP-3. 05 C PIC S9(9)V9(4) COMP.
    05 D PIC S9(9)V9(4) SIGN LEADING SEPARATE. 05 E PIC -(9)9.9(4). 05 F PIC S9(9)V9(4) COMP-5. 05 G PIC S9(9)V9(4) SIGN LEADING.";

fn options(choice: u8) -> ConvertOptions {
    ConvertOptions {
        byte_order: if choice & 1 == 0 { ByteOrder::Big } else { ByteOrder::Little },
        float: if choice & 2 == 0 { FloatForm::Hexadecimal } else { FloatForm::Ieee },
        ..ConvertOptions::of_ccsid(if choice & 4 == 0 { 37 } else { 819 })
    }
}

/// Shortest form of a number of four decimals.
fn shown(value: i64) -> String {
    let text = format!("{:05}", value.unsigned_abs());
    let (before, behind) = text.split_at(text.len() - 4);
    let behind = behind.trim_end_matches('0');
    let sign = if value < 0 { "-" } else { "" };
    if behind.is_empty() { format!("{sign}{before}") } else { format!("{sign}{before}.{behind}") }
}

proptest! {
    #[test]
    fn a_number_is_the_same_in_every_usage(value in -9_999_999_999_999i64..=9_999_999_999_999, choice in 0u8..8) {
        let number = shown(value);
        let json = format!("{{{}}}", ["A", "B", "C", "D", "E", "F", "G"].map(|name| format!("\"{name}\":{number}")).join(","));
        let converter = converter(NUMBERS, &options(choice));
        let mut record = Vec::new();
        converter.encode(json.as_bytes(), &mut record).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let mut again = Vec::new();
        converter.decode(&record, &mut again).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(String::from_utf8_lossy(&again), json);
    }

    #[test]
    fn text_comes_back_but_for_blanks_at_its_end(text in "[ -~é£\n]{0,12}", choice in 0u8..8) {
        let converter = converter("01 R. 05 A PIC X(12). 05 B PIC N(12). 05 C PIC U(12).", &options(choice));
        let text = text.trim_end_matches(' ');
        let string = serde_json::to_string(text).expect("JSON");
        let json = format!("{{\"A\":{string},\"B\":{string},\"C\":{string}}}");
        let mut record = Vec::new();
        converter.encode(json.as_bytes(), &mut record).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let mut again = Vec::new();
        converter.decode(&record, &mut again).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(String::from_utf8_lossy(&again), json);
    }

    #[test]
    fn bytes_that_decode_encode_to_the_same_bytes(
        float: u64, short: u32, binary: u64, packed in 0u64..10_000_000, count in 0u8..4, items: [u8; 3], choice in 0u8..8
    ) {
        let text = "01 R. 05 F COMP-2. 05 G COMP-1. 05 B PIC S9(18) COMP-5. 05 P PIC S9(7) COMP-3. 05 N PIC 9(2) COMP-X.
            05 T PIC X COMP-X OCCURS 0 TO 3 DEPENDING ON N. 05 Z PIC 9(2) COMP-6.";
        let mut record = Vec::new();
        record.extend(float.to_be_bytes());
        record.extend(short.to_be_bytes());
        record.extend(binary.to_be_bytes());
        let digits = format!("{packed:07}C");
        record.extend((0..4).map(|at| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).expect("two digits")));
        record.push(count);
        record.extend(&items[..usize::from(count)]);
        record.push(0x42);
        let converter = converter(text, &options(choice));
        let mut json = Vec::new();
        // Not every float is a number that JSON has.
        if converter.decode(&record, &mut json).is_ok() {
            let mut once = Vec::new();
            converter.encode(&json, &mut once).map_err(|error| TestCaseError::fail(error.to_string()))?;
            let mut second = Vec::new();
            converter.decode(&once, &mut second).map_err(|error| TestCaseError::fail(error.to_string()))?;
            prop_assert_eq!(String::from_utf8_lossy(&second), String::from_utf8_lossy(&json));
            // A hexadecimal float may be written in more than one way; everything else has one form.
            prop_assert_eq!(hexadecimal(&once[12..]), hexadecimal(&record[12..]));
            if choice & 2 != 0 {
                prop_assert_eq!(hexadecimal(&once), hexadecimal(&record));
            }
        }
    }
}
