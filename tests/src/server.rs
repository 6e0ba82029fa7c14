//! One `quaymaster serve` process on a data directory of the caller's, on free ports.
//!
//! Invariants
//! - The process ends with its value: dropping kills and reaps it, whatever the test did.
//! - Nothing of the caller's environment that the server would read reaches it.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};

use crate::log::Log;
use crate::program;

pub const ADMIN_PASSWORD: &str = "admin-password-of-tests";
pub const APP_PASSWORD: &str = "app-password-of-tests";
pub const READER_PASSWORD: &str = "reader-password-of-tests";
/// Longest wait for the ready line: recovery of a long log included.
const READY_LIMIT: Duration = Duration::from_secs(300);
/// The grace period of `CONTRACT`, and a little.
const EXIT_LIMIT: Duration = Duration::from_secs(300);

/// How to start a server.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// Instead of the program under test.
    pub program: Option<PathBuf>,
    pub data: PathBuf,
    /// Where HTTPS is listened for.
    pub https: String,
    /// Where MQ client channels are listened for: an address, or `off`.
    pub mq: String,
    /// Further arguments of `serve`.
    pub arguments: Vec<String>,
    pub environment: Vec<(String, String)>,
}

impl ServerOptions {
    pub fn on(data: &Path) -> Self {
        Self {
            program: None,
            data: data.to_owned(),
            https: "127.0.0.1:0".to_owned(),
            mq: "off".to_owned(),
            arguments: Vec::new(),
            environment: Vec::new(),
        }
    }

    /// Starts this program; `None` is the one under test.
    #[must_use]
    pub fn of(mut self, program: Option<&Path>) -> Self {
        self.program = program.map(Path::to_owned);
        self
    }

    /// Listens for MQ client channels on this address; port 0 is any.
    #[must_use]
    pub fn listening(mut self, mq: &str) -> Self {
        mq.clone_into(&mut self.mq);
        self
    }

    /// Listens for HTTPS on this address, so that clients find a server that was started again.
    #[must_use]
    pub fn https_on(mut self, https: &str) -> Self {
        https.clone_into(&mut self.https);
        self
    }

    /// As a member of a queue-sharing group, whose database is at this address.
    #[must_use]
    pub fn in_group(mut self, group: &str, database: &str) -> Self {
        for (name, value) in [("QUAYMASTER_GROUP", group), ("QUAYMASTER_GROUP_DATABASE", database)] {
            self.environment.push((name.to_owned(), value.to_owned()));
        }
        self
    }

    #[must_use]
    pub fn with(mut self, argument: &str) -> Self {
        self.arguments.push(argument.to_owned());
        self
    }
}

/// The ready line.
#[derive(Debug, Clone)]
pub struct Ready {
    /// As printed, without the newline.
    pub line: String,
    pub https: Option<SocketAddr>,
    pub http: Option<SocketAddr>,
    pub mq: Option<SocketAddr>,
    /// From starting the process to reading the line.
    pub after: Duration,
}

/// A process that was started and may not be ready.
pub struct StartingServer {
    child: Process,
    data: PathBuf,
    started: Instant,
    line: mpsc::Receiver<String>,
}

/// A server that answers.
pub struct Server {
    child: Process,
    data: PathBuf,
    pub ready: Ready,
}

/// Kills and reaps on drop.
struct Process {
    child: Child,
    log: Log,
}

impl StartingServer {
    /// # Errors
    /// No program, or it cannot be started.
    pub fn spawn(options: &ServerOptions) -> Result<Self> {
        let mut command = match &options.program {
            Some(program) => Command::new(program),
            None => Command::new(program::quaymaster()?),
        };
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("MQ_") || text.starts_with("QUAYMASTER_") {
                command.env_remove(&name);
            }
        }
        command
            .arg("serve")
            .arg("--data")
            .arg(&options.data)
            .args(["--https", &options.https, "--http", "127.0.0.1:0"])
            .args(["--metrics", "127.0.0.1:0", "--mq", &options.mq])
            .args(&options.arguments)
            .env("MQ_ADMIN_PASSWORD", ADMIN_PASSWORD)
            .env("MQ_APP_PASSWORD", APP_PASSWORD)
            .env("MQ_READER_PASSWORD", READER_PASSWORD)
            .envs(options.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let started = now();
        let mut child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
        let output = child.stdout.take().context("standard output is a pipe")?;
        let errors = child.stderr.take().context("standard error is a pipe")?;
        let line = first_line(output);
        Ok(Self { child: Process::new(child, errors), data: options.data.clone(), started, line })
    }

    pub fn pid(&self) -> u32 {
        self.child.child.id()
    }

    /// Waits for the ready line.
    ///
    /// # Errors
    /// The process ended or stayed silent: with what it said on standard error.
    pub fn ready(mut self) -> Result<Server> {
        let line = match self.line.recv_timeout(READY_LIMIT) {
            Ok(line) => line,
            Err(mpsc::RecvTimeoutError::Timeout) => bail!("not ready in {READY_LIMIT:?}: {}", self.child.errors()),
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                let status = self.child.wait(EXIT_LIMIT)?;
                bail!("ended with {status} before it was ready: {}", self.child.errors())
            }
        };
        let ready = parse_ready(line, self.started.elapsed())?;
        Ok(Server { child: self.child, data: self.data, ready })
    }

    /// Ends it at once, as a power cut would.
    pub fn kill(mut self) {
        self.child.kill();
    }

    /// Waits for a process that is expected to end by itself: its status and standard error.
    ///
    /// # Errors
    /// It did not end.
    pub fn outcome(mut self) -> Result<(ExitStatus, String)> {
        let status = self.child.wait(EXIT_LIMIT)?;
        self.child.log.join();
        Ok((status, self.child.errors()))
    }
}

