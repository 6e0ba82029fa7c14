//! Times on the command line: `200ms`, `5s`, `2m`; a bare number is milliseconds.

use std::time::Duration;

/// # Errors
/// A sentence that says what was expected.
pub(super) fn parse(text: &str) -> Result<Duration, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor = match unit {
        "" | "ms" => 1,
        "s" => 1000,
        "m" => 60_000,
        _ => return Err("expected a time such as 200ms, 5s or 2m".to_owned()),
    };
    let milliseconds = number.parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
    milliseconds.map(Duration::from_millis).ok_or_else(|| "expected a time such as 200ms, 5s or 2m".to_owned())
}
