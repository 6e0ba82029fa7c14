//! The words of the message API for numbers of MQ: message types, persistence, report options.

use model::descriptor::{MessageType, Persistence, Report};
use serde::{Serialize, Serializer};

/// A number that may be beyond 2^53, of which JSON numbers have all bits only as text.
pub struct AsText(pub u64);

impl Serialize for AsText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(itoa::Buffer::new().format(self.0))
    }
}

const TYPES: [(MessageType, &str); 4] = [
    (MessageType::DATAGRAM, "datagram"),
    (MessageType::REQUEST, "request"),
    (MessageType::REPLY, "reply"),
    (MessageType::REPORT, "report"),
];

/// A word, or the number of a type of the application's own.
pub fn write_type(message_type: MessageType) -> String {
    let known = TYPES.iter().find(|(known, _)| *known == message_type);
    known.map_or_else(|| message_type.0.to_string(), |(_, word)| (*word).to_owned())
}

pub fn read_type(text: &str) -> Option<MessageType> {
    let known = TYPES.iter().find(|(_, word)| *word == text);
    known.map(|(known, _)| *known).or_else(|| text.parse().ok().map(MessageType))
}

pub fn write_persistence(persistence: Persistence) -> &'static str {
    match persistence {
        Persistence::Persistent => "persistent",
        Persistence::NonPersistent => "nonPersistent",
        Persistence::AsQueueDefinition => "asQueue",
    }
}

pub fn read_persistence(text: &str) -> Option<Persistence> {
    Some(match text {
        "persistent" => Persistence::Persistent,
        "nonPersistent" => Persistence::NonPersistent,
        "asQueue" => Persistence::AsQueueDefinition,
        _ => return None,
    })
}

/// As MQMD has it: a word, or a number that is none.
pub fn write_persistence_number(number: i32) -> serde_json::Value {
    match number {
        0 => write_persistence(Persistence::NonPersistent).into(),
        1 => write_persistence(Persistence::Persistent).into(),
        2 => write_persistence(Persistence::AsQueueDefinition).into(),
        other => other.into(),
    }
}

pub fn read_persistence_number(word: &str) -> Option<i32> {
    Some(match read_persistence(word)? {
        Persistence::NonPersistent => 0,
        Persistence::Persistent => 1,
        Persistence::AsQueueDefinition => 2,
    })
}

/// The longer ones first: each includes the bits of the shorter ones.
const REPORTS: [(Report, &str); 19] = [
    (Report::EXCEPTION_WITH_FULL_DATA, "exceptionWithFullData"),
    (Report::EXCEPTION_WITH_DATA, "exceptionWithData"),
    (Report::EXCEPTION, "exception"),
    (Report::EXPIRATION_WITH_FULL_DATA, "expirationWithFullData"),
    (Report::EXPIRATION_WITH_DATA, "expirationWithData"),
    (Report::EXPIRATION, "expiration"),
    (Report::COA_WITH_FULL_DATA, "coaWithFullData"),
    (Report::COA_WITH_DATA, "coaWithData"),
    (Report::COA, "coa"),
    (Report::COD_WITH_FULL_DATA, "codWithFullData"),
    (Report::COD_WITH_DATA, "codWithData"),
    (Report::COD, "cod"),
    (Report::PAN, "pan"),
    (Report::NAN, "nan"),
    (Report::ACTIVITY, "activity"),
    (Report::PASS_CORREL_ID, "passCorrelationId"),
    (Report::PASS_MSG_ID, "passMessageId"),
    (Report::DISCARD_MSG, "discard"),
    (Report::PASS_DISCARD_AND_EXPIRY, "passDiscardAndExpiry"),
];

/// Words for all bits; what has no word stands at the end as a number.
pub fn write_report(report: Report) -> Vec<String> {
    let mut left = report;
    let mut words = Vec::new();
    for (option, word) in REPORTS {
        if left.contains(option) {
            words.push(word.to_owned());
            left -= option;
        }
    }
    if !left.is_empty() {
        words.push(left.bits().to_string());
    }
    words
}

pub fn read_report<'a>(words: impl IntoIterator<Item = &'a str>) -> Option<Report> {
    let mut report = Report::empty();
    for word in words {
        let known = REPORTS.iter().find(|(_, known)| *known == word).map(|(option, _)| *option);
        report |= known.or_else(|| word.parse().ok().map(Report::from_bits_retain))?;
    }
    Some(report)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_report_options_are_read_as_they_were_written(bits in any::<u32>()) {
            let report = Report::from_bits_retain(bits);
            let words = write_report(report);
            prop_assert_eq!(read_report(words.iter().map(String::as_str)), Some(report));
        }

        #[test]
        fn any_message_type_is_read_as_it_was_written(number in any::<i32>()) {
            prop_assert_eq!(read_type(&write_type(MessageType(number))), Some(MessageType(number)));
        }
    }

    #[test]
    fn the_longest_word_is_written() {
        assert_eq!(write_report(Report::COA_WITH_DATA | Report::PAN), ["coaWithData", "pan"]);
        assert_eq!(read_report(["coa", "huh"]), None);
    }
}
