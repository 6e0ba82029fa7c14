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

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use crate::client::door::DoorOptions;
use crate::client::program;
use crate::error::WorkloadError;
use crate::measure::Process;
use crate::payload::PutId;
use crate::provider::RESPONSE_STEP;

pub(crate) mod door;

/// What each client does over and over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Scenario {
    /// Put a message, then get it by its correlation identifier: two requests, one transaction.
    PutGet,
    /// Put a message and leave it there.
    Put,
    /// Get whatever comes next.
    Get,
    /// Browse the first message.
    Browse,
    /// Put a request and get its reply, which a `workload responder` or any other batch server puts.
    RequestReply,
    /// `POST` a JSON request to a two-way service: its reply must be that of this request.
    Service,
    /// Have programs with a communication stub call an API requester in front of `workload provider`.
    Requester,
    /// `POST` and `GET` on fixed paths of a plain web server: what HTTP alone costs under this client.
    HttpFloor,
}

/// How clients show who they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Login {
    /// Log in once and send the LTPA cookie with every request.
    #[default]
    Ltpa,
    /// HTTP Basic with every request.
    Basic,
    /// No credentials.
    None,
}

/// Every choice that may be made in a plan file or by an option; what is absent is decided by `Plan::new`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Choices {
    pub scenario: Option<Scenario>,
    pub url: Option<String>,
    pub cacert: Option<PathBuf>,
    pub insecure: Option<bool>,
    pub login: Option<Login>,
    pub user: Option<String>,
    /// Lines of `user password`.
    pub password_file: Option<PathBuf>,
    pub queue_manager: Option<String>,
    pub queue: Option<String>,
    /// A server-connection channel, used instead of `url`.
    pub channel: Option<String>,
    /// `HOST:PORT` or a list such as `host(1414),other(1414)`.
    pub mq: Option<String>,
    /// CipherSpec of the channel; with `cacert` alone any of TLS 1.2 or higher.
    pub cipher: Option<String>,
    /// Clients that share a socket.
    pub sharing_conversations: Option<u32>,
    /// Puts are asynchronous, replies are read ahead from a queue of each client's own.
    pub streaming: Option<bool>,
    /// Where replies come.
    pub reply_queue: Option<String>,
    pub persistent: Option<bool>,
    pub clients: Option<u32>,
    pub threads: Option<usize>,
    pub think_time: Option<Span>,
    pub warmup: Option<Span>,
    pub duration: Option<Span>,
    pub request_size: Option<usize>,
    pub response_size: Option<usize>,
    pub drain: Option<bool>,
    pub post_path: Option<String>,
    pub get_path: Option<String>,
    /// JSON of a request to a service; `{id}` stands for the identifier that the reply must have somewhere.
    pub body: Option<String>,
    /// Program that calls an API requester.
    pub program: Option<PathBuf>,
    pub program_arguments: Option<Vec<String>>,
    /// Processes of the program.
    pub processes: Option<u32>,
    /// Process name to process id.
    pub pid: BTreeMap<String, u32>,
}

/// A checked plan.
pub struct Plan {
    pub scenario: Scenario,
    pub door: DoorOptions,
    pub clients: u32,
    pub threads: usize,
    pub think_time: Duration,
    pub warmup: Duration,
    pub duration: Duration,
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
    /// What stands before and behind the identifier in a request of `Scenario::Service`.
    pub body: (String, String),
    pub processes: Vec<Process>,
}

impl Choices {
    /// # Errors
    /// The file cannot be read, or is not a plan: the message names line and key.
    pub fn read(file: &Path) -> Result<Self, WorkloadError> {
        let name = file.display().to_string();
        let text =
            std::fs::read_to_string(file).map_err(|source| WorkloadError::Read { file: name.clone(), source })?;
        toml::from_str(&text).map_err(|source| WorkloadError::Parse { file: name, source: Box::new(source) })
    }

    /// These choices, and `other`'s where this says nothing.
    pub fn or(self, other: Self) -> Self {
        let mut pid = other.pid;
        pid.extend(self.pid);
        Self {
            scenario: self.scenario.or(other.scenario),
            url: self.url.or(other.url),
            cacert: self.cacert.or(other.cacert),
            insecure: self.insecure.or(other.insecure),
            login: self.login.or(other.login),
            user: self.user.or(other.user),
            password_file: self.password_file.or(other.password_file),
            queue_manager: self.queue_manager.or(other.queue_manager),
            queue: self.queue.or(other.queue),
            channel: self.channel.or(other.channel),
            mq: self.mq.or(other.mq),
            cipher: self.cipher.or(other.cipher),
            sharing_conversations: self.sharing_conversations.or(other.sharing_conversations),
            streaming: self.streaming.or(other.streaming),
            reply_queue: self.reply_queue.or(other.reply_queue),
            persistent: self.persistent.or(other.persistent),
            clients: self.clients.or(other.clients),
            threads: self.threads.or(other.threads),
            think_time: self.think_time.or(other.think_time),
            warmup: self.warmup.or(other.warmup),
            duration: self.duration.or(other.duration),
            request_size: self.request_size.or(other.request_size),
            response_size: self.response_size.or(other.response_size),
            drain: self.drain.or(other.drain),
            post_path: self.post_path.or(other.post_path),
            get_path: self.get_path.or(other.get_path),
            body: self.body.or(other.body),
            program: self.program.or(other.program),
            program_arguments: self.program_arguments.or(other.program_arguments),
            processes: self.processes.or(other.processes),
            pid,
        }
    }
}

