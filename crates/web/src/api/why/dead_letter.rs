//! `why/dead-letter`: why messages are on a dead-letter queue, in groups, or one of them whole; and whether the queues that they
//! were for would take them now.
//!
//! Messages are browsed, by administrators with the server's authority and by others with their own. A request looks at
//! `MOST_LOOKED_AT` messages, or for `LONGEST_LOOK`.

use std::time::Duration;

use http::StatusCode;
use identity::Identity;
use message_api::dead_letters::{Group, Groups, Kind, header_of, reason_words};
use message_api::time_text::write_moment;
use model::authority::{AuthorityObject, Principal};
use model::header::dead_letter::DeadLetterHeader;
use model::message::Message;
use model::name::{ObjectName, QueueName};
use model::options::{GetFlags, GetOptions, MatchOptions, ObjectDescriptor, OpenOptions};
use model::reason::Reason;
use model::timestamp::Timestamp;
use queue_manager::connection::{GetResult, ObjectHandle};
use queue_manager::{ConnectOptions, Connection, Position};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::answer::Answer;
use crate::error::{ApiError, Verb};
use crate::messaging::Walk;
use crate::messaging::pools::APPLICATION_NAME;
use crate::service::Call;

use super::{Asker, limit, object_name, parameters};

const MOST_LOOKED_AT: u32 = 20_000;
const LONGEST_LOOK: Duration = Duration::from_millis(500);
/// What is read of a message: its headers are at its beginning.
const BEGINNING: usize = 16 << 10;
/// MQAT_QMGR.
const QUEUE_MANAGER: i32 = 7;

/// # Errors
/// 400 a parameter, 403 the user may not browse the queue, 404 no such queue manager, queue or message.
pub(in super::super) async fn show(call: Call<'_>, identity: &Identity) -> Result<Answer, ApiError> {
    let [queue, position, most] = parameters(call, ["queue", "position", "limit"])?;
    let asker = Asker::of(call, identity)?;
    let queue = match &queue {
        Some(name) => object_name("queue", name)?,
        None => asker.queue_manager.definition().dead_letter_queue,
    };
    if queue.is_blank() {
        return Ok(super::super::json(
            StatusCode::OK,
            &json!({
                "queue": null,
                "text": "the queue manager has no dead-letter queue: DEADQ is blank. Undeliverable messages stay where they are",
                "groups": [],
            }),
        ));
    }
    let at = position.as_deref().map(|text| {
        text.parse().map(Position).map_err(|_| ApiError::parameter_expected("position", text, "a position"))
    });
    let (at, most) = (at.transpose()?, limit(most.as_deref())?);
    let browser = Browser::open(&asker, queue).await?;
    match at {
        Some(at) => one(&asker, &browser, at).await,
        None => all(&asker, &browser, most).await,
    }
}

/// The queue, open for browsing.
struct Browser {
    queue: QueueName,
    connection: Connection,
    handle: ObjectHandle,
}

impl Browser {
    async fn open(asker: &Asker<'_>, queue: QueueName) -> Result<Self, ApiError> {
        let server = &asker.call.settings.server_principal;
        let principal: &Principal = if asker.is_administrator { server } else { asker.principal };
        let connection = asker.queue_manager.connect(ConnectOptions {
            principal: server.clone(),
            application_name: APPLICATION_NAME.to_owned(),
            application_type: QUEUE_MANAGER,
            channel: String::new(),
            connection_name: String::new(),
        });
        let connection = connection.map_err(ApiError::connect)?;
        let object = ObjectDescriptor { name: queue, ..ObjectDescriptor::default() };
        let options = OpenOptions::BROWSE | OpenOptions::FAIL_IF_QUIESCING;
        let opened = connection.open(principal, &object, options).await;
        let opened = opened.map_err(|reason| failed(asker, queue, reason))?;
        Ok(Self { queue, connection, handle: opened.handle })
    }

    /// `None` at the end.
    async fn next(&self, asker: &Asker<'_>, at: Option<[u8; 16]>) -> Result<Option<Box<GetResult>>, ApiError> {
        let mut options = GetOptions {
            flags: GetFlags::NO_SYNCPOINT
                | GetFlags::BROWSE_NEXT
                | GetFlags::ACCEPT_TRUNCATED_MSG
                | GetFlags::FAIL_IF_QUIESCING
                | GetFlags::PROPERTIES_FORCE_MQRFH2,
            buffer_length: Some(BEGINNING),
            ..GetOptions::default()
        };
        if let Some(token) = at {
            options.match_options |= MatchOptions::MSG_TOKEN;
            options.message_token = token;
        }
        match self.connection.get(self.handle, &options).await {
            Ok(got) => Ok(Some(got)),
            Err(Reason::NoMsgAvailable) => Ok(None),
            Err(reason) => Err(failed(asker, self.queue, reason)),
        }
    }
}

fn failed(asker: &Asker<'_>, queue: QueueName, reason: Reason) -> ApiError {
    let name = asker.queue_manager.name();
    ApiError::verb(Verb::BrowseFrom, queue.as_str(), name.as_str(), &asker.principal.user, reason)
}

