//! Calls beside the MQI that modern clients make: which there are, opening, reserving message identifiers, subscribing, and
//! putting with a delivery delay.

use std::time::Duration;

use channel_protocol::cursor::Reader;
use channel_protocol::error::DecodeError;
use channel_protocol::flow::call::Ending;
use channel_protocol::flow::put::PutReply;
use channel_protocol::flow::spi::{Reserve, Reserved, Spi, SpiInput, SpiOpen, SpiOutput, SpiVerb, verb};
use channel_protocol::flow::spi_put::{SpiPut, SpiPutReply};
use channel_protocol::structure::open_attributes::OpenOptionsStructure;
use model::message::Message;
use model::reason::Reason;
use queue_manager::Due;

use crate::subscribe;
use crate::verb::open::open_object;
use crate::verb::put::{count_of_handle, put_to_handle, readable, reply as put_reply};
use crate::verb::{Call, distribution};

/// What this end speaks.
const SPOKEN: [i32; 5] = [verb::QUERY, verb::PUT, verb::RESERVE, verb::SUBSCRIBE, verb::OPEN];

/// Identifiers granted at once, and the byte about which the client counts them. More than 255 would be counted in two
/// bytes in a manner that is not known.
const GRANTED: u32 = 200;
const INCREMENT_OFFSET: u32 = 23;

pub(crate) async fn answer(call: &Call<'_>, reader: &mut Reader<'_>) -> Result<(), DecodeError> {
    let Some(request) = readable(call, Spi::decode(reader))? else { return Ok(()) };
    match &request.input {
        SpiInput::Query => {
            let verbs = SPOKEN.into_iter().map(SpiVerb::spoken).collect();
            reply(call, &request, Ending::OK, call.header.handle, SpiOutput::Query(verbs));
        }
        SpiInput::Put(put) => put_by_spi(call, &request, put).await,
        SpiInput::Open(open) => open_by_spi(call, &request, open).await,
        SpiInput::Reserve(wanted) => reserve(call, &request, *wanted),
        SpiInput::Subscribe(wanted) => subscribe::subscribe_by_spi(call, &request, wanted).await,
        SpiInput::Other(_) => call.refuse(Reason::FunctionNotSupported),
    }
    Ok(())
}

/// Answers an SPI call.
pub(crate) fn reply(call: &Call<'_>, request: &Spi, ending: Ending, handle: i32, output: SpiOutput) {
    let reply = request.reply(output);
    call.reply_with_handle(ending, handle, |writer| reply.encode(writer));
}

async fn open_by_spi(call: &Call<'_>, request: &Spi, open: &SpiOpen) {
    match open_object(call, &open.object, open.options.options).await {
        Ok(opening) => {
            let options = OpenOptionsStructure { attributes: opening.attributes, ..open.options };
            let output = SpiOutput::Open(SpiOpen { options, object: opening.object });
            reply(call, request, opening.ending, opening.handle, output);
        }
        Err(reason) => {
            let output = SpiOpen { options: open.options, object: open.object.clone().without_strings() };
            reply(call, request, Ending::of(reason), call.header.handle, SpiOutput::Open(output));
        }
    }
}

/// A put that may be delivered later.
async fn put_by_spi(call: &Call<'_>, request: &Spi, put: &SpiPut) {
    let SpiPutReply { descriptor, options } = &put.put;
    let due = u64::try_from(put.delay_ms).ok().filter(|delay| *delay > 0).map(Duration::from_millis).map(Due::After);
    if let Some(list) = call.conversation.list_of(call.handle()) {
        let Some((ending, PutReply { descriptor, options })) =
            distribution::put(call, &list, descriptor, options, &put.data, due).await
        else {
            return;
        };
        let output = SpiOutput::Put(Box::new(SpiPutReply { descriptor, options }));
        return reply(call, request, ending, call.header.handle, output);
    }
    let message = Message { descriptor: descriptor.fields.clone(), body: put.data.clone() };
    let outcome = put_to_handle(call, call.handle(), message, options, due).await;
    if options.is_asynchronous() {
        return count_of_handle(call, options, &outcome);
    }
    let (ending, PutReply { descriptor, options }) = put_reply(call, descriptor.clone(), options.clone(), &outcome);
    reply(call, request, ending, call.header.handle, SpiOutput::Put(Box::new(SpiPutReply { descriptor, options })));
}

fn reserve(call: &Call<'_>, request: &Spi, wanted: Reserve) {
    match call.connected() {
        Ok(connected) => {
            let granted = wanted.wanted.min(GRANTED);
            let base = connected.connection.reserve_message_ids();
            let output = SpiOutput::Reserve(Reserved { granted, increment_offset: INCREMENT_OFFSET, base });
            reply(call, request, Ending::OK, call.header.handle, output);
        }
        Err(reason) => call.refuse(reason),
    }
}
