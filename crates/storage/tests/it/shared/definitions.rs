//! Definitions of a group are the same at each member, and of two changes at once one is refused.

use std::sync::mpsc;

use storage::shared::{GroupDefinition, GroupDisposition};
use storage::{SharedOptions, SharedStore, block_on};

use crate::postgres::Database;
use crate::shared::group::PATIENCE;

fn member(database: &Database, name: &str) -> SharedStore {
    let store = SharedStore::start(SharedOptions::new(database.url.clone(), name.to_owned())).expect("starts");
    block_on(store.connected()).expect("joins");
    store
}

fn save(store: &SharedStore, key: &str, value: &str, version: i64) -> Option<i64> {
    block_on(store.save_definition(key, GroupDisposition::Shared, value.as_bytes(), version)).expect("saves or not")
}

#[test]
fn a_change_that_rests_on_an_old_version_is_refused() {
    let database = Database::of_group("QSG1");
    let (one, two) = (member(&database, "QM1"), member(&database, "QM2"));
    let first = save(&one, "queue/A", "1", 0).expect("there was none");
    assert_eq!(save(&two, "queue/A", "2", 0), None, "there is one");
    let second = save(&two, "queue/A", "2", first).expect("rests on the present one");
    assert_eq!(save(&one, "queue/A", "3", first), None);
    assert_eq!(block_on(one.delete_definition("queue/A", first)).expect("asks"), None);
    let deleted = block_on(one.delete_definition("queue/A", second)).expect("asks").expect("deletes");
    assert!(first < second && second < deleted);
    let again = save(&two, "queue/A", "4", 0).expect("it is gone");
    let found = block_on(one.definitions_after(0)).expect("reads");
    let expected = GroupDefinition {
        key: "queue/A".to_owned(),
        disposition: GroupDisposition::Shared,
        value: Some(b"4".to_vec()),
        version: again,
    };
    assert_eq!(found, [expected], "what was made again is not deleted");
}

#[test]
fn members_are_told_of_changes_and_read_what_is_new() {
    let database = Database::of_group("QSG1");
    let (one, two) = (member(&database, "QM1"), member(&database, "QM2"));
    let (told, tells) = mpsc::channel();
    two.listen_to_definitions(Box::new(move |version| {
        let _ = told.send(version);
    }));
    let saved = save(&one, "queue/A", "1", 0).expect("saves");
    let other = save(&one, "queue/B", "1", 0).expect("saves");
    block_on(one.delete_definition("queue/A", saved)).expect("asks").expect("deletes");
    let seen = (0..20).map_while(|_| tells.recv_timeout(PATIENCE).ok()).find(|version| *version > other);
    assert_eq!(seen, Some(other + 1));
    let new = block_on(two.definitions_after(saved)).expect("reads");
    let texts: Vec<_> = new.iter().map(|definition| (definition.key.as_str(), definition.value.is_some())).collect();
    assert_eq!(texts, [("queue/B", true), ("queue/A", false)]);
}
