//! A log line that comes at most once in a time, and then says how many were left out.
//!
//! No clock and no log: the caller passes `now`, and writes the line when it is due.

use std::time::Duration;

use model::timestamp::Timestamp;

/// Between two lines about something that callers decide the number of.
pub(crate) const BETWEEN_LINES: Duration = Duration::from_secs(1);

/// When the line was last written, and how many were left out since.
#[derive(Debug, Default)]
pub(crate) struct SpacedLine {
    written: Option<Timestamp>,
    left_out: u32,
}

impl SpacedLine {
    /// How many were left out since the last line, when it is time for one; otherwise one more is left out.
    pub(crate) fn due(&mut self, now: Timestamp, pause: Duration) -> Option<u32> {
        if self.written.is_some_and(|written| now.since(written) < pause) {
            self.left_out = self.left_out.saturating_add(1);
            return None;
        }
        self.written = Some(now);
        Some(std::mem::take(&mut self.left_out))
    }
}
