//! The options of `workload run`, `workload responder` and `workload provider`, for the program that wires them.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use model::name::QueueName;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use crate::batch;
use crate::error::WorkloadError;
use crate::outcome::Outcome;
use crate::plan::{
    Choices, Connection, Csrf, Frequency, Group, Login, Plan, Processes, STEADY_PERCENT, Scenario, Span, door,
};
use crate::provider::{self, ProviderArguments};
use crate::responder::{self, Counts, ProgramArguments, ResponderPlan};
use crate::run::worker;

/// Runs clients against a server and reports rate, response times, errors and the ledger's verdict.
#[derive(Debug, Clone, clap::Args)]
pub struct Arguments {
    /// Plan file (TOML). Options override it.
    #[arg(value_name = "PLAN.toml", required_unless_present_any = ["scenario", "worker"])]
    pub plan: Option<PathBuf>,
    /// Transaction that each client repeats.
    #[arg(long, value_enum)]
    pub scenario: Option<Scenario>,
    /// Number of clients, 1 to 100000, each with its own connection [default: 10].
    #[arg(long, value_name = "N")]
    pub clients: Option<u32>,
    /// Threads that share the clients, 1 to 256 [default: half the processors].
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Pause of a client between transactions, such as 200ms [default: none].
    #[arg(long, value_name = "TIME")]
    pub think_time: Option<Span>,
    #[command(flatten)]
    pub course: CourseArguments,
    /// Length of a put's body in bytes [default: 1024].
    #[arg(long, value_name = "N")]
    pub request_size: Option<usize>,
    /// Length of a reply in bytes: as set for the responder in request-reply [default: 1024], of the requested entries
    /// in requester [default: 8192].
    #[arg(long, value_name = "N")]
    pub response_size: Option<usize>,
    /// URL of the server [default: https://127.0.0.1:9443].
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    #[command(flatten)]
    pub http: HttpArguments,
    #[command(flatten)]
    pub channel: ChannelArguments,
    /// MQCONN and MQDISC: once per client, or in every transaction [default: once].
    #[arg(long, value_enum, requires = "channel")]
    pub connect: Option<Frequency>,
    /// MQOPEN and MQCLOSE: once per connection, or in every transaction [default: once].
    #[arg(long, value_enum, requires = "channel")]
    pub open: Option<Frequency>,
    /// Whether a new TLS connection may resume an earlier session [default: true].
    #[arg(long, value_name = "BOOL")]
    pub tls_resumption: Option<bool>,
    /// Reply queue in request-reply [default: DEV.QUEUE.2].
    #[arg(long, value_name = "NAME")]
    pub reply_queue: Option<String>,
    /// PEM file of trusted certificates.
    #[arg(long, value_name = "FILE")]
    pub cacert: Option<PathBuf>,
    /// Trust any certificate; only for loopback addresses.
    #[arg(long)]
    pub insecure: bool,
    /// How clients authenticate [default: ltpa]. 'every' logs in for each transaction.
    #[arg(long, value_enum)]
    pub login: Option<Login>,
    /// User for the login [default: app; admin in administration].
    #[arg(long)]
    pub user: Option<String>,
    /// File with lines 'USER PASSWORD', such as DIR/initial-passwords.
    #[arg(long, value_name = "FILE")]
    pub password_file: Option<PathBuf>,
    /// Queue manager [default: QM1].
    #[arg(long = "qmgr", value_name = "NAME")]
    pub queue_manager: Option<String>,
    /// Queue [default: DEV.QUEUE.1].
    #[arg(long, value_name = "NAME")]
    pub queue: Option<String>,
    /// Put persistent messages.
    #[arg(long)]
    pub persistent: bool,
    /// Get all messages from the queue after the run, so that the verdict includes them.
    #[arg(long)]
    pub drain: bool,
    /// Path of the POST: in http-floor [default: /noop], of the service in service, after the GETs in administration.
    #[arg(long, value_name = "PATH")]
    pub post_path: Option<String>,
    /// Path of the GET in scenario http-floor [default: /].
    #[arg(long, value_name = "PATH")]
    pub get_path: Option<String>,
    /// JSON body of the POST. In service, {id} is replaced by the identifier that the reply must contain. In
    /// administration, {n} is replaced by the number of the client's transaction.
    #[arg(long, value_name = "JSON")]
    pub body: Option<String>,
    /// Program of scenario requester. It reads orders and calls an API requester for each, as examples/api-requester
    /// does.
    #[arg(long, value_name = "PATH")]
    pub program: Option<PathBuf>,
    /// Argument of the program; may be repeated.
    #[arg(long, value_name = "TEXT", requires = "program", allow_hyphen_values = true)]
    pub program_argument: Vec<String>,
    /// Processes: 'user' for one process of the driver per client, 'request' for a new one for each transaction. In
    /// requester: number of processes of the program, shared by the clients [default: one per client].
    #[arg(long, value_name = "WHO")]
    pub processes: Option<Processes>,
    /// Process to measure, as NAME=PID; may be repeated. PID+children includes its children, PID/PREFIX only its
    /// threads with this name prefix.
    #[arg(long, value_name = "NAME=PID", value_parser = name_and_group)]
    pub pid: Vec<(String, Group)>,
    /// Also write the report as JSON; '-' means standard output.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// The driver's program, for clients that are processes [default: this one].
    #[arg(long, value_name = "PATH", hide = true)]
    pub driver: Option<PathBuf>,
    /// Be a process of another driver, which says the rest on standard input.
    #[arg(long, hide = true)]
    pub worker: bool,
}

