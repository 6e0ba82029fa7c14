//! What a process writes to standard error, which a thread reads and keeps.
//!
//! A line that the process wrote before another pipe told of something may still be on its way here: a test that wants
//! a line waits for it with `line`.

use std::io::{BufRead, BufReader, Read};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};

use crate::wait;

/// Most text that is kept, in bytes.
const TEXT_LIMIT: usize = 1 << 20;
const LINE_LIMIT: Duration = Duration::from_secs(300);

pub struct Log {
    text: Arc<Mutex<String>>,
    reader: Option<std::thread::JoinHandle<()>>,
}

impl Log {
    pub fn of(errors: impl Read + Send + 'static) -> Self {
        let text = Arc::new(Mutex::new(String::new()));
        let kept = Arc::clone(&text);
        let reader = std::thread::spawn(move || {
            for line in BufReader::new(errors).split(b'\n').map_while(Result::ok) {
                let line = String::from_utf8_lossy(&line);
                let mut text = kept.lock().unwrap_or_else(PoisonError::into_inner);
                if text.len() + line.len() < TEXT_LIMIT {
                    text.push_str(&line);
                    text.push('\n');
                }
            }
        });
        Self { text, reader: Some(reader) }
    }

    /// What has been read so far.
    pub fn text(&self) -> String {
        self.text.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The first line that contains this, once it has been read.
    ///
    /// # Errors
    /// No such line within five minutes: with all lines.
    pub fn line(&self, part: &str) -> Result<String> {
        let mut found = None;
        wait::until("a line of the log", LINE_LIMIT, || {
            found = self.text().lines().find(|line| line.contains(part)).map(str::to_owned);
            Ok(found.is_some())
        })
        .with_context(|| format!("no line '{part}' in:\n{}", self.text()))?;
        found.context("it was found")
    }

    /// The text is whole once the process has ended and this returns.
    pub fn join(&mut self) {
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
    }
}
