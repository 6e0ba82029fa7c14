//! Dead letters in words: why a message is on a dead-letter queue, as its MQDLH says, and groups of such messages.
//!
//! Pure. Source: MQ constants MQRC_* and MQFB_*; MQ reference, "MQDLH - Dead-letter header", 9.3.

use std::collections::BTreeMap;

use model::descriptor::Format;
use model::header::dead_letter::DeadLetterHeader;
use model::message::Message;
use model::reason::Reason;
use model::timestamp::Timestamp;
use queue_manager::Position;

/// MQFB_*, in words.
const FEEDBACK: [(i32, &str); 14] = [
    (256, "MQFB_QUIT: the application was told to end"),
    (258, "MQFB_EXPIRATION: the message expired"),
    (259, "MQFB_COA: it is a report of arrival"),
    (260, "MQFB_COD: it is a report of delivery"),
    (265, "MQFB_APPL_CANNOT_BE_STARTED: a trigger monitor could not start the application"),
    (266, "MQFB_TM_ERROR: a trigger message has wrong fields"),
    (267, "MQFB_APPL_TYPE_ERROR: a trigger monitor does not start applications of this type"),
    (268, "MQFB_STOPPED_BY_MSG_EXIT: a message exit of a channel stopped it"),
    (271, "MQFB_XMIT_Q_MSG_ERROR: the message on the transmission queue has no right header"),
    (272, "MQFB_NOT_A_REPOSITORY_MSG: it is no message of a repository"),
    (275, "MQFB_PAN: the application acted on the request"),
    (276, "MQFB_NAN: the application did not act on the request"),
    (277, "MQFB_STOPPED_BY_CHAD_EXIT: an exit that defines channels stopped it"),
    (279, "MQFB_STOPPED_BY_PUBSUB_EXIT: a publish exit stopped it"),
];

/// First number that applications use as they like: MQFB_APPL_FIRST.
const FIRST_OF_APPLICATIONS: i32 = 65_536;

/// What the number in an MQDLH means.
pub fn reason_words(number: i32) -> String {
    let known = match Reason::from_number(number) {
        Some(Reason::NotAuthorized) => "its user may not put to the destination",
        Some(Reason::UnknownObjectName) => "there was no queue of that name",
        Some(Reason::UnknownObjectQMgr | Reason::UnknownRemoteQMgr) => "no way led to that queue manager",
        Some(Reason::QFull) => "the destination was full",
        Some(Reason::PutInhibited) => "puts to the destination were inhibited",
        Some(Reason::MsgTooBigForQ) => "it was longer than MAXMSGL of the destination",
        Some(Reason::MsgTooBigForQMgr) => "it was longer than MAXMSGL of the queue manager",
        Some(Reason::QDeleted) => "the destination was deleted meanwhile",
        Some(Reason::UnknownXmitQ) => "there was no transmission queue for that queue manager",
        Some(Reason::UnknownAliasBaseQ) => "the destination was an alias of a queue that was not there",
        Some(Reason::PersistentNotAllowed) => "it was persistent, and the destination takes no such messages",
        Some(other) => return format!("the put to the destination ended with {}", other.name()),
        None => "",
    };
    if !known.is_empty() {
        return known.to_owned();
    }
    match FEEDBACK.iter().find(|(known, _)| *known == number) {
        Some((_, words)) => (*words).to_owned(),
        None if number >= FIRST_OF_APPLICATIONS => {
            format!("an application rejected it with its own number {number} (MQFB_APPL_FIRST is 65536)")
        }
        None => format!("the number {number} has no published meaning"),
    }
}

/// The MQDLH that a message begins with.
pub fn header_of(message: &Message) -> Option<DeadLetterHeader> {
    let Message { descriptor, body } = message;
    let is_there = descriptor.format == Format::DEAD_LETTER_HEADER;
    if is_there { DeadLetterHeader::decode(body, descriptor.encoding).ok() } else { None }
}

/// What the messages of a group have in common.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kind {
    /// `None`: the message has no MQDLH.
    pub reason: Option<i32>,
    pub queue: String,
    pub queue_manager: String,
    /// Who put the message first, and the program.
    pub user: String,
    pub application: String,
}

impl Kind {
    pub fn of(message: &Message, header: Option<&DeadLetterHeader>) -> Self {
        Self {
            reason: header.map(|header| header.reason),
            queue: header.map_or_else(String::new, |header| header.destination_queue.to_text().into_owned()),
            queue_manager: header
                .map_or_else(String::new, |header| header.destination_queue_manager.to_text().into_owned()),
            user: message.descriptor.user_identifier.to_text().into_owned(),
            application: message.descriptor.put_application_name.to_text().into_owned(),
        }
    }
}

/// Messages of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    pub count: u64,
    /// When they came to the dead-letter queue.
    pub first: Timestamp,
    pub last: Timestamp,
    /// Of one of them.
    pub sample: Position,
    /// The longest, without its header, in bytes.
    pub longest: usize,
}

/// Most kinds that are told apart.
pub const MOST_GROUPS: usize = 1000;

#[derive(Debug, Default)]
pub struct Groups {
    groups: BTreeMap<Kind, Group>,
    /// Messages of further kinds.
    pub others: u64,
}

impl Groups {
    pub fn add(&mut self, kind: Kind, position: Position, arrived: Timestamp, length: usize) {
        if self.groups.len() >= MOST_GROUPS && !self.groups.contains_key(&kind) {
            self.others += 1;
            return;
        }
        let new = || Group { count: 0, first: arrived, last: arrived, sample: position, longest: 0 };
        let group = self.groups.entry(kind).or_insert_with(new);
        group.count += 1;
        group.first = group.first.min(arrived);
        group.last = group.last.max(arrived);
        group.longest = group.longest.max(length);
    }

    /// The largest first.
    pub fn into_sorted(self) -> Vec<(Kind, Group)> {
        let mut sorted: Vec<_> = self.groups.into_iter().collect();
        sorted.sort_by_key(|(_, group)| std::cmp::Reverse(group.count));
        sorted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_words() {
        for (number, words) in [
            (2053, "the destination was full"),
            (2085, "there was no queue of that name"),
            (2016, "the put to the destination ended with MQRC_GET_INHIBITED"),
            (271, "MQFB_XMIT_Q_MSG_ERROR: the message on the transmission queue has no right header"),
            (65_537, "an application rejected it with its own number 65537 (MQFB_APPL_FIRST is 65536)"),
            (-1, "the number -1 has no published meaning"),
        ] {
            assert_eq!(reason_words(number), words);
        }
    }

    #[test]
    fn groups_are_counted_and_bounded() {
        let kind = |number: usize| Kind {
            reason: Some(2053),
            queue: format!("Q{number}"),
            queue_manager: String::new(),
            user: String::new(),
            application: String::new(),
        };
        let mut groups = Groups::default();
        for number in 0..MOST_GROUPS + 5 {
            groups.add(kind(number), Position(number as u64), Timestamp(10 + number as u64), 7);
        }
        groups.add(kind(3), Position(9999), Timestamp(5), 9);
        assert_eq!(groups.others, 5);
        let sorted = groups.into_sorted();
        let expected = Group { count: 2, first: Timestamp(5), last: Timestamp(13), sample: Position(3), longest: 9 };
        assert_eq!((sorted.len(), &sorted[0]), (MOST_GROUPS, &(kind(3), expected)));
    }
}
