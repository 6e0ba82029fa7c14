//! Two-way services: the request is put, its reply awaited.
//!
//! The reply queue is opened first, so that a request whose reply could not be got is never put. From the put on, a guard
//! knows which reply is awaited; whatever ends the wait without it, the guard tells `late.rs`.

use connection::pool::Lent;
use connection::target::User;
use model::descriptor::{MessageType, Report};
use model::identifier::{CorrelationId, MessageId};
use model::options::{OpenOptions, PutFlags};
use tokio::time::Instant;

use crate::definition::{Kind, LateReply, QueueAddress, ReplySelection};
use crate::error::ServiceError;

use super::answer::ServiceAnswer;
use super::late::{Awaited, Fate};
use super::one_way::{Failed, Selection, Source, Taken, Taking};
use super::outgoing::{Outgoing, name_of};
use super::{Call, Patience, header, object_of};

/// 200 with the reply; 204 when none came in time.
pub(super) async fn exchange(call: &Call<'_>) -> Result<ServiceAnswer, ServiceError> {
    let Kind::TwoWay { reply, selection, late_reply } = &call.service.provider.kind else {
        return Err(ServiceError::attribute_missing(&call.service.name, "replyDestination"));
    };
    let outgoing = Outgoing::of(call)?;
    let patience = call.patience()?;
    let deadline = Instant::now() + patience.wait;
    let user = call.user();
    let opened = {
        let object = object_of(reply, &call.service.provider.selector);
        let options = OpenOptions::INPUT_AS_Q_DEF | OpenOptions::SAVE_ALL_CONTEXT | OpenOptions::FAIL_IF_QUIESCING;
        call.pool(&user)?.open(user.acting(), &object, options).await
    };
    let (mut lent, opened) = opened.map_err(|error| call.failed("open", reply.queue.as_str(), &error))?;
    let handle = opened.handle;
    let address = QueueAddress { queue: opened.name, queue_manager: reply.queue_manager };
    let source = Source { call, user: &user, address: &address, patience, deadline };
    let Asked { correlation_id, is_new, awaited } =
        match ask(&source, &mut lent, outgoing, *selection, *late_reply).await {
            Ok(asked) => asked,
            Err(failed) => return source.finish(lent, handle, Err(failed)).await,
        };
    // A reply to what had not been put yet did not are there when the queue was opened.
    let since = opened.changes.filter(|_| is_new);
    let selected = Selection { correlation_id, since, ..Selection::default() };
    let outcome = source.take(&mut lent, handle, &selected, Taking::Away).await;
    if matches!(outcome, Ok(Taken::Nothing)) {
        tracing::info!(
            service = call.service.name,
            queue = address.queue.as_str(),
            correlation_id = %correlation_id.unwrap_or_default(),
            wait_ms = u64::try_from(patience.wait.as_millis()).unwrap_or(u64::MAX),
            late_reply = late_reply.as_str(),
            "no reply came in time"
        );
    }
    if let Some(awaited) = awaited {
        match &outcome {
            Ok(Taken::Answer(_)) => awaited.has_come(),
            Err(failed) if failed.had_come => awaited.has_come(),
            Ok(Taken::Nothing) | Err(_) => awaited.given_up(),
        }
    }
    source.finish(lent, handle, outcome).await
}

/// A request that is under way.
struct Asked<'a> {
    /// Of the reply, where it has one.
    correlation_id: Option<CorrelationId>,
    /// It was made for this request alone.
    is_new: bool,
    awaited: Option<Awaited<'a>>,
}

