//! Jobs: started for a queue, listed, shown and cancelled by the user who started them and by administrators.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use http::{HeaderValue, StatusCode, header};
use identity::{Identity, Roles};
use message_api::jobs::{Action, DeadLetter, Job, JobId, NotStarted, Order, Record};
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
        let has_new_context = match self.context.as_deref() {
            None | Some("keep") => false,
            Some("new") => true,
            Some(other) => return Err(bad("context", other, "keep or new")),
        };
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
            contains: self.contains.clone(),
            limit: self.limit,
            to,
            is_dry: self.dry_run,
            has_new_context,
        })
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
    let job = started.map_err(|refused| match refused {
        NotStarted::Connection(error) | NotStarted::Queue(error) => target.failed(&error),
        NotStarted::Destination(error) => put_target(&target, to).failed(&error),
        NotStarted::Remote => ApiError::new(&error::NOT_REMOTE, &[target.queue_manager()]),
        NotStarted::SameQueue => ApiError::new(&error::SAME_QUEUE, &[to]),
        NotStarted::TooMany => ApiError::overloaded("running jobs"),
    })?;
    let mut answer = answer_json(StatusCode::ACCEPTED, &job.record().shown());
    let location = HeaderValue::try_from(format!("/api/v1/jobs/{}", job.id())).expect("hexadecimal digits");
    answer.headers_mut().insert(header::LOCATION, location);
    Ok(answer)
}

fn put_target<'a>(target: &Target<'a>, to: &'a str) -> Target<'a> {
    Target::again(target.pool(), target.acting(), Verb::PutTo, to)
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
    let records = jobs.iter().map(|job| job.record()).filter(|record| sees(identity, record));
    let is_behind = |record: &Record| cursor.is_none_or(|behind| (record.started.0, record.id) < behind);
    let mut records = records.filter(is_behind);
    let page: Vec<Record> = records.by_ref().take(limit.unwrap_or(DEFAULT_PAGE)).collect();
    let shown: Vec<Value> = page.iter().map(Record::shown).collect();
    let mut list = json!({ "jobs": shown });
    if let (Some(last), Some(_)) = (page.last(), records.next()) {
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
    let mut shown = job.record().shown();
    let put = job.put();
    if !put.is_empty() {
        shown["put"] = json!(put);
    }
    Ok(answer_json(StatusCode::OK, &shown))
}

/// DELETE of `/jobs/{job}`: the job ends soon, and says so.
///
/// # Errors
/// As `show`.
pub(super) async fn cancel(call: Call<'_>, identity: &Identity) -> Result<Answer, ApiError> {
    query::none(call.query())?;
    let job = find(call, identity).await?;
    job.cancel();
    Ok(answer_json(StatusCode::ACCEPTED, &job.record().shown()))
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
    let verb = if record.action == Action::Copy { Verb::BrowseFrom } else { Verb::GetFrom };
    let is_in_scope = in_scope(identity, verb, &record.queue).is_ok()
        && record.to.as_deref().is_none_or(|to| in_scope(identity, Verb::PutTo, to).is_ok());
    is_in_scope && (is_own || identity.roles.contains(Roles::MQWEB_ADMIN))
}
