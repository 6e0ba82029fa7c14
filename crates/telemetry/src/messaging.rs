//! What spans say of puts and gets.
//!
//! Source: OpenTelemetry, semantic conventions of messaging.

use std::borrow::Cow;

use crate::span::{Kind, Name, Span};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    Put,
    Get,
}

impl Operation {
    pub fn kind(self) -> Kind {
        match self {
            Self::Put => Kind::Producer,
            Self::Get => Kind::Consumer,
        }
    }

    /// The name of its span. The destination is a queue or a topic.
    pub fn name(self, destination: impl Into<Cow<'static, str>>) -> Name {
        Name::of(self.verb(), destination)
    }

    fn verb(self) -> &'static str {
        match self {
            Self::Put => "put",
            Self::Get => "get",
        }
    }

    /// As the conventions call it.
    fn sort(self) -> &'static str {
        match self {
            Self::Put => "send",
            Self::Get => "receive",
        }
    }
}

impl Span {
    /// An empty channel: without one.
    pub fn messaging(&mut self, operation: Operation, destination: &str, queue_manager: &str, channel: &str) {
        self.text("messaging.system", "ibmmq");
        self.text("messaging.operation.name", operation.verb());
        self.text("messaging.operation.type", operation.sort());
        self.text("messaging.destination.name", destination);
        self.text("messaging.ibmmq.queue_manager", queue_manager);
        if !channel.is_empty() {
            self.text("messaging.ibmmq.channel", channel);
        }
    }

    pub fn message_id(&mut self, identifier: &[u8]) {
        self.identifier("messaging.message.id", identifier);
    }

    /// Length of the message's body, in bytes.
    pub fn body_size(&mut self, length: usize) {
        self.number("messaging.message.body.size", i64::try_from(length).unwrap_or(i64::MAX));
    }

    /// The call failed with this reason.
    pub fn refused(&mut self, number: &str, name: &str) {
        self.text("error.type", number);
        self.failed(name);
    }
}
