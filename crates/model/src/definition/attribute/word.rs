//! Words that attribute values are spelled with: in MQSC, as published numbers, in JSON.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    pub mqsc: &'static str,
    /// Other spellings MQSC accepts.
    pub synonyms: &'static [&'static str],
    /// The number PCF and MQINQ use.
    pub code: i64,
    pub json: JsonWord,
}

/// How REST v1 spells a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonWord {
    Text(&'static str),
    Bool(bool),
    /// The member that is true in the object at the attribute's path; every other member is false.
    Member(&'static str),
    /// REST v1 has no word for it.
    None,
}

pub(super) const fn text(mqsc: &'static str, code: i64, json: &'static str) -> Word {
    Word { mqsc, synonyms: &[], code, json: JsonWord::Text(json) }
}

pub(super) const fn truth(mqsc: &'static str, code: i64, json: bool) -> Word {
    Word { mqsc, synonyms: &[], code, json: JsonWord::Bool(json) }
}

pub(super) const fn member(mqsc: &'static str, code: i64, json: &'static str) -> Word {
    Word { mqsc, synonyms: &[], code, json: JsonWord::Member(json) }
}

pub(super) const fn plain(mqsc: &'static str, code: i64) -> Word {
    Word { mqsc, synonyms: &[], code, json: JsonWord::None }
}

// Sets that several attributes share.

pub(super) const NO_YES: &[Word] = &[truth("NO", 0, false), truth("YES", 1, true)];
pub(super) const DISABLED_ENABLED: &[Word] = &[truth("DISABLED", 0, false), truth("ENABLED", 1, true)];
/// MQQA_GET_INHIBITED and its kin: the JSON name says "inhibit".
pub(super) const ENABLED_INHIBITED: &[Word] = &[truth("ENABLED", 0, false), truth("DISABLED", 1, true)];
pub(super) const OFF_ON: &[Word] = &[plain("OFF", 0), plain("ON", 1)];
/// MQMON_*: accounting and statistics of one queue.
pub(super) const COLLECT_SWITCH: &[Word] = &[text("QMGR", -3, "asQmgr"), text("OFF", 0, "off"), text("ON", 1, "on")];
/// MQQSGD_*, of a definition.
pub(super) const DISPOSITIONS: &[Word] =
    &[text("QMGR", 0, "qmgr"), text("COPY", 1, "copy"), text("SHARED", 2, "shared"), text("GROUP", 3, "group")];
/// MQMON_*: monitoring of one queue.
pub(super) const COLLECT_LEVEL: &[Word] = &[
    text("QMGR", -3, "asQmgr"),
    text("OFF", 0, "off"),
    text("LOW", 17, "low"),
    text("MEDIUM", 33, "medium"),
    text("HIGH", 65, "high"),
];
/// MQMON_*: what queues that say QMGR do; NONE overrules them.
pub(super) const MANAGER_SWITCH: &[Word] = &[plain("NONE", -1), plain("OFF", 0), plain("ON", 1)];
pub(super) const MANAGER_LEVEL: &[Word] =
    &[plain("NONE", -1), plain("OFF", 0), plain("LOW", 17), plain("MEDIUM", 33), plain("HIGH", 65)];
pub(super) const PUT_RESPONSE: &[Word] = &[text("SYNC", 1, "synchronous"), text("ASYNC", 2, "asynchronous")];
pub(super) const READ_AHEAD: &[Word] = &[text("NO", 0, "no"), text("YES", 1, "yes"), text("DISABLED", 2, "disabled")];
/// MQSVC_CONTROL_*.
pub(super) const CONTROL: &[Word] = &[plain("QMGR", 0), plain("MANUAL", 2)];
/// MQSVC_CONTROL_*: of listeners and services.
pub(super) const START_CONTROL: &[Word] = &[plain("QMGR", 0), plain("STARTONLY", 1), plain("MANUAL", 2)];
/// MQRECORDING_*.
pub(super) const RECORDING: &[Word] = &[plain("DISABLED", 0), plain("QUEUE", 1), plain("MSG", 2)];
/// MQCEX_NOLIMIT.
pub(super) const NO_LIMIT: &[Word] = &[plain("NOLIMIT", -1)];
