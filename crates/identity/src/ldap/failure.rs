//! Why the directory gave no answer. What an application sees is one thing (503); the log has the rest.

use std::fmt;

use ldap3::LdapError;

/// A question that was not answered.
#[derive(Debug)]
pub(super) enum Failure {
    /// The connection is of no use any more.
    Broken(LdapError),
    /// No answer in time.
    Slow,
    /// The server answered with a result that tells nothing about the user.
    Refused { code: u32, text: String },
    /// More entries match than may, so that who is meant, or what it belongs to, is not known.
    TooMany { what: &'static str },
    /// No server can be reached, or all were in trouble a moment ago.
    Unreachable,
}

impl From<LdapError> for Failure {
    fn from(error: LdapError) -> Self {
        match error {
            LdapError::Timeout { .. } => Self::Slow,
            other => Self::Broken(other),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Broken(error) => write!(f, "the connection failed: {error}"),
            Self::Slow => f.write_str("no answer within the time allowed"),
            // The text is the server's; control characters would forge lines of a log.
            Self::Refused { code, text } => write!(f, "result code {code} ({})", text.escape_debug()),
            Self::TooMany { what } => write!(f, "there are too many {what}"),
            Self::Unreachable => f.write_str("no server can be reached"),
        }
    }
}
