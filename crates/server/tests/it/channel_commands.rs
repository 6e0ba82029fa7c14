//! `put`, `get` and `browse` with `--channel` and `--ccdt`, and the load driver through a channel.

use std::io::{BufRead, BufReader};

use expect_test::expect;

use crate::program::{Folder, Server, command, finish, shown};

const TLS_CHANNEL: &str = "\
DEFINE CHANNEL(SECURE) CHLTYPE(SVRCONN) TRPTYPE(TCP) SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(OPTIONAL)
SET CHLAUTH(SECURE) TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(CHANNEL)
";

fn start(folder: &Folder) -> Server {
    folder.write("mqsc.d/secure.mqsc", TLS_CHANNEL);
    Server::start(folder, &[])
}

/// Runs a command as `app`, with what leads to the channel behind it.
fn through(folder: &Folder, words: &[&str], way: &[&str]) -> String {
    let passwords = folder.join("initial-passwords").display().to_string();
    let mut arguments = words.to_vec();
    arguments.extend(["--user", "app", "--password-file", &passwords]);
    arguments.extend(way);
    folder.run(&arguments)
}

#[test]
fn messages_go_through_a_channel_and_are_the_same_as_through_the_socket() {
    let folder = Folder::new();
    let server = start(&folder);
    let mq = server.address("mq");
    let way = ["--channel", "DEV.APP.SVRCONN", "--mq", &mq];
    let put = through(&folder, &["put", "DEV.QUEUE.1", "first", "--persistent", "--priority", "3"], &way);
    let id = put.strip_prefix("exit 0\nout: ").unwrap_or_else(|| panic!("{put}")).trim_end().to_owned();
    assert_eq!(id.len(), 48, "{put}");
    folder.run(&["put", "DEV.QUEUE.1", "second", "--priority", "3"]);
    let browsed = through(&folder, &["browse", "DEV.QUEUE.1", "--json"], &way);
    assert_eq!(browsed, folder.run(&["browse", "DEV.QUEUE.1", "--json"]));
    let first: serde_json::Value =
        serde_json::from_str(browsed.lines().nth(1).unwrap().trim_start_matches("out: ")).unwrap();
    assert_eq!((first["messageId"].as_str(), first["persistent"].as_bool()), (Some(&*id), Some(true)));
    assert_eq!((first["userIdentifier"].as_str(), first["body"].as_str()), (Some("app"), Some("first")));
    assert_eq!(through(&folder, &["get", "DEV.QUEUE.1", "--message-id", &id], &way), "exit 0\nout: first\n");
    assert_eq!(through(&folder, &["get", "DEV.QUEUE.1", "--all"], &way), "exit 0\nout: second\n");
    expect![[r#"
        exit 3
        err: quaymaster: DEV.QUEUE.1 has no matching message: 2033 (MQRC_NO_MSG_AVAILABLE)
    "#]]
    .assert_eq(&through(&folder, &["get", "DEV.QUEUE.1"], &way));
}

#[test]
fn what_is_refused_says_why_and_ends_with_the_right_code() {
    let folder = Folder::new();
    let server = start(&folder);
    let mq = server.address("mq");
    let way = ["--channel", "DEV.APP.SVRCONN", "--mq", &mq];
    expect![[r#"
        exit 1
        err: quaymaster: MQPUT1 ended with 2085 (MQRC_UNKNOWN_OBJECT_NAME)
    "#]]
    .assert_eq(&through(&folder, &["put", "NO.QUEUE", "x"], &way));
    expect![[r#"
        exit 20
        err: quaymaster: the channel was refused: 2540 (MQRC_UNKNOWN_CHANNEL_NAME)
    "#]]
    .assert_eq(&through(&folder, &["put", "DEV.QUEUE.1", "x"], &["--channel", "NO.CHANNEL", "--mq", &mq]));
    let wrong = folder.write("wrong", "app not-the-password\n").display().to_string();
    expect![[r#"
        exit 1
        err: quaymaster: MQCONN ended with 2035 (MQRC_NOT_AUTHORIZED)
    "#]]
    .assert_eq(
        &folder.run(&[&["put", "DEV.QUEUE.1", "x", "--user", "app", "--password-file", &wrong], &way[..]].concat()),
    );
    for usage in [
        &["put", "DEV.QUEUE.1", "x", "--mq", "127.0.0.1:1"][..],
        &["put", "DEV.QUEUE.1", "x", "--user", "app"],
        &["put", "DEV.QUEUE.1", "x", "--channel", "A", "--url", "https://h"],
        &["put", "DEV.QUEUE.1", "x", "--channel", "A", "--ccdt", "f"],
        &["put", "DEV.QUEUE.1", "x", "--channel", "A", "--cipher", "NULL_SHA"],
        &["put", "DEV.QUEUE.1", "x", "--channel", "A", "--certificate", "f"],
    ] {
        let said = folder.run(usage);
        assert!(said.starts_with("exit 2\nerr: quaymaster: "), "{usage:?}: {said}");
    }
}

#[test]
fn tls_wants_a_trusted_signer_and_a_channel_wants_tls() {
    let folder = Folder::new();
    let server = start(&folder);
    let mq = server.address("mq");
    let ca = folder.join("tls/ca.crt").display().to_string();
    let secure = ["--channel", "SECURE", "--mq", &mq, "--cacert", &ca];
    assert!(through(&folder, &["put", "DEV.QUEUE.1", "secret"], &secure).starts_with("exit 0\n"));
    assert_eq!(through(&folder, &["get", "DEV.QUEUE.1"], &secure), "exit 0\nout: secret\n");
    let plain = through(&folder, &["put", "DEV.QUEUE.1", "x"], &["--channel", "SECURE", "--mq", &mq]);
    assert!(plain.starts_with("exit 20\nerr: quaymaster: the channel was refused: 2393"), "{plain}");
    let named = [&secure[..], &["--server-name", "other.example"]].concat();
    let wrong = through(&folder, &["put", "DEV.QUEUE.1", "x"], &named);
    assert!(wrong.starts_with("exit 20\nerr: quaymaster: the TLS handshake with 127.0.0.1("), "{wrong}");
}

#[test]
fn a_channel_table_leads_to_its_queue_manager() {
    let folder = Folder::new();
    let server = start(&folder);
    let mq = server.address("mq");
    let (host, port) = mq.split_once(':').unwrap();
    let table = format!(
        r#"{{"channel":[{{"name":"DEV.APP.SVRCONN","type":"clientConnection",
        "clientConnection":{{"connection":[{{"host":"{host}","port":{port}}}],"queueManager":"GROUP"}}}}]}}"#
    );
    let file = folder.write("ccdt.json", &table).display().to_string();
    let put = through(&folder, &["put", "DEV.QUEUE.1", "by table"], &["--ccdt", &file, "--qmgr", "*GROUP"]);
    assert!(put.starts_with("exit 0\n"), "{put}");
    assert_eq!(folder.run(&["get", "DEV.QUEUE.1"]), "exit 0\nout: by table\n");
    expect![[r#"
        exit 1
        err: quaymaster: MQCONN ended with 2058 (MQRC_Q_MGR_NAME_ERROR)
    "#]]
    .assert_eq(&through(&folder, &["put", "DEV.QUEUE.1", "x"], &["--ccdt", &file, "--qmgr", "GROUP"]));
    let other = through(&folder, &["put", "DEV.QUEUE.1", "x"], &["--ccdt", &file, "--qmgr", "QM9"]);
    assert!(other.contains("the table has no channel to queue manager 'QM9'"), "{other}");
}

#[test]
fn the_driver_and_its_responder_lose_and_double_nothing_through_a_channel() {
    drive(
        &[],
        &[
            ("request-reply", &["--response-size", "2000", "--persistent"]),
            ("request-reply", &["--response-size", "2000", "--request-size", "50"]),
            ("put-get", &["--queue", "DEV.QUEUE.3", "--persistent", "--sharing-conversations", "10"]),
        ],
    );
}

#[test]
fn the_driver_and_its_responder_stream_without_losing_or_doubling_a_message() {
    let replies = ["--streaming", "--reply-queue", "DEV.APP.MODEL.QUEUE", "--response-size", "2000"];
    drive(&["--streaming"], &[("request-reply", &replies)]);
}

/// Starts a responder, and runs each scenario with the options beside it.
fn drive(responding: &[&str], scenarios: &[(&str, &[&str])]) {
    let folder = Folder::new();
    let server = start(&folder);
    let passwords = folder.join("initial-passwords").display().to_string();
    let ca = folder.join("tls/ca.crt").display().to_string();
    let mq = server.address("mq");
    let way = ["--channel", "SECURE", "--mq", &mq, "--cacert", &ca, "--password-file", &passwords];
    let mut responder = command();
    responder.args(["workload", "responder", "--connections", "3", "--response-size", "2000"]);
    let mut responder = responder.args(responding).args(way).spawn().expect("it starts");
    let mut lines = BufReader::new(responder.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
    assert_eq!(lines.next().as_deref(), Some(r#"{"event":"ready","connections":3}"#));
    for (scenario, more) in scenarios {
        let mut run = command();
        run.args([
            "workload",
            "run",
            "--scenario",
            scenario,
            "--clients",
            "4",
            "--duration",
            "300ms",
            "--warmup",
            "50ms",
        ]);
        run.args(["--json", "-"]).args(way).args(*more);
        let output = finish(run, "");
        assert!(output.status.success(), "{scenario}: {}", shown(&output));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a report");
        assert_eq!((report["errors"].as_u64(), report["verdict"]["lost"].as_u64()), (Some(0), Some(0)), "{report}");
        assert!(report["transactions"].as_u64() > Some(0), "{report}");
    }
    let told = std::process::Command::new("sh").arg("-c").arg(format!("kill -TERM {}", responder.id())).status();
    assert!(told.expect("a shell").success());
    let last: serde_json::Value = serde_json::from_str(&lines.next().expect("its last words")).expect("JSON");
    assert_eq!((last["event"].as_str(), last["errors"].as_u64()), (Some("end"), Some(0)), "{last}");
    assert!(last["replies"].as_u64() > Some(0), "{last}");
    assert!(responder.wait().expect("it ends").success());
}
