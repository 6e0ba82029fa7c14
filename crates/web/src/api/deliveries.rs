//! Receiving with a lock, and settling.

use std::sync::Arc;
use std::time::Duration;

use connection::target::Acting;
use http::StatusCode;
use identity::Identity;
use message_api::content::Content;
use message_api::deliveries::{Deliveries, NotReceived, NotSettled, Receive, Settlement, Token};
use message_api::incoming::BodyForm;
use message_api::time_text::{read_duration, write_moment};
use model::options::{GetFlags, ObjectDescriptor};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::answer::Answer;
use crate::error::{self, ApiError, Verb};
use crate::messaging::Target;
use crate::query;
use crate::request_body::RequestBody;
use crate::service::Call;

use super::get::List;
use super::selection::{self, MOST, MatchMembers, Shown};
use super::to_the_end::to_the_end;

pub(super) const DEFAULT_LOCK: Duration = Duration::from_secs(30);
const LONGEST_LOCK: Duration = Duration::from_secs(12 * 3600);
/// Settlements of one request.
const MOST_SETTLED: usize = 1000;
/// MQFB_APPL_FIRST: a feedback of the application's own.
const APPLICATION_FEEDBACK: i32 = 65_536;

/// What to receive.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Wanted {
    max: Option<usize>,
    wait: Option<String>,
    lock: Option<String>,
    body: Option<String>,
    copybook: Option<String>,
    r#match: MatchMembers,
}

/// # Errors
/// 400, 403, 404, 501 a remote queue manager, 503 too many deliveries are open.
pub(super) async fn receive(
    call: Call<'_>,
    identity: &Identity,
    body: &mut RequestBody<'_>,
) -> Result<Answer, ApiError> {
    query::none(call.query())?;
    let target = Target::of(call, identity, Verb::GetFrom)?;
    let wanted: Wanted = read(call, body).await?;
    let most = wanted.max.unwrap_or(1);
    if most == 0 || most > MOST {
        return Err(bad("max", &most.to_string(), "a number from 1 to 1000"));
    }
    let lock = wanted.lock.as_deref().map_or(Ok(DEFAULT_LOCK), read_lock)?;
    let form = wanted.body.as_deref().map_or(Ok(BodyForm::Auto), |text| selection::body_form("body", text))?;
    let copybook = wanted.copybook.as_deref().map(|name| selection::copybook(call, name)).transpose()?;
    let shown = Shown { form, copybook };
    let matched = wanted.r#match.matched()?;
    let mut options = matched.options();
    let wait = wanted.wait.as_deref().map(|text| selection::wait("wait", text)).transpose()?;
    let wait = wait.filter(|wait| !wait.is_zero());
    let _waiting = call.wait_for_message(wait)?;
    if wait.is_some() {
        options.flags |= GetFlags::WAIT;
        options.wait = wait;
    }
    let queue = ObjectDescriptor { selector: matched.selector.unwrap_or_default(), ..target.queue()? };
    let receive = Receive { queue: &queue, options, most, lock };
    let deliveries = &call.shared.message_api.deliveries;
    let received = deliveries.receive(target.pool(), target.acting(), &receive).await;
    let received = received.map_err(|error| match error {
        NotReceived::Connection(error) => target.failed(&error),
        NotReceived::Remote => ApiError::new(&error::NOT_REMOTE, &[target.queue_manager()]),
        NotReceived::TooMany => ApiError::overloaded("message_api deliveries"),
    })?;
    let until = write_moment(call.shared.now().saturating_add(lock));
    let mut list = List::new();
    for delivered in &received {
        let beside = [("token", Value::from(delivered.token.to_string())), ("lockedUntil", Value::from(until.clone()))];
        let (message, content) = (&*delivered.message, Content::of(&delivered.message));
        list.add(call, message, &content, Some(delivered.position), &shown, &beside);
    }
    Ok(list.into_answer(&[]))
}

/// The body as JSON; of an empty one the default.
///
/// # Errors
/// 400 it is something else.
pub(super) async fn read<T: for<'de> Deserialize<'de> + Default>(
    call: Call<'_>,
    body: &mut RequestBody<'_>,
) -> Result<T, ApiError> {
    let limits = &call.settings.options.limits;
    let bytes = body.read(limits, limits.body_bytes).await?;
    if bytes.trim_ascii().is_empty() {
        return Ok(T::default());
    }
    serde_json::from_slice(&bytes).map_err(|error| ApiError::new(&error::BODY_NOT_VALID, &[&error.to_string()]))
}

