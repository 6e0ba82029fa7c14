//! `/log`: the last lines of the server's log.

use http::StatusCode;
use message_api::log_lines::{Level, LogLine, Page};
use serde::Serialize;

use crate::answer::Answer;
use crate::error::ApiError;
use crate::query;
use crate::service::Call;

use super::super::json;

const DEFAULT_LIMIT: usize = 200;
/// Of a line, which every client can read as a number.
const GREATEST_NUMBER: u64 = 1 << 53;
const LIMITS: std::ops::RangeInclusive<usize> = 1..=1000;

#[derive(Serialize)]
struct Shown<'a> {
    lines: Vec<&'a LogLine>,
    next: u64,
    first: u64,
}

/// GET of `/log`. Without `after`, the last lines; with it, those that follow.
///
/// # Errors
/// 400 an unknown parameter or value.
pub(super) fn show(call: Call<'_>) -> Result<Answer, ApiError> {
    let (mut after, mut level, mut limit) = (None, None, None);
    query::each(call.query(), |name, value| match name {
        "after" => {
            let number = value.parse().ok().filter(|number| *number <= GREATEST_NUMBER);
            let number = number.ok_or_else(|| ApiError::parameter_expected(name, &value, "the number of a line"))?;
            query::once(&mut after, name, number)
        }
        "level" => {
            let known = Level::parse(&value).ok_or_else(|| ApiError::parameter_expected(name, &value, &levels()))?;
            query::once(&mut level, name, known)
        }
        "limit" => {
            let number = value.parse().ok().filter(|number| LIMITS.contains(number));
            let number = number.ok_or_else(|| ApiError::parameter_expected(name, &value, "a number from 1 to 1000"))?;
            query::once(&mut limit, name, number)
        }
        _ => Err(query::unknown(name)),
    })?;
    let (level, limit) = (level.unwrap_or(Level::Trace), limit.unwrap_or(DEFAULT_LIMIT));
    let log = &call.settings.options.log;
    let Page { lines, next, first } = match after {
        Some(number) => log.after(number, level, limit),
        None => log.latest(level, limit),
    };
    Ok(json(StatusCode::OK, &Shown { lines: lines.iter().map(AsRef::as_ref).collect(), next, first }))
}

fn levels() -> String {
    format!("one of {}", Level::ALL.map(Level::name).join(", "))
}