/// How a run goes on in time.
#[derive(Debug, Clone, clap::Args)]
pub struct CourseArguments {
    /// Transactions to start per second, 0.001 to 1000000, independent of the server's answers. Response times start
    /// when a transaction was due.
    #[arg(long, value_name = "N", conflicts_with = "think_time")]
    pub rate: Option<f64>,
    /// Time to measure [default: 30s]; with --requests the longest time.
    #[arg(long, value_name = "TIME")]
    pub duration: Option<Span>,
    /// Exact number of transactions to measure, 1 to 1000000000.
    #[arg(long, value_name = "N")]
    pub requests: Option<u64>,
    /// Time to run before measuring [default: 5s]; 'steady' runs until the rate is steady.
    #[arg(long, value_name = "TIME|steady")]
    pub warmup: Option<WarmUpArgument>,
    /// Number of transactions before measuring.
    #[arg(long, value_name = "N")]
    pub warmup_requests: Option<u64>,
    /// Before measuring, run until the rates of three seconds are within this percentage of their mean.
    #[arg(long, value_name = "PERCENT")]
    pub warmup_steady: Option<f64>,
    /// Number of runs, 1 to 1000. The result is the run with the median rate, and the spread of all.
    #[arg(long, value_name = "N")]
    pub repetitions: Option<u32>,
    /// Simulate a network with this round trip, such as 10ms, up to 10s.
    #[arg(long, value_name = "TIME")]
    pub latency: Option<Span>,
    /// Longest wait for an answer [default: 30s].
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<Span>,
    /// Seed of random choices [default: random, shown in the result].
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

/// `steady`, or a length of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WarmUpArgument {
    Steady,
    Time(Span),
}

impl FromStr for WarmUpArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "steady" { Ok(Self::Steady) } else { text.parse().map(Self::Time) }
    }
}

/// Requests of a web client.
#[derive(Debug, Clone, clap::Args)]
pub struct HttpArguments {
    /// Use of an HTTP connection [default: keep].
    #[arg(long, value_enum)]
    pub connection: Option<Connection>,
    /// Path of a GET in administration; may be repeated. {client} is replaced by the client's number.
    #[arg(long, alias = "paths", value_name = "PATH")]
    pub path: Vec<String>,
    /// Path of the PATCH in administration, after its GETs and its POST.
    #[arg(long, value_name = "PATH", requires = "patch_body")]
    pub patch_path: Option<String>,
    /// JSON body of the PATCH; {n} is replaced by the number of the client's transaction.
    #[arg(long, value_name = "JSON", requires = "patch_path")]
    pub patch_body: Option<String>,
    /// Media type of the body in service [default: application/json].
    #[arg(long, value_name = "TYPE")]
    pub content_type: Option<String>,
    /// Source of the CSRF header in administration [default: header, any value].
    #[arg(long, value_enum)]
    pub csrf: Option<Csrf>,
}

