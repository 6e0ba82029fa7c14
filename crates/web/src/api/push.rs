//! Push targets: made, shown, paused and deleted by their user and by administrators.
//!
//! How messages are posted is in `push/door.rs`, what a request says in `push/wish.rs`.

pub(crate) mod door;
mod wish;

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use http::StatusCode;
use identity::{Identity, Roles};
use message_api::push::{Definition, Figures, Kept, Key, NotKept, PushFileError, Source, Target as PushTarget};
use message_api::time_text::write_moment;
use model::reason::Reason;
use serde_json::{Value, json};

use crate::answer::{self, Answer};
use crate::error::{self, ApiError, Verb};
use crate::messaging::{Target, decode, in_scope};
use crate::query;
use crate::request_body::RequestBody;
use crate::service::Call;

use self::wish::Wish;
use super::deliveries::read;
use super::{PushHandler, json as answer_json, selection};

const DEFAULT_PAGE: usize = 100;

pub(super) async fn handle(
    call: Call<'_>,
    handler: PushHandler,
    identity: &Identity,
    body: &mut RequestBody<'_>,
) -> Result<Answer, ApiError> {
    // That of the queue manager alone is checked here, that of the queue below.
    let target = Target::of_queue_manager(call, identity, Verb::GetFrom)?;
    if target.is_remote() {
        return Err(ApiError::new(&error::NOT_REMOTE, &[target.queue_manager()]));
    }
    match handler {
        PushHandler::Put => put(call, identity, &target, body).await,
        PushHandler::List => list(call, identity, &target),
        PushHandler::Show => {
            query::none(call.query())?;
            Ok(answer_json(StatusCode::OK, &shown(&find(call, identity, &target)?)))
        }
        PushHandler::Delete => delete(call, identity, &target).await,
        PushHandler::Pause => pause(call, identity, &target, true).await,
        PushHandler::Resume => pause(call, identity, &target, false).await,
    }
}

/// # Errors
/// 400, 403, 404, 409 the name is another user's, 503 too many targets. Nothing was changed then.
async fn put(
    call: Call<'_>,
    identity: &Identity,
    target: &Target<'_>,
    body: &mut RequestBody<'_>,
) -> Result<Answer, ApiError> {
    query::none(call.query())?;
    let name = &*decode(call.parameters[1])?;
    let key = Key::new(target.queue_manager(), name).ok_or_else(|| ApiError::new(&error::PUSH_NAME, &[name]))?;
    let wish: Wish = read(call, body).await?;
    let definition = wish.definition(key, identity, &call.settings.reach, call.shared.now())?;
    let (verb, object) = source_of(&definition.source);
    in_scope(identity, verb, object)?;
    probe(call, target, &definition).await?;
    let has_secret = !definition.secrets.is_empty();
    let most = call.settings.options.push.targets;
    let is_administrator = identity.roles.contains(Roles::MQWEB_ADMIN);
    let kept = change(call, move |push| push.put(definition, is_administrator, most)).await?;
    let Kept { target: kept, is_new } = kept.map_err(|refused| match refused {
        NotKept::OfAnother => ApiError::new(&error::PUSH_OF_ANOTHER, &[name]),
        NotKept::TooMany => ApiError::overloaded("push.targets"),
        NotKept::File(problem) => not_written(name, &problem),
    })?;
    let mut shown = shown(&kept);
    if is_new && !has_secret {
        // The only time: it was made here.
        shown["secret"] = json!(kept.definition.secrets[0].text());
    }
    tracing::info!(
        queue_manager = kept.definition.key.queue_manager,
        push = kept.definition.key.name,
        user = kept.definition.owner.user,
        "a push target was {}",
        if is_new { "made" } else { "replaced" }
    );
    Ok(answer_json(if is_new { StatusCode::CREATED } else { StatusCode::OK }, &shown))
}

/// Whether the user may have the messages. The target that has them may keep others from opening the queue or subscription.
async fn probe(call: Call<'_>, target: &Target<'_>, definition: &Definition) -> Result<(), ApiError> {
    let queue_manager = call.shared.queue_managers.admitting_one(target.queue_manager());
    let queue_manager = queue_manager.map_err(|_| call.shared.unavailable(target.queue_manager()))?;
    let push = &call.shared.message_api.push;
    match push.probe(&queue_manager, target.acting().principal(), definition).await {
        Ok(()) => Ok(()),
        Err(Reason::ObjectInUse | Reason::SubscriptionInUse)
            if push.find(&definition.key).is_some_and(|before| before.definition.source == definition.source) =>
        {
            Ok(())
        }
        Err(reason) => {
            let (verb, object) = source_of(&definition.source);
            Err(Target::again(target.pool(), target.acting(), verb, object).failed(&reason.into()))
        }
    }
}

fn source_of(source: &Source) -> (Verb, &str) {
    match source {
        Source::Queue(queue) => (Verb::GetFrom, queue),
        Source::Subscription { topic, .. } => (Verb::SubscribeTo, topic),
    }
}