impl Plan {
    /// Checks the choices and fills in what they leave open.
    ///
    /// # Errors
    /// A value out of range, a missing one, or one that has no meaning in the scenario.
    pub fn new(choices: Choices) -> Result<Self, WorkloadError> {
        let scenario = choices.scenario.ok_or_else(|| {
            bad("scenario", "name one: put-get, put, get, browse, request-reply, service, requester or http-floor")
        })?;
        let clients = in_range("clients", choices.clients.unwrap_or(10), 1, 100_000)?;
        let threads = in_range("threads", choices.threads.unwrap_or_else(default_threads), 1, 256)?;
        let body = body(scenario, choices.body.as_deref())?;
        if scenario == Scenario::Service && choices.post_path.is_none() {
            return Err(bad("post_path", "is missing: where the service is invoked"));
        }
        let request_size = request_size(scenario, choices.request_size)?;
        let response_size = response_size(scenario, choices.response_size)?;
        let duration = choices.duration.map_or(Duration::from_secs(30), |span| span.0);
        if duration.is_zero() {
            return Err(bad("duration", "must be longer than zero"));
        }
        Ok(Self {
            scenario,
            door: door::door_options(scenario, clients, &choices)?,
            clients,
            threads: threads.min(clients as usize),
            think_time: choices.think_time.unwrap_or_default().0,
            warmup: choices.warmup.map_or(Duration::from_secs(5), |span| span.0),
            duration,
            request_size,
            response_size,
            drain: choices.drain.unwrap_or(false),
            post_path: choices.post_path.unwrap_or_else(|| "/noop".to_owned()),
            get_path: choices.get_path.unwrap_or_else(|| "/".to_owned()),
            body,
            processes: choices.pid.into_iter().map(|(name, pid)| Process { name, pid, with_children: false }).collect(),
        })
    }
}

/// Half the processors: the other half is the server's.
fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| (cores.get() / 2).max(1))
}

/// An order of `Scenario::Requester` has a size of its own.
fn request_size(scenario: Scenario, wanted: Option<usize>) -> Result<usize, WorkloadError> {
    match (scenario, wanted) {
        (Scenario::Requester, None) => Ok(program::ORDER_BYTES),
        (Scenario::Requester, Some(_)) => Err(bad("request_size", "has no meaning in requester")),
        (_, wanted) => {
            let least = if scenario == Scenario::HttpFloor { 0 } else { PutId::LENGTH };
            in_range("request_size", wanted.unwrap_or(1024), least, 100 << 20)
        }
    }
}

fn response_size(scenario: Scenario, wanted: Option<usize>) -> Result<Option<usize>, WorkloadError> {
    match (scenario, wanted) {
        (Scenario::Requester, size) => {
            let size = in_range("response_size", size.unwrap_or(8192), 0, 100 << 20)?;
            match size % RESPONSE_STEP {
                0 => Ok(Some(size)),
                _ => Err(bad("response_size", format!("has to be a multiple of {RESPONSE_STEP} in requester"))),
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
        (Scenario::Service, None) => Err(bad("body", "is missing: the JSON of a request, with {id} in it")),
        (_, Some(_)) => Err(bad("body", "has a meaning in scenario service only")),
        (_, None) => Ok(<(String, String)>::default()),
    }
}

fn bad(key: &'static str, problem: impl Into<String>) -> WorkloadError {
    WorkloadError::Plan { key, problem: problem.into() }
}

fn in_range<T: PartialOrd + std::fmt::Display>(
    key: &'static str,
    value: T,
    least: T,
    most: T,
) -> Result<T, WorkloadError> {
    if value < least || value > most {
        return Err(bad(key, format!("{value} is not between {least} and {most}")));
    }
    Ok(value)
}

/// A length of time as people write it: `200ms`, `1.5s`, `2m`, `1h`; a bare number is seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Span(pub Duration);

impl TryFrom<String> for Span {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl std::str::FromStr for Span {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        let seconds_per_unit = match unit {
            "us" => 1e-6,
            "ms" => 1e-3,
            "" | "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            _ => return Err(span_error(text)),
        };
        let number: f64 = number.parse().map_err(|_| span_error(text))?;
        Duration::try_from_secs_f64(number * seconds_per_unit).map(Self).map_err(|_| span_error(text))
    }
}

fn span_error(text: &str) -> String {
    format!("'{text}' is not a length of time such as 200ms, 30s or 2m")
}

#[cfg(test)]
mod tests;
