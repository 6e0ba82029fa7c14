//! Calls beside the MQI that modern clients make: which there are, opening, reserving message identifiers, subscribing.

use channel_protocol::cursor::Reader;
use channel_protocol::error::DecodeError;
use channel_protocol::flow::call::Ending;
use channel_protocol::flow::spi::{Reserve, Reserved, Spi, SpiInput, SpiOpen, SpiOutput, SpiVerb, verb};
use channel_protocol::structure::open_attributes::OpenOptionsStructure;
use model::reason::Reason;

use crate::subscribe;
use crate::verb::Call;
use crate::verb::open::open_object;

/// What this end speaks, each in its first version.
const SPOKEN: [i32; 4] = [verb::QUERY, verb::RESERVE, verb::SUBSCRIBE, verb::OPEN];

/// Identifiers granted at once, and the byte about which the client counts them. More than 255 would be counted in two
/// bytes in a manner that is not known.
const GRANTED: u32 = 200;
const INCREMENT_OFFSET: u32 = 23;

pub(crate) async fn answer(call: &Call<'_>, reader: &mut Reader<'_>) -> Result<(), DecodeError> {
    let request = Spi::decode(reader)?;
    match &request.input {
        SpiInput::Query => {
            let verbs = SPOKEN.into_iter().map(SpiVerb::first_version).collect();
            reply(call, &request, Ending::OK, call.header.handle, SpiOutput::Query(verbs));
        }
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
            reply(call, request, Ending::OK, opening.handle, output);
        }
        Err(reason) => {
            let output = SpiOpen { options: open.options, object: open.object.clone().without_strings() };
            reply(call, request, Ending::of(reason), call.header.handle, SpiOutput::Open(output));
        }
    }
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
