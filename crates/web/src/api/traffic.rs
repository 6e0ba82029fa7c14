//! `/api/v1/test/traffic`: messages that programs put and got, recorded as lines of JSON, put again, and a mock that answers requests as the
//! recorded program did.
//!
//! A mock gets requests as a program would: a task for each queue, under syncpoint, so that a request is answered once or stays.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use message_api::copybooks::Copybooks;
use message_api::exported::Exported;
use message_api::outgoing::read_envelope;
use model::authority::Principal;
use model::descriptor::{Ccsid, Expiry, Format};
use model::message::Message;
use model::name::{QueueManagerName, QueueName};
use model::options::{GetFlags, GetOptions, ObjectDescriptor, OpenOptions, PutFlags, PutOptions};
use model::reason::Reason;
use model::timestamp::Timestamp;
use parking_lot::Mutex;
use queue_manager::connection::Connection;
use queue_manager::{ConnectOptions, QueueManagers};
use serde::Deserialize;
use serde_json::{Value, json};
use test_control::TestControl;
use test_control::faults::Pattern;
use test_control::traffic::{Likeness, MOST, Mode, Record, Verb};
use tokio::task::JoinSet;

use crate::answer::{self, Answer};
use crate::error::{self, ApiError};
use crate::request_body::RequestBody;
use crate::service::Call;

use super::deliveries::bad;
use super::lines::{LINES, write_line};
use super::{json as answer_json, not_a_message};

/// MQAT_QMGR: calls of such a connection are no program's, and are neither recorded nor hit by faults.
const QUEUE_MANAGER: i32 = 7;
/// How long a mock waits for a request before it looks from the first message again.
const LOOK: Duration = Duration::from_millis(250);
/// Before a mock tries again whose queue or queue manager is not there.
const PAUSE: Duration = Duration::from_millis(200);
/// Longest time between two messages that are put at their pace.
const LONGEST_PAUSE: Duration = Duration::from_secs(3600);

/// The mocks of a server that run.
#[derive(Default)]
pub(crate) struct Mocks(Mutex<JoinSet<()>>);

/// What is to become of messages.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Wish {
    mode: String,
    queues: Vec<String>,
    like: Option<Vec<String>>,
}

/// What is to be put again.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Again {
    queues: Vec<String>,
    pace: Option<String>,
}

/// A line of the records.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Written {
    verb: String,
    #[serde(default)]
    after_ms: u64,
    qmgr: String,
    queue: String,
    #[serde(default)]
    application: String,
    message: Value,
}

fn patterns(queues: &[String]) -> Vec<Pattern> {
    queues.iter().map(|queue| Pattern::new(queue)).collect()
}

pub(super) fn show(control: &TestControl) -> Answer {
    let shown = control.traffic.shown();
    let shown = json!({
        "mode": shown.mode.name(), "queues": shown.queues, "records": shown.records, "leftOut": shown.left_out,
        "answered": shown.answered, "unanswered": shown.unanswered,
    });
    answer_json(StatusCode::OK, &shown)
}

/// # Errors
/// 400 an unknown mode or likeness, or a recording of no queue.
pub(super) fn set(call: Call<'_>, control: &Arc<TestControl>, wish: &Wish) -> Result<Answer, ApiError> {
    let mode = Mode::parse(&wish.mode).ok_or_else(|| bad("mode", &wish.mode, "off, record or mock"))?;
    if mode == Mode::Record && wish.queues.is_empty() {
        return Err(bad("queues", "[]", "names of queues, which may end in an asterisk"));
    }
    let names: Vec<&str> = Likeness::ALL.iter().map(|(_, name)| *name).collect();
    let likeness = |name: &String| {
        Likeness::parse(name).ok_or_else(|| bad("like", name, &format!("some of {}", names.join(", "))))
    };
    let like = wish.like.as_ref().map(|like| like.iter().map(likeness).collect::<Result<_, _>>()).transpose()?;
    control.traffic.set(mode, patterns(&wish.queues), like.unwrap_or_else(|| vec![Likeness::Body]));
    call.shared.mocks.start(control, &call.shared.queue_managers);
    Ok(show(control))
}

pub(super) fn records(control: &TestControl) -> Answer {
    let mut out = Vec::new();
    for record in control.traffic.kept() {
        write_line(&mut out, &line(&record));
    }
    answer::with_body(StatusCode::OK, Some(LINES), out.into())
}

