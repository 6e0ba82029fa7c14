//! Jobs: started for a queue, listed, shown, cancelled and undone by the user who started them and by administrators.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use http::{HeaderValue, StatusCode, header};
use identity::{Identity, Roles};
use message_api::content::Wanted;
use message_api::jobs::{Action, DeadLetter, Job, JobId, NoUndo, NotStarted, Order, Record, UndoOrder};
use model::identifier::MessageId;
use model::name::QueueName;
use queue_manager::Position;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::error::{self, ApiError, Verb};
use crate::messaging::{Target, in_scope};
use crate::query;
use crate::request_body::RequestBody;
use crate::service::Call;

use super::deliveries::{bad, read};
use super::json as answer_json;
use super::selection::{self, MatchMembers};

const DEFAULT_PAGE: usize = 100;

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default, rename_all = "camelCase")]
struct Wish {
    action: String,
    r#match: MatchMembers,
    contains: Option<String>,
    min_length: Option<u64>,
    max_length: Option<u64>,
    /// As texts: positions may be greater than what JSON numbers hold everywhere.
    positions: Option<Vec<String>>,
    ids: Option<Vec<String>>,
    dead_letter: Option<DeadLetterMembers>,
    before: Option<String>,
    limit: Option<u64>,
    to: Option<To>,
    dry_run: bool,
    context: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct DeadLetterMembers {
    /// `null`: messages without a dead-letter header.
    #[serde(deserialize_with = "there")]
    reason: Option<Option<i32>>,
    queue: Option<String>,
    user: Option<String>,
    application: Option<String>,
}

/// Tells a member that is null from one that is not there.
fn there<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<i32>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct To {
    queue: String,
}

impl DeadLetterMembers {
    fn meant(&self) -> DeadLetter {
        let Self { reason, queue, user, application } = self;
        DeadLetter { reason: *reason, queue: queue.clone(), user: user.clone(), application: application.clone() }
    }
}

impl Wish {
    fn positions(&self) -> Result<Option<BTreeSet<Position>>, ApiError> {
        let Some(positions) = &self.positions else { return Ok(None) };
        if positions.is_empty() || positions.len() > selection::MOST {
            return Err(bad("positions", &positions.len().to_string(), "1 to 1000 positions"));
        }
        positions.iter().map(|text| position("positions", text)).collect::<Result<_, _>>().map(Some)
    }

    fn ids(&self) -> Result<Option<BTreeSet<MessageId>>, ApiError> {
        let Some(ids) = &self.ids else { return Ok(None) };
        if ids.is_empty() || ids.len() > selection::MOST {
            return Err(bad("ids", &ids.len().to_string(), "1 to 1000 identifiers"));
        }
        let id = |text: &String| MessageId::from_hex(text).ok_or_else(|| bad("ids", text, "48 hexadecimal digits"));
        ids.iter().map(id).collect::<Result<_, _>>().map(Some)
    }

