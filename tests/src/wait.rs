//! Waiting for what another process does, with a bound.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

const PAUSE: Duration = Duration::from_millis(5);

/// Looks again and again until it is so.
///
/// # Errors
/// It is not within the limit, or the look fails.
#[expect(clippy::disallowed_methods, reason = "the limit is about the machine's time")]
pub fn until(what: &str, limit: Duration, mut is_so: impl FnMut() -> Result<bool>) -> Result<()> {
    let begun = Instant::now();
    while !is_so()? {
        ensure!(begun.elapsed() < limit, "not within {limit:?}: {what}");
        std::thread::sleep(PAUSE);
    }
    Ok(())
}
