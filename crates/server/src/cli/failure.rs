//! How a command ends when it could not do what was asked: exit code and one sentence on standard error.
//!
//! The sentence is text, a JSON object when the command line has `--json`, or a line of a JSON log for a server that
//! writes one. The form is set once, before anything can fail.

use std::error::Error;
use std::fmt;
use std::io;
use std::process::ExitCode;
use std::sync::OnceLock;

use model::reason::Reason;
use serde_json::json;
use web::WebError;

use super::exit_code::{FAILED, NO_MESSAGE, UNREACHABLE, USAGE};
use crate::administration::RefusalKind;
use crate::administration::client::ClientError;
use crate::configuration::{LogFormat, LogLevel};
use crate::error::{ServerError, chain};
use crate::logging;

/// How sentences on standard error are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Text,
    /// An object with the member `error` or `warning`.
    Json,
    /// Lines of a JSON log.
    Log,
}

static FORM: OnceLock<Form> = OnceLock::new();

/// Only the first call has an effect. A JSON log starts at once, so that every failure, including a panic, is a line of it.
pub(super) fn set_form(form: Form) {
    if FORM.set(form).is_ok() && form == Form::Log {
        logging::start(LogFormat::Json, LogLevel::Info);
    }
}

pub(super) fn is_text() -> bool {
    form() == Form::Text
}

fn form() -> Form {
    FORM.get().copied().unwrap_or(Form::Text)
}

/// Says that something was done, but not all as asked.
pub(super) fn warn(sentence: &str) {
    match form() {
        Form::Text => eprintln!("quaymaster: {sentence}"),
        Form::Json => eprintln!("{}", json!({ "warning": { "message": sentence } })),
        Form::Log => tracing::warn!("{sentence}"),
    }
}

/// Says something beside what was asked for, on a terminal and in a log of text alone.
pub(super) fn note(sentence: &str) {
    if is_text() {
        eprintln!("{sentence}");
    }
}

#[derive(Debug)]
pub(super) struct Failure {
    code: u8,
    sentence: String,
    reason: Option<Reason>,
}

impl Failure {
    pub(super) fn new(code: u8, sentence: impl Into<String>) -> Self {
        Self { code, sentence: sentence.into(), reason: None }
    }

    pub(super) fn of(code: u8, error: &dyn Error) -> Self {
        Self::new(code, chain(error))
    }

    /// Names the reason of the queue manager, which JSON shows as a number.
    pub(super) fn with_reason(mut self, reason: Reason) -> Self {
        self.reason = Some(reason);
        self
    }

    pub(super) fn sentence(&self) -> &str {
        &self.sentence
    }

    pub(super) const fn reason(&self) -> Option<Reason> {
        self.reason
    }

    /// There is no connection, or none any more.
    pub(super) fn is_unreachable(&self) -> bool {
        self.code == UNREACHABLE || self.reason == Some(Reason::ConnectionBroken)
    }

    /// The same with another exit code.
    pub(super) fn with_code(mut self, code: u8) -> Self {
        self.code = code;
        self
    }

    pub(super) fn report(&self) -> ExitCode {
        if !self.sentence.is_empty() {
            match form() {
                Form::Text => eprintln!("{self}"),
                Form::Json => eprintln!("{}", self.json()),
                Form::Log => tracing::error!(exit_code = self.code, "{}", self.sentence),
            }
        }
        ExitCode::from(self.code)
    }

    fn json(&self) -> serde_json::Value {
        let mut error = json!({ "message": self.sentence, "exitCode": self.code });
        if let Some(reason) = self.reason {
            error["reasonCode"] = json!(reason.number());
            error["reason"] = json!(reason.name());
        }
        json!({ "error": error })
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
        Self::of(if usage { USAGE } else { FAILED }, &error)
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        let ClientError::Refused(refusal) = &error else { return Self::of(UNREACHABLE, &error) };
        let reason = refusal.reason.and_then(Reason::from_number);
        let code = match (refusal.kind, reason) {
            (RefusalKind::Invalid, _) => USAGE,
            (RefusalKind::UnknownQueueManager | RefusalKind::QueueManagerEnded, _) => UNREACHABLE,
            (_, Some(Reason::NoMsgAvailable)) => NO_MESSAGE,
            _ => FAILED,
        };
        let failure = Self::new(code, &*refusal.sentence);
        match reason {
            Some(reason) => failure.with_reason(reason),
            None => failure,
        }
    }
}

impl From<io::Error> for Failure {
    /// A reader of our output that goes away is no failure to speak of.
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe { Self::new(FAILED, "") } else { Self::of(FAILED, &error) }
    }
}
