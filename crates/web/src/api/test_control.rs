//! `/api/v1/test`: what tests of applications have in their hands. Rules of faults, and the clock; snapshots are in `snapshots.rs`, calls of APIs in
//! `exchanges.rs`, messages in `traffic.rs`.
//!
//! Only a server that was started with `--test-control` has these resources. What they do is `test_control`'s.

use std::time::Duration;

use http::StatusCode;
use message_api::time_text::{read_duration, read_moment, write_duration, write_moment};
use model::reason::{CompletionCode, Reason};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use test_control::TestControl;
use test_control::faults::{
    CallFault, Kept, Moment, OfCalls, Pattern, Purpose, RequestFault, Rule, Subject, TooManyRules, Verb,
};

use crate::admin::decode;
use crate::answer::{self, Answer};
use crate::error::{self, ApiError};
use crate::query;
use crate::request_body::RequestBody;
use crate::service::Call;

use super::deliveries::{bad, read};
use super::{TestHandler, exchanges, json as answer_json, snapshots, traffic};

const LONGEST_DELAY: Duration = Duration::from_secs(3600);
/// As far as the clock goes in one step.
const LONGEST_STEP: Duration = Duration::from_secs(36_525 * 86_400);

/// # Errors
/// 400, 404 there is no such rule, or the server was not started for tests.
pub(super) async fn handle(
    call: Call<'_>,
    handler: TestHandler,
    body: &mut RequestBody<'_>,
) -> Result<Answer, ApiError> {
    query::none(call.query())?;
    let Some(control) = &call.shared.test_control else {
        return Err(ApiError::new(&error::UNKNOWN_RESOURCE, &[call.parts.uri.path()]));
    };
    match handler {
        TestHandler::ListFaults => {
            let rules: Vec<Value> = control.faults.all().iter().map(shown).collect();
            Ok(answer_json(StatusCode::OK, &json!({ "faults": rules })))
        }
        TestHandler::AddFault => add_fault(control, &read::<Wish>(call, body).await?),
        TestHandler::ClearFaults => {
            control.faults.clear();
            Ok(answer::empty(StatusCode::NO_CONTENT))
        }
        TestHandler::DeleteFault => {
            let id = decode(call.parameters[0])?;
            match id.parse().is_ok_and(|id| control.faults.remove(id)) {
                true => Ok(answer::empty(StatusCode::NO_CONTENT)),
                false => Err(ApiError::new(&error::FAULT_UNKNOWN, &[&id])),
            }
        }
        TestHandler::ShowClock => Ok(clock(control)),
        TestHandler::MoveClock => move_clock(call, control, &read::<Step>(call, body).await?),
        TestHandler::ShowExchanges => Ok(exchanges::show(control)),
        TestHandler::SetExchanges => exchanges::set(control, read(call, body).await?),
        TestHandler::ShowTraffic => Ok(traffic::show(control)),
        TestHandler::SetTraffic => traffic::set(call, control, &read(call, body).await?),
        TestHandler::ListRecords => Ok(traffic::records(control)),
        TestHandler::LoadRecords => traffic::load(call, control, body).await,
        TestHandler::PutRecords => traffic::put_again(call, control, &read(call, body).await?).await,
        TestHandler::TakeSnapshot => snapshots::take(call).await,
        TestHandler::ListSnapshots => Ok(snapshots::list(call)),
        TestHandler::DeleteSnapshot => snapshots::delete(call),
        TestHandler::RestoreSnapshot => snapshots::restore(call).await,
    }
}

/// A rule as it is written.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default, rename_all = "camelCase")]
struct Wish {
    qmgr: Option<String>,
    queue: Option<String>,
    channel: Option<String>,
    verb: Option<String>,
    service: Option<String>,
    api: Option<String>,
    api_requester: Option<String>,
    path: Option<String>,
    skip: u64,
    times: Option<u64>,
    delay: Option<String>,
    reason: Option<i32>,
    status: Option<u16>,
    drop: Option<String>,
}

