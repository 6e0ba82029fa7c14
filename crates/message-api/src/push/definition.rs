//! What a push target is: which messages it takes, where they go, how often, and whose authority counts.
//!
//! Its form in the file of definitions is that of `serde` here, and has the secrets; what its user sees is `shown`, and has none.

use std::time::Duration;

use model::authority::Principal;
use model::identifier::{CorrelationId, GroupId, MessageId};
use model::options::{GetFlags, GetOptions};
use model::timestamp::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::delays::Retry;
use super::signature::Secret;
use crate::time_text::{write_duration, write_moment};

/// Longest name, in bytes.
pub const LONGEST_NAME: usize = 48;

/// Names a target: the queue manager, and the name that its user gave.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Key {
    pub queue_manager: String,
    pub name: String,
}

impl Key {
    /// `None`: the name is empty, too long, or has other characters than letters, digits, `.`, `_` and `-`.
    pub fn new(queue_manager: &str, name: &str) -> Option<Self> {
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        let is_good = (1..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(is_name);
        is_good.then(|| Self { queue_manager: queue_manager.to_owned(), name: name.to_owned() })
    }
}

/// Where the messages come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum Source {
    Queue(String),
    /// A durable subscription with a queue of its own, made when there is none of this name.
    Subscription {
        topic: String,
        name: String,
    },
}

/// Who made a target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    pub user: String,
    /// Those that the user had then. They count where the user is not known by name, as one of an issuer of tokens.
    pub groups: Vec<String>,
}

impl Owner {
    pub fn of(principal: &Principal) -> Self {
        let groups = principal.groups.iter().map(ToString::to_string).collect();
        Self { user: principal.user.to_string(), groups }
    }

    /// The user with these groups.
    pub fn principal(&self) -> Principal {
        let groups = self.groups.iter().map(|group| group.as_str().into()).collect();
        Principal { groups, ..Principal::user(&self.user) }
    }
}

/// Which messages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Matched {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<MessageId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<CorrelationId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_id: Option<GroupId>,
    /// An SQL-92 selector; empty for none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub selector: String,
}

impl Matched {
    /// Of a get that waits. The body is read later: memory for it is asked for first.
    pub(super) fn options(&self) -> GetOptions {
        let mut options = GetOptions {
            flags: GetFlags::SYNCPOINT
                | GetFlags::WAIT
                | GetFlags::FAIL_IF_QUIESCING
                | GetFlags::ACCEPT_TRUNCATED_MSG
                | GetFlags::PROPERTIES_FORCE_MQRFH2,
            buffer_length: Some(0),
            ..GetOptions::default()
        };
        options.match_identifiers(self.id, self.correlation_id, self.group_id);
        options
    }
}

/// The form of the body that is posted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// The data of the message, with what describes it in headers.
    #[default]
    Raw,
    /// The message as a JSON object.
    Envelope,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Definition {
    pub key: Key,
    pub owner: Owner,
    pub source: Source,
    #[serde(rename = "match")]
    pub matched: Matched,
    pub url: String,
    /// One at least. All of them sign.
    pub secrets: Vec<Secret>,
    /// Sent with each message.
    pub headers: Vec<(String, String)>,
    pub body: Form,
    /// Messages that are posted, or wait to be posted again, at once.
    pub concurrency: usize,
    /// For the head of an answer.
    pub timeout: Duration,
    pub retry: Retry,
    /// A message that was tried often enough goes to the dead-letter queue with this reason; `None`: it is backed out.
    pub dead_letter: Option<i32>,
    pub is_paused: bool,
    pub changed: Timestamp,
}

/// Without what may be secret: the values of headers, and the query of the URL.
impl std::fmt::Debug for Definition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Definition").field("key", &self.key).finish_non_exhaustive()
    }
}

impl Definition {
    /// As its user sees it: without secrets, and without the values of headers, which may be secrets.
    pub fn shown(&self) -> Value {
        let Self { retry, matched, .. } = self;
        let mut shown = json!({
            "name": self.key.name,
            "qmgr": self.key.queue_manager,
            "user": self.owner.user,
            "url": self.url,
            "secrets": self.secrets.len(),
            "body": self.body,
            "headers": self.headers.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
            "concurrency": self.concurrency,
            "timeout": write_duration(self.timeout),
            "retry": {
                "attempts": retry.attempts,
                "within": write_duration(retry.within),
                "delay": write_duration(retry.delay),
                "longestDelay": write_duration(retry.longest_delay),
            },
            "paused": self.is_paused,
            "changedAt": write_moment(self.changed),
        });
        match &self.source {
            Source::Queue(queue) => shown["queue"] = json!(queue),
            Source::Subscription { topic, name } => shown["subscription"] = json!({ "topic": topic, "name": name }),
        }
        if *matched != Matched::default() {
            shown["match"] = json!(matched);
        }
        if let Some(reason) = self.dead_letter {
            shown["deadLetter"] = json!({ "reason": reason });
        }
        shown
    }
}
