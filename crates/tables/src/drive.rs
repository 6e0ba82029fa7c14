//! The one place that speaks to the load driver: what a load is, one run of it, and the command line that makes the same run.
//!
//! The driver's clients live in this process; their processor time is shown and never counted as the server's.

use std::time::Duration;

use serde_json::Value;
use workload::plan::{Choices, Span};
use workload::{Plan, Report};

use crate::error::TablesError;
use crate::setting::metrics::Metrics;
use crate::setting::server::Server;

/// Under which name the server of a load is counted.
pub const SERVER: &str = "server";
/// Under which name the load driver counts itself.
const DRIVER: &str = "driver";
const COMMAND_SECONDS: &str = "quaymaster_command_cpu_seconds_total";
const COMMANDS: &str = "quaymaster_commands_total";

/// When measuring ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Length {
    /// After a part of the experiment's time.
    Time,
    /// After so many transactions in a full run, and so many in a quick one.
    Requests { full: u64, quick: u64 },
}

/// One point of a table: what clients do, against what.
#[derive(Debug, Clone)]
pub struct Load {
    /// For the progress bar and failures.
    pub name: String,
    pub choices: Choices,
    pub length: Length,
    /// Warm-up in transactions instead of time.
    pub warmup_requests: Option<u64>,
    /// `HOST:PORT` of the metrics that tell the processor time of commands.
    metrics: Option<String>,
    /// Parts of the command line that are shown by a name: temporary folders, ports, process ids.
    shown: Vec<(String, String)>,
    /// The figure whose spread decides how often it is repeated.
    pub main: Figure,
}

/// A figure of one run, where it has it.
pub type Figure = fn(&Run) -> Option<f64>;

/// One run of a load.
#[derive(Debug, Clone)]
pub struct Run {
    pub report: Report,
    /// Processor time of one administrative command in ms, where the server counts it.
    pub command_ms: Option<f64>,
}

impl Load {
    /// `choices` beside those that lead to the server over HTTPS, as user `admin`.
    pub fn on(server: &Server, name: impl Into<String>, choices: Choices) -> Result<Self, TablesError> {
        let url = server.https_url()?;
        let data = server.data().display().to_string();
        let leading = Choices {
            url: Some(url.clone()),
            cacert: Some(server.cacert()),
            user: Some("admin".to_owned()),
            password_file: Some(server.password_file()),
            pid: [(SERVER.to_owned(), server.pid())].into(),
            ..Choices::default()
        };
        Ok(Self {
            name: name.into(),
            choices: choices.or(leading),
            length: Length::Time,
            warmup_requests: None,
            metrics: Some(server.metrics_address()?.to_owned()),
            shown: vec![
                (url, "$URL".to_owned()),
                (data, "$DATA".to_owned()),
                (format!("{SERVER}={}", server.pid()), format!("{SERVER}=$PID")),
            ],
            main: |run| run.cpu_ms(SERVER),
        })
    }

    /// A load that leads anywhere: the choices are complete.
    pub fn new(name: impl Into<String>, choices: Choices) -> Self {
        Self {
            name: name.into(),
            choices,
            length: Length::Time,
            warmup_requests: None,
            metrics: None,
            shown: Vec::new(),
            main: |run| run.cpu_ms(SERVER),
        }
    }

    #[must_use]
    pub fn lasting(mut self, length: Length) -> Self {
        self.length = length;
        self
    }

    #[must_use]
    pub fn warmed_up_by(mut self, requests: u64) -> Self {
        self.warmup_requests = Some(requests);
        self
    }

    /// Repeated until this figure's spread is small.
    #[must_use]
    pub fn judged_by(mut self, main: Figure) -> Self {
        self.main = main;
        self
    }

    /// Shows `text` of the command line as `name`.
    #[must_use]
    pub fn showing(mut self, text: impl Into<String>, name: impl Into<String>) -> Self {
        self.shown.push((text.into(), name.into()));
        self
    }

    /// The choices of one run.
    pub fn settled(&self, quick: bool, time: Duration, warmup: Duration) -> Choices {
        let mut choices = self.choices.clone();
        if choices.duration.is_none() && choices.requests.is_none() {
            match self.length {
                Length::Time => choices.duration = Some(Span(time)),
                Length::Requests { full, quick: few } => choices.requests = Some(if quick { few } else { full }),
            }
        }
        let has_warmup =
            choices.warmup.is_some() || choices.warmup_requests.is_some() || choices.warmup_steady.is_some();
        if !has_warmup {
            match self.warmup_requests {
                Some(count) => choices.warmup_requests = Some(count),
                None => choices.warmup = Some(Span(warmup)),
            }
        }
        choices
    }

