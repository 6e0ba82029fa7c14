use std::time::Duration;

use model::timestamp::Timestamp;
use proptest::prelude::*;

use super::super::timeline::{Clocks, MINUTES, ROUNDS};
use super::*;

/// One round as it was, all of it.
#[derive(Debug, Clone, Copy)]
struct Past {
    minute: u32,
    begin: u64,
    end: u64,
    /// `None`: unknown.
    value: Option<u64>,
}

#[derive(Debug, Clone)]
struct Step {
    /// Milliseconds until the round.
    pause: u64,
    /// What is seen in it; `None`: the object is lost.
    seen: Option<u64>,
}

fn step() -> impl Strategy<Value = Step> {
    let pause = prop_oneof![8 => 9_900..10_100_u64, 1 => 1..200_000_u64];
    let seen = prop_oneof![6 => Just(Some(0_u64)), 4 => (0..50_u64).prop_map(Some), 1 => any::<u32>().prop_map(|it| Some(it.into())), 1 => Just(None)];
    (pause, seen).prop_map(|(pause, seen)| Step { pause, seen })
}

/// What a list of all rounds says of them.
fn naive_rounds(kind: Kind, past: &[Past]) -> Vec<Option<Sample>> {
    past.iter()
        .map(|round| {
            let value = round.value?;
            let each = if kind == Kind::Level { number(value) } else { a_second(value, round.end - round.begin) };
            Some(Sample { begin: round.begin, end: round.end, value, least: each, greatest: each })
        })
        .collect()
}

/// A minute is known by its rounds since the last that is unknown, unless the object was met in it.
fn naive_minute(kind: Kind, since: Since, minute: u32, rounds: &[Past]) -> Option<Sample> {
    let (first, last) = (rounds.first()?, rounds.last()?);
    let unknown = rounds.iter().rposition(|round| round.value.is_none());
    let known = &rounds[unknown.map_or(0, |place| place + 1)..];
    if known.is_empty() || minute < since.minute {
        return None;
    }
    let values = || known.iter().filter_map(|round| round.value);
    let rates = || known.iter().filter_map(|round| round.value.map(|value| rate(value, round.end - round.begin)));
    let (value, least, greatest, scale) = match kind {
        Kind::Level => (values().next_back()?, values().min()?, values().max()?, 1.0),
        Kind::Count => {
            let least = if unknown.is_some() { 0 } else { rates().min()? };
            (values().sum(), least, rates().max()?, 100.0)
        }
    };
    let (least, greatest) = (number(least) / scale, number(greatest) / scale);
    Some(Sample { begin: first.begin, end: last.end, value, least, greatest })
}

fn clocks(at: u64) -> Clocks {
    Clocks { elapsed: Duration::from_millis(at), wall: Timestamp::from_millis(1_000_000_000_000 + at) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_track_says_what_a_list_of_all_rounds_says(
        is_level in any::<bool>(),
        first in 0..1000_u64,
        start in 1..30_usize,
        steps in prop::collection::vec(step(), 1..900),
    ) {
        let kind = if is_level { Kind::Level } else { Kind::Count };
        let mut timeline = Timeline::new(clocks(0));
        let (mut at, mut past, mut begun) = (0, Vec::<Past>::new(), None::<(Since, Track)>);
        let mut known = None;
        for (place, step) in steps.iter().enumerate() {
            at += step.pause;
            let round = timeline.begin_round(clocks(at)).expect("time has passed");
            let (begin, end) = timeline.rounds.spans().last().expect("a round");
            let value = match &mut begun {
                // It is met when the round ends.
                None if place + 1 == start => {
                    known = Some(first);
                    let since = Since::of(round);
                    begun = Some((since, Track::starting(kind, since, first)));
                    Some(if is_level { first } else { 0 })
                }
                None => None,
                Some((_, track)) => {
                    known = step.seen;
                    match step.seen {
                        Some(seen) => track.record(round, seen),
                        None => track.lose(round),
                    }
                    known
                }
            };
            past.push(Past { minute: round.minute, begin, end, value });
            if let Some((_, track)) = &mut begun && round.ends_minute {
                track.end_minute(round);
                track.forget(&timeline);
            }
        }
        let Some((since, track)) = begun else { return Ok(()) };
        let _ = known;
        let kept = past.len().saturating_sub(ROUNDS);
        prop_assert_eq!(track.by_round(&timeline), naive_rounds(kind, &past[kept..]));
        let last = timeline.minutes.last();
        let first_minute = (last + 1).saturating_sub(u32::try_from(MINUTES).expect("few")).max(1);
        let wanted: Vec<_> = (first_minute..=last)
            .map(|minute| {
                let rounds: Vec<_> = past.iter().filter(|round| round.minute == minute).copied().collect();
                naive_minute(kind, since, minute, &rounds)
            })
            .collect();
        prop_assert_eq!(track.by_minute(&timeline), wanted);
    }
}
