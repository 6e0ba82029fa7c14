//! Whether a message is text, and its text in UTF-8: MQSTR, or a JMS text message.

use bytes::Bytes;
use http::StatusCode;
use model::descriptor::{Ccsid, Format, MessageDescriptor};
use model::jms::{NotText, TextMessage};
use model::message::Message;
use model::property::Property;

use crate::answer::{self, Answer};
use crate::error::{self, ApiError};
use crate::routes::Version;

use super::{headers, properties};

/// A message that can be returned.
pub(super) struct Readable {
    text: Bytes,
    properties: Vec<Property>,
    correlation_text: Option<String>,
}

impl Readable {
    /// # Errors
    /// 501: another format (MQWB0309E), or text in an unknown character set or not in its own (MQWB0913E).
    pub(super) fn of(version: Version, message: &Message) -> Result<Self, ApiError> {
        Self::of_either(version, message, is_plain(&message.descriptor, &message.body))
    }

    /// As `of`, for a message that `is_plain` or `TextMessage::decode` has accepted: a long text is not checked once more.
    pub(super) fn of_accepted(version: Version, message: &Message) -> Result<Self, ApiError> {
        Self::of_either(version, message, says_plain(&message.descriptor))
    }

    fn of_either(version: Version, message: &Message, is_plain: bool) -> Result<Self, ApiError> {
        let descriptor = &message.descriptor;
        if is_plain {
            // As it lies on the queue: the usual case, without a copy.
            return Ok(Self { text: message.body.clone(), properties: Vec::new(), correlation_text: None });
        }
        let decoded = TextMessage::decode(descriptor, &message.body);
        let decoded = decoded.map_err(|problem| refusal(version, descriptor, &problem))?;
        Ok(Self {
            text: decoded.text.into(),
            properties: decoded.properties,
            correlation_text: decoded.jms.correlation_id.filter(|text| !text.starts_with(headers::ID_PREFIX)),
        })
    }

    pub(super) fn correlation_text(&self) -> Option<&str> {
        self.correlation_text.as_deref()
    }

    pub(super) fn into_answer(self, version: Version, descriptor: &MessageDescriptor) -> Answer {
        let mut answer = answer::text(StatusCode::OK, self.text);
        let sent = answer.headers_mut();
        headers::describe(sent, version, descriptor, self.correlation_text.as_deref());
        if version >= Version::V3 {
            properties::describe(sent, &self.properties);
        }
        answer
    }
}

/// Whether the body is nothing but text in UTF-8. A descriptor that says so may be wrong.
pub(super) fn is_plain(descriptor: &MessageDescriptor, body: &[u8]) -> bool {
    says_plain(descriptor) && std::str::from_utf8(body).is_ok()
}

fn says_plain(descriptor: &MessageDescriptor) -> bool {
    descriptor.format == Format::STRING && descriptor.ccsid == Ccsid::UTF_8
}

fn refusal(version: Version, descriptor: &MessageDescriptor, problem: &NotText) -> ApiError {
    let id = headers::identifier(version, descriptor.message_id.as_bytes());
    let id = id.to_str().unwrap_or_default();
    match problem {
        NotText::Ccsid(_) | NotText::Malformed(_) => {
            ApiError::new(&error::NOT_CONVERTIBLE, &[id, &descriptor.ccsid.0.to_string()])
        }
        NotText::Format(_) | NotText::Domain(_) | NotText::Header(_) | NotText::Folder(_) => {
            ApiError::new(&error::NOT_TEXT, &[id, &descriptor.format.0.to_text()])
        }
    }
}
