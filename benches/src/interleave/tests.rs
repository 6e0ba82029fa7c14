use std::cell::RefCell;

use super::*;

/// Says one of these each round.
fn cell<const ROUNDS: usize>(name: &'static str, values: [f64; ROUNDS]) -> Cell<'static> {
    let mut values = values.into_iter();
    Cell::new(name, move || values.next().context("a value for each round"))
}

#[test]
fn rounds_alternate_direction_and_ratios_are_of_the_same_round() {
    let order = RefCell::new(String::new());
    let cell = |name: &'static str, values: [f64; 3]| {
        let mut values = values.into_iter();
        let order = &order;
        Cell::new(name, move || {
            order.borrow_mut().push_str(name);
            values.next().context("three rounds")
        })
    };
    // The machine slows down threefold; the ratio does not change.
    let measured = interleave(3, vec![cell("a", [10.0, 20.0, 30.0]), cell("b", [5.0, 10.0, 15.0])]).unwrap();
    assert_eq!(*order.borrow(), "abbaab");
    assert_eq!(measured.median("a"), 20.0);
    assert_eq!(measured.ratio("a", "b"), 2.0);
    assert_eq!(measured.difference("a", "b"), 10.0);
}

#[test]
fn cells_beside_each_other_are_compared_round_by_round() {
    let measured = interleave(3, vec![cell("a", [10.0, 40.0, 30.0]), cell("b", [10.0, 20.0, 10.0])]).unwrap();
    // The medians of each by itself are three to one.
    let [a, b] = measured.beside_each_other(["a", "b"]);
    assert!((a - 4.0 / 3.0).abs() < 1e-9 && (b - 2.0 / 3.0).abs() < 1e-9, "{a} {b}");
}

#[test]
fn a_median_is_the_middle_or_between_the_two_middle_values() {
    assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
    assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
    assert!(median(Vec::new()).is_nan());
}

#[test]
fn a_difference_is_taken_round_by_round() {
    let measured = interleave(3, vec![cell("whole", [20.0, 30.0, 40.0]), cell("part", [2.0, 4.0, 8.0])]).unwrap();
    let measured = measured.with_difference("rest", "whole", "part");
    assert_eq!((measured.values("rest"), measured.median("rest")), (&[18.0, 26.0, 32.0][..], 26.0));
}

#[test]
fn pieces_in_turns_make_rounds_that_a_slow_spell_does_not_touch() {
    // The machine is half as quick from the second piece of the first round to the first of the second.
    let cells = vec![cell("a", [10.0, 20.0, 20.0, 10.0]), cell("b", [20.0, 40.0, 40.0, 20.0])];
    let measured = interleave(4, cells).unwrap().in_rounds_of(2);
    assert_eq!((measured.values("a"), measured.values("b")), (&[15.0, 15.0][..], &[30.0, 30.0][..]));
    assert_eq!(measured.ratio("a", "b"), 0.5);
}