impl Wish {
    /// # Errors
    /// 400 it is about calls and requests at once, or about neither; it does nothing, or more than one thing.
    fn rule(&self) -> Result<Rule, ApiError> {
        let delay = self.delay.as_deref().map_or(Ok(Duration::ZERO), |text| {
            read_duration(text)
                .filter(|delay| *delay <= LONGEST_DELAY)
                .ok_or_else(|| bad("delay", text, "a duration of at most an hour, such as 250ms"))
        })?;
        let subject = self.subject(!delay.is_zero())?;
        Ok(Rule { subject, delay, skip: self.skip, times: self.times })
    }

    fn subject(&self, is_late: bool) -> Result<Subject, ApiError> {
        let requests = [
            (Purpose::Service, &self.service),
            (Purpose::Api, &self.api),
            (Purpose::ApiRequester, &self.api_requester),
            (Purpose::Path, &self.path),
        ];
        let mut requests = requests.into_iter().filter_map(|(purpose, name)| Some((purpose, name.as_deref()?)));
        let of_calls = [&self.qmgr, &self.queue, &self.channel, &self.verb].into_iter().any(Option::is_some);
        match (requests.next(), requests.next(), of_calls) {
            (None, _, true) => Ok(Subject::Calls(self.calls()?, self.call_fault(is_late)?)),
            (Some((purpose, name)), None, false) => {
                Ok(Subject::Requests(purpose, Pattern::new(name), self.request_fault(is_late)?))
            }
            _ => Err(wrong(
                "a rule is about calls (qmgr, queue, channel, verb) or about requests (one of service, api, apiRequester, path)",
            )),
        }
    }

    fn calls(&self) -> Result<OfCalls, ApiError> {
        let pattern = |text: &Option<String>| text.as_deref().map(Pattern::new);
        let verb = |text: &str| {
            let known: Vec<&str> = Verb::ALL.iter().map(|(_, name)| *name).collect();
            Verb::parse(text).ok_or_else(|| bad("verb", text, &format!("one of {}", known.join(", "))))
        };
        Ok(OfCalls {
            verb: self.verb.as_deref().map(verb).transpose()?,
            queue_manager: pattern(&self.qmgr),
            queue: pattern(&self.queue),
            channel: pattern(&self.channel),
        })
    }

    fn call_fault(&self, is_late: bool) -> Result<CallFault, ApiError> {
        match (self.reason, self.status, self.moment()?) {
            (Some(number), None, None) => {
                let reason = Reason::from_number(number).filter(|reason| reason.completion() != CompletionCode::Ok);
                let reason =
                    reason.ok_or_else(|| bad("reason", &number.to_string(), "the number of an MQRC, such as 2053"))?;
                Ok(CallFault::Reason(reason))
            }
            (None, None, Some(moment)) => Ok(CallFault::Drop(moment)),
            (None, None, None) if is_late => Ok(CallFault::Late),
            _ => Err(wrong(
                "a rule about calls has a delay, and at most one of reason and drop; without a delay, one of them",
            )),
        }
    }

    fn request_fault(&self, is_late: bool) -> Result<RequestFault, ApiError> {
        match (self.status, self.reason, self.moment()?) {
            (Some(status), None, None) if (400..600).contains(&status) => Ok(RequestFault::Status(status)),
            (Some(status), None, None) => Err(bad("status", &status.to_string(), "a number from 400 to 599")),
            (None, None, Some(moment)) => Ok(RequestFault::Drop(moment)),
            (None, None, None) if is_late => Ok(RequestFault::Late),
            _ => Err(wrong(
                "a rule about requests has a delay, and at most one of status and drop; without a delay, one of them",
            )),
        }
    }

    fn moment(&self) -> Result<Option<Moment>, ApiError> {
        match self.drop.as_deref() {
            None => Ok(None),
            Some("before") => Ok(Some(Moment::Before)),
            Some("after") => Ok(Some(Moment::After)),
            Some(other) => Err(bad("drop", other, "before or after")),
        }
    }
}

fn wrong(problem: &str) -> ApiError {
    ApiError::new(&error::BODY_NOT_VALID, &[problem])
}

