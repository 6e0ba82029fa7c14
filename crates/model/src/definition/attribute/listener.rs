//! Rows of listeners.
//!
//! Sources: MQ reference, "DEFINE LISTENER"; order as a 9.4.2 queue manager shows them, 9.3 and 9.4;
//! numbers from the published constants (cmqc.h, cmqcfc.h).

use crate::definition::attribute::field::{Field, date_text, time_text};
use crate::definition::attribute::word::{START_CONTROL, plain};
use crate::definition::attribute::{Access, Attribute, Kind, Value, ValueType, Word};

const LISTENER: &[Kind] = &[Kind::Listener];

const TRANSPORTS: &[Word] = &[plain("TCP", 2)];
/// MQINBD_*.
const INBOUND: &[Word] = &[plain("QMGR", 0), plain("GROUP", 3)];

const fn integer(minimum: i64, maximum: i64, unit: &'static str) -> ValueType {
    ValueType::Integer { minimum, maximum, unit, words: &[] }
}

pub(super) const ROWS: &[Attribute] = &[
    shown!(LISTENER = Some(3554), -, LISTENER, ValueType::Name,
        |view| Some(view.listener()?.name.to_value()),
        "Name of the listener."),
    row!(CONTROL = 1601, -, LISTENER, ValueType::Choice(START_CONTROL), listener.control,
        "Whether the listener starts and stops with the queue manager."),
    shown!(TRPTYPE = Some(1501), -, LISTENER, ValueType::Choice(TRANSPORTS),
        |view| { view.listener()?; Some(Value::Integer(2)) },
        "Transport protocol."),
    row!(PORT = 1522, -, LISTENER, integer(0, 65_535, ""), listener.port, "TCP port; 0 means 1414."),
    row!(IPADDR = 3552, -, LISTENER, ValueType::Text { maximum: 48 }, listener.address,
        "Address to listen on; blank means every address."),
    row!(BACKLOG = 1602, -, LISTENER, integer(0, 999_999_999, "requests"), listener.backlog,
        "Number of waiting connection requests; 0 means the platform's default."),
    row!(INDISP = 1581, -, LISTENER, ValueType::Choice(INBOUND), [listener.of_group = 0 | 3],
        "Whether channels of the listener are the queue manager's own, or shared ones of the group.")
    .of_members(),
    row!(DESCR = 3555, -, LISTENER, ValueType::Text { maximum: 64 }, listener.description,
        "Free text about the listener."),
    shown!(ALTDATE = Some(2027), -, LISTENER, ValueType::Date,
        |view| Some(Value::Text(date_text(view.listener()?.history.altered))),
        "Date of the last change, in UTC."),
    shown!(ALTTIME = Some(2028), -, LISTENER, ValueType::Time,
        |view| Some(Value::Text(time_text(view.listener()?.history.altered))),
        "Time of the last change, in UTC."),
];
