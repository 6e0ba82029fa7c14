//! What is wrong with a log, as a line for people.

use std::fmt;

use crate::QueueId;
use crate::private::log::extent::Place;

/// A place in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Where {
    pub extent: u64,
    pub offset: u64,
}

impl From<Place> for Where {
    fn from(place: Place) -> Self {
        Self { extent: u64::from(place.extent()), offset: place.offset() }
    }
}

impl fmt::Display for Where {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "extent {} offset {}", self.extent, self.offset)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    MissingExtents {
        first: u32,
        last: u32,
    },
    DamagedHeader {
        extent: u32,
    },
    /// Its salt is not the one that the anchor says: it is of another log, and nothing of it counts.
    ReplacedExtent {
        extent: u32,
    },
    UnreadableAnchor {
        reason: String,
    },
    /// Up to `next` in the same extent, or to the end of its batches.
    DamagedBatch {
        at: Where,
        next: Option<u64>,
        /// Messages of it that could be read all the same.
        salvaged: u64,
    },
    /// Batches that others say were there.
    MissingBatches {
        at: Where,
        next: Where,
    },
    /// The log was durable up to there, as its anchor or its queue manager says.
    LostEnd {
        at: Where,
        until: Where,
    },
    /// A record within a batch whose checksum is right.
    MalformedRecord {
        at: Where,
    },
    /// The last batch is not whole, as after a crash while it was written. A start cuts it.
    TornTail {
        at: Where,
        salvaged: u64,
    },
    /// A unit of work whose outcome may be in what is missing.
    UnknownOutcome {
        unit_of_work: u64,
        puts: u64,
        gets: u64,
    },
    /// A definition whose key is not that of its value.
    UnusableDefinition {
        key: String,
    },
    /// Messages of a queue that has no definition.
    UndefinedQueue {
        queue: QueueId,
        messages: usize,
    },
    /// A message that could not be read, with the file that holds its body or its record.
    UnreadableMessage {
        queue: QueueId,
        key: u64,
        message_id: String,
        file: String,
    },
}

impl Finding {
    /// A start refuses the log, or a message cannot be delivered. A torn tail is what any crash may leave.
    pub fn is_damage(&self) -> bool {
        !matches!(self, Self::TornTail { salvaged: 0, .. })
    }

    /// Where, when it is about one place.
    pub fn place(&self) -> Option<Where> {
        match self {
            Self::MissingExtents { first, .. } => Some(Where { extent: u64::from(*first), offset: 0 }),
            Self::DamagedHeader { extent } | Self::ReplacedExtent { extent } => {
                Some(Where { extent: u64::from(*extent), offset: 0 })
            }
            Self::DamagedBatch { at, .. }
            | Self::MissingBatches { at, .. }
            | Self::LostEnd { at, .. }
            | Self::MalformedRecord { at }
            | Self::TornTail { at, .. } => Some(*at),
            Self::UnreadableAnchor { .. }
            | Self::UnknownOutcome { .. }
            | Self::UnusableDefinition { .. }
            | Self::UndefinedQueue { .. }
            | Self::UnreadableMessage { .. } => None,
        }
    }

    /// One word, for programs.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::MissingExtents { .. } => "missingExtents",
            Self::DamagedHeader { .. } => "damagedHeader",
            Self::ReplacedExtent { .. } => "replacedExtent",
            Self::UnreadableAnchor { .. } => "unreadableAnchor",
            Self::DamagedBatch { .. } => "damagedBatch",
            Self::MissingBatches { .. } => "missingBatches",
            Self::LostEnd { .. } => "lostEnd",
            Self::MalformedRecord { .. } => "malformedRecord",
            Self::TornTail { .. } => "tornTail",
            Self::UnknownOutcome { .. } => "unknownOutcome",
            Self::UnusableDefinition { .. } => "unusableDefinition",
            Self::UndefinedQueue { .. } => "undefinedQueue",
            Self::UnreadableMessage { .. } => "unreadableMessage",
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingExtents { first, last } if first == last => write!(f, "extent {first} is missing"),
            Self::MissingExtents { first, last } => write!(f, "extents {first} to {last} are missing"),
            Self::DamagedHeader { extent } => write!(f, "extent {extent} has a damaged header or a wrong length"),
            Self::ReplacedExtent { extent } => write!(
                f,
                "extent {extent} is of another log: its salt is not the one that the anchor says; nothing of it counts"
            ),
            Self::UnreadableAnchor { reason } => write!(f, "the anchor cannot be read: {reason}"),
            Self::DamagedBatch { at, next, salvaged } => {
                write!(f, "{at}: a batch is damaged")?;
                match next {
                    Some(next) => write!(f, "; the next readable one is at offset {next}")?,
                    None => write!(f, "; none follows in the extent")?,
                }
                salvaged_messages(f, *salvaged)
            }
            Self::MissingBatches { at, next } => write!(f, "{at}: batches are missing up to {next}"),
            Self::LostEnd { at, until } => write!(f, "{at}: the log ends here; it was durable up to {until}"),
            Self::MalformedRecord { at } => write!(f, "{at}: a record makes no sense"),
            Self::TornTail { at, salvaged } => {
                write!(f, "{at}: the last batch is not whole; it may not have been answered")?;
                salvaged_messages(f, *salvaged)
            }
            Self::UnknownOutcome { unit_of_work, puts, gets } => write!(
                f,
                "unit of work {unit_of_work}: its outcome may be in what is missing; {puts} puts and {gets} got messages count as there"
            ),
            Self::UnusableDefinition { key } => write!(f, "the key of a definition is not that of its value: {key:?}"),
            Self::UndefinedQueue { queue, messages } => write!(
                f,
                "queue #{} has {messages} messages and no definition: a start keeps them in quarantine, and a salvage makes a queue \
                 for them",
                queue.0
            ),
            Self::UnreadableMessage { queue, key, message_id, file } => {
                write!(f, "message {key} of queue #{} (MsgId {message_id}): {file} is missing or damaged", queue.0)
            }
        }
    }
}

fn salvaged_messages(f: &mut fmt::Formatter<'_>, salvaged: u64) -> fmt::Result {
    match salvaged {
        0 => Ok(()),
        1 => write!(f, "; 1 message of it could be read"),
        _ => write!(f, "; {salvaged} messages of it could be read"),
    }
}
