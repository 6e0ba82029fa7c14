//! The answer to a request, without HTTP's types.

use bytes::Bytes;
use model::identifier::{CorrelationId, MessageId};

use crate::error::ServiceError;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceAnswer {
    /// An HTTP status.
    pub status: u16,
    /// Empty for none.
    pub body: Bytes,
    pub content: Content,
    /// Of the message that was put, got or browsed.
    pub message: Option<Identifiers>,
    /// What the body tells, where the request failed.
    pub error: Option<Box<ServiceError>>,
}

/// What the body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    Json,
    Text,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identifiers {
    pub message_id: MessageId,
    pub correlation_id: CorrelationId,
}

impl ServiceAnswer {
    /// 204: nothing came within the wait, or there is nothing to say.
    pub fn nothing() -> Self {
        Self { status: 204, body: Bytes::new(), content: Content::Json, message: None, error: None }
    }

    pub fn failed(error: ServiceError) -> Self {
        let body = error.body();
        Self { status: error.status, body, content: Content::Json, message: None, error: Some(Box::new(error)) }
    }

    /// For callers who are not to know the details of an error.
    pub fn without_details(self) -> Self {
        match self.error {
            Some(error) if error.details.is_some() => Self::failed(ServiceError { details: None, ..*error }),
            error => Self { error, ..self },
        }
    }
}