const LOCK: &str = "a duration of at most 12 hours, such as 60s";

fn read_lock(text: &str) -> Result<Duration, ApiError> {
    valid_lock(text).ok_or_else(|| bad("lock", text, LOCK))
}

/// The lock of a query.
///
/// # Errors
/// 400 no duration, or too long a one.
pub(super) fn lock_of_query(name: &str, value: &str) -> Result<Duration, ApiError> {
    valid_lock(value).ok_or_else(|| ApiError::parameter_expected(name, value, LOCK))
}

fn valid_lock(text: &str) -> Option<Duration> {
    read_duration(text).filter(|lock| (Duration::from_millis(1)..=LONGEST_LOCK).contains(lock))
}

pub(super) fn bad(member: &str, value: &str, expected: &str) -> ApiError {
    let problem = format!("the member '{member}' is '{value}'; expected {expected}");
    ApiError::new(&error::BODY_NOT_VALID, &[&problem])
}

/// One settlement, as a line of `settle` or by the path.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Wish {
    token: Option<String>,
    action: Option<String>,
    /// Of a renewal.
    lock: Option<String>,
    /// Of a dead letter: MQRC or MQFB.
    reason: Option<i32>,
}

enum Action {
    Settle(Settlement),
    Renew(Option<Duration>),
}

impl Wish {
    fn action(&self, word: &str) -> Result<Action, ApiError> {
        Ok(match word {
            "complete" => Action::Settle(Settlement::Complete),
            "abandon" => Action::Settle(Settlement::Abandon),
            "dead-letter" => {
                Action::Settle(Settlement::DeadLetter { reason: self.reason.unwrap_or(APPLICATION_FEEDBACK) })
            }
            "renew" => Action::Renew(self.lock.as_deref().map(read_lock).transpose()?),
            other => return Err(bad("action", other, "complete, abandon, renew or dead-letter")),
        })
    }
}

/// POST of `/deliveries/{token}/{action}`.
///
/// # Errors
/// 404 no such delivery, 409 settled otherwise or being settled, 410 its lock has run out.
pub(super) async fn settle(
    call: Call<'_>,
    identity: &Identity,
    body: &mut RequestBody<'_>,
) -> Result<Answer, ApiError> {
    query::none(call.query())?;
    let target = Target::of_queue_manager(call, identity, Verb::GetFrom)?;
    let wish: Wish = read(call, body).await?;
    let [_, token, action] = call.parameters;
    let action = wish.action(action).map_err(|_| ApiError::new(&error::UNKNOWN_RESOURCE, &[call.parts.uri.path()]))?;
    let done = in_full(call, &target, token, action).await?;
    Ok(super::json(StatusCode::OK, &done))
}

/// POST of `/deliveries/settle`: many, each for itself.
///
/// # Errors
/// 400 the body is not a list of settlements. What becomes of each is in the answer.
pub(super) async fn settle_many(
    call: Call<'_>,
    identity: &Identity,
    body: &mut RequestBody<'_>,
) -> Result<Answer, ApiError> {
    #[derive(Deserialize, Default)]
    #[serde(deny_unknown_fields)]
    struct Wishes {
        settle: Vec<Wish>,
    }
    query::none(call.query())?;
    let target = Target::of_queue_manager(call, identity, Verb::GetFrom)?;
    let Wishes { settle } = read(call, body).await?;
    if settle.len() > MOST_SETTLED {
        return Err(bad("settle", &settle.len().to_string(), "at most 1000 settlements"));
    }
    let tokens: Vec<_> = settle.iter().map(|wish| wish.token.as_deref().and_then(Token::parse)).collect();
    let mut together = complete_together(call, &target, &settle, &tokens).await.into_iter().peekable();
    let mut settled = Vec::with_capacity(settle.len());
    for (index, wish) in settle.iter().enumerate() {
        let token = wish.token.as_deref().unwrap_or_default();
        if together.next_if_eq(&index).is_some() {
            settled.push(Outcome::done(token));
            continue;
        }
        let outcome = match wish.action(wish.action.as_deref().unwrap_or_default()) {
            Ok(action) => in_full(call, &target, token, action).await,
            Err(error) => Err(error),
        };
        settled
            .push(outcome.unwrap_or_else(|error| Outcome { error: Some(error.as_problem()), ..Outcome::done(token) }));
    }
    Ok(super::json(StatusCode::OK, &Settled { settled }))
}

