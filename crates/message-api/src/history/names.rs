//! Names of series: `qmgr/puts`, `queue/ORDERS/depth`, `channel/DEV.APP.SVRCONN/instances`.
//!
//! The last part is the figure. Names of queues may have slashes, figures have none.

use std::fmt;

use model::name::{ChannelName, ObjectName, QueueName};

use super::track::Kind;

/// What has a history, of one queue manager.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Subject {
    QueueManager,
    Queue(QueueName),
    Channel(ChannelName),
}

/// One figure of a subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeriesName {
    pub subject: Subject,
    /// Which of `Subject::figures`.
    pub(super) figure: usize,
}

pub(super) struct Figure {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) unit: &'static str,
}

const fn level(name: &'static str, unit: &'static str) -> Figure {
    Figure { name, kind: Kind::Level, unit }
}

const fn count(name: &'static str, unit: &'static str) -> Figure {
    Figure { name, kind: Kind::Count, unit }
}

const MESSAGES: &str = "messages";
const MESSAGES_A_SECOND: &str = "messages/s";
const BYTES_A_SECOND: &str = "bytes/s";

const OF_QUEUE_MANAGERS: &[Figure] = &[
    level("depth", MESSAGES),
    count("puts", MESSAGES_A_SECOND),
    count("gets", MESSAGES_A_SECOND),
    level("connections", "connections"),
    level("openUnits", "units of work"),
    count("logBytes", BYTES_A_SECOND),
    count("logSyncs", "syncs/s"),
];
const OF_QUEUES: &[Figure] =
    &[level("depth", MESSAGES), count("puts", MESSAGES_A_SECOND), count("gets", MESSAGES_A_SECOND)];
const OF_CHANNELS: &[Figure] = &[
    level("instances", "instances"),
    level("conversations", "conversations"),
    count("messages", MESSAGES_A_SECOND),
    count("bytesSent", BYTES_A_SECOND),
    count("bytesReceived", BYTES_A_SECOND),
];

impl Subject {
    pub(super) fn figures(self) -> &'static [Figure] {
        match self {
            Self::QueueManager => OF_QUEUE_MANAGERS,
            Self::Queue(_) => OF_QUEUES,
            Self::Channel(_) => OF_CHANNELS,
        }
    }
}

impl SeriesName {
    pub fn parse(text: &str) -> Option<Self> {
        let (object, figure) = text.rsplit_once('/')?;
        let name = |text: &str| ObjectName::parse(text).ok().filter(|name| !name.is_blank());
        let subject = match object.split_once('/') {
            None if object == "qmgr" => Subject::QueueManager,
            Some(("queue", queue)) => Subject::Queue(name(queue)?),
            Some(("channel", channel)) => Subject::Channel(name(channel)?),
            _ => return None,
        };
        let figure = subject.figures().iter().position(|known| known.name == figure)?;
        Some(Self { subject, figure })
    }

    /// The parts of names that are no names of objects, for those who write a wrong one.
    pub fn expected() -> String {
        let figures = |figures: &[Figure]| figures.iter().map(|figure| figure.name).collect::<Vec<_>>().join(", ");
        format!(
            "qmgr/ with {}; queue/NAME/ with {}; channel/NAME/ with {}",
            figures(OF_QUEUE_MANAGERS),
            figures(OF_QUEUES),
            figures(OF_CHANNELS)
        )
    }

    pub(super) fn figure(self) -> &'static Figure {
        &self.subject.figures()[self.figure]
    }
}

impl fmt::Display for SeriesName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let figure = self.figure().name;
        match self.subject {
            Subject::QueueManager => write!(f, "qmgr/{figure}"),
            Subject::Queue(name) => write!(f, "queue/{name}/{figure}"),
            Subject::Channel(name) => write!(f, "channel/{name}/{figure}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_as_it_is_written_and_a_wrong_one_is_not_read() {
        for name in ["qmgr/puts", "queue/ORDERS/depth", "queue/A/B/gets", "channel/DEV.APP.SVRCONN/bytesSent"] {
            assert_eq!(SeriesName::parse(name).map(|name| name.to_string()).as_deref(), Some(name));
        }
        for wrong in
            ["", "qmgr", "qmgr/", "qmgr/bytesSent", "queue/depth", "queue//depth", "queue/A B/depth", "topic/T/puts"]
        {
            assert_eq!(SeriesName::parse(wrong), None, "{wrong}");
        }
    }
}
