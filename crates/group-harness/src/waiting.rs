//! Waits of tests, each with a bound, and the clock that bounds them.
//!
//! The bound only ends a test that would wait for ever: what a loaded machine does late is no fault.

use std::time::{Duration, Instant};

/// How long anything may take before a test gives up.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// Waits, with a bound, until `condition` holds.
pub fn eventually(what: &str, condition: impl FnMut() -> bool) {
    within(PATIENCE, what, condition);
}

/// Returns after how long `condition` held.
pub fn within(limit: Duration, what: &str, mut condition: impl FnMut() -> bool) -> Duration {
    let started = now();
    while !condition() {
        assert!(started.elapsed() < limit, "{what}: not after {limit:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
    started.elapsed()
}

#[expect(clippy::disallowed_methods, reason = "bounds and measures waits of tests")]
pub fn now() -> Instant {
    Instant::now()
}
