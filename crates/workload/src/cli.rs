//! The options of `workload run`, `workload responder` and `workload provider`, for the program that wires them.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use model::name::QueueName;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use crate::error::WorkloadError;
use crate::plan::{Choices, Login, Plan, Scenario, Span, door};
use crate::provider::{self, ProviderArguments};
use crate::report::Report;
use crate::responder::{self, Counts, ProgramArguments, ResponderPlan};

/// Runs closed-loop clients against a server and reports rate, response times, errors and the ledger's verdict.
#[derive(Debug, Clone, clap::Args)]
pub struct Arguments {
    /// Plan file (TOML); options win over it.
    #[arg(value_name = "PLAN.toml", required_unless_present = "scenario")]
    pub plan: Option<PathBuf>,
    /// What each client does over and over.
    #[arg(long, value_enum)]
    pub scenario: Option<Scenario>,
    /// Clients, each with a connection of its own [default: 10].
    #[arg(long, value_name = "N")]
    pub clients: Option<u32>,
    /// Threads that share the clients [default: half the processors].
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Pause of a client between transactions, such as 200ms [default: none].
    #[arg(long, value_name = "TIME")]
    pub think_time: Option<Span>,
    /// How long to measure [default: 30s].
    #[arg(long, value_name = "TIME")]
    pub duration: Option<Span>,
    /// How long to run before measuring [default: 5s].
    #[arg(long, value_name = "TIME")]
    pub warmup: Option<Span>,
    /// Bytes of a put's body [default: 1024].
    #[arg(long, value_name = "N")]
    pub request_size: Option<usize>,
    /// Bytes of a reply in request-reply, as the responder was told [default: 1024], or of the entries that requester
    /// asks for [default: 8192].
    #[arg(long, value_name = "N")]
    pub response_size: Option<usize>,
    /// Server [default: https://127.0.0.1:9443].
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    #[command(flatten)]
    pub channel: ChannelArguments,
    /// Where replies come in request-reply [default: DEV.QUEUE.2].
    #[arg(long, value_name = "NAME")]
    pub reply_queue: Option<String>,
    /// PEM file of the certificate to trust.
    #[arg(long, value_name = "FILE")]
    pub cacert: Option<PathBuf>,
    /// Trust any certificate; loopback addresses only.
    #[arg(long)]
    pub insecure: bool,
    /// How clients show who they are [default: ltpa].
    #[arg(long, value_enum)]
    pub login: Option<Login>,
    /// User to log in as [default: app].
    #[arg(long)]
    pub user: Option<String>,
    /// File with lines of 'USER PASSWORD', such as DIR/initial-passwords.
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
    /// After the run get everything from the queue, so that the verdict covers what is left.
    #[arg(long)]
    pub drain: bool,
    /// Path of the POST in scenario http-floor [default: /noop], or where scenario service invokes its service.
    #[arg(long, value_name = "PATH")]
    pub post_path: Option<String>,
    /// Path of the GET in scenario http-floor [default: /].
    #[arg(long, value_name = "PATH")]
    pub get_path: Option<String>,
    /// JSON that scenario service posts; {id} stands for the identifier that its reply must have somewhere.
    #[arg(long, value_name = "JSON")]
    pub body: Option<String>,
    /// Program of scenario requester: reads orders and calls an API requester for each, as examples/api-requester does.
    #[arg(long, value_name = "PATH")]
    pub program: Option<PathBuf>,
    /// An argument of the program; may be given again.
    #[arg(long, value_name = "TEXT", requires = "program", allow_hyphen_values = true)]
    pub program_argument: Vec<String>,
    /// Processes of the program, which the clients share [default: one a client].
    #[arg(long, value_name = "N", requires = "program")]
    pub processes: Option<u32>,
    /// Process whose processor time to report; may be given again.
    #[arg(long, value_name = "NAME=PID", value_parser = name_and_pid)]
    pub pid: Vec<(String, u32)>,
    /// Also write the report as JSON, to standard output for '-'.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

/// A channel to go through.
#[derive(Debug, Clone, clap::Args)]
pub struct ChannelArguments {
    /// Go through this server-connection channel instead of the REST API.
    #[arg(long, value_name = "NAME")]
    pub channel: Option<String>,
    /// Where the queue manager listens for channels [default: 127.0.0.1:1414].
    #[arg(long, value_name = "HOST:PORT", requires = "channel")]
    pub mq: Option<String>,
    /// CipherSpec of the channel, such as ANY_TLS12_OR_HIGHER; without it and --cacert there is no TLS.
    #[arg(long, value_name = "SPEC", requires = "channel")]
    pub cipher: Option<String>,
    /// Connections that share a socket [default: 1].
    #[arg(long, value_name = "N", requires = "channel")]
    pub sharing_conversations: Option<u32>,
    /// Wait for no answer: puts are asynchronous, and messages come without being asked for (MQCB with read-ahead). Only for
    /// nonpersistent messages of request-reply, whose --reply-queue is then a model queue; what is read ahead is lost
    /// with this process.
    #[arg(long, requires = "channel")]
    pub streaming: bool,
}

/// Gets requests from a queue and puts a reply to each, until SIGTERM or SIGINT.
///
/// A reply is filler, or what a program of yours says. It goes to the reply-to queue of the request, with the request's
/// message identifier as its correlation identifier unless the request's report options say otherwise; a request without
/// a reply-to queue gets none.
///
/// Prints `{"event":"ready","connections":N}` when it listens and `{"event":"end","replies":N,"errors":N}` when it ends.
#[derive(Debug, Clone, clap::Args)]
pub struct ResponderArguments {
    #[command(flatten)]
    pub channel: ChannelArguments,
    /// Queue of the requests [default: DEV.QUEUE.1].
    #[arg(long, value_name = "NAME")]
    pub queue: Option<String>,
    /// Connections that get requests.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub connections: u32,
    #[command(flatten)]
    pub program: ProgramArguments,
    /// Queue manager [default: the one that answers].
    #[arg(long = "qmgr", value_name = "NAME")]
    pub queue_manager: Option<String>,
    /// User to connect as [default: app].
    #[arg(long)]
    pub user: Option<String>,
    /// File with lines of 'USER PASSWORD', such as DIR/initial-passwords.
    #[arg(long, value_name = "FILE")]
    pub password_file: Option<PathBuf>,
    /// Connect without a user.
    #[arg(long, conflicts_with_all = ["user", "password_file"])]
    pub no_user: bool,
    /// PEM file of the certificate to trust.
    #[arg(long, value_name = "FILE")]
    pub cacert: Option<PathBuf>,
    /// Trust any certificate; loopback addresses only.
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
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(WorkloadError::Thread)?;
    let counts = Arc::new(Counts::default());
    runtime.block_on(async {
        let stopped = stopped_by_signal().map_err(WorkloadError::Thread)?;
        let connections = plan.connections;
        let ready = || println!("{}", serde_json::json!({ "event": "ready", "connections": connections }));
        responder::respond(plan, Arc::clone(&counts), stopped, ready).await
    })?;
    let (replies, errors) = (counts.replies.load(Ordering::Relaxed), counts.errors.load(Ordering::Relaxed));
    println!("{}", serde_json::json!({ "event": "end", "replies": replies, "errors": errors }));
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
            println!("{}", serde_json::json!({ "event": "ready", "http": address.to_string() }));
        };
        provider::provide(arguments.plan(), Arc::clone(&counts), stopped, ready).await
    })?;
    let (answered, refused) = (counts.answered.load(Ordering::Relaxed), counts.refused.load(Ordering::Relaxed));
    println!("{}", serde_json::json!({ "event": "end", "answered": answered, "refused": refused }));
    Ok(())
}