/// A channel to go through.
#[derive(Debug, Clone, clap::Args)]
pub struct ChannelArguments {
    /// Use this server-connection channel instead of the REST API.
    #[arg(long, value_name = "NAME")]
    pub channel: Option<String>,
    /// Address of the queue manager's listener, or a list of them [default: 127.0.0.1:1414].
    #[arg(long, value_name = "HOST:PORT", requires = "channel")]
    pub mq: Option<String>,
    /// CipherSpec of the channel, such as ANY_TLS12_OR_HIGHER. Without it and --cacert there is no TLS.
    #[arg(long, value_name = "SPEC", requires = "channel")]
    pub cipher: Option<String>,
    /// Number of conversations on a socket [default: 1].
    #[arg(long, value_name = "N", requires = "channel")]
    pub sharing_conversations: Option<u32>,
    /// Use asynchronous puts and consumers with read-ahead (MQCB). Only for nonpersistent messages of request-reply;
    /// --reply-queue is then a model queue. Messages read ahead are lost if this process ends.
    #[arg(long, requires = "channel")]
    pub streaming: bool,
}

/// Gets requests from a queue and puts a reply to each, until SIGTERM or SIGINT.
///
/// A reply is filler, or made by --program. It is put on the reply-to queue of the request, with the request's message
/// identifier as its correlation identifier unless the request's report options differ. A request without a reply-to
/// queue gets none.
///
/// Prints `{"event":"ready","connections":N}` when it listens and `{"event":"end","replies":N,"errors":N}` when it ends.
#[derive(Debug, Clone, clap::Args)]
pub struct ResponderArguments {
    #[command(flatten)]
    pub channel: ChannelArguments,
    /// Queue of the requests [default: DEV.QUEUE.1].
    #[arg(long, value_name = "NAME")]
    pub queue: Option<String>,
    /// Number of connections that get requests.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub connections: u32,
    #[command(flatten)]
    pub program: ProgramArguments,
    /// Queue manager [default: the one that answers].
    #[arg(long = "qmgr", value_name = "NAME")]
    pub queue_manager: Option<String>,
    /// User of the connections [default: app].
    #[arg(long)]
    pub user: Option<String>,
    /// File with lines 'USER PASSWORD', such as DIR/initial-passwords.
    #[arg(long, value_name = "FILE")]
    pub password_file: Option<PathBuf>,
    /// Connect without a user.
    #[arg(long, conflicts_with_all = ["user", "password_file"])]
    pub no_user: bool,
    /// PEM file of trusted certificates.
    #[arg(long, value_name = "FILE")]
    pub cacert: Option<PathBuf>,
    /// Trust any certificate; only for loopback addresses.
    #[arg(long)]
    pub insecure: bool,
}

impl ResponderArguments {
    /// A program's requests belong to units of work, which nothing is read ahead for.
    fn streaming(&self) -> Result<bool, WorkloadError> {
        match self.channel.streaming && self.program.program.is_some() {
            true => Err(WorkloadError::Plan { key: "streaming", problem: "cannot stand beside program".to_owned() }),
            false => Ok(self.channel.streaming),
        }
    }