impl Server {
    /// # Errors
    /// As `StartingServer::spawn` and `ready`.
    pub fn start(options: &ServerOptions) -> Result<Self> {
        StartingServer::spawn(options)?.ready()
    }

    /// A server with everything by default on `data`.
    ///
    /// # Errors
    /// As `start`.
    pub fn start_on(data: &Path) -> Result<Self> {
        Self::start(&ServerOptions::on(data))
    }

    pub fn pid(&self) -> u32 {
        self.child.child.id()
    }

    /// `https://127.0.0.1:PORT`.
    ///
    /// # Errors
    /// The ready line names no such listener.
    pub fn https_url(&self) -> Result<String> {
        Ok(format!("https://{}", self.ready.https.ok_or_else(|| anyhow!("no https in {}", self.ready.line))?))
    }

    /// `http://127.0.0.1:PORT`.
    ///
    /// # Errors
    /// The ready line names no such listener.
    pub fn http_url(&self) -> Result<String> {
        Ok(format!("http://{}", self.ready.http.ok_or_else(|| anyhow!("no http in {}", self.ready.line))?))
    }

    /// Where MQ client channels are listened for.
    ///
    /// # Errors
    /// The ready line names no such listener.
    pub fn mq_address(&self) -> Result<SocketAddr> {
        self.ready.mq.ok_or_else(|| anyhow!("no mq in {}", self.ready.line))
    }

    /// The certificate clients are to trust.
    pub fn ca_file(&self) -> PathBuf {
        self.data.join("tls/ca.crt")
    }

    /// What it wrote to standard error so far.
    pub fn errors(&self) -> String {
        self.child.errors()
    }

    /// The first line on standard error that contains this, once it has been written.
    ///
    /// # Errors
    /// As `Log::line`.
    pub fn error_line(&self, part: &str) -> Result<String> {
        self.child.log.line(part)
    }

    /// Ends it at once with SIGKILL, as a power cut would; what it had said on standard error.
    pub fn kill(mut self) -> String {
        self.child.kill();
        self.child.errors()
    }

    /// Waits for a process that the test has ended from outside.
    ///
    /// # Errors
    /// It did not end.
    pub fn outcome(mut self) -> Result<ExitStatus> {
        self.child.wait(EXIT_LIMIT)
    }

    /// Asks it to end with SIGTERM and waits; its status and what it said on standard error.
    ///
    /// # Errors
    /// It does not end within its grace period.
    pub fn terminate(mut self) -> Result<(ExitStatus, String)> {
        self.signal("TERM")?;
        let status = self.child.wait(EXIT_LIMIT)?;
        self.child.log.join();
        Ok((status, self.child.errors()))
    }

    /// Sends a signal by name, such as `TERM` or `HUP`.
    ///
    /// # Errors
    /// The shell cannot be started, or the process is gone.
    pub fn signal(&self, name: &str) -> Result<()> {
        let status = Command::new("sh").arg("-c").arg(format!("kill -{name} {}", self.pid())).status()?;
        if status.success() { Ok(()) } else { bail!("signal {name} was not delivered") }
    }
}

impl Process {
    fn new(child: Child, errors: impl Read + Send + 'static) -> Self {
        Self { child, log: Log::of(errors) }
    }

    fn errors(&self) -> String {
        self.log.text()
    }

    fn kill(&mut self) {
        // It may have ended by itself; then there is nothing left to do.
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.log.join();
    }

    fn wait(&mut self, limit: Duration) -> Result<ExitStatus> {
        let end = now() + limit;
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            if now() > end {
                bail!("pid {} has not ended within {limit:?}: {}", self.child.id(), self.errors());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Sends the first line and drains the rest, so that the process never blocks on its output.
fn first_line(output: impl Read + Send + 'static) -> mpsc::Receiver<String> {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let mut lines = BufReader::new(output).lines().map_while(Result::ok);
        if let Some(line) = lines.next() {
            // Nobody waits any more when the server was killed while starting.
            let _ = send.send(line);
        }
        drop(send);
        lines.for_each(drop);
    });
    receive
}

fn parse_ready(line: String, after: Duration) -> Result<Ready> {
    let json: serde_json::Value = serde_json::from_str(&line).with_context(|| format!("not a ready line: {line}"))?;
    if json["event"] != "ready" {
        bail!("not a ready line: {line}");
    }
    let address = |key: &str| json[key].as_str().map(str::parse).transpose().with_context(|| format!("{key}: {line}"));
    Ok(Ready { https: address("https")?, http: address("http")?, mq: address("mq")?, after, line })
}

#[expect(clippy::disallowed_methods, reason = "waiting for a process has a bound")]
fn now() -> Instant {
    Instant::now()
}
