//! Names of numbers: `cmqstrc.h`, functions for each family of integer constants, and the table for events.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::c::NOTICE;
use crate::table::{Kind, Table};

/// Families whose numbers are lengths or versions: no program asks for their names.
const WITHOUT: [&str; 1] = ["MQ"];

pub(crate) fn header(table: &Table) -> String {
    let mut out = format!(
        "{NOTICE}#ifndef MQSTRC_INCLUDED\n#define MQSTRC_INCLUDED\n\n#include \"cmqc.h\"\n\n#if defined(__cplusplus)\nextern \"C\" {{\n#endif\n\n\
         #ifndef MQSTRC_LINKAGE\n#if defined(__GNUC__)\n#define MQSTRC_LINKAGE __attribute__((weak))\n#else\n\
         #define MQSTRC_LINKAGE static\n#endif\n#endif\n"
    );
    for (family, numbers) in families(table) {
        let _ = write!(
            out,
            "\nchar *{family}_STR(MQLONG v);\nMQSTRC_LINKAGE char *{family}_STR(MQLONG v)\n{{\n  const char *c;\n  switch (v)\n  {{\n"
        );
        for (number, name) in numbers {
            let case = if number == i32::MIN { "(-2147483647 - 1)".to_owned() } else { number.to_string() };
            let _ = writeln!(out, "  case {case}: c = \"{name}\"; break;");
        }
        out.push_str("  default: c = \"\"; break;\n  }\n  return (char *)c;\n}\n");
    }
    out.push_str("\n#if defined(__cplusplus)\n}\n#endif\n\n#endif\n");
    out
}

/// Families of parameters that events and their like have, and of the values that are told in words.
const OF_EVENTS: [&str; 22] = [
    "MQIA", "MQCA", "MQIACF", "MQCACF", "MQIACH", "MQCACH", "MQBACF", "MQGACF", "MQIAMO", "MQIAMO64", "MQCAMO", "MQRC",
    "MQCMD", "MQRQ", "MQEVO", "MQOT", "MQQT", "MQAT", "MQCHT", "MQZAET", "MQPER", "MQUS",
];

/// Name and number, a line each.
pub(crate) fn of_events(table: &Table) -> String {
    let families = families(table);
    let rows = OF_EVENTS.iter().flat_map(|family| families.get(family).into_iter().flatten());
    rows.fold(String::new(), |mut text, (number, name)| {
        let _ = writeln!(text, "{name}\t{number}");
        text
    })
}

/// Names that programs know a number by where the table has another one of the family first.
const USUAL: [&str; 1] = ["MQPL_UNIX"];

/// Each family with its numbers; of two names of one number the usual one counts, or else the first in the table.
fn families(table: &Table) -> BTreeMap<&'static str, Vec<(i32, &'static str)>> {
    let mut families: BTreeMap<&str, Vec<(i32, &str)>> = BTreeMap::new();
    for constant in table.constants.iter().filter(|constant| constant.kind == Kind::Integer) {
        let Some((family, rest)) = constant.name.split_once('_') else { continue };
        let is_bound = rest.ends_with("FIRST") || rest.ends_with("LAST") || rest.ends_with("LAST_USED");
        let (Some(number), false) = (constant.integer(), WITHOUT.contains(&family) || is_bound) else { continue };
        let known = families.entry(family).or_default();
        match known.iter_mut().find(|(other, _)| *other == number) {
            Some(entry) if USUAL.contains(&constant.name) => entry.1 = constant.name,
            Some(_) => {}
            None => known.push((number, constant.name)),
        }
    }
    families
}
