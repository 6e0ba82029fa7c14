//! What the message API itself refuses. What the queue manager refuses stays a reason of MQ.

use crate::content::NotOfType;
use crate::copybooks::{NoCopybook, NotARecord};

/// A request that cannot be understood: which member or header, and what was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAMessage {
    #[error("{0}")]
    Json(String),
    #[error("the member '{member}' is '{value}'; expected {expected}")]
    Member { member: &'static str, value: String, expected: &'static str },
    #[error("the property '{name}' {problem}")]
    Property { name: String, problem: String },
    #[error("the headers {0}")]
    Headers(String),
    #[error("the header headers[{index}] {problem}")]
    Header { index: usize, problem: String },
    #[error("the body has {0} of text, json, base64, raw and copybook; expected one of them")]
    Bodies(usize),
    #[error("the body has {0}; expected copybook and record")]
    HalfARecord(&'static str),
    #[error(transparent)]
    Copybook(#[from] NoCopybook),
    #[error("the record is not one of the copybook '{copybook}': {problem}")]
    Record { copybook: String, problem: NotARecord },
    #[error("the text cannot be written in CCSID {0}")]
    Ccsid(i32),
    #[error(transparent)]
    Type(#[from] NotOfType),
}

impl NotAMessage {
    pub(crate) fn member(member: &'static str, value: &str, expected: &'static str) -> Self {
        Self::Member { member, value: value.chars().take(80).collect(), expected }
    }
}
