//! Selectors: the SQL-92 subset of JMS with which a program says, by properties and header fields, which messages it
//! wants to see.
//!
//! ```text
//! text --lexer--> tokens --parser--> expression --evaluate(fields of a message)--> true, false or unknown
//! ```
//! Only true selects. Pure: no clock, no lock; what a message says is in `message.rs`, what identifiers mean in `field.rs`.
//!
//! Work is bounded: a text has at most `MAXIMUM_LENGTH` bytes, parentheses nest at most `MAXIMUM_DEPTH` deep, chains of
//! operators are flat, and a LIKE takes pattern times text at worst.
//!
//! Source: Jakarta Messaging 3.1, "Message selectors"; MQ, "Message selector syntax", "Message selector behavior", 9.3.

mod evaluate;
mod expression;
mod field;
mod lexer;
mod like;
mod message;
mod parser;
#[cfg(test)]
mod tests;
mod value;

use model::descriptor::MessageDescriptor;
use model::identifier::{CorrelationId, MessageId};
use model::reason::Reason;

use crate::selection::selector::evaluate::Fields;
use crate::selection::selector::expression::Condition;
use crate::selection::selector::message::View;

/// Longest selection string in bytes: MQ_SELECTOR_LENGTH.
pub const MAXIMUM_LENGTH: usize = 10_240;
/// Parentheses within parentheses.
pub const MAXIMUM_DEPTH: usize = 64;

/// Why a text is no selector.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectorError {
    #[error("a selector has at most {MAXIMUM_LENGTH} bytes")]
    TooLong,
    #[error("at byte {offset} of the selector: {expected} was expected")]
    Syntax { offset: usize, expected: &'static str },
    #[error("at byte {offset} of the selector: parentheses are nested deeper than {MAXIMUM_DEPTH}")]
    TooDeep { offset: usize },
    /// The body of messages is not looked into.
    #[error("'{name}' is not selected by: only properties and the fields of Root.MQMD are")]
    Content { name: String },
}

impl SelectorError {
    /// The reason that a program gets.
    pub fn reason(&self) -> Reason {
        match self {
            Self::TooLong => Reason::SelectionStringError,
            Self::Syntax { .. } | Self::TooDeep { .. } => Reason::SelectorSyntaxError,
            Self::Content { .. } => Reason::SelectionNotAvailable,
        }
    }
}

/// A selector, ready to be asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Selector {
    text: Box<str>,
    condition: Condition,
    identifiers: Identifiers,
    /// The identifiers are all there is to match.
    is_exact: bool,
}

/// Identifiers that every selected message has: the queue finds those by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Identifiers {
    pub message_id: Option<MessageId>,
    pub correlation_id: Option<CorrelationId>,
}

impl Selector {
    /// # Errors
    /// As the variants say.
    pub fn parse(text: &str) -> Result<Self, SelectorError> {
        let condition = parser::parse(text)?;
        let (identifiers, is_exact) = condition.identifiers();
        Ok(Self { text: text.into(), condition, identifiers, is_exact })
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn identifiers(&self) -> Identifiers {
        self.identifiers
    }

    /// A message with the identifiers is selected, whatever its other fields are.
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// Whether a message is selected. `body` may be only its beginning, as long as that holds the property headers.
    pub fn matches(&self, descriptor: &MessageDescriptor, body: &[u8]) -> bool {
        self.selects(&View::new(descriptor, body))
    }

    fn selects(&self, fields: &dyn Fields) -> bool {
        self.condition.evaluate(fields) == Some(true)
    }
}

/// How long the beginning of a body must be to hold its property headers; `None` when they are not whole within it, or
/// say nothing of a length.
pub(crate) fn headers_end(descriptor: &MessageDescriptor, body: &[u8]) -> usize {
    message::headers_end(descriptor, body)
}
