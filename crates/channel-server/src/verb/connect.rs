//! MQCONN and MQDISC.
//!
//! A blank name, and one that begins with an asterisk, means the queue manager that the channel leads to; another name is
//! looked for among the queue managers that admission knows. The name of a queue-sharing group means its member here.
//!
//! Source: MQ reference, "MQCONN", "QMgrName", 9.3.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use channel_protocol::cursor::Reader;
use channel_protocol::error::DecodeError;
use channel_protocol::flow::call::Ending;
use channel_protocol::flow::connect::Connect;
use model::reason::Reason;
use model::text::Text;
use queue_manager::accounting::AccountingWish;
use queue_manager::{ConnectOptions, Connection, ConnectionTag};

use crate::admission::{Introduction, StatusCode, Terms};
use crate::consumer;
use crate::conversation::Connected;
use crate::verb::Call;

pub(super) async fn connect(call: &Call<'_>, reader: &mut Reader<'_>) -> Result<(), DecodeError> {
    let request = Connect::decode(reader)?;
    match establish(call, &request).await {
        Ok(warning) => {
            if request.is_reconnection() {
                consumer::begin_reconnection(call.conversation);
            }
            let queue_manager = Text::from_bytes(call.conversation.terms().queue_manager.name().padded());
            let rest = with_identifier(call, &request);
            let reply = Connect { queue_manager, rest, ..request };
            call.reply(warning.map_or(Ending::OK, Ending::of), |writer| reply.encode(writer));
        }
        Err(reason) => call.reply(Ending::of(reason), |writer| request.encode(writer)),
    }
    Ok(())
}

/// What follows the fixed part of a reply: the request's, with the connection's identifier where newer clients look for
/// it. Those of Java tell by it which publications are their own.
fn with_identifier(call: &Call<'_>, request: &Connect) -> Bytes {
    const AT: usize = 12;
    let (Ok(connected), true) = (call.connected(), request.rest.len() >= AT + 24) else { return request.rest.clone() };
    let mut rest = BytesMut::from(&request.rest[..]);
    rest[AT..AT + 24].copy_from_slice(&connected.connection.identifier());
    rest.freeze()
}

/// Makes the connection. `AlreadyConnected` (2002) is a warning.
///
/// # Errors
/// 2035, 2046, 2058, 2059, 2161, 2162, 2202, 2271, 2345; 2537 and 2540 when another queue manager refuses the channel.
async fn establish(call: &Call<'_>, request: &Connect) -> Result<Option<Reason>, Reason> {
    let conversation = call.conversation;
    if conversation.connected().is_ok() {
        return Ok(Some(Reason::AlreadyConnected));
    }
    call.admit(true)?;
    let terms = terms_for(call, &request.queue_manager.to_text())?;
    let facts = conversation.user_facts();
    let principal = conversation.shared.identify(&terms, &facts).await?;
    let application_name = request.application_name.to_text().into_owned();
    let options = ConnectOptions {
        principal: principal.clone(),
        application_name: application_name.clone(),
        application_type: request.application_type,
        channel: terms.channel.clone(),
        connection_name: terms.connection_name.clone(),
    };
    let wish = AccountingWish::of_options(request.options.cast_signed());
    let tag = tag(request, Arc::as_ptr(&conversation.shared).addr())?;
    let connection = Arc::new(terms.queue_manager.connect_tagged(options, wish, tag.as_ref()).await?);
    terms.status.update(|instance| instance.remote_application = application_name);
    conversation.set_connected(Connected { connection, principal }, terms);
    Ok(None)
}

/// MQCNO_*_CONN_TAG_*. Conversations of one socket are of one process.
///
/// # Errors
/// `OptionsError` (2046): more than one of these options.
fn tag(request: &Connect, socket: usize) -> Result<Option<ConnectionTag>, Reason> {
    const SERIALIZE_Q_MGR: u32 = 2;
    const SERIALIZE_QSG: u32 = 4;
    const RESTRICT_Q_MGR: u32 = 8;
    const RESTRICT_QSG: u32 = 16;
    let Some(tag) = request.tag() else { return Ok(None) };
    let (is_of_group, restricts) = match request.options & 0x1E {
        0 => return Ok(None),
        SERIALIZE_Q_MGR => (false, false),
        SERIALIZE_QSG => (true, false),
        RESTRICT_Q_MGR => (false, true),
        RESTRICT_QSG => (true, true),
        _ => return Err(Reason::OptionsError),
    };
    let process = restricts.then(|| u64::try_from(socket).unwrap_or_default());
    Ok(Some(ConnectionTag { tag, is_of_group, process }))
}

/// The terms of the socket, or others when the name asks for another queue manager.
fn terms_for(call: &Call<'_>, name: &str) -> Result<Arc<Terms>, Reason> {
    let shared = &call.conversation.shared;
    if name.is_empty() || name.starts_with('*') || shared.terms.queue_manager.answers_to(name) {
        return Ok(shared.terms.clone());
    }
    let introduction = Introduction {
        channel: shared.terms.channel.clone(),
        queue_manager: name.to_owned(),
        product: shared.product.clone(),
    };
    let terms = shared.admission.begin(&shared.peer, &introduction).map_err(refusal)?;
    if terms.queue_manager.answers_to(name) { Ok(Arc::new(terms)) } else { Err(Reason::QMgrNameError) }
}

fn refusal(code: StatusCode) -> Reason {
    match code.0 {
        0x01 => Reason::UnknownChannelName,
        0x02 | 0x16 => Reason::ChannelNotAvailable,
        _ => Reason::QMgrNotAvailable,
    }
}

/// Closes and commits, with any outcome; as MQCMIT it commits no unit of work with a put that failed unanswered.
pub(super) async fn disconnect(call: &Call<'_>) -> Result<(), DecodeError> {
    let is_spoilt = call.conversation.spoilt.lock().take_unit();
    let connected = call.conversation.take_connected();
    if let (Some(connected), true) = (&connected, is_spoilt) {
        let backed_out = connected.connection.back_out().await;
        if backed_out.is_err() {
            call.reply_plainly(backed_out);
            return Ok(());
        }
    }
    let outcome = match connected {
        None => Err(Reason::HconnError),
        Some(connected) => match Arc::try_unwrap(connected.connection) {
            Ok(connection) => connection.disconnect().await,
            Err(shared) => Connection::commit(&shared).await,
        },
    };
    call.reply_plainly(outcome);
    Ok(())
}
