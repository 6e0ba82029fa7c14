//! Query parameters that select messages: `messageId`, `correlationId`, `wait`, `limit`.

use std::borrow::Cow;
use std::time::Duration;

use http::HeaderName;
use model::identifier::{CorrelationId, MessageId};
use model::options::GetOptions;

use crate::error::ApiError;
use crate::query;
use crate::routes::Version;
use crate::service::Call;

use super::headers::{Correlation, correlation_forms, decimal, message_id_forms, parse_message_id};
use super::readable::Readable;

/// Greatest `wait` (in milliseconds) and `limit`.
const MAXIMUM: u64 = 0x7FFF_FFFF;
const MILLISECONDS: &str = "milliseconds from 0 to 2147483647";
const NUMBER: &str = "a whole number from 0 to 2147483647";
/// Entries of a message list when `limit` is not given.
const DEFAULT_LIMIT: u64 = 10_000;

/// An extension of ours: `skip` passes over messages that are no text; `refuse`, as without it, answers 501.
pub(crate) const UNREADABLE: HeaderName = HeaderName::from_static("quaymaster-unreadable");

/// Which parameters a resource takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    Identifiers,
    IdentifiersAndWait,
    IdentifiersAndLimit,
}

#[derive(Debug, Default)]
pub(super) struct Selection {
    message_id: Option<MessageId>,
    correlation: Option<Correlation>,
    wait_ms: Option<u64>,
    limit: Option<u64>,
    skips_unreadable: bool,
}

impl Selection {
    /// # Errors
    /// 400 for an unknown or repeated parameter, or a value outside of its range; also of the header `UNREADABLE`.
    pub(super) fn read(call: &Call<'_>, takes: Takes) -> Result<Self, ApiError> {
        let mut selection = Self::default();
        query::each(call.query(), |name, value| selection.take(call.version, takes, name, value))?;
        if let Some(value) = call.headers().get(&UNREADABLE) {
            selection.skips_unreadable = match value.as_bytes() {
                b"skip" => true,
                b"refuse" => false,
                other => {
                    return Err(ApiError::header(
                        UNREADABLE.as_str(),
                        &String::from_utf8_lossy(other),
                        "skip or refuse",
                    ));
                }
            };
        }
        Ok(selection)
    }

    fn take(&mut self, version: Version, takes: Takes, name: &str, value: Cow<'_, str>) -> Result<(), ApiError> {
        let bad = |expected: &str| ApiError::parameter_expected(name, &value, expected);
        match name {
            "messageId" => query::once(
                &mut self.message_id,
                name,
                parse_message_id(version, &value).ok_or_else(|| bad(message_id_forms(version)))?,
            ),
            "correlationId" => query::once(
                &mut self.correlation,
                name,
                Correlation::parse(version, &value).ok_or_else(|| bad(correlation_forms(version)))?,
            ),
            "wait" if takes == Takes::IdentifiersAndWait => {
                query::once(&mut self.wait_ms, name, number(&value).ok_or_else(|| bad(MILLISECONDS))?)
            }
            "limit" if takes == Takes::IdentifiersAndLimit => {
                query::once(&mut self.limit, name, number(&value).ok_or_else(|| bad(NUMBER))?)
            }
            _ => Err(query::unknown(name)),
        }
    }

    /// How long to wait; `None` not at all.
    pub(super) fn wait(&self) -> Option<Duration> {
        self.wait_ms.filter(|&milliseconds| milliseconds > 0).map(Duration::from_millis)
    }

    pub(super) fn limit(&self) -> u64 {
        self.limit.unwrap_or(DEFAULT_LIMIT)
    }

    /// What MQ matches. All zeros is MQ's "none", which matches every message.
    pub(super) fn apply(&self, options: &mut GetOptions) {
        let message_id = self.message_id.filter(|id| !id.is_none());
        let correlation_id = self.correlation.as_ref().map(Correlation::to_descriptor).filter(|id| !id.is_none());
        options.match_identifiers(message_id, correlation_id, None);
    }

    /// Whether a message that MQ has matched is meant. Where a long correlation text is wanted, one that cannot be read is not.
    pub(super) fn accepts(&self, readable: &Result<Readable, ApiError>) -> bool {
        let readable = readable.as_ref().ok();
        self.is_of(readable.and_then(Readable::correlation_text)) && (readable.is_some() || !self.skips_unreadable)
    }

    /// Whether messages that MQ has matched may not be meant.
    pub(super) fn passes_over(&self) -> bool {
        self.skips_unreadable || self.long_correlation_text().is_some()
    }

    /// Whether a message with this correlation text is meant.
    pub(super) fn is_of(&self, correlation_text: Option<&str>) -> bool {
        self.long_correlation_text().is_none_or(|wanted| correlation_text == Some(wanted))
    }

    /// A correlation text that MQMD can only hold the beginning of: the JMS header decides.
    pub(super) fn long_correlation_text(&self) -> Option<&str> {
        match &self.correlation {
            Some(Correlation::Text(text)) if text.len() > CorrelationId::LENGTH => Some(text),
            _ => None,
        }
    }
}

fn number(text: &str) -> Option<u64> {
    decimal(text).filter(|&number| number <= MAXIMUM)
}
