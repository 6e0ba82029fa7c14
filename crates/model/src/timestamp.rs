//! A time in UTC. The caller passes it in; nothing here reads a clock.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use time::{Date, Month, OffsetDateTime};

use crate::text::Text;

/// Microseconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub u64);

impl Timestamp {
    pub const fn from_millis(milliseconds: u64) -> Self {
        Self(milliseconds * 1000)
    }

    pub const fn as_millis(self) -> u64 {
        self.0 / 1000
    }

    pub fn saturating_add(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)))
    }

    /// How long from `earlier` to this; zero when `earlier` is later.
    pub fn since(self, earlier: Timestamp) -> Duration {
        Duration::from_micros(self.0.saturating_sub(earlier.0))
    }

    /// MQMD `PutDate`: `YYYYMMDD` in UTC.
    pub fn put_date(self) -> Text<8> {
        let date = self.date_time();
        let mut field = [0; 8];
        write_decimal(&mut field[..4], u32::try_from(date.year()).unwrap_or(0));
        write_decimal(&mut field[4..6], u32::from(u8::from(date.month())));
        write_decimal(&mut field[6..], u32::from(date.day()));
        Text::from_bytes(field)
    }

    /// MQMD `PutTime`: `HHMMSSTH` in UTC, hundredths of a second last.
    pub fn put_time(self) -> Text<8> {
        let hundredths = self.0 / 10_000 % 8_640_000;
        let mut field = [0; 8];
        for (index, part) in [hundredths / 360_000, hundredths / 6_000 % 60, hundredths / 100 % 60, hundredths % 100]
            .into_iter()
            .enumerate()
        {
            write_decimal(&mut field[2 * index..2 * index + 2], u32::try_from(part).unwrap_or(0));
        }
        Text::from_bytes(field)
    }

    /// What MQMD `PutDate` and `PutTime` say; `None` when they say nothing, or no date.
    pub fn of_put(date: &Text<8>, time: &Text<8>) -> Option<Self> {
        let (date, time) = (date.as_bytes(), time.as_bytes());
        let month = Month::try_from(u8::try_from(read_decimal(&date[4..6])?).ok()?).ok()?;
        let day = u8::try_from(read_decimal(&date[6..])?).ok()?;
        let date = Date::from_calendar_date(i32::try_from(read_decimal(&date[..4])?).ok()?, month, day).ok()?;
        let days = u64::try_from(date.to_julian_day() - OffsetDateTime::UNIX_EPOCH.to_julian_day()).ok()?;
        let [hours, minutes, seconds, hundredths] =
            [&time[..2], &time[2..4], &time[4..6], &time[6..]].map(|part| read_decimal(part).map(u64::from));
        let hundredths = ((days * 24 + hours?) * 60 + minutes?) * 6_000 + seconds? * 100 + hundredths?;
        Some(Self::from_millis(hundredths * 10))
    }

    pub fn date_time(self) -> OffsetDateTime {
        let (seconds, microseconds) = (self.0 / 1_000_000, self.0 % 1_000_000);
        let whole = i64::try_from(seconds).ok().and_then(|seconds| OffsetDateTime::from_unix_timestamp(seconds).ok());
        whole.map_or(OffsetDateTime::UNIX_EPOCH, |whole| whole + Duration::from_micros(microseconds))
    }
}

fn read_decimal(field: &[u8]) -> Option<u32> {
    field.iter().try_fold(0, |value, byte| byte.is_ascii_digit().then(|| value * 10 + u32::from(byte - b'0')))
}

/// RFC 3339 with milliseconds, of a time in UTC: `2026-11-23T04:00:00.123Z`.
pub fn rfc3339(at: OffsetDateTime) -> String {
    let (date, time) = (at.date(), at.time());
    // Each message of an answer has one: digit by digit, without the formatting of the standard library.
    let mut text = *b"0000-00-00T00:00:00.000Z";
    write_decimal(&mut text[..4], date.year().unsigned_abs());
    write_decimal(&mut text[5..7], u8::from(date.month()).into());
    write_decimal(&mut text[8..10], date.day().into());
    write_decimal(&mut text[11..13], time.hour().into());
    write_decimal(&mut text[14..16], time.minute().into());
    write_decimal(&mut text[17..19], time.second().into());
    write_decimal(&mut text[20..23], time.millisecond().into());
    String::from_utf8_lossy(&text).into_owned()
}

fn write_decimal(field: &mut [u8], mut value: u32) {
    for byte in field.iter_mut().rev() {
        let digit = (value % 10) as u8;
        *byte = b'0' + digit;
        value /= 10;
    }
}