/// Puts the request for a reply that comes to `source`.
async fn ask<'a>(
    source: &Source<'a>,
    lent: &mut Lent,
    mut outgoing: Outgoing,
    selection: ReplySelection,
    late_reply: LateReply,
) -> Result<Asked<'a>, Failed> {
    let Source { call, user, address, .. } = *source;
    address_reply(&mut outgoing, address, selection, late_reply, source.patience);
    let awaited = |id| awaited(call, user, address, late_reply, id);
    // Where late replies are moved, the guard knows the reply before the request is under way; and also where the caller chose the
    // CorrelId, who may have used it before.
    let chosen = chosen_by_caller(&outgoing, selection);
    let before = match (chosen, late_reply) {
        (Some(id), _) => Some(awaited(id).claimed()),
        (None, LateReply::Queue(_)) => choose_identifier(&mut outgoing, selection).map(awaited),
        (None, LateReply::Expire | LateReply::Keep) => None,
    };
    let Outgoing { object, message, options } = outgoing;
    let put = lent.connection().put1(user.acting(), &object, message, &options).await;
    let sent = match put {
        Ok(sent) => sent,
        Err(error) => {
            if let Some(before) = before.filter(|_| !error.is_lost()) {
                before.has_come();
            }
            let told = call.failed("put to", name_of(&object), &error);
            return Err(Failed { error: told, is_lost: error.is_lost(), had_come: false });
        }
    };
    let correlation_id = match selection {
        ReplySelection::MessageIdToCorrelationId => Some(CorrelationId::new(*sent.message_id.as_bytes())),
        ReplySelection::CorrelationIdToCorrelationId => Some(sent.correlation_id),
        ReplySelection::None => None,
    };
    let is_new = chosen.is_none() && correlation_id.is_some();
    Ok(Asked { correlation_id, is_new, awaited: before.or_else(|| correlation_id.map(awaited)) })
}

/// Makes the message a request for a reply there.
fn address_reply(
    outgoing: &mut Outgoing,
    address: &QueueAddress,
    selection: ReplySelection,
    late: LateReply,
    patience: Patience,
) {
    let descriptor = &mut outgoing.message.descriptor;
    descriptor.message_type = MessageType::REQUEST;
    descriptor.reply_to_queue = address.queue;
    descriptor.reply_to_queue_manager = address.queue_manager;
    if selection == ReplySelection::CorrelationIdToCorrelationId {
        descriptor.report |= Report::PASS_CORREL_ID;
        if descriptor.correlation_id.is_none() {
            outgoing.options.flags |= PutFlags::NEW_CORREL_ID;
        }
    }
    if late == LateReply::Expire {
        // Nobody waits longer: neither the request nor a reply that follows it need live longer.
        let limit = header::tenths(Some(patience.wait));
        if descriptor.expiry.0 < 0 || descriptor.expiry.0 > limit.0 {
            descriptor.expiry = limit;
        }
        descriptor.report |= Report::PASS_DISCARD_AND_EXPIRY;
    }
}

/// The CorrelId of the reply, when the caller chose it.
fn chosen_by_caller(outgoing: &Outgoing, selection: ReplySelection) -> Option<CorrelationId> {
    let is_ours = outgoing.options.flags.contains(PutFlags::NEW_CORREL_ID);
    (selection == ReplySelection::CorrelationIdToCorrelationId && !is_ours)
        .then_some(outgoing.message.descriptor.correlation_id)
}

/// Gives the request identifiers of our own, where the queue manager would make them; the CorrelId of the reply.
fn choose_identifier(outgoing: &mut Outgoing, selection: ReplySelection) -> Option<CorrelationId> {
    let flags = &mut outgoing.options.flags;
    match selection {
        ReplySelection::MessageIdToCorrelationId => {
            let id = MessageId::new(rand::random());
            outgoing.message.descriptor.message_id = id;
            flags.remove(PutFlags::NEW_MSG_ID);
            Some(CorrelationId::new(*id.as_bytes()))
        }
        ReplySelection::CorrelationIdToCorrelationId => {
            if flags.contains(PutFlags::NEW_CORREL_ID) {
                outgoing.message.descriptor.correlation_id = CorrelationId::new(rand::random());
                flags.remove(PutFlags::NEW_CORREL_ID);
            }
            Some(outgoing.message.descriptor.correlation_id)
        }
        ReplySelection::None => None,
    }
}

fn awaited<'a>(
    call: &'a Call<'_>,
    user: &'a User<'a>,
    address: &'a QueueAddress,
    late: LateReply,
    correlation_id: CorrelationId,
) -> Awaited<'a> {
    let fate = match late {
        LateReply::Expire => Fate::Discard,
        LateReply::Queue(queue) => Fate::Move(queue),
        LateReply::Keep => Fate::Stay,
    };
    Awaited::new(call.environment, &call.service.provider.target, user, address, correlation_id, fate)
}
