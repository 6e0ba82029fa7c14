//! MQGET: everything the queue manager can do, with a wait that keeps only its own conversation waiting.
//!
//! A message got outside a unit of work is gone when its reply could not be sent, as in MQ.

use bytes::Bytes;
use channel_protocol::cursor::Reader;
use channel_protocol::error::DecodeError;
use channel_protocol::flow::get::{Get, GetReply};
use channel_protocol::structure::get_options::GetStructure;
use channel_protocol::structure::message_descriptor::Descriptor;
use model::options::GetFlags;
use model::reason::Reason;
use queue_manager::connection::GetResult;

use crate::verb::open::text;
use crate::verb::{Call, ending, ending_with};

pub(super) async fn get(call: &Call<'_>, reader: &mut Reader<'_>) -> Result<(), DecodeError> {
    let request = Get::decode(reader)?;
    let outcome = get_message(call, &request).await;
    let Get { descriptor, options, .. } = request;
    match outcome {
        Ok(result) => {
            let ending = ending_with(result.warning);
            let reply = reply(descriptor, options, *result);
            call.reply(ending, |writer| reply.encode(writer));
        }
        Err(_) => {
            let reply = GetReply { descriptor, options, length: 0, data: Bytes::new() };
            call.reply(ending(&outcome), |writer| reply.encode(writer));
        }
    }
    Ok(())
}

async fn get_message(call: &Call<'_>, request: &Get) -> Result<Box<GetResult>, Reason> {
    let connected = call.connected()?;
    call.admit(request.options.flags.contains(GetFlags::FAIL_IF_QUIESCING))?;
    if request.buffer_length > call.conversation.shared.negotiated.maximum_message {
        return Err(Reason::DataLengthError);
    }
    let options = request.options.to_model(&request.descriptor.fields, request.buffer_length)?;
    connected.connection.get(call.handle(), &options).await
}

fn reply(descriptor: Descriptor, options: GetStructure, result: GetResult) -> GetReply {
    let options = GetStructure {
        resolved_queue: text(&result.resolved_queue),
        group_status: result.group_status,
        segment_status: result.segment_status,
        segmentation: result.segmentation,
        message_token: result.message_token,
        returned_length: i32::try_from(result.body.len()).unwrap_or(i32::MAX),
        ..options
    };
    let message = *result.message;
    let descriptor = Descriptor { version: descriptor.version, fields: message.descriptor };
    GetReply { descriptor, options, length: result.data_length, data: message.body }
}
