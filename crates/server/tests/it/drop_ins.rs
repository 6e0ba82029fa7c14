//! Drop-in MQSC: order, errors with file and line, `--strict`.

use crate::program::{Folder, Server, finish, serve, shown};

#[test]
fn drop_ins_run_in_alphabetical_order_before_the_server_is_ready() {
    let folder = Folder::new();
    folder.write("mqsc.d/20-alter.mqsc", "ALTER QLOCAL(ORDERS) MAXDEPTH(7)\n");
    folder.write("mqsc.d/10-define.mqsc", "* The orders.\nDEFINE QLOCAL(ORDERS) REPLACE +\n  MAXDEPTH(5)\n");
    folder.write("mqsc.d/notes.txt", "DEFINE QLOCAL(NOT.THIS)\n");
    folder.write("mqsc.d/QM2/queues.mqsc", "DEFINE QLOCAL(SECOND) REPLACE\n");
    let server = Server::start(&folder, &["--qmgr", "QM1", "--qmgr", "QM2"]);
    let shown = folder.run(&["mqsc", "DISPLAY QLOCAL(ORDERS) MAXDEPTH"]);
    assert!(shown.contains("MAXDEPTH(7)"), "{shown}");
    assert!(folder.run(&["depth", "NOT.THIS"]).contains("2085"));
    assert_eq!(folder.run(&["depth", "SECOND", "--qmgr", "QM2"]), "exit 0\nout: 0\n");
    assert!(folder.run(&["depth", "SECOND"]).contains("2085"));
    drop(server);
}

#[test]
fn a_bad_command_is_logged_with_file_and_line_and_the_start_goes_on() {
    let folder = Folder::new();
    folder
        .write("mqsc.d/a.mqsc", "DEFINE QLOCAL(A) REPLACE\n\nDEFINE QLOCAL(B) MAXDEPTH(x)\nDEFINE QLOCAL(C) REPLACE\n");
    let server = Server::start(&folder, &[]);
    let errors = folder.filtered(&server.errors_with("a.mqsc on QM1, 1 failed"));
    let line = errors.lines().find(|line| line.contains("DIR/mqsc.d/a.mqsc, line 3: ")).expect("the command is named");
    assert!(line.contains("ERROR") && line.contains("AMQ8"), "{line}");
    assert_eq!(folder.run(&["depth", "C"]), "exit 0\nout: 0\n");
}

#[test]
fn with_strict_a_bad_command_ends_the_start() {
    let folder = Folder::new();
    folder.write("mqsc.d/a.mqsc", "DEFINE QLOCAL(A) REPLACE\nNONSENSE\n");
    let said = folder.filtered(&shown(&finish(serve(&folder, &["--strict"]), "")));
    assert!(said.starts_with("exit 1\n"), "{said}");
    assert_eq!(
        said.lines().last(),
        Some(
            "err: quaymaster: DIR/mqsc.d/a.mqsc, line 2: a command failed, and server.strict (--strict) ends the start"
        )
    );
}
