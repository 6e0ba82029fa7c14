//! What a conversation is asked for: each unit goes to the file of its verb, which answers it.
//!
//! A reply carries what its request carried, with what the queue manager made of it; a refused call carries it unchanged,
//! without strings. A put that asks for no answer gets none, not even when it is refused: `stat` counts it.

pub(crate) mod close;
pub(crate) mod connect;
pub(crate) mod distribution;
pub(crate) mod get;
pub(crate) mod identify;
pub(crate) mod inquire;
pub(crate) mod open;
pub(crate) mod put;
pub(crate) mod stat;
pub(crate) mod syncpoint;

use std::sync::Arc;

use channel_protocol::assembly::Unit;
use channel_protocol::cursor::{Reader, Writer};
use channel_protocol::error::{DecodeError, ProtocolError};
use channel_protocol::flow::call::{ApiHeader, Ending};
use channel_protocol::segment::SegmentType;
use model::reason::{CompletionCode, Reason};
use queue_manager::connection::ObjectHandle;

use crate::conversation::{Connected, Conversation};
use crate::{consumer, spi, subscribe, xa};

/// Answers one unit.
///
/// # Errors
/// The unit breaks the protocol; nothing was answered.
pub(crate) async fn answer(conversation: &Arc<Conversation>, unit: Unit) -> Result<(), ProtocolError> {
    match unit.segment_type {
        SegmentType::UserId => return identify::user(conversation, &unit),
        SegmentType::ConnectionAuthentication => return identify::credentials(conversation, &unit),
        SegmentType::RequestMessages => return consumer::request(conversation, &unit),
        SegmentType::Notification => return Box::pin(consumer::notification(conversation, &unit)).await,
        _ => {}
    }
    if unit.segment_type.reply().is_none() {
        return Err(ProtocolError::Unexpected { segment_type: unit.segment_type.number() });
    }
    conversation.count_call();
    if unit.segment_type >= SegmentType::XaStart {
        return Box::pin(xa::answer(conversation, &unit)).await;
    }
    let mut reader = Reader::new("call", &unit.body, unit.form);
    let header = ApiHeader::decode(&mut reader)?;
    let call = Call { conversation, unit: &unit, header };
    let answered = match unit.segment_type {
        SegmentType::Get => get::get(&call, &mut reader).await,
        SegmentType::Put => Box::pin(put::put(&call, &mut reader)).await,
        SegmentType::Put1 => Box::pin(put::put1(&call, &mut reader)).await,
        SegmentType::Commit => syncpoint::commit(&call).await,
        SegmentType::BackOut => syncpoint::back_out(&call).await,
        // What is seldom asked for is boxed, and so are puts, which are largest: an idle conversation holds no room for them.
        _ => Box::pin(seldom(&call, &mut reader)).await,
    };
    match answered {
        Err(DecodeError::Refused(reason)) => {
            call.refuse(reason);
            Ok(())
        }
        Err(DecodeError::Protocol(error)) => Err(error),
        Ok(()) => Ok(()),
    }
}

async fn seldom(call: &Call<'_>, reader: &mut Reader<'_>) -> Result<(), DecodeError> {
    match call.unit.segment_type {
        SegmentType::Connect => connect::connect(call, reader).await,
        SegmentType::Disconnect => connect::disconnect(call).await,
        SegmentType::Open => open::open(call, reader).await,
        SegmentType::Close => close::close(call, reader).await,
        SegmentType::Inquire => inquire::inquire(call, reader),
        SegmentType::Set => inquire::set(call, reader).await,
        SegmentType::Stat => stat::stat(call, reader),
        SegmentType::Spi => spi::answer(call, reader).await,
        SegmentType::Subscribe => subscribe::subscribe(call, reader).await,
        SegmentType::SubscriptionRequest => subscribe::request(call, reader).await,
        other => Err(ProtocolError::Unexpected { segment_type: other.number() }.into()),
    }
}

/// One call of a verb, and how it is answered.
pub(crate) struct Call<'a> {
    pub(crate) conversation: &'a Arc<Conversation>,
    pub(crate) unit: &'a Unit,
    pub(crate) header: ApiHeader,
}

impl Call<'_> {
    /// # Errors
    /// `HconnError` (2018): not connected.
    pub(crate) fn connected(&self) -> Result<Connected, Reason> {
        self.conversation.connected()
    }

    /// The object that the call is about; no object has the handle that a number out of range becomes.
    pub(crate) fn handle(&self) -> ObjectHandle {
        ObjectHandle(u32::try_from(self.header.handle).unwrap_or(0))
    }

    /// # Errors
    /// `ConnectionQuiescing` (2202): the channel is being stopped, and the call asks to fail then.
    pub(crate) fn admit(&self, fails_if_quiescing: bool) -> Result<(), Reason> {
        if fails_if_quiescing && self.conversation.shared.is_quiescing() {
            return Err(Reason::ConnectionQuiescing);
        }
        Ok(())
    }

    /// Answers with the request's handle, and with what `encode` writes behind the API header.
    pub(crate) fn reply(&self, ending: Ending, encode: impl FnOnce(&mut Writer<'_>)) {
        self.reply_with_handle(ending, self.header.handle, encode);
    }

    pub(crate) fn reply_with_handle(&self, ending: Ending, handle: i32, encode: impl FnOnce(&mut Writer<'_>)) {
        let Some(segment_type) = self.unit.segment_type.reply() else { return };
        if ending.reason == Reason::ConnectionBroken.number() && self.conversation.shared.is_to_be_cut() {
            return self.conversation.shared.cut();
        }
        let header = ApiHeader { length: 0, completion: ending.completion, reason: ending.reason, handle };
        if ending.reason == Reason::QMgrStopping.number() {
            self.conversation.shared.queue_manager_stops();
        }
        self.conversation.shared.send(self.unit.address, segment_type, |writer| {
            header.encode(writer);
            encode(writer);
        });
    }

    /// Answers with an API header alone.
    pub(crate) fn reply_plainly(&self, outcome: Result<(), Reason>) {
        self.reply(ending(&outcome), |_| {});
    }

    /// What could not be read is refused without being repeated.
    pub(crate) fn refuse(&self, reason: Reason) {
        self.reply(Ending::of(reason), |_| {});
    }
}

pub(crate) fn ending<T>(outcome: &Result<T, Reason>) -> Ending {
    outcome.as_ref().map_or_else(|reason| Ending::of(*reason), |_| Ending::OK)
}

/// As `ending`, of a call that succeeded, perhaps with a warning: some reasons are failures of other verbs.
pub(crate) fn ending_with(warning: Option<Reason>) -> Ending {
    warning.map_or(Ending::OK, |reason| Ending::new(CompletionCode::Warning, reason))
}
