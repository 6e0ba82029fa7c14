//! The verbs of a transaction manager.

use std::sync::Arc;

use channel_protocol::assembly::Unit;
use channel_protocol::error::ProtocolError;

use crate::conversation::Conversation;

/// Answers one XA call.
///
/// # Errors
/// The unit breaks the protocol.
pub(crate) async fn answer(_conversation: &Arc<Conversation>, unit: &Unit) -> Result<(), ProtocolError> {
    Err(ProtocolError::Unexpected { segment_type: unit.segment_type.number() })
}
