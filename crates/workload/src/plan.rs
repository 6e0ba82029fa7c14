//! What a run does: read from a TOML plan, then from options, which win. Checked once, here.
//!
//! ```toml
//! scenario = "put-get"
//! url = "https://127.0.0.1:9443"
//! cacert = "quaymaster-data/tls/ca.crt"
//! user = "app"
//! password_file = "quaymaster-data/initial-passwords"
//! clients = 10
//! duration = "30s"
//! [pid]
//! server = 4711
//! ```

use std::path::PathBuf;
use std::time::Duration;

use http::HeaderValue;

use crate::client::door::DoorOptions;
use crate::client::program;
use crate::error::WorkloadError;
use crate::payload::PutId;
use crate::processor::Process;
use crate::provider::RESPONSE_STEP;

pub(crate) mod administration;
mod choices;
pub(crate) mod door;
mod kinds;
mod span;
pub(crate) mod watched;

pub use self::administration::{Administration, Change};
pub use self::choices::{Choices, STEADY_PERCENT};
pub use self::kinds::{Connection, Csrf, Frequency, Group, Login, Processes, Scenario};
pub use self::span::Span;

/// Longest that a run may take where a number of transactions ends a part of it.
const LONGEST: Duration = Duration::from_secs(3600);
/// Longest warm-up until the rate is steady.
const STEADY_LIMIT: Duration = Duration::from_secs(60);

/// A checked plan.
pub struct Plan {
    pub scenario: Scenario,
    pub door: DoorOptions,
    pub clients: u32,
    pub threads: usize,
    pub think_time: Duration,
    /// Transactions to start per second, independent of the server.
    pub rate: Option<f64>,
    pub warm_up: WarmUp,
    pub end: End,
    /// How often the whole is done: from 1.
    pub repetitions: u32,
    /// Round trip of the network that is imitated.
    pub latency: Duration,
    pub seed: u64,
    /// Length of a put's body in bytes.
    pub request_size: usize,
    /// Length of a reply's body in bytes, where there are replies.
    pub response_size: Option<usize>,
    /// After the run, get everything that is still on the queue, so that the verdict covers it.
    pub drain: bool,
    /// Of `Scenario::HttpFloor` and `Scenario::Service`.
    pub post_path: String,
    /// Of `Scenario::HttpFloor`.
    pub get_path: String,
    /// Of `Scenario::Administration`.
    pub administration: Administration,
    /// What stands before and behind the identifier in a request of `Scenario::Service`.
    pub body: (String, String),
    /// Of it: media type.
    pub content_type: HeaderValue,
    pub processes: Vec<Process>,
    pub lives: Lives,
    /// Draws no progress bar, for callers that have one of their own.
    pub quiet: bool,
    /// What the plan was made of, with the defaults of what it leaves open.
    pub choices: Choices,
}

/// What comes before measuring.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum WarmUp {
    Time(Duration),
    /// So many transactions, and this long at most.
    Requests(u64, Duration),
    /// Until the rates of three windows differ by so many percent at most, and this long at most.
    Steady(f64, Duration),
}

/// What ends measuring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Time(Duration),
    /// Exactly so many transactions, and this long at most.
    Requests(u64, Duration),
}

/// Where clients live.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lives {
    /// In this process, on a few threads.
    Here,
    /// In a process of the driver each; its program.
    User(PathBuf),
    /// In a new process of the driver for each transaction; its program.
    Request(PathBuf),
}

impl Plan {
    /// Checks the choices and fills in what they leave open.
    ///
    /// # Errors
    /// A value out of range, a missing one, or one that has no meaning in the scenario.
    pub fn new(choices: Choices) -> Result<Self, WorkloadError> {
        let scenario = choices.scenario.ok_or_else(|| bad("scenario", SCENARIOS))?;
        refuse_others_keys(scenario, &choices)?;
        let clients = in_range("clients", choices.clients.unwrap_or(10), 1, 100_000)?;
        let threads = in_range("threads", choices.threads.unwrap_or_else(default_threads), 1, 256)?;
        if scenario == Scenario::Service && choices.post_path.is_none() {
            return Err(bad("post_path", "is missing: where the service is invoked"));
        }
        let think_time = choices.think_time.unwrap_or_default().0;
        let mut plan = Self {
            scenario,
            door: door::door_options(scenario, clients, &choices)?,
            clients,
            threads: threads.min(clients as usize),
            think_time,
            rate: rate(&choices)?,
            warm_up: warm_up(&choices)?,
            end: end(&choices)?,
            repetitions: in_range("repetitions", choices.repetitions.unwrap_or(1), 1, 1000)?,
            latency: latency(scenario, &choices)?,
            seed: choices.seed.unwrap_or_else(rand::random),
            request_size: request_size(scenario, choices.request_size)?,
            response_size: response_size(scenario, choices.response_size)?,
            drain: choices.drain.unwrap_or(false),
            post_path: choices.post_path.clone().unwrap_or_else(|| "/noop".to_owned()),
            get_path: choices.get_path.clone().unwrap_or_else(|| "/".to_owned()),
            administration: Administration::new(scenario, &choices)?,
            body: body(scenario, choices.body.as_deref())?,
            content_type: content_type(&choices)?,
            processes: watched::processes(&choices)?,
            lives: lives(&choices)?,
            quiet: false,
            choices: Choices::default(),
        };
        plan.choices = plan.settled(choices);
        Ok(plan)
    }

