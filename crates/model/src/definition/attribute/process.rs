//! Rows of process definitions.
//!
//! Sources: MQ reference, "DEFINE PROCESS", 9.3 and 9.4;
//! numbers from the published constants (cmqc.h, cmqcfc.h).

use crate::definition::attribute::field::{Field, date_text, time_text};
use crate::definition::attribute::word::{DISPOSITIONS, plain};
use crate::definition::attribute::{Access, Attribute, Kind, Value, ValueType, Word};

const PROCESS: &[Kind] = &[Kind::Process];

/// MQAT_*; DEF is what the platform usually runs.
const TYPES: &[Word] = &[
    plain("CICS", 1),
    plain("MVS", 2),
    plain("IMS", 3),
    plain("OS2", 4),
    plain("DOS", 5),
    Word { synonyms: &["DEF", "AIX"], ..plain("UNIX", 6) },
    plain("OS400", 8),
    plain("WINDOWS", 9),
    plain("WINDOWSNT", 11),
    plain("VMS", 12),
    plain("NSK", 13),
];

pub(super) const ROWS: &[Attribute] = &[
    shown!(PROCESS = Some(2012), -, PROCESS, ValueType::Name,
        |view| Some(view.process()?.name.to_value()),
        "Name of the process definition."),
    shown!(QSGDISP = Some(63), -, PROCESS, ValueType::Choice(DISPOSITIONS),
        |view| Some(view.process()?.disposition.to_value()),
        "Whether the definition is the queue manager's own, a copy of the group's, or the group's.")
    .of_members(),
    shown!(ALTDATE = Some(2027), -, PROCESS, ValueType::Date,
        |view| Some(Value::Text(date_text(view.process()?.history.altered))),
        "Date of the last change, in UTC."),
    shown!(ALTTIME = Some(2028), -, PROCESS, ValueType::Time,
        |view| Some(Value::Text(time_text(view.process()?.history.altered))),
        "Time of the last change, in UTC."),
    row!(APPLICID = 2001, -, PROCESS, ValueType::Text { maximum: 256 }, process.application_identifier,
        "Program that a trigger monitor starts."),
    row!(APPLTYPE = 1, -, PROCESS,
        ValueType::Integer { minimum: 0, maximum: 999_999_999, unit: "", words: TYPES },
        process.application_type,
        "Environment of the program."),
    row!(DESCR = 2011, -, PROCESS, ValueType::Text { maximum: 64 }, process.description,
        "Free text about the process definition."),
    row!(ENVRDATA = 2007, -, PROCESS, ValueType::Text { maximum: 128 }, process.environment_data,
        "Environment of the program, in the form of its trigger monitor."),
    row!(USERDATA = 2021, -, PROCESS, ValueType::Text { maximum: 128 }, process.user_data,
        "Data for the program."),
];
