//! One run: clients shared out over a few threads or over processes, a warm-up, a measured time, and the verdict.
//!
//! Each thread has a current-thread runtime and its own histogram; clients meet only in the ledger, each under its own
//! lock. The calling thread keeps the time and reads the processes' counters at both ends of the measured time.
//!
//! Every wait has a bound: a server that dies or stands still costs errors and never the end of the run.

mod client;
mod control;
mod crew;
mod elsewhere;
mod pace;
mod settle;
mod tally;
mod users;
mod window;
pub(crate) mod worker;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::{HeaderValue, Uri};

use self::control::Control;
use self::crew::{Crew, Threads};
use self::elsewhere::Elsewhere;
use self::pace::Pace;
use self::tally::Tally;
use self::users::Users;
use self::window::Measured;
use crate::delay::Delay;
use crate::error::WorkloadError;
use crate::ledger::{Ledger, Verdict};
use crate::payload::{Payload, PutId};
use crate::plan::{Administration, Lives, Plan, Scenario};
use crate::report::{Judgement, Report};

/// What all clients of a run share.
pub(crate) struct Shared {
    control: Arc<Control>,
    ledger: Ledger,
    payload: Payload,
    /// Size of bodies that have no room for an identifier.
    short: Option<usize>,
    /// What comes back.
    expected: Payload,
    scenario: Scenario,
    think_time: Duration,
    pace: Option<Arc<Pace>>,
    post_path: Uri,
    get_path: Uri,
    administration: Administration,
    body: (String, String),
    content_type: HeaderValue,
    /// Bytes that `Scenario::Requester` asks for.
    wanted: usize,
    clients: u32,
    seed: u64,
    /// Where transactions are carried out, when each has a process of its own.
    elsewhere: Option<Elsewhere>,
    /// By which identifier to look for replies that have not come, where only the server's answer to the put tells.
    late: Mutex<HashMap<PutId, String>>,
    /// What the ledgers of such processes said.
    verdicts: Mutex<Option<Verdict>>,
}

/// Carries the plan out once. Blocks until the end; call it outside of any async runtime.
///
/// # Errors
/// A client that cannot connect or log in at the start, or a process that cannot be measured.
pub fn run(plan: &Plan) -> Result<Report, WorkloadError> {
    let delay = match plan.latency.is_zero() {
        true => None,
        false => Some(Delay::start(plan.door.address()?, plan.latency)?),
    };
    let through = delay.as_ref().map(Delay::address);
    let shared = Arc::new(Shared::new(plan, through)?);
    let mut crew = match &plan.lives {
        Lives::User(program) => Crew::Users(Users::start(plan, program, through)?),
        Lives::Here | Lives::Request(_) => Crew::Threads(Threads::start(plan, &shared, through)?),
    };
    let measured = window::keep(plan, &mut crew, delay.is_some());
    let behind = shared.pace.as_ref().map(|pace| pace.behind());
    let (mut tally, of_users) = crew.finish()?;
    let measured = measured?;
    let behind = behind.map(|behind| plan.not_begun(behind, tally.ended()));
    let verdict = match &plan.lives {
        Lives::Here => shared.ledger.verdict(settle::settle(plan, &shared, through, &mut tally)),
        Lives::User(_) => of_users.unwrap_or_default(),
        Lives::Request(_) => shared.verdicts.lock().unwrap_or_else(PoisonError::into_inner).clone().unwrap_or_default(),
    };
    let judgement = match verdict.is_clean() {
        false => Judgement::Broken,
        true if verdict.lost.is_none() && settle::is_due(plan) => Judgement::NotExamined,
        true if tally.completed() == 0 => Judgement::NothingDone,
        true => Judgement::Clean,
    };
    Ok(report(plan, tally, measured, verdict, judgement, behind))
}

impl Shared {
    fn new(plan: &Plan, through: Option<std::net::SocketAddr>) -> Result<Self, WorkloadError> {
        let path = |key, path: &str| {
            Uri::try_from(path).map_err(|_| WorkloadError::Plan { key, problem: format!("'{path}' is not a path") })
        };
        Ok(Self {
            ledger: Ledger::new(rand::random(), plan.clients),
            payload: Payload::new(plan.request_size),
            short: Some(plan.request_size)
                .filter(|size| *size < PutId::LENGTH && plan.scenario == Scenario::RequestReply),
            expected: Payload::new(plan.response_size.unwrap_or(plan.request_size)),
            scenario: plan.scenario,
            think_time: plan.think_time,
            pace: plan.rate.map(|rate| Arc::new(Pace::new(rate))),
            post_path: path("post_path", &plan.post_path)?,
            get_path: path("get_path", &plan.get_path)?,
            administration: plan.administration.clone(),
            body: plan.body.clone(),
            content_type: plan.content_type.clone(),
            wanted: plan.response_size.unwrap_or_default(),
            clients: plan.clients,
            seed: plan.seed,
            elsewhere: match &plan.lives {
                Lives::Request(program) => Some(Elsewhere::new(plan, program, through)?),
                Lives::Here | Lives::User(_) => None,
            },
            late: Mutex::default(),
            verdicts: Mutex::default(),
            control: Arc::new(Control::new()),
        })
    }

    fn add_late(&self, id: PutId, selector: String) {
        self.late.lock().unwrap_or_else(PoisonError::into_inner).insert(id, selector);
    }

    fn late_selector(&self, id: PutId) -> Option<String> {
        self.late.lock().unwrap_or_else(PoisonError::into_inner).get(&id).cloned()
    }

    /// Of a ledger that is not here.
    fn add_verdict(&self, verdict: Verdict) {
        let mut sum = self.verdicts.lock().unwrap_or_else(PoisonError::into_inner);
        *sum = Some(Verdict::merged(sum.take(), verdict));
    }
}

pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, WorkloadError> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(WorkloadError::Thread)
}

fn report(
    plan: &Plan,
    tally: Tally,
    measured: Measured,
    verdict: Verdict,
    judgement: Judgement,
    behind: Option<u64>,
) -> Report {
    let transactions = tally.times.count();
    #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 transactions and bytes")]
    let (count, received) = (transactions as f64, tally.received as f64);
    let mut processes = measured.processes;
    for process in &mut processes {
        process.cpu_ms_per_transaction = (transactions > 0 && !process.ended).then(|| process.cpu_ms / count);
    }
    Report {
        scenario: plan.scenario.name(),
        clients: plan.clients,
        request_size: plan.request_size,
        seconds: measured.seconds,
        transactions,
        transactions_per_second: count / measured.seconds,
        response_time: tally.times.summary(),
        percentiles: tally.times.buckets(),
        errors: tally.errors,
        first_error: tally.first_error,
        empty: tally.empty,
        received_bytes: tally.received,
        received_bytes_per_transaction: if transactions > 0 { received / count } else { 0.0 },
        rate: plan.rate,
        not_begun: behind,
        warm_up: measured.warm_up,
        processes,
        machine_busy_percent: measured.machine_busy_percent,
        client_limit: measured.client_limit,
        verdict,
        judgement,
    }
}
