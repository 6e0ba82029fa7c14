//! Members of one version of the tables beside members of the next.

use storage::shared::{Migration, SchemaVersions, SharedError};
use storage::{SharedOptions, SharedStore, Store, StoreOptions, block_on};

use crate::postgres::Database;
use crate::shared::group::{count, create_queue, get, know_queue, member, options, put};

/// A program of the next version, which adds a column that older programs do not mind.
const NEXT: SchemaVersions = SchemaVersions {
    version: 2,
    migrations: &[Migration { to: 2, readable_from: 1, sql: "ALTER TABLE unit ADD COLUMN home int4" }],
};

/// One after that, which takes away what older programs use.
const LAST: SchemaVersions = SchemaVersions {
    version: 3,
    migrations: &[
        Migration { to: 2, readable_from: 1, sql: "ALTER TABLE unit ADD COLUMN home int4" },
        Migration { to: 3, readable_from: 3, sql: "ALTER TABLE receipt RENAME TO answered" },
    ],
};

fn of_version(database: &Database, name: &str, schema: SchemaVersions) -> SharedOptions {
    let mut options = options(&database.url, name);
    options.schema = schema;
    options
}

fn versions(database: &Database) -> (i64, i64) {
    let one = |column: &str| count(database, &format!("SELECT {column} FROM group_state"));
    (one("schema_version"), one("readable_from"))
}

fn upgrade(database: &Database, schema: SchemaVersions) -> Result<i32, SharedError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(storage::shared::upgrade_group(&of_version(database, "", schema), "QSG1"))
}

#[test]
fn a_newer_member_migrates_the_tables_and_works_beside_an_older_one() {
    let database = Database::of_group("QSG1");
    let older = member(options(&database.url, "QM1"));
    let queue = create_queue(&older);
    assert_eq!(versions(&database), (1, 1));

    let newer = member(of_version(&database, "QM2", NEXT));
    assert_eq!(versions(&database), (2, 1));
    know_queue(&newer, queue);
    put(&older, None, queue, 1, true).expect("the older member puts");
    assert_eq!(get(&newer, None, queue).expect("gets"), Some(1));
    put(&newer, None, queue, 2, true).expect("the newer member puts");
    assert_eq!(get(&older, None, queue).expect("gets"), Some(2));

    // The older one starts again, on tables of the newer version.
    drop(older);
    let older = member(options(&database.url, "QM1"));
    know_queue(&older, queue);
    put(&older, None, queue, 3, true).expect("puts");
    assert_eq!(get(&newer, None, queue).expect("gets"), Some(3));
}

#[test]
fn a_migration_that_older_members_cannot_follow_waits_until_they_have_ended() {
    let database = Database::of_group("QSG1");
    let older = member(options(&database.url, "QM1"));
    let refused = upgrade(&database, LAST).expect_err("an older member runs").to_string();
    assert_eq!(refused, "the tables cannot be brought to version 3 while members of older programs run: QM1");
    assert_eq!(versions(&database), (1, 1), "all steps or none");
    assert_eq!(
        count(&database, "SELECT count(*) FROM pg_attribute WHERE attrelid = 'unit'::regclass AND attname = 'home'"),
        0
    );

    drop(older);
    assert_eq!(upgrade(&database, LAST).expect("no older member runs"), 3);
    assert_eq!(upgrade(&database, LAST).expect("nothing is left to do"), 3);
    assert_eq!(versions(&database), (3, 3));
}

#[test]
fn a_member_refuses_tables_of_a_newer_version_that_it_cannot_read() {
    let database = Database::of_group("QSG1");
    upgrade(&database, LAST).expect("no member runs");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let refused = runtime
        .block_on(storage::shared::create_group(
            &options(&database.url, ""),
            "QSG1",
            &storage::shared::Roles::default(),
        ))
        .expect_err("the tables are newer");
    assert_eq!(
        refused.to_string(),
        "the tables of the group have version 3, and this program knows version 1: use a newer program"
    );
    let mut options = options(&database.url, "QM1");
    options.patience = std::time::Duration::from_millis(200);
    let store = Store::ephemeral(StoreOptions::default()).in_group(SharedStore::start(options).expect("starts"));
    assert!(block_on(store.meet_group()).is_err(), "the member does not join");
    assert_eq!(count(&database, "SELECT count(*) FROM member"), 0);
}

#[test]
fn several_new_members_that_start_at_once_migrate_once() {
    let database = Database::of_group("QSG1");
    let members: Vec<_> = std::thread::scope(|scope| {
        let starts: Vec<_> = (1..=4)
            .map(|number| {
                let options = of_version(&database, &format!("QM{number}"), NEXT);
                scope.spawn(move || member(options))
            })
            .collect();
        starts.into_iter().map(|start| start.join().expect("joins")).collect()
    });
    assert_eq!(members.len(), 4);
    assert_eq!(versions(&database), (2, 1));
}
