//! Lengths of time as people write them.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A length of time such as `200ms`, `1.5s`, `2m`, `1h`; a bare number is seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct Span(pub Duration);

impl TryFrom<String> for Span {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Span> for String {
    /// In whole units where there are such.
    fn from(Span(length): Span) -> Self {
        match length.as_nanos() {
            nanos if nanos % 1_000_000_000 == 0 => format!("{}s", length.as_secs()),
            nanos if nanos % 1_000_000 == 0 => format!("{}ms", length.as_millis()),
            nanos if nanos % 1_000 == 0 => format!("{}us", length.as_micros()),
            _ => format!("{}s", length.as_secs_f64()),
        }
    }
}

impl std::str::FromStr for Span {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        let seconds_per_unit = match unit {
            "us" => 1e-6,
            "ms" => 1e-3,
            "" | "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            _ => return Err(span_error(text)),
        };
        let number: f64 = number.parse().map_err(|_| span_error(text))?;
        Duration::try_from_secs_f64(number * seconds_per_unit).map(Self).map_err(|_| span_error(text))
    }
}

fn span_error(text: &str) -> String {
    format!("'{text}' is not a length of time such as 200ms, 30s or 2m")
}
