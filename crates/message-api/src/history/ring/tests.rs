use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

#[derive(Debug, Clone)]
enum Step {
    Push { distance: u32, values: Option<[u64; 2]> },
    Forget(u32),
}

fn values() -> impl Strategy<Value = Option<[u64; 2]>> {
    let number = prop_oneof![0..5_u64, 0..100_000_u64, any::<u64>()];
    proptest::option::weighted(0.8, [number.clone(), number])
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (1..40_u32, values()).prop_map(|(distance, values)| Step::Push { distance, values }),
        1 => (0..400_u32).prop_map(Step::Forget),
    ]
}

/// Every state by its slot, as long as it is kept.
#[derive(Default)]
struct Naive(BTreeMap<u32, Option<[u64; 2]>>);

impl Naive {
    fn slot(&self, slot: u32) -> Slot<2> {
        match self.0.range(..=slot).next_back() {
            Some((at, Some(values))) if *at == slot => Slot::Changed(*values),
            Some((_, Some(values))) => Slot::Unchanged(*values),
            _ => Slot::Unknown,
        }
    }
}

proptest! {
    #[test]
    fn a_ring_says_what_a_list_of_all_states_says(start in 0..50_u32, base in values(), steps in prop::collection::vec(step(), 0..60)) {
        let mut ring = Ring::starting(State { slot: start, values: base });
        let mut naive = Naive::default();
        naive.0.insert(start, base);
        let (mut last, mut first) = (start, 0);
        for step in steps {
            match step {
                Step::Push { distance, values } => {
                    last += distance;
                    ring.push(State { slot: last, values });
                    naive.0.insert(last, values);
                }
                Step::Forget(slot) => {
                    first = first.max(slot.min(last));
                    ring.forget_before(first);
                }
            }
        }
        let said: Vec<_> = ring.slots(first, last + 3).collect();
        // The base itself is no change.
        let as_base = |slot| match naive.slot(slot) {
            Slot::Changed(values) if slot == start => Slot::Unchanged(values),
            other => other,
        };
        let wanted: Vec<_> = (first..=last + 3).map(as_base).collect();
        prop_assert_eq!(said, wanted);
        prop_assert_eq!(ring.last().values, naive.0.values().last().copied().flatten());
    }

    #[test]
    fn small_differences_are_small_numbers(number in any::<u64>()) {
        prop_assert_eq!(unzigzag(zigzag(number)), number);
    }
}

#[test]
fn a_busy_queues_record_takes_three_bytes() {
    let mut ring = Ring::starting(State { slot: 0, values: Some([1000]) });
    for slot in 1..=360 {
        ring.push(State { slot, values: Some([1000 + u64::from(slot % 7) * 30]) });
    }
    assert!(ring.allocated() <= 360 * 3 + STEP, "{} bytes", ring.allocated());
    ring.forget_before(359);
    assert!(ring.allocated() <= 3 * STEP, "{} bytes of two records", ring.allocated());
}
