use super::*;

#[test]
fn an_order_has_two_numbers_of_eight_digits() {
    assert_eq!(order(1, 16), *b"0000000100000016");
    assert_eq!(order(99_999_999, 0), *b"9999999900000000");
    assert_eq!(order(u64::MAX, 2048), *b"9999999900002048", "what has no room is the highest number");
}

#[test]
fn an_answer_is_read_by_its_columns_and_nothing_else_is_one() {
    let outcome = CallOutcome::parse(b"00 000200 0000000016 000008192 000256 Y\n").unwrap();
    let expected =
        CallOutcome { return_code: 0, status_code: 200, received: 16, sent: 8192, entries: 256, is_right: true };
    assert_eq!(outcome, expected);
    let refused = CallOutcome::parse(b"02 000404 0000000000 000000000 000000 N\n").unwrap();
    assert_eq!((refused.return_code, refused.status_code, refused.is_right), (2, 404, false));
    for bad in [&b"00 000200 0000000016 000008192 000256 Y"[..], b"", b"0x 000200 0000000016 000008192 000256 Y\n"] {
        assert_eq!(CallOutcome::parse(bad), None);
    }
}
