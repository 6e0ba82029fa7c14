//! Rows of services.
//!
//! Sources: MQ reference, "DEFINE SERVICE", 9.3 and 9.4;
//! numbers from the published constants (cmqc.h, cmqcfc.h).

use crate::definition::attribute::field::{Field, date_text, time_text};
use crate::definition::attribute::word::{START_CONTROL, plain};
use crate::definition::attribute::{Access, Attribute, Kind, Value, ValueType, Word};

const SERVICE: &[Kind] = &[Kind::Service];

const TYPES: &[Word] = &[plain("COMMAND", 0), plain("SERVER", 1)];

pub(super) const ROWS: &[Attribute] = &[
    shown!(SERVICE = Some(2077), -, SERVICE, ValueType::Name,
        |view| Some(view.service()?.name.to_value()),
        "Name of the service."),
    shown!(ALTDATE = Some(2027), -, SERVICE, ValueType::Date,
        |view| Some(Value::Text(date_text(view.service()?.history.altered))),
        "Date of the last change, in UTC."),
    shown!(ALTTIME = Some(2028), -, SERVICE, ValueType::Time,
        |view| Some(Value::Text(time_text(view.service()?.history.altered))),
        "Time of the last change, in UTC."),
    row!(CONTROL = 139, -, SERVICE, ValueType::Choice(START_CONTROL), service.control,
        "Whether the service starts and stops with the queue manager; stored, no program is run."),
    row!(DESCR = 2078, -, SERVICE, ValueType::Text { maximum: 64 }, service.description,
        "Free text about the service."),
    row!(SERVTYPE = 121, -, SERVICE, ValueType::Choice(TYPES), service.is_server,
        "Whether at most one instance of the program runs and has status."),
    row!(STARTARG = 2080, -, SERVICE, ValueType::Text { maximum: 255 }, service.start_arguments,
        "Arguments of the program that starts the service."),
    row!(STARTCMD = 2079, -, SERVICE, ValueType::Text { maximum: 255 }, service.start_command,
        "Program that starts the service; stored, never run."),
    row!(STDERR = 2084, -, SERVICE, ValueType::Text { maximum: 255 }, service.standard_error,
        "File for the standard error of the program."),
    row!(STDOUT = 2083, -, SERVICE, ValueType::Text { maximum: 255 }, service.standard_output,
        "File for the standard output of the program."),
    row!(STOPARG = 2082, -, SERVICE, ValueType::Text { maximum: 255 }, service.stop_arguments,
        "Arguments of the program that stops the service."),
    row!(STOPCMD = 2081, -, SERVICE, ValueType::Text { maximum: 255 }, service.stop_command,
        "Program that stops the service; stored, never run."),
];
