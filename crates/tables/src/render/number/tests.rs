use super::*;

#[test]
fn numbers_have_three_digits_that_count() {
    assert_eq!((plain(95.0), plain(10_000.0)), ("95".to_owned(), "10,000".to_owned()));
    let all = [0.0, 0.000_123_4, 0.012_34, 0.5, 1.2, 12.34, 123.4, 1234.5, 1_234_567.0, -12_345.0];
    let shown: Vec<_> = all.into_iter().map(plain).collect();
    assert_eq!(shown, ["0", "0.000123", "0.0123", "0.500", "1.20", "12.3", "123", "1,234", "1,234,567", "-12,345"]);
}

#[test]
fn ratios_percents_and_lengths_are_short() {
    assert_eq!((ratio(0.0191).as_str(), ratio(1.5).as_str()), ("×0.019", "×1.50"));
    assert_eq!((ratio(0.002_07).as_str(), ratio(0.41).as_str(), ratio(0.0).as_str()), ("×0.0021", "×0.41", "×0.00"));
    assert_eq!((percent(3.12), percent(12.3)), ("3.1 %".to_owned(), "12 %".to_owned()));
    assert_eq!((seconds(59.2), seconds(200.0)), ("59 s".to_owned(), "3 min 20 s".to_owned()));
    assert_eq!(bytes(25_769_803_776), "24 GiB");
}