    /// Runs it once.
    ///
    /// # Errors
    /// It cannot be begun: the server is not there, or refuses the clients.
    pub fn run(&self, choices: Choices) -> Result<Run, TablesError> {
        let before = self.read_metrics()?;
        let mut plan = Plan::new(choices)?;
        // The experiment has a bar of its own.
        plan.quiet = true;
        let report = workload::run(&plan)?;
        // A server that has ended meanwhile tells nothing more; the report has the errors.
        let after = self.read_metrics().ok().flatten();
        Ok(Run { report, command_ms: command_ms(before, after) })
    }

    fn read_metrics(&self) -> Result<Option<Metrics>, TablesError> {
        self.metrics.as_deref().map(Metrics::read).transpose()
    }

    /// `quaymaster workload run …` with everything that was chosen.
    pub fn command(&self, choices: &Choices) -> String {
        let mut command = command_line(choices);
        for (text, name) in &self.shown {
            command = command.replace(text, name);
        }
        command
    }
}

impl Run {
    /// Processor time of a transaction in ms, of the process or group of this name.
    pub fn cpu_ms(&self, name: &str) -> Option<f64> {
        self.report.process(name)?.cpu_ms_per_transaction
    }

    /// Of one processor, in percent.
    pub fn cpu_percent(&self, name: &str) -> Option<f64> {
        Some(self.report.process(name)?.cpu_percent)
    }

    /// Processor time of the load driver itself, for a transaction, in ms.
    pub fn driver_ms(&self) -> Option<f64> {
        self.cpu_ms(DRIVER)
    }

    /// Mean time of a transaction, in ms.
    pub fn mean_ms(&self) -> Option<f64> {
        Some(self.report.response_time.mean_us / 1e3)
    }

    /// Transactions a second.
    pub fn rate(&self) -> Option<f64> {
        Some(self.report.transactions_per_second)
    }

    /// Content of the answers to a transaction, in bytes.
    pub fn answer_bytes(&self) -> Option<f64> {
        Some(self.report.received_bytes_per_transaction)
    }
}

/// Processor time of one command in ms, over all commands of a run, those of its warm-up included.
fn command_ms(before: Option<Metrics>, after: Option<Metrics>) -> Option<f64> {
    let (before, after) = (before?, after?);
    let grown = |name: &str| Some(after.sum(name, "")? - before.sum(name, "").unwrap_or_default());
    let (seconds, commands) = (grown(COMMAND_SECONDS)?, grown(COMMANDS)?);
    (commands > 0.0).then(|| seconds * 1e3 / commands)
}

/// Every choice as an option.
fn command_line(choices: &Choices) -> String {
    let mut words = vec!["quaymaster workload run".to_owned()];
    let Ok(Value::Object(all)) = serde_json::to_value(choices) else { return words.remove(0) };
    // Where the driver's own program is, is no option.
    for (key, value) in all.iter().filter(|(key, _)| *key != "driver") {
        let flag = flag(key);
        match value {
            // The one choice of yes and no whose option takes a value.
            Value::Bool(choice) if key == "tls_resumption" => words.push(format!("--{flag} {choice}")),
            Value::Bool(true) => words.push(format!("--{flag}")),
            Value::Array(items) => {
                words.extend(items.iter().map(|item| format!("--{flag} {}", quoted(&plain(item)))));
            }
            Value::Object(members) => {
                words.extend(members.iter().map(|(name, value)| format!("--pid {name}={}", group(value))));
            }
            Value::Bool(false) | Value::Null => {}
            other => words.push(format!("--{flag} {}", quoted(&plain(other)))),
        }
    }
    words.join(" ")
}

/// Options are named as keys are, lists by one of their elements.
fn flag(key: &str) -> String {
    match key {
        "paths" => "path".to_owned(),
        "program_arguments" => "program-argument".to_owned(),
        "queue_manager" => "qmgr".to_owned(),
        _ => key.replace('_', "-"),
    }
}

/// A process, or a group of processes or threads, as `--pid` takes it.
fn group(value: &Value) -> String {
    match (&value["pid"], &value["threads"], value["children"] == true) {
        (Value::Null, ..) => plain(value),
        (pid, Value::String(threads), _) => format!("{pid}/{threads}"),
        (pid, _, true) => format!("{pid}+children"),
        (pid, ..) => pid.to_string(),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// For a shell.
fn quoted(text: &str) -> String {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+$".contains(c);
    match !text.is_empty() && text.chars().all(is_safe) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests;
