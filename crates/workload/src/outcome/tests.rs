use super::*;

#[test]
fn a_figure_tells_its_median_and_how_far_values_lie_apart() {
    let odd = Figure::of(vec![12.0, 8.0, 10.0]);
    assert_eq!((odd.median, odd.low, odd.high, odd.repetitions), (10.0, 8.0, 12.0, 3));
    assert!((odd.spread_percent - 40.0).abs() < 1e-9);
    assert!((Figure::of(vec![1.0, 2.0]).median - 1.5).abs() < 1e-9);
    assert_eq!(Figure::of(Vec::new()), Figure::default());
}

#[test]
fn judgements_are_in_order_from_good_to_bad() {
    use Judgement::{Broken, Clean, NotExamined, NothingDone};
    assert!(Clean < NothingDone && NothingDone < NotExamined && NotExamined < Broken);
}
