//! Words for the numbers of PCF. `constants.tsv` is made of the MQI's table by `cargo xtask codegen`.

use std::collections::HashMap;
use std::sync::LazyLock;

const TABLE: &str = include_str!("constants.tsv");

/// Families that parameters are named by. Where a number is in two of them, the first one has the parameter.
const PARAMETERS: [&str; 11] =
    ["MQIA", "MQCA", "MQIACF", "MQCACF", "MQIACH", "MQCACH", "MQBACF", "MQGACF", "MQIAMO", "MQIAMO64", "MQCAMO"];

/// Families of the values that parameters have.
const VALUES: [(&str, &str); 13] = [
    ("MQIA_APPL_TYPE", "MQAT"),
    ("MQIA_BASE_TYPE", "MQOT"),
    ("MQIA_DEF_PERSISTENCE", "MQPER"),
    ("MQIA_Q_TYPE", "MQQT"),
    ("MQIA_USAGE", "MQUS"),
    ("MQIACF_AUTH_REC_TYPE", "MQOT"),
    ("MQIACF_COMMAND", "MQCMD"),
    ("MQIACF_ENTITY_TYPE", "MQZAET"),
    ("MQIACF_EVENT_APPL_TYPE", "MQAT"),
    ("MQIACF_EVENT_ORIGIN", "MQEVO"),
    ("MQIACF_OBJECT_TYPE", "MQOT"),
    ("MQIACF_REASON_QUALIFIER", "MQRQ"),
    ("MQIACH_CHANNEL_TYPE", "MQCHT"),
];

static NAMES: LazyLock<HashMap<(&str, i32), &str>> = LazyLock::new(|| {
    let row = |line: &'static str| {
        let (name, number) = line.split_once('\t')?;
        let (family, _) = name.split_once('_')?;
        Some(((family, number.parse().ok()?), name))
    };
    TABLE.lines().filter_map(row).collect()
});

/// The constant of a family with this number.
pub(super) fn name(family: &'static str, number: i32) -> Option<&'static str> {
    NAMES.get(&(family, number)).copied()
}

/// The constant that names a parameter.
pub(super) fn parameter(id: i32) -> Option<&'static str> {
    PARAMETERS.iter().find_map(|family| name(family, id))
}

/// The constant that a parameter's value is; `None` for a value that is a number.
pub(super) fn value(parameter: &str, number: i32) -> Option<&'static str> {
    let (_, family) = VALUES.iter().find(|(known, _)| *known == parameter)?;
    name(family, number)
}

/// `MQRC_Q_MGR_ACTIVE` is "Queue Mgr Active".
pub(super) fn words(constant: &str) -> String {
    let words: Vec<String> = parts(constant).map(capitalised).collect();
    words.join(" ")
}

/// `MQCA_Q_MGR_NAME` is "queueMgrName".
pub(super) fn key(constant: &str) -> String {
    let mut parts = parts(constant);
    let first = parts.next().unwrap_or_default().to_ascii_lowercase();
    parts.fold(first, |key, part| key + &capitalised(part))
}

fn parts(constant: &str) -> impl Iterator<Item = &str> {
    let (_, rest) = constant.split_once('_').unwrap_or(("", constant));
    rest.split('_').map(|part| if part == "Q" { "QUEUE" } else { part })
}

fn capitalised(part: &str) -> String {
    let (first, rest) = part.split_at(part.len().min(1));
    first.to_owned() + &rest.to_ascii_lowercase()
}

#[cfg(test)]
mod tests;
