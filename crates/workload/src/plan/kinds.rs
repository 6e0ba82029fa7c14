//! The words of a plan: what clients do, how they show who they are, what they keep and what they make anew.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Transaction that each client repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Scenario {
    /// Put a message, then get it by its correlation identifier: two requests, one transaction.
    PutGet,
    /// Put a message.
    Put,
    /// Get the next message.
    Get,
    /// Browse the first message.
    Browse,
    /// Put a request and get its reply, put by `workload responder` or another batch server.
    RequestReply,
    /// `POST` a JSON request to a two-way service, and check that the reply belongs to it.
    Service,
    /// Let programs with a communication stub call an API requester in front of `workload provider`.
    Requester,
    /// `POST` and `GET` on fixed paths of a web server: the cost of HTTP alone with this client.
    HttpFloor,
    /// `GET` of administrative paths and `PATCH` of one.
    Administration,
}

impl Scenario {
    /// As plans and results write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::PutGet => "put-get",
            Self::RequestReply => "request-reply",
            Self::Service => "service",
            Self::Put => "put",
            Self::Get => "get",
            Self::Browse => "browse",
            Self::Requester => "requester",
            Self::HttpFloor => "http-floor",
            Self::Administration => "administration",
        }
    }

    /// Whether it sends bodies that are as long as wanted.
    pub(crate) fn has_request_size(self) -> bool {
        matches!(self, Self::PutGet | Self::Put | Self::RequestReply | Self::HttpFloor)
    }

    /// Whether clients put to a queue, or get from one.
    pub(crate) fn has_queue(self) -> bool {
        matches!(self, Self::PutGet | Self::Put | Self::Get | Self::Browse | Self::RequestReply)
    }

    /// Whether messages of the run are to be gone from the queues after it, so that those that never came are lost.
    pub(crate) fn leaves_nothing(self) -> bool {
        matches!(self, Self::PutGet | Self::RequestReply)
    }
}

/// How clients authenticate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Login {
    /// Log in once and send the LTPA cookie with every request.
    #[default]
    Ltpa,
    /// Log in for every transaction and send that LTPA cookie.
    Every,
    /// HTTP Basic with every request.
    Basic,
    /// No credentials.
    None,
}

/// How long an HTTP connection is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Connection {
    /// Use it as long as the server keeps it.
    #[default]
    Keep,
    /// Use it for one transaction.
    Transaction,
    /// Use it for one request, as separate calls of curl do.
    New,
}

/// How often a client does what need be done but once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Frequency {
    #[default]
    Once,
    /// In every transaction.
    Every,
}

/// Source of the value of the header `ibm-mq-rest-csrf-token`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Csrf {
    /// Any value, as for releases from 9.0.5 on.
    #[default]
    Header,
    /// The cookie `csrfToken` of one login, as for 9.0.1 to 9.0.4.
    Once,
    /// The same cookie, read by a login `GET` before each `PATCH`.
    Every,
}

/// Where clients live.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "Written", into = "Written")]
pub enum Processes {
    /// Of `Scenario::Requester`: so many processes of the program.
    Count(u32),
    /// One process of the driver for each client.
    User,
    /// A new process of the driver for each transaction.
    Request,
}

#[derive(Deserialize, Serialize)]
#[serde(untagged)]
enum Written {
    Count(u32),
    Word(String),
}

impl TryFrom<Written> for Processes {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        match written {
            Written::Count(count) => Ok(Self::Count(count)),
            Written::Word(word) => word.parse(),
        }
    }
}

impl From<Processes> for Written {
    fn from(processes: Processes) -> Self {
        match processes {
            Processes::Count(count) => Self::Count(count),
            Processes::User => Self::Word("user".to_owned()),
            Processes::Request => Self::Word("request".to_owned()),
        }
    }
}

impl FromStr for Processes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "user" => Ok(Self::User),
            "request" => Ok(Self::Request),
            _ => text.parse().map(Self::Count).map_err(|_| format!("'{text}' is not 'user', 'request' or a number")),
        }
    }
}

/// Processor time to report under one name: a process, perhaps with its children, or some of its threads.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    pub pid: u32,
    /// Also its children, living and ended, and theirs.
    #[serde(default)]
    pub children: bool,
    /// Only threads whose name begins so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<String>,
}

impl FromStr for Group {
    type Err = String;

    /// `PID`, `PID+children` or `PID/THREAD-NAME-PREFIX`.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("'{text}' is not of the form PID, PID+children or PID/THREADS");
        let (pid, children, threads) = match (text.strip_suffix("+children"), text.split_once('/')) {
            (Some(pid), None) => (pid, true, None),
            (None, Some((pid, prefix))) if !prefix.is_empty() => (pid, false, Some(prefix.to_owned())),
            (None, None) => (text, false, None),
            _ => return Err(wrong()),
        };
        Ok(Self { pid: pid.parse().map_err(|_| wrong())?, children, threads })
    }
}
