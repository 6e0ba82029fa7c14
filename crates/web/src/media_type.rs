//! The Content-Type header of requests.

use http::header::{self, HeaderMap};

use crate::error::{self, ApiError};

/// Accepts one of `types`, in UTF-8.
///
/// # Errors
/// 415 (MQWB0306E) absent or another type; 400 (MQWB0305E) another character set.
pub(crate) fn require(headers: &HeaderMap, types: &[&str]) -> Result<(), ApiError> {
    let value = headers.get(header::CONTENT_TYPE).map_or("", |value| value.to_str().unwrap_or("?"));
    let mut parts = value.split(';');
    let essence = parts.next().unwrap_or_default().trim();
    if !types.iter().any(|known| known.eq_ignore_ascii_case(essence)) {
        return Err(ApiError::new(&error::MEDIA_TYPE, &[value, &types.join(", ")]));
    }
    for parameter in parts {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let value = value.trim().trim_matches('"');
        let is_utf_8 = value.eq_ignore_ascii_case("utf-8") || value.eq_ignore_ascii_case("utf8");
        if name.trim().eq_ignore_ascii_case("charset") && !is_utf_8 {
            return Err(ApiError::new(&error::CHARACTER_SET, &[value]));
        }
    }
    Ok(())
}

pub(crate) fn require_json(headers: &HeaderMap) -> Result<(), ApiError> {
    require(headers, &["application/json"])
}
