//! The clock of spans, and moments from which short times are measured.

#![expect(
    clippy::disallowed_methods,
    reason = "spans are measured by the clock of the machine, which all of a trace share"
)]

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// When something began or ended.
#[derive(Debug, Clone, Copy)]
pub struct Moment(Instant);

impl Moment {
    pub fn of_now() -> Self {
        Self(Instant::now())
    }

    pub fn elapsed(self) -> Duration {
        self.0.elapsed()
    }
}

impl From<Instant> for Moment {
    fn from(instant: Instant) -> Self {
        Self(instant)
    }
}

/// Tells moments in nanoseconds since 1970. It follows the clock of the machine when it is set.
#[derive(Debug)]
pub(crate) struct Clock {
    origin: Instant,
    /// When that was, in nanoseconds since 1970.
    of_origin: AtomicU64,
}

impl Clock {
    pub(crate) fn new() -> Self {
        let clock = Self { origin: Instant::now(), of_origin: AtomicU64::new(0) };
        clock.set();
        clock
    }

    /// By the clock of the machine, which may have been put right.
    pub(crate) fn set(&self) {
        let now = nanoseconds(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO));
        self.of_origin.store(now.saturating_sub(nanoseconds(self.origin.elapsed())), Relaxed);
    }

    pub(crate) fn tell(&self, moment: Moment) -> u64 {
        let after = moment.0.saturating_duration_since(self.origin);
        self.of_origin.load(Relaxed).saturating_add(nanoseconds(after))
    }
}

pub(crate) fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
