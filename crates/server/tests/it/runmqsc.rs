//! `runmqsc`, `mqsc` and `dmpmqcfg` against a running server.

use std::io::{BufRead, BufReader, Write};

use expect_test::expect;

use crate::program::{Folder, Server, command};

#[test]
fn a_session_echoes_answers_counts_and_exits_0_or_10() {
    let folder = Folder::new();
    let _server = Server::start(&folder, &[]);
    let script = "* A queue.\nDEFINE QLOCAL(A) +\n  MAXDEPTH(9)\nDISPLAY QLOCAL(A) MAXDEPTH\nEND\nDELETE QLOCAL(A)\n";
    expect![[r#"
        exit 0
        out: Quaymaster VERSION, open source under Apache-2.0.
        out: Starting MQSC for queue manager QM1.
        out: 
        out: 
        out:        : * A queue.
        out:      1 : DEFINE QLOCAL(A) +
        out:        :   MAXDEPTH(9)
        out: AMQ8006I: Queue created.
        out:      2 : DISPLAY QLOCAL(A) MAXDEPTH
        out: AMQ8409I: Display Queue details.
        out:    QUEUE(A)                                TYPE(QLOCAL)
        out:    MAXDEPTH(9)
        out:      3 : END
        out: 2 MQSC commands read.
        out: No commands have a syntax error.
        out: All valid MQSC commands were processed.
    "#]]
    .assert_eq(&folder.run_with(&["runmqsc"], script));

    let said = folder.run_with(&["runmqsc", "-e", "QM1"], "DELETE QLOCAL(NONE)\nNONSENSE\nDISPLAY QMGR DEADQ\n");
    assert!(said.starts_with("exit 10\n"), "{said}");
    for line in [
        "out: 3 MQSC commands read.",
        "out: One command has a syntax error.",
        "out: One valid MQSC command could not be processed.",
        "out:    QMNAME(QM1)                             DEADQ(DEV.DEAD.LETTER.QUEUE)",
    ] {
        assert!(said.lines().any(|known| known.trim_end() == line), "{line} is in {said}");
    }
    assert!(!said.contains(" : "), "-e does not echo: {said}");
}

#[test]
fn the_developer_objects_are_there_and_an_own_change_of_them_stays() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let script = "DISPLAY CHANNEL(DEV.*) MCAUSER\nDISPLAY LISTENER(DEV.*) PORT CONTROL\n\
                  DISPLAY AUTHINFO(DEV.AUTHINFO) CHCKCLNT ADOPTCTX\nDISPLAY QMGR CONNAUTH\n\
                  ALTER CHANNEL(DEV.APP.SVRCONN) CHLTYPE(SVRCONN) MAXINST(7)\nALTER QMGR CONNAUTH(' ')\n";
    let said = folder.run_with(&["runmqsc", "-e"], script);
    for line in [
        "out:    CHANNEL(DEV.ADMIN.SVRCONN)              CHLTYPE(SVRCONN)",
        "out:    MCAUSER( )",
        "out:    CHANNEL(DEV.APP.SVRCONN)                CHLTYPE(SVRCONN)",
        "out:    MCAUSER(app)",
        "out:    LISTENER(DEV.LISTENER.TCP)              CONTROL(QMGR)",
        "out:    PORT(1414)",
        "out:    AUTHINFO(DEV.AUTHINFO)                  AUTHTYPE(IDPWOS)",
        "out:    ADOPTCTX(YES)                           CHCKCLNT(REQDADM)",
        "out:    QMNAME(QM1)                             CONNAUTH(DEV.AUTHINFO)",
        "out: All valid MQSC commands were processed.",
    ] {
        assert!(said.lines().any(|known| known.trim_end() == line), "{line} is in {said}");
    }
    drop(server);

    let _server = Server::start(&folder, &[]);
    let said = folder.run_with(&["runmqsc", "-e"], "DISPLAY CHANNEL(DEV.APP.SVRCONN) MAXINST\nDISPLAY QMGR CONNAUTH\n");
    assert!(said.contains("MAXINST(7)") && said.contains("CONNAUTH( )"), "{said}");
}

#[test]
fn commands_come_from_a_file_and_v_only_checks_them() {
    let folder = Folder::new();
    let file = folder.write("a.mqsc", "DEFINE QLOCAL(A)\n").display().to_string();
    let said = folder.run(&["runmqsc", "-v", "-f", &file]);
    assert!(said.starts_with("exit 0\n") && said.contains("One MQSC command read."), "no server is needed: {said}");
    let _server = Server::start(&folder, &[]);
    assert!(folder.run(&["runmqsc", "-f", &file]).starts_with("exit 0\n"));
    assert_eq!(folder.run(&["depth", "A"]), "exit 0\nout: 0\n");
    assert!(folder.run(&["runmqsc", "-f", "nowhere"]).starts_with("exit 20\n"));
}

#[test]
fn a_queue_manager_that_is_not_there_is_exit_20() {
    let folder = Folder::new();
    let _server = Server::start(&folder, &[]);
    expect![[r#"
        exit 20
        err: AMQ8118E: Queue manager QM9 does not exist in DIR.
    "#]]
    .assert_eq(&folder.run(&["runmqsc", "QM9"]));
}

#[test]
fn a_program_at_a_pipe_gets_each_answer_before_its_next_command() {
    let folder = Folder::new();
    let _server = Server::start(&folder, &[]);
    let mut child = command().args(["runmqsc", "-e"]).env("QUAYMASTER_DATA", folder.path()).spawn().expect("starts");
    let mut input = child.stdin.take().expect("a pipe");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    for name in ["A", "B"] {
        writeln!(input, "DEFINE QLOCAL({name})").expect("written");
        let answer = lines.by_ref().map(|line| line.expect("readable")).find(|line| line.starts_with("AMQ"));
        assert_eq!(answer.as_deref().map(|line| &line[..8]), Some("AMQ8006I"));
    }
    drop(input);
    assert_eq!(child.wait().expect("ends").code(), Some(0));
}

#[test]
fn mqsc_runs_one_command_and_shows_it_as_json() {
    let folder = Folder::new();
    let _server = Server::start(&folder, &[]);
    let said = folder.run(&["mqsc", "QM1", "DISPLAY QMGR DEADQ", "--json"]);
    let answer: serde_json::Value =
        serde_json::from_str(said.strip_prefix("exit 0\nout: ").expect("exit 0")).expect("JSON");
    assert_eq!(answer["outcome"], "succeeded");
    assert_eq!(answer["queueManager"], "QM1");
    assert_eq!(answer["commandResponse"][0]["parameters"]["deadq"], "DEV.DEAD.LETTER.QUEUE", "{answer}");
    assert!(folder.run(&["mqsc", "NONSENSE"]).starts_with("exit 10\n"));
}

#[test]
fn json_of_a_command_is_attributes_through_the_socket_and_over_https() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let url = format!("https://{}", server.address("https"));
    let (ca, passwords) = (folder.join("tls/ca.crt").display().to_string(), folder.join("initial-passwords"));
    let passwords = passwords.display().to_string();
    let far = ["--url", &url, "--user", "admin", "--password-file", &passwords, "--cacert", &ca];
    let answers = [&[][..], &far].map(|more| {
        let run = |command: &str| {
            let said = folder.run(&[&["mqsc", "QM1", command, "--json"], more].concat());
            let (exit, json) = said.split_once("\nout: ").unwrap_or_else(|| panic!("{said}"));
            (exit.to_owned(), serde_json::from_str::<serde_json::Value>(json.trim_end()).expect("JSON"))
        };
        let (exit, shown) = run("DISPLAY QLOCAL('DEV.QUEUE.*') MAXDEPTH WHERE(MAXDEPTH GT 10)");
        assert_eq!(exit, "exit 0");
        let (exit, wrong) = run("DELETE QLOCAL(NO.QUEUE)");
        assert_eq!((exit.as_str(), &wrong["outcome"]), ("exit 10", &serde_json::json!("failed")), "{wrong}");
        shown
    });
    let [near, over_https] = &answers;
    assert_eq!(near, over_https);
    let row = &near["commandResponse"][0]["parameters"];
    assert_eq!((&row["queue"], &row["maxdepth"]), (&"DEV.QUEUE.1".into(), &5000.into()), "{near}");
}

#[test]
fn a_command_that_the_shell_has_split_is_told_how_to_be_written() {
    let folder = Folder::new();
    expect![[r#"
        exit 2
        err: quaymaster: the command must be one argument, in quotes: quaymaster mqsc "display q"
    "#]]
    .assert_eq(&folder.run(&["mqsc", "display", "q"]));
    expect![[r#"
        exit 2
        err: quaymaster: the command must be one argument, in quotes: quaymaster mqsc QM1 "dis ql(*)"
    "#]]
    .assert_eq(&folder.run(&["mqsc", "QM1", "dis", "ql(*)"]));
}

#[test]
fn dmpmqcfg_refuses_kinds_that_do_not_exist_and_gives_json_that_the_rest_api_takes() {
    let folder = Folder::new();
    for option in ["-x", "-t"] {
        let said = folder.run(&["dmpmqcfg", option, "nonsense"]);
        assert!(said.starts_with("exit 2\nerr: quaymaster: invalid value 'nonsense'"), "{said}");
        assert!(said.contains("possible values: all, object, authrec"), "{said}");
    }
    let _server = Server::start(&folder, &[]);
    let said = folder.run(&["dmpmqcfg", "-x", "OBJECT", "-t", "queue", "-n", "DEV.QUEUE.1", "--json"]);
    let commands: serde_json::Value =
        serde_json::from_str(said.strip_prefix("exit 0\nout: ").expect("exit 0")).expect("JSON");
    assert_eq!((&commands[0]["command"], &commands[0]["qualifier"]), (&"define".into(), &"qlocal".into()), "{said}");
    assert_eq!((&commands[0]["name"], &commands[0]["parameters"]["replace"]), (&"DEV.QUEUE.1".into(), &"yes".into()));
}

#[test]
fn what_dmpmqcfg_writes_runmqsc_reads() {
    let (first, second) = (Folder::new(), Folder::new());
    let _server = Server::start(&first, &[]);
    first.run(&["mqsc", "DEFINE QLOCAL(ORDERS) DESCR('it''s here') MAXDEPTH(77) BOTHRESH(3)"]);
    let dumped = first.run(&["dmpmqcfg", "-n", "ORDERS", "-x", "queue", "-o", "1line"]);
    let script: String =
        dumped.lines().filter_map(|line| line.strip_prefix("out: ")).flat_map(|line| [line, "\n"]).collect();
    let _other = Server::start(&second, &[]);
    let said = second.run_with(&["runmqsc"], &script);
    assert!(said.starts_with("exit 0\n"), "{said}");
    let again = second.run(&["dmpmqcfg", "-n", "ORDERS", "-x", "queue", "-o", "1line"]);
    let definitions = |text: &str| -> Vec<String> {
        text.lines().filter(|line| line.contains("DEFINE")).map(str::to_owned).collect()
    };
    assert_eq!(definitions(&again), definitions(&dumped));
    assert!(!definitions(&again).is_empty(), "{dumped}");
}

#[test]
fn help_lists_commands_without_a_server() {
    let folder = Folder::new();
    expect![[r#"
        exit 0
        out: STOP CONN (identifier) EXTCONN(hex)
        out:     Ends a connection and backs out its unit of work.
        out:     In a queue-sharing group: CMDSCOPE(name|*)
        out: STOP CHANNEL (name) MODE(QUIESCE|FORCE|TERMINATE) STATUS(STOPPED|INACTIVE) CONNAME() QMNAME() IGNSTATE(NO|YES)
        out:     Ends the running instances of a channel and refuses new ones.
        out:     In a queue-sharing group: CHLDISP(PRIVATE|SHARED) CMDSCOPE(name|*)
        out: STOP CMDSERV
        out:     Stops the command server. Commands stay on its queue.
        out:     In a queue-sharing group: CMDSCOPE(name|*)
    "#]].assert_eq(&folder.run(&["mqsc", "help", "stop c"]));
    let all = folder.run(&["mqsc", "help", "--json"]);
    assert!(all.starts_with("exit 0") && all.contains("DEFINE QLOCAL"), "{all}");
    expect![[r#"
        exit 2
        err: quaymaster: no command begins with FROB
    "#]]
    .assert_eq(&folder.run(&["mqsc", "help", "FROB"]));
}

/// 1500 queues with all attributes are some megabytes of text.
#[test]
fn an_answer_of_any_length_comes_whole() {
    const QUEUES: usize = 1500;
    let folder = Folder::new();
    let _server = Server::start(&folder, &[]);
    let script: String = (0..QUEUES).map(|number| format!("DEFINE QLOCAL(MANY.{number:04})\n")).collect();
    let said = folder.run_with(&["runmqsc", "-e"], &script);
    assert!(said.starts_with("exit 0\n"), "{}", said.lines().last().unwrap_or_default());

    let said = folder.run_with(&["runmqsc", "-e"], "DISPLAY QUEUE(MANY.*) ALL\n");
    assert!(said.len() > 2 << 20, "longer than two parts: {} bytes", said.len());
    assert!(said.starts_with("exit 0\n"), "{}", said.lines().last().unwrap_or_default());
    let named = |line: &&str| line.starts_with("out:    QUEUE(MANY.");
    assert_eq!(said.lines().filter(named).count(), QUEUES);

    let json = |arguments: &[&str]| -> serde_json::Value {
        let said = folder.run(arguments);
        let text = said.strip_prefix("exit 0\nout: ").unwrap_or_else(|| panic!("{:.500}", said));
        serde_json::from_str(text).expect("JSON")
    };
    let answer = json(&["mqsc", "--json", "DISPLAY QUEUE(MANY.*) ALL"]);
    assert_eq!(answer["commandResponse"].as_array().map(Vec::len), Some(QUEUES));
    assert_eq!(json(&["depth", "MANY.*", "--json"]).as_array().map(Vec::len), Some(QUEUES));
    assert_eq!(json(&["dmpmqcfg", "-a", "-n", "MANY.*", "--json"]).as_array().map(Vec::len), Some(QUEUES));

    let body: String = ["0123456789abcdef"; 200_000].concat();
    let said = folder.run_with(&["put", "MANY.0000"], &body);
    assert!(said.starts_with("exit 0\n"), "{said}");
    assert!(folder.run(&["get", "MANY.0000"]) == format!("exit 0\nout: {body}\n"), "the message comes back as it was");
}
