//! MQINQ and MQSET.

use channel_protocol::cursor::Reader;
use channel_protocol::error::DecodeError;
use channel_protocol::flow::call::Ending;
use channel_protocol::flow::inquire::{Attributes, Inquire};
use model::reason::Reason;

use crate::verb::{Call, ending_with};

/// MQ's own limit on selectors of one call.
const MAXIMUM_SELECTORS: usize = 256;

pub(super) fn inquire(call: &Call<'_>, reader: &mut Reader<'_>) -> Result<(), DecodeError> {
    let request = Inquire::decode(reader)?;
    match read(call, &request) {
        Ok((warning, attributes)) => call.reply(ending_with(warning), |writer| attributes.encode(writer)),
        Err(reason) => call.reply(Ending::of(reason), |writer| request.encode(writer)),
    }
    Ok(())
}

/// What the caller has no room for is left out, with a warning.
fn read(call: &Call<'_>, request: &Inquire) -> Result<(Option<Reason>, Attributes), Reason> {
    if request.selectors.len() > MAXIMUM_SELECTORS {
        return Err(Reason::SelectorLimitExceeded);
    }
    let inquired = call.connected()?.connection.inquire(call.handle(), &request.selectors)?;
    let (mut integers, mut characters) = (inquired.integers, inquired.characters);
    let mut warning = inquired.warning;
    if characters.len() > request.character_length {
        characters.truncate(request.character_length);
        warning = Some(Reason::CharAttrsTooShort);
    }
    if integers.len() > request.integer_count {
        integers.truncate(request.integer_count);
        warning = Some(Reason::IntAttrCountTooSmall);
    }
    Ok((warning, Attributes { selectors: request.selectors.clone(), integers, characters }))
}

pub(super) async fn set(call: &Call<'_>, reader: &mut Reader<'_>) -> Result<(), DecodeError> {
    let request = Attributes::decode(reader)?;
    call.reply_plainly(write(call, &request).await);
    Ok(())
}

async fn write(call: &Call<'_>, request: &Attributes) -> Result<(), Reason> {
    if request.selectors.len() > MAXIMUM_SELECTORS {
        return Err(Reason::SelectorLimitExceeded);
    }
    let connected = call.connected()?;
    connected.connection.set(call.handle(), &request.selectors, &request.integers, &request.characters).await
}
