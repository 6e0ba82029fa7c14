//! The `ibm-mq-md-*` headers: those of a put, read into types, and those of a message that is returned.

use http::header::{HeaderMap, HeaderName, HeaderValue};
use model::descriptor::{Expiry, MessageDescriptor, Persistence};
use model::identifier::{CorrelationId, MessageId};
use model::name::{QueueManagerName, QueueName};

use crate::error::ApiError;
use crate::routes::Version;

pub(super) const MESSAGE_ID: HeaderName = HeaderName::from_static("ibm-mq-md-messageid");
const CORRELATION_ID: HeaderName = HeaderName::from_static("ibm-mq-md-correlationid");
const EXPIRY: HeaderName = HeaderName::from_static("ibm-mq-md-expiry");
const PERSISTENCE: HeaderName = HeaderName::from_static("ibm-mq-md-persistence");
const PRIORITY: HeaderName = HeaderName::from_static("ibm-mq-md-priority");
const REPLY_TO: HeaderName = HeaderName::from_static("ibm-mq-md-replyto");

const UNLIMITED: HeaderValue = HeaderValue::from_static("unlimited");
const PERSISTENT: HeaderValue = HeaderValue::from_static("persistent");
const NONPERSISTENT: HeaderValue = HeaderValue::from_static("nonPersistent");

/// What v1 and v2 put with, and v2 publishes with.
const OLD_PRIORITY: i32 = 4;
/// 99,999,999,900 ms is MQMD's greatest expiry, 999,999,999 tenths of a second.
const LONGEST_EXPIRY_MS: u64 = 99_999_999_900;
const HEXADECIMAL: &str = "48 hexadecimal digits";
const EXPIRIES: &str = "milliseconds from 0 to 99999999900 or unlimited";
/// Prefix of identifiers in v3.
pub(super) const ID_PREFIX: &str = "ID:";

/// A correlation id, in whichever form a client gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Correlation {
    Bytes(CorrelationId),
    /// v3: a text of the application's own.
    Text(String),
}

impl Correlation {
    /// v1 and v2: 48 hexadecimal digits. v3: `ID:` and 48 hexadecimal digits, or any other text.
    pub(super) fn parse(version: Version, text: &str) -> Option<Self> {
        if version < Version::V3 {
            return CorrelationId::from_hex(text).map(Self::Bytes);
        }
        match text.strip_prefix(ID_PREFIX) {
            Some(hex) => CorrelationId::from_hex(hex).map(Self::Bytes),
            None => (!text.is_empty()).then(|| Self::Text(text.to_owned())),
        }
    }

    /// What MQMD holds: for a text its first 24 bytes of UTF-8, as JMS maps it.
    pub(super) fn to_descriptor(&self) -> CorrelationId {
        match self {
            Self::Bytes(id) => *id,
            Self::Text(text) => {
                let mut bytes = [0; CorrelationId::LENGTH];
                let length = text.len().min(bytes.len());
                bytes[..length].copy_from_slice(&text.as_bytes()[..length]);
                CorrelationId::new(bytes)
            }
        }
    }
}

/// A message id of a query parameter.
pub(super) fn parse_message_id(version: Version, text: &str) -> Option<MessageId> {
    let hex = if version < Version::V3 { text } else { text.strip_prefix(ID_PREFIX)? };
    MessageId::from_hex(hex)
}

/// The headers of a put.
#[derive(Debug, PartialEq)]
pub(super) struct PutHeaders {
    pub(super) correlation: Option<Correlation>,
    pub(super) expiry: Expiry,
    pub(super) persistence: Persistence,
    pub(super) priority: i32,
    pub(super) reply_to: Option<(QueueName, QueueManagerName)>,
}

impl PutHeaders {
    /// `takes_correlation` is false for publications of v2, which ignore that header.
    ///
    /// # Errors
    /// 400 (MQWB0302E) naming the header.
    pub(super) fn read(headers: &HeaderMap, version: Version, takes_correlation: bool) -> Result<Self, ApiError> {
        let parse_correlation = |text: &str| Correlation::parse(version, text);
        Ok(Self {
            correlation: if takes_correlation {
                read(
                    headers,
                    &CORRELATION_ID,
                    "ibm-mq-md-correlationId",
                    correlation_forms(version),
                    parse_correlation,
                )?
            } else {
                None
            },
            expiry: read(headers, &EXPIRY, "ibm-mq-md-expiry", EXPIRIES, parse_expiry)?.unwrap_or(Expiry::UNLIMITED),
            persistence: read(
                headers,
                &PERSISTENCE,
                "ibm-mq-md-persistence",
                "persistent or nonPersistent",
                parse_persistence,
            )?
            .unwrap_or(Persistence::NonPersistent),
            priority: if version < Version::V3 {
                OLD_PRIORITY
            } else {
                read(headers, &PRIORITY, "ibm-mq-md-priority", "0 to 9 or asDestination", parse_priority)?
                    .unwrap_or(MessageDescriptor::PRIORITY_AS_QUEUE_DEFINITION)
            },
            reply_to: read(headers, &REPLY_TO, "ibm-mq-md-replyTo", "QUEUE or QUEUE@QMGR", parse_reply_to)?,
        })
    }
}

/// What the version takes as a correlation id.
pub(super) fn correlation_forms(version: Version) -> &'static str {
    if version < Version::V3 { HEXADECIMAL } else { "ID: and 48 hexadecimal digits, or another text" }
}