    /// # Errors
    /// A value that is none of its kind, or a password file that cannot be read.
    pub fn plan(&self) -> Result<ResponderPlan, WorkloadError> {
        let choices = Choices {
            mq: self.channel.mq.clone(),
            cipher: self.channel.cipher.clone(),
            sharing_conversations: self.channel.sharing_conversations,
            queue_manager: self.queue_manager.clone(),
            login: Some(if self.no_user { Login::None } else { Login::Basic }),
            user: self.user.clone(),
            password_file: self.password_file.clone(),
            cacert: self.cacert.clone(),
            insecure: self.insecure.then_some(true),
            ..Choices::default()
        };
        let channel = self.channel.channel.as_deref().unwrap_or("DEV.APP.SVRCONN");
        let queue = self.queue.as_deref().unwrap_or("DEV.QUEUE.1");
        let bad = |problem: String| WorkloadError::Plan { key: "queue", problem };
        Ok(ResponderPlan {
            client: Arc::new(door::channel_client(channel, &choices)?),
            queue: QueueName::parse(queue).map_err(|error| bad(error.to_string()))?,
            connections: self.connections.max(1),
            answer: self.program.answer()?,
            streaming: self.streaming()?,
        })
    }
}

/// Answers requests until SIGTERM or SIGINT.
///
/// # Errors
/// A plan that cannot be carried out, or no connection at the start.
pub fn respond(arguments: &ResponderArguments) -> Result<(), WorkloadError> {
    let plan = arguments.plan()?;
    batch::enter();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(WorkloadError::Thread)?;
    let counts = Arc::new(Counts::default());
    runtime.block_on(async {
        let stopped = stopped_by_signal().map_err(WorkloadError::Thread)?;
        let connections = plan.connections;
        let ready = || print(serde_json::json!({ "event": "ready", "connections": connections }));
        responder::respond(plan, Arc::clone(&counts), stopped, ready).await
    })?;
    let (replies, errors) = (counts.replies.load(Ordering::Relaxed), counts.errors.load(Ordering::Relaxed));
    print(serde_json::json!({ "event": "end", "replies": replies, "errors": errors }));
    Ok(())
}

/// Answers as the report's remote API until SIGTERM or SIGINT.
///
/// # Errors
/// The address cannot be listened on.
pub fn provide(arguments: &ProviderArguments) -> Result<(), WorkloadError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(WorkloadError::Thread)?;
    let counts = Arc::new(provider::Counts::default());
    runtime.block_on(async {
        let stopped = stopped_by_signal().map_err(WorkloadError::Thread)?;
        let ready = |address: SocketAddr| {
            print(serde_json::json!({ "event": "ready", "http": address.to_string() }));
        };
        provider::provide(arguments.plan(), Arc::clone(&counts), stopped, ready).await
    })?;
    let (answered, refused) = (counts.answered.load(Ordering::Relaxed), counts.refused.load(Ordering::Relaxed));
    print(serde_json::json!({ "event": "end", "answered": answered, "refused": refused }));
    Ok(())
}

/// Who started the program may have gone, which is no reason to end before the work is done.
fn print(line: serde_json::Value) {
    writeln!(io::stdout(), "{line}").ok();
}

/// Becomes true with the first SIGTERM or SIGINT.
fn stopped_by_signal() -> io::Result<watch::Receiver<bool>> {
    let (stop, stopped) = watch::channel(false);
    let mut terminated = signal(SignalKind::terminate())?;
    let mut interrupted = signal(SignalKind::interrupt())?;
    tokio::spawn(async move {
        tokio::select! {
            _ = terminated.recv() => {}
            _ = interrupted.recv() => {}
        }
        // Who served may have ended by itself.
        let _ = stop.send(true);
    });
    Ok(stopped)
}

impl Arguments {
    /// Reads the plan file, if there is one, and checks everything.
    ///
    /// # Errors
    /// As `Choices::read` and `Plan::new`.
    pub fn plan(&self) -> Result<Plan, WorkloadError> {
        let file = self.plan.as_deref().map(Choices::read).transpose()?.unwrap_or_default();
        Plan::new(self.choices()?.or(file))
    }

