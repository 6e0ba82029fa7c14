//! How many lines about refused sign-ins the log gets, however many there are.
//!
//! Pure: callers pass the time, which may be set back.

use std::time::Duration;

use model::timestamp::Timestamp;

/// One cause is logged this often at most.
const LOGGED_EVERY: Duration = Duration::from_secs(60);
/// Lines of the log in the same time, of all causes together.
const LINES: u32 = 100;

/// The lines that were written lately: a crowd of addresses writes no more of them than one address does.
#[derive(Default)]
pub(crate) struct Lines {
    since: Option<Timestamp>,
    written: u32,
    left_out: u32,
}

impl Lines {
    /// Whether one more may be written; with how many were not, since the last one.
    pub(crate) fn take(&mut self, now: Timestamp) -> Option<u32> {
        if self.since.is_none_or(|since| is_apart(since, now)) {
            (self.since, self.written) = (Some(now), 0);
        }
        if self.written >= LINES {
            self.left_out = self.left_out.saturating_add(1);
            return None;
        }
        self.written += 1;
        Some(std::mem::take(&mut self.left_out))
    }
}

/// Whether a line may follow a line of that time. In either direction: the clock may have been set back.
pub(crate) fn is_apart(one: Timestamp, other: Timestamp) -> bool {
    one.since(other).max(other.since(one)) >= LOGGED_EVERY
}
