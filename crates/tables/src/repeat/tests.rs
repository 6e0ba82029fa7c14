use super::*;

const FULL: Effort = Effort { quick: false, budget: Duration::ZERO, repetitions: None };
const QUICK: Effort = Effort { quick: true, budget: Duration::from_secs(30), repetitions: None };

#[test]
fn a_full_run_goes_on_until_every_spread_is_small_or_a_bound_is_met() {
    assert!(!FULL.is_enough(4, true, [Some(1.0)]));
    assert!(FULL.is_enough(5, true, [Some(1.0), Some(5.0)]));
    assert!(!FULL.is_enough(5, true, [Some(1.0), Some(5.1)]));
    assert!(!FULL.is_enough(5, true, [None]));
    assert!(FULL.is_enough(12, true, [None]));
}

#[test]
fn a_quick_run_stays_within_its_budget() {
    let loads = 8;
    let all = (QUICK.length(loads, 1.0) + AROUND) * u32::try_from(loads * QUICK.most_rounds()).unwrap();
    assert!(all <= QUICK.budget, "{all:?}");
    assert!(QUICK.is_enough(3, true, [Some(50.0)]));
    assert!(!QUICK.is_enough(2, true, []) && QUICK.is_enough(2, false, []) && !QUICK.is_enough(0, false, []));
    assert!(QUICK.has_time(1, Duration::from_secs(10), 1.0) && !QUICK.has_time(1, Duration::from_secs(10), 0.5));
}

#[test]
fn rounds_go_forwards_and_backwards_in_turn() {
    assert_eq!(order(0, 3), [0, 1, 2]);
    assert_eq!(order(1, 3), [2, 1, 0]);
}
