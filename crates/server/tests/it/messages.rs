//! `put`, `get`, `browse` and `depth`, through the socket and over HTTPS.

use expect_test::expect;

use crate::program::{Folder, Server, command, finish, shown};

#[test]
fn a_message_is_put_browsed_counted_and_got() {
    let folder = Folder::new();
    let _server = Server::start(&folder, &[]);
    let put = folder.run(&["put", "DEV.QUEUE.1", "first", "--persistent"]);
    let id = put.strip_prefix("exit 0\nout: ").expect("exit 0").trim_end();
    assert_eq!(id.len(), 48, "{put}");
    assert!(folder.run_with(&["put", "DEV.QUEUE.1", "--priority", "9"], "from standard input\n").starts_with("exit 0"));
    assert_eq!(folder.run(&["depth", "DEV.QUEUE.1"]), "exit 0\nout: 2\n");
    assert_eq!(folder.run(&["browse", "DEV.QUEUE.1"]), "exit 0\nout: from standard input\nout: first\n");
    assert_eq!(folder.run(&["get", "DEV.QUEUE.1", "--message-id", id]), "exit 0\nout: first\n");
    assert_eq!(folder.run(&["get", "DEV.QUEUE.1", "--all"]), "exit 0\nout: from standard input\n");
    expect![[r#"
        exit 3
        err: quaymaster: DEV.QUEUE.1 has no matching message: 2033 (MQRC_NO_MSG_AVAILABLE)
    "#]]
    .assert_eq(&folder.run(&["get", "DEV.QUEUE.1"]));
    assert_eq!(folder.run(&["get", "DEV.QUEUE.1", "--all"]), "exit 0\n", "all of none are none");
    assert_eq!(folder.run(&["browse", "DEV.QUEUE.1"]), "exit 0\n");
    expect![[r#"
        exit 1
        err: quaymaster: cannot put to NO.QUEUE: 2085 (MQRC_UNKNOWN_OBJECT_NAME)
    "#]]
    .assert_eq(&folder.run(&["put", "NO.QUEUE", "x"]));
}

#[test]
fn json_shows_the_descriptor_and_bytes_that_are_no_text() {
    let folder = Folder::new();
    let _server = Server::start(&folder, &[]);
    let id = "0123456789abcdef".repeat(3);
    folder.run(&["put", "DEV.QUEUE.1", "text", "--correlation-id", &id, "--reply-to", "DEV.QUEUE.2"]);
    let binary = folder.write("bytes", "");
    std::fs::OpenOptions::new()
        .write(true)
        .open(&binary)
        .and_then(|mut file| std::io::Write::write_all(&mut file, &[0xFF, 0x00]))
        .expect("written");
    folder.run(&["put", "DEV.QUEUE.1", "--binary", "--file", &binary.display().to_string()]);
    let said = folder.run(&["browse", "DEV.QUEUE.1", "--json"]);
    let messages: Vec<serde_json::Value> = said
        .lines()
        .filter_map(|line| line.strip_prefix("out: "))
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let [text, bytes] = messages.as_slice() else { panic!("two messages: {said}") };
    assert_eq!((text["body"].as_str(), text["format"].as_str()), (Some("text"), Some("MQSTR")));
    assert_eq!(text["correlationId"], id);
    assert_eq!(text["replyToQueue"], "DEV.QUEUE.2");
    assert_eq!(bytes["bodyBase64"], "/wA=");
    assert_eq!(folder.run(&["get", "DEV.QUEUE.1", "--correlation-id", &id]), "exit 0\nout: text\n");
}

#[test]
fn a_get_waits_for_its_message() {
    let folder = Folder::new();
    let _server = Server::start(&folder, &[]);
    let mut waiting = command();
    waiting.args(["get", "DEV.QUEUE.1", "--wait", "20s"]).env("QUAYMASTER_DATA", folder.path());
    let waiting = std::thread::spawn(move || shown(&finish(waiting, "")));
    folder.run(&["put", "DEV.QUEUE.1", "late"]);
    assert_eq!(waiting.join().expect("ends"), "exit 0\nout: late\n");
}

#[test]
fn the_same_works_over_https_with_a_user_of_the_server() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let url = format!("https://{}", server.address("https"));
    let (ca, passwords) = (folder.join("tls/ca.crt").display().to_string(), folder.join("initial-passwords"));
    let passwords = passwords.display().to_string();
    let run = |words: &[&str]| {
        let mut arguments = words.to_vec();
        arguments.extend(["--url", &url, "--user", "app", "--password-file", &passwords, "--cacert", &ca]);
        folder.run(&arguments)
    };
    let put = run(&["put", "DEV.QUEUE.1", "over https", "--priority", "3"]);
    assert!(put.starts_with("exit 0\n"), "{put}");
    assert_eq!(run(&["browse", "DEV.QUEUE.1"]), "exit 0\nout: over https\n");
    assert_eq!(run(&["get", "DEV.QUEUE.1"]), "exit 0\nout: over https\n");
    expect![[r#"
        exit 3
        err: quaymaster: DEV.QUEUE.1 has no matching message: 2033 (MQRC_NO_MSG_AVAILABLE)
    "#]]
    .assert_eq(&run(&["get", "DEV.QUEUE.1"]));
    let refused = run(&["put", "NO.QUEUE", "x"]);
    assert!(refused.starts_with("exit 1\nerr: quaymaster: 4"), "{refused}");
}

#[test]
fn depth_lists_queues_by_generic_name() {
    let folder = Folder::new();
    let _server = Server::start(&folder, &[]);
    folder.run(&["put", "DEV.QUEUE.2", "x"]);
    expect![[r#"
        exit 0
        out: DEV.QUEUE.1          0
        out: DEV.QUEUE.2          1
        out: DEV.QUEUE.3          0
    "#]]
    .assert_eq(&folder.run(&["depth", "DEV.QUEUE.*"]));
}
