//! What may go wrong around a measurement. A figure that could not be had is no error: the outcome tells why.

use std::io;
use std::path::PathBuf;

use workload::WorkloadError;

#[derive(Debug, thiserror::Error)]
pub enum TablesError {
    /// Neither a name nor a letter of an experiment.
    #[error("there is no experiment '{name}', expected {known} or all")]
    Unknown { name: String, known: String },
    #[error("cannot {what} {}", path.display())]
    File {
        what: &'static str,
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("cannot start {}", program.display())]
    Start {
        program: PathBuf,
        #[source]
        source: io::Error,
    },
    /// A process ended or stayed silent; `said` is the end of what it wrote to standard error.
    #[error("{process} did not become ready: {said}")]
    NotReady { process: String, said: String },
    #[error("{process} has ended: {said}")]
    Gone { process: String, said: String },
    /// An answer of a server that was prepared for this is not what it has to be.
    #[error("{what}")]
    Unexpected { what: String },
    /// The programs that were tried, by their names.
    #[error("there is no Chromium ({looked_for}); install one, or name it with --browser")]
    NoBrowser { looked_for: String },
    #[error("cannot handle signals")]
    Signals(#[source] io::Error),
    #[error("cannot draw a chart: {0}")]
    Chart(String),
    #[error(transparent)]
    Workload(#[from] WorkloadError),
}

impl TablesError {
    /// The error and its causes in one line.
    pub fn chain(&self) -> String {
        let mut text = self.to_string();
        let mut source = std::error::Error::source(self);
        while let Some(cause) = source {
            let cause_text = cause.to_string();
            // A transparent error is its own cause's text.
            if !text.ends_with(&cause_text) {
                text.push_str(": ");
                text.push_str(&cause_text);
            }
            source = cause.source();
        }
        text
    }
}
