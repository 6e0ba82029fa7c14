//! Numbers and names that `model` has of its own are those of the table.

use model::options::{CloseOptions, GetFlags, MatchOptions, OpenOptions, PutFlags};
use model::reason::Reason;
use model::subscribe::SubscribeFlags;
use mqi_table::Table;

fn value(table: &Table, name: &str) -> Option<i32> {
    table.constant(name)?.integer()
}

#[test]
fn reasons_have_the_tables_numbers() {
    let table = Table::new();
    for reason in Reason::ALL {
        assert_eq!(value(&table, reason.name()), Some(reason.number()), "{}", reason.name());
    }
}

fn check(table: &Table, prefix: &str, flags: impl Iterator<Item = (&'static str, u32)>, others: &[(&str, &str)]) {
    for (name, bits) in flags {
        let published = others.iter().find(|(ours, _)| *ours == name).map_or(name, |(_, published)| published);
        let published = format!("{prefix}{published}");
        assert_eq!(value(table, &published).map(i32::cast_unsigned), Some(bits), "{published}");
    }
}

#[test]
fn options_of_verbs_have_the_tables_numbers() {
    let table = Table::new();
    check(&table, "MQOO_", OpenOptions::all().iter_names().map(|(name, flag)| (name, flag.bits())), &[]);
    check(&table, "MQCO_", CloseOptions::all().iter_names().map(|(name, flag)| (name, flag.bits())), &[]);
    check(&table, "MQPMO_", PutFlags::all().iter_names().map(|(name, flag)| (name, flag.bits())), &[]);
    check(&table, "MQGMO_", GetFlags::all().iter_names().map(|(name, flag)| (name, flag.bits())), &[]);
    let matches = MatchOptions::all().iter_names().map(|(name, flag)| (name, flag.bits()));
    check(&table, "MQMO_MATCH_", matches, &[]);
    check(&table, "MQSO_", SubscribeFlags::all().iter_names().map(|(name, flag)| (name, flag.bits())), &[]);
}