    fn choices(&self) -> Result<Choices, WorkloadError> {
        let (warmup, steady) = match self.course.warmup {
            Some(WarmUpArgument::Time(span)) => (Some(span), None),
            Some(WarmUpArgument::Steady) => (None, Some(STEADY_PERCENT)),
            None => (None, None),
        };
        if let Some(name) = self.named_twice() {
            return Err(WorkloadError::Plan { key: "pid", problem: format!("'{name}' stands twice") });
        }
        let is_group = |(_, group): &(String, Group)| group.children || group.threads.is_some();
        let (groups, whole): (Vec<_>, Vec<_>) = self.pid.iter().cloned().partition(is_group);
        Ok(Choices {
            scenario: self.scenario,
            url: self.url.clone(),
            cacert: self.cacert.clone(),
            insecure: self.insecure.then_some(true),
            login: self.login,
            user: self.user.clone(),
            password_file: self.password_file.clone(),
            queue_manager: self.queue_manager.clone(),
            queue: self.queue.clone(),
            channel: self.channel.channel.clone(),
            mq: self.channel.mq.clone(),
            cipher: self.channel.cipher.clone(),
            sharing_conversations: self.channel.sharing_conversations,
            streaming: self.channel.streaming.then_some(true),
            reply_queue: self.reply_queue.clone(),
            persistent: self.persistent.then_some(true),
            clients: self.clients,
            threads: self.threads,
            think_time: self.think_time,
            rate: self.course.rate,
            warmup,
            warmup_requests: self.course.warmup_requests,
            warmup_steady: self.course.warmup_steady.or(steady),
            duration: self.course.duration,
            requests: self.course.requests,
            repetitions: self.course.repetitions,
            timeout: self.course.timeout,
            latency: self.course.latency,
            seed: self.course.seed,
            connection: self.http.connection,
            tls_resumption: self.tls_resumption,
            connect: self.connect,
            open: self.open,
            paths: (!self.http.path.is_empty()).then(|| self.http.path.clone()),
            patch_path: self.http.patch_path.clone(),
            patch_body: self.http.patch_body.clone(),
            csrf: self.http.csrf,
            request_size: self.request_size,
            response_size: self.response_size,
            drain: self.drain.then_some(true),
            post_path: self.post_path.clone(),
            get_path: self.get_path.clone(),
            body: self.body.clone(),
            content_type: self.http.content_type.clone(),
            program: self.program.clone(),
            program_arguments: (!self.program_argument.is_empty()).then(|| self.program_argument.clone()),
            processes: self.processes,
            driver: self.driver.clone(),
            pid: whole.into_iter().map(|(name, group)| (name, group.pid)).collect(),
            group: groups.into_iter().collect(),
        })
    }

    /// A name that is given to more than one process.
    fn named_twice(&self) -> Option<&str> {
        let mut names = BTreeSet::new();
        self.pid.iter().map(|(name, _)| name.as_str()).find(|name| !names.insert(*name))
    }
}

/// Runs to the end, prints the outcome and writes the JSON. Whether all was well: the caller exits with 1 when it was not.
///
/// # Errors
/// A plan that cannot be carried out, or a file that cannot be written.
pub fn run(arguments: &Arguments) -> Result<bool, WorkloadError> {
    if arguments.worker {
        return worker::serve().map(|()| true);
    }
    let outcome = crate::repeat(&arguments.plan()?)?;
    match arguments.json.as_deref() {
        Some(path) if path == Path::new("-") => println!("{}", outcome.to_json()),
        Some(path) => {
            println!("{outcome}");
            write_json(path, &outcome)?;
        }
        None => println!("{outcome}"),
    }
    Ok(outcome.is_well())
}

#[expect(clippy::disallowed_methods, reason = "a report is written once and may be lost")]
fn write_json(path: &Path, outcome: &Outcome) -> Result<(), WorkloadError> {
    std::fs::write(path, outcome.to_json() + "\n")
        .map_err(|source| WorkloadError::Write { file: path.display().to_string(), source })
}

fn name_and_group(text: &str) -> Result<(String, Group), String> {
    let expected = || format!("'{text}' is not of the form NAME=PID, NAME=PID+children or NAME=PID/THREADS");
    let (name, pid) = text.split_once('=').ok_or_else(expected)?;
    if name.is_empty() {
        return Err(expected());
    }
    Ok((name.to_owned(), pid.parse().map_err(|_: String| expected())?))
}

#[cfg(test)]
mod tests;