/// What the version takes as a message id.
pub(super) fn message_id_forms(version: Version) -> &'static str {
    if version < Version::V3 { HEXADECIMAL } else { "ID: and 48 hexadecimal digits" }
}

fn read<T>(
    headers: &HeaderMap,
    name: &HeaderName,
    shown: &str,
    expected: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>, ApiError> {
    let Some(value) = headers.get(name) else { return Ok(None) };
    let parsed = std::str::from_utf8(value.as_bytes()).ok().and_then(|text| parse(text.trim()));
    match parsed {
        Some(parsed) => Ok(Some(parsed)),
        None => Err(ApiError::header(shown, &String::from_utf8_lossy(value.as_bytes()), expected)),
    }
}

/// Milliseconds, rounded up to tenths of a second so that a short life never becomes an endless one. 0 is JMS's way of
/// saying that a message does not expire.
fn parse_expiry(text: &str) -> Option<Expiry> {
    if text == "unlimited" {
        return Some(Expiry::UNLIMITED);
    }
    let milliseconds = decimal(text).filter(|&milliseconds| milliseconds <= LONGEST_EXPIRY_MS)?;
    if milliseconds == 0 {
        return Some(Expiry::UNLIMITED);
    }
    i32::try_from(milliseconds.div_ceil(100)).ok().map(Expiry)
}

fn parse_persistence(text: &str) -> Option<Persistence> {
    match text {
        "nonPersistent" => Some(Persistence::NonPersistent),
        "persistent" => Some(Persistence::Persistent),
        _ => None,
    }
}

fn parse_priority(text: &str) -> Option<i32> {
    match text.as_bytes() {
        b"asDestination" => Some(MessageDescriptor::PRIORITY_AS_QUEUE_DEFINITION),
        [digit @ b'0'..=b'9'] => Some(i32::from(digit - b'0')),
        _ => None,
    }
}

/// `queue` or `queue@qmgr`.
fn parse_reply_to(text: &str) -> Option<(QueueName, QueueManagerName)> {
    let (queue, queue_manager) = text.split_once('@').unwrap_or((text, ""));
    let queue = QueueName::parse(queue).ok().filter(|queue| !queue.is_blank())?;
    let queue_manager_name = QueueManagerName::parse(queue_manager).ok()?;
    let is_complete = text.contains('@') <= !queue_manager_name.is_blank();
    is_complete.then_some((queue, queue_manager_name))
}

/// Digits only: no sign, no blanks.
pub(super) fn decimal(text: &str) -> Option<u64> {
    let is_decimal = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_decimal { text.parse().ok() } else { None }
}

/// Adds the headers that describe a message that was got or browsed. `application_correlation` is the text of a JMS
/// message's own correlation id.
pub(super) fn describe(
    headers: &mut HeaderMap,
    version: Version,
    descriptor: &MessageDescriptor,
    application_correlation: Option<&str>,
) {
    add_message_id(headers, version, &descriptor.message_id);
    if let Some(correlation) = correlation(version, &descriptor.correlation_id, application_correlation) {
        headers.insert(CORRELATION_ID, correlation);
    }
    headers.insert(
        EXPIRY,
        match u64::try_from(descriptor.expiry.0) {
            Ok(tenths) => HeaderValue::from(tenths * 100),
            Err(_) => UNLIMITED,
        },
    );
    headers.insert(
        PERSISTENCE,
        if descriptor.persistence == Persistence::Persistent { PERSISTENT } else { NONPERSISTENT },
    );
    if version >= Version::V3 {
        headers.insert(PRIORITY, HeaderValue::from(descriptor.priority));
    }
    if let Some(reply_to) = reply_to(descriptor) {
        headers.insert(REPLY_TO, reply_to);
    }
}

pub(super) fn add_message_id(headers: &mut HeaderMap, version: Version, id: &MessageId) {
    headers.insert(MESSAGE_ID, identifier(version, id.as_bytes()));
}

/// As the version writes it; `None` when the message has none.
fn correlation(version: Version, id: &CorrelationId, application: Option<&str>) -> Option<HeaderValue> {
    if let Some(text) = application.filter(|_| version >= Version::V3)
        && let Ok(value) = HeaderValue::from_bytes(text.as_bytes())
    {
        return Some(value);
    }
    (!id.is_none()).then(|| identifier(version, id.as_bytes()))
}

/// 48 lower-case hexadecimal digits, in v3 behind `ID:`.
pub(super) fn identifier(version: Version, bytes: &[u8; 24]) -> HeaderValue {
    let mut text = [0; 51];
    text[..3].copy_from_slice(ID_PREFIX.as_bytes());
    write_hex(&mut text[3..], bytes);
    let text = if version < Version::V3 { &text[3..] } else { &text[..] };
    HeaderValue::from_bytes(text).expect("hexadecimal digits may stand in a header")
}

fn write_hex(text: &mut [u8], bytes: &[u8]) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for (pair, byte) in text.chunks_exact_mut(2).zip(bytes) {
        pair[0] = DIGITS[usize::from(byte >> 4)];
        pair[1] = DIGITS[usize::from(byte & 15)];
    }
}

fn reply_to(descriptor: &MessageDescriptor) -> Option<HeaderValue> {
    if descriptor.reply_to_queue.is_blank() {
        return None;
    }
    let (queue, queue_manager) = (descriptor.reply_to_queue, descriptor.reply_to_queue_manager);
    let text = if queue_manager.is_blank() { queue.to_string() } else { format!("{queue}@{queue_manager}") };
    HeaderValue::try_from(text).ok()
}

#[cfg(test)]
mod tests;
