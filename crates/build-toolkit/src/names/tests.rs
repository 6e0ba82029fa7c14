//! Names by the rules of the reference, and the names that public samples show.

use super::{Names, Scope};
use crate::options::{Language, NameTruncation};

fn names() -> Names {
    Names::new(Language::Cobol, NameTruncation::Right, false)
}

fn field(json_name: &str) -> String {
    names().field(&mut Scope::new(""), json_name)
}

#[test]
fn characters_that_names_cannot_have_are_replaced() {
    for (json_name, name) in [
        ("rs_spare", "rs-spare"),
        ("approved?", "approvedX"),
        ("price$net", "priceXnet"),
        ("ca-request-", "ca-requestX"),
        ("_links", "X-links"),
        ("2nd", "X2nd"),
        ("größe", "grXXe"),
        ("", "X"),
    ] {
        assert_eq!(field(json_name), name);
    }
}

#[test]
fn reserved_words_get_an_x_and_are_told_of() {
    let mut names = names();
    let mut scope = Scope::new("");
    assert_eq!(names.field(&mut scope, "Status"), "XStatus");
    assert_eq!(names.field(&mut scope, "date_written"), "Xdate-written");
    let changed: Vec<_> = names.changed.iter().map(|(word, name)| format!("{word} {name}")).collect();
    assert_eq!(changed, ["Status XStatus", "date-written Xdate-written"]);
}

#[test]
fn long_names_keep_their_first_or_their_last_characters() {
    let long = "a_name_that_is_much_longer_than_allowed";
    assert_eq!(field(long), "a-name-that-is-much-longer-t");
    let mut left = Names::new(Language::Cobol, NameTruncation::Left, false);
    assert_eq!(left.field(&mut Scope::new(""), long), "Xis-much-longer-than-allowed");
    assert_eq!(left.field(&mut Scope::new(""), &format!("a{}", "1".repeat(30))), format!("X{}", "1".repeat(27)));
}

#[test]
fn the_second_use_of_a_name_gets_the_number_2_whatever_its_case() {
    let mut names = names();
    let mut scope = Scope::new("claim");
    let all: Vec<_> = ["type_x", "type-x", "Type_X", "claim"].map(|name| names.field(&mut scope, name)).into();
    assert_eq!(all, ["type-x", "type-x2", "Type-X3", "claim2"]);
}

#[test]
fn counters_leave_room_for_their_suffix_and_share_their_names_with_groups() {
    let mut names = names();
    let mut scope = Scope::new("");
    assert_eq!(names.group(&mut scope, "cscvincUpdateServiceOperation"), "cscvincUpdateServiceOperatio");
    assert_eq!(
        names.counter(&mut scope, "cscvincUpdateServiceOperation", false, false).0,
        "cscvincUpdateServiceOp-num"
    );
    assert_eq!(names.group(&mut scope, "eventData"), "eventData");
    assert_eq!(names.counter(&mut scope, "eventData", false, false).0, "eventData2-num");
    let mut inner = Scope::new("eventData");
    assert_eq!(names.group(&mut inner, "MINILOAN_COMMAREA"), "MINILOAN-COMMAREA");
    assert_eq!(names.counter(&mut inner, "MINILOAN_COMMAREA", false, false).0, "MINILOAN-COMMAREA2-num");
}

#[test]
fn names_of_lengths_differ_although_they_are_cut() {
    let mut names = names();
    let mut scope = Scope::new("");
    let one = names.field(&mut scope, "a-name-that-is-long-one");
    let other = names.field(&mut scope, "a-name-that-is-long-two");
    assert_eq!(names.length(&mut scope, &one), "a-name-that-is-long-length");
    assert_eq!(names.length(&mut scope, &other), "a-name-that-is-long2-length");
}

#[test]
fn a_counter_does_not_take_the_name_of_a_field_beside_it() {
    let mut names = names();
    let mut scope = Scope::new("");
    assert_eq!(names.field(&mut scope, "entries_num"), "entries-num");
    assert_eq!(names.counter(&mut scope, "entries", false, false).0, "entries2-num");
}

#[test]
fn thousands_of_equal_names_are_numbered_and_never_too_long() {
    let mut names = names();
    let mut scope = Scope::new("");
    let long = "abcdefghijklmnopqrstuvwxyzabcd";
    let all: Vec<_> = (0..2000).map(|_| names.field(&mut scope, long)).collect();
    assert!(all.iter().all(|name| name.len() <= 30), "{:?}", all.last());
    let mut sorted = all.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), all.len());
}

#[test]
fn names_of_pli_have_underscores_and_no_reserved_words() {
    let mut names = Names::new(Language::Pli, NameTruncation::Right, false);
    let mut scope = Scope::new("");
    assert_eq!(names.field(&mut scope, "title"), "title");
    assert_eq!(names.field(&mut scope, "rs_spare"), "rs_spare");
    assert_eq!(names.field(&mut scope, "X-Trace"), "X_Trace");
    assert_eq!(names.counter(&mut scope, "note", false, false).0, "note_num");
}
