//! The DevTools protocol over a pipe: JSON messages that end with a zero byte. One command at a time; events in between go to the
//! caller.
//!
//! Source: the `remote-debugging-pipe` switch of Chromium, and the Chrome DevTools Protocol (`sessionId` of flat sessions).

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{ChildStdin, ChildStdout};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::error::TablesError;

/// How much of the end of standard error is shown, in bytes.
const SHOWN: usize = 2 << 10;

pub(super) struct Wire {
    to: ChildStdin,
    from: mpsc::Receiver<Value>,
    last: u64,
    /// What the browser writes to standard error.
    log: PathBuf,
}

impl Wire {
    /// Reads on a thread of its own, which ends with the browser: the browser never waits for its reader.
    pub(super) fn over(to: ChildStdin, from: ChildStdout, log: PathBuf) -> Self {
        let (send, receive) = mpsc::channel();
        std::thread::spawn(move || messages(BufReader::new(from), |message| send.send(message).is_ok()));
        Self { to, from: receive, last: 0, log }
    }

    /// Sends a command and waits for its result.
    ///
    /// # Errors
    /// The browser has ended, refuses it, or does not answer in time.
    pub(super) fn call(
        &mut self,
        session: Option<&str>,
        method: &str,
        parameters: Value,
        limit: Duration,
        mut on_event: impl FnMut(&Value),
    ) -> Result<Value, TablesError> {
        self.last += 1;
        let mut command = json!({ "id": self.last, "method": method, "params": parameters });
        if let Some(session) = session {
            command["sessionId"] = session.into();
        }
        let mut text = command.to_string();
        text.push('\0');
        self.to.write_all(text.as_bytes()).and_then(|()| self.to.flush()).map_err(|_| self.gone())?;
        let end = now() + limit;
        while let Some(mut message) = self.event(end.saturating_duration_since(now()))? {
            if message["id"] != self.last {
                on_event(&message);
                continue;
            }
            return match message["error"]["message"].as_str() {
                Some(error) => Err(TablesError::Unexpected { what: format!("the browser refuses {method}: {error}") }),
                None => Ok(message["result"].take()),
            };
        }
        Err(TablesError::Unexpected { what: format!("the browser did not answer {method} within {limit:?}") })
    }

    /// The next message, or none in time.
    ///
    /// # Errors
    /// The browser has ended.
    pub(super) fn event(&mut self, limit: Duration) -> Result<Option<Value>, TablesError> {
        match self.from.recv_timeout(limit) {
            Ok(message) => Ok(Some(message)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(self.gone()),
        }
    }

    fn gone(&self) -> TablesError {
        let bytes = std::fs::read(&self.log).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(SHOWN)..]).trim().to_owned();
        let said = if text.is_empty() { "it said nothing".to_owned() } else { text };
        TablesError::Gone { process: "browser".to_owned(), said }
    }
}

/// Takes messages apart until the other end is closed or `take` wants no more. What is no JSON is left out.
fn messages(mut from: impl BufRead, mut take: impl FnMut(Value) -> bool) {
    let mut bytes = Vec::new();
    while matches!(from.read_until(0, &mut bytes), Ok(count) if count > 0) {
        let text = bytes.strip_suffix(&[0]).unwrap_or(&bytes);
        if let Ok(message) = serde_json::from_slice(text)
            && !take(message)
        {
            return;
        }
        bytes.clear();
    }
}

#[expect(clippy::disallowed_methods, reason = "waiting for a browser has a bound")]
fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests;
