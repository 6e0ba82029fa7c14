//! One process that was started, said its ready line, and ends with its value.
//!
//! What it writes to standard error goes to a file of its folder, whose end is shown when something is wrong with it.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use serde_json::Value;

use super::processes::Processes;
use crate::error::TablesError;

/// Longest wait for a ready line: ten thousand queues are defined meanwhile, by a debug build on a busy machine.
const READY_LIMIT: Duration = Duration::from_secs(120);
/// How much of the end of standard error is shown, in bytes.
const SHOWN: usize = 2 << 10;

pub struct Process {
    name: String,
    child: Child,
    processes: Arc<Processes>,
    /// What it said when it was ready.
    pub ready: Value,
    log: PathBuf,
}

impl Process {
    /// # Errors
    /// It cannot be started, or ends or stays silent before its ready line.
    pub(crate) fn start(
        processes: &Arc<Processes>,
        name: &str,
        mut command: Command,
        folder: &Path,
    ) -> Result<Self, TablesError> {
        let log = folder.join("standard-error.log");
        let errors =
            File::create(&log).map_err(|source| TablesError::File { what: "make", path: log.clone(), source })?;
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(errors);
        let program = PathBuf::from(command.get_program());
        let mut child = processes.start(&mut command).map_err(|source| TablesError::Start { program, source })?;
        let line = child.stdout.take().map(first_line);
        let mut process =
            Self { name: name.to_owned(), child, processes: Arc::clone(processes), ready: Value::Null, log };
        let line = line.and_then(|line| line.recv_timeout(READY_LIMIT).ok());
        let ready = line.and_then(|line| serde_json::from_str::<Value>(&line).ok());
        match ready.filter(|ready| ready["event"] == "ready") {
            Some(ready) => process.ready = ready,
            None => return Err(TablesError::NotReady { process: name.to_owned(), said: process.said() }),
        }
        Ok(process)
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What the ready line calls so.
    ///
    /// # Errors
    /// It has no such member.
    pub fn ready_text(&self, member: &str) -> Result<&str, TablesError> {
        let missing = || TablesError::Unexpected { what: format!("{} said no {member} when it was ready", self.name) };
        self.ready[member].as_str().ok_or_else(missing)
    }

    /// # Errors
    /// It has ended, with what it said last.
    pub fn check(&mut self) -> Result<(), TablesError> {
        match self.child.try_wait() {
            Ok(None) => Ok(()),
            _ => Err(TablesError::Gone { process: self.name.clone(), said: self.said() }),
        }
    }

    /// The end of what it wrote to standard error.
    pub fn said(&self) -> String {
        let bytes = std::fs::read(&self.log).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(SHOWN)..]).into_owned();
        if text.trim().is_empty() { "it said nothing".to_owned() } else { text.trim().to_owned() }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.processes.end(&mut self.child);
    }
}

/// Sends the first line and drains the rest, so that the process never blocks on its output.
fn first_line(output: impl Read + Send + 'static) -> mpsc::Receiver<String> {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let mut lines = BufReader::new(output).lines().map_while(Result::ok);
        if let Some(line) = lines.next() {
            // Nobody waits any more when it took too long.
            let _ = send.send(line);
        }
        drop(send);
        lines.for_each(drop);
    });
    receive
}
