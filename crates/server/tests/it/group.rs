//! Servers whose queue managers are members of one queue-sharing group, on a PostgreSQL of their own.

use expect_test::expect;

use crate::postgres::Database;
use crate::program::{Folder, Server, eventually};

/// The data directory of a member, with the group's configuration.
fn member(database: &Database, queue_manager: &str) -> Folder {
    let folder = Folder::new();
    let url = &database.url;
    folder.write(
        "quaymaster.toml",
        &format!("[server]\nqueue_managers = ['{queue_manager}']\n[group]\nname = 'QSG1'\ndatabase = '{url}'\n"),
    );
    folder
}

#[test]
fn the_tables_of_a_group_are_made_once_and_for_one_group() {
    let database = Database::empty();
    let folder = member(&database, "QM1");
    expect![[r#"
        exit 0
        out: The database has the tables of group QSG1.
    "#]]
    .assert_eq(&folder.run(&["group", "create"]));
    expect![[r#"
        exit 0
        out: {"group":"QSG1"}
    "#]]
    .assert_eq(&folder.run(&["group", "create", "--json"]));
    expect![[r#"
        exit 1
        err: quaymaster: the database belongs to the group QSG1, not to QSG2
    "#]]
    .assert_eq(&folder.run(&["group", "create", "QSG2"]));
    expect![[r#"
        exit 1
        err: quaymaster: name the group, or set group.name in the configuration
    "#]]
    .assert_eq(&Folder::new().run(&["group", "create"]));
}

#[test]
fn a_message_of_one_server_is_got_from_the_other_and_outlives_both() {
    let database = Database::empty();
    let (first, second) = (member(&database, "QM1"), member(&database, "QM2"));
    first.run(&["group", "create"]);
    let servers = (Server::start(&first, &["--qmgr", "QM1"]), Server::start(&second, &["--qmgr", "QM2"]));
    let script =
        "DEFINE CFSTRUCT(APP1) CFLEVEL(5) RECOVER(YES)\nDEFINE QLOCAL(ORDERS) QSGDISP(SHARED) CFSTRUCT(APP1)\n";
    let done = first.run_with(&["runmqsc", "QM1"], script);
    assert!(done.starts_with("exit 0"), "{done}");
    eventually("the members know each other", || {
        let members = first.run(&["mqsc", "QM1", "DISPLAY GROUP"]);
        members.contains("QMNAME(QM1)") && members.contains("QMNAME(QM2)")
    });
    eventually("the other member knows the queue", || {
        second.run(&["mqsc", "QM2", "DISPLAY QLOCAL(ORDERS) QSGDISP"]).contains("QSGDISP(SHARED)")
    });

    first.run(&["put", "-m", "QM1", "ORDERS", "from the first", "--persistent"]);
    expect![[r#"
        exit 0
        out: from the first
    "#]]
    .assert_eq(&second.run(&["get", "-m", "QM2", "ORDERS"]));

    first.run(&["put", "-m", "QM1", "ORDERS", "for later", "--persistent"]);
    drop(servers);
    let _again = Server::start(&second, &["--qmgr", "QM2"]);
    expect![[r#"
        exit 0
        out: for later
    "#]]
    .assert_eq(&second.run(&["get", "-m", "QM2", "ORDERS"]));
}