/// A record as it is written: text as text, other bodies in base64, and the life of the message in place of its end.
fn line(record: &Record) -> Value {
    let exported = Exported { message: &record.message, now: Timestamp::from_millis(0) };
    let mut message = serde_json::to_value(exported).unwrap_or_default();
    let descriptor = &record.message.descriptor;
    if let Some(members) = message.as_object_mut() {
        members.remove("expiresAt");
        if descriptor.expiry != Expiry::UNLIMITED {
            members.insert("expiry".to_owned(), format!("{}ms", i64::from(descriptor.expiry.0) * 100).into());
        }
        let is_text = descriptor.format == Format::STRING && descriptor.ccsid == Ccsid::UTF_8;
        if let Some(text) = std::str::from_utf8(&record.message.body).ok().filter(|_| is_text) {
            members.insert("body".to_owned(), json!({ "text": text }));
        }
    }
    json!({
        "verb": if record.verb == Verb::Put { "put" } else { "get" },
        "afterMs": u64::try_from(record.after.as_millis()).unwrap_or(u64::MAX),
        "qmgr": record.queue_manager, "queue": record.queue, "application": record.application, "message": message,
    })
}

/// # Errors
/// 400 a line that is none of a recording, or too many.
pub(super) async fn load(
    call: Call<'_>,
    control: &Arc<TestControl>,
    body: &mut RequestBody<'_>,
) -> Result<Answer, ApiError> {
    let limits = &call.settings.options.limits;
    let bytes = body.read(limits, limits.body_bytes).await?;
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let copybooks = &*call.shared.message_api.copybooks;
    let read = lines.enumerate().map(|(index, line)| record(line, copybooks).map_err(|error| error.in_line(index + 1)));
    let kept = read.collect::<Result<Vec<_>, _>>()?;
    if kept.len() > MOST {
        return Err(ApiError::new(&error::BODY_NOT_VALID, &[&format!("there are more than {MOST} records")]));
    }
    control.traffic.load(kept);
    call.shared.mocks.start(control, &call.shared.queue_managers);
    Ok(show(control))
}

fn record(line: &[u8], copybooks: &dyn Copybooks) -> Result<Record, ApiError> {
    let invalid = |error: serde_json::Error| ApiError::new(&error::BODY_NOT_VALID, &[&error.to_string()]);
    let written: Written = serde_json::from_slice(line).map_err(invalid)?;
    let verb = match &*written.verb {
        "put" => Verb::Put,
        "get" => Verb::Get,
        other => return Err(bad("verb", other, "put or get")),
    };
    let outgoing = read_envelope(written.message.to_string().as_bytes(), Timestamp::from_millis(0), copybooks);
    let message = outgoing.map_err(|problem| not_a_message(&problem))?.into_message();
    Ok(Record {
        verb,
        after: Duration::from_millis(written.after_ms),
        queue_manager: written.qmgr,
        queue: written.queue,
        application: written.application,
        message,
    })
}

/// Puts what programs put, in its order.
///
/// # Errors
/// 400 an unknown pace; what a put is refused with, when those before it are put.
pub(super) async fn put_again(call: Call<'_>, control: &TestControl, again: &Again) -> Result<Answer, ApiError> {
    let at_its_pace = match again.pace.as_deref() {
        None | Some("atOnce") => false,
        Some("recorded") => true,
        Some(other) => return Err(bad("pace", other, "atOnce or recorded")),
    };
    let queues = patterns(&again.queues);
    let is_wanted = |record: &Record| {
        record.verb == Verb::Put && (queues.is_empty() || queues.iter().any(|queue| queue.matches(&record.queue)))
    };
    let (mut put, mut last) = (0_u64, None);
    for record in control.traffic.kept().into_iter().filter(is_wanted) {
        let pause = last.map_or(Duration::ZERO, |last| record.after.saturating_sub(last));
        last = Some(record.after);
        if at_its_pace && !pause.is_zero() {
            tokio::time::sleep(pause.min(LONGEST_PAUSE)).await;
        }
        let connection = connect(&call.shared.queue_managers, &record.queue_manager, "replay");
        let connection = connection.map_err(ApiError::connect)?;
        let object = queue(&record.queue).map_err(ApiError::connect)?;
        put_message(&connection, &object, record.message, PutFlags::NO_SYNCPOINT).await.map_err(ApiError::connect)?;
        put += 1;
    }
    Ok(answer_json(StatusCode::OK, &json!({ "put": put })))
}

fn queue(name: &str) -> Result<ObjectDescriptor, Reason> {
    let name = QueueName::parse(name).map_err(|_| Reason::UnknownObjectName)?;
    Ok(ObjectDescriptor { name, ..ObjectDescriptor::default() })
}

fn administrator() -> Principal {
    Principal::administrator("test-control")
}

