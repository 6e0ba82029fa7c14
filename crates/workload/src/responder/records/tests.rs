use bytes::BytesMut;

use super::{RecordError, Records};

const FIXED: Records = Records::Fixed { request_length: Some(3), reply_length: 4 };

/// What is taken from `written` arriving byte by byte, and what is left.
fn taken(records: Records, written: &[u8]) -> (Vec<Vec<u8>>, Vec<u8>) {
    let (mut all, mut buffer) = (Vec::new(), BytesMut::new());
    for byte in written {
        buffer.extend_from_slice(&[*byte]);
        all.extend(records.take(&mut buffer).unwrap().map(|record| record.to_vec()));
    }
    (all, buffer.to_vec())
}

#[test]
fn fixed_records_have_nothing_around_them() {
    assert_eq!(&FIXED.frame(b"a\nb").unwrap()[..], b"a\nb");
    assert_eq!(FIXED.frame(b"ab"), Err(RecordError::RequestLength { length: 2, expected: 3 }));
    assert_eq!(taken(FIXED, b"abcdefghi"), (vec![b"abcd".to_vec(), b"efgh".to_vec()], b"i".to_vec()));
}

#[test]
fn variable_records_have_their_length_before_them() {
    assert_eq!(&Records::Variable.frame(b"abc").unwrap()[..], b"\0\x03\0\0abc");
    assert!(matches!(Records::Variable.frame(&[0; 65_536]), Err(RecordError::TooLong { .. })));
    let written = b"\0\x02\0\0ab\0\0\0\0\0\x01\0\0c\0";
    assert_eq!(taken(Records::Variable, written), (vec![b"ab".to_vec(), vec![], b"c".to_vec()], vec![0]));
    let mut wrong = BytesMut::from(&b"\0\x02\x01\0ab"[..]);
    assert!(matches!(Records::Variable.take(&mut wrong), Err(RecordError::Prefix { .. })));
}

#[test]
fn lines_end_with_a_line_feed() {
    assert_eq!(&Records::Line.frame(b"abc").unwrap()[..], b"abc\n");
    assert_eq!(Records::Line.frame(b"a\nb"), Err(RecordError::LineFeed));
    assert_eq!(taken(Records::Line, b"ab\n\nc"), (vec![b"ab".to_vec(), vec![]], b"c".to_vec()));
}
