//! The descriptor of a reply, as a well-behaved server makes it from the request's.
//!
//! Source: MQI reference, MQMD, fields Report, MsgId, CorrelId and Expiry, 9.3.

use model::descriptor::{Expiry, MessageDescriptor, MessageType, Report};
use model::identifier::{CorrelationId, MessageId};

/// The request's message identifier becomes the reply's correlation identifier and the reply's own is new, unless the
/// request's report options want them passed. Persistence, priority, format, CCSID and encoding are the request's; what is
/// left of its expiry is only where MQRO_PASS_DISCARD_AND_EXPIRY wants it.
pub(super) fn descriptor(request: &MessageDescriptor) -> MessageDescriptor {
    let wants = |option| request.report.contains(option);
    let pass_expiry = wants(Report::PASS_DISCARD_AND_EXPIRY);
    MessageDescriptor {
        message_type: MessageType::REPLY,
        format: request.format,
        ccsid: request.ccsid,
        encoding: request.encoding,
        persistence: request.persistence,
        priority: request.priority,
        message_id: if wants(Report::PASS_MSG_ID) { request.message_id } else { MessageId::NONE },
        correlation_id: match wants(Report::PASS_CORREL_ID) {
            true => request.correlation_id,
            false => CorrelationId::from(request.message_id),
        },
        expiry: if pass_expiry { request.expiry } else { Expiry::UNLIMITED },
        report: match pass_expiry {
            true => request.report & Report::DISCARD_MSG,
            false => Report::empty(),
        },
        ..MessageDescriptor::default()
    }
}

#[cfg(test)]
mod tests;
