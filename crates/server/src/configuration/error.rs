//! Why a configuration cannot be used: always one sentence with key, value and what was expected.

use std::fmt;
use std::path::PathBuf;

/// Where a value came from, as an error sentence names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    File(PathBuf),
    Environment(&'static str),
    Flag(&'static str),
}

/// A value with its origin and key: `--https`, `MQ_DEV`, or `server.https in quaymaster.toml`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub path: String,
    pub origin: Origin,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.origin {
            Origin::File(file) => write!(f, "{} in {}", self.path, file.display()),
            Origin::Environment(name) => f.write_str(name),
            Origin::Flag(flag) => f.write_str(flag),
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigurationError {
    #[error("cannot read the configuration file {}", file.display())]
    Read {
        file: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// A file that is made of the surroundings of a container.
    #[error("cannot make {}", path.display())]
    Prepare {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("{} cannot be used", file.display())]
    Import {
        file: PathBuf,
        #[source]
        source: configuration_import::error::ImportError,
    },
    #[error("{}, line {line}: {problem}", file.display())]
    Syntax { file: PathBuf, line: usize, problem: String },
    #[error("unknown key {place}{}", suggest(nearest.as_deref()))]
    UnknownKey { place: Place, nearest: Option<String> },
    #[error("{place}: {value} is not valid, expected {expected}")]
    Value { place: Place, value: String, expected: String },
    /// Something is wrong inside of a table of the user's own keys.
    #[error("{place}: {problem}")]
    Entry { place: Place, problem: String },
    #[error("{place}: {problem}")]
    Conflict { place: Place, problem: &'static str },
    /// Of `[group]`, with the key.
    #[error("{0}")]
    Group(String),
}

fn suggest(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |known| format!(", did you mean {known}?"))
}
