//! The administration socket: how the commands beside `serve` reach a running server.
//!
//! `DIR/admin.sock` is a Unix socket of mode 0600, so that only its owner may open it; every client on it is an administrator.
//! Both ends are this program, of the same version as a rule: the protocol is ours and not for others to build on.
//!
//! ```text
//! offset  width  field, numbers with the high byte first
//! 0       4      length of the header in bytes, at most 1 MiB
//! 4       4      length of the body in bytes, at most 128 MiB
//! 8       h      header: a JSON object, `Request` one way, `Answer` the other
//! 8+h     b      body: a message's bytes, or text, as the header says; often empty
//! ```
//! A client sends a request and reads answers (`calls` has those of applications): one, or for `Get` a `Message` each followed by `End`. A message that was
//! got stays in its unit of work until the client says `Taken`; a client that goes away gets it backed out.
//!
//! The body of an answer may have any length. It is sent in parts of 1 MiB: frames with the header `Part` carry all but
//! the last one, which follows the header of the answer itself. Everything that may grow with the number of objects is
//! therefore in the body.

pub(crate) mod api_keys;
pub(crate) mod calls;
pub(crate) mod client;
pub(crate) mod frame;
pub(crate) mod message;
pub(crate) mod server;
mod verbs;

use queue_manager::registry::State;
use serde::{Deserialize, Serialize};

use crate::creation::NewQueueManager;
use crate::serve::ending::EndMode;

/// What a client asks for. `queue_manager` absent or blank means the server's first.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(crate) enum Request {
    Status,
    /// One MQSC command.
    Mqsc {
        queue_manager: Option<String>,
        command: String,
        /// The answer's body is the reply as JSON, instead of lines of text.
        json: bool,
    },
    /// dmpmqcfg; the answer's body is the text.
    Dump {
        queue_manager: Option<String>,
        all_attributes: bool,
        one_line: bool,
        name: Option<String>,
        export: Option<String>,
        include_defaults: bool,
    },
    /// The request's body is the message's.
    Put {
        queue_manager: Option<String>,
        queue: String,
        message: NewMessage,
    },
    Get {
        queue_manager: Option<String>,
        queue: String,
        browse: bool,
        /// At most this many messages.
        count: u64,
        /// For the first message; later ones are taken only when they are there.
        wait_ms: u64,
        message_id: Option<String>,
        correlation_id: Option<String>,
        /// Convert text to UTF-8.
        convert: bool,
    },
    /// The message of the last answer has been written where it belongs.
    Taken,
    /// Begins a connection of an application; `Call`s follow.
    Connect {
        queue_manager: Option<String>,
        application: String,
    },
    Call(calls::Call),
    Depth {
        queue_manager: Option<String>,
        /// A generic name.
        queue: String,
    },
    /// Messages that could not be read back.
    Quarantine {
        queue_manager: Option<String>,
        action: QuarantineAction,
    },
    /// Keeps the recovery log as it is until `Release`, or until the client goes away.
    Hold {
        queue_manager: String,
    },
    Release,
    /// A queue manager was restored into the folder of this name below `qmgrs`, as `DataDirectory::restoring` names it.
    TakeInRestored {
        name: String,
    },
    Reload,
    /// The answer's body is the key, which is told to nobody again.
    CreateApiKey(NewKey),
    ListApiKeys,
    RevokeApiKey {
        id: String,
    },
    /// strmqm.
    StartQueueManager {
        name: String,
    },
    /// endmqm.
    EndQueueManager {
        name: String,
        ending: Ending,
    },
    /// crtmqm.
    CreateQueueManager {
        name: String,
        new: NewQueueManager,
    },
    /// dltmqm.
    DeleteQueueManager {
        name: String,
    },
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum QuarantineAction {
    List,
    Export(u64),
    Remove(u64),
}

/// How endmqm wants a queue manager to end.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Ending {
    pub mode: EndMode,
    /// Answer once it has ended.
    pub waits: bool,
    /// After this long a quiesce turns into an immediate end.
    pub within_seconds: Option<u64>,
    /// Then preemptively.
    pub may_preempt: bool,
}

