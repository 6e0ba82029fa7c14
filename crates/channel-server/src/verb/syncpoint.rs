//! MQCMIT and MQBACK.

use channel_protocol::error::DecodeError;

use crate::consumer;
use crate::verb::Call;

pub(super) async fn commit(call: &Call<'_>) -> Result<(), DecodeError> {
    consumer::hold(call.conversation).await;
    let outcome = match call.connected() {
        Ok(connected) => connected.connection.commit().await,
        Err(reason) => Err(reason),
    };
    consumer::go_on(call.conversation);
    call.reply_plainly(outcome);
    Ok(())
}

pub(super) async fn back_out(call: &Call<'_>) -> Result<(), DecodeError> {
    consumer::hold(call.conversation).await;
    let outcome = match call.connected() {
        Ok(connected) => connected.connection.back_out().await,
        Err(reason) => Err(reason),
    };
    consumer::go_on(call.conversation);
    call.reply_plainly(outcome);
    Ok(())
}
