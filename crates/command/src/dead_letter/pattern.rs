//! Patterns of a rule, and what they are held against.

use model::descriptor::{MessageDescriptor, Persistence};
use model::header::dead_letter::DeadLetterHeader;

/// What a pattern looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    ApplicationIdentityData,
    ApplicationName,
    ApplicationType,
    DestinationQueue,
    DestinationQueueManager,
    Feedback,
    Format,
    MessageType,
    Persistence,
    Reason,
    ReplyQueue,
    ReplyQueueManager,
    UserIdentifier,
}

pub(super) const SUBJECTS: [(&str, Subject); 13] = [
    ("APPLIDAT", Subject::ApplicationIdentityData),
    ("APPLNAME", Subject::ApplicationName),
    ("APPLTYPE", Subject::ApplicationType),
    ("DESTQ", Subject::DestinationQueue),
    ("DESTQM", Subject::DestinationQueueManager),
    ("FEEDBACK", Subject::Feedback),
    ("FORMAT", Subject::Format),
    ("MSGTYPE", Subject::MessageType),
    ("PERSIST", Subject::Persistence),
    ("REASON", Subject::Reason),
    ("REPLYQ", Subject::ReplyQueue),
    ("REPLYQM", Subject::ReplyQueueManager),
    ("USERID", Subject::UserIdentifier),
];

impl Subject {
    pub(super) const fn is_number(self) -> bool {
        matches!(self, Self::ApplicationType | Self::Feedback | Self::MessageType | Self::Persistence | Self::Reason)
    }
}

/// Something that a message must have. A pattern that any message matches is left out of its rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Pattern {
    Number(Subject, i32),
    /// `*` is any characters, `?` is one.
    Text(Subject, String),
}

impl Pattern {
    pub(super) fn matches(&self, header: &DeadLetterHeader, descriptor: &MessageDescriptor) -> bool {
        match self {
            Self::Number(subject, wanted) => number(*subject, header, descriptor) == Some(*wanted),
            Self::Text(subject, pattern) => matches(pattern.as_bytes(), &text(*subject, header, descriptor)),
        }
    }
}

fn number(subject: Subject, header: &DeadLetterHeader, descriptor: &MessageDescriptor) -> Option<i32> {
    match subject {
        Subject::ApplicationType => Some(descriptor.put_application_type),
        Subject::Feedback => Some(descriptor.feedback.0),
        Subject::MessageType => Some(descriptor.message_type.0),
        Subject::Persistence => Some(match descriptor.persistence {
            Persistence::NonPersistent => 0,
            Persistence::Persistent => 1,
            Persistence::AsQueueDefinition => 2,
        }),
        Subject::Reason => Some(header.reason),
        _ => None,
    }
}

/// Without the blanks at its end.
fn text(subject: Subject, header: &DeadLetterHeader, descriptor: &MessageDescriptor) -> Vec<u8> {
    match subject {
        Subject::ApplicationIdentityData => descriptor.application_identity_data.trimmed().to_vec(),
        Subject::ApplicationName => descriptor.put_application_name.trimmed().to_vec(),
        Subject::DestinationQueue => header.destination_queue.trimmed().to_vec(),
        Subject::DestinationQueueManager => header.destination_queue_manager.trimmed().to_vec(),
        Subject::Format => descriptor.format.0.trimmed().to_vec(),
        Subject::ReplyQueue => descriptor.reply_to_queue.as_str().as_bytes().to_vec(),
        Subject::ReplyQueueManager => descriptor.reply_to_queue_manager.as_str().as_bytes().to_vec(),
        Subject::UserIdentifier => descriptor.user_identifier.trimmed().to_vec(),
        _ => Vec::new(),
    }
}

/// Does the text match? Goes back to the last `*` only, so it takes at most the product of both lengths.
pub(super) fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut last_star = None;
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                last_star = Some((p, t));
                p += 1;
            }
            Some(&byte) if byte == b'?' || byte == text[t] => {
                p += 1;
                t += 1;
            }
            _ => {
                let Some((star, from)) = last_star else { return false };
                last_star = Some((star, from + 1));
                p = star + 1;
                t = from + 1;
            }
        }
    }
    pattern[p..].iter().all(|&byte| byte == b'*')
}
