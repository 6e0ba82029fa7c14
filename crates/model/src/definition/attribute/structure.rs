//! Rows of structures (CFSTRUCT), which members of a queue-sharing group have.
//!
//! Sources: MQ reference, "DEFINE CFSTRUCT", "Change, Copy, and Create CF Structure", 9.2 and 9.3;
//! numbers from the published constants (cmqc.h, cmqcfc.h).

use crate::definition::attribute::field::{Field, date_text, time_text};
use crate::definition::attribute::word::{NO_YES, plain};
use crate::definition::attribute::{Access, Attribute, Kind, Value, ValueType, Word};

const STRUCTURE: &[Kind] = &[Kind::Structure];

/// MQCFCONLOS_*.
const ON_LOSS: &[Word] = &[plain("TERMINATE", 0), plain("TOLERATE", 1), plain("ASQMGR", 2)];
/// MQCFOFFLD_*.
const OFFLOADS: &[Word] = &[plain("NONE", 0), plain("SMDS", 1), plain("DB2", 2)];
/// MQDSB_*.
const BLOCKS: &[Word] = &[
    plain("8K", 1),
    plain("16K", 2),
    plain("32K", 3),
    plain("64K", 4),
    plain("128K", 5),
    plain("256K", 6),
    plain("512K", 7),
    Word { synonyms: &["1024K"], ..plain("1M", 8) },
];
/// MQDSE_*.
const EXPANDS: &[Word] = &[plain("YES", 1), plain("NO", 2)];
const PERCENT: ValueType = ValueType::Integer { minimum: 0, maximum: 100, unit: "percent", words: &[] };
/// `64K`.
const SIZE: ValueType = ValueType::Text { maximum: 3 };

pub(super) const ROWS: &[Attribute] = &[
    shown!(CFSTRUCT = Some(2039), -, STRUCTURE, ValueType::Name,
        |view| Some(view.structure()?.name.to_value()),
        "Name of the structure."),
    shown!(ALTDATE = Some(2027), -, STRUCTURE, ValueType::Date,
        |view| Some(Value::Text(date_text(view.structure()?.history.altered))),
        "Date of the last change, in UTC."),
    shown!(ALTTIME = Some(2028), -, STRUCTURE, ValueType::Time,
        |view| Some(Value::Text(time_text(view.structure()?.history.altered))),
        "Time of the last change, in UTC."),
    row!(CFCONLOS = 246, -, STRUCTURE, ValueType::Choice(ON_LOSS), structure.on_loss,
        "Whether a member that cannot reach the database of the structure ends, or refuses its queues."),
    row!(CFLEVEL = 70, -, STRUCTURE, ValueType::Integer { minimum: 1, maximum: 5, unit: "", words: &[] },
        structure.level, "Level of the structure; information only."),
    row!(DESCR = 2052, -, STRUCTURE, ValueType::Text { maximum: 64 }, structure.description,
        "Free text about the structure."),
    row!(DSBLOCK = 1328, -, STRUCTURE, ValueType::Choice(BLOCKS), structure.data_set_block,
        "Block size of data sets; stored, not used: the database has the messages."),
    row!(DSBUFS = 228, -, STRUCTURE, ValueType::Integer { minimum: 1, maximum: 9999, unit: "buffers", words: &[] },
        structure.data_set_buffers, "Buffers for data sets; stored, not used."),
    row!(DSEXPAND = 1329, -, STRUCTURE, ValueType::Choice(EXPANDS), [structure.data_set_expand = 2 | 1],
        "Whether data sets expand; stored, not used."),
    row!(DSGROUP = 3182, -, STRUCTURE, ValueType::Text { maximum: 44 }, structure.data_set_group,
        "Generic name of data sets; stored, not used."),
    row!(OFFLD1SZ = 3179, -, STRUCTURE, SIZE, structure.offload_size_1,
        "First rule's message size for offloading; stored, not used."),
    row!(OFFLD1TH = 225, -, STRUCTURE, PERCENT, structure.offload_threshold_1,
        "First rule's fullness for offloading; stored, not used."),
    row!(OFFLD2SZ = 3180, -, STRUCTURE, SIZE, structure.offload_size_2,
        "Second rule's message size for offloading; stored, not used."),
    row!(OFFLD2TH = 226, -, STRUCTURE, PERCENT, structure.offload_threshold_2,
        "Second rule's fullness for offloading; stored, not used."),
    row!(OFFLD3SZ = 3181, -, STRUCTURE, SIZE, structure.offload_size_3,
        "Third rule's message size for offloading; stored, not used."),
    row!(OFFLD3TH = 227, -, STRUCTURE, PERCENT, structure.offload_threshold_3,
        "Third rule's fullness for offloading; stored, not used."),
    row!(OFFLOAD = 224, -, STRUCTURE, ValueType::Choice(OFFLOADS), structure.offload,
        "Where long messages go; stored, not used: the database has all of them."),
    row!(RECAUTO = 244, -, STRUCTURE, ValueType::Choice(NO_YES), structure.recover_automatically,
        "Whether the structure is recovered without a command; stored, not used."),
    row!(RECOVER = 71, -, STRUCTURE, ValueType::Choice(NO_YES), structure.recover,
        "Whether the structure takes persistent messages, and keeps what it holds when the database restarts."),
];