async fn all(asker: &Asker<'_>, browser: &Browser, most: usize) -> Result<Answer, ApiError> {
    let begun = Instant::now();
    let (mut groups, mut walk, mut looked_at) = (Groups::default(), Walk::default(), 0);
    let is_complete = loop {
        if looked_at >= MOST_LOOKED_AT || begun.elapsed() > LONGEST_LOOK {
            break false;
        }
        let Some(got) = browser.next(asker, None).await? else { break true };
        looked_at += 1;
        let header = header_of(&got.message);
        let length = length(&got, header.as_ref());
        groups.add(Kind::of(&got.message, header.as_ref()), got.position(), got.arrived, length);
        walk.step().await;
    };
    let others = groups.others;
    let sorted = groups.into_sorted();
    let is_complete = is_complete && others == 0 && sorted.len() <= most;
    let shown: Vec<Value> = sorted.iter().take(most).map(|(kind, group)| shown_group(asker, kind, group)).collect();
    Ok(super::super::json(
        StatusCode::OK,
        &json!({
            "queue": browser.queue.as_str(), "lookedAt": looked_at, "isComplete": is_complete, "groups": shown,
        }),
    ))
}

/// Without the MQDLH.
fn length(got: &GetResult, header: Option<&DeadLetterHeader>) -> usize {
    got.data_length.saturating_sub(header.map_or(0, |_| DeadLetterHeader::LENGTH))
}

fn shown_group(asker: &Asker<'_>, kind: &Kind, group: &Group) -> Value {
    let mut shown = json!({
        "count": group.count,
        "firstAt": write_moment(group.first),
        "lastAt": write_moment(group.last),
        "samplePosition": group.sample.0.to_string(),
        "origin": { "user": kind.user, "application": kind.application },
    });
    tell(asker, &mut shown, kind, group.longest);
    shown
}

/// Reason and destination; a message without MQDLH says neither.
fn tell(asker: &Asker<'_>, shown: &mut Value, kind: &Kind, length: usize) {
    let Some(number) = kind.reason else {
        shown["reason"] = Value::Null;
        let text = "the message has no dead-letter header: a program put or moved it here, as for a backout count";
        shown["text"] = json!(text);
        return;
    };
    let name = Reason::from_number(number).map(Reason::name);
    shown["reason"] = json!({ "code": number, "name": name, "text": reason_words(number) });
    let (destination, sentence) = destination(asker, kind, length);
    shown["text"] = json!(format!("{}; {sentence}", reason_words(number)));
    shown["destination"] = destination;
}

/// Where the message was to go, and whether it would be taken there now.
fn destination(asker: &Asker<'_>, kind: &Kind, length: usize) -> (Value, String) {
    let mut shown = json!({ "queue": kind.queue, "qmgr": kind.queue_manager });
    let names = (ObjectName::parse(&kind.queue), ObjectName::parse(&kind.queue_manager));
    let (Ok(queue), Ok(queue_manager)) = names else {
        return (shown, "the destination has no possible name".to_owned());
    };
    if !asker.sees(AuthorityObject::Queue, &queue) {
        return (shown, "you may not display the destination".to_owned());
    }
    let name = &kind.queue;
    let (exists, sentence) = match asker.queue_manager.would_take(&queue, &queue_manager, length) {
        Ok(()) => (true, format!("{name} would take it now: a job with the action replay puts it there")),
        Err(Reason::QFull) => (true, format!("{name} is full")),
        Err(Reason::PutInhibited) => (true, format!("puts to {name} are inhibited: ALTER QLOCAL({name}) PUT(ENABLED)")),
        Err(Reason::MsgTooBigForQ) => (true, format!("{length} bytes are more than MAXMSGL of {name}")),
        Err(Reason::MsgTooBigForQMgr) => (true, format!("{length} bytes are more than MAXMSGL of the queue manager")),
        Err(Reason::UnknownObjectName) => (false, format!("there is no queue {name}")),
        Err(other) => (false, format!("{name} leads nowhere: {other}")),
    };
    let taken = asker.queue_manager.would_take(&queue, &queue_manager, length);
    shown["exists"] = json!(exists);
    shown["takesItNow"] = json!(taken.is_ok());
    if let Err(reason) = taken {
        shown["reason"] = super::shown::reason(reason);
    }
    (shown, sentence)
}

async fn one(asker: &Asker<'_>, browser: &Browser, at: Position) -> Result<Answer, ApiError> {
    let unknown = || super::super::get::no_such_message(at);
    let token = asker.queue_manager.message_token(&browser.queue, at).ok_or_else(unknown)?;
    let got = browser.next(asker, Some(token)).await?.ok_or_else(unknown)?;
    Ok(super::super::json(StatusCode::OK, &shown_message(asker, browser.queue, &got)))
}

fn shown_message(asker: &Asker<'_>, queue: QueueName, got: &GetResult) -> Value {
    let message: &Message = &got.message;
    let descriptor = &message.descriptor;
    let header = header_of(message);
    let mut shown = json!({
        "queue": queue.as_str(),
        "position": got.position().0.to_string(),
        "id": descriptor.message_id,
        "correlationId": descriptor.correlation_id,
        "backoutCount": descriptor.backout_count,
        "length": length(got, header.as_ref()),
        "cameAt": write_moment(got.arrived),
        "origin": {
            "user": descriptor.user_identifier.to_text(),
            "application": descriptor.put_application_name.to_text(),
            "putAt": Timestamp::of_put(&descriptor.put_date, &descriptor.put_time).map(write_moment),
        },
    });
    if let Some(header) = &header {
        shown["deadLetteredBy"] = json!({
            "application": header.put_application_name.to_text(),
            "at": Timestamp::of_put(&header.put_date, &header.put_time).map(write_moment),
        });
        shown["format"] = json!(header.format);
    }
    let kind = Kind::of(message, header.as_ref());
    tell(asker, &mut shown, &kind, length(got, header.as_ref()));
    shown
}
