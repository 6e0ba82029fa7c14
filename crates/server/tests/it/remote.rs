//! Commands that reach a server by URL, and what runmqsc's options about other queue managers mean here.

use expect_test::expect;

use crate::program::{Folder, Server};

/// Runs a command over HTTPS as a user of the server; its data directory is of no use to it.
fn over_https(server: &Server, folder: &Folder, user: &str, words: &[&str], input: &str) -> String {
    let url = format!("https://{}", server.address("https"));
    let file = |name: &str| folder.join(name).display().to_string();
    let (ca, passwords, nowhere) = (file("tls/ca.crt"), file("initial-passwords"), file("nowhere"));
    let mut arguments = words.to_vec();
    arguments.extend(["--url", &url, "--user", user, "--password-file", &passwords, "--cacert", &ca]);
    if !matches!(words[0], "put" | "get" | "browse") {
        arguments.extend(["--data", &nowhere]);
    }
    folder.run_with(&arguments, input)
}

#[test]
fn runmqsc_by_url_says_what_runmqsc_on_the_machine_says() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let script = "DEFINE QLOCAL(A) DESCR('two   blanks (and') MAXDEPTH(7)\nDISPLAY QLOCAL(A) ALL\nDISPLAY QLOCAL(NONE)\n\
                  ALTER QLOCAL(A) NONSENSE(1)\nDISPLAY QMGR DEADQ DESCR\nDELETE QLOCAL(A)\n";
    let there = over_https(&server, &folder, "admin", &["runmqsc", "QM1"], script);
    let here = folder.run_with(&["runmqsc", "QM1"], script);
    assert_eq!(without_times(&there), without_times(&here));
    assert!(there.starts_with("exit 10\n"), "{there}");
    assert!(there.contains("out:    QUEUE(A)                                TYPE(QLOCAL)\n"), "{there}");
}

/// Attributes that differ between two definitions of the same queue.
fn without_times(text: &str) -> Vec<String> {
    let changes = ["ALTTIME(", "CRTIME(", "ALTDATE(", "CRDATE("];
    let stays = |item: &&str| !item.is_empty() && !changes.iter().any(|start| item.starts_with(start));
    let lines = text.lines().map(|line| line.split("   ").map(str::trim).filter(stays).collect::<Vec<_>>().join(" | "));
    lines.collect()
}

