use super::*;

#[test]
fn a_bar_holds_up_to_its_limit_and_a_figure_without_one_never_fails() {
    let mut report = Report::new(vec![("processor".into(), "1 x test".into())], false);
    report.add(Bar::at_most("quick enough", 300.0).value(300.0, "ms"));
    report.add(Bar::figure("only shown").value(1e9, "MiB"));
    assert!(report.all_hold());
    report.add(Bar::at_least("fast enough", 2.5).value(2.49, "x"));
    assert!(!report.all_hold());
    let table = report.to_markdown();
    assert!(table.contains("| quick enough | 300 ms | - | - | <= 300 | yes |"), "{table}");
    assert!(table.contains("| fast enough | 2.49 x | - | - | >= 2.5 | **no** |"), "{table}");
}

#[test]
fn what_was_not_measured_does_not_hold() {
    let mut report = Report::new(Vec::new(), true);
    report.add(Bar::at_most("nothing", 1.0).value(f64::NAN, "s"));
    assert!(!report.all_hold());
}

#[test]
fn a_published_figure_stands_beside_ours_without_a_demand() {
    let mut report = Report::new(Vec::new(), false);
    report.add(Bar::figure("a connection").beside(250.0, 1000.0, "published: z14", "µs"));
    assert!(report.all_hold());
    let table = report.to_markdown();
    assert!(table.contains("| a connection | 250 µs | 1000 µs (published: z14) | 0.25 x | - | - |"), "{table}");
}

#[test]
fn limits_are_shown_with_three_digits_that_matter() {
    let shown = [300.0, 1.0, 1.25, 150.0 / 36.0, 30.0 / 36.0, 1.0 / 6.0, 1.0 / 60.0, 0.99].map(bound);
    assert_eq!(shown, ["300", "1", "1.25", "4.17", "0.833", "0.167", "0.0167", "0.99"]);
}