fn connect(queue_managers: &QueueManagers, name: &str, application: &str) -> Result<Connection, Reason> {
    let queue_manager = queue_managers.get(name).map_err(|_| Reason::QMgrNotAvailable)?;
    queue_manager.connect(ConnectOptions {
        principal: administrator(),
        application_name: application.to_owned(),
        application_type: QUEUE_MANAGER,
        channel: String::new(),
        connection_name: String::new(),
    })
}

async fn put_message(
    connection: &Connection,
    object: &ObjectDescriptor,
    message: Message,
    flags: PutFlags,
) -> Result<(), Reason> {
    let options = PutOptions { flags: flags | PutFlags::FAIL_IF_QUIESCING, context: None };
    connection.put1_message(&administrator(), object, Box::new(message), &options).await.map(drop)
}

impl Mocks {
    /// Those that run end; requests that they have in their hands are backed out.
    fn start(&self, control: &Arc<TestControl>, queue_managers: &QueueManagers) {
        let mut tasks = self.0.lock();
        tasks.abort_all();
        *tasks = JoinSet::new();
        for (queue_manager, queue) in control.traffic.mocked() {
            let mock =
                Mock { control: Arc::clone(control), queue_managers: queue_managers.clone(), queue_manager, queue };
            tasks.spawn(mock.run());
        }
    }
}

/// Answers the requests of one queue.
struct Mock {
    control: Arc<TestControl>,
    queue_managers: QueueManagers,
    queue_manager: String,
    queue: String,
}

impl Mock {
    /// Until it is aborted.
    async fn run(self) {
        loop {
            // The queue manager may be restored meanwhile, and the queue be defined.
            if let Err(reason) = self.serve().await {
                tracing::debug!(%reason, queue = self.queue, "a mock has to begin again");
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn serve(&self) -> Result<(), Reason> {
        let connection = connect(&self.queue_managers, &self.queue_manager, "mock")?;
        let flags = OpenOptions::INPUT_SHARED | OpenOptions::BROWSE | OpenOptions::FAIL_IF_QUIESCING;
        let opened = connection.open(&administrator(), &queue(&self.queue)?, flags).await?;
        let browse = |flags: GetFlags, wait| GetOptions {
            flags: flags | GetFlags::NO_SYNCPOINT | GetFlags::FAIL_IF_QUIESCING,
            wait,
            ..GetOptions::default()
        };
        let next = browse(GetFlags::BROWSE_NEXT | GetFlags::WAIT, Some(LOOK));
        let mut refused = HashSet::new();
        let mut is_first = true;
        loop {
            let look = if is_first { browse(GetFlags::BROWSE_FIRST, None) } else { next.clone() };
            match connection.get(opened.handle, &look).await {
                Ok(found) => {
                    is_first = false;
                    // One that nothing was recorded of stays, for other programs.
                    if refused.contains(&found.message_token) {
                        continue;
                    }
                    match self.control.traffic.answer(&self.queue_manager, &self.queue, &found.message) {
                        Some(replies) => {
                            let take = GetOptions {
                                flags: GetFlags::MSG_UNDER_CURSOR | GetFlags::SYNCPOINT | GetFlags::FAIL_IF_QUIESCING,
                                ..GetOptions::default()
                            };
                            match connection.get(opened.handle, &take).await {
                                Ok(request) => self.reply(&connection, &request.message, replies).await?,
                                // Another program was faster.
                                Err(Reason::NoMsgAvailable | Reason::NoMsgUnderCursor) => {}
                                Err(reason) => return Err(reason),
                            }
                        }
                        None => drop(refused.insert(found.message_token)),
                    }
                }
                Err(Reason::NoMsgAvailable) if is_first => is_first = false,
                Err(Reason::NoMsgAvailable) => is_first = true,
                Err(reason) => return Err(reason),
            }
        }
    }

    async fn reply(
        &self,
        connection: &Connection,
        request: &Message,
        replies: Vec<test_control::traffic::Reply>,
    ) -> Result<(), Reason> {
        let descriptor = &request.descriptor;
        let own = QueueManagerName::parse(&self.queue_manager).ok();
        let manager = descriptor.reply_to_queue_manager;
        let object = ObjectDescriptor {
            name: descriptor.reply_to_queue,
            queue_manager: if own == Some(manager) { QueueManagerName::BLANK } else { manager },
            ..ObjectDescriptor::default()
        };
        let began = tokio::time::Instant::now();
        for reply in replies {
            tokio::time::sleep_until(began + reply.after.min(LONGEST_PAUSE)).await;
            put_message(connection, &object, reply.message, PutFlags::SYNCPOINT).await?;
        }
        connection.commit().await
    }
}
