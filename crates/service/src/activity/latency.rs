//! How long requests took: counts by length, four for each doubling, so that a percentile is right to a quarter.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The first count is of everything below 2^6 microseconds, the last one of everything from 2^27 on: 134 s.
const FIRST: u32 = 6;
const LAST: u32 = 27;
const BUCKETS: usize = (LAST - FIRST) as usize * 4 + 2;

#[derive(Debug)]
pub(super) struct Counts([AtomicU64; BUCKETS]);

/// The counts at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Latency([u64; BUCKETS]);

impl Default for Counts {
    fn default() -> Self {
        Self([const { AtomicU64::new(0) }; BUCKETS])
    }
}

impl Default for Latency {
    fn default() -> Self {
        Self([0; BUCKETS])
    }
}

fn bucket(microseconds: u64) -> usize {
    let Some(octave) = microseconds.checked_ilog2().filter(|octave| *octave >= FIRST) else { return 0 };
    if octave >= LAST {
        return BUCKETS - 1;
    }
    let quarter = (microseconds >> (octave - 2)) & 3;
    1 + (octave - FIRST) as usize * 4 + usize::try_from(quarter).expect("below 4")
}

/// What is below the end of a bucket, in microseconds.
fn end_of(bucket: usize) -> u64 {
    match bucket.checked_sub(1) {
        None => 1 << FIRST,
        Some(place) => (5 + place as u64 % 4) << (u64::from(FIRST) + place as u64 / 4 - 2),
    }
}

impl Counts {
    pub(super) fn add(&self, microseconds: u64) {
        self.0[bucket(microseconds)].fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn read(&self) -> Latency {
        Latency(std::array::from_fn(|place| self.0[place].load(Ordering::Relaxed)))
    }
}

impl Latency {
    /// What came after an earlier moment.
    pub fn since(&self, earlier: &Self) -> Self {
        Self(std::array::from_fn(|place| self.0[place].saturating_sub(earlier.0[place])))
    }

    /// So many percent of the requests took no longer. `None`: there were none.
    pub fn percentile(&self, percent: u64) -> Option<Duration> {
        let total: u64 = self.0.iter().sum();
        let wanted = (total * percent).div_ceil(100).max(1);
        let mut sum = 0;
        let place = self.0.iter().position(|count| {
            sum += count;
            sum >= wanted
        })?;
        Some(Duration::from_micros(end_of(place)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_time_is_below_the_end_of_its_bucket_and_at_most_a_quarter() {
        for microseconds in (0..100_000).chain((100_000..200_000_000).step_by(9973)) {
            let end = end_of(bucket(microseconds));
            if microseconds >> LAST == 0 {
                assert!(microseconds < end, "{microseconds} of {end}");
                assert!(microseconds < 64 || end * 4 <= microseconds * 5 + 4, "{microseconds} of {end}");
            } else {
                assert_eq!(bucket(microseconds), BUCKETS - 1);
            }
        }
    }

    #[test]
    fn percentiles_are_those_of_what_came_since() {
        let counts = Counts::default();
        assert_eq!(counts.read().percentile(50), None);
        counts.add(10_000_000);
        let before = counts.read();
        (0..95).for_each(|_| counts.add(1000));
        (0..5).for_each(|_| counts.add(1_000_000));
        let seen = counts.read().since(&before);
        let about = |percent: u64, microseconds: u64| {
            let found = seen.percentile(percent).expect("some").as_micros();
            (u128::from(microseconds)..=u128::from(microseconds) * 5 / 4).contains(&found)
        };
        assert!(about(50, 1000) && about(95, 1000) && about(96, 1_000_000) && about(100, 1_000_000));
    }
}
