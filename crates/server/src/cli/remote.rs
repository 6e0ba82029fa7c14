//! `--url`: a server reached over HTTPS instead of the socket in the data directory; and the options by which a user shows
//! who they are to anything reached over a network.

use std::io::{IsTerminal, stdin};
use std::path::{Path, PathBuf};

use clap::Args;
use http::StatusCode;

use super::exit_code::{FAILED, UNREACHABLE, USAGE};
use super::failure::Failure;
use crate::rest_client::{RestClient, RestError};

/// The queue manager of a server of which nothing is known but its URL.
pub(super) const DEFAULT_QUEUE_MANAGER: &str = "QM1";

#[derive(Debug, Clone, Args)]
pub(super) struct Remote {
    /// URL of a server to reach over HTTPS, instead of the socket in the data directory.
    #[arg(long, value_name = "URL", group = "far")]
    url: Option<String>,
    /// User for the login; the password is read from $QUAYMASTER_PASSWORD, --password-file or the terminal.
    #[arg(long = "user", value_name = "NAME", id = "rest_user", requires = "far")]
    user: Option<String>,
    /// File with the password, or with lines `user password` as in DIR/initial-passwords.
    #[arg(long, value_name = "FILE", requires = "far")]
    password_file: Option<PathBuf>,
    /// PEM file of trusted certificates.
    #[arg(long, value_name = "FILE", requires = "far")]
    cacert: Option<PathBuf>,
}

impl Remote {
    pub(super) fn is_given(&self) -> bool {
        self.url.is_some()
    }

    /// A client that signs in as `--user`, else as `user`, else not at all.
    ///
    /// # Errors
    /// The URL, the password or the certificates cannot be used.
    pub(super) fn client(&self, user: Option<&str>) -> Result<RestClient, Failure> {
        let user = self.user.as_deref().or(user);
        let password = user.map(|user| self.password(user)).transpose()?;
        let url = self.url.as_deref().unwrap_or_default();
        RestClient::new(url, user.zip(password.as_deref()), self.cacert.as_deref())
            .map_err(|error| rest_failure(&error))
    }

    pub(super) fn user(&self) -> Option<&str> {
        self.user.as_deref()
    }

    pub(super) fn cacert(&self) -> Option<&Path> {
        self.cacert.as_deref()
    }

    /// From the file, the environment, or asked for at a terminal.
    ///
    /// # Errors
    /// The file cannot be read, or there is nobody to ask.
    pub(super) fn password(&self, user: &str) -> Result<String, Failure> {
        if let Some(file) = &self.password_file {
            let text = std::fs::read_to_string(file).map_err(|error| {
                Failure::new(USAGE, format!("--password-file: cannot read {}: {error}", file.display()))
            })?;
            let mine = text.lines().find_map(|line| line.strip_prefix(user)?.strip_prefix(' '));
            return Ok(mine.or_else(|| text.lines().next()).unwrap_or_default().to_owned());
        }
        match std::env::var("QUAYMASTER_PASSWORD") {
            Ok(password) => Ok(password),
            Err(_) if stdin().is_terminal() => Ok(rpassword::prompt_password(format!("Password of {user}: "))?),
            Err(_) => Err(Failure::new(2, "--user: a password is expected in $QUAYMASTER_PASSWORD or --password-file")),
        }
    }
}

/// As [`rest_failure`], of a resource that is missing only when its queue manager is.
pub(super) fn administrative_failure(error: &RestError) -> Failure {
    match error {
        RestError::Refused { status: StatusCode::NOT_FOUND, .. } => Failure::of(UNREACHABLE, error),
        _ => rest_failure(error),
    }
}

pub(super) fn rest_failure(error: &RestError) -> Failure {
    let code = match error {
        RestError::Refused { status: StatusCode::SERVICE_UNAVAILABLE, .. } => UNREACHABLE,
        RestError::Refused { .. } => FAILED,
        RestError::Url { .. } => USAGE,
        _ => UNREACHABLE,
    };
    Failure::of(code, error)
}
