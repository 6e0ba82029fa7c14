//! Lines and their breaks.

use super::{Writer, clause};
use crate::structure::Value;

fn broken(line: &str) -> Vec<String> {
    let mut writer = Writer::new(6, 13);
    writer.write(line);
    writer.code.lines().map(str::to_owned).collect()
}

#[test]
fn a_long_line_is_broken_at_a_blank_and_goes_on_in_column_13() {
    let line = "                 12 lastName-length               PIC S9999 COMP-5 SYNC.";
    assert_eq!(broken(line), [line[..66].to_owned(), "            SYNC.".to_owned()]);
    let deep = format!("{:41}48 {:30} PIC S9(9) COMP-5 SYNC.", "", "a-name-of-thirty-characters-12");
    let lines = broken(&deep);
    assert!(lines.iter().all(|line| line.len() <= 71), "{lines:?}");
    assert_eq!(
        lines.concat().split_whitespace().collect::<Vec<_>>().concat(),
        deep.split_whitespace().collect::<Vec<_>>().concat()
    );
}

#[test]
fn packed_decimals_show_where_their_point_is() {
    let packed = |digits, scale, signed| clause(&Value::Packed { digits, scale, signed });
    assert_eq!(packed(18, 2, false), "PIC 9(16)V9(2) COMP-3");
    assert_eq!(packed(31, 0, true), "PIC S9(31) COMP-3");
    assert_eq!(packed(4, 4, true), "PIC SV9(4) COMP-3");
}