    fn order(&self, queue: QueueName) -> Result<Order, ApiError> {
        let action = match &*self.action {
            "move" => Action::Move,
            "copy" => Action::Copy,
            "purge" => Action::Purge,
            "replay" => Action::Replay,
            other => return Err(bad("action", other, "move, copy, purge or replay")),
        };
        match (action, &self.to) {
            (Action::Move | Action::Copy, None) => return Err(bad("to", "", "the queue to put to")),
            (Action::Purge, Some(to)) => return Err(bad("to", &to.queue, "to be left out of a purge")),
            _ => {}
        }
        if self.limit == Some(0) {
            return Err(bad("limit", "0", "a number from 1 on"));
        }
        let has_new_context = is_new(self.context.as_deref())?;
        let to = self.to.as_ref().map(|to| queue_name(&to.queue)).transpose()?;
        let matched = self.r#match.matched()?;
        Ok(Order {
            action,
            queue,
            matched: matched.options(),
            selector: matched.selector.unwrap_or_default(),
            positions: self.positions()?,
            ids: self.ids()?,
            dead_letter: self.dead_letter.as_ref().map(DeadLetterMembers::meant),
            before: self.before.as_deref().map(|text| position("before", text)).transpose()?,
            wanted: Wanted {
                contains: self.contains.clone(),
                min_length: self.min_length,
                max_length: self.max_length,
            },
            limit: self.limit,
            to,
            is_dry: self.dry_run,
            has_new_context,
        })
    }
}

/// Whether the context of the user is wished for.
fn is_new(context: Option<&str>) -> Result<bool, ApiError> {
    match context {
        None | Some("keep") => Ok(false),
        Some("new") => Ok(true),
        Some(other) => Err(bad("context", other, "keep or new")),
    }
}

fn position(member: &str, text: &str) -> Result<Position, ApiError> {
    text.parse().map(Position).map_err(|_| bad(member, text, "a position of a message, as text"))
}

fn queue_name(name: &str) -> Result<QueueName, ApiError> {
    let parsed = QueueName::parse(name).ok().filter(|name| !name.is_blank());
    parsed.ok_or_else(|| ApiError::new(&error::NAME_NOT_VALID, &[name]))
}

/// POST of `/queue/{queue}/jobs`.
///
/// # Errors
/// 400, 403, 404, 501 a remote queue manager, 503 too many jobs run. Nothing was done then.
pub(super) async fn start(call: Call<'_>, identity: &Identity, body: &mut RequestBody<'_>) -> Result<Answer, ApiError> {
    query::none(call.query())?;
    let wish: Wish = read(call, body).await?;
    let verb = if wish.action == "copy" { Verb::BrowseFrom } else { Verb::GetFrom };
    let target = Target::of_operator(call, identity, verb)?;
    let order = wish.order(target.queue()?.name)?;
    let to = wish.to.as_ref().map_or("", |to| &*to.queue);
    if order.to.is_some() {
        in_scope(identity, Verb::PutTo, to)?;
    } else if order.action == Action::Replay && identity.scope.is_some() {
        // The messages say which queues these are, and the key may not be for them.
        return Err(bad("to", "", "the queue to put to, because an API key is for certain queues"));
    }
    let jobs = &call.shared.message_api.jobs;
    let user = &identity.principal.user;
    let started = jobs.start(target.pool(), target.acting(), user, order, call.shared.now()).await;
    let job = started.map_err(|refused| not_started(refused, &target, to, ""))?;
    Ok(started_answer(&job))
}

fn started_answer(job: &Job) -> Answer {
    let mut answer = answer_json(StatusCode::ACCEPTED, &shown(job));
    let location = HeaderValue::try_from(format!("/api/v1/jobs/{}", job.id())).expect("hexadecimal digits");
    answer.headers_mut().insert(header::LOCATION, location);
    answer
}

fn shown(job: &Job) -> Value {
    job.show(&job.record())
}

/// `to` is the queue that messages were to go to, `undone` the job that was to be undone.
fn not_started(refused: NotStarted, target: &Target<'_>, to: &str, undone: &str) -> ApiError {
    match refused {
        NotStarted::Connection(error) | NotStarted::Queue(error) => target.failed(&error),
        NotStarted::Destination(error) => Target::again(target.pool(), target.acting(), Verb::PutTo, to).failed(&error),
        NotStarted::Remote => ApiError::new(&error::NOT_REMOTE, &[target.queue_manager()]),
        NotStarted::SameQueue => ApiError::new(&error::SAME_QUEUE, &[to]),
        NotStarted::TooMany => ApiError::overloaded("running jobs"),
        NotStarted::NoUndo(why) => no_undo(undone, why),
    }
}

/// GET of `/jobs`.
///
/// # Errors
/// 400 a parameter is not valid.
pub(super) async fn list(call: Call<'_>, identity: &Identity) -> Result<Answer, ApiError> {
    let (mut limit, mut cursor) = (None, None);
    query::each(call.query(), |name, value: Cow<'_, str>| match name {
        "limit" => query::once(&mut limit, name, selection::number(name, &value)?),
        "cursor" => {
            let behind = read_cursor(&value);
            let behind = behind.ok_or_else(|| ApiError::parameter_expected(name, &value, "a cursor of an answer"))?;
            query::once(&mut cursor, name, behind)
        }
        _ => Err(query::unknown(name)),
    })?;
    let jobs = call.shared.message_api.jobs.list(call.shared.now()).await;
    let records = jobs.iter().map(|job| (job, job.record())).filter(|(_, record)| sees(identity, record));
    let is_behind = |record: &Record| cursor.is_none_or(|behind| (record.started.0, record.id) < behind);
    let mut records = records.filter(|(_, record)| is_behind(record));
    let page: Vec<_> = records.by_ref().take(limit.unwrap_or(DEFAULT_PAGE)).collect();
    let shown: Vec<Value> = page.iter().map(|(job, record)| job.show(record)).collect();
    let mut list = json!({ "jobs": shown });
    if let (Some((_, last)), Some(_)) = (page.last(), records.next()) {
        list["cursor"] = json!(format!("{:x}-{}", last.started.0, last.id));
    }
    Ok(answer_json(StatusCode::OK, &list))
}

