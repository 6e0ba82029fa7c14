use super::*;

#[test]
fn the_median_of_an_even_number_lies_between_the_two_in_the_middle() {
    let measured = Measured::of(&[4.0, 1.0, 3.0, 2.0]).unwrap();
    assert_eq!((measured.median, measured.low, measured.high, measured.repetitions), (2.5, 1.0, 4.0, 4));
    assert_eq!(measured.spread_percent(), Some(120.0));
}

#[test]
fn without_a_finite_value_there_is_no_figure() {
    assert_eq!(Measured::of(&[]), None);
    assert_eq!(Measured::of(&[f64::NAN]), None);
    assert_eq!(Cell::measured(None).state, State::NotMeasured);
}

#[test]
fn a_ratio_is_measured_over_published() {
    let printed = Printed { text: "8".to_owned(), value: Some(8.0) };
    assert_eq!(Cell::measured(Measured::of(&[2.0])).beside(printed).ratio, Some(0.25));
    assert_eq!(Cell::measured(Measured::of(&[2.0])).beside(Printed::chart_only()).ratio, None);
    assert_eq!(Cell::not_applicable("no such thing").beside(Printed::chart_only()).ratio, None);
}