/// Becomes true with the first SIGTERM or SIGINT.
fn stopped_by_signal() -> std::io::Result<watch::Receiver<bool>> {
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
        Plan::new(self.choices().or(file))
    }

    fn choices(&self) -> Choices {
        Choices {
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
            warmup: self.warmup,
            duration: self.duration,
            request_size: self.request_size,
            response_size: self.response_size,
            drain: self.drain.then_some(true),
            post_path: self.post_path.clone(),
            get_path: self.get_path.clone(),
            body: self.body.clone(),
            program: self.program.clone(),
            program_arguments: (!self.program_argument.is_empty()).then(|| self.program_argument.clone()),
            processes: self.processes,
            pid: self.pid.iter().cloned().collect(),
        }
    }
}

/// Runs to the end, prints the report and writes the JSON. The caller exits with 1 when `Report::is_clean` is false.
///
/// # Errors
/// A plan that cannot be carried out, or a file that cannot be written.
pub fn run(arguments: &Arguments) -> Result<Report, WorkloadError> {
    let report = crate::run(&arguments.plan()?)?;
    match arguments.json.as_deref() {
        Some(path) if path == Path::new("-") => println!("{}", report.to_json()),
        Some(path) => {
            println!("{report}");
            write_json(path, &report)?;
        }
        None => println!("{report}"),
    }
    Ok(report)
}

#[expect(clippy::disallowed_methods, reason = "a report is written once and may be lost")]
fn write_json(path: &Path, report: &Report) -> Result<(), WorkloadError> {
    std::fs::write(path, report.to_json() + "\n")
        .map_err(|source| WorkloadError::Write { file: path.display().to_string(), source })
}

fn name_and_pid(text: &str) -> Result<(String, u32), String> {
    let expected = || format!("'{text}' is not of the form NAME=PID");
    let (name, pid) = text.split_once('=').ok_or_else(expected)?;
    if name.is_empty() {
        return Err(expected());
    }
    Ok((name.to_owned(), pid.parse().map_err(|_| expected())?))
}
