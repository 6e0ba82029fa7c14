//! `quaymaster workload responder` as a process.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};

/// Ends with its value.
pub(crate) struct Responder(Child);

impl Responder {
    /// Returns when it says that it is ready.
    pub(crate) fn start(command: &mut Command) -> Result<Self> {
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
