//! Asynchronous consumers: messages that are sent to a client without an MQGET of their own.

use std::sync::Arc;

use channel_protocol::assembly::Unit;
use channel_protocol::error::ProtocolError;

use crate::conversation::Conversation;

/// Dropping it ends the delivery.
pub(crate) struct Consumer {}

/// The consumers of one conversation.
#[derive(Default)]
pub(crate) struct Consumers {}

impl Consumers {
    /// Takes out the consumer of a handle that is closed; dropping it ends it.
    pub(crate) fn remove(&mut self, _handle: u32) -> Option<Consumer> {
        None
    }
}

/// REQUEST_MSGS.
pub(crate) fn request(_conversation: &Arc<Conversation>, unit: &Unit) -> Result<(), ProtocolError> {
    Err(ProtocolError::Unexpected { segment_type: unit.segment_type.number() })
}

/// NOTIFICATION.
pub(crate) fn notification(_conversation: &Arc<Conversation>, unit: &Unit) -> Result<(), ProtocolError> {
    Err(ProtocolError::Unexpected { segment_type: unit.segment_type.number() })
}
