//! What the last syncs say of the next one: who is likely to share it, and whether a thread that serves connections may
//! make it.
//!
//! Such a thread holds up its other connections for as long as its sync takes. Where syncs are short that is less than
//! waking another thread and being woken by it. The first sync is the writer thread's, for nothing is known of the disk. A sync that
//! stalls suspends leading for [`SUSPENSION`] times as long as it took: a disk that stalls now and then holds up a thread for
//! one part of its time in so many, at most, and one that stays slow once.

use std::time::{Duration, Instant};

/// Longest sync, as the last few were, that a thread that leads makes itself. Ten clients' persistent request and reply
/// made 7600 a second on a disk that syncs in 0.15 ms, against 4000 by way of the writer thread, and 2200 to 2600 against
/// 2050 where a sync takes 0.85 ms.
const SHORT_SYNC: Duration = Duration::from_millis(1);

/// What the last sync counts in the mean of the last few: one that a busy processor delayed says nothing of the disk.
const SYNCS_OF_MEAN: u32 = 8;

/// A sync of this length is a stall of the disk, whatever the others were: a busy processor delays none so long.
const STALL: Duration = Duration::from_millis(100);

/// For how many times the length of a stall no thread leads.
const SUSPENSION: u32 = 100;

/// Who shared the last sync, how long the last few took, and what follows.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pace {
    pub(super) units: u32,
    /// Callers who share their thread with another one.
    sharing: usize,
    /// Mean in which the last one counts most; unknown before the first one.
    took: Option<Duration>,
    leading: Leading,
}

/// Whether threads that serve connections write batches themselves, if syncs are short.
#[derive(Debug, Clone, Copy, Default)]
enum Leading {
    #[default]
    Allowed,
    /// The disk has stalled.
    Suspended { until: Instant },
}

impl Pace {
    /// How many units the next batch is likely to get when `gathered` are there already; 0 when not to wait.
    pub(super) fn expected(self, gathered: u32) -> u32 {
        match u32::try_from(self.sharing) {
            Ok(0) | Err(_) => 0,
            Ok(_) => self.returning() + gathered,
        }
    }

    /// How many callers come back at the price of one wake-up.
    pub(super) fn returning(self) -> u32 {
        u32::try_from(self.sharing).unwrap_or(u32::MAX).min(self.units)
    }

    /// Whether a thread that serves connections may make the next sync.
    pub(super) fn may_be_led(self, now: impl FnOnce() -> Instant) -> bool {
        self.took.is_some_and(|took| took <= SHORT_SYNC)
            && match self.leading {
                Leading::Allowed => true,
                Leading::Suspended { until } => now() >= until,
            }
    }

    /// After a sync that `units` shared, and that ended `now`.
    pub(super) fn after(self, units: u32, sharing: usize, took: Duration, now: Instant) -> Self {
        let mean = self.took.map_or(took, |mean| (mean * (SYNCS_OF_MEAN - 1) + took) / SYNCS_OF_MEAN);
        let leading = match self.leading {
            _ if took >= STALL => match now.checked_add(took * SUSPENSION) {
                Some(until) => Leading::Suspended { until },
                None => self.leading,
            },
            Leading::Suspended { until } if now >= until => Leading::Allowed,
            leading => leading,
        };
        Self { units, sharing, took: Some(mean), leading }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Duration = Duration::from_micros(200);

    #[expect(clippy::disallowed_methods, reason = "some moment to count from")]
    fn beginning() -> Instant {
        Instant::now()
    }

    fn after_syncs(pace: Pace, took: Duration, count: u32, now: Instant) -> Pace {
        (0..count).fold(pace, |pace, _| pace.after(1, 0, took, now))
    }

    #[test]
    fn short_syncs_may_be_led_and_one_that_a_busy_processor_delayed_changes_nothing() {
        let now = beginning();
        let pace = after_syncs(Pace::default(), SHORT, 20, now);
        assert!(pace.may_be_led(|| now));
        assert!(pace.after(1, 0, Duration::from_millis(5), now).may_be_led(|| now));
        assert!(!after_syncs(pace, Duration::from_millis(5), 20, now).may_be_led(|| now));
    }

    #[test]
    fn nothing_is_led_before_the_first_sync_has_shown_that_syncs_are_short() {
        let now = beginning();
        assert!(!Pace::default().may_be_led(|| now));
        assert!(Pace::default().after(1, 0, SHORT, now).may_be_led(|| now));
    }

    #[test]
    fn a_stall_suspends_leading_for_a_hundred_times_its_length_however_short_the_next_syncs_are() {
        let now = beginning();
        let stalled = after_syncs(Pace::default(), SHORT, 20, now).after(1, 0, Duration::from_secs(2), now);
        assert!(!stalled.may_be_led(|| now));
        let short_again = after_syncs(stalled, SHORT, 100, now);
        assert!(!short_again.may_be_led(|| now + Duration::from_secs(199)));
        assert!(short_again.may_be_led(|| now + Duration::from_secs(200)));
        let over = short_again.after(1, 0, SHORT, now + Duration::from_secs(200));
        assert!(over.may_be_led(|| unreachable!("no clock is asked once it is over")));
    }
}
