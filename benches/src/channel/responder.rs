//! `quaymaster workload responder` as a process.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};
use system_tests::program::quaymaster;

use super::setting::{Setting, Transport};

/// Ends with its value.
pub(super) struct Responder(Child);

impl Responder {
    pub(super) fn start(
        setting: &Setting,
        transport: Transport,
        connections: u32,
        response_size: usize,
        streams: bool,
    ) -> Result<Self> {
        let mut command = Command::new(quaymaster()?);
        command
            .args(["workload", "responder", "--channel", transport.channel()])
            .args(["--mq", &setting.mq.to_string()])
            .args(["--queue", &super::request_queue(transport, streams)])
            .args(["--connections", &connections.to_string()])
            .args(["--response-size", &response_size.to_string()])
            .arg("--password-file")
            .arg(&setting.passwords);
        if streams {
            command.arg("--streaming");
        }
        if transport == Transport::Tls {
            command.arg("--cacert").arg(setting.server.ca_file());
        }
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
