//! How long a call may take. The only file that asks for the time.

use std::time::{Duration, Instant};

/// From the beginning of a call to its limit, if there is one.
pub(crate) struct Deadline {
    started: Instant,
    limit: Option<Duration>,
}

impl Deadline {
    pub(crate) fn within(limit: Option<Duration>) -> Self {
        Self { started: now(), limit }
    }

    /// What is left: `None` when there is no limit, zero when it has passed.
    pub(crate) fn remaining(&self) -> Option<Duration> {
        self.limit.map(|limit| limit.saturating_sub(self.elapsed()))
    }

    pub(crate) fn elapsed(&self) -> Duration {
        now().saturating_duration_since(self.started)
    }

    /// When the call began.
    pub(crate) fn started(&self) -> Instant {
        self.started
    }
}

#[expect(clippy::disallowed_methods, reason = "the stub's clock")]
pub(crate) fn now() -> Instant {
    Instant::now()
}
