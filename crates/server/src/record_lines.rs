//! Records of accounting and statistics as lines of JSON in a file of each queue manager, of bounded size.
//!
//! A line is written whole, in one write, so that a concurrent reader sees whole lines. When the next line would make
//! the file too long, `NAME.jsonl` becomes `NAME.jsonl.1`, that `NAME.jsonl.2`, and the oldest goes. The file is made with
//! the first line, so that a queue manager that collects nothing leaves no trace.
//!
//! A file that cannot be written costs its lines and nothing else: the log says so once, and the records are on their
//! queue all the same.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use queue_manager::accounting::RecordSink;
use tracing::{info, warn};

use crate::data_directory::create_folder;

/// Where the files of all queue managers lie, and how much they may hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LineFiles {
    pub folder: PathBuf,
    /// Most bytes of one file.
    pub file_bytes: u64,
    /// Files of one queue manager, the one being written included.
    pub files: u32,
}

/// The file of one queue manager.
pub(crate) struct RecordLines {
    path: PathBuf,
    limits: LineFiles,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    open: Option<Open>,
    /// Lines lost since the last that was written.
    lost: u64,
}

struct Open {
    file: File,
    bytes: u64,
}

impl RecordLines {
    /// `name` is that of the queue manager as folders are named.
    pub(crate) fn new(limits: LineFiles, name: &str) -> Self {
        Self { path: limits.folder.join(format!("{name}.jsonl")), limits, state: Mutex::default() }
    }

    fn append(&self, state: &mut State, line: &str) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(line.len() + 1);
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        if state.open.as_ref().is_some_and(|open| open.bytes > 0 && open.bytes + length > self.limits.file_bytes) {
            state.open = None;
            self.rotate()?;
        }
        let open = match &mut state.open {
            Some(open) => open,
            none => none.insert(self.open()?),
        };
        if open.bytes > 0 && open.bytes + length > self.limits.file_bytes {
            // What an earlier server left is long enough already.
            state.open = None;
            self.rotate()?;
            return self.append(state, line);
        }
        open.file.write_all(&bytes)?;
        open.bytes += length;
        Ok(())
    }

    fn open(&self) -> io::Result<Open> {
        create_folder(&self.limits.folder).map_err(io::Error::other)?;
        let file = OpenOptions::new().create(true).append(true).mode(0o600).open(&self.path)?;
        let bytes = file.metadata()?.len();
        Ok(Open { file, bytes })
    }

    fn rotate(&self) -> io::Result<()> {
        let older = |number: u32| numbered(&self.path, number);
        for number in (1..self.limits.files.saturating_sub(1)).rev() {
            ignore_absence(std::fs::rename(older(number), older(number + 1)))?;
        }
        if self.limits.files > 1 { std::fs::rename(&self.path, older(1)) } else { std::fs::remove_file(&self.path) }
    }
}

impl RecordSink for RecordLines {
    fn write(&self, line: &str) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match self.append(&mut state, line) {
            Ok(()) if state.lost > 0 => {
                info!(file = %self.path.display(), lost = state.lost, "accounting and statistics records are written to the file again");
                state.lost = 0;
            }
            Ok(()) => {}
            Err(error) => {
                state.open = None;
                if state.lost == 0 {
                    warn!(file = %self.path.display(), %error, "accounting and statistics records cannot be written to the file");
                }
                state.lost += 1;
            }
        }
    }
}

fn numbered(path: &Path, number: u32) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    PathBuf::from(name)
}

fn ignore_absence(outcome: io::Result<()>) -> io::Result<()> {
    match outcome {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests;