fn list(call: Call<'_>, identity: &Identity, target: &Target<'_>) -> Result<Answer, ApiError> {
    let (mut limit, mut cursor) = (None, None);
    query::each(call.query(), |name, value: Cow<'_, str>| match name {
        "limit" => query::once(&mut limit, name, selection::number(name, &value)?),
        "cursor" if Key::new("", &value).is_some() => query::once(&mut cursor, name, value.into_owned()),
        "cursor" => Err(ApiError::parameter_expected(name, &value, "a cursor of an answer")),
        _ => Err(query::unknown(name)),
    })?;
    let mut targets = call.shared.message_api.push.list().into_iter().filter(|one| {
        let key = &one.definition.key;
        let is_behind = cursor.as_deref().is_none_or(|behind| key.name.as_str() > behind);
        key.queue_manager == target.queue_manager() && is_behind && sees(identity, &one.definition)
    });
    let page: Vec<PushTarget> = targets.by_ref().take(limit.unwrap_or(DEFAULT_PAGE)).collect();
    let mut list = json!({ "targets": page.iter().map(shown).collect::<Vec<_>>() });
    if let (Some(last), Some(_)) = (page.last(), targets.next()) {
        list["cursor"] = json!(last.definition.key.name);
    }
    Ok(answer_json(StatusCode::OK, &list))
}

async fn delete(call: Call<'_>, identity: &Identity, target: &Target<'_>) -> Result<Answer, ApiError> {
    query::none(call.query())?;
    let key = find(call, identity, target)?.definition.key.clone();
    let name = key.name.clone();
    let removed = change(call, move |push| push.remove(&key)).await?;
    if removed.map_err(|problem| not_written(&name, &problem))? {
        tracing::info!(queue_manager = target.queue_manager(), push = name, "a push target was deleted");
    }
    Ok(answer::of_service(StatusCode::NO_CONTENT, None, Bytes::new()))
}

async fn pause(call: Call<'_>, identity: &Identity, target: &Target<'_>, is_paused: bool) -> Result<Answer, ApiError> {
    query::none(call.query())?;
    let key = find(call, identity, target)?.definition.key.clone();
    let name = key.name.clone();
    let paused = change(call, move |push| push.pause(&key, is_paused)).await?;
    let paused = paused.map_err(|problem| not_written(&name, &problem))?;
    let paused = paused.ok_or_else(|| ApiError::new(&error::PUSH_UNKNOWN, &[&name]))?;
    let word = if is_paused { "paused" } else { "resumed" };
    tracing::info!(queue_manager = target.queue_manager(), push = name, "a push target was {word}");
    Ok(answer_json(StatusCode::OK, &shown(&paused)))
}

/// Changes targets on a thread that may wait for the disk, and to the end.
async fn change<T: Send + 'static>(
    call: Call<'_>,
    change: impl FnOnce(&message_api::push::Push) -> T + Send + 'static,
) -> Result<T, ApiError> {
    let push = Arc::clone(&call.shared.message_api.push);
    let task = tokio::task::spawn_blocking(move || change(&push));
    task.await.map_err(|_| ApiError::new(&error::PUSH_NOT_KEPT, &[call.parameters[1]]))
}

fn not_written(name: &str, problem: &PushFileError) -> ApiError {
    let cause = model::causes::chain(problem);
    tracing::error!(push = name, "a change of a push target is lost: {cause}");
    ApiError::new(&error::PUSH_NOT_KEPT, &[name])
}

/// # Errors
/// 404 there is no such target that this user may see.
fn find(call: Call<'_>, identity: &Identity, target: &Target<'_>) -> Result<PushTarget, ApiError> {
    let name = &*decode(call.parameters[1])?;
    let found = Key::new(target.queue_manager(), name).and_then(|key| call.shared.message_api.push.find(&key));
    let found = found.filter(|found| sees(identity, &found.definition));
    found.ok_or_else(|| ApiError::new(&error::PUSH_UNKNOWN, &[name]))
}

/// Its own; an administrator all. An API key those that it could have made.
fn sees(identity: &Identity, definition: &Definition) -> bool {
    let (verb, object) = source_of(&definition.source);
    let is_own = *definition.owner.user == *identity.principal.user;
    in_scope(identity, verb, object).is_ok() && (is_own || identity.roles.contains(Roles::MQWEB_ADMIN))
}

fn shown(target: &PushTarget) -> Value {
    let mut shown = target.definition.shown();
    let figures = target.figures();
    let state = match &figures {
        _ if target.definition.is_paused => "paused",
        Figures { blocked: Some(_), .. } => "blocked",
        Figures { is_failing: true, .. } => "failing",
        _ => "running",
    };
    shown["state"] = json!(state);
    let mut statistics = json!({
        "posted": figures.posted,
        "completed": figures.completed,
        "failed": figures.failed,
        "retried": figures.retried,
        "inFlight": figures.in_flight,
    });
    if let Some(at) = figures.last_success {
        statistics["lastSuccessAt"] = json!(write_moment(at));
    }
    if let Some(at) = figures.waiting_since {
        statistics["waitingSince"] = json!(write_moment(at));
    }
    if let Some(last) = figures.last_error {
        statistics["lastError"] =
            json!({ "at": write_moment(last.at), "status": last.status, "problem": last.problem });
    }
    if let Some(problem) = figures.blocked {
        statistics["blockedBy"] = json!(problem);
    }
    shown["statistics"] = statistics;
    shown
}
