//! Rows of namelists.
//!
//! Sources: MQ reference, "DEFINE NAMELIST", 9.3 and 9.4;
//! numbers from the published constants (cmqc.h, cmqcfc.h).

use crate::definition::attribute::field::{Field, date_text, time_text};
use crate::definition::attribute::word::DISPOSITIONS;
use crate::definition::attribute::{Access, Attribute, Kind, Value, ValueType};

const NAME_LIST: &[Kind] = &[Kind::NameList];

pub(super) const ROWS: &[Attribute] = &[
    shown!(NAMELIST = Some(2010), -, NAME_LIST, ValueType::Name,
        |view| Some(view.name_list()?.name.to_value()),
        "Name of the namelist."),
    shown!(QSGDISP = Some(63), -, NAME_LIST, ValueType::Choice(DISPOSITIONS),
        |view| Some(view.name_list()?.disposition.to_value()),
        "Whether the definition is the queue manager's own, a copy of the group's, or the group's.")
    .of_members(),
    shown!(ALTDATE = Some(2027), -, NAME_LIST, ValueType::Date,
        |view| Some(Value::Text(date_text(view.name_list()?.history.altered))),
        "Date of the last change, in UTC."),
    shown!(ALTTIME = Some(2028), -, NAME_LIST, ValueType::Time,
        |view| Some(Value::Text(time_text(view.name_list()?.history.altered))),
        "Time of the last change, in UTC."),
    row!(DESCR = 2009, -, NAME_LIST, ValueType::Text { maximum: 64 }, name_list.description,
        "Free text about the namelist."),
    shown!(NAMCOUNT = Some(19), -, NAME_LIST,
        ValueType::Integer { minimum: 0, maximum: 256, unit: "names", words: &[] },
        |view| u32::try_from(view.name_list()?.names.len()).ok().map(Value::from),
        "Number of names."),
    row!(NAMES = 2020, -, NAME_LIST, ValueType::Names { maximum: 256 }, name_list.names,
        "The names, in order."),
];
