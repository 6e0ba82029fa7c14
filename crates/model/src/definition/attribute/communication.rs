//! Rows of communication information.
//!
//! Sources: MQ reference, "DEFINE COMMINFO", 9.3 and 9.4;
//! numbers from the published constants (cmqc.h, cmqcfc.h).

use crate::definition::attribute::field::{Field, date_text, time_text};
use crate::definition::attribute::word::{DISABLED_ENABLED, plain};
use crate::definition::attribute::{Access, Attribute, Kind, Value, ValueType, Word};

const COMMUNICATION: &[Kind] = &[Kind::Communication];

const TYPES: &[Word] = &[plain("MULTICAST", 1)];
const EVENTS: &[Word] = &[plain("DISABLED", 0), plain("ENABLED", 1), plain("EXCEPTION", 2)];
const ENCODINGS: &[Word] =
    &[plain("ASPUB", -1), plain("NORMAL", 0x111), plain("REVERSED", 0x222), plain("S390", 0x311), plain("TNS", 0x411)];
const PROPERTIES: &[Word] =
    &[plain("ALL", -1), plain("COMPAT", -2), plain("NONE", 0), plain("USER", 1), plain("REPLY", 2)];
const HISTORIES: &[Word] = &[plain("NONE", 0), plain("ALL", -1)];

const fn integer(minimum: i64, maximum: i64, unit: &'static str) -> ValueType {
    ValueType::Integer { minimum, maximum, unit, words: &[] }
}

pub(super) const ROWS: &[Attribute] = &[
    shown!(COMMINFO = Some(2110), -, COMMUNICATION, ValueType::Name,
        |view| Some(view.communication()?.name.to_value()),
        "Name of the communication information."),
    shown!(TYPE = Some(223), -, COMMUNICATION, ValueType::Choice(TYPES),
        |view| { view.communication()?; Some(Value::Integer(1)) },
        "Kind of communication."),
    shown!(ALTDATE = Some(2027), -, COMMUNICATION, ValueType::Date,
        |view| Some(Value::Text(date_text(view.communication()?.history.altered))),
        "Date of the last change, in UTC."),
    shown!(ALTTIME = Some(2028), -, COMMUNICATION, ValueType::Time,
        |view| Some(Value::Text(time_text(view.communication()?.history.altered))),
        "Time of the last change, in UTC."),
    row!(BRIDGE = 233, -, COMMUNICATION, ValueType::Choice(DISABLED_ENABLED), communication.bridge,
        "Whether publications pass between multicast and other subscribers."),
    row!(CCSID = 2, -, COMMUNICATION,
        ValueType::Integer { minimum: 1, maximum: 65_535, unit: "", words: &[plain("ASPUB", -4)] },
        communication.ccsid,
        "Coded character set of sent messages."),
    row!(COMMEV = 232, -, COMMUNICATION, ValueType::Choice(EVENTS), communication.event,
        "Whether multicast events are written."),
    row!(DESCR = 2111, -, COMMUNICATION, ValueType::Text { maximum: 64 }, communication.description,
        "Free text about the communication information."),
    row!(ENCODING = 1243, -, COMMUNICATION,
        ValueType::Integer { minimum: 1, maximum: 4095, unit: "", words: ENCODINGS },
        communication.encoding,
        "Encoding of numbers in sent messages."),
    row!(GRPADDR = 3562, -, COMMUNICATION, ValueType::Text { maximum: 264 }, communication.group_address,
        "Multicast group address."),
    row!(MCHBINT = 1628, -, COMMUNICATION, integer(0, 999_999, "milliseconds"),
        communication.heartbeat_interval_ms,
        "Time between heartbeats of a transmitter."),
    row!(MCPROP = 1626, -, COMMUNICATION, ValueType::Choice(PROPERTIES), communication.properties,
        "Which message properties are sent."),
    row!(MONINT = 81, -, COMMUNICATION, integer(0, 999_999, "seconds"), communication.monitor_interval_s,
        "Time between monitoring messages; 0 means none."),
    row!(MSGHIST = 1625, -, COMMUNICATION, integer(0, 999_999_999, "kilobytes"),
        communication.message_history_kb,
        "Number of messages kept for retransmission."),
    row!(NSUBHIST = 1627, -, COMMUNICATION, ValueType::Choice(HISTORIES),
        [communication.new_subscriber_history = 0 | -1],
        "Whether a new subscriber gets earlier messages."),
    row!(PORT = 1522, -, COMMUNICATION, integer(0, 65_535, ""), communication.port, "Port number."),
];
