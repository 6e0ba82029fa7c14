//! What each administration request does.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use command::DumpOptions;
use identity::api_key::ApiKeys;
use model::descriptor::{Ccsid, Encoding};
use model::name::GenericName;
use model::options::{
    ConversionTarget, GetFlags, GetOptions, MatchOptions, ObjectDescriptor, OpenOptions, PutFlags, PutOptions,
};
use model::reason::Reason;
use queue_manager::event::command::{Issuer, Origin};
use queue_manager::{ConnectOptions, Connection, QueueManager};
use serde::Serialize;
use storage::private::log::hold::Point;

use super::message::{correlation_id, describe, message_id, queue_name};
use super::server::Peer;
use super::{
    Answer, MessageHeader, NewMessage, Outcome, QuarantineAction, QuarantinedMessage, QueueDepth, Refusal, RefusalKind,
    Request, api_keys, calls,
};
use crate::serve::Server;

/// MQAT_UNIX.
const APPLICATION_TYPE: i32 = 6;

pub(super) async fn answer(server: &Server, peer: &mut Peer, request: Request, body: Vec<u8>) -> io::Result<()> {
    let answered = match request {
        Request::Status => Ok((Answer::Status(server.status()), Vec::new())),
        Request::Mqsc { queue_manager, command, json } => {
            mqsc(server, peer, queue_manager.as_deref(), &command, json).await
        }
        Request::Dump { queue_manager, all_attributes, one_line, name, export, include_defaults } => {
            let options = DumpOptions { all_attributes, one_line, name, export, include_defaults };
            server
                .queue_manager(queue_manager.as_deref())
                .map(|manager| (Answer::Text, command::dump(&manager, &options).into_bytes()))
        }
        Request::Put { queue_manager, queue, message } => {
            put(server, queue_manager.as_deref(), &queue, &message, body).await
        }
        Request::Get { .. } => match get(server, peer, request).await? {
            Ok(count) => Ok((Answer::End { count }, Vec::new())),
            Err(refusal) => Err(refusal),
        },
        Request::Connect { queue_manager, application } => {
            match calls::serve(server, peer, queue_manager.as_deref(), &application).await? {
                Ok(()) => return Ok(()),
                Err(refusal) => Err(refusal),
            }
        }
        Request::Call(_) => Err(invalid("a connection is expected before its calls")),
        Request::Taken => Err(invalid("nothing was got that could be taken")),
        Request::Depth { queue_manager, queue } => depth(server, queue_manager.as_deref(), &queue),
        Request::Quarantine { queue_manager, action } => quarantine(server, queue_manager.as_deref(), action).await,
        Request::Hold { queue_manager } => hold(server, peer, &queue_manager).await?.map(|()| nothing_to_say()),
        Request::Release => Err(invalid("nothing is held that could be released")),
        Request::TakeInRestored { name } => done(server.take_in_restored(&name).await),
        Request::Reload => match server.reload() {
            Ok(notes) => Ok((Answer::Done { notes }, Vec::new())),
            Err(error) => Err(Refusal::new(RefusalKind::Failed, crate::error::chain(&error))),
        },
        Request::CreateApiKey(new) => on_keys(server, move |keys| api_keys::create(keys, &new)).await,
        Request::ListApiKeys => Ok((Answer::ApiKeys, api_keys::list(server.api_keys()))),
        Request::RevokeApiKey { id } => {
            on_keys(server, move |keys| api_keys::revoke(keys, &id).map(|()| nothing_to_say())).await
        }
        Request::StartQueueManager { name } => done(server.start_queue_manager(&name).await),
        Request::EndQueueManager { name, ending } => done(server.end_queue_manager(&name, ending).await),
        Request::CreateQueueManager { name, new } => done(server.create_queue_manager(&name, new).await),
        Request::DeleteQueueManager { name } => done(server.delete_queue_manager(&name).await),
    };
    match answered {
        Ok((answer, body)) => peer.send(&answer, &body).await,
        Err(refusal) => peer.send(&Answer::Refused(refusal), &[]).await,
    }
}

fn done(result: Result<(), Refusal>) -> Result<(Answer, Vec<u8>), Refusal> {
    result.map(|()| nothing_to_say())
}

/// Changes API keys, whose file is written before the answer: on a thread that may wait for the disk.
async fn on_keys(
    server: &Server,
    change: impl FnOnce(&ApiKeys) -> Result<(Answer, Vec<u8>), Refusal> + Send + 'static,
) -> Result<(Answer, Vec<u8>), Refusal> {
    let keys = Arc::clone(server.api_keys());
    let changed = tokio::task::spawn_blocking(move || change(&keys)).await;
    changed.unwrap_or_else(|_| Err(Refusal::new(RefusalKind::Failed, "the change of the API keys broke off")))
}

fn nothing_to_say() -> (Answer, Vec<u8>) {
    (Answer::Done { notes: Vec::new() }, Vec::new())
}