#[derive(Serialize)]
struct Settled<'a> {
    settled: Vec<Outcome<'a>>,
}

/// What became of one settlement.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Outcome<'a> {
    token: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    locked_until: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Value>,
}

impl<'a> Outcome<'a> {
    fn done(token: &'a str) -> Self {
        Self { token, locked_until: None, error: None }
    }
}

/// Completes what is to be completed in one unit of work, which is one record of the log, and says which wishes that were. Where one
/// of them cannot be completed, none is, and each has its turn by itself.
async fn complete_together(
    call: Call<'_>,
    target: &Target<'_>,
    wishes: &[Wish],
    tokens: &[Option<Token>],
) -> Vec<usize> {
    let mut sorted: Vec<Token> = tokens.iter().copied().flatten().collect();
    sorted.sort_unstable();
    // Of several wishes for one delivery the first one counts.
    let is_named_once = |token: &Token| {
        let at = sorted.partition_point(|other| other < token);
        sorted.get(at + 1) != Some(token)
    };
    let is_complete = |wish: &Wish| wish.action.as_deref() == Some("complete");
    let (indices, together): (Vec<usize>, Vec<Token>) = wishes
        .iter()
        .zip(tokens)
        .enumerate()
        .filter(|(_, (wish, _))| is_complete(wish))
        .filter_map(|(index, (_, token))| token.filter(is_named_once).map(|token| (index, token)))
        .unzip();
    if together.len() < 2 || target.is_remote() {
        return Vec::new();
    }
    let deliveries = Arc::clone(&call.shared.message_api.deliveries);
    let (pool, principal) = (Arc::clone(target.pool()), target.acting().principal().clone());
    let adopts = matches!(target.acting(), Acting::For(_));
    let completed = to_the_end(async move {
        let acting = if adopts { Acting::For(&principal) } else { Acting::AsConnected(&principal) };
        deliveries.transact(&pool, acting, &together, Vec::new(), |_| None).await.map(drop)
    });
    completed.await.map(|()| indices).unwrap_or_default()
}

/// Settles to the end, also when the client goes away.
async fn in_full<'a>(
    call: Call<'_>,
    target: &Target<'_>,
    text: &'a str,
    action: Action,
) -> Result<Outcome<'a>, ApiError> {
    let unknown = || ApiError::new(&error::DELIVERY_UNKNOWN, &[text]);
    let token = Token::parse(text).ok_or_else(unknown)?;
    let user = target.acting().principal().user.to_string();
    let deliveries = Arc::clone(&call.shared.message_api.deliveries);
    let mut outcome = Outcome::done(text);
    match action {
        Action::Renew(lock) => {
            let lock = deliveries.renew(token, &user, lock).map_err(|error| refusal(target, token, error))?;
            outcome.locked_until = Some(write_moment(call.shared.now().saturating_add(lock)));
        }
        Action::Settle(how) => {
            let settled = run(deliveries, token, user, how).await;
            settled.map_err(|error| refusal(target, token, error))?;
        }
    }
    Ok(outcome)
}

async fn run(deliveries: Arc<Deliveries>, token: Token, user: String, how: Settlement) -> Result<(), NotSettled> {
    to_the_end(async move { deliveries.settle(token, &user, how).await }).await
}

pub(super) fn refusal(target: &Target<'_>, token: Token, problem: NotSettled) -> ApiError {
    let token = token.to_string();
    match problem {
        NotSettled::Unknown => ApiError::new(&error::DELIVERY_UNKNOWN, &[&token]),
        NotSettled::InProgress => ApiError::new(&error::DELIVERY_IN_PROGRESS, &[&token]),
        NotSettled::LockLost => ApiError::new(&error::LOCK_LOST, &[&token]),
        NotSettled::Otherwise(how) => {
            let how = match how {
                Settlement::Complete => "completed",
                Settlement::Abandon => "abandoned",
                Settlement::DeadLetter { .. } => "put on the dead-letter queue",
            };
            ApiError::new(&error::SETTLED_OTHERWISE, &[&token, how])
        }
        NotSettled::Refused(reason) => target.change_failed(&reason.into()),
    }
}