    /// Of `behind` transactions that were due and have not begun, those that this plan wanted after `ended` ones.
    pub(crate) fn not_begun(&self, behind: u64, ended: u64) -> u64 {
        match self.end {
            End::Requests(count, _) => behind.min(count.saturating_sub(ended)),
            End::Time(_) => behind,
        }
    }

    /// The choices with what was decided for those that were not made.
    fn settled(&self, choices: Choices) -> Choices {
        let (mut warmup, mut duration) = (None, None);
        if let WarmUp::Time(length) = self.warm_up {
            warmup = Some(Span(length));
        }
        if let End::Time(length) = self.end {
            duration = Some(Span(length));
        }
        choices.or(Choices {
            clients: Some(self.clients),
            threads: Some(self.threads),
            think_time: Some(Span(self.think_time)),
            warmup,
            duration,
            repetitions: Some(self.repetitions),
            latency: Some(Span(self.latency)),
            seed: Some(self.seed),
            request_size: Some(self.request_size).filter(|_| self.scenario.has_request_size()),
            response_size: self.response_size,
            drain: Some(self.drain),
            ..self.door.settled()
        })
    }
}

const SCENARIOS: &str =
    "name one: put-get, put, get, browse, request-reply, service, requester, http-floor or administration";

/// Keys that would do nothing in this scenario, or empty a queue that it has nothing to do with.
fn refuse_others_keys(scenario: Scenario, choices: &Choices) -> Result<(), WorkloadError> {
    let posts = matches!(scenario, Scenario::Service | Scenario::HttpFloor | Scenario::Administration);
    let keys = [
        ("get_path", choices.get_path.is_some(), scenario == Scenario::HttpFloor, "http-floor"),
        ("post_path", choices.post_path.is_some(), posts, "service, http-floor and administration"),
        ("content_type", choices.content_type.is_some(), scenario == Scenario::Service, "service"),
        (
            "request_size",
            choices.request_size.is_some(),
            scenario.has_request_size(),
            "put-get, put, request-reply and http-floor",
        ),
        ("drain", choices.drain == Some(true), scenario.has_queue(), "put-get, put, get, browse and request-reply"),
    ];
    match keys.into_iter().find(|(_, is_given, has_meaning, _)| *is_given && !has_meaning) {
        Some((key, _, _, scenarios)) => Err(bad(key, format!("has a meaning in {scenarios} only"))),
        None => Ok(()),
    }
}

/// Half the processors: the other half is the server's.
fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| (cores.get() / 2).max(1))
}

fn rate(choices: &Choices) -> Result<Option<f64>, WorkloadError> {
    let Some(rate) = choices.rate else { return Ok(None) };
    if choices.think_time.is_some_and(|time| !time.0.is_zero()) {
        return Err(bad("rate", "cannot stand beside think_time: the rate says when transactions begin"));
    }
    in_range("rate", rate, 0.001, 1e6).map(Some)
}

fn warm_up(choices: &Choices) -> Result<WarmUp, WorkloadError> {
    let at_most = choices.warmup.map(|span| span.0);
    match (choices.warmup_requests, choices.warmup_steady) {
        (Some(_), Some(_)) => Err(bad("warmup_steady", "cannot stand beside warmup_requests")),
        (Some(count), None) => Ok(WarmUp::Requests(count, at_most.unwrap_or(LONGEST))),
        (None, Some(percent)) => {
            let percent = in_range("warmup_steady", percent, 0.1, 50.0)?;
            Ok(WarmUp::Steady(percent, at_most.unwrap_or(STEADY_LIMIT)))
        }
        (None, None) => Ok(WarmUp::Time(at_most.unwrap_or(Duration::from_secs(5)))),
    }
}

