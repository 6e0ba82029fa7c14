//! MQCLOSE.

use channel_protocol::cursor::Reader;
use channel_protocol::error::DecodeError;
use channel_protocol::flow::call::NO_HANDLE;
use channel_protocol::flow::open::Close;
use model::reason::{CompletionCode, Reason};

use crate::consumer;
use crate::verb::{Call, distribution, ending};

pub(super) async fn close(call: &Call<'_>, reader: &mut Reader<'_>) -> Result<(), DecodeError> {
    let request = Close::decode(reader)?;
    let outcome = close_object(call, &request).await;
    let handle = if has_closed(outcome) { NO_HANDLE } else { call.header.handle };
    call.reply_with_handle(ending(&outcome), handle, |writer| request.encode(writer));
    Ok(())
}

async fn close_object(call: &Call<'_>, request: &Close) -> Result<(), Reason> {
    let connected = call.connected()?;
    let handle = call.handle();
    if let Some(list) = call.conversation.list_of(handle) {
        let outcome = distribution::close(&connected, &list, request.options).await;
        if has_closed(outcome) {
            call.conversation.remove_list(handle);
        }
        return outcome;
    }
    consumer::end(call.conversation, handle.0).await;
    let outcome = connected.connection.close(handle, request.options).await;
    if has_closed(outcome) {
        call.conversation.objects.lock().remove(&handle.0);
    }
    outcome
}

/// A close that warns has closed all the same.
fn has_closed(outcome: Result<(), Reason>) -> bool {
    outcome.is_ok() || outcome.is_err_and(|reason| reason.completion() < CompletionCode::Failed)
}