#[test]
fn reading_commands_work_by_url_and_a_reader_may_not_change() {
    let folder = Folder::new();
    let server = Server::start(&folder, &["--qmgr", "QM1", "--qmgr", "QM2"]);
    folder.run(&["put", "DEV.QUEUE.1", "x"]);
    folder.run(&["endmqm", "-i", "QM2"]);
    let run = |words: &[&str]| over_https(&server, &folder, "reader", words, "");
    expect![[r#"
        exit 0
        out: QMNAME(QM1)                                               STATUS(Running)
        out: QMNAME(QM2)                                               STATUS(Ended immediately)
    "#]]
    .assert_eq(&run(&["dspmq"]));
    assert_eq!(run(&["depth", "DEV.QUEUE.1"]), "exit 0\nout: 1\n");
    assert_eq!(run(&["depth", "DEV.QUEUE.*", "--json"]), folder.run(&["depth", "DEV.QUEUE.*", "--json"]));
    assert_eq!(
        run(&["mqsc", "DISPLAY QLOCAL(DEV.QUEUE.1) CURDEPTH"]),
        folder.run(&["mqsc", "DISPLAY QLOCAL(DEV.QUEUE.1) CURDEPTH"])
    );
    let refused = run(&["mqsc", "DEFINE QLOCAL(B)"]);
    assert!(refused.starts_with("exit 10\nout: AMQ8135E: 403"), "{refused}");
    let ended = run(&["mqsc", "QM2", "DISPLAY QMGR"]);
    assert!(ended.starts_with("exit 20\nerr: quaymaster: 503"), "{ended}");
    assert!(run(&["mqsc", "QM9", "DISPLAY QMGR"]).starts_with("exit 20\nerr: quaymaster: 404"));
}

#[test]
fn dmpmqcfg_by_url_writes_what_it_writes_on_the_machine() {
    let folder = Folder::new();
    let server = Server::start(&folder, &["--qmgr", "QM1", "--qmgr", "QM2"]);
    for words in [
        &["dmpmqcfg", "-m", "QM1"][..],
        &["dmpmqcfg", "-m", "QM2", "-a", "-o", "1line", "-x", "queue", "-n", "SYSTEM.*", "--include-defaults"],
        &["dmpmqcfg", "-t", "queue", "-n", "DEV.QUEUE.*", "--json"],
    ] {
        let here = folder.run(words);
        let is_there = here.contains("DEFINE QLOCAL(") || here.contains(r#""qualifier":"qlocal""#);
        assert!(here.starts_with("exit 0\n") && is_there, "{here}");
        assert_eq!(over_https(&server, &folder, "reader", words, ""), here, "{words:?}");
    }
    let refused = over_https(&server, &folder, "app", &["dmpmqcfg"], "");
    assert!(refused.starts_with("exit 1\nerr: quaymaster: 403"), "{refused}");
    assert!(
        over_https(&server, &folder, "admin", &["dmpmqcfg", "-m", "QM9"], "")
            .starts_with("exit 20\nerr: quaymaster: 404")
    );
}

#[test]
fn runmqsc_through_another_queue_manager_of_the_same_server() {
    let folder = Folder::new();
    let _server = Server::start(&folder, &["--qmgr", "QM1", "--qmgr", "QM2"]);
    let said = folder.run_with(&["runmqsc", "-e", "-w", "5", "-m", "QM1", "QM2"], "DISPLAY QMGR QMNAME\n");
    assert!(said.starts_with("exit 0\n") && said.contains("QMNAME(QM2)"), "{said}");
    assert!(folder.run(&["runmqsc", "-w", "5", "-m", "QM9", "QM1"]).starts_with("exit 20\nerr: AMQ8118E"));
    for (arguments, sentence) in [
        (&["runmqsc", "-m", "QM1", "QM2"][..], "--wait"),
        (&["runmqsc", "-w", "5", "-x", "QM1"], "-x: this queue manager is not on z/OS"),
        (&["runmqsc", "-c", "QM1"], "-c: a client connection can be made only once there are channels"),
        (&["runmqsc", "-u", "admin", "QM1"], "-u: the socket serves its owner"),
        (&["runmqsc", "-n"], "-n: there is no client channel definition table"),
    ] {
        let said = folder.run(arguments);
        assert!(said.starts_with("exit 20\n") && (said.contains(sentence) || sentence == "--wait"), "{said}");
    }
}

#[test]
fn dmpmqcfg_writes_one_type_of_object_and_json() {
    let folder = Folder::new();
    let _server = Server::start(&folder, &["--qmgr", "QM1", "--qmgr", "QM2"]);
    folder.run(&["mqsc", "QM2", "DEFINE QLOCAL(OF.THE.SECOND)"]);
    let dumped = folder.run(&["dmpmqcfg", "-m", "QM2", "-x", "object", "-t", "queue", "-n", "OF.*"]);
    assert!(dumped.contains("DEFINE QLOCAL('OF.THE.SECOND')"), "{dumped}");
    assert!(!dumped.contains("ALTER QMGR"), "{dumped}");
    let json = folder.run(&["dmpmqcfg", "-m", "QM2", "-t", "queue", "-n", "OF.*", "--json"]);
    let commands: Vec<serde_json::Value> =
        serde_json::from_str(json.strip_prefix("exit 0\nout: ").expect("exit 0")).expect("an array");
    assert_eq!(commands.len(), 1, "{json}");
    assert_eq!(commands[0]["name"], "OF.THE.SECOND", "{json}");
}
