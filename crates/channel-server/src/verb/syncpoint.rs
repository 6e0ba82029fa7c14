//! MQCMIT and MQBACK.

use channel_protocol::error::DecodeError;

use crate::verb::Call;

pub(super) async fn commit(call: &Call<'_>) -> Result<(), DecodeError> {
    let outcome = match call.connected() {
        Ok(connected) => connected.connection.commit().await,
        Err(reason) => Err(reason),
    };
    call.reply_plainly(outcome);
    Ok(())
}

pub(super) async fn back_out(call: &Call<'_>) -> Result<(), DecodeError> {
    let outcome = match call.connected() {
        Ok(connected) => connected.connection.back_out().await,
        Err(reason) => Err(reason),
    };
    call.reply_plainly(outcome);
    Ok(())
}
