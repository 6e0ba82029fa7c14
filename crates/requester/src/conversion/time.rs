//! Date and time as packed milliseconds since 1900 (CICS ABSTIME), to and from RFC 3339.

use ::time::OffsetDateTime;
use ::time::format_description::well_known::Rfc3339;

/// From 1900-01-01T00:00:00Z to 1970-01-01T00:00:00Z, in milliseconds.
const BEFORE_1970: i128 = 2_208_988_800_000;
/// Packed digits.
pub(super) const DIGITS: u32 = 15;
/// Bytes.
pub(super) const LENGTH: usize = 8;

/// The text, in UTC and with milliseconds. `None`: beyond the year 9999.
pub(super) fn to_text(milliseconds: u128) -> Option<String> {
    let since_1970 = i128::try_from(milliseconds).ok()? - BEFORE_1970;
    let at = OffsetDateTime::from_unix_timestamp_nanos(since_1970.checked_mul(1_000_000)?).ok()?;
    Some(model::timestamp::rfc3339(at))
}

/// `None`: no such text, or before 1900.
pub(super) fn from_text(text: &str) -> Option<u128> {
    let at = OffsetDateTime::parse(text, &Rfc3339).ok()?;
    u128::try_from(at.unix_timestamp_nanos().div_euclid(1_000_000) + BEFORE_1970).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_go_to_milliseconds_since_1900_and_back() {
        for (text, milliseconds) in [
            ("1900-01-01T00:00:00.000Z", 0),
            ("1970-01-01T00:00:00.000Z", 2_208_988_800_000),
            ("2026-11-21T16:15:00.250Z", 4_004_266_500_250),
        ] {
            assert_eq!(from_text(text), Some(milliseconds), "{text}");
            assert_eq!(to_text(milliseconds).as_deref(), Some(text));
        }
        assert_eq!(from_text("2026-11-21T18:15:00+02:00"), from_text("2026-11-21T16:15:00Z"));
        assert_eq!(from_text("1899-12-31T23:59:59Z"), None);
        assert_eq!(from_text("today"), None);
        assert_eq!(to_text(u128::MAX), None);
    }
}
