//! Times on the command line: `200ms`, `5s`, `2m`; a bare number is milliseconds. Long ones: `30s`, `15m`, `12h`, `90d`.

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

/// Of a second at least, with a unit.
///
/// # Errors
/// As `parse`.
pub(super) fn parse_long(text: &str) -> Result<Duration, String> {
    let wrong = || "expected a time such as 30s, 15m, 12h or 90d".to_owned();
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        "d" => 86_400,
        _ => return Err(wrong()),
    };
    let seconds = number.parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
    // A hundred years: no clock counts much further.
    seconds.filter(|seconds| (1..=36_525 * 86_400).contains(seconds)).map(Duration::from_secs).ok_or_else(wrong)
}