fn add_fault(control: &TestControl, wish: &Wish) -> Result<Answer, ApiError> {
    let kept = control.faults.add(wish.rule()?).map_err(|error: TooManyRules| wrong(&error.to_string()))?;
    Ok(answer_json(StatusCode::CREATED, &shown(&kept)))
}

/// A rule in the members in which it is written, with what it has done.
fn shown(kept: &Kept) -> Value {
    let Kept { id, rule, seen, hits } = kept;
    let mut members = Map::new();
    let mut add = |name: &str, value: Value| members.insert(name.to_owned(), value);
    add("id", id.to_string().into());
    match &rule.subject {
        Subject::Calls(of, fault) => {
            for (name, pattern) in [("qmgr", &of.queue_manager), ("queue", &of.queue), ("channel", &of.channel)] {
                if let Some(pattern) = pattern {
                    add(name, pattern.as_str().into());
                }
            }
            if let Some(verb) = of.verb {
                add("verb", verb.name().into());
            }
            match fault {
                CallFault::Late => None,
                CallFault::Reason(reason) => add("reason", reason.number().into()),
                CallFault::Drop(moment) => add("drop", word(*moment).into()),
            };
        }
        Subject::Requests(purpose, pattern, fault) => {
            let name = match purpose {
                Purpose::Service => "service",
                Purpose::Api => "api",
                Purpose::ApiRequester => "apiRequester",
                Purpose::Path => "path",
            };
            add(name, pattern.as_str().into());
            match fault {
                RequestFault::Late => None,
                RequestFault::Status(status) => add("status", (*status).into()),
                RequestFault::Drop(moment) => add("drop", word(*moment).into()),
            };
        }
    }
    if !rule.delay.is_zero() {
        add("delay", write_duration(rule.delay).into());
    }
    add("skip", rule.skip.into());
    if let Some(times) = rule.times {
        add("times", times.into());
    }
    add("seen", (*seen).into());
    add("hits", (*hits).into());
    Value::Object(members)
}

fn word(moment: Moment) -> &'static str {
    match moment {
        Moment::Before => "before",
        Moment::After => "after",
    }
}

/// What is done to the clock.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Step {
    set: Option<String>,
    advance: Option<String>,
    running: Option<bool>,
}

fn clock(control: &TestControl) -> Answer {
    let (now, running) = (write_moment(control.clock.now()), control.clock.is_running());
    answer_json(StatusCode::OK, &json!({ "now": now, "running": running }))
}

fn move_clock(call: Call<'_>, control: &TestControl, step: &Step) -> Result<Answer, ApiError> {
    let set = step.set.as_deref().map(|text| {
        let near = |at: &model::timestamp::Timestamp| at.since(control.clock.now()) <= LONGEST_STEP;
        read_moment(text)
            .filter(near)
            .ok_or_else(|| bad("set", text, "a moment such as 2030-01-31T12:00:00Z, at most 100 years ahead"))
    });
    let set = set.transpose()?;
    let advance = step.advance.as_deref().map(|text| {
        let near = |by: &Duration| *by <= LONGEST_STEP;
        read_duration(text)
            .filter(near)
            .ok_or_else(|| bad("advance", text, "a duration of at most 100 years, such as 90s or 2h"))
    });
    let advance = advance.transpose()?;
    if set.is_none() && advance.is_none() && step.running.is_none() {
        return Err(wrong("one of set, advance and running says what the clock does"));
    }
    // Stopped first and started last, so that a clock that is both stopped and set shows that moment.
    if step.running == Some(false) {
        control.clock.set_running(false);
    }
    if let Some(to) = set {
        control.clock.set(to);
    }
    if let Some(by) = advance {
        control.clock.advance(by);
    }
    if step.running == Some(true) {
        control.clock.set_running(true);
    }
    call.shared.queue_managers.running().iter().for_each(queue_manager::QueueManager::clock_moved);
    call.shared.message_api.deliveries.clock_moved();
    Ok(clock(control))
}
