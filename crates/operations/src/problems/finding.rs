//! What a rule says of one object at one moment.

use std::cmp::Ordering;
use std::fmt::Write as _;

use message_api::history::History;
use message_api::live::Concern;
use model::authority::AuthorityObject;
use model::name::{QueueManagerName, QueueName};
use model::timestamp::Timestamp;
use serde_json::{Map, Value, json};

/// How bad it is: the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Severity {
    /// Messages or requests fail, or will be lost.
    Error,
    /// They wait, or will fail soon.
    Warning,
    /// What an operator wants to know.
    Note,
}

impl Severity {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// Since when it is so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Since {
    /// The facts say it.
    At(Timestamp),
    /// The history says since when the depth has been at least this; otherwise as `Unknown`.
    Depth(QueueName, u64),
    /// Since it was found first.
    Unknown,
}

#[derive(Debug, Clone)]
pub(super) struct Finding {
    pub(super) rule: &'static str,
    pub(super) severity: Severity,
    /// Kind and name of the object, as clients know them.
    pub(super) object: (&'static str, String),
    /// Tells it from what the same rule finds of the same object.
    pub(super) part: String,
    pub(super) concern: Concern,
    pub(super) since: Since,
    /// Cause and next step in sentences.
    pub(super) text: String,
    pub(super) values: Map<String, Value>,
    pub(super) next: Vec<Value>,
    /// What has to differ for a problem to have changed; numbers that grow all the time are no part of it.
    pub(super) mark: String,
}

impl Finding {
    pub(super) fn new(rule: &'static str, severity: Severity, object: (&'static str, &str), concern: Concern) -> Self {
        Self {
            rule,
            severity,
            object: (object.0, object.1.to_owned()),
            part: String::new(),
            concern,
            since: Since::Unknown,
            text: String::new(),
            values: Map::new(),
            next: Vec::new(),
            mark: String::new(),
        }
    }

    pub(super) fn of_queue(rule: &'static str, severity: Severity, queue: &QueueName) -> Self {
        let concern = Concern::Object(AuthorityObject::Queue, *queue);
        Self::new(rule, severity, ("queue", queue.as_str()), concern).value("queue", queue.as_str())
    }

    pub(super) fn since(self, since: Since) -> Self {
        Self { since, ..self }
    }

    pub(super) fn part(self, part: String) -> Self {
        Self { part, ..self }
    }

    pub(super) fn text(self, text: impl Into<String>) -> Self {
        Self { text: text.into(), ..self }
    }

    pub(super) fn mark(self, mark: impl ToString) -> Self {
        Self { mark: mark.to_string(), ..self }
    }

    pub(super) fn value(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.values.insert(name.to_owned(), value.into());
        self
    }

    pub(super) fn next(mut self, step: Value) -> Self {
        self.next.push(step);
        self
    }

    /// Names the problem: the same one has the same identity at each look.
    pub(super) fn id(&self) -> String {
        let mut id = format!("{}:{}", self.rule, self.object.1);
        if !self.part.is_empty() {
            let _ = write!(id, ":{}", self.part);
        }
        id
    }

    pub(super) fn worse_first(&self, other: &Self) -> Ordering {
        let order = |finding: &Self| (finding.severity, finding.rule);
        order(self)
            .cmp(&order(other))
            .then_with(|| self.object.1.cmp(&other.object.1))
            .then_with(|| self.part.cmp(&other.part))
    }

    /// Since when it is so, as far as that is known.
    pub(super) fn begun(&self, history: &History, queue_manager: QueueManagerName) -> Option<Timestamp> {
        match self.since {
            Since::At(at) => Some(at),
            Since::Depth(queue, depth) => history.at_least_since(queue_manager, queue, depth),
            Since::Unknown => None,
        }
    }
}

/// A queue's messages.
pub(super) fn messages(queue: &QueueName) -> Value {
    json!({ "action": "messages", "queue": queue.as_str(), "text": format!("Look at the messages of {queue}") })
}

/// Who has a queue open.
pub(super) fn handles(queue: &QueueName) -> Value {
    json!({ "action": "handles", "queue": queue.as_str(), "text": format!("See which applications have {queue} open") })
}

/// A command that mends it.
pub(super) fn command(mqsc: &[String], text: impl Into<String>) -> Value {
    json!({ "action": "mqsc", "mqsc": mqsc, "text": text.into() })
}