/// Holds a recovery log while the client copies it. `Ok(Err(_))`: it is not held, or was not held to the end.
async fn hold(server: &Server, peer: &mut Peer, name: &str) -> io::Result<Result<(), Refusal>> {
    let failed = |sentence: String| Ok(Err(Refusal::new(RefusalKind::Failed, sentence)));
    let manager = match server.queue_manager(Some(name)) {
        Ok(manager) => manager,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let held = match manager.hold_log().await {
        Ok(Some(held)) => held,
        Ok(None) => return failed(format!("queue manager {name} keeps nothing on disk")),
        Err(error) => return failed(crate::error::chain(&error)),
    };
    let Point { oldest, end } = held.point();
    peer.send(&Answer::Held { oldest, end }, &[]).await?;
    match peer.receive().await? {
        Some((Request::Release, _)) => {}
        Some(_) => return Ok(Err(invalid("the log was not released"))),
        None => return Err(io::ErrorKind::UnexpectedEof.into()),
    }
    if held.stands() {
        return Ok(Ok(()));
    }
    failed("the disk became full, or the queue manager ended: the log could not be kept as it was".to_owned())
}

async fn mqsc(
    server: &Server,
    peer: &Peer,
    name: Option<&str>,
    text: &str,
    json: bool,
) -> Result<(Answer, Vec<u8>), Refusal> {
    let manager = server.queue_manager(name)?;
    let word = |outcome| match outcome {
        command::Outcome::Succeeded => Outcome::Succeeded,
        command::Outcome::SyntaxError => Outcome::SyntaxError,
        command::Outcome::Failed => Outcome::Failed,
    };
    let user = peer.user();
    let principal = server.administrator();
    let issuer = Issuer { user: user.as_deref().unwrap_or(&principal.user), ..Issuer::new(principal, Origin::Console) };
    if json {
        let (body, outcome) = command::json::run_text(&manager, &issuer, text).await;
        return Ok((Answer::Mqsc { outcome: word(outcome) }, body));
    }
    let answer = command::run_issued(&manager, &issuer, text).await;
    let body: String = answer.lines.iter().flat_map(|line| [line, "\n"]).collect();
    Ok((Answer::Mqsc { outcome: word(answer.outcome) }, body.into_bytes()))
}

async fn put(
    server: &Server,
    name: Option<&str>,
    queue: &str,
    message: &NewMessage,
    body: Vec<u8>,
) -> Result<(Answer, Vec<u8>), Refusal> {
    let manager = server.queue_manager(name)?;
    let descriptor = message.descriptor().map_err(|sentence| invalid(&sentence))?;
    let connection = connect(server, &manager)?;
    let object = ObjectDescriptor {
        name: queue_name(queue).map_err(|sentence| invalid(&sentence))?,
        ..ObjectDescriptor::default()
    };
    let options = PutOptions { flags: PutFlags::NO_SYNCPOINT, context: None };
    let result = connection
        .put1(server.administrator(), &object, descriptor, &options, Bytes::from(body))
        .await
        .map_err(|reason| refused("put to", queue, reason))?;
    let warning = result.warning.map(describe);
    Ok((Answer::Put { message_id: result.message.descriptor.message_id.to_string(), warning }, Vec::new()))
}

/// Sends each message and commits its get once the client has taken it. `Ok(Err(_))` is the queue manager's refusal.
async fn get(server: &Server, peer: &mut Peer, request: Request) -> io::Result<Result<u64, Refusal>> {
    let Request::Get { queue_manager, queue, browse, count, .. } = &request else {
        return Ok(Err(invalid("not a get")));
    };
    let prepare = async {
        let manager = server.queue_manager(queue_manager.as_deref())?;
        let options = get_options(&request)?;
        let connection = connect(server, &manager)?;
        let object = ObjectDescriptor {
            name: queue_name(queue).map_err(|sentence| invalid(&sentence))?,
            ..ObjectDescriptor::default()
        };
        let open = if *browse { OpenOptions::BROWSE } else { OpenOptions::INPUT_AS_Q_DEF };
        let opened = connection
            .open(server.administrator(), &object, open)
            .await
            .map_err(|reason| refused("open", queue, reason))?;
        Ok((connection, opened.handle, options))
    };
    let (connection, handle, mut options) = match prepare.await {
        Ok(prepared) => prepared,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let mut done = 0;
    while done < *count {
        let got = tokio::select! {
            got = connection.get(handle, &options) => got,
            () = peer.gone() => return Ok(Ok(done)),
        };
        let message = match got {
            Ok(message) => message,
            Err(Reason::NoMsgAvailable) => break,
            Err(reason) => return Ok(Err(refused("get from", queue, reason))),
        };
        peer.send(&Answer::Message(Box::new(MessageHeader::of(&message.descriptor, message.warning))), &message.body)
            .await?;
        match peer.receive().await? {
            Some((Request::Taken, _)) => {}
            Some(_) => return Ok(Err(invalid("the message was not taken"))),
            None => return Ok(Ok(done)),
        }
        if !*browse && let Err(reason) = connection.commit().await {
            return Ok(Err(refused("get from", queue, reason)));
        }
        done += 1;
        options.flags.remove(GetFlags::WAIT | GetFlags::BROWSE_FIRST);
        if *browse {
            options.flags.insert(GetFlags::BROWSE_NEXT);
        }
    }
    let _ = connection.disconnect().await;
    Ok(Ok(done))
}

fn get_options(request: &Request) -> Result<GetOptions, Refusal> {
    let Request::Get { browse, wait_ms, message_id: message, correlation_id: correlation, convert, .. } = request
    else {
        return Err(invalid("not a get"));
    };
    let first = if *browse { GetFlags::BROWSE_FIRST } else { GetFlags::SYNCPOINT };
    let mut options = GetOptions { flags: first | GetFlags::FAIL_IF_QUIESCING, ..GetOptions::default() };
    if *wait_ms > 0 {
        options.flags |= GetFlags::WAIT;
        options.wait = Some(Duration::from_millis(*wait_ms));
    }
    if *convert {
        options.flags |= GetFlags::CONVERT;
        options.target = Some(ConversionTarget { ccsid: Ccsid::UTF_8, encoding: Encoding::NATIVE });
    }
    if message.is_some() {
        options.match_options |= MatchOptions::MSG_ID;
        options.message_id = message_id(message.as_deref()).map_err(|sentence| invalid(&sentence))?;
    }
    if correlation.is_some() {
        options.match_options |= MatchOptions::CORREL_ID;
        options.correlation_id = correlation_id(correlation.as_deref()).map_err(|sentence| invalid(&sentence))?;
    }
    Ok(options)
}

fn depth(server: &Server, name: Option<&str>, queue: &str) -> Result<(Answer, Vec<u8>), Refusal> {
    let manager = server.queue_manager(name)?;
    let generic = GenericName::parse(queue).map_err(|error| invalid(&error.to_string()))?;
    let queues: Vec<QueueDepth> = manager
        .queues()
        .iter()
        .filter(|definition| generic.matches(definition.name.as_str()))
        .filter_map(|definition| {
            let maximum_depth = definition.as_local()?.maximum_depth;
            let status = manager.queue_status(&definition.name)?;
            Some(QueueDepth {
                queue: definition.name.to_string(),
                depth: status.depth.current,
                maximum_depth,
                uncommitted: status.depth.uncommitted,
                open_input: status.open_input,
                open_output: status.open_output,
            })
        })
        .collect();
    if let Some(exact) = generic.exact()
        && queues.is_empty()
    {
        return Err(refused("find", exact, Reason::UnknownObjectName));
    }
    Ok((Answer::Depths, json_body(&queues)?))
}

fn json_body(value: &impl Serialize) -> Result<Vec<u8>, Refusal> {
    serde_json::to_vec(value).map_err(|error| Refusal::new(RefusalKind::Failed, error.to_string()))
}

async fn quarantine(
    server: &Server,
    name: Option<&str>,
    action: QuarantineAction,
) -> Result<(Answer, Vec<u8>), Refusal> {
    let manager = server.queue_manager(name)?;
    let unknown =
        |key: u64| Refusal::new(RefusalKind::Failed, format!("{} has no message {key} in quarantine", manager.name()));
    match action {
        QuarantineAction::List => {
            let messages = manager.quarantine().into_iter().map(|message| QuarantinedMessage {
                key: message.key,
                queue: message.queue.map_or_else(|| format!("#{}", message.queue_number), |name| name.to_string()),
                message_id: message.message_id.to_string(),
                arrived: message.arrived.0,
                length: message.length,
                file: message.file,
            });
            Ok((Answer::Quarantine, json_body(&messages.collect::<Vec<_>>())?))
        }
        QuarantineAction::Export(key) => {
            let body = manager.salvage(key).await.ok_or_else(|| unknown(key))?;
            Ok((Answer::Salvaged, body.to_vec()))
        }
        QuarantineAction::Remove(key) => match manager.remove_quarantined(key).await {
            Ok(true) => Ok((Answer::Done { notes: Vec::new() }, Vec::new())),
            Ok(false) => Err(unknown(key)),
            Err(reason) => Err(refused("remove", &format!("message {key}"), reason)),
        },
    }
}

fn connect(server: &Server, manager: &QueueManager) -> Result<Connection, Refusal> {
    connect_as(server, manager, "quaymaster")
}

pub(super) fn connect_as(server: &Server, manager: &QueueManager, application: &str) -> Result<Connection, Refusal> {
    let options = ConnectOptions {
        principal: server.administrator().clone(),
        application_name: application.to_owned(),
        application_type: APPLICATION_TYPE,
        channel: String::new(),
        connection_name: String::new(),
    };
    manager.connect(options).map_err(|reason| refused("connect to", manager.name().as_str(), reason))
}

pub(super) fn refused(action: &str, object: &str, reason: Reason) -> Refusal {
    let refusal = Refusal::new(RefusalKind::Reason, format!("cannot {action} {object}: {}", describe(reason)));
    Refusal { reason: Some(reason.number()), ..refusal }
}

fn invalid(sentence: &str) -> Refusal {
    Refusal::new(RefusalKind::Invalid, sentence)
}
