//! The `ibm-mq-` headers of requests, each read into its type.

use model::descriptor::{Expiry, Persistence};
use model::identifier::{CorrelationId, MessageId};
use model::property::{Property, read_list};

use crate::definition::Wait;
use crate::error::ServiceError;

use super::request::Headers;

fn text(value: &[u8]) -> String {
    String::from_utf8_lossy(value).chars().take(80).collect()
}

fn number(value: &[u8]) -> Option<i32> {
    std::str::from_utf8(value).ok()?.trim().parse().ok()
}

/// # Errors
/// It is no 32-bit integer.
pub(super) fn wait_interval(headers: &Headers<'_>) -> Result<Option<Wait>, ServiceError> {
    let Some(value) = headers.wait_interval else { return Ok(None) };
    match number(value) {
        Some(milliseconds) => Ok(Some(Wait::of_milliseconds(milliseconds.into()))),
        None => Err(ServiceError::header("ibm-mq-gmo-waitInterval", &text(value))),
    }
}

/// A lifetime in milliseconds.
///
/// # Errors
/// It is no 32-bit integer.
pub(super) fn expiry(service: &str, headers: &Headers<'_>) -> Result<Option<i64>, ServiceError> {
    let Some(value) = headers.expiry else { return Ok(None) };
    match number(value) {
        Some(milliseconds) => Ok(Some(milliseconds.into())),
        None => Err(ServiceError::expiry_header(service, &text(value))),
    }
}

/// # Errors
/// It is neither `true` nor `false`.
pub(super) fn persistence(service: &str, headers: &Headers<'_>) -> Result<Option<Persistence>, ServiceError> {
    let Some(value) = headers.persistence else { return Ok(None) };
    match value.trim_ascii() {
        it if it.eq_ignore_ascii_case(b"true") => Ok(Some(Persistence::Persistent)),
        it if it.eq_ignore_ascii_case(b"false") => Ok(Some(Persistence::NonPersistent)),
        _ => Err(ServiceError::persistence_header(service, &text(value))),
    }
}

/// Whether a publication is to be retained.
///
/// # Errors
/// It is neither `TRUE` nor `FALSE`.
pub(super) fn retain(headers: &Headers<'_>) -> Result<bool, ServiceError> {
    let Some(value) = headers.retain else { return Ok(false) };
    match value.trim_ascii() {
        it if it.eq_ignore_ascii_case(b"true") => Ok(true),
        it if it.eq_ignore_ascii_case(b"false") => Ok(false),
        _ => Err(ServiceError::header("ibm-mq-pmo-retain", &text(value))),
    }
}

/// # Errors
/// It is neither text of at most 24 bytes nor `0x:` with at most 48 hexadecimal digits.
pub(super) fn message_id(headers: &Headers<'_>) -> Result<Option<MessageId>, ServiceError> {
    Ok(identifier("ibm-mq-md-msgID", headers.message_id)?.map(MessageId::new))
}

/// # Errors
/// As `message_id`.
pub(super) fn correlation_id(headers: &Headers<'_>) -> Result<Option<CorrelationId>, ServiceError> {
    Ok(identifier("ibm-mq-md-correlID", headers.correlation_id)?.map(CorrelationId::new))
}

fn identifier(name: &str, value: Option<&[u8]>) -> Result<Option<[u8; 24]>, ServiceError> {
    let Some(value) = value else { return Ok(None) };
    parse_identifier(value.trim_ascii()).map(Some).ok_or_else(|| ServiceError::header(name, &text(value)))
}

/// What is shorter than 24 bytes has zeros behind it.
fn parse_identifier(value: &[u8]) -> Option<[u8; 24]> {
    let mut bytes = [0; 24];
    let digits = value.strip_prefix(b"0x:").or_else(|| value.strip_prefix(b"0X:"));
    let Some(digits) = digits else {
        bytes.get_mut(..value.len())?.copy_from_slice(value);
        return (!value.is_empty()).then_some(bytes);
    };
    if digits.is_empty() || digits.len() > 48 || digits.len() % 2 != 0 {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        let digit = |character: u8| char::from(character).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}

/// # Errors
/// A property that cannot be.
pub(super) fn user_properties(headers: &Headers<'_>) -> Result<Vec<Property>, ServiceError> {
    let mut properties = Vec::new();
    let Some(value) = headers.user_properties else { return Ok(properties) };
    let read = std::str::from_utf8(value).ok().and_then(|line| read_list(line, &mut properties));
    read.map(|()| properties).ok_or_else(|| ServiceError::header("ibm-mq-usr", &text(value)))
}

/// MQMD `Expiry` of a lifetime: tenths of a second, rounded up.
pub(super) fn tenths(lifetime: Option<std::time::Duration>) -> Expiry {
    lifetime.map_or(Expiry::UNLIMITED, |lifetime| {
        Expiry(i32::try_from(lifetime.as_millis().div_ceil(100)).unwrap_or(i32::MAX).max(1))
    })
}

#[cfg(test)]
mod tests;
