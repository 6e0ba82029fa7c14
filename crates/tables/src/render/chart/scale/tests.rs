use super::*;

fn labels(scale: &Scale) -> Vec<String> {
    scale.ticks.iter().map(label).collect()
}

#[test]
fn a_logarithmic_axis_has_ticks_at_one_two_and_five() {
    let scale = Scale::of([0.3, 40.0].into_iter(), true, false);
    assert_eq!(labels(&scale), ["0.2", "0.5", "1", "2", "5", "10", "20", "50"]);
    let wide = Scale::of([0.03, 400.0].into_iter(), true, true);
    assert_eq!(labels(&wide), ["0.1", "1", "10", "100"]);
}

#[test]
fn a_linear_axis_begins_at_zero() {
    let scale = Scale::of([120.0, 669.0].into_iter(), false, false);
    assert_eq!(labels(&scale), ["0", "200", "400", "600"]);
}

#[test]
fn an_axis_without_values_is_drawn_too() {
    let scale = Scale::of(std::iter::empty(), true, false);
    assert!(scale.low < scale.high);
}

#[test]
fn equal_ratios_are_equally_far_apart_on_a_logarithmic_axis() {
    let scale = Scale { is_logarithmic: true, low: 1.0, high: 100.0, ticks: Vec::new() };
    assert_eq!([1.0, 10.0, 100.0].map(|value| scale.map(&value, (50, 250))), [50, 150, 250]);
    assert_eq!(Scale::rows(2).map(&0.0, (100, 0)), 27);
}
