use std::time::Duration;

use super::*;

#[test]
fn an_identifier_is_text_or_hexadecimal_digits_filled_up_with_zeros() {
    let id = |value: &str| parse_identifier(value.as_bytes());
    let mut abc = [0; 24];
    abc[..3].copy_from_slice(b"abc");
    assert_eq!(id("abc"), Some(abc));
    assert_eq!(id("0x:616263"), Some(abc));
    assert_eq!(id(&format!("0x:{}", "fF".repeat(24))), Some([255; 24]));
    assert_eq!(id("abcdefghijklmnopqrstuvwx").map(|id| id[23]), Some(b'x'));
    for wrong in ["", "0x:", "0x:1", "0x:zz", &format!("0x:{}", "00".repeat(25)), "abcdefghijklmnopqrstuvwxy"] {
        assert_eq!(id(wrong), None, "{wrong}");
    }
}

#[test]
fn headers_that_are_no_numbers_are_refused_by_their_own_identifier() {
    let headers = Headers { expiry: Some(b"abc"), wait_interval: Some(b"1.5"), ..Headers::default() };
    assert_eq!(expiry("s", &headers).unwrap_err().id, "BAQM0009E");
    assert_eq!(wait_interval(&headers).unwrap_err().id, "BAQR0901W");
    let headers = Headers { expiry: Some(b"2147483648"), persistence: Some(b"yes"), ..Headers::default() };
    assert_eq!(expiry("s", &headers).unwrap_err().status, 400);
    assert_eq!(persistence("s", &headers).unwrap_err().id, "BAQM0010E");
    let headers =
        Headers { expiry: Some(b"-1"), wait_interval: Some(b"-1"), retain: Some(b"TRUE"), ..Headers::default() };
    assert_eq!(expiry("s", &headers), Ok(Some(-1)));
    assert_eq!(wait_interval(&headers), Ok(Some(Wait::Unlimited)));
    assert_eq!(retain(&headers), Ok(true));
}

#[test]
fn lifetimes_are_tenths_of_a_second_rounded_up_and_never_none() {
    assert_eq!(tenths(None), Expiry::UNLIMITED);
    assert_eq!(tenths(Some(Duration::ZERO)), Expiry(1));
    assert_eq!(tenths(Some(Duration::from_millis(101))), Expiry(2));
    assert_eq!(tenths(Some(Duration::from_millis(10_000))), Expiry(100));
}