/// When the last job of a page began, and its name.
fn read_cursor(text: &str) -> Option<(u64, JobId)> {
    let (started, id) = text.split_once('-')?;
    Some((u64::from_str_radix(started, 16).ok()?, JobId::parse(id)?))
}

/// GET of `/jobs/{job}`.
///
/// # Errors
/// 404 there is no such job that this user may see.
pub(super) async fn show(call: Call<'_>, identity: &Identity) -> Result<Answer, ApiError> {
    query::none(call.query())?;
    let job = find(call, identity).await?;
    Ok(answer_json(StatusCode::OK, &shown(&job)))
}

/// DELETE of `/jobs/{job}`: the job ends soon, and says so.
///
/// # Errors
/// As `show`.
pub(super) async fn cancel(call: Call<'_>, identity: &Identity) -> Result<Answer, ApiError> {
    query::none(call.query())?;
    let job = find(call, identity).await?;
    job.cancel();
    Ok(answer_json(StatusCode::ACCEPTED, &shown(&job)))
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default, rename_all = "camelCase")]
struct UndoWish {
    dry_run: bool,
    context: Option<String>,
}

/// POST of `/jobs/{job}/undo`: another job.
///
/// # Errors
/// As `show`, and 409 the job cannot be undone; 400, 403, 404 about the queues of the job, 503 too many jobs run. Nothing was done then.
pub(super) async fn undo(call: Call<'_>, identity: &Identity, body: &mut RequestBody<'_>) -> Result<Answer, ApiError> {
    query::none(call.query())?;
    let wish: UndoWish = read(call, body).await?;
    let order = UndoOrder { is_dry: wish.dry_run, has_new_context: is_new(wish.context.as_deref())? };
    let job = find(call, identity).await?;
    let id = job.id().to_string();
    let (from, home) = job.undo_queues().map_err(|why| no_undo(&id, why))?;
    let queue_manager = job.record().queue_manager;
    for queue in &from {
        in_scope(identity, Verb::GetFrom, queue.as_str())?;
    }
    let home = home.as_ref().map_or("", QueueName::as_str);
    if !home.is_empty() {
        in_scope(identity, Verb::PutTo, home)?;
    }
    let target = Target::of_named(call, identity, Verb::GetFrom, (&queue_manager, from[0].as_str()))?;
    let jobs = &call.shared.message_api.jobs;
    let user = &identity.principal.user;
    let started = jobs.undo(target.pool(), target.acting(), user, &job, order, call.shared.now()).await;
    let started = started.map_err(|refused| not_started(refused, &target, home, &id))?;
    Ok(started_answer(&started))
}

fn no_undo(job: &str, why: NoUndo) -> ApiError {
    ApiError::new(&error::NO_UNDO, &[job, &why.to_string()])
}

async fn find(call: Call<'_>, identity: &Identity) -> Result<Arc<Job>, ApiError> {
    let name = call.parameters[0];
    let unknown = || ApiError::new(&error::JOB_UNKNOWN, &[name]);
    let id = JobId::parse(name).ok_or_else(unknown)?;
    let jobs = call.shared.message_api.jobs.list(call.shared.now()).await;
    let job = jobs.into_iter().find(|job| job.id() == id).ok_or_else(unknown)?;
    if sees(identity, &job.record()) { Ok(job) } else { Err(unknown()) }
}

/// Its own jobs; an administrator all. An API key those that it could have started.
pub(super) fn sees(identity: &Identity, record: &Record) -> bool {
    let is_own = *record.user == *identity.principal.user;
    let may = |verb, queue: &str| in_scope(identity, verb, queue).is_ok();
    let works_on_its_queue = match record.action {
        Action::Copy => may(Verb::BrowseFrom, &record.queue),
        Action::Move | Action::Purge | Action::Replay => may(Verb::GetFrom, &record.queue),
        // It works from another queue to this one, or on the copies alone.
        Action::Undo => true,
    };
    let is_in_scope = works_on_its_queue
        && record.to.as_deref().is_none_or(|to| may(Verb::PutTo, to))
        && record.from.as_deref().is_none_or(|from| may(Verb::GetFrom, from));
    is_in_scope && (is_own || identity.roles.contains(Roles::MQWEB_ADMIN))
}
