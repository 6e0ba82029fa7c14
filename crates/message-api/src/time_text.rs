//! Moments and durations as text: ISO 8601 for moments, `30s` or ISO 8601 for durations.

use std::time::Duration;

use model::timestamp::Timestamp;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// `2026-11-23T04:00:00.123Z`, always in UTC and with milliseconds.
pub fn write_moment(at: Timestamp) -> String {
    model::timestamp::rfc3339(at.date_time())
}

/// A moment with any offset, since 1970. `None` when the text is not one.
pub fn read_moment(text: &str) -> Option<Timestamp> {
    let parsed = OffsetDateTime::parse(text, &Rfc3339).ok()?;
    let microseconds = parsed.unix_timestamp_nanos().div_euclid(1000);
    u64::try_from(microseconds).ok().map(Timestamp)
}

/// `250ms`, `30s`, `5m`, `2h`, `7d`, or ISO 8601 such as `PT1M30S` and `P1DT12H`. `None` when the text is neither.
pub fn read_duration(text: &str) -> Option<Duration> {
    match text.strip_prefix('P') {
        Some(iso) => read_iso(iso),
        None => {
            let end = text.find(|c: char| !c.is_ascii_digit())?;
            let (number, unit) = text.split_at(end);
            scaled(number, millis_of(unit)?)
        }
    }
}

/// The shortest of the first forms: `30s`, not `30000ms`. What is below a millisecond is left out.
pub fn write_duration(duration: Duration) -> String {
    let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let fits = |unit: &&str| millis_of(unit).is_some_and(|of_unit| millis % of_unit == 0 && millis > 0);
    let unit = ["d", "h", "m", "s"].into_iter().find(|unit| fits(unit)).unwrap_or("ms");
    format!("{}{unit}", millis / millis_of(unit).unwrap_or(1))
}

fn millis_of(unit: &str) -> Option<u64> {
    Some(match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    })
}

fn scaled(number: &str, millis: u64) -> Option<Duration> {
    number.parse::<u64>().ok()?.checked_mul(millis).map(Duration::from_millis)
}

/// Days before the `T`, hours, minutes and seconds behind it, each at most once and in that order.
fn read_iso(text: &str) -> Option<Duration> {
    let (days, clock) = text.split_once('T').map_or((text, None), |(days, clock)| (days, Some(clock)));
    let mut total = Duration::ZERO;
    let mut parts = 0;
    let mut take = |rest: &mut &str, letter: char, millis: u64| -> Option<()> {
        let Some((number, after)) = rest.split_once(letter) else { return Some(()) };
        *rest = after;
        parts += 1;
        total = total.checked_add(decimal(number, millis)?)?;
        Some(())
    };
    let mut rest = days;
    take(&mut rest, 'D', 86_400_000)?;
    if !rest.is_empty() {
        return None;
    }
    if let Some(clock) = clock {
        rest = clock;
        take(&mut rest, 'H', 3_600_000)?;
        take(&mut rest, 'M', 60_000)?;
        take(&mut rest, 'S', 1_000)?;
        if !rest.is_empty() || clock.is_empty() {
            return None;
        }
    }
    (parts > 0).then_some(total)
}

/// A number that may have decimals, of units of so many milliseconds.
fn decimal(number: &str, millis: u64) -> Option<Duration> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || fraction.len() > 9 {
        return None;
    }
    let of_fraction =
        fraction.parse::<u64>().ok()?.checked_mul(millis)? / 10_u64.pow(u32::try_from(fraction.len()).ok()?);
    scaled(whole, millis)?.checked_add(Duration::from_millis(of_fraction))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_in_both_forms() {
        let read = |text| read_duration(text).map(|duration| duration.as_millis());
        assert_eq!(
            ["250ms", "30s", "5m", "2h", "7d"].map(read),
            [250, 30_000, 300_000, 7_200_000, 604_800_000].map(Some)
        );
        assert_eq!(
            ["PT30S", "PT1M30S", "P1DT12H", "PT0.5S", "P2D"].map(read),
            [Some(30_000), Some(90_000), Some(129_600_000), Some(500), Some(172_800_000)]
        );
        for wrong in
            ["", "30", "s", "30 s", "-1s", "P", "PT", "PT5", "P1H", "PT1S1M", "1.5s", "PT1.S", "99999999999999999999s"]
        {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_duration_is_written_in_the_largest_unit_that_fits() {
        let written = |millis| write_duration(Duration::from_millis(millis));
        assert_eq!(
            [0, 250, 1500, 30_000, 90_000, 900_000, 7_200_000, 86_400_000].map(written),
            ["0ms", "250ms", "1500ms", "30s", "90s", "15m", "2h", "1d"]
        );
        assert!(
            [1, 60_001, 3_600_000]
                .iter()
                .all(|&millis| { read_duration(&written(millis)) == Some(Duration::from_millis(millis)) })
        );
    }

    #[test]
    fn a_moment_is_read_as_it_was_written_and_with_any_offset() {
        let at = Timestamp(1_795_219_200_123_000);
        assert_eq!(write_moment(at), "2026-11-21T00:00:00.123Z");
        assert_eq!(read_moment("2026-11-21T00:00:00.123Z"), Some(at));
        assert_eq!(read_moment("2026-11-21T01:30:00.123+01:30"), Some(at));
        assert_eq!(read_moment("2026-11-21"), None);
        assert_eq!(read_moment("1969-12-31T23:59:59Z"), None);
    }
}
