//! Query parameters: decoded once, each known one at most once, unknown ones refused.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use crate::error::{self, ApiError};

/// Calls `take` with each parameter, decoded, in order.
///
/// # Errors
/// Whatever `take` says; text that is not percent-encoded UTF-8.
pub(crate) fn each(
    query: Option<&str>,
    mut take: impl FnMut(&str, Cow<'_, str>) -> Result<(), ApiError>,
) -> Result<(), ApiError> {
    for pair in query.unwrap_or_default().split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let name = decode(name).ok_or_else(|| unknown(name))?;
        let value = decode(value).ok_or_else(|| ApiError::parameter(&name, value))?;
        take(&name, value)?;
    }
    Ok(())
}

/// Stores a parameter's value, unless it was given before.
///
/// # Errors
/// It was given before.
pub(crate) fn once<T>(place: &mut Option<T>, name: &str, value: T) -> Result<(), ApiError> {
    match place.replace(value) {
        Some(_) => Err(unknown(name)),
        None => Ok(()),
    }
}

/// For a parameter the resource does not have.
pub(crate) fn unknown(name: &str) -> ApiError {
    ApiError::new(&error::PARAMETER_UNKNOWN, &[name])
}

/// Refuses every parameter.
pub(crate) fn none(query: Option<&str>) -> Result<(), ApiError> {
    each(query, |name, _| Err(unknown(name)))
}

fn decode(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains(['%', '+']) {
        return Some(Cow::Borrowed(text));
    }
    let spaced = text.replace('+', " ");
    let decoded = percent_decode_str(&spaced).decode_utf8().ok()?.into_owned();
    Some(Cow::Owned(decoded))
}
