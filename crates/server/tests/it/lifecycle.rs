//! `crtmqm`, `dltmqm`, `strmqm`, `endmqm`, `dspmq`, `log inspect`: with and without a server.

use expect_test::expect;

use crate::program::{Folder, Server, eventually};

#[test]
fn a_queue_manager_is_created_served_and_deleted() {
    let folder = Folder::new();
    expect![[r#"
        exit 0
        out: Queue manager ORDERS was created in DIR.
        err: quaymaster: crtmqm: -lc, -lp has no effect here
    "#]]
    .assert_eq(&folder.run(&["crtmqm", "-lc", "-lp", "3", "-c", "For orders", "-u", "DEAD", "ORDERS"]));
    expect![[r#"
        exit 8
        err: AMQ8110E: Queue manager ORDERS exists already.
    "#]]
    .assert_eq(&folder.run(&["crtmqm", "ORDERS"]));
    expect![[r#"
        exit 0
        out: QMNAME(ORDERS)                                            STATUS(Ended normally)
    "#]]
    .assert_eq(&folder.run(&["dspmq"]));
    {
        let server = Server::start(&folder, &["--qmgr", "ORDERS"]);
        let shown = folder.run(&["mqsc", "DISPLAY QMGR DESCR DEADQ"]);
        assert!(shown.contains("DESCR(For orders)") && shown.contains("DEADQ(DEAD)"), "{shown}");
        assert!(folder.run(&["dspmq"]).contains("STATUS(Running)"));
        expect![[r#"
            exit 0
            out: [{"name":"ORDERS","status":"Running","default":true}]
        "#]]
        .assert_eq(&folder.run(&["dspmq", "--json"]));
        assert!(folder.run(&["dltmqm", "ORDERS"]).starts_with("exit 5\n"));
        assert_eq!(server.terminate().0, Some(0));
    }
    assert!(folder.run(&["dspmq"]).contains("STATUS(Ended normally)"));
    expect![[r#"
        exit 0
        out: Queue manager ORDERS was deleted.
    "#]]
    .assert_eq(&folder.run(&["dltmqm", "ORDERS"]));
    assert_eq!(folder.run(&["dspmq"]), "exit 0\n");
    expect![[r#"
        exit 16
        err: AMQ8118E: Queue manager ORDERS does not exist.
    "#]]
    .assert_eq(&folder.run(&["dltmqm", "ORDERS"]));
    assert!(folder.run(&["dspmq", "-m", "ORDERS"]).starts_with("exit 72\n"));
}

#[test]
fn a_killed_server_is_shown_and_its_messages_are_back() {
    let folder = Folder::new();
    let mut server = Server::start(&folder, &[]);
    folder.run(&["put", "DEV.QUEUE.1", "kept", "--persistent"]);
    server.signal("KILL");
    server.wait();
    assert!(folder.run(&["dspmq"]).contains("STATUS(Ended unexpectedly)"));
    let inspected = folder.run(&["log", "inspect", "QM1"]);
    assert!(inspected.starts_with("exit 0\nout: anchor "), "{inspected}");
    assert!(inspected.contains(": put queue "), "{inspected}");
    let _server = Server::start(&folder, &[]);
    assert_eq!(folder.run(&["get", "DEV.QUEUE.1"]), "exit 0\nout: kept\n");
}

#[test]
fn strmqm_starts_a_server_in_the_background_and_endmqm_ends_it() {
    let folder = Folder::new();
    assert!(folder.run(&["strmqm", "QM7"]).starts_with("exit 16\n"));
    assert!(folder.run(&["crtmqm", "QM7"]).starts_with("exit 0\n"));
    assert!(folder.run(&["endmqm", "QM7"]).starts_with("exit 40\n"));
    let ports = ["--https", "127.0.0.1:0", "--http", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--mq", "127.0.0.1:0"];
    let mut start = vec!["strmqm", "QM7", "--"];
    start.extend(ports);
    let said = folder.run(&start);
    assert!(said.starts_with("exit 0\nout: Queue manager QM7 was started"), "{said}");
    assert!(folder.run(&["strmqm", "QM7"]).starts_with("exit 5\n"));
    expect![[r#"
        exit 0
        out: Queue manager QM7 has ended.
    "#]]
    .assert_eq(&folder.run(&["endmqm", "-i", "QM7"]));
    // It was started for this queue manager, so it ends with it.
    eventually("the end of the server", || folder.run(&["chkmqready"]).contains("no server is running"));
    assert!(folder.run(&["dspmq"]).contains("STATUS(Ended immediately)"));
}

#[test]
fn crtmqm_makes_the_listener_of_p_and_names_what_has_no_effect() {
    let folder = Folder::new();
    let made = folder.run(&["crtmqm", "-p", "1515", "-lc", "-lf", "64", "QM7"]);
    expect![[r#"
        exit 0
        out: Queue manager QM7 was created in DIR.
        err: quaymaster: crtmqm: -lc, -lf has no effect here
    "#]]
    .assert_eq(&made);
    assert!(folder.run(&["crtmqm", "-p", "0", "QM8"]).starts_with("exit 2\n"));
    assert!(folder.run(&["crtmqm", "-p", "many", "QM8"]).starts_with("exit 2\n"));
    let _server = Server::start(&folder, &["--qmgr", "QM7"]);
    let said = folder.run(&["mqsc", "DISPLAY LISTENER(SYSTEM.LISTENER.TCP.1) PORT CONTROL"]);
    assert!(said.contains("PORT(1515)") && said.contains("CONTROL(QMGR)"), "{said}");
}
