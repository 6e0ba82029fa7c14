//! The verbs of a transaction manager. What branches are and may do is the queue manager's.

use std::collections::VecDeque;
use std::sync::Arc;

use channel_protocol::assembly::Unit;
use channel_protocol::error::{DecodeError, ProtocolError};
use channel_protocol::flow::xa::{XaRequest, XaVerb};
use channel_protocol::request::Request;
use channel_protocol::structure::xid::Xid;
use queue_manager::{Connection, XaError, XaFlags};

use crate::consumer;
use crate::conversation::Conversation;

const XA_OK: i32 = 0;
const XA_RDONLY: i32 = 3;
const XAER_INVAL: i32 = -5;
const XAER_RMFAIL: i32 = -7;

/// Answers one XA call.
///
/// # Errors
/// The unit breaks the protocol.
pub(crate) async fn answer(conversation: &Arc<Conversation>, unit: &Unit) -> Result<(), ProtocolError> {
    let request = match Request::decode(unit) {
        Ok(Request::Xa(request)) => request,
        Err(DecodeError::Protocol(error)) => return Err(error),
        Ok(_) | Err(DecodeError::Refused(_)) => {
            return Err(ProtocolError::Unexpected { segment_type: unit.segment_type.number() });
        }
    };
    let reply = match (&request.verb, conversation.connected()) {
        (_, Err(_)) => request.reply(XAER_RMFAIL, None),
        (XaVerb::Recover { wanted }, Ok(connected)) => {
            recover(conversation, &connected.connection, &request, *wanted).await
        }
        (XaVerb::End(xid), Ok(connected)) => {
            consumer::hold(conversation).await;
            let value = end(conversation, &connected.connection, &of_wire(xid), request.flags);
            consumer::go_on(conversation);
            request.reply(value, None)
        }
        (XaVerb::Start(xid), Ok(connected)) => {
            let value = start(conversation, &connected.connection, of_wire(xid), request.flags);
            request.reply(value, None)
        }
        (_, Ok(connected)) => request.reply(call(&connected.connection, &request).await, None),
    };
    conversation.shared.send(unit.address, reply.segment_type, |writer| reply.encode(writer));
    Ok(())
}

fn start(conversation: &Conversation, connection: &Connection, xid: storage::Xid, flags: i32) -> i32 {
    let started = connection.xa_start(&xid, XaFlags::from_bits_retain(flags.cast_unsigned()));
    if started.is_ok() {
        conversation.spoilt.lock().branch_started(xid);
    }
    value(started)
}

/// Ends the work on a branch, for good or for a while. One with a put that failed without an answer may only be rolled
/// back: its program asks for such puts when it is too late.
fn end(conversation: &Conversation, connection: &Connection, xid: &storage::Xid, flags: i32) -> i32 {
    let flags = XaFlags::from_bits_retain(flags.cast_unsigned());
    let how = flags & (XaFlags::SUCCESS | XaFlags::FAIL | XaFlags::SUSPEND);
    let is_well = how == XaFlags::SUCCESS || how == XaFlags::SUSPEND;
    let is_refused = is_well && conversation.spoilt.lock().is_branch_spoilt(xid);
    let ended = connection.xa_end(xid, if is_refused { XaFlags::FAIL } else { flags });
    // What makes no sense is the one thing that ends nothing.
    if ended != Err(XaError::Invalid) {
        conversation.spoilt.lock().branch_ended(xid);
    }
    value(if is_refused { ended.and(Err(XaError::RolledBack)) } else { ended })
}

/// What a call returns that succeeds or fails.
fn value(outcome: Result<(), XaError>) -> i32 {
    outcome.err().map_or(XA_OK, |error| error.code())
}

/// What the call returns.
async fn call(connection: &Connection, request: &XaRequest) -> i32 {
    let flags = XaFlags::from_bits_retain(request.flags.cast_unsigned());
    match &request.verb {
        XaVerb::Open(name) => value(connection.xa_open(&String::from_utf8_lossy(name))),
        XaVerb::Close(_) => XA_OK,
        XaVerb::Prepare(xid) => match connection.xa_prepare(&of_wire(xid)).await {
            Ok(true) => XA_OK,
            Ok(false) => XA_RDONLY,
            Err(error) => error.code(),
        },
        XaVerb::Commit(xid) => value(connection.xa_commit(&of_wire(xid), flags.contains(XaFlags::ONE_PHASE)).await),
        XaVerb::Rollback(xid) => value(connection.xa_rollback(&of_wire(xid)).await),
        XaVerb::Forget(xid) => value(connection.xa_forget(&of_wire(xid)).await),
        // Nothing is ever answered before it is done, so there is nothing to complete. The others have answers of their own.
        XaVerb::Complete | XaVerb::Recover { .. } | XaVerb::Start(_) | XaVerb::End(_) => XAER_INVAL,
    }
}

/// Branches that are prepared, so many at a time as the client has room for; a scan goes on where it stood.
async fn recover(
    conversation: &Conversation,
    connection: &Connection,
    request: &XaRequest,
    wanted: usize,
) -> channel_protocol::flow::xa::XaReply {
    let flags = XaFlags::from_bits_retain(request.flags.cast_unsigned());
    let begun = if flags.contains(XaFlags::START_RECOVERY_SCAN) {
        match connection.xa_recover().await {
            Ok(found) => Some(found.into_iter().map(to_wire).collect()),
            Err(error) => return request.reply(error.code(), Some(Vec::new())),
        }
    } else {
        None
    };
    let mut scan = conversation.recovery_scan.lock();
    if let Some(begun) = begun {
        *scan = begun;
    }
    let found: Vec<Xid> = {
        let count = wanted.min(scan.len());
        scan.drain(..count).collect()
    };
    if flags.contains(XaFlags::END_RECOVERY_SCAN) {
        *scan = VecDeque::new();
    }
    let count = i32::try_from(found.len()).unwrap_or(i32::MAX);
    request.reply(count, Some(found))
}

fn of_wire(xid: &Xid) -> storage::Xid {
    storage::Xid { format_id: xid.format, global_transaction: xid.global.clone(), branch: xid.branch.clone() }
}

fn to_wire(xid: storage::Xid) -> Xid {
    Xid { format: xid.format_id, global: xid.global_transaction, branch: xid.branch }
}
