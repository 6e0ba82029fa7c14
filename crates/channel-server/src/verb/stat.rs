//! MQSTAT: what became of puts that were not answered.
//!
//! Source: MQ reference, "MQSTAT", "MQSTS", 9.3: counts since the last MQSTAT, and the first put that went wrong.

use std::sync::Arc;

use channel_protocol::cursor::Reader;
use channel_protocol::error::DecodeError;
use channel_protocol::flow::call::Ending;
use channel_protocol::flow::stat::Stat;
use channel_protocol::structure::char_string::CharString;
use channel_protocol::structure::object_descriptor::object_type;
use channel_protocol::structure::status_structure::StatusStructure;
use model::options::{ObjectKind, OpenOptions};
use model::reason::{CompletionCode, Reason};

use crate::conversation::OpenObject;
use crate::verb::Call;
use crate::verb::open::text;

/// MQSTAT_TYPE_*.
const ASYNCHRONOUS_ERRORS: i32 = 0;
const RECONNECTION: i32 = 1;
const RECONNECTION_ERROR: i32 = 2;

#[derive(Debug, Default)]
pub(crate) struct PutTally {
    successes: u32,
    warnings: u32,
    failures: u32,
    first: Option<FirstProblem>,
}

#[derive(Debug)]
struct FirstProblem {
    reason: Reason,
    /// `None` when not even its name could be read.
    object: Option<Arc<OpenObject>>,
}

impl PutTally {
    /// A put ended, with a reason other than none or without.
    pub(crate) fn count(&mut self, reason: Option<Reason>, object: Option<&Arc<OpenObject>>) {
        let Some(reason) = reason else {
            self.successes = self.successes.saturating_add(1);
            return;
        };
        let is_failure = reason.completion() == CompletionCode::Failed;
        let counter = if is_failure { &mut self.failures } else { &mut self.warnings };
        *counter = counter.saturating_add(1);
        // The first failure counts, or else the first warning.
        let is_first = match &self.first {
            None => true,
            Some(first) => is_failure && first.reason.completion() != CompletionCode::Failed,
        };
        if is_first {
            self.first = Some(FirstProblem { reason, object: object.cloned() });
        }
    }

    fn tell(self, status: StatusStructure) -> StatusStructure {
        let number = |count: u32| i32::try_from(count).unwrap_or(i32::MAX);
        let mut status = StatusStructure {
            version: status.version,
            put_successes: number(self.successes),
            put_warnings: number(self.warnings),
            put_failures: number(self.failures),
            ..StatusStructure::default()
        };
        let Some(first) = self.first else { return status };
        status.completion = first.reason.completion() as i32;
        status.reason = first.reason.number();
        if let Some(object) = first.object {
            status.object_type = match object.kind {
                ObjectKind::Queue => object_type::QUEUE,
                ObjectKind::NameList => object_type::NAME_LIST,
                ObjectKind::Process => object_type::PROCESS,
                ObjectKind::QueueManager => object_type::QUEUE_MANAGER,
                ObjectKind::Topic => object_type::TOPIC,
            };
            status.object = text(&object.name);
            status.object_queue_manager = text(&object.queue_manager);
            status.resolved_object = text(&object.resolved_queue);
            status.resolved_queue_manager = text(&object.resolved_queue_manager);
            status.object_string = CharString::utf_8(&object.topic_string);
            let options: OpenOptions = object.options;
            status.open_options = options.bits().cast_signed();
        }
        status
    }
}

pub(super) fn stat(call: &Call<'_>, reader: &mut Reader<'_>) -> Result<(), DecodeError> {
    let request = Stat::decode(reader)?;
    let outcome = call.connected().and_then(|_| match request.status_type {
        ASYNCHRONOUS_ERRORS => Ok(std::mem::take(&mut *call.conversation.puts.lock()).tell(request.status.clone())),
        // This end of a channel never reconnects.
        RECONNECTION | RECONNECTION_ERROR => Ok(PutTally::default().tell(request.status.clone())),
        _ => Err(Reason::StatTypeError),
    });
    if let Ok(connected) = call.connected() {
        connected.connection.note_status_call(outcome.is_ok());
    }
    let (ending, status) = match outcome {
        Ok(status) => (Ending::OK, status),
        Err(reason) => (Ending::of(reason), PutTally::default().tell(request.status)),
    };
    let reply = Stat { status_type: request.status_type, status };
    call.reply(ending, |writer| reply.encode(writer));
    Ok(())
}

#[cfg(test)]
mod tests;