fn end(choices: &Choices) -> Result<End, WorkloadError> {
    let duration = choices.duration.map(|span| span.0);
    if duration.is_some_and(|length| length.is_zero()) {
        return Err(bad("duration", "must be longer than zero"));
    }
    match choices.requests {
        Some(count) => {
            let count = in_range("requests", count, 1, 1_000_000_000)?;
            Ok(End::Requests(count, duration.unwrap_or(LONGEST)))
        }
        None => Ok(End::Time(duration.unwrap_or(Duration::from_secs(30)))),
    }
}

fn latency(scenario: Scenario, choices: &Choices) -> Result<Duration, WorkloadError> {
    let latency = choices.latency.unwrap_or_default().0;
    if scenario == Scenario::Requester && !latency.is_zero() {
        return Err(bad("latency", "has no meaning in requester: its programs connect by themselves"));
    }
    if latency > Duration::from_secs(10) {
        return Err(bad("latency", "is longer than 10s"));
    }
    Ok(latency)
}

fn lives(choices: &Choices) -> Result<Lives, WorkloadError> {
    let program = || match &choices.driver {
        Some(path) => Ok(path.clone()),
        None => std::env::current_exe().map_err(|error| bad("driver", format!("cannot tell where it is: {error}"))),
    };
    let are_drivers = matches!(choices.processes, Some(Processes::User | Processes::Request));
    if are_drivers && (choices.rate.is_some() || choices.warmup_steady.is_some()) {
        return Err(bad("processes", "'user' and 'request' cannot stand beside rate and warmup_steady"));
    }
    Ok(match choices.processes {
        Some(Processes::User) => Lives::User(program()?),
        Some(Processes::Request) => Lives::Request(program()?),
        Some(Processes::Count(_)) | None => Lives::Here,
    })
}

/// An order of `Scenario::Requester` has a size of its own.
fn request_size(scenario: Scenario, wanted: Option<usize>) -> Result<usize, WorkloadError> {
    let least = match scenario {
        Scenario::Requester => return Ok(program::ORDER_BYTES),
        Scenario::HttpFloor => 0,
        // A reply is known by its request's identifier.
        Scenario::RequestReply => 1,
        _ => PutId::LENGTH,
    };
    in_range("request_size", wanted.unwrap_or(1024), least, 100 << 20)
}

fn response_size(scenario: Scenario, wanted: Option<usize>) -> Result<Option<usize>, WorkloadError> {
    match (scenario, wanted) {
        (Scenario::Requester, size) => {
            let size = in_range("response_size", size.unwrap_or(8192), 0, 100 << 20)?;
            match size % RESPONSE_STEP {
                0 => Ok(Some(size)),
                _ => Err(bad("response_size", format!("must be a multiple of {RESPONSE_STEP} in requester"))),
            }
        }
        (Scenario::RequestReply, size) => {
            in_range("response_size", size.unwrap_or(1024), PutId::LENGTH, 100 << 20).map(Some)
        }
        (_, None) => Ok(None),
        (_, Some(_)) => {
            Err(bad("response_size", "has a meaning in request-reply and requester only: the others ask for nothing"))
        }
    }
}

fn body(scenario: Scenario, wanted: Option<&str>) -> Result<(String, String), WorkloadError> {
    match (scenario, wanted) {
        (Scenario::Service, Some(body)) => {
            let (before, behind) = body.split_once("{id}").ok_or_else(|| bad("body", "has no {id}"))?;
            Ok((before.to_owned(), behind.to_owned()))
        }
        (Scenario::Service, None) => Err(bad("body", "is missing: what a request sends, with {id} in it")),
        (_, Some(_)) if scenario != Scenario::Administration => {
            Err(bad("body", "has a meaning in scenario service and administration only"))
        }
        (_, _) => Ok(<(String, String)>::default()),
    }
}

fn content_type(choices: &Choices) -> Result<HeaderValue, WorkloadError> {
    let wanted = choices.content_type.as_deref().unwrap_or("application/json");
    HeaderValue::from_str(wanted).map_err(|_| bad("content_type", "is no value of a header"))
}

fn bad(key: &'static str, problem: impl Into<String>) -> WorkloadError {
    WorkloadError::Plan { key, problem: problem.into() }
}

fn in_range<T: PartialOrd + Copy + std::fmt::Display>(
    key: &'static str,
    value: T,
    least: T,
    most: T,
) -> Result<T, WorkloadError> {
    // What is no number lies in no range.
    if !(least..=most).contains(&value) {
        return Err(bad(key, format!("{value} is not between {least} and {most}")));
    }
    Ok(value)
}

#[cfg(test)]
mod tests;
