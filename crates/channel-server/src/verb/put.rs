//! MQPUT and MQPUT1, answered or not.

use std::sync::Arc;

use bytes::Bytes;
use channel_protocol::assembly::Unit;
use channel_protocol::cursor::Reader;
use channel_protocol::error::DecodeError;
use channel_protocol::flow::call::Ending;
use channel_protocol::flow::put::{Put, Put1, Put1Reply, PutReply};
use channel_protocol::structure::message_descriptor::Descriptor;
use channel_protocol::structure::object_descriptor::ObjectStructure;
use channel_protocol::structure::put_options::PutStructure;
use model::message::Message;
use model::options::{ObjectDescriptor, ObjectKind, OpenOptions, PutFlags};
use model::reason::Reason;
use queue_manager::Due;
use queue_manager::connection::{ObjectHandle, PutResult};

use crate::conversation::{Connected, OpenObject};
use crate::verb::open::text;
use crate::verb::{Call, distribution, ending, ending_with};

/// How far behind the beginning of a call its put options may begin, in bytes: behind an MQOD with its strings.
const SEARCHED: usize = 64 * 1024;

pub(super) async fn put(call: &Call<'_>, reader: &mut Reader<'_>) -> Result<(), DecodeError> {
    let Some(Put { descriptor, options, data }) = readable(call, Put::decode(reader))? else { return Ok(()) };
    if let Some(list) = call.conversation.list_of(call.handle()) {
        if let Some((ending, reply)) = distribution::put(call, &list, &descriptor, &options, &data, None).await {
            call.reply(ending, |writer| reply.encode(writer));
        }
        return Ok(());
    }
    let message = Message { descriptor: descriptor.fields.clone(), body: data };
    let outcome = put_to_handle(call, call.handle(), message, &options, None).await;
    if options.is_asynchronous() {
        count_of_handle(call, &options, &outcome);
        return Ok(());
    }
    let (ending, reply) = reply(call, descriptor, options, &outcome);
    call.reply(ending, |writer| reply.encode(writer));
    Ok(())
}

/// `None`: the structures are wrong, and the put wants no answer; then it is counted.
pub(crate) fn readable<T>(call: &Call<'_>, decoded: Result<T, DecodeError>) -> Result<Option<T>, DecodeError> {
    let Err(DecodeError::Refused(reason)) = decoded else { return decoded.map(Some) };
    let Some(options) = options_of(call).filter(PutStructure::is_asynchronous) else {
        return Err(DecodeError::Refused(reason));
    };
    count(call, &options, &Err(reason), None);
    Ok(None)
}

/// Looks for the put options behind structures that could not be read.
fn options_of(call: &Call<'_>) -> Option<PutStructure> {
    let Unit { body, form, .. } = call.unit;
    let mut identifier = *b"PMO ";
    form.field_out(&mut identifier);
    let place = body.windows(identifier.len()).take(SEARCHED).position(|window| window == identifier)?;
    PutStructure::decode_fields(&mut Reader::new("MQPMO", &body.slice(place..), *form)).ok()
}

pub(crate) async fn put_to_handle(
    call: &Call<'_>,
    handle: ObjectHandle,
    message: Message,
    options: &PutStructure,
    due: Option<Due>,
) -> Result<PutResult, Reason> {
    let Connected { connection, .. } = admitted(call, options, &message.body)?;
    let options = options.to_model();
    match due {
        None => connection.put(handle, message.descriptor, &options, message.body).await,
        Some(due) => connection.put_due(handle, Box::new(message), &options, due).await,
    }
}

pub(super) async fn put1(call: &Call<'_>, reader: &mut Reader<'_>) -> Result<(), DecodeError> {
    let Some(Put1 { object, put: Put { descriptor, options, data } }) = readable(call, Put1::decode(reader))? else {
        return Ok(());
    };
    let is_list = distribution::is_list(&object);
    if is_list == Ok(true) {
        if let Some((ending, reply)) = distribution::put1(call, object, &descriptor, &options, &data).await {
            call.reply(ending, |writer| reply.encode(writer));
        }
        return Ok(());
    }
    let wanted = is_list.and_then(|_| object.to_model(call.unit.form));
    let outcome = match &wanted {
        Ok(wanted) => {
            let message = Message { descriptor: descriptor.fields.clone(), body: data };
            put_to_object(call, wanted, message, &options).await
        }
        Err(reason) => Err(*reason),
    };
    if options.is_asynchronous() {
        let object = wanted.ok().map(|wanted| Arc::new(named(&wanted, &outcome)));
        count(call, &options, &outcome, object.as_ref());
        return Ok(());
    }
    let object = answered(object, &outcome);
    let (ending, put) = reply(call, descriptor, options, &outcome);
    let reply = Put1Reply { object, put };
    call.reply(ending, |writer| reply.encode(writer));
    Ok(())
}

