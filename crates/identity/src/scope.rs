//! What an identity may do at most: the operations and objects that an API key was made for.
//!
//! A scope takes away and never gives: the queue manager asks for the user's authorities besides. It looks at the name that the
//! request uses, before aliases are resolved.

use bitflags::bitflags;
use model::name::GenericName;

use super::identity::Identity;

bitflags! {
    /// What may be done with queues and topics.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub struct Operations: u8 {
        const PUT = 1 << 0;
        const GET = 1 << 1;
        const BROWSE = 1 << 2;
        const PUBLISH = 1 << 3;
        const SUBSCRIBE = 1 << 4;
        const INQUIRE = 1 << 5;
    }
}

/// Each operation with its name on the command line and in files.
const NAMES: [(Operations, &str); 6] = [
    (Operations::PUT, "put"),
    (Operations::GET, "get"),
    (Operations::BROWSE, "browse"),
    (Operations::PUBLISH, "publish"),
    (Operations::SUBSCRIBE, "subscribe"),
    (Operations::INQUIRE, "inquire"),
];

impl Operations {
    pub fn parse(name: &str) -> Option<Self> {
        NAMES.iter().find(|(_, known)| *known == name).map(|&(operation, _)| operation)
    }

    pub fn names(self) -> impl Iterator<Item = &'static str> {
        NAMES.iter().filter(move |(operation, _)| self.contains(*operation)).map(|&(_, name)| name)
    }
}

/// What an operation is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Object<'a> {
    Queue(&'a str),
    /// A topic string.
    Topic(&'a str),
}

/// Queues, topics and operations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    queues: Vec<QueuePattern>,
    topics: Vec<String>,
    operations: Operations,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct QueuePattern {
    text: String,
    name: GenericName,
}

/// A part of a scope that means nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScopeError {
    #[error("'{0}' is not the name of a queue, nor the beginning of one before a final *")]
    Queue(String),
    #[error("'{0}' is not a topic string: + stands for one level, and # for all levels at the end")]
    Topic(String),
    #[error("'{0}' is not an operation; expected put, get, browse, publish, subscribe or inquire")]
    Operation(String),
}

/// An identity with a scope wants what is outside of it: 403.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutOfScope {
    pub operation: &'static str,
}

/// # Errors
/// The identity has a scope, and the operation on the object is not in it.
pub fn require(identity: &Identity, operation: Operations, object: Object<'_>) -> Result<(), OutOfScope> {
    match &identity.scope {
        Some(scope) if !scope.allows(operation, object) => {
            Err(OutOfScope { operation: operation.names().next().unwrap_or_default() })
        }
        Some(_) | None => Ok(()),
    }
}

impl Scope {
    /// Without any pattern, of queues or of topics, all queues and topics are meant; without any operation all operations.
    ///
    /// # Errors
    /// The first pattern or name that means nothing.
    pub fn parse(queues: &[String], topics: &[String], operations: &[String]) -> Result<Self, ScopeError> {
        let all = |pattern: &str| vec![pattern.to_owned()];
        let (queues, topics) = match (queues, topics) {
            ([], []) => (all("*"), all("#")),
            _ => (queues.to_vec(), topics.to_vec()),
        };
        let queue = |text: String| match GenericName::parse(&text) {
            Ok(name) if !text.is_empty() => Ok(QueuePattern { text, name }),
            Ok(_) | Err(_) => Err(ScopeError::Queue(text)),
        };
        let topic = |text: String| if is_topic_pattern(&text) { Ok(text) } else { Err(ScopeError::Topic(text)) };
        let mut allowed = Operations::empty();
        for name in operations {
            allowed |= Operations::parse(name).ok_or_else(|| ScopeError::Operation(name.clone()))?;
        }
        Ok(Self {
            queues: queues.into_iter().map(queue).collect::<Result<_, _>>()?,
            topics: topics.into_iter().map(topic).collect::<Result<_, _>>()?,
            operations: if operations.is_empty() { Operations::all() } else { allowed },
        })
    }

    pub fn allows(&self, operation: Operations, object: Object<'_>) -> bool {
        let names = match object {
            Object::Queue(name) => self.queues.iter().any(|pattern| pattern.name.matches(name.trim_end())),
            Object::Topic(topic) => self.topics.iter().any(|pattern| matches_topic(pattern, topic)),
        };
        names && self.operations.contains(operation)
    }

    pub fn queues(&self) -> impl Iterator<Item = &str> {
        self.queues.iter().map(|pattern| &*pattern.text)
    }

    pub fn topics(&self) -> impl Iterator<Item = &str> {
        self.topics.iter().map(String::as_str)
    }

    pub fn operations(&self) -> Operations {
        self.operations
    }
}

/// Wildcards stand for whole levels, `#` for the last ones.
fn is_topic_pattern(text: &str) -> bool {
    let mut levels = text.split('/').peekable();
    while let Some(level) = levels.next() {
        let is_wildcard = matches!(level, "+" | "#");
        if (level.contains(['+', '#']) && !is_wildcard) || (level == "#" && levels.peek().is_some()) {
            return false;
        }
    }
    !text.is_empty() && !text.contains('\0')
}

/// A topic string with wildcards of its own, as of a subscription, is matched as it is written: it reaches no further than the pattern
/// only if each of its wildcards meets one of the pattern.
fn matches_topic(pattern: &str, topic: &str) -> bool {
    let (mut pattern, mut topic) = (pattern.split('/'), topic.split('/'));
    loop {
        match (pattern.next(), topic.next()) {
            (Some("#"), _) | (None, None) => return true,
            (Some("+"), Some(level)) if level != "#" => {}
            (Some(wanted), Some(level)) if wanted == level => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests;
