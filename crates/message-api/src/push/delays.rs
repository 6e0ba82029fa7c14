//! When a message is posted again: after growing delays, each drawn from an interval, until it has been tried often or long enough.
//!
//! Pure: the caller measures time and draws the random number.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How often, for how long and after which delays a message is posted again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retry {
    /// Attempts with one message; 0: without limit.
    pub attempts: u32,
    /// From the first attempt on.
    pub within: Duration,
    /// After the first attempt. Each further delay is twice the one before.
    pub delay: Duration,
    pub longest_delay: Duration,
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            attempts: 20,
            within: Duration::from_secs(24 * 3600),
            delay: Duration::from_secs(1),
            longest_delay: Duration::from_secs(15 * 60),
        }
    }
}

impl Retry {
    /// The delay after so many failed attempts, the last of which was `elapsed` after the first. `asked` is what the receiver
    /// wants to be left alone for, `random` is from 0 to 1. `None`: it was tried often or long enough.
    pub fn next(&self, failed: u32, elapsed: Duration, asked: Option<Duration>, random: f64) -> Option<Duration> {
        if self.attempts > 0 && failed >= self.attempts {
            return None;
        }
        let own = self.usual(failed).mul_f64(0.5 + random.clamp(0.0, 1.0) / 2.0);
        let delay = own.max(asked.unwrap_or_default());
        (elapsed.checked_add(delay)? <= self.within).then_some(delay)
    }

    /// Before it is spread.
    fn usual(&self, failed: u32) -> Duration {
        let doubled = 1_u32.checked_shl(failed.saturating_sub(1)).and_then(|times| self.delay.checked_mul(times));
        doubled.unwrap_or(self.longest_delay).min(self.longest_delay)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn retry() -> Retry {
        Retry { attempts: 5, within: 100 * SECOND, delay: SECOND, longest_delay: 6 * SECOND }
    }

    #[test]
    fn delays_double_up_to_the_longest_until_the_attempts_are_over() {
        let delays: Vec<_> = (1..=5).map(|failed| retry().next(failed, Duration::ZERO, None, 1.0)).collect();
        assert_eq!(delays, [Some(SECOND), Some(2 * SECOND), Some(4 * SECOND), Some(6 * SECOND), None]);
    }

    #[test]
    fn what_the_receiver_asks_for_counts_when_it_is_longer() {
        assert_eq!(retry().next(1, Duration::ZERO, Some(30 * SECOND), 0.0), Some(30 * SECOND));
        assert_eq!(retry().next(3, Duration::ZERO, Some(SECOND), 1.0), Some(4 * SECOND));
        // Longer than there is time.
        assert_eq!(retry().next(1, 90 * SECOND, Some(30 * SECOND), 0.0), None);
    }

    #[test]
    fn without_a_number_of_attempts_the_time_ends_them() {
        let endless = Retry { attempts: 0, ..retry() };
        assert_eq!(endless.next(u32::MAX, 94 * SECOND, None, 1.0), Some(6 * SECOND));
        assert_eq!(endless.next(1000, 95 * SECOND, None, 1.0), None);
    }

    proptest! {
        #[test]
        fn a_delay_is_between_half_and_all_of_the_usual_one(
            failed in 1..100_u32, random in 0.0..1.0_f64, delay in 1..10_000_u64, longest in 1..1_000_000_u64,
        ) {
            let longest_delay = Duration::from_millis(longest.max(delay));
            let retry = Retry {
                attempts: 0,
                within: Duration::MAX,
                delay: Duration::from_millis(delay),
                longest_delay,
            };
            let usual = retry.usual(failed);
            let drawn = retry.next(failed, Duration::ZERO, None, random).expect("there is time");
            prop_assert!(drawn >= usual.mul_f64(0.49) && drawn <= usual, "{drawn:?} of {usual:?}");
            prop_assert!(usual <= longest_delay && usual >= Duration::from_millis(delay).min(longest_delay));
            prop_assert!(retry.usual(failed + 1) >= usual);
        }
    }
}
