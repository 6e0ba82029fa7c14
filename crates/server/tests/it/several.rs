//! Several queue managers in one server: made, started, ended and deleted one by one, and what a restart remembers.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use expect_test::expect;

use crate::program::{Folder, Server, command, eventually, finish, serve, shown};

fn status(folder: &Folder) -> String {
    let rows = folder.run(&["dspmq"]);
    let short = |row: &str| row.trim_start_matches("out: ").split_whitespace().collect::<Vec<_>>().join(" ");
    rows.lines().skip(1).map(short).collect::<Vec<_>>().join("\n")
}

#[test]
fn one_is_made_started_ended_and_deleted_while_the_other_goes_on() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    folder.run(&["put", "DEV.QUEUE.1", "untouched", "--persistent"]);
    expect![[r#"
        exit 0
        out: Queue manager QM2 was created in DIR.
    "#]]
    .assert_eq(&folder.run(&["crtmqm", "-c", "The second", "QM2"]));
    expect![[r#"
        exit 8
        err: AMQ8110E: Queue manager QM2 exists already.
    "#]]
    .assert_eq(&folder.run(&["crtmqm", "QM2"]));
    assert_eq!(status(&folder), "QMNAME(QM1) STATUS(Running)\nQMNAME(QM2) STATUS(Ended normally)");
    expect![[r#"
        exit 20
        err: AMQ8146E: Queue manager QM2 is not available: ended normally.
    "#]]
    .assert_eq(&folder.run_with(&["runmqsc", "QM2"], "DISPLAY QMGR DESCR\n"));
    expect![[r#"
        exit 0
        out: Queue manager QM2 was started.
    "#]]
    .assert_eq(&folder.run(&["strmqm", "QM2"]));
    expect![[r#"
        exit 5
        err: quaymaster: queue manager QM2 is running already
    "#]]
    .assert_eq(&folder.run(&["strmqm", "QM2"]));
    expect![[r#"
        exit 16
        err: AMQ8118E: Queue manager QM3 does not exist.
    "#]]
    .assert_eq(&folder.run(&["strmqm", "QM3"]));
    assert!(folder.run(&["mqsc", "QM2", "DISPLAY QMGR DESCR"]).contains("DESCR(The second)"));
    folder.run(&["put", "-m", "QM2", "DEV.QUEUE.1", "of the second", "--persistent"]);
    expect![[r#"
        exit 5
        err: quaymaster: queue manager QM2 is running already
    "#]]
    .assert_eq(&folder.run(&["dltmqm", "QM2"]));
    expect![[r#"
        exit 0
        out: Waiting for queue manager QM2 to end.
        out: Queue manager QM2 has ended.
    "#]]
    .assert_eq(&folder.run(&["endmqm", "-w", "QM2"]));
    expect![[r#"
        exit 40
        err: AMQ8146E: Queue manager QM2 is not available: ended normally.
    "#]]
    .assert_eq(&folder.run(&["endmqm", "QM2"]));
    expect![[r#"
        exit 16
        err: AMQ8118E: Queue manager QM3 does not exist.
    "#]]
    .assert_eq(&folder.run(&["endmqm", "QM3"]));
    assert!(folder.run(&["strmqm", "QM2"]).starts_with("exit 0\n"));
    assert_eq!(folder.run(&["get", "-m", "QM2", "DEV.QUEUE.1"]), "exit 0\nout: of the second\n");
    assert!(folder.run(&["endmqm", "-p", "QM2"]).starts_with("exit 0\n"));
    assert_eq!(status(&folder), "QMNAME(QM1) STATUS(Running)\nQMNAME(QM2) STATUS(Ended pre-emptively)");
    assert!(folder.run(&["dltmqm", "QM2"]).starts_with("exit 0\n"));
    assert_eq!(status(&folder), "QMNAME(QM1) STATUS(Running)");
    assert!(!folder.join("qmgrs/QM2").exists());
    assert_eq!(folder.run(&["get", "DEV.QUEUE.1"]), "exit 0\nout: untouched\n");
    assert_eq!(server.terminate().0, Some(0));
}

#[test]
fn the_server_goes_on_when_the_last_has_ended_and_the_default_starts_again() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    folder.run(&["put", "DEV.QUEUE.1", "kept", "--persistent"]);
    assert!(folder.run(&["endmqm", "-i", "QM1"]).starts_with("exit 0\n"));
    assert!(folder.run(&["put", "DEV.QUEUE.1", "refused"]).contains("AMQ8146E"));
    assert_eq!(server.get("/readyz", ""), 503);
    assert_eq!(server.get("/livez", ""), 200);
    assert!(folder.run(&["chkmqready"]).starts_with("exit 1\n"));
    assert!(folder.run(&["strmqm", "QM1"]).starts_with("exit 0\n"));
    assert_eq!(server.get("/readyz", ""), 200);
    assert_eq!(folder.run(&["chkmqready"]), "exit 0\n");
    assert_eq!(folder.run(&["get", "DEV.QUEUE.1"]), "exit 0\nout: kept\n");
    assert_eq!(server.terminate().0, Some(0));
}

#[test]
fn a_server_told_so_ends_with_its_last_queue_manager() {
    let folder = Folder::new();
    let mut server = Server::start(&folder, &["--qmgr", "QM1,QM2", "--end-with-last"]);
    assert_eq!(server.ready["queueManagers"], serde_json::json!(["QM1", "QM2"]));
    assert!(folder.run(&["endmqm", "-i", "QM1"]).starts_with("exit 0\n"));
    assert_eq!(folder.run(&["depth", "-m", "QM2", "DEV.QUEUE.1"]), "exit 0\nout: 0\n");
    assert!(folder.run(&["endmqm", "-i", "QM2"]).starts_with("exit 0\n"));
    assert_eq!(server.wait().0, Some(0));
}

#[test]
fn a_restart_starts_what_ran_and_leaves_ended_what_endmqm_ended() {
    let folder = Folder::new();
    for name in ["RAN", "ENDED", "NEVER"] {
        assert!(folder.run(&["crtmqm", name]).starts_with("exit 0\n"));
    }
    let server = Server::start(&folder, &[]);
    for name in ["RAN", "ENDED"] {
        assert!(folder.run(&["strmqm", name]).starts_with("exit 0\n"));
    }
    assert!(folder.run(&["endmqm", "-i", "ENDED"]).starts_with("exit 0\n"));
    assert_eq!(server.terminate().0, Some(0));
    assert_eq!(
        status(&folder),
        "QMNAME(ENDED) STATUS(Ended immediately)\nQMNAME(NEVER) STATUS(Ended normally)\n\
         QMNAME(QM1) STATUS(Ended normally)\nQMNAME(RAN) STATUS(Ended normally)"
    );

    let mut server = Server::start(&folder, &[]);
    assert_eq!(server.ready["queueManagers"], serde_json::json!(["QM1", "RAN"]));
    server.signal("KILL");
    server.wait();
    assert!(status(&folder).contains("QMNAME(RAN) STATUS(Ended unexpectedly)"));

    let server = Server::start(&folder, &["--qmgr", "ENDED"]);
    assert_eq!(server.ready["queueManagers"], serde_json::json!(["ENDED", "QM1", "RAN"]));
    assert!(folder.run(&["dspmq", "-o", "default", "-m", "ENDED"]).contains("DEFAULT(yes)"));
    assert_eq!(server.terminate().0, Some(0));

    let server = Server::start(&folder, &["--qmgr", "NEVER", "--only-named"]);
    assert_eq!(server.ready["queueManagers"], serde_json::json!(["NEVER"]));
    assert_eq!(server.terminate().0, Some(0));
}

/// Makes the extent of a queue manager's log that holds a message unreadable, the message in its middle.
fn damage(folder: &Folder, name: &str) {
    let log = folder.join(&format!("qmgrs/{name}/log"));
    let mut damaged = 0;
    for entry in std::fs::read_dir(log).expect("a log") {
        let path = entry.expect("an entry").path();
        let mut bytes = std::fs::read(&path).expect("readable");
        let Some(at) = bytes.windows(6).position(|part| part == b"MARKED") else { continue };
        bytes[at] ^= 0xFF;
        let mut file = std::fs::File::create(&path).expect("writable");
        std::io::Write::write_all(&mut file, &bytes).expect("written");
        damaged += 1;
    }
    assert!(damaged > 0, "no extent holds the message");
}

#[test]
fn a_damaged_queue_manager_does_not_keep_others_from_serving() {
    let folder = Folder::new();
    {
        let server = Server::start(&folder, &["--qmgr", "GOOD", "--qmgr", "BAD"]);
        folder.run(&["put", "-m", "BAD", "DEV.QUEUE.1", "MARKED", "--persistent"]);
        for _ in 0..3 {
            folder.run(&["put", "-m", "BAD", "DEV.QUEUE.1", "after it", "--persistent"]);
        }
        folder.run(&["put", "-m", "GOOD", "DEV.QUEUE.1", "fine", "--persistent"]);
        assert_eq!(server.terminate().0, Some(0));
    }
    damage(&folder, "BAD");
    {
        let server = Server::start(&folder, &["--qmgr", "BAD", "--qmgr", "GOOD"]);
        assert_eq!(server.ready["queueManagers"], serde_json::json!(["GOOD"]));
        let log = server.errors_with("queue manager BAD cannot be started");
        assert!(log.contains("is damaged at offset"), "{log}");
        assert_eq!(status(&folder), "QMNAME(BAD) STATUS(Ended unexpectedly)\nQMNAME(GOOD) STATUS(Running)");
        let rows = folder.run(&["dspmq", "--json"]);
        assert!(rows.contains("\"problem\":\"cannot recover queue manager BAD: "), "{rows}");
        assert_eq!(folder.run(&["get", "-m", "GOOD", "DEV.QUEUE.1"]), "exit 0\nout: fine\n");
        let refused = folder.run(&["strmqm", "BAD"]);
        assert!(refused.starts_with("exit 71\n") && refused.contains("is damaged at offset"), "{refused}");
        assert!(folder.run(&["chkmqhealthy"]).contains("queue manager BAD is not running (ended unexpectedly): "));
        assert_eq!(folder.run(&["chkmqhealthy", "-m", "GOOD"]), "exit 0\n");
        assert_eq!(server.get("/readyz", ""), 200);
        assert_eq!(server.get("/readyz?qmgr=GOOD", ""), 200);
        assert_eq!(server.get("/readyz?qmgr=BAD", ""), 503);
        assert_eq!(server.terminate().0, Some(0));
    }
    for arguments in [&["--qmgr", "BAD", "--only-named"][..], &["--qmgr", "GOOD", "--qmgr", "BAD", "--strict"]] {
        let ended = folder.filtered(&shown(&finish(serve(&folder, arguments), "")));
        assert!(ended.starts_with("exit 1\n") && ended.contains("is damaged at offset"), "{ended}");
    }
}

#[test]
fn a_quiesce_ends_waits_refuses_newcomers_and_waits_for_those_at_work() {
    let folder = Folder::new();
    let server = Server::start(&folder, &["--qmgr", "QM1", "--qmgr", "QM2"]);
    let connections = || folder.run(&["mqsc", "QM2", "DISPLAY QMSTATUS CONNS"]);

    let mut waiting = command();
    waiting.args(["get", "-m", "QM2", "DEV.QUEUE.2", "--wait", "60s"]).env("QUAYMASTER_DATA", folder.path());
    let waiting = waiting.spawn().expect("it starts");
    eventually("a wait", || folder.run(&["depth", "-m", "QM2", "DEV.QUEUE.2", "--json"]).contains("\"openInput\":1"));

    // It has a message in hand that it cannot write, because nobody reads: its unit of work stays open.
    for _ in 0..2 {
        let large = "x".repeat(1 << 20);
        folder.run_with(&["put", "-m", "QM2", "DEV.QUEUE.1", "--persistent"], &large);
    }
    let mut busy = command();
    busy.args(["get", "-m", "QM2", "DEV.QUEUE.1", "--all"]).env("QUAYMASTER_DATA", folder.path());
    let mut busy = busy.stdout(Stdio::piped()).spawn().expect("it starts");
    let mut out = BufReader::new(busy.stdout.take().expect("a pipe"));
    assert!(!out.fill_buf().expect("readable").is_empty());
    // Two programs and the command server.
    assert!(connections().contains("CONNS(3)"), "{}", connections());

    expect![[r#"
        exit 0
        out: Queue manager QM2 quiesces: it ends when all applications have disconnected.
    "#]]
    .assert_eq(&folder.run(&["endmqm", "-c", "QM2"]));
    let waited = shown(&waiting.wait_with_output().expect("it ends"));
    assert!(waited.contains("2161"), "{waited}");
    assert_eq!(status(&folder), "QMNAME(QM1) STATUS(Running)\nQMNAME(QM2) STATUS(Quiescing)");
    expect![[r#"
        exit 20
        err: AMQ8146E: Queue manager QM2 is not available: quiescing.
    "#]]
    .assert_eq(&folder.run(&["mqsc", "QM2", "PING QMGR"]));
    assert!(folder.run(&["strmqm", "QM2"]).starts_with("exit 49\n"));
    assert!(folder.run(&["dltmqm", "QM2"]).starts_with("exit 49\n"));
    assert!(folder.run(&["endmqm", "QM2"]).starts_with("exit 0\n"), "to quiesce twice is no error");
    assert_eq!(folder.run(&["depth", "DEV.QUEUE.1"]), "exit 0\nout: 0\n");

    assert!(folder.run(&["endmqm", "-t", "1", "QM2"]).starts_with("exit 0\n"));
    assert_eq!(status(&folder), "QMNAME(QM1) STATUS(Running)\nQMNAME(QM2) STATUS(Ended immediately)");
    assert!(folder.run(&["strmqm", "QM2"]).starts_with("exit 0\n"));
    assert_eq!(
        folder.run(&["depth", "-m", "QM2", "DEV.QUEUE.1"]),
        "exit 0\nout: 2\n",
        "what was in hand is backed out"
    );
    busy.kill().expect("it has not ended");
    busy.wait().expect("it ends");
    assert_eq!(server.terminate().0, Some(0));
}

#[test]
fn a_server_that_cannot_listen_ends_its_queue_managers_in_order() {
    let folder = Folder::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("bound").to_string();
    let said = folder.filtered(&shown(&finish(serve(&folder, &["--http", &address]), "")));
    assert!(said.starts_with("exit 1\n") && said.contains("cannot listen on"), "{said}");
    assert_eq!(status(&folder), "QMNAME(QM1) STATUS(Ended normally)");
}

#[test]
fn drop_ins_of_a_queue_manager_run_when_it_starts() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    folder.run(&["crtmqm", "A/B"]);
    folder.write("mqsc.d/A&B/objects.mqsc", "DEFINE QLOCAL(DROPPED.IN) REPLACE\n");
    folder.write("mqsc.d/default.mqsc", "DEFINE QLOCAL(OF.THE.DEFAULT) REPLACE\n");
    assert!(folder.run(&["strmqm", "A/B"]).starts_with("exit 0\n"));
    assert_eq!(folder.run(&["depth", "-m", "A/B", "DROPPED.IN"]), "exit 0\nout: 0\n");
    assert!(folder.run(&["depth", "-m", "A/B", "OF.THE.DEFAULT"]).starts_with("exit 1\n"));
    folder.run(&["endmqm", "-i", "QM1"]);
    folder.run(&["strmqm", "QM1"]);
    assert_eq!(folder.run(&["depth", "OF.THE.DEFAULT"]), "exit 0\nout: 0\n");
    assert_eq!(server.terminate().0, Some(0));
}

#[test]
fn dspmq_shows_what_it_is_asked_for() {
    let folder = Folder::new();
    let _server = Server::start(&folder, &["--qmgr", "QM1"]);
    folder.run(&["crtmqm", "QM2"]);
    expect![[r#"
        exit 0
        out: QMNAME(QM1)                                               STATUS(Running)
    "#]]
    .assert_eq(&folder.run(&["dspmq", "-a"]));
    expect![[r#"
        exit 0
        out: QMNAME(QM1)                                               STATUS(Running) DEFAULT(yes)
        out: QMNAME(QM2)                                               STATUS(Ended normally) DEFAULT(no)
    "#]]
    .assert_eq(&folder.run(&["dspmq", "-o", "status", "-o", "default"]));
    let all = folder.run(&["dspmq", "-o", "all", "-m", "QM1", "-x"]);
    assert!(all.contains("STANDBY(Not permitted) INSTNAME(Installation1) INSTPATH(/"), "{all}");
    assert!(all.contains("\nout:     INSTANCE("), "{all}");
    assert!(folder.run(&["dspmq", "-m", "QM3"]).starts_with("exit 72\nerr: AMQ8118E"));
}

#[test]
fn a_command_server_serves_each_queue_manager_until_it_is_stopped() {
    let folder = Folder::new();
    let server = Server::start(&folder, &["--qmgr", "QM1", "--qmgr", "QM2"]);
    let state = |name: &str| folder.run(&["mqsc", name, "DISPLAY QMSTATUS CMDSERV"]);
    for name in ["QM1", "QM2"] {
        eventually("a command server", || state(name).contains("CMDSERV(RUNNING)"));
    }
    assert!(folder.run(&["mqsc", "QM2", "STOP CMDSERV"]).starts_with("exit 0\n"));
    eventually("its end", || state("QM2").contains("CMDSERV(STOPPED)"));
    assert!(state("QM1").contains("CMDSERV(RUNNING)"));
    assert!(folder.run(&["mqsc", "QM2", "ALTER QMGR SCMDSERV(MANUAL)"]).starts_with("exit 0\n"));
    assert!(folder.run(&["endmqm", "-w", "QM2"]).starts_with("exit 0\n"));
    assert!(folder.run(&["strmqm", "QM2"]).starts_with("exit 0\n"));
    assert!(state("QM2").contains("CMDSERV(STOPPED)"), "it has to be started");
    assert!(folder.run(&["mqsc", "QM2", "START CMDSERV"]).starts_with("exit 0\n"));
    eventually("a command server", || state("QM2").contains("CMDSERV(RUNNING)"));
    assert_eq!(server.terminate().0, Some(0));
}