pub(super) async fn put_to_object(
    call: &Call<'_>,
    object: &ObjectDescriptor,
    message: Message,
    options: &PutStructure,
) -> Result<PutResult, Reason> {
    let Connected { connection, principal } = admitted(call, options, &message.body)?;
    connection.put1(&principal, object, message.descriptor, &options.to_model(), message.body).await
}

/// What every put needs, whatever it is put to.
///
/// # Errors
/// `HconnError` (2018). `DataLengthError` (2010): longer than the channel takes. `ConnectionQuiescing` (2202).
pub(super) fn admitted(call: &Call<'_>, options: &PutStructure, data: &Bytes) -> Result<Connected, Reason> {
    let connected = call.connected()?;
    call.admit(options.flags.contains(PutFlags::FAIL_IF_QUIESCING))?;
    if data.len() > call.conversation.shared.negotiated.maximum_message {
        return Err(Reason::DataLengthError);
    }
    Ok(connected)
}

/// The descriptor as the queue manager completed it, in the version it came in.
pub(crate) fn reply(
    call: &Call<'_>,
    descriptor: Descriptor,
    options: PutStructure,
    outcome: &Result<PutResult, Reason>,
) -> (Ending, PutReply) {
    let Ok(result) = outcome else { return (ending(outcome), PutReply { descriptor, options }) };
    let is_local = result.resolved_queue_manager == call.conversation.terms().queue_manager.name();
    let reply = PutReply {
        descriptor: Descriptor { version: descriptor.version, fields: result.message.descriptor.clone() },
        options: PutStructure {
            counts: [i32::from(is_local), i32::from(!is_local), 0],
            resolved_queue: text(&result.resolved_queue),
            resolved_queue_manager: text(&result.resolved_queue_manager),
            ..options
        },
    };
    (ending_with(result.warning), reply)
}

fn answered(object: ObjectStructure, outcome: &Result<PutResult, Reason>) -> ObjectStructure {
    let object = object.without_strings();
    let Ok(result) = outcome else { return object };
    ObjectStructure {
        resolved_queue: text(&result.resolved_queue),
        resolved_queue_manager: text(&result.resolved_queue_manager),
        resolved_type: object.object_type,
        ..object
    }
}

/// What MQSTAT tells of the object of a put1.
fn named(object: &ObjectDescriptor, outcome: &Result<PutResult, Reason>) -> OpenObject {
    let (resolved_queue, resolved_queue_manager) =
        outcome.as_ref().map(|result| (result.resolved_queue, result.resolved_queue_manager)).unwrap_or_default();
    OpenObject {
        kind: object.object,
        name: object.name,
        queue_manager: object.queue_manager,
        topic_string: if object.object == ObjectKind::Topic { object.topic_string.clone() } else { String::new() },
        resolved_queue,
        resolved_queue_manager,
        options: OpenOptions::OUTPUT,
    }
}

/// Counts a put that wants no answer.
pub(crate) fn count_of_handle(call: &Call<'_>, options: &PutStructure, outcome: &Result<PutResult, Reason>) {
    let object = call.conversation.objects.lock().get(&call.handle().0).cloned();
    count(call, options, outcome, object.as_ref());
}

pub(super) fn count(
    call: &Call<'_>,
    options: &PutStructure,
    outcome: &Result<PutResult, Reason>,
    object: Option<&Arc<OpenObject>>,
) {
    let reason = match outcome {
        Ok(result) => result.warning,
        Err(reason) => {
            if options.flags.contains(PutFlags::SYNCPOINT) {
                call.conversation.spoilt.lock().put_failed();
            }
            Some(*reason)
        }
    };
    call.conversation.puts.lock().count(reason, object);
}
