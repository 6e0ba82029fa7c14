//! Puts and gets on remote queue managers as spans of the requests that make them. A browse is none, as on a local queue manager.

use channel_client::connection::{ObjectHandle, Put};
use channel_client::error::ChannelError;
use model::message::Message;
use model::options::{GetFlags, GetOptions, ObjectDescriptor};
use model::reason::Reason;
use telemetry::{Operation, Span};

use crate::verbs::Remote;

impl Remote {
    pub(crate) fn traced_put(&self, object: &ObjectDescriptor, length: usize) -> Option<Span> {
        let mut span = self.begin(Operation::Put, || queue_manager::name_of_object(object))?;
        span.body_size(length);
        Some(span)
    }

    pub(crate) fn traced_get(&self, handle: ObjectHandle, options: &GetOptions) -> Option<Span> {
        if options.flags.intersects(GetFlags::BROWSES) {
            return None;
        }
        let name = || self.open.iter().find(|(open, _)| *open == handle).map(|(_, name)| name.to_string());
        self.begin(Operation::Get, || name().unwrap_or_default())
    }

    /// Within a request that is recorded.
    fn begin(&self, operation: Operation, destination: impl FnOnce() -> String) -> Option<Span> {
        let place = telemetry::current_recorded()?;
        let destination = destination();
        let mut span = place.begin(operation.kind(), operation.name(destination.clone()));
        span.messaging(operation, &destination, self.connection.queue_manager().as_str(), self.channel.as_str());
        Some(span)
    }
}

pub(crate) fn put_ended(span: Option<Span>, outcome: &Result<Put, ChannelError>) {
    let Some(mut span) = span else { return };
    match outcome {
        Ok(put) => span.message_id(put.descriptor.message_id.as_bytes()),
        Err(error) => refused(&mut span, error.reason()),
    }
}

/// A get that found no message has not failed.
pub(crate) fn get_ended(span: Option<Span>, outcome: &Result<Box<Message>, ChannelError>) {
    let Some(mut span) = span else { return };
    match outcome {
        Ok(message) => {
            span.message_id(message.descriptor.message_id.as_bytes());
            span.body_size(message.body.len());
            if let Some(context) = queue_manager::context_of(message) {
                span.link(&context);
            }
        }
        Err(error) if error.reason() == Reason::NoMsgAvailable => {}
        Err(error) => refused(&mut span, error.reason()),
    }
}

fn refused(span: &mut Span, reason: Reason) {
    span.refused(&reason.number().to_string(), reason.name());
}
