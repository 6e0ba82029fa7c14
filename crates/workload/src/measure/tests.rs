use super::*;

#[test]
fn percentiles_come_from_what_was_recorded() {
    let mut times = ResponseTimes::new();
    let mut late = ResponseTimes::new();
    (1..=99).for_each(|ms| times.record(Duration::from_millis(ms)));
    late.record(Duration::from_millis(500));
    times.add(&late);
    let summary = times.summary();
    assert_eq!(times.count(), 100);
    assert!((summary.p50_us - 50_000.0).abs() < 100.0, "{summary:?}");
    assert!((summary.p90_us - 90_000.0).abs() < 100.0, "{summary:?}");
    assert!((summary.max_us - 500_000.0).abs() < 600.0, "{summary:?}");
}
