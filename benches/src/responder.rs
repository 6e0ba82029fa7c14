//! `quaymaster workload responder` as a process.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};
use system_tests::program::quaymaster;

/// Ends with its value.
pub(crate) struct Responder(Child);

/// What a responder is told.
pub(crate) struct Order<'a> {
    pub(crate) mq: SocketAddr,
    pub(crate) channel: &'a str,
    pub(crate) queue: &'a str,
    pub(crate) connections: u32,
    pub(crate) response_size: usize,
    /// Lines of user and password.
    pub(crate) passwords: &'a Path,
    /// With one it speaks TLS.
    pub(crate) ca_file: Option<PathBuf>,
    pub(crate) habit: Habit,
}

/// How a responder gets requests and puts replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Habit {
    /// Requests come without being asked for, and no put is answered: as is usual for messages that are not persistent.
    Streaming,
    /// It asks for each request, and waits for the answer to each put.
    Asking,
}

impl Order<'_> {
    fn command(&self) -> Result<Command> {
        let mut command = Command::new(quaymaster()?);
        command
            .args(["workload", "responder", "--channel", self.channel, "--queue", self.queue])
            .args(["--mq", &self.mq.to_string()])
            .args(["--connections", &self.connections.to_string(), "--response-size", &self.response_size.to_string()])
            .args((self.habit == Habit::Streaming).then_some("--streaming"))
            .arg("--password-file")
            .arg(self.passwords);
        if let Some(file) = &self.ca_file {
            command.arg("--cacert").arg(file);
        }
        Ok(command)
    }
}

impl Responder {
    /// Returns when it says that it is ready.
    pub(crate) fn start(order: &Order<'_>) -> Result<Self> {
        let mut command = order.command()?;
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().context("the responder")?;
        let output = child.stdout.take().context("standard output is a pipe")?;
        let running = Self(child);
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        ensure!(line.contains("\"ready\""), "the responder did not get ready: {line}");
        Ok(running)
    }
}

impl Drop for Responder {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
