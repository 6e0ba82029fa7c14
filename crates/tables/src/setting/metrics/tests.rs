use super::Metrics;

#[test]
fn samples_of_one_name_are_added_by_label() {
    let metrics = Metrics::of("# HELP x y\n# TYPE x counter\nx{qmgr=\"A\"} 1.5\nx{qmgr=\"B\"} 2\nx_count 7\n");
    assert_eq!(metrics.sum("x", ""), Some(3.5));
    assert_eq!(metrics.sum("x", "qmgr=\"B\""), Some(2.0));
    assert_eq!(metrics.sum("x_count", ""), Some(7.0));
    assert_eq!(metrics.sum("x_sum", ""), None);
}
