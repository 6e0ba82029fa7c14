//! How a command ends when it could not do what was asked: exit code and one sentence on standard error.

use std::error::Error;
use std::fmt;
use std::io;
use std::process::ExitCode;

use web::WebError;

use crate::administration::client::ClientError;
use crate::error::{ServerError, chain};

/// Exit code when a server could not be reached or a queue manager not be found.
pub(super) const COULD_NOT_RUN: u8 = 20;

#[derive(Debug)]
pub(super) struct Failure {
    code: u8,
    sentence: String,
}

impl Failure {
    pub(super) fn new(code: u8, sentence: impl Into<String>) -> Self {
        Self { code, sentence: sentence.into() }
    }

    pub(super) fn of(code: u8, error: &dyn Error) -> Self {
        Self::new(code, chain(error))
    }

    pub(super) fn report(&self) -> ExitCode {
        if !self.sentence.is_empty() {
            eprintln!("{self}");
        }
        ExitCode::from(self.code)
    }
}

impl fmt::Display for Failure {
    /// Sentences with a published identifier stand alone, as scripts look for them at the start of a line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.sentence.starts_with("AMQ") || self.sentence.starts_with("BAQ") {
            f.write_str(&self.sentence)
        } else {
            write!(f, "quaymaster: {}", self.sentence)
        }
    }
}

impl From<ServerError> for Failure {
    fn from(error: ServerError) -> Self {
        let usage = matches!(
            error,
            ServerError::Configuration(_)
                | ServerError::Identity(_)
                | ServerError::Web(WebError::Option { .. } | WebError::Identity(_))
        );
        let code = if usage { 2 } else { 1 };
        Self::of(code, &error)
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        let code = if matches!(error, ClientError::Refused(_)) { 1 } else { COULD_NOT_RUN };
        Self::of(code, &error)
    }
}

impl From<io::Error> for Failure {
    /// A reader of our output that goes away is no failure to speak of.
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe { Self::new(1, "") } else { Self::of(1, &error) }
    }
}
