//! The clock of spans, and moments from which short times are measured.

#![expect(
    clippy::disallowed_methods,
    reason = "spans are measured by the clock of the machine, which all of a trace share"
)]

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Nanoseconds since 1970, as spans count them.
pub fn now() -> u64 {
    nanoseconds(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO))
}

pub(crate) fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// When something began that seldom becomes a span: cheaper than `now`.
#[derive(Debug, Clone, Copy)]
pub struct Moment(Instant);

impl Moment {
    pub fn of_now() -> Self {
        Self(Instant::now())
    }

    pub fn elapsed(self) -> Duration {
        self.0.elapsed()
    }

    /// The same in nanoseconds since 1970.
    pub fn since_1970(self) -> u64 {
        now().saturating_sub(nanoseconds(self.elapsed()))
    }
}
