//! MQCMIT and MQBACK.
//!
//! A unit of work with a put that failed without an answer is not committed: its program cannot know, and asks MQSTAT only
//! afterwards. MQCMIT backs it out and ends with the warning 2003, which JMS makes an exception of the commit.

use channel_protocol::error::DecodeError;
use channel_protocol::flow::call::Ending;
use model::reason::{CompletionCode, Reason};

use crate::consumer;
use crate::verb::{Call, ending};

pub(super) async fn commit(call: &Call<'_>) -> Result<(), DecodeError> {
    consumer::hold(call.conversation).await;
    let is_spoilt = call.conversation.spoilt.lock().take_unit();
    let ending = match call.connected() {
        Ok(connected) if is_spoilt => match connected.connection.back_out().await {
            Ok(()) => Ending::new(CompletionCode::Warning, Reason::BackedOut),
            Err(reason) => Ending::of(reason),
        },
        Ok(connected) => ending(&connected.connection.commit().await),
        Err(reason) => Ending::of(reason),
    };
    consumer::committed(call.conversation);
    consumer::go_on(call.conversation);
    call.reply(ending, |_| {});
    Ok(())
}

pub(super) async fn back_out(call: &Call<'_>) -> Result<(), DecodeError> {
    consumer::hold(call.conversation).await;
    call.conversation.spoilt.lock().take_unit();
    let outcome = match call.connected() {
        Ok(connected) => connected.connection.back_out().await,
        Err(reason) => Err(reason),
    };
    consumer::backed_out(call.conversation);
    consumer::go_on(call.conversation);
    call.reply_plainly(outcome);
    Ok(())
}
