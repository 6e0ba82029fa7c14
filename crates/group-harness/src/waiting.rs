//! Waits of tests, each with a bound, and the clock that bounds them.

use std::time::{Duration, Instant};

/// Waits, with a bound, until `condition` holds.
pub fn eventually(what: &str, condition: impl FnMut() -> bool) {
    within(Duration::from_secs(30), what, condition);
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