/// Attributes of a message to put. What is absent takes MQMD's default.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct NewMessage {
    pub persistent: Option<bool>,
    pub priority: Option<u8>,
    pub expiry_ms: Option<u64>,
    pub message_id: Option<String>,
    pub correlation_id: Option<String>,
    pub reply_to_queue: Option<String>,
    /// Format MQSTR in UTF-8; otherwise no format.
    pub text: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(crate) enum Answer {
    /// The body is the next part of the answer that follows.
    Part,
    Status(Status),
    /// The body is the reply: lines, each with its end, or JSON.
    Mqsc {
        outcome: Outcome,
    },
    /// The body is the text.
    Text,
    Put {
        message_id: String,
        warning: Option<String>,
    },
    /// The body is the message's.
    Message(Box<MessageHeader>),
    /// No more messages, or as many as were asked for.
    End {
        count: u64,
    },
    Connected {
        queue_manager: String,
        dead_letter_queue: String,
    },
    Opened {
        handle: u32,
    },
    /// The answer's body is the message, MQMD first.
    Got {
        /// MQRC_*.
        warning: Option<i32>,
    },
    /// The body is a JSON array of `QueueDepth`.
    Depths,
    /// The body is a JSON array of `QuarantinedMessage`.
    Quarantine,
    /// The body is the key.
    ApiKeyCreated(ApiKeyRow),
    /// The body is a JSON array of `ApiKeyRow`.
    ApiKeys,
    /// The body is what could be read of a message's.
    Salvaged,
    /// The log is held up to here.
    Held {
        oldest: u32,
        end: u64,
    },
    Done {
        notes: Vec<String>,
    },
    Refused(Refusal),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Outcome {
    Succeeded,
    SyntaxError,
    Failed,
}

/// Why a request was not done.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Refusal {
    pub kind: RefusalKind,
    pub sentence: String,
    /// MQRC_*, when the queue manager gave one.
    #[serde(default)]
    pub reason: Option<i32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum RefusalKind {
    /// This server does not host the queue manager.
    UnknownQueueManager,
    /// It does, and the queue manager has ended.
    QueueManagerEnded,
    /// It runs, or is about to.
    AlreadyRunning,
    /// It is ending.
    Ending,
    AlreadyExists,
    /// The queue manager gave a reason.
    Reason,
    Invalid,
    /// It was tried, and did not succeed.
    Failed,
}

impl Refusal {
    pub(crate) fn new(kind: RefusalKind, sentence: impl Into<String>) -> Self {
        Self { kind, sentence: sentence.into(), reason: None }
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Status {
    pub process: u32,
    pub ready: bool,
    pub queue_managers: Vec<QueueManagerStatus>,
}

/// One queue manager that the server knows.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct QueueManagerStatus {
    pub name: String,
    /// A word of `queue_manager::registry::State`.
    pub state: String,
    pub is_default: bool,
    /// Named at the server's start, or started since.
    pub is_expected: bool,
    /// Why it could not start, or ended unexpectedly.
    pub problem: Option<String>,
    /// While it runs.
    #[serde(default)]
    pub quotas: Vec<QuotaStatus>,
}

/// How far a quota of a queue manager is used.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct QuotaStatus {
    /// `disk` or `memory`.
    pub of: String,
    pub used_bytes: u64,
    pub maximum_bytes: u64,
    pub percent: u64,
}

impl QueueManagerStatus {
    /// `None` for a word of another version.
    pub(crate) fn state(&self) -> Option<State> {
        State::from_word(&self.state)
    }

    pub(crate) fn is_running(&self) -> bool {
        self.state() == Some(State::Running)
    }
}

/// A message's descriptor as the command line shows it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MessageHeader {
    pub message_id: String,
    pub correlation_id: String,
    pub format: String,
    pub ccsid: i32,
    pub persistent: bool,
    pub priority: i32,
    /// Tenths of a second left; -1 is unlimited.
    pub expiry: i32,
    pub put_date: String,
    pub put_time: String,
    pub put_application_name: String,
    pub user_identifier: String,
    pub reply_to_queue: String,
    pub reply_to_queue_manager: String,
    pub backout_count: u32,
    pub warning: Option<String>,
}

/// A message that cannot be delivered.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct QuarantinedMessage {
    pub key: u64,
    /// Its name; `#` and its number when no definition of it is left.
    pub queue: String,
    pub message_id: String,
    /// Microseconds since 1970.
    pub arrived: u64,
    /// Of the body as it was put, in bytes.
    pub length: u32,
    pub file: String,
}

/// An API key to be made.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NewKey {
    pub user: String,
    pub name: String,
    pub queues: Vec<String>,
    pub topics: Vec<String>,
    pub may: Vec<String>,
    pub expires_after_seconds: Option<u64>,
}

/// An API key without its secret. Times are ISO 8601.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ApiKeyRow {
    pub id: String,
    pub name: String,
    pub user: String,
    pub queues: Vec<String>,
    pub topics: Vec<String>,
    pub may: Vec<String>,
    pub created_at: String,
    pub expires_at: Option<String>,
    pub last_used_at: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct QueueDepth {
    pub queue: String,
    pub depth: u32,
    pub maximum_depth: u32,
    pub uncommitted: u32,
    pub open_input: u32,
    pub open_output: u32,
}
