//! Messages as the command line states and shows them, to and from their descriptor.

use model::descriptor::{Ccsid, Expiry, Format, MessageDescriptor, Persistence};
use model::identifier::{CorrelationId, MessageId};
use model::name::QueueName;
use model::reason::Reason;

use super::{MessageHeader, NewMessage};

impl NewMessage {
    /// # Errors
    /// A sentence that says which part is wrong.
    pub(crate) fn descriptor(&self) -> Result<MessageDescriptor, String> {
        let mut descriptor = MessageDescriptor::default();
        if let Some(persistent) = self.persistent {
            descriptor.persistence = if persistent { Persistence::Persistent } else { Persistence::NonPersistent };
        }
        if let Some(priority) = self.priority {
            descriptor.priority = i32::from(priority);
        }
        if let Some(milliseconds) = self.expiry_ms {
            let tenths = i32::try_from(milliseconds.div_ceil(100)).map_err(|_| "the expiry is too long".to_owned())?;
            descriptor.expiry = Expiry(tenths.max(1));
        }
        descriptor.message_id = message_id(self.message_id.as_deref())?;
        descriptor.correlation_id = correlation_id(self.correlation_id.as_deref())?;
        if let Some(queue) = &self.reply_to_queue {
            descriptor.reply_to_queue = queue_name(queue)?;
        }
        if self.text {
            descriptor.format = Format::STRING;
            descriptor.ccsid = Ccsid::UTF_8;
        }
        Ok(descriptor)
    }
}

impl MessageHeader {
    pub(crate) fn of(descriptor: &MessageDescriptor, warning: Option<Reason>) -> Self {
        Self {
            message_id: descriptor.message_id.to_string(),
            correlation_id: descriptor.correlation_id.to_string(),
            format: descriptor.format.0.to_string(),
            ccsid: descriptor.ccsid.0,
            persistent: descriptor.persistence == Persistence::Persistent,
            priority: descriptor.priority,
            expiry: descriptor.expiry.0,
            put_date: descriptor.put_date.to_string(),
            put_time: descriptor.put_time.to_string(),
            put_application_name: descriptor.put_application_name.to_string(),
            user_identifier: descriptor.user_identifier.to_string(),
            reply_to_queue: descriptor.reply_to_queue.to_string(),
            reply_to_queue_manager: descriptor.reply_to_queue_manager.to_string(),
            backout_count: descriptor.backout_count,
            warning: warning.map(describe),
        }
    }
}

/// `2110 (MQRC_FORMAT_ERROR)`.
pub(crate) fn describe(reason: Reason) -> String {
    format!("{} ({})", reason as u16, reason.name())
}

pub(crate) fn message_id(hex: Option<&str>) -> Result<MessageId, String> {
    let Some(hex) = hex else { return Ok(MessageId::NONE) };
    MessageId::from_hex(hex).ok_or_else(|| "a message id has 48 hexadecimal digits".to_owned())
}

pub(crate) fn correlation_id(hex: Option<&str>) -> Result<CorrelationId, String> {
    let Some(hex) = hex else { return Ok(CorrelationId::NONE) };
    CorrelationId::from_hex(hex).ok_or_else(|| "a correlation id has 48 hexadecimal digits".to_owned())
}

/// Not blank.
pub(crate) fn queue_name(text: &str) -> Result<QueueName, String> {
    match QueueName::parse(text) {
        Ok(name) if !name.is_blank() => Ok(name),
        Ok(_) => Err("a queue name is needed".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}
